/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_serial.c - loops that lanes run one after another.
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
 */
#include <string.h>

#include "jit/emit_serial.h"

#define B e->ll.builder

enum {
    INS_A_LOAD = 8, /* more arithmetic is worth vectors */
    TURNS = 1 << 20 /* of a warp's lanes; who loops longer may be stuck */
};

static sw_jit_serial_reg *
find(sw_jit_serial *s, sw_reg reg)
{
    unsigned i = 0;
    while (i < s->count && s->regs[i].reg != reg)
        i++;
    if (i == s->count && i < SW_JIT_SERIAL_REGS)
        s->regs[s->count++] = (sw_jit_serial_reg){.reg = reg};
    return i < SW_JIT_SERIAL_REGS ? &s->regs[i] : NULL;
}

static void
note_read(void *data, sw_reg reg)
{
    find(data, reg);
}

static void
note_write(void *data, sw_reg reg)
{
    sw_jit_serial_reg *r = find(data, reg);
    if (r)
        r->is_written = true;
}

static bool
is_load(const sw_ins *ins)
{
    return ins->op == SW_OP_LD && ins->order == 0 &&
           ins->space != SW_SPACE_LOCAL && !sw_jit_is_unusual(ins);
}

static bool
is_plain(const sw_jit_emit *e, const sw_ins *ins)
{
    return !ins->guard &&
           (is_load(ins) ||
            (sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE &&
             ins->op != SW_OP_ADDR && ins->op != SW_OP_CVTA &&
             ins->op != SW_OP_ISSPACEP && ins->nsrc <= 16 && ins->ndst <= 8 &&
             sw_jit_alu_supports(&e->ll, e->fn, ins)));
}

/* Which of its registers depend on what the loop has loaded (from_load), and on
 * which of them an address depends, in this turn or a later one. */
typedef struct {
    const sw_jit_serial *s;
    bool from_load[SW_JIT_SERIAL_REGS], to_address[SW_JIT_SERIAL_REGS];
    bool any; /* of the instruction's sources or results */
    bool *set;
    const bool *asked;
    bool changed;
} flow;

static unsigned
number_of(const sw_jit_serial *s, sw_reg reg)
{
    unsigned i = 0;
    while (s->regs[i].reg != reg)
        i++;
    return i;
}

static void
ask(void *data, sw_reg reg)
{
    flow *f = data;
    f->any |= f->asked[number_of(f->s, reg)];
}

static void
set(void *data, sw_reg reg)
{
    flow *f = data;
    bool *b = &f->set[number_of(f->s, reg)];
    f->changed |= !*b;
    *b = true;
}

/* A list that is followed by what stands in its elements waits for memory at
 * each step; many lanes wait together. */
static bool
is_chase(const sw_jit_serial *s)
{
    flow f = {.s = s, .changed = true};
    while (f.changed) {
        f.changed = false;
        for (uint32_t i = 0; i + 1 < s->block->count; i++) {
            const sw_ins *ins = s->block->ins[i];
            f.any = ins->op == SW_OP_LD;
            f.asked = f.set = f.from_load;
            sw_ins_visit_reads(ins, ask, &f);
            if (f.any)
                sw_ins_visit_writes(ins, set, &f);
            f.any = ins->op == SW_OP_LD;
            f.asked = f.set = f.to_address;
            sw_ins_visit_writes(ins, ask, &f);
            if (f.any)
                sw_ins_visit_reads(ins, set, &f);
        }
    }
    for (unsigned k = 0; k < s->count; k++)
        if (s->regs[k].enters && s->regs[k].is_written && f.from_load[k] &&
            f.to_address[k])
            return true;
    return false;
}

static bool
has_bit(const uint64_t *set, sw_reg reg)
{
    return set[reg / 64] >> reg % 64 & 1;
}

/* Where they live; false: what enters or leaves cannot be carried. */
static bool
look_at_regs(const sw_jit_emit *e, uint32_t b, sw_jit_serial *s)
{
    const uint64_t *in = e->live->in + b * e->live->words,
                   *out = e->live->in + s->exit * e->live->words;
    for (unsigned i = 0; i < s->count; i++) {
        sw_jit_serial_reg *r = &s->regs[i];
        sw_class cls = e->fn->regs[r->reg].cls;
        r->shape = e->shapes->regs[r->reg];
        r->enters = has_bit(in, r->reg);
        r->leaves = r->is_written && has_bit(out, r->reg);
        if ((r->enters || r->leaves) && cls != SW_CLASS_B16 &&
            cls != SW_CLASS_B32 && cls != SW_CLASS_B64)
            return false;
        if (r->leaves && r->shape.kind != SW_SHAPE_VARYING)
            return false;
    }
    return true;
}

