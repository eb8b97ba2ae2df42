/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_filter.c - texels filtered as sw_sem_tex filters them, for the lanes
 * of a warp at once. Compiled once for each vector extension, as lanes.c is.
 *
 * A corner of a footprint is a number: bit 0 the second texel along x, bits 1
 * and 2 along y and z.
 */
#include "interp/texture_lanes.h"

enum { CORNERS = 8 };

/* The texels of a footprint along one axis, in bytes. */
typedef struct {
    int32_t at[2][32];
    uint32_t weight[32];  /* of the second, of 256 */
    uint32_t left[2][32]; /* all ones: outside, of axes where lanes may be */
} axis;

typedef struct {
    const sw_tex_plan *p;
    const sw_tex_checks *checks;
    uint32_t *row; /* the warp's part of the first one */
    uint32_t lanes;
    unsigned seconds; /* bit k: some lane has a second texel along axis k */
    unsigned corners; /* 2, 4 or 8 */
    axis axis[3];
    uint32_t weight[CORNERS][32]; /* of 256; may be 0 of one that is there */
    uint32_t hidden[CORNERS][32]; /* all ones: it is not */
    uint32_t word[CORNERS][4][32];
} footprint;

static inline uint32_t *
row_of(const footprint *f, unsigned row)
{
    return f->row + (size_t)row * f->lanes;
}

/* ---- places ---- */

/* 256 times a coordinate, to nearest, from the middle of the first texel. */
static inline int32_t
from_middle(float x)
{
    float y = x * 256, whole = __builtin_floorf(y);
    return (int32_t)whole + (y - whole >= 0.5f) - 128;
}

/* The place of the footprint, in 1/256 of a texel. */
static void
find_fixed(const sw_tex_plan *p, unsigned k, const uint32_t *c,
           int32_t *restrict fixed, uint32_t *restrict far)
{
    enum { SHIFT = 13, ROUND = 1 << (SHIFT - 1) };
    int32_t size = (int32_t)p->axis[k].size;
    float end = (float)size;
    switch (p->axis[k].place) {
    case SW_PLACE_CLAMP:
        LANES
        {
            float x = sem_f32_bits(c[i]);
            x = x > 0 ? x : 0;
            fixed[i] = from_middle(x < end ? x : end);
        }
        return;
    case SW_PLACE_BORDER: /* what is outside stays there */
        LANES
        {
            float x = sem_f32_bits(c[i]);
            x = x == x ? x : 0;
            x = x > -0x1p20f ? x : -0x1p20f;
            fixed[i] = from_middle(x < 0x1p20f ? x : 0x1p20f);
        }
        return;
    case SW_PLACE_UNIT_CLAMP:
        LANES fixed[i] = scaled(unit_clamp(c[i]), size, ROUND, SHIFT) - 128;
        return;
    case SW_PLACE_UNIT_BORDER:
        LANES fixed[i] = scaled(unit_border(c[i]), size, ROUND, SHIFT) - 128;
        return;
    case SW_PLACE_UNIT_WRAP:
        LANES
        {
            int32_t x = unit_repeat(c[i], 0x1p21f);
            fixed[i] = scaled(x, size, ROUND, SHIFT) - 128;
            far[i] |= is_far(c[i]);
        }
        return;
    default:
        LANES
        {
            int32_t x = unit_repeat(c[i], 0x1p22f);
            fixed[i] = scaled(x, size, ROUND, SHIFT) - 128;
            far[i] |= is_far(c[i]);
        }
    }
}

/* Of two periods' texels, and one before. */
static inline int32_t
mirrored(int32_t x, int32_t size)
{
    x = x < size ? x : 2 * size - 1 - x;
    return x < 0 ? 0 : x;
}

