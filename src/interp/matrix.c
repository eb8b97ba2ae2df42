/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix.c - matrix instructions of a warp: fragments to and from memory,
 * products, 8x8 transposition. All lanes of the warp take part.
 */
#include <string.h>

#include "interp/interp.h"
#include "interp/turn.h"
#include "sem/lanes.h"
#include "sem/matrix.h"

enum { REGS_MAX = 32 };

static bool
refuse(sw_run *run, const sw_dins *d, uint32_t mask)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_ir_print_ins(run->code->fn, d->ins, &text);
    sw_engine_fault(run->warp, run->code->fn, d->ins,
                    (unsigned)__builtin_ctz(mask), SW_E_ILLEGAL_INSTRUCTION,
                    SW_FAULT_PLAIN, 0, "the instruction '%s' is not supported",
                    text.p);
    sw_buf_finish(&text);
    return false;
}

static bool
need_whole_warp(sw_run *run, const sw_dins *d, uint32_t mask)
{
    if (mask == UINT32_MAX)
        return true;
    sw_engine_fault(run->warp, run->code->fn, d->ins,
                    (unsigned)__builtin_ctz(mask), SW_E_ILLEGAL_INSTRUCTION,
                    SW_FAULT_PLAIN, 0,
                    "a matrix instruction with lanes 0x%08x of the warp: all "
                    "32 must take part",
                    mask);
    return false;
}

/* ---- plans ---- */

static unsigned
element_count(const sw_sem_frag *f)
{
    return (unsigned)f->regs * f->per_reg * SW_WARP_LANES;
}

static void
place_of(const sw_matrix_plan *plan, char which, const sw_sem_frag *f,
         unsigned number, unsigned *row, unsigned *col)
{
    unsigned i = number / SW_WARP_LANES, lane = number % SW_WARP_LANES;
    sw_sem_matrix_place(plan->mx, which, f, lane, i / f->per_reg,
                        i % f->per_reg, row, col);
}

/* Do all these operands have registers of the fragment's width? */
static bool
has_width(const sw_fn *fn, const sw_ins *ins, unsigned first, unsigned count,
          const sw_sem_frag *f)
{
    sw_class cls = f->reg_bits == 64 ? SW_CLASS_B64 : SW_CLASS_B32;
    for (unsigned i = 0; i < count; i++)
        if (sw_ins_class(fn, ins, first + i) != cls)
            return false;
    return count == f->regs;
}

/* The tile, by number, that a register's first element begins. False: none. */
static bool
tile_of(const sw_matrix_plan *plan, int m, unsigned r, unsigned *row,
        unsigned *col, unsigned *tile)
{
    const sw_sem_frag *f = &plan->frag[m];
    const sw_matrix_tiles *t = &plan->tiles;
    unsigned along = 4u * f->per_reg, first = r * f->per_reg * SW_WARP_LANES;
    unsigned stored = plan->mx->sparse ? t->k / 2u : t->k; /* of a */
    place_of(plan, "abcd"[m], f, first, row, col);
    *tile = m == 0   ? *row / 8 * stored + *col / along
            : m == 1 ? *col / 8 * t->k + *row / along
                     : *row / 8 * t->n + *col / 8;
    return *tile < SW_MATRIX_TILES;
}

/* See sw_matrix_tiles. False: it does not lie so. Of registers that repeat
 * others the last count. */
static bool
plan_tiles(sw_matrix_plan *plan, int m)
{
    const sw_sem_frag *f = &plan->frag[m];
    bool pairs = m > 1 && f->per_reg == 1;
    unsigned step = m > 1 ? 2 : f->per_reg;
    if (f->regs > SW_MATRIX_REGS || (pairs && f->regs % 2))
        return false;
    for (unsigned e = 0; e < element_count(f); e++) {
        unsigned i = e / SW_WARP_LANES, lane = e % SW_WARP_LANES;
        unsigned r = i / f->per_reg, part = i % f->per_reg;
        unsigned down = lane / 4, along = lane % 4 * step + part;
        unsigned row, col, tile, first_row, first_col;
        place_of(plan, "abcd"[m], f, e, &row, &col);
        if (pairs && r % 2)
            along++, r--;
        if (!tile_of(plan, m, r, &first_row, &first_col, &tile) ||
            row != first_row + (m == 1 ? along : down) ||
            col != first_col + (m == 1 ? down : along))
            return false;
        plan->tiles.at[m][tile] = (uint8_t)r;
    }
    return true;
}

