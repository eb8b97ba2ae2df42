/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - streams and events. */
#include <string.h>

#include "api/cuda/graph.h"
#include "rt/share.h"

CUresult
cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    REQUIRE(phStream, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(flags == CU_STREAM_DEFAULT || flags == CU_STREAM_NON_BLOCKING,
            CUDA_ERROR_INVALID_VALUE);
    ENTER(c);
    sw_rt_stream *s = sw_rt_stream_create(c, flags == CU_STREAM_NON_BLOCKING,
                                          sw_api_priority(priority));
    s->flags = flags;
    *phStream = (CUstream)s;
    return CUDA_SUCCESS;
}

CUresult
cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
    return cuStreamCreateWithPriority(phStream, Flags, 0);
}

CUresult
cuStreamDestroy_v2(CUstream hStream)
{
    sw_rt_stream *s;
    REQUIRE(hStream, CUDA_ERROR_INVALID_HANDLE);
    NEED_INIT();
    if ((uintptr_t)hStream <= 2)
        TRY(sw_api_stream_of(hStream, &s));
    s = sw_rt_object_get(hStream, SW_RT_STREAM);
    REQUIRE(s && !s->is_legacy && !s->is_per_thread, CUDA_ERROR_INVALID_HANDLE);
    sw_status status = sw_rt_context_error(s->context);
    sw_rt_capture_abandon(s);
    sw_rt_print_flush();
    sw_rt_stream_destroy(s);
    return sw_api_result(status);
}

CUresult
cuStreamDestroy(CUstream hStream)
{
    return cuStreamDestroy_v2(hStream);
}

CUresult
cuStreamSynchronize(CUstream hStream)
{
    sw_rt_stream *s;
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    TRY(sw_rt_capture_check_unsafe());
    return sw_api_result(sw_rt_stream_wait(s));
}

CUresult
cuStreamQuery(CUstream hStream)
{
    sw_rt_stream *s;
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    TRY(sw_rt_capture_check_unsafe());
    return sw_api_result(sw_rt_stream_query(s));
}

CUresult
cuStreamGetPriority(CUstream hStream, int *priority)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(priority, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream(hStream, &s));
    *priority = s->priority;
    return CUDA_SUCCESS;
}

CUresult
cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(flags, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s)); /* as an H200 */
    *flags = s->flags;
    return CUDA_SUCCESS;
}

CUresult
cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(streamId, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s)); /* as an H200 */
    *streamId = s->id;
    return CUDA_SUCCESS;
}

CUresult
cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(pctx, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream(hStream, &s));
    *pctx = (CUcontext)s->context;
    return CUDA_SUCCESS;
}

CUresult
cuStreamGetCtx_v2(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx)
{
    if (pGreenCtx)
        *pGreenCtx = NULL; /* there are none */
    return cuStreamGetCtx(hStream, pCtx);
}

CUresult
cuStreamGetDevice(CUstream hStream, CUdevice *device)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s)); /* as an H200 */
    *device = s->context->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult
cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    sw_rt_stream *s;
    TRY(sw_api_stream(hStream, &s));
    REQUIRE(Flags <= CU_EVENT_WAIT_EXTERNAL, CUDA_ERROR_INVALID_VALUE);
    sw_rt_event *e = sw_rt_object_get(hEvent, SW_RT_EVENT);
    REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
    return sw_api_result(
        sw_rt_capture_wait_event(s, e, Flags == CU_EVENT_WAIT_EXTERNAL));
}

CUresult
cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    sw_rt_stream *s;
    REQUIRE(fn, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream(hStream, &s));
    sw_rt_work work = {.kind = SW_RT_HOST};
    work.host.fn = fn;
    work.host.arg = userData;
    return sw_api_result(sw_api_submit(s, &work));
}

typedef struct {
    CUstreamCallback fn;
    void *arg;
} callback;

static void
call_back(void *handle, int status, void *arg)
{
    callback c = *(callback *)arg;
    sw_free(arg);
    c.fn((CUstream)handle, (CUresult)status, c.arg);
}

CUresult
cuStreamAddCallback(CUstream hStream, CUstreamCallback fn, void *userData,
                    unsigned int flags)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(fn && flags == 0, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    callback *c = sw_alloc(sizeof *c);
    c->fn = fn;
    c->arg = userData;
    sw_rt_work work = {.kind = SW_RT_CALLBACK};
    work.callback.fn = call_back;
    work.callback.handle = hStream;
    work.callback.arg = c;
    return sw_api_result(sw_api_submit(s, &work));
}

