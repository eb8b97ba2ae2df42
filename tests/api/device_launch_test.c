/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_launch_test.c - kernels that launch kernels, by the functions that
 * compilers call since CUDA 12. A real driver needs the device runtime library
 * linked to this code.
 */
#include "api_help.h"

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(\n"
    "  .param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12],\n"
    "  .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(\n"
    "  .param .b64 p, .param .b64 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"
    /* p[0] = p[0] * 10 + v */
    ".visible .entry note(.param .u64 p, .param .u32 v) {\n"
    "  .reg .u64 %d; .reg .u32 %r<3>;\n"
    "  ld.param.u64 %d, [p]; ld.param.u32 %r1, [v]; ld.global.u32 %r2, [%d];\n"
    "  mad.lo.u32 %r2, %r2, 10, %r1; st.global.u32 [%d], %r2; ret; }\n"
    ".visible .entry wild(.param .u64 p, .param .u32 v) {\n"
    "  .reg .u64 %d; mov.u64 %d, 64; st.global.u32 [%d], 1; ret; }\n"
    /* The result in *error: launches `code` with n threads and (p, v). */
    ".func start(.param .u64 code, .param .u32 n, .param .u64 p,\n"
    "  .param .u32 v, .param .u64 stream) {\n"
    "  .reg .u64 %d<5>; .reg .u32 %r<4>; .reg .pred %q;\n"
    "  ld.param.u64 %d1, [code]; ld.param.u32 %r1, [n];\n"
    "  ld.param.u64 %d2, [p]; ld.param.u32 %r2, [v];\n"
    "  ld.param.u64 %d4, [stream];\n"
    "  { .param .b64 a0; .param .align 4 .b8 a1[12];\n"
    "    .param .align 4 .b8 a2[12]; .param .b32 a3; .param .b64 got;\n"
    "    st.param.b64 [a0], %d1; st.param.b32 [a1], 1;\n"
    "    st.param.b32 [a1+4], 1; st.param.b32 [a1+8], 1;\n"
    "    st.param.b32 [a2], %r1; st.param.b32 [a2+4], 1;\n"
    "    st.param.b32 [a2+8], 1; st.param.b32 [a3], 0;\n"
    "    call (got), __cudaCDP2GetParameterBufferV2, (a0, a1, a2, a3);\n"
    "    ld.param.b64 %d3, [got]; }\n"
    "  setp.eq.u64 %q, %d3, 0; @%q ret;\n"
    "  st.u64 [%d3], %d2; st.u32 [%d3+8], %r2;\n"
    "  { .param .b64 a0; .param .b64 a1; .param .b32 got;\n"
    "    st.param.b64 [a0], %d3; st.param.b64 [a1], %d4;\n"
    "    call (got), __cudaCDP2LaunchDeviceV2, (a0, a1); }\n"
    "  ret; }\n"
#define START(code, n, v, stream)                                              \
    "  { .param .b64 a0; .param .b32 a1; .param .b64 a2; .param .b32 a3;\n"    \
    "    .param .b64 a4; st.param.b64 [a0], " code ";\n"                       \
    "    st.param.b32 [a1], " n "; st.param.b64 [a2], %d1;\n"                  \
    "    st.param.b32 [a3], " v "; st.param.b64 [a4], " stream ";\n"           \
    "    call start, (a0, a1, a2, a3, a4); }\n"
    ".visible .entry many(.param .u64 p) {\n"
    "  .reg .u64 %d<3>; ld.param.u64 %d1, [p]; mov.u64 %d2, note;\n" START(
        "%d2", "1", "4", "3") START("%d2", "1", "1", "0") START("%d2", "1", "2",
                                                                "4")
        START("%d2", "1", "3",
              "0") "  ret; }\n"
                   ".visible .entry errors(.param .u64 p) {\n"
                   "  .reg .u64 %d<3>; .reg .u32 %r<3>;\n"
                   "  ld.param.u64 %d1, [p]; mov.u64 %d2, note;\n" START(
                       "%d2", "5000", "1",
                       "0") "  { .param .b32 got; call (got), "
                            "__cudaCDP2GetLastError, ();\n"
                            "    ld.param.b32 %r1, [got]; }\n" START(
                                "1234", "1", "1",
                                "0") "  { .param .b32 got; call (got), "
                                     "__cudaCDP2GetLastError, ();\n"
                                     "    ld.param.b32 %r2, [got]; }\n"
                                     "  st.global.u32 [%d1], %r1; "
                                     "st.global.u32 [%d1+4], %r2; ret; }\n"
                                     ".visible .entry wrong(.param .u64 p) {\n"
                                     "  .reg .u64 %d<3>; ld.param.u64 %d1, "
                                     "[p]; mov.u64 %d2, wild;\n" START(
                                         "%d2", "1", "1", "0") "  ret; }\n";

static CUresult
run(CUmodule m, const char *name, unsigned got[2])
{
    CUfunction f;
    CUdeviceptr p;
    CHECK_EQ(cuMemAlloc(&p, 8), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 0, 2), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&f, m, name), CUDA_SUCCESS);
    void *args[] = {&p};
    CHECK_EQ(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
             CUDA_SUCCESS);
    return cuMemcpyDtoH(got, p, 8);
}

CASE(what_a_kernel_launches_is_done_before_what_follows)
{
    api_fixture f = api_begin();
    CUmodule m;
    unsigned got[2] = {0, 0};
    CHECK_EQ(cuModuleLoadData(&m, ptx), CUDA_SUCCESS);
    CHECK_EQ(run(m, "many", got), CUDA_SUCCESS);
    /* Streams keep their order, a tail comes last; 2 may be anywhere else. */
    CHECK(got[0] == 1234 || got[0] == 2134 || got[0] == 1324);
    api_end(&f);
}

