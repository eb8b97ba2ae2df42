/* SPDX-License-Identifier: Apache-2.0 */
/* async_copies.c - see async_copies.h. */
#include "opt/async_copies.h"

#include "opt/rewriter.h"

enum { WORD = 4, MOST_WORDS = 4 };

/* Of NOT and MOV there is no `b`. */
static sw_reg
add_pure(sw_rewriter *w, sw_op op, sw_type type, sw_opnd a, sw_opnd b)
{
    bool has_one = op == SW_OP_NOT || op == SW_OP_MOV;
    return sw_rewriter_pure(w, op, type, has_one ? 1 : 2, (sw_opnd[]){a, b});
}

/* The lanes that copy and have something to read. */
static sw_reg
who_reads(sw_rewriter *w, sw_opnd count)
{
    sw_opnd is[3] = {sw_opnd_reg(sw_rewriter_reg(w, SW_T_PRED)), count,
                     sw_opnd_imm(0)};
    sw_rewriter_add(w, SW_OP_SETP, SW_T_U32, 1, 2, is)->cmp = SW_CMP_NE;
    if (!w->from->guard)
        return is[0].reg;
    sw_opnd copies = sw_opnd_reg(w->from->guard);
    copies.negated = w->from->guard_neg;
    return add_pure(w, SW_OP_AND, SW_T_PRED, is[0], copies);
}

/* What is left of a word that begins `at` bytes into a copy of `count`. */
static sw_reg
cut_word(sw_rewriter *w, sw_reg word, sw_opnd count, unsigned at)
{
    sw_opnd n =
        sw_opnd_reg(add_pure(w, SW_OP_SUB, SW_T_S32, count, sw_opnd_imm(at)));
    n = sw_opnd_reg(add_pure(w, SW_OP_MAX, SW_T_S32, n, sw_opnd_imm(0)));
    n = sw_opnd_reg(add_pure(w, SW_OP_MIN, SW_T_S32, n, sw_opnd_imm(WORD)));
    n = sw_opnd_reg(add_pure(w, SW_OP_SHL, SW_T_B32, n, sw_opnd_imm(3)));
    sw_opnd mask = sw_opnd_reg(
        add_pure(w, SW_OP_SHL, SW_T_B32, sw_opnd_imm(UINT32_MAX), n));
    mask = sw_opnd_reg(add_pure(w, SW_OP_NOT, SW_T_B32, mask, (sw_opnd){0}));
    return add_pure(w, SW_OP_AND, SW_T_B32, sw_opnd_reg(word), mask);
}

static void
mark_access(sw_ins *ins, sw_space space, unsigned words)
{
    ins->flags = SW_F_COPY;
    ins->space = (uint8_t)space;
    ins->vec = (uint8_t)words;
}

static void
write_copy(sw_rewriter *w)
{
    const sw_ins *from = w->from;
    unsigned words = (unsigned)from->imm / WORD;
    bool is_part = from->nsrc > 2;
    sw_opnd moved[1 + MOST_WORDS], stored[1 + MOST_WORDS];
    sw_reg reads = from->guard;
    if (is_part)
        reads = who_reads(w, *sw_ins_src(from, 2));
    for (unsigned k = 0; k < words; k++) {
        sw_reg word = is_part ? add_pure(w, SW_OP_MOV, SW_T_B32, sw_opnd_imm(0),
                                         (sw_opnd){0})
                              : sw_rewriter_reg(w, SW_T_B32);
        moved[k] = sw_opnd_reg(word);
    }
    moved[words] = *sw_ins_src(from, 1);
    sw_ins *load = sw_rewriter_add(w, SW_OP_LD, SW_T_B32, words, 1, moved);
    mark_access(load, SW_SPACE_GLOBAL, words);
    load->guard = reads;
    load->guard_neg = !is_part && from->guard_neg;
    stored[0] = *sw_ins_src(from, 0);
    for (unsigned k = 0; k < words; k++)
        stored[1 + k] =
            is_part ? sw_opnd_reg(cut_word(w, moved[k].reg,
                                           *sw_ins_src(from, 2), k * WORD))
                    : moved[k];
    sw_ins *store =
        sw_rewriter_add(w, SW_OP_ST, SW_T_B32, 0, 1 + words, stored);
    mark_access(store, SW_SPACE_SHARED, words);
    store->offset = from->offset;
    store->guard = from->guard;
    store->guard_neg = from->guard_neg;
}

static void
write_block(sw_rewriter *w, const sw_block *from, sw_block *to)
{
    sw_rewriter_begin_block(w);
    for (uint32_t i = 0; i < from->count; i++) {
        w->from = from->ins[i];
        if (w->from->op == SW_OP_CP_ASYNC)
            write_copy(w);
        else
            sw_rewriter_keep(w, from->ins[i]);
    }
    sw_rewriter_end_block(w, to);
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
sw_opt_lower_copies(const sw_fn *fn, sw_arena *arena)
{
    sw_rewriter w;
    if (fn->module->debug || !has_copies(fn))
        return NULL;
    sw_fn *copy = sw_rewriter_begin(&w, fn, arena);
    for (uint32_t b = 0; b < fn->block_count; b++)
        write_block(&w, fn->blocks[b], copy->blocks[b]);
    sw_rewriter_end(&w, copy);
    return copy;
}