/* See sw_matrix_plan.place. */
static void
plan_places(sw_arena *arena, sw_matrix_plan *plan, int m)
{
    const sw_sem_frag *f = &plan->frag[m];
    int32_t *place = sw_arena_alloc(arena, element_count(f) * sizeof *place);
    for (unsigned e = 0; e < element_count(f); e++) {
        unsigned row, col;
        place_of(plan, "abcd"[m], f, e, &row, &col);
        unsigned at = row * f->cols + col;
        place[m == 3 ? e : at] = (int32_t)(m == 3 ? at : e);
    }
    plan->place[m] = place;
}

/* The product of m8n32, which lies as that of the transposes does. */
static void
turn_product(sw_arena *arena, sw_matrix_plan *plan)
{
    sw_matrix *turned = sw_arena_alloc(arena, sizeof *turned);
    const sw_matrix *mx = plan->mx;
    *turned = *mx;
    turned->m = mx->n;
    turned->n = mx->m;
    turned->atype = mx->btype;
    turned->btype = mx->atype;
    turned->aregs = mx->bregs;
    turned->bregs = mx->aregs;
    plan->mx = turned;
    plan->turned = true;
}

/* See sw_matrix_plan.names. */
static bool
plan_names(sw_arena *arena, sw_matrix_plan *plan)
{
    const sw_matrix *mx = plan->mx;
    unsigned bits = sw_type_bits(mx->atype), units = mx->k / 2u;
    bool is_float = sw_type_kind(mx->atype) == SW_KIND_FLOAT;
    if (bits > 16 || (is_float && bits < 16))
        return false; /* names of half elements; two sums */
    unsigned count = (bits == 4 ? units / 2 : units) / 2, n = 0;
    sw_matrix_names *names =
        sw_arena_alloc(arena, mx->m * count * sizeof *names);
    for (unsigned row = 0; row < mx->m; row++)
        for (unsigned i = 0; i < count; i++) {
            unsigned lane, at;
            sw_sem_matrix_name(mx, row, 2 * i, &lane, &at);
            names[n++] = (sw_matrix_names){(uint8_t)lane, (uint8_t)at};
        }
    plan->names = names;
    return true;
}

static bool
has_dots(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512vnni") != 0;
#else
    return false;
#endif
}

/* False: not a product that matrix_lanes.c knows. ins: NULL, or what names the
 * registers. */
