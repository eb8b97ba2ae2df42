/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix.c - see matrix.h.
 *
 * All layouts but that of m8n8k4 on f16 are made of tiles: 8 rows (columns of
 * b) by 4 registers of consecutive elements along k, lane = 4 * row + register;
 * c and d of 8 x 8 tiles, two neighbours a lane.
 */
#include "sem/matrix.h"

#include "sem/sem.h"

/* MAX_A: elements of the largest a, m16n8k64; the others are smaller. Digits
 * of b1 travel in words. */
enum { MAX_TERMS = 32 }; /* products of one sum */
enum { MAX_A = 1024, MAX_B = 1024, MAX_C = 256, LANES = 32 };

/* ---- layouts ---- */

static sw_type
type_of(const sw_matrix *mx, char which)
{
    return which == 'a'   ? mx->atype
           : which == 'b' ? mx->btype
           : which == 'c' ? mx->ctype
                          : mx->dtype;
}

static bool
is_f16_quads(const sw_matrix *mx, bool wmma)
{
    return !wmma && mx->m == 8 && mx->n == 8 && mx->k == 4 &&
           mx->atype == SW_T_F16;
}

/* Element types of a and b; the digit widths that mma knows. */
static unsigned
operand_bits(sw_type type)
{
    switch (type) {
    case SW_T_F16:
    case SW_T_BF16:
    case SW_T_TF32:
    case SW_T_F64:
    case SW_T_U8:
    case SW_T_S8:
    case SW_T_E4M3:
    case SW_T_E5M2:
    case SW_T_U4:
    case SW_T_S4:
    case SW_T_B1:
        return sw_type_bits(type);
    default:
        return 0;
    }
}

/* Elements along k of a row of a or a column of b that there are. */
static unsigned
stored_k(const sw_matrix *mx, char which)
{
    return which == 'a' && mx->sparse ? mx->k / 2 : mx->k;
}

bool
sw_sem_matrix_frag(const sw_matrix *mx, char which, bool wmma, sw_sem_frag *out)
{
    sw_type type = type_of(mx, which);
    bool accumulator = which == 'c' || which == 'd';
    unsigned bits = accumulator ? sw_type_bits(type) : operand_bits(type);
    sw_sem_frag f = {.elem_bits = (uint8_t)bits,
                     .reg_bits = bits == 64 ? 64 : 32,
                     .quads = is_f16_quads(mx, wmma)};
    f.rows = which == 'b' ? mx->k : mx->m;
    f.cols = which == 'a' ? (uint16_t)stored_k(mx, which) : mx->n;
    if (!bits || mx->m > 32 || mx->n > 32 || mx->k > 256 || mx->m % 8 ||
        mx->n % 8 || !mx->m || !mx->n)
        return false;
    if (accumulator && type != SW_T_F16 && type != SW_T_F32 &&
        type != SW_T_F64 && type != SW_T_S32)
        return false;
    f.per_reg = (uint8_t)(f.reg_bits / bits);
    unsigned elems = (unsigned)f.rows * f.cols;
    if (f.quads) {
        f.regs = accumulator ? (bits == 32 ? 8 : 4) : 2;
        *out = f;
        return true;
    }
    if (!accumulator && stored_k(mx, which) % (4u * f.per_reg))
        return false;
    f.regs = (uint8_t)(elems / LANES / f.per_reg);
    if (!f.regs)
        return false;
    /* "wmma: .f16: a vector of eight f16x2", whatever the shape. */
    if (wmma && !accumulator && type == SW_T_F16)
        f.regs = 8;
    *out = f;
    return true;
}

/* Volta's m8n8k4: lanes 4q..4q+3 and 16+4q..16+4q+3 work on product q. */
static void
place_quads(const sw_matrix *mx, char which, const sw_sem_frag *f,
            unsigned lane, unsigned i, unsigned *row, unsigned *col)
{
    unsigned upper = lane >= 16 ? 4 : 0, t = lane & 3;
    if (which == 'a') {
        *row = mx->a_row ? t + upper : i + upper;
        *col = mx->a_row ? i : t;
    } else if (which == 'b') {
        *row = mx->b_row ? t : i;
        *col = mx->b_row ? i + upper : t + upper;
    } else if (f->elem_bits == 16) {
        *row = t + upper;
        *col = i;
    } else {
        *row = (lane & 1) + (i & 2) + upper;
        *col = (i & 4) + (lane & 2) + (i & 1);
    }
}

