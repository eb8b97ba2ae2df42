/* SPDX-License-Identifier: Apache-2.0 */
/* divergence.h - the host's part: blocks of 256 threads, of which each element
 * of a pair wants other work. */
#ifndef DIVERGENCE_H
#define DIVERGENCE_H
#include <cuda_runtime.h>

#include "course.h"

enum { THREADS = 256, BLOCKS = 16 };

/* Elements with even numbers are doubled, the others get 1 more. */
__global__ void pairs(int *out, const int *in);

int main()
{
    const int n = THREADS * BLOCKS;
    static int a[n], want[n];
    int *in, *out;
    for (int i = 0; i < n; i++) {
        a[i] = course_number(i, 1000);
        want[i] = i % 2 ? a[i] + 1 : a[i] * 2;
    }
    CUDA(cudaMalloc(&in, sizeof a));
    CUDA(cudaMalloc(&out, sizeof a));
    CUDA(cudaMemcpy(in, a, sizeof a, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(out, 0xff, sizeof a));
    pairs<<<BLOCKS, THREADS>>>(out, in);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(a, out, sizeof a, cudaMemcpyDeviceToHost));
    int wrong = course_compare(a, want, n);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    return wrong;
}
#endif
