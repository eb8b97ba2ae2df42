/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_outlined.c - accesses by lanes that lie anywhere, in kernels that have
 * many: test and access are a function (emit/outline.c), as each takes hundreds
 * of instructions, and LLVM as long for them as for a small kernel. Where lanes
 * go their own ways, mostly one of them runs, which needs few of these.
 */
#include <stdio.h>
#include <stdlib.h>

#include "jit/emit/access_ways.h"
#include "jit/tune.h"

#define B e->ll.builder

/* Up to so many are spelled out: without AVX-512 a call takes a fifth longer
 * than what it stands for; with it that could not be told. */
enum { NAME_BYTES = 64, WORD = 4 };

enum { CTX, WINDOW, FROM, LANES, MASK, STORED, ARGS };

typedef struct {
    const sw_jit_access *a;
    const sw_jit_lanes_at *at;
    bool is_store, is_full;
} far;

/* Goes to where `ok` holds; *out: it does not. */
static LLVMBasicBlockRef
enter(sw_jit_emit *e, LLVMValueRef ok, LLVMBasicBlockRef *from)
{
    LLVMBasicBlockRef inside = sw_jit_block(e, "inside");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    *from = LLVMGetInsertBlock(B);
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, inside, out), true);
    LLVMPositionBuilderAtEnd(B, inside);
    return out;
}

/* Of a load: the loaded elements, and i1: that they are. */
static LLVMValueRef
pair_of(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef ok)
{
    LLVMTypeRef types[2] = {LLVMTypeOf(x), e->t.i1};
    LLVMValueRef r =
        LLVMGetPoison(LLVMStructTypeInContext(e->ll.context, types, 2, false));
    r = LLVMBuildInsertValue(B, r, x, 0, "");
    return LLVMBuildInsertValue(B, r, ok, 1, "");
}

/* ---- one lane, or few ---- */

/* One of which it is not known which. */
typedef struct {
    sw_jit_access *a;
    const sw_jit_lanes_at *at;
    bool is_store;
    LLVMValueRef bits;          /* of the lanes that run */
    LLVMValueRef lanes, stored; /* slots: where each wants to; what it stores */
} apart;

static LLVMValueRef
of_lane(sw_jit_emit *e, LLVMValueRef slot, LLVMValueRef vector,
        LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
    return LLVMBuildLoad2(B, type, LLVMBuildGEP2(B, type, slot, &lane, 1, ""),
                          "");
}

/* Where it wants to (i64): an address, or an offset in shared memory or its own
 * local memory. */
static LLVMValueRef
place_of(sw_jit_emit *e, const apart *x, LLVMValueRef lane)
{
    const sw_jit_lanes_at *at = x->at;
    LLVMValueRef n = of_lane(e, x->lanes, at->lanes, lane);
    n = LLVMBuildIntCast2(B, n, e->t.i64, at->from && at->is_signed, "");
    if (!at->from)
        return n;
    n = LLVMBuildMul(B, n, sw_jit_i64(e, at->scale), "");
    return LLVMBuildAdd(B, n, at->from, "");
}

LLVMValueRef
sw_jit_may_go(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef place)
{
    LLVMValueRef limit, is_large = NULL;
    if (a->has_site) {
        place = LLVMBuildSub(B, place, sw_jit_window_part(e, a->site, 0), "");
        limit = sw_jit_window_part(e, a->site, offsetof(sw_jit_window, limit));
    } else {
        LLVMValueRef size =
            a->is_shared ? sw_jit_shared_bytes(e)
                         : sw_jit_field(e, offsetof(sw_jit_ctx, local_stride),
                                        e->t.i64, true);
        LLVMValueRef extent = sw_jit_i64(e, a->extent);
        is_large = LLVMBuildICmp(B, LLVMIntUGE, size, extent, "");
        limit = LLVMBuildSub(B, size, extent, "");
    }
    limit = LLVMBuildLShr(B, limit, sw_jit_i64(e, a->shift), "");
    return sw_jit_both(e, is_large,
                       LLVMBuildICmp(B, LLVMIntULE,
                                     sw_jit_rotate(e, place, a->shift), limit,
                                     ""));
}

/* The byte of local memory, which lies in rows (emit/access_local.c), at an
 * offset of the lane's own. */