void
sw_sem_matrix_place(const sw_matrix *mx, char which, const sw_sem_frag *f,
                    unsigned lane, unsigned reg, unsigned part, unsigned *row,
                    unsigned *col)
{
    unsigned g = lane >> 2, t = lane & 3, per = f->per_reg;
    if (f->quads) {
        place_quads(mx, which, f, lane, reg * per + part, row, col);
        return;
    }
    if (mx->m == 8 && mx->n == 32) { /* wmma: the transpose of m32n8 */
        sw_matrix turned = *mx;
        turned.m = 32;
        turned.n = 8;
        char swapped = which == 'a' ? 'b' : which == 'b' ? 'a' : which;
        sw_sem_matrix_place(&turned, swapped, f, lane, reg, part, col, row);
        return;
    }
    unsigned k_tiles = stored_k(mx, which) / 4 / per, row_tiles = mx->m / 8;
    if (which == 'a') { /* two tiles along m, then k, then the next two */
        unsigned pair = row_tiles < 2 ? 1 : 2, block = pair * k_tiles;
        reg %= row_tiles * k_tiles;
        *row = g + 8 * (reg % pair + pair * (reg / block));
        *col = t * per + part + 4 * per * (reg % block / pair);
    } else if (which == 'b') {
        reg %= k_tiles * (mx->n / 8);
        *row = t * per + part + 4 * per * (reg % k_tiles);
        *col = g + 8 * (reg / k_tiles);
    } else {
        unsigned i = reg * per + part, tile = i / 2;
        *row = g + 8 * (tile % row_tiles);
        *col = 2 * t + (i & 1) + 8 * (tile / row_tiles);
    }
}

/* ---- one sum of products ---- */

/* A row of a or a column of b: k consecutive elements. */
typedef struct {
    sw_type type;
    const uint64_t *v;
} vector;

static sem_fmt
fmt_of(sw_type type)
{
    switch (type) {
    case SW_T_F16:
        return SEM_FMT_F16;
    case SW_T_BF16:
        return SEM_FMT_BF16;
    case SW_T_TF32:
        return SEM_FMT_TF32;
    case SW_T_E4M3:
        return SEM_FMT_E4M3;
    case SW_T_E5M2:
        return SEM_FMT_E5M2;
    default:
        return SEM_FMT_F32;
    }
}

/*
 * c plus n products as tensor cores add: terms are aligned to the largest
 * exponent, cut off below `digits` digits of fraction, added exactly. A
 * product's exponent is the sum of its factors', so its significand lies in
 * [1, 4). Subnormal numbers have the exponent of the smallest others, c that of
 * c_fmt.
 */
