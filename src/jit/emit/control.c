/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - the control flow of a kernel: plain blocks for what all lanes do,
 * reconvergence points in the order of positions for the rest; see emit/emit.h.
 * Each part has what lies in it; a warp that goes on elsewhere goes by
 * emit/partition.c.
 */
#include <stdlib.h>
#include <string.h>

#include "jit/emit/access_ways.h"
#include "jit/emit/emit.h"
#include "jit/plan/scalar_loop.h"

#define B e->ll.builder

/* ---- setting up ---- */

static bool
is_in_part(const sw_jit_emit *e, sw_jit_place place)
{
    return place.kind >= SW_JIT_AT_AGAIN ||
           sw_jit_partition_of(e->plan, place) == e->f.partition;
}

static bool
is_here(const sw_jit_emit *e, sw_jit_place_kind kind, uint32_t of)
{
    return is_in_part(e, (sw_jit_place){kind, of});
}

/* Of an edge by a reconvergence point from a block of this part, or to one. */
static void
make_point(sw_jit_emit *e, uint32_t from, uint32_t to, bool is_from_here)
{
    bool is_point_here = is_here(e, SW_JIT_AT_POINT, to);
    if (is_point_here && !e->f.points[to])
        e->f.points[to] = sw_jit_block(e, "point");
    if ((is_point_here || is_from_here) && !e->f.pending[to])
        e->f.pending[to] = sw_jit_pending_slot(e, to);
    uint32_t l = sw_jit_back_edge_loop(e->plan, from, to);
    bool is_latch_here = l && is_here(e, SW_JIT_AT_LATCH, l);
    if (is_latch_here && !e->f.latches[l])
        e->f.latches[l] = sw_jit_block(e, "latch");
    if ((is_latch_here || (l && is_from_here)) && !e->f.latch_pending[l])
        e->f.latch_pending[l] = sw_jit_pending_slot(e, e->plan->cfg->count + l);
}

static void
make_points(sw_jit_emit *e)
{
    const sw_cfg *cfg = e->plan->cfg;
    uint32_t count;
    const sw_jit_range *ranges = sw_jit_ranges(e->plan, &count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t b = ranges[k].block;
        if (ranges[k].end < e->plan->fn->blocks[b]->count)
            continue;
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
            if (sw_jit_goes_by_point(e->plan, b, cfg->succ[i]))
                make_point(e, b, cfg->succ[i],
                           ranges[k].partition == e->f.partition);
    }
}

/* The LLVM block of a place in this part. */
static LLVMBasicBlockRef
block_here(sw_jit_emit *e, sw_jit_place place)
{
    switch (place.kind) {
    case SW_JIT_AT_BODY:
        return e->f.bodies[place.of];
    case SW_JIT_AT_TWIN:
        return e->f.twins[place.of];
    case SW_JIT_AT_POINT:
        return e->f.points[place.of];
    case SW_JIT_AT_LATCH:
        return e->f.latches[place.of];
    case SW_JIT_AT_MIDDLE:
        return e->f.middle;
    case SW_JIT_AT_AGAIN:
        return e->f.again;
    default:
        return e->f.finish;
    }
}

/* Or the way there. */
static LLVMBasicBlockRef
block_at(sw_jit_emit *e, sw_jit_place place)
{
    return is_in_part(e, place) ? block_here(e, place)
                                : sw_jit_way_to(e, place);
}

/* ---- edges ---- */

/* Lanes that part from others go to the reconvergence point of `to`. */
static void
send_to_point(sw_jit_emit *e, uint32_t to, LLVMValueRef mask)
{
    uint32_t l = sw_jit_back_edge_loop(e->plan, e->b.block, to);
    sw_jit_add_pending(e, l ? e->f.latch_pending[l] : e->f.pending[to], mask);
}

/* All lanes of the block go to `to`. Ends the LLVM block. */
static void
go_together(sw_jit_emit *e, uint32_t to)
{
    sw_jit_place place =
        sw_jit_place_of_edge(e->plan, e->b.block, e->b.is_twin, to);
    if (sw_jit_block_is_converged(e) || place.kind == SW_JIT_AT_BODY)
        sw_jit_count_back_edge(
            e, sw_jit_back_edge_loop(e->plan, e->b.block, to), e->mask.lanes);
    if (sw_jit_block_is_converged(e) && place.kind == SW_JIT_AT_POINT)
        sw_jit_add_pending(e, e->f.pending[to], e->mask.lanes);
    else if (place.kind != SW_JIT_AT_BODY && place.kind != SW_JIT_AT_TWIN)
        send_to_point(e, to, e->mask.lanes);
    LLVMBuildBr(B, block_at(e, place));
}

