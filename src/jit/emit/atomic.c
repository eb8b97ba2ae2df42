/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic.c - atom and red. Lanes follow each other in ascending order, as
 * in the interpreter. A block runs on one thread, so what is known to lie in
 * its shared memory needs no atomic operation of the host.
 *
 * Where all lanes have one address, found while compiling or when it runs,
 * integer operations whose order nobody sees are combined first and memory is
 * changed once; others are worked out lane by lane on a value that is then
 * exchanged as a whole. Where they differ, see also emit/atomic_biased.c.
 * Addresses that fail a test go through the interpreter's function.
 */
#include <string.h>

#include "jit/emit/access_ways.h"
#include "jit/emit/atomic.h"
#include "jit/emit/instruction.h"
#include "sem/atom.h"

#define B e->ll.builder

/* ---- one address ---- */

static LLVMValueRef
count_of(sw_jit_emit *e, const sw_jit_atomic *a)
{
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &e->t.bits, 1, &bits, 1);
    return LLVMBuildIntCast2(B, n, a->type, 0, "");
}

/* What changes nothing. */
static LLVMValueRef
identity(const sw_jit_atomic *a)
{
    bool is_signed = sw_type_kind((sw_type)a->ins->type) == SW_KIND_SINT;
    uint64_t high = UINT64_C(1) << (8 * a->bytes - 1);
    uint64_t n = a->ins->sub == SW_ATOM_AND ? UINT64_MAX
                 : a->ins->sub == SW_ATOM_MIN
                     ? (is_signed ? high - 1 : UINT64_MAX)
                 : a->ins->sub == SW_ATOM_MAX ? (is_signed ? high : 0)
                                              : 0;
    return LLVMConstInt(a->type, n, 0);
}

static LLVMValueRef
masked_operand(sw_jit_emit *e, const sw_jit_atomic *a)
{
    LLVMValueRef x = sw_jit_atomic_fit(e, a, sw_jit_lanes(e, &a->b), e->lanes);
    if (e->mask.is_full)
        return x;
    return LLVMBuildSelect(B, e->mask.lanes, x,
                           sw_jit_splat(e, identity(a), e->lanes), "");
}

static LLVMValueRef
reduced(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef x)
{
    bool is_signed = sw_type_kind((sw_type)a->ins->type) == SW_KIND_SINT;
    unsigned sub = a->ins->sub;
    const char *name = sub == SW_ATOM_ADD   ? "llvm.vector.reduce.add"
                       : sub == SW_ATOM_AND ? "llvm.vector.reduce.and"
                       : sub == SW_ATOM_OR  ? "llvm.vector.reduce.or"
                       : sub == SW_ATOM_XOR ? "llvm.vector.reduce.xor"
                       : sub == SW_ATOM_MIN
                           ? (is_signed ? "llvm.vector.reduce.smin"
                                        : "llvm.vector.reduce.umin")
                       : is_signed ? "llvm.vector.reduce.smax"
                                   : "llvm.vector.reduce.umax";
    LLVMTypeRef type = LLVMTypeOf(x);
    return sw_jit_intrinsic(e, name, &type, 1, &x, 1);
}

/* All lanes' operands as one. */
static LLVMValueRef
total(sw_jit_emit *e, const sw_jit_atomic *a)
{
    if (a->b.shape.kind != SW_SHAPE_UNIFORM || a->ins->sub == SW_ATOM_XOR)
        return reduced(e, a, masked_operand(e, a));
    LLVMValueRef b = sw_jit_atomic_fit(e, a, a->b.base, 1);
    return a->ins->sub == SW_ATOM_ADD ? LLVMBuildMul(B, b, count_of(e, a), "")
                                      : b;
}

