/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activity.h - what a program does with its devices, recorded: launches,
 * copies, fills, calls of the API (report/record.h). Off by default; then it
 * costs one test an operation.
 *
 * Switched on when the library is loaded, by SOFTWARP_PROFILE (a file for the
 * records; %p in its name is the process, %h the host) or CUDA_PROFILE
 * (textlog.h). With SOFTWARP_PROFILE_COUNT launches are counted, too
 * (watch/counters.h):
 *
 *     SOFTWARP_PROFILE_COUNT    1: counts; caches: simulates caches as well
 *     SOFTWARP_PROFILE_SAMPLE   every n-th block of a launch is observed
 *     SOFTWARP_PROFILE_KERNELS  a regular expression: kernels to count
 *     SOFTWARP_PROFILE_START    0: begins paused
 *
 * A child that a program forks records nothing. Any thread.
 */
#ifndef SW_RT_ACTIVITY_H
#define SW_RT_ACTIVITY_H
#include "report/record.h"
#include "rt/stream.h"

/* One operation in progress. */
typedef struct sw_rt_activity sw_rt_activity;

/* Looks at the environment; once, before the program's first call. */
void sw_rt_activity_load(void);
extern bool sw_rt_activity_on;
/* What is queued or called while it is paused is neither recorded nor counted.
 * Any time; nothing happens where it is off. */
void sw_rt_activity_pause(bool pause);

/* For stream.c and device_launch.c: the operation is queued, by the calling
 * thread. stream NULL: by a kernel. NULL for kinds that are not recorded. */
sw_rt_activity *sw_rt_activity_queued(const sw_rt_context *context,
                                      const sw_rt_stream *stream,
                                      const sw_rt_work *work, bool is_blocking);
/* It starts, on any thread. */
void sw_rt_activity_started(sw_rt_activity *activity);
/* The same for a launch that has been prepared. */
void sw_rt_activity_launched(sw_rt_activity *activity,
                             const sw_rt_launch *launch);
/* A launch's, for an observer that predicts (watch/watch.h); NULL: nobody asks.
 * What it puts there goes into the profile. */
const struct sw_times **sw_rt_activity_forecast(sw_rt_activity *activity);
/* Where it lies in the time of the device; the record has this instead of this
 * computer's. */
void sw_rt_activity_placed(sw_rt_activity *activity, uint64_t start_ns,
                           uint64_t end_ns);
/* It has ended: writes the record and frees the activity. `stats`: of a launch,
 * or NULL. */
void sw_rt_activity_ended(sw_rt_activity *activity, sw_status status,
                          const sw_grid_stats *stats);

/* A source that is in no file, by the name that PTX has for it in .file without
 * "./". Nothing happens where no activity is recorded. */
void sw_rt_activity_source(const char *name, const char *text);

/* ---- for its parts ---- */

/* A file that grows under lines, in memory that the system writes out even if
 * the process is killed: what was added before is then followed by zeros. */
typedef struct sw_rt_lines sw_rt_lines;
/* NULL after saying why. %p and %h in the name. */
sw_rt_lines *sw_rt_lines_open(const char *name);
void sw_rt_lines_add(sw_rt_lines *lines, const char *text, size_t bytes);
void sw_rt_lines_close(sw_rt_lines *lines);

/* ---- launches that are counted: counted.c ---- */

typedef struct sw_rt_counted sw_rt_counted;
/* Looks at the environment; may make itself an observer of the process. */
void sw_rt_counted_load(void);
/* Of a launch that has been prepared; NULL: it is not counted. Owned by caller,
 * sw_rt_counted_destroy after the launch's end. */
sw_rt_counted *sw_rt_counted_of(const sw_rt_launch *launch);
/* What the launch counted, after its end; until destroy. */
const sw_counters *sw_rt_counted_get(const sw_rt_counted *counted);
/* watch/partitions.h, of the instruction with this number; 0: nothing known. */
double sw_rt_counted_camping(const sw_rt_counted *counted, uint32_t index);
void sw_rt_counted_destroy(sw_rt_counted *counted);

#endif
