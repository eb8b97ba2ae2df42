/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_precheck.c - scalar loops (emit/scalar_loop.c) that count: how often
 * each lane goes around is known before it does, and so is what it reads of
 * lists that are passed through element by element. All that is tested at once,
 * for all lanes by vectors, and no more in the turns, which have little else to
 * do.
 */
#include "jit/emit/access.h"
#include "jit/emit/scalar_loop.h"
#include "jit/tune.h"

#define B e->ll.builder

LLVMValueRef
sw_jit_ask_seldom(sw_jit_emit *e, unsigned skipped, sw_jit_question *ask,
                  void *arg)
{
    LLVMBasicBlockRef skip = sw_jit_block(e, "skip");
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMValueRef slot = sw_jit_zero_slot(e, e->t.i32), zero = sw_jit_i32(e, 0);
    LLVMValueRef left = LLVMBuildLoad2(B, e->t.i32, slot, "");
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, left, zero, ""), skip, look);
    LLVMPositionBuilderAtEnd(B, skip);
    LLVMBuildStore(B, LLVMBuildSub(B, left, sw_jit_i32(e, 1), ""), slot);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, look);
    LLVMValueRef ok = ask(e, arg);
    LLVMBuildStore(B, LLVMBuildSelect(B, ok, zero, sw_jit_i32(e, skipped), ""),
                   slot);
    look = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
    LLVMValueRef phi = LLVMBuildPhi(B, e->t.i1, "");
    LLVMValueRef values[2] = {LLVMConstInt(e->t.i1, 0, 0), ok};
    LLVMBasicBlockRef from[2] = {skip, look};
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

static LLVMValueRef
constant(sw_jit_emit *e, unsigned bits, int64_t x)
{
    return sw_jit_splat(
        e, bits == 32 ? sw_jit_i32(e, (uint32_t)x) : sw_jit_i64(e, (uint64_t)x),
        e->lanes);
}

static unsigned
log_of(int64_t power)
{
    unsigned n = 0;
    while (power >> n > 1)
        n++;
    return n;
}

static LLVMIntPredicate
predicate_of(const sw_trip_count *loop)
{
    switch (loop->stays) {
    case SW_CMP_LT:
        return loop->is_unsigned ? LLVMIntULT : LLVMIntSLT;
    case SW_CMP_LE:
        return loop->is_unsigned ? LLVMIntULE : LLVMIntSLE;
    case SW_CMP_GT:
        return loop->is_unsigned ? LLVMIntUGT : LLVMIntSGT;
    case SW_CMP_GE:
        return loop->is_unsigned ? LLVMIntUGE : LLVMIntSGE;
    default:
        return LLVMIntNE;
    }
}

/* Lanes of i64: how often they come back after the first turn. *wrong: i1s of
 * lanes for which that is not so. */
static LLVMValueRef
times_back(sw_jit_emit *e, const sw_jit_precheck *a, LLVMValueRef *wrong)
{
    sw_jit_value x = sw_jit_read(e, a->plan.loop.compare, a->plan.loop.counter),
                 y = sw_jit_read(e, a->plan.loop.compare,
                                 1 - a->plan.loop.counter);
    LLVMValueRef first = sw_jit_lanes(e, &x), bound = sw_jit_lanes(e, &y);
    int64_t size =
        a->plan.loop.step < 0 ? -a->plan.loop.step : a->plan.loop.step;
    LLVMValueRef step = constant(e, a->plan.loop.bits, a->plan.loop.step);
    if (a->plan.loop.is_stepped)
        first = LLVMBuildAdd(B, first, step, "");
    LLVMValueRef way = a->plan.loop.step > 0
                           ? LLVMBuildSub(B, bound, first, "")
                           : LLVMBuildSub(B, first, bound, "");
    LLVMIntPredicate p = predicate_of(&a->plan.loop);
    bool equal_stays =
        a->plan.loop.stays == SW_CMP_LE || a->plan.loop.stays == SW_CMP_GE;
    if (p != LLVMIntNE && !equal_stays)
        way =
            LLVMBuildAdd(B, way, constant(e, a->plan.loop.bits, size - 1), "");
    LLVMValueRef n =
        LLVMBuildLShr(B, way, constant(e, a->plan.loop.bits, log_of(size)), "");
    if (equal_stays)
        n = LLVMBuildAdd(B, n, constant(e, a->plan.loop.bits, 1), "");
    LLVMValueRef comes_back = LLVMBuildICmp(B, p, first, bound, "");
    n = LLVMBuildSelect(B, comes_back, n, constant(e, a->plan.loop.bits, 0),
                        "");
    /* What wraps, and steps over what it would have to meet, is seen here. */
    LLVMValueRef last =
        LLVMBuildAdd(B, first, LLVMBuildMul(B, n, step, ""), "");
    *wrong =
        LLVMBuildOr(B, LLVMBuildICmp(B, p, last, bound, ""),
                    LLVMBuildICmp(B, LLVMIntUGE, n,
                                  constant(e, a->plan.loop.bits,
                                           sw_jit_tune.scalar_lane_back_edges),
                                  ""),
                    "");
    return a->plan.loop.bits == 64
               ? n
               : LLVMBuildZExt(B, n, LLVMVectorType(e->t.i64, e->lanes), "");
}

