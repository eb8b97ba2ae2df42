/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - the small pieces of LLVM code that everything else is made of:
 * types, constants, vectors and their elements, masks and their bits, stack
 * slots, fields of the context, calls of the runtime. Nothing here knows the
 * kernel.
 */
#include <llvm/Config/llvm-config.h>
#include <string.h>

#include "base/llvm_versions.h"
#include "jit/emit/build.h"

#define B e->ll.builder

enum { MAX_LANES = 4 * SW_LANES_MAX }; /* of what is put together */

#define MASKED "llvm.masked."

LLVMTypeRef
sw_jit_class_type(const sw_jit_emit *e, sw_class cls)
{
    switch (cls) {
    case SW_CLASS_PRED:
        return e->t.i1;
    case SW_CLASS_B16:
        return e->t.i16;
    case SW_CLASS_B32:
        return e->t.i32;
    case SW_CLASS_B128:
        return LLVMIntTypeInContext(e->ll.context, 128);
    default:
        return e->t.i64;
    }
}

LLVMTypeRef
sw_jit_lanes_of(LLVMTypeRef element, unsigned lanes)
{
    return lanes == 1 ? element : LLVMVectorType(element, lanes);
}

LLVMValueRef
sw_jit_i32(const sw_jit_emit *e, uint32_t n)
{
    return LLVMConstInt(e->t.i32, n, 0);
}

LLVMValueRef
sw_jit_i64(const sw_jit_emit *e, uint64_t n)
{
    return LLVMConstInt(e->t.i64, n, 0);
}

LLVMValueRef
sw_jit_const_lanes(LLVMTypeRef type, const int64_t *n, unsigned lanes)
{
    LLVMValueRef c[MAX_LANES];
    for (unsigned i = 0; i < lanes; i++)
        c[i] = LLVMConstInt(type, (uint64_t)n[i], 1);
    return LLVMConstVector(c, lanes);
}

LLVMValueRef
sw_jit_shuffle(const sw_jit_emit *e, LLVMValueRef x, const int *from,
               unsigned lanes)
{
    LLVMValueRef c[MAX_LANES];
    for (unsigned i = 0; i < lanes; i++)
        c[i] = LLVMConstInt(e->t.i32, (unsigned)from[i], 0);
    return LLVMBuildShuffleVector(B, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(c, lanes), "");
}

LLVMValueRef
sw_jit_elements(const sw_jit_emit *e, LLVMValueRef x, unsigned first,
                unsigned n)
{
    int from[SW_LANES_MAX];
    if (LLVMGetVectorSize(LLVMTypeOf(x)) == n)
        return x;
    for (unsigned i = 0; i < n; i++)
        from[i] = (int)(first + i);
    return sw_jit_shuffle(e, x, from, n);
}

LLVMValueRef
sw_jit_concatenate(const sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y,
                   unsigned each)
{
    LLVMValueRef c[MAX_LANES];
    for (unsigned i = 0; i < 2 * each; i++)
        c[i] = sw_jit_i32(e, i);
    return LLVMBuildShuffleVector(B, x, y, LLVMConstVector(c, 2 * each), "");
}

LLVMValueRef
sw_jit_concatenate_all(const sw_jit_emit *e, LLVMValueRef *all, unsigned count,
                       unsigned each)
{
    for (; count > 1; count /= 2, each *= 2)
        for (unsigned i = 0; i < count / 2; i++)
            all[i] = sw_jit_concatenate(e, all[2 * i], all[2 * i + 1], each);
    return all[0];
}

LLVMValueRef
sw_jit_splat(const sw_jit_emit *e, LLVMValueRef x, unsigned lanes)
{
    return sw_jit_alu_splat(&e->ll, x, lanes);
}

LLVMValueRef
sw_jit_first_behind_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef ins = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(ins))
        ins = LLVMGetNextInstruction(ins);
    return ins;
}

