/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - kernel launches in all their forms. */
#include <string.h>

#include "api/cuda/graph.h"
#include "api/cuda/library.h"
#include "device/launch.h"

sw_status
sw_api_kernel(const void *handle, sw_rt_kernel **kernel)
{
    *kernel = sw_rt_object_get(handle, SW_RT_KERNEL);
    if (*kernel)
        return SW_OK;
    return sw_api_library_kernel(handle, kernel);
}

/* The kernel's parameter block from an array of pointers or a packed buffer. */
static sw_status
gather(const sw_rt_kernel *k, void **params, void **extra, unsigned char *out)
{
    uint32_t bytes = sw_rt_kernel_param_bytes(k);
    if (params && extra)
        return SW_E_INVAL;
    if (extra) {
        const void *buffer = NULL;
        size_t size = 0;
        for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
            if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
                buffer = extra[i + 1];
            else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
                size = *(const size_t *)extra[i + 1];
            else
                return SW_E_INVAL;
        }
        if (bytes && (!buffer || !size))
            return SW_E_INVAL;
        if (size > bytes) /* as an H100 answers */
            return SW_E_LAUNCH_OUT_OF_RESOURCES;
        if (size)
            memcpy(out, buffer, size);
        memset(out + size, 0, bytes - size);
        return SW_OK;
    }
    if (!params)
        return k->fn->param_count ? SW_E_INVAL : SW_OK;
    uint32_t offset, n;
    for (uint32_t i = 0; sw_rt_kernel_param(k, i, &offset, &n); i++) {
        if (!params[i])
            return SW_E_INVAL;
        memcpy(out + offset, params[i], n);
    }
    return SW_OK;
}

sw_status
sw_api_launch_work(sw_rt_kernel *k, const unsigned grid[3],
                   const unsigned block[3], unsigned shared_bytes,
                   void **params, void **extra, sw_rt_work *work,
                   unsigned char *storage)
{
    *work = (sw_rt_work){.kind = SW_RT_LAUNCH};
    sw_rt_launch *l = &work->launch;
    l->kernel = k;
    for (int i = 0; i < 3; i++) {
        l->grid[i] = grid[i];
        l->block[i] = block[i];
    }
    l->shared_bytes = shared_bytes;
    l->params = storage;
    return gather(k, params, extra, storage);
}

enum { PLENTY = 1024 };

/* What else a launch may say. */
typedef struct {
    unsigned cluster[3], preferred_cluster[3]; /* all 0: nothing */
    bool cooperative;
} extras;

static CUresult
launch(const void *f, const unsigned grid[3], const unsigned block[3],
       const extras *more, unsigned shared_bytes, CUstream stream,
       void **params, void **extra)
{
    sw_rt_kernel *k;
    sw_rt_stream *s;
    TRY(sw_api_stream(stream, &s));
    sw_rt_current_push(s->context); /* a library's kernel is the stream's */
    sw_status found = sw_api_kernel(f, &k);
    sw_rt_context *pushed;
    sw_rt_current_pop(&pushed);
    TRY(found);
    TRY(sw_rt_context_error(k->module->context));
    if (k->module->context != s->context)
        return CUDA_ERROR_INVALID_HANDLE;

    _Alignas(16) unsigned char room[PLENTY];
    size_t bytes = sw_rt_kernel_param_bytes(k);
    unsigned char *storage = bytes <= PLENTY ? room : sw_alloc(bytes);
    sw_rt_work work;
    sw_status status = sw_api_launch_work(k, grid, block, shared_bytes, params,
                                          extra, &work, storage);
    if (more) {
        sw_rt_launch *l = &work.launch;
        l->cooperative = more->cooperative;
        memcpy(l->cluster, more->cluster, sizeof l->cluster);
        memcpy(l->preferred_cluster, more->preferred_cluster,
               sizeof l->preferred_cluster);
    }
    bool is_configuration;
    if (status == SW_OK)
        status =
            sw_rt_launch_check(&work.launch, s->context, &is_configuration);
    if (status == SW_OK)
        status = sw_api_submit(s, &work);
    else
        sw_rt_capture_spoil(s);
    if (storage != room)
        sw_free(storage);
    return sw_api_result(status);
}

CUresult
cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
               unsigned int gridDimZ, unsigned int blockDimX,
               unsigned int blockDimY, unsigned int blockDimZ,
               unsigned int sharedMemBytes, CUstream hStream,
               void **kernelParams, void **extra)
{
    const unsigned grid[3] = {gridDimX, gridDimY, gridDimZ};
    const unsigned block[3] = {blockDimX, blockDimY, blockDimZ};
    return launch(f, grid, block, NULL, sharedMemBytes, hStream, kernelParams,
                  extra);
}

CUresult
cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX,
                          unsigned int gridDimY, unsigned int gridDimZ,
                          unsigned int blockDimX, unsigned int blockDimY,
                          unsigned int blockDimZ, unsigned int sharedMemBytes,
                          CUstream hStream, void **kernelParams)
{
    const unsigned grid[3] = {gridDimX, gridDimY, gridDimZ};
    const unsigned block[3] = {blockDimX, blockDimY, blockDimZ};
    const extras more = {.cooperative = true};
    return launch(f, grid, block, &more, sharedMemBytes, hStream, kernelParams,
                  NULL);
}

