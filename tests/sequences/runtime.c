/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.c - see sequence.h: calls of the runtime API. */
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

/* ---- devices and errors ---- */

CALL(cudaSetDevice)
{
    return cudaSetDevice(seq_device_number(s));
}

CALL(cudaGetDevice)
{
    int d = -77;
    int r = cudaGetDevice(&d);
    return seq_give(s, r, (uint64_t)d);
}

CALL(cudaGetLastError)
{
    (void)s;
    return cudaGetLastError();
}

CALL(cudaDeviceSynchronize)
{
    (void)s;
    return cudaDeviceSynchronize();
}

CALL(cudaSetDeviceFlags)
{
    return cudaSetDeviceFlags(seq_flags(s, 0x1f));
}

CALL(cudaGetDeviceFlags)
{
    unsigned f = 77;
    int r = cudaGetDeviceFlags(&f);
    return seq_give(s, r, f);
}

CALL(cudaDeviceGetAttribute)
{
    int v = 0, what = (int)SEQ_ONE_OF(s, 1, 8, 10, 75, 0, 9999);
    return cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)what,
                                  seq_device_number(s));
}

CALL(cudaDeviceGetLimit)
{
    size_t v = 0;
    return cudaDeviceGetLimit(&v, (enum cudaLimit)SEQ_ONE_OF(s, 0, 1, 2, 9));
}

CALL(cudaDeviceSetLimit)
{
    enum cudaLimit what = (enum cudaLimit)SEQ_ONE_OF(s, 0, 1, 2, 9);
    return cudaDeviceSetLimit(what, (size_t)SEQ_ONE_OF(s, 1024, 0, 1 << 20));
}

CALL(cudaDeviceEnablePeerAccess)
{
    return cudaDeviceEnablePeerAccess(seq_device_number(s), seq_flags(s, 1));
}

CALL(cudaDeviceDisablePeerAccess)
{
    return cudaDeviceDisablePeerAccess(seq_device_number(s));
}

CALL(cudaDeviceCanAccessPeer)
{
    int v = -77, a = seq_device_number(s), b = seq_device_number(s);
    int r = cudaDeviceCanAccessPeer(&v, a, b);
    return seq_give(s, r, (uint64_t)v);
}

/* ---- streams and events ---- */

CALL(cudaStreamCreate)
{
    cudaStream_t st = NULL;
    unsigned flags = seq_chance(s, 80) ? seq_random(s, 2) : seq_flags(s, 3);
    int r = cudaStreamCreateWithFlags(&st, flags);
    if (!r)
        seq_keep(s, SEQ_STREAM, as_handle(st), 0, s->current);
    return r;
}

CALL(cudaStreamDestroy)
{
    uint64_t st = seq_pick(s, SEQ_STREAM);
    int r = cudaStreamDestroy(AS(cudaStream_t, st));
    seq_drop(s, SEQ_STREAM, st);
    return r;
}

CALL(cudaStreamSynchronize)
{
    return cudaStreamSynchronize(AS(cudaStream_t, seq_stream(s)));
}

CALL(cudaStreamWaitEvent)
{
    uint64_t st = seq_stream(s), e = seq_pick(s, SEQ_EVENT);
    return cudaStreamWaitEvent(AS(cudaStream_t, st), AS(cudaEvent_t, e),
                               seq_flags(s, 1));
}

CALL(cudaEventCreate)
{
    cudaEvent_t e = NULL;
    unsigned flags = seq_flags(s, 3);
    int r = cudaEventCreateWithFlags(&e, flags);
    if (!r)
        seq_keep(s, SEQ_EVENT, as_handle(e), flags, s->current);
    return r;
}

CALL(cudaEventDestroy)
{
    uint64_t e = seq_pick(s, SEQ_EVENT);
    int r = cudaEventDestroy(AS(cudaEvent_t, e));
    seq_drop(s, SEQ_EVENT, e);
    return r;
}

CALL(cudaEventRecord)
{
    uint64_t e = seq_pick(s, SEQ_EVENT), st = seq_stream(s);
    return cudaEventRecord(AS(cudaEvent_t, e), AS(cudaStream_t, st));
}

