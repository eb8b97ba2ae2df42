/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.c - see eval.h. The rows of pure.def, then the ops that need more than
 * a row: several results, predicates, packed values, auxiliary data.
 */
#include "sem/eval.h"

#include <assert.h>

#include "sem/sem.h"
#include "sem/video.h"

enum { MAX_RESULTS = 16 };

/* ---- values as C types, named so that rows can paste them ---- */

static uint16_t
get_uint16_t(sw_value v)
{
    return (uint16_t)v.lo;
}

static uint32_t
get_uint32_t(sw_value v)
{
    return (uint32_t)v.lo;
}

static uint64_t
get_uint64_t(sw_value v)
{
    return v.lo;
}

static float
get_float(sw_value v)
{
    return sem_f32_bits((uint32_t)v.lo);
}

static double
get_double(sw_value v)
{
    return sem_f64_bits(v.lo);
}

static sw_value
put_uint16_t(uint16_t x)
{
    return (sw_value){x, 0};
}

static sw_value
put_uint32_t(uint32_t x)
{
    return (sw_value){x, 0};
}

static sw_value
put_uint64_t(uint64_t x)
{
    return (sw_value){x, 0};
}

static sw_value
put_float(float x)
{
    return (sw_value){sem_bits_f32(x), 0};
}

static sw_value
put_double(double x)
{
    return (sw_value){sem_bits_f64(x), 0};
}

static uint64_t
low_bits(uint64_t v, unsigned bits)
{
    return bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v;
}

/* ---- which modifiers mean something ---- */

static bool
is_half(sw_type type)
{
    return type == SW_T_F16 || type == SW_T_F16X2 || type == SW_T_BF16 ||
           type == SW_T_BF16X2;
}

static bool
is_bf16(sw_type type)
{
    return type == SW_T_BF16 || type == SW_T_BF16X2;
}

/* Flags (SW_F_) that the arithmetic op may carry for its type. */
static unsigned
allowed_flags(const sw_ins *ins)
{
    bool f32 = ins->type == SW_T_F32 || ins->type == SW_T_F32X2;
    bool f16 = is_half(ins->type) && !is_bf16(ins->type);
    bool half = is_half(ins->type);
    unsigned ftz = f32 || f16 ? SW_F_FTZ : 0;
    unsigned sat = ins->type == SW_T_F32 || f16 ? SW_F_SAT : 0;
    bool int_relu = ins->type == SW_T_S32 || ins->type == SW_T_S16X2;
    switch (ins->op) {
    case SW_OP_ADD:
        return ftz | sat | (ins->type == SW_T_S32 ? SW_F_SAT : 0);
    case SW_OP_SUB:
        return ftz | sat | (ins->type == SW_T_S32 ? SW_F_SAT : 0) |
               (ins->type == SW_T_F64 ? SW_F_NAN : 0);
    case SW_OP_MUL:
        return ftz | sat;
    case SW_OP_MAD:
    case SW_OP_FMA:
        return ftz | sat | (half ? SW_F_RELU : 0);
    case SW_OP_MAD_HI:
    case SW_OP_MAD24_HI:
        return ins->type == SW_T_S32 ? SW_F_SAT : 0;
    case SW_OP_DIV:
        return f32 ? SW_F_FTZ | SW_F_APPROX | SW_F_FULL : 0;
    case SW_OP_MIN:
    case SW_OP_MAX:
    case SW_OP_MIN3:
    case SW_OP_MAX3:
        return f32 || half ? ftz | SW_F_NAN | SW_F_XORSIGN
               : int_relu  ? SW_F_RELU
                           : 0;
    case SW_OP_SQRT:
        return SW_F_FTZ | SW_F_APPROX | (f32 ? SW_F_FULL : 0);
    case SW_OP_RCP:
    case SW_OP_RSQRT:
        return SW_F_FTZ | SW_F_APPROX;
    case SW_OP_SIN:
    case SW_OP_COS:
    case SW_OP_LG2:
    case SW_OP_TANH:
        return ftz | SW_F_APPROX;
    case SW_OP_EX2:
        return SW_F_FTZ | SW_F_APPROX;
    case SW_OP_ABS:
    case SW_OP_NEG:
        return SW_F_FTZ | SW_F_NAN;
    case SW_OP_SETP:
    case SW_OP_SET:
    case SW_OP_SLCT:
        return SW_F_FTZ;
    case SW_OP_CVT:
        return SW_F_FTZ | SW_F_SAT | SW_F_RELU;
    case SW_OP_CVT_PACK:
        return SW_F_SAT;
    default:
        return 0;
    }
}

