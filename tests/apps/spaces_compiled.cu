/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit
// cc: -O3
// expect: EXACT arrays of threads: 0 wrong
// expect: EXACT borders: 0 wrong
// expect: EXACT either tile: 0 wrong
// expect: EXACT all three: 0 wrong
// expect: EXACT passed on: 0 wrong
// expect: EXACT walked along: 0 wrong
// expect: EXACT counted: 0 wrong
// expect: EXACT lists: 0 wrong
/* Generic addresses, of which it can be known in which space they lie: all of
 * them, some, or none. */
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum { BLOCKS = 12, N = 96, ALL = BLOCKS * N };

#define ALONE __device__ __noinline__

__global__ void
arrays(const unsigned *in, unsigned *out)
{
    unsigned count[16] = {}, i = blockIdx.x * N + threadIdx.x;
    for (int k = 0; k < 40; k++)
        count[in[(i + k * 7) % ALL] & 15] += k;
    unsigned sum = 0;
    for (int k = 0; k < 16; k++)
        sum = sum * 3 + count[k];
    out[i] = sum;
}

/* What lies outside the tile is read where it comes from. */
__global__ void
borders(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[N];
    int t = threadIdx.x, i = blockIdx.x * N + t;
    tile[t] = in[i];
    __syncthreads();
    unsigned sum = 0;
    for (int k = 1; k < 5; k++) {
        unsigned l = t >= k ? tile[t - k] : in[(i + ALL - k) % ALL];
        unsigned r = t < N - k ? tile[t + k] : in[(i + k) % ALL];
        sum = sum * 5 + l + 2 * r;
    }
    out[i] = sum;
}

__global__ void
tiles(const unsigned *in, unsigned *out)
{
    __shared__ unsigned a[N], b[N];
    int t = threadIdx.x, i = blockIdx.x * N + t;
    a[t] = in[i];
    b[t] = ~in[i];
    __syncthreads();
    unsigned *from = in[i] & 1 ? a : b, sum = 0;
    for (int k = 0; k < N; k += 5)
        sum = sum * 3 + from[(t + k) % N];
    out[i] = sum;
}

ALONE unsigned
read(const unsigned *p, int k)
{
    return p[k] * 3 + p[k + 1];
}

__global__ void
three(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[N + 1];
    int t = threadIdx.x, i = blockIdx.x * N + t;
    unsigned own[8] = {1, 2, 3, 4, 5, 6, 7, in[i]};
    tile[t] = in[i];
    tile[N] = 9;
    __syncthreads();
    unsigned which = in[i] % 3;
    const unsigned *p = which == 0 ? own : which == 1 ? tile : in;
    out[i] = read(p, in[i] % 7) + read(in, i % (ALL - 1));
}

ALONE void
exchange(unsigned *a, unsigned *b)
{
    unsigned x = *a;
    *a = *b + 1;
    *b = x;
}

__global__ void
passed(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[N];
    int t = threadIdx.x, i = blockIdx.x * N + t;
    tile[t] = in[i];
    out[i] = i;
    __syncthreads();
    exchange(&tile[t], &out[i]);
    __syncthreads();
    exchange(&out[i], &tile[t ^ 1]);
    __syncthreads();
    out[i] += tile[t] * 5;
}

__global__ void
walked(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[2 * N];
    int t = threadIdx.x, i = blockIdx.x * N + t;
    tile[t] = in[i];
    tile[t + N] = in[i] * 3;
    __syncthreads();
    const unsigned *p = t % 3 ? tile + t : in + i / 2;
    unsigned sum = 0;
    for (int k = 0; k < N; k++)
        sum = sum * 7 + *p++;
    out[i] = sum;
}

ALONE void
count(unsigned *p, unsigned x)
{
    atomicAdd(p, x);
}

__global__ void
counted(const unsigned *in, unsigned *out)
{
    __shared__ unsigned bins[8];
    int t = threadIdx.x, i = blockIdx.x * N + t;
    if (t < 8)
        bins[t] = t;
    out[i] = 0;
    __syncthreads();
    count(&bins[in[i] % 8], in[i]);
    count(&out[i], in[i]);
    __syncthreads();
    out[i] += bins[t % 8];
}

