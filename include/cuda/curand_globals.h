/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curand_globals.h - factors that make numbers between 0 and 1 of integers.
 */
#ifndef CURAND_GLOBALS_H
#define CURAND_GLOBALS_H

#define CURAND_2POW32                (4294967296.0f)
#define CURAND_2POW32_DOUBLE         (4294967296.0)
#define CURAND_2POW32_INV            (2.3283064365386963e-10f)
#define CURAND_2POW32_INV_DOUBLE     (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE     (1.1102230246251565e-16)
#define CURAND_2PI                   (6.2831853f)
#define CURAND_2PI_DOUBLE            (6.283185307179586)
#define CURAND_PI_DOUBLE             (3.141592653589793)
#define CURAND_2POW32_INV_2PI        (CURAND_2POW32_INV * CURAND_2PI)
#define CURAND_2POW53_INV_2PI_DOUBLE                                           \
    (CURAND_2POW53_INV_DOUBLE * CURAND_2PI_DOUBLE)
#define CURAND_SQRT2                 (-1.4142135f)
#define CURAND_SQRT2_DOUBLE          (-1.4142135623730951)

#endif
