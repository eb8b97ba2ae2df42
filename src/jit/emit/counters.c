/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.c - counting for an observer: additions to the slots of inline
 * counters (watch/inline_counter.h) among the code of a kernel, and the table
 * of what they mean. A block of full warps is one addition. For accesses see
 * emit/counters_access.c.
 */
#include <string.h>

#include "jit/emit/counters.h"

#define B e->ll.builder

enum { LANES = 32 };

void
sw_jit_counter_open(sw_jit_emit *e)
{
    if (!e->plan->rq->counts_inline)
        return;
    sw_jit_counter *t = sw_alloc(sizeof *t);
    sw_vec_init(&t->rows, sizeof(sw_counter_row));
    sw_vec_init(&t->accesses, sizeof(sw_counter_access));
    sw_vec_init(&t->bundles, sizeof(sw_jit_bundle));
    *(sw_counter_row *)sw_vec_push(&t->rows) =
        (sw_counter_row){.slot = SW_JIT_SLOT_BLOCKS, .kind = SW_COUNTER_BLOCKS};
    t->slots = 1 + SW_JIT_SLOT_BLOCKS;
    if (e->plan->rq->events)
        t->record = sw_jit_record_open();
    e->k.counters = t;
}

void
sw_jit_counter_next(sw_jit_emit *e)
{
    sw_jit_counter *t = e->k.counters;
    if (t)
        t->addresses = t->fused_mask = t->fused_addresses = NULL;
}

void
sw_jit_counter_finish(sw_jit_emit *e)
{
    if (!e->k.counters)
        return;
    sw_vec_finish(&e->k.counters->rows);
    sw_vec_finish(&e->k.counters->accesses);
    sw_vec_finish(&e->k.counters->bundles);
    sw_free(e->k.counters->record);
    sw_free(e->k.counters);
}

void
sw_jit_counter_take(const sw_jit_emit *e, sw_jit_result *result)
{
    const sw_jit_counter *t = e->k.counters;
    if (!t)
        return;
    result->rows = sw_jit_table_of(&t->rows, sizeof *result->rows);
    result->row_count = (uint32_t)t->rows.count;
    result->accesses = sw_jit_table_of(&t->accesses, sizeof *result->accesses);
    result->access_count = (uint32_t)t->accesses.count;
    result->slot_count = t->record ? sw_jit_record_most(t->record) : t->slots;
}

/* ---- slots ---- */

LLVMValueRef
sw_jit_counter_place(sw_jit_emit *e, uint32_t slot)
{
    LLVMValueRef base =
        sw_jit_block_field(e, offsetof(sw_jit_blk, slots), e->t.ptr);
    return sw_jit_at(e, base, sw_jit_i64(e, 8 * (uint64_t)slot));
}

static void
add_at(sw_jit_emit *e, LLVMValueRef place, LLVMValueRef n)
{
    LLVMValueRef old = LLVMBuildLoad2(B, e->t.i64, place, "");
    LLVMBuildStore(B, LLVMBuildAdd(B, old, n, ""), place);
}

/* n (i64) more of that kind, of `count` instructions. */
static void
add_row(sw_jit_emit *e, sw_counter_kind kind, uint32_t ins, uint32_t count,
        LLVMValueRef n)
{
    sw_jit_counter *t = e->k.counters;
    *(sw_counter_row *)sw_vec_push(&t->rows) = (sw_counter_row){
        .slot = t->slots, .kind = kind, .ins = ins, .count = count};
    add_at(e, sw_jit_counter_place(e, t->slots++), n);
}

/* How many bits of an integer are set, i64. */
static LLVMValueRef
bits_in(sw_jit_emit *e, LLVMValueRef bits)
{
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &type, 1, &bits, 1);
    return LLVMBuildIntCast2(B, n, e->t.i64, 0, "");
}

static LLVMValueRef
lanes_in(sw_jit_emit *e, LLVMValueRef mask)
{
    return bits_in(e, sw_jit_mask_bits(e, mask));
}

/* A bit (of an integer) for each of the fused warps that has lanes in the mask.
 */
