/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contention.h - adapts the number of workers of a grid to contention: its
 * blocks change the same memory by atomic operations. A line of the cache that
 * moves from core to core with each operation takes longer than all operations
 * of one core, and a core that runs alone may need no atomic ones (biased.h).
 * Which is faster depends on the data, so it is measured: with all workers,
 * with one, then with half of them as long as fewer are faster. The result
 * holds for a while, also for the next grids of the program: the longer, the
 * more often it has been found again, and the longer the measurement took.
 */
#ifndef SW_CONTENTION_H
#define SW_CONTENTION_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a program: what its grids have learned. Zero: nothing. */
typedef struct {
    atomic_uint workers;           /* that it is good for; 0: not known */
    atomic_uint_fast64_t until_ns; /* it is tried again then, ... */
    atomic_uint_fast64_t lasts_ns; /* ... having held for so long */
} sw_contention_memory;

/* Of a grid. */
typedef struct {
    sw_contention_memory *memory;
    unsigned threads;
    uint64_t chunk;
    atomic_uint limit;         /* workers that shall be inside, at most */
    atomic_uint_fast64_t done; /* units */
    atomic_flag is_busy;       /* somebody looks at what follows */
    atomic_bool is_settled;
    unsigned before; /* the fastest limit above one, as far as tried */
    /* Units a nanosecond then, and with one worker; 0: not measured yet. */
    double rate, rate_of_one;
    uint64_t began;        /* when the first was tried */
    uint64_t since, units; /* when this limit was reached, 0: not yet; how
                              many units were done then */
} sw_contention;

/* For a grid on `threads` workers, each of which takes `chunk` units at a time;
 * memory NULL: they do not get in each other's way. */
void sw_contention_init(sw_contention *contention, sw_contention_memory *memory,
                        unsigned threads, uint64_t chunk, uint64_t now_ns);

/* There is no room for one more, if so many are inside. */
static inline bool
sw_contention_is_full(const sw_contention *contention, unsigned users)
{
    return users >=
           atomic_load_explicit(&contention->limit, memory_order_relaxed);
}

/* It is being tried how many workers it is good for. */
static inline bool
sw_contention_is_trying(const sw_contention *contention)
{
    return !atomic_load_explicit(&contention->is_settled, memory_order_relaxed);
}

/* Of a worker inside, `users` with itself, that has done so many units: looks
 * at how it goes. True: more workers are wanted. */
bool sw_contention_look(sw_contention *contention, unsigned users,
                        uint64_t units, uint64_t now_ns);

#endif
