/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.c - a body whose text has ended becomes a function: labels become
 * blocks, blocks without a jump between them become one.
 */
#include <string.h>

#include "front/ptx/parse.h"

static ptx_label *
resolve(ptx_label *label)
{
    while (label->same)
        label = label->same;
    return label;
}

/* False for an empty block nobody can reach. */
static void
close_last_block(ptx_parser *p)
{
    ptx_body *body = &p->body;
    body->guard = 0;
    body->guard_neg = false;
    bool wanted = false; /* a branch may fall through to behind the end */
    for (size_t i = 0; i < body->targets.count && !body->open; i++) {
        ptx_target *t = sw_vec_at(&body->targets, i);
        wanted |= !t->label && t->block == body->blocks.count;
    }
    if (!body->open && body->blocks.count && !wanted)
        return;
    if (!body->open)
        ptx_block_start(p, NULL);
    ptx_block *last = sw_vec_at(&body->blocks, body->blocks.count - 1);
    sw_op op = SW_OP_RET;
    if (body->ins.count > last->first) {
        sw_ins *before = *(sw_ins **)sw_vec_at(&body->ins, body->ins.count - 1);
        if (before->op == SW_OP_CALL && (before->flags & SW_F_NORETURN))
            op = SW_OP_EXIT;
    }
    ptx_emit(p, op, SW_T_NONE, 0, 0);
    ptx_block_end(p);
}

static uint32_t
target_index(ptx_parser *p, const ptx_target *t)
{
    if (!t->label)
        return t->block;
    ptx_label *label = resolve(t->label);
    if (!label->defined) {
        p->panic = false;
        ptx_error_at(p, label->line, label->column,
                     "the label '%s' is not defined", label->name);
        return 0;
    }
    return label->block;
}

/* The targets of a brx are those of its list, shared by all that use it;
 * others are as they stand. */
static void
finish_targets(ptx_parser *p, const ptx_block *from, sw_block *to,
               const sw_ins *last)
{
    ptx_target *targets = from->target_count
                              ? sw_vec_at(&p->body.targets, from->target_first)
                              : NULL;
    if (last->op == SW_OP_BRX) {
        ptx_label *list = resolve(targets[0].label);
        if (!list->target_count) {
            p->panic = false;
            ptx_error_at(p, list->line, list->column,
                         "'%s' is not a list of .branchtargets", list->name);
            return;
        }
        if (!list->blocks) {
            list->blocks = sw_arena_alloc(p->arena, list->target_count *
                                                        sizeof *list->blocks);
            for (uint32_t i = 0; i < list->target_count; i++)
                list->blocks[i] =
                    target_index(p, &(ptx_target){.label = list->targets[i]});
        }
        to->target_count = list->target_count;
        to->targets = list->blocks;
        return;
    }
    to->target_count = from->target_count;
    if (!to->target_count)
        return;
    to->targets =
        sw_arena_alloc(p->arena, to->target_count * sizeof *to->targets);
    for (uint32_t i = 0; i < to->target_count; i++)
        to->targets[i] = target_index(p, &targets[i]);
}

/* Compilers put labels at places that only tables of lines mention. Where
 * nobody else goes to such a place, it begins no block: the branch goes that
 * ended the one before. */
static void
join_blocks(ptx_parser *p, sw_fn *fn, sw_ins **all)
{
    uint32_t count = fn->block_count, blocks = 0, kept = 0;
    bool *is_target = sw_alloc(count + 1);
    uint32_t *number = sw_alloc((count + 1) * sizeof *number);
    for (uint32_t i = 0; i < count; i++) {
        const ptx_block *from = sw_vec_at(&p->body.blocks, i);
        const sw_block *b = fn->blocks[i];
        for (uint32_t k = 0; !from->falls && k < b->target_count; k++)
            is_target[b->targets[k]] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const ptx_block *from = sw_vec_at(&p->body.blocks, i);
        sw_block *b = fn->blocks[i], *last = b;
        bool joins = i && from[-1].falls && !is_target[i];
        if (joins)
            last = fn->blocks[blocks - 1];
        else
            fn->blocks[blocks++] = b;
        kept -= joins;
        memmove(all + kept, b->ins, b->count * sizeof *all);
        if (!joins)
            b->ins = all + kept;
        kept += b->count;
        last->count = (uint32_t)(all + kept - last->ins);
        last->targets = b->targets;
        last->target_count = b->target_count;
        number[i] = last->index = blocks - 1;
    }
    fn->block_count = blocks;
    for (uint32_t i = 0; i < blocks; i++) {
        sw_block *b = fn->blocks[i];
        const uint32_t *old = b->targets; /* others may share them */
        if (!b->target_count)
            continue;
        b->targets =
            sw_arena_alloc(p->arena, b->target_count * sizeof *b->targets);
        for (uint32_t k = 0; k < b->target_count; k++)
            b->targets[k] = number[old[k]];
    }
    sw_free(is_target);
    sw_free(number);
}

void
ptx_build_finish(ptx_parser *p)
{
    ptx_body *body = &p->body;
    sw_fn *fn = body->fn;
    close_last_block(p);
    ptx_thread_move_regs(p);
    uint32_t count = (uint32_t)body->blocks.count;
    uint32_t ins_count = (uint32_t)body->ins.count;
    sw_ins **all = sw_vec_to_arena(&body->ins, p->arena);
    sw_block *blocks = sw_arena_alloc(p->arena, count * sizeof *blocks);
    fn->blocks = sw_arena_alloc(p->arena, count * sizeof *fn->blocks);
    fn->block_count = count;
    for (uint32_t i = 0; i < count; i++) {
        ptx_block *from = sw_vec_at(&body->blocks, i);
        uint32_t end = i + 1 < count ? from[1].first : ins_count;
        blocks[i].ins = all + from->first;
        blocks[i].count = end - from->first;
        blocks[i].index = i;
        blocks[i].label =
            from->label ? sw_arena_str(p->arena, sw_str_of(from->label)) : NULL;
        fn->blocks[i] = &blocks[i];
        finish_targets(p, from, &blocks[i], all[end - 1]);
    }
    join_blocks(p, fn, all);
}
