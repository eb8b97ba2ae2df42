/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor_map.h - what the 128 bytes of a tensor map hold.
 *
 * The vendor says no more of them than their size, so the layout is ours. Each
 * field of the map that tensormap.replace can change lies where a plain store
 * changes it, and a map of zero bytes whose fields have all been replaced is
 * complete. The driver's functions write maps, the PTX front end makes stores
 * of tensormap.replace, and engines read maps. Whatever a program puts there is
 * a map that sw_sem_tensor_check has to judge.
 */
#ifndef SW_TENSOR_MAP_H
#define SW_TENSOR_MAP_H
#include <assert.h>
#include <stdint.h>

enum { SW_TENSOR_RANKS = 5, SW_TENSOR_SPATIAL = 3, SW_TENSOR_MAP_BYTES = 128 };

/* Types of elements: the numbers of tensormap.replace's .elemtype. */
typedef enum {
    SW_TENSOR_U8,
    SW_TENSOR_U16,
    SW_TENSOR_U32,
    SW_TENSOR_S32,
    SW_TENSOR_U64,
    SW_TENSOR_S64,
    SW_TENSOR_F16,
    SW_TENSOR_F32,
    SW_TENSOR_F32_FTZ,
    SW_TENSOR_F64,
    SW_TENSOR_BF16,
    SW_TENSOR_TF32,
    SW_TENSOR_TF32_FTZ,
    SW_TENSOR_B4X16,     /* 16 elements of 4 bits: 8 bytes */
    SW_TENSOR_B4X16_P64, /* the same, 16 bytes in shared memory */
    SW_TENSOR_B6X16_P32, /* 16 elements of 6 bits: 12 bytes, 16 in shared */
    SW_TENSOR_TYPES
} sw_tensor_type;

/* Swizzles: the numbers of .swizzle_mode; the span in bytes is 16 << number. */
enum {
    SW_TENSOR_SWIZZLE_NONE,
    SW_TENSOR_SWIZZLE_32,
    SW_TENSOR_SWIZZLE_64,
    SW_TENSOR_SWIZZLE_128,
    SW_TENSOR_SWIZZLE_96
};

/* What a swizzle moves: the numbers of .swizzle_atomicity. */
enum {
    SW_TENSOR_ATOM_16,
    SW_TENSOR_ATOM_32,
    SW_TENSOR_ATOM_32_FLIP_8,
    SW_TENSOR_ATOM_64
};

/* Kinds of maps. */
enum {
    SW_TENSOR_TILED,
    SW_TENSOR_IM2COL,
    SW_TENSOR_IM2COL_W,
    SW_TENSOR_IM2COL_W128
};

typedef struct {
    uint64_t address;                     /* of the first element */
    uint64_t stride[SW_TENSOR_RANKS - 1]; /* bytes; of dimensions 1 to 4 */
    uint32_t dim[SW_TENSOR_RANKS];        /* elements; 0: 2^32 */
    uint32_t box[SW_TENSOR_RANKS];        /* TILED: elements, 1 to 256 */
    uint32_t step[SW_TENSOR_RANKS];       /* traversal strides, 1 to 8 */
    uint8_t rank;                         /* less one: 0 to 4 */
    uint8_t type;                         /* sw_tensor_type */
    uint8_t interleave;                   /* slices of 8 << n bytes; 0: none */
    uint8_t swizzle;
    uint8_t fill; /* what is out of bounds: 0 zero, 1 NaN */
    uint8_t atom;
    uint8_t kind;
    uint8_t unused;
    /* Of im2col: corners of the bounding box of pixels, from W on; the upper
     * one counts from the tensor's end. */
    int16_t lower[SW_TENSOR_SPATIAL], upper[SW_TENSOR_SPATIAL];
    uint16_t channels, pixels; /* of a box */
    uint32_t unused2;
} sw_tensor_map;
static_assert(sizeof(sw_tensor_map) == SW_TENSOR_MAP_BYTES,
              "what the vendor says");

#endif
