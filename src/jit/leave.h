/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.h - inside jit: what a warp leaves in its frame when it goes on in the
 * interpreter, made into registers of 32 lanes; see sw_jit_form. Any thread.
 */
#ifndef SW_JIT_LEAVE_H
#define SW_JIT_LEAVE_H
#include "jit/abi.h"

/* The register of this form in the frame of a warp of the team; regs[0], the
 * first one's, has the parts, so that it comes last. lane_parts: the table. */
void sw_jit_expand(const sw_jit_form *form, const int32_t *lane_parts,
                   uint8_t *const *regs, unsigned warp);

#endif
