/* SPDX-License-Identifier: Apache-2.0 */
/* jump_threading.c - see jump_threading.h. */
#include "opt/jump_threading.h"

#include "opt/rewriter.h"

static bool
is_jump(const sw_block *block)
{
    return block->count == 1 && block->ins[0]->op == SW_OP_BRA &&
           !block->ins[0]->guard;
}

/* Where a branch to the block ends up; loops of jumps are left as they are. */
static uint32_t
end_of(const sw_fn *fn, uint32_t block)
{
    uint32_t at = block;
    for (uint32_t i = 0; is_jump(fn->blocks[at]); i++) {
        if (i == fn->block_count)
            return block;
        at = fn->blocks[at]->targets[0];
    }
    return at;
}

static bool
has_jumps(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t t = 0; t < fn->blocks[b]->target_count; t++)
            if (end_of(fn, fn->blocks[b]->targets[t]) !=
                fn->blocks[b]->targets[t])
                return true;
    return false;
}

const sw_fn *
sw_opt_thread_jumps(const sw_fn *fn, sw_arena *arena)
{
    sw_rewriter w;
    if (fn->module->debug || !has_jumps(fn))
        return NULL;
    sw_fn *copy = sw_rewriter_begin(&w, fn, arena);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        sw_block *block = copy->blocks[b];
        uint32_t *targets =
            sw_arena_alloc(arena, block->target_count * sizeof *targets);
        for (uint32_t t = 0; t < block->target_count; t++)
            targets[t] = end_of(fn, block->targets[t]);
        block->targets = targets;
    }
    sw_rewriter_end(&w, copy);
    return copy;
}
