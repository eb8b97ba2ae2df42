/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_entries.c - the entry points of copy.c: synchronous ones on the legacy
 * or (_ptds) the thread's stream, asynchronous ones on a given stream, where
 * 0 is the legacy or (_ptsz) the thread's.
 */
#include "api/cuda/copy.h"

#define LEGACY NULL
#define THREAD ((CUstream)2)
#define OWN(s) ((s) ? (s) : THREAD)

/* The other side of an array's copy. */
static sw_api_side
host_side(const void *p)
{
    return (sw_api_side){.type = CU_MEMORYTYPE_HOST,
                         .host = (void *)(uintptr_t)p};
}

static sw_api_side
device_side(CUdeviceptr p)
{
    return (sw_api_side){.type = CU_MEMORYTYPE_DEVICE, .device = p};
}

static sw_api_side
array_side(CUarray array, size_t offset)
{
    return (sw_api_side){
        .type = CU_MEMORYTYPE_ARRAY, .array = array, .offset = offset};
}

/* SYNC, ASYNC(name, parameters, function, arguments without the last two) */
#define SYNC(name, params, fn, ...)                                            \
    CUresult name params                                                       \
    {                                                                          \
        return fn(__VA_ARGS__, LEGACY, true);                                  \
    }                                                                          \
    CUresult name##_ptds params                                                \
    {                                                                          \
        return fn(__VA_ARGS__, THREAD, true);                                  \
    }
#define ASYNC(name, params, fn, ...)                                           \
    CUresult name params                                                       \
    {                                                                          \
        return fn(__VA_ARGS__, hStream, false);                                \
    }                                                                          \
    CUresult name##_ptsz params                                                \
    {                                                                          \
        return fn(__VA_ARGS__, OWN(hStream), false);                           \
    }

/* clang-format off */
SYNC(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t n),
     sw_api_memcpy, dst, src, n)
SYNC(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t n),
     sw_api_htod, dst, src, n)
SYNC(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t n),
     sw_api_dtoh, dst, src, n)
SYNC(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t n),
     sw_api_dtod, dst, src, n)
SYNC(cuMemcpyPeer, (CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src,
                    CUcontext src_ctx, size_t n),
     sw_api_peer, ((void)dst_ctx, dst), ((void)src_ctx, src), n)
SYNC(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *c), sw_api_copy_2d, c)
SYNC(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *c), sw_api_copy_2d, c)
SYNC(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *c), sw_api_copy_3d, c)
SYNC(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *c), sw_api_copy_peer, c)
SYNC(cuMemcpyDtoA_v2, (CUarray dst, size_t offset, CUdeviceptr src, size_t n),
     sw_api_copy_array, dst, offset, device_side(src), n, true)
SYNC(cuMemcpyAtoD_v2, (CUdeviceptr dst, CUarray src, size_t offset, size_t n),
     sw_api_copy_array, src, offset, device_side(dst), n, false)
SYNC(cuMemcpyHtoA_v2, (CUarray dst, size_t offset, const void *src, size_t n),
     sw_api_copy_array, dst, offset, host_side(src), n, true)
SYNC(cuMemcpyAtoH_v2, (void *dst, CUarray src, size_t offset, size_t n),
     sw_api_copy_array, src, offset, host_side(dst), n, false)
SYNC(cuMemcpyAtoA_v2, (CUarray dst, size_t dst_offset, CUarray src,
                       size_t src_offset, size_t n),
     sw_api_copy_array, dst, dst_offset, array_side(src, src_offset), n, true)
SYNC(cuMemsetD8_v2, (CUdeviceptr dst, unsigned char v, size_t n),
     sw_api_fill, dst, 0, v, 1, n, 1)
SYNC(cuMemsetD16_v2, (CUdeviceptr dst, unsigned short v, size_t n),
     sw_api_fill, dst, 0, v, 2, n, 1)
SYNC(cuMemsetD32_v2, (CUdeviceptr dst, unsigned int v, size_t n),
     sw_api_fill, dst, 0, v, 4, n, 1)
SYNC(cuMemsetD2D8_v2, (CUdeviceptr dst, size_t pitch, unsigned char v,
                       size_t w, size_t h),
     sw_api_fill, dst, pitch, v, 1, w, h)
SYNC(cuMemsetD2D16_v2, (CUdeviceptr dst, size_t pitch, unsigned short v,
                        size_t w, size_t h),
     sw_api_fill, dst, pitch, v, 2, w, h)
SYNC(cuMemsetD2D32_v2, (CUdeviceptr dst, size_t pitch, unsigned int v,
                        size_t w, size_t h),
     sw_api_fill, dst, pitch, v, 4, w, h)

ASYNC(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t n,
                      CUstream hStream),
      sw_api_memcpy, dst, src, n)
ASYNC(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t n,
                             CUstream hStream),
      sw_api_htod, dst, src, n)
ASYNC(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t n,
                             CUstream hStream),
      sw_api_dtoh, dst, src, n)
ASYNC(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t n,
                             CUstream hStream),
      sw_api_dtod, dst, src, n)
ASYNC(cuMemcpyPeerAsync, (CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src,
                          CUcontext src_ctx, size_t n, CUstream hStream),
      sw_api_dtod, ((void)dst_ctx, dst), ((void)src_ctx, src), n)
ASYNC(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *c, CUstream hStream),
      sw_api_copy_2d, c)
ASYNC(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *c, CUstream hStream),
      sw_api_copy_3d, c)
ASYNC(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER *c, CUstream hStream),
      sw_api_copy_peer, c)
ASYNC(cuMemcpyHtoAAsync_v2, (CUarray dst, size_t offset, const void *src,
                             size_t n, CUstream hStream),
      sw_api_copy_array, dst, offset, host_side(src), n, true)
ASYNC(cuMemcpyAtoHAsync_v2, (void *dst, CUarray src, size_t offset, size_t n,
                             CUstream hStream),
      sw_api_copy_array, src, offset, host_side(dst), n, false)
ASYNC(cuMemsetD8Async, (CUdeviceptr dst, unsigned char v, size_t n,
                        CUstream hStream),
      sw_api_fill, dst, 0, v, 1, n, 1)
ASYNC(cuMemsetD16Async, (CUdeviceptr dst, unsigned short v, size_t n,
                         CUstream hStream),
      sw_api_fill, dst, 0, v, 2, n, 1)
ASYNC(cuMemsetD32Async, (CUdeviceptr dst, unsigned int v, size_t n,
                         CUstream hStream),
      sw_api_fill, dst, 0, v, 4, n, 1)
ASYNC(cuMemsetD2D8Async, (CUdeviceptr dst, size_t pitch, unsigned char v,
                          size_t w, size_t h, CUstream hStream),
      sw_api_fill, dst, pitch, v, 1, w, h)
ASYNC(cuMemsetD2D16Async, (CUdeviceptr dst, size_t pitch, unsigned short v,
                           size_t w, size_t h, CUstream hStream),
      sw_api_fill, dst, pitch, v, 2, w, h)
ASYNC(cuMemsetD2D32Async, (CUdeviceptr dst, size_t pitch, unsigned int v,
                           size_t w, size_t h, CUstream hStream),
      sw_api_fill, dst, pitch, v, 4, w, h)
/* clang-format on */
