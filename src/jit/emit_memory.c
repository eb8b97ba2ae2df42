/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_memory.c - loads and stores. Addresses that are affine fall into a few
 * groups of lanes whose distances are known: each group is one test and one
 * vector or scalar access. A test covers all that the block does at distances
 * from the same register, in all lanes. If all of them run, it fails for good
 * only before a fault: the warp goes on in the interpreter, which reports it.
 * If some do not, their addresses may be anywhere: where the test fails, such
 * an access goes through the interpreter's function. So do gathers and
 * scatters, which the rest is.
 */
#include <string.h>

#include "jit/emit_access.h"

#define B e->ll.builder

enum { MAX_ELEMENTS = 4 * SW_LANES_MAX, MAX_BYTES = 16 * SW_LANES_MAX };

/* ---- both ---- */

static LLVMTypeRef
elem_type(const sw_jit_emit *e, const sw_jit_access *a)
{
    return LLVMIntTypeInContext(e->ll.context, a->elem * 8);
}

static void
open_access(sw_jit_emit *e, sw_jit_access *a)
{
    const sw_ins *ins = e->ins;
    *a = (sw_jit_access){.ins = ins};
    a->elem = (sw_type_bits((sw_type)ins->type) + 7) / 8;
    a->vec = ins->vec;
    a->unit = a->extent = a->elem * a->vec;
    a->offset = ins->offset;
    a->shift = (unsigned)__builtin_ctz(a->unit);
    a->is_shared = ins->space == SW_SPACE_SHARED;
    a->is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    a->is_volatile = ins->order != 0;
    a->address = sw_jit_read_exact(e, ins, 0);
}

static bool
is_affine(const sw_jit_access *a)
{
    const sw_shape *s = &a->address.shape;
    if (s->kind == SW_SHAPE_VARYING || a->ins->space == SW_SPACE_LOCAL)
        return false;
    if (s->kind == SW_SHAPE_WIDE && a->is_shared)
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
    if (is_affine(a) && sw_jit_split(e, a))
        return true;
    a->group_count = 0;
    return false;
}

