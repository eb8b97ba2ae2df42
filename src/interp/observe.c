/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - what the interpreter tells the observer of a launch (see
 * exec/event.h). Nothing here is called for a launch that nobody observes.
 */
#include <string.h>

#include "interp/interp.h"
#include "interp/observe.h"
#include "sem/lanes.h"

enum { LANES = SW_WARP_LANES, VALUE_BYTES = 64 };

/* The observer, if it wants these events. */
static const sw_observer *
who_wants(const sw_blk *blk, uint32_t events)
{
    return blk->observer && (blk->program->events & events) ? blk->observer
                                                            : NULL;
}

/* The space a flat address lies in, the offset there, and whose it is. */
static sw_space
resolve_space(const sw_run *run, unsigned lane, uint64_t addr, uint64_t *offset,
              uint64_t *owner)
{
    const sw_blk *blk = run->warp->blk;
    uint64_t shared = (uint64_t)(uintptr_t)blk->shared;
    uint64_t local = (uint64_t)(uintptr_t)run->warp->local +
                     (uint64_t)lane * blk->local_stride;
    *owner = blk->index;
    if (addr - shared < blk->shared_bytes) {
        *offset = addr - shared;
        return SW_SPACE_SHARED;
    }
    if (addr - local < blk->local_stride) {
        *offset = addr - local;
        return SW_SPACE_LOCAL;
    }
    const sw_blk *other =
        blk->cluster ? sw_engine_shared_owner(blk, addr) : NULL;
    if (other) {
        *offset = addr - (uint64_t)(uintptr_t)other->shared;
        *owner = other->index;
        return SW_SPACE_SHARED;
    }
    *offset = addr;
    return SW_SPACE_GLOBAL;
}

/* What an operand of the instruction holds; for sw_ev_where.value. */
static uint64_t
value_of(const void *engine, unsigned operand, unsigned lane)
{
    const sw_run *run = engine;
    const sw_code *code = run->code;
    const sw_dins *d = &code->ins[run->where.index - code->first];
    sw_class cls = sw_ins_class(code->fn, d->ins, operand);
    if (operand >= (unsigned)d->ndst + d->nsrc || cls == SW_CLASS_B128)
        return 0;
    return sw_interp_get(&run->x, sw_dins_orefs(d)[operand], cls, lane);
}

void
sw_interp_observe_warp(sw_run *run)
{
    const sw_blk *blk = run->warp->blk;
    run->observe = blk->observer && blk->program->events;
    if (!run->observe)
        return;
    run->where.block_index = blk->index;
    run->where.warp = run->warp->index;
    run->where.state = blk->observer_state;
    memcpy(run->where.block, blk->ctaid, sizeof run->where.block);
    run->where.engine = run;
    uint32_t both = SW_EV_INS | SW_EV_VALUES;
    bool has_operands = (blk->program->events & both) == both;
    run->where.value = has_operands ? value_of : NULL;
}

void
sw_interp_observe_at(sw_run *run, uint32_t pc, uint32_t mask)
{
    const sw_code *code = run->code;
    sw_interp_observe_warp(run);
    run->where.fn = code->fn;
    run->where.ins = code->ins[pc].ins;
    run->where.index = code->first + pc;
    run->where.mask = run->where.active = mask;
}

/* ---- memory ---- */

/* PTX ISA: an atomic without .sem is .relaxed, without .scope .gpu; "volatile
 * operations are treated as relaxed, with system scope". */
