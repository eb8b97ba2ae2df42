/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_load.c - what loads and stores share, and loads. Addresses that are
 * affine fall into a few groups of lanes whose distances are known: each group
 * is one test and one vector or scalar access. A test covers all that the block
 * does at distances from the same register, in all lanes. If all of them run,
 * it fails for good only before a fault: the warp goes on in the interpreter,
 * which reports it. If some do not, their addresses may be anywhere: where the
 * test fails, such an access goes through the interpreter's function. So do
 * gathers and scatters, which the rest is.
 */
#include <string.h>

#include "jit/emit/access.h"

#define B e->ll.builder

enum { WORD = 4 };

LLVMTypeRef
sw_jit_elem_type(const sw_jit_emit *e, const sw_jit_access *a)
{
    return LLVMIntTypeInContext(e->ll.context, a->elem * 8);
}

void
sw_jit_open_access(sw_jit_emit *e, sw_jit_access *a)
{
    const sw_ins *ins = e->ins;
    bool is_own = ins->space == SW_SPACE_LOCAL || ins->space == SW_SPACE_PARAM;
    *a = (sw_jit_access){.ins = ins};
    a->elem = (sw_type_bits((sw_type)ins->type) + 7) / 8;
    a->vec = ins->vec;
    a->pack = 1;
    a->unit = a->extent = a->elem * a->vec;
    if (a->elem < WORD && a->unit >= WORD && !is_own) {
        a->pack = WORD / a->elem;
        a->elem = WORD;
        a->vec = a->unit / WORD;
    }
    a->align = a->elem;
    a->offset = ins->offset;
    a->shift = (unsigned)__builtin_ctz(a->unit);
    a->turn = ins->op == SW_OP_ST && !is_own ? sw_store_turn(a->unit) : 0;
    a->is_shared = ins->space == SW_SPACE_SHARED;
    a->is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    a->is_volatile = sw_jit_is_ordered(e->plan, ins);
    a->address = sw_jit_read_exact(e, ins, 0);
}

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
static bool
is_by_groups(sw_jit_emit *e, sw_jit_access *a)
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

void
sw_jit_move_window(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!a->has_site)
        return;
    LLVMValueRef lane = sw_jit_first_of(e, sw_jit_mask_bits(e, e->mask));
    LLVMValueRef at = LLVMBuildExtractElement(B, a->lane_offset, lane, "");
    if (a->base) {
        LLVMTypeRef step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
        at = LLVMBuildGEP2(B, step, a->base, &at, 1, "");
        at = LLVMBuildPtrToInt(B, at, e->i64, "");
    }
    LLVMValueRef args[2] = {sw_jit_i32(e, a->site), at};
    sw_jit_call(e, SW_JIT_WINDOW, e->i32, args, 2);
}

bool
sw_jit_is_run(const sw_jit_emit *e, const sw_jit_access *a,
              const sw_jit_group *g, int *lanes)
{
    int n = 0;
    for (unsigned i = 0; i < e->lanes; i++)
        if (sw_jit_has_lane(&g->lanes, i)) {
            if (g->at[i] != (int64_t)n * a->unit)
                return false;
            lanes[n++] = (int)i;
        }
    return n * (int)a->vec <= SW_JIT_ELEMENTS &&
           n * (int)a->unit <= SW_JIT_BYTES;
}

bool
sw_jit_has_gathers(const sw_jit_emit *e, const sw_jit_access *a)
{
    return e->ll.has_avx512 && a->elem >= 4 && !a->is_volatile;
}

/* Loads and stores that touch some elements only. */
static bool
has_masks(const sw_jit_emit *e, const sw_jit_access *a)
{
    return e->ll.has_avx512 || (e->has_avx2 && (a->elem == 4 || a->elem == 8));
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
    if (a->address.shape.kind == SW_SHAPE_WIDE &&
        (a->address.shape.d || a->address.shape.scale != a->unit))
        return false;
    return a->group_count && a->is_shared && has_masks(e, a);
}

