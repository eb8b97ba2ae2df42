/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_texture.c - tex by a handle that all lanes share: coordinates go to a
 * function of the runtime in rows of lanes, and come back as channels. What it
 * does not do (cubes, mipmaps, addresses that may fault) goes through the
 * interpreter's function.
 */
#include "jit/emit.h"

#define B e->ll.builder

/* Layer and coordinates; 0: a geometry that is not fetched so. */
static unsigned
row_count(const sw_ins *ins)
{
    switch (ins->geom) {
    case SW_GEOM_1D:
        return 1;
    case SW_GEOM_2D:
    case SW_GEOM_A1D:
        return 2;
    case SW_GEOM_3D:
    case SW_GEOM_A2D:
        return 3;
    default:
        return 0;
    }
}

static bool
is_common(sw_jit_emit *e, unsigned handles)
{
    const sw_ins *ins = e->ins;
    unsigned rows = row_count(ins);
    if (ins->type == SW_T_F16 || !rows || ins->ndst > SW_JIT_FETCH_RESULTS ||
        ins->nsrc < handles + rows)
        return false;
    for (unsigned k = 0; k < ins->ndst; k++)
        if (ins->opnd[k].kind == SW_OPND_REG &&
            e->fn->regs[ins->opnd[k].reg].cls != SW_CLASS_B32)
            return false;
    for (unsigned i = 0; i < handles + rows; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        sw_class cls = i < handles ? SW_CLASS_B64 : SW_CLASS_B32;
        if (sw_ins_class(e->fn, ins, ins->ndst + i) != cls)
            return false;
        if (i < handles && o->kind == SW_OPND_REG &&
            e->shapes->regs[o->reg].kind != SW_SHAPE_UNIFORM)
            return false;
    }
    return true;
}

static LLVMValueRef
row_at(sw_jit_emit *e, unsigned row)
{
    return sw_jit_at(e, e->fetch_rows,
                     sw_jit_i64(e, (uint64_t)row * e->lanes * 4));
}

static LLVMValueRef
call_fetch(sw_jit_emit *e, unsigned handles)
{
    const sw_ins *ins = e->ins;
    for (unsigned i = 0; i < row_count(ins); i++) {
        sw_jit_value v = sw_jit_read_exact(e, ins, handles + i);
        LLVMValueRef lanes = LLVMBuildBitCast(
            B, sw_jit_lanes(e, &v), LLVMVectorType(e->i32, e->lanes), "");
        LLVMBuildStore(B, lanes, row_at(e, SW_JIT_FETCH_RESULTS + i));
    }
    LLVMValueRef texture = sw_jit_read(e, ins, 0).base;
    LLVMValueRef sampler = handles > 1 ? sw_jit_read(e, ins, 1).base : texture;
    LLVMValueRef args[5] = {sw_jit_i32(e, e->ins_index), texture, sampler,
                            sw_jit_mask_memory(e, sw_jit_mask_bits(e, e->mask)),
                            e->fetch_rows};
    return sw_jit_call(e, SW_JIT_FETCH, e->i32, args, 5);
}

void
sw_jit_emit_tex(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    unsigned handles = ins->imm == 1 ? 2 : 1; /* with a sampler's */
    if (!is_common(e, handles)) {
        sw_jit_emit_step(e);
        return;
    }
    LLVMTypeRef row = LLVMVectorType(e->i32, e->lanes);
    if (!e->fetch_rows)
        e->fetch_rows =
            sw_jit_slot_of(e, LLVMArrayType(row, SW_JIT_FETCH_ROWS));
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    LLVMValueRef fetched = call_fetch(e, handles);
    sw_jit_likely(e,
                  LLVMBuildCondBr(B,
                                  LLVMBuildICmp(B, LLVMIntNE, fetched,
                                                sw_jit_i32(e, 0), ""),
                                  fast, slow),
                  true);
    LLVMPositionBuilderAtEnd(B, slow);
    sw_jit_emit_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    for (unsigned k = 0; k < ins->ndst; k++) {
        if (ins->opnd[k].kind != SW_OPND_REG)
            continue;
        LLVMTypeRef type =
            sw_jit_lanes_of(sw_jit_class_type(e, SW_CLASS_B32), e->lanes);
        sw_jit_value v = sw_jit_varying(
            SW_CLASS_B32, LLVMBuildLoad2(B, type, row_at(e, k), ""));
        sw_jit_write(e, ins->opnd[k].reg, &v, 0);
    }
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
}