static void
end_lanes(sw_jit_emit *e)
{
    if (e->f.frame_slots)
        sw_jit_called_return(e);
    if (sw_jit_block_is_converged(e)) {
        LLVMBuildBr(B, e->f.finish);
        return;
    }
    if (!e->f.frame_slots) {
        sw_jit_tell_end(e);
        LLVMValueRef mask =
            sw_jit_mask_memory(e, sw_jit_mask_bits(e, e->mask.lanes));
        sw_jit_call(e, SW_JIT_END, e->t.nothing, &mask, 1);
    }
    LLVMBuildBr(B, block_at(e, sw_jit_next_after(e->plan, e->b.block)));
}

/* Those of all lanes for whom p holds go to targets[0] if they are all, or
 * nobody goes there; the builder is left where lanes part. */
static void
branch_together(sw_jit_emit *e, const sw_block *block, LLVMValueRef p)
{
    LLVMBasicBlockRef to[2] = {sw_jit_block(e, "to"), sw_jit_block(e, "to")};
    LLVMBasicBlockRef not_all = sw_jit_block(e, "not_all");
    LLVMBasicBlockRef part = sw_jit_block(e, "part");
    LLVMValueRef mine = LLVMBuildAnd(B, e->mask.lanes, p, "");
    LLVMValueRef others =
        LLVMBuildAnd(B, e->mask.lanes, LLVMBuildNot(B, p, ""), "");
    LLVMBuildCondBr(B, sw_jit_any(e, others), not_all, to[0]);
    LLVMPositionBuilderAtEnd(B, not_all);
    LLVMBuildCondBr(B, sw_jit_any(e, mine), part, to[1]);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(B, to[i]);
        go_together(e, block->targets[i]);
    }
    LLVMPositionBuilderAtEnd(B, part);
}

static void
branch(sw_jit_emit *e, const sw_block *block, const sw_ins *ins)
{
    sw_jit_counter_branch(e);
    if (!ins->guard || block->target_count == 1 ||
        block->targets[0] == block->targets[1]) {
        go_together(e, block->targets[0]);
        return;
    }
    if (e->shapes->diverges[e->b.block]) {
        LLVMValueRef p = sw_jit_mask_of(e, ins->guard, ins->guard_neg);
        if (e->plan->agrees[e->b.block] && sw_jit_block_is_converged(e))
            branch_together(e, block, p);
        send_to_point(e, block->targets[0],
                      LLVMBuildAnd(B, e->mask.lanes, p, ""));
        send_to_point(
            e, block->targets[1],
            LLVMBuildAnd(B, e->mask.lanes, LLVMBuildNot(B, p, ""), ""));
        LLVMBuildBr(B, block_at(e, sw_jit_next_after(e->plan, e->b.block)));
        return;
    }
    sw_jit_value p = sw_jit_read_reg(e, ins->guard);
    LLVMBasicBlockRef to[2] = {sw_jit_block(e, "to"), sw_jit_block(e, "to")};
    LLVMValueRef fork =
        LLVMBuildCondBr(B, p.base, to[ins->guard_neg], to[!ins->guard_neg]);
    if (block->is_test)
        sw_jit_likely(e, fork, true);
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(B, to[i]);
        go_together(e, block->targets[i]);
    }
}

