/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - findings as text for people, and as files for other programs.
 *
 * Pure functions of the findings and of the source files they name; one thread.
 * A report ends with a new line.
 */
#ifndef SW_CHECK_REPORT_H
#define SW_CHECK_REPORT_H
#include "check/finding.h"

typedef struct {
    const char *command; /* the program and its arguments, for a head */
    size_t limit;        /* entries of the text at most; 0: all */
    bool has_colours;    /* of a terminal */
    /* [sw_findings_count] true: not to be shown; NULL: none. */
    const bool *hidden;
} sw_check_report;

/* Each entry: what and where, with the source lines, the threads, the details,
 * what to change; at the end how many there are. */
void sw_check_text(const sw_findings *set, const sw_check_report *report,
                   sw_buf *out);
/* {"findings": [{"kind", "file", "line", "other": {"file", "line"}, "kernel",
 * "space", "count", "message", "benign", ...}], "command": ...} */
void sw_check_json(const sw_findings *set, const sw_check_report *report,
                   sw_buf *out);
/* JUnit's XML: a test case for each finding, which fails; one that passes if
 * there is none. */
void sw_check_junit(const sw_findings *set, const sw_check_report *report,
                    sw_buf *out);
/* SARIF 2.1.0: a rule for each kind, a result for each finding. */
void sw_check_sarif(const sw_findings *set, const sw_check_report *report,
                    sw_buf *out);
/* Commands of a workflow of GitHub, which annotate source lines. */
void sw_check_github(const sw_findings *set, const sw_check_report *report,
                     sw_buf *out);
/* A record for each finding, in the manner of compute-sanitizer --xml. */
void sw_check_xml(const sw_findings *set, const sw_check_report *report,
                  sw_buf *out);

/* Findings that count for the exit status: shown, and neither benign nor of
 * level NOTE. */
size_t sw_check_failures(const sw_findings *set, const sw_check_report *report);

/* ---- shared by the formats ---- */

static inline bool
sw_check_is_hidden(const sw_check_report *report, size_t i)
{
    return report->hidden && report->hidden[i];
}

static inline bool
sw_finding_is_failure(const sw_finding *f)
{
    return !f->is_benign && sw_find_kind_get(f->kind)->level == SW_FIND_ERROR;
}

/* "N threads (lanes a to b of n blocks), first: block (x,y,z), thread (x,y,z)"
 * into out. Nothing if it is not known. */
void sw_check_threads(const sw_finding *f, sw_buf *out);
/* The name as the source has it; in the arena. */
const char *sw_check_kernel(sw_arena *arena, const sw_finding *f);
void sw_check_xml_text(const char *text, sw_buf *out);

/* ---- suppressions ----
 *
 * A text of lines "KIND [kernel=PATTERN] [file=PATTERN] [line=N]", patterns of
 * the shell; # begins a comment. KIND may be a pattern, too. */

/* hidden[i] = true for what the text names. False after telling diag of wrong
 * lines; the others have been applied. `name`: of the file, for messages. */
bool sw_check_suppress(const sw_findings *set, sw_str text, const char *name,
                       bool *hidden, sw_diag *diag);
/* Lines that suppress each finding that is shown. */
void sw_check_suppressions(const sw_findings *set,
                           const sw_check_report *report, sw_buf *out);

#endif
