/* SPDX-License-Identifier: Apache-2.0 */
/* locks.h - elements put into the lists of a hash table, each of which has a
 * lock. */
#ifndef BENCH_LOCKS_H
#define BENCH_LOCKS_H
#include "../bench.h"

enum { LOCKS_BLOCK = 128, LOCKS_A_LIST = 2 };

typedef struct locks {
    size_t n, lists;
    uint32_t *key;
} locks;

static inline locks
locks_create(void)
{
    locks l = {bench_size(1 << 20, 1 << 12), 0, NULL};
    l.lists = l.n / LOCKS_A_LIST;
    l.key = (uint32_t *)bench_alloc(l.n, sizeof *l.key);
    for (size_t i = 0; i < l.n; i++)
        l.key[i] = bench_hash((uint32_t)i);
    return l;
}

/* Each element stands in the list of its key, once. */
static inline bool
locks_check(const locks *l, const int *head, const int *next)
{
    size_t count = 0, wrong = 0;
    for (size_t k = 0; k < l->lists; k++)
        for (int i = head[k]; i >= 0 && count <= l->n; i = next[i]) {
            wrong += l->key[i] % l->lists != k;
            count++;
        }
    if (wrong || count != l->n)
        fprintf(stderr, "bench: %zu elements in lists, %zu in wrong ones\n",
                count, wrong);
    return wrong == 0 && count == l->n;
}
#endif