static void
branch_indexed(sw_jit_emit *e, const sw_block *block)
{
    sw_jit_value v = sw_jit_read_exact(e, e->at.ins, 0);
    LLVMBasicBlockRef bad = sw_jit_block(e, "bad");
    uint32_t n = block->target_count;
    if (v.shape.kind == SW_SHAPE_UNIFORM) {
        LLVMValueRef sw = LLVMBuildSwitch(B, v.base, bad, n);
        for (uint32_t i = 0; i < n; i++) {
            LLVMBasicBlockRef to = sw_jit_block(e, "to");
            LLVMAddCase(sw, LLVMConstInt(LLVMTypeOf(v.base), i, 0), to);
            LLVMPositionBuilderAtEnd(B, to);
            go_together(e, block->targets[i]);
        }
    } else {
        LLVMValueRef x = sw_jit_lanes(e, &v), left = e->mask.lanes;
        LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
        for (uint32_t i = 0; i < n; i++) {
            LLVMValueRef is = LLVMBuildICmp(
                B, LLVMIntEQ, x,
                sw_jit_splat(e, LLVMConstInt(type, i, 0), e->lanes), "");
            send_to_point(e, block->targets[i],
                          LLVMBuildAnd(B, e->mask.lanes, is, ""));
            left = LLVMBuildAnd(B, left, LLVMBuildNot(B, is, ""), "");
        }
        sw_jit_likely(e,
                      LLVMBuildCondBr(
                          B, sw_jit_any(e, left), bad,
                          block_at(e, sw_jit_next_after(e->plan, e->b.block))),
                      false);
    }
    LLVMPositionBuilderAtEnd(B, bad);
    sw_jit_emit_step(e); /* reports the fault */
    LLVMBuildUnreachable(B);
}

static void
emit_terminator(sw_jit_emit *e, const sw_block *block)
{
    const sw_ins *ins = block->ins[block->count - 1];
    e->at.ins = ins;
    sw_jit_mask_begin_path(e);
    e->at.index = e->plan->first_ins[e->b.block] + block->count - 1;
    sw_jit_enter_loops(e, block);
    switch (ins->op) {
    case SW_OP_BRA:
        branch(e, block, ins);
        return;
    case SW_OP_BRX:
        branch_indexed(e, block);
        return;
    default:
        end_lanes(e);
    }
}

/* ---- blocks ---- */

/* All lanes of the block to one of its targets. */
static void
go_on(sw_jit_emit *e, uint32_t to)
{
    if (!e->shapes->diverges[e->b.block] ||
        (e->plan->agrees[e->b.block] && sw_jit_block_is_converged(e))) {
        go_together(e, to);
        return;
    }
    send_to_point(e, to, e->mask.lanes);
    LLVMBuildBr(B, block_at(e, sw_jit_next_after(e->plan, e->b.block)));
}

/* The lanes of a scalar loop run it to its end, one by one, as long as all
 * goes well; the builder is left where others go on by vectors. */
