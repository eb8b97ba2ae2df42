/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - setp of an affine value with a uniform one, `i < n`: lane
 * i's part is a known number, so one uniform difference is compared with 32
 * constants. Where the value would wrap in some lane it is compared whole.
 */
#include <string.h>

#include "jit/emit/instruction.h"

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

static bool
is_unsigned(const sw_ins *ins)
{
    sw_cmp cmp = (sw_cmp)ins->cmp;
    return sw_type_kind((sw_type)ins->type) == SW_KIND_UINT ||
           cmp == SW_CMP_LO || cmp == SW_CMP_LS || cmp == SW_CMP_HI ||
           cmp == SW_CMP_HS;
}

typedef struct {
    unsigned affine; /* which source */
    unsigned bits;   /* of both */
    bool is_unsigned;
    LLVMIntPredicate predicate;
    int64_t scale, low, high; /* lanes' parts: c * scale, c in [low, high] */
} plan;

/* The least and the greatest number of lanes; 0 if there are none. */
static void
extent_of(const sw_jit_emit *e, const int32_t *x, int64_t *low, int64_t *high)
{
    *low = *high = x ? x[0] : 0;
    for (unsigned i = 1; x && i < e->lanes; i++) {
        *low = x[i] < *low ? x[i] : *low;
        *high = x[i] > *high ? x[i] : *high;
    }
}

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
        (x.kind != SW_SHAPE_EXTENDED && x.kind != SW_SHAPE_AFFINE))
        return false;
    p->bits = bits;
    p->scale = x.kind == SW_SHAPE_EXTENDED ? x.scale : 1;
    p->is_unsigned = is_unsigned(ins);
    extent_of(e, x.c, &p->low, &p->high);
    int64_t most = p->high > -p->low ? p->high : -p->low;
    return p->scale > 0 && p->scale < MAX_PART && most * p->scale < MAX_PART &&
           predicate_of(p->affine ? mirrored(cmp) : cmp, &p->predicate);
}

/* from <= n + low, n + high <= to; numbers modulo 2^64 */
static LLVMValueRef
stays(sw_jit_emit *e, const plan *p, LLVMValueRef n, int64_t from, int64_t to)
{
    uint64_t least = (uint64_t)from - (uint64_t)p->low;
    uint64_t most = (uint64_t)to - (uint64_t)p->high;
    LLVMValueRef d = LLVMBuildSub(B, n, sw_jit_i64(e, least), "");
    return LLVMBuildICmp(B, LLVMIntULE, d, sw_jit_i64(e, most - least), "");
}

/* What is extended from 32 bits does not wrap there; what has 64 bits neither,
 * as a number of the sign that the comparison takes it for, and is less than
 * the limit to which others are cut. */
static LLVMValueRef
does_not_wrap(sw_jit_emit *e, const plan *p, LLVMValueRef n, bool is_wide,
              bool is_signed)
{
    if (p->bits == 64 && !is_wide)
        return stays(e, p, n, is_signed ? INT64_MIN : 0, INT64_MAX - 1);
    return stays(e, p, n, is_signed ? INT32_MIN : 0,
                 is_signed ? INT32_MAX : (int64_t)UINT32_MAX);
}

static LLVMValueRef
pair(sw_jit_emit *e, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[2] = {a, b};
    return sw_jit_intrinsic(e, name, &e->t.i64, 1, args, 2);
}

/* Whether lane i's part is its place in a row of neighbours, and all rows are
 * the same: c[i] = c[0] + i % *length. */
static bool
lie_in_rows(const sw_jit_emit *e, const sw_jit_value *x, unsigned *length)
{
    const int32_t *c = x->shape.c;
    unsigned n = 1;
    while (n < e->lanes && c[n] == c[0] + (int32_t)n)
        n++;
    *length = n;
    if (n < 8 || n > 64 || e->lanes % n)
        return false;
    for (unsigned i = n; i < e->lanes; i++)
        if (c[i] != c[i - n])
            return false;
    return true;
}

