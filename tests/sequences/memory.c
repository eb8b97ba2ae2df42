/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - see sequence.h: the driver API, memory, arrays and textures. */
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

/* ---- memory ---- */

CALL(cuMemAlloc)
{
    CUdeviceptr p = 0;
    size_t n = seq_chance(s, 95) ? seq_size(s) : (size_t)1 << 46;
    int r = cuMemAlloc_v2(&p, n);
    if (!r)
        seq_keep(s, SEQ_DEVICE_MEMORY, p, n, s->current);
    return r;
}

CALL(cuMemAllocPitch)
{
    CUdeviceptr p = 0;
    size_t pitch = 0, w = seq_size(s), h = (size_t)SEQ_ONE_OF(s, 0, 1, 4, 9);
    unsigned e = (unsigned)SEQ_ONE_OF(s, 4, 8, 16, 2, 0);
    int r = cuMemAllocPitch_v2(&p, &pitch, w, h, e);
    if (!r)
        seq_keep(s, SEQ_DEVICE_MEMORY, p, pitch * h, s->current);
    return seq_give(s, r, pitch);
}

CALL(cuMemAllocManaged)
{
    CUdeviceptr p = 0;
    size_t n = seq_size(s);
    unsigned flags = (unsigned)SEQ_ONE_OF(s, 1, 1, 1, 2, 0, 4, 9);
    int r = cuMemAllocManaged(&p, n, flags);
    if (!r)
        seq_keep(s, SEQ_MANAGED, p, n, s->current);
    return r;
}

CALL(cuMemHostAlloc)
{
    void *p = NULL;
    size_t n = seq_size(s);
    int r = cuMemHostAlloc(&p, n, seq_flags(s, 7));
    if (!r)
        seq_keep(s, SEQ_PINNED, as_handle(p), n, s->current);
    return r;
}

static int
free_one(sequence *s, seq_kind kind, int (*release)(uint64_t))
{
    uint64_t p = s->count[SEQ_GRAPH] + s->count[SEQ_EXEC]
                     ? 0 /* graphs may write to it */
                     : seq_pick(s, kind);
    uint64_t off = p && seq_chance(s, 4) ? 4 : 0;
    int r = release(p + off);
    if (!r && !off)
        seq_drop(s, kind, p);
    return r;
}

static int
release_device(uint64_t p)
{
    return cuMemFree_v2(p);
}

static int
release_host(uint64_t p)
{
    return cuMemFreeHost(AS(void *, p));
}

CALL(cuMemFree)
{
    return free_one(s,
                    (seq_kind)SEQ_ONE_OF(s, SEQ_DEVICE_MEMORY, SEQ_MANAGED,
                                         SEQ_DEVICE_MEMORY, SEQ_PINNED),
                    release_device);
}

CALL(cuMemFreeHost)
{
    return free_one(s, seq_chance(s, 90) ? SEQ_PINNED : SEQ_DEVICE_MEMORY,
                    release_host);
}

CALL(cuMemGetAddressRange)
{
    CUdeviceptr base = 0;
    size_t n = 0;
    uint64_t p = seq_device(s, 0);
    int r = cuMemGetAddressRange_v2(&base, &n, p);
    return seq_give(s, r, r ? 0 : n);
}

CALL(cuMemHostGetDevicePointer)
{
    CUdeviceptr p = 0;
    uint64_t h = seq_pick(s, SEQ_PINNED);
    return cuMemHostGetDevicePointer_v2(&p, AS(void *, h), seq_flags(s, 1));
}

CALL(cuMemHostGetFlags)
{
    unsigned f = 77;
    uint64_t h = seq_pick(s, SEQ_PINNED);
    int r = cuMemHostGetFlags(&f, AS(void *, h));
    return seq_give(s, r, f);
}

CALL(cuPointerGetAttribute)
{
    uint64_t v = 0;
    int what = (int)SEQ_ONE_OF(s, 2, 4, 5, 8, 9, 12, 0, 99);
    uint64_t p = seq_device(s, 0);
    int r = cuPointerGetAttribute(&v, (CUpointer_attribute)what, p);
    return seq_give(s, r,
                    what == 2 || what == 8 || what == 9 ? (unsigned)v : 0);
}

