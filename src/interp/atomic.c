/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic.c - atom, red, mbarrier and cp.async: lanes in ascending order, each
 * with the host's own atomic operations, since other blocks run at the same
 * time.
 */
#include <stdatomic.h>
#include <string.h>

#include "exec/late.h"
#include "interp/bulk.h"
#include "sem/atom.h"
#include "sem/mbar.h"

/* Applies the operation to one element; returns the old value. */
#define APPLY(name, T)                                                         \
    static uint64_t apply_##name(sw_atom what, sw_type type, sw_fmode mode,    \
                                 uint64_t addr, uint64_t b, uint64_t c)        \
    {                                                                          \
        T *p = (T *)(uintptr_t)addr;                                           \
        T old = __atomic_load_n(p, __ATOMIC_RELAXED);                          \
        T fresh;                                                               \
        do                                                                     \
            fresh = (T)sem_atom(what, type, old, b, c, mode);                  \
        while (!__atomic_compare_exchange_n(                                   \
            p, &old, fresh, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));        \
        return old;                                                            \
    }
APPLY(16, uint16_t)
APPLY(32, uint32_t)
APPLY(64, uint64_t)

static uint64_t
apply(sw_atom what, sw_type type, sw_fmode mode, unsigned bytes, uint64_t addr,
      uint64_t b, uint64_t c)
{
    if (bytes == 4 && what == SW_ATOM_ADD &&
        (type == SW_T_U32 || type == SW_T_S32))
        return __atomic_fetch_add((uint32_t *)(uintptr_t)addr, (uint32_t)b,
                                  __ATOMIC_SEQ_CST);
    return bytes == 2   ? apply_16(what, type, mode, addr, b, c)
           : bytes == 4 ? apply_32(what, type, mode, addr, b, c)
                        : apply_64(what, type, mode, addr, b, c);
}

void
sw_interp_atom_one(sw_atom what, sw_type type, uint32_t mode, unsigned bytes,
                   uint64_t addr, uint64_t b)
{
    apply(what, type, mode, bytes, addr, b, 0);
}

/* exch and cas of 16 bytes: one lock for all, as they are rare. */
static void
apply_128(const sw_ins *ins, uint64_t addr, const uint64_t *b,
          const uint64_t *c, uint64_t *old)
{
    static atomic_flag lock = ATOMIC_FLAG_INIT;
    uint64_t *p = (uint64_t *)(uintptr_t)addr;
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        ; /* held for a few instructions */
    memcpy(old, p, 16);
    if (ins->sub == SW_ATOM_EXCH)
        memcpy(p, b, 16);
    else if (memcmp(old, b, 16) == 0)
        memcpy(p, c, 16);
    atomic_flag_clear_explicit(&lock, memory_order_release);
}

static bool
refuse(sw_run *run, const sw_dins *d, uint32_t mask)
{
    sw_engine_fault(run->warp, run->code->fn, d->ins,
                    (unsigned)__builtin_ctz(mask), SW_E_ILLEGAL_INSTRUCTION,
                    SW_FAULT_PLAIN, 0,
                    "the instruction 'atom.%s.%s' is not supported",
                    sw_atom_text((sw_atom)d->ins->sub),
                    sw_type_text((sw_type)d->ins->type));
    return false;
}

/* Seen on sm_90: float sums in global memory flush subnormals, those in shared
 * memory do not; for doubles see sem/atom.h. */
static sw_fmode
mode_at(const sw_run *run, const sw_dins *d, uint64_t addr)
{
    const sw_ins *ins = d->ins;
    const sw_blk *blk = run->warp->blk;
    uint64_t shared = (uint64_t)(uintptr_t)blk->shared;
    bool flushes = (ins->type == SW_T_F32 || ins->type == SW_T_F64) &&
                   ins->sub == SW_ATOM_ADD;
    bool in_shared = addr - shared < blk->shared_bytes ||
                     (blk->cluster && sw_engine_shared_owner(blk, addr));
    return d->mode | (flushes && !in_shared ? SW_FM_FTZ : 0);
}

