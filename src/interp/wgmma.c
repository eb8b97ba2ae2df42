/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wgmma.c - products of warpgroups: a warp's 16 rows of a (64 x k), b (k x n)
 * and d. They are computed as products of 16 x 8, as mma has them: fragments of
 * a and of d lie in registers like mma's, and what lies in shared memory is
 * brought into the same form.
 *
 * Matrices in shared memory are made of units of 16 bytes (PTX ISA 9.7.15.5):
 * elements along k of one row, or, transposed, eight rows' elements of one k.
 * A descriptor says where the units are.
 */
#include <string.h>

#include "interp/interp.h"
#include "interp/turn.h"
#include "sem/matrix.h"

enum {
    UNIT = 16,
    ROWS = 16,    /* of a, that a warp has */
    A_REGS = 4,   /* of a's fragment, in registers or not */
    B_REGS = 4,   /* of eight columns of b, at most */
    SUM_REGS = 4, /* of a tile of d, at most */
    GROUP_WARPS = 4
};

/* A matrix in shared memory: bytes, but the swizzle's width in units (1: there
 * is none). */
typedef struct {
    uint32_t start, leading, stride, base, width;
    bool turned; /* units lie along rows */
} group_matrix;

/* What is told to an observer once it is 32 units. */
typedef struct {
    uint64_t addr[SW_WARP_LANES];
    unsigned count;
} seen_units;

/* ---- where units are ---- */

static group_matrix
open_descriptor(uint64_t v, bool turned)
{
    static const uint8_t widths[] = {1, 8, 4, 2};
    return (group_matrix){.start = (uint32_t)(v & 0x3fff) << 4,
                          .leading = (uint32_t)(v >> 16 & 0x3fff) << 4,
                          .stride = (uint32_t)(v >> 32 & 0x3fff) << 4,
                          .base = (uint32_t)(v >> 49 & 7),
                          .width = widths[v >> 62],
                          .turned = turned};
}

/* The unit of row i and elements j along k; of a turned matrix of rows 8 * i ..
 * and element j along k. */
static uint32_t
place_unit(const group_matrix *g, uint32_t i, uint32_t j)
{
    uint32_t w = g->width, at = g->start, low;
    if (!g->turned && w == 1)
        at += i / 8 * g->stride + i % 8 * UNIT + j * g->leading;
    else if (!g->turned)
        at += i / 8 * g->stride + i % 8 * w * UNIT + j % w * UNIT +
              j / w * g->leading;
    else if (w == 1)
        at += i * g->stride + j % 8 * UNIT + j / 8 * g->leading;
    else
        at += i % w * UNIT + i / w * g->leading + j % 8 * w * UNIT +
              j / 8 * g->stride;
    low = ((at >> 7) - g->base) & (w - 1);
    return at ^ low << 4;
}

static const uint8_t *
find_unit(sw_run *run, const sw_dins *d, const group_matrix *g, uint32_t i,
          uint32_t j, seen_units *seen)
{
    const sw_blk *blk = run->warp->blk;
    uint32_t at = place_unit(g, i, j);
    if (blk->shared_bytes < UNIT || at > blk->shared_bytes - UNIT) {
        sw_engine_fault(run->warp, run->code->fn, d->ins, 0,
                        SW_E_ILLEGAL_ADDRESS, SW_FAULT_PLAIN, at,
                        "a matrix descriptor of wgmma leads to offset %u of "
                        "the block's shared memory, which has %u bytes",
                        at, blk->shared_bytes);
        return NULL;
    }
    if (run->observe) {
        seen->addr[seen->count++] = (uint64_t)(uintptr_t)blk->shared + at;
        if (seen->count == SW_WARP_LANES) {
            sw_interp_observe(run, d, UINT32_MAX, seen->addr, UNIT);
            seen->count = 0;
        }
    }
    return blk->shared + at;
}

/* Eight rows from `row` on, a multiple of 8, and the elements of unit j along
 * k: a register of all lanes. */
