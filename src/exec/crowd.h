/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd.h - how many workers a grid is good for whose blocks change the same
 * memory by atomic operations: a line of the cache that goes from core to core
 * with each of them takes longer than all operations of one core, and one that
 * is alone may need none (alone.h). How it is depends on the data, so it is
 * tried: with all workers, with one, then with half of them as long as that is
 * faster. What was found holds for a while, also for the next grids of the
 * program, the longer the more often it has been found again, and the longer it
 * took to find.
 */
#ifndef SW_CROWD_H
#define SW_CROWD_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Of a program: what its grids have learned. Zero: nothing. */
typedef struct {
    atomic_uint workers;           /* that it is good for; 0: not known */
    atomic_uint_fast64_t until_ns; /* it is tried again then, ... */
    atomic_uint_fast64_t lasts_ns; /* ... having held for so long */
} sw_crowd_memory;

/* Of a grid. */
typedef struct {
    sw_crowd_memory *memory;
    unsigned threads;
    uint64_t chunk;
    atomic_uint limit;         /* workers that shall be inside, at most */
    atomic_uint_fast64_t done; /* units */
    atomic_flag is_busy;       /* somebody looks at what follows */
    atomic_bool is_settled;
    unsigned before;       /* the fastest limit above one, as far as tried */
    double rate, alone;    /* units a nanosecond then, and with one; 0: that is
                              yet to be tried */
    uint64_t began;        /* when the first was tried */
    uint64_t since, units; /* when this limit was reached, 0: not yet; how
                              many units were done then */
} sw_crowd;

/* For a grid on `threads` workers, each of which takes `chunk` units at a time;
 * memory NULL: they do not get in each other's way. */
void sw_crowd_init(sw_crowd *crowd, sw_crowd_memory *memory, unsigned threads,
                   uint64_t chunk, uint64_t now_ns);

/* There is no room for one more, if so many are inside. */
static inline bool
sw_crowd_is_full(const sw_crowd *crowd, unsigned users)
{
    return users >= atomic_load_explicit(&crowd->limit, memory_order_relaxed);
}

/* It is being tried how many workers it is good for. */
static inline bool
sw_crowd_is_trying(const sw_crowd *crowd)
{
    return !atomic_load_explicit(&crowd->is_settled, memory_order_relaxed);
}

/* Of a worker inside, `users` with itself, that has done so many units: looks
 * at how it goes. True: more workers are wanted. */
bool sw_crowd_look(sw_crowd *crowd, unsigned users, uint64_t units,
                   uint64_t now_ns);

#endif
