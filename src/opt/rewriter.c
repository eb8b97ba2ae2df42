/* SPDX-License-Identifier: Apache-2.0 */
/* rewriter.c - see rewriter.h. */
#include "opt/rewriter.h"

#include <string.h>

enum { SOURCES_MOST = 4 };

sw_fn *
sw_rewriter_begin(sw_rewriter *w, const sw_fn *fn, sw_arena *arena)
{
    sw_fn *copy = sw_arena_alloc(arena, sizeof *copy);
    *w = (sw_rewriter){.arena = arena};
    *copy = *fn;
    sw_vec_init(&w->regs, sizeof(sw_reg_info));
    for (uint32_t i = 0; i < fn->reg_count; i++)
        *(sw_reg_info *)sw_vec_push(&w->regs) = fn->regs[i];
    copy->blocks =
        sw_arena_alloc(arena, fn->block_count * sizeof *copy->blocks);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        copy->blocks[b] = sw_arena_alloc(arena, sizeof **copy->blocks);
        *copy->blocks[b] = *fn->blocks[b];
    }
    return copy;
}

void
sw_rewriter_end(sw_rewriter *w, sw_fn *copy)
{
    copy->reg_count = (uint32_t)w->regs.count;
    copy->regs = sw_vec_to_arena(&w->regs, w->arena);
    sw_vec_finish(&w->regs);
}

void
sw_rewriter_begin_block(sw_rewriter *w)
{
    sw_vec_init(&w->ins, sizeof(sw_ins *));
}

void
sw_rewriter_end_block(sw_rewriter *w, sw_block *block)
{
    block->count = (uint32_t)w->ins.count;
    block->ins = sw_vec_to_arena(&w->ins, w->arena);
    sw_vec_finish(&w->ins);
}

sw_reg
sw_rewriter_reg(sw_rewriter *w, sw_type type)
{
    *(sw_reg_info *)sw_vec_push(&w->regs) =
        (sw_reg_info){.cls = sw_type_class(type), .type = type, .name = "made"};
    return (sw_reg)(w->regs.count - 1);
}

sw_ins *
sw_rewriter_add(sw_rewriter *w, sw_op op, sw_type type, unsigned ndst,
                unsigned nsrc, const sw_opnd *opnds)
{
    sw_ins *ins = sw_arena_alloc(w->arena, sizeof *ins);
    *ins = (sw_ins){.op = (uint16_t)op,
                    .type = (uint8_t)type,
                    .line = w->from->line,
                    .loc = w->from->loc,
                    .ndst = (uint8_t)ndst,
                    .nsrc = (uint8_t)nsrc};
    ins->opnd = sw_arena_alloc(w->arena, (ndst + nsrc) * sizeof *opnds);
    if (ndst + nsrc)
        memcpy(ins->opnd, opnds, (ndst + nsrc) * sizeof *opnds);
    sw_rewriter_keep(w, ins);
    return ins;
}

void
sw_rewriter_keep(sw_rewriter *w, const sw_ins *ins)
{
    *(const sw_ins **)sw_vec_push(&w->ins) = ins;
}

sw_ins *
sw_rewriter_copy(sw_rewriter *w, const sw_ins *ins)
{
    sw_ins *copy = sw_arena_alloc(w->arena, sizeof *copy);
    size_t bytes = (size_t)(ins->ndst + ins->nsrc) * sizeof *copy->opnd;
    *copy = *ins;
    copy->opnd = sw_arena_alloc(w->arena, bytes);
    if (bytes)
        memcpy(copy->opnd, ins->opnd, bytes);
    sw_rewriter_keep(w, copy);
    return copy;
}

sw_reg
sw_rewriter_pure(sw_rewriter *w, sw_op op, sw_type type, unsigned nsrc,
                 const sw_opnd *sources)
{
    sw_opnd opnds[1 + SOURCES_MOST] = {sw_opnd_reg(sw_rewriter_reg(w, type))};
    memcpy(opnds + 1, sources, nsrc * sizeof *sources);
    sw_rewriter_add(w, op, type, 1, nsrc, opnds);
    return opnds[0].reg;
}
