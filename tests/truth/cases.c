/* SPDX-License-Identifier: Apache-2.0 */
/* cases.c - see cases.h. */
#include "truth/cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mem/mem.h"

enum { MOST = 128, WORDS = 1 << 26, EXTRA = 64, SIDE = 1 << 22 };

typedef struct {
    uint64_t a, b, c, i, random, local, chase[5], rows, columns, values;
} buffers;

static truth_case all[MOST];
static size_t all_count;
static buffers at;
static uint32_t state = 12345;

uint64_t
truth_texture_address(void)
{
    return at.a;
}

static uint32_t
next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static uint64_t
words(uint64_t n)
{
    uint64_t p = 0;
    return sw_mem_alloc(SW_MEM_DEVICE, 0, n * 4, 256, NULL, &p) == SW_OK ? p
                                                                         : 0;
}

/* kinds: p address, i integer, f float, d double; grid and block of two
 * dimensions. */
static void
add(const char *name, const char *kernel, uint32_t gx, uint32_t gy, uint32_t bx,
    uint32_t by, const char *kinds, ...)
{
    truth_case *c = &all[all_count++];
    va_list list;
    snprintf(c->name, sizeof c->name, "%s", name);
    c->kernel = kernel;
    memcpy(c->grid, (uint32_t[3]){gx, gy, 1}, sizeof c->grid);
    memcpy(c->block, (uint32_t[3]){bx, by, 1}, sizeof c->block);
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        uint64_t *to = &c->args[c->arg_count].bits;
        bool is_wide = *kinds == 'p' || *kinds == 'd';
        c->args[c->arg_count++].bytes = is_wide ? 8 : 4;
        if (*kinds == 'p') {
            *to = va_arg(list, uint64_t);
        } else if (*kinds == 'i') {
            *to = (uint32_t)va_arg(list, int);
        } else {
            double d = va_arg(list, double);
            float f = (float)d;
            if (is_wide)
                memcpy(to, &d, sizeof d);
            else
                memcpy(to, &f, sizeof f);
        }
    }
    va_end(list);
}

static const char *
numbered(const char *text, int n)
{
    static char name[64];
    snprintf(name, sizeof name, text, n);
    return name;
}

static void
add_transposes(void)
{
    static const struct {
        const char *name, *kernel;
    } kinds[] = {{"copy", "_Z7tr_copyPfPKfii"},
                 {"sharedcopy", "_Z13tr_sharedcopyPfPKfii"},
                 {"naive", "_Z8tr_naivePfPKfii"},
                 {"coalesced", "_Z12tr_coalescedPfPKfii"},
                 {"padded", "_Z9tr_paddedPfPKfii"},
                 {"diagonal", "_Z11tr_diagonalPfPKfii"}};
    for (int side = 2048; side <= 8192; side *= 2)
        for (int k = 0; k < 6; k++) {
            char name[64];
            uint32_t tiles = (uint32_t)side / 32;
            snprintf(name, sizeof name, "transpose_%s_%d", kinds[k].name, side);
            add(name, kinds[k].kernel, tiles, tiles, 32, 8, "ppii", at.b, at.a,
                side, side);
        }
}

