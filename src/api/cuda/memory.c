/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - allocations of every kind, pointers and what is known of them. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/cuda/api.h"
#include "rt/share.h"

CUresult
cuMemGetInfo_v2(size_t *free, size_t *total)
{
    ENTER(c);
    size_t got[2];
    sw_rt_memory_info(c->device, &got[0], &got[1]);
    if (free)
        *free = got[0];
    if (total)
        *total = got[1];
    return CUDA_SUCCESS;
}

CUresult
cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    ENTER_UNSAFE(c);
    REQUIRE(dptr && bytesize, CUDA_ERROR_INVALID_VALUE);
    uint64_t addr;
    TRY(sw_rt_memory_alloc(c, SW_MEM_DEVICE, bytesize, 512, 0, &addr));
    *dptr = addr;
    return CUDA_SUCCESS;
}

CUresult
cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes,
                   size_t Height, unsigned int ElementSizeBytes)
{
    ENTER(c);
    REQUIRE(dptr && pPitch && WidthInBytes && Height, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(ElementSizeBytes == 4 || ElementSizeBytes == 8 ||
                ElementSizeBytes == 16,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(WidthInBytes < (size_t)1 << 40 && Height < (size_t)1 << 40,
            CUDA_ERROR_INVALID_VALUE);
    size_t unit = c->device->info->cc < 20 ? 256 : 512;
    size_t pitch = (WidthInBytes + unit - 1) / unit * unit;
    if (Height > UINT64_MAX / 2 / pitch)
        return CUDA_ERROR_OUT_OF_MEMORY;
    uint64_t addr;
    *pPitch = pitch; /* also where there is no memory */
    TRY(sw_rt_capture_check_unsafe());
    TRY(sw_rt_memory_alloc(c, SW_MEM_DEVICE, pitch * Height, 512, 0, &addr));
    *dptr = addr;
    return CUDA_SUCCESS;
}

/* What is freed names its context: none has to be current. *out: NULL if there
 * is no such memory, which for address 0 is an answer if the current context,
 * where there is one, has no error. */
static sw_status
enter_to_free(uint64_t addr, const sw_rt_alloc **out)
{
    sw_rt_context *c;
    if (!sw_rt_is_initialized())
        return SW_E_NOT_INITIALIZED;
    sw_status status = sw_rt_capture_check_unsafe();
    *out = sw_rt_memory_find(addr, NULL);
    if (status != SW_OK)
        return status;
    if (*out)
        return sw_rt_context_error((*out)->context);
    status = sw_api_enter(&c);
    return !addr && status == SW_E_INVALID_CONTEXT ? SW_OK : status;
}

CUresult
cuMemFree_v2(CUdeviceptr dptr)
{
    const sw_rt_alloc *a;
    TRY(enter_to_free(dptr, &a));
    if (!dptr)
        return CUDA_SUCCESS;
    REQUIRE(a && a->addr == dptr, CUDA_ERROR_INVALID_VALUE);
    sw_rt_context_wait(a->context); /* freeing waits for the device */
    return sw_api_result(sw_rt_memory_free(dptr, false));
}

CUresult
cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    ENTER(c);
    (void)c;
    sw_mem_range r;
    REQUIRE(sw_mem_find(dptr, &r) && r.kind != SW_MEM_INTERNAL,
            CUDA_ERROR_NOT_FOUND);
    if (pbase)
        *pbase = r.base;
    if (psize)
        *psize = r.bytes;
    return CUDA_SUCCESS;
}

CUresult
cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    REQUIRE(dptr && bytesize, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST,
            CUDA_ERROR_INVALID_VALUE);
    ENTER_UNSAFE(c);
    REQUIRE(sw_rt_device_get(c->device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY),
            CUDA_ERROR_NOT_SUPPORTED);
    uint64_t addr;
    TRY(sw_rt_memory_alloc(c, SW_MEM_MANAGED, bytesize, 512, flags, &addr));
    *dptr = addr;
    return CUDA_SUCCESS;
}

/* ---- host memory ---- */

