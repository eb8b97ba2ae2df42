/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_gather.c - addresses lane by lane: 64-bit ones, offsets in shared and
 * local memory, and a uniform number plus a 32-bit index, which half as many
 * vectors hold.
 */
#include <string.h>

#include "jit/emit/access.h"
#include "jit/tune.h"

#define B e->ll.builder

LLVMValueRef
sw_jit_masked_all(sw_jit_emit *e, LLVMValueRef ok)
{
    if (!e->mask.is_full)
        ok = LLVMBuildOr(B, ok, LLVMBuildNot(B, e->mask.lanes, ""), "");
    return sw_jit_all(e, ok);
}

/* Offsets so that all lies below `size` (i64) bytes, aligned. */
static void
test_offsets(sw_jit_emit *e, sw_jit_access *a, LLVMValueRef offset,
             LLVMValueRef size)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(offset));
    LLVMValueRef extent = sw_jit_i64(e, a->extent);
    LLVMValueRef limit = LLVMBuildSub(B, size, extent, "");
    limit = LLVMBuildLShr(B, limit, sw_jit_i64(e, a->shift), "");
    if (type != e->t.i64)
        limit = LLVMBuildTrunc(B, limit, type, "");
    LLVMValueRef ok =
        LLVMBuildICmp(B, LLVMIntULE, sw_jit_rotate(e, offset, a->shift),
                      sw_jit_splat(e, limit, e->lanes), "");
    a->ok = LLVMBuildAnd(B, sw_jit_masked_all(e, ok),
                         LLVMBuildICmp(B, LLVMIntUGE, size, extent, ""), "");
}

/* Lanes of a whole block at known distances, some of which do not run. */
static bool
is_known(const sw_jit_emit *e, const sw_jit_access *a)
{
    return e->shapes->map.is_block && a->is_apart && a->is_shared;
}

/* The same of shared memory; in a whole block offsets may be known, and so is
 * that they lie in what every block has. */
static void
test_shared(sw_jit_emit *e, sw_jit_access *a)
{
    LLVMValueRef always = NULL;
    uint32_t bytes = e->plan->rq->shared_bytes;
    if (is_known(e, a) && bytes >= a->extent) {
        test_offsets(e, a, a->lane_offset, sw_jit_i64(e, bytes));
        always = a->ok;
    }
    test_offsets(e, a, a->lane_offset, sw_jit_shared_bytes(e));
    if (always)
        a->ok = LLVMBuildOr(B, always, a->ok, "");
}

static LLVMValueRef
wide_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    LLVMValueRef x = sw_jit_lanes(e, &a->address);
    LLVMTypeRef wide = LLVMVectorType(e->t.i64, e->lanes);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
    if (a->is_shared) { /* below 2^31 after the test */
        LLVMTypeRef narrow = LLVMVectorType(e->t.i32, e->lanes);
        LLVMValueRef add = sw_jit_i32(e, (uint32_t)a->offset);
        x = LLVMBuildIntCast2(B, x, narrow, 0, "");
        return LLVMBuildAdd(B, x, sw_jit_splat(e, add, e->lanes), "");
    }
    if (type == e->t.i32)
        x = LLVMBuildZExt(B, x, wide, "");
    LLVMValueRef more = sw_jit_i64(e, (uint64_t)a->offset);
    return LLVMBuildAdd(B, x, sw_jit_splat(e, more, e->lanes), "");
}

/* Addresses anywhere: whether a window around that of the first lane holds them
 * all. */
static void
test_flat(sw_jit_emit *e, sw_jit_access *a)
{
    LLVMValueRef lo = sw_jit_window_part(e, a->site, 0);
    LLVMValueRef limit =
        sw_jit_window_part(e, a->site, offsetof(sw_jit_window, limit));
    limit = LLVMBuildLShr(B, limit, sw_jit_i64(e, a->shift), "");
    LLVMValueRef d =
        LLVMBuildSub(B, a->lane_offset, sw_jit_splat(e, lo, e->lanes), "");
    LLVMValueRef ok =
        LLVMBuildICmp(B, LLVMIntULE, sw_jit_rotate(e, d, a->shift),
                      sw_jit_splat(e, limit, e->lanes), "");
    a->ok = sw_jit_masked_all(e, ok);
}

