/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.cl - reading and writing images, and asking them (OpenCL C 3.0,
 * 6.15.15; 8.2 to 8.4 say how coordinates become elements and elements numbers).
 * Images lie in plain memory. Elements outside of one read as the border, and
 * are not written.
 */
#include "image.clh"

enum { CODING_UNSIGNED, CODING_SIGNED, CODING_SRGB, CODING_HALF, CODING_FLOAT };
enum { AS_THEY_LIE = 0x3210 }; /* to_color, to_memory */
enum { /* bits of a sampler */
       NORMALIZED = 1,
       ADDRESS_MODE = 0xe,
       CLAMP_TO_EDGE = 2,
       CLAMP = 4,
       REPEAT = 6,
       MIRRORED_REPEAT = 8,
       LINEAR = 0x20
};

uint __sw_sampler(sampler_t);
#define DECLARE(type, access) image __sw_##type##_##access(access type##_t);
IMAGES(DECLARE)

/* ---- elements in memory ---- */

/*
 * What an image's format says is data, not code: each use of a function would
 * have a copy of that code for each format.
 */
static ulong
place(image im, int x, int y, int z)
{
    if (im->is_small)
        return im->data + (uint)(z * (int)im->slice_bytes +
                                 y * (int)im->row_bytes +
                                 x * (int)im->element_bytes);
    return im->data + (ulong)z * im->slice_bytes + (ulong)y * im->row_bytes +
           (ulong)(uint)x * im->element_bytes;
}

/* The channels' bits, channel by channel; an element has 1, 2 or 4. */
#define GET(T)                                                                 \
    {                                                                          \
        const global T *p = (const global T *)at;                              \
        raw.x = p[0];                                                          \
        if (n > 1)                                                             \
            raw.y = p[1];                                                      \
        if (n > 2) {                                                           \
            raw.z = p[2];                                                      \
            raw.w = p[3];                                                      \
        }                                                                      \
    }

static NOINLINE uint4
get_channels(image im, ulong at)
{
    uint4 raw = 0;
    uint n = im->channels, bytes = im->channel_bytes;
    if (bytes == 4)
        GET(uint)
    else if (bytes == 2)
        GET(ushort)
    else
        GET(uchar)
    return raw;
}

/* An element as the number that it is in memory. */
static uint2
get_small(ulong at, uint bytes)
{
    if (bytes == 8)
        return *(const global uint2 *)at;
    uint bits = bytes == 4   ? *(const global uint *)at
                : bytes == 2 ? *(const global ushort *)at
                             : *(const global uchar *)at;
    return (uint2)(bits, 0);
}

/* The channels' bits; those that an element does not have are zeros. */
static uint4
get(image im, ulong at)
{
    uint whole = im->load_bytes, bytes = im->channel_bytes;
    if (whole == 16)
        return *(const global uint4 *)at;
    if (!whole)
        return get_channels(im, at);
    uint2 v = get_small(at, whole);
    if (bytes == 4)
        return (uint4)(v, 0, 0);
    uint4 halves = (uint4)(v.x & 0xffff, v.x >> 16, v.y & 0xffff, v.y >> 16);
    uint4 quarters = (uint4)(v.x, v.x >> 8, v.x >> 16, v.x >> 24) & 0xff;
    return bytes == 2 ? halves : quarters;
}

#define PUT(T)                                                                 \
    {                                                                          \
        global T *p = (global T *)at;                                          \
        p[0] = (T)raw.x;                                                       \
        if (n > 1)                                                             \
            p[1] = (T)raw.y;                                                   \
        if (n > 2) {                                                           \
            p[2] = (T)raw.z;                                                   \
            p[3] = (T)raw.w;                                                   \
        }                                                                      \
    }

static NOINLINE void
put_channels(image im, ulong at, uint4 raw)
{
    uint n = im->channels, bytes = im->channel_bytes;
    if (bytes == 4)
        PUT(uint)
    else if (bytes == 2)
        PUT(ushort)
    else
        PUT(uchar)
}