static void
prepare(sw_jit_emit *e, sw_jit_access *a)
{
    if (is_by_groups(e, a))
        sw_jit_test_groups(e, a);
    else
        sw_jit_prepare_lanes(e, a);
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

/* Lane i of the group's units is the i-th of its lanes, without a gap. */
static bool
is_run(const sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
       int *lanes)
{
    int n = 0;
    for (unsigned i = 0; i < e->lanes; i++)
        if (g->lanes >> i & 1) {
            if (g->at[i] != (int64_t)n * a->unit)
                return false;
            lanes[n++] = (int)i;
        }
    return n * (int)a->vec <= MAX_ELEMENTS && n * (int)a->unit <= MAX_BYTES;
}

/* Runs in shared memory whose ends may lie outside, where no lane runs: a
 * neighbour's element, `if (i > 0) x = tile[i - 1]`. Machines with masks touch
 * only the others. */
static bool
may_be_part(const sw_jit_emit *e, const sw_jit_access *a)
{
    int lanes[SW_LANES_MAX];
    for (unsigned g = 0; g < a->group_count; g++) {
        uint64_t row =
            a->groups[g].lanes >> __builtin_ctzll(a->groups[g].lanes);
        if ((row & (row + 1)) != 0 || !is_run(e, a, &a->groups[g], lanes))
            return false;
    }
    return a->group_count && a->is_shared && e->ll.has_avx512;
}

/* The number of the lowest or the highest bit that is set. */
static LLVMValueRef
end_of_bits(sw_jit_emit *e, LLVMValueRef bits, bool highest)
{
    LLVMValueRef args[2] = {bits, LLVMConstInt(e->i1, 0, 0)};
    LLVMValueRef n = sw_jit_intrinsic(e, highest ? "llvm.ctlz" : "llvm.cttz",
                                      &e->i64, 1, args, 2);
    return highest ? LLVMBuildSub(B, sw_jit_i64(e, 63), n, "") : n;
}

/* i1: the lanes of the group that run lie inside. Its pointer becomes one that
 * is right for them. */
static LLVMValueRef
part_is_inside(sw_jit_emit *e, const sw_jit_access *a, sw_jit_group *g)
{
    uint64_t first = (uint64_t)__builtin_ctzll(g->lanes);
    LLVMValueRef shared =
        sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->ptr, true);
    LLVMValueRef start =
        LLVMBuildSub(B, LLVMBuildPtrToInt(B, g->pointer, e->i64, ""),
                     LLVMBuildPtrToInt(B, shared, e->i64, ""), "");
    if (a->address.cls == SW_CLASS_B32)
        start =
            LLVMBuildSExt(B, LLVMBuildTrunc(B, start, e->i32, ""), e->i64, "");
    g->pointer = sw_jit_at(e, shared, start);
    LLVMValueRef bits = sw_jit_wide_bits(e, e->mask);
    bits = LLVMBuildAnd(B, bits, sw_jit_i64(e, g->lanes), "");
    bits = LLVMBuildLShr(B, bits, sw_jit_i64(e, first), "");
    LLVMValueRef unit = sw_jit_i64(e, a->unit);
    LLVMValueRef low = LLVMBuildMul(B, end_of_bits(e, bits, false), unit, "");
    LLVMValueRef high = LLVMBuildMul(B, end_of_bits(e, bits, true), unit, "");
    low = LLVMBuildAdd(B, start, low, "");
    high = LLVMBuildAdd(B, LLVMBuildAdd(B, start, high, ""), unit, "");
    LLVMValueRef bytes = sw_jit_shared_bytes(e);
    LLVMValueRef ok =
        LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntULT, low, bytes, ""),
                     LLVMBuildICmp(B, LLVMIntULE, high, bytes, ""), "");
    ok = LLVMBuildAnd(B, ok, sw_jit_is_aligned(e, start, a->unit), "");
    return LLVMBuildOr(
        B, ok, LLVMBuildICmp(B, LLVMIntEQ, bits, sw_jit_i64(e, 0), ""), "");
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

/* Ends the LLVM block: on to `fast` if the tests passed, else only what runs,
 * or through the interpreter, then to what is returned. The builder is left in
 * `fast`. */
