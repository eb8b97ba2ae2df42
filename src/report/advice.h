/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice.h - what to change first: findings from counters and from the order of
 * copies and launches, each with its place, its numbers and the rule of the
 * vendor's guides behind it.
 *
 * A finding says what counters show, never how much time it costs: there is no
 * time of a device here. Thresholds are ours, chosen so that kernels which the
 * guides call good have no finding. One thread.
 */
#ifndef SW_REPORT_ADVICE_H
#define SW_REPORT_ADVICE_H
#include "report/profile.h"

typedef enum {
    SW_ADVICE_UNCOALESCED,
    SW_ADVICE_CONFLICTS,
    SW_ADVICE_DIVERGENCE,
    SW_ADVICE_OCCUPANCY,
    SW_ADVICE_BLOCK_SIZE,
    SW_ADVICE_FEW_BLOCKS,
    SW_ADVICE_CAMPING,
    SW_ADVICE_SMALL_COPIES,
    SW_ADVICE_BLOCKING_COPIES,
    SW_ADVICE_KINDS
} sw_advice_kind;

typedef struct {
    sw_advice_kind kind;
    double weight;  /* 0 to 1: the share of work that is wasted; for order */
    uint32_t group; /* of launches; UINT32_MAX: of the program */
    uint32_t process;
    const char *file; /* "" if unknown */
    uint32_t line, ptx_line;
    const char *text; /* sentences */
    const char *rule; /* where the guides say so */
} sw_advice;

enum { SW_ADVICE_A_LAUNCH = 3 }; /* at most so many for each group */

/* One word for a kind: "coalescing". */
const char *sw_advice_word(sw_advice_kind kind);

/* All findings, of sw_advice, those of the program first, then by group, in
 * order of weight; texts live as long as the profile. `out` is empty. */
void sw_report_find_advice(const sw_profile *profile, sw_vec *out);
/* As text; says so if there is none. counted: launches were counted. */
void sw_report_advice(const sw_profile *profile, bool counted, sw_buf *out);

/* For advice.c: advice_host.c. */
void sw_advice_of_program(const sw_profile *profile, sw_vec *out);

#endif