/* The last instruction before number `before` of this piece of the block that
 * writes a register; NULL if it writes others too or not for all lanes. */
static const sw_ins *
recent_definition(const sw_jit_emit *e, const sw_opnd *o, uint32_t *before)
{
    const sw_block *block = e->plan->fn->blocks[e->b.block];
    if (o->kind != SW_OPND_REG)
        return NULL;
    for (uint32_t i = *before; i-- > e->b.begun;) {
        const sw_ins *ins = block->ins[i];
        for (unsigned k = 0; k < ins->ndst; k++)
            if (ins->opnd[k].kind == SW_OPND_REG &&
                ins->opnd[k].reg == o->reg) {
                *before = i;
                return ins->guard || ins->ndst != 1 ? NULL : ins;
            }
        if (ins->op == SW_OP_CALL)
            return NULL;
    }
    return NULL;
}

/* Is any register that `ins` reads written in (from, to)? */
static bool
is_stale(const sw_jit_emit *e, const sw_ins *ins, uint32_t from, uint32_t to)
{
    const sw_block *block = e->plan->fn->blocks[e->b.block];
    for (uint32_t i = from + 1; i < to; i++)
        for (unsigned k = 0; k < block->ins[i]->ndst; k++)
            for (unsigned s = 0; s < ins->nsrc; s++) {
                const sw_opnd *d = &block->ins[i]->opnd[k];
                const sw_opnd *o = sw_ins_src(ins, s);
                if (d->kind == SW_OPND_REG && o->kind == SW_OPND_REG &&
                    d->reg == o->reg)
                    return true;
            }
    return false;
}

enum { MOST_SCALE = 16, WARP = 32 };

/* An address that is a uniform number plus a 32-bit index times a size. */
typedef struct {
    const sw_ins *sum, *product;
    unsigned uniform; /* which source of the sum */
    int64_t scale;
    bool is_signed;
} indexed;

static bool
is_widening(const sw_ins *ins, indexed *x)
{
    const sw_opnd *by = ins->nsrc > 1 ? sw_ins_src(ins, 1) : NULL;
    sw_type type = (sw_type)ins->type;
    if (ins->op == SW_OP_MUL_WIDE && sw_type_bits(type) == 32 &&
        by->kind == SW_OPND_IMM) {
        x->scale = (int64_t)by->imm;
        x->is_signed = sw_type_kind(type) == SW_KIND_SINT;
        return true;
    }
    return false;
}

static bool
find_index(const sw_jit_emit *e, const sw_jit_access *a, indexed *x)
{
    uint32_t now = e->at.index - e->plan->first_ins[e->b.block], at = now;
    x->sum = recent_definition(e, sw_ins_src(a->ins, 0), &at);
    if (!x->sum || x->sum->op != SW_OP_ADD || is_stale(e, x->sum, at, now) ||
        (x->sum->flags & SW_F_SAT))
        return false;
    for (x->uniform = 0; x->uniform < 2; x->uniform++) {
        uint32_t from = at;
        if (sw_shapes_source(e->shapes, x->sum, x->uniform).kind !=
            SW_SHAPE_UNIFORM)
            continue;
        x->product =
            recent_definition(e, sw_ins_src(x->sum, 1 - x->uniform), &from);
        if (x->product && is_widening(x->product, x) &&
            !is_stale(e, x->product, from, now) &&
            sw_shapes_source(e->shapes, x->product, 0).kind != SW_SHAPE_UNIFORM)
            return x->scale >= 1 && x->scale <= MOST_SCALE &&
                   (x->scale & (x->scale - 1)) == 0 &&
                   x->scale % (1 << a->shift) == 0;
    }
    return false;
}

