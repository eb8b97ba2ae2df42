/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - comparison and selection: setp, set, selp, slct, testp; see
 * alu/private.h. */
#include "jit/alu/private.h"

V
alu_fcmp(const sw_alu *e, sw_cmp cmp, V a, V b)
{
    static const LLVMRealPredicate predicates[SW_CMP_COUNT] = {
        [SW_CMP_EQ] = LLVMRealOEQ,  [SW_CMP_NE] = LLVMRealONE,
        [SW_CMP_LT] = LLVMRealOLT,  [SW_CMP_LE] = LLVMRealOLE,
        [SW_CMP_GT] = LLVMRealOGT,  [SW_CMP_GE] = LLVMRealOGE,
        [SW_CMP_EQU] = LLVMRealUEQ, [SW_CMP_NEU] = LLVMRealUNE,
        [SW_CMP_LTU] = LLVMRealULT, [SW_CMP_LEU] = LLVMRealULE,
        [SW_CMP_GTU] = LLVMRealUGT, [SW_CMP_GEU] = LLVMRealUGE,
        [SW_CMP_NUM] = LLVMRealORD, [SW_CMP_NAN] = LLVMRealUNO,
    };
    return v_fcmp(e, predicates[cmp], a, b);
}

static V
compare_int(const sw_alu *e, sw_cmp cmp, bool sign, V a, V b)
{
    switch (cmp) {
    case SW_CMP_EQ:
        return v_icmp(e, LLVMIntEQ, a, b);
    case SW_CMP_NE:
        return v_icmp(e, LLVMIntNE, a, b);
    case SW_CMP_LT:
        return v_icmp(e, sign ? LLVMIntSLT : LLVMIntULT, a, b);
    case SW_CMP_LE:
        return v_icmp(e, sign ? LLVMIntSLE : LLVMIntULE, a, b);
    case SW_CMP_GT:
        return v_icmp(e, sign ? LLVMIntSGT : LLVMIntUGT, a, b);
    case SW_CMP_GE:
        return v_icmp(e, sign ? LLVMIntSGE : LLVMIntUGE, a, b);
    case SW_CMP_LO:
        return v_icmp(e, LLVMIntULT, a, b);
    case SW_CMP_LS:
        return v_icmp(e, LLVMIntULE, a, b);
    case SW_CMP_HI:
        return v_icmp(e, LLVMIntUGT, a, b);
    default:
        return v_icmp(e, LLVMIntUGE, a, b);
    }
}

static V
compare_f32(const sw_alu *e, V a, V b)
{
    V x[2] = {v_f32(e, a), v_f32(e, b)};
    for (unsigned i = 0; i < 2; i++)
        if (!(e->ll->normal >> i & 1))
            x[i] = alu_operand_f32(e, x[i]);
    return alu_fcmp(e, e->ins->cmp, x[0], x[1]);
}

/* One comparison of values of a scalar type. */
static V
compare(const sw_alu *e, sw_type type, V a, V b)
{
    sw_cmp cmp = e->ins->cmp;
    switch (type) {
    case SW_T_F64:
        return alu_fcmp(e, cmp, v_f64(e, a), v_f64(e, b));
    case SW_T_F32:
        return compare_f32(e, a, b);
    case SW_T_F16:
        a = alu_in_f16(e, a, e->m);
        b = alu_in_f16(e, b, e->m);
        return alu_fcmp(e, cmp, a, b);
    case SW_T_BF16:
        a = alu_f32_of_bf16(e, a);
        b = alu_f32_of_bf16(e, b);
        return alu_fcmp(e, cmp, a, b);
    default:
        return compare_int(e, cmp, sw_type_kind(type) == SW_KIND_SINT, a, b);
    }
}

static V
combine(const sw_alu *e, V x, const V *s)
{
    switch (e->ins->boolop) {
    case SW_BOOL_AND:
        return v_and(e, x, s[2]);
    case SW_BOOL_OR:
        return v_or(e, x, s[2]);
    case SW_BOOL_XOR:
        return v_xor(e, x, s[2]);
    default:
        return x;
    }
}

static bool
is_pair(sw_type type)
{
    return type == SW_T_F16X2 || type == SW_T_BF16X2;
}

