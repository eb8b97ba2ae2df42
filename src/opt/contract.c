/* SPDX-License-Identifier: Apache-2.0 */
/* contract.c - see contract.h. */
#include "opt/contract.h"

#include <math.h>
#include <string.h>

#include "opt/liveness.h"

/* What is known of a register. */
typedef struct {
    uint32_t defs, uses;
    uint32_t sums;           /* uses that a product could be folded into */
    sw_ins *product;         /* its only definition, if that is a product */
    const sw_opnd *constant; /* ... if that is a move of a number */
    uint32_t block, at;      /* of that */
} value;

/* A negation to put before instruction `at` of a block. */
typedef struct {
    uint32_t block, at;
    sw_ins *ins;
} insertion;

typedef struct {
    sw_fn *fn;
    value *values; /* by register */
    sw_vec regs;   /* sw_reg_info: those that negations write */
    sw_vec insertions;
} contractor;

static void
count_def(void *data, sw_reg reg)
{
    ((contractor *)data)->values[reg].defs++;
}

static void
count_use(void *data, sw_reg reg)
{
    ((contractor *)data)->values[reg].uses++;
}

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

static void
note_constant(contractor *c, const sw_ins *ins)
{
    if (ins->op == SW_OP_MOV && !ins->guard &&
        ins->opnd[0].kind == SW_OPND_REG && ins->opnd[1].kind == SW_OPND_IMM)
        c->values[ins->opnd[0].reg].constant = &ins->opnd[1];
}

/* The float that a source certainly is. */
static bool
number_of(const contractor *c, const sw_opnd *o, float *x)
{
    if (o->kind == SW_OPND_REG && c->values[o->reg].defs == 1)
        o = c->values[o->reg].constant;
    if (!o || o->kind != SW_OPND_IMM)
        return false;
    uint32_t bits = (uint32_t)o->imm;
    memcpy(x, &bits, sizeof *x);
    return true;
}

static sw_opnd
number_opnd(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (sw_opnd){.kind = SW_OPND_IMM, .imm = bits};
}

/* div.approx.f32 and div.full.f32 by a number: times its reciprocal. */
static void
divide_by_constant(contractor *c, sw_ins *ins)
{
    float x;
    if (ins->op != SW_OP_DIV || ins->type != SW_T_F32 ||
        !(ins->flags & (SW_F_APPROX | SW_F_FULL)) ||
        !number_of(c, &ins->opnd[2], &x))
        return;
    float r = 1 / x;
    if (!isnormal(x) || !isnormal(r))
        return;
    ins->opnd[2] = number_opnd(r);
    ins->op = SW_OP_MUL;
    ins->flags &= (uint16_t) ~(SW_F_APPROX | SW_F_FULL);
}

/* An approximate function of a number is what the function really is there,
 * unless that is not finite; the sine of a subnormal number is 0. */
static void
compute_constant(contractor *c, sw_ins *ins)
{
    float x;
    if (ins->type != SW_T_F32 || !(ins->flags & SW_F_APPROX) ||
        ins->nsrc != 1 || ins->opnd[0].kind != SW_OPND_REG ||
        !number_of(c, &ins->opnd[1], &x) || !isfinite(x))
        return;
    bool ftz = ins->flags & SW_F_FTZ;
    if ((ftz || ins->op == SW_OP_SIN) && !isnormal(x))
        x = copysignf(0, x);
    double d = x;
    switch (ins->op) {
    case SW_OP_SIN:
        d = sin(d);
        break;
    case SW_OP_COS:
        d = cos(d);
        break;
    case SW_OP_LG2:
        d = log2(d);
        break;
    case SW_OP_EX2:
        d = exp2(d);
        break;
    case SW_OP_RCP:
        d = 1 / d;
        break;
    case SW_OP_SQRT:
        d = sqrt(d);
        break;
    case SW_OP_RSQRT:
        d = 1 / sqrt(d);
        break;
    default: /* tanh */
        return;
    }
    float r = (float)d;
    if (!isfinite(r))
        return;
    if (ftz && !isnormal(r))
        r = copysignf(0, r);
    ins->op = SW_OP_MOV;
    ins->flags = 0;
    ins->opnd[1] = number_opnd(r);
    note_constant(c, ins);
}

