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
decode_srgb(uint32_t raw)
{
    static const uint16_t upper[256] = {
#include "sem/srgb.def"
    };
    return sem_f32_bits((uint32_t)upper[raw & 255] << 16);
}

static float
encode_srgb(float c)
{
    return c <= 0.0031308f ? c * 12.92f : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
}

static uint32_t
channel_value(const sw_texture *t, unsigned i, uint32_t raw)
{
    unsigned bits = t->bits[0];
    int32_t s = (int32_t)(raw << (32 - bits)) >> (32 - bits);
    if (t->channel == SW_CHANNEL_FLOAT)
        return bits == 16 ? sem_bits_f32(sem_f32_of_f16((uint16_t)raw)) : raw;
    if (!reads_float(t))
        return t->channel == SW_CHANNEL_SINT ? (uint32_t)s : raw;
    float x;
    if (t->channel == SW_CHANNEL_SINT) {
        x = (float)s / (float)((1 << (bits - 1)) - 1);
        x = x < -1 ? -1 : x; /* the lowest number */
    } else {
        x = t->srgb && bits == 8 && i < 3
                ? decode_srgb(raw)
                : (float)raw / (float)((1 << bits) - 1);
    }
    return sem_bits_f32(x);
}

void
sw_sem_texel_unpack(const sw_texture *t, const uint8_t *bytes, uint32_t out[4])
{
    unsigned n = channel_count(t), size = t->bits[0] / 8;
    out[0] = out[1] = out[2] = out[3] = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t raw = 0;
        for (unsigned k = 0; k < size; k++)
            raw |= (uint32_t)bytes[i * size + k] << (8 * k);
        out[i] = channel_value(t, i, raw);
    }
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
            if (t->srgb && bits == 8 && i < 3)
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
 * of fraction, rounded down; NaN, and infinity that wraps, are 0. */
static double
coordinate(const sw_sampler *s, float coord, uint32_t size, unsigned wrap)
{
    bool repeats = wrap == SW_WRAP_WRAP || wrap == SW_WRAP_MIRROR;
    double x = coord != coord ? 0 : (double)coord;
    if (!s->normalized)
        return x;
    if (repeats && fabs(x) > FLT_MAX)
        return 0;
    return __builtin_floor(x * 0x1p21) * 0x1p-21 * size;
}

static axis
make_axis(const sw_sampler *s, float coord, uint32_t size, unsigned wrap,
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
    a.at[0] = sw_sem_texture_index(i, size, wrap);
    a.at[1] = sw_sem_texture_index(i + 1, size, wrap);
    return a;
}

/* The face (+x, -x, +y, -y, +z, -z) that a direction meets, and where, from 0
 * to 1. */
static unsigned
cube_face(const float d[3], float *s, float *t)
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
    *s = m > 0 ? (u / m + 1) / 2 : 0.5f;
    *t = m > 0 ? (v / m + 1) / 2 : 0.5f;
    return face;
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
    return (float)((x < 0 ? -n : n) / max);
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
                    (t->bits[0] == 32 ? UINT32_MAX : (1u << t->bits[0]) - 1));
        else if (t->channel != SW_CHANNEL_FLOAT)
            out[i] = t->srgb && t->bits[0] == 8 && i < 3
                         ? channel_value(
                               t, i, channel_bits(t, i, sem_bits_f32(b), true))
                         : sem_bits_f32(border_norm(t, b));
        else if (t->bits[0] == 16)
            out[i] = sem_bits_f32(sem_f32_of_f16(sem_f16_of_f32(b)));
        else
            out[i] = sem_bits_f32(b);
    }
}

static void
texel(const source *src, unsigned level, int64_t x, int64_t y, int64_t z,
      uint32_t out[4])
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
    sw_sem_texel_unpack(src->t, bytes, out);
}

/* The footprint of float coordinates in one level: axes of texels, and the
 * slice where no third axis chooses it. */
typedef struct {
    axis x, y, z;
    int64_t slice;
    bool has_z;
} footprint;

static uint32_t
clamped_layer(const sw_texture *t, uint32_t layer)
{
    uint32_t last = t->layers ? t->layers - 1 : 0;
    return (int32_t)layer < 0 ? 0 : layer < last ? layer : last;
}