static sem_soft
sum_products(const vector *a, const vector *b, unsigned from, unsigned n,
             float c, sem_fmt c_fmt, int digits)
{
    sem_soft term[MAX_TERMS + 1];
    int fraction[MAX_TERMS + 1], top = INT32_MIN;
    bool nan = c != c, inf[2] = {c<-FLT_MAX, c> FLT_MAX};
    for (unsigned i = 0; i <= n; i++) {
        if (i == n) {
            uint64_t bits = c_fmt == SEM_FMT_F16 ? (uint64_t)sem_f16_of_f32(c)
                                                 : sem_bits_f32(c);
            term[i] = sem_soft_unpack(c_fmt, bits);
            fraction[i] = sem_fmt_fraction(c_fmt);
        } else {
            sem_fmt fa = fmt_of(a->type), fb = fmt_of(b->type);
            term[i] = sem_soft_mul(sem_soft_unpack(fa, a->v[from + i]),
                                   sem_soft_unpack(fb, b->v[from + i]));
            fraction[i] = sem_fmt_fraction(fa) + sem_fmt_fraction(fb);
        }
        nan |= term[i].cls == SEM_NAN;
        inf[!term[i].neg] |= term[i].cls == SEM_INF;
        int e = term[i].exp + fraction[i];
        if (term[i].cls == SEM_FINITE && e > top)
            top = e;
    }
    if (nan || (inf[0] && inf[1]))
        return (sem_soft){.cls = SEM_NAN};
    if (inf[0] || inf[1])
        return (sem_soft){.cls = SEM_INF, .neg = inf[0]};
    if (top == INT32_MIN)
        return (sem_soft){.cls = SEM_ZERO};
    int64_t sum = 0;
    for (unsigned i = 0; i <= n; i++) {
        if (term[i].cls != SEM_FINITE)
            continue;
        int shift = term[i].exp - (top - digits);
        uint64_t v = (uint64_t)term[i].sig;
        v = shift >= 0 ? v << shift : shift > -64 ? v >> -shift : 0;
        sum += term[i].neg ? -(int64_t)v : (int64_t)v;
    }
    return (sem_soft){sum ? SEM_FINITE : SEM_ZERO, sum < 0, top - digits,
                      (uint64_t)(sum < 0 ? -sum : sum)};
}

/* Cut to f32. */
static float
cut(sem_soft r)
{
    if (r.cls == SEM_NAN)
        return sem_nan_f32();
    if (r.cls == SEM_FINITE &&
        127 - sem_clz128(r.sig) + r.exp > 127) /* not the largest number */
        return r.neg ? -INFINITY : INFINITY;
    uint32_t v = (uint32_t)sem_soft_pack(SEM_FMT_F32, SW_RND_RZ, r);
    return sem_f32_bits(v & 0x7fffffff ? v : 0); /* nothing left: +0 */
}

/* As an element of d: f32, or the same sum to nearest in f16; from a c of f32
 * to a d of f16 by way of f32. */
static uint64_t
element(const sw_matrix *mx, sem_soft r)
{
    if (mx->dtype != SW_T_F16)
        return sem_bits_f32(cut(r));
    if (mx->ctype == SW_T_F32)
        return sem_f16_of_f32(cut(r));
    if (r.cls == SEM_NAN)
        return 0x7fff;
    uint64_t v = (uint64_t)sem_soft_pack(SEM_FMT_F16, SW_RND_NONE, r);
    return v & 0x7fff ? v : 0;
}

/* Products from..from+1 after `sum`, each in one fma. */
static float
dot_pair(const vector *a, const vector *b, unsigned from, float sum)
{
    for (unsigned i = from; i < from + 2; i++)
        sum = sem_fma_f32(sem_f32_of_f16((uint16_t)a->v[i]),
                          sem_f32_of_f16((uint16_t)b->v[i]), sum, 0);
    return sum;
}

/* m8n8k4 on f16, the form of sm_70, is a sequence of f32 instructions: to f32 a
 * chain of fma, then c; to f16 two chains (from -0: the first is a product),
 * added to c one after the other. */
static uint64_t
dot_quad(const sw_matrix *mx, const vector *a, const vector *b, float c)
{
    if (mx->dtype == SW_T_F32) {
        float sum = dot_pair(a, b, 2, dot_pair(a, b, 0, 0));
        return sem_bits_f32(sem_add_f32(sum, c, 0));
    }
    c = sem_add_f32(c, dot_pair(a, b, 0, -0.0f), 0);
    return sem_f16_of_f32(sem_add_f32(c, dot_pair(a, b, 2, -0.0f), 0));
}

static uint64_t
f16_of_fp8(sw_type type, uint64_t v)
{
    return type == SW_T_E4M3 ? sem_f16_of_e4m3((uint8_t)v, 0)
                             : sem_f16_of_e5m2((uint8_t)v, 0);
}

/* fp8 is unpacked to f16: the lower two elements of each register are one sum,
 * in the type of d, to which the upper two are added; c comes last. */