/* n (i64) within the range of 32 bits. */
static LLVMValueRef
clamp(sw_jit_emit *e, LLVMValueRef n, int64_t low, int64_t high)
{
    LLVMValueRef least[2] = {n, sw_jit_i64(e, (uint64_t)low)};
    n = sw_jit_intrinsic(e, "llvm.smax", &e->t.i64, 1, least, 2);
    LLVMValueRef most[2] = {n, sw_jit_i64(e, (uint64_t)high)};
    return sw_jit_intrinsic(e, "llvm.smin", &e->t.i64, 1, most, 2);
}

/* The lowest place, and how far from it the last one is, where an element may
 * begin. */
static void
find_limits(sw_jit_emit *e, sw_jit_access *a, LLVMValueRef *lo,
            LLVMValueRef *limit)
{
    if (a->is_shared) {
        *lo = sw_jit_i64(e, 0);
        *limit = LLVMBuildSub(B, sw_jit_shared_bytes(e),
                              sw_jit_i64(e, a->extent), "");
        return;
    }
    *lo = sw_jit_window_part(e, a->site, 0);
    *limit = sw_jit_window_part(e, a->site, offsetof(sw_jit_window, limit));
}

/* The limits in numbers of the index. */
static void
test_indexed(sw_jit_emit *e, sw_jit_access *a, const sw_jit_lanes_at *at)
{
    unsigned k = (unsigned)__builtin_ctz(at->scale);
    LLVMValueRef from = at->from, lo, limit;
    find_limits(e, a, &lo, &limit);
    lo = LLVMBuildSub(B, lo, from, "");
    LLVMValueRef hi = LLVMBuildAdd(B, lo, limit, "");
    LLVMValueRef sane = LLVMBuildICmp(B, LLVMIntSLE, lo, hi, "");
    LLVMValueRef shift = sw_jit_i64(e, k);
    lo = LLVMBuildAdd(B, lo, sw_jit_i64(e, at->scale - 1), "");
    lo = clamp(e, LLVMBuildAShr(B, lo, shift, ""),
               at->is_signed ? INT32_MIN : 0, (int64_t)INT32_MAX + 1);
    hi = clamp(e, LLVMBuildAShr(B, hi, shift, ""), (int64_t)INT32_MIN - 1,
               INT32_MAX);
    LLVMValueRef some = LLVMBuildICmp(B, LLVMIntSLE, lo, hi, "");
    some = LLVMBuildAnd(B, some, sane, "");
    if (a->shift)
        some = LLVMBuildAnd(B, some, sw_jit_is_aligned(e, from, 1u << a->shift),
                            "");
    LLVMValueRef room =
        LLVMBuildTrunc(B, LLVMBuildSub(B, hi, lo, ""), e->t.i32, "");
    lo = LLVMBuildTrunc(B, lo, e->t.i32, "");
    LLVMValueRef d =
        LLVMBuildSub(B, a->lane_offset, sw_jit_splat(e, lo, e->lanes), "");
    LLVMValueRef ok =
        LLVMBuildICmp(B, LLVMIntULE, d, sw_jit_splat(e, room, e->lanes), "");
    a->ok = LLVMBuildAnd(B, some, sw_jit_masked_all(e, ok), "");
}

void
sw_jit_find_lanes(sw_jit_emit *e, sw_jit_access *a, sw_jit_lanes_at *at)
{
    sw_space space = (sw_space)a->ins->space;
    indexed x;
    *at = (sw_jit_lanes_at){.scale = 1};
    bool is_window = space == SW_SPACE_LOCAL || space == SW_SPACE_PARAM;
    if (!is_window && !is_known(e, a) && find_index(e, a, &x)) {
        sw_jit_value base = sw_jit_read_exact(e, x.sum, x.uniform);
        sw_jit_value index = sw_jit_read_exact(e, x.product, 0);
        at->from =
            LLVMBuildAdd(B, base.base, sw_jit_i64(e, (uint64_t)a->offset), "");
        at->lanes = sw_jit_lanes(e, &index);
        at->scale = (unsigned)x.scale;
        at->is_signed = x.is_signed;
    } else {
        at->lanes = wide_lanes(e, a);
    }
    if (!a->is_shared && !is_window) {
        a->site = sw_jit_new_site(e, a->extent);
        a->has_site = true;
    }
}

