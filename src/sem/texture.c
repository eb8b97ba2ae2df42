/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture.c - see texture.h. From coordinates to a footprint of up to eight
 * texels with weights, for each of up to two levels; then their sum.
 */
#include "sem/texture.h"

#include "sem/sem.h"

/* ---- texels ---- */

static unsigned
channel_count(const sw_texture *t)
{
    unsigned n = 0;
    while (n < 4 && t->bits[n])
        n++;
    return n;
}

unsigned
sw_sem_texel_bytes(const sw_texture *t)
{
    return channel_count(t) * t->bits[0] / 8;
}

uint64_t
sw_sem_texel_address(const sw_texture *t, unsigned level, uint32_t x,
                     uint32_t y, uint32_t z)
{
    const sw_texture_level *l = &t->level[level];
    return l->address + (uint64_t)x * sw_sem_texel_bytes(t) + y * l->pitch +
           z * l->slice;
}

static bool
reads_float(const sw_texture *t)
{
    return t->channel == SW_CHANNEL_FLOAT || (t->to_float && t->bits[0] < 32);
}

static float
decode_srgb(unsigned value)
{
    static const uint16_t upper[256] = {
#include "sem/srgb.def"
    };
    return sem_f32_bits((uint32_t)upper[value] << 16);
}

static float
encode_srgb(float c)
{
    return c <= 0.0031308f ? c * 12.92f : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
}

static bool
is_srgb(const sw_texture *t, unsigned i)
{
    return t->srgb && t->bits[0] == 8 && i < 3;
}

/* exact: the lowest signed number is less than -1. */
static uint32_t
channel_value(const sw_texture *t, unsigned i, uint32_t raw, bool exact)
{
    unsigned bits = t->bits[0];
    int32_t s = (int32_t)(raw << (32 - bits)) >> (32 - bits);
    if (t->channel == SW_CHANNEL_FLOAT)
        return bits == 16 ? sem_texture_half((uint16_t)raw) : raw;
    if (!reads_float(t))
        return t->channel == SW_CHANNEL_SINT ? (uint32_t)s : raw;
    float x;
    if (t->channel == SW_CHANNEL_SINT) {
        x = (float)s / (float)((1 << (bits - 1)) - 1);
        x = x < -1 && !exact ? -1 : x;
    } else {
        x = is_srgb(t, i) ? decode_srgb(raw & 255)
                          : (float)raw / (float)((1 << bits) - 1);
    }
    return sem_bits_f32(x);
}

static void
unpack(const sw_texture *t, const uint8_t *bytes, bool exact, uint32_t out[4])
{
    unsigned n = channel_count(t), size = t->bits[0] / 8;
    out[0] = out[1] = out[2] = out[3] = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t raw = 0;
        for (unsigned k = 0; k < size; k++)
            raw |= (uint32_t)bytes[i * size + k] << (8 * k);
        out[i] = channel_value(t, i, raw, exact);
    }
}

void
sw_sem_texel_unpack(const sw_texture *t, const uint8_t *bytes, uint32_t out[4])
{
    unpack(t, bytes, false, out);
}

/* The bits to store for one channel. */
static uint32_t
channel_bits(const sw_texture *t, unsigned i, uint32_t v, bool is_float)
{
    unsigned bits = t->bits[0];
    bool sign = t->channel == SW_CHANNEL_SINT;
    int64_t max = (INT64_C(1) << (sign ? bits - 1 : bits)) - 1;
    if (t->channel == SW_CHANNEL_FLOAT)
        return bits == 16 ? sem_f16_of_f32(sem_f32_bits(v)) : v;
    if (is_float) {
        float x = sem_f32_bits(v);
        if (reads_float(t)) { /* normalised */
            x = x >= -1 ? (x <= 1 ? x : 1) : x < -1 ? -1 : 0;
            x = !sign && x < 0 ? 0 : x;
            if (is_srgb(t, i))
                x = encode_srgb(x);
            x *= (float)max;
        }
        v = sign ? sem_cvt_s32_f32(x, SW_RND_RNI)
                 : sem_cvt_u32_f32(x, SW_RND_RNI);
    }
    int64_t n = sign ? (int64_t)(int32_t)v : (int64_t)v;
    int64_t min = sign ? -max - 1 : 0;
    return (uint32_t)(n < min ? min : n > max ? max : n);
}

