/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compute.h - computations of libraries: a function of the host that stands in
 * a stream where a real library's kernels would. It runs on the engine's
 * workers, has a name that profiles show, and says beforehand which memory it
 * reads and writes. So a wild pointer is the context's fault, as a kernel's
 * would be, and not a crash of the host's code.
 *
 * A computation is made once and may run many times, as a node of a graph;
 * runs of one may overlap. Operations and nodes hold references to it
 * (SW_RT_COMPUTE of stream.h). Any thread.
 */
#ifndef SW_RT_COMPUTE_H
#define SW_RT_COMPUTE_H
#include "rt/stream.h"

/* `rows` runs of `width` bytes, `pitch` bytes from one to the next. */
typedef struct {
    uint64_t addr, width, pitch, rows;
    bool writes;
} sw_rt_access;

struct sw_rt_compute {
    uint32_t refs;    /* atomic */
    const char *name; /* static */
    /* False: an address that it has found in memory is none of the device's,
     * which is the context's fault. */
    bool (*fn)(void *args);
    void (*drop)(void *args); /* or NULL: before the arguments go */
    void *args;               /* 16-byte aligned */
    sw_rt_access *accesses;
    size_t access_count;
};

/* Copies arguments and accesses. One reference, the caller's. `drop` is called
 * once with the copy, when the last reference goes. */
sw_rt_compute *sw_rt_compute_create(const char *name, bool (*fn)(void *args),
                                    void (*drop)(void *args), const void *args,
                                    size_t arg_bytes,
                                    const sw_rt_access *accesses, size_t count);
void sw_rt_compute_ref(sw_rt_compute *compute);
void sw_rt_compute_unref(sw_rt_compute *compute); /* NULL is left alone */
/* All that it says it accesses is there. Of the host's own memory outside the
 * device's range nothing is known. */
bool sw_rt_compute_is_possible(const sw_rt_compute *compute);
/* Runs it if it is possible; else says which access is not there and fails the
 * context for it. */
void sw_rt_compute_execute(const sw_rt_compute *compute,
                           sw_rt_context *context);
/* The work for sw_rt_stream_submit; borrows the computation. */
sw_rt_work sw_rt_compute_work(sw_rt_compute *compute);

#endif
