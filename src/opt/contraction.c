/* SPDX-License-Identifier: Apache-2.0 */
/* contraction.c - see contraction.h. */
#include "opt/contraction.h"

#include <stdlib.h>
#include <string.h>

#include "opt/constants.h"
#include "opt/liveness.h"

/* A product, or a copy of one, maybe with the other sign. */
typedef struct {
    sw_ins *ins; /* that makes it: mul; mov or neg */
    uint32_t block, at;
    uint32_t run;
    uint32_t uses, sums; /* sums: uses that could take the product in */
    uint32_t of;         /* value that it is a copy of; 0: none */
    bool is_negated;     /* the copy, from the product */
    uint64_t stamps[2];  /* of its factors */
    bool changes[2];     /* another value is there when it is added */
    sw_reg kept[2];      /* then: where a copy is */
} value;

/* The operands of a sum that are products: numbers of values, or 0. */
typedef struct {
    sw_ins *ins;
    uint32_t block, at, of[2];
} sum;

/* An instruction to put before instruction `at` of a block. */
typedef struct {
    uint32_t block, at, number;
    sw_ins *ins;
} insertion;

typedef struct {
    sw_fn *fn;
    const sw_cfg *cfg;
    const sw_liveness *live;
    sw_vec values; /* value; 0 is none */
    sw_vec sums;   /* sum */
    sw_vec regs;   /* sw_reg_info: new ones */
    sw_vec insertions;
    /* while a chain of blocks is walked: */
    uint32_t *current; /* by register: value that it holds, or 0 */
    uint64_t *stamps;  /* by register: of what it holds */
    uint64_t stamp;    /* the last */
    sw_vec touched;    /* sw_reg: current[] is not 0, or was so */
    uint32_t run;      /* see ends_run */
    uint32_t block, at;
    const sw_ins *ins;
} contractor;

static bool
is_float(const sw_ins *ins)
{
    switch (ins->type) {
    case SW_T_F32:
    case SW_T_F64:
    case SW_T_F16:
    case SW_T_F16X2:
    case SW_T_BF16:
    case SW_T_BF16X2:
        return true;
    default:
        return false;
    }
}

static bool
is_pair(const sw_ins *ins)
{
    return ins->type == SW_T_F16X2 || ins->type == SW_T_BF16X2;
}

static bool
is_product(const sw_ins *ins)
{
    return ins->op == SW_OP_MUL && is_float(ins) && ins->rnd == SW_RND_NONE &&
           !(ins->flags & ~SW_F_FTZ) && !ins->guard &&
           ins->opnd[0].kind == SW_OPND_REG;
}

static bool
is_sum(const sw_ins *ins)
{
    return (ins->op == SW_OP_ADD || ins->op == SW_OP_SUB) && is_float(ins) &&
           ins->rnd == SW_RND_NONE && !(ins->flags & ~(SW_F_FTZ | SW_F_SAT));
}

/* ---- which products could be folded ---- */

static value *
value_at(const contractor *c, uint32_t number)
{
    return sw_vec_at(&c->values, number);
}

/* Number of the product itself. */
static uint32_t
root_of(const contractor *c, uint32_t number)
{
    while (number && value_at(c, number)->of)
        number = value_at(c, number)->of;
    return number;
}

/* What the assembler spells out with branches or calls, before it looks for
 * products, and fences, which end a block for it. */
static bool
ends_run(const sw_ins *ins)
{
    bool is_rounded = ins->rnd != SW_RND_NONE;
    switch (ins->op) {
    case SW_OP_CALL:
    case SW_OP_MEMBAR:
        return true;
    case SW_OP_DIV:
    case SW_OP_REM:
        return is_float(ins) ? is_rounded : ins->type != SW_T_U32;
    case SW_OP_SQRT:
    case SW_OP_RCP:
        return is_rounded;
    case SW_OP_RSQRT:
        return ins->type == SW_T_F64;
    case SW_OP_BFIND:
        return sw_type_bits((sw_type)ins->type) == 64;
    default:
        return ins->guard && ins->op != SW_OP_BRA &&
               sw_op_get_info((sw_op)ins->op)->effects != SW_FX_PURE;
    }
}

/* The value of operand k of a sum, if the sum could take its product in. */
static uint32_t
addend(contractor *c, const sw_ins *ins, unsigned k)
{
    const sw_opnd *o = sw_ins_src(ins, k);
    uint32_t number = o->kind == SW_OPND_REG ? c->current[o->reg] : 0;
    if (!number)
        return 0;
    const value *v = value_at(c, root_of(c, number));
    bool fits = v->run == c->run && v->ins->type == ins->type &&
                (v->ins->flags & SW_F_FTZ) == (ins->flags & SW_F_FTZ);
    return fits ? number : 0;
}