CUresult
cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
                       unsigned int flags)
{
    sw_rt_stream *s;
    NEED_INIT();
    TRY(sw_api_stream_of(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    REQUIRE(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
                flags == CU_MEM_ATTACH_SINGLE,
            CUDA_ERROR_INVALID_VALUE);
    const sw_rt_alloc *a = sw_rt_memory_find(dptr, NULL);
    REQUIRE(a && a->kind == SW_MEM_MANAGED, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(length == 0 || length <= a->bytes, CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

/* ---- attributes ---- */

CUresult
cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    sw_rt_stream *d, *s;
    NEED_INIT();
    TRY(sw_api_stream(dst, &d));
    TRY(sw_api_stream(src, &s));
    d->sync_policy = s->sync_policy;
    d->domain = s->domain;
    memcpy(d->domain_map, s->domain_map, sizeof d->domain_map);
    return CUDA_SUCCESS;
}

CUresult
cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr,
                     CUstreamAttrValue *value)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(value, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream(hStream, &s));
    switch ((int)attr) {
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        value->syncPolicy = (CUsynchronizationPolicy)s->sync_policy;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        value->priority = s->priority;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        value->accessPolicyWindow = (CUaccessPolicyWindow){0};
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        value->memSyncDomain = (CUlaunchMemSyncDomain)s->domain;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        value->memSyncDomainMap.default_ = s->domain_map[0];
        value->memSyncDomainMap.remote = s->domain_map[1];
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                     const CUstreamAttrValue *value)
{
    sw_rt_stream *s;
    NEED_INIT();
    REQUIRE(value, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_stream(hStream, &s));
    REQUIRE(sw_api_attribute_is_valid(attr, value), CUDA_ERROR_INVALID_VALUE);
    switch ((int)attr) {
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        s->sync_policy = (int)value->syncPolicy;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        s->priority = sw_api_priority(value->priority);
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: /* caches: no effect */
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: /* nor these */
        s->domain = (unsigned char)value->memSyncDomain;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        s->domain_map[0] = value->memSyncDomainMap.default_;
        s->domain_map[1] = value->memSyncDomainMap.remote;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* ---- values in memory ---- */

static CUresult
value_work(CUdeviceptr addr, uint64_t value, uint32_t bytes, bool is_wait,
           unsigned flags, sw_rt_work *work)
{
    REQUIRE(!(flags & CU_STREAM_WAIT_VALUE_FLUSH), CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(flags <= (is_wait ? CU_STREAM_WAIT_VALUE_NOR : 0u),
            CUDA_ERROR_INVALID_VALUE);
    const sw_rt_alloc *a = sw_rt_memory_find(addr, NULL);
    REQUIRE(addr % bytes == 0 && sw_mem_is_accessible(addr, bytes) &&
                !(a && a->kind == SW_MEM_MANAGED),
            CUDA_ERROR_INVALID_VALUE);
    *work =
        (sw_rt_work){.kind = is_wait ? SW_RT_WAIT_VALUE : SW_RT_WRITE_VALUE};
    work->value.addr = addr;
    work->value.value = value;
    work->value.bytes = bytes;
    work->value.test = flags & 3;
    return CUDA_SUCCESS;
}

static CUresult
value_op(CUstream hStream, CUdeviceptr addr, uint64_t value, uint32_t bytes,
         bool is_wait, unsigned flags)
{
    sw_rt_stream *s;
    sw_rt_work work;
    NEED_INIT();
    TRY(sw_api_stream(hStream, &s));
    CUresult status = value_work(addr, value, bytes, is_wait, flags, &work);
    return status == CUDA_SUCCESS ? sw_api_result(sw_api_submit(s, &work))
                                  : status;
}

#define VALUE_OP(name, type, bytes, is_wait)                                   \
    CUresult name(CUstream stream, CUdeviceptr addr, type value,               \
                  unsigned int flags)                                          \
    {                                                                          \
        return value_op(stream, addr, value, bytes, is_wait, flags);           \
    }
VALUE_OP(cuStreamWaitValue32, cuuint32_t, 4, true)
VALUE_OP(cuStreamWaitValue32_v2, cuuint32_t, 4, true)
VALUE_OP(cuStreamWaitValue64, cuuint64_t, 8, true)
VALUE_OP(cuStreamWaitValue64_v2, cuuint64_t, 8, true)
VALUE_OP(cuStreamWriteValue32, cuuint32_t, 4, false)
VALUE_OP(cuStreamWriteValue32_v2, cuuint32_t, 4, false)
VALUE_OP(cuStreamWriteValue64, cuuint64_t, 8, false)
VALUE_OP(cuStreamWriteValue64_v2, cuuint64_t, 8, false)

CUresult
sw_api_batched_work(const CUstreamBatchMemOpParams *op, sw_rt_work *work)
{
    const struct CUstreamMemOpWaitValueParams_st *wait = &op->waitValue;
    const struct CUstreamMemOpWriteValueParams_st *write = &op->writeValue;
    switch (op->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        return value_work(wait->address, wait->value, 4, true, wait->flags,
                          work);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return value_work(wait->address, wait->value64, 8, true, wait->flags,
                          work);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        return value_work(write->address, write->value, 4, false, write->flags,
                          work);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return value_work(write->address, write->value64, 8, false,
                          write->flags, work);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: /* as an H200 */
        return CUDA_ERROR_NOT_SUPPORTED;
    case CU_STREAM_MEM_OP_BARRIER: /* a stream does that anyway */
        *work = (sw_rt_work){.kind = SW_RT_EMPTY};
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                      CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    NEED_INIT();
    REQUIRE(paramArray && count <= SW_API_BATCH_MAX && !flags,
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_stream *s;
    TRY(sw_api_stream(stream, &s));
    for (unsigned i = 0; i < count; i++) {
        sw_rt_work work;
        CUresult status = sw_api_batched_work(&paramArray[i], &work);
        if (status != CUDA_SUCCESS)
            return status;
        if (work.kind != SW_RT_EMPTY)
            TRY(sw_api_submit(s, &work));
    }
    return CUDA_SUCCESS;
}

CUresult
cuStreamBatchMemOp(CUstream stream, unsigned int count,
                   CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    return cuStreamBatchMemOp_v2(stream, count, paramArray, flags);
}

/* ---- events ---- */

CUresult
cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    ENTER(c);
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING |
                           CU_EVENT_INTERPROCESS;
    REQUIRE(phEvent && (Flags & ~known) == 0, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(!(Flags & CU_EVENT_INTERPROCESS) ||
                (Flags & CU_EVENT_DISABLE_TIMING),
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_shared_event *shared = NULL;
    if (Flags & CU_EVENT_INTERPROCESS) {
        shared = sw_rt_shared_event_create();
        REQUIRE(shared, CUDA_ERROR_OUT_OF_MEMORY);
    }
    *phEvent =
        (CUevent)sw_rt_event_create(c, Flags, Flags & CU_EVENT_DISABLE_TIMING,
                                    Flags & CU_EVENT_BLOCKING_SYNC, shared);
    return CUDA_SUCCESS;
}

CUresult
cuEventDestroy_v2(CUevent hEvent)
{
    sw_rt_event *e = sw_rt_object_get(hEvent, SW_RT_EVENT);
    REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
    sw_status status = sw_rt_context_error(e->context);
    sw_rt_event_destroy(e);
    return sw_api_result(status);
}

CUresult
cuEventDestroy(CUevent hEvent)
{
    return cuEventDestroy_v2(hEvent);
}

CUresult
cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    sw_rt_stream *s;
    TRY(sw_api_stream(hStream, &s));
    sw_rt_event *e = sw_rt_object_get(hEvent, SW_RT_EVENT);
    REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(flags <= CU_EVENT_RECORD_EXTERNAL, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(flags != CU_EVENT_RECORD_EXTERNAL || s->capture,
            CUDA_ERROR_ILLEGAL_STATE);
    REQUIRE(e->context == s->context, CUDA_ERROR_INVALID_HANDLE);
    return sw_api_result(
        sw_rt_capture_record(s, e, flags == CU_EVENT_RECORD_EXTERNAL));
}

CUresult
cuEventRecord(CUevent hEvent, CUstream hStream)
{
    return cuEventRecordWithFlags(hEvent, hStream, 0);
}

/* What nobody may ask of an event that was last recorded in a capture; one that
 * is under way becomes invalid if it `spoils` it. */
static CUresult
while_captured(const sw_rt_event *e, bool spoils)
{
    switch (sw_rt_capture_of_event(e, spoils)) {
    case 0:
        return CUDA_SUCCESS;
    case 1:
        return CUDA_ERROR_CAPTURED_EVENT;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuEventQuery(CUevent hEvent)
{
    sw_rt_event *e = sw_rt_object_get(hEvent, SW_RT_EVENT);
    REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
    CUresult captured = while_captured(e, true);
    if (captured != CUDA_SUCCESS)
        return captured;
    TRY(sw_rt_capture_check_unsafe());
    TRY(sw_rt_context_error(e->context));
    return sw_api_result(sw_rt_event_query(e));
}

CUresult
cuEventSynchronize(CUevent hEvent)
{
    sw_rt_event *e = sw_rt_object_get(hEvent, SW_RT_EVENT);
    REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
    CUresult captured = while_captured(e, true);
    if (captured != CUDA_SUCCESS)
        return captured;
    TRY(sw_rt_capture_check_unsafe());
    TRY(sw_rt_context_error(e->context));
    return sw_api_result(sw_rt_event_wait(e));
}

CUresult
cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    sw_rt_event *a = sw_rt_object_get(hStart, SW_RT_EVENT);
    sw_rt_event *b = sw_rt_object_get(hEnd, SW_RT_EVENT);
    REQUIRE(pMilliseconds && a, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_rt_context_error(a->context));
    REQUIRE(b && a->context->device == b->context->device && !a->no_timing &&
                !b->no_timing,
            CUDA_ERROR_INVALID_HANDLE);
    CUresult captured = while_captured(a, false);
    if (captured == CUDA_SUCCESS)
        captured = while_captured(b, false);
    if (captured != CUDA_SUCCESS)
        return captured;
    TRY(sw_rt_context_error(b->context));
    float ms;
    TRY(sw_rt_event_elapsed(a, b, &ms));
    *pMilliseconds = ms;
    return CUDA_SUCCESS;
}

CUresult
cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return cuEventElapsedTime(pMilliseconds, hStart, hEnd);
}

/* ---- events of a whole context ---- */

/* What a call for all streams of a context checks: not while one captures. */
static CUresult
context_and_event(CUcontext handle, CUevent hEvent, sw_rt_context **c,
                  sw_rt_event **e)
{
    NEED_INIT();
    *c = sw_rt_object_get(handle, SW_RT_CONTEXT);
    REQUIRE(*c, CUDA_ERROR_INVALID_CONTEXT);
    *e = sw_rt_object_get(hEvent, SW_RT_EVENT);
    REQUIRE(*e, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_rt_context_error(*c));
    return sw_api_result(sw_rt_capture_check_context(*c));
}

CUresult
cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
    sw_rt_context *c;
    sw_rt_event *e;
    CUresult status = context_and_event(hCtx, hEvent, &c, &e);
    if (status != CUDA_SUCCESS)
        return status;
    REQUIRE(e->context == c, CUDA_ERROR_INVALID_HANDLE);
    /* A stream that comes after all of them says when that was. */
    sw_rt_stream *last = sw_rt_stream_create(c, true, 0);
    sw_rt_event *each = sw_rt_event_create(c, 0, true, false, NULL);
    for (sw_rt_stream *s = c->streams; s; s = s->next) {
        if (s == last)
            continue;
        sw_rt_event_record(each, s);
        sw_rt_stream_wait_event(last, each);
    }
    sw_rt_event_record(each, c->legacy);
    sw_rt_stream_wait_event(last, each);
    sw_rt_event_record(e, last);
    sw_rt_event_destroy(each);
    sw_rt_stream_destroy(last);
    return CUDA_SUCCESS;
}

CUresult
cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
    sw_rt_context *c;
    sw_rt_event *e;
    CUresult status = context_and_event(hCtx, hEvent, &c, &e);
    if (status != CUDA_SUCCESS)
        return status;
    for (sw_rt_stream *s = c->streams; s; s = s->next)
        sw_rt_stream_wait_event(s, e);
    sw_rt_stream_wait_event(c->legacy, e);
    return CUDA_SUCCESS;
}
