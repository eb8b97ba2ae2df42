/* SPDX-License-Identifier: Apache-2.0 */
/* image_format.c - the formats of images: which there are, and how a color
 * becomes an element (OpenCL 3.0 API, 5.3.1 and 8.3). */
#include <math.h>
#include <string.h>

#include "api/opencl/memory.h"
#include "sem/cvt.h"

/* Sets of channel types. */
enum {
    NORM8 = 1,
    NORM16 = 2,
    SNORM = 4,
    INT = 8,
    HALF = 16,
    FLOAT = 32,
    UINT8_TOO = 64, /* of 8 bits: UNORM, SNORM, SIGNED, UNSIGNED */
    ALL = NORM8 | NORM16 | SNORM | INT | HALF | FLOAT
};

enum { /* what an order can be used for */
       ANY = 0,
       DEPTH = 1,    /* 2D images and arrays of them */
       READ_ONLY = 2 /* kernels cannot write it */
};

/* `from`: which component of the color each channel is. The others are as
 * sw_cl_image has them. */
typedef struct {
    cl_channel_order order;
    uint8_t types, use;
    uint8_t channels;
    uint8_t from[4];
    uint32_t to_color, border_alpha;
} order_row;

static const order_row orders[] = {
    {CL_R, ALL, ANY, 1, {0}, 0x5440, 1},
    {CL_A, NORM8 | NORM16 | HALF | FLOAT, ANY, 1, {3}, 0x0444, 0},
    {CL_RG, ALL, ANY, 2, {0, 1}, 0x5410, 1},
    {CL_RGBA, ALL, ANY, 4, {0, 1, 2, 3}, 0x3210, 0},
    {CL_BGRA, UINT8_TOO, ANY, 4, {2, 1, 0, 3}, 0x3012, 0},
    {CL_ARGB, UINT8_TOO, ANY, 4, {3, 0, 1, 2}, 0x0321, 0},
    {CL_ABGR, UINT8_TOO, ANY, 4, {3, 2, 1, 0}, 0x0123, 0},
    {CL_INTENSITY, NORM8 | NORM16 | HALF | FLOAT, ANY, 1, {0}, 0x0000, 0},
    {CL_LUMINANCE, NORM8 | NORM16 | HALF | FLOAT, ANY, 1, {0}, 0x5000, 1},
    {CL_DEPTH, NORM16 | FLOAT, DEPTH, 1, {0}, 0x5440, 1},
    {CL_sRGBA, NORM8, READ_ONLY, 4, {0, 1, 2, 3}, 0x3210, 0},
};

typedef struct {
    cl_channel_type type;
    uint8_t set, bytes;
    uint8_t coding; /* SW_CL_CODING_... */
    uint16_t unit;  /* of normalised ones: what 1.0 is */
} type_row;

static const type_row types[] = {
    {CL_UNORM_INT8, NORM8 | UINT8_TOO, 1, SW_CL_CODING_UNSIGNED, 255},
    {CL_UNORM_INT16, NORM16, 2, SW_CL_CODING_UNSIGNED, 65535},
    {CL_SNORM_INT8, SNORM | UINT8_TOO, 1, SW_CL_CODING_SIGNED, 127},
    {CL_SNORM_INT16, SNORM, 2, SW_CL_CODING_SIGNED, 32767},
    {CL_SIGNED_INT8, INT | UINT8_TOO, 1, SW_CL_CODING_SIGNED, 0},
    {CL_SIGNED_INT16, INT, 2, SW_CL_CODING_SIGNED, 0},
    {CL_SIGNED_INT32, INT, 4, SW_CL_CODING_SIGNED, 0},
    {CL_UNSIGNED_INT8, INT | UINT8_TOO, 1, SW_CL_CODING_UNSIGNED, 0},
    {CL_UNSIGNED_INT16, INT, 2, SW_CL_CODING_UNSIGNED, 0},
    {CL_UNSIGNED_INT32, INT, 4, SW_CL_CODING_UNSIGNED, 0},
    {CL_HALF_FLOAT, HALF, 2, SW_CL_CODING_HALF, 0},
    {CL_FLOAT, FLOAT, 4, SW_CL_CODING_FLOAT, 0},
};

static const order_row *
find_order(cl_channel_order order)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i].order == order)
            return &orders[i];
    return NULL;
}