static void
emit_serially(sw_jit_emit *e, uint32_t b)
{
    sw_jit_exit exits[SW_JIT_SCALAR_EXITS];
    LLVMBasicBlockRef scalar = sw_jit_block(e, "serial");
    LLVMBasicBlockRef some = sw_jit_block(e, "some");
    LLVMBasicBlockRef vectors = sw_jit_block(e, "vectors");
    LLVMBuildCondBr(B, sw_jit_suits_scalar_loop(e, b), scalar, vectors);
    LLVMPositionBuilderAtEnd(B, scalar);
    unsigned count;
    LLVMValueRef rest = sw_jit_emit_scalar_loop(e, b, exits, &count);
    if (!rest) {
        LLVMDeleteBasicBlock(some);
        go_on(e, exits[0].block);
        LLVMPositionBuilderAtEnd(B, vectors);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        send_to_point(e, exits[i].block, exits[i].lanes);
    LLVMBuildCondBr(B, sw_jit_any(e, rest), some,
                    block_at(e, sw_jit_next_after(e->plan, b)));
    LLVMPositionBuilderAtEnd(B, some);
    LLVMBuildStore(B, rest, sw_jit_head_slot(e, b));
    LLVMBuildBr(B, e->b.is_twin ? e->f.bodies[b] : vectors);
    LLVMPositionBuilderAtEnd(B, vectors);
    if (!e->b.is_twin)
        sw_jit_mask_set(
            e, LLVMBuildLoad2(B, e->t.mask_type, sw_jit_head_slot(e, b), ""));
}

/* The lanes that run the block. */
static void
set_block_mask(sw_jit_emit *e, uint32_t b)
{
    if (sw_jit_block_is_converged(e)) {
        if (e->b.is_twin && e->plan->twins_are_full)
            sw_jit_mask_set_all(e);
        else
            sw_jit_mask_set_root(e);
        return;
    }
    const sw_jit_lane_set *known = sw_jit_known_lanes(e->plan, e->f.version, b);
    LLVMValueRef lanes = LLVMBuildLoad2(
        B, e->t.mask_type, sw_jit_head_slot(e, e->shapes->head[b]), "");
    if (known)
        sw_jit_mask_set_known(e, known);
    else
        sw_jit_mask_set(e, lanes);
}

/* Where a loop begins an iteration: on in the version of its index, or, if it
 * has none, behind. */
static void
choose_version(sw_jit_emit *e, uint32_t b)
{
    const sw_jit_version *all = e->plan->versions.data;
    LLVMBasicBlockRef plain = NULL;
    LLVMValueRef choice = NULL;
    for (size_t i = 0; i < e->plan->versions.count; i++) {
        if (e->plan->cfg->loops[all[i].loop].header != b)
            continue;
        if (!choice) {
            plain = sw_jit_block(e, "plain");
            choice = LLVMBuildSwitch(B, sw_jit_read_reg(e, all[i].index).base,
                                     plain, (unsigned)e->plan->versions.count);
        }
        LLVMAddCase(choice, sw_jit_i32(e, (uint32_t)all[i].now),
                    e->f.version_starts[i]);
    }
    if (choice)
        LLVMPositionBuilderAtEnd(B, plain);
}

static void
begin_version(sw_jit_emit *e, const sw_jit_version *v)
{
    LLVMPositionBuilderAtEnd(
        B, e->f.version_starts[v -
                               (const sw_jit_version *)e->plan->versions.data]);
    LLVMBuildStore(B, sw_jit_i32(e, (uint32_t)v->now),
                   sw_jit_reg_slot(e, v->index)->base);
}

/* Vectors stay, empty. */
static void
begin_block(sw_jit_emit *e, const sw_jit_range *range, bool is_twin)
{
    sw_jit_chunks_clear(e, NULL);
    sw_jit_structs_clear(e, NULL);
    sw_vec_clear(&e->b.textures);
    sw_vec_clear(&e->b.deaths);
    e->b = (sw_jit_block_state){.block = range->block,
                                .begun = range->first,
                                .ended = range->end,
                                .is_twin = is_twin,
                                .textures = e->b.textures,
                                .deaths = e->b.deaths};
}

/* A range of a block; or its twin, which is in one range. */
static void
emit_body(sw_jit_emit *e, uint32_t number, bool is_twin)
{
    uint32_t count;
    const sw_jit_range *range = sw_jit_ranges(e->plan, &count) + number;
    uint32_t b = range->block;
    const sw_block *block = e->plan->fn->blocks[b];
    begin_block(e, range, is_twin);
    if (is_twin || e->f.version) /* the others have tested their own */
        memset(e->f.tested, 0, e->plan->fn->reg_count * sizeof *e->f.tested);
    LLVMPositionBuilderAtEnd(B, range->first ? e->f.middle
                                : is_twin    ? e->f.twins[b]
                                             : e->f.bodies[b]);
    if (e->f.version && b == e->plan->cfg->loops[e->f.version->loop].header)
        begin_version(e, e->f.version);
    else if (!e->f.version)
        choose_version(e, b);
    set_block_mask(e, b);
    if (sw_jit_is_scalar_loop(e->plan, b))
        emit_serially(e, b);
    if (!range->first) {
        sw_jit_count_lanes(e, e->mask.lanes, block->count);
        sw_jit_counter_block(e);
    } else {
        sw_jit_counter_piece(e);
    }
    sw_jit_find_deaths(e, b);
    for (uint32_t i = 0; i < range->first; i++) {
        e->at.index = e->plan->first_ins[b] + i;
        sw_jit_step_over(e, block->ins[i]);
    }
    sw_jit_emit_range(e, block, range->first,
                      range->end < block->count ? range->end
                                                : block->count - 1);
    sw_jit_lines_at(e, block->ins[range->end - 1]);
    sw_jit_counter_block_end(e);
    if (range->end < block->count)
        LLVMBuildBr(
            B, sw_jit_way_to(e, (sw_jit_place){SW_JIT_AT_MIDDLE, number + 1}));
    else
        emit_terminator(e, block);
    e->b.is_twin = false;
}

/* A reconvergence point lets its lanes into the block, or the warp passes it
 * by. */
static void
emit_point(sw_jit_emit *e, uint32_t b)
{
    LLVMPositionBuilderAtEnd(B, e->f.points[b]);
    LLVMValueRef m = sw_jit_take_pending(e, e->f.pending[b]);
    if (sw_jit_all_meet(e->plan, (sw_jit_place){SW_JIT_AT_POINT, b})) {
        LLVMBuildBr(B, e->f.bodies[b]);
        return;
    }
    if (e->shapes->head[b] == b)
        LLVMBuildStore(B, m, sw_jit_head_slot(e, b));
    LLVMBuildCondBr(
        B, sw_jit_any(e, m), e->f.bodies[b],
        block_at(e, sw_jit_next_point(e->plan, e->plan->cfg->sched[b])));
}

static void
emit_latch(sw_jit_emit *e, uint32_t l)
{
    uint32_t header = e->plan->cfg->loops[l].header;
    LLVMPositionBuilderAtEnd(B, e->f.latches[l]);
    LLVMValueRef m = sw_jit_take_pending(e, e->f.latch_pending[l]);
    if (sw_jit_all_meet(e->plan, (sw_jit_place){SW_JIT_AT_LATCH, l})) {
        m = e->f.root_mask;
    } else {
        LLVMBasicBlockRef again = sw_jit_block(e, "again");
        LLVMBuildCondBr(
            B, sw_jit_any(e, m), again,
            block_at(e,
                     sw_jit_next_point(e->plan, e->plan->cfg->loops[l].latch)));
        LLVMPositionBuilderAtEnd(B, again);
    }
    sw_jit_mask_set(e, m);
    sw_jit_count_back_edge(e, l, m);
    if (e->shapes->head[header] == header)
        LLVMBuildStore(B, m, sw_jit_head_slot(e, header));
    LLVMBuildBr(B, block_at(e, (sw_jit_place){SW_JIT_AT_BODY, header}));
}

/* In loops with several entries lanes may wait at reconvergence points that the
 * warp has passed. */
static void
emit_again(sw_jit_emit *e)
{
    if (!e->f.again)
        return;
    LLVMPositionBuilderAtEnd(B, e->f.again);
    LLVMValueRef slot = sw_jit_spin_slot(e, 0);
    LLVMBasicBlockRef rest = sw_jit_block(e, "rest");
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMValueRef n = LLVMBuildSub(B, LLVMBuildLoad2(B, e->t.i32, slot, ""),
                                  sw_jit_i32(e, 2), "");
    LLVMBuildStore(B, n, slot);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, n, sw_jit_i32(e, 0), ""),
                    look, rest);
    LLVMPositionBuilderAtEnd(B, rest);
    LLVMBuildStore(B, sw_jit_i32(e, 2 * sw_jit_back_edges(e->plan, 0)), slot);
    LLVMValueRef none = LLVMConstNull(e->t.bits);
    LLVMValueRef args[3] = {sw_jit_i32(e, 0), sw_jit_mask_memory(e, none),
                            sw_jit_i32(e, SW_JIT_SLEEPS)};
    sw_jit_call(e, SW_JIT_SPIN, e->t.i32, args, 3);
    LLVMBuildBr(B, look);
    LLVMPositionBuilderAtEnd(B, look);
    for (uint32_t b = 0; b < e->plan->fn->block_count; b++) {
        if (!e->f.points[b])
            continue;
        LLVMBasicBlockRef next = sw_jit_block(e, "next");
        LLVMValueRef m = sw_jit_load_pending(e, e->f.pending[b]);
        LLVMBuildCondBr(B, sw_jit_any(e, m), e->f.points[b], next);
        LLVMPositionBuilderAtEnd(B, next);
    }
    LLVMBuildBr(B, e->f.finish);
}

