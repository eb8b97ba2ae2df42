/* SPDX-License-Identifier: Apache-2.0 */
/* constants.c - see constants.h. */
#include "opt/constants.h"

#include <math.h>
#include <string.h>

#include "opt/liveness.h"

/* What is known of a register. */
typedef struct {
    uint32_t defs;
    const sw_opnd *number; /* what it is, if defined once, by a move of it */
} constant;

static void
note_constant(constant *constants, const sw_ins *ins)
{
    if (ins->op == SW_OP_MOV && !ins->guard &&
        ins->opnd[0].kind == SW_OPND_REG && ins->opnd[1].kind == SW_OPND_IMM)
        constants[ins->opnd[0].reg].number = &ins->opnd[1];
}

/* The float that a source certainly is. */
static bool
number_of(const constant *constants, const sw_opnd *o, float *x)
{
    if (o->kind == SW_OPND_REG && constants[o->reg].defs == 1)
        o = constants[o->reg].number;
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
divide_by_constant(const constant *constants, sw_ins *ins)
{
    float x;
    if (ins->op != SW_OP_DIV || ins->type != SW_T_F32 ||
        !(ins->flags & (SW_F_APPROX | SW_F_FULL)) ||
        !number_of(constants, &ins->opnd[2], &x))
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
compute_constant(constant *constants, sw_ins *ins)
{
    float x;
    if (ins->type != SW_T_F32 || !(ins->flags & SW_F_APPROX) ||
        ins->nsrc != 1 || ins->opnd[0].kind != SW_OPND_REG ||
        !number_of(constants, &ins->opnd[1], &x) || !isfinite(x))
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
    note_constant(constants, ins);
}

static void
count_def(void *data, sw_reg reg)
{
    ((constant *)data)[reg].defs++;
}

static void
note_ins(constant *constants, const sw_ins *ins)
{
    sw_ins_visit_writes(ins, count_def, constants);
    note_constant(constants, ins);
}

void
sw_opt_constants(sw_fn *fn)
{
    constant *constants = sw_alloc(fn->reg_count * sizeof *constants);
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            constants[fn->params[i].reg].defs++;
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            note_ins(constants, fn->blocks[b]->ins[i]);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            compute_constant(constants, fn->blocks[b]->ins[i]);
            divide_by_constant(constants, fn->blocks[b]->ins[i]);
        }
    sw_free(constants);
}