static void
put_small(ulong at, uint2 v, uint bytes)
{
    if (bytes == 8)
        *(global uint2 *)at = v;
    else if (bytes == 4)
        *(global uint *)at = v.x;
    else if (bytes == 2)
        *(global ushort *)at = (ushort)v.x;
    else
        *(global uchar *)at = (uchar)v.x;
}

static void
put(image im, ulong at, uint4 raw)
{
    uint whole = im->load_bytes, bytes = im->channel_bytes;
    if (whole == 16) {
        *(global uint4 *)at = raw;
    } else if (!whole) {
        put_channels(im, at, raw);
    } else {
        uint4 q = raw & 0xff, h = raw & 0xffff;
        uint2 halves = (uint2)(h.x | h.y << 16, h.z | h.w << 16);
        uint2 quarters = (uint2)(q.x | q.y << 8 | q.z << 16 | q.w << 24, 0);
        put_small(at,
                  bytes == 4   ? raw.xy
                  : bytes == 2 ? halves
                               : quarters,
                  whole);
    }
}

/* Bits of less than a word as signed numbers. */
static int4
extended(image im, uint4 raw)
{
    uint unused = 32 - 8 * im->channel_bytes;
    return as_int4(raw << unused) >> (int4)(int)unused;
}

#define ARRANGED(T4, T)                                                        \
    static OVER T chosen(T4 v, uint which)                                     \
    {                                                                          \
        T low = which & 1 ? v.y : v.x, high = which & 1 ? v.w : v.z;           \
        T constant_ = which & 1 ? 1 : 0;                                       \
        return which & 4 ? constant_ : which & 2 ? high : low;                 \
    }                                                                          \
    static OVER T4 arranged(T4 v, uint order)                                  \
    {                                                                          \
        if (order == AS_THEY_LIE)                                              \
            return v;                                                          \
        return (T4)(chosen(v, order & 7), chosen(v, order >> 4 & 7),           \
                    chosen(v, order >> 8 & 7), chosen(v, order >> 12 & 7));    \
    }
ARRANGED(float4, float)
ARRANGED(int4, int)
ARRANGED(uint4, uint)

float __sw_pow_f(float, float) __attribute__((const)); /* cuda.cu */

static float
to_linear(float s)
{
    return s <= 0.04045f ? s / 12.92f : __sw_pow_f((s + 0.055f) / 1.055f, 2.4f);
}

/* All but alpha, by one copy of the code. */
static NOINLINE float4
linear_colors(float4 v)
{
    __attribute__((opencl_unroll_hint(1)))
    for (int i = 0; i < 3; i++)
        v = (float4)(v.yz, to_linear(v.x), v.w);
    return v;
}

/* v / unit, correctly rounded for all bits of 8 and 16. */
static float4
normalised(image im, uint4 raw, uint coding)
{
    int4 whole = coding == CODING_SIGNED ? extended(im, raw) : as_int4(raw);
    float4 v = convert_float4(whole), unit = im->unit, inverse = 1 / unit.x;
    float4 near = v * inverse, rest = FMA(-near, unit, v);
    v = FMA(rest, inverse, near);
    return coding == CODING_SRGB ? linear_colors(v) : GREATER(v, (float4)-1);
}

/* Elements of four words as they lie are common, and need no more than a load;
 * this is what the others need. */
static float4
decoded_f(image im, ulong at)
{
    uint4 raw = get(im, at);
    uint coding = im->coding;
    float4 v = coding == CODING_FLOAT ? as_float4(raw)
               : coding == CODING_HALF
                   ? convert_float4(as_half4(convert_ushort4(raw)))
                   : normalised(im, raw, coding);
    return arranged(v, im->to_color);
}

static int4
decoded_i(image im, ulong at)
{
    return arranged(extended(im, get(im, at)), im->to_color);
}

static uint4
decoded_ui(image im, ulong at)
{
    return arranged(get(im, at), im->to_color);
}

