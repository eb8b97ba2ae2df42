/* SPDX-License-Identifier: Apache-2.0 */
/* texture.c - texture and surface objects, texture and surface references. */
#include "rt/texture.h"

#include <string.h>

#include "api/cuda/api.h"

/* What the program said of an object, to say it again. */
typedef struct {
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    bool has_view;
} note;
_Static_assert(sizeof(note) <= SW_RT_TEXTURE_NOTE_BYTES, "room for the note");

/* As many texels as there are bytes for. */
static sw_status
set_line(sw_rt_resource *r, size_t bytes)
{
    sw_status status = sw_rt_resource_check(r);
    if (status == SW_OK)
        r->width =
            bytes / ((size_t)sw_rt_format_bytes(r->format) * r->channels);
    return status == SW_OK ? sw_rt_resource_check(r) : status;
}

static sw_status
resource_of(const CUDA_RESOURCE_DESC *d, sw_rt_resource *r)
{
    sw_status status;
    *r = (sw_rt_resource){0};
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        r->kind = SW_RT_RESOURCE_ARRAY;
        r->array = sw_rt_object_get(d->res.array.hArray, SW_RT_ARRAY);
        return r->array ? SW_OK : SW_E_INVAL;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        r->kind = SW_RT_RESOURCE_MIPMAP;
        r->mipmap =
            sw_rt_object_get(d->res.mipmap.hMipmappedArray, SW_RT_MIPMAP);
        return r->mipmap ? SW_OK : SW_E_INVAL;
    case CU_RESOURCE_TYPE_LINEAR:
        r->kind = SW_RT_RESOURCE_LINEAR;
        r->addr = d->res.linear.devPtr;
        r->channels = d->res.linear.numChannels;
        status = sw_api_format(d->res.linear.format, &r->format);
        return status == SW_OK ? set_line(r, d->res.linear.sizeInBytes)
                               : status;
    case CU_RESOURCE_TYPE_PITCH2D:
        r->kind = SW_RT_RESOURCE_PITCH;
        r->addr = d->res.pitch2D.devPtr;
        r->channels = d->res.pitch2D.numChannels;
        r->width = d->res.pitch2D.width;
        r->height = d->res.pitch2D.height;
        r->pitch = d->res.pitch2D.pitchInBytes;
        status = sw_api_format(d->res.pitch2D.format, &r->format);
        return status == SW_OK ? sw_rt_resource_check(r) : status;
    default:
        return SW_E_INVAL;
    }
}

/* As an H100's driver chooses it. */
static uint8_t
steepness(const CUDA_TEXTURE_DESC *d)
{
    unsigned n = d->maxAnisotropy;
    if (n < 2 || d->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION)
        return 0;
    return n < 4 ? 6 : n < 8 ? 7 : 8;
}

