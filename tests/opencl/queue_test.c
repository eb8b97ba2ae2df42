/* SPDX-License-Identifier: Apache-2.0 */
/* queue_test.c - commands: their order, events, callbacks, times; NDRanges. */
#include "check.h"
#include "opencl/fixture.h"

static const char source[] =
    "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n"
    "kernel void times(global int *p, int n) { p[get_global_id(0)] *= n; }\n"
    "kernel void await(global volatile int *p) { while (!*p); }\n"
    "kernel void ids(global ulong *p) {\n"
    "  size_t i = get_global_linear_id();\n"
    "  p[4 * i] = get_global_id(0); p[4 * i + 1] = get_group_id(0);\n"
    "  p[4 * i + 2] = get_local_size(0);\n"
    "  p[4 * i + 3] = get_num_groups(0) * 1000 + get_work_dim(); }\n"
    "kernel void __attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "ids_of_64(global ulong *p) {\n"
    "  p[get_global_id(0)] = get_group_id(0) * 1000 + get_local_size(0); }\n"
    "kernel void sum(global int *p, local int *a, local int *b) {\n"
    "  int i = get_local_id(0); a[i] = i; b[i] = 100 * i;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  p[get_global_id(0)] = a[63 - i] + b[63 - i]; }\n";

static cl_program program;

static cl_kernel
kernel(const char *name)
{
    return clCreateKernel(program, name, &err);
}

static void
start(void)
{
    open_device();
    program = program_of(source, "-cl-std=CL3.0");
    CHECK_EQ(err, CL_SUCCESS);
}

static void
end(void)
{
    clReleaseProgram(program);
    close_device();
}

CASE(a_queue_keeps_its_order)
{
    start();
    cl_int one = 1, two = 2, out[64];
    cl_mem p = buffer_of(sizeof out, NULL);
    cl_kernel add = kernel("add"), times = kernel("times");
    clSetKernelArg(add, 0, sizeof p, &p);
    clSetKernelArg(add, 1, sizeof one, &one);
    clSetKernelArg(times, 0, sizeof p, &p);
    clSetKernelArg(times, 1, sizeof two, &two);
    clEnqueueFillBuffer(queue, p, &one, 4, 0, sizeof out, 0, NULL, NULL);
    for (int i = 0; i < 10; i++) {
        CHECK_EQ(clEnqueueNDRangeKernel(queue, add, 1, NULL, &(size_t){64},
                                        NULL, 0, NULL, NULL),
                 CL_SUCCESS);
        clEnqueueNDRangeKernel(queue, times, 1, NULL, &(size_t){64}, NULL, 0,
                               NULL, NULL);
    }
    clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    CHECK_EQ(out[0], 3070);
    CHECK_EQ(out[63], 3070);
    clReleaseKernel(add);
    clReleaseKernel(times);
    clReleaseMemObject(p);
    end();
}

CASE(user_events_hold_commands)
{
    start();
    cl_int seven = 7, out = 0, status = 0;
    cl_mem p = buffer_of(4, &out);
    cl_event gate = clCreateUserEvent(context, &err), filled, read;
    cl_command_queue other = clCreateCommandQueue(
        context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &err);
    clEnqueueFillBuffer(other, p, &seven, 4, 0, 4, 1, &gate, &filled);
    clEnqueueReadBuffer(queue, p, CL_FALSE, 0, 4, &out, 1, &filled, &read);
    clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL);
    CHECK(status >= CL_SUBMITTED);
    CHECK_EQ(out, 0);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &read), CL_SUCCESS);
    CHECK_EQ(out, 7);
    clReleaseEvent(gate);
    clReleaseEvent(filled);
    clReleaseEvent(read);
    clReleaseMemObject(p);
    clReleaseCommandQueue(other);
    end();
}