#define ELEMENT(T4, kind)                                                      \
    static T4 element_##kind(image im, int x, int y, int z)                    \
    {                                                                          \
        int row = (int)(im->row_bytes / sizeof(T4));                           \
        int slice = (int)(im->slice_bytes / sizeof(T4));                       \
        if (im->is_plain)                                                      \
            return ((const global T4 *)im->data)[z * slice + y * row + x];     \
        return decoded_##kind(im, place(im, x, y, z));                         \
    }
ELEMENT(float4, f)
ELEMENT(int4, i)
ELEMENT(uint4, ui)

static bool
is_inside(image im, int x, int y, int z, int slices)
{
    return x >= 0 && x < im->width && y >= 0 && y < im->height && z >= 0 &&
           z < slices;
}

/* To the nearest whole number that the channel can have; NaN: 0. */
static uint4
rounded(image im, float4 v)
{
    int most = (int)im->unit;
    int least = im->coding == CODING_SIGNED ? -most - 1 : 0;
    int4 whole = convert_int4_sat_rte(v * im->unit);
    return as_uint4(LESSER(GREATER(whole, (int4)least), (int4)most));
}

static void
put_f(image im, int x, int y, int z, int slices, float4 v)
{
    if (!is_inside(im, x, y, z, slices))
        return;
    uint coding = im->coding;
    v = arranged(v, im->to_memory);
    put(im, place(im, x, y, z),
        coding == CODING_FLOAT  ? as_uint4(v)
        : coding == CODING_HALF ? convert_uint4(as_ushort4(convert_half4(v)))
                                : rounded(im, v));
}

static void
put_i(image im, int x, int y, int z, int slices, int4 v)
{
    if (!is_inside(im, x, y, z, slices))
        return;
    int most = (int)(0x7fffffffu >> (32 - 8 * im->channel_bytes));
    v = LESSER(GREATER(v, (int4)(-most - 1)), (int4)most);
    put(im, place(im, x, y, z), as_uint4(arranged(v, im->to_memory)));
}

static void
put_ui(image im, int x, int y, int z, int slices, uint4 v)
{
    if (!is_inside(im, x, y, z, slices))
        return;
    v = LESSER(v, (uint4)(0xffffffffu >> (32 - 8 * im->channel_bytes)));
    put(im, place(im, x, y, z), arranged(v, im->to_memory));
}

/* ---- coordinates ---- */

static int
within(int i, int least, int most)
{
    return i < least ? least : i > most ? most : i;
}

/* The element that an index means; *is_border: the border beyond it. */
static int
address(int i, int size, uint mode, bool *is_border)
{
    if (mode == REPEAT) /* of unnormalised coordinates only by mistake */
        i = i < 0 ? i + size : i >= size ? i - size : i;
    int inside = within(i, 0, size - 1);
    *is_border |= mode == CLAMP && inside != i;
    return inside;
}

/* A coordinate in elements, those of repeated images within the first one. */
static float
scale(float s, int size, uint sampler)
{
    uint mode = sampler & ADDRESS_MODE;
    if (!(sampler & NORMALIZED))
        return s;
    if (mode == REPEAT)
        s -= FLOOR(s);
    if (mode == MIRRORED_REPEAT)
        s = ABS(s - 2 * RINT(0.5f * s));
    return s * size;
}

static int
nearest(float s, int size, uint sampler, bool *is_border)
{
    return address(convert_int_sat_rtn(scale(s, size, sampler)), size,
                   sampler & ADDRESS_MODE, is_border);
}

static int
layer(float s, int size)
{
    return within(convert_int_sat_rte(s), 0, size - 1);
}

/* ---- samplers ---- */

