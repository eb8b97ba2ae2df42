/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.c - copies and fills. Each comes in four: waiting or in order of a
 * stream, and with the legacy or the thread's default stream.
 */
#include "api/cudart/cudart.h"

#include <string.h>

typedef enum { WAIT_LEGACY, WAIT_THREAD, ASYNC } mode;

/* Nothing to do is done before anything else is looked at. */
#define NOTHING_IF(cond)                                                       \
    do {                                                                       \
        ENTER();                                                               \
        if (cond) {                                                            \
            return cudaSuccess;                                                \
        }                                                                      \
    } while (0)

/* ---- plain bytes ---- */

static CUresult
bytes_by_kind(CUdeviceptr dst, CUdeviceptr src, size_t n,
              enum cudaMemcpyKind kind, mode m, cudaStream_t stream)
{
    void *host_dst = (void *)(uintptr_t)dst;
    const void *host_src = (const void *)(uintptr_t)src;
    bool thread = m == WAIT_THREAD;
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return m == ASYNC ? cuMemcpyHtoDAsync_v2(dst, host_src, n, stream)
               : thread   ? cuMemcpyHtoD_v2_ptds(dst, host_src, n)
                          : cuMemcpyHtoD_v2(dst, host_src, n);
    case cudaMemcpyDeviceToHost:
        return m == ASYNC ? cuMemcpyDtoHAsync_v2(host_dst, src, n, stream)
               : thread   ? cuMemcpyDtoH_v2_ptds(host_dst, src, n)
                          : cuMemcpyDtoH_v2(host_dst, src, n);
    case cudaMemcpyDeviceToDevice:
        return m == ASYNC ? cuMemcpyDtoDAsync_v2(dst, src, n, stream)
               : thread   ? cuMemcpyDtoD_v2_ptds(dst, src, n)
                          : cuMemcpyDtoD_v2(dst, src, n);
    default:
        return m == ASYNC ? cuMemcpyAsync(dst, src, n, stream)
               : thread   ? cuMemcpy_ptds(dst, src, n)
                          : cuMemcpy(dst, src, n);
    }
}

static cudaError_t
copy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, mode m,
     cudaStream_t stream)
{
    NOTHING_IF(!count);
    REQUIRE((unsigned)kind <= cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    return sw_rta_done(bytes_by_kind(sw_rta_ptr(dst), sw_rta_ptr(src), count,
                                     kind, m, stream));
}

/* FOUR(name, parameters, function, arguments): name, nameAsync and twins. */
#define FOUR(name, params, fn, ...)                                            \
    SYNC(name, params, fn, __VA_ARGS__)                                        \
    ASYNCHRONOUS(name##Async, UNPAREN params, fn, __VA_ARGS__)
#define UNPAREN(...) __VA_ARGS__
#define SYNC(name, params, fn, ...)                                            \
    cudaError_t name params                                                    \
    {                                                                          \
        return fn(__VA_ARGS__, WAIT_LEGACY, NULL);                             \
    }                                                                          \
    cudaError_t name##_ptds params;                                            \
    cudaError_t name##_ptds params                                             \
    {                                                                          \
        return fn(__VA_ARGS__, WAIT_THREAD, NULL);                             \
    }
#define ASYNCHRONOUS(name, params, fn, ...)                                    \
    cudaError_t name(params, cudaStream_t stream)                              \
    {                                                                          \
        return fn(__VA_ARGS__, ASYNC, stream);                                 \
    }                                                                          \
    cudaError_t name##_ptsz(params, cudaStream_t stream);                      \
    cudaError_t name##_ptsz(params, cudaStream_t stream)                       \
    {                                                                          \
        return fn(__VA_ARGS__, ASYNC, OWN(stream));                            \
    }

FOUR(cudaMemcpy,
     (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind), copy,
     dst, src, count, kind)

static cudaError_t
copy_peer(void *dst, int dst_device, const void *src, int src_device,
          size_t count, mode m, cudaStream_t stream)
{
    int devices;
    ENTER();
    TRY(cuDeviceGetCount(&devices));
    REQUIRE(dst_device >= 0 && dst_device < devices && src_device >= 0 &&
                src_device < devices,
            cudaErrorInvalidDevice);
    if (m == WAIT_LEGACY) {
        TRY(cuMemcpyPeer(sw_rta_ptr(dst), NULL, sw_rta_ptr(src), NULL, count));
        return cudaSuccess;
    }
    return copy(dst, src, count, cudaMemcpyDeviceToDevice, m, stream);
}

cudaError_t
cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice,
               size_t count)
{
    return copy_peer(dst, dstDevice, src, srcDevice, count, WAIT_LEGACY, NULL);
}

cudaError_t
cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                    size_t count, cudaStream_t stream)
{
    return copy_peer(dst, dstDevice, src, srcDevice, count, ASYNC, stream);
}