static sw_status
sampling_of(const CUDA_TEXTURE_DESC *d, sw_rt_sampling *s)
{
    *s = (sw_rt_sampling){
        .linear = d->filterMode == CU_TR_FILTER_MODE_LINEAR,
        .mip_linear = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
        .normalized_coords = d->flags & CU_TRSF_NORMALIZED_COORDINATES,
        .seamless = d->flags & CU_TRSF_SEAMLESS_CUBEMAP,
        .steep = steepness(d),
        .as_integer = d->flags & CU_TRSF_READ_AS_INTEGER,
        .srgb = d->flags & CU_TRSF_SRGB,
        .bias = d->mipmapLevelBias,
        .min_level = d->minMipmapLevelClamp,
        .max_level = d->maxMipmapLevelClamp,
    };
    if ((unsigned)d->filterMode > CU_TR_FILTER_MODE_LINEAR ||
        (unsigned)d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
        return SW_E_INVAL;
    for (int i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return SW_E_INVAL;
        s->address[i] = (uint8_t)d->addressMode[i];
    }
    memcpy(s->border, d->borderColor, sizeof s->border);
    return SW_OK;
}

/* Formats of views in the driver's order; each with one, two and four channels.
 */
static const sw_rt_format view_formats[] = {
    SW_RT_FORMAT_U8,  SW_RT_FORMAT_S8,  SW_RT_FORMAT_U16, SW_RT_FORMAT_S16,
    SW_RT_FORMAT_U32, SW_RT_FORMAT_S32, SW_RT_FORMAT_F16, SW_RT_FORMAT_F32};

enum { BLOCK_WIDTH = 4 }; /* texels of a compressed block, each way */

/* Of the array of 32-bit integers that holds compressed blocks. */
static unsigned
block_channels(CUresourceViewFormat format)
{
    return format == CU_RES_VIEW_FORMAT_UNSIGNED_BC1 ||
                   format == CU_RES_VIEW_FORMAT_UNSIGNED_BC4 ||
                   format == CU_RES_VIEW_FORMAT_SIGNED_BC4
               ? 2
               : 4;
}

/* Checked as an H200's driver does: of levels and layers that there are not,
 * the last ones are meant. */
static CUresult
view_of(const CUDA_RESOURCE_VIEW_DESC *d, sw_rt_resource *r)
{
    sw_rt_view *v = &r->view;
    if (!r->array && !r->mipmap)
        return CUDA_SUCCESS; /* of linear memory there are none */
    REQUIRE((unsigned)d->format - 1 < CU_RES_VIEW_FORMAT_UNSIGNED_BC7,
            CUDA_ERROR_INVALID_VALUE);
    const sw_rt_shape *shape =
        r->array ? &r->array->shape : &r->mipmap->levels[0]->shape;
    bool is_packed = d->format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
    unsigned texels = is_packed ? BLOCK_WIDTH : 1;
    REQUIRE(d->width == shape->width * texels &&
                d->height == shape->height * (shape->height ? texels : 1) &&
                d->depth == shape->depth,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(d->firstMipmapLevel <= d->lastMipmapLevel &&
                d->firstLayer <= d->lastLayer &&
                (r->mipmap || !d->lastMipmapLevel) &&
                (shape->layered || !d->lastLayer),
            CUDA_ERROR_INVALID_VALUE);
    if (is_packed) {
        REQUIRE(shape->format == SW_RT_FORMAT_U32 &&
                    shape->channels == block_channels(d->format),
                CUDA_ERROR_INVALID_VALUE);
        return sw_api_unsupported("a resource view of a compressed format");
    }
    v->first_level = d->firstMipmapLevel;
    v->last_level = d->lastMipmapLevel;
    v->first_layer = d->firstLayer;
    v->last_layer = d->lastLayer;
    unsigned i = (unsigned)d->format - CU_RES_VIEW_FORMAT_UINT_1X8;
    v->has_format = v->has_parts = true;
    v->format = view_formats[i / 3];
    v->channels = 1u << i % 3;
    return CUDA_SUCCESS;
}

/* Below capability 3.0 there are references only (CUDA C++ Programming Guide,
 * "Texture Object API"). */
enum { OBJECTS_SINCE = 30 };

/* All bits but that of cubes, which nobody else may set. */
enum { TEXTURE_FLAGS = 0x3f };

/* Linear memory begins, and its rows lie, where the device wants them. */
static bool
is_aligned(const sw_rt_device *d, const sw_rt_resource *r)
{
    int base = sw_rt_device_get(d, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    int pitch =
        sw_rt_device_get(d, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
    if (r->kind != SW_RT_RESOURCE_LINEAR && r->kind != SW_RT_RESOURCE_PITCH)
        return true;
    return (base <= 0 || r->addr % (unsigned)base == 0) &&
           (r->kind == SW_RT_RESOURCE_LINEAR || pitch <= 0 ||
            r->pitch % (unsigned)pitch == 0);
}

static bool
is_at_most(const sw_rt_device *d, size_t value, CUdevice_attribute limit)
{
    return value <= (size_t)sw_rt_device_get(d, (int)limit);
}

/* Arrays are read in their own context only. */
static sw_status
check_owner(const sw_rt_context *c, const sw_rt_resource *r)
{
    const sw_rt_context *owner = r->array    ? r->array->context
                                 : r->mipmap ? r->mipmap->context
                                             : c;
    return owner == c ? SW_OK : SW_E_PEER_ACCESS_NOT_ENABLED;
}

/* Rows in linear memory: so wide, so many and so far apart they may be. */
static bool
is_within_limits(const sw_rt_device *d, const sw_rt_resource *r)
{
    return r->kind != SW_RT_RESOURCE_PITCH ||
           (is_at_most(d, r->width,
                       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH) &&
            is_at_most(d, r->height,
                       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT) &&
            is_at_most(d, r->pitch,
                       CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH));
}

CUresult
cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                  const CUDA_TEXTURE_DESC *pTexDesc,
                  const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    ENTER_UNSAFE(c);
    REQUIRE(pTexObject && pResDesc && pTexDesc, CUDA_ERROR_INVALID_VALUE);
    REQUIRE(c->device->info->cc >= OBJECTS_SINCE, CUDA_ERROR_NOT_SUPPORTED);
    sw_rt_resource resource;
    sw_rt_sampling sampling;
    TRY(resource_of(pResDesc, &resource));
    const sw_rt_shape *shape = resource.array ? &resource.array->shape
                               : resource.mipmap
                                   ? &resource.mipmap->levels[0]->shape
                                   : NULL;
    unsigned flags = TEXTURE_FLAGS;
    if (shape && shape->cubemap)
        flags |= CU_TRSF_SEAMLESS_CUBEMAP;
    REQUIRE(!pResDesc->flags && !(pTexDesc->flags & ~flags),
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(is_aligned(c->device, &resource) &&
                is_within_limits(c->device, &resource),
            CUDA_ERROR_INVALID_VALUE);
    if (pResViewDesc) {
        CUresult status = view_of(pResViewDesc, &resource);
        if (status != CUDA_SUCCESS)
            return status;
    }
    TRY(sampling_of(pTexDesc, &sampling));
    TRY(check_owner(c, &resource));
    uint64_t handle;
    TRY(sw_rt_texture_create(&resource, &sampling, &handle));
    note *n = sw_rt_texture_note(handle);
    n->resource = *pResDesc;
    n->texture = *pTexDesc;
    n->has_view = pResViewDesc;
    if (pResViewDesc)
        n->view = *pResViewDesc;
    *pTexObject = handle;
    return CUDA_SUCCESS;
}

CUresult
cuTexObjectDestroy(CUtexObject texObject)
{
    ENTER_UNSAFE(c);
    (void)c;
    if (!texObject)
        return CUDA_SUCCESS;
    return sw_api_result(sw_rt_texture_destroy(texObject));
}

static note *
note_of(uint64_t handle, bool is_surface)
{
    note *n = sw_rt_texture_note(handle);
    return n && sw_rt_texture_is_surface(handle) == is_surface ? n : NULL;
}

CUresult
cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    ENTER(c);
    (void)c;
    const note *n = note_of(texObject, false);
    REQUIRE(pResDesc && n, CUDA_ERROR_INVALID_VALUE);
    *pResDesc = n->resource;
    return CUDA_SUCCESS;
}

CUresult
cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    ENTER(c);
    (void)c;
    const note *n = note_of(texObject, false);
    REQUIRE(pTexDesc && n, CUDA_ERROR_INVALID_VALUE);
    *pTexDesc = n->texture;
    return CUDA_SUCCESS;
}

CUresult
cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
                               CUtexObject texObject)
{
    NEED_INIT();
    const note *n = note_of(texObject, false);
    REQUIRE(pResViewDesc && n, CUDA_ERROR_INVALID_VALUE);
    *pResViewDesc = n->view; /* all zero: none */
    return CUDA_SUCCESS;
}

CUresult
cuSurfObjectCreate(CUsurfObject *pSurfObject,
                   const CUDA_RESOURCE_DESC *pResDesc)
{
    ENTER_UNSAFE(c);
    REQUIRE(pSurfObject && pResDesc &&
                pResDesc->resType == CU_RESOURCE_TYPE_ARRAY,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(c->device->info->cc >= OBJECTS_SINCE, CUDA_ERROR_NOT_SUPPORTED);
    sw_rt_resource resource;
    TRY(resource_of(pResDesc, &resource));
    TRY(check_owner(c, &resource));
    uint64_t handle;
    TRY(sw_rt_texture_create(&resource, NULL, &handle));
    ((note *)sw_rt_texture_note(handle))->resource = *pResDesc;
    *pSurfObject = handle;
    return CUDA_SUCCESS;
}

CUresult
cuSurfObjectDestroy(CUsurfObject surfObject)
{
    return cuTexObjectDestroy(surfObject);
}

CUresult
cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc,
                            CUsurfObject surfObject)
{
    NEED_INIT();
    const note *n = note_of(surfObject, true);
    REQUIRE(pResDesc && n, CUDA_ERROR_INVALID_VALUE);
    *pResDesc = n->resource;
    return CUDA_SUCCESS;
}

/* ---- references ---- */

#define REF(var, handle)                                                       \
    sw_rt_texref *var = sw_rt_object_get(handle, SW_RT_TEXREF);                \
    REQUIRE(var, CUDA_ERROR_INVALID_HANDLE)

static CUresult
module_ref(CUmodule hmod, const char *name, bool is_surface, sw_rt_texref **out)
{
    NEED_INIT();
    sw_rt_module *m = sw_rt_object_get(hmod, SW_RT_MODULE);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(name, CUDA_ERROR_INVALID_VALUE);
    *out = sw_rt_texref_find(m, name);
    REQUIRE(*out && (*out)->is_surface == is_surface, CUDA_ERROR_NOT_FOUND);
    return CUDA_SUCCESS;
}

CUresult
cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name)
{
    REQUIRE(pTexRef, CUDA_ERROR_INVALID_VALUE);
    return module_ref(hmod, name, false, (sw_rt_texref **)pTexRef);
}