CASE(what_waits_for_a_failure_is_not_done)
{
    start();
    cl_int seven = 7, out = 0, status = 0;
    cl_mem p = buffer_of(4, &out);
    cl_event gate = clCreateUserEvent(context, &err), filled;
    clEnqueueFillBuffer(queue, p, &seven, 4, 0, 4, 1, &gate, &filled);
    clSetUserEventStatus(gate, -9);
    CHECK_EQ(clWaitForEvents(1, &filled),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL);
    CHECK_EQ(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    clGetEventInfo(gate, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL);
    CHECK_EQ(status, -9);
    /* The queue is as good as before. */
    CHECK_EQ(clEnqueueReadBuffer(queue, p, CL_TRUE, 0, 4, &out, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(out, 0);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseEvent(gate);
    clReleaseEvent(filled);
    clReleaseMemObject(p);
    end();
}

CASE(order_alone_passes_no_failure_on)
{
    start();
    cl_int seven = 7, eight = 8, out[2] = {0};
    cl_mem p = buffer_of(8, out);
    cl_event gate = clCreateUserEvent(context, &err), filled;
    clEnqueueFillBuffer(queue, p, &seven, 4, 0, 4, 1, &gate, NULL);
    clEnqueueFillBuffer(queue, p, &eight, 4, 4, 4, 0, NULL, &filled);
    clSetUserEventStatus(gate, -9);
    CHECK_EQ(clWaitForEvents(1, &filled), CL_SUCCESS);
    clEnqueueReadBuffer(queue, p, CL_TRUE, 0, 8, out, 0, NULL, NULL);
    CHECK_EQ(out[0], 0);
    CHECK_EQ(out[1], 8);
    clReleaseEvent(gate);
    clReleaseEvent(filled);
    clReleaseMemObject(p);
    end();
}

static void CL_CALLBACK
on_running(cl_event e, cl_int status, void *arg)
{
    cl_int now = CL_QUEUED;
    clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now,
                   NULL);
    bool is_right = status == CL_RUNNING && now == CL_RUNNING;
    __atomic_store_n((cl_int *)arg, is_right ? 1 : 2, __ATOMIC_SEQ_CST);
}

/* The kernel ends when the callback of its beginning has been. */
CASE(a_beginning_is_told_at_once)
{
    start();
    cl_int *told = clSVMAlloc(
        context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 4, 0);
    cl_event gate = clCreateUserEvent(context, &err), ran;
    cl_kernel k = kernel("await");
    *told = 0;
    CHECK_EQ(clSetKernelArgSVMPointer(k, 0, told), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, k, 1, NULL, &(size_t){1}, NULL, 1,
                                    &gate, &ran),
             CL_SUCCESS);
    CHECK_EQ(clSetEventCallback(ran, CL_RUNNING, on_running, told), CL_SUCCESS);
    CHECK_EQ(__atomic_load_n(told, __ATOMIC_SEQ_CST), 0);
    clSetUserEventStatus(gate, CL_COMPLETE);
    CHECK_EQ(clWaitForEvents(1, &ran), CL_SUCCESS);
    CHECK_EQ(*told, 1);
    clReleaseEvent(gate);
    clReleaseEvent(ran);
    clReleaseKernel(k);
    clSVMFree(context, told);
    end();
}

CASE(times_are_in_order)
{
    start();
    cl_ulong t[4];
    cl_int n = 1;
    cl_event e;
    cl_mem p = buffer_of(4096, NULL);
    cl_kernel k = kernel("add");
    clSetKernelArg(k, 0, sizeof p, &p);
    clSetKernelArg(k, 1, sizeof n, &n);
    clEnqueueNDRangeKernel(queue, k, 1, NULL, &(size_t){1024}, NULL, 0, NULL,
                           &e);
    clWaitForEvents(1, &e);
    for (cl_uint i = 0; i < 4; i++)
        CHECK_EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, 8,
                                         &t[i], NULL),
                 CL_SUCCESS);
    CHECK(t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3] && t[0] < t[3]);
    clReleaseEvent(e);
    clReleaseKernel(k);
    clReleaseMemObject(p);
    end();
}

static cl_int seen[8];
static cl_int seen_count; /* atomic; a value is stored before it is counted */

