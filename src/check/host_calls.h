/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_calls.h - what the program's own calls copy, fill and free, held against
 * its allocations: also where the call fails and nothing is done.
 */
#ifndef SW_CHECK_HOST_CALLS_H
#define SW_CHECK_HOST_CALLS_H
#include "check/check.h"
#include "check/memory.h"

void sw_check_host_call(sw_check *check, sw_allocations *allocations,
                        const sw_watch_call *call);

#endif
