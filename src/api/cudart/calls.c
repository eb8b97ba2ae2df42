/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - the exported functions of this library: see api/entry.h. */
#include "api/cudart/cudart.h"

/* Read by the code of SW_ENTRY_STUB. Set before the program's first call. */
int sw_calls_observed __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) void sw_calls_begin(sw_rt_call *call);
__attribute__((visibility("hidden"))) void sw_calls_end(sw_rt_call *call);

static const sw_api_runtime_table *table;

void
sw_calls_begin(sw_rt_call *call)
{
    table->call_begin(call);
}

void
sw_calls_end(sw_rt_call *call)
{
    table->call_end(call);
}

/* libcuda, which this library needs, has been initialised before. */
__attribute__((constructor)) static void
load(void)
{
    table = sw_rta_runtime_table();
    sw_calls_observed = table && table->calls_are_observed();
    if (table)
        table->set_host_namer(sw_rta_name_host);
}

SW_ENTRY_CHECK;
SW_ENTRY_OBSERVED;

/* Of all rows, whether this library has them or not: what is not exported the
 * linker drops. */
#define ENTRY(symbol, libraries, state, missing)                               \
    SW_ENTRY_BODY(symbol, state, sw_rta_unsupported)
#include "api/cudart/entries.def"
#undef ENTRY

/* Only the rows of this library, as the assembler finds out. */
#define SW_NUMBER_(n) #n
#define SW_NUMBER(n)  SW_NUMBER_(n)
__asm__(".set L11, 1\n"
        ".set L12, 2\n"
        ".set L13, 4\n"
        ".set ALL, 7\n"
        ".set sw_entry_runtime, " SW_NUMBER(
            SW_CUDART_MAJOR) "\n"
                             ".set sw_library, 1 << (sw_entry_runtime - 11)\n");
#define ENTRY(symbol, libraries, state, missing)                               \
    __asm__(".if ((" #libraries ") & sw_library) != 0\n");                     \
    SW_ENTRY_STUB(symbol, symbol)                                              \
    __asm__(".endif\n");
#include "api/cudart/entries.def"
#undef ENTRY
