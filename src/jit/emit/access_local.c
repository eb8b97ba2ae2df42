/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_local.c - local memory in rows: while compiled code runs, a word of
 * all lanes lies side by side, as on a device, if nothing in the kernel can see
 * where it lies. So an index that all lanes share moves a vector, and others
 * are gathered by 32-bit offsets. A warp, or fused ones, that leave for the
 * interpreter sorts its memory lane by lane first (run/runtime.c).
 */
#include "jit/emit/access_ways.h"

#define B e->ll.builder

enum { WORD = 4 };

/* ---- places ---- */

typedef struct {
    const sw_jit_access *a;
    LLVMValueRef at;    /* offset of the access in a lane's memory: i64, of */
    bool is_one;        /* ... all lanes; else a vector of i32 */
    LLVMValueRef local; /* of the warp */
} place;

/* x of type i64, or lanes of i32 */
static LLVMValueRef
like(sw_jit_emit *e, const place *p, uint64_t n)
{
    return p->is_one ? sw_jit_i64(e, n)
                     : sw_jit_splat(e, sw_jit_i32(e, (uint32_t)n), e->lanes);
}

/* A place that is known and in the kernel's frame needs no test. */
static bool
is_in_frame(const sw_jit_emit *e, const place *p)
{
    if (!p->is_one || !LLVMIsConstant(p->at))
        return false;
    uint64_t at = LLVMConstIntGetZExtValue(p->at);
    return at % (1u << p->a->shift) == 0 && at <= e->plan->fn->frame_bytes &&
           p->a->extent <= e->plan->fn->frame_bytes - at;
}

/* All lanes that run are inside; or the interpreter says that they are not. */
static void
test_one(sw_jit_emit *e, const place *p)
{
    LLVMValueRef stride =
        sw_jit_field(e, offsetof(sw_jit_ctx, local_stride), e->t.i64, true);
    LLVMValueRef extent = sw_jit_i64(e, p->a->extent);
    LLVMValueRef limit = LLVMBuildSub(B, stride, extent, "");
    limit = LLVMBuildLShr(B, limit, sw_jit_i64(e, p->a->shift), "");
    LLVMValueRef ok = LLVMBuildICmp(
        B, LLVMIntULE, sw_jit_rotate(e, p->at, p->a->shift), limit, "");
    ok = LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntUGE, stride, extent, ""),
                      "");
    if (!e->mask.is_full)
        ok = LLVMBuildOr(B, ok,
                         LLVMBuildNot(B, sw_jit_any(e, e->mask.lanes), ""), "");
    sw_jit_exit_unless(e, ok);
}

/* Lanes that have passed the test. */
static place
place_of_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    return (place){
        .a = a,
        .at = LLVMBuildTrunc(B, a->lane_offset,
                             LLVMVectorType(e->t.i32, e->lanes), ""),
        .local = sw_jit_field(e, offsetof(sw_jit_ctx, local), e->t.ptr, true)};
}

bool
sw_jit_has_one_offset(const sw_jit_access *a)
{
    return a->address.shape.kind == SW_SHAPE_UNIFORM;
}

static place
open_place(sw_jit_emit *e, sw_jit_access *a)
{
    if (sw_jit_has_one_offset(a)) {
        place p = {.a = a, .is_one = true};
        p.local = sw_jit_field(e, offsetof(sw_jit_ctx, local), e->t.ptr, true);
        p.at = sw_jit_widen(e, a->address.base, false);
        p.at = LLVMBuildAdd(B, p.at, sw_jit_i64(e, (uint64_t)a->offset), "");
        if (!is_in_frame(e, &p))
            test_one(e, &p);
        return p;
    }
    sw_jit_prepare_lanes(e, a);
    sw_jit_exit_unless(e, a->ok);
    return place_of_lanes(e, a);
}

/* The bits below the byte `d` bytes on in its word: lanes of i32. */
static LLVMValueRef
shift_at(sw_jit_emit *e, const place *p, unsigned d)
{
    LLVMValueRef n = LLVMBuildAdd(B, p->at, like(e, p, d), "");
    n = LLVMBuildAnd(B, n, like(e, p, WORD - 1), "");
    n = LLVMBuildShl(B, n, like(e, p, 3), "");
    return p->is_one
               ? sw_jit_splat(e, LLVMBuildTrunc(B, n, e->t.i32, ""), e->lanes)
               : n;
}

/* Where the rows' part of the word with that byte begins: a pointer to the row,
 * or by lane the offset of its word. */
