/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefetch.c - rows of global memory are asked for before they are needed.
 *
 * The processor sees by itself where accesses lead that follow each other
 * closely. Two kinds it does not see. Blocks beside each other mostly have
 * their data beside each other, in rows too short to show a direction: what
 * lies two rows on is the next blocks'; and what lies some KiB on where blocks
 * have one row only, so that all these are one. And loops go through memory in
 * steps of a row of a matrix or of the whole grid: there the step is what the
 * address has moved since the last iteration. Addresses that nobody can access
 * are ignored.
 */
#include "jit/emit/access_ways.h"
#include "jit/tune.h"

#define B e->ll.builder

enum { WARP = 32, LINE = 64 };

static void
ask_for_line(sw_jit_emit *e, LLVMValueRef pointer, int64_t at, bool to_write)
{
    enum { HIGH_LOCALITY = 3, DATA = 1 };
    LLVMValueRef args[4] = {sw_jit_at(e, pointer, sw_jit_i64(e, (uint64_t)at)),
                            sw_jit_i32(e, to_write),
                            sw_jit_i32(e, HIGH_LOCALITY), sw_jit_i32(e, DATA)};
    sw_jit_intrinsic(e, "llvm.prefetch", &e->t.ptr, 1, args, 4);
}

/* also_end: a row may begin in the midst of a line, and end in one more. */
static void
ask_for(sw_jit_emit *e, LLVMValueRef pointer, int64_t bytes, bool to_write,
        bool also_end)
{
    for (int64_t at = 0; at < bytes; at += LINE)
        ask_for_line(e, pointer, at, to_write);
    if (also_end && bytes > LINE)
        ask_for_line(e, pointer, bytes - 1, to_write);
}

/* Instructions of the innermost loop around the block, and what they do. */
static uint32_t
look_at_loop(const sw_jit_emit *e, sw_reg reg, bool *moves, bool *waits)
{
    uint32_t count = 0, loop = e->plan->cfg->loop[e->b.block];
    *moves = *waits = false;
    for (uint32_t b = 0; b < e->plan->fn->block_count; b++) {
        const sw_block *block = e->plan->fn->blocks[b];
        if (!sw_cfg_is_in_loop(e->plan->cfg, loop, b))
            continue;
        count += block->count;
        for (uint32_t i = 0; i < block->count; i++) {
            *waits |= block->ins[i]->op == SW_OP_BAR;
            *moves |= sw_ins_writes(block->ins[i], reg);
        }
    }
    return count;
}

/* Where a loop's next iterations will find their row, as a distance from this
 * one: what the pointer has moved since the last iteration, so many times that
 * it is worth it; in the first one, `rows_ahead`. NULL: the pointer
 * does not move, or what moves it goes around in a small loop in a large one,
 * which mostly sees the same again and again. */
static LLVMValueRef
step_of(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef pointer,
        LLVMValueRef rows_ahead)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    bool moves, waits;
    if (!e->plan->cfg->loop[e->b.block] || o->kind != SW_OPND_REG)
        return NULL;
    uint32_t count = look_at_loop(e, o->reg, &moves, &waits);
    if (!moves ||
        (e->plan->cfg->loops[e->plan->cfg->loop[e->b.block]].depth > 1 &&
         !waits))
        return NULL;
    LLVMValueRef slot = sw_jit_slot_of(e, e->t.i64);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMPositionBuilderBefore(B, LLVMGetBasicBlockTerminator(e->f.entry));
    LLVMBuildStore(B, sw_jit_i64(e, 0), slot);
    LLVMPositionBuilderAtEnd(B, here);
    LLVMValueRef now = LLVMBuildPtrToInt(B, pointer, e->t.i64, "");
    LLVMValueRef last = LLVMBuildLoad2(B, e->t.i64, slot, "");
    LLVMBuildStore(B, now, slot);
    uint32_t times = sw_jit_tune.prefetch_instructions / count;
    if (waits) /* then fused warps have long been busy with one */
        times = times * WARP / e->lanes;
    times = times < 1                            ? 1
            : times > sw_jit_tune.prefetch_steps ? sw_jit_tune.prefetch_steps
                                                 : times;
    LLVMValueRef step = LLVMBuildMul(B, LLVMBuildSub(B, now, last, ""),
                                     sw_jit_i64(e, times), "");
    return LLVMBuildSelect(
        B, LLVMBuildICmp(B, LLVMIntEQ, last, sw_jit_i64(e, 0), ""), rows_ahead,
        step, "");
}