/* a->lane_offset, a->scale and a->base, of which lanes that do not pass the
 * test make no use. */
void
sw_jit_set_lanes(sw_jit_emit *e, sw_jit_access *a, const sw_jit_lanes_at *at)
{
    a->lane_offset = at->lanes;
    a->scale = at->scale;
    if (a->is_shared)
        a->base = sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.ptr, true);
    if (at->from)
        a->base = a->is_shared ? sw_jit_at(e, a->base, at->from)
                               : LLVMBuildIntToPtr(B, at->from, e->t.ptr, "");
}

static void
test_local(sw_jit_emit *e, sw_jit_access *a)
{
    LLVMValueRef stride =
        sw_jit_field(e, offsetof(sw_jit_ctx, local_stride), e->t.i64, true);
    test_offsets(e, a, a->lane_offset, stride);
    if (e->plan->has_local_rows)
        return;
    int64_t lane[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        lane[i] = i;
    LLVMValueRef rows =
        LLVMBuildMul(B, sw_jit_splat(e, stride, e->lanes),
                     sw_jit_const_lanes(e->t.i64, lane, e->lanes), "");
    a->lane_offset = LLVMBuildAdd(B, a->lane_offset, rows, "");
    a->base = sw_jit_field(e, offsetof(sw_jit_ctx, local), e->t.ptr, true);
}

void
sw_jit_test_lanes(sw_jit_emit *e, sw_jit_access *a, const sw_jit_lanes_at *at)
{
    sw_jit_set_lanes(e, a, at);
    if (at->from) {
        test_indexed(e, a, at);
    } else if (a->ins->space == SW_SPACE_LOCAL) {
        test_local(e, a);
    } else if (a->ins->space == SW_SPACE_PARAM) {
        test_offsets(e, a, a->lane_offset,
                     sw_jit_i64(e, e->plan->fn->param_bytes));
        a->base = sw_jit_params(e);
    } else if (a->is_shared) {
        test_shared(e, a);
    } else {
        test_flat(e, a);
    }
}

void
sw_jit_test_pages(sw_jit_emit *e, sw_jit_access *a, const sw_jit_lanes_at *at)
{
    if (!a->has_site)
        return;
    LLVMTypeRef wide = LLVMVectorType(e->t.i64, e->lanes);
    LLVMValueRef x = a->lane_offset;
    if (at->from)
        x = LLVMBuildPtrToInt(B, sw_jit_lane_pointers(e, a, 0, false), wide,
                              "");
    if (at->from && !at->is_signed) { /* pointers take it for signed */
        LLVMValueRef is_small = LLVMBuildICmp(
            B, LLVMIntSGE, at->lanes, LLVMConstNull(LLVMTypeOf(at->lanes)), "");
        x = LLVMBuildSelect(B, is_small, x, LLVMConstNull(wide), "");
    }
    a->ok = sw_jit_or_in_pages(e, a->ok, a->site, x, a->extent, a->shift);
}

void
sw_jit_prepare_lanes(sw_jit_emit *e, sw_jit_access *a)
{
    sw_jit_lanes_at at;
    sw_jit_find_lanes(e, a, &at);
    sw_jit_test_lanes(e, a, &at);
}

/* Pointers of element k, x: the lanes' offsets. */
static LLVMValueRef
pointers_at(sw_jit_emit *e, const sw_jit_access *a, unsigned k, LLVMValueRef x)
{
    LLVMTypeRef pointers = LLVMVectorType(e->t.ptr, e->lanes), step;
    if (a->base) {
        LLVMValueRef base = sw_jit_at(e, a->base, sw_jit_i64(e, k * a->elem));
        step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
        return LLVMBuildGEP2(B, step, base, &x, 1, "");
    }
    if (k)
        x = LLVMBuildAdd(
            B, x, sw_jit_splat(e, sw_jit_i64(e, k * a->elem), e->lanes), "");
    return LLVMBuildIntToPtr(B, x, pointers, "");
}

LLVMValueRef
sw_jit_in_turn(sw_jit_emit *e, LLVMValueRef x, unsigned turn)
{
    int from[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        from[i] = (int)(i ^ turn);
    return turn ? sw_jit_shuffle(e, x, from, e->lanes) : x;
}

LLVMValueRef
sw_jit_pointers_in_turn(sw_jit_emit *e, const sw_jit_access *a, unsigned k)
{
    return pointers_at(e, a, k, sw_jit_in_turn(e, a->lane_offset, a->turn));
}

/* Lanes that do not run point where reading is safe. */
LLVMValueRef
sw_jit_lane_pointers(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                     bool safe)
{
    LLVMValueRef p = pointers_at(e, a, k, a->lane_offset);
    if (safe && !e->mask.is_full) {
        LLVMValueRef frame_slot = sw_jit_frame_of(e, 0);
        p = LLVMBuildSelect(B, e->mask.lanes, p,
                            sw_jit_splat(e, frame_slot, e->lanes), "");
    }
    return p;
}

/* i1: all of every row lies in shared memory. */
static LLVMValueRef
lie_inside(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_rows *rows)
{
    LLVMValueRef shared =
        sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.i64, true);
    LLVMValueRef bytes = sw_jit_shared_bytes(e);
    LLVMValueRef row =
        sw_jit_i64(e, (uint64_t)(rows->lanes - 1) * a->unit + a->extent);
    LLVMValueRef last = LLVMBuildSub(B, bytes, row, "");
    LLVMValueRef ok = LLVMBuildICmp(B, LLVMIntUGE, bytes, row, "");
    for (unsigned i = 0; i < rows->count; i++) {
        LLVMValueRef at = LLVMBuildPtrToInt(B, rows->first[i], e->t.i64, "");
        at = LLVMBuildSub(B, at, shared, "");
        ok =
            LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntULE, at, last, ""), "");
    }
    return ok;
}

