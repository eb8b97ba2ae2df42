// SPDX-License-Identifier: Apache-2.0
// cuda_occupancy.h counts as the API does: each kernel, block size and amount
// of dynamic shared memory, with and without a carveout; and needs no device.
// device: H200
// expect: MATCH ^[0-9]{4} counts, 0 differ$
// expect: EXACT block sizes: 0 differ
// expect: EXACT free memory: 0 differ
// expect: EXACT 8.6: 1 block of 1024, limits 3; 40 registers: 10240 a block
// expect: EXACT unknown 2, invalid 1 1
#include <cstdio>
#include <cuda_occupancy.h>

__global__ void
plain(float *p)
{
    p[threadIdx.x] *= 2;
}
__global__ void __launch_bounds__(256) bounded(float *p)
{
    __shared__ float s[1500];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void
large(double *p)
{
    extern __shared__ double s[];
    double a[40];
#pragma unroll
    for (int i = 0; i < 40; i++)
        a[i] = p[i * 32 + threadIdx.x];
    s[threadIdx.x] = a[0];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 40; i++)
        p[i * 32 + threadIdx.x] = a[i] * s[39 - i] + a[39 - i];
}

static int counts, differ, sizes, memory;

static size_t
per_thread(int size)
{
    return 24 * (size_t)size;
}

template <typename Kernel>
static void
compare(const cudaOccDeviceProp &device, Kernel kernel, int percent)
{
    cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                         percent);
    cudaFuncAttributes got;
    cudaFuncGetAttributes(&got, kernel);
    cudaOccFuncAttributes attributes = got;
    cudaOccDeviceState state;
    state.carveoutConfig = percent;
    for (int size = 1; size <= 1056; size += 31)
        for (size_t bytes = 0; bytes <= 120000; bytes += 10007) {
            cudaOccResult r;
            int blocks = -1;
            cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(
                &r, &device, &attributes, &state, size, bytes);
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size,
                                                          bytes);
            counts++;
            bool same = !e && r.activeBlocksPerMultiprocessor == blocks;
            if (!same && !differ++)
                printf("%d threads, %zu bytes: %d, not %d\n", size, bytes,
                       r.activeBlocksPerMultiprocessor, blocks);
        }
    for (int fixed = 0; fixed < 2; fixed++) {
        int grid[2] = {0, 0}, size[2] = {0, 0};
        cudaOccMaxPotentialOccupancyBlockSize(
            grid, size, &device, &attributes, &state,
            fixed ? nullptr : per_thread, 3000);
        if (fixed)
            cudaOccupancyMaxPotentialBlockSize(grid + 1, size + 1, kernel,
                                               3000);
        else
            cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid + 1, size + 1,
                                                           kernel, per_thread);
        sizes += grid[0] != grid[1] || size[0] != size[1] || size[0] == 0;
    }
    for (int blocks = 1; blocks < 33; blocks += 4) {
        size_t a = 0, b = 0;
        int e = cudaOccAvailableDynamicSMemPerBlock(&a, &device, &attributes,
                                                    &state, blocks, 64);
        int f =
            cudaOccupancyAvailableDynamicSMemPerBlock(&b, kernel, blocks, 64);
        memory += a != b || (e != 0) != (f != 0);
    }
}

int
main()
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    cudaOccDeviceProp device = properties;
    cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         110000);
    for (int percent : {-1, 0, 50}) {
        compare(device, plain, percent);
        compare(device, bounded, percent);
        compare(device, large, percent);
    }
    printf("%d counts, %d differ\n", counts, differ);
    printf("block sizes: %d differ\n", sizes);
    printf("free memory: %d differ\n", memory);

    cudaOccDeviceProp other = device;
    other.computeMajor = 8, other.computeMinor = 6;
    other.maxThreadsPerMultiprocessor = 1536;
    other.sharedMemPerMultiprocessor = 102400;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = 40;
    cudaOccDeviceState state;
    cudaOccResult r, r2;
    cudaOccMaxActiveBlocksPerMultiprocessor(&r, &other, &kernel, &state, 1024,
                                            0);
    cudaOccMaxActiveBlocksPerMultiprocessor(&r2, &other, &kernel, &state, 256,
                                            0);
    printf("8.6: %d block of 1024, limits %u; 40 registers: %d a block\n",
           r.activeBlocksPerMultiprocessor, r.limitingFactors,
           r2.allocatedRegistersPerBlock);
    other.computeMajor = 99;
    int e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &other, &kernel, &state,
                                                    32, 0);
    int f = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &device, &kernel,
                                                    &state, 0, 0);
    int g = cudaOccMaxActiveBlocksPerMultiprocessor(nullptr, &device, &kernel,
                                                    &state, 32, 0);
    printf("unknown %d, invalid %d %d\n", e, f, g);
}
