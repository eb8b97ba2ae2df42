/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_load.c - loads lane by lane: what lies in rows of neighbours is loaded
 * by rows, one place of all lanes by a scalar, the rest by gathers.
 */
#include "jit/emit/access_ways.h"

#define B e->ll.builder

static LLVMValueRef
load_row(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_rows *rows,
         unsigned row)
{
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), rows->lanes);
    if (e->mask.is_full || a->is_shared) {
        LLVMValueRef x = LLVMBuildLoad2(B, type, rows->first[row], "");
        sw_jit_set_align(x, a->elem);
        return x;
    }
    LLVMTypeRef types[2] = {type, e->t.ptr};
    LLVMValueRef args[4] = {rows->first[row], sw_jit_i32(e, a->elem),
                            sw_jit_row_of(e, rows, e->mask.lanes, row),
                            LLVMConstNull(type)};
    return sw_jit_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
}

LLVMValueRef
sw_jit_load_in_rows(sw_jit_emit *e, const sw_jit_access *a,
                    const sw_jit_rows *rows)
{
    LLVMValueRef x[SW_LANES_MAX / SW_JIT_ROW_LEAST];
    if (rows->count == 1)
        sw_jit_counter_row(e, a, rows->first[0]);
    sw_jit_prefetch(e, a, rows->first, &(int64_t){(int64_t)e->lanes * a->unit},
                    1, false);
    for (unsigned i = 0; i < rows->count; i++)
        x[i] = load_row(e, a, rows, i);
    return sw_jit_concatenate_all(e, x, rows->count, rows->lanes);
}

/* What lanes read by an index that they share, of a table or a row, lies at one
 * place for all, though that is seen only here. If the first lane does not run,
 * and lies there as well, so much the better. */
static LLVMValueRef
gather_or_one(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!e->mask.is_full &&
        sw_jit_is_data_dependent(e->plan, sw_ins_src(a->ins, 0)))
        return sw_jit_gather(e, a, 0);
    LLVMValueRef n =
        LLVMBuildExtractElement(B, a->lane_offset, sw_jit_i32(e, 0), "");
    LLVMValueRef same =
        sw_jit_masked_all(e, LLVMBuildICmp(B, LLVMIntEQ, a->lane_offset,
                                           sw_jit_splat(e, n, e->lanes), ""));
    LLVMBasicBlockRef from[2], apart, join = sw_jit_two_ways(e, same, &apart);
    LLVMTypeRef step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
    LLVMValueRef p = a->base ? LLVMBuildGEP2(B, step, a->base, &n, 1, "")
                             : LLVMBuildIntToPtr(B, n, e->t.ptr, "");
    LLVMValueRef x[2] = {LLVMBuildLoad2(B, sw_jit_elem_type(e, a), p, "")};
    sw_jit_set_align(x[0], a->align);
    if (a->is_volatile)
        LLVMSetVolatile(x[0], 1);
    x[0] = sw_jit_splat(e, x[0], e->lanes);
    from[0] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    x[1] = sw_jit_gather(e, a, 0);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    return sw_jit_join_two(e, join, from, x);
}

LLVMValueRef
sw_jit_load_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!sw_jit_may_be_a_row(e, a)) {
        sw_jit_counter_lanes(e, a);
        return sw_jit_gather(e, a, 0);
    }
    sw_jit_rows rows;
    LLVMValueRef is_row =
        sw_jit_lie_in_rows(e, a, sw_jit_row_lanes(e, a), &rows);
    sw_jit_note_rows(e, a, &rows, is_row);
    LLVMBasicBlockRef from[2], apart, join = sw_jit_two_ways(e, is_row, &apart);
    LLVMValueRef x[2] = {sw_jit_load_in_rows(e, a, &rows)};
    from[0] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    sw_jit_counter_lanes(e, a);
    x[1] = gather_or_one(e, a);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    return sw_jit_join_two(e, join, from, x);
}
