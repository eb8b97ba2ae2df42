/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.h - inside jit: what a warp leaves in its frame when it goes on in the
 * interpreter, made into registers of 32 lanes (see sw_jit_form), and its local
 * memory. Any thread.
 */
#ifndef SW_JIT_LEAVE_H
#define SW_JIT_LEAVE_H
#include "jit/abi.h"

/* The register of this form in the frame of a warp of the team; regs[0], the
 * first one's, has the parts, so that it comes last. lane_parts: the table. */
void sw_jit_expand(const sw_jit_form *form, const int32_t *lane_parts,
                   uint8_t *const *regs, unsigned warp);
/* Local memory of a warp, or of a team's, which lies side by side: from rows, a
 * word of all lanes each, to what the interpreter has, a thread's `stride`
 * bytes side by side. */
void sw_jit_sort_local(uint8_t *local, uint64_t stride, size_t lanes);

#endif
