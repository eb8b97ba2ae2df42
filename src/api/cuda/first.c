/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first.c - entry points of the driver's first generation (before CUDA 3.2):
 * sizes and device addresses have 32 bits. Programs find them by name only;
 * headers have called the second generation since. What would return an address
 * that has no 32 bits returns CUDA_ERROR_OUT_OF_MEMORY: there is no memory that
 * such a program can name.
 */
#include "api/cuda/api.h"

typedef CUdeviceptr_v1 address;

static CUDA_ARRAY_DESCRIPTOR
wide_shape(const CUDA_ARRAY_DESCRIPTOR_v1 *s)
{
    return (CUDA_ARRAY_DESCRIPTOR){s->Width, s->Height, s->Format,
                                   s->NumChannels};
}

#define SIDE(name)                                                             \
    .name##XInBytes = c->name##XInBytes, .name##Y = c->name##Y,                \
    .name##MemoryType = c->name##MemoryType,                                   \
    .name##Host = (void *)(uintptr_t)c->name##Host,                            \
    .name##Device = c->name##Device, .name##Array = c->name##Array,            \
    .name##Pitch = c->name##Pitch
#define DEEP(name)                                                             \
    .name##Z = c->name##Z, .name##LOD = c->name##LOD,                          \
    .name##Height = c->name##Height

static CUDA_MEMCPY2D
wide_copy2d(const CUDA_MEMCPY2D_v1 *c)
{
    return (CUDA_MEMCPY2D){SIDE(src), SIDE(dst),
                           .WidthInBytes = c->WidthInBytes,
                           .Height = c->Height};
}

static CUDA_MEMCPY3D
wide_copy3d(const CUDA_MEMCPY3D_v1 *c)
{
    return (CUDA_MEMCPY3D){SIDE(src),
                           DEEP(src),
                           SIDE(dst),
                           DEEP(dst),
                           .WidthInBytes = c->WidthInBytes,
                           .Height = c->Height,
                           .Depth = c->Depth};
}

