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
    return im->data + (ulong)z * im->slice_bytes + (ulong)y * im->row_bytes +
           (ulong)x * im->element_bytes;
}

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

/* The channels' bits; an element has 1, 2 or 4 channels. */
static uint4
get(image im, ulong at)
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

static void
put(image im, ulong at, uint4 raw)
{
    uint n = im->channels, bytes = im->channel_bytes;
    if (bytes == 4)
        PUT(uint)
    else if (bytes == 2)
        PUT(ushort)
    else
        PUT(uchar)
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

static float4
normalised(image im, uint4 raw, uint coding)
{
    int4 whole = coding == CODING_SIGNED ? extended(im, raw) : as_int4(raw);
    float4 v = convert_float4(whole) / im->unit;
    if (coding == CODING_SRGB)
        return (float4)(to_linear(v.x), to_linear(v.y), to_linear(v.z), v.w);
    return GREATER(v, (float4)-1);
}

static float4
element_f(image im, int x, int y, int z)
{
    uint4 raw = get(im, place(im, x, y, z));
    uint coding = im->coding;
    float4 v = coding == CODING_FLOAT ? as_float4(raw)
               : coding == CODING_HALF
                   ? convert_float4(as_half4(convert_ushort4(raw)))
                   : normalised(im, raw, coding);
    return arranged(v, im->to_color);
}

static int4
element_i(image im, int x, int y, int z)
{
    return arranged(extended(im, get(im, place(im, x, y, z))), im->to_color);
}

static uint4
element_ui(image im, int x, int y, int z)
{
    return arranged(get(im, place(im, x, y, z)), im->to_color);
}

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

/* The element that an index means; size or -1: the border. */
static int
address(int i, int size, uint mode)
{
    if (mode == CLAMP)
        return within(i, -1, size);
    if (mode == REPEAT) /* of unnormalised coordinates only by mistake */
        return i < 0 ? i + size : i >= size ? i - size : i;
    return within(i, 0, size - 1);
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
nearest(float s, int size, uint sampler)
{
    return address(convert_int_sat_rtn(scale(s, size, sampler)), size,
                   sampler & ADDRESS_MODE);
}

static int
layer(float s, int size)
{
    return within(convert_int_sat_rte(s), 0, size - 1);
}

/* ---- samplers ---- */

/* Outside of the image the element that is nearest is read for nothing. */
#define READER(T4, kind)                                                       \
    static T4 at_##kind(image im, int x, int y, int z, int slices)             \
    {                                                                          \
        T4 v = element_##kind(im, within(x, 0, im->width - 1),                 \
                              within(y, 0, im->height - 1),                    \
                              within(z, 0, slices - 1));                       \
        return is_inside(im, x, y, z, slices) ? v                              \
                                              : (T4)(0, 0, 0, im->border_alpha); \
    }                                                                          \
    static T4 whole_##kind(image im, uint sampler, int x, int y, int z,        \
                           int slices, bool is_array)                          \
    {                                                                          \
        uint mode = sampler & ADDRESS_MODE;                                    \
        z = is_array ? within(z, 0, slices - 1) : address(z, slices, mode);     \
        return at_##kind(im, address(x, im->width, mode),                      \
                         address(y, im->height, mode), z, slices);             \
    }                                                                          \
    static T4 nearest_##kind(image im, uint sampler, float4 s, int dimensions, \
                             int slices, bool is_array)                        \
    {                                                                          \
        int x = nearest(s.x, im->width, sampler);                              \
        int y = dimensions > 1 ? nearest(s.y, im->height, sampler) : 0;        \
        int z = is_array         ? layer(s.z, slices)                          \
                : dimensions > 2 ? nearest(s.z, slices, sampler)               \
                                 : 0;                                          \
        return at_##kind(im, x, y, z, slices);                                 \
    }
READER(float4, f)
READER(int4, i)
READER(uint4, ui)

/* The two elements beside a coordinate, and where it is between them. */
static float
pair(float s, int size, uint sampler, int e[2])
{
    float u = scale(s, size, sampler) - 0.5f, low = FLOOR(u);
    int i = convert_int_sat_rtn(u);
    e[0] = address(i, size, sampler & ADDRESS_MODE);
    e[1] = address(i + 1, size, sampler & ADDRESS_MODE);
    return u - low;
}

static float4
linear_f(image im, uint sampler, float4 s, int dimensions, int slices,
         bool is_array)
{
    int x[2], y[2] = {0, 0}, z[2] = {0, 0};
    float a = pair(s.x, im->width, sampler, x), b = 0, c = 0;
    if (dimensions > 1)
        b = pair(s.y, im->height, sampler, y);
    if (is_array)
        z[0] = layer(s.z, slices);
    else if (dimensions > 2)
        c = pair(s.z, slices, sampler, z);
    float4 sum = 0;
    /* One element after another, so that there is one copy of what reads it. */
    __attribute__((opencl_unroll_hint(1)))
    for (int n = 0; n < 1 << dimensions; n++) {
        int i = n & 1, j = n >> 1 & 1, k = n >> 2;
        float weight = (k ? c : 1 - c) * (j ? b : 1 - b);
        sum += weight * (i ? a : 1 - a) *
               at_f(im, i ? x[1] : x[0], j ? y[1] : y[0], k ? z[1] : z[0],
                    slices);
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