/* To b, maybe by way of a block that has nothing but that. */
static bool
goes_to(const sw_jit_emit *e, uint32_t from, uint32_t b)
{
    const sw_block *block = e->fn->blocks[from];
    return from == b || (block->count == 1 && block->ins[0]->op == SW_OP_BRA &&
                         block->target_count == 1 && block->targets[0] == b);
}

/* Fills in what is known; false: it is no such loop. */
static bool
look_at(const sw_jit_emit *e, uint32_t b, sw_jit_serial *s)
{
    const sw_block *block = e->fn->blocks[b];
    const sw_ins *bra = block->ins[block->count - 1];
    unsigned loads = 0, far = 0;
    *s = (sw_jit_serial){.block = block};
    if (e->lanes != 32 || e->tally || e->count_slot || !e->shapes->parts[b] ||
        bra->op != SW_OP_BRA || !bra->guard || block->target_count != 2 ||
        e->shapes->leader[b] != b || sw_jit_part_count(e) > 1)
        return false;
    bool first = goes_to(e, block->targets[0], b);
    if (first == goes_to(e, block->targets[1], b))
        return false;
    s->exit = block->targets[first];
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        if (!is_plain(e, ins))
            return false;
        sw_ins_visit_reads(ins, note_read, s);
        sw_ins_visit_writes(ins, note_write, s);
        if (ins->op != SW_OP_LD)
            continue;
        sw_shape shape = sw_shapes_source(e->shapes, ins, 0);
        loads++;
        far += shape.kind == SW_SHAPE_VARYING;
        if (shape.kind == SW_SHAPE_AFFINE || shape.kind == SW_SHAPE_WIDE)
            return false;
    }
    note_read(s, bra->guard);
    if (!far || block->count > INS_A_LOAD * loads ||
        s->count == SW_JIT_SERIAL_REGS)
        return false;
    return look_at_regs(e, b, s) && !is_chase(s);
}

bool
sw_jit_is_serial(const sw_jit_emit *e, uint32_t b)
{
    sw_jit_serial s;
    return look_at(e, b, &s);
}

/* ---- emission ---- */

static bool
is_uniform(const sw_jit_serial_reg *r)
{
    return r->shape.kind == SW_SHAPE_UNIFORM || r->shape.kind == SW_SHAPE_NONE;
}

/* It stays what it is. */
static bool
is_outside(const sw_jit_serial_reg *r)
{
    return is_uniform(r) && !r->is_written;
}

/* The first load by an address that is there before the turn; or NULL. */
static const sw_ins *
first_far(const sw_jit_emit *e, const sw_jit_serial *s)
{
    for (uint32_t i = 0; i + 1 < s->block->count; i++) {
        const sw_ins *ins = s->block->ins[i];
        const sw_opnd *o = sw_ins_src(ins, 0);
        if (ins->op != SW_OP_LD || o->kind != SW_OPND_REG ||
            e->shapes->regs[o->reg].kind != SW_SHAPE_VARYING)
            continue;
        for (unsigned k = 0; k < s->count; k++)
            if (s->regs[k].reg == o->reg && s->regs[k].enters)
                return ins;
    }
    return NULL;
}

/* i1: more than one lane runs, and their lists lie at one distance from each
 * other, maybe at none: then vectors find what is side by side. */
static LLVMValueRef
lie_in_step(sw_jit_emit *e, const sw_ins *load)
{
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask);
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
    out = LLVMBuildAnd(B, out, e->mask, "");
    return LLVMBuildAnd(B, many, LLVMBuildNot(B, sw_jit_any(e, out), ""), "");
}

LLVMValueRef
sw_jit_suits_serial(sw_jit_emit *e, uint32_t b)
{
    sw_jit_serial s;
    bool is = look_at(e, b, &s);
    SW_ASSERT(is);
    const sw_ins *load = first_far(e, &s);
    LLVMValueRef turns = LLVMBuildLoad2(B, e->i32, e->serial_turns, "");
    turns = LLVMBuildICmp(B, LLVMIntSGT, turns, sw_jit_i32(e, 0), "");
    if (!load)
        return turns;
    return LLVMBuildAnd(B, turns, LLVMBuildNot(B, lie_in_step(e, load), ""),
                        "");
}

