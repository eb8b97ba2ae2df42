/* SPDX-License-Identifier: Apache-2.0 */
/* handle.c - handles of cuBLAS, their settings, copies of vectors. */
#include "lib/cublas/blas.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- for the other files ---- */

cublasStatus_t
blas_check(cublasHandle_t handle)
{
    return handle && handle->magic == BLAS_HANDLE
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t
blas_status(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS:
        return CUBLAS_STATUS_SUCCESS;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT:
        return CUBLAS_STATUS_NOT_INITIALIZED;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return CUBLAS_STATUS_ALLOC_FAILED;
    default:
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

bool
blas_on_device(cublasHandle_t handle)
{
    return handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
}

bool
blas_fits(int64_t n)
{
    return n <= INT_MAX && n >= INT_MIN;
}

bool
blas_is_op(cublasOperation_t op)
{
    return (unsigned)op <= CUBLAS_OP_CONJG;
}

bool
blas_is_fill(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}

bool
blas_is_side(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}

bool
blas_is_diag(cublasDiagType_t diag)
{
    return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT;
}

int
blas_op(cublasOperation_t op, sw_lib_type type)
{
    bool is_complex = sw_lib_type_is_complex(type);
    return (is_complex ? "NTCR" : "NTTN")[op];
}

int
blas_fill(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}

int
blas_side(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT ? 'L' : 'R';
}

int
blas_diag(cublasDiagType_t diag)
{
    return diag == CUBLAS_DIAG_UNIT ? 'U' : 'N';
}

cublasStatus_t
blas_submit(cublasHandle_t handle, const sw_lib_work *work, bool has_result)
{
    CUresult result = sw_lib_submit(handle->stream, work);
    if (result == CUDA_SUCCESS && has_result && !blas_on_device(handle) &&
        !sw_lib_is_capturing(handle->stream))
        result = sw_lib_wait(handle->stream);
    return blas_status(result);
}

cublasStatus_t
blas_call(cublasHandle_t handle, const char *name, sw_lib_type type,
          const char *routine, const char *format, ...)
{
    sw_lib_call call = {.fn = sw_lib_find_routine(routine, type, NULL),
                        .scalars_are_on_device = blas_on_device(handle)};
    sw_lib_work work = {.name = name,
                        .fn = sw_lib_call_execute,
                        .args = &call,
                        .arg_bytes = sizeof call};
    if (!call.fn)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    va_list list;
    va_start(list, format);
    sw_lib_call_add(&call, &work, type, format, list);
    va_end(list);
    return blas_submit(handle, &work, false);
}

/* ---- handles ---- */

cublasStatus_t
cublasCreate_v2(cublasHandle_t *handle)
{
    VALID(handle);
    TRY(blas_status(sw_lib_enter()));
    REQUIRE(sw_lib_host_has(SW_LIB_HOST_OPENBLAS),
            CUBLAS_STATUS_NOT_INITIALIZED);
    *handle = sw_alloc(sizeof **handle);
    **handle = (struct cublasContext){.magic = BLAS_HANDLE};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasDestroy_v2(cublasHandle_t handle)
{
    TRY(blas_check(handle));
    handle->magic = 0;
    sw_free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

static int
version(void)
{
    return sw_lib_cuda == 11   ? 111103
           : sw_lib_cuda == 12 ? 120903
                               : CUBLAS_VERSION;
}

cublasStatus_t
cublasGetVersion_v2(cublasHandle_t handle, int *out)
{
    (void)handle;
    VALID(out);
    *out = version();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasGetProperty(libraryPropertyType type, int *value)
{
    int v = version();
    VALID(value && (unsigned)type <= PATCH_LEVEL);
    *value = type == MAJOR_VERSION   ? v / 10000
             : type == MINOR_VERSION ? v / 100 % 100
                                     : v % 100;
    return CUBLAS_STATUS_SUCCESS;
}

size_t
cublasGetCudartVersion(void)
{
    return sw_lib_cuda == 11 ? 11080 : sw_lib_cuda == 12 ? 12090 : 13000;
}

/* ---- settings ---- */

cublasStatus_t
cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    TRY(blas_check(handle));
    handle->stream = (CUstream)stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream)
{
    TRY(blas_check(handle));
    VALID(stream);
    *stream = (cudaStream_t)handle->stream;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    TRY(blas_check(handle));
    VALID((uintptr_t)workspace % 256 == 0);
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

/* A setting of the handle: which values it takes, and its two functions. */
#define SETTING(Name, suffix, T, field, is_valid)                              \
    cublasStatus_t cublasSet##Name##suffix(cublasHandle_t handle, T value)     \
    {                                                                          \
        TRY(blas_check(handle));                                               \
        VALID(is_valid);                                                       \
        handle->field = value;                                                 \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }                                                                          \
    cublasStatus_t cublasGet##Name##suffix(cublasHandle_t handle, T *value)    \
    {                                                                          \
        TRY(blas_check(handle));                                               \
        VALID(value);                                                          \
        *value = handle->field;                                                \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }

SETTING(PointerMode, _v2, cublasPointerMode_t, pointer_mode,
        (unsigned)value <= CUBLAS_POINTER_MODE_DEVICE)
SETTING(AtomicsMode, , cublasAtomicsMode_t, atomics_mode,
        (unsigned)value <= CUBLAS_ATOMICS_ALLOWED)
SETTING(MathMode, , cublasMath_t, math_mode,
        ((unsigned)value & 15) <= CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH &&
            (unsigned)value < 32)
SETTING(SmCountTarget, , int, sm_target, value >= 0)

/* ---- texts ---- */

#define STATUSES(X)                                                            \
    X(SUCCESS, "success")                                                      \
    X(NOT_INITIALIZED, "the library was not initialized")                      \
    X(ALLOC_FAILED, "the resource allocation failed")                          \
    X(INVALID_VALUE, "an unsupported value or parameter was passed")           \
    X(ARCH_MISMATCH, "the device does not have what the function needs")       \
    X(MAPPING_ERROR, "memory of the device could not be accessed")             \
    X(EXECUTION_FAILED, "the function failed to launch on the device")         \
    X(INTERNAL_ERROR, "an internal operation failed")                          \
    X(NOT_SUPPORTED, "the functionality is not supported")                     \
    X(LICENSE_ERROR, "the licence could not be checked")

const char *
cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
#define X(name, text)                                                          \
    case CUBLAS_STATUS_##name:                                                 \
        return "CUBLAS_STATUS_" #name;
        STATUSES(X)
#undef X
    }
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *
cublasGetStatusString(cublasStatus_t status)
{
    switch (status) {
#define X(name, text)                                                          \
    case CUBLAS_STATUS_##name:                                                 \
        return text;
        STATUSES(X)
#undef X
    }
    return "unknown status";
}

/* ---- logs: what is wrong goes to the log of Softwarp ---- */

static cublasLogCallback log_callback;

cublasStatus_t
cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file)
{
    (void)on;
    (void)to_stdout;
    (void)to_stderr;
    (void)file;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasSetLoggerCallback(cublasLogCallback callback)
{
    log_callback = callback;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasGetLoggerCallback(cublasLogCallback *callback)
{
    VALID(callback);
    *callback = log_callback;
    return CUBLAS_STATUS_SUCCESS;
}

void
cublasXerbla(const char *name, int argument)
{
    sw_log(SW_LOG_ERROR, "%s: argument %d is wrong", name, argument);
}

/* ---- vectors and matrices between host and device ---- */

/* `columns` runs of `rows` elements. In order of the stream; a NULL stream
 * with `waits`: the copy is done when the call returns. */
static cublasStatus_t
copy(int64_t rows, int64_t columns, int64_t bytes, const void *from,
     int64_t from_step, void *to, int64_t to_step, CUstream stream, bool waits)
{
    VALID(rows >= 0 && columns >= 0 && bytes > 0 && from_step >= rows &&
          to_step >= rows && from_step > 0 && to_step > 0);
    if (!rows || !columns)
        return CUBLAS_STATUS_SUCCESS;
    TRY(blas_status(sw_lib_enter()));
    CUDA_MEMCPY2D c = {
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = (CUdeviceptr)(uintptr_t)from,
        .srcPitch = (size_t)(from_step * bytes),
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = (CUdeviceptr)(uintptr_t)to,
        .dstPitch = (size_t)(to_step * bytes),
        .WidthInBytes = (size_t)(rows * bytes),
        .Height = (size_t)columns,
    };
    CUresult result =
        waits ? cuMemcpy2DUnaligned(&c) : cuMemcpy2DAsync(&c, stream);
    return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS
                                  : CUBLAS_STATUS_MAPPING_ERROR;
}

#define COPIES(Way, N, suffix)                                                 \
    cublasStatus_t cublas##Way##Vector##suffix(N n, N elemSize, const void *x, \
                                               N incx, void *y, N incy)        \
    {                                                                          \
        return copy(1, n, elemSize, x, incx, y, incy, NULL, true);             \
    }                                                                          \
    cublasStatus_t cublas##Way##Matrix##suffix(                                \
        N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb)      \
    {                                                                          \
        return copy(rows, cols, elemSize, A, lda, B, ldb, NULL, true);         \
    }                                                                          \
    cublasStatus_t cublas##Way##VectorAsync##suffix(                           \
        N n, N elemSize, const void *x, N incx, void *y, N incy,               \
        cudaStream_t stream)                                                   \
    {                                                                          \
        return copy(1, n, elemSize, x, incx, y, incy, (CUstream)stream,        \
                    false);                                                    \
    }                                                                          \
    cublasStatus_t cublas##Way##MatrixAsync##suffix(                           \
        N rows, N cols, N elemSize, const void *A, N lda, void *B, N ldb,      \
        cudaStream_t stream)                                                   \
    {                                                                          \
        return copy(rows, cols, elemSize, A, lda, B, ldb, (CUstream)stream,    \
                    false);                                                    \
    }
COPIES(Set, int, )
COPIES(Set, int64_t, _64)
COPIES(Get, int, )
COPIES(Get, int64_t, _64)