/* What one element of a lane becomes; `now` and *fresh: d->mem_bytes. */
static void
element_after(const sw_run *run, const sw_dins *d, unsigned lane, unsigned k,
              uint64_t addr, const uint8_t *now, uint8_t *fresh)
{
    const sw_ins *ins = d->ins;
    const sw_oref *src = sw_dins_orefs(d) + d->ndst;
    unsigned vec = ins->vec ? ins->vec : 1;
    bool is_cas = ins->sub == SW_ATOM_CAS;
    if (d->mem_bytes == 16) {
        const uint8_t *b = (uint8_t *)sw_lane_ptr(&run->x, src[1]) + 16 * lane;
        const uint8_t *c =
            (uint8_t *)sw_lane_ptr(&run->x, src[is_cas ? 2 : 1]) + 16 * lane;
        memcpy(fresh, !is_cas || memcmp(now, b, 16) == 0 ? c : now, 16);
        return;
    }
    sw_class cls = (sw_class)d->val_class;
    uint64_t old = 0, b = sw_interp_get(&run->x, src[1 + k], cls, lane);
    uint64_t c =
        is_cas ? sw_interp_get(&run->x, src[1 + vec + k], cls, lane) : 0;
    memcpy(&old, now, d->mem_bytes);
    old = sem_atom((sw_atom)ins->sub, (sw_type)ins->type, old, b, c,
                   mode_at(run, d, addr));
    memcpy(fresh, &old, d->mem_bytes);
}

void
sw_interp_atom_after(const sw_run *run, const sw_dins *d, uint32_t mask,
                     const uint64_t addr[SW_WARP_LANES], const uint8_t *before,
                     uint8_t *after)
{
    unsigned vec = d->ins->vec ? d->ins->vec : 1, each = d->mem_bytes;
    unsigned bytes = each * vec;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        const uint8_t *now = before + i * bytes;
        for (uint32_t l = mask & ((1u << i) - 1); l; l &= l - 1)
            if (addr[__builtin_ctz(l)] == addr[i])
                now = after + (unsigned)__builtin_ctz(l) * bytes;
        for (unsigned k = 0; k < vec; k++)
            element_after(run, d, i, k, addr[i], now + k * each,
                          after + i * bytes + k * each);
    }
}

bool
sw_interp_atom(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    const sw_oref *o = sw_dins_orefs(d);
    const sw_oref *src = o + d->ndst;
    unsigned vec = ins->vec ? ins->vec : 1;
    uint32_t bytes = d->mem_bytes * vec;
    uint64_t addr[SW_WARP_LANES];
    bool is_cas = ins->sub == SW_ATOM_CAS;
    sw_class cls = (sw_class)d->val_class;
    if (d->mem_bytes != 16 &&
        !sem_atom_supports((sw_atom)ins->sub, (sw_type)ins->type))
        return refuse(run, d, mask);
    if (d->mem_bytes == 16 && !is_cas && ins->sub != SW_ATOM_EXCH)
        return refuse(run, d, mask);
    if (!sw_interp_addresses(run, d, d->ndst, mask, bytes, bytes, addr))
        return false;
    if (run->observe)
        sw_interp_observe(run, d, mask, addr, bytes);
    if (sw_late_is_on)
        sw_late_touch(run->warp, mask, addr, bytes);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (d->mem_bytes == 16) {
            uint64_t old[2];
            const uint64_t *b = sw_lane_ptr(&run->x, src[1]);
            const uint64_t *c = sw_lane_ptr(&run->x, src[is_cas ? 2 : 1]);
            apply_128(ins, addr[i], b + 2 * i, c + 2 * i, old);
            if (d->ndst && ins->opnd[0].kind == SW_OPND_REG)
                memcpy((uint64_t *)sw_lane_ptr(&run->x, o[0]) + 2 * i, old, 16);
            continue;
        }
        sw_fmode mode = mode_at(run, d, addr[i]);
        for (unsigned k = 0; k < vec; k++) {
            uint64_t b = sw_interp_get(&run->x, src[1 + k], cls, i);
            uint64_t c =
                is_cas ? sw_interp_get(&run->x, src[1 + vec + k], cls, i) : 0;
            uint64_t old =
                apply((sw_atom)ins->sub, (sw_type)ins->type, mode, d->mem_bytes,
                      addr[i] + k * (uint64_t)d->mem_bytes, b, c);
            if (k < d->ndst && ins->opnd[k].kind == SW_OPND_REG)
                sw_interp_put(&run->x, o[k], cls, i, old);
        }
    }
    return true;
}

