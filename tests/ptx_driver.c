/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_driver.c - runs the kernels of ptx_runner.c through the driver API and
 * nothing else, so that the same tests can be held against a real device: run
 * the binary with another libcuda.so.1 and PTX_REAL_DEVICE=1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "ptx_runner.h"

enum { LOG_BYTES = 8192 };

static CUmodule module;

static bool
is_ok(CUresult result, const char *what)
{
    const char *name = NULL;
    if (result == CUDA_SUCCESS)
        return true;
    cuGetErrorName(result, &name);
    runner_error("%s: %s", what, name ? name : "an unknown error");
    return false;
}

bool
device_is_ours(void)
{
    return !getenv("PTX_REAL_DEVICE");
}

bool
device_alloc(size_t bytes, uint64_t *address)
{
    CUdeviceptr p = 0;
    bool ok = is_ok(cuMemAlloc(&p, bytes), "alloc");
    *address = p;
    return ok;
}

void
device_free(uint64_t address)
{
    is_ok(cuMemFree((CUdeviceptr)address), "free");
}

bool
device_copy_in(uint64_t to, const void *from, size_t bytes)
{
    return is_ok(cuMemcpyHtoD((CUdeviceptr)to, from, bytes), "copy in");
}

bool
device_copy_out(void *to, uint64_t from, size_t bytes)
{
    return is_ok(cuMemcpyDtoH(to, (CUdeviceptr)from, bytes), "copy out");
}

bool
device_load(const char *name, const char *text, size_t bytes)
{
    static char log[LOG_BYTES];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUdevice device;
    CUcontext context;
    (void)name;
    (void)bytes; /* it ends on a NUL */
    if (!is_ok(cuInit(0), "cuInit") ||
        !is_ok(cuDeviceGet(&device, 0), "cuDeviceGet") ||
        !is_ok(cuDevicePrimaryCtxRetain(&context, device), "context") ||
        !is_ok(cuCtxSetCurrent(context), "cuCtxSetCurrent"))
        return false;
    CUresult result = cuModuleLoadDataEx(&module, text, 2, options, values);
    if (log[0])
        runner_error("%s", log);
    return is_ok(result, "load");
}

void
device_unload(void)
{
    if (module)
        cuModuleUnload(module); /* fails after a fault, as it should */
}

bool
device_run(const device_launch *l)
{
    CUfunction fn;
    void *args[PTX_MAX_ARGS];
    for (unsigned i = 0; i < l->arg_count; i++)
        args[i] = (void *)(uintptr_t)l->args[i];
    if (!is_ok(cuModuleGetFunction(&fn, module, l->kernel), l->kernel))
        return false;
    CUlaunchAttribute attributes[2];
    CUlaunchConfig config = {
        l->grid[0],  l->grid[1], l->grid[2], l->block[0], l->block[1],
        l->block[2], l->shared,  NULL,       attributes,  0};
    memset(attributes, 0, sizeof attributes);
    if (l->cluster[0]) {
        CUlaunchAttribute *a = &attributes[config.numAttrs++];
        a->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        a->value.clusterDim.x = l->cluster[0];
        a->value.clusterDim.y = l->cluster[1];
        a->value.clusterDim.z = l->cluster[2];
    }
    CUresult result =
        l->cooperative
            ? cuLaunchCooperativeKernel(fn, l->grid[0], l->grid[1], l->grid[2],
                                        l->block[0], l->block[1], l->block[2],
                                        l->shared, NULL, args)
        : config.numAttrs
            ? cuLaunchKernelEx(&config, fn, args, NULL)
            : cuLaunchKernel(fn, l->grid[0], l->grid[1], l->grid[2],
                             l->block[0], l->block[1], l->block[2], l->shared,
                             NULL, args, NULL);
    return is_ok(result, "run") && is_ok(cuCtxSynchronize(), "run");
}
