/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.c - parameters, addresses of slots, conversions between the spaces and
 * the flat one, and the stack of a frame.
 */
#include <string.h>

#include "interp/interp.h"

void
sw_interp_load_param(const sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_oref *o = sw_dins_orefs(d);
    uint64_t at = sw_interp_get(&run->x, o[d->ndst], SW_CLASS_B64, 0) +
                  (uint64_t)d->ins->offset;
    const uint8_t *params = run->warp->blk->params;
    uint64_t room = run->warp->blk->program->info.param_bytes;
    for (unsigned k = 0; k < d->ndst; k++, at += d->mem_bytes) {
        uint64_t v[2] = {0, 0};
        if (at < room)
            memcpy(v, params + at,
                   d->mem_bytes < room - at ? d->mem_bytes : room - at);
        if (d->mem_signed && d->mem_bytes < 8) {
            unsigned shift = 64 - 8u * d->mem_bytes;
            v[0] = (uint64_t)((int64_t)(v[0] << shift) >> shift);
        }
        uint8_t *r = sw_lane_ptr(&run->x, o[k]);
        if (d->val_class == SW_CLASS_B64) {
            for (int i = 0; i < SW_WARP_LANES; i++)
                if (mask >> i & 1)
                    ((uint64_t *)(void *)r)[i] = v[0];
        } else if (d->val_class == SW_CLASS_B32) {
            for (int i = 0; i < SW_WARP_LANES; i++)
                if (mask >> i & 1)
                    ((uint32_t *)(void *)r)[i] = (uint32_t)v[0];
        } else {
            unsigned step = sw_class_bytes((sw_class)d->val_class);
            for (unsigned i = 0; i < SW_WARP_LANES; i++)
                if (mask >> i & 1)
                    memcpy(r + i * step, v, step);
        }
    }
}

void
sw_interp_local_address(const sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_opnd *src = sw_ins_src(d->ins, 0);
    sw_class cls = sw_ins_class(run->code->fn, d->ins, 0);
    uint64_t at = run->frame->local + src->sym->address + src->imm +
                  (uint64_t)d->ins->offset;
    bool generic = d->ins->flags & SW_F_GENERIC_ADDR;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t base = (uint64_t)(uintptr_t)run->warp->local +
                        (uint64_t)i * run->warp->blk->local_stride;
        sw_interp_put(&run->x, sw_dins_orefs(d)[0], cls, i,
                      generic ? base + at : at);
    }
}

/* Where the window of a space begins in the flat space, for a lane. */
static uint64_t
window_base(const sw_run *run, unsigned space, unsigned lane, uint64_t *bytes)
{
    const sw_blk *blk = run->warp->blk;
    switch (space) {
    case SW_SPACE_SHARED:
        *bytes = blk->shared_bytes;
        return (uint64_t)(uintptr_t)blk->shared;
    case SW_SPACE_LOCAL:
        *bytes = blk->local_stride;
        return (uint64_t)(uintptr_t)run->warp->local +
               (uint64_t)lane * blk->local_stride;
    case SW_SPACE_PARAM:
        *bytes = blk->program->info.param_bytes;
        return (uint64_t)(uintptr_t)blk->params;
    default:
        *bytes = 0;
        return 0;
    }
}

/* A flat address as one of .shared::cluster memory, and back. */
static uint64_t
convert_in_cluster(const sw_blk *blk, uint64_t a, bool to_space)
{
    if (to_space) {
        const sw_blk *owner = sw_engine_shared_owner(blk, a);
        if (!owner || owner == blk)
            return a - (uint64_t)(uintptr_t)blk->shared;
        return (a - (uint64_t)(uintptr_t)owner->shared) |
               (uint64_t)(owner->rank + 1) << SW_CLUSTER_SHIFT;
    }
    uint64_t offset;
    const sw_blk *owner = sw_engine_cluster_at(blk, a, &offset);
    return owner ? (uint64_t)(uintptr_t)owner->shared + offset
                 : sw_engine_nowhere(offset);
}

/* mapa: the address `a` of shared memory, in that of block `rank`. */
static uint64_t
map_address(const sw_blk *blk, bool is_flat, uint64_t a, uint32_t rank)
{
    const uint64_t low = (UINT64_C(1) << SW_CLUSTER_SHIFT) - 1;
    if (!is_flat)
        return (a & low) | (uint64_t)(rank + 1) << SW_CLUSTER_SHIFT;
    const sw_blk *from = sw_engine_shared_owner(blk, a);
    const sw_blk *to = sw_engine_cluster_blk(blk, rank);
    uint64_t offset = a - (uint64_t)(uintptr_t)(from ? from : blk)->shared;
    return to ? (uint64_t)(uintptr_t)to->shared + offset
              : sw_engine_nowhere(offset);
}

/* getctarank */
static uint32_t
rank_of(const sw_blk *blk, bool is_flat, uint64_t a)
{
    uint64_t field = a >> SW_CLUSTER_SHIFT;
    if (!is_flat)
        return field ? (uint32_t)field - 1 : blk->rank;
    const sw_blk *owner = sw_engine_shared_owner(blk, a);
    return owner ? owner->rank : blk->rank;
}

