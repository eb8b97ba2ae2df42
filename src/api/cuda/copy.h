/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.h - the few functions behind the many entry points that copy and fill;
 * entry points differ in the default stream and in who waits.
 */
#ifndef SW_API_CUDA_COPY_H
#define SW_API_CUDA_COPY_H
#include "api/cuda/api.h"

CUresult sw_api_memcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                       CUstream stream, bool wait);
CUresult sw_api_htod(CUdeviceptr dst, const void *src, size_t bytes,
                     CUstream stream, bool wait);
CUresult sw_api_dtoh(void *dst, CUdeviceptr src, size_t bytes, CUstream stream,
                     bool wait);
CUresult sw_api_dtod(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                     CUstream stream, bool wait);
/* As dtod; one that waits comes after all that the contexts of both have. */
CUresult sw_api_peer(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                     CUstream stream, bool wait);
CUresult sw_api_copy_2d(const CUDA_MEMCPY2D *d, CUstream stream, bool wait);
CUresult sw_api_copy_3d(const CUDA_MEMCPY3D *d, CUstream stream, bool wait);
CUresult sw_api_copy_peer(const CUDA_MEMCPY3D_PEER *d, CUstream stream,
                          bool wait);

/* What an array is copied from or to. */
typedef struct {
    CUmemorytype type;
    void *host;
    CUdeviceptr device;
    CUarray array;
    size_t offset; /* bytes, of the array */
} sw_api_side;

/* Bytes of a one-dimensional array, from offset. */
CUresult sw_api_copy_array(CUarray array, size_t offset, sw_api_side other,
                           size_t bytes, bool to_array, CUstream stream,
                           bool wait);
CUresult sw_api_fill(CUdeviceptr dst, size_t pitch, unsigned value,
                     unsigned elem_bytes, size_t width, size_t height,
                     CUstream stream, bool wait);
CUresult sw_api_copy(CUstream stream, const sw_rt_work *work, bool wait);
sw_status sw_api_copy_linear(uint64_t dst, uint64_t src, size_t bytes,
                             sw_rt_work *work);

#endif
