/* SPDX-License-Identifier: Apache-2.0 */
/* module_test.c - libraries, the linker, launching by steps, kernels'
 * attributes and occupancy. */
#include "api_help.h"

CASE(a_library_serves_every_context)
{
    api_fixture f = api_begin();
    CUlibrary l;
    CUkernel k;
    CUfunction fn;
    CUdeviceptr p, counter;
    size_t bytes;
    unsigned n = 4, add = 3, v = 0, count = 0;
    CHECK_EQ(cuLibraryLoadData(&l, api_ptx, NULL, NULL, 0, NULL, NULL, 0),
             CUDA_SUCCESS);
    CHECK_EQ(cuLibraryGetKernel(&k, l, "none"), CUDA_ERROR_NOT_FOUND);
    CHECK_EQ(cuLibraryGetKernel(&k, l, "add"), CUDA_SUCCESS);
    CHECK_EQ(cuLibraryGetKernelCount(&count, l), CUDA_SUCCESS);
    CHECK_EQ(count, 3);
    CHECK_EQ(cuLibraryGetGlobal(&counter, &bytes, l, "counter"), CUDA_SUCCESS);
    CHECK_EQ(bytes, 4);
    CHECK_EQ(cuMemcpyDtoH(&v, counter, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 5);
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 1, 4), CUDA_SUCCESS);
    void *params[] = {&p, &n, &add};
    CHECK_EQ(
        cuLaunchKernel((CUfunction)k, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL),
        CUDA_SUCCESS);
    CHECK_EQ(cuKernelGetFunction(&fn, k), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchKernel(fn, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 7);
    CHECK_EQ(cuLibraryUnload(l), CUDA_SUCCESS);
    api_end(&f);
}

static const char caller[] =
    ".version 6.4\n.target sm_60\n.address_size 64\n"
    ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
    ".visible .entry use(.param .u64 p) {\n"
    "  .reg .u64 %d1; .reg .u32 %r1;\n"
    "  ld.param.u64 %d1, [p]; ld.global.u32 %r1, [%d1];\n"
    "  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;\n"
    "    call.uni (r), twice, (a); ld.param.b32 %r1, [r]; }\n"
    "  st.global.u32 [%d1], %r1; ret; }\n";
static const char callee[] =
    ".version 6.4\n.target sm_60\n.address_size 64\n"
    ".visible .func (.param .b32 r) twice(.param .b32 a) {\n"
    "  .reg .u32 %r1; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, %r1;\n"
    "  st.param.b32 [r], %r1; ret; }\n";

CASE(the_linker_joins_what_belongs_together)
{
    api_fixture f = api_begin();
    CUlinkState link;
    CUmodule m;
    CUfunction fn;
    CUdeviceptr p;
    void *image;
    size_t bytes;
    unsigned v = 21;
    CHECK_EQ(cuModuleLoadData(&m, caller), CUDA_ERROR_INVALID_PTX);
    CHECK_EQ(cuLinkCreate(0, NULL, NULL, &link), CUDA_SUCCESS);
    CHECK_EQ(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)caller,
                           sizeof caller, "caller", 0, NULL, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)callee,
                           sizeof callee, "callee", 0, NULL, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
    CHECK(bytes > 0);
    /* The result outlives the link: a copy of its bytes is enough. */
    void *copy = malloc(bytes);
    memcpy(copy, image, bytes);
    CHECK_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
    CHECK_EQ(cuModuleLoadData(&m, copy), CUDA_SUCCESS);
    free(copy);
    CHECK_EQ(cuModuleGetFunction(&fn, m, "use"), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoD(p, &v, 4), CUDA_SUCCESS);
    void *params[] = {&p};
    CHECK_EQ(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 42);
    api_end(&f);
}

enum { LOG_BYTES = 1000 };
static char link_log[LOG_BYTES];

static CUlinkState
link_begin(void **values)
{
    static CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                                     CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    CUlinkState link = NULL;
    link_log[0] = 0;
    values[0] = link_log;
    values[1] = (void *)(uintptr_t)LOG_BYTES;
    CHECK_EQ(cuLinkCreate(2, options, values, &link), CUDA_SUCCESS);
    return link;
}