static bool
plan_product(sw_arena *arena, const sw_fn *fn, const sw_ins *ins,
             sw_matrix_plan *plan)
{
    if (!sw_sem_matrix_has_product(plan->mx) ||
        (plan->mx->sparse && !plan_names(arena, plan)))
        return false;
    if (plan->mx->m == 8 && plan->mx->n == 32)
        turn_product(arena, plan);
    const sw_matrix *mx = plan->mx;
    const uint8_t counts[4] = {mx->aregs, mx->bregs, mx->cregs, mx->dregs};
    unsigned bits = sw_type_bits(mx->atype), opnd = ins ? ins->ndst : 0;
    bool is_float = sw_type_kind(mx->atype) == SW_KIND_FLOAT;
    const unsigned first[4] = {opnd + (plan->turned ? mx->bregs : 0u),
                               opnd + (plan->turned ? 0u : mx->aregs),
                               opnd + mx->aregs + mx->bregs, 0};
    for (int m = 0; m < 4; m++) {
        sw_sem_frag *f = &plan->frag[m];
        if (!sw_sem_matrix_frag(mx, "abcd"[m], plan -> wmma, f) || f->quads ||
            (ins && !has_width(fn, ins, first[m], counts[m], f)))
            return false;
    }
    const sw_sem_frag *a = &plan->frag[0];
    plan->tiles.m = (uint8_t)(mx->m / 8);
    plan->tiles.n = (uint8_t)(mx->n / 8);
    plan->tiles.k = (uint8_t)(mx->k / (4u * a->per_reg));
    plan->has_dots = has_dots();
    if (plan->tiles.n > SW_MATRIX_COLUMNS || plan->tiles.k > SW_MATRIX_LENGTH ||
        mx->m * mx->n > SW_MATRIX_SUMS)
        return false;
    for (int m = 0; m < 4; m++) {
        if (!plan_tiles(plan, m))
            return false;
        if (is_float && bits < 64 && bits > 8 && !mx->sparse)
            plan_places(arena, plan, m);
    }
    for (unsigned i = 0; mx->sparse && i < SW_MATRIX_TILES; i++) {
        plan->stored[i] = plan->tiles.at[0][i];
        plan->tiles.at[0][i] = (uint8_t)i;
    }
    return plan->tiles.m * plan->tiles.k <= SW_MATRIX_TILES;
}

/* See sw_matrix_plan.moves: rows of memory that registers have. place: as
 * there. */
static void
plan_moves(sw_arena *arena, sw_matrix_plan *plan, const int32_t *place)
{
    const sw_sem_frag *f = &plan->frag[0];
    unsigned per = f->per_reg;
    sw_matrix_tile *tiles = sw_arena_alloc(arena, f->regs * sizeof *tiles);
    bool rows = true, columns = true,
         pairs = f->elem_bits >= 32 && f->regs % 2 == 0;
    for (unsigned e = 0; e < element_count(f); e++) {
        unsigned i = e / SW_WARP_LANES, lane = e % SW_WARP_LANES;
        unsigned r = i / per, g = lane / 4, t = lane % 4;
        unsigned row = (unsigned)place[e] >> 16, col = place[e] & 0xffff;
        if (lane == 0 && i % per == 0)
            tiles[r] = (sw_matrix_tile){(uint8_t)row, (uint8_t)col};
        unsigned down = row - tiles[r].row, along = col - tiles[r].col;
        rows &= down == g && along == t * per + i % per;
        columns &= down == t * per + i % per && along == g;
        pairs &= down == g && along == 2 * t &&
                 (r % 2 == 0 || (tiles[r].row == tiles[r - 1].row &&
                                 tiles[r].col == tiles[r - 1].col + 1));
    }
    if (!rows && !columns && !pairs)
        return;
    plan->moves = tiles;
    plan->lie = rows ? SW_TILE_ROWS : columns ? SW_TILE_COLUMNS : SW_TILE_PAIRS;
}

/* wmma.load and wmma.store. */
static bool
is_row_major(const sw_matrix *mx, char which)
{
    return which == 'a' ? mx->a_row : which == 'b' ? mx->b_row : mx->c_row;
}

static bool
plan_transfer(sw_arena *arena, const sw_fn *fn, const sw_ins *ins,
              sw_matrix_plan *plan)
{
    const sw_matrix *mx = plan->mx;
    bool store = ins->op == SW_OP_WMMA_STORE;
    char which = store ? 'd' : (char)mx->frag;
    unsigned first = store ? 2 : 0;
    sw_sem_frag *f = &plan->frag[0];
    if (!sw_sem_matrix_frag(mx, which, true, f) || f->quads ||
        f->elem_bits < 8 ||
        !has_width(fn, ins, first, store ? ins->nsrc - 2u : ins->ndst, f))
        return false;
    int32_t *place = sw_arena_alloc(arena, element_count(f) * sizeof *place);
    for (unsigned e = 0; e < element_count(f); e++) {
        unsigned row, col;
        place_of(plan, which, f, e, &row, &col);
        place[e] = (int32_t)(is_row_major(mx, which) ? row << 16 | col
                                                     : col << 16 | row);
    }
    plan->place[0] = place;
    plan_moves(arena, plan, place);
    return true;
}

