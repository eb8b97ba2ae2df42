/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - arrays and mipmapped arrays. */
#include "api/cuda/api.h"

static const CUarray_format formats[SW_RT_FORMAT_COUNT] = {
    [SW_RT_FORMAT_U8] = CU_AD_FORMAT_UNSIGNED_INT8,
    [SW_RT_FORMAT_U16] = CU_AD_FORMAT_UNSIGNED_INT16,
    [SW_RT_FORMAT_U32] = CU_AD_FORMAT_UNSIGNED_INT32,
    [SW_RT_FORMAT_S8] = CU_AD_FORMAT_SIGNED_INT8,
    [SW_RT_FORMAT_S16] = CU_AD_FORMAT_SIGNED_INT16,
    [SW_RT_FORMAT_S32] = CU_AD_FORMAT_SIGNED_INT32,
    [SW_RT_FORMAT_F16] = CU_AD_FORMAT_HALF,
    [SW_RT_FORMAT_F32] = CU_AD_FORMAT_FLOAT,
};

sw_status
sw_api_format(CUarray_format format, sw_rt_format *out)
{
    for (int i = 0; i < SW_RT_FORMAT_COUNT; i++) {
        if (formats[i] == format) {
            *out = (sw_rt_format)i;
            return SW_OK;
        }
    }
    return SW_E_INVAL;
}

CUarray_format
sw_api_format_back(sw_rt_format format)
{
    return formats[format];
}

/* Formats that read as fractions whatever the texture says, each for one, two
 * and four channels. */
static const sw_rt_format fractions[] = {SW_RT_FORMAT_U8, SW_RT_FORMAT_U16,
                                         SW_RT_FORMAT_S8, SW_RT_FORMAT_S16};

static sw_status
set_format(const CUDA_ARRAY3D_DESCRIPTOR *d, sw_rt_shape *s)
{
    unsigned i = (unsigned)d->Format - CU_AD_FORMAT_UNORM_INT8X1;
    if (i > CU_AD_FORMAT_SNORM_INT16X4 - CU_AD_FORMAT_UNORM_INT8X1)
        return sw_api_format(d->Format, &s->format);
    s->fraction = true;
    s->format = fractions[i / 3];
    return d->NumChannels == 1u << i % 3 ? SW_OK : SW_E_INVAL;
}

static CUarray_format
format_of(const sw_rt_shape *s)
{
    unsigned i = 0;
    if (!s->fraction)
        return formats[s->format];
    while (fractions[i] != s->format)
        i++;
    return (CUarray_format)(CU_AD_FORMAT_UNORM_INT8X1 + 3 * i +
                            s->channels / 2);
}

static sw_status
shape_of(const CUDA_ARRAY3D_DESCRIPTOR *d, sw_rt_shape *s)
{
    const unsigned known = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                           CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;
    /* An array whose memory would be mapped later has it at once. */
    const unsigned later = CUDA_ARRAY3D_DEFERRED_MAPPING;
    if (d->Flags & ~(known | later | CUDA_ARRAY3D_SPARSE))
        return SW_E_INVAL;
    if (d->Flags & CUDA_ARRAY3D_SPARSE)
        return SW_E_NOT_SUPPORTED;
    bool is_flat = d->Height && !d->Depth;
    if (d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER && !is_flat)
        return SW_E_INVAL;
    *s = (sw_rt_shape){
        .width = d->Width,
        .height = d->Height,
        .depth = d->Depth,
        .channels = d->NumChannels,
        .layered = d->Flags & CUDA_ARRAY3D_LAYERED,
        .cubemap = d->Flags & CUDA_ARRAY3D_CUBEMAP,
        .surface = d->Flags & CUDA_ARRAY3D_SURFACE_LDST,
        .gather = d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER,
        .api_flags = d->Flags,
    };
    return set_format(d, s);
}

/* What the device's textures allow. */
static bool
fits(const sw_rt_device *d, const sw_rt_shape *s)
{
#define MOST(what)                                                             \
    (size_t) sw_rt_device_get(d, CU_DEVICE_ATTRIBUTE_MAXIMUM_##what)
    if (s->cubemap)
        return s->width <= MOST(TEXTURECUBEMAP_WIDTH);
    if (s->layered && s->height)
        return s->width <= MOST(TEXTURE2D_LAYERED_WIDTH) &&
               s->height <= MOST(TEXTURE2D_LAYERED_HEIGHT) &&
               s->depth <= MOST(TEXTURE2D_LAYERED_LAYERS);
    if (s->layered)
        return s->width <= MOST(TEXTURE1D_LAYERED_WIDTH) &&
               s->depth <= MOST(TEXTURE1D_LAYERED_LAYERS);
    if (s->depth)
        return s->width <= MOST(TEXTURE3D_WIDTH) &&
               s->height <= MOST(TEXTURE3D_HEIGHT) &&
               s->depth <= MOST(TEXTURE3D_DEPTH);
    if (s->height)
        return s->width <= MOST(TEXTURE2D_WIDTH) &&
               s->height <= MOST(TEXTURE2D_HEIGHT);
    return s->width <= MOST(TEXTURE1D_WIDTH);
#undef MOST
}

CUresult
cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
    ENTER_UNSAFE(c);
    REQUIRE(pHandle && desc, CUDA_ERROR_INVALID_VALUE);
    sw_rt_shape shape;
    TRY(shape_of(desc, &shape));
    REQUIRE(fits(c->device, &shape), CUDA_ERROR_INVALID_VALUE);
    sw_rt_array *a;
    TRY(sw_rt_array_create(c, &shape, &a));
    *pHandle = (CUarray)a;
    return CUDA_SUCCESS;
}

