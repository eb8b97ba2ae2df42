/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_loop.c - loops that lanes run one after another.
 *
 * Where each lane goes through a list of its own, a row of a sparse matrix or a
 * node's neighbours, there is little to gain from vectors: what lanes read lies
 * anywhere, lane by lane, and a warp goes around until its longest list ends.
 * So each lane runs such a loop to its end, as scalar code, before the next one
 * does. It only reads, so that nobody can tell.
 *
 * The scalar code is that of the emitter for registers which are the same in
 * all lanes: for as long as the loop is emitted all its registers are taken for
 * such, with slots of their own. Lanes' values come from vectors on the stack
 * and go there. A lane for which a test fails, as an address is not accessible,
 * has done nothing yet: it begins once more, with all others of its kind, in
 * the loop by vectors, and no lane of the warp is run so any more.
 *
 * The same suits loops that store, `b[i * n + j] = a[i * n + j]`: each lane
 * goes through what is its own, which lies side by side. There nothing may
 * fail, and it has to be seen before that no lane moves what another one
 * stores. Of a thread's local memory (emit/scalar_private.c) that is known;
 * there a lane that has gone around very often goes on by vectors where it is,
 * and begins again from there.
 */
#include <string.h>

#include "jit/emit/scalar_loop.h"
#include "jit/tune.h"

#define B e->ll.builder

/* Where a register is that goes along with a lane. */
typedef struct {
    LLVMValueRef lanes;        /* slot of a vector, or NULL */
    sw_jit_slot slot;          /* what it has outside */
    LLVMValueRef begins, base; /* before a lane's first turn; outside */
} carried;

typedef struct {
    sw_jit_scalar_loop plan;
    carried regs[SW_JIT_SCALAR_REGS];
    LLVMValueRef gone[SW_JIT_SCALAR_EXITS]; /* slots: who goes there, */
    LLVMValueRef turns;                     /* ... how many a lane has left */
} scalar_loop;

/* The first load by an address that is there before the turn; or NULL. */
static const sw_ins *
first_far(const sw_jit_emit *e, const scalar_loop *s)
{
    for (uint32_t i = 0; i + 1 < s->plan.block->count; i++) {
        const sw_ins *ins = s->plan.block->ins[i];
        const sw_opnd *o = sw_ins_src(ins, 0);
        if (ins->op != SW_OP_LD || o->kind != SW_OPND_REG ||
            e->shapes->regs[o->reg].kind != SW_SHAPE_VARYING)
            continue;
        for (unsigned k = 0; k < s->plan.count; k++)
            if (s->plan.regs[k].reg == o->reg && s->plan.regs[k].enters)
                return ins;
    }
    return NULL;
}

/* i1: more than one lane runs, and their lists lie at one distance from each
 * other, maybe at none: then vectors find what is side by side. */
static LLVMValueRef
lie_in_step(sw_jit_emit *e, const sw_ins *load)
{
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef first = sw_jit_first_of(e, bits);
    LLVMValueRef fewer = LLVMBuildSub(B, bits, sw_jit_i32(e, 1), "");
    LLVMValueRef many = LLVMBuildICmp(
        B, LLVMIntNE, LLVMBuildAnd(B, bits, fewer, ""), sw_jit_i32(e, 0), "");
    LLVMValueRef second = LLVMBuildAnd(
        B, LLVMBuildAdd(B, first, sw_jit_i32(e, 1), ""), sw_jit_i32(e, 31), "");
    sw_jit_value v = sw_jit_read_reg(e, sw_ins_src(load, 0)->reg);
    LLVMValueRef at = sw_jit_lanes(e, &v);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(at));
    LLVMValueRef one = LLVMBuildExtractElement(B, at, first, "");
    LLVMValueRef step =
        LLVMBuildSub(B, LLVMBuildExtractElement(B, at, second, ""), one, "");
    int64_t number[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        number[i] = i;
    LLVMValueRef back =
        LLVMBuildMul(B, step, LLVMBuildIntCast2(B, first, type, 0, ""), "");
    LLVMValueRef in_step =
        LLVMBuildMul(B, sw_jit_splat(e, step, e->lanes),
                     sw_jit_const_lanes(type, number, e->lanes), "");
    in_step = LLVMBuildAdd(
        B, in_step, sw_jit_splat(e, LLVMBuildSub(B, one, back, ""), e->lanes),
        "");
    LLVMValueRef out = LLVMBuildICmp(B, LLVMIntNE, at, in_step, "");
    out = LLVMBuildAnd(B, out, e->mask.lanes, "");
    return LLVMBuildAnd(B, many, LLVMBuildNot(B, sw_jit_any(e, out), ""), "");
}

