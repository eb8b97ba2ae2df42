/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - registers and their values in the shapes that opt/shape
 * found, and the small pieces of code that everything else is made of.
 */
#include <llvm/Config/llvm-config.h>
#include <string.h>

#include "base/llvm_versions.h"
#include "jit/emit/emit.h"

#define B e->ll.builder

enum { MAX_LANES = 4 * SW_LANES_MAX }; /* of what is put together */

/* ---- types and constants ---- */

LLVMTypeRef
sw_jit_class_type(const sw_jit_emit *e, sw_class cls)
{
    switch (cls) {
    case SW_CLASS_PRED:
        return e->i1;
    case SW_CLASS_B16:
        return e->i16;
    case SW_CLASS_B32:
        return e->i32;
    case SW_CLASS_B128:
        return LLVMIntTypeInContext(e->ll.context, 128);
    default:
        return e->i64;
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
    return LLVMConstInt(e->i32, n, 0);
}

LLVMValueRef
sw_jit_i64(const sw_jit_emit *e, uint64_t n)
{
    return LLVMConstInt(e->i64, n, 0);
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
        c[i] = LLVMConstInt(e->i32, (unsigned)from[i], 0);
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

#define MASKED "llvm.masked."

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
    return LLVMBuildBitCast(B, mask, e->bits, "");
}

LLVMValueRef
sw_jit_mask_memory(sw_jit_emit *e, LLVMValueRef bits)
{
    if (!e->f.mask_slot)
        e->f.mask_slot = sw_jit_slot_of(e, e->bits);
    LLVMBuildStore(B, bits, e->f.mask_slot);
    return e->f.mask_slot;
}

LLVMValueRef
sw_jit_const_bits(const sw_jit_emit *e, const sw_jit_lane_set *set)
{
    if (e->lanes <= 64)
        return LLVMConstInt(e->bits, set->words[0], 0);
    return LLVMConstIntOfArbitraryPrecision(e->bits, e->lanes / 64, set->words);
}

LLVMValueRef
sw_jit_first_of(sw_jit_emit *e, LLVMValueRef bits)
{
    LLVMValueRef args[2] = {bits, LLVMConstInt(e->i1, 0, 0)};
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.cttz", &type, 1, args, 2);
    return LLVMBuildAnd(B, LLVMBuildIntCast2(B, n, e->i32, 0, ""),
                        sw_jit_i32(e, e->lanes - 1), "");
}

LLVMValueRef
sw_jit_any(const sw_jit_emit *e, LLVMValueRef mask)
{
    return LLVMBuildICmp(B, LLVMIntNE, sw_jit_mask_bits(e, mask),
                         LLVMConstNull(e->bits), "");
}

LLVMValueRef
sw_jit_all(const sw_jit_emit *e, LLVMValueRef mask)
{
    return LLVMBuildICmp(B, LLVMIntEQ, sw_jit_mask_bits(e, mask),
                         LLVMConstAllOnes(e->bits), "");
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
    /* In a series it would be taken for the last warp's. */
    if (!LLVMIsUndef(first) || e->plan->series)
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
    return LLVMBuildGEP2(B, e->i8, base, &offset, 1, "");
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
    return LLVMBuildLoad2(B, e->ptr, e->f.ctx_slot, "");
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
           offset == offsetof(sw_jit_ctx, alone) ||
           offset == offsetof(sw_jit_ctx, view) ||
           offset == offsetof(sw_jit_ctx, windows) ||
           offset == offsetof(sw_jit_ctx, plans) ||
           (offset >= offsetof(sw_jit_ctx, ntid) &&
            offset < offsetof(sw_jit_ctx, ntid) + sizeof(uint32_t[3]));
}

LLVMValueRef
sw_jit_field(sw_jit_emit *e, size_t offset, LLVMTypeRef type, bool constant)
{
    bool is_of_all = e->plan->series && !e->is_outlined && is_common(offset);
    LLVMValueRef ctx =
        is_of_all ? LLVMGetParam(e->f.function, 0) : sw_jit_ctx_of(e);
    LLVMValueRef at = sw_jit_at(e, ctx, sw_jit_i64(e, offset));
    LLVMValueRef load = LLVMBuildLoad2(B, type, at, "");
    if (type == e->bits) /* masks stand as words of 32 lanes */
        sw_jit_set_align(load, 4);
    if (constant)
        sw_jit_mark_constant(e, load);
    return load;
}

LLVMValueRef
sw_jit_block_field(sw_jit_emit *e, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef block =
        sw_jit_field(e, offsetof(sw_jit_ctx, block), e->ptr, true);
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
    types[0] = e->ptr;
    for (unsigned i = 0; i < count; i++) {
        types[i + 1] = LLVMTypeOf(args[i]);
        all[i + 1] = args[i];
    }
    LLVMValueRef table =
        sw_jit_field(e, offsetof(sw_jit_ctx, helpers), e->ptr, true);
    LLVMValueRef at = sw_jit_at(e, table, sw_jit_i64(e, 8u * helper));
    LLVMValueRef fn = LLVMBuildLoad2(B, e->ptr, at, "");
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

/* ---- slots ---- */

/* Zero at first if somebody may read that. */
static LLVMValueRef
first_slot(sw_jit_emit *e, sw_reg reg, LLVMTypeRef type)
{
    return e->plan->live->in[reg / 64] >> (reg % 64) & 1
               ? sw_jit_zero_slot(e, type)
               : sw_jit_slot_of(e, type);
}

const sw_jit_slot *
sw_jit_reg_slot(sw_jit_emit *e, sw_reg reg)
{
    sw_jit_slot *slot = &e->slots[reg];
    const sw_shape *shape = &e->shapes->regs[reg];
    if (slot->base)
        return slot;
    LLVMTypeRef type = sw_jit_class_type(e, e->plan->fn->regs[reg].cls);
    if (shape->kind == SW_SHAPE_VARYING)
        type = LLVMVectorType(type, e->lanes);
    slot->base = first_slot(e, reg, type);
    if (shape->kind == SW_SHAPE_WIDE)
        slot->narrow = first_slot(e, reg, e->i32);
    if (shape->kind != SW_SHAPE_VARYING && shape->v)
        slot->s =
            first_slot(e, reg, shape->kind == SW_SHAPE_WIDE ? e->i32 : type);
    return slot;
}

/* ---- reading ---- */

sw_jit_value
sw_jit_uniform(sw_class cls, LLVMValueRef scalar)
{
    return (sw_jit_value){
        .shape = {.kind = SW_SHAPE_UNIFORM, .max = UINT32_MAX},
        .cls = cls,
        .base = scalar};
}

sw_jit_value
sw_jit_varying(sw_class cls, LLVMValueRef lanes)
{
    return (sw_jit_value){
        .shape = {.kind = SW_SHAPE_VARYING, .max = UINT32_MAX},
        .cls = cls,
        .base = lanes};
}

sw_jit_value
sw_jit_read_reg(sw_jit_emit *e, sw_reg reg)
{
    const sw_jit_slot *slot = sw_jit_reg_slot(e, reg);
    sw_class cls = e->plan->fn->regs[reg].cls;
    sw_jit_value v = {.shape = e->shapes->regs[reg], .cls = cls};
    LLVMTypeRef type = sw_jit_class_type(e, cls);
    if (v.shape.kind == SW_SHAPE_VARYING)
        type = LLVMVectorType(type, e->lanes);
    v.base = LLVMBuildLoad2(B, type, slot->base, "");
    if (slot->narrow)
        v.narrow = LLVMBuildLoad2(B, e->i32, slot->narrow, "");
    if (slot->s)
        v.s = LLVMBuildLoad2(B, v.shape.kind == SW_SHAPE_WIDE ? e->i32 : type,
                             slot->s, "");
    return v;
}

LLVMValueRef
sw_jit_sym_value(sw_jit_emit *e, const sw_opnd *o, sw_class cls)
{
    LLVMTypeRef type = sw_jit_class_type(e, cls);
    sw_sym *sym = o->sym;
    if (sym->space == SW_SPACE_SHARED)
        return LLVMConstInt(
            type, e->plan->rq->shared_offset(e->plan->rq->arg, sym) + o->imm,
            0);
    if (sym->space == SW_SPACE_LOCAL || sym->space == SW_SPACE_PARAM) {
        LLVMValueRef at = LLVMConstInt(type, sym->address + o->imm, 0);
        if (e->f.frame_at)
            at = LLVMBuildAdd(
                B, at, LLVMBuildIntCast2(B, e->f.frame_at, type, 0, ""), "");
        return at;
    }
    sw_sym *def = sw_sym_resolve(sym);
    const void *p = def ? def : sym;
    sw_str key = {(const char *)&p, sizeof p};
    uintptr_t known = (uintptr_t)sw_map_get(e->sym_index, key);
    if (!known) {
        *(sw_sym **)sw_vec_push(&e->syms) = def ? def : sym;
        known = e->syms.count;
        sw_map_set(e->sym_index, key, (void *)known);
    }
    LLVMValueRef table =
        sw_jit_field(e, offsetof(sw_jit_ctx, syms), e->ptr, true);
    LLVMValueRef load = LLVMBuildLoad2(
        B, e->i64, sw_jit_at(e, table, sw_jit_i64(e, 8 * (known - 1))), "");
    sw_jit_mark_constant(e, load);
    load = LLVMBuildAdd(B, load, sw_jit_i64(e, o->imm), "");
    return cls == SW_CLASS_B64 ? load : LLVMBuildTrunc(B, load, type, "");
}

sw_jit_value
sw_jit_read(sw_jit_emit *e, const sw_ins *ins, unsigned src)
{
    const sw_opnd *o = sw_ins_src(ins, src);
    sw_jit_value v;
    if (o->kind == SW_OPND_REG) {
        v = sw_jit_read_reg(e, o->reg);
        if (o->negated)
            v.base = LLVMBuildNot(B, v.base, "");
        return v;
    }
    sw_class cls = sw_ins_class(e->plan->fn, ins, ins->ndst + src);
    LLVMTypeRef type = sw_jit_class_type(e, cls);
    if (o->kind == SW_OPND_SYM)
        return sw_jit_uniform(cls, sw_jit_sym_value(e, o, cls));
    uint64_t n = o->kind == SW_OPND_IMM ? o->imm : 0;
    if (cls == SW_CLASS_PRED)
        n = (n & 1) ^ o->negated;
    return sw_jit_uniform(cls, LLVMConstInt(type, n, 0));
}

sw_jit_value
sw_jit_read_exact(sw_jit_emit *e, const sw_ins *ins, unsigned src)
{
    const sw_opnd *o = sw_ins_src(ins, src);
    sw_jit_value v = sw_jit_read(e, ins, src);
    if (o->kind == SW_OPND_REG && e->plan->raw[o->reg])
        v.base = sw_jit_alu_exact(
            &e->ll, (sw_type)e->plan->raw[o->reg],
            v.shape.kind == SW_SHAPE_VARYING ? e->lanes : 1, v.base);
    return v;
}

/* Constants of a shape. */
static LLVMValueRef
shape_lanes(const sw_jit_emit *e, const int32_t *c, LLVMTypeRef type)
{
    int64_t n[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        n[i] = c[i];
    return sw_jit_const_lanes(type, n, e->lanes);
}

/* base + c + s * v in the type of `base`. */
static LLVMValueRef
affine_lanes(sw_jit_emit *e, const sw_shape *shape, LLVMValueRef base,
             LLVMValueRef s)
{
    LLVMTypeRef type = LLVMTypeOf(base);
    LLVMValueRef r = sw_jit_splat(e, base, e->lanes);
    if (shape->c)
        r = LLVMBuildAdd(B, r, shape_lanes(e, shape->c, type), "");
    if (shape->v)
        r = LLVMBuildAdd(B, r,
                         LLVMBuildMul(B, sw_jit_splat(e, s, e->lanes),
                                      shape_lanes(e, shape->v, type), ""),
                         "");
    return r;
}

LLVMValueRef
sw_jit_lanes(sw_jit_emit *e, const sw_jit_value *v)
{
    switch (v->shape.kind) {
    case SW_SHAPE_VARYING:
        return v->base;
    case SW_SHAPE_AFFINE:
        return affine_lanes(e, &v->shape, v->base, v->s);
    case SW_SHAPE_WIDE: {
        LLVMValueRef n = affine_lanes(e, &v->shape, v->narrow, v->s);
        LLVMTypeRef wide = LLVMVectorType(e->i64, e->lanes);
        n = v->shape.is_signed ? LLVMBuildSExt(B, n, wide, "")
                               : LLVMBuildZExt(B, n, wide, "");
        n = LLVMBuildMul(
            B, n,
            sw_jit_splat(e, sw_jit_i64(e, (uint64_t)v->shape.scale), e->lanes),
            "");
        if (v->shape.d)
            n = LLVMBuildAdd(B, n, shape_lanes(e, v->shape.d, e->i64), "");
        return LLVMBuildAdd(B, n, sw_jit_splat(e, v->base, e->lanes), "");
    }
    default:
        return sw_jit_splat(e, v->base, e->lanes);
    }
}

LLVMValueRef
sw_jit_mask_of(sw_jit_emit *e, sw_reg pred, bool negated)
{
    sw_jit_value v = sw_jit_read_reg(e, pred);
    LLVMValueRef m = sw_jit_lanes(e, &v);
    return negated ? LLVMBuildNot(B, m, "") : m;
}

/* ---- writing ---- */

/* The value as a register of class cls holds it. */
static LLVMValueRef
fit(sw_jit_emit *e, LLVMValueRef x, sw_class cls, unsigned lanes)
{
    LLVMTypeRef type = sw_jit_lanes_of(sw_jit_class_type(e, cls), lanes);
    if (LLVMTypeOf(x) == type)
        return x;
    return LLVMBuildIntCast2(B, x, type, 0, "");
}

void
sw_jit_write(sw_jit_emit *e, sw_reg reg, const sw_jit_value *value,
             unsigned raw_type)
{
    const sw_jit_slot *slot = sw_jit_reg_slot(e, reg);
    const sw_shape *shape = &e->shapes->regs[reg];
    sw_class cls = e->plan->fn->regs[reg].cls;
    sw_jit_value v = *value;
    if (e->plan->hides_loads && cls == SW_CLASS_B32 && e->ins->op == SW_OP_LD)
        v.base = sw_jit_alu_hide(&e->ll, v.base);
    e->tested[reg].block = 0;
    if (raw_type && !e->plan->raw[reg])
        v.base = sw_jit_alu_exact(
            &e->ll, (sw_type)raw_type,
            v.shape.kind == SW_SHAPE_VARYING ? e->lanes : 1, v.base);
    if (shape->kind != SW_SHAPE_VARYING) {
        SW_ASSERT(v.shape.kind != SW_SHAPE_VARYING);
        LLVMBuildStore(B, fit(e, v.base, cls, 1), slot->base);
        if (slot->narrow)
            LLVMBuildStore(B, v.narrow, slot->narrow);
        if (slot->s)
            LLVMBuildStore(B, v.s, slot->s);
        sw_jit_keep_home(e, reg);
        return;
    }
    LLVMValueRef lanes = fit(e, sw_jit_lanes(e, &v), cls, e->lanes);
    bool waits =
        !e->is_twin && sw_shapes_blends(e->shapes, e->block, reg, shape);
    if (!e->is_full && (e->is_guarded || waits)) {
        LLVMValueRef old = LLVMBuildLoad2(B, LLVMTypeOf(lanes), slot->base, "");
        lanes = LLVMBuildSelect(B, e->mask, lanes, old, "");
    }
    LLVMBuildStore(B, lanes, slot->base);
    sw_jit_keep_home(e, reg);
}

void
sw_jit_write_either(sw_jit_emit *e, LLVMBasicBlockRef join,
                    LLVMBasicBlockRef from, LLVMValueRef one,
                    LLVMValueRef other)
{
    sw_reg reg = e->ins->opnd[0].reg;
    LLVMBasicBlockRef ways[2] = {from, LLVMGetInsertBlock(B)};
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(one), "");
    LLVMValueRef values[2] = {one, other};
    LLVMAddIncoming(phi, values, ways, 2);
    sw_jit_value v = sw_jit_varying(e->plan->fn->regs[reg].cls, phi);
    sw_jit_write(e, reg, &v, 0);
}

/* ---- affine and wide results ---- */

static LLVMValueRef
plus(sw_jit_emit *e, LLVMValueRef a, LLVMValueRef b, int sign)
{
    if (!a)
        return sign < 0 ? LLVMBuildNeg(B, b, "") : b;
    if (!b)
        return a;
    return sign < 0 ? LLVMBuildSub(B, a, b, "") : LLVMBuildAdd(B, a, b, "");
}

LLVMValueRef
sw_jit_widen(sw_jit_emit *e, LLVMValueRef x, bool is_signed)
{
    if (!x || LLVMTypeOf(x) == e->i64)
        return x;
    return is_signed ? LLVMBuildSExt(B, x, e->i64, "")
                     : LLVMBuildZExt(B, x, e->i64, "");
}

static sw_jit_value
sum(sw_jit_emit *e, const sw_jit_value *a, const sw_jit_value *b, int sign,
    const sw_shape *shape)
{
    sw_jit_value r = {.shape = *shape, .cls = a->cls};
    r.base = plus(e, a->base, b->base, sign);
    if (shape->kind == SW_SHAPE_WIDE) {
        const sw_jit_value *wide = a->shape.kind == SW_SHAPE_WIDE ? a : b;
        r.narrow = wide->narrow;
        r.s = wide->s;
    } else if (shape->v) {
        LLVMValueRef as = a->shape.v ? a->s : NULL;
        LLVMValueRef bs = b->shape.v ? b->s : NULL;
        r.s = plus(e, as, bs, sign);
    }
    return r;
}

static sw_jit_value
product(sw_jit_emit *e, const sw_ins *ins, const sw_rule_use *use,
        const sw_shape *shape)
{
    sw_jit_value x = sw_jit_read_exact(e, ins, 1 - use->factor);
    sw_jit_value y = sw_jit_read_exact(e, ins, use->factor);
    sw_jit_value r = {.shape = *shape,
                      .cls = use->widens ? SW_CLASS_B64 : x.cls};
    LLVMTypeRef type = sw_jit_class_type(e, r.cls);
    if (shape->kind == SW_SHAPE_WIDE) {
        LLVMValueRef k = sw_jit_i64(e, (uint64_t)use->number);
        if (x.shape.kind == SW_SHAPE_WIDE) {
            r.base = LLVMBuildMul(B, x.base, k, "");
            r.narrow = x.narrow;
        } else {
            r.base = sw_jit_i64(e, 0);
            r.narrow = x.base;
        }
        r.s = x.s;
        return r;
    }
    LLVMValueRef base = x.base, s = x.shape.v ? x.s : NULL, by = y.base;
    if (use->widens) { /* what is affine is small and not negative */
        base = sw_jit_widen(e, base, use->is_signed);
        s = sw_jit_widen(e, s, true);
        by = sw_jit_widen(e, by, use->is_signed);
    }
    if (ins->op == SW_OP_SHL) /* `number` is the power of two */
        by = LLVMConstInt(type, (uint64_t)use->number, 0);
    r.base = LLVMBuildMul(B, base, by, "");
    if (shape->v)
        r.s = s ? LLVMBuildMul(B, s, by, "") : by;
    return r;
}

static sw_jit_value
narrowed(sw_jit_emit *e, const sw_jit_value *a, const sw_shape *shape)
{
    sw_jit_value r = {.shape = *shape, .cls = SW_CLASS_B32};
    r.base = LLVMBuildTrunc(B, a->base, e->i32, "");
    if (a->shape.kind == SW_SHAPE_WIDE) {
        LLVMValueRef k = sw_jit_i32(e, (uint32_t)a->shape.scale);
        r.base = LLVMBuildAdd(B, r.base, LLVMBuildMul(B, a->narrow, k, ""), "");
        if (shape->v)
            r.s = LLVMBuildMul(B, a->s, k, "");
    } else if (shape->v) {
        r.s = LLVMBuildTrunc(B, a->s, e->i32, "");
    }
    return r;
}

sw_jit_value
sw_jit_apply_rule(sw_jit_emit *e, const sw_ins *ins, const sw_rule_use *use,
                  const sw_shape *shape)
{
    if (use->rule == SW_RULE_MUL)
        return product(e, ins, use, shape);
    if (use->rule == SW_RULE_MAD) {
        sw_jit_value p = product(e, ins, use, &use->product);
        sw_jit_value c = sw_jit_read_exact(e, ins, 2);
        return sum(e, &p, &c, 1, shape);
    }
    sw_jit_value a = sw_jit_read_exact(e, ins, 0), r = a;
    r.shape = *shape;
    switch (use->rule) {
    case SW_RULE_ADD:
    case SW_RULE_SUB: {
        sw_jit_value b = sw_jit_read_exact(e, ins, 1);
        return sum(e, &a, &b, use->rule == SW_RULE_ADD ? 1 : -1, shape);
    }
    case SW_RULE_MASK:
        r.base = LLVMConstInt(LLVMTypeOf(a.base), 0, 0);
        return r;
    case SW_RULE_SHR: {
        bool is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
        LLVMValueRef by =
            LLVMConstInt(LLVMTypeOf(a.base), (uint64_t)use->number, 0);
        r.base =
            LLVMBuildBinOp(B, is_signed ? LLVMAShr : LLVMLShr, a.base, by, "");
        return r;
    }
    case SW_RULE_WIDEN:
        r.cls = SW_CLASS_B64;
        if (shape->kind == SW_SHAPE_WIDE) {
            r.narrow = a.base;
            r.base = sw_jit_i64(e, 0);
        } else {
            r.base = sw_jit_widen(e, a.base, true);
            r.s = shape->v ? sw_jit_widen(e, a.s, true) : NULL;
        }
        return r;
    case SW_RULE_NARROW:
        return narrowed(e, &a, shape);
    default:
        return r;
    }
}
