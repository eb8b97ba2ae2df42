/* SPDX-License-Identifier: Apache-2.0 */
/* further.c - see sequence.h: the driver API, what fewer programs call: virtual
 * memory, pools, attributes of streams, kernels and libraries. */
#include "sequence.h"

#include <string.h>

/* A function, its row is in further.def. */
#define CALL(name) static int call_##name(sequence *s)

static uint64_t
as_handle(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#define AS(type, handle) ((type)(uintptr_t)(handle))
#define STREAM()         AS(CUstream, seq_stream(s))
#define PICK(type, kind) AS(type, seq_pick(s, kind))

/* ---- devices and contexts ---- */

CALL(cuDeviceGetName)
{
    char name[64];
    return cuDeviceGetName(name, (int)SEQ_ONE_OF(s, 64, 4, 0),
                           seq_device_number(s));
}

CALL(cuDeviceTotalMem)
{
    size_t n = 0;
    return cuDeviceTotalMem_v2(seq_chance(s, 90) ? &n : NULL,
                               seq_device_number(s));
}

CALL(cuCtxGetId)
{
    unsigned long long id = 0;
    CUcontext c = PICK(CUcontext, SEQ_CONTEXT);
    return cuCtxGetId(c, seq_chance(s, 90) ? &id : NULL);
}

CALL(cuCtxSetFlags)
{
    return cuCtxSetFlags(seq_flags(s, 0x1f));
}

CALL(cuCtxGetSharedMemConfig)
{
    CUsharedconfig c = (CUsharedconfig)77;
    int r = cuCtxGetSharedMemConfig(&c);
    return seq_give(s, r, (uint64_t)c);
}

CALL(cuCtxSetSharedMemConfig)
{
    return cuCtxSetSharedMemConfig((CUsharedconfig)SEQ_ONE_OF(s, 0, 1, 2, 9));
}

CALL(cuCtxResetPersistingL2Cache)
{
    (void)s;
    return cuCtxResetPersistingL2Cache();
}

CALL(cuCtxGetExecAffinity)
{
    CUexecAffinityParam p;
    return cuCtxGetExecAffinity(&p,
                                (CUexecAffinityType)SEQ_ONE_OF(s, 0, 0, 1, 9));
}

CALL(cuCtxRecordEvent)
{
    CUcontext c = PICK(CUcontext, SEQ_CONTEXT);
    return cuCtxRecordEvent(c, PICK(CUevent, SEQ_EVENT));
}

CALL(cuCtxWaitEvent)
{
    CUcontext c = PICK(CUcontext, SEQ_CONTEXT);
    return cuCtxWaitEvent(c, PICK(CUevent, SEQ_EVENT));
}

/* ---- streams ---- */

CALL(cuStreamGetPriority)
{
    int v = 77;
    int r = cuStreamGetPriority(STREAM(), &v);
    return seq_give(s, r, (unsigned)v);
}

CALL(cuStreamGetId)
{
    unsigned long long id = 0;
    return cuStreamGetId(STREAM(), &id);
}

CALL(cuStreamGetDevice)
{
    CUdevice d = 77;
    int r = cuStreamGetDevice(STREAM(), &d);
    return seq_give(s, r, (unsigned)d);
}

static void CUDA_CB
callback(CUstream stream, CUresult status, void *data)
{
    (void)stream;
    (void)status;
    *(volatile unsigned char *)data = 1;
}

CALL(cuStreamAddCallback)
{
    CUstream st = STREAM();
    CUstreamCallback fn = seq_chance(s, 95) ? callback : NULL;
    return cuStreamAddCallback(st, fn, s->host, seq_flags(s, 1));
}

CALL(cuStreamAttachMemAsync)
{
    CUstream st = STREAM();
    uint64_t p = seq_pick(s, seq_chance(s, 80) ? SEQ_MANAGED : SEQ_PINNED);
    return cuStreamAttachMemAsync(st, p, (size_t)SEQ_ONE_OF(s, 0, 0, 4),
                                  (unsigned)SEQ_ONE_OF(s, 1, 2, 4, 0, 9));
}

CALL(cuStreamGetAttribute)
{
    CUstreamAttrValue v;
    memset(&v, 0, sizeof v);
    CUstream st = STREAM();
    return cuStreamGetAttribute(st, (CUstreamAttrID)SEQ_ONE_OF(s, 1, 3, 8, 99),
                                &v);
}

CALL(cuStreamSetAttribute)
{
    CUstreamAttrValue v;
    memset(&v, 0, sizeof v);
    CUstream st = STREAM();
    CUstreamAttrID id = (CUstreamAttrID)SEQ_ONE_OF(s, 3, 3, 8, 99);
    if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        v.priority = (int)SEQ_ONE_OF(s, 0, UINT64_MAX, 7);
    else
        v.syncPolicy = (CUsynchronizationPolicy)SEQ_ONE_OF(s, 1, 2, 9);
    return cuStreamSetAttribute(st, id, &v);
}

CALL(cuStreamCopyAttributes)
{
    CUstream a = STREAM(), b = STREAM();
    return cuStreamCopyAttributes(a, b);
}

CALL(cuStreamGetCaptureInfo)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)77;
    CUgraph g = NULL;
    const CUgraphNode *deps = NULL;
    size_t n = 0;
    cuuint64_t id = 0;
    int r = cuStreamGetCaptureInfo_v2(STREAM(), &status, &id, &g, &deps, &n);
    return seq_give(s, r, (uint64_t)status + n * 16);
}

