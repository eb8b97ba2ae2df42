/* SPDX-License-Identifier: Apache-2.0 */
/* nvjitlink_test.c - nvJitLink: modules linked into what a loader takes, and
 * what does not go together. */
#include <nvJitLink.h>

#include <cuda.h>

#include "check.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"

static const char caller[] =
    HEAD ".extern .func (.param .u32 r) value();\n"
         ".visible .entry k(.param .u64 p)\n{\n"
         ".reg .u64 %a; .reg .u32 %v;\n.param .u32 got;\n"
         "ld.param.u64 %a, [p];\ncall (got), value;\n"
         "ld.param.u32 %v, [got];\nst.global.u32 [%a], %v;\nret;\n}\n";
static const char callee[] = HEAD ".visible .func (.param .u32 r) value()\n{\n"
                                  "st.param.u32 [r], 4711;\nret;\n}\n";

static nvJitLinkHandle
create(const char *option, const char *more)
{
    const char *options[] = {option, more};
    nvJitLinkHandle h = NULL;
    CHECK_EQ(nvJitLinkCreate(&h, more ? 2 : 1, options), NVJITLINK_SUCCESS);
    return h;
}

static nvJitLinkResult
add(nvJitLinkHandle h, const char *ptx, const char *name)
{
    return nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, ptx, strlen(ptx), name);
}

static int
run_image(const void *image)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction f;
    CUdeviceptr out;
    int result = 0;
    void *args[] = {&out};
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    CHECK_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&f, module, "k"), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&out, sizeof result), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&result, out, sizeof result), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(out), CUDA_SUCCESS);
    CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    return result;
}

CASE(two_modules_become_one_image)
{
    nvJitLinkHandle h = create("-arch=sm_90", NULL);
    size_t bytes = 0;
    CHECK_EQ(nvJitLinkGetLinkedCubinSize(h, &bytes), NVJITLINK_ERROR_FINALIZE);
    CHECK_EQ(add(h, caller, "caller"), NVJITLINK_SUCCESS);
    CHECK_EQ(add(h, callee, "callee"), NVJITLINK_SUCCESS);
    CHECK_EQ(nvJitLinkComplete(h), NVJITLINK_SUCCESS);
    CHECK_EQ(nvJitLinkGetLinkedCubinSize(h, &bytes), NVJITLINK_SUCCESS);
    CHECK(bytes > 100);
    char *image = malloc(bytes);
    CHECK_EQ(nvJitLinkGetLinkedCubin(h, image), NVJITLINK_SUCCESS);
    CHECK_EQ(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
    CHECK(h == NULL);
    CHECK_EQ(run_image(image), 4711);
    free(image);
}

CASE(what_is_missing_is_named_at_the_end)
{
    nvJitLinkHandle h = create("-arch=sm_90", NULL);
    char log[1024] = "";
    size_t bytes = 0;
    CHECK_EQ(add(h, caller, "caller.ptx"), NVJITLINK_SUCCESS);
    CHECK_EQ(nvJitLinkComplete(h), NVJITLINK_ERROR_FINALIZE);
    CHECK_EQ(nvJitLinkGetErrorLogSize(h, &bytes), NVJITLINK_SUCCESS);
    CHECK(bytes > 1 && bytes < sizeof log);
    CHECK_EQ(nvJitLinkGetErrorLog(h, log), NVJITLINK_SUCCESS);
    CHECK_EQ(strlen(log) + 1, bytes);
    CHECK(strstr(log, "'value' in 'caller.ptx'") != NULL);
    CHECK_EQ(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
}

CASE(what_is_no_ptx_is_refused)
{
    nvJitLinkHandle h = create("-arch=sm_90", NULL);
    CHECK_EQ(add(h, HEAD "nonsense", "n"), NVJITLINK_ERROR_PTX_COMPILE);
    CHECK_EQ(nvJitLinkAddData(h, NVJITLINK_INPUT_ANY, "\177ELFnothing", 11, ""),
             NVJITLINK_ERROR_UNRECOGNIZED_INPUT);
    CHECK_EQ(nvJitLinkAddData(h, NVJITLINK_INPUT_LTOIR, "x", 1, ""),
             NVJITLINK_ERROR_LTO_NOT_ENABLED);
    CHECK_EQ(nvJitLinkAddFile(h, NVJITLINK_INPUT_PTX, "/no/such.ptx"),
             NVJITLINK_ERROR_INVALID_INPUT);
    CHECK_EQ(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
}

CASE(ptx_of_one_module_comes_back)
{
    nvJitLinkHandle h = create("-arch=sm_90", "-lto");
    size_t bytes = 0;
    CHECK_EQ(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
    const char *options[] = {"-arch=sm_90", "-lto", "-ptx"};
    CHECK_EQ(nvJitLinkCreate(&h, 3, options), NVJITLINK_SUCCESS);
    CHECK_EQ(add(h, callee, "callee"), NVJITLINK_SUCCESS);
    CHECK_EQ(nvJitLinkComplete(h), NVJITLINK_SUCCESS);
    CHECK_EQ(nvJitLinkGetLinkedPtxSize(h, &bytes), NVJITLINK_SUCCESS);
    CHECK_EQ(bytes, sizeof callee);
    char ptx[sizeof callee];
    CHECK_EQ(nvJitLinkGetLinkedPtx(h, ptx), NVJITLINK_SUCCESS);
    CHECK_STR(ptx, callee);
    CHECK_EQ(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
}

CASE(wrong_calls_have_their_statuses)
{
    nvJitLinkHandle h = NULL, wild = (nvJitLinkHandle)(uintptr_t)0x1234567;
    const char *options[] = {"-arch=sm_90", "-nonsense"};
    size_t bytes;
    CHECK_EQ(nvJitLinkCreate(&h, 0, NULL), NVJITLINK_ERROR_MISSING_ARCH);
    CHECK_EQ(nvJitLinkCreate(&h, 2, options),
             NVJITLINK_ERROR_UNRECOGNIZED_OPTION);
    CHECK_EQ(nvJitLinkDestroy(&wild), NVJITLINK_ERROR_INVALID_INPUT);
    CHECK_EQ(nvJitLinkComplete(wild), NVJITLINK_ERROR_INVALID_INPUT);
    CHECK_EQ(nvJitLinkGetErrorLogSize(wild, &bytes),
             NVJITLINK_ERROR_INVALID_INPUT);
    unsigned major = 0, minor = 9;
    CHECK_EQ(nvJitLinkVersion(&major, &minor), NVJITLINK_SUCCESS);
    CHECK_EQ(major * 10 + minor, 130);
}
