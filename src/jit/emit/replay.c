/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - arithmetic in f64 without looking at each result: of several
 * NaNs the device prefers another one than the host (alu/double.c), but few
 * programs have any, and what is made of a NaN is one. So a run of instructions
 * that change nothing but registers is emitted twice: as the host does it, with
 * one test of the results that nothing in it goes on with, and, for those that
 * have a NaN, once more from its beginning, as the device does it, rare and
 * small. What cannot go on in the first form, an access out of bounds, begins
 * again as well: what it leaves to the interpreter has to be exact.
 */
#include <string.h>

#include "jit/emit/access_ways.h"
#include "jit/emit/control.h"
#include "jit/tune.h"

#define B e->ll.builder

/* A register that a run reads or writes, as it was before. */
typedef struct {
    sw_reg reg;
    bool is_written;
    bool is_old;          /* what it held is needed: */
    sw_jit_slot old;      /* values, not slots */
    sw_jit_tested tested; /* addresses */
} touched;

/* Instructions [from, to) of the block where the builder stands. */
typedef struct {
    const sw_block *block;
    uint32_t from, to;
    sw_vec regs;     /* touched */
    uint32_t *place; /* [reg_count] there, plus one; 0: it is not */
    uint32_t *maker; /* [reg_count] which of them made the NaN that it may hold,
                        plus one; 0: none */
    bool *is_open;   /* [to - from] nothing goes on with the result */
    unsigned tested; /* instructions whose results would be tested */
    unsigned open;   /* ... and are nevertheless */
    const sw_jit_chunk *chunk; /* the last ones before it */
    const sw_jit_struct *structure;
} run;

/* ---- which instructions ---- */

static bool
may_do_again(const sw_jit_emit *e, const sw_ins *ins)
{
    if (ins->guard)
        return false;
    if (ins->op == SW_OP_LD || ins->op == SW_OP_LDU)
        return ins->order == 0 && !sw_jit_is_unusual(ins);
    return sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE &&
           sw_jit_alu_supports(&e->ll, e->plan->fn, ins);
}

typedef struct {
    run *r;
    uint32_t at; /* the instruction, in its run */
    bool passes_on;
} visit;

static touched *
touch(run *r, sw_reg reg)
{
    if (!r->place[reg]) {
        *(touched *)sw_vec_push(&r->regs) = (touched){.reg = reg};
        r->place[reg] = (uint32_t)r->regs.count;
    }
    return sw_vec_at(&r->regs, r->place[reg] - 1);
}

static void
note_read(void *data, sw_reg reg)
{
    const visit *v = data;
    touch(v->r, reg);
    uint32_t maker = v->r->maker[reg];
    if (v->passes_on && maker)
        v->r->is_open[maker - 1] = false;
}

static void
note_write(void *data, sw_reg reg)
{
    const visit *v = data;
    run *r = v->r;
    r->maker[reg] = v->passes_on ? v->at + 1 : 0;
    r->is_open[v->at] = v->passes_on;
    touch(r, reg)->is_written = true;
}

static void
look_through(sw_jit_emit *e, run *r)
{
    uint32_t n = r->to - r->from;
    sw_vec_init(&r->regs, sizeof(touched));
    r->place = sw_alloc(e->plan->fn->reg_count * sizeof *r->place);
    r->maker = sw_alloc(e->plan->fn->reg_count * sizeof *r->maker);
    r->is_open = sw_alloc((n + 1) * sizeof *r->is_open);
    for (uint32_t i = 0; i < n; i++) {
        const sw_ins *ins = r->block->ins[r->from + i];
        visit v = {r, i, sw_jit_passes_nans(ins)};
        sw_ins_visit_reads(ins, note_read, &v);
        sw_ins_visit_writes(ins, note_write, &v);
    }
    for (uint32_t i = 0; i < n; i++)
        r->open += r->is_open[i];
}

static void
close_run(run *r)
{
    sw_vec_finish(&r->regs);
    sw_free(r->place);
    sw_free(r->maker);
    sw_free(r->is_open);
}