static LLVMValueRef
local_of(sw_jit_emit *e, LLVMValueRef at, LLVMValueRef lane)
{
    LLVMValueRef local =
        sw_jit_field(e, offsetof(sw_jit_ctx, local), e->t.ptr, true);
    LLVMValueRef byte = LLVMBuildAnd(B, at, sw_jit_i64(e, WORD - 1), "");
    LLVMValueRef word = LLVMBuildSub(B, at, byte, "");
    word = LLVMBuildMul(B, word, sw_jit_i64(e, e->lanes), "");
    lane = LLVMBuildMul(B, LLVMBuildZExt(B, lane, e->t.i64, ""),
                        sw_jit_i64(e, WORD), "");
    return sw_jit_at(
        e, local, LLVMBuildAdd(B, LLVMBuildAdd(B, word, byte, ""), lane, ""));
}

LLVMValueRef
sw_jit_pointer_of(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef place,
                  LLVMValueRef lane)
{
    if (a->ins->space == SW_SPACE_LOCAL)
        return local_of(e, place, lane);
    if (!a->is_shared)
        return LLVMBuildIntToPtr(B, place, e->t.ptr, "");
    LLVMValueRef shared =
        sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.ptr, true);
    return sw_jit_at(e, shared, place);
}

/* An element's second word in local memory. */
static LLVMValueRef
second_word(sw_jit_emit *e, LLVMValueRef first)
{
    return sw_jit_at(e, first, sw_jit_i64(e, WORD * e->lanes));
}

static bool
is_two_words(const sw_jit_access *a)
{
    return a->ins->space == SW_SPACE_LOCAL && a->elem > WORD;
}

static LLVMValueRef
load_at(sw_jit_emit *e, LLVMTypeRef type, LLVMValueRef p, unsigned align)
{
    LLVMValueRef x = LLVMBuildLoad2(B, type, p, "");
    sw_jit_set_align(x, align);
    return x;
}

LLVMValueRef
sw_jit_load_one(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef p)
{
    LLVMTypeRef type = sw_jit_elem_type(e, a);
    if (!is_two_words(a))
        return load_at(e, type, p, a->elem);
    LLVMValueRef x = load_at(e, e->t.i32, second_word(e, p), WORD);
    x = LLVMBuildShl(B, LLVMBuildZExt(B, x, type, ""), sw_jit_i64(e, 8 * WORD),
                     "");
    p = LLVMBuildZExt(B, load_at(e, e->t.i32, p, WORD), type, "");
    return LLVMBuildOr(B, x, p, "");
}

void
sw_jit_store_one(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef p,
                 LLVMValueRef x)
{
    if (!is_two_words(a)) {
        sw_jit_set_align(LLVMBuildStore(B, x, p), a->elem);
        return;
    }
    sw_jit_set_align(LLVMBuildStore(B, LLVMBuildTrunc(B, x, e->t.i32, ""), p),
                     WORD);
    x = LLVMBuildLShr(B, x, sw_jit_i64(e, 8 * WORD), "");
    x = LLVMBuildTrunc(B, x, e->t.i32, "");
    sw_jit_set_align(LLVMBuildStore(B, x, second_word(e, p)), WORD);
}

/* What it loads, or NULL. */
static LLVMValueRef
move_one(sw_jit_emit *e, const apart *x, LLVMValueRef place, LLVMValueRef lane)
{
    LLVMValueRef p = sw_jit_pointer_of(e, x->a, place, lane);
    if (!x->is_store)
        return sw_jit_load_one(e, x->a, p);
    sw_jit_store_one(e, x->a, p, of_lane(e, x->stored, x->a->stored, lane));
    return NULL;
}

/* i1: so many lanes run, or fewer, but some. */
static LLVMValueRef
run_no_more(sw_jit_emit *e, const apart *x, unsigned most)
{
    LLVMTypeRef type = LLVMTypeOf(x->bits);
    LLVMValueRef bits = x->bits, one = LLVMConstInt(type, 1, 0);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &type, 1, &bits, 1);
    return LLVMBuildICmp(B, LLVMIntULT, LLVMBuildSub(B, n, one, ""),
                         LLVMConstInt(type, most, 0), "");
}

/* Goes to `done` if only one lane runs and it may do it, with the result that
 * is returned; on if not. *from: where from. */