CALL(cuStreamUpdateCaptureDependencies)
{
    CUstream st = STREAM();
    CUgraphNode n = PICK(CUgraphNode, SEQ_NODE);
    size_t count = seq_random(s, 2);
    return cuStreamUpdateCaptureDependencies_v2(
        st, &n, NULL, count, (unsigned)SEQ_ONE_OF(s, 0, 1, 7));
}

CALL(cuStreamBeginCaptureToGraph)
{
    CUstream st = STREAM();
    CUgraph g = PICK(CUgraph, SEQ_GRAPH);
    CUstreamCaptureMode mode =
        (CUstreamCaptureMode)SEQ_ONE_OF(s, 0, 1, 2, 2, 9);
    int r = cuStreamBeginCaptureToGraph(st, g, NULL, NULL, 0, mode);
    if (!r) { /* the graph is the capture's until its end */
        s->capturing++;
        seq_drop_owned(s, as_handle(g));
        seq_drop(s, SEQ_GRAPH, as_handle(g));
    }
    return r;
}

CALL(cuStreamWriteValue32)
{
    CUstream st = STREAM();
    uint64_t p = seq_device(s, 64);
    return cuStreamWriteValue32_v2(st, p, 7,
                                   (unsigned)SEQ_ONE_OF(s, 0, 0, 1, 9));
}

/* Of a word that holds all of no bits. */
CALL(cuStreamWaitValue32)
{
    CUstream st = STREAM();
    uint64_t p = seq_device(s, 64);
    return cuStreamWaitValue32_v2(
        st, p, 0, (unsigned)SEQ_ONE_OF(s, 3, 3, 0x40000003, 77));
}

/* ---- memory ---- */

CALL(cuMemHostRegister)
{
    unsigned char *p = s->host + SEQ_ONE_OF(s, 0, 4096, 100);
    size_t n = (size_t)SEQ_ONE_OF(s, 4096, 0, 8192, 1);
    return cuMemHostRegister_v2(seq_chance(s, 95) ? p : NULL, n,
                                seq_flags(s, 0xf));
}

CALL(cuMemHostUnregister)
{
    unsigned char *p = s->host + SEQ_ONE_OF(s, 0, 4096, 100);
    return cuMemHostUnregister(seq_chance(s, 95) ? p : NULL);
}

