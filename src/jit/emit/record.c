/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - see record.h. The place for the next word is in
 * sw_jit_blk.record. Whether there is room is looked at once a block, for all
 * that the block can write: a number that is known when the block is done, and
 * put into the comparison then.
 */
#include "jit/emit/record.h"
#include "exec/event_buffer.h"

#define B e->ll.builder

enum { LANES = 32, WORD = 8 };

struct sw_jit_record {
    sw_vec *sites;     /* sw_tally_access */
    LLVMValueRef need; /* the addition in the block's comparison */
    uint32_t bytes;    /* that it compares with */
    uint32_t most;     /* words, of any block */
};

sw_jit_record *
sw_jit_record_open(void)
{
    return sw_alloc(sizeof(sw_jit_record));
}

uint32_t
sw_jit_record_most(const sw_jit_record *r)
{
    return r->most;
}

static LLVMValueRef
place_of(sw_jit_emit *e, size_t offset)
{
    LLVMValueRef block =
        sw_jit_field(e, offsetof(sw_jit_ctx, block), e->t.ptr, true);
    return sw_jit_at(e, block, sw_jit_i64(e, offset));
}

static void
need_more(sw_jit_emit *e, sw_jit_record *r, uint32_t words)
{
    r->bytes += words * WORD;
    if (r->bytes / WORD > r->most)
        r->most = r->bytes / WORD;
    LLVMSetOperand(r->need, 1, sw_jit_i64(e, r->bytes));
}

/* The end of words[0..count), with `all` behind them, if it is not NULL. */
static void
write_words(sw_jit_emit *e, sw_jit_record *r, const LLVMValueRef *words,
            unsigned count, LLVMValueRef all)
{
    LLVMValueRef place = place_of(e, offsetof(sw_jit_blk, record));
    LLVMValueRef at = LLVMBuildLoad2(B, e->t.ptr, place, "");
    for (unsigned i = 0; i < count; i++)
        LLVMBuildStore(B, words[i], sw_jit_at(e, at, sw_jit_i64(e, i * WORD)));
    unsigned total = count;
    if (all) {
        LLVMValueRef to = sw_jit_at(e, at, sw_jit_i64(e, count * WORD));
        sw_jit_set_align(LLVMBuildStore(B, all, to), WORD);
        total += LANES;
    }
    LLVMBuildStore(B, sw_jit_at(e, at, sw_jit_i64(e, total * WORD)), place);
    need_more(e, r, total);
}

static LLVMValueRef
head_of(sw_jit_emit *e, sw_ev_word kind, uint32_t number, LLVMValueRef mask)
{
    LLVMValueRef low = sw_jit_i64(e, sw_ev_head(kind, number));
    LLVMValueRef high =
        LLVMBuildShl(B, sw_jit_widen(e, mask, false), sw_jit_i64(e, 32), "");
    return LLVMBuildOr(B, high, low, "");
}

static void
look_for_room(sw_jit_emit *e, sw_jit_record *r)
{
    LLVMValueRef at = LLVMBuildLoad2(
        B, e->t.i64, place_of(e, offsetof(sw_jit_blk, record)), "");
    LLVMValueRef end = LLVMBuildLoad2(
        B, e->t.i64, place_of(e, offsetof(sw_jit_blk, record_end)), "");
    r->need = LLVMBuildAdd(B, at, sw_jit_i64(e, WORD), "");
    r->bytes = 0;
    need_more(e, r, 1); /* it may leave */
    LLVMBasicBlockRef full = sw_jit_block(e, "full");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    sw_jit_likely(
        e,
        LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntUGT, r->need, end, ""), full,
                        on),
        false);
    LLVMPositionBuilderAtEnd(B, full);
    sw_jit_call(e, SW_JIT_DRAIN, e->t.nothing, NULL, 0);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}

