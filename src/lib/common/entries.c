/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.c - the exported functions of one library (api/entry.h), compiled for
 * each soname with
 *
 *     SW_LIB_ENTRIES   its table
 *     SW_LIB_REFUSAL   its header, which defines SW_LIB_REFUSED: the status of
 *                      what is not supported; and SW_LIB_REFUSES_QUIETLY where
 *                      that is an ordinary answer, which needs no line
 *     SW_LIB_SONAME    its name
 *     SW_LIB_VERSIONS  bits of the CUDA versions that it is of: 1, 2, 4
 *     SW_LIB_CUDA      the last of these: 11, 12, 13
 */
#include "api/entry.h"
#include "lib/common/lib.h"
#include "rt/calls.h"
#include SW_LIB_REFUSAL

const int sw_lib_cuda = SW_LIB_CUDA;
const char *const sw_lib_soname = SW_LIB_SONAME;

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

/* libcuda, which this library needs, has been initialised before. */
__attribute__((constructor)) static void
load(void)
{
    sw_calls_observed = sw_rt_calls_are_observed();
}

__attribute__((unused)) static int
refuse(const char *function)
{
#ifdef SW_LIB_REFUSES_QUIETLY
    (void)function;
#else
    sw_lib_say_refused(function);
#endif
    return SW_LIB_REFUSED;
}

SW_ENTRY_CHECK;
SW_ENTRY_OBSERVED;

/* Of all rows, whether this library has them or not: what is not exported the
 * linker drops. */
#define ENTRY(symbol, versions, state, missing)                                \
    SW_ENTRY_BODY(symbol, state, refuse)
#include SW_LIB_ENTRIES
#undef ENTRY

/* Only the rows of this library, as the assembler finds out. */
#define SW_NUMBER_(n) #n
#define SW_NUMBER(n)  SW_NUMBER_(n)
__asm__(".set L11, 1\n"
        ".set L12, 2\n"
        ".set L13, 4\n"
        ".set ALL, 7\n"
        ".set sw_entry_runtime, " SW_NUMBER(
            SW_LIB_CUDA) "\n"
                         ".set sw_library, " SW_NUMBER(SW_LIB_VERSIONS) "\n");
#define ENTRY(symbol, versions, state, missing)                                \
    __asm__(".if ((" #versions ") & sw_library) != 0\n");                      \
    SW_ENTRY_STUB(symbol, symbol)                                              \
    __asm__(".endif\n");
#include SW_LIB_ENTRIES
#undef ENTRY
