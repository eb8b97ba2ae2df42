/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_lanes.c - what sw_sem_matrix_mma does, for a whole row of sums at
 * once, for the types that programs have most and numbers that are finite.
 * Compiled once for each vector extension, as lanes.c is.
 *
 * The elements of the fragments are brought into matrices whose rows lie side
 * by side, a as [m][k], b as [k][n], c and d as [m][n], by the tables of a
 * sw_matrix_plan.
 */
#include <string.h>

#include "interp/lanes.h"
#include "interp/turn.h"
#include "sem/sem.h"

enum { MAX_A = 1024, MAX_B = 512, MAX_C = 256, MAX_N = 32 };

/* ---- fragments ---- */

/* The elements of a fragment: element i of lane l at [32 * i + l]. */
static void
spread(const sw_sem_frag *f, const void *const regs[],
       uint32_t *restrict element)
{
    unsigned bits = f->elem_bits;
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (unsigned r = 0; r < f->regs; r++) {
        const uint32_t *reg = regs[r];
        for (unsigned part = 0; part < f->per_reg; part++) {
            LANES element[i] = reg[i] >> (part * bits) & mask;
            element += 32;
        }
    }
}

/* The matrix of a fragment, a word for each element. */
static void
collect(const sw_matrix_plan *plan, int which, const void *const regs[],
        uint32_t *restrict matrix)
{
    uint32_t element[MAX_A];
    const sw_sem_frag *f = &plan->frag[which];
    const int32_t *from = plan->place[which];
    unsigned count = (unsigned)f->rows * f->cols;
    spread(f, regs, element);
    for (unsigned i = 0; i < count; i++)
        matrix[i] = element[from[i]];
}

/* The first register that others do not repeat: wmma's of f16 may have more
 * room than elements. */
static unsigned
first_register(const sw_sem_frag *f)
{
    return f->regs - (unsigned)f->rows * f->cols / (32u * f->per_reg);
}

/* a of 16 bits in tiles, whose rows lie one after the other. */
static void
collect_rows(const sw_matrix_plan *plan, const void *const regs[],
             uint16_t *matrix)
{
    const sw_sem_frag *f = &plan->frag[0];
    for (unsigned r = first_register(f); r < f->regs; r++) {
        const sw_matrix_tile *t = &plan->tiles[0][r];
        const uint8_t *from = regs[r];
        uint16_t *to = matrix + t->row * f->cols + t->col;
        for (unsigned row = 0; row < 8; row++)
            memcpy(to + row * f->cols, from + 16 * row, 16);
    }
}

typedef uint32_t words __attribute__((vector_size(16)));

/* b of 16 bits in tiles, whose columns lie one after the other. */
static void
collect_columns(const sw_matrix_plan *plan, const void *const regs[],
                uint16_t *matrix)
{
    const sw_sem_frag *f = &plan->frag[1];
    for (unsigned r = first_register(f); r < f->regs; r++) {
        const sw_matrix_tile *t = &plan->tiles[1][r];
        uint16_t *to = matrix + t->row * f->cols + t->col;
        turn(regs[r], 16, (uint8_t *)to, f->cols * sizeof *to);
    }
}

/* a or b, in as many bits as they have. */
static void
collect_elements(const sw_matrix_plan *plan, int which,
                 const void *const regs[], sw_matrix_elements *matrix)
{
    const sw_sem_frag *f = &plan->frag[which];
    uint32_t wide[MAX_B];
    if (f->elem_bits == 32) {
        collect(plan, which, regs, matrix->words);
    } else if (!plan->tiles[which]) {
        collect(plan, which, regs, wide);
        for (unsigned i = 0; i < (unsigned)f->rows * f->cols; i++)
            matrix->halves[i] = (uint16_t)wide[i];
    } else if (which == 0) {
        collect_rows(plan, regs, matrix->halves);
    } else {
        collect_columns(plan, regs, matrix->halves);
    }
}

/* Four words each of two registers, and the eight neighbours they are. Vectors
 * are moved one by one: what is put together in memory is waited for. */
static inline UNCHECKED void
join_pairs(const uint32_t *even, const uint32_t *odd, uint8_t *to)
{
    words a, b;
    memcpy(&a, even, sizeof a);
    memcpy(&b, odd, sizeof b);
    words low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    words high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    memcpy(to, &low, sizeof low);
    memcpy(to + sizeof low, &high, sizeof high);
}

