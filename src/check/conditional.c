/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditional.c - see conditional.h. A barrier is conditional if there is a
 * block with an effect that is reached from the entry without the barrier,
 * also reached from behind it, and from which the barrier is not reached again.
 */
#include "check/conditional.h"

typedef struct {
    const sw_fn *fn;
    uint32_t at;    /* block of the barrier */
    uint32_t index; /* in that block */
    bool *without;  /* [block_count] reached from the entry without it */
    bool *behind;   /* ... reached from behind it */
} paths;

static bool
find(paths *p, const sw_ins *ins)
{
    for (uint32_t b = 0; b < p->fn->block_count; b++)
        for (uint32_t i = 0; i < p->fn->blocks[b]->count; i++)
            if (p->fn->blocks[b]->ins[i] == ins) {
                p->at = b;
                p->index = i;
                return true;
            }
    return false;
}

/* Marks what is reached from the targets of block `from`; `stops`: not past the
 * barrier's block. */
static void
mark(const paths *p, uint32_t from, bool stops, bool *marks)
{
    sw_vec todo;
    sw_vec_init(&todo, sizeof(uint32_t));
    *(uint32_t *)sw_vec_push(&todo) = from;
    while (todo.count) {
        uint32_t b = *(uint32_t *)sw_vec_at(&todo, todo.count - 1);
        sw_vec_remove(&todo, todo.count - 1);
        if (stops && b == p->at)
            continue;
        for (uint32_t i = 0; i < p->fn->blocks[b]->target_count; i++) {
            uint32_t t = p->fn->blocks[b]->targets[i];
            if (marks[t])
                continue;
            marks[t] = true;
            *(uint32_t *)sw_vec_push(&todo) = t;
        }
    }
    sw_vec_finish(&todo);
}

static bool
reaches_barrier(const paths *p, uint32_t from)
{
    bool *marks = sw_alloc(p->fn->block_count * sizeof *marks);
    mark(p, from, false, marks);
    bool reaches = marks[p->at];
    sw_free(marks);
    return reaches;
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

bool
sw_check_is_conditional(const sw_fn *fn, const sw_ins *ins)
{
    paths p = {.fn = fn};
    bool is = false;
    if (ins->guard)
        return true;
    if (!find(&p, ins))
        return false;
    p.without = sw_alloc(2 * fn->block_count * sizeof *p.without);
    p.behind = p.without + fn->block_count;
    if (p.at != 0)
        mark(&p, 0, true, p.without);
    mark(&p, p.at, false, p.behind);
    for (uint32_t b = 0; b < fn->block_count && !is; b++)
        is = b != p.at && p.without[b] && p.behind[b] &&
             has_effect(fn->blocks[b]) && !reaches_barrier(&p, b);
    sw_free(p.without);
    return is;
}
