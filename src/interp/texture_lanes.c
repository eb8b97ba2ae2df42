/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_lanes.c - what sw_sem_tex does, for the lanes of a warp at once and
 * for the textures that programs have most: one level, and one, two or four
 * channels. Plans, the nearest texels, and how texels are read. Compiled once
 * for each vector extension, as lanes.c is.
 *
 * All is done in 32 bits, of which a vector has most: places are fixed point,
 * and texels' distances from the first have 31 bits.
 */
#include "interp/texture_lanes.h"

/* ---- plans ---- */

static bool
plan_format(sw_tex_plan *p, const sw_texture *t)
{
    bool is_norm = t->to_float && t->bits[0] < 32;
    p->bits = t->bits[0];
    while (p->channels < 4 && t->bits[p->channels])
        p->channels++;
    p->texel = p->channels * p->bits / 8;
    if (p->bits == 32)
        p->format = SW_TEXELS_PLAIN;
    else if (t->channel == SW_CHANNEL_FLOAT)
        p->format = SW_TEXELS_HALF;
    else if (t->channel == SW_CHANNEL_UINT)
        p->format = is_norm ? SW_TEXELS_UNORM : SW_TEXELS_UINT;
    else
        p->format = is_norm ? SW_TEXELS_SNORM : SW_TEXELS_SINT;
    return p->channels && p->channels != 3 && !t->srgb &&
           (p->bits == 8 || p->bits == 16 || p->bits == 32);
}

static bool
is_filtered(const sw_tex_plan *p, const sw_texture *t, const sw_sampler *s,
            bool is_int)
{
    bool is_float = t->channel == SW_CHANNEL_FLOAT ||
                    p->format == SW_TEXELS_UNORM ||
                    p->format == SW_TEXELS_SNORM;
    return !is_int && s->filter == SW_FILTER_LINEAR && is_float;
}

static sw_tex_place
place_of(const sw_sampler *s, unsigned wrap)
{
    if (!s->normalized)
        return wrap == SW_WRAP_BORDER ? SW_PLACE_BORDER : SW_PLACE_CLAMP;
    return wrap == SW_WRAP_WRAP     ? SW_PLACE_UNIT_WRAP
           : wrap == SW_WRAP_MIRROR ? SW_PLACE_UNIT_MIRROR
           : wrap == SW_WRAP_BORDER ? SW_PLACE_UNIT_BORDER
                                    : SW_PLACE_UNIT_CLAMP;
}

static void
plan_axis(sw_tex_plan *p, unsigned k, sw_tex_place place, uint32_t size,
          uint64_t step)
{
    p->axis[k].place = (uint8_t)place;
    p->axis[k].size = size ? size : 1;
    p->axis[k].step = (int32_t)step;
    p->may_leave |= place == SW_PLACE_INT || place == SW_PLACE_BORDER ||
                    place == SW_PLACE_UNIT_BORDER;
}

/* False: numbers do not have the bits that places need. */
static bool
plan_places(sw_tex_plan *p, const sw_texture *t, const sw_sampler *s,
            bool is_int, bool filters)
{
    const uint32_t most = 1 << 18;
    const sw_texture_level *l = &t->level[0];
    uint32_t size[3] = {l->width, l->height, l->depth};
    uint64_t step[3] = {p->texel, l->pitch, l->slice};
    uint64_t slices = l->depth > t->layers ? l->depth : t->layers;
    if (l->width > INT32_MAX || l->height > INT32_MAX || slices > INT32_MAX ||
        l->pitch > INT32_MAX || l->slice > INT32_MAX ||
        l->width * (uint64_t)p->texel + l->height * l->pitch +
                slices * l->slice >
            INT32_MAX)
        return false;
    for (unsigned k = 0; k < p->axes; k++) {
        if (!is_int && size[k] > most)
            return false;
        plan_axis(p, k, is_int ? SW_PLACE_INT : place_of(s, s->wrap[k]),
                  size[k], step[k]);
    }
    /* A row is filtered as one of two dimensions, at its edge, where both
     * texels are the same if it is clamped: see make_footprint of
     * sem/texture.c. */
    if (filters && t->geom == SW_GEOM_1D) {
        sw_tex_place place = place_of(s, s->wrap[1]);
        p->is_row = place != SW_PLACE_CLAMP && place != SW_PLACE_UNIT_CLAMP;
        if (p->is_row)
            plan_axis(p, p->axes++, place, 1, 0);
    }
    uint64_t last = (uint64_t)(p->axis[0].size - 1) * p->texel + p->texel - 1;
    if (p->axes > 1)
        last += (uint64_t)(p->axis[1].size - 1) * (uint64_t)p->axis[1].step;
    if (p->axes > 2)
        last += (uint64_t)(p->axis[2].size - 1) * (uint64_t)p->axis[2].step;
    if (p->layers)
        last += (uint64_t)(p->layers - 1) * l->slice;
    p->last = p->base + last;
    return true;
}