static inline UNCHECKED void
part_pairs(const uint8_t *from, uint32_t *even, uint32_t *odd)
{
    words a, b;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + sizeof a, sizeof b);
    words part = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    memcpy(even, &part, sizeof part);
    part = __builtin_shufflevector(a, b, 1, 3, 5, 7);
    memcpy(odd, &part, sizeof part);
}

/* c, a word for each element. */
static void
collect_sums(const sw_matrix_plan *plan, const void *const regs[],
             uint32_t *matrix)
{
    const sw_sem_frag *f = &plan->frag[2];
    if (!plan->tiles[2] || f->elem_bits != 32) {
        collect(plan, 2, regs, matrix);
        return;
    }
    for (unsigned r = 0; r < f->regs; r += 2) {
        const sw_matrix_tile *t = &plan->tiles[2][r];
        const uint32_t *even = regs[r], *odd = regs[r + 1];
        uint32_t *to = matrix + t->row * f->cols + t->col;
        for (unsigned row = 0; row < 8; row++, to += f->cols)
            join_pairs(even + 4 * row, odd + 4 * row, (uint8_t *)to);
    }
}

/* Back to registers of 32 bits each. */
static void
hand_out_words(const sw_matrix_plan *plan, const uint32_t *matrix,
               void *const regs[])
{
    const sw_sem_frag *f = &plan->frag[3];
    for (unsigned r = 0; r < f->regs; r += 2) {
        const sw_matrix_tile *t = &plan->tiles[3][r];
        uint32_t *even = regs[r], *odd = regs[r + 1];
        const uint32_t *from = matrix + t->row * f->cols + t->col;
        for (unsigned row = 0; row < 8; row++, from += f->cols)
            part_pairs((const uint8_t *)from, even + 4 * row, odd + 4 * row);
    }
}

/* d: of 32 bits, or 16. */
static void
hand_out(const sw_matrix_plan *plan, const uint32_t *matrix, void *const regs[])
{
    const sw_sem_frag *f = &plan->frag[3];
    const int32_t *from = plan->place[3];
    if (plan->tiles[3] && f->elem_bits == 32) {
        hand_out_words(plan, matrix, regs);
        return;
    }
    for (unsigned r = 0; r < f->regs; r++) {
        uint32_t *reg = regs[r];
        LANES reg[i] = matrix[from[i]];
        from += 32;
        if (f->per_reg > 1) {
            LANES reg[i] |= matrix[from[i]] << 16;
            from += 32;
        }
    }
}

/* ---- floats ---- */

static bool
multiply_floats(const sw_matrix_plan *plan, const void *const a[],
                const void *const b[], const void *const c[], void *const d[])
{
    const sw_matrix *mx = plan->mx;
    unsigned count = (unsigned)mx->m * mx->n;
    sw_matrix_elements left, right;
    uint32_t sums[MAX_C];
    float sum[MAX_C];
    collect_elements(plan, 0, a, &left);
    collect_elements(plan, 1, b, &right);
    collect_sums(plan, c, sums);
    if (mx->ctype == SW_T_F16)
        for (unsigned i = 0; i < count; i++)
            sum[i] = sem_f32_of_f16((uint16_t)sums[i]);
    else
        memcpy(sum, sums, count * sizeof *sum);
    if (!SW_LANE_FLOATS(SW_VARIANT)(mx, plan->wmma, &left, &right, sum))
        return false;
    if (mx->dtype == SW_T_F16)
        for (unsigned i = 0; i < count; i++) {
            uint32_t v = sem_f16_of_f32(sum[i]);
            sums[i] = v & 0x7fff || mx->ctype == SW_T_F32 ? v : 0;
        }
    else
        memcpy(sums, sum, count * sizeof *sum);
    hand_out(plan, sums, d);
    return true;
}

/* ---- integers ---- */

static void
take_integers(sw_type type, unsigned count, uint32_t *restrict v)
{
    unsigned up = type == SW_T_S8 ? 24 : type == SW_T_S4 ? 28 : 0;
    for (unsigned i = 0; i < count; i++)
        v[i] = (uint32_t)((int32_t)(v[i] << up) >> up);
}