void
sw_jit_set_operands(LLVMValueRef user, LLVMValueRef from, LLVMValueRef to)
{
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
        if (LLVMGetOperand(user, i) == from)
            LLVMSetOperand(user, i, to);
}

/* A masked access whose alignment, the argument behind the pointer, becomes an
 * attribute of the pointer. Stores have the value first. */
static LLVMValueRef
call_masked(sw_jit_emit *e, const char *name, LLVMTypeRef type, LLVMValueRef fn,
            const LLVMValueRef *args, unsigned count)
{
    unsigned align_at = name[strlen(MASKED)] == 's' ? 2 : 1, kept = 0;
    LLVMValueRef rest[3];
    SW_ASSERT(count == 4);
    for (unsigned i = 0; i < count; i++)
        if (i != align_at)
            rest[kept++] = args[i];
    LLVMValueRef call = LLVMBuildCall2(B, type, fn, rest, kept, "");
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(
        call, align_at, /* parameters count from 1 */
        LLVMCreateEnumAttribute(e->ll.context, kind,
                                LLVMConstIntGetZExtValue(args[align_at])));
    return call;
}

LLVMValueRef
sw_jit_intrinsic(sw_jit_emit *e, const char *name, LLVMTypeRef *types,
                 unsigned type_count, LLVMValueRef *args, unsigned arg_count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    SW_ASSERT(id);
    LLVMValueRef fn =
        LLVMGetIntrinsicDeclaration(e->ll.module, id, types, type_count);
    LLVMTypeRef type =
        LLVMIntrinsicGetType(e->ll.context, id, types, type_count);
    if (LLVM_VERSION_MAJOR >= SW_LLVM_ALIGNS_MASKED_BY_ATTRIBUTE &&
        strncmp(name, MASKED, strlen(MASKED)) == 0)
        return call_masked(e, name, type, fn, args, arg_count);
    return LLVMBuildCall2(B, type, fn, args, arg_count, "");
}

LLVMValueRef
sw_jit_mask_bits(const sw_jit_emit *e, LLVMValueRef mask)
{
    return LLVMBuildBitCast(B, mask, e->t.bits, "");
}

LLVMValueRef
sw_jit_mask_memory(sw_jit_emit *e, LLVMValueRef bits)
{
    if (!e->f.mask_slot)
        e->f.mask_slot = sw_jit_slot_of(e, e->t.bits);
    LLVMBuildStore(B, bits, e->f.mask_slot);
    return e->f.mask_slot;
}

LLVMValueRef
sw_jit_const_bits(const sw_jit_emit *e, const sw_jit_lane_set *set)
{
    if (e->lanes <= 64)
        return LLVMConstInt(e->t.bits, set->words[0], 0);
    return LLVMConstIntOfArbitraryPrecision(e->t.bits, e->lanes / 64,
                                            set->words);
}

LLVMValueRef
sw_jit_first_of(sw_jit_emit *e, LLVMValueRef bits)
{
    LLVMValueRef args[2] = {bits, LLVMConstInt(e->t.i1, 0, 0)};
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.cttz", &type, 1, args, 2);
    return LLVMBuildAnd(B, LLVMBuildIntCast2(B, n, e->t.i32, 0, ""),
                        sw_jit_i32(e, e->lanes - 1), "");
}

LLVMValueRef
sw_jit_any(const sw_jit_emit *e, LLVMValueRef mask)
{
    return LLVMBuildICmp(B, LLVMIntNE, sw_jit_mask_bits(e, mask),
                         LLVMConstNull(e->t.bits), "");
}

LLVMValueRef
sw_jit_all(const sw_jit_emit *e, LLVMValueRef mask)
{
    return LLVMBuildICmp(B, LLVMIntEQ, sw_jit_mask_bits(e, mask),
                         LLVMConstAllOnes(e->t.bits), "");
}

static void
go_to_begin(const sw_jit_emit *e, LLVMBasicBlockRef block)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    if (first)
        LLVMPositionBuilderBefore(B, first);
    else
        LLVMPositionBuilderAtEnd(B, block);
}