/* i1: few lanes run. */
static LLVMValueRef
are_few(sw_jit_emit *e)
{
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &e->t.bits, 1, &bits, 1);
    return LLVMBuildICmp(B, LLVMIntULE, n,
                         sw_jit_i32(e, sw_jit_tune.scalar_few_lanes), "");
}

static bool
has_choices(const sw_jit_emit *e, const scalar_loop *s)
{
    for (unsigned k = 0; k < s->plan.block_count; k++)
        if (sw_jit_scalar_is_chosen(e->plan, &s->plan, s->plan.blocks[k]))
            return true;
    return false;
}

/* Of a loop that reads. */
static LLVMValueRef
suits_reading(sw_jit_emit *e, const scalar_loop *s)
{
    const sw_ins *load = first_far(e, s);
    if (!e->f.scalar_turns)
        e->f.scalar_turns =
            sw_jit_first_slot(e, sw_jit_i32(e, sw_jit_tune.scalar_back_edges));
    LLVMValueRef turns = LLVMBuildLoad2(B, e->t.i32, e->f.scalar_turns, "");
    turns = LLVMBuildICmp(B, LLVMIntSGT, turns, sw_jit_i32(e, 0), "");
    if (has_choices(e, s))
        turns = LLVMBuildAnd(B, turns, are_few(e), "");
    if (!load)
        return turns;
    return LLVMBuildAnd(B, turns, LLVMBuildNot(B, lie_in_step(e, load), ""),
                        "");
}

/* Of one that stores. */
static LLVMValueRef
suits_storing(sw_jit_emit *e, void *arg)
{
    sw_jit_precheck *a = arg;
    LLVMValueRef ok = sw_jit_emit_precheck(e, a);
    return LLVMBuildAnd(B, ok, sw_jit_test_apart(e, a), "");
}

LLVMValueRef
sw_jit_suits_scalar_loop(sw_jit_emit *e, uint32_t b)
{
    scalar_loop s = {0};
    sw_jit_precheck a = {0};
    bool is = sw_jit_find_scalar_loop(e->plan, b, &s.plan, &a.plan);
    SW_ASSERT(is);
    return s.plan.has_private ? sw_jit_lie_apart(e, &s.plan)
           : s.plan.stores    ? sw_jit_ask_seldom(e, sw_jit_tune.scalar_skip,
                                                  suits_storing, &a)
                              : suits_reading(e, &s);
}

static LLVMValueRef
lane_of(sw_jit_emit *e, const scalar_loop *s, unsigned i, LLVMValueRef lane)
{
    sw_reg reg = s->plan.regs[i].reg;
    LLVMTypeRef type = sw_jit_class_type(e, e->plan->fn->regs[reg].cls);
    return LLVMBuildGEP2(B, type, s->regs[i].lanes, &lane, 1, "");
}

