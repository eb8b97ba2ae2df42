/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_private.c - loops with local memory that lanes run one after another
 * (emit/scalar_loop.c): heaps, stacks, lists that are kept sorted. Nobody else
 * sees what a lane has there, so it may store. By vectors each access at an
 * index of each lane's is 32, and lanes that take different ways wait for each
 * other. Loops that only look for something, or in which all do the same, are
 * left to vectors: there lanes mostly look at the same place.
 *
 * A lane that stores cannot begin again if a test fails. Where its local memory
 * ends the interpreter reports a fault, and nothing else of the warp matters;
 * what it loads elsewhere then goes through the interpreter's function.
 */
#include <string.h>

#include "jit/emit/access_ways.h"
#include "jit/emit/scalar_loop.h"
#include "jit/tune.h"

#define B e->ll.builder

/* ---- which loops ---- */

/* ---- which lanes ---- */

/* i1: their indices differ. */
static LLVMValueRef
differ(sw_jit_emit *e, const sw_jit_scalar_loop *s, LLVMValueRef first)
{
    bool is_index[SW_JIT_SCALAR_REGS];
    LLVMValueRef all = NULL;
    sw_jit_find_index_regs(e->plan, s, is_index);
    for (unsigned i = 0; i < s->count; i++) {
        if (!is_index[i])
            continue;
        sw_jit_value v = sw_jit_read_reg(e, s->regs[i].reg);
        LLVMValueRef one = LLVMBuildExtractElement(B, v.base, first, "");
        LLVMValueRef is = LLVMBuildICmp(B, LLVMIntNE, v.base,
                                        sw_jit_splat(e, one, e->lanes), "");
        all = all ? LLVMBuildOr(B, all, is, "") : is;
    }
    return all ? sw_jit_any(e, LLVMBuildAnd(B, all, e->mask.lanes, ""))
               : LLVMConstInt(e->t.i1, 0, 0);
}

static LLVMValueRef
are_apart(sw_jit_emit *e, void *arg)
{
    const sw_jit_scalar_loop *s = arg;
    LLVMValueRef bits = sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &e->t.bits, 1, &bits, 1);
    LLVMValueRef ok =
        LLVMBuildICmp(B, LLVMIntULE, n,
                      sw_jit_i32(e, sw_jit_tune.scalar_private_few_lanes), "");
    return LLVMBuildOr(B, ok, differ(e, s, sw_jit_first_of(e, bits)), "");
}

LLVMValueRef
sw_jit_lie_apart(sw_jit_emit *e, sw_jit_scalar_loop *s)
{
    return sw_jit_ask_seldom(e, sw_jit_tune.scalar_private_skip, are_apart, s);
}

/* ---- what one does ---- */

LLVMValueRef
sw_jit_own_bit(const sw_jit_emit *e)
{
    return LLVMBuildShl(B, sw_jit_i32(e, 1), e->at.own_lane, "");
}

static LLVMValueRef
place_of(sw_jit_emit *e, const sw_jit_access *a)
{
    LLVMValueRef x = a->address.base;
    if (a->is_shared) {
        x = LLVMBuildIntCast2(B, x, e->t.i32, 0, "");
        x = LLVMBuildAdd(B, x, sw_jit_i32(e, (uint32_t)a->offset), "");
        return LLVMBuildZExt(B, x, e->t.i64, "");
    }
    x = LLVMBuildIntCast2(B, x, e->t.i64, 0, "");
    return LLVMBuildAdd(B, x, sw_jit_i64(e, (uint64_t)a->offset), "");
}

/* Through the interpreter's function. */
static void
step(sw_jit_emit *e)
{
    sw_jit_mask before = sw_jit_mask_set(
        e, LLVMBuildBitCast(B, sw_jit_own_bit(e), e->t.mask_type, ""));
    sw_jit_emit_rare_step(e);
    sw_jit_mask_restore(e, &before);
}

/* Goes on where the access has passed its tests; *done: it is done there. */
static LLVMValueRef
test(sw_jit_emit *e, sw_jit_access *a, LLVMBasicBlockRef *done)
{
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMValueRef place = place_of(e, a);
    bool is_local = a->ins->space == SW_SPACE_LOCAL;
    if (!is_local && !a->is_shared) {
        a->site = sw_jit_new_site(e, a->extent);
        a->has_site = true;
    }
    LLVMValueRef ok = sw_jit_may_go(e, a, place);
    if (a->has_site)
        ok = sw_jit_or_moved(e, ok, a->site, place, a->shift);
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    *done = sw_jit_block(e, "done");
    if (is_local) {
        sw_jit_emit_final_exit(e, sw_jit_own_bit(e));
    } else {
        step(e);
        LLVMBuildBr(B, *done);
    }
    LLVMPositionBuilderAtEnd(B, fast);
    return sw_jit_pointer_of(e, a, place, e->at.own_lane);
}

void
sw_jit_own_load(sw_jit_emit *e)
{
    sw_jit_access a;
    LLVMBasicBlockRef done;
    sw_jit_open_access(e, &a);
    LLVMValueRef x = sw_jit_load_one(e, &a, test(e, &a, &done));
    const sw_opnd *d = &e->at.ins->opnd[0];
    if (d->kind == SW_OPND_REG) {
        sw_class cls = e->plan->fn->regs[d->reg].cls;
        sw_jit_value v = sw_jit_uniform(cls, sw_jit_extend(e, &a, x, cls, 1));
        sw_jit_write(e, d->reg, &v, 0);
    }
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
}

void
sw_jit_own_store(sw_jit_emit *e)
{
    sw_jit_access a;
    LLVMBasicBlockRef done;
    sw_jit_open_access(e, &a);
    LLVMValueRef x = sw_jit_read_exact(e, e->at.ins, 1).base;
    x = LLVMBuildIntCast2(B, x, sw_jit_elem_type(e, &a), 0, "");
    sw_jit_store_one(e, &a, test(e, &a, &done), x);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
}
