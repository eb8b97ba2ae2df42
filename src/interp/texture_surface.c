/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_surface.c - suld.b and sust.b for the lanes of a warp at once, of
 * elements of up to 32 bits and up to 16 bytes a lane: what
 * sw_sem_surface_address says. Compiled once for each vector extension, as
 * lanes.c is.
 */
#include "interp/texture_lanes.h"

/* ---- places ---- */

/* Where lanes access, in bytes; all ones in `left`: nowhere. */
static void
place(const sw_tex_plan *p, const uint32_t *row, uint32_t lanes,
      int32_t *restrict at, uint32_t *restrict left)
{
    fill((uint32_t *)at, 0);
    fill(left, 0);
    for (unsigned k = 0; k < p->axes; k++) {
        const uint32_t *c = row + (size_t)p->axis[k].place * lanes;
        int32_t last = (int32_t)p->axis[k].size - 1, step = p->axis[k].step;
        LANES
        {
            int32_t x = (int32_t)c[i], in = x > 0 ? x : 0;
            in = in < last ? in : last;
            at[i] += in * step;
            left[i] |= in == x ? 0 : UINT32_MAX;
        }
    }
    if (p->mode == SW_SURF_CLAMP)
        fill(left, 0);
}

/* Lanes of the mask that access nothing. */
static uint32_t
leaving(const uint32_t *left, uint32_t mask)
{
    uint32_t out = 0;
    if (!is_any(left))
        return 0;
    for (int i = 0; i < 32; i++)
        out |= (left[i] & 1) << i;
    return out & mask;
}

static bool
traps(const sw_tex_plan *p, const uint32_t *rows, uint32_t lanes,
      const uint32_t *mask)
{
    ALIGNED int32_t at[32];
    ALIGNED uint32_t left[32];
    for (uint32_t i = 0; p->mode == SW_SURF_TRAP && i < lanes; i += 32) {
        place(p, rows + i, lanes, at, left);
        if (leaving(left, mask[i / 32]))
            return true;
    }
    return false;
}

/* ---- loads ---- */

static void
load_warp(const sw_tex_plan *p, uint32_t *row, uint32_t lanes)
{
    ALIGNED int32_t at[32];
    ALIGNED uint32_t left[32], packed[4][32];
    uint32_t *const word[4] = {packed[0], packed[1], packed[2], packed[3]};
    uint32_t *const out[4] = {row, row + lanes, row + 2 * (size_t)lanes,
                              row + 3 * (size_t)lanes};
    uint32_t mask = p->bits < 32 ? (1u << p->bits) - 1 : UINT32_MAX;
    place(p, row, lanes, at, left);
    read_texels(p, at, p->bits == 32 ? out : word);
    for (unsigned k = 0; k < p->channels; k++) {
        uint32_t *to = out[k];
        const uint32_t *from = p->bits == 32 ? to : word[k * p->bits / 32];
        unsigned shift = k * p->bits % 32;
        LANES to[i] = left[i] ? 0 : from[i] >> shift & mask;
    }
}

static uint32_t
load(const sw_tex_plan *p, uint32_t *rows, uint32_t lanes, const uint32_t *mask)
{
    if (traps(p, rows, lanes, mask))
        return 0;
    for (uint32_t i = 0; i < lanes; i += 32)
        load_warp(p, rows + i, lanes);
    return 1;
}

/* ---- stores ---- */

/* Words of a lane side by side. */
static UNCHECKED void
store_each(const sw_tex_plan *p, const int32_t *at, uint32_t *const word[4],
           uint32_t mask)
{
    char *base = (char *)(uintptr_t)p->base;
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        char *to = base + at[i];
        word32 *words_to = (void *)to;
        switch (p->texel) {
        case 1:
            *(word8 *)to = (uint8_t)word[0][i];
            break;
        case 2:
            *(word16 *)(void *)to = (uint16_t)word[0][i];
            break;
        case 16:
            words_to[3] = word[3][i];
            words_to[2] = word[2][i];
            /* fallthrough */
        case 8:
            words_to[1] = word[1][i];
            /* fallthrough */
        default:
            words_to[0] = word[0][i];
        }
    }
}

