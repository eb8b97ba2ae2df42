/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// expect: EXACT unsigned: right
// expect: EXACT signed: right
/* Quotients and remainders by a number that all threads share, which compiled
 * code multiplies with its reciprocal: around multiples, where it matters. */
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 1 << 14 };

template <typename T>
__global__ void
divide(const T *a, T b, T *quotient, T *rest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    quotient[i] = a[i] / b;
    rest[i] = a[i] % b;
}

template <typename T>
static int
count_wrong(T b)
{
    static T host[N], quotient[N], rest[N];
    unsigned state = (unsigned)b * 2654435761u + 1;
    int wrong = 0;
    T *a, *q, *r;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&q, sizeof host);
    cudaMalloc(&r, sizeof host);
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned multiple = state / (unsigned)b * (unsigned)b;
        host[i] = (T)(i % 4 == 3 ? state >> (i / 4 % 32)
                                 : multiple + (unsigned)(i % 4) - 1);
        if ((long long)host[i] == -2147483648LL && (long long)b == -1)
            host[i] = 0; /* no quotient in C */
    }
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    divide<<<N / 128, 128>>>(a, b, q, r);
    cudaMemcpy(quotient, q, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(rest, r, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += quotient[i] != host[i] / b || rest[i] != host[i] % b;
    cudaFree(a);
    cudaFree(q);
    cudaFree(r);
    return wrong;
}

int
main()
{
    static const unsigned numbers[] = {
        1,           2,           3,           5,          7,
        10,          255,         256,         65535,      65536,
        1000003,     16777217,    33554431,    715827883,  2147483647,
        2147483648u, 2863311531u, 4294967294u, 4294967295u};
    int wrong[2] = {0, 0};
    for (unsigned n : numbers) {
        wrong[0] += count_wrong<unsigned>(n);
        wrong[1] += count_wrong<int>((int)n);
    }
    printf("unsigned: %s\n", wrong[0] ? "wrong" : "right");
    printf("signed: %s\n", wrong[1] ? "wrong" : "right");
    return cudaGetLastError() != cudaSuccess;
}