static bool
load_register(sw_run *run, const sw_dins *d, const group_matrix *g,
              uint32_t row, uint32_t j, uint32_t *reg, seen_units *seen)
{
    uint8_t rows[8][UNIT];
    for (uint32_t i = 0; i < 8; i++) {
        const uint8_t *p = g->turned
                               ? find_unit(run, d, g, row / 8, 8 * j + i, seen)
                               : find_unit(run, d, g, row + i, j, seen);
        if (!p)
            return false;
        memcpy(g->turned ? rows[i] : (uint8_t *)(reg + 4 * i), p, UNIT);
    }
    if (g->turned)
        turn(rows[0], UNIT, (uint8_t *)reg, UNIT);
    return true;
}

/* ---- products ---- */

static void
negate(sw_type type, uint32_t *reg)
{
    unsigned bits = sw_type_bits(type);
    uint32_t signs = bits == 32   ? 0x80000000
                     : bits == 16 ? 0x80008000
                                  : 0x80808080;
    for (unsigned i = 0; i < SW_WARP_LANES; i++)
        reg[i] ^= signs;
}

bool
sw_interp_group_tile(const sw_matrix *group, sw_matrix *tile)
{
    sw_sem_frag frag;
    uint8_t *counts[4] = {&tile->aregs, &tile->bregs, &tile->cregs,
                          &tile->dregs};
    *tile = *group;
    tile->m = ROWS;
    tile->n = 8;
    tile->a_row = true;
    tile->b_row = false;
    tile->group = true;
    for (int i = 0; i < 4; i++) {
        if (!sw_sem_matrix_frag(tile, "abcd"[i], false, &frag))
            return false;
        *counts[i] = frag.regs;
    }
    return tile->dtype != SW_T_F16 &&
           (sw_type_kind(tile->atype) != SW_KIND_FLOAT ||
            sw_type_bits(tile->atype) != 8);
}

/* The operands of a tile, and room for the sums where `sem` makes them. */
typedef struct {
    sw_matrix mx;
    uint32_t a[A_REGS][SW_WARP_LANES], b[B_REGS][SW_WARP_LANES];
    const uint32_t *names;
    uint64_t a_wide[A_REGS][SW_WARP_LANES], names_wide[SW_WARP_LANES];
} group_tile;

static void
widen(const uint32_t (*from)[SW_WARP_LANES], unsigned count,
      uint64_t (*to)[SW_WARP_LANES])
{
    for (unsigned r = 0; r < count; r++)
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            to[r][i] = from[r][i];
}

/* As sem/matrix.h has it; c may be d. */
static bool
multiply_plainly(const group_tile *t, const uint32_t *const c[],
                 uint32_t *const d[])
{
    uint64_t b[B_REGS][SW_WARP_LANES], sums[SUM_REGS][SW_WARP_LANES];
    unsigned count = t->mx.dregs;
    widen(t->b, t->mx.bregs, b);
    for (unsigned r = 0; r < count; r++)
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            sums[r][i] = c[r][i];
    if (!sw_sem_matrix_mma(&t->mx, false, t->a_wide, (const uint64_t(*)[32])b,
                           (const uint64_t(*)[32])sums, t->names_wide, sums))
        return false;
    for (unsigned r = 0; r < count; r++)
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            d[r][i] = (uint32_t)sums[r][i];
    return true;
}

static bool
multiply_tile(const sw_run *run, const sw_dins *d, const group_tile *t,
              const uint32_t *const c[], uint32_t *const out[])
{
    const sw_matrix_plan *plan = d->aux;
    const void *a[A_REGS], *b[B_REGS], *sums[SUM_REGS + 1];
    void *to[SUM_REGS];
    for (unsigned r = 0; r < A_REGS; r++)
        a[r] = t->a[r];
    for (unsigned r = 0; r < B_REGS; r++)
        b[r] = t->b[r];
    for (unsigned r = 0; r < t->mx.dregs; r++) {
        sums[r] = c[r];
        to[r] = out[r];
    }
    sums[t->mx.dregs] = t->names;
    return (plan && run->lanes->multiply(plan, a, b, sums, to)) ||
           multiply_plainly(t, c, out);
}