/* Gives memory that has been allocated to who has 32 bits for its address. */
static CUresult
give_memory(CUresult status, CUdeviceptr p, address *out)
{
    if (status != CUDA_SUCCESS)
        return status;
    if (p > UINT32_MAX) {
        cuMemFree_v2(p);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = (address)p;
    return CUDA_SUCCESS;
}

/* An address of memory that stays as it is. */
static CUresult
give_address(CUresult status, CUdeviceptr p, address *out)
{
    if (status != CUDA_SUCCESS || !out)
        return status;
    if (p > UINT32_MAX)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = (address)p;
    return CUDA_SUCCESS;
}

static unsigned int
give_size(size_t n)
{
    return n < UINT32_MAX ? (unsigned int)n : UINT32_MAX;
}

static CUresult
set_rows(CUtexref t, const CUDA_ARRAY_DESCRIPTOR_v1 *shape, address p,
         unsigned int pitch)
{
    REQUIRE(shape, CUDA_ERROR_INVALID_VALUE);
    const CUDA_ARRAY_DESCRIPTOR d = wide_shape(shape);
    return cuTexRefSetAddress2D_v2(t, &d, p, pitch);
}

/* FIRST(name, parameters, the second generation's call) */
#define FIRST(name, params, call)                                              \
    CUresult name params                                                       \
    {                                                                          \
        return call;                                                           \
    }

/* clang-format off */
FIRST(cuMemFree, (address p),
      cuMemFree_v2(p))
FIRST(cuMemAllocHost, (void **p, unsigned int n),
      cuMemAllocHost_v2(p, n))
FIRST(cuMemHostRegister, (void *p, size_t n, unsigned int flags),
      cuMemHostRegister_v2(p, n, flags))
FIRST(cuIpcOpenMemHandle, (CUdeviceptr *p, CUipcMemHandle h, unsigned int flags),
      cuIpcOpenMemHandle_v2(p, h, flags))
FIRST(cuMemcpyHtoD, (address dst, const void *src, unsigned int n),
      cuMemcpyHtoD_v2(dst, src, n))
FIRST(cuMemcpyDtoH, (void *dst, address src, unsigned int n),
      cuMemcpyDtoH_v2(dst, src, n))
FIRST(cuMemcpyDtoD, (address dst, address src, unsigned int n),
      cuMemcpyDtoD_v2(dst, src, n))
FIRST(cuMemcpyDtoA, (CUarray dst, unsigned int at, address src, unsigned int n),
      cuMemcpyDtoA_v2(dst, at, src, n))
FIRST(cuMemcpyAtoD, (address dst, CUarray src, unsigned int at, unsigned int n),
      cuMemcpyAtoD_v2(dst, src, at, n))
FIRST(cuMemcpyHtoA, (CUarray dst, unsigned int at, const void *src, unsigned int n),
      cuMemcpyHtoA_v2(dst, at, src, n))
FIRST(cuMemcpyAtoH, (void *dst, CUarray src, unsigned int at, unsigned int n),
      cuMemcpyAtoH_v2(dst, src, at, n))
FIRST(cuMemcpyAtoA, (CUarray dst, unsigned int to, CUarray src, unsigned int from, unsigned int n),
      cuMemcpyAtoA_v2(dst, to, src, from, n))
FIRST(cuMemcpyHtoAAsync, (CUarray dst, unsigned int at, const void *src, unsigned int n, CUstream s),
      cuMemcpyHtoAAsync_v2(dst, at, src, n, s))
FIRST(cuMemcpyAtoHAsync, (void *dst, CUarray src, unsigned int at, unsigned int n, CUstream s),
      cuMemcpyAtoHAsync_v2(dst, src, at, n, s))
FIRST(cuMemcpyHtoDAsync, (address dst, const void *src, unsigned int n, CUstream s),
      cuMemcpyHtoDAsync_v2(dst, src, n, s))
FIRST(cuMemcpyDtoHAsync, (void *dst, address src, unsigned int n, CUstream s),
      cuMemcpyDtoHAsync_v2(dst, src, n, s))
FIRST(cuMemcpyDtoDAsync, (address dst, address src, unsigned int n, CUstream s),
      cuMemcpyDtoDAsync_v2(dst, src, n, s))
FIRST(cuMemsetD8, (address dst, unsigned char v, unsigned int n),
      cuMemsetD8_v2(dst, v, n))
FIRST(cuMemsetD16, (address dst, unsigned short v, unsigned int n),
      cuMemsetD16_v2(dst, v, n))
FIRST(cuMemsetD32, (address dst, unsigned int v, unsigned int n),
      cuMemsetD32_v2(dst, v, n))
FIRST(cuMemsetD2D8, (address dst, unsigned int pitch, unsigned char v, unsigned int w, unsigned int h),
      cuMemsetD2D8_v2(dst, pitch, v, w, h))
FIRST(cuMemsetD2D16, (address dst, unsigned int pitch, unsigned short v, unsigned int w, unsigned int h),
      cuMemsetD2D16_v2(dst, pitch, v, w, h))
FIRST(cuMemsetD2D32, (address dst, unsigned int pitch, unsigned int v, unsigned int w, unsigned int h),
      cuMemsetD2D32_v2(dst, pitch, v, w, h))
FIRST(cuTexRefSetAddress2D, (CUtexref t, const CUDA_ARRAY_DESCRIPTOR_v1 *d, address p, unsigned int pitch),
      set_rows(t, d, p, pitch))
/* clang-format on */

/* These translate a description; the copy is the second generation's. */
#define COPY(name, type, params, wide, call)                                   \
    CUresult name params                                                       \
    {                                                                          \
        REQUIRE(c, CUDA_ERROR_INVALID_VALUE);                                  \
        const type w = wide(c);                                                \
        return call;                                                           \
    }
COPY(cuMemcpy2D, CUDA_MEMCPY2D, (const CUDA_MEMCPY2D_v1 *c), wide_copy2d,
     cuMemcpy2D_v2(&w))
COPY(cuMemcpy2DUnaligned, CUDA_MEMCPY2D, (const CUDA_MEMCPY2D_v1 *c),
     wide_copy2d, cuMemcpy2DUnaligned_v2(&w))
COPY(cuMemcpy2DAsync, CUDA_MEMCPY2D, (const CUDA_MEMCPY2D_v1 *c, CUstream s),
     wide_copy2d, cuMemcpy2DAsync_v2(&w, s))
COPY(cuMemcpy3D, CUDA_MEMCPY3D, (const CUDA_MEMCPY3D_v1 *c), wide_copy3d,
     cuMemcpy3D_v2(&w))
COPY(cuMemcpy3DAsync, CUDA_MEMCPY3D, (const CUDA_MEMCPY3D_v1 *c, CUstream s),
     wide_copy3d, cuMemcpy3DAsync_v2(&w, s))

/* ---- what gives sizes and addresses ---- */

CUresult
cuDeviceTotalMem(unsigned int *bytes, CUdevice dev)
{
    size_t n = 0;
    CUresult status = cuDeviceTotalMem_v2(bytes ? &n : NULL, dev);
    if (status == CUDA_SUCCESS)
        *bytes = give_size(n);
    return status;
}

CUresult
cuMemGetInfo(unsigned int *free, unsigned int *total)
{
    size_t n[2] = {0, 0};
    CUresult status = cuMemGetInfo_v2(&n[0], &n[1]);
    if (status == CUDA_SUCCESS && free)
        *free = give_size(n[0]);
    if (status == CUDA_SUCCESS && total)
        *total = give_size(n[1]);
    return status;
}

CUresult
cuMemAlloc(address *p, unsigned int bytes)
{
    CUdeviceptr wide = 0;
    CUresult status = cuMemAlloc_v2(p ? &wide : NULL, bytes);
    return give_memory(status, wide, p);
}

CUresult
cuMemAllocPitch(address *p, unsigned int *pitch, unsigned int width,
                unsigned int height, unsigned int element)
{
    CUdeviceptr wide = 0;
    size_t wide_pitch = 0;
    CUresult status = cuMemAllocPitch_v2(
        p ? &wide : NULL, pitch ? &wide_pitch : NULL, width, height, element);
    status = give_memory(status, wide, p);
    if (status == CUDA_SUCCESS)
        *pitch = give_size(wide_pitch);
    return status;
}

CUresult
cuMemGetAddressRange(address *base, unsigned int *bytes, address p)
{
    CUdeviceptr wide = 0;
    size_t n = 0;
    CUresult status = cuMemGetAddressRange_v2(&wide, &n, p);
    if (status == CUDA_SUCCESS && bytes)
        *bytes = give_size(n);
    return give_address(status, wide, base);
}

CUresult
cuMemHostGetDevicePointer(address *out, void *p, unsigned int flags)
{
    CUdeviceptr wide = 0;
    CUresult status =
        cuMemHostGetDevicePointer_v2(out ? &wide : NULL, p, flags);
    return give_address(status, wide, out);
}

CUresult
cuModuleGetGlobal(address *p, unsigned int *bytes, CUmodule module,
                  const char *name)
{
    CUdeviceptr wide = 0;
    size_t n = 0;
    CUresult status =
        cuModuleGetGlobal_v2(p ? &wide : NULL, bytes ? &n : NULL, module, name);
    if (status == CUDA_SUCCESS && bytes)
        *bytes = give_size(n);
    return give_address(status, wide, p);
}

CUresult
cuTexRefSetAddress(unsigned int *offset, CUtexref t, address p,
                   unsigned int bytes)
{
    size_t n = 0;
    CUresult status = cuTexRefSetAddress_v2(offset ? &n : NULL, t, p, bytes);
    if (status == CUDA_SUCCESS && offset)
        *offset = (unsigned int)n;
    return status;
}

CUresult
cuTexRefGetAddress(address *p, CUtexref t)
{
    CUdeviceptr wide = 0;
    CUresult status = cuTexRefGetAddress_v2(p ? &wide : NULL, t);
    return give_address(status, wide, p);
}

/* ---- arrays ---- */

CUresult
cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR_v1 *shape)
{
    REQUIRE(shape, CUDA_ERROR_INVALID_VALUE);
    const CUDA_ARRAY_DESCRIPTOR d = wide_shape(shape);
    return cuArrayCreate_v2(array, &d);
}

CUresult
cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1 *shape, CUarray array)
{
    CUDA_ARRAY_DESCRIPTOR d;
    CUresult status = cuArrayGetDescriptor_v2(shape ? &d : NULL, array);
    if (status == CUDA_SUCCESS)
        *shape = (CUDA_ARRAY_DESCRIPTOR_v1){
            give_size(d.Width), give_size(d.Height), d.Format, d.NumChannels};
    return status;
}

CUresult
cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v1 *shape)
{
    REQUIRE(shape, CUDA_ERROR_INVALID_VALUE);
    const CUDA_ARRAY3D_DESCRIPTOR d = {shape->Width,       shape->Height,
                                       shape->Depth,       shape->Format,
                                       shape->NumChannels, shape->Flags};
    return cuArray3DCreate_v2(array, &d);
}

CUresult
cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1 *shape, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult status = cuArray3DGetDescriptor_v2(shape ? &d : NULL, array);
    if (status == CUDA_SUCCESS)
        *shape = (CUDA_ARRAY3D_DESCRIPTOR_v1){
            give_size(d.Width), give_size(d.Height), give_size(d.Depth),
            d.Format,           d.NumChannels,       d.Flags};
    return status;
}
