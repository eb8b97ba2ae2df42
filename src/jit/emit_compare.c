/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_compare.c - setp of an affine value with a uniform one, `i < n`: lane
 * i's part is a known number, so one uniform difference is compared with 32
 * constants. Where the value would wrap in some lane it is compared whole.
 */
#include <string.h>

#include "jit/emit.h"

#define B e->ll.builder

enum { MAX_PART = 1 << 28 };

/* The comparison with the sides exchanged. */
static sw_cmp
mirrored(sw_cmp cmp)
{
    switch (cmp) {
    case SW_CMP_LT:
        return SW_CMP_GT;
    case SW_CMP_LE:
        return SW_CMP_GE;
    case SW_CMP_GT:
        return SW_CMP_LT;
    case SW_CMP_GE:
        return SW_CMP_LE;
    case SW_CMP_LO:
        return SW_CMP_HI;
    case SW_CMP_LS:
        return SW_CMP_HS;
    case SW_CMP_HI:
        return SW_CMP_LO;
    case SW_CMP_HS:
        return SW_CMP_LS;
    default:
        return cmp;
    }
}

/* As a signed comparison of small numbers. */
static bool
predicate_of(sw_cmp cmp, LLVMIntPredicate *out)
{
    switch (cmp) {
    case SW_CMP_LT:
    case SW_CMP_LO:
        *out = LLVMIntSLT;
        return true;
    case SW_CMP_LE:
    case SW_CMP_LS:
        *out = LLVMIntSLE;
        return true;
    case SW_CMP_GT:
    case SW_CMP_HI:
        *out = LLVMIntSGT;
        return true;
    case SW_CMP_GE:
    case SW_CMP_HS:
        *out = LLVMIntSGE;
        return true;
    case SW_CMP_EQ:
        *out = LLVMIntEQ;
        return true;
    case SW_CMP_NE:
        *out = LLVMIntNE;
        return true;
    default:
        return false;
    }
}

typedef struct {
    unsigned affine; /* which source */
    bool is_unsigned;
    LLVMIntPredicate predicate;
    int64_t scale, low, high; /* lanes' parts: c * scale, c in [low, high] */
} plan;

static bool
make_plan(const sw_jit_emit *e, const sw_ins *ins, plan *p)
{
    sw_type type = (sw_type)ins->type;
    unsigned bits = ins->op == SW_OP_SETP ? sw_type_bits(type) : 0;
    sw_kind kind = bits ? sw_type_kind(type) : SW_KIND_NONE;
    if (ins->ndst != 1 || ins->nsrc != 2 || (bits != 32 && bits != 64) ||
        (kind != SW_KIND_SINT && kind != SW_KIND_UINT) ||
        ins->opnd[0].kind != SW_OPND_REG)
        return false;
    sw_shape a = sw_shapes_source(e->shapes, ins, 0);
    sw_shape b = sw_shapes_source(e->shapes, ins, 1);
    p->affine = a.kind == SW_SHAPE_UNIFORM;
    sw_shape x = p->affine ? b : a, y = p->affine ? a : b;
    sw_cmp cmp = (sw_cmp)ins->cmp;
    if (y.kind != SW_SHAPE_UNIFORM || x.v || !x.c || x.d ||
        (x.kind != SW_SHAPE_WIDE && (x.kind != SW_SHAPE_AFFINE || bits == 64)))
        return false;
    p->scale = x.kind == SW_SHAPE_WIDE ? x.scale : 1;
    p->is_unsigned = kind == SW_KIND_UINT || cmp == SW_CMP_LO ||
                     cmp == SW_CMP_LS || cmp == SW_CMP_HI || cmp == SW_CMP_HS;
    p->low = p->high = x.c[0];
    for (unsigned i = 1; i < e->lanes; i++) {
        p->low = x.c[i] < p->low ? x.c[i] : p->low;
        p->high = x.c[i] > p->high ? x.c[i] : p->high;
    }
    int64_t most = p->high > -p->low ? p->high : -p->low;
    return p->scale > 0 && p->scale < MAX_PART && most * p->scale < MAX_PART &&
           predicate_of(p->affine ? mirrored(cmp) : cmp, &p->predicate);
}