static uint64_t
dot_fp8(const sw_matrix *mx, const vector *a, const vector *b, float c)
{
    bool half = mx->dtype == SW_T_F16;
    float before = 0;
    for (unsigned part = 0; part < 2; part++) {
        uint64_t x[16], y[16];
        unsigned n = 0;
        for (unsigned i = 0; i < mx->k && n < 16; i++)
            if ((i >> 1 & 1) == part) {
                x[n] = f16_of_fp8(a->type, a->v[i]);
                y[n++] = f16_of_fp8(b->type, b->v[i]);
            }
        vector p = {SW_T_F16, x}, q = {SW_T_F16, y};
        uint64_t sum =
            element(mx, sum_products(&p, &q, 0, n, before, SEM_FMT_F32, 25));
        before =
            half ? sem_f32_of_f16((uint16_t)sum) : sem_f32_bits((uint32_t)sum);
    }
    float sum = sem_add_f32(before, c, 0);
    return half ? sem_f16_of_f32(sum) : sem_bits_f32(sum);
}

/* fp8 of a warpgroup: all 32 products are one sum, with 13 digits of fraction,
 * and so many are left of it in f32. */
static uint64_t
dot_fp8_group(const sw_matrix *mx, const vector *a, const vector *b, float c)
{
    sem_fmt fmt = mx->ctype == SW_T_F16 ? SEM_FMT_F16 : SEM_FMT_F32;
    uint64_t sum = element(mx, sum_products(a, b, 0, mx->k, c, fmt, 13));
    bool keep = mx->dtype == SW_T_F16 || (sum & 0x7fffffff) >= 0x7f800000;
    return keep ? sum : sum & ~UINT64_C(0x3ff);
}

/* sm_90: 16 products at once (8 of tf32, in wmma 4), 25 digits of fraction. */
static uint64_t
dot_float(const sw_matrix *mx, bool wmma, const vector *a, const vector *b,
          float c)
{
    unsigned bits = sw_type_bits(a->type), k = mx->k;
    unsigned chunk = bits == 32 ? (wmma ? 4 : 8) : 16, i = 0;
    if (bits == 8 && mx->group)
        return dot_fp8_group(mx, a, b, c);
    if (bits == 8)
        return dot_fp8(mx, a, b, c);
    if (k == 4 && a->type == SW_T_F16)
        return dot_quad(mx, a, b, c);
    sem_fmt fmt =
        mx->group && mx->ctype == SW_T_F16 ? SEM_FMT_F16 : SEM_FMT_F32;
    for (; i + chunk < k; i += chunk)
        c = cut(sum_products(a, b, i, chunk, c, fmt, 25));
    return element(mx, sum_products(a, b, i, k - i, c, fmt, 25));
}

static int64_t
integer_of(sw_type type, uint64_t v)
{
    switch (type) {
    case SW_T_S8:
        return (int8_t)(uint8_t)v;
    case SW_T_S4:
        return (int64_t)(v ^ 8) - 8;
    default:
        return (int64_t)v;
    }
}

static uint32_t
dot_int(const sw_matrix *mx, const vector *a, const vector *b, uint32_t c)
{
    int64_t sum = (int32_t)c;
    bool words = mx->atype == SW_T_B1;
    for (unsigned i = 0; i < mx->k / (words ? 32u : 1u); i++) {
        uint64_t x = a->v[i], y = b->v[i];
        if (words)
            sum += sem_popc_b64(mx->bit_op ? x & y : x ^ y);
        else
            sum += integer_of(mx->atype, x) * integer_of(mx->btype, y);
    }
    return mx->satfinite ? sem_clamp_s32(sum) : (uint32_t)sum;
}

static uint64_t
dot(const sw_matrix *mx, bool wmma, const vector *a, const vector *b,
    uint64_t c)
{
    if (mx->atype == SW_T_F64) {
        double sum = sem_f64_bits(c);
        for (unsigned i = 0; i < mx->k; i++)
            sum = sem_fma_f64(sem_f64_bits(a->v[i]), sem_f64_bits(b->v[i]), sum,
                              mx->rnd);
        return sem_bits_f64(sum);
    }
    if (mx->ctype == SW_T_S32)
        return dot_int(mx, a, b, (uint32_t)c);
    float x = mx->ctype == SW_T_F16 ? sem_f32_of_f16((uint16_t)c)
                                    : sem_f32_bits((uint32_t)c);
    return dot_float(mx, wmma, a, b, x);
}

