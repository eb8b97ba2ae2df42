/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api.h - what the entry points of the driver API share: what every call
 * checks first, and handles turned into objects.
 *
 * An entry point checks its arguments, translates, calls rt; nothing else.
 * sw_status numbers are CUresult's, so they are cast. Does NOT keep state.
 */
#ifndef SW_API_CUDA_H
#define SW_API_CUDA_H
#define CUDART_VERSION_OVERRIDE     13000
#define __CUDA_API_VERSION_INTERNAL 1
#include "api/entry.h"
#define ENTRY(name, symbol, since, stream, state, missing)                     \
    SW_ENTRY_RENAME(symbol)
#include "api/cuda/entries.def"
#undef ENTRY

#include "api/runtime_table.h"
#include "cuda/cuda.h"
#include "rt/graph.h"
#include "rt/memory.h"
#include "rt/module.h"
#include "rt/rt.h"
#include "rt/stream.h"

/* SW_OK needs initialisation; *context is the current one and has no error. */
sw_status sw_api_enter(sw_rt_context **context);
/* The same, but an error of the context does not matter. */
sw_status sw_api_enter_any(sw_rt_context **context);
/*
 * Handle 0 and 1: the legacy stream; 2: this thread's; else a created one.
 * Calls that name one need no current context. A device looks at the stream
 * before most other arguments: SW_E_NOT_INITIALIZED; SW_E_INVALID_CONTEXT;
 * SW_E_INVALID_HANDLE; an error of the stream's context;
 * SW_E_STREAM_CAPTURE_IMPLICIT, the legacy one while a blocking stream
 * captures; SW_E_STREAM_CAPTURE_INVALIDATED, what it captures is no longer
 * valid.
 */
sw_status sw_api_stream(CUstream handle, sw_rt_stream **stream);
/* The same for calls that take a stream whose capture is not valid, too. */
sw_status sw_api_stream_of(CUstream handle, sw_rt_stream **stream);
sw_status sw_api_device(CUdevice ordinal, sw_rt_device **device);
/* A CUfunction or CUkernel. SW_E_INVALID_HANDLE. */
sw_status sw_api_kernel(const void *handle, sw_rt_kernel **kernel);
/* In order of the stream, or into what it captures. */
sw_status sw_api_submit(sw_rt_stream *stream, const sw_rt_work *work);
/* For calls that return when the work is done: not while capturing. */
sw_status sw_api_run(sw_rt_stream *stream, const sw_rt_work *work);
/* One line on stderr, once a name; CUDA_ERROR_NOT_SUPPORTED. */
CUresult sw_api_unsupported(const char *name);

/* Copies described by structs: the work, checked. */
sw_status sw_api_copy3d(const CUDA_MEMCPY3D *c, sw_rt_work *work);
/* launch.c: gathers and checks; *configuration as sw_rt_launch_check. */
sw_status sw_api_launch_work(sw_rt_kernel *kernel, const unsigned grid[3],
                             const unsigned block[3], unsigned shared_bytes,
                             void **params, void **extra, sw_rt_work *work,
                             unsigned char *storage);
sw_status sw_api_format(CUarray_format format, sw_rt_format *out);
CUarray_format sw_api_format_back(sw_rt_format format);

/* runtime_table.c: the code in a container refers to symbols that it does not
 * define. */
bool sw_api_needs_link(const void *image);
/* runtime_table.h's `compute`. */
CUresult sw_api_compute(CUstream stream, sw_rt_compute *compute);
CUresult sw_api_load_placed(CUmodule *module, const void *image,
                            const sw_api_placement *at, size_t count);
bool sw_api_initialize(const void *image, const sw_api_placement *at,
                       size_t count);

/* logs.c: begins to keep what this library says. */
void sw_api_logs_start(void);
/* Operations on memory that one call gives to a stream or a graph. */
enum { SW_API_BATCH_MAX = 256 };
/* One of them; SW_RT_EMPTY: nothing to do. */
CUresult sw_api_batched_work(const CUstreamBatchMemOpParams *op,
                             sw_rt_work *work);

static inline CUresult
sw_api_result(sw_status status)
{
    return (CUresult)status;
}

/* ENTER(c): declares the current context or returns why there is none. */
#define ENTER(c)                                                               \
    sw_rt_context *c;                                                          \
    do {                                                                       \
        sw_status enter_ = sw_api_enter(&c);                                   \
        if (enter_ != SW_OK)                                                   \
            return sw_api_result(enter_);                                      \
    } while (0)
#define ENTER_ANY(c)                                                           \
    sw_rt_context *c;                                                          \
    do {                                                                       \
        sw_status enter_ = sw_api_enter_any(&c);                               \
        if (enter_ != SW_OK)                                                   \
            return sw_api_result(enter_);                                      \
    } while (0)
/* As ENTER; the call may not be made while a capture forbids it. */
#define ENTER_UNSAFE(c)                                                        \
    ENTER(c);                                                                  \
    TRY(sw_rt_capture_check_unsafe())
#define NEED_INIT()                                                            \
    do {                                                                       \
        if (!sw_rt_is_initialized())                                           \
            return CUDA_ERROR_NOT_INITIALIZED;                                 \
    } while (0)
#define REQUIRE(cond, error)                                                   \
    do {                                                                       \
        if (!(cond))                                                           \
            return error;                                                      \
    } while (0)
#define TRY(call)                                                              \
    do {                                                                       \
        sw_status try_ = (call);                                               \
        if (try_ != SW_OK)                                                     \
            return sw_api_result(try_);                                        \
    } while (0)
/* A pool's handle: declares it. */
#define POOL(var, handle)                                                      \
    NEED_INIT();                                                               \
    TRY(sw_rt_capture_check_unsafe());                                         \
    sw_rt_pool *var = sw_rt_object_get(handle, SW_RT_POOL);                    \
    REQUIRE(var, CUDA_ERROR_INVALID_VALUE)

#endif
