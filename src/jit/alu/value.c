/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - the v_ functions of alu/private.h. */
#include "jit/alu/private.h"

static LLVMTypeRef
lanes_of(const sw_alu *e, LLVMTypeRef type)
{
    return e->lanes > 1 ? LLVMVectorType(type, e->lanes) : type;
}

LLVMTypeRef
v_int_type(const sw_alu *e, unsigned bits)
{
    return lanes_of(e, LLVMIntTypeInContext(e->ll->context, bits));
}

LLVMTypeRef
v_f32_type(const sw_alu *e)
{
    return lanes_of(e, LLVMFloatTypeInContext(e->ll->context));
}

LLVMTypeRef
v_f64_type(const sw_alu *e)
{
    return lanes_of(e, LLVMDoubleTypeInContext(e->ll->context));
}

LLVMTypeRef
v_f16_type(const sw_alu *e)
{
    return lanes_of(e, LLVMHalfTypeInContext(e->ll->context));
}

static LLVMTypeRef
scalar_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind
               ? LLVMGetElementType(type)
               : type;
}

/* The constant in every lane of `type`. */
static V
spread(V scalar, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return scalar;
    V all[ALU_MAX_LANES];
    unsigned n = LLVMGetVectorSize(type);
    SW_ASSERT(n <= ALU_MAX_LANES);
    for (unsigned i = 0; i < n; i++)
        all[i] = scalar;
    return LLVMConstVector(all, n);
}

static V
int_const(LLVMTypeRef type, uint64_t x)
{
    LLVMTypeRef scalar = scalar_type(type);
    unsigned bits = LLVMGetIntTypeWidth(scalar);
    /* All ones are all ones in i128 too. */
    uint64_t words[2] = {x, x == UINT64_MAX ? x : 0};
    if (bits > 64)
        return spread(LLVMConstIntOfArbitraryPrecision(scalar, 2, words), type);
    if (bits < 64)
        x &= (UINT64_C(1) << bits) - 1;
    return spread(LLVMConstInt(scalar, x, false), type);
}

V
v_int(const sw_alu *e, unsigned bits, uint64_t x)
{
    return e->b ? int_const(v_int_type(e, bits), x) : NULL;
}

static V
real_const(LLVMTypeRef type, double x)
{
    return spread(LLVMConstReal(scalar_type(type), x), type);
}

V
v_f32_const(const sw_alu *e, double x)
{
    return e->b ? real_const(v_f32_type(e), x) : NULL;
}

V
v_f64_const(const sw_alu *e, double x)
{
    return e->b ? real_const(v_f64_type(e), x) : NULL;
}

V
v_k(const sw_alu *e, V like, uint64_t x)
{
    return e->b ? int_const(LLVMTypeOf(like), x) : NULL;
}

V
v_fk(const sw_alu *e, V like, double x)
{
    return e->b ? real_const(LLVMTypeOf(like), x) : NULL;
}

V
v_bin(const sw_alu *e, LLVMOpcode op, V a, V b)
{
    return e->b ? LLVMBuildBinOp(e->b, op, a, b, "") : NULL;
}

V
v_cast(const sw_alu *e, LLVMOpcode op, V a, LLVMTypeRef to)
{
    if (!e->b)
        return NULL;
    return LLVMTypeOf(a) == to ? a : LLVMBuildCast(e->b, op, a, to, "");
}

V
v_icmp(const sw_alu *e, LLVMIntPredicate p, V a, V b)
{
    return e->b ? LLVMBuildICmp(e->b, p, a, b, "") : NULL;
}

V
v_fcmp(const sw_alu *e, LLVMRealPredicate p, V a, V b)
{
    return e->b ? LLVMBuildFCmp(e->b, p, a, b, "") : NULL;
}

V
v_sel(const sw_alu *e, V c, V a, V b)
{
    return e->b ? LLVMBuildSelect(e->b, c, a, b, "") : NULL;
}

static V
call(const sw_alu *e, const char *name, LLVMTypeRef *types, size_t type_count,
     V *args, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    SW_ASSERT(id);
    V fn = LLVMGetIntrinsicDeclaration(e->ll->module, id, types, type_count);
    return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, args, count,
                          "");
}

V
v_call1(const sw_alu *e, const char *name, V a)
{
    if (!e->b)
        return NULL;
    LLVMTypeRef type = LLVMTypeOf(a);
    return call(e, name, &type, 1, &a, 1);
}

V
v_call2(const sw_alu *e, const char *name, V a, V b)
{
    if (!e->b)
        return NULL;
    LLVMTypeRef type = LLVMTypeOf(a);
    return call(e, name, &type, 1, (V[]){a, b}, 2);
}

V
v_call3(const sw_alu *e, const char *name, V a, V b, V c)
{
    if (!e->b)
        return NULL;
    LLVMTypeRef type = LLVMTypeOf(a);
    return call(e, name, &type, 1, (V[]){a, b, c}, 3);
}

V
v_ctlz(const sw_alu *e, V a)
{
    if (!e->b)
        return NULL;
    LLVMTypeRef type = LLVMTypeOf(a);
    V zero_is_fine = LLVMConstInt(LLVMInt1TypeInContext(e->ll->context), 0, 0);
    return call(e, "llvm.ctlz", &type, 1, (V[]){a, zero_is_fine}, 2);
}

V
v_resize(const sw_alu *e, V a, unsigned bits)
{
    if (!e->b)
        return NULL;
    unsigned have = LLVMGetIntTypeWidth(scalar_type(LLVMTypeOf(a)));
    return have < bits ? v_zext(e, a, bits) : v_trunc(e, a, bits);
}

bool
v_is_const(V a)
{
    return a && LLVMIsConstant(a);
}

