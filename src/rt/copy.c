/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - see copy.h. */
#include "rt/copy.h"

#include <string.h>

static void
move(uint64_t dst, uint64_t src, size_t bytes)
{
    memmove((void *)(uintptr_t)dst, (const void *)(uintptr_t)src, bytes);
}

void
sw_rt_copy_execute(const sw_rt_copy *c)
{
    if (!c->width || !c->height || !c->depth)
        return;
    bool rows_touch = c->dst_pitch == c->width && c->src_pitch == c->width;
    bool slices_touch = rows_touch && c->dst_slice == c->width * c->height &&
                        c->src_slice == c->dst_slice;
    if (slices_touch || (rows_touch && c->depth == 1) ||
        (c->height == 1 && c->depth == 1)) {
        move(c->dst, c->src, c->width * c->height * c->depth);
        return;
    }
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            move(c->dst + z * c->dst_slice + y * c->dst_pitch,
                 c->src + z * c->src_slice + y * c->src_pitch, c->width);
}

static void
fill_row_pattern(uint64_t dst, const sw_rt_fill *f, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy((char *)(uintptr_t)dst + i * f->elem_bytes, f->pattern,
               f->elem_bytes);
}

static void
fill_row(uint64_t dst, const sw_rt_fill *f, size_t count)
{
    if (f->elem_bytes > 4) {
        fill_row_pattern(dst, f, count);
        return;
    }
    uint8_t first = (uint8_t)f->value;
    bool same = f->elem_bytes == 1 ||
                (f->elem_bytes == 2 && f->value == first * 0x101u) ||
                (f->elem_bytes == 4 && f->value == first * 0x1010101u);
    if (same) {
        memset((void *)(uintptr_t)dst, first, count * f->elem_bytes);
    } else if (f->elem_bytes == 2) {
        uint16_t *p = (uint16_t *)(uintptr_t)dst;
        for (size_t i = 0; i < count; i++)
            p[i] = (uint16_t)f->value;
    } else {
        uint32_t *p = (uint32_t *)(uintptr_t)dst;
        for (size_t i = 0; i < count; i++)
            p[i] = f->value;
    }
}

void
sw_rt_fill_execute(const sw_rt_fill *f)
{
    if (f->depth == 1 &&
        (f->height == 1 || f->pitch == f->width * f->elem_bytes)) {
        fill_row(f->dst, f, f->width * f->height);
        return;
    }
    for (size_t z = 0; z < f->depth; z++)
        for (size_t y = 0; y < f->height; y++)
            fill_row(f->dst + z * f->slice + y * f->pitch, f, f->width);
}