const sw_matrix_plan *
sw_interp_matrix_plan(sw_arena *arena, const sw_fn *fn, const sw_ins *ins)
{
    sw_matrix_plan plan = {.mx = ins->aux, .wmma = ins->op != SW_OP_MMA};
    bool ok = false;
    if (ins->op == SW_OP_WGMMA) {
        sw_matrix *tile = sw_arena_alloc(arena, sizeof *tile);
        plan.mx = tile;
        plan.wmma = false;
        ok = sw_interp_group_tile(ins->aux, tile) &&
             plan_product(arena, fn, NULL, &plan);
    }
    if (ins->op == SW_OP_MMA || ins->op == SW_OP_WMMA)
        ok = plan_product(arena, fn, ins, &plan);
    else if (ins->op == SW_OP_WMMA_LOAD || ins->op == SW_OP_WMMA_STORE)
        ok = plan_transfer(arena, fn, ins, &plan);
    if (!ok)
        return NULL;
    sw_matrix_plan *kept = sw_arena_alloc(arena, sizeof *kept);
    *kept = plan;
    return kept;
}

/* ---- products ---- */

/* Registers `first`.. of the operands, all lanes. */
static void
get_registers(const sw_run *run, const sw_dins *d, unsigned first,
              unsigned count, uint64_t (*out)[SW_WARP_LANES])
{
    const sw_oref *o = sw_dins_orefs(d);
    for (unsigned r = 0; r < count; r++) {
        sw_class cls = sw_ins_class(run->code->fn, d->ins, first + r);
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            out[r][i] = sw_interp_get(&run->x, o[first + r], cls, i);
    }
}

static void
put_registers(const sw_run *run, const sw_dins *d, unsigned count,
              uint64_t (*values)[SW_WARP_LANES])
{
    const sw_oref *o = sw_dins_orefs(d);
    for (unsigned r = 0; r < count; r++) {
        sw_class cls = sw_ins_class(run->code->fn, d->ins, r);
        if (d->ins->opnd[r].kind != SW_OPND_REG)
            continue;
        for (unsigned i = 0; i < SW_WARP_LANES; i++)
            sw_interp_put(&run->x, o[r], cls, i, values[r][i]);
    }
}

static bool
multiply_lanes(const sw_run *run, const sw_dins *d)
{
    const sw_matrix_plan *plan = d->aux;
    const sw_oref *o = sw_dins_orefs(d);
    void *regs[4 * REGS_MAX];
    unsigned a = d->ndst, b = a + plan->frag[plan->turned ? 1 : 0].regs,
             c = a + plan->frag[0].regs + plan->frag[1].regs;
    unsigned count = c + plan->frag[2].regs + plan->mx->sparse;
    for (unsigned i = 0; i < count; i++)
        regs[i] = sw_lane_ptr(&run->x, o[i]);
    return run->lanes->multiply(plan, (const void *const *)regs + a,
                                (const void *const *)regs + b,
                                (const void *const *)regs + c, regs);
}

