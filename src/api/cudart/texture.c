/* SPDX-License-Identifier: Apache-2.0 */
/* texture.c - texture and surface objects; references and their binding. */
#include <string.h>

#include "api/cudart/cudart.h"
#include "cuda/surface_types.h"
#include "cuda/texture_types.h"

cudaError_t
sw_rta_format(const struct cudaChannelFormatDesc *d, CUarray_format *format,
              unsigned *channels)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    unsigned n = 0;
    while (n < 4 && bits[n])
        n++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < n ? bits[0] : 0))
            return cudaErrorInvalidChannelDescriptor;
    if (n == 0 || n == 3 || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32))
        return cudaErrorInvalidChannelDescriptor;
    int step = bits[0] == 8 ? 0 : bits[0] == 16 ? 1 : 2;
    unsigned i = (unsigned)d->f - cudaChannelFormatKindUnsignedNormalized8X1;
    *channels = n;
    *format = (CUarray_format)(CU_AD_FORMAT_UNORM_INT8X1 + i);
    if (sw_rta_is_fraction(*format)) /* the kind says all */
        return i / 3 % 2 == (unsigned)step && 1u << i % 3 == n
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    switch ((int)d->f) {
    case cudaChannelFormatKindUnsigned:
        *format = (CUarray_format)(CU_AD_FORMAT_UNSIGNED_INT8 + step);
        break;
    case cudaChannelFormatKindSigned:
        *format = (CUarray_format)(CU_AD_FORMAT_SIGNED_INT8 + step);
        break;
    case cudaChannelFormatKindFloat:
        if (step == 0)
            return cudaErrorInvalidChannelDescriptor;
        *format = step == 1 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
        break;
    default:
        return cudaErrorInvalidChannelDescriptor;
    }
    return cudaSuccess;
}

static cudaError_t
resource_of(const struct cudaResourceDesc *d, CUDA_RESOURCE_DESC *r)
{
    *r = (CUDA_RESOURCE_DESC){0};
    switch (d->resType) {
    case cudaResourceTypeArray:
        if (!d->res.array.array)
            return cudaErrorInvalidResourceHandle;
        r->resType = CU_RESOURCE_TYPE_ARRAY;
        r->res.array.hArray = (CUarray)d->res.array.array;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        r->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        r->res.mipmap.hMipmappedArray = (CUmipmappedArray)d->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        r->resType = CU_RESOURCE_TYPE_LINEAR;
        r->res.linear.devPtr = sw_rta_ptr(d->res.linear.devPtr);
        r->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        return sw_rta_format(&d->res.linear.desc, &r->res.linear.format,
                             &r->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        r->resType = CU_RESOURCE_TYPE_PITCH2D;
        r->res.pitch2D.devPtr = sw_rta_ptr(d->res.pitch2D.devPtr);
        r->res.pitch2D.width = d->res.pitch2D.width;
        r->res.pitch2D.height = d->res.pitch2D.height;
        r->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        return sw_rta_format(&d->res.pitch2D.desc, &r->res.pitch2D.format,
                             &r->res.pitch2D.numChannels);
    default:
        return cudaErrorInvalidValue;
    }
}

/* The runtime's description goes behind the driver's object; both are kept
 * alike, so that it can be asked for. */
static CUDA_TEXTURE_DESC
texture_of(const struct cudaTextureDesc *d)
{
    CUDA_TEXTURE_DESC t = {
        .filterMode = (CUfilter_mode)d->filterMode,
        .maxAnisotropy = d->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)d->mipmapFilterMode,
        .mipmapLevelBias = d->mipmapLevelBias,
        .minMipmapLevelClamp = d->minMipmapLevelClamp,
        .maxMipmapLevelClamp = d->maxMipmapLevelClamp,
    };
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = (CUaddress_mode)d->addressMode[i];
    memcpy(t.borderColor, d->borderColor, sizeof t.borderColor);
    t.flags =
        (d->readMode == cudaReadModeElementType
             ? (unsigned)CU_TRSF_READ_AS_INTEGER
             : 0) |
        (d->normalizedCoords ? (unsigned)CU_TRSF_NORMALIZED_COORDINATES : 0) |
        (d->sRGB ? (unsigned)CU_TRSF_SRGB : 0) |
        (d->disableTrilinearOptimization
             ? (unsigned)CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
             : 0);
    return t;
}

