/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cublas_api.h - cuBLAS: types, statuses and functions by their full names;
 * cublas_v2.h has the names that programs use.
 * One list of declarations, over 1,000 lines long: to split it by length would
 * only make names harder to find.
 */
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_
#pragma GCC system_header

#include <stdint.h>
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "driver_types.h"
#include "library_types.h"

#include "softwarp_begin.h"

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VER_BUILD 3
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;

typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2,
} cublasFillMode_t;

typedef enum {
    CUBLAS_DIAG_NON_UNIT = 0,
    CUBLAS_DIAG_UNIT = 1,
} cublasDiagType_t;

typedef enum {
    CUBLAS_SIDE_LEFT = 0,
    CUBLAS_SIDE_RIGHT = 1,
} cublasSideMode_t;

typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3,
} cublasOperation_t;

typedef enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_POINTER_MODE_DEVICE = 1,
} cublasPointerMode_t;

typedef enum {
    CUBLAS_ATOMICS_NOT_ALLOWED = 0,
    CUBLAS_ATOMICS_ALLOWED = 1,
} cublasAtomicsMode_t;

typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2,
    CUBLAS_GEMM_ALGO3 = 3,
    CUBLAS_GEMM_ALGO4 = 4,
    CUBLAS_GEMM_ALGO5 = 5,
    CUBLAS_GEMM_ALGO6 = 6,
    CUBLAS_GEMM_ALGO7 = 7,
    CUBLAS_GEMM_ALGO8 = 8,
    CUBLAS_GEMM_ALGO9 = 9,
    CUBLAS_GEMM_ALGO10 = 10,
    CUBLAS_GEMM_ALGO11 = 11,
    CUBLAS_GEMM_ALGO12 = 12,
    CUBLAS_GEMM_ALGO13 = 13,
    CUBLAS_GEMM_ALGO14 = 14,
    CUBLAS_GEMM_ALGO15 = 15,
    CUBLAS_GEMM_ALGO16 = 16,
    CUBLAS_GEMM_ALGO17 = 17,
    CUBLAS_GEMM_ALGO18 = 18,
    CUBLAS_GEMM_ALGO19 = 19,
    CUBLAS_GEMM_ALGO20 = 20,
    CUBLAS_GEMM_ALGO21 = 21,
    CUBLAS_GEMM_ALGO22 = 22,
    CUBLAS_GEMM_ALGO23 = 23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
    CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
    CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
    CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
    CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
    CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
    CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
    CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
    CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
    CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
    CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
    CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
    CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
    CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
    CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
    CUBLAS_GEMM_AUTOTUNE = 999,
} cublasGemmAlgo_t;

typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
    CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
} cublasMath_t;
typedef cudaDataType cublasDataType_t;

typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
} cublasComputeType_t;

typedef enum {
    CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
    CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
    CUBLAS_EMULATION_STRATEGY_EAGER = 2,
} cublasEmulationStrategy_t;
struct cublasContext;
typedef struct cublasContext *cublasHandle_t;
typedef void(*cublasLogCallback)(const char *msg);
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
    size_t workspaceSizeInBytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t streamId);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *streamId);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *smCountTarget);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget);
cublasStatus_t cublasGetEmulationStrategy(cublasHandle_t handle,
    cublasEmulationStrategy_t *emulationStrategy);
cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle,
    cublasEmulationStrategy_t emulationStrategy);
cublasStatus_t cublasGetEmulationSpecialValuesSupport(cublasHandle_t handle,
    cudaEmulationSpecialValuesSupport *mask);
cublasStatus_t cublasSetEmulationSpecialValuesSupport(cublasHandle_t handle,
    cudaEmulationSpecialValuesSupport mask);
cublasStatus_t cublasGetFixedPointEmulationMantissaControl(cublasHandle_t handle,
    cudaEmulationMantissaControl *mantissaControl);
cublasStatus_t cublasSetFixedPointEmulationMantissaControl(cublasHandle_t handle,
    cudaEmulationMantissaControl mantissaControl);
cublasStatus_t cublasGetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle,
    int *maxMantissaBitCount);
cublasStatus_t cublasSetFixedPointEmulationMaxMantissaBitCount(cublasHandle_t handle,
    int maxMantissaBitCount);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle,
    int *mantissaBitOffset);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitOffset(cublasHandle_t handle,
    int mantissaBitOffset);
cublasStatus_t cublasGetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle,
    int **mantissaBitCount);
cublasStatus_t cublasSetFixedPointEmulationMantissaBitCountPointer(cublasHandle_t handle,
    int *mantissaBitCount);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr,
    const char *logFileName);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback);
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *devicePtr,
    int incy);
cublasStatus_t cublasSetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx,
    void *devicePtr, int64_t incy);
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y,
    int64_t incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B,
    int ldb);
cublasStatus_t cublasSetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A,
    int64_t lda, void *B, int64_t ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B,
    int ldb);
cublasStatus_t cublasGetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A,
    int64_t lda, void *B, int64_t ldb);
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *hostPtr, int incx,
    void *devicePtr, int incy, cudaStream_t stream);
cublasStatus_t cublasSetVectorAsync_64(int64_t n, int64_t elemSize, const void *hostPtr,
    int64_t incx, void *devicePtr, int64_t incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *devicePtr, int incx,
    void *hostPtr, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync_64(int64_t n, int64_t elemSize, const void *devicePtr,
    int64_t incx, void *hostPtr, int64_t incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda,
    void *B, int ldb, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A,
    int64_t lda, void *B, int64_t ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void *A, int lda,
    void *B, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync_64(int64_t rows, int64_t cols, int64_t elemSize, const void *A,
    int64_t lda, void *B, int64_t ldb, cudaStream_t stream);
void cublasXerbla(const char *srName, int info);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
    int incx, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasNrm2Ex_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
    int64_t incx, void *result, cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasSnrm2_v2(cublasHandle_t handle, int n, const float *x, int incx,
    float *result);
cublasStatus_t cublasSnrm2_v2_64(cublasHandle_t handle, int64_t n, const float *x, int64_t incx,
    float *result);
cublasStatus_t cublasDnrm2_v2(cublasHandle_t handle, int n, const double *x, int incx,
    double *result);
cublasStatus_t cublasDnrm2_v2_64(cublasHandle_t handle, int64_t n, const double *x, int64_t incx,
    double *result);
cublasStatus_t cublasScnrm2_v2(cublasHandle_t handle, int n, const cuComplex *x, int incx,
    float *result);
cublasStatus_t cublasScnrm2_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *x,
    int64_t incx, float *result);
cublasStatus_t cublasDznrm2_v2(cublasHandle_t handle, int n, const cuDoubleComplex *x, int incx,
    double *result);
cublasStatus_t cublasDznrm2_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *x,
    int64_t incx, double *result);
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
    int incx, const void *y, cudaDataType yType, int incy, void *result, cudaDataType resultType,
    cudaDataType executionType);
cublasStatus_t cublasDotEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
    int64_t incx, const void *y, cudaDataType yType, int64_t incy, void *result,
    cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
    int incx, const void *y, cudaDataType yType, int incy, void *result, cudaDataType resultType,
    cudaDataType executionType);
cublasStatus_t cublasDotcEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
    int64_t incx, const void *y, cudaDataType yType, int64_t incy, void *result,
    cudaDataType resultType, cudaDataType executionType);
cublasStatus_t cublasSdot_v2(cublasHandle_t handle, int n, const float *x, int incx, const float *y,
    int incy, float *result);
cublasStatus_t cublasSdot_v2_64(cublasHandle_t handle, int64_t n, const float *x, int64_t incx,
    const float *y, int64_t incy, float *result);
cublasStatus_t cublasDdot_v2(cublasHandle_t handle, int n, const double *x, int incx,
    const double *y, int incy, double *result);
cublasStatus_t cublasDdot_v2_64(cublasHandle_t handle, int64_t n, const double *x, int64_t incx,
    const double *y, int64_t incy, double *result);
cublasStatus_t cublasCdotu_v2(cublasHandle_t handle, int n, const cuComplex *x, int incx,
    const cuComplex *y, int incy, cuComplex *result);
cublasStatus_t cublasCdotu_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *x, int64_t incx,
    const cuComplex *y, int64_t incy, cuComplex *result);
cublasStatus_t cublasCdotc_v2(cublasHandle_t handle, int n, const cuComplex *x, int incx,
    const cuComplex *y, int incy, cuComplex *result);
cublasStatus_t cublasCdotc_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *x, int64_t incx,
    const cuComplex *y, int64_t incy, cuComplex *result);
cublasStatus_t cublasZdotu_v2(cublasHandle_t handle, int n, const cuDoubleComplex *x, int incx,
    const cuDoubleComplex *y, int incy, cuDoubleComplex *result);
cublasStatus_t cublasZdotu_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *x,
    int64_t incx, const cuDoubleComplex *y, int64_t incy, cuDoubleComplex *result);
cublasStatus_t cublasZdotc_v2(cublasHandle_t handle, int n, const cuDoubleComplex *x, int incx,
    const cuDoubleComplex *y, int incy, cuDoubleComplex *result);
cublasStatus_t cublasZdotc_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *x,
    int64_t incx, const cuDoubleComplex *y, int64_t incy, cuDoubleComplex *result);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType,
    void *x, cudaDataType xType, int incx, cudaDataType executionType);
cublasStatus_t cublasScalEx_64(cublasHandle_t handle, int64_t n, const void *alpha,
    cudaDataType alphaType, void *x, cudaDataType xType, int64_t incx, cudaDataType executionType);
cublasStatus_t cublasSscal_v2(cublasHandle_t handle, int n, const float *alpha, float *x, int incx);
cublasStatus_t cublasSscal_v2_64(cublasHandle_t handle, int64_t n, const float *alpha, float *x,
    int64_t incx);
cublasStatus_t cublasDscal_v2(cublasHandle_t handle, int n, const double *alpha, double *x,
    int incx);
cublasStatus_t cublasDscal_v2_64(cublasHandle_t handle, int64_t n, const double *alpha, double *x,
    int64_t incx);
cublasStatus_t cublasCscal_v2(cublasHandle_t handle, int n, const cuComplex *alpha, cuComplex *x,
    int incx);
cublasStatus_t cublasCscal_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *alpha,
    cuComplex *x, int64_t incx);
