/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
// expect: EXACT 0 failed
/* A grid that may begin before the one ahead of it has ended waits for what
 * that one wrote. */
#include <cstdio>

__global__ void
ahead(int *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = (int)blockIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    __prof_trigger(1);
}

__global__ void
behind(const int *p, int *q)
{
    cudaGridDependencySynchronize();
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    q[i] = p[i] * 2;
}

int
main()
{
    int *p, *q, failures = 0;
    cudaMalloc(&p, 1024 * sizeof *p);
    cudaMallocManaged(&q, 1024 * sizeof *q);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 8;
    config.blockDim = 128;
    failures += cudaLaunchKernelEx(&config, ahead, p) != cudaSuccess;
    config.attrs = &attribute;
    config.numAttrs = 1;
    failures +=
        cudaLaunchKernelEx(&config, behind, (const int *)p, q) != cudaSuccess;
    failures += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < 1024; i++)
        failures += q[i] != i / 128 * 2;
    printf("%d failed\n", failures);
    return failures != 0;
}
