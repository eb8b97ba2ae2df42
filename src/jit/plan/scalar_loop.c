/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_loop.c - which loops lanes had better run one after another, as scalar
 * code (emit/scalar_loop.c).
 */
#include <string.h>

#include "jit/plan/scalar_loop.h"
#include "jit/tune.h"

typedef sw_jit_scalar_loop scalar_loop;

static sw_jit_scalar_reg *
find(scalar_loop *s, sw_reg reg)
{
    unsigned i = 0;
    while (i < s->count && s->regs[i].reg != reg)
        i++;
    if (i == s->count && i < SW_JIT_SCALAR_REGS)
        s->regs[s->count++] = (sw_jit_scalar_reg){.reg = reg};
    return i < SW_JIT_SCALAR_REGS ? &s->regs[i] : NULL;
}

static void
note_read(void *data, sw_reg reg)
{
    find(data, reg);
}

static void
note_write(void *data, sw_reg reg)
{
    sw_jit_scalar_reg *r = find(data, reg);
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
is_plain(const sw_jit_plan *plan, const sw_ins *ins)
{
    return !ins->guard &&
           (is_load(ins) || is_store(ins) || sw_jit_is_private(plan, ins) ||
            (sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE &&
             ins->op != SW_OP_ADDR && ins->op != SW_OP_CVTA &&
             ins->op != SW_OP_ISSPACEP && ins->nsrc <= 16 && ins->ndst <= 8 &&
             sw_jit_has_native(plan, ins)));
}

/* Which of its registers depend on what the loop has loaded (from_load), and on
 * which of them an address depends, in this turn or a later one. */
typedef struct {
    sw_jit_scalar_flow f;
    bool from_load[SW_JIT_SCALAR_REGS], to_address[SW_JIT_SCALAR_REGS];
} loaded;

static unsigned
number_of(const scalar_loop *s, sw_reg reg)
{
    unsigned i = 0;
    while (s->regs[i].reg != reg)
        i++;
    return i;
}

void
sw_jit_scalar_ask(void *data, sw_reg reg)
{
    sw_jit_scalar_flow *f = data;
    f->any |= f->known[number_of(f->s, reg)];
}

void
sw_jit_scalar_set(void *data, sw_reg reg)
{
    sw_jit_scalar_flow *f = data;
    bool *b = &f->known[number_of(f->s, reg)];
    f->changed |= !*b;
    *b = true;
}

/* is_chosen: lanes come by there in some turns. */
static void
follow(loaded *l, const sw_block *block, bool is_chosen)
{
    sw_jit_scalar_flow *f = &l->f;
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        f->any = ins->op == SW_OP_LD || is_chosen;
        f->known = l->from_load;
        sw_ins_visit_reads(ins, sw_jit_scalar_ask, f);
        if (f->any)
            sw_ins_visit_writes(ins, sw_jit_scalar_set, f);
        f->any = ins->op == SW_OP_LD;
        f->known = l->to_address;
        sw_ins_visit_writes(ins, sw_jit_scalar_ask, f);
        if (f->any)
            sw_ins_visit_reads(ins, sw_jit_scalar_set, f);
    }
}

bool
sw_jit_scalar_is_chosen(const sw_jit_plan *plan, const scalar_loop *s,
                        uint32_t b)
{
    uint32_t header = s->block->index;
    for (unsigned k = 0; k < s->block_count && s->block_count > 1; k++) {
        const sw_block *from = plan->fn->blocks[s->blocks[k]];
        for (uint32_t i = 0; i < from->target_count; i++)
            if (from->targets[i] == header &&
                !sw_cfg_dominates(plan->cfg, b, s->blocks[k]))
                return true;
    }
    return false;
}

/* A list that is followed by what stands in its elements waits for memory at
 * each step; many lanes wait together. */