CUresult
cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f,
                 void **kernelParams, void **extra)
{
    NEED_INIT();
    REQUIRE(sw_api_config_is_valid(config), CUDA_ERROR_INVALID_VALUE);
    sw_rt_stream *s;
    TRY(sw_api_stream(config->hStream, &s));
    REQUIRE(f, CUDA_ERROR_INVALID_HANDLE);
    const unsigned grid[3] = {config->gridDimX, config->gridDimY,
                              config->gridDimZ};
    const unsigned block[3] = {config->blockDimX, config->blockDimY,
                               config->blockDimZ};
    extras more = {.cooperative = false};
    CUevent after = NULL;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *a = &config->attrs[i];
        const CUlaunchAttributeValue *v = &a->value;
        REQUIRE(a->id != CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY &&
                    sw_api_attribute_is_valid(a->id, v),
                CUDA_ERROR_INVALID_VALUE);
        switch ((int)a->id) {
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            more.cooperative = v->cooperative != 0;
            break;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            more.cluster[0] = v->clusterDim.x;
            more.cluster[1] = v->clusterDim.y;
            more.cluster[2] = v->clusterDim.z;
            break;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
            REQUIRE((unsigned)v->clusterSchedulingPolicyPreference <=
                        CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING,
                    CUDA_ERROR_INVALID_VALUE);
            break;
        case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
            more.preferred_cluster[0] = v->preferredClusterDim.x;
            more.preferred_cluster[1] = v->preferredClusterDim.y;
            more.preferred_cluster[2] = v->preferredClusterDim.z;
            break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
            after = v->programmaticEvent.event;
            break;
        case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
            after = v->launchCompletionEvent.event;
            break;
        default: /* caches, priorities, overlap: allowed to have no effect */
            break;
        }
    }
    CUresult status = launch(f, grid, block, &more, config->sharedMemBytes,
                             config->hStream, kernelParams, extra);
    if (status == CUDA_SUCCESS && after)
        status = cuEventRecord(after, config->hStream);
    return status;
}

CUresult
cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList,
                                     unsigned int numDevices,
                                     unsigned int flags)
{
    const unsigned known =
        CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
        CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
    NEED_INIT();
    REQUIRE(launchParamsList && numDevices && !(flags & ~known),
            CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < numDevices; i++) { /* of a device each */
        sw_rt_stream *s, *t;
        REQUIRE((uintptr_t)launchParamsList[i].hStream > 1,
                CUDA_ERROR_INVALID_HANDLE);
        TRY(sw_api_stream(launchParamsList[i].hStream, &s));
        for (unsigned k = 0; k < i; k++) {
            TRY(sw_api_stream(launchParamsList[k].hStream, &t));
            REQUIRE(s->context->device != t->context->device,
                    CUDA_ERROR_INVALID_VALUE);
        }
    }
    CUresult status = CUDA_SUCCESS;
    for (unsigned i = 0; i < numDevices && status == CUDA_SUCCESS; i++) {
        const CUDA_LAUNCH_PARAMS *p = &launchParamsList[i];
        status = cuLaunchCooperativeKernel(
            p->function, p->gridDimX, p->gridDimY, p->gridDimZ, p->blockDimX,
            p->blockDimY, p->blockDimZ, p->sharedMemBytes, p->hStream,
            p->kernelParams);
    }
    return status;
}

/* ---- launching by steps ---- */

CUresult
cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(hfunc, &k));
    int most = sw_rt_device_get(k->module->context->device,
                                CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    REQUIRE(x > 0 && y > 0 && z > 0 && x <= most && y <= most / x &&
                z <= most / (x * y),
            CUDA_ERROR_INVALID_VALUE);
    k->block[0] = (uint32_t)x;
    k->block[1] = (uint32_t)y;
    k->block[2] = (uint32_t)z;
    return CUDA_SUCCESS;
}

CUresult
cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(hfunc, &k));
    k->shared_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult
cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(hfunc, &k));
    REQUIRE(numbytes <= sw_device_param_bytes(k->module->context->device->info),
            CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult
cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(hfunc, &k));
    uint32_t bytes = sw_rt_kernel_param_bytes(k);
    REQUIRE(ptr && offset >= 0 && (uint32_t)offset <= bytes &&
                numbytes <= bytes - (uint32_t)offset,
            CUDA_ERROR_INVALID_VALUE);
    if (!k->params)
        k->params = sw_alloc(bytes + 1);
    memcpy(k->params + offset, ptr, numbytes);
    return CUDA_SUCCESS;
}

CUresult
cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    return cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult
cuParamSetf(CUfunction hfunc, int offset, float value)
{
    return cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult
cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(hfunc, &k));
    REQUIRE(texunit == CU_PARAM_TR_DEFAULT && hTexRef,
            CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

CUresult
cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height,
                  CUstream hStream)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(f, &k));
    REQUIRE(grid_width > 0 && grid_height > 0, CUDA_ERROR_INVALID_VALUE);
    const unsigned grid[3] = {(unsigned)grid_width, (unsigned)grid_height, 1};
    size_t bytes = sw_rt_kernel_param_bytes(k);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, k->params,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    return launch(f, grid, k->block, NULL, k->shared_bytes, hStream, NULL,
                  extra);
}

CUresult
cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
    return cuLaunchGridAsync(f, grid_width, grid_height, NULL);
}

CUresult
cuLaunch(CUfunction f)
{
    return cuLaunchGrid(f, 1, 1);
}
