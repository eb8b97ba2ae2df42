/* SPDX-License-Identifier: Apache-2.0 */
/* memory_test.c - allocations, copies of every shape, pointers, arguments. */
#include "api_help.h"

CASE(allocations_refuse_bad_arguments)
{
    api_fixture f = api_begin();
    CUdeviceptr p;
    size_t pitch, free, total;
    void *h;
    CHECK_EQ(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemAlloc(NULL, 4), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemGetInfo(&free, &total), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
    CHECK_EQ(cuMemAllocPitch(&p, &pitch, 100, 10, 3), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemFree(0x1000), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemHostAlloc(&h, 16, 0x80), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemAlloc(&p, 1 << 20), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(p + 4), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemFree(0), CUDA_SUCCESS);
    api_end(&f);
}

CASE(copies_stay_inside_allocations)
{
    api_fixture f = api_begin();
    CUdeviceptr p;
    char h[64] = {0};
    CHECK_EQ(cuMemAlloc(&p, 32), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, h, 64), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyDtoH(h, p + 1, 32), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemsetD8(p, 1, 33), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemsetD32(p + 2, 1, 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyHtoD(p, h, 32), CUDA_SUCCESS);
    api_end(&f);
}

/* Sizes whose products or sums do not fit 64 bits. */
CASE(nothing_wraps_around)
{
    api_fixture f = api_begin();
    const size_t far = (size_t)1 << 34, most = SIZE_MAX;
    CUdeviceptr p;
    CUarray a;
    char h[256] = {0};
    CUDA_ARRAY_DESCRIPTOR shape = {16, 4, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CHECK_EQ(cuMemAlloc(&p, 256), CUDA_SUCCESS);
    CHECK_EQ(cuArrayCreate(&a, &shape), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD2D8(p, 1 << 30, 0, 4, far + 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemsetD2D32(p, 102, 0, 4, 2), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemsetD2D16(p, 101, 0, 4, 2), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemsetD2D32(p, 102, 0, 4, 1), CUDA_SUCCESS);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = p,
                       .srcPitch = 1 << 30,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = h,
                       .dstPitch = 1 << 30,
                       .WidthInBytes = 4,
                       .Height = far + 1};
    CHECK_EQ(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c.Height = 2;
    c.srcPitch = c.dstPitch = 64;
    c.srcY = (size_t)1 << 58;
    CHECK_EQ(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyAtoH(h, a, most - 3, 8), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyAtoH(h, a, 8, most - 4), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyHtoA(a, most - 3, h, 8), CUDA_ERROR_INVALID_VALUE);
    c = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                        .srcArray = a,
                        .srcY = most,
                        .dstMemoryType = CU_MEMORYTYPE_HOST,
                        .dstHost = h,
                        .WidthInBytes = 4,
                        .Height = 2};
    CHECK_EQ(cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c.srcY = 2;
    CHECK_EQ(cuMemcpy2D(&c), CUDA_SUCCESS);
    CHECK_EQ(cuArrayDestroy(a), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    api_end(&f);
}

CASE(a_pitched_copy_moves_rows)
{
    api_fixture f = api_begin();
    enum { W = 20, H = 7 };
    unsigned char in[H][W], out[H][W] = {{0}};
    CUdeviceptr p;
    size_t pitch;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            in[y][x] = (unsigned char)(y * W + x);
    CHECK_EQ(cuMemAllocPitch(&p, &pitch, W, H, 4), CUDA_SUCCESS);
    CHECK(pitch >= W && pitch % 32 == 0);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = in,
                       .srcPitch = W,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = p,
                       .dstPitch = pitch,
                       .WidthInBytes = W,
                       .Height = H};
    CHECK_EQ(cuMemcpy2D(&c), CUDA_SUCCESS);
    CUDA_MEMCPY2D d = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = p,
                       .srcPitch = pitch,
                       .srcXInBytes = 4,
                       .srcY = 2,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = out,
                       .dstPitch = W,
                       .WidthInBytes = 8,
                       .Height = 3};
    CHECK_EQ(cuMemcpy2D(&d), CUDA_SUCCESS);
    unsigned wrong = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            wrong += out[y][x] != (x < 8 && y < 3 ? in[y + 2][x + 4] : 0);
    CHECK_EQ(wrong, 0);
    api_end(&f);
}

CASE(an_array_takes_and_gives_back)
{
    api_fixture f = api_begin();
    enum { W = 8, H = 4 };
    float in[H][W], out[H][W] = {{0}};
    CUarray a;
    CUDA_ARRAY_DESCRIPTOR d = {.Width = W,
                               .Height = H,
                               .Format = CU_AD_FORMAT_FLOAT,
                               .NumChannels = 1},
                          got;
    for (int i = 0; i < W * H; i++)
        in[i / W][i % W] = (float)i;
    CHECK_EQ(cuArrayCreate(&a, &d), CUDA_SUCCESS);
    CHECK_EQ(cuArrayGetDescriptor(&got, a), CUDA_SUCCESS);
    CHECK_EQ(got.Width, W);
    CHECK_EQ(got.Height, H);
    CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = in,
                       .srcPitch = sizeof in[0],
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = sizeof in[0],
                       .Height = H};
    CHECK_EQ(cuMemcpy2D(&c), CUDA_SUCCESS);
    CUDA_MEMCPY2D r = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                       .srcArray = a,
                       .dstMemoryType = CU_MEMORYTYPE_HOST,
                       .dstHost = out,
                       .dstPitch = sizeof out[0],
                       .WidthInBytes = sizeof out[0],
                       .Height = H};
    CHECK_EQ(cuMemcpy2D(&r), CUDA_SUCCESS);
    CHECK_EQ(memcmp(in, out, sizeof in), 0);
    r.Height = H + 1;
    CHECK_EQ(cuMemcpy2D(&r), CUDA_ERROR_INVALID_VALUE);
    d.NumChannels = 3;
    CUarray bad;
    CHECK_EQ(cuArrayCreate(&bad, &d), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuArrayDestroy(a), CUDA_SUCCESS);
    CHECK_EQ(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    api_end(&f);
}

/* One side of these is the device's, whatever is at the address. */
CASE(arrays_and_device_memory)
{
    api_fixture f = api_begin();
    CUarray a;
    CUDA_ARRAY_DESCRIPTOR shape = {64, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    char h[64];
    CHECK_EQ(cuArrayCreate(&a, &shape), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyAtoD(0x1000, a, 0, 64), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyDtoA(a, 0, 0x1000, 64), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyAtoD((CUdeviceptr)h, a, 0, 64), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyDtoA(a, 0, (CUdeviceptr)h, 64), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemcpyHtoA(a, 0, h, 64), CUDA_SUCCESS);
    CHECK_EQ(cuArrayDestroy(a), CUDA_SUCCESS);
    api_end(&f);
}

/* Levels whose bytes have no 64 bits. */
CASE(levels_have_the_devices_limits)
{
    api_fixture f = api_begin();
    CUmipmappedArray m;
    CUDA_ARRAY3D_DESCRIPTOR huge = {.Width = 1 << 28,
                                    .Height = 1 << 28,
                                    .Depth = 1 << 28,
                                    .Format = CU_AD_FORMAT_FLOAT,
                                    .NumChannels = 4};
    CHECK_EQ(cuMipmappedArrayCreate(&m, &huge, 2), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

CASE(fills_of_every_width)
{
    api_fixture f = api_begin();
    CUdeviceptr p;
    unsigned v[2] = {0, 0};
    CHECK_EQ(cuMemAlloc(&p, 8), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 0x01020304, 2), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD8(p, 0xff, 1), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD16(p + 4, 0xbeef, 1), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(v, p, 8), CUDA_SUCCESS);
    CHECK_EQ(v[0], 0x010203ff);
    CHECK_EQ(v[1], 0x0102beef);
    api_end(&f);
}

CASE(pointers_know_where_they_are)
{
    api_fixture f = api_begin();
    CUdeviceptr p, base;
    size_t bytes;
    unsigned type = 0;
    void *h;
    int local;
    CHECK_EQ(cuMemAlloc(&p, 1000), CUDA_SUCCESS);
    CHECK_EQ(cuMemGetAddressRange(&base, &bytes, p + 100), CUDA_SUCCESS);
    CHECK_EQ(base, p);
    CHECK_EQ(bytes, 1000);
    CHECK_EQ(
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 5),
        CUDA_SUCCESS);
    CHECK_EQ(type, CU_MEMORYTYPE_DEVICE);
    CHECK_EQ(cuMemAllocHost(&h, 64), CUDA_SUCCESS);
    CHECK_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   (CUdeviceptr)(uintptr_t)h),
             CUDA_SUCCESS);
    CHECK_EQ(type, CU_MEMORYTYPE_HOST);
    CHECK_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   (CUdeviceptr)(uintptr_t)&local),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemFreeHost(h), CUDA_SUCCESS);
    api_end(&f);
}