CUresult
cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    ENTER_UNSAFE(c);
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE |
                           CU_MEMHOSTALLOC_DEVICEMAP |
                           CU_MEMHOSTALLOC_WRITECOMBINED;
    REQUIRE(pp && (Flags & ~known) == 0, CUDA_ERROR_INVALID_VALUE);
    *pp = NULL;
    if (!bytesize)
        return CUDA_SUCCESS;
    uint64_t addr;
    TRY(sw_rt_memory_alloc(c, SW_MEM_HOST, bytesize, 4096, Flags, &addr));
    *pp = (void *)(uintptr_t)addr;
    return CUDA_SUCCESS;
}

CUresult
cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    return cuMemHostAlloc(pp, bytesize, 0);
}

CUresult
cuMemFreeHost(void *p)
{
    const sw_rt_alloc *a;
    TRY(enter_to_free((uint64_t)(uintptr_t)p, &a));
    if (!p)
        return CUDA_SUCCESS;
    REQUIRE(a, CUDA_ERROR_INVALID_VALUE);
    sw_rt_context_wait(a->context);
    return sw_api_result(sw_rt_memory_free((uint64_t)(uintptr_t)p, true));
}

CUresult
cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    ENTER(c);
    REQUIRE(pdptr && Flags == 0, CUDA_ERROR_INVALID_VALUE);
    const sw_rt_alloc *a = sw_rt_memory_find((uint64_t)(uintptr_t)p, NULL);
    REQUIRE(a && (a->kind == SW_MEM_HOST || a->kind == SW_MEM_REGISTERED),
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(
        sw_rt_device_get(c->device, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY),
        CUDA_ERROR_NOT_SUPPORTED);
    *pdptr = (CUdeviceptr)(uintptr_t)p;
    return CUDA_SUCCESS;
}

CUresult
cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    ENTER(c);
    (void)c;
    REQUIRE(pFlags, CUDA_ERROR_INVALID_VALUE);
    const sw_rt_alloc *a = sw_rt_memory_find((uint64_t)(uintptr_t)p, NULL);
    REQUIRE(a && (a->kind == SW_MEM_HOST || a->kind == SW_MEM_REGISTERED),
            CUDA_ERROR_INVALID_VALUE);
    *pFlags = a->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
}

/* All of it is memory of the program, and not more than there is. */
static sw_status
check_pages(uintptr_t p, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t pages = (size_t)sysconf(_SC_PHYS_PAGES);
    if (bytes / page > pages)
        return SW_E_NOMEM;
    uintptr_t begin = p / page * page;
    /* Does nothing but find holes. */
    return msync((void *)begin, p + bytes - begin, MS_ASYNC) ? SW_E_INVAL
                                                             : SW_OK;
}

