/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.c - copies and fills: described by structs, by pairs of pointers, by
 * arrays; in order of a stream or waiting for the end.
 *
 * Addresses that lie in the device's range must lie in one allocation; any
 * other address is the program's own host memory.
 */
#include "api/cuda/copy.h"

#include <string.h>

typedef struct {
    uint64_t addr;
    size_t pitch, slice;         /* bytes */
    bool is_host;                /* pageable */
    size_t width, height, depth; /* of an array, bytes and rows; else 0 */
} place;

static bool
in_arena(uint64_t addr)
{
    const sw_mem_view *view;
    return sw_mem_get_view(&view) == SW_OK && addr - view->base < view->bytes;
}

/* Of the host's memory that is not registered it can only be said what no
 * process has. */
static bool
is_good(uint64_t addr, uint64_t bytes)
{
    const uint64_t end = UINT64_C(1) << 57;
    if (in_arena(addr) || sw_rt_memory_find(addr, NULL))
        return sw_rt_memory_holds(addr, bytes);
    return addr >= 4096 && addr < end && bytes <= end - addr;
}

static bool
is_pageable(uint64_t addr)
{
    return !in_arena(addr) && !sw_rt_memory_find(addr, NULL);
}

sw_status
sw_api_copy_linear(uint64_t dst, uint64_t src, size_t bytes, sw_rt_work *work)
{
    if (bytes && (!is_good(dst, bytes) || !is_good(src, bytes)))
        return SW_E_INVAL;
    *work = (sw_rt_work){.kind = SW_RT_COPY};
    work->copy = (sw_rt_copy){
        .dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1};
    return SW_OK;
}

/* One side of a described copy. */
static sw_status
side(CUmemorytype type, const void *host, CUdeviceptr device, CUarray handle,
     size_t pitch, size_t rows, size_t x, size_t y, size_t z, size_t width,
     size_t height, size_t depth, place *out)
{
    *out = (place){0};
    size_t row_end = sw_sum(width, x), rows_end = sw_sum(height, y);
    size_t need_pitch = pitch ? pitch : row_end;
    switch ((int)type) {
    case CU_MEMORYTYPE_ARRAY: {
        sw_rt_array *a = sw_rt_object_get(handle, SW_RT_ARRAY);
        if (!a)
            return handle ? SW_E_INVALID_HANDLE : SW_E_INVAL;
        size_t row = a->shape.width * a->elem_bytes;
        size_t h = a->shape.height ? a->shape.height : 1;
        size_t d = a->shape.depth ? a->shape.depth : 1;
        if (row_end > row || rows_end > h || sw_sum(z, depth) > d)
            return SW_E_INVAL;
        out->pitch = a->pitch;
        out->slice = a->slice;
        out->addr = a->addr + x + y * a->pitch + z * a->slice;
        return SW_OK;
    }
    case CU_MEMORYTYPE_HOST:
        out->addr = (uint64_t)(uintptr_t)host;
        out->is_host = is_pageable(out->addr);
        break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
        out->addr = device;
        out->is_host = type == CU_MEMORYTYPE_UNIFIED && is_pageable(device);
        break;
    default:
        return SW_E_INVAL;
    }
    if (need_pitch < row_end)
        return SW_E_INVAL;
    if (depth > 1 && rows && rows < rows_end)
        return SW_E_INVAL;
    out->pitch = need_pitch;
    out->slice = sw_product(need_pitch, rows ? rows : rows_end);
    uint64_t before =
        sw_sum(sw_product(y, out->pitch), sw_product(z, out->slice));
    uint64_t first = sw_sum(out->addr, sw_sum(x, before));
    uint64_t span = sw_sum(width, sw_sum(sw_product(depth - 1, out->slice),
                                         sw_product(height - 1, out->pitch)));
    out->addr = first;
    if (type == CU_MEMORYTYPE_DEVICE && !in_arena(first) &&
        !sw_rt_memory_find(first, NULL))
        return SW_E_INVAL;
    return is_good(first, span) ? SW_OK : SW_E_INVAL;
}

static sw_status
describe(const CUDA_MEMCPY3D *c, sw_rt_work *work, bool *is_pageable_copy)
{
    *work = (sw_rt_work){.kind = SW_RT_COPY};
    *is_pageable_copy = false;
    if (!c->WidthInBytes || !c->Height || !c->Depth)
        return SW_OK;
    if (c->srcLOD || c->dstLOD)
        return SW_E_INVAL;
    place src, dst;
    sw_status status =
        side(c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,
             c->srcPitch, c->srcHeight, c->srcXInBytes, c->srcY, c->srcZ,
             c->WidthInBytes, c->Height, c->Depth, &src);
    if (status == SW_OK)
        status = side(c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
                      c->dstPitch, c->dstHeight, c->dstXInBytes, c->dstY,
                      c->dstZ, c->WidthInBytes, c->Height, c->Depth, &dst);
    if (status != SW_OK)
        return status;
    work->copy = (sw_rt_copy){
        .dst = dst.addr,
        .src = src.addr,
        .dst_pitch = dst.pitch,
        .dst_slice = dst.slice,
        .src_pitch = src.pitch,
        .src_slice = src.slice,
        .width = c->WidthInBytes,
        .height = c->Height,
        .depth = c->Depth,
    };
    *is_pageable_copy = src.is_host || dst.is_host;
    return SW_OK;
}

