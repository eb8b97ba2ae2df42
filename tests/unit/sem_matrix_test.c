/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sem_matrix_test.c - mma and wmma: sums as an H200 (sm_90) made them, layouts
 * of fragments, and products of small integers against a plain loop.
 */
#include "check.h"
#include "sem/matrix.h"
#include "sem/sem.h"
#include "unit/sem_inputs.h"

/* ---- digests read off the device ---- */

enum { TRIALS = 64 };

/* Operands near 1 of a format, in pairs for 16 bits; ALL: any f16; FP8
 * without NaNs and infinities. Values are part of the inputs. */
enum { I32 = 1, ALL = 9, F32 = 11, F16, BF16, FP8, F64 };

static uint64_t
near_one(uint64_t r, unsigned eb, unsigned fb)
{
    uint64_t bias = (UINT64_C(1) << (eb - 1)) - 1;
    uint64_t e = bias + (r >> 60) % 7 - 3, sign = r >> 55 & 1;
    return sign << (eb + fb) | e << fb | (r & ((UINT64_C(1) << fb) - 1));
}

static uint64_t
operand(unsigned kind, unsigned k, unsigned i)
{
    uint64_t r = input_mix(input_mix((uint64_t)i * 8 + k) + kind * 1000003u);
    uint64_t next = input_mix(r), v = 0;
    switch (kind) {
    case I32:
        return input_value(INPUT_I32, k, i);
    case ALL:
        return input_value(INPUT_F16X2, k, i);
    case F32:
        return near_one(r, 8, 23);
    case F16:
        return near_one(r, 5, 10) | near_one(next, 5, 10) << 16;
    case BF16:
        return near_one(r, 8, 7) | near_one(next, 8, 7) << 16;
    case F64:
        return near_one(r, 11, 52);
    default:
        for (int j = 0; j < 4; j++) {
            uint64_t x = r >> (8 * j) & 0xff;
            x &= (x & 0x7c) == 0x7c ? 0xbf : 0xff;
            v |= x << (8 * j);
        }
        return v;
    }
}

typedef struct {
    uint16_t m, n, k;
    sw_type d, a, b, c;
    unsigned kind, c_kind;
    uint64_t digest;
} truth;

static const truth truths[] = {
    {16, 8, 16, SW_T_F32, SW_T_F16, SW_T_F16, SW_T_F32, F16, F32,
     0x6e1cf2df6ab5f7f4},
    {16, 8, 16, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, F16, F16,
     0xdcf6f9cc8a8bfc09},
    {16, 8, 8, SW_T_F32, SW_T_F16, SW_T_F16, SW_T_F32, F16, F32,
     0x8898fc5aad563526},
    {16, 8, 16, SW_T_F32, SW_T_BF16, SW_T_BF16, SW_T_F32, BF16, F32,
     0x7395ad9a623f7d91},
    {16, 8, 8, SW_T_F32, SW_T_BF16, SW_T_BF16, SW_T_F32, BF16, F32,
     0x280c63ab98f356c9},
    {16, 8, 8, SW_T_F32, SW_T_TF32, SW_T_TF32, SW_T_F32, F32, F32,
     0x9608f65d83d9e8b2},
    {16, 8, 4, SW_T_F32, SW_T_TF32, SW_T_TF32, SW_T_F32, F32, F32,
     0x7c2c5df52505f6e2},
    {16, 8, 32, SW_T_S32, SW_T_S8, SW_T_S8, SW_T_S32, I32, I32,
     0x3f98e3e5e2efefc2},
    {16, 8, 16, SW_T_S32, SW_T_U8, SW_T_S8, SW_T_S32, I32, I32,
     0xf527c1f29cf7cdbd},
    {8, 8, 16, SW_T_S32, SW_T_S8, SW_T_U8, SW_T_S32, I32, I32,
     0x688a6a3ccb42772d},
    {16, 8, 64, SW_T_S32, SW_T_S4, SW_T_U4, SW_T_S32, I32, I32,
     0xe6f16389aae9b981},
    {8, 8, 32, SW_T_S32, SW_T_S4, SW_T_S4, SW_T_S32, I32, I32,
     0x824fd434ddee5a33},
    {16, 8, 32, SW_T_F32, SW_T_E4M3, SW_T_E4M3, SW_T_F32, FP8, F32,
     0x19ae4d6494c48974},
    {16, 8, 32, SW_T_F32, SW_T_E5M2, SW_T_E4M3, SW_T_F32, FP8, F32,
     0x4d113c74f67f6cfc},
    {16, 8, 16, SW_T_F32, SW_T_F16, SW_T_F16, SW_T_F32, ALL, F32,
     0x2a5b2ae61c309f8c},
    {8, 8, 4, SW_T_F64, SW_T_F64, SW_T_F64, SW_T_F64, F64, F64,
     0xd0ebc7effe1a44ce},
    {16, 8, 8, SW_T_F64, SW_T_F64, SW_T_F64, SW_T_F64, F64, F64,
     0x4b8898d4a5b41cb3},
    {8, 8, 4, SW_T_F32, SW_T_F16, SW_T_F16, SW_T_F32, F16, F32,
     0x4de7216b7b85a848},
    {8, 8, 4, SW_T_F16, SW_T_F16, SW_T_F16, SW_T_F16, F16, F16,
     0x24720b04d1db1b0e},
    {8, 8, 128, SW_T_S32, SW_T_B1, SW_T_B1, SW_T_S32, I32, I32,
     0x61cd4396b4521d0e},
    {16, 8, 256, SW_T_S32, SW_T_B1, SW_T_B1, SW_T_S32, I32, I32,
     0x1673ba2d6d1fb587},
};

