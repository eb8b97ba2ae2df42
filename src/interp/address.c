/* SPDX-License-Identifier: Apache-2.0 */
/*
 * address.c - addresses lane by lane: translation of shared, local and
 * parameter offsets, complete checks, and the faults they find.
 */
#include <string.h>

#include "interp/interp.h"

enum { LANES = SW_WARP_LANES };

/* As the program calls it. */
static const char *
name_of(const sw_dins *d)
{
    const sw_ins *ins = d->ins;
    bool is_move = ins->op == SW_OP_LD || ins->op == SW_OP_ST;
    bool is_copy = is_move && ins->flags & SW_F_COPY;
    return sw_op_get_info(is_copy ? SW_OP_CP_ASYNC : (sw_op)ins->op)->text;
}

/* addr: an offset in its space if that is a window. */
static void
fault_alignment(sw_run *run, const sw_dins *d, unsigned lane, uint64_t addr,
                uint32_t bytes)
{
    const char *window =
        d->ins->space == SW_SPACE_SHARED  ? "the block's shared memory"
        : d->ins->space == SW_SPACE_LOCAL ? "the thread's local memory"
        : d->ins->space == SW_SPACE_PARAM ? "the kernel's parameters"
                                          : NULL;
    if (window) {
        sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                        SW_E_MISALIGNED_ADDRESS, SW_FAULT_PLAIN, addr,
                        "misaligned address: %s of %u bytes at offset %llu of "
                        "%s, no multiple of %u",
                        name_of(d), bytes, (unsigned long long)addr, window,
                        bytes);
        return;
    }
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    SW_E_MISALIGNED_ADDRESS, SW_FAULT_ADDRESS, addr,
                    "misaligned address: %s of %u bytes at an address that is "
                    "no multiple of %u",
                    name_of(d), bytes, bytes);
}

/* A window: shared memory of the block, local memory of the thread, the
 * parameters of the kernel. */
static bool
check_window(sw_run *run, const sw_dins *d, unsigned lane, uint64_t offset,
             uint32_t bytes, uint64_t size, const char *what)
{
    if (offset <= size && bytes <= size - offset)
        return true;
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    SW_E_ILLEGAL_ADDRESS, SW_FAULT_PLAIN, offset,
                    "%s of %u bytes at offset %lld of %s, which has %llu bytes",
                    name_of(d), bytes, (long long)offset, what,
                    (unsigned long long)size);
    return false;
}

static uint64_t
base_of(const sw_run *run, const sw_dins *d, unsigned src, unsigned lane)
{
    sw_oref o = sw_dins_orefs(d)[src];
    return sw_interp_get(&run->x, o, (sw_class)d->src_class, lane);
}

/* A slot of the frame (a symbol) counts from the frame's local memory. */
static uint64_t
local_of(const sw_run *run, const sw_dins *d, unsigned src, unsigned lane)
{
    const sw_opnd *opnd = &d->ins->opnd[src];
    if (opnd->kind == SW_OPND_SYM)
        return run->frame->local + sw_sym_resolve(opnd->sym)->address +
               opnd->imm;
    return base_of(run, d, src, lane);
}

/* What a device says of an access to the shared memory of another block: that
 * it goes wrong there, unless no block could have so much (9.0, the first with
 * clusters: device/capability.def). */
enum { MOST_SHARED = 227 * 1024 };

static void
fault_outside(sw_run *run, const sw_dins *d, unsigned lane, const sw_blk *blk,
              uint64_t offset, uint64_t bytes)
{
    bool is_own = blk == run->warp->blk;
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    is_own || offset >= MOST_SHARED ? SW_E_ILLEGAL_ADDRESS
                                                    : SW_E_LAUNCH_FAILED,
                    SW_FAULT_PLAIN, offset,
                    "%s of %llu bytes at offset %llu of the shared memory of "
                    "block %u of the cluster, which has %u bytes",
                    name_of(d), (unsigned long long)bytes,
                    (unsigned long long)offset, blk->rank, blk->shared_bytes);
}

static void
fault_no_block(sw_run *run, const sw_dins *d, unsigned lane)
{
    const sw_blk *blk = run->warp->blk;
    uint32_t count = blk->cluster ? blk->cluster->count : 1;
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    blk->is_explicit_cluster ? SW_E_LAUNCH_FAILED
                                             : SW_E_ILLEGAL_INSTRUCTION,
                    SW_FAULT_PLAIN, 0,
                    "%s in the shared memory of a block that the cluster does "
                    "not have: it has %u block%s",
                    name_of(d), count, count == 1 ? "" : "s");
}

uint8_t *
sw_interp_cluster_place(sw_run *run, const sw_dins *d, unsigned lane,
                        uint64_t address, uint64_t bytes)
{
    uint64_t offset;
    const sw_blk *blk = sw_engine_cluster_at(run->warp->blk, address, &offset);
    if (!blk) {
        fault_no_block(run, d, lane);
        return NULL;
    }
    if (offset <= blk->shared_bytes && bytes <= blk->shared_bytes - offset)
        return blk->shared + offset;
    fault_outside(run, d, lane, blk, offset, bytes);
    return NULL;
}

/* An offset that is too large for the block's shared memory, but names a block
 * of the cluster: fine if it is this one. False: a fault was recorded. */
