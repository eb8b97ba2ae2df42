/* SPDX-License-Identifier: Apache-2.0 */
/* observe.h - what events say of an access by an instruction (observe.c), for
 * back ends that tell them. Pure; any thread. */
#ifndef SW_INTERP_OBSERVE_H
#define SW_INTERP_OBSERVE_H
#include "exec/event.h"

/* But for whose memory it is and where. */
sw_ev_mem sw_interp_describe(const sw_ins *ins, sw_space space, uint32_t bytes);

#endif