/* ---- the function ---- */

/* Scalar loops change the shapes of registers for a while. */
static void
copy_shapes(sw_jit_emit *e)
{
    const sw_shapes *from = e->plan->shapes;
    size_t bytes = e->plan->fn->reg_count * sizeof *from->regs;
    sw_shapes *to = e->shapes = sw_alloc(sizeof *to);
    *to = *from;
    to->regs = sw_alloc(bytes);
    memcpy(to->regs, from->regs, bytes);
    to->arena = sw_arena_create();
    sw_vec_init(&to->lanes, sizeof(const int32_t *));
    for (size_t i = 0; i < from->lanes.count; i++)
        *(const int32_t **)sw_vec_push(&to->lanes) =
            *(const int32_t **)sw_vec_at(&from->lanes, i);
}

static void
drop_shapes(sw_jit_emit *e)
{
    if (!e->shapes)
        return;
    sw_free(e->shapes->regs);
    sw_arena_destroy(e->shapes->arena);
    sw_vec_finish(&e->shapes->lanes);
    sw_free(e->shapes);
    e->shapes = NULL;
}

static bool
supports(const void *ll, const sw_fn *fn, const sw_ins *ins)
{
    return sw_jit_alu_supports(ll, fn, ins);
}

static bool
may_flush(const void *ll, const sw_ins *ins)
{
    return sw_jit_alu_may_flush(ll, ins);
}

