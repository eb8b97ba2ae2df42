/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - the one watcher of a process: it may give each launch an observer.
 *
 * Without a watcher launches cost nothing more. Observed launches run in the
 * interpreter unless the observer takes tallies; those that the watcher leaves
 * alone run as always.
 */
#ifndef SW_RT_WATCH_H
#define SW_RT_WATCH_H
#include "rt/stream.h"
#include "watch/counters.h"

/* A launch, as counters and reports want it; valid during the call. */
typedef struct {
    sw_count_launch count; /* complete but for `sample` and `caches`; its
                              `kernel` and `device` live as long as the
                              context */
    const sw_rt_launch *launch;
    sw_rt_context *context;
    uint64_t grid_id;   /* the process's launches, counted from 1 */
    bool is_sampled_ok; /* leaving blocks out changes nothing that is counted
                           of the others; false: cooperative launches */
} sw_rt_watched;

typedef struct {
    void *arg;
    uint32_t events; /* SW_EV_ bits that its observers want */
    /*
     * A launch is about to start; on any thread, several at once. Returns what
     * launch_end gets. *observer (NULL at first): sees the launch; must stay
     * until launch_end. *sample (1 at first): it sees only blocks whose index
     * is a multiple of this, the others run as if nobody watched.
     */
    void *(*launch_begin)(void *arg, const sw_rt_watched *watched,
                          const sw_observer **observer, uint32_t *sample);
    /* It has ended, on a worker thread; its stream goes on when this returns.
     * fault->status tells whether well; stats NULL: it did not even start. */
    void (*launch_end)(void *arg, void *launch, const sw_fault *fault,
                       const sw_grid_stats *stats);
} sw_rt_watcher;

/* Before the first launch; borrowed for ever. NULL: none. */
void sw_rt_watch(const sw_rt_watcher *watcher);

#endif