/* A slot that holds something when a warp begins; `first` may be undefined. */
static LLVMValueRef
slot_with(sw_jit_emit *e, LLVMValueRef first)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    go_to_begin(e, e->f.top);
    LLVMValueRef slot = LLVMBuildAlloca(B, LLVMTypeOf(first), "");
    if (e->f.top != e->f.entry)
        go_to_begin(e, e->f.entry);
    /* In a block loop it would be taken for the last warp's. */
    if (!LLVMIsUndef(first) || e->plan->block_loop)
        LLVMBuildStore(B, first, slot);
    LLVMPositionBuilderAtEnd(B, here);
    return slot;
}

LLVMValueRef
sw_jit_slot_of(sw_jit_emit *e, LLVMTypeRef type)
{
    return slot_with(e, LLVMGetUndef(type));
}

LLVMValueRef
sw_jit_first_slot(sw_jit_emit *e, LLVMValueRef constant)
{
    return slot_with(e, constant);
}

LLVMValueRef
sw_jit_zero_slot(sw_jit_emit *e, LLVMTypeRef type)
{
    return sw_jit_first_slot(e, LLVMConstNull(type));
}

LLVMValueRef
sw_jit_at(const sw_jit_emit *e, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildGEP2(B, e->t.i8, base, &offset, 1, "");
}

void
sw_jit_set_align(LLVMValueRef access, unsigned bytes)
{
    LLVMSetAlignment(access, bytes);
}

void
sw_jit_mark_constant(const sw_jit_emit *e, LLVMValueRef load)
{
    unsigned kind = LLVMGetMDKindIDInContext(e->ll.context, "invariant.load",
                                             strlen("invariant.load"));
    LLVMSetMetadata(
        load, kind,
        LLVMMetadataAsValue(e->ll.context,
                            LLVMMDNodeInContext2(e->ll.context, NULL, 0)));
}

LLVMValueRef
sw_jit_ctx_of(const sw_jit_emit *e)
{
    return LLVMBuildLoad2(B, e->t.ptr, e->f.ctx_slot, "");
}

/* Whether all warps of a block have the same there, as long as they run. */
static bool
is_common(size_t offset)
{
    return offset == offsetof(sw_jit_ctx, helpers) ||
           offset == offsetof(sw_jit_ctx, block) ||
           offset == offsetof(sw_jit_ctx, shared) ||
           offset == offsetof(sw_jit_ctx, shared_bytes) ||
           offset == offsetof(sw_jit_ctx, local_stride) ||
           offset == offsetof(sw_jit_ctx, syms) ||
           offset == offsetof(sw_jit_ctx, biased) ||
           offset == offsetof(sw_jit_ctx, view) ||
           offset == offsetof(sw_jit_ctx, windows) ||
           offset == offsetof(sw_jit_ctx, plans) ||
           (offset >= offsetof(sw_jit_ctx, ntid) &&
            offset < offsetof(sw_jit_ctx, ntid) + sizeof(uint32_t[3]));
}

LLVMValueRef
sw_jit_field(sw_jit_emit *e, size_t offset, LLVMTypeRef type, bool constant)
{
    bool is_of_all =
        e->plan->block_loop && !e->at.is_outlined && is_common(offset);
    LLVMValueRef ctx =
        is_of_all ? LLVMGetParam(e->f.function, 0) : sw_jit_ctx_of(e);
    LLVMValueRef at = sw_jit_at(e, ctx, sw_jit_i64(e, offset));
    LLVMValueRef load = LLVMBuildLoad2(B, type, at, "");
    if (type == e->t.bits) /* masks stand as words of 32 lanes */
        sw_jit_set_align(load, 4);
    if (constant)
        sw_jit_mark_constant(e, load);
    return load;
}

LLVMValueRef
sw_jit_block_field(sw_jit_emit *e, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef block =
        sw_jit_field(e, offsetof(sw_jit_ctx, block), e->t.ptr, true);
    LLVMValueRef load =
        LLVMBuildLoad2(B, type, sw_jit_at(e, block, sw_jit_i64(e, offset)), "");
    sw_jit_mark_constant(e, load);
    return load;
}

