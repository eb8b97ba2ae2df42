/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc_test.c - NVRTC: options, logs, names, results, wrong calls. Statuses
 * and sizes are those of the vendor's library. */
#include <nvrtc.h>

#include <cuda.h>

#include "check.h"

static const char source[] =
    "extern \"C\" __global__ void k(int *p) { *p = VALUE; }\n"
    "namespace n { template <class T> __global__ void f(T *p) { *p = 3; } }\n"
    "__device__ int v;\n";

static nvrtcProgram
create(const char *text, const char *name)
{
    nvrtcProgram p = NULL;
    CHECK_EQ(nvrtcCreateProgram(&p, text, name, 0, NULL, NULL), NVRTC_SUCCESS);
    return p;
}

/* The log is the caller's until the next call. */
static const char *
log_of(nvrtcProgram p)
{
    static char text[8192];
    size_t bytes = 0;
    CHECK_EQ(nvrtcGetProgramLogSize(p, &bytes), NVRTC_SUCCESS);
    CHECK(bytes > 0 && bytes < sizeof text);
    CHECK_EQ(nvrtcGetProgramLog(p, text), NVRTC_SUCCESS);
    CHECK_EQ(strlen(text) + 1, bytes);
    return text;
}

static bool
log_has(nvrtcProgram p, const char *what)
{
    const char *text = log_of(p);
    if (!strstr(text, what))
        printf("the log has no \"%s\": %s\n", what, text);
    return strstr(text, what) != NULL;
}

CASE(a_program_becomes_ptx_that_runs)
{
    static const char *const options[] = {"-arch=compute_80", "-DVALUE=4711"};
    nvrtcProgram p = create(source, NULL);
    size_t ptx_bytes = 0, cubin_bytes = 9;
    CHECK_EQ(nvrtcCompileProgram(p, 2, options), NVRTC_SUCCESS);
    CHECK_STR(log_of(p), "");
    CHECK_EQ(nvrtcGetPTXSize(p, &ptx_bytes), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcGetCUBINSize(p, &cubin_bytes), NVRTC_SUCCESS);
    CHECK_EQ(cubin_bytes, 0);
    char *ptx = malloc(ptx_bytes);
    CHECK_EQ(nvrtcGetPTX(p, ptx), NVRTC_SUCCESS);
    CHECK_EQ(strlen(ptx) + 1, ptx_bytes);
    CHECK(strstr(ptx, ".target sm_80") != NULL);
    CHECK(strstr(ptx, "4711") != NULL);
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    CHECK(p == NULL);
    free(ptx);
}

/* Of a container that everything loads which loads cubins. */
static int
run_image(const void *image, const char *kernel)
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
    CHECK_EQ(cuModuleGetFunction(&f, module, kernel), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&out, sizeof result), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&result, out, sizeof result), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(out), CUDA_SUCCESS);
    CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    return result;
}