/* What channels are where no texel is. Numbers in fixed point are filtered as
 * the texels' digits. */
static void
plan_border(sw_tex_plan *p, const sw_texture *t, const sw_sampler *s,
            bool is_int)
{
    bool is_signed = p->format == SW_TEXELS_SNORM;
    double most = p->bits < 32 ? (1u << (p->bits - is_signed)) - 1 : 0;
    if (!is_int)
        sw_sem_border_texel(t, s, p->outside);
    for (unsigned k = 0; k < 4; k++)
        if (p->format == SW_TEXELS_UNORM || is_signed)
            p->border[k] = (int32_t)__builtin_rint(
                (double)sem_f32_bits(p->outside[k]) * most);
}

/* ---- places ---- */

/* Adds where the nearest texels along axis k are, in bytes; is_first: nothing
 * is there yet. all ones in `left`: outside. far: all ones if a coordinate is
 * too large. */
static inline ALWAYS void
add_nearest(const sw_tex_plan *p, unsigned k, sw_tex_place place, bool is_first,
            const uint32_t *c, int32_t *restrict at, uint32_t *restrict left,
            uint32_t *restrict far)
{
    int32_t size = (int32_t)p->axis[k].size, last = size - 1;
    int32_t step = p->axis[k].step;
    float end = (float)last;
#define ADD(texel) at[i] = (is_first ? 0 : at[i]) + (texel)*step
    switch (place) {
    case SW_PLACE_INT:
        LANES
        {
            int32_t x = (int32_t)c[i];
            bool in = (uint32_t)x < (uint32_t)size;
            ADD(in ? x : 0);
            left[i] |= in ? 0 : UINT32_MAX;
        }
        return;
    case SW_PLACE_CLAMP:
        LANES
        {
            float x = sem_f32_bits(c[i]);
            x = x > 0 ? x : 0;
            ADD((int32_t)(x < end ? x : end));
        }
        return;
    case SW_PLACE_BORDER:
        LANES
        {
            float x = sem_f32_bits(c[i]);
            x = x == x ? x : 0;
            bool in = (x >= 0) & (x < end + 1);
            ADD((int32_t)(in ? x : 0));
            left[i] |= in ? 0 : UINT32_MAX;
        }
        return;
    case SW_PLACE_UNIT_CLAMP:
        LANES
        {
            int32_t x = scaled(unit_clamp(c[i]), size, 0, 21);
            ADD(x < last ? x : last);
        }
        return;
    case SW_PLACE_UNIT_BORDER:
        LANES
        {
            int32_t x = unit_border(c[i]);
            bool in = (uint32_t)x < 1u << 21;
            ADD(scaled(in ? x : 0, size, 0, 21));
            left[i] |= in ? 0 : UINT32_MAX;
        }
        return;
    case SW_PLACE_UNIT_WRAP:
        LANES
        {
            far[i] |= is_far(c[i]);
            ADD(scaled(unit_repeat(c[i], 0x1p21f), size, 0, 21));
        }
        return;
    default:
        LANES
        {
            far[i] |= is_far(c[i]);
            int32_t x = scaled(unit_repeat(c[i], 0x1p22f), size, 0, 21);
            ADD(x < size ? x : 2 * size - 1 - x);
        }
    }
#undef ADD
}

void
add_layers(const sw_tex_plan *p, const uint32_t *layer, int32_t *restrict at)
{
    int32_t last = p->layers - 1, slice = p->slice;
    LANES
    {
        int32_t x = (int32_t)layer[i];
        x = x < 0 ? 0 : x;
        at[i] += (x < last ? x : last) * slice;
    }
}

/* ---- texels ---- */