CALL(cuMemGetInfo)
{
    size_t free = 0, total = 0;
    return cuMemGetInfo_v2(seq_chance(s, 95) ? &free : NULL, &total);
}

CALL(cuMemAllocAsync)
{
    CUdeviceptr p = 0;
    size_t n = seq_size(s);
    uint64_t st = seq_stream(s), pool = seq_pick(s, SEQ_POOL);
    CUresult r = seq_chance(s, 70)
                     ? cuMemAllocAsync(&p, n, AS(CUstream, st))
                     : cuMemAllocFromPoolAsync(&p, n, AS(CUmemoryPool, pool),
                                               AS(CUstream, st));
    if (!r && !s->capturing)
        seq_keep(s, SEQ_ORDERED, p, n, s->current);
    return (int)r;
}

CALL(cuMemFreeAsync)
{
    uint64_t p = seq_pick(s, seq_chance(s, 90) ? SEQ_ORDERED : SEQ_PINNED);
    uint64_t st = seq_stream(s);
    int r = cuMemFreeAsync(p, AS(CUstream, st));
    seq_drop(s, SEQ_ORDERED, p);
    return r;
}

CALL(cuMemPoolCreate)
{
    CUmemoryPool pool = NULL;
    CUmemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = (CUmemAllocationType)SEQ_ONE_OF(s, 1, 1, 1, 0, 7);
    props.location.type = (CUmemLocationType)SEQ_ONE_OF(s, 1, 1, 1, 0, 9);
    props.location.id = seq_device_number(s);
    int r = cuMemPoolCreate(&pool, &props);
    if (!r)
        seq_keep(s, SEQ_POOL, as_handle(pool), 0, 0);
    return r;
}

CALL(cuDeviceGetDefaultMemPool)
{
    CUmemoryPool pool = NULL;
    return cuDeviceGetDefaultMemPool(&pool, seq_device_number(s));
}

CALL(cuMemPoolTrimTo)
{
    return cuMemPoolTrimTo(AS(CUmemoryPool, seq_pick(s, SEQ_POOL)),
                           seq_size(s));
}

CALL(cuMemPoolGetAttribute)
{
    uint64_t v = 0;
    int what = (int)SEQ_ONE_OF(s, 1, 2, 3, 4, 0, 99);
    int r = cuMemPoolGetAttribute(AS(CUmemoryPool, seq_pick(s, SEQ_POOL)),
                                  (CUmemPool_attribute)what, &v);
    return seq_give(s, r, v);
}

/* ---- copies and fills ---- */

CALL(cuMemcpyHtoD)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n);
    void *h = seq_host(s, n);
    if (seq_chance(s, 50))
        return cuMemcpyHtoD_v2(p, h, n);
    return cuMemcpyHtoDAsync_v2(p, h, n, AS(CUstream, seq_stream(s)));
}

CALL(cuMemcpyDtoH)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n);
    void *h = seq_host(s, n);
    if (seq_chance(s, 50))
        return cuMemcpyDtoH_v2(h, p, n);
    return cuMemcpyDtoHAsync_v2(h, p, n, AS(CUstream, seq_stream(s)));
}

CALL(cuMemcpyDtoD)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n), q = seq_device(s, n);
    if (seq_chance(s, 50))
        return cuMemcpyDtoD_v2(p, q, n);
    return cuMemcpyDtoDAsync_v2(p, q, n, AS(CUstream, seq_stream(s)));
}

CALL(cuMemcpy)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n), q = seq_device(s, n);
    if (seq_chance(s, 50))
        return cuMemcpy(p, q, n);
    return cuMemcpyAsync(p, q, n, AS(CUstream, seq_stream(s)));
}

CALL(cuMemcpyPeer)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n), q = seq_device(s, n);
    uint64_t c = seq_pick(s, SEQ_CONTEXT), d = seq_pick(s, SEQ_CONTEXT);
    return cuMemcpyPeer(p, AS(CUcontext, c), q, AS(CUcontext, d), n);
}

