/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_far.c - accesses by lanes that lie anywhere, in kernels that have many:
 * test and access are a function (emit_outline.c), as each takes hundreds of
 * instructions, and LLVM as long for them as for a small kernel.
 */
#include <stdio.h>
#include <stdlib.h>

#include "jit/emit_access.h"

#define B e->ll.builder

/* Up to so many are spelled out: without AVX-512 a call takes a fifth longer
 * than what it stands for; with it that could not be told. */
enum { FEW = 24, FEW_AVX512 = 12, NAME_BYTES = 64 };

enum { CTX, WINDOW, FROM, LANES, MASK, STORED, ARGS };

typedef struct {
    const sw_jit_access *a;
    const sw_jit_lanes_at *at;
    bool is_store, is_full;
} far;

static bool
lies_anywhere(const sw_jit_emit *e, const sw_ins *ins)
{
    const sw_opnd *o =
        ins->op == SW_OP_LD || ins->op == SW_OP_ST ? sw_ins_src(ins, 0) : NULL;
    return o && o->kind == SW_OPND_REG &&
           (ins->space != SW_SPACE_LOCAL || e->has_local_rows) &&
           e->shapes->regs[o->reg].kind == SW_SHAPE_VARYING;
}

bool
sw_jit_has_many_far(const sw_jit_emit *e)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < e->fn->block_count; b++)
        for (uint32_t i = 0;
             !e->fn->blocks[b]->is_rare && i < e->fn->blocks[b]->count; i++)
            count += lies_anywhere(e, e->fn->blocks[b]->ins[i]);
    const char *few = getenv("SOFTWARP_JIT_FAR"); /* for tests */
    return count > (few                ? strtoul(few, NULL, 10)
                    : e->ll.has_avx512 ? FEW_AVX512
                                       : FEW);
}

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

/* The function: i1, the test has passed; of a load, with the elements. */
static LLVMValueRef
access_far(sw_jit_emit *e, const LLVMValueRef *args, const void *data)
{
    const far *f = data;
    sw_jit_access a = *f->a;
    sw_jit_lanes_at at = *f->at;
    e->ctx_slot = sw_jit_slot_of(e, e->ptr);
    LLVMBuildStore(B, args[CTX], e->ctx_slot);
    e->window = args[WINDOW];
    e->is_full = f->is_full;
    e->mask = f->is_full ? LLVMConstAllOnes(e->mask_type)
                         : LLVMBuildBitCast(B, args[MASK], e->mask_type, "");
    at.lanes = args[LANES];
    at.from = at.from ? args[FROM] : NULL;
    a.stored = f->is_store ? args[STORED] : NULL;
    sw_jit_test_lanes(e, &a, &at);
    sw_jit_test_pages(e, &a, &at);

    LLVMBasicBlockRef from[2], out = enter(e, a.ok, &from[0]);
    bool is_local = a.ins->space == SW_SPACE_LOCAL;
    LLVMValueRef x = NULL;
    if (!f->is_store)
        x = is_local ? sw_jit_load_rows(e, &a) : sw_jit_load_lanes(e, &a);
    else if (is_local)
        sw_jit_store_rows(e, &a);
    else
        sw_jit_store_lanes(e, &a);
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, out);
    if (f->is_store)
        return a.ok;
    LLVMValueRef x_or_not[2] = {LLVMGetPoison(LLVMTypeOf(x)), x};
    LLVMValueRef phi = LLVMBuildPhi(B, LLVMTypeOf(x), "");
    LLVMAddIncoming(phi, x_or_not, from, 2);
    LLVMTypeRef types[2] = {LLVMTypeOf(x), e->i1};
    LLVMValueRef r =
        LLVMGetPoison(LLVMStructTypeInContext(e->ll.context, types, 2, false));
    r = LLVMBuildInsertValue(B, r, phi, 0, "");
    return LLVMBuildInsertValue(B, r, a.ok, 1, "");
}

static LLVMValueRef
call_function(sw_jit_emit *e, const far *f)
{
    const sw_jit_access *a = f->a;
    const sw_jit_lanes_at *at = f->at;
    LLVMTypeRef x = LLVMVectorType(sw_jit_elem_type(e, a), e->lanes);
    LLVMTypeRef pair[2] = {x, e->i1};
    LLVMTypeRef result =
        f->is_store ? e->i1
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
                               f->is_full ? LLVMConstAllOnes(e->bits)
                                          : sw_jit_mask_bits(e, e->mask),
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
        sw_jit_leave_unless(e, a->ok);
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
    far f = {a, &at, a->ins->op == SW_OP_ST, e->is_full};
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
sw_jit_move_far(sw_jit_emit *e, sw_jit_access *a)
{
    if (!(e->has_many_far || sw_jit_is_rare(e)) || e->tally || a->vec > 1 ||
        a->is_volatile ||
        (a->ins->space == SW_SPACE_LOCAL && !e->has_local_rows))
        return false;
    sw_jit_lanes_at at;
    sw_jit_find_lanes(e, a, &at);
    far f = {a, &at, a->ins->op == SW_OP_ST, e->is_full};
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