/* The sum of the operands of the lanes before each. */
static LLVMValueRef
sums_before(sw_jit_emit *e, const sw_jit_atomic *a)
{
    int64_t n[SW_LANES_MAX];
    LLVMTypeRef type = sw_jit_atomic_type(e, a);
    if (a->b.shape.kind == SW_SHAPE_UNIFORM &&
        (e->mask.is_full || e->lanes == 32)) {
        LLVMValueRef b =
            sw_jit_splat(e, sw_jit_atomic_fit(e, a, a->b.base, 1), e->lanes);
        for (unsigned i = 0; i < e->lanes; i++)
            n[i] = e->mask.is_full ? (int64_t)i : (INT64_C(1) << i) - 1;
        if (e->mask.is_full)
            return LLVMBuildMul(B, b, sw_jit_const_lanes(a->type, n, e->lanes),
                                "");
        LLVMTypeRef narrow = LLVMVectorType(e->t.i32, 32);
        LLVMValueRef bits =
            sw_jit_splat(e, sw_jit_mask_bits(e, e->mask.lanes), 32);
        bits = LLVMBuildAnd(B, bits, sw_jit_const_lanes(e->t.i32, n, 32), "");
        bits = sw_jit_intrinsic(e, "llvm.ctpop", &narrow, 1, &bits, 1);
        return LLVMBuildMul(B, b, LLVMBuildIntCast2(B, bits, type, 0, ""), "");
    }
    LLVMValueRef x = masked_operand(e, a), sum = x;
    for (unsigned by = 1; by < e->lanes; by *= 2) {
        LLVMValueRef from[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++)
            from[i] = sw_jit_i32(e, i < by ? e->lanes : i - by);
        LLVMValueRef before = LLVMBuildShuffleVector(
            B, sum, LLVMConstNull(type), LLVMConstVector(from, e->lanes), "");
        sum = LLVMBuildAdd(B, sum, before, "");
    }
    return LLVMBuildSub(B, sum, x, "");
}

LLVMValueRef
sw_jit_atomic_change_at(sw_jit_emit *e, const sw_jit_atomic *a,
                        LLVMValueRef pointer)
{
    if (!a->is_combined)
        return sw_jit_atomic_in_turn(e, a, pointer);
    LLVMValueRef old =
        sw_jit_atomic_change_one(e, a, pointer, total(e, a), NULL);
    if (!a->has_result)
        return NULL;
    return LLVMBuildAdd(B, sw_jit_splat(e, old, e->lanes), sums_before(e, a),
                        "");
}

/* ---- addresses ---- */

static LLVMValueRef
in_units(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef n = sw_jit_i64(e, a->shift);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        n = sw_jit_splat(e, n, e->lanes);
    LLVMValueRef args[3] = {x, x, n};
    return sw_jit_intrinsic(e, "llvm.fshr", &type, 1, args, 3);
}

/* Offsets in units below a number of them; rotation makes what is not aligned
 * too large. */
static void
test(sw_jit_emit *e, sw_jit_atomic *a, LLVMValueRef x)
{
    LLVMValueRef from, count;
    if (a->is_shared) {
        from = sw_jit_i64(e, 0);
        count =
            sw_jit_field(e, offsetof(sw_jit_ctx, shared_bytes), e->t.i64, true);
    } else {
        from = sw_jit_window_part(e, a->site, 0);
        count = sw_jit_window_part(e, a->site, offsetof(sw_jit_window, limit));
    }
    LLVMIntPredicate is = a->is_shared ? LLVMIntULT : LLVMIntULE;
    count = LLVMBuildLShr(B, count, sw_jit_i64(e, a->shift), "");
    if (a->one) {
        LLVMValueRef d = in_units(e, a, LLVMBuildSub(B, x, from, ""));
        a->ok = LLVMBuildICmp(B, is, d, count, "");
        return;
    }
    LLVMValueRef d = LLVMBuildSub(B, x, sw_jit_splat(e, from, e->lanes), "");
    LLVMValueRef ok = LLVMBuildICmp(B, is, in_units(e, a, d),
                                    sw_jit_splat(e, count, e->lanes), "");
    if (!e->mask.is_full)
        ok = LLVMBuildOr(B, ok, LLVMBuildNot(B, e->mask.lanes, ""), "");
    a->ok = sw_jit_all(e, ok);
}