/* The product that operand k of a sum could take in, or NULL. */
static value *
product_of(contractor *c, const sw_ins *sum, unsigned k)
{
    const sw_opnd *o = sw_ins_src(sum, k);
    if (o->kind != SW_OPND_REG)
        return NULL;
    value *v = &c->values[o->reg];
    if (!v->product || v->defs != 1 || v->product->type != sum->type ||
        (v->product->flags & SW_F_FTZ) != (sum->flags & SW_F_FTZ))
        return NULL;
    return v;
}

/* The factors still hold at the sum what they held at the product. */
static bool
factors_hold(const contractor *c, const value *v, uint32_t block, uint32_t at)
{
    for (unsigned k = 0; k < 2; k++) {
        const sw_opnd *o = sw_ins_src(v->product, k);
        if (o->kind != SW_OPND_REG || c->values[o->reg].defs == 1)
            continue;
        if (v->block != block || at < v->at)
            return false;
        for (uint32_t i = v->at; i < at; i++) {
            const sw_ins *ins = c->fn->blocks[block]->ins[i];
            for (unsigned d = 0; d < ins->ndst; d++)
                if (ins->opnd[d].kind == SW_OPND_REG &&
                    ins->opnd[d].reg == o->reg)
                    return false;
            if (ins->op == SW_OP_CALL)
                return false;
        }
    }
    return true;
}

/* Calls fn for each sum of the function. */
static void
each_sum(contractor *c,
         void (*fn)(contractor *c, sw_ins *sum, uint32_t block, uint32_t at))
{
    for (uint32_t b = 0; b < c->fn->block_count; b++)
        for (uint32_t i = 0; i < c->fn->blocks[b]->count; i++)
            if (is_sum(c->fn->blocks[b]->ins[i]))
                fn(c, c->fn->blocks[b]->ins[i], b, i);
}

/* A use counts towards folding unless the other operand goes first, or the
 * factors have changed. */
static void
count_sum(contractor *c, sw_ins *sum, uint32_t block, uint32_t at)
{
    value *a = product_of(c, sum, 0), *b = product_of(c, sum, 1);
    if (a && a == b)
        return;
    if (a && factors_hold(c, a, block, at))
        a->sums++;
    if (b && factors_hold(c, b, block, at))
        b->sums++;
}

static bool
is_foldable(const value *v)
{
    return v && v->sums == v->uses;
}

/* Of two the second stays a product: then none of its uses folds it. */
static void
choose(contractor *c, sw_ins *sum, uint32_t block, uint32_t at)
{
    (void)block;
    (void)at;
    value *a = product_of(c, sum, 0), *b = product_of(c, sum, 1);
    if (a && b && a != b && is_foldable(a) && is_foldable(b))
        b->sums = 0;
}

/* -x, for the sum at (block, at): a number with the other sign, or what a
 * negation before the sum writes. */
static sw_opnd
negated(contractor *c, const sw_ins *sum, const sw_opnd *x, uint32_t block,
        uint32_t at)
{
    sw_arena *arena = c->fn->module->arena;
    unsigned bits = sw_type_bits((sw_type)sum->type);
    sw_opnd r = *x;
    if (x->kind == SW_OPND_IMM) {
        r.imm ^= is_pair(sum) ? 0x80008000u : (uint64_t)1 << (bits - 1);
        return r;
    }
    *(sw_reg_info *)sw_vec_push(&c->regs) = (sw_reg_info){
        sw_type_class((sw_type)sum->type), (sw_type)sum->type, "%neg"};
    r = (sw_opnd){.kind = SW_OPND_REG,
                  .reg = c->fn->reg_count + (uint32_t)c->regs.count - 1};
    sw_ins *neg = sw_arena_alloc(arena, sizeof *neg);
    *neg = (sw_ins){.op = SW_OP_NEG,
                    .type = sum->type,
                    .ndst = 1,
                    .nsrc = 1,
                    .line = sum->line,
                    .loc = sum->loc};
    neg->opnd = sw_arena_alloc(arena, 2 * sizeof *neg->opnd);
    neg->opnd[0] = r;
    neg->opnd[1] = *x;
    *(insertion *)sw_vec_push(&c->insertions) = (insertion){block, at, neg};
    return r;
}

