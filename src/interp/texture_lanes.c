/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_lanes.c - what sw_sem_tex does, for the lanes of a warp at once and
 * for the textures that programs have most: one level, and a format whose
 * texels are filtered in 16-bit fixed point or as f32. Compiled once for each
 * vector extension, as lanes.c is.
 *
 * Lanes that do not take part fetch what the first one that does fetches, so
 * that every address may be read.
 */
#include "interp/lanes.h"
#include "sem/sem.h"
#include "sem/texture.h"

/* Texels may be written meanwhile, and lie as the guest program wants. */
#define UNCHECKED                                                              \
    __attribute__((no_sanitize("thread"), no_sanitize("alignment")))

typedef uint32_t __attribute__((may_alias)) word32;
typedef uint16_t __attribute__((may_alias)) word16;
typedef uint32_t __attribute__((vector_size(16), may_alias, aligned(4))) quad;
typedef uint8_t __attribute__((may_alias)) word8;
/* As long as the machine's: of longer ones gcc moves each element by itself. */
#ifdef __AVX512F__
enum { WORDS = 16 };
#define EVEN(a, b)                                                             \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22,   \
                            24, 26, 28, 30)
#define ODD(a, b)                                                              \
    __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,   \
                            25, 27, 29, 31)
#else
enum { WORDS = 4 };
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD(a, b)  __builtin_shufflevector(a, b, 1, 3, 5, 7)
#endif
typedef uint32_t __attribute__((vector_size(4 * WORDS), may_alias, aligned(4)))
words;

/* The texels of a footprint along one axis. at: -1 is the border. */
typedef struct {
    int32_t at[2][32];
    uint32_t weight[32]; /* of at[1], of 256 */
} axis;

typedef struct {
    const sw_tex_lanes *l;
    const sw_texture *t;
    const sw_sampler *s;
    unsigned axes, channels, texel;
    bool is_linear, is_norm, may_leave; /* may_leave: some at is -1 */
    uint32_t outside[4];                /* channels of the border */
    axis axis[3];
    int32_t slice[32];  /* layers; z where there is no third axis */
    uint32_t *value[4]; /* of 32 lanes: `room`, or where results go */
    uint32_t room[4][32];
} fetch;

/* ---- formats ---- */

static bool
open_format(fetch *f)
{
    const sw_texture *t = f->t;
    unsigned bits = t->bits[0];
    while (f->channels < 4 && t->bits[f->channels])
        f->channels++;
    if (!f->channels || f->channels == 3 || t->srgb)
        return false;
    f->texel = f->channels * bits / 8;
    f->is_norm = t->channel != SW_CHANNEL_FLOAT && t->to_float && bits < 32;
    bool reads_float = f->is_norm || t->channel == SW_CHANNEL_FLOAT;
    f->is_linear =
        !f->l->is_int && f->s->filter == SW_FILTER_LINEAR && reads_float;
    /* Filtering of halves and signed fixed point is left to sem. */
    return !f->is_linear || t->channel == SW_CHANNEL_UINT ||
           (t->channel == SW_CHANNEL_FLOAT && bits == 32);
}

/* Bits of channel k in `words` as sem/texture.c's channel_value makes them;
 * to be filtered: in 16-bit fixed point. */
static void
convert(const fetch *f, unsigned bits, const uint32_t *word, unsigned shift,
        uint32_t *restrict v)
{
    const sw_texture *t = f->t;
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    if (t->channel == SW_CHANNEL_FLOAT && bits == 16) {
        for (int i = 0; i < 32; i++)
            v[i] = sem_texture_half((uint16_t)(word[i] >> shift & mask));
    } else if (t->channel == SW_CHANNEL_SINT) {
        LANES v[i] = (uint32_t)((int32_t)(word[i] << (32 - bits - shift)) >>
                                (32 - bits));
        if (f->is_norm) {
            float max = (float)((1 << (bits - 1)) - 1);
            LANES
            {
                float x = (float)(int32_t)v[i] / max;
                v[i] = sem_bits_f32(x < -1 ? -1 : x);
            }
        }
    } else {
        LANES v[i] = word[i] >> shift & mask;
        if (f->is_norm && f->is_linear && bits == 8) {
            LANES v[i] *= 257;
        } else if (f->is_norm && !f->is_linear) {
            float max = (float)mask;
            LANES v[i] = sem_bits_f32((float)(int32_t)v[i] / max);
        }
    }
}

