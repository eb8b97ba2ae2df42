/* SPDX-License-Identifier: Apache-2.0 */
/* int.c - integer arithmetic as sem/int.h has it; see alu/private.h. */
#include "jit/alu/private.h"

static V
extend(const sw_alu *e, V a, unsigned bits)
{
    return alu_is_signed(e) ? v_sext(e, a, bits) : v_zext(e, a, bits);
}

/* ---- products ---- */

/* The upper half of 64-bit products, from four 32-bit ones: vectors have no
 * wider type. */
static V
mul_hi_u64(const sw_alu *e, V a, V b)
{
    V al = v_andk(e, a, UINT32_MAX), ah = v_lshrk(e, a, 32);
    V bl = v_andk(e, b, UINT32_MAX), bh = v_lshrk(e, b, 32);
    V low = v_mul(e, al, bl);
    V mid = v_add(e, v_mul(e, ah, bl), v_lshrk(e, low, 32));
    V mid2 = v_add(e, v_mul(e, al, bh), v_andk(e, mid, UINT32_MAX));
    V high = v_add(e, v_mul(e, ah, bh), v_lshrk(e, mid, 32));
    return v_add(e, high, v_lshrk(e, mid2, 32));
}

static V
mul_hi(const sw_alu *e, V a, V b)
{
    unsigned n = alu_width(e);
    if (n == 64 && e->lanes > 1) {
        V r = mul_hi_u64(e, a, b);
        if (!alu_is_signed(e))
            return r;
        /* -a is 2^64 - a: what that put into the upper half goes. */
        r = v_sub(e, r, v_and(e, v_ashrk(e, a, 63), b));
        return v_sub(e, r, v_and(e, v_ashrk(e, b, 63), a));
    }
    V p = v_mul(e, extend(e, a, 2 * n), extend(e, b, 2 * n));
    return v_trunc(e, v_lshrk(e, p, n), n);
}

static V
mul24(const sw_alu *e, V a, V b, bool hi)
{
    if (alu_is_signed(e)) {
        a = v_ashrk(e, v_shlk(e, a, 8), 8);
        b = v_ashrk(e, v_shlk(e, b, 8), 8);
    } else {
        a = v_andk(e, a, 0xffffff);
        b = v_andk(e, b, 0xffffff);
    }
    if (!hi)
        return v_mul(e, a, b);
    V p = v_mul(e, extend(e, a, 64), extend(e, b, 64));
    return v_trunc(e, v_lshrk(e, p, 16), 32);
}

/* a + b, or clamped if the instruction says .sat (s32). */
static V
add_sat(const sw_alu *e, V a, V b)
{
    return e->m & SW_FM_SAT ? v_call2(e, "llvm.sadd.sat", a, b)
                            : v_add(e, a, b);
}

static bool
product(const sw_alu *e, const V *s, V *d)
{
    unsigned n = alu_width(e);
    switch (e->ins->op) {
    case SW_OP_MUL_LO:
        *d = v_mul(e, s[0], s[1]);
        return true;
    case SW_OP_MUL_HI:
        *d = mul_hi(e, s[0], s[1]);
        return true;
    case SW_OP_MUL_WIDE:
        *d = v_mul(e, extend(e, s[0], 2 * n), extend(e, s[1], 2 * n));
        return n < 64;
    case SW_OP_MAD_LO:
        *d = v_add(e, v_mul(e, s[0], s[1]), s[2]);
        return true;
    case SW_OP_MAD_HI:
        *d = add_sat(e, mul_hi(e, s[0], s[1]), s[2]);
        return true;
    case SW_OP_MAD_WIDE:
        *d = v_mul(e, extend(e, s[0], 2 * n), extend(e, s[1], 2 * n));
        *d = v_add(e, *d, s[2]);
        return n < 64;
    case SW_OP_MUL24_LO:
        *d = mul24(e, s[0], s[1], false);
        return true;
    case SW_OP_MUL24_HI:
        *d = mul24(e, s[0], s[1], true);
        return true;
    case SW_OP_MAD24_LO:
        *d = v_add(e, mul24(e, s[0], s[1], false), s[2]);
        return true;
    case SW_OP_MAD24_HI:
        *d = add_sat(e, mul24(e, s[0], s[1], true), s[2]);
        return true;
    default:
        return false;
    }
}

/* ---- quotients ---- */

/* One over a number that all lanes have, as a vector; NULL: they may differ. */
static V
common_reciprocal(const sw_alu *e, V b)
{
    V one = v_splat_source(b);
    if (!one)
        return NULL;
    sw_alu scalar = *e;
    scalar.lanes = 1;
    V zero = v_icmpk(&scalar, LLVMIntEQ, one, 0);
    one = v_sel(&scalar, zero, v_k(&scalar, one, 1), one);
    V y = v_cast(&scalar, alu_is_signed(e) ? LLVMSIToFP : LLVMUIToFP, one,
                 v_f64_type(&scalar));
    y = v_fdiv(&scalar, v_f64_const(&scalar, 1), y);
    return v_splat(e, y);
}

