/* SPDX-License-Identifier: Apache-2.0 */
// cc: -std=c++20
// expect: EXACT 3 16
/* Objects on the device's heap in C++20, whose <cmath> includes <new>. */
#include <cstdio>
#include <functional>
#include <memory>

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};
struct square : shape {
    int side;
    __device__ square(int n) : side(n) {}
    __device__ int area() const override { return side * side; }
};

__global__ void
make(int *out)
{
    int *numbers = new int[4]{0, 1, 2, 3};
    shape *s = new square(4);
    out[0] = numbers[3];
    out[1] = s->area();
    delete s;
    delete[] numbers;
}

int
main()
{
    int *out;
    cudaMallocManaged(&out, 2 * sizeof *out);
    make<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[1]);
    return 0;
}
