/* SPDX-License-Identifier: Apache-2.0 */
/* copies.c - see copies.h. */
#include "opt/copies.h"

#include <string.h>

enum { WORD = 4, MOST_WORDS = 4 };

typedef struct {
    sw_arena *arena;
    const sw_ins *from; /* the copy */
    sw_vec regs;        /* sw_reg_info, of the function */
    sw_vec ins;         /* sw_ins *, of the block */
} writer;

static sw_opnd
of_reg(sw_reg reg)
{
    return (sw_opnd){.kind = SW_OPND_REG, .reg = reg};
}

static sw_opnd
of_number(uint32_t n)
{
    return (sw_opnd){.kind = SW_OPND_IMM, .imm = n};
}

static sw_reg
new_reg(writer *w, sw_type type)
{
    *(sw_reg_info *)sw_vec_push(&w->regs) =
        (sw_reg_info){.cls = sw_type_class(type), .type = type, .name = "copy"};
    return (sw_reg)(w->regs.count - 1);
}

/* At the end of the block, for all lanes. */
static sw_ins *
add(writer *w, sw_op op, sw_type type, unsigned ndst, unsigned nsrc,
    const sw_opnd *opnds)
{
    sw_ins *ins = sw_arena_alloc(w->arena, sizeof *ins);
    *ins = (sw_ins){.op = (uint16_t)op,
                    .type = (uint8_t)type,
                    .line = w->from->line,
                    .loc = w->from->loc,
                    .ndst = (uint8_t)ndst,
                    .nsrc = (uint8_t)nsrc};
    ins->opnd = sw_arena_alloc(w->arena, (ndst + nsrc) * sizeof *opnds);
    memcpy(ins->opnd, opnds, (ndst + nsrc) * sizeof *opnds);
    *(sw_ins **)sw_vec_push(&w->ins) = ins;
    return ins;
}

/* Of NOT and MOV there is no `b`. */
static sw_reg
add_pure(writer *w, sw_op op, sw_type type, sw_opnd a, sw_opnd b)
{
    sw_reg d = new_reg(w, type);
    sw_opnd opnds[3] = {of_reg(d), a, b};
    bool has_one = op == SW_OP_NOT || op == SW_OP_MOV;
    add(w, op, type, 1, has_one ? 1 : 2, opnds);
    return d;
}

/* The lanes that copy and have something to read. */
static sw_reg
who_reads(writer *w, sw_opnd count)
{
    sw_opnd is[3] = {of_reg(new_reg(w, SW_T_PRED)), count, of_number(0)};
    add(w, SW_OP_SETP, SW_T_U32, 1, 2, is)->cmp = SW_CMP_NE;
    if (!w->from->guard)
        return is[0].reg;
    sw_opnd copies = of_reg(w->from->guard);
    copies.negated = w->from->guard_neg;
    return add_pure(w, SW_OP_AND, SW_T_PRED, is[0], copies);
}

/* What is left of a word that begins `at` bytes into a copy of `count`. */
static sw_reg
cut_word(writer *w, sw_reg word, sw_opnd count, unsigned at)
{
    sw_opnd n = of_reg(add_pure(w, SW_OP_SUB, SW_T_S32, count, of_number(at)));
    n = of_reg(add_pure(w, SW_OP_MAX, SW_T_S32, n, of_number(0)));
    n = of_reg(add_pure(w, SW_OP_MIN, SW_T_S32, n, of_number(WORD)));
    n = of_reg(add_pure(w, SW_OP_SHL, SW_T_B32, n, of_number(3)));
    sw_opnd mask =
        of_reg(add_pure(w, SW_OP_SHL, SW_T_B32, of_number(UINT32_MAX), n));
    mask = of_reg(add_pure(w, SW_OP_NOT, SW_T_B32, mask, (sw_opnd){0}));
    return add_pure(w, SW_OP_AND, SW_T_B32, of_reg(word), mask);
}

static void
mark_access(sw_ins *ins, sw_space space, unsigned words)
{
    ins->flags = SW_F_COPY;
    ins->space = (uint8_t)space;
    ins->vec = (uint8_t)words;
}

static void
write_copy(writer *w)
{
    const sw_ins *from = w->from;
    unsigned words = (unsigned)from->imm / WORD;
    bool is_part = from->nsrc > 2;
    sw_opnd moved[1 + MOST_WORDS], stored[1 + MOST_WORDS];
    sw_reg reads = from->guard;
    if (is_part)
        reads = who_reads(w, *sw_ins_src(from, 2));
    for (unsigned k = 0; k < words; k++) {
        sw_reg word = is_part ? add_pure(w, SW_OP_MOV, SW_T_B32, of_number(0),
                                         (sw_opnd){0})
                              : new_reg(w, SW_T_B32);
        moved[k] = of_reg(word);
    }
    moved[words] = *sw_ins_src(from, 1);
    sw_ins *load = add(w, SW_OP_LD, SW_T_B32, words, 1, moved);
    mark_access(load, SW_SPACE_GLOBAL, words);
    load->guard = reads;
    load->guard_neg = !is_part && from->guard_neg;
    stored[0] = *sw_ins_src(from, 0);
    for (unsigned k = 0; k < words; k++)
        stored[1 + k] = is_part
                            ? of_reg(cut_word(w, moved[k].reg,
                                              *sw_ins_src(from, 2), k * WORD))
                            : moved[k];
    sw_ins *store = add(w, SW_OP_ST, SW_T_B32, 0, 1 + words, stored);
    mark_access(store, SW_SPACE_SHARED, words);
    store->offset = from->offset;
    store->guard = from->guard;
    store->guard_neg = from->guard_neg;
}

static sw_block *
write_block(writer *w, const sw_block *from)
{
    sw_block *block = sw_arena_alloc(w->arena, sizeof *block);
    *block = *from;
    sw_vec_init(&w->ins, sizeof(sw_ins *));
    for (uint32_t i = 0; i < from->count; i++) {
        w->from = from->ins[i];
        if (w->from->op == SW_OP_CP_ASYNC)
            write_copy(w);
        else
            *(sw_ins **)sw_vec_push(&w->ins) = from->ins[i];
    }
    block->count = (uint32_t)w->ins.count;
    block->ins = sw_vec_to_arena(&w->ins, w->arena);
    sw_vec_finish(&w->ins);
    return block;
}

static bool
has_copies(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (fn->blocks[b]->ins[i]->op == SW_OP_CP_ASYNC)
                return true;
    return false;
}

const sw_fn *
sw_spell_out_copies(const sw_fn *fn, sw_arena *arena)
{
    writer w = {.arena = arena};
    if (fn->module->debug || !has_copies(fn))
        return NULL;
    sw_fn *copy = sw_arena_alloc(arena, sizeof *copy);
    *copy = *fn;
    sw_vec_init(&w.regs, sizeof(sw_reg_info));
    for (uint32_t i = 0; i < fn->reg_count; i++)
        *(sw_reg_info *)sw_vec_push(&w.regs) = fn->regs[i];
    copy->blocks =
        sw_arena_alloc(arena, fn->block_count * sizeof *copy->blocks);
    for (uint32_t b = 0; b < fn->block_count; b++)
        copy->blocks[b] = write_block(&w, fn->blocks[b]);
    copy->reg_count = (uint32_t)w.regs.count;
    copy->regs = sw_vec_to_arena(&w.regs, arena);
    sw_vec_finish(&w.regs);
    return copy;
}
