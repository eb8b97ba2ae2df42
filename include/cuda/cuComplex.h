/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuComplex.h - complex numbers as pairs, for both sides, in C and C++.
 */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_
#pragma GCC system_header
#ifndef __CUDACC_RTC__
#include <float.h>
#include <math.h>
#endif

#include "vector_types.h"

#define SW_COMPLEX static __host__ __device__ __inline__

typedef float2 cuFloatComplex;

SW_COMPLEX float
cuCrealf(cuFloatComplex x)
{
    return x.x;
}

SW_COMPLEX float
cuCimagf(cuFloatComplex x)
{
    return x.y;
}

SW_COMPLEX cuFloatComplex
make_cuFloatComplex(float re, float im)
{
    cuFloatComplex z;

    z.x = re;
    z.y = im;
    return z;
}

SW_COMPLEX cuFloatComplex
cuConjf(cuFloatComplex x)
{
    return make_cuFloatComplex(x.x, -x.y);
}

SW_COMPLEX cuFloatComplex
cuCaddf(cuFloatComplex x, cuFloatComplex y)
{
    return make_cuFloatComplex(x.x + y.x, x.y + y.y);
}

SW_COMPLEX cuFloatComplex
cuCsubf(cuFloatComplex x, cuFloatComplex y)
{
    return make_cuFloatComplex(x.x - y.x, x.y - y.y);
}

SW_COMPLEX cuFloatComplex
cuCmulf(cuFloatComplex x, cuFloatComplex y)
{
    return make_cuFloatComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

/* Both scaled by the size of y, so that its square neither over- nor
 * underflows. */
SW_COMPLEX cuFloatComplex
cuCdivf(cuFloatComplex x, cuFloatComplex y)
{
    float scale = 1.0f / (fabsf(y.x) + fabsf(y.y));
    float xr = x.x * scale, xi = x.y * scale;
    float yr = y.x * scale, yi = y.y * scale;
    float inverse = 1.0f / (yr * yr + yi * yi);

    return make_cuFloatComplex((xr * yr + xi * yi) * inverse,
                               (xi * yr - xr * yi) * inverse);
}

SW_COMPLEX float
cuCabsf(cuFloatComplex x)
{
    float a = fabsf(x.x), b = fabsf(x.y);
    float big = a > b ? a : b, small = a > b ? b : a;
    float ratio;

    if (big == 0.0f || big > __FLT_MAX__ || small > __FLT_MAX__)
        return big + small; /* zero, infinite or not a number */
    ratio = small / big;
    return big * sqrtf(1.0f + ratio * ratio);
}

SW_COMPLEX cuFloatComplex
cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d)
{
    float re = x.x * y.x + d.x, im = x.x * y.y + d.y;

    return make_cuFloatComplex(re - x.y * y.y, im + x.y * y.x);
}

typedef double2 cuDoubleComplex;

SW_COMPLEX double
cuCreal(cuDoubleComplex x)
{
    return x.x;
}

SW_COMPLEX double
cuCimag(cuDoubleComplex x)
{
    return x.y;
}

SW_COMPLEX cuDoubleComplex
make_cuDoubleComplex(double re, double im)
{
    cuDoubleComplex z;

    z.x = re;
    z.y = im;
    return z;
}

SW_COMPLEX cuDoubleComplex
cuConj(cuDoubleComplex x)
{
    return make_cuDoubleComplex(x.x, -x.y);
}

SW_COMPLEX cuDoubleComplex
cuCadd(cuDoubleComplex x, cuDoubleComplex y)
{
    return make_cuDoubleComplex(x.x + y.x, x.y + y.y);
}

SW_COMPLEX cuDoubleComplex
cuCsub(cuDoubleComplex x, cuDoubleComplex y)
{
    return make_cuDoubleComplex(x.x - y.x, x.y - y.y);
}

SW_COMPLEX cuDoubleComplex
cuCmul(cuDoubleComplex x, cuDoubleComplex y)
{
    return make_cuDoubleComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

/* Both scaled by the size of y, so that its square neither over- nor
 * underflows. */
SW_COMPLEX cuDoubleComplex
cuCdiv(cuDoubleComplex x, cuDoubleComplex y)
{
    double scale = 1.0 / (fabs(y.x) + fabs(y.y));
    double xr = x.x * scale, xi = x.y * scale;
    double yr = y.x * scale, yi = y.y * scale;
    double inverse = 1.0 / (yr * yr + yi * yi);

    return make_cuDoubleComplex((xr * yr + xi * yi) * inverse,
                                (xi * yr - xr * yi) * inverse);
}

SW_COMPLEX double
cuCabs(cuDoubleComplex x)
{
    double a = fabs(x.x), b = fabs(x.y);
    double big = a > b ? a : b, small = a > b ? b : a;
    double ratio;

    if (big == 0.0 || big > __DBL_MAX__ || small > __DBL_MAX__)
        return big + small; /* zero, infinite or not a number */
    ratio = small / big;
    return big * sqrt(1.0 + ratio * ratio);
}

SW_COMPLEX cuDoubleComplex
cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d)
{
    double re = x.x * y.x + d.x, im = x.x * y.y + d.y;

    return make_cuDoubleComplex(re - x.y * y.y, im + x.y * y.x);
}

typedef cuFloatComplex cuComplex;

SW_COMPLEX cuComplex
make_cuComplex(float re, float im)
{
    return make_cuFloatComplex(re, im);
}

SW_COMPLEX cuDoubleComplex
cuComplexFloatToDouble(cuFloatComplex x)
{
    return make_cuDoubleComplex((double)x.x, (double)x.y);
}

SW_COMPLEX cuFloatComplex
cuComplexDoubleToFloat(cuDoubleComplex x)
{
    return make_cuFloatComplex((float)x.x, (float)x.y);
}
#undef SW_COMPLEX
#endif