CUresult
cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    ENTER_UNSAFE(c);
    const unsigned known =
        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
        CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
    REQUIRE(p && bytesize && !(Flags & ~known), CUDA_ERROR_INVALID_VALUE);
    /* Memory that the driver itself gave cannot be registered. */
    sw_mem_range range;
    bool is_known = sw_mem_find((uint64_t)(uintptr_t)p, &range);
    REQUIRE(!is_known || range.kind == SW_MEM_REGISTERED,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(!is_known, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    /* No device's registers are mapped. */
    REQUIRE(!(Flags & CU_MEMHOSTREGISTER_IOMEMORY), CUDA_ERROR_INVALID_VALUE);
    TRY(check_pages((uintptr_t)p, bytesize));
    return sw_api_result(sw_rt_memory_register(c, p, bytesize, Flags));
}

CUresult
cuMemHostUnregister(void *p)
{
    NEED_INIT();
    TRY(sw_rt_capture_check_unsafe());
    REQUIRE(p, CUDA_ERROR_INVALID_VALUE);
    /* Of what is none's it is said that it is not registered. */
    sw_mem_range r;
    uint64_t addr = (uint64_t)(uintptr_t)p;
    REQUIRE(!sw_mem_find(addr, &r) ||
                (r.kind == SW_MEM_REGISTERED && r.base == addr),
            CUDA_ERROR_INVALID_VALUE);
    const sw_rt_alloc *a = sw_rt_memory_find(addr, NULL);
    if (a) /* which names its context */
        sw_rt_context_wait(a->context);
    return sw_api_result(sw_rt_memory_unregister(p));
}

/* ---- what is known of a pointer ---- */

/* What its memory may be exported as. */
static unsigned long long
handle_types(const sw_rt_alloc *a)
{
    sw_rt_physical *p;
    int access;
    if (a && a->pool)
        return a->pool->handle_types;
    if (!a || !a->is_mapped || !sw_rt_virtual_find(a->addr, 0, &p, &access))
        return 0;
    return (unsigned long long)((const CUmemAllocationProp *)(void *)p->note)
        ->requestedHandleTypes;
}

static CUresult
pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    sw_mem_range r = {0};
    const sw_rt_alloc *a = sw_rt_memory_find(ptr, &r);
    bool is_module = !a && r.kind == SW_MEM_MODULE && r.bytes;
    bool is_host =
        a && (a->kind == SW_MEM_HOST || a->kind == SW_MEM_REGISTERED);
    bool is_managed = a && a->kind == SW_MEM_MANAGED;
    if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED && !a && !is_module)
        return CUDA_ERROR_INVALID_VALUE;
    REQUIRE(a || is_module, CUDA_ERROR_INVALID_VALUE);
    bool is_plain = a && a->kind == SW_MEM_DEVICE && !a->is_mapped && !a->pool;
    uint64_t range_base = r.base, range_bytes = r.bytes;
    if (a && a->is_mapped)
        sw_rt_virtual_reserved(ptr, &range_base, &range_bytes);
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = a ? (CUcontext)a->context : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = ptr;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        REQUIRE(is_host || is_managed, CUDA_ERROR_INVALID_VALUE);
        *(void **)data = (void *)(uintptr_t)ptr;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS: { /* no other driver takes them */
        REQUIRE(is_plain || is_managed, CUDA_ERROR_INVALID_VALUE);
        CUDA_POINTER_ATTRIBUTE_P2P_TOKENS *tokens = data;
        memset(tokens, 0, sizeof *tokens);
        return CUDA_SUCCESS;
    }
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)data = a && a->sync_memops;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)data = r.serial;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = is_managed;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = r.device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(unsigned *)data = a && sw_rt_share_is_possible(a);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE: /* it might be there */
        *(unsigned *)data = is_plain;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = range_base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *(CUdeviceptr *)data = r.base / SW_MEM_PAGE * SW_MEM_PAGE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = range_bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        *(size_t *)data = (r.base % SW_MEM_PAGE + r.bytes + SW_MEM_PAGE - 1) /
                          SW_MEM_PAGE * SW_MEM_PAGE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(unsigned long long *)data = handle_types(a);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(unsigned *)data = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data = a ? (CUmemoryPool)a->pool : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        *(unsigned long long *)data = r.serial;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                      CUdeviceptr ptr)
{
    NEED_INIT();
    REQUIRE(data && ptr, CUDA_ERROR_INVALID_VALUE);
    return pointer_attribute(data, attribute, ptr);
}

/* Here an unknown pointer is an answer: zeros. */
CUresult
cuPointerGetAttributes(unsigned int numAttributes,
                       CUpointer_attribute *attributes, void **data,
                       CUdeviceptr ptr)
{
    NEED_INIT();
    REQUIRE(numAttributes && attributes && data, CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < numAttributes; i++) {
        REQUIRE(data[i] && attributes[i] >= CU_POINTER_ATTRIBUTE_CONTEXT &&
                    attributes[i] <=
                        CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE,
                CUDA_ERROR_INVALID_VALUE);
        if (pointer_attribute(data[i], attributes[i], ptr) == CUDA_SUCCESS)
            continue;
        switch ((int)attributes[i]) {
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *(int *)data[i] = -2;
            break;
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_MAPPED:
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
            *(unsigned *)data[i] = 0;
            break;
        default:
            memset(data[i], 0, 8);
        }
    }
    return CUDA_SUCCESS;
}

CUresult
cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                      CUdeviceptr ptr)
{
    NEED_INIT();
    TRY(sw_rt_capture_check_unsafe());
    sw_mem_range r;
    const sw_rt_alloc *a = sw_rt_memory_find(ptr, &r);
    REQUIRE(value && a && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(!a->is_mapped, CUDA_ERROR_NOT_SUPPORTED);
    ((sw_rt_alloc *)r.user)->sync_memops = *(const unsigned *)value != 0;
    return CUDA_SUCCESS;
}
