/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banks.c - ways to read local memory (banks.cl). The results are checked here;
 * how many conflicts each way has the profiler says:
 *
 *     cc banks.c -o banks -lOpenCL
 *     softwarp prof --device "GeForce GTX 280" --events all ./banks
 *     softwarp prof --metrics 'shared*' ./banks
 */
#include "example.h"

enum { ITEMS = 16 };

/* What work-item i reads where element n of memory is n. */
static cl_long
strided(int i, int stride)
{
    return stride * i;
}
static cl_long
permuted(int i, int by)
{
    return i * by % 16;
}
static cl_long
same(int i, int word)
{
    (void)i;
    return word;
}
static cl_long
partly_same(int i, int word)
{
    return i < 4 ? word : 2 + i;
}
static cl_long
bytes(int i, int step)
{
    return step * i % 4 ? 0 : step * i / 4;
}
static cl_long
whole(int i, int shift)
{
    return ((cl_long)(2 * i + 1) << 32 | 2 * i) >> shift;
}
static cl_long
halves(int i, int shift)
{
    return ((cl_long)i << 32 | i) >> shift;
}
static cl_long
threes(int i, int add)
{
    return 9 * i + 3 + add;
}
static cl_long
twos(int i, int add)
{
    return 4 * i + 1 + add;
}

int
main(void)
{
    static const struct {
        const char *kernel, *name;
        cl_long (*value)(int i, int number);
        cl_int number;
        int is_long;
    } ways[] = {{"strided", "stride 1", strided, 1, 0},
                {"strided", "stride 2", strided, 2, 0},
                {"strided", "stride 3", strided, 3, 0},
                {"strided", "stride 8", strided, 8, 0},
                {"permuted", "permuted", permuted, 7, 0},
                {"same", "the same word", same, 5, 0},
                {"partly_same", "some the same word", partly_same, 5, 0},
                {"bytes", "neighbouring bytes", bytes, 1, 0},
                {"bytes", "every fourth byte", bytes, 4, 0},
                {"whole", "elements of 8 bytes", whole, 8, 1},
                {"halves", "their halves apart", halves, 8, 1},
                {"threes", "structures of 3 words", threes, 1, 0},
                {"twos", "structures of 2 words", twos, 1, 0}};
    const size_t items = ITEMS;
    example_open("banks.cl", "");
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        cl_long got[ITEMS] = {0}, want[ITEMS] = {0};
        size_t size = ways[k].is_long ? sizeof(cl_long) : sizeof(cl_int);
        for (int i = 0; i < ITEMS; i++) {
            cl_long value = ways[k].value(i, ways[k].number);
            memcpy((char *)want + size * (size_t)i, &value, size);
        }
        cl_kernel kernel = example_kernel(ways[k].kernel);
        cl_mem out = example_buffer(sizeof got, NULL);
        example_set(kernel, 0, sizeof out, &out);
        example_set(kernel, 1, sizeof(cl_int), &ways[k].number);
        example_launch(kernel, 1, &items, &items);
        example_read_buffer(out, sizeof got, got);
        example_verify(ways[k].name, got, want, sizeof got);
        clReleaseMemObject(out);
        clReleaseKernel(kernel);
    }
    return example_close("banks");
}