static CUmemLocation
location(sequence *s)
{
    CUmemLocation l;
    memset(&l, 0, sizeof l);
    l.type = (CUmemLocationType)SEQ_ONE_OF(s, 1, 1, 2, 0, 9);
    l.id = seq_device_number(s);
    return l;
}

CALL(cuMemAdvise)
{
    uint64_t p = seq_pick(s, seq_chance(s, 80) ? SEQ_MANAGED : SEQ_PINNED);
    size_t n = seq_size(s);
    CUmem_advise advice = (CUmem_advise)SEQ_ONE_OF(s, 1, 2, 3, 4, 5, 6, 0, 99);
    return cuMemAdvise_v2(p, n, advice, location(s));
}

CALL(cuMemPrefetchAsync)
{
    uint64_t p = seq_pick(s, seq_chance(s, 80) ? SEQ_MANAGED : SEQ_PINNED);
    size_t n = seq_size(s);
    CUmemLocation l = location(s);
    return cuMemPrefetchAsync_v2(p, n, l, seq_flags(s, 0), STREAM());
}

CALL(cuMemRangeGetAttribute)
{
    int v = 0;
    uint64_t p = seq_pick(s, seq_chance(s, 80) ? SEQ_MANAGED : SEQ_PINNED);
    size_t n = seq_size(s);
    int what = (int)SEQ_ONE_OF(s, 1, 2, 4, 0, 99);
    return cuMemRangeGetAttribute(&v, (size_t)SEQ_ONE_OF(s, 4, 4, 3),
                                  (CUmem_range_attribute)what, p, n);
}

CALL(cuPointerSetAttribute)
{
    int v = (int)seq_random(s, 2);
    int what = (int)SEQ_ONE_OF(s, 6, 6, 2, 99);
    return cuPointerSetAttribute(&v, (CUpointer_attribute)what,
                                 seq_device(s, 0));
}

CALL(cuPointerGetAttributes)
{
    uint64_t a = 0, b = 0;
    void *data[] = {&a, &b};
    CUpointer_attribute what[] = {(CUpointer_attribute)SEQ_ONE_OF(s, 2, 8, 99),
                                  (CUpointer_attribute)SEQ_ONE_OF(s, 9, 11)};
    uint64_t p = seq_chance(s, 80) ? seq_device(s, 0) : as_handle(s->host);
    return cuPointerGetAttributes((unsigned)SEQ_ONE_OF(s, 2, 2, 0), what, data,
                                  p);
}

/* ---- pools ---- */

CALL(cuMemPoolSetAttribute)
{
    uint64_t v = (uint64_t)SEQ_ONE_OF(s, 0, 1, 4096);
    CUmemoryPool p = PICK(CUmemoryPool, SEQ_POOL);
    int what = (int)SEQ_ONE_OF(s, 1, 2, 3, 4, 5, 6, 8, 99);
    return cuMemPoolSetAttribute(p, (CUmemPool_attribute)what, &v);
}

CALL(cuMemPoolSetAccess)
{
    CUmemoryPool p = PICK(CUmemoryPool, SEQ_POOL);
    CUmemAccessDesc d;
    memset(&d, 0, sizeof d);
    d.location = location(s);
    d.flags = (CUmemAccess_flags)SEQ_ONE_OF(s, 3, 1, 0, 9);
    return cuMemPoolSetAccess(p, &d, seq_random(s, 2));
}

CALL(cuMemPoolGetAccess)
{
    CUmemAccess_flags f = (CUmemAccess_flags)77;
    CUmemoryPool p = PICK(CUmemoryPool, SEQ_POOL);
    CUmemLocation l = location(s);
    int r = cuMemPoolGetAccess(&f, p, &l);
    return seq_give(s, r, (uint64_t)f);
}