/* ---- symbols ---- */

static cudaError_t
symbol_part(const void *symbol, size_t count, size_t offset, void **p)
{
    ENTER();
    CUdeviceptr addr;
    size_t bytes;
    cudaError_t error = sw_rta_symbol(symbol, &addr, &bytes);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    REQUIRE(offset <= bytes && count <= bytes - offset, cudaErrorInvalidValue);
    *p = (void *)(uintptr_t)(addr + offset);
    return cudaSuccess;
}

static cudaError_t
to_symbol(const void *symbol, const void *src, size_t count, size_t offset,
          enum cudaMemcpyKind kind, mode m, cudaStream_t stream)
{
    REQUIRE(kind == cudaMemcpyHostToDevice ||
                kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    void *p;
    cudaError_t error = symbol_part(symbol, count, offset, &p);
    return error != cudaSuccess ? error : copy(p, src, count, kind, m, stream);
}

static cudaError_t
from_symbol(void *dst, const void *symbol, size_t count, size_t offset,
            enum cudaMemcpyKind kind, mode m, cudaStream_t stream)
{
    REQUIRE(kind == cudaMemcpyDeviceToHost ||
                kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
    void *p;
    cudaError_t error = symbol_part(symbol, count, offset, &p);
    return error != cudaSuccess ? error : copy(dst, p, count, kind, m, stream);
}

FOUR(cudaMemcpyToSymbol,
     (const void *symbol, const void *src, size_t count, size_t offset,
      enum cudaMemcpyKind kind),
     to_symbol, symbol, src, count, offset, kind)
FOUR(cudaMemcpyFromSymbol,
     (void *dst, const void *symbol, size_t count, size_t offset,
      enum cudaMemcpyKind kind),
     from_symbol, dst, symbol, count, offset, kind)

/* ---- two and three dimensions ---- */

static cudaError_t
submit_3d(const CUDA_MEMCPY3D *c, mode m, cudaStream_t stream)
{
    return sw_rta_done(m == ASYNC         ? cuMemcpy3DAsync_v2(c, stream)
                       : m == WAIT_THREAD ? cuMemcpy3D_v2_ptds(c)
                                          : cuMemcpy3D_v2(c));
}

/* A pointer's side of a copy, by what the direction says of it. */
static CUmemorytype
side_type(enum cudaMemcpyKind kind, bool is_dst)
{
    switch (kind) {
    case cudaMemcpyHostToHost:
        return CU_MEMORYTYPE_UNIFIED;
    case cudaMemcpyHostToDevice:
        return is_dst ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    case cudaMemcpyDeviceToHost:
        return is_dst ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    case cudaMemcpyDeviceToDevice:
        return CU_MEMORYTYPE_DEVICE;
    default:
        return CU_MEMORYTYPE_UNIFIED;
    }
}

static void
set_src(CUDA_MEMCPY3D *c, const void *p, size_t pitch, enum cudaMemcpyKind kind)
{
    c->srcMemoryType = side_type(kind, false);
    c->srcHost = p;
    c->srcDevice = sw_rta_ptr(p);
    c->srcPitch = pitch;
}

static void
set_dst(CUDA_MEMCPY3D *c, void *p, size_t pitch, enum cudaMemcpyKind kind)
{
    c->dstMemoryType = side_type(kind, true);
    c->dstHost = p;
    c->dstDevice = sw_rta_ptr(p);
    c->dstPitch = pitch;
}

static void
set_src_array(CUDA_MEMCPY3D *c, cudaArray_const_t array, size_t x, size_t y)
{
    c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c->srcArray = (CUarray)(uintptr_t)array;
    c->srcXInBytes = x;
    c->srcY = y;
}

static void
set_dst_array(CUDA_MEMCPY3D *c, cudaArray_t array, size_t x, size_t y)
{
    c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c->dstArray = (CUarray)array;
    c->dstXInBytes = x;
    c->dstY = y;
}

#define CHECK_KIND(kind)                                                       \
    REQUIRE((unsigned)(kind) <= cudaMemcpyDefault,                             \
            cudaErrorInvalidMemcpyDirection)

/* With an array as the source, or the destination, that side is the device. */
#define CHECK_FROM_ARRAY(kind)                                                 \
    REQUIRE((kind) == cudaMemcpyDeviceToHost ||                                \
                (kind) == cudaMemcpyDeviceToDevice ||                          \
                (kind) == cudaMemcpyDefault,                                   \
            cudaErrorInvalidMemcpyDirection)
#define CHECK_TO_ARRAY(kind)                                                   \
    REQUIRE((kind) == cudaMemcpyHostToDevice ||                                \
                (kind) == cudaMemcpyDeviceToDevice ||                          \
                (kind) == cudaMemcpyDefault,                                   \
            cudaErrorInvalidMemcpyDirection)

static cudaError_t
copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
        size_t height, enum cudaMemcpyKind kind, mode m, cudaStream_t stream)
{
    NOTHING_IF(!width || !height);
    REQUIRE(height == 1 || (width <= dpitch && width <= spitch),
            cudaErrorInvalidPitchValue);
    CHECK_KIND(kind);
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    set_src(&c, src, spitch, kind);
    set_dst(&c, dst, dpitch, kind);
    return submit_3d(&c, m, stream);
}

static cudaError_t
to_array_2d(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
            size_t width, size_t height, enum cudaMemcpyKind kind, mode m,
            cudaStream_t stream)
{
    NOTHING_IF(!width || !height);
    REQUIRE(width <= spitch || height == 1, cudaErrorInvalidPitchValue);
    CHECK_TO_ARRAY(kind);
    REQUIRE(dst, cudaErrorInvalidResourceHandle);
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    set_src(&c, src, spitch, kind);
    set_dst_array(&c, dst, x, y);
    return submit_3d(&c, m, stream);
}

static cudaError_t
from_array_2d(void *dst, size_t dpitch, cudaArray_const_t src, size_t x,
              size_t y, size_t width, size_t height, enum cudaMemcpyKind kind,
              mode m, cudaStream_t stream)
{
    NOTHING_IF(!width || !height);
    REQUIRE(width <= dpitch || height == 1, cudaErrorInvalidPitchValue);
    CHECK_FROM_ARRAY(kind);
    REQUIRE(src, cudaErrorInvalidResourceHandle);
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    set_src_array(&c, src, x, y);
    set_dst(&c, dst, dpitch, kind);
    return submit_3d(&c, m, stream);
}

static cudaError_t
array_to_array_2d(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
                  size_t sx, size_t sy, size_t width, size_t height,
                  enum cudaMemcpyKind kind, mode m, cudaStream_t stream)
{
    NOTHING_IF(!width || !height);
    CHECK_FROM_ARRAY(kind);
    CHECK_TO_ARRAY(kind);
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    set_src_array(&c, src, sx, sy);
    set_dst_array(&c, dst, dx, dy);
    return submit_3d(&c, m, stream);
}

FOUR(cudaMemcpy2D,
     (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
      size_t height, enum cudaMemcpyKind kind),
     copy_2d, dst, dpitch, src, spitch, width, height, kind)
FOUR(cudaMemcpy2DToArray,
     (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
      size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind),
     to_array_2d, dst, wOffset, hOffset, src, spitch, width, height, kind)
FOUR(cudaMemcpy2DFromArray,
     (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
      size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind),
     from_array_2d, dst, dpitch, src, wOffset, hOffset, width, height, kind)
SYNC(cudaMemcpy2DArrayToArray,
     (cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
      cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc, size_t width,
      size_t height, enum cudaMemcpyKind kind),
     array_to_array_2d, dst, wOffsetDst, hOffsetDst, src, wOffsetSrc,
     hOffsetSrc, width, height, kind)

/* ---- the old way: bytes of an array, row after row ---- */

/* Splits `count` bytes that begin at (x, y) into at most three rectangles:
 * the rest of the first row, whole rows, the begin of the last. */
static cudaError_t
in_rows(cudaArray_const_t array, size_t x, size_t y, char *p, size_t count,
        bool to_array, enum cudaMemcpyKind kind, mode m, cudaStream_t stream)
{
    CHECK_KIND(kind);
    ENTER();
    CUDA_ARRAY3D_DESCRIPTOR d;
    TRY(cuArray3DGetDescriptor_v2(&d, (CUarray)(uintptr_t)array));
    struct cudaChannelFormatDesc desc;
    cudaError_t error = cudaGetChannelDesc(&desc, array);
    if (error != cudaSuccess)
        return error;
    size_t row = d.Width * (size_t)(desc.x + desc.y + desc.z + desc.w) / 8;
    size_t rows = d.Height ? d.Height : 1;
    REQUIRE(x < row && y < rows && count <= (rows - y) * row - x,
            cudaErrorInvalidValue);
    while (count && error == cudaSuccess) {
        size_t width = row - x < count ? row - x : count, height = 1;
        if (x == 0 && count >= row) {
            width = row;
            height = count / row;
        }
        error = to_array ? to_array_2d((cudaArray_t)(uintptr_t)array, x, y, p,
                                       width, width, height, kind, m, stream)
                         : from_array_2d(p, width, array, x, y, width, height,
                                         kind, m, stream);
        p += width * height;
        count -= width * height;
        x = 0;
        y += height;
    }
    return error;
}

static cudaError_t
to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
         enum cudaMemcpyKind kind, mode m, cudaStream_t stream)
{
    return in_rows(dst, x, y, (char *)(uintptr_t)src, count, true, kind, m,
                   stream);
}

