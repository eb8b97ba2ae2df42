/* SPDX-License-Identifier: Apache-2.0 */
/* launch_test.c - modules, kernels, launches and what they refuse. */
#include "api_help.h"

CASE(calls_before_initialisation_say_so)
{
    int n;
    CUdeviceptr p;
    CHECK_EQ(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_NOT_INITIALIZED);
    CHECK_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
}

CASE(a_kernel_adds_to_memory)
{
    api_fixture f = api_begin();
    enum { N = 1000 };
    unsigned h[N];
    CUdeviceptr p;
    for (unsigned i = 0; i < N; i++)
        h[i] = i;
    CHECK_EQ(cuMemAlloc(&p, sizeof h), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, h, sizeof h), CUDA_SUCCESS);
    CHECK_EQ(api_add(&f, p, N, 7, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(h, p, sizeof h), CUDA_SUCCESS);
    unsigned wrong = 0;
    for (unsigned i = 0; i < N; i++)
        wrong += h[i] != i + 7;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    api_end(&f);
}

CASE(parameters_travel_packed_too)
{
    api_fixture f = api_begin();
    unsigned v = 40;
    struct {
        CUdeviceptr p;
        unsigned n, add;
    } packed = {0, 1, 2};
    size_t bytes = sizeof packed;
    CHECK_EQ(cuMemAlloc(&packed.p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(packed.p, &v, 4), CUDA_SUCCESS);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CHECK_EQ(cuLaunchKernel(f.add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, packed.p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 42);
    /* What an H100 answers to other sizes. */
    static const struct {
        size_t bytes;
        CUresult result;
    } sizes[] = {
        {0, CUDA_ERROR_INVALID_VALUE},
        {12, CUDA_SUCCESS}, /* adds nothing */
        {16, CUDA_SUCCESS},
        {17, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES},
        {4096, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bytes = sizes[i].bytes;
        CHECK_EQ(cuLaunchKernel(f.add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
                 sizes[i].result);
    }
    CHECK_EQ(cuMemcpyDtoH(&v, packed.p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 44);
    void *none[] = {CU_LAUNCH_PARAM_END};
    CHECK_EQ(cuLaunchKernel(f.add, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, none),
             CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

CASE(variables_have_their_initial_value_and_address)
{
    api_fixture f = api_begin();
    CUdeviceptr p;
    size_t bytes;
    unsigned v = 0;
    CHECK_EQ(cuModuleGetGlobal(&p, &bytes, f.module, "counter"), CUDA_SUCCESS);
    CHECK_EQ(bytes, 4);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 5);
    CHECK_EQ(cuModuleGetGlobal(&p, &bytes, f.module, "nothing"),
             CUDA_ERROR_NOT_FOUND);
    api_end(&f);
}

CASE(names_that_are_not_there)
{
    api_fixture f = api_begin();
    CUfunction g;
    CUmodule m;
    CHECK_EQ(cuModuleGetFunction(&g, f.module, "nobody"), CUDA_ERROR_NOT_FOUND);
    CHECK_EQ(cuModuleGetFunction(&g, f.module, "counter"),
             CUDA_ERROR_NOT_FOUND);
    CHECK_EQ(cuModuleGetFunction(NULL, f.module, "add"),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuModuleLoad(&m, "/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
    api_end(&f);
}

CASE(broken_ptx_is_refused_with_a_log)
{
    api_fixture f = api_begin();
    CUmodule m;
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CHECK_EQ(cuModuleLoadDataEx(&m,
                                ".version 6.0\n.target sm_50\n"
                                ".address_size 64\n.visible .entry k( {\n",
                                2, options, values),
             CUDA_ERROR_INVALID_PTX);
    CHECK(log[0] != 0);
    api_end(&f);
}

CASE(shapes_that_no_device_takes)
{
    static const struct {
        unsigned grid[3], block[3], shared;
    } bad[] = {
        {{0, 1, 1}, {1, 1, 1}, 0},     {{1, 1, 1}, {0, 1, 1}, 0},
        {{1, 1, 1}, {4096, 1, 1}, 0},  {{1, 1, 1}, {1, 1, 65}, 0},
        {{1, 65536, 1}, {1, 1, 1}, 0}, {{1, 1, 1}, {1, 1, 1}, 1u << 20},
        {{1, 1, 1}, {512, 2, 2}, 0},
    };
    api_fixture f = api_begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(cuLaunchKernel(f.empty, bad[i].grid[0], bad[i].grid[1],
                                bad[i].grid[2], bad[i].block[0],
                                bad[i].block[1], bad[i].block[2], bad[i].shared,
                                NULL, NULL, NULL),
                 CUDA_ERROR_INVALID_VALUE);
    /* ... and the context is as good as before. */
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    api_end(&f);
}

CASE(as_many_threads_as_a_kernel_says_can_be_launched)
{
    /* Reads more words than most kernels have registers, then adds them up. */
    static const unsigned words[] = {16, 60, 80, 100, 120, 160, 220};
    api_fixture f = api_begin();
    CUdeviceptr p;
    int most = 0, before = 1024;
    CHECK_EQ(cuMemAlloc(&p, 4096), CUDA_SUCCESS);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        char text[20000];
        CUmodule module;
        CUfunction kernel;
        void *params[] = {&p};
        int at = snprintf(text, sizeof text,
                          ".version 6.4\n.target sm_60\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p) {\n"
                          ".reg .u64 %%d; .reg .u32 %%r<%u>;\n"
                          "ld.param.u64 %%d, [p]; mov.u32 %%r0, 0;\n",
                          words[k] + 1);
        for (unsigned i = 1; i <= words[k]; i++)
            at +=
                snprintf(text + at, sizeof text - (size_t)at,
                         "ld.volatile.global.u32 %%r%u, [%%d+%u];\n", i, 4 * i);
        for (unsigned i = words[k]; i; i--)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "add.u32 %%r0, %%r0, %%r%u;\n", i);
        snprintf(text + at, sizeof text - (size_t)at,
                 "st.global.u32 [%%d], %%r0; ret; }\n");
        CHECK_EQ(cuModuleLoadData(&module, text), CUDA_SUCCESS);
        CHECK_EQ(cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
        CHECK_EQ(cuFuncGetAttribute(
                     &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel),
                 CUDA_SUCCESS);
        CHECK(most > 0 && most <= before);
        before = most;
        CHECK_EQ(cuLaunchKernel(kernel, 1, 1, 1, (unsigned)most, 1, 1, 0, NULL,
                                params, NULL),
                 CUDA_SUCCESS);
        CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
        CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    }
    CHECK_EQ(most, 256); /* of the last */
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    api_end(&f);
}

CASE(attributes_of_kernels)
{
    api_fixture f = api_begin();
    int v = -1;
    CHECK_EQ(
        cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f.add),
        CUDA_SUCCESS);
    CHECK_EQ(v, 1024);
    CHECK_EQ(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f.add),
             CUDA_SUCCESS);
    CHECK_EQ(v, 0);
    CHECK_EQ(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, f.add),
             CUDA_SUCCESS);
    CHECK_EQ(v, 60);
    CHECK_EQ(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, f.add),
             CUDA_SUCCESS);
    CHECK(v > 0 && v < 64);
    CHECK_EQ(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, f.add),
             CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

static int
static_shared(const char *extra)
{
    char text[1024];
    CUmodule m;
    CUfunction fn;
    int bytes = -1;
    snprintf(text, sizeof text,
             ".version 7.0\n.target sm_50\n.address_size 64\n%s"
             ".visible .entry k(.param .u64 p) {\n"
             "  .shared .align 4 .b8 s[40]; .reg .b64 %%d; .reg .b32 %%r;\n"
             "  ld.param.u64 %%d, [p]; ld.shared.u32 %%r, [s];\n"
             "  st.global.u32 [%%d], %%r; ret; }\n",
             extra);
    CHECK_EQ(cuModuleLoadData(&m, text), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&fn, m, "k"), CUDA_SUCCESS);
    CHECK_EQ(
        cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, fn),
        CUDA_SUCCESS);
    CHECK_EQ(cuModuleUnload(m), CUDA_SUCCESS);
    return bytes;
}

/* As the assembler (of CUDA 13.0) says of the same text. */
CASE(static_shared_memory_is_counted_as_assembled)
{
    api_fixture f = api_begin();
    CHECK_EQ(static_shared(""), 40);
    CHECK_EQ(static_shared(".extern .shared .align 8 .b8 dynamic[];\n"), 48);
    CHECK_EQ(static_shared(".shared .align 4 .b8 other[8];\n"), 40);
    api_end(&f);
}

CASE(wild_handles_are_no_crash)
{
    api_fixture f = api_begin();
    static char junk[4096];
    CHECK_EQ(
        cuLaunchKernel((CUfunction)junk, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
        CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuLaunchKernel(f.empty, 1, 1, 1, 1, 1, 1, 0, (CUstream)junk, NULL,
                            NULL),
             CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    api_end(&f);
}

CASE(a_fault_stays_with_its_context)
{
    api_fixture f = api_begin();
    CUdeviceptr p;
    unsigned v;
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(api_add(&f, 0x10, 1, 1, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_EQ(api_add(&f, p, 1, 1, NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    api_end(&f);
    api_fixture g = api_begin(); /* another one is untouched */
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    api_end(&g);
}

CASE(entry_points_by_name_and_version)
{
    void *p = NULL;
    CUdriverProcAddressQueryResult why;
    CHECK_EQ(cuGetProcAddress("cuMemAlloc", &p, 12000, 0, &why), CUDA_SUCCESS);
    CHECK(p == (void *)(uintptr_t)&cuMemAlloc_v2);
    CHECK_EQ(cuGetProcAddress("cuNothing", &p, 12000, 0, &why), CUDA_SUCCESS);
    CHECK(p == NULL);
    CHECK_EQ(why, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK_EQ(cuGetProcAddress("cuLaunchKernelEx", &p, 5000, 0, &why),
             CUDA_SUCCESS);
    CHECK_EQ(why, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}
