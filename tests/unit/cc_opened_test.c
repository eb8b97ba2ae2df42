/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc_opened_test.c - libsoftwarp-cc.so.0, opened as API libraries open it: by
 * a program that is running and has none of it linked.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc.h"
#include "check.h"

typedef sw_status compile_fn(const sw_cc_request *, sw_cc_result *);
typedef void finish_fn(sw_cc_result *);

/* The library of this build, beside the folder of the tests. */
static void *
open_library(void)
{
    char exe[PATH_MAX] = "", path[PATH_MAX + 64];
    CHECK(readlink("/proc/self/exe", exe, sizeof exe - 1) > 0);
    snprintf(path, sizeof path, "%s/../lib/libsoftwarp-cc.so.0", dirname(exe));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        printf("%s\n", dlerror());
    return library;
}

static sw_status
compile(void *library, const char *source, sw_cc_result *result)
{
    compile_fn *run;
    *(void **)&run = dlsym(library, "sw_cc_compile");
    CHECK(run);
    sw_cc_request request = {.name = "add.cu", .source = sw_str_of(source)};
    return run(&request, result);
}

CASE(an_opened_library_compiles_a_kernel)
{
    void *library = open_library();
    CHECK(library);
    finish_fn *finish;
    *(void **)&finish = dlsym(library, "sw_cc_result_finish");
    CHECK(finish);
    sw_cc_result result;
    sw_status status = compile(library,
                               "extern \"C\" __global__ void add(int *p)\n"
                               "{ p[threadIdx.x] += 7; }\n",
                               &result);
    CHECK_EQ(status, SW_OK);
    CHECK(result.ptx.n && strstr(result.ptx.p, ".entry add("));
    CHECK(result.ptx.n && strstr(result.ptx.p, "add.s32"));
    finish(&result);
    status =
        compile(library, "__global__ void add(int *p) { p = ; }\n", &result);
    CHECK_EQ(status, SW_E_INVALID_SOURCE);
    CHECK(result.log.n && strstr(result.log.p, "add.cu:1"));
    finish(&result);
}