static LLVMValueRef
access_one(sw_jit_emit *e, const apart *x, LLVMBasicBlockRef done,
           LLVMBasicBlockRef *from)
{
    LLVMBasicBlockRef one = sw_jit_block(e, "one");
    LLVMBasicBlockRef does = sw_jit_block(e, "does");
    LLVMBasicBlockRef many = sw_jit_block(e, "many");
    LLVMBuildCondBr(B, run_no_more(e, x, 1), one, many);
    LLVMPositionBuilderAtEnd(B, one);
    LLVMValueRef lane = sw_jit_first_of(e, x->bits);
    LLVMValueRef place = place_of(e, x, lane);
    sw_jit_likely(
        e, LLVMBuildCondBr(B, sw_jit_may_go(e, x->a, place), does, many), true);
    LLVMPositionBuilderAtEnd(B, does);
    LLVMValueRef got = move_one(e, x, place, lane);
    LLVMValueRef r = LLVMConstInt(e->t.i1, 1, 0);
    if (got)
        r = pair_of(e, sw_jit_splat(e, got, e->lanes), r);
    *from = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, many);
    return r;
}

/* Lanes that run, which have passed the test, one after the other; what they
 * load, or NULL. */
static LLVMValueRef
move_few(sw_jit_emit *e, const apart *x)
{
    const sw_jit_access *a = x->a;
    LLVMTypeRef type = LLVMTypeOf(x->bits);
    LLVMTypeRef lanes = LLVMVectorType(sw_jit_elem_type(e, a), e->lanes);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(B), NULL};
    LLVMBasicBlockRef next = sw_jit_block(e, "next");
    LLVMBasicBlockRef over = sw_jit_block(e, "over");
    LLVMValueRef left[2] = {x->bits}, all[2] = {LLVMGetPoison(lanes)};
    if (a->turn)
        left[0] = sw_jit_intrinsic(e, "llvm.bitreverse", &type, 1, left, 1);
    LLVMBuildBr(B, next);
    LLVMPositionBuilderAtEnd(B, next);
    LLVMValueRef bits = LLVMBuildPhi(B, type, "");
    LLVMValueRef got = x->is_store ? NULL : LLVMBuildPhi(B, lanes, "");
    LLVMValueRef lane = sw_jit_first_of(e, bits);
    lane = LLVMBuildXor(B, lane, sw_jit_i32(e, a->turn), "");
    LLVMValueRef one = move_one(e, x, place_of(e, x, lane), lane);
    left[1] = LLVMBuildSub(B, bits, LLVMConstInt(type, 1, 0), "");
    left[1] = LLVMBuildAnd(B, bits, left[1], "");
    if (got) {
        LLVMValueRef bit = LLVMBuildXor(B, bits, left[1], "");
        bit = LLVMBuildBitCast(B, bit, e->t.mask_type, "");
        all[1] =
            LLVMBuildSelect(B, bit, sw_jit_splat(e, one, e->lanes), got, "");
    }
    from[1] = LLVMGetInsertBlock(B);
    LLVMAddIncoming(bits, left, from, 2);
    if (got)
        LLVMAddIncoming(got, all, from, 2);
    LLVMBuildCondBr(
        B, LLVMBuildICmp(B, LLVMIntNE, left[1], LLVMConstNull(type), ""), next,
        over);
    LLVMPositionBuilderAtEnd(B, over);
    return all[1];
}

/* ---- any lanes ---- */

static LLVMValueRef
move_all(sw_jit_emit *e, const apart *x)
{
    bool is_local = x->a->ins->space == SW_SPACE_LOCAL;
    if (!x->is_store)
        return is_local ? sw_jit_load_rows(e, x->a)
                        : sw_jit_load_lanes(e, x->a);
    if (is_local)
        sw_jit_store_rows(e, x->a);
    else
        sw_jit_store_lanes(e, x->a);
    return NULL;
}

/* Of lanes that store to one place it is known who is the last. */
static bool
can_take_turns(const sw_jit_emit *e, const apart *x)
{
    return !e->mask.is_full &&
           (!x->a->turn || (e->lanes == 32 && x->a->turn == e->lanes - 1));
}

static LLVMValueRef
move_lanes(sw_jit_emit *e, const apart *x)
{
    if (!can_take_turns(e, x))
        return move_all(e, x);
    LLVMBasicBlockRef from[2], all;
    LLVMBasicBlockRef join = sw_jit_two_ways(
        e, run_no_more(e, x, sw_jit_tune.outline_few_lanes), &all);
    LLVMValueRef got[2] = {move_few(e, x)};
    from[0] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, all);
    got[1] = move_all(e, x);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
    if (x->is_store)
        return NULL;
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(got[0]), "");
    LLVMAddIncoming(phi, got, from, 2);
    return phi;
}

