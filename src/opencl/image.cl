/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.cl - reading and writing images, and asking them (OpenCL C 3.0,
 * 6.15.15; 8.2 to 8.4 say how coordinates become elements and elements numbers).
 * Images lie in plain memory. Elements outside of one read as the border, and
 * are not written.
 */
#include "image.clh"

/* cl.h's names for the formats. */
enum {
    ORDER_R = 0x10B0,
    ORDER_A,
    ORDER_RG,
    ORDER_RA,
    ORDER_RGB,
    ORDER_RGBA,
    ORDER_BGRA,
    ORDER_ARGB,
    ORDER_INTENSITY,
    ORDER_LUMINANCE,
    ORDER_RX,
    ORDER_RGX,
    ORDER_RGBX,
    ORDER_DEPTH,
    ORDER_SRGB = 0x10BF,
    ORDER_SRGBX,
    ORDER_SRGBA,
    ORDER_SBGRA,
    ORDER_ABGR
};
enum {
    SNORM_8 = 0x10D0,
    SNORM_16,
    UNORM_8,
    UNORM_16,
    UNORM_565,
    UNORM_555,
    UNORM_101010,
    SIGNED_8,
    SIGNED_16,
    SIGNED_32,
    UNSIGNED_8,
    UNSIGNED_16,
    UNSIGNED_32,
    HALF_FLOAT,
    FLOAT
};
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

/* ---- formats ---- */

static bool
has_border_alpha(uint order)
{
    return order != ORDER_R && order != ORDER_RG && order != ORDER_RGB &&
           order != ORDER_LUMINANCE && order != ORDER_SRGB &&
           order != ORDER_DEPTH;
}

/* Channels in memory, by order. */
static int
channels(uint order)
{
    switch (order) {
    case ORDER_RG:
    case ORDER_RA:
    case ORDER_RX:
        return 2;
    case ORDER_RGB:
    case ORDER_RGX:
    case ORDER_SRGB:
        return 3;
    case ORDER_RGBA:
    case ORDER_BGRA:
    case ORDER_ARGB:
    case ORDER_ABGR:
    case ORDER_RGBX:
    case ORDER_SRGBX:
    case ORDER_SRGBA:
    case ORDER_SBGRA:
        return 4;
    default:
        return 1;
    }
}

/* Channels as they lie in memory to red, green, blue, alpha; back. */
#define ARRANGE(T4, T)                                                         \
    static OVER T4 arrange(T4 v, uint order)                                   \
    {                                                                          \
        switch (order) {                                                       \
        case ORDER_R:                                                          \
        case ORDER_RX:                                                         \
        case ORDER_DEPTH:                                                      \
            return (T4)(v.x, 0, 0, 1);                                         \
        case ORDER_A:                                                          \
            return (T4)(0, 0, 0, v.x);                                         \
        case ORDER_RG:                                                         \
        case ORDER_RGX:                                                        \
            return (T4)(v.xy, 0, 1);                                           \
        case ORDER_RA:                                                         \
            return (T4)(v.x, 0, 0, v.y);                                       \
        case ORDER_RGB:                                                        \
        case ORDER_RGBX:                                                       \
        case ORDER_SRGB:                                                       \
        case ORDER_SRGBX:                                                      \
            return (T4)(v.xyz, 1);                                             \
        case ORDER_BGRA:                                                       \
        case ORDER_SBGRA:                                                      \
            return v.zyxw;                                                     \
        case ORDER_ARGB:                                                       \
            return v.yzwx;                                                     \
        case ORDER_ABGR:                                                       \
            return v.wzyx;                                                     \
        case ORDER_INTENSITY:                                                  \
            return v.xxxx;                                                     \
        case ORDER_LUMINANCE:                                                  \
            return (T4)(v.xxx, 1);                                             \
        default:                                                               \
            return v;                                                          \
        }                                                                      \
    }                                                                          \
    static OVER T4 to_memory(T4 v, uint order)                                 \
    {                                                                          \
        switch (order) {                                                       \
        case ORDER_A:                                                          \
            return v.wwww;                                                     \
        case ORDER_RA:                                                         \
            return v.xwww;                                                     \
        case ORDER_BGRA:                                                       \
        case ORDER_SBGRA:                                                      \
            return v.zyxw;                                                     \
        case ORDER_ARGB:                                                       \
            return v.wxyz;                                                     \
        case ORDER_ABGR:                                                       \
            return v.wzyx;                                                     \
        default:                                                               \
            return v;                                                          \
        }                                                                      \
    }
