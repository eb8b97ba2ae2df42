/* SPDX-License-Identifier: Apache-2.0 */
/* late.h - inside the interpreter: what orders stores that wait. */
#ifndef SW_INTERP_LATE_H
#define SW_INTERP_LATE_H
#include "exec/late.h"
#include "interp/interp.h"

/* The instruction, which is about to be executed, may order what the warp has
 * stored; if sw_late_is_on. */
void sw_interp_order_stores(const sw_run *run, const sw_dins *d);

#endif