CASE(memory_in_use_is_counted)
{
    api_fixture f = api_begin();
    size_t before, after, total;
    CUdeviceptr p;
    CHECK_EQ(cuMemGetInfo(&before, &total), CUDA_SUCCESS);
    CHECK(before <= total);
    CHECK_EQ(cuMemAlloc(&p, 64 << 20), CUDA_SUCCESS);
    CHECK_EQ(cuMemGetInfo(&after, &total), CUDA_SUCCESS);
    CHECK_EQ(before - after, 64 << 20);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    CHECK_EQ(cuMemGetInfo(&after, &total), CUDA_SUCCESS);
    CHECK_EQ(before, after);
    api_end(&f);
}

CASE(a_stream_frees_in_its_order)
{
    api_fixture f = api_begin();
    CUstream s;
    CUdeviceptr p;
    unsigned v = 0;
    CHECK_EQ(cuStreamCreate(&s, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocAsync(&p, 4, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32Async(p, 2, 1, s), CUDA_SUCCESS);
    CHECK_EQ(api_slow(&f, p, 1, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoHAsync(&v, p, 4, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeAsync(p, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(v, 7);
    CHECK_EQ(cuMemFreeAsync(p, s), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

static int
range_attribute(CUmem_range_attribute attribute, CUdeviceptr p, size_t bytes)
{
    int v = 77;
    CHECK_EQ(cuMemRangeGetAttribute(&v, 4, attribute, p, bytes), CUDA_SUCCESS);
    return v;
}

CASE(advice_is_kept_by_range)
{
    enum { PAGE = 4096 };
    api_fixture f = api_begin();
    CUdeviceptr p, other;
    CHECK_EQ(cuMemAllocManaged(&p, 4 * PAGE, CU_MEM_ATTACH_GLOBAL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocManaged(&other, 64, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    const CUmem_range_attribute
        mostly = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
        preferred = CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
        prefetched = CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
    CHECK_EQ(range_attribute(mostly, p, 4 * PAGE), 0);
    CHECK_EQ(range_attribute(preferred, p, 4 * PAGE), CU_DEVICE_INVALID);
    /* A byte is its page. */
    CHECK_EQ(cuMemAdvise(p + PAGE + 5, 1, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
             CUDA_SUCCESS);
    CHECK_EQ(range_attribute(mostly, p + PAGE, PAGE), 1);
    CHECK_EQ(range_attribute(mostly, p + PAGE, PAGE + 1), 0);
    CHECK_EQ(cuMemAdvise(p, PAGE, CU_MEM_ADVISE_SET_READ_MOSTLY, 0),
             CUDA_SUCCESS);
    CHECK_EQ(range_attribute(mostly, p, 2 * PAGE), 1);
    CHECK_EQ(cuMemAdvise(p, 2 * PAGE, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0),
             CUDA_SUCCESS);
    CHECK_EQ(range_attribute(mostly, p, PAGE), 0);

    CHECK_EQ(cuMemAdvise(p, 4 * PAGE, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
                         CU_DEVICE_CPU),
             CUDA_SUCCESS);
    CHECK_EQ(range_attribute(preferred, p, 4 * PAGE), CU_DEVICE_CPU);
    CHECK_EQ(range_attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, p,
                             4 * PAGE),
             CU_MEM_LOCATION_TYPE_HOST);
    CHECK_EQ(
        cuMemAdvise(p + PAGE, PAGE, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0),
        CUDA_SUCCESS);
    CHECK_EQ(range_attribute(preferred, p, 4 * PAGE), CU_DEVICE_INVALID);
    CHECK_EQ(range_attribute(preferred, p + PAGE, PAGE), 0);
    CHECK_EQ(range_attribute(preferred, p + 2 * PAGE, PAGE), CU_DEVICE_CPU);

    CHECK_EQ(range_attribute(prefetched, p, PAGE), CU_DEVICE_INVALID);
    CHECK_EQ(cuMemPrefetchAsync(p, 2 * PAGE, 0, NULL), CUDA_SUCCESS);
    CHECK_EQ(range_attribute(prefetched, p, 2 * PAGE), 0);
    CHECK_EQ(range_attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
                             p, 2 * PAGE),
             CU_MEM_LOCATION_TYPE_DEVICE);
    CHECK_EQ(range_attribute(prefetched, p, 3 * PAGE), CU_DEVICE_INVALID);

    int by[3];
    CHECK_EQ(cuMemAdvise(p, 4 * PAGE, CU_MEM_ADVISE_SET_ACCESSED_BY, 0),
             CUDA_SUCCESS);
    CHECK_EQ(
        cuMemAdvise(p, 4 * PAGE, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU),
        CUDA_SUCCESS);
    CHECK_EQ(cuMemRangeGetAttribute(by, sizeof by,
                                    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p,
                                    4 * PAGE),
             CUDA_SUCCESS);
    CHECK_EQ(by[0] + by[1], 0 + CU_DEVICE_CPU);
    CHECK_EQ(by[2], CU_DEVICE_INVALID);
    CHECK_EQ(cuMemAdvise(p, PAGE, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 0),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemRangeGetAttribute(by, sizeof by,
                                    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p,
                                    4 * PAGE),
             CUDA_SUCCESS);
    CHECK_EQ(by[0], CU_DEVICE_CPU);
    CHECK_EQ(by[1], CU_DEVICE_INVALID);

    CHECK_EQ(range_attribute(preferred, other, 64), CU_DEVICE_INVALID);
    CHECK_EQ(cuMemRangeGetAttribute(by, 8, mostly, p, PAGE),
             CUDA_ERROR_INVALID_VALUE);
    /* What was said of memory ends with it. */
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocManaged(&p, 4 * PAGE, CU_MEM_ATTACH_GLOBAL),
             CUDA_SUCCESS);
    CHECK_EQ(range_attribute(preferred, p + 2 * PAGE, PAGE), CU_DEVICE_INVALID);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(other), CUDA_SUCCESS);
    api_end(&f);
}
