/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - loads and stores of a warp. Compiled once for each vector
 * extension, as lanes.c is. Addresses are formed and checked for the whole
 * warp at once; a warp that touches consecutive elements moves them as vectors.
 *
 * Guest programs may race; what they then see is unspecified, so the thread
 * sanitizer does not look here.
 */
#include <string.h>

#include "exec/late.h"
#include "interp/lanes.h"

#define UNCHECKED                                                              \
    __attribute__((no_sanitize("thread"), no_sanitize("alignment")))

/* Base plus offset of each lane; the address space is not looked at. */
static inline void
form(const sw_lane_ctx *x, const sw_dins *d, unsigned src, uint64_t add,
     uint64_t addr[32])
{
    sw_oref o = sw_dins_orefs(d)[src];
    if (d->src_class == SW_CLASS_B32) {
        const uint32_t *a = sw_lane_ptr(x, o);
        LANES addr[i] = a[i] + add;
    } else {
        const uint64_t *a = sw_lane_ptr(x, o);
        LANES addr[i] = a[i] + add;
    }
}

/* How the lanes' addresses lie. */
typedef struct {
    uint64_t min, max, low_bits; /* over the lanes of the mask */
    bool is_run;                 /* all lanes active and consecutive */
    bool is_one;                 /* all the same */
} layout;

static inline layout
look(const uint64_t addr[32], uint32_t mask, uint64_t step)
{
    bool is_full = mask == UINT32_MAX;
    uint64_t first = addr[__builtin_ctz(mask)], run = 0;
    uint64_t min = first, max = first, low = 0;
    if (is_full) {
        LANES
        {
            min = addr[i] < min ? addr[i] : min;
            max = addr[i] > max ? addr[i] : max;
            low |= addr[i];
            run |= addr[i] ^ (first + (uint64_t)i * step);
        }
    } else {
        LANES
        {
            uint64_t a = mask >> i & 1 ? addr[i] : first;
            min = a < min ? a : min;
            max = a > max ? a : max;
            low |= a;
        }
    }
    return (layout){min, max, low, is_full && run == 0, is_full && min == max};
}

/* Local memory: each lane has its own, a fixed distance from the next one's.
 * False: an offset is out of range or misaligned, or rather not looked at. */
static inline bool
form_local(const sw_run *run, const sw_dins *d, unsigned src, uint32_t bytes,
           uint32_t mask, uint64_t addr[32])
{
    const uint64_t stride = run->warp->blk->local_stride;
    const uint64_t base = (uint64_t)(uintptr_t)run->warp->local;
    const sw_opnd *opnd = &d->ins->opnd[src];
    uint64_t offset = (uint64_t)d->ins->offset;
    if (opnd->kind == SW_OPND_SYM) { /* a slot of the frame */
        offset += run->frame->local + opnd->sym->address + opnd->imm;
        LANES addr[i] = offset;
    } else {
        form(&run->x, d, src, offset, addr);
    }
    uint64_t bad = 0;
    LANES
    {
        uint64_t is_out = addr[i] > stride - bytes;
        uint64_t runs = -(uint64_t)(mask >> i & 1);
        bad |= (is_out | (addr[i] & (bytes - 1))) & runs;
    }
    LANES addr[i] += base + (uint64_t)i * stride;
    return bad == 0 && bytes <= stride;
}

/* Forms and checks the addresses of a load or store. */
static inline bool
prepare(sw_run *run, const sw_dins *d, unsigned src, uint32_t mask,
        uint64_t addr[32], layout *l)
{
    uint32_t bytes = (uint32_t)d->mem_bytes * d->ins->vec;
    uint64_t offset = (uint64_t)d->ins->offset;
    if (d->ins->space == SW_SPACE_SHARED) {
        const sw_blk *blk = run->warp->blk;
        const uint64_t base = (uint64_t)(uintptr_t)blk->shared;
        form(&run->x, d, src, offset, addr);
        LANES addr[i] = base + (uint32_t)addr[i]; /* offsets have 32 bits */
        *l = look(addr, mask, bytes);
        if (l->min >= base && l->max + bytes <= base + blk->shared_bytes &&
            !(l->low_bits & (bytes - 1)))
            return true;
    } else if (d->ins->space == SW_SPACE_LOCAL) {
        if (form_local(run, d, src, bytes, mask, addr)) {
            *l = look(addr, mask, bytes);
            return true;
        }
    } else if (d->ins->space != SW_SPACE_PARAM &&
               d->ins->space != SW_SPACE_SHARED_CLUSTER) {
        form(&run->x, d, src, offset, addr);
        *l = look(addr, mask, bytes);
        if (sw_mem_is_plain(run->warp->blk->mem, l->min, l->max + bytes - 1) &&
            !(l->low_bits & (bytes - 1)))
            return true;
    }
    /* The rest: slower, complete, and the one to report faults. */
    if (!sw_interp_addresses(run, d, src, mask, bytes, bytes, addr))
        return false;
    *l = look(addr, mask, bytes);
    return true;
}

