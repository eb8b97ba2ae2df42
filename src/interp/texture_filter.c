/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_filter.c - texels filtered as sw_sem_tex filters them, for the lanes
 * of a warp at once. Compiled once for each vector extension, as lanes.c is.
 *
 * A corner of a footprint is a number: bit 0 the second texel along x, bits 1
 * and 2 along y and z.
 */
#include "interp/texture_places.h"

enum { CORNERS = 8 };

/* The texels of a footprint along one axis, in bytes. */
typedef struct {
    ALIGNED int32_t at[2][32];
    uint32_t weight[32];  /* of the second, of 256 */
    uint32_t left[2][32]; /* all ones: outside; only if p->may_leave */
} axis;

typedef struct {
    const sw_tex_plan *p;
    const sw_tex_checks *checks;
    uint32_t *row; /* the warp's part of the first one */
    uint32_t lanes;
    unsigned seconds; /* bit k: some lane has a second texel along axis k */
    unsigned corners; /* 2, 4 or 8 */
    bool is_paired;   /* texels of one word, the second along x is the next */
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
static inline ALWAYS ints
from_middle(floats x)
{
    floats y = x * 256, down = round_down(y);
    return whole(down) - (ints)(y - down >= 0.5f) - 128;
}

/* The place of the footprint along axis k, in 1/256 of a texel. */
static inline ALWAYS ints
find_fixed(const sw_tex_plan *p, unsigned k, words c, words *far)
{
    enum { SHIFT = 13, ROUND = 1 << (SHIFT - 1) };
    int32_t size = (int32_t)p->axis[k].size;
    floats x = as_floats(c);
    switch (p->axis[k].place) {
    case SW_PLACE_CLAMP:
        x = larger(x, all_floats(0));
        return from_middle(smaller(x, all_floats((float)size)));
    case SW_PLACE_BORDER: /* what is outside stays there */
        x = larger(no_nan(x), all_floats(-0x1p20f));
        return from_middle(smaller(x, all_floats(0x1p20f)));
    case SW_PLACE_UNIT_CLAMP:
        return scaled(unit_clamp(c), size, ROUND, SHIFT) - 128;
    case SW_PLACE_UNIT_BORDER:
        return scaled(unit_border(c), size, ROUND, SHIFT) - 128;
    case SW_PLACE_UNIT_WRAP:
        *far |= is_far(c);
        return scaled(unit_repeat(c, 0x1p21f), size, ROUND, SHIFT) - 128;
    default:
        *far |= is_far(c);
        return scaled(unit_repeat(c, 0x1p22f), size, ROUND, SHIFT) - 128;
    }
}

/* Of two periods' texels, and one before. */
static inline ALWAYS ints
mirrored(ints x, int32_t size)
{
    return larger_int(smaller_int(x, 2 * size - 1 - x), all_ints(0));
}

/* Texels x and x + 1 along axis k, of those that are there. */
static inline ALWAYS void
place_texels(const sw_tex_plan *p, unsigned k, ints x, axis *a, int i)
{
    int32_t size = (int32_t)p->axis[k].size, step = p->axis[k].step;
    int32_t last = size - 1;
    ints y = x + 1, at = x * step, next = at + step;
    switch (p->axis[k].place) {
    case SW_PLACE_CLAMP:
    case SW_PLACE_UNIT_CLAMP:
        next = smaller_int(next, all_ints(last * step));
        break;
    case SW_PLACE_BORDER:
    case SW_PLACE_UNIT_BORDER:
        AT(a->left[0], i) = (words)((words)x >= (uint32_t)size);
        AT(a->left[1], i) = (words)((words)y >= (uint32_t)size);
        at &= (ints)~AT(a->left[0], i);
        next &= (ints)~AT(a->left[1], i);
        break;
    case SW_PLACE_UNIT_WRAP:
        at =
            (ints)pick((words)(x < 0), (words)all_ints(last * step), (words)at);
        next &= y < size;
        break;
    default:
        at = mirrored(x, size) * step;
        next = mirrored(y, size) * step;
    }
    AT(a->at[0], i) = (words)at;
    AT(a->at[1], i) = (words)next;
}

/* As make_axis of sem/texture.c. */
static void
place(const sw_tex_plan *p, unsigned k, const uint32_t *c, axis *restrict a,
      words *far)
{
    ints last = all_ints(((int32_t)p->axis[k].size - 1) * 256);
    bool clamps = p->axis[k].place == SW_PLACE_CLAMP ||
                  p->axis[k].place == SW_PLACE_UNIT_CLAMP;
    if (p->may_leave) {
        fill(a->left[0], 0);
        fill(a->left[1], 0);
    }
    EACH(i)
    {
        ints x = find_fixed(p, k, CONST_AT(c, i), far);
        if (clamps)
            x = smaller_int(larger_int(x, all_ints(0)), last);
        AT(a->weight, i) = (words)x & 255;
        place_texels(p, k, x >> 8, a, i);
    }
}

/* Rows are read as such. */
static bool
are_pairs(const footprint *f)
{
    const axis *x = &f->axis[0];
    words apart = {0};
    if (f->p->texel != 4 || !(f->seconds & 1) || !f->p->is_whole)
        return false;
    EACH(i)
    apart |= CONST_AT(x->at[1], i) ^ (CONST_AT(x->at[0], i) + 4);
    return is_zero(apart) && !are_rows(x->at[0], 4);
}

static bool
place_all(footprint *f)
{
    static const uint32_t zeros[32];
    const sw_tex_plan *p = f->p;
    words far = {0};
    f->corners = 1u << p->axes;
    f->seconds = 0;
    for (unsigned k = 0; k < p->axes; k++) {
        const uint32_t *c =
            p->is_row && k ? zeros : row_of(f, SW_TEX_COORDS + k);
        place(p, k, c, &f->axis[k], &far);
        f->seconds |= (unsigned)is_any(f->axis[k].weight) << k;
    }
    if (p->layers)
        for (unsigned j = 0; j < 2; j++)
            add_layers(p, row_of(f, SW_TEX_LAYER), f->axis[0].at[j]);
    f->is_paired = are_pairs(f);
    return is_zero(far);
}

/* ---- weights ---- */

/* `all` among the corners along x and y, as weight_of of sem/texture.c does it,
 * of lanes from i on. */
static inline void
divide(words all, words x, words y, uint32_t w[4][32], int i)
{
    words right = (small_product(all, x) + 128) >> 8, left = all - right;
    words low_right = (small_product(right, y) + 128) >> 8;
    words low_left = (small_product(left, y) + 127) >> 8;
    AT(w[0], i) = left - low_left;
    AT(w[1], i) = right - low_right;
    AT(w[2], i) = low_left;
    AT(w[3], i) = low_right;
}

static void
weigh(footprint *f)
{
    const axis *a = f->axis;
    EACH(i)
    {
        words all = (words){0} + 256, x = AT(a[0].weight, i);
        if (f->p->axes == 1) {
            AT(f->weight[0], i) = all - x;
            AT(f->weight[1], i) = x;
            continue;
        }
        words y = AT(a[1].weight, i);
        if (f->p->axes == 3) {
            words z = AT(a[2].weight, i);
            divide(z, x, y, f->weight + 4, i);
            all -= z;
        }
        divide(all, x, y, f->weight, i);
    }
}

static void
hide(footprint *f)
{
    EACH(i)
    {
        words x = (words)(AT(f->axis[0].weight, i) == 0);
        AT(f->hidden[0], i) = (words){0};
        AT(f->hidden[1], i) = x;
        if (f->corners == 2)
            continue;
        words y = (words)(AT(f->axis[1].weight, i) == 0);
        AT(f->hidden[2], i) = y;
        AT(f->hidden[3], i) = x | y;
        if (f->corners == 4)
            continue;
        words z = (words)(AT(f->axis[2].weight, i) == 0);
        AT(f->hidden[4], i) = z;
        AT(f->hidden[5], i) = x | z;
        AT(f->hidden[6], i) = y | z;
        AT(f->hidden[7], i) = x | y | z;
    }
}

/* ---- texels ---- */

static inline bool
is_there(const footprint *f, unsigned corner)
{
    return !(corner & ~f->seconds);
}

static void
log_corner(const footprint *f, unsigned corner, const int32_t *at,
           const uint32_t *left)
{
    uint32_t none[32];
    LANES none[i] = (f->p->may_leave ? left[i] : 0) | f->hidden[corner][i];
    log_texels(f->p, f->checks, at, none);
}

/* The words of a corner's texels, those with the second one along x after the
 * others; left, if p->may_leave: where there is none.
 * False: not all of them are known to be accessible. */
static bool
read_corner(footprint *f, unsigned corner, uint32_t *left)
{
    const sw_tex_plan *p = f->p;
    ALIGNED int32_t at[32];
    uint32_t *const word[4] = {f->word[corner][0], f->word[corner][1],
                               f->word[corner][2], f->word[corner][3]};
    bool is_logged = f->checks && f->checks->log;
    bool was_read = f->is_paired && corner & 1;
    if (was_read && !p->may_leave && !is_logged)
        return true;
    for (unsigned k = 0; k < p->axes; k++) {
        const axis *a = &f->axis[k];
        unsigned second = corner >> k & 1;
        EACH(i)
        AT(at, i) = AT(a->at[second], i) + (k ? AT(at, i) : (words){0});
        if (p->may_leave)
            EACH(i)
        AT(left, i) = AT(a->left[second], i) | (k ? AT(left, i) : (words){0});
    }
    if (!p->is_whole && !are_readable(p, f->checks, at))
        return false;
    if (is_logged)
        log_corner(f, corner, at, left);
    if (!f->is_paired)
        read_texels(p, at, word);
    else if (!was_read)
        read_pairs(p, at, word[0], f->word[corner + 1][0]);
    return true;
}

/* ---- fixed point ---- */

/* Bytes without sign, two channels in a word: their sums have 16 bits. */
static bool
filter_bytes(footprint *f, uint32_t *const value[4])
{
    const sw_tex_plan *p = f->p;
    ALIGNED uint32_t even[32], odd[32], left[32];
    uint32_t outside = 0;
    for (unsigned k = 0; k < 4; k++)
        outside |= ((uint32_t)p->border[k] & 255) << 8 * k;
    fill(even, 0);
    fill(odd, 0);
    for (unsigned c = 0; c < f->corners; c++) {
        if (!is_there(f, c))
            continue;
        if (!read_corner(f, c, left))
            return false;
        EACH(i)
        {
            words w = AT(f->weight[c], i), v = AT(f->word[c][0], i);
            if (p->may_leave)
                v = pick(AT(left, i), (words){0} + outside, v);
            AT(even, i) += (v & 0x00ff00ff) * w;
            AT(odd, i) += (v >> 8 & 0x00ff00ff) * w;
        }
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
    ALIGNED uint32_t sum[4][32], left[32], v[32];
    for (unsigned k = 0; k < 4; k++)
        fill(sum[k], 0);
    if (!p->may_leave)
        fill(left, 0);
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
 * exponent of those that have weight says what 1 is. */
typedef struct {
    words exponent; /* field, in place */
    words unit;     /* f32: texels are multiplied with it */
    words negative; /* sign: all that are there have it */
    /* Not 0: the exponent is too small for what follows, or a texel is no
     * number, which counts without weight, too. */
    words odd;
} cutting;

static inline ALWAYS cutting
find_cutting(const footprint *f, const corner_values value, unsigned from,
             unsigned end, uint32_t digits, int i)
{
    const words field = (words){0} + 0x7f800000;
    cutting cut = {.negative = ~(words){0}};
    ints e = {0}, any = {0};
    for (unsigned c = from; c < end; c++) {
        words v = AT(value[c], i), hidden = AT(f->hidden[c], i);
        ints x = (ints)(v & 0x7fffffff & ~hidden);
        any = larger_int(any, x);
        e = larger_int(e, x & (ints)(AT(f->weight[c], i) != 0));
        cut.negative &= v | hidden;
    }
    e &= (ints)field;
    e |= (e == 0) & 127 << 23;
    cut.exponent = (words)e;
    cut.unit = ((254 + digits) << 23) - cut.exponent;
    cut.odd = (words)(any >= (ints)field) | (words)(e < 36 << 23);
    return cut;
}

static inline words
cut_texel(const cutting *cut, const corner_values value, unsigned c, int i)
{
    floats y = (floats)AT(value[c], i) * (floats)cut->unit;
    return (words) __builtin_convertvector(y, ints);
}

/* The sum of a slice: 37 bits, those from the 15th on in `upper`. */
typedef struct {
    words upper, lower;
} long_sum;

static inline ALWAYS long_sum
sum_cut(const footprint *f, const corner_values value, const cutting *cut,
        unsigned from, unsigned end, int i)
{
    long_sum sum = {{0}, {0}};
    for (unsigned c = from; c < end; c++) {
        words x = cut_texel(cut, value, c, i), w = AT(f->weight[c], i);
        sum.upper += small_product((words)((ints)x >> 14), w);
        sum.lower += small_product(x & 0x3fff, w);
    }
    return sum;
}

/* upper * unit + lower as a float, to nearest, ties away from zero; both are
 * whole numbers of less than 24 bits. */
static inline ALWAYS floats
round_sum(words upper, words lower, float unit)
{
    floats high = __builtin_convertvector((ints)upper, floats) * unit;
    floats low = __builtin_convertvector((ints)lower, floats);
    floats sum = high + low, lost = low - (sum - high);
    floats twice = lost + lost, next = sum + twice;
    words is_tie = (words)(lost != 0) & (words)(next - sum == twice);
    words away = (words)((ints)((words)next & 0x7fffffff) >
                         (ints)((words)sum & 0x7fffffff));
    return (floats)pick(is_tie & away, (words)next, (words)sum);
}

/* One channel of f32 in up to four corners. False: not of these. */
static inline ALWAYS bool
filter_float(const footprint *f, const corner_values value, unsigned corners,
             uint32_t *to)
{
    words odd = {0};
    EACH(i)
    {
        cutting cut = find_cutting(f, value, 0, corners, 27, i);
        long_sum sum = sum_cut(f, value, &cut, 0, corners, i);
        floats r = round_sum(sum.upper, sum.lower, 0x1p14f);
        odd |= cut.odd | ((words)(r == 0) & cut.negative & 0x80000000);
        AT(to, i) = (words)(r * (floats)(cut.exponent - (35u << 23)));
    }
    return is_zero(odd);
}

/* Of a slice what sem_texture_grid leaves: times 2^by, rounded down. */
static inline ALWAYS long_sum
align_sum(long_sum sum, ints by)
{
    words upper = sum.upper + (sum.lower >> 14), lower = sum.lower & 0x3fff;
    ints down = -by & (by < 0), up = by & (by > 0), far = down - 14;
    down = (ints)pick((words)(far > 0), (words){0} + 14, (words)down);
    far =
        (ints)pick((words)(far > 31), (words){0} + 31, (words)far) & (far > 0);
    words rest = upper & ((((words){0} + 1) << (words)down) - 1);
    lower = (rest << 14 | lower) >> (words)down;
    upper = (words)((ints)upper >> down);
    /* Beyond 14 digits the lower ones are the upper ones. */
    words all = (words)((ints)(upper << 14 | lower) >> far);
    lower = pick((words)(far > 0), all, lower << (words)up);
    upper = pick((words)(far > 0), (words){0}, upper << (words)up);
    return (long_sum){upper, lower};
}

/* The same of eight corners: see sum_slices of sem/texture.c. */
static bool
filter_volume(const footprint *f, const corner_values value, uint32_t *to)
{
    words odd = {0};
    EACH(i)
    {
        cutting all = find_cutting(f, value, 0, 8, 27, i);
        words group = all.exponent >> 25 << 25, upper = {0}, lower = {0};
        for (unsigned c = 0; c < 8; c += 4) {
            cutting cut = find_cutting(f, value, c, c + 4, 27, i);
            long_sum sum = sum_cut(f, value, &cut, c, c + 4, i);
            ints by = (ints)cut.exponent - (ints)group;
            sum = align_sum(sum, by >> 23);
            upper += (words)((ints)sum.upper >> 6);
            lower += ((sum.upper & 63) << 14) + sum.lower;
            odd |= cut.odd;
        }
        floats r = round_sum(upper, lower, 0x1p20f);
        odd |= (words)(r == 0) & all.negative & 0x80000000;
        odd |= (words)((ints)group < 40 << 23);
        AT(to, i) = (words)(r * (floats)(group - (35u << 23)));
    }
    return is_zero(odd);
}

/* One channel of f16: ties away from zero. */
static inline ALWAYS bool
filter_half(const footprint *f, const corner_values value, unsigned corners,
            uint32_t *to)
{
    words odd = {0};
    EACH(i)
    {
        cutting cut = find_cutting(f, value, 0, corners, 14, i);
        words sum = {0};
        for (unsigned c = 0; c < corners; c++)
            sum += small_product(cut_texel(&cut, value, c, i),
                                 AT(f->weight[c], i));
        floats y = __builtin_convertvector((ints)sum, floats) *
                   (floats)(cut.exponent - (22u << 23));
        words digits = (words)y & 0x7fffffff, sign = (words)y & 0x80000000;
        words normal = (digits + 0x1000) & 0xffffe000;
        words is_small = (words)((ints)digits < 0x38800000); /* 2^-14 */
        floats small = (floats)(digits & is_small) * 0x1p24f;
        ints whole = __builtin_convertvector(small, ints);
        floats part = small - __builtin_convertvector(whole, floats);
        whole -= (ints)(part >= 0.5f);
        small = __builtin_convertvector(whole, floats) * 0x1p-24f;
        odd |= cut.odd | ((words)(sum == 0) & cut.negative & 0x80000000);
        AT(to, i) = pick(is_small, (words)small, normal) | sign;
    }
    return is_zero(odd);
}

static bool
filter_floats_of(const footprint *f, const corner_values value, uint32_t *to)
{
    return f->corners == 8   ? filter_volume(f, value, to)
           : f->corners == 4 ? filter_float(f, value, 4, to)
                             : filter_float(f, value, 2, to);
}

static bool
filter_halves_of(const footprint *f, const corner_values value, uint32_t *to)
{
    return f->corners == 4 ? filter_half(f, value, 4, to)
                           : filter_half(f, value, 2, to);
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
    ALIGNED uint32_t halves[CORNERS][4][32], left[32];
    corner_values channel;
    for (unsigned c = 0; c < f->corners; c++) {
        uint32_t *const word[4] = {f->word[c][0], f->word[c][1], NULL, NULL};
        if (!is_there(f, c)) {
            for (unsigned k = 0; k < p->channels; k++)
                fill(is_half ? halves[c][k] : f->word[c][k], 0);
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
            if (!filter_halves_of(f, channel, value[k]))
                return false;
        } else if (!filter_floats_of(f, channel, value[k])) {
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
