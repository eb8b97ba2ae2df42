/* SPDX-License-Identifier: Apache-2.0 */
/* answers_test.c - answers of an H200's driver that are easily taken to be
 * others: streams without a current context, captures that lose a stream, code
 * that is too new, names of the first generation. */
#include "api_help.h"

#include <dlfcn.h>
#include <string.h>

/* A stream, or memory, names its context. */
CASE(a_stream_needs_no_current_context)
{
    api_fixture f = api_begin();
    CUcontext none;
    CUstream s;
    CUdeviceptr p, q = 0;
    void *h;
    unsigned v = 3;
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4096), CUDA_SUCCESS);
    CHECK_EQ(cuMemHostAlloc(&h, 64, 0), CUDA_SUCCESS);
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                       .srcDevice = p,
                       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                       .dstDevice = p + 2048,
                       .WidthInBytes = 64,
                       .Height = 1,
                       .Depth = 1};
    CHECK_EQ(cuCtxPopCurrent(&none), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(NULL), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32Async(p, 9, 4, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyAsync(p + 64, p, 16, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoDAsync(p, &v, 4, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoHAsync(&v, p, 4, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpy3DAsync(&c, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemAllocAsync(&q, 64, s), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeAsync(q, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, &v, 4), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuMemsetD32(p, 1, 4), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuMemAlloc(&q, 4), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    CHECK_EQ(cuMemFreeHost(h), CUDA_SUCCESS);
    CHECK_EQ(cuStreamDestroy(s), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(f.context), CUDA_SUCCESS);
    api_end(&f);
}

/* A stream that was forked into a capture, and joined again, may go. */
CASE(a_capture_outlives_a_joined_stream)
{
    for (int joins = 0; joins < 2; joins++) {
        api_fixture f = api_begin();
        CUstream a, b;
        CUevent forked, done;
        CUgraph g = NULL;
        CUdeviceptr p;
        CHECK_EQ(cuMemAlloc(&p, 64), CUDA_SUCCESS);
        CHECK_EQ(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        CHECK_EQ(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        CHECK_EQ(cuEventCreate(&forked, 0), CUDA_SUCCESS);
        CHECK_EQ(cuEventCreate(&done, 0), CUDA_SUCCESS);
        CHECK_EQ(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL),
                 CUDA_SUCCESS);
        CHECK_EQ(cuMemsetD8Async(p, 1, 64, a), CUDA_SUCCESS);
        CHECK_EQ(cuEventRecord(forked, a), CUDA_SUCCESS);
        CHECK_EQ(cuStreamWaitEvent(b, forked, 0), CUDA_SUCCESS);
        CHECK_EQ(cuMemsetD8Async(p, 2, 64, b), CUDA_SUCCESS);
        CHECK_EQ(cuEventRecord(done, b), CUDA_SUCCESS);
        if (joins)
            CHECK_EQ(cuStreamWaitEvent(a, done, 0), CUDA_SUCCESS);
        CHECK_EQ(cuStreamDestroy(b), CUDA_SUCCESS);
        CUresult end = cuStreamEndCapture(a, &g);
        CHECK_EQ(end == CUDA_SUCCESS, joins);
        CHECK_EQ(g != NULL, joins);
        if (g)
            CHECK_EQ(cuGraphDestroy(g), CUDA_SUCCESS);
        CHECK_EQ(cuStreamDestroy(a), CUDA_SUCCESS);
        CHECK_EQ(cuEventDestroy(forked), CUDA_SUCCESS);
        CHECK_EQ(cuEventDestroy(done), CUDA_SUCCESS);
        CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
        api_end(&f);
    }
}

CASE(code_that_is_too_new_is_refused)
{
    api_fixture f = api_begin();
    CUmodule m;
    CHECK_EQ(cuModuleLoadData(&m, ".version 99.0\n.target sm_70\n"
                                  ".address_size 64\n"
                                  ".visible .entry k() { ret; }\n"),
             CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    CHECK_EQ(cuModuleLoadData(&m, ".version 7.0\n.target sm_999\n"
                                  ".address_size 64\n"
                                  ".visible .entry k() { ret; }\n"),
             CUDA_ERROR_INVALID_PTX);
    api_end(&f);
}

CASE(a_link_without_a_definition_fails_at_its_end)
{
    api_fixture f = api_begin();
    static char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                        ".extern .func other();\n"
                        ".visible .entry k() { call other, (); ret; }\n";
    CUlinkState l;
    void *image;
    size_t bytes;
    CHECK_EQ(cuLinkCreate(0, NULL, NULL, &l), CUDA_SUCCESS);
    CHECK_EQ(
        cuLinkAddData(l, CU_JIT_INPUT_PTX, ptx, sizeof ptx, "x", 0, NULL, NULL),
        CUDA_SUCCESS);
    CHECK_EQ(cuLinkComplete(l, &image, &bytes), CUDA_ERROR_UNKNOWN);
    CHECK_EQ(cuLinkDestroy(l), CUDA_SUCCESS);
    api_end(&f);
}

/* 32 bits for sizes and addresses; found by name only. */
CASE(names_of_the_first_generation_are_there)
{
    static const char *const names[] = {
        "cuMemAlloc",     "cuMemFree",   "cuMemcpyHtoD",
        "cuArrayCreate",  "cuMemcpy2D",  "cuMemsetD2D32",
        "cuMemGetInfo",   "cuMemcpy3D",  "cuIpcOpenMemHandle",
        "cuMemAllocHost", "cuMemsetD16", "cuModuleGetGlobal"};
    api_fixture f = api_begin();
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(dlsym(lib, names[i]));
    CUresult (*alloc)(unsigned *, unsigned);
    CUresult (*info)(unsigned *, unsigned *);
    CUresult (*free_)(unsigned);
    void *symbol = dlsym(lib, "cuMemAlloc");
    memcpy(&alloc, &symbol, sizeof symbol);
    symbol = dlsym(lib, "cuMemGetInfo");
    memcpy(&info, &symbol, sizeof symbol);
    symbol = dlsym(lib, "cuMemFree");
    memcpy(&free_, &symbol, sizeof symbol);
    unsigned p = 0, left = 0, all = 0;
    CHECK_EQ(info(&left, &all), CUDA_SUCCESS);
    CHECK(left && all >= left);
    CHECK_EQ(alloc(NULL, 64), CUDA_ERROR_INVALID_VALUE);
    CUresult status = alloc(&p, 64); /* no address here has 32 bits */
    CHECK(status == CUDA_SUCCESS || status == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK_EQ(free_(77), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}