CALL(cudaEventSynchronize)
{
    return cudaEventSynchronize(AS(cudaEvent_t, seq_pick(s, SEQ_EVENT)));
}

CALL(cudaStreamBeginCapture)
{
    uint64_t st = seq_stream(s);
    int mode = (int)SEQ_ONE_OF(s, 0, 1, 2, 2, 9);
    int r = cudaStreamBeginCapture(AS(cudaStream_t, st),
                                   (enum cudaStreamCaptureMode)mode);
    if (!r)
        s->capturing++;
    return r;
}

/* ---- memory ---- */

CALL(cudaMalloc)
{
    void *p = NULL;
    size_t n = seq_chance(s, 95) ? seq_size(s) : (size_t)1 << 46;
    int r = cudaMalloc(&p, n);
    if (!r && p)
        seq_keep(s, SEQ_DEVICE_MEMORY, as_handle(p), n, s->current);
    return seq_give(s, r, p != NULL);
}

CALL(cudaMallocPitch)
{
    void *p = NULL;
    size_t pitch = 0, w = seq_size(s), h = (size_t)SEQ_ONE_OF(s, 0, 1, 4, 9);
    int r = cudaMallocPitch(&p, &pitch, w, h);
    if (!r && p)
        seq_keep(s, SEQ_DEVICE_MEMORY, as_handle(p), pitch * h, s->current);
    return seq_give(s, r, pitch);
}

CALL(cudaMallocManaged)
{
    void *p = NULL;
    size_t n = seq_size(s);
    unsigned flags = (unsigned)SEQ_ONE_OF(s, 1, 1, 2, 0, 4, 9);
    int r = cudaMallocManaged(&p, n, flags);
    if (!r && p)
        seq_keep(s, SEQ_MANAGED, as_handle(p), n, s->current);
    return r;
}

CALL(cudaHostAlloc)
{
    void *p = NULL;
    size_t n = seq_size(s);
    int r = cudaHostAlloc(&p, n, seq_flags(s, 7));
    if (!r && p)
        seq_keep(s, SEQ_PINNED, as_handle(p), n, s->current);
    return seq_give(s, r, p != NULL);
}

CALL(cudaFree)
{
    seq_kind kind = (seq_kind)SEQ_ONE_OF(s, SEQ_DEVICE_MEMORY, SEQ_MANAGED,
                                         SEQ_DEVICE_MEMORY, SEQ_PINNED);
    uint64_t p = s->count[SEQ_GRAPH] + s->count[SEQ_EXEC]
                     ? 0 /* graphs may write to it */
                     : seq_pick(s, kind);
    int r = cudaFree(AS(void *, p));
    if (!r)
        seq_drop(s, kind, p);
    return r;
}

CALL(cudaFreeHost)
{
    uint64_t p = seq_pick(s, SEQ_PINNED);
    int r = cudaFreeHost(AS(void *, p));
    if (!r)
        seq_drop(s, SEQ_PINNED, p);
    return r;
}

CALL(cudaPointerGetAttributes)
{
    struct cudaPointerAttributes a;
    memset(&a, 0, sizeof a);
    uint64_t p = seq_chance(s, 80) ? seq_device(s, 0) : as_handle(s->host);
    int r = cudaPointerGetAttributes(&a, AS(void *, p));
    return seq_give(s, r, (uint64_t)a.type * 256 + (uint64_t)(a.device & 255));
}

CALL(cudaHostRegister)
{
    unsigned flags = seq_flags(s, 7);
    size_t n = (size_t)SEQ_ONE_OF(s, 4096, 0, SEQ_HOST_BYTES);
    return cudaHostRegister(s->host, n, flags);
}

CALL(cudaHostUnregister)
{
    return cudaHostUnregister(seq_chance(s, 90) ? s->host : NULL);
}

/* ---- copies and fills ---- */