/* ---- places ---- */

/* Texels from where the footprint starts (`second`: the next ones). */
static void
indices(const double *first, uint32_t size, unsigned wrap, double second,
        int32_t *restrict at)
{
    double last = size ? (double)(size - 1) : 0;
    int64_t out = 0;
    LANES
    {
        double x = first[i] + second;
        x = x > 0 ? x : 0;
        at[i] = (int32_t)(x < last ? x : last);
    }
    if (wrap == SW_WRAP_CLAMP)
        return;
    LANES out |= (int64_t)(first[i] + second != (double)at[i]);
    if (out)
        for (int i = 0; i < 32; i++)
            at[i] = (int32_t)sw_sem_texture_index((int64_t)(first[i] + second),
                                                  size, wrap);
}

/* Of the nearest texels, clamped: what place_float does for the others, in
 * floats where they count all texels. */
static void
place_nearest(const fetch *f, const float *coord, uint32_t size,
              int32_t *restrict at)
{
    uint32_t last = size ? size - 1 : 0;
    if (!f->s->normalized && last < 1u << 24) {
        float end = (float)(int32_t)last;
        LANES
        {
            float x = coord[i] > 0 ? coord[i] : 0;
            at[i] = (int32_t)(x < end ? x : end);
        }
        return;
    }
    double end = last, unit = f->s->normalized ? 0x1p21 : 1;
    double scale = f->s->normalized ? 0x1p-21 * size : 1;
    LANES
    {
        double x = coord[i] > 0 ? (double)coord[i] : 0;
        x = __builtin_floor(x * unit) * scale;
        at[i] = (int32_t)(x < end ? x : end);
    }
}

/* As make_axis of sem/texture.c. */
static void
place_float(fetch *f, axis *a, const float *coord, uint32_t size, unsigned wrap)
{
    double first[32], where[32];
    bool scaled = f->s->normalized;
    if (!scaled && (wrap == SW_WRAP_WRAP || wrap == SW_WRAP_MIRROR))
        wrap = SW_WRAP_CLAMP;
    if (!f->is_linear && wrap == SW_WRAP_CLAMP) {
        place_nearest(f, coord, size, a->at[0]);
        return;
    }
    f->may_leave |= wrap == SW_WRAP_BORDER;
    bool repeats = wrap == SW_WRAP_WRAP || wrap == SW_WRAP_MIRROR;
    double scale = scaled ? 0x1p-21 * size : 1, unit = scaled ? 0x1p21 : 1;
    float most = FLT_MAX;
    LANES /* as coordinate of sem/texture.c */
    {
        float c = coord[i];
        c = c != c || (repeats && __builtin_fabsf(c) > most) ? 0 : c;
        double x = (double)c * unit;
        where[i] = (scaled ? __builtin_floor(x) : x) * scale;
    }
    if (!f->is_linear) {
        LANES
        {
            double x = where[i];
            x = x > -0x1p40 ? x : -0x1p40;
            x = x < 0x1p40 ? x : 0x1p40;
            first[i] = __builtin_floor(x);
            a->weight[i] = 0;
        }
        indices(first, size, wrap, 0, a->at[0]);
        return;
    }
    bool clamps = wrap == SW_WRAP_CLAMP;
    double last = size ? (size - 1.0) * 256 : 0;
    LANES
    {
        double x = where[i] - 0.5;
        x = x > -0x1p40 ? x : -0x1p40;
        x = x < 0x1p40 ? x : 0x1p40;
        double fixed = __builtin_floor(x * 256 + 0.5);
        first[i] = __builtin_floor(fixed * 0x1p-8);
        bool outside = clamps & ((fixed < 0) | (fixed > last));
        double weight = outside ? 0 : fixed - first[i] * 256;
        a->weight[i] = (uint32_t)(int32_t)weight;
    }
    indices(first, size, wrap, 0, a->at[0]);
    indices(first, size, wrap, 1, a->at[1]);
}

/* As fetch_texel there. */
static void
place_int(fetch *f, axis *a, const int32_t *coord, uint32_t size)
{
    int32_t last = size ? (int32_t)(size - 1) : 0;
    f->may_leave = true;
    LANES
    {
        int32_t x = coord[i], in = x < 0 ? 0 : x > last ? last : x;
        a->at[0][i] = x != in ? -1 : in;
    }
}

