/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk.c - cp.async.bulk and cp.reduce.async.bulk: done at once, like cp.async,
 * which every wait allows. tensor.c has those of tensors.
 */
#include "interp/bulk.h"

#include <string.h>

#include "interp/observe.h"
#include "sem/float.h"
#include "sem/mbar.h"

enum { BULK_UNIT = 16 };

/* Where `bytes` at an offset of the block's shared memory, or the cluster's,
 * are; NULL, with a fault, if they lie outside. */
uint8_t *
sw_interp_bulk_shared(sw_run *run, const sw_dins *d, unsigned lane,
                      uint64_t offset, uint64_t bytes, unsigned align,
                      bool in_cluster)
{
    const sw_blk *blk = run->warp->blk;
    offset = (uint32_t)offset;
    if (in_cluster && offset % align == 0)
        return sw_interp_cluster_place(run, d, lane, offset, bytes);
    if (offset <= blk->shared_bytes && bytes <= blk->shared_bytes - offset &&
        offset % align == 0)
        return blk->shared + offset;
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    offset % align ? SW_E_MISALIGNED_ADDRESS
                                   : SW_E_ILLEGAL_ADDRESS,
                    SW_FAULT_PLAIN, offset,
                    "cp.async.bulk of %llu bytes at offset %llu of the block's "
                    "shared memory, which has %u bytes",
                    (unsigned long long)bytes, (unsigned long long)offset,
                    blk->shared_bytes);
    return NULL;
}

static uint8_t *
bulk_global(sw_run *run, const sw_dins *d, unsigned lane, uint64_t address,
            uint64_t bytes)
{
    if (address % BULK_UNIT == 0 &&
        (!bytes || sw_mem_is_accessible(address, bytes)))
        return (uint8_t *)(uintptr_t)address;
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    address % BULK_UNIT ? SW_E_MISALIGNED_ADDRESS
                                        : SW_E_ILLEGAL_ADDRESS,
                    SW_FAULT_ADDRESS, address,
                    "cp.async.bulk of %llu bytes, in units of 16, outside the "
                    "allocations or not aligned",
                    (unsigned long long)bytes);
    return NULL;
}

/* Seen on sm_90: sums of f32 keep subnormals, other than those of red; NaNs of
 * f64 stay as with red. */
void
sw_interp_bulk_combine(const sw_dins *d, sw_atom what, sw_type type,
                       uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    unsigned each = sw_type_bits(type) / 8;
    uint32_t mode = d->mode | (type == SW_T_F64 ? SW_FM_FTZ : 0);
    for (uint64_t at = 0; at < bytes; at += each) {
        uint64_t b = 0;
        memcpy(&b, from + at, each);
        sw_interp_atom_one(what, type, mode, each, (uintptr_t)to + at, b);
    }
}

static void
bulk_move(const sw_dins *d, uint8_t *to, const uint8_t *from, uint64_t bytes)
{
    const sw_ins *ins = d->ins;
    if (ins->op == SW_OP_CP_REDUCE)
        sw_interp_bulk_combine(d, (sw_atom)ins->sub, (sw_type)ins->type, to,
                               from, bytes);
    else
        memmove(to, from, bytes);
}

void
sw_interp_observe_copy(sw_run *run, unsigned lane, const sw_bulk_copy *c)
{
    const sw_blk *blk = run->warp->blk;
    uint64_t at[3][SW_WARP_LANES] = {{0}}, length[SW_WARP_LANES] = {0};
    const uint8_t *place[3] = {c->from, c->to, c->bar};
    uint64_t owner[3] = {0};
    bool shared[3] = {false};
    for (int i = 0; i < 3; i++) {
        uint64_t p = (uint64_t)(uintptr_t)place[i];
        const sw_blk *of = p ? sw_engine_shared_owner(blk, p) : NULL;
        shared[i] = of != NULL;
        owner[i] = of ? of->index : 0;
        at[i][lane] = of ? p - (uint64_t)(uintptr_t)of->shared : p;
    }
    length[lane] = c->bytes;
    sw_interp_observe_async(
        run, 1u << lane,
        &(sw_ev_async){
            .kind = c->reduces ? SW_ASYNC_REDUCE : SW_ASYNC_BULK,
            .from_space = shared[0] ? SW_SPACE_SHARED : SW_SPACE_GLOBAL,
            .to_space = shared[1] ? SW_SPACE_SHARED : SW_SPACE_GLOBAL,
            .from_owner = owner[0],
            .to_owner = owner[1],
            .from = at[0],
            .to = at[1],
            .bytes = length,
            .written = c->written,
            .mbar = c->bar ? at[2] : NULL});
}

bool
sw_interp_bulk_complete(uint8_t *bar, uint64_t bytes)
{
    uint64_t *bits = (uint64_t *)(void *)bar;
    uint64_t old = sw_interp_mbar_advance(bits, 0, 0, (uint64_t)0 - bytes);
    return sem_mbar_phase(old) != sem_mbar_phase(*bits);
}