CUresult
cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name)
{
    REQUIRE(pSurfRef, CUDA_ERROR_INVALID_VALUE);
    return module_ref(hmod, name, true, (sw_rt_texref **)pSurfRef);
}

CUresult
cuTexRefCreate(CUtexref *pTexRef)
{
    NEED_INIT();
    REQUIRE(pTexRef, CUDA_ERROR_INVALID_VALUE);
    *pTexRef = (CUtexref)sw_rt_texref_create(NULL, NULL);
    return CUDA_SUCCESS;
}

CUresult
cuTexRefDestroy(CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(!r->module, CUDA_ERROR_INVALID_VALUE); /* the module's own */
    sw_rt_texref_destroy(r);
    return CUDA_SUCCESS;
}

/* Changes take effect at once where something is bound. */
static CUresult
updated(sw_rt_texref *r)
{
    return sw_api_result(sw_rt_texref_update(r));
}

CUresult
cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags)
{
    NEED_INIT();
    REF(r, hTexRef);
    sw_rt_array *a = sw_rt_object_get(hArray, SW_RT_ARRAY);
    REQUIRE(a, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(Flags & CU_TRSA_OVERRIDE_FORMAT, CUDA_ERROR_INVALID_VALUE);
    r->resource = (sw_rt_resource){.kind = SW_RT_RESOURCE_ARRAY, .array = a};
    r->format = a->shape.format;
    r->channels = a->shape.channels;
    return updated(r);
}

CUresult
cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray handle,
                          unsigned int Flags)
{
    NEED_INIT();
    REF(r, hTexRef);
    sw_rt_mipmap *m = sw_rt_object_get(handle, SW_RT_MIPMAP);
    REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(Flags & CU_TRSA_OVERRIDE_FORMAT, CUDA_ERROR_INVALID_VALUE);
    r->resource = (sw_rt_resource){.kind = SW_RT_RESOURCE_MIPMAP, .mipmap = m};
    return updated(r);
}

