/* SPDX-License-Identifier: Apache-2.0 */
/* deopt.c - see run/deopt.h. */
#include "jit/run/deopt.h"

#include <string.h>

#include "base/base.h"
#include "jit/run/warp.h"

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
write_lanes(uint8_t *frame_slot, size_t bytes, const uint64_t x[LANES])
{
    if (bytes == 8)
        memcpy(frame_slot, x, 8 * LANES);
    else if (bytes == 4)
        for (unsigned i = 0; i < LANES; i++)
            memcpy(frame_slot + i * 4, &x[i], 4);
    else
        for (unsigned i = 0; i < LANES; i++)
            memcpy(frame_slot + i * bytes, &x[i], bytes);
}

static void
expand_affine(const sw_jit_location *f, const int32_t *lane_parts,
              const uint8_t *parts, uint8_t *frame_slot, unsigned first)
{
    const int32_t *c = lane_parts + f->c + first,
                  *v = lane_parts + f->v + first;
    uint64_t base = read_part(parts, f->bytes), x[LANES];
    uint64_t s = read_part(parts + SW_JIT_LOCATION_S, f->bytes);
    for (unsigned i = 0; i < LANES; i++)
        x[i] = base + (uint64_t)(int64_t)c[i] + s * (uint64_t)(int64_t)v[i];
    write_lanes(frame_slot, f->bytes, x);
}

static void
expand_wide(const sw_jit_location *f, const int32_t *lane_parts,
            const uint8_t *parts, uint8_t *frame_slot, unsigned first)
{
    const int32_t *c = lane_parts + f->c + first,
                  *v = lane_parts + f->v + first,
                  *d = lane_parts + f->d + first;
    uint64_t base = read_part(parts, sizeof base);
    uint32_t s = (uint32_t)read_part(parts + SW_JIT_LOCATION_S, sizeof s);
    uint32_t narrow =
        (uint32_t)read_part(parts + SW_JIT_LOCATION_NARROW, sizeof s);
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t n = narrow + (uint32_t)c[i] + s * (uint32_t)v[i];
        uint64_t x = f->is_signed ? (uint64_t)(int64_t)(int32_t)n : n;
        x = base + (uint64_t)(int64_t)d[i] + (uint64_t)f->scale * x;
        memcpy(frame_slot + i * sizeof x, &x, sizeof x);
    }
}

/* Of up to 16 bytes. */
static void
expand_uniform(const sw_jit_location *f, const uint8_t *parts,
               uint8_t *frame_slot)
{
    uint64_t x[LANES], one;
    if (f->bytes > sizeof one) {
        memmove(frame_slot, parts, f->bytes);
        for (size_t i = 1; i < LANES; i++)
            memcpy(frame_slot + i * f->bytes, frame_slot, f->bytes);
        return;
    }
    one = read_part(parts, f->bytes);
    for (unsigned i = 0; i < LANES; i++)
        x[i] = one;
    write_lanes(frame_slot, f->bytes, x);
}

/* Every NaN is the one NaN of its type. */
static void
make_exact(const sw_jit_location *f, uint8_t *frame_slot)
{
    bool whole = f->raw == SW_T_F32;
    uint32_t infinity = f->raw == SW_T_BF16 || f->raw == SW_T_BF16X2 ? 0x7f80
                        : whole ? 0x7f800000
                                : 0x7c00;
    uint32_t nan = whole ? 0x7fffffff : 0x7fff;
    size_t bytes = whole ? 4 : 2;
    for (size_t at = 0; at < (size_t)f->bytes * LANES; at += bytes)
        if ((read_part(frame_slot + at, bytes) & nan) > infinity)
            memcpy(frame_slot + at, &nan, bytes);
}

void
sw_jit_expand(const sw_jit_location *location, const int32_t *lane_parts,
              uint8_t *const *regs, unsigned warp)
{
    const uint8_t *parts = regs[0] + location->frame_slot;
    uint8_t *frame_slot = regs[warp] + location->frame_slot;
    switch (location->kind) {
    case SW_SHAPE_AFFINE:
        expand_affine(location, lane_parts, parts, frame_slot, LANES * warp);
        break;
    case SW_SHAPE_EXTENDED:
        expand_wide(location, lane_parts, parts, frame_slot, LANES * warp);
        break;
    case SW_SHAPE_UNIFORM:
        expand_uniform(location, parts, frame_slot);
        break;
    default:
        make_exact(location, frame_slot);
    }
}