bool
sw_interp_needs_clusters(sw_run *run, const sw_dins *d, unsigned lane)
{
    if (run->warp->blk->is_explicit_cluster)
        return true;
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_PLAIN, 0,
                    "an asynchronous copy between the blocks of a cluster, in "
                    "a launch without clusters");
    return false;
}

/* ---- cp.async: done at once, which every wait allows ---- */

bool
sw_interp_cp_async(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    const sw_blk *blk = run->warp->blk;
    const sw_oref *src = sw_dins_orefs(d) + d->ndst;
    uint32_t bytes = (uint32_t)ins->imm;
    sw_class to_cls = sw_ins_class(run->code->fn, ins, d->ndst);
    sw_class from_cls = sw_ins_class(run->code->fn, ins, d->ndst + 1u);
    uint64_t from[SW_WARP_LANES], at[SW_WARP_LANES], moved[SW_WARP_LANES];
    uint32_t copies = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        from[i] = sw_interp_get(&run->x, src[1], from_cls, i);
        uint64_t n = ins->nsrc > 2
                         ? sw_interp_get(&run->x, src[2], SW_CLASS_B32, i)
                         : bytes;
        if (n)
            copies |= 1u << i;
    }
    if (!sw_interp_check(run, d, copies, from, bytes, bytes))
        return false;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t to = (uint32_t)(sw_interp_get(&run->x, src[0], to_cls, i) +
                                 (uint64_t)ins->offset);
        uint64_t n = ins->nsrc > 2
                         ? sw_interp_get(&run->x, src[2], SW_CLASS_B32, i)
                         : bytes;
        if (n > bytes)
            n = bytes;
        if (to % bytes) {
            sw_engine_fault(run->warp, run->code->fn, ins, i,
                            SW_E_MISALIGNED_ADDRESS, SW_FAULT_PLAIN, to,
                            "misaligned address: cp.async of %u bytes at "
                            "offset %llu of the block's shared memory, no "
                            "multiple of %u",
                            bytes, (unsigned long long)to, bytes);
            return false;
        }
        if (to > blk->shared_bytes || bytes > blk->shared_bytes - to) {
            sw_engine_fault(run->warp, run->code->fn, ins, i,
                            SW_E_ILLEGAL_ADDRESS, SW_FAULT_PLAIN, to,
                            "cp.async of %u bytes at offset %llu of the "
                            "block's shared memory, which has %u bytes",
                            bytes, (unsigned long long)to, blk->shared_bytes);
            return false;
        }
        at[i] = to;
        moved[i] = n;
        if (n)
            memcpy(blk->shared + to, (const void *)(uintptr_t)from[i], n);
        memset(blk->shared + to + n, 0, bytes - n);
    }
    if (run->observe && mask) {
        if (copies)
            sw_interp_observe_as(run, copies, SW_SPACE_GLOBAL, false, from,
                                 bytes);
        sw_interp_observe_as(run, mask, SW_SPACE_SHARED, true, at, bytes);
        sw_interp_observe_async(run, mask,
                                &(sw_ev_async){.kind = SW_ASYNC_COPY,
                                               .from_space = SW_SPACE_GLOBAL,
                                               .to_space = SW_SPACE_SHARED,
                                               .to_owner = blk->index,
                                               .from = from,
                                               .to = at,
                                               .bytes = moved,
                                               .written = bytes});
    }
    return true;
}

/* ---- mbarrier ---- */

/* All threads that may reach an object, those of a block or of a cluster, run
 * on one worker. */
uint64_t
sw_interp_mbar_advance(uint64_t *p, uint64_t arrivals, uint64_t dropped,
                       uint64_t tx)
{
    uint64_t old = *p;
    *p = sem_mbar_advance(old, arrivals, dropped, tx);
    return old;
}

static uint64_t
mbar_one(const sw_ins *ins, uint64_t *p, uint64_t b, bool has_b)
{
    uint64_t dropped = 0, arrivals = 0, tx = 0;
    switch (ins->op) {
    case SW_OP_MBAR_INIT:
        *p = sem_mbar_make(b, b, 0, 0);
        return 0;
    case SW_OP_MBAR_INVAL:
        return 0;
    case SW_OP_MBAR_TEST:
        return sem_mbar_phase(*p) !=
               (ins->sub == 1 ? b & 1 : sem_mbar_phase(b));
    case SW_OP_MBAR_EXPECT_TX:
        tx = ins->sub ? (uint64_t)0 - b : b;
        break;
    default: /* arrive */
        arrivals = has_b && !ins->imm ? b : 1;
        tx = ins->imm && has_b ? b : 0;
        dropped =
            ins->sub == SW_MBAR_DROP || ins->sub == SW_MBAR_DROP_NOCOMPLETE
                ? arrivals
                : 0;
        break;
    }
    return sw_interp_mbar_advance(p, arrivals, dropped, tx);
}