/* Texels of four words; `WIDE` lanes' words k side by side. */
static inline UNCHECKED void
load_quads(const char *base, const int32_t *at, uint32_t *const word[4], int i)
{
#define QUAD(k) (*(const quad *)(const void *)(base + at[i + (k)]))
#if WIDE == 4
    quad a = QUAD(0), b = QUAD(1), c = QUAD(2), d = QUAD(3);
#elif WIDE == 8
#define BOTH(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
    words a = BOTH(QUAD(0), QUAD(4)), b = BOTH(QUAD(1), QUAD(5));
    words c = BOTH(QUAD(2), QUAD(6)), d = BOTH(QUAD(3), QUAD(7));
#else
#define BOTH(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define FOUR(a, b)                                                             \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,    \
                            13, 14, 15)
    words a = FOUR(BOTH(QUAD(0), QUAD(4)), BOTH(QUAD(8), QUAD(12)));
    words b = FOUR(BOTH(QUAD(1), QUAD(5)), BOTH(QUAD(9), QUAD(13)));
    words c = FOUR(BOTH(QUAD(2), QUAD(6)), BOTH(QUAD(10), QUAD(14)));
    words d = FOUR(BOTH(QUAD(3), QUAD(7)), BOTH(QUAD(11), QUAD(15)));
#endif
    words ab = LOW(a, b), cd = LOW(c, d);
    *(words *)&word[0][i] = LOW_PAIRS(ab, cd);
    *(words *)&word[1][i] = HIGH_PAIRS(ab, cd);
    ab = HIGH(a, b);
    cd = HIGH(c, d);
    *(words *)&word[2][i] = LOW_PAIRS(ab, cd);
    *(words *)&word[3][i] = HIGH_PAIRS(ab, cd);
}

/* Vector j of the lanes' texels from lane i on. */
#define ROW(j, bytes)                                                          \
    (*(const words *)(const void *)(base + at[i + (j)*4 * WIDE / (bytes)]))
#define WIDENED(type)                                                          \
    __builtin_convertvector(*(const type *)(const void *)(base + at[i]), eight)

/* Texels that lie in rows of eight. */
static UNCHECKED void
load_rows(uint32_t texel, const char *base, const int32_t *at,
          uint32_t *const word[4])
{
    uint32_t *first = word[0];
    switch (texel) {
    case 1:
        for (int i = 0; i < 32; i += 8)
            *(eight_words *)(void *)&first[i] = WIDENED(eight_bytes);
        return;
    case 2:
        for (int i = 0; i < 32; i += 8)
            *(eight_words *)(void *)&first[i] = WIDENED(eight_halves);
        return;
    case 4:
        for (int i = 0; i < 32; i += 8)
            *(eight_words *)(void *)&first[i] = WIDENED(eight_words);
        return;
    case 8:
        for (int i = 0; i < 32; i += WIDE) {
            words a = ROW(0, 8), b = ROW(1, 8);
            *(words *)&word[0][i] = EVEN(a, b);
            *(words *)&word[1][i] = ODD(a, b);
        }
        return;
    default:
#if WIDE == 16
        for (int i = 0; i < 32; i += WIDE) {
            words a = ROW(0, 16), b = ROW(1, 16);
            words c = ROW(2, 16), d = ROW(3, 16);
            words xz0 = EVEN(a, b), xz1 = EVEN(c, d);
            words yw0 = ODD(a, b), yw1 = ODD(c, d);
            *(words *)&word[0][i] = EVEN(xz0, xz1);
            *(words *)&word[1][i] = EVEN(yw0, yw1);
            *(words *)&word[2][i] = ODD(xz0, xz1);
            *(words *)&word[3][i] = ODD(yw0, yw1);
        }
#else
        for (int i = 0; i < 32; i += WIDE)
            load_quads(base, at, word, i);
#endif
    }
}

/* Texels that lie anywhere. */
static UNCHECKED void
load_each(uint32_t texel, const char *base, const int32_t *at,
          uint32_t *const word[4])
{
    uint32_t *a = word[0], *b = word[1];
    switch (texel) {
    case 1:
        for (int i = 0; i < 32; i++)
            a[i] = *(const word8 *)(base + at[i]);
        return;
    case 2:
        for (int i = 0; i < 32; i++)
            a[i] = *(const word16 *)(const void *)(base + at[i]);
        return;
    case 4:
        for (int i = 0; i < 32; i++)
            a[i] = *(const word32 *)(const void *)(base + at[i]);
        return;
    case 8:
        for (int i = 0; i < 32; i++) {
            const word32 *from = (const void *)(base + at[i]);
            a[i] = from[0];
            b[i] = from[1];
        }
        return;
    default:
        for (int i = 0; i < 32; i += WIDE)
            load_quads(base, at, word, i);
    }
}

static inline void
load_texels(const sw_tex_plan *p, const int32_t *at, uint32_t *const word[4])
{
    const char *base = (const char *)(uintptr_t)p->base;
    if ((p->texel < 16 || WIDE == 16) && are_rows(at, (int32_t)p->texel))
        load_rows(p->texel, base, at, word);
    else
        load_each(p->texel, base, at, word);
}

