/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_stack.h - where in the program a kernel was launched, for the report of
 * its fault, which comes later and on another thread.
 *
 * A launch may cost less than walking a stack. So each thread remembers the
 * stacks of its last launches together with the places in memory where their
 * return addresses lie: as long as each of them is still there, it is the same
 * stack, which a few loads tell. x86-64; elsewhere nothing is remembered and
 * nothing said. Nor of a thread that runs Python, whose calls leave no return
 * addresses: `softwarp check` names its lines.
 */
#ifndef SW_RT_HOST_STACK_H
#define SW_RT_HOST_STACK_H
#include "base/base.h"

/* The calling thread's stack, as check/stack.h numbers it; 0: not known. Any
 * thread; a few loads where it is one of the last 32 of this thread, else
 * microseconds. */
uint32_t sw_rt_host_stack(void);

/* A line "    launched at: FUNCTION (FILE:LINE), called by ..." after a
 * newline, if the stack is known. Takes milliseconds. */
void sw_rt_host_stack_describe(uint32_t stack, sw_buf *out);

#endif