CALL(cuMemPoolDestroy)
{
    CUmemoryPool p =
        s->count[SEQ_ORDERED] ? NULL : PICK(CUmemoryPool, SEQ_POOL);
    int r = cuMemPoolDestroy(p);
    seq_drop(s, SEQ_POOL, as_handle(p));
    return r;
}

CALL(cuDeviceGetMemPool)
{
    CUmemoryPool p = NULL;
    return cuDeviceGetMemPool(&p, seq_device_number(s));
}

CALL(cuDeviceSetMemPool)
{
    int d = seq_device_number(s);
    return cuDeviceSetMemPool(d, PICK(CUmemoryPool, SEQ_POOL));
}

/* ---- virtual memory ---- */

enum { GRAIN = 2 << 20 };

static size_t
grains(sequence *s)
{
    return (size_t)SEQ_ONE_OF(s, GRAIN, GRAIN, 2 * GRAIN, 4096, 0);
}

CALL(cuMemAddressReserve)
{
    CUdeviceptr p = 0;
    size_t n = grains(s);
    int r = cuMemAddressReserve(&p, n, (size_t)SEQ_ONE_OF(s, 0, 0, GRAIN, 3), 0,
                                seq_flags(s, 0));
    if (!r)
        seq_keep(s, SEQ_RESERVED, p, n, 0);
    return r;
}

CALL(cuMemAddressFree)
{
    const seq_object *o = seq_pick_object(s, SEQ_RESERVED);
    uint64_t p = o ? o->handle : 0;
    size_t n = o && !seq_chance(s, 20) ? o->bytes : GRAIN;
    int r = cuMemAddressFree(p, n);
    if (!r)
        seq_drop(s, SEQ_RESERVED, p);
    return r;
}

static CUmemAllocationProp
properties(sequence *s)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = (CUmemAllocationType)SEQ_ONE_OF(s, 1, 1, 1, 0, 9);
    p.location.type = (CUmemLocationType)SEQ_ONE_OF(s, 1, 1, 1, 2, 0);
    p.location.id = seq_device_number(s);
    return p;
}

CALL(cuMemCreate)
{
    CUmemGenericAllocationHandle h = 0;
    size_t n = grains(s);
    CUmemAllocationProp p = properties(s);
    int r = cuMemCreate(&h, n, &p, seq_flags(s, 0));
    if (!r)
        seq_keep(s, SEQ_PHYSICAL, h, n, 0);
    return r;
}

CALL(cuMemRelease)
{
    uint64_t h = s->count[SEQ_PHYSICAL] ? seq_pick(s, SEQ_PHYSICAL) : 0;
    int r = cuMemRelease(h);
    seq_drop(s, SEQ_PHYSICAL, h);
    return r;
}

CALL(cuMemMap)
{
    uint64_t p = seq_pick(s, SEQ_RESERVED), h = seq_pick(s, SEQ_PHYSICAL);
    size_t n = grains(s);
    return cuMemMap(p, n, (size_t)SEQ_ONE_OF(s, 0, 0, 0, GRAIN), h,
                    seq_flags(s, 0));
}

CALL(cuMemUnmap)
{
    uint64_t p = s->count[SEQ_GRAPH] + s->count[SEQ_EXEC]
                     ? 0
                     : seq_pick(s, SEQ_RESERVED);
    return cuMemUnmap(p, grains(s));
}

CALL(cuMemSetAccess)
{
    uint64_t p = seq_pick(s, SEQ_RESERVED);
    size_t n = grains(s);
    CUmemAccessDesc d;
    memset(&d, 0, sizeof d);
    d.location = location(s);
    d.flags = (CUmemAccess_flags)SEQ_ONE_OF(s, 3, 3, 1, 0, 9);
    return cuMemSetAccess(p, n, &d, (size_t)SEQ_ONE_OF(s, 1, 1, 1, 0));
}

