/* SPDX-License-Identifier: Apache-2.0 */
/* crowd.c - see crowd.h. */
#include "exec/crowd.h"

#include "exec/tune.h"

/* How much faster fewer workers have to be. */
static double
better(void)
{
    return (100 + sw_exec_tune.contention_gain) / 100.0;
}

static void
try_again(sw_crowd *crowd)
{
    crowd->is_settled = crowd->threads == 1;
    crowd->before = crowd->threads;
    crowd->rate = crowd->alone = 0;
    crowd->since = 0;
    atomic_store(&crowd->limit, crowd->threads);
}

void
sw_crowd_init(sw_crowd *crowd, sw_crowd_memory *memory, unsigned threads,
              uint64_t chunk, uint64_t now_ns)
{
    unsigned known = memory ? atomic_load(&memory->workers) : 0;
    *crowd = (sw_crowd){.memory = memory,
                        .threads = threads,
                        .chunk = chunk,
                        .is_busy = ATOMIC_FLAG_INIT};
    atomic_init(&crowd->done, 0);
    atomic_init(&crowd->limit, threads);
    try_again(crowd);
    if (known && now_ns < atomic_load(&memory->until_ns)) {
        atomic_store(&crowd->limit, known);
        crowd->is_settled = true;
    }
}

static void
settle(sw_crowd *crowd, uint64_t now_ns)
{
    sw_crowd_memory *m = crowd->memory;
    bool is_one = crowd->alone >= better() * crowd->rate;
    unsigned workers = is_one ? 1 : crowd->before;
    uint64_t lasts = 2 * atomic_load(&m->lasts_ns);
    uint64_t cost = sw_exec_tune.contention_hold_cost * (now_ns - crowd->began);
    if (lasts < sw_exec_tune.contention_hold_ns ||
        atomic_load(&m->workers) != workers)
        lasts = sw_exec_tune.contention_hold_ns;
    lasts = lasts < sw_exec_tune.contention_hold_most_ns
                ? lasts
                : sw_exec_tune.contention_hold_most_ns;
    atomic_store(&m->workers, workers);
    atomic_store(&m->lasts_ns, lasts);
    atomic_store(&m->until_ns, now_ns + (lasts > cost ? lasts : cost));
    atomic_store(&crowd->limit, workers);
    crowd->is_settled = true;
}

/* What the last window tells: first all workers, then one, then half of them as
 * long as that is faster. */
static void
decide(sw_crowd *crowd, double rate, uint64_t now_ns)
{
    unsigned limit = atomic_load(&crowd->limit);
    unsigned next = crowd->alone > 0 ? limit / 2 : 1;
    if (limit == 1) {
        crowd->alone = rate;
        next = crowd->before / 2;
    } else if (crowd->rate > 0 && rate < better() * crowd->rate) {
        next = 1;
    } else {
        crowd->before = limit;
        crowd->rate = rate;
    }
    crowd->since = 0;
    if (next <= 1 && crowd->alone > 0)
        settle(crowd, now_ns);
    else
        atomic_store(&crowd->limit, next);
}

/* Goes on with the window, with so many users. */
static void
look(sw_crowd *crowd, unsigned users, uint64_t now_ns)
{
    unsigned limit = atomic_load(&crowd->limit);
    uint64_t done = atomic_load(&crowd->done);
    if (crowd->is_settled) {
        if (now_ns >= atomic_load(&crowd->memory->until_ns))
            try_again(crowd);
    } else if (users != limit) {
        crowd->since = 0; /* some are still on their way */
    } else if (!crowd->since) {
        crowd->since = now_ns;
        if (crowd->rate == 0)
            crowd->began = now_ns;
        crowd->units = done;
    } else if (now_ns - crowd->since >= sw_exec_tune.contention_window_ns &&
               done - crowd->units >= sw_exec_tune.contention_window_chunks *
                                          crowd->chunk * limit) {
        double units = (double)(done - crowd->units);
        decide(crowd, units / (double)(now_ns - crowd->since), now_ns);
    }
}

bool
sw_crowd_look(sw_crowd *crowd, unsigned users, uint64_t units, uint64_t now_ns)
{
    atomic_fetch_add(&crowd->done, units);
    if (atomic_flag_test_and_set(&crowd->is_busy))
        return false;
    unsigned limit = atomic_load(&crowd->limit);
    look(crowd, users, now_ns);
    bool wants_more = atomic_load(&crowd->limit) > limit;
    atomic_flag_clear(&crowd->is_busy);
    return wants_more;
}