static LLVMBasicBlockRef
fork_access(sw_jit_emit *e, const sw_jit_access *a,
            void (*by_groups)(sw_jit_emit *e, const sw_jit_access *a))
{
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    sw_jit_likely(e, LLVMBuildCondBr(B, a->ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    if (may_be_part(e, a))
        move_part(e, a, by_groups, done);
    sw_jit_move_window(e, a);
    sw_jit_emit_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    return done;
}

/* Forms and tests the addresses, and moves the data: by groups, or lane by
 * lane. */
static void
move_data(sw_jit_emit *e, sw_jit_access *a,
          void (*by_groups)(sw_jit_emit *e, const sw_jit_access *a),
          void (*by_lanes)(sw_jit_emit *e, const sw_jit_access *a))
{
    prepare(e, a);
    LLVMBasicBlockRef done = a->ok ? fork_access(e, a, by_groups) : NULL;
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

static void
mark_order(const sw_jit_access *a, LLVMValueRef access_)
{
    if (a->is_volatile)
        LLVMSetVolatile(access_, 1);
}

/* ---- loads ---- */

/* The loaded elements as the register holds them. */
static LLVMValueRef
extend(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x, sw_class cls,
       unsigned lanes)
{
    LLVMTypeRef to = sw_jit_lanes_of(sw_jit_class_type(e, cls), lanes);
    if (LLVMTypeOf(x) == to)
        return x;
    return LLVMBuildIntCast2(B, x, to, a->is_signed, "");
}

/* The mask of the lanes whose elements a run has, `total` in all. */
static LLVMValueRef
mask_of_run(sw_jit_emit *e, const sw_jit_access *a, const int *lanes,
            unsigned total)
{
    int from[MAX_ELEMENTS];
    if (total == e->lanes && a->group_count == 1 && a->vec == 1)
        return e->mask;
    for (unsigned j = 0; j < total; j++)
        from[j] = lanes[j / a->vec];
    return sw_jit_shuffle(e, e->mask, from, total);
}

/* All elements of a group, loaded once; element k of lane i is number
 * at[i] / unit * vec + k. NULL: they lie too far apart. */
static LLVMValueRef
load_span(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
          unsigned *count)
{
    uint64_t n = ((uint64_t)g->span / a->unit + 1) * a->vec;
    *count = (unsigned)n;
    if (n > MAX_ELEMENTS || n * a->elem > MAX_BYTES)
        return NULL;
    LLVMTypeRef type = sw_jit_lanes_of(elem_type(e, a), (unsigned)n);
    if (a->is_part) {
        int lanes[SW_LANES_MAX];
        is_run(e, a, g, lanes);
        LLVMTypeRef types[2] = {type, e->ptr};
        LLVMValueRef args[4] = {g->pointer, sw_jit_i32(e, a->unit),
                                mask_of_run(e, a, lanes, *count),
                                LLVMConstNull(type)};
        return sw_jit_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
    }
    LLVMValueRef x = LLVMBuildLoad2(B, type, g->pointer, "");
    sw_jit_set_align(x, a->unit);
    mark_order(a, x);
    return x;
}

static LLVMValueRef
group_lanes(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
            LLVMValueRef span, unsigned count, unsigned k)
{
    if (!span) {
        LLVMTypeRef type = elem_type(e, a);
        LLVMValueRef x = LLVMGetPoison(LLVMVectorType(type, e->lanes));
        for (unsigned i = 0; i < e->lanes; i++) {
            if (!(g->lanes >> i & 1))
                continue;
            int64_t at = g->at[i] + k * a->elem;
            LLVMValueRef one = LLVMBuildLoad2(
                B, type, sw_jit_at(e, g->pointer, sw_jit_i64(e, (uint64_t)at)),
                "");
            sw_jit_set_align(one, a->elem);
            mark_order(a, one);
            x = LLVMBuildInsertElement(B, x, one, sw_jit_i32(e, i), "");
        }
        return x;
    }
    if (count == 1)
        return sw_jit_splat(e, span, e->lanes);
    int from[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        from[i] =
            g->lanes >> i & 1 ? (int)(g->at[i] / a->unit * a->vec + k) : 0;
    return sw_jit_shuffle(e, span, from, e->lanes);
}

static LLVMValueRef
constant_mask(sw_jit_emit *e, uint64_t lanes)
{
    LLVMValueRef c[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        c[i] = LLVMConstInt(e->i1, lanes >> i & 1, 0);
    return LLVMConstVector(c, e->lanes);
}

static void
load_groups(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_prefetch_groups(e, a, false);
    LLVMValueRef span[SW_JIT_GROUPS];
    unsigned count[SW_JIT_GROUPS];
    for (unsigned g = 0; g < a->group_count; g++)
        span[g] = load_span(e, a, &a->groups[g], &count[g]);
    for (unsigned k = 0; k < a->vec; k++) {
        const sw_opnd *d = &a->ins->opnd[k];
        if (d->kind != SW_OPND_REG)
            continue;
        sw_class cls = e->fn->regs[d->reg].cls;
        if (a->group_count == 1 && a->groups[0].span == 0) {
            LLVMValueRef x = span[0];
            if (a->vec > 1)
                x = LLVMBuildExtractElement(B, x, sw_jit_i32(e, k), "");
            sw_jit_value v = sw_jit_uniform(cls, extend(e, a, x, cls, 1));
            sw_jit_write(e, d->reg, &v, 0);
            continue;
        }
        LLVMValueRef all = NULL;
        for (unsigned g = 0; g < a->group_count; g++) {
            LLVMValueRef x =
                group_lanes(e, a, &a->groups[g], span[g], count[g], k);
            all = all ? LLVMBuildSelect(B, constant_mask(e, a->groups[g].lanes),
                                        x, all, "")
                      : x;
        }
        sw_jit_value v = sw_jit_varying(cls, extend(e, a, all, cls, e->lanes));
        sw_jit_write(e, d->reg, &v, 0);
    }
}

/* Whether some elements of a vector can be moved: the machine has masks for
 * them, or all can, as no other thread of the host sees them. */
static bool
can_mask(const sw_jit_emit *e, const sw_jit_access *a)
{
    return a->is_shared || e->ll.has_avx512 ||
           (e->has_avx2 && (a->elem == 4 || a->elem == 8));
}

bool
sw_jit_may_be_a_row(const sw_jit_emit *e, const sw_jit_access *a)
{
    return a->vec == 1 && a->ins->space != SW_SPACE_LOCAL &&
           a->unit % a->scale == 0 && (e->is_full || can_mask(e, a));
}

void
sw_jit_write_loaded(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                    LLVMValueRef x)
{
    sw_reg reg = a->ins->opnd[k].reg;
    sw_class cls = e->fn->regs[reg].cls;
    sw_jit_value v = sw_jit_varying(cls, extend(e, a, x, cls, e->lanes));
    sw_jit_write(e, reg, &v, 0);
}

static void
gather_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_tally_lanes(e, a);
    for (unsigned k = 0; k < a->vec; k++) {
        if (a->ins->opnd[k].kind != SW_OPND_REG)
            continue;
        sw_jit_write_loaded(e, a, k, sw_jit_gather(e, a, k));
    }
}

LLVMValueRef
sw_jit_load_row(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef first)
{
    LLVMTypeRef type = LLVMVectorType(elem_type(e, a), e->lanes);
    sw_jit_tally_row(e, a, first);
    sw_jit_prefetch(e, a, &first, &(int64_t){(int64_t)e->lanes * a->unit}, 1,
                    false);
    if (e->is_full || a->is_shared) {
        LLVMValueRef x = LLVMBuildLoad2(B, type, first, "");
        sw_jit_set_align(x, a->elem);
        return x;
    }
    LLVMTypeRef types[2] = {type, e->ptr};
    LLVMValueRef args[4] = {first, sw_jit_i32(e, a->elem), e->mask,
                            LLVMConstNull(type)};
    return sw_jit_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
}

/* Which of two ways; the builder is left in the first, *other is the second,
 * both go on to what is returned. */
static LLVMBasicBlockRef
two_ways(sw_jit_emit *e, LLVMValueRef which, LLVMBasicBlockRef *other)
{
    LLVMBasicBlockRef row = sw_jit_block(e, "row");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    *other = sw_jit_block(e, "apart");
    LLVMBuildCondBr(B, which, row, *other);
    LLVMPositionBuilderAtEnd(B, row);
    return join;
}

static void
load_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!sw_jit_may_be_a_row(e, a)) {
        gather_lanes(e, a);
        return;
    }
    LLVMValueRef first, is_row = sw_jit_lie_in_a_row(e, a, &first);
    LLVMBasicBlockRef apart, join = two_ways(e, is_row, &apart);
    if (a->ins->opnd[0].kind == SW_OPND_REG)
        sw_jit_write_loaded(e, a, 0, sw_jit_load_row(e, a, first));
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    gather_lanes(e, a);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

/* A kernel's parameter at a known place. */
static bool
load_param(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    const sw_opnd *o = sw_ins_src(ins, 0);
    if (ins->space != SW_SPACE_PARAM || !e->fn->is_entry ||
        o->kind == SW_OPND_REG || sw_type_bits((sw_type)ins->type) > 64)
        return false;
    sw_jit_access a;
    open_access(e, &a);
    uint64_t at = (o->kind == SW_OPND_SYM ? o->sym->address : 0) + o->imm +
                  (uint64_t)ins->offset;
    if (at > e->fn->param_bytes || a.unit > e->fn->param_bytes - at)
        return false;
    LLVMValueRef base =
        sw_jit_block_field(e, offsetof(sw_jit_blk, params), e->ptr);
    for (unsigned k = 0; k < ins->vec; k++) {
        if (ins->opnd[k].kind != SW_OPND_REG)
            continue;
        sw_class cls = e->fn->regs[ins->opnd[k].reg].cls;
        LLVMValueRef x = LLVMBuildLoad2(
            B, elem_type(e, &a),
            sw_jit_at(e, base, sw_jit_i64(e, at + k * a.elem)), "");
        sw_jit_set_align(x, 1);
        sw_jit_value v = sw_jit_uniform(cls, extend(e, &a, x, cls, 1));
        sw_jit_write(e, ins->opnd[k].reg, &v, 0);
    }
    return true;
}

bool
sw_jit_is_unusual(const sw_ins *ins)
{
    return ins->space == SW_SPACE_PARAM ||
           sw_type_bits((sw_type)ins->type) > 64 ||
           sw_type_bits((sw_type)ins->type) < 8;
}

void
sw_jit_emit_load(sw_jit_emit *e)
{
    if (load_param(e))
        return;
    if (sw_jit_is_unusual(e->ins)) {
        sw_jit_emit_step(e);
        return;
    }
    sw_jit_access a;
    open_access(e, &a);
    if (is_by_groups(e, &a) || !sw_jit_load_chunk(e, &a))
        move_data(e, &a, load_groups, load_lanes);
    if (a.is_volatile)
        LLVMBuildFence(B, LLVMAtomicOrderingAcquire, 0, "");
}

/* ---- stores ---- */

/* Element k of all lanes, cut to what memory holds. */
static LLVMValueRef
stored(sw_jit_emit *e, const sw_jit_access *a, unsigned k)
{
    sw_jit_value v = sw_jit_read_exact(e, a->ins, 1 + k);
    LLVMTypeRef type = LLVMVectorType(elem_type(e, a), e->lanes);
    LLVMValueRef x = sw_jit_lanes(e, &v);
    return LLVMTypeOf(x) == type ? x : LLVMBuildIntCast2(B, x, type, 0, "");
}

/* The elements of a run side by side as memory has them. */
static LLVMValueRef
interleave(sw_jit_emit *e, const sw_jit_access *a, const int *lanes, int n)
{
    int from[MAX_ELEMENTS];
    LLVMValueRef x = stored(e, a, 0);
    if (a->vec == 1) {
        if (n == (int)e->lanes)
            return x;
        return sw_jit_shuffle(e, x, lanes, (unsigned)n);
    }
    LLVMValueRef parts[4] = {x};
    for (unsigned k = 1; k < a->vec; k++)
        parts[k] = stored(e, a, k);
    LLVMValueRef pair[2];
    for (unsigned k = 0; k < a->vec; k += 2) {
        LLVMValueRef c[2 * SW_LANES_MAX];
        for (unsigned i = 0; i < 2 * e->lanes; i++)
            c[i] = sw_jit_i32(e, i);
        pair[k / 2] = LLVMBuildShuffleVector(
            B, parts[k], parts[k + 1], LLVMConstVector(c, 2 * e->lanes), "");
    }
    unsigned total = (unsigned)n * a->vec;
    LLVMValueRef c[MAX_ELEMENTS];
    for (unsigned j = 0; j < total; j++) {
        unsigned k = j % a->vec;
        from[j] = lanes[j / a->vec] + (int)(k * e->lanes);
        c[j] = sw_jit_i32(e, (uint32_t)from[j]);
    }
    LLVMValueRef second =
        a->vec > 2 ? pair[1] : LLVMGetPoison(LLVMTypeOf(pair[0]));
    return LLVMBuildShuffleVector(B, pair[0], second, LLVMConstVector(c, total),
                                  "");
}

/* Ends the LLVM block: one way if all lanes run, *some if not, and both go on
 * to what is returned. The builder is left in the first. */
static LLVMBasicBlockRef
fork_masks(sw_jit_emit *e, LLVMBasicBlockRef *some)
{
    LLVMBasicBlockRef all = sw_jit_block(e, "all");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    *some = sw_jit_block(e, "some");
    LLVMBuildCondBr(B, sw_jit_all(e, e->mask), all, *some);
    LLVMPositionBuilderAtEnd(B, all);
    return join;
}

static void
store_by_mask(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef pointer,
              unsigned align, LLVMValueRef mask)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(x), e->ptr};
    LLVMValueRef args[4] = {x, pointer, sw_jit_i32(e, align), mask};
    sw_jit_intrinsic(e, "llvm.masked.store", types, 2, args, 4);
}

/* Some elements of a vector. Mostly it is all of them, and stores without a
 * mask are faster. */
static void
store_masked(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
             LLVMValueRef pointer, unsigned align, LLVMValueRef mask)
{
    if (a->is_part) {
        store_by_mask(e, x, pointer, align, mask);
        return;
    }
    LLVMBasicBlockRef some, join = fork_masks(e, &some);
    LLVMValueRef st = LLVMBuildStore(B, x, pointer);
    sw_jit_set_align(st, align);
    mark_order(a, st);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, some);
    if (a->is_shared) { /* no other thread of the host sees it */
        LLVMValueRef old = LLVMBuildLoad2(B, LLVMTypeOf(x), pointer, "");
        sw_jit_set_align(old, align);
        x = LLVMBuildSelect(B, mask, x, old, "");
        sw_jit_set_align(LLVMBuildStore(B, x, pointer), align);
    } else {
        store_by_mask(e, x, pointer, align, mask);
    }
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

static void
store_run(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
          const int *lanes, int n)
{
    LLVMValueRef x = interleave(e, a, lanes, n);
    unsigned total = (unsigned)n * a->vec;
    if (e->is_full) {
        LLVMValueRef st = LLVMBuildStore(B, x, g->pointer);
        sw_jit_set_align(st, a->unit);
        mark_order(a, st);
        return;
    }
    store_masked(e, a, x, g->pointer, a->unit, mask_of_run(e, a, lanes, total));
}

/* One place for all lanes: the last one's value stays. */
static void
store_one(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    LLVMValueRef last = sw_jit_i32(e, e->lanes - 1);
    if (!e->is_full) {
        LLVMValueRef args[2] = {sw_jit_mask_bits(e, e->mask),
                                LLVMConstInt(e->i1, 0, 0)};
        LLVMValueRef zeros =
            sw_jit_intrinsic(e, "llvm.ctlz", &e->bits, 1, args, 2);
        zeros = LLVMBuildIntCast2(B, zeros, e->i32, 0, "");
        last = LLVMBuildSub(B, last, zeros, "");
        last = LLVMBuildAnd(B, last, sw_jit_i32(e, e->lanes - 1), "");
    }
    for (unsigned k = 0; k < a->vec; k++) {
        sw_jit_value v = sw_jit_read_exact(e, a->ins, 1 + k);
        LLVMValueRef x =
            v.shape.kind == SW_SHAPE_UNIFORM
                ? v.base
                : LLVMBuildExtractElement(B, sw_jit_lanes(e, &v), last, "");
        if (LLVMTypeOf(x) != elem_type(e, a))
            x = LLVMBuildIntCast2(B, x, elem_type(e, a), 0, "");
        LLVMValueRef st = LLVMBuildStore(
            B, x, sw_jit_at(e, g->pointer, sw_jit_i64(e, k * a->elem)));
        sw_jit_set_align(st, a->elem);
        mark_order(a, st);
    }
}

/* By the machine's own instructions. */
static void
scatter(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
        LLVMValueRef pointers, LLVMValueRef lanes)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(x), LLVMTypeOf(pointers)};
    LLVMValueRef mask =
        e->is_full ? lanes : LLVMBuildAnd(B, e->mask, lanes, "");
    LLVMValueRef args[4] = {x, pointers, sw_jit_i32(e, a->elem), mask};
    sw_jit_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
}