static void
note_addend(contractor *c, uint32_t number)
{
    value_at(c, number)->sums++;
    value *v = value_at(c, root_of(c, number));
    for (unsigned k = 0; k < 2; k++) {
        const sw_opnd *o = sw_ins_src(v->ins, k);
        v->changes[k] |=
            o->kind == SW_OPND_REG && c->stamps[o->reg] != v->stamps[k];
    }
}

static void
note_sum(contractor *c, sw_ins *ins)
{
    sum s = {.ins = ins,
             .block = c->block,
             .at = c->at,
             .of = {addend(c, ins, 0), addend(c, ins, 1)}};
    if (root_of(c, s.of[0]) == root_of(c, s.of[1]))
        return; /* twice the same, or none */
    for (unsigned k = 0; k < 2; k++)
        if (s.of[k])
            note_addend(c, s.of[k]);
    *(sum *)sw_vec_push(&c->sums) = s;
}

static void
note_use(void *data, sw_reg reg)
{
    contractor *c = data;
    if (c->current[reg])
        value_at(c, c->current[reg])->uses++;
}

static void
note_write(void *data, sw_reg reg)
{
    contractor *c = data;
    if (c->ins->guard)
        note_use(c, reg); /* what is there may stay */
    c->current[reg] = 0;
    c->stamps[reg] = ++c->stamp;
}

/* The value that the instruction copies, or 0. */
static uint32_t
copied(const contractor *c, const sw_ins *ins)
{
    if ((ins->op != SW_OP_MOV && ins->op != SW_OP_NEG) || ins->guard ||
        ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG || ins->nsrc != 1 ||
        ins->opnd[1].kind != SW_OPND_REG)
        return 0;
    uint32_t number = c->current[ins->opnd[1].reg];
    if (!number)
        return 0;
    const sw_ins *product = value_at(c, root_of(c, number))->ins;
    bool is_same =
        ins->op == SW_OP_NEG
            ? ins->type == product->type && ins->flags == product->flags
            : sw_type_bits((sw_type)ins->type) ==
                  sw_type_bits((sw_type)product->type);
    return is_same ? number : 0;
}

/* What the instruction makes, before it has written it. */
static bool
make_value(const contractor *c, sw_ins *ins, value *v)
{
    *v = (value){.ins = ins, .block = c->block, .at = c->at, .run = c->run};
    if (is_product(ins)) {
        for (unsigned k = 0; k < 2; k++)
            if (sw_ins_src(ins, k)->kind == SW_OPND_REG)
                v->stamps[k] = c->stamps[sw_ins_src(ins, k)->reg];
        return true;
    }
    v->of = copied(c, ins);
    if (v->of)
        v->is_negated =
            value_at(c, v->of)->is_negated != (ins->op == SW_OP_NEG);
    return v->of != 0;
}

static void
walk_ins(contractor *c, sw_ins *ins)
{
    value v;
    c->ins = ins;
    sw_ins_visit_reads(ins, note_use, c);
    for (uint32_t i = 0; ins->op == SW_OP_RET && i < c->fn->ret_count; i++)
        if (c->fn->rets[i].kind == SW_OPND_REG)
            note_use(c, c->fn->rets[i].reg);
    if (ends_run(ins))
        c->run++;
    if (is_sum(ins))
        note_sum(c, ins);
    bool is_value = make_value(c, ins, &v);
    sw_ins_visit_writes(ins, note_write, c);
    if (!is_value)
        return;
    sw_reg reg = ins->opnd[0].reg;
    c->current[reg] = (uint32_t)c->values.count;
    *(value *)sw_vec_push(&c->values) = v;
    *(sw_reg *)sw_vec_push(&c->touched) = reg;
}

/* The only block that can follow b, and that only by b; or SW_CFG_NONE. */
static uint32_t
next_in_chain(const sw_cfg *cfg, uint32_t b)
{
    if (cfg->succ_at[b + 1] - cfg->succ_at[b] != 1)
        return SW_CFG_NONE;
    uint32_t next = cfg->succ[cfg->succ_at[b]], preds = 0;
    for (uint32_t i = cfg->pred_at[next]; i < cfg->pred_at[next + 1]; i++)
        preds += cfg->rpo[cfg->pred[i]] < cfg->reachable;
    return next && preds == 1 ? next : SW_CFG_NONE;
}