/* The number of the lowest or the highest bit that is set. */
static LLVMValueRef
end_of_bits(sw_jit_emit *e, LLVMValueRef bits, bool highest)
{
    LLVMValueRef args[2] = {bits, LLVMConstInt(e->i1, 0, 0)};
    LLVMValueRef n = sw_jit_intrinsic(e, highest ? "llvm.ctlz" : "llvm.cttz",
                                      &e->bits, 1, args, 2);
    n = LLVMBuildIntCast2(B, n, e->i64, 0, "");
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
        sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->ptr, true);
    LLVMValueRef start = sw_jit_part_start(e, a, g);
    g->pointer = sw_jit_at(e, shared, start);
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask);
    bits = LLVMBuildAnd(B, bits, sw_jit_const_bits(e, &g->lanes), "");
    bits = LLVMBuildLShr(B, bits, LLVMConstInt(e->bits, g->first, 0), "");
    LLVMValueRef unit = sw_jit_i64(e, a->unit);
    LLVMValueRef first = end_of_bits(e, bits, false);
    LLVMValueRef last = end_of_bits(e, bits, true);
    LLVMValueRef low = LLVMBuildMul(B, first, unit, "");
    LLVMValueRef high = LLVMBuildMul(B, last, unit, "");
    low = LLVMBuildAdd(B, start, low, "");
    high = LLVMBuildAdd(B, LLVMBuildAdd(B, start, high, ""), unit, "");
    LLVMValueRef ok = LLVMBuildAnd(B, sw_jit_ends_in_shared(e, low),
                                   sw_jit_ends_in_shared(e, high), "");
    if (a->address.shape.kind == SW_SHAPE_WIDE)
        ok = LLVMBuildAnd(B, ok, part_does_not_wrap(e, a, g, first, last), "");
    ok = LLVMBuildAnd(B, ok, sw_jit_is_aligned(e, start, a->unit), "");
    return LLVMBuildOr(
        B, ok, LLVMBuildICmp(B, LLVMIntEQ, bits, LLVMConstNull(e->bits), ""),
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
    sw_jit_tally_groups(e, &part);
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
    return a->group_count && a->is_shared && !e->is_full && !e->tally &&
           !is_one_place(a) && a->vec == 1 && !a->is_volatile;
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
    if (is_by_groups(e, a) && move_only_some(e, a, by_groups, by_lanes))
        return;
    if (!a->group_count && sw_jit_move_far(e, a))
        return;
    prepare(e, a);
    LLVMBasicBlockRef done =
        a->ok ? fork_access(e, a, by_groups, by_lanes) : NULL;
    if (a->group_count) {
        sw_jit_tally_groups(e, a);
        by_groups(e, a);
    } else {
        by_lanes(e, a);
    }
    if (!done)
        return;
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
}

/* ---- loads ---- */

LLVMValueRef
sw_jit_extend(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
              sw_class cls, unsigned lanes)
{
    LLVMTypeRef to = sw_jit_lanes_of(sw_jit_class_type(e, cls), lanes);
    if (LLVMTypeOf(x) == to)
        return x;
    return LLVMBuildIntCast2(B, x, to, a->is_signed, "");
}

LLVMValueRef
sw_jit_mask_of_run(sw_jit_emit *e, const sw_jit_access *a, const int *lanes,
                   unsigned total)
{
    int from[SW_JIT_ELEMENTS];
    if (total == e->lanes && a->group_count == 1 && a->vec == 1)
        return e->mask;
    for (unsigned j = 0; j < total; j++)
        from[j] = lanes[j / a->vec];
    return sw_jit_shuffle(e, e->mask, from, total);
}

bool
sw_jit_can_mask(const sw_jit_emit *e, const sw_jit_access *a)
{
    return a->is_shared || has_masks(e, a);
}

bool
sw_jit_may_be_a_row(const sw_jit_emit *e, const sw_jit_access *a)
{
    return !a->is_apart && a->vec == 1 && a->ins->space != SW_SPACE_LOCAL &&
           a->unit % a->scale == 0 && (e->is_full || sw_jit_can_mask(e, a));
}

LLVMValueRef
sw_jit_unpack(sw_jit_emit *e, LLVMValueRef word, unsigned byte, unsigned bytes,
              unsigned lanes)
{
    LLVMTypeRef type = LLVMIntTypeInContext(e->ll.context, 8 * bytes);
    LLVMValueRef by = sw_jit_splat(e, sw_jit_i32(e, 8 * byte), lanes);
    word = LLVMBuildLShr(B, word, by, "");
    return LLVMBuildTrunc(B, word, sw_jit_lanes_of(type, lanes), "");
}

void
sw_jit_write_element(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                     LLVMValueRef x)
{
    const sw_opnd *d = &a->ins->opnd[k];
    if (d->kind != SW_OPND_REG)
        return;
    sw_class cls = e->plan->fn->regs[d->reg].cls;
    sw_jit_value v = sw_jit_varying(cls, sw_jit_extend(e, a, x, cls, e->lanes));
    sw_jit_write(e, d->reg, &v, 0);
}

void
sw_jit_write_loaded(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                    LLVMValueRef x)
{
    unsigned bytes = a->elem / a->pack;
    for (unsigned i = 0; i < a->pack; i++)
        sw_jit_write_element(
            e, a, k * a->pack + i,
            a->pack == 1 ? x : sw_jit_unpack(e, x, i * bytes, bytes, e->lanes));
}

