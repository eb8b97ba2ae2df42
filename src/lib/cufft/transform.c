/* SPDX-License-Identifier: Apache-2.0 */
/* transform.c - see transform.h. */
#include "lib/cufft/transform.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

#define PI 3.14159265358979323846264338327950288L

#define REAL       float
#define NAME(name) name##_float
#include "lib/cufft/transform_body.h"
#undef REAL
#undef NAME
#define REAL       double
#define NAME(name) name##_double
#include "lib/cufft/transform_body.h"
#undef REAL
#undef NAME

/* Fours, a two, then odd primes; none if a prime is too large. */
static void
find_factors(fft_length *f)
{
    static const int radices[] = {4,  2,  3,  5,  7,  11,
                                  13, 17, 19, 23, 29, FFT_MOST_RADIX};
    size_t left = f->n;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        while (left % (size_t)radices[i] == 0) {
            f->factors[f->factor_count++] = radices[i];
            left /= (size_t)radices[i];
        }
    if (left != 1)
        f->factor_count = 0;
}

fft_length *
fft_length_create(size_t n, bool is_double)
{
    fft_length *f = sw_alloc(sizeof *f);
    *f = (fft_length){.n = n, .is_double = is_double};
    find_factors(f);
    if (!f->factor_count && n > 1) {
        size_t wide = 1;
        while (wide < 2 * n - 1)
            wide *= 2;
        f->wide = fft_length_create(wide, is_double);
    }
    if (is_double)
        prepare_double(f);
    else
        prepare_float(f);
    return f;
}

void
fft_length_destroy(fft_length *f)
{
    if (!f)
        return;
    fft_length_destroy(f->wide);
    sw_free(f->roots);
    sw_free(f->chirp);
    sw_free(f->filter);
    sw_free(f);
}

size_t
fft_buffer_size(const fft_length *f, size_t lines)
{
    return (f->wide ? f->wide->n : f->n) * lines;
}
