/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.h - inside jit: accesses that compiled code has not counted itself,
 * for the observer of the launch. On the thread of the block.
 */
#ifndef SW_JIT_OBSERVE_H
#define SW_JIT_OBSERVE_H
#include "interp/interp.h"
#include "watch/inline_counter.h"

/* Of some lanes of the warp, at instruction `ins` of its code. addr as in
 * sw_ev_mem if the instruction knows its space, else generic; bytes of a lane;
 * is_row as in sw_ev_access. */
void sw_jit_observe(sw_run *run, uint32_t ins, uint32_t mask,
                    const uint64_t addr[SW_WARP_LANES], uint32_t bytes,
                    bool is_row);
/* The same of a table with one group that begins at `start`. */
void sw_jit_observe_at(sw_run *run, const sw_counter_access *a, uint32_t mask,
                       uint64_t start);

#endif