cublasStatus_t cublasCsscal_v2(cublasHandle_t handle, int n, const float *alpha, cuComplex *x,
    int incx);
cublasStatus_t cublasCsscal_v2_64(cublasHandle_t handle, int64_t n, const float *alpha,
    cuComplex *x, int64_t incx);
cublasStatus_t cublasZscal_v2(cublasHandle_t handle, int n, const cuDoubleComplex *alpha,
    cuDoubleComplex *x, int incx);
cublasStatus_t cublasZscal_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *alpha,
    cuDoubleComplex *x, int64_t incx);
cublasStatus_t cublasZdscal_v2(cublasHandle_t handle, int n, const double *alpha,
    cuDoubleComplex *x, int incx);
cublasStatus_t cublasZdscal_v2_64(cublasHandle_t handle, int64_t n, const double *alpha,
    cuDoubleComplex *x, int64_t incx);
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha, cudaDataType alphaType,
    const void *x, cudaDataType xType, int incx, void *y, cudaDataType yType, int incy,
    cudaDataType executiontype);
cublasStatus_t cublasAxpyEx_64(cublasHandle_t handle, int64_t n, const void *alpha,
    cudaDataType alphaType, const void *x, cudaDataType xType, int64_t incx, void *y,
    cudaDataType yType, int64_t incy, cudaDataType executiontype);
cublasStatus_t cublasSaxpy_v2(cublasHandle_t handle, int n, const float *alpha, const float *x,
    int incx, float *y, int incy);
cublasStatus_t cublasSaxpy_v2_64(cublasHandle_t handle, int64_t n, const float *alpha,
    const float *x, int64_t incx, float *y, int64_t incy);
cublasStatus_t cublasDaxpy_v2(cublasHandle_t handle, int n, const double *alpha, const double *x,
    int incx, double *y, int incy);
cublasStatus_t cublasDaxpy_v2_64(cublasHandle_t handle, int64_t n, const double *alpha,
    const double *x, int64_t incx, double *y, int64_t incy);
cublasStatus_t cublasCaxpy_v2(cublasHandle_t handle, int n, const cuComplex *alpha,
    const cuComplex *x, int incx, cuComplex *y, int incy);
cublasStatus_t cublasCaxpy_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *alpha,
    const cuComplex *x, int64_t incx, cuComplex *y, int64_t incy);
cublasStatus_t cublasZaxpy_v2(cublasHandle_t handle, int n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *x, int incx, cuDoubleComplex *y, int incy);
cublasStatus_t cublasZaxpy_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *x, int64_t incx, cuDoubleComplex *y, int64_t incy);
cublasStatus_t cublasCopyEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
    int incx, void *y, cudaDataType yType, int incy);
cublasStatus_t cublasCopyEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
    int64_t incx, void *y, cudaDataType yType, int64_t incy);
cublasStatus_t cublasScopy_v2(cublasHandle_t handle, int n, const float *x, int incx, float *y,
    int incy);
cublasStatus_t cublasScopy_v2_64(cublasHandle_t handle, int64_t n, const float *x, int64_t incx,
    float *y, int64_t incy);
cublasStatus_t cublasDcopy_v2(cublasHandle_t handle, int n, const double *x, int incx, double *y,
    int incy);
cublasStatus_t cublasDcopy_v2_64(cublasHandle_t handle, int64_t n, const double *x, int64_t incx,
    double *y, int64_t incy);
cublasStatus_t cublasCcopy_v2(cublasHandle_t handle, int n, const cuComplex *x, int incx,
    cuComplex *y, int incy);
cublasStatus_t cublasCcopy_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *x, int64_t incx,
    cuComplex *y, int64_t incy);
cublasStatus_t cublasZcopy_v2(cublasHandle_t handle, int n, const cuDoubleComplex *x, int incx,
    cuDoubleComplex *y, int incy);
cublasStatus_t cublasZcopy_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *x,
    int64_t incx, cuDoubleComplex *y, int64_t incy);
cublasStatus_t cublasSswap_v2(cublasHandle_t handle, int n, float *x, int incx, float *y, int incy);
cublasStatus_t cublasSswap_v2_64(cublasHandle_t handle, int64_t n, float *x, int64_t incx, float *y,
    int64_t incy);
cublasStatus_t cublasDswap_v2(cublasHandle_t handle, int n, double *x, int incx, double *y,
    int incy);
cublasStatus_t cublasDswap_v2_64(cublasHandle_t handle, int64_t n, double *x, int64_t incx,
    double *y, int64_t incy);
cublasStatus_t cublasCswap_v2(cublasHandle_t handle, int n, cuComplex *x, int incx, cuComplex *y,
    int incy);
cublasStatus_t cublasCswap_v2_64(cublasHandle_t handle, int64_t n, cuComplex *x, int64_t incx,
    cuComplex *y, int64_t incy);
cublasStatus_t cublasZswap_v2(cublasHandle_t handle, int n, cuDoubleComplex *x, int incx,
    cuDoubleComplex *y, int incy);
cublasStatus_t cublasZswap_v2_64(cublasHandle_t handle, int64_t n, cuDoubleComplex *x, int64_t incx,
    cuDoubleComplex *y, int64_t incy);
cublasStatus_t cublasSwapEx(cublasHandle_t handle, int n, void *x, cudaDataType xType, int incx,
    void *y, cudaDataType yType, int incy);
cublasStatus_t cublasSwapEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType,
    int64_t incx, void *y, cudaDataType yType, int64_t incy);
cublasStatus_t cublasIsamax_v2(cublasHandle_t handle, int n, const float *x, int incx, int *result);
cublasStatus_t cublasIsamax_v2_64(cublasHandle_t handle, int64_t n, const float *x, int64_t incx,
    int64_t *result);
cublasStatus_t cublasIdamax_v2(cublasHandle_t handle, int n, const double *x, int incx,
    int *result);
cublasStatus_t cublasIdamax_v2_64(cublasHandle_t handle, int64_t n, const double *x, int64_t incx,
    int64_t *result);
cublasStatus_t cublasIcamax_v2(cublasHandle_t handle, int n, const cuComplex *x, int incx,
    int *result);
cublasStatus_t cublasIcamax_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *x,
    int64_t incx, int64_t *result);
cublasStatus_t cublasIzamax_v2(cublasHandle_t handle, int n, const cuDoubleComplex *x, int incx,
    int *result);
cublasStatus_t cublasIzamax_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *x,
    int64_t incx, int64_t *result);
cublasStatus_t cublasIamaxEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
    int incx, int *result);
cublasStatus_t cublasIamaxEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
    int64_t incx, int64_t *result);
cublasStatus_t cublasIsamin_v2(cublasHandle_t handle, int n, const float *x, int incx, int *result);
cublasStatus_t cublasIsamin_v2_64(cublasHandle_t handle, int64_t n, const float *x, int64_t incx,
    int64_t *result);
cublasStatus_t cublasIdamin_v2(cublasHandle_t handle, int n, const double *x, int incx,
    int *result);
cublasStatus_t cublasIdamin_v2_64(cublasHandle_t handle, int64_t n, const double *x, int64_t incx,
    int64_t *result);
cublasStatus_t cublasIcamin_v2(cublasHandle_t handle, int n, const cuComplex *x, int incx,
    int *result);
cublasStatus_t cublasIcamin_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *x,
    int64_t incx, int64_t *result);
cublasStatus_t cublasIzamin_v2(cublasHandle_t handle, int n, const cuDoubleComplex *x, int incx,
    int *result);
cublasStatus_t cublasIzamin_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *x,
    int64_t incx, int64_t *result);
cublasStatus_t cublasIaminEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
    int incx, int *result);
cublasStatus_t cublasIaminEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
    int64_t incx, int64_t *result);
cublasStatus_t cublasAsumEx(cublasHandle_t handle, int n, const void *x, cudaDataType xType,
    int incx, void *result, cudaDataType resultType, cudaDataType executiontype);
cublasStatus_t cublasAsumEx_64(cublasHandle_t handle, int64_t n, const void *x, cudaDataType xType,
    int64_t incx, void *result, cudaDataType resultType, cudaDataType executiontype);
cublasStatus_t cublasSasum_v2(cublasHandle_t handle, int n, const float *x, int incx,
    float *result);
cublasStatus_t cublasSasum_v2_64(cublasHandle_t handle, int64_t n, const float *x, int64_t incx,
    float *result);
cublasStatus_t cublasDasum_v2(cublasHandle_t handle, int n, const double *x, int incx,
    double *result);
cublasStatus_t cublasDasum_v2_64(cublasHandle_t handle, int64_t n, const double *x, int64_t incx,
    double *result);
cublasStatus_t cublasScasum_v2(cublasHandle_t handle, int n, const cuComplex *x, int incx,
    float *result);
cublasStatus_t cublasScasum_v2_64(cublasHandle_t handle, int64_t n, const cuComplex *x,
    int64_t incx, float *result);
cublasStatus_t cublasDzasum_v2(cublasHandle_t handle, int n, const cuDoubleComplex *x, int incx,
    double *result);
cublasStatus_t cublasDzasum_v2_64(cublasHandle_t handle, int64_t n, const cuDoubleComplex *x,
    int64_t incx, double *result);
cublasStatus_t cublasSrot_v2(cublasHandle_t handle, int n, float *x, int incx, float *y, int incy,
    const float *c, const float *s);
cublasStatus_t cublasSrot_v2_64(cublasHandle_t handle, int64_t n, float *x, int64_t incx, float *y,
    int64_t incy, const float *c, const float *s);
cublasStatus_t cublasDrot_v2(cublasHandle_t handle, int n, double *x, int incx, double *y, int incy,
    const double *c, const double *s);
cublasStatus_t cublasDrot_v2_64(cublasHandle_t handle, int64_t n, double *x, int64_t incx,
    double *y, int64_t incy, const double *c, const double *s);
cublasStatus_t cublasCrot_v2(cublasHandle_t handle, int n, cuComplex *x, int incx, cuComplex *y,
    int incy, const float *c, const cuComplex *s);
cublasStatus_t cublasCrot_v2_64(cublasHandle_t handle, int64_t n, cuComplex *x, int64_t incx,
    cuComplex *y, int64_t incy, const float *c, const cuComplex *s);
cublasStatus_t cublasCsrot_v2(cublasHandle_t handle, int n, cuComplex *x, int incx, cuComplex *y,
    int incy, const float *c, const float *s);