void
sw_jit_atomic_find_place(sw_jit_emit *e, sw_jit_atomic *a)
{
    sw_jit_value v = sw_jit_read_exact(e, a->ins, 0);
    bool is_one = v.shape.kind == SW_SHAPE_UNIFORM;
    unsigned n = is_one ? 1 : e->lanes;
    LLVMValueRef x = is_one ? v.base : sw_jit_lanes(e, &v);
    LLVMTypeRef wide = sw_jit_lanes_of(e->t.i64, n);
    LLVMTypeRef type = a->is_shared ? e->t.i32 : e->t.i64; /* as offsets have */
    x = LLVMBuildIntCast2(B, x, sw_jit_lanes_of(type, n), 0, "");
    LLVMValueRef more = LLVMConstInt(type, (uint64_t)a->ins->offset, 0);
    x = LLVMBuildAdd(B, x, sw_jit_splat(e, more, n), "");
    if (LLVMTypeOf(x) != wide)
        x = LLVMBuildZExt(B, x, wide, "");
    if (a->is_shared) {
        a->base = sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.ptr, true);
    } else {
        a->site = sw_jit_new_site(e, a->bytes);
    }
    if (is_one)
        a->one = sw_jit_atomic_at(e, a, x);
    else
        a->offset = x;
    test(e, a, x);
    if (a->is_shared)
        return;
    a->ok = is_one
                ? sw_jit_or_moved(e, a->ok, a->site, x, a->shift)
                : sw_jit_or_in_pages(e, a->ok, a->site, x, a->bytes, a->shift);
}

/* For the observer. */
static void
count_access(sw_jit_emit *e, const sw_jit_atomic *a)
{
    LLVMValueRef at = a->offset;
    if (at && a->base) {
        LLVMValueRef base = LLVMBuildPtrToInt(B, a->base, e->t.i64, "");
        at = LLVMBuildAdd(B, at, sw_jit_splat(e, base, e->lanes), "");
    }
    sw_jit_counter_atomic(e, a->one, at, a->bytes);
}

/* ---- the instruction ---- */

/* Addresses differ as far as the compiler knows. Often they do not: worth a
 * look where that saves atomic operations of the host. */
static LLVMValueRef
change_anywhere(sw_jit_emit *e, const sw_jit_atomic *a)
{
    if (a->is_shared || !a->is_combined)
        return sw_jit_change_lanes(e, a);
    LLVMValueRef at =
        LLVMBuildExtractElement(B, a->offset, sw_jit_atomic_first(e), "");
    LLVMValueRef same = LLVMBuildICmp(B, LLVMIntEQ, a->offset,
                                      sw_jit_splat(e, at, e->lanes), "");
    if (!e->mask.is_full)
        same = LLVMBuildOr(B, same, LLVMBuildNot(B, e->mask.lanes, ""), "");
    LLVMBasicBlockRef one = sw_jit_block(e, "one");
    LLVMBasicBlockRef many = sw_jit_block(e, "many");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMBuildCondBr(B, sw_jit_all(e, same), one, many);
    LLVMPositionBuilderAtEnd(B, one);
    LLVMValueRef x[2];
    x[0] = sw_jit_atomic_change_at(e, a, sw_jit_atomic_at(e, a, at));
    one = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, many);
    x[1] = sw_jit_change_lanes(e, a);
    many = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, out);
    return sw_jit_atomic_join(e, a, x, (LLVMBasicBlockRef[2]){one, many});
}

