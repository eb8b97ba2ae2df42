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
#include "interp/lanes.h"
#include "sem/sem.h"

enum { MAX_A = 1024, MAX_B = 512, MAX_C = 256, MAX_N = 32 };

/* Terms are cut off below so many digits of fraction: sum_products of
 * sem/matrix.c says what is done here. */
enum { DIGITS = 25 };
/* The exponent of zero: below all others, and so is its sum with any. */
enum { NO_EXPONENT = -65536 };

/* A number is (neg ? -sig : sig) * 2^(exp - fraction of its format). */
typedef struct {
    int32_t sig[MAX_B], exp[MAX_B], neg[MAX_B]; /* neg: 0 or -1 */
} parts;

typedef struct {
    unsigned bits, fraction, bias;
} format;

static format
format_of(sw_type type)
{
    if (type == SW_T_F16)
        return (format){16, 10, 15};
    if (type == SW_T_BF16)
        return (format){16, 7, 127};
    return (format){32, 10, 127}; /* tf32: moved down by 13 */
}

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

/* The matrix of a fragment. */
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

/* ... and back, that of d. */
static void
hand_out(const sw_matrix_plan *plan, const uint32_t *matrix, void *const regs[])
{
    const sw_sem_frag *f = &plan->frag[3];
    const int32_t *from = plan->place[3];
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

/* ---- sums of products ---- */

/* False: some are not finite. `up`: digits that are added below. */
static bool
take_apart(const uint32_t *bits, unsigned count, format f, unsigned up,
           parts *restrict p)
{
    uint32_t most = (1u << (f.bits == 16 ? 15 - f.fraction : 8)) - 1;
    unsigned down = f.bits == 32 ? 13 : 0;
    uint32_t special = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t v = bits[i] >> down;
        uint32_t fraction = v & ((1u << f.fraction) - 1);
        uint32_t e = v >> f.fraction & most;
        special |= e == most ? 1 : 0;
        uint32_t sig = e ? fraction | 1u << f.fraction : fraction;
        p->sig[i] = (int32_t)(sig << up);
        p->exp[i] = sig ? (int32_t)(e ? e : 1) - (int32_t)f.bias : NO_EXPONENT;
        p->neg[i] = -(int32_t)(bits[i] >> (f.bits - 1));
    }
    return !special;
}

/* What is left of a magnitude d digits above the last one, with its sign. */
static inline int32_t
aligned(int32_t magnitude, int32_t d, int32_t neg)
{
    int32_t v = (int32_t)((uint32_t)magnitude >> (d < 31 ? d : 31));
    return (v ^ neg) - neg;
}

/* sum * 2^(top - DIGITS), cut to f32. odd: where something is lost the last
 * bit is set, so that rounding it once more rounds the sum. */
static inline uint32_t
cut_to_f32(double sum, int32_t top, bool odd)
{
    int64_t e = (top > -600 ? top : -600) + 1023 - DIGITS;
    double x = sum * sem_f64_bits((uint64_t)e << 52);
    double size = __builtin_fabs(x);
    float f = (float)size;
    uint32_t v = sem_bits_f32(f), sign = sum < 0 ? 0x80000000 : 0;
    v -= (double)f > size ? 1 : 0;
    v = size >= 0x1p128 ? 0x7f800000 : v;
    v |= (odd & ((double)sem_f32_bits(v) != size)) ? 1 : 0;
    return v ? v | sign : 0;
}

/* One row: c += n products of each column, from element `from` on. */
static inline __attribute__((always_inline)) void
add_products(const parts *a, unsigned row, const parts *b, unsigned from,
             unsigned n, unsigned cols, bool odd, uint32_t *restrict c)
{
    int32_t top[MAX_N], low[MAX_N], high[MAX_N], last[MAX_N];
    for (unsigned j = 0; j < cols; j++) {
        int32_t e = (int32_t)(c[j] >> 23 & 0xff);
        top[j] = c[j] & 0x7fffffff ? (e ? e : 1) - 127 : NO_EXPONENT;
        last[j] = top[j];
        low[j] = high[j] = 0;
    }
    for (unsigned i = 0; i < n; i++) {
        int32_t ae = a->exp[row + i];
        const int32_t *be = b->exp + (from + i) * cols;
        __asm__ volatile(""); /* or gcc takes columns one by one */
        for (unsigned j = 0; j < cols; j++) {
            int32_t e = ae + be[j];
            top[j] = e > top[j] ? e : top[j];
        }
    }
    for (unsigned i = 0; i < n; i++) {
        int32_t ae = a->exp[row + i], as = a->sig[row + i];
        int32_t an = a->neg[row + i];
        const int32_t *be = b->exp + (from + i) * cols;
        const int32_t *bs = b->sig + (from + i) * cols;
        const int32_t *bn = b->neg + (from + i) * cols;
        int32_t *sum = i < 8 ? low : high; /* eight have room in 32 bits */
        __asm__ volatile("");
        for (unsigned j = 0; j < cols; j++)
            sum[j] += aligned(as * bs[j], top[j] - (ae + be[j]), an ^ bn[j]);
    }
    for (unsigned j = 0; j < cols; j++) {
        uint32_t hidden = c[j] & 0x7f800000 ? 1u << 23 : 0;
        int32_t sig = (int32_t)((c[j] & 0x7fffff) | hidden) << (DIGITS - 23);
        int32_t mine = aligned(sig, top[j] - last[j], -(int32_t)(c[j] >> 31));
        double sum = ((double)low[j] + (double)high[j]) + (double)mine;
        c[j] = cut_to_f32(sum, top[j], odd);
    }
}

