/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_help.h - what the tests of the driver API share: a context, kernels in
 * PTX, short names. Nothing here knows which driver answers.
 */
#ifndef SW_API_HELP_H
#define SW_API_HELP_H
#include <cuda.h>

#include "check.h"

static const char *const api_ptx =
    ".version 6.4\n.target sm_60\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".visible .entry empty() { ret; }\n"
    /* p[i] += by, for i < n */
    ".visible .entry add(.param .u64 p, .param .u32 n, .param .u32 by) {\n"
    "  .reg .u64 %d<3>; .reg .u32 %r<7>; .reg .pred %q;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
    "  ld.param.u32 %r6, [by];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "  mad.lo.u32 %r2, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %q, %r2, %r1; @%q bra END;\n"
    "  mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2;\n"
    "  ld.global.u32 %r5, [%d1]; add.u32 %r5, %r5, %r6;\n"
    "  st.global.u32 [%d1], %r5;\n"
    "END: ret; }\n"
    /* *p = p[0] * 3 + add, by one thread, after a long loop */
    ".visible .entry slow(.param .u64 p, .param .u32 add) {\n"
    "  .reg .u64 %d<2>; .reg .u32 %r<5>; .reg .pred %q;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r4, [add];\n"
    "  mov.u32 %r1, 0;\n"
    "L: add.u32 %r1, %r1, 1; setp.lt.u32 %q, %r1, 200000; @%q bra L;\n"
    "  ld.global.u32 %r2, [%d1]; mad.lo.u32 %r2, %r2, 3, %r4;\n"
    "  st.global.u32 [%d1], %r2; ret; }\n";

typedef struct {
    CUcontext context;
    CUmodule module;
    CUfunction empty, add, slow;
} api_fixture;

static inline api_fixture
api_begin(void)
{
    api_fixture f;
    CUdevice device;
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
#if CUDA_VERSION >= 13000
    CHECK_EQ(cuCtxCreate(&f.context, NULL, 0, device), CUDA_SUCCESS);
#else
    CHECK_EQ(cuCtxCreate(&f.context, 0, device), CUDA_SUCCESS);
#endif
    CHECK_EQ(cuModuleLoadData(&f.module, api_ptx), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&f.empty, f.module, "empty"), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&f.add, f.module, "add"), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&f.slow, f.module, "slow"), CUDA_SUCCESS);
    return f;
}

static inline void
api_end(api_fixture *f)
{
    CHECK_EQ(cuCtxDestroy(f->context), CUDA_SUCCESS);
}

static inline CUresult
api_add(const api_fixture *f, CUdeviceptr p, unsigned n, unsigned add,
        CUstream stream)
{
    void *params[] = {&p, &n, &add};
    return cuLaunchKernel(f->add, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream,
                          params, NULL);
}

static inline CUresult
api_slow(const api_fixture *f, CUdeviceptr p, unsigned add, CUstream stream)
{
    void *params[] = {&p, &add};
    return cuLaunchKernel(f->slow, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

static inline CUgraphExec
api_instantiate(CUgraph g)
{
    CUgraphExec e = NULL;
    CHECK_EQ(cuGraphInstantiateWithFlags(&e, g, 0), CUDA_SUCCESS);
    return e;
}

static inline void
api_drop(CUgraphExec e, CUgraph g)
{
    CHECK_EQ(cuGraphExecDestroy(e), CUDA_SUCCESS);
    CHECK_EQ(cuGraphDestroy(g), CUDA_SUCCESS);
}

#endif