static footprint
make_footprint(const source *src, sw_geom geom, const sw_tex_coord *at,
               unsigned level, bool linear)
{
    const sw_texture_level *l = &src->t->level[level];
    const sw_sampler *s = src->s;
    sw_sampler face_sampler = *s;
    footprint f = {.slice = 0};
    float x = at->f[0], y = at->f[1];
    uint32_t layer = clamped_layer(src->t, at->layer);
    unsigned wrap_x = s->wrap[0], wrap_y = s->wrap[1];
    if (geom == SW_GEOM_CUBE || geom == SW_GEOM_ACUBE) {
        f.slice = cube_face(at->f, &x, &y);
        f.slice += geom == SW_GEOM_ACUBE ? 6 * (int64_t)layer : 0;
        face_sampler.normalized = true;
        s = &face_sampler;
        wrap_x = wrap_y = SW_WRAP_CLAMP;
    } else if (geom == SW_GEOM_A1D || geom == SW_GEOM_A2D) {
        f.slice = layer;
    }
    f.x = make_axis(s, x, l->width, wrap_x, linear);
    if (geom == SW_GEOM_1D && linear) /* a row of a 2d texture, at its edge */
        f.y = make_axis(s, 0, 1, wrap_y, true);
    else if (geom != SW_GEOM_1D && geom != SW_GEOM_A1D)
        f.y = make_axis(s, y, l->height, wrap_y, linear);
    if (geom == SW_GEOM_3D) {
        f.z = make_axis(s, at->f[2], l->depth, s->wrap[2], linear);
        f.has_z = true;
    }
    return f;
}

/* The weight of a corner (bit 0: the second texel along x, bit 1: y, bit 2:
 * z); x, y, z: the weights of 256 of the second texels along each axis, 0
 * where there is none. `all` is divided among the texels along z, then x, then
 * y, each time rounded to whole numbers; ties go to the second along x, and
 * along y to the second of the second column and to the first of the first. */
static uint32_t
weight_of(uint32_t all, uint32_t x, uint32_t y, uint32_t z, unsigned corner)
{
    uint32_t part = (all * z + 128) >> 8, w = corner & 4 ? part : all - part;
    part = (w * x + 128) >> 8;
    w = corner & 1 ? part : w - part;
    part = (w * y + (corner & 1 ? 128 : 127)) >> 8;
    return corner & 2 ? part : w - part;
}

/* Corner c of the footprint: bit 0 the second along x, bits 1 and 2 along y
 * and z. Its weight is of `all`. */
static uint32_t
corner(const source *src, unsigned level, const footprint *f, unsigned all,
       unsigned c, uint32_t out[4])
{
    unsigned i = c & 1, j = c >> 1 & 1, k = c >> 2;
    uint32_t weight = weight_of(all, f->x.weight, f->y.weight, f->z.weight, c);
    if (weight)
        texel(src, level, f->x.at[i], f->y.at[j],
              f->has_z ? f->z.at[k] : f->slice, out);
    return weight;
}

/* Scale of the fixed point in which normalised texels are filtered. */
static double
filter_scale(const sw_texture *t)
{
    if (t->channel == SW_CHANNEL_FLOAT || t->srgb)
        return 0;
    return t->channel == SW_CHANNEL_SINT ? 32767 : 65535;
}

/* x, one texel's channel, times scale. 8 bits become 16 by repetition. */
static double
filter_fixed(const sw_texture *t, float x, double scale)
{
    if (t->channel == SW_CHANNEL_SINT && t->bits[0] == 8) {
        int m = (int)__builtin_rintf(fabsf(x) * 127);
        m = m << 8 | m << 1 | m >> 6;
        return x < 0 ? -m : m;
    }
    return __builtin_rint((double)x * scale);
}

/* The sum in the precision that texels have: normalised ones of 16 bits, ties
 * upwards; halves or f32, ties away from zero. */
static float
filter_round(const sw_texture *t, double sum, double scale)
{
    if (scale != 0)
        return (float)(__builtin_floor(sum + 0.5) / scale);
    if (t->channel == SW_CHANNEL_FLOAT && t->bits[0] == 16)
        return sem_f32_of_f16(
            (uint16_t)sem_narrow(SEM_FMT_F16, sum, SW_RND_RNA));
    float r = (float)sum;
    double lost = sum - (double)r, next = (double)r + 2 * lost;
    bool tie = lost != 0 && (double)(float)next == next;
    return tie && fabs(next) > fabs((double)r) ? (float)next : r;
}

/* Of four texels: those that are floats are cut, towards zero, at a digit that
 * depends on the largest of those that have weight. */
