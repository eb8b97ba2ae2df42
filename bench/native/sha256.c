/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.c - digests, in OpenMP C, a message a lane where it vectorises. */
#include "../problems/sha256.h"

static const uint32_t round_constants[64] = SHA256_K;

static void
run(void)
{
    sha256 s = sha256_create();
    uint32_t *out = bench_alloc(8 * s.n, sizeof *out);
    bench b = bench_start("sha256", 32.0 * (double)s.n, 0);
    while (bench_next(&b)) {
#pragma omp parallel for simd
        for (size_t i = 0; i < s.n; i++) {
            uint32_t h[8];
            sha256_message(h, (uint32_t)i, round_constants);
            for (size_t j = 0; j < 8; j++)
                out[j * s.n + i] = h[j];
        }
    }
    bench_end(&b, sha256_check(&s, out));
}

BENCH_MAIN({"sha256", run})
