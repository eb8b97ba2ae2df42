/* SPDX-License-Identifier: Apache-2.0 */
/* thread_test.c - many threads at once on one context: building one program
 * that others look at, kernels, commands of one queue, objects that end. */
#include <pthread.h>

#include "check.h"
#include "opencl/fixture.h"

enum { THREADS = 4, ROUNDS = 40, COUNT = 256 };

static const char *const texts[] = {
    "kernel void put(global int *p, int n) { p[get_global_id(0)] = n; }\n",
    ("kernel void put(global int *p, int n) { p[get_global_id(0)] = n; }\n"
     "kernel void other(global int *p) { p[0] = 1; }\n"),
    "kernel void put(global int *p, int n) { this is wrong; }\n",
};

static cl_program shared;
static int wrong, done; /* atomic */

static void
expect(bool is_right)
{
    if (!is_right)
        __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

static void
each(void *(*fn)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, fn, (void *)(uintptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Each answer is one of those that a program which is being built may give. */
static void
look(void)
{
    char text[4096];
    size_t n = 0;
    cl_build_status status;
    clGetProgramBuildInfo(shared, device, CL_PROGRAM_BUILD_STATUS,
                          sizeof status, &status, NULL);
    expect(status == CL_BUILD_NONE || status == CL_BUILD_IN_PROGRESS ||
           status == CL_BUILD_SUCCESS);
    clGetProgramBuildInfo(shared, device, CL_PROGRAM_BUILD_LOG, sizeof text,
                          text, NULL);
    clGetProgramBuildInfo(shared, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text,
                          text, NULL);
    cl_int e =
        clGetProgramInfo(shared, CL_PROGRAM_NUM_KERNELS, sizeof n, &n, NULL);
    expect(e == CL_INVALID_PROGRAM_EXECUTABLE || (e == CL_SUCCESS && n == 1));
    e = clGetProgramInfo(shared, CL_PROGRAM_KERNEL_NAMES, sizeof text, text,
                         NULL);
    expect(e == CL_INVALID_PROGRAM_EXECUTABLE ||
           (e == CL_SUCCESS && !strcmp(text, "put")));
}

static void *
build_or_look(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (arg) {
            look();
            cl_kernel k = clCreateKernel(shared, "put", &err);
            if (k)
                clReleaseKernel(k);
            continue;
        }
        cl_int e = clBuildProgram(shared, 0, NULL, "", NULL, NULL);
        expect(e == CL_SUCCESS || e == CL_INVALID_OPERATION);
    }
    return NULL;
}

CASE(a_program_is_built_while_others_look)
{
    open_device();
    shared = clCreateProgramWithSource(context, 1, (const char **)&texts[0],
                                       NULL, &err);
    each(build_or_look);
    CHECK_EQ(wrong, 0);
    CHECK_EQ(clBuildProgram(shared, 0, NULL, "", NULL, NULL), CL_SUCCESS);
    clReleaseProgram(shared);
    close_device();
}

/* A program of the thread's own, one round right, one wrong; kernels, buffers
 * and events on the queue of all. */
static void *
work(void *arg)
{
    cl_int number = (cl_int)(uintptr_t)arg, out[COUNT], e;
    for (int i = 0; i < ROUNDS; i++) {
        const char *text = texts[i % 3];
        cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &e);
        e = clBuildProgram(p, 1, &device, "", NULL, NULL);
        expect(e == (i % 3 == 2 ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS));
        if (e == CL_SUCCESS) {
            cl_kernel k = clCreateKernel(p, "put", &e);
            cl_mem m = clCreateBuffer(context, 0, sizeof out, NULL, &e);
            cl_int value = 1000 * number + i;
            cl_event ran;
            clSetKernelArg(k, 0, sizeof m, &m);
            clSetKernelArg(k, 1, sizeof value, &value);
            e = clEnqueueNDRangeKernel(queue, k, 1, NULL, &(size_t){COUNT},
                                       NULL, 0, NULL, &ran);
            expect(e == CL_SUCCESS);
            clReleaseKernel(k);
            e = clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof out, out, 1,
                                    &ran, NULL);
            expect(e == CL_SUCCESS && out[0] == value &&
                   out[COUNT - 1] == value);
            clReleaseEvent(ran);
            clReleaseMemObject(m);
        }
        clReleaseProgram(p);
    }
    __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
    return NULL;
}

CASE(threads_share_a_queue)
{
    open_device();
    each(work);
    CHECK_EQ(wrong, 0);
    CHECK_EQ(done, THREADS);
    close_device();
}

/* A program that is built anew while a kernel of the old one is queued. */
CASE(a_kernel_runs_though_its_program_is_built_anew)
{
    open_device();
    cl_int one = 1, out[COUNT] = {0};
    cl_program p = program_of(texts[1], "");
    cl_kernel k = clCreateKernel(p, "put", &err);
    cl_mem m = buffer_of(sizeof out, NULL);
    cl_event gate = clCreateUserEvent(context, &err);
    clSetKernelArg(k, 0, sizeof m, &m);
    clSetKernelArg(k, 1, sizeof one, &one);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, k, 1, NULL, &(size_t){COUNT}, NULL,
                                    1, &gate, NULL),
             CL_SUCCESS);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    clReleaseKernel(k);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "-DX", NULL, NULL), CL_SUCCESS);
    clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK_EQ(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL,
                                 NULL),
             CL_SUCCESS);
    CHECK_EQ(out[COUNT - 1], 1);
    clReleaseEvent(gate);
    clReleaseMemObject(m);
    clReleaseProgram(p);
    close_device();
}
