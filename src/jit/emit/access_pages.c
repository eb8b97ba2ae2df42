/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_pages.c - where lanes do not all lie in the window of their
 * instruction, each is looked for in the table of accessible pages: they may
 * have different allocations. A window that holds none of them is moved to the
 * first.
 */
#include <stdio.h>

#include "jit/emit/access.h"
#include "mem/mem.h"

#define B e->ll.builder

enum { CTX, ADDRESSES, MASK, ARGS, NAME_BYTES = 48 };

typedef struct {
    unsigned extent, shift; /* bytes that each accesses; log2 of what it is
                               aligned to */
} place;

static LLVMValueRef
of_all(sw_jit_emit *e, uint64_t n)
{
    return sw_jit_splat(e, sw_jit_i64(e, n), e->lanes);
}

static LLVMValueRef
view_field(sw_jit_emit *e, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef view =
        sw_jit_field(e, offsetof(sw_jit_ctx, view), e->t.ptr, true);
    LLVMValueRef load =
        LLVMBuildLoad2(B, type, sw_jit_at(e, view, sw_jit_i64(e, offset)), "");
    sw_jit_mark_constant(e, load);
    return load;
}

/* The bytes of a table that lanes number, as far as they are `inside` it. */
static LLVMValueRef
look_up(sw_jit_emit *e, LLVMValueRef table, LLVMValueRef number,
        LLVMValueRef inside)
{
    LLVMTypeRef words = LLVMVectorType(e->t.i32, e->lanes);
    number = LLVMBuildSelect(B, inside, number, of_all(e, 0), "");
    if (!e->ll.has_avx512) {
        LLVMValueRef x = LLVMGetPoison(LLVMVectorType(e->t.i8, e->lanes));
        for (unsigned i = 0; i < e->lanes; i++) {
            LLVMValueRef lane = sw_jit_i32(e, i);
            LLVMValueRef n = LLVMBuildExtractElement(B, number, lane, "");
            LLVMValueRef one =
                LLVMBuildLoad2(B, e->t.i8, sw_jit_at(e, table, n), "");
            x = LLVMBuildInsertElement(B, x, one, lane, "");
        }
        return LLVMBuildZExt(B, x, words, "");
    }
    LLVMValueRef word = LLVMBuildLShr(B, number, of_all(e, 2), "");
    LLVMValueRef pointers = LLVMBuildGEP2(B, e->t.i32, table, &word, 1, "");
    LLVMTypeRef types[2] = {words, LLVMTypeOf(pointers)};
    LLVMValueRef args[4] = {pointers, sw_jit_i32(e, 4), inside,
                            LLVMConstNull(words)};
    LLVMValueRef x =
        sw_jit_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
    LLVMValueRef bit = LLVMBuildAnd(B, number, of_all(e, 3), "");
    bit = LLVMBuildShl(B, bit, of_all(e, 3), "");
    x = LLVMBuildLShr(B, x, LLVMBuildTrunc(B, bit, words, ""), "");
    LLVMValueRef byte = sw_jit_splat(e, sw_jit_i32(e, 0xff), e->lanes);
    return LLVMBuildAnd(B, x, byte, "");
}

/* Whether the bytes at these distances from the first page are accessible. */
static LLVMValueRef
are_there(sw_jit_emit *e, LLVMValueRef distance)
{
    LLVMValueRef bytes = view_field(e, offsetof(sw_mem_view, bytes), e->t.i64);
    LLVMValueRef pages = view_field(e, offsetof(sw_mem_view, pages), e->t.ptr);
    LLVMValueRef inside = LLVMBuildICmp(B, LLVMIntULT, distance,
                                        sw_jit_splat(e, bytes, e->lanes), "");
    inside = LLVMBuildAnd(B, inside, e->mask.lanes, "");
    LLVMValueRef number =
        LLVMBuildLShr(B, distance, of_all(e, SW_MEM_PAGE_SHIFT), "");
    LLVMValueRef byte = look_up(e, pages, number, inside);
    LLVMValueRef is_page =
        LLVMBuildICmp(B, LLVMIntNE, byte, LLVMConstNull(LLVMTypeOf(byte)), "");
    return LLVMBuildAnd(B, inside, is_page, "");
}

/* The function: i1, all lanes that run may access what they want. */
static LLVMValueRef
lie_in_pages(sw_jit_emit *e, const LLVMValueRef *args, const void *data)
{
    const place *p = data;
    e->f.ctx_slot = sw_jit_slot_of(e, e->t.ptr);
    LLVMBuildStore(B, args[CTX], e->f.ctx_slot);
    sw_jit_mask_set(e, LLVMBuildBitCast(B, args[MASK], e->t.mask_type, ""));
    LLVMValueRef base = view_field(e, offsetof(sw_mem_view, base), e->t.i64);
    LLVMValueRef d =
        LLVMBuildSub(B, args[ADDRESSES], sw_jit_splat(e, base, e->lanes), "");
    LLVMValueRef ok = are_there(e, d);
    if (p->extent > 1u << p->shift) {
        LLVMValueRef last = LLVMBuildAdd(B, d, of_all(e, p->extent - 1), "");
        ok = LLVMBuildAnd(B, ok, are_there(e, last), "");
    }
    LLVMValueRef low =
        LLVMBuildAnd(B, args[ADDRESSES], of_all(e, (1ull << p->shift) - 1), "");
    ok = LLVMBuildAnd(B, ok, LLVMBuildICmp(B, LLVMIntEQ, low, of_all(e, 0), ""),
                      "");
    ok = LLVMBuildOr(B, ok, LLVMBuildNot(B, e->mask.lanes, ""), "");
    LLVMValueRef is_exact =
        view_field(e, offsetof(sw_mem_view, exact), e->t.i8);
    return LLVMBuildAnd(
        B, sw_jit_all(e, ok),
        LLVMBuildICmp(B, LLVMIntEQ, is_exact, LLVMConstNull(e->t.i8), ""), "");
}