static cudaError_t
from_array(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
           enum cudaMemcpyKind kind, mode m, cudaStream_t stream)
{
    return in_rows(src, x, y, dst, count, false, kind, m, stream);
}

FOUR(cudaMemcpyToArray,
     (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
      size_t count, enum cudaMemcpyKind kind),
     to_array, dst, wOffset, hOffset, src, count, kind)
FOUR(cudaMemcpyFromArray,
     (void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
      size_t count, enum cudaMemcpyKind kind),
     from_array, dst, src, wOffset, hOffset, count, kind)

static cudaError_t
array_to_array(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
               size_t sx, size_t sy, size_t count, enum cudaMemcpyKind kind,
               mode m, cudaStream_t stream)
{
    return array_to_array_2d(dst, dx, dy, src, sx, sy, count, 1, kind, m,
                             stream);
}

SYNC(cudaMemcpyArrayToArray,
     (cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
      cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc, size_t count,
      enum cudaMemcpyKind kind),
     array_to_array, dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc,
     count, kind)

/* ---- 3D ---- */

static cudaError_t
elem_bytes(cudaArray_t array, size_t *bytes)
{
    struct cudaChannelFormatDesc d;
    cudaError_t error = cudaGetChannelDesc(&d, array);
    *bytes = (size_t)(d.x + d.y + d.z + d.w) / 8;
    return error;
}

