/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform.h - discrete Fourier transforms of complex lines of any length:
 *
 *     y[k] = sum over j of x[j] * exp(sign * 2 pi i j k / n)
 *
 * The method is Stockham's: a pass for each prime factor (fours first), between
 * two buffers, after which the result is in order. Several lines are
 * transformed at once, interleaved, so that the innermost loops run over them.
 * A length with a prime factor above MOST_RADIX is a convolution of a length
 * that is a power of two (Bluestein's method).
 *
 * Factors of exp are computed in extended precision. Plans are const once made.
 */
#ifndef SW_CUFFT_TRANSFORM_H
#define SW_CUFFT_TRANSFORM_H
#include <stdbool.h>
#include <stddef.h>

enum { FFT_MOST_RADIX = 31, FFT_FACTORS = 64 };

typedef struct fft_length fft_length;
struct fft_length {
    size_t n;
    bool is_double;
    int factors[FFT_FACTORS]; /* their product is n; none: Bluestein's */
    int factor_count;
    void *roots; /* n complex: exp(-2 pi i k / n) */
    /* Bluestein's: */
    fft_length *wide; /* of the convolution, at least 2 n - 1 */
    void *chirp;      /* n: exp(-pi i k k / n) */
    void *filter;     /* wide->n: the transform of its conjugate */
};

/* Owned by caller, fft_length_destroy. n > 0. */
fft_length *fft_length_create(size_t n, bool is_double);
void fft_length_destroy(fft_length *length);
/* Complex numbers that a buffer for `lines` lines has. */
size_t fft_buffer_size(const fft_length *length, size_t lines);
/* `lines` lines, number j of line q at x[j * lines + q], in place; `space` is
 * another buffer. Both of fft_buffer_size. sign: -1 or 1. */
void fft_lines_float(const fft_length *length, float *x, float *space,
                     size_t lines, int sign);
void fft_lines_double(const fft_length *length, double *x, double *space,
                      size_t lines, int sign);

#endif
