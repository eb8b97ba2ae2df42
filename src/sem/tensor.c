/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.c - the rows of a box of a tensor; see tensor.h. */
#include "sem/tensor.h"

#include <stddef.h>
#include <string.h>

#include "base/base.h"

enum { MOST_BOX = 256, MOST_STEP = 8, MOST_PIXELS = 1024, UNIT = 16 };

static const uint8_t type_bytes[SW_TENSOR_TYPES] = {
    [SW_TENSOR_U8] = 1,       [SW_TENSOR_U16] = 2,  [SW_TENSOR_U32] = 4,
    [SW_TENSOR_S32] = 4,      [SW_TENSOR_U64] = 8,  [SW_TENSOR_S64] = 8,
    [SW_TENSOR_F16] = 2,      [SW_TENSOR_F32] = 4,  [SW_TENSOR_F32_FTZ] = 4,
    [SW_TENSOR_F64] = 8,      [SW_TENSOR_BF16] = 2, [SW_TENSOR_TF32] = 4,
    [SW_TENSOR_TF32_FTZ] = 4,
};

unsigned
sw_sem_tensor_element_bytes(unsigned type)
{
    return type < SW_TENSOR_TYPES ? type_bytes[type] : 0;
}

/* ---- maps ---- */

static const char *
check_box(const sw_tensor_map *map)
{
    unsigned rank = map->rank + 1u;
    for (unsigned i = 0; i < rank; i++)
        if (!map->box[i] || map->box[i] > MOST_BOX)
            return "an extent of its box is not 1 to 256";
    return NULL;
}

static const char *
check_pixels(const sw_tensor_map *map)
{
    if (!map->channels || map->channels > MOST_BOX)
        return "its channels of a pixel are not 1 to 256";
    if (map->pixels > MOST_PIXELS)
        return "it has more than 1024 pixels of a column";
    unsigned spatial = map->rank - 1u;
    for (unsigned i = 0; i < spatial; i++)
        if ((int64_t)map->dim[1 + i] - 1 + map->upper[i] < map->lower[i])
            return "its box of pixels is empty";
    return NULL;
}

const char *
sw_sem_tensor_check(const sw_tensor_map *map, unsigned rank, unsigned kind)
{
    if (map->rank + 1u != rank || map->rank >= SW_TENSOR_RANKS)
        return "it has another number of dimensions";
    if (map->kind != kind)
        return kind == SW_TENSOR_TILED ? "it is one of im2col"
                                       : "it is one of tiles";
    if (!sw_sem_tensor_element_bytes(map->type))
        return "it has no type of elements that is known";
    if (map->address % UNIT)
        return "its address is no multiple of 16";
    if (map->interleave)
        return "its layout by slices of channels (interleave) is not provided";
    if (map->swizzle > SW_TENSOR_SWIZZLE_128 || map->atom > SW_TENSOR_ATOM_64)
        return "its swizzle is none that is known";
    for (unsigned i = 1; i < rank; i++)
        if (map->stride[i - 1] % UNIT)
            return "a stride of it is no multiple of 16";
    for (unsigned i = 0; i < rank; i++)
        if (!map->step[i] || map->step[i] > MOST_STEP)
            return "a traversal stride of it is not 1 to 8";
    return kind == SW_TENSOR_TILED ? check_box(map) : check_pixels(map);
}

/* ---- boxes ---- */

void
sw_sem_tensor_begin(sw_sem_tensor *t, const sw_tensor_map *map,
                    const int32_t *at, const uint16_t *offset)
{
    memset(t, 0, sizeof *t);
    t->map = *map;
    t->rank = map->rank + 1u;
    t->element_bytes = sw_sem_tensor_element_bytes(map->type);
    bool tiled = map->kind == SW_TENSOR_TILED;
    t->row_bytes = t->element_bytes * (tiled ? map->box[0] : map->channels);
    t->pitch = map->swizzle ? 16u << map->swizzle : t->row_bytes;
    if (t->pitch < t->row_bytes) /* maps that no driver makes */
        t->pitch = t->row_bytes;
    t->rows = tiled ? 1 : map->pixels;
    for (unsigned i = 0; i < t->rank; i++) {
        t->at[i] = t->start[i] = at[i];
        if (!tiled || !i)
            continue;
        t->count[i] = t->left[i] =
            (map->box[i] + map->step[i] - 1) / map->step[i];
        t->rows *= t->count[i];
    }
    for (unsigned i = 0; offset && !tiled && i + 2 < t->rank; i++)
        t->offset[i] = offset[i];
}