/* Addresses that suit the direction, mostly. */
static void
two_sides(sequence *s, int kind, size_t bytes, void **dst, void **src)
{
    bool dst_host = kind == 0 || kind == 2, src_host = kind == 0 || kind == 1;
    *dst = dst_host ? seq_host(s, bytes) : AS(void *, seq_device(s, bytes));
    *src = src_host ? seq_host(s, bytes) : AS(void *, seq_device(s, bytes));
}

static int
direction(sequence *s)
{
    return (int)SEQ_ONE_OF(s, 0, 1, 2, 3, 1, 2, 3, 4, 5, 99, UINT64_MAX);
}

CALL(cudaMemcpy)
{
    int kind = direction(s);
    size_t n = seq_size(s);
    void *dst, *src;
    two_sides(s, kind, n, &dst, &src);
    if (seq_chance(s, 50))
        return cudaMemcpy(dst, src, n, (enum cudaMemcpyKind)kind);
    return cudaMemcpyAsync(dst, src, n, (enum cudaMemcpyKind)kind,
                           AS(cudaStream_t, seq_stream(s)));
}

CALL(cudaMemcpy2D)
{
    int kind = direction(s);
    void *dst, *src;
    two_sides(s, kind, 4096, &dst, &src);
    size_t w = (size_t)SEQ_ONE_OF(s, 16, 64, 0, 100);
    size_t h = (size_t)SEQ_ONE_OF(s, 1, 2, 8, 0);
    size_t dpitch = (size_t)SEQ_ONE_OF(s, 64, 128, 8, 0);
    size_t spitch = (size_t)SEQ_ONE_OF(s, 64, 128, 8, 0);
    return cudaMemcpy2D(dst, dpitch, src, spitch, w, h,
                        (enum cudaMemcpyKind)kind);
}

CALL(cudaMemset)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n);
    if (seq_chance(s, 50))
        return cudaMemset(AS(void *, p), 5, n);
    return cudaMemsetAsync(AS(void *, p), 5, n,
                           AS(cudaStream_t, seq_stream(s)));
}

CALL(cudaMemset3D)
{
    struct cudaPitchedPtr p = {AS(void *, seq_device(s, 4096)), 64, 64, 4};
    struct cudaExtent e;
    p.pitch = (size_t)SEQ_ONE_OF(s, 64, 64, 0, 8);
    p.ysize = (size_t)SEQ_ONE_OF(s, 4, 2, 0);
    e.width = (size_t)SEQ_ONE_OF(s, 16, 64, 0, 100);
    e.height = (size_t)SEQ_ONE_OF(s, 1, 2, 4, 0);
    e.depth = (size_t)SEQ_ONE_OF(s, 1, 2, 0, (uint64_t)1 << 40);
    return cudaMemset3D(p, 5, e);
}

CALL(cudaMallocArray)
{
    cudaArray_t a = NULL;
    struct cudaChannelFormatDesc d = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    d.x = (int)SEQ_ONE_OF(s, 32, 32, 16, 8, 7, 0);
    d.y = (int)SEQ_ONE_OF(s, 0, 0, 32, 16);
    size_t w = (size_t)SEQ_ONE_OF(s, 64, 16, 0, 1 << 20);
    size_t h = (size_t)SEQ_ONE_OF(s, 0, 16, 1 << 20);
    int r = cudaMallocArray(&a, &d, w, h, seq_flags(s, 0x0f));
    if (!r)
        seq_keep(s, SEQ_ARRAY, as_handle(a), 0, s->current);
    return r;
}

CALL(cudaMemcpy2DToArray)
{
    int kind = direction(s);
    uint64_t a = seq_pick(s, SEQ_ARRAY);
    void *dst, *src;
    two_sides(s, kind, 4096, &dst, &src);
    size_t x = (size_t)SEQ_ONE_OF(s, 0, 4, 4096);
    size_t w = (size_t)SEQ_ONE_OF(s, 16, 64, 0, 8192);
    size_t h = (size_t)SEQ_ONE_OF(s, 1, 2, 0);
    return cudaMemcpy2DToArray(AS(cudaArray_t, a), x, 0, src, 64, w, h,
                               (enum cudaMemcpyKind)kind);
}