static void
multiply_integers(const sw_matrix_plan *plan, const void *const a[],
                  const void *const b[], const void *const c[], void *const d[])
{
    const sw_matrix *mx = plan->mx;
    uint32_t left[MAX_A], right[MAX_B], sums[MAX_C];
    unsigned n = mx->n;
    collect(plan, 0, a, left);
    collect(plan, 1, b, right);
    collect_sums(plan, c, sums);
    take_integers(mx->atype, (unsigned)mx->m * mx->k, left);
    take_integers(mx->btype, n * mx->k, right);
    for (unsigned row = 0; row < mx->m; row++) {
        uint32_t product[MAX_N] = {0}; /* k * 2^16 at most */
        uint32_t *sum = sums + row * n;
        for (unsigned i = 0; i < mx->k; i++) {
            uint32_t x = left[row * mx->k + i];
            const uint32_t *y = right + i * n;
            for (unsigned j = 0; j < n; j++)
                product[j] += x * y[j];
        }
        for (unsigned j = 0; j < n; j++) {
            int64_t s = (int64_t)(int32_t)sum[j] + (int32_t)product[j];
            sum[j] = mx->satfinite ? sem_clamp_s32(s) : (uint32_t)s;
        }
    }
    hand_out(plan, sums, d);
}

/* ---- doubles ---- */

static void
collect_f64(const sw_matrix_plan *plan, int which, const void *const regs[],
            double *restrict matrix)
{
    const sw_sem_frag *f = &plan->frag[which];
    const int32_t *from = plan->place[which];
    for (unsigned i = 0; i < (unsigned)f->rows * f->cols; i++)
        matrix[i] = ((const double *)regs[from[i] / 32])[from[i] % 32];
}

/* One element after the other, each in one fma. */
static inline __attribute__((always_inline)) void
add_f64(const sw_matrix *mx, unsigned n, const double *restrict left,
        const double *restrict right, double *restrict sums)
{
    for (unsigned row = 0; row < mx->m; row++)
        for (unsigned i = 0; i < mx->k; i++) {
            double x = left[row * mx->k + i], *sum = sums + row * n;
            const double *y = right + i * n;
            __asm__ volatile(""); /* or gcc takes columns one by one */
            for (unsigned j = 0; j < n; j++)
                sum[j] = __builtin_fma(x, y[j], sum[j]);
        }
}

static bool
multiply_f64(const sw_matrix_plan *plan, const void *const a[],
             const void *const b[], const void *const c[], void *const d[])
{
    const sw_matrix *mx = plan->mx;
    double left[MAX_B], right[MAX_B], sums[MAX_C];
    unsigned n = mx->n, count = (unsigned)mx->m * n;
    bool nan = false;
    collect_f64(plan, 0, a, left);
    collect_f64(plan, 1, b, right);
    collect_f64(plan, 2, c, sums);
    if (n == 8) /* in all that there are */
        add_f64(mx, 8, left, right, sums);
    else
        add_f64(mx, n, left, right, sums);
    for (unsigned i = 0; i < count; i++)
        nan |= sums[i] != sums[i];
    if (nan)
        return false;
    const sw_sem_frag *f = &plan->frag[3];
    const int32_t *from = plan->place[3];
    for (unsigned r = 0; r < f->regs; r++) {
        double *reg = d[r];
        LANES reg[i] = sums[from[i]];
        from += 32;
    }
    return true;
}

/* ---- wmma.load and wmma.store ---- */

typedef uint16_t __attribute__((may_alias)) word16;
typedef uint32_t __attribute__((may_alias)) word32;
typedef uint64_t __attribute__((may_alias)) word64;

/* Where element i of each lane lies, from the fragment's beginning. */
static void
find_elements(const int32_t *place, uint64_t stride, unsigned bytes,
              uint64_t *restrict at)
{
    LANES at[i] =
        ((uint64_t)(place[i] >> 16) * stride + (uint64_t)(place[i] & 0xffff)) *
        bytes;
}

