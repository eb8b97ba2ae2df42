/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT blocks of 1: 0 wrong
// expect: EXACT blocks of 32: 0 wrong
// expect: EXACT blocks of 100: 0 wrong
// expect: EXACT blocks of 256: 0 wrong
// expect: EXACT blocks of 480: 0 wrong
// expect: EXACT blocks of 512: 0 wrong
// expect: EXACT blocks of 1000: 0 wrong
// expect: EXACT blocks of 1024: 0 wrong
/* Barriers that count, in a row, in blocks of which some warps meet at others
 * meanwhile, or have ended. */
#include "check.h"

#include <vector>

enum { BLOCKS = 7, TURNS = 9, RESULTS = 4 * TURNS + 3 };

__host__ __device__ bool
holds(unsigned block, unsigned thread, unsigned k)
{
    unsigned x = (block * 1024 + thread) * 2654435761u + k * 40503u;
    if (k % 5 == 3)
        return true;
    return k % 5 == 4 ? thread == 77 && block == 2 : x >> 13 & 1;
}

/* Two warps meet by themselves. */
__device__ void
meet_apart(void)
{
    asm volatile("bar.sync 1, 64;" ::: "memory");
}

/* What all threads are told, of which the last one that is left writes it. */
__global__ void
count(int *out, bool apart)
{
    unsigned b = blockIdx.x, t = threadIdx.x;
    int *to = out + b * RESULTS;
    int last = (int)blockDim.x - 1, wrong = 0;
    int before = __syncthreads_count(holds(b, t, 100));
    if (t == last)
        *to++ = before;
    for (unsigned k = 0; k < TURNS; k++) {
        if (apart && t < 64 && k % 3 == 1 && blockDim.x > 64)
            meet_apart();
        int ones = __syncthreads_count(holds(b, t, k));
        int all = __syncthreads_and(holds(b, t, k + 1));
        if (k % 2)
            __syncthreads();
        int any = __syncthreads_or(holds(b, t, k + 2));
        if (apart && t < 64 && k == 5 && blockDim.x > 64)
            meet_apart();
        int again = __syncthreads_count(!holds(b, t, k) && ones & 1);
        wrong += any < 0;
        if (t == last) {
            *to++ = ones;
            *to++ = all != 0;
            *to++ = any != 0;
            *to++ = again;
        }
    }
    if (t % 256 >= 128 && t != last)
        return;
    int left = __syncthreads_count(1);
    int some = __syncthreads_count(holds(b, t, 7));
    if (t == last) {
        *to++ = left;
        *to++ = some + wrong;
    }
}

static std::vector<int>
expected(unsigned threads)
{
    std::vector<int> r;
    for (unsigned b = 0; b < BLOCKS; b++) {
        auto ones = [&](unsigned k) {
            int n = 0;
            for (unsigned t = 0; t < threads; t++)
                n += holds(b, t, k);
            return n;
        };
        const int n = (int)threads;
        r.push_back(ones(100));
        for (unsigned k = 0; k < TURNS; k++) {
            r.push_back(ones(k));
            r.push_back(ones(k + 1) == n);
            r.push_back(ones(k + 2) != 0);
            r.push_back(ones(k) & 1 ? n - ones(k) : 0);
        }
        int left = 0, some = 0;
        for (unsigned t = 0; t < threads; t++) {
            bool stays = t % 256 < 128 || t == threads - 1;
            left += stays;
            some += stays && holds(b, t, 7);
        }
        r.push_back(left);
        r.push_back(some);
    }
    return r;
}

int
main(void)
{
    const unsigned sizes[] = {1, 32, 100, 256, 480, 512, 1000, 1024};
    int *out;
    CK(cudaMalloc(&out, BLOCKS * RESULTS * sizeof *out));
    for (unsigned threads : sizes) {
        int wrong = 0;
        std::vector<int> got(BLOCKS * RESULTS), want = expected(threads);
        for (int apart = 0; apart < 2; apart++) {
            CK(cudaMemset(out, 0xff, BLOCKS * RESULTS * sizeof *out));
            count<<<BLOCKS, threads>>>(out, apart);
            CK(cudaMemcpy(got.data(), out, BLOCKS * RESULTS * sizeof *out,
                          cudaMemcpyDeviceToHost));
            for (int i = 0; i < BLOCKS * RESULTS; i++)
                wrong += got[i] != want[i];
        }
        printf("blocks of %u: %d wrong\n", threads, wrong);
    }
    return 0;
}
