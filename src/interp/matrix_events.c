/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_events.c - what observers see of wmma.load and wmma.store: the
 * accesses that a device's assembler makes of them.
 *
 * Read off the machine code of ptxas 13.0 for 8.0 and 9.0: each lane accesses
 * its elements, neighbours in memory together. Where those of a 16-bit fragment
 * do not lie side by side in memory it moves tiles of 8x8 as they lie there and
 * transposes registers (MOVM). From shared memory, where the instruction names
 * it, a and b of up to 16 bits come by ldmatrix. An assembler for 7.5 makes two
 * ldmatrix of one of four tiles; one for 7.0 lays fragments out in another way,
 * which is not done here.
 */
#include "interp/interp.h"
#include "sem/matrix.h"

enum { TILE = 8, ELEMS_MAX = 32 };

/* A fragment in memory: rows and columns are those of memory, `major` apart by
 * the stride. */
typedef struct {
    sw_matrix mx;
    char which;
    sw_sem_frag frag;
    bool by_row;
    uint64_t stride;      /* elements */
    const uint64_t *base; /* [32] */
} fragment;

static void
place_of(const fragment *f, unsigned lane, unsigned reg, unsigned part,
         unsigned *major, unsigned *minor)
{
    unsigned row, col;
    sw_sem_matrix_place(&f->mx, f->which, &f->frag, lane, reg, part, &row,
                        &col);
    *major = f->by_row ? row : col;
    *minor = f->by_row ? col : row;
}

static uint64_t
address_of(const fragment *f, unsigned lane, unsigned major, unsigned minor)
{
    return f->base[lane] + (major * f->stride + minor) * f->frag.elem_bits / 8;
}

/* Fragments of f16 have eight registers where two or four are enough. */
static bool
is_copy(const fragment *f, unsigned reg)
{
    unsigned major, minor, a, b;
    place_of(f, 0, reg, 0, &major, &minor);
    for (unsigned r = 0; r < reg; r++) {
        place_of(f, 0, r, 0, &a, &b);
        if (a == major && b == minor)
            return true;
    }
    return false;
}

/* Four lanes of a row with a register each hold 16 bytes of memory's row. */
static bool
is_tile_as_it_lies(const fragment *f)
{
    unsigned major, minor, a, b;
    place_of(f, 0, 0, 0, &major, &minor);
    place_of(f, 0, 0, f->frag.per_reg - 1u, &a, &b);
    return a == major && b == minor + f->frag.per_reg - 1u;
}

static void
observe_by_tiles(sw_run *run, const sw_dins *d, const fragment *f)
{
    unsigned most = f->frag.elem_bits == 16 ? 4 : 2, tiles = 0;
    uint64_t addr[SW_WARP_LANES] = {0};
    for (unsigned r = 0; r <= f->frag.regs; r++) {
        unsigned major, minor;
        bool ends = r == f->frag.regs;
        if (tiles == most || (ends && tiles)) {
            uint32_t mask = (uint32_t)(((uint64_t)1 << TILE * tiles) - 1);
            sw_interp_observe(run, d, mask, addr, 16);
            tiles = 0;
        }
        if (ends || is_copy(f, r))
            continue;
        place_of(f, 0, r, 0, &major, &minor);
        for (unsigned k = 0; k < TILE; k++)
            addr[TILE * tiles + k] = address_of(f, k, major + k, minor);
        tiles++;
    }
}

/* A register of two elements in different rows of memory: its tile is moved as
 * it lies there. */
static void
observe_turned(sw_run *run, const sw_dins *d, const fragment *f, unsigned reg)
{
    uint64_t addr[SW_WARP_LANES];
    unsigned major, minor;
    place_of(f, 0, reg, 0, &major, &minor);
    for (unsigned i = 0; i < SW_WARP_LANES; i++)
        addr[i] = address_of(f, i, major + i / 4, minor + 2 * (i % 4));
    sw_interp_observe(run, d, UINT32_MAX, addr, 4);
}

/* Element e of those that a lane has, copies left out. */
typedef struct {
    uint8_t reg[ELEMS_MAX], part[ELEMS_MAX];
    unsigned count;
} elements;

static void
observe_by_lanes(sw_run *run, const sw_dins *d, const fragment *f,
                 const elements *all)
{
    for (unsigned e = 0, run_of = 1; e < all->count; e += run_of) {
        uint64_t addr[SW_WARP_LANES];
        unsigned major, minor, a, b;
        place_of(f, 0, all->reg[e], all->part[e], &major, &minor);
        for (run_of = 1; e + run_of < all->count; run_of++) {
            place_of(f, 0, all->reg[e + run_of], all->part[e + run_of], &a, &b);
            if (a != major || b != minor + run_of)
                break;
        }
        for (unsigned i = 0; i < SW_WARP_LANES; i++) {
            place_of(f, i, all->reg[e], all->part[e], &major, &minor);
            addr[i] = address_of(f, i, major, minor);
        }
        sw_interp_observe(run, d, UINT32_MAX, addr,
                          run_of * f->frag.elem_bits / 8);
    }
}

void
sw_interp_observe_fragment(sw_run *run, const sw_dins *d, char which,
                           bool row_major, uint64_t stride,
                           const uint64_t base[SW_WARP_LANES])
{
    const sw_ins *ins = d->ins;
    fragment f = {.mx = *(const sw_matrix *)ins->aux,
                  .which = which,
                  .by_row = row_major,
                  .stride = stride,
                  .base = base};
    bool loads_operand = which == 'a' || which == 'b';
    /* Wide results are computed as tall ones, transposed. */
    if (!loads_operand && f.mx.m < f.mx.n) {
        uint16_t m = f.mx.m;
        f.mx.m = f.mx.n;
        f.mx.n = m;
        f.by_row = !row_major;
    }
    if (!sw_sem_matrix_frag(&f.mx, which, true, &f.frag))
        return;
    bool lies = is_tile_as_it_lies(&f);
    if (loads_operand && ins->space == SW_SPACE_SHARED &&
        (f.frag.elem_bits == 16 || (f.frag.elem_bits < 16 && lies))) {
        observe_by_tiles(run, d, &f);
        return;
    }
    elements all = {.count = 0};
    for (unsigned r = 0; r < f.frag.regs; r++) {
        if (is_copy(&f, r))
            continue;
        if (f.frag.elem_bits == 16 && !lies)
            observe_turned(run, d, &f, r);
        for (unsigned p = 0; p < f.frag.per_reg && all.count < ELEMS_MAX; p++) {
            all.reg[all.count] = (uint8_t)r;
            all.part[all.count++] = (uint8_t)p;
        }
    }
    if (f.frag.elem_bits != 16 || lies)
        observe_by_lanes(run, d, &f, &all);
}
