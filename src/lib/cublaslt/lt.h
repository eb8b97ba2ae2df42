/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lt.h - what the files of this folder share: cuBLASLt on lib/common/gemm.h.
 *
 * Descriptors lie in the public opaque structs, which programs may have on
 * their stacks and copy. There is one algorithm, number 0; its settings are
 * kept and have no effect, and it needs no work space.
 */
#ifndef SW_CUBLASLT_LT_H
#define SW_CUBLASLT_LT_H
#define SW_LIB_ENTRIES "lib/cublaslt/entries.def"
#include "lib/common/entries.h"

#include "cuda/cublasLt.h"
#include "lib/common/lib.h"

typedef struct {
    int32_t type; /* cudaDataType_t */
    int32_t order;
    uint64_t rows, columns;
    int64_t ld;
    int32_t count, batch_mode;
    int64_t stride, plane;
} lt_layout;

/* Pointers are the device's. */
typedef struct {
    int32_t compute, scale, pointer_mode, op[3], fill, sm_count;
    uint32_t epilogue;
    int32_t aux_type, bias_type; /* -1: not set */
    void *bias;
    int64_t bias_stride;
    void *aux;
    int64_t aux_ld, aux_stride, alpha_stride;
    const float *scales[4]; /* of A, B, C, D; NULL: 1 */
    float *amax;
    const float *aux_scale;
    float *aux_amax;
    int32_t
        scale_modes[6]; /* of A, B, C, D, the auxiliary matrix, D's output */
    void *out_scale;
    void *emulation;
    int8_t fast_sums;
} lt_matmul;

typedef struct {
    int32_t scale, pointer_mode, op[2];
} lt_transform;

typedef struct {
    uint32_t mode;
    uint32_t reductions;
    uint64_t workspace_bytes;
    uint32_t alignment[4]; /* bytes, of A, B, C, D */
    float waves;
    uint64_t kinds;
} lt_preference;

enum { LT_ALGORITHM = 0x4c744131 };

typedef struct {
    uint32_t magic; /* LT_ALGORITHM */
    int32_t id;
    uint32_t tile;
    int32_t split;
    uint32_t reduction, swizzling, custom, stages;
    uint16_t inner, cluster;
} lt_algorithm;

#define TRY(expression)      TRY_AS(cublasStatus_t, expression)
#define VALID(condition)     REQUIRE(condition, CUBLAS_STATUS_INVALID_VALUE)
#define SUPPORTED(condition) REQUIRE(condition, CUBLAS_STATUS_NOT_SUPPORTED)

cublasStatus_t lt_check(cublasLtHandle_t handle);
cublasStatus_t lt_status(CUresult result);
bool lt_is_op(int32_t op);

/* Whether the product can be computed: CUBLAS_STATUS_INVALID_VALUE for shapes
 * that don't fit, CUBLAS_STATUS_NOT_SUPPORTED for types and orders. */
cublasStatus_t lt_matmul_check(const lt_matmul *m, const lt_layout *a,
                               const lt_layout *b, const lt_layout *c,
                               const lt_layout *d);

#endif
