/* SPDX-License-Identifier: Apache-2.0 */
/* sync.h - between run/sync.c and run/runtime.c. */
#ifndef SW_JIT_SYNC_H
#define SW_JIT_SYNC_H
#include "jit/abi.h"

/* SW_JIT_SYNC of abi.h, only for compiled code. Fibers must be plain
 * (run/fiber.h) in a barrier ring. */
void sw_jit_sync(void);
/* The same for a warp in no barrier ring. Returns ctx. */
sw_jit_ctx *sw_jit_sync_alone(sw_jit_ctx *ctx, uint32_t ins);

/* SW_JIT_DONE, only for compiled code: leaves the ring; the others go on, or
 * the root. A warp in none returns to who called its code. */
void sw_jit_done(sw_jit_ctx *ctx);

#endif
