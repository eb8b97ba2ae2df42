/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_DEVICE=h200
// cc: -O2
// expect: EXACT printf: 64 KiB for each multiprocessor
// expect: EXACT host memory is mapped: 1
// expect: EXACT a row cannot be gathered from: invalid argument
// expect: EXACT a plane can: no error
// expect: EXACT fractions: 8 0 0 0, 8 8 8 8, 16 16 0 0, 8 8 0 0
/* What a new device begins with, which arrays can be gathered from, and
 * channels by the names of their formats. */
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

static void
gather(const char *what, size_t height)
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaError_t e = cudaMallocArray(&a, &d, 16, height, cudaArrayTextureGather);
    printf("%s: %s\n", what, cudaGetErrorString(e));
}

static void
tell(cudaChannelFormatDesc d, const char *end)
{
    printf("%d %d %d %d%s", d.x, d.y, d.z, d.w, end);
}

int
main()
{
    size_t bytes;
    unsigned flags;
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    cudaDeviceGetLimit(&bytes, cudaLimitPrintfFifoSize);
    printf("printf: %g KiB for each multiprocessor\n",
           (double)bytes / 1024 / p.multiProcessorCount);
    cudaFree(0);
    cuCtxGetFlags(&flags);
    printf("host memory is mapped: %d\n", (flags & CU_CTX_MAP_HOST) != 0);
    gather("a row cannot be gathered from", 0);
    gather("a plane can", 16);
    printf("fractions: ");
    tell(cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized8X1>(),
         ", ");
    tell(cudaCreateChannelDesc<cudaChannelFormatKindSignedNormalized8X4>(),
         ", ");
    tell(cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized16X2>(),
         ", ");
    tell(cudaCreateChannelDesc<cudaChannelFormatKindSignedNormalized8X2>(),
         "\n");
    return 0;
}