/* See run/keep.h. */
static void
keep_registers(const sw_jit_emit *e, LLVMValueRef call)
{
    static const char name[] = "no_caller_saved_registers";
    LLVMAttributeRef attribute =
        LLVMCreateStringAttribute(e->ll.context, name, sizeof name - 1, "", 0);
    LLVMAddCallSiteAttribute(
        call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

LLVMValueRef
sw_jit_call(sw_jit_emit *e, sw_jit_helper helper, LLVMTypeRef result,
            LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef types[8];
    LLVMValueRef all[8] = {sw_jit_ctx_of(e)};
    types[0] = e->t.ptr;
    for (unsigned i = 0; i < count; i++) {
        types[i + 1] = LLVMTypeOf(args[i]);
        all[i + 1] = args[i];
    }
    LLVMValueRef table =
        sw_jit_field(e, offsetof(sw_jit_ctx, helpers), e->t.ptr, true);
    LLVMValueRef at = sw_jit_at(e, table, sw_jit_i64(e, 8u * helper));
    LLVMValueRef fn = LLVMBuildLoad2(B, e->t.ptr, at, "");
    sw_jit_mark_constant(e, fn);
    LLVMTypeRef type = LLVMFunctionType(result, types, count + 1, 0);
    LLVMValueRef call = LLVMBuildCall2(B, type, fn, all, count + 1, "");
    if (helper == SW_JIT_RARE_STEP || helper == SW_JIT_WINDOW)
        keep_registers(e, call);
    return call;
}

LLVMBasicBlockRef
sw_jit_block(const sw_jit_emit *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->ll.context, e->f.function, name);
}

void
sw_jit_likely(const sw_jit_emit *e, LLVMValueRef branch, bool likely)
{
    sw_jit_alu_likely(&e->ll, branch, likely);
}

LLVMValueRef
sw_jit_widen(sw_jit_emit *e, LLVMValueRef x, bool is_signed)
{
    if (!x || LLVMTypeOf(x) == e->t.i64)
        return x;
    return is_signed ? LLVMBuildSExt(B, x, e->t.i64, "")
                     : LLVMBuildZExt(B, x, e->t.i64, "");
}

LLVMValueRef
sw_jit_both(sw_jit_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return a ? LLVMBuildAnd(B, a, b, "") : b;
}

LLVMBasicBlockRef
sw_jit_two_ways(sw_jit_emit *e, LLVMValueRef which, LLVMBasicBlockRef *other)
{
    LLVMBasicBlockRef row = sw_jit_block(e, "row");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    *other = sw_jit_block(e, "apart");
    LLVMBuildCondBr(B, which, row, *other);
    LLVMPositionBuilderAtEnd(B, row);
    return join;
}

LLVMValueRef
sw_jit_join_two(sw_jit_emit *e, LLVMBasicBlockRef join,
                LLVMBasicBlockRef from[2], LLVMValueRef x[2])
{
    LLVMPositionBuilderAtEnd(B, join);
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(x[0]), "");
    LLVMAddIncoming(phi, x, from, 2);
    return phi;
}

LLVMValueRef
sw_jit_shuffle_two(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y,
                   const int *from, unsigned n)
{
    LLVMValueRef c[MAX_LANES];
    for (unsigned i = 0; i < n; i++)
        c[i] = from[i] < 0 ? LLVMGetPoison(e->t.i32)
                           : sw_jit_i32(e, (uint32_t)from[i]);
    return LLVMBuildShuffleVector(B, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(c, n), "");
}

void *
sw_jit_table_of(const sw_vec *vec, size_t item_bytes)
{
    void *to = sw_alloc((vec->count + 1) * item_bytes);
    if (vec->count)
        memcpy(to, vec->data, vec->count * item_bytes);
    return to;
}
