/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.h - what tests of the OpenCL library share: one device, a context, a
 * queue, programs from source. Include after check.h.
 */
#ifndef SW_OPENCL_FIXTURE_H
#define SW_OPENCL_FIXTURE_H
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
/* clang-format off */
#include <CL/cl.h>
#include <CL/cl_ext.h>
/* clang-format on */
#include <stdlib.h>

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_int err;

/* Whatever is not needed by a test is no warning. */
static inline void
open_device(void)
{
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
}

static inline void
close_device(void)
{
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

/* A program that is built; else its log is printed. */
static inline cl_program
program_of(const char *source, const char *options)
{
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    err = clBuildProgram(p, 1, &device, options, NULL, NULL);
    if (err != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                              NULL);
        printf("%s\n", log);
    }
    return p;
}

/* The program's reference is the kernel's. */
static inline cl_kernel
kernel_of(const char *source, const char *name)
{
    cl_program p = program_of(source, "");
    cl_kernel k = clCreateKernel(p, name, &err);
    clReleaseProgram(p);
    return k;
}

static inline cl_mem
buffer_of(size_t bytes, void *from)
{
    return clCreateBuffer(context, from ? CL_MEM_COPY_HOST_PTR : 0, bytes, from,
                          &err);
}

static inline void
set_args(cl_kernel k, cl_uint count, const size_t *sizes,
         const void *const *values)
{
    for (cl_uint i = 0; i < count; i++)
        clSetKernelArg(k, i, sizes[i], values[i]);
}

static inline cl_int
run_1d(cl_kernel k, size_t global, size_t local)
{
    cl_int result = clEnqueueNDRangeKernel(
        queue, k, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL);
    return result == CL_SUCCESS ? clFinish(queue) : result;
}

#endif
