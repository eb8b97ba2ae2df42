/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observed.c - a program of OpenCL for the checkers and the profiler: a mapped
 * buffer that the host fills where it lies, and an image that a kernel reads.
 * With an argument the kernel writes one number too many. While a user event is
 * open the calls of the program do not wait for it: that takes no time.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 64 };

static const char source[] =
    "kernel void add(global int *to, global const int *a, read_only image2d_t "
    "b,\n"
    "                int n)\n"
    "{\n"
    "    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | "
    "CLK_FILTER_NEAREST;\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        to[i] = a[i % 64] + read_imagei(b, s, (int2)(i % 8, i / 8 % "
    "8)).x;\n"
    "}\n";

static void
need(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    printf("%s: %d\n", what, (int)status);
    exit(3);
}

/* 20 calls while a command waits for an event of the program. */
static void
call_while_open(cl_context context, cl_command_queue queue, cl_mem m)
{
    cl_int e, zero = 0;
    cl_uint refs;
    cl_event gate = clCreateUserEvent(context, &e);
    need(e, "user event");
    need(clEnqueueFillBuffer(queue, m, &zero, 4, 0, 4, 1, &gate, NULL), "fill");
    time_t begin = time(NULL);
    for (int i = 0; i < 20; i++)
        need(clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof refs, &refs,
                                NULL),
             "count");
    if (time(NULL) - begin > 8)
        need(-1, "calls that take no time");
    need(clSetUserEventStatus(gate, CL_COMPLETE), "open");
    need(clReleaseEvent(gate), "release");
    need(clFinish(queue), "finish");
}

int
main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int e, texels[COUNT], result[COUNT];
    (void)argv;
    need(clGetPlatformIDs(1, &platform, NULL), "platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
         "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    need(e, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    need(e, "queue");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    need(e, "program");
    need(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "add", &e);
    need(e, "kernel");

    cl_mem a =
        clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof texels, NULL, &e);
    need(e, "a");
    cl_int *mapped = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_WRITE, 0,
                                        sizeof texels, 0, NULL, NULL, &e);
    need(e, "map");
    for (int i = 0; i < COUNT; i++) {
        mapped[i] = 1000 * i;
        texels[i] = i;
    }
    need(clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, NULL), "unmap");
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                           .image_width = 8,
                           .image_height = 8};
    cl_mem b = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                             &format, &shape, texels, &e);
    need(e, "image");
    cl_mem to =
        clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof result, NULL, &e);
    need(e, "to");

    call_while_open(context, queue, to);
    cl_int n = COUNT + (argc > 1);
    size_t global = 2 * COUNT;
    need(clSetKernelArg(kernel, 0, sizeof to, &to), "to");
    need(clSetKernelArg(kernel, 1, sizeof a, &a), "a");
    need(clSetKernelArg(kernel, 2, sizeof b, &b), "b");
    need(clSetKernelArg(kernel, 3, sizeof n, &n), "n");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL,
                                NULL),
         "launch");
    need(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof result, result, 0,
                             NULL, NULL),
         "read");
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += result[i] != 1001 * i;
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("%s\n", wrong ? "wrong" : "right");
    return wrong ? 2 : 0;
}
