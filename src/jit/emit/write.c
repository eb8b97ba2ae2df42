/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - results of instructions become what their registers hold, in the
 * shape that the plan gives the register.
 */
#include "jit/emit/registers.h"

#define B e->ll.builder

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
    if (e->plan->hides_loads && cls == SW_CLASS_B32 &&
        e->at.ins->op == SW_OP_LD)
        v.base = sw_jit_alu_hide(&e->ll, v.base);
    e->f.tested[reg].block = 0;
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
        sw_jit_keep_frame_slot(e, reg);
        return;
    }
    LLVMValueRef lanes = fit(e, sw_jit_lanes(e, &v), cls, e->lanes);
    bool waits =
        !e->b.is_twin && sw_shapes_blends(e->shapes, e->b.block, reg, shape);
    if (!e->mask.is_full && (e->mask.is_guarded || waits)) {
        LLVMValueRef old = LLVMBuildLoad2(B, LLVMTypeOf(lanes), slot->base, "");
        lanes = LLVMBuildSelect(B, e->mask.lanes, lanes, old, "");
    }
    LLVMBuildStore(B, lanes, slot->base);
    sw_jit_keep_frame_slot(e, reg);
}

void
sw_jit_write_either(sw_jit_emit *e, LLVMBasicBlockRef join,
                    LLVMBasicBlockRef from, LLVMValueRef one,
                    LLVMValueRef other)
{
    sw_reg reg = e->at.ins->opnd[0].reg;
    LLVMBasicBlockRef ways[2] = {from, LLVMGetInsertBlock(B)};
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(one), "");
    LLVMValueRef values[2] = {one, other};
    LLVMAddIncoming(phi, values, ways, 2);
    sw_jit_value v = sw_jit_varying(e->plan->fn->regs[reg].cls, phi);
    sw_jit_write(e, reg, &v, 0);
}

static LLVMValueRef
plus(sw_jit_emit *e, LLVMValueRef a, LLVMValueRef b, int sign)
{
    if (!a)
        return sign < 0 ? LLVMBuildNeg(B, b, "") : b;
    if (!b)
        return a;
    return sign < 0 ? LLVMBuildSub(B, a, b, "") : LLVMBuildAdd(B, a, b, "");
}

static sw_jit_value
sum(sw_jit_emit *e, const sw_jit_value *a, const sw_jit_value *b, int sign,
    const sw_shape *shape)
{
    sw_jit_value r = {.shape = *shape, .cls = a->cls};
    r.base = plus(e, a->base, b->base, sign);
    if (shape->kind == SW_SHAPE_EXTENDED) {
        const sw_jit_value *wide = a->shape.kind == SW_SHAPE_EXTENDED ? a : b;
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
    if (shape->kind == SW_SHAPE_EXTENDED) {
        LLVMValueRef k = sw_jit_i64(e, (uint64_t)use->number);
        if (x.shape.kind == SW_SHAPE_EXTENDED) {
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
    r.base = LLVMBuildTrunc(B, a->base, e->t.i32, "");
    if (a->shape.kind == SW_SHAPE_EXTENDED) {
        LLVMValueRef k = sw_jit_i32(e, (uint32_t)a->shape.scale);
        r.base = LLVMBuildAdd(B, r.base, LLVMBuildMul(B, a->narrow, k, ""), "");
        if (shape->v)
            r.s = LLVMBuildMul(B, a->s, k, "");
    } else if (shape->v) {
        r.s = LLVMBuildTrunc(B, a->s, e->t.i32, "");
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
        if (shape->kind == SW_SHAPE_EXTENDED) {
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