/* Each of these lanes by itself; those that do not run store where it does no
 * harm. */
static void
store_each(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x,
           LLVMValueRef pointers, uint64_t lanes)
{
    if (e->ll.has_avx512 && a->elem >= 4 && !a->is_volatile &&
        !sw_jit_spells_out(e)) {
        scatter(e, a, x, pointers, constant_mask(e, lanes));
        return;
    }
    if (!e->is_full) {
        LLVMValueRef sink = sw_jit_at(
            e, sw_jit_ctx_of(e), sw_jit_i64(e, offsetof(sw_jit_ctx, sink)));
        pointers = LLVMBuildSelect(B, e->mask, pointers,
                                   sw_jit_splat(e, sink, e->lanes), "");
    }
    for (unsigned i = 0; i < e->lanes; i++) {
        if (!(lanes >> i & 1))
            continue;
        LLVMValueRef lane = sw_jit_i32(e, i);
        LLVMValueRef st =
            LLVMBuildStore(B, LLVMBuildExtractElement(B, x, lane, ""),
                           LLVMBuildExtractElement(B, pointers, lane, ""));
        sw_jit_set_align(st, a->elem);
        mark_order(a, st);
    }
}

/* Each lane of a group by itself. */
static void
store_apart(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    LLVMBasicBlockRef some = NULL;
    LLVMBasicBlockRef join = e->is_full ? NULL : fork_masks(e, &some);
    for (unsigned k = 0; k < a->vec; k++) {
        LLVMValueRef x = stored(e, a, k);
        for (unsigned i = 0; i < e->lanes; i++) {
            if (!(g->lanes >> i & 1))
                continue;
            int64_t at = g->at[i] + k * a->elem;
            LLVMValueRef st = LLVMBuildStore(
                B, LLVMBuildExtractElement(B, x, sw_jit_i32(e, i), ""),
                sw_jit_at(e, g->pointer, sw_jit_i64(e, (uint64_t)at)));
            sw_jit_set_align(st, a->elem);
            mark_order(a, st);
        }
    }
    if (!some)
        return;
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, some);
    for (unsigned k = 0; k < a->vec; k++) {
        int64_t at[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++)
            at[i] = (g->lanes >> i & 1 ? g->at[i] : 0) + k * a->elem;
        LLVMValueRef p =
            sw_jit_at(e, g->pointer, sw_jit_const_lanes(e->i32, at, e->lanes));
        store_each(e, a, stored(e, a, k), p, g->lanes);
    }
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

