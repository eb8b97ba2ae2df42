/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complain.h - what is said of a kernel's fault: the engine's report, and what
 * only the process knows of an address. Remembers that there was one, for the
 * exit status (SOFTWARP_ERROR_EXITCODE). Any thread may call.
 */
#ifndef SW_RT_COMPLAIN_H
#define SW_RT_COMPLAIN_H
#include "exec/exec.h"

/* There was a fault; the context's first is said on standard error, with the
 * stack of its launch (host_stack.h; 0: a kernel has launched it). */
void sw_rt_complain(const sw_fault *fault, bool is_first, uint32_t host_stack);

/* Which variable of device code has its host's copy at that address: its name,
 * or NULL. The runtime library says how it finds out; borrowed for ever. */
typedef const char *sw_rt_host_namer(uint64_t address);
/* Before the first fault; kept, as the library that has it is. */
void sw_rt_set_host_namer(sw_rt_host_namer *namer);

#endif
