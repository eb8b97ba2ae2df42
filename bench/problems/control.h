/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - threads that go different ways: many branches, deep loops with
 * trip counts of their own, and a kernel of thousands of instructions. One
 * thread's work is written once, for the device, for the native peer and for
 * the check.
 */
#ifndef BENCH_CONTROL_H
#define BENCH_CONTROL_H
#include "../bench.h"

#ifdef __CUDACC__
#define CONTROL_FN static __host__ __device__ inline
#else
#define CONTROL_FN static inline
#endif

enum { CONTROL_BLOCK = 256 };

typedef struct control {
    size_t n;
} control;

/* Sixteen decisions by the bits of a number, each way with other arithmetic. */
CONTROL_FN uint32_t
control_branches(uint32_t x)
{
    uint32_t h = x;
    for (int i = 0; i < 16; i++) {
        if (h & 1) {
            if (h & 2)
                h = h * 5 + 0x9e3779b9u;
            else
                h = (h << 7 | h >> 25) ^ x;
        } else if (h & 4) {
            h = (h >> 3) + x * (h & 255);
            if (h & 8)
                h ^= 0x5bd1e995u;
        } else {
            switch (h >> 3 & 3) {
            case 0:
                h = ~h - x;
                break;
            case 1:
                h = h / 3 + 0x01234567u;
                break;
            case 2:
                h = (h ^ x) * 9;
                break;
            default:
                h = (h << 16 | h >> 16) + 1;
            }
        }
    }
    return h;
}

/* Three loops in one another, each with bounds from the data. */
CONTROL_FN uint32_t
control_loops(uint32_t x)
{
    uint32_t sum = x, outer = 1 + x % 7;
    for (uint32_t i = 0; i < outer; i++) {
        uint32_t middle = sum >> 5 & 7;
        for (uint32_t j = 0; j <= middle; j++) {
            uint32_t v = (sum ^ j) & 63;
            while (v != 0) { /* as many turns as bits are set */
                v &= v - 1;
                sum = sum * 0x343fdu + 0x269ec3u;
            }
            if ((sum >> 16 & 31) == 0)
                break;
        }
        sum += i;
    }
    return sum;
}

/* Straight code, about 5,000 instructions: 640 steps of 8, each of which needs
 * the one before and none of which a compiler can fold. */
#define CONTROL_STEP                                                           \
    a += (b << 5 | b >> 27) ^ c;                                               \
    b ^= a >> 3;                                                               \
    c = (c + b) ^ d;                                                           \
    d += a;
#define CONTROL_10(step) step step step step step step step step step step
#define CONTROL_STEP_10  CONTROL_10(CONTROL_STEP)
#define CONTROL_STEP_100 CONTROL_10(CONTROL_STEP_10)
enum { CONTROL_STEPS = 640, CONTROL_STEP_OPS = 8 };

CONTROL_FN uint32_t
control_straight(uint32_t x)
{
    uint32_t a = x, b = x ^ 0x9e3779b9u, c = x * 3, d = ~x;
    CONTROL_STEP_100
    CONTROL_STEP_100
    CONTROL_STEP_100
    CONTROL_STEP_100
    CONTROL_STEP_100
    CONTROL_STEP_100
    CONTROL_STEP_10
    CONTROL_STEP_10
    CONTROL_STEP_10
    CONTROL_STEP_10
    return a ^ b ^ c ^ d;
}

static inline bool
control_check(const control *c, uint32_t (*work)(uint32_t), const uint32_t *got)
{
    uint32_t *want = (uint32_t *)bench_alloc(c->n, sizeof *want);
    for (size_t i = 0; i < c->n; i++)
        want[i] = work(bench_hash((uint32_t)i));
    return bench_same(got, want, c->n, sizeof *want);
}

static inline control
control_create(size_t full, size_t small)
{
    control c = {bench_size(full, small)};
    return c;
}

/* The input: bench_hash of each index. */
static inline uint32_t *
control_input(const control *c)
{
    uint32_t *in = (uint32_t *)bench_alloc(c->n, sizeof *in);
    for (size_t i = 0; i < c->n; i++)
        in[i] = bench_hash((uint32_t)i);
    return in;
}
#endif
