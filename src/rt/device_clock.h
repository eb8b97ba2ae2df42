/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_clock.h - inside rt: the times at which a real device would begin and
 * end each operation, for as long as an observer says what the work takes
 * (sw_watcher.copy_time). What the API says of times is then the device's.
 *
 * An operation begins when all that it waits for has ended, the host has
 * submitted it, and a part of the device that can do it is free: the
 * multiprocessors, which kernels share if they fit beside each other, and the
 * engines that copy to the device and from it. The host's own work takes no
 * time: its clock advances to the end of what it knows to be done.
 *
 * Does NOT know: kernels that kernels launch, which take none; the time of
 * host functions; of computations of libraries, which take what they took here.
 *
 * Nanoseconds, in the epoch of sw_time_ns. Functions that end in _locked are
 * called with the lock of op.h held; the others take none.
 */
#ifndef SW_RT_DEVICE_CLOCK_H
#define SW_RT_DEVICE_CLOCK_H
#include "rt/stream.h"
#include "watch/watch.h"

/* What of a device an operation needs. */
typedef enum {
    SW_RT_NO_PART,
    SW_RT_SMS,
    SW_RT_COPY_TO,
    SW_RT_COPY_FROM,
    SW_RT_PARTS
} sw_rt_device_part;

/* Of an operation. */
typedef struct {
    uint64_t ready;      /* all that it waits for has ended; lock */
    uint64_t start, end; /* set when it is done */
    /* Set before it is done: */
    sw_watch_time takes;
    sw_rt_device_part part;
    bool is_placed; /* start and end are known; lock */
    bool is_event;  /* a mark in a stream that tells its time */
} sw_rt_op_clock;

/* Before the program's first call: this observer, which is copied, says what
 * copies take. */
void sw_rt_device_clock_start(const sw_watcher *watcher);
extern bool sw_rt_device_clock_runs; /* set before the first call */

static inline bool
sw_rt_device_clock_is_on(void)
{
    return sw_rt_device_clock_runs;
}

/* The host's time: sw_time_ns if the clock is off. */
uint64_t sw_rt_host_ns(void);

/* The rest is called only while it is on. */

/* Its operation is submitted now. */
void sw_rt_device_clock_queued(sw_rt_op_clock *clock);
/* Its operation waits for another, which is done. */
void sw_rt_device_clock_after_locked(sw_rt_op_clock *clock,
                                     const sw_rt_op_clock *other);
/* What its operation is about to do on `device`, itself or by its caller, if
 * that is a copy or a fill. */
void sw_rt_device_clock_copies(sw_rt_op_clock *clock,
                               const sw_rt_device *device,
                               const sw_rt_work *work);
/* Its operation is about to be done: finds the start and end. */
void sw_rt_device_clock_place_locked(sw_rt_op_clock *clock,
                                     const sw_rt_device *device);
/* The host knows that its operation is done. */
void sw_rt_device_clock_known(const sw_rt_op_clock *clock);

#endif