/* What all lanes hold goes to the stack. */
static void
spread_lanes(sw_jit_emit *e, scalar_loop *s)
{
    for (unsigned i = 0; i < s->plan.count; i++) {
        const sw_jit_scalar_reg *r = &s->plan.regs[i];
        if (r->shape.kind != SW_SHAPE_VARYING && r->is_written && r->enters)
            s->regs[i].base = LLVMBuildLoad2(
                B, sw_jit_class_type(e, e->plan->fn->regs[r->reg].cls),
                sw_jit_reg_slot(e, r->reg)->base, "");
        if ((!r->leaves && !r->enters) || sw_jit_scalar_is_uniform(r))
            continue;
        sw_jit_value v = sw_jit_read_reg(e, r->reg);
        LLVMValueRef lanes = sw_jit_lanes(e, &v);
        s->regs[i].lanes = sw_jit_slot_of(e, LLVMTypeOf(lanes));
        LLVMBuildStore(B, lanes, s->regs[i].lanes);
    }
}

/* Who goes on in the loop needs what it is by then. */
static bool
goes_on(const sw_jit_scalar_reg *r)
{
    return r->enters && r->is_written;
}

static void
collect_lanes(sw_jit_emit *e, const scalar_loop *s)
{
    for (unsigned i = 0; i < s->plan.count; i++) {
        const sw_jit_scalar_reg *r = &s->plan.regs[i];
        if (!(r->leaves || (s->plan.has_private && goes_on(r))) ||
            r->shape.kind != SW_SHAPE_VARYING)
            continue;
        LLVMTypeRef type = LLVMVectorType(
            sw_jit_class_type(e, e->plan->fn->regs[r->reg].cls), e->lanes);
        LLVMBuildStore(B, LLVMBuildLoad2(B, type, s->regs[i].lanes, ""),
                       sw_jit_reg_slot(e, r->reg)->base);
    }
}

/* The registers are one lane's, or all lanes' again. */
static void
enter(sw_jit_emit *e, scalar_loop *s)
{
    sw_jit_exits_renew(e);
    for (unsigned i = 0; i < s->plan.count; i++) {
        const sw_jit_scalar_reg *r = &s->plan.regs[i];
        if (sw_jit_scalar_is_outside(r))
            continue;
        s->regs[i].slot = e->f.slots[r->reg];
        e->f.slots[r->reg] = (sw_jit_slot){0};
        e->shapes->regs[r->reg] =
            (sw_shape){.kind = SW_SHAPE_UNIFORM, .max = UINT32_MAX};
    }
}

static void
leave(sw_jit_emit *e, const scalar_loop *s)
{
    sw_jit_exits_renew(e);
    for (unsigned i = 0; i < s->plan.count; i++) {
        const sw_jit_scalar_reg *r = &s->plan.regs[i];
        if (sw_jit_scalar_is_outside(r))
            continue;
        e->f.slots[r->reg] = s->regs[i].slot;
        e->shapes->regs[r->reg] = r->shape;
    }
}

/* Values of a lane, before its first turn. */
static void
take_lane(sw_jit_emit *e, scalar_loop *s, LLVMValueRef lane)
{
    for (unsigned i = 0; i < s->plan.count; i++) {
        const sw_jit_scalar_reg *r = &s->plan.regs[i];
        if (!r->enters || sw_jit_scalar_is_outside(r))
            continue;
        LLVMTypeRef type = sw_jit_class_type(e, e->plan->fn->regs[r->reg].cls);
        s->regs[i].begins =
            s->regs[i].lanes
                ? LLVMBuildLoad2(B, type, lane_of(e, s, i, lane), "")
                : s->regs[i].base;
        LLVMBuildStore(B, s->regs[i].begins, sw_jit_reg_slot(e, r->reg)->base);
    }
}