static void
side_of(sequence *s, CUmemorytype *type, const void **host, CUdeviceptr *device,
        CUarray *array, size_t bytes)
{
    *type = (CUmemorytype)SEQ_ONE_OF(s, 1, 2, 2, 3, 4, 0, 9);
    *host = seq_host(s, bytes);
    *device = seq_device(s, bytes);
    *array = AS(CUarray, seq_pick(s, SEQ_ARRAY));
}

CALL(cuMemcpy2D)
{
    CUDA_MEMCPY2D c;
    const void *host = NULL;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = (size_t)SEQ_ONE_OF(s, 4, 16, 64, 0, 100);
    c.Height = (size_t)SEQ_ONE_OF(s, 1, 2, 8, 0);
    side_of(s, &c.srcMemoryType, &c.srcHost, &c.srcDevice, &c.srcArray, 4096);
    side_of(s, &c.dstMemoryType, &host, &c.dstDevice, &c.dstArray, 4096);
    c.dstHost = (void *)(uintptr_t)host;
    c.srcPitch = (size_t)SEQ_ONE_OF(s, 64, 128, 100, 0, 8);
    c.dstPitch = (size_t)SEQ_ONE_OF(s, 64, 128, 100, 0, 8);
    if (seq_chance(s, 50))
        return cuMemcpy2D_v2(&c);
    return cuMemcpy2DAsync_v2(&c, AS(CUstream, seq_stream(s)));
}

CALL(cuMemcpyArray)
{
    uint64_t a = seq_pick(s, SEQ_ARRAY), p = seq_device(s, 64);
    size_t offset = (size_t)SEQ_ONE_OF(s, 0, 4, 64, 4096);
    size_t n = (size_t)SEQ_ONE_OF(s, 4, 16, 0, 8192);
    switch (seq_random(s, 4)) {
    case 0:
        return cuMemcpyDtoA_v2(AS(CUarray, a), offset, p, n);
    case 1:
        return cuMemcpyAtoD_v2(p, AS(CUarray, a), offset, n);
    case 2:
        return cuMemcpyHtoA_v2(AS(CUarray, a), offset, seq_host(s, n), n);
    default:
        return cuMemcpyAtoH_v2(seq_host(s, n), AS(CUarray, a), offset, n);
    }
}

CALL(cuMemsetD8)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n);
    if (seq_chance(s, 50))
        return cuMemsetD8_v2(p, 5, n);
    return cuMemsetD8Async(p, 5, n, AS(CUstream, seq_stream(s)));
}

CALL(cuMemsetD32)
{
    size_t n = seq_size(s) / 4;
    uint64_t p = seq_device(s, n * 4);
    if (seq_chance(s, 50))
        return cuMemsetD32_v2(p, 5, n);
    return cuMemsetD32Async(p, 5, n, AS(CUstream, seq_stream(s)));
}

CALL(cuMemsetD2D8)
{
    uint64_t p = seq_device(s, 4096);
    size_t pitch = (size_t)SEQ_ONE_OF(s, 64, 128, 4, 0);
    size_t w = (size_t)SEQ_ONE_OF(s, 16, 64, 100, 0);
    size_t h = (size_t)SEQ_ONE_OF(s, 1, 2, 8, 0);
    return cuMemsetD2D8_v2(p, pitch, 5, w, h);
}

/* ---- arrays and textures ---- */

CALL(cuArrayCreate)
{
    CUarray a = NULL;
    CUDA_ARRAY_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    d.Width = (size_t)SEQ_ONE_OF(s, 64, 16, 1, 0, 1 << 20);
    d.Height = (size_t)SEQ_ONE_OF(s, 0, 0, 16, 1, 1 << 20);
    d.Format = (CUarray_format)SEQ_ONE_OF(s, 1, 2, 3, 0x20, 0x10, 0, 0x77);
    d.NumChannels = (unsigned)SEQ_ONE_OF(s, 1, 2, 4, 3, 0);
    int r = cuArrayCreate_v2(&a, &d);
    if (!r)
        seq_keep(s, SEQ_ARRAY, as_handle(a), 0, s->current);
    return r;
}

