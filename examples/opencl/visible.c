/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visible.c - `volatile`, barriers and warps (visible.cl): how often memory is
 * read, as the PTX of the program says, and what is read.
 *
 *     cc visible.c -o visible -lOpenCL
 *     softwarp run --device "GeForce GTX 280" ./visible
 */
#include "example.h"

enum { COUNT = 64, WARP = 32 };

static int numbers[COUNT + 1], got[COUNT], want[COUNT];

/* Reads of global memory in the kernel's PTX. Programs get it as the device's
 * binary. */
static int
loads_of(const char *kernel)
{
    size_t bytes = 0;
    need(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes,
                          &bytes, NULL),
         "clGetProgramInfo");
    char *ptx = calloc(1, bytes + 1), name[64];
    need(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof ptx, &ptx, NULL),
         "clGetProgramInfo");
    snprintf(name, sizeof name, ".entry %s(", kernel);
    char *at = strstr(ptx, name), *end = at ? strstr(at, "\n}") : NULL;
    int count = 0;
    while (at && end && (at = strstr(at + 1, "\tld.")) && at < end)
        count += !strncmp(at, "\tld.global", 10) ||
                 !strncmp(at, "\tld.volatile", 12);
    free(ptx);
    return count;
}

static void
run(const char *name, size_t items)
{
    cl_kernel kernel = example_kernel(name);
    cl_mem from = example_buffer(sizeof numbers, numbers);
    cl_mem to = example_buffer(sizeof got, NULL);
    example_set(kernel, 0, sizeof from, &from);
    example_set(kernel, 1, sizeof to, &to);
    example_launch(kernel, 1, &items, &items);
    example_read_buffer(to, sizeof got, got);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
}

/* What comes out if the neighbour's 2 is seen by the first `items`, but by the
 * first of all. */
static void
expect_seen(int items)
{
    memset(want, 0, sizeof want);
    for (int i = 0; i < items; i++)
        want[i] = numbers[i] * (i ? 2 : numbers[i]);
}

static void
run_sum(void)
{
    const size_t items = COUNT;
    cl_int sum = 0, right = 0;
    for (int i = 0; i < COUNT; i++)
        right += numbers[i];
    cl_kernel kernel = example_kernel("sum_in_a_warp");
    cl_mem from = example_buffer(sizeof numbers, numbers);
    cl_mem to = example_buffer(sizeof sum, NULL);
    example_set(kernel, 0, sizeof from, &from);
    example_set(kernel, 1, sizeof to, &to);
    example_set(kernel, 2, COUNT * sizeof(cl_int), NULL);
    example_launch(kernel, 1, &items, &items);
    example_read_buffer(to, sizeof sum, &sum);
    example_verify("sum in a warp", &sum, &right, sizeof sum);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
}

int
main(void)
{
    for (int i = 0; i <= COUNT; i++)
        numbers[i] = 3 + i % 5;
    example_open("visible.cl", "");
    example_say("plain: memory is read once", loads_of("plain") == 1);
    example_say("volatile: memory is read twice", loads_of("read_twice") == 2);
    run("plain", WARP);
    for (int i = 0; i < WARP; i++)
        want[i] = numbers[i] * numbers[i];
    example_verify("plain: the first value, twice", got, want, sizeof got);
    run("with_barriers", COUNT);
    expect_seen(COUNT);
    example_verify("barriers: the neighbour's value", got, want, sizeof got);
    run("in_a_warp", COUNT);
    expect_seen(WARP);
    example_verify("in a warp: the neighbour's value", got, want, sizeof got);
    run_sum();
    return example_close("visible");
}
