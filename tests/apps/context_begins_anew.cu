/* SPDX-License-Identifier: Apache-2.0 */
// cc: -lcuda
// expect: EXACT right
/*
 * The runtime library goes on after its context has come to an end: by its own
 * reset, by the driver's, by one release too many, and in a thread for which
 * the context was current meanwhile.
 */
#include <cuda.h>
#include <thread>

#include "check.h"

__device__ int value = 5;

__global__ void add(int *p)
{
    *p += value;
}

/* All that a program begins with works, and variables are as they were. */
static void works()
{
    int *p, got = 1;
    CK(cudaMalloc(&p, sizeof *p));
    CK(cudaMemcpy(p, &got, sizeof got, cudaMemcpyHostToDevice));
    add<<<1, 1>>>(p);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
    MUST(got == 6);
    got = 7;
    CK(cudaMemcpyToSymbol(value, &got, sizeof got));
    CK(cudaDeviceSynchronize());
}

int main()
{
    CUcontext context;
    unsigned flags;
    int active;
    works();
    CK(cudaDeviceReset());
    MUST(cuDevicePrimaryCtxGetState(0, &flags, &active) == CUDA_SUCCESS);
    MUST(!active);
    works();
    CK(cudaDeviceReset());
    std::thread(works).join();
    MUST(cuDevicePrimaryCtxReset(0) == CUDA_SUCCESS);
    MUST(cuCtxSynchronize() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    works();
    MUST(cuCtxSynchronize() == CUDA_SUCCESS);
    MUST(cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
    MUST(cuCtxSynchronize() == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    works();
    MUST(cuCtxGetCurrent(&context) == CUDA_SUCCESS && context);
    MUST(cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
    MUST(cuDevicePrimaryCtxRelease(0) == CUDA_ERROR_INVALID_CONTEXT);
    puts("right");
}
