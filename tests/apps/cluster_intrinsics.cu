/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
// device: H200
// expect: EXACT clusters: 221 0 211 0 41 41 1 1 11 0 0 0 221 100 211 0 41 42 2 1 11 0 0 0 221 0 211 100 41 41 1 1 11 0 0 0 221 100 211 100 41 42 2 1 11 0 0 0 221 10 211 0 41 43 3 1 11 0 0 0 221 110 211 0 41 40 0 1 11 0 0 0 221 10 211 100 41 43 3 1 11 0 0 0 221 110 211 100 41 40 0 1 11 0 0 0
// expect: EXACT alone: 1110 0 1 1110 100 1
// expect: EXACT parameters: 0 42
// expect: EXACT sums: 128 64 8128 0 128 256 384 640 128 0 0 -128
// expect: EXACT halves: 2147418113 0 2147483653 11 2147549183 11 2147549182 10 872 1099 255000 60476
// expect: EXACT cudaSuccess
/* What the language has for clusters without the groups, of parameters that
 * stay where they are, and sums of vectors; as an H100 answers. But not which
 * halves came from the first operand (__vibmax_s16x2): its assembler makes
 * something else of that than the manual and the PTX say. */
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ unsigned
packed(dim3 v)
{
    return v.x * 100 + v.y * 10 + v.z;
}

__global__ void __cluster_dims__(2, 2, 1) shapes(unsigned *out)
{
    __shared__ unsigned word;
    unsigned rank = __clusterRelativeBlockRank();
    word = 40 + rank;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    unsigned *next = (unsigned *)__cluster_map_shared_rank(&word, (rank + 1) % 4);
    unsigned *o = out + (blockIdx.y * gridDim.x + blockIdx.x) * 12;
    o[0] = packed(__clusterDim());
    o[1] = packed(__clusterRelativeBlockIdx());
    o[2] = packed(__clusterGridDimInClusters());
    o[3] = packed(__clusterIdx());
    o[4] = __clusterSizeInBlocks() * 10 + __clusterDimIsSpecified();
    o[5] = *next;
    o[6] = __cluster_query_shared_rank(next);
    o[7] = __isCtaShared(next) * 10 + __isClusterShared(next);
    o[8] = __isCtaShared(&word) * 10 + __isClusterShared(&word);
    o[9] = __isCtaShared(out) * 10 + __isClusterShared(out);
    __threadfence_cluster();
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
}

__global__ void
alone(unsigned *out)
{
    unsigned *o = out + blockIdx.x * 3;
    o[0] = packed(__clusterDim()) * 10 + __clusterDimIsSpecified();
    o[1] = packed(__clusterIdx());
    o[2] = __clusterSizeInBlocks();
}

struct numbers {
    int n[4];
};

__global__ void
parameters(const __grid_constant__ numbers in, int *out)
{
    size_t raw = __cvta_generic_to_grid_constant(&in.n[2]);
    out[0] = __isGridConstant(out) != 0;
    out[1] = *(const int *)__cvta_grid_constant_to_generic(raw);
}

__global__ void
sums(float2 *two, float4 *four)
{
    atomicAdd(two, make_float2(1, 0.5f));
    atomicAdd_block(four, make_float4(1, 2, 3, 4));
    atomicAdd_system(four, make_float4(0, 0, 0, 1));
    float4 old = atomicAdd(four + 1, make_float4(1, 0, 0, -1));
    atomicAdd(&two[1].x, old.x);
}

__global__ void
halves(unsigned *out)
{
    bool high, low;
    out[0] = __vibmax_s16x2(0x8000ffffu, 0x7fff0001u, &high, &low);
    out[1] = high * 10 + low;
    out[2] = __vibmin_s16x2(0x80000005u, 0x7fff0005u, &high, &low);
    out[3] = high * 10 + low;
    out[4] = __vibmax_u16x2(0x8000ffffu, 0x7fff0001u, &high, &low);
    out[5] = high * 10 + low;
    out[6] = __vibmin_u16x2(0x8000ffffu, 0x8000fffeu, &high, &low);
    out[7] = high * 10 + low;
    out[8] = (unsigned)(__half2char_rz(__float2half(-200.5f)) + 1000);
    out[9] = (unsigned)(__half2char_rz(__float2half(99.9f)) + 1000);
    out[10] = __half2uchar_rz(__float2half(300.f)) * 1000u +
              __half2uchar_rz(__float2half(-1.f));
    __nv_bfloat162_raw pair;
    pair.x = 0x3fc0; /* 1.5 */
    pair.y = 0xc2c8; /* -100 */
    out[11] = __nv_cvt_bfloat16raw2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3);
}

int
main()
{
    unsigned *d, h[96];
    numbers in = {{1, 2, 42, 4}};
    cudaMalloc(&d, sizeof h);
    auto say = [&](const char *what, int n, bool is_float) {
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        printf("%s:", what);
        for (int i = 0; i < n; i++)
            if (is_float)
                printf(" %g", ((float *)h)[i]);
            else
                printf(" %u", h[i]);
        printf("\n");
        cudaMemset(d, 0, sizeof h);
    };
    cudaMemset(d, 0, sizeof h);
    shapes<<<dim3(4, 2), 1>>>(d);
    say("clusters", 96, false);
    alone<<<2, 1>>>(d);
    say("alone", 6, false);
    parameters<<<1, 1>>>(in, (int *)d);
    say("parameters", 2, false);
    sums<<<2, 64>>>((float2 *)d, (float4 *)d + 1);
    say("sums", 12, true);
    halves<<<1, 1>>>(d);
    say("halves", 12, false);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    return e != cudaSuccess;
}
// check: race-global (two blocks with the scope of one)