cublasStatus_t cublasCsrot_v2_64(cublasHandle_t handle, int64_t n, cuComplex *x, int64_t incx,
    cuComplex *y, int64_t incy, const float *c, const float *s);
cublasStatus_t cublasZrot_v2(cublasHandle_t handle, int n, cuDoubleComplex *x, int incx,
    cuDoubleComplex *y, int incy, const double *c, const cuDoubleComplex *s);
cublasStatus_t cublasZrot_v2_64(cublasHandle_t handle, int64_t n, cuDoubleComplex *x, int64_t incx,
    cuDoubleComplex *y, int64_t incy, const double *c, const cuDoubleComplex *s);
cublasStatus_t cublasZdrot_v2(cublasHandle_t handle, int n, cuDoubleComplex *x, int incx,
    cuDoubleComplex *y, int incy, const double *c, const double *s);
cublasStatus_t cublasZdrot_v2_64(cublasHandle_t handle, int64_t n, cuDoubleComplex *x, int64_t incx,
    cuDoubleComplex *y, int64_t incy, const double *c, const double *s);
cublasStatus_t cublasRotEx(cublasHandle_t handle, int n, void *x, cudaDataType xType, int incx,
    void *y, cudaDataType yType, int incy, const void *c, const void *s, cudaDataType csType,
    cudaDataType executiontype);
cublasStatus_t cublasRotEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType,
    int64_t incx, void *y, cudaDataType yType, int64_t incy, const void *c, const void *s,
    cudaDataType csType, cudaDataType executiontype);
cublasStatus_t cublasSrotg_v2(cublasHandle_t handle, float *a, float *b, float *c, float *s);
cublasStatus_t cublasDrotg_v2(cublasHandle_t handle, double *a, double *b, double *c, double *s);
cublasStatus_t cublasCrotg_v2(cublasHandle_t handle, cuComplex *a, cuComplex *b, float *c,
    cuComplex *s);
cublasStatus_t cublasZrotg_v2(cublasHandle_t handle, cuDoubleComplex *a, cuDoubleComplex *b,
    double *c, cuDoubleComplex *s);
cublasStatus_t cublasRotgEx(cublasHandle_t handle, void *a, void *b, cudaDataType abType, void *c,
    void *s, cudaDataType csType, cudaDataType executiontype);
cublasStatus_t cublasSrotm_v2(cublasHandle_t handle, int n, float *x, int incx, float *y, int incy,
    const float *param);
cublasStatus_t cublasSrotm_v2_64(cublasHandle_t handle, int64_t n, float *x, int64_t incx, float *y,
    int64_t incy, const float *param);
cublasStatus_t cublasDrotm_v2(cublasHandle_t handle, int n, double *x, int incx, double *y,
    int incy, const double *param);
cublasStatus_t cublasDrotm_v2_64(cublasHandle_t handle, int64_t n, double *x, int64_t incx,
    double *y, int64_t incy, const double *param);
cublasStatus_t cublasRotmEx(cublasHandle_t handle, int n, void *x, cudaDataType xType, int incx,
    void *y, cudaDataType yType, int incy, const void *param, cudaDataType paramType,
    cudaDataType executiontype);
cublasStatus_t cublasRotmEx_64(cublasHandle_t handle, int64_t n, void *x, cudaDataType xType,
    int64_t incx, void *y, cudaDataType yType, int64_t incy, const void *param,
    cudaDataType paramType, cudaDataType executiontype);
cublasStatus_t cublasSrotmg_v2(cublasHandle_t handle, float *d1, float *d2, float *x1,
    const float *y1, float *param);
cublasStatus_t cublasDrotmg_v2(cublasHandle_t handle, double *d1, double *d2, double *x1,
    const double *y1, double *param);
cublasStatus_t cublasRotmgEx(cublasHandle_t handle, void *d1, cudaDataType d1Type, void *d2,
    cudaDataType d2Type, void *x1, cudaDataType x1Type, const void *y1, cudaDataType y1Type,
    void *param, cudaDataType paramType, cudaDataType executiontype);
cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    const float *alpha, const float *A, int lda, const float *x, int incx, const float *beta,
    float *y, int incy);
cublasStatus_t cublasSgemv_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, const float *alpha, const float *A, int64_t lda, const float *x, int64_t incx,
    const float *beta, float *y, int64_t incy);
cublasStatus_t cublasDgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    const double *alpha, const double *A, int lda, const double *x, int incx, const double *beta,
    double *y, int incy);
cublasStatus_t cublasDgemv_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, const double *alpha, const double *A, int64_t lda, const double *x, int64_t incx,
    const double *beta, double *y, int64_t incy);
cublasStatus_t cublasCgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *x, int incx,
    const cuComplex *beta, cuComplex *y, int incy);
cublasStatus_t cublasCgemv_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, const cuComplex *alpha, const cuComplex *A, int64_t lda, const cuComplex *x,
    int64_t incx, const cuComplex *beta, cuComplex *y, int64_t incy);
cublasStatus_t cublasZgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda, const cuDoubleComplex *x,
    int incx, const cuDoubleComplex *beta, cuDoubleComplex *y, int incy);
cublasStatus_t cublasZgemv_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int64_t lda,
    const cuDoubleComplex *x, int64_t incx, const cuDoubleComplex *beta, cuDoubleComplex *y,
    int64_t incy);
cublasStatus_t cublasSgbmv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl,
    int ku, const float *alpha, const float *A, int lda, const float *x, int incx,
    const float *beta, float *y, int incy);
cublasStatus_t cublasSgbmv_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, int64_t kl, int64_t ku, const float *alpha, const float *A, int64_t lda,
    const float *x, int64_t incx, const float *beta, float *y, int64_t incy);
cublasStatus_t cublasDgbmv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl,
    int ku, const double *alpha, const double *A, int lda, const double *x, int incx,
    const double *beta, double *y, int incy);
cublasStatus_t cublasDgbmv_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, int64_t kl, int64_t ku, const double *alpha, const double *A, int64_t lda,
    const double *x, int64_t incx, const double *beta, double *y, int64_t incy);
cublasStatus_t cublasCgbmv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl,
    int ku, const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *x, int incx,
    const cuComplex *beta, cuComplex *y, int incy);
cublasStatus_t cublasCgbmv_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, int64_t kl, int64_t ku, const cuComplex *alpha, const cuComplex *A, int64_t lda,
    const cuComplex *x, int64_t incx, const cuComplex *beta, cuComplex *y, int64_t incy);
cublasStatus_t cublasZgbmv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl,
    int ku, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda,
    const cuDoubleComplex *x, int incx, const cuDoubleComplex *beta, cuDoubleComplex *y, int incy);
cublasStatus_t cublasZgbmv_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, int64_t kl, int64_t ku, const cuDoubleComplex *alpha, const cuDoubleComplex *A,
    int64_t lda, const cuDoubleComplex *x, int64_t incx, const cuDoubleComplex *beta,
    cuDoubleComplex *y, int64_t incy);
cublasStatus_t cublasStrmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const float *A, int lda, float *x, int incx);
cublasStatus_t cublasStrmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const float *A, int64_t lda,
    float *x, int64_t incx);
cublasStatus_t cublasDtrmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const double *A, int lda, double *x, int incx);
cublasStatus_t cublasDtrmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const double *A, int64_t lda,
    double *x, int64_t incx);
cublasStatus_t cublasCtrmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const cuComplex *A, int lda, cuComplex *x, int incx);
cublasStatus_t cublasCtrmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const cuComplex *A, int64_t lda,
    cuComplex *x, int64_t incx);
cublasStatus_t cublasZtrmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const cuDoubleComplex *A, int lda, cuDoubleComplex *x, int incx);
cublasStatus_t cublasZtrmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const cuDoubleComplex *A,
    int64_t lda, cuDoubleComplex *x, int64_t incx);
cublasStatus_t cublasStbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, int k, const float *A, int lda, float *x, int incx);
cublasStatus_t cublasStbmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k, const float *A,
    int64_t lda, float *x, int64_t incx);
cublasStatus_t cublasDtbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, int k, const double *A, int lda, double *x, int incx);
cublasStatus_t cublasDtbmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k, const double *A,
    int64_t lda, double *x, int64_t incx);
cublasStatus_t cublasCtbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, int k, const cuComplex *A, int lda, cuComplex *x, int incx);
cublasStatus_t cublasCtbmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k, const cuComplex *A,
    int64_t lda, cuComplex *x, int64_t incx);
cublasStatus_t cublasZtbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, int k, const cuDoubleComplex *A, int lda, cuDoubleComplex *x,
    int incx);
cublasStatus_t cublasZtbmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k, const cuDoubleComplex *A,
    int64_t lda, cuDoubleComplex *x, int64_t incx);
cublasStatus_t cublasStpmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const float *AP, float *x, int incx);
cublasStatus_t cublasStpmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const float *AP, float *x,
    int64_t incx);
cublasStatus_t cublasDtpmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const double *AP, double *x, int incx);
cublasStatus_t cublasDtpmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const double *AP, double *x,
    int64_t incx);
cublasStatus_t cublasCtpmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const cuComplex *AP, cuComplex *x, int incx);
cublasStatus_t cublasCtpmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const cuComplex *AP, cuComplex *x,
    int64_t incx);
cublasStatus_t cublasZtpmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const cuDoubleComplex *AP, cuDoubleComplex *x, int incx);
cublasStatus_t cublasZtpmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const cuDoubleComplex *AP,
    cuDoubleComplex *x, int64_t incx);
cublasStatus_t cublasStrsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const float *A, int lda, float *x, int incx);
cublasStatus_t cublasStrsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const float *A, int64_t lda,
    float *x, int64_t incx);
cublasStatus_t cublasDtrsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const double *A, int lda, double *x, int incx);
cublasStatus_t cublasDtrsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const double *A, int64_t lda,
    double *x, int64_t incx);
cublasStatus_t cublasCtrsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const cuComplex *A, int lda, cuComplex *x, int incx);
cublasStatus_t cublasCtrsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const cuComplex *A, int64_t lda,
    cuComplex *x, int64_t incx);
cublasStatus_t cublasZtrsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const cuDoubleComplex *A, int lda, cuDoubleComplex *x, int incx);
cublasStatus_t cublasZtrsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const cuDoubleComplex *A,
    int64_t lda, cuDoubleComplex *x, int64_t incx);
cublasStatus_t cublasStpsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const float *AP, float *x, int incx);
cublasStatus_t cublasStpsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const float *AP, float *x,
    int64_t incx);