void
sw_interp_map_block(const sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_blk *blk = run->warp->blk;
    const sw_ins *ins = d->ins;
    const sw_oref *o = sw_dins_orefs(d);
    sw_class to = sw_ins_class(run->code->fn, ins, 0);
    sw_class from = sw_ins_class(run->code->fn, ins, 1);
    bool is_flat = ins->space == SW_SPACE_GENERIC;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t a = sw_interp_get(&run->x, o[1], from, i);
        uint64_t r = ins->op == SW_OP_CTARANK
                         ? rank_of(blk, is_flat, a)
                         : map_address(blk, is_flat, a,
                                       (uint32_t)sw_interp_get(
                                           &run->x, o[2], SW_CLASS_B32, i));
        sw_interp_put(&run->x, o[0], to, i, r);
    }
}

void
sw_interp_convert_address(const sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    const sw_oref *o = sw_dins_orefs(d);
    sw_class to = sw_ins_class(run->code->fn, ins, 0);
    unsigned space =
        ins->op == SW_OP_ADDR ? sw_ins_src(ins, 0)->sym->space : ins->space;
    uint64_t bytes;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t a = sw_interp_get(&run->x, o[1], (sw_class)d->src_class, i);
        bool to_space = ins->op == SW_OP_CVTA && ins->sub == 1;
        if (space == SW_SPACE_SHARED_CLUSTER) {
            sw_interp_put(&run->x, o[0], to, i,
                          convert_in_cluster(run->warp->blk, a, to_space));
            continue;
        }
        uint64_t base = window_base(run, space, i, &bytes);
        sw_interp_put(&run->x, o[0], to, i, to_space ? a - base : a + base);
    }
}

void
sw_interp_test_space(const sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_oref *o = sw_dins_orefs(d);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t a = sw_interp_get(&run->x, o[1], (sw_class)d->src_class, i);
        uint64_t n, in = 0;
        static const uint8_t windows[] = {SW_SPACE_SHARED, SW_SPACE_LOCAL,
                                          SW_SPACE_PARAM};
        bool in_window = false;
        for (unsigned k = 0; k < 3; k++) {
            uint64_t base = window_base(run, windows[k], i, &n);
            if (a - base < n) {
                in_window = true;
                in |= windows[k] == d->ins->space;
            }
        }
        sw_mem_range range;
        bool is_shared = sw_engine_shared_owner(run->warp->blk, a) != NULL;
        if (d->ins->space == SW_SPACE_GLOBAL)
            in = !in_window && !is_shared;
        else if (d->ins->space == SW_SPACE_SHARED_CLUSTER)
            in = is_shared;
        else if (d->ins->space == SW_SPACE_CONST)
            in = !in_window && sw_mem_find(a, &range) &&
                 range.kind == SW_MEM_MODULE;
        sw_interp_put(&run->x, o[0], SW_CLASS_PRED, i, in);
    }
}

/* alloca: the frame grows by the largest request of the lanes. */
bool
sw_interp_grow_stack(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_oref *o = sw_dins_orefs(d);
    sw_class cls = sw_ins_class(run->code->fn, d->ins, 0);
    uint64_t most = 0, align = d->ins->imm > 16 ? d->ins->imm : 16;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t n = sw_interp_get(&run->x, o[1], (sw_class)d->src_class,
                                   (unsigned)__builtin_ctz(m));
        most = n > most ? n : most;
    }
    uint64_t at = (run->frame->top + align - 1) / align * align;
    if (most > UINT32_MAX || at + most > run->warp->blk->local_stride) {
        sw_engine_fault(run->warp, run->code->fn, d->ins,
                        (unsigned)__builtin_ctz(mask), SW_E_ILLEGAL_ADDRESS,
                        SW_FAULT_PLAIN, 0,
                        "stack overflow: alloca of %llu bytes, the thread's "
                        "stack has %u",
                        (unsigned long long)most, run->warp->blk->local_stride);
        return false;
    }
    run->frame->top = (uint32_t)(at + (most + 15) / 16 * 16);
    for (uint32_t m = mask; m; m &= m - 1)
        sw_interp_put(&run->x, o[0], cls, (unsigned)__builtin_ctz(m), at);
    return true;
}

void
sw_interp_move_stack(const sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_oref *o = sw_dins_orefs(d);
    if (d->ins->op == SW_OP_STACKSAVE) {
        sw_class cls = sw_ins_class(run->code->fn, d->ins, 0);
        for (uint32_t m = mask; m; m &= m - 1)
            sw_interp_put(&run->x, o[0], cls, (unsigned)__builtin_ctz(m),
                          run->frame->top);
    } else {
        uint64_t top = sw_interp_get(&run->x, o[0], (sw_class)d->src_class,
                                     (unsigned)__builtin_ctz(mask));
        if (top >= run->frame->local && top <= run->frame->top)
            run->frame->top = (uint32_t)top;
    }
}