/* What a component of the resource is; 0: not known. */
static CUarray_format
format_of(const CUDA_RESOURCE_DESC *r)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {0};
    CUarray a;
    switch ((int)r->resType) {
    case CU_RESOURCE_TYPE_LINEAR:
        return r->res.linear.format;
    case CU_RESOURCE_TYPE_PITCH2D:
        return r->res.pitch2D.format;
    case CU_RESOURCE_TYPE_ARRAY:
        cuArray3DGetDescriptor_v2(&d, r->res.array.hArray);
        return d.Format;
    default:
        if (cuMipmappedArrayGetLevel(&a, r->res.mipmap.hMipmappedArray, 0) ==
            CUDA_SUCCESS)
            cuArray3DGetDescriptor_v2(&d, a);
        return d.Format;
    }
}

static bool
is_integer(CUarray_format format)
{
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
        return true;
    default:
        return false;
    }
}

/* Numbers that are not read as floats are not filtered. */
static bool
filters_as(CUarray_format format, const struct cudaTextureDesc *d)
{
    return d->filterMode != cudaFilterModeLinear || !is_integer(format) ||
           (d->readMode == cudaReadModeNormalizedFloat &&
            format != CU_AD_FORMAT_UNSIGNED_INT32 &&
            format != CU_AD_FORMAT_SIGNED_INT32);
}

/* Integers of 32 bits and floats do not read as fractions, and what is a
 * fraction by its format in no other way. */
static bool
reads_as(CUarray_format format, enum cudaTextureReadMode mode)
{
    if (mode == cudaReadModeNormalizedFloat)
        return format != CU_AD_FORMAT_UNSIGNED_INT32 &&
               format != CU_AD_FORMAT_SIGNED_INT32 &&
               format != CU_AD_FORMAT_HALF && format != CU_AD_FORMAT_FLOAT;
    return !sw_rta_is_fraction(format);
}

static cudaError_t
create_texture(cudaTextureObject_t *pTexObject,
               const struct cudaResourceDesc *pResDesc,
               const struct cudaTextureDesc *pTexDesc, bool seamless,
               const struct cudaResourceViewDesc *pResViewDesc)
{
    REQUIRE(pTexObject && pResDesc, cudaErrorInvalidValue);
    REQUIRE(pTexDesc, cudaErrorInvalidResourceHandle); /* so says a device */
    ENTER();
    CUDA_RESOURCE_DESC resource;
    cudaError_t error = resource_of(pResDesc, &resource);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    REQUIRE(filters_as(format_of(&resource), pTexDesc),
            cudaErrorInvalidFilterSetting);
    REQUIRE(reads_as(format_of(&resource), pTexDesc->readMode),
            cudaErrorInvalidNormSetting);
    CUDA_TEXTURE_DESC texture = texture_of(pTexDesc);
    texture.flags |= seamless ? CU_TRSF_SEAMLESS_CUBEMAP : 0;
    CUDA_RESOURCE_VIEW_DESC view = {0};
    if (pResViewDesc) {
        view.format = (CUresourceViewFormat)pResViewDesc->format;
        view.width = pResViewDesc->width;
        view.height = pResViewDesc->height;
        view.depth = pResViewDesc->depth;
        view.firstMipmapLevel = pResViewDesc->firstMipmapLevel;
        view.lastMipmapLevel = pResViewDesc->lastMipmapLevel;
        view.firstLayer = pResViewDesc->firstLayer;
        view.lastLayer = pResViewDesc->lastLayer;
    }
    return sw_rta_done(cuTexObjectCreate(pTexObject, &resource, &texture,
                                         pResViewDesc ? &view : NULL));
}

cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                        const struct cudaResourceDesc *pResDesc,
                        const struct cudaTextureDesc *pTexDesc,
                        const struct cudaResourceViewDesc *pResViewDesc)
{
#if SW_CUDART_MAJOR == 11
    bool seamless = false;
#else
    bool seamless = pTexDesc && pTexDesc->seamlessCubemap;
#endif
    return create_texture(pTexObject, pResDesc, pTexDesc, seamless,
                          pResViewDesc);
}