void
sw_sem_texel_pack(const sw_texture *t, const uint32_t in[4], bool float_values,
                  uint8_t *bytes)
{
    unsigned n = channel_count(t), size = t->bits[0] / 8;
    for (unsigned i = 0; i < n; i++) {
        uint32_t raw = channel_bits(t, i, in[i], float_values);
        for (unsigned k = 0; k < size; k++)
            bytes[i * size + k] = (uint8_t)(raw >> (8 * k));
    }
}

/* ---- coordinates ---- */

/* Not a sw_wrap: texels outside are what they are, of another face. */
enum { WRAP_FOLDS = SW_WRAP_BORDER + 1 };

/* One axis of a footprint: one or two texels. -1: the border. */
typedef struct {
    int64_t at[2];
    unsigned weight; /* of at[1], of 256 */
} axis;

static int64_t
modulo(int64_t a, int64_t n)
{
    int64_t r = a % n;
    return r < 0 ? r + n : r;
}

int64_t
sw_sem_texture_index(int64_t i, uint32_t size, unsigned wrap)
{
    int64_t n = size ? size : 1, r;
    if (i >= 0 && i < n)
        return i;
    switch (wrap) {
    case SW_WRAP_WRAP:
        return modulo(i, n);
    case SW_WRAP_MIRROR:
        r = modulo(i, 2 * n);
        return r < n ? r : 2 * n - 1 - r;
    case SW_WRAP_BORDER:
        return -1;
    default:
        return i < 0 ? 0 : n - 1;
    }
}

/* x as fixed point with 8 bits of fraction; total. */
static int64_t
fixed8(double x)
{
    if (!(x > -0x1p40))
        return x != x ? 0 : -(INT64_C(1) << 48);
    return x < 0x1p40 ? (int64_t)__builtin_floor(x * 256 + 0.5)
                      : INT64_C(1) << 48;
}

/* A float coordinate in texels: a normalised one in fixed point with 21 bits
 * of fraction, rounded down, and where texels repeat what is left of it by two
 * periods; NaN, and infinity that wraps, are 0. */
static double
coordinate(const sw_sampler *s, double coord, uint32_t size, unsigned wrap)
{
    bool repeats = wrap == SW_WRAP_WRAP || wrap == SW_WRAP_MIRROR;
    double x = coord != coord ? 0 : coord;
    if (!s->normalized)
        return x;
    if (repeats && fabs(x) > FLT_MAX)
        return 0;
    x = __builtin_floor(x * 0x1p21);
    if (repeats)
        x -= 0x1p22 * __builtin_floor(x * 0x1p-22);
    return x * 0x1p-21 * size;
}

static axis
make_axis(const sw_sampler *s, double coord, uint32_t size, unsigned wrap,
          bool linear)
{
    axis a = {{0, 0}, 0};
    double x = coordinate(s, coord, size, wrap);
    if (!s->normalized && (wrap == SW_WRAP_WRAP || wrap == SW_WRAP_MIRROR))
        wrap = SW_WRAP_CLAMP;
    int64_t i;
    if (linear) {
        int64_t f = fixed8(x - 0.5), last = ((int64_t)size - 1) * 256;
        i = f >> 8;
        a.weight = (unsigned)(f & 255);
        if (wrap == SW_WRAP_CLAMP && (f < 0 || f > last))
            a.weight = 0; /* both are the same texel */
    } else {
        x = x > -0x1p40 ? (x < 0x1p40 ? x : 0x1p40) : -0x1p40;
        i = (int64_t)__builtin_floor(x);
    }
    bool folds = wrap == WRAP_FOLDS;
    a.at[0] = folds ? i : sw_sem_texture_index(i, size, wrap);
    a.at[1] = folds ? i + 1 : sw_sem_texture_index(i + 1, size, wrap);
    return a;
}

/* The face (+x, -x, +y, -y, +z, -z) that a direction meets, and where, from 0
 * to 1. A device multiplies with the approximate reciprocal. */
static unsigned
cube_face(const float d[3], double *s, double *t)
{
    float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]), m, u, v;
    unsigned face;
    if (az >= ax && az >= ay) {
        face = d[2] < 0 ? 5 : 4;
        m = az;
        u = d[2] < 0 ? -d[0] : d[0];
        v = -d[1];
    } else if (ay >= ax) {
        face = d[1] < 0 ? 3 : 2;
        m = ay;
        u = d[0];
        v = d[1] < 0 ? -d[2] : d[2];
    } else {
        face = d[0] < 0 ? 1 : 0;
        m = ax;
        u = d[0] < 0 ? d[2] : -d[2];
        v = -d[1];
    }
    float scale = sem_sfu_rcp_f32(m);
    *s = m > 0 ? ((double)(u * scale) + 1) / 2 : 0.5;
    *t = m > 0 ? ((double)(v * scale) + 1) / 2 : 0.5;
    return face;
}