/* Vectors of up to 32 bits by way of f64; see sem_quotient. b is not 0; r: what
 * common_reciprocal says of it. A dividend half a unit further from zero lies
 * 0.5 / b at least from where the quotient changes; multiplying with the
 * reciprocal is off by 2^-20 / b at most. */
static V
quotient_by_f64(const sw_alu *e, V a, V b, V r)
{
    LLVMOpcode to_f64 = alu_is_signed(e) ? LLVMSIToFP : LLVMUIToFP;
    V q, x = v_cast(e, to_f64, a, v_f64_type(e));
    if (r) {
        V half = v_f64_const(e, 0.5);
        if (alu_is_signed(e))
            half = v_call2(e, "llvm.copysign", half, x);
        q = v_fmul(e, v_fadd(e, x, half), r);
    } else {
        q = v_fdiv(e, x, v_cast(e, to_f64, b, v_f64_type(e)));
    }
    q = v_call1(e, "llvm.trunc", q);
    q = v_bits64(e, v_fadd(e, q, v_f64_const(e, 0x1.8p52)));
    return v_trunc(e, q, alu_width(e));
}

/* By the machine's division, which must not overflow. */
static V
quotient_by_int(const sw_alu *e, V a, V b)
{
    if (!alu_is_signed(e))
        return v_bin(e, LLVMUDiv, a, b);
    V minus = v_icmpk(e, LLVMIntEQ, b, UINT64_MAX);
    V safe = v_sel(e, minus, v_k(e, b, 1), b);
    return v_sel(e, minus, v_neg(e, a), v_bin(e, LLVMSDiv, a, safe));
}

static bool
divide(const sw_alu *e, const V *s, V *d)
{
    V zero = v_icmpk(e, LLVMIntEQ, s[1], 0);
    V b = v_sel(e, zero, v_k(e, s[1], 1), s[1]);
    bool by_f64 = e->lanes > 1 && alu_width(e) <= 32 && !v_is_const(s[1]);
    V q = by_f64 ? quotient_by_f64(e, s[0], b, common_reciprocal(e, s[1]))
                 : quotient_by_int(e, s[0], b);
    V r = e->ins->op == SW_OP_DIV ? q : v_sub(e, s[0], v_mul(e, q, b));
    *d = v_sel(e, zero, v_k(e, s[1], UINT64_MAX), r);
    return true;
}

/* ---- the rest ---- */

static V
smaller(const sw_alu *e, V a, V b)
{
    return v_call2(e, alu_is_signed(e) ? "llvm.smin" : "llvm.umin", a, b);
}

static V
larger(const sw_alu *e, V a, V b)
{
    return v_call2(e, alu_is_signed(e) ? "llvm.smax" : "llvm.umax", a, b);
}

static V
relu(const sw_alu *e, V a)
{
    return e->m & SW_FM_RELU ? v_call2(e, "llvm.smax", a, v_k(e, a, 0)) : a;
}

static bool
carry32(const sw_alu *e, V a, V b, V carry, V *d)
{
    a = v_zext(e, a, 64);
    b = v_zext(e, b, 64);
    carry = v_zext(e, carry, 64);
    V r = v_add(e, v_add(e, a, b), carry);
    d[0] = v_trunc(e, r, 32);
    if (e->ins->ndst == 2)
        d[1] = v_trunc(e, v_lshrk(e, r, 32), 1);
    return true;
}

static bool
carry64(const sw_alu *e, V a, V b, V carry, V *d)
{
    carry = v_zext(e, carry, 64);
    V first = v_add(e, a, b), second = v_add(e, first, carry);
    d[0] = second;
    if (e->ins->ndst == 2)
        d[1] = v_or(e, v_icmp(e, LLVMIntULT, first, a),
                    v_icmp(e, LLVMIntULT, second, first));
    return true;
}

static bool
with_carry(const sw_alu *e, const V *s, V *d)
{
    V a = s[0], b = s[1], carry = s[2];
    if (e->ins->op == SW_OP_MADC_LO || e->ins->op == SW_OP_MADC_HI) {
        a = e->ins->op == SW_OP_MADC_LO ? v_mul(e, a, b) : mul_hi(e, a, b);
        b = s[2];
        carry = s[3];
    } else if (e->ins->op == SW_OP_SUBC) {
        b = v_not(e, b);
    }
    return alu_width(e) == 32 ? carry32(e, a, b, carry, d)
                              : carry64(e, a, b, carry, d);
}

/* Field i of `bits` bits, extended to 32. */
static V
field(const sw_alu *e, V a, unsigned i, unsigned bits, bool sign)
{
    a = v_shlk(e, a, 32 - bits * (i + 1));
    return sign ? v_ashrk(e, a, 32 - bits) : v_lshrk(e, a, 32 - bits);
}

