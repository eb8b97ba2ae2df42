/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - the slots of registers, and what is read from them, in the shapes
 * that opt/shape found.
 */
#include <string.h>

#include "base/llvm_versions.h"
#include "jit/emit/registers.h"

#define B e->ll.builder

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
    sw_jit_slot *slot = &e->f.slots[reg];
    const sw_shape *shape = &e->shapes->regs[reg];
    if (slot->base)
        return slot;
    LLVMTypeRef type = sw_jit_class_type(e, e->plan->fn->regs[reg].cls);
    if (shape->kind == SW_SHAPE_VARYING)
        type = LLVMVectorType(type, e->lanes);
    slot->base = first_slot(e, reg, type);
    if (shape->kind == SW_SHAPE_EXTENDED)
        slot->narrow = first_slot(e, reg, e->t.i32);
    if (shape->kind != SW_SHAPE_VARYING && shape->v)
        slot->s = first_slot(
            e, reg, shape->kind == SW_SHAPE_EXTENDED ? e->t.i32 : type);
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
        v.narrow = LLVMBuildLoad2(B, e->t.i32, slot->narrow, "");
    if (slot->s)
        v.s = LLVMBuildLoad2(
            B, v.shape.kind == SW_SHAPE_EXTENDED ? e->t.i32 : type, slot->s,
            "");
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
    uintptr_t known = (uintptr_t)sw_map_get(e->k.sym_index, key);
    if (!known) {
        *(sw_sym **)sw_vec_push(&e->k.syms) = def ? def : sym;
        known = e->k.syms.count;
        sw_map_set(e->k.sym_index, key, (void *)known);
    }
    LLVMValueRef table =
        sw_jit_field(e, offsetof(sw_jit_ctx, syms), e->t.ptr, true);
    LLVMValueRef load = LLVMBuildLoad2(
        B, e->t.i64, sw_jit_at(e, table, sw_jit_i64(e, 8 * (known - 1))), "");
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
    case SW_SHAPE_EXTENDED: {
        LLVMValueRef n = affine_lanes(e, &v->shape, v->narrow, v->s);
        LLVMTypeRef wide = LLVMVectorType(e->t.i64, e->lanes);
        n = v->shape.is_signed ? LLVMBuildSExt(B, n, wide, "")
                               : LLVMBuildZExt(B, n, wide, "");
        n = LLVMBuildMul(
            B, n,
            sw_jit_splat(e, sw_jit_i64(e, (uint64_t)v->shape.scale), e->lanes),
            "");
        if (v->shape.d)
            n = LLVMBuildAdd(B, n, shape_lanes(e, v->shape.d, e->t.i64), "");
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
