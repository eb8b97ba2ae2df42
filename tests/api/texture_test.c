/* SPDX-License-Identifier: Apache-2.0 */
/* texture_test.c - texture and surface objects: shapes, addresses outside,
 * filters, conversions. */
#include "api_help.h"

#define FETCH(name, instruction)                                               \
    ".visible .entry " name "(.param .u64 out, .param .u64 t, .param .f32 x,"  \
    " .param .f32 y, .param .f32 z, .param .u32 n) {\n"                        \
    "  .reg .u64 %d<3>; .reg .f32 %f<8>; .reg .u32 %r<2>;\n"                   \
    "  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [t];\n"                      \
    "  ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y]; ld.param.f32 %f3, [z];\n" \
    "  ld.param.u32 %r1, [n];\n"                                               \
    "  " instruction ";\n"                                                     \
    "  st.global.f32 [%d1], %f4; ret; }\n"

static const char ptx[] =
    ".version 6.4\n.target sm_60\n.address_size 64\n" FETCH(
        "one", "tex.1d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%d2, {%f1}]")
        FETCH("two", "tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%d2, {%f1,%f2}]")
            FETCH("three", "tex.3d.v4.f32.f32 {%f4,%f5,%f6,%f7},"
                           " [%d2, {%f1,%f2,%f3,%f3}]")
                FETCH("layer", "tex.a2d.v4.f32.f32 {%f4,%f5,%f6,%f7},"
                               " [%d2, {%r1,%f1,%f2,%f2}]")
                    FETCH("cube", "tex.cube.v4.f32.f32 {%f4,%f5,%f6,%f7},"
                                  " [%d2, {%f1,%f2,%f3,%f3}]")
                        FETCH("level",
                              "tex.level.2d.v4.f32.f32 {%f4,%f5,%f6,%f7},"
                              " [%d2, {%f1,%f2}], %f3")
    /* Each of 4 x 4 threads adds one to its element. */
    ".visible .entry touch(.param .u64 s) {\n"
    "  .reg .u64 %d1; .reg .u32 %r<4>; .reg .f32 %f1;\n"
    "  ld.param.u64 %d1, [s]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;\n"
    "  shl.b32 %r1, %r1, 2;\n"
    "  suld.b.2d.b32.trap {%r3}, [%d1, {%r1,%r2}];\n"
    "  mov.b32 %f1, %r3; add.f32 %f1, %f1, 0f3F800000; mov.b32 %r3, %f1;\n"
    "  sust.b.2d.b32.trap [%d1, {%r1,%r2}], {%r3}; ret; }\n";

enum { W = 4, H = 4 };

static CUmodule module;
static CUdeviceptr out;

static api_fixture
begin(void)
{
    api_fixture f = api_begin();
    CHECK_EQ(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
    CHECK_EQ(cuMemAlloc(&out, 4), CUDA_SUCCESS);
    return f;
}

static float
fetch(const char *kernel, CUtexObject t, float x, float y, float z, unsigned n)
{
    CUfunction fn;
    float v = -1;
    void *params[] = {&out, &t, &x, &y, &z, &n};
    CHECK_EQ(cuModuleGetFunction(&fn, module, kernel), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(&v, out, 4), CUDA_SUCCESS);
    return v;
}

/* An array of floats: element (x, y) of slice z is first + z*100 + y*4 + x. */
static void
fill(CUarray a, size_t w, size_t h, size_t d, float first)
{
    float v[6 * W * H];
    for (size_t z = 0; z < d; z++)
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < w; x++)
                v[(z * h + y) * w + x] =
                    first + (float)(z * 100) + (float)(y * 4 + x);
    CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                       .srcHost = v,
                       .srcPitch = w * 4,
                       .srcHeight = h,
                       .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                       .dstArray = a,
                       .WidthInBytes = w * 4,
                       .Height = h,
                       .Depth = d};
    CHECK_EQ(cuMemcpy3D(&c), CUDA_SUCCESS);
}

static CUarray
array(size_t depth, unsigned flags)
{
    CUarray a = NULL;
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W,
                                 .Height = H,
                                 .Depth = depth,
                                 .Format = CU_AD_FORMAT_FLOAT,
                                 .NumChannels = 1,
                                 .Flags = flags};
    CHECK_EQ(cuArray3DCreate(&a, &d), CUDA_SUCCESS);
    fill(a, W, H, depth ? depth : 1, 0);
    return a;
}