CALL(cudaMallocAsync)
{
    void *p = NULL;
    size_t n = seq_size(s);
    int r = cudaMallocAsync(&p, n, AS(cudaStream_t, seq_stream(s)));
    if (!r && !s->capturing && p)
        seq_keep(s, SEQ_ORDERED, as_handle(p), n, s->current);
    return seq_give(s, r, p != NULL);
}

CALL(cudaFreeAsync)
{
    uint64_t p = seq_pick(s, SEQ_ORDERED), st = seq_stream(s);
    int r = cudaFreeAsync(AS(void *, p), AS(cudaStream_t, st));
    seq_drop(s, SEQ_ORDERED, p);
    return r;
}

/* ---- kernels and graphs ---- */

static char not_a_kernel;

CALL(cudaLaunchKernel)
{
    dim3 grid = {1, 1, 1}, block = {1, 1, 1};
    grid.x = (unsigned)SEQ_ONE_OF(s, 1, 0);
    return cudaLaunchKernel(seq_chance(s, 50) ? &not_a_kernel : NULL, grid,
                            block, NULL, 0, AS(cudaStream_t, seq_stream(s)));
}

CALL(cudaFuncGetAttributes)
{
    struct cudaFuncAttributes a;
    return cudaFuncGetAttributes(&a, seq_chance(s, 50) ? &not_a_kernel : NULL);
}

CALL(cudaGraphCreate)
{
    cudaGraph_t g = NULL;
    int r = cudaGraphCreate(&g, seq_flags(s, 0));
    if (!r)
        seq_keep(s, SEQ_GRAPH, as_handle(g), 0, 0);
    return r;
}

CALL(cudaGraphInstantiate)
{
    cudaGraphExec_t x = NULL;
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    int r = cudaGraphInstantiate(&x, AS(cudaGraph_t, g), seq_flags(s, 0xb));
    if (!r)
        seq_keep(s, SEQ_EXEC, as_handle(x), g, 0);
    return r;
}

CALL(cudaGraphLaunch)
{
    uint64_t x = seq_pick(s, SEQ_EXEC), st = seq_stream(s);
    return cudaGraphLaunch(AS(cudaGraphExec_t, x), AS(cudaStream_t, st));
}

/* ---- what fewer programs call ---- */

CALL(cudaEventQuery)
{
    int r = cudaEventQuery(AS(cudaEvent_t, seq_pick(s, SEQ_EVENT)));
    return r == cudaErrorNotReady ? 0 : r;
}

CALL(cudaEventElapsedTime)
{
    float ms = -1;
    uint64_t a = seq_pick(s, SEQ_EVENT), b = seq_pick(s, SEQ_EVENT);
    int r = cudaEventElapsedTime(seq_chance(s, 95) ? &ms : NULL,
                                 AS(cudaEvent_t, a), AS(cudaEvent_t, b));
    return r == cudaErrorNotReady ? 0 : r;
}

CALL(cudaStreamQuery)
{
    int r = cudaStreamQuery(AS(cudaStream_t, seq_stream(s)));
    return r == cudaErrorNotReady ? 0 : r;
}

CALL(cudaStreamGetFlags)
{
    unsigned f = 77;
    int r = cudaStreamGetFlags(AS(cudaStream_t, seq_stream(s)), &f);
    return seq_give(s, r, f);
}

CALL(cudaStreamGetPriority)
{
    int v = 77;
    int r = cudaStreamGetPriority(AS(cudaStream_t, seq_stream(s)), &v);
    return seq_give(s, r, (unsigned)v);
}

static void CUDART_CB
host_function(void *data)
{
    *(volatile unsigned char *)data = 1;
}

CALL(cudaLaunchHostFunc)
{
    uint64_t st = seq_stream(s);
    cudaHostFn_t fn = seq_chance(s, 95) ? host_function : NULL;
    return cudaLaunchHostFunc(AS(cudaStream_t, st), fn, s->host);
}

