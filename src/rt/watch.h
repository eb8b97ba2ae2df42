/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - the observers of a process (watch/watch.h), and what rt tells them.
 *
 * Observers are added before the program's first call and stay. Without one
 * launches cost nothing more, and the rest of rt one test an operation.
 *
 *     SOFTWARP_OBSERVE   NAME[:options][;NAME...]: opens observers that have a
 *                        name (watch/observers.def)
 */
#ifndef SW_RT_WATCH_H
#define SW_RT_WATCH_H
#include "rt/stream.h"
#include "watch/watch.h"

/* At most 8; copied. */
void sw_rt_watch_add(const sw_watcher *watcher);
/* Looks at the environment; once. What cannot be opened is said, and does not
 * observe; `softwarp run` tells before that it is no observer. */
void sw_rt_watch_load(void);

/* ---- launches: for launch.c ---- */

/* How a launch is observed. */
typedef struct sw_rt_watched sw_rt_watched;

bool sw_rt_watch_is_on(void);
/* Asks every observer; owned by caller, sw_rt_watched_end. */
sw_rt_watched *sw_rt_watched_begin(const sw_watch_launch *launch);
/* NULL: nobody looks into it. *sample: as in sw_launch; 1: all blocks. */
const sw_observer *sw_rt_watched_observer(const sw_rt_watched *watched,
                                          uint32_t *sample);
/* The code that observers put into kernels, the same at every call; none: NULL.
 */
const sw_instruments *sw_rt_watch_instruments(void);
/* What the observer whose launch_begin that is has returned; NULL: nothing, or
 * watched is NULL. */
void *sw_rt_watched_state(const sw_rt_watched *watched,
                          void *(*launch_begin)(void *, const sw_watch_launch *,
                                                const sw_observer **,
                                                uint32_t *));
void sw_rt_watched_end(sw_rt_watched *watched, const sw_watch_end *end);

/* ---- memory and order (exec/memory_event.h) ---- */

/* SW_MEV_ bits that somebody wants; set before the first call. */
extern uint32_t sw_rt_memory_events;

static inline bool
sw_rt_tells(uint32_t kinds)
{
    return sw_rt_memory_events & kinds;
}

/* To all that want it; fills in `thread`. */
void sw_rt_tell(sw_memory_event event);
/* One of ALLOC, FREE, RETIRE, REUSE of the allocation at addr. */
void sw_rt_tell_range(sw_memory_event_kind kind, uint64_t addr,
                      uint64_t stream);
/* The work of an operation is about to be done: COPY, FILL, WORD or nothing. */
void sw_rt_tell_work(uint64_t op, uint64_t stream, const sw_rt_work *work);
void sw_rt_tell_stream(const sw_rt_stream *stream, sw_mev_handle what);
/* op: that it is recorded as, that is waited for; stream: by which. */
void sw_rt_tell_event(const sw_rt_event *event, uint64_t op, uint64_t stream,
                      sw_mev_handle what);
/* Which kind of operation that is. */
sw_op_kind sw_rt_op_kind(sw_rt_work_kind kind);

#endif
