/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib.h - for the tests of the libraries: memory of the device with random
 * numbers in it, and references in double precision.
 */
#ifndef SW_TEST_LIB_H
#define SW_TEST_LIB_H
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime_api.h"

#ifndef CMPLX /* clang, by headers that look for gcc's version */
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

/* Numbers from -1 to 1, the same in each run. */
static inline double
random_number(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(int64_t)state / 9223372036854775808.0;
}

/* The four types of BLAS: elements as complex numbers of double precision. */
typedef enum { S, D, C, Z } type;
static const size_t type_bytes[] = {4, 8, 8, 16};
/* The error of one operation. */
static const double type_eps[] = {6e-8, 1.2e-16, 1.2e-7, 2.4e-16};

static inline double complex
get(type t, const void *p, size_t i)
{
    switch (t) {
    case S:
        return (double)((const float *)p)[i];
    case D:
        return ((const double *)p)[i];
    case C:
        return (double complex)((const float complex *)p)[i];
    default:
        return ((const double complex *)p)[i];
    }
}

static inline void
set(type t, void *p, size_t i, double complex x)
{
    switch (t) {
    case S:
        ((float *)p)[i] = (float)creal(x);
        break;
    case D:
        ((double *)p)[i] = creal(x);
        break;
    case C:
        ((float complex *)p)[i] = (float complex)x;
        break;
    default:
        ((double complex *)p)[i] = x;
    }
}

/* n elements of the device, random; freed with cudaFree. */
static inline void *
device_random(type t, size_t n)
{
    void *host = malloc(n * type_bytes[t] + 1), *device = NULL;
    for (size_t i = 0; i < n; i++)
        set(t, host, i,
            t >= C ? CMPLX(random_number(), random_number())
                   : CMPLX(random_number(), 0));
    if (cudaMalloc(&device, n * type_bytes[t] + 1) == cudaSuccess)
        cudaMemcpy(device, host, n * type_bytes[t], cudaMemcpyHostToDevice);
    free(host);
    return device;
}

/* A copy on the host; freed with free. */
static inline void *
host_copy(type t, const void *device, size_t n)
{
    void *host = malloc(n * type_bytes[t] + 1);
    cudaMemcpy(host, device, n * type_bytes[t], cudaMemcpyDeviceToHost);
    return host;
}

#endif
