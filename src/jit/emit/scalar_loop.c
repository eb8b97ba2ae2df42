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

#define B e->ll.builder

enum {
    INS_A_LOAD = 8, /* more arithmetic is worth vectors */
    INS_AN_ACCESS =
        12,          /* the same of loops that store: scattering takes long */
    TURNS = 1 << 20, /* of a warp's lanes; who loops longer may be stuck */
    FEW_LANES = 8,   /* ... that run loops so in which they choose */
    SKIPPED = 31     /* turns by vectors, before lanes are looked at again */
};

typedef sw_jit_serial serial;

static sw_jit_serial_reg *
find(serial *s, sw_reg reg)
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
is_store(const sw_ins *ins)
{
    return ins->op == SW_OP_ST && ins->order == 0 &&
           ins->space != SW_SPACE_LOCAL && ins->space != SW_SPACE_SHARED &&
           !sw_jit_is_unusual(ins);
}

static bool
is_plain(const sw_jit_emit *e, const sw_ins *ins)
{
    return !ins->guard &&
           (is_load(ins) || is_store(ins) || sw_jit_is_own(e, ins) ||
            (sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE &&
             ins->op != SW_OP_ADDR && ins->op != SW_OP_CVTA &&
             ins->op != SW_OP_ISSPACEP && ins->nsrc <= 16 && ins->ndst <= 8 &&
             sw_jit_alu_supports(&e->ll, e->fn, ins)));
}

/* Which of its registers depend on what the loop has loaded (from_load), and on
 * which of them an address depends, in this turn or a later one. */
typedef struct {
    sw_jit_serial_flow f;
    bool from_load[SW_JIT_SERIAL_REGS], to_address[SW_JIT_SERIAL_REGS];
} loaded;

static unsigned
number_of(const serial *s, sw_reg reg)
{
    unsigned i = 0;
    while (s->regs[i].reg != reg)
        i++;
    return i;
}

void
sw_jit_serial_ask(void *data, sw_reg reg)
{
    sw_jit_serial_flow *f = data;
    f->any |= f->known[number_of(f->s, reg)];
}

void
sw_jit_serial_set(void *data, sw_reg reg)
{
    sw_jit_serial_flow *f = data;
    bool *b = &f->known[number_of(f->s, reg)];
    f->changed |= !*b;
    *b = true;
}

/* is_chosen: lanes come by there in some turns. */
static void
follow(loaded *l, const sw_block *block, bool is_chosen)
{
    sw_jit_serial_flow *f = &l->f;
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        f->any = ins->op == SW_OP_LD || is_chosen;
        f->known = l->from_load;
        sw_ins_visit_reads(ins, sw_jit_serial_ask, f);
        if (f->any)
            sw_ins_visit_writes(ins, sw_jit_serial_set, f);
        f->any = ins->op == SW_OP_LD;
        f->known = l->to_address;
        sw_ins_visit_writes(ins, sw_jit_serial_ask, f);
        if (f->any)
            sw_ins_visit_reads(ins, sw_jit_serial_set, f);
    }
}

/* Lanes go around without having been in block b, mostly for what they have
 * loaded, which no processor foresees. */
static bool
is_chosen(const sw_jit_emit *e, const serial *s, uint32_t b)
{
    uint32_t header = s->block->index;
    for (unsigned k = 0; k < s->block_count && s->block_count > 1; k++) {
        const sw_block *from = e->fn->blocks[s->blocks[k]];
        for (uint32_t i = 0; i < from->target_count; i++)
            if (from->targets[i] == header &&
                !sw_cfg_dominates(e->cfg, b, s->blocks[k]))
                return true;
    }
    return false;
}

/* A list that is followed by what stands in its elements waits for memory at
 * each step; many lanes wait together. */
static bool
is_chase(const sw_jit_emit *e, const serial *s)
{
    loaded l = {.f = {.s = s, .changed = true}};
    while (l.f.changed) {
        l.f.changed = false;
        for (unsigned k = 0; k < s->block_count; k++)
            follow(&l, e->fn->blocks[s->blocks[k]],
                   is_chosen(e, s, s->blocks[k]));
    }
    for (unsigned k = 0; k < s->count; k++)
        if (s->regs[k].enters && s->regs[k].is_written && l.from_load[k] &&
            l.to_address[k])
            return true;
    return false;
}

