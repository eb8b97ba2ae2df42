/* SPDX-License-Identifier: Apache-2.0 */
/* context.c - contexts: created, primary, current; their limits. */
#include "api/cuda/api.h"

/* Known ones, and one way to wait. */
static bool
flags_are_valid(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) &&
           !(schedule & (schedule - 1));
}

static CUresult
create(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(pctx, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    REQUIRE(flags_are_valid(flags), CUDA_ERROR_INVALID_VALUE);
    sw_rt_context *c;
    TRY(sw_rt_context_create(d, flags, &c));
    sw_rt_current_push(c);
    *pctx = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult
cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create(pctx, flags, dev);
}

CUresult
cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return create(pctx, flags, dev);
}

CUresult
cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
               unsigned int flags, CUdevice dev)
{
    if (paramsArray && numParams > 0)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return create(pctx, flags, dev);
}

CUresult
cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
               unsigned int flags, CUdevice dev)
{
    if (ctxCreateParams && ctxCreateParams->numExecAffinityParams > 0)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return create(pctx, flags, dev);
}

CUresult
cuCtxDestroy_v2(CUcontext ctx)
{
    REQUIRE(ctx, CUDA_ERROR_INVALID_VALUE);
    NEED_INIT();
    sw_rt_context *c = sw_rt_object_get(ctx, SW_RT_CONTEXT);
    REQUIRE(c && !c->is_primary, CUDA_ERROR_INVALID_CONTEXT);
    if (sw_rt_current(NULL) == c) {
        sw_rt_context *popped;
        sw_rt_current_pop(&popped);
    }
    sw_rt_context_destroy(c);
    return CUDA_SUCCESS;
}

CUresult
cuCtxDestroy(CUcontext ctx)
{
    return cuCtxDestroy_v2(ctx);
}

/* The current one: undoes an attachment, or destroys what has none left. A
 * primary context is not destroyed so. */
CUresult
cuCtxDetach(CUcontext ctx)
{
    ENTER_ANY(c);
    REQUIRE(ctx == (CUcontext)c, CUDA_ERROR_INVALID_CONTEXT);
    uint32_t uses = __atomic_load_n(&c->object.refs, __ATOMIC_ACQUIRE);
    if (c->is_primary && uses == 1)
        return CUDA_SUCCESS;
    if (uses == 1)
        return cuCtxDestroy_v2(ctx);
    sw_rt_object_unref(c);
    return CUDA_SUCCESS;
}

CUresult
cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
    ENTER_ANY(c);
    REQUIRE(pctx && flags == 0, CUDA_ERROR_INVALID_VALUE);
    sw_rt_object_ref(c);
    *pctx = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult
cuCtxPushCurrent_v2(CUcontext ctx)
{
    NEED_INIT();
    REQUIRE(ctx, CUDA_ERROR_INVALID_VALUE);
    sw_rt_context *c = sw_rt_object_get(ctx, SW_RT_CONTEXT);
    REQUIRE(c, CUDA_ERROR_INVALID_CONTEXT);
    sw_rt_current_push(c);
    return CUDA_SUCCESS;
}

CUresult
cuCtxPushCurrent(CUcontext ctx)
{
    return cuCtxPushCurrent_v2(ctx);
}

