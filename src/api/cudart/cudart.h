/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudart.h - what the files of the runtime library share.
 *
 * The runtime API is made of calls of the driver API and keeps what that does
 * not know: a thread's device and last error, and what programs registered
 * before main. It is compiled once for each generation (SW_CUDART_MAJOR).
 */
#ifndef SW_API_CUDART_H
#define SW_API_CUDART_H
#if SW_CUDART_MAJOR >= 13
#define CUDART_VERSION_OVERRIDE 13000
#elif SW_CUDART_MAJOR == 12
#define CUDART_VERSION_OVERRIDE 12090
#else
#define CUDART_VERSION_OVERRIDE 11080
#endif
#define __CUDA_API_VERSION_INTERNAL 1
#include "api/entry.h"
#define ENTRY(symbol, libraries, state, missing) SW_ENTRY_RENAME(symbol)
#include "api/cudart/entries.def"
#undef ENTRY

#include "api/runtime_table.h"
#include "base/base.h"
#include "cuda/cuda.h"
#include "cuda/cudaProfiler.h"
#include "cuda/cuda_profiler_api.h"
#include "cuda/cuda_runtime_api.h"
#include "cuda/softwarp_host_runtime.h"
#undef cudaGetDeviceProperties
#undef cudaStreamGetCaptureInfo
#undef cudaSignalExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync

/* ---- errors: a thread's last one (error.c) ---- */

/* Remembers and returns it. */
cudaError_t sw_rta_fail(cudaError_t error);
void sw_rta_forget(void); /* after a device was reset */

static inline cudaError_t
sw_rta_done(CUresult result)
{
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY)
        return (cudaError_t)result; /* an answer, not an error */
    return sw_rta_fail((cudaError_t)result);
}

/* ---- the thread's device (device.c) ---- */

/* Makes the thread's device's primary context current unless some context
 * is. */
CUresult sw_rta_enter(void);
/* What each call of the runtime does at least: the driver is initialized. */
CUresult sw_rta_start(void);
int sw_rta_device(void); /* of the current context, else the chosen one */

#define ENTER()                                                                \
    do {                                                                       \
        CUresult enter_ = sw_rta_enter();                                      \
        if (enter_ != CUDA_SUCCESS)                                            \
            return sw_rta_fail((cudaError_t)enter_);                           \
    } while (0)
/* For calls that need devices, but no context. */
#define START()                                                                \
    do {                                                                       \
        CUresult start_ = sw_rta_start();                                      \
        if (start_ != CUDA_SUCCESS)                                            \
            return sw_rta_fail((cudaError_t)start_);                           \
    } while (0)
/* For the bodies of most calls: enters, calls the driver, keeps its error. */
#define CALL(call)                                                             \
    do {                                                                       \
        ENTER();                                                               \
        return sw_rta_done(call);                                              \
    } while (0)
#define REQUIRE(cond, error)                                                   \
    do {                                                                       \
        if (!(cond))                                                           \
            return sw_rta_fail(error);                                         \
    } while (0)
#define TRY(call)                                                              \
    do {                                                                       \
        CUresult try_ = (call);                                                \
        if (try_ != CUDA_SUCCESS)                                              \
            return sw_rta_fail((cudaError_t)try_);                             \
    } while (0)

/* The twin of a call for programs whose default stream is a thread's own. */
#define OWN(stream) ((stream) ? (stream) : cudaStreamPerThread)
#define TWIN(name, params, args)                                               \
    cudaError_t name##_ptsz params;                                            \
    cudaError_t name##_ptsz params                                             \
    {                                                                          \
        return name args;                                                      \
    }

/* One line on stderr, once a name; cudaErrorNotSupported. */
cudaError_t sw_rta_unsupported(const char *name);

/* ---- what programs registered (register.c) ---- */

/* The kernel behind a host function, or a cudaKernel_t, in the current
 * context. cudaErrorInvalidDeviceFunction, or why its code cannot be loaded. */
cudaError_t sw_rta_function(const void *host, CUfunction *out);
/* What launches say of a function that is none: since CUDA 13 it might have
 * been a handle. */
static inline cudaError_t
sw_rta_launchable(cudaError_t error, const void *host)
{
    return CUDART_VERSION_OVERRIDE >= 13000 && host &&
                   error == cudaErrorInvalidDeviceFunction
               ? cudaErrorInvalidResourceHandle
               : error;
}
/* The kernel behind a handle of __cudaGetKernel or a library. */
cudaError_t sw_rta_kernel(cudaKernel_t kernel, CUfunction *out);
/* The host function that a kernel of the current context was registered for.
 * cudaErrorInvalidDeviceFunction: none was. */
cudaError_t sw_rta_host_function(CUfunction f, const void **host);
/* A variable by its host shadow's address, or by a string that is its name.
 * cudaErrorInvalidSymbol. */
cudaError_t sw_rta_symbol(const void *symbol, CUdeviceptr *addr, size_t *bytes);
/* Of a host texture or surface reference. cudaErrorInvalidTexture. */
cudaError_t sw_rta_texref(const void *host, CUtexref *out, bool *as_float);
/* What our libcuda offers beyond the driver API. NULL: another libcuda. */
const sw_api_runtime_table *sw_rta_runtime_table(void);
/* The device variable whose host copy is at that address; NULL. */
const char *sw_rta_name_host(uint64_t address);
/* Forgets loaded modules of a device that has been reset. */
void sw_rta_unload(int device);
/* Loads the containers with variables in the program's own memory, for the
 * device of the current context, unless they are loaded. */
void sw_rta_load_placed(void);

/* ---- translations ---- */

static inline CUdeviceptr
sw_rta_ptr(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

/* Formats that read as fractions; the kinds of channels that do lie in the same
 * order. */
static inline bool
sw_rta_is_fraction(CUarray_format format)
{
    return format >= CU_AD_FORMAT_UNORM_INT8X1 &&
           format <= CU_AD_FORMAT_SNORM_INT16X4;
}

/* texture.c */
cudaError_t sw_rta_format(const struct cudaChannelFormatDesc *desc,
                          CUarray_format *format, unsigned *channels);
/* memory.c */
struct cudaChannelFormatDesc sw_rta_channel_desc(CUarray_format format,
                                                 unsigned channels);
/* copy.c: the driver's description of a 3D copy. */
cudaError_t sw_rta_copy3d(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *c);

#endif
