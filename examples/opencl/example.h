/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example.h - what the examples of OpenCL share: the first device with a
 * context and a queue, the program in the .cl file beside the source, launches
 * that wait, and a line that says whether a result is right. Read the examples
 * and their .cl files.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static int example_wrong; /* cases; main returns example_close() */
static int example_right;

/* Ends the program if a call fails. */
static inline void
need(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    printf("%s: error %d\n", call, (int)status);
    exit(1);
}

/* The text of the file NAME in the folder of this header, to be freed. */
static inline char *
example_read(const char *name)
{
    const char *here = __FILE__, *slash = strrchr(here, '/');
    char path[4096];
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - here + 1) : 0,
             here, name);
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (!f || !text || !fread(text, 1, (1 << 16) - 1, f)) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    fclose(f);
    return text;
}

/* Opens the first device and builds the file. `#line` in front of its text
 * gives errors and tools the file's name. */
static inline void
example_open(const char *file, const char *options)
{
    char name[256];
    char *text = example_read(file);
    const char *parts[2] = {name, text};
    cl_platform_id platform;
    cl_int e;
    snprintf(name, sizeof name, "#line 1 \"%s\"\n", file);
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
         "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    need(e, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &e);
    need(e, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 2, parts, NULL, &e);
    need(e, "clCreateProgramWithSource");
    free(text);
    e = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (e == CL_SUCCESS)
        return;
    char log[8192] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log,
                          log, NULL);
    printf("%s\n", log);
    need(e, "clBuildProgram");
}

static inline cl_kernel
example_kernel(const char *name)
{
    cl_int e;
    cl_kernel kernel = clCreateKernel(program, name, &e);
    need(e, name);
    return kernel;
}

/* A buffer with a copy of the values; without them, of zeros. */
static inline cl_mem
example_buffer(size_t bytes, const void *values)
{
    cl_int e;
    void *zeros = values ? NULL : calloc(1, bytes);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                       values ? (void *)(size_t)values : zeros, &e);
    need(e, "clCreateBuffer");
    free(zeros);
    return buffer;
}

static inline void
example_set(cl_kernel kernel, cl_uint at, size_t bytes, const void *value)
{
    need(clSetKernelArg(kernel, at, bytes, value), "clSetKernelArg");
}

/* A launch; the next read of a buffer waits for it. */
static inline void
example_launch(cl_kernel kernel, cl_uint dimensions, const size_t *global,
               const size_t *local)
{
    need(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local,
                                0, NULL, NULL),
         "clEnqueueNDRangeKernel");
}

static inline void
example_read_buffer(cl_mem buffer, size_t bytes, void *to)
{
    need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL,
                             NULL),
         "clEnqueueReadBuffer");
}

/* One line: "name: verified", or "name: WRONG". */
static inline void
example_say(const char *name, int is_right)
{
    printf("%s: %s\n", name, is_right ? "verified" : "WRONG");
    fflush(stdout);
    example_right += is_right;
    example_wrong += !is_right;
}

/* The numbers are chosen so that both sides are exact: equal means equal. */
static inline void
example_verify(const char *name, const void *got, const void *want,
               size_t bytes)
{
    example_say(name, !memcmp(got, want, bytes));
}

/* Exit status of the program NAME. */
static inline int
example_close(const char *name)
{
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("examples/opencl_%s: %d passed, %d failed\n", name, example_right,
           example_wrong);
    return example_wrong != 0;
}

#endif
