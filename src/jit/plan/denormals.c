/* SPDX-License-Identifier: Apache-2.0 */
/*
 * denormals.c - which registers hold an f32 that is never subnormal, as .ftz
 * has made it, or a conversion: what reads them with .ftz need not flush them.
 */
#include "jit/plan/plan.h"
#include "jit/plan/values.h"

static bool
is_subnormal(uint64_t bits)
{
    return (bits & 0x7f800000) == 0 && (bits & 0x7fffff) != 0;
}

static bool
is_normal_source(const sw_jit_plan *plan, const sw_ins *ins, unsigned i)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    return o->kind == SW_OPND_IMM   ? !is_subnormal(o->imm)
           : o->kind == SW_OPND_REG ? plan->never_subnormal[o->reg]
                                    : false;
}

/* Subnormal halves are normal numbers. */
static bool
is_small_number(sw_type type)
{
    sw_kind kind = sw_type_kind(type);
    return type == SW_T_F16 || kind == SW_KIND_SINT || kind == SW_KIND_UINT;
}

/* Of the instruction's only result, as far as is known of its sources. */
static bool
makes_normal(const sw_jit_plan *plan, const sw_ins *ins)
{
    const sw_jit_value_rule *v = &sw_jit_value_rules[ins->op];
    bool is_f32 = ins->type == SW_T_F32, has_32_bits = is_f32;
    has_32_bits |=
        ins->type == SW_T_B32 || ins->type == SW_T_U32 || ins->type == SW_T_S32;
    if (ins->ndst != 1)
        return false;
    if (ins->op == SW_OP_CVT)
        return is_f32 && ins->nsrc == 1 && is_small_number((sw_type)ins->stype);
    if (v->made != SW_JIT_VALUE_CHOICE)
        return is_f32 && v->flushes && (ins->flags & SW_F_FTZ);
    for (unsigned i = 0; has_32_bits && i < v->of; i++)
        has_32_bits = is_normal_source(plan, ins, i);
    return has_32_bits;
}

typedef struct {
    bool *marks;
    bool makes, changed;
} flow;

static void
note_write(void *data, sw_reg reg)
{
    flow *f = data;
    f->changed |= f->marks[reg] && !f->makes;
    f->marks[reg] &= f->makes;
}

void
sw_jit_keep_marks(sw_jit_plan *plan, bool *marks,
                  bool (*makes)(const sw_jit_plan *, const sw_ins *))
{
    const sw_fn *fn = plan->fn;
    flow f = {.marks = marks, .changed = true};
    while (f.changed) {
        f.changed = false;
        for (uint32_t b = 0; b < fn->block_count; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
                f.makes = makes(plan, fn->blocks[b]->ins[i]);
                sw_ins_visit_writes(fn->blocks[b]->ins[i], note_write, &f);
            }
    }
}

void
sw_jit_find_never_subnormal(sw_jit_plan *plan)
{
    const sw_fn *fn = plan->fn;
    plan->never_subnormal =
        sw_alloc(fn->reg_count * sizeof *plan->never_subnormal);
    for (sw_reg r = 1; r < fn->reg_count; r++)
        plan->never_subnormal[r] = fn->regs[r].cls == SW_CLASS_B32 &&
                                   !(plan->live->in[r / 64] >> (r % 64) & 1);
    if (plan->has_ftz)
        sw_jit_keep_marks(plan, plan->never_subnormal, makes_normal);
}

unsigned
sw_jit_never_subnormal_sources(const sw_jit_plan *plan, const sw_ins *ins)
{
    unsigned bits = 0;
    if (!(ins->flags & SW_F_FTZ))
        return 0;
    for (unsigned i = 0; i < ins->nsrc && i < 3; i++)
        bits |= (unsigned)is_normal_source(plan, ins, i) << i;
    return bits;
}