static bool
is_chase(const sw_jit_plan *plan, const scalar_loop *s)
{
    loaded l = {.f = {.s = s, .changed = true}};
    while (l.f.changed) {
        l.f.changed = false;
        for (unsigned k = 0; k < s->block_count; k++)
            follow(&l, plan->fn->blocks[s->blocks[k]],
                   sw_jit_scalar_is_chosen(plan, s, s->blocks[k]));
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

bool
sw_jit_scalar_is_uniform(const sw_jit_scalar_reg *r)
{
    return r->shape.kind == SW_SHAPE_UNIFORM || r->shape.kind == SW_SHAPE_NONE;
}

bool
sw_jit_scalar_is_outside(const sw_jit_scalar_reg *r)
{
    return sw_jit_scalar_is_uniform(r) && !r->is_written;
}

/* Where they live; false: what enters or leaves cannot be carried. */
static bool
look_at_regs(const sw_jit_plan *plan, uint32_t b, scalar_loop *s)
{
    const uint64_t *in = plan->live->in + b * plan->live->words;
    for (unsigned i = 0; i < s->count; i++) {
        sw_jit_scalar_reg *r = &s->regs[i];
        r->shape = plan->shapes->regs[r->reg];
        r->enters = has_bit(in, r->reg);
        for (unsigned k = 0; k < s->exit_count; k++)
            r->leaves |=
                r->is_written &&
                has_bit(plan->live->in + s->exits[k] * plan->live->words,
                        r->reg);
        if ((r->enters || r->leaves) && !sw_jit_scalar_is_outside(r) &&
            !is_int(plan->fn->regs[r->reg].cls))
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
goes_to(const sw_jit_plan *plan, uint32_t from, uint32_t b)
{
    const sw_block *block = plan->fn->blocks[from];
    return from == b || (block->count == 1 && block->ins[0]->op == SW_OP_BRA &&
                         block->target_count == 1 && block->targets[0] == b);
}

/* A block of the loop, of plain instructions and a branch. */
static bool
add_block(const sw_jit_plan *plan, uint32_t b, scalar_loop *s)
{
    const sw_block *block = plan->fn->blocks[b];
    const sw_ins *bra = block->ins[block->count - 1];
    if ((bra->op != SW_OP_BRA && bra->op != SW_OP_BRX) ||
        s->block_count == SW_JIT_SCALAR_BLOCKS)
        return false;
    s->blocks[s->block_count++] = b;
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        if (!is_plain(plan, block->ins[i]))
            return false;
        s->has_private |= sw_jit_is_private(plan, block->ins[i]);
        s->stores |= is_store(block->ins[i]);
        sw_ins_visit_reads(block->ins[i], note_read, s);
        sw_ins_visit_writes(block->ins[i], note_write, s);
    }
    sw_ins_visit_reads(bra, note_read, s);
    return s->count < SW_JIT_SCALAR_REGS;
}

/* A loop of one block. */
static bool
is_one_block(const sw_jit_plan *plan, uint32_t b, scalar_loop *s)
{
    const sw_block *block = plan->fn->blocks[b];
    const sw_ins *bra = block->ins[block->count - 1];
    if (bra->op != SW_OP_BRA || !bra->guard || block->target_count != 2)
        return false;
    bool first = goes_to(plan, block->targets[0], b);
    s->exits[0] = block->targets[first];
    s->exit_count = 1;
    return first != goes_to(plan, block->targets[1], b) &&
           add_block(plan, b, s);
}

/* Lanes leave the loop at block `from`. */
static bool
add_exit(const sw_jit_plan *plan, scalar_loop *s, uint32_t from, uint32_t to)
{
    unsigned k = 0;
    while (k < s->exit_count && s->exits[k] != to)
        k++;
    if (!plan->shapes->diverges[from] || k == SW_JIT_SCALAR_EXITS)
        return false;
    s->exit_count += k == s->exit_count;
    s->exits[k] = to;
    return true;
}

/* One of several that reads: `while (k < end && list[k] < x) k++`. All that
 * leave it go to one place, or it has local memory. */
static bool
is_several_blocks(const sw_jit_plan *plan, uint32_t b, scalar_loop *s)
{
    uint32_t l = plan->cfg->loop[b];
    const sw_loop *loop = &plan->cfg->loops[l];
    if (!l || loop->header != b || loop->irreducible ||
        loop->latch - loop->first > SW_JIT_SCALAR_BLOCKS)
        return false;
    for (uint32_t x = 0; x < plan->fn->block_count; x++) {
        const sw_block *block = plan->fn->blocks[x];
        if (!sw_cfg_is_in_loop(plan->cfg, l, x))
            continue;
        if (plan->cfg->loop[x] != l || !add_block(plan, x, s))
            return false;
        for (uint32_t i = 0; i < block->target_count; i++) {
            if (sw_cfg_is_in_loop(plan->cfg, l, block->targets[i]))
                continue;
            if (!add_exit(plan, s, x, block->targets[i]))
                return false;
        }
    }
    return s->exit_count && !s->stores &&
           (s->has_private || (s->exit_count == 1 &&
                               s->block_count <= sw_jit_tune.scalar_blocks));
}

static bool
is_loop(const sw_jit_plan *plan, uint32_t b, scalar_loop *s)
{
    *s = (scalar_loop){.block = plan->fn->blocks[b]};
    if (is_one_block(plan, b, s))
        return look_at_regs(plan, b, s);
    *s = (scalar_loop){.block = plan->fn->blocks[b]};
    return is_several_blocks(plan, b, s) && look_at_regs(plan, b, s);
}

/* Loads from anywhere, and not much else. */
static bool
reads_lists(const sw_jit_plan *plan, const scalar_loop *s)
{
    unsigned loads = 0, far = 0, all = 1;
    for (unsigned k = 0; k < s->block_count; k++) {
        const sw_block *block = plan->fn->blocks[s->blocks[k]];
        for (uint32_t i = 0; i + 1 < block->count; i++) {
            const sw_ins *ins = block->ins[i];
            all += ins->op != SW_OP_MOV || s->block_count == 1;
            if (ins->op != SW_OP_LD)
                continue;
            sw_shape shape = sw_shapes_source(plan->shapes, ins, 0);
            loads++;
            far += shape.kind == SW_SHAPE_VARYING;
            if (shape.kind == SW_SHAPE_AFFINE ||
                shape.kind == SW_SHAPE_EXTENDED)
                return false;
        }
    }
    return far && all <= sw_jit_tune.scalar_load * loads && !is_chase(plan, s);
}

/* Neighbours may lie, as far as is known here, more than an element apart. */
static bool
may_be_apart(const sw_jit_plan *plan, const sw_jit_list *l)
{
    const sw_shape *shape = &plan->shapes->regs[l->reg];
    return shape->kind == SW_SHAPE_VARYING || shape->v ||
           sw_shape_step(shape) > l->unit;
}

/* Elements of lists of each lane's own, and nothing else. */
static bool
stores_lists(const sw_jit_plan *plan, const scalar_loop *s,
             sw_jit_precheck_plan *a)
{
    if (!sw_jit_find_precheck(plan, s, a) || !a->has_all)
        return false;
    for (unsigned k = 0; k < a->count; k++)
        if (a->lists[k].step < 0 ||
            (a->lists[k].is_stored && !may_be_apart(plan, &a->lists[k])))
            return false;
    return s->block->count <= sw_jit_tune.scalar_access * a->accesses;
}

bool
sw_jit_stores_lists(const sw_jit_plan *plan)
{
    scalar_loop s;
    sw_jit_precheck_plan a;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        if (is_loop(plan, b, &s) && s.stores && stores_lists(plan, &s, &a))
            return true;
    return false;
}

bool
sw_jit_find_scalar_loop(const sw_jit_plan *plan, uint32_t b, scalar_loop *s,
                        sw_jit_precheck_plan *a)
{
    if (plan->lanes != 32 || plan->rq->counts_inline || plan->rq->count_ins ||
        sw_jit_is_cut(plan) || plan->fn->blocks[b]->is_rare ||
        !is_loop(plan, b, s))
        return false;
    if (s->stores)
        return !s->has_private && stores_lists(plan, s, a);
    if (s->has_private)
        return s->block_count > 1 && plan->shapes->head[b] == b &&
               sw_jit_suits_private(plan, s);
    return (s->block_count > 1 || plan->shapes->diverges[b]) &&
           plan->shapes->head[b] == b && reads_lists(plan, s);
}

bool
sw_jit_is_scalar_loop(const sw_jit_plan *plan, uint32_t b)
{
    scalar_loop s;
    sw_jit_precheck_plan a;
    return sw_jit_find_scalar_loop(plan, b, &s, &a);
}
