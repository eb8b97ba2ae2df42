/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sem_float_test.c - the fast floating-point paths of sem/ against exact
 * integer arithmetic (soft.h), in every direction of rounding; formats of 8
 * and 16 bits exhaustively.
 */
#include "check.h"
#include "sem/sem.h"
#include "unit/sem_inputs.h"

enum { RANDOM = 20000 };
static const unsigned directions[] = {SW_RND_NONE, SW_RND_RZ, SW_RND_RM,
                                      SW_RND_RP};

static uint32_t
random_f32(unsigned k, unsigned i)
{
    uint64_t r = input_mix(i * 4u + k);
    unsigned kind = r >> 60 & 3 ? INPUT_F32 : INPUT_I32;
    return (uint32_t)(i < INPUT_COUNT     ? input_value(INPUT_F32, k, i)
                      : kind == INPUT_F32 ? input_random_float(r, 8, 23)
                                          : r);
}

static sem_soft
soft_f32(uint32_t u)
{
    return sem_soft_unpack(SEM_FMT_F32, u);
}

static uint32_t
pack_f32(sem_soft v, unsigned rnd)
{
    return (uint32_t)sem_soft_pack(SEM_FMT_F32, rnd, v);
}

static uint32_t
bits(float x)
{
    return sem_bits_f32(x);
}

CASE(f32_arithmetic_is_exact_in_every_direction)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < RANDOM; i++)
        for (unsigned d = 0; d < 4; d++) {
            unsigned rnd = directions[d];
            uint32_t ua = random_f32(0, i), ub = random_f32(1, i);
            uint32_t uc = random_f32(2, i);
            float a = sem_f32_bits(ua), b = sem_f32_bits(ub);
            float c = sem_f32_bits(uc);
            sem_soft x = soft_f32(ua), y = soft_f32(ub), z = soft_f32(uc);
            sem_soft p = sem_soft_mul(x, y);
            wrong += bits(sem_add_f32(a, b, rnd)) !=
                     pack_f32(sem_soft_add(x, y, rnd), rnd);
            wrong += bits(sem_mul_f32(a, b, rnd)) != pack_f32(p, rnd);
            wrong += bits(sem_fma_f32(a, b, c, rnd)) !=
                     pack_f32(sem_soft_add(p, z, rnd), rnd);
            wrong += bits(sem_div_f32(a, b, rnd)) !=
                     pack_f32(sem_soft_div(x, y), rnd);
            wrong +=
                bits(sem_sqrt_f32(a, rnd)) != pack_f32(sem_soft_sqrt(x), rnd);
        }
    CHECK_EQ(wrong, 0);
}

CASE(fma_without_the_host_s_help_rounds_once)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < RANDOM; i++) {
        uint32_t ua = random_f32(0, i), ub = random_f32(1, i);
        uint32_t uc = random_f32(2, i);
        float r = sem_fma_odd_f32(sem_f32_bits(ua), sem_f32_bits(ub),
                                  sem_f32_bits(uc));
        sem_soft p = sem_soft_mul(soft_f32(ua), soft_f32(ub));
        uint32_t want = pack_f32(sem_soft_add(p, soft_f32(uc), 0), 0);
        wrong += bits(sem_canon_f32(r)) != want;
    }
    CHECK_EQ(wrong, 0);
}

CASE(soft_f64_agrees_with_the_host_to_nearest)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < INPUT_COUNT; i++) {
        double a = sem_f64_bits(input_value(INPUT_F64, 0, i));
        double b = sem_f64_bits(input_value(INPUT_F64, 1, i));
        double c = sem_f64_bits(input_value(INPUT_F64, 2, i));
        if (a != a || b != b || c != c)
            continue;
        double got[5], want[5] = {a + b, a * b, fma(a, b, c), a / b, sqrt(a)};
        for (int op = 0; op < 5; op++) {
            got[op] = sem_directed_f64(op, a, b, c, SW_RND_RN);
            wrong += sem_bits_f64(got[op]) != sem_bits_f64(want[op]) &&
                     want[op] == want[op];
        }
    }
    CHECK_EQ(wrong, 0);
}