CASE(launches_that_cannot_be_have_their_codes)
{
    api_fixture f = api_begin();
    CUmodule m;
    unsigned got[2] = {0, 0};
    CHECK_EQ(cuModuleLoadData(&m, ptx), CUDA_SUCCESS);
    CHECK_EQ(run(m, "errors", got), CUDA_SUCCESS);
    CHECK_EQ(got[0], 9);  /* cudaErrorInvalidConfiguration */
    CHECK_EQ(got[1], 98); /* cudaErrorInvalidDeviceFunction */
    api_end(&f);
}

CASE(a_fault_of_what_was_launched_is_the_context_s)
{
    api_fixture f = api_begin();
    CUmodule m;
    unsigned got[2] = {0, 0};
    CHECK_EQ(cuModuleLoadData(&m, ptx), CUDA_SUCCESS);
    CHECK_EQ(run(m, "wrong", got), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    api_end(&f);
}

static const char asks[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) __cudaCDP2FuncGetAttributes(\n"
    "  .param .b64 p, .param .b64 f);\n"
    ".extern .func (.param .b32 r)\n"
    "  __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor(\n"
    "  .param .b64 p, .param .b64 f, .param .b32 n, .param .b64 s);\n"
    ".extern .func (.param .b32 r) cudaGraphLaunch(\n"
    "  .param .b64 x, .param .b64 s);\n"
    ".visible .entry other(.param .u64 p) .maxntid 96 {\n"
    "  .shared .b32 %x[50]; st.shared.u32 [%x], 1; ret; }\n"
    ".visible .entry launch(.param .u64 p) {\n"
    "  .param .b64 x; .param .b64 s; .param .b32 r;\n"
    "  st.param.b64 [x], 0; st.param.b64 [s], 0;\n"
    "  call (r), cudaGraphLaunch, (x, s); ret; }\n"
    /* p[0..9]: the attributes; p[10]: blocks; p[11], p[12]: of no kernel */
    ".visible .entry ask(.param .u64 p) {\n"
    "  .reg .b64 %d<4>; .reg .b32 %r; .param .b64 q; .param .b64 f;\n"
    "  .param .b32 n; .param .b64 s; .param .b32 e;\n"
    "  ld.param.u64 %d1, [p]; mov.u64 %d2, other;\n"
    "  st.param.b64 [q], %d1; st.param.b64 [f], %d2;\n"
    "  call (e), __cudaCDP2FuncGetAttributes, (q, f);\n"
    "  ld.param.b32 %r, [e]; st.u32 [%d1+52], %r;\n"
    "  add.u64 %d3, %d1, 40; st.param.b64 [q], %d3;\n"
    "  st.param.b32 [n], 64; st.param.b64 [s], 16384;\n"
    "  call (e), __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor,\n"
    "    (q, f, n, s);\n"
    "  ld.param.b32 %r, [e]; st.u32 [%d1+56], %r;\n"
    "  st.param.b64 [f], 24;\n"
    "  call (e), __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor,\n"
    "    (q, f, n, s);\n"
    "  ld.param.b32 %r, [e]; st.u32 [%d1+44], %r;\n"
    "  st.param.b64 [q], %d1;\n"
    "  call (e), __cudaCDP2FuncGetAttributes, (q, f);\n"
    "  ld.param.b32 %r, [e]; st.u32 [%d1+48], %r; ret; }\n";

CASE(kernels_ask_what_the_host_asks)
{
    static const struct {
        CUfunction_attribute attribute;
        unsigned at;
    } rows[] = {{CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0},
                {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2},
                {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 4},
                {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 6},
                {CU_FUNC_ATTRIBUTE_NUM_REGS, 7},
                {CU_FUNC_ATTRIBUTE_PTX_VERSION, 8},
                {CU_FUNC_ATTRIBUTE_BINARY_VERSION, 9}};
    api_fixture fixture = api_begin();
    CUmodule m;
    CUfunction ask, other;
    CUdeviceptr p;
    unsigned got[15];
    int want;
    CHECK_EQ(cuModuleLoadData(&m, asks), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&ask, m, "ask"), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&other, m, "other"), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, sizeof got), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 0xffffffff, 15), CUDA_SUCCESS);
    void *args[] = {&p};
    CHECK_EQ(cuLaunchKernel(ask, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(got, p, sizeof got), CUDA_SUCCESS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ(cuFuncGetAttribute(&want, rows[i].attribute, other),
                 CUDA_SUCCESS);
        CHECK_EQ(got[rows[i].at], (unsigned)want);
    }
    CHECK_EQ(got[0], 200);
    CHECK_EQ(
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&want, other, 64, 16384),
        CUDA_SUCCESS);
    CHECK_EQ(got[10], (unsigned)want);
    CHECK_EQ(got[11], 98); /* cudaErrorInvalidDeviceFunction */
    CHECK_EQ(got[12], 98);
    CHECK_EQ(got[13], 0);
    CHECK_EQ(got[14], 0);
    api_end(&fixture);
}

/* Ours refuses the kernel, and nothing else of its module. */
CASE(a_kernel_that_launches_graphs_is_refused)
{
    api_fixture fixture = api_begin();
    CUmodule m;
    CUfunction launch, other;
    CUdeviceptr p = 0;
    CHECK_EQ(cuModuleLoadData(&m, asks), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&launch, m, "launch"), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&other, m, "other"), CUDA_SUCCESS);
    void *args[] = {&p};
    CHECK_EQ(cuLaunchKernel(launch, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
             CUDA_ERROR_NOT_FOUND);
    CHECK_EQ(cuLaunchKernel(other, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    api_end(&fixture);
}