/* M: what lies in memory; R: the register's type, M widened as M's sign. */
#define LOAD(name, M, R)                                                       \
    UNCHECKED static void load_##name(const sw_run *run, const sw_dins *d,     \
                                      uint32_t mask, const uint64_t *addr,     \
                                      const layout *l)                         \
    {                                                                          \
        const sw_oref *o = sw_dins_orefs(d);                                   \
        unsigned vec = d->ins->vec;                                            \
        for (unsigned k = 0; k < vec; k++) {                                   \
            R *r = sw_lane_ptr(&run->x, o[k]);                                 \
            if (l->is_one) {                                                   \
                const R v = (R)((const M *)(uintptr_t)addr[0])[k];             \
                LANES r[i] = v;                                                \
            } else if (l->is_run && vec == 1) {                                \
                const M *p = (const M *)(uintptr_t)addr[0];                    \
                LANES r[i] = (R)p[i];                                          \
            } else if (l->is_run) {                                            \
                const M *p = (const M *)(uintptr_t)addr[0] + k;                \
                for (unsigned i = 0; i < 32; i++)                              \
                    r[i] = (R)p[i * vec];                                      \
            } else if (mask == UINT32_MAX) {                                   \
                for (int i = 0; i < 32; i++)                                   \
                    r[i] = (R)((const M *)(uintptr_t)addr[i])[k];              \
            } else {                                                           \
                for (uint32_t m = mask; m; m &= m - 1) {                       \
                    int i = __builtin_ctz(m);                                  \
                    r[i] = (R)((const M *)(uintptr_t)addr[i])[k];              \
                }                                                              \
            }                                                                  \
        }                                                                      \
    }

/* Of the lanes of a mask, bit t of the result is that of lane t ^ turn. */
static inline uint32_t
in_turn(uint32_t mask, unsigned turn)
{
    if (turn & 16)
        mask = mask << 16 | mask >> 16;
    if (turn & 8)
        mask = (mask & 0x00FF00FF) << 8 | (mask >> 8 & 0x00FF00FF);
    if (turn & 4)
        mask = (mask & 0x0F0F0F0F) << 4 | (mask >> 4 & 0x0F0F0F0F);
    if (turn & 2)
        mask = (mask & 0x33333333) << 2 | (mask >> 2 & 0x33333333);
    if (turn & 1)
        mask = (mask & 0x55555555) << 1 | (mask >> 1 & 0x55555555);
    return mask;
}

/* Bits of R that fit in M. */
#define STORE(name, M, R)                                                      \
    UNCHECKED static void store_##name(const sw_run *run, const sw_dins *d,    \
                                       uint32_t mask, const uint64_t *addr,    \
                                       const layout *l)                        \
    {                                                                          \
        const sw_oref *o = sw_dins_orefs(d) + 1;                               \
        unsigned vec = d->ins->vec;                                            \
        unsigned turn = sw_store_turn(sizeof(M) * vec);                        \
        uint32_t turns = in_turn(mask, turn);                                  \
        for (unsigned k = 0; k < vec; k++) {                                   \
            const R *r = sw_lane_ptr(&run->x, o[k]);                           \
            if (l->is_run && vec == 1) {                                       \
                M *p = (M *)(uintptr_t)addr[0];                                \
                LANES p[i] = (M)r[i];                                          \
            } else {                                                           \
                for (uint32_t m = turns; m; m &= m - 1) {                      \
                    unsigned i = (unsigned)__builtin_ctz(m) ^ turn;            \
                    ((M *)(uintptr_t)addr[i])[k] = (M)r[i];                    \
                }                                                              \
            }                                                                  \
        }                                                                      \
    }

