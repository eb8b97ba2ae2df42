/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit
// cc: -O3
// expect: EXACT rows: 0 wrong
// expect: EXACT columns: 0 wrong
// expect: EXACT two sums: 0 wrong
// expect: EXACT two sums in one place: 0 wrong
// expect: EXACT in place: 0 wrong
// expect: EXACT behind the list: 0 wrong
// expect: EXACT of other lengths: 0 wrong
// expect: EXACT downwards: 0 wrong
// expect: EXACT pairs: 0 wrong
// expect: EXACT of long numbers: 0 wrong
/* Loops that keep a sum in memory, `c[i] += a[k]`: where the sum is among what
 * is read, in the thread's own part of it, each turn has to see the one before.
 */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define BOTH __host__ __device__ __forceinline__

enum { N = 200, M = 96, WORDS = N * M + 3 * N };

/* A matrix of N rows of M, behind it three sums a row. The host runs the same
 * code, thread by thread. */
struct rows {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned *c = a + N * M;
        for (int k = 0; k < m; k++)
            c[i] += 3 * a[i * M + k];
    }
};

struct columns {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned *c = a + N * M;
        for (int k = 0; k < m; k++)
            c[i] = c[i] * 5 + a[k * N + i];
    }
};

struct two_sums {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned *c = a + N * M, *d = c + N;
        for (int k = 0; k < m; k++) {
            c[i] += a[i * M + k] * a[k];
            d[i] = d[i] * 3 + a[i * M + k];
        }
    }
};

/* Which the compiler cannot know. */
struct one_place {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned *c = a + N * M, *d = c + (m > 1000 ? N : 0);
        for (int k = 0; k < m; k++) {
            c[i] += a[i * M + k];
            d[i] = d[i] * 3 + a[i * M + k];
        }
    }
};

struct in_place {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned *row = a + i * M;
        for (int k = 0; k < m; k++)
            row[M / 2 + 1] += row[k] * 7;
    }
};

struct behind {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned *row = a + i * M;
        for (int k = 0; k < m / 2; k++)
            row[M / 2] = row[M / 2] * 7 + row[k];
    }
};

struct other_lengths {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned *c = a + N * M;
        int end = i * 37 % m;
        for (int k = i % 5; k < end; k++)
            c[i] += a[i * M + k] ^ (unsigned)k;
    }
};

struct downwards {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned *row = a + i * M;
        for (int k = m - 1; k >= 4; k -= 2)
            row[i % 5] = row[i % 5] * 3 + row[k];
    }
};

struct pairs {
    BOTH static void run(int i, unsigned *a, int m)
    {
        uint2 *c = (uint2 *)(a + N * M) + i;
        for (int k = 0; k < m; k++) {
            uint2 v = *c;
            v.x += a[i * M + k];
            v.y ^= a[k * N + i];
            *c = v;
        }
    }
};

struct long_numbers {
    BOTH static void run(int i, unsigned *a, int m)
    {
        unsigned long long *c = (unsigned long long *)(a + N * M) + i;
        for (int k = 0; k < m; k++)
            *c += (unsigned long long)a[i * M + k] << (k % 32);
    }
};

template <class T>
__global__ void
kernel(unsigned *a, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        T::run(i, a, m);
}

/* What one thread accesses is told of exactly. */
template <class T>
__global__ void
by_blocks(unsigned *a, int m)
{
    if (threadIdx.x == 0)
        T::run(blockIdx.x, a, m);
}

template <class T>
static int
count_wrong(void (*f)(unsigned *, int), int blocks)
{
    int wrong = 0;
    for (int m : {1, 2, 7, 8, 9, 63, (int)M}) {
        std::vector<unsigned> want(WORDS), got(WORDS);
        for (int i = 0; i < WORDS; i++)
            want[i] = (unsigned)i * 2654435761u >> 7;
        unsigned *d;
        cudaMalloc(&d, sizeof(unsigned) * WORDS);
        cudaMemcpy(d, want.data(), sizeof(unsigned) * WORDS,
                   cudaMemcpyHostToDevice);
        f<<<blocks, 64>>>(d, m);
        cudaMemcpy(got.data(), d, sizeof(unsigned) * WORDS,
                   cudaMemcpyDeviceToHost);
        for (int i = 0; i < N; i++)
            T::run(i, want.data(), m);
        for (int i = 0; i < WORDS; i++)
            wrong += got[i] != want[i];
        cudaFree(d);
    }
    return wrong;
}

template <class T>
static void
check(const char *name)
{
    int wrong = count_wrong<T>(kernel<T>, (N + 63) / 64);
    wrong += count_wrong<T>(by_blocks<T>, N);
    printf("%s: %d wrong\n", name, wrong);
}

int
main()
{
    check<rows>("rows");
    check<columns>("columns");
    check<two_sums>("two sums");
    check<one_place>("two sums in one place");
    check<in_place>("in place");
    check<behind>("behind the list");
    check<other_lengths>("of other lengths");
    check<downwards>("downwards");
    check<pairs>("pairs");
    check<long_numbers>("of long numbers");
}
