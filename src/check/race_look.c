/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race_look.c - first looks: plain loads of words that atomic operations
 * change, whose value only decides what a compare-and-swap expects; see race.h.
 *
 *     old = *word;
 *     do { seen = old; old = atomicCAS(word, seen, f(seen)); } while (...);
 *
 * A value that is out of date makes the first comparison fail, and no more. So
 * most programs, and the vendor's guide, read that word plainly.
 */
#include "check/race.h"

/* Registers, a bit each. */
typedef struct {
    uint64_t *words;
    bool has_grown;
} reg_set;

static bool
has_reg(const reg_set *s, const sw_opnd *o)
{
    return o->kind == SW_OPND_REG && s->words[o->reg / 64] >> o->reg % 64 & 1;
}

static void
add_results(reg_set *s, const sw_ins *ins)
{
    for (unsigned i = 0; i < ins->ndst; i++) {
        const sw_opnd *o = &ins->opnd[i];
        if (o->kind != SW_OPND_REG || has_reg(s, o))
            continue;
        s->words[o->reg / 64] |= UINT64_C(1) << o->reg % 64;
        s->has_grown = true;
    }
}

/* Follows values through one instruction; true: one is what a CAS expects. */
static bool
follow(reg_set *s, const sw_ins *ins)
{
    bool is_swap = ins->op == SW_OP_ATOM && ins->sub == SW_ATOM_CAS;
    unsigned vec = ins->vec ? ins->vec : 1;
    for (unsigned i = 1; is_swap && i <= vec && i < ins->nsrc; i++)
        if (has_reg(s, sw_ins_src(ins, i)))
            return true;
    if (sw_op_get_info((sw_op)ins->op)->effects != SW_FX_PURE)
        return false;
    for (unsigned i = 0; i < ins->nsrc; i++)
        if (has_reg(s, sw_ins_src(ins, i)))
            add_results(s, ins);
    return false;
}

/* Some value that the load begins is what a CAS of its function expects. */
static bool
feeds_swap(const sw_fn *fn, const sw_ins *load)
{
    reg_set s = {.words = sw_alloc((fn->reg_count / 64 + 1) * sizeof *s.words)};
    bool is_found = false;
    add_results(&s, load);
    while (s.has_grown && !is_found) {
        s.has_grown = false;
        for (uint32_t b = 0; b < fn->block_count && !is_found; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count && !is_found; i++)
                is_found = follow(&s, fn->blocks[b]->ins[i]);
    }
    sw_free(s.words);
    return is_found;
}

bool
race_is_first_look(race_launch *l, uint32_t ins)
{
    enum { UNKNOWN, NO, YES };
    race_ins *i = l->ins ? &l->ins[ins] : NULL;
    if (!i || !i->fn || i->ins->op != SW_OP_LD)
        return false;
    if (atomic_load(&i->look) == UNKNOWN)
        atomic_store(&i->look, feeds_swap(i->fn, i->ins) ? YES : NO);
    return atomic_load(&i->look) == YES;
}