cublasStatus_t cublasDtpsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const double *AP, double *x, int incx);
cublasStatus_t cublasDtpsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const double *AP, double *x,
    int64_t incx);
cublasStatus_t cublasCtpsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const cuComplex *AP, cuComplex *x, int incx);
cublasStatus_t cublasCtpsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const cuComplex *AP, cuComplex *x,
    int64_t incx);
cublasStatus_t cublasZtpsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, const cuDoubleComplex *AP, cuDoubleComplex *x, int incx);
cublasStatus_t cublasZtpsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const cuDoubleComplex *AP,
    cuDoubleComplex *x, int64_t incx);
cublasStatus_t cublasStbsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, int k, const float *A, int lda, float *x, int incx);
cublasStatus_t cublasStbsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k, const float *A,
    int64_t lda, float *x, int64_t incx);
cublasStatus_t cublasDtbsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, int k, const double *A, int lda, double *x, int incx);
cublasStatus_t cublasDtbsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k, const double *A,
    int64_t lda, double *x, int64_t incx);
cublasStatus_t cublasCtbsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, int k, const cuComplex *A, int lda, cuComplex *x, int incx);
cublasStatus_t cublasCtbsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k, const cuComplex *A,
    int64_t lda, cuComplex *x, int64_t incx);
cublasStatus_t cublasZtbsv_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    cublasDiagType_t diag, int n, int k, const cuDoubleComplex *A, int lda, cuDoubleComplex *x,
    int incx);
cublasStatus_t cublasZtbsv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k, const cuDoubleComplex *A,
    int64_t lda, cuDoubleComplex *x, int64_t incx);
cublasStatus_t cublasSsymv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const float *alpha, const float *A, int lda, const float *x, int incx, const float *beta,
    float *y, int incy);
cublasStatus_t cublasSsymv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const float *alpha, const float *A, int64_t lda, const float *x, int64_t incx,
    const float *beta, float *y, int64_t incy);
cublasStatus_t cublasDsymv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const double *alpha, const double *A, int lda, const double *x, int incx, const double *beta,
    double *y, int incy);
cublasStatus_t cublasDsymv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const double *alpha, const double *A, int64_t lda, const double *x, int64_t incx,
    const double *beta, double *y, int64_t incy);
cublasStatus_t cublasCsymv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *x, int incx,
    const cuComplex *beta, cuComplex *y, int incy);
cublasStatus_t cublasCsymv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuComplex *alpha, const cuComplex *A, int64_t lda, const cuComplex *x, int64_t incx,
    const cuComplex *beta, cuComplex *y, int64_t incy);
cublasStatus_t cublasZsymv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda, const cuDoubleComplex *x,
    int incx, const cuDoubleComplex *beta, cuDoubleComplex *y, int incy);
cublasStatus_t cublasZsymv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *x,
    int64_t incx, const cuDoubleComplex *beta, cuDoubleComplex *y, int64_t incy);
cublasStatus_t cublasChemv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *x, int incx,
    const cuComplex *beta, cuComplex *y, int incy);
cublasStatus_t cublasChemv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuComplex *alpha, const cuComplex *A, int64_t lda, const cuComplex *x, int64_t incx,
    const cuComplex *beta, cuComplex *y, int64_t incy);
cublasStatus_t cublasZhemv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda, const cuDoubleComplex *x,
    int incx, const cuDoubleComplex *beta, cuDoubleComplex *y, int incy);
cublasStatus_t cublasZhemv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *x,
    int64_t incx, const cuDoubleComplex *beta, cuDoubleComplex *y, int64_t incy);
cublasStatus_t cublasSsbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k,
    const float *alpha, const float *A, int lda, const float *x, int incx, const float *beta,
    float *y, int incy);
cublasStatus_t cublasSsbmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k,
    const float *alpha, const float *A, int64_t lda, const float *x, int64_t incx,
    const float *beta, float *y, int64_t incy);
cublasStatus_t cublasDsbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k,
    const double *alpha, const double *A, int lda, const double *x, int incx, const double *beta,
    double *y, int incy);
cublasStatus_t cublasDsbmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k,
    const double *alpha, const double *A, int64_t lda, const double *x, int64_t incx,
    const double *beta, double *y, int64_t incy);
cublasStatus_t cublasChbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k,
    const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *x, int incx,
    const cuComplex *beta, cuComplex *y, int incy);
cublasStatus_t cublasChbmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k,
    const cuComplex *alpha, const cuComplex *A, int64_t lda, const cuComplex *x, int64_t incx,
    const cuComplex *beta, cuComplex *y, int64_t incy);
cublasStatus_t cublasZhbmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda, const cuDoubleComplex *x,
    int incx, const cuDoubleComplex *beta, cuDoubleComplex *y, int incy);
cublasStatus_t cublasZhbmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *x,
    int64_t incx, const cuDoubleComplex *beta, cuDoubleComplex *y, int64_t incy);
cublasStatus_t cublasSspmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const float *alpha, const float *AP, const float *x, int incx, const float *beta, float *y,
    int incy);
cublasStatus_t cublasSspmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const float *alpha, const float *AP, const float *x, int64_t incx, const float *beta, float *y,
    int64_t incy);
cublasStatus_t cublasDspmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const double *alpha, const double *AP, const double *x, int incx, const double *beta, double *y,
    int incy);
cublasStatus_t cublasDspmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const double *alpha, const double *AP, const double *x, int64_t incx, const double *beta,
    double *y, int64_t incy);
cublasStatus_t cublasChpmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuComplex *alpha, const cuComplex *AP, const cuComplex *x, int incx,
    const cuComplex *beta, cuComplex *y, int incy);
cublasStatus_t cublasChpmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuComplex *alpha, const cuComplex *AP, const cuComplex *x, int64_t incx,
    const cuComplex *beta, cuComplex *y, int64_t incy);
cublasStatus_t cublasZhpmv_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *AP, const cuDoubleComplex *x, int incx,
    const cuDoubleComplex *beta, cuDoubleComplex *y, int incy);
cublasStatus_t cublasZhpmv_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *AP, const cuDoubleComplex *x, int64_t incx,
    const cuDoubleComplex *beta, cuDoubleComplex *y, int64_t incy);
cublasStatus_t cublasSger_v2(cublasHandle_t handle, int m, int n, const float *alpha,
    const float *x, int incx, const float *y, int incy, float *A, int lda);
cublasStatus_t cublasSger_v2_64(cublasHandle_t handle, int64_t m, int64_t n, const float *alpha,
    const float *x, int64_t incx, const float *y, int64_t incy, float *A, int64_t lda);
cublasStatus_t cublasDger_v2(cublasHandle_t handle, int m, int n, const double *alpha,
    const double *x, int incx, const double *y, int incy, double *A, int lda);
cublasStatus_t cublasDger_v2_64(cublasHandle_t handle, int64_t m, int64_t n, const double *alpha,
    const double *x, int64_t incx, const double *y, int64_t incy, double *A, int64_t lda);
cublasStatus_t cublasCgeru_v2(cublasHandle_t handle, int m, int n, const cuComplex *alpha,
    const cuComplex *x, int incx, const cuComplex *y, int incy, cuComplex *A, int lda);
cublasStatus_t cublasCgeru_v2_64(cublasHandle_t handle, int64_t m, int64_t n,
    const cuComplex *alpha, const cuComplex *x, int64_t incx, const cuComplex *y, int64_t incy,
    cuComplex *A, int64_t lda);
cublasStatus_t cublasCgerc_v2(cublasHandle_t handle, int m, int n, const cuComplex *alpha,
    const cuComplex *x, int incx, const cuComplex *y, int incy, cuComplex *A, int lda);
cublasStatus_t cublasCgerc_v2_64(cublasHandle_t handle, int64_t m, int64_t n,
    const cuComplex *alpha, const cuComplex *x, int64_t incx, const cuComplex *y, int64_t incy,
    cuComplex *A, int64_t lda);
cublasStatus_t cublasZgeru_v2(cublasHandle_t handle, int m, int n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *x, int incx, const cuDoubleComplex *y, int incy, cuDoubleComplex *A,
    int lda);
cublasStatus_t cublasZgeru_v2_64(cublasHandle_t handle, int64_t m, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int64_t incx, const cuDoubleComplex *y,
    int64_t incy, cuDoubleComplex *A, int64_t lda);
cublasStatus_t cublasZgerc_v2(cublasHandle_t handle, int m, int n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *x, int incx, const cuDoubleComplex *y, int incy, cuDoubleComplex *A,
    int lda);
cublasStatus_t cublasZgerc_v2_64(cublasHandle_t handle, int64_t m, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int64_t incx, const cuDoubleComplex *y,
    int64_t incy, cuDoubleComplex *A, int64_t lda);
cublasStatus_t cublasSsyr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const float *alpha, const float *x, int incx, float *A, int lda);
cublasStatus_t cublasSsyr_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const float *alpha, const float *x, int64_t incx, float *A, int64_t lda);
cublasStatus_t cublasDsyr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const double *alpha, const double *x, int incx, double *A, int lda);
cublasStatus_t cublasDsyr_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const double *alpha, const double *x, int64_t incx, double *A, int64_t lda);
cublasStatus_t cublasCsyr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuComplex *alpha, const cuComplex *x, int incx, cuComplex *A, int lda);
cublasStatus_t cublasCsyr_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuComplex *alpha, const cuComplex *x, int64_t incx, cuComplex *A, int64_t lda);
cublasStatus_t cublasZsyr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int incx, cuDoubleComplex *A, int lda);
cublasStatus_t cublasZsyr_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int64_t incx, cuDoubleComplex *A,
    int64_t lda);