/* from <= n + low, n + high <= to */
static LLVMValueRef
stays(sw_jit_emit *e, const plan *p, LLVMValueRef n, bool is_signed)
{
    int64_t from = is_signed ? INT32_MIN : 0;
    int64_t to = is_signed ? INT32_MAX : (int64_t)UINT32_MAX;
    LLVMValueRef d =
        LLVMBuildSub(B, n, sw_jit_i64(e, (uint64_t)(from - p->low)), "");
    return LLVMBuildICmp(
        B, LLVMIntULE, d,
        sw_jit_i64(e, (uint64_t)((to - p->high) - (from - p->low))), "");
}

static LLVMValueRef
pair(sw_jit_emit *e, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[2] = {a, b};
    return sw_jit_intrinsic(e, name, &e->i64, 1, args, 2);
}

/* The mask, if *ok. */
static LLVMValueRef
compare_parts(sw_jit_emit *e, const plan *p, const sw_jit_value *x,
              LLVMValueRef y, LLVMValueRef *ok)
{
    bool wide = x->shape.kind == SW_SHAPE_WIDE;
    bool is_signed = wide ? x->shape.is_signed : !p->is_unsigned;
    LLVMValueRef n = sw_jit_widen(e, wide ? x->narrow : x->base, is_signed);
    *ok = stays(e, p, n, is_signed);
    if (wide) {
        LLVMValueRef zero =
            LLVMBuildICmp(B, LLVMIntEQ, x->base, sw_jit_i64(e, 0), "");
        *ok = LLVMBuildAnd(B, *ok, zero, "");
        if (p->is_unsigned && is_signed) /* below zero is very large */
            *ok = LLVMBuildAnd(B, *ok,
                               LLVMBuildICmp(B, LLVMIntSGE, n,
                                             sw_jit_i64(e, (uint64_t)-p->low),
                                             ""),
                               "");
        n = LLVMBuildMul(B, n, sw_jit_i64(e, (uint64_t)p->scale), "");
    }
    y = sw_jit_widen(e, y, !p->is_unsigned);
    if (p->is_unsigned)
        y = pair(e, "llvm.umin", y, sw_jit_i64(e, INT64_MAX));
    LLVMValueRef d = pair(e, "llvm.ssub.sat", y, n);
    d = pair(e, "llvm.smin", d, sw_jit_i64(e, INT32_MAX));
    d = pair(e, "llvm.smax", d, sw_jit_i64(e, (uint64_t)(int64_t)INT32_MIN));
    d = LLVMBuildTrunc(B, d, e->i32, "");
    int64_t part[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        part[i] = x->shape.c[i] * p->scale;
    return LLVMBuildICmp(B, p->predicate,
                         sw_jit_const_lanes(e->i32, part, e->lanes),
                         sw_jit_splat(e, d, e->lanes), "");
}

bool
sw_jit_emit_compare(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    plan p;
    if (!make_plan(e, ins, &p))
        return false;
    sw_jit_value x = sw_jit_read_exact(e, ins, p.affine);
    sw_jit_value y = sw_jit_read_exact(e, ins, 1 - p.affine);
    LLVMValueRef ok, mask = compare_parts(e, &p, &x, y.base, &ok);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMBasicBlockRef whole = sw_jit_block(e, "whole");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, join, whole), true);
    LLVMPositionBuilderAtEnd(B, whole);
    LLVMValueRef src[2], dst[1] = {0};
    src[p.affine] = sw_jit_lanes(e, &x);
    src[1 - p.affine] = sw_jit_lanes(e, &y);
    bool did = sw_jit_alu(&e->ll, e->fn, ins, e->lanes, src, dst);
    SW_ASSERT(did);
    LLVMBasicBlockRef from[2] = {here, LLVMGetInsertBlock(B)};
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(mask), "");
    LLVMValueRef values[2] = {mask, dst[0]};
    LLVMAddIncoming(phi, values, from, 2);
    sw_jit_value v = sw_jit_varying(SW_CLASS_PRED, phi);
    sw_jit_write(e, ins->opnd[0].reg, &v, 0);
    return true;
}
