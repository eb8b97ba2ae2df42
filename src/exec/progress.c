/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c - see progress.h. */
#include "exec/progress.h"

#include <sched.h>
#include <stdatomic.h>

#include "exec/engine.h"
#include "exec/tune.h"

enum { OTHERS = SW_PROGRESS_THREADS + 1, SLOTS };

struct sw_progress {
    _Alignas(SW_CACHE_LINE) atomic_uint_fast64_t last_ns;
    atomic_uint steps; /* how often it surely did */
    atomic_uint moves;
    atomic_uint taken; /* blocks in hand, or more */
};

static sw_progress slots[SLOTS];
static atomic_uint slots_used; /* from the first one on, without OTHERS */
static _Thread_local sw_progress *own;

static atomic_uint aside;
/* Upper half: how often something had moved on when a block was last seen to
 * wait; lower: how many only waited since. */
static atomic_uint_fast64_t idle;

sw_progress *
sw_progress_enter(unsigned slot)
{
    sw_progress *was = own;
    unsigned used = atomic_load(&slots_used);
    while (used <= slot &&
           !atomic_compare_exchange_weak(&slots_used, &used, slot + 1))
        ;
    own = &slots[slot];
    return was;
}

void
sw_progress_leave(sw_progress *was)
{
    own = was;
}

static sw_progress *
mine_or_others(void)
{
    return own ? own : &slots[OTHERS];
}

static void
note_turn(void)
{
    sw_progress *mine = mine_or_others();
    atomic_store_explicit(&mine->last_ns, sw_time_ns(), memory_order_relaxed);
    atomic_fetch_add(&mine->moves, 1);
}

void
sw_progress_note(void)
{
    atomic_fetch_add_explicit(&mine_or_others()->steps, 1,
                              memory_order_relaxed);
    note_turn();
}

void
sw_progress_take(int count)
{
    atomic_fetch_add(&own->taken, (unsigned)count);
}

void
sw_progress_put_aside(int count)
{
    atomic_fetch_add(&aside, (unsigned)count);
}

typedef struct {
    uint32_t moves, steps, taken;
    uint64_t last_ns;
} sums;

static void
add(sums *all, const sw_progress *p)
{
    uint64_t ns = atomic_load_explicit(&p->last_ns, memory_order_relaxed);
    all->moves += atomic_load(&p->moves);
    all->steps += atomic_load_explicit(&p->steps, memory_order_relaxed);
    all->taken += atomic_load(&p->taken);
    all->last_ns = ns > all->last_ns ? ns : all->last_ns;
}

static sums
add_up(void)
{
    sums all = {0};
    unsigned used = atomic_load(&slots_used);
    for (unsigned i = 0; i < used; i++)
        add(&all, &slots[i]);
    add(&all, &slots[OTHERS]);
    return all;
}

uint64_t
sw_progress_last_ns(void)
{
    return add_up().last_ns;
}

uint32_t
sw_progress_moves(void)
{
    return add_up().moves;
}

static bool
do_all_wait(const sums *all)
{
    uint64_t now = atomic_load(&idle);
    return now >> 32 == all->moves &&
           (uint32_t)now >= atomic_load(&aside) + all->taken;
}

bool
sw_progress_wait(uint32_t *seen, uint32_t moves)
{
    sums all = add_up();
    uint64_t was = atomic_load(&idle), now;
    if (*seen != moves && all.moves == moves) {
        do
            now = was >> 32 == moves ? was + 1 : (uint64_t)moves << 32 | 1;
        while (!atomic_compare_exchange_weak(&idle, &was, now));
        *seen = moves;
    }
    return do_all_wait(&all);
}

/* For so long nothing has surely moved on, as far as this thread has looked. */
static uint64_t
still_ns(void)
{
    static _Thread_local uint32_t seen;
    static _Thread_local uint64_t since_ns;
    uint32_t steps = add_up().steps;
    uint64_t now = sw_time_ns();
    if (steps != seen || !since_ns)
        since_ns = now;
    seen = steps;
    return now - since_ns;
}

bool
sw_engine_is_still(void)
{
    return still_ns() > sw_exec_tune.progress_still_ns;
}

void
sw_progress_turn(bool has_moved)
{
    if (has_moved) {
        sw_progress_note();
        return;
    }
    note_turn();
    if (still_ns() > sw_exec_tune.progress_yield_ns)
        sched_yield();
}

bool
sw_engine_all_wait(void)
{
    sums all = add_up();
    return do_all_wait(&all) &&
           sw_time_ns() - all.last_ns > sw_exec_tune.progress_idle_ns;
}
