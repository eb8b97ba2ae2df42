/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conditional.h - whether a barrier is one that a thread may pass by and go on
 * with what comes behind it, as in `if (x) __syncthreads(); a[i] = 0;`. A
 * thread that ends before the barrier is no such thread: devices from 7.0 on
 * count it as arrived.
 */
#ifndef SW_CHECK_CONDITIONAL_H
#define SW_CHECK_CONDITIONAL_H
#include "ir/ir.h"

/* `ins` is an instruction of fn. Takes time in proportion to the
 * square of the number of its blocks. */
bool sw_check_is_conditional(const sw_fn *fn, const sw_ins *ins);

#endif