static double
sum_slice(const source *src, const uint32_t v[4], const uint32_t weight[4])
{
    bool half = src->t->channel == SW_CHANNEL_FLOAT && src->t->bits[0] == 16;
    uint32_t largest = 0;
    for (unsigned c = 0; c < 4; c++) {
        uint32_t e = weight[c] ? v[c] & 0x7f800000 : 0;
        largest = e > largest ? e : largest;
    }
    double unit = sem_texture_unit(largest, half), sum = -0.0;
    for (unsigned c = 0; c < 4; c++)
        if (weight[c])
            sum +=
                weight[c] * __builtin_trunc((double)sem_f32_bits(v[c]) * unit);
    return sum / unit;
}

/* Adds a level, with weight `all` of 256, to the channels' sums. */
static void
add_level(const source *src, sw_geom geom, const sw_tex_coord *at,
          unsigned level, unsigned all, double sum[4])
{
    bool linear = src->s->filter == SW_FILTER_LINEAR && reads_float(src->t);
    footprint f = make_footprint(src, geom, at, level, linear);
    uint32_t v[4][8] = {{0}}, weight[8], texel_value[4];
    double scale = filter_scale(src->t);
    for (unsigned c = 0; c < 8; c++) {
        weight[c] = corner(src, level, &f, all, c, texel_value);
        for (int i = 0; weight[c] && i < 4; i++)
            v[i][c] = texel_value[i];
    }
    for (int i = 0; i < 4; i++) {
        for (unsigned c = 0; scale != 0 && c < 8; c++)
            sum[i] +=
                weight[c] * filter_fixed(src->t, sem_f32_bits(v[i][c]), scale);
        if (scale == 0)
            sum[i] += sum_slice(src, v[i], weight) +
                      sum_slice(src, v[i] + 4, weight + 4);
    }
}

/* Of `level` and, with a weight of 256, the next one. Integer formats cannot be
 * filtered: the nearest texel. */
static void
fetch_levels(const source *src, sw_geom geom, const sw_tex_coord *at,
             unsigned level, unsigned weight, uint32_t out[4])
{
    bool linear = src->s->filter == SW_FILTER_LINEAR && reads_float(src->t);
    if (!linear && !weight) {
        footprint f = make_footprint(src, geom, at, level, false);
        corner(src, level, &f, 256, 0, out);
        return;
    }
    double sum[4] = {-0.0, -0.0, -0.0, -0.0}, scale = filter_scale(src->t);
    add_level(src, geom, at, level, 256 - weight, sum);
    if (weight)
        add_level(src, geom, at, level + 1, weight, sum);
    for (int i = 0; i < 4; i++)
        out[i] = sem_bits_f32(
            sem_canon_f32(filter_round(src->t, sum[i] * 0x1p-8, scale)));
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
    texel(src, level, i[0], i[1], i[2], out);
}

/* log2 of the longer of the two footprint edges, in texels of level 0. */
static float
grad_lod(const source *src, const sw_tex_coord *at)
{
    const sw_texture_level *l = &src->t->level[0];
    float size[3] = {(float)l->width, (float)l->height, (float)l->depth};
    float dx = 0, dy = 0;
    for (int i = 0; i < 3; i++) {
        float scale = src->s->normalized ? size[i] : 1;
        dx += at->ddx[i] * scale * at->ddx[i] * scale;
        dy += at->ddy[i] * scale * at->ddy[i] * scale;
    }
    return 0.5f * sem_lg2_f32(dx > dy ? dx : dy, 0);
}

static float
level_of_detail(const source *src, const sw_tex_coord *at)
{
    const sw_sampler *s = src->s;
    float lod = at->lod_mode == SW_TEX_LEVEL  ? at->lod
                : at->lod_mode == SW_TEX_GRAD ? grad_lod(src, at)
                                              : 0;
    float last = src->t->level_count ? (float)(src->t->level_count - 1) : 0;
    lod += s->lod_bias;
    lod = lod > s->lod_min ? lod : s->lod_min;
    lod = lod < s->lod_max ? lod : s->lod_max;
    return lod > 0 ? (lod < last ? lod : last) : 0;
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
    float lod = level_of_detail(&src, at);
    bool nearest = src.s->mip_filter != SW_FILTER_LINEAR || !reads_float(t);
    unsigned fixed =
        nearest ? (unsigned)(lod + 0.5f) << 8 : (unsigned)(lod * 256);
    fetch_levels(&src, geom, at, fixed >> 8, fixed & 255, out);
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
        texel(&src, 0, f.x.at[order[i][0]], f.y.at[order[i][1]], f.slice, v);
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
