/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarrier.c - arrivals at barrier objects (mbarrier) and looks at them, where
 * all lanes have one. It lies in shared memory, so no other thread of the host
 * changes it. A phase is completed by the interpreter's function, as is what
 * fails a test.
 */
#include "jit/emit/atomic.h"
#include "jit/emit/instruction.h"
#include "sem/mbar.h"

#define B e->ll.builder

enum { ADDRESS, OPERAND };

static bool
suits(const sw_jit_emit *e, const sw_ins *ins)
{
    const sw_opnd *dst = ins->ndst ? &ins->opnd[0] : NULL;
    if (e->k.counters || ins->space != SW_SPACE_SHARED ||
        sw_shapes_source(e->shapes, ins, ADDRESS).kind != SW_SHAPE_UNIFORM)
        return false;
    if (dst && dst->kind == SW_OPND_REG &&
        e->shapes->regs[dst->reg].kind != SW_SHAPE_VARYING)
        return false;
    if (ins->op == SW_OP_MBAR_ARRIVE)
        return ins->sub == SW_MBAR_PLAIN && ins->nsrc == 1 && !ins->imm;
    return ins->op == SW_OP_MBAR_TEST && ins->nsrc == 2 && dst &&
           dst->kind == SW_OPND_REG;
}

static LLVMValueRef
load_object(sw_jit_emit *e, const sw_jit_atomic *a)
{
    LLVMValueRef object = LLVMBuildLoad2(B, e->t.i64, a->one, "");
    LLVMSetVolatile(object, true);
    return object;
}

/* One of its fields: of a number, or by lane. */
static LLVMValueRef
field(sw_jit_emit *e, LLVMValueRef object, unsigned bit, uint64_t mask,
      unsigned lanes)
{
    LLVMTypeRef type = LLVMTypeOf(object);
    if (lanes > 1)
        type = LLVMGetElementType(type);
    LLVMValueRef by = sw_jit_splat(e, LLVMConstInt(type, bit, 0), lanes);
    LLVMValueRef of = sw_jit_splat(e, LLVMConstInt(type, mask, 0), lanes);
    return LLVMBuildAnd(B, LLVMBuildLShr(B, object, by, ""), of, "");
}

/* i1: the phase goes on when all lanes that run have arrived. */
static LLVMValueRef
are_too_few(sw_jit_emit *e, const sw_jit_atomic *a)
{
    LLVMValueRef pending =
        field(e, load_object(e, a), SEM_MBAR_COUNT_BITS, SEM_MBAR_COUNT, 1);
    LLVMValueRef n = sw_jit_i64(e, e->lanes);
    if (!e->mask.is_full) {
        LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
        n = sw_jit_intrinsic(e, "llvm.ctpop", &e->t.bits, 1, &bits, 1);
        n = LLVMBuildIntCast2(B, n, e->t.i64, 0, "");
    }
    return LLVMBuildICmp(B, LLVMIntUGT, pending, n, "");
}

/* By lane, i1: the phase that it asks for is over. */
static LLVMValueRef
is_over(sw_jit_emit *e, const sw_jit_atomic *a, const sw_jit_value *asked)
{
    bool is_parity = a->ins->sub == 1;
    bool is_one = asked->shape.kind == SW_SHAPE_UNIFORM;
    unsigned lanes = is_one ? 1 : e->lanes;
    LLVMValueRef x = is_one ? asked->base : sw_jit_lanes(e, asked);
    x = field(e, x, is_parity ? 0 : SEM_MBAR_PHASE_BIT, 1, lanes);
    if (is_parity)
        x = LLVMBuildZExt(B, x, sw_jit_lanes_of(e->t.i64, lanes), "");
    LLVMValueRef phase = field(e, load_object(e, a), SEM_MBAR_PHASE_BIT, 1, 1);
    LLVMValueRef is =
        LLVMBuildICmp(B, LLVMIntNE, x, sw_jit_splat(e, phase, lanes), "");
    return is_one ? sw_jit_splat(e, is, e->lanes) : is;
}

/* `add`: the addition to an object by which a lane arrives. */
static void
make_addition(const sw_ins *ins, sw_ins *add, sw_opnd opnd[3])
{
    *add = (sw_ins){.op = SW_OP_ATOM,
                    .sub = SW_ATOM_ADD,
                    .type = SW_T_U64,
                    .space = SW_SPACE_SHARED,
                    .offset = ins->offset,
                    .ndst = 1,
                    .nsrc = 2,
                    .opnd = opnd};
    opnd[0] = ins->ndst ? ins->opnd[0] : (sw_opnd){0};
    opnd[1] = *sw_ins_src(ins, ADDRESS);
    opnd[2] = (sw_opnd){.kind = SW_OPND_IMM,
                        .imm = (uint64_t)0 - (1 << SEM_MBAR_COUNT_BITS)};
}

bool
sw_jit_emit_mbar(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    if (!suits(e, ins))
        return false;
    bool arrives = ins->op == SW_OP_MBAR_ARRIVE;
    sw_ins add;
    sw_opnd opnd[3];
    make_addition(ins, &add, opnd);
    sw_jit_value asked = {0};
    if (!arrives)
        asked = sw_jit_read_exact(e, ins, OPERAND);
    sw_jit_atomic a = {.ins = arrives ? &add : ins,
                       .bytes = sizeof(uint64_t),
                       .shift = 3,
                       .type = e->t.i64,
                       .is_shared = true,
                       .is_combined = true,
                       .has_result = opnd[0].kind == SW_OPND_REG &&
                                     sw_jit_is_read_later(e, opnd[0].reg)};
    sw_jit_atomic_find_place(e, &a);
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    sw_jit_likely(e, LLVMBuildCondBr(B, a.ok, look, slow), true);
    LLVMPositionBuilderAtEnd(B, look);
    if (arrives)
        LLVMBuildCondBr(B, are_too_few(e, &a), fast, slow);
    else
        LLVMBuildBr(B, fast);
    LLVMPositionBuilderAtEnd(B, slow);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    sw_jit_value v = {0};
    if (arrives) {
        a.b = sw_jit_read_exact(e, a.ins, OPERAND);
        LLVMValueRef old = sw_jit_atomic_change_at(e, &a, a.one);
        if (a.has_result)
            v = sw_jit_varying(SW_CLASS_B64, old);
    } else {
        v = sw_jit_varying(SW_CLASS_PRED, is_over(e, &a, &asked));
    }
    if (a.has_result || !arrives)
        sw_jit_write(e, ins->opnd[0].reg, &v, 0);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    return true;
}
