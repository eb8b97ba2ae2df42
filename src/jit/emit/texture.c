/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture.c - tex, suld and sust by a handle that all lanes share:
 * coordinates go to a function of the runtime in rows of lanes, and come back
 * as channels. What it does not do (cubes, mipmaps, addresses that may fault)
 * goes through the interpreter's function.
 */
#include "jit/emit/texture.h"
#include "jit/emit/instruction.h"

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
is_shared_handle(const sw_jit_emit *e, unsigned src)
{
    const sw_opnd *o = sw_ins_src(e->at.ins, src);
    return sw_ins_class(e->plan->fn, e->at.ins, e->at.ins->ndst + src) ==
               SW_CLASS_B64 &&
           (o->kind != SW_OPND_REG ||
            e->shapes->regs[o->reg].kind == SW_SHAPE_UNIFORM);
}

/* Whether what registers and sources hold is the lower part of a row. */
static bool
fits_rows(const sw_jit_emit *e, unsigned from, unsigned end)
{
    const sw_ins *ins = e->at.ins;
    for (unsigned k = 0; k < ins->ndst; k++) {
        if (ins->opnd[k].kind != SW_OPND_REG)
            continue;
        sw_class cls = e->plan->fn->regs[ins->opnd[k].reg].cls;
        if (cls != SW_CLASS_B32 && cls != SW_CLASS_B16)
            return false;
    }
    for (unsigned i = from; i < end; i++) {
        sw_class cls = sw_ins_class(e->plan->fn, ins, ins->ndst + i);
        if (cls != SW_CLASS_B32 && cls != SW_CLASS_B16)
            return false;
    }
    return ins->ndst <= SW_JIT_FETCH_RESULTS;
}

static bool
is_common_tex(const sw_jit_emit *e, unsigned handles)
{
    const sw_ins *ins = e->at.ins;
    unsigned rows = row_count(ins);
    for (unsigned i = 0; i < handles; i++)
        if (!is_shared_handle(e, i))
            return false;
    return ins->type != SW_T_F16 && rows && ins->nsrc >= handles + rows &&
           fits_rows(e, handles, handles + rows);
}

static bool
is_common_surface(const sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    unsigned rows = row_count(ins), stores = ins->op == SW_OP_SUST;
    unsigned vec = stores ? (ins->vec ? ins->vec : 1) : ins->ndst;
    return is_shared_handle(e, 0) && rows && !(ins->flags & SW_F_FORMATTED) &&
           (vec == 1 || vec == 2 || vec == 4) &&
           ins->nsrc == 1 + rows + (stores ? vec : 0) &&
           fits_rows(e, 1, ins->nsrc);
}

/* ---- rows ---- */

static LLVMValueRef
row_at(sw_jit_emit *e, unsigned row)
{
    return sw_jit_at(e, e->f.fetch_rows,
                     sw_jit_i64(e, (uint64_t)row * e->lanes * 4));
}

static void
store_row(sw_jit_emit *e, unsigned src, unsigned row)
{
    sw_jit_value v = sw_jit_read_exact(e, e->at.ins, src);
    LLVMTypeRef words = LLVMVectorType(e->t.i32, e->lanes);
    bool is_half = v.cls == SW_CLASS_B16;
    LLVMValueRef lanes = LLVMBuildBitCast(
        B, sw_jit_lanes(e, &v),
        is_half ? LLVMVectorType(e->t.i16, e->lanes) : words, "");
    if (is_half)
        lanes = LLVMBuildZExt(B, lanes, words, "");
    LLVMBuildStore(B, lanes, row_at(e, row));
}

/* Coordinates, and what is stored. */
static void
store_rows(sw_jit_emit *e, unsigned handles)
{
    const sw_ins *ins = e->at.ins;
    bool has_layer = ins->geom == SW_GEOM_A1D || ins->geom == SW_GEOM_A2D;
    unsigned rows = row_count(ins);
    if (has_layer)
        store_row(e, handles, SW_JIT_FETCH_LAYER);
    for (unsigned i = has_layer; i < rows; i++)
        store_row(e, handles + i, SW_JIT_FETCH_RESULTS + i - has_layer);
    for (unsigned i = handles + rows; ins->op == SW_OP_SUST && i < ins->nsrc;
         i++)
        store_row(e, i, i - handles - rows);
}

static void
write_results(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    for (unsigned k = 0; k < ins->ndst; k++) {
        if (ins->opnd[k].kind != SW_OPND_REG)
            continue;
        sw_class cls = e->plan->fn->regs[ins->opnd[k].reg].cls;
        LLVMTypeRef words = sw_jit_lanes_of(e->t.i32, e->lanes);
        LLVMValueRef row = LLVMBuildLoad2(B, words, row_at(e, k), "");
        if (cls == SW_CLASS_B16)
            row =
                LLVMBuildTrunc(B, row, sw_jit_lanes_of(e->t.i16, e->lanes), "");
        sw_jit_value v = sw_jit_varying(cls, row);
        sw_jit_write(e, ins->opnd[k].reg, &v, 0);
    }
}

