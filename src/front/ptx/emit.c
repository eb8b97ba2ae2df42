/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - the builder: instructions, blocks, branch targets of one function.
 *
 * Blocks come in the order of the text. A block is open until its terminator;
 * what is emitted while none is open starts one. Targets are labels, or blocks
 * by number, until ptx_build_finish.
 */
#include <string.h>

#include "front/ptx/internal.h"

sw_opnd
ptx_reg_opnd(sw_reg reg)
{
    return (sw_opnd){.kind = reg ? SW_OPND_REG : SW_OPND_NONE, .reg = reg};
}

sw_opnd
ptx_imm_opnd(uint64_t bits)
{
    return (sw_opnd){.kind = SW_OPND_IMM, .imm = bits};
}

sw_type
ptx_reg_type(const ptx_parser *p, sw_reg reg)
{
    return ((sw_reg_info *)sw_vec_at(&p->body.regs, reg))->type;
}

sw_class
ptx_reg_class(const ptx_parser *p, sw_reg reg)
{
    return ((sw_reg_info *)sw_vec_at(&p->body.regs, reg))->cls;
}

sw_type
ptx_class_type(sw_class cls)
{
    switch (cls) {
    case SW_CLASS_PRED:
        return SW_T_PRED;
    case SW_CLASS_B16:
        return SW_T_U16;
    case SW_CLASS_B32:
        return SW_T_U32;
    case SW_CLASS_B64:
        return SW_T_U64;
    case SW_CLASS_B128:
        return SW_T_B128;
    default:
        return SW_T_NONE;
    }
}

sw_type
ptx_bits_type(unsigned bits)
{
    return bits == 8     ? SW_T_B8
           : bits == 16  ? SW_T_B16
           : bits == 32  ? SW_T_B32
           : bits == 64  ? SW_T_B64
           : bits == 128 ? SW_T_B128
                         : SW_T_NONE;
}

void
ptx_block_start(ptx_parser *p, const char *label)
{
    ptx_block *block = sw_vec_push(&p->body.blocks);
    block->first = (uint32_t)p->body.ins.count;
    block->label = label;
    block->target_first = (uint32_t)p->body.targets.count;
    p->body.open = true;
}

sw_ins *
ptx_emit(ptx_parser *p, sw_op op, sw_type type, unsigned ndst, unsigned nsrc)
{
    if (!p->body.open)
        ptx_block_start(p, NULL);
    sw_ins *ins = sw_arena_alloc(p->arena, sizeof *ins);
    ins->op = (uint16_t)op;
    ins->type = (uint8_t)type;
    ins->ndst = (uint8_t)ndst;
    ins->nsrc = (uint8_t)nsrc;
    ins->guard = p->body.guard;
    ins->guard_neg = p->body.guard_neg;
    ins->line = p->ins.line;
    ins->loc = p->loc;
    if (ndst + nsrc)
        ins->opnd = sw_arena_alloc(p->arena, (ndst + nsrc) * sizeof *ins->opnd);
    *(sw_ins **)sw_vec_push(&p->body.ins) = ins;
    return ins;
}

void
ptx_block_end(ptx_parser *p)
{
    p->body.open = false;
}

static void
add_target(ptx_parser *p, ptx_label *label, uint32_t block)
{
    ptx_target *target = sw_vec_push(&p->body.targets);
    ptx_block *last = sw_vec_at(&p->body.blocks, p->body.blocks.count - 1);
    target->label = label;
    target->block = block;
    last->target_count++;
}

void
ptx_target_label(ptx_parser *p, ptx_label *label)
{
    add_target(p, label, 0);
}

void
ptx_target_block(ptx_parser *p, uint32_t block)
{
    add_target(p, NULL, block);
}

bool
ptx_split_begin(ptx_parser *p)
{
    if (!p->body.guard)
        return false;
    ptx_emit(p, SW_OP_BRA, SW_T_NONE, 0, 0);
    uint32_t next = (uint32_t)p->body.blocks.count;
    ptx_target_block(p, next);
    ptx_target_block(p, next + 1);
    ptx_block_end(p);
    ptx_block_start(p, NULL);
    p->body.guard = 0;
    p->body.guard_neg = false;
    return true;
}

sw_reg
ptx_convert(ptx_parser *p, sw_reg reg, sw_type to, sw_type from)
{
    sw_ins *ins = ptx_emit(p, SW_OP_CVT, to, 1, 1);
    ins->stype = (uint8_t)from;
    ins->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, to, NULL));
    ins->opnd[1] = ptx_reg_opnd(reg);
    return ins->opnd[0].reg;
}

/* ---- the finished function ---- */

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
