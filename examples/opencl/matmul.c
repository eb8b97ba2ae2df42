/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul.c - products of matrices in OpenCL (matmul.cl): from global memory, by
 * tiles in local memory, and by its own transpose.
 *
 *     cc matmul.c -o matmul -lOpenCL && softwarp run ./matmul
 *
 * What printed guides for GPUs get wrong in such host code: the global size
 * counts work-items, not groups; every argument has to be set, in the kernel's
 * order, arrays in local memory with their size and no value; and what is read
 * back has the size of C.
 */
#include "example.h"

/* Multiples of TILE, and each another. */
enum { TILE = 16, WIDTH = 96, HEIGHT = 80, B_WIDTH = 64 };

static float a[HEIGHT * WIDTH], b[WIDTH * B_WIDTH];
static float got[HEIGHT * HEIGHT], want[HEIGHT * HEIGHT];

/* Sums of products of small integers: exact. */
static void
multiply(int by_itself)
{
    int width = by_itself ? HEIGHT : B_WIDTH;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < width; x++) {
            float sum = 0;
            for (int k = 0; k < WIDTH; k++)
                sum += a[y * WIDTH + k] *
                       (by_itself ? a[x * WIDTH + k] : b[k * B_WIDTH + x]);
            want[y * width + x] = sum;
        }
}

static void
run(const char *name, int is_tiled)
{
    const cl_int numbers[] = {WIDTH, HEIGHT, B_WIDTH, WIDTH};
    const size_t global[2] = {B_WIDTH, HEIGHT}, local[2] = {TILE, TILE};
    const size_t bytes = HEIGHT * B_WIDTH * sizeof(float);
    cl_kernel kernel = example_kernel(name);
    cl_mem from = example_buffer(sizeof a, a);
    cl_mem by = example_buffer(sizeof b, b);
    cl_mem to = example_buffer(bytes, NULL);
    example_set(kernel, 0, sizeof(cl_int), &numbers[0]);
    example_set(kernel, 1, sizeof(cl_int), &numbers[1]);
    example_set(kernel, 2, sizeof from, &from);
    example_set(kernel, 3, sizeof(cl_int), &numbers[2]);
    example_set(kernel, 4, sizeof(cl_int), &numbers[3]);
    example_set(kernel, 5, sizeof by, &by);
    example_set(kernel, 6, sizeof to, &to);
    for (cl_uint i = 7; is_tiled && i < 9; i++)
        example_set(kernel, i, TILE * TILE * sizeof(float), NULL);
    example_launch(kernel, 2, global, local);
    example_read_buffer(to, bytes, got);
    multiply(0);
    example_verify(name, got, want, bytes);
    clReleaseMemObject(from);
    clReleaseMemObject(by);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
}

static void
run_transposed(void)
{
    const cl_int width = WIDTH, height = HEIGHT;
    const size_t global[2] = {HEIGHT, HEIGHT}, local[2] = {TILE, TILE};
    cl_kernel kernel = example_kernel("transposed");
    cl_mem from = example_buffer(sizeof a, a);
    cl_mem to = example_buffer(sizeof got, NULL);
    example_set(kernel, 0, sizeof width, &width);
    example_set(kernel, 1, sizeof from, &from);
    example_set(kernel, 2, sizeof to, &to);
    example_set(kernel, 3, sizeof height, &height);
    example_launch(kernel, 2, global, local);
    example_read_buffer(to, sizeof got, got);
    multiply(1);
    example_verify("transposed", got, want, sizeof got);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
}

int
main(void)
{
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        a[i] = (float)(i % 13 - 6);
    for (int i = 0; i < WIDTH * B_WIDTH; i++)
        b[i] = (float)(i % 7 - 3);
    example_open("matmul.cl", "");
    run("naive", 0);
    run("tiled", 1);
    run_transposed();
    return example_close("matmul");
}
