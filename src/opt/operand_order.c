/* SPDX-License-Identifier: Apache-2.0 */
/* operand_order.c - see operand_order.h. */
#include "opt/operand_order.h"

#include "opt/liveness.h"

/*
 * Where a value comes in the order: its number in the text if it has one
 * origin, above all of these if it has several, above those if it is fixed
 * (a parameter), above those if it stands in the text.
 */
enum { ONE, SEVERAL, FIXED, NUMBER };

static uint64_t
make_rank(unsigned kind, uint32_t number)
{
    return (uint64_t)kind << 32 | number;
}

/* What is known of a register. */
typedef struct {
    uint32_t writes; /* how many there are */
    uint32_t first;  /* the number of the first in the text, from 1 */
    uint32_t block;  /* of the last one so far */
    uint64_t rank;   /* of what that wrote; 0: there was none */
} value;

typedef struct {
    value *values;   /* by register */
    uint32_t number; /* of the last write so far */
    uint32_t block;
    uint64_t rank; /* of what the instruction writes; 0: its number */
} orderer;

static uint64_t
rank_of(const orderer *o, const sw_opnd *opnd)
{
    if (opnd->kind == SW_OPND_IMM)
        return make_rank(NUMBER, 0);
    if (opnd->kind != SW_OPND_REG)
        return make_rank(FIXED, 0);
    const value *v = &o->values[opnd->reg];
    if (v->rank && (v->writes == 1 || v->block == o->block))
        return v->rank;
    return v->writes == 1 ? make_rank(ONE, v->first)
                          : make_rank(SEVERAL, UINT32_MAX - v->first);
}

static uint64_t
rank_of_result(const orderer *o, const sw_ins *ins)
{
    const sw_opnd *a = sw_ins_src(ins, 0);
    if (ins->guard)
        return 0;
    switch (ins->op) {
    case SW_OP_NEG:
    case SW_OP_ABS:
        return ins->type == SW_T_F64 ? rank_of(o, a) : 0;
    case SW_OP_MOV:
        return rank_of(o, a);
    case SW_OP_LD:
        return a->kind == SW_OPND_SYM && (ins->space == SW_SPACE_PARAM ||
                                          ins->space == SW_SPACE_CONST)
                   ? make_rank(FIXED, 0)
                   : 0;
    default:
        return 0;
    }
}

static void
count_write(void *data, sw_reg reg)
{
    orderer *o = data;
    value *v = &o->values[reg];
    o->number++;
    if (!v->writes++)
        v->first = o->number;
}

static void
note_write(void *data, sw_reg reg)
{
    orderer *o = data;
    value *v = &o->values[reg];
    o->number++;
    v->rank = o->rank ? o->rank : make_rank(ONE, o->number);
    v->block = o->block;
}

static bool
has_order(const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_MUL:
    case SW_OP_FMA:
    case SW_OP_MAD:
    case SW_OP_MIN:
    case SW_OP_MAX:
        return ins->type == SW_T_F64;
    default:
        return false;
    }
}

/* The assembler has no difference, but a sum with the second term negated: it
 * negates a number itself, so that even a NaN changes its sign. */
static void
negate_number(sw_ins *ins)
{
    const uint64_t sign = UINT64_C(1) << 63;
    sw_opnd *b = &ins->opnd[ins->ndst + 1];
    if (ins->op == SW_OP_SUB && b->kind == SW_OPND_IMM) {
        b->imm ^= sign;
        ins->op = SW_OP_ADD;
    }
}

static void
order(const orderer *o, sw_ins *ins)
{
    negate_number(ins);
    sw_opnd *source = &ins->opnd[ins->ndst], first = source[0];
    uint64_t a = rank_of(o, &source[0]), b = rank_of(o, &source[1]);
    if (a < b || (a == b && a != make_rank(FIXED, 0)))
        return;
    if (ins->op == SW_OP_SUB) {
        ins->flags |= SW_F_NAN;
    } else {
        source[0] = source[1];
        source[1] = first;
    }
}

static void
count_ins(orderer *o, sw_ins *ins)
{
    sw_ins_visit_writes(ins, count_write, o);
}

static void
order_ins(orderer *o, sw_ins *ins)
{
    if (has_order(ins))
        order(o, ins);
    o->rank = rank_of_result(o, ins);
    sw_ins_visit_writes(ins, note_write, o);
}

/* The formals of a function are written before its first instruction. */
static void
each_write(orderer *o, const sw_fn *fn, void (*formal)(void *data, sw_reg reg),
           void (*visit)(orderer *o, sw_ins *ins))
{
    o->number = o->block = 0;
    o->rank = 0;
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            formal(o, fn->params[i].reg);
    for (; o->block < fn->block_count; o->block++)
        for (uint32_t i = 0; i < fn->blocks[o->block]->count; i++)
            visit(o, fn->blocks[o->block]->ins[i]);
}

static void
order_fn(const sw_fn *fn)
{
    orderer o = {.values = sw_alloc(fn->reg_count * sizeof(value))};
    each_write(&o, fn, count_write, count_ins);
    each_write(&o, fn, note_write, order_ins);
    sw_free(o.values);
}

void
sw_opt_order_operands(sw_module *module)
{
    if (module->debug)
        return;
    for (uint32_t i = 0; i < module->fn_count; i++)
        order_fn(module->fns[i]);
}
