/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c - see sequence.h: the driver API, contexts, streams, events and
 * capture. */
#include "sequence.h"

#include <string.h>

/* A function, its row is at the end of the file. */
#define CALL(name) static int call_##name(sequence *s)

static uint64_t
as_handle(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#define AS(type, handle) ((type)(uintptr_t)(handle))

/* ---- contexts ---- */

CALL(cuInit)
{
    return cuInit(seq_chance(s, 98) ? 0 : 1);
}

CALL(cuDeviceGet)
{
    CUdevice d = -1;
    int r = cuDeviceGet(&d, seq_device_number(s));
    return seq_give(s, r, (uint64_t)d);
}

CALL(cuDeviceGetAttribute)
{
    int v = -1;
    int what = (int)SEQ_ONE_OF(s, 1, 2, 10, 16, 75, 76, 0, 9999, UINT64_MAX);
    int r = cuDeviceGetAttribute(&v, (CUdevice_attribute)what,
                                 seq_device_number(s));
    return r;
}

CALL(cuDevicePrimaryCtxRetain)
{
    CUcontext c = NULL;
    int r = cuDevicePrimaryCtxRetain(&c, seq_device_number(s));
    if (!r) {
        seq_drop(s, SEQ_CONTEXT, as_handle(c));
        seq_keep(s, SEQ_CONTEXT, as_handle(c), 1, 0);
    }
    return r;
}

CALL(cuDevicePrimaryCtxGetState)
{
    unsigned flags = 77;
    int active = 77;
    int r = cuDevicePrimaryCtxGetState(seq_device_number(s), &flags, &active);
    return seq_give(s, r, flags * 256u + (unsigned)active);
}

CALL(cuDevicePrimaryCtxSetFlags)
{
    return cuDevicePrimaryCtxSetFlags_v2(seq_device_number(s),
                                         seq_flags(s, 0x1f));
}

CALL(cuCtxCreate)
{
    CUcontext c = NULL;
    unsigned flags = seq_flags(s, 0x1f);
    int r = cuCtxCreate_v4(&c, NULL, flags, seq_device_number(s));
    if (!r) {
        seq_keep(s, SEQ_CONTEXT, as_handle(c), 0, 0);
        s->current = as_handle(c);
    }
    return r;
}

CALL(cuCtxDestroy)
{
    const seq_object *o = seq_pick_object(s, SEQ_CONTEXT);
    if (!o || s->capturing)
        return cuCtxDestroy_v2(NULL);
    uint64_t c = o->handle;
    if (o->bytes) /* the primary one */
        return cuCtxDestroy_v2(NULL);
    int r = cuCtxDestroy_v2(AS(CUcontext, c));
    if (!r) {
        seq_drop_owned(s, c);
        seq_drop(s, SEQ_CONTEXT, c);
    }
    return r;
}

CALL(cuCtxPushCurrent)
{
    uint64_t c = seq_pick(s, SEQ_CONTEXT);
    int r = cuCtxPushCurrent_v2(AS(CUcontext, c));
    if (!r)
        s->current = c;
    return r;
}

CALL(cuCtxPopCurrent)
{
    CUcontext c = NULL, now = NULL;
    int r = cuCtxPopCurrent_v2(seq_chance(s, 80) ? &c : NULL);
    cuCtxGetCurrent(&now);
    s->current = as_handle(now);
    return seq_give(s, r, now != NULL);
}

CALL(cuCtxSetCurrent)
{
    uint64_t c = seq_pick(s, SEQ_CONTEXT);
    int r = cuCtxSetCurrent(AS(CUcontext, c));
    if (!r)
        s->current = c;
    return r;
}

CALL(cuCtxGetCurrent)
{
    CUcontext c = NULL;
    int r = cuCtxGetCurrent(seq_chance(s, 95) ? &c : NULL);
    return seq_give(s, r, c != NULL);
}

CALL(cuCtxGetDevice)
{
    CUdevice d = -7;
    int r = cuCtxGetDevice(&d);
    return seq_give(s, r, (uint64_t)d);
}

CALL(cuCtxGetFlags)
{
    unsigned f = 77;
    int r = cuCtxGetFlags(&f);
    return seq_give(s, r, f);
}

CALL(cuCtxGetApiVersion)
{
    unsigned v = 77;
    int r = cuCtxGetApiVersion(AS(CUcontext, seq_pick(s, SEQ_CONTEXT)), &v);
    return r;
}

CALL(cuCtxGetLimit)
{
    size_t v = 77;
    CUlimit what = (CUlimit)SEQ_ONE_OF(s, 0, 1, 2, 3, 4, 5, 6, 7, 99);
    return cuCtxGetLimit(&v, what);
}

CALL(cuCtxSetLimit)
{
    CUlimit what = (CUlimit)SEQ_ONE_OF(s, 0, 1, 2, 3, 4, 5, 6, 99);
    size_t v = (size_t)SEQ_ONE_OF(s, 1024, 4096, 1 << 20, 0, 64);
    return cuCtxSetLimit(what, v);
}

CALL(cuCtxGetCacheConfig)
{
    CUfunc_cache c = (CUfunc_cache)77;
    int r = cuCtxGetCacheConfig(&c);
    return seq_give(s, r, (uint64_t)c);
}

CALL(cuCtxSetCacheConfig)
{
    return cuCtxSetCacheConfig((CUfunc_cache)SEQ_ONE_OF(s, 0, 1, 2, 3, 4, 99));
}

CALL(cuCtxGetStreamPriorityRange)
{
    int a = 77, b = 77;
    int r = cuCtxGetStreamPriorityRange(&a, &b);
    return seq_give(s, r, (uint64_t)(a * 1000 + b));
}

CALL(cuCtxSynchronize)
{
    (void)s;
    return cuCtxSynchronize();
}

CALL(cuDeviceCanAccessPeer)
{
    int v = 77;
    int a = seq_device_number(s), b = seq_device_number(s);
    int r = cuDeviceCanAccessPeer(&v, a, b);
    return seq_give(s, r, (uint64_t)v);
}

CALL(cuCtxEnablePeerAccess)
{
    uint64_t c = seq_pick(s, SEQ_CONTEXT);
    return cuCtxEnablePeerAccess(AS(CUcontext, c), seq_flags(s, 1));
}

CALL(cuCtxDisablePeerAccess)
{
    return cuCtxDisablePeerAccess(AS(CUcontext, seq_pick(s, SEQ_CONTEXT)));
}

/* ---- streams and events ---- */

CALL(cuStreamCreate)
{
    CUstream st = NULL;
    unsigned flags = seq_chance(s, 80) ? seq_random(s, 2) : seq_flags(s, 3);
    int r = cuStreamCreate(&st, flags);
    if (!r)
        seq_keep(s, SEQ_STREAM, as_handle(st), 0, s->current);
    return r;
}

CALL(cuStreamCreateWithPriority)
{
    CUstream st = NULL;
    int priority =
        (int)SEQ_ONE_OF(s, 0, UINT64_MAX, UINT64_MAX - 4, 7, UINT64_MAX - 99);
    unsigned flags = seq_flags(s, 1);
    int r = cuStreamCreateWithPriority(&st, flags, priority);
    if (!r) {
        int got = 77;
        cuStreamGetPriority(st, &got);
        seq_keep(s, SEQ_STREAM, as_handle(st), 0, s->current);
        return seq_give(s, r, (uint64_t)got);
    }
    return r;
}

CALL(cuStreamDestroy)
{
    uint64_t st = seq_pick(s, SEQ_STREAM);
    if (!st && seq_chance(s, 50))
        st = SEQ_ONE_OF(s, 1, 2);
    int r = cuStreamDestroy_v2(AS(CUstream, st));
    seq_drop(s, SEQ_STREAM, st);
    return r;
}

CALL(cuStreamSynchronize)
{
    return cuStreamSynchronize(AS(CUstream, seq_stream(s)));
}

CALL(cuStreamQuery)
{
    int r = cuStreamQuery(AS(CUstream, seq_stream(s)));
    return r == CUDA_ERROR_NOT_READY ? 0 : r;
}

CALL(cuStreamGetFlags)
{
    unsigned f = 77;
    int r = cuStreamGetFlags(AS(CUstream, seq_stream(s)), &f);
    return seq_give(s, r, f);
}

CALL(cuStreamGetCtx)
{
    CUcontext c = NULL;
    int r = cuStreamGetCtx(AS(CUstream, seq_stream(s)), &c);
    return seq_give(s, r, r ? 0 : as_handle(c) == s->current);
}

CALL(cuStreamWaitEvent)
{
    uint64_t st = seq_stream(s), e = seq_pick(s, SEQ_EVENT);
    return cuStreamWaitEvent(AS(CUstream, st), AS(CUevent, e), seq_flags(s, 1));
}

static void CUDA_CB
host_function(void *data)
{
    *(volatile unsigned char *)data = 1;
}

CALL(cuLaunchHostFunc)
{
    uint64_t st = seq_stream(s);
    CUhostFn fn = seq_chance(s, 95) ? host_function : NULL;
    return cuLaunchHostFunc(AS(CUstream, st), fn, s->host);
}

CALL(cuEventCreate)
{
    CUevent e = NULL;
    unsigned flags = seq_flags(s, 3);
    int r = cuEventCreate(&e, flags);
    if (!r)
        seq_keep(s, SEQ_EVENT, as_handle(e), flags, s->current);
    return r;
}

CALL(cuEventDestroy)
{
    uint64_t e = seq_pick(s, SEQ_EVENT);
    int r = cuEventDestroy_v2(AS(CUevent, e));
    seq_drop(s, SEQ_EVENT, e);
    return r;
}

CALL(cuEventRecord)
{
    uint64_t e = seq_pick(s, SEQ_EVENT), st = seq_stream(s);
    if (seq_chance(s, 80))
        return cuEventRecord(AS(CUevent, e), AS(CUstream, st));
    return cuEventRecordWithFlags(AS(CUevent, e), AS(CUstream, st),
                                  seq_flags(s, 1));
}

CALL(cuEventSynchronize)
{
    return cuEventSynchronize(AS(CUevent, seq_pick(s, SEQ_EVENT)));
}

CALL(cuEventQuery)
{
    int r = cuEventQuery(AS(CUevent, seq_pick(s, SEQ_EVENT)));
    return r == CUDA_ERROR_NOT_READY ? 0 : r;
}

CALL(cuEventElapsedTime)
{
    float ms = -1;
    uint64_t a = seq_pick(s, SEQ_EVENT), b = seq_pick(s, SEQ_EVENT);
    int r = cuEventElapsedTime(seq_chance(s, 95) ? &ms : NULL, AS(CUevent, a),
                               AS(CUevent, b));
    return r == CUDA_ERROR_NOT_READY ? 0 : r;
}

/* ---- capture ---- */

CALL(cuStreamBeginCapture)
{
    uint64_t st = seq_stream(s);
    CUstreamCaptureMode mode =
        (CUstreamCaptureMode)SEQ_ONE_OF(s, 0, 1, 2, 2, 9);
    int r = cuStreamBeginCapture_v2(AS(CUstream, st), mode);
    if (!r)
        s->capturing++;
    return r;
}

CALL(cuStreamEndCapture)
{
    CUgraph g = NULL;
    uint64_t st = seq_stream(s);
    for (unsigned i = 0; i < s->count[SEQ_STREAM] && seq_chance(s, 70); i++) {
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        uint64_t one = s->objects[SEQ_STREAM][i].handle;
        cuStreamIsCapturing(AS(CUstream, one), &status);
        if (status != CU_STREAM_CAPTURE_STATUS_NONE) {
            st = one;
            break;
        }
    }
    int r = cuStreamEndCapture(AS(CUstream, st), &g);
    if (!r && g)
        seq_keep(s, SEQ_GRAPH, as_handle(g), 0, 0);
    if (s->capturing && (!r || r == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
                         r == CUDA_ERROR_STREAM_CAPTURE_UNJOINED))
        s->capturing--;
    return seq_give(s, r, g != NULL);
}

CALL(cuStreamIsCapturing)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)77;
    int r = cuStreamIsCapturing(AS(CUstream, seq_stream(s)), &status);
    return seq_give(s, r, (uint64_t)status);
}

CALL(cuThreadExchangeStreamCaptureMode)
{
    CUstreamCaptureMode mode = (CUstreamCaptureMode)SEQ_ONE_OF(s, 0, 1, 2, 9);
    int r = cuThreadExchangeStreamCaptureMode(&mode);
    return seq_give(s, r, (uint64_t)mode);
}

#define ROW(name, weight) {#name, weight, call_##name},
const seq_call seq_driver_calls[] = {
#include "driver.def"
};
#undef ROW
const unsigned seq_driver_count =
    sizeof seq_driver_calls / sizeof *seq_driver_calls;