LLVMValueRef
sw_jit_lie_in_rows(sw_jit_emit *e, const sw_jit_access *a, unsigned lanes,
                   sw_jit_rows *rows)
{
    LLVMValueRef x = a->lane_offset;
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(x));
    LLVMTypeRef step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
    int64_t apart[SW_LANES_MAX];
    int first[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++) {
        apart[i] = i % lanes * (int64_t)(a->unit / a->scale);
        first[i] = (int)(i - i % lanes);
    }
    LLVMValueRef row =
        LLVMBuildAdd(B, sw_jit_shuffle(e, x, first, e->lanes),
                     sw_jit_const_lanes(type, apart, e->lanes), "");
    LLVMValueRef same =
        sw_jit_masked_all(e, LLVMBuildICmp(B, LLVMIntEQ, x, row, ""));
    rows->lanes = lanes;
    rows->count = e->lanes / lanes;
    for (unsigned i = 0; i < rows->count; i++) {
        LLVMValueRef n =
            LLVMBuildExtractElement(B, x, sw_jit_i32(e, i * lanes), "");
        rows->first[i] = a->base ? LLVMBuildGEP2(B, step, a->base, &n, 1, "")
                                 : LLVMBuildIntToPtr(B, n, e->t.ptr, "");
    }
    if (a->is_shared && !e->mask.is_full)
        same = LLVMBuildAnd(B, same, lie_inside(e, a, rows), "");
    return same;
}