/* What is kept for all parts. */
static void
open_kernel(sw_jit_emit *e)
{
    sw_jit_textures_open(e);
    sw_vec_init(&e->b.deaths, sizeof(sw_jit_death));
    sw_vec_init(&e->k.sites, sizeof(sw_jit_site));
    sw_vec_init(&e->k.syms, sizeof(sw_sym *));
    e->k.sym_index = sw_map_create();
    sw_jit_edges_open(e);
    sw_jit_exits_open(e);
    sw_jit_counter_open(e);
}

static sw_jit_types
types_of(LLVMContextRef c, unsigned lanes)
{
    return (sw_jit_types){.i1 = LLVMInt1TypeInContext(c),
                          .i8 = LLVMInt8TypeInContext(c),
                          .i16 = LLVMInt16TypeInContext(c),
                          .i32 = LLVMInt32TypeInContext(c),
                          .i64 = LLVMInt64TypeInContext(c),
                          .ptr = LLVMPointerTypeInContext(c, 0),
                          .nothing = LLVMVoidTypeInContext(c),
                          .bits = LLVMIntTypeInContext(c, lanes),
                          .mask_type =
                              LLVMVectorType(LLVMInt1TypeInContext(c), lanes)};
}

/* Nothing of another part's function, module or context can be used. */
static void
begin_function(sw_jit_emit *e, uint32_t number)
{
    bool has_phases = e->k.plan->phases > 1;
    const sw_jit_plan *plan =
        has_phases ? e->k.plan->of_phase[number] : e->k.plan;
    size_t blocks = plan->fn->block_count, loops = plan->cfg->loop_count;
    size_t regs = plan->fn->reg_count, words = plan->live->words + 1;
    sw_arena *a = sw_arena_create();
    sw_jit_function *f = &e->f;
    e->plan = plan;
    e->t = types_of(e->ll.context, e->lanes);
    *f = (sw_jit_function){
        .arena = a,
        .number = number,
        .is_one = !has_phases && sw_jit_partition_count(plan) == 1,
        .partition = has_phases ? 0 : number,
        .bodies = sw_arena_alloc(a, blocks * sizeof *f->bodies),
        .twins = sw_arena_alloc(a, blocks * sizeof *f->twins),
        .points = sw_arena_alloc(a, blocks * sizeof *f->points),
        .pending = sw_arena_alloc(a, blocks * sizeof *f->pending),
        .head_mask = sw_arena_alloc(a, blocks * sizeof *f->head_mask),
        .latches = sw_arena_alloc(a, loops * sizeof *f->latches),
        .latch_pending = sw_arena_alloc(a, loops * sizeof *f->latch_pending),
        .spin_slots = sw_arena_alloc(a, (loops + 1) * sizeof *f->spin_slots),
        .version_starts = sw_arena_alloc(a, (plan->versions.count + 1) *
                                                sizeof *f->version_starts),
        .slots = sw_arena_alloc(a, regs * sizeof *f->slots),
        .tested = sw_arena_alloc(a, regs * sizeof *f->tested),
        .now = sw_arena_alloc(a, words * sizeof *f->now),
        .scan = sw_arena_alloc(a, words * sizeof *f->scan)};
    sw_jit_mask_restore(e, &(sw_jit_mask){0});
    e->at = (sw_jit_instruction){0};
    copy_shapes(e);
    sw_jit_exits_next(e);
    sw_jit_counter_next(e);
}