bool
sw_jit_is_read_later(const sw_jit_emit *e, sw_reg reg)
{
    const sw_block *block = e->plan->fn->blocks[e->b.block];
    for (uint32_t i = e->at.index - e->plan->first_ins[e->b.block] + 1;
         i < block->count; i++)
        if (sw_ins_reads(block->ins[i], reg))
            return true;
    return sw_liveness_out(e->plan->live, e->b.block, reg);
}

static bool
is_supported(sw_jit_emit *e, const sw_jit_atomic *a)
{
    const sw_ins *ins = a->ins;
    sw_type type = (sw_type)ins->type;
    sw_opnd opnd[3];
    if ((ins->space != SW_SPACE_GLOBAL && ins->space != SW_SPACE_GENERIC &&
         ins->space != SW_SPACE_SHARED) ||
        (a->bytes != 4 && a->bytes != 8) || ins->vec > 1 ||
        !sem_atom_supports((sw_atom)ins->sub, type))
        return false;
    /* Sums in global memory and in shared are not the same; what is another
     * block's shared memory the interpreter's function finds out. */
    if (a->is_float && ins->sub == SW_ATOM_ADD &&
        ins->space == SW_SPACE_GENERIC && sw_jit_uses_clusters(e->plan->fn))
        return false;
    if (ins->ndst && ins->opnd[0].kind == SW_OPND_REG &&
        e->shapes->regs[ins->opnd[0].reg].kind != SW_SHAPE_VARYING)
        return false;
    sw_ins pure = sw_jit_atomic_pure_form(a, opnd, type == SW_T_F32);
    return !a->is_float || sw_jit_alu_supports(&e->ll, e->plan->fn, &pure);
}

static void
open_atomic(sw_jit_emit *e, sw_jit_atomic *a)
{
    const sw_ins *ins = e->at.ins;
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    *a =
        (sw_jit_atomic){.ins = ins, .is_shared = ins->space == SW_SPACE_SHARED};
    a->bytes = sw_type_bits((sw_type)ins->type) / 8;
    a->shift = a->bytes == 8 ? 3 : 2;
    a->type = a->bytes == 8 ? e->t.i64 : e->t.i32;
    a->is_float = kind != SW_KIND_UINT && kind != SW_KIND_SINT &&
                  (ins->sub == SW_ATOM_ADD || ins->sub == SW_ATOM_MIN ||
                   ins->sub == SW_ATOM_MAX);
    a->has_result = ins->ndst && ins->opnd[0].kind == SW_OPND_REG &&
                    sw_jit_is_read_later(e, ins->opnd[0].reg);
    bool is_sum = ins->sub == SW_ATOM_ADD;
    bool is_plain = is_sum || ins->sub == SW_ATOM_MIN ||
                    ins->sub == SW_ATOM_MAX || ins->sub == SW_ATOM_AND ||
                    ins->sub == SW_ATOM_OR || ins->sub == SW_ATOM_XOR;
    a->is_combined = is_plain && !a->is_float && (is_sum || !a->has_result);
}

void
sw_jit_emit_atomic(sw_jit_emit *e)
{
    sw_jit_atomic a;
    open_atomic(e, &a);
    if (!is_supported(e, &a) || sw_jit_tells(e, SW_EV_VALUES)) {
        sw_jit_emit_step(e);
        return;
    }
    a.b = sw_jit_read_exact(e, a.ins, 1);
    if (a.ins->sub == SW_ATOM_CAS)
        a.c = sw_jit_read_exact(e, a.ins, 2);
    sw_jit_atomic_find_place(e, &a);
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    sw_jit_likely(e, LLVMBuildCondBr(B, a.ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    if (e->k.counters)
        count_access(e, &a);
    LLVMValueRef old =
        a.one ? sw_jit_atomic_change_at(e, &a, a.one) : change_anywhere(e, &a);
    if (a.has_result) {
        sw_jit_value v =
            sw_jit_varying(a.bytes == 8 ? SW_CLASS_B64 : SW_CLASS_B32, old);
        sw_jit_write(e, a.ins->opnd[0].reg, &v, 0);
    }
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
}