unsigned
sw_jit_row_lanes(const sw_jit_emit *e, const sw_jit_access *a)
{
    unsigned lanes = (e->ll.has_avx512 ? 64 : 32) / a->elem;
    lanes = lanes < SW_JIT_ROW_LEAST ? SW_JIT_ROW_LEAST : lanes;
    return e->k.counters || lanes > e->lanes ? e->lanes : lanes;
}

/* Lane by lane, all of them. */
static LLVMValueRef
load_each(sw_jit_emit *e, LLVMTypeRef elem, unsigned align,
          LLVMValueRef pointers)
{
    LLVMValueRef x = LLVMGetPoison(LLVMVectorType(elem, e->lanes));
    for (unsigned i = 0; i < e->lanes; i++) {
        LLVMValueRef lane = sw_jit_i32(e, i);
        LLVMValueRef one = LLVMBuildLoad2(
            B, elem, LLVMBuildExtractElement(B, pointers, lane, ""), "");
        sw_jit_set_align(one, align);
        x = LLVMBuildInsertElement(B, x, one, lane, "");
    }
    return x;
}

bool
sw_jit_gathers_inline(sw_jit_emit *e)
{
    if (!e->k.has_slow_gathers ||
        e->k.inline_gathers >= sw_jit_tune.gather_inline)
        return e->k.has_slow_gathers && e->at.is_outlined;
    e->k.inline_gathers += e->at.is_outlined ? 0 : e->lanes;
    return true;
}

/* By the machine's own instructions; zero in lanes that `mask` has not. */
static LLVMValueRef
gather(sw_jit_emit *e, LLVMTypeRef elem, unsigned align, LLVMValueRef pointers,
       LLVMValueRef mask)
{
    LLVMTypeRef types[2] = {LLVMVectorType(elem, e->lanes),
                            LLVMTypeOf(pointers)};
    LLVMValueRef args[4] = {pointers, sw_jit_i32(e, align), mask,
                            LLVMConstNull(types[0])};
    return sw_jit_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
}

/* Whether lanes are told by numbers of 32 bits from one place, as the machine
 * takes them: half as many operations as by addresses, which it would have to
 * be shown that they are such. */
static bool
is_indexed(const sw_jit_access *a)
{
    enum { SCALE_MOST = 8 };
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(a->lane_offset));
    return a->base && LLVMGetIntTypeWidth(type) == 32 && a->elem >= 4 &&
           a->elem <= 8 && a->scale <= SCALE_MOST;
}

/* The same of `lanes` lanes, from this one on; mask: theirs. */
static LLVMValueRef
gather_indexed(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
               unsigned first, unsigned lanes, LLVMValueRef mask)
{
    enum { VECTOR = 64 };
    LLVMValueRef base = sw_jit_at(e, a->base, sw_jit_i64(e, k * a->elem));
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, 8 * a->elem);
    LLVMValueRef got[SW_LANES_MAX / (VECTOR / 8)];
    unsigned each = VECTOR / a->elem, count = lanes / each;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef args[5] = {
            LLVMConstNull(LLVMVectorType(elem, each)), base,
            sw_jit_elements(e, a->lane_offset, first + i * each, each),
            sw_jit_elements(e, mask, i * each, each), sw_jit_i32(e, a->scale)};
        got[i] = sw_jit_intrinsic(e,
                                  a->elem == 8
                                      ? "llvm.x86.avx512.mask.gather.dpq.512"
                                      : "llvm.x86.avx512.mask.gather.dpi.512",
                                  NULL, 0, args, 5);
    }
    return sw_jit_concatenate_all(e, got, count, each);
}

/* n in all lanes of a vector like x. */
static LLVMValueRef
all_lanes(sw_jit_emit *e, LLVMValueRef x, uint64_t n)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(x));
    return sw_jit_splat(e, LLVMConstInt(element, n, 0), e->lanes);
}

/* Pointers to the words in which element k of the lanes begins; *at: at which
 * of their bytes. */
