/* SPDX-License-Identifier: Apache-2.0 */
/* half.c - y = a x + y in half precision, in OpenMP C: computed in single
 * precision, which gcc converts to and from one at a time, hence by hand. */
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "../problems/half.h"

static void
haxpy(uint16_t *restrict out, const uint16_t *x, const uint16_t *y, size_t n)
{
#ifdef __F16C__
#pragma omp parallel for
    for (size_t i = 0; i < n; i += 8) {
        __m256 a = _mm256_set1_ps(HALF_A);
        __m256 vx = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(x + i)));
        __m256 vy = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(y + i)));
        __m256 v = _mm256_add_ps(_mm256_mul_ps(a, vx), vy);
        _mm_storeu_si128((__m128i *)(out + i), _mm256_cvtps_ph(v, 0));
    }
#else
    const _Float16 *fx = (const _Float16 *)x, *fy = (const _Float16 *)y;
    _Float16 *to = (_Float16 *)out;
#pragma omp parallel for simd
    for (size_t i = 0; i < n; i++)
        to[i] = (_Float16)((float)HALF_A * (float)fx[i] + (float)fy[i]);
#endif
}

static void
run(void)
{
    half_vectors h = half_create();
    uint16_t *out = bench_alloc(h.n, sizeof *out);
    bench b = bench_start("haxpy", 6.0 * (double)h.n, 2.0 * (double)h.n);
    while (bench_next(&b))
        haxpy(out, h.x, h.y, h.n);
    bench_end(&b, half_check(&h, out));
}

BENCH_MAIN({"haxpy", run})
