/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.c - what loads and stores share: the description of an access, which
 * of its elements lie side by side, and how an element in memory differs from
 * one in a register.
 */
#include <string.h>

#include "jit/emit/access.h"

#define B e->ll.builder

enum { WORD = 4 };

LLVMTypeRef
sw_jit_elem_type(const sw_jit_emit *e, const sw_jit_access *a)
{
    return LLVMIntTypeInContext(e->ll.context, a->elem * 8);
}

void
sw_jit_open_access(sw_jit_emit *e, sw_jit_access *a)
{
    const sw_ins *ins = e->at.ins;
    bool is_own = ins->space == SW_SPACE_LOCAL || ins->space == SW_SPACE_PARAM;
    *a = (sw_jit_access){.ins = ins};
    a->elem = (sw_type_bits((sw_type)ins->type) + 7) / 8;
    a->vec = ins->vec;
    a->pack = 1;
    a->unit = a->extent = a->elem * a->vec;
    if (a->elem < WORD && a->unit >= WORD && !is_own) {
        a->pack = WORD / a->elem;
        a->elem = WORD;
        a->vec = a->unit / WORD;
    }
    a->align = a->elem;
    a->offset = ins->offset;
    a->shift = (unsigned)__builtin_ctz(a->unit);
    a->turn = ins->op == SW_OP_ST && !is_own ? sw_store_turn(a->unit) : 0;
    a->is_shared = ins->space == SW_SPACE_SHARED;
    a->is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    a->is_volatile = sw_jit_is_ordered(e->plan, ins);
    a->address = sw_jit_read_exact(e, ins, 0);
}

void
sw_jit_move_window(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!a->has_site)
        return;
    LLVMValueRef lane = sw_jit_first_of(e, sw_jit_mask_bits(e, e->mask.lanes));
    LLVMValueRef at = LLVMBuildExtractElement(B, a->lane_offset, lane, "");
    if (a->base) {
        LLVMTypeRef step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
        at = LLVMBuildGEP2(B, step, a->base, &at, 1, "");
        at = LLVMBuildPtrToInt(B, at, e->t.i64, "");
    }
    LLVMValueRef args[2] = {sw_jit_i32(e, a->site), at};
    sw_jit_call(e, SW_JIT_WINDOW, e->t.i32, args, 2);
}

bool
sw_jit_is_run(const sw_jit_emit *e, const sw_jit_access *a,
              const sw_jit_group *g, int *lanes)
{
    int n = 0;
    for (unsigned i = 0; i < e->lanes; i++)
        if (sw_jit_has_lane(&g->lanes, i)) {
            if (g->at[i] != (int64_t)n * a->unit)
                return false;
            lanes[n++] = (int)i;
        }
    return n * (int)a->vec <= SW_JIT_ELEMENTS &&
           n * (int)a->unit <= SW_JIT_BYTES;
}

bool
sw_jit_has_gathers(const sw_jit_emit *e, const sw_jit_access *a)
{
    return e->ll.has_avx512 && a->elem >= 4 && !a->is_volatile;
}

/* Loads and stores that touch some elements only. */
bool
sw_jit_has_masks(const sw_jit_emit *e, const sw_jit_access *a)
{
    return e->ll.has_avx512 ||
           (e->k.has_avx2 && (a->elem == 4 || a->elem == 8));
}

LLVMValueRef
sw_jit_extend(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
              sw_class cls, unsigned lanes)
{
    LLVMTypeRef to = sw_jit_lanes_of(sw_jit_class_type(e, cls), lanes);
    if (LLVMTypeOf(x) == to)
        return x;
    return LLVMBuildIntCast2(B, x, to, a->is_signed, "");
}

LLVMValueRef
sw_jit_mask_of_run(sw_jit_emit *e, const sw_jit_access *a, const int *lanes,
                   unsigned total)
{
    int from[SW_JIT_ELEMENTS];
    if (total == e->lanes && a->group_count == 1 && a->vec == 1)
        return e->mask.lanes;
    for (unsigned j = 0; j < total; j++)
        from[j] = lanes[j / a->vec];
    return sw_jit_shuffle(e, e->mask.lanes, from, total);
}