/* What the passes after LLVM's need of the part is in e->ll and e->t. */
static void
end_function(sw_jit_emit *e)
{
    drop_shapes(e);
    sw_arena_destroy(e->f.arena);
    e->f.arena = NULL;
}

static void
make_finish(sw_jit_emit *e)
{
    LLVMPositionBuilderAtEnd(B, e->f.finish);
    sw_jit_flush_count(e);
    if (e->f.frame_slots) {
        LLVMBuildRet(B, sw_jit_i32(e, 0));
        return;
    }
    sw_jit_tell_finish(e);
    if (e->plan->block_loop) {
        sw_jit_end_block_loop(e);
        return;
    }
    if (sw_jit_meets_at_barriers(e->plan)) {
        LLVMValueRef done = sw_jit_call(e, SW_JIT_DONE, e->t.nothing, NULL, 0);
        LLVMSetTailCallKind(done, LLVMTailCallKindMustTail);
    }
    LLVMBuildRetVoid(B);
}

/* The blocks of a loop once more, as one of its versions; back to its header,
 * by reconvergence points of other blocks and by its latch it goes as the
 * others do. */
static void
emit_version(sw_jit_emit *e, const sw_jit_version *v)
{
    uint32_t count, n = e->plan->fn->block_count;
    uint32_t header = e->plan->cfg->loops[v->loop].header;
    const sw_jit_range *ranges = sw_jit_ranges(e->plan, &count);
    LLVMBasicBlockRef *bodies = e->f.bodies, *points = e->f.points;
    e->f.bodies = sw_alloc(n * sizeof *e->f.bodies);
    e->f.points = sw_alloc(n * sizeof *e->f.points);
    for (uint32_t b = 0; b < n; b++) {
        bool is_own =
            b != header && sw_cfg_is_in_loop(e->plan->cfg, v->loop, b);
        e->f.bodies[b] =
            is_own && bodies[b] ? sw_jit_block(e, "body") : bodies[b];
        e->f.points[b] =
            is_own && points[b] ? sw_jit_block(e, "point") : points[b];
    }
    e->f.version = v;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = ranges[i].block;
        if (!sw_cfg_is_in_loop(e->plan->cfg, v->loop, b))
            continue;
        emit_body(e, i, false);
        if (b != header && e->f.points[b])
            emit_point(e, b);
    }
    e->f.version = NULL;
    memset(e->f.tested, 0, e->plan->fn->reg_count * sizeof *e->f.tested);
    sw_free(e->f.bodies);
    sw_free(e->f.points);
    e->f.bodies = bodies;
    e->f.points = points;
}

/* The blocks of the ranges of this part. */
static void
make_blocks(sw_jit_emit *e)
{
    uint32_t count;
    const sw_jit_range *ranges = sw_jit_ranges(e->plan, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = ranges[i].block;
        if (ranges[i].partition != e->f.partition)
            continue;
        if (ranges[i].first) {
            e->f.middle = sw_jit_block(e, "middle");
            continue;
        }
        e->f.bodies[b] = sw_jit_block(e, "body");
        if (e->plan->has_twin[b])
            e->f.twins[b] = sw_jit_block(e, "twin");
    }
    for (size_t i = 0; i < e->plan->versions.count; i++)
        e->f.version_starts[i] = sw_jit_block(e, "version");
}