/* As make_axis of sem/texture.c. */
static void
place(const sw_tex_plan *p, unsigned k, const uint32_t *c, axis *restrict a,
      uint32_t *restrict far)
{
    int32_t size = (int32_t)p->axis[k].size, step = p->axis[k].step;
    int32_t last = size - 1, fixed[32];
    find_fixed(p, k, c, fixed, far);
    switch (p->axis[k].place) {
    case SW_PLACE_CLAMP:
    case SW_PLACE_UNIT_CLAMP:
        LANES
        {
            int32_t x = fixed[i] > 0 ? fixed[i] : 0;
            x = x < last * 256 ? x : last * 256;
            int32_t first = x >> 8;
            a->weight[i] = (uint32_t)x & 255;
            a->at[0][i] = first * step;
            a->at[1][i] = (first < last ? first + 1 : last) * step;
            a->left[0][i] = a->left[1][i] = 0;
        }
        return;
    case SW_PLACE_BORDER:
    case SW_PLACE_UNIT_BORDER:
        LANES
        {
            int32_t x = fixed[i] >> 8, y = x + 1;
            bool x_in = (uint32_t)x < (uint32_t)size;
            bool y_in = (uint32_t)y < (uint32_t)size;
            a->weight[i] = (uint32_t)fixed[i] & 255;
            a->at[0][i] = (x_in ? x : 0) * step;
            a->at[1][i] = (y_in ? y : 0) * step;
            a->left[0][i] = x_in ? 0 : UINT32_MAX;
            a->left[1][i] = y_in ? 0 : UINT32_MAX;
        }
        return;
    case SW_PLACE_UNIT_WRAP:
        LANES
        {
            int32_t x = fixed[i] >> 8, y = x + 1;
            a->weight[i] = (uint32_t)fixed[i] & 255;
            a->at[0][i] = (x < 0 ? last : x) * step;
            a->at[1][i] = (y < size ? y : 0) * step;
            a->left[0][i] = a->left[1][i] = 0;
        }
        return;
    default:
        LANES
        {
            int32_t x = fixed[i] >> 8;
            a->weight[i] = (uint32_t)fixed[i] & 255;
            a->at[0][i] = mirrored(x, size) * step;
            a->at[1][i] = mirrored(x + 1, size) * step;
            a->left[0][i] = a->left[1][i] = 0;
        }
    }
}

static bool
place_all(footprint *f)
{
    static const uint32_t zeros[32];
    const sw_tex_plan *p = f->p;
    bool is_row = p->texture->geom == SW_GEOM_1D;
    uint32_t far[32] = {0};
    f->corners = 1u << p->axes;
    f->seconds = 0;
    for (unsigned k = 0; k < p->axes; k++) {
        const uint32_t *c = is_row && k ? zeros : row_of(f, SW_TEX_COORDS + k);
        place(p, k, c, &f->axis[k], far);
        f->seconds |= (unsigned)is_any(f->axis[k].weight) << k;
    }
    if (p->layers)
        for (unsigned j = 0; j < 2; j++)
            add_layers(p, row_of(f, SW_TEX_LAYER), f->axis[0].at[j]);
    return !is_any(far);
}

/* ---- weights ---- */

/* `all` among the corners along x and y (NULL: along x only), as weight_of of
 * sem/texture.c does it. */
static inline void
divide(const uint32_t *all, const uint32_t *x, const uint32_t *y,
       uint32_t w[][32])
{
    LANES
    {
        uint32_t right = (all[i] * x[i] + 128) >> 8, left = all[i] - right;
        if (y) {
            uint32_t low_right = (right * y[i] + 128) >> 8;
            uint32_t low_left = (left * y[i] + 127) >> 8;
            w[2][i] = low_left;
            w[3][i] = low_right;
            left -= low_left;
            right -= low_right;
        }
        w[0][i] = left;
        w[1][i] = right;
    }
}

static void
weigh(footprint *f)
{
    const uint32_t *x = f->axis[0].weight, *y = f->axis[1].weight;
    uint32_t near[32], far[32];
    LANES near[i] = 256;
    if (f->p->axes == 1) {
        divide(near, x, NULL, f->weight);
        return;
    }
    if (f->p->axes == 3) {
        const uint32_t *z = f->axis[2].weight;
        LANES
        {
            near[i] = 256 - z[i];
            far[i] = z[i];
        }
        divide(far, x, y, f->weight + 4);
    }
    divide(near, x, y, f->weight);
}

static void
hide(footprint *f)
{
    for (unsigned c = 0; c < f->corners; c++) {
        uint32_t *hidden = f->hidden[c];
        LANES hidden[i] = 0;
        for (unsigned k = 0; k < f->p->axes; k++) {
            const uint32_t *w = f->axis[k].weight;
            if (c >> k & 1)
                LANES hidden[i] |= w[i] ? 0 : UINT32_MAX;
        }
    }
}

/* ---- texels ---- */

static inline bool
is_there(const footprint *f, unsigned corner)
{
    return !(corner & ~f->seconds);
}

/* The words of a corner's texels; left: where there is none. False: not all of
 * them are known to be accessible. */