static LLVMValueRef
word_at(sw_jit_emit *e, const place *p, unsigned d)
{
    LLVMValueRef n = LLVMBuildAdd(B, p->at, like(e, p, d), "");
    n = LLVMBuildAnd(B, n, like(e, p, ~(uint64_t)(WORD - 1)), "");
    n = LLVMBuildMul(B, n, like(e, p, e->lanes), "");
    if (p->is_one)
        return sw_jit_at(e, p->local, n);
    int64_t lane[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        lane[i] = (int64_t)i * WORD;
    return LLVMBuildAdd(B, n, sw_jit_const_lanes(e->t.i32, lane, e->lanes), "");
}

/* A word of each lane, wherever it is, as an access of its own. */
static sw_jit_access
access_of_words(const place *p, LLVMValueRef word)
{
    return (sw_jit_access){.ins = p->a->ins,
                           .elem = WORD,
                           .align = WORD,
                           .vec = 1,
                           .unit = WORD,
                           .extent = WORD,
                           .lane_offset = word,
                           .scale = 1,
                           .base = p->local};
}

static LLVMValueRef
load_words(sw_jit_emit *e, const place *p, LLVMValueRef word)
{
    if (!p->is_one) {
        sw_jit_access lanes = access_of_words(p, word);
        return sw_jit_gather(e, &lanes, 0);
    }
    LLVMValueRef x =
        LLVMBuildLoad2(B, LLVMVectorType(e->t.i32, e->lanes), word, "");
    sw_jit_set_align(x, 16 * WORD);
    return x;
}

static void
store_words(sw_jit_emit *e, const place *p, LLVMValueRef word, LLVMValueRef x)
{
    if (!p->is_one) {
        sw_jit_access lanes = access_of_words(p, word);
        sw_jit_store_each(e, &lanes, x, 0, NULL);
        return;
    }
    if (!e->mask
             .is_full) /* what follows loads it sooner than if it had a mask */
        x = LLVMBuildSelect(B, e->mask.lanes, x, load_words(e, p, word), "");
    sw_jit_set_align(LLVMBuildStore(B, x, word), 16 * WORD);
}

/* ---- elements ---- */

static LLVMValueRef
load_element(sw_jit_emit *e, const place *p, unsigned k)
{
    const sw_jit_access *a = p->a;
    unsigned d = k * a->elem;
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), e->lanes);
    LLVMValueRef x = load_words(e, p, word_at(e, p, d));
    if (a->elem < WORD)
        return LLVMBuildTrunc(B, LLVMBuildLShr(B, x, shift_at(e, p, d), ""),
                              type, "");
    if (a->elem == WORD)
        return x;
    LLVMValueRef high = load_words(e, p, word_at(e, p, d + WORD));
    high = LLVMBuildZExt(B, high, type, "");
    high = LLVMBuildShl(B, high,
                        sw_jit_splat(e, sw_jit_i64(e, 8 * WORD), e->lanes), "");
    return LLVMBuildOr(B, LLVMBuildZExt(B, x, type, ""), high, "");
}

/* x in its place among the other bytes of its word. */
static LLVMValueRef
insert_bytes(sw_jit_emit *e, const place *p, unsigned d, LLVMValueRef word,
             LLVMValueRef x)
{
    LLVMTypeRef type = LLVMVectorType(e->t.i32, e->lanes);
    LLVMValueRef shift = shift_at(e, p, d);
    LLVMValueRef all =
        sw_jit_splat(e, sw_jit_i32(e, (1u << (8 * p->a->elem)) - 1), e->lanes);
    LLVMValueRef rest = LLVMBuildNot(B, LLVMBuildShl(B, all, shift, ""), "");
    x = LLVMBuildShl(B, LLVMBuildZExt(B, x, type, ""), shift, "");
    return LLVMBuildOr(B, LLVMBuildAnd(B, load_words(e, p, word), rest, ""), x,
                       "");
}

static void
store_element(sw_jit_emit *e, const place *p, unsigned k)
{
    const sw_jit_access *a = p->a;
    unsigned d = k * a->elem;
    LLVMTypeRef type = LLVMVectorType(e->t.i32, e->lanes);
    LLVMValueRef x = sw_jit_stored(e, a, k), word = word_at(e, p, d);
    if (a->elem < WORD)
        x = insert_bytes(e, p, d, word, x);
    if (a->elem <= WORD) {
        store_words(e, p, word, x);
        return;
    }
    store_words(e, p, word, LLVMBuildTrunc(B, x, type, ""));
    x = LLVMBuildLShr(B, x, sw_jit_splat(e, sw_jit_i64(e, 8 * WORD), e->lanes),
                      "");
    store_words(e, p, word_at(e, p, d + WORD), LLVMBuildTrunc(B, x, type, ""));
}

LLVMValueRef
sw_jit_load_rows(sw_jit_emit *e, const sw_jit_access *a)
{
    place p = place_of_lanes(e, a);
    return load_element(e, &p, 0);
}

void
sw_jit_store_rows(sw_jit_emit *e, const sw_jit_access *a)
{
    place p = place_of_lanes(e, a);
    store_element(e, &p, 0);
}

/* One place of all lanes, which has passed the test. */
static place
place_of_all(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef at)
{
    return (place){
        .a = a,
        .at = at,
        .is_one = true,
        .local = sw_jit_field(e, offsetof(sw_jit_ctx, local), e->t.ptr, true)};
}

LLVMValueRef
sw_jit_load_row(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef at)
{
    place p = place_of_all(e, a, at);
    return load_element(e, &p, 0);
}

void
sw_jit_store_row(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef at)
{
    place p = place_of_all(e, a, at);
    store_element(e, &p, 0);
}

void
sw_jit_load_local(sw_jit_emit *e, sw_jit_access *a)
{
    place p = open_place(e, a);
    for (unsigned k = 0; k < a->vec; k++)
        if (a->ins->opnd[k].kind == SW_OPND_REG)
            sw_jit_write_loaded(e, a, k, load_element(e, &p, k));
}

void
sw_jit_store_local(sw_jit_emit *e, sw_jit_access *a)
{
    place p = open_place(e, a);
    for (unsigned k = 0; k < a->vec; k++)
        store_element(e, &p, k);
}