/* Texel (x, y) of a face, just outside along one axis, is one of the face
 * beside it, which is returned: its middle, in halves of texels from the middle
 * of the cube, is as far below the edge as it seemed beyond. */
static unsigned
cube_fold(unsigned face, int64_t size, int64_t *x, int64_t *y)
{
    int64_t u = 2 * *x + 1 - size, v = 2 * *y + 1 - size, m = size;
    if (u > size || u < -size) {
        u = u < 0 ? -size : size;
        m = size - 1;
    } else if (v > size || v < -size) {
        v = v < 0 ? -size : size;
        m = size - 1;
    }
    m = face & 1 ? -m : m;
    int64_t a = face & 1 ? -u : u, b = face & 1 ? -v : v;
    int64_t d[3] = {face < 2   ? m
                    : face < 4 ? u
                               : a,
                    face < 2 || face > 3 ? -v : m,
                    face < 2   ? -a
                    : face < 4 ? b
                               : m};
    unsigned to;
    if (d[0] == size || d[0] == -size) {
        to = d[0] < 0;
        u = to ? d[2] : -d[2];
        v = -d[1];
    } else if (d[1] == size || d[1] == -size) {
        to = 2 + (d[1] < 0);
        u = d[0];
        v = to == 3 ? -d[2] : d[2];
    } else {
        to = 4 + (d[2] < 0);
        u = to == 5 ? -d[0] : d[0];
        v = -d[1];
    }
    *x = (u + size - 1) / 2;
    *y = (v + size - 1) / 2;
    return to;
}

/* ---- fetches ---- */

typedef struct {
    const sw_texture *t;
    const sw_sampler *s;
    sw_texel_read read;
    void *context;
} source;

/* A border's channel of a normalised format: to nearest, ties to zero. */
static float
border_norm(const sw_texture *t, float b)
{
    bool sign = t->channel == SW_CHANNEL_SINT;
    double max = (double)((1u << (t->bits[0] - sign)) - 1);
    double x = (double)b;
    x = x > (sign ? -1 : 0) ? (x < 1 ? x : 1) : sign && x < 0 ? -1 : 0;
    double n = __builtin_ceil(fabs(x) * max - 0.5);
    n = n > 0 ? n : 0; /* no -0 */
    return (float)((x < 0 ? 0 - n : n) / max);
}

/* The border is a texel: rounded to what the format can hold. Integer formats
 * have the low bits of the float. */
void
sw_sem_border_texel(const sw_texture *t, const sw_sampler *sampler,
                    uint32_t out[4])
{
    unsigned n = channel_count(t);
    for (unsigned i = 0; i < 4; i++) {
        float b = sampler->border[i];
        if (i >= n)
            out[i] = 0;
        else if (!reads_float(t))
            out[i] = channel_value(
                t, i,
                sem_bits_f32(b) &
                    (t->bits[0] == 32 ? UINT32_MAX : (1u << t->bits[0]) - 1),
                false);
        else if (t->channel != SW_CHANNEL_FLOAT)
            out[i] = is_srgb(t, i)
                         ? channel_value(
                               t, i, channel_bits(t, i, sem_bits_f32(b), true),
                               false)
                         : sem_bits_f32(border_norm(t, b));
        else if (t->bits[0] == 16)
            out[i] = sem_bits_f32(sem_f32_of_f16(sem_f16_of_f32(b)));
        else
            out[i] = sem_bits_f32(b);
    }
}

static void
texel(const source *src, unsigned level, int64_t x, int64_t y, int64_t z,
      bool exact, uint32_t out[4])
{
    uint8_t bytes[16] = {0};
    if (x < 0 || y < 0 || z < 0) {
        sw_sem_border_texel(src->t, src->s, out);
        return;
    }
    uint64_t address = sw_sem_texel_address(src->t, level, (uint32_t)x,
                                            (uint32_t)y, (uint32_t)z);
    unsigned n = sw_sem_texel_bytes(src->t);
    if (!src->read(src->context, address, bytes, n))
        memset(bytes, 0, sizeof bytes);
    unpack(src->t, bytes, exact, out);
}

/* The footprint of float coordinates in one level: axes of texels, and the
 * slice where no third axis chooses it. */