CALL(cuMemGetAccess)
{
    unsigned long long f = 77;
    CUmemLocation l = location(s);
    uint64_t p = seq_chance(s, 80) ? seq_pick(s, SEQ_RESERVED)
                                   : seq_pick(s, SEQ_DEVICE_MEMORY);
    int r = cuMemGetAccess(&f, &l, p);
    return seq_give(s, r, f);
}

CALL(cuMemGetAllocationGranularity)
{
    size_t n = 77;
    CUmemAllocationProp p = properties(s);
    int r = cuMemGetAllocationGranularity(
        &n, &p, (CUmemAllocationGranularity_flags)SEQ_ONE_OF(s, 0, 1, 9));
    return seq_give(s, r, n);
}

CALL(cuMemGetAllocationPropertiesFromHandle)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    int r =
        cuMemGetAllocationPropertiesFromHandle(&p, seq_pick(s, SEQ_PHYSICAL));
    return seq_give(s, r, (uint64_t)p.type * 16 + (uint64_t)p.location.type);
}

/* ---- copies and fills ---- */

CALL(cuMemcpy3D)
{
    CUDA_MEMCPY3D c;
    memset(&c, 0, sizeof c);
    c.WidthInBytes = (size_t)SEQ_ONE_OF(s, 4, 16, 64, 0);
    c.Height = (size_t)SEQ_ONE_OF(s, 1, 2, 0);
    c.Depth = (size_t)SEQ_ONE_OF(s, 1, 1, 2, 0);
    c.srcMemoryType = (CUmemorytype)SEQ_ONE_OF(s, 1, 2, 3, 4, 9);
    c.dstMemoryType = (CUmemorytype)SEQ_ONE_OF(s, 2, 2, 3, 4, 0);
    c.srcHost = seq_host(s, 4096);
    c.dstHost = s->host + 4096;
    c.srcDevice = seq_device(s, 4096);
    c.dstDevice = seq_device(s, 4096);
    c.srcArray = PICK(CUarray, SEQ_ARRAY);
    c.dstArray = PICK(CUarray, SEQ_ARRAY);
    c.srcPitch = (size_t)SEQ_ONE_OF(s, 64, 128, 0, 8);
    c.dstPitch = (size_t)SEQ_ONE_OF(s, 64, 128, 0, 8);
    c.srcHeight = (size_t)SEQ_ONE_OF(s, 2, 4, 0, 1);
    c.dstHeight = (size_t)SEQ_ONE_OF(s, 2, 4, 0, 1);
    c.srcXInBytes = (size_t)SEQ_ONE_OF(s, 0, 0, 4);
    if (seq_chance(s, 50))
        return cuMemcpy3D_v2(&c);
    return cuMemcpy3DAsync_v2(&c, STREAM());
}

CALL(cuMemcpyAtoA)
{
    CUarray a = PICK(CUarray, SEQ_ARRAY), b = PICK(CUarray, SEQ_ARRAY);
    return cuMemcpyAtoA_v2(a, (size_t)SEQ_ONE_OF(s, 0, 4), b, 0,
                           (size_t)SEQ_ONE_OF(s, 4, 16, 0));
}

CALL(cuMemcpyPeerAsync)
{
    size_t n = seq_size(s);
    uint64_t p = seq_device(s, n), q = seq_device(s, n);
    CUcontext c = PICK(CUcontext, SEQ_CONTEXT),
              d = PICK(CUcontext, SEQ_CONTEXT);
    return cuMemcpyPeerAsync(p, c, q, d, n, STREAM());
}

CALL(cuMemsetD16)
{
    size_t n = seq_size(s) / 2;
    uint64_t p = seq_device(s, n * 2);
    if (seq_chance(s, 50))
        return cuMemsetD16_v2(p, 5, n);
    return cuMemsetD16Async(p, 5, n, STREAM());
}

CALL(cuMemsetD2D32)
{
    uint64_t p = seq_device(s, 4096);
    size_t pitch = (size_t)SEQ_ONE_OF(s, 64, 128, 6, 0);
    size_t w = (size_t)SEQ_ONE_OF(s, 4, 16, 0);
    size_t h = (size_t)SEQ_ONE_OF(s, 1, 2, 0);
    return cuMemsetD2D32Async(p, pitch, 5, w, h, STREAM());
}

