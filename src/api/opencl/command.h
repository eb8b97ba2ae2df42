/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - how a clEnqueue... becomes an operation of its queue's stream.
 *
 *     sw_ocl_command c;
 *     TRY(sw_ocl_command_begin(&c, queue, type, count, list, event));
 *     ... checks of the command's own arguments ...
 *     return sw_ocl_command_submit(&c, &work, blocking);
 *
 * Begin checks the queue and the wait list; nothing has to be undone if what
 * follows finds an error.
 */
#ifndef SW_API_OPENCL_COMMAND_H
#define SW_API_OPENCL_COMMAND_H
#include "api/opencl/ocl.h"

enum { SW_OCL_FEW_EVENTS = 8 };

typedef struct {
    cl_command_queue queue;
    cl_command_type type;
    cl_uint count;
    const cl_event *list;
    cl_event *event; /* where the program wants one; NULL */
    uint64_t queued_ns;
} sw_ocl_command;

/* CL_INVALID_COMMAND_QUEUE, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT,
 * CL_OUT_OF_RESOURCES: a kernel of the queue's context has failed. */
cl_int sw_ocl_command_begin(sw_ocl_command *c, cl_command_queue queue,
                            cl_command_type type, cl_uint count,
                            const cl_event *list, cl_event *event);
/* The buffer behind a handle. CL_INVALID_MEM_OBJECT; CL_INVALID_CONTEXT: it is
 * of another context than the command's queue. */
cl_int sw_ocl_command_buffer(const sw_ocl_command *c, cl_mem handle,
                             cl_mem *out);
/* The work in the queue's order; waits for it if `blocking`. */
cl_int sw_ocl_command_submit(const sw_ocl_command *c, const sw_rt_work *work,
                             bool blocking);
/* The same of several pieces of work, which do not depend on each other. */
cl_int sw_ocl_command_submit_all(const sw_ocl_command *c,
                                 const sw_rt_work *works, size_t count,
                                 bool blocking);
/* A marker, or a barrier: of the wait list, or all before it. */
cl_int sw_ocl_command_mark(const sw_ocl_command *c, bool is_barrier);
/* Calls fn(arg) on the thread of host functions, in the queue's order; whatever
 * has happened before. */
cl_int sw_ocl_command_call(const sw_ocl_command *c, void (*fn)(void *),
                           void *arg);

/* One row of work: bytes from src to dst. */
static inline sw_rt_work
sw_ocl_copy(uint64_t dst, uint64_t src, size_t bytes)
{
    return (sw_rt_work){.kind = SW_RT_COPY,
                        .copy = {.dst = dst,
                                 .src = src,
                                 .dst_pitch = bytes,
                                 .src_pitch = bytes,
                                 .dst_slice = bytes,
                                 .src_slice = bytes,
                                 .width = bytes,
                                 .height = 1,
                                 .depth = 1}};
}

/* The same, but fn is not called if something that it waits for has failed;
 * release(arg) is, after it. */
cl_int sw_ocl_command_call_if_sound(const sw_ocl_command *c, void (*fn)(void *),
                                    void (*release)(void *), void *arg);
/* `size` bytes at `address` filled with a pattern. CL_INVALID_VALUE: no such
 * pattern, or the size is no multiple of it. */
cl_int sw_ocl_fill(uint64_t address, const void *pattern, size_t pattern_size,
                   size_t size, sw_rt_work *work);

#endif
