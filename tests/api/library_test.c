/* SPDX-License-Identifier: Apache-2.0 */
/* library_test.c - libraries without a context and in several; what becomes of
 * the caller's code, and what the compiler says of it. */
#include "api_help.h"

enum { LOG_BYTES = 1000 };

static CUlibrary
load(const char *text)
{
    CUlibrary l = NULL;
    CHECK_EQ(cuLibraryLoadData(&l, text, NULL, NULL, 0, NULL, NULL, 0),
             CUDA_SUCCESS);
    return l;
}

static CUcontext
context(void)
{
    CUcontext c = NULL;
#if CUDA_VERSION >= 13000
    CHECK_EQ(cuCtxCreate(&c, NULL, 0, 0), CUDA_SUCCESS);
#else
    CHECK_EQ(cuCtxCreate(&c, 0, 0), CUDA_SUCCESS);
#endif
    return c;
}

/* What the kernel "add" of a library makes of 1 in the current context. */
static unsigned
added(CUkernel k, unsigned add, unsigned shared)
{
    CUdeviceptr p;
    unsigned n = 1, v = 1;
    void *params[] = {&p, &n, &add};
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, &v, 4), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchKernel((CUfunction)k, 1, 1, 1, 32, 1, 1, shared, NULL,
                            params, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    return v;
}

CASE(a_library_is_asked_without_a_context)
{
    CUlibrary owner;
    CUkernel k, all[3] = {NULL};
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    const char *name;
    size_t n, offset;
    unsigned count = 0;
    int v = -1;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CUlibrary l = load(api_ptx);
    CHECK_EQ(cuLibraryGetKernel(&k, l, "none"), CUDA_ERROR_NOT_FOUND);
    CHECK_EQ(cuLibraryGetKernel(&k, l, "add"), CUDA_SUCCESS);
    CHECK_EQ(cuLibraryGetKernelCount(&count, l), CUDA_SUCCESS);
    CHECK_EQ(count, 3);
    CHECK_EQ(cuLibraryEnumerateKernels(all, 3, l), CUDA_SUCCESS);
    CHECK(all[0] == k || all[1] == k || all[2] == k);
    CHECK_EQ(cuKernelGetName(&name, k), CUDA_SUCCESS);
    CHECK_EQ(strcmp(name, "add"), 0);
    CHECK_EQ(cuKernelGetLibrary(&owner, k), CUDA_SUCCESS);
    CHECK(owner == l);
    CHECK_EQ(
        cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0),
        CUDA_SUCCESS);
    CHECK_EQ(v, 1024);
    CHECK_EQ(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 0),
             CUDA_SUCCESS);
    /* These speak of a context's own. */
    CHECK_EQ(cuLibraryGetModule(&m, l), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuLibraryGetGlobal(&p, &n, l, "counter"),
             CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuKernelGetFunction(&f, k), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuKernelGetParamInfo(k, 0, &offset, &n),
             CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(
        cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
        CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuLibraryUnload(l), CUDA_SUCCESS);
}

CASE(the_callers_code_may_go)
{
    CUkernel k;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    char *code = strdup(api_ptx);
    CUlibrary l = load(code);
    memset(code, '#', strlen(code));
    free(code);
    CHECK_EQ(cuLibraryGetKernel(&k, l, "add"), CUDA_SUCCESS);
    CUcontext a = context();
    CHECK_EQ(added(k, 5, 0), 6);
    CUcontext b = context();
    CHECK_EQ(added(k, 7, 0), 8);
    CHECK_EQ(cuCtxDestroy(b), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(a), CUDA_SUCCESS);
    CHECK_EQ(added(k, 9, 0), 10);
    CHECK_EQ(cuLibraryUnload(l), CUDA_SUCCESS);
    CHECK_EQ(cuCtxDestroy(a), CUDA_SUCCESS);
}

CASE(what_is_set_of_a_kernel_holds_in_contexts_to_come)
{
    enum { SHARED = 60000 };
    CUkernel k;
    int v = 0;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CUlibrary l = load(api_ptx);
    CHECK_EQ(cuLibraryGetKernel(&k, l, "add"), CUDA_SUCCESS);
    CHECK_EQ(cuKernelSetAttribute(
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1, k, 0),
             CUDA_SUCCESS);
    CHECK_EQ(cuKernelSetAttribute(
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED, k, 0),
             CUDA_SUCCESS);
    CUcontext c = context();
    CHECK_EQ(added(k, 1, SHARED), 2);
    CHECK_EQ(cuCtxDestroy(c), CUDA_SUCCESS);
    c = context();
    CHECK_EQ(cuFuncGetAttribute(&v,
                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                (CUfunction)k),
             CUDA_SUCCESS);
    CHECK_EQ(v, SHARED);
    CHECK_EQ(cuLibraryUnload(l), CUDA_SUCCESS);
    CHECK_EQ(cuCtxDestroy(c), CUDA_SUCCESS);
}

static void
load_bad(const char *text)
{
    char log[LOG_BYTES] = "", info[LOG_BYTES] = "";
    CUjit_option options[] = {
        CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void *size = (void *)(uintptr_t)LOG_BYTES;
    void *values[] = {log, size, info, size};
    CUlibrary l;
    CUkernel k;
    unsigned count = 7;
    CHECK_EQ(cuLibraryLoadData(&l, text, options, values, 4, NULL, NULL, 0),
             CUDA_SUCCESS);
    CHECK(strlen(log) > 0);
    CHECK_EQ((size_t)(uintptr_t)values[1], strlen(log));
    CHECK_EQ((size_t)(uintptr_t)values[3], 0);
    CHECK_EQ(cuLibraryGetKernel(&k, l, "k"), CUDA_ERROR_INVALID_PTX);
    CHECK_EQ(cuLibraryGetKernelCount(&count, l), CUDA_SUCCESS);
    CHECK_EQ(count, 0);
    CHECK_EQ(cuLibraryUnload(l), CUDA_SUCCESS);
}

#define HEAD ".version 6.4\n.target sm_60\n.address_size 64\n"

CASE(the_compiler_speaks_when_a_library_is_loaded)
{
    static const char bad[] = HEAD ".visible .entry k() { mov.u32 1, 2; }";
    static const char open[] =
        HEAD ".extern .func e();\n.visible .entry k() { call e; ret; }";
    CUlibrary l;
    CUmodule m;
    CUjit_option none[] = {(CUjit_option)999},
                 registers[] = {CU_JIT_MAX_REGISTERS};
    void *values[] = {(void *)(uintptr_t)32};
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuLibraryLoadData(&l, api_ptx, none, values, 1, NULL, NULL, 0),
             CUDA_ERROR_INVALID_VALUE);
    load_bad(bad);
    load_bad(open);
    CUcontext c = context();
    load_bad(bad);
    load_bad(open);
    l = load(open);
    CHECK_EQ(cuLibraryGetModule(&m, l), CUDA_ERROR_INVALID_PTX);
    CHECK_EQ(cuLibraryUnload(l), CUDA_SUCCESS);
    CHECK_EQ(
        cuLibraryLoadData(&l, api_ptx, registers, values, 1, NULL, NULL, 0),
        CUDA_SUCCESS);
    CHECK_EQ(cuLibraryUnload(l), CUDA_SUCCESS);
    CHECK_EQ(cuCtxDestroy(c), CUDA_SUCCESS);
}
