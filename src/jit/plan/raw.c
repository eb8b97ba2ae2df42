/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw.c - which registers hold raw values: right but for which NaN they are
 * (alu/alu.h). They go to where no bit of a NaN is seen.
 */
#include <string.h>

#include "jit/plan/plan.h"
#include "jit/plan/values.h"

enum { RAW_OPEN = 255 };

bool
sw_jit_is_mover(const sw_ins *ins)
{
    return sw_jit_value_rules[ins->op].made == SW_JIT_VALUE_CHOICE &&
           ins->ndst == 1;
}

static bool
is_nan_number(const sw_ins *ins, uint64_t imm)
{
    unsigned bits = ins->type ? sw_type_bits((sw_type)ins->type) : 64;
    if (bits == 64)
        return (imm << 1) > 0xffe0000000000000u;
    if (bits == 32)
        return (uint32_t)(imm << 1) > 0xff000000u;
    return true; /* not looked at */
}

/* What the instruction says of its first destination. */
uint8_t
sw_jit_raw_result(const sw_jit_plan *plan, const sw_ins *ins)
{
    if (sw_jit_is_mover(ins)) {
        uint8_t all = RAW_OPEN;
        for (unsigned i = 0; i < sw_jit_value_rules[ins->op].of; i++) {
            const sw_opnd *o = sw_ins_src(ins, i);
            uint8_t one = RAW_OPEN;
            if (o->kind == SW_OPND_REG)
                one = plan->raw[o->reg];
            else if (o->kind != SW_OPND_IMM || is_nan_number(ins, o->imm))
                one = 0;
            if (one != RAW_OPEN)
                all = all == RAW_OPEN || all == one ? one : 0;
        }
        return all;
    }
    if (sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE &&
        ins->ndst == 1 && ins->op != SW_OP_SLCT &&
        sw_jit_has_native(plan, ins) && plan->machine.is_raw(plan->fn, ins))
        return ins->type;
    return 0;
}

typedef struct {
    sw_jit_plan *plan;
    uint8_t raw;
    bool changed;
} raw_flow;

static void
note_raw(void *data, sw_reg reg)
{
    raw_flow *f = data;
    uint8_t *old = &f->plan->raw[reg], now = f->raw;
    if (now == RAW_OPEN)
        return;
    if (*old != RAW_OPEN && *old != now)
        now = 0;
    if (*old != now) {
        *old = now;
        f->changed = true;
    }
}

void
sw_jit_find_raw(sw_jit_plan *plan)
{
    raw_flow f = {.plan = plan, .changed = true};
    plan->raw = sw_alloc(plan->fn->reg_count);
    memset(plan->raw, RAW_OPEN, plan->fn->reg_count);
    for (uint32_t i = 0; i < plan->fn->param_count; i++)
        if (plan->fn->params[i].kind == SW_OPND_REG)
            plan->raw[plan->fn->params[i].reg] = 0;
    while (f.changed) {
        f.changed = false;
        for (uint32_t n = 0; n < plan->cfg->reachable; n++) {
            const sw_block *block = plan->fn->blocks[plan->cfg->order[n]];
            for (uint32_t i = 0; i < block->count; i++) {
                f.raw = sw_jit_raw_result(plan, block->ins[i]);
                sw_ins_visit_writes(block->ins[i], note_raw, &f);
            }
        }
    }
    for (sw_reg r = 0; r < plan->fn->reg_count; r++)
        if (plan->raw[r] == RAW_OPEN)
            plan->raw[r] = 0;
}