static uint64_t
digest_of(const truth *t)
{
    uint64_t a[8][32], b[8][32], c[8][32], d[8][32], sum = 0;
    sw_matrix mx = {.m = t->m,
                    .n = t->n,
                    .k = t->k,
                    .dtype = t->d,
                    .atype = t->a,
                    .btype = t->b,
                    .ctype = t->c,
                    .a_row = true};
    sw_sem_frag frag;
    if (!sw_sem_matrix_frag(&mx, 'd', false, &frag))
        return 0;
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        for (unsigned r = 0; r < 8; r++)
            for (unsigned l = 0; l < 32; l++) {
                unsigned i = ((trial * 8 + r) * 32 + l) % INPUT_COUNT;
                a[r][l] = operand(t->kind, 0, i);
                b[r][l] = operand(t->kind, 1, i);
                c[r][l] = operand(t->c_kind, 2, i);
            }
        if (!sw_sem_matrix_mma(&mx, false, (const uint64_t(*)[32])a,
                               (const uint64_t(*)[32])b,
                               (const uint64_t(*)[32])c, NULL, d))
            return 0;
        for (unsigned r = 0; r < frag.regs; r++)
            for (unsigned l = 0; l < 32; l++)
                sum += input_mix(d[r][l] ^ input_mix((trial * 8 + r) * 32 + l));
    }
    return sum;
}

CASE(mma_gives_the_device_s_bits)
{
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        uint64_t got = digest_of(&truths[i]);
        if (got != truths[i].digest)
            printf("row %zu: m%un%uk%u %s\n", i, truths[i].m, truths[i].n,
                   truths[i].k, sw_type_text(truths[i].a));
        CHECK_EQ(got, truths[i].digest);
    }
}

/* ---- fragments ---- */

/* Each element of the matrix is in a fragment, equally often. */
static bool
covers(const sw_matrix *mx, char which, bool wmma)
{
    unsigned seen[32 * 256] = {0}, row, col;
    sw_sem_frag f;
    if (!sw_sem_matrix_frag(mx, which, wmma, &f))
        return false;
    unsigned slots = f.regs * f.per_reg * 32u;
    unsigned elems = (unsigned)f.rows * f.cols;
    for (unsigned i = 0; i < slots; i++) {
        unsigned e = i / 32;
        sw_sem_matrix_place(mx, which, &f, i % 32, e / f.per_reg, e % f.per_reg,
                            &row, &col);
        if (row >= f.rows || col >= f.cols)
            return false;
        seen[row * f.cols + col]++;
    }
    for (unsigned i = 0; i < elems; i++)
        if (seen[i] != slots / elems)
            return false;
    return true;
}

CASE(fragments_cover_their_matrices)
{
    static const struct {
        uint16_t m, n, k;
        sw_type in, acc;
    } shapes[] = {
        {16, 16, 16, SW_T_F16, SW_T_F32}, {32, 8, 16, SW_T_F16, SW_T_F16},
        {8, 32, 16, SW_T_F16, SW_T_F32},  {16, 16, 16, SW_T_BF16, SW_T_F32},
        {8, 32, 16, SW_T_BF16, SW_T_F32}, {16, 16, 8, SW_T_TF32, SW_T_F32},
        {8, 8, 4, SW_T_F64, SW_T_F64},    {16, 16, 16, SW_T_S8, SW_T_S32},
        {32, 8, 16, SW_T_U8, SW_T_S32},   {8, 32, 16, SW_T_U8, SW_T_S32},
        {8, 8, 32, SW_T_S4, SW_T_S32},    {8, 8, 128, SW_T_B1, SW_T_S32},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        sw_matrix mx = {.m = shapes[i].m,
                        .n = shapes[i].n,
                        .k = shapes[i].k,
                        .atype = shapes[i].in,
                        .btype = shapes[i].in,
                        .ctype = shapes[i].acc,
                        .dtype = shapes[i].acc};
        for (int w = 0; w < 4; w++)
            CHECK(covers(&mx, "abcd"[w], true));
    }
}

