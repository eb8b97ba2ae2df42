/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sem_approx.h - the approximate instructions with one operand in f32, and
 * the digests that say whether they equal a device's: a sum over operands of
 * input_mix(operand << 32 | result). sem_approx_test.c samples the operands,
 * bench/approx_check.c takes all.
 */
#ifndef SW_TEST_SEM_APPROX_H
#define SW_TEST_SEM_APPROX_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sem/approx.h"
#include "unit/sem_inputs.h"

/* The sample: 2^20 operands, every 4093rd. Its digests are of an instruction
 * that passed bench/approx_check, so they are the device's. */
enum { APPROX_STEP = 4093, APPROX_SAMPLE = 1 << 20, APPROX_BINADES = 512 };

/* FORM(name, function, mode, row, digest of the sample) */
#define APPROX_FORMS(FORM)                                                     \
    FORM("rcp.approx.ftz.f32", rcp_approx, SW_FM_FTZ, 0, 0x6761ecbd417ae8af)   \
    FORM("rsqrt.approx.ftz.f32", rsqrt, SW_FM_FTZ, 1, 0x111142cbff7a1613)      \
    FORM("sqrt.approx.ftz.f32", sqrt_approx, SW_FM_FTZ, 2, 0xec356ee5feb980d4) \
    FORM("lg2.approx.ftz.f32", lg2, SW_FM_FTZ, 3, 0x42d7f7bc9cbac03f)          \
    FORM("ex2.approx.ftz.f32", ex2, SW_FM_FTZ, 4, 0x34170a53b6b1cd03)          \
    FORM("sin.approx.ftz.f32", sin, SW_FM_FTZ, 5, 0x1000c5c9fe99980c)          \
    FORM("cos.approx.ftz.f32", cos, SW_FM_FTZ, 6, 0xefbc84fe298819e5)          \
    FORM("tanh.approx.f32", tanh, 0, 7, 0xc0e9fdb7f7d0e5f4)                    \
    FORM("rcp.approx.f32", rcp_approx, 0, 8, 0xcc959703c67ec3ce)               \
    FORM("rsqrt.approx.f32", rsqrt, 0, 9, 0xeb93942cd13da8a0)                  \
    FORM("sqrt.approx.f32", sqrt_approx, 0, 10, 0x78155b547895ad46)            \
    FORM("lg2.approx.f32", lg2, 0, 11, 0x10d6c2169a3b1e3b)                     \
    FORM("ex2.approx.f32", ex2, 0, 12, 0x3cae5798c17ab5ae)                     \
    FORM("sin.approx.f32", sin, 0, 13, 0x1000c5c9fe99980c)                     \
    FORM("cos.approx.f32", cos, 0, 14, 0xefbc84fe298819e5)

/* The digest of `count` operands, a multiple of 256, from `first` on. */
#define APPROX_DIGEST(name, fn, mode, row, sample)                             \
    static uint64_t approx_##row(uint32_t first, uint32_t step,                \
                                 uint32_t count)                               \
    {                                                                          \
        uint64_t sum = 0;                                                      \
        uint32_t a[256], d[256];                                               \
        for (uint32_t k = 0; k < count; k += 256) {                            \
            for (uint32_t i = 0; i < 256; i++)                                 \
                a[i] = first + (k + i) * step;                                 \
            for (uint32_t i = 0; i < 256; i++)                                 \
                d[i] = sem_bits_f32(sem_##fn##_f32(sem_f32_bits(a[i]), mode)); \
            for (uint32_t i = 0; i < 256; i++)                                 \
                sum += input_mix((uint64_t)a[i] << 32 | d[i]);                 \
        }                                                                      \
        return sum;                                                            \
    }
APPROX_FORMS(APPROX_DIGEST)

typedef struct approx_form {
    const char *name;
    uint64_t (*digest)(uint32_t first, uint32_t step, uint32_t count);
    uint64_t sample;
} approx_form;

#define APPROX_ROW(name, fn, mode, row, sample) {name, approx_##row, sample},
static const approx_form approx_forms[] = {APPROX_FORMS(APPROX_ROW)};
enum { APPROX_COUNT = sizeof approx_forms / sizeof *approx_forms };

/* The device's digests of an instruction's binades, sign and exponent as in
 * the operand's bits; false if not all are there. */
static inline bool
approx_read_digests(const char *name, uint64_t want[APPROX_BINADES])
{
    FILE *f = fopen("tests/data/h200_approx.csv", "r");
    if (!f)
        return false;
    char line[128];
    unsigned found = 0;
    size_t length = strlen(name);
    while (fgets(line, sizeof line, f)) {
        char *at = line + length;
        if (strncmp(line, name, length) != 0 || *at++ != ',')
            continue;
        unsigned long sign = strtoul(at, &at, 10);
        unsigned long exponent = strtoul(at + 1, &at, 10);
        want[(sign & 1) << 8 | (exponent & 255)] = strtoull(at + 1, NULL, 16);
        found++;
    }
    fclose(f);
    return found == APPROX_BINADES;
}

#endif