CALL(cudaStreamEndCapture)
{
    cudaGraph_t g = NULL;
    int r = cudaStreamEndCapture(AS(cudaStream_t, seq_stream(s)), &g);
    if (!r && g)
        seq_keep(s, SEQ_GRAPH, as_handle(g), 0, 0);
    if (s->capturing && (!r || r == cudaErrorStreamCaptureInvalidated ||
                         r == cudaErrorStreamCaptureUnjoined))
        s->capturing--;
    return seq_give(s, r, g != NULL);
}

CALL(cudaStreamIsCapturing)
{
    enum cudaStreamCaptureStatus status = (enum cudaStreamCaptureStatus)77;
    int r = cudaStreamIsCapturing(AS(cudaStream_t, seq_stream(s)), &status);
    return seq_give(s, r, (uint64_t)status);
}

CALL(cudaThreadExchangeStreamCaptureMode)
{
    enum cudaStreamCaptureMode mode =
        (enum cudaStreamCaptureMode)SEQ_ONE_OF(s, 0, 1, 2, 9);
    int r = cudaThreadExchangeStreamCaptureMode(&mode);
    return seq_give(s, r, (uint64_t)mode);
}

CALL(cudaMalloc3D)
{
    struct cudaPitchedPtr p;
    memset(&p, 0, sizeof p);
    struct cudaExtent e = {seq_size(s), (size_t)SEQ_ONE_OF(s, 1, 4, 0),
                           (size_t)SEQ_ONE_OF(s, 1, 2, 0)};
    int r = cudaMalloc3D(&p, e);
    if (!r && p.ptr)
        seq_keep(s, SEQ_DEVICE_MEMORY, as_handle(p.ptr),
                 p.pitch * e.height * e.depth, s->current);
    return seq_give(s, r, p.pitch);
}

CALL(cudaMalloc3DArray)
{
    cudaArray_t a = NULL;
    struct cudaChannelFormatDesc d = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    d.x = (int)SEQ_ONE_OF(s, 32, 32, 16, 8, 7, 0);
    struct cudaExtent e = {(size_t)SEQ_ONE_OF(s, 16, 1, 0),
                           (size_t)SEQ_ONE_OF(s, 16, 0, 1),
                           (size_t)SEQ_ONE_OF(s, 0, 6, 1)};
    int r = cudaMalloc3DArray(&a, &d, e, seq_flags(s, 0x0f));
    if (!r)
        seq_keep(s, SEQ_ARRAY, as_handle(a), 0, s->current);
    return r;
}

CALL(cudaFreeArray)
{
    uint64_t a = seq_pick(s, SEQ_ARRAY);
    if (s->count[SEQ_TEXTURE] + s->count[SEQ_SURFACE] + s->count[SEQ_GRAPH] +
        s->count[SEQ_EXEC])
        a = 0; /* in use */
    int r = cudaFreeArray(AS(cudaArray_t, a));
    if (!r)
        seq_drop(s, SEQ_ARRAY, a);
    return r;
}

CALL(cudaMemGetInfo)
{
    size_t free = 0, total = 0;
    return cudaMemGetInfo(seq_chance(s, 90) ? &free : NULL, &total);
}

CALL(cudaHostGetDevicePointer)
{
    void *p = NULL;
    uint64_t h = seq_pick(s, SEQ_PINNED);
    return cudaHostGetDevicePointer(&p, AS(void *, h), seq_flags(s, 1));
}

CALL(cudaHostGetFlags)
{
    unsigned f = 77;
    return cudaHostGetFlags(&f, AS(void *, seq_pick(s, SEQ_PINNED)));
}

CALL(cudaMemset2D)
{
    uint64_t p = seq_device(s, 4096);
    size_t pitch = (size_t)SEQ_ONE_OF(s, 64, 128, 4, 0);
    size_t w = (size_t)SEQ_ONE_OF(s, 16, 64, 0);
    size_t h = (size_t)SEQ_ONE_OF(s, 1, 2, 0);
    if (seq_chance(s, 50))
        return cudaMemset2D(AS(void *, p), pitch, 5, w, h);
    return cudaMemset2DAsync(AS(void *, p), pitch, 5, w, h,
                             AS(cudaStream_t, seq_stream(s)));
}

