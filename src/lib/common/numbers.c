/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c - see numbers.h. */
#include "lib/common/numbers.h"

#include <math.h>
#include <string.h>

#include "sem/fp8.h"
#include "sem/half.h"

size_t
sw_lib_domain_bytes(sw_lib_domain domain)
{
    static const size_t bytes[] = {4, 8, 8, 16, 4};
    return bytes[domain];
}

/* Bytes of one part, and how many parts. */
static const struct {
    unsigned char bytes, parts;
} types[] = {
    [CUDA_R_32F] = {4, 1},     [CUDA_R_64F] = {8, 1},
    [CUDA_R_16F] = {2, 1},     [CUDA_R_8I] = {1, 1},
    [CUDA_C_32F] = {4, 2},     [CUDA_C_64F] = {8, 2},
    [CUDA_C_16F] = {2, 2},     [CUDA_C_8I] = {1, 2},
    [CUDA_R_8U] = {1, 1},      [CUDA_C_8U] = {1, 2},
    [CUDA_R_32I] = {4, 1},     [CUDA_R_16BF] = {2, 1},
    [CUDA_C_16BF] = {2, 2},    [CUDA_R_8F_E4M3] = {1, 1},
    [CUDA_R_8F_E5M2] = {1, 1},
};
enum { TYPES = sizeof types / sizeof *types };

size_t
sw_lib_element_bytes(cudaDataType_t type)
{
    return (unsigned)type < TYPES
               ? (size_t)types[type].bytes * types[type].parts
               : 0;
}

bool
sw_lib_element_is_complex(cudaDataType_t type)
{
    return (unsigned)type < TYPES && types[type].parts == 2;
}

bool
sw_lib_domain_of(cudaDataType_t type, sw_lib_domain *domain)
{
    switch (type) {
    case CUDA_R_32F:
        *domain = SW_LIB_FLOAT;
        return true;
    case CUDA_R_64F:
        *domain = SW_LIB_DOUBLE;
        return true;
    case CUDA_C_32F:
        *domain = SW_LIB_FLOAT_COMPLEX;
        return true;
    case CUDA_C_64F:
        *domain = SW_LIB_DOUBLE_COMPLEX;
        return true;
    case CUDA_R_32I:
        *domain = SW_LIB_INT;
        return true;
    default:
        return false;
    }
}

/* ---- parts of elements, as double, which has them all exactly ---- */

static double
load_part(cudaDataType_t type, const void *at, size_t i)
{
    switch (type) {
    case CUDA_R_32F:
    case CUDA_C_32F:
        return (double)((const float *)at)[i];
    case CUDA_R_64F:
    case CUDA_C_64F:
        return ((const double *)at)[i];
    case CUDA_R_16F:
    case CUDA_C_16F:
        return (double)sem_f32_of_f16(((const uint16_t *)at)[i]);
    case CUDA_R_16BF:
    case CUDA_C_16BF:
        return (double)sem_f32_of_bf16(((const uint16_t *)at)[i]);
    case CUDA_R_8I:
    case CUDA_C_8I:
        return ((const signed char *)at)[i];
    case CUDA_R_8U:
    case CUDA_C_8U:
        return ((const unsigned char *)at)[i];
    case CUDA_R_32I:
        return ((const int32_t *)at)[i];
    case CUDA_R_8F_E4M3:
        return (double)sem_f32_of_e4m3(((const unsigned char *)at)[i]);
    case CUDA_R_8F_E5M2:
        return (double)sem_f32_of_e5m2(((const unsigned char *)at)[i]);
    default:
        return 0;
    }
}

static double
clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x != x ? 0 : nearbyint(x);
}

