/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 0 failed
/* What the language leaves undefined, and device code has always done: a
 * shuffle of a variable that only one lane has set, memory written as one type
 * and read as another, a pointer tested after its use, a function that ends
 * without a value that nobody reads. */
#include <cstdio>

static int failures;
#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            failures++;                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                     \
        }                                                                      \
    } while (0)

/* One lane adds for all that are here. */
__global__ void
keep_multiples(const int *in, int *out, int *count, int n)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n && in[i] % 3 == 0) {
        unsigned here = __activemask(), lane = threadIdx.x % 32;
        int leader = __ffs((int)here) - 1, base;
        if ((int)lane == leader)
            base = atomicAdd(count, __popc(here));
        base = __shfl_sync(here, base, leader);
        out[base + __popc(here & ((1u << lane) - 1))] = in[i];
    }
}

template <class T>
__device__ T
from_first(T value)
{
    return __shfl_sync(~0u, value, 0);
}

__global__ void
through_a_function(int *out, int *count)
{
    int base;
    if (threadIdx.x == 0)
        base = atomicAdd(count, 1);
    out[threadIdx.x] = from_first(base);
}

__global__ void
reinterpret(unsigned *bits, float *same, unsigned *out)
{
    bits[0] = 1;
    same[0] = 2.0f;
    out[0] = bits[0];
}

__global__ void
tested_late(const int *p, int *out)
{
    *out = *p;
    if (!p)
        out[1] = 3;
}

__device__ __noinline__ int
no_value(int *p, bool yes)
{
    if (yes) {
        *p = 4;
        return 7;
    }
    *p = 5;
}

__global__ void
ends_without(int *out, bool yes)
{
    no_value(out, yes);
}

int
main()
{
    const int n = 1000;
    int *in, *out, *count;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, n * sizeof *out);
    cudaMallocManaged(&count, sizeof *count);
    int want = 0;
    for (int i = 0; i < n; i++) {
        in[i] = i * i;
        want += in[i] % 3 == 0;
    }
    *count = 0;
    keep_multiples<<<4, 256>>>(in, out, count, n);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(*count == want);

    *count = 5;
    through_a_function<<<1, 32>>>(out, count);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(*count == 6 && out[0] == 5 && out[31] == 5);

    reinterpret<<<1, 1>>>((unsigned *)in, (float *)in, (unsigned *)out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out[0] == 0x40000000);

    in[0] = 8;
    tested_late<<<1, 1>>>(in, out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 8);

    ends_without<<<1, 1>>>(out, false);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && out[0] == 5);
    printf("%d failed\n", failures);
    return failures != 0;
}