/* Directed results enclose the exact one: down <= nearest <= up, a step. */
CASE(f64_directions_enclose_the_nearest)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < INPUT_COUNT; i++) {
        double a = sem_f64_bits(input_value(INPUT_F64, 0, i));
        double b = sem_f64_bits(input_value(INPUT_F64, 1, i));
        double n = sem_div_f64(a, b, 0);
        double lo = sem_div_f64(a, b, SW_RND_RM);
        double hi = sem_div_f64(a, b, SW_RND_RP);
        if (n != n)
            continue;
        wrong += !(lo <= n && n <= hi);
        wrong += lo != hi && sem_order_f64(hi) - sem_order_f64(lo) != 1;
        wrong +=
            sem_div_f64(a, b, SW_RND_RZ) != (signbit(n) ? hi : lo) && lo != hi;
    }
    CHECK_EQ(wrong, 0);
}

CASE(of_two_nans_a_difference_has_the_second_or_as_it_says_the_first)
{
    double a = sem_f64_bits(0x7ff0000000000001), b = -NAN;
    uint64_t quiet = 0x7ff8000000000001, other = sem_bits_f64(b);
    CHECK_EQ(sem_bits_f64(sem_sub_f64(a, b, 0)), other);
    CHECK_EQ(sem_bits_f64(sem_sub_f64(a, b, SW_FM_NAN)), quiet);
    CHECK_EQ(sem_bits_f64(sem_sub_f64(b, a, SW_FM_NAN)), other);
    CHECK_EQ(sem_bits_f64(sem_sub_f64(a, 1, SW_FM_NAN)), quiet);
    CHECK_EQ(sem_bits_f64(sem_sub_f64(1, a, SW_FM_NAN | SW_RND_RZ)), quiet);
}

CASE(every_f16_widens_and_narrows_back)
{
    unsigned wrong = 0;
    for (uint32_t h = 0; h < 0x10000; h++) {
        bool nan = (h & 0x7fff) > 0x7c00;
        float x = sem_f32_of_f16((uint16_t)h);
        sem_soft v = sem_soft_unpack(SEM_FMT_F16, h);
        wrong += bits(x) != (nan ? 0x7fffffff : pack_f32(v, 0));
        wrong += sem_f16_of_f32(x) != (nan ? 0x7fff : h);
    }
    CHECK_EQ(wrong, 0);
}

CASE(f32_narrows_as_exact_arithmetic_does)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < RANDOM * 4; i++) {
        uint32_t u =
            i < RANDOM ? random_f32(0, i) : 0x33000000 + (i - RANDOM) * 0x1001u;
        sem_soft v = soft_f32(u);
        wrong +=
            sem_f16_of_f32(sem_f32_bits(u)) != sem_soft_pack(SEM_FMT_F16, 0, v);
        wrong += sem_bf16_of_f32(sem_f32_bits(u)) !=
                 sem_soft_pack(SEM_FMT_BF16, 0, v);
    }
    CHECK_EQ(wrong, 0);
}

CASE(f16_arithmetic_is_rounded_once)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < RANDOM * 4; i++) {
        uint64_t r = input_mix(i);
        uint16_t a = (uint16_t)r, b = (uint16_t)(r >> 16);
        uint16_t c = (uint16_t)(r >> 32);
        for (int f = 0; f < 2; f++) {
            sem_fmt fmt = f ? SEM_FMT_BF16 : SEM_FMT_F16;
            sem_soft x = sem_soft_unpack(fmt, a), y = sem_soft_unpack(fmt, b);
            sem_soft p = sem_soft_mul(x, y);
            sem_soft s = sem_soft_add(p, sem_soft_unpack(fmt, c), 0);
            uint64_t sum = sem_soft_pack(fmt, 0, sem_soft_add(x, y, 0));
            wrong += (f ? sem_add_bf16(a, b, 0) : sem_add_f16(a, b, 0)) != sum;
            wrong += (f ? sem_mul_bf16(a, b, 0) : sem_mul_f16(a, b, 0)) !=
                     sem_soft_pack(fmt, 0, p);
            wrong += (f ? sem_fma_bf16(a, b, c, 0) : sem_fma_f16(a, b, c, 0)) !=
                     sem_soft_pack(fmt, 0, s);
        }
    }
    CHECK_EQ(wrong, 0);
}

