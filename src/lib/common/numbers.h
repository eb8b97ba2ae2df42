/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numbers.h - elements of the types that libraries name (library_types.h) as
 * numbers to compute with. A number is computed with in one of five domains:
 * float, double, both as complex, and 32-bit integers, which hold it exactly.
 * Rounding back is to nearest, as the devices round. Pure functions.
 */
#ifndef SW_LIB_NUMBERS_H
#define SW_LIB_NUMBERS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/library_types.h"

/* The first four are in the order of sw_lib_type. */
typedef enum {
    SW_LIB_FLOAT,
    SW_LIB_DOUBLE,
    SW_LIB_FLOAT_COMPLEX,
    SW_LIB_DOUBLE_COMPLEX,
    SW_LIB_INT
} sw_lib_domain;

size_t sw_lib_domain_bytes(sw_lib_domain domain);
/* Of one element; 0: a type that is not known here (of less than 8 bits, ...).
 */
size_t sw_lib_element_bytes(cudaDataType_t type);
bool sw_lib_element_is_complex(cudaDataType_t type);
/* The domain whose numbers are of this very type; false: none. */
bool sw_lib_domain_of(cudaDataType_t type, sw_lib_domain *domain);

/* n elements into numbers. An integer type goes to FLOAT exactly if it has 8
 * bits. A real type becomes complex with zeros; the other way round only the
 * real part is kept. */
void sw_lib_load(cudaDataType_t type, const void *from, size_t n,
                 sw_lib_domain domain, void *to);
/* And back, rounded; integers clamp. */
void sw_lib_store(cudaDataType_t type, void *to, size_t n, sw_lib_domain domain,
                  const void *from);

#endif
