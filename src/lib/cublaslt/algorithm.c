/* SPDX-License-Identifier: Apache-2.0 */
/* algorithm.c - cuBLASLt: the one algorithm, as searches find it. */
#include "lib/cublaslt/lt.h"

#include <string.h>

static void
fill(cublasLtMatmulAlgo_t *algo)
{
    lt_algorithm made = {.magic = LT_ALGORITHM, .split = 1};
    memset(algo, 0, sizeof *algo);
    memcpy(algo, &made, sizeof made);
}

cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int most,
    cublasLtMatmulHeuristicResult_t results[], int *count)
{
    TRY(lt_check(handle));
    VALID(desc && a && b && c && d && preference && most > 0 && results &&
          count);
    *count = 0;
    TRY(lt_matmul_check((const void *)desc, (const void *)a, (const void *)b,
                        (const void *)c, (const void *)d));
    memset(results, 0, sizeof *results);
    fill(&results->algo);
    results->state = CUBLAS_STATUS_SUCCESS;
    results->wavesCount = 1;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute,
                         cudaDataType_t scale, cudaDataType_t a,
                         cudaDataType_t b, cudaDataType_t c, cudaDataType_t d,
                         int most, int ids[], int *count)
{
    (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
    TRY(lt_check(handle));
    VALID(most > 0 && ids && count);
    ids[0] = 0;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute,
                       cudaDataType_t scale, cudaDataType_t a, cudaDataType_t b,
                       cudaDataType_t c, cudaDataType_t d, int id,
                       cublasLtMatmulAlgo_t *algo)
{
    (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
    TRY(lt_check(handle));
    VALID(algo && !id);
    fill(algo);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                        cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                        cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                        const cublasLtMatmulAlgo_t *algo,
                        cublasLtMatmulHeuristicResult_t *result)
{
    const lt_algorithm *chosen = (const void *)algo;
    TRY(lt_check(handle));
    VALID(desc && a && b && c && d && chosen && result &&
          chosen->magic == LT_ALGORITHM);
    TRY(lt_matmul_check((const void *)desc, (const void *)a, (const void *)b,
                        (const void *)c, (const void *)d));
    memset(result, 0, sizeof *result);
    result->algo = *algo;
    result->state = CUBLAS_STATUS_SUCCESS;
    result->wavesCount = 1;
    return CUBLAS_STATUS_SUCCESS;
}

/* What the algorithm can: numbers, whose size is given with them. */
static const struct {
    cublasLtMatmulAlgoCapAttributes_t number;
    uint32_t bytes;
    uint64_t value;
} capabilities[] = {
    {CUBLASLT_ALGO_CAP_SPLITK_SUPPORT, 4, 0},
    {CUBLASLT_ALGO_CAP_REDUCTION_SCHEME_MASK, 4, 0},
    {CUBLASLT_ALGO_CAP_CTA_SWIZZLING_SUPPORT, 4, 0},
    {CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT, 4, 1},
    {CUBLASLT_ALGO_CAP_OUT_OF_PLACE_RESULT_SUPPORT, 4, 1},
    {CUBLASLT_ALGO_CAP_UPLO_SUPPORT, 4, 0},
    {CUBLASLT_ALGO_CAP_CUSTOM_OPTION_MAX, 4, 0},
    {CUBLASLT_ALGO_CAP_CUSTOM_MEMORY_ORDER, 4, 0},
    {CUBLASLT_ALGO_CAP_POINTER_MODE_MASK, 4,
     CUBLASLT_POINTER_MODE_MASK_HOST | CUBLASLT_POINTER_MODE_MASK_DEVICE |
         CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_ZERO |
         CUBLASLT_POINTER_MODE_MASK_ALPHA_DEVICE_VECTOR_BETA_HOST},
    {CUBLASLT_ALGO_CAP_EPILOGUE_MASK, 4, 1023},
    {CUBLASLT_ALGO_CAP_LD_NEGATIVE, 4, 0},
    {CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, 8,
     CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA},
    {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_A_BYTES, 4, 1},
    {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_B_BYTES, 4, 1},
    {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_C_BYTES, 4, 1},
    {CUBLASLT_ALGO_CAP_MIN_ALIGNMENT_D_BYTES, 4, 1},
    {CUBLASLT_ALGO_CAP_TILE_IDS, 4, CUBLASLT_MATMUL_TILE_UNDEFINED},
    {CUBLASLT_ALGO_CAP_STAGES_IDS, 4, CUBLASLT_MATMUL_STAGES_UNDEFINED},
};

cublasStatus_t
cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                  cublasLtMatmulAlgoCapAttributes_t number,
                                  void *to, size_t bytes, size_t *written)
{
    const lt_algorithm *chosen = (const void *)algo;
    VALID(chosen && chosen->magic == LT_ALGORITHM &&
          (bytes ? to != NULL : written != NULL));
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
        if (capabilities[i].number != number)
            continue;
        if (written)
            *written = capabilities[i].bytes;
        VALID(!bytes || bytes >= capabilities[i].bytes);
        if (bytes) /* low bytes come first */
            memcpy(to, &capabilities[i].value, capabilities[i].bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}