void
read_texels(const sw_tex_plan *p, const int32_t *at, uint32_t *const word[4])
{
    load_texels(p, at, word);
}

bool
are_readable(const sw_tex_plan *p, const sw_tex_checks *checks,
             const int32_t *at)
{
    int32_t least = INT32_MAX, most = 0;
    LANES
    {
        least = at[i] < least ? at[i] : least;
        most = at[i] > most ? at[i] : most;
    }
    return checks->holds(checks->arg, p->base + (uint64_t)least,
                         p->base + (uint64_t)most + p->texel - 1);
}

void
log_texels(const sw_tex_plan *p, const sw_tex_checks *checks,
           const int32_t *offset, const uint32_t *left)
{
    uint32_t reads = checks->mask;
    uint64_t at[32];
    for (unsigned i = 0; i < 32; i++) {
        at[i] = p->base + (uint64_t)offset[i];
        if (left && left[i])
            reads &= ~(UINT32_C(1) << i);
    }
    checks->log->texture = p->texture;
    sw_interp_log_texels(checks->log, reads, at, p->texel);
}

/* ---- channels ---- */

/* x / most as a float, most 2^n - 1 and x no larger. */
static inline void
divide(uint32_t *restrict v, int32_t most, bool is_signed)
{
    float divisor = (float)most;
    LANES
    {
        float x = quotient((float)(int32_t)v[i], divisor, 1 / divisor);
        v[i] = sem_bits_f32(is_signed && x < -1 ? -1 : x);
    }
}

/* As channel_value of sem/texture.c: the one of `bits` bits at `shift`. */
static inline void
convert(sw_tex_format format, unsigned bits, const uint32_t *word,
        unsigned shift, uint32_t *restrict v)
{
    uint32_t mask = (1u << bits) - 1;
    switch (format) {
    case SW_TEXELS_HALF:
        LANES v[i] = half_bits(word[i] >> shift & 0xffff);
        return;
    case SW_TEXELS_SINT:
    case SW_TEXELS_SNORM:
        LANES v[i] = (uint32_t)((int32_t)(word[i] << (32 - bits - shift)) >>
                                (32 - bits));
        if (format == SW_TEXELS_SNORM)
            divide(v, (1 << (bits - 1)) - 1, true);
        return;
    default:
        LANES v[i] = word[i] >> shift & mask;
        if (format == SW_TEXELS_UNORM)
            divide(v, (int32_t)mask, false);
    }
}

void
read_channel(const sw_tex_plan *p, uint32_t *const word[4], unsigned k,
             sw_tex_format format, uint32_t *restrict v)
{
    unsigned at = k * p->bits;
    convert(format, p->bits, word[at / 32], at % 32, v);
}

/* ---- the nearest texels ---- */

static void
convert_all(const sw_tex_plan *p, const int32_t *at, uint32_t *const out[4])
{
    ALIGNED uint32_t packed[2][32];
    uint32_t *const word[4] = {packed[0], packed[1], NULL, NULL};
    load_texels(p, at, word);
    for (unsigned k = 0; k < p->channels; k++)
        read_channel(p, word, k, (sw_tex_format)p->format, out[k]);
}

static void
put_outside(const sw_tex_plan *p, const uint32_t *left, uint32_t *const out[4])
{
    for (unsigned k = 0; k < 4; k++) {
        uint32_t *v = out[k], other = p->outside[k];
        LANES v[i] = left[i] ? other : v[i];
    }
}

enum { ANY_PLACE = -1 }; /* of each axis its own */

/* Of a warp, whose part of the first row it is. far: NULL, or for what
 * add_nearest finds. */
static inline ALWAYS bool
fetch_nearest(const sw_tex_plan *p, uint32_t *row, uint32_t lanes,
              const sw_tex_checks *checks, unsigned axes, int place,
              bool may_leave, uint32_t *far)
{
    ALIGNED int32_t at[32];
    ALIGNED uint32_t left[32];
    const uint32_t *coord = row + (size_t)SW_TEX_COORDS * lanes;
    uint32_t *const out[4] = {row, row + lanes, row + 2 * (size_t)lanes,
                              row + 3 * (size_t)lanes};
    if (may_leave)
        fill(left, 0);
    if (far)
        fill(far, 0);
#define PLACE(k) (sw_tex_place)(place == ANY_PLACE ? p->axis[k].place : place)
    add_nearest(p, 0, PLACE(0), true, coord, at, left, far);
    if (axes > 1)
        add_nearest(p, 1, PLACE(1), false, coord + lanes, at, left, far);
    if (axes > 2)
        add_nearest(p, 2, PLACE(2), false, coord + 2 * (size_t)lanes, at, left,
                    far);
#undef PLACE
    if (far && is_any(far))
        return false;
    if (p->layers)
        add_layers(p, row + (size_t)SW_TEX_LAYER * lanes, at);
    if (!p->is_whole && !are_readable(p, checks, at))
        return false;
    if (checks && checks->log)
        log_texels(p, checks, at, may_leave ? left : NULL);
    if (p->format == SW_TEXELS_PLAIN)
        load_texels(p, at, out);
    else
        convert_all(p, at, out);
    for (unsigned k = p->channels; k < 4; k++)
        fill(out[k], 0);
    if (may_leave && is_any(left))
        put_outside(p, left, out);
    return true;
}