ARRANGE(float4, float)
ARRANGE(int4, int)
ARRANGE(uint4, uint)

/* ---- elements in memory ---- */

static ulong
place(image im, int x, int y, int z)
{
    return im->data + (ulong)z * im->slice_bytes + (ulong)y * im->row_bytes +
           (ulong)x * im->element_bytes;
}

#define LOAD(T, n)                                                             \
    T##4 raw = 0;                                                              \
    const global T *p = (const global T *)at;                                  \
    raw.x = p[0];                                                              \
    if (n > 1)                                                                 \
        raw.y = p[1];                                                          \
    if (n > 2)                                                                 \
        raw.z = p[2];                                                          \
    if (n > 3)                                                                 \
        raw.w = p[3]

float __sw_pow_f(float, float) __attribute__((const)); /* cuda.cu */

static float
to_linear(float s)
{
    return s <= 0.04045f ? s / 12.92f : __sw_pow_f((s + 0.055f) / 1.055f, 2.4f);
}

/* Packed in one word, the last channel lowest. */
static float4
unpack(ulong at, uint type)
{
    if (type == UNORM_101010) {
        uint v = *(const global uint *)at;
        return convert_float4((uint4)(v >> 20 & 1023, v >> 10 & 1023, v & 1023,
                                      0)) /
               1023.0f;
    }
    uint v = *(const global ushort *)at;
    if (type == UNORM_565)
        return convert_float4((uint4)(v >> 11 & 31, v >> 5 & 63, v & 31, 0)) /
               (float4)(31, 63, 31, 1);
    return convert_float4((uint4)(v >> 10 & 31, v >> 5 & 31, v & 31, 0)) /
           31.0f;
}

static float4
channels_f(image im, ulong at)
{
    int n = channels(im->order);
    switch (im->type) {
    case SNORM_8: {
        LOAD(char, n);
        return GREATER(convert_float4(raw) / 127.0f, (float4)-1);
    }
    case SNORM_16: {
        LOAD(short, n);
        return GREATER(convert_float4(raw) / 32767.0f, (float4)-1);
    }
    case UNORM_8: {
        LOAD(uchar, n);
        return convert_float4(raw) / 255.0f;
    }
    case UNORM_16: {
        LOAD(ushort, n);
        return convert_float4(raw) / 65535.0f;
    }
    case UNORM_565:
    case UNORM_555:
    case UNORM_101010:
        return unpack(at, im->type);
    case HALF_FLOAT: {
        LOAD(half, n);
        return convert_float4(raw);
    }
    default: {
        LOAD(float, n);
        return raw;
    }
    }
}

static float4
element_f(image im, int x, int y, int z)
{
    float4 v = channels_f(im, place(im, x, y, z));
    uint order = im->order;
    if (order >= ORDER_SRGB && order <= ORDER_SBGRA)
        v = (float4)(to_linear(v.x), to_linear(v.y), to_linear(v.z), v.w);
    return arrange(v, order);
}

static int4
element_i(image im, int x, int y, int z)
{
    ulong at = place(im, x, y, z);
    int n = channels(im->order);
    int4 v;
    if (im->type == SIGNED_8) {
        LOAD(char, n);
        v = convert_int4(raw);
    } else if (im->type == SIGNED_16) {
        LOAD(short, n);
        v = convert_int4(raw);
    } else {
        LOAD(int, n);
        v = raw;
    }
    return arrange(v, im->order);
}

static uint4
element_ui(image im, int x, int y, int z)
{
    ulong at = place(im, x, y, z);
    int n = channels(im->order);
    uint4 v;
    if (im->type == UNSIGNED_8) {
        LOAD(uchar, n);
        v = convert_uint4(raw);
    } else if (im->type == UNSIGNED_16) {
        LOAD(ushort, n);
        v = convert_uint4(raw);
    } else {
        LOAD(uint, n);
        v = raw;
    }
    return arrange(v, im->order);
}

