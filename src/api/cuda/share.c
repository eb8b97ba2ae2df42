/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - what processes of one machine share: handles and descriptors of
 * memory, pools and events. */
#include "rt/share.h"

#include "api/cuda/api.h"

_Static_assert(sizeof(CUipcMemHandle) == SW_RT_HANDLE_BYTES &&
                   sizeof(CUipcEventHandle) == SW_RT_HANDLE_BYTES &&
                   sizeof(CUmemPoolPtrExportData) == SW_RT_HANDLE_BYTES,
               "all handles are alike");

CUresult
cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    ENTER(c);
    (void)c;
    REQUIRE(pHandle, CUDA_ERROR_INVALID_VALUE);
    return sw_api_result(sw_rt_share_memory(dptr, pHandle));
}

CUresult
cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle,
                      unsigned int Flags)
{
    ENTER(c);
    REQUIRE(pdptr && Flags == CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS,
            CUDA_ERROR_INVALID_VALUE);
    uint64_t addr;
    TRY(sw_rt_share_open(c, &handle, &addr));
    *pdptr = addr;
    return CUDA_SUCCESS;
}

CUresult
cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    ENTER(c);
    sw_rt_context_wait(c); /* whoever uses it still */
    return sw_api_result(sw_rt_share_close(dptr));
}

CUresult
cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
    ENTER(c);
    (void)c;
    REQUIRE(pHandle && event, CUDA_ERROR_INVALID_VALUE);
    sw_rt_event *e = sw_rt_object_get(event, SW_RT_EVENT);
    REQUIRE(e && e->shared, CUDA_ERROR_INVALID_HANDLE);
    return sw_api_result(sw_rt_shared_event_export(e->shared, pHandle));
}

CUresult
cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
    ENTER(c);
    sw_rt_shared_event *shared;
    REQUIRE(phEvent, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_rt_shared_event_open(&handle, &shared));
    *phEvent = (CUevent)sw_rt_event_create(
        c, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS, true, false,
        shared);
    return CUDA_SUCCESS;
}

/* ---- memory without an address ---- */

CUresult
cuMemExportToShareableHandle(void *shareableHandle,
                             CUmemGenericAllocationHandle handle,
                             CUmemAllocationHandleType handleType,
                             unsigned long long flags)
{
    NEED_INIT();
    sw_rt_physical *p =
        sw_rt_object_get((void *)(uintptr_t)handle, SW_RT_PHYSICAL);
    REQUIRE(p && shareableHandle && !flags && !p->is_imported &&
                handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            CUDA_ERROR_INVALID_VALUE);
    const CUmemAllocationProp *prop = (const void *)p->note;
    REQUIRE(prop->requestedHandleTypes & handleType, CUDA_ERROR_INVALID_VALUE);
    return sw_api_result(sw_rt_physical_export(p, shareableHandle));
}

/* The types of what can be imported; of the others the first is unknown, and
 * the rest are of other systems. */
static CUresult
check_type(CUmemAllocationHandleType type)
{
    REQUIRE(type != CU_MEM_HANDLE_TYPE_NONE &&
                type <= CU_MEM_HANDLE_TYPE_FABRIC,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
}

CUresult
cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
                               void *osHandle,
                               CUmemAllocationHandleType shHandleType)
{
    NEED_INIT();
    REQUIRE(handle, CUDA_ERROR_INVALID_VALUE);
    CUresult status = check_type(shHandleType);
    if (status != CUDA_SUCCESS)
        return status;
    sw_rt_physical *p;
    TRY(sw_rt_physical_import((int)(uintptr_t)osHandle, &p));
    CUmemAllocationProp prop = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                     .id = p->device->ordinal}};
    *(CUmemAllocationProp *)(void *)p->note = prop;
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)p;
    return CUDA_SUCCESS;
}

/* ---- pools ---- */

CUresult
cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                 CUmemAllocationHandleType handleType,
                                 unsigned long long flags)
{
    POOL(p, pool);
    REQUIRE(handle_out && !flags && p->handle_types & (unsigned)handleType,
            CUDA_ERROR_INVALID_VALUE);
    if (handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return sw_api_unsupported("a memory pool exported to a fabric");
    return sw_api_result(sw_rt_pool_export(p, handle_out));
}

CUresult
cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                   CUmemAllocationHandleType handleType,
                                   unsigned long long flags)
{
    NEED_INIT();
    REQUIRE(pool_out && !flags, CUDA_ERROR_INVALID_VALUE);
    CUresult status = check_type(handleType);
    if (status != CUDA_SUCCESS)
        return status;
    sw_rt_pool *p;
    TRY(sw_rt_pool_import((int)(uintptr_t)handle, &p));
    *pool_out = (CUmemoryPool)p;
    return CUDA_SUCCESS;
}

CUresult
cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
    ENTER(c);
    (void)c;
    REQUIRE(shareData_out, CUDA_ERROR_INVALID_VALUE);
    return sw_api_result(sw_rt_pool_export_pointer(ptr, shareData_out));
}

CUresult
cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
                       CUmemPoolPtrExportData *shareData)
{
    ENTER(c);
    POOL(p, pool);
    REQUIRE(ptr_out && shareData, CUDA_ERROR_INVALID_VALUE);
    uint64_t addr;
    TRY(sw_rt_pool_import_pointer(p, c, shareData, &addr));
    *ptr_out = addr;
    return CUDA_SUCCESS;
}