LLVMValueRef
sw_jit_row_of(const sw_jit_emit *e, const sw_jit_rows *rows, LLVMValueRef lanes,
              unsigned row)
{
    int from[SW_LANES_MAX];
    if (rows->count == 1)
        return lanes;
    for (unsigned i = 0; i < rows->lanes; i++)
        from[i] = (int)(row * rows->lanes + i);
    return sw_jit_shuffle(e, lanes, from, rows->lanes);
}

static LLVMValueRef
load_row(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_rows *rows,
         unsigned row)
{
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), rows->lanes);
    if (e->is_full || a->is_shared) {
        LLVMValueRef x = LLVMBuildLoad2(B, type, rows->first[row], "");
        sw_jit_set_align(x, a->elem);
        return x;
    }
    LLVMTypeRef types[2] = {type, e->ptr};
    LLVMValueRef args[4] = {rows->first[row], sw_jit_i32(e, a->elem),
                            sw_jit_row_of(e, rows, e->mask, row),
                            LLVMConstNull(type)};
    return sw_jit_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
}

LLVMValueRef
sw_jit_load_in_rows(sw_jit_emit *e, const sw_jit_access *a,
                    const sw_jit_rows *rows)
{
    LLVMValueRef x[SW_LANES_MAX / SW_JIT_ROW_LEAST];
    if (rows->count == 1)
        sw_jit_tally_row(e, a, rows->first[0]);
    sw_jit_prefetch(e, a, rows->first, &(int64_t){(int64_t)e->lanes * a->unit},
                    1, false);
    for (unsigned i = 0; i < rows->count; i++)
        x[i] = load_row(e, a, rows, i);
    return sw_jit_concatenate_all(e, x, rows->count, rows->lanes);
}

LLVMBasicBlockRef
sw_jit_two_ways(sw_jit_emit *e, LLVMValueRef which, LLVMBasicBlockRef *other)
{
    LLVMBasicBlockRef row = sw_jit_block(e, "row");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    *other = sw_jit_block(e, "apart");
    LLVMBuildCondBr(B, which, row, *other);
    LLVMPositionBuilderAtEnd(B, row);
    return join;
}

static LLVMValueRef
join_two(sw_jit_emit *e, LLVMBasicBlockRef join, LLVMBasicBlockRef from[2],
         LLVMValueRef x[2])
{
    LLVMPositionBuilderAtEnd(B, join);
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(x[0]), "");
    LLVMAddIncoming(phi, x, from, 2);
    return phi;
}

/* What lanes read by an index that they share, of a table or a row, lies at one
 * place for all, though that is seen only here. If the first lane does not run,
 * and lies there as well, so much the better. */
static LLVMValueRef
gather_or_one(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!e->is_full && sw_jit_is_loaded(e->plan, sw_ins_src(a->ins, 0)))
        return sw_jit_gather(e, a, 0);
    LLVMValueRef n =
        LLVMBuildExtractElement(B, a->lane_offset, sw_jit_i32(e, 0), "");
    LLVMValueRef same =
        sw_jit_masked_all(e, LLVMBuildICmp(B, LLVMIntEQ, a->lane_offset,
                                           sw_jit_splat(e, n, e->lanes), ""));
    LLVMBasicBlockRef from[2], apart, join = sw_jit_two_ways(e, same, &apart);
    LLVMTypeRef step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
    LLVMValueRef p = a->base ? LLVMBuildGEP2(B, step, a->base, &n, 1, "")
                             : LLVMBuildIntToPtr(B, n, e->ptr, "");
    LLVMValueRef x[2] = {LLVMBuildLoad2(B, sw_jit_elem_type(e, a), p, "")};
    sw_jit_set_align(x[0], a->align);
    if (a->is_volatile)
        LLVMSetVolatile(x[0], 1);
    x[0] = sw_jit_splat(e, x[0], e->lanes);
    from[0] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    x[1] = sw_jit_gather(e, a, 0);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    return join_two(e, join, from, x);
}

LLVMValueRef
sw_jit_load_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!sw_jit_may_be_a_row(e, a)) {
        sw_jit_tally_lanes(e, a);
        return sw_jit_gather(e, a, 0);
    }
    sw_jit_rows rows;
    LLVMValueRef is_row =
        sw_jit_lie_in_rows(e, a, sw_jit_row_lanes(e, a), &rows);
    sw_jit_note_rows(e, a, &rows, is_row);
    LLVMBasicBlockRef from[2], apart, join = sw_jit_two_ways(e, is_row, &apart);
    LLVMValueRef x[2] = {sw_jit_load_in_rows(e, a, &rows)};
    from[0] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    sw_jit_tally_lanes(e, a);
    x[1] = gather_or_one(e, a);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    return join_two(e, join, from, x);
}