/* i1: lanes that run want to one place of their local memory, *place, and may:
 * so they do if they have the same index, though that is seen only here. */
static LLVMValueRef
go_together(sw_jit_emit *e, const apart *x, LLVMValueRef *place)
{
    LLVMValueRef lane =
        e->mask.is_full ? sw_jit_i32(e, 0) : sw_jit_first_of(e, x->bits);
    LLVMValueRef lanes = x->at->lanes;
    LLVMValueRef one = of_lane(e, x->lanes, lanes, lane);
    LLVMValueRef same =
        sw_jit_masked_all(e, LLVMBuildICmp(B, LLVMIntEQ, lanes,
                                           sw_jit_splat(e, one, e->lanes), ""));
    *place = place_of(e, x, lane);
    return LLVMBuildAnd(B, same, sw_jit_may_go(e, x->a, *place), "");
}

/* Goes to `done` if they do; on if not. */
static LLVMValueRef
access_row(sw_jit_emit *e, const apart *x, LLVMBasicBlockRef done,
           LLVMBasicBlockRef *from)
{
    LLVMBasicBlockRef row = sw_jit_block(e, "row");
    LLVMBasicBlockRef many = sw_jit_block(e, "many");
    LLVMValueRef place, r = LLVMConstInt(e->t.i1, 1, 0);
    LLVMBuildCondBr(B, go_together(e, x, &place), row, many);
    LLVMPositionBuilderAtEnd(B, row);
    if (x->is_store)
        sw_jit_store_row(e, x->a, place);
    else
        r = pair_of(e, sw_jit_load_row(e, x->a, place), r);
    *from = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, many);
    return r;
}

static LLVMValueRef
access_many(sw_jit_emit *e, const apart *x)
{
    sw_jit_access *a = x->a;
    sw_jit_test_lanes(e, a, x->at);
    sw_jit_test_pages(e, a, x->at);

    LLVMBasicBlockRef from[2], out = enter(e, a->ok, &from[0]);
    LLVMValueRef got = move_lanes(e, x);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, out);
    if (x->is_store)
        return a->ok;
    LLVMValueRef got_or_not[2] = {LLVMGetPoison(LLVMTypeOf(got)), got};
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(got), "");
    LLVMAddIncoming(phi, got_or_not, from, 2);
    return pair_of(e, phi, a->ok);
}

static LLVMValueRef
slot_with(sw_jit_emit *e, LLVMValueRef x)
{
    LLVMValueRef slot = sw_jit_slot_of(e, LLVMTypeOf(x));
    LLVMBuildStore(B, x, slot);
    return slot;
}

/* The function: i1, the test has passed; of a load, with the elements. */
static LLVMValueRef
access_far(sw_jit_emit *e, const LLVMValueRef *args, const void *data)
{
    const far *f = data;
    sw_jit_access a = *f->a;
    sw_jit_lanes_at at = *f->at;
    e->f.ctx_slot = sw_jit_slot_of(e, e->t.ptr);
    LLVMBuildStore(B, args[CTX], e->f.ctx_slot);
    e->at.window = args[WINDOW];
    if (f->is_full)
        sw_jit_mask_set_all(e);
    else
        sw_jit_mask_set(e, LLVMBuildBitCast(B, args[MASK], e->t.mask_type, ""));
    at.lanes = args[LANES];
    at.from = at.from ? args[FROM] : NULL;
    a.stored = f->is_store ? args[STORED] : NULL;
    apart x = {.a = &a, .at = &at, .is_store = f->is_store};
    x.bits = f->is_full ? LLVMConstAllOnes(e->t.bits) : args[MASK];
    x.lanes = slot_with(e, at.lanes);
    x.stored = f->is_store ? slot_with(e, a.stored) : NULL;
    LLVMBasicBlockRef done = sw_jit_block(e, "done"), from[3];
    LLVMValueRef r[3];
    unsigned n = 0;
    if (!f->is_full) {
        r[n] = access_one(e, &x, done, &from[n]);
        n++;
    }
    if (a.ins->space == SW_SPACE_LOCAL) {
        r[n] = access_row(e, &x, done, &from[n]);
        n++;
    }
    r[n] = access_many(e, &x);
    from[n] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(r[0]), "");
    LLVMAddIncoming(phi, r, from, n + 1);
    return phi;
}

