/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul.c - products of matrices in OpenCL: each work-item reads whole rows
 * and columns from global memory, or the group loads tiles into local memory
 * first, with the second matrix transposed as it is loaded (C = A * A').
 *
 *     cc matmul.c -o matmul -lOpenCL && softwarp run ./matmul
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 128, TILE = 16 };

static const char source[] =
    "#define TILE 16\n"
    "kernel void naive(global const float *a, global const float *b,\n"
    "                  global float *c, int n) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];\n"
    "  c[y * n + x] = sum;\n"
    "}\n"
    "kernel void tiled(global const float *a, global const float *b,\n"
    "                  global float *c, int n) {\n"
    "  local float s[TILE][TILE], t[TILE][TILE];\n"
    "  int i = get_local_id(0), j = get_local_id(1);\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k += TILE) {\n"
    "    s[j][i] = a[y * n + k + i];\n"
    "    t[j][i] = b[(k + j) * n + x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int m = 0; m < TILE; m++) sum += s[j][m] * t[m][i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[y * n + x] = sum;\n"
    "}\n"
    "kernel void transposed(global const float *a, global float *c, int n) {\n"
    "  local float s[TILE][TILE], t[TILE][TILE + 1];\n"
    "  int i = get_local_id(0), j = get_local_id(1);\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  int first = get_group_id(0) * TILE;\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < n; k += TILE) {\n"
    "    s[j][i] = a[y * n + k + i];\n"
    "    t[i][j] = a[(first + j) * n + k + i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int m = 0; m < TILE; m++) sum += s[j][m] * t[m][i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[y * n + x] = sum;\n"
    "}\n";

static float a[N * N], b[N * N], c[N * N];

static void
need(cl_int result, const char *what)
{
    if (result == CL_SUCCESS)
        return;
    printf("%s: error %d\n", what, (int)result);
    exit(1);
}

static int
is_right(int transposed)
{
    for (int y = 0; y < N; y += 7)
        for (int x = 0; x < N; x += 5) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += (double)a[y * N + k] *
                       (transposed ? a[x * N + k] : b[k * N + x]);
            if (fabs(sum - (double)c[y * N + x]) > 1e-3)
                return 0;
        }
    return 1;
}

int
main(void)
{
    static const char *const names[] = {"naive", "tiled", "transposed"};
    const size_t global[2] = {N, N}, local[2] = {TILE, TILE};
    const char *text = source;
    const cl_int n = N;
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    int good = 0;
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 13) / 13;
        b[i] = (float)(i % 7) / 7;
    }
    need(clGetPlatformIDs(1, &platform, NULL), "platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
         "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    need(err, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    need(err, "queue");
    cl_program program =
        clCreateProgramWithSource(context, 1, &text, NULL, &err);
    need(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    const cl_mem_flags copy = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem in = clCreateBuffer(context, copy, sizeof a, a, &err);
    cl_mem in2 = clCreateBuffer(context, copy, sizeof b, b, &err);
    cl_mem out =
        clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &err);
    for (int i = 0; i < 3; i++) {
        cl_uint at = 0;
        cl_kernel kernel = clCreateKernel(program, names[i], &err);
        need(err, names[i]);
        clSetKernelArg(kernel, at++, sizeof in, &in);
        if (i < 2)
            clSetKernelArg(kernel, at++, sizeof in2, &in2);
        clSetKernelArg(kernel, at++, sizeof out, &out);
        clSetKernelArg(kernel, at++, sizeof n, &n);
        need(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0,
                                    NULL, NULL),
             "launch");
        need(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof c, c, 0, NULL,
                                 NULL),
             "read");
        int right = is_right(i == 2);
        printf("%s %d x %d: %s\n", names[i], N, N,
               right ? "verified" : "WRONG");
        good += right;
        clReleaseKernel(kernel);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(in2);
    clReleaseMemObject(out);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("examples/opencl_matmul: %d passed, %d failed\n", good, 3 - good);
    return good != 3;
}