/* What programs fetch most, each with loops of its own: texels by number, and
 * coordinates in texels that are clamped. */
#define NEAREST(name, axes, place)                                             \
    static uint32_t name(const sw_tex_plan *p, uint32_t *rows, uint32_t lanes, \
                         const sw_tex_checks *checks)                          \
    {                                                                          \
        for (uint32_t i = 0; i < lanes; i += 32)                               \
            if (!fetch_nearest(p, rows + i, lanes, checks, axes, place,        \
                               place == SW_PLACE_INT, NULL))                   \
                return 0;                                                      \
        return 1;                                                              \
    }
NEAREST(clamp_1, 1, SW_PLACE_CLAMP)
NEAREST(clamp_2, 2, SW_PLACE_CLAMP)
NEAREST(clamp_3, 3, SW_PLACE_CLAMP)
NEAREST(number_1, 1, SW_PLACE_INT)
NEAREST(number_2, 2, SW_PLACE_INT)
NEAREST(number_3, 3, SW_PLACE_INT)

static uint32_t
any_nearest(const sw_tex_plan *p, uint32_t *rows, uint32_t lanes,
            const sw_tex_checks *checks)
{
    ALIGNED uint32_t far[32];
    for (uint32_t i = 0; i < lanes; i += 32)
        if (!fetch_nearest(p, rows + i, lanes, checks, p->axes, ANY_PLACE,
                           p->may_leave, far))
            return 0;
    return 1;
}

static bool
has_places(const sw_tex_plan *p, sw_tex_place place)
{
    bool all = true;
    for (unsigned k = 0; k < p->axes; k++)
        all &= p->axis[k].place == place;
    return all;
}

static void
choose(sw_tex_plan *p)
{
    static sw_tex_fetch *const clamp[] = {clamp_1, clamp_2, clamp_3};
    static sw_tex_fetch *const number[] = {number_1, number_2, number_3};
    bool clamps = has_places(p, SW_PLACE_CLAMP);
    bool numbers = has_places(p, SW_PLACE_INT);
    p->fetch = clamps    ? clamp[p->axes - 1]
               : numbers ? number[p->axes - 1]
                         : any_nearest;
    if (p->format == SW_TEXELS_PLAIN && (clamps || numbers))
        p->in_place = (uint8_t)p->texel;
}

bool
SW_LANE_PLAN(SW_VARIANT)(sw_tex_plan *p, const sw_texture *t,
                         const sw_sampler *s, sw_geom geom, bool is_int)
{
    bool is_layered = geom == SW_GEOM_A1D || geom == SW_GEOM_A2D;
    bool is_flat =
        geom == SW_GEOM_1D || geom == SW_GEOM_2D || geom == SW_GEOM_3D;
    memset(p, 0, sizeof *p);
    if (!(is_flat || is_layered) || t->geom != geom || t->level_count != 1 ||
        (is_int && !t->linear && geom == SW_GEOM_1D) || !plan_format(p, t))
        return false;
    p->texture = t;
    p->base = t->level[0].address;
    p->axes = geom == SW_GEOM_1D || geom == SW_GEOM_A1D ? 1
              : geom == SW_GEOM_3D                      ? 3
                                                        : 2;
    if (is_layered) {
        p->layers = t->layers ? (int32_t)t->layers : 1;
        p->slice = (int32_t)t->level[0].slice;
    }
    bool filters = is_filtered(p, t, s, is_int);
    if ((filters && p->format == SW_TEXELS_HALF && geom == SW_GEOM_3D) ||
        !plan_places(p, t, s, is_int, filters))
        return false;
    plan_border(p, t, s, is_int);
    if (filters)
        p->fetch = fetch_filtered;
    else
        choose(p);
    return true;
}