sw_status
sw_api_copy3d(const CUDA_MEMCPY3D *c, sw_rt_work *work)
{
    bool pageable;
    return describe(c, work, &pageable);
}

CUresult
sw_api_copy(CUstream hStream, const sw_rt_work *work, bool wait)
{
    sw_rt_stream *s;
    TRY(sw_api_stream(hStream, &s));
    return sw_api_result(wait ? sw_api_run(s, work) : sw_api_submit(s, work));
}

/* An asynchronous copy from or to pageable memory: the source has been read,
 * or the destination written, when the call returns. */
static CUresult
async_copy(CUstream hStream, const sw_rt_work *work, bool pageable)
{
    sw_rt_stream *s;
    TRY(sw_api_stream(hStream, &s));
    if (pageable && !s->capture && !s->capture_status)
        return sw_api_result(sw_api_run(s, work));
    return sw_api_result(sw_api_submit(s, work));
}

static CUresult
linear(uint64_t dst, uint64_t src, size_t bytes, CUstream stream, bool wait)
{
    sw_rt_work work;
    TRY(sw_api_copy_linear(dst, src, bytes, &work));
    if (!bytes)
        return CUDA_SUCCESS;
    if (wait)
        return sw_api_copy(stream, &work, true);
    return async_copy(stream, &work, is_pageable(src) || is_pageable(dst));
}

static uint64_t
host(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* A device side must be memory that the device can reach. */
static sw_status
on_device(CUdeviceptr p, size_t bytes)
{
    bool is_there = !bytes || in_arena(p) || sw_rt_memory_find(p, NULL);
    return is_there ? SW_OK : SW_E_INVAL;
}

/* The stream is looked at before what is copied. */
#define CHECK_STREAM(handle)                                                   \
    do {                                                                       \
        sw_rt_stream *stream_;                                                 \
        TRY(sw_api_stream(handle, &stream_));                                  \
    } while (0)

CUresult
sw_api_memcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream,
              bool wait)
{
    CHECK_STREAM(stream);
    return linear(dst, src, bytes, stream, wait);
}

CUresult
sw_api_htod(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream,
            bool wait)
{
    CHECK_STREAM(stream);
    TRY(on_device(dst, bytes));
    return linear(dst, host(src), bytes, stream, wait);
}

CUresult
sw_api_dtoh(void *dst, CUdeviceptr src, size_t bytes, CUstream stream,
            bool wait)
{
    CHECK_STREAM(stream);
    TRY(on_device(src, bytes));
    return linear(host(dst), src, bytes, stream, wait);
}

CUresult
sw_api_dtod(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream,
            bool wait)
{
    CHECK_STREAM(stream);
    TRY(on_device(dst, bytes));
    TRY(on_device(src, bytes));
    return linear(dst, src, bytes, stream, wait);
}

