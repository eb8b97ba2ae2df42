/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - what an operation of a stream does, once it is its turn; all kinds
 * but launches, FREE_MEMORY, EMPTY and CALLER. For stream.c.
 *
 * Any thread, without its lock. Does NOT know order, operations or records.
 */
#ifndef SW_RT_WORK_H
#define SW_RT_WORK_H
#include "rt/stream.h"

/* A copy, a fill or a computation: what it names of the device's memory is
 * there. */
bool sw_rt_work_is_possible(const sw_rt_work *work);
/* Does it, or makes the context fail if it is not possible; returns when it is
 * done. */
void sw_rt_work_execute(sw_rt_work *work, sw_rt_context *context);
/* To do it takes no longer than to hand it to a worker. */
bool sw_rt_work_is_quick(const sw_rt_work *work);

#endif
