/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - see record.h. The place for the next word is in
 * sw_jit_blk.record. Whether there is room is looked at once a block, and again
 * behind a barrier at which other warps have run, for all that can be written
 * until the next look: a number that is known when the code is, and put into
 * the comparison then.
 */
#include "jit/emit/record.h"

#include "exec/event_buffer.h"
#include "jit/emit/counters.h"

#define B e->ll.builder

enum { LANES = 32, WORD = 8 };

struct sw_jit_record {
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

/* NULL: the kernel tells no events. */
static sw_jit_record *
record_of(const sw_jit_emit *e)
{
    return e->k.counters ? e->k.counters->record : NULL;
}

static LLVMValueRef
place_of(sw_jit_emit *e, size_t offset)
{
    LLVMValueRef block =
        sw_jit_field(e, offsetof(sw_jit_ctx, block), e->t.ptr, true);
    return sw_jit_at(e, block, sw_jit_i64(e, offset));
}

static void
need_more(sw_jit_emit *e, uint32_t bytes)
{
    sw_jit_record *r = record_of(e);
    r->bytes += bytes;
    if (r->bytes / WORD > r->most)
        r->most = r->bytes / WORD;
    LLVMSetOperand(r->need, 1, sw_jit_i64(e, r->bytes));
}

static bool
is_wanted(const sw_jit_emit *e, uint32_t events)
{
    return e->plan->rq->events & events;
}

/* ---- words ---- */

/* An event that is being written. */
typedef struct {
    LLVMValueRef place, at; /* of the next word: where that stands, and it */
    uint32_t bytes;         /* so far */
} event;

static event
begin_event(sw_jit_emit *e)
{
    event v = {.place = place_of(e, offsetof(sw_jit_blk, record))};
    v.at = LLVMBuildLoad2(B, e->t.ptr, v.place, "");
    return v;
}

static void
put(sw_jit_emit *e, event *v, LLVMValueRef x, uint32_t bytes)
{
    LLVMValueRef to = sw_jit_at(e, v->at, sw_jit_i64(e, v->bytes));
    sw_jit_set_align(LLVMBuildStore(B, x, to), WORD);
    v->bytes += bytes;
}

static void
end_event(sw_jit_emit *e, const event *v)
{
    LLVMValueRef next = sw_jit_at(e, v->at, sw_jit_i64(e, v->bytes));
    LLVMBuildStore(B, next, v->place);
    need_more(e, v->bytes);
}

static bool
are_all(LLVMValueRef bits)
{
    return LLVMIsConstant(bits) && bits == LLVMConstAllOnes(LLVMTypeOf(bits));
}

/* The head of an event of these lanes, and their masks. */
static void
put_head(sw_jit_emit *e, event *v, sw_ev_word kind, uint32_t number,
         LLVMValueRef bits)
{
    uint64_t low = sw_ev_head(kind, number);
    if (are_all(bits)) {
        put(e, v, sw_jit_i64(e, low | (uint64_t)UINT32_MAX << 32), WORD);
    } else if (e->lanes > LANES) {
        put(e, v, sw_jit_i64(e, low), WORD);
        put(e, v, bits, e->lanes / 8);
    } else {
        LLVMValueRef high = LLVMBuildShl(B, sw_jit_widen(e, bits, false),
                                         sw_jit_i64(e, 32), "");
        put(e, v, LLVMBuildOr(B, high, sw_jit_i64(e, low), ""), WORD);
    }
}

static LLVMValueRef
bits_of(sw_jit_emit *e)
{
    return e->mask.is_full ? LLVMConstAllOnes(e->t.bits)
                           : sw_jit_mask_bits(e, e->mask.lanes);
}

/* An event that is nothing else. */
static void
write_head(sw_jit_emit *e, sw_ev_word kind, uint32_t number, LLVMValueRef bits)
{
    event v = begin_event(e);
    put_head(e, &v, kind, number, bits);
    end_event(e, &v);
}

/* The same of no lanes in particular. */
static void
write_mark(sw_jit_emit *e, sw_ev_word kind, LLVMValueRef number)
{
    event v = begin_event(e);
    LLVMValueRef high =
        LLVMBuildShl(B, sw_jit_widen(e, number, false), sw_jit_i64(e, 4), "");
    put(e, &v, LLVMBuildOr(B, high, sw_jit_i64(e, kind), ""), WORD);
    end_event(e, &v);
}

static void
look_for_room(sw_jit_emit *e)
{
    sw_jit_record *r = record_of(e);
    LLVMValueRef at = LLVMBuildLoad2(
        B, e->t.i64, place_of(e, offsetof(sw_jit_blk, record)), "");
    LLVMValueRef end = LLVMBuildLoad2(
        B, e->t.i64, place_of(e, offsetof(sw_jit_blk, record_end)), "");
    r->need = LLVMBuildAdd(B, at, sw_jit_i64(e, WORD), "");
    r->bytes = 0;
    need_more(e, WORD); /* it may leave */
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

/* ---- instructions ---- */

enum { RUNS = SW_EV_INS | SW_EV_BRANCH | SW_EV_EXIT };

void
sw_jit_record_block(sw_jit_emit *e, bool is_begin)
{
    look_for_room(e);
    if (!is_begin || !is_wanted(e, RUNS))
        return;
    event v = begin_event(e);
    put_head(e, &v, SW_EV_WORD_RUN, e->plan->first_ins[e->b.block], bits_of(e));
    put(e, &v, sw_jit_i64(e, e->plan->fn->blocks[e->b.block]->count), WORD);
    end_event(e, &v);
}

void
sw_jit_record_stop(sw_jit_emit *e, uint32_t index)
{
    if (is_wanted(e, RUNS))
        write_mark(e, SW_EV_WORD_STOP, sw_jit_i32(e, index));
}

void
sw_jit_record_guard(sw_jit_emit *e, LLVMValueRef bits)
{
    if (is_wanted(e, SW_EV_INS))
        write_head(e, SW_EV_WORD_GUARD, e->at.index, bits);
}

void
sw_jit_record_branch(sw_jit_emit *e, LLVMValueRef taken)
{
    if (!is_wanted(e, SW_EV_INS | SW_EV_BRANCH))
        return;
    event v = begin_event(e);
    put_head(e, &v, SW_EV_WORD_BRANCH, e->at.index, bits_of(e));
    if (e->lanes > LANES)
        put(e, &v, taken, e->lanes / 8);
    else
        put(e, &v, sw_jit_widen(e, taken, false), WORD);
    end_event(e, &v);
}

/* ---- what orders blocks and warps ---- */

static bool
is_on(const sw_jit_emit *e, uint32_t events)
{
    return record_of(e) && is_wanted(e, events);
}

static void
write_warp(sw_jit_emit *e)
{
    write_mark(e, SW_EV_WORD_WARP,
               sw_jit_field(e, offsetof(sw_jit_ctx, index), e->t.i32, false));
}

void
sw_jit_tell_begin(sw_jit_emit *e)
{
    if (!record_of(e))
        return;
    look_for_room(e);
    write_warp(e);
}

void
sw_jit_tell_end(sw_jit_emit *e)
{
    if (is_on(e, SW_EV_EXIT | SW_EV_BARRIER))
        write_head(e, SW_EV_WORD_END, 0, sw_jit_mask_bits(e, e->mask.lanes));
}

void
sw_jit_tell_finish(sw_jit_emit *e)
{
    if (!is_on(e, SW_EV_EXIT | SW_EV_BARRIER))
        return;
    look_for_room(e);
    write_head(e, SW_EV_WORD_END, 0,
               sw_jit_field(e, offsetof(sw_jit_ctx, live), e->t.bits, false));
}

/* What was done before is told before others may see it done. */
static void
drain(sw_jit_emit *e)
{
    if (is_wanted(e, SW_EV_ORDER))
        sw_jit_call(e, SW_JIT_DRAIN, e->t.nothing, NULL, 0);
}

void
sw_jit_tell_fence(sw_jit_emit *e)
{
    bool is_fence = e->at.ins->op == SW_OP_MEMBAR;
    if (is_on(e, is_fence ? SW_EV_FENCE : SW_EV_ASYNC))
        write_head(e, SW_EV_WORD_FENCE, e->at.index, bits_of(e));
    if (is_fence && record_of(e))
        drain(e);
}

void
sw_jit_tell_arrival(sw_jit_emit *e)
{
    if (is_on(e, SW_EV_BARRIER))
        write_head(e, SW_EV_WORD_ARRIVE, e->at.index, bits_of(e));
}

void
sw_jit_tell_release(sw_jit_emit *e)
{
    if (!record_of(e))
        return;
    /* Other warps have written since this one has looked. */
    if (!e->shapes->map.is_block)
        look_for_room(e);
    write_warp(e);
    if (is_wanted(e, SW_EV_BARRIER))
        write_head(e, SW_EV_WORD_RELEASE, e->at.index, bits_of(e));
}

/* ---- accesses ---- */

/* As sw_jit_record_access has it, by addresses that are told. */
typedef struct {
    uint32_t site;
    const LLVMValueRef *starts;
    unsigned count;
    LLVMValueRef all;
} access;

/* Others may see by it how far this block is. */
static bool
is_seen_by_others(const sw_ins *ins)
{
    bool is_atomic = ins->op == SW_OP_ATOM || ins->op == SW_OP_RED;
    return (is_atomic || ins->order != SW_ORDER_WEAK) &&
           ins->space != SW_SPACE_SHARED && ins->space != SW_SPACE_LOCAL &&
           ins->space != SW_SPACE_CONST;
}

/* What the instruction stores, as SW_JIT_VALUES wants it. */
static LLVMValueRef
stored_values(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    unsigned bits = sw_type_bits((sw_type)ins->type);
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, bits);
    LLVMTypeRef row = LLVMVectorType(elem, LANES);
    if (ins->op != SW_OP_ST)
        return LLVMConstNull(e->t.ptr);
    LLVMValueRef slot = sw_jit_slot_of(e, LLVMArrayType(row, ins->vec));
    for (unsigned k = 0; k < ins->vec; k++) {
        sw_jit_value v = sw_jit_read_exact(e, ins, 1 + k);
        LLVMValueRef x = sw_jit_lanes(e, &v);
        x = LLVMBuildIntCast2(B, x, row, 0, "");
        LLVMValueRef at =
            sw_jit_at(e, slot, sw_jit_i64(e, k * LANES * bits / 8));
        sw_jit_set_align(LLVMBuildStore(B, x, at), 8);
    }
    return slot;
}

void
sw_jit_record_values(sw_jit_emit *e, unsigned unit, LLVMValueRef addresses)
{
    LLVMValueRef slot = sw_jit_slot_of(e, LLVMTypeOf(addresses));
    LLVMBuildStore(B, addresses, slot);
    LLVMValueRef args[5] = {sw_jit_i32(e, e->at.index), bits_of(e), slot,
                            sw_jit_i32(e, unit), stored_values(e)};
    sw_jit_call(e, SW_JIT_VALUES, e->t.nothing, args, 5);
}

/* Where the lanes of a group lie, from its begin on. */
static void
find_extent(const sw_jit_emit *e, uint32_t site, unsigned group, int64_t *low,
            int64_t *high)
{
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (unsigned w = 0; w < e->lanes / LANES; w++) {
        const sw_counter_access *x =
            sw_vec_at(&e->k.counters->accesses, site + w);
        for (int i = 0; i < LANES; i++) {
            if (x->group[i] != group)
                continue;
            *low = x->at[i] < *low ? x->at[i] : *low;
            *high = x->at[i] > *high ? x->at[i] : *high;
        }
    }
}

/* The observer need not hear of the access: sw_ev_quiet. */
static LLVMValueRef
is_quiet(sw_jit_emit *e, const access *a)
{
    LLVMValueRef row = sw_jit_at(
        e, sw_jit_block_field(e, offsetof(sw_jit_blk, quiet), e->t.ptr),
        sw_jit_i64(e, e->at.index * sizeof(sw_ev_quiet)));
    LLVMValueRef first = LLVMBuildLoad2(B, e->t.i64, row, "");
    LLVMValueRef limit = LLVMBuildLoad2(
        B, e->t.i64,
        sw_jit_at(e, row, sw_jit_i64(e, offsetof(sw_ev_quiet, limit))), "");
    LLVMValueRef ok = NULL;
    for (unsigned g = 0; g < a->count; g++) {
        int64_t low, high;
        find_extent(e, a->site, g, &low, &high);
        if (low > high)
            continue; /* it has no lanes */
        LLVMValueRef at = LLVMBuildSub(B, a->starts[g], first, "");
        at = LLVMBuildAdd(B, at, sw_jit_i64(e, (uint64_t)low), "");
        ok = sw_jit_both(e, ok, LLVMBuildICmp(B, LLVMIntULT, at, limit, ""));
        at = LLVMBuildAdd(B, at, sw_jit_i64(e, (uint64_t)(high - low)), "");
        ok = sw_jit_both(e, ok, LLVMBuildICmp(B, LLVMIntULT, at, limit, ""));
    }
    if (!a->all)
        return ok ? ok : LLVMConstInt(e->t.i1, 0, 0);
    LLVMValueRef at =
        LLVMBuildSub(B, a->all, sw_jit_splat(e, first, e->lanes), "");
    LLVMValueRef each =
        LLVMBuildICmp(B, LLVMIntULT, at, sw_jit_splat(e, limit, e->lanes), "");
    if (!e->mask.is_full)
        each = LLVMBuildOr(B, each, LLVMBuildNot(B, e->mask.lanes, ""), "");
    return sw_jit_all(e, each);
}

static void
write_access(sw_jit_emit *e, const access *a)
{
    event v = begin_event(e);
    put_head(e, &v, SW_EV_WORD_ACCESS, a->site, bits_of(e));
    for (unsigned g = 0; g < a->count; g++)
        put(e, &v, a->starts[g], WORD);
    if (a->all)
        put(e, &v, a->all, e->lanes * WORD);
    end_event(e, &v);
    if (is_seen_by_others(e->at.ins))
        drain(e);
}

void
sw_jit_record_access(sw_jit_emit *e, uint32_t site, LLVMValueRef *starts,
                     unsigned count, LLVMValueRef all)
{
    access a = {site, starts, count, all};
    if (e->at.ins->space == SW_SPACE_SHARED) {
        LLVMValueRef base =
            sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.i64, true);
        for (unsigned g = 0; g < count; g++)
            starts[g] = LLVMBuildSub(B, starts[g], base, "");
        if (all)
            a.all = LLVMBuildSub(B, all, sw_jit_splat(e, base, e->lanes), "");
    }
    if (!is_wanted(e, SW_EV_QUIET)) {
        write_access(e, &a);
        return;
    }
    LLVMBasicBlockRef told = sw_jit_block(e, "told");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    sw_jit_likely(e, LLVMBuildCondBr(B, is_quiet(e, &a), on, told), true);
    LLVMPositionBuilderAtEnd(B, told);
    write_access(e, &a);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
}
