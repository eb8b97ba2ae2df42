/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose.h - the host's part of the transposes: a square matrix of floats,
 * tiles of 32 x 32, blocks of 32 x 8 threads, each of which moves four elements.
 */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H
#include <cuda_runtime.h>

#include "course.h"

enum { TILE = 32, ROWS = 8 };

/* out[x][y] = in[y][x], of `width` x `width` elements. */
__global__ void transpose(float *out, const float *in, int width);

int main(int argc, char **argv)
{
    const int width = course_size(argc, argv, 256);
    const size_t n = (size_t)width * width, bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *want = (float *)malloc(bytes);
    for (int y = 0; y < width; y++)
        for (int x = 0; x < width; x++) {
            a[(size_t)y * width + x] = (float)(y * width + x);
            want[(size_t)x * width + y] = (float)(y * width + x);
        }
    float *in, *out;
    CUDA(cudaMalloc(&in, bytes));
    CUDA(cudaMalloc(&out, bytes));
    CUDA(cudaMemcpy(in, a, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(out, 0xff, bytes));
    transpose<<<dim3(width / TILE, width / TILE), dim3(TILE, ROWS)>>>(out, in,
                                                                      width);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(a, out, bytes, cudaMemcpyDeviceToHost));
    int wrong = course_compare(a, want, n);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    free(a);
    free(want);
    return wrong;
}
#endif
