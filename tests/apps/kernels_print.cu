/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT thread 0 of 3: x a 1.50 -7
// expect: EXACT thread 2 of 3: z c 3.50 -9
// expect: EXACT 18446744073709551615 0x2a 100% [   ab]
// expect: EXACT returned 2
/* printf in kernels: conversions, strings, and its result, the number of
 * arguments. The text is there at the latest after a synchronisation. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void print()
{
    const char *names[] = {"x", "y", "z"};
    int t = threadIdx.x;
    printf("thread %d of %u: %s %c %.2f %lld\n", t, blockDim.x, names[t],
           'a' + t, 1.5 + t, -7ll - t);
}

__global__ void more(int *result)
{
    printf("%llu 0x%x 100%% [%*s]\n", ~0ull, 42, 5, "ab");
    *result = printf("%d%d\n", 1, 2);
}

int main()
{
    int *d, h = 0;
    print<<<1, 3>>>();
    if (cudaMalloc(&d, sizeof h))
        return 1;
    more<<<1, 1>>>(d);
    if (cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    printf("returned %d\n", h);
    return 0;
}