bool
sw_jit_can_mask(const sw_jit_emit *e, const sw_jit_access *a)
{
    return a->is_shared || sw_jit_has_masks(e, a);
}

bool
sw_jit_may_be_a_row(const sw_jit_emit *e, const sw_jit_access *a)
{
    return !a->is_apart && a->vec == 1 && a->ins->space != SW_SPACE_LOCAL &&
           a->unit % a->scale == 0 &&
           (e->mask.is_full || sw_jit_can_mask(e, a));
}

LLVMValueRef
sw_jit_unpack(sw_jit_emit *e, LLVMValueRef word, unsigned byte, unsigned bytes,
              unsigned lanes)
{
    LLVMTypeRef type = LLVMIntTypeInContext(e->ll.context, 8 * bytes);
    LLVMValueRef by = sw_jit_splat(e, sw_jit_i32(e, 8 * byte), lanes);
    word = LLVMBuildLShr(B, word, by, "");
    return LLVMBuildTrunc(B, word, sw_jit_lanes_of(type, lanes), "");
}

void
sw_jit_write_element(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                     LLVMValueRef x)
{
    const sw_opnd *d = &a->ins->opnd[k];
    if (d->kind != SW_OPND_REG)
        return;
    sw_class cls = e->plan->fn->regs[d->reg].cls;
    sw_jit_value v = sw_jit_varying(cls, sw_jit_extend(e, a, x, cls, e->lanes));
    sw_jit_write(e, d->reg, &v, 0);
}

void
sw_jit_write_loaded(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                    LLVMValueRef x)
{
    unsigned bytes = a->elem / a->pack;
    for (unsigned i = 0; i < a->pack; i++)
        sw_jit_write_element(
            e, a, k * a->pack + i,
            a->pack == 1 ? x : sw_jit_unpack(e, x, i * bytes, bytes, e->lanes));
}

LLVMValueRef
sw_jit_row_of(const sw_jit_emit *e, const sw_jit_rows *rows, LLVMValueRef lanes,
              unsigned row)
{
    int from[SW_LANES_MAX];
    if (rows->count == 1)
        return lanes;
    for (unsigned i = 0; i < rows->lanes; i++)
        from[i] = (int)(row * rows->lanes + i);
    return sw_jit_shuffle(e, lanes, from, rows->lanes);
}

LLVMValueRef
sw_jit_params(sw_jit_emit *e)
{
    return e->f.params
               ? e->f.params
               : sw_jit_block_field(e, offsetof(sw_jit_blk, params), e->t.ptr);
}

/* Part i of packed elements, together with those before it. */
LLVMValueRef
sw_jit_put_in(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef before,
              LLVMValueRef x, unsigned i, unsigned lanes)
{
    unsigned bits = 8 * a->elem / a->pack;
    if (a->pack == 1)
        return x;
    LLVMValueRef ones = sw_jit_i32(e, (1u << bits) - 1);
    LLVMValueRef by = sw_jit_i32(e, i * bits);
    x = LLVMBuildAnd(B, x, sw_jit_splat(e, ones, lanes), "");
    x = LLVMBuildShl(B, x, sw_jit_splat(e, by, lanes), "");
    return before ? LLVMBuildOr(B, before, x, "") : x;
}

LLVMValueRef
sw_jit_stored(sw_jit_emit *e, const sw_jit_access *a, unsigned k)
{
    if (a->stored)
        return a->stored;
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), e->lanes);
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < a->pack; i++) {
        sw_jit_value v = sw_jit_read_exact(e, a->ins, 1 + k * a->pack + i);
        LLVMValueRef x = sw_jit_lanes(e, &v);
        if (LLVMTypeOf(x) != type)
            x = LLVMBuildIntCast2(B, x, type, 0, "");
        all = sw_jit_put_in(e, a, all, x, i, e->lanes);
    }
    return all;
}

void
sw_jit_store_by_mask(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef pointer,
                     unsigned align, LLVMValueRef mask)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(x), e->t.ptr};
    LLVMValueRef args[4] = {x, pointer, sw_jit_i32(e, align), mask};
    sw_jit_intrinsic(e, "llvm.masked.store", types, 2, args, 4);
}
