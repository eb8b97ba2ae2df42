/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch.h - inside jit: SW_JIT_FETCH, tex, suld and sust by the lanes of a
 * fused warps. On the thread of the block.
 */
#ifndef SW_JIT_FETCH_H
#define SW_JIT_FETCH_H
#include "interp/interp.h"
#include "jit/abi.h"

typedef struct {
    sw_run *runs[SW_JIT_FUSED_MAX]; /* [fused] */
    uint32_t fused, at;             /* at: the instruction */
    uint64_t texture, sampler;      /* handles */
    const uint32_t *mask;           /* [fused] */
    uint32_t *rows;                 /* [SW_JIT_FETCH_ROWS][32 * fused] */
    sw_jit_window *window;
    sw_tex_plan **plan; /* where the site's is, or NULL; owned */
} sw_jit_fetch;

/* 0: nothing was done. */
uint32_t sw_jit_fetch_fused(const sw_jit_fetch *f);

#endif