static bool
multiply(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_matrix *mx = d->ins->aux;
    uint64_t a[REGS_MAX][SW_WARP_LANES], b[REGS_MAX][SW_WARP_LANES],
        c[REGS_MAX][SW_WARP_LANES], names[1][SW_WARP_LANES];
    if (mx->aregs > REGS_MAX || mx->bregs > REGS_MAX || mx->cregs > REGS_MAX ||
        mx->dregs > REGS_MAX ||
        d->nsrc < mx->aregs + mx->bregs + mx->cregs + mx->sparse)
        return refuse(run, d, mask);
    unsigned at = d->ndst;
    if (d->aux && multiply_lanes(run, d))
        return true;
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    memset(c, 0, sizeof c);
    get_registers(run, d, at, mx->aregs, a);
    get_registers(run, d, at + mx->aregs, mx->bregs, b);
    get_registers(run, d, at + mx->aregs + mx->bregs, mx->cregs, c);
    get_registers(run, d, at + mx->aregs + mx->bregs + mx->cregs, mx->sparse,
                  names);
    if (!sw_sem_matrix_mma(mx, d->ins->op == SW_OP_WMMA,
                           (const uint64_t(*)[32])a, (const uint64_t(*)[32])b,
                           (const uint64_t(*)[32])c, names[0], c))
        return refuse(run, d, mask);
    put_registers(run, d, d->ndst, c);
    return true;
}

/* Copies between an element's place in a register and memory. Elements are
 * whole bytes except the 4- and 1-bit ones, which share a byte. */
static void
move_element(uint8_t *row, uint64_t *reg, unsigned index, unsigned part,
             unsigned bits, bool to_memory)
{
    uint64_t field = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    unsigned shift = part * bits;
    uint64_t bit = (uint64_t)index * bits;
    uint8_t *p = row + bit / 8;
    unsigned low = (unsigned)(bit % 8);
    if (bits >= 8) {
        uint64_t v = *reg >> shift & field;
        if (to_memory) {
            memcpy(p, &v, bits / 8);
        } else {
            v = 0;
            memcpy(&v, p, bits / 8);
            *reg = (*reg & ~(field << shift)) | v << shift;
        }
    } else if (to_memory) {
        uint64_t v = *reg >> shift & field;
        *p = (uint8_t)((*p & ~(field << low)) | v << low);
    } else {
        uint64_t v = (uint64_t)*p >> low & field;
        *reg = (*reg & ~(field << shift)) | v << shift;
    }
}

/* Where a fragment lies that all lanes name alike: `rows` rows of so many
 * bytes, `apart` bytes from each other. NULL: look at each element. */
static uint8_t *
find_fragment(const sw_run *run, const sw_dins *d, uint64_t rows,
              uint64_t bytes, uint64_t apart)
{
    const sw_blk *blk = run->warp->blk;
    const void *base = sw_lane_ptr(&run->x, sw_dins_orefs(d)[d->ndst]);
    const uint32_t *narrow = base;
    const uint64_t *wide = base;
    bool is_narrow = d->src_class == SW_CLASS_B32;
    uint64_t extent = (rows - 1) * apart + bytes;
    size_t others =
        (SW_WARP_LANES - 1) * (is_narrow ? sizeof *narrow : sizeof *wide);
    bool differs =
        memcmp(base, is_narrow ? (const void *)(narrow + 1) : wide + 1,
               others) != 0;
    uint64_t at = (is_narrow ? narrow[0] : wide[0]) + (uint64_t)d->ins->offset;
    if (differs)
        return NULL;
    if (d->ins->space == SW_SPACE_SHARED) {
        at = (uint32_t)at;
        return at <= blk->shared_bytes && extent <= blk->shared_bytes - at
                   ? blk->shared + at
                   : NULL;
    }
    if (d->ins->space != SW_SPACE_GLOBAL && d->ins->space != SW_SPACE_GENERIC)
        return NULL;
    uint8_t *p = (uint8_t *)(uintptr_t)at;
    uint64_t in_shared = at - (uint64_t)(uintptr_t)blk->shared;
    if (sw_mem_is_plain(blk->mem, at, at + extent - 1) ||
        (in_shared < blk->shared_bytes &&
         extent <= blk->shared_bytes - in_shared))
        return p;
    for (uint64_t row = 0; row < rows; row++, at += apart)
        if (!sw_mem_is_plain(blk->mem, at, at + bytes - 1))
            return NULL;
    return p;
}

/* All elements of a fragment, if it lies where they are known to be
 * accessible. */