/* Coordinates, in `room` unless all lanes take part. */
static const uint32_t *
coordinates(const fetch *f, const uint32_t *from, uint32_t *restrict room)
{
    uint32_t mask = f->l->mask, other = from[__builtin_ctz(mask)];
    if (mask == UINT32_MAX)
        return from;
    LANES room[i] = mask >> i & 1 ? from[i] : other;
    return room;
}

static void
place(fetch *f)
{
    const sw_texture_level *l = &f->t->level[0];
    const sw_tex_lanes *lanes = f->l;
    uint32_t size[3] = {l->width, l->height, l->depth}, bits[32];
    float coord[32];
    unsigned n = lanes->geom == SW_GEOM_1D || lanes->geom == SW_GEOM_A1D ? 1
                 : lanes->geom == SW_GEOM_3D                             ? 3
                                                                         : 2;
    f->axes = n;
    for (unsigned k = 0; k < n; k++) {
        const uint32_t *c = coordinates(f, lanes->coord[k], bits);
        if (lanes->is_int) {
            place_int(f, &f->axis[k], (const int32_t *)c, size[k]);
        } else {
            LANES coord[i] = sem_f32_bits(c[i]);
            place_float(f, &f->axis[k], coord, size[k], f->s->wrap[k]);
        }
    }
    if (lanes->geom == SW_GEOM_1D && f->is_linear) { /* see make_footprint */
        LANES coord[i] = 0;
        place_float(f, &f->axis[1], coord, 1, f->s->wrap[1]);
        f->axes = 2;
    }
    if (lanes->layer) {
        int32_t last = f->t->layers ? (int32_t)f->t->layers - 1 : 0;
        const uint32_t *layer = coordinates(f, lanes->layer, bits);
        LANES
        {
            int32_t x = (int32_t)layer[i];
            f->slice[i] = x < 0 ? 0 : x < last ? x : last;
        }
    }
}

/* ---- texels ---- */

