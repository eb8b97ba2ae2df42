/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* bilinear.cu - an image turned; a texture mixes the pixels. */
#include "device.h"
#include "problems/bilinear.h"

__device__ unsigned char byte_of(float v)
{
    return (unsigned char)(v * 255 + 0.5f);
}

__global__ void img_bilinear(uchar4 *out, cudaTextureObject_t in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float half = n * 0.5f, dx = x + 0.5f - half, dy = y + 0.5f - half;
    float4 v =
        tex2D<float4>(in, BILINEAR_COS * dx - BILINEAR_SIN * dy + half,
                      BILINEAR_SIN * dx + BILINEAR_COS * dy + half);
    out[y * n + x] = make_uchar4(byte_of(v.x), byte_of(v.y), byte_of(v.z),
                                 byte_of(v.w));
}

static void run(void)
{
    bilinear i = bilinear_create();
    device_array<uchar4> out(i.n * i.n);
    device_texture<uchar4> in((const uchar4 *)i.in, i.n, i.n,
                              cudaFilterModeLinear,
                              cudaReadModeNormalizedFloat);
    bench b = bench_start("img_bilinear", 8.0 * i.n * i.n, 0);
    dim3 block(BILINEAR_BLOCK, BILINEAR_BLOCK);
    dim3 grid(i.n / block.x, i.n / block.y);
    while (bench_next(&b)) {
        img_bilinear<<<grid, block>>>(out, in.object, (int)i.n);
        device_wait();
    }
    bench_end(&b, bilinear_check(&i, (const unsigned char *)out.get()));
}

BENCH_MAIN({"img_bilinear", run})
