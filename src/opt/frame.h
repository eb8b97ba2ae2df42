/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - the memory of a function's activations. Passes that keep in
 * registers what was there leave holes; each thread has its own frame, so its
 * size matters.
 */
#ifndef SW_FRAME_H
#define SW_FRAME_H
#include "ir/ir.h"

/* A copy of the function, in the arena and with parts of it, whose frame ends
 * behind the last variable that it still mentions, at a multiple of 16 bytes.
 * NULL: its frame does so already. */
const sw_fn *sw_opt_trim_frame(const sw_fn *fn, sw_arena *arena);

#endif
