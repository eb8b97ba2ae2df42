/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit
// cc: -O3
// expect: EXACT sums of blocks: 0 wrong
// expect: EXACT scans of warps: 0 wrong
// expect: EXACT scans of blocks: 0 wrong
// expect: EXACT warps wait for warps: 0 wrong
// expect: EXACT what is between: 0 wrong
/* Volatile shared memory, by which the lanes of a warp spoke with each other
 * before shuffles, and warps of a block do without a barrier. */
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum { BLOCKS = 24, N = 256 };

__device__ void
sum_warp(volatile unsigned *s, int t)
{
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

__global__ void
sums(const unsigned *in, unsigned *out)
{
    __shared__ unsigned s[N];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * N + t];
    __syncthreads();
    for (int k = N / 2; k > 32; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t < 32)
        sum_warp(s, t);
    out[blockIdx.x * N + t] = s[0] * (t == 0);
}

/* Hillis and Steele's, in a row with zeros before it. */
__global__ void
scan_warps(const unsigned *in, unsigned *out)
{
    __shared__ volatile unsigned s[N / 32][64];
    int t = threadIdx.x, lane = t % 32;
    volatile unsigned *row = &s[t / 32][32];
    row[lane - 32] = 0;
    row[lane] = in[blockIdx.x * N + t];
    for (int k = 1; k < 32; k *= 2)
        row[lane] += row[lane - k];
    out[blockIdx.x * N + t] = row[lane];
}

__global__ void
scan_blocks(const unsigned *in, unsigned *out)
{
    __shared__ volatile unsigned s[2 * N];
    int t = threadIdx.x + N;
    s[t - N] = 0;
    s[t] = in[blockIdx.x * N + t - N];
    for (int k = 1; k < N; k *= 2) {
        __syncthreads();
        unsigned before = s[t - k];
        __syncthreads();
        s[t] += before;
    }
    __syncthreads();
    out[blockIdx.x * N + t - N] = s[t];
}

/* Each warp waits for the one behind it. */
__global__ void
wait(const unsigned *in, unsigned *out)
{
    __shared__ volatile unsigned done[N / 32 + 1], sum[N / 32 + 1];
    int t = threadIdx.x, warp = t / 32;
    if (t <= N / 32)
        done[t] = t == N / 32, sum[t] = 0;
    __syncthreads();
    unsigned mine = in[blockIdx.x * N + t];
    while (!done[warp + 1])
        ;
    unsigned all = sum[warp + 1] + mine;
    if (t % 32 == 0) {
        sum[warp] = all;
        __threadfence_block();
        done[warp] = 1;
    }
    out[blockIdx.x * N + t] = all;
}

/* What a lane stored is read by another one at once, not what is known of it.
 */
__global__ void
between(const unsigned *in, unsigned *out)
{
    __shared__ volatile unsigned s[N];
    int t = threadIdx.x, warp = t & ~31, lane = t & 31;
    unsigned x = in[blockIdx.x * N + t], y = 0;
    for (int i = 0; i < 9; i++) {
        s[t] = x + i;
        y = y * 3 + s[warp + (lane * 5 + i & 31)];
        if (lane < 16)
            s[t] = y;
        x ^= s[warp + (lane ^ 16)];
    }
    out[blockIdx.x * N + t] = x + y;
}

typedef std::vector<unsigned> row;

static void
check(const char *name, void (*kernel)(const unsigned *, unsigned *),
      void (*block)(const unsigned *, unsigned *))
{
    row in(BLOCKS * N), got(BLOCKS * N), want(BLOCKS * N);
    for (int i = 0; i < BLOCKS * N; i++)
        in[i] = (unsigned)i * 2654435761u >> 9;
    unsigned *a, *b;
    cudaMalloc(&a, BLOCKS * N * 4);
    cudaMalloc(&b, BLOCKS * N * 4);
    cudaMemcpy(a, in.data(), BLOCKS * N * 4, cudaMemcpyHostToDevice);
    kernel<<<BLOCKS, N>>>(a, b);
    cudaMemcpy(got.data(), b, BLOCKS * N * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < BLOCKS; i++)
        block(&in[i * N], &want[i * N]);
    for (int i = 0; i < BLOCKS * N; i++)
        wrong += got[i] != want[i];
    printf("%s: %d wrong\n", name, wrong);
    cudaFree(a);
    cudaFree(b);
}

int
main()
{
    check("sums of blocks", sums, [](const unsigned *in, unsigned *out) {
        for (int i = 0; i < N; i++)
            out[0] += in[i];
    });
    check("scans of warps", scan_warps, [](const unsigned *in, unsigned *out) {
        for (int i = 0; i < N; i++)
            out[i] = in[i] + (i % 32 ? out[i - 1] : 0);
    });
    check("scans of blocks", scan_blocks,
          [](const unsigned *in, unsigned *out) {
              for (int i = 0; i < N; i++)
                  out[i] = in[i] + (i ? out[i - 1] : 0);
          });
    check("warps wait for warps", wait, [](const unsigned *in, unsigned *out) {
        unsigned sum = 0;
        for (int w = N - 32; w >= 0; w -= 32) {
            for (int i = 0; i < 32; i++)
                out[w + i] = sum + in[w + i];
            sum = out[w];
        }
    });
    check("what is between", between, [](const unsigned *in, unsigned *out) {
        unsigned s[32], x[32], y[32];
        for (int w = 0; w < N; w += 32) {
            for (int k = 0; k < 32; k++)
                x[k] = in[w + k], y[k] = 0;
            for (int i = 0; i < 9; i++) {
                for (int k = 0; k < 32; k++)
                    s[k] = x[k] + i;
                for (int k = 0; k < 32; k++)
                    y[k] = y[k] * 3 + s[(k * 5 + i) & 31];
                for (int k = 0; k < 16; k++)
                    s[k] = y[k];
                for (int k = 0; k < 32; k++)
                    x[k] ^= s[k ^ 16];
            }
            for (int k = 0; k < 32; k++)
                out[w + k] = x[k] + y[k];
        }
    });
}
// check: race-shared (lanes that exchange by volatile words alone)