/* The lowest n of `length` bits, n in [0, length]. */
static LLVMValueRef
lowest_bits(sw_jit_emit *e, LLVMValueRef n, unsigned length)
{
    if (length < 64) {
        LLVMValueRef top = LLVMBuildShl(B, sw_jit_i64(e, 1), n, "");
        return LLVMBuildSub(B, top, sw_jit_i64(e, 1), "");
    }
    LLVMValueRef none = LLVMBuildICmp(B, LLVMIntEQ, n, sw_jit_i64(e, 0), "");
    LLVMValueRef by = LLVMBuildSub(B, sw_jit_i64(e, 64), n, "");
    by = LLVMBuildAnd(B, by, sw_jit_i64(e, 63), "");
    LLVMValueRef bits = LLVMBuildLShr(B, sw_jit_i64(e, UINT64_MAX), by, "");
    return LLVMBuildSelect(B, none, sw_jit_i64(e, 0), bits, "");
}

/* The mask of `part p d` by counting lanes, for rows of `length`, d in 64 bits:
 * what asks whether any or all run need not go through a vector. */
static LLVMValueRef
count_lanes(sw_jit_emit *e, const plan *p, const sw_jit_value *x,
            LLVMValueRef d, unsigned length)
{
    LLVMIntPredicate is = p->predicate;
    uint64_t all = length == 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
    LLVMValueRef n =
        LLVMBuildSub(B, d, sw_jit_i64(e, (uint64_t)(int64_t)x->shape.c[0]), "");
    LLVMValueRef bits;
    bool negated = is == LLVMIntSGT || is == LLVMIntSGE || is == LLVMIntNE;
    if (is == LLVMIntEQ || is == LLVMIntNE) {
        LLVMValueRef inside =
            LLVMBuildICmp(B, LLVMIntULT, n, sw_jit_i64(e, length), "");
        bits = LLVMBuildAnd(B, n, sw_jit_i64(e, 63), "");
        bits = LLVMBuildShl(B, sw_jit_i64(e, 1), bits, "");
        bits = LLVMBuildSelect(B, inside, bits, sw_jit_i64(e, 0), "");
    } else {
        if (is == LLVMIntSLE || is == LLVMIntSGT)
            n = LLVMBuildAdd(B, n, sw_jit_i64(e, 1), "");
        n = pair(e, "llvm.smax", n, sw_jit_i64(e, 0));
        n = pair(e, "llvm.smin", n, sw_jit_i64(e, length));
        bits = lowest_bits(e, n, length);
    }
    if (negated)
        bits = LLVMBuildXor(B, bits, sw_jit_i64(e, all), "");
    if (length < e->lanes) /* a bit for each row, times the row */
        bits = LLVMBuildMul(
            B, bits,
            sw_jit_i64(e, (e->lanes >= 64 ? UINT64_MAX : UINT32_MAX) / all),
            "");
    if (e->lanes > 64)
        bits = sw_jit_splat(e, bits, e->lanes / 64);
    else
        bits = LLVMBuildTruncOrBitCast(B, bits, e->t.bits, "");
    return LLVMBuildBitCast(B, bits, e->t.mask_type, "");
}

