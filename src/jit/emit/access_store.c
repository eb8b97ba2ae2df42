/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_store.c - stores: what lanes hold, cut to what memory holds, put side
 * by side as it lies there. See emit/access_paths.c.
 */
#include "jit/emit/access_ways.h"

#define B e->ll.builder

static void
mark_order(const sw_jit_access *a, LLVMValueRef access_)
{
    if (a->is_volatile)
        LLVMSetVolatile(access_, 1);
}

/* The elements of a run side by side as memory has them. */
static LLVMValueRef
interleave(sw_jit_emit *e, const sw_jit_access *a, const int *lanes, int n)
{
    int from[SW_JIT_ELEMENTS];
    LLVMValueRef x = sw_jit_stored(e, a, 0);
    if (a->vec == 1) {
        if (n == (int)e->lanes)
            return x;
        return sw_jit_shuffle(e, x, lanes, (unsigned)n);
    }
    LLVMValueRef parts[4] = {x};
    for (unsigned k = 1; k < a->vec; k++)
        parts[k] = sw_jit_stored(e, a, k);
    LLVMValueRef units = n == (int)e->lanes
                             ? sw_jit_lanes_to_units(e, parts, e->lanes, a->vec)
                             : NULL;
    if (units)
        return units;
    LLVMValueRef pair[2];
    for (unsigned k = 0; k < a->vec; k += 2) {
        LLVMValueRef c[2 * SW_LANES_MAX];
        for (unsigned i = 0; i < 2 * e->lanes; i++)
            c[i] = sw_jit_i32(e, i);
        pair[k / 2] = LLVMBuildShuffleVector(
            B, parts[k], parts[k + 1], LLVMConstVector(c, 2 * e->lanes), "");
    }
    unsigned total = (unsigned)n * a->vec;
    LLVMValueRef c[SW_JIT_ELEMENTS];
    for (unsigned j = 0; j < total; j++) {
        unsigned k = j % a->vec;
        from[j] = lanes[j / a->vec] + (int)(k * e->lanes);
        c[j] = sw_jit_i32(e, (uint32_t)from[j]);
    }
    LLVMValueRef second =
        a->vec > 2 ? pair[1] : LLVMGetPoison(LLVMTypeOf(pair[0]));
    return LLVMBuildShuffleVector(B, pair[0], second, LLVMConstVector(c, total),
                                  "");
}

/* Ends the LLVM block: one way if all lanes run, *some if not, and both go on
 * to what is returned. The builder is left in the first. */
static LLVMBasicBlockRef
fork_masks(sw_jit_emit *e, LLVMBasicBlockRef *some)
{
    LLVMBasicBlockRef all = sw_jit_block(e, "all");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    *some = sw_jit_block(e, "some");
    LLVMBuildCondBr(B, sw_jit_all(e, e->mask.lanes), all, *some);
    LLVMPositionBuilderAtEnd(B, all);
    return join;
}

static void
store_all(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
          LLVMValueRef pointer, unsigned align)
{
    LLVMValueRef st = LLVMBuildStore(B, x, pointer);
    sw_jit_set_align(st, align);
    mark_order(a, st);
}

/* Some elements of a vector; of shared memory the others are written back, as
 * no other thread of the host sees them. */
static void
store_some(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
           LLVMValueRef pointer, unsigned align, LLVMValueRef mask)
{
    if (!a->is_shared) {
        sw_jit_store_by_mask(e, x, pointer, align, mask);
        return;
    }
    LLVMValueRef old = LLVMBuildLoad2(B, LLVMTypeOf(x), pointer, "");
    sw_jit_set_align(old, align);
    x = LLVMBuildSelect(B, mask, x, old, "");
    sw_jit_set_align(LLVMBuildStore(B, x, pointer), align);
}

/* The same. Mostly it is all of them, and stores without a mask are faster. */
static void
store_masked(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
             LLVMValueRef pointer, unsigned align, LLVMValueRef mask)
{
    if (a->is_part) {
        sw_jit_store_by_mask(e, x, pointer, align, mask);
        return;
    }
    LLVMBasicBlockRef some, join = fork_masks(e, &some);
    store_all(e, a, x, pointer, align);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, some);
    store_some(e, a, x, pointer, align, mask);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

static void
store_run(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
          const int *lanes, int n)
{
    LLVMValueRef x = interleave(e, a, lanes, n);
    unsigned total = (unsigned)n * a->vec;
    if (sw_jit_groups_run(e)) {
        store_all(e, a, x, g->pointer, a->unit);
        return;
    }
    store_masked(e, a, x, g->pointer, a->unit,
                 sw_jit_mask_of_run(e, a, lanes, total));
}