static LLVMValueRef
warps_with(sw_jit_emit *e, LLVMValueRef mask)
{
    unsigned warps = e->lanes / LANES;
    LLVMTypeRef words = LLVMVectorType(e->t.i32, warps);
    LLVMValueRef some =
        LLVMBuildICmp(B, LLVMIntNE, LLVMBuildBitCast(B, mask, words, ""),
                      LLVMConstNull(words), "");
    return LLVMBuildBitCast(B, some, LLVMIntTypeInContext(e->ll.context, warps),
                            "");
}

/* How many they are, i64. */
static LLVMValueRef
warps_in(sw_jit_emit *e, LLVMValueRef mask)
{
    return bits_in(e, warps_with(e, mask));
}

void
sw_jit_counter_start_in(sw_jit_emit *e, const sw_counter_access *x,
                        LLVMValueRef n, LLVMValueRef at)
{
    unsigned shift = (unsigned)__builtin_ctz(x->bytes);
    unsigned room = SW_COUNTER_PERIOD / x->bytes;
    at = LLVMBuildLShr(B, at, sw_jit_i64(e, shift), "");
    at = LLVMBuildAnd(B, at, sw_jit_i64(e, room - 1), "");
    if (n)
        at = LLVMBuildAdd(B, at, LLVMBuildMul(B, n, sw_jit_i64(e, room), ""),
                          "");
    add_at(e,
           LLVMBuildGEP2(B, e->t.i64, sw_jit_counter_place(e, x->first), &at, 1,
                         ""),
           sw_jit_i64(e, 1));
}

void
sw_jit_counter_start(sw_jit_emit *e, const sw_counter_access *x,
                     LLVMValueRef at)
{
    sw_jit_counter_start_in(e, x, NULL, at);
}

/* The accesses of a bundle that have been made so far, and no others. */
static void
count_begun(sw_jit_emit *e, const sw_jit_bundle *b)
{
    sw_jit_counter *t = e->k.counters;
    size_t count = t->accesses.count;
    sw_counter_access first =
        *(const sw_counter_access *)sw_vec_at(&t->accesses, b->first);
    uint32_t slot = t->slots;
    for (size_t i = b->first; i < count; i++) {
        sw_counter_access x =
            *(const sw_counter_access *)sw_vec_at(&t->accesses, i);
        if (x.first != first.first)
            continue;
        x.first = slot;
        *(sw_counter_access *)sw_vec_push(&t->accesses) = x;
    }
    t->slots += (uint32_t)(SW_COUNTER_PERIOD / first.bytes);
    first.first = slot;
    sw_jit_counter_start(e, &first,
                         LLVMBuildPtrToInt(B, b->start, e->t.i64, ""));
}

/* ---- instructions ---- */

void
sw_jit_counter_block(sw_jit_emit *e)
{
    if (!e->k.counters)
        return;
    if (e->k.counters->record) {
        sw_jit_record_block(e, true);
        return;
    }
    uint32_t first = e->plan->first_ins[e->b.block];
    uint32_t count = e->plan->fn->blocks[e->b.block]->count;
    if (e->mask.is_full) {
        add_row(e, SW_COUNTER_WARPS, first, count,
                sw_jit_i64(e, e->lanes / LANES));
        return;
    }
    add_row(e, SW_COUNTER_RUNS, first, count, warps_in(e, e->mask.lanes));
    add_row(e, SW_COUNTER_LANES, first, count, lanes_in(e, e->mask.lanes));
}

void
sw_jit_counter_piece(sw_jit_emit *e)
{
    if (e->k.counters && e->k.counters->record)
        sw_jit_record_block(e, false);
}

bool
sw_jit_tells(const sw_jit_emit *e, uint32_t events)
{
    return e->k.counters && (e->plan->rq->events & events);
}

