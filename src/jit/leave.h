/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.h - inside jit: what a warp leaves in its frame when it goes on in the
 * interpreter, made into registers of 32 lanes; see sw_jit_form. Any thread.
 */
#ifndef SW_JIT_LEAVE_H
#define SW_JIT_LEAVE_H
#include "jit/abi.h"

/* The register of this form in the frame of a warp of the team, 0 or 1; regs[0]
 * has the parts. The second warp's comes first. */
void sw_jit_expand(const sw_jit_form *form, uint8_t *const regs[2],
                   unsigned warp);

#endif