static LLVMValueRef
lane_of(sw_jit_emit *e, const sw_jit_serial_reg *r, LLVMValueRef lane)
{
    LLVMTypeRef type = sw_jit_class_type(e, e->fn->regs[r->reg].cls);
    return LLVMBuildGEP2(B, type, r->lanes, &lane, 1, "");
}

/* What all lanes hold goes to the stack. */
static void
spread_lanes(sw_jit_emit *e, sw_jit_serial *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        sw_jit_serial_reg *r = &s->regs[i];
        if (!r->leaves && (!r->enters || is_uniform(r)))
            continue;
        sw_jit_value v = sw_jit_read_reg(e, r->reg);
        LLVMValueRef lanes = sw_jit_lanes(e, &v);
        r->lanes = sw_jit_slot_of(e, LLVMTypeOf(lanes));
        LLVMBuildStore(B, lanes, r->lanes);
    }
}

static void
collect_lanes(sw_jit_emit *e, const sw_jit_serial *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const sw_jit_serial_reg *r = &s->regs[i];
        if (!r->leaves)
            continue;
        LLVMTypeRef type = LLVMVectorType(
            sw_jit_class_type(e, e->fn->regs[r->reg].cls), e->lanes);
        LLVMBuildStore(B, LLVMBuildLoad2(B, type, r->lanes, ""),
                       sw_jit_reg_slot(e, r->reg)->base);
    }
}

/* The registers are one lane's, or all lanes' again. */
static void
enter(sw_jit_emit *e, sw_jit_serial *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        sw_jit_serial_reg *r = &s->regs[i];
        if (is_outside(r))
            continue;
        r->slot = e->slots[r->reg];
        e->slots[r->reg] = (sw_jit_slot){0};
        e->shapes->regs[r->reg] =
            (sw_shape){.kind = SW_SHAPE_UNIFORM, .max = UINT32_MAX};
    }
}

static void
leave(sw_jit_emit *e, const sw_jit_serial *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const sw_jit_serial_reg *r = &s->regs[i];
        if (is_outside(r))
            continue;
        e->slots[r->reg] = r->slot;
        e->shapes->regs[r->reg] = r->shape;
    }
}

/* Values of a lane, before its first turn. */
static void
take_lane(sw_jit_emit *e, const sw_jit_serial *s, LLVMValueRef lane)
{
    for (unsigned i = 0; i < s->count; i++) {
        const sw_jit_serial_reg *r = &s->regs[i];
        if (!r->enters || is_outside(r))
            continue;
        LLVMTypeRef type = sw_jit_class_type(e, e->fn->regs[r->reg].cls);
        LLVMValueRef from = r->lanes ? lane_of(e, r, lane) : r->slot.base;
        LLVMBuildStore(B, LLVMBuildLoad2(B, type, from, ""),
                       sw_jit_reg_slot(e, r->reg)->base);
    }
}

static void
put_lane(sw_jit_emit *e, const sw_jit_serial *s, LLVMValueRef lane)
{
    for (unsigned i = 0; i < s->count; i++) {
        const sw_jit_serial_reg *r = &s->regs[i];
        if (r->leaves)
            LLVMBuildStore(B, sw_jit_read_reg(e, r->reg).base,
                           lane_of(e, r, lane));
    }
}

/* One turn fewer is left, or the lane fails. */
static void
count_turn(sw_jit_emit *e, LLVMValueRef turns)
{
    LLVMBasicBlockRef go = sw_jit_block(e, "go");
    LLVMValueRef n = LLVMBuildSub(B, LLVMBuildLoad2(B, e->i32, turns, ""),
                                  sw_jit_i32(e, 1), "");
    LLVMBuildStore(B, n, turns);
    n = LLVMBuildICmp(B, LLVMIntSGT, n, sw_jit_i32(e, 0), "");
    sw_jit_likely(e, LLVMBuildCondBr(B, n, go, e->fail), true);
    LLVMPositionBuilderAtEnd(B, go);
}