static bool
read_corner(footprint *f, unsigned corner, uint32_t *restrict left)
{
    const sw_tex_plan *p = f->p;
    const axis *a = f->axis;
    unsigned j = corner >> 1 & 1, k = corner >> 2;
    ALIGNED int32_t at[32];
    uint32_t *const word[4] = {f->word[corner][0], f->word[corner][1],
                               f->word[corner][2], f->word[corner][3]};
    LANES
    {
        at[i] = a[0].at[corner & 1][i];
        left[i] = a[0].left[corner & 1][i];
    }
    if (p->axes > 1)
        LANES
        {
            at[i] += a[1].at[j][i];
            left[i] |= a[1].left[j][i];
        }
    if (p->axes > 2)
        LANES
        {
            at[i] += a[2].at[k][i];
            left[i] |= a[2].left[k][i];
        }
    if (!p->is_whole && !are_readable(p, f->checks, at))
        return false;
    if (f->checks && f->checks->log) {
        uint32_t none[32];
        LANES none[i] = left[i] | f->hidden[corner][i];
        log_texels(p, f->checks, at, none);
    }
    read_texels(p, at, word);
    return true;
}

/* ---- fixed point ---- */

/* Bytes without sign, two channels in a word: their sums have 16 bits. */
static bool
filter_bytes(footprint *f, uint32_t *const value[4])
{
    const sw_tex_plan *p = f->p;
    uint32_t even[32] = {0}, odd[32] = {0}, left[32], outside = 0;
    for (unsigned k = 0; k < p->channels; k++)
        outside |= (uint32_t)p->border[k] << 8 * k;
    for (unsigned c = 0; c < f->corners; c++) {
        uint32_t *word = f->word[c][0];
        const uint32_t *weight = f->weight[c];
        if (!is_there(f, c))
            continue;
        if (!read_corner(f, c, left))
            return false;
        if (p->may_leave)
            LANES word[i] = left[i] ? outside : word[i];
        LANES even[i] += (word[i] & 0x00ff00ff) * weight[i];
        if (p->channels > 1)
            LANES odd[i] += (word[i] >> 8 & 0x00ff00ff) * weight[i];
    }
    for (unsigned k = 0; k < p->channels; k++) {
        const uint32_t *sum = k & 1 ? odd : even;
        uint32_t *v = value[k];
        int shift = k & 2 ? 16 : 0;
        LANES /* times 257, without what is below 16 bits */
        {
            uint32_t x = sum[i] >> shift & 0xffff;
            x += (x + 128) >> 8;
            float q = quotient((float)(int32_t)x, 65535, 1 / 65535.0f);
            v[i] = sem_bits_f32(q);
        }
    }
    return true;
}

/* As filter_round of sem/texture.c; the sum, 256 times what it is. */
static inline uint32_t
round_fixed(int32_t sum, sw_tex_format format, unsigned bits)
{
    if (format == SW_TEXELS_UNORM)
        return sem_bits_f32(
            quotient((float)((sum + 128) >> 8), 65535, 1 / 65535.0f));
    sum =
        bits == 8 ? sum + (((sum >> 4) * 257 + 1024) >> 11) : (sum + 128) >> 8;
    float q = quotient((float)sum, 32767, 1 / 32767.0f);
    return sem_bits_f32(sum < -32767 ? -1 : q);
}

/* 16 bits, and bytes with a sign. */
static bool
filter_fixed(footprint *f, uint32_t *const value[4])
{
    const sw_tex_plan *p = f->p;
    bool is_signed = p->format == SW_TEXELS_SNORM;
    sw_tex_format digits = is_signed ? SW_TEXELS_SINT : SW_TEXELS_UINT;
    uint32_t sum[4][32] = {{0}}, left[32], v[32];
    for (unsigned c = 0; c < f->corners; c++) {
        const uint32_t *weight = f->weight[c];
        uint32_t *const word[4] = {f->word[c][0], f->word[c][1], NULL, NULL};
        if (!is_there(f, c))
            continue;
        if (!read_corner(f, c, left))
            return false;
        for (unsigned k = 0; k < p->channels; k++) {
            uint32_t outside = (uint32_t)p->border[k];
            read_channel(p, word, k, digits, v);
            LANES sum[k][i] += (left[i] ? outside : v[i]) * weight[i];
        }
    }
    for (unsigned k = 0; k < p->channels; k++) {
        uint32_t *to = value[k];
        if (!is_signed)
            LANES to[i] = round_fixed((int32_t)sum[k][i], SW_TEXELS_UNORM, 16);
        else if (p->bits == 8)
            LANES to[i] = round_fixed((int32_t)sum[k][i], SW_TEXELS_SNORM, 8);
        else
            LANES to[i] = round_fixed((int32_t)sum[k][i], SW_TEXELS_SNORM, 16);
    }
    return true;
}

/* ---- floats ---- */

/* One channel of all corners, as f32. */
typedef const uint32_t *corner_values[CORNERS];

/* The largest exponent field of those of corners [from, end) that have
 * weight. */