CUresult
cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *desc)
{
    NEED_INIT();
    REQUIRE(desc, CUDA_ERROR_INVALID_VALUE);
    const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = desc->Width,
                                       .Height = desc->Height,
                                       .Format = desc->Format,
                                       .NumChannels = desc->NumChannels};
    return cuArray3DCreate_v2(pHandle, &d);
}

CUresult
cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray hArray)
{
    REQUIRE(desc, CUDA_ERROR_INVALID_VALUE);
    const sw_rt_array *a = sw_rt_object_get(hArray, SW_RT_ARRAY);
    REQUIRE(a, CUDA_ERROR_INVALID_HANDLE);
    *desc = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = a->shape.width,
        .Height = a->shape.height,
        .Depth = a->shape.depth,
        .Format = format_of(&a->shape),
        .NumChannels = a->shape.channels,
        .Flags = a->shape.api_flags,
    };
    return CUDA_SUCCESS;
}

CUresult
cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *desc, CUarray hArray)
{
    REQUIRE(desc, CUDA_ERROR_INVALID_VALUE);
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUresult status = cuArray3DGetDescriptor_v2(&d, hArray);
    if (status != CUDA_SUCCESS)
        return status;
    *desc = (CUDA_ARRAY_DESCRIPTOR){.Width = d.Width,
                                    .Height = d.Height,
                                    .Format = d.Format,
                                    .NumChannels = d.NumChannels};
    return CUDA_SUCCESS;
}

CUresult
cuArrayDestroy(CUarray hArray)
{
    NEED_INIT();
    sw_rt_array *a = sw_rt_object_get(hArray, SW_RT_ARRAY);
    REQUIRE(a, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_rt_context_error(a->context));
    if (a->mipmap) /* goes with it */
        return CUDA_SUCCESS;
    TRY(sw_rt_capture_check_unsafe());
    sw_rt_context_wait(a->context);
    sw_rt_array_destroy(a);
    return CUDA_SUCCESS;
}

CUresult
cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx)
{
    (void)planeIdx;
    REQUIRE(sw_rt_object_get(hArray, SW_RT_ARRAY), CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(pPlaneArray, CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_VALUE; /* no format here has several planes */
}

CUresult
cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *p, CUarray array)
{
    NEED_INIT();
    REQUIRE(p && sw_rt_object_get(array, SW_RT_ARRAY),
            CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_VALUE; /* none is sparse */
}

CUresult
cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *r, CUarray array,
                             CUdevice device)
{
    NEED_INIT();
    (void)device;
    REQUIRE(r && sw_rt_object_get(array, SW_RT_ARRAY),
            CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_VALUE; /* all have their memory already */
}

CUresult
cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *p,
                                    CUmipmappedArray mipmap)
{
    NEED_INIT();
    REQUIRE(p && sw_rt_object_get(mipmap, SW_RT_MIPMAP),
            CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_VALUE; /* none is sparse */
}

CUresult
cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *r,
                                      CUmipmappedArray mipmap, CUdevice device)
{
    NEED_INIT();
    (void)device;
    REQUIRE(r && sw_rt_object_get(mipmap, SW_RT_MIPMAP),
            CUDA_ERROR_INVALID_VALUE);
    return CUDA_ERROR_INVALID_VALUE; /* all have their memory already */
}

CUresult
cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
                       const CUDA_ARRAY3D_DESCRIPTOR *desc,
                       unsigned int numMipmapLevels)
{
    ENTER_UNSAFE(c);
    REQUIRE(pHandle && desc, CUDA_ERROR_INVALID_VALUE);
    sw_rt_shape shape;
    TRY(shape_of(desc, &shape));
    REQUIRE(fits(c->device, &shape), CUDA_ERROR_INVALID_VALUE);
    sw_rt_mipmap *m;
    if (!numMipmapLevels)
        numMipmapLevels = 1;
    TRY(sw_rt_mipmap_create(c, &shape, numMipmapLevels, &m));
    *pHandle = (CUmipmappedArray)m;
    return CUDA_SUCCESS;
}

CUresult
cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray handle,
                         unsigned int level)
{
    REQUIRE(pLevelArray, CUDA_ERROR_INVALID_VALUE);
    sw_rt_mipmap *m = sw_rt_object_get(handle, SW_RT_MIPMAP);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(level < m->level_count, CUDA_ERROR_INVALID_VALUE);
    *pLevelArray = (CUarray)m->levels[level];
    return CUDA_SUCCESS;
}

CUresult
cuMipmappedArrayDestroy(CUmipmappedArray handle)
{
    NEED_INIT();
    sw_rt_mipmap *m = sw_rt_object_get(handle, SW_RT_MIPMAP);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    TRY(sw_rt_capture_check_unsafe());
    sw_rt_context_wait(m->context);
    sw_rt_mipmap_destroy(m);
    return CUDA_SUCCESS;
}
