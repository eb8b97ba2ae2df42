/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ftz.c - .ftz by the processor: for kernels in which nothing else would
 * see that it flushes; and what LLVM may know of their operands, which would
 * not flush (alu/ftz.c).
 */
#include "jit/plan/plan.h"
#include "jit/plan/values.h"

static bool
has_ftz(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (fn->blocks[b]->ins[i]->flags & SW_F_FTZ)
                return true;
    return false;
}

/* Sums in global memory flush as well, others do not; see sem/atom.h. */
static bool
may_flush(const sw_jit_plan *plan, const sw_ins *ins)
{
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    switch (ins->op) {
    case SW_OP_ATOM:
    case SW_OP_RED:
        return (kind != SW_KIND_FLOAT && kind != SW_KIND_PACKED) ||
               (ins->type == SW_T_F32 && ins->sub == SW_ATOM_ADD &&
                ins->space == SW_SPACE_GLOBAL);
    default:
        return sw_op_get_info((sw_op)ins->op)->effects != SW_FX_PURE ||
               !sw_jit_has_native(plan, ins) ||
               plan->machine.may_flush(plan->machine.arg, ins);
    }
}

/* For who wants to know why a kernel is slower with -ftz=true. */
static void
tell_of_obstacle(const sw_fn *fn, const sw_ins *ins)
{
    char place[256];
    if (!sw_log_is_on(SW_LOG_DEBUG))
        return;
    sw_ins_place(fn, ins, place, sizeof place);
    sw_log(SW_LOG_DEBUG,
           "%s: .ftz takes instructions of its own, as the processor would "
           "flush at %s too",
           fn->name, place);
}

static bool
may_all_flush(const sw_jit_plan *plan)
{
    const sw_fn *fn = plan->fn;
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (!may_flush(plan, fn->blocks[b]->ins[i])) {
                tell_of_obstacle(fn, fn->blocks[b]->ins[i]);
                return false;
            }
    return true;
}

static bool
is_unknown_source(const sw_jit_plan *plan, const sw_ins *ins, unsigned i)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    return o->kind == SW_OPND_REG && plan->is_unknown[o->reg];
}

static unsigned
unknown_sources(const sw_jit_plan *plan, const sw_ins *ins, unsigned most)
{
    unsigned n = 0;
    for (unsigned i = 0; i < ins->nsrc && i < most; i++)
        n += is_unknown_source(plan, ins, i);
    return n;
}

/* Of the result: nobody but the program that runs knows it. */
static bool
makes_unknown(const sw_jit_plan *plan, const sw_ins *ins)
{
    const sw_jit_value_rule *v = &sw_jit_value_rules[ins->op];
    switch ((sw_jit_made)v->made) {
    case SW_JIT_VALUE_READ:
        return true;
    case SW_JIT_VALUE_SPECIAL:
        return ins->sub >= SW_SREG_CTAID_X && ins->sub <= SW_SREG_NCTAID_Z;
    case SW_JIT_VALUE_CHOICE:
        return unknown_sources(plan, ins, v->of) == v->of;
    case SW_JIT_VALUE_PARTS:
        return unknown_sources(plan, ins, ins->nsrc) == ins->nsrc;
    case SW_JIT_VALUE_LANE:
        return is_unknown_source(plan, ins, 0);
    case SW_JIT_VALUE_SUM:
        return unknown_sources(plan, ins, ins->nsrc) > 0;
    case SW_JIT_VALUE_ANY:
        break;
    }
    return false;
}

/* A store of what LLVM may know: it knows what is loaded from there then. */
static bool
stores_known(const sw_jit_plan *plan, const sw_ins *ins)
{
    if (ins->op != SW_OP_ST)
        return false;
    for (unsigned i = 1; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        if (!is_unknown_source(plan, ins, i) &&
            !(o->kind == SW_OPND_IMM && o->imm == 0))
            return true;
    }
    return false;
}

void
sw_jit_find_flushing(sw_jit_plan *plan)
{
    const sw_fn *fn = plan->fn;
    plan->has_ftz = has_ftz(fn);
    plan->flushes =
        plan->has_ftz && !sw_jit_calls_compiled(plan) && may_all_flush(plan);
    if (!plan->flushes)
        return;
    plan->is_unknown = sw_alloc(fn->reg_count * sizeof *plan->is_unknown);
    for (sw_reg r = 1; r < fn->reg_count; r++)
        plan->is_unknown[r] = !(plan->live->in[r / 64] >> (r % 64) & 1);
    sw_jit_keep_marks(plan, plan->is_unknown, makes_unknown);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            plan->hides_loads |= stores_known(plan, fn->blocks[b]->ins[i]);
}

bool
sw_jit_may_be_known(const sw_jit_plan *plan, const sw_ins *ins)
{
    return plan->flushes && unknown_sources(plan, ins, ins->nsrc) < ins->nsrc;
}
