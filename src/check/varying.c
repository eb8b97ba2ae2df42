/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varying.c - see varying.h. Registers only become varying; instructions are
 * gone through until nothing changes. Behind a branch that varies, a register
 * varies if one of the ways writes it and a block reads it in which the ways
 * have met again.
 */
#include <string.h>

#include "check/varying.h"

void
sw_varying_reach(const sw_fn *fn, uint32_t from, uint32_t stop, bool *marks)
{
    sw_vec todo;
    sw_vec_init(&todo, sizeof(uint32_t));
    *(uint32_t *)sw_vec_push(&todo) = from;
    while (todo.count) {
        uint32_t b = *(uint32_t *)sw_vec_at(&todo, todo.count - 1);
        sw_vec_remove(&todo, todo.count - 1);
        if (b == stop)
            continue;
        for (uint32_t i = 0; i < fn->blocks[b]->target_count; i++) {
            uint32_t t = fn->blocks[b]->targets[i];
            if (marks[t])
                continue;
            marks[t] = true;
            *(uint32_t *)sw_vec_push(&todo) = t;
        }
    }
    sw_vec_finish(&todo);
}

/* ---- values ---- */

static bool
is_varying(const sw_varying *v, const sw_opnd *o)
{
    return o->kind == SW_OPND_REG && v->regs[o->reg];
}

static bool
varies_itself(const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_SREG:
        return ins->sub <= SW_SREG_TID_Z ||
               (ins->sub >= SW_SREG_LANEID && ins->sub <= SW_SREG_WARPID) ||
               (ins->sub >= SW_SREG_LANEMASK_EQ &&
                ins->sub <= SW_SREG_GLOBALTIMER_HI);
    case SW_OP_CALL:
        return true;
    case SW_OP_LD:
    case SW_OP_LDU:
        return ins->space == SW_SPACE_LOCAL;
    default: {
        int effects = sw_op_get_info((sw_op)ins->op)->effects;
        return effects == SW_FX_ATOMIC ||
               (effects == SW_FX_SYNC && ins->op != SW_OP_BAR);
    }
    }
}

static bool
any_varies(const sw_varying *v, const sw_ins *ins)
{
    bool any = ins->guard && v->regs[ins->guard];
    for (unsigned i = 0; i < ins->nsrc && !any; i++)
        any = is_varying(v, sw_ins_src(ins, i));
    return any || varies_itself(ins);
}

/* True: something has become varying. */
static bool
add_values(sw_varying *v, const sw_block *b)
{
    bool more = false;
    for (uint32_t i = 0; i < b->count; i++) {
        const sw_ins *ins = b->ins[i];
        if (!any_varies(v, ins))
            continue;
        for (unsigned k = 0; k < ins->ndst; k++) {
            const sw_opnd *d = &ins->opnd[k];
            if (d->kind != SW_OPND_REG || v->regs[d->reg])
                continue;
            v->regs[d->reg] = true;
            more = true;
        }
        const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
        for (uint32_t k = 0; call && k < call->ret_count; k++) {
            const sw_opnd *d = &call->rets[k];
            if (d->kind != SW_OPND_REG || v->regs[d->reg])
                continue;
            v->regs[d->reg] = true;
            more = true;
        }
    }
    return more;
}

/* ---- branches ---- */

static void
mark_written(const sw_block *b, bool *regs)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (unsigned k = 0; k < b->ins[i]->ndst; k++)
            if (b->ins[i]->opnd[k].kind == SW_OPND_REG)
                regs[b->ins[i]->opnd[k].reg] = true;
}

/* Those that `written` has and the block reads become varying. */
static bool
add_read(sw_varying *v, const sw_block *b, const bool *written)
{
    bool more = false;
    for (uint32_t i = 0; i < b->count; i++) {
        const sw_ins *ins = b->ins[i];
        for (unsigned k = 0; k <= ins->nsrc; k++) {
            sw_reg r = k < ins->nsrc ? (sw_ins_src(ins, k)->kind == SW_OPND_REG
                                            ? sw_ins_src(ins, k)->reg
                                            : 0)
                                     : ins->guard;
            if (!r || !written[r] || v->regs[r])
                continue;
            v->regs[r] = true;
            more = true;
        }
    }
    return more;
}

static bool
add_branch(sw_varying *v, uint32_t at)
{
    const sw_fn *fn = v->fn;
    const sw_block *b = fn->blocks[at];
    uint32_t n = fn->block_count;
    uint8_t *ways = sw_alloc(n);
    bool *marks = sw_alloc(n * sizeof *marks);
    bool *written = sw_alloc(fn->reg_count * sizeof *written);
    bool more = false;
    for (uint32_t i = 0; i < b->target_count; i++) {
        memset(marks, 0, n * sizeof *marks);
        marks[b->targets[i]] = true;
        sw_varying_reach(fn, b->targets[i], at, marks);
        for (uint32_t k = 0; k < n; k++)
            ways[k] = (uint8_t)(ways[k] + (marks[k] && ways[k] < 2));
    }
    for (uint32_t k = 0; k < n; k++)
        if (ways[k])
            mark_written(fn->blocks[k], written);
    for (uint32_t k = 0; k < n; k++)
        if (ways[k] > 1)
            more |= add_read(v, fn->blocks[k], written);
    sw_free(ways);
    sw_free(marks);
    sw_free(written);
    return more;
}

static bool
branch_varies(const sw_varying *v, const sw_block *b)
{
    const sw_ins *last = b->count ? b->ins[b->count - 1] : NULL;
    return last && b->target_count > 1 &&
           ((last->guard && v->regs[last->guard]) ||
            (last->nsrc && is_varying(v, sw_ins_src(last, 0))));
}

sw_varying
sw_varying_find(const sw_fn *fn)
{
    sw_varying v = {fn, sw_alloc((fn->reg_count + 1) * sizeof(bool)),
                    sw_alloc((fn->block_count + 1) * sizeof(bool))};
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            v.regs[fn->params[i].reg] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < fn->block_count; b++) {
            more |= add_values(&v, fn->blocks[b]);
            if (v.blocks[b] || !branch_varies(&v, fn->blocks[b]))
                continue;
            v.blocks[b] = true;
            more = true;
        }
        for (uint32_t b = 0; b < fn->block_count; b++)
            more |= v.blocks[b] && add_branch(&v, b);
    }
    return v;
}

void
sw_varying_finish(sw_varying *v)
{
    sw_free(v->regs);
    sw_free(v->blocks);
}