#if SW_CUDART_MAJOR == 11
/* The newer description only adds a member behind the old ones. */
cudaError_t
cudaCreateTextureObject_v2(cudaTextureObject_t *pTexObject,
                           const struct cudaResourceDesc *pResDesc,
                           const struct cudaTextureDesc_v2 *pTexDesc,
                           const struct cudaResourceViewDesc *pResViewDesc)
{
    return create_texture(pTexObject, pResDesc,
                          (const struct cudaTextureDesc *)pTexDesc,
                          pTexDesc && pTexDesc->seamlessCubemap, pResViewDesc);
}
#endif

cudaError_t
cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
    CALL(cuTexObjectDestroy(texObject));
}

cudaError_t
cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                        const struct cudaResourceDesc *pResDesc)
{
    ENTER();
    REQUIRE(pSurfObject && pResDesc, cudaErrorInvalidValue);
    CUDA_RESOURCE_DESC resource;
    cudaError_t error = resource_of(pResDesc, &resource);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    return sw_rta_done(cuSurfObjectCreate(pSurfObject, &resource));
}

cudaError_t
cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
    CALL(cuSurfObjectDestroy(surfObject));
}

/* ---- what objects were made of ---- */

static void
resource_back(const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *d)
{
    *d = (struct cudaResourceDesc){0};
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        d->resType = cudaResourceTypeArray;
        d->res.array.array = (cudaArray_t)r->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        d->resType = cudaResourceTypeMipmappedArray;
        d->res.mipmap.mipmap =
            (cudaMipmappedArray_t)r->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        d->resType = cudaResourceTypeLinear;
        d->res.linear.devPtr = (void *)(uintptr_t)r->res.linear.devPtr;
        d->res.linear.desc = sw_rta_channel_desc(r->res.linear.format,
                                                 r->res.linear.numChannels);
        d->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        break;
    default:
        d->resType = cudaResourceTypePitch2D;
        d->res.pitch2D.devPtr = (void *)(uintptr_t)r->res.pitch2D.devPtr;
        d->res.pitch2D.desc = sw_rta_channel_desc(r->res.pitch2D.format,
                                                  r->res.pitch2D.numChannels);
        d->res.pitch2D.width = r->res.pitch2D.width;
        d->res.pitch2D.height = r->res.pitch2D.height;
        d->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        break;
    }
}

cudaError_t
cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                 cudaTextureObject_t texObject)
{
    ENTER();
    REQUIRE(pResDesc, cudaErrorInvalidValue);
    CUDA_RESOURCE_DESC r;
    TRY(cuTexObjectGetResourceDesc(&r, texObject));
    resource_back(&r, pResDesc);
    return cudaSuccess;
}

cudaError_t
cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                 cudaSurfaceObject_t surfObject)
{
    ENTER();
    REQUIRE(pResDesc, cudaErrorInvalidValue);
    CUDA_RESOURCE_DESC r;
    TRY(cuSurfObjectGetResourceDesc(&r, surfObject));
    resource_back(&r, pResDesc);
    return cudaSuccess;
}

