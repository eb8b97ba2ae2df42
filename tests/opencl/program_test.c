/* SPDX-License-Identifier: Apache-2.0 */
/* program_test.c - programs: logs, parts, binaries, kernels' facts; faults;
 * beside CUDA. */
#include "check.h"
#include "cuda.h"
#include "opencl/fixture.h"

static const char source[] =
    "/* a */\n"
    "__attribute__((reqd_work_group_size(16, 2, 1)))\n"
    "kernel void shape(global const float *restrict in, local int *t,\n"
    "                  constant int *c, float4 v) {}\n"
    "kernel void store(global int *p, int at, int n) { p[at] = n; }\n"
    "kernel void wild(global int *p) {\n"
    "  p[0] = 1;\n"
    "  *(global int *)(ulong)(get_global_id(0) + 16) = 1;\n"
    "}\n";

static cl_int
value_of(cl_mem m)
{
    cl_int out = -1;
    clEnqueueReadBuffer(queue, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL);
    return out;
}

static void
store(cl_program p, cl_mem m, cl_int n)
{
    cl_int at = 0;
    cl_kernel k = clCreateKernel(p, "store", &err);
    clSetKernelArg(k, 0, sizeof m, &m);
    clSetKernelArg(k, 1, sizeof at, &at);
    clSetKernelArg(k, 2, sizeof n, &n);
    CHECK_EQ(run_1d(k, 1, 1), CL_SUCCESS);
    clReleaseKernel(k);
}

CASE(kernels_know_their_arguments)
{
    open_device();
    cl_kernel k = kernel_of(source, "shape");
    char text[64];
    size_t size[3];
    cl_uint number;
    cl_ulong bits;
    clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, 64, text, NULL);
    CHECK_STR(text, "in");
    clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, 64, text, NULL);
    CHECK_STR(text, "float*");
    clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, 8, &bits, NULL);
    CHECK_EQ(bits, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT);
    clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, 4, &number, NULL);
    CHECK_EQ(number, CL_KERNEL_ARG_ADDRESS_LOCAL);
    clGetKernelArgInfo(k, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, 4, &number, NULL);
    CHECK_EQ(number, CL_KERNEL_ARG_ADDRESS_CONSTANT);
    clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, 4, &number, NULL);
    CHECK_EQ(number, 4);
    clGetKernelWorkGroupInfo(k, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                             sizeof size, size, NULL);
    CHECK_EQ(size[0] * 100 + size[1] * 10 + size[2], 1621);
    clReleaseKernel(k);
    close_device();
}

CASE(a_log_names_the_line)
{
    open_device();
    const char *text = "kernel void f(global int *p) {\n  p[0] = nothing;\n}\n";
    char log[4096] = "";
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL),
             CL_BUILD_PROGRAM_FAILURE);
    clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                          NULL);
    CHECK(strstr(log, ":2:") && strstr(log, "nothing"));
    clReleaseProgram(p);
    close_device();
}

CASE(binaries_come_back)
{
    open_device();
    cl_program p = program_of(source, "");
    size_t bytes;
    clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL);
    unsigned char *binary = malloc(bytes);
    clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
    clReleaseProgram(p);
    cl_program again =
        clCreateProgramWithBinary(context, 1, &device, &bytes,
                                  (const unsigned char **)&binary, NULL, &err);
    free(binary);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(again, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_mem m = buffer_of(64, NULL);
    store(again, m, 41);
    CHECK_EQ(value_of(m), 41);
    clReleaseMemObject(m);
    clReleaseProgram(again);
    close_device();
}

