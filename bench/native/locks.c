/* SPDX-License-Identifier: Apache-2.0 */
/* locks.c - a hash table of lists with locks, in OpenMP C. */
#include "../problems/locks.h"

static void
run(void)
{
    locks l = locks_create();
    int *head = bench_alloc(l.lists, sizeof *head);
    int *next = bench_alloc(l.n, sizeof *next);
    char *lock = bench_alloc(l.lists, sizeof *lock);
    memset(lock, 0, l.lists);
    bench b = bench_start("locks_insert", 0, 0);
    while (bench_next(&b)) {
        memset(head, 0xff, l.lists * sizeof *head);
#pragma omp parallel for
        for (size_t i = 0; i < l.n; i++) {
            size_t list = l.key[i] % l.lists;
            while (__atomic_test_and_set(&lock[list], __ATOMIC_ACQUIRE))
                ;
            next[i] = head[list];
            head[list] = (int)i;
            __atomic_clear(&lock[list], __ATOMIC_RELEASE);
        }
    }
    bench_end(&b, locks_check(&l, head, next));
}

BENCH_MAIN({"locks_insert", run})