typedef struct {
    axis x, y, z;
    int64_t slice;
    bool has_z;
    int64_t folds; /* texels of a face's edge, if those outside are of others */
} footprint;

static uint32_t
clamped_layer(const sw_texture *t, uint32_t layer)
{
    uint32_t last = t->layers ? t->layers - 1 : 0;
    return layer < last ? layer : last;
}

static footprint
make_footprint(const source *src, sw_geom geom, const sw_tex_coord *at,
               unsigned level, bool linear)
{
    const sw_texture_level *l = &src->t->level[level];
    const sw_sampler *s = src->s;
    sw_sampler face_sampler = *s;
    footprint f = {.slice = 0};
    double x = (double)at->f[0], y = (double)at->f[1];
    uint32_t layer = clamped_layer(src->t, at->layer);
    unsigned wrap_x = s->wrap[0], wrap_y = s->wrap[1];
    if (geom == SW_GEOM_CUBE || geom == SW_GEOM_ACUBE) {
        f.slice = cube_face(at->f, &x, &y);
        f.slice += geom == SW_GEOM_ACUBE ? 6 * (int64_t)layer : 0;
        face_sampler.normalized = true;
        s = &face_sampler;
        if (s->seamless) {
            f.folds = linear ? l->width : 0;
            wrap_x = wrap_y = linear ? WRAP_FOLDS : SW_WRAP_CLAMP;
        }
    } else if (geom == SW_GEOM_A1D || geom == SW_GEOM_A2D) {
        f.slice = layer;
    }
    f.x = make_axis(s, x, l->width, wrap_x, linear);
    if (geom == SW_GEOM_1D && linear) /* a row of a 2d texture, at its edge */
        f.y = make_axis(s, 0, 1, wrap_y, true);
    else if (geom != SW_GEOM_1D && geom != SW_GEOM_A1D)
        f.y = make_axis(s, y, l->height, wrap_y, linear);
    if (geom == SW_GEOM_3D) {
        f.z = make_axis(s, (double)at->f[2], l->depth, s->wrap[2], linear);
        f.has_z = true;
    }
    return f;
}

/* The weight of a corner (bit 0: the second texel along x, bit 1: y, bit 2:
 * z); x, y, z: the weights of 256 of the second texels along each axis, 0
 * where there is none. `all` is divided among the texels along z, then x, then
 * y, each time rounded to whole numbers; ties go to the first along z, to the
 * second along x, and along y to the second of the second column and to the
 * first of the first. */
static uint32_t
weight_of(uint32_t all, uint32_t x, uint32_t y, uint32_t z, unsigned corner)
{
    uint32_t part = (all * z + 127) >> 8, w = corner & 4 ? part : all - part;
    part = (w * x + 128) >> 8;
    w = corner & 1 ? part : w - part;
    part = (w * y + (corner & 1 ? 128 : 127)) >> 8;
    return corner & 2 ? part : w - part;
}

static bool
is_outside(const footprint *f, const axis *a, unsigned i)
{
    return f->folds && (a->at[i] < 0 || a->at[i] >= f->folds);
}

/* Where three faces meet there is no fourth texel: what corner c has of its
 * weight. Both beside it get a third, to nearest, and that across what is
 * left. */
static uint32_t
share_of_missing(const footprint *f, unsigned all, unsigned c)
{
    for (unsigned none = 0; none < 4; none++) {
        if (!is_outside(f, &f->x, none & 1) || !is_outside(f, &f->y, none >> 1))
            continue;
        uint32_t w = weight_of(all, f->x.weight, f->y.weight, 0, none);
        uint32_t third = (w + 1) / 3;
        return c == (none ^ 3) ? w - 2 * third : third;
    }
    return 0;
}

/* Texel (i, j, k) of the footprint. */
static void
footprint_texel(const source *src, unsigned level, const footprint *f,
                unsigned i, unsigned j, unsigned k, bool exact, uint32_t out[4])
{
    int64_t x = f->x.at[i], y = f->y.at[j];
    int64_t z = f->has_z ? f->z.at[k] : f->slice;
    if (is_outside(f, &f->x, i) || is_outside(f, &f->y, j)) {
        unsigned face = (unsigned)(z % 6);
        z += (int64_t)cube_fold(face, f->folds, &x, &y) - face;
    }
    texel(src, level, x, y, z, exact, out);
}

/* Corner c of the footprint: bit 0 the second along x, bits 1 and 2 along y
 * and z. Its weight is of `all`; that of one that is there may be rounded to
 * 0. False: it is not. exact: as unpack has it. */