static void CL_CALLBACK
on_event(cl_event e, cl_int status, void *arg)
{
    (void)e;
    seen[seen_count % 8] = status + 10 * *(cl_int *)arg;
    __atomic_add_fetch(&seen_count, 1, __ATOMIC_SEQ_CST);
}

static void CL_CALLBACK
on_native(void *arg)
{
    int *p = *(int **)arg;
    p[0] += 5;
}

CASE(callbacks_and_native_kernels)
{
    start();
    cl_int value = 1, tag = 3, out;
    cl_mem p = buffer_of(4, &value);
    cl_event gate = clCreateUserEvent(context, &err), e;
    struct {
        cl_mem m;
    } args = {p};
    const void *place = &args.m;
    CHECK_EQ(clEnqueueNativeKernel(queue, on_native, &args, sizeof args, 1, &p,
                                   &place, 1, &gate, &e),
             CL_SUCCESS);
    seen_count = 0;
    CHECK_EQ(clSetEventCallback(e, CL_COMPLETE, on_event, &tag), CL_SUCCESS);
    CHECK_EQ(seen_count, 0);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clEnqueueReadBuffer(queue, p, CL_TRUE, 0, 4, &out, 0, NULL, NULL);
    CHECK_EQ(out, 6);
    while (!__atomic_load_n(&seen_count, __ATOMIC_SEQ_CST))
        ;
    CHECK_EQ(seen[0], 30);
    clReleaseEvent(gate);
    clReleaseEvent(e);
    clReleaseMemObject(p);
    end();
}

CASE(groups_may_be_smaller_at_the_end)
{
    start();
    enum { N = 1000 };
    static cl_ulong out[4 * N];
    cl_mem p = buffer_of(sizeof out, NULL);
    cl_kernel k = kernel("ids");
    size_t offset = 7, global = N, local = 64;
    clSetKernelArg(k, 0, sizeof p, &p);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, k, 1, &offset, &global, &local, 0,
                                    NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof out, out, 0, NULL,
                                 NULL),
             CL_SUCCESS);
    for (cl_ulong i = 0; i < N; i += 37) {
        CHECK_EQ(out[4 * i], i + 7);
        CHECK_EQ(out[4 * i + 1], i / 64);
        CHECK_EQ(out[4 * i + 2], i < 960 ? 64 : 40);
        CHECK_EQ(out[4 * i + 3], 16001);
    }
    clReleaseKernel(k);
    clReleaseMemObject(p);
    end();
}

CASE(groups_of_a_required_size_may_be_smaller_at_the_end)
{
    start();
    enum { N = 100 };
    static cl_ulong out[N];
    cl_mem p = buffer_of(sizeof out, NULL);
    cl_kernel k = kernel("ids_of_64");
    clSetKernelArg(k, 0, sizeof p, &p);
    CHECK_EQ(run_1d(k, N, 0), CL_SUCCESS);
    CHECK_EQ(run_1d(k, N, 32), CL_INVALID_WORK_GROUP_SIZE);
    clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    CHECK_EQ(out[0], 64);
    CHECK_EQ(out[63], 64);
    CHECK_EQ(out[64], 1036);
    CHECK_EQ(out[99], 1036);
    clReleaseKernel(k);
    clReleaseMemObject(p);
    end();
}

CASE(local_arguments_lie_apart)
{
    start();
    cl_int out[64];
    cl_mem p = buffer_of(sizeof out, NULL);
    cl_kernel k = kernel("sum");
    clSetKernelArg(k, 0, sizeof p, &p);
    clSetKernelArg(k, 1, 256, NULL);
    clSetKernelArg(k, 2, 256, NULL);
    CHECK_EQ(run_1d(k, 64, 64), CL_SUCCESS);
    clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    CHECK_EQ(out[0], 6363);
    CHECK_EQ(out[63], 0);
    clSetKernelArg(k, 2, 49152, NULL);
    CHECK_EQ(run_1d(k, 64, 64), CL_OUT_OF_RESOURCES);
    clReleaseKernel(k);
    clReleaseMemObject(p);
    end();
}
