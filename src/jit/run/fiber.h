/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fiber.h - stacks on which warps run compiled code, and switches between
 * them. A switch saves what the platform's calls preserve and nothing else;
 * it takes about 3 ns.
 *
 * A stack comes from the thread's own list and goes back there, so that warps
 * that never wait use the same, warm one. A fiber may be resumed on another
 * thread than it started on.
 */
#ifndef SW_JIT_FIBER_H
#define SW_JIT_FIBER_H
#include "base/base.h"

typedef struct sw_fiber sw_fiber;
typedef void sw_fiber_fn(void *arg);

/* A fiber that will run fn(arg), which must not return. Owned by caller,
 * sw_fiber_put; NULL without memory. */
sw_fiber *sw_fiber_get(sw_fiber_fn *fn, void *arg);
/* A plain one that is not running will run code(arg), and if that returns,
 * after(after_arg), which must not. What it was doing is forgotten. */
void sw_fiber_begin_code(sw_fiber *fiber, sw_fiber_fn *code, void *arg,
                         sw_fiber_fn *after, void *after_arg);
/* Whatever it was doing is forgotten. Not from inside. */
void sw_fiber_put(sw_fiber *fiber);
/* Runs the fiber until it calls sw_fiber_leave; if `flushes`, the processor
 * flushes there (SW_JIT_FLUSHES), unless the fiber left while it did not. */
void sw_fiber_enter(sw_fiber *fiber, bool flushes);
/* From inside: back to where `root` was entered; returns when entered again,
 * with the floating-point state of now.
 * root is the fiber itself, or the one from which it was passed to. */
void sw_fiber_leave(sw_fiber *fiber, const sw_fiber *root);
/* True if fibers may be switched without these functions (run/sync.c): the
 * stack pointer is what a fiber begins with. Sanitizers want to know of
 * switches. */
bool sw_fiber_is_plain(void);

#endif