/* With an array on a side, extents and both sides' positions are elements, as a
 * device has it; its guide says that those of a pointer are bytes. */
cudaError_t
sw_rta_copy3d(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *c)
{
    CHECK_KIND(p->kind);
    REQUIRE(!p->srcArray != !p->srcPtr.ptr && !p->dstArray != !p->dstPtr.ptr,
            cudaErrorInvalidValue);
    REQUIRE(!p->srcArray || p->kind > cudaMemcpyHostToDevice,
            cudaErrorInvalidValue);
    size_t src_elem = 1, dst_elem = 1;
    cudaError_t error = cudaSuccess;
    if (p->srcArray)
        error = elem_bytes(p->srcArray, &src_elem);
    if (p->dstArray && error == cudaSuccess)
        error = elem_bytes(p->dstArray, &dst_elem);
    if (error != cudaSuccess)
        return error;
    size_t width = p->srcArray ? src_elem : dst_elem;
    src_elem = p->srcArray ? src_elem : dst_elem;
    dst_elem = p->dstArray ? dst_elem : src_elem;
    *c = (CUDA_MEMCPY3D){.WidthInBytes = sw_product(p->extent.width, width),
                         .Height = p->extent.height,
                         .Depth = p->extent.depth};
    if (p->srcArray)
        set_src_array(c, p->srcArray, 0, 0);
    else
        set_src(c, p->srcPtr.ptr, p->srcPtr.pitch, p->kind);
    if (p->dstArray)
        set_dst_array(c, p->dstArray, 0, 0);
    else
        set_dst(c, p->dstPtr.ptr, p->dstPtr.pitch, p->kind);
    c->srcHeight = p->srcPtr.ysize;
    c->dstHeight = p->dstPtr.ysize;
    c->srcXInBytes = sw_product(p->srcPos.x, src_elem);
    c->srcY = p->srcPos.y;
    c->srcZ = p->srcPos.z;
    c->dstXInBytes = sw_product(p->dstPos.x, dst_elem);
    c->dstY = p->dstPos.y;
    c->dstZ = p->dstPos.z;
    return cudaSuccess;
}