static bool
are_finite(const uint32_t *c, unsigned count)
{
    uint32_t special = 0;
    for (unsigned i = 0; i < count; i++)
        special |= (c[i] & 0x7f800000) == 0x7f800000 ? 1 : 0;
    return !special;
}

/* All rows; c: f32. */
static bool
sum_floats(const sw_matrix_plan *plan, const parts *a, const parts *b,
           uint32_t *restrict c)
{
    const sw_matrix *mx = plan->mx;
    unsigned chunk = mx->atype != SW_T_TF32 ? 16 : plan->wmma ? 4 : 8;
    bool to_half = mx->dtype == SW_T_F16 && mx->ctype == SW_T_F16;
    for (unsigned from = 0; from < mx->k; from += chunk) {
        unsigned n = mx->k - from < chunk ? mx->k - from : chunk;
        bool odd = to_half && from + n == mx->k;
        if (!are_finite(c, (unsigned)mx->m * mx->n))
            return false;
        for (unsigned row = 0; row < mx->m; row++) {
            unsigned at = row * mx->k + from;
            if (mx->n == 8)
                add_products(a, at, b, from, n, 8, odd, c + row * 8);
            else if (mx->n == 16)
                add_products(a, at, b, from, n, 16, odd, c + row * 16);
            else
                add_products(a, at, b, from, n, 32, odd, c + row * 32);
        }
    }
    return true;
}

static bool
multiply_floats(const sw_matrix_plan *plan, const void *const a[],
                const void *const b[], const void *const c[], void *const d[])
{
    const sw_matrix *mx = plan->mx;
    unsigned count = (unsigned)mx->m * mx->n;
    format f = format_of(mx->atype);
    uint32_t matrix[MAX_A], sums[MAX_C];
    parts left, right;
    collect(plan, 0, a, matrix);
    if (!take_apart(matrix, (unsigned)mx->m * mx->k, f, DIGITS - 2 * f.fraction,
                    &left))
        return false;
    collect(plan, 1, b, matrix);
    if (!take_apart(matrix, (unsigned)mx->n * mx->k, f, 0, &right))
        return false;
    collect(plan, 2, c, sums);
    if (mx->ctype == SW_T_F16)
        for (unsigned i = 0; i < count; i++)
            sums[i] = sem_bits_f32(sem_f32_of_f16((uint16_t)sums[i]));
    if (!sum_floats(plan, &left, &right, sums))
        return false;
    if (mx->dtype == SW_T_F16)
        for (unsigned i = 0; i < count; i++) {
            uint32_t v = sem_f16_of_f32(sem_f32_bits(sums[i]));
            sums[i] = v & 0x7fff || mx->ctype == SW_T_F32 ? v : 0;
        }
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
    collect(plan, 2, c, sums);
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
    for (unsigned row = 0; row < mx->m; row++)
        for (unsigned i = 0; i < mx->k; i++) {
            double x = left[row * mx->k + i], *sum = sums + row * n;
            const double *y = right + i * n;
            for (unsigned j = 0; j < n; j++)
                sum[j] = __builtin_fma(x, y[j], sum[j]);
        }
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

/* Memory may be written meanwhile, and lies as the guest program wants. */
#define UNCHECKED                                                              \
    __attribute__((no_sanitize("thread"), no_sanitize("alignment")))

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

void
SW_LANE_TRANSFER(SW_VARIANT)(const sw_matrix_plan *plan, uint8_t *base,
                             uint64_t stride, void *const regs[],
                             bool to_memory)
{
    const sw_sem_frag *f = &plan->frag[0];
    const int32_t *place = plan->place[0];
    unsigned bytes = f->elem_bits / 8u;
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
