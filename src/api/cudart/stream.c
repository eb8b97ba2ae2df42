/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - streams and events. */
#include "api/cudart/cudart.h"

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags,
                             int priority)
{
    CALL(cuStreamCreateWithPriority(pStream, flags, priority));
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    CALL(cuStreamCreate(pStream, flags));
}

cudaError_t
cudaStreamCreate(cudaStream_t *pStream)
{
    CALL(cuStreamCreate(pStream, 0));
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    CALL(cuStreamDestroy_v2(stream));
}

/* STREAM(name, more parameters, driver call): a call whose first parameter is
 * the stream, and its twin. */
#define STREAM(name, params, args, driver)                                     \
    cudaError_t name params                                                    \
    {                                                                          \
        CALL(driver args);                                                     \
    }                                                                          \
    STREAM_TWIN(name, params, args)
#define STREAM_TWIN(name, params, args)                                        \
    cudaError_t name##_ptsz params;                                            \
    cudaError_t name##_ptsz params                                             \
    {                                                                          \
        stream = OWN(stream);                                                  \
        return name args;                                                      \
    }

/* clang-format off */
STREAM(cudaStreamSynchronize, (cudaStream_t stream), (stream),
       cuStreamSynchronize)
STREAM(cudaStreamQuery, (cudaStream_t stream), (stream), cuStreamQuery)
STREAM(cudaStreamGetPriority, (cudaStream_t stream, int *priority),
       (stream, priority), cuStreamGetPriority)
STREAM(cudaStreamGetFlags, (cudaStream_t stream, unsigned int *flags),
       (stream, flags), cuStreamGetFlags)
STREAM(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id),
       (stream, id), cuStreamGetId)
STREAM(cudaStreamGetDevice, (cudaStream_t stream, int *device),
       (stream, device), cuStreamGetDevice)
STREAM(cudaStreamWaitEvent,
       (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
       (stream, event, flags), cuStreamWaitEvent)
/* clang-format on */

cudaError_t
cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                      void *userData, unsigned int flags)
{
    /* The driver's callback differs in the names of its types only. */
    CALL(cuStreamAddCallback(stream, (CUstreamCallback)callback, userData,
                             flags));
}
STREAM_TWIN(cudaStreamAddCallback,
            (cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
             unsigned int flags),
            (stream, callback, userData, flags))

cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
                         unsigned int flags)
{
    CALL(cuStreamAttachMemAsync(stream, sw_rta_ptr(devPtr), length, flags));
}
STREAM_TWIN(cudaStreamAttachMemAsync,
            (cudaStream_t stream, void *devPtr, size_t length,
             unsigned int flags),
            (stream, devPtr, length, flags))

cudaError_t
cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    CALL(cuStreamCopyAttributes(dst, src));
}

cudaError_t
cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                       cudaLaunchAttributeValue *value)
{
    CALL(cuStreamGetAttribute(stream, (CUstreamAttrID)attr,
                              (CUstreamAttrValue *)value));
}

cudaError_t
cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                       const cudaLaunchAttributeValue *value)
{
    CALL(cuStreamSetAttribute(stream, (CUstreamAttrID)attr,
                              (const CUstreamAttrValue *)value));
}

TWIN(cudaStreamCopyAttributes, (cudaStream_t dst, cudaStream_t src),
     (OWN(dst), OWN(src)))
TWIN(cudaStreamGetAttribute,
     (cudaStream_t stream, cudaLaunchAttributeID attr,
      cudaLaunchAttributeValue *value),
     (OWN(stream), attr, value))
TWIN(cudaStreamSetAttribute,
     (cudaStream_t stream, cudaLaunchAttributeID attr,
      const cudaLaunchAttributeValue *value),
     (OWN(stream), attr, value))

/* ---- events ---- */

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    CALL(cuEventCreate(event, flags));
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
    CALL(cuEventCreate(event, 0));
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    CALL(cuEventRecord(event, stream));
}
TWIN(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream),
     (event, OWN(stream)))

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                         unsigned int flags)
{
    CALL(cuEventRecordWithFlags(event, stream, flags));
}
TWIN(cudaEventRecordWithFlags,
     (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
     (event, OWN(stream), flags))

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    START();
    return sw_rta_done(cuEventQuery(event));
}

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
    START();
    return sw_rta_done(cuEventSynchronize(event));
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    CALL(cuEventDestroy_v2(event));
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    REQUIRE(ms, cudaErrorInvalidValue);
    CALL(cuEventElapsedTime(ms, start, end));
}

#if SW_CUDART_MAJOR >= 12
cudaError_t
cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    REQUIRE(ms, cudaErrorInvalidValue);
    CALL(cuEventElapsedTime(ms, start, end));
}
#endif