static cudaError_t
copy_3d(const struct cudaMemcpy3DParms *p, mode m, cudaStream_t stream)
{
    ENTER();
    REQUIRE(p, cudaErrorInvalidValue);
    if (!p->extent.width || !p->extent.height || !p->extent.depth)
        return cudaSuccess;
    CHECK_KIND(p->kind);
    CUDA_MEMCPY3D c;
    cudaError_t error = sw_rta_copy3d(p, &c);
    return error == cudaSuccess ? submit_3d(&c, m, stream) : error;
}

FOUR(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), copy_3d, p)

static cudaError_t
copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, mode m, cudaStream_t stream)
{
    REQUIRE(p, cudaErrorInvalidValue);
    const struct cudaMemcpy3DParms q = {
        .srcArray = p->srcArray,
        .srcPos = p->srcPos,
        .srcPtr = p->srcPtr,
        .dstArray = p->dstArray,
        .dstPos = p->dstPos,
        .dstPtr = p->dstPtr,
        .extent = p->extent,
        .kind = cudaMemcpyDeviceToDevice,
    };
    return copy_3d(&q, m, stream);
}

FOUR(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), copy_3d_peer, p)

/* ---- fills ---- */

static cudaError_t
fill(void *p, size_t pitch, int value, size_t width, size_t height, mode m,
     cudaStream_t stream)
{
    NOTHING_IF(!width || !height);
    CUdeviceptr d = sw_rta_ptr(p);
    unsigned char v = (unsigned char)value;
    return sw_rta_done(
        m == ASYNC ? cuMemsetD2D8Async(d, pitch, v, width, height, stream)
        : m == WAIT_THREAD ? cuMemsetD2D8_v2_ptds(d, pitch, v, width, height)
                           : cuMemsetD2D8_v2(d, pitch, v, width, height));
}

static cudaError_t
fill_3d(struct cudaPitchedPtr p, int value, struct cudaExtent e, mode m,
        cudaStream_t stream)
{
    NOTHING_IF(!e.width || !e.height || !e.depth);
    uint64_t slice = sw_product(p.pitch, p.ysize);
    uint64_t last = sw_product(e.depth - 1, slice);
    REQUIRE(p.ysize >= e.height && (e.depth == 1 || p.pitch >= e.width),
            cudaErrorInvalidValue);
    if (p.ysize == e.height)
        return fill(p.ptr, p.pitch, value, e.width,
                    sw_product(e.height, e.depth), m, stream);
    REQUIRE(sw_sum((uintptr_t)p.ptr, last) < UINT64_MAX, cudaErrorInvalidValue);
    /* The last one first: if that lies outside of the memory, nothing is done,
     * and there are no more of them than fit. */
    cudaError_t error = cudaSuccess;
    for (size_t z = e.depth; z-- > 0 && error == cudaSuccess;)
        error = fill((char *)p.ptr + z * slice, p.pitch, value, e.width,
                     e.height, m, stream);
    return error;
}

FOUR(cudaMemset, (void *devPtr, int value, size_t count), fill, devPtr, count,
     value, count, 1)
FOUR(cudaMemset2D,
     (void *devPtr, size_t pitch, int value, size_t width, size_t height), fill,
     devPtr, pitch, value, width, height)
FOUR(cudaMemset3D,
     (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent),
     fill_3d, pitchedDevPtr, value, extent)
