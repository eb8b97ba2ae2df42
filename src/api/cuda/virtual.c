/* SPDX-License-Identifier: Apache-2.0 */
/* virtual.c - addresses reserved, memory created, the one mapped to the other.
 */
#include <string.h>

#include "api/cuda/api.h"
#include "rt/host.h"

_Static_assert(sizeof(CUmemAllocationProp) <=
                   sizeof(((sw_rt_physical *)0)->note),
               "the properties are kept with the memory");

/* The device of a location that supports this. */
static sw_status
device_of(const CUmemLocation *location, sw_rt_device **out)
{
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        sw_api_device(location->id, out) != SW_OK)
        return SW_E_INVAL;
    return sw_rt_device_get(
               *out, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
               ? SW_OK
               : SW_E_NOT_SUPPORTED;
}

static sw_status
check_prop(const CUmemAllocationProp *prop, sw_rt_device **out)
{
    if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return SW_E_INVAL;
    if (prop->location.type == CU_MEM_LOCATION_TYPE_HOST ||
        (prop->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA &&
         sw_rt_host_has_node(prop->location.id))) {
        *out = sw_rt_device_at(0); /* whose account it is on here */
        return SW_OK;
    }
    return device_of(&prop->location, out);
}

CUresult
cuMemGetAllocationGranularity(size_t *granularity,
                              const CUmemAllocationProp *prop,
                              CUmemAllocationGranularity_flags option)
{
    NEED_INIT();
    REQUIRE(granularity && prop &&
                (unsigned)option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED,
            CUDA_ERROR_INVALID_VALUE);
    *granularity = SW_MEM_PAGE;
    return CUDA_SUCCESS;
}

CUresult
cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment,
                    CUdeviceptr addr, unsigned long long flags)
{
    NEED_INIT();
    /* The address is a wish that is not granted. */
    REQUIRE(ptr && size && size % SW_MEM_PAGE == 0 && !flags &&
                !(alignment & (alignment - 1)) && addr % SW_MEM_PAGE == 0,
            CUDA_ERROR_INVALID_VALUE);
    uint64_t at;
    TRY(sw_rt_virtual_reserve(size, alignment, &at));
    *ptr = at;
    return CUDA_SUCCESS;
}

CUresult
cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    NEED_INIT();
    return sw_api_result(sw_rt_virtual_unreserve(ptr, size));
}

CUresult
cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
            const CUmemAllocationProp *prop, unsigned long long flags)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(handle && size && size % SW_MEM_PAGE == 0 && !flags,
            CUDA_ERROR_INVALID_VALUE);
    if (prop && prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        TRY(sw_api_device(prop->location.id, &d));
    TRY(check_prop(prop, &d));
    unsigned types = (unsigned)prop->requestedHandleTypes;
    const unsigned known =
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
    /* Those of other systems; the rest the driver does not look at. */
    REQUIRE(
        !(types & (CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT)),
        CUDA_ERROR_INVALID_VALUE);
    types &= known;
    /* As where no fabric has been set up. */
    REQUIRE(!(types & CU_MEM_HANDLE_TYPE_FABRIC), CUDA_ERROR_NOT_PERMITTED);
    sw_rt_physical *p;
    TRY(sw_rt_physical_create(d, size, &p));
    memcpy(p->note, prop, sizeof *prop);
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)p;
    return CUDA_SUCCESS;
}

#define PHYSICAL(var, handle)                                                  \
    NEED_INIT();                                                               \
    sw_rt_physical *var =                                                      \
        sw_rt_object_get((void *)(uintptr_t)handle, SW_RT_PHYSICAL);           \
    REQUIRE(var, CUDA_ERROR_INVALID_VALUE)

CUresult
cuMemRelease(CUmemGenericAllocationHandle handle)
{
    PHYSICAL(p, handle);
    sw_rt_physical_unref(p);
    return CUDA_SUCCESS;
}

CUresult
cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
         CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    PHYSICAL(p, handle);
    REQUIRE(!flags, CUDA_ERROR_INVALID_VALUE);
    return sw_api_result(sw_rt_virtual_map(ptr, size, offset, p));
}

CUresult
cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    NEED_INIT();
    sw_rt_context *c = sw_rt_current(NULL);
    if (c)
        sw_rt_context_wait(c); /* whoever uses it still */
    return sw_api_result(sw_rt_virtual_unmap(ptr, size));
}

CUresult
cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
               size_t count)
{
    NEED_INIT();
    REQUIRE(desc && count, CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        sw_rt_device *d;
        REQUIRE(desc[i].location.type != CU_MEM_LOCATION_TYPE_HOST,
                CUDA_ERROR_NOT_SUPPORTED);
        TRY(device_of(&desc[i].location, &d));
        REQUIRE(desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                    desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                    desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
                CUDA_ERROR_INVALID_VALUE);
        TRY(sw_rt_virtual_set_access(sw_rt_current(NULL), ptr, size, d->ordinal,
                                     (int)desc[i].flags));
    }
    return CUDA_SUCCESS;
}

CUresult
cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
               CUdeviceptr ptr)
{
    sw_rt_device *d;
    sw_rt_physical *p;
    int access;
    NEED_INIT();
    REQUIRE(flags && location, CUDA_ERROR_INVALID_VALUE);
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE)
        TRY(sw_api_device(location->id, &d));
    if (location->type == CU_MEM_LOCATION_TYPE_HOST)
        d = sw_rt_device_at(0); /* reaches what a device does */
    else
        TRY(device_of(location, &d));
    if (!sw_rt_virtual_find(ptr, d->ordinal, &p, &access)) {
        /* Of other memory nothing is said. */
        REQUIRE(sw_rt_memory_find(ptr, NULL), CUDA_ERROR_INVALID_VALUE);
        access = 0;
    }
    *flags = (unsigned long long)access;
    return CUDA_SUCCESS;
}

CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                       CUmemGenericAllocationHandle handle)
{
    PHYSICAL(p, handle);
    REQUIRE(prop, CUDA_ERROR_INVALID_VALUE);
    memcpy(prop, p->note, sizeof *prop);
    return CUDA_SUCCESS;
}

CUresult
cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    sw_rt_physical *p;
    int access;
    NEED_INIT();
    REQUIRE(handle &&
                sw_rt_virtual_find((uint64_t)(uintptr_t)addr, 0, &p, &access),
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_object_ref(p);
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)p;
    return CUDA_SUCCESS;
}
