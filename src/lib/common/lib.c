/* SPDX-License-Identifier: Apache-2.0 */
/* lib.c - see lib.h: contexts, computations, refusals. */
#include "lib/common/lib.h"

#include <pthread.h>
#include <string.h>

#include "api/runtime_table.h"
#include "mem/mem.h"

static const sw_api_runtime_table *table;

static void
find_table(void)
{
    static const CUuuid id = {{'s', 'o', 'f', 't', 'w', 'a', 'r', 'p', '-', 'r',
                               'u', 'n', 't', 'i', 'm', 'e'}};
    const void *found = NULL;
    if (cuGetExportTable(&found, &id) == CUDA_SUCCESS)
        table = found;
}

CUresult
sw_lib_enter(void)
{
    CUcontext context = NULL;
    CUresult status = cuInit(0);
    if (status == CUDA_SUCCESS)
        status = cuCtxGetCurrent(&context);
    if (status != CUDA_SUCCESS || context)
        return status;
    status = cuDevicePrimaryCtxRetain(&context, 0);
    return status == CUDA_SUCCESS ? cuCtxSetCurrent(context) : status;
}

CUresult
sw_lib_wait(CUstream stream)
{
    return cuStreamSynchronize(stream);
}

bool
sw_lib_is_capturing(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static void
add_access(sw_lib_work *work, const void *at, size_t width, size_t pitch,
           size_t rows, bool writes)
{
    if (!width || !rows)
        return;
    SW_ASSERT(work->access_count < SW_LIB_ACCESSES);
    work->accesses[work->access_count++] = (sw_rt_access){
        (uint64_t)(uintptr_t)at, width, rows > 1 ? pitch : width, rows, writes};
}

void
sw_lib_reads(sw_lib_work *work, const void *at, size_t width, size_t pitch,
             size_t rows)
{
    add_access(work, at, width, pitch, rows, false);
}

void
sw_lib_writes(sw_lib_work *work, const void *at, size_t width, size_t pitch,
              size_t rows)
{
    add_access(work, at, width, pitch, rows, true);
}

CUresult
sw_lib_submit(CUstream stream, const sw_lib_work *work)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_table);
    sw_rt_compute *compute = sw_rt_compute_create(
        work->name, work->fn, work->drop, work->args, work->arg_bytes,
        work->accesses, work->access_count);
    CUresult status = sw_lib_enter();
    if (status == CUDA_SUCCESS)
        status = table ? table->compute(stream, compute)
                       : CUDA_ERROR_NOT_INITIALIZED;
    sw_rt_compute_unref(compute);
    return status;
}

bool
sw_lib_is_there(const void *at, size_t width, size_t pitch, size_t rows)
{
    uint64_t bytes = rows && width ? (rows - 1) * pitch + width : 0;
    const sw_mem_view *view;
    uint64_t address = (uint64_t)(uintptr_t)at;
    if (!bytes)
        return true;
    if (sw_mem_get_view(&view) != SW_OK || address - view->base >= view->bytes)
        return address >= 4096;
    return sw_mem_is_accessible(address, bytes);
}

sw_lib_scalar
sw_lib_scalar_of(const void *at, bool is_device, size_t bytes,
                 sw_lib_work *work)
{
    sw_lib_scalar s = {NULL, {0}};
    if (is_device) {
        s.device = at;
        sw_lib_reads(work, at, bytes, 0, 1);
    } else {
        memcpy(s.value, at, bytes);
    }
    return s;
}

const void *
sw_lib_scalar_get(const sw_lib_scalar *s)
{
    return s->device ? s->device : s->value;
}

/* ---- refusals ---- */

static bool
is_first(const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static sw_map *said;
    pthread_mutex_lock(&lock);
    if (!said)
        said = sw_map_create();
    bool first = !sw_map_get(said, sw_str_of(text));
    if (first)
        sw_map_set(said, sw_str_of(text), said);
    pthread_mutex_unlock(&lock);
    return first;
}

void
sw_lib_say_refused(const char *function)
{
    if (is_first(function))
        sw_log(SW_LOG_WARN, "%s of %s is not supported", function,
               sw_lib_soname);
}

void
sw_lib_say(const char *text)
{
    if (is_first(text))
        sw_log(SW_LOG_WARN, "%s", text);
}
