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