/* ---- calls ---- */

typedef struct {
    LLVMValueRef texture, mask; /* mask: its memory, of a surface */
    uint32_t site;
    unsigned handles;
    bool is_surface;
} call;

static LLVMValueRef
mask_memory(sw_jit_emit *e)
{
    return sw_jit_mask_memory(e, sw_jit_mask_bits(e, e->mask.lanes));
}

static LLVMValueRef
call_helper(sw_jit_emit *e, const call *c)
{
    LLVMValueRef at = sw_jit_i64(e, (uint64_t)c->site << 32 | e->at.index);
    LLVMValueRef sampler =
        c->handles > 1 ? sw_jit_read(e, e->at.ins, 1).base : c->texture;
    LLVMValueRef args[5] = {at, c->texture, sampler,
                            c->is_surface ? c->mask : mask_memory(e),
                            e->f.fetch_rows};
    return sw_jit_call(e, SW_JIT_FETCH, e->t.i32, args, 5);
}

static LLVMValueRef
call_plan(sw_jit_emit *e, const call *c, LLVMValueRef plan)
{
    LLVMTypeRef types[4] = {e->t.ptr, e->t.ptr, e->t.i32, e->t.ptr};
    LLVMValueRef args[4] = {plan, e->f.fetch_rows, sw_jit_i32(e, e->lanes),
                            c->is_surface ? c->mask : LLVMConstNull(e->t.ptr)};
    if (e->ll.flushes)
        return sw_jit_call(e, SW_JIT_BY_PLAN, e->t.i32, args, 4);
    LLVMValueRef fn = LLVMBuildLoad2(B, e->t.ptr, plan, "");
    return LLVMBuildCall2(B, LLVMFunctionType(e->t.i32, types, 4, 0), fn, args,
                          4, "");
}

/* By the site's plan, if it has the texture's. i32, not 0: it is done. */
static LLVMValueRef
call_either(sw_jit_emit *e, const call *c)
{
    LLVMBasicBlockRef planned = sw_jit_block(e, "planned");
    LLVMBasicBlockRef helped = sw_jit_block(e, "helped");
    LLVMBasicBlockRef both = sw_jit_block(e, "fetched");
    LLVMValueRef done[2];
    LLVMValueRef plan;
    LLVMValueRef is_known = sw_jit_has_plan(e, c->site, c->texture, &plan);
    sw_jit_likely(e, LLVMBuildCondBr(B, is_known, planned, helped), true);
    LLVMPositionBuilderAtEnd(B, helped);
    done[1] = call_helper(e, c);
    helped = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, both);
    LLVMPositionBuilderAtEnd(B, planned);
    done[0] = call_plan(e, c, LLVMBuildIntToPtr(B, plan, e->t.ptr, ""));
    LLVMBuildBr(B, both);
    LLVMPositionBuilderAtEnd(B, both);
    LLVMValueRef r = LLVMBuildPhi(B, e->t.i32, "");
    LLVMAddIncoming(r, done, (LLVMBasicBlockRef[2]){planned, helped}, 2);
    return r;
}

static void
emit(sw_jit_emit *e, unsigned handles, bool is_surface)
{
    LLVMTypeRef row = LLVMVectorType(e->t.i32, e->lanes);
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    call c = {.texture = sw_jit_read(e, e->at.ins, 0).base,
              .handles = handles,
              .is_surface = is_surface};
    if (!e->f.fetch_rows)
        e->f.fetch_rows =
            sw_jit_slot_of(e, LLVMArrayType(row, SW_JIT_FETCH_ROWS));
    if (is_surface || handles > 1 || !sw_jit_fetch_in_place(e, &c.site, done))
        c.site = sw_jit_new_site(e, 0);
    store_rows(e, handles);
    if (is_surface)
        c.mask = mask_memory(e);
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    /* A sampler of its own may be another each time. */
    LLVMValueRef r = handles > 1 ? call_helper(e, &c) : call_either(e, &c);
    LLVMValueRef is_done = LLVMBuildICmp(B, LLVMIntNE, r, sw_jit_i32(e, 0), "");
    sw_jit_likely(e, LLVMBuildCondBr(B, is_done, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    write_results(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
}

void
sw_jit_emit_tex(sw_jit_emit *e)
{
    unsigned handles = e->at.ins->imm == 1 ? 2 : 1; /* with a sampler's */
    if (is_common_tex(e, handles))
        emit(e, handles, false);
    else
        sw_jit_emit_step(e);
}

void
sw_jit_emit_surface(sw_jit_emit *e)
{
    if (is_common_surface(e))
        emit(e, 1, true);
    else
        sw_jit_emit_step(e);
}
