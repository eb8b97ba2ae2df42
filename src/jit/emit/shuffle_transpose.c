/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shuffle_transpose.c - from units of several elements side by side, as memory
 * has them, to a vector of lanes for each element, and back. For four elements
 * of 32 bits LLVM's own permutations take twice as long: it does not see that
 * all four vectors are wanted.
 */
#include "jit/emit/access_ways.h"

#define B e->ll.builder

enum { FOUR = 4, MOST_AT_ONCE = 16 };

LLVMValueRef
sw_jit_weave(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y, unsigned in_piece,
             unsigned pair, bool high)
{
    int from[MOST_AT_ONCE];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x));
    for (unsigned i = 0; i < n; i++) {
        unsigned piece = i / in_piece, k = i % in_piece;
        unsigned source = k / pair % 2, at = k / (2 * pair) * pair + k % pair;
        from[i] = (int)(source * n + piece * in_piece +
                        (high ? in_piece / 2 : 0) + at);
    }
    return sw_jit_shuffle_two(e, x, y, from, n);
}

/* Halves of two vectors. */
static LLVMValueRef
halves(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef y, unsigned n, bool high)
{
    int from[MOST_AT_ONCE];
    for (unsigned i = 0; i < n; i++)
        from[i] = (int)((i < n / 2 ? 0 : n / 2) + i + (high ? n / 2 : 0));
    return sw_jit_shuffle_two(e, x, y, from, n);
}

/* The lanes of one vector of the machine: units in y[0], y[1], ... in turn, to
 * x[k]. */
static void
transpose_16(sw_jit_emit *e, const LLVMValueRef *y, LLVMValueRef *x)
{
    LLVMValueRef two[2][2]; /* of units 0 to 7, 8 to 15: elements 0, 1; 2, 3 */
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++) {
            int from[16];
            for (unsigned j = 0; j < 16; j++)
                from[j] = (int)(j % 8 * FOUR + 2 * k + j / 8);
            two[i][k] = sw_jit_shuffle_two(e, y[2 * i], y[2 * i + 1], from, 16);
        }
    for (unsigned k = 0; k < FOUR; k++)
        x[k] = halves(e, two[0][k / 2], two[1][k / 2], 16, k % 2);
}

static void
transpose_back_16(sw_jit_emit *e, const LLVMValueRef *x, LLVMValueRef *y)
{
    LLVMValueRef two[2][2]; /* elements 0, 1; 2, 3: of units 0 to 7, 8 to 15 */
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; i < 2; i++) {
            int from[16];
            for (unsigned j = 0; j < 16; j++)
                from[j] = (int)(j % 2 * 16 + 8 * i + j / 2);
            two[k][i] = sw_jit_shuffle_two(e, x[2 * k], x[2 * k + 1], from, 16);
        }
    for (unsigned i = 0; i < FOUR; i++) {
        int from[16];
        for (unsigned j = 0; j < 16; j++)
            from[j] = (int)(j % 4 / 2 * 16 + i % 2 * 8 + j / 4 * 2 + j % 2);
        y[i] = sw_jit_shuffle_two(e, two[0][i / 2], two[1][i / 2], from, 16);
    }
}

void
sw_jit_transpose_lanes_of_16(sw_jit_emit *e, const LLVMValueRef *y,
                             LLVMValueRef *x)
{
    LLVMValueRef low[2], high[2];
    for (unsigned j = 0; j < 2; j++) {
        low[j] = sw_jit_weave(e, y[2 * j], y[2 * j + 1], FOUR, 1, false);
        high[j] = sw_jit_weave(e, y[2 * j], y[2 * j + 1], FOUR, 1, true);
    }
    x[0] = sw_jit_weave(e, low[0], low[1], FOUR, 2, false);
    x[1] = sw_jit_weave(e, low[0], low[1], FOUR, 2, true);
    x[2] = sw_jit_weave(e, high[0], high[1], FOUR, 2, false);
    x[3] = sw_jit_weave(e, high[0], high[1], FOUR, 2, true);
}

static void
transpose_8(sw_jit_emit *e, const LLVMValueRef *y, LLVMValueRef *x)
{
    LLVMValueRef apart[FOUR]; /* units j and j + 4 */
    for (unsigned j = 0; j < FOUR; j++)
        apart[j] = halves(e, y[j / 2], y[j / 2 + 2], 8, j % 2);
    sw_jit_transpose_lanes_of_16(e, apart, x);
}

static void
transpose_back_8(sw_jit_emit *e, const LLVMValueRef *x, LLVMValueRef *y)
{
    LLVMValueRef apart[FOUR];
    sw_jit_transpose_lanes_of_16(e, x, apart); /* it is its own inverse */
    for (unsigned i = 0; i < FOUR; i++)
        y[i] = halves(e, apart[i % 2 * 2], apart[i % 2 * 2 + 1], 8, i / 2);
}

/* How many lanes are transposed at once; 0: LLVM does it as well. */
static unsigned
at_once(const sw_jit_emit *e, LLVMTypeRef element, unsigned vec, unsigned lanes)
{
    if (vec != FOUR || LLVMGetIntTypeWidth(element) != 32)
        return 0;
    unsigned n = e->ll.has_avx512 ? 16 : e->k.has_avx2 ? 8 : 0;
    return n && lanes % n == 0 ? n : 0;
}

void
sw_jit_units_to_lanes(sw_jit_emit *e, LLVMValueRef units, unsigned lanes,
                      unsigned vec, LLVMValueRef *x)
{
    LLVMTypeRef type = LLVMTypeOf(units);
    unsigned n = at_once(e, LLVMGetElementType(type), vec, lanes);
    LLVMValueRef part[FOUR][SW_LANES_MAX / 8];
    if (!n) {
        int from[SW_LANES_MAX];
        for (unsigned k = 0; k < vec; k++) {
            for (unsigned i = 0; i < lanes; i++)
                from[i] = (int)(i * vec + k);
            x[k] = sw_jit_shuffle_two(e, units, NULL, from, lanes);
        }
        return;
    }
    for (unsigned i = 0; i < lanes / n; i++) {
        LLVMValueRef y[FOUR], transposed[FOUR];
        for (unsigned j = 0; j < FOUR; j++)
            y[j] = sw_jit_elements(e, units, (i * FOUR + j) * n, n);
        if (n == 16)
            transpose_16(e, y, transposed);
        else
            transpose_8(e, y, transposed);
        for (unsigned k = 0; k < FOUR; k++)
            part[k][i] = transposed[k];
    }
    for (unsigned k = 0; k < FOUR; k++)
        x[k] = sw_jit_concatenate_all(e, part[k], lanes / n, n);
}

LLVMValueRef
sw_jit_lanes_to_units(sw_jit_emit *e, const LLVMValueRef *x, unsigned lanes,
                      unsigned vec)
{
    LLVMTypeRef type = LLVMTypeOf(x[0]);
    unsigned n = at_once(e, LLVMGetElementType(type), vec, lanes);
    LLVMValueRef part[FOUR * SW_LANES_MAX / 8];
    if (!n)
        return NULL;
    for (unsigned i = 0; i < lanes / n; i++) {
        LLVMValueRef mine[FOUR];
        for (unsigned k = 0; k < FOUR; k++)
            mine[k] = sw_jit_elements(e, x[k], i * n, n);
        if (n == 16)
            transpose_back_16(e, mine, part + i * FOUR);
        else
            transpose_back_8(e, mine, part + i * FOUR);
    }
    return sw_jit_concatenate_all(e, part, lanes / n * FOUR, n);
}