static bool
take_own_rank(sw_run *run, const sw_dins *d, unsigned lane, uint64_t *at)
{
    uint64_t offset;
    const sw_blk *blk = run->warp->blk;
    const sw_blk *named = sw_engine_cluster_at(blk, *at, &offset);
    if (*at >> SW_CLUSTER_SHIFT == 0 || !named)
        return true;
    *at = offset;
    if (named == blk)
        return true;
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_PLAIN, offset,
                    "%s in .shared::cta memory at an address in that of block "
                    "%u of the cluster",
                    name_of(d), named->rank);
    return false;
}

/* How many of these lanes address what is not accessible. */
static unsigned
count_outside(const sw_mem_view *mem, uint32_t mask, const uint64_t *addr,
              uint32_t bytes)
{
    unsigned count = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        count += !sw_mem_is_plain(mem, addr[i], addr[i] + bytes - 1) &&
                 !sw_mem_is_accessible(addr[i], bytes);
    }
    return count;
}

bool
sw_interp_check(sw_run *run, const sw_dins *d, uint32_t mask,
                const uint64_t addr[LANES], uint32_t bytes, uint32_t align)
{
    const sw_mem_view *mem = run->warp->blk->mem;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (addr[i] & (align - 1)) {
            fault_alignment(run, d, i, addr[i], align);
            return false;
        }
        if (sw_mem_is_plain(mem, addr[i], addr[i] + bytes - 1) ||
            sw_mem_is_accessible(addr[i], bytes))
            continue;
        if (sw_engine_is_nowhere(addr[i])) {
            fault_no_block(run, d, i);
            return false;
        }
        sw_engine_fault(run->warp, run->code->fn, d->ins, i,
                        SW_E_ILLEGAL_ADDRESS, SW_FAULT_ADDRESS, addr[i],
                        "illegal address: %s of %u bytes outside the "
                        "allocations, by %u of the warp's %u threads",
                        name_of(d), bytes, count_outside(mem, m, addr, bytes),
                        (unsigned)__builtin_popcount(mask));
        return false;
    }
    return true;
}

/* Those of offsets of 32 bits in the block's shared memory, all of them right.
 * False: look at each. */
static bool
shared_addresses(const sw_run *run, const sw_dins *d, unsigned src,
                 uint32_t mask, uint32_t bytes, uint32_t align,
                 uint64_t addr[LANES])
{
    const sw_blk *blk = run->warp->blk;
    const uint32_t *offset = sw_lane_ptr(&run->x, sw_dins_orefs(d)[src]);
    uint32_t add = (uint32_t)d->ins->offset, wrong = 0;
    if (blk->shared_bytes < bytes)
        return false;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t at = offset[i] + add;
        bool is_wrong =
            (at > blk->shared_bytes - bytes) | ((at & (align - 1)) != 0);
        wrong |= (uint32_t)is_wrong << i;
        addr[i] = (uint64_t)(uintptr_t)blk->shared + at;
    }
    return !(wrong & mask);
}

bool
sw_interp_addresses(sw_run *run, const sw_dins *d, unsigned src, uint32_t mask,
                    uint32_t bytes, uint32_t align, uint64_t addr[LANES])
{
    const sw_blk *blk = run->warp->blk;
    uint64_t offset = (uint64_t)d->ins->offset;
    bool is_window = true;
    if (d->ins->space == SW_SPACE_SHARED && d->src_class == SW_CLASS_B32 &&
        shared_addresses(run, d, src, mask, bytes, align, addr))
        return true;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t at;
        switch (d->ins->space) {
        case SW_SPACE_SHARED:
            at = (uint32_t)(base_of(run, d, src, i) + offset);
            if (!take_own_rank(run, d, i, &at) ||
                !check_window(run, d, i, at, bytes, blk->shared_bytes,
                              "the block's shared memory"))
                return false;
            addr[i] = (uint64_t)(uintptr_t)blk->shared + at;
            break;
        case SW_SPACE_SHARED_CLUSTER:
            at = (uint32_t)(base_of(run, d, src, i) + offset);
            addr[i] = (uint64_t)(uintptr_t)sw_interp_cluster_place(run, d, i,
                                                                   at, bytes);
            if (!addr[i])
                return false;
            break;
        case SW_SPACE_LOCAL:
            at = local_of(run, d, src, i) + offset;
            addr[i] = (uint64_t)(uintptr_t)sw_engine_local_margin(run->warp, i,
                                                                  at, bytes);
            if (addr[i])
                break;
            if (!check_window(run, d, i, at, bytes, blk->local_stride,
                              "the thread's local memory"))
                return false;
            addr[i] = (uint64_t)(uintptr_t)run->warp->local +
                      (uint64_t)i * blk->local_stride + at;
            break;
        case SW_SPACE_PARAM:
            at = base_of(run, d, src, i) + offset;
            if (!check_window(run, d, i, at, bytes,
                              blk->program->info.param_bytes,
                              "the kernel's parameters"))
                return false;
            addr[i] = (uint64_t)(uintptr_t)blk->params + at;
            break;
        default:
            at = base_of(run, d, src, i) + offset;
            addr[i] = at;
            is_window = false;
            break;
        }
        if (at & (align - 1)) {
            fault_alignment(run, d, i, at, align);
            return false;
        }
    }
    return is_window || sw_interp_check(run, d, mask, addr, bytes, align);
}