cublasStatus_t cublasCher_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const float *alpha, const cuComplex *x, int incx, cuComplex *A, int lda);
cublasStatus_t cublasCher_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const float *alpha, const cuComplex *x, int64_t incx, cuComplex *A, int64_t lda);
cublasStatus_t cublasZher_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const double *alpha, const cuDoubleComplex *x, int incx, cuDoubleComplex *A, int lda);
cublasStatus_t cublasZher_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const double *alpha, const cuDoubleComplex *x, int64_t incx, cuDoubleComplex *A, int64_t lda);
cublasStatus_t cublasSspr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const float *alpha, const float *x, int incx, float *AP);
cublasStatus_t cublasSspr_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const float *alpha, const float *x, int64_t incx, float *AP);
cublasStatus_t cublasDspr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const double *alpha, const double *x, int incx, double *AP);
cublasStatus_t cublasDspr_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const double *alpha, const double *x, int64_t incx, double *AP);
cublasStatus_t cublasChpr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const float *alpha, const cuComplex *x, int incx, cuComplex *AP);
cublasStatus_t cublasChpr_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const float *alpha, const cuComplex *x, int64_t incx, cuComplex *AP);
cublasStatus_t cublasZhpr_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const double *alpha, const cuDoubleComplex *x, int incx, cuDoubleComplex *AP);
cublasStatus_t cublasZhpr_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const double *alpha, const cuDoubleComplex *x, int64_t incx, cuDoubleComplex *AP);
cublasStatus_t cublasSsyr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const float *alpha, const float *x, int incx, const float *y, int incy, float *A, int lda);
cublasStatus_t cublasSsyr2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const float *alpha, const float *x, int64_t incx, const float *y, int64_t incy, float *A,
    int64_t lda);
cublasStatus_t cublasDsyr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const double *alpha, const double *x, int incx, const double *y, int incy, double *A, int lda);
cublasStatus_t cublasDsyr2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const double *alpha, const double *x, int64_t incx, const double *y, int64_t incy, double *A,
    int64_t lda);
cublasStatus_t cublasCsyr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuComplex *alpha, const cuComplex *x, int incx, const cuComplex *y, int incy,
    cuComplex *A, int lda);
cublasStatus_t cublasCsyr2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuComplex *alpha, const cuComplex *x, int64_t incx, const cuComplex *y, int64_t incy,
    cuComplex *A, int64_t lda);
cublasStatus_t cublasZsyr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y,
    int incy, cuDoubleComplex *A, int lda);
cublasStatus_t cublasZsyr2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int64_t incx, const cuDoubleComplex *y,
    int64_t incy, cuDoubleComplex *A, int64_t lda);
cublasStatus_t cublasCher2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuComplex *alpha, const cuComplex *x, int incx, const cuComplex *y, int incy,
    cuComplex *A, int lda);
cublasStatus_t cublasCher2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuComplex *alpha, const cuComplex *x, int64_t incx, const cuComplex *y, int64_t incy,
    cuComplex *A, int64_t lda);
cublasStatus_t cublasZher2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y,
    int incy, cuDoubleComplex *A, int lda);
cublasStatus_t cublasZher2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int64_t incx, const cuDoubleComplex *y,
    int64_t incy, cuDoubleComplex *A, int64_t lda);
cublasStatus_t cublasSspr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const float *alpha, const float *x, int incx, const float *y, int incy, float *AP);
cublasStatus_t cublasSspr2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const float *alpha, const float *x, int64_t incx, const float *y, int64_t incy, float *AP);
cublasStatus_t cublasDspr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const double *alpha, const double *x, int incx, const double *y, int incy, double *AP);
cublasStatus_t cublasDspr2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const double *alpha, const double *x, int64_t incx, const double *y, int64_t incy, double *AP);
cublasStatus_t cublasChpr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuComplex *alpha, const cuComplex *x, int incx, const cuComplex *y, int incy,
    cuComplex *AP);
cublasStatus_t cublasChpr2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuComplex *alpha, const cuComplex *x, int64_t incx, const cuComplex *y, int64_t incy,
    cuComplex *AP);
cublasStatus_t cublasZhpr2_v2(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int incx, const cuDoubleComplex *y,
    int incy, cuDoubleComplex *AP);
cublasStatus_t cublasZhpr2_v2_64(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *x, int64_t incx, const cuDoubleComplex *y,
    int64_t incy, cuDoubleComplex *AP);
cublasStatus_t cublasSgemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    const float *alpha, const float * const Aarray[], int lda, const float * const xarray[],
    int incx, const float *beta, float * const yarray[], int incy, int batchCount);
cublasStatus_t cublasSgemvBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, const float *alpha, const float * const Aarray[], int64_t lda,
    const float * const xarray[], int64_t incx, const float *beta, float * const yarray[],
    int64_t incy, int64_t batchCount);
cublasStatus_t cublasDgemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    const double *alpha, const double * const Aarray[], int lda, const double * const xarray[],
    int incx, const double *beta, double * const yarray[], int incy, int batchCount);
cublasStatus_t cublasDgemvBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, const double *alpha, const double * const Aarray[], int64_t lda,
    const double * const xarray[], int64_t incx, const double *beta, double * const yarray[],
    int64_t incy, int64_t batchCount);
cublasStatus_t cublasCgemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    const cuComplex *alpha, const cuComplex * const Aarray[], int lda,
    const cuComplex * const xarray[], int incx, const cuComplex *beta, cuComplex * const yarray[],
    int incy, int batchCount);
cublasStatus_t cublasCgemvBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, const cuComplex *alpha, const cuComplex * const Aarray[], int64_t lda,
    const cuComplex * const xarray[], int64_t incx, const cuComplex *beta,
    cuComplex * const yarray[], int64_t incy, int64_t batchCount);
cublasStatus_t cublasZgemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex * const Aarray[], int lda,
    const cuDoubleComplex * const xarray[], int incx, const cuDoubleComplex *beta,
    cuDoubleComplex * const yarray[], int incy, int batchCount);
cublasStatus_t cublasZgemvBatched_64(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
    int64_t n, const cuDoubleComplex *alpha, const cuDoubleComplex * const Aarray[], int64_t lda,
    const cuDoubleComplex * const xarray[], int64_t incx, const cuDoubleComplex *beta,
    cuDoubleComplex * const yarray[], int64_t incy, int64_t batchCount);
cublasStatus_t cublasSgemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m,
    int n, const float *alpha, const float *A, int lda, long long int strideA, const float *x,
    int incx, long long int stridex, const float *beta, float *y, int incy, long long int stridey,
    int batchCount);
cublasStatus_t cublasSgemvStridedBatched_64(cublasHandle_t handle, cublasOperation_t trans,
    int64_t m, int64_t n, const float *alpha, const float *A, int64_t lda, long long int strideA,
    const float *x, int64_t incx, long long int stridex, const float *beta, float *y, int64_t incy,
    long long int stridey, int64_t batchCount);
cublasStatus_t cublasDgemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m,
    int n, const double *alpha, const double *A, int lda, long long int strideA, const double *x,
    int incx, long long int stridex, const double *beta, double *y, int incy, long long int stridey,
    int batchCount);
cublasStatus_t cublasDgemvStridedBatched_64(cublasHandle_t handle, cublasOperation_t trans,
    int64_t m, int64_t n, const double *alpha, const double *A, int64_t lda, long long int strideA,
    const double *x, int64_t incx, long long int stridex, const double *beta, double *y,
    int64_t incy, long long int stridey, int64_t batchCount);
cublasStatus_t cublasCgemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m,
    int n, const cuComplex *alpha, const cuComplex *A, int lda, long long int strideA,
    const cuComplex *x, int incx, long long int stridex, const cuComplex *beta, cuComplex *y,
    int incy, long long int stridey, int batchCount);
cublasStatus_t cublasCgemvStridedBatched_64(cublasHandle_t handle, cublasOperation_t trans,
    int64_t m, int64_t n, const cuComplex *alpha, const cuComplex *A, int64_t lda,
    long long int strideA, const cuComplex *x, int64_t incx, long long int stridex,
    const cuComplex *beta, cuComplex *y, int64_t incy, long long int stridey, int64_t batchCount);
cublasStatus_t cublasZgemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m,
    int n, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda, long long int strideA,
    const cuDoubleComplex *x, int incx, long long int stridex, const cuDoubleComplex *beta,
    cuDoubleComplex *y, int incy, long long int stridey, int batchCount);
cublasStatus_t cublasZgemvStridedBatched_64(cublasHandle_t handle, cublasOperation_t trans,
    int64_t m, int64_t n, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int64_t lda,
    long long int strideA, const cuDoubleComplex *x, int64_t incx, long long int stridex,
    const cuDoubleComplex *beta, cuDoubleComplex *y, int64_t incy, long long int stridey,
    int64_t batchCount);
cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const float *alpha, const float *A, int lda,
    const float *B, int ldb, const float *beta, float *C, int ldc);
cublasStatus_t cublasSgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const float *alpha, const float *A,
    int64_t lda, const float *B, int64_t ldb, const float *beta, float *C, int64_t ldc);
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const double *alpha, const double *A, int lda,
    const double *B, int ldb, const double *beta, double *C, int ldc);
cublasStatus_t cublasDgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const double *alpha, const double *A,
    int64_t lda, const double *B, int64_t ldb, const double *beta, double *C, int64_t ldc);
cublasStatus_t cublasCgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuComplex *alpha, const cuComplex *A,
    int lda, const cuComplex *B, int ldb, const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasCgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuComplex *alpha,
    const cuComplex *A, int64_t lda, const cuComplex *B, int64_t ldb, const cuComplex *beta,
    cuComplex *C, int64_t ldc);
cublasStatus_t cublasCgemm3m(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuComplex *alpha, const cuComplex *A,
    int lda, const cuComplex *B, int ldb, const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasCgemm3m_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuComplex *alpha,
    const cuComplex *A, int64_t lda, const cuComplex *B, int64_t ldb, const cuComplex *beta,
    cuComplex *C, int64_t ldc);
cublasStatus_t cublasCgemm3mEx(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuComplex *alpha, const void *A,
    cudaDataType Atype, int lda, const void *B, cudaDataType Btype, int ldb, const cuComplex *beta,
    void *C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasCgemm3mEx_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuComplex *alpha,
    const void *A, cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype, int64_t ldb,
    const cuComplex *beta, void *C, cudaDataType Ctype, int64_t ldc);