sw_ev_mem
sw_interp_describe(const sw_ins *ins, sw_space space, uint32_t bytes)
{
    int effects = sw_op_get_info((sw_op)ins->op)->effects;
    bool is_atomic = effects == SW_FX_ATOMIC;
    sw_order order = (sw_order)ins->order;
    sw_scope scope = (sw_scope)ins->scope;
    if (is_atomic && order == SW_ORDER_WEAK)
        order = SW_ORDER_RELAXED;
    if (order == SW_ORDER_WEAK)
        scope = SW_SCOPE_NONE;
    else if (order == SW_ORDER_VOLATILE || order == SW_ORDER_MMIO)
        scope = SW_SCOPE_SYS;
    else if (scope == SW_SCOPE_NONE)
        scope = SW_SCOPE_GPU;
    return (sw_ev_mem){.space = space,
                       .bytes = bytes,
                       .is_read = effects != SW_FX_WRITE,
                       .is_write = effects != SW_FX_READ,
                       .is_atomic = is_atomic,
                       .order = order,
                       .scope = scope,
                       .op = is_atomic ? (sw_atom)ins->sub : (sw_atom)0,
                       .type = (sw_type)ins->type};
}

static void
tell_mem(sw_run *run, uint32_t mask, const sw_ev_mem *mem)
{
    const sw_observer *ob = run->warp->blk->observer;
    run->where.mask = run->where.active = mask;
    ob->mem(ob->arg, &run->where, mem);
}

void
sw_interp_observe_in(sw_run *run, const sw_ins *ins, uint32_t mask,
                     sw_space space, const uint64_t addr[LANES], uint32_t bytes)
{
    sw_ev_mem mem = sw_interp_describe(ins, space, bytes);
    mem.addr = addr;
    mem.owner = run->warp->blk->index;
    tell_mem(run, mask, &mem);
}

/* What memory holds, and what it will: addresses are flat. */
typedef struct {
    uint8_t before[LANES * VALUE_BYTES], after[LANES * VALUE_BYTES];
    bool has_after;
} values;

static void
find_values(sw_run *run, const sw_dins *d, uint32_t mask,
            const uint64_t addr[LANES], uint32_t bytes, values *v)
{
    const sw_ins *ins = d->ins;
    bool stores = ins->op == SW_OP_ST;
    bool adds = ins->op == SW_OP_ATOM || ins->op == SW_OP_RED;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        memcpy(v->before + i * bytes, (const void *)(uintptr_t)addr[i], bytes);
        for (unsigned k = 0; stores && k < ins->vec; k++) {
            sw_oref o = sw_dins_orefs(d)[1 + k];
            uint8_t *to = v->after + i * bytes + k * d->mem_bytes;
            if (d->mem_bytes == 16) {
                memcpy(to, (uint8_t *)sw_lane_ptr(&run->x, o) + i * 16, 16);
                continue;
            }
            uint64_t x = sw_interp_get(&run->x, o, (sw_class)d->val_class, i);
            memcpy(to, &x, d->mem_bytes);
        }
    }
    if (adds)
        sw_interp_atom_after(run, d, mask, addr, v->before, v->after);
    v->has_after = stores || adds;
}

/* One event a space and block: a generic access may reach several. */
static void
tell_by_space(sw_run *run, uint32_t mask, const uint64_t addr[LANES],
              sw_ev_mem *mem)
{
    for (uint32_t left = mask; left;) {
        uint64_t offsets[LANES] = {0};
        unsigned first = (unsigned)__builtin_ctz(left);
        uint64_t at, owner, to;
        sw_space space = resolve_space(run, first, addr[first], &at, &owner);
        uint32_t same = 0;
        for (uint32_t m = left; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            if (resolve_space(run, i, addr[i], &at, &to) == space &&
                to == owner) {
                offsets[i] = at;
                same |= 1u << i;
            }
        }
        mem->space = space;
        mem->owner = owner;
        mem->addr = offsets;
        tell_mem(run, same, mem);
        left &= ~same;
    }
}

void
sw_interp_observe_values(sw_run *run, const sw_dins *d, uint32_t mask,
                         const uint64_t addr[LANES], uint32_t bytes,
                         const uint8_t *before, const uint8_t *after)
{
    const sw_blk *blk = run->warp->blk;
    sw_space space = (sw_space)d->ins->space;
    const sw_observer *ob = who_wants(blk, SW_EV_MEM);
    if (!ob || !ob->mem || space == SW_SPACE_PARAM || !mask)
        return;
    sw_ev_mem mem = sw_interp_describe(d->ins, space, bytes);
    mem.addr = addr;
    mem.owner = blk->index;
    mem.before = before;
    mem.after = after;
    if (space == SW_SPACE_GLOBAL || space == SW_SPACE_CONST) {
        tell_mem(run, mask, &mem);
    } else if (space == SW_SPACE_SHARED) {
        uint64_t offsets[LANES];
        for (int i = 0; i < LANES; i++)
            offsets[i] = addr[i] - (uint64_t)(uintptr_t)blk->shared;
        mem.addr = offsets;
        tell_mem(run, mask, &mem);
    } else {
        tell_by_space(run, mask, addr, &mem);
    }
}

