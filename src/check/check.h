/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - the checkers of a process, as one watcher: what they share, and
 * what each of them is.
 *
 * `softwarp check` starts the program with the observer "check", whose options
 * say which tools run and where the findings go. A *tool* is a row of
 * tool_table in check.c: it sees the process's memory events and the events of
 * each launch (watch/watch.h), and adds findings to the set that all share.
 * Tools know nothing of each other.
 */
#ifndef SW_CHECK_CHECK_H
#define SW_CHECK_CHECK_H
#include "check/finding.h"
#include "check/stack.h"
#include "watch/watch.h"

/* Of the process; lives until its end. */
typedef struct sw_check {
    sw_findings *findings;
    bool has_tool[SW_CHECK_COUNT];
    const char *kernels; /* launches of kernels that match it; NULL: all */
    uint64_t skip,
        limit; /* launches left out first; at most so many (0: all) */
} sw_check;

/* A launch for the tools; the strings live as long as the context. */
typedef struct {
    sw_check *check;
    const sw_watch_launch *launch;
    sw_stack_id stack; /* of the host, where it was launched */
} sw_check_launch;

/* Callbacks may be NULL; `tool` is what open returned. */
typedef struct {
    sw_check_tool id;
    uint32_t memory_events; /* SW_MEV_ bits that it wants */
    void *(*open)(sw_check *check);
    /* As in sw_watcher. NULL as *observer: the tool does not see it. */
    void *(*launch_begin)(void *tool, const sw_check_launch *launch,
                          const sw_observer **observer);
    void (*launch_end)(void *tool, void *launch, const sw_watch_end *end);
    /* A launch that no tool sees, by what the user asked for. */
    void (*launch_missed)(void *tool);
    void (*memory)(void *tool, const sw_memory_event *event);
    void (*call)(void *tool, const sw_watch_call *call);
    /* Host code touches closed memory, and what is closed; see sw_watcher. */
    bool (*host_access)(void *tool, uint64_t addr, uint64_t pc, bool is_write);
    void (*host_closes)(void *tool, sw_watch_close_fn *close);
    void (*finish)(void *tool);
} sw_check_tool_fns;

/* The process's checkers as a watcher; a row of watch/observers.def. options:
 * "tools=memory+race,out=FILE,kernels=REGEX,skip=N,count=N". */
bool sw_watch_open_check(const char *options, sw_watcher *out);

/* Where the lanes of an event are; for sw_find_report.threads. `launch` gives
 * the block's shape. */
sw_find_threads sw_check_threads_of(const sw_watch_launch *launch,
                                    const sw_ev_where *where, uint32_t lanes);

/* "512 bytes of device memory at 0x..., allocated at\n..." for details. */
void sw_check_describe(const sw_mev_range *range, sw_stack_id allocated,
                       sw_buf *out);

#endif
