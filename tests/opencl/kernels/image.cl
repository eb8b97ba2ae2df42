// SPDX-License-Identifier: Apache-2.0
// Images, which the kernel `describe` lays out as a host does (sw_cl_image of
// src/cc/opencl.h): formats, address modes, filters, shapes. In `results` are
// comparisons, and how many failed.
// options: -cl-std=CL3.0
// run: describe
// arg: out u8 128
// arg: in f32 1 2 3 4 5 6 7 8 9 10 11 12
// arg: u32 4
// arg: u32 3
// arg: u32 4272
// arg: u32 4318
// run: floats
// arg: last 0
// arg: out u32 2
// expect: EXACT arg1: 29 0
// run: describe
// arg: out u8 128
// arg: in u8 0 51 102 255 255 0 0 128 10 20 30 40 50 60 70 80
// arg: u32 2
// arg: u32 2
// arg: u32 4278
// arg: u32 4306
// run: bytes
// arg: last 0
// arg: out u32 2
// expect: EXACT arg1: 5 0
// run: describe
// arg: out u8 128
// arg: out u8 64
// arg: u32 2
// arg: u32 2
// arg: u32 4277
// arg: u32 4311
// run: write
// arg: last 0
// run: written
// arg: last 0
// arg: out u32 2
// expect: EXACT arg1: 4 0
// run: describe
// arg: out u8 128
// arg: in u32 1 2 3 4 5 6 7 8
// arg: u32 2
// arg: u32 2
// arg: u32 4272
// arg: u32 4316
// run: deep
// arg: last 0
// arg: last 0
// arg: last 0
// arg: out u32 2
// expect: EXACT arg3: 9 0
#define CHECK_IF(holds)                                                        \
    do {                                                                       \
        atomic_inc(&out[0]);                                                   \
        if (!(holds))                                                          \
            atomic_inc(&out[1]);                                               \
    } while (0)
#define CHECK(a, b)     CHECK_IF((a) == (b))
#define CHECK_ALL(a, b) CHECK_IF(all((a) == (b)))

typedef struct {
    ulong data, row_bytes, slice_bytes;
    uint width, height, depth, array_size, order, type, element_bytes;
    uint channels, channel_bytes, coding, to_color, to_memory, border_alpha;
    float unit;
} description;

kernel void
describe(global description *d, global char *data, uint width, uint height,
         uint order, uint type)
{
    bool is_r = order == CLK_R;
    bool is_word = type == CLK_FLOAT || type == CLK_UNSIGNED_INT32;
    uint channels = is_r ? 1 : 4, channel_bytes = is_word ? 4 : 1;
    uint bytes = channels * channel_bytes;
    *d = (description){
        .data = (ulong)data,
        .row_bytes = width * bytes,
        .slice_bytes = width * height * bytes,
        .width = width,
        .height = height,
        .depth = 2,
        .array_size = 2,
        .order = order,
        .type = type,
        .element_bytes = bytes,
        .channels = channels,
        .channel_bytes = channel_bytes,
        .coding = type == CLK_FLOAT ? 4 : type == CLK_SIGNED_INT8 ? 1 : 0,
        .to_color = is_r ? 0x5440 : order == CLK_BGRA ? 0x3012 : 0x3210,
        .to_memory = order == CLK_BGRA ? 0x3012 : 0x3210,
        .border_alpha = is_r,
        .unit = 255};
}

constant sampler_t nearest_none = CLK_NORMALIZED_COORDS_FALSE |
                                  CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t nearest_clamp = CLK_NORMALIZED_COORDS_FALSE |
                                   CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t nearest_edge =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |
    CLK_FILTER_NEAREST;
constant sampler_t linear_edge = CLK_NORMALIZED_COORDS_FALSE |
                                 CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t linear_clamp = CLK_NORMALIZED_COORDS_FALSE |
                                  CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t nearest_repeat = CLK_NORMALIZED_COORDS_TRUE |
                                    CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
constant sampler_t linear_repeat = CLK_NORMALIZED_COORDS_TRUE |
                                   CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t nearest_mirror =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT |
    CLK_FILTER_NEAREST;
constant sampler_t linear_mirror =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT |
    CLK_FILTER_LINEAR;

