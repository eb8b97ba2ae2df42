/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coalescing.c - ways to read global memory (coalescing.cl). The results are
 * checked here; how many transactions each way takes the profiler says:
 *
 *     cc coalescing.c -o coalescing -lOpenCL
 *     softwarp prof --device "GeForce GTX 280" --events all ./coalescing
 *     softwarp prof --device "GeForce 8800 GTX" --events all ./coalescing
 */
#include "example.h"

enum { ITEMS = 16, COUNT = 128 };

static float from[COUNT];

/* The index that work-item i reads first, or -1; each reads `count` words. */
static int
first_of(const char *name, int i)
{
    return !strcmp(name, "in_order")             ? i
           : !strcmp(name, "divergent")          ? i % 5 != 4 ? i : -1
           : !strcmp(name, "permuted")           ? i ^ 1
           : !strcmp(name, "misaligned")         ? i + 1
           : !strcmp(name, "across")             ? i + 24
           : !strcmp(name, "strided")            ? 4 * i
           : !strcmp(name, "structures")         ? 3 * i
           : !strcmp(name, "aligned_structures") ? 4 * i
                                                 : 0;
}

int
main(void)
{
    static const struct {
        const char *name;
        int count;
    } ways[] = {
        {"in_order", 1},   {"divergent", 1},  {"permuted", 1},
        {"misaligned", 1}, {"across", 1},     {"strided", 1},
        {"same", 1},       {"structures", 3}, {"aligned_structures", 4}};
    const size_t items = ITEMS;
    for (int i = 0; i < COUNT; i++)
        from[i] = (float)(100 + i);
    example_open("coalescing.cl", "");
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        float got[ITEMS], want[ITEMS] = {0};
        for (int i = 0; i < ITEMS; i++) {
            int first = first_of(ways[k].name, i);
            for (int n = 0; first >= 0 && n < ways[k].count; n++)
                want[i] += from[first + n];
        }
        cl_kernel kernel = example_kernel(ways[k].name);
        cl_mem in = example_buffer(sizeof from, from);
        cl_mem out = example_buffer(sizeof got, NULL);
        example_set(kernel, 0, sizeof in, &in);
        example_set(kernel, 1, sizeof out, &out);
        example_launch(kernel, 1, &items, &items);
        example_read_buffer(out, sizeof got, got);
        example_verify(ways[k].name, got, want, sizeof got);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        clReleaseKernel(kernel);
    }
    return example_close("coalescing");
}
