/* SPDX-License-Identifier: Apache-2.0 */
/* invariants.c - see invariants.h. */
#include "opt/invariants.h"

#include "opt/liveness.h"
#include "opt/tune.h"

/* Of instructions with one result. */
static bool
same_ins(const sw_ins *a, const sw_ins *b)
{
    if (a->op != b->op || a->flags != b->flags || a->type != b->type ||
        a->stype != b->stype || a->rnd != b->rnd || a->cmp != b->cmp ||
        a->boolop != b->boolop || a->sub != b->sub || a->space != b->space ||
        a->vec != b->vec || a->ndst != b->ndst || a->nsrc != b->nsrc ||
        a->offset != b->offset || a->imm != b->imm || a->aux != b->aux)
        return false;
    for (unsigned i = 0; i < a->nsrc; i++)
        if (!sw_opnd_is_same(sw_ins_src(a, i), sw_ins_src(b, i)))
            return false;
    return true;
}

/* What it gives depends on its sources, the thread and the launch alone. */
static bool
is_repeatable(const sw_fn *fn, const sw_ins *ins)
{
    if (ins->guard || ins->ndst != 1)
        return false;
    if (ins->op == SW_OP_SREG)
        return ins->sub <= SW_SREG_LANEID;
    if (ins->op == SW_OP_LD)
        return ins->space == SW_SPACE_PARAM && fn->is_entry;
    return sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE;
}

typedef struct {
    const sw_fn *fn;
    const sw_ins *ins;
    const sw_ins **def; /* [reg_count] the first; NULL: none, or others too */
    bool *is_written;   /* [reg_count] */
} search;

static void
note_write(void *data, sw_reg reg)
{
    search *s = data;
    bool is_same = s->def[reg] && same_ins(s->def[reg], s->ins);
    if (!s->is_written[reg] && is_repeatable(s->fn, s->ins))
        s->def[reg] = s->ins;
    else if (!is_same || !is_repeatable(s->fn, s->ins))
        s->def[reg] = NULL;
    s->is_written[reg] = true;
}

static bool
has_invariant_sources(const sw_ins *ins, const bool *is_invariant)
{
    for (unsigned i = 0; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        if (o->kind == SW_OPND_REG && !is_invariant[o->reg])
            return false;
    }
    return true;
}

static bool
look_once(const search *s, bool *is_invariant)
{
    bool any = false;
    for (uint32_t b = 0; b < s->fn->block_count; b++)
        for (uint32_t i = 0; i < s->fn->blocks[b]->count; i++) {
            const sw_ins *ins = s->fn->blocks[b]->ins[i];
            if (ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG)
                continue;
            sw_reg reg = ins->opnd[0].reg;
            if (is_invariant[reg] || !s->def[reg] ||
                !has_invariant_sources(s->def[reg], is_invariant))
                continue;
            is_invariant[reg] = any = true;
        }
    return any;
}

void
sw_opt_find_invariants(const sw_fn *fn, bool *is_invariant)
{
    search s = {.fn = fn};
    s.def = sw_alloc((fn->reg_count + 1) * sizeof(sw_ins *));
    s.is_written = sw_alloc(fn->reg_count + 1);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            s.ins = fn->blocks[b]->ins[i];
            sw_ins_visit_writes(s.ins, note_write, &s);
        }
    for (unsigned pass = 0;
         pass < sw_opt_tune.invariant_rounds && look_once(&s, is_invariant);
         pass++)
        ;
    sw_free(s.def);
    sw_free(s.is_written);
}