void
sw_jit_counter_back(sw_jit_emit *e, uint32_t index)
{
    if (!e->k.counters)
        return;
    if (e->k.counters->record) {
        sw_jit_record_stop(e, index);
        return;
    }
    uint32_t end =
        e->plan->first_ins[e->b.block] + e->plan->fn->blocks[e->b.block]->count;
    for (size_t i = 0; i < e->k.counters->bundles.count; i++)
        count_begun(e, sw_vec_at(&e->k.counters->bundles, i));
    add_row(e, SW_COUNTER_BACK_RUNS, index, end - index,
            warps_in(e, e->mask.path));
    add_row(e, SW_COUNTER_BACK_LANES, index, end - index,
            lanes_in(e, e->mask.path));
}

/* Of this instruction: n of one kind, m of another. */
static void
count_two(sw_jit_emit *e, sw_counter_kind first, LLVMValueRef n,
          sw_counter_kind second, LLVMValueRef m)
{
    add_row(e, first, e->at.index, 1, n);
    add_row(e, second, e->at.index, 1, m);
}

void
sw_jit_counter_guarded(sw_jit_emit *e, LLVMValueRef mask)
{
    if (e->k.counters && e->k.counters->record)
        sw_jit_record_guard(e, sw_jit_mask_bits(e, mask));
    else if (e->k.counters)
        count_two(
            e, SW_COUNTER_ON, lanes_in(e, mask), SW_COUNTER_OFF,
            LLVMBuildSub(B, warps_in(e, e->mask.path), warps_in(e, mask), ""));
}

void
sw_jit_counter_guarded_all(sw_jit_emit *e, LLVMValueRef holds)
{
    if (!e->k.counters)
        return;
    if (e->k.counters->record) {
        LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
        sw_jit_record_guard(
            e, LLVMBuildSelect(B, holds, bits, LLVMConstNull(e->t.bits), ""));
        return;
    }
    LLVMValueRef none = sw_jit_i64(e, 0);
    LLVMValueRef n =
        LLVMBuildSelect(B, holds, lanes_in(e, e->mask.lanes), none, "");
    LLVMValueRef off =
        LLVMBuildSelect(B, holds, none, warps_in(e, e->mask.lanes), "");
    count_two(e, SW_COUNTER_ON, n, SW_COUNTER_OFF, off);
}

/* Bits of the lanes that take the branch. */
static LLVMValueRef
taken_lanes(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    if (e->shapes->regs[ins->guard].kind == SW_SHAPE_VARYING) {
        LLVMValueRef p = sw_jit_mask_of(e, ins->guard, ins->guard_neg);
        return LLVMBuildAnd(B, bits, sw_jit_mask_bits(e, p), "");
    }
    LLVMValueRef p = sw_jit_read_reg(e, ins->guard).base;
    if (ins->guard_neg)
        p = LLVMBuildNot(B, p, "");
    return LLVMBuildSelect(B, p, bits, LLVMConstNull(e->t.bits), "");
}

void
sw_jit_counter_branch(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    if (!e->k.counters || !ins->guard)
        return;
    if (e->k.counters->record) {
        sw_jit_record_branch(e, taken_lanes(e));
        return;
    }
    if (e->shapes->regs[ins->guard].kind != SW_SHAPE_VARYING) {
        LLVMValueRef p = sw_jit_read_reg(e, ins->guard).base;
        if (ins->guard_neg)
            p = LLVMBuildNot(B, p, "");
        LLVMValueRef n = LLVMBuildSelect(B, p, warps_in(e, e->mask.lanes),
                                         sw_jit_i64(e, 0), "");
        add_row(e, SW_COUNTER_TAKEN, e->at.index, 1, n);
        return;
    }
    LLVMValueRef p = sw_jit_mask_of(e, ins->guard, ins->guard_neg);
    LLVMValueRef some = warps_with(e, LLVMBuildAnd(B, e->mask.lanes, p, ""));
    LLVMValueRef rest =
        LLVMBuildAnd(B, e->mask.lanes, LLVMBuildNot(B, p, ""), "");
    LLVMValueRef parts = LLVMBuildAnd(B, some, warps_with(e, rest), "");
    count_two(e, SW_COUNTER_TAKEN, bits_in(e, some), SW_COUNTER_DIVERGENT,
              bits_in(e, parts));
}
