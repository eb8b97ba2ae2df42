/* SPDX-License-Identifier: Apache-2.0 */
/*
 * called.c - functions that compiled code calls, those that call
 * themselves above all: each is one LLVM function, in a module of its own,
 * which lanes of a warp run together until the last one has returned.
 *
 * It has a context of its own (abi.h), where arguments and results are handed
 * over, a row of all lanes each. What differs from one activation to the next
 * lies on the stack: the frame slots of its registers, the masks of lanes that
 * wait. Before each call of the runtime the context has to tell of this
 * activation, so that is said when it begins and once more when another one,
 * which may be of the same function, has ended.
 *
 * A warp that leaves for the interpreter does so from the innermost activation
 * to the outermost: each says what its registers are and returns, and the
 * runtime puts the frames together (run/called.c).
 */
#include "jit/emit/instruction.h"

#define B e->ll.builder

enum { ALIGN = 64 };

static LLVMValueRef
in_context(sw_jit_emit *e, LLVMValueRef ctx, size_t offset)
{
    return sw_jit_at(e, ctx, sw_jit_i64(e, offset));
}

/* ---- the function ---- */

/* Bytes of the frame slots of all its registers. */
static uint64_t
frame_bytes(const sw_jit_emit *e)
{
    uint64_t end = 0;
    for (sw_reg r = 1; r < e->plan->fn->reg_count; r++) {
        sw_class cls = e->plan->fn->regs[r].cls;
        uint64_t bytes =
            cls == SW_CLASS_PRED ? 4 : 32 * (uint64_t)sw_class_bytes(cls);
        if (e->plan->rq->frame_slots[r] + bytes > end)
            end = e->plan->rq->frame_slots[r] + bytes;
    }
    return (end + ALIGN - 1) / ALIGN * ALIGN;
}

static LLVMValueRef
room(sw_jit_emit *e, uint64_t bytes)
{
    LLVMTypeRef type = LLVMArrayType2(e->t.i8, bytes + ALIGN);
    LLVMValueRef slot = sw_jit_slot_of(e, type);
    LLVMSetAlignment(slot, ALIGN);
    return slot;
}

/* What the runtime is to know of this activation. */
static void
tell_of_activation(sw_jit_emit *e)
{
    LLVMValueRef ctx = sw_jit_ctx_of(e);
    LLVMBuildStore(B, e->f.frame_slots,
                   in_context(e, ctx, offsetof(sw_jit_ctx, frames)));
    LLVMBuildStore(B, e->f.own_pending,
                   in_context(e, ctx, offsetof(sw_jit_ctx, pending)));
    LLVMBuildStore(B, e->f.frame_at,
                   in_context(e, ctx, offsetof(sw_jit_ctx, frame_at)));
}

void
sw_jit_called_begin(sw_jit_emit *e)
{
    e->f.frame_slots = room(e, frame_bytes(e));
    e->f.own_pending = room(e, sw_jit_pending_bytes(e));
    e->f.frame_at =
        sw_jit_field(e, offsetof(sw_jit_ctx, frame_at), e->t.i64, false);
    tell_of_activation(e);
}

static LLVMTypeRef
row_type(const sw_jit_emit *e, sw_class cls)
{
    return LLVMVectorType(sw_jit_class_type(e, cls), e->lanes);
}

/* All lanes of an argument or result. */
static LLVMValueRef
load_row(sw_jit_emit *e, LLVMValueRef rows, size_t number, sw_class cls)
{
    LLVMValueRef x =
        LLVMBuildLoad2(B, row_type(e, cls),
                       in_context(e, rows, SW_JIT_ARGUMENT_BYTES * number), "");
    sw_jit_set_align(x, ALIGN);
    return x;
}

void
sw_jit_called_take(sw_jit_emit *e)
{
    const sw_fn *fn = e->plan->fn;
    LLVMValueRef rows =
        sw_jit_field(e, offsetof(sw_jit_ctx, rows), e->t.ptr, true);
    for (uint32_t i = 0; i < fn->param_count; i++) {
        sw_reg reg = fn->params[i].reg;
        LLVMValueRef x = load_row(e, rows, i, fn->regs[reg].cls);
        LLVMBuildStore(B, x, sw_jit_reg_slot(e, reg)->base);
        sw_jit_keep_frame_slot(e, reg);
    }
}

/* All lanes of a register or constant, floats as they are exactly. */
static LLVMValueRef
lanes_of(sw_jit_emit *e, const sw_opnd *o, sw_class cls)
{
    if (o->kind != SW_OPND_REG)
        return sw_jit_splat(
            e, LLVMConstInt(sw_jit_class_type(e, cls), o->imm, 0), e->lanes);
    sw_jit_value v = sw_jit_read_reg(e, o->reg);
    uint8_t raw = e->plan->raw[o->reg];
    unsigned lanes = v.shape.kind == SW_SHAPE_VARYING ? e->lanes : 1;
    if (raw)
        v.base = sw_jit_alu_exact(&e->ll, (sw_type)raw, lanes, v.base);
    return sw_jit_lanes(e, &v);
}

/* Others, which have returned, keep what they have. */
void
sw_jit_called_return(sw_jit_emit *e)
{
    const sw_fn *fn = e->plan->fn;
    LLVMValueRef rows =
        sw_jit_field(e, offsetof(sw_jit_ctx, rows), e->t.ptr, true);
    for (uint32_t i = 0; i < fn->ret_count; i++) {
        size_t at = SW_JIT_ARGUMENT_BYTES * ((size_t)fn->param_count + i);
        sw_class cls = fn->regs[fn->rets[i].reg].cls;
        LLVMValueRef args[4] = {lanes_of(e, &fn->rets[i], cls),
                                in_context(e, rows, at), sw_jit_i32(e, ALIGN),
                                e->mask.lanes};
        LLVMTypeRef types[2] = {LLVMTypeOf(args[0]), e->t.ptr};
        sw_jit_intrinsic(e, "llvm.masked.store", types, 2, args, 4);
    }
}

