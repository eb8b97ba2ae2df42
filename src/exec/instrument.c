/* SPDX-License-Identifier: Apache-2.0 */
/* instrument.c - see instrument.h. */
#include "exec/instrument.h"

#include <string.h>

#include "exec/engine.h"

static uint64_t
take_memory(uint64_t bytes)
{
    uint64_t addr;
    if (!bytes ||
        sw_mem_alloc(SW_MEM_INTERNAL, 0, bytes, 512, NULL, &addr) != SW_OK)
        return 0;
    memset((void *)(uintptr_t)addr, 0, bytes);
    return addr;
}

static void
write_block(sw_rewriter *w, const sw_instruments *by, sw_instrument_at *at,
            sw_block *to)
{
    const sw_block *from = at->fn->blocks[at->block];
    sw_rewriter_begin_block(w);
    for (at->index = 0; at->index < from->count; at->index++) {
        at->ins = w->from = from->ins[at->index];
        for (uint32_t i = 0; i < by->count; i++)
            by->each[i]->before(by->each[i]->arg, w, at);
        sw_rewriter_keep(w, at->ins);
    }
    sw_rewriter_end_block(w, to);
}

const sw_fn *
sw_instrument_fn(const sw_fn *kernel, const sw_fn *fn, const sw_instruments *by,
                 sw_arena *arena)
{
    sw_rewriter w;
    sw_instrument_at at = {.kernel = kernel, .fn = fn, .memory = take_memory};
    sw_fn *copy = sw_rewriter_begin(&w, fn, arena);
    for (; at.block < fn->block_count; at.block++)
        write_block(&w, by, &at, copy->blocks[at.block]);
    sw_rewriter_end(&w, copy);
    return copy;
}
