/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_texture.c - tex by a handle that all lanes share: coordinates go to a
 * function of the runtime in rows of lanes, and come back as channels. What it
 * does not do (cubes, mipmaps, addresses that may fault) goes through the
 * interpreter's function.
 */
#include "jit/emit.h"
#include "jit/emit_access.h"

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

static void
store_row(sw_jit_emit *e, unsigned src, unsigned row)
{
    sw_jit_value v = sw_jit_read_exact(e, e->ins, src);
    LLVMValueRef lanes = LLVMBuildBitCast(B, sw_jit_lanes(e, &v),
                                          LLVMVectorType(e->i32, e->lanes), "");
    LLVMBuildStore(B, lanes, row_at(e, row));
}

static LLVMValueRef
call_helper(sw_jit_emit *e, uint32_t site, LLVMValueRef texture,
            unsigned handles)
{
    LLVMValueRef sampler =
        handles > 1 ? sw_jit_read(e, e->ins, 1).base : texture;
    LLVMValueRef args[5] = {
        sw_jit_i64(e, (uint64_t)site << 32 | e->ins_index), texture, sampler,
        sw_jit_mask_memory(e, sw_jit_mask_bits(e, e->mask)), e->fetch_rows};
    return sw_jit_call(e, SW_JIT_FETCH, e->i32, args, 5);
}

/* By the site's plan, if it has the texture's. */
static LLVMValueRef
call_plan(sw_jit_emit *e, LLVMValueRef plan)
{
    LLVMTypeRef types[4] = {e->ptr, e->ptr, e->i32, e->ptr};
    LLVMValueRef args[4] = {plan, e->fetch_rows, sw_jit_i32(e, e->lanes),
                            LLVMConstNull(e->ptr)};
    LLVMValueRef fn = LLVMBuildLoad2(B, e->ptr, plan, "");
    return LLVMBuildCall2(B, LLVMFunctionType(e->i32, types, 4, 0), fn, args, 4,
                          "");
}

static void
store_rows(sw_jit_emit *e, unsigned handles)
{
    const sw_ins *ins = e->ins;
    bool has_layer = ins->geom == SW_GEOM_A1D || ins->geom == SW_GEOM_A2D;
    if (has_layer)
        store_row(e, handles, SW_JIT_FETCH_LAYER);
    for (unsigned i = has_layer; i < row_count(ins); i++)
        store_row(e, handles + i, SW_JIT_FETCH_RESULTS + i - has_layer);
}

/* i32, not 0: it is done. A sampler of its own may be another each time. */
static LLVMValueRef
fetch(sw_jit_emit *e, unsigned handles)
{
    LLVMValueRef texture = sw_jit_read(e, e->ins, 0).base, done[2];
    uint32_t site = sw_jit_new_site(e, 0);
    store_rows(e, handles);
    if (handles > 1)
        return call_helper(e, site, texture, handles);
    LLVMBasicBlockRef planned = sw_jit_block(e, "planned");
    LLVMBasicBlockRef helped = sw_jit_block(e, "helped");
    LLVMBasicBlockRef both = sw_jit_block(e, "fetched");
    LLVMValueRef is_known = LLVMBuildICmp(
        B, LLVMIntEQ, sw_jit_window_part(e, site, offsetof(sw_jit_window, lo)),
        texture, "");
    LLVMValueRef plan =
        sw_jit_window_part(e, site, offsetof(sw_jit_window, limit));
    LLVMValueRef is_there =
        LLVMBuildICmp(B, LLVMIntNE, plan, sw_jit_i64(e, 0), "");
    sw_jit_likely(e,
                  LLVMBuildCondBr(B, LLVMBuildAnd(B, is_known, is_there, ""),
                                  planned, helped),
                  true);
    LLVMPositionBuilderAtEnd(B, helped);
    done[1] = call_helper(e, site, texture, handles);
    helped = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, both);
    LLVMPositionBuilderAtEnd(B, planned);
    done[0] = call_plan(e, LLVMBuildIntToPtr(B, plan, e->ptr, ""));
    LLVMBuildBr(B, both);
    LLVMPositionBuilderAtEnd(B, both);
    LLVMValueRef r = LLVMBuildPhi(B, e->i32, "");
    LLVMAddIncoming(r, done, (LLVMBasicBlockRef[2]){planned, helped}, 2);
    return r;
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
    LLVMValueRef fetched =
        LLVMBuildICmp(B, LLVMIntNE, fetch(e, handles), sw_jit_i32(e, 0), "");
    sw_jit_likely(e, LLVMBuildCondBr(B, fetched, fast, slow), true);
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
