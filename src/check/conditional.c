/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditional.c - see conditional.h. A barrier is conditional if there is a
 * branch that threads of a block take differently, one way of which leads to
 * the barrier and another one past it to a block with an effect that is also
 * reached from behind the barrier, and from which the barrier is not reached
 * again.
 */
#include <string.h>

#include "check/conditional.h"
#include "check/varying.h"

/* The block of an instruction; block_count: in none. */
static uint32_t
find(const sw_fn *fn, const sw_ins *ins)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (fn->blocks[b]->ins[i] == ins)
                return b;
    return fn->block_count;
}

static bool
has_effect(const sw_block *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        int effect = sw_op_get_info((sw_op)b->ins[i]->op)->effects;
        if (effect == SW_FX_WRITE || effect == SW_FX_ATOMIC ||
            effect == SW_FX_SYNC || b->ins[i]->op == SW_OP_CALL)
            return true;
    }
    return false;
}

/* Marks what is reached, before the barrier, on those ways from branch `from`
 * that do not lead to the barrier before they come to the branch again. */
static void
mark_ways_by(const sw_fn *fn, uint32_t from, uint32_t at, bool *marks)
{
    const sw_block *b = fn->blocks[from];
    bool *way = sw_alloc(fn->block_count * sizeof *way);
    for (uint32_t i = 0; i < b->target_count; i++) {
        uint32_t t = b->targets[i];
        memset(way, 0, fn->block_count * sizeof *way);
        way[t] = true;
        sw_varying_reach(fn, t, from, way);
        if (way[at])
            continue;
        marks[t] = true;
        sw_varying_reach(fn, t, at, marks);
    }
    sw_free(way);
}

static bool
is_passed_by(const sw_varying *v, uint32_t at)
{
    const sw_fn *fn = v->fn;
    uint32_t n = fn->block_count;
    bool *leads = sw_alloc(3 * n * sizeof *leads); /* to the barrier */
    bool *behind = leads + n, *without = behind + n, is = false;
    for (uint32_t b = 0; b < n; b++) {
        memset(without, 0, n * sizeof *without);
        sw_varying_reach(fn, b, n, without);
        leads[b] = without[at];
    }
    sw_varying_reach(fn, at, n, behind);
    memset(without, 0, n * sizeof *without);
    for (uint32_t b = 0; b < n; b++)
        if (v->blocks[b] && b != at && leads[b])
            mark_ways_by(fn, b, at, without);
    for (uint32_t b = 0; b < n && !is; b++)
        is = b != at && without[b] && behind[b] && !leads[b] &&
             has_effect(fn->blocks[b]);
    sw_free(leads);
    return is;
}

bool
sw_check_is_conditional(const sw_fn *fn, const sw_ins *ins)
{
    uint32_t at = find(fn, ins);
    if (at == fn->block_count)
        return ins->guard != 0;
    sw_varying v = sw_varying_find(fn);
    bool is = ins->guard ? v.regs[ins->guard] : is_passed_by(&v, at);
    sw_varying_finish(&v);
    return is;
}
