/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_paths.c - from an access to the way in which its data is moved.
 * Addresses that are affine fall into a few groups of lanes whose distances are
 * known: each group is one test and one vector or scalar access. A test covers
 * all that the block does at distances from the same register, in all lanes. If
 * all of them run, it fails for good only before a fault: the warp goes on in
 * the interpreter, which reports it. If some do not, their addresses may be
 * anywhere: where the test fails, such an access goes through the interpreter's
 * function. So do gathers and scatters, which the rest is.
 */
#include "jit/emit/access_ways.h"

#define B e->ll.builder

static bool
is_affine(const sw_jit_access *a)
{
    const sw_shape *s = &a->address.shape;
    if (s->kind == SW_SHAPE_VARYING || a->ins->space == SW_SPACE_LOCAL)
        return false;
    /* Constants of flat 32-bit addresses wrap before they are extended. */
    return s->kind == SW_SHAPE_UNIFORM || a->address.cls == SW_CLASS_B64 ||
           a->is_shared;
}

/* Whether the lanes fall into groups; if not, they go each by itself. */
bool
sw_jit_is_by_groups(sw_jit_emit *e, sw_jit_access *a)
{
    a->group_count = 0;
    if (sw_jit_find_places(e, a))
        return true;
    if (is_affine(a) && sw_jit_split(e, a))
        return true;
    a->group_count = 0;
    return false;
}

static void
prepare(sw_jit_emit *e, sw_jit_access *a)
{
    sw_jit_lanes_at at;
    if (a->group_count) {
        sw_jit_test_groups(e, a);
        return;
    }
    sw_jit_find_lanes(e, a, &at);
    sw_jit_test_lanes(e, a, &at);
    sw_jit_test_pages(e, a, &at);
}

/* Runs in shared memory whose ends may lie outside, where no lane runs: a
 * neighbour's element, `if (i > 0) x = tile[i - 1]`. Machines with masks touch
 * only the others. */
static bool
may_be_part(const sw_jit_emit *e, const sw_jit_access *a)
{
    int lanes[SW_LANES_MAX];
    for (unsigned g = 0; g < a->group_count; g++) {
        const sw_jit_group *x = &a->groups[g];
        if (!sw_jit_is_run(e, a, x, lanes) ||
            lanes[x->count - 1] != (int)(x->first + x->count - 1))
            return false;
    }
    if (a->address.shape.kind == SW_SHAPE_EXTENDED &&
        (a->address.shape.d || a->address.shape.scale != a->unit))
        return false;
    return a->group_count && a->is_shared && sw_jit_has_masks(e, a);
}

/* The number of the lowest or the highest bit that is set. */
static LLVMValueRef
end_of_bits(sw_jit_emit *e, LLVMValueRef bits, bool highest)
{
    LLVMValueRef args[2] = {bits, LLVMConstInt(e->t.i1, 0, 0)};
    LLVMValueRef n = sw_jit_intrinsic(e, highest ? "llvm.ctlz" : "llvm.cttz",
                                      &e->t.bits, 1, args, 2);
    n = LLVMBuildIntCast2(B, n, e->t.i64, 0, "");
    return highest ? LLVMBuildSub(B, sw_jit_i64(e, e->lanes - 1), n, "") : n;
}

/* i1: of lanes `low` to `high` of a group (i64, as numbers in it) the 32-bit
 * part, taken as a small number, is what is extended. */
static LLVMValueRef
part_does_not_wrap(sw_jit_emit *e, const sw_jit_access *a,
                   const sw_jit_group *g, LLVMValueRef low, LLVMValueRef high)
{
    const sw_shape *s = &a->address.shape;
    LLVMValueRef n = sw_jit_narrow_part(e, a, g);
    LLVMValueRef most = sw_jit_i64(e, INT32_MAX);
    LLVMValueRef least =
        sw_jit_i64(e, s->is_signed ? (uint64_t)(int64_t)INT32_MIN : 0);
    low = LLVMBuildAdd(B, n, low, "");
    high = LLVMBuildAdd(B, n, high, "");
    return LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntSGE, low, least, ""),
                        LLVMBuildICmp(B, LLVMIntSLE, high, most, ""), "");
}

/* i1: the lanes of the group that run lie inside. Its pointer becomes one that
 * is right for them. */
static LLVMValueRef
part_is_inside(sw_jit_emit *e, const sw_jit_access *a, sw_jit_group *g)
{
    LLVMValueRef shared =
        sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.ptr, true);
    LLVMValueRef start = sw_jit_part_start(e, a, g);
    g->pointer = sw_jit_at(e, shared, start);
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    bits = LLVMBuildAnd(B, bits, sw_jit_const_bits(e, &g->lanes), "");
    bits = LLVMBuildLShr(B, bits, LLVMConstInt(e->t.bits, g->first, 0), "");
    LLVMValueRef unit = sw_jit_i64(e, a->unit);
    LLVMValueRef first = end_of_bits(e, bits, false);
    LLVMValueRef last = end_of_bits(e, bits, true);
    LLVMValueRef low = LLVMBuildMul(B, first, unit, "");
    LLVMValueRef high = LLVMBuildMul(B, last, unit, "");
    low = LLVMBuildAdd(B, start, low, "");
    high = LLVMBuildAdd(B, LLVMBuildAdd(B, start, high, ""), unit, "");
    LLVMValueRef ok = LLVMBuildAnd(B, sw_jit_ends_in_shared(e, low),
                                   sw_jit_ends_in_shared(e, high), "");
    if (a->address.shape.kind == SW_SHAPE_EXTENDED)
        ok = LLVMBuildAnd(B, ok, part_does_not_wrap(e, a, g, first, last), "");
    ok = LLVMBuildAnd(B, ok, sw_jit_is_aligned(e, start, a->unit), "");
    return LLVMBuildOr(
        B, ok, LLVMBuildICmp(B, LLVMIntEQ, bits, LLVMConstNull(e->t.bits), ""),
        "");
}