CUresult
sw_api_copy_3d(const CUDA_MEMCPY3D *desc, CUstream stream, bool wait)
{
    CHECK_STREAM(stream);
    REQUIRE(desc, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work;
    bool pageable;
    TRY(describe(desc, &work, &pageable));
    if (!work.copy.width)
        return CUDA_SUCCESS;
    return wait ? sw_api_copy(stream, &work, true)
                : async_copy(stream, &work, pageable);
}

CUresult
sw_api_copy_2d(const CUDA_MEMCPY2D *d, CUstream stream, bool wait)
{
    NEED_INIT();
    REQUIRE(d, CUDA_ERROR_INVALID_VALUE);
    const CUDA_MEMCPY3D c = {
        .srcXInBytes = d->srcXInBytes,
        .srcY = d->srcY,
        .srcMemoryType = d->srcMemoryType,
        .srcHost = d->srcHost,
        .srcDevice = d->srcDevice,
        .srcArray = d->srcArray,
        .srcPitch = d->srcPitch,
        .dstXInBytes = d->dstXInBytes,
        .dstY = d->dstY,
        .dstMemoryType = d->dstMemoryType,
        .dstHost = d->dstHost,
        .dstDevice = d->dstDevice,
        .dstArray = d->dstArray,
        .dstPitch = d->dstPitch,
        .WidthInBytes = d->WidthInBytes,
        .Height = d->Height,
        .Depth = 1,
    };
    return sw_api_copy_3d(&c, stream, wait);
}

/* A copy between contexts that waits comes after what they were given before.
 */
static void
wait_for(sw_rt_context *c)
{
    if (c && c != sw_rt_current(NULL))
        sw_rt_context_wait(c);
}

static void
wait_for_owner(uint64_t addr, CUarray array)
{
    const sw_rt_array *a = sw_rt_object_get(array, SW_RT_ARRAY);
    const sw_rt_alloc *m = a ? NULL : sw_rt_memory_find(addr, NULL);
    wait_for(a ? a->context : m ? m->context : NULL);
}

CUresult
sw_api_peer(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream,
            bool wait)
{
    CHECK_STREAM(stream);
    if (wait) {
        wait_for_owner(src, NULL);
        wait_for_owner(dst, NULL);
    }
    return sw_api_dtod(dst, src, bytes, stream, wait);
}

CUresult
sw_api_copy_peer(const CUDA_MEMCPY3D_PEER *d, CUstream stream, bool wait)
{
    NEED_INIT();
    REQUIRE(d, CUDA_ERROR_INVALID_VALUE);
    const CUDA_MEMCPY3D c = {
        .srcXInBytes = d->srcXInBytes,
        .srcY = d->srcY,
        .srcZ = d->srcZ,
        .srcLOD = d->srcLOD,
        .srcMemoryType = d->srcMemoryType,
        .srcHost = d->srcHost,
        .srcDevice = d->srcDevice,
        .srcArray = d->srcArray,
        .srcPitch = d->srcPitch,
        .srcHeight = d->srcHeight,
        .dstXInBytes = d->dstXInBytes,
        .dstY = d->dstY,
        .dstZ = d->dstZ,
        .dstLOD = d->dstLOD,
        .dstMemoryType = d->dstMemoryType,
        .dstHost = d->dstHost,
        .dstDevice = d->dstDevice,
        .dstArray = d->dstArray,
        .dstPitch = d->dstPitch,
        .dstHeight = d->dstHeight,
        .WidthInBytes = d->WidthInBytes,
        .Height = d->Height,
        .Depth = d->Depth,
    };
    CHECK_STREAM(stream);
    if (wait) {
        wait_for_owner(d->srcDevice, d->srcArray);
        wait_for_owner(d->dstDevice, d->dstArray);
    }
    return sw_api_copy_3d(&c, stream, wait);
}

CUresult
sw_api_copy_array(CUarray array, size_t offset, sw_api_side other, size_t bytes,
                  bool to_array, CUstream stream, bool wait)
{
    CUDA_MEMCPY3D c = {.WidthInBytes = bytes, .Height = 1, .Depth = 1};
    if (to_array) {
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = array;
        c.dstXInBytes = offset;
        c.srcMemoryType = other.type;
        c.srcHost = other.host;
        c.srcDevice = other.device;
        c.srcArray = other.array;
        c.srcXInBytes = other.offset;
    } else {
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        c.srcArray = array;
        c.srcXInBytes = offset;
        c.dstMemoryType = other.type;
        c.dstHost = other.host;
        c.dstDevice = other.device;
    }
    return sw_api_copy_3d(&c, stream, wait);
}

/* ---- fills ---- */

CUresult
sw_api_fill(CUdeviceptr dst, size_t pitch, unsigned value, unsigned elem_bytes,
            size_t width, size_t height, CUstream stream, bool wait)
{
    sw_rt_stream *s;
    TRY(sw_api_stream(stream, &s));
    if (!width || !height)
        return CUDA_SUCCESS;
    REQUIRE(dst % elem_bytes == 0, CUDA_ERROR_INVALID_VALUE);
    size_t row = sw_product(width, elem_bytes);
    REQUIRE(height == 1 || (pitch >= row && pitch % elem_bytes == 0),
            CUDA_ERROR_INVALID_VALUE);
    uint64_t span = sw_sum(sw_product(height - 1, pitch), row);
    /* What is captured is not asked where it lies; a launch of the graph is. */
    bool is_there =
        (in_arena(dst) || sw_rt_memory_find(dst, NULL)) && is_good(dst, span);
    REQUIRE(is_there || s->capture, CUDA_ERROR_INVALID_VALUE);
    sw_rt_work work = {.kind = SW_RT_FILL};
    work.fill = (sw_rt_fill){
        .dst = dst,
        .pitch = pitch,
        .slice = pitch * height,
        .width = width,
        .height = height,
        .depth = 1,
        .value = elem_bytes == 1   ? value & 0xff
                 : elem_bytes == 2 ? value & 0xffff
                                   : value,
        .elem_bytes = elem_bytes,
    };
    return sw_api_copy(stream, &work, wait);
}
