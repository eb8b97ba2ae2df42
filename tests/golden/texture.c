/* SPDX-License-Identifier: Apache-2.0 */
/* texture.c - the textures that forms ask for by name: FORMAT FILTER MODE
 * COORDINATES SIZE behind the slash, dimensions before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"

enum { LAYERS = 5, LEVELS = 4, BUFFER = 40 };

typedef struct {
    char dims[8], filter[8], mode[8], coordinates[4], size[12];
    CUarray_format format;
    unsigned channels, bytes; /* of a texel */
    const char *kind;         /* of a channel, for golden_input */
    unsigned kind_bits;
    bool as_float, srgb;
} request;

static bool
read_format(const char *name, request *q)
{
    static const struct {
        const char *name;
        CUarray_format format;
        unsigned bits;
        const char *kind;
    } formats[] = {{"f32x", CU_AD_FORMAT_FLOAT, 32, "F32T"},
                   {"f16x", CU_AD_FORMAT_HALF, 16, "F16T"},
                   {"u8x", CU_AD_FORMAT_UNSIGNED_INT8, 8, "I16"},
                   {"s8x", CU_AD_FORMAT_SIGNED_INT8, 8, "I16"},
                   {"u16x", CU_AD_FORMAT_UNSIGNED_INT16, 16, "I16"},
                   {"s16x", CU_AD_FORMAT_SIGNED_INT16, 16, "I16"},
                   {"u32x", CU_AD_FORMAT_UNSIGNED_INT32, 32, "I32"},
                   {"s32x", CU_AD_FORMAT_SIGNED_INT32, 32, "I32"},
                   {"srgb8x", CU_AD_FORMAT_UNSIGNED_INT8, 8, "I16"},
                   {"w0x", CU_AD_FORMAT_FLOAT, 32, "F0"},
                   {"w1x", CU_AD_FORMAT_FLOAT, 32, "F1"}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t n = strlen(formats[i].name);
        if (strncmp(name, formats[i].name, n))
            continue;
        q->format = formats[i].format;
        q->channels = (unsigned)name[n] - '0';
        q->bytes = formats[i].bits / 8 * q->channels;
        q->kind = formats[i].kind;
        q->kind_bits = formats[i].bits;
        q->as_float = name[n + 1] == 'n' || *q->kind == 'F';
        q->srgb = name[1] == 'r';
        return true;
    }
    return false;
}

static bool
read_request(const golden_form *form, request *q)
{
    static const char *const dims[] = {"a1d", "a2d", "1d", "2d", "3d", "cube"};
    const char *slash = strchr(form->name, '/');
    char format[16];
    if (!slash || sscanf(slash + 1, "%15s %7s %7s %3s %11s", format, q->filter,
                         q->mode, q->coordinates, q->size) != 5)
        return false;
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        char part[12];
        snprintf(part, sizeof part, ".%s.", dims[i]);
        if (strstr(form->name, part)) {
            snprintf(q->dims, sizeof q->dims, "%s", dims[i]);
            return read_format(format, q);
        }
    }
    return false;
}

static void
extent_of(const request *q, size_t size[3])
{
    bool even = strcmp(q->size, "odd") && strcmp(q->size, "pitch");
    bool layered = *q->dims == 'a', two = strstr(q->dims, "2d") != NULL;
    bool three = !strcmp(q->dims, "3d");
    bool mips = !strncmp(q->size, "mips", 4);
    size[0] = even ? 32 : two ? 29 : 37;
    size[1] = two ? (even ? 16 : 19) : 0;
    size[2] = layered ? LAYERS : 0;
    if (three) {
        size[0] = even ? 16 : 13;
        size[1] = mips ? 16 : even ? 8 : 11;
        size[2] = even ? 8 : 7;
    }
    if (*q->dims == 'c') {
        size[0] = size[1] = 16;
        size[2] = 6;
    }
}

/* Formats w0 and w1: channel c is 1.0 where x and y have the parities of c, in
 * even or odd slices only, so that a fetch shows the weights. */