CUresult
cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                      size_t bytes)
{
    NEED_INIT();
    REF(r, hTexRef);
    if (!dptr || !bytes) {
        r->resource = (sw_rt_resource){0};
        if (ByteOffset)
            *ByteOffset = 0;
        return updated(r);
    }
    REQUIRE(sw_rt_memory_find(dptr, NULL), CUDA_ERROR_INVALID_VALUE);
    size_t offset = dptr % 512; /* texture alignment */
    REQUIRE(offset == 0 || ByteOffset, CUDA_ERROR_INVALID_VALUE);
    if (ByteOffset)
        *ByteOffset = offset;
    sw_rt_resource line = {
        .kind = SW_RT_RESOURCE_LINEAR,
        .addr = dptr - offset,
        .format = r->format,
        .channels = r->channels,
    };
    TRY(set_line(&line, sw_sum(bytes, offset)));
    r->resource = line;
    return updated(r);
}

CUresult
cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                        CUdeviceptr dptr, size_t Pitch)
{
    NEED_INIT();
    REF(r, hTexRef);
    const sw_rt_alloc *a = sw_rt_memory_find(dptr, NULL);
    REQUIRE(desc && a, CUDA_ERROR_INVALID_VALUE);
    sw_rt_format format;
    TRY(sw_api_format(desc->Format, &format));
    const sw_rt_resource rows = {
        .kind = SW_RT_RESOURCE_PITCH,
        .addr = dptr,
        .format = format,
        .channels = desc->NumChannels,
        .width = desc->Width,
        .height = desc->Height,
        .pitch = Pitch,
    };
    TRY(sw_rt_resource_check(&rows));
    REQUIRE(is_within_limits(a->device, &rows), CUDA_ERROR_INVALID_VALUE);
    r->format = format;
    r->channels = desc->NumChannels;
    r->resource = rows;
    return updated(r);
}