/* The loop of one lane: from `turn` to `done`, or to e->fail. */
static void
emit_turns(sw_jit_emit *e, const sw_jit_serial *s, const sw_jit_ahead *ahead,
           LLVMBasicBlockRef turn, LLVMBasicBlockRef done)
{
    const sw_block *block = s->block;
    const sw_ins *bra = block->ins[block->count - 1];
    LLVMPositionBuilderAtEnd(B, turn);
    memset(e->tested, 0, e->fn->reg_count * sizeof *e->tested);
    if (ahead)
        sw_jit_note_tested(e, ahead);
    else
        count_turn(e, e->serial_turns);
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        e->ins_index = e->first_ins[e->block] + i;
        sw_jit_lines_at(e, block->ins[i]);
        sw_jit_emit_ins(e, block->ins[i]);
    }
    memset(e->tested, 0, e->fn->reg_count * sizeof *e->tested);
    LLVMValueRef p = sw_jit_read_reg(e, bra->guard).base;
    bool stays = (s->exit == block->targets[1]) != bra->guard_neg;
    LLVMBuildCondBr(B, p, stays ? turn : done, stays ? done : turn);
}

/* All lanes whose bits `left` has, one after the other, from block `look` on,
 * then `over`; those that fail are put into `rest`. ahead: what was tested, or
 * NULL. */
static void
emit_lanes(sw_jit_emit *e, sw_jit_serial *s, const sw_jit_ahead *ahead,
           LLVMValueRef left, LLVMValueRef rest, LLVMBasicBlockRef look,
           LLVMBasicBlockRef over)
{
    LLVMBasicBlockRef one = sw_jit_block(e, "one");
    LLVMBasicBlockRef turn = sw_jit_block(e, "turn");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    LLVMBasicBlockRef fail = sw_jit_block(e, "fail");
    LLVMValueRef mask = e->mask;
    bool was_full = e->is_full;
    LLVMPositionBuilderAtEnd(B, look);
    LLVMValueRef bits = LLVMBuildLoad2(B, e->i32, left, "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, bits, sw_jit_i32(e, 0), ""),
                    over, one);

    enter(e, s);
    LLVMPositionBuilderAtEnd(B, one);
    LLVMValueRef lane = sw_jit_first_of(e, bits);
    LLVMValueRef fewer = LLVMBuildSub(B, bits, sw_jit_i32(e, 1), "");
    LLVMBuildStore(B, LLVMBuildAnd(B, bits, fewer, ""), left);
    take_lane(e, s, lane);
    LLVMBuildBr(B, turn);
    e->fail = fail;
    e->mask = LLVMConstAllOnes(e->mask_type);
    e->is_full = true;
    emit_turns(e, s, ahead, turn, done);
    e->is_full = was_full;
    e->mask = mask;
    e->fail = NULL;
    LLVMPositionBuilderAtEnd(B, done);
    put_lane(e, s, lane);
    LLVMBuildBr(B, look);
    leave(e, s);

    LLVMPositionBuilderAtEnd(B, fail);
    LLVMValueRef bit = LLVMBuildShl(B, sw_jit_i32(e, 1), lane, "");
    LLVMBuildStore(
        B, LLVMBuildOr(B, LLVMBuildLoad2(B, e->i32, rest, ""), bit, ""), rest);
    LLVMBuildStore(B, sw_jit_i32(e, 0), e->serial_turns);
    LLVMBuildBr(B, look);
}

LLVMValueRef
sw_jit_emit_serial(sw_jit_emit *e, uint32_t b, uint32_t *exit)
{
    sw_jit_serial s;
    sw_jit_ahead ahead;
    bool is = look_at(e, b, &s);
    SW_ASSERT(is);
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMBasicBlockRef over = sw_jit_block(e, "over");
    LLVMValueRef left = sw_jit_slot_of(e, e->i32),
                 rest = sw_jit_slot_of(e, e->i32);
    if (!e->serial_turns)
        e->serial_turns = sw_jit_first_slot(e, sw_jit_i32(e, TURNS));
    LLVMBuildStore(B, sw_jit_mask_bits(e, e->mask), left);
    LLVMBuildStore(B, sw_jit_i32(e, 0), rest);
    spread_lanes(e, &s);
    if (sw_jit_looks_ahead(e, &s, &ahead)) {
        LLVMBasicBlockRef known = sw_jit_block(e, "known");
        LLVMValueRef ok = sw_jit_test_ahead(e, &ahead);
        sw_jit_likely(e, LLVMBuildCondBr(B, ok, known, look), true);
        emit_lanes(e, &s, &ahead, left, rest, known, over);
    } else {
        LLVMBuildBr(B, look);
    }
    emit_lanes(e, &s, NULL, left, rest, look, over);

    LLVMPositionBuilderAtEnd(B, over);
    collect_lanes(e, &s);
    *exit = s.exit;
    return LLVMBuildBitCast(B, LLVMBuildLoad2(B, e->i32, rest, ""),
                            e->mask_type, "");
}