/* And after its last one: what all lanes share has moved as far for each. */
static void
put_lane(sw_jit_emit *e, const scalar_loop *s, LLVMValueRef lane)
{
    for (unsigned i = 0; i < s->plan.count; i++) {
        const sw_jit_scalar_reg *r = &s->plan.regs[i];
        if (!r->leaves)
            continue;
        LLVMValueRef x = sw_jit_read_reg(e, r->reg).base;
        if (r->shape.kind == SW_SHAPE_VARYING) {
            LLVMBuildStore(B, x, lane_of(e, s, i, lane));
            continue;
        }
        x = LLVMBuildSub(B, x, s->regs[i].begins, "");
        LLVMBuildStore(B, LLVMBuildAdd(B, s->regs[i].base, x, ""),
                       s->regs[i].slot.base);
    }
}

/* And before a turn that it will not do. */
static void
put_lane_back(sw_jit_emit *e, const scalar_loop *s, LLVMValueRef lane)
{
    for (unsigned i = 0; i < s->plan.count; i++)
        if (goes_on(&s->plan.regs[i]))
            LLVMBuildStore(B, sw_jit_read_reg(e, s->plan.regs[i].reg).base,
                           lane_of(e, s, i, lane));
}

/* One turn fewer is left, or the lane fails. */
static void
count_turn(sw_jit_emit *e, LLVMValueRef turns)
{
    LLVMBasicBlockRef go = sw_jit_block(e, "go");
    LLVMValueRef n = LLVMBuildSub(B, LLVMBuildLoad2(B, e->t.i32, turns, ""),
                                  sw_jit_i32(e, 1), "");
    LLVMBuildStore(B, n, turns);
    n = LLVMBuildICmp(B, LLVMIntSGT, n, sw_jit_i32(e, 0), "");
    sw_jit_likely(e, LLVMBuildCondBr(B, n, go, e->at.fail), true);
    LLVMPositionBuilderAtEnd(B, go);
}

/* Where a lane goes from a block of the loop to another; at[]: of each. */
static LLVMBasicBlockRef
way_to(const scalar_loop *s, const LLVMBasicBlockRef *at, uint32_t to,
       const LLVMBasicBlockRef *done)
{
    unsigned k = 0;
    while (k < s->plan.block_count && s->plan.blocks[k] != to)
        k++;
    if (k < s->plan.block_count)
        return at[k];
    /* of a loop of one block, maybe by way of another one */
    for (k = 0; k < s->plan.exit_count; k++)
        if (s->plan.exits[k] == to)
            return done[k];
    return at[0];
}

/* To one of a list. */
static void
emit_ways(sw_jit_emit *e, const scalar_loop *s, const sw_block *block,
          const LLVMBasicBlockRef *at, const LLVMBasicBlockRef *done)
{
    e->at.ins = block->ins[block->count - 1];
    e->at.index = e->plan->first_ins[e->b.block] + block->count - 1;
    LLVMBasicBlockRef bad = sw_jit_block(e, "bad");
    LLVMValueRef n = sw_jit_read_exact(e, e->at.ins, 0).base;
    LLVMValueRef way = LLVMBuildSwitch(B, n, bad, block->target_count);
    for (uint32_t i = 0; i < block->target_count; i++)
        LLVMAddCase(way, LLVMConstInt(LLVMTypeOf(n), i, 0),
                    way_to(s, at, block->targets[i], done));
    LLVMPositionBuilderAtEnd(B, bad); /* which is a fault */
    sw_jit_emit_final_exit(e, sw_jit_own_bit(e));
}

static void
emit_way(sw_jit_emit *e, const scalar_loop *s, const sw_block *block,
         const LLVMBasicBlockRef *at, const LLVMBasicBlockRef *done)
{
    const sw_ins *bra = block->ins[block->count - 1];
    if (bra->op == SW_OP_BRX) {
        emit_ways(e, s, block, at, done);
        return;
    }
    LLVMBasicBlockRef to[2] = {way_to(s, at, block->targets[0], done)};
    if (!bra->guard || block->target_count == 1) {
        LLVMBuildBr(B, to[0]);
        return;
    }
    to[1] = way_to(s, at, block->targets[1], done);
    LLVMBuildCondBr(B, sw_jit_read_reg(e, bra->guard).base, to[bra->guard_neg],
                    to[!bra->guard_neg]);
}

