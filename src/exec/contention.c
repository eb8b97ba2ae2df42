/* SPDX-License-Identifier: Apache-2.0 */
/* contention.c - see contention.h. */
#include "exec/contention.h"

#include "exec/tune.h"

/* How much faster fewer workers have to be. */
static double
better(void)
{
    return (100 + sw_exec_tune.contention_gain) / 100.0;
}

static void
try_again(sw_contention *contention)
{
    contention->is_settled = contention->threads == 1;
    contention->before = contention->threads;
    contention->rate = contention->rate_of_one = 0;
    contention->since = 0;
    atomic_store(&contention->limit, contention->threads);
}

void
sw_contention_init(sw_contention *contention, sw_contention_memory *memory,
                   unsigned threads, uint64_t chunk, uint64_t now_ns)
{
    unsigned known = memory ? atomic_load(&memory->workers) : 0;
    *contention = (sw_contention){.memory = memory,
                                  .threads = threads,
                                  .chunk = chunk,
                                  .is_busy = ATOMIC_FLAG_INIT};
    atomic_init(&contention->done, 0);
    atomic_init(&contention->limit, threads);
    try_again(contention);
    if (known && now_ns < atomic_load(&memory->until_ns)) {
        atomic_store(&contention->limit, known);
        contention->is_settled = true;
    }
}

static void
settle(sw_contention *contention, uint64_t now_ns)
{
    sw_contention_memory *m = contention->memory;
    bool is_one = contention->rate_of_one >= better() * contention->rate;
    unsigned workers = is_one ? 1 : contention->before;
    uint64_t lasts = 2 * atomic_load(&m->lasts_ns);
    uint64_t cost =
        sw_exec_tune.contention_hold_cost * (now_ns - contention->began);
    if (lasts < sw_exec_tune.contention_hold_ns ||
        atomic_load(&m->workers) != workers)
        lasts = sw_exec_tune.contention_hold_ns;
    lasts = lasts < sw_exec_tune.contention_hold_most_ns
                ? lasts
                : sw_exec_tune.contention_hold_most_ns;
    atomic_store(&m->workers, workers);
    atomic_store(&m->lasts_ns, lasts);
    atomic_store(&m->until_ns, now_ns + (lasts > cost ? lasts : cost));
    atomic_store(&contention->limit, workers);
    contention->is_settled = true;
}

/* What the last window tells: first all workers, then one, then half of them as
 * long as that is faster. */
static void
decide(sw_contention *contention, double rate, uint64_t now_ns)
{
    unsigned limit = atomic_load(&contention->limit);
    unsigned next = contention->rate_of_one > 0 ? limit / 2 : 1;
    if (limit == 1) {
        contention->rate_of_one = rate;
        next = contention->before / 2;
    } else if (contention->rate > 0 && rate < better() * contention->rate) {
        next = 1;
    } else {
        contention->before = limit;
        contention->rate = rate;
    }
    contention->since = 0;
    if (next <= 1 && contention->rate_of_one > 0)
        settle(contention, now_ns);
    else
        atomic_store(&contention->limit, next);
}

/* Goes on with the window, with so many users. */
static void
look(sw_contention *contention, unsigned users, uint64_t now_ns)
{
    unsigned limit = atomic_load(&contention->limit);
    uint64_t done = atomic_load(&contention->done);
    if (contention->is_settled) {
        if (now_ns >= atomic_load(&contention->memory->until_ns))
            try_again(contention);
    } else if (users != limit) {
        contention->since = 0; /* some are still on their way */
    } else if (!contention->since) {
        contention->since = now_ns;
        if (contention->rate == 0)
            contention->began = now_ns;
        contention->units = done;
    } else if (now_ns - contention->since >=
                   sw_exec_tune.contention_window_ns &&
               done - contention->units >=
                   sw_exec_tune.contention_window_chunks * contention->chunk *
                       limit) {
        double units = (double)(done - contention->units);
        decide(contention, units / (double)(now_ns - contention->since),
               now_ns);
    }
}

bool
sw_contention_look(sw_contention *contention, unsigned users, uint64_t units,
                   uint64_t now_ns)
{
    atomic_fetch_add(&contention->done, units);
    if (atomic_flag_test_and_set(&contention->is_busy))
        return false;
    unsigned limit = atomic_load(&contention->limit);
    look(contention, users, now_ns);
    bool wants_more = atomic_load(&contention->limit) > limit;
    atomic_flag_clear(&contention->is_busy);
    return wants_more;
}
