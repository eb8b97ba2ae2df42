/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - the structs of the host tool, shared by its files:
 *
 *     host_tool.c   calls that fail unseen, objects after their end
 *     host_touch.c  memory that host and device touch at the same time
 *
 * What an operation of the device touches of memory that the host may use, too,
 * is kept until the host knows that the operation has ended. Until then the
 * pages are closed to the host, whose access is held against it.
 */
#ifndef SW_CHECK_HOST_H
#define SW_CHECK_HOST_H
#include <pthread.h>

#include "check/check.h"
#include "check/memory.h"
#include "check/order.h"
#include "check/queued.h"

/* Bytes [first, end) that an operation touches at one place. */
typedef struct {
    uint64_t op, stream;
    uint64_t first, end;
    bool is_write;
    sw_memory_kind kind;
    const char *kernel; /* of `names`, or a computation's; "": a copy */
    sw_find_place at;   /* file is of `names` */
    sw_stack_id stack;  /* of the call */
} host_touch;

/* Pageable memory that an asynchronous copy reads. */
typedef struct {
    uint64_t addr, bytes, hash;
    uint32_t thread;
    sw_stack_id stack;
} host_source;

/* Memory given back in the order of a stream. */
typedef struct {
    uint64_t first, end, op, stream;
    sw_stack_id stack;
} host_free;

typedef struct {
    sw_check *check;
    sw_allocations *allocations;
    sw_order_graph *order;
    sw_queued *queued;
    sw_map *names;        /* of kernels and files, each once: by itself */
    pthread_mutex_t lock; /* of what follows */
    sw_vec failed, objects;
    sw_vec touches; /* host_touch */
    sw_vec sources; /* host_source */
    sw_vec frees;   /* host_free */
} host_tool;

/* A finding whose place is the stack's. */
void sw_host_report(host_tool *t, const sw_find_report *report,
                    sw_stack_id stack, const char *label);

/* ---- host_touch.c ---- */

void *sw_host_launch_begin(void *tool, const sw_check_launch *launch,
                           const sw_observer **observer);
void sw_host_launch_end(void *tool, void *launch, const sw_watch_end *end);
void sw_host_memory(host_tool *t, const sw_memory_event *e);
/* op: that the call has queued last; 0: none. */
void sw_host_after_call(host_tool *t, const sw_watch_call *call, uint64_t op);
void sw_host_touched(host_tool *t, uint64_t addr, uint64_t pc, bool is_write);
void sw_host_closes(void *tool, sw_watch_close_fn *close);
void sw_host_finish(host_tool *t);

#endif