static CUresult
link_text(CUlinkState link, const char *text, const char *name)
{
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)text,
                         strlen(text) + 1, name, 0, NULL, NULL);
}

static void
check_log(const char *want, const void *size)
{
    CHECK_EQ(strcmp(link_log, want), 0);
    CHECK_EQ((size_t)(uintptr_t)size, strlen(want));
}

/* Codes and words are an H100's. */
CASE(the_linker_says_what_is_wrong)
{
    static const char twice_defined[] =
        "error   : Multiple definition of 'twice' in 'b', first defined in 'a'";
    static const char undefined[] =
        "error   : Undefined reference to 'twice' in 'caller'";
    api_fixture f = api_begin();
    void *values[2], *image;
    size_t bytes;
    CUlinkState link = link_begin(values);
    CHECK_EQ(link_text(link,
                       ".version 6.4\n.target sm_60\n.address_size 64\n"
                       ".entry k() { mov.u32 1, 2; }",
                       "bad"),
             CUDA_ERROR_INVALID_PTX);
    CHECK(strlen(link_log) > 0);
    CHECK_EQ((size_t)(uintptr_t)values[1], strlen(link_log));
    CHECK_EQ(link_text(link, callee, "callee"), CUDA_SUCCESS);
    CHECK_EQ(cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
    CHECK_EQ(cuLinkDestroy(link), CUDA_SUCCESS);

    link = link_begin(values);
    CHECK_EQ(link_text(link, callee, "a"), CUDA_SUCCESS);
    check_log("", values[1]);
    CHECK_EQ(link_text(link, callee, "b"), CUDA_ERROR_INVALID_SOURCE);
    check_log(twice_defined, values[1]);
    CHECK_EQ(link_text(link, caller, "c"), CUDA_ERROR_INVALID_SOURCE);
    CHECK_EQ(cuLinkComplete(link, &image, &bytes), CUDA_ERROR_INVALID_SOURCE);
    check_log(twice_defined, values[1]);
    CHECK_EQ(cuLinkDestroy(link), CUDA_SUCCESS);

    link = link_begin(values);
    CHECK_EQ(link_text(link, caller, "caller"), CUDA_SUCCESS);
    CHECK_EQ(cuLinkComplete(link, &image, &bytes), CUDA_ERROR_UNKNOWN);
    check_log(undefined, values[1]);
    CHECK_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
    api_end(&f);
}

/* LLVM's shared arrays are such; linked with others, they must be somewhere. */
CASE(a_whole_program_has_the_variables_it_declares)
{
    static const char ptx[] =
        ".version 6.4\n.target sm_60\n.address_size 64\n"
        ".extern .shared .align 4 .b8 ours[256];\n"
        ".extern .global .align 4 .b32 all[4];\n"
        ".visible .entry k(.param .u64 p) {\n"
        "  .reg .u64 %d1; .reg .u32 %r<3>;\n"
        "  mov.u32 %r1, 7; st.shared.u32 [ours+252], %r1;\n"
        "  ld.shared.u32 %r1, [ours+252]; ld.global.u32 %r2, [all+12];\n"
        "  add.u32 %r1, %r1, %r2;\n"
        "  ld.param.u64 %d1, [p]; st.global.u32 [%d1], %r1; ret; }\n";
    api_fixture f = api_begin();
    CUmodule m;
    CUfunction fn;
    CUdeviceptr p;
    int bytes;
    unsigned v = 0;
    void *values[2], *image;
    size_t image_bytes;
    CHECK_EQ(cuModuleLoadData(&m, ptx), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&fn, m, "k"), CUDA_SUCCESS);
    CHECK_EQ(
        cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, fn),
        CUDA_SUCCESS);
    CHECK_EQ(bytes, 256);
    CHECK_EQ(cuMemAlloc(&p, 4), CUDA_SUCCESS);
    void *params[] = {&p};
    CHECK_EQ(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, p, 4), CUDA_SUCCESS);
    CHECK_EQ(v, 7);
    CHECK_EQ(cuModuleUnload(m), CUDA_SUCCESS);

    CUlinkState link = link_begin(values);
    CHECK_EQ(link_text(link, ptx, "alone"), CUDA_SUCCESS);
    CHECK_EQ(cuLinkComplete(link, &image, &image_bytes), CUDA_ERROR_UNKNOWN);
    CHECK_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
    api_end(&f);
}

