/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_rows.c - a program that changes what it has loaded stores by the same
 * addresses. If the load's lanes transposed out to lie in rows, and all that is
 * tested of addresses held, so do the store's, which are some of them: `if
 * (x[i] > x[j]) exchange(x[i], x[j])`. Then it need not look again.
 */
#include "jit/emit/access_ways.h"

#define B e->ll.builder

enum { ROWS = SW_LANES_MAX / SW_JIT_ROW_LEAST };

/* What a load has seen. */
typedef struct sw_jit_seen {
    struct sw_jit_seen *next;
    sw_reg reg;
    int64_t offset;
    unsigned unit, lanes, count;
    uint32_t block, at;
    LLVMValueRef is_row;      /* slot of i1 */
    LLVMValueRef first[ROWS]; /* slots of where the rows begin */
} seen;

static uint32_t
index_in_block(const sw_jit_emit *e)
{
    return e->at.index - e->plan->first_ins[e->b.block];
}

/* What lanes hold in the register when the load is done they still hold in the
 * block: it is written before, each time, in the load's block or around. */
static bool
is_steady(const sw_jit_emit *e, sw_reg reg, uint32_t block, uint32_t at)
{
    uint32_t writer, written;
    return sw_jit_find_writer(e->plan, reg, &writer, &written) &&
           (writer == block
                ? written < at
                : sw_cfg_dominates(e->plan->cfg, writer, block) &&
                      e->plan->cfg->loop[writer] == e->plan->cfg->loop[block]);
}

/* Whether a store may come after, by the same register. */
static bool
has_store(const sw_jit_emit *e, const sw_ins *load)
{
    for (uint32_t b = 0; b < e->plan->fn->block_count; b++)
        for (uint32_t i = 0; i < e->plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = e->plan->fn->blocks[b]->ins[i];
            if (ins->op == SW_OP_ST && ins->space == load->space &&
                sw_ins_src(ins, 0)->kind == SW_OPND_REG &&
                sw_ins_src(ins, 0)->reg == sw_ins_src(load, 0)->reg &&
                ins->offset == load->offset)
                return true;
        }
    return false;
}

static bool
suits(const sw_jit_emit *e, const sw_jit_access *a)
{
    return !e->k.counters && !e->at.is_outlined && !e->at.fail &&
           !a->is_volatile && !a->is_shared && a->vec == 1 && a->pack == 1 &&
           !a->ins->guard && !e->plan->cfg->irreducible &&
           !sw_jit_is_cut(e->plan) && a->ins->space != SW_SPACE_LOCAL &&
           sw_ins_src(a->ins, 0)->kind == SW_OPND_REG;
}

static seen *
find(sw_jit_emit *e, const sw_jit_access *a)
{
    for (seen *s = e->f.seen; s; s = s->next)
        if (s->reg == sw_ins_src(a->ins, 0)->reg &&
            s->offset == a->ins->offset && s->unit == a->unit)
            return s;
    return NULL;
}

void
sw_jit_forget_rows(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!suits(e, a) || !has_store(e, a->ins) ||
        !is_steady(e, sw_ins_src(a->ins, 0)->reg, e->b.block,
                   index_in_block(e)))
        return;
    seen *s = find(e, a);
    if (!s) {
        s = sw_arena_alloc(e->f.arena, sizeof *s);
        *s = (seen){.next = e->f.seen,
                    .reg = sw_ins_src(a->ins, 0)->reg,
                    .offset = a->ins->offset,
                    .unit = a->unit,
                    .block = e->b.block,
                    .at = index_in_block(e),
                    .is_row = sw_jit_zero_slot(e, e->t.i1)};
        e->f.seen = s;
    }
    if (s->block == e->b.block && s->at == index_in_block(e))
        LLVMBuildStore(B, LLVMConstInt(e->t.i1, 0, 0), s->is_row);
}

void
sw_jit_note_rows(sw_jit_emit *e, const sw_jit_access *a,
                 const sw_jit_rows *rows, LLVMValueRef is_row)
{
    seen *s = suits(e, a) ? find(e, a) : NULL;
    if (!s || s->block != e->b.block || s->at != index_in_block(e))
        return;
    LLVMBuildStore(B, is_row, s->is_row);
    s->lanes = rows->lanes;
    s->count = rows->count;
    for (unsigned i = 0; i < rows->count; i++) {
        if (!s->first[i])
            s->first[i] = sw_jit_slot_of(e, e->t.ptr);
        LLVMBuildStore(B, rows->first[i], s->first[i]);
    }
}

LLVMValueRef
sw_jit_recall_rows(sw_jit_emit *e, const sw_jit_access *a, sw_jit_rows *rows)
{
    seen *s = suits(e, a) ? find(e, a) : NULL;
    if (!s || !s->count ||
        e->plan->cfg->loop[s->block] != e->plan->cfg->loop[e->b.block] ||
        (s->block == e->b.block
             ? s->at >= index_in_block(e)
             : !sw_cfg_dominates(e->plan->cfg, s->block, e->b.block)))
        return NULL;
    rows->lanes = s->lanes;
    rows->count = s->count;
    for (unsigned i = 0; i < s->count; i++)
        rows->first[i] = LLVMBuildLoad2(B, e->t.ptr, s->first[i], "");
    return LLVMBuildLoad2(B, e->t.i1, s->is_row, "");
}