cublasStatus_t cublasZgemm_v2(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int lda, const cuDoubleComplex *B, int ldb,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZgemm_v2_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B, int64_t ldb,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasZgemm3m(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int lda, const cuDoubleComplex *B, int ldb,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZgemm3m_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B, int64_t ldb,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const float *alpha, const void *A,
    cudaDataType Atype, int lda, const void *B, cudaDataType Btype, int ldb, const float *beta,
    void *C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasSgemmEx_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const float *alpha, const void *A,
    cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype, int64_t ldb,
    const float *beta, void *C, cudaDataType Ctype, int64_t ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A,
    cudaDataType Atype, int lda, const void *B, cudaDataType Btype, int ldb, const void *beta,
    void *C, cudaDataType Ctype, int ldc, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha, const void *A,
    cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype, int64_t ldb,
    const void *beta, void *C, cudaDataType Ctype, int64_t ldc, cublasComputeType_t computeType,
    cublasGemmAlgo_t algo);
cublasStatus_t cublasCgemmEx(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuComplex *alpha, const void *A,
    cudaDataType Atype, int lda, const void *B, cudaDataType Btype, int ldb, const cuComplex *beta,
    void *C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasCgemmEx_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuComplex *alpha,
    const void *A, cudaDataType Atype, int64_t lda, const void *B, cudaDataType Btype, int64_t ldb,
    const cuComplex *beta, void *C, cudaDataType Ctype, int64_t ldc);
cublasStatus_t cublasSsyrk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const float *alpha, const float *A, int lda, const float *beta, float *C,
    int ldc);
cublasStatus_t cublasSsyrk_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const float *alpha, const float *A, int64_t lda,
    const float *beta, float *C, int64_t ldc);
cublasStatus_t cublasDsyrk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const double *alpha, const double *A, int lda, const double *beta, double *C,
    int ldc);
cublasStatus_t cublasDsyrk_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const double *alpha, const double *A,
    int64_t lda, const double *beta, double *C, int64_t ldc);
cublasStatus_t cublasCsyrk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *beta,
    cuComplex *C, int ldc);
cublasStatus_t cublasCsyrk_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuComplex *alpha, const cuComplex *A,
    int64_t lda, const cuComplex *beta, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZsyrk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZsyrk_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *beta, cuDoubleComplex *C,
    int64_t ldc);
cublasStatus_t cublasCsyrkEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const cuComplex *alpha, const void *A, cudaDataType Atype, int lda,
    const cuComplex *beta, void *C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasCsyrkEx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuComplex *alpha, const void *A,
    cudaDataType Atype, int64_t lda, const cuComplex *beta, void *C, cudaDataType Ctype,
    int64_t ldc);
cublasStatus_t cublasCsyrk3mEx(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int n, int k, const cuComplex *alpha, const void *A,
    cudaDataType Atype, int lda, const cuComplex *beta, void *C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasCsyrk3mEx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuComplex *alpha, const void *A,
    cudaDataType Atype, int64_t lda, const cuComplex *beta, void *C, cudaDataType Ctype,
    int64_t ldc);
cublasStatus_t cublasCherk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const float *alpha, const cuComplex *A, int lda, const float *beta, cuComplex *C,
    int ldc);
cublasStatus_t cublasCherk_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const float *alpha, const cuComplex *A,
    int64_t lda, const float *beta, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZherk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const double *alpha, const cuDoubleComplex *A, int lda, const double *beta,
    cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZherk_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const double *alpha, const cuDoubleComplex *A,
    int64_t lda, const double *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasCherkEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const float *alpha, const void *A, cudaDataType Atype, int lda, const float *beta,
    void *C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasCherkEx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const float *alpha, const void *A,
    cudaDataType Atype, int64_t lda, const float *beta, void *C, cudaDataType Ctype, int64_t ldc);
cublasStatus_t cublasCherk3mEx(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int n, int k, const float *alpha, const void *A, cudaDataType Atype,
    int lda, const float *beta, void *C, cudaDataType Ctype, int ldc);
cublasStatus_t cublasCherk3mEx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const float *alpha, const void *A,
    cudaDataType Atype, int64_t lda, const float *beta, void *C, cudaDataType Ctype, int64_t ldc);
cublasStatus_t cublasSsyr2k_v2(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int n, int k, const float *alpha, const float *A, int lda,
    const float *B, int ldb, const float *beta, float *C, int ldc);
cublasStatus_t cublasSsyr2k_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const float *alpha, const float *A, int64_t lda,
    const float *B, int64_t ldb, const float *beta, float *C, int64_t ldc);
cublasStatus_t cublasDsyr2k_v2(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int n, int k, const double *alpha, const double *A, int lda,
    const double *B, int ldb, const double *beta, double *C, int ldc);
cublasStatus_t cublasDsyr2k_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const double *alpha, const double *A,
    int64_t lda, const double *B, int64_t ldb, const double *beta, double *C, int64_t ldc);
cublasStatus_t cublasCsyr2k_v2(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int n, int k, const cuComplex *alpha, const cuComplex *A, int lda,
    const cuComplex *B, int ldb, const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasCsyr2k_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuComplex *alpha, const cuComplex *A,
    int64_t lda, const cuComplex *B, int64_t ldb, const cuComplex *beta, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZsyr2k_v2(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int n, int k, const cuDoubleComplex *alpha, const cuDoubleComplex *A,
    int lda, const cuDoubleComplex *B, int ldb, const cuDoubleComplex *beta, cuDoubleComplex *C,
    int ldc);
cublasStatus_t cublasZsyr2k_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B, int64_t ldb,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasCher2k_v2(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int n, int k, const cuComplex *alpha, const cuComplex *A, int lda,
    const cuComplex *B, int ldb, const float *beta, cuComplex *C, int ldc);
cublasStatus_t cublasCher2k_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuComplex *alpha, const cuComplex *A,
    int64_t lda, const cuComplex *B, int64_t ldb, const float *beta, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZher2k_v2(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int n, int k, const cuDoubleComplex *alpha, const cuDoubleComplex *A,
    int lda, const cuDoubleComplex *B, int ldb, const double *beta, cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZher2k_v2_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B, int64_t ldb,
    const double *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasSsyrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const float *alpha, const float *A, int lda, const float *B, int ldb,
    const float *beta, float *C, int ldc);
cublasStatus_t cublasSsyrkx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const float *alpha, const float *A, int64_t lda,
    const float *B, int64_t ldb, const float *beta, float *C, int64_t ldc);
cublasStatus_t cublasDsyrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const double *alpha, const double *A, int lda, const double *B, int ldb,
    const double *beta, double *C, int ldc);
cublasStatus_t cublasDsyrkx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const double *alpha, const double *A,
    int64_t lda, const double *B, int64_t ldb, const double *beta, double *C, int64_t ldc);
cublasStatus_t cublasCsyrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *B, int ldb,
    const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasCsyrkx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuComplex *alpha, const cuComplex *A,
    int64_t lda, const cuComplex *B, int64_t ldb, const cuComplex *beta, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZsyrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda,
    const cuDoubleComplex *B, int ldb, const cuDoubleComplex *beta, cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZsyrkx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B, int64_t ldb,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasCherkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *B, int ldb,
    const float *beta, cuComplex *C, int ldc);
cublasStatus_t cublasCherkx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuComplex *alpha, const cuComplex *A,
    int64_t lda, const cuComplex *B, int64_t ldb, const float *beta, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZherkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
    int n, int k, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda,
    const cuDoubleComplex *B, int ldb, const double *beta, cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZherkx_64(cublasHandle_t handle, cublasFillMode_t uplo,
    cublasOperation_t trans, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B, int64_t ldb,
    const double *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasSsymm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    int m, int n, const float *alpha, const float *A, int lda, const float *B, int ldb,
    const float *beta, float *C, int ldc);
cublasStatus_t cublasSsymm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, int64_t m, int64_t n, const float *alpha, const float *A, int64_t lda,
    const float *B, int64_t ldb, const float *beta, float *C, int64_t ldc);
cublasStatus_t cublasDsymm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    int m, int n, const double *alpha, const double *A, int lda, const double *B, int ldb,
    const double *beta, double *C, int ldc);
cublasStatus_t cublasDsymm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, int64_t m, int64_t n, const double *alpha, const double *A, int64_t lda,
    const double *B, int64_t ldb, const double *beta, double *C, int64_t ldc);
cublasStatus_t cublasCsymm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    int m, int n, const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *B, int ldb,
    const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasCsymm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, int64_t m, int64_t n, const cuComplex *alpha, const cuComplex *A,
    int64_t lda, const cuComplex *B, int64_t ldb, const cuComplex *beta, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZsymm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    int m, int n, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda,
    const cuDoubleComplex *B, int ldb, const cuDoubleComplex *beta, cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZsymm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, int64_t m, int64_t n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B, int64_t ldb,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasChemm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    int m, int n, const cuComplex *alpha, const cuComplex *A, int lda, const cuComplex *B, int ldb,
    const cuComplex *beta, cuComplex *C, int ldc);
cublasStatus_t cublasChemm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, int64_t m, int64_t n, const cuComplex *alpha, const cuComplex *A,
    int64_t lda, const cuComplex *B, int64_t ldb, const cuComplex *beta, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZhemm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    int m, int n, const cuDoubleComplex *alpha, const cuDoubleComplex *A, int lda,
    const cuDoubleComplex *B, int ldb, const cuDoubleComplex *beta, cuDoubleComplex *C, int ldc);
cublasStatus_t cublasZhemm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, int64_t m, int64_t n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B, int64_t ldb,
    const cuDoubleComplex *beta, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasStrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const float *alpha,
    const float *A, int lda, float *B, int ldb);
cublasStatus_t cublasStrsm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const float *alpha, const float *A, int64_t lda, float *B, int64_t ldb);
cublasStatus_t cublasDtrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const double *alpha,
    const double *A, int lda, double *B, int ldb);
cublasStatus_t cublasDtrsm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const double *alpha, const double *A, int64_t lda, double *B, int64_t ldb);
cublasStatus_t cublasCtrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const cuComplex *alpha,
    const cuComplex *A, int lda, cuComplex *B, int ldb);
cublasStatus_t cublasCtrsm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const cuComplex *alpha, const cuComplex *A, int64_t lda, cuComplex *B, int64_t ldb);
cublasStatus_t cublasZtrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int lda, cuDoubleComplex *B, int ldb);
cublasStatus_t cublasZtrsm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int64_t lda, cuDoubleComplex *B,
    int64_t ldb);
cublasStatus_t cublasStrmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const float *alpha,
    const float *A, int lda, const float *B, int ldb, float *C, int ldc);
cublasStatus_t cublasStrmm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const float *alpha, const float *A, int64_t lda, const float *B, int64_t ldb, float *C,
    int64_t ldc);
cublasStatus_t cublasDtrmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const double *alpha,
    const double *A, int lda, const double *B, int ldb, double *C, int ldc);
cublasStatus_t cublasDtrmm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const double *alpha, const double *A, int64_t lda, const double *B, int64_t ldb, double *C,
    int64_t ldc);