void
sw_interp_observe_complete(sw_run *run, unsigned lane, const uint8_t *bar,
                           uint64_t bytes, bool ended)
{
    uint64_t flat[SW_WARP_LANES] = {0}, none[SW_WARP_LANES] = {0};
    uint64_t length[SW_WARP_LANES] = {0};
    uint8_t phase[SW_WARP_LANES] = {0};
    flat[lane] = (uint64_t)(uintptr_t)bar;
    length[lane] = bytes;
    phase[lane] =
        (uint8_t)(sem_mbar_phase(*(const uint64_t *)(const void *)bar) ^ ended);
    sw_interp_observe_mbar(run, 1u << lane, flat,
                           &(sw_ev_mbar){.op = SW_MBAR_OP_COMPLETE,
                                         .count = none,
                                         .bytes = length,
                                         .phase = phase,
                                         .completed = ended ? 1u << lane : 0});
}

/* One copy into shared memory, and its bytes for the barrier object. */
static bool
bulk_inward(sw_run *run, const sw_dins *d, unsigned lane, uint64_t to,
            const uint8_t *from, uint64_t bytes, uint64_t bar)
{
    bool in_cluster = d->ins->space == SW_SPACE_SHARED_CLUSTER;
    uint8_t *p =
        sw_interp_bulk_shared(run, d, lane, to, bytes, BULK_UNIT, in_cluster);
    if (!p)
        return false;
    bulk_move(d, p, from, bytes);
    uint8_t *object = sw_interp_bulk_shared(run, d, lane, bar, sizeof(uint64_t),
                                            8, in_cluster);
    if (!object)
        return false;
    bool ended = sw_interp_bulk_complete(object, bytes);
    if (!run->observe)
        return true;
    sw_interp_observe_copy(
        run, lane,
        &(sw_bulk_copy){.from = from,
                        .to = p,
                        .bytes = bytes,
                        .bar = object,
                        .reduces = d->ins->op == SW_OP_CP_REDUCE});
    sw_interp_observe_complete(run, lane, object, bytes, ended);
    return true;
}

/* v: destination, source, bytes, barrier object, blocks. */
static bool
bulk_lane(sw_run *run, const sw_dins *d, unsigned lane, const uint64_t v[5])
{
    const uint64_t low = (UINT64_C(1) << SW_CLUSTER_SHIFT) - 1;
    const sw_ins *ins = d->ins;
    bool reduces = ins->op == SW_OP_CP_REDUCE;
    unsigned way = reduces ? (unsigned)ins->imm : ins->sub;
    if (!reduces && way == SW_BULK_SHARED &&
        !sw_interp_needs_clusters(run, d, lane))
        return false;
    uint64_t bytes = v[2];
    if (bytes % BULK_UNIT) {
        sw_engine_fault(run->warp, run->code->fn, ins, lane,
                        SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_PLAIN, 0,
                        "cp.async.bulk of %llu bytes, no multiple of 16",
                        (unsigned long long)bytes);
        return false;
    }
    uint8_t *to = NULL;
    if (way == SW_BULK_TO_GLOBAL) {
        to = bulk_global(run, d, lane, v[0], bytes);
        if (!to)
            return false;
    }
    const uint8_t *from = way == SW_BULK_FROM_GLOBAL
                              ? bulk_global(run, d, lane, v[1], bytes)
                              : sw_interp_bulk_shared(run, d, lane, v[1], bytes,
                                                      BULK_UNIT, false);
    if (!from)
        return false;
    if (to) {
        bulk_move(d, to, from, bytes);
        if (run->observe)
            sw_interp_observe_copy(run, lane,
                                   &(sw_bulk_copy){.from = from,
                                                   .to = to,
                                                   .bytes = bytes,
                                                   .reduces = reduces});
        return true;
    }
    if (ins->nsrc < 5)
        return bulk_inward(run, d, lane, v[0], from, bytes, v[3]);
    for (uint32_t m = (uint32_t)v[4]; m; m &= m - 1) {
        uint64_t blk = (uint64_t)((unsigned)__builtin_ctz(m) + 1)
                       << SW_CLUSTER_SHIFT;
        if (!bulk_inward(run, d, lane, blk | (v[0] & low), from, bytes,
                         blk | (v[3] & low)))
            return false;
    }
    return true;
}

bool
sw_interp_cp_bulk(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    const sw_oref *src = sw_dins_orefs(d) + d->ndst;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t v[5] = {0};
        for (unsigned k = 0; k < ins->nsrc; k++)
            v[k] =
                sw_interp_get(&run->x, src[k],
                              sw_ins_class(run->code->fn, ins, d->ndst + k), i);
        v[0] += (uint64_t)ins->offset;
        if (!bulk_lane(run, d, i, v))
            return false;
    }
    return true;
}