/* ---- arrays, textures and surfaces ---- */

CALL(cuMipmappedArrayCreate)
{
    CUmipmappedArray a = NULL;
    CUDA_ARRAY3D_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    d.Width = (size_t)SEQ_ONE_OF(s, 16, 16, 1, 0);
    d.Height = (size_t)SEQ_ONE_OF(s, 0, 16, 16, 1);
    d.Depth = (size_t)SEQ_ONE_OF(s, 0, 0, 6, 1);
    d.Format = (CUarray_format)SEQ_ONE_OF(s, 1, 0x20, 0x77);
    d.NumChannels = (unsigned)SEQ_ONE_OF(s, 1, 4, 3);
    d.Flags = seq_flags(s, 0x7);
    int r =
        cuMipmappedArrayCreate(&a, &d, (unsigned)SEQ_ONE_OF(s, 1, 3, 0, 99));
    if (!r)
        seq_keep(s, SEQ_MIPMAP, as_handle(a), 0, s->current);
    return r;
}

CALL(cuMipmappedArrayGetLevel)
{
    CUarray a = NULL;
    CUmipmappedArray m = PICK(CUmipmappedArray, SEQ_MIPMAP);
    return cuMipmappedArrayGetLevel(&a, m, (unsigned)SEQ_ONE_OF(s, 0, 1, 2, 9));
}

CALL(cuMipmappedArrayDestroy)
{
    CUmipmappedArray m = PICK(CUmipmappedArray, SEQ_MIPMAP);
    int r = cuMipmappedArrayDestroy(m);
    seq_drop(s, SEQ_MIPMAP, as_handle(m));
    return r;
}

CALL(cuArrayGetPlane)
{
    CUarray a = NULL;
    return cuArrayGetPlane(&a, PICK(CUarray, SEQ_ARRAY), seq_random(s, 2));
}

CALL(cuSurfObjectCreate)
{
    CUsurfObject t = 0;
    CUDA_RESOURCE_DESC d;
    memset(&d, 0, sizeof d);
    d.resType = (CUresourcetype)SEQ_ONE_OF(s, 0, 0, 0, 2, 9);
    uint64_t a = seq_pick(s, SEQ_ARRAY);
    d.res.array.hArray = AS(CUarray, a);
    int r = cuSurfObjectCreate(&t, &d);
    if (!r)
        seq_keep(s, SEQ_SURFACE, t, a, s->current);
    return r;
}

CALL(cuSurfObjectDestroy)
{
    uint64_t t = seq_pick(s, SEQ_SURFACE);
    int r = cuSurfObjectDestroy(t);
    if (!r)
        seq_drop(s, SEQ_SURFACE, t);
    return r;
}

CALL(cuTexObjectGetResourceDesc)
{
    CUDA_RESOURCE_DESC d;
    memset(&d, 0, sizeof d);
    int r = cuTexObjectGetResourceDesc(&d, seq_pick(s, SEQ_TEXTURE));
    return seq_give(s, r, (uint64_t)d.resType);
}

/* ---- functions, kernels and libraries ---- */

CALL(cuModuleGetFunctionCount)
{
    unsigned n = 77;
    int r = cuModuleGetFunctionCount(&n, PICK(CUmodule, SEQ_MODULE));
    return seq_give(s, r, n);
}

CALL(cuFuncGetModule)
{
    CUmodule m = NULL;
    return cuFuncGetModule(&m, PICK(CUfunction, SEQ_FUNCTION));
}

CALL(cuFuncGetName)
{
    const char *name = NULL;
    return cuFuncGetName(&name, PICK(CUfunction, SEQ_FUNCTION));
}

