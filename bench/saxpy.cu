/* SPDX-License-Identifier: Apache-2.0 */
/* saxpy.cu - y = a x + y over 4 M elements, five times: the interpreter on
 * straight code with two loads and a store. */
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 22;
    float *x, *y, got = -1;
    if (cudaMalloc(&x, n * sizeof *x) || cudaMalloc(&y, n * sizeof *y) ||
        cudaMemset(x, 0, n * sizeof *x) || cudaMemset(y, 0, n * sizeof *y))
        return 1;
    for (int i = 0; i < 5; i++)
        saxpy<<<n / 256, 256>>>(n, 2, x, y);
    if (cudaMemcpy(&got, y + n - 1, sizeof got, cudaMemcpyDeviceToHost))
        return 1;
    return got != 0;
}
