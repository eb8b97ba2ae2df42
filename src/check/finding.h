/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding.h - what `softwarp check` found: one entry for one defect, however
 * often it was met, and the file by which the checked process hands its
 * findings to the command.
 *
 * The checkers add findings from any thread; the command reads them, one thread
 * alone. Knows neither engines nor the API, and prints nothing: that is
 * report.h.
 */
#ifndef SW_CHECK_FINDING_H
#define SW_CHECK_FINDING_H
#include "ir/ir.h"

typedef enum {
#define CHECKER(ID, name, sanitizer, text) SW_CHECK_##ID,
#include "check/tools.def"
    SW_CHECK_COUNT
} sw_check_tool;

typedef enum {
#define KIND(ID, name, tool, level, sanitizer, title, advice) SW_FIND_##ID,
#include "check/kinds.def"
    SW_FIND_COUNT
} sw_find_kind;

typedef enum { SW_FIND_ERROR, SW_FIND_NOTE } sw_find_level;

typedef struct {
    const char *name;
    sw_check_tool tool;
    sw_find_level level;
    const char *sanitizer, *title, *advice;
} sw_find_kind_info;

typedef struct {
    const char *name, *sanitizer, *text;
} sw_check_tool_info;

const sw_find_kind_info *sw_find_kind_get(sw_find_kind kind);
/* SW_FIND_COUNT: there is none of this name. */
sw_find_kind sw_find_kind_named(sw_str name);
const sw_check_tool_info *sw_check_tool_get(sw_check_tool tool);

/* A line of a source. */
typedef struct {
    const char *file; /* "": not known */
    uint32_t line;
} sw_find_place;

/* Threads of one event; a checker fills it from sw_ev_where. */
typedef struct {
    uint32_t block[3];
    uint64_t block_index;
    uint32_t thread[3]; /* the first one's index in its block */
    uint32_t lanes;     /* mask of lanes in its warp */
} sw_find_threads;

/* More about a finding: a label and a text of one or more lines. */
typedef struct {
    const char *label; /* "allocation", "launched from", "values", ... */
    const char *text;
} sw_find_detail;

typedef struct {
    sw_find_kind kind;
    bool is_benign;      /* a race of two stores of the same value */
    const char *kernel;  /* as PTX names it; "": host code */
    sw_find_place at;    /* the access, call or barrier */
    sw_find_place other; /* the other access of a race; file "": none */
    const char *space;   /* "global", "shared", ...; "" */
    const char *message; /* a sentence without its period */
    const char *key;     /* what else tells two findings apart, or "" */
    uint64_t count;      /* how often it was met, in lanes or calls */
    uint64_t launch;     /* the first launch it was met in, from 1; 0: none */
    uint32_t blocks;     /* different blocks, at most SW_FIND_BLOCKS counted */
    uint32_t lanes;      /* mask of lanes of their warps in which it was met */
    bool has_threads;    /* first and the counts above are known */
    sw_find_threads first;
    uint32_t pid;
    sw_vec details; /* sw_find_detail */
} sw_finding;

enum { SW_FIND_BLOCKS = 4096 };

/* ---- a set of findings ---- */

typedef struct sw_findings sw_findings;

sw_findings *sw_findings_create(void); /* owned by caller */
void sw_findings_destroy(sw_findings *set);
size_t sw_findings_count(const sw_findings *set);
/* Valid until the set is destroyed. In the order in which they were met. */
const sw_finding *sw_findings_at(const sw_findings *set, size_t i);

/* What a checker says. Strings are copied; NULL is "". `fn` and `ins` give the
 * place, where `at` is empty; other_* likewise. */
typedef struct {
    sw_find_kind kind;
    bool is_benign;
    const char *kernel, *space, *message, *key;
    const sw_fn *fn, *other_fn;
    const sw_ins *ins, *other_ins;
    sw_find_place at, other;
    const sw_find_threads *threads; /* NULL: none */
    uint64_t launch;
    uint64_t count; /* 0: the number of lanes, or 1 */
} sw_find_report;

/*
 * Any thread. A finding with the same kind, kernel, places, space and key is
 * the same defect: it is counted, and NULL returned. Else the
 * new entry for sw_findings_detail; nobody else can add any until
 * sw_findings_end.
 */
sw_finding *sw_findings_begin(sw_findings *set, const sw_find_report *report);
void sw_findings_detail(sw_findings *set, sw_finding *finding,
                        const char *label, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void sw_findings_end(sw_findings *set);
/* From now on fn gets the text of each new finding when it is ended, as
 * sw_findings_write writes it but for counts that grow later. Under the set's
 * lock. */
void sw_findings_tell(sw_findings *set,
                      void (*fn)(void *arg, const sw_buf *text), void *arg);
/* Both, where there is nothing to add. */
void sw_findings_add(sw_findings *set, const sw_find_report *report);

/* Detail `detail` of finding `i` has this text now. The first frame of it that
 * is "FUNCTION (FILE:LINE)" is the finding's place, if it has none. */
void sw_findings_resolved(sw_findings *set, size_t i, size_t detail,
                          const char *text);

/* ---- as a file ---- */

/* What such a text begins with; texts of findings follow. */
extern const char sw_findings_head[];
/* The set as text that sw_findings_read takes. */
void sw_findings_write(const sw_findings *set, sw_buf *out);
/* Adds those of a text; the same defect of two processes is one. False if the
 * text is none: what could be read of it is there. */
bool sw_findings_read(sw_findings *set, sw_str text);

/* ---- places ---- */

/* The file belongs to a toolkit or the system: users want the line that calls
 * what is in it. */
bool sw_check_is_header(const char *file);

/* File and line of an instruction: of the CUDA source where the PTX says so,
 * else of the PTX. The file lives as long as the function's module. */
sw_find_place sw_find_place_of(const sw_fn *fn, const sw_ins *ins);
/* The same, but for code that has been inlined of a header, or merged of
 * several lines: the line of the user's own before it. */
sw_find_place sw_find_user_place_of(const sw_fn *fn, const sw_ins *ins);

#endif
