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
#include "interp/texture_places.h"

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

/* What lanes of a vector are found to be. */
typedef struct {
    ints at;    /* bytes from the first texel */
    words left; /* all ones: outside */
    words far;  /* all ones: a coordinate is too large */
} found;

enum { ANY_PLACE = -1 }; /* of each axis its own */

static inline ALWAYS found
find_nearest(const sw_tex_plan *p, unsigned axes, int place,
             const uint32_t *coord, uint32_t lanes)
{
    found f = {{0}, {0}, {0}};
    for (unsigned k = 0; k < axes; k++) {
        int own = place == ANY_PLACE ? p->axis[k].place : place;
        words c = *(const words *)(const void *)(coord + (size_t)k * lanes);
        f.at += nearest(p, k, (sw_tex_place)own, c, &f.left, &f.far) *
                p->axis[k].step;
    }
    return f;
}

void
add_layers(const sw_tex_plan *p, const uint32_t *layer, int32_t *restrict at)
{
    uint32_t last = (uint32_t)p->layers - 1;
    int32_t slice = p->slice;
    LANES at[i] += (int32_t)(layer[i] < last ? layer[i] : last) * slice;
}

/* ---- texels ---- */

/* Vectors of four elements as one; of eight. */
#define BOTH(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define FOUR(a, b)                                                             \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,    \
                            13, 14, 15)