static void
add_copies(void)
{
    static const int offsets[] = {0, 1, 2, 8, 16, 17, 32};
    static const int strides[] = {1, 2, 3, 4, 8, 16, 32};
    static const int shifts[] = {0, 1, 17};
    for (int k = 0; k < 7; k++)
        add(numbered("offset_copy_%d", offsets[k]), "_Z11offset_copyPfPKfi",
            1 << 16, 1, 256, 1, "ppi", at.b, at.a, offsets[k]);
    for (int k = 0; k < 7; k++)
        add(numbered("stride_copy_%d", strides[k]), "_Z11stride_copyPfPKfi",
            1 << 13, 1, 256, 1, "ppi", at.b, at.a, strides[k]);
    for (int k = 0; k < 3; k++)
        add(numbered("tex_shift_%d", shifts[k]), "_Z9tex_shiftPfyi", 1 << 16, 1,
            256, 1, "ppi", at.b, (uint64_t)TRUTH_TEXTURE, shifts[k]);
    add("vec4_copy", "_Z9vec4_copyP6float4PKS_", 1 << 16, 1, 256, 1, "pp", at.b,
        at.a);
    add("byte_copy", "_Z9byte_copyPhPKh", 1 << 18, 1, 256, 1, "pp", at.b, at.a);
    add("double_copy", "_Z11double_copyPdPKd", 1 << 17, 1, 256, 1, "pp", at.b,
        at.a);
    add("float3_copy", "_Z11float3_copyP6float3PKS_", 1 << 16, 1, 256, 1, "pp",
        at.b, at.a);
    add("increment_2^26", "_Z9incrementPffi", 1 << 18, 1, 256, 1, "pfi", at.c,
        1.0, 1 << 26);
    add("increment_2^20", "_Z9incrementPffi", 1 << 12, 1, 256, 1, "pfi", at.c,
        1.0, 1 << 20);
    add("increment_bs32", "_Z9incrementPffi", 1 << 19, 1, 32, 1, "pfi", at.c,
        1.0, 1 << 24);
    add("increment_bs1024", "_Z9incrementPffi", 1 << 14, 1, 1024, 1, "pfi",
        at.c, 1.0, 1 << 24);
    add("saxpy_2^26", "_Z5saxpyPfPKffi", 1 << 18, 1, 256, 1, "ppfi", at.c, at.a,
        2.0, 1 << 26);
    add("gather_random", "_Z6gatherPfPKfPKii", SIDE / 256, 1, 256, 1, "pppi",
        at.b, at.a, at.random, SIDE);
    add("gather_local", "_Z6gatherPfPKfPKii", SIDE / 256, 1, 256, 1, "pppi",
        at.b, at.a, at.local, SIDE);
}

static void
add_reductions(void)
{
    add("red_global", "_Z10red_globalPfPKfi", 512, 1, 256, 1, "ppi", at.b, at.a,
        1 << 24);
    add("red_coalesced", "_Z13red_coalescedPfPKfi", 512, 1, 256, 1, "ppi", at.b,
        at.a, 1 << 24);
    add("red_divergent", "_Z13red_divergentPfPKfi", 4096, 1, 256, 1, "ppi",
        at.b, at.a, 1 << 22);
    add("red_strided", "_Z11red_stridedPfPKfi", 4096, 1, 256, 1, "ppi", at.b,
        at.a, 1 << 22);
    add("red_sequential", "_Z14red_sequentialPfPKfi", 4096, 1, 256, 1, "ppi",
        at.b, at.a, 1 << 22);
    add("red_shuffle", "_Z11red_shufflePfPKfi", 1024, 1, 256, 1, "ppi", at.b,
        at.a, 1 << 24);
    for (uint32_t s = 512; s <= 1024; s *= 2)
        add(numbered("mm_naive_%d", (int)s), "_Z8mm_naivePfPKfS1_i", s / 16,
            s / 16, 16, 16, "pppi", at.c, at.a, at.b, (int)s);
    for (uint32_t s = 512; s <= 2048; s *= 2)
        add(numbered("mm_tiled16_%d", (int)s), "_Z8mm_tiledILi16EEvPfPKfS2_i",
            s / 16, s / 16, 16, 16, "pppi", at.c, at.a, at.b, (int)s);
    for (uint32_t s = 1024; s <= 2048; s *= 2)
        add(numbered("mm_tiled32_%d", (int)s), "_Z8mm_tiledILi32EEvPfPKfS2_i",
            s / 32, s / 32, 32, 32, "pppi", at.c, at.a, at.b, (int)s);
}

