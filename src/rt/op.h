/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.h - inside rt: an operation, and the graph of those that are unfinished,
 * under one lock for the process. Used by stream.c, event.c and wait.c, which
 * take the lock; functions that end in _locked are called with it held.
 *
 * An operation waits for `pending` others, each of which has it in its `next`
 * list. When the last of them is done it starts, on the thread that has ended
 * that one. It holds a reference of its own until it is done.
 */
#ifndef SW_RT_OP_H
#define SW_RT_OP_H
#include <pthread.h>

#include "exec/memory_event.h"
#include "rt/device_clock.h"
#include "rt/stream.h"

typedef struct sw_rt_activity sw_rt_activity;
typedef struct sw_rt_device_queue sw_rt_device_queue;

enum {
    SW_RT_OP_PARAMS = 512, /* bytes of parameters that it holds itself */
    SW_RT_OP_NEXT = 4      /* operations that wait for it, likewise */
};

/* Who waits for an operation. */
typedef struct {
    sw_rt_op *op;
    bool shares_failure; /* by a wait list; not by the order of a stream */
} sw_rt_op_next;

struct sw_rt_op {
    uint32_t refs;    /* atomic */
    uint32_t pending; /* operations it still waits for, plus one until all
                         are known; lock */
    uint32_t next_count, next_capacity;
    sw_rt_op_next *next; /* lock */
    sw_rt_op_next next_inline[SW_RT_OP_NEXT];
    sw_rt_op *link;      /* list of ready ones, of free ones, of followers */
    sw_rt_op *followers; /* they wait until it begins; lock */
    sw_rt_context *context;
    uint64_t stream; /* its id */
    uint64_t number; /* in the process; 0: nobody observes */
    bool done;       /* atomic */
    bool awaited;    /* somebody sleeps until it is done; lock */
    bool is_ready;   /* CALLER: all it waited for is done; lock */
    sw_status status;
    sw_status failed;         /* of what it waited for; or SW_OK. lock */
    bool spreads;             /* its failure is theirs who wait for it; lock */
    uint64_t start_ns;        /* when it began; atomic; 0: it has not */
    uint64_t time_ns;         /* when it was done */
    sw_rt_op_clock clock;     /* the same on a device, if that is on */
    sw_rt_activity *activity; /* or NULL */
    sw_rt_device_queue *device_queue; /* what its grid launches, or NULL */
    sw_rt_work work;
    void *params; /* inline_params or allocated */
    _Alignas(16) unsigned char inline_params[SW_RT_OP_PARAMS];
};

extern struct sw_rt_ops {
    pthread_mutex_t lock;
    pthread_cond_t change;
    sw_rt_op *free;
    uint64_t last_op;
    size_t unfinished; /* operations */
    size_t active;     /* those that wait for nothing but their own work;
                          without what callers and the program execute */
    bool awaits_quiet; /* somebody sleeps until there are none */
} sw_rt_ops;

void sw_rt_ops_lock(void);
void sw_rt_ops_unlock(void);

/* does: what work is, or what the caller does who executes it. One reference is
 * the operation's own. It waits for one more until sw_rt_op_release_locked. */
sw_rt_op *sw_rt_op_create(sw_rt_stream *stream, const sw_rt_work *work,
                          sw_rt_work_kind does);
/* NULL is left alone. */
void sw_rt_op_unref_locked(sw_rt_op *op);
bool sw_rt_op_is_done(const sw_rt_op *op);
/* It waits for `on`, too; NULL and itself are skipped. shares_failure: if `on`
 * fails as stream.h says of wait lists, it is skipped. */
void sw_rt_op_depend_locked(sw_rt_op *op, sw_rt_op *on, bool shares_failure);
/* All that it waits for is known. True if it can start now. */
bool sw_rt_op_release_locked(sw_rt_op *op);
/* `op`, of which that is not yet said, waits until `on` begins, or ends without
 * having begun. */
void sw_rt_op_follow_locked(sw_rt_op *op, sw_rt_op *on);
/* Starts the operations of a list, and those that become ready by it. The first
 * status that is not SW_OK. */
sw_status sw_rt_op_start_list(sw_rt_op *ready);
void sw_rt_op_finish(sw_rt_op *op, sw_status status);
/* Before that: ends the record of what it did, which may be the caller's.
 * stats: as sw_rt_activity_ended has them. */
void sw_rt_op_end_activity(sw_rt_op *op, sw_rt_activity *activity,
                           sw_status status, const sw_grid_stats *stats);
/* sw_launch.done of an operation's grid. */
void sw_rt_op_on_grid_done(void *arg, const sw_fault *fault,
                           const sw_grid_stats *stats);

/* ---- what observers hear (exec/memory_event.h) ---- */

void sw_rt_op_tell_phase(const sw_rt_op *op, sw_memory_event_kind kind,
                         sw_status status, sw_rt_work_kind work);
/* This thread knows that the operation is done; NULL is skipped. */
void sw_rt_op_tell_known(const sw_rt_op *op);

/* ---- stream.c ---- */

/* Makes it the last of its stream, after a wait list too. True if it can start
 * now. The caller keeps no reference but the operation's own. */
bool sw_rt_stream_append(sw_rt_stream *stream, sw_rt_op *op,
                         sw_rt_op *const *wait_list, size_t count);

/* ---- wait.c ---- */

/* For those that ask again and again; the caller holds a reference. */
bool sw_rt_op_is_done_now_locked(sw_rt_op *op);
/* Appends references to the last operations of the context's streams. */
void sw_rt_context_collect_locked(sw_rt_context *context, bool blocking_only,
                                  sw_vec *ops);
/* Sleeps until the operation is done; if `or_ready`, until one of kind CALLER
 * can be executed. */
void sw_rt_op_wait_locked(sw_rt_op *op, bool or_ready);

#endif