/* Blocks that are one for the assembler. */
static void
walk_chain(contractor *c, uint32_t first)
{
    uint32_t last = first;
    for (uint32_t b = first; b != SW_CFG_NONE; b = next_in_chain(c->cfg, b)) {
        const sw_block *block = c->fn->blocks[b];
        last = b;
        c->block = b;
        for (c->at = 0; c->at < block->count; c->at++)
            walk_ins(c, block->ins[c->at]);
    }
    for (size_t i = 0; i < c->touched.count; i++) {
        sw_reg reg = *(sw_reg *)sw_vec_at(&c->touched, i);
        if (sw_liveness_out(c->live, last, reg))
            note_use(c, reg);
        c->current[reg] = 0;
    }
    sw_vec_clear(&c->touched);
    c->run++;
}

static void
walk_chains(contractor *c)
{
    bool *follows = sw_alloc(c->cfg->count * sizeof *follows);
    for (uint32_t n = 0; n < c->cfg->reachable; n++) {
        uint32_t next = next_in_chain(c->cfg, c->cfg->order[n]);
        if (next != SW_CFG_NONE)
            follows[next] = true;
    }
    for (uint32_t n = 0; n < c->cfg->reachable; n++)
        if (!follows[c->cfg->order[n]])
            walk_chain(c, c->cfg->order[n]);
    sw_free(follows);
}

/* ---- and which are ---- */

static bool
is_foldable(const value *v)
{
    return v->sums == v->uses;
}

/* To be copied counts as a use that takes the product in, if all uses of the
 * copy are. */
static void
count_copies(contractor *c)
{
    for (size_t i = c->values.count; i-- > 1;) {
        const value *v = value_at(c, (uint32_t)i);
        if (v->of && is_foldable(v))
            value_at(c, v->of)->sums++;
    }
}

/* The product that a sum takes in by operand k, or NULL. */
static value *
taken(const contractor *c, const sum *s, unsigned k)
{
    value *v = s->of[k] ? value_at(c, root_of(c, s->of[k])) : NULL;
    return v && v->uses && is_foldable(v) ? v : NULL;
}

/* Of two the second stays a product: then none of its uses folds it. */
static void
choose(contractor *c)
{
    for (size_t i = 0; i < c->sums.count; i++) {
        const sum *s = sw_vec_at(&c->sums, i);
        value *second = taken(c, s, 1);
        if (second && taken(c, s, 0))
            second->sums = 0;
    }
}

static sw_ins *
insert(contractor *c, sw_op op, const sw_ins *like, const sw_opnd *x,
       uint32_t block, uint32_t at)
{
    sw_arena *arena = c->fn->module->arena;
    sw_ins *ins = sw_arena_alloc(arena, sizeof *ins);
    *(sw_reg_info *)sw_vec_push(&c->regs) =
        (sw_reg_info){sw_type_class((sw_type)like->type), (sw_type)like->type,
                      op == SW_OP_NEG ? "%neg" : "%factor"};
    *ins = (sw_ins){.op = (uint16_t)op,
                    .type = like->type,
                    .ndst = 1,
                    .nsrc = 1,
                    .line = like->line,
                    .loc = like->loc};
    ins->opnd = sw_arena_alloc(arena, 2 * sizeof *ins->opnd);
    ins->opnd[0] =
        (sw_opnd){.kind = SW_OPND_REG,
                  .reg = c->fn->reg_count + (uint32_t)c->regs.count - 1};
    ins->opnd[1] = *x;
    *(insertion *)sw_vec_push(&c->insertions) =
        (insertion){block, at, (uint32_t)c->insertions.count, ins};
    return ins;
}

/* -x, for the sum: a number with the other sign, or what a negation before it
 * writes. */
static sw_opnd
negated(contractor *c, const sum *s, const sw_opnd *x)
{
    sw_opnd r = *x;
    if (x->kind != SW_OPND_IMM)
        return insert(c, SW_OP_NEG, s->ins, x, s->block, s->at)->opnd[0];
    r.imm ^= is_pair(s->ins)
                 ? 0x80008000u
                 : (uint64_t)1 << (sw_type_bits((sw_type)s->ins->type) - 1);
    return r;
}

/* Factor k, as it was where the product stood. */
static sw_opnd
factor(contractor *c, value *v, unsigned k)
{
    sw_opnd o = *sw_ins_src(v->ins, k);
    if (!v->changes[k])
        return o;
    if (!v->kept[k])
        v->kept[k] =
            insert(c, SW_OP_MOV, v->ins, &o, v->block, v->at)->opnd[0].reg;
    o.reg = v->kept[k];
    return o;
}