uint64_t
sw_sem_tensor_bytes(const sw_sem_tensor *t)
{
    return t->rows * t->row_bytes;
}

uint64_t
sw_sem_tensor_extent(const sw_sem_tensor *t)
{
    return t->rows * t->pitch;
}

static int64_t
extent(const sw_tensor_map *map, unsigned i)
{
    return map->dim[i] ? (int64_t)map->dim[i] : INT64_C(1) << 32;
}

/* To the next row of a tile: dimension 1 is the fastest. */
static void
step_tile(sw_sem_tensor *t)
{
    for (unsigned i = 1; i < t->rank; i++) {
        t->at[i] += t->map.step[i];
        if (--t->left[i])
            return;
        t->left[i] = t->count[i];
        t->at[i] = t->start[i];
    }
}

/* To the next pixel: along W, then H, then D in their bounding box, then in the
 * next image. */
static void
step_pixel(sw_sem_tensor *t)
{
    unsigned last = t->rank - 1;
    for (unsigned i = 1; i < last; i++) {
        t->at[i] += t->map.step[i];
        if (t->at[i] < extent(&t->map, i) + t->map.upper[i - 1])
            return;
        t->at[i] = t->map.lower[i - 1];
    }
    t->at[last] += t->map.step[last];
}

bool
sw_sem_tensor_next(sw_sem_tensor *t, sw_sem_tensor_row *row)
{
    if (t->done == t->rows)
        return false;
    const sw_tensor_map *map = &t->map;
    bool tiled = map->kind == SW_TENSOR_TILED, inside = true;
    row->shared = t->done * t->pitch;
    row->address = map->address;
    for (unsigned i = 1; i < t->rank; i++) {
        int64_t at = t->at[i];
        if (!tiled && i + 1 < t->rank)
            at += t->offset[i - 1];
        inside = inside && at >= 0 && at < extent(map, i);
        row->address += (uint64_t)at * map->stride[i - 1];
    }
    int64_t width = t->row_bytes / t->element_bytes;
    int64_t from = t->at[0] < 0 ? -t->at[0] : 0;
    int64_t to = extent(map, 0) - t->at[0];
    to = to > width ? width : to;
    row->first = from < width ? (uint32_t)from : 0;
    row->count = inside && from < to ? (uint32_t)(to - from) : 0;
    row->address +=
        (uint64_t)(t->at[0] + (int64_t)row->first) * t->element_bytes;
    t->done++;
    if (tiled)
        step_tile(t);
    else
        step_pixel(t);
    return true;
}

/* ---- elements ---- */

/* Rows of 128 bytes: units of 16 bytes change places within a span, by the bits
 * of the address from 7 on. Larger atoms by fewer bits. */
uint32_t
sw_sem_tensor_swizzle(const sw_tensor_map *map, uint32_t shared)
{
    if (!map->swizzle || map->swizzle > SW_TENSOR_SWIZZLE_128)
        return shared;
    if (map->atom == SW_TENSOR_ATOM_64)
        return shared ^ (shared >> 1 & 1u << 6);
    if (map->atom)
        return shared ^ (shared >> 2 & 3u << 5);
    uint32_t units = (1u << map->swizzle) - 1;
    return shared ^ (shared >> 3 & units << 4);
}

/* Seen on sm_90: .ftz changes nothing. */
uint32_t
sw_sem_tensor_convert(unsigned type, uint32_t bits)
{
    if (type != SW_TENSOR_TF32 && type != SW_TENSOR_TF32_FTZ)
        return bits;
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return (bits & 0x7f800000) == 0x7f800000
               ? bits
               : (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
}

/* What fma.oob looks for, in each half. */
uint64_t
sw_sem_tensor_fill(const sw_tensor_map *map)
{
    return map->fill ? UINT64_C(0x7ff77ff77ff77ff7) : 0;
}