/* Compilers of Python call these for a barrier of the grid. Each block adds its
 * number to p[0], all meet, each adds what is there to p[1]. */
static const char meet_ptx[] =
    ".version 6.4\n.target sm_60\n.address_size 64\n"
    ".extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 s);\n"
    ".extern .func (.param .b32 s) cudaCGSynchronize(.param .b64 h,\n"
    "  .param .b32 f);\n"
    ".visible .entry meet(.param .u64 p) {\n"
    "  .reg .u64 %d<3>; .reg .u32 %r<6>;\n"
    "  ld.param.u64 %d1, [p]; mov.u32 %r1, %ctaid.x; add.u32 %r1, %r1, 1;\n"
    "  red.global.add.u32 [%d1], %r1;\n"
    "  { .param .b32 s; .param .b64 h; mov.u32 %r2, 1; st.param.b32 [s], %r2;\n"
    "    call.uni (h), cudaCGGetIntrinsicHandle, (s);\n"
    "    ld.param.b64 %d2, [h]; }\n"
    "  { .param .b64 h; .param .b32 f; .param .b32 s; mov.u32 %r2, 0;\n"
    "    st.param.b64 [h], %d2; st.param.b32 [f], %r2;\n"
    "    call.uni (s), cudaCGSynchronize, (h, f); ld.param.b32 %r3, [s]; }\n"
    "  red.global.add.u32 [%d1+8], %r3;\n"
    "  ld.volatile.global.u32 %r4, [%d1];\n"
    "  red.global.add.u32 [%d1+4], %r4; ret; }\n";

/* Many values live at once: with fewer registers, some are spilled. */
CASE(registers_are_bounded)
{
    api_fixture f = api_begin();
    static char text[16384];
    CUlinkState link;
    CUmodule m;
    CUfunction fn;
    void *image;
    int all = 0, some = 0;
    char *p = text;
    p += sprintf(
        p, ".version 6.4\n.target sm_60\n.address_size 64\n"
           ".visible .entry k(.param .u64 p) {\n"
           ".reg .b32 %%r<60>; .reg .b64 %%d1; ld.param.u64 %%d1, [p];\n");
    for (int i = 0; i < 60; i++)
        p += sprintf(p, "ld.global.u32 %%r%d, [%%d1+%d];\n", i, 4 * i);
    p += sprintf(p, "bar.sync 0;\n");
    for (int i = 0; i < 60; i++)
        p += sprintf(p, "st.global.u32 [%%d1+%d], %%r%d;\n", 4 * i, 59 - i);
    sprintf(p, "ret; }\n");
    CHECK_EQ(cuModuleLoadData(&m, text), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&fn, m, "k"), CUDA_SUCCESS);
    CHECK_EQ(cuFuncGetAttribute(&all, CU_FUNC_ATTRIBUTE_NUM_REGS, fn),
             CUDA_SUCCESS);
    CHECK(all > 60);
    CUjit_option options[] = {CU_JIT_MAX_REGISTERS};
    void *values[] = {(void *)(uintptr_t)40};
    CHECK_EQ(cuModuleLoadDataEx(&m, text, 1, options, values), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&fn, m, "k"), CUDA_SUCCESS);
    CHECK_EQ(cuFuncGetAttribute(&some, CU_FUNC_ATTRIBUTE_NUM_REGS, fn),
             CUDA_SUCCESS);
    CHECK(some > 0 && some <= 40);
    CHECK_EQ(cuLinkCreate(1, options, values, &link), CUDA_SUCCESS);
    CHECK_EQ(cuLinkAddData(link, CU_JIT_INPUT_PTX, text, strlen(text) + 1, "k",
                           0, NULL, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuLinkComplete(link, &image, NULL), CUDA_SUCCESS);
    CHECK_EQ(cuModuleLoadData(&m, image), CUDA_SUCCESS);
    CHECK_EQ(cuLinkDestroy(link), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&fn, m, "k"), CUDA_SUCCESS);
    CHECK_EQ(cuFuncGetAttribute(&some, CU_FUNC_ATTRIBUTE_NUM_REGS, fn),
             CUDA_SUCCESS);
    CHECK(some > 0 && some <= 40);
    api_end(&f);
}