static void
fold(contractor *c, const sum *s)
{
    unsigned k = taken(c, s, 0) ? 0 : 1;
    value *v = taken(c, s, k);
    if (!v)
        return;
    bool subtracts = s->ins->op == SW_OP_SUB;
    sw_opnd *opnd = sw_arena_alloc(c->fn->module->arena, 4 * sizeof *opnd);
    opnd[0] = s->ins->opnd[0];
    opnd[1] = factor(c, v, 0);
    opnd[2] = factor(c, v, 1);
    opnd[3] = *sw_ins_src(s->ins, 1 - k);
    if (value_at(c, s->of[k])->is_negated != (subtracts && k == 1))
        opnd[1] = negated(c, s, &opnd[1]);
    if (subtracts && k == 0)
        opnd[3] = negated(c, s, &opnd[3]);
    s->ins->op = SW_OP_FMA;
    s->ins->rnd = SW_RND_RN;
    s->ins->nsrc = 3;
    s->ins->opnd = opnd;
}

/* Products that are nowhere used any more, and their copies. */
static void
remove_folded(contractor *c)
{
    for (uint32_t i = 1; i < c->values.count; i++) {
        const value *v = value_at(c, i), *root = value_at(c, root_of(c, i));
        if (root->uses && is_foldable(root))
            c->fn->blocks[v->block]->ins[v->at] = NULL;
    }
}

static int
compare_insertions(const void *a, const void *b)
{
    const insertion *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Blocks with the insertions and without what was removed. */
static void
rebuild_blocks(contractor *c)
{
    sw_fn *fn = c->fn;
    sw_arena *arena = fn->module->arena;
    insertion *next = c->insertions.data;
    const insertion *end = next ? next + c->insertions.count : NULL;
    if (c->regs.count) {
        sw_reg_info *regs = sw_arena_alloc(
            arena, (fn->reg_count + c->regs.count) * sizeof *regs);
        memcpy(regs, fn->regs, fn->reg_count * sizeof *regs);
        memcpy(regs + fn->reg_count, c->regs.data,
               c->regs.count * sizeof *regs);
        fn->regs = regs;
        fn->reg_count += (uint32_t)c->regs.count;
        qsort(next, c->insertions.count, sizeof *next, compare_insertions);
    }
    for (uint32_t b = 0; b < fn->block_count; b++) {
        sw_block *block = fn->blocks[b];
        uint32_t more = 0, to = 0;
        while (next + more < end && next[more].block == b)
            more++;
        sw_ins **ins =
            sw_arena_alloc(arena, (block->count + more) * sizeof *ins);
        for (uint32_t i = 0; i < block->count; i++) {
            while (next < end && next->block == b && next->at == i)
                ins[to++] = (next++)->ins;
            if (block->ins[i])
                ins[to++] = block->ins[i];
        }
        block->ins = ins;
        block->count = to;
    }
}

static void
fold_products(contractor *c)
{
    sw_cfg *cfg = sw_cfg_create(c->fn);
    sw_liveness *live = sw_liveness_create(c->fn, cfg);
    c->cfg = cfg;
    c->live = live;
    c->current = sw_alloc(c->fn->reg_count * sizeof *c->current);
    c->stamps = sw_alloc(c->fn->reg_count * sizeof *c->stamps);
    sw_vec_init(&c->values, sizeof(value));
    sw_vec_init(&c->sums, sizeof(sum));
    sw_vec_init(&c->regs, sizeof(sw_reg_info));
    sw_vec_init(&c->insertions, sizeof(insertion));
    sw_vec_init(&c->touched, sizeof(sw_reg));
    sw_vec_push(&c->values); /* none */
    walk_chains(c);
    count_copies(c);
    choose(c);
    for (size_t i = 0; i < c->sums.count; i++)
        fold(c, sw_vec_at(&c->sums, i));
    remove_folded(c);
    rebuild_blocks(c);
    sw_vec_finish(&c->values);
    sw_vec_finish(&c->sums);
    sw_vec_finish(&c->regs);
    sw_vec_finish(&c->insertions);
    sw_vec_finish(&c->touched);
    sw_free(c->current);
    sw_free(c->stamps);
    sw_liveness_destroy(live);
    sw_cfg_destroy(cfg);
}

/* ---- a function ---- */

static bool
has_products_and_sums(const sw_fn *fn)
{
    bool has_product = false, has_sum = false;
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            has_product |= is_product(fn->blocks[b]->ins[i]);
            has_sum |= is_sum(fn->blocks[b]->ins[i]);
        }
    return has_product && has_sum;
}

void
sw_opt_fuse_products(sw_module *module)
{
    if (module->debug)
        return;
    for (uint32_t i = 0; i < module->fn_count; i++) {
        contractor c = {.fn = module->fns[i]};
        sw_opt_constants(c.fn);
        if (has_products_and_sums(c.fn))
            fold_products(&c);
    }
}
