/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - see api.h. */
#include "api/cuda/api.h"

#include <pthread.h>
#include <string.h>

sw_status
sw_api_enter_any(sw_rt_context **context)
{
    if (!sw_rt_is_initialized())
        return SW_E_NOT_INITIALIZED;
    bool stale;
    *context = sw_rt_current(&stale);
    if (*context)
        return SW_OK;
    return stale ? SW_E_CONTEXT_IS_DESTROYED : SW_E_INVALID_CONTEXT;
}

sw_status
sw_api_enter(sw_rt_context **context)
{
    sw_status status = sw_api_enter_any(context);
    return status == SW_OK ? sw_rt_context_error(*context) : status;
}

sw_status
sw_api_stream_of(CUstream handle, sw_rt_stream **stream)
{
    uintptr_t number = (uintptr_t)handle;
    sw_rt_context *context;
    if (number > 2) {
        if (!sw_rt_is_initialized())
            return SW_E_NOT_INITIALIZED;
        *stream = sw_rt_object_get(handle, SW_RT_STREAM);
        return *stream ? sw_rt_context_error((*stream)->context)
                       : SW_E_INVALID_HANDLE;
    }
    sw_status status = sw_api_enter(&context);
    if (status != SW_OK)
        return status;
    *stream = number == 2 ? sw_rt_stream_per_thread(context) : context->legacy;
    return number == 2 ? SW_OK : sw_rt_capture_check_legacy(context, true);
}

sw_status
sw_api_stream(CUstream handle, sw_rt_stream **stream)
{
    sw_status status = sw_api_stream_of(handle, stream);
    return status == SW_OK ? sw_rt_capture_check_valid(*stream) : status;
}

sw_status
sw_api_device(CUdevice ordinal, sw_rt_device **device)
{
    if (!sw_rt_is_initialized())
        return SW_E_NOT_INITIALIZED;
    *device = sw_rt_device_at(ordinal);
    return *device ? SW_OK : SW_E_INVALID_DEVICE;
}

sw_status
sw_api_submit(sw_rt_stream *stream, const sw_rt_work *work)
{
    if (stream->capture || stream->capture_status)
        return sw_rt_capture_work(stream, work);
    return sw_rt_stream_submit(stream, work);
}

sw_status
sw_api_run(sw_rt_stream *stream, const sw_rt_work *work)
{
    if (stream->capture || stream->capture_status)
        return sw_rt_capture_refuse(stream);
    return sw_rt_stream_run(stream, work);
}

CUresult
sw_api_unsupported(const char *name)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static sw_map *said;
    pthread_mutex_lock(&lock);
    if (!said)
        said = sw_map_create();
    bool first = !sw_map_get(said, sw_str_of(name));
    if (first)
        sw_map_set(said, sw_str_of(name), said);
    pthread_mutex_unlock(&lock);
    if (first)
        sw_log(SW_LOG_WARN, "%s is not supported", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}