/* ---- whole matrices ---- */

bool
sw_sem_matrix_has_product(const sw_matrix *mx)
{
    bool half_c = (mx->ctype == SW_T_F16 || mx->ctype == SW_T_F32) &&
                  (mx->dtype == SW_T_F16 || mx->dtype == SW_T_F32);
    if (mx->sparse && (mx->m != 16 || mx->n != 8 ||
                       sw_type_bits(mx->atype) == 64 || mx->atype == SW_T_B1))
        return false;
    switch (mx->atype) {
    case SW_T_F16:
        return mx->btype == SW_T_F16 && half_c;
    case SW_T_BF16:
    case SW_T_TF32:
        return mx->btype == mx->atype && mx->ctype == SW_T_F32 &&
               mx->dtype == SW_T_F32;
    case SW_T_E4M3:
    case SW_T_E5M2:
        return (mx->btype == SW_T_E4M3 || mx->btype == SW_T_E5M2) && half_c;
    case SW_T_F64:
        return mx->btype == SW_T_F64 && mx->ctype == SW_T_F64 &&
               mx->dtype == SW_T_F64;
    default:
        return operand_bits(mx->atype) == operand_bits(mx->btype) &&
               sw_type_kind(mx->btype) != SW_KIND_FLOAT &&
               mx->ctype == SW_T_S32 && mx->dtype == SW_T_S32;
    }
}

static uint64_t
get_elem(const sw_sem_frag *f, const uint64_t (*regs)[32], unsigned lane,
         unsigned i)
{
    unsigned reg = i / f->per_reg, part = i % f->per_reg;
    uint64_t v = regs[reg][lane];
    if (f->elem_bits == 1 || f->elem_bits == 64)
        return v;
    return v >> (part * f->elem_bits) & ((UINT64_C(1) << f->elem_bits) - 1);
}

/* Between the fragments and a matrix m[row][k] (b: [column][k]; c, d: [row]
 * [column]) of the lanes of quad pair q, or all lanes. */
static void
gather(const sw_matrix *mx, char which, const sw_sem_frag *f, int q,
       const uint64_t (*regs)[32], uint64_t (*out)[32], uint64_t *m)
{
    unsigned step = f->elem_bits == 1 ? 32 : 1;
    unsigned k = stored_k(mx, which) / step;
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (q >= 0 && (int)(lane >> 2 & 3) != q)
            continue;
        for (unsigned i = 0; i < (unsigned)f->regs * f->per_reg; i += step) {
            unsigned row, col, reg = i / f->per_reg, part = i % f->per_reg;
            sw_sem_matrix_place(mx, which, f, lane, reg, part, &row, &col);
            if (which == 'a')
                m[row * k + col / step] = get_elem(f, regs, lane, i);
            else if (which == 'b')
                m[col * k + row / step] = get_elem(f, regs, lane, i);
            else if (which == 'c')
                m[row * mx->n + col] = get_elem(f, regs, lane, i);
            else
                out[reg][lane] = (part ? out[reg][lane] : 0) |
                                 m[row * mx->n + col] << (part * f->elem_bits);
        }
    }
}

/*
 * Sparse: of each four units of a row of a two are there, 2 bits each say
 * which. A unit is an element, or two of 4 bits, or half of one of 32. The
 * names of eight units of row r and of row r + 8 are in one register; but where
 * 16 units of integers make up a row, so they do one register.
 */
void
sw_sem_matrix_name(const sw_matrix *mx, unsigned row, unsigned unit,
                   unsigned *lane, unsigned *at)
{
    unsigned bits = sw_type_bits(mx->atype), units = mx->k / 2u;
    units = bits == 4 ? units / 2 : bits == 32 ? units * 2 : units;
    unsigned half = row / 8;
    bool whole = bits == 4 || mx->ctype == SW_T_S32 || units > 16;
    *lane = row % 8 * 4;
    *lane += units == 8 ? mx->selector : units == 16 ? 2u * mx->selector : 0;
    *lane += whole ? half + unit / 16 * 2 : unit / 8;
    *at = whole ? unit % 16 * 2 : half * 16 + unit % 8 * 2;
}

