/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result_use.h - whether the program looks at what a call returned, as its
 * machine code behind the call says: the result lies in eax, and is unused if
 * no way on reads that register before it is written or the next call is made.
 *
 * Reads the few instructions of x86-64 that compilers put there. Whatever it
 * does not know counts as a use. Pure but for the code it reads; any thread.
 */
#ifndef SW_CHECK_RESULT_USE_H
#define SW_CHECK_RESULT_USE_H
#include <stdbool.h>
#include <stddef.h>

/* frames: return addresses, innermost first; a function that returns at once
 * passes the result on to the next one's. */
bool sw_check_result_is_used(void *const *frames, size_t count);

#endif