CASE(parts_are_linked)
{
    open_device();
    const char *library = "#include \"n.h\"\nint f(int x) { return x + N; }\n",
               *main_part = "int f(int);\nkernel void store(global int *p, "
                            "int at, int n) { p[at] = f(n); }\n",
               *header = "#define N 1000\n", *name = "n.h";
    cl_program h = clCreateProgramWithSource(context, 1, &header, NULL, &err);
    cl_program a = clCreateProgramWithSource(context, 1, &library, NULL, &err);
    cl_program b =
        clCreateProgramWithSource(context, 1, &main_part, NULL, &err);
    CHECK_EQ(clCompileProgram(a, 0, NULL, "", 1, &h, &name, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clCompileProgram(b, 0, NULL, "", 0, NULL, NULL, NULL, NULL),
             CL_SUCCESS);
    cl_program lib = clLinkProgram(context, 0, NULL, "-create-library", 1, &a,
                                   NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_program all = clLinkProgram(context, 0, NULL, "", 2,
                                   (cl_program[]){b, lib}, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    cl_mem m = buffer_of(64, NULL);
    store(all, m, 7);
    CHECK_EQ(value_of(m), 1007);
    clReleaseMemObject(m);
    cl_program made[] = {h, a, b, lib, all};
    for (int i = 0; i < 5; i++)
        CHECK_EQ(clReleaseProgram(made[i]), CL_SUCCESS);
    close_device();
}

static void CL_CALLBACK
on_built(cl_program p, void *arg)
{
    (void)p;
    __atomic_store_n((int *)arg, 1, __ATOMIC_SEQ_CST);
}

CASE(builds_may_be_waited_for)
{
    open_device();
    static int built;
    const char *text = source;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, on_built, &built), CL_SUCCESS);
    while (!__atomic_load_n(&built, __ATOMIC_SEQ_CST))
        ;
    cl_build_status status = CL_BUILD_NONE;
    clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof status,
                          &status, NULL);
    CHECK_EQ(status, CL_BUILD_SUCCESS);
    clReleaseProgram(p);
    close_device();
}

CASE(a_fault_ends_its_context_only)
{
    open_device();
    cl_program p = program_of(source, "");
    cl_kernel k = clCreateKernel(p, "wild", &err);
    cl_mem m = buffer_of(64, NULL);
    cl_event e;
    cl_int status;
    clSetKernelArg(k, 0, sizeof m, &m);
    clEnqueueNDRangeKernel(queue, k, 1, NULL, &(size_t){32}, NULL, 0, NULL, &e);
    CHECK_EQ(clFinish(queue), CL_OUT_OF_RESOURCES);
    clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &status, NULL);
    CHECK_EQ(status, CL_OUT_OF_RESOURCES);
    CHECK_EQ(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL),
             CL_OUT_OF_RESOURCES);
    clReleaseEvent(e);
    clReleaseKernel(k);
    clReleaseMemObject(m);
    clReleaseProgram(p);
    close_device();
    open_device();
    p = program_of(source, "");
    m = buffer_of(64, NULL);
    store(p, m, 5);
    CHECK_EQ(value_of(m), 5);
    clReleaseMemObject(m);
    clReleaseProgram(p);
    close_device();
}

CASE(both_apis_share_memory)
{
    open_device();
    cl_program p = program_of(source, "");
    CUcontext cuda;
    CUdeviceptr at;
    int out = 0;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuCtxCreate(&cuda, 0, 0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&at, 64), CUDA_SUCCESS);
    cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64,
                              (void *)(uintptr_t)at, &err);
    CHECK_EQ(err, CL_SUCCESS);
    store(p, m, 77);
    CHECK_EQ(cuMemcpyDtoH(&out, at, 4), CUDA_SUCCESS);
    CHECK_EQ(out, 77);
    clReleaseMemObject(m);
    CHECK_EQ(cuMemFree(at), CUDA_SUCCESS);
    cuCtxDestroy(cuda);
    clReleaseProgram(p);
    close_device();
}

CASE(types_may_be_called_image_something)
{
    open_device();
    cl_uint out = 0;
    cl_kernel k =
        kernel_of("typedef struct { uint a; } image_data;\n"
                  "kernel void set(global image_data *p) { p->a = 3; }",
                  "set");
    cl_mem p = buffer_of(sizeof out, NULL);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof p, &p), CL_SUCCESS);
    CHECK_EQ(run_1d(k, 1, 1), CL_SUCCESS);
    clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL);
    CHECK_EQ(out, 3);
    clReleaseKernel(k);
    clReleaseMemObject(p);
    close_device();
}