/* The mask, if *ok. */
static LLVMValueRef
compare_parts(sw_jit_emit *e, const plan *p, const sw_jit_value *x,
              LLVMValueRef y, LLVMValueRef *ok)
{
    bool wide = x->shape.kind == SW_SHAPE_EXTENDED;
    bool is_signed = wide ? x->shape.is_signed : !p->is_unsigned;
    LLVMValueRef n = sw_jit_widen(e, wide ? x->narrow : x->base, is_signed);
    *ok = does_not_wrap(e, p, n, wide, is_signed);
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
    unsigned length;
    if (e->ll.has_avx512 && p->scale == 1 && lie_in_rows(e, x, &length))
        return count_lanes(e, p, x, d, length);
    d = LLVMBuildTrunc(B, d, e->t.i32, "");
    int64_t part[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        part[i] = x->shape.c[i] * p->scale;
    return LLVMBuildICmp(B, p->predicate,
                         sw_jit_const_lanes(e->t.i32, part, e->lanes),
                         sw_jit_splat(e, d, e->lanes), "");
}

bool
sw_jit_emit_compare(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    plan p = {0};
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
    bool did = sw_jit_alu(&e->ll, e->plan->fn, ins, e->lanes, src, dst);
    SW_ASSERT(did);
    sw_jit_write_either(e, join, here, mask, dst[0]);
    return true;
}

/* ---- of all lanes at once ---- */

typedef struct {
    LLVMValueRef low, high; /* i64: the values of all lanes lie there, ... */
    LLVMValueRef ok;        /* ... if this holds; NULL: they do */
} hull;

static LLVMValueRef
plus(sw_jit_emit *e, LLVMValueRef x, int64_t by)
{
    return LLVMBuildAdd(B, x, sw_jit_i64(e, (uint64_t)by), "");
}

static LLVMValueRef
times(sw_jit_emit *e, LLVMValueRef x, int64_t by)
{
    return LLVMBuildMul(B, x, sw_jit_i64(e, (uint64_t)by), "");
}

/* base + c[i] + s * v[i] */
static hull
hull_of_parts(sw_jit_emit *e, const sw_jit_value *x, LLVMValueRef base)
{
    int64_t c[2], v[2];
    hull h = {base, base, NULL};
    extent_of(e, x->shape.c, &c[0], &c[1]);
    extent_of(e, x->shape.v, &v[0], &v[1]);
    if (x->shape.v) {
        LLVMValueRef s = sw_jit_widen(e, x->s, true);
        LLVMValueRef a = times(e, s, v[0]), b = times(e, s, v[1]);
        h.low = LLVMBuildAdd(B, base, pair(e, "llvm.smin", a, b), "");
        h.high = LLVMBuildAdd(B, base, pair(e, "llvm.smax", a, b), "");
    }
    h.low = plus(e, h.low, c[0]);
    h.high = plus(e, h.high, c[1]);
    return h;
}

/* Of 64 bits. */
static hull
hull_of(sw_jit_emit *e, const sw_jit_value *x)
{
    if (x->shape.kind != SW_SHAPE_EXTENDED)
        return hull_of_parts(e, x, x->base);
    bool is_signed = x->shape.is_signed, turns = x->shape.scale < 0;
    hull n = hull_of_parts(e, x, sw_jit_widen(e, x->narrow, is_signed));
    LLVMValueRef least = sw_jit_i64(e, is_signed ? (uint64_t)INT32_MIN : 0);
    LLVMValueRef most = sw_jit_i64(e, is_signed ? INT32_MAX : UINT32_MAX);
    LLVMValueRef low = times(e, turns ? n.high : n.low, x->shape.scale);
    LLVMValueRef high = times(e, turns ? n.low : n.high, x->shape.scale);
    int64_t d[2];
    extent_of(e, x->shape.d, &d[0], &d[1]);
    return (hull){
        LLVMBuildAdd(B, x->base, plus(e, low, d[0]), ""),
        LLVMBuildAdd(B, x->base, plus(e, high, d[1]), ""),
        LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntSGE, n.low, least, ""),
                     LLVMBuildICmp(B, LLVMIntSLE, n.high, most, ""), "")};
}

bool
sw_jit_emit_fused_compare(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    sw_rule_use use;
    if (!(ins->flags & SW_F_FUSED) ||
        sw_shapes_result(e->shapes, ins, &use).kind != SW_SHAPE_UNIFORM)
        return false;
    sw_jit_value x = sw_jit_read_exact(e, ins, 0);
    sw_jit_value y = sw_jit_read_exact(e, ins, 1);
    hull a = hull_of(e, &x), b = hull_of(e, &y);
    LLVMValueRef r = LLVMBuildICmp(B, LLVMIntSLE, a.high, b.low, "");
    r = a.ok ? LLVMBuildAnd(B, r, a.ok, "") : r;
    r = b.ok ? LLVMBuildAnd(B, r, b.ok, "") : r;
    sw_jit_value v = sw_jit_uniform(SW_CLASS_PRED, r);
    sw_jit_write(e, ins->opnd[0].reg, &v, 0);
    return true;
}
