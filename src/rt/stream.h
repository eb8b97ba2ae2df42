/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - work in order: operations, streams, events.
 *
 * An operation (sw_rt_op) starts when all operations it depends on are done;
 * a stream is nothing but its last operation, an event the operation it was
 * recorded with. The legacy stream of a context depends on its blocking
 * streams' last operations and they on its. Kernels run on the engine's
 * workers, copies too; host functions on a thread of their own, since they may
 * block. After the context has failed operations are done without being
 * executed.
 *
 * An *unordered* stream keeps no order of its own: an operation of it waits for
 * its wait list and for the last barrier. A wait list is an array of
 * operations; it may name operations of any stream.
 *
 * Any thread; nothing here waits but sw_rt_*_wait. Does NOT know graphs: a
 * stream that captures is seen by its `capture`, which the caller tests.
 */
#ifndef SW_RT_STREAM_H
#define SW_RT_STREAM_H
#include "rt/rt.h"

typedef enum {
    SW_RT_EMPTY, /* nothing: events, joins */
    SW_RT_LAUNCH,
    SW_RT_COPY,
    SW_RT_FILL,
    SW_RT_HOST,     /* fn(arg); not after a fault */
    SW_RT_BLOCKING, /* the same, and always: it may wait for long */
    SW_RT_COMPUTE,  /* fn(arg) of compute.h, on a worker; not after a fault */
    SW_RT_CALLBACK, /* callback(status, arg); always */
    SW_RT_FREE_MEMORY,
    SW_RT_WRITE_VALUE,
    SW_RT_WAIT_VALUE,
    SW_RT_CALLER /* whoever made it executes it: sw_rt_op_complete */
} sw_rt_work_kind;

/* Bytes from src to dst: depth slices of height rows of width bytes. */
typedef struct {
    uint64_t dst, src;
    size_t dst_pitch, dst_slice, src_pitch, src_slice;
    size_t width, height, depth;
} sw_rt_copy;

/* `value` (elem_bytes: 1, 2, 4), or the pattern (8 to SW_RT_PATTERN_BYTES, a
 * power of two), into depth x height rows of width elements. */
enum { SW_RT_PATTERN_BYTES = 128 };
typedef struct {
    uint64_t dst;
    size_t pitch, slice, width, height, depth;
    uint32_t value, elem_bytes;
    unsigned char pattern[SW_RT_PATTERN_BYTES];
} sw_rt_fill;

typedef struct {
    sw_rt_kernel *kernel;
    uint32_t grid[3], block[3];                /* as the caller says them */
    uint32_t cluster[3], preferred_cluster[3]; /* all 0: does not say them */
    uint32_t shared_bytes;
    bool cooperative;
    sw_environment environment; /* sw_launch.environment */
    const void *params; /* the kernel's param_bytes; copied when submitted */
    /* While it runs, if there are observers; see watch.h. */
    struct sw_rt_watched *watched;
    bool is_instrumented; /* its kernel has code of observers */
    uint64_t op, stream;  /* numbers of its operation and stream; 0: a kernel
                             has launched it */
    uint32_t host_stack;  /* where the program launched it; host_stack.h */
    bool is_recorded;     /* by activity.h */
} sw_rt_launch;

/* The next %gridid. */
uint64_t sw_rt_grid_id(void);

typedef struct sw_rt_compute sw_rt_compute;

typedef struct {
    sw_rt_work_kind kind;
    union {
        sw_rt_launch launch;
        sw_rt_copy copy;
        sw_rt_fill fill;
        struct {
            void (*fn)(void *arg);
            void *arg; /* COMPUTE: its sw_rt_compute */
        } host;
        struct {
            /* `handle` is the stream as the caller named it. */
            void (*fn)(void *handle, int status, void *arg);
            void *handle, *arg;
        } callback;
        struct {
            uint64_t addr;
            void *idle; /* sw_rt_pool_idle's instead, or NULL */
        } free;
        struct {
            uint64_t addr, value;
            uint32_t bytes; /* 4, 8 */
            uint32_t test;  /* WAIT: 0 >=, 1 ==, 2 and, 3 nor */
        } value;
    };
} sw_rt_work;

struct sw_rt_stream {
    sw_rt_object object;
    sw_rt_context *context;
    uint64_t id;
    bool is_legacy, is_per_thread, is_non_blocking;
    int priority;
    uint32_t flags;
    sw_rt_op *tail; /* or NULL; under the lock of op.h. Of an unordered
                       stream: its last barrier */
    bool is_unordered;
    sw_vec open;       /* sw_rt_op *: operations that may be unfinished, of an
                          unordered stream; under that lock */
    size_t open_limit; /* at so many those that are done are dropped */
    sw_rt_stream *next, *prev;
    void *capture; /* graph.h's; NULL: none */
    int capture_status;
    int sync_policy;
    /* Attributes without effect here, kept for who asks. */
    unsigned char domain, domain_map[2];
};

struct sw_rt_event {
    sw_rt_object object;
    sw_rt_context *context;
    uint32_t flags;
    bool no_timing, blocking;
    sw_rt_op *op;                      /* last recorded; NULL: never */
    struct sw_rt_shared_event *shared; /* share.h's, in its place; or NULL */
    uint64_t capture_id; /* recorded in this capture, as this node; 0: none */
    void *capture_node;
};

/* ---- streams ---- */

sw_rt_stream *sw_rt_stream_create(sw_rt_context *context, bool non_blocking,
                                  int priority);
/* One that is unordered; it does not wait for the legacy stream. */
sw_rt_stream *sw_rt_stream_create_unordered(sw_rt_context *context,
                                            int priority);
