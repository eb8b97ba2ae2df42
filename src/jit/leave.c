/* SPDX-License-Identifier: Apache-2.0 */
/* leave.c - see leave.h. */
#include "jit/leave.h"

#include <string.h>

#include "base/base.h"

enum { LANES = 32 };

static uint64_t
read_part(const uint8_t *at, size_t bytes)
{
    uint64_t n = 0;
    if (bytes == 8)
        memcpy(&n, at, 8);
    else if (bytes == 4)
        memcpy(&n, at, 4);
    else
        memcpy(&n, at, bytes);
    return n;
}

/* The lowest bytes of 32 numbers. Registers mostly have 4 or 8. */
static void
write_lanes(uint8_t *home, size_t bytes, const uint64_t x[LANES])
{
    if (bytes == 8)
        memcpy(home, x, 8 * LANES);
    else if (bytes == 4)
        for (unsigned i = 0; i < LANES; i++)
            memcpy(home + i * 4, &x[i], 4);
    else
        for (unsigned i = 0; i < LANES; i++)
            memcpy(home + i * bytes, &x[i], bytes);
}

static void
expand_affine(const sw_jit_form *f, const int32_t *lane_parts,
              const uint8_t *parts, uint8_t *home, unsigned first)
{
    const int32_t *c = lane_parts + f->c + first,
                  *v = lane_parts + f->v + first;
    uint64_t base = read_part(parts, f->bytes), x[LANES];
    uint64_t s = read_part(parts + SW_JIT_FORM_S, f->bytes);
    for (unsigned i = 0; i < LANES; i++)
        x[i] = base + (uint64_t)(int64_t)c[i] + s * (uint64_t)(int64_t)v[i];
    write_lanes(home, f->bytes, x);
}

static void
expand_wide(const sw_jit_form *f, const int32_t *lane_parts,
            const uint8_t *parts, uint8_t *home, unsigned first)
{
    const int32_t *c = lane_parts + f->c + first,
                  *v = lane_parts + f->v + first,
                  *d = lane_parts + f->d + first;
    uint64_t base = read_part(parts, sizeof base);
    uint32_t s = (uint32_t)read_part(parts + SW_JIT_FORM_S, sizeof s);
    uint32_t narrow = (uint32_t)read_part(parts + SW_JIT_FORM_NARROW, sizeof s);
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t n = narrow + (uint32_t)c[i] + s * (uint32_t)v[i];
        uint64_t x = f->is_signed ? (uint64_t)(int64_t)(int32_t)n : n;
        x = base + (uint64_t)(int64_t)d[i] + (uint64_t)f->scale * x;
        memcpy(home + i * sizeof x, &x, sizeof x);
    }
}

/* Of up to 16 bytes. */
static void
expand_uniform(const sw_jit_form *f, const uint8_t *parts, uint8_t *home)
{
    uint64_t x[LANES], one;
    if (f->bytes > sizeof one) {
        memmove(home, parts, f->bytes);
        for (size_t i = 1; i < LANES; i++)
            memcpy(home + i * f->bytes, home, f->bytes);
        return;
    }
    one = read_part(parts, f->bytes);
    for (unsigned i = 0; i < LANES; i++)
        x[i] = one;
    write_lanes(home, f->bytes, x);
}

/* Every NaN is the one NaN of its type. */
static void
make_exact(const sw_jit_form *f, uint8_t *home)
{
    bool whole = f->raw == SW_T_F32;
    uint32_t infinity = f->raw == SW_T_BF16 || f->raw == SW_T_BF16X2 ? 0x7f80
                        : whole ? 0x7f800000
                                : 0x7c00;
    uint32_t nan = whole ? 0x7fffffff : 0x7fff;
    size_t bytes = whole ? 4 : 2;
    for (size_t at = 0; at < (size_t)f->bytes * LANES; at += bytes)
        if ((read_part(home + at, bytes) & nan) > infinity)
            memcpy(home + at, &nan, bytes);
}

void
sw_jit_expand(const sw_jit_form *form, const int32_t *lane_parts,
              uint8_t *const *regs, unsigned warp)
{
    const uint8_t *parts = regs[0] + form->home;
    uint8_t *home = regs[warp] + form->home;
    switch (form->kind) {
    case SW_SHAPE_AFFINE:
        expand_affine(form, lane_parts, parts, home, LANES * warp);
        break;
    case SW_SHAPE_WIDE:
        expand_wide(form, lane_parts, parts, home, LANES * warp);
        break;
    case SW_SHAPE_UNIFORM:
        expand_uniform(form, parts, home);
        break;
    default:
        make_exact(form, home);
    }
}

void
sw_jit_sort_local(uint8_t *memory, uint64_t stride, size_t lanes)
{
    size_t words = stride / sizeof(uint32_t);
    size_t bytes = words * lanes * sizeof(uint32_t);
    uint32_t *rows = sw_alloc(bytes), *local = (uint32_t *)(void *)memory;
    memcpy(rows, local, bytes);
    for (size_t i = 0; i < lanes; i++)
        for (size_t w = 0; w < words; w++)
            local[i * words + w] = rows[w * lanes + i];
    sw_free(rows);
}