cudaError_t
cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                cudaTextureObject_t texObject)
{
    ENTER();
    REQUIRE(pTexDesc, cudaErrorInvalidValue);
    CUDA_TEXTURE_DESC t;
    TRY(cuTexObjectGetTextureDesc(&t, texObject));
    *pTexDesc = (struct cudaTextureDesc){
        .filterMode = (enum cudaTextureFilterMode)t.filterMode,
        .readMode = t.flags & CU_TRSF_READ_AS_INTEGER
                        ? cudaReadModeElementType
                        : cudaReadModeNormalizedFloat,
        .sRGB = (t.flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (t.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
        .maxAnisotropy = t.maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)t.mipmapFilterMode,
        .mipmapLevelBias = t.mipmapLevelBias,
        .minMipmapLevelClamp = t.minMipmapLevelClamp,
        .maxMipmapLevelClamp = t.maxMipmapLevelClamp,
        .disableTrilinearOptimization =
            (t.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
    };
#if SW_CUDART_MAJOR > 11
    pTexDesc->seamlessCubemap = (t.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
#endif
    for (int i = 0; i < 3; i++)
        pTexDesc->addressMode[i] =
            (enum cudaTextureAddressMode)t.addressMode[i];
    memcpy(pTexDesc->borderColor, t.borderColor, sizeof t.borderColor);
    return cudaSuccess;
}

#if SW_CUDART_MAJOR == 11
cudaError_t
cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc_v2 *pTexDesc,
                                   cudaTextureObject_t texObject)
{
    ENTER();
    REQUIRE(pTexDesc, cudaErrorInvalidValue);
    CUDA_TEXTURE_DESC t;
    TRY(cuTexObjectGetTextureDesc(&t, texObject));
    pTexDesc->seamlessCubemap = (t.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    return cudaGetTextureObjectTextureDesc((struct cudaTextureDesc *)pTexDesc,
                                           texObject);
}
#endif

cudaError_t
cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                     cudaTextureObject_t texObject)
{
    ENTER();
    REQUIRE(pResViewDesc, cudaErrorInvalidValue);
    CUDA_RESOURCE_VIEW_DESC v;
    TRY(cuTexObjectGetResourceViewDesc(&v, texObject));
    *pResViewDesc = (struct cudaResourceViewDesc){
        .format = (enum cudaResourceViewFormat)v.format,
        .width = v.width,
        .height = v.height,
        .depth = v.depth,
        .firstMipmapLevel = v.firstMipmapLevel,
        .lastMipmapLevel = v.lastMipmapLevel,
        .firstLayer = v.firstLayer,
        .lastLayer = v.lastLayer,
    };
    return cudaSuccess;
}

/* ---- references ---- */

#define TEXREF(ref, host)                                                      \
    CUtexref ref;                                                              \
    bool as_float = false;                                                     \
    ENTER();                                                                   \
    do {                                                                       \
        cudaError_t error_ = sw_rta_texref(host, &ref, &as_float);             \
        if (error_ != cudaSuccess)                                             \
            return sw_rta_fail(error_);                                        \
    } while (0)

/* What the program set in its own variable, as of now. */
static CUresult
set_sampling(CUtexref ref, const struct textureReference *t, bool as_float)
{
    unsigned flags =
        (as_float ? 0 : (unsigned)CU_TRSF_READ_AS_INTEGER) |
        (t->normalized ? (unsigned)CU_TRSF_NORMALIZED_COORDINATES : 0) |
        (t->sRGB ? (unsigned)CU_TRSF_SRGB : 0);
    CUresult status = cuTexRefSetFlags(ref, flags);
    for (int i = 0; i < 3 && status == CUDA_SUCCESS; i++)
        status =
            cuTexRefSetAddressMode(ref, i, (CUaddress_mode)t->addressMode[i]);
    if (status == CUDA_SUCCESS)
        status = cuTexRefSetFilterMode(ref, (CUfilter_mode)t->filterMode);
    return status;
}

cudaError_t
cudaBindTexture(size_t *offset, const struct textureReference *texref,
                const void *devPtr, const struct cudaChannelFormatDesc *desc,
                size_t size)
{
    REQUIRE(texref && desc, cudaErrorInvalidValue);
    TEXREF(ref, texref);
    CUarray_format format;
    unsigned channels;
    cudaError_t error = sw_rta_format(desc, &format, &channels);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    /* The default size means "to the end of the allocation". */
    CUdeviceptr base;
    size_t bytes;
    TRY(cuMemGetAddressRange_v2(&base, &bytes, sw_rta_ptr(devPtr)));
    size_t rest = bytes - (size_t)(sw_rta_ptr(devPtr) - base);
    TRY(cuTexRefSetFormat(ref, format, (int)channels));
    size_t unaligned = 0;
    TRY(cuTexRefSetAddress_v2(&unaligned, ref, sw_rta_ptr(devPtr),
                              size < rest ? size : rest));
    REQUIRE(offset || !unaligned, cudaErrorInvalidValue);
    if (offset)
        *offset = unaligned;
    return sw_rta_done(set_sampling(ref, texref, as_float));
}

cudaError_t
cudaBindTexture2D(size_t *offset, const struct textureReference *texref,
                  const void *devPtr, const struct cudaChannelFormatDesc *desc,
                  size_t width, size_t height, size_t pitch)
{
    REQUIRE(texref && desc, cudaErrorInvalidValue);
    TEXREF(ref, texref);
    CUDA_ARRAY_DESCRIPTOR d = {.Width = width, .Height = height};
    cudaError_t error = sw_rta_format(desc, &d.Format, &d.NumChannels);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    TRY(cuTexRefSetAddress2D_v3(ref, &d, sw_rta_ptr(devPtr), pitch));
    if (offset)
        *offset = 0;
    return sw_rta_done(set_sampling(ref, texref, as_float));
}

cudaError_t
cudaBindTextureToArray(const struct textureReference *texref,
                       cudaArray_const_t array,
                       const struct cudaChannelFormatDesc *desc)
{
    (void)desc;
    REQUIRE(texref && array, cudaErrorInvalidValue);
    TEXREF(ref, texref);
    TRY(cuTexRefSetArray(ref, (CUarray)(uintptr_t)array,
                         CU_TRSA_OVERRIDE_FORMAT));
    return sw_rta_done(set_sampling(ref, texref, as_float));
}

cudaError_t
cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                cudaMipmappedArray_const_t mipmappedArray,
                                const struct cudaChannelFormatDesc *desc)
{
    (void)desc;
    REQUIRE(texref && mipmappedArray, cudaErrorInvalidValue);
    TEXREF(ref, texref);
    TRY(cuTexRefSetMipmappedArray(ref,
                                  (CUmipmappedArray)(uintptr_t)mipmappedArray,
                                  CU_TRSA_OVERRIDE_FORMAT));
    TRY(cuTexRefSetMipmapFilterMode(ref,
                                    (CUfilter_mode)texref->mipmapFilterMode));
    TRY(cuTexRefSetMipmapLevelBias(ref, texref->mipmapLevelBias));
    TRY(cuTexRefSetMipmapLevelClamp(ref, texref->minMipmapLevelClamp,
                                    texref->maxMipmapLevelClamp));
    return sw_rta_done(set_sampling(ref, texref, as_float));
}

cudaError_t
cudaUnbindTexture(const struct textureReference *texref)
{
    REQUIRE(texref, cudaErrorInvalidTexture);
    TEXREF(ref, texref);
    (void)as_float;
    return sw_rta_done(cuTexRefSetAddress_v2(NULL, ref, 0, 0));
}

cudaError_t
cudaGetTextureAlignmentOffset(size_t *offset,
                              const struct textureReference *texref)
{
    REQUIRE(offset && texref, cudaErrorInvalidValue);
    TEXREF(ref, texref);
    (void)as_float;
    CUdeviceptr p;
    REQUIRE(cuTexRefGetAddress_v2(&p, ref) == CUDA_SUCCESS,
            cudaErrorInvalidTextureBinding);
    *offset = 0;
    return cudaSuccess;
}

cudaError_t
cudaGetTextureReference(const struct textureReference **texref,
                        const void *symbol)
{
    REQUIRE(texref, cudaErrorInvalidValue);
    TEXREF(ref, symbol);
    (void)as_float;
    (void)ref;
    *texref = symbol;
    return cudaSuccess;
}

cudaError_t
cudaBindSurfaceToArray(const struct surfaceReference *surfref,
                       cudaArray_const_t array,
                       const struct cudaChannelFormatDesc *desc)
{
    (void)desc;
    REQUIRE(surfref && array, cudaErrorInvalidValue);
    TEXREF(ref, surfref);
    (void)as_float;
    return sw_rta_done(
        cuSurfRefSetArray((CUsurfref)ref, (CUarray)(uintptr_t)array, 0));
}

cudaError_t
cudaGetSurfaceReference(const struct surfaceReference **surfref,
                        const void *symbol)
{
    REQUIRE(surfref, cudaErrorInvalidValue);
    TEXREF(ref, symbol);
    (void)as_float;
    (void)ref;
    *surfref = symbol;
    return cudaSuccess;
}