static bool
corner(const source *src, unsigned level, const footprint *f, unsigned all,
       unsigned c, bool exact, uint32_t *weight, uint32_t out[4])
{
    unsigned i = c & 1, j = c >> 1 & 1, k = c >> 2;
    if ((i && !f->x.weight) || (j && !f->y.weight) || (k && !f->z.weight))
        return false;
    if (is_outside(f, &f->x, i) && is_outside(f, &f->y, j))
        return false;
    *weight = weight_of(all, f->x.weight, f->y.weight, f->z.weight, c);
    if (f->folds)
        *weight += share_of_missing(f, all, c);
    footprint_texel(src, level, f, i, j, k, exact, out);
    return true;
}

/* How a channel is filtered: numbers of 16 bits in fixed point, signed bytes,
 * sRGB, f16, f32. */
typedef enum {
    FILTER_UNSIGNED,
    FILTER_SIGNED,
    FILTER_SIGNED8,
    FILTER_SRGB,
    FILTER_HALF,
    FILTER_FLOAT
} filter_kind;

static filter_kind
filter_of(const sw_texture *t, unsigned i)
{
    if (t->channel == SW_CHANNEL_FLOAT)
        return t->bits[0] == 16 ? FILTER_HALF : FILTER_FLOAT;
    if (t->channel == SW_CHANNEL_SINT)
        return t->bits[0] == 8 ? FILTER_SIGNED8 : FILTER_SIGNED;
    return is_srgb(t, i) ? FILTER_SRGB : FILTER_UNSIGNED;
}

/* What 1 is in fixed point (bytes without sign become 16 bits by repetition);
 * 0: floating point. */
static double
fixed_scale(filter_kind kind)
{
    return kind == FILTER_UNSIGNED  ? 65535
           : kind == FILTER_SIGNED  ? 32767
           : kind == FILTER_SIGNED8 ? 127
                                    : 0;
}

/* The sum, 256 times what it is, in the precision that results have: 16 bits,
 * ties upwards; of signed bytes the sum itself, and what it lacks to 16 bits
 * from its digits above the fourth (which reproduces all of 53,241 sums that an
 * H200 was seen to make); sRGB and f16 as f16, f32, ties away from zero. */
static float
filter_round(filter_kind kind, double sum)
{
    int32_t fixed = (int32_t)(kind <= FILTER_SIGNED8 ? sum : 0);
    switch (kind) {
    case FILTER_UNSIGNED:
        return (float)((fixed + 128) >> 8) / 65535;
    case FILTER_SIGNED:
        fixed = (fixed + 128) >> 8;
        return fixed < -32767 ? -1 : (float)fixed / 32767;
    case FILTER_SIGNED8:
        fixed += ((fixed >> 4) * 257 + 1024) >> 11;
        return fixed < -32767 ? -1 : (float)fixed / 32767;
    case FILTER_SRGB:
    case FILTER_HALF:
        return sem_f32_of_f16(
            (uint16_t)sem_narrow(SEM_FMT_F16, sum * 0x1p-8, SW_RND_RNA));
    default:
        break;
    }
    sum *= 0x1p-8;
    float r = (float)sum;
    double lost = sum - (double)r, next = (double)r + 2 * lost;
    bool tie = lost != 0 && (double)(float)next == next;
    return tie && fabs(next) > fabs((double)r) ? (float)next : r;
}

/* Which of eight powers of two, from 1 down, an sRGB texel has: values from 248
 * on, 184, 136, ... share one, though the last of each reach the next binade,
 * so the table of the unit is made. */
static unsigned
srgb_exponent(float texel)
{
    static const uint8_t from[] = {248, 184, 136, 96, 64, 48, 32, 0};
    unsigned i = 0;
    while (texel < decode_srgb(from[i]))
        i++;
    return i;
}

/* What one channel adds up to, 256 times: in fixed point, or by slices of up to
 * four texels; and the largest magnitude of a texel that has weight. */
typedef struct {
    double fixed, slice[4];
    unsigned slices;
    uint32_t largest;
} channel_sum;

/* Of four texels: those that are floats are cut, towards zero, at a digit that
 * depends on the largest of those that have weight. One whose weight is rounded
 * to 0 is +0, a texel of -0 is itself, and infinity and NaN count whole. there:
 * a bit for each. */
