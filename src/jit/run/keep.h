/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.h - inside jit: helpers (abi.h) that keep all registers, for calls that
 * are rarely made.
 */
#ifndef SW_JIT_KEEP_H
#define SW_JIT_KEEP_H
#include <stdbool.h>
#include <stdint.h>

#include "jit/abi.h"

/* Before the first of them is called: which registers this processor has. */
void sw_jit_keep_detect(void);
extern bool sw_jit_keep_has_avx;

/* What they call: as abi.h says (run/runtime.c). */
void sw_jit_help_step(sw_jit_ctx *ctx, uint32_t side_exit, uint32_t *mask);
uint32_t sw_jit_help_window(sw_jit_ctx *ctx, uint32_t site, uint64_t addr);
/* From code that flushes: the step does not. */
void sw_jit_plain_step(sw_jit_ctx *ctx, uint32_t side_exit, uint32_t *mask);

void sw_jit_keep_step(sw_jit_ctx *ctx, uint32_t side_exit, uint32_t *mask);
void sw_jit_keep_plain_step(sw_jit_ctx *ctx, uint32_t side_exit,
                            uint32_t *mask);
uint32_t sw_jit_keep_window(sw_jit_ctx *ctx, uint32_t site, uint64_t addr);

#endif
