/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/*
 * Copies between arrays and memory: where an array takes part in one of three
 * dimensions, positions in memory are elements too; widths and offsets of the
 * others are bytes, whatever the elements; and which kinds go with them. All as
 * an H100 does it.
 */
#include "check.h"
#include <cstring>

enum { W = 16, H = 8 };

static unsigned host[W * H], got[W * H];

static void
positions(cudaArray_t array)
{
    cudaMemcpy3DParms p = {};
    memset(got, 0x77, sizeof got);
    CK(cudaMemcpy2DToArray(array, 0, 0, got, W * 4, W * 4, H,
                           cudaMemcpyHostToDevice));
    p.srcPtr = make_cudaPitchedPtr(host, W * 4, W, H);
    p.srcPos = make_cudaPos(3, 2, 0);
    p.dstArray = array;
    p.dstPos = make_cudaPos(4, 1, 0);
    p.extent = make_cudaExtent(5, 3, 1);
    p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
    CK(cudaMemcpy2DFromArray(got, W * 4, array, 0, 0, W * 4, H,
                             cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            bool in = x >= 4 && x < 9 && y >= 1 && y < 4;
            MUST(got[y * W + x] ==
                 (in ? host[(y + 1) * W + x - 1] : 0x77777777));
        }
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaMemcpy3DParms told;
    CK(cudaGraphCreate(&graph, 0));
    CK(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p));
    CK(cudaGraphMemcpyNodeGetParams(node, &told));
    MUST(told.srcPos.x == 3 && told.dstPos.x == 4 && told.extent.width == 5);
    cudaMemcpy3DParms q = {};
    memset(got, 0, sizeof got);
    q.srcArray = array;
    q.srcPos = make_cudaPos(4, 1, 0);
    q.dstPtr = make_cudaPitchedPtr(got, W * 4, W, H);
    q.dstPos = make_cudaPos(2, 0, 0);
    q.extent = make_cudaExtent(5, 3, 1);
    q.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&q));
    for (int i = 0; i < 5; i++)
        MUST(got[2 + i] == host[2 * W + 3 + i]);
    MUST(got[1] == 0 && got[7] == 0);
    q.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&q) == cudaErrorInvalidValue);
}

static void
bytes(cudaArray_t array)
{
    memset(got, 0, sizeof got);
    CK(cudaMemcpy2DToArray(array, 0, 0, got, W * 4, W * 4, H,
                           cudaMemcpyHostToDevice));
    CK(cudaMemcpy2DToArray(array, 2, 0, host, W * 4, 31, 2,
                           cudaMemcpyHostToDevice));
    CK(cudaMemcpy2DFromArray(got, W * 4, array, 0, 0, W * 4, H,
                             cudaMemcpyDeviceToHost));
    MUST(!memcmp((char *)got + 2, host, 31));
    MUST(!memcmp((char *)(got + W) + 2, host + W, 31));
    MUST(((char *)got)[33] == 0 && ((char *)got)[1] == 0);
}

int
main()
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
    for (int i = 0; i < W * H; i++)
        host[i] = 0x01020304u * (unsigned)(i + 1);
    CK(cudaMallocArray(&array, &format, W, H));
    positions(array);
    bytes(array);
    MUST(cudaMemcpy2DToArray(array, 0, 0, host, W * 4, W * 4, H,
                             cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidMemcpyDirection);
    MUST(cudaMemcpy2DFromArray(host, W * 4, array, 0, 0, W * 4, H,
                               cudaMemcpyHostToDevice) ==
         cudaErrorInvalidMemcpyDirection);
    MUST(cudaMemcpy2DArrayToArray(array, 0, 0, array, 0, 4, W * 4, 4,
                                  cudaMemcpyHostToDevice) ==
         cudaErrorInvalidMemcpyDirection);
    /* A pitch counts from the second row on. */
    MUST(cudaMemcpy2D(got, 16, host, 16, 24, 2, cudaMemcpyHostToHost) ==
         cudaErrorInvalidPitchValue);
    MUST(cudaMemcpy2D(got, 16, host, 16, 24, 1, cudaMemcpyHostToHost) ==
         cudaErrorInvalidValue);
    MUST(cudaMemcpy2D(got, 16, host, 16, 24, 0, cudaMemcpyHostToHost) ==
         cudaSuccess);
    printf("right\n");
    return 0;
}