static bool
transfer_lanes(const sw_run *run, const sw_dins *d, uint64_t stride,
               bool to_memory)
{
    const sw_matrix_plan *plan = d->aux;
    const sw_sem_frag *f = &plan->frag[0];
    const sw_oref *o = sw_dins_orefs(d) + (to_memory ? 2 : 0);
    bool by_rows =
        is_row_major(plan->mx, to_memory ? 'd' : (char)plan->mx->frag);
    unsigned rows = by_rows ? f->rows : f->cols;
    unsigned cols = by_rows ? f->cols : f->rows;
    unsigned bytes = f->elem_bits / 8u;
    void *regs[REGS_MAX];
    if (stride > UINT32_MAX)
        return false;
    uint8_t *base =
        find_fragment(run, d, rows, (uint64_t)cols * bytes, stride * bytes);
    if (!base || (uintptr_t)base % bytes != 0)
        return false;
    for (unsigned i = 0; i < f->regs; i++)
        regs[i] = sw_lane_ptr(&run->x, o[i]);
    run->lanes->transfer(plan, base, stride, regs, to_memory);
    return true;
}

/* One element after the other; addr: the lanes' bases. */
static bool
transfer_elements(sw_run *run, const sw_dins *d, const sw_sem_frag *f,
                  char which, uint64_t stride,
                  const uint64_t addr[SW_WARP_LANES])
{
    const sw_matrix *mx = d->ins->aux;
    bool store = d->ins->op == SW_OP_WMMA_STORE;
    bool row_major = is_row_major(mx, which);
    uint64_t regs[REGS_MAX][SW_WARP_LANES] = {{0}};
    unsigned elem_bytes = f->elem_bits < 8 ? 1 : f->elem_bits / 8u;
    if (store)
        get_registers(run, d, d->ndst + 2u, f->regs, regs);
    for (unsigned i = 0; i < SW_WARP_LANES; i++)
        for (unsigned r = 0; r < f->regs; r++)
            for (unsigned part = 0; part < f->per_reg; part++) {
                unsigned row, col;
                sw_sem_matrix_place(mx, which, f, i, r, part, &row, &col);
                unsigned major = row_major ? row : col;
                unsigned minor = row_major ? col : row;
                uint64_t bits = (major * stride) * f->elem_bits;
                uint64_t at[SW_WARP_LANES];
                at[i] = addr[i] + bits / 8 + (uint64_t)minor * f->elem_bits / 8;
                if (!sw_interp_check(run, d, 1u << i, at, elem_bytes, 1))
                    return false;
                move_element((uint8_t *)(uintptr_t)(addr[i] + bits / 8),
                             &regs[r][i], minor, part, f->elem_bits, store);
            }
    if (!store)
        put_registers(run, d, f->regs, regs);
    return true;
}

/* wmma.load and wmma.store: the stride counts elements. */
static bool
move_fragment(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    const sw_matrix *mx = ins->aux;
    bool store = ins->op == SW_OP_WMMA_STORE;
    char which = store ? 'd' : (char)mx->frag;
    bool row_major = is_row_major(mx, which);
    const sw_matrix_plan *plan = d->aux;
    sw_sem_frag frag;
    unsigned count = store ? d->nsrc - 2u : d->ndst;
    uint64_t addr[SW_WARP_LANES];
    if (plan)
        frag = plan->frag[0];
    else if (!sw_sem_matrix_frag(mx, which, true, &frag) || frag.quads ||
             frag.regs != count || count > REGS_MAX)
        return refuse(run, d, mask);
    uint64_t stride = row_major ? frag.cols : frag.rows;
    if (d->nsrc > 1)
        stride =
            sw_interp_get(&run->x, sw_dins_orefs(d)[d->ndst + 1],
                          sw_ins_class(run->code->fn, ins, d->ndst + 1u), 0);
    if (!run->observe && plan && transfer_lanes(run, d, stride, store))
        return true;
    if (!sw_interp_addresses(run, d, d->ndst, mask, 1, 1, addr))
        return false;
    if (run->observe)
        sw_interp_observe_fragment(run, d, which, row_major, stride, addr);
    return (run->observe && plan && transfer_lanes(run, d, stride, store)) ||
           transfer_elements(run, d, &frag, which, stride, addr);
}