/* Whether an access from the same register asks for the same lines: of elements
 * with gaps each fills others'. */
static bool
is_asked_for(sw_jit_emit *e, const sw_jit_access *a, bool to_write)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    int64_t at = a->ins->offset / LINE;
    if (o->kind != SW_OPND_REG)
        return false;
    for (unsigned i = 0; i < SW_JIT_ASKED; i++) {
        const sw_jit_asked *x = &e->f.asked[i];
        if (x->is_used && x->reg == o->reg && x->from == at &&
            x->to_write == to_write && x->is_twin == e->b.is_twin)
            return true;
    }
    e->f.asked[e->f.asked_count++ % SW_JIT_ASKED] =
        (sw_jit_asked){true, to_write, e->b.is_twin, o->reg, e->b.block, at};
    return false;
}

/* Elements with gaps, fields of structures, have to ask once for the row in
 * which all of them lie: whether one did before, in this loop. */
static bool
is_row_asked_for(sw_jit_emit *e, const sw_jit_access *a, int64_t bytes,
                 bool to_write)
{
    const sw_opnd *o = sw_ins_src(a->ins, 0);
    uint32_t loop = e->plan->cfg->loop[e->b.block];
    if (o->kind != SW_OPND_REG || bytes <= (int64_t)e->lanes * a->unit)
        return false;
    for (unsigned i = 0; i < SW_JIT_ASKED; i++) {
        const sw_jit_asked *x = &e->f.asked_rows[i];
        int64_t apart = x->from - a->ins->offset;
        apart = apart < 0 ? -apart : apart;
        if (x->is_used && x->reg == o->reg && x->to_write == to_write &&
            x->is_twin == e->b.is_twin &&
            e->plan->cfg->loop[x->block] == loop &&
            sw_cfg_dominates(e->plan->cfg, x->block, e->b.block) &&
            apart * e->lanes < 2 * bytes)
            return true;
    }
    e->f.asked_rows[e->f.asked_row_count++ % SW_JIT_ASKED] =
        (sw_jit_asked){.is_used = true,
                       .to_write = to_write,
                       .is_twin = e->b.is_twin,
                       .reg = o->reg,
                       .block = e->b.block,
                       .from = a->ins->offset};
    return false;
}

void
sw_jit_prefetch(sw_jit_emit *e, const sw_jit_access *a,
                const LLVMValueRef *pointers, const int64_t *bytes,
                unsigned count, bool to_write)
{
    /* The warps of a block loop go through it as a loop would; fused warps do
     * much in between, but what they read at once may be long enough. */
    bool is_stream =
        e->k.foresees_streams && e->plan->rq->map.is_line &&
        e->plan->block_loop &&
        (e->lanes == WARP || (count && bytes[0] >= sw_jit_tune.prefetch_seen));
    LLVMValueRef step = NULL;
    if (a->is_shared || a->is_volatile || e->at.is_outlined || !count)
        return;
    if (bytes[0] <= sw_jit_tune.prefetch_row &&
        is_row_asked_for(e, a, bytes[0], to_write))
        return;
    int64_t rows = !e->plan->rq->map.is_line ? sw_jit_tune.prefetch_rows
                   : e->lanes == WARP ? sw_jit_tune.prefetch_warp / bytes[0]
                                      : sw_jit_tune.prefetch_fused / bytes[0];
    rows = rows < sw_jit_tune.prefetch_rows ? sw_jit_tune.prefetch_rows : rows;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef far = sw_jit_i64(e, (uint64_t)(rows * bytes[i]));
        if (bytes[i] > sw_jit_tune.prefetch_row || bytes[i] <= (int64_t)a->unit)
            continue;
        if (i == 0)
            step = step_of(e, a, pointers[0], far);
        if (step || (bytes[i] >= LINE && !is_stream &&
                     (i || !is_asked_for(e, a, to_write))))
            ask_for(e, sw_jit_at(e, pointers[i], step ? step : far), bytes[i],
                    to_write, step != NULL);
    }
}

void
sw_jit_prefetch_groups(sw_jit_emit *e, const sw_jit_access *a, bool to_write)
{
    LLVMValueRef pointers[SW_JIT_GROUPS];
    int64_t bytes[SW_JIT_GROUPS];
    for (unsigned g = 0; g < a->group_count; g++) {
        pointers[g] = a->groups[g].pointer;
        bytes[g] = a->groups[g].span + a->unit;
    }
    sw_jit_prefetch(e, a, pointers, bytes, a->group_count, to_write);
}