static bool
rounding_ok(const sw_ins *ins)
{
    sw_type t = ins->type;
    if (ins->op == SW_OP_CVT || ins->rnd == SW_RND_NONE)
        return true;
    if (sw_type_kind(t) != SW_KIND_FLOAT && sw_type_kind(t) != SW_KIND_PACKED)
        return false;
    if (ins->rnd == SW_RND_RN)
        return true;
    return (t == SW_T_F32 || t == SW_T_F64 || t == SW_T_F32X2) &&
           ins->rnd >= SW_RND_RZ && ins->rnd <= SW_RND_RP;
}

static bool
modifiers_ok(const sw_ins *ins)
{
    unsigned meaning = SW_FM_FLAGS >> 4 | SW_F_OOB;
    return !(ins->flags & meaning & ~allowed_flags(ins)) && rounding_ok(ins);
}

/* ---- rows ---- */

static bool
eval_row(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    sw_fmode m = sw_sem_mode(ins);
    if (ins->ndst != 1)
        return false;
#define KEY(op, type) ((unsigned)(op) << 8 | (type))
#define ROW(op, type, n, D, value)                                             \
    case KEY(SW_OP_##op, SW_T_##type):                                         \
        if (ins->nsrc != n)                                                    \
            return false;                                                      \
        *d = put_##D(value);                                                   \
        return true;
    switch (KEY(ins->op, ins->type)) {
#define SEM1(op, type, D, A, fn) ROW(op, type, 1, D, fn(get_##A(s[0])))
#define SEM2(op, type, D, A, B, fn)                                            \
    ROW(op, type, 2, D, fn(get_##A(s[0]), get_##B(s[1])))
#define SEM3(op, type, D, A, B, C, fn)                                         \
    ROW(op, type, 3, D, fn(get_##A(s[0]), get_##B(s[1]), get_##C(s[2])))
#define SEM4(op, type, D, A, B, C, E, fn)                                      \
    ROW(op, type, 4, D,                                                        \
        fn(get_##A(s[0]), get_##B(s[1]), get_##C(s[2]), get_##E(s[3])))
#define FSEM1(op, type, D, A, fn) ROW(op, type, 1, D, fn(get_##A(s[0]), m))
#define FSEM2(op, type, D, A, B, fn)                                           \
    ROW(op, type, 2, D, fn(get_##A(s[0]), get_##B(s[1]), m))
#define FSEM3(op, type, D, A, B, C, fn)                                        \
    ROW(op, type, 3, D, fn(get_##A(s[0]), get_##B(s[1]), get_##C(s[2]), m))
#include "sem/pure.def"
    default:
        return false;
    }
}

/* ---- comparison and selection ---- */

static bool
cmp_ok(sw_type type, sw_cmp cmp)
{
    switch (sw_type_kind(type)) {
    case SW_KIND_BITS:
        return cmp <= SW_CMP_NE;
    case SW_KIND_SINT:
        return cmp <= SW_CMP_GE;
    case SW_KIND_UINT:
        return cmp <= SW_CMP_HS;
    default:
        return cmp <= SW_CMP_GE || cmp >= SW_CMP_EQU;
    }
}

static bool
is_packed_half(sw_type type)
{
    return type == SW_T_F16X2 || type == SW_T_BF16X2;
}

/* One comparison; packed halves: bit 0 the low one's, bit 1 the high one's. */
static bool
compare(const sw_ins *ins, sw_type type, const sw_value *s, unsigned *result)
{
    sw_fmode m = sw_sem_mode(ins) & SW_FM_FTZ;
    sw_cmp cmp = ins->cmp;
    bool ftz_type = type == SW_T_F32 || type == SW_T_F16 || type == SW_T_F16X2;
    if (!cmp_ok(type, cmp) || (m && !ftz_type))
        return false;
    if (type == SW_T_F16X2) {
        uint32_t a = get_uint32_t(s[0]), b = get_uint32_t(s[1]);
        *result = (unsigned)sem_cmp_f16(sem_lo16(a), sem_lo16(b), cmp, m) |
                  (unsigned)sem_cmp_f16(sem_hi16(a), sem_hi16(b), cmp, m) << 1;
        return true;
    }
    if (type == SW_T_BF16X2) {
        uint32_t a = get_uint32_t(s[0]), b = get_uint32_t(s[1]);
        *result = (unsigned)sem_cmp_bf16(sem_lo16(a), sem_lo16(b), cmp, m) |
                  (unsigned)sem_cmp_bf16(sem_hi16(a), sem_hi16(b), cmp, m) << 1;
        return true;
    }
    switch (type) {
#define PRED2(op, type, A, fn)                                                 \
    case SW_T_##type:                                                          \
        *result = fn(get_##A(s[0]), get_##A(s[1]), cmp, m);                    \
        return true;
#include "sem/pure.def"
    default:
        return false;
    }
}

static bool
combine(bool x, unsigned boolop, bool y)
{
    switch (boolop) {
    case SW_BOOL_AND:
        return x && y;
    case SW_BOOL_OR:
        return x || y;
    case SW_BOOL_XOR:
        return x != y;
    default:
        return x;
    }
}

/* A third operand comes with a boolop, and never without. */
static bool
third_ok(const sw_ins *ins)
{
    return ins->boolop <= SW_BOOL_XOR &&
           ins->nsrc == (ins->boolop == SW_BOOL_NONE ? 2 : 3);
}

static bool
eval_setp(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    unsigned r;
    if (ins->ndst < 1 || ins->ndst > 2 || !third_ok(ins) ||
        !compare(ins, ins->type, s, &r))
        return false;
    bool c = ins->nsrc == 3 && (s[2].lo & 1), p = r & 1;
    bool q = is_packed_half(ins->type) ? r >> 1 : !p;
    d[0] = (sw_value){combine(p, ins->boolop, c), 0};
    if (ins->ndst == 2)
        d[1] = (sw_value){combine(q, ins->boolop, c), 0};
    return true;
}

static bool
eval_set(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    unsigned r;
    if (ins->ndst != 1 || !third_ok(ins) || !compare(ins, ins->stype, s, &r))
        return false;
    bool c = ins->nsrc == 3 && (s[2].lo & 1);
    bool lo = combine(r & 1, ins->boolop, c), hi = lo;
    bool pair = is_packed_half(ins->stype);
    if (pair)
        hi = combine(r >> 1, ins->boolop, c);
    uint32_t one;
    switch (ins->type) {
    case SW_T_U16:
    case SW_T_S16:
        one = 0xffff;
        hi = false;
        break;
    case SW_T_U32:
    case SW_T_S32:
        one = 0xffff; /* each half */
        break;
    case SW_T_F32:
        *d = put_float(lo ? 1.0f : 0.0f);
        return !pair;
    case SW_T_F16:
        one = 0x3c00;
        hi = false;
        break;
    case SW_T_BF16:
        one = 0x3f80;
        hi = false;
        break;
    case SW_T_F16X2:
        one = 0x3c00;
        break;
    case SW_T_BF16X2:
        one = 0x3f80;
        break;
    default:
        return false;
    }
    bool narrow = sw_type_bits(ins->type) == 16;
    if ((narrow && pair) || (is_packed_half(ins->type) && !pair))
        return false;
    *d = put_uint32_t((lo ? one : 0) | (hi ? one << 16 : 0));
    return true;
}

static bool
eval_select(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    if (ins->ndst != 1 || ins->nsrc != 3)
        return false;
    bool first = s[2].lo & 1;
    if (ins->op == SW_OP_SLCT) {
        float c = sem_in_f32(get_float(s[2]), sw_sem_mode(ins));
        if (ins->stype == SW_T_F32)
            first = c >= 0;
        else if (ins->stype == SW_T_S32 && !(ins->flags & SW_F_FTZ))
            first = (int32_t)s[2].lo >= 0;
        else
            return false;
    }
    unsigned bits = sw_type_bits(ins->type);
    if (bits < 16)
        return false;
    *d = first ? s[0] : s[1];
    return true;
}

/* ---- moves ---- */

static bool
eval_mov(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    unsigned bits = sw_type_bits(ins->type);
    if (ins->ndst != 1 || ins->nsrc != 1 || !bits)
        return false;
    d->hi = bits > 64 ? s[0].hi : 0;
    d->lo = low_bits(s[0].lo, bits);
    return true;
}

static bool
eval_pack(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    unsigned bits = sw_type_bits(ins->type), n = ins->nsrc;
    if (ins->ndst != 1 || n < 2 || !bits || bits % n || bits / n > 64)
        return false;
    sw_u128 v = 0;
    unsigned part = bits / n;
    for (unsigned i = 0; i < n; i++)
        v |= (sw_u128)low_bits(s[i].lo, part) << (part * i);
    *d = (sw_value){(uint64_t)v, (uint64_t)(v >> 64)};
    return true;
}

static bool
eval_unpack(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    unsigned bits = sw_type_bits(ins->type), n = ins->ndst;
    if (ins->nsrc != 1 || n < 2 || n > MAX_RESULTS || !bits || bits % n ||
        bits / n > 64)
        return false;
    unsigned part = bits / n;
    sw_u128 v = (sw_u128)s[0].hi << 64 | s[0].lo;
    for (unsigned i = 0; i < n; i++)
        d[i] = (sw_value){low_bits((uint64_t)(v >> (part * i)), part), 0};
    return true;
}

/* ---- conversions ---- */

static bool
cvt_row(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    sw_fmode m = sw_sem_mode(ins);
    switch (KEY(ins->type, ins->stype)) {
#define CVT1(dtype, stype, D, A, fn)                                           \
    case KEY(SW_T_##dtype, SW_T_##stype):                                      \
        *d = put_##D(fn(get_##A(s[0]), m));                                    \
        return true;
#include "sem/pure.def"
    default:
        return false;
    }
}

static bool
pair_format(sw_type type, sem_fmt *fmt, unsigned *bits)
{
    *bits = type == SW_T_F16X2 || type == SW_T_BF16X2 ? 16 : 8;
    switch (type) {
    case SW_T_F16X2:
        *fmt = SEM_FMT_F16;
        return true;
    case SW_T_BF16X2:
        *fmt = SEM_FMT_BF16;
        return true;
    case SW_T_E4M3X2:
        *fmt = SEM_FMT_E4M3;
        return true;
    case SW_T_E5M2X2:
        *fmt = SEM_FMT_E5M2;
        return true;
    default:
        return false;
    }
}

/* Pairs: two f32 (the first into the upper half), or a pair of one format
 * from a pair of another. */
static bool
cvt_pair(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    sem_fmt to, from;
    unsigned bits, from_bits;
    double hi, lo;
    sw_fmode m = sw_sem_mode(ins);
    if (!pair_format(ins->type, &to, &bits))
        return false;
    if (ins->stype == SW_T_F32 && ins->nsrc == 2) {
        hi = (double)sem_in_f32(get_float(s[0]), m);
        lo = (double)sem_in_f32(get_float(s[1]), m);
    } else if (ins->nsrc == 1 && pair_format(ins->stype, &from, &from_bits) &&
               bits != from_bits && to != SEM_FMT_BF16) {
        sem_soft h =
            sem_soft_unpack(from, low_bits(s[0].lo >> from_bits, from_bits));
        sem_soft l = sem_soft_unpack(from, low_bits(s[0].lo, from_bits));
        hi = sem_f64_bits(sem_soft_pack(SEM_FMT_F64, SW_RND_RN, h));
        lo = sem_f64_bits(sem_soft_pack(SEM_FMT_F64, SW_RND_RN, l));
    } else {
        return false;
    }
    *d = put_uint32_t(sem_narrow(to, hi, m) << bits | sem_narrow(to, lo, m));
    return true;
}

static bool
eval_cvt(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    if (ins->ndst != 1)
        return false;
    if (ins->nsrc == 1 && cvt_row(ins, s, d))
        return true;
    return cvt_pair(ins, s, d);
}

/* cvt.pack.sat: a above b, above them the low bits of c if there is room. */
static bool
eval_cvt_pack(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    unsigned bits = sw_type_bits(ins->type);
    bool sign = sw_type_kind(ins->type) == SW_KIND_SINT;
    if (ins->ndst != 1 || ins->nsrc < 2 || ins->nsrc > 3 || bits > 16 ||
        bits < 2 || (bits < 16 && ins->nsrc != 3) ||
        (!sign && sw_type_kind(ins->type) != SW_KIND_UINT))
        return false;
    bool from_u32 = ins->stype == SW_T_U32;
    uint32_t r = bits < 16 ? (uint32_t)s[2].lo << (2 * bits) : 0;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t v = (uint32_t)s[1 - i].lo;
        int64_t x = from_u32 ? (int64_t)v : (int64_t)(int32_t)v;
        x = sem_video_clamp(x, bits, sign);
        r |= (uint32_t)low_bits((uint64_t)x, bits) << (bits * i);
    }
    *d = put_uint32_t(r);
    return true;
}

/* ---- integers with a carry ---- */

static bool
is_carry_type(sw_type t)
{
    return t == SW_T_U32 || t == SW_T_S32 || t == SW_T_U64 || t == SW_T_S64;
}

static bool
eval_carry(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    bool mad = ins->op == SW_OP_MADC_LO || ins->op == SW_OP_MADC_HI;
    unsigned bits = sw_type_bits(ins->type), n = mad ? 4 : 3;
    if (!is_carry_type(ins->type) || ins->nsrc != n || ins->ndst < 1 ||
        ins->ndst > 2)
        return false;
    bool sign = sw_type_kind(ins->type) == SW_KIND_SINT;
    sw_u128 a = s[0].lo, b = s[1].lo, r, carry = s[n - 1].lo & 1;
    if (mad) {
        uint64_t x = s[0].lo, y = s[1].lo;
        if (bits == 32)
            a = ins->op == SW_OP_MADC_LO
                    ? sem_mul_lo_b32((uint32_t)x, (uint32_t)y)
                : sign ? sem_mul_hi_s32((uint32_t)x, (uint32_t)y)
                       : sem_mul_hi_u32((uint32_t)x, (uint32_t)y);
        else
            a = ins->op == SW_OP_MADC_LO ? sem_mul_lo_b64(x, y)
                : sign                   ? sem_mul_hi_s64(x, y)
                                         : sem_mul_hi_u64(x, y);
        b = s[2].lo;
    }
    if (ins->op ==
        SW_OP_SUBC) /* the carry flag says that nothing is borrowed */
        b = low_bits(~(uint64_t)b, bits);
    r = a + b + carry;
    d[0] = (sw_value){low_bits((uint64_t)r, bits), 0};
    if (ins->ndst == 2)
        d[1] = (sw_value){(uint64_t)(r >> bits) & 1, 0};
    return true;
}

static bool
eval_dot(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    bool sa = ins->type == SW_T_S32, sb = ins->stype == SW_T_S32;
    if (ins->ndst != 1 || ins->nsrc != 3 || (!sa && ins->type != SW_T_U32) ||
        (!sb && ins->stype != SW_T_U32))
        return false;
    uint32_t a = get_uint32_t(s[0]), b = get_uint32_t(s[1]);
    uint32_t c = get_uint32_t(s[2]);
    *d = put_uint32_t(ins->op == SW_OP_DP4A
                          ? sem_dp4a(a, b, c, sa, sb)
                          : sem_dp2a(a, b, c, sa, sb, ins->sub == 1));
    return true;
}

/* ---- packed values that have no rows ---- */

static bool
eval_int_pair(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    if (ins->ndst != 1 || ins->nsrc != 2)
        return false;
    bool sign = ins->type == SW_T_S16X2;
    uint16_t r[2];
    for (int i = 0; i < 2; i++) {
        uint16_t a = (uint16_t)(s[0].lo >> (16 * i));
        uint16_t b = (uint16_t)(s[1].lo >> (16 * i));
        switch (ins->op) {
        case SW_OP_ADD:
            r[i] = sem_add_b16(a, b);
            break;
        case SW_OP_MIN:
            r[i] = sign ? sem_min_s16(a, b) : sem_min_u16(a, b);
            break;
        case SW_OP_MAX:
            r[i] = sign ? sem_max_s16(a, b) : sem_max_u16(a, b);
            break;
        default:
            return false;
        }
        if (ins->flags & SW_F_RELU)
            r[i] = sem_max_s16(r[i], 0);
    }
    *d = put_uint32_t(sem_pair16(r[0], r[1]));
    return true;
}

static bool
eval_f32_pair(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    if (ins->ndst != 1 || ins->nsrc != (ins->op == SW_OP_FMA ? 3 : 2))
        return false;
    sw_fmode m = sw_sem_mode(ins);
    uint64_t r = 0;
    for (int i = 0; i < 2; i++) {
        float x[3] = {0};
        for (int k = 0; k < ins->nsrc; k++)
            x[k] = sem_f32_bits((uint32_t)(s[k].lo >> (32 * i)));
        float y;
        switch (ins->op) {
        case SW_OP_ADD:
            y = sem_add_f32(x[0], x[1], m);
            break;
        case SW_OP_SUB:
            y = sem_sub_f32(x[0], x[1], m);
            break;
        case SW_OP_MUL:
            y = sem_mul_f32(x[0], x[1], m);
            break;
        case SW_OP_FMA:
            y = sem_fma_f32(x[0], x[1], x[2], m);
            break;
        default:
            return false;
        }
        r |= (uint64_t)sem_bits_f32(y) << (32 * i);
    }
    *d = put_uint64_t(r);
    return true;
}

/* min3, max3: the two-operand form twice. */
static bool
eval_three(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    if (ins->ndst != 1 || ins->nsrc != 3 || ins->type != SW_T_F32 ||
        (ins->flags & SW_F_XORSIGN))
        return false;
    sw_fmode m = sw_sem_mode(ins);
    bool max = ins->op == SW_OP_MAX3;
    float r = sem_pick_f32(get_float(s[0]), get_float(s[1]), max, m);
    *d = put_float(sem_pick_f32(r, get_float(s[2]), max, m));
    return true;
}

/* ---- predicates, logic ---- */

static bool
eval_pred_logic(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    if (ins->ndst != 1 || ins->nsrc != (ins->op == SW_OP_NOT ? 1 : 2))
        return false;
    uint64_t a = s[0].lo & 1, b = ins->nsrc == 2 ? s[1].lo & 1 : 0;
    switch (ins->op) {
    case SW_OP_AND:
        d->lo = a & b;
        break;
    case SW_OP_OR:
        d->lo = a | b;
        break;
    case SW_OP_XOR:
        d->lo = a ^ b;
        break;
    default:
        d->lo = !a;
    }
    d->hi = 0;
    return true;
}

static bool
eval_lop3_pred(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    if (ins->nsrc != 4 || ins->type != SW_T_B32 ||
        (ins->boolop != SW_BOOL_AND && ins->boolop != SW_BOOL_OR))
        return false;
    uint32_t r = sem_lop3_b32(get_uint32_t(s[0]), get_uint32_t(s[1]),
                              get_uint32_t(s[2]), sw_sem_mode(ins));
    d[0] = put_uint32_t(r);
    d[1] = (sw_value){combine(r != 0, ins->boolop, s[3].lo & 1), 0};
    return true;
}

static bool
eval_testp(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    if (ins->ndst != 1 || ins->nsrc != 1 || ins->sub > SW_TESTP_SUBNORMAL)
        return false;
    if (ins->type == SW_T_F32)
        d->lo = sem_testp_f32(get_uint32_t(s[0]), ins->sub);
    else if (ins->type == SW_T_F64)
        d->lo = sem_testp_f64(s[0].lo, ins->sub);
    else
        return false;
    d->hi = 0;
    return true;
}

static bool
eval_video(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    const sw_video *v = ins->aux;
    if (!v || ins->ndst != 1 || ins->nsrc != 3)
        return false;
    uint32_t a = get_uint32_t(s[0]), b = get_uint32_t(s[1]);
    uint32_t c = get_uint32_t(s[2]);
    uint32_t r = ins->op < SW_OP_VADD2
                     ? sem_video_scalar(ins->op, v, ins->cmp, a, b, c)
                     : sem_video_simd(ins->op, v, ins->cmp,
                                      ins->op >= SW_OP_VADD4, a, b, c);
    *d = put_uint32_t(r);
    return true;
}

static bool
eval(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    static_assert(SW_OP_VADD2 == SW_OP_VADD + 9 &&
                      SW_OP_VADD4 == SW_OP_VADD2 + 7 &&
                      SW_OP_VSET4 == SW_OP_VADD4 + 6,
                  "ORDER: scalar, two halves, four bytes");
    if (ins->op >= SW_OP_VADD && ins->op <= SW_OP_VSET4)
        return eval_video(ins, s, d);
    if (ins->op >= SW_OP_COUNT ||
        sw_op_get_info(ins->op)->effects != SW_FX_PURE || !modifiers_ok(ins))
        return false;
    switch (ins->op) {
    case SW_OP_SETP:
        return eval_setp(ins, s, d);
    case SW_OP_SET:
        return eval_set(ins, s, d);
    case SW_OP_SELP:
    case SW_OP_SLCT:
        return eval_select(ins, s, d);
    case SW_OP_MOV:
        return eval_mov(ins, s, d);
    case SW_OP_PACK:
        return eval_pack(ins, s, d);
    case SW_OP_UNPACK:
        return eval_unpack(ins, s, d);
    case SW_OP_CVT:
        return eval_cvt(ins, s, d);
    case SW_OP_CVT_PACK:
        return eval_cvt_pack(ins, s, d);
    case SW_OP_ADDC:
    case SW_OP_SUBC:
    case SW_OP_MADC_LO:
    case SW_OP_MADC_HI:
        return eval_carry(ins, s, d);
    case SW_OP_DP4A:
    case SW_OP_DP2A:
        return eval_dot(ins, s, d);
    case SW_OP_MIN3:
    case SW_OP_MAX3:
        return eval_three(ins, s, d);
    case SW_OP_TESTP:
        return eval_testp(ins, s, d);
    default:
        break;
    }
    switch (ins->type) {
    case SW_T_PRED:
        return (ins->op == SW_OP_AND || ins->op == SW_OP_OR ||
                ins->op == SW_OP_XOR || ins->op == SW_OP_NOT) &&
               eval_pred_logic(ins, s, d);
    case SW_T_U16X2:
    case SW_T_S16X2:
        return eval_int_pair(ins, s, d);
    case SW_T_F32X2:
        return eval_f32_pair(ins, s, d);
    default:
        break;
    }
    if (ins->op == SW_OP_LOP3 && ins->ndst == 2)
        return eval_lop3_pred(ins, s, d);
    return eval_row(ins, s, d);
}

/* ---- f64 in f32 ---- */

bool
sw_sem_can_demote(const sw_ins *ins)
{
    if (ins->type != SW_T_F64 && ins->stype != SW_T_F64)
        return false;
    switch (ins->op) {
    case SW_OP_MOV:
    case SW_OP_SELP:
    case SW_OP_SLCT:
    case SW_OP_COPYSIGN:
    case SW_OP_TESTP:
        return false;
    default:
        return sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE;
    }
}

sw_ins
sw_sem_demoted(const sw_ins *ins)
{
    sw_ins f32 = *ins;
    f32.flags &= (uint16_t)~SW_F_DEMOTED;
    f32.type = ins->type == SW_T_F64 ? SW_T_F32 : ins->type;
    f32.stype = ins->stype == SW_T_F64 ? SW_T_F32 : ins->stype;
    bool same = ins->op == SW_OP_CVT && f32.type == f32.stype;
    if (same && ins->rnd <= SW_RND_RP)
        f32.rnd = SW_RND_NONE; /* rounded to f32 as an operand */
    if (ins->op == SW_OP_SUB)
        f32.flags &= (uint16_t)~SW_F_NAN; /* floats have one NaN only */
    return f32;
}

bool
sw_sem_reads_f64(const sw_ins *ins, unsigned i)
{
    if (ins->op == SW_OP_CVT || ins->op == SW_OP_SET)
        return ins->stype == SW_T_F64 && i < 2;
    return ins->type == SW_T_F64 && !(ins->op == SW_OP_SETP && i == 2);
}

bool
sw_sem_writes_f64(const sw_ins *ins)
{
    return ins->type == SW_T_F64 && ins->op != SW_OP_SETP;
}

static bool
eval_demoted(const sw_ins *ins, const sw_value *s, sw_value *d)
{
    sw_ins f32 = sw_sem_demoted(ins);
    sw_value x[MAX_RESULTS];
    if (ins->nsrc > MAX_RESULTS || !sw_sem_can_demote(ins))
        return false;
    for (unsigned i = 0; i < ins->nsrc; i++)
        x[i] = sw_sem_reads_f64(ins, i)
                   ? put_float(sem_cvt_f32_f64(get_double(s[i]), SW_FM_FTZ))
                   : s[i];
    if (!eval(&f32, x, d))
        return false;
    if (sw_sem_writes_f64(ins))
        *d = put_double(sem_cvt_f64_f32(get_float(*d), 0));
    return true;
}

bool
sw_sem_eval(const sw_ins *ins, const sw_value *src, sw_value *dst)
{
    sw_value r[MAX_RESULTS] = {{0, 0}};
    if (ins->ndst > MAX_RESULTS)
        return false;
    if (!(ins->flags & SW_F_DEMOTED ? eval_demoted : eval)(ins, src, r))
        return false;
    memcpy(dst, r, ins->ndst * sizeof *r);
    return true;
}

bool
sw_sem_supports(const sw_ins *ins)
{
    sw_value zero[MAX_RESULTS] = {{0, 0}}, r[MAX_RESULTS];
    return ins->nsrc <= MAX_RESULTS && sw_sem_eval(ins, zero, r);
}