/* Beside the border the element that is nearest is read for nothing. */
#define READER(T4, kind)                                                       \
    static T4 at_##kind(image im, int x, int y, int z, bool is_border)         \
    {                                                                          \
        T4 v = element_##kind(im, x, y, z);                                    \
        return is_border ? (T4)(0, 0, 0, im->border_alpha) : v;                \
    }                                                                          \
    static T4 whole_##kind(image im, uint sampler, int x, int y, int z,        \
                           int slices, bool is_array)                          \
    {                                                                          \
        uint mode = sampler & ADDRESS_MODE;                                    \
        bool is_border = false;                                                \
        x = address(x, im->width, mode, &is_border);                           \
        y = address(y, im->height, mode, &is_border);                          \
        z = is_array ? within(z, 0, slices - 1)                                \
                     : address(z, slices, mode, &is_border);                   \
        return at_##kind(im, x, y, z, is_border);                              \
    }                                                                          \
    static T4 nearest_##kind(image im, uint sampler, float4 s, int dimensions, \
                             int slices, bool is_array)                        \
    {                                                                          \
        bool is_border = false;                                                \
        int x = nearest(s.x, im->width, sampler, &is_border), y = 0, z = 0;    \
        if (dimensions > 1)                                                    \
            y = nearest(s.y, im->height, sampler, &is_border);                 \
        if (is_array)                                                          \
            z = layer(s.z, slices);                                            \
        else if (dimensions > 2)                                               \
            z = nearest(s.z, slices, sampler, &is_border);                     \
        return at_##kind(im, x, y, z, is_border);                              \
    }
READER(float4, f)
READER(int4, i)
READER(uint4, ui)

/* The two elements beside a coordinate, and how much of each there is. */
typedef struct {
    int at[2];
    float part[2];
    bool is_border[2];
} pair;

static pair
between(float s, int size, uint sampler)
{
    float u = scale(s, size, sampler) - 0.5f, part = u - FLOOR(u);
    int i = convert_int_sat_rtn(u);
    uint mode = sampler & ADDRESS_MODE;
    pair p = {.part = {1 - part, part}};
    p.at[0] = address(i, size, mode, &p.is_border[0]);
    p.at[1] = address(i + 1, size, mode, &p.is_border[1]);
    return p;
}

static float4
linear_f(image im, uint sampler, float4 s, int dimensions, int slices,
         bool is_array)
{
    pair x = between(s.x, im->width, sampler), y = {.part = {1}}, z = y;
    if (dimensions > 1)
        y = between(s.y, im->height, sampler);
    if (is_array)
        z.at[0] = layer(s.z, slices);
    else if (dimensions > 2)
        z = between(s.z, slices, sampler);
    float4 sum = 0;
    /* One element after another, so that there is one copy of what reads it. */
    __attribute__((opencl_unroll_hint(1)))
    for (int n = 0; n < 1 << dimensions; n++) {
        bool i = n & 1, j = n & 2, k = n & 4;
        float part = (k ? z.part[1] : z.part[0]) * (j ? y.part[1] : y.part[0]);
        bool is_border = (i ? x.is_border[1] : x.is_border[0]) |
                         (j ? y.is_border[1] : y.is_border[0]) |
                         (k ? z.is_border[1] : z.is_border[0]);
        sum += part * (i ? x.part[1] : x.part[0]) *
               at_f(im, i ? x.at[1] : x.at[0], j ? y.at[1] : y.at[0],
                    k ? z.at[1] : z.at[0], is_border);
    }
    return sum;
}

static float4
sample_f(image im, uint sampler, float4 s, int dimensions, int slices,
         bool is_array)
{
    return sampler & LINEAR
               ? linear_f(im, sampler, s, dimensions, slices, is_array)
               : nearest_f(im, sampler, s, dimensions, slices, is_array);
}
#define sample_i  nearest_i
#define sample_ui nearest_ui

/* ---- the functions ---- */

/*
 * M(shape, access, dimensions, slices, is_array, float coordinates, whole
 * ones, how these become float4 and x, y, z)
 */