static bool
has_bit(const uint64_t *set, sw_reg reg)
{
    return set[reg / 64] >> reg % 64 & 1;
}

static bool
is_int(sw_class cls)
{
    return cls == SW_CLASS_B16 || cls == SW_CLASS_B32 || cls == SW_CLASS_B64;
}

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

/* Where they live; false: what enters or leaves cannot be carried. */
static bool
look_at_regs(const sw_jit_emit *e, uint32_t b, serial *s)
{
    const uint64_t *in = e->live->in + b * e->live->words;
    for (unsigned i = 0; i < s->count; i++) {
        sw_jit_serial_reg *r = &s->regs[i];
        r->shape = e->shapes->regs[r->reg];
        r->enters = has_bit(in, r->reg);
        for (unsigned k = 0; k < s->exit_count; k++)
            r->leaves |=
                r->is_written &&
                has_bit(e->live->in + s->exits[k] * e->live->words, r->reg);
        if ((r->enters || r->leaves) && !is_outside(r) &&
            !is_int(e->fn->regs[r->reg].cls))
            return false;
        if (r->leaves && !s->stores && r->shape.kind != SW_SHAPE_VARYING)
            return false;
        if (r->leaves && !r->enters && r->shape.kind != SW_SHAPE_VARYING)
            return false; /* it would have to be written before */
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

/* A block of the loop, of plain instructions and a branch. */
static bool
add_block(const sw_jit_emit *e, uint32_t b, serial *s)
{
    const sw_block *block = e->fn->blocks[b];
    const sw_ins *bra = block->ins[block->count - 1];
    if ((bra->op != SW_OP_BRA && bra->op != SW_OP_BRX) ||
        s->block_count == SW_JIT_OWN_BLOCKS)
        return false;
    s->blocks[s->block_count++] = b;
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        if (!is_plain(e, block->ins[i]))
            return false;
        s->own |= sw_jit_is_own(e, block->ins[i]);
        s->stores |= is_store(block->ins[i]);
        sw_ins_visit_reads(block->ins[i], note_read, s);
        sw_ins_visit_writes(block->ins[i], note_write, s);
    }
    sw_ins_visit_reads(bra, note_read, s);
    return s->count < SW_JIT_SERIAL_REGS;
}

/* A loop of one block. */
static bool
is_one_block(const sw_jit_emit *e, uint32_t b, serial *s)
{
    const sw_block *block = e->fn->blocks[b];
    const sw_ins *bra = block->ins[block->count - 1];
    if (bra->op != SW_OP_BRA || !bra->guard || block->target_count != 2)
        return false;
    bool first = goes_to(e, block->targets[0], b);
    s->exits[0] = block->targets[first];
    s->exit_count = 1;
    return first != goes_to(e, block->targets[1], b) && add_block(e, b, s);
}

/* Lanes leave the loop at block `from`. */
static bool
add_exit(const sw_jit_emit *e, serial *s, uint32_t from, uint32_t to)
{
    unsigned k = 0;
    while (k < s->exit_count && s->exits[k] != to)
        k++;
    if (!e->shapes->parts[from] || k == SW_JIT_SERIAL_EXITS)
        return false;
    s->exit_count += k == s->exit_count;
    s->exits[k] = to;
    return true;
}

/* One of several that reads: `while (k < end && list[k] < x) k++`. All that
 * leave it go to one place, or it has local memory. */
static bool
is_several_blocks(const sw_jit_emit *e, uint32_t b, serial *s)
{
    uint32_t l = e->cfg->loop[b];
    const sw_loop *loop = &e->cfg->loops[l];
    if (!l || loop->header != b || loop->irreducible ||
        loop->latch - loop->first > SW_JIT_OWN_BLOCKS)
        return false;
    for (uint32_t x = 0; x < e->fn->block_count; x++) {
        const sw_block *block = e->fn->blocks[x];
        if (!sw_cfg_is_in_loop(e->cfg, l, x))
            continue;
        if (e->cfg->loop[x] != l || !add_block(e, x, s))
            return false;
        for (uint32_t i = 0; i < block->target_count; i++) {
            if (sw_cfg_is_in_loop(e->cfg, l, block->targets[i]))
                continue;
            if (!add_exit(e, s, x, block->targets[i]))
                return false;
        }
    }
    return s->exit_count && !s->stores &&
           (s->own ||
            (s->exit_count == 1 && s->block_count <= SW_JIT_SERIAL_BLOCKS));
}

static bool
is_loop(const sw_jit_emit *e, uint32_t b, serial *s)
{
    *s = (serial){.block = e->fn->blocks[b]};
    if (is_one_block(e, b, s))
        return look_at_regs(e, b, s);
    *s = (serial){.block = e->fn->blocks[b]};
    return is_several_blocks(e, b, s) && look_at_regs(e, b, s);
}

/* Loads from anywhere, and not much else. */
static bool
reads_lists(const sw_jit_emit *e, const serial *s)
{
    unsigned loads = 0, far = 0, all = 1;
    for (unsigned k = 0; k < s->block_count; k++) {
        const sw_block *block = e->fn->blocks[s->blocks[k]];
        for (uint32_t i = 0; i + 1 < block->count; i++) {
            const sw_ins *ins = block->ins[i];
            all += ins->op != SW_OP_MOV || s->block_count == 1;
            if (ins->op != SW_OP_LD)
                continue;
            sw_shape shape = sw_shapes_source(e->shapes, ins, 0);
            loads++;
            far += shape.kind == SW_SHAPE_VARYING;
            if (shape.kind == SW_SHAPE_AFFINE || shape.kind == SW_SHAPE_WIDE)
                return false;
        }
    }
    return far && all <= INS_A_LOAD * loads && !is_chase(e, s);
}

/* Neighbours may lie, as far as is known here, more than an element apart. */
static bool
may_be_apart(const sw_jit_emit *e, const sw_jit_list *l)
{
    const sw_shape *shape = &e->shapes->regs[l->reg];
    return shape->kind == SW_SHAPE_VARYING || shape->v ||
           sw_shape_step(shape) > l->unit;
}

/* Elements of lists of each lane's own, and nothing else. */
static bool
stores_lists(const sw_jit_emit *e, const serial *s, sw_jit_ahead *a)
{
    if (!sw_jit_looks_ahead(e, s, a) || !a->has_all)
        return false;
    for (unsigned k = 0; k < a->count; k++)
        if (a->lists[k].step < 0 ||
            (a->lists[k].is_stored && !may_be_apart(e, &a->lists[k])))
            return false;
    return s->block->count <= INS_AN_ACCESS * a->accesses;
}

bool
sw_jit_stores_lists(const sw_jit_emit *e)
{
    serial s;
    sw_jit_ahead a;
    for (uint32_t b = 0; b < e->fn->block_count; b++)
        if (is_loop(e, b, &s) && s.stores && stores_lists(e, &s, &a))
            return true;
    return false;
}

/* Fills in what is known; false: it is no such loop. a: of loops that store. */
static bool
look_at(const sw_jit_emit *e, uint32_t b, serial *s, sw_jit_ahead *a)
{
    if (e->lanes != 32 || e->tally || e->count_slot || sw_jit_is_cut(e) ||
        e->fn->blocks[b]->is_rare || !is_loop(e, b, s))
        return false;
    if (s->stores)
        return !s->own && stores_lists(e, s, a);
    if (s->own)
        return s->block_count > 1 && e->shapes->leader[b] == b &&
               sw_jit_suits_own(e, s);
    return (s->block_count > 1 || e->shapes->parts[b]) &&
           e->shapes->leader[b] == b && reads_lists(e, s);
}

bool
sw_jit_is_serial(const sw_jit_emit *e, uint32_t b)
{
    serial s;
    sw_jit_ahead a;
    return look_at(e, b, &s, &a);
}

/* ---- emission ---- */

/* The first load by an address that is there before the turn; or NULL. */
static const sw_ins *
first_far(const sw_jit_emit *e, const serial *s)
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

/* i1: few lanes run. */
static LLVMValueRef
are_few(sw_jit_emit *e)
{
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &e->bits, 1, &bits, 1);
    return LLVMBuildICmp(B, LLVMIntULE, n, sw_jit_i32(e, FEW_LANES), "");
}