/* A matrix of ldmatrix or stmatrix as sw_sem_matrix_slot says: rows of eight
 * elements of 16 bits. */
static UNCHECKED void
load_rows(const uint64_t addr[8], bool trans, uint32_t *reg)
{
    uint8_t rows[8][16];
    if (!trans) {
        for (unsigned row = 0; row < 8; row++)
            memcpy(reg + 4 * row, (const void *)(uintptr_t)addr[row], 16);
        return;
    }
    for (unsigned row = 0; row < 8; row++)
        memcpy(rows[row], (const void *)(uintptr_t)addr[row], 16);
    turn(rows[0], 16, (uint8_t *)reg, 16);
}

static UNCHECKED void
store_rows(const uint64_t addr[8], bool trans, const uint32_t *reg)
{
    uint32_t rows[8][4];
    if (trans) {
        turn((const uint8_t *)reg, 16, (uint8_t *)rows, 16);
        reg = rows[0];
    }
    for (unsigned row = 0; row < 8; row++)
        memcpy((void *)(uintptr_t)addr[row], reg + 4 * row, 16);
}

/* ldmatrix and stmatrix: lane 8m + r holds the address of row r of matrix m. */
static bool
move_rows(sw_run *run, const sw_dins *d, uint32_t mask)
{
    const sw_ins *ins = d->ins;
    bool store = ins->op == SW_OP_STMATRIX, trans = ins->sub == 1;
    unsigned count = (unsigned)ins->imm;
    uint64_t addr[SW_WARP_LANES];
    uint32_t *regs[4];
    if (count != 1 && count != 2 && count != 4)
        return refuse(run, d, mask);
    for (unsigned m = 0; m < count; m++)
        if (!(regs[m] =
                  sw_interp_lanes_32(run, d, store ? d->ndst + 1u + m : m)))
            return refuse(run, d, mask);
    uint32_t rows = count == 4 ? UINT32_MAX : (1u << (8 * count)) - 1;
    if (!sw_interp_addresses(run, d, d->ndst, rows, 16, 16, addr))
        return false;
    if (run->observe)
        sw_interp_observe(run, d, rows, addr, 16);
    for (unsigned m = 0; m < count; m++)
        if (store)
            store_rows(addr + 8 * m, trans, regs[m]);
        else
            load_rows(addr + 8 * m, trans, regs[m]);
    return true;
}

bool
sw_interp_matrix(sw_run *run, const sw_dins *d, uint32_t mask)
{
    if (!need_whole_warp(run, d, mask))
        return false;
    switch (d->ins->op) {
    case SW_OP_MMA:
    case SW_OP_WMMA:
        return multiply(run, d, mask);
    case SW_OP_WMMA_LOAD:
    case SW_OP_WMMA_STORE:
        return move_fragment(run, d, mask);
    case SW_OP_WGMMA:
        return sw_interp_group_multiply(run, d);
    case SW_OP_LDMATRIX:
    case SW_OP_STMATRIX:
        return move_rows(run, d, mask);
    default: { /* movmatrix */
        uint32_t v[SW_WARP_LANES];
        uint64_t wide[1][SW_WARP_LANES];
        get_registers(run, d, d->ndst, 1, wide);
        for (int i = 0; i < SW_WARP_LANES; i++)
            v[i] = (uint32_t)wide[0][i];
        sw_sem_movmatrix(v, v);
        for (int i = 0; i < SW_WARP_LANES; i++)
            wide[0][i] = v[i];
        put_registers(run, d, 1, wide);
        return true;
    }
    }
}