static LLVMValueRef
first_addresses(sw_jit_emit *e, const sw_jit_tested_list *l)
{
    sw_jit_value v = sw_jit_read_reg(e, l->of.reg);
    return LLVMBuildAdd(B, sw_jit_lanes(e, &v), constant(e, 64, l->of.first),
                        "");
}

/* Lanes for which it begins at no multiple of its unit. */
static LLVMValueRef
are_askew(sw_jit_emit *e, const sw_jit_tested_list *l)
{
    LLVMValueRef at =
        LLVMBuildAdd(B, first_addresses(e, l),
                     constant(e, 64, l->of.aligned - l->of.first), "");
    at = LLVMBuildAnd(B, at, constant(e, 64, l->of.unit - 1), "");
    return LLVMBuildICmp(B, LLVMIntNE, at, constant(e, 64, 0), "");
}

/* Lanes for which it begins or ends outside its window, as that is now. */
static LLVMValueRef
are_outside(sw_jit_emit *e, const sw_jit_tested_list *l)
{
    LLVMValueRef lo = sw_jit_window_part(e, l->site, 0), limit, from, to;
    limit = sw_jit_window_part(e, l->site, offsetof(sw_jit_window, limit));
    lo = sw_jit_splat(e, lo, e->lanes);
    limit = sw_jit_splat(e, limit, e->lanes);
    from = LLVMBuildSub(B, l->from, lo, "");
    to = LLVMBuildSub(B, l->to, lo, "");
    return LLVMBuildOr(B, LLVMBuildICmp(B, LLVMIntUGT, from, limit, ""),
                       LLVMBuildICmp(B, LLVMIntUGT, to, limit, ""), "");
}

/* Brings all windows to where the lists of the first lane are. */
static void
move_windows(sw_jit_emit *e, const sw_jit_precheck *a)
{
    LLVMValueRef lane = sw_jit_first_of(e, sw_jit_mask_bits(e, e->mask.lanes));
    for (unsigned k = 0; k < a->plan.count; k++) {
        LLVMValueRef at =
            LLVMBuildExtractElement(B, a->lists[k].from, lane, "");
        LLVMValueRef args[2] = {sw_jit_i32(e, a->lists[k].site), at};
        sw_jit_call(e, SW_JIT_WINDOW, e->t.i32, args, 2);
    }
}

LLVMValueRef
sw_jit_emit_precheck(sw_jit_emit *e, sw_jit_precheck *a)
{
    LLVMBasicBlockRef test = sw_jit_block(e, "test");
    LLVMBasicBlockRef move = sw_jit_block(e, "move");
    LLVMBasicBlockRef known = sw_jit_block(e, "known");
    LLVMValueRef wrong, times = times_back(e, a, &wrong);
    LLVMValueRef moved = sw_jit_slot_of(e, e->t.i1);
    for (unsigned k = 0; k < a->plan.count; k++) {
        sw_jit_tested_list *l = &a->lists[k];
        l->of = a->plan.lists[k];
        l->site = sw_jit_new_site(e, l->of.end - l->of.first);
        l->from = first_addresses(e, l);
        l->to = LLVMBuildAdd(
            B, l->from, LLVMBuildMul(B, times, constant(e, 64, l->of.step), ""),
            "");
        if (l->of.unit > 1)
            wrong = LLVMBuildOr(B, wrong, are_askew(e, l), "");
    }
    LLVMBuildStore(B, LLVMConstInt(e->t.i1, 0, 0), moved);
    LLVMBuildBr(B, test);

    LLVMPositionBuilderAtEnd(B, test);
    for (unsigned k = 0; k < a->plan.count; k++)
        wrong = LLVMBuildOr(B, wrong, are_outside(e, &a->lists[k]), "");
    LLVMValueRef ok = LLVMBuildNot(
        B, sw_jit_any(e, LLVMBuildAnd(B, wrong, e->mask.lanes, "")), "");
    LLVMValueRef over =
        LLVMBuildOr(B, ok, LLVMBuildLoad2(B, e->t.i1, moved, ""), "");
    sw_jit_likely(e, LLVMBuildCondBr(B, over, known, move), true);

    LLVMPositionBuilderAtEnd(B, move);
    move_windows(e, a);
    LLVMBuildStore(B, LLVMConstInt(e->t.i1, 1, 0), moved);
    LLVMBuildBr(B, test);
    LLVMPositionBuilderAtEnd(B, known);
    a->times = times;
    return ok;
}