static void
add_slice(filter_kind kind, const uint32_t v[4], const uint32_t weight[4],
          unsigned there, channel_sum *sum)
{
    uint32_t largest = 0;
    for (unsigned c = 0; c < 4; c++) {
        uint32_t e = weight[c] ? v[c] & 0x7fffffff : 0;
        largest = e > largest ? e : largest;
    }
    double unit =
        kind == FILTER_SRGB
            ? (double)(128u << srgb_exponent(sem_f32_bits(largest)))
            : sem_texture_unit(largest & 0x7f800000, kind == FILTER_HALF);
    double slice = -0.0;
    for (unsigned c = 0; c < 4; c++) {
        bool finite = (v[c] & 0x7f800000) != 0x7f800000;
        double w = weight[c] || finite ? weight[c] : 1;
        double x = __builtin_trunc(sem_texture_float(v[c]) * unit);
        if (there >> c & 1)
            slice += w * x + (x == 0 ? -0.0 : 0);
    }
    sum->slice[sum->slices++] = slice / unit;
    sum->largest = largest > sum->largest ? largest : sum->largest;
}

/* sRGB: its exponents are those of -0 to -7 in f32. */
static double
sum_slices(filter_kind kind, const channel_sum *sum)
{
    double grid =
        kind == FILTER_SRGB
            ? (srgb_exponent(sem_f32_bits(sum->largest)) < 4 ? 0x1p10 : 0x1p14)
            : sem_texture_grid(sum->largest, kind == FILTER_HALF);
    double all = -0.0;
    for (unsigned i = 0; i < sum->slices; i++)
        all += __builtin_floor(sum->slice[i] * grid) / grid;
    return all;
}

/* Adds a level, with weight `all` of 256, to the channels' sums. */
static void
add_level(const source *src, sw_geom geom, const sw_tex_coord *at,
          unsigned level, unsigned all, channel_sum sum[4])
{
    bool linear = src->s->filter == SW_FILTER_LINEAR && reads_float(src->t);
    footprint f = make_footprint(src, geom, at, level, linear);
    uint32_t v[4][8] = {{0}}, weight[8] = {0}, texel_value[4];
    unsigned there = 0;
    for (unsigned c = 0; c < 8; c++) {
        if (!corner(src, level, &f, all, c, true, &weight[c], texel_value))
            continue;
        there |= 1u << c;
        for (int i = 0; i < 4; i++)
            v[i][c] = texel_value[i];
    }
    for (unsigned i = 0; i < 4; i++) {
        filter_kind kind = filter_of(src->t, i);
        double scale = fixed_scale(kind);
        for (unsigned c = 0; scale != 0 && c < 8; c++)
            sum[i].fixed +=
                weight[c] *
                __builtin_rint((double)sem_f32_bits(v[i][c]) * scale);
        for (unsigned c = 0; scale == 0 && c < 8; c += 4)
            add_slice(kind, v[i] + c, weight + c, there >> c, &sum[i]);
    }
}

/* Of `level` and, with a weight of 256, the next one. Integer formats cannot be
 * filtered: the nearest texel. */
static void
fetch_levels(const source *src, sw_geom geom, const sw_tex_coord *at,
             unsigned level, unsigned weight, uint32_t out[4])
{
    bool linear = src->s->filter == SW_FILTER_LINEAR && reads_float(src->t);
    channel_sum sum[4] = {{0}};
    uint32_t whole;
    if (!linear && !weight) {
        footprint f = make_footprint(src, geom, at, level, false);
        corner(src, level, &f, 256, 0, false, &whole, out);
        return;
    }
    add_level(src, geom, at, level, 256 - weight, sum);
    if (weight)
        add_level(src, geom, at, level + 1, weight, sum);
    for (unsigned i = 0; i < 4; i++) {
        filter_kind kind = filter_of(src->t, i);
        double all =
            fixed_scale(kind) != 0 ? sum[i].fixed : sum_slices(kind, &sum[i]);
        float r = filter_round(kind, all);
        uint32_t nan = kind == FILTER_HALF ? sem_texture_half(0x7fff)
                                           : sem_bits_f32(sem_nan_f32());
        out[i] = r == r ? sem_bits_f32(r) : nan;
    }
}

/* Integer coordinates name texels; outside, and of an array of one dimension,
 * a device gives zeros. */
