/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - the control flow of a kernel: plain blocks for what all lanes do,
 * gates in the order of positions for the rest; see emit/emit.h. Each part has
 * what lies in it; a warp that goes on elsewhere goes by emit/partition.c.
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
           sw_jit_part_of(e->plan, place) == e->part;
}

static bool
is_here(const sw_jit_emit *e, sw_jit_place_kind kind, uint32_t of)
{
    return is_in_part(e, (sw_jit_place){kind, of});
}

/* Of a gated edge from a block of this part, or to one. */
static void
make_gate(sw_jit_emit *e, uint32_t from, uint32_t to, bool is_from_here)
{
    bool is_gate_here = is_here(e, SW_JIT_AT_GATE, to);
    if (is_gate_here && !e->gates[to])
        e->gates[to] = sw_jit_block(e, "gate");
    if ((is_gate_here || is_from_here) && !e->pending[to])
        e->pending[to] = sw_jit_pending_slot(e, to);
    uint32_t l = sw_jit_back_edge_loop(e->plan, from, to);
    bool is_latch_here = l && is_here(e, SW_JIT_AT_LATCH, l);
    if (is_latch_here && !e->latches[l])
        e->latches[l] = sw_jit_block(e, "latch");
    if ((is_latch_here || (l && is_from_here)) && !e->latch_pending[l])
        e->latch_pending[l] = sw_jit_pending_slot(e, e->plan->cfg->count + l);
}

static void
make_gates(sw_jit_emit *e)
{
    const sw_cfg *cfg = e->plan->cfg;
    uint32_t count;
    const sw_jit_piece *pieces = sw_jit_pieces(e->plan, &count);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t b = pieces[k].block;
        if (pieces[k].end < e->plan->fn->blocks[b]->count)
            continue;
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
            if (sw_jit_is_gated(e->plan, b, cfg->succ[i]))
                make_gate(e, b, cfg->succ[i], pieces[k].part == e->part);
    }
}