LOAD(u8_16, uint8_t, uint16_t)
LOAD(u8_32, uint8_t, uint32_t)
LOAD(u8_64, uint8_t, uint64_t)
LOAD(s8_16, int8_t, uint16_t)
LOAD(s8_32, int8_t, uint32_t)
LOAD(s8_64, int8_t, uint64_t)
LOAD(u16_16, uint16_t, uint16_t)
LOAD(u16_32, uint16_t, uint32_t)
LOAD(u16_64, uint16_t, uint64_t)
LOAD(s16_32, int16_t, uint32_t)
LOAD(s16_64, int16_t, uint64_t)
LOAD(u32_32, uint32_t, uint32_t)
LOAD(u32_64, uint32_t, uint64_t)
LOAD(s32_64, int32_t, uint64_t)
LOAD(u64_64, uint64_t, uint64_t)
STORE(8_16, uint8_t, uint16_t)
STORE(8_32, uint8_t, uint32_t)
STORE(8_64, uint8_t, uint64_t)
STORE(16_16, uint16_t, uint16_t)
STORE(16_32, uint16_t, uint32_t)
STORE(16_64, uint16_t, uint64_t)
STORE(32_32, uint32_t, uint32_t)
STORE(32_64, uint32_t, uint64_t)
STORE(64_64, uint64_t, uint64_t)

typedef void move_fn(const sw_run *run, const sw_dins *d, uint32_t mask,
                     const uint64_t *addr, const layout *l);

/* 16-byte elements, lane by lane: rare. */
static void
load_128(const sw_run *run, const sw_dins *d, uint32_t mask,
         const uint64_t *addr, const layout *l)
{
    (void)l;
    const sw_oref *o = sw_dins_orefs(d);
    for (unsigned k = 0; k < d->ins->vec; k++)
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = __builtin_ctz(m);
            memcpy((uint8_t *)sw_lane_ptr(&run->x, o[k]) + i * 16,
                   (const uint8_t *)(uintptr_t)addr[i] + k * 16, 16);
        }
}

static void
store_128(const sw_run *run, const sw_dins *d, uint32_t mask,
          const uint64_t *addr, const layout *l)
{
    (void)l;
    const sw_oref *o = sw_dins_orefs(d) + 1;
    unsigned turn = sw_store_turn(16u * d->ins->vec);
    for (unsigned k = 0; k < d->ins->vec; k++)
        for (uint32_t m = in_turn(mask, turn); m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m) ^ turn;
            memcpy((uint8_t *)(uintptr_t)addr[i] + k * 16,
                   (const uint8_t *)sw_lane_ptr(&run->x, o[k]) + i * 16, 16);
        }
}

/* Elements that are moved at once, lane by lane; see sw_ins_is_whole. Aligned
 * vectors of 16 bytes are, by all processors that have AVX. */
typedef uint8_t bytes16 __attribute__((vector_size(16), may_alias));

static UNCHECKED void
load_whole(const sw_run *run, const sw_dins *d, uint32_t mask,
           const uint64_t *addr)
{
    const sw_oref *o = sw_dins_orefs(d);
    unsigned bits = d->mem_bytes * 8u, unit = d->mem_bytes * d->ins->vec;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        uint8_t all[16];
        if (unit == 16) {
            bytes16 v = *(const volatile bytes16 *)(uintptr_t)addr[i];
            memcpy(all, &v, 16);
        } else if (unit == 8) {
            uint64_t v = *(const volatile uint64_t *)(uintptr_t)addr[i];
            memcpy(all, &v, 8);
        } else {
            memcpy(all, (const void *)(uintptr_t)addr[i], unit);
        }
        for (unsigned k = 0; k < d->ins->vec; k++) {
            uint64_t v = 0;
            memcpy(&v, all + k * d->mem_bytes, d->mem_bytes);
            if (d->mem_signed)
                v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
            sw_interp_put(&run->x, o[k], (sw_class)d->val_class, i, v);
        }
    }
}

static UNCHECKED void
store_whole(const sw_run *run, const sw_dins *d, uint32_t mask,
            const uint64_t *addr)
{
    const sw_oref *o = sw_dins_orefs(d) + 1;
    unsigned unit = d->mem_bytes * d->ins->vec, turn = sw_store_turn(unit);
    for (uint32_t m = in_turn(mask, turn); m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m) ^ turn;
        uint8_t all[16] = {0};
        for (unsigned k = 0; k < d->ins->vec; k++) {
            uint64_t v =
                sw_interp_get(&run->x, o[k], (sw_class)d->val_class, i);
            memcpy(all + k * d->mem_bytes, &v, d->mem_bytes);
        }
        if (unit == 16) {
            bytes16 v;
            memcpy(&v, all, 16);
            *(volatile bytes16 *)(uintptr_t)addr[i] = v;
        } else if (unit == 8) {
            uint64_t v;
            memcpy(&v, all, 8);
            *(volatile uint64_t *)(uintptr_t)addr[i] = v;
        } else {
            memcpy((void *)(uintptr_t)addr[i], all, unit);
        }
    }
}