static void
fetch_texel(const source *src, sw_geom geom, const sw_tex_coord *at,
            uint32_t out[4])
{
    const sw_texture *t = src->t;
    float lod = at->lod_mode == SW_TEX_LEVEL ? at->lod : 0;
    unsigned last = t->level_count ? t->level_count - 1u : 0;
    unsigned level = lod > 0 ? (lod < (float)last ? (unsigned)lod : last) : 0;
    const sw_texture_level *l = &t->level[level];
    uint32_t size[3] = {l->width, l->height, l->depth};
    unsigned n = geom == SW_GEOM_1D || geom == SW_GEOM_A1D ? 1
                 : geom == SW_GEOM_3D                      ? 3
                                                           : 2;
    int64_t i[3] = {0, 0, 0};
    bool inside = t->linear || geom != SW_GEOM_1D;
    for (unsigned k = 0; k < n; k++) {
        i[k] = at->i[k];
        inside &= i[k] >= 0 && i[k] < size[k];
    }
    if (!inside) {
        memset(out, 0, 4 * sizeof *out);
        return;
    }
    if (geom == SW_GEOM_A1D || geom == SW_GEOM_A2D)
        i[2] = clamped_layer(t, at->layer);
    texel(src, level, i[0], i[1], i[2], false, out);
}

/* A level of detail in units of 1/256, cut. */
static int32_t
fixed_level(float lod)
{
    return (int32_t)sem_cvt_s32_f32(lod * 256, SW_RND_RZI);
}

/* In units of 1/256. In three dimensions, where no instruction of a device does
 * it: log2 of the longer of the two edges. */
static int32_t
grad_level(const source *src, sw_geom geom, const sw_tex_coord *at)
{
    const sw_texture_level *l = &src->t->level[0];
    bool scaled = src->s->normalized;
    uint32_t size[3] = {scaled ? l->width : 1, scaled ? l->height : 1,
                        scaled ? l->depth : 1};
    float dx = 0, dy = 0, ddx[2] = {at->ddx[0]}, ddy[2] = {at->ddy[0]};
    if (geom != SW_GEOM_3D) {
        bool flat = geom == SW_GEOM_1D || geom == SW_GEOM_A1D;
        ddx[1] = flat ? 0 : at->ddx[1];
        ddy[1] = flat ? 0 : at->ddy[1];
        return sw_sem_texture_grad_level(ddx, ddy, size);
    }
    for (int i = 0; i < 3; i++) {
        float scale = (float)size[i];
        dx += at->ddx[i] * scale * at->ddx[i] * scale;
        dy += at->ddy[i] * scale * at->ddy[i] * scale;
    }
    return fixed_level(0.5f * sem_lg2_f32(dx > dy ? dx : dy, 0));
}

/* In units of 1/256, from 0 to the last level: bias and limits are cut to such
 * units before they are added, and so is the level. Where neither a level nor
 * gradients are given there is no bias, but the limits count. */
static unsigned
level_of_detail(const source *src, sw_geom geom, const sw_tex_coord *at)
{
    const sw_sampler *s = src->s;
    int64_t last = src->t->level_count ? src->t->level_count - 1 : 0;
    int64_t lod = at->lod_mode == SW_TEX_LEVEL  ? fixed_level(at->lod)
                  : at->lod_mode == SW_TEX_GRAD ? grad_level(src, geom, at)
                                                : 0;
    int64_t min = fixed_level(s->lod_min), max = fixed_level(s->lod_max);
    lod += at->lod_mode == SW_TEX_BASE ? 0 : fixed_level(s->lod_bias);
    lod = lod > min ? lod : min;
    lod = lod < max ? lod : max;
    return (unsigned)(lod > 0 ? (lod < last * 256 ? lod : last * 256) : 0);
}

/* Of 256, how much the next level counts. */
static unsigned
steep_weight(unsigned quarters, unsigned weight)
{
    static const uint16_t below[] = {252, 378, 512};
    unsigned w = weight * quarters, cut = below[quarters - 6];
    w = w > cut ? (w - cut) / 4 : 0;
    return w < 256 ? w : 256;
}

static bool
geom_ok(const sw_texture *t, sw_geom geom)
{
    return geom == t->geom && geom <= SW_GEOM_ACUBE && t->level_count &&
           sw_sem_texel_bytes(t) && sw_sem_texel_bytes(t) <= 16;
}

bool
sw_sem_tex(const sw_texture *t, const sw_sampler *sampler, sw_geom geom,
           const sw_tex_coord *at, sw_texel_read read, void *context,
           uint32_t out[4])
{
    source src = {t, sampler ? sampler : &t->sampler, read, context};
    if (!geom_ok(t, geom))
        return false;
    if (at->is_int) {
        fetch_texel(&src, geom, at, out);
        return true;
    }
    if (t->level_count == 1) {
        fetch_levels(&src, geom, at, 0, 0, out);
        return true;
    }
    unsigned lod = level_of_detail(&src, geom, at);
    if (src.s->mip_filter != SW_FILTER_LINEAR || !reads_float(t))
        lod = (lod + 128) & ~255u;
    else if (src.s->steep)
        lod = (lod & ~255u) + steep_weight(src.s->steep, lod & 255);
    fetch_levels(&src, geom, at, lod >> 8, lod & 255, out);
    return true;
}