static const type_row *
find_type(cl_channel_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

size_t
sw_ocl_format_bytes(const cl_image_format *format)
{
    const order_row *o = find_order(format->image_channel_order);
    const type_row *t = find_type(format->image_channel_data_type);
    return o && t && (o->types & t->set) ? (size_t)o->channels * t->bytes : 0;
}

static bool
fits(const order_row *o, cl_mem_object_type type, cl_mem_flags flags)
{
    const cl_mem_flags both = CL_MEM_KERNEL_READ_AND_WRITE;
    const cl_mem_flags writes =
        CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_KERNEL_READ_AND_WRITE;
    bool is_2d =
        type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (o->use == DEPTH)
        return is_2d && !(flags & both);
    if (o->use == READ_ONLY)
        return (flags & CL_MEM_READ_ONLY) && !(flags & writes) &&
               type != CL_MEM_OBJECT_IMAGE1D_BUFFER;
    return true;
}

bool
sw_ocl_format_is_supported(const cl_image_format *format,
                           cl_mem_object_type type, cl_mem_flags flags)
{
    return sw_ocl_format_bytes(format) &&
           fits(find_order(format->image_channel_order), type, flags);
}

cl_uint
sw_ocl_format_list(cl_mem_object_type type, cl_mem_flags flags, cl_uint room,
                   cl_image_format *out)
{
    cl_uint n = 0;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            cl_image_format f = {orders[i].order, types[k].type};
            if (!sw_ocl_format_is_supported(&f, type, flags))
                continue;
            if (out && n < room)
                out[n] = f;
            n++;
        }
    return n;
}

void
sw_ocl_format_describe(const cl_image_format *format, sw_cl_image *out)
{
    const order_row *o = find_order(format->image_channel_order);
    const type_row *t = find_type(format->image_channel_data_type);
    out->order = format->image_channel_order;
    out->type = format->image_channel_data_type;
    out->channels = o->channels;
    out->channel_bytes = t->bytes;
    out->element_bytes = out->channels * out->channel_bytes;
    out->coding = o->order == CL_sRGBA ? SW_CL_CODING_SRGB : t->coding;
    out->unit = t->unit;
    out->to_color = o->to_color;
    out->border_alpha = o->border_alpha;
    out->to_memory = 0;
    for (unsigned i = 0; i < o->channels; i++)
        out->to_memory |= (uint32_t)o->from[i] << (4 * i);
    if (o->channels < 4) /* those beyond are not there */
        out->to_memory |= 0x3210u & ~0u << (4 * o->channels);
}

/* ---- colors ---- */

typedef union {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
} color4;

/* To the nearest whole number in [low, high], halves to even; NaN: 0. */
static int32_t
scale(float value, float by, float low, float high)
{
    float x = value * by;
    if (!(x == x))
        return 0;
    return (int32_t)rintf(x < low ? low : x > high ? high : x);
}

static int64_t
clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static float
to_srgb(float c)
{
    if (!(c > 0))
        return 0;
    if (c >= 1)
        return 1;
    return c < 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
}

/* One channel's bits. */
static uint32_t
pack_channel(cl_channel_type type, const color4 *c, unsigned at)
{
    switch (type) {
    case CL_UNORM_INT8:
        return (uint32_t)scale(c->f[at], 255, 0, 255);
    case CL_UNORM_INT16:
        return (uint32_t)scale(c->f[at], 65535, 0, 65535);
    case CL_SNORM_INT8:
        return (uint32_t)scale(c->f[at], 127, -128, 127);
    case CL_SNORM_INT16:
        return (uint32_t)scale(c->f[at], 32767, -32768, 32767);
    case CL_SIGNED_INT8:
        return (uint32_t)clamp(c->i[at], INT8_MIN, INT8_MAX);
    case CL_SIGNED_INT16:
        return (uint32_t)clamp(c->i[at], INT16_MIN, INT16_MAX);
    case CL_UNSIGNED_INT8:
        return (uint32_t)clamp(c->u[at], 0, UINT8_MAX);
    case CL_UNSIGNED_INT16:
        return (uint32_t)clamp(c->u[at], 0, UINT16_MAX);
    case CL_HALF_FLOAT:
        return sem_cvt_f16_f32(c->f[at], 0);
    default: /* 32 bits as they are */
        return c->u[at];
    }
}

void
sw_ocl_format_pack(const cl_image_format *format, const void *color,
                   void *element)
{
    const order_row *o = find_order(format->image_channel_order);
    const type_row *t = find_type(format->image_channel_data_type);
    bool one = o->order == CL_DEPTH;
    color4 c = {{0}};
    memcpy(&c, color, one ? sizeof(float) : sizeof c);
    for (int i = 0; i < 3 && o->order == CL_sRGBA; i++)
        c.f[i] = to_srgb(c.f[i]);
    for (unsigned i = 0; i < o->channels; i++) {
        uint32_t bits = pack_channel(t->type, &c, o->from[i]);
        memcpy((char *)element + i * t->bytes, &bits, t->bytes);
    }
}