/* The loop of one lane: from `turn` to `done` of its exit, or to e->at.fail. */
static void
emit_turns(sw_jit_emit *e, const scalar_loop *s,
           const sw_jit_precheck_plan *precheck, LLVMBasicBlockRef turn,
           const LLVMBasicBlockRef *done)
{
    uint32_t before = e->b.block;
    LLVMBasicBlockRef at[SW_JIT_SCALAR_BLOCKS];
    for (unsigned k = 0; k < s->plan.block_count; k++)
        at[k] = s->plan.blocks[k] == before ? turn : sw_jit_block(e, "turn_on");
    for (unsigned k = 0; k < s->plan.block_count; k++) {
        const sw_block *block = e->plan->fn->blocks[s->plan.blocks[k]];
        LLVMPositionBuilderAtEnd(B, at[k]);
        e->b.block = s->plan.blocks[k];
        memset(e->f.tested, 0, e->plan->fn->reg_count * sizeof *e->f.tested);
        if (precheck)
            sw_jit_note_tested(e, precheck);
        else if (block == s->plan.block)
            count_turn(e, s->plan.has_private ? s->turns : e->f.scalar_turns);
        for (uint32_t i = 0; i + 1 < block->count; i++) {
            e->at.index = e->plan->first_ins[e->b.block] + i;
            sw_jit_lines_at(e, block->ins[i]);
            sw_jit_emit_ins(e, block->ins[i]);
        }
        emit_way(e, s, block, at, done);
    }
    memset(e->f.tested, 0, e->plan->fn->reg_count * sizeof *e->f.tested);
    e->b.block = before;
}

static void
add_bit(sw_jit_emit *e, LLVMValueRef slot, LLVMValueRef bit)
{
    LLVMValueRef bits = LLVMBuildLoad2(B, e->t.i32, slot, "");
    LLVMBuildStore(B, LLVMBuildOr(B, bits, bit, ""), slot);
}

/* All lanes whose bits `left` has, one after the other, from block `look` on,
 * then `over`; those that fail are put into `rest`. precheck: what was tested,
 * or NULL. */
static void
emit_lanes(sw_jit_emit *e, scalar_loop *s, const sw_jit_precheck_plan *precheck,
           LLVMValueRef left, LLVMValueRef rest, LLVMBasicBlockRef look,
           LLVMBasicBlockRef over)
{
    LLVMBasicBlockRef one = sw_jit_block(e, "one");
    LLVMBasicBlockRef turn = sw_jit_block(e, "turn");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    LLVMBasicBlockRef fail = sw_jit_block(e, "fail");
    LLVMBasicBlockRef gone[SW_JIT_SCALAR_EXITS] = {done};
    LLVMPositionBuilderAtEnd(B, look);
    LLVMValueRef bits = LLVMBuildLoad2(B, e->t.i32, left, "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, bits, sw_jit_i32(e, 0), ""),
                    over, one);

    enter(e, s);
    LLVMPositionBuilderAtEnd(B, one);
    LLVMValueRef lane = sw_jit_first_of(e, bits);
    LLVMValueRef fewer = LLVMBuildSub(B, bits, sw_jit_i32(e, 1), "");
    LLVMBuildStore(B, LLVMBuildAnd(B, bits, fewer, ""), left);
    LLVMValueRef bit = LLVMBuildAnd(B, bits, LLVMBuildNeg(B, bits, ""), "");
    take_lane(e, s, lane);
    if (s->plan.has_private)
        LLVMBuildStore(B, sw_jit_i32(e, sw_jit_tune.scalar_back_edges),
                       s->turns);
    LLVMBuildBr(B, turn);
    for (unsigned k = 0; k < s->plan.exit_count && s->plan.has_private; k++) {
        gone[k] = sw_jit_block(e, "gone");
        LLVMPositionBuilderAtEnd(B, gone[k]);
        add_bit(e, s->gone[k], bit);
        LLVMBuildBr(B, done);
    }
    e->at.own_lane = s->plan.has_private ? lane : NULL;
    e->at.fail = fail;
    sw_jit_mask before = sw_jit_mask_set_all(e);
    emit_turns(e, s, precheck, turn, gone);
    sw_jit_mask_restore(e, &before);
    e->at.fail = NULL;
    e->at.own_lane = NULL;
    LLVMPositionBuilderAtEnd(B, done);
    put_lane(e, s, lane);
    LLVMBuildBr(B, look);

    LLVMPositionBuilderAtEnd(B, fail);
    add_bit(e, rest, bit);
    if (s->plan.has_private)
        put_lane_back(e, s, lane);
    else if (e->f.scalar_turns) /* else nothing comes here */
        LLVMBuildStore(B, sw_jit_i32(e, 0), e->f.scalar_turns);
    LLVMBuildBr(B, look);
    leave(e, s);
}