void
sw_interp_observe(sw_run *run, const sw_dins *d, uint32_t mask,
                  const uint64_t addr[LANES], uint32_t bytes)
{
    const sw_blk *blk = run->warp->blk;
    values v;
    v.has_after = false;
    bool wants = (blk->program->events & SW_EV_MEM) && blk->observer->mem &&
                 (blk->program->events & SW_EV_VALUES) && bytes <= VALUE_BYTES;
    if (wants && mask && d->ins->space != SW_SPACE_PARAM)
        find_values(run, d, mask, addr, bytes, &v);
    else
        wants = false;
    sw_interp_observe_values(run, d, mask, addr, bytes, wants ? v.before : NULL,
                             v.has_after ? v.after : NULL);
}

void
sw_interp_observe_as(sw_run *run, uint32_t mask, sw_space space, bool is_write,
                     const uint64_t addr[LANES], uint32_t bytes)
{
    const sw_blk *blk = run->warp->blk;
    const sw_observer *ob = who_wants(blk, SW_EV_MEM);
    if (!ob || !ob->mem)
        return;
    sw_ev_mem mem = sw_interp_describe(run->where.ins, space, bytes);
    mem.addr = addr;
    mem.is_read = !is_write;
    mem.is_write = is_write;
    mem.is_async = true;
    mem.is_atomic = false;
    mem.order = SW_ORDER_WEAK;
    mem.scope = SW_SCOPE_NONE;
    mem.owner = blk->index;
    tell_mem(run, mask, &mem);
}

/* ---- barriers ---- */

static void
tell_barrier(const sw_run *run, const sw_ev_barrier *b)
{
    const sw_observer *ob = who_wants(run->warp->blk, SW_EV_BARRIER);
    if (ob && ob->barrier)
        ob->barrier(ob->arg, &run->where, b);
}

void
sw_interp_observe_arrival(sw_run *run, const sw_ins *ins, uint32_t barrier,
                          uint32_t expected)
{
    const sw_blk *blk = run->warp->blk;
    if (barrier >= SW_BARRIERS) /* a fault */
        return;
    sw_ev_barrier b = {.barrier = barrier,
                       .is_arrival = true,
                       .waits = ins->sub != SW_BAR_ARRIVE,
                       .is_aligned = ins->flags & SW_F_ALIGNED,
                       .expected = expected,
                       .live = blk->live_threads,
                       .generation = blk->bars[barrier].generation};
    tell_barrier(run, &b);
}

void
sw_interp_observe_release(sw_run *run, const sw_code *code, uint32_t pc,
                          uint32_t mask, uint32_t barrier, uint32_t generation)
{
    const sw_ins *ins = code->ins[pc].ins;
    run->where.fn = code->fn;
    run->where.ins = ins;
    run->where.index = code->first + pc;
    run->where.mask = run->where.active = mask;
    sw_ev_barrier b = {.barrier = barrier,
                       .is_aligned = ins->flags & SW_F_ALIGNED,
                       .live = run->warp->blk->live_threads,
                       .generation = generation};
    if (ins->op == SW_OP_BAR_CLUSTER) {
        b.is_cluster = true;
        b.live = run->warp->blk->cluster->live;
    }
    tell_barrier(run, &b);
}