static LLVMValueRef
call_function(sw_jit_emit *e, const far *f)
{
    const sw_jit_access *a = f->a;
    const sw_jit_lanes_at *at = f->at;
    LLVMTypeRef x = LLVMVectorType(sw_jit_elem_type(e, a), e->lanes);
    LLVMTypeRef pair[2] = {x, e->t.i1};
    LLVMTypeRef result =
        f->is_store ? e->t.i1
                    : LLVMStructTypeInContext(e->ll.context, pair, 2, false);
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s_%u_%s_%s%u_by_%u%s%s",
             f->is_store ? "store" : "load", 8 * a->elem,
             a->is_shared                      ? "shared"
             : a->ins->space == SW_SPACE_LOCAL ? "local"
                                               : "flat",
             !at->from       ? "at"
             : at->is_signed ? "from_s"
                             : "from_u",
             LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(at->lanes))),
             at->scale, f->is_full ? "" : "_some", a->is_apart ? "_apart" : "");
    LLVMValueRef ctx = sw_jit_ctx_of(e);
    LLVMValueRef args[ARGS] = {ctx,
                               a->has_site ? sw_jit_window_of(e, a->site) : ctx,
                               at->from ? at->from : sw_jit_i64(e, 0),
                               at->lanes,
                               f->is_full ? LLVMConstAllOnes(e->t.bits)
                                          : sw_jit_mask_bits(e, e->mask.lanes),
                               f->is_store ? sw_jit_stored(e, a, 0) : NULL};
    return sw_jit_outlined(e, name, result, args, f->is_store ? ARGS : STORED,
                           false, access_far, f);
}

/* Goes on where the test has passed; else in the interpreter at once, or behind
 * the access, which its function has done: what is returned. */
static LLVMBasicBlockRef
fork_at_test(sw_jit_emit *e, sw_jit_access *a, const sw_jit_lanes_at *at)
{
    if (a->ins->space == SW_SPACE_LOCAL) {
        sw_jit_exit_unless(e, a->ok);
        return NULL;
    }
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    sw_jit_likely(e, LLVMBuildCondBr(B, a->ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    sw_jit_set_lanes(e, a, at);
    sw_jit_move_window(e, a);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    return done;
}

void
sw_jit_move_some(sw_jit_emit *e, sw_jit_access *a, LLVMBasicBlockRef done)
{
    sw_jit_lanes_at at;
    LLVMBasicBlockRef some = sw_jit_block(e, "some");
    LLVMBasicBlockRef other = sw_jit_block(e, "other");
    sw_jit_find_lanes(e, a, &at);
    far f = {a, &at, a->ins->op == SW_OP_ST, e->mask.is_full};
    LLVMValueRef r = call_function(e, &f);
    LLVMValueRef ok = f.is_store ? r : LLVMBuildExtractValue(B, r, 1, "");
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, some, other), true);
    LLVMPositionBuilderAtEnd(B, some);
    if (!f.is_store)
        sw_jit_write_loaded(e, a, 0, LLVMBuildExtractValue(B, r, 0, ""));
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, other);
}

bool
sw_jit_move_outlined(sw_jit_emit *e, sw_jit_access *a)
{
    if (!(e->plan->has_many_scattered || sw_jit_is_rare(e)) || e->k.counters ||
        a->vec > 1 || a->is_volatile ||
        (a->ins->space == SW_SPACE_LOCAL && !e->plan->has_local_rows))
        return false;
    sw_jit_lanes_at at;
    sw_jit_find_lanes(e, a, &at);
    far f = {a, &at, a->ins->op == SW_OP_ST, e->mask.is_full};
    LLVMValueRef r = call_function(e, &f);
    a->ok = f.is_store ? r : LLVMBuildExtractValue(B, r, 1, "");
    LLVMBasicBlockRef done = fork_at_test(e, a, &at);
    if (!f.is_store)
        sw_jit_write_loaded(e, a, 0, LLVMBuildExtractValue(B, r, 0, ""));
    if (done) {
        LLVMBuildBr(B, done);
        LLVMPositionBuilderAtEnd(B, done);
    }
    return true;
}
