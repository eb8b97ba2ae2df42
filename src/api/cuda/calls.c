/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - the exported functions: see api/entry.h. */
#include "rt/calls.h"
#include "api/cuda/api.h"
#include "api/cuda/trace.h"
#include "rt/activity.h"
#include "rt/watch.h"

/* Read by the code of SW_ENTRY_STUB. Set before the program's first call. */
int sw_calls_observed __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) void sw_calls_begin(sw_rt_call *call);
__attribute__((visibility("hidden"))) void sw_calls_end(sw_rt_call *call);

void
sw_calls_begin(sw_rt_call *call)
{
    sw_rt_call_begin(call);
}

void
sw_calls_end(sw_rt_call *call)
{
    sw_rt_call_end(call);
}

/* Whoever observes calls is asked here whether the environment wants it. */
__attribute__((constructor)) static void
load(void)
{
    sw_api_logs_start();
    sw_api_trace_start();
    sw_rt_activity_load();
    sw_rt_watch_load();
    sw_calls_observed = sw_rt_calls_are_observed();
}

SW_ENTRY_CHECK;
__asm__(".set sw_entry_runtime, 0\n");
SW_ENTRY_OBSERVED;
#define ENTRY(name, symbol, since, stream, state, missing)                     \
    SW_ENTRY_STUB(name, symbol)                                                \
    SW_ENTRY_BODY(symbol, state, sw_api_unsupported)
#include "api/cuda/entries.def"
#undef ENTRY