/* Both results; of pairs the lower and the upper comparison's. */
static void
compare_both(const sw_alu *e, sw_type type, const V *s, V r[2])
{
    if (!is_pair(type)) {
        r[0] = compare(e, type, s[0], s[1]);
        r[1] = e->ins->ndst == 2 ? v_not(e, r[0]) : r[0];
        return;
    }
    sw_type part = type == SW_T_F16X2 ? SW_T_F16 : SW_T_BF16;
    for (unsigned i = 0; i < 2; i++)
        r[i] = compare(e, part, v_trunc(e, v_lshrk(e, s[0], 16 * i), 16),
                       v_trunc(e, v_lshrk(e, s[1], 16 * i), 16));
}

static bool
setp(const sw_alu *e, const V *s, V *d)
{
    V r[2];
    compare_both(e, e->ins->type, s, r);
    for (unsigned i = 0; i < e->ins->ndst; i++)
        d[i] = combine(e, r[i], s);
    return true;
}

static bool
set(const sw_alu *e, const V *s, V *d)
{
    V r[2];
    compare_both(e, e->ins->stype, s, r);
    V lo = combine(e, r[0], s), hi = combine(e, r[1], s);
    uint32_t one;
    switch (e->ins->type) {
    case SW_T_F32:
        one = 0x3f800000;
        break;
    case SW_T_F16:
    case SW_T_F16X2:
        one = 0x3c00;
        break;
    case SW_T_BF16:
    case SW_T_BF16X2:
        one = 0x3f80;
        break;
    default:
        one = is_pair(e->ins->stype) ? 0xffff : UINT32_MAX;
    }
    V unit = v_int(e, sw_type_bits(e->ins->type), one);
    V zero = v_k(e, unit, 0);
    *d = v_sel(e, lo, unit, zero);
    if (is_pair(e->ins->stype))
        *d = v_or(e, *d, v_sel(e, hi, v_shlk(e, unit, 16), zero));
    return true;
}

static bool
slct(const sw_alu *e, const V *s, V *d)
{
    V first = v_icmpk(e, LLVMIntSGE, s[2], 0);
    if (e->ins->stype == SW_T_F32)
        first = v_fcmpk(e, LLVMRealOGE, alu_operand_f32(e, v_f32(e, s[2])), 0);
    *d = v_sel(e, first, s[0], s[1]);
    return true;
}

static bool
testp(const sw_alu *e, const V *s, V *d)
{
    bool wide = e->ins->type == SW_T_F64;
    uint64_t inf = wide ? UINT64_C(0x7ff0000000000000) : 0x7f800000;
    uint64_t normal = wide ? UINT64_C(0x0010000000000000) : 0x00800000;
    V a = v_andk(e, s[0], wide ? UINT64_MAX >> 1 : UINT32_MAX >> 1);
    V less;
    switch (e->ins->sub) {
    case SW_TESTP_FINITE:
        *d = v_icmpk(e, LLVMIntULT, a, inf);
        return true;
    case SW_TESTP_INFINITE:
        *d = v_icmpk(e, LLVMIntEQ, a, inf);
        return true;
    case SW_TESTP_NUMBER:
        *d = v_icmpk(e, LLVMIntULE, a, inf);
        return true;
    case SW_TESTP_NOTANUMBER:
        *d = v_icmpk(e, LLVMIntUGT, a, inf);
        return true;
    case SW_TESTP_NORMAL:
        less = v_icmpk(e, LLVMIntULT, v_addk(e, a, 0 - normal), inf - normal);
        *d = v_or(e, v_icmpk(e, LLVMIntEQ, a, 0), less);
        return true;
    default: /* a - 1 wraps for zero */
        *d = v_icmpk(e, LLVMIntULT, v_addk(e, a, UINT64_MAX), normal - 1);
        return true;
    }
}

bool
alu_select(const sw_alu *e, const V *s, V *d)
{
    switch (e->ins->op) {
    case SW_OP_SETP:
        return setp(e, s, d);
    case SW_OP_SET:
        return set(e, s, d);
    case SW_OP_SELP:
        *d = v_sel(e, s[2], s[0], s[1]);
        return true;
    case SW_OP_SLCT:
        return slct(e, s, d);
    case SW_OP_TESTP:
        return testp(e, s, d);
    default:
        return false;
    }
}
