/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.c - attributes of kernels; occupancy. */
#include <string.h>

#include "api/cuda/graph.h"
#include "api/cuda/library.h"
#include "device/cluster.h"
#include "device/launch.h"
#include "device/occupancy.h"

/* ---- attributes ---- */

static CUresult
get_attribute(int *pi, CUfunction_attribute attrib, sw_rt_kernel *k)
{
    TRY(sw_rt_kernel_prepare(k));
    const sw_cc_limits *l = k->module->context->device->limits;
    switch ((int)attrib) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *pi = (int)sw_rt_kernel_fit_threads(k);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *pi = (int)k->info->static_shared_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *pi = (int)k->info->const_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *pi = (int)k->info->frame_bytes;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *pi = (int)sw_rt_kernel_regs(k);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *pi = (int)k->fn->module->target;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *pi = (int)k->module->context->device->info->cc;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *pi = k->has_max_dynamic
                  ? (int)k->max_dynamic_shared
                  : (int)(l->smem_block - k->info->static_shared_bytes);
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *pi = k->carveout;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *pi = k->fn->explicit_cluster;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: {
        int axis = (int)attrib - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
        const uint32_t *own = k->fn->reqnctapercluster;
        *pi = (int)(own[0] ? own[axis] : k->cluster[axis]);
        return CUDA_SUCCESS;
    }
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *pi = k->nonportable_cluster;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *pi = k->cluster_policy;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
        *pi = 0;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static CUresult
set_attribute(sw_rt_kernel *k, int attrib, int value)
{
    TRY(sw_rt_kernel_prepare(k));
    const sw_cc_limits *l = k->module->context->device->limits;
    switch (attrib) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        REQUIRE(value >= 0 && (uint32_t)value + k->info->static_shared_bytes <=
                                  l->smem_block_optin,
                CUDA_ERROR_INVALID_VALUE);
        k->max_dynamic_shared = (uint32_t)value;
        k->has_max_dynamic = true;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        REQUIRE(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE);
        k->carveout = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: {
        /* What the text of the kernel says can only be said again. */
        int axis = attrib - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
        const uint32_t *own = k->fn->reqnctapercluster;
        uint32_t most = k->fn->maxclusterrank;
        REQUIRE(value >= 0 && (!own[0] || own[axis] == (uint32_t)value) &&
                    (!most || (uint32_t)value <= most),
                CUDA_ERROR_INVALID_VALUE);
        k->cluster[axis] = (uint32_t)value;
        return CUDA_SUCCESS;
    }
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        k->nonportable_cluster = value != 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        REQUIRE(value >= 0 &&
                    value <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING,
                CUDA_ERROR_INVALID_VALUE);
        k->cluster_policy = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    sw_rt_kernel *k;
    REQUIRE(pi, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_kernel(hfunc, &k));
    TRY(sw_rt_context_error(k->module->context));
    return get_attribute(pi, attrib, k);
}

CUresult
cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(hfunc, &k));
    TRY(sw_rt_context_error(k->module->context));
    return set_attribute(k, (int)attrib, value);
}

static CUresult
set_cache(sw_rt_kernel *k, int what, int value)
{
    (void)what;
    k->cache_config = value;
    return CUDA_SUCCESS;
}

CUresult
cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(hfunc, &k));
    REQUIRE((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL,
            CUDA_ERROR_INVALID_VALUE);
    return set_cache(k, 0, (int)config);
}

/* ---- of kernels of libraries, on a device; a function passes for one ---- */

CUresult
cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel,
                     CUdevice dev)
{
    sw_rt_device *d;
    REQUIRE(kernel, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(pi, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    sw_rt_kernel *k = sw_rt_object_get(kernel, SW_RT_KERNEL);
    if (!k)
        TRY(sw_api_library_kernel_on(kernel, d, &k));
    return get_attribute(pi, attrib, k);
}

static CUresult
set_on_device(CUkernel kernel, CUdevice dev, sw_api_kernel_setter *set,
              int what, int value)
{
    sw_rt_device *d;
    REQUIRE(kernel, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_api_device(dev, &d));
    sw_rt_kernel *k = sw_rt_object_get(kernel, SW_RT_KERNEL);
    return k ? set(k, what, value)
             : sw_api_library_kernel_set(kernel, d, set, what, value);
}

CUresult
cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel,
                     CUdevice dev)
{
    return set_on_device(kernel, dev, set_attribute, (int)attrib, val);
}

CUresult
cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    sw_rt_device *d;
    REQUIRE(kernel, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_api_device(dev, &d));
    REQUIRE((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL,
            CUDA_ERROR_INVALID_VALUE);
    return set_on_device(kernel, dev, set_cache, 0, (int)config);
}

CUresult
cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    sw_rt_kernel *k;
    NEED_INIT();
    TRY(sw_api_kernel(hfunc, &k));
    k->bank_config = (int)config;
    return CUDA_SUCCESS;
}