/* Of lanes that all store, in rows of eight: texels of 4 and 16 bytes. */
static UNCHECKED void
store_rows(const sw_tex_plan *p, const int32_t *at, uint32_t *const word[4])
{
    char *base = (char *)(uintptr_t)p->base;
    for (int i = 0; i < 32; i += 8) {
        char *to = base + at[i];
        if (p->texel == 4) {
            *(eight_words *)(void *)to =
                *(const eight_words *)(const void *)&word[0][i];
            continue;
        }
        for (int j = 0; j < 8; j += 4) {
            quad a = *(const quad *)&word[0][i + j];
            quad b = *(const quad *)&word[1][i + j];
            quad c = *(const quad *)&word[2][i + j];
            quad d = *(const quad *)&word[3][i + j];
            quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
            quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
            quad *quads = (void *)(to + 16 * (size_t)j);
            quads[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
            quads[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
            ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
            cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
            quads[2] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
            quads[3] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
        }
    }
}

static void
store_warp(const sw_tex_plan *p, uint32_t *row, uint32_t lanes, uint32_t mask)
{
    ALIGNED int32_t at[32];
    ALIGNED uint32_t left[32], packed[2][32];
    uint32_t *word[4] = {row, row + lanes, row + 2 * (size_t)lanes,
                         row + 3 * (size_t)lanes};
    place(p, row, lanes, at, left);
    if (p->bits < 32) {
        uint32_t kept = (1u << p->bits) - 1;
        fill(packed[0], 0);
        fill(packed[1], 0);
        for (unsigned k = 0; k < p->channels; k++) {
            uint32_t *to = packed[k * p->bits / 32];
            const uint32_t *from = row + (size_t)k * lanes;
            unsigned shift = k * p->bits % 32;
            LANES to[i] |= (from[i] & kept) << shift;
        }
        word[0] = packed[0];
        word[1] = packed[1];
    }
    mask &= ~leaving(left, mask);
    if ((p->texel == 4 || p->texel == 16) && mask == UINT32_MAX &&
        are_rows(at, (int32_t)p->texel))
        store_rows(p, at, word);
    else
        store_each(p, at, word, mask);
}

static uint32_t
store(const sw_tex_plan *p, uint32_t *rows, uint32_t lanes,
      const uint32_t *mask)
{
    if (traps(p, rows, lanes, mask))
        return 0;
    for (uint32_t i = 0; i < lanes; i += 32)
        store_warp(p, rows + i, lanes, mask[i / 32]);
    return 1;
}

/* ---- plans ---- */

static void
add_axis(sw_tex_plan *p, unsigned row, uint64_t size, uint64_t step)
{
    p->axis[p->axes].place = (uint8_t)row;
    p->axis[p->axes].size = (uint32_t)size;
    p->axis[p->axes].step = (int32_t)step;
    p->last += (size - 1) * step;
    p->axes++;
}

bool
SW_LANE_SURFACE(SW_VARIANT)(sw_tex_plan *p, const sw_texture *t, sw_geom geom,
                            const sw_tex_surface *how)
{
    const sw_texture_level *l = &t->level[0];
    bool cube = t->geom == SW_GEOM_CUBE || t->geom == SW_GEOM_ACUBE;
    bool is_layered = geom == SW_GEOM_A1D || geom == SW_GEOM_A2D;
    bool has_layers = cube || t->geom == SW_GEOM_A1D || t->geom == SW_GEOM_A2D;
    uint64_t slices =
        has_layers ? (uint64_t)t->layers * (cube ? 6 : 1) : l->depth;
    uint64_t unit = (uint64_t)how->bits / 8 * how->channels;
    uint64_t width = (uint64_t)l->width * sw_sem_texel_bytes(t);
    uint64_t most = INT32_MAX;
    memset(p, 0, sizeof *p);
    if (!(geom <= SW_GEOM_3D || is_layered) || width < unit || !l->height ||
        !slices || width > most || l->height > most || slices > most ||
        l->pitch > most || l->slice > most ||
        width + l->height * l->pitch + slices * l->slice > most)
        return false;
    p->texture = t;
    p->base = p->last = l->address;
    p->texel = (uint32_t)unit;
    p->bits = how->bits;
    p->channels = how->channels;
    p->mode = how->mode;
    add_axis(p, SW_TEX_COORDS, width - unit + 1, 1);
    if (geom != SW_GEOM_1D && geom != SW_GEOM_A1D)
        add_axis(p, SW_TEX_COORDS + 1, l->height, l->pitch);
    if (geom == SW_GEOM_3D || is_layered)
        add_axis(p, is_layered ? SW_TEX_LAYER : SW_TEX_COORDS + 2, slices,
                 l->slice);
    p->last += unit - 1;
    p->access = how->is_store ? store : load;
    return true;
}