cublasStatus_t cublasCtrmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const cuComplex *alpha,
    const cuComplex *A, int lda, const cuComplex *B, int ldb, cuComplex *C, int ldc);
cublasStatus_t cublasCtrmm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const cuComplex *alpha, const cuComplex *A, int64_t lda, const cuComplex *B, int64_t ldb,
    cuComplex *C, int64_t ldc);
cublasStatus_t cublasZtrmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int lda, const cuDoubleComplex *B, int ldb, cuDoubleComplex *C,
    int ldc);
cublasStatus_t cublasZtrmm_v2_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *B,
    int64_t ldb, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const float *alpha, const float * const Aarray[],
    int lda, const float * const Barray[], int ldb, const float *beta, float * const Carray[],
    int ldc, int batchCount);
cublasStatus_t cublasSgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const float *alpha,
    const float * const Aarray[], int64_t lda, const float * const Barray[], int64_t ldb,
    const float *beta, float * const Carray[], int64_t ldc, int64_t batchCount);
cublasStatus_t cublasDgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const double *alpha,
    const double * const Aarray[], int lda, const double * const Barray[], int ldb,
    const double *beta, double * const Carray[], int ldc, int batchCount);
cublasStatus_t cublasDgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const double *alpha,
    const double * const Aarray[], int64_t lda, const double * const Barray[], int64_t ldb,
    const double *beta, double * const Carray[], int64_t ldc, int64_t batchCount);
cublasStatus_t cublasCgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuComplex *alpha,
    const cuComplex * const Aarray[], int lda, const cuComplex * const Barray[], int ldb,
    const cuComplex *beta, cuComplex * const Carray[], int ldc, int batchCount);
cublasStatus_t cublasCgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuComplex *alpha,
    const cuComplex * const Aarray[], int64_t lda, const cuComplex * const Barray[], int64_t ldb,
    const cuComplex *beta, cuComplex * const Carray[], int64_t ldc, int64_t batchCount);
cublasStatus_t cublasCgemm3mBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuComplex *alpha,
    const cuComplex * const Aarray[], int lda, const cuComplex * const Barray[], int ldb,
    const cuComplex *beta, cuComplex * const Carray[], int ldc, int batchCount);
cublasStatus_t cublasCgemm3mBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuComplex *alpha,
    const cuComplex * const Aarray[], int64_t lda, const cuComplex * const Barray[], int64_t ldb,
    const cuComplex *beta, cuComplex * const Carray[], int64_t ldc, int64_t batchCount);
cublasStatus_t cublasZgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuDoubleComplex *alpha,
    const cuDoubleComplex * const Aarray[], int lda, const cuDoubleComplex * const Barray[],
    int ldb, const cuDoubleComplex *beta, cuDoubleComplex * const Carray[], int ldc,
    int batchCount);
cublasStatus_t cublasZgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex * const Aarray[], int64_t lda, const cuDoubleComplex * const Barray[],
    int64_t ldb, const cuDoubleComplex *beta, cuDoubleComplex * const Carray[], int64_t ldc,
    int64_t batchCount);
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const float *alpha, const float *A, int lda,
    long long int strideA, const float *B, int ldb, long long int strideB, const float *beta,
    float *C, int ldc, long long int strideC, int batchCount);
cublasStatus_t cublasSgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const float *alpha, const float *A,
    int64_t lda, long long int strideA, const float *B, int64_t ldb, long long int strideB,
    const float *beta, float *C, int64_t ldc, long long int strideC, int64_t batchCount);
cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const double *alpha, const double *A, int lda,
    long long int strideA, const double *B, int ldb, long long int strideB, const double *beta,
    double *C, int ldc, long long int strideC, int batchCount);
cublasStatus_t cublasDgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const double *alpha, const double *A,
    int64_t lda, long long int strideA, const double *B, int64_t ldb, long long int strideB,
    const double *beta, double *C, int64_t ldc, long long int strideC, int64_t batchCount);
cublasStatus_t cublasCgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuComplex *alpha, const cuComplex *A,
    int lda, long long int strideA, const cuComplex *B, int ldb, long long int strideB,
    const cuComplex *beta, cuComplex *C, int ldc, long long int strideC, int batchCount);
cublasStatus_t cublasCgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuComplex *alpha,
    const cuComplex *A, int64_t lda, long long int strideA, const cuComplex *B, int64_t ldb,
    long long int strideB, const cuComplex *beta, cuComplex *C, int64_t ldc, long long int strideC,
    int64_t batchCount);
cublasStatus_t cublasCgemm3mStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuComplex *alpha, const cuComplex *A,
    int lda, long long int strideA, const cuComplex *B, int ldb, long long int strideB,
    const cuComplex *beta, cuComplex *C, int ldc, long long int strideC, int batchCount);
cublasStatus_t cublasCgemm3mStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuComplex *alpha,
    const cuComplex *A, int64_t lda, long long int strideA, const cuComplex *B, int64_t ldb,
    long long int strideB, const cuComplex *beta, cuComplex *C, int64_t ldc, long long int strideC,
    int64_t batchCount);
cublasStatus_t cublasZgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int lda, long long int strideA, const cuDoubleComplex *B, int ldb,
    long long int strideB, const cuDoubleComplex *beta, cuDoubleComplex *C, int ldc,
    long long int strideC, int batchCount);
cublasStatus_t cublasZgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, long long int strideA, const cuDoubleComplex *B,
    int64_t ldb, long long int strideB, const cuDoubleComplex *beta, cuDoubleComplex *C,
    int64_t ldc, long long int strideC, int64_t batchCount);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const void *alpha, const void * const Aarray[],
    cudaDataType Atype, int lda, const void * const Barray[], cudaDataType Btype, int ldb,
    const void *beta, void * const Carray[], cudaDataType Ctype, int ldc, int batchCount,
    cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
    const void * const Aarray[], cudaDataType Atype, int64_t lda, const void * const Barray[],
    cudaDataType Btype, int64_t ldb, const void *beta, void * const Carray[], cudaDataType Ctype,
    int64_t ldc, int64_t batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A,
    cudaDataType Atype, int lda, long long int strideA, const void *B, cudaDataType Btype, int ldb,
    long long int strideB, const void *beta, void *C, cudaDataType Ctype, int ldc,
    long long int strideC, int batchCount, cublasComputeType_t computeType, cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha, const void *A,
    cudaDataType Atype, int64_t lda, long long int strideA, const void *B, cudaDataType Btype,
    int64_t ldb, long long int strideB, const void *beta, void *C, cudaDataType Ctype, int64_t ldc,
    long long int strideC, int64_t batchCount, cublasComputeType_t computeType,
    cublasGemmAlgo_t algo);
cublasStatus_t cublasSgemmGroupedBatched(cublasHandle_t handle,
    const cublasOperation_t transa_array[], const cublasOperation_t transb_array[],
    const int m_array[], const int n_array[], const int k_array[], const float alpha_array[],
    const float * const Aarray[], const int lda_array[], const float * const Barray[],
    const int ldb_array[], const float beta_array[], float * const Carray[], const int ldc_array[],
    int group_count, const int group_size[]);
cublasStatus_t cublasSgemmGroupedBatched_64(cublasHandle_t handle,
    const cublasOperation_t transa_array[], const cublasOperation_t transb_array[],
    const int64_t m_array[], const int64_t n_array[], const int64_t k_array[],
    const float alpha_array[], const float * const Aarray[], const int64_t lda_array[],
    const float * const Barray[], const int64_t ldb_array[], const float beta_array[],
    float * const Carray[], const int64_t ldc_array[], int64_t group_count,
    const int64_t group_size[]);
cublasStatus_t cublasDgemmGroupedBatched(cublasHandle_t handle,
    const cublasOperation_t transa_array[], const cublasOperation_t transb_array[],
    const int m_array[], const int n_array[], const int k_array[], const double alpha_array[],
    const double * const Aarray[], const int lda_array[], const double * const Barray[],
    const int ldb_array[], const double beta_array[], double * const Carray[],
    const int ldc_array[], int group_count, const int group_size[]);
cublasStatus_t cublasDgemmGroupedBatched_64(cublasHandle_t handle,
    const cublasOperation_t transa_array[], const cublasOperation_t transb_array[],
    const int64_t m_array[], const int64_t n_array[], const int64_t k_array[],
    const double alpha_array[], const double * const Aarray[], const int64_t lda_array[],
    const double * const Barray[], const int64_t ldb_array[], const double beta_array[],
    double * const Carray[], const int64_t ldc_array[], int64_t group_count,
    const int64_t group_size[]);
cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t handle,
    const cublasOperation_t transa_array[], const cublasOperation_t transb_array[],
    const int m_array[], const int n_array[], const int k_array[], const void *alpha_array,
    const void * const Aarray[], cudaDataType_t Atype, const int lda_array[],
    const void * const Barray[], cudaDataType_t Btype, const int ldb_array[],
    const void *beta_array, void * const Carray[], cudaDataType_t Ctype, const int ldc_array[],
    int group_count, const int group_size[], cublasComputeType_t computeType);
cublasStatus_t cublasGemmGroupedBatchedEx_64(cublasHandle_t handle,
    const cublasOperation_t transa_array[], const cublasOperation_t transb_array[],
    const int64_t m_array[], const int64_t n_array[], const int64_t k_array[],
    const void *alpha_array, const void * const Aarray[], cudaDataType_t Atype,
    const int64_t lda_array[], const void * const Barray[], cudaDataType_t Btype,
    const int64_t ldb_array[], const void *beta_array, void * const Carray[], cudaDataType_t Ctype,
    const int64_t ldc_array[], int64_t group_count, const int64_t group_size[],
    cublasComputeType_t computeType);
cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, const float *alpha, const float *A, int lda,
    const float *beta, const float *B, int ldb, float *C, int ldc);
cublasStatus_t cublasSgeam_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, const float *alpha, const float *A, int64_t lda,
    const float *beta, const float *B, int64_t ldb, float *C, int64_t ldc);
cublasStatus_t cublasDgeam(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, const double *alpha, const double *A, int lda,
    const double *beta, const double *B, int ldb, double *C, int ldc);
cublasStatus_t cublasDgeam_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, const double *alpha, const double *A,
    int64_t lda, const double *beta, const double *B, int64_t ldb, double *C, int64_t ldc);