static void
observe_bar(sw_run *run, const sw_dins *d, unsigned lane)
{
    const sw_oref *o = sw_dins_orefs(d) + d->ndst;
    bool is_red = d->ins->sub >= SW_BAR_RED_POPC;
    unsigned numbers = d->ins->nsrc - (is_red ? 1u : 0u);
    uint32_t id = (uint32_t)sw_interp_get(&run->x, o[0], SW_CLASS_B32, lane);
    uint32_t expected =
        numbers > 1 ? (uint32_t)sw_interp_get(&run->x, o[1], SW_CLASS_B32, lane)
                    : 0;
    sw_interp_observe_arrival(run, d->ins, id, expected);
}

static void
observe_cluster_arrival(sw_run *run, const sw_dins *d)
{
    const sw_cluster *cluster = run->warp->blk->cluster;
    if (d->ins->sub != SW_BAR_CLUSTER_ARRIVE)
        return;
    sw_ev_barrier b = {.is_arrival = true,
                       .is_cluster = true,
                       .is_aligned = d->ins->flags & SW_F_ALIGNED,
                       .live = cluster->live,
                       .generation = cluster->generation};
    tell_barrier(run, &b);
}

/* ---- operations of a warp ---- */

static void
observe_lanes(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_observer *ob = who_wants(run->warp->blk, SW_EV_WARP);
    if (!ob || !ob->warp)
        return;
    const sw_oref *o = sw_dins_orefs(d) + d->ndst;
    unsigned k = sw_interp_members_source(d->ins);
    uint32_t members[LANES] = {0}, ids[LANES], b[LANES] = {0}, c[LANES] = {0};
    uint32_t from[LANES];
    uint8_t source[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        ids[i] = i;
        if (!(mask >> i & 1))
            continue;
        members[i] = k < d->nsrc ? (uint32_t)sw_interp_get(&run->x, o[k],
                                                           SW_CLASS_B32, i)
                                 : mask;
        if (d->ins->op == SW_OP_SHFL) {
            b[i] = (uint32_t)sw_interp_get(&run->x, o[1], SW_CLASS_B32, i);
            c[i] = (uint32_t)sw_interp_get(&run->x, o[2], SW_CLASS_B32, i);
        }
    }
    sw_ev_warp w = {.ended = run->warp->ended, .members = members};
    if (d->ins->op == SW_OP_SHFL) {
        /* Of all lanes, those that are not here too: who reads of one shall
         * be told. */
        (void)sw_sem_shfl(d->ins->sub, ids, b, c, UINT32_MAX, from);
        for (unsigned i = 0; i < LANES; i++)
            source[i] = (uint8_t)(from[i] % LANES);
        w.from = source;
    }
    ob->warp(ob->arg, &run->where, &w);
}

/* ---- fences, asynchronous copies, mbarriers, the heap ---- */

static void
observe_fence(sw_run *run, const sw_ins *ins)
{
    const sw_observer *ob = who_wants(run->warp->blk, SW_EV_FENCE);
    sw_ev_fence f = {.order = (sw_order)ins->order,
                     .scope = (sw_scope)ins->scope};
    if (f.order == SW_ORDER_WEAK)
        f.order = SW_ORDER_SC;
    if (ob && ob->fence)
        ob->fence(ob->arg, &run->where, &f);
}

void
sw_interp_observe_async(sw_run *run, uint32_t mask, const sw_ev_async *async)
{
    const sw_observer *ob = who_wants(run->warp->blk, SW_EV_ASYNC);
    run->where.mask = run->where.active = mask;
    if (ob && ob->async)
        ob->async(ob->arg, &run->where, async);
}

static void
observe_wait(sw_run *run, const sw_dins *d, uint32_t mask)
{
    uint64_t at[LANES], owner = 0;
    const sw_ins *ins = d->ins;
    sw_ev_async a = {.kind = (sw_async)ins->sub, .groups = (uint32_t)ins->imm};
    if (a.kind == SW_ASYNC_ARRIVE && ins->nsrc) {
        sw_class cls = sw_ins_class(run->code->fn, ins, d->ndst);
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint64_t addr =
                sw_interp_get(&run->x, sw_dins_orefs(d)[d->ndst], cls, i) +
                (uint64_t)ins->offset;
            at[i] = (uint32_t)addr;
            if (ins->space != SW_SPACE_SHARED)
                (void)resolve_space(run, i, addr, &at[i], &owner);
        }
        a.to_owner =
            ins->space == SW_SPACE_SHARED ? run->warp->blk->index : owner;
        a.mbar = at;
    }
    sw_interp_observe_async(run, mask, &a);
}