static void
add_control(void)
{
    static const int strides[] = {1, 2, 3, 4, 8, 16, 32, 33};
    add("diverge_1", "_Z7divergeILi1EEvPfi", 1056, 1, 256, 1, "pi", at.b, 200);
    add("diverge_2", "_Z7divergeILi2EEvPfi", 1056, 1, 256, 1, "pi", at.b, 200);
    add("diverge_4", "_Z7divergeILi4EEvPfi", 1056, 1, 256, 1, "pi", at.b, 200);
    add("diverge_8", "_Z7divergeILi8EEvPfi", 1056, 1, 256, 1, "pi", at.b, 200);
    add("mandel_16x16", "_Z6mandelPiiii", 128, 128, 16, 16, "piii", at.b, 2048,
        2048, 256);
    add("mandel_32x8", "_Z6mandelPiiii", 64, 256, 32, 8, "piii", at.b, 2048,
        2048, 256);
    for (int k = 0; k < 8; k++)
        add(numbered("bank_%d", strides[k]), "_Z4bankPfii", 528, 1, 256, 1,
            "pii", at.b, strides[k], 1000);
    add("atomic_same", "_Z7at_samePi", 4096, 1, 256, 1, "p", at.i);
    add("atomic_warp", "_Z7at_warpPi", 4096, 1, 256, 1, "p", at.i);
    add("atomic_spread", "_Z9at_spreadPi", 16384, 1, 256, 1, "p", at.i);
    add("atomic_return", "_Z6at_retPiS_", 4096, 1, 256, 1, "pp", at.i,
        at.i + 4096 * 4);
    add("hist_shared", "_Z11hist_sharedPjPKhi", 528, 1, 256, 1, "ppi", at.i,
        at.a, 1 << 26);
}

static void
add_arithmetic(void)
{
    static const char fma1[] = "_Z9fma_chainILi1EEvPfffi";
    add("fma_ilp1_1warp", fma1, 1, 1, 32, 1, "pffi", at.b, 1.01, 0.5, 4096);
    add("fma_ilp4_1warp", "_Z9fma_chainILi4EEvPfffi", 1, 1, 32, 1, "pffi", at.b,
        1.01, 0.5, 4096);
    for (uint32_t w = 1; w <= 32; w *= 2)
        add(numbered("fma_ilp1_%dwarps_sm", (int)w), fma1, 132, 1, w * 32, 1,
            "pffi", at.b, 1.01, 0.5, 4096);
    add("fma_ilp8_full", "_Z9fma_chainILi8EEvPfffi", 1056, 1, 256, 1, "pffi",
        at.b, 1.01, 0.5, 2048);
    add("mufu_1warp", "_Z10mufu_chainPfi", 1, 1, 32, 1, "pi", at.b, 1024);
    add("mufu_full", "_Z10mufu_chainPfi", 1056, 1, 256, 1, "pi", at.b, 1024);
    add("imad_full", "_Z10imad_chainPiiii", 1056, 1, 256, 1, "piii", at.b, 3, 7,
        2048);
    add("idiv_full", "_Z10idiv_chainPiii", 1056, 1, 256, 1, "pii", at.b, 7919,
        512);
    add("dfma_full", "_Z10dfma_chainPdddi", 1056, 1, 256, 1, "pddi", at.b, 1.01,
        0.5, 1024);
    add("sinf_full", "_Z9sinf_fullPfi", 1056, 1, 256, 1, "pi", at.b, 256);
    add("const_bcast", "_Z11const_bcastPfi", 1056, 1, 256, 1, "pi", at.b, 2048);
    add("const_divergent", "_Z9const_divPfi", 1056, 1, 256, 1, "pi", at.b, 512);
    static const int logs[] = {13, 16, 20, 24, 26};
    for (int k = 0; k < 5; k++)
        add(numbered("chase_global_2^%dw", logs[k]), "_Z5chasePjPKji", 1, 1, 1,
            1, "ppi", at.b, at.chase[k], 4096);
    add("chase_shared", "_Z8chase_shPji", 1, 1, 1, 1, "pi", at.b, 4096);
}

static void
add_applications(void)
{
    enum { ROWS = 1 << 18 };
    add("fd3d_naive", "_Z4fd3dPfPKfiii", 16, 32, 32, 16, "ppiii", at.b, at.a,
        512, 512, 128);
    add("fd3d_shared", "_Z7fd3d_shPfPKfiii", 31, 31, 16, 16, "ppiii", at.b,
        at.a, 512, 512, 128);
    add("nbody_16384", "_Z5nbodyP6float4PKS_i", 64, 1, 256, 1, "ppi", at.b,
        at.a, 16384);
    add("nbody_65536", "_Z5nbodyP6float4PKS_i", 256, 1, 256, 1, "ppi", at.b,
        at.a, 65536);
    add("blackscholes", "_Z12blackscholesPfS_PKfS1_S1_i", 2048, 1, 256, 1,
        "pppppi", at.b, at.b + (4ull << 24), at.a, at.a + (4ull << 24),
        at.a + (4ull << 25), SIDE);
    add("spmv_scalar", "_Z11spmv_scalarPfPKiS1_PKfS3_i", ROWS / 256, 1, 256, 1,
        "pppppi", at.b, at.rows, at.columns, at.values, at.a, ROWS);
    add("spmv_vector", "_Z11spmv_vectorPfPKiS1_PKfS3_i", ROWS / 8, 1, 256, 1,
        "pppppi", at.b, at.rows, at.columns, at.values, at.a, ROWS);
    add("scan_block", "_Z10scan_blockPfPKf", 8192, 1, 512, 1, "pp", at.b, at.a);
    add("bitonic_1024", "_Z7bitonicPi", 2048, 1, 1024, 1, "p", at.i);
    add("empty", "_Z5emptyv", 1, 1, 32, 1, "");
}