CUresult
cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
                        CUdeviceptr dptr, size_t Pitch)
{
    return cuTexRefSetAddress2D_v3(hTexRef, desc, dptr, Pitch);
}

CUresult
cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int channels)
{
    NEED_INIT();
    REF(r, hTexRef);
    sw_rt_format format;
    TRY(sw_api_format(fmt, &format));
    REQUIRE(channels == 1 || channels == 2 || channels == 4,
            CUDA_ERROR_INVALID_VALUE);
    r->format = format;
    r->channels = (uint32_t)channels;
    return CUDA_SUCCESS;
}

CUresult
cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(dim >= 0 && dim < 3, CUDA_ERROR_INVALID_VALUE);
    if ((unsigned)am > CU_TR_ADDRESS_MODE_BORDER)
        return CUDA_SUCCESS; /* as a real driver does, which tests nothing */
    r->sampling.address[dim] = (uint8_t)am;
    return updated(r);
}

CUresult
cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    NEED_INIT();
    REF(r, hTexRef);
    r->sampling.linear = fm == CU_TR_FILTER_MODE_LINEAR;
    updated(r); /* may have to wait for its flags */
    return CUDA_SUCCESS;
}

CUresult
cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm)
{
    NEED_INIT();
    REF(r, hTexRef);
    r->sampling.mip_linear = fm == CU_TR_FILTER_MODE_LINEAR;
    return updated(r);
}

CUresult
cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias)
{
    NEED_INIT();
    REF(r, hTexRef);
    r->sampling.bias = bias;
    return updated(r);
}

CUresult
cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                            float maxMipmapLevelClamp)
{
    NEED_INIT();
    REF(r, hTexRef);
    r->sampling.min_level = minMipmapLevelClamp;
    r->sampling.max_level = maxMipmapLevelClamp;
    return updated(r);
}

CUresult
cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso)
{
    NEED_INIT();
    REF(r, hTexRef);
    r->anisotropy = maxAniso; /* no effect */
    return CUDA_SUCCESS;
}

/* Reads one thing of a reference. */
#define GETTER(name, type, value)                                              \
    CUresult name(type *out, CUtexref hTexRef)                                 \
    {                                                                          \
        NEED_INIT();                                                           \
        REF(r, hTexRef);                                                       \
        REQUIRE(out, CUDA_ERROR_INVALID_VALUE);                                \
        *out = (type)(value);                                                  \
        return CUDA_SUCCESS;                                                   \
    }
