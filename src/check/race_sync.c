/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race_sync.c - sync variables: a strong write publishes what its thread knows,
 * a strong read of it learns that (PTX ISA, Memory Consistency Model, release
 * and acquire patterns). See race.h.
 */
#include <pthread.h>

#include "check/race.h"

/* ---- the table, open addressing by address ---- */

static race_var *
slot_of(race_var *slots, uint32_t capacity, uint64_t addr)
{
    uint32_t i = (uint32_t)((addr >> 2) * 0x9e3779b97f4a7c15u >> 40);
    while (slots[i & (capacity - 1)].addr &&
           slots[i & (capacity - 1)].addr != addr)
        i++;
    return &slots[i & (capacity - 1)];
}

static race_var *
find_var(race_vars *v, uint64_t addr)
{
    race_var *at = v->capacity ? slot_of(v->slots, v->capacity, addr) : NULL;
    return at && at->addr ? at : NULL;
}

static race_var *
make_var(race_vars *v, uint64_t addr)
{
    race_var *at = find_var(v, addr);
    if (at)
        return at;
    if (2 * (v->count + 1) > v->capacity) {
        uint32_t capacity = v->capacity ? 2 * v->capacity : 16;
        race_var *slots = sw_alloc(capacity * sizeof *slots);
        for (uint32_t i = 0; i < v->capacity; i++)
            if (v->slots[i].addr)
                *slot_of(slots, capacity, v->slots[i].addr) = v->slots[i];
        sw_free(v->slots);
        v->slots = slots;
        v->capacity = capacity;
    }
    at = slot_of(v->slots, v->capacity, addr);
    at->addr = addr;
    v->count++;
    return at;
}

void
race_vars_finish(race_vars *vars)
{
    for (uint32_t i = 0; i < vars->capacity; i++) {
        sw_view_unref(vars->slots[i].near);
        sw_view_unref(vars->slots[i].far);
    }
    sw_free(vars->slots);
    *vars = (race_vars){0};
}

/* *to knows what `more` (given away) does too; alone where `only`. */
static void
add_view(sw_view **to, sw_view *more, bool only)
{
    sw_view *both = sw_view_join(only ? NULL : *to, more);
    sw_view_unref(more);
    sw_view_unref(*to);
    *to = both;
}

/* ---- loads, stores, atomics ---- */

static bool
acquires(sw_order order)
{
    return order == SW_ORDER_ACQUIRE || order == SW_ORDER_ACQ_REL ||
           order == SW_ORDER_SC;
}

static bool
releases(sw_order order)
{
    return order == SW_ORDER_RELEASE || order == SW_ORDER_ACQ_REL ||
           order == SW_ORDER_SC;
}

static bool
is_wide(sw_scope scope)
{
    return scope == SW_SCOPE_GPU || scope == SW_SCOPE_SYS ||
           scope == SW_SCOPE_CLUSTER;
}

static void
learn_from(race_block *b, uint32_t warp, uint32_t lane, const race_var *var,
           bool wide, bool is_acquire)
{
    /* What other blocks have published is there, too, where the block has only
     * gone on with it: a lock that one thread tries and another one gets. */
    if (var->block == b->index)
        sw_clocks_learn(b->clocks, warp, lane, var->near, is_acquire);
    if (wide)
        sw_clocks_learn(b->clocks, warp, lane, var->far, is_acquire);
}

void
race_sync_settle(race_block *b, uint32_t warp)
{
    race_wait *w = &b->waits[warp];
    race_launch *l = b->launch;
    if (!w->lanes)
        return;
    pthread_mutex_lock(&l->lock);
    for (; w->lanes; w->lanes &= w->lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(w->lanes);
        const race_var *var = find_var(&l->vars, w->addr[lane]);
        if (var)
            learn_from(b, warp, lane, var, w->is_wide, w->is_acquire);
    }
    pthread_mutex_unlock(&l->lock);
}

/* The variable is written: an atomic operation goes on with what was published
 * before it (a release sequence), a store ends that. */
static void
publish_to(race_block *b, const sw_ev_where *where, const sw_ev_mem *mem,
           uint32_t lane, race_vars *vars, uint64_t addr)
{
    bool is_release = releases(mem->order);
    sw_view *near =
        sw_clocks_publish(b->clocks, where->warp, lane, is_release, false);
    sw_view *far = NULL;
    if (is_wide(mem->scope))
        far = is_release ? sw_view_ref(near)
                         : sw_clocks_publish(b->clocks, where->warp, lane,
                                             false, true);
    race_var *var = find_var(vars, addr);
    if (!var && !near && !far)
        return;
    var = var ? var : make_var(vars, addr);
    bool only = !mem->is_atomic;
    add_view(&var->near, near, only || var->block != b->index);
    add_view(&var->far, far, only);
    var->block = b->index;
}

