/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_body.h - c = a b for elements of type REAL, as function MULTIPLY;
 * included once for each type. Panels of b as wide as the registers hold are
 * packed, and rows of a go past them four at a time.
 */
typedef REAL MULTIPLY(vector) __attribute__((vector_size(64)));

enum {
    MULTIPLY(LANES) = 64 / sizeof(REAL),
    MULTIPLY(WIDE) = 4, /* vectors of a panel's row */
    MULTIPLY(COLUMNS) = MULTIPLY(LANES) * MULTIPLY(WIDE),
    MULTIPLY(ROWS) = 4
};

/* Four rows of c, of one panel: four by four vectors of sums. */
static void
MULTIPLY(rows)(REAL *restrict c, const REAL *restrict a,
               const MULTIPLY(vector) *restrict panel, size_t n)
{
    MULTIPLY(vector) sum[MULTIPLY(ROWS)][MULTIPLY(WIDE)] = {{{0}}};
    for (size_t k = 0; k < n; k++)
        for (size_t r = 0; r < MULTIPLY(ROWS); r++)
            for (size_t j = 0; j < MULTIPLY(WIDE); j++)
                sum[r][j] += a[r * n + k] * panel[k * MULTIPLY(WIDE) + j];
    for (size_t r = 0; r < MULTIPLY(ROWS); r++)
        memcpy(c + r * n, sum[r], sizeof sum[r]);
}

/* n is a multiple of COLUMNS. */
static void
MULTIPLY(all)(REAL *restrict c, const REAL *restrict a, const REAL *restrict b,
              size_t n)
{
#pragma omp parallel
    {
        MULTIPLY(vector) *panel =
            aligned_alloc(64, n * sizeof(REAL) * MULTIPLY(COLUMNS));
        if (!panel)
            abort();
#pragma omp for
        for (size_t j = 0; j < n; j += MULTIPLY(COLUMNS)) {
            for (size_t k = 0; k < n; k++)
                memcpy(panel + k * MULTIPLY(WIDE), b + k * n + j,
                       sizeof(REAL) * MULTIPLY(COLUMNS));
            for (size_t i = 0; i < n; i += MULTIPLY(ROWS))
                MULTIPLY(rows)(c + i * n + j, a + i * n, panel, n);
        }
        free(panel);
    }
}