GETTER(cuTexRefGetMaxAnisotropy, int, r->anisotropy)
GETTER(cuTexRefGetMipmapLevelBias, float, r->sampling.bias)
GETTER(cuTexRefGetMipmapFilterMode, CUfilter_mode,
       r->sampling.mip_linear ? CU_TR_FILTER_MODE_LINEAR
                              : CU_TR_FILTER_MODE_POINT)

CUresult
cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp,
                            float *pmaxMipmapLevelClamp, CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(pminMipmapLevelClamp && pmaxMipmapLevelClamp,
            CUDA_ERROR_INVALID_VALUE);
    *pminMipmapLevelClamp = r->sampling.min_level;
    *pmaxMipmapLevelClamp = r->sampling.max_level;
    return CUDA_SUCCESS;
}

CUresult
cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(phMipmappedArray && r->resource.kind == SW_RT_RESOURCE_MIPMAP,
            CUDA_ERROR_INVALID_VALUE);
    *phMipmappedArray = (CUmipmappedArray)r->resource.mipmap;
    return CUDA_SUCCESS;
}

CUresult
cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(pBorderColor, CUDA_ERROR_INVALID_VALUE);
    memcpy(r->sampling.border, pBorderColor, sizeof r->sampling.border);
    return updated(r);
}

CUresult
cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags)
{
    NEED_INIT();
    REF(r, hTexRef);
    r->api_flags = Flags;
    r->sampling.normalized_coords = Flags & CU_TRSF_NORMALIZED_COORDINATES;
    r->sampling.as_integer = Flags & CU_TRSF_READ_AS_INTEGER;
    r->sampling.srgb = Flags & CU_TRSF_SRGB;
    return updated(r);
}

CUresult
cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(pdptr && r->resource.addr, CUDA_ERROR_INVALID_VALUE);
    *pdptr = r->resource.addr;
    return CUDA_SUCCESS;
}

CUresult
cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(phArray && r->resource.kind == SW_RT_RESOURCE_ARRAY,
            CUDA_ERROR_INVALID_VALUE);
    *phArray = (CUarray)r->resource.array;
    return CUDA_SUCCESS;
}

CUresult
cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(pam && dim >= 0 && dim < 3, CUDA_ERROR_INVALID_VALUE);
    *pam = (CUaddress_mode)r->sampling.address[dim];
    return CUDA_SUCCESS;
}

CUresult
cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(pfm, CUDA_ERROR_INVALID_VALUE);
    *pfm =
        r->sampling.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    return CUDA_SUCCESS;
}

CUresult
cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(pFormat || pNumChannels, CUDA_ERROR_INVALID_VALUE);
    if (pFormat)
        *pFormat = sw_api_format_back(r->format);
    if (pNumChannels)
        *pNumChannels = (int)r->channels;
    return CUDA_SUCCESS;
}

CUresult
cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(pFlags, CUDA_ERROR_INVALID_VALUE);
    *pFlags = r->api_flags;
    return CUDA_SUCCESS;
}

CUresult
cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef)
{
    NEED_INIT();
    REF(r, hTexRef);
    REQUIRE(pBorderColor, CUDA_ERROR_INVALID_VALUE);
    memcpy(pBorderColor, r->sampling.border, sizeof r->sampling.border);
    return CUDA_SUCCESS;
}

CUresult
cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags)
{
    NEED_INIT();
    REF(r, hSurfRef);
    sw_rt_array *a = sw_rt_object_get(hArray, SW_RT_ARRAY);
    REQUIRE(a && r->is_surface, CUDA_ERROR_INVALID_HANDLE);
    REQUIRE(Flags == 0, CUDA_ERROR_INVALID_VALUE);
    r->resource = (sw_rt_resource){.kind = SW_RT_RESOURCE_ARRAY, .array = a};
    return updated(r);
}

CUresult
cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef)
{
    return cuTexRefGetArray(phArray, (CUtexref)hSurfRef);
}
