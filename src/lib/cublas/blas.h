/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blas.h - what the files of this folder share: cuBLAS on OpenBLAS.
 *
 * Every public function comes in two forms, of int and of int64_t, which call
 * one function of ours that takes int64_t. Sizes beyond an int, which OpenBLAS
 * does not take, are CUBLAS_STATUS_NOT_SUPPORTED.
 *
 * A handle may be used by several threads, as the real one, if none of them
 * changes it meanwhile.
 */
#ifndef SW_CUBLAS_BLAS_H
#define SW_CUBLAS_BLAS_H
#define SW_LIB_ENTRIES "lib/cublas/entries.def"
#include "lib/common/entries.h"

#include "cuda/cublas_v2.h"
#include "lib/common/fortran.h"
#include "lib/common/lib.h"

enum { BLAS_HANDLE = 0x63754253 };

struct cublasContext {
    uint32_t magic; /* BLAS_HANDLE while it lives */
    CUstream stream;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics_mode;
    cublasMath_t math_mode;
    int sm_target;
    void *workspace; /* the program's, not used */
    size_t workspace_bytes;
};

#define TRY(expression) TRY_AS(cublasStatus_t, expression)
/* An argument. */
#define VALID(condition) REQUIRE(condition, CUBLAS_STATUS_INVALID_VALUE)

/* MACRO(letter, C type, sw_lib_type, sizes' C type, suffix) for each type of
 * elements and both forms. */
#define FOR_SIZES(MACRO, letter, T, type)                                      \
    MACRO(letter, T, type, int, )                                              \
    MACRO(letter, T, type, int64_t, _64)
#define FOR_REAL(MACRO)                                                        \
    FOR_SIZES(MACRO, S, float, SW_LIB_S)                                       \
    FOR_SIZES(MACRO, D, double, SW_LIB_D)
#define FOR_COMPLEX(MACRO)                                                     \
    FOR_SIZES(MACRO, C, cuComplex, SW_LIB_C)                                   \
    FOR_SIZES(MACRO, Z, cuDoubleComplex, SW_LIB_Z)
#define FOR_ALL(MACRO) FOR_REAL(MACRO) FOR_COMPLEX(MACRO)

/* The real type of a complex one. */
#define REAL_S float
#define REAL_D double
#define REAL_C float
#define REAL_Z double

cublasStatus_t blas_check(cublasHandle_t handle); /* it is one */
cublasStatus_t blas_status(CUresult result);
bool blas_on_device(cublasHandle_t handle); /* its scalars */
bool blas_fits(int64_t n);                  /* OpenBLAS takes it */
bool blas_is_op(cublasOperation_t op);
bool blas_is_fill(cublasFillMode_t uplo);
bool blas_is_side(cublasSideMode_t side);
bool blas_is_diag(cublasDiagType_t diag);
/* Characters of BLAS. A transposition of real elements is 'N' or 'T'. */
int blas_op(cublasOperation_t op, sw_lib_type type);
int blas_fill(cublasFillMode_t uplo);
int blas_side(cublasSideMode_t side);
int blas_diag(cublasDiagType_t diag);

/* Submits a routine, sw_lib_call_add's arguments; `name` is static. */
cublasStatus_t blas_call(cublasHandle_t handle, const char *name,
                         sw_lib_type type, const char *routine,
                         const char *format, ...);
/* Submits; results that lie on the host are there when it returns if
 * `has_result`. */
cublasStatus_t blas_submit(cublasHandle_t handle, const sw_lib_work *work,
                           bool has_result);

static inline int64_t
blas_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
