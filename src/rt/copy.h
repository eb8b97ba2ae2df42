/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.h - executes copies and fills of memory; the addresses are checked
 * before. No state; any thread.
 */
#ifndef SW_RT_COPY_H
#define SW_RT_COPY_H
#include "rt/stream.h"

void sw_rt_copy_execute(const sw_rt_copy *copy);
void sw_rt_fill_execute(const sw_rt_fill *fill);

#endif