void
sw_jit_expand_fused(sw_jit_ctx *ctx, const sw_jit_side_exit *x)
{
    const sw_variant *n = sw_jit_variant_of(ctx);
    for (unsigned w = n->fused; w-- > 0;)
        for (uint32_t i = 0; i < x->count; i++)
            sw_jit_expand(&n->locations[n->stack_map[x->first + i]], n->lanes,
                          ctx->frames, w);
}

/* ---- the other way ---- */

/* x * inverse_of(x) is 1 modulo 2^64; x is odd. */
static uint64_t
inverse_of(uint64_t x)
{
    uint64_t y = x;
    for (int i = 0; i < 5; i++) /* right bits: 3, 6, 12, 24, 48, 96 */
        y *= 2 - x * y;
    return y;
}

/* Two of the lanes `live` between which v differs by an odd number, if there
 * are any: what s is then follows. */
static bool
find_pair(const int32_t *v, uint32_t live, unsigned *i, unsigned *j)
{
    *i = (unsigned)__builtin_ctz(live);
    for (*j = *i + 1; *j < LANES; ++*j)
        if (live >> *j & 1 && (v[*j] - v[*i]) % 2 != 0)
            return true;
    return false;
}

/* Whether s matters: the lanes do not have all one v. */
static bool
has_several(const int32_t *v, uint32_t live)
{
    int32_t first = v[__builtin_ctz(live)];
    for (uint32_t m = live; m; m &= m - 1)
        if (v[__builtin_ctz(m)] != first)
            return true;
    return false;
}

/* What s is. If all of these lanes have the same v it cannot be told, and does
 * not matter if that is 0. */
static bool
find_stride(const int32_t *c, const int32_t *v, uint32_t live,
            const uint64_t x[LANES], uint64_t *s)
{
    unsigned i, j;
    *s = 0;
    if (!has_several(v, live))
        return v[__builtin_ctz(live)] == 0;
    if (!find_pair(v, live, &i, &j))
        return false;
    uint64_t dx = x[j] - x[i],
             dc = (uint64_t)(int64_t)c[j] - (uint64_t)(int64_t)c[i];
    *s = (dx - dc) *
         inverse_of((uint64_t)(int64_t)v[j] - (uint64_t)(int64_t)v[i]);
    return true;
}

static bool
contract_affine(const sw_jit_location *f, const int32_t *lane_parts,
                uint32_t live, const uint64_t x[LANES],
                sw_jit_location_parts *parts)
{
    const int32_t *c = lane_parts + f->c, *v = lane_parts + f->v;
    unsigned first = (unsigned)__builtin_ctz(live);
    if (!find_stride(c, v, live, x, &parts->s))
        return false;
    parts->base[0] = x[first] - (uint64_t)(int64_t)c[first] -
                     parts->s * (uint64_t)(int64_t)v[first];
    return true;
}

/* The sums of narrow, c and s * v are chosen so that none wraps, from 0 on if
 * they are not signed. */
static bool
contract_wide(const sw_jit_location *f, const int32_t *lane_parts,
              uint32_t live, const uint64_t x[LANES],
              sw_jit_location_parts *parts)
{
    const int32_t *c = lane_parts + f->c, *v = lane_parts + f->v,
                  *d = lane_parts + f->d;
    unsigned first = (unsigned)__builtin_ctz(live);
    uint64_t sums[LANES] = {0}, s;
    int64_t least = INT64_MAX;
    for (uint32_t m = live; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        int64_t dx = (int64_t)(x[i] - x[first]) - d[i] + d[first];
        if (f->scale == 0 || dx % f->scale != 0)
            return false;
        sums[i] = (uint64_t)(dx / f->scale);
    }
    if (!find_stride(c, v, live, sums, &s))
        return false;
    for (uint32_t m = live; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        int64_t sum = c[i] + (int64_t)(int32_t)s * v[i];
        least = sum < least ? sum : least;
    }
    parts->s = (uint32_t)s;
    parts->narrow = f->is_signed ? 0 : (uint32_t)-least;
    uint32_t n = parts->narrow + (uint32_t)c[first] +
                 (uint32_t)parts->s * (uint32_t)v[first];
    uint64_t wide = f->is_signed ? (uint64_t)(int64_t)(int32_t)n : n;
    parts->base[0] =
        x[first] - (uint64_t)(int64_t)d[first] - (uint64_t)f->scale * wide;
    return true;
}

