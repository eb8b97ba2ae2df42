/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT s32: same
// expect: EXACT u32: same
// expect: EXACT s64: same
// expect: EXACT u64: same
// expect: EXACT wide: same
/* Places of threads compared with limits, in all ways, at the ends of what
 * integers hold. */
#include <cstdio>
#include <cuda_runtime.h>

enum { THREADS = 128, BLOCKS = 2 };

template <class T>
static __host__ __device__ unsigned
compare(T a, T b)
{
    return (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 |
           (a == b) << 4 | (a != b) << 5;
}

/* Each way by a branch of its own, which lanes take or not. */
template <class T>
__global__ void
all_ways(T from, T limit, unsigned *out)
{
    T i = (T)(from + (T)threadIdx.x);
    unsigned r = 0;
    if (i < limit)
        r |= 1;
    if (i <= limit)
        r |= 2;
    if (i > limit)
        r |= 4;
    if (i >= limit)
        r |= 8;
    if (limit == i)
        r |= 16;
    if (limit != i)
        r |= 32;
    out[blockIdx.x * THREADS + threadIdx.x] = r;
}

__global__ void
wide(unsigned from, unsigned long long limit, unsigned *out)
{
    unsigned long long i = (unsigned long long)(from + threadIdx.x) * 4;
    out[blockIdx.x * THREADS + threadIdx.x] = compare(i, limit);
}

template <class T>
static bool
same(T from, T limit, const unsigned *mine)
{
    for (int i = 0; i < BLOCKS * THREADS; i++)
        if (mine[i] != compare((T)(from + (T)(i % THREADS)), limit))
            return false;
    return true;
}

template <class T, class U>
static void
check(const char *name, unsigned *out)
{
    unsigned mine[BLOCKS * THREADS];
    const U ends[] = {0, (U)-1 / 2, (U)-1 / 2 + 1, (U)-1, 1000};
    bool ok = true;
    for (U end : ends)
        for (int d = -130; d <= 3; d++)
            for (U near : {end, (U)(end + 64), (U)(end - 3)}) {
                T from = (T)(end + (U)d), limit = (T)near;
                all_ways<<<BLOCKS, THREADS>>>(from, limit, out);
                cudaMemcpy(mine, out, sizeof mine, cudaMemcpyDeviceToHost);
                ok = ok && same(from, limit, mine);
            }
    printf("%s: %s\n", name, ok ? "same" : "wrong");
}

static void
check_wide(unsigned *out)
{
    unsigned mine[BLOCKS * THREADS];
    bool ok = true;
    for (unsigned from : {0u, 100u, ~0u - 60, 0x7fffffc0u})
        for (unsigned long long limit :
             {0ull, 4ull * (from + 33), 4ull * (from + 32) + 1, ~0ull,
              0x8000000000000000ull, 4ull * ~0u}) {
            wide<<<BLOCKS, THREADS>>>(from, limit, out);
            cudaMemcpy(mine, out, sizeof mine, cudaMemcpyDeviceToHost);
            for (unsigned i = 0; i < BLOCKS * THREADS; i++) {
                unsigned long long x = (from + i % THREADS) * 4ull;
                ok = ok && mine[i] == compare(x, limit);
            }
        }
    printf("wide: %s\n", ok ? "same" : "wrong");
}

int
main()
{
    unsigned *out;
    cudaMalloc(&out, BLOCKS * THREADS * sizeof *out);
    check<int, unsigned>("s32", out);
    check<unsigned, unsigned>("u32", out);
    check<long long, unsigned long long>("s64", out);
    check<unsigned long long, unsigned long long>("u64", out);
    check_wide(out);
    return 0;
}
