/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - what is made of a profile: tables for people, CSV and JSON for
 * programs, files for the viewers there are, one page for a browser.
 *
 * Each function appends to `out`. Times are those of the computer that ran the
 * program, or of the device if it ran on that clock; every report says which.
 * Figures of counters are for the whole device and the whole launch, unless a
 * comment says otherwise. One thread.
 */
#ifndef SW_REPORT_REPORT_H
#define SW_REPORT_REPORT_H
#include "report/profile.h"
#include "watch/metrics.h"

/* What every table takes. */
typedef struct {
    bool csv;
    bool full_names;       /* kernels with namespaces and parameters */
    const sw_vec *metrics; /* const sw_metric *; NULL: the usual ones */
} sw_report_options;

/* ---- tables: table.c, metrics.c, source.c ---- */

/* Kernels and copies by time, then calls of the API. */
void sw_report_summary(const sw_profile *profile,
                       const sw_report_options *options, sw_buf *out);
/* One line each, in order of time: launches, copies, fills; calls. Launches
 * have options->metrics too, if any. */
void sw_report_gpu_trace(const sw_profile *profile,
                         const sw_report_options *options, sw_buf *out);
void sw_report_api_trace(const sw_profile *profile,
                         const sw_report_options *options, sw_buf *out);
/* Least, greatest and mean of each metric over the launches of a kernel. */
void sw_report_metrics(const sw_profile *profile,
                       const sw_report_options *options, sw_buf *out);
/* Lines of the CUDA source, where it is known, and of PTX, with counters. */
void sw_report_source(const sw_profile *profile,
                      const sw_report_options *options, sw_buf *out);

/*
 * Metrics by names separated by commas, "all", or a pattern with a `*`; of the
 * era of capability `cc` (times ten) where several eras share a name. Adds
 * const sw_metric * to `picked`. False after saying in diag which is unknown,
 * with names like it.
 */
bool sw_report_pick(const char *names, uint32_t cc, sw_vec *picked,
                    sw_diag *diag);
void sw_report_list_metrics(uint32_t cc, sw_buf *out);
/* The columns of tables where nobody asked for others. */
void sw_report_usual_metrics(uint32_t cc, sw_vec *picked);

/* ---- files ---- */

/* Everything, for programs: docs/prof.md says what there is. metrics: const
 * sw_metric *, of each launch; NULL: the usual ones of the first device. Groups
 * of launches have all. */
void sw_report_json(const sw_profile *profile, const sw_vec *metrics,
                    sw_buf *out);
/* Trace Event Format: chrome://tracing, ui.perfetto.dev. */
void sw_report_trace(const sw_profile *profile, sw_buf *out);
/* KCachegrind, callgrind_annotate. */
void sw_report_callgrind(const sw_profile *profile, sw_buf *out);
/* One page with all it needs in it. */
void sw_report_html(const sw_profile *profile, sw_buf *out);

/* ---- for its parts: format.c ---- */

/* "718.11us": five digits and a unit, as profilers print times. */
const char *sw_report_time(uint64_t ns, char text[16]);
/* "15.26MB" of a copy. */
const char *sw_report_bytes(uint64_t bytes, char text[16]);
/* A value of that unit: "12", "81.25%", "1.500". */
const char *sw_report_value(const sw_metric *metric, double value,
                            char text[32]);
void sw_report_csv_text(const char *text, sw_buf *out);
const char *sw_report_copy_name(const sw_record_copy *copy, char text[40]);
/* An instruction of the IR without what only its parser needs. */
const char *sw_report_instruction(const char *text, char *out, size_t bytes);
/* Value of a metric for a launch; false if it has none. */
bool sw_report_launch_value(const sw_metric *metric,
                            const sw_profile_launch *launch, double *value);

#endif
