/* SPDX-License-Identifier: Apache-2.0 */
/* debug.h - the host's part of the exercise with two faults: `smooth` gets an
 * array whose length is no multiple of the block's. */
#ifndef DEBUG_H
#define DEBUG_H
#include <cuda_runtime.h>

#include "course.h"

enum { THREADS = 128 };

/* out[i] = the sum of in[i - 1], in[i] and in[i + 1], where they are there. */
__global__ void smooth(int *out, const int *in, int n);

int main(int argc, char **argv)
{
    const int n = course_size(argc, argv, 1000);
    int *a = (int *)malloc(n * sizeof(int)), *want = (int *)malloc(n * sizeof(int));
    int *in, *out;
    for (int i = 0; i < n; i++)
        a[i] = course_number(i, 1000);
    for (int i = 0; i < n; i++)
        want[i] = (i ? a[i - 1] : 0) + a[i] + (i + 1 < n ? a[i + 1] : 0);
    CUDA(cudaMalloc(&in, n * sizeof(int)));
    CUDA(cudaMalloc(&out, n * sizeof(int)));
    CUDA(cudaMemcpy(in, a, n * sizeof(int), cudaMemcpyHostToDevice));
    smooth<<<(n + THREADS - 1) / THREADS, THREADS>>>(out, in, n);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(a, out, n * sizeof(int), cudaMemcpyDeviceToHost));
    int wrong = course_compare(a, want, n);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    free(a);
    free(want);
    return wrong;
}
#endif
