/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - observers of a process: checkers, counters, traces. Each is a
 * function that opens an sw_watcher, and a row of observers.def, by whose name
 * `softwarp run --observe=NAME` asks for it. Up to eight may observe one
 * process and one launch.
 *
 * Observers see events and static facts of kernels only, never the state of an
 * engine. event.h and memory_event.h say on which threads callbacks run.
 */
#ifndef SW_WATCH_H
#define SW_WATCH_H
#include "device/device.h"
#include "exec/event.h"
#include "exec/instrument.h"
#include "exec/memory_event.h"

/* What a launch is; valid between launch_begin and launch_end. */
typedef struct {
    const sw_fn *fn;
    uint64_t kernel; /* its number: no other has it, even after this one is
                        unloaded */
    const sw_device_info *device;
    uint64_t grid_id; /* launches of the process, counted from 1 */
    uint64_t op;      /* as in memory_event.h; 0: launched by a kernel */
    uint64_t stream;  /* its id; 0: as above */
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks; all 0: no clusters */
    uint32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t regs;      /* a thread */
    uint32_t ins_count; /* instructions of all that the kernel can reach */
    const void *params; /* fn->param_bytes */
    /* Offset of a shared variable in the block's shared memory. */
    uint32_t (*shared_offset)(const void *program, const sw_sym *sym);
    const void *program; /* for shared_offset */
    bool is_cooperative;
    bool is_recorded;   /* between the program's calls of its profiler */
    bool is_sampled_ok; /* leaving blocks out changes nothing for the others */
} sw_watch_launch;

/* What a device takes for something. */
typedef struct {
    double ns;
    double share; /* of its multiprocessors that are full of it, 0 to 1 */
} sw_watch_time;

/* How it went. */
typedef struct {
    bool has_started;
    sw_status status;  /* of the fault, or why it did not start */
    const char *fault; /* the whole report; NULL: none */
    uint64_t start_ns, end_ns;
    bool is_instrumented; /* with what observers put into kernels */
    /* An observer that has copy_time says here what the kernel takes. */
    sw_watch_time *time;
    /* NULL, or an observer that predicts says here what (model/model.h); its
     * object lives for ever. */
    const struct sw_times **forecast;
} sw_watch_end;

typedef enum {
    SW_WATCH_PAGEABLE,
    SW_WATCH_PINNED,
    SW_WATCH_DEVICE
} sw_watch_place;

/* A copy from a place to another, or a fill of dst. */
typedef struct {
    const sw_device_info *device;
    sw_watch_place src, dst;
    bool is_fill;
    uint64_t bytes;
} sw_watch_copy;

/* A call of the API by the program, which has returned. Valid during the
 * callback, which runs on the calling thread. */
typedef struct {
    const char *name; /* "cudaMemcpy", without _v2 and the like */
    bool is_runtime;  /* else of the driver */
    const uint64_t
        *ints; /* [6] the first arguments, as they lie in registers */
    const uint64_t *stack; /* the others */
    uint32_t result;       /* of those that return a status; else a part */
    uint32_t thread;       /* of the system (gettid) */
    /* Writes "cudaMalloc(devPtr = ..., size = 4) = cudaErrorMemoryAllocation";
     * give it `raw`. */
    void (*describe)(const void *raw, sw_buf *out);
    const void *raw;
} sw_watch_call;

/* Closes the pages of [first, end) to the host: to its writes alone, or
 * wholly. */
typedef void sw_watch_close_fn(uint64_t first, uint64_t end, bool may_be_read);

/* An observer of a process. Callbacks may be NULL. */
typedef struct {
    void *arg;
    uint32_t memory_events; /* SW_MEV_ bits */
    /*
     * A launch is about to start; on any thread, several at once. Returns what
     * launch_end gets. *observer (NULL at first): sees the launch, and must
     * stay as it is until launch_end. *sample (1 at first): it sees only blocks
     * whose index is a multiple of this, if launch->is_sampled_ok; the others
     * run as if nobody watched. With several observers all see what the one
     * with the smallest sample sees.
     */
    void *(*launch_begin)(void *arg, const sw_watch_launch *launch,
                          const sw_observer **observer, uint32_t *sample);
    /* NULL, or code that it puts into all kernels. It runs in launches of which
     * nobody takes events. */
    const sw_instrument *instrument;
    /* It has ended, on a worker thread; its stream goes on when this returns.
     */
    void (*launch_end)(void *arg, void *state, const sw_watch_end *end);
    /* NULL, or the observer knows what work takes on its device, and the API's
     * times are to be that device's (rt/device_clock.h). */
    sw_watch_time (*copy_time)(void *arg, const sw_watch_copy *copy);
    void (*memory)(void *arg, const sw_memory_event *event);
    void (*call)(void *arg, const sw_watch_call *call);
    /* Before the program's call does anything; with `call`. */
    void (*call_begins)(void *arg);
    /* NULL, or device memory is closed to the program's own code: it touches
     * `addr` at the instruction `pc`. In a handler of SIGSEGV, on that thread.
     * True: it may not, and the signal ends it unless the program handles it;
     * false: the memory is opened and the access repeated. */
    bool (*host_access)(void *arg, uint64_t addr, uint64_t pc, bool is_write);
    /* NULL, or names memory that is to be closed besides while the program's
     * own code runs and the device has nothing to do. */
    void (*host_closes)(void *arg, sw_watch_close_fn *close);
    /* The process ends; nothing is called any more. */
    void (*finish)(void *arg);
} sw_watcher;

/* ---- those that have a name ---- */

/* Opens one. options: what stands behind the name, "" for none; it is the
 * observer's business. False after saying on stderr what is wrong. */
typedef bool sw_watch_open_fn(const char *options, sw_watcher *out);

typedef struct {
    const char *name;
    sw_watch_open_fn *open;
    const char *options; /* how they are written; "" for none */
    const char *text;    /* what it does, a phrase */
} sw_watch_entry;

/* NULL behind the last. */
const sw_watch_entry *sw_watch_at(size_t i);
/* NULL: there is none of this name. */
const sw_watch_entry *sw_watch_find(const char *name, size_t length);

/* ---- several as one (several.c) ---- */

/* Owned by caller, sw_several_destroy after the launch. The observers (borrowed
 * until then) get each event in this order; count at least 2. */
typedef struct sw_several sw_several;
sw_several *sw_several_create(const sw_observer *const *observers,
                              size_t count);
void sw_several_destroy(sw_several *several);
/* Wants what any of them wants. */
const sw_observer *sw_several_observer(const sw_several *several);

/* ---- observers.def ---- */

#define OBSERVER(name, open, options, text) sw_watch_open_fn open;
#include "watch/observers.def"

/* none.c: sees everything, does nothing. What to copy for a new one. */
sw_observer sw_watch_none(void);

#endif