/* i32: zeros above or below the ones of `bits`. */
static LLVMValueRef
count_zeros(sw_jit_emit *e, const char *how, LLVMValueRef bits)
{
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef args[2] = {bits, LLVMConstInt(e->t.i1, 0, 0)};
    LLVMValueRef n = sw_jit_intrinsic(e, how, &type, 1, args, 2);
    return LLVMBuildIntCast2(B, n, e->t.i32, 0, "");
}

/* i32: of the lanes that run, the one that stores last. */
static LLVMValueRef
last_in_turn(sw_jit_emit *e, const sw_jit_access *a)
{
    unsigned t = e->lanes - 1;
    while (e->mask.some && !sw_jit_has_lane(e->mask.some, t ^ a->turn))
        t--;
    if (sw_jit_groups_run(e))
        return sw_jit_i32(e, t ^ a->turn);
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef ones = sw_jit_i32(e, e->lanes - 1), first = NULL;
    if (e->lanes > a->turn + 1) { /* the last neighbours begin there */
        first = LLVMBuildSub(B, ones, count_zeros(e, "llvm.ctlz", bits), "");
        first = LLVMBuildAnd(B, first, sw_jit_i32(e, (e->lanes - 1) & ~a->turn),
                             "");
        if (e->lanes > 32) {
            LLVMTypeRef words = LLVMVectorType(e->t.i32, e->lanes / 32);
            bits = LLVMBuildExtractElement(
                B, LLVMBuildBitCast(B, bits, words, ""),
                LLVMBuildLShr(B, first, sw_jit_i32(e, 5), ""), "");
        }
        bits = LLVMBuildLShr(B, bits,
                             LLVMBuildAnd(B, first, sw_jit_i32(e, 31), ""), "");
    }
    LLVMValueRef last = count_zeros(e, "llvm.cttz", bits);
    if (first)
        last = LLVMBuildAdd(B, first, last, "");
    return LLVMBuildAnd(B, last, ones, "");
}

/* One place for all lanes. */
static void
store_one(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    LLVMValueRef last = last_in_turn(e, a);
    for (unsigned k = 0; k < a->vec; k++) {
        LLVMValueRef x = NULL;
        for (unsigned i = 0; i < a->pack; i++) {
            sw_jit_value v = sw_jit_read_exact(e, a->ins, 1 + k * a->pack + i);
            LLVMValueRef part =
                v.shape.kind == SW_SHAPE_UNIFORM
                    ? v.base
                    : LLVMBuildExtractElement(B, sw_jit_lanes(e, &v), last, "");
            if (LLVMTypeOf(part) != sw_jit_elem_type(e, a))
                part =
                    LLVMBuildIntCast2(B, part, sw_jit_elem_type(e, a), 0, "");
            x = sw_jit_put_in(e, a, x, part, i, 1);
        }
        LLVMValueRef st = LLVMBuildStore(
            B, x, sw_jit_at(e, g->pointer, sw_jit_i64(e, k * a->elem)));
        sw_jit_set_align(st, a->elem);
        mark_order(a, st);
    }
}

/* By the machine's own instructions. */
static void
scatter(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x, unsigned k,
        const sw_jit_group *g)
{
    LLVMValueRef pointers = g ? sw_jit_group_pointers(e, a, g, k, a->turn)
                              : sw_jit_pointers_in_turn(e, a, k);
    LLVMValueRef mask = g ? sw_jit_constant_mask(e, &g->lanes)
                          : LLVMConstAllOnes(e->t.mask_type);
    if (!e->mask.is_full)
        mask = LLVMBuildAnd(B, e->mask.lanes, mask, "");
    LLVMValueRef args[4] = {sw_jit_in_turn(e, x, a->turn), pointers,
                            sw_jit_i32(e, a->elem),
                            sw_jit_in_turn(e, mask, a->turn)};
    LLVMTypeRef types[2] = {LLVMTypeOf(x), LLVMTypeOf(pointers)};
    sw_jit_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
}

void
sw_jit_store_each(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
                  unsigned k, const sw_jit_group *g)
{
    if (e->ll.has_avx512 && a->elem >= 4 && !a->is_volatile &&
        !sw_jit_gathers_inline(e)) {
        scatter(e, a, x, k, g);
        return;
    }
    LLVMValueRef pointers = g ? sw_jit_group_pointers(e, a, g, k, 0)
                              : sw_jit_lane_pointers(e, a, k, false);
    if (!e->mask.is_full) {
        LLVMValueRef sink = sw_jit_at(
            e, sw_jit_ctx_of(e), sw_jit_i64(e, offsetof(sw_jit_ctx, sink)));
        pointers = LLVMBuildSelect(B, e->mask.lanes, pointers,
                                   sw_jit_splat(e, sink, e->lanes), "");
    }
    for (unsigned t = 0; t < e->lanes; t++) {
        if (g && !sw_jit_has_lane(&g->lanes, t ^ a->turn))
            continue;
        LLVMValueRef lane = sw_jit_i32(e, t ^ a->turn);
        LLVMValueRef st =
            LLVMBuildStore(B, LLVMBuildExtractElement(B, x, lane, ""),
                           LLVMBuildExtractElement(B, pointers, lane, ""));
        sw_jit_set_align(st, a->elem);
        mark_order(a, st);
    }
}

