/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform_body.h - transform.c's functions of one precision: REAL, and NAME()
 * makes their names. A complex number is two of REAL.
 */

/* exp(-2 pi i k / n), of k below n. */
static void
NAME(root)(size_t k, size_t n, REAL *out)
{
    long double angle = 2 * PI * (long double)k / (long double)n;
    out[0] = (REAL)cosl(angle);
    out[1] = (REAL)-sinl(angle);
}

static REAL *
NAME(roots)(size_t n)
{
    REAL *r = sw_alloc(n * 2 * sizeof *r);
    for (size_t k = 0; k < n; k++)
        NAME(root)(k, n, r + 2 * k);
    return r;
}

/* One pass: n numbers of which `step` lie side by side, by radix r. Part v of
 * group p goes to y, turned by the root p * v. */
static void
NAME(pass_2)(const REAL *x, REAL *y, size_t groups, size_t step,
             const REAL *roots, size_t spread, REAL sign)
{
    for (size_t p = 0; p < groups; p++) {
        REAL wr = roots[2 * p * spread], wi = -sign * roots[2 * p * spread + 1];
        const REAL *a = x + 2 * step * p, *b = a + 2 * step * groups;
        REAL *c = y + 4 * step * p, *d = c + 2 * step;
        for (size_t q = 0; q < 2 * step; q += 2) {
            REAL re = a[q] - b[q], im = a[q + 1] - b[q + 1];
            c[q] = a[q] + b[q];
            c[q + 1] = a[q + 1] + b[q + 1];
            d[q] = re * wr - im * wi;
            d[q + 1] = re * wi + im * wr;
        }
    }
}

static void
NAME(pass_4)(const REAL *x, REAL *y, size_t groups, size_t step,
             const REAL *roots, size_t spread, REAL sign)
{
    for (size_t p = 0; p < groups; p++) {
        const REAL *w1 = roots + 2 * p * spread, *w2 = roots + 4 * p * spread,
                   *w3 = roots + 6 * p * spread;
        REAL r1 = w1[0], i1 = -sign * w1[1], r2 = w2[0], i2 = -sign * w2[1];
        REAL r3 = w3[0], i3 = -sign * w3[1];
        const REAL *a = x + 2 * step * p, *b = a + 2 * step * groups;
        const REAL *c = b + 2 * step * groups, *d = c + 2 * step * groups;
        REAL *o = y + 8 * step * p;
        for (size_t q = 0; q < 2 * step; q += 2) {
            REAL sr = a[q] + c[q], si = a[q + 1] + c[q + 1];
            REAL dr = a[q] - c[q], di = a[q + 1] - c[q + 1];
            REAL tr = b[q] + d[q], ti = b[q + 1] + d[q + 1];
            REAL er = sign * (b[q + 1] - d[q + 1]), ei = sign * (b[q] - d[q]);
            REAL ur = dr - er, ui = di + ei, vr = sr - tr, vi = si - ti;
            REAL zr = dr + er, zi = di - ei;
            o[q] = sr + tr;
            o[q + 1] = si + ti;
            o[q + 2 * step] = ur * r1 - ui * i1;
            o[q + 2 * step + 1] = ur * i1 + ui * r1;
            o[q + 4 * step] = vr * r2 - vi * i2;
            o[q + 4 * step + 1] = vr * i2 + vi * r2;
            o[q + 6 * step] = zr * r3 - zi * i3;
            o[q + 6 * step + 1] = zr * i3 + zi * r3;
        }
    }
}

/* Any radix: sums of r products. */
static void
NAME(pass_any)(const REAL *x, REAL *y, size_t r, size_t groups, size_t step,
               const REAL *roots, size_t spread, size_t n, REAL sign)
{
    for (size_t p = 0; p < groups; p++)
        for (size_t v = 0; v < r; v++) {
            REAL *o = y + 2 * step * (r * p + v);
            memset(o, 0, 2 * step * sizeof *o);
            for (size_t u = 0; u < r; u++) {
                /* The root of order r and the turn are one factor. */
                size_t k = (n / r * (u * v % r) + p * v * spread) % n;
                REAL wr = roots[2 * k], wi = -sign * roots[2 * k + 1];
                const REAL *a = x + 2 * step * (p + groups * u);
                for (size_t q = 0; q < 2 * step; q += 2) {
                    o[q] += a[q] * wr - a[q + 1] * wi;
                    o[q + 1] += a[q] * wi + a[q + 1] * wr;
                }
            }
        }
}