void
sw_interp_observe_mbar(sw_run *run, uint32_t mask, const uint64_t addr[LANES],
                       const sw_ev_mbar *mbar)
{
    const sw_observer *ob = who_wants(run->warp->blk, SW_EV_MBAR);
    uint64_t offsets[LANES] = {0};
    if (!ob || !ob->mbar)
        return;
    for (uint32_t left = mask; left;) {
        sw_ev_mbar part = *mbar;
        uint32_t same = 0;
        uint64_t owner, at;
        for (uint32_t m = left; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            (void)resolve_space(run, i, addr[i], &at, &owner);
            if (!same)
                part.owner = owner;
            if (owner != part.owner)
                continue;
            offsets[i] = at;
            same |= 1u << i;
        }
        part.addr = offsets;
        part.completed &= same;
        run->where.mask = run->where.active = same;
        ob->mbar(ob->arg, &run->where, &part);
        left &= ~same;
    }
}

void
sw_interp_observe_heap(sw_run *run, uint32_t mask, const sw_ev_heap *heap)
{
    const sw_observer *ob = who_wants(run->warp->blk, SW_EV_HEAP);
    run->where.mask = run->where.active = mask;
    if (ob && ob->heap)
        ob->heap(ob->arg, &run->where, heap);
}

void
sw_interp_observe_exit(sw_run *run, uint32_t mask)
{
    const sw_observer *ob = who_wants(run->warp->blk, SW_EV_EXIT);
    sw_ev_exit x = {run->warp->blk->live_threads};
    run->where.mask = run->where.active = mask;
    if (ob && ob->exited)
        ob->exited(ob->arg, &run->where, &x);
}

/* ---- instructions ---- */

void
sw_interp_observe_special(sw_run *run, const sw_dins *d, uint32_t mask)
{
    switch ((sw_dkind)d->kind) {
    case SW_K_BAR:
        observe_bar(run, d, (unsigned)__builtin_ctz(mask));
        break;
    case SW_K_BAR_CLUSTER:
        observe_cluster_arrival(run, d);
        break;
    case SW_K_BAR_WARP:
    case SW_K_LANES:
        observe_lanes(run, d, mask);
        break;
    case SW_K_FENCE:
        observe_fence(run, d->ins);
        break;
    case SW_K_NOP:
        if (d->ins->op == SW_OP_CP_ASYNC_WAIT)
            observe_wait(run, d, mask);
        break;
    default:
        break;
    }
}

void
sw_interp_observe_ins(sw_run *run, const sw_dins *d, uint32_t mask,
                      uint32_t active)
{
    const sw_blk *blk = run->warp->blk;
    const sw_observer *ob = blk->observer;
    uint32_t events = blk->program->events;
    sw_ev_where *where = &run->where;
    where->fn = run->code->fn;
    where->ins = d->ins;
    where->index = run->code->first + (uint32_t)(d - run->code->ins);
    where->mask = mask;
    where->active = active;
    if (!mask && !(events & SW_EV_OFF))
        return;
    if (ob->ins && (events & SW_EV_INS))
        ob->ins(ob->arg, where);
    if (!mask)
        return;
    where->active = mask;
    if (d->kind == SW_K_BRA && ob->branch && (events & SW_EV_BRANCH)) {
        uint32_t taken = mask;
        if (d->guard != SW_NO_GUARD)
            taken &= *(uint32_t *)(void *)(run->x.base[0] + d->guard) ^
                     d->guard_flip;
        sw_ev_branch branch = {taken};
        where->active = active;
        ob->branch(ob->arg, where, &branch);
    }
    sw_interp_observe_special(run, d, mask);
}