static LLVMValueRef
word_pointers(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
              LLVMValueRef *at)
{
    LLVMTypeRef pointers = LLVMVectorType(e->t.ptr, e->lanes);
    LLVMValueRef x = a->lane_offset, more = sw_jit_i64(e, k * a->elem);
    if (!a->base) {
        x = LLVMBuildAdd(B, x, sw_jit_splat(e, more, e->lanes), "");
        *at = LLVMBuildAnd(B, x, all_lanes(e, x, 3), "");
        return LLVMBuildIntToPtr(B, LLVMBuildSub(B, x, *at, ""), pointers, "");
    }
    unsigned shift = (unsigned)__builtin_ctz(a->scale);
    LLVMValueRef from = LLVMBuildPtrToInt(B, a->base, e->t.i64, "");
    from = LLVMBuildAdd(B, from, more, "");
    LLVMValueRef low = LLVMBuildAnd(B, from, sw_jit_i64(e, 3), "");
    from = LLVMBuildSub(B, from, low, "");
    from = LLVMBuildIntToPtr(B, from, e->t.ptr, "");
    low = LLVMBuildIntCast2(B, low, LLVMGetElementType(LLVMTypeOf(x)), 0, "");
    *at = sw_jit_splat(e, low, e->lanes);
    LLVMTypeRef step = e->t.i32;
    if (shift < 2) { /* x << shift may wrap, what is done instead does not */
        LLVMValueRef y = LLVMBuildShl(B, x, all_lanes(e, x, shift), "");
        y = LLVMBuildAnd(B, y, all_lanes(e, x, 3), "");
        y = LLVMBuildAdd(B, y, *at, "");
        *at = LLVMBuildAnd(B, y, all_lanes(e, x, 3), "");
        x = LLVMBuildAShr(B, x, all_lanes(e, x, 2 - shift), "");
        x = LLVMBuildAdd(B, x, LLVMBuildLShr(B, y, all_lanes(e, x, 2), ""), "");
    } else {
        step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
    }
    return LLVMBuildGEP2(B, step, from, &x, 1, "");
}

/* The machine gathers nothing smaller than words: those that hold the elements,
 * which never cross the end of one. */
static LLVMValueRef
gather_words(sw_jit_emit *e, const sw_jit_access *a, unsigned k)
{
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, 8 * a->elem);
    LLVMTypeRef words = LLVMVectorType(e->t.i32, e->lanes);
    LLVMValueRef at, p = word_pointers(e, a, k, &at);
    LLVMValueRef word = gather(e, e->t.i32, 4, p, e->mask.lanes);
    at = LLVMBuildShl(B, at, all_lanes(e, at, 3), "");
    word = LLVMBuildLShr(B, word, LLVMBuildIntCast2(B, at, words, 0, ""), "");
    return LLVMBuildTrunc(B, word, LLVMVectorType(elem, e->lanes), "");
}

/* Lanes of one of the fused warps; in turn if they store. */
static LLVMValueRef
of_warp(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef x, unsigned warp)
{
    int from[WARP];
    for (unsigned i = 0; i < WARP; i++)
        from[i] = (int)(warp * WARP + (i ^ a->turn));
    return sw_jit_shuffle(e, x, from, WARP);
}

static LLVMValueRef
pointers_of_warp(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                 unsigned warp)
{
    LLVMValueRef x = of_warp(e, a, a->lane_offset, warp);
    LLVMTypeRef step = LLVMIntTypeInContext(e->ll.context, 8 * a->scale);
    LLVMValueRef base = sw_jit_at(e, a->base, sw_jit_i64(e, k * a->elem));
    return LLVMBuildGEP2(B, step, base, &x, 1, "");
}

static void
scatter_warp(sw_jit_emit *e, const sw_jit_access *a, unsigned k, unsigned warp,
             LLVMValueRef mask, LLVMValueRef x)
{
    LLVMValueRef args[4] = {of_warp(e, a, x, warp),
                            pointers_of_warp(e, a, k, warp),
                            sw_jit_i32(e, a->align), mask};
    LLVMTypeRef types[2] = {LLVMTypeOf(args[0]), LLVMTypeOf(args[1])};
    sw_jit_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
}