static void
NAME(stockham)(const fft_length *f, REAL *x, REAL *space, size_t lines,
               REAL sign)
{
    size_t left = f->n, step = lines;
    REAL *from = x, *to = space;
    for (int i = 0; i < f->factor_count; i++) {
        size_t r = (size_t)f->factors[i], groups = left / r;
        size_t spread = f->n / left;
        if (r == 4)
            NAME(pass_4)(from, to, groups, step, f->roots, spread, sign);
        else if (r == 2)
            NAME(pass_2)(from, to, groups, step, f->roots, spread, sign);
        else
            NAME(pass_any)
        (from, to, r, groups, step, f->roots, spread, f->n, sign);
        REAL *other = from;
        from = to;
        to = other;
        left = groups;
        step *= r;
    }
    if (from != x)
        memcpy(x, from, f->n * lines * 2 * sizeof *x);
}

/* x[j] *= w[j] of each line; `sign` conjugates w, as for roots. */
static void
NAME(turn)(REAL *x, const REAL *w, size_t n, size_t lines, REAL sign)
{
    for (size_t j = 0; j < n; j++) {
        REAL wr = w[2 * j], wi = -sign * w[2 * j + 1];
        REAL *a = x + 2 * lines * j;
        for (size_t q = 0; q < 2 * lines; q += 2) {
            REAL re = a[q] * wr - a[q + 1] * wi;
            a[q + 1] = a[q] * wi + a[q + 1] * wr;
            a[q] = re;
        }
    }
}

static void
NAME(bluestein)(const fft_length *f, REAL *x, REAL *space, size_t lines,
                REAL sign)
{
    size_t n = f->n, m = f->wide->n;
    REAL scale = (REAL)1 / (REAL)m;
    /* The inverse transform is the forward one of conjugates. */
    for (size_t i = 1; sign > 0 && i < 2 * n * lines; i += 2)
        x[i] = -x[i];
    NAME(turn)(x, f->chirp, n, lines, -1);
    memset(x + 2 * n * lines, 0, (m - n) * lines * 2 * sizeof *x);
    NAME(stockham)(f->wide, x, space, lines, -1);
    NAME(turn)(x, f->filter, m, lines, -1);
    NAME(stockham)(f->wide, x, space, lines, 1);
    NAME(turn)(x, f->chirp, n, lines, -1);
    for (size_t i = 0; i < 2 * n * lines; i++)
        x[i] *= sign > 0 && i & 1 ? -scale : scale;
}

static void
NAME(prepare)(fft_length *f)
{
    size_t n = f->n;
    if (f->factor_count || n == 1) {
        f->roots = NAME(roots)(n);
        return;
    }
    size_t m = f->wide->n;
    REAL *chirp = sw_alloc(2 * n * sizeof *chirp);
    REAL *filter = sw_alloc(2 * m * sizeof *filter);
    REAL *space = sw_alloc(2 * m * sizeof *space);
    size_t square = 0; /* k * k modulo 2 n */
    for (size_t k = 0; k < n; k++) {
        NAME(root)(square, 2 * n, chirp + 2 * k);
        square = (square + 2 * k + 1) % (2 * n);
        REAL re = chirp[2 * k], im = -chirp[2 * k + 1];
        filter[2 * k] = filter[2 * ((m - k) % m)] = re;
        filter[2 * k + 1] = filter[2 * ((m - k) % m) + 1] = im;
    }
    NAME(stockham)(f->wide, filter, space, 1, -1);
    sw_free(space);
    f->chirp = chirp;
    f->filter = filter;
}

void
NAME(fft_lines)(const fft_length *f, REAL *x, REAL *space, size_t lines,
                int sign)
{
    if (f->wide)
        NAME(bluestein)(f, x, space, lines, (REAL)sign);
    else
        NAME(stockham)(f, x, space, lines, (REAL)sign);
}