/* ---- calls ---- */

/* What is left of the stack, as far as it is known: a kernel is the first on
 * it. */
static LLVMValueRef
has_stack(sw_jit_emit *e)
{
    if (e->plan->fn->is_entry)
        return LLVMConstInt(e->t.i1, 1, 0);
    LLVMValueRef level = sw_jit_i32(e, 0);
    LLVMValueRef at =
        sw_jit_intrinsic(e, "llvm.frameaddress", &e->t.ptr, 1, &level, 1);
    at = LLVMBuildAnd(B, LLVMBuildPtrToInt(B, at, e->t.i64, ""),
                      sw_jit_i64(e, SW_JIT_STACK_BYTES - 1), "");
    return LLVMBuildICmp(B, LLVMIntUGE, at, sw_jit_i64(e, SW_JIT_STACK_LEAST),
                         "");
}

/* Local memory has room for one more activation; or the interpreter says that
 * it has not, and how deep it is. */
static void
test_room(sw_jit_emit *e, const sw_fn *fn, LLVMValueRef at)
{
    LLVMValueRef end =
        LLVMBuildAdd(B, at, sw_jit_i64(e, fn->frame_bytes + SW_CALL_BYTES), "");
    LLVMValueRef stride =
        sw_jit_field(e, offsetof(sw_jit_ctx, local_stride), e->t.i64, true);
    sw_jit_exit_unless(e, LLVMBuildICmp(B, LLVMIntULE, end, stride, ""));
}

/* Where the frame of what is called begins in local memory. */
static LLVMValueRef
frame_behind(sw_jit_emit *e)
{
    if (!e->f.frame_at)
        return sw_jit_i64(e, e->plan->fn->frame_bytes);
    return LLVMBuildAdd(B, e->f.frame_at,
                        sw_jit_i64(e, e->plan->fn->frame_bytes + SW_CALL_BYTES),
                        "");
}

static void
take_results(sw_jit_emit *e, const sw_fn *fn, LLVMValueRef rows)
{
    const sw_call *call = e->at.ins->aux;
    for (uint32_t i = 0; i < call->ret_count; i++) {
        if (call->rets[i].kind != SW_OPND_REG)
            continue;
        sw_class cls = fn->regs[fn->rets[i].reg].cls;
        LLVMValueRef x = load_row(e, rows, (size_t)fn->param_count + i, cls);
        sw_jit_value v = sw_jit_varying(cls, x);
        sw_jit_write(e, call->rets[i].reg, &v, 0);
    }
}

LLVMBasicBlockRef
sw_jit_emit_compiled_call(sw_jit_emit *e)
{
    uint32_t number;
    const sw_call *call = e->at.ins->aux;
    const sw_fn *fn = sw_jit_callee_of(e->plan, e->at.ins, &number);
    if (!fn)
        return NULL;
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMValueRef at = frame_behind(e);
    test_room(e, fn, at);
    LLVMBasicBlockRef compiled = sw_jit_block(e, "compiled");
    LLVMBasicBlockRef step = sw_jit_block(e, "step");
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef table =
        sw_jit_field(e, offsetof(sw_jit_ctx, called), e->t.ptr, true);
    LLVMValueRef ctx = LLVMBuildLoad2(
        B, e->t.ptr, in_context(e, table, sizeof(void *) * number), "");
    sw_jit_mark_constant(e, ctx);
    LLVMValueRef has_code = LLVMBuildIsNotNull(B, ctx, "");
    sw_jit_likely(e,
                  LLVMBuildCondBr(B,
                                  LLVMBuildAnd(B, has_code, has_stack(e), ""),
                                  compiled, step),
                  true);
    LLVMPositionBuilderAtEnd(B, compiled);
    LLVMValueRef rows = LLVMBuildLoad2(
        B, e->t.ptr, in_context(e, ctx, offsetof(sw_jit_ctx, rows)), "");
    for (uint32_t i = 0; i < call->arg_count; i++) {
        LLVMValueRef store = LLVMBuildStore(
            B, lanes_of(e, &call->args[i], fn->regs[fn->params[i].reg].cls),
            in_context(e, rows, SW_JIT_ARGUMENT_BYTES * (size_t)i));
        sw_jit_set_align(store, ALIGN);
    }
    LLVMBuildStore(B, at, in_context(e, ctx, offsetof(sw_jit_ctx, frame_at)));
    LLVMBuildStore(B, sw_jit_i32(e, e->at.index),
                   in_context(e, sw_jit_ctx_of(e), offsetof(sw_jit_ctx, at)));
    LLVMValueRef code = LLVMBuildLoad2(
        B, e->t.ptr, in_context(e, ctx, offsetof(sw_jit_ctx, call)), "");
    LLVMTypeRef types[2] = {e->t.ptr, e->t.i32};
    LLVMValueRef args[2] = {ctx, bits};
    LLVMValueRef left = LLVMBuildCall2(
        B, LLVMFunctionType(e->t.i32, types, 2, 0), code, args, 2, "");
    if (e->f.frame_slots)
        tell_of_activation(e);
    take_results(e, fn, rows);
    sw_jit_exit_if_lanes_ended(
        e, LLVMBuildAnd(B, bits, LLVMBuildNot(B, left, ""), ""), bits);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, step);
    return on;
}