/* The LLVM block of a place in this part. */
static LLVMBasicBlockRef
block_here(sw_jit_emit *e, sw_jit_place place)
{
    switch (place.kind) {
    case SW_JIT_AT_BODY:
        return e->bodies[place.of];
    case SW_JIT_AT_TWIN:
        return e->twins[place.of];
    case SW_JIT_AT_GATE:
        return e->gates[place.of];
    case SW_JIT_AT_LATCH:
        return e->latches[place.of];
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

/* Lanes that part from others go to the gate of `to`. */
static void
send_to_gate(sw_jit_emit *e, uint32_t to, LLVMValueRef mask)
{
    uint32_t l = sw_jit_back_edge_loop(e->plan, e->block, to);
    sw_jit_add_pending(e, l ? e->latch_pending[l] : e->pending[to], mask);
}

/* All lanes of the block go to `to`. Ends the LLVM block. */
static void
go_together(sw_jit_emit *e, uint32_t to)
{
    sw_jit_place place =
        sw_jit_place_of_edge(e->plan, e->block, e->is_twin, to);
    if (sw_jit_is_alone(e) || place.kind == SW_JIT_AT_BODY)
        sw_jit_count_back_edge(e, sw_jit_back_edge_loop(e->plan, e->block, to),
                               e->mask);
    if (sw_jit_is_alone(e) && place.kind == SW_JIT_AT_GATE)
        sw_jit_add_pending(e, e->pending[to], e->mask);
    else if (place.kind != SW_JIT_AT_BODY && place.kind != SW_JIT_AT_TWIN)
        send_to_gate(e, to, e->mask);
    LLVMBuildBr(B, block_at(e, place));
}

static void
end_lanes(sw_jit_emit *e)
{
    if (e->f.homes)
        sw_jit_called_return(e);
    if (sw_jit_is_alone(e)) {
        LLVMBuildBr(B, e->f.finish);
        return;
    }
    if (!e->f.homes) {
        LLVMValueRef mask = sw_jit_mask_memory(e, sw_jit_mask_bits(e, e->mask));
        sw_jit_call(e, SW_JIT_END, e->nothing, &mask, 1);
    }
    LLVMBuildBr(B, block_at(e, sw_jit_next_after(e->plan, e->block)));
}

/* Those of all lanes for whom p holds go to targets[0] if they are all, or
 * nobody goes there; the builder is left where lanes part. */
static void
branch_together(sw_jit_emit *e, const sw_block *block, LLVMValueRef p)
{
    LLVMBasicBlockRef to[2] = {sw_jit_block(e, "to"), sw_jit_block(e, "to")};
    LLVMBasicBlockRef not_all = sw_jit_block(e, "not_all");
    LLVMBasicBlockRef part = sw_jit_block(e, "part");
    LLVMValueRef mine = LLVMBuildAnd(B, e->mask, p, "");
    LLVMValueRef others = LLVMBuildAnd(B, e->mask, LLVMBuildNot(B, p, ""), "");
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
    sw_jit_tally_branch(e);
    if (!ins->guard || block->target_count == 1 ||
        block->targets[0] == block->targets[1]) {
        go_together(e, block->targets[0]);
        return;
    }
    if (e->shapes->parts[e->block]) {
        LLVMValueRef p = sw_jit_mask_of(e, ins->guard, ins->guard_neg);
        if (e->plan->agrees[e->block] && sw_jit_is_alone(e))
            branch_together(e, block, p);
        send_to_gate(e, block->targets[0], LLVMBuildAnd(B, e->mask, p, ""));
        send_to_gate(e, block->targets[1],
                     LLVMBuildAnd(B, e->mask, LLVMBuildNot(B, p, ""), ""));
        LLVMBuildBr(B, block_at(e, sw_jit_next_after(e->plan, e->block)));
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
    sw_jit_value v = sw_jit_read_exact(e, e->ins, 0);
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
        LLVMValueRef x = sw_jit_lanes(e, &v), left = e->mask;
        LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
        for (uint32_t i = 0; i < n; i++) {
            LLVMValueRef is = LLVMBuildICmp(
                B, LLVMIntEQ, x,
                sw_jit_splat(e, LLVMConstInt(type, i, 0), e->lanes), "");
            send_to_gate(e, block->targets[i],
                         LLVMBuildAnd(B, e->mask, is, ""));
            left = LLVMBuildAnd(B, left, LLVMBuildNot(B, is, ""), "");
        }
        sw_jit_likely(
            e,
            LLVMBuildCondBr(B, sw_jit_any(e, left), bad,
                            block_at(e, sw_jit_next_after(e->plan, e->block))),
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
    e->ins = ins;
    e->path_mask = e->mask;
    e->ins_index = e->plan->first_ins[e->block] + block->count - 1;
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
    if (!e->shapes->parts[e->block] ||
        (e->plan->agrees[e->block] && sw_jit_is_alone(e))) {
        go_together(e, to);
        return;
    }
    send_to_gate(e, to, e->mask);
    LLVMBuildBr(B, block_at(e, sw_jit_next_after(e->plan, e->block)));
}

/* The lanes of a serial loop run it to its end, one by one, as long as all
 * goes well; the builder is left where others go on by vectors. */
static void
emit_serially(sw_jit_emit *e, uint32_t b)
{
    sw_jit_exit exits[SW_JIT_SERIAL_EXITS];
    LLVMBasicBlockRef serial = sw_jit_block(e, "serial");
    LLVMBasicBlockRef some = sw_jit_block(e, "some");
    LLVMBasicBlockRef vectors = sw_jit_block(e, "vectors");
    LLVMBuildCondBr(B, sw_jit_suits_serial(e, b), serial, vectors);
    LLVMPositionBuilderAtEnd(B, serial);
    unsigned count;
    LLVMValueRef rest = sw_jit_emit_serial(e, b, exits, &count);
    if (!rest) {
        LLVMDeleteBasicBlock(some);
        go_on(e, exits[0].block);
        LLVMPositionBuilderAtEnd(B, vectors);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        send_to_gate(e, exits[i].block, exits[i].lanes);
    LLVMBuildCondBr(B, sw_jit_any(e, rest), some,
                    block_at(e, sw_jit_next_after(e->plan, b)));
    LLVMPositionBuilderAtEnd(B, some);
    LLVMBuildStore(B, rest, sw_jit_leader_slot(e, b));
    LLVMBuildBr(B, e->is_twin ? e->bodies[b] : vectors);
    LLVMPositionBuilderAtEnd(B, vectors);
    if (!e->is_twin)
        e->mask = LLVMBuildLoad2(B, e->mask_type, sw_jit_leader_slot(e, b), "");
}

/* The mask of a block whose lanes are known. */
static void
use_known(sw_jit_emit *e, uint32_t b)
{
    LLVMValueRef c[SW_LANES_MAX];
    e->some = sw_jit_known_lanes(e->plan, e->version, b);
    for (unsigned i = 0; e->some && i < e->lanes; i++)
        c[i] = LLVMConstInt(e->i1, sw_jit_has_lane(e->some, i), 0);
    if (e->some)
        e->mask = LLVMConstVector(c, e->lanes);
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
                    e->version_starts[i]);
    }
    if (choice)
        LLVMPositionBuilderAtEnd(B, plain);
}

static void
begin_version(sw_jit_emit *e, const sw_jit_version *v)
{
    LLVMPositionBuilderAtEnd(
        B,
        e->version_starts[v - (const sw_jit_version *)e->plan->versions.data]);
    LLVMBuildStore(B, sw_jit_i32(e, (uint32_t)v->now),
                   sw_jit_reg_slot(e, v->index)->base);
}

/* A piece of a block; or its twin, which is in one piece. */
static void
emit_body(sw_jit_emit *e, uint32_t number, bool is_twin)
{
    uint32_t count;
    const sw_jit_piece *piece = sw_jit_pieces(e->plan, &count) + number;
    uint32_t b = piece->block;
    const sw_block *block = e->plan->fn->blocks[b];
    e->block = b;
    e->begun = piece->first;
    e->ended = piece->end;
    e->is_twin = is_twin;
    sw_jit_chunks_clear(e, NULL);
    sw_jit_structs_clear(e, NULL);
    sw_vec_clear(&e->textures);
    if (is_twin || e->version) /* the others have tested their own */
        memset(e->tested, 0, e->plan->fn->reg_count * sizeof *e->tested);
    LLVMPositionBuilderAtEnd(B, piece->first ? e->f.middle
                                : is_twin    ? e->twins[b]
                                             : e->bodies[b]);
    if (e->version && b == e->plan->cfg->loops[e->version->loop].header)
        begin_version(e, e->version);
    else if (!e->version)
        choose_version(e, b);
    bool is_full = is_twin && e->plan->twins_are_full;
    e->mask = is_full ? LLVMConstAllOnes(e->mask_type) : e->f.root_mask;
    e->is_full = is_full || e->shapes->map.is_full;
    e->some = NULL;
    if (!sw_jit_is_alone(e)) {
        e->mask = LLVMBuildLoad2(
            B, e->mask_type, sw_jit_leader_slot(e, e->shapes->leader[b]), "");
        e->is_full = false;
        use_known(e, b);
    }
    if (sw_jit_is_serial(e->plan, b))
        emit_serially(e, b);
    if (!piece->first) {
        sw_jit_count_lanes(e, e->mask, block->count);
        sw_jit_tally_block(e);
    } else {
        sw_jit_tally_piece(e);
    }
    sw_jit_find_deaths(e, b);
    for (uint32_t i = 0; i < piece->first; i++) {
        e->ins_index = e->plan->first_ins[b] + i;
        sw_jit_step_over(e, block->ins[i]);
    }
    sw_jit_emit_range(e, block, piece->first,
                      piece->end < block->count ? piece->end
                                                : block->count - 1);
    sw_jit_lines_at(e, block->ins[piece->end - 1]);
    sw_jit_tally_block_end(e);
    if (piece->end < block->count)
        LLVMBuildBr(
            B, sw_jit_way_to(e, (sw_jit_place){SW_JIT_AT_MIDDLE, number + 1}));
    else
        emit_terminator(e, block);
    e->is_twin = false;
}

/* A gate lets its lanes into the block, or the warp passes it by. */
static void
emit_gate(sw_jit_emit *e, uint32_t b)
{
    LLVMPositionBuilderAtEnd(B, e->gates[b]);
    LLVMValueRef m = sw_jit_take_pending(e, e->pending[b]);
    if (sw_jit_all_meet(e->plan, (sw_jit_place){SW_JIT_AT_GATE, b})) {
        LLVMBuildBr(B, e->bodies[b]);
        return;
    }
    if (e->shapes->leader[b] == b)
        LLVMBuildStore(B, m, sw_jit_leader_slot(e, b));
    LLVMBuildCondBr(
        B, sw_jit_any(e, m), e->bodies[b],
        block_at(e, sw_jit_next_gate(e->plan, e->plan->cfg->sched[b])));
}

static void
emit_latch(sw_jit_emit *e, uint32_t l)
{
    uint32_t header = e->plan->cfg->loops[l].header;
    LLVMPositionBuilderAtEnd(B, e->latches[l]);
    LLVMValueRef m = sw_jit_take_pending(e, e->latch_pending[l]);
    if (sw_jit_all_meet(e->plan, (sw_jit_place){SW_JIT_AT_LATCH, l})) {
        m = e->f.root_mask;
    } else {
        LLVMBasicBlockRef again = sw_jit_block(e, "again");
        LLVMBuildCondBr(
            B, sw_jit_any(e, m), again,
            block_at(e,
                     sw_jit_next_gate(e->plan, e->plan->cfg->loops[l].latch)));
        LLVMPositionBuilderAtEnd(B, again);
    }
    e->mask = m;
    sw_jit_count_back_edge(e, l, m);
    if (e->shapes->leader[header] == header)
        LLVMBuildStore(B, m, sw_jit_leader_slot(e, header));
    LLVMBuildBr(B, block_at(e, (sw_jit_place){SW_JIT_AT_BODY, header}));
}

/* In loops with several entries lanes may wait at gates that the warp has
 * passed. */
static void
emit_again(sw_jit_emit *e)
{
    if (!e->f.again)
        return;
    LLVMPositionBuilderAtEnd(B, e->f.again);
    LLVMValueRef slot = sw_jit_spin_slot(e, 0);
    LLVMBasicBlockRef rest = sw_jit_block(e, "rest");
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMValueRef n = LLVMBuildSub(B, LLVMBuildLoad2(B, e->i32, slot, ""),
                                  sw_jit_i32(e, 2), "");
    LLVMBuildStore(B, n, slot);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, n, sw_jit_i32(e, 0), ""),
                    look, rest);
    LLVMPositionBuilderAtEnd(B, rest);
    LLVMBuildStore(B, sw_jit_i32(e, 2 * SW_JIT_TURNS_SUSPECT), slot);
    LLVMValueRef none = LLVMConstNull(e->bits);
    LLVMValueRef args[3] = {sw_jit_i32(e, 0), sw_jit_mask_memory(e, none),
                            sw_jit_i32(e, SW_JIT_SLEEPS)};
    sw_jit_call(e, SW_JIT_SPIN, e->i32, args, 3);
    LLVMBuildBr(B, look);
    LLVMPositionBuilderAtEnd(B, look);
    for (uint32_t b = 0; b < e->plan->fn->block_count; b++) {
        if (!e->gates[b])
            continue;
        LLVMBasicBlockRef next = sw_jit_block(e, "next");
        LLVMValueRef m = sw_jit_load_pending(e, e->pending[b]);
        LLVMBuildCondBr(B, sw_jit_any(e, m), e->gates[b], next);
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

/* What does not depend on the part. */
static void
set_up(sw_jit_emit *e)
{
    const sw_fn *fn = e->plan->fn;
    size_t n = fn->block_count, loops = e->plan->cfg->loop_count;
    e->lanes = e->plan->lanes;
    e->bodies = sw_alloc(n * sizeof *e->bodies);
    e->twins = sw_alloc(n * sizeof *e->twins);
    e->gates = sw_alloc(n * sizeof *e->gates);
    e->pending = sw_alloc(n * sizeof *e->pending);
    e->leader_mask = sw_alloc(n * sizeof *e->leader_mask);
    e->latches = sw_alloc(loops * sizeof *e->latches);
    e->latch_pending = sw_alloc(loops * sizeof *e->latch_pending);
    e->spin_slots = sw_alloc((loops + 1) * sizeof *e->spin_slots);
    sw_jit_rows_open(e);
    sw_jit_textures_open(e);
    sw_vec_init(&e->sites, sizeof(sw_jit_site));
    sw_vec_init(&e->syms, sizeof(sw_sym *));
    e->sym_index = sw_map_create();
    e->slots = sw_alloc(fn->reg_count * sizeof *e->slots);
    e->tested = sw_alloc(fn->reg_count * sizeof *e->tested);
    e->now = sw_alloc((e->plan->live->words + 1) * sizeof *e->now);
    e->scan = sw_alloc((e->plan->live->words + 1) * sizeof *e->scan);
    sw_vec_init(&e->deaths, sizeof(sw_jit_death));
    sw_jit_edges_open(e);
    sw_jit_exits_open(e);
    sw_jit_tally_open(e);
}

/* Nothing of another part's function, module or context can be used. */
static void
set_up_part(sw_jit_emit *e)
{
    const sw_fn *fn = e->plan->fn;
    LLVMContextRef c = e->ll.context;
    size_t n = fn->block_count, loops = e->plan->cfg->loop_count;
    e->i1 = LLVMInt1TypeInContext(c);
    e->i8 = LLVMInt8TypeInContext(c);
    e->i16 = LLVMInt16TypeInContext(c);
    e->i32 = LLVMInt32TypeInContext(c);
    e->i64 = LLVMInt64TypeInContext(c);
    e->ptr = LLVMPointerTypeInContext(c, 0);
    e->nothing = LLVMVoidTypeInContext(c);
    e->bits = LLVMIntTypeInContext(c, e->lanes);
    e->mask_type = LLVMVectorType(e->i1, e->lanes);
    memset(e->bodies, 0, n * sizeof *e->bodies);
    memset(e->twins, 0, n * sizeof *e->twins);
    memset(e->gates, 0, n * sizeof *e->gates);
    memset(e->pending, 0, n * sizeof *e->pending);
    memset(e->leader_mask, 0, n * sizeof *e->leader_mask);
    memset(e->latches, 0, loops * sizeof *e->latches);
    memset(e->latch_pending, 0, loops * sizeof *e->latch_pending);
    memset(e->spin_slots, 0, loops * sizeof *e->spin_slots);
    memset(e->slots, 0, fn->reg_count * sizeof *e->slots);
    memset(e->tested, 0, fn->reg_count * sizeof *e->tested);
    memset(e->asked, 0, sizeof e->asked);
    memset(e->asked_rows, 0, sizeof e->asked_rows);
    sw_vec_clear(&e->seen_rows);
    e->f = (sw_jit_function){0};
    e->fail = NULL;
    e->own_lane = NULL;
    sw_jit_exits_next(e);
    sw_jit_tally_next(e);
}

static void
make_finish(sw_jit_emit *e)
{
    LLVMPositionBuilderAtEnd(B, e->f.finish);
    sw_jit_flush_count(e);
    if (e->f.homes) {
        LLVMBuildRet(B, sw_jit_i32(e, 0));
        return;
    }
    if (e->plan->series) {
        sw_jit_end_in_series(e);
        return;
    }
    if (sw_jit_meets_at_barriers(e->plan)) {
        LLVMValueRef done = sw_jit_call(e, SW_JIT_DONE, e->nothing, NULL, 0);
        LLVMSetTailCallKind(done, LLVMTailCallKindMustTail);
    }
    LLVMBuildRetVoid(B);
}

/* The blocks of a loop once more, as one of its versions; back to its header,
 * by gates of other blocks and by its latch it goes as the others do. */
static void
emit_version(sw_jit_emit *e, const sw_jit_version *v)
{
    uint32_t count, n = e->plan->fn->block_count;
    uint32_t header = e->plan->cfg->loops[v->loop].header;
    const sw_jit_piece *pieces = sw_jit_pieces(e->plan, &count);
    LLVMBasicBlockRef *bodies = e->bodies, *gates = e->gates;
    e->bodies = sw_alloc(n * sizeof *e->bodies);
    e->gates = sw_alloc(n * sizeof *e->gates);
    for (uint32_t b = 0; b < n; b++) {
        bool is_own =
            b != header && sw_cfg_is_in_loop(e->plan->cfg, v->loop, b);
        e->bodies[b] =
            is_own && bodies[b] ? sw_jit_block(e, "body") : bodies[b];
        e->gates[b] = is_own && gates[b] ? sw_jit_block(e, "gate") : gates[b];
    }
    e->version = v;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = pieces[i].block;
        if (!sw_cfg_is_in_loop(e->plan->cfg, v->loop, b))
            continue;
        emit_body(e, i, false);
        if (b != header && e->gates[b])
            emit_gate(e, b);
    }
    e->version = NULL;
    memset(e->tested, 0, e->plan->fn->reg_count * sizeof *e->tested);
    sw_free(e->bodies);
    sw_free(e->gates);
    e->bodies = bodies;
    e->gates = gates;
}

/* The blocks of the pieces of this part. */
static void
make_blocks(sw_jit_emit *e)
{
    uint32_t count;
    const sw_jit_piece *pieces = sw_jit_pieces(e->plan, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = pieces[i].block;
        if (pieces[i].part != e->part)
            continue;
        if (pieces[i].first) {
            e->f.middle = sw_jit_block(e, "middle");
            continue;
        }
        e->bodies[b] = sw_jit_block(e, "body");
        if (e->plan->has_twin[b])
            e->twins[b] = sw_jit_block(e, "twin");
    }
    for (size_t i = 0; i < e->plan->versions.count; i++)
        e->version_starts[i] = sw_jit_block(e, "version");
}

/* The function's beginning and end. */
static void
make_function(sw_jit_emit *e)
{
    bool is_called = !e->plan->fn->is_entry;
    LLVMTypeRef params[2] = {e->ptr, e->i32};
    LLVMTypeRef type = LLVMFunctionType(is_called ? e->i32 : e->nothing, params,
                                        is_called ? 2 : 1, 0);
    e->f.function = LLVMAddFunction(e->ll.module, SW_JIT_ENTRY, type);
    sw_jit_lines_open(e);
    e->f.top = sw_jit_block(e, "top");
    e->f.entry = sw_jit_block(e, "entry");
    LLVMPositionBuilderAtEnd(B, e->f.top);
    e->f.ctx_slot = LLVMBuildAlloca(B, e->ptr, "");
    LLVMBuildStore(B, LLVMGetParam(e->f.function, 0), e->f.ctx_slot);
    if (e->plan->series)
        sw_jit_begin_series(e);
    LLVMBuildBr(B, e->f.entry);
    LLVMPositionBuilderAtEnd(B, e->f.entry);
    if (e->plan->series)
        sw_jit_begin_in_series(e);
    if (is_called)
        sw_jit_called_begin(e);
    e->f.root_mask =
        is_called ? LLVMBuildBitCast(B, LLVMGetParam(e->f.function, 1),
                                     e->mask_type, "")
        : e->shapes->map.is_full
            ? LLVMConstAllOnes(e->mask_type)
            : LLVMBuildBitCast(
                  B,
                  sw_jit_field(e, offsetof(sw_jit_ctx, lanes), e->bits, true),
                  e->mask_type, "");
    if (e->plan->rq->count_ins)
        e->f.count_slot = sw_jit_zero_slot(e, e->i64);
    make_blocks(e);
    uint64_t pending_bytes = sw_jit_place_pending(e);
    make_gates(e);
    e->f.finish = sw_jit_block(e, "finish");
    if (e->plan->cfg->irreducible)
        e->f.again = sw_jit_block(e, "again");
    LLVMBasicBlockRef start = e->part ? NULL : sw_jit_block(e, "start");
    sw_jit_come_in(e, start, block_here);
    if (start) {
        LLVMPositionBuilderAtEnd(B, start);
        if (pending_bytes)
            LLVMBuildMemSet(B, e->f.pending_base, LLVMConstNull(e->i8),
                            sw_jit_i64(e, pending_bytes), 4);
        if (is_called)
            sw_jit_called_take(e);
        if (e->shapes->leader[0] == 0)
            LLVMBuildStore(B, e->f.root_mask, sw_jit_leader_slot(e, 0));
        if (e->plan->twins_are_full)
            sw_jit_likely(e,
                          LLVMBuildCondBr(B, sw_jit_all(e, e->f.root_mask),
                                          e->twins[0], e->bodies[0]),
                          true);
        else
            LLVMBuildBr(B, e->bodies[0]);
    }
}

/* ---- the kernel ---- */

uint32_t
sw_jit_emit_open(sw_jit_emit *e, const sw_jit_request *rq)
{
    sw_jit_machine machine = {.has_avx2 = e->has_avx2,
                              .has_avx512 = e->ll.has_avx512,
                              .arg = &e->ll,
                              .supports = supports,
                              .may_flush = may_flush,
                              .is_raw = sw_jit_alu_is_raw};
    e->plan = e->kernel = sw_jit_plan_create(rq, &machine);
    e->ll.flushes = e->plan->flushes;
    set_up(e);
    return e->plan->phases > 1 ? e->plan->phases : sw_jit_part_count(e->plan);
}

static void
begin_part(sw_jit_emit *e, uint32_t number)
{
    bool has_phases = e->kernel->phases > 1;
    e->number = number;
    e->is_one = !has_phases && sw_jit_part_count(e->kernel) == 1;
    e->plan = has_phases ? e->kernel->of_phase[number] : e->kernel;
    e->part = has_phases ? 0 : number;
    drop_shapes(e);
    copy_shapes(e);
    sw_free(e->version_starts);
    e->version_starts =
        sw_alloc((e->plan->versions.count + 1) * sizeof *e->version_starts);
    set_up_part(e);
}

void
sw_jit_emit_part(sw_jit_emit *e, uint32_t number)
{
    uint32_t count;
    begin_part(e, number);
    const sw_jit_piece *pieces = sw_jit_pieces(e->plan, &count);
    make_function(e);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = pieces[i].block;
        if (pieces[i].part != e->part)
            continue;
        emit_body(e, i, false);
        if (e->twins[b])
            emit_body(e, i, true);
        if (!pieces[i].first && e->gates[b])
            emit_gate(e, b);
    }
    for (size_t i = 0; i < e->plan->versions.count; i++)
        emit_version(e, sw_vec_at(&e->plan->versions, i));
    for (uint32_t l = 1; l < e->plan->cfg->loop_count; l++)
        if (e->latches[l])
            emit_latch(e, l);
    emit_again(e);
    make_finish(e);
}

void
sw_jit_emit_finish(sw_jit_emit *e)
{
    e->plan = e->kernel;
    sw_free(e->slots);
    sw_free(e->tested);
    sw_jit_chunks_clear(e, NULL);
    sw_jit_structs_clear(e, NULL);
    sw_free(e->bodies);
    sw_free(e->twins);
    sw_free(e->gates);
    sw_free(e->pending);
    sw_free(e->latches);
    sw_free(e->latch_pending);
    sw_free(e->leader_mask);
    sw_free(e->spin_slots);
    sw_free(e->now);
    sw_free(e->scan);
    sw_vec_finish(&e->deaths);
    sw_free(e->version_starts);
    sw_jit_edges_finish(e);
    sw_jit_exits_finish(e);
    sw_jit_tally_finish(e);
    sw_vec_finish(&e->seen_rows);
    sw_vec_finish(&e->textures);
    sw_vec_finish(&e->sites);
    sw_vec_finish(&e->syms);
    sw_map_destroy(e->sym_index);
    drop_shapes(e);
    sw_jit_plan_destroy(e->kernel);
}
