/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers_test.c - the register estimate against what a vendor's assembler
 * (CUDA 13.0, sm_90) took for the kernels of tests/data/registers.ptx. Prints
 * the mean absolute error; with SW_TEST_VERBOSE set, every kernel's.
 */
#include "opt/registers.h"

#include <stdlib.h>

#include "check.h"
#include "front/ptx/ptx.h"

static const sw_fn *
find_fn(const sw_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->fn_count; i++)
        if (!strcmp(module->fns[i]->name, name))
            return module->fns[i];
    return NULL;
}

static sw_module *
load(const char *path, sw_diag *diag)
{
    char *text = NULL;
    size_t n = 0;
    sw_module *module = NULL;
    if (sw_file_read(path, &text, &n) == SW_OK)
        module = sw_ptx_parse(path, text, n, diag);
    sw_free(text);
    return module;
}

CASE(mean_error_is_under_three)
{
    FILE *f = fopen("tests/data/registers.csv", "r");
    char line[256];
    unsigned kernels = 0, error = 0, exact = 0, most = 0;
    int bias = 0;
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *module = load("tests/data/registers.ptx", &diag);
    CHECK(f != NULL);
    CHECK(module != NULL);
    while (f && module && fgets(line, sizeof line, f)) {
        char *comma = strchr(line, ',');
        if (!comma || !atoi(comma + 1))
            continue; /* the heading */
        *comma = 0;
        const sw_fn *fn = find_fn(module, line);
        CHECK(fn != NULL);
        if (!fn)
            continue;
        int off = (int)sw_registers_estimate(fn) - atoi(comma + 1);
        if (getenv("SW_TEST_VERBOSE"))
            printf("%-36s %3d %+d\n", line, atoi(comma + 1), off);
        kernels++;
        bias += off;
        exact += off == 0;
        error += (unsigned)abs(off);
        most = (unsigned)abs(off) > most ? (unsigned)abs(off) : most;
    }
    printf("mean absolute error over %u kernels: %.2f registers (mean %+.2f, "
           "worst %u, %u exact)\n",
           kernels, (double)error / kernels, (double)bias / kernels, most,
           exact);
    CHECK_EQ(kernels, 57);
    CHECK(error < 3 * kernels);
    sw_module_destroy(module);
    sw_diag_finish(&diag);
    if (f)
        fclose(f);
}

CASE(bounds_hold)
{
    sw_diag diag;
    sw_diag_init(&diag);
    static const char text[] = ".version 7.0\n.target sm_70\n"
                               ".address_size 64\n"
                               ".entry empty()\n{ ret; }\n"
                               ".entry few().maxnreg 8\n"
                               "{ .reg .b32 %r<40>; .reg .b64 %d<2>;\n"
                               "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%d1];\n"
                               "ld.global.v4.u32 {%r5,%r6,%r7,%r8}, [%d1];\n"
                               "st.global.v4.u32 [%d1], {%r1,%r2,%r3,%r4};\n"
                               "st.global.v4.u32 [%d1], {%r5,%r6,%r7,%r8};\n"
                               "ret; }\n";
    sw_module *module = sw_ptx_parse("t", text, sizeof text - 1, &diag);
    CHECK(module != NULL);
    if (module) {
        CHECK_EQ(sw_registers_estimate(find_fn(module, "empty")), 4);
        CHECK_EQ(sw_registers_estimate(find_fn(module, "few")), 8);
    }
    sw_module_destroy(module);
    sw_diag_finish(&diag);
}