/* Each lane of a group by itself. */
static void
store_apart(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
            unsigned k)
{
    LLVMValueRef x = sw_jit_stored(e, a, k);
    if (sw_jit_store_span(e, a, g, x) || sw_jit_scatter_group(e, a, g, k, x))
        return;
    LLVMBasicBlockRef some = NULL;
    LLVMBasicBlockRef join = sw_jit_groups_run(e) ? NULL : fork_masks(e, &some);
    for (unsigned t = 0; t < e->lanes; t++) {
        unsigned i = t ^ a->turn;
        if (!sw_jit_has_lane(&g->lanes, i))
            continue;
        int64_t at = g->at[i] + k * a->elem;
        LLVMValueRef st = LLVMBuildStore(
            B, LLVMBuildExtractElement(B, x, sw_jit_i32(e, i), ""),
            sw_jit_at(e, g->pointer, sw_jit_i64(e, (uint64_t)at)));
        sw_jit_set_align(st, a->elem);
        mark_order(a, st);
    }
    if (!some)
        return;
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, some);
    sw_jit_store_each(e, a, x, k, g);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

static void
store_group(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    int lanes[SW_LANES_MAX];
    if (a->group_count == 1 && g->span == 0) {
        store_one(e, a, g);
        return;
    }
    if (sw_jit_is_run(e, a, g, lanes) &&
        (sw_jit_groups_run(e) || sw_jit_can_mask(e, a))) {
        store_run(e, a, g, lanes, (int)g->count);
        return;
    }
    for (unsigned k = 0; k < a->vec; k++)
        store_apart(e, a, g, k);
}

void
sw_jit_store_in_rows(sw_jit_emit *e, const sw_jit_access *a,
                     const sw_jit_rows *rows)
{
    LLVMValueRef x[SW_LANES_MAX / SW_JIT_ROW_LEAST];
    if (rows->count == 1)
        sw_jit_counter_row(e, a, rows->first[0]);
    unsigned turn = a->turn / rows->lanes; /* they may be the same */
    for (unsigned i = 0; i < rows->count; i++)
        x[i] = sw_jit_row_of(e, rows, sw_jit_stored(e, a, 0), i);
    LLVMBasicBlockRef some = NULL;
    LLVMBasicBlockRef join = e->mask.is_full ? NULL : fork_masks(e, &some);
    for (unsigned t = 0; t < rows->count; t++)
        store_all(e, a, x[t ^ turn], rows->first[t ^ turn], a->elem);
    if (!some)
        return;
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, some);
    for (unsigned t = 0; t < rows->count; t++)
        store_some(e, a, x[t ^ turn], rows->first[t ^ turn], a->elem,
                   sw_jit_row_of(e, rows, e->mask.lanes, t ^ turn));
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

void
sw_jit_store_groups(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_prefetch_groups(e, a, true);
    sw_jit_rows rows;
    if (sw_jit_store_columns(e, a) || sw_jit_store_struct(e, a))
        return;
    if ((e->mask.is_full || sw_jit_can_mask(e, a)) &&
        sw_jit_find_rows(e, a, &rows)) {
        sw_jit_store_in_rows(e, a, &rows);
        return;
    }
    for (unsigned g = 0; g < a->group_count; g++)
        store_group(e, a, &a->groups[g]);
}

static void
scatter_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_counter_lanes(e, a);
    bool by_warps = sw_jit_has_gathers(e, a) && sw_jit_skips_warps(e, a);
    for (unsigned k = 0; k < a->vec; k++)
        if (by_warps && !sw_jit_gathers_inline(e))
            sw_jit_move_by_warps(e, a, k, sw_jit_stored(e, a, k));
        else
            sw_jit_store_each(e, a, sw_jit_stored(e, a, k), k, NULL);
}

void
sw_jit_store_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!sw_jit_may_be_a_row(e, a)) {
        scatter_lanes(e, a);
        return;
    }
    sw_jit_rows rows;
    LLVMValueRef is_row =
        sw_jit_lie_in_rows(e, a, sw_jit_row_lanes(e, a), &rows);
    LLVMBasicBlockRef apart, join = sw_jit_two_ways(e, is_row, &apart);
    sw_jit_store_in_rows(e, a, &rows);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    scatter_lanes(e, a);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}
