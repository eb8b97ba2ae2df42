/* SPDX-License-Identifier: Apache-2.0 */
/* batch_test.c - many copies by one call: of memory, and of boxes from and to
 * arrays. */
#include "api_help.h"

CASE(copies_in_a_batch)
{
    api_fixture f = api_begin();
    CUdeviceptr p;
    CUstream s;
    unsigned from[2] = {11, 22}, to[2] = {0};
    CHECK_EQ(cuMemAlloc(&p, 16), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CUmemcpyAttributes attrs[2];
    memset(attrs, 0, sizeof attrs);
    attrs[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    attrs[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    CUdeviceptr dst[2] = {p, p + 4},
                src[2] = {(CUdeviceptr)(uintptr_t)&from[0],
                          (CUdeviceptr)(uintptr_t)&from[1]};
    size_t sizes[2] = {4, 4}, begins[2] = {0, 1}, bad[2] = {0, 2};
#if CUDA_VERSION >= 13000
#define BATCH(begins, count, stream)                                           \
    cuMemcpyBatchAsync(dst, src, sizes, 2, attrs, begins, count, stream)
#else
    size_t failed;
#define BATCH(begins, count, stream)                                           \
    cuMemcpyBatchAsync(dst, src, sizes, 2, attrs, begins, count, &failed,      \
                       stream)
#endif
    CHECK_EQ(BATCH(begins, 2, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(to, p, 8), CUDA_SUCCESS);
    CHECK_EQ(to[0], 11);
    CHECK_EQ(to[1], 22);
    CHECK_EQ(BATCH(bad, 2, s), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(BATCH(begins, 3, s), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(BATCH(begins, 2, NULL), CUDA_ERROR_INVALID_VALUE);
    attrs[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    CHECK_EQ(BATCH(begins, 2, s), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}

static CUresult
boxes(CUDA_MEMCPY3D_BATCH_OP *ops, size_t count, CUstream s)
{
#if CUDA_VERSION >= 13000
    return cuMemcpy3DBatchAsync(count, ops, 0, s);
#else
    size_t failed;
    return cuMemcpy3DBatchAsync(count, ops, &failed, 0, s);
#endif
}

static CUmemcpy3DOperand
memory(CUdeviceptr p, size_t row, size_t rows)
{
    CUmemcpy3DOperand o;
    memset(&o, 0, sizeof o);
    o.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    o.op.ptr.ptr = p;
    o.op.ptr.rowLength = row;
    o.op.ptr.layerHeight = rows;
    return o;
}

static CUmemcpy3DOperand
part_of(CUarray array, size_t x, size_t y, size_t z)
{
    CUmemcpy3DOperand o;
    memset(&o, 0, sizeof o);
    o.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    o.op.array.array = array;
    o.op.array.offset.x = x;
    o.op.array.offset.y = y;
    o.op.array.offset.z = z;
    return o;
}

CASE(boxes_in_a_batch)
{
    enum { W = 4, H = 3, D = 2 };
    api_fixture f = api_begin();
    CUdeviceptr p;
    CUstream s;
    CUarray array;
    unsigned v[D][H][W], got[D][H][W];
    const CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = W,
                                          .Height = H,
                                          .Depth = D,
                                          .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                                          .NumChannels = 1};
    for (int i = 0; i < D * H * W; i++)
        (&v[0][0][0])[i] = (unsigned)i + 1;
    CHECK_EQ(cuMemAlloc(&p, sizeof v), CUDA_SUCCESS);
    CHECK_EQ(cuMemsetD8(p, 0, sizeof v), CUDA_SUCCESS);
    CHECK_EQ(cuArray3DCreate(&array, &desc), CUDA_SUCCESS);
    CHECK_EQ(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    CUDA_MEMCPY3D_BATCH_OP op[2];
    memset(op, 0, sizeof op);
    /* All of it into the array, tightly packed; then a box out of it, in
     * elements, to where it lies in memory of the same shape. */
    op[0].src = memory((CUdeviceptr)(uintptr_t)v, 0, 0);
    op[0].dst = part_of(array, 0, 0, 0);
    op[0].extent = (CUextent3D){W, H, D};
    op[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    CHECK_EQ(boxes(op, 1, s), CUDA_SUCCESS);
    op[1] = op[0];
    op[1].src = part_of(array, 1, 1, 0);
    op[1].dst = memory(p + 4 * (W + 1), W, H);
    op[1].extent = (CUextent3D){2, 2, D};
    CHECK_EQ(boxes(op, 2, s), CUDA_SUCCESS);
    CHECK_EQ(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK_EQ(cuMemcpyDtoH(got, p, sizeof got), CUDA_SUCCESS);
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                CHECK_EQ(got[z][y][x],
                         x >= 1 && x < 3 && y >= 1 ? v[z][y][x] : 0);
    op[1].dst = memory(p, 1, H); /* a row is longer */
    CHECK_EQ(boxes(op, 2, s), CUDA_ERROR_INVALID_VALUE);
    op[1].dst = memory(p, W, H);
    op[1].extent.depth = 0;
    CHECK_EQ(boxes(op, 2, s), CUDA_ERROR_INVALID_VALUE);
    op[1].extent.depth = 1;
    op[1].src.type = (CUmemcpy3DOperandType)7;
    CHECK_EQ(boxes(op, 2, s), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(boxes(op, 0, s), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(boxes(NULL, 1, s), CUDA_ERROR_INVALID_VALUE);
    CHECK_EQ(boxes(op, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    api_end(&f);
}