static LLVMValueRef
gather_warp(sw_jit_emit *e, const sw_jit_access *a, unsigned k, unsigned warp,
            LLVMValueRef mask)
{
    if (is_indexed(a))
        return gather_indexed(e, a, k, warp * WARP, WARP, mask);
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, 8 * a->elem);
    LLVMTypeRef type = LLVMVectorType(elem, WARP);
    LLVMValueRef args[4] = {pointers_of_warp(e, a, k, warp),
                            sw_jit_i32(e, a->align), mask, LLVMConstNull(type)};
    LLVMTypeRef types[2] = {type, LLVMTypeOf(args[0])};
    return sw_jit_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
}

bool
sw_jit_skips_warps(const sw_jit_emit *e, const sw_jit_access *a)
{
    return e->lanes > WARP && !e->mask.is_full && a->base && a->elem >= 4 &&
           !LLVMIsConstant(e->mask.lanes);
}

LLVMValueRef
sw_jit_move_by_warps(sw_jit_emit *e, const sw_jit_access *a, unsigned k,
                     LLVMValueRef x)
{
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, 8 * a->elem);
    LLVMTypeRef type = LLVMVectorType(elem, WARP);
    LLVMValueRef loaded[SW_LANES_MAX / WARP];
    unsigned warps = e->lanes / WARP;
    for (unsigned w = 0; w < warps; w++) {
        LLVMValueRef mask = of_warp(e, a, e->mask.lanes, w);
        LLVMValueRef bits = LLVMBuildBitCast(B, mask, e->t.i32, "");
        LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
        LLVMBasicBlockRef some = sw_jit_block(e, "some");
        LLVMBasicBlockRef next = sw_jit_block(e, "next");
        LLVMBuildCondBr(B,
                        LLVMBuildICmp(B, LLVMIntNE, bits, sw_jit_i32(e, 0), ""),
                        some, next);
        LLVMPositionBuilderAtEnd(B, some);
        LLVMValueRef got = NULL;
        if (x)
            scatter_warp(e, a, k, w, mask, x);
        else
            got = gather_warp(e, a, k, w, mask);
        LLVMBuildBr(B, next);
        LLVMPositionBuilderAtEnd(B, next);
        if (x)
            continue;
        loaded[w] = LLVMBuildPhi(B, type, "");
        LLVMValueRef values[2] = {LLVMConstNull(type), got};
        LLVMBasicBlockRef from[2] = {here, some};
        LLVMAddIncoming(loaded[w], values, from, 2);
    }
    return x ? NULL : sw_jit_concatenate_all(e, loaded, warps, WARP);
}

LLVMValueRef
sw_jit_gather(sw_jit_emit *e, const sw_jit_access *a, unsigned k)
{
    LLVMTypeRef elem = LLVMIntTypeInContext(e->ll.context, 8 * a->elem);
    bool is_inline = sw_jit_gathers_inline(e);
    if (!is_inline && e->ll.has_avx512 && sw_jit_skips_warps(e, a))
        return sw_jit_move_by_warps(e, a, k, NULL);
    if (!is_inline && e->ll.has_avx512 && a->elem < 4)
        return gather_words(e, a, k);
    if (!is_inline && e->ll.has_avx512 && is_indexed(a))
        return gather_indexed(e, a, k, 0, e->lanes, e->mask.lanes);
    if (!is_inline && e->ll.has_avx512)
        return gather(e, elem, a->align, sw_jit_lane_pointers(e, a, k, false),
                      e->mask.lanes);
    LLVMValueRef p = sw_jit_lane_pointers(e, a, k, true);
    if (is_inline || a->elem < 4)
        return load_each(e, elem, a->align, p);
    return gather(e, elem, a->align, p, LLVMConstAllOnes(e->t.mask_type));
}