/* The least of many, in order: a list in the thread's own memory. */
__global__ void
lists(const unsigned *in, unsigned *out)
{
    int i = blockIdx.x * N + threadIdx.x;
    unsigned least[6] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    for (int k = 0; k < 50; k++) {
        unsigned x = in[(i * 13 + k * 31) % ALL];
        int at = 5;
        if (x >= least[at])
            continue;
        while (at > 0 && least[at - 1] > x) {
            least[at] = least[at - 1];
            at--;
        }
        least[at] = x;
    }
    unsigned sum = 0;
    for (int k = 0; k < 6; k++)
        sum = sum * 31 + least[k];
    out[i] = sum;
}

typedef const std::vector<unsigned> &row;

static void
check(const char *name, void (*kernel)(const unsigned *, unsigned *),
      unsigned (*want)(row in, int i))
{
    std::vector<unsigned> in(ALL), got(ALL);
    for (int i = 0; i < ALL; i++)
        in[i] = (unsigned)i * 2654435761u >> 11;
    unsigned *a, *b;
    cudaMalloc(&a, ALL * 4);
    cudaMalloc(&b, ALL * 4);
    cudaMemcpy(a, in.data(), ALL * 4, cudaMemcpyHostToDevice);
    kernel<<<BLOCKS, N>>>(a, b);
    cudaMemcpy(got.data(), b, ALL * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < ALL; i++)
        wrong += got[i] != want(in, i);
    printf("%s: %d wrong\n", name, wrong);
    cudaFree(a);
    cudaFree(b);
}

int
main()
{
    check("arrays of threads", arrays, [](row in, int i) {
        unsigned count[16] = {}, sum = 0;
        for (int k = 0; k < 40; k++)
            count[in[(i + k * 7) % ALL] & 15] += k;
        for (int k = 0; k < 16; k++)
            sum = sum * 3 + count[k];
        return sum;
    });
    check("borders", borders, [](row in, int i) {
        unsigned sum = 0;
        for (int k = 1; k < 5; k++)
            sum = sum * 5 + in[(i + ALL - k) % ALL] + 2 * in[(i + k) % ALL];
        return sum;
    });
    check("either tile", tiles, [](row in, int i) {
        unsigned sum = 0;
        for (int k = 0; k < N; k += 5) {
            unsigned x = in[i / N * N + (i % N + k) % N];
            sum = sum * 3 + (in[i] & 1 ? x : ~x);
        }
        return sum;
    });
    check("all three", three, [](row in, int i) {
        unsigned own[8] = {1, 2, 3, 4, 5, 6, 7, in[i]}, k = in[i] % 7;
        unsigned first = i / N * N, j = i % (ALL - 1), x[2];
        for (int n = 0; n < 2; n++)
            x[n] = in[i] % 3 == 0   ? own[k + n]
                   : in[i] % 3 == 1 ? in[first + k + n]
                                    : in[k + n];
        return x[0] * 3 + x[1] + in[j] * 3 + in[j + 1];
    });
    check("passed on", passed, [](row in, int i) {
        unsigned o = i ^ 1; /* whose tile it exchanges with, and it with its */
        unsigned out = o + 2, tile = in[o];
        return out + tile * 5;
    });
    check("walked along", walked, [](row in, int i) {
        unsigned sum = 0, first = i / N * N, t = i % N;
        for (unsigned k = 0; k < N; k++) {
            unsigned at = t + k;
            unsigned tile = at < N ? in[first + at] : in[first + at - N] * 3;
            sum = sum * 7 + (t % 3 ? tile : in[i / 2 + k]);
        }
        return sum;
    });
    check("counted", counted, [](row in, int i) {
        unsigned sum = in[i] + i % N % 8;
        for (int k = 0; k < N; k++)
            sum += in[i / N * N + k] % 8 == i % N % 8 ? in[i / N * N + k] : 0;
        return sum;
    });
    check("lists", lists, [](row in, int i) {
        unsigned least[6] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u}, sum = 0;
        for (int k = 0; k < 50; k++) {
            unsigned x = in[(i * 13 + k * 31) % ALL];
            for (int at = 0; at < 6; at++)
                if (x < least[at]) {
                    unsigned y = least[at];
                    least[at] = x;
                    x = y;
                }
        }
        for (int k = 0; k < 6; k++)
            sum = sum * 31 + least[k];
        return sum;
    });
}
// check: race-shared (all threads store one border)
