/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor.h - which elements of a tensor a copy takes, and where in shared
 * memory they go (PTX ISA 5.5, tensors; 9.7.9.27, cp.async.bulk.tensor).
 *
 * A box is a row after another: the elements along dimension 0 of a tile, the
 * channels of a pixel. What ISA and driver leave open is as an H200 does it
 * (tests/tensor). Pure functions; they look at no memory of a program.
 */
#ifndef SW_SEM_TENSOR_H
#define SW_SEM_TENSOR_H
#include <stdbool.h>

#include "ir/tensor_map.h"

/* A box of a map's tensor, and the row that comes next. */
typedef struct {
    sw_tensor_map map;
    int64_t at[SW_TENSOR_RANKS];     /* of the next row's first element */
    int64_t start[SW_TENSOR_RANKS];  /* of the box's */
    uint32_t left[SW_TENSOR_RANKS];  /* rows to go along each dimension */
    uint32_t count[SW_TENSOR_RANKS]; /* of all */
    uint16_t offset[SW_TENSOR_SPATIAL];
    uint32_t rank, element_bytes;
    uint32_t row_bytes, pitch; /* of a row in shared memory, and to the next */
    uint64_t rows, done;
} sw_sem_tensor;

/* A row: elements [first, first + count) of it are in the tensor, at `address`,
 * the others out of bounds. `shared`: bytes from the box's start, before the
 * swizzle. */
typedef struct {
    uint64_t address, shared;
    uint32_t first, count;
} sw_sem_tensor_row;

/* Bytes of an element in global memory; 0: there is no such type. */
unsigned sw_sem_tensor_element_bytes(unsigned type);
/* What is wrong with a map, or NULL. `rank` and `kind`: of the copy. */
const char *sw_sem_tensor_check(const sw_tensor_map *map, unsigned rank,
                                unsigned kind);
/* A box of a good map. at: [rank] coordinates, from dimension 0 on. offset:
 * im2col's [rank - 2], or NULL. */
void sw_sem_tensor_begin(sw_sem_tensor *t, const sw_tensor_map *map,
                         const int32_t *at, const uint16_t *offset);
/* False: there is no row any more. */
bool sw_sem_tensor_next(sw_sem_tensor *t, sw_sem_tensor_row *row);
/* Bytes of the whole box: what a barrier object is told of. */
uint64_t sw_sem_tensor_bytes(const sw_sem_tensor *t);
/* What it takes in shared memory: with a swizzle each row has a span. */
uint64_t sw_sem_tensor_extent(const sw_sem_tensor *t);
/* Where a byte goes that without the swizzle would go to `shared`, an address
 * in shared memory. Bytes of the same 16 stay together. */
uint32_t sw_sem_tensor_swizzle(const sw_tensor_map *map, uint32_t shared);
/* An element as it arrives in shared memory: tf32 changes it. */
uint32_t sw_sem_tensor_convert(unsigned type, uint32_t bits);
/* The element that is put where there is none in the tensor. */
uint64_t sw_sem_tensor_fill(const sw_tensor_map *map);

#endif