CASE(a_grid_meets_by_a_call)
{
    api_fixture f = api_begin();
    CUmodule m;
    CUfunction fn;
    CUdeviceptr p;
    unsigned v[3];
    CHECK_EQ(cuModuleLoadData(&m, meet_ptx), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&fn, m, "meet"), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&p, 12), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 0, 3), CUDA_SUCCESS);
    void *params[] = {&p};
    CHECK_EQ(cuLaunchCooperativeKernel(fn, 8, 1, 1, 64, 1, 1, 0, NULL, params),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(v, p, 12), CUDA_SUCCESS);
    CHECK_EQ(v[0], 64 * 36);
    CHECK_EQ(v[1], 8 * 64 * v[0]);
    CHECK_EQ(v[2], 0);
    api_end(&f);
}

CASE(a_kernel_is_launched_by_steps)
{
    api_fixture f = api_begin();
    CUdeviceptr p;
    unsigned v[3];
    CHECK_EQ(cuMemAlloc(&p, 12), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD32(p, 1, 3), CUDA_SUCCESS);
    CHECK_EQ(cuFuncSetBlockShape(f.add, 1, 1, 1), CUDA_SUCCESS);
    CHECK_EQ(cuFuncSetBlockShape(f.add, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuFuncSetSharedSize(f.add, 0), CUDA_SUCCESS);
    CHECK_EQ(cuParamSetv(f.add, 0, &p, sizeof p), CUDA_SUCCESS);
    CHECK_EQ(cuParamSeti(f.add, 8, 3), CUDA_SUCCESS);
    CHECK_EQ(cuParamSeti(f.add, 12, 4), CUDA_SUCCESS);
    CHECK_EQ(cuParamSetSize(f.add, 16), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchGrid(f.add, 2, 1), CUDA_SUCCESS);
    CHECK_EQ(cuLaunch(f.add), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(v, p, 12), CUDA_SUCCESS);
    CHECK_EQ(v[0], 9);
    CHECK_EQ(v[1], 5);
    CHECK_EQ(v[2], 1);
    api_end(&f);
}

CASE(attributes_and_occupancy_agree_with_the_device)
{
    api_fixture f = api_begin();
    int threads = 0, regs = 0, shared = -1, blocks = 0, grid = 0, block = 0;
    int most = 0;
    CHECK_EQ(cuFuncGetAttribute(&threads,
                                CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f.add),
             CUDA_SUCCESS);
    CHECK_EQ(threads, 1024);
    CHECK_EQ(cuFuncGetAttribute(&regs, CU_FUNC_ATTRIBUTE_NUM_REGS, f.add),
             CUDA_SUCCESS);
    CHECK(regs > 0 && regs <= 255);
    CHECK_EQ(
        cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f.add),
        CUDA_SUCCESS);
    CHECK_EQ(shared, 0);
    CHECK_EQ(
        cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f.add, 256, 0),
        CUDA_SUCCESS);
    CHECK_EQ(cuDeviceGetAttribute(
                 &most, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0),
             CUDA_SUCCESS);
    CHECK(blocks >= 1 && blocks * 256 <= most);
    CHECK_EQ(cuOccupancyMaxPotentialBlockSize(&grid, &block, f.add, NULL, 0, 0),
             CUDA_SUCCESS);
    CHECK(grid >= 1 && block >= 32 && block <= 1024);
    api_end(&f);
}