/* A cycle through the lines of a buffer, in random order. */
static bool
fill_chase(int k, int log)
{
    uint32_t lines = 1u << (log - 5);
    uint32_t *order = sw_alloc(lines * sizeof *order);
    at.chase[k] = words(1ull << log);
    uint32_t *p = (uint32_t *)(uintptr_t)at.chase[k];
    for (uint32_t i = 0; i < lines; i++)
        order[i] = i;
    for (uint32_t i = lines - 1; i > 0; i--) {
        uint32_t j = next() % i, t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; p && i < lines; i++)
        p[order[i] * 32ull] = order[(i + 1) % lines] * 32;
    sw_free(order);
    return p != NULL;
}

/* A sparse matrix of 2^18 rows of 1 to 64 elements in random columns. */
static bool
fill_matrix(void)
{
    enum { ROWS = 1 << 18 };
    at.rows = words(ROWS + 1);
    at.columns = words(ROWS * 64ull);
    at.values = words(ROWS * 64ull);
    if (!at.rows || !at.columns || !at.values)
        return false;
    uint32_t *row = (uint32_t *)(uintptr_t)at.rows;
    uint32_t *column = (uint32_t *)(uintptr_t)at.columns;
    float *value = (float *)(uintptr_t)at.values;
    uint32_t n = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        row[r] = n;
        uint32_t k = 1 + next() % 64;
        while (k--) {
            column[n] = next() % ROWS;
            value[n++] = 1;
        }
    }
    row[ROWS] = n;
    return true;
}

/* What the first numbers of the sequence are for. Their values matter to two
 * kernels only. */
static void
fill_floats(bool are_wanted)
{
    float *a = (float *)(uintptr_t)at.a;
    for (uint64_t i = 0; i < WORDS + EXTRA; i++) {
        uint32_t v = next();
        if (are_wanted)
            a[i] = (float)(v & 0xffff) / 65536.f + 0.1f;
    }
}

static void
fill_indices(void)
{
    uint32_t *random = (uint32_t *)(uintptr_t)at.random;
    uint32_t *local = (uint32_t *)(uintptr_t)at.local;
    for (uint32_t i = 0; i < SIDE; i++)
        random[i] = next() % SIDE;
    for (uint32_t i = 0; i < SIDE; i++)
        local[i] = (i & ~31u) | (next() & 31);
}

const truth_case *
truth_cases(bool (*needs)(const char *name), size_t *count)
{
    static const int logs[] = {13, 16, 20, 24, 26};
    bool floats = needs("hist_shared") || needs("blackscholes");
    bool indices = needs("gather_random") || needs("gather_local");
    bool chase = needs("chase_global_2^26w") || needs("chase_global_2^13w");
    bool matrix = needs("spmv_scalar") || needs("spmv_vector");
    at.a = words(WORDS + EXTRA);
    at.b = words(WORDS + EXTRA);
    at.c = words(WORDS + EXTRA);
    at.i = words(WORDS);
    at.random = words(SIDE);
    at.local = words(SIDE);
    if (!at.a || !at.b || !at.c || !at.i || !at.random || !at.local)
        return NULL;
    if (floats || indices || chase || matrix)
        fill_floats(floats);
    if (indices || chase || matrix)
        fill_indices();
    for (int k = 0; (chase || matrix) && k < 5; k++)
        if (!fill_chase(k, logs[k]))
            return NULL;
    if (matrix && !fill_matrix())
        return NULL;
    add_transposes();
    add_copies();
    add_reductions();
    add_control();
    add_arithmetic();
    add_applications();
    *count = all_count;
    return all;
}
