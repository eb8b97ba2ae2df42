/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture.h - inside the compiler: between emit/texture.c, fetches by
 * functions of the runtime, and emit/texel.c, those in place.
 */
#ifndef SW_JIT_EMIT_TEXTURE_H
#define SW_JIT_EMIT_TEXTURE_H
#include "jit/emit/access.h"

/* i1: the site has the plan of this texture (a handle, i64); *plan: its address
 * (i64). */
LLVMValueRef sw_jit_has_plan(sw_jit_emit *e, uint32_t site,
                             LLVMValueRef texture, LLVMValueRef *plan);

/* tex, by a handle that all lanes share. Goes to `done` where results are
 * written, else on; *site: whose plan it looks at. False: nothing is emitted,
 * as it is not one for this. */
bool sw_jit_fetch_in_place(sw_jit_emit *e, uint32_t *site,
                           LLVMBasicBlockRef done);

#endif
