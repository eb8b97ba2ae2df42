/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times.h - what the model of time says of launches, where it was asked
 * (sw_record_time). Times are the device's. One thread.
 */
#ifndef SW_REPORT_TIMES_H
#define SW_REPORT_TIMES_H
#include "report/report.h"

/* Some launch has a predicted time. */
bool sw_report_has_times(const sw_profile *profile);
/* Kernels by predicted time, with what limits them and where warps wait;
 * nothing where nothing was predicted. */
void sw_report_times(const sw_profile *profile,
                     const sw_report_options *options, sw_buf *out);
/* The lines of the group's longest launch, with all reasons. */
void sw_report_line_times(const sw_profile *profile,
                          const sw_profile_group *group, sw_buf *out);
/* All that the record has, as an object. */
void sw_report_json_time(const sw_record_time *time, sw_buf *out);

/* ---- for its parts ---- */

/* A line of the source. Shares are of the time of all warps. */
typedef struct {
    sw_str file, stalls, reason; /* reason: the largest of the stalls */
    uint32_t line;
    double share;
} sw_report_place;

/* Moves *at over one "name=share" and what stands `between` it and the next.
 * False: there is none. What they point to is in the text. */
bool sw_report_next_share(const char **at, char between, sw_str *name,
                          double *share);
/* The same over one line of sw_record_time.lines. */
bool sw_report_next_place(const char **at, sw_report_place *place);

#endif
