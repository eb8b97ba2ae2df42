/* SPDX-License-Identifier: Apache-2.0 */
/* virtual_memory_test.c - addresses reserved, memory created, mapped, shared
 * between addresses. */
#include "api_help.h"

static CUmemAllocationProp
on_device_0(void)
{
    CUmemAllocationProp p = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return p;
}

static CUmemAccessDesc
access_of_0(CUmemAccess_flags flags)
{
    CUmemAccessDesc d = {.flags = flags};
    d.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return d;
}

CASE(memory_grows_at_one_address)
{
    api_fixture f = api_begin();
    CUmemAllocationProp prop = on_device_0(), got;
    CUmemAccessDesc both = access_of_0(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemGenericAllocationHandle h[2];
    CUdeviceptr p;
    size_t page;
    unsigned v[2] = {0, 0};
    unsigned long long flags = 0;
    CHECK_EQ(cuMemGetAllocationGranularity(&page, &prop,
                                           CU_MEM_ALLOC_GRANULARITY_MINIMUM),
             CUDA_SUCCESS);
    CHECK(page && (page & (page - 1)) == 0);
    CHECK_EQ(cuMemAddressReserve(&p, 4 * page, 0, 0, 0), CUDA_SUCCESS);
    for (unsigned i = 0; i < 2; i++) {
        CHECK_EQ(cuMemCreate(&h[i], page, &prop, 0), CUDA_SUCCESS);
        CHECK_EQ(cuMemMap(p + i * page, page, 0, h[i], 0), CUDA_SUCCESS);
        CHECK_EQ(cuMemSetAccess(p + i * page, page, &both, 1), CUDA_SUCCESS);
        CHECK_EQ(cuMemRelease(h[i]), CUDA_SUCCESS);
    }
    CHECK_EQ(cuMemGetAccess(&flags, &both.location, p + page), CUDA_SUCCESS);
    CHECK_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    /* Fills, copies and kernels pass over the seam. */
    CHECK_EQ(cuMemsetD32(p, 7, 2 * page / 4), CUDA_SUCCESS);
    CHECK_EQ(api_add(&f, p + page - 256, 128, 1, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(v, p + page - 4, 8), CUDA_SUCCESS);
    CHECK_EQ(v[0], 8);
    CHECK_EQ(v[1], 8);
    CHECK_EQ(cuMemcpyDtoH(v, p + page + 256, 4), CUDA_SUCCESS);
    CHECK_EQ(v[0], 7);
    CHECK_EQ(cuMemRetainAllocationHandle(&h[0], (void *)(uintptr_t)p),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemGetAllocationPropertiesFromHandle(&got, h[0]), CUDA_SUCCESS);
    CHECK_EQ(got.type, prop.type);
    CHECK_EQ(cuMemRelease(h[0]), CUDA_SUCCESS);
    CHECK_EQ(cuMemUnmap(p, 2 * page), CUDA_SUCCESS);
    CHECK_EQ(cuMemAddressFree(p, 4 * page), CUDA_SUCCESS);
    api_end(&f);
}

CASE(two_addresses_show_one_memory)
{
    api_fixture f = api_begin();
    CUmemAllocationProp prop = on_device_0();
    CUmemAccessDesc both = access_of_0(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    size_t page, before, after, total;
    unsigned v = 0;
    CHECK_EQ(cuMemGetAllocationGranularity(&page, &prop,
                                           CU_MEM_ALLOC_GRANULARITY_MINIMUM),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemGetInfo(&before, &total), CUDA_SUCCESS);
    CHECK_EQ(cuMemCreate(&h, page, &prop, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemGetInfo(&after, &total), CUDA_SUCCESS);
    CHECK(before - after >= page);
    CHECK_EQ(cuMemAddressReserve(&p, 2 * page, 0, 0, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemMap(p, page, 0, h, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemMap(p + page, page, 0, h, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemSetAccess(p, 2 * page, &both, 1), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p + 64, 5, 1), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p + page + 64, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 5);
    CHECK_EQ(cuMemUnmap(p, page), CUDA_SUCCESS);
    CHECK_EQ(cuMemUnmap(p + page, page), CUDA_SUCCESS);
    CHECK_EQ(cuMemRelease(h), CUDA_SUCCESS);
    CHECK_EQ(cuMemAddressFree(p, 2 * page), CUDA_SUCCESS);
    api_end(&f);
}

CASE(what_is_not_mapped_is_refused)
{
    api_fixture f = api_begin();
    CUmemAllocationProp prop = on_device_0();
    CUmemAccessDesc both = access_of_0(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemGenericAllocationHandle h;
    CUdeviceptr p;
    size_t page;
    CHECK_EQ(cuMemGetAllocationGranularity(&page, &prop,
                                           CU_MEM_ALLOC_GRANULARITY_MINIMUM),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemCreate(&h, page + 1, &prop, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemCreate(&h, page, &prop, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAddressReserve(&p, 2 * page, 0, 0, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemSetAccess(p, page, &both, 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemMap(p, 2 * page, 0, h, 0), CUDA_ERROR_NOT_SUPPORTED);
    CHECK_EQ(cuMemMap(p, page, 0, h, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemMap(p, page, 0, h, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemAddressFree(p, 2 * page), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemUnmap(p, page), CUDA_SUCCESS);
    CHECK_EQ(cuMemUnmap(p, page), CUDA_SUCCESS); /* nothing there */
    CHECK_EQ(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMemRelease(h), CUDA_SUCCESS);
    CHECK_EQ(cuMemAddressFree(p, 2 * page), CUDA_SUCCESS);
    api_end(&f);
}