CALL(cudaMemcpy3D)
{
    struct cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    int kind = direction(s);
    void *dst, *src;
    two_sides(s, kind, 4096, &dst, &src);
    p.kind = (enum cudaMemcpyKind)kind;
    p.extent.width = (size_t)SEQ_ONE_OF(s, 16, 4, 0);
    p.extent.height = (size_t)SEQ_ONE_OF(s, 1, 2, 0);
    p.extent.depth = (size_t)SEQ_ONE_OF(s, 1, 2, 0);
    if (seq_chance(s, 80)) {
        p.srcPtr.ptr = src;
        p.srcPtr.pitch = p.srcPtr.xsize = (size_t)SEQ_ONE_OF(s, 64, 64, 8);
        p.srcPtr.ysize = (size_t)SEQ_ONE_OF(s, 2, 4, 0);
    }
    if (seq_chance(s, 30)) {
        p.dstArray = AS(cudaArray_t, seq_pick(s, SEQ_ARRAY));
    } else {
        p.dstPtr.ptr = dst;
        p.dstPtr.pitch = p.dstPtr.xsize = (size_t)SEQ_ONE_OF(s, 64, 64, 8);
        p.dstPtr.ysize = (size_t)SEQ_ONE_OF(s, 2, 4, 0);
    }
    if (seq_chance(s, 50))
        return cudaMemcpy3D(&p);
    return cudaMemcpy3DAsync(&p, AS(cudaStream_t, seq_stream(s)));
}

CALL(cudaMemcpy2DFromArray)
{
    int kind = direction(s);
    uint64_t a = seq_pick(s, SEQ_ARRAY);
    void *dst, *src;
    two_sides(s, kind, 4096, &dst, &src);
    size_t x = (size_t)SEQ_ONE_OF(s, 0, 4, 4096);
    size_t w = (size_t)SEQ_ONE_OF(s, 16, 64, 0, 8192);
    size_t h = (size_t)SEQ_ONE_OF(s, 1, 2, 0);
    return cudaMemcpy2DFromArray(dst, 64, AS(cudaArray_t, a), x, 0, w, h,
                                 (enum cudaMemcpyKind)kind);
}

CALL(cudaMemcpyPeer)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n), q = seq_device(s, n);
    int a = seq_device_number(s), b = seq_device_number(s);
    return cudaMemcpyPeer(AS(void *, p), a, AS(void *, q), b, n);
}

CALL(cudaMallocFromPoolAsync)
{
    void *p = NULL;
    size_t n = seq_size(s);
    uint64_t pool = seq_pick(s, SEQ_POOL), st = seq_stream(s);
    int r = cudaMallocFromPoolAsync(&p, n, AS(cudaMemPool_t, pool),
                                    AS(cudaStream_t, st));
    if (!r && !s->capturing && p)
        seq_keep(s, SEQ_ORDERED, as_handle(p), n, s->current);
    return seq_give(s, r, p != NULL);
}

CALL(cudaDeviceGetDefaultMemPool)
{
    cudaMemPool_t p = NULL;
    return cudaDeviceGetDefaultMemPool(&p, seq_device_number(s));
}

CALL(cudaDeviceGetStreamPriorityRange)
{
    int a = 77, b = 77;
    int r = cudaDeviceGetStreamPriorityRange(&a, &b);
    return seq_give(s, r, (uint64_t)(a * 1000 + b));
}

CALL(cudaDeviceSetCacheConfig)
{
    return cudaDeviceSetCacheConfig(
        (enum cudaFuncCache)SEQ_ONE_OF(s, 0, 1, 2, 3, 9));
}

CALL(cudaDeviceGetCacheConfig)
{
    enum cudaFuncCache c = (enum cudaFuncCache)77;
    int r = cudaDeviceGetCacheConfig(&c);
    return seq_give(s, r, (uint64_t)c);
}