/* Moves what lanes that run have inside, then goes to `done`; if there is more,
 * goes on. */
static void
move_part(sw_jit_emit *e, const sw_jit_access *a,
          void (*by_groups)(sw_jit_emit *e, const sw_jit_access *a),
          LLVMBasicBlockRef done)
{
    sw_jit_access part = *a;
    LLVMBasicBlockRef some = sw_jit_block(e, "some");
    LLVMBasicBlockRef other = sw_jit_block(e, "other");
    LLVMValueRef ok = NULL;
    part.is_part = true;
    for (unsigned g = 0; g < a->group_count; g++)
        ok = sw_jit_both(e, ok, part_is_inside(e, a, &part.groups[g]));
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, some, other), true);
    LLVMPositionBuilderAtEnd(B, some);
    sw_jit_counter_groups(e, &part);
    by_groups(e, &part);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, other);
}

static bool
is_one_place(const sw_jit_access *a)
{
    return a->group_count == 1 && a->groups[0].span == 0;
}

/* The same where they do not follow each other. */
static void
move_apart(sw_jit_emit *e, const sw_jit_access *a,
           void (*by_lanes)(sw_jit_emit *e, const sw_jit_access *a),
           LLVMBasicBlockRef done)
{
    sw_jit_access apart = *a;
    LLVMBasicBlockRef some = sw_jit_block(e, "some");
    LLVMBasicBlockRef other = sw_jit_block(e, "other");
    apart.group_count = 0;
    apart.is_apart = true;
    apart.lie = a->group_count == 1 ? &a->groups[0] : NULL;
    sw_jit_prepare_lanes(e, &apart);
    sw_jit_likely(e, LLVMBuildCondBr(B, apart.ok, some, other), true);
    LLVMPositionBuilderAtEnd(B, some);
    by_lanes(e, &apart);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, other);
}

static bool
may_be_apart(const sw_jit_emit *e, const sw_jit_access *a)
{
    return a->group_count && a->is_shared && !is_one_place(a) &&
           sw_jit_has_gathers(e, a);
}

/* The same without the machine's gathers: by a function, as lane by lane it is
 * long. */
static bool
may_be_some(const sw_jit_emit *e, const sw_jit_access *a)
{
    return a->group_count && a->is_shared && !e->mask.is_full &&
           !e->k.counters && !is_one_place(a) && a->vec == 1 && !a->is_volatile;
}

static void
move_some(sw_jit_emit *e, const sw_jit_access *a, LLVMBasicBlockRef done)
{
    sw_jit_access some = *a;
    some.group_count = 0;
    some.is_apart = true;
    sw_jit_move_some(e, &some, done);
}

/* Where lanes of a whole block do not run, it is mostly known which: then only
 * what the others move is looked at, and what is known costs nothing. False:
 * it is not so here. */
static bool
move_only_some(sw_jit_emit *e, const sw_jit_access *a,
               void (*by_groups)(sw_jit_emit *e, const sw_jit_access *a),
               void (*by_lanes)(sw_jit_emit *e, const sw_jit_access *a))
{
    bool is_part = may_be_part(e, a);
    if (!e->shapes->map.is_block || e->lanes == 32 || sw_jit_groups_run(e) ||
        a->is_placed || !(is_part || may_be_apart(e, a)))
        return false;
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    if (is_part)
        move_part(e, a, by_groups, done);
    else
        move_apart(e, a, by_lanes, done);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    return true;
}

/* Ends the LLVM block: on to `fast` if the tests passed, else only what runs,
 * or through the interpreter, then to what is returned. The builder is left in
 * `fast`. */
static LLVMBasicBlockRef
fork_access(sw_jit_emit *e, const sw_jit_access *a,
            void (*by_groups)(sw_jit_emit *e, const sw_jit_access *a),
            void (*by_lanes)(sw_jit_emit *e, const sw_jit_access *a))
{
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    sw_jit_likely(e, LLVMBuildCondBr(B, a->ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    if (may_be_part(e, a))
        move_part(e, a, by_groups, done);
    else if (may_be_apart(e, a))
        move_apart(e, a, by_lanes, done);
    else if (may_be_some(e, a))
        move_some(e, a, done);
    sw_jit_move_window(e, a);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    return done;
}

void
sw_jit_move_data(sw_jit_emit *e, sw_jit_access *a,
                 void (*by_groups)(sw_jit_emit *e, const sw_jit_access *a),
                 void (*by_lanes)(sw_jit_emit *e, const sw_jit_access *a))
{
    if (sw_jit_is_by_groups(e, a) && move_only_some(e, a, by_groups, by_lanes))
        return;
    if (!a->group_count && sw_jit_move_outlined(e, a))
        return;
    prepare(e, a);
    LLVMBasicBlockRef done =
        a->ok ? fork_access(e, a, by_groups, by_lanes) : NULL;
    if (a->group_count) {
        sw_jit_counter_groups(e, a);
        by_groups(e, a);
    } else {
        by_lanes(e, a);
    }
    if (!done)
        return;
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
}