static void
store_group(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    int lanes[SW_LANES_MAX];
    if (a->group_count == 1 && g->span == 0) {
        store_one(e, a, g);
        return;
    }
    if (is_run(e, a, g, lanes) && (e->is_full || can_mask(e, a))) {
        store_run(e, a, g, lanes, __builtin_popcountll(g->lanes));
        return;
    }
    store_apart(e, a, g);
}

static void
store_groups(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_prefetch_groups(e, a, true);
    for (unsigned g = 0; g < a->group_count; g++)
        store_group(e, a, &a->groups[g]);
}

static void
scatter_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_tally_lanes(e, a);
    for (unsigned k = 0; k < a->vec; k++)
        store_each(e, a, stored(e, a, k), sw_jit_lane_pointers(e, a, k, false),
                   UINT64_MAX);
}

static void
store_row(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef first)
{
    LLVMValueRef x = stored(e, a, 0);
    sw_jit_tally_row(e, a, first);
    if (e->is_full) {
        sw_jit_set_align(LLVMBuildStore(B, x, first), a->elem);
        return;
    }
    store_masked(e, a, x, first, a->elem, e->mask);
}

static void
store_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (!sw_jit_may_be_a_row(e, a)) {
        scatter_lanes(e, a);
        return;
    }
    LLVMValueRef first, is_row = sw_jit_lie_in_a_row(e, a, &first);
    LLVMBasicBlockRef apart, join = two_ways(e, is_row, &apart);
    store_row(e, a, first);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, apart);
    scatter_lanes(e, a);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
}

void
sw_jit_emit_store(sw_jit_emit *e)
{
    if (sw_jit_is_unusual(e->ins)) {
        sw_jit_emit_step(e);
        return;
    }
    sw_jit_access a;
    open_access(e, &a);
    if (a.is_volatile)
        LLVMBuildFence(B, LLVMAtomicOrderingRelease, 0, "");
    move_data(e, &a, store_groups, store_lanes);
}