static void
load_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (a->vec > 1) {
        sw_jit_tally_lanes(e, a);
        for (unsigned k = 0; k < a->vec; k++)
            sw_jit_write_loaded(e, a, k, sw_jit_gather(e, a, k));
        return;
    }
    sw_jit_write_loaded(e, a, 0, sw_jit_load_lanes(e, a));
}

LLVMValueRef
sw_jit_params(sw_jit_emit *e)
{
    return e->f.params
               ? e->f.params
               : sw_jit_block_field(e, offsetof(sw_jit_blk, params), e->ptr);
}

/* The elements of a kernel's parameter at a place that all lanes have. */
static void
load_shared_param(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef at)
{
    const sw_ins *ins = e->ins;
    for (unsigned k = 0; k < ins->vec; k++) {
        if (ins->opnd[k].kind != SW_OPND_REG)
            continue;
        sw_class cls = e->plan->fn->regs[ins->opnd[k].reg].cls;
        LLVMValueRef p = sw_jit_at(e, at, sw_jit_i64(e, k * a->elem));
        LLVMValueRef x = LLVMBuildLoad2(B, sw_jit_elem_type(e, a), p, "");
        sw_jit_set_align(x, 1);
        sw_jit_mark_constant(e, x);
        sw_jit_value v = sw_jit_uniform(cls, sw_jit_extend(e, a, x, cls, 1));
        sw_jit_write(e, ins->opnd[k].reg, &v, 0);
    }
}

/* A kernel's parameter at a known place. */
static bool
load_param(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    const sw_opnd *o = sw_ins_src(ins, 0);
    if (ins->space != SW_SPACE_PARAM || !e->plan->fn->is_entry ||
        o->kind == SW_OPND_REG || sw_type_bits((sw_type)ins->type) > 64)
        return false;
    sw_jit_access a;
    sw_jit_open_access(e, &a);
    uint64_t at = (o->kind == SW_OPND_SYM ? o->sym->address : 0) + o->imm +
                  (uint64_t)ins->offset;
    if (at > e->plan->fn->param_bytes || a.unit > e->plan->fn->param_bytes - at)
        return false;
    load_shared_param(e, &a, sw_jit_at(e, sw_jit_params(e), sw_jit_i64(e, at)));
    return true;
}

/* i1: all of it lies in the parameters; *from: where, if that is the same for
 * all lanes. */
static LLVMValueRef
test_param(sw_jit_emit *e, sw_jit_access *a, LLVMValueRef *from)
{
    if (a->address.shape.kind != SW_SHAPE_UNIFORM) {
        sw_jit_prepare_lanes(e, a);
        return a->ok;
    }
    LLVMValueRef at = LLVMBuildIntCast2(B, a->address.base, e->i64, 0, "");
    at = LLVMBuildAdd(B, at, sw_jit_i64(e, (uint64_t)a->offset), "");
    *from = sw_jit_at(e, sw_jit_params(e), at);
    LLVMValueRef most = sw_jit_i64(e, e->plan->fn->param_bytes - a->unit);
    return LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntULE, at, most, ""),
                        sw_jit_is_aligned(e, at, a->unit), "");
}

/* One at a place that an index tells: an array's, a structure's. */
static bool
load_param_at(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    unsigned bits = sw_type_bits((sw_type)ins->type);
    if (ins->space != SW_SPACE_PARAM || !e->plan->fn->is_entry ||
        sw_ins_src(ins, 0)->kind != SW_OPND_REG || sw_ins_is_whole(ins) ||
        bits < 8 || bits > 64)
        return false;
    sw_jit_access a;
    sw_jit_open_access(e, &a);
    if (a.unit > e->plan->fn->param_bytes)
        return false;
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    LLVMValueRef from = NULL, ok = test_param(e, &a, &from);
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    if (from)
        load_shared_param(e, &a, from);
    for (unsigned k = 0; k < a.vec && !from; k++)
        sw_jit_write_loaded(e, &a, k, sw_jit_gather(e, &a, k));
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    return true;
}

void
sw_jit_emit_load(sw_jit_emit *e)
{
    if (load_param(e) || load_param_at(e))
        return;
    if (e->own_lane) {
        sw_jit_own_load(e);
        return;
    }
    if (sw_jit_is_unusual(e->ins)) {
        sw_jit_emit_step(e);
        return;
    }
    sw_jit_access a;
    sw_jit_open_access(e, &a);
    if (e->plan->has_local_rows && e->ins->space == SW_SPACE_LOCAL) {
        sw_jit_load_local(e, &a);
        return;
    }
    bool is_by = is_by_groups(e, &a);
    if (!is_by)
        sw_jit_forget_rows(e, &a);
    if (is_by || !sw_jit_load_chunk(e, &a))
        sw_jit_move_data(e, &a, sw_jit_load_groups, load_lanes);
    if (a.is_volatile)
        LLVMBuildFence(B, LLVMAtomicOrderingAcquire, 0, "");
}