static unsigned
unit_named(const sw_matrix *mx, const uint64_t *names, unsigned row,
           unsigned unit)
{
    unsigned lane, at;
    sw_sem_matrix_name(mx, row, unit, &lane, &at);
    return unit / 2 * 4 + (unsigned)(names[lane] >> at & 3);
}

/* The elements of a column of b that meet those of a row of a. */
static void
pick(const sw_matrix *mx, const uint64_t *names, unsigned row,
     const uint64_t *column, uint64_t *out)
{
    unsigned bits = sw_type_bits(mx->atype);
    for (unsigned i = 0; i < mx->k / 2u; i++) {
        if (bits == 32) { /* each half by itself */
            unsigned low = unit_named(mx, names, row, 2 * i);
            unsigned high = unit_named(mx, names, row, 2 * i + 1);
            out[i] = (column[low / 2] >> 16 * (low & 1) & 0xffff) |
                     (column[high / 2] >> 16 * (high & 1) & 0xffff) << 16;
        } else if (bits == 4) {
            out[i] = column[2 * unit_named(mx, names, row, i / 2) + (i & 1)];
        } else {
            out[i] = column[unit_named(mx, names, row, i)];
        }
    }
}

/* The product of all lanes, or of quad pair q. d may be c. */
static void
multiply(const sw_matrix *mx, bool wmma, const sw_sem_frag *frags, int q,
         const uint64_t (*a)[32], const uint64_t (*b)[32],
         const uint64_t (*c)[32], const uint64_t *names, uint64_t (*d)[32])
{
    uint64_t rows[MAX_A] = {0}, cols[MAX_B] = {0}, sums[MAX_C] = {0};
    uint64_t picked[MAX_B / 8];
    unsigned words = mx->atype == SW_T_B1 ? 32 : 1, k = mx->k / words;
    unsigned ak = stored_k(mx, 'a') / words;
    sw_matrix dense = *mx;
    dense.k = (uint16_t)stored_k(mx, 'a');
    gather(mx, 'a', &frags[0], q, a, NULL, rows);
    gather(mx, 'b', &frags[1], q, b, NULL, cols);
    gather(mx, 'c', &frags[2], q, c, NULL, sums);
    for (unsigned row = 0; row < mx->m; row++)
        for (unsigned col = 0; col < mx->n; col++) {
            vector x = {mx->atype, rows + row * ak};
            vector y = {mx->btype, cols + col * k};
            uint64_t *sum = &sums[row * mx->n + col];
            if (mx->sparse) {
                pick(mx, names, row, y.v, picked);
                y.v = picked;
            }
            *sum = dot(&dense, wmma, &x, &y, *sum);
        }
    gather(mx, 'd', &frags[3], q, NULL, d, sums);
}

bool
sw_sem_matrix_mma(const sw_matrix *mx, bool wmma, const uint64_t (*a)[32],
                  const uint64_t (*b)[32], const uint64_t (*c)[32],
                  const uint64_t *names, uint64_t (*d)[32])
{
    sw_sem_frag frags[4];
    if (!sw_sem_matrix_has_product(mx) || (mx->sparse && !names))
        return false;
    for (int i = 0; i < 4; i++)
        if (!sw_sem_matrix_frag(mx, "abcd"[i], wmma, &frags[i]))
            return false;
    unsigned step = mx->atype == SW_T_B1 ? 32 : 1;
    if (mx->m * stored_k(mx, 'a') / step > MAX_A ||
        mx->n * mx->k / step > MAX_B || mx->m * mx->n > MAX_C)
        return false;
    if (frags[0].quads)
        for (int q = 0; q < 4; q++)
            multiply(mx, wmma, frags, q, a, b, c, names, d);
    else
        multiply(mx, wmma, frags, -1, a, b, c, names, d);
    return true;
}