static uint64_t
weight_texel(const request *q, size_t c, size_t x, size_t y, size_t z)
{
    bool one = c == ((x & 1) | (y & 1) << 1) && (z & 1) == (q->kind[1] == '1');
    return one ? 0x3f800000 : 0;
}

/* The texels of a level, rows of `pitch` bytes. */
static uint8_t *
make_texels(const request *q, const size_t size[3], size_t pitch, unsigned seed)
{
    size_t rows = (size[1] ? size[1] : 1) * (size[2] ? size[2] : 1);
    unsigned bytes = q->kind_bits / 8;
    uint8_t *out = calloc(rows, pitch);
    if (!out)
        exit(2);
    for (size_t r = 0; r < rows; r++)
        for (size_t x = 0; x < size[0] * q->channels; x++) {
            uint32_t i = (uint32_t)(r * 1009 + x + seed * 65537 + 200000);
            size_t h = size[1] ? size[1] : 1;
            uint64_t v = *q->kind == 'F' && !q->kind[2]
                             ? weight_texel(q, x % q->channels, x / q->channels,
                                            r % h, r / h)
                             : golden_input(q->kind, q->kind_bits, 1, i);
            if (q->kind_bits == 8)
                v ^= v >> 8;
            memcpy(out + r * pitch + x * bytes, &v, bytes);
        }
    return out;
}

static CUresult
fill_array(const request *q, const size_t size[3], CUarray array, unsigned seed)
{
    size_t pitch = size[0] * q->bytes, rows = size[1] ? size[1] : 1;
    uint8_t *texels = make_texels(q, size, pitch, seed);
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = texels,
                          .srcPitch = pitch,
                          .srcHeight = rows,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = pitch,
                          .Height = rows,
                          .Depth = size[2] ? size[2] : 1};
    CUresult status = cuMemcpy3D(&copy);
    free(texels);
    return status;
}

static unsigned
array_flags(const request *q, bool surface)
{
    return (*q->dims == 'a' ? CUDA_ARRAY3D_LAYERED : 0) |
           (*q->dims == 'c' ? CUDA_ARRAY3D_CUBEMAP : 0) |
           (surface ? CUDA_ARRAY3D_SURFACE_LDST : 0);
}

static CUresult
make_array(const request *q, bool surface, CUDA_RESOURCE_DESC *out)
{
    size_t size[3];
    extent_of(q, size);
    CUDA_ARRAY3D_DESCRIPTOR desc = {size[0],     size[1],
                                    size[2],     q->format,
                                    q->channels, array_flags(q, surface)};
    out->resType = CU_RESOURCE_TYPE_ARRAY;
    CUresult status = cuArray3DCreate(&out->res.array.hArray, &desc);
    return status ? status : fill_array(q, size, out->res.array.hArray, 0);
}

static CUresult
make_mipmaps(const request *q, CUDA_RESOURCE_DESC *out)
{
    size_t size[3];
    extent_of(q, size);
    CUDA_ARRAY3D_DESCRIPTOR desc = {size[0],   size[1],     size[2],
                                    q->format, q->channels, array_flags(q, 0)};
    CUmipmappedArray mips;
    CUresult status = cuMipmappedArrayCreate(&mips, &desc, LEVELS);
    out->resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    out->res.mipmap.hMipmappedArray = mips;
    for (unsigned l = 0; l < LEVELS && !status; l++) {
        CUarray level;
        size_t part[3];
        for (int k = 0; k < 3; k++)
            part[k] = size[k] && size[k] >> l == 0 ? 1 : size[k] >> l;
        status = cuMipmappedArrayGetLevel(&level, mips, l);
        if (!status)
            status = fill_array(q, part, level, l);
    }
    return status;
}