void
sw_jit_record_block(sw_jit_emit *e, sw_jit_record *r, bool is_begin)
{
    look_for_room(e, r);
    uint32_t wanted = SW_EV_INS | SW_EV_BRANCH | SW_EV_EXIT;
    if (!is_begin || !(e->plan->rq->events & wanted))
        return;
    LLVMValueRef words[2] = {
        head_of(e, SW_EV_WORD_RUN, e->plan->first_ins[e->b.block],
                sw_jit_mask_bits(e, e->mask.lanes)),
        sw_jit_i64(e, e->plan->fn->blocks[e->b.block]->count)};
    write_words(e, r, words, 2, NULL);
}

void
sw_jit_record_stop(sw_jit_emit *e, sw_jit_record *r, uint32_t index)
{
    LLVMValueRef word =
        head_of(e, SW_EV_WORD_STOP, index, sw_jit_mask_bits(e, e->mask.path));
    if (e->plan->rq->events & (SW_EV_INS | SW_EV_BRANCH | SW_EV_EXIT))
        write_words(e, r, &word, 1, NULL);
}

void
sw_jit_record_guard(sw_jit_emit *e, sw_jit_record *r, LLVMValueRef mask)
{
    LLVMValueRef word = head_of(e, SW_EV_WORD_GUARD, e->at.index, mask);
    if (e->plan->rq->events & SW_EV_INS)
        write_words(e, r, &word, 1, NULL);
}

void
sw_jit_record_branch(sw_jit_emit *e, sw_jit_record *r, LLVMValueRef taken)
{
    LLVMValueRef words[2] = {head_of(e, SW_EV_WORD_BRANCH, e->at.index,
                                     sw_jit_mask_bits(e, e->mask.lanes)),
                             sw_jit_widen(e, taken, false)};
    if (e->plan->rq->events & (SW_EV_INS | SW_EV_BRANCH))
        write_words(e, r, words, 2, NULL);
}

/* What was done before is told before others may see it done. */
static void
drain(sw_jit_emit *e)
{
    sw_jit_call(e, SW_JIT_DRAIN, e->t.nothing, NULL, 0);
}

void
sw_jit_record_fence(sw_jit_emit *e, sw_jit_record *r)
{
    LLVMValueRef word = head_of(e, SW_EV_WORD_FENCE, e->at.index,
                                sw_jit_mask_bits(e, e->mask.lanes));
    uint32_t wanted = e->at.ins->op == SW_OP_MEMBAR ? SW_EV_FENCE : SW_EV_ASYNC;
    if (e->plan->rq->events & wanted)
        write_words(e, r, &word, 1, NULL);
    if (e->at.ins->op == SW_OP_MEMBAR)
        drain(e);
}

/* Others may see by it how far this block is. */
static bool
is_seen_by_others(const sw_ins *ins)
{
    bool is_atomic = ins->op == SW_OP_ATOM || ins->op == SW_OP_RED;
    return (is_atomic || ins->order != SW_ORDER_WEAK) &&
           ins->space != SW_SPACE_SHARED && ins->space != SW_SPACE_LOCAL &&
           ins->space != SW_SPACE_CONST;
}

void
sw_jit_record_access(sw_jit_emit *e, sw_jit_record *r, uint32_t site,
                     const LLVMValueRef *starts, unsigned count,
                     LLVMValueRef all)
{
    LLVMValueRef words[1 + LANES];
    bool is_shared = e->at.ins->space == SW_SPACE_SHARED;
    LLVMValueRef base =
        is_shared
            ? sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.i64, true)
            : NULL;
    if (!(e->plan->rq->events & SW_EV_MEM))
        return;
    words[0] =
        head_of(e, SW_EV_WORD_ACCESS, site, sw_jit_mask_bits(e, e->mask.lanes));
    for (unsigned g = 0; g < count; g++)
        words[1 + g] =
            is_shared ? LLVMBuildSub(B, starts[g], base, "") : starts[g];
    if (all && is_shared)
        all = LLVMBuildSub(B, all, sw_jit_splat(e, base, LANES), "");
    write_words(e, r, words, 1 + count, all);
    if (is_seen_by_others(e->at.ins))
        drain(e);
}