CALL(cudaGraphAddEmptyNode)
{
    cudaGraphNode_t n = NULL;
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    int r = cudaGraphAddEmptyNode(&n, AS(cudaGraph_t, g), NULL, 0);
    if (!r)
        seq_keep(s, SEQ_NODE, as_handle(n), 0, g);
    return r;
}

CALL(cudaGraphDestroy)
{
    uint64_t g = seq_pick(s, SEQ_GRAPH);
    int r = cudaGraphDestroy(AS(cudaGraph_t, g));
    if (!r) {
        seq_drop_owned(s, g);
        seq_drop(s, SEQ_GRAPH, g);
    }
    return r;
}

CALL(cudaGraphExecDestroy)
{
    uint64_t x = seq_pick(s, SEQ_EXEC);
    int r = cudaGraphExecDestroy(AS(cudaGraphExec_t, x));
    if (!r)
        seq_drop(s, SEQ_EXEC, x);
    return r;
}

CALL(cudaCreateTextureObject)
{
    cudaTextureObject_t t = 0;
    struct cudaResourceDesc d;
    struct cudaTextureDesc x;
    memset(&d, 0, sizeof d);
    memset(&x, 0, sizeof x);
    uint64_t a = 0;
    d.resType = (enum cudaResourceType)SEQ_ONE_OF(s, 0, 0, 2, 9);
    if (d.resType == cudaResourceTypeLinear) {
        d.res.linear.devPtr = AS(void *, seq_device(s, 4096));
        d.res.linear.desc.x = (int)SEQ_ONE_OF(s, 32, 8, 7);
        d.res.linear.desc.f =
            (enum cudaChannelFormatKind)SEQ_ONE_OF(s, 0, 1, 2, 9);
        d.res.linear.sizeInBytes = (size_t)SEQ_ONE_OF(s, 256, 4096, 0);
    } else {
        a = seq_pick(s, SEQ_ARRAY);
        d.res.array.array = AS(cudaArray_t, a);
    }
    x.filterMode = (enum cudaTextureFilterMode)SEQ_ONE_OF(s, 0, 0, 1, 7);
    x.readMode = (enum cudaTextureReadMode)SEQ_ONE_OF(s, 0, 0, 1, 7);
    int r = cudaCreateTextureObject(&t, &d, &x, NULL);
    if (!r)
        seq_keep(s, SEQ_TEXTURE, t, a, s->current);
    return r;
}

CALL(cudaDestroyTextureObject)
{
    uint64_t t = seq_pick(s, SEQ_TEXTURE);
    int r = cudaDestroyTextureObject(t);
    if (!r)
        seq_drop(s, SEQ_TEXTURE, t);
    return r;
}

CALL(cudaMemPrefetchAsync)
{
    struct cudaMemLocation l;
    memset(&l, 0, sizeof l);
    uint64_t p = seq_pick(s, seq_chance(s, 80) ? SEQ_MANAGED : SEQ_PINNED);
    size_t n = seq_size(s);
    l.type = (enum cudaMemLocationType)SEQ_ONE_OF(s, 1, 2, 9);
    l.id = seq_device_number(s);
    return cudaMemPrefetchAsync(AS(void *, p), n, l, 0,
                                AS(cudaStream_t, seq_stream(s)));
}

CALL(cudaInitDevice)
{
    int d = seq_device_number(s);
    return cudaInitDevice(d, seq_flags(s, 0x1f), seq_random(s, 2));
}

CALL(cudaChooseDevice)
{
    struct cudaDeviceProp p;
    memset(&p, 0, sizeof p);
    int d = -77;
    int r = cudaChooseDevice(&d, seq_chance(s, 90) ? &p : NULL);
    return seq_give(s, r, (unsigned)d);
}

#define ROW(name, weight) {#name, weight, call_##name},
const seq_call seq_runtime_calls[] = {
#include "runtime.def"
};
#undef ROW
const unsigned seq_runtime_count =
    sizeof seq_runtime_calls / sizeof *seq_runtime_calls;