/* exec/late.h; false: it does not wait. */
static bool
store_late(const sw_run *run, const sw_dins *d, uint32_t mask,
           const uint64_t *addr)
{
    const sw_oref *o = sw_dins_orefs(d) + 1;
    unsigned each = d->mem_bytes, unit = each * d->ins->vec;
    unsigned turn = sw_store_turn(unit);
    if (d->ins->space == SW_SPACE_SHARED || d->ins->space == SW_SPACE_LOCAL ||
        unit > SW_LATE_BYTES || !sw_late_picks())
        return false;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[__builtin_ctz(m)];
        if (!sw_mem_is_plain(run->warp->blk->mem, a, a + unit - 1))
            return false;
    }
    for (uint32_t m = in_turn(mask, turn); m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m) ^ turn;
        uint8_t all[SW_LATE_BYTES] = {0};
        for (unsigned k = 0; k < d->ins->vec; k++) {
            const uint8_t *lanes = sw_lane_ptr(&run->x, o[k]);
            uint64_t v = 0;
            if (each < 16)
                v = sw_interp_get(&run->x, o[k], (sw_class)d->val_class, i);
            memcpy(all + k * each,
                   each < 16 ? (const void *)&v : lanes + 16 * i, each);
        }
        sw_late_store(run->warp, addr[i], all, unit);
    }
    return true;
}

/* [log2 of the bytes in memory][signed][register class - B16] */
static move_fn *const loads[4][2][3] = {
    {{load_u8_16, load_u8_32, load_u8_64},
     {load_s8_16, load_s8_32, load_s8_64}},
    {{load_u16_16, load_u16_32, load_u16_64},
     {load_u16_16, load_s16_32, load_s16_64}},
    {{NULL, load_u32_32, load_u32_64}, {NULL, load_u32_32, load_s32_64}},
    {{NULL, NULL, load_u64_64}, {NULL, NULL, load_u64_64}}};

static move_fn *const stores[4][3] = {{store_8_16, store_8_32, store_8_64},
                                      {store_16_16, store_16_32, store_16_64},
                                      {NULL, store_32_32, store_32_64},
                                      {NULL, NULL, store_64_64}};

static void
note(const sw_run *run, const sw_dins *d, uint32_t mask, const uint64_t *addr,
     bool is_store)
{
    if (d->ins->space != SW_SPACE_LOCAL)
        sw_turns_note(run->warp->blk, run->warp->index, is_store, mask, addr,
                      (uint32_t)d->mem_bytes * d->ins->vec);
}

bool
SW_LANE_LOAD(SW_VARIANT)(sw_run *run, const sw_dins *d, uint32_t mask)
{
    uint64_t addr[32];
    layout l;
    if (!prepare(run, d, d->ndst, mask, addr, &l))
        return false;
    if (run->observe)
        sw_interp_observe(run, d, mask, addr,
                          (uint32_t)d->mem_bytes * d->ins->vec);
    if (run->in_turn)
        note(run, d, mask, addr, false);
    if (sw_late_is_on)
        sw_late_touch(run->warp, mask, addr,
                      (uint32_t)d->mem_bytes * d->ins->vec);
    if (d->ins->vec > 1 && sw_ins_is_whole(d->ins))
        load_whole(run, d, mask, addr);
    else if (d->mem_bytes == 16)
        load_128(run, d, mask, addr, &l);
    else
        loads[__builtin_ctz(d->mem_bytes)][d->mem_signed]
             [d->val_class - SW_CLASS_B16](run, d, mask, addr, &l);
    return true;
}

bool
SW_LANE_STORE(SW_VARIANT)(sw_run *run, const sw_dins *d, uint32_t mask)
{
    uint64_t addr[32];
    layout l;
    if (!prepare(run, d, 0, mask, addr, &l))
        return false;
    if (run->observe)
        sw_interp_observe(run, d, mask, addr,
                          (uint32_t)d->mem_bytes * d->ins->vec);
    if (run->in_turn)
        note(run, d, mask, addr, true);
    if (sw_late_is_on)
        sw_late_touch(run->warp, mask, addr,
                      (uint32_t)d->mem_bytes * d->ins->vec);
    if (sw_late_is_on && store_late(run, d, mask, addr))
        return true;
    if (d->ins->vec > 1 && sw_ins_is_whole(d->ins))
        store_whole(run, d, mask, addr);
    else if (d->mem_bytes == 16)
        store_128(run, d, mask, addr, &l);
    else
        stores[__builtin_ctz(d->mem_bytes)][d->val_class - SW_CLASS_B16](
            run, d, mask, addr, &l);
    return true;
}