static CUtexObject
object(CUarray a, CUaddress_mode address, CUfilter_mode filter, unsigned flags)
{
    CUtexObject t = 0;
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC d = {.addressMode = {address, address, address},
                           .filterMode = filter,
                           .flags = flags};
    r.res.array.hArray = a;
    CHECK_EQ(cuTexObjectCreate(&t, &r, &d, NULL), CUDA_SUCCESS);
    return t;
}

CASE(addresses_outside_follow_the_mode)
{
    api_fixture f = begin();
    CUarray a = array(0, 0);
    const unsigned n = CU_TRSF_NORMALIZED_COORDINATES;
    CUtexObject clamp =
        object(a, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    CUtexObject border =
        object(a, CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, 0);
    CUtexObject wrap =
        object(a, CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT, n);
    CUtexObject mirror =
        object(a, CU_TR_ADDRESS_MODE_MIRROR, CU_TR_FILTER_MODE_POINT, n);
    CHECK(fetch("two", clamp, 1.5f, 2.5f, 0, 0) == 9);
    CHECK(fetch("two", clamp, -3, 9, 0, 0) == 12);
    CHECK(fetch("two", border, 1.5f, 2.5f, 0, 0) == 9);
    CHECK(fetch("two", border, -3, 2.5f, 0, 0) == 0);
    CHECK(fetch("two", wrap, 1.375f, 0.125f, 0, 0) == 1);
    CHECK(fetch("two", wrap, -0.125f, 0.125f, 0, 0) == 3);
    CHECK(fetch("two", mirror, 1.125f, 0.125f, 0, 0) == 3);
    CHECK(fetch("two", mirror, -0.125f, 0.125f, 0, 0) == 0);
    CHECK_EQ(cuTexObjectDestroy(clamp), CUDA_SUCCESS);
    api_end(&f);
}

CASE(linear_filtering_weighs_neighbours)
{
    api_fixture f = begin();
    CUtexObject t = object(array(0, 0), CU_TR_ADDRESS_MODE_CLAMP,
                           CU_TR_FILTER_MODE_LINEAR, 0);
    CUtexObject volume = object(array(2, 0), CU_TR_ADDRESS_MODE_CLAMP,
                                CU_TR_FILTER_MODE_LINEAR, 0);
    CHECK(fetch("two", t, 2, 2, 0, 0) == 7.5f);
    CHECK(fetch("two", t, 1.75f, 0.5f, 0, 0) == 1.25f);
    CHECK(fetch("two", t, 0, 0, 0, 0) == 0);
    CHECK(fetch("three", volume, 2, 2, 1, 0) == 57.5f);
    api_end(&f);
}

CASE(layers_and_faces_are_chosen)
{
    api_fixture f = begin();
    CUtexObject layers =
        object(array(3, CUDA_ARRAY3D_LAYERED), CU_TR_ADDRESS_MODE_CLAMP,
               CU_TR_FILTER_MODE_POINT, 0);
    CUtexObject cube =
        object(array(6, CUDA_ARRAY3D_CUBEMAP), CU_TR_ADDRESS_MODE_CLAMP,
               CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    for (unsigned i = 0; i < 3; i++)
        CHECK(fetch("layer", layers, 3.5f, 1.5f, 0, i) == (float)(i * 100 + 7));
    CHECK(fetch("layer", layers, 3.5f, 1.5f, 0, 9) == 207);
    static const float ways[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    for (int i = 0; i < 6; i++) {
        float v = fetch("cube", cube, ways[i][0], ways[i][1], ways[i][2], 0);
        CHECK(v >= (float)(i * 100) && v < (float)(i * 100 + 16));
    }
    api_end(&f);
}

CASE(levels_of_detail_are_chosen_and_mixed)
{
    api_fixture f = begin();
    CUmipmappedArray m;
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W,
                                 .Height = H,
                                 .Format = CU_AD_FORMAT_FLOAT,
                                 .NumChannels = 1};
    CHECK_EQ(cuMipmappedArrayCreate(&m, &d, 3), CUDA_SUCCESS);
    for (unsigned i = 0; i < 3; i++) {
        CUarray a;
        CHECK_EQ(cuMipmappedArrayGetLevel(&a, m, i), CUDA_SUCCESS);
        fill(a, W >> i, H >> i, 1, (float)(1000 * i));
    }
    CUtexObject t;
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    CUDA_TEXTURE_DESC s = {.flags = CU_TRSF_NORMALIZED_COORDINATES,
                           .mipmapFilterMode = CU_TR_FILTER_MODE_POINT,
                           .maxMipmapLevelClamp = 2};
    r.res.mipmap.hMipmappedArray = m;
    for (int i = 0; i < 3; i++)
        s.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    CHECK_EQ(cuTexObjectCreate(&t, &r, &s, NULL), CUDA_SUCCESS);
    CHECK(fetch("level", t, 0, 0, 0, 0) == 0);
    CHECK(fetch("level", t, 0, 0, 1, 0) == 1000);
    CHECK(fetch("level", t, 0, 0, 7, 0) == 2000);
    s.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    CHECK_EQ(cuTexObjectCreate(&t, &r, &s, NULL), CUDA_SUCCESS);
    CHECK(fetch("level", t, 0, 0, 0.5f, 0) == 500);
    CHECK_EQ(cuMipmappedArrayDestroy(m), CUDA_SUCCESS);
    api_end(&f);
}

static CUresult
view(CUtexObject *t, const CUDA_RESOURCE_DESC *r, CUDA_RESOURCE_VIEW_DESC v)
{
    CUDA_TEXTURE_DESC d = {.flags = CU_TRSF_NORMALIZED_COORDINATES,
                           .maxMipmapLevelClamp = 9};
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    return cuTexObjectCreate(t, r, &d, &v);
}

CASE(a_view_takes_elements_for_others)
{
    api_fixture f = begin();
    CUtexObject t;
    CUarray a;
    unsigned char bytes[8] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}; /* 1, 2 */
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 2,
                               .Height = 1,
                               .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                               .NumChannels = 4};
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CHECK_EQ(cuArrayCreate(&a, &d), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoA(a, 0, bytes, 8), CUDA_SUCCESS);
    r.res.array.hArray = a;
    CUDA_RESOURCE_VIEW_DESC v = {
        .format = CU_RES_VIEW_FORMAT_FLOAT_1X32, .width = 2, .height = 1};
    CHECK_EQ(view(&t, &r, v), CUDA_SUCCESS);
    CHECK(fetch("two", t, 0.25f, 0.5f, 0, 0) == 1);
    CHECK(fetch("two", t, 0.75f, 0.5f, 0, 0) == 2);
    CUDA_RESOURCE_VIEW_DESC got;
    CHECK_EQ(cuTexObjectGetResourceViewDesc(&got, t), CUDA_SUCCESS);
    CHECK_EQ(got.format, CU_RES_VIEW_FORMAT_FLOAT_1X32);
    v.format = CU_RES_VIEW_FORMAT_UINT_2X16; /* the lower half */
    CHECK_EQ(view(&t, &r, v), CUDA_SUCCESS);
    CHECK(fetch("two", t, 0.25f, 0.5f, 0, 0) == 0);
    v.format = CU_RES_VIEW_FORMAT_FLOAT_2X32; /* of another size */
    CHECK_EQ(view(&t, &r, v), CUDA_ERROR_INVALID_VALUE);
    v.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
    CHECK_EQ(view(&t, &r, v), CUDA_ERROR_INVALID_VALUE); /* not of blocks */
    v.format = (CUresourceViewFormat)99;
    CHECK_EQ(view(&t, &r, v), CUDA_ERROR_INVALID_VALUE);
    v.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    v.width = 3;
    CHECK_EQ(view(&t, &r, v), CUDA_ERROR_INVALID_VALUE);
    v.width = 2;
    v.lastLayer = 1;
    CHECK_EQ(view(&t, &r, v), CUDA_ERROR_INVALID_VALUE);
    v = (CUDA_RESOURCE_VIEW_DESC){0};
    CHECK_EQ(view(&t, &r, v), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

CASE(a_view_takes_levels_and_layers)
{
    api_fixture f = begin();
    CUtexObject t;
    CUmipmappedArray m;
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W,
                                 .Height = H,
                                 .Format = CU_AD_FORMAT_FLOAT,
                                 .NumChannels = 1};
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    CUDA_RESOURCE_VIEW_DESC v = {.format = CU_RES_VIEW_FORMAT_FLOAT_1X32,
                                 .width = W,
                                 .height = H,
                                 .firstMipmapLevel = 1,
                                 .lastMipmapLevel = 2};
    CHECK_EQ(cuMipmappedArrayCreate(&m, &d, 3), CUDA_SUCCESS);
    for (unsigned i = 0; i < 3; i++) {
        CUarray a;
        CHECK_EQ(cuMipmappedArrayGetLevel(&a, m, i), CUDA_SUCCESS);
        fill(a, W >> i, H >> i, 1, (float)(1000 * i));
    }
    r.res.mipmap.hMipmappedArray = m;
    CHECK_EQ(view(&t, &r, v), CUDA_SUCCESS);
    CHECK(fetch("level", t, 0, 0, 0, 0) == 1000);
    CHECK(fetch("level", t, 0, 0, 1, 0) == 2000);
    v.lastMipmapLevel = 1;
    CHECK_EQ(view(&t, &r, v), CUDA_SUCCESS);
    CHECK(fetch("level", t, 0, 0, 1, 0) == 1000);
    v.lastMipmapLevel = 3; /* the last one */
    CHECK_EQ(view(&t, &r, v), CUDA_SUCCESS);
    CHECK(fetch("level", t, 0, 0, 1, 0) == 2000);
    v.firstMipmapLevel = 4;
    CHECK_EQ(view(&t, &r, v), CUDA_ERROR_INVALID_VALUE);

    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = array(4, CUDA_ARRAY3D_LAYERED);
    v = (CUDA_RESOURCE_VIEW_DESC){.format = CU_RES_VIEW_FORMAT_FLOAT_1X32,
                                  .width = W,
                                  .height = H,
                                  .depth = 4,
                                  .firstLayer = 2,
                                  .lastLayer = 3};
    CHECK_EQ(view(&t, &r, v), CUDA_SUCCESS);
    CHECK(fetch("layer", t, 0, 0, 0, 0) == 200);
    CHECK(fetch("layer", t, 0, 0, 0, 1) == 300);
    CHECK(fetch("layer", t, 0, 0, 0, 7) == 300);
    v.lastLayer = 4;
    CHECK_EQ(view(&t, &r, v), CUDA_SUCCESS);
    v.lastLayer = 1;
    CHECK_EQ(view(&t, &r, v), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMipmappedArrayDestroy(m), CUDA_SUCCESS);
    api_end(&f);
}

CASE(a_reference_tells_what_it_was_told)
{
    api_fixture f = begin();
    CUtexref ref;
    CUmipmappedArray m, got;
    CUfilter_mode filter;
    float bias, low, high;
    int most;
    CUDA_ARRAY_MEMORY_REQUIREMENTS need;
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUarray level;
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = W,
                                 .Height = H,
                                 .Format = CU_AD_FORMAT_FLOAT,
                                 .NumChannels = 1};
    CHECK_EQ(cuMipmappedArrayCreate(&m, &d, 2), CUDA_SUCCESS);
    CHECK_EQ(cuTexRefCreate(&ref), CUDA_SUCCESS);
    CHECK_EQ(cuTexRefGetMipmappedArray(&got, ref), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuTexRefSetMipmappedArray(ref, m, CU_TRSA_OVERRIDE_FORMAT),
             CUDA_SUCCESS);
    CHECK_EQ(cuTexRefGetMipmappedArray(&got, ref), CUDA_SUCCESS);
    CHECK_EQ(got, m);
    CHECK_EQ(cuTexRefSetMipmapFilterMode(ref, CU_TR_FILTER_MODE_LINEAR),
             CUDA_SUCCESS);
    CHECK_EQ(cuTexRefGetMipmapFilterMode(&filter, ref), CUDA_SUCCESS);
    CHECK_EQ(filter, CU_TR_FILTER_MODE_LINEAR);
    CHECK_EQ(cuTexRefSetMipmapLevelBias(ref, 0.5f), CUDA_SUCCESS);
    CHECK_EQ(cuTexRefGetMipmapLevelBias(&bias, ref), CUDA_SUCCESS);
    CHECK(bias == 0.5f);
    CHECK_EQ(cuTexRefSetMipmapLevelClamp(ref, 0.25f, 1), CUDA_SUCCESS);
    CHECK_EQ(cuTexRefGetMipmapLevelClamp(&low, &high, ref), CUDA_SUCCESS);
    CHECK(low == 0.25f && high == 1);
    CHECK_EQ(cuTexRefSetMaxAnisotropy(ref, 4), CUDA_SUCCESS);
    CHECK_EQ(cuTexRefGetMaxAnisotropy(&most, ref), CUDA_SUCCESS);
    CHECK_EQ(most, 4);
    CHECK_EQ(cuTexRefGetMaxAnisotropy(NULL, ref), CUDA_ERROR_INVALID_VALUE);
    /* Only what gets its memory later says how much that is. */
    CHECK_EQ(cuMipmappedArrayGetLevel(&level, m, 0), CUDA_SUCCESS);
    CHECK_EQ(cuArrayGetMemoryRequirements(&need, level, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMipmappedArrayGetMemoryRequirements(&need, m, 0),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuMipmappedArrayGetSparseProperties(&sparse, m),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuTexRefDestroy(ref), CUDA_SUCCESS);
    CHECK_EQ(cuMipmappedArrayDestroy(m), CUDA_SUCCESS);
    api_end(&f);
}

CASE(bytes_read_as_fractions)
{
    api_fixture f = begin();
    CUarray a;
    unsigned char v[4] = {0, 51, 255, 0};
    CUDA_ARRAY_DESCRIPTOR d = {
        .Width = 4, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    CHECK_EQ(cuArrayCreate(&a, &d), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyHtoA(a, 0, v, 4), CUDA_SUCCESS);
    CUtexObject t =
        object(a, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    CHECK(fetch("one", t, 1.5f, 0, 0, 0) == 51 / 255.0f);
    CHECK(fetch("one", t, 2.5f, 0, 0, 0) == 1);
    api_end(&f);
}

/* Values are an H100's. The flag that asks for integers changes nothing. */
CASE(formats_of_fractions)
{
    static const struct {
        CUarray_format format;
        unsigned channels;
        float value;
    } rows[] = {{CU_AD_FORMAT_UNORM_INT8X1, 1, 1},
                {CU_AD_FORMAT_UNORM_INT8X4, 4, 1},
                {CU_AD_FORMAT_UNORM_INT16X2, 2, 0x1.01ff02p-1f},
                {CU_AD_FORMAT_SNORM_INT8X1, 1, -0x1.020408p-7f},
                {CU_AD_FORMAT_SNORM_INT16X4, 4, -0x1.fc07f8p-1f}};
    const unsigned char bytes[8] = {255, 128, 1, 64, 127, 200, 129, 3};
    api_fixture f = begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CUarray a, none;
        CUDA_ARRAY_DESCRIPTOR d = {.Width = 2,
                                   .Format = rows[i].format,
                                   .NumChannels = rows[i].channels},
                              got;
        CHECK_EQ(cuArrayCreate(&a, &d), CUDA_SUCCESS);
        CHECK_EQ(cuArrayGetDescriptor(&got, a), CUDA_SUCCESS);
        CHECK_EQ(got.Format, rows[i].format);
        CHECK_EQ(got.NumChannels, rows[i].channels);
        size_t n = rows[i].format == CU_AD_FORMAT_UNORM_INT16X2 ? 4
                   : rows[i].format == CU_AD_FORMAT_SNORM_INT16X4
                       ? 8
                       : rows[i].channels;
        CHECK_EQ(cuMemcpyHtoA(a, 0, bytes, n), CUDA_SUCCESS);
        for (unsigned flags = 0; flags < 2; flags++) {
            CUtexObject t =
                object(a, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT,
                       flags ? CU_TRSF_READ_AS_INTEGER : 0);
            CHECK(fetch("one", t, 0, 0, 0, 0) == rows[i].value);
            CHECK_EQ(cuTexObjectDestroy(t), CUDA_SUCCESS);
        }
        CHECK_EQ(cuArrayDestroy(a), CUDA_SUCCESS);
        d.NumChannels = rows[i].channels == 1 ? 2 : 1;
        CHECK_EQ(cuArrayCreate(&none, &d), CUDA_ERROR_INVALID_VALUE);
    }
    api_end(&f);
}

CASE(kernels_write_through_surfaces)
{
    api_fixture f = begin();
    CUfunction fn;
    CUsurfObject s;
    CUarray a = array(0, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    r.res.array.hArray = a;
    CHECK_EQ(cuSurfObjectCreate(&s, &r), CUDA_SUCCESS);
    void *params[] = {&s};
    CHECK_EQ(cuModuleGetFunction(&fn, module, "touch"), CUDA_SUCCESS);
    CHECK_EQ(cuLaunchKernel(fn, 1, 1, 1, W, H, 1, 0, NULL, params, NULL),
             CUDA_SUCCESS);
    CHECK_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    CUtexObject t =
        object(a, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    CHECK(fetch("two", t, 0.5f, 0.5f, 0, 0) == 1);
    CHECK(fetch("two", t, 3.5f, 3.5f, 0, 0) == 16);
    CHECK_EQ(cuSurfObjectDestroy(s), CUDA_SUCCESS);
    CHECK_EQ(cuSurfObjectDestroy(s), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

static int
limit(CUdevice_attribute a)
{
    int v = 0;
    CHECK_EQ(cuDeviceGetAttribute(&v, a, 0), CUDA_SUCCESS);
    return v;
}

/* What a texture of rows in linear memory answers. */
static CUresult
rows(CUdeviceptr p, size_t width, size_t height, size_t pitch)
{
    CUtexObject t;
    const CUDA_TEXTURE_DESC plain = {.flags = 0};
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    r.res.pitch2D.numChannels = 1;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    CUresult status = cuTexObjectCreate(&t, &r, &plain, NULL);
    if (status == CUDA_SUCCESS)
        CHECK_EQ(cuTexObjectDestroy(t), CUDA_SUCCESS);
    return status;
}

CASE(rows_have_the_devices_limits)
{
    enum { ALIGNMENT = 32 };
    api_fixture f = begin();
    size_t width =
        (size_t)limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
    size_t height =
        (size_t)limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
    size_t pitch =
        (size_t)limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH);
    CUdeviceptr p;
    CHECK_EQ(cuMemAlloc(&p, 64 << 20), CUDA_SUCCESS);
    CHECK_EQ(rows(p, width, 64, 4 * width), CUDA_SUCCESS);
    CHECK_EQ(rows(p, width + 1, 1, 8 * width), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(rows(p, 64, height, 256), CUDA_SUCCESS);
    CHECK_EQ(rows(p, 64, height + 1, 256), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(rows(p, 64, 2, pitch), CUDA_SUCCESS);
    CHECK_EQ(rows(p, 64, 2, pitch + ALIGNMENT), CUDA_ERROR_INVALID_VALUE);

    CUtexref r;
    CUDA_ARRAY_DESCRIPTOR d = {width, 1, CU_AD_FORMAT_FLOAT, 1};
    CHECK_EQ(cuTexRefCreate(&r), CUDA_SUCCESS);
    CHECK_EQ(cuTexRefSetAddress2D(r, &d, p, 4 * width), CUDA_SUCCESS);
    d.Width = width + 1;
    CHECK_EQ(cuTexRefSetAddress2D(r, &d, p, 8 * width),
             CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(cuTexRefDestroy(r), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    api_end(&f);
}

/* By a reference as by an object. */
CASE(channels_are_one_two_or_four)
{
    api_fixture f = begin();
    CUdeviceptr p;
    CUtexref r;
    size_t offset;
    CHECK_EQ(cuMemAlloc(&p, 1 << 20), CUDA_SUCCESS);
    CHECK_EQ(cuTexRefCreate(&r), CUDA_SUCCESS);
    for (unsigned n = 0; n < 1000; n = n < 6 ? n + 1 : n * 3) {
        CUDA_ARRAY_DESCRIPTOR d = {64, 64, CU_AD_FORMAT_FLOAT, n};
        CUresult want = n == 1 || n == 2 || n == 4 ? CUDA_SUCCESS
                                                   : CUDA_ERROR_INVALID_VALUE;
        CHECK_EQ(cuTexRefSetAddress2D(r, &d, p, 4096), want);
        CHECK_EQ(cuTexRefSetAddress(&offset, r, p, 4096), CUDA_SUCCESS);
    }
    CHECK_EQ(cuTexRefDestroy(r), CUDA_SUCCESS);
    CHECK_EQ(cuMemFree(p), CUDA_SUCCESS);
    api_end(&f);
}