static bool
has_choices(const sw_jit_emit *e, const serial *s)
{
    for (unsigned k = 0; k < s->block_count; k++)
        if (is_chosen(e, s, s->blocks[k]))
            return true;
    return false;
}

/* Of a loop that reads. */
static LLVMValueRef
suits_reading(sw_jit_emit *e, const serial *s)
{
    const sw_ins *load = first_far(e, s);
    if (!e->serial_turns)
        e->serial_turns = sw_jit_first_slot(e, sw_jit_i32(e, TURNS));
    LLVMValueRef turns = LLVMBuildLoad2(B, e->i32, e->serial_turns, "");
    turns = LLVMBuildICmp(B, LLVMIntSGT, turns, sw_jit_i32(e, 0), "");
    if (has_choices(e, s))
        turns = LLVMBuildAnd(B, turns, are_few(e), "");
    if (!load)
        return turns;
    return LLVMBuildAnd(B, turns, LLVMBuildNot(B, lie_in_step(e, load), ""),
                        "");
}

LLVMValueRef
sw_jit_ask_seldom(sw_jit_emit *e, unsigned skipped, sw_jit_question *ask,
                  void *arg)
{
    LLVMBasicBlockRef skip = sw_jit_block(e, "skip");
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMValueRef slot = sw_jit_zero_slot(e, e->i32), zero = sw_jit_i32(e, 0);
    LLVMValueRef left = LLVMBuildLoad2(B, e->i32, slot, "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, left, zero, ""), skip, look);
    LLVMPositionBuilderAtEnd(B, skip);
    LLVMBuildStore(B, LLVMBuildSub(B, left, sw_jit_i32(e, 1), ""), slot);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, look);
    LLVMValueRef ok = ask(e, arg);
    LLVMBuildStore(B, LLVMBuildSelect(B, ok, zero, sw_jit_i32(e, skipped), ""),
                   slot);
    look = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
    LLVMValueRef phi = LLVMBuildPhi(B, e->i1, "");
    LLVMValueRef values[2] = {LLVMConstInt(e->i1, 0, 0), ok};
    LLVMBasicBlockRef from[2] = {skip, look};
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

/* Of one that stores. */
static LLVMValueRef
suits_storing(sw_jit_emit *e, void *arg)
{
    sw_jit_ahead *a = arg;
    LLVMValueRef ok = sw_jit_test_ahead(e, a);
    return LLVMBuildAnd(B, ok, sw_jit_test_apart(e, a), "");
}

LLVMValueRef
sw_jit_suits_serial(sw_jit_emit *e, uint32_t b)
{
    serial s;
    sw_jit_ahead a;
    bool is = look_at(e, b, &s, &a);
    SW_ASSERT(is);
    return s.own      ? sw_jit_lie_apart(e, &s)
           : s.stores ? sw_jit_ask_seldom(e, SKIPPED, suits_storing, &a)
                      : suits_reading(e, &s);
}

static LLVMValueRef
lane_of(sw_jit_emit *e, const sw_jit_serial_reg *r, LLVMValueRef lane)
{
    LLVMTypeRef type = sw_jit_class_type(e, e->fn->regs[r->reg].cls);
    return LLVMBuildGEP2(B, type, r->lanes, &lane, 1, "");
}

/* What all lanes hold goes to the stack. */
static void
spread_lanes(sw_jit_emit *e, serial *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        sw_jit_serial_reg *r = &s->regs[i];
        if (r->shape.kind != SW_SHAPE_VARYING && r->is_written && r->enters)
            r->base =
                LLVMBuildLoad2(B, sw_jit_class_type(e, e->fn->regs[r->reg].cls),
                               sw_jit_reg_slot(e, r->reg)->base, "");
        if ((!r->leaves && !r->enters) || is_uniform(r))
            continue;
        sw_jit_value v = sw_jit_read_reg(e, r->reg);
        LLVMValueRef lanes = sw_jit_lanes(e, &v);
        r->lanes = sw_jit_slot_of(e, LLVMTypeOf(lanes));
        LLVMBuildStore(B, lanes, r->lanes);
    }
}

