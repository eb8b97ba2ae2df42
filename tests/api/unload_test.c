/* SPDX-License-Identifier: Apache-2.0 */
/* unload_test.c - modules that are unloaded while their kernels are compiled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "api_help.h"

static const char *const ptx =
    ".version 6.4\n.target sm_60\n.address_size 64\n"
    ".visible .entry long_loop(.param .u64 p) {\n"
    "  .reg .u64 %d; .reg .u32 %r<3>; .reg .pred %q;\n"
    "  ld.param.u64 %d, [p]; mov.u32 %r1, 0;\n"
    "L: add.u32 %r1, %r1, 1; setp.lt.u32 %q, %r1, 20000; @%q bra L;\n"
    "  st.global.u32 [%d], %r1; ret; }\n";

static void
nap(void)
{
    const struct timespec t = {0, 1000000};
    nanosleep(&t, NULL);
}

CASE(unloading_does_not_wait_for_the_compiler)
{
    char path[] = "/tmp/unload_test_XXXXXX";
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr p;
    int file = mkstemp(path); /* a name that nobody else has */
    CHECK(file >= 0 && close(file) == 0 && unlink(path) == 0);
    CHECK_EQ(setenv("WAIT_FOR", path, 1), 0);
    CHECK_EQ(setenv("SOFTWARP_JIT_LIBRARY", SLOW_COMPILER, 1), 0);
    CHECK_EQ(setenv("SOFTWARP_CACHE", "0", 1), 0);
    CHECK_EQ(unsetenv("SOFTWARP_ENGINE"), 0);

    api_fixture f = api_begin();
    CHECK_EQ(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&kernel, module, "long_loop"), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    void *params[] = {&p};
    /* Enough work for it to be worth compiling. */
    for (int i = 0; i < 2; i++)
        CHECK_EQ(
            cuLaunchKernel(kernel, 64, 1, 1, 32, 1, 1, 0, NULL, params, NULL),
            CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS); /* would wait for ever */

    FILE *go = fopen(path, "w");
    CHECK(go != NULL);
    if (go)
        CHECK_EQ(fclose(go), 0);
    while (access(path, F_OK) == 0) /* until the compiler has seen its kernel */
        nap();
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    api_end(&f);
}