/* Of pairs of signed 16 bits the products' sums in 32. */
static V
pair_products(const sw_alu *half, V a, V b)
{
    const char *name = half->ll->has_avx512 ? "llvm.x86.avx512.pmaddw.d.512"
                       : half->ll->has_avx2 ? "llvm.x86.avx2.pmadd.wd"
                                            : "llvm.x86.sse2.pmadd.wd";
    unsigned n = half->ll->has_avx512 ? 32 : half->ll->has_avx2 ? 16 : 8;
    unsigned pieces = half->lanes / n;
    sw_alu one = *half, all = *half;
    V part[ALU_MAX_LANES];
    one.lanes = n;
    all.lanes /= 2;
    for (unsigned i = 0; i < pieces; i++) {
        V in[2] = {v_piece(half, a, i, n), v_piece(half, b, i, n)};
        part[i] = v_x86(&one, name, n, in, 2, -1);
    }
    return v_join(&all, part, pieces, n / 2);
}

/* Every other byte of a, from the first or the second on, in 16 bits. */
static V
alternate_bytes(const sw_alu *half, V a, bool second, bool sign)
{
    if (second)
        return sign ? v_ashrk(half, a, 8) : v_lshrk(half, a, 8);
    return sign ? v_ashrk(half, v_shlk(half, a, 8), 8) : v_andk(half, a, 255);
}

/* Four bytes each of 16 lanes or more, by half as many vectors. */
static V
dot_bytes(const sw_alu *e, const V *s, bool sa, bool sb)
{
    sw_alu half = alu_halves(e);
    V a = alu_split(&half, s[0], 16), b = alu_split(&half, s[1], 16);
    V sum = s[2];
    for (int second = 0; second < 2; second++)
        sum = v_add(e, sum,
                    pair_products(&half, alternate_bytes(&half, a, second, sa),
                                  alternate_bytes(&half, b, second, sb)));
    return sum;
}

static bool
dot(const sw_alu *e, const V *s, V *d)
{
    bool sa = e->ins->type == SW_T_S32, sb = e->ins->stype == SW_T_S32;
    bool halves = e->ins->op == SW_OP_DP2A;
    unsigned from = halves && e->ins->sub == 1 ? 2 : 0;
    V sum = s[2];
    if (e->b && !halves && e->lanes >= 32) {
        *d = dot_bytes(e, s, sa, sb);
        return true;
    }
    for (unsigned i = 0; i < (halves ? 2 : 4); i++) {
        V a = field(e, s[0], i, halves ? 16 : 8, sa);
        V b = field(e, s[1], i + from, 8, sb);
        sum = v_add(e, sum, v_mul(e, a, b));
    }
    *d = sum;
    return true;
}

/* Pairs of 16 bits: twice the lanes. */
static bool
pairs(const sw_alu *e, const V *s, V *d)
{
    sw_alu half = alu_halves(e);
    bool sign = e->ins->type == SW_T_S16X2;
    V a = alu_split(&half, s[0], 16), b = alu_split(&half, s[1], 16), r;
    switch (e->ins->op) {
    case SW_OP_ADD:
        r = v_add(&half, a, b);
        break;
    case SW_OP_MIN:
        r = v_call2(&half, sign ? "llvm.smin" : "llvm.umin", a, b);
        break;
    case SW_OP_MAX:
        r = v_call2(&half, sign ? "llvm.smax" : "llvm.umax", a, b);
        break;
    default:
        return false;
    }
    *d = alu_merge(e, relu(&half, r), 32);
    return true;
}

static bool
abs_diff(const sw_alu *e, const V *s, V *d)
{
    V less = v_icmp(e, alu_is_signed(e) ? LLVMIntSLT : LLVMIntULT, s[0], s[1]);
    V diff = v_sel(e, less, v_sub(e, s[1], s[0]), v_sub(e, s[0], s[1]));
    *d = v_add(e, s[2], diff);
    return true;
}

bool
alu_int(const sw_alu *e, const V *s, V *d)
{
    const sw_ins *ins = e->ins;
    if (sw_type_kind(ins->type) == SW_KIND_PACKED)
        return pairs(e, s, d);
    switch (ins->op) {
    case SW_OP_ADD:
        *d = add_sat(e, s[0], s[1]);
        return true;
    case SW_OP_SUB:
        *d = e->m & SW_FM_SAT ? v_call2(e, "llvm.ssub.sat", s[0], s[1])
                              : v_sub(e, s[0], s[1]);
        return true;
    case SW_OP_DIV:
    case SW_OP_REM:
        return divide(e, s, d);
    case SW_OP_ABS:
        *d = v_sel(e, v_icmpk(e, LLVMIntSLT, s[0], 0), v_neg(e, s[0]), s[0]);
        return true;
    case SW_OP_NEG:
        *d = v_neg(e, s[0]);
        return true;
    case SW_OP_MIN:
        *d = relu(e, smaller(e, s[0], s[1]));
        return true;
    case SW_OP_MAX:
        *d = relu(e, larger(e, s[0], s[1]));
        return true;
    case SW_OP_SAD:
        return abs_diff(e, s, d);
    case SW_OP_ADDC:
    case SW_OP_SUBC:
    case SW_OP_MADC_LO:
    case SW_OP_MADC_HI:
        return with_carry(e, s, d);
    case SW_OP_DP4A:
    case SW_OP_DP2A:
        return dot(e, s, d);
    default:
        return product(e, s, d);
    }
}