/* Who goes on in the loop needs what it is by then. */
static bool
goes_on(const sw_jit_serial_reg *r)
{
    return r->enters && r->is_written;
}

static void
collect_lanes(sw_jit_emit *e, const serial *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        const sw_jit_serial_reg *r = &s->regs[i];
        if (!(r->leaves || (s->own && goes_on(r))) ||
            r->shape.kind != SW_SHAPE_VARYING)
            continue;
        LLVMTypeRef type = LLVMVectorType(
            sw_jit_class_type(e, e->fn->regs[r->reg].cls), e->lanes);
        LLVMBuildStore(B, LLVMBuildLoad2(B, type, r->lanes, ""),
                       sw_jit_reg_slot(e, r->reg)->base);
    }
}

/* The registers are one lane's, or all lanes' again. */
static void
enter(sw_jit_emit *e, serial *s)
{
    sw_jit_exits_renew(e);
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
leave(sw_jit_emit *e, const serial *s)
{
    sw_jit_exits_renew(e);
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
take_lane(sw_jit_emit *e, serial *s, LLVMValueRef lane)
{
    for (unsigned i = 0; i < s->count; i++) {
        sw_jit_serial_reg *r = &s->regs[i];
        if (!r->enters || is_outside(r))
            continue;
        LLVMTypeRef type = sw_jit_class_type(e, e->fn->regs[r->reg].cls);
        r->begins = r->lanes ? LLVMBuildLoad2(B, type, lane_of(e, r, lane), "")
                             : r->base;
        LLVMBuildStore(B, r->begins, sw_jit_reg_slot(e, r->reg)->base);
    }
}

/* And after its last one: what all lanes share has moved as far for each. */
static void
put_lane(sw_jit_emit *e, const serial *s, LLVMValueRef lane)
{
    for (unsigned i = 0; i < s->count; i++) {
        const sw_jit_serial_reg *r = &s->regs[i];
        if (!r->leaves)
            continue;
        LLVMValueRef x = sw_jit_read_reg(e, r->reg).base;
        if (r->shape.kind == SW_SHAPE_VARYING) {
            LLVMBuildStore(B, x, lane_of(e, r, lane));
            continue;
        }
        x = LLVMBuildSub(B, x, r->begins, "");
        LLVMBuildStore(B, LLVMBuildAdd(B, r->base, x, ""), r->slot.base);
    }
}

/* And before a turn that it will not do. */
static void
put_lane_back(sw_jit_emit *e, const serial *s, LLVMValueRef lane)
{
    for (unsigned i = 0; i < s->count; i++)
        if (goes_on(&s->regs[i]))
            LLVMBuildStore(B, sw_jit_read_reg(e, s->regs[i].reg).base,
                           lane_of(e, &s->regs[i], lane));
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

/* Where a lane goes from a block of the loop to another; at[]: of each. */
static LLVMBasicBlockRef
way_to(const serial *s, const LLVMBasicBlockRef *at, uint32_t to,
       const LLVMBasicBlockRef *done)
{
    unsigned k = 0;
    while (k < s->block_count && s->blocks[k] != to)
        k++;
    if (k < s->block_count)
        return at[k];
    /* of a loop of one block, maybe by way of another one */
    for (k = 0; k < s->exit_count; k++)
        if (s->exits[k] == to)
            return done[k];
    return at[0];
}

/* To one of a list. */
static void
emit_ways(sw_jit_emit *e, const serial *s, const sw_block *block,
          const LLVMBasicBlockRef *at, const LLVMBasicBlockRef *done)
{
    e->ins = block->ins[block->count - 1];
    e->ins_index = e->first_ins[e->block] + block->count - 1;
    LLVMBasicBlockRef bad = sw_jit_block(e, "bad");
    LLVMValueRef n = sw_jit_read_exact(e, e->ins, 0).base;
    LLVMValueRef way = LLVMBuildSwitch(B, n, bad, block->target_count);
    for (uint32_t i = 0; i < block->target_count; i++)
        LLVMAddCase(way, LLVMConstInt(LLVMTypeOf(n), i, 0),
                    way_to(s, at, block->targets[i], done));
    LLVMPositionBuilderAtEnd(B, bad); /* which is a fault */
    sw_jit_emit_lost(e, sw_jit_own_bit(e));
}

static void
emit_way(sw_jit_emit *e, const serial *s, const sw_block *block,
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

/* The loop of one lane: from `turn` to `done` of its exit, or to e->fail. */
static void
emit_turns(sw_jit_emit *e, const serial *s, const sw_jit_ahead *ahead,
           LLVMBasicBlockRef turn, const LLVMBasicBlockRef *done)
{
    uint32_t before = e->block;
    LLVMBasicBlockRef at[SW_JIT_OWN_BLOCKS];
    for (unsigned k = 0; k < s->block_count; k++)
        at[k] = s->blocks[k] == before ? turn : sw_jit_block(e, "turn_on");
    for (unsigned k = 0; k < s->block_count; k++) {
        const sw_block *block = e->fn->blocks[s->blocks[k]];
        LLVMPositionBuilderAtEnd(B, at[k]);
        e->block = s->blocks[k];
        memset(e->tested, 0, e->fn->reg_count * sizeof *e->tested);
        if (ahead)
            sw_jit_note_tested(e, ahead);
        else if (block == s->block)
            count_turn(e, s->own ? s->turns : e->serial_turns);
        for (uint32_t i = 0; i + 1 < block->count; i++) {
            e->ins_index = e->first_ins[e->block] + i;
            sw_jit_lines_at(e, block->ins[i]);
            sw_jit_emit_ins(e, block->ins[i]);
        }
        emit_way(e, s, block, at, done);
    }
    memset(e->tested, 0, e->fn->reg_count * sizeof *e->tested);
    e->block = before;
}

static void
add_bit(sw_jit_emit *e, LLVMValueRef slot, LLVMValueRef bit)
{
    LLVMValueRef bits = LLVMBuildLoad2(B, e->i32, slot, "");
    LLVMBuildStore(B, LLVMBuildOr(B, bits, bit, ""), slot);
}

/* All lanes whose bits `left` has, one after the other, from block `look` on,
 * then `over`; those that fail are put into `rest`. ahead: what was tested, or
 * NULL. */
static void
emit_lanes(sw_jit_emit *e, serial *s, const sw_jit_ahead *ahead,
           LLVMValueRef left, LLVMValueRef rest, LLVMBasicBlockRef look,
           LLVMBasicBlockRef over)
{
    LLVMBasicBlockRef one = sw_jit_block(e, "one");
    LLVMBasicBlockRef turn = sw_jit_block(e, "turn");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    LLVMBasicBlockRef fail = sw_jit_block(e, "fail");
    LLVMBasicBlockRef gone[SW_JIT_SERIAL_EXITS] = {done};
    LLVMValueRef mask = e->mask;
    bool was_full = e->is_full;
    const sw_jit_lane_set *some = e->some;
    LLVMPositionBuilderAtEnd(B, look);
    LLVMValueRef bits = LLVMBuildLoad2(B, e->i32, left, "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, bits, sw_jit_i32(e, 0), ""),
                    over, one);

    enter(e, s);
    LLVMPositionBuilderAtEnd(B, one);
    LLVMValueRef lane = sw_jit_first_of(e, bits);
    LLVMValueRef fewer = LLVMBuildSub(B, bits, sw_jit_i32(e, 1), "");
    LLVMBuildStore(B, LLVMBuildAnd(B, bits, fewer, ""), left);
    LLVMValueRef bit = LLVMBuildAnd(B, bits, LLVMBuildNeg(B, bits, ""), "");
    take_lane(e, s, lane);
    if (s->own)
        LLVMBuildStore(B, sw_jit_i32(e, TURNS), s->turns);
    LLVMBuildBr(B, turn);
    for (unsigned k = 0; k < s->exit_count && s->own; k++) {
        gone[k] = sw_jit_block(e, "gone");
        LLVMPositionBuilderAtEnd(B, gone[k]);
        add_bit(e, s->gone[k], bit);
        LLVMBuildBr(B, done);
    }
    e->own_lane = s->own ? lane : NULL;
    e->fail = fail;
    e->mask = LLVMConstAllOnes(e->mask_type);
    e->is_full = true;
    e->some = NULL;
    emit_turns(e, s, ahead, turn, gone);
    e->is_full = was_full;
    e->some = some;
    e->mask = mask;
    e->fail = NULL;
    e->own_lane = NULL;
    LLVMPositionBuilderAtEnd(B, done);
    put_lane(e, s, lane);
    LLVMBuildBr(B, look);

    LLVMPositionBuilderAtEnd(B, fail);
    add_bit(e, rest, bit);
    if (s->own)
        put_lane_back(e, s, lane);
    else if (e->serial_turns) /* else nothing comes here */
        LLVMBuildStore(B, sw_jit_i32(e, 0), e->serial_turns);
    LLVMBuildBr(B, look);
    leave(e, s);
}

static LLVMValueRef
mask_in(sw_jit_emit *e, LLVMValueRef slot)
{
    return LLVMBuildBitCast(B, LLVMBuildLoad2(B, e->i32, slot, ""),
                            e->mask_type, "");
}

LLVMValueRef
sw_jit_emit_serial(sw_jit_emit *e, uint32_t b, sw_jit_exit *exits,
                   unsigned *count)
{
    serial s;
    sw_jit_ahead ahead;
    bool is = look_at(e, b, &s, &ahead);
    SW_ASSERT(is);
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMBasicBlockRef over = sw_jit_block(e, "over");
    LLVMValueRef left = sw_jit_slot_of(e, e->i32),
                 rest = sw_jit_slot_of(e, e->i32);
    LLVMBuildStore(B, sw_jit_mask_bits(e, e->mask), left);
    LLVMBuildStore(B, sw_jit_i32(e, 0), rest);
    spread_lanes(e, &s);
    s.turns = sw_jit_slot_of(e, e->i32);
    for (unsigned k = 0; k < s.exit_count; k++) {
        s.gone[k] = sw_jit_slot_of(e, e->i32);
        LLVMBuildStore(B, sw_jit_i32(e, 0), s.gone[k]);
    }
    if (s.stores) {
        LLVMBuildBr(B, look);
        emit_lanes(e, &s, &ahead, left, rest, look, over);
    } else if (s.block_count == 1 && sw_jit_looks_ahead(e, &s, &ahead)) {
        LLVMBasicBlockRef known = sw_jit_block(e, "known");
        LLVMValueRef ok = sw_jit_test_ahead(e, &ahead);
        sw_jit_likely(e, LLVMBuildCondBr(B, ok, known, look), true);
        emit_lanes(e, &s, &ahead, left, rest, known, over);
        emit_lanes(e, &s, NULL, left, rest, look, over);
    } else {
        LLVMBuildBr(B, look);
        emit_lanes(e, &s, NULL, left, rest, look, over);
    }

    LLVMPositionBuilderAtEnd(B, over);
    collect_lanes(e, &s);
    *count = s.exit_count;
    LLVMValueRef others = mask_in(e, rest);
    for (unsigned k = 0; k < s.exit_count; k++) {
        exits[k].block = s.exits[k];
        exits[k].lanes =
            s.own ? mask_in(e, s.gone[k])
                  : LLVMBuildAnd(B, e->mask, LLVMBuildNot(B, others, ""), "");
    }
    return s.stores ? NULL : others;
}