/* What tokens say was pending before their lanes arrived. */
static bool
mbar_pending(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_oref *o = sw_dins_orefs(d);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t token = sw_interp_get(&run->x, o[1], SW_CLASS_B64, i);
        sw_interp_put(&run->x, o[0], SW_CLASS_B32, i, sem_mbar_pending(token));
    }
    return true;
}

/* What the event says of one lane's operation; the object was `old`. */
typedef struct {
    sw_ev_mbar event;
    uint64_t count[SW_WARP_LANES], bytes[SW_WARP_LANES];
    uint8_t phase[SW_WARP_LANES];
} mbar_told;

static void
note_mbar(mbar_told *t, const sw_ins *ins, unsigned lane, uint64_t old,
          uint64_t now, uint64_t b, bool has_b, uint64_t result)
{
    bool ends = sem_mbar_phase(old) != sem_mbar_phase(now);
    t->phase[lane] = (uint8_t)sem_mbar_phase(old);
    t->count[lane] = t->bytes[lane] = 0;
    switch (ins->op) {
    case SW_OP_MBAR_INIT:
        t->event.op = SW_MBAR_OP_INIT;
        t->count[lane] = b;
        ends = false;
        break;
    case SW_OP_MBAR_INVAL:
        t->event.op = SW_MBAR_OP_INVAL;
        break;
    case SW_OP_MBAR_TEST:
        t->event.op = SW_MBAR_OP_TEST;
        ends = result != 0;
        break;
    case SW_OP_MBAR_EXPECT_TX:
        t->event.op = ins->sub ? SW_MBAR_OP_COMPLETE : SW_MBAR_OP_EXPECT;
        t->bytes[lane] = b;
        break;
    default:
        t->event.op = SW_MBAR_OP_ARRIVE;
        t->event.drops =
            ins->sub == SW_MBAR_DROP || ins->sub == SW_MBAR_DROP_NOCOMPLETE;
        t->event.is_async = ins->flags & SW_F_COPY;
        t->count[lane] = has_b && !ins->imm ? b : 1;
        t->bytes[lane] = ins->imm && has_b ? b : 0;
        break;
    }
    t->event.completed |= ends ? 1u << lane : 0;
}

bool
sw_interp_mbar(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    const sw_oref *o = sw_dins_orefs(d);
    uint64_t addr[SW_WARP_LANES];
    if (ins->op == SW_OP_MBAR_PENDING)
        return mbar_pending(run, d, mask);
    if (ins->op == SW_OP_MBAR_EXPECT_TX && ins->imm &&
        !sw_interp_needs_clusters(run, d, (unsigned)__builtin_ctz(mask)))
        return false;
    if (!sw_interp_addresses(run, d, d->ndst, mask, 8, 8, addr))
        return false;
    bool has_b = ins->nsrc > 1;
    bool has_d = d->ndst && ins->opnd[0].kind == SW_OPND_REG;
    const sw_fn *fn = run->code->fn;
    sw_class b_cls = has_b ? sw_ins_class(fn, ins, d->ndst + 1u) : SW_CLASS_B32;
    sw_class d_cls = has_d ? sw_ins_class(fn, ins, 0) : SW_CLASS_B32;
    mbar_told told;
    told.event = (sw_ev_mbar){
        .count = told.count, .bytes = told.bytes, .phase = told.phase};
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint64_t b =
            has_b ? sw_interp_get(&run->x, o[d->ndst + 1], b_cls, i) : 0;
        uint64_t *object = (uint64_t *)(uintptr_t)addr[i], old = *object;
        uint64_t r = mbar_one(ins, object, b, has_b);
        if (run->observe)
            note_mbar(&told, ins, i, old, *object, b, has_b, r);
        if (has_d)
            sw_interp_put(&run->x, o[0], d_cls, i, r);
    }
    if (run->observe)
        sw_interp_observe_mbar(run, mask, addr, &told.event);
    return true;
}
