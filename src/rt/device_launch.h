/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_launch.h - the queue of what a grid launches on the device (dynamic
 * parallelism).
 *
 * A grid of a kernel that calls the device runtime has a queue: what its
 * threads launch, copy and fill is kept there, in the order of the calls, and
 * done when the grid has ended; each of it may have a queue in turn, which is
 * emptied before the next begins. That is one of the orders that streams,
 * events and fire-and-forget launches allow, since nothing in a kernel can wait
 * for what it launched; tail launches come last. The launch from the host is
 * done when all that is. Calls of threads are taken on worker threads, several
 * at once.
 */
#ifndef SW_RT_DEVICE_LAUNCH_H
#define SW_RT_DEVICE_LAUNCH_H
#include "rt/module.h"

typedef struct sw_rt_device_queue sw_rt_device_queue;

/* For a grid of this kernel; NULL if it calls nothing of the sort. Owned by
 * caller until sw_rt_device_queue_finish. */
sw_rt_device_queue *sw_rt_device_queue_create(sw_rt_kernel *kernel,
                                              sw_rt_context *context);
/* For a grid that never began. */
void sw_rt_device_queue_destroy(sw_rt_device_queue *device_queue);
/* sw_env.device_call; owner is the queue. Results as cudaError_t. */
uint64_t sw_rt_device_queue_call(void *arg, void *owner,
                                 const sw_device_call *call,
                                 uint64_t value[SW_DEVICE_WORDS]);
/*
 * The grid has ended with this status. Does what it launched, unless it
 * failed, and frees the queue; then done(arg, status), perhaps before this
 * returns, perhaps on a worker thread. Faults are said and fail the context.
 */
void sw_rt_device_queue_finish(sw_rt_device_queue *device_queue,
                               sw_status status,
                               void (*done)(void *arg, sw_status status),
                               void *arg);

#endif