/* Calls for the window of an instruction, whose number a function of the module
 * does not know. */
static LLVMValueRef
number_of(sw_jit_emit *e, uint32_t site)
{
    if (!e->at.window)
        return sw_jit_i32(e, site);
    LLVMValueRef all =
        sw_jit_field(e, offsetof(sw_jit_ctx, windows), e->t.i64, true);
    LLVMValueRef at = LLVMBuildPtrToInt(B, e->at.window, e->t.i64, "");
    at = LLVMBuildUDiv(B, LLVMBuildSub(B, at, all, ""),
                       sw_jit_i64(e, sizeof(sw_jit_window)), "");
    return LLVMBuildTrunc(B, at, e->t.i32, "");
}

/* i1: true from the first block, r from the other one. */
static LLVMValueRef
join(sw_jit_emit *e, LLVMBasicBlockRef first, LLVMBasicBlockRef other,
     LLVMValueRef r)
{
    LLVMValueRef phi = LLVMBuildPhi(B, e->t.i1, "");
    LLVMValueRef values[2] = {LLVMConstInt(e->t.i1, 1, 0), r};
    LLVMBasicBlockRef from[2] = {first, other};
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

LLVMValueRef
sw_jit_or_in_pages(sw_jit_emit *e, LLVMValueRef ok, uint32_t site,
                   LLVMValueRef addresses, unsigned extent, unsigned shift)
{
    place p = {extent, shift};
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMBasicBlockRef again = sw_jit_block(e, "again");
    LLVMBasicBlockRef move = sw_jit_block(e, "move");
    LLVMBasicBlockRef look = sw_jit_block(e, "look");
    LLVMBasicBlockRef out = sw_jit_block(e, "tested");
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, out, again), true);

    LLVMPositionBuilderAtEnd(B, again);
    LLVMValueRef bits = e->mask.is_full ? LLVMConstAllOnes(e->t.bits)
                                        : sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef lo = sw_jit_window_part(e, site, 0);
    LLVMValueRef limit =
        sw_jit_window_part(e, site, offsetof(sw_jit_window, limit));
    LLVMValueRef d =
        LLVMBuildSub(B, addresses, sw_jit_splat(e, lo, e->lanes), "");
    LLVMValueRef inside =
        LLVMBuildICmp(B, LLVMIntULE, d, sw_jit_splat(e, limit, e->lanes), "");
    if (!e->mask.is_full)
        inside = LLVMBuildAnd(B, inside, e->mask.lanes, "");
    LLVMValueRef is_useful =
        LLVMBuildICmp(B, LLVMIntNE, sw_jit_mask_bits(e, inside),
                      LLVMConstNull(e->t.bits), "");
    LLVMBuildCondBr(B, is_useful, look, move);

    LLVMPositionBuilderAtEnd(B, move);
    LLVMValueRef lane =
        e->mask.is_full ? sw_jit_i32(e, 0) : sw_jit_first_of(e, bits);
    LLVMValueRef to[2] = {number_of(e, site),
                          LLVMBuildExtractElement(B, addresses, lane, "")};
    sw_jit_call(e, SW_JIT_WINDOW, e->t.i32, to, 2);
    LLVMBuildBr(B, look);

    LLVMPositionBuilderAtEnd(B, look);
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "pages_%u_by_%u", extent, 1u << shift);
    LLVMValueRef args[ARGS] = {sw_jit_ctx_of(e), addresses, bits};
    LLVMValueRef r =
        sw_jit_outlined(e, name, e->t.i1, args, ARGS, false, lie_in_pages, &p);
    look = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);

    LLVMPositionBuilderAtEnd(B, out);
    return join(e, here, look, r);
}

LLVMValueRef
sw_jit_or_moved(sw_jit_emit *e, LLVMValueRef ok, uint32_t site,
                LLVMValueRef address, unsigned shift)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(B);
    LLVMBasicBlockRef move = sw_jit_block(e, "move");
    LLVMBasicBlockRef out = sw_jit_block(e, "tested");
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, out, move), true);
    LLVMPositionBuilderAtEnd(B, move);
    LLVMValueRef to[2] = {sw_jit_i32(e, site), address};
    LLVMValueRef r = sw_jit_call(e, SW_JIT_WINDOW, e->t.i32, to, 2);
    r = LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntNE, r, sw_jit_i32(e, 0), ""),
                     sw_jit_is_aligned(e, address, 1u << shift), "");
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, out);
    return join(e, here, move, r);
}