LLVMValueRef
sw_jit_alu_splat(const sw_jit_llvm *ll, LLVMValueRef x, unsigned lanes)
{
    if (lanes == 1)
        return x;
    V c[ALU_MAX_LANES];
    SW_ASSERT(lanes <= ALU_MAX_LANES);
    for (unsigned i = 0; i < lanes; i++)
        c[i] = x;
    if (LLVMIsAConstantInt(x))
        return LLVMConstVector(c, lanes);
    V poison = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(x), lanes));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(ll->context);
    V one =
        LLVMBuildInsertElement(ll->builder, poison, x, LLVMConstNull(i32), "");
    return LLVMBuildShuffleVector(ll->builder, one, poison,
                                  LLVMConstNull(LLVMVectorType(i32, lanes)),
                                  "");
}

void
sw_jit_alu_likely(const sw_jit_llvm *ll, V branch, bool likely)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(ll->context);
    V often = int_const(type, 10000), seldom = int_const(type, 1);
    LLVMMetadataRef parts[3] = {
        LLVMMDStringInContext2(ll->context, "branch_weights", 14),
        LLVMValueAsMetadata(likely ? often : seldom),
        LLVMValueAsMetadata(likely ? seldom : often)};
    LLVMSetMetadata(
        branch, LLVMGetMDKindIDInContext(ll->context, "prof", 4),
        LLVMMetadataAsValue(ll->context,
                            LLVMMDNodeInContext2(ll->context, parts, 3)));
}

V
v_splat_source(V a)
{
    if (!a || !LLVMIsAShuffleVectorInst(a))
        return NULL;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(a); i++)
        if (LLVMGetMaskValue(a, i) != 0)
            return NULL;
    V insert = LLVMGetOperand(a, 0);
    if (!LLVMIsAInsertElementInst(insert) ||
        !LLVMIsAConstantInt(LLVMGetOperand(insert, 2)) ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(insert, 2)) != 0)
        return NULL;
    return LLVMGetOperand(insert, 1);
}

V
v_splat(const sw_alu *e, V scalar)
{
    return e->b ? sw_jit_alu_splat(e->ll, scalar, e->lanes) : NULL;
}

/* ---- pieces ---- */

static V
lane_number(const sw_alu *e, unsigned i)
{
    return LLVMConstInt(LLVMInt32TypeInContext(e->ll->context), i, false);
}

V
v_piece(const sw_alu *e, V a, unsigned i, unsigned n)
{
    if (!e->b)
        return NULL;
    LLVMTypeRef type = LLVMTypeOf(a);
    if (e->lanes == 1) {
        V zero = LLVMConstNull(LLVMVectorType(type, n));
        return LLVMBuildInsertElement(e->b, zero, a, lane_number(e, 0), "");
    }
    if (e->lanes == n)
        return a;
    V mask[ALU_MAX_LANES];
    for (unsigned k = 0; k < n; k++) {
        unsigned lane = i * n + k; /* the second operand is zero */
        mask[k] = lane_number(e, lane < e->lanes ? lane : e->lanes);
    }
    return LLVMBuildShuffleVector(e->b, a, LLVMConstNull(type),
                                  LLVMConstVector(mask, n), "");
}

V
v_join(const sw_alu *e, V *pieces, unsigned count, unsigned n)
{
    if (!e->b)
        return NULL;
    V mask[ALU_MAX_LANES];
    for (; count > 1; count /= 2, n *= 2) {
        for (unsigned k = 0; k < 2 * n; k++)
            mask[k] = lane_number(e, k);
        for (unsigned i = 0; i < count / 2; i++)
            pieces[i] =
                LLVMBuildShuffleVector(e->b, pieces[2 * i], pieces[2 * i + 1],
                                       LLVMConstVector(mask, 2 * n), "");
    }
    if (e->lanes == 1)
        return LLVMBuildExtractElement(e->b, pieces[0], lane_number(e, 0), "");
    if (e->lanes == n)
        return pieces[0];
    for (unsigned k = 0; k < e->lanes; k++)
        mask[k] = lane_number(e, k);
    return LLVMBuildShuffleVector(e->b, pieces[0],
                                  LLVMGetPoison(LLVMTypeOf(pieces[0])),
                                  LLVMConstVector(mask, e->lanes), "");
}

V
v_x86(const sw_alu *e, const char *name, unsigned n, const V *args,
      unsigned count, int imm)
{
    if (!e->b)
        return NULL;
    unsigned pieces = (e->lanes + n - 1) / n;
    V part[ALU_MAX_LANES], in[5];
    SW_ASSERT(count < 5);
    for (unsigned i = 0; i < pieces; i++) {
        for (unsigned k = 0; k < count; k++)
            in[k] = v_piece(e, args[k], i, n);
        if (imm >= 0)
            in[count] = lane_number(e, (unsigned)imm);
        unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
        LLVMTypeRef types[2] = {n == 8
                                    ? LLVMDoubleTypeInContext(e->ll->context)
                                    : LLVMFloatTypeInContext(e->ll->context)};
        types[0] = LLVMVectorType(types[0], n);
        types[1] = LLVMTypeOf(in[0]);
        part[i] = call(e, name, types, LLVMIntrinsicIsOverloaded(id) ? 2 : 0,
                       in, count + (imm >= 0));
    }
    return v_join(e, part, pieces, n);
}

/* ---- twice the lanes ---- */

sw_alu
alu_halves(const sw_alu *e)
{
    sw_alu half = *e;
    half.lanes *= 2;
    return half;
}

V
alu_split(const sw_alu *half, V a, unsigned bits)
{
    return v_cast(half, LLVMBitCast, a, v_int_type(half, bits));
}

V
alu_merge(const sw_alu *e, V a, unsigned bits)
{
    return v_cast(e, LLVMBitCast, a, v_int_type(e, bits));
}