/* Of up to 8 bytes: what the parts are makes these lanes. */
static bool
fits_location(const sw_jit_location *location, const int32_t *lane_parts,
              uint32_t live, const uint64_t x[LANES],
              const sw_jit_location_parts *parts)
{
    _Alignas(64) uint8_t made[8 * LANES];
    uint8_t *regs = made;
    sw_jit_location f = *location;
    f.frame_slot = 0;
    sw_jit_put_parts(&f, parts, made);
    sw_jit_expand(&f, lane_parts, &regs, 0);
    for (uint32_t m = live; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (read_part(made + (size_t)i * f.bytes, f.bytes) != x[i])
            return false;
    }
    return true;
}

bool
sw_jit_contract(const sw_jit_location *f, const int32_t *lane_parts,
                const uint8_t *regs, uint32_t live,
                sw_jit_location_parts *parts)
{
    const uint8_t *frame_slot = regs + f->frame_slot;
    unsigned first = (unsigned)__builtin_ctz(live);
    uint64_t x[LANES];
    memset(parts, 0, sizeof *parts);
    if (f->bytes == 0) {
        uint64_t bits = read_part(frame_slot, 4) & live;
        parts->base[0] = bits ? UINT32_MAX : 0;
        return !bits || bits == live;
    }
    if (f->kind == SW_SHAPE_UNIFORM) {
        memcpy(parts->base, frame_slot + (size_t)first * f->bytes, f->bytes);
        for (unsigned i = first + 1; i < LANES; i++)
            if (live >> i & 1 &&
                memcmp(parts->base, frame_slot + (size_t)i * f->bytes,
                       f->bytes) != 0)
                return false;
        return true;
    }
    for (unsigned i = 0; i < LANES; i++)
        x[i] = read_part(frame_slot + (size_t)i * f->bytes, f->bytes);
    bool ok = f->kind == SW_SHAPE_AFFINE
                  ? contract_affine(f, lane_parts, live, x, parts)
                  : contract_wide(f, lane_parts, live, x, parts);
    return ok && fits_location(f, lane_parts, live, x, parts);
}

void
sw_jit_put_parts(const sw_jit_location *f, const sw_jit_location_parts *parts,
                 uint8_t *regs)
{
    uint8_t *frame_slot = regs + f->frame_slot;
    memcpy(frame_slot, parts->base, f->bytes ? f->bytes : 4);
    if (f->kind != SW_SHAPE_AFFINE && f->kind != SW_SHAPE_EXTENDED)
        return;
    memcpy(frame_slot + SW_JIT_LOCATION_S, &parts->s, sizeof parts->s);
    if (f->kind == SW_SHAPE_EXTENDED)
        memcpy(frame_slot + SW_JIT_LOCATION_NARROW, &parts->narrow,
               sizeof parts->narrow);
}

/* ---- local memory ---- */

static void
transpose_local(uint8_t *memory, uint64_t stride, size_t lanes, bool to_rows)
{
    size_t words = stride / sizeof(uint32_t);
    size_t bytes = words * lanes * sizeof(uint32_t);
    uint32_t *from = sw_alloc(bytes), *local = (uint32_t *)(void *)memory;
    memcpy(from, local, bytes);
    for (size_t i = 0; i < lanes; i++)
        for (size_t w = 0; w < words; w++) {
            size_t row = w * lanes + i, lane = i * words + w;
            local[to_rows ? row : lane] = from[to_rows ? lane : row];
        }
    sw_free(from);
}

void
sw_jit_sort_local(uint8_t *memory, uint64_t stride, size_t lanes)
{
    transpose_local(memory, stride, lanes, false);
}

void
sw_jit_mix_local(uint8_t *memory, uint64_t stride, size_t lanes)
{
    transpose_local(memory, stride, lanes, true);
}