static CUresult
make_memory(const request *q, CUDA_RESOURCE_DESC *out)
{
    size_t size[3] = {BUFFER, 0, 0}, pitch = BUFFER * q->bytes, rows = 1;
    bool flat = !strcmp(q->size, "buffer");
    if (!flat) {
        extent_of(q, size);
        pitch = 512;
        rows = size[1];
    }
    uint8_t *texels = make_texels(q, size, pitch, 0);
    CUdeviceptr memory;
    CUresult status = cuMemAlloc(&memory, pitch * rows);
    if (!status)
        status = cuMemcpyHtoD(memory, texels, pitch * rows);
    free(texels);
    if (flat) {
        out->resType = CU_RESOURCE_TYPE_LINEAR;
        out->res.linear.devPtr = memory;
        out->res.linear.format = q->format;
        out->res.linear.numChannels = q->channels;
        out->res.linear.sizeInBytes = pitch;
    } else {
        out->resType = CU_RESOURCE_TYPE_PITCH2D;
        out->res.pitch2D.devPtr = memory;
        out->res.pitch2D.format = q->format;
        out->res.pitch2D.numChannels = q->channels;
        out->res.pitch2D.width = size[0];
        out->res.pitch2D.height = size[1];
        out->res.pitch2D.pitchInBytes = pitch;
    }
    return status;
}

static CUaddress_mode
address_mode(const char *name)
{
    return !strcmp(name, "wrap")     ? CU_TR_ADDRESS_MODE_WRAP
           : !strcmp(name, "clamp")  ? CU_TR_ADDRESS_MODE_CLAMP
           : !strcmp(name, "mirror") ? CU_TR_ADDRESS_MODE_MIRROR
                                     : CU_TR_ADDRESS_MODE_BORDER;
}

static void
describe(const request *q, CUDA_TEXTURE_DESC *out)
{
    CUaddress_mode mode = address_mode(q->mode);
    CUfilter_mode filter = strcmp(q->filter, "linear")
                               ? CU_TR_FILTER_MODE_POINT
                               : CU_TR_FILTER_MODE_LINEAR;
    *out = (CUDA_TEXTURE_DESC){
        .addressMode = {mode, mode, mode},
        .filterMode = filter,
        .flags = (q->as_float ? 0 : CU_TRSF_READ_AS_INTEGER) |
                 (*q->coordinates == 'n' ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                 (q->srgb ? CU_TRSF_SRGB : 0),
        .mipmapFilterMode = strcmp(q->size, "mipslinear")
                                ? CU_TR_FILTER_MODE_POINT
                                : CU_TR_FILTER_MODE_LINEAR,
        .maxMipmapLevelClamp = 16,
        .borderColor = {0.25f, 0.5f, 0.75f, 1.0f}};
}

/* Objects by what they are made of: forms differ in less. */
static struct {
    char key[64];
    CUtexObject object;
} made[2048];
static unsigned made_count;

void
golden_texture_reset(void)
{
    made_count = 0;
}

CUresult
golden_texture(const golden_form *form, CUtexObject *out)
{
    request q = {0};
    *out = 0;
    if (!strstr(form->body, "%tex") || !read_request(form, &q))
        return CUDA_SUCCESS;
    bool surface = !strncmp(form->name, "su", 2);
    char key[sizeof made->key];
    snprintf(key, sizeof key, "%s%s%s", surface ? "s" : "t", q.dims,
             strchr(form->name, '/'));
    for (unsigned i = 0; i < made_count; i++)
        if (!strcmp(made[i].key, key)) {
            *out = made[i].object;
            return CUDA_SUCCESS;
        }
    CUDA_RESOURCE_DESC resource = {0};
    CUDA_TEXTURE_DESC desc;
    describe(&q, &desc);
    bool memory = !strcmp(q.size, "buffer") || !strcmp(q.size, "pitch");
    CUresult status = memory ? make_memory(&q, &resource)
                      : !strncmp(q.size, "mips", 4)
                          ? make_mipmaps(&q, &resource)
                          : make_array(&q, surface, &resource);
    if (!status)
        status = surface ? cuSurfObjectCreate((CUsurfObject *)out, &resource)
                         : cuTexObjectCreate(out, &resource, &desc, NULL);
    if (!status && made_count < sizeof made / sizeof *made) {
        snprintf(made[made_count].key, sizeof key, "%s", key);
        made[made_count++].object = *out;
    }
    return status;
}