static inline void
largest_of(const footprint *f, const corner_values value, unsigned from,
           unsigned end, uint32_t *restrict largest)
{
    LANES largest[i] = 0;
    for (unsigned c = from; c < end; c++) {
        const uint32_t *v = value[c], *weight = f->weight[c];
        LANES
        {
            uint32_t e = weight[i] ? v[i] & 0x7f800000 : 0;
            largest[i] = e > largest[i] ? e : largest[i];
        }
    }
}

/* One channel of f32: see add_slice of sem/texture.c. */
static void
sum_slice(const footprint *f, const corner_values value, unsigned from,
          unsigned end, double *restrict slice)
{
    uint32_t largest[32];
    double unit[32];
    largest_of(f, value, from, end, largest);
    LANES
    {
        unit[i] = sem_texture_unit(largest[i], false);
        slice[i] = -0.0;
    }
    for (unsigned c = from; c < end; c++) {
        const uint32_t *v = value[c], *weight = f->weight[c];
        const uint32_t *hidden = f->hidden[c];
        LANES
        {
            bool finite = (v[i] & 0x7f800000) != 0x7f800000;
            double w = (double)(int32_t)((weight[i] | finite) ? weight[i] : 1);
            double x = __builtin_trunc(sem_texture_float(v[i]) * unit[i]);
            x = w * x + (x == 0 ? -0.0 : 0);
            slice[i] += hidden[i] ? -0.0 : x;
        }
    }
    LANES slice[i] /= unit[i];
}

/* One channel of any f32: see sum_slices and filter_round there; one slice has
 * no digits to lose. */
static void
filter_any(const footprint *f, const corner_values value, uint32_t *to)
{
    uint32_t largest[32];
    unsigned corners = f->corners;
    double sum[32], second[32];
    sum_slice(f, value, 0, corners < 4 ? corners : 4, sum);
    if (corners > 4) {
        sum_slice(f, value, 4, corners, second);
        largest_of(f, value, 0, corners, largest);
        LANES
        {
            double grid = sem_texture_grid(largest[i], false);
            double a = __builtin_floor(sum[i] * grid);
            sum[i] = (a + __builtin_floor(second[i] * grid)) / grid;
        }
    }
    LANES
    {
        double x = sum[i] * 0x1p-8;
        float r = (float)x;
        double lost = x - (double)r, next = (double)r + 2 * lost;
        bool tie = (lost != 0) & ((double)(float)next == next) &
                   (__builtin_fabs(next) > __builtin_fabs((double)r));
        to[i] = sem_bits_f32(sem_canon_f32(tie ? (float)next : r));
    }
}

/* What texels are cut to: whole numbers of `digits` bits, of which the largest
 * exponent of those that have weight says what 1 is. All ones in `odd`: the
 * exponent is of no number, or too small for what follows. */
static inline void
cut(const footprint *f, const corner_values value, uint32_t digits,
    uint32_t *restrict exponent, int32_t x[][32], uint32_t *restrict odd)
{
    largest_of(f, value, 0, f->corners, exponent);
    LANES
    {
        uint32_t e = exponent[i] ? exponent[i] : 127u << 23;
        odd[i] = e - (36u << 23) > (254u - 36) << 23 ? UINT32_MAX : 0;
        exponent[i] = e;
    }
    for (unsigned c = 0; c < f->corners; c++) {
        const uint32_t *v = value[c];
        LANES
        {
            uint32_t unit = ((254 + digits) << 23) - exponent[i];
            float y = sem_f32_bits(v[i]) * sem_f32_bits(unit);
            x[c][i] = (int32_t)y;
        }
    }
}

/* Lanes whose sum is 0 may have a negative one. */
static inline void
find_negative_zeros(const footprint *f, const corner_values value,
                    const uint32_t *is_zero, uint32_t *restrict odd)
{
    uint32_t negative[32];
    LANES negative[i] = is_zero[i];
    for (unsigned c = 0; c < f->corners; c++)
        LANES negative[i] &= value[c][i] | f->hidden[c][i];
    LANES odd[i] |= negative[i] & 0x80000000;
}

/* One channel of f32 in up to four corners. False: not of these. */
static bool
filter_float(const footprint *f, const corner_values value,
             uint32_t *restrict to)
{
    int32_t x[4][32];
    uint32_t exponent[32], odd[32], is_zero[32];
    double sum[32];
    cut(f, value, 27, exponent, x, odd);
    LANES sum[i] = (double)(int32_t)f->weight[0][i] * (double)x[0][i];
    for (unsigned c = 1; c < f->corners; c++)
        LANES sum[i] += (double)(int32_t)f->weight[c][i] * (double)x[c][i];
    LANES
    {
        /* Of 37 bits; so little more that it counts for what is in the middle
         * between two floats only. */
        float r = (float)(sum[i] * 0x1.000000000008p0);
        is_zero[i] = r == 0 ? UINT32_MAX : 0;
        r *= sem_f32_bits(exponent[i] - (35u << 23));
        to[i] = sem_bits_f32(r);
    }
    find_negative_zeros(f, value, is_zero, odd);
    return !is_any(odd);
}

