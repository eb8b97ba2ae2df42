/* SPDX-License-Identifier: Apache-2.0 */
/*
 * building.c - what a program of OpenCL waits for before its first result, and
 * for each launch:
 *
 *     building DIRECTORY PLATFORM
 *
 * prints the milliseconds from the program's text to the end of its first
 * launch, and the microseconds of a launch with its wait, the median of many.
 */
#include "host.h"

enum { LAUNCHES = 20000, FIRST = 2000 };

static int
is_less(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
    static double took[LAUNCHES];
    if (argc != 3)
        return 2;
    cl.dir = argv[1];
    cl_open(argv[2]);
    const float one[64] = {1};
    const size_t items = 64;
    float result = 0;
    const cl_ulong n = 64;
    cl_int e;
    cl_mem x = cl_buffer(one, sizeof one), y = cl_buffer(one, sizeof one);
    cl_mem z = cl_buffer(NULL, sizeof one);

    double begin = bench_now_ms();
    cl_build("vectors", "");
    cl_kernel kernel = clCreateKernel(cl.program, "vecadd", &e);
    CL(e);
    CL(clSetKernelArg(kernel, 0, sizeof n, &n));
    CL(clSetKernelArg(kernel, 1, sizeof x, &x));
    CL(clSetKernelArg(kernel, 2, sizeof y, &y));
    CL(clSetKernelArg(kernel, 3, sizeof z, &z));
    CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &items, 0,
                              NULL, NULL));
    cl_wait();
    double first_ms = bench_now_ms() - begin;
    CL(clEnqueueReadBuffer(cl.queue, z, CL_TRUE, 0, sizeof result, &result, 0,
                           NULL, NULL));
    if (result != 2) {
        fprintf(stderr, "bench: building: WRONG: %g\n", (double)result);
        return 1;
    }

    kernel = clCreateKernel(cl.program, "empty", &e);
    CL(e);
    for (int i = 0; i < FIRST + LAUNCHES; i++) {
        double start = bench_now_ms();
        CL(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &items, &items, 0,
                                  NULL, NULL));
        cl_wait();
        if (i >= FIRST)
            took[i - FIRST] = bench_now_ms() - start;
    }
    qsort(took, LAUNCHES, sizeof *took, is_less);
    printf("first_ms %.2f launch_us %.2f\n", first_ms,
           took[LAUNCHES / 2] * 1e3);
    return 0;
}