/* Where the device's wmma.load puts elements: lane 5 of m32n8k16 and of the
 * b of m8n32k16, as index row * columns + column. */
CASE(wmma_fragments_lie_as_on_the_device)
{
    static const unsigned a32[16] = {18,  19,  146, 147, 26,  27,  154, 155,
                                     274, 275, 402, 403, 282, 283, 410, 411};
    static const unsigned b32[16] = {65, 97,  73, 105, 321, 353, 329, 361,
                                     81, 113, 89, 121, 337, 369, 345, 377};
    sw_matrix mx = {.m = 32,
                    .n = 8,
                    .k = 16,
                    .atype = SW_T_F16,
                    .btype = SW_T_F16,
                    .ctype = SW_T_F32,
                    .dtype = SW_T_F32};
    sw_sem_frag f;
    unsigned row, col;
    CHECK(sw_sem_matrix_frag(&mx, 'a', true, &f));
    for (unsigned i = 0; i < 16; i++) {
        sw_sem_matrix_place(&mx, 'a', &f, 5, i / 2, i % 2, &row, &col);
        CHECK_EQ(row * 16 + col, a32[i]);
    }
    mx.m = 8;
    mx.n = 32;
    CHECK(sw_sem_matrix_frag(&mx, 'b', true, &f));
    for (unsigned i = 0; i < 16; i++) {
        sw_sem_matrix_place(&mx, 'b', &f, 5, i / 2, i % 2, &row, &col);
        CHECK_EQ(row * 32 + col, b32[i]);
    }
}

/* ---- a whole wmma ---- */

static int
small(unsigned seed, unsigned row, unsigned col)
{
    return (int)(input_mix(seed * 4096 + row * 64 + col) % 9) - 4;
}

static void
fill(const sw_matrix *mx, char which, uint64_t (*regs)[32], unsigned seed)
{
    sw_sem_frag f;
    if (!sw_sem_matrix_frag(mx, which, true, &f))
        return;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned r = 0; r < f.regs; r++) {
            regs[r][lane] = 0;
            for (unsigned p = 0; p < f.per_reg; p++) {
                unsigned row, col;
                sw_sem_matrix_place(mx, which, &f, lane, r, p, &row, &col);
                float x = (float)small(seed, row, col);
                uint64_t v =
                    f.elem_bits == 16 ? sem_f16_of_f32(x) : sem_bits_f32(x);
                regs[r][lane] |= v << (p * f.elem_bits);
            }
        }
}

static void
check_wmma(uint16_t m, uint16_t n)
{
    uint64_t a[8][32], b[8][32], c[8][32], d[8][32];
    sw_matrix mx = {.m = m,
                    .n = n,
                    .k = 16,
                    .atype = SW_T_F16,
                    .btype = SW_T_F16,
                    .ctype = SW_T_F32,
                    .dtype = SW_T_F32};
    sw_sem_frag f;
    fill(&mx, 'a', a, 1);
    fill(&mx, 'b', b, 2);
    fill(&mx, 'c', c, 3);
    CHECK(sw_sem_matrix_mma(&mx, true, (const uint64_t(*)[32])a,
                            (const uint64_t(*)[32])b, (const uint64_t(*)[32])c,
                            NULL, d));
    CHECK(sw_sem_matrix_frag(&mx, 'd', true, &f));
    unsigned wrong = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned r = 0; r < f.regs; r++) {
            unsigned row, col;
            sw_sem_matrix_place(&mx, 'd', &f, lane, r, 0, &row, &col);
            int sum = small(3, row, col);
            for (unsigned k = 0; k < 16; k++)
                sum += small(1, row, k) * small(2, k, col);
            wrong += d[r][lane] != sem_bits_f32((float)sum);
        }
    CHECK_EQ(wrong, 0);
}

CASE(wmma_multiplies)
{
    check_wmma(16, 16);
    check_wmma(32, 8);
    check_wmma(8, 32);
}

CASE(what_has_no_meaning_is_refused)
{
    uint64_t x[8][32] = {{0}};
    sw_matrix mx = {.m = 16,
                    .n = 8,
                    .k = 16,
                    .atype = SW_T_F16,
                    .btype = SW_T_BF16,
                    .ctype = SW_T_F32,
                    .dtype = SW_T_F32};
    const uint64_t(*in)[32] = (const uint64_t(*)[32])x;
    CHECK(!sw_sem_matrix_mma(&mx, false, in, in, in, NULL, x));
    mx.btype = SW_T_F16;
    CHECK(sw_sem_matrix_mma(&mx, false, in, in, in, NULL, x));
    mx.sparse = true;
    CHECK(!sw_sem_matrix_mma(&mx, false, in, in, in, NULL, x));
}
