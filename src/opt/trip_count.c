/* SPDX-License-Identifier: Apache-2.0 */
/* trip_count.c - see trip_count.h. */
#include "opt/trip_count.h"

#include "opt/liveness.h"

const sw_ins *
sw_block_writer(const sw_block *block, sw_reg reg, uint32_t *at)
{
    const sw_ins *found = NULL;
    for (uint32_t i = 0; i + 1 < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        if (!sw_ins_writes(ins, reg))
            continue;
        if (found || ins->guard)
            return NULL;
        found = ins;
        *at = i;
    }
    return found;
}

bool
sw_block_writes(const sw_block *block, sw_reg reg)
{
    for (uint32_t i = 0; i + 1 < block->count; i++)
        if (sw_ins_writes(block->ins[i], reg))
            return true;
    return false;
}

static int64_t
constant_of(const sw_opnd *o, unsigned bits)
{
    return bits == 32 ? (int32_t)o->imm : (int64_t)o->imm;
}

bool
sw_block_steps(const sw_block *block, sw_reg reg, unsigned bits, int64_t *step,
               uint32_t *at)
{
    const sw_ins *ins = sw_block_writer(block, reg, at);
    if (!ins || ins->op != SW_OP_ADD || ins->ndst != 1 || ins->nsrc != 2 ||
        sw_type_bits((sw_type)ins->type) != bits)
        return false;
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    const sw_opnd *from = sw_ins_src(ins, 0), *by = sw_ins_src(ins, 1);
    if ((kind != SW_KIND_SINT && kind != SW_KIND_UINT) ||
        (ins->flags & SW_F_SAT) || from->kind != SW_OPND_REG ||
        from->reg != reg || by->kind != SW_OPND_IMM)
        return false;
    *step = constant_of(by, bits);
    return *step != 0 && *step <= SW_TRIP_STEP_MOST &&
           *step >= -SW_TRIP_STEP_MOST;
}

static bool
is_power_of_two(int64_t x)
{
    return x > 0 && !(x & (x - 1));
}

/* The comparison as one of the first six; *is_unsigned: of such numbers. */
static bool
plain_cmp(const sw_ins *ins, sw_cmp *out, bool *is_unsigned)
{
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    if (kind != SW_KIND_SINT && kind != SW_KIND_UINT && kind != SW_KIND_BITS)
        return false;
    *is_unsigned = kind == SW_KIND_UINT;
    if (ins->cmp <= SW_CMP_GE) {
        *out = (sw_cmp)ins->cmp;
        return true;
    }
    *is_unsigned = true;
    *out = (sw_cmp)(ins->cmp - SW_CMP_LO + SW_CMP_LT);
    return ins->cmp <= SW_CMP_HS;
}

static sw_cmp
mirrored(sw_cmp c)
{
    return c == SW_CMP_LT   ? SW_CMP_GT
           : c == SW_CMP_GT ? SW_CMP_LT
           : c == SW_CMP_LE ? SW_CMP_GE
           : c == SW_CMP_GE ? SW_CMP_LE
                            : c;
}

static sw_cmp
inverse_of(sw_cmp c)
{
    return c == SW_CMP_LT   ? SW_CMP_GE
           : c == SW_CMP_GE ? SW_CMP_LT
           : c == SW_CMP_LE ? SW_CMP_GT
           : c == SW_CMP_GT ? SW_CMP_LE
           : c == SW_CMP_EQ ? SW_CMP_NE
                            : SW_CMP_EQ;
}

/* What sends lanes around; false: it cannot be counted. */
static bool
find_condition(sw_trip_count *c, bool holds)
{
    sw_cmp cmp;
    if (!plain_cmp(c->compare, &cmp, &c->is_unsigned))
        return false;
    cmp = c->counter == 1 ? mirrored(cmp) : cmp;
    c->stays = holds ? cmp : inverse_of(cmp);
    if (c->stays == SW_CMP_LT || c->stays == SW_CMP_LE)
        return c->step > 0;
    if (c->stays == SW_CMP_GT || c->stays == SW_CMP_GE)
        return c->step < 0;
    return c->stays == SW_CMP_NE;
}

bool
sw_opt_find_trip_count(const sw_fn *fn, const sw_block *block,
                       sw_trip_count *out)
{
    const sw_ins *bra = block->ins[block->count - 1];
    uint32_t at = 0, stepped_at = 0;
    const sw_ins *compare = bra->op == SW_OP_BRA && bra->guard
                                ? sw_block_writer(block, bra->guard, &at)
                                : NULL;
    *out = (sw_trip_count){.compare = compare};
    if (!compare || compare->op != SW_OP_SETP || compare->ndst != 1 ||
        compare->nsrc != 2)
        return false;
    out->bits = sw_type_bits((sw_type)compare->type);
    if (out->bits != 32 && out->bits != 64)
        return false;
    sw_class cls = out->bits == 32 ? SW_CLASS_B32 : SW_CLASS_B64;
    for (out->counter = 0; out->counter < 2; out->counter++) {
        const sw_opnd *o = sw_ins_src(compare, out->counter),
                      *bound = sw_ins_src(compare, 1 - out->counter);
        if (o->kind != SW_OPND_REG || fn->regs[o->reg].cls != cls ||
            !sw_block_steps(block, o->reg, out->bits, &out->step, &stepped_at))
            continue;
        out->is_stepped = stepped_at < at;
        bool holds = (block->targets[0] == block->index) != bra->guard_neg;
        int64_t size = out->step < 0 ? -out->step : out->step;
        return is_power_of_two(size) && find_condition(out, holds) &&
               (bound->kind == SW_OPND_IMM ||
                (bound->kind == SW_OPND_REG &&
                 fn->regs[bound->reg].cls == cls &&
                 !sw_block_writes(block, bound->reg)));
    }
    return false;
}