/* Texels of four words; `WIDE` lanes' words k side by side. */
static inline UNCHECKED void
load_quads(const char *base, const int32_t *at, uint32_t *const word[4], int i)
{
#define QUAD(k) (*(const quad *)(const void *)(base + at[i + (k)]))
#if WIDE == 4
    quad a = QUAD(0), b = QUAD(1), c = QUAD(2), d = QUAD(3);
#elif WIDE == 8
    words a = BOTH(QUAD(0), QUAD(4)), b = BOTH(QUAD(1), QUAD(5));
    words c = BOTH(QUAD(2), QUAD(6)), d = BOTH(QUAD(3), QUAD(7));
#else
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
#define WIDENED(type, k)                                                       \
    __builtin_convertvector(*(const type *)(const void *)(base + at[i + (k)]), \
                            eight)

/* Texels of a word or less that lie in rows of eight. What is read as one
 * vector soon had better be stored as one. */
#if WIDE == 16
#define WORDS(type)                                                            \
    EACH(i)                                                                    \
    AT(first, i) = (words)FOUR(WIDENED(type, 0), WIDENED(type, 8))
#else
#define WORDS(type)                                                            \
    for (int i = 0; i < 32; i += 8)                                            \
    *(eight_words *)(void *)&first[i] = WIDENED(type, 0)
#endif

/* Texels that lie in rows of eight. */
static UNCHECKED void
load_rows(uint32_t texel, const char *base, const int32_t *at,
          uint32_t *const word[4])
{
    uint32_t *first = word[0];
    switch (texel) {
    case 1:
        WORDS(eight_bytes);
        return;
    case 2:
        WORDS(eight_halves);
        return;
    case 4:
        WORDS(eight_words);
        return;
    case 8:
        EACH(i)
        {
            words a = ROW(0, 8), b = ROW(1, 8);
            AT(word[0], i) = EVEN(a, b);
            AT(word[1], i) = ODD(a, b);
        }
        return;
    default:
#if WIDE == 16
        EACH(i)
        {
            words a = ROW(0, 16), b = ROW(1, 16);
            words c = ROW(2, 16), d = ROW(3, 16);
            words xz0 = EVEN(a, b), xz1 = EVEN(c, d);
            words yw0 = ODD(a, b), yw1 = ODD(c, d);
            AT(word[0], i) = EVEN(xz0, xz1);
            AT(word[1], i) = EVEN(yw0, yw1);
            AT(word[2], i) = ODD(xz0, xz1);
            AT(word[3], i) = ODD(yw0, yw1);
        }
#else
        EACH(i)
        load_quads(base, at, word, i);
#endif
    }
}

/* Four lanes' texels of a word or less, two lanes' of two words. */
#define ONE(type, k) (*(const type *)(const void *)(base + at[i + (k)]))
#define FOUR_OF(type, k)                                                       \
    ((quad){ONE(type, k), ONE(type, (k) + 1), ONE(type, (k) + 2),              \
            ONE(type, (k) + 3)})
#define TWO_OF(k) ((quad)(pair){ONE(word64, k), ONE(word64, (k) + 1)})
#if WIDE == 4
#define TEXELS(type) FOUR_OF(type, 0)
#define PAIRS(k)     TWO_OF(k)
#elif WIDE == 8
#define TEXELS(type) BOTH(FOUR_OF(type, 0), FOUR_OF(type, 4))
#define PAIRS(k)     BOTH(TWO_OF(k), TWO_OF((k) + 2))
#else
#define TEXELS(type)                                                           \
    FOUR(BOTH(FOUR_OF(type, 0), FOUR_OF(type, 4)),                             \
         BOTH(FOUR_OF(type, 8), FOUR_OF(type, 12)))
#define PAIRS(k)                                                               \
    FOUR(BOTH(TWO_OF(k), TWO_OF((k) + 2)),                                     \
         BOTH(TWO_OF((k) + 4), TWO_OF((k) + 6)))
#endif

/* Texels that lie anywhere. */
static UNCHECKED void
load_each(uint32_t texel, const char *base, const int32_t *at,
          uint32_t *const word[4])
{
    switch (texel) {
    case 1:
        EACH(i)
        AT(word[0], i) = TEXELS(word8);
        return;
    case 2:
        EACH(i)
        AT(word[0], i) = TEXELS(word16);
        return;
    case 4:
        EACH(i)
        AT(word[0], i) = TEXELS(word32);
        return;
    case 8:
        EACH(i)
        {
            words a = PAIRS(0), b = PAIRS(WIDE / 2);
            AT(word[0], i) = EVEN(a, b);
            AT(word[1], i) = ODD(a, b);
        }
        return;
    default:
        EACH(i)
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

void
read_pairs(const sw_tex_plan *p, const int32_t *at, uint32_t *first,
           uint32_t *second)
{
    uint32_t *const word[4] = {first, second, NULL, NULL};
    load_each(2 * sizeof *first, (const char *)(uintptr_t)p->base, at, word);
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

/* As channel_value of sem/texture.c: the one of `bits` bits at `shift`. */
static inline ALWAYS words
convert(sw_tex_format format, unsigned bits, words word, unsigned shift)
{
    uint32_t mask = (1u << bits) - 1;
    float most = (float)mask;
    floats x;
    switch (format) {
    case SW_TEXELS_HALF:
        return half_bits(word >> shift & 0xffff);
    case SW_TEXELS_SINT:
        return (words)((ints)(word << (32 - bits - shift)) >> (32 - bits));
    case SW_TEXELS_SNORM:
        most = (float)((1 << (bits - 1)) - 1);
        x = __builtin_convertvector(
            (ints)(word << (32 - bits - shift)) >> (32 - bits), floats);
        return (words)larger(quotients(x, most), all_floats(-1));
    case SW_TEXELS_UNORM:
        x = __builtin_convertvector((ints)(word >> shift & mask), floats);
        return (words)quotients(x, most);
    default:
        return word >> shift & mask;
    }
}

/* One channel, by loops of its own for each kind. */
void
read_channel(const sw_tex_plan *p, uint32_t *const word[4], unsigned k,
             sw_tex_format format, uint32_t *restrict v)
{
    unsigned at = k * p->bits, shift = at % 32;
    const uint32_t *from = word[at / 32];
#define KIND(name)                                                             \
    case name:                                                                 \
        EACH(i)                                                                \
        AT(v, i) = convert(name, p->bits, CONST_AT(from, i), shift);           \
        return
    switch (format) {
        KIND(SW_TEXELS_HALF);
        KIND(SW_TEXELS_SINT);
        KIND(SW_TEXELS_SNORM);
        KIND(SW_TEXELS_UNORM);
    default:
        KIND(SW_TEXELS_UINT);
    }
#undef KIND
}

/* ---- the nearest texels ---- */

/* Four channels of a byte each. */
static inline ALWAYS void
convert_bytes(sw_tex_format format, const uint32_t *word,
              uint32_t *const out[4])
{
    EACH(i)
    {
        words w = CONST_AT(word, i);
        AT(out[0], i) = convert(format, 8, w, 0);
        AT(out[1], i) = convert(format, 8, w, 8);
        AT(out[2], i) = convert(format, 8, w, 16);
        AT(out[3], i) = convert(format, 8, w, 24);
    }
}

static void
convert_all(const sw_tex_plan *p, const int32_t *at, uint32_t *const out[4])
{
    ALIGNED uint32_t packed[2][32];
    uint32_t *const word[4] = {packed[0], packed[1], NULL, NULL};
    load_texels(p, at, word);
    if (p->texel == 4 && p->channels == 4 && p->format == SW_TEXELS_UNORM) {
        convert_bytes(SW_TEXELS_UNORM, packed[0], out);
        return;
    }
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

/* Of a warp, whose part of the first row it is. */
static inline ALWAYS bool
fetch_nearest(const sw_tex_plan *p, uint32_t *row, uint32_t lanes,
              const sw_tex_checks *checks, unsigned axes, int place,
              bool may_leave)
{
    ALIGNED int32_t at[32];
    ALIGNED uint32_t left[32];
    const uint32_t *coord = row + (size_t)SW_TEX_COORDS * lanes;
    uint32_t *const out[4] = {row, row + lanes, row + 2 * (size_t)lanes,
                              row + 3 * (size_t)lanes};
    words far = {0}, any_left = {0};
    EACH(i)
    {
        found f = find_nearest(p, axes, place, coord + i, lanes);
        AT(at, i) = (words)f.at;
        AT(left, i) = f.left;
        any_left |= f.left;
        far |= f.far;
    }
    if (!is_zero(far))
        return false;
    if (p->layers)
        add_layers(p, row + (size_t)SW_TEX_LAYER * lanes, at);
    if (!p->is_whole && !are_readable(p, checks, at))
        return false;
    if (checks && checks->log)
        log_texels(p, checks, at, may_leave ? left : NULL);
    if (p->format == SW_TEXELS_PLAIN ||
        (p->format == SW_TEXELS_UINT && p->channels == 1))
        load_texels(p, at, out);
    else
        convert_all(p, at, out);
    for (unsigned k = p->channels; k < 4; k++)
        fill(out[k], 0);
    if (may_leave && !is_zero(any_left))
        put_outside(p, left, out);
    return true;
}

/* What programs fetch most, each with loops of its own. */
#define NEAREST(name, axes, place, may_leave)                                  \
    static uint32_t name(const sw_tex_plan *p, uint32_t *rows, uint32_t lanes, \
                         const sw_tex_checks *checks)                          \
    {                                                                          \
        for (uint32_t i = 0; i < lanes; i += 32)                               \
            if (!fetch_nearest(p, rows + i, lanes, checks, axes, place,        \
                               may_leave))                                     \
                return 0;                                                      \
        return 1;                                                              \
    }
NEAREST(clamp_1, 1, SW_PLACE_CLAMP, false)
NEAREST(clamp_2, 2, SW_PLACE_CLAMP, false)
NEAREST(clamp_3, 3, SW_PLACE_CLAMP, false)
NEAREST(number_1, 1, SW_PLACE_INT, true)
NEAREST(number_2, 2, SW_PLACE_INT, true)
NEAREST(number_3, 3, SW_PLACE_INT, true)
NEAREST(border_2, 2, SW_PLACE_BORDER, true)
NEAREST(unit_2, 2, SW_PLACE_UNIT_CLAMP, false)
NEAREST(wrap_2, 2, SW_PLACE_UNIT_WRAP, false)
NEAREST(any_nearest, p->axes, ANY_PLACE, p->may_leave)

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
    static sw_tex_fetch *const plane[] = {
        [SW_PLACE_BORDER] = border_2,
        [SW_PLACE_UNIT_CLAMP] = unit_2,
        [SW_PLACE_UNIT_WRAP] = wrap_2,
        [SW_PLACE_UNIT_MIRROR] = any_nearest,
    };
    sw_tex_place first = (sw_tex_place)p->axis[0].place;
    bool clamps = has_places(p, SW_PLACE_CLAMP);
    bool numbers = has_places(p, SW_PLACE_INT);
    p->fetch = clamps    ? clamp[p->axes - 1]
               : numbers ? number[p->axes - 1]
               : p->axes == 2 && has_places(p, first) && plane[first]
                   ? plane[first]
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
