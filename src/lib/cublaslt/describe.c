/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - cuBLASLt: handles and descriptors. */
#include "lib/cublaslt/lt.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(lt_layout) <= sizeof(cublasLtMatrixLayoutOpaque_t) &&
                   sizeof(lt_matmul) <= sizeof(cublasLtMatmulDescOpaque_t) &&
                   sizeof(lt_transform) <=
                       sizeof(cublasLtMatrixTransformDescOpaque_t) &&
                   sizeof(lt_preference) <=
                       sizeof(cublasLtMatmulPreferenceOpaque_t) &&
                   sizeof(lt_algorithm) <= sizeof(cublasLtMatmulAlgo_t),
               "descriptors fit into the public structs");

/* ---- handles ---- */

enum { HANDLE = 0x4c744831 };

struct cublasLtContext {
    uint32_t magic; /* HANDLE while it lives */
};

/* A handle of cuBLAS is one, too: both begin with a number. */
enum { BLAS_HANDLE = 0x63754253 };

cublasStatus_t
lt_check(cublasLtHandle_t handle)
{
    return handle && (handle->magic == HANDLE || handle->magic == BLAS_HANDLE)
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t
lt_status(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT:
        return CUBLAS_STATUS_NOT_INITIALIZED;
    default:
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

bool
lt_is_op(int32_t op)
{
    return op >= CUBLAS_OP_N && op <= CUBLAS_OP_CONJG;
}

cublasStatus_t
cublasLtCreate(cublasLtHandle_t *handle)
{
    VALID(handle);
    TRY(lt_status(sw_lib_enter()));
    REQUIRE(sw_lib_host_has(SW_LIB_HOST_OPENBLAS),
            CUBLAS_STATUS_NOT_INITIALIZED);
    struct cublasLtContext *made = sw_alloc(sizeof *made);
    made->magic = HANDLE;
    *handle = made;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtDestroy(cublasLtHandle_t handle)
{
    TRY(lt_check(handle));
    if (handle->magic == HANDLE) {
        handle->magic = 0;
        sw_free(handle);
    }
    return CUBLAS_STATUS_SUCCESS;
}

enum { VERSION_11 = 111103, VERSION_12 = 120900, VERSION_13 = 130000 };

size_t
cublasLtGetVersion(void)
{
    return sw_lib_cuda == 11   ? VERSION_11
           : sw_lib_cuda == 12 ? VERSION_12
                               : VERSION_13;
}

size_t
cublasLtGetCudartVersion(void)
{
    return sw_lib_cuda == 11 ? 11080 : sw_lib_cuda == 12 ? 12090 : 13000;
}

cublasStatus_t
cublasLtGetProperty(libraryPropertyType type, int *value)
{
    VALID(value);
    int version = (int)cublasLtGetVersion();
    switch (type) {
    case MAJOR_VERSION:
        *value = version / 10000;
        break;
    case MINOR_VERSION:
        *value = version / 100 % 100;
        break;
    case PATCH_LEVEL:
        *value = version % 100;
        break;
    default:
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return CUBLAS_STATUS_SUCCESS;
}

#define STATUSES(STATUS)                                                       \
    STATUS(CUBLAS_STATUS_SUCCESS, "success")                                   \
    STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized")   \
    STATUS(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed")       \
    STATUS(CUBLAS_STATUS_INVALID_VALUE,                                        \
           "an unsupported value or parameter was passed to the function")     \
    STATUS(CUBLAS_STATUS_ARCH_MISMATCH,                                        \
           "an absent device architectural feature is required")               \
    STATUS(CUBLAS_STATUS_MAPPING_ERROR,                                        \
           "an access to GPU memory space failed")                             \
    STATUS(CUBLAS_STATUS_EXECUTION_FAILED,                                     \
           "the GPU program failed to execute")                                \
    STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed")       \
    STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "the function is not supported")       \
    STATUS(CUBLAS_STATUS_LICENSE_ERROR, "the functionality requires a "        \
                                        "license")

const char *
cublasLtGetStatusName(cublasStatus_t status)
{
#define STATUS(name, text)                                                     \
    if (status == name)                                                        \
        return #name;
    STATUSES(STATUS)
#undef STATUS
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *
cublasLtGetStatusString(cublasStatus_t status)
{
#define STATUS(name, text)                                                     \
    if (status == name)                                                        \
        return text;
    STATUSES(STATUS)
#undef STATUS
    return "unknown status";
}

/* Nothing is remembered between searches. */
cublasStatus_t
cublasLtHeuristicsCacheGetCapacity(size_t *capacity)
{
    VALID(capacity);
    *capacity = 0;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtHeuristicsCacheSetCapacity(size_t capacity)
{
    (void)capacity;
    return CUBLAS_STATUS_SUCCESS;
}

unsigned
cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
    (void)mask;
    return 0;
}

/* Calls are logged by SOFTWARP_LOG, not here. */
cublasStatus_t
cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback)
{
    (void)callback;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtLoggerSetFile(FILE *file)
{
    (void)file;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtLoggerSetLevel(int level)
{
    VALID(level >= 0 && level <= 5);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtLoggerSetMask(int mask)
{
    (void)mask;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtLoggerForceDisable(void)
{
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- attributes ---- */

typedef struct {
    int number;
    uint32_t offset, bytes;
} attribute;

#define ROW(number, type, field)                                               \
    {number, (uint32_t)offsetof(type, field),                                  \
     (uint32_t)sizeof(((type *)0)->field)},
#define NO_ROW(number, field)
static const attribute layouts[] = {
#define LAYOUT(number, field) ROW(number, lt_layout, field)
#define MATMUL                NO_ROW
#define TRANSFORM             NO_ROW
#define PREFERENCE            NO_ROW
#define CONFIG                NO_ROW
#include "lib/cublaslt/attributes.def"
};
static const attribute matmuls[] = {
#define LAYOUT                NO_ROW
#define MATMUL(number, field) ROW(number, lt_matmul, field)
#define TRANSFORM             NO_ROW
#define PREFERENCE            NO_ROW
#define CONFIG                NO_ROW
#include "lib/cublaslt/attributes.def"
};
static const attribute transforms[] = {
#define LAYOUT                   NO_ROW
#define MATMUL                   NO_ROW
#define TRANSFORM(number, field) ROW(number, lt_transform, field)
#define PREFERENCE               NO_ROW
#define CONFIG                   NO_ROW
#include "lib/cublaslt/attributes.def"
};
static const attribute preferences[] = {
#define LAYOUT                    NO_ROW
#define MATMUL                    NO_ROW
#define TRANSFORM                 NO_ROW
#define PREFERENCE(number, field) ROW(number, lt_preference, field)
#define CONFIG                    NO_ROW
#include "lib/cublaslt/attributes.def"
};
static const attribute configs[] = {
#define LAYOUT                NO_ROW
#define MATMUL                NO_ROW
#define TRANSFORM             NO_ROW
#define PREFERENCE            NO_ROW
#define CONFIG(number, field) ROW(number, lt_algorithm, field)
#include "lib/cublaslt/attributes.def"
};
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static const attribute *
find(const attribute *rows, size_t count, int number)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].number == number)
            return &rows[i];
    return NULL;
}

static cublasStatus_t
set(void *object, const attribute *rows, size_t count, int number,
    const void *from, size_t bytes)
{
    const attribute *a = find(rows, count, number);
    VALID(object && from && a && bytes == a->bytes);
    memcpy((char *)object + a->offset, from, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/* With no room: only how much is needed. */
static cublasStatus_t
get(const void *object, const attribute *rows, size_t count, int number,
    void *to, size_t bytes, size_t *written)
{
    const attribute *a = find(rows, count, number);
    VALID(object && a && (bytes ? to != NULL : written != NULL));
    if (written)
        *written = a->bytes;
    if (!bytes)
        return CUBLAS_STATUS_SUCCESS;
    VALID(bytes >= a->bytes);
    memcpy(to, (const char *)object + a->offset, a->bytes);
    return CUBLAS_STATUS_SUCCESS;
}

#define ATTRIBUTES(name, handle, enumeration, rows)                            \
    cublasStatus_t name##SetAttribute(handle object, enumeration number,       \
                                      const void *from, size_t bytes)          \
    {                                                                          \
        return set(object, rows, COUNT(rows), (int)number, from, bytes);       \
    }                                                                          \
    GET_ATTRIBUTES(name, handle, enumeration, rows)
#define GET_ATTRIBUTES(name, handle, enumeration, rows)                        \
    cublasStatus_t name##GetAttribute(handle object, enumeration number,       \
                                      void *to, size_t bytes, size_t *written) \
    {                                                                          \
        return get(object, rows, COUNT(rows), (int)number, to, bytes,          \
                   written);                                                   \
    }
ATTRIBUTES(cublasLtMatrixLayout, cublasLtMatrixLayout_t,
           cublasLtMatrixLayoutAttribute_t, layouts)
ATTRIBUTES(cublasLtMatmulDesc, cublasLtMatmulDesc_t,
           cublasLtMatmulDescAttributes_t, matmuls)
ATTRIBUTES(cublasLtMatrixTransformDesc, cublasLtMatrixTransformDesc_t,
           cublasLtMatrixTransformDescAttributes_t, transforms)
ATTRIBUTES(cublasLtMatmulPreference, cublasLtMatmulPreference_t,
           cublasLtMatmulPreferenceAttributes_t, preferences)
GET_ATTRIBUTES(cublasLtMatmulAlgoConfig, const cublasLtMatmulAlgo_t *,
               cublasLtMatmulAlgoConfigAttributes_t, configs)

cublasStatus_t
cublasLtMatmulAlgoConfigSetAttribute(
    cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t number,
    const void *from, size_t bytes)
{
    VALID(number != CUBLASLT_ALGO_CONFIG_ID);
    return set(algo, configs, COUNT(configs), (int)number, from, bytes);
}

/* ---- descriptors ---- */

static cublasStatus_t
place(void *at, size_t room, const void *value, size_t bytes)
{
    VALID(at && room >= bytes);
    memset(at, 0, room);
    memcpy(at, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size,
                                  cudaDataType type, uint64_t rows,
                                  uint64_t columns, int64_t ld)
{
    lt_layout made = {.type = (int32_t)type,
                      .rows = rows,
                      .columns = columns,
                      .ld = ld,
                      .count = 1};
    return place(layout, size, &made, sizeof made);
}

cublasStatus_t
cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size,
                                cublasComputeType_t compute,
                                cudaDataType_t scale)
{
    lt_matmul made = {.compute = (int32_t)compute,
                      .scale = (int32_t)scale,
                      .fill = CUBLAS_FILL_MODE_FULL,
                      .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                      .aux_type = -1,
                      .bias_type = -1};
    return place(desc, size, &made, sizeof made);
}

cublasStatus_t
cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t desc,
                                         size_t size, cudaDataType scale)
{
    lt_transform made = {.scale = (int32_t)scale};
    return place(desc, size, &made, sizeof made);
}

cublasStatus_t
cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                      size_t size)
{
    enum { ALIGNED = 256 };
    lt_preference made = {.reductions = CUBLASLT_REDUCTION_SCHEME_MASK,
                          .alignment = {ALIGNED, ALIGNED, ALIGNED, ALIGNED},
                          .kinds = UINT64_MAX};
    return place(preference, size, &made, sizeof made);
}

#define MAKE(name, parameters, ...)                                            \
    cublasStatus_t name##Create parameters                                     \
    {                                                                          \
        VALID(out);                                                            \
        name##Opaque_t *made = sw_alloc(sizeof *made);                         \
        *out = made;                                                           \
        return name##Init_internal(made, sizeof *made __VA_ARGS__);            \
    }                                                                          \
    cublasStatus_t name##Destroy(name##_t object)                              \
    {                                                                          \
        sw_free(object);                                                       \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }
MAKE(cublasLtMatrixLayout,
     (cublasLtMatrixLayout_t * out, cudaDataType type, uint64_t rows,
      uint64_t columns, int64_t ld),
     , type, rows, columns, ld)
MAKE(cublasLtMatmulDesc,
     (cublasLtMatmulDesc_t * out, cublasComputeType_t compute,
      cudaDataType_t scale),
     , compute, scale)
MAKE(cublasLtMatrixTransformDesc,
     (cublasLtMatrixTransformDesc_t * out, cudaDataType scale), , scale)
MAKE(cublasLtMatmulPreference, (cublasLtMatmulPreference_t * out), )