/* Texels of four words; four lanes' words k side by side. */
static UNCHECKED void
load_four(const char *base, const int32_t *at, uint32_t *const word[4], int i)
{
    quad a = *(const quad *)(const void *)(base + at[i]);
    quad b = *(const quad *)(const void *)(base + at[i + 1]);
    quad c = *(const quad *)(const void *)(base + at[i + 2]);
    quad d = *(const quad *)(const void *)(base + at[i + 3]);
    quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    *(quad *)&word[0][i] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(quad *)&word[1][i] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(quad *)&word[2][i] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(quad *)&word[3][i] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/* 16 neighbouring texels, those of lanes `i` to i + 15. */
static UNCHECKED void
load_row(const fetch *f, const void *from, uint32_t *const word[4], int i)
{
    const words *at = from;
    switch (f->texel) {
    case 1:
        for (int j = 0; j < 16; j++)
            word[0][i + j] = ((const word8 *)from)[j];
        return;
    case 2:
        for (int j = 0; j < 16; j++)
            word[0][i + j] = ((const word16 *)from)[j];
        return;
    case 4:
        for (int j = 0; j < 16; j++)
            word[0][i + j] = ((const word32 *)from)[j];
        return;
    case 8:
        for (int j = 0; j < 16; j += WORDS, at += 2) {
            *(words *)&word[0][i + j] = EVEN(at[0], at[1]);
            *(words *)&word[1][i + j] = ODD(at[0], at[1]);
        }
        return;
    default:
        for (int j = 0; j < 16; j += WORDS, at += 4) {
            words xz0 = EVEN(at[0], at[1]), xz1 = EVEN(at[2], at[3]);
            words yw0 = ODD(at[0], at[1]), yw1 = ODD(at[2], at[3]);
            *(words *)&word[0][i + j] = EVEN(xz0, xz1);
            *(words *)&word[1][i + j] = EVEN(yw0, yw1);
            *(words *)&word[2][i + j] = ODD(xz0, xz1);
            *(words *)&word[3][i + j] = ODD(yw0, yw1);
        }
    }
}

/* Lanes `i` to i + 15, each at base + at[lane]. */
static UNCHECKED void
load_each(const fetch *f, const char *base, const int32_t *at,
          uint32_t *const word[4], int i)
{
    int end = i + 16;
    switch (f->texel) {
    case 1:
        for (; i < end; i++)
            word[0][i] = *(const word8 *)(base + at[i]);
        return;
    case 2:
        for (; i < end; i++)
            word[0][i] = *(const word16 *)(const void *)(base + at[i]);
        return;
    case 4:
        for (; i < end; i++)
            word[0][i] = *(const word32 *)(const void *)(base + at[i]);
        return;
    case 8:
        for (; i < end; i++) {
            const word32 *p = (const void *)(base + at[i]);
            word[0][i] = p[0];
            word[1][i] = p[1];
        }
        return;
    default:
        for (; i < end; i += 4)
            load_four(base, at, word, i);
    }
}

static void
load_words(const fetch *f, const int32_t *at, uint32_t *const word[4])
{
    const char *base = (const char *)(uintptr_t)f->t->level[0].address;
    int32_t texel = (int32_t)f->texel, gap[32];
    for (int i = 1; i < 32; i++)
        gap[i] = (at[i] - texel) ^ at[i - 1];
    for (int half = 0; half < 32; half += 16) {
        int32_t apart = 0;
        gap[half] = 0;
        for (int i = 0; i < 16; i++)
            apart |= gap[half + i];
        if (apart)
            load_each(f, base, at, word, half);
        else
            load_row(f, base + at[half], word, half);
    }
}

/* Adds what places along one axis, `step` bytes apart, add to the lanes'
 * offsets; the border is as the first texel. */
static void
add_places(int32_t *restrict at, const int32_t *place, uint64_t step)
{
    int32_t bytes = (int32_t)step;
    LANES at[i] += (place[i] < 0 ? 0 : place[i]) * bytes;
}

/* For the observer: those of the lanes that read a texel there. */
static void
log_corner(const fetch *f, const int32_t offset[32], const int32_t *x,
           const int32_t *y, const int32_t *z, const uint32_t *there)
{
    uint32_t reads = f->l->mask;
    uint64_t at[32];
    LANES at[i] = f->t->level[0].address + (uint64_t)offset[i];
    for (unsigned i = 0; i < 32; i++)
        if (x[i] < 0 || (y && y[i] < 0) || (z && z[i] < 0) ||
            (there && !there[i]))
            reads &= ~(UINT32_C(1) << i);
    sw_interp_log_texels(f->l->log, reads, at, f->texel);
}

/* One texel of each lane's footprint; there: NULL, or 0 where it has none.
 * False: not all of them are known to be accessible. */
static bool
load_corner(fetch *f, const unsigned second[3], const uint32_t *there)
{
    const sw_texture_level *l = &f->t->level[0];
    const int32_t *x = f->axis[0].at[second[0]];
    const int32_t *y = f->axes > 1 ? f->axis[1].at[second[1]] : NULL;
    const int32_t *z = f->axes > 2 ? f->axis[2].at[second[2]] : NULL;
    int32_t at[32] = {0}, least = INT32_MAX, most = 0;
    uint32_t bits = f->t->bits[0], packed[4][32];
    uint32_t *const word[4] = {packed[0], packed[1], packed[2], packed[3]};
    add_places(at, x, f->texel);
    if (y)
        add_places(at, y, l->pitch);
    if (z || f->l->layer)
        add_places(at, z ? z : f->slice, l->slice);
    LANES
    {
        least = at[i] < least ? at[i] : least;
        most = at[i] > most ? at[i] : most;
    }
    if (!f->l->holds(f->l->arg, l->address + (uint64_t)least,
                     l->address + (uint64_t)most + f->texel - 1))
        return false;
    if (f->l->log)
        log_corner(f, at, x, y, z, there);
    load_words(f, at, bits == 32 ? f->value : word);
    for (unsigned k = 0; bits < 32 && k < f->channels; k++)
        convert(f, bits, word[k * bits / 32], k * bits % 32, f->value[k]);
    for (unsigned k = f->channels; k < 4; k++)
        LANES f->value[k][i] = 0;
    if (!f->may_leave)
        return true;
    for (int i = 0; i < 32; i++)
        if (x[i] < 0 || (y && y[i] < 0) || (z && z[i] < 0))
            for (unsigned k = 0; k < 4; k++)
                f->value[k][i] = f->outside[k];
    return true;
}

/* What channels are where no texel is, as `value` has them. */
static void
open_outside(fetch *f)
{
    uint32_t v[4] = {0};
    bool is_fixed = f->is_linear && f->is_norm;
    if (!f->may_leave)
        return;
    if (!f->l->is_int)
        sw_sem_border_texel(f->t, f->s, v);
    for (unsigned k = 0; k < 4; k++)
        f->outside[k] = is_fixed ? (uint32_t)(int32_t)__builtin_rint(
                                       (double)sem_f32_bits(v[k]) * 65535)
                                 : v[k];
}

/* ---- filtering ---- */

/* The weights of a corner, of 256, as weight_of of sem/texture.c makes them,
 * and all ones where it is there: false if it nowhere is. */
static bool
weigh(const fetch *f, const unsigned second[3], uint32_t *restrict weight,
      uint32_t *restrict there)
{
    uint32_t any = 0, half = second[0] ? 128 : 127;
    const uint32_t *x = f->axis[0].weight, *y = f->axis[1].weight;
    LANES weight[i] = 256;
    if (f->axes > 2) {
        const uint32_t *z = f->axis[2].weight;
        LANES weight[i] = second[2] ? z[i] : 256 - z[i];
    }
    LANES
    {
        uint32_t part = (weight[i] * x[i] + 128) >> 8;
        weight[i] = second[0] ? part : weight[i] - part;
    }
    if (f->axes > 1) {
        LANES
        {
            uint32_t part = (weight[i] * y[i] + half) >> 8;
            weight[i] = second[1] ? part : weight[i] - part;
        }
    }
    LANES there[i] = UINT32_MAX;
    for (unsigned k = 0; k < f->axes; k++) {
        const uint32_t *w = f->axis[k].weight;
        if (second[k])
            LANES there[i] &= w[i] ? UINT32_MAX : 0;
    }
    LANES any |= there[i];
    return any != 0;
}

static bool
next_corner(fetch *f, unsigned c, uint32_t *restrict weight,
            uint32_t *restrict there, bool *skip)
{
    unsigned second[3] = {c & 1, c >> 1 & 1, c >> 2 & 1};
    *skip = !weigh(f, second, weight, there);
    return *skip || load_corner(f, second, there);
}

/* Normalised formats; in 16-bit fixed point, to nearest, ties away from 0. */
static bool
filter_fixed(fetch *f, unsigned channels)
{
    uint32_t sum[4][32] = {{0}}, weight[32], there[32];
    bool skip;
    for (unsigned c = 0; c < 1u << f->axes; c++) {
        if (!next_corner(f, c, weight, there, &skip))
            return false;
        for (unsigned k = 0; !skip && k < channels; k++)
            LANES sum[k][i] += weight[i] * f->value[k][i];
    }
    for (unsigned k = 0; k < channels; k++)
        LANES f->value[k][i] =
            sem_bits_f32((float)(int32_t)((sum[k][i] + 128) >> 8) / 65535.0f);
    return true;
}

/* The largest exponent field of those that have weight. */
static void
largest_of(uint32_t value[][32], uint32_t weight[][32], unsigned corners,
           uint32_t *restrict largest)
{
    LANES largest[i] = 0;
    for (unsigned c = 0; c < corners; c++)
        LANES
        {
            uint32_t e = weight[c][i] ? value[c][i] & 0x7f800000 : 0;
            largest[i] = e > largest[i] ? e : largest[i];
        }
}

/* One channel of f32: see add_slice of sem/texture.c. */
static void
sum_slice(uint32_t value[][32], uint32_t weight[][32], uint32_t there[][32],
          unsigned corners, double *restrict slice)
{
    uint32_t largest[32];
    double unit[32];
    largest_of(value, weight, corners, largest);
    LANES
    {
        unit[i] = sem_texture_unit(largest[i], false);
        slice[i] = -0.0;
    }
    for (unsigned c = 0; c < corners; c++)
        LANES
        {
            bool finite = (value[c][i] & 0x7f800000) != 0x7f800000;
            uint32_t weigh = weight[c][i];
            double w = (double)(int32_t)((weigh | finite) ? weigh : 1);
            double x = sem_texture_float(value[c][i]) * unit[i];
            x = __builtin_trunc(x);
            x = w * x + (x == 0 ? -0.0 : 0);
            slice[i] += there[c][i] ? x : -0.0;
        }
    LANES slice[i] /= unit[i];
}

/* One channel: see sum_slices there; one slice has no digits to lose. */
static void
sum_corners(uint32_t value[][32], uint32_t weight[][32], uint32_t there[][32],
            unsigned corners, double *restrict sum)
{
    uint32_t largest[32];
    double second[32];
    sum_slice(value, weight, there, corners < 4 ? corners : 4, sum);
    if (corners <= 4)
        return;
    sum_slice(value + 4, weight + 4, there + 4, corners - 4, second);
    largest_of(value, weight, corners, largest);
    LANES
    {
        double grid = sem_texture_grid(largest[i], false);
        double a = __builtin_floor(sum[i] * grid);
        sum[i] = (a + __builtin_floor(second[i] * grid)) / grid;
    }
}

/* f32: see filter_round there. */
static bool
filter_float(fetch *f, unsigned channels)
{
    uint32_t value[4][8][32], weight[8][32], there[8][32];
    unsigned corners = 1u << f->axes;
    bool skip;
    for (unsigned c = 0; c < corners; c++) {
        if (!next_corner(f, c, weight[c], there[c], &skip))
            return false;
        for (unsigned k = 0; k < channels; k++)
            LANES value[k][c][i] = f->value[k][i];
    }
    for (unsigned k = 0; k < channels; k++) {
        double sum[32];
        sum_corners(value[k], weight, there, corners, sum);
        LANES
        {
            double x = sum[i] * 0x1p-8;
            float r = (float)x;
            double lost = x - (double)r, next = (double)r + 2 * lost;
            bool tie = (lost != 0) & ((double)(float)next == next) &
                       (__builtin_fabs(next) > __builtin_fabs((double)r));
            f->value[k][i] = sem_bits_f32(sem_canon_f32(tie ? (float)next : r));
        }
    }
    return true;
}

/* ---- the fetch ---- */

/* Offsets of texels have 31 bits. */
static bool
is_small(const fetch *f)
{
    const sw_texture_level *l = &f->t->level[0];
    uint64_t slices = l->depth > f->t->layers ? l->depth : f->t->layers;
    uint64_t most = INT32_MAX;
    return l->width <= most && l->height <= most && slices <= most &&
           l->pitch <= most && l->slice <= most &&
           l->width * (uint64_t)f->texel + l->height * l->pitch +
                   slices * l->slice <=
               most;
}

static bool
is_common(const sw_tex_lanes *l)
{
    const sw_texture *t = l->t;
    bool is_layered = l->geom == SW_GEOM_A1D || l->geom == SW_GEOM_A2D;
    bool is_flat =
        l->geom == SW_GEOM_1D || l->geom == SW_GEOM_2D || l->geom == SW_GEOM_3D;
    return l->mask && (is_flat || is_layered) && is_layered == !!l->layer &&
           t->geom == l->geom && t->level_count == 1 &&
           (!l->is_int || t->linear || l->geom != SW_GEOM_1D);
}

/* Into `value`. */
static bool
filter(fetch *f)
{
    unsigned channels = f->may_leave ? 4 : f->channels;
    bool done =
        f->is_norm ? filter_fixed(f, channels) : filter_float(f, channels);
    for (unsigned k = channels; k < 4; k++)
        LANES f->value[k][i] = 0;
    return done;
}

static void
put(const fetch *f, uint32_t *const out[4])
{
    uint32_t mask = f->l->mask;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t *to = out[k];
        const uint32_t *from = f->value[k];
        if (!to || to == from)
            continue;
        if (mask == UINT32_MAX) {
            LANES to[i] = from[i];
        } else {
            LANES to[i] = mask >> i & 1 ? from[i] : to[i];
        }
    }
}

bool
SW_LANE_TEX(SW_VARIANT)(const sw_tex_lanes *l, uint32_t *const out[4])
{
    static const unsigned first[3] = {0, 0, 0};
    fetch f;
    f.l = l;
    f.t = l->t;
    f.s = l->sampler ? l->sampler : &l->t->sampler;
    f.channels = 0;
    f.may_leave = false;
    if (!is_common(l) || !open_format(&f) || !is_small(&f))
        return false;
    for (unsigned k = 0; k < 4; k++)
        f.value[k] = !f.is_linear && l->mask == UINT32_MAX && out[k]
                         ? out[k]
                         : f.room[k];
    place(&f);
    open_outside(&f);
    if (!(f.is_linear ? filter(&f) : load_corner(&f, first, NULL)))
        return false;
    put(&f, out);
    return true;
}
