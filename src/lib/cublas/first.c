/* SPDX-License-Identifier: Apache-2.0 */
/* first.c - see first.h: the handle, errors, memory, characters. */
#include "lib/cublas/first.h"

#include <pthread.h>

#include "lib/common/lib.h"

/* Words that are no value of these enumerations. */
enum { NONE = 999 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cublasHandle_t the_handle;
static cublasStatus_t error;

cublasHandle_t
first_handle(void)
{
    pthread_mutex_lock(&lock);
    cublasHandle_t h = the_handle;
    pthread_mutex_unlock(&lock);
    return h;
}

void
first_keep(cublasStatus_t status)
{
    pthread_mutex_lock(&lock);
    if (error == CUBLAS_STATUS_SUCCESS)
        error = status;
    pthread_mutex_unlock(&lock);
}

cublasStatus_t
cublasInit(void)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!the_handle)
        status = cublasCreate_v2(&the_handle);
    pthread_mutex_unlock(&lock);
    return status;
}

cublasStatus_t
cublasShutdown(void)
{
    pthread_mutex_lock(&lock);
    cublasStatus_t status = the_handle ? cublasDestroy_v2(the_handle)
                                       : CUBLAS_STATUS_NOT_INITIALIZED;
    the_handle = NULL;
    pthread_mutex_unlock(&lock);
    return status;
}

cublasStatus_t
cublasGetError(void)
{
    pthread_mutex_lock(&lock);
    cublasStatus_t status = error;
    error = CUBLAS_STATUS_SUCCESS;
    pthread_mutex_unlock(&lock);
    return status;
}

cublasStatus_t
cublasGetVersion(int *version)
{
    return cublasGetVersion_v2(first_handle(), version);
}

cublasStatus_t
cublasSetKernelStream(cudaStream_t stream)
{
    return cublasSetStream_v2(first_handle(), stream);
}

cublasStatus_t
cublasAlloc(int n, int element_bytes, void **out)
{
    CUdeviceptr made = 0;
    if (!first_handle())
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!out || n <= 0 || element_bytes <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (sw_lib_enter() != CUDA_SUCCESS ||
        cuMemAlloc(&made, (size_t)n * (size_t)element_bytes) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ALLOC_FAILED;
    *out = (void *)(uintptr_t)made;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasFree(void *at)
{
    if (!first_handle())
        return CUBLAS_STATUS_NOT_INITIALIZED;
    return cuMemFree((CUdeviceptr)(uintptr_t)at) == CUDA_SUCCESS
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_INTERNAL_ERROR;
}

/* ---- characters ---- */

cublasOperation_t
first_operation(char c)
{
    switch (c) {
    case 'N':
    case 'n':
        return CUBLAS_OP_N;
    case 'T':
    case 't':
        return CUBLAS_OP_T;
    case 'C':
    case 'c':
        return CUBLAS_OP_C;
    default:
        return (cublasOperation_t)NONE;
    }
}

cublasFillMode_t
first_filling(char c)
{
    return c == 'L' || c == 'l'   ? CUBLAS_FILL_MODE_LOWER
           : c == 'U' || c == 'u' ? CUBLAS_FILL_MODE_UPPER
                                  : (cublasFillMode_t)NONE;
}

cublasDiagType_t
first_diagonal(char c)
{
    return c == 'N' || c == 'n'   ? CUBLAS_DIAG_NON_UNIT
           : c == 'U' || c == 'u' ? CUBLAS_DIAG_UNIT
                                  : (cublasDiagType_t)NONE;
}

cublasSideMode_t
first_side(char c)
{
    return c == 'L' || c == 'l'   ? CUBLAS_SIDE_LEFT
           : c == 'R' || c == 'r' ? CUBLAS_SIDE_RIGHT
                                  : (cublasSideMode_t)NONE;
}