CALL(cuArray3DCreate)
{
    CUarray a = NULL;
    CUDA_ARRAY3D_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    d.Width = (size_t)SEQ_ONE_OF(s, 16, 16, 1, 0);
    d.Height = (size_t)SEQ_ONE_OF(s, 0, 16, 16, 1);
    d.Depth = (size_t)SEQ_ONE_OF(s, 0, 6, 12, 1);
    d.Format = (CUarray_format)SEQ_ONE_OF(s, 1, 0x20, 8);
    d.NumChannels = (unsigned)SEQ_ONE_OF(s, 1, 2, 4);
    d.Flags = seq_flags(s, 0x0f);
    int r = cuArray3DCreate_v2(&a, &d);
    if (!r)
        seq_keep(s, SEQ_ARRAY, as_handle(a), 0, s->current);
    return r;
}

CALL(cuArrayDestroy)
{
    uint64_t a = seq_pick(s, SEQ_ARRAY);
    for (unsigned i = 0; i < s->count[SEQ_TEXTURE]; i++)
        if (s->objects[SEQ_TEXTURE][i].bytes == a)
            return cuArrayDestroy(NULL); /* in use */
    int r = cuArrayDestroy(AS(CUarray, a));
    if (!r)
        seq_drop(s, SEQ_ARRAY, a);
    return r;
}

CALL(cuArrayGetDescriptor)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    int r = cuArray3DGetDescriptor_v2(&d, AS(CUarray, seq_pick(s, SEQ_ARRAY)));
    return seq_give(s, r, d.Width * 65536 + d.Height * 256 + d.Depth);
}

CALL(cuTexObjectCreate)
{
    CUtexObject t = 0;
    CUDA_RESOURCE_DESC d;
    CUDA_TEXTURE_DESC x;
    memset(&d, 0, sizeof d);
    memset(&x, 0, sizeof x);
    uint64_t a = 0;
    d.resType = (CUresourcetype)SEQ_ONE_OF(s, 0, 0, 2, 3, 9);
    if (d.resType == CU_RESOURCE_TYPE_LINEAR) {
        d.res.linear.devPtr = seq_device(s, 4096);
        d.res.linear.format = (CUarray_format)SEQ_ONE_OF(s, 0x20, 1, 0x77);
        d.res.linear.numChannels = (unsigned)SEQ_ONE_OF(s, 1, 2, 4, 3, 0);
        d.res.linear.sizeInBytes = (size_t)SEQ_ONE_OF(s, 256, 4096, 0);
    } else if (d.resType == CU_RESOURCE_TYPE_PITCH2D) {
        d.res.pitch2D.devPtr = seq_device(s, 4096);
        d.res.pitch2D.format = (CUarray_format)SEQ_ONE_OF(s, 0x20, 1, 0x77);
        d.res.pitch2D.numChannels = (unsigned)SEQ_ONE_OF(s, 1, 2, 4, 3, 0);
        d.res.pitch2D.width = (size_t)SEQ_ONE_OF(s, 16, 8, 0);
        d.res.pitch2D.height = (size_t)SEQ_ONE_OF(s, 4, 8, 0);
        d.res.pitch2D.pitchInBytes = (size_t)SEQ_ONE_OF(s, 512, 256, 32, 7, 0);
    } else {
        a = seq_pick(s, SEQ_ARRAY);
        d.res.array.hArray = AS(CUarray, a);
    }
    x.filterMode = (CUfilter_mode)SEQ_ONE_OF(s, 0, 0, 1, 7);
    x.addressMode[0] = (CUaddress_mode)SEQ_ONE_OF(s, 0, 1, 2, 3, 7);
    x.flags = seq_flags(s, 3);
    int r = cuTexObjectCreate(&t, &d, &x, NULL);
    if (!r)
        seq_keep(s, SEQ_TEXTURE, t, a, s->current);
    return r;
}

CALL(cuTexObjectDestroy)
{
    uint64_t t = seq_pick(s, SEQ_TEXTURE);
    int r = cuTexObjectDestroy(t);
    if (!r)
        seq_drop(s, SEQ_TEXTURE, t);
    return r;
}

#define ROW(name, weight) {#name, weight, call_##name},
const seq_call seq_memory_calls[] = {
#include "memory.def"
};
#undef ROW
const unsigned seq_memory_count =
    sizeof seq_memory_calls / sizeof *seq_memory_calls;