void
race_sync_lane(race_block *block, const sw_ev_where *where,
               const sw_ev_mem *mem, uint32_t lane)
{
    bool is_shared = mem->space == SW_SPACE_SHARED;
    race_launch *l = block->launch;
    race_vars *vars = is_shared ? &block->vars : &l->vars;
    uint64_t addr = mem->addr[lane] + is_shared; /* 0 is a free slot */
    if (!is_shared)
        pthread_mutex_lock(&l->lock);
    const race_var *var = mem->is_read ? find_var(vars, addr) : NULL;
    if (var)
        learn_from(block, where->warp, lane, var, is_wide(mem->scope),
                   acquires(mem->order));
    if (mem->is_read && !is_shared) {
        race_wait *w = &block->waits[where->warp];
        w->lanes |= 1u << lane;
        w->addr[lane] = addr;
        w->is_wide = is_wide(mem->scope);
        w->is_acquire = acquires(mem->order);
    }
    if (mem->is_write)
        publish_to(block, where, mem, lane, vars, addr);
    if (!is_shared)
        pthread_mutex_unlock(&l->lock);
}

/* ---- mbarriers ----
 *
 * Arrivals gather what they know in the variable at the mbarrier's address;
 * the one that completes a phase moves it to the variable behind, from which
 * those learn to whom a test says that the phase has ended. */

static void
mbar_lane(race_block *b, race_block *owner, const sw_ev_where *where,
          const sw_ev_mbar *m, uint32_t lane)
{
    race_vars *vars = &owner->vars;
    uint64_t addr = (m->addr[lane] << 1) + 1;
    if (m->op == SW_MBAR_OP_TEST) {
        const race_var *done = find_var(vars, addr + 1);
        if (done && m->completed >> lane & 1)
            sw_clocks_learn(b->clocks, where->warp, lane, done->near, true);
        return;
    }
    /* st.async and red.async: what the lane has done until then is there. */
    bool is_store =
        m->op == SW_MBAR_OP_COMPLETE && where->ins->op == SW_OP_MBAR_EXPECT_TX;
    if (m->op == SW_MBAR_OP_ARRIVE || m->op == SW_MBAR_OP_INIT || is_store) {
        race_var *now = make_var(vars, addr);
        add_view(&now->near,
                 sw_clocks_publish(b->clocks, where->warp, lane, true, false),
                 m->op == SW_MBAR_OP_INIT);
    }
    if (m->completed >> lane & 1) {
        sw_view *gathered = sw_view_ref(make_var(vars, addr)->near);
        add_view(&gathered, race_bulk_phase(owner, m->addr[lane]), false);
        add_view(&make_var(vars, addr + 1)->near, gathered, true);
        race_var *now = make_var(vars, addr);
        sw_view_unref(now->near);
        now->near = NULL;
    }
}

/* ---- clusters ----
 *
 * A generation of a cluster's barrier is a variable, which no address has. */

static uint64_t
cluster_variable(const race_block *b, const sw_ev_where *where,
                 uint32_t generation)
{
    const sw_watch_launch *w = b->launch->launch;
    uint64_t number = 0;
    for (int k = 2; k >= 0; k--) {
        uint32_t size = w->cluster[k] ? w->cluster[k] : 1;
        number = number * (w->grid[k] / size + 1) + where->block[k] / size;
    }
    return (uint64_t)1 << 63 | number << 20 | (generation & 0xfffff);
}

void
race_sync_cluster(race_block *b, const sw_ev_where *where,
                  const sw_ev_barrier *e)
{
    race_launch *l = b->launch;
    uint32_t generation = e->is_arrival ? e->generation : e->generation - 1;
    pthread_mutex_lock(&l->lock);
    race_var *var = make_var(&l->vars, cluster_variable(b, where, generation));
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (e->is_arrival)
            add_view(
                &var->far,
                sw_clocks_publish(b->clocks, where->warp, lane, true, true),
                false);
        else
            sw_clocks_learn(b->clocks, where->warp, lane, var->far, true);
    }
    pthread_mutex_unlock(&l->lock);
}

void
race_sync_mbar(race_block *block, const sw_ev_where *where,
               const sw_ev_mbar *mbar)
{
    race_block *owner = mbar->owner == block->index
                            ? block
                            : race_find_block(block->launch, mbar->owner);
    for (uint32_t left = where->mask; left && owner; left &= left - 1)
        mbar_lane(block, owner, where, mbar, (uint32_t)__builtin_ctz(left));
}