/* The function's beginning and end. */
static void
make_function(sw_jit_emit *e)
{
    bool is_called = !e->plan->fn->is_entry;
    LLVMTypeRef params[2] = {e->t.ptr, e->t.i32};
    LLVMTypeRef type = LLVMFunctionType(is_called ? e->t.i32 : e->t.nothing,
                                        params, is_called ? 2 : 1, 0);
    e->f.function = LLVMAddFunction(e->ll.module, SW_JIT_ENTRY, type);
    sw_jit_lines_open(e);
    e->f.top = sw_jit_block(e, "top");
    e->f.entry = sw_jit_block(e, "entry");
    LLVMPositionBuilderAtEnd(B, e->f.top);
    e->f.ctx_slot = LLVMBuildAlloca(B, e->t.ptr, "");
    LLVMBuildStore(B, LLVMGetParam(e->f.function, 0), e->f.ctx_slot);
    if (e->plan->block_loop)
        sw_jit_begin_block_loop(e);
    LLVMBuildBr(B, e->f.entry);
    LLVMPositionBuilderAtEnd(B, e->f.entry);
    if (e->plan->block_loop)
        sw_jit_enter_block_loop(e);
    if (is_called)
        sw_jit_called_begin(e);
    e->f.root_mask =
        is_called ? LLVMBuildBitCast(B, LLVMGetParam(e->f.function, 1),
                                     e->t.mask_type, "")
        : e->shapes->map.is_full
            ? LLVMConstAllOnes(e->t.mask_type)
            : LLVMBuildBitCast(
                  B,
                  sw_jit_field(e, offsetof(sw_jit_ctx, lanes), e->t.bits, true),
                  e->t.mask_type, "");
    if (e->plan->rq->count_ins)
        e->f.count_slot = sw_jit_zero_slot(e, e->t.i64);
    make_blocks(e);
    uint64_t pending_bytes = sw_jit_place_pending(e);
    make_points(e);
    e->f.finish = sw_jit_block(e, "finish");
    if (e->plan->cfg->irreducible)
        e->f.again = sw_jit_block(e, "again");
    LLVMBasicBlockRef start = e->f.partition ? NULL : sw_jit_block(e, "start");
    sw_jit_come_in(e, start, block_here);
    if (start) {
        LLVMPositionBuilderAtEnd(B, start);
        if (pending_bytes)
            LLVMBuildMemSet(B, e->f.pending_base, LLVMConstNull(e->t.i8),
                            sw_jit_i64(e, pending_bytes), 4);
        if (is_called)
            sw_jit_called_take(e);
        sw_jit_tell_begin(e);
        if (e->shapes->head[0] == 0)
            LLVMBuildStore(B, e->f.root_mask, sw_jit_head_slot(e, 0));
        if (e->plan->twins_are_full)
            sw_jit_likely(e,
                          LLVMBuildCondBr(B, sw_jit_all(e, e->f.root_mask),
                                          e->f.twins[0], e->f.bodies[0]),
                          true);
        else
            LLVMBuildBr(B, e->f.bodies[0]);
    }
}

/* ---- the kernel ---- */

uint32_t
sw_jit_emit_open(sw_jit_emit *e, const sw_jit_request *rq)
{
    sw_jit_machine machine = {.has_avx2 = e->k.has_avx2,
                              .has_avx512 = e->ll.has_avx512,
                              .arg = &e->ll,
                              .supports = supports,
                              .may_flush = may_flush,
                              .is_raw = sw_jit_alu_is_raw};
    e->plan = e->k.plan = sw_jit_plan_create(rq, &machine);
    e->ll.flushes = e->plan->flushes;
    e->lanes = e->plan->lanes;
    open_kernel(e);
    return e->plan->phases > 1 ? e->plan->phases
                               : sw_jit_partition_count(e->plan);
}

void
sw_jit_emit_part(sw_jit_emit *e, uint32_t number)
{
    uint32_t count;
    begin_function(e, number);
    const sw_jit_range *ranges = sw_jit_ranges(e->plan, &count);
    make_function(e);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = ranges[i].block;
        if (ranges[i].partition != e->f.partition)
            continue;
        emit_body(e, i, false);
        if (e->f.twins[b])
            emit_body(e, i, true);
        if (!ranges[i].first && e->f.points[b])
            emit_point(e, b);
    }
    for (size_t i = 0; i < e->plan->versions.count; i++)
        emit_version(e, sw_vec_at(&e->plan->versions, i));
    for (uint32_t l = 1; l < e->plan->cfg->loop_count; l++)
        if (e->f.latches[l])
            emit_latch(e, l);
    emit_again(e);
    make_finish(e);
    end_function(e);
}

void
sw_jit_emit_finish(sw_jit_emit *e)
{
    e->plan = e->k.plan;
    sw_jit_chunks_clear(e, NULL);
    sw_jit_structs_clear(e, NULL);
    sw_vec_finish(&e->b.deaths);
    sw_vec_finish(&e->b.textures);
    sw_jit_edges_finish(e);
    sw_jit_exits_finish(e);
    sw_jit_counter_finish(e);
    sw_vec_finish(&e->k.sites);
    sw_vec_finish(&e->k.syms);
    sw_map_destroy(e->k.sym_index);
    sw_jit_plan_destroy(e->k.plan);
}
