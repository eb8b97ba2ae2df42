/* SPDX-License-Identifier: Apache-2.0 */
/*
 * textlog.h - the text profiler of CUDA 1.0 to 7.5: CUDA_PROFILE=1 writes a
 * line for each launch, copy and fill to a file.
 *
 *     CUDA_PROFILE          1: on
 *     CUDA_PROFILE_LOG      the file, default cuda_profile_%d.log; %d is the
 *                           context (always 0: one log a process), %p the
 *                           process
 *     CUDA_PROFILE_CSV      1: comma-separated, else name=[ value ]
 *     CUDA_PROFILE_CONFIG   a file with the name of a column or of a counter
 *                           on each line
 *
 * The same names with COMPUTE_ instead of CUDA_ mean the same and go first.
 * Names and columns: the Compute Command Line Profiler User Guide of CUDA 4.
 * Up to four counters, as the hardware had. Counters of 1.x devices are of one
 * multiprocessor, as there. Times are this computer's. Any thread.
 */
#ifndef SW_RT_TEXTLOG_H
#define SW_RT_TEXTLOG_H
#include "report/record.h"

/* Looks at the environment; whether a log is wanted. */
bool sw_rt_textlog_load(void);
/* It has columns that must be counted; such that need caches simulated. */
bool sw_rt_textlog_counts(void);
bool sw_rt_textlog_needs_caches(void);
/* The call that is in progress on this thread has queued one operation. */
void sw_rt_textlog_queued(uint64_t correlation);
/* counters: of the launch, finished; or NULL. */
void sw_rt_textlog_launch(const sw_record_launch *launch,
                          const sw_counters *counters);
void sw_rt_textlog_copy(const sw_record_copy *copy);
void sw_rt_textlog_fill(const sw_record_fill *fill);
/* The call that asked for them has returned. */
void sw_rt_textlog_call(const sw_record_call *call);
void sw_rt_textlog_end(void);
/* In a child that was forked: the log is its parent's. */
void sw_rt_textlog_forget(void);

#endif