CUresult
cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    sw_rt_kernel *k;
    REQUIRE(hmod && hfunc, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_kernel(hfunc, &k));
    *hmod = (CUmodule)k->module;
    return CUDA_SUCCESS;
}

CUresult
cuFuncGetName(const char **name, CUfunction hfunc)
{
    sw_rt_kernel *k;
    REQUIRE(name && hfunc, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_kernel(hfunc, &k));
    *name = k->fn->name;
    return CUDA_SUCCESS;
}

CUresult
cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                   size_t *paramSize)
{
    sw_rt_kernel *k;
    uint32_t offset, bytes;
    REQUIRE(func && paramOffset, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_kernel(func, &k));
    REQUIRE(paramIndex < UINT32_MAX &&
                sw_rt_kernel_param(k, (uint32_t)paramIndex, &offset, &bytes),
            CUDA_ERROR_INVALID_VALUE);
    *paramOffset = offset;
    if (paramSize)
        *paramSize = bytes;
    return CUDA_SUCCESS;
}

CUresult
cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    sw_rt_kernel *k;
    REQUIRE(state, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_kernel(function, &k));
    *state = k->program ? CU_FUNCTION_LOADING_STATE_LOADED
                        : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return CUDA_SUCCESS;
}

CUresult
cuFuncLoad(CUfunction function)
{
    sw_rt_kernel *k;
    TRY(sw_api_kernel(function, &k));
    return sw_api_result(sw_rt_kernel_prepare(k));
}

/* ---- occupancy ---- */

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
                                                     CUfunction func,
                                                     int blockSize,
                                                     size_t dynamicSMemSize,
                                                     unsigned int flags)
{
    ENTER(c);
    sw_rt_kernel *k;
    TRY(sw_api_kernel(func, &k));
    REQUIRE(numBlocks && blockSize > 0 && flags <= 1, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_rt_kernel_prepare(k));
    if ((uint32_t)blockSize > c->device->limits->max_threads_block) {
        *numBlocks = 0;
        return CUDA_SUCCESS;
    }
    sw_occ_kernel kernel =
        sw_rt_kernel_occ(k, (uint32_t)blockSize, dynamicSMemSize);
    sw_occ occ;
    TRY(sw_occupancy(c->device->limits, &kernel, &occ));
    *numBlocks = (int)occ.blocks;
    return CUDA_SUCCESS;
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func,
                                            int blockSize,
                                            size_t dynamicSMemSize)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, 0);
}

CUresult
cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                        CUfunction func, int numBlocks,
                                        int blockSize)
{
    ENTER(c);
    sw_rt_kernel *k;
    REQUIRE(dynamicSmemSize && numBlocks > 0 && blockSize > 0,
            CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_kernel(func, &k));
    TRY(sw_rt_kernel_prepare(k));
    sw_occ_kernel kernel = sw_rt_kernel_occ(k, (uint32_t)blockSize, 0);
    uint32_t bytes;
    TRY(sw_occupancy_available_smem(c->device->limits, &kernel,
                                    (uint32_t)numBlocks, &bytes));
    *dynamicSmemSize = bytes;
    return CUDA_SUCCESS;
}

/* Blocks that a multiprocessor holds, and those of a cluster; 0: it holds none,
 * it has none. */