CALL(cuFuncGetParamInfo)
{
    size_t at = 77, n = 77;
    CUfunction f = PICK(CUfunction, SEQ_FUNCTION);
    int r = cuFuncGetParamInfo(f, seq_random(s, 2), &at, &n);
    return seq_give(s, r, at * 256 + n);
}

CALL(cuFuncSetCacheConfig)
{
    CUfunction f = PICK(CUfunction, SEQ_FUNCTION);
    return cuFuncSetCacheConfig(f, (CUfunc_cache)SEQ_ONE_OF(s, 0, 1, 2, 3, 9));
}

CALL(cuFuncIsLoaded)
{
    CUfunctionLoadingState state = (CUfunctionLoadingState)77;
    return cuFuncIsLoaded(&state, PICK(CUfunction, SEQ_FUNCTION));
}

CALL(cuFuncLoad)
{
    return cuFuncLoad(PICK(CUfunction, SEQ_FUNCTION));
}

CALL(cuLibraryGetModule)
{
    CUmodule m = NULL;
    return cuLibraryGetModule(&m, PICK(CUlibrary, SEQ_LIBRARY));
}

CALL(cuLibraryGetGlobal)
{
    CUdeviceptr p = 0;
    size_t n = 77;
    CUlibrary l = PICK(CUlibrary, SEQ_LIBRARY);
    int r = cuLibraryGetGlobal(&p, &n, l, seq_chance(s, 70) ? "word" : "none");
    return seq_give(s, r, r ? 0 : n);
}

CALL(cuLibraryGetManaged)
{
    CUdeviceptr p = 0;
    size_t n = 77;
    CUlibrary l = PICK(CUlibrary, SEQ_LIBRARY);
    return cuLibraryGetManaged(&p, &n, l, seq_chance(s, 70) ? "word" : "none");
}

CALL(cuLibraryGetKernelCount)
{
    unsigned n = 77;
    int r = cuLibraryGetKernelCount(&n, PICK(CUlibrary, SEQ_LIBRARY));
    return seq_give(s, r, n);
}

CALL(cuKernelGetAttribute)
{
    int v = -77;
    int what = (int)SEQ_ONE_OF(s, 0, 1, 8, 9, 99);
    CUkernel k = PICK(CUkernel, SEQ_KERNEL);
    int r = cuKernelGetAttribute(&v, (CUfunction_attribute)what, k,
                                 seq_device_number(s));
    return seq_give(s, r, (unsigned)v);
}

CALL(cuKernelSetAttribute)
{
    int what = (int)SEQ_ONE_OF(s, 8, 9, 0, 99);
    int v = (int)SEQ_ONE_OF(s, 0, 1024, 65536, 50, 101);
    CUkernel k = PICK(CUkernel, SEQ_KERNEL);
    return cuKernelSetAttribute((CUfunction_attribute)what, v, k,
                                seq_device_number(s));
}

CALL(cuKernelGetName)
{
    const char *name = NULL;
    return cuKernelGetName(&name, PICK(CUkernel, SEQ_KERNEL));
}

CALL(cuKernelGetLibrary)
{
    CUlibrary l = NULL;
    return cuKernelGetLibrary(&l, PICK(CUkernel, SEQ_KERNEL));
}

CALL(cuKernelGetParamInfo)
{
    size_t at = 77, n = 77;
    CUkernel k = PICK(CUkernel, SEQ_KERNEL);
    int r = cuKernelGetParamInfo(k, seq_random(s, 2), &at, &n);
    return seq_give(s, r, at * 256 + n);
}

CALL(cuOccupancyAvailableDynamicSMemPerBlock)
{
    size_t n = 77;
    CUfunction f = PICK(CUfunction, SEQ_FUNCTION);
    int blocks = (int)SEQ_ONE_OF(s, 1, 2, 32, 0);
    int r = cuOccupancyAvailableDynamicSMemPerBlock(
        &n, f, blocks, (int)SEQ_ONE_OF(s, 32, 256, 0, 2048));
    return seq_give(s, r, n);
}