CASE(a_cubin_and_names_of_templates)
{
    static const char *const options[] = {"--gpu-architecture=sm_90", "-D",
                                          "VALUE=1"};
    nvrtcProgram p = create(source, NULL);
    size_t bytes = 0;
    const char *lowered = NULL;
    CHECK_EQ(nvrtcAddNameExpression(p, "n::f<int>"), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcAddNameExpression(p, "&v"), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcGetLoweredName(p, "&v", &lowered),
             NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    CHECK_EQ(nvrtcCompileProgram(p, 3, options), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcGetLoweredName(p, "&v", &lowered), NVRTC_SUCCESS);
    CHECK_STR(lowered, "v");
    CHECK_EQ(nvrtcGetLoweredName(p, "n::f<int>", &lowered), NVRTC_SUCCESS);
    CHECK_STR(lowered, "_ZN1n1fIiEEvPT_");
    const char *other = NULL;
    CHECK_EQ(nvrtcGetLoweredName(p, "w", &other),
             NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    CHECK_EQ(nvrtcAddNameExpression(p, "w"),
             NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CHECK_EQ(nvrtcGetCUBINSize(p, &bytes), NVRTC_SUCCESS);
    CHECK(bytes > 100);
    char *cubin = malloc(bytes + 1);
    CHECK_EQ(nvrtcGetCUBIN(p, cubin), NVRTC_SUCCESS);
    CHECK_EQ(run_image(cubin, lowered), 3);
    CHECK_EQ(run_image(cubin, "k"), 1);
    free(cubin);
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
}

CASE(lto_ir_is_all_that_there_is_then)
{
    static const char *const options[] = {"-dlto", "-arch=sm_90", "-DVALUE=1"};
    nvrtcProgram p = create(source, NULL);
    size_t ptx = 0, cubin = 9, lto = 0;
    CHECK_EQ(nvrtcCompileProgram(p, 3, options), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcGetPTXSize(p, &ptx), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcGetCUBINSize(p, &cubin), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcGetLTOIRSize(p, &lto), NVRTC_SUCCESS);
    CHECK_EQ(ptx, 1);
    CHECK_EQ(cubin, 0);
    CHECK(lto > 100);
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
}

CASE(headers_by_name_and_headers_that_are_missing)
{
    static const char text[] = "#include \"a/b.h\"\n#include <cuda_fp16.h>\n"
                               "__global__ void k(int *p) { *p = B; }\n";
    static const char *const headers[] = {"#define B 7\n"};
    static const char *const names[] = {"a/b.h"};
    nvrtcProgram p = NULL;
    CHECK_EQ(nvrtcCreateProgram(&p, text, "dir/a.cu", 1, headers, names),
             NVRTC_SUCCESS);
    CHECK_EQ(nvrtcCompileProgram(p, 0, NULL), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    p = create(text, "dir/a.cu");
    CHECK_EQ(nvrtcCompileProgram(p, 0, NULL), NVRTC_ERROR_COMPILATION);
    CHECK(log_has(p, "dir/a.cu(1): catastrophic error: cannot open source file "
                     "\"a/b.h\"\n"));
    CHECK(log_has(p, "1 catastrophic error detected in the compilation of "
                     "\"dir/a.cu\".\n"));
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
}

CASE(errors_have_the_places_of_the_source)
{
    nvrtcProgram p =
        create("__global__ void k()\n{\n    y = 3;\n    z = 4;\n}\n", NULL);
    size_t bytes = 0;
    const char *lowered = NULL;
    CHECK_EQ(nvrtcCompileProgram(p, 0, NULL), NVRTC_ERROR_COMPILATION);
    CHECK(log_has(p, "default_program(3): error: "));
    CHECK(log_has(p, "default_program(4): error: "));
    CHECK(log_has(p, "2 errors detected in the compilation of "
                     "\"default_program\".\n"));
    CHECK_EQ(nvrtcGetPTXSize(p, &bytes), NVRTC_SUCCESS);
    CHECK_EQ(bytes, 1);
    CHECK_EQ(nvrtcGetLoweredName(p, "k", &lowered),
             NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    CHECK_EQ(nvrtcAddNameExpression(p, "k"),
             NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
}

CASE(options_that_are_wrong_are_named)
{
    static const struct {
        const char *option, *log;
    } rows[] = {
        {"--foo", "nvrtc: error: unrecognized option --foo found\n"},
        {"-arch=zz", "invalid value for --gpu-architecture (-arch)"},
        {"-arch=sm_90x", "'sm_90x'"},
        {"-arch=compute_70", "'compute_70'"}, /* not of CUDA 13 */
        {"-ftz=maybe", "--ftz expects true or false"},
        {"-std=c++98", "invalid value for --std"},
        {"-maxrregcount=abc", "--maxrregcount expects an integer value"},
        {"--optix-ir", "OptiX"},
    };
    nvrtcProgram p = create(source, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ(nvrtcCompileProgram(p, 1, &rows[i].option),
                 NVRTC_ERROR_INVALID_OPTION);
        CHECK(log_has(p, rows[i].log));
    }
    CHECK_EQ(nvrtcAddNameExpression(p, "k"), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
}

static int
stop(void *payload, void *reserved)
{
    (void)reserved;
    ++*(int *)payload;
    return 1;
}

CASE(a_callback_ends_a_compilation)
{
    nvrtcProgram p = create(source, NULL);
    int calls = 0;
    CHECK_EQ(nvrtcSetFlowCallback(p, NULL, NULL), NVRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(nvrtcSetFlowCallback(p, stop, &calls), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcCompileProgram(p, 0, NULL), NVRTC_ERROR_CANCELLED);
    CHECK_EQ(calls, 1);
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
}

CASE(wrong_calls_have_their_statuses)
{
    nvrtcProgram p = NULL, wild = (nvrtcProgram)(uintptr_t)0x1234567;
    size_t bytes = 7;
    char byte = 0;
    CHECK_EQ(nvrtcCreateProgram(NULL, "", NULL, 0, NULL, NULL),
             NVRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(nvrtcCreateProgram(&p, NULL, NULL, 0, NULL, NULL),
             NVRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(nvrtcCreateProgram(&p, "", NULL, -1, NULL, NULL),
             NVRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(nvrtcCreateProgram(&p, "", NULL, 1, NULL, NULL),
             NVRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(nvrtcDestroyProgram(NULL), NVRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(nvrtcDestroyProgram(&wild), NVRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(nvrtcCompileProgram(wild, 0, NULL), NVRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(nvrtcGetPTXSize(NULL, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
    CHECK_EQ(nvrtcGetPTX(NULL, &byte), NVRTC_ERROR_INVALID_PROGRAM);
    p = create(source, NULL);
    CHECK_EQ(nvrtcGetPTXSize(p, &bytes), NVRTC_SUCCESS);
    CHECK_EQ(bytes, 1);
    CHECK_EQ(nvrtcGetCUBINSize(p, &bytes), NVRTC_SUCCESS);
    CHECK_EQ(bytes, 0);
    CHECK_EQ(nvrtcGetPTXSize(p, NULL), NVRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(nvrtcAddNameExpression(p, NULL), NVRTC_ERROR_INVALID_INPUT);
    CHECK_EQ(nvrtcGetPCHCreateStatus(p), NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
    CHECK_EQ(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    CHECK_EQ(nvrtcVersion(NULL, NULL), NVRTC_ERROR_INVALID_INPUT);
    CHECK_STR(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION),
              "NVRTC_ERROR_COMPILATION");
    CHECK_STR(nvrtcGetErrorString((nvrtcResult)100), "NVRTC_ERROR unknown");
}

CASE(versions_and_architectures)
{
    int major = 0, minor = 9, count = 0, archs[64] = {0};
    CHECK_EQ(nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
    CHECK_EQ(major * 10 + minor, 130);
    CHECK_EQ(nvrtcGetNumSupportedArchs(&count), NVRTC_SUCCESS);
    CHECK_EQ(count, 12);
    CHECK_EQ(nvrtcGetSupportedArchs(archs), NVRTC_SUCCESS);
    CHECK_EQ(archs[0], 75);
    CHECK_EQ(archs[11], 121);
}