/* 1 2 3 4 / 5 6 7 8 / 9 10 11 12, of CL_R. */
kernel void
floats(read_only image2d_t im, global uint *out)
{
#define RED(sampler, u, v) read_imagef(im, sampler, (float2)(u, v)).x
    CHECK_ALL(read_imagef(im, (int2)(2, 1)), (float4)(7, 0, 0, 1));
    CHECK_ALL(read_imagef(im, nearest_none, (int2)(3, 2)), (float4)(12, 0, 0, 1));
    CHECK_ALL(get_image_dim(im), (int2)(4, 3));
    CHECK_ALL((int2)(get_image_width(im), get_image_height(im)), (int2)(4, 3));
    CHECK_ALL((int2)(get_image_channel_order(im), get_image_channel_data_type(im)),
          (int2)(CLK_R, CLK_FLOAT));
    CHECK(RED(nearest_edge, 1.9f, 0.0f), 2.0f);
    CHECK(RED(nearest_edge, -5.0f, 7.0f), 9.0f);
    CHECK(RED(nearest_clamp, -0.5f, 1.0f), 0.0f);
    CHECK_ALL(read_imagef(im, nearest_clamp, (float2)(4, 1)), (float4)(0, 0, 0, 1));
    CHECK_ALL(read_imagef(im, nearest_clamp, (int2)(-1, 0)), (float4)(0, 0, 0, 1));
    CHECK_ALL(read_imagef(im, nearest_edge, (int2)(-1, 0)), (float4)(1, 0, 0, 1));
    CHECK(RED(linear_edge, 1.0f, 0.5f), 1.5f);
    CHECK(RED(linear_edge, 1.5f, 1.0f), 4.0f);
    CHECK(RED(linear_edge, 2.0f, 2.0f), 8.5f);
    CHECK(RED(linear_edge, 0.0f, 0.0f), 1.0f);
    CHECK(RED(linear_edge, 9.0f, 9.0f), 12.0f);
    CHECK(RED(linear_clamp, 0.0f, 0.5f), 0.5f);
    CHECK(RED(linear_clamp, 0.0f, 0.0f), 0.25f);
    CHECK_ALL(read_imagef(im, linear_clamp, (float2)(-9, 0)), (float4)(0, 0, 0, 1));
    CHECK(RED(nearest_repeat, 0.3f, 0.0f), 2.0f);
    CHECK(RED(nearest_repeat, 1.3f, -1.0f), 2.0f);
    CHECK(RED(nearest_repeat, -0.01f, 0.0f), 4.0f);
    CHECK(RED(linear_repeat, 0.0f, 1.0f / 6), 2.5f);
    CHECK(RED(linear_repeat, 0.375f, 1.0f / 6), 2.0f);
    CHECK(RED(nearest_mirror, 1.1f, 0.0f), 4.0f);
    CHECK(RED(nearest_mirror, -0.3f, 0.0f), 2.0f);
    CHECK(RED(nearest_mirror, 2.3f, 0.0f), 2.0f);
    CHECK(RED(linear_mirror, 1.0f, 1.0f / 6), 4.0f);
    CHECK(fabs(RED(linear_mirror, -0.25f, 1.0f / 6) - 1.5f) < 1e-5f, 1);
}

/* CL_BGRA of normalised bytes. */
kernel void
bytes(read_only image2d_t im, global uint *out)
{
    CHECK_ALL(read_imagef(im, (int2)(0, 0)),
          (float4)(102 / 255.0f, 51 / 255.0f, 0, 1));
    CHECK_ALL(read_imagef(im, (int2)(1, 0)), (float4)(0, 0, 1, 128 / 255.0f));
    CHECK_ALL(read_imagef(im, nearest_clamp, (int2)(2, 0)), (float4)(0));
    CHECK_ALL(fabs(read_imagef(im, linear_edge, (float2)(1, 0.5f)) -
               (float4)(51, 25.5f, 127.5f, 191.5f) / 255.0f) < 1e-6f,
          (int4)(-1));
    CHECK(get_image_channel_order(im), CLK_BGRA);
}

/* CL_RGBA of signed bytes: saturated, and not written outside. */
kernel void
write(write_only image2d_t im)
{
    write_imagei(im, (int2)(0, 0), (int4)(1, -2, 300, -300));
    write_imagei(im, (int2)(1, 1), (int4)(5, 6, 7, 8));
    write_imagei(im, (int2)(2, 1), (int4)(9));
    write_imagei(im, (int2)(0, -1), (int4)(9));
}

kernel void
written(read_write image2d_t im, global uint *out)
{
    CHECK_ALL(read_imagei(im, (int2)(0, 0)), (int4)(1, -2, 127, -128));
    CHECK_ALL(read_imagei(im, (int2)(1, 1)), (int4)(5, 6, 7, 8));
    CHECK_ALL(read_imagei(im, (int2)(1, 0)), (int4)(0));
    write_imagei(im, (int2)(1, 0), (int4)(3));
    CHECK_ALL(read_imagei(im, (int2)(1, 0)), (int4)(3));
}

/* 1 2 / 3 4, and 5 6 / 7 8 behind it. */
kernel void
deep(read_only image3d_t volume, read_only image2d_array_t layers,
     read_only image1d_array_t lines, global uint *out)
{
    CHECK(read_imageui(volume, (int4)(1, 0, 1, 0)).x, 6u);
    CHECK(read_imageui(volume, nearest_edge, (float4)(0.5f, 1.5f, 9, 0)).x, 7u);
    CHECK(read_imageui(volume, nearest_clamp, (float4)(0, 0, -1, 0)).x, 0u);
    CHECK(read_imageui(layers, (int4)(1, 1, 0, 0)).x, 4u);
    CHECK(read_imageui(layers, nearest_edge, (float4)(0, 0, 0.6f, 0)).x, 5u);
    CHECK(read_imageui(lines, nearest_edge, (float2)(1, 1)).x, 6u);
    CHECK(get_image_depth(volume), 2);
    CHECK((int)get_image_array_size(layers), 2);
    CHECK_ALL(get_image_dim(volume), (int4)(2, 2, 2, 0));
}