/* Returns at once; what was submitted still runs. */
void sw_rt_stream_destroy(sw_rt_stream *stream);
/* This thread's default stream of the context. Borrowed. */
sw_rt_stream *sw_rt_stream_per_thread(sw_rt_context *context);

/*
 * Appends work; returns at once. SW_E_NOMEM, or what starting a kernel
 * answers if it starts at once. `params` and all else is copied.
 */
sw_status sw_rt_stream_submit(sw_rt_stream *stream, const sw_rt_work *work);
/*
 * The same after the operations of a wait list, too (NULL is skipped). *out, if
 * not NULL, becomes the operation: owned by caller, sw_rt_op_unref. If one of
 * the list fails by sw_rt_op_complete_as, or is skipped for such a reason, it
 * is skipped and its status is SW_E_WAIT_LIST; CALLBACK, BLOCKING, FREE_MEMORY
 * and CALLER are executed all the same.
 */
sw_status sw_rt_stream_submit_after(sw_rt_stream *stream,
                                    const sw_rt_work *work,
                                    sw_rt_op *const *wait_list, size_t count,
                                    sw_rt_op **out);
/*
 * An operation that is done when all of the wait list are; count 0: all that
 * was submitted to the stream before. `is_barrier`: what is submitted later
 * waits for it, in an unordered stream too. Owned by caller, sw_rt_op_unref.
 */
sw_rt_op *sw_rt_stream_mark(sw_rt_stream *stream, sw_rt_op *const *wait_list,
                            size_t count, bool is_barrier);
/* Like submit for COPY and FILL, but returns when the work is done; executes
 * it on the calling thread where nothing is ahead of it. The context's error,
 * if it has failed. */
sw_status sw_rt_stream_run(sw_rt_stream *stream, const sw_rt_work *work);
/* SW_OK, SW_E_NOT_READY or the context's error. */
sw_status sw_rt_stream_query(sw_rt_stream *stream);
sw_status sw_rt_stream_wait(sw_rt_stream *stream);
/* All streams of the context. */
sw_status sw_rt_context_wait(sw_rt_context *context);
/* Work that is done once all is that any stream of the context has now; it is
 * no stream's last. False, and nothing is done: all of that has ended. */
bool sw_rt_context_submit_last(sw_rt_context *context, const sw_rt_work *work);
/* Calls fn when no work of any context is under way; none begins before it
 * returns. It must not submit or wait. */
void sw_rt_stream_quiet(void (*fn)(void *arg), void *arg);

/* ---- operations ---- */

/* An operation that waits for `deps` (done ones and NULL are skipped) and for
 * what a new operation of `stream` would wait for if `after_stream`; it is not
 * the stream's last. Owned by caller: sw_rt_op_unref. NULL: cannot start. */
sw_rt_op *sw_rt_op_submit(sw_rt_stream *stream, bool after_stream,
                          const sw_rt_work *work, sw_rt_op *const *deps,
                          size_t count, sw_status *status);
/* Work that waits until `on` begins, or ends without having begun; it is no
 * stream's last. */
void sw_rt_op_submit_at_start(sw_rt_op *on, const sw_rt_work *work);
/* The stream continues after `deps`: an empty operation becomes its last. */
void sw_rt_stream_join(sw_rt_stream *stream, sw_rt_op *const *deps,
                       size_t count);
/* Ends an operation of kind CALLER, once; what the context's error says is its
 * status. */
void sw_rt_op_complete(sw_rt_op *op);
/* The same with a status of its own, which is no fault of the context. If that
 * is not SW_OK operations whose wait list has it are skipped. */
void sw_rt_op_complete_as(sw_rt_op *op, sw_status status);
/* SW_E_NOT_READY, or the status that it ended with. */
sw_status sw_rt_op_query(sw_rt_op *op);
/* When it began and ended, as of sw_time_ns; 0: it has not. Of a launch: its
 * first and last block. is_ready: nothing that it waits for is left. */
typedef struct {
    uint64_t start_ns, end_ns;
    bool is_ready;
} sw_rt_op_times;
sw_rt_op_times sw_rt_op_get_times(sw_rt_op *op);
/* Sleeps until it has ended; its status. An operation of kind CALLER ends only
 * when it is completed. */
sw_status sw_rt_op_wait(sw_rt_op *op);
void sw_rt_op_ref(sw_rt_op *op);
void sw_rt_op_unref(sw_rt_op *op);

/* ---- events ---- */

/* `shared` becomes the event's: one that other processes see; or NULL. */
sw_rt_event *sw_rt_event_create(sw_rt_context *context, uint32_t flags,
                                bool no_timing, bool blocking,
                                struct sw_rt_shared_event *shared);
void sw_rt_event_destroy(sw_rt_event *event);
void sw_rt_event_record(sw_rt_event *event, sw_rt_stream *stream);
/* Recorded as that operation, and what it was recorded as: owned by caller,
 * sw_rt_op_unref; NULL: never. */
void sw_rt_event_set_op(sw_rt_event *event, sw_rt_op *op);
sw_rt_op *sw_rt_event_get_op(sw_rt_event *event);
/* Later work of the stream waits for the last record before this call. */
void sw_rt_stream_wait_event(sw_rt_stream *stream, sw_rt_event *event);
sw_status sw_rt_event_query(sw_rt_event *event); /* also if never recorded */
sw_status sw_rt_event_wait(sw_rt_event *event);
/* SW_E_INVALID_HANDLE if one was never recorded or takes no times;
 * SW_E_NOT_READY. */
sw_status sw_rt_event_elapsed(sw_rt_event *start, sw_rt_event *end, float *ms);

#endif