#define FLOAT_OF_1(s)  (float4)(s, 0, 0, 0)
#define FLOAT_OF_1A(s) (float4)((s).x, 0, (s).y, 0)
#define FLOAT_OF_2(s)  (float4)(s, 0, 0)
#define FLOAT_OF_3(s)  (s)
#define WHOLE_OF_1(s)  s, 0, 0
#define WHOLE_OF_1A(s) (s).x, 0, (s).y
#define WHOLE_OF_2(s)  (s).x, (s).y, 0
#define WHOLE_OF_3(s)  (s).x, (s).y, (s).z
#define COLOUR_SHAPES(M, access)                                               \
    M(image1d, access, 1, 1, false, float, int, 1)                             \
    M(image1d_array, access, 1, im->array_size, true, float2, int2, 1A)        \
    M(image2d, access, 2, 1, false, float2, int2, 2)                           \
    M(image2d_array, access, 2, im->array_size, true, float4, int4, 3)         \
    M(image3d, access, 3, im->depth, false, float4, int4, 3)
#define DEPTH_SHAPES(M, access)                                                \
    M(image2d_depth, access, 2, 1, false, float2, int2, 2)                     \
    M(image2d_array_depth, access, 2, im->array_size, true, float4, int4, 3)
#define BUFFER_SHAPE(M, access)                                                \
    M(image1d_buffer, access, 1, 1, false, float, int, 1)

#define SAMPLED(R, f, kind, last, shape, dimensions, slices, is_array, F, I,   \
                how)                                                           \
    OVER R f(read_only shape##_t x, sampler_t s, F at)                         \
    {                                                                          \
        image im = __sw_##shape##_read_only(x);                                \
        return last(sample_##kind(im, __sw_sampler(s), FLOAT_OF_##how(at),     \
                                  dimensions, slices, is_array));              \
    }                                                                          \
    OVER R f(read_only shape##_t x, sampler_t s, I at)                         \
    {                                                                          \
        image im = __sw_##shape##_read_only(x);                                \
        return last(whole_##kind(im, __sw_sampler(s), WHOLE_OF_##how(at),      \
                                 slices, is_array));                           \
    }
#define PLAIN(R, f, kind, last, shape, access, slices, is_array, I, how)       \
    OVER R f(access shape##_t x, I at)                                         \
    {                                                                          \
        image im = __sw_##shape##_##access(x);                                 \
        return last(whole_##kind(im, CLAMP_TO_EDGE, WHOLE_OF_##how(at),        \
                                 slices, is_array));                           \
    }
#define AS_IS(v)    v
#define FIRST(v)    (v).x
#define AS_HALF(v)  convert_half4(v)

#define SAMPLED_ALL(shape, access, dimensions, slices, is_array, F, I, how)    \
    SAMPLED(float4, read_imagef, f, AS_IS, shape, dimensions, slices,          \
            is_array, F, I, how)                                               \
    SAMPLED(half4, read_imageh, f, AS_HALF, shape, dimensions, slices,         \
            is_array, F, I, how)                                               \
    SAMPLED(int4, read_imagei, i, AS_IS, shape, dimensions, slices, is_array,  \
            F, I, how)                                                         \
    SAMPLED(uint4, read_imageui, ui, AS_IS, shape, dimensions, slices,         \
            is_array, F, I, how)
COLOUR_SHAPES(SAMPLED_ALL, read_only)
#define SAMPLED_DEPTH(shape, access, dimensions, slices, is_array, F, I, how)  \
    SAMPLED(float, read_imagef, f, FIRST, shape, dimensions, slices, is_array, \
            F, I, how)
DEPTH_SHAPES(SAMPLED_DEPTH, read_only)

#define PLAIN_ALL(shape, access, dimensions, slices, is_array, F, I, how)      \
    PLAIN(float4, read_imagef, f, AS_IS, shape, access, slices, is_array, I,   \
          how)                                                                 \
    PLAIN(half4, read_imageh, f, AS_HALF, shape, access, slices, is_array, I,  \
          how)                                                                 \
    PLAIN(int4, read_imagei, i, AS_IS, shape, access, slices, is_array, I,     \
          how)                                                                 \
    PLAIN(uint4, read_imageui, ui, AS_IS, shape, access, slices, is_array, I,  \
          how)
