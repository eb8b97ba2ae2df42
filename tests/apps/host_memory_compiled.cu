/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// expect: EXACT 0: same
// expect: EXACT 1: same
// expect: EXACT 2: same
// expect: EXACT 3: same
// expect: EXACT 4: same
// expect: EXACT 5: same
// expect: EXACT 6: same
// expect: EXACT 7: same
/* Registered host memory is none of the device's: compiled code leaves for the
 * interpreter at each access to it, in the middle of what it computes. What
 * comes out is the same wherever the arrays are. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { N = 1024, ALL = 8 * N, BYTES = ALL * sizeof(int) };

__global__ void
mix(const int *a, const int *b, const int *c, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int *p = a + i;
    int sum = 0, x = i;
    for (int r = 0; r < 5; r++) {
        sum = sum * 3 + *p;
        p += N;
        x = x * 5 + 1;
        sum += b[x & (N - 1)] + c[i + r];
        x ^= sum & 7;
        sum += b[(x >> 3) & (N - 1)];
    }
    out[i] = sum + x;
}

int
main()
{
    int *host[3], *device[3], *out, expected[N], got[N];
    cudaMalloc(&out, sizeof got);
    for (int k = 0; k < 3; k++) {
        host[k] = (int *)malloc(BYTES);
        for (int i = 0; i < ALL; i++)
            host[k][i] = i * 7 + k * 13;
        cudaMalloc(&device[k], BYTES);
        cudaMemcpy(device[k], host[k], BYTES, cudaMemcpyHostToDevice);
        cudaHostRegister(host[k], BYTES, cudaHostRegisterMapped);
    }
    for (int which = 0; which < 8; which++) {
        int *at[3], differ = 0;
        for (int k = 0; k < 3; k++) {
            at[k] = device[k];
            if (which >> k & 1)
                cudaHostGetDevicePointer((void **)&at[k], host[k], 0);
        }
        mix<<<N / 128, 128>>>(at[0], at[1], at[2], out);
        cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
        for (int i = 0; i < N; i++) {
            expected[i] = which ? expected[i] : got[i];
            differ += got[i] != expected[i];
        }
        printf("%d: %s\n", which, differ ? "other" : "same");
    }
    return cudaGetLastError() != cudaSuccess;
}