/* ---- registers as they were ---- */

static LLVMValueRef
load_slot(sw_jit_emit *e, LLVMValueRef slot)
{
    return slot ? LLVMBuildLoad2(B, LLVMGetAllocatedType(slot), slot, "")
                : NULL;
}

static void
store_slot(sw_jit_emit *e, LLVMValueRef value, LLVMValueRef slot)
{
    if (slot)
        LLVMBuildStore(B, value, slot);
}

static void
save(sw_jit_emit *e, run *r)
{
    const uint64_t *parked =
        e->shapes->parked + e->b.block * e->plan->live->words;
    for (size_t i = 0; i < r->regs.count; i++) {
        touched *t = sw_vec_at(&r->regs, i);
        uint64_t lives = e->f.now[t->reg / 64] | parked[t->reg / 64];
        t->tested = e->f.tested[t->reg];
        t->is_old = t->is_written && lives >> (t->reg % 64) & 1;
        if (!t->is_old)
            continue;
        const sw_jit_slot *slot = sw_jit_reg_slot(e, t->reg);
        t->old =
            (sw_jit_slot){load_slot(e, slot->base), load_slot(e, slot->narrow),
                          load_slot(e, slot->s)};
    }
}

static void
restore(sw_jit_emit *e, const run *r)
{
    for (size_t i = 0; i < r->regs.count; i++) {
        const touched *t = sw_vec_at(&r->regs, i);
        if (!t->is_old)
            continue;
        const sw_jit_slot *slot = sw_jit_reg_slot(e, t->reg);
        store_slot(e, t->old.base, slot->base);
        store_slot(e, t->old.narrow, slot->narrow);
        store_slot(e, t->old.s, slot->s);
        sw_jit_keep_frame_slot(e, t->reg);
    }
}

/* What was known before, where the second form begins or behind both. */
static void
forget(sw_jit_emit *e, const run *r, bool is_behind)
{
    for (size_t i = 0; i < r->regs.count; i++) {
        const touched *t = sw_vec_at(&r->regs, i);
        e->f.tested[t->reg] = t->tested;
        if (is_behind && t->is_written)
            e->f.tested[t->reg].block = 0;
    }
    sw_jit_chunks_clear(e, r->chunk);
    sw_jit_structs_clear(e, r->structure);
    sw_jit_exits_forget(e);
}

/* ---- the test ---- */

/* Results that are tested: of all lanes, or of one that is the same for all. A
 * comparison of two numbers sees a NaN in either. */
typedef struct {
    LLVMValueRef lanes, scalars; /* masks, i1: has a NaN; or NULL */
    LLVMValueRef other[2];       /* that one is compared with the next */
} seen;

static void
add_seen(sw_jit_emit *e, LLVMValueRef *all, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef nan = LLVMBuildFCmp(B, LLVMRealUNO, x, y, "");
    *all = *all ? LLVMBuildOr(B, *all, nan, "") : nan;
}

static void
see(sw_jit_emit *e, seen *s, sw_reg reg)
{
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->ll.context);
    sw_jit_value v = sw_jit_read_reg(e, reg);
    bool varies = v.shape.kind == SW_SHAPE_VARYING;
    LLVMTypeRef type = varies ? LLVMVectorType(f64, e->lanes) : f64;
    LLVMValueRef x = LLVMBuildBitCast(B, v.base, type, "");
    LLVMValueRef *other = &s->other[varies];
    if (*other) {
        add_seen(e, varies ? &s->lanes : &s->scalars, x, *other);
        *other = NULL;
    } else {
        *other = x;
    }
}

/* i1: one of them is a NaN. */
static LLVMValueRef
any_seen(sw_jit_emit *e, seen *s)
{
    if (s->other[0])
        add_seen(e, &s->scalars, s->other[0], s->other[0]);
    if (s->other[1])
        add_seen(e, &s->lanes, s->other[1], s->other[1]);
    LLVMValueRef lanes = s->lanes;
    if (lanes && !e->mask.is_full)
        lanes = LLVMBuildAnd(B, lanes, e->mask.lanes, "");
    if (lanes)
        lanes = sw_jit_any(e, lanes);
    return !lanes        ? s->scalars
           : !s->scalars ? lanes
                         : LLVMBuildOr(B, lanes, s->scalars, "");
}