CALL(cuOccupancyMaxPotentialBlockSize)
{
    int grid = 77, block = 77;
    CUfunction f = PICK(CUfunction, SEQ_FUNCTION);
    int r = cuOccupancyMaxPotentialBlockSize(
        &grid, &block, f, NULL, (size_t)SEQ_ONE_OF(s, 0, 1024, 1 << 20),
        (int)SEQ_ONE_OF(s, 0, 64, UINT64_MAX));
    return seq_give(s, r, (unsigned)block * UINT64_C(65536) + (unsigned)grid);
}

/* Waits for its end, so that a fault is seen by the next call each time. */
static int
end_launch(sequence *s, int r)
{
    if (r || s->capturing)
        return r;
    return seq_give(s, r, (uint64_t)cuCtxSynchronize());
}

CALL(cuLaunchKernelEx)
{
    CUlaunchConfig c;
    CUlaunchAttribute a;
    memset(&c, 0, sizeof c);
    memset(&a, 0, sizeof a);
    const seq_object *o = seq_pick_object(s, SEQ_FUNCTION);
    uint64_t p = seq_device(s, 64) & ~(uint64_t)7;
    void *args[] = {&p};
    c.gridDimX = (unsigned)SEQ_ONE_OF(s, 1, 2, 0);
    c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
    c.blockDimX = (unsigned)SEQ_ONE_OF(s, 32, 1, 64, 2048);
    c.hStream = STREAM();
    c.attrs = &a;
    c.numAttrs = seq_random(s, 2);
    a.id = (CUlaunchAttributeID)SEQ_ONE_OF(s, 2, 4, 4, 8, 99);
    if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
        a.value.clusterDim.x = (unsigned)SEQ_ONE_OF(s, 1, 2, 3, 16);
        a.value.clusterDim.y = a.value.clusterDim.z = 1;
    } else if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
        a.value.cooperative = 1;
    }
    if (o && o->bytes && !p)
        return 0;
    return end_launch(
        s,
        cuLaunchKernelEx(&c, o ? AS(CUfunction, o->handle) : NULL, args, NULL));
}

CALL(cuLaunchCooperativeKernel)
{
    const seq_object *o = seq_pick_object(s, SEQ_FUNCTION);
    uint64_t p = seq_device(s, 64) & ~(uint64_t)7;
    void *args[] = {&p};
    unsigned grid = (unsigned)SEQ_ONE_OF(s, 1, 2, 0, 1 << 20);
    unsigned block = (unsigned)SEQ_ONE_OF(s, 32, 64, 0);
    CUstream st = STREAM();
    if (o && o->bytes && !p)
        return 0;
    return end_launch(
        s, cuLaunchCooperativeKernel(o ? AS(CUfunction, o->handle) : NULL, grid,
                                     1, 1, block, 1, 1, 0, st, args));
}

/* So that there are functions to ask for. */
CALL(cuModuleGetFunction_more)
{
    CUfunction f = NULL;
    CUmodule m = PICK(CUmodule, SEQ_MODULE);
    int r = cuModuleGetFunction(&f, m, "nothing");
    if (!r)
        seq_keep(s, SEQ_FUNCTION, as_handle(f), 0, as_handle(m));
    return r;
}

CALL(cuLibraryGetKernel_more)
{
    CUkernel k = NULL;
    CUlibrary l = PICK(CUlibrary, SEQ_LIBRARY);
    int r = cuLibraryGetKernel(&k, l, "nothing");
    if (!r)
        seq_keep(s, SEQ_KERNEL, as_handle(k), 0, as_handle(l));
    return r;
}

#define ROW(name, weight) {#name, weight, call_##name},
const seq_call seq_further_calls[] = {
#include "further.def"
};
#undef ROW
const unsigned seq_further_count =
    sizeof seq_further_calls / sizeof *seq_further_calls;