cublasStatus_t cublasCgeam(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, const cuComplex *alpha, const cuComplex *A, int lda,
    const cuComplex *beta, const cuComplex *B, int ldb, cuComplex *C, int ldc);
cublasStatus_t cublasCgeam_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, const cuComplex *alpha, const cuComplex *A,
    int64_t lda, const cuComplex *beta, const cuComplex *B, int64_t ldb, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZgeam(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, const cuDoubleComplex *alpha, const cuDoubleComplex *A,
    int lda, const cuDoubleComplex *beta, const cuDoubleComplex *B, int ldb, cuDoubleComplex *C,
    int ldc);
cublasStatus_t cublasZgeam_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, const cuDoubleComplex *alpha,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *beta, const cuDoubleComplex *B,
    int64_t ldb, cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasStrsmBatched(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n,
    const float *alpha, const float * const A[], int lda, float * const B[], int ldb,
    int batchCount);
cublasStatus_t cublasStrsmBatched_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const float *alpha, const float * const A[], int64_t lda, float * const B[], int64_t ldb,
    int64_t batchCount);
cublasStatus_t cublasDtrsmBatched(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n,
    const double *alpha, const double * const A[], int lda, double * const B[], int ldb,
    int batchCount);
cublasStatus_t cublasDtrsmBatched_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const double *alpha, const double * const A[], int64_t lda, double * const B[], int64_t ldb,
    int64_t batchCount);
cublasStatus_t cublasCtrsmBatched(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n,
    const cuComplex *alpha, const cuComplex * const A[], int lda, cuComplex * const B[], int ldb,
    int batchCount);
cublasStatus_t cublasCtrsmBatched_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const cuComplex *alpha, const cuComplex * const A[], int64_t lda, cuComplex * const B[],
    int64_t ldb, int64_t batchCount);
cublasStatus_t cublasZtrsmBatched(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n,
    const cuDoubleComplex *alpha, const cuDoubleComplex * const A[], int lda,
    cuDoubleComplex * const B[], int ldb, int batchCount);
cublasStatus_t cublasZtrsmBatched_64(cublasHandle_t handle, cublasSideMode_t side,
    cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
    const cuDoubleComplex *alpha, const cuDoubleComplex * const A[], int64_t lda,
    cuDoubleComplex * const B[], int64_t ldb, int64_t batchCount);
cublasStatus_t cublasSdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
    const float *A, int lda, const float *x, int incx, float *C, int ldc);
cublasStatus_t cublasSdgmm_64(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n,
    const float *A, int64_t lda, const float *x, int64_t incx, float *C, int64_t ldc);
cublasStatus_t cublasDdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
    const double *A, int lda, const double *x, int incx, double *C, int ldc);
cublasStatus_t cublasDdgmm_64(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n,
    const double *A, int64_t lda, const double *x, int64_t incx, double *C, int64_t ldc);
cublasStatus_t cublasCdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
    const cuComplex *A, int lda, const cuComplex *x, int incx, cuComplex *C, int ldc);
cublasStatus_t cublasCdgmm_64(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n,
    const cuComplex *A, int64_t lda, const cuComplex *x, int64_t incx, cuComplex *C, int64_t ldc);
cublasStatus_t cublasZdgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n,
    const cuDoubleComplex *A, int lda, const cuDoubleComplex *x, int incx, cuDoubleComplex *C,
    int ldc);
cublasStatus_t cublasZdgmm_64(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n,
    const cuDoubleComplex *A, int64_t lda, const cuDoubleComplex *x, int64_t incx,
    cuDoubleComplex *C, int64_t ldc);
cublasStatus_t cublasSmatinvBatched(cublasHandle_t handle, int n, const float * const A[], int lda,
    float * const Ainv[], int lda_inv, int *info, int batchSize);
cublasStatus_t cublasDmatinvBatched(cublasHandle_t handle, int n, const double * const A[], int lda,
    double * const Ainv[], int lda_inv, int *info, int batchSize);
cublasStatus_t cublasCmatinvBatched(cublasHandle_t handle, int n, const cuComplex * const A[],
    int lda, cuComplex * const Ainv[], int lda_inv, int *info, int batchSize);
cublasStatus_t cublasZmatinvBatched(cublasHandle_t handle, int n, const cuDoubleComplex * const A[],
    int lda, cuDoubleComplex * const Ainv[], int lda_inv, int *info, int batchSize);
cublasStatus_t cublasSgeqrfBatched(cublasHandle_t handle, int m, int n, float * const Aarray[],
    int lda, float * const TauArray[], int *info, int batchSize);
cublasStatus_t cublasDgeqrfBatched(cublasHandle_t handle, int m, int n, double * const Aarray[],
    int lda, double * const TauArray[], int *info, int batchSize);
cublasStatus_t cublasCgeqrfBatched(cublasHandle_t handle, int m, int n, cuComplex * const Aarray[],
    int lda, cuComplex * const TauArray[], int *info, int batchSize);
cublasStatus_t cublasZgeqrfBatched(cublasHandle_t handle, int m, int n,
    cuDoubleComplex * const Aarray[], int lda, cuDoubleComplex * const TauArray[], int *info,
    int batchSize);
cublasStatus_t cublasSgelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    int nrhs, float * const Aarray[], int lda, float * const Carray[], int ldc, int *info,
    int *devInfoArray, int batchSize);
cublasStatus_t cublasDgelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    int nrhs, double * const Aarray[], int lda, double * const Carray[], int ldc, int *info,
    int *devInfoArray, int batchSize);
cublasStatus_t cublasCgelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    int nrhs, cuComplex * const Aarray[], int lda, cuComplex * const Carray[], int ldc, int *info,
    int *devInfoArray, int batchSize);
cublasStatus_t cublasZgelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,
    int nrhs, cuDoubleComplex * const Aarray[], int lda, cuDoubleComplex * const Carray[], int ldc,
    int *info, int *devInfoArray, int batchSize);
cublasStatus_t cublasStpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const float *AP,
    float *A, int lda);
cublasStatus_t cublasDtpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const double *AP,
    double *A, int lda);
cublasStatus_t cublasCtpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuComplex *AP, cuComplex *A, int lda);
cublasStatus_t cublasZtpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *AP, cuDoubleComplex *A, int lda);
cublasStatus_t cublasStrttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const float *A,
    int lda, float *AP);
cublasStatus_t cublasDtrttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const double *A,
    int lda, double *AP);
cublasStatus_t cublasCtrttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const cuComplex *A,
    int lda, cuComplex *AP);
cublasStatus_t cublasZtrttp(cublasHandle_t handle, cublasFillMode_t uplo, int n,
    const cuDoubleComplex *A, int lda, cuDoubleComplex *AP);
cublasStatus_t cublasSgetrfBatched(cublasHandle_t handle, int n, float * const A[], int lda, int *P,
    int *info, int batchSize);
cublasStatus_t cublasDgetrfBatched(cublasHandle_t handle, int n, double * const A[], int lda,
    int *P, int *info, int batchSize);
cublasStatus_t cublasCgetrfBatched(cublasHandle_t handle, int n, cuComplex * const A[], int lda,
    int *P, int *info, int batchSize);
cublasStatus_t cublasZgetrfBatched(cublasHandle_t handle, int n, cuDoubleComplex * const A[],
    int lda, int *P, int *info, int batchSize);
cublasStatus_t cublasSgetriBatched(cublasHandle_t handle, int n, const float * const A[], int lda,
    const int *P, float * const C[], int ldc, int *info, int batchSize);
cublasStatus_t cublasDgetriBatched(cublasHandle_t handle, int n, const double * const A[], int lda,
    const int *P, double * const C[], int ldc, int *info, int batchSize);
cublasStatus_t cublasCgetriBatched(cublasHandle_t handle, int n, const cuComplex * const A[],
    int lda, const int *P, cuComplex * const C[], int ldc, int *info, int batchSize);
cublasStatus_t cublasZgetriBatched(cublasHandle_t handle, int n, const cuDoubleComplex * const A[],
    int lda, const int *P, cuDoubleComplex * const C[], int ldc, int *info, int batchSize);
cublasStatus_t cublasSgetrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
    const float * const Aarray[], int lda, const int *devIpiv, float * const Barray[], int ldb,
    int *info, int batchSize);
cublasStatus_t cublasDgetrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
    const double * const Aarray[], int lda, const int *devIpiv, double * const Barray[], int ldb,
    int *info, int batchSize);
cublasStatus_t cublasCgetrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
    const cuComplex * const Aarray[], int lda, const int *devIpiv, cuComplex * const Barray[],
    int ldb, int *info, int batchSize);
cublasStatus_t cublasZgetrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,
    const cuDoubleComplex * const Aarray[], int lda, const int *devIpiv,
    cuDoubleComplex * const Barray[], int ldb, int *info, int batchSize);
cublasStatus_t cublasUint8gemmBias(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, cublasOperation_t transc, int m, int n, int k, const unsigned char *A,
    int A_bias, int lda, const unsigned char *B, int B_bias, int ldb, unsigned char *C, int C_bias,
    int ldc, int C_mult, int C_shift);

/* Halves. */
#ifdef __cplusplus
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const __half *alpha, const __half *A, int lda,
    const __half *B, int ldb, const __half *beta, __half *C, int ldc);
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const __half *alpha,
    const __half * const Aarray[], int lda, const __half * const Barray[], int ldb,
    const __half *beta, __half * const Carray[], int ldc, int batchCount);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int m, int n, int k, const __half *alpha, const __half *A, int lda,
    long long int strideA, const __half *B, int ldb, long long int strideB, const __half *beta,
    __half *C, int ldc, long long int strideC, int batchCount);
cublasStatus_t cublasHgemm_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const __half *alpha, const __half *A, int64_t lda,
    const __half *B, int64_t ldb, const __half *beta, __half *C, int64_t ldc);
cublasStatus_t cublasHgemmBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const __half *alpha,
    const __half * const Aarray[], int64_t lda, const __half * const Barray[], int64_t ldb,
    const __half *beta, __half * const Carray[], int64_t ldc, int64_t batchCount);
cublasStatus_t cublasHgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t transa,
    cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const __half *alpha, const __half *A, int64_t lda,
    long long int strideA, const __half *B, int64_t ldb, long long int strideB, const __half *beta,
    __half *C, int64_t ldc, long long int strideC, int64_t batchCount);
#endif

#include "softwarp_end.h"
#endif