static void
fold(contractor *c, sw_ins *sum, uint32_t block, uint32_t at)
{
    value *a = product_of(c, sum, 0), *b = product_of(c, sum, 1);
    bool first = is_foldable(a);
    const value *v = first ? a : is_foldable(b) ? b : NULL;
    if (!v || a == b)
        return;
    sw_opnd *opnd = sw_arena_alloc(c->fn->module->arena, 4 * sizeof *opnd);
    opnd[0] = sum->opnd[0];
    opnd[1] = *sw_ins_src(v->product, 0);
    opnd[2] = *sw_ins_src(v->product, 1);
    opnd[3] = *sw_ins_src(sum, first ? 1 : 0);
    if (sum->op == SW_OP_SUB) {
        unsigned k = first ? 3 : 1; /* a*b - c, or c - a*b */
        opnd[k] = negated(c, sum, &opnd[k], block, at);
    }
    sum->op = SW_OP_FMA;
    sum->rnd = SW_RND_RN;
    sum->nsrc = 3;
    sum->opnd = opnd;
}

static bool
is_dead(const contractor *c, const sw_ins *ins)
{
    if (!is_product(ins))
        return false;
    const value *v = &c->values[ins->opnd[0].reg];
    return v->product == ins && v->defs == 1 && v->uses && is_foldable(v);
}

/* Blocks with the negations and without the folded products. */
static void
rebuild_blocks(contractor *c)
{
    sw_fn *fn = c->fn;
    sw_arena *arena = fn->module->arena;
    const insertion *next = c->insertions.data;
    const insertion *end = next ? next + c->insertions.count : NULL;
    if (c->regs.count) {
        sw_reg_info *regs = sw_arena_alloc(
            arena, (fn->reg_count + c->regs.count) * sizeof *regs);
        memcpy(regs, fn->regs, fn->reg_count * sizeof *regs);
        memcpy(regs + fn->reg_count, c->regs.data,
               c->regs.count * sizeof *regs);
        fn->regs = regs;
        fn->reg_count += (uint32_t)c->regs.count;
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
            if (!is_dead(c, block->ins[i]))
                ins[to++] = block->ins[i];
        }
        block->ins = ins;
        block->count = to;
    }
}

static void
each_ins(contractor *c,
         void (*fn)(contractor *c, sw_ins *ins, uint32_t block, uint32_t at))
{
    for (uint32_t b = 0; b < c->fn->block_count; b++)
        for (uint32_t i = 0; i < c->fn->blocks[b]->count; i++)
            fn(c, c->fn->blocks[b]->ins[i], b, i);
}

static void
note_ins(contractor *c, sw_ins *ins, uint32_t block, uint32_t at)
{
    (void)block;
    (void)at;
    sw_ins_visit_reads(ins, count_use, c);
    sw_ins_visit_writes(ins, count_def, c);
    note_constant(c, ins);
}

static void
note_product(contractor *c, sw_ins *ins, uint32_t block, uint32_t at)
{
    compute_constant(c, ins);
    divide_by_constant(c, ins);
    if (!is_product(ins))
        return;
    value *v = &c->values[ins->opnd[0].reg];
    v->product = ins;
    v->block = block;
    v->at = at;
}

static void
contract_fn(sw_fn *fn)
{
    contractor c = {.fn = fn,
                    .values = sw_alloc(fn->reg_count * sizeof(value))};
    sw_vec_init(&c.regs, sizeof(sw_reg_info));
    sw_vec_init(&c.insertions, sizeof(insertion));
    each_ins(&c, note_ins);
    for (uint32_t i = 0; i < fn->ret_count; i++)
        if (fn->rets[i].kind == SW_OPND_REG)
            c.values[fn->rets[i].reg].uses++;
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            c.values[fn->params[i].reg].defs++;
    each_ins(&c, note_product);
    each_sum(&c, count_sum);
    each_sum(&c, choose);
    each_sum(&c, fold);
    rebuild_blocks(&c);
    sw_vec_finish(&c.regs);
    sw_vec_finish(&c.insertions);
    sw_free(c.values);
}

void
sw_opt_contract(sw_module *module)
{
    if (module->debug)
        return;
    for (uint32_t i = 0; i < module->fn_count; i++)
        contract_fn(module->fns[i]);
}