/* One channel of f16: ties away from zero. */
static bool
filter_half(const footprint *f, const corner_values value,
            uint32_t *restrict to)
{
    int32_t x[4][32], sum[32] = {0};
    uint32_t exponent[32], odd[32], is_zero[32];
    cut(f, value, 14, exponent, x, odd);
    for (unsigned c = 0; c < f->corners; c++)
        LANES sum[i] += (int32_t)f->weight[c][i] * x[c][i];
    LANES
    {
        float y = (float)sum[i] * sem_f32_bits(exponent[i] - (22u << 23));
        uint32_t sign = sem_bits_f32(y) & 0x80000000;
        uint32_t normal = (sem_bits_f32(y) + 0x1000) & 0xffffe000;
        float small = __builtin_fabsf(y) * 0x1p24f;
        float whole = __builtin_floorf(small);
        whole = (whole + (small - whole >= 0.5f ? 1 : 0)) * 0x1p-24f;
        bool is_small = __builtin_fabsf(y) < 0x1p-14f;
        is_zero[i] = sum[i] ? 0 : UINT32_MAX;
        to[i] = is_small ? sem_bits_f32(whole) | sign : normal;
    }
    find_negative_zeros(f, value, is_zero, odd);
    return !is_any(odd);
}

static void
put_outside(const footprint *f, unsigned k, const uint32_t *left,
            uint32_t *restrict v)
{
    uint32_t outside = f->p->outside[k];
    LANES v[i] = left[i] ? outside : v[i];
}

static bool
filter_floats(footprint *f, uint32_t *const value[4])
{
    const sw_tex_plan *p = f->p;
    bool is_half = p->format == SW_TEXELS_HALF;
    uint32_t halves[CORNERS][4][32], left[32];
    corner_values channel;
    for (unsigned c = 0; c < f->corners; c++) {
        uint32_t *const word[4] = {f->word[c][0], f->word[c][1], NULL, NULL};
        if (!is_there(f, c)) {
            memset(f->word[c], 0, sizeof f->word[c]);
            memset(halves[c], 0, sizeof halves[c]);
            continue;
        }
        if (!read_corner(f, c, left))
            return false;
        for (unsigned k = 0; k < p->channels; k++) {
            uint32_t *v = is_half ? halves[c][k] : f->word[c][k];
            if (is_half)
                read_channel(p, word, k, SW_TEXELS_HALF, v);
            if (p->may_leave)
                put_outside(f, k, left, v);
        }
    }
    for (unsigned k = 0; k < p->channels; k++) {
        for (unsigned c = 0; c < CORNERS; c++)
            channel[c] = is_half ? halves[c][k] : f->word[c][k];
        if (is_half) {
            if (!filter_half(f, channel, value[k]))
                return false;
        } else if (f->corners > 4 || !filter_float(f, channel, value[k])) {
            filter_any(f, channel, value[k]);
        }
    }
    return true;
}

static bool
filter(footprint *f)
{
    const sw_tex_plan *p = f->p;
    uint32_t *const out[4] = {row_of(f, 0), row_of(f, 1), row_of(f, 2),
                              row_of(f, 3)};
    bool is_float = p->format == SW_TEXELS_PLAIN || p->format == SW_TEXELS_HALF;
    bool is_byte = p->format == SW_TEXELS_UNORM && p->bits == 8;
    if (!place_all(f))
        return false;
    weigh(f);
    if (is_float || (f->checks && f->checks->log))
        hide(f);
    for (unsigned k = p->channels; k < 4; k++)
        fill(out[k], 0);
    return is_float  ? filter_floats(f, out)
           : is_byte ? filter_bytes(f, out)
                     : filter_fixed(f, out);
}

uint32_t
fetch_filtered(const sw_tex_plan *p, uint32_t *rows, uint32_t lanes,
               const sw_tex_checks *checks)
{
    ALIGNED footprint f;
    f.p = p;
    f.checks = checks;
    f.lanes = lanes;
    for (uint32_t i = 0; i < lanes; i += 32) {
        f.row = rows + i;
        if (!filter(&f))
            return 0;
    }
    return 1;
}