#define PLAIN_DEPTH(shape, access, dimensions, slices, is_array, F, I, how)    \
    PLAIN(float, read_imagef, f, FIRST, shape, access, slices, is_array, I,    \
          how)
COLOUR_SHAPES(PLAIN_ALL, read_only)
COLOUR_SHAPES(PLAIN_ALL, read_write)
BUFFER_SHAPE(PLAIN_ALL, read_only)
BUFFER_SHAPE(PLAIN_ALL, read_write)
DEPTH_SHAPES(PLAIN_DEPTH, read_only)
DEPTH_SHAPES(PLAIN_DEPTH, read_write)

#define WRITTEN(f, kind, V, conversion, shape, access, slices, I, how)         \
    OVER void f(access shape##_t x, I at, V v)                                 \
    {                                                                          \
        image im = __sw_##shape##_##access(x);                                 \
        put_##kind(im, WHOLE_OF_##how(at), slices, conversion(v));             \
    }
#define FROM_HALF(v)  convert_float4(v)
#define FROM_DEPTH(v) (float4)(v)
#define WRITTEN_ALL(shape, access, dimensions, slices, is_array, F, I, how)    \
    WRITTEN(write_imagef, f, float4, AS_IS, shape, access, slices, I, how)     \
    WRITTEN(write_imageh, f, half4, FROM_HALF, shape, access, slices, I, how)  \
    WRITTEN(write_imagei, i, int4, AS_IS, shape, access, slices, I, how)       \
    WRITTEN(write_imageui, ui, uint4, AS_IS, shape, access, slices, I, how)
#define WRITTEN_DEPTH(shape, access, dimensions, slices, is_array, F, I, how)  \
    WRITTEN(write_imagef, f, float, FROM_DEPTH, shape, access, slices, I, how)
COLOUR_SHAPES(WRITTEN_ALL, write_only)
COLOUR_SHAPES(WRITTEN_ALL, read_write)
BUFFER_SHAPE(WRITTEN_ALL, write_only)
BUFFER_SHAPE(WRITTEN_ALL, read_write)
DEPTH_SHAPES(WRITTEN_DEPTH, write_only)
DEPTH_SHAPES(WRITTEN_DEPTH, read_write)

/* ---- what an image is ---- */

#define ASKED(R, f, shape, access, expression)                                 \
    PURE R f(access shape##_t x)                                               \
    {                                                                          \
        image im = __sw_##shape##_##access(x);                                 \
        return expression;                                                     \
    }
#define ASKED_ALL(shape, access)                                               \
    ASKED(int, get_image_width, shape, access, im->width)                      \
    ASKED(int, get_image_channel_data_type, shape, access, (int)im->type)      \
    ASKED(int, get_image_channel_order, shape, access, (int)im->order)
IMAGES(ASKED_ALL)
#define ASKED_2D(shape, access)                                                \
    ASKED(int, get_image_height, shape, access, im->height)                    \
    ASKED(int2, get_image_dim, shape, access, (int2)(im->width, im->height))
#define ASKED_ARRAY(shape, access)                                             \
    ASKED(size_t, get_image_array_size, shape, access, (size_t)im->array_size)
#define ASKED_OF(access)                                                       \
    ASKED_2D(image2d, access)                                                  \
    ASKED_2D(image2d_array, access)                                            \
    ASKED_2D(image2d_depth, access)                                            \
    ASKED_2D(image2d_array_depth, access)                                      \
    ASKED_ARRAY(image1d_array, access)                                         \
    ASKED_ARRAY(image2d_array, access)                                         \
    ASKED_ARRAY(image2d_array_depth, access)                                   \
    ASKED(int, get_image_height, image3d, access, im->height)                  \
    ASKED(int, get_image_depth, image3d, access, im->depth)                    \
    ASKED(int4, get_image_dim, image3d, access,                                \
          (int4)(im->width, im->height, im->depth, 0))
ASKED_OF(read_only)
ASKED_OF(write_only)
ASKED_OF(read_write)
