/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deopt.h - inside jit: what a warp leaves in its frame when it goes on in the
 * interpreter, made into registers of 32 lanes (see sw_jit_location), and its
 * local memory. Any thread.
 */
#ifndef SW_JIT_DEOPT_H
#define SW_JIT_DEOPT_H
#include "jit/abi.h"

/* The register of this location in the frame of one of the fused warps;
 * regs[0], the first one's, has the parts, so that it comes last. lane_parts:
 * the table. */
void sw_jit_expand(const sw_jit_location *location, const int32_t *lane_parts,
                   uint8_t *const *regs, unsigned warp);
/* The interpreter's registers of the fused warps, from what compiled code has
 * put into their frames. */
void sw_jit_expand_fused(sw_jit_ctx *ctx, const sw_jit_side_exit *x);
/* The other way, for a warp alone: what makes the lanes `live` of a register,
 * which lies in the frame `regs`, one of this location. False: it cannot be
 * told from these lanes, or they are not of it. Then the parts' place in the
 * frame.
 */
typedef struct {
    uint64_t base[2], s;
    uint32_t narrow;
} sw_jit_location_parts;
bool sw_jit_contract(const sw_jit_location *location, const int32_t *lane_parts,
                     const uint8_t *regs, uint32_t live,
                     sw_jit_location_parts *parts);
void sw_jit_put_parts(const sw_jit_location *location,
                      const sw_jit_location_parts *parts, uint8_t *regs);
/* Local memory of a warp, or of fused warps, which lies side by side: from
 * rows, a word of all lanes each, to what the interpreter has, a thread's
 * `stride` bytes side by side; and back. */
void sw_jit_sort_local(uint8_t *local, uint64_t stride, size_t lanes);
void sw_jit_mix_local(uint8_t *local, uint64_t stride, size_t lanes);

#endif
