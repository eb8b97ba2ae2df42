/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inlining.h - inlines functions into those that call them. Compilers leave
 * calls of what is large or marked as not to be inlined; a call costs an engine
 * more than most of these functions do.
 */
#ifndef SW_INLINING_H
#define SW_INLINING_H
#include "ir/ir.h"

/*
 * A copy of the function, in the arena and with parts of it, in which calls of
 * functions of its module are their code: those that do not call themselves,
 * small ones first, and in kernels large ones too, as far as all does not
 * become large; and calls by address are such of the few functions that may be
 * meant, if it is one; what so calls itself is code once, and a call in that
 * code. NULL: there are none such, or the module is for debugging. The module
 * is not changed; instructions keep their lines.
 */
const sw_fn *sw_opt_inline_calls(const sw_fn *fn, sw_arena *arena);

#endif
