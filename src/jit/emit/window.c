/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.c - bounds of addresses. Each access to flat memory has a window: the
 * pages that it found allocated last, which its next address is tested against
 * first.
 */
#include "jit/emit/access.h"

#define B e->ll.builder

LLVMValueRef
sw_jit_rotate(sw_jit_emit *e, LLVMValueRef x, unsigned by)
{
    if (!by)
        return x;
    LLVMTypeRef type = LLVMTypeOf(x);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef element = is_vector ? LLVMGetElementType(type) : type;
    LLVMValueRef n = LLVMConstInt(element, by, 0);
    LLVMValueRef args[3] = {x, x, is_vector ? sw_jit_splat(e, n, e->lanes) : n};
    return sw_jit_intrinsic(e, "llvm.fshr", &type, 1, args, 3);
}

LLVMValueRef
sw_jit_window_of(sw_jit_emit *e, uint32_t site)
{
    if (e->at.is_outlined)
        return e->at.window;
    LLVMValueRef table =
        sw_jit_field(e, offsetof(sw_jit_ctx, windows), e->t.ptr, true);
    return sw_jit_at(e, table, sw_jit_i64(e, site * sizeof(sw_jit_window)));
}

LLVMValueRef
sw_jit_window_part(sw_jit_emit *e, uint32_t site, size_t part)
{
    LLVMValueRef at =
        sw_jit_at(e, sw_jit_window_of(e, site), sw_jit_i64(e, part));
    return LLVMBuildLoad2(B, e->t.i64, at, "");
}

uint32_t
sw_jit_new_site(sw_jit_emit *e, int64_t extent)
{
    *(sw_jit_site *)sw_vec_push(&e->k.sites) = (sw_jit_site){(uint32_t)extent};
    return (uint32_t)e->k.sites.count - 1;
}

LLVMValueRef
sw_jit_shared_bytes(sw_jit_emit *e)
{
    return sw_jit_field(e, offsetof(sw_jit_ctx, shared_bytes), e->t.i64, true);
}

LLVMValueRef
sw_jit_is_aligned(sw_jit_emit *e, LLVMValueRef address, unsigned unit)
{
    return LLVMBuildICmp(B, LLVMIntEQ,
                         LLVMBuildAnd(B, address, sw_jit_i64(e, unit - 1), ""),
                         sw_jit_i64(e, 0), "");
}

/* Where all is known, so is that it lies in what every block has. */
LLVMValueRef
sw_jit_ends_in_shared(sw_jit_emit *e, LLVMValueRef end)
{
    LLVMValueRef ok =
        LLVMBuildICmp(B, LLVMIntULE, end, sw_jit_shared_bytes(e), "");
    if (!e->shapes->map.is_block)
        return ok;
    LLVMValueRef always = sw_jit_i64(e, e->plan->rq->shared_bytes);
    return LLVMBuildOr(B, LLVMBuildICmp(B, LLVMIntULE, end, always, ""), ok,
                       "");
}