static void
store_part(cudaDataType_t type, void *at, size_t i, double x)
{
    switch (type) {
    case CUDA_R_32F:
    case CUDA_C_32F:
        ((float *)at)[i] = (float)x;
        break;
    case CUDA_R_64F:
    case CUDA_C_64F:
        ((double *)at)[i] = x;
        break;
    case CUDA_R_16F:
    case CUDA_C_16F:
        ((uint16_t *)at)[i] = sem_f16_of_f32((float)x);
        break;
    case CUDA_R_16BF:
    case CUDA_C_16BF:
        ((uint16_t *)at)[i] = sem_bf16_of_f32((float)x);
        break;
    case CUDA_R_8I:
    case CUDA_C_8I:
        ((signed char *)at)[i] = (signed char)clamp(x, INT8_MIN, INT8_MAX);
        break;
    case CUDA_R_8U:
    case CUDA_C_8U:
        ((unsigned char *)at)[i] = (unsigned char)clamp(x, 0, UINT8_MAX);
        break;
    case CUDA_R_32I:
        ((int32_t *)at)[i] = (int32_t)clamp(x, INT32_MIN, INT32_MAX);
        break;
    case CUDA_R_8F_E4M3:
        ((unsigned char *)at)[i] = sem_e4m3_of_f32((float)x, 0);
        break;
    case CUDA_R_8F_E5M2:
        ((unsigned char *)at)[i] = sem_e5m2_of_f32((float)x, 0);
        break;
    default:
        break;
    }
}

/* ---- what is converted most ---- */

static bool
load_fast(cudaDataType_t type, const void *from, size_t n, float *to)
{
    switch (type) {
    case CUDA_R_16F:
        for (size_t i = 0; i < n; i++)
            to[i] = sem_f32_of_f16(((const uint16_t *)from)[i]);
        return true;
    case CUDA_R_16BF:
        for (size_t i = 0; i < n; i++)
            to[i] = sem_f32_of_bf16(((const uint16_t *)from)[i]);
        return true;
    case CUDA_R_8I:
        for (size_t i = 0; i < n; i++)
            to[i] = ((const signed char *)from)[i];
        return true;
    default:
        return false;
    }
}

static bool
store_fast(cudaDataType_t type, void *to, size_t n, const float *from)
{
    switch (type) {
    case CUDA_R_16F:
        for (size_t i = 0; i < n; i++)
            ((uint16_t *)to)[i] = sem_f16_of_f32(from[i]);
        return true;
    case CUDA_R_16BF:
        for (size_t i = 0; i < n; i++)
            ((uint16_t *)to)[i] = sem_bf16_of_f32(from[i]);
        return true;
    default:
        return false;
    }
}

static cudaDataType_t
type_of(sw_lib_domain domain)
{
    static const cudaDataType_t of[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F,
                                        CUDA_C_64F, CUDA_R_32I};
    return of[domain];
}

static void
convert(cudaDataType_t from_type, const void *from, cudaDataType_t to_type,
        void *to, size_t n)
{
    size_t from_parts = sw_lib_element_is_complex(from_type) ? 2 : 1;
    size_t to_parts = sw_lib_element_is_complex(to_type) ? 2 : 1;
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < to_parts; p++)
            store_part(to_type, to, i * to_parts + p,
                       p < from_parts
                           ? load_part(from_type, from, i * from_parts + p)
                           : 0);
}

void
sw_lib_load(cudaDataType_t type, const void *from, size_t n,
            sw_lib_domain domain, void *to)
{
    if (type == type_of(domain))
        memcpy(to, from, n * sw_lib_domain_bytes(domain));
    else if (domain != SW_LIB_FLOAT || !load_fast(type, from, n, to))
        convert(type, from, type_of(domain), to, n);
}

void
sw_lib_store(cudaDataType_t type, void *to, size_t n, sw_lib_domain domain,
             const void *from)
{
    if (type == type_of(domain))
        memcpy(to, from, n * sw_lib_domain_bytes(domain));
    else if (domain != SW_LIB_FLOAT || !store_fast(type, to, n, from))
        convert(type_of(domain), from, type, to, n);
}