static CUresult
cluster_occupancy(sw_rt_context *c, sw_rt_kernel *k,
                  const CUlaunchConfig *config, uint32_t *per_sm,
                  uint32_t *blocks)
{
    const unsigned grid[3] = {config->gridDimX, config->gridDimY,
                              config->gridDimZ};
    const unsigned block[3] = {config->blockDimX, config->blockDimY,
                               config->blockDimZ};
    sw_rt_launch l = {.kernel = k, .shared_bytes = config->sharedMemBytes};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        REQUIRE(grid[i] && block[i], CUDA_ERROR_INVALID_VALUE);
        l.grid[i] = grid[i];
        l.block[i] = block[i];
        threads *= block[i] <= UINT16_MAX ? block[i] : UINT16_MAX;
    }
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            l.cluster[0] = config->attrs[i].value.clusterDim.x;
            l.cluster[1] = config->attrs[i].value.clusterDim.y;
            l.cluster[2] = config->attrs[i].value.clusterDim.z;
        }
    TRY(sw_rt_launch_clusters(&l, c, blocks));
    *per_sm = 0;
    const sw_cc_limits *limits = c->device->limits;
    uint32_t most = k->has_max_dynamic
                        ? k->max_dynamic_shared
                        : limits->smem_block - k->info->static_shared_bytes;
    if (threads > sw_rt_kernel_max_threads(k) || l.shared_bytes > most)
        return CUDA_SUCCESS;
    sw_occ_kernel kernel =
        sw_rt_kernel_occ(k, (uint32_t)threads, l.shared_bytes);
    sw_occ occ;
    TRY(sw_occupancy(limits, &kernel, &occ));
    *per_sm = occ.blocks;
    return CUDA_SUCCESS;
}

CUresult
cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                             const CUlaunchConfig *config)
{
    ENTER(c);
    sw_rt_kernel *k;
    uint32_t per_sm, blocks;
    REQUIRE(numClusters && sw_api_config_is_valid(config),
            CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_kernel(func, &k));
    CUresult status = cluster_occupancy(c, k, config, &per_sm, &blocks);
    if (status == CUDA_SUCCESS)
        *numClusters = blocks ? (int)sw_device_active_clusters(c->device->info,
                                                               per_sm, blocks)
                              : 0;
    return status;
}

CUresult
cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                   const CUlaunchConfig *config)
{
    ENTER(c);
    sw_rt_kernel *k;
    uint32_t per_sm, blocks;
    REQUIRE(clusterSize && sw_api_config_is_valid(config),
            CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_kernel(func, &k));
    CUresult status = cluster_occupancy(c, k, config, &per_sm, &blocks);
    if (status == CUDA_SUCCESS)
        *clusterSize = (int)sw_device_potential_cluster(c->device->info, per_sm,
                                                        k->nonportable_cluster);
    return status;
}

static uint32_t
smem_of(uint32_t threads, void *user)
{
    CUoccupancyB2DSize fn = *(CUoccupancyB2DSize *)user;
    return (uint32_t)fn((int)threads);
}

CUresult
cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize, int *blockSize, CUfunction func,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
    int blockSizeLimit, unsigned int flags)
{
    ENTER(c);
    sw_rt_kernel *k;
    TRY(sw_api_kernel(func, &k));
    REQUIRE(minGridSize && blockSize && blockSizeLimit >= 0 && flags <= 1,
            CUDA_ERROR_INVALID_VALUE);
    TRY(sw_rt_kernel_prepare(k));
    sw_occ_kernel kernel = sw_rt_kernel_occ(k, 32, dynamicSMemSize);
    uint32_t limit = sw_rt_kernel_max_threads(k);
    if (blockSizeLimit && (uint32_t)blockSizeLimit < limit)
        limit = (uint32_t)blockSizeLimit;
    uint32_t threads, blocks;
    CUoccupancyB2DSize fn = blockSizeToDynamicSMemSize;
    /* No size fitting is an answer: 0 blocks of 0 threads. */
    sw_occupancy_block_size(c->device->limits, &kernel, fn ? smem_of : NULL,
                            &fn, limit, &threads, &blocks);
    *blockSize = (int)threads;
    *minGridSize = (int)(blocks * c->device->info->sm_count);
    return CUDA_SUCCESS;
}

CUresult
cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                 CUfunction func,
                                 CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                 size_t dynamicSMemSize, int blockSizeLimit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
        dynamicSMemSize, blockSizeLimit, 0);
}