CASE(every_fp8_widens_and_narrows_back)
{
    unsigned wrong = 0;
    for (unsigned v = 0; v < 256; v++) {
        float e4 = sem_f32_of_e4m3((uint8_t)v);
        float e5 = sem_f32_of_e5m2((uint8_t)v);
        wrong += e4 == e4 && sem_e4m3_of_f32(e4, 0) != v;
        wrong += e5 == e5 && sem_e5m2_of_f32(e5, 0) != v;
        wrong += (e4 != e4) != ((v & 0x7f) == 0x7f);
        wrong += (e5 != e5) != ((v & 0x7f) > 0x7c);
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(bits(sem_f32_of_e4m3(0x7e)), bits(448.0f));
    CHECK_EQ(bits(sem_f32_of_e5m2(0x7b)), bits(57344.0f));
    CHECK_EQ(sem_e4m3_of_f32(1e9f, SW_FM_SAT), 0x7e);
    CHECK_EQ(sem_e4m3_of_f32(1e9f, 0), 0x7f);
    CHECK_EQ(sem_e5m2_of_f32(-1e9f, SW_FM_SAT), 0xfb);
}

CASE(modifiers)
{
    float tiny = sem_f32_bits(0x007fffff), nan = sem_f32_bits(0x7fc00001);
    CHECK_EQ(bits(sem_add_f32(-tiny, -0.0f, SW_FM_FTZ)), 0x80000000);
    CHECK_EQ(bits(sem_add_f32(tiny, 0, 0)), 0x007fffff);
    CHECK_EQ(bits(sem_add_f32(1, 1, SW_FM_SAT)), bits(1));
    CHECK_EQ(bits(sem_add_f32(nan, 1, SW_FM_SAT)), 0);
    CHECK_EQ(bits(sem_add_f32(nan, 1, 0)), 0x7fffffff);
    CHECK_EQ(bits(sem_min_f32(nan, 1, 0)), bits(1));
    CHECK_EQ(bits(sem_min_f32(nan, 1, SW_FM_NAN)), 0x7fffffff);
    CHECK_EQ(bits(sem_max_f32(-0.0f, 0.0f, 0)), 0);
    CHECK_EQ(bits(sem_min_f32(0.0f, -0.0f, 0)), 0x80000000);
    CHECK_EQ(bits(sem_min_f32(-3, 2, SW_FM_XORSIGN)), bits(-2));
    CHECK_EQ(sem_fma_f16(0x3c00, 0xbc00, 0, SW_FM_RELU), 0);
    /* Exactly between 1 and its neighbour, then just above. */
    CHECK_EQ(bits(sem_add_f32(1, 0x1p-24f, SW_RND_RP)), 0x3f800001);
    CHECK_EQ(bits(sem_add_f32(1, 0x1p-100f, SW_RND_RP)), 0x3f800001);
    CHECK_EQ(bits(sem_add_f32(1, -0x1p-100f, SW_RND_RZ)), 0x3f7fffff);
    CHECK_EQ(bits(sem_add_f32(1, -1, SW_RND_RM)), 0x80000000);
    CHECK_EQ(bits(sem_mul_f32(0x1p127f, 2, SW_RND_RZ)), 0x7f7fffff);
    CHECK_EQ(bits(sem_mul_f32(0x1p-149f, 0.5f, SW_RND_RP)), 1);
}

CASE(conversions_to_integers_clamp)
{
    sw_fmode m = SW_RND_RZI;
    CHECK_EQ(sem_cvt_s32_f32(3e9f, m), 0x7fffffff);
    CHECK_EQ(sem_cvt_s32_f32(-3e9f, m), 0x80000000);
    CHECK_EQ(sem_cvt_s32_f32(NAN, m), 0);
    CHECK_EQ(sem_cvt_u32_f32(-1, m), 0);
    CHECK_EQ(sem_cvt_u32_f32(5e9f, m), 0xffffffff);
    CHECK_EQ(sem_cvt_s8_f32(-200, m), 0xff80);
    CHECK_EQ(sem_cvt_u8_f32(300, m), 255);
    CHECK_EQ(sem_cvt_s64_f32(NAN, m), UINT64_C(1) << 63);
    CHECK_EQ(sem_cvt_u64_f64(0x1p64, m), UINT64_MAX);
    CHECK_EQ(sem_cvt_s32_f32(2.5f, SW_RND_RNI), 2);
    CHECK_EQ(sem_cvt_s32_f32(3.5f, SW_RND_RNI), 4);
    CHECK_EQ(sem_cvt_s32_f32(-2.5f, SW_RND_RMI), (uint32_t)-3);
    CHECK_EQ(sem_cvt_s32_f32(-2.5f, SW_RND_RPI), (uint32_t)-2);
    CHECK_EQ(sem_cvt_s8_s32(200, SW_FM_SAT), 127);
    CHECK_EQ(sem_cvt_s8_s32(200, 0), 0xffc8);
    CHECK_EQ(sem_cvt_u32_s64((uint64_t)-5, SW_FM_SAT), 0);
    CHECK_EQ(sem_cvt_s32_u64(UINT64_MAX, SW_FM_SAT), 0x7fffffff);
}

/* Relative error against the host's library, below what the PTX ISA states,
 * and the special cases; sem_approx_test.c checks bits. */
CASE(approximations_are_close)
{
    static const double stated[6] = {0x1p-23, 0x1.8p-23, 0x1p-14,
                                     0x1p-22, 0x1p-11,   0x1p-20};
    double worst[6] = {0};
    for (unsigned i = 0; i < RANDOM; i++) {
        float x = (float)(i + 1) * 0.00390625f;
        double want[6] = {1 / (double)x,   1 / sqrt((double)x),
                          log2((double)x), exp2((double)x - 40),
                          tanh((double)x), cos(1)};
        float got[6] = {sem_rcp_f32(x, SW_FM_APPROX),
                        sem_rsqrt_f32(x, SW_FM_APPROX),
                        sem_lg2_f32(x, 0),
                        sem_ex2_f32(x - 40, 0),
                        sem_tanh_f32(x, 0),
                        sem_cos_f32(1, 0)};
        for (int k = 0; k < 6; k++) {
            double e = fabs((double)got[k] - want[k]);
            e = want[k] == 0 ? e : e / fabs(want[k]);
            worst[k] = isfinite(want[k]) && e > worst[k] ? e : worst[k];
        }
        if (x >= 88)
            break;
    }
    for (int k = 0; k < 6; k++)
        CHECK(worst[k] < stated[k]);
    unsigned far = 0;
    for (int i = -31400; i < 31400; i++) {
        float x = (float)i * 1e-4f;
        far += fabs((double)sem_sin_f32(x, 0) - sin((double)x)) > 0x1p-20;
        far += fabs((double)sem_cos_f32(x, 0) - cos((double)x)) > 0x1p-20;
    }
    CHECK_EQ(far, 0);
    CHECK_EQ(bits(sem_rcp_f32(-0.0f, SW_FM_APPROX)), 0xff800000);
    CHECK_EQ(bits(sem_rsqrt_f32(-0.0f, 0)), 0xff800000);
    CHECK_EQ(bits(sem_rsqrt_f32(-1, 0)), 0x7fffffff);
    CHECK_EQ(bits(sem_lg2_f32(0, 0)), 0xff800000);
    CHECK_EQ(bits(sem_lg2_f32(-1, 0)), 0x7fffffff);
    CHECK_EQ(bits(sem_lg2_f32(INFINITY, 0)), 0x7f800000);
    CHECK_EQ(bits(sem_ex2_f32(-INFINITY, 0)), 0);
    CHECK_EQ(bits(sem_ex2_f32(0x1p-140f, SW_FM_FTZ)), bits(1));
    CHECK_EQ(bits(sem_sin_f32(INFINITY, 0)), 0x7fffffff);
    CHECK_EQ(bits(sem_sin_f32(-0.0f, 0)), 0x80000000);
    CHECK_EQ(bits(sem_cos_f32(0, 0)), bits(1));
    CHECK_EQ(bits(sem_tanh_f32(INFINITY, 0)), bits(1));
    CHECK_EQ(bits(sem_div_f32(1, 0x1p127f, SW_FM_APPROX)), 0);
    CHECK_EQ(bits(sem_div_f32(1, 0x1p127f, SW_FM_FULL)), 0x00400000);
}

/* With 24 digits (1 - 2^-13) * (1 + 2^-13) is 1, and (1 - 2^-12) * (1 + 2^-12)
 * is not: of 2^-126 times that the first is no subnormal. */
CASE(products_are_flushed_by_what_24_digits_make_of_them)
{
    sw_fmode ftz = SW_FM_FTZ;
    float below = 0x1p-63f * (1 - 0x1p-13f), above = 0x1p-63f * (1 + 0x1p-13f);
    CHECK_EQ(sem_bits_f32(sem_mul_f32(below, above, ftz)), 0x00800000);
    CHECK_EQ(sem_bits_f32(sem_fma_f32(below, above, 0, ftz)), 0x00800000);
    CHECK_EQ(sem_bits_f32(sem_mul_f32(below, above, ftz | SW_RND_RZ)), 0);
    below = 0x1p-63f * (1 - 0x1p-12f);
    above = 0x1p-63f * (1 + 0x1p-12f);
    CHECK_EQ(sem_bits_f32(sem_mul_f32(below, above, ftz)), 0);
    CHECK_EQ(sem_bits_f32(sem_fma_f32(below, above, 0, ftz)), 0);
}