bool
sw_sem_tld4(const sw_texture *t, const sw_sampler *sampler, sw_geom geom,
            const sw_tex_coord *at, unsigned component, sw_texel_read read,
            void *context, uint32_t out[4])
{
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    source src = {t, sampler ? sampler : &t->sampler, read, context};
    sw_tex_coord point = *at;
    if (!geom_ok(t, geom) || geom == SW_GEOM_1D || geom == SW_GEOM_3D ||
        geom == SW_GEOM_A1D || component > 3)
        return false;
    if (at->is_int)
        for (int i = 0; i < 2; i++)
            point.f[i] = (float)at->i[i];
    footprint f = make_footprint(&src, geom, &point, 0, true);
    for (int i = 0; i < 4; i++) {
        uint32_t v[4];
        footprint_texel(&src, 0, &f, order[i][0], order[i][1], 0, false, v);
        out[i] = v[component];
    }
    return true;
}

bool
sw_sem_txq(const sw_texture *t, unsigned query, unsigned level, uint32_t *out)
{
    if (level >= t->level_count)
        return false;
    const sw_texture_level *l = &t->level[level];
    switch (query) {
    case SW_TXQ_WIDTH:
        *out = l->width;
        return true;
    case SW_TXQ_HEIGHT:
        *out = l->height;
        return true;
    case SW_TXQ_DEPTH:
        *out = l->depth;
        return true;
    case SW_TXQ_NORMALIZED_COORDS:
        *out = t->sampler.normalized;
        return true;
    case SW_TXQ_FORCE_UNNORMALIZED_COORDS:
        *out = !t->sampler.normalized;
        return true;
    case SW_TXQ_FILTER_MODE:
        *out = t->sampler.filter;
        return true;
    case SW_TXQ_ADDR_MODE_0:
    case SW_TXQ_ADDR_MODE_1:
    case SW_TXQ_ADDR_MODE_2:
        *out = t->sampler.wrap[query - SW_TXQ_ADDR_MODE_0];
        return true;
    case SW_TXQ_ARRAY_SIZE:
        *out = t->layers;
        return true;
    case SW_TXQ_NUM_MIPMAP_LEVELS:
        *out = t->level_count;
        return true;
    case SW_TXQ_NUM_SAMPLES:
        *out = 1;
        return true;
    default: /* enumerations of a source language */
        return false;
    }
}

/* ---- surfaces ---- */

sw_surface_result
sw_sem_surface_address(const sw_texture *t, unsigned mode, int32_t x, int32_t y,
                       int32_t z, unsigned bytes, uint64_t *address)
{
    const sw_texture_level *l = &t->level[0];
    unsigned texel_bytes = sw_sem_texel_bytes(t);
    unsigned unit = bytes ? bytes : texel_bytes;
    int64_t at = bytes ? x : (int64_t)x * texel_bytes;
    int64_t row = (int64_t)l->width * texel_bytes;
    bool cube = t->geom == SW_GEOM_CUBE || t->geom == SW_GEOM_ACUBE;
    bool layered = t->geom == SW_GEOM_A1D || t->geom == SW_GEOM_A2D || cube;
    int64_t slices =
        layered ? (int64_t)t->layers * (cube ? 6 : 1) : (int64_t)l->depth;
    int64_t j = y, k = z, rows = l->height;
    if (!unit || row < unit)
        return SW_SURFACE_TRAP;
    bool in = at >= 0 && at <= row - unit && j >= 0 && j < rows && k >= 0 &&
              k < slices;
    if (!in && mode != SW_SURF_CLAMP)
        return mode == SW_SURF_ZERO ? SW_SURFACE_ZERO : SW_SURFACE_TRAP;
    at = at < 0 ? 0 : at > row - unit ? row - unit : at;
    j = j < 0 ? 0 : j >= rows ? rows - 1 : j;
    k = k < 0 ? 0 : k >= slices ? slices - 1 : k;
    *address = l->address + (uint64_t)at + (uint64_t)j * l->pitch +
               (uint64_t)k * l->slice;
    return SW_SURFACE_IN;
}
