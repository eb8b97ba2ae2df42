/* SPDX-License-Identifier: Apache-2.0 */
/* sem_approx_test.c - approximate instructions give an H200's bits. */
#include "check.h"
#include "unit/sem_approx.h"

CASE(samples_of_all_f32_operands)
{
    for (size_t k = 0; k < APPROX_COUNT; k++) {
        const approx_form *f = &approx_forms[k];
        bool ok = f->digest(0, APPROX_STEP, APPROX_SAMPLE) == f->sample;
        if (!ok)
            printf("%s\n", f->name);
        CHECK(ok);
    }
}

/* A binade of every other: subnormals, or [1, 2). */
CASE(binades_of_f32_operands)
{
    for (size_t k = 0; k < APPROX_COUNT; k += 2) {
        const approx_form *f = &approx_forms[k];
        uint64_t want[APPROX_BINADES];
        CHECK(approx_read_digests(f->name, want));
        uint32_t b = k % 3 ? 127 : 0;
        bool ok = f->digest(b << 23, 1, 1 << 23) == want[b];
        if (!ok)
            printf("%s\n", f->name);
        CHECK(ok);
    }
}

/* Every operand; the other half of a pair is the same with bits flipped. */
#define ALL(fn, pair, mode, want, want_pair)                                   \
    {                                                                          \
        uint64_t sum = 0, pairs = 0;                                           \
        for (uint32_t i = 0; i < 65536; i++) {                                 \
            sum += input_mix((uint64_t)i << 32 | fn((uint16_t)i, mode));       \
            uint32_t x = i | (i ^ 0x5a5a) << 16;                               \
            pairs += input_mix((uint64_t)i << 32 | pair(x, mode));             \
        }                                                                      \
        CHECK_EQ(sum, want);                                                   \
        CHECK_EQ(pairs, want_pair);                                            \
    }

CASE(all_operands_of_16_bits)
{
    ALL(sem_ex2_f16, sem_ex2_f16x2, 0, UINT64_C(0x244fc835afdc5fba),
        UINT64_C(0x6d5485984e70e5ed))
    ALL(sem_tanh_f16, sem_tanh_f16x2, 0, UINT64_C(0xab8e77a982fb5089),
        UINT64_C(0x4c167263cdf28e14))
    ALL(sem_ex2_bf16, sem_ex2_bf16x2, SW_FM_FTZ, UINT64_C(0x44175f299ecf9e24),
        UINT64_C(0x81cfd3122373acf9))
    ALL(sem_tanh_bf16, sem_tanh_bf16x2, 0, UINT64_C(0xcf64f9fbc4eb2a6f),
        UINT64_C(0x6f8e41f65dcc485b))
}

/* Random bits; every other operand near 1, or near either end. */
static double
operand_f64(uint64_t i)
{
    uint64_t u = input_mix(i), e = i % 3 ? 1023 + i % 128 - 64 : i % 80;
    if (i % 3 == 0 && i & 2)
        e = 2046 - i % 8;
    if (i & 1)
        u = (u & UINT64_C(0x800fffffffffffff)) | e << 52;
    return sem_f64_bits(u);
}

CASE(f64_operands)
{
    uint64_t sum[3] = {0};
    for (uint64_t i = 0; i < 65536; i++) {
        double a = operand_f64(i);
        double r[3] = {sem_rcp_f64(a, SW_FM_APPROX | SW_FM_FTZ),
                       sem_rsqrt_f64(a, SW_FM_APPROX | SW_FM_FTZ),
                       sem_rsqrt_f64(a, SW_FM_APPROX)};
        for (int k = 0; k < 3; k++)
            sum[k] += input_mix(sem_bits_f64(r[k]) ^ input_mix(i));
    }
    CHECK_EQ(sum[0], UINT64_C(0x072d082ff6d7489d));
    CHECK_EQ(sum[1], UINT64_C(0x2133dc43c0a23a4b));
    CHECK_EQ(sum[2], UINT64_C(0xc430bef5c098a347));
}

/* Dividend below, divisor above; exponents near the ends for some. */
static uint64_t
operands_div(uint64_t i)
{
    uint64_t u = input_mix(i), end = (i >> 5) % 6 + (i & 16 ? 250 : 0);
    uint64_t low = UINT64_C(255) << 23, high = UINT64_C(255) << 55;
    if (i & 1)
        u = (u & ~(low | high)) | (97 + i % 61) << 23 | (112 + i % 37) << 55;
    if (i % 8 == 4)
        u = (u & ~high) | end << 55;
    if (i % 8 == 2)
        u = (u & ~low) | end << 23;
    return u;
}

CASE(quotients_of_f32)
{
    static const sw_fmode mode[4] = {SW_FM_APPROX, SW_FM_APPROX | SW_FM_FTZ,
                                     SW_FM_FULL, SW_FM_FULL | SW_FM_FTZ};
    uint64_t sum[4] = {0};
    for (uint64_t i = 0; i < 1 << 18; i++) {
        uint64_t u = operands_div(i);
        float a = sem_f32_bits((uint32_t)u);
        float b = sem_f32_bits((uint32_t)(u >> 32));
        for (int k = 0; k < 4; k++)
            sum[k] +=
                input_mix(i << 32 | sem_bits_f32(sem_div_f32(a, b, mode[k])));
    }
    CHECK_EQ(sum[0], UINT64_C(0x1c9bae11944c3404));
    CHECK_EQ(sum[1], UINT64_C(0x8d50918e3ed5854b));
    CHECK_EQ(sum[2], UINT64_C(0xdcbf1921721f0a6a));
    CHECK_EQ(sum[3], UINT64_C(0x3b582afe7bb21219));
}
