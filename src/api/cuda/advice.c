/* SPDX-License-Identifier: Apache-2.0 */
/* advice.c - prefetches and advice about managed memory, which have no effect
 * here, and what is known of them. */
#include "api/cuda/api.h"
#include "rt/hints.h"
#include "rt/host.h"

enum { PAGE_BYTES = 4096 }; /* what advice is kept by, inside an allocation */

/* The pages of managed memory around the bytes. */
static CUresult
find_range(CUdeviceptr devPtr, size_t count, uint64_t *addr, uint64_t *bytes)
{
    const sw_rt_alloc *a = sw_rt_memory_find(devPtr, NULL);
    REQUIRE(count && a && a->kind == SW_MEM_MANAGED &&
                sw_rt_memory_holds(devPtr, count),
            CUDA_ERROR_INVALID_VALUE);
    uint64_t begin = (devPtr - a->addr) / PAGE_BYTES * PAGE_BYTES;
    uint64_t end = devPtr - a->addr + count + PAGE_BYTES - 1;
    end = end / PAGE_BYTES * PAGE_BYTES;
    if (end > a->bytes)
        end = a->bytes;
    *addr = a->addr + begin;
    *bytes = end - begin;
    return CUDA_SUCCESS;
}

static CUresult
set(CUdeviceptr devPtr, size_t count, void (*change)(sw_rt_hint *, int),
    int arg)
{
    uint64_t addr, bytes;
    CUresult status = find_range(devPtr, count, &addr, &bytes);
    if (status == CUDA_SUCCESS)
        sw_rt_hint_set(addr, bytes, change, arg);
    return status;
}

/* ---- prefetches ---- */

static void
set_prefetched(sw_rt_hint *h, int place)
{
    h->prefetched = place;
}

CUresult
cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                   CUstream hStream)
{
    sw_rt_stream *s;
    ENTER(c);
    (void)c;
    REQUIRE(dstDevice == CU_DEVICE_CPU || sw_rt_device_at(dstDevice),
            CUDA_ERROR_INVALID_DEVICE);
    TRY(sw_api_stream(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    return set(devPtr, count, set_prefetched, dstDevice);
}

/* The place by the driver's older names: an ordinal or CU_DEVICE_CPU. */
static CUresult
place_of(CUmemLocation location, CUresult unknown, int *place)
{
    switch ((int)location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        REQUIRE(sw_rt_device_at(location.id), unknown);
        *place = location.id;
        return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        REQUIRE(sw_rt_host_has_node(location.id), CUDA_ERROR_INVALID_VALUE);
        *place = CU_DEVICE_CPU;
        return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        *place = CU_DEVICE_CPU;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                      unsigned int flags, CUstream hStream)
{
    sw_rt_stream *s;
    int place;
    ENTER(c);
    (void)c;
    REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE);
    CUresult status = place_of(location, CUDA_ERROR_INVALID_DEVICE, &place);
    if (status != CUDA_SUCCESS)
        return status;
    TRY(sw_api_stream(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    return set(devPtr, count, set_prefetched, place);
}

/* ---- advice ---- */

static void
set_read_mostly(sw_rt_hint *h, int on)
{
    h->read_mostly = on;
}

static void
set_preferred(sw_rt_hint *h, int place)
{
    h->preferred = place;
}

static void
add_accessed_by(sw_rt_hint *h, int place)
{
    if (place == CU_DEVICE_CPU)
        h->by_host = true;
    else
        h->by_devices |= UINT64_C(1) << place;
}

static void
remove_accessed_by(sw_rt_hint *h, int place)
{
    if (place == CU_DEVICE_CPU)
        h->by_host = false;
    else
        h->by_devices &= ~(UINT64_C(1) << place);
}

CUresult
cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
            CUdevice device)
{
    ENTER(c);
    TRY(sw_rt_capture_check_unsafe());
    bool is_place = device == CU_DEVICE_CPU || sw_rt_device_at(device);
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
        return set(devPtr, count, set_read_mostly, true);
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        return set(devPtr, count, set_read_mostly, false);
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        REQUIRE(is_place, CUDA_ERROR_INVALID_DEVICE);
        return set(devPtr, count, set_preferred, device);
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        return set(devPtr, count, set_preferred, SW_RT_HINT_NOWHERE);
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
        REQUIRE(is_place, CUDA_ERROR_INVALID_DEVICE);
        return set(devPtr, count, add_accessed_by, device);
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
        REQUIRE(is_place, CUDA_ERROR_INVALID_DEVICE);
        return set(devPtr, count, remove_accessed_by, device);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
               CUmemLocation location)
{
    CUdevice device = CU_DEVICE_CPU;
    switch ((int)advice) { /* of the others the place does not matter */
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
        REQUIRE(location.type != CU_MEM_LOCATION_TYPE_HOST_NUMA &&
                    location.type != CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
                CUDA_ERROR_INVALID_VALUE);
        /* fall through */
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION: {
        CUresult status = place_of(location, CUDA_ERROR_INVALID_VALUE, &device);
        if (status != CUDA_SUCCESS)
            return status;
        break;
    }
    default:
        break;
    }
    return cuMemAdvise(devPtr, count, advice, device);
}

/* ---- what is known ---- */

_Static_assert(SW_RT_HINT_HOST == CU_DEVICE_CPU &&
                   SW_RT_HINT_NOWHERE == CU_DEVICE_INVALID,
               "places have the driver's numbers");

static int
type_of(int place)
{
    return place == CU_DEVICE_INVALID ? CU_MEM_LOCATION_TYPE_INVALID
           : place == CU_DEVICE_CPU   ? CU_MEM_LOCATION_TYPE_HOST
                                      : CU_MEM_LOCATION_TYPE_DEVICE;
}

static void
list_accessed_by(const sw_rt_hint *h, int *out, size_t count)
{
    size_t n = 0;
    for (int d = 0; d < SW_RT_MAX_DEVICES && n < count; d++)
        if (h->by_devices >> d & 1)
            out[n++] = d;
    if (h->by_host && n < count)
        out[n++] = CU_DEVICE_CPU;
    while (n < count)
        out[n++] = CU_DEVICE_INVALID;
}

CUresult
cuMemRangeGetAttribute(void *data, size_t dataSize,
                       CUmem_range_attribute attribute, CUdeviceptr devPtr,
                       size_t count)
{
    uint64_t addr, bytes;
    ENTER(c);
    (void)c;
    REQUIRE(data && dataSize && dataSize % sizeof(int) == 0,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(dataSize == sizeof(int) ||
                attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
            CUDA_ERROR_INVALID_VALUE);
    CUresult status = find_range(devPtr, count, &addr, &bytes);
    if (status != CUDA_SUCCESS)
        return status;
    sw_rt_hint h = sw_rt_hint_get(addr, bytes);
    int *out = data;
    switch ((int)attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *out = h.read_mostly;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        *out = h.preferred;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        *out = h.prefetched;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        *out = type_of(h.preferred);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        *out = type_of(h.prefetched);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        list_accessed_by(&h, out, dataSize / sizeof(int));
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}
