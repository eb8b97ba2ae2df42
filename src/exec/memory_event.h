/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_event.h - what an observer of a process sees beside launches: the life
 * of memory, copies and fills, and the order of work: which operation of which
 * stream, graph or host thread comes before which.
 *
 * Work is a set of *operations*, numbered 1, 2, ... in a process: launches,
 * copies, fills, host functions, empty ones (events that are recorded, joins of
 * streams). What happens before what follows from four kinds of event:
 *
 *   OP_QUEUED    what the calling thread did before comes before the operation
 *   OP_AFTER     operation `other` comes before operation `op`; told when `op`
 *                is queued, or later of one that waits for the host
 *   OP_STARTED, OP_ENDED   around what the operation does
 *   HOST_AFTER   operation `op` comes before what the calling thread does next
 *
 * Streams and events are nothing but this: an operation of a stream has an
 * OP_AFTER for the stream's last one, a stream that waits for an event one for
 * the operation that the event was recorded with.
 *
 * An event is told on the thread that causes it, when it has happened, so that
 * the observer may look at that thread's stack: ALLOC, FREE, OP_QUEUED on the
 * program's own thread, inside its API call (rt/calls.h observes these).
 * Exceptions are said below. Several threads tell events at the same time;
 * those of one operation or allocation come in their order. Pointers are valid
 * during the call. An observer may call nothing of rt or of the API.
 */
#ifndef SW_MEMORY_EVENT_H
#define SW_MEMORY_EVENT_H
#include "ir/ir.h"

/* Bits of what an observer wants. */
typedef enum {
    SW_MEV_ALLOC = 1 << 0,  /* memory is there from now on */
    SW_MEV_FREE = 1 << 1,   /* it is about to go */
    SW_MEV_RETIRE = 1 << 2, /* cudaFreeAsync was called; FREE comes when its
                               turn in the stream has, or REUSE */
    SW_MEV_REUSE = 1 << 3,  /* retired memory is allocated again, to work
                               behind the free in the same stream */
    SW_MEV_VARIABLE =
        1 << 4,           /* a module's variable lies there; its memory is
                             an allocation of kind MODULE, HOST or MANAGED */
    SW_MEV_COPY = 1 << 5, /* is about to be done */
    SW_MEV_FILL = 1 << 6,
    SW_MEV_WORD = 1 << 7, /* a stream writes a word, or has waited for one */
    SW_MEV_OP_QUEUED = 1 << 8,
    SW_MEV_OP_AFTER = 1 << 9,
    SW_MEV_OP_STARTED = 1 << 10,
    SW_MEV_OP_ENDED = 1 << 11,
    SW_MEV_HOST_AFTER = 1 << 12,
    SW_MEV_STREAM = 1 << 13,  /* a stream is created or destroyed */
    SW_MEV_EVENT = 1 << 14,   /* an event is created, destroyed, recorded, or
                                 waited for by a stream */
    SW_MEV_COMPUTE = 1 << 15, /* a library's computation is about to be done:
                                 one event for each array that it accesses */
    SW_MEV_ALL = (1 << 16) - 1
} sw_memory_event_kind;

typedef enum {
    SW_OP_KIND_EMPTY, /* an event recorded, a join */
    SW_OP_KIND_LAUNCH,
    SW_OP_KIND_COPY,
    SW_OP_KIND_FILL,
    SW_OP_KIND_HOST, /* a host function or callback, on a thread of its own */
    SW_OP_KIND_COMPUTE, /* a library's computation */
    SW_OP_KIND_FREE,
    SW_OP_KIND_WORD,
    SW_OP_KIND_OTHER
} sw_op_kind;

typedef enum {                   /* as sw_mem_kind */
               SW_MEMORY_DEVICE, /* cudaMalloc and friends; pools, graphs */
               SW_MEMORY_HOST,   /* pinned */
               SW_MEMORY_MANAGED,
               SW_MEMORY_REGISTERED, /* the program's own, pinned */
               SW_MEMORY_MODULE,     /* variables of modules */
               SW_MEMORY_HEAP,       /* malloc in kernels */
               SW_MEMORY_INTERNAL /* ours: workspaces of grid barriers and the
                                     like */
} sw_memory_kind;

typedef struct {
    uint64_t addr, bytes; /* as asked for */
    sw_memory_kind kind;
    int device;      /* ordinal; -1: none */
    uint64_t serial; /* of the allocation in the process: 1, 2, ... */
} sw_mev_range;

/* Bytes from src to dst: depth slices of height rows of width bytes. Addresses
 * of devices and of the host. */
typedef struct {
    uint64_t dst, src;
    uint64_t dst_pitch, dst_slice, src_pitch, src_slice; /* bytes */
    uint64_t width, height, depth;
} sw_mev_copy;

typedef struct {
    uint64_t dst, pitch, slice;    /* bytes */
    uint64_t width, height, depth; /* width: elements */
    uint32_t value, elem_bytes;
} sw_mev_fill;

/* `rows` runs of `width` bytes, `pitch` bytes from one to the next, that a
 * library's computation reads, or writes and perhaps reads as well. All of them
 * or some. */
typedef struct {
    const char *name; /* of the computation; static */
    uint64_t addr, width, pitch, rows;
    bool writes;
} sw_mev_compute;

typedef enum {
    SW_HANDLE_CREATED,
    SW_HANDLE_DESTROYED,
    SW_HANDLE_RECORDED, /* an event, as operation `op` of `stream` */
    SW_HANDLE_AWAITED   /* an event: work of `stream` queued later comes after
                           `op`; 0: it was never recorded */
} sw_mev_handle;

typedef struct {
    sw_memory_event_kind kind;
    /* The operation: of OP_ and HOST_ events, COPY, FILL, WORD, COMPUTE; of
     * FREE and REUSE 0 or the operation that does it. */
    uint64_t op;
    uint64_t other;  /* OP_AFTER */
    uint64_t stream; /* id of the stream, from 1; 0: none (graphs' own nodes) */
    uint32_t context; /* number of the context, from 1; 0: none */
    uint32_t thread;  /* of the system (gettid): the one that tells it */
    union {
        /* ALLOC, FREE, RETIRE, REUSE. Shared and local memory are not told; the
         * device's heap is, beside the heap event. */
        sw_mev_range range;
        struct {
            uint64_t addr, bytes;
            const sw_sym *sym; /* of its module */
        } variable;
        struct { /* OP_QUEUED, OP_STARTED, OP_ENDED */
            sw_op_kind kind;
            bool is_blocking; /* the caller waits for it */
            sw_status status; /* OP_ENDED */
        } work;
        sw_mev_copy copy;
        sw_mev_fill fill;
        sw_mev_compute compute;
        struct {
            uint64_t addr, value;
            uint32_t bytes;
            bool is_wait; /* its condition holds now */
        } word;
        struct { /* STREAM, EVENT */
            sw_mev_handle what;
            const void *handle; /* as the program has it */
            bool is_blocking;   /* STREAM: ordered with the legacy one */
        } handle;
    };
} sw_memory_event;

#endif