static LLVMValueRef
mask_in(sw_jit_emit *e, LLVMValueRef slot)
{
    return LLVMBuildBitCast(B, LLVMBuildLoad2(B, e->t.i32, slot, ""),
                            e->t.mask_type, "");
}

LLVMValueRef
sw_jit_emit_scalar_loop(sw_jit_emit *e, uint32_t b, sw_jit_exit *exits,
                        unsigned *count)
{
    scalar_loop s = {0};
    sw_jit_precheck precheck = {0};
    bool is = sw_jit_find_scalar_loop(e->plan, b, &s.plan, &precheck.plan);
    SW_ASSERT(is);
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMBasicBlockRef over = sw_jit_block(e, "over");
    LLVMValueRef left = sw_jit_slot_of(e, e->t.i32),
                 rest = sw_jit_slot_of(e, e->t.i32);
    LLVMBuildStore(B, sw_jit_mask_bits(e, e->mask.lanes), left);
    LLVMBuildStore(B, sw_jit_i32(e, 0), rest);
    spread_lanes(e, &s);
    s.turns = sw_jit_slot_of(e, e->t.i32);
    for (unsigned k = 0; k < s.plan.exit_count; k++) {
        s.gone[k] = sw_jit_slot_of(e, e->t.i32);
        LLVMBuildStore(B, sw_jit_i32(e, 0), s.gone[k]);
    }
    if (s.plan.stores) {
        LLVMBuildBr(B, look);
        emit_lanes(e, &s, &precheck.plan, left, rest, look, over);
    } else if (s.plan.block_count == 1 &&
               sw_jit_find_precheck(e->plan, &s.plan, &precheck.plan)) {
        LLVMBasicBlockRef known = sw_jit_block(e, "known");
        LLVMValueRef ok = sw_jit_emit_precheck(e, &precheck);
        sw_jit_likely(e, LLVMBuildCondBr(B, ok, known, look), true);
        emit_lanes(e, &s, &precheck.plan, left, rest, known, over);
        emit_lanes(e, &s, NULL, left, rest, look, over);
    } else {
        LLVMBuildBr(B, look);
        emit_lanes(e, &s, NULL, left, rest, look, over);
    }

    LLVMPositionBuilderAtEnd(B, over);
    collect_lanes(e, &s);
    *count = s.plan.exit_count;
    LLVMValueRef others = mask_in(e, rest);
    for (unsigned k = 0; k < s.plan.exit_count; k++) {
        exits[k].block = s.plan.exits[k];
        exits[k].lanes = s.plan.has_private
                             ? mask_in(e, s.gone[k])
                             : LLVMBuildAnd(B, e->mask.lanes,
                                            LLVMBuildNot(B, others, ""), "");
    }
    return s.plan.stores ? NULL : others;
}
