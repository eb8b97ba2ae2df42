/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_map.c - maps of tensors, whose layout is ir/tensor_map.h's. */
#include "ir/tensor_map.h"

#include <string.h>

#include "api/cuda/api.h"
#include "sem/tensor.h"

enum {
    TENSORS_SINCE = 90,
    MAP_ALIGN = 64,
    ADDRESS_BITS = 57,
    MOST_BOX = 256,
    MOST_STEP = 8,
    MOST_PIXELS = 1024,
    MOST_BOX_BYTES = 1 << 18 /* an H200 takes 2^16 and refuses 2^19 */
};

/* What both kinds of maps are made of. */
typedef struct {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *address;
    const cuuint64_t *dim, *stride;
    const cuuint32_t *step;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
} tensor;

/* Types as PTX counts them. */
static const uint8_t types[] = {
    [CU_TENSOR_MAP_DATA_TYPE_UINT8] = SW_TENSOR_U8,
    [CU_TENSOR_MAP_DATA_TYPE_UINT16] = SW_TENSOR_U16,
    [CU_TENSOR_MAP_DATA_TYPE_UINT32] = SW_TENSOR_U32,
    [CU_TENSOR_MAP_DATA_TYPE_INT32] = SW_TENSOR_S32,
    [CU_TENSOR_MAP_DATA_TYPE_UINT64] = SW_TENSOR_U64,
    [CU_TENSOR_MAP_DATA_TYPE_INT64] = SW_TENSOR_S64,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = SW_TENSOR_F16,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = SW_TENSOR_F32,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = SW_TENSOR_F64,
    [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = SW_TENSOR_BF16,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = SW_TENSOR_F32_FTZ,
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = SW_TENSOR_TF32,
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = SW_TENSOR_TF32_FTZ,
};

static bool
is_float(CUtensorMapDataType type)
{
    return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
}

static bool
are_extents_good(const tensor *t)
{
    uint64_t unit = t->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    uint64_t address = (uint64_t)(uintptr_t)t->address;
    if (address % unit || address >> ADDRESS_BITS)
        return false;
    for (cuuint32_t i = 0; i < t->rank; i++)
        if (!t->dim[i] || t->dim[i] > UINT64_C(1) << 32 || !t->step[i] ||
            t->step[i] > MOST_STEP)
            return false;
    for (cuuint32_t i = 0; i + 1 < t->rank; i++)
        if (t->stride[i] % unit || t->stride[i] >= UINT64_C(1) << 40)
            return false;
    return true;
}

/* The bytes of a box along dimension 0 fit what a swizzle moves, and are whole
 * units of copies. */
static bool
is_row_good(const tensor *t, cuuint32_t elements)
{
    uint64_t bytes =
        (uint64_t)elements * sw_sem_tensor_element_bytes(types[t->type]);
    if (bytes % 16)
        return false;
    return t->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
           t->swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ||
           bytes <= UINT64_C(16) << t->swizzle;
}

static CUresult
check(const CUtensorMap *map, const tensor *t, cuuint32_t least_rank)
{
    bool stale;
    const sw_rt_context *c = sw_rt_current(&stale);
    REQUIRE(!c || c->device->info->cc >= TENSORS_SINCE,
            CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(map && (uintptr_t)map % MAP_ALIGN == 0 && t->dim && t->step &&
                (t->stride || t->rank == 1),
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE((unsigned)t->type < sizeof types / sizeof *types,
            CUDA_ERROR_INVALID_VALUE);
    if (t->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && least_rank < 3)
        least_rank = 3;
    REQUIRE(t->rank >= least_rank && t->rank <= SW_TENSOR_RANKS,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE((unsigned)t->interleave <= CU_TENSOR_MAP_INTERLEAVE_32B &&
                (unsigned)t->swizzle <= CU_TENSOR_MAP_SWIZZLE_128B &&
                (unsigned)t->promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(t->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ||
                (t->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA &&
                 is_float(t->type)),
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(are_extents_good(t), CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

static sw_tensor_map
begin_map(const tensor *t)
{
    sw_tensor_map m = {
        .address = (uint64_t)(uintptr_t)t->address,
        .rank = (uint8_t)(t->rank - 1),
        .type = types[t->type],
        .interleave = (uint8_t)t->interleave,
        .swizzle = (uint8_t)t->swizzle,
        .fill = (uint8_t)t->fill,
    };
    for (cuuint32_t i = 0; i < t->rank; i++) {
        m.dim[i] = (uint32_t)t->dim[i];
        m.step[i] = t->step[i];
        if (i)
            m.stride[i - 1] = t->stride[i - 1];
    }
    return m;
}

CUresult
cuTensorMapEncodeTiled(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
    cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
    const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill)
{
    NEED_INIT();
    tensor t = {tensorDataType, tensorRank,     globalAddress, globalDim,
                globalStrides,  elementStrides, interleave,    swizzle,
                l2Promotion,    oobFill};
    CUresult r = check(tensorMap, &t, 1);
    if (r != CUDA_SUCCESS)
        return r;
    REQUIRE(boxDim, CUDA_ERROR_INVALID_VALUE);
    sw_tensor_map m = begin_map(&t);
    m.kind = SW_TENSOR_TILED;
    for (cuuint32_t i = 0; i < tensorRank; i++) {
        REQUIRE(boxDim[i] && boxDim[i] <= MOST_BOX, CUDA_ERROR_INVALID_VALUE);
        m.box[i] = boxDim[i];
    }
    uint64_t bytes = sw_sem_tensor_element_bytes(m.type);
    for (cuuint32_t i = 0; i < tensorRank; i++)
        bytes *= boxDim[i];
    REQUIRE(is_row_good(&t, boxDim[0]) && bytes <= MOST_BOX_BYTES,
            CUDA_ERROR_INVALID_VALUE);
    memcpy(tensorMap, &m, sizeof m);
    return CUDA_SUCCESS;
}

/* Corners have 16 bits for one dimension, 8 for each of two, 5 of three. */
static bool
is_corner_good(cuuint32_t spatial, int corner)
{
    static const int bits[] = {0, 15, 7, 4};
    int most = 1 << bits[spatial];
    return corner >= -most && corner < most;
}

CUresult
cuTensorMapEncodeIm2col(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
    cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
    const cuuint64_t *globalStrides, const int *pixelBoxLowerCorner,
    const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel,
    cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill)
{
    NEED_INIT();
    tensor t = {tensorDataType, tensorRank,     globalAddress, globalDim,
                globalStrides,  elementStrides, interleave,    swizzle,
                l2Promotion,    oobFill};
    CUresult r = check(tensorMap, &t, 3);
    if (r != CUDA_SUCCESS)
        return r;
    REQUIRE(pixelBoxLowerCorner && pixelBoxUpperCorner &&
                channelsPerPixel <= MOST_BOX && channelsPerPixel &&
                pixelsPerColumn <= MOST_PIXELS,
            CUDA_ERROR_INVALID_VALUE);
    sw_tensor_map m = begin_map(&t);
    m.kind = SW_TENSOR_IM2COL;
    m.channels = (uint16_t)channelsPerPixel;
    m.pixels = (uint16_t)pixelsPerColumn;
    for (cuuint32_t i = 0; i + 2 < tensorRank; i++) {
        REQUIRE(is_corner_good(tensorRank - 2, pixelBoxLowerCorner[i]) &&
                    is_corner_good(tensorRank - 2, pixelBoxUpperCorner[i]),
                CUDA_ERROR_INVALID_VALUE);
        m.lower[i] = (int16_t)pixelBoxLowerCorner[i];
        m.upper[i] = (int16_t)pixelBoxUpperCorner[i];
    }
    REQUIRE(is_row_good(&t, channelsPerPixel), CUDA_ERROR_INVALID_VALUE);
    memcpy(tensorMap, &m, sizeof m);
    return CUDA_SUCCESS;
}

CUresult
cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress)
{
    NEED_INIT();
    REQUIRE(tensorMap && (uintptr_t)tensorMap % MAP_ALIGN == 0,
            CUDA_ERROR_INVALID_VALUE);
    sw_tensor_map m;
    memcpy(&m, tensorMap, sizeof m);
    uint64_t address = (uint64_t)(uintptr_t)globalAddress;
    REQUIRE(
        address % (m.interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16) == 0,
        CUDA_ERROR_INVALID_VALUE);
    m.address = address;
    memcpy(tensorMap, &m, sizeof m);
    return CUDA_SUCCESS;
}