static LLVMValueRef
of_lane(sw_jit_emit *e, LLVMValueRef x, unsigned lane)
{
    return LLVMBuildExtractElement(B, x, sw_jit_i32(e, lane), "");
}

/* Behind what it moves last. */
static LLVMValueRef
ends_of(sw_jit_emit *e, const sw_jit_tested_list *l)
{
    return LLVMBuildAdd(B, l->to, constant(e, 64, l->of.end - l->of.first), "");
}

/* Where the next lane's begins; nothing is behind the last one's. */
static LLVMValueRef
next_of(sw_jit_emit *e, const sw_jit_tested_list *l)
{
    int from[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        from[i] = (int)i + 1;
    return sw_jit_shuffle_two(e, l->from, constant(e, 64, -1), from, e->lanes);
}

static LLVMValueRef
all_at_most(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y)
{
    return sw_jit_all(e, LLVMBuildICmp(B, LLVMIntULE, x, y, ""));
}

/* i1: lanes follow each other in memory, each behind what the one before
 * stores, by more than one element. */
static LLVMValueRef
lie_in_order(sw_jit_emit *e, const sw_jit_tested_list *l)
{
    LLVMValueRef far =
        LLVMBuildSub(B, of_lane(e, l->from, 1), of_lane(e, l->from, 0), "");
    far = LLVMBuildICmp(B, LLVMIntUGT, far, sw_jit_i64(e, l->of.unit), "");
    LLVMValueRef ok = all_at_most(e, ends_of(e, l), next_of(e, l));
    return LLVMBuildAnd(B, far, ok, "");
}

/* i1: what a lane moves by `other` is, of what is stored by l, only its own; l
 * lies in order. */
static LLVMValueRef
keeps_away(sw_jit_emit *e, const sw_jit_tested_list *l,
           const sw_jit_tested_list *other)
{
    LLVMTypeRef type = LLVMVectorType(e->t.i64, e->lanes);
    LLVMValueRef from = other->from, to = ends_of(e, other);
    LLVMValueRef own = LLVMBuildAnd(B, all_at_most(e, l->from, from),
                                    all_at_most(e, to, next_of(e, l)), "");
    LLVMValueRef least =
        sw_jit_intrinsic(e, "llvm.vector.reduce.umin", &type, 1, &from, 1);
    LLVMValueRef most =
        sw_jit_intrinsic(e, "llvm.vector.reduce.umax", &type, 1, &to, 1);
    LLVMValueRef below =
        LLVMBuildICmp(B, LLVMIntULE, most, of_lane(e, l->from, 0), "");
    LLVMValueRef above = LLVMBuildICmp(
        B, LLVMIntUGE, least, of_lane(e, ends_of(e, l), e->lanes - 1), "");
    return LLVMBuildOr(B, own, LLVMBuildOr(B, below, above, ""), "");
}

LLVMValueRef
sw_jit_test_apart(sw_jit_emit *e, const sw_jit_precheck *a)
{
    uint64_t turns =
        (sw_jit_tune.scalar_precheck_accesses + a->plan.accesses - 1) /
        a->plan.accesses;
    LLVMValueRef ok = LLVMBuildICmp(B, LLVMIntUGE, of_lane(e, a->times, 0),
                                    sw_jit_i64(e, turns - 1), "");
    if (!e->mask.is_full)
        ok = LLVMBuildAnd(B, ok, sw_jit_all(e, e->mask.lanes), "");
    for (unsigned k = 0; k < a->plan.count; k++) {
        const sw_jit_tested_list *l = &a->lists[k];
        if (!l->of.is_stored)
            continue;
        ok = LLVMBuildAnd(B, ok, lie_in_order(e, l), "");
        for (unsigned i = 0; i < a->plan.count; i++)
            if (i != k)
                ok = LLVMBuildAnd(B, ok, keeps_away(e, l, &a->lists[i]), "");
    }
    return ok;
}

void
sw_jit_note_tested(sw_jit_emit *e, const sw_jit_precheck_plan *a)
{
    for (unsigned k = 0; k < a->count; k++) {
        const sw_jit_list *l = &a->lists[k];
        LLVMValueRef at = LLVMBuildAdd(B, sw_jit_read_reg(e, l->reg).base,
                                       sw_jit_i64(e, (uint64_t)l->first), "");
        e->f.tested[l->reg] = (sw_jit_tested){
            .block = e->b.block + 1,
            .first = l->first,
            .end = l->end,
            .unit = l->unit,
            .aligned = l->aligned,
            .pointer = {LLVMBuildIntToPtr(B, at, e->t.ptr, "")}};
    }
}