/* Operand `first` + r of d->ins, a register or a number of 32 bits. */
static uint32_t *
lanes_of(const sw_run *run, const sw_dins *d, unsigned operand)
{
    return sw_lane_ptr(&run->x, sw_dins_orefs(d)[operand]);
}

/* The warp's rows of a. */
static bool
load_a(sw_run *run, const sw_dins *d, unsigned operand, group_tile *t,
       seen_units *seen)
{
    const sw_matrix *mx = d->ins->aux;
    if (mx->aregs) {
        for (unsigned r = 0; r < A_REGS; r++)
            memcpy(t->a[r], lanes_of(run, d, operand + r), sizeof t->a[r]);
    } else {
        uint64_t v =
            sw_interp_get(&run->x, sw_dins_orefs(d)[operand], SW_CLASS_B64, 0);
        group_matrix g = open_descriptor(v, !mx->a_row);
        uint32_t row = run->warp->index % GROUP_WARPS * ROWS;
        for (unsigned r = 0; r < A_REGS; r++)
            if (!load_register(run, d, &g, row + r % 2 * 8, r / 2, t->a[r],
                               seen))
                return false;
    }
    for (unsigned r = 0; mx->neg_a && r < A_REGS; r++)
        negate(mx->atype, t->a[r]);
    widen((const uint32_t(*)[SW_WARP_LANES])t->a, A_REGS, t->a_wide);
    return true;
}

static bool
load_b(sw_run *run, const sw_dins *d, const group_matrix *g, unsigned column,
       group_tile *t, seen_units *seen)
{
    const sw_matrix *mx = d->ins->aux;
    for (unsigned r = 0; r < t->mx.bregs; r++) {
        if (!load_register(run, d, g, column, r, t->b[r], seen))
            return false;
        if (mx->neg_b)
            negate(mx->btype, t->b[r]);
    }
    return true;
}

/* Columns 8 * i.. of d; scale 0: nothing is there before. */
static bool
multiply_columns(sw_run *run, const sw_dins *d, const group_tile *t, unsigned i,
                 bool has_sums)
{
    static const uint32_t zeros[SW_WARP_LANES];
    uint32_t unused[SUM_REGS][SW_WARP_LANES];
    const uint32_t *c[SUM_REGS];
    uint32_t *out[SUM_REGS];
    for (unsigned r = 0; r < t->mx.dregs; r++) {
        unsigned number = i * t->mx.dregs + r;
        c[r] = has_sums ? lanes_of(run, d, d->ndst + number) : zeros;
        out[r] = d->ins->opnd[number].kind == SW_OPND_REG
                     ? lanes_of(run, d, number)
                     : unused[r];
    }
    return multiply_tile(run, d, t, c, out);
}

bool
sw_interp_group_multiply(sw_run *run, const sw_dins *d)
{
    const sw_matrix *mx = d->ins->aux;
    group_tile t = {.names = NULL};
    seen_units seen = {.count = 0};
    unsigned at = d->ndst + mx->cregs, b = at + (mx->aregs ? A_REGS : 1);
    sw_interp_group_tile(mx, &t.mx);
    uint64_t v = sw_interp_get(&run->x, sw_dins_orefs(d)[b], SW_CLASS_B64, 0);
    bool has_sums = lanes_of(run, d, b + 1)[0] != 0;
    group_matrix g = open_descriptor(v, mx->b_row);
    if (mx->sparse) {
        t.names = lanes_of(run, d, b + 2);
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            t.names_wide[i] = t.names[i];
    }
    bool ok = load_a(run, d, at, &t, &seen);
    for (unsigned i = 0; ok && i < mx->n / 8u; i++)
        ok = load_b(run, d, &g, 8 * i, &t, &seen) &&
             multiply_columns(run, d, &t, i, has_sums);
    if (seen.count)
        sw_interp_observe(run, d, (1u << seen.count) - 1, seen.addr, UNIT);
    return ok;
}