/* ---- both forms ---- */

static void
emit_each(sw_jit_emit *e, const sw_block *block, uint32_t from, uint32_t to,
          const run *r, seen *s)
{
    for (uint32_t i = from; i < to; i++) {
        const sw_ins *ins = block->ins[i];
        e->at.index = e->plan->first_ins[e->b.block] + i;
        sw_jit_lines_at(e, ins);
        sw_jit_emit_ins(e, ins);
        if (s && r->is_open[i - r->from])
            see(e, s, ins->opnd[0].reg);
        sw_jit_step_over(e, ins);
    }
}

static void
emit_twice(sw_jit_emit *e, run *r)
{
    size_t bytes = e->plan->live->words * sizeof *e->f.now,
           deaths = e->b.deaths.count;
    uint64_t *now = memcpy(sw_alloc(bytes + 1), e->f.now, bytes);
    LLVMBasicBlockRef replay = sw_jit_block(e, "redo");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    seen s = {0};
    r->chunk = e->b.chunks;
    r->structure = e->b.structs;
    save(e, r);
    sw_jit_exits_forget(e);
    e->at.replay = replay;
    e->ll.nans = SW_JIT_NANS_LEFT;
    emit_each(e, r->block, r->from, r->to, r, &s);
    e->at.replay = NULL;
    sw_jit_likely(e, LLVMBuildCondBr(B, any_seen(e, &s), replay, on), false);

    LLVMPositionBuilderAtEnd(B, replay);
    /* of which no instruction is made: what was loaded is not kept for it */
    LLVMBuildFence(B, LLVMAtomicOrderingAcquire, 1, "");
    memcpy(e->f.now, now, bytes);
    sw_free(now);
    e->b.deaths.count = deaths;
    restore(e, r);
    forget(e, r, false);
    e->at.is_replay = true;
    e->ll.nans = SW_JIT_NANS_KEPT;
    emit_each(e, r->block, r->from, r->to, r, NULL);
    e->at.is_replay = false;
    e->ll.nans = SW_JIT_NANS_TESTED;
    LLVMBuildBr(B, on);

    LLVMPositionBuilderAtEnd(B, on);
    forget(e, r, true);
}

/* Emits instructions from `from` on; returns how far it came. A run begins and
 * ends with what would be tested. */
static uint32_t
emit_some(sw_jit_emit *e, const sw_block *block, uint32_t from, uint32_t to)
{
    run r = {.block = block};
    uint32_t end = from;
    for (; end < to && may_do_again(e, block->ins[end]); end++) {
        if (!sw_jit_passes_nans(block->ins[end]))
            continue;
        r.from = r.tested++ ? r.from : end;
        r.to = end + 1;
    }
    if (r.tested <= sw_jit_tune.replay_tests) {
        end += end == from;
        emit_each(e, block, from, end, NULL, NULL);
        return end;
    }
    emit_each(e, block, from, r.from, NULL, NULL);
    e->at.index = e->plan->first_ins[e->b.block] + r.from;
    look_through(e, &r);
    if (r.tested - r.open >= sw_jit_tune.replay_tests && !sw_jit_stores_wait(e))
        emit_twice(e, &r);
    else
        emit_each(e, block, r.from, r.to, NULL, NULL);
    close_run(&r);
    return r.to;
}

void
sw_jit_emit_range(sw_jit_emit *e, const sw_block *block, uint32_t from,
                  uint32_t to)
{
    /* versions of loops are large enough */
    if (e->k.counters || sw_jit_is_rare(e) || e->f.version)
        emit_each(e, block, from, to, NULL, NULL);
    else
        while (from < to)
            from = emit_some(e, block, from, to);
}
