/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_doubles.c - c + a * b in f64, one product of a sum after the other,
 * each in one fma, for sums that are no NaN. Compiled once for each vector
 * extension, as lanes.c is; matrix_rows.h says how registers lie.
 */
#include "interp/matrix_rows.h"

#if defined(__AVX2__)
/* ---- rows ---- */

VECTOR(double, four, 32)
#if defined(__AVX512F__)
enum { D = 8 };
VECTOR(double, doubles, 64)
VECTOR(int64_t, masks, 64)
#define SPREAD_EACH(v, i)                                                      \
    __builtin_shufflevector(v, v, i, i, i, i, (i) + 4, (i) + 4, (i) + 4,       \
                            (i) + 4)
#define REPEAT(v)    (doubles) _mm512_broadcast_f64x4((__m256d)(v))
#define FMA(a, b, c) (doubles) _mm512_fmadd_pd((__m512d)(a), (__m512d)(b), c)
#else
enum { D = 4 };
VECTOR(double, doubles, 32)
VECTOR(int64_t, masks, 32)
#define SPREAD_EACH(v, i) __builtin_shufflevector(v, v, i, i, i, i)
#define REPEAT(v)         (v)
#define FMA(a, b, c)      (doubles) _mm256_fmadd_pd((__m256d)(a), (__m256d)(b), c)
#endif

/* Of a tile: [odd][k]. */
typedef struct {
    doubles at[2][4];
} columns;

static inline ALWAYS void
take_tile(const double *reg, columns *to)
{
    for (unsigned odd = 0; odd < 2; odd++) {
        four a, b, c, d;
        memcpy(&a, reg + 4 * odd, sizeof a);
        memcpy(&b, reg + 4 * odd + 8, sizeof b);
        memcpy(&c, reg + 4 * odd + 16, sizeof c);
        memcpy(&d, reg + 4 * odd + 24, sizeof d);
        four even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
        four other = __builtin_shufflevector(a, b, 1, 5, 3, 7);
        four even2 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
        four other2 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
        four k0 = __builtin_shufflevector(even, even2, 0, 1, 4, 5);
        four k1 = __builtin_shufflevector(other, other2, 0, 1, 4, 5);
        four k2 = __builtin_shufflevector(even, even2, 2, 3, 6, 7);
        four k3 = __builtin_shufflevector(other, other2, 2, 3, 6, 7);
        to->at[odd][0] = REPEAT(k0);
        to->at[odd][1] = REPEAT(k1);
        to->at[odd][2] = REPEAT(k2);
        to->at[odd][3] = REPEAT(k3);
    }
}

/* Of twice as many rows as a vector has: even columns, and odd ones. A sum's
 * products wait for each other; other sums' are added meanwhile. */
enum { VECTORS = 2 };

typedef struct {
    doubles of[VECTORS][2];
} sums;

#define ADD(i)                                                                 \
    for (unsigned v = 0; v < VECTORS; v++) {                                   \
        doubles x = SPREAD_EACH(left[v], i);                                   \
        s->of[v][0] = FMA(x, b->at[0][i], s->of[v][0]);                        \
        s->of[v][1] = FMA(x, b->at[1][i], s->of[v][1]);                        \
    }

/* a: of each tile along k the row that is the first. */
static inline ALWAYS void
add_rows(const double *const a[], unsigned tiles, unsigned at, const columns *b,
         sums *s)
{
    for (unsigned k = 0; k < tiles; k++, b++) {
        doubles left[VECTORS];
        memcpy(left, a[k] + at, sizeof left);
        ADD(0)
        ADD(1)
        ADD(2)
        ADD(3)
    }
}
#undef ADD

/* Some rows of a tile. Not 0: a sum there is a NaN. */
static inline ALWAYS masks
add_tile(const double *const a[], unsigned tiles, unsigned at, const columns *b,
         const void *const c[2], double (*out)[REG_WORDS])
{
    sums s;
    masks nan = {0};
    for (unsigned v = 0; v < VECTORS; v++)
        for (unsigned odd = 0; odd < 2; odd++)
            memcpy(&s.of[v][odd], (const double *)c[odd] + at + v * D,
                   sizeof s.of[v][odd]);
    add_rows(a, tiles, at, b, &s);
    for (unsigned v = 0; v < VECTORS; v++)
        for (unsigned odd = 0; odd < 2; odd++) {
            doubles sum = s.of[v][odd];
            memcpy(out[odd] + at + v * D, &sum, sizeof sum);
            nan |= (masks)(sum != sum);
        }
    return nan;
}

bool
SW_LANE_DOUBLES(SW_VARIANT)(const sw_matrix_plan *plan, const void *const a[],
                            const void *const b[], const void *const c[],
                            double (*out)[REG_WORDS])
{
    const sw_matrix_tiles *t = &plan->tiles;
    columns right[SW_MATRIX_COLUMNS][SW_MATRIX_LENGTH];
    masks nan = {0};
    for (unsigned col = 0; col < t->n; col++)
        for (unsigned k = 0; k < t->k; k++)
            take_tile(b[t->at[1][col * t->k + k]], &right[col][k]);
    for (unsigned row = 0; row < t->m; row++) {
        const double *left[SW_MATRIX_LENGTH];
        for (unsigned k = 0; k < t->k; k++)
            left[k] = a[t->at[0][row * t->k + k]];
        for (unsigned at = 0; at < REG_WORDS; at += VECTORS * D)
            for (unsigned col = 0; col < t->n; col++) {
                unsigned tile = row * t->n + col;
                nan |= add_tile(left, t->k, at, right[col], c + t->at[2][tile],
                                out + t->at[3][tile]);
            }
    }
    for (unsigned i = 0; i < D; i++)
        if (nan[i])
            return false;
    return true;
}

#else

bool
SW_LANE_DOUBLES(SW_VARIANT)(const sw_matrix_plan *plan, const void *const a[],
                            const void *const b[], const void *const c[],
                            double (*out)[REG_WORDS])
{
    const sw_matrix_tiles *t = &plan->tiles;
    bool nan = false;
    for (unsigned tile = 0; tile < (unsigned)t->m * t->n; tile++)
        for (unsigned at = 0; at < 2 * REG_WORDS; at++) {
            unsigned odd = at / REG_WORDS, lane = at % REG_WORDS;
            unsigned col = 2 * (lane % 4) + odd, row = lane / 4;
            const double *from = c[t->at[2][tile] + odd];
            double sum = from[lane];
            for (unsigned k = 0; k < t->k; k++) {
                const double *x = a[t->at[0][tile / t->n * t->k + k]];
                const double *y = b[t->at[1][tile % t->n * t->k + k]];
                for (unsigned i = 0; i < 4; i++)
                    sum = __builtin_fma(x[4 * row + i], y[4 * col + i], sum);
            }
            out[t->at[3][tile] + odd][lane] = sum;
            nan |= sum != sum;
        }
    return !nan;
}
#endif