#define STORE(T, value)                                                        \
    {                                                                          \
        T##4 raw = value;                                                      \
        global T *p = (global T *)at;                                          \
        p[0] = raw.x;                                                          \
        if (n > 1)                                                             \
            p[1] = raw.y;                                                      \
        if (n > 2)                                                             \
            p[2] = raw.z;                                                      \
        if (n > 3)                                                             \
            p[3] = raw.w;                                                      \
        break;                                                                 \
    }

static bool
is_inside(image im, int x, int y, int z, int slices)
{
    return x >= 0 && x < im->width && y >= 0 && y < im->height && z >= 0 &&
           z < slices;
}

static void
pack(ulong at, uint type, float4 v)
{
    if (type == UNORM_101010) {
        uint4 c = LESSER(convert_uint4_sat_rte(v * 1023.0f), (uint4)1023);
        *(global uint *)at = c.x << 20 | c.y << 10 | c.z;
        return;
    }
    bool is_565 = type == UNORM_565;
    float4 most = (float4)(31, is_565 ? 63 : 31, 31, 1);
    uint4 c = convert_uint4_sat_rte(LESSER(GREATER(v, (float4)0), (float4)1) * most);
    *(global ushort *)at =
        (ushort)(c.x << (is_565 ? 11 : 10) | c.y << 5 | c.z);
}

static void
put_f(image im, int x, int y, int z, int slices, float4 v)
{
    if (!is_inside(im, x, y, z, slices))
        return;
    ulong at = place(im, x, y, z);
    int n = channels(im->order);
    v = to_memory(v, im->order);
    switch (im->type) {
    case SNORM_8:
        STORE(char, convert_char4_sat_rte(v * 127.0f))
    case SNORM_16:
        STORE(short, convert_short4_sat_rte(v * 32767.0f))
    case UNORM_8:
        STORE(uchar, convert_uchar4_sat_rte(v * 255.0f))
    case UNORM_16:
        STORE(ushort, convert_ushort4_sat_rte(v * 65535.0f))
    case UNORM_565:
    case UNORM_555:
    case UNORM_101010:
        pack(at, im->type, v);
        break;
    case HALF_FLOAT:
        STORE(half, convert_half4(v))
    default:
        STORE(float, v)
    }
}

static void
put_i(image im, int x, int y, int z, int slices, int4 v)
{
    if (!is_inside(im, x, y, z, slices))
        return;
    ulong at = place(im, x, y, z);
    int n = channels(im->order);
    v = to_memory(v, im->order);
    switch (im->type) {
    case SIGNED_8:
        STORE(char, convert_char4_sat(v))
    case SIGNED_16:
        STORE(short, convert_short4_sat(v))
    default:
        STORE(int, v)
    }
}

static void
put_ui(image im, int x, int y, int z, int slices, uint4 v)
{
    if (!is_inside(im, x, y, z, slices))
        return;
    ulong at = place(im, x, y, z);
    int n = channels(im->order);
    v = to_memory(v, im->order);
    switch (im->type) {
    case UNSIGNED_8:
        STORE(uchar, convert_uchar4_sat(v))
    case UNSIGNED_16:
        STORE(ushort, convert_ushort4_sat(v))
    default:
        STORE(uint, v)
    }
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

#define READER(T4, kind)                                                       \
    static T4 border_##kind(image im)                                          \
    {                                                                          \
        return (T4)(0, 0, 0, has_border_alpha(im->order) ? 0 : 1);             \
    }                                                                          \
    static T4 at_##kind(image im, int x, int y, int z, int slices)             \
    {                                                                          \
        return is_inside(im, x, y, z, slices) ? element_##kind(im, x, y, z)    \
                                              : border_##kind(im);             \
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
    for (int k = 0; k < (dimensions > 2 ? 2 : 1); k++)
        for (int j = 0; j < (dimensions > 1 ? 2 : 1); j++) {
            float weight = (k ? c : 1 - c) * (j ? b : 1 - b);
            sum += weight * (1 - a) * at_f(im, x[0], y[j], z[k], slices);
            sum += weight * a * at_f(im, x[1], y[j], z[k], slices);
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
