/* SPDX-License-Identifier: Apache-2.0 */
/* same_counts.h - for tests: whether two launches of one kernel were counted
 * alike, by one engine and by another. */
#ifndef SAME_COUNTS_H
#define SAME_COUNTS_H
#include <stdio.h>
#include <string.h>

#include "watch/counters.h"

/* Which number differs; both are structs of them. */
static inline size_t
first_other_count(const void *a, const void *b, size_t bytes)
{
    size_t i = 0;
    while (i < bytes / 8 &&
           ((const uint64_t *)a)[i] == ((const uint64_t *)b)[i])
        i++;
    return i;
}

/* Totals, and each instruction's. Prints what differs if told. */
static inline bool
are_same_counts(const sw_counters *a, const sw_counters *b, bool prints)
{
    size_t na, nb;
    const sw_count_row *ra = sw_counters_rows(a, &na);
    const sw_count_row *rb = sw_counters_rows(b, &nb);
    bool same = na == nb && memcmp(sw_counters_total(a), sw_counters_total(b),
                                   sizeof(sw_counts)) == 0;
    if (na != nb && prints)
        printf("%zu instructions, not %zu\n", nb, na);
    for (size_t i = 0; i < na && i < nb; i++) {
        if (ra[i].index == rb[i].index &&
            memcmp(&ra[i].n, &rb[i].n, sizeof ra[i].n) == 0)
            continue;
        same = false;
        if (!prints)
            break;
        size_t k = first_other_count(&ra[i].n, &rb[i].n, sizeof ra[i].n);
        printf("instruction %u (line %u): count %zu is %llu, not %llu\n",
               ra[i].index, ra[i].ins->line, k,
               (unsigned long long)((const uint64_t *)&rb[i].n)[k % 200],
               (unsigned long long)((const uint64_t *)&ra[i].n)[k % 200]);
    }
    return same;
}

#endif