static UNCHECKED void
load_elements(const uint8_t *base, const uint64_t *at, unsigned bytes,
              unsigned shift, uint32_t *reg)
{
    uint32_t v[32];
    switch (bytes) {
    case 1:
        for (int i = 0; i < 32; i++)
            v[i] = base[at[i]];
        break;
    case 2:
        for (int i = 0; i < 32; i++)
            v[i] = *(const word16 *)(base + at[i]);
        break;
    case 4:
        LANES reg[i] = *(const word32 *)(base + at[i]);
        return;
    default:
        LANES((word64 *)reg)[i] = *(const word64 *)(base + at[i]);
        return;
    }
    if (shift) {
        LANES reg[i] |= v[i] << shift;
    } else {
        LANES reg[i] = v[i];
    }
}

static UNCHECKED void
store_elements(uint8_t *base, const uint64_t *at, unsigned bytes,
               unsigned shift, const uint32_t *reg)
{
    for (int i = 0; i < 32; i++)
        switch (bytes) {
        case 1:
            base[at[i]] = (uint8_t)(reg[i] >> shift);
            break;
        case 2:
            *(word16 *)(base + at[i]) = (uint16_t)(reg[i] >> shift);
            break;
        case 4:
            *(word32 *)(base + at[i]) = reg[i];
            break;
        default:
            *(word64 *)(base + at[i]) = ((const word64 *)reg)[i];
        }
}

/* Fragments in tiles: rows of 16 bytes, or of 32 where two registers have them
 * in turn. A guest's other lanes may write meanwhile what is read here. */
static UNCHECKED void
transfer_tiles(const sw_matrix_plan *plan, uint8_t *base, uint64_t stride,
               void *const regs[], bool to_memory)
{
    const sw_sem_frag *f = &plan->frag[0];
    unsigned bytes = f->elem_bits / 8u, pair = plan->lie == SW_TILE_PAIRS;
    for (unsigned r = 0; r < f->regs; r += 1 + pair) {
        const sw_matrix_tile *t = &plan->tiles[0][r];
        uint8_t *at = base + (t->row * stride + t->col) * bytes;
        uint8_t *reg = regs[r];
        size_t apart = stride * bytes;
        if (plan->lie == SW_TILE_COLUMNS && to_memory)
            turn(reg, 16, at, apart);
        else if (plan->lie == SW_TILE_COLUMNS)
            turn(at, apart, reg, 16);
        else
            for (unsigned row = 0; row < 8; row++, at += apart) {
                if (pair && to_memory)
                    join_pairs((uint32_t *)regs[r] + 4 * row,
                               (uint32_t *)regs[r + 1] + 4 * row, at);
                else if (pair)
                    part_pairs(at, (uint32_t *)regs[r] + 4 * row,
                               (uint32_t *)regs[r + 1] + 4 * row);
                else
                    memcpy(to_memory ? at : reg + 16 * row,
                           to_memory ? reg + 16 * row : at, 16);
            }
    }
}

void
SW_LANE_TRANSFER(SW_VARIANT)(const sw_matrix_plan *plan, uint8_t *base,
                             uint64_t stride, void *const regs[],
                             bool to_memory)
{
    const sw_sem_frag *f = &plan->frag[0];
    const int32_t *place = plan->place[0];
    unsigned bytes = f->elem_bits / 8u;
    if (plan->tiles[0]) {
        transfer_tiles(plan, base, stride, regs, to_memory);
        return;
    }
    for (unsigned r = 0; r < f->regs; r++)
        for (unsigned part = 0; part < f->per_reg; part++, place += 32) {
            uint64_t at[32];
            find_elements(place, stride, bytes, at);
            if (to_memory)
                store_elements(base, at, bytes, part * f->elem_bits, regs[r]);
            else
                load_elements(base, at, bytes, part * f->elem_bits, regs[r]);
        }
}

bool
SW_LANE_MULTIPLY(SW_VARIANT)(const sw_matrix_plan *plan, const void *const a[],
                             const void *const b[], const void *const c[],
                             void *const d[])
{
    switch (plan->mx->atype) {
    case SW_T_F16:
    case SW_T_BF16:
    case SW_T_TF32:
        return multiply_floats(plan, a, b, c, d);
    case SW_T_F64:
        return plan->mx->rnd == SW_RND_NONE && multiply_f64(plan, a, b, c, d);
    default:
        multiply_integers(plan, a, b, c, d);
        return true;
    }
}
