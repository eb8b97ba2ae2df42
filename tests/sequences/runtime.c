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

#define ROW(name, weight) {#name, weight, call_##name},
const seq_call seq_runtime_calls[] = {
#include "runtime.def"
};
#undef ROW
const unsigned seq_runtime_count =
    sizeof seq_runtime_calls / sizeof *seq_runtime_calls;
