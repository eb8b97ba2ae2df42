/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction.h - the host's part of the four reductions. Stages 1 and 2 launch
 * `reduce` again and again, each time with half as many threads; stages 3 and 4
 * (TWO_PASSES) launch it twice: the blocks' sums first, then their sum.
 */
#ifndef REDUCTION_H
#define REDUCTION_H
#include <cuda_runtime.h>

#include "course.h"

enum { BLOCKS = 32, THREADS = 128 };

/* The sum of in[0] to in[n - 1], in parts: one a thread or one a block. */
__global__ void reduce(const int *in, int *out, int n);

static int *sum_all(int *in, int *out, int *other, int n)
{
#ifdef TWO_PASSES
    reduce<<<BLOCKS, THREADS>>>(in, other, n);
    CUDA(cudaGetLastError());
    reduce<<<1, THREADS>>>(other, out, BLOCKS);
    CUDA(cudaGetLastError());
    return out;
#else
    for (int left = n, to = BLOCKS * THREADS; left > 1; left = to, to /= 2) {
        int threads = to < THREADS ? to : THREADS;
        reduce<<<to / threads, threads>>>(in, out, left);
        CUDA(cudaGetLastError());
        in = out; /* what came out goes in next */
        out = other;
        other = in;
    }
    return in;
#endif
}

int main(int argc, char **argv)
{
    const int n = course_size(argc, argv, 100003);
    int *values = (int *)malloc(n * sizeof(int)), want = 0, got = 0;
    for (int i = 0; i < n; i++)
        want += values[i] = course_number(i, 1000) - 400;
    int *in, *out, *other;
    CUDA(cudaMalloc(&in, n * sizeof(int)));
    CUDA(cudaMalloc(&out, BLOCKS * THREADS * sizeof(int)));
    CUDA(cudaMalloc(&other, BLOCKS * THREADS * sizeof(int)));
    CUDA(cudaMemcpy(in, values, n * sizeof(int), cudaMemcpyHostToDevice));
    CUDA(cudaMemset(out, 0, BLOCKS * THREADS * sizeof(int)));
    CUDA(cudaMemset(other, 0, BLOCKS * THREADS * sizeof(int)));
    int *sum = sum_all(in, out, other, n);
    CUDA(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    printf("the sum of %d numbers is %d, and should be %d\n", n, got, want);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    CUDA(cudaFree(other));
    free(values);
    return got != want;
}
#endif