CUresult
cuCtxPopCurrent_v2(CUcontext *pctx)
{
    NEED_INIT();
    sw_rt_context *c;
    REQUIRE(sw_rt_current_pop(&c), CUDA_ERROR_INVALID_CONTEXT);
    if (pctx)
        *pctx = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult
cuCtxPopCurrent(CUcontext *pctx)
{
    return cuCtxPopCurrent_v2(pctx);
}

CUresult
cuCtxSetCurrent(CUcontext ctx)
{
    NEED_INIT();
    sw_rt_context *c = NULL;
    if (ctx) {
        c = sw_rt_object_get(ctx, SW_RT_CONTEXT);
        REQUIRE(c, CUDA_ERROR_INVALID_CONTEXT);
    }
    sw_rt_current_set(c);
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetCurrent(CUcontext *pctx)
{
    NEED_INIT();
    REQUIRE(pctx, CUDA_ERROR_INVALID_VALUE);
    *pctx = (CUcontext)sw_rt_current(NULL);
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetDevice(CUdevice *device)
{
    ENTER_ANY(c);
    REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
    *device = c->device->ordinal;
    return CUDA_SUCCESS;
}

/* The given context, or for NULL the current one. */
static sw_status
context_or_current(CUcontext ctx, sw_rt_context **out)
{
    if (!ctx)
        return sw_api_enter_any(out);
    *out = sw_rt_object_get(ctx, SW_RT_CONTEXT);
    return *out ? SW_OK : SW_E_INVALID_CONTEXT;
}

CUresult
cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    NEED_INIT();
    REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
    sw_rt_context *c;
    TRY(context_or_current(ctx, &c));
    *device = c->device->ordinal;
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetFlags(unsigned int *flags)
{
    ENTER_ANY(c);
    REQUIRE(flags, CUDA_ERROR_INVALID_VALUE);
    *flags = c->flags | (c->is_primary ? CU_CTX_MAP_HOST : 0);
    return CUDA_SUCCESS;
}

CUresult
cuCtxSetFlags(unsigned int flags)
{
    ENTER_ANY(c);
    REQUIRE(flags_are_valid(flags), CUDA_ERROR_INVALID_VALUE);
    c->flags = flags & ~(unsigned)CU_CTX_MAP_HOST; /* always so */
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    NEED_INIT();
    REQUIRE(ctxId, CUDA_ERROR_INVALID_VALUE);
    sw_rt_context *c;
    TRY(context_or_current(ctx, &c));
    REQUIRE(sw_rt_context_error(c) != SW_E_CONTEXT_IS_DESTROYED,
            CUDA_ERROR_CONTEXT_IS_DESTROYED);
    *ctxId = c->id;
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    NEED_INIT();
    REQUIRE(version, CUDA_ERROR_INVALID_VALUE);
    sw_rt_context *c;
    TRY(context_or_current(ctx, &c));
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult
cuCtxSynchronize(void)
{
    ENTER(c);
    TRY(sw_rt_capture_check_context(c));
    return sw_api_result(sw_rt_context_wait(c));
}

CUresult
cuCtxSynchronize_v2(CUcontext ctx)
{
    NEED_INIT();
    sw_rt_context *c;
    TRY(context_or_current(ctx, &c));
    TRY(sw_rt_context_error(c));
    TRY(sw_rt_capture_check_context(c));
    return sw_api_result(sw_rt_context_wait(c));
}

/* ---- limits and preferences ---- */

static int
limit_index(CUlimit limit)
{
    switch (limit) {
    case CU_LIMIT_STACK_SIZE:
        return SW_RT_LIMIT_STACK;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
        return SW_RT_LIMIT_PRINTF;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
        return SW_RT_LIMIT_HEAP;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
        return SW_RT_LIMIT_SYNC_DEPTH;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
        return SW_RT_LIMIT_PENDING;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
        return SW_RT_LIMIT_FETCH;
    case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
        return SW_RT_LIMIT_PERSISTING;
    default:
        return -1;
    }
}

/* Of limits that have no place among the context's. */
static CUresult
no_limit(CUlimit limit)
{
    return (unsigned)limit < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT
                                          : CUDA_ERROR_INVALID_VALUE;
}

/* Kernels wait for kernels that they launched only below capability 9.0 (CUDA
 * C++ Programming Guide, "CUDA Dynamic Parallelism"). */
static bool
has_limit(const sw_rt_context *c, int i)
{
    return i >= 0 && (i != SW_RT_LIMIT_SYNC_DEPTH || c->device->info->cc < 90);
}

enum {
    FETCH_MOST = 128, /* bytes */
    L2_PARTS = 16     /* what is set aside is some of them, as on an H200 */
};

static size_t
persisting(const sw_rt_context *c, size_t value)
{
    int l2 = sw_rt_device_get(c->device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    int most = sw_rt_device_get(
        c->device, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
    size_t part = (size_t)l2 / L2_PARTS;
    if (part)
        value = (value + part - 1) / part * part;
    return most > 0 && value > (size_t)most ? (size_t)most : value;
}

CUresult
cuCtxSetLimit(CUlimit limit, size_t value)
{
    ENTER_UNSAFE(c);
    int i = limit_index(limit);
    REQUIRE(limit != CU_LIMIT_SHMEM_SIZE, CUDA_ERROR_NOT_PERMITTED);
    if (!has_limit(c, i))
        return no_limit(limit);
    switch (i) {
    case SW_RT_LIMIT_STACK:
        REQUIRE(value <= c->device->limits->local_thread_bytes,
                CUDA_ERROR_INVALID_VALUE);
        value = (value + 15) & ~(size_t)15;
        sw_rt_context_wait(c);
        c->env.stack_bytes = (uint32_t)value;
        break;
    case SW_RT_LIMIT_HEAP:
        sw_rt_context_wait(c);
        c->env.heap_bytes = value;
        break;
    case SW_RT_LIMIT_FETCH:
        REQUIRE(value <= FETCH_MOST, CUDA_ERROR_INVALID_VALUE);
        break;
    case SW_RT_LIMIT_PERSISTING:
        value = persisting(c, value);
        break;
    default:
        break;
    }
    c->limits[i] = value;
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    ENTER(c);
    REQUIRE(pvalue, CUDA_ERROR_INVALID_VALUE);
    int i = limit_index(limit);
    if (limit == CU_LIMIT_SHMEM_SIZE) {
        *pvalue = (size_t)sw_rt_device_get(
            c->device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        return CUDA_SUCCESS;
    }
    if (!has_limit(c, i))
        return no_limit(limit);
    *pvalue = c->limits[i];
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    ENTER(c);
    REQUIRE(pconfig, CUDA_ERROR_INVALID_VALUE);
    *pconfig = (CUfunc_cache)c->cache_config;
    return CUDA_SUCCESS;
}

CUresult
cuCtxSetCacheConfig(CUfunc_cache config)
{
    ENTER_UNSAFE(c);
    REQUIRE((unsigned)config <= CU_FUNC_CACHE_PREFER_EQUAL,
            CUDA_ERROR_INVALID_VALUE);
    c->cache_config = (int)config;
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    ENTER(c);
    REQUIRE(pConfig, CUDA_ERROR_INVALID_VALUE);
    *pConfig = c->bank_config ? (CUsharedconfig)c->bank_config
                              : CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
}

CUresult
cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    ENTER_UNSAFE(c);
    REQUIRE((unsigned)config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
            CUDA_ERROR_INVALID_VALUE);
    /* Only 3.x could choose; elsewhere the call has no effect. */
    if (c->device->info->cc / 10 == 3)
        c->bank_config = (int)config;
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    ENTER(c);
    bool has = sw_rt_device_get(
        c->device, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
    if (leastPriority)
        *leastPriority = 0;
    if (greatestPriority)
        *greatestPriority = has ? -5 : 0;
    return CUDA_SUCCESS;
}

CUresult
cuCtxResetPersistingL2Cache(void)
{
    ENTER(c);
    (void)c;
    return CUDA_SUCCESS;
}

CUresult
cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity,
                     CUexecAffinityType type)
{
    ENTER(c);
    REQUIRE(pExecAffinity, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(type == CU_EXEC_AFFINITY_TYPE_SM_COUNT,
            CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    pExecAffinity->type = type; /* none can be set: all there are */
    pExecAffinity->param.smCount.val = (unsigned)sw_rt_device_get(
        c->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    sw_rt_device *d;
    (void)type;
    REQUIRE(pi, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    *pi = 0;
    return CUDA_SUCCESS;
}

/* ---- primary contexts ---- */

CUresult
cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(pctx, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    sw_rt_context *c = sw_rt_primary_retain(d);
    REQUIRE(c, CUDA_ERROR_OUT_OF_MEMORY);
    *pctx = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult
cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    sw_rt_device *d;
    TRY(sw_api_device(dev, &d));
    return sw_api_result(sw_rt_primary_release(d));
}

CUresult
cuDevicePrimaryCtxRelease(CUdevice dev)
{
    return cuDevicePrimaryCtxRelease_v2(dev);
}

CUresult
cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    sw_rt_device *d;
    TRY(sw_api_device(dev, &d));
    sw_rt_primary_reset(d);
    return CUDA_SUCCESS;
}

CUresult
cuDevicePrimaryCtxReset(CUdevice dev)
{
    return cuDevicePrimaryCtxReset_v2(dev);
}

CUresult
cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    sw_rt_device *d;
    TRY(sw_api_device(dev, &d));
    /* Host memory can always be mapped: that is nothing to ask for. */
    REQUIRE(flags_are_valid(flags) && !(flags & CU_CTX_MAP_HOST),
            CUDA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&d->lock);
    d->primary_flags = flags;
    if (d->primary)
        d->primary->flags = flags;
    pthread_mutex_unlock(&d->lock);
    return CUDA_SUCCESS;
}

CUresult
cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
    return cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult
cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(flags && active, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    pthread_mutex_lock(&d->lock);
    *flags = d->primary_flags;
    pthread_mutex_unlock(&d->lock);
    *active = sw_rt_primary_is_active(d);
    return CUDA_SUCCESS;
}
