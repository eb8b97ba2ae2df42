/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* conv2d.cu - a filter of 7 x 7: from a buffer, with coordinates clamped by
 * hand, and from a texture, which clamps them. */
#include "device.h"
#include "problems/conv2d.h"

enum { SIDE = CONV2D_SIDE, RADIUS = CONV2D_RADIUS, BLOCK = CONV2D_BLOCK };

__constant__ float weight[SIDE * SIDE];

__device__ void add(float4 *sum, float w, float4 p)
{
    sum->x += w * p.x;
    sum->y += w * p.y;
    sum->z += w * p.z;
    sum->w += w * p.w;
}

__global__ void conv2d_buf(float4 *out, const float4 *in, int n)
{
    int x = blockIdx.x * BLOCK + threadIdx.x;
    int y = blockIdx.y * BLOCK + threadIdx.y;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int j = 0; j < SIDE; j++) {
        int sy = min(max(y + j - RADIUS, 0), n - 1);
        for (int i = 0; i < SIDE; i++) {
            int sx = min(max(x + i - RADIUS, 0), n - 1);
            add(&sum, weight[j * SIDE + i], in[sy * n + sx]);
        }
    }
    out[y * n + x] = sum;
}

__global__ void conv2d_image(float4 *out, cudaTextureObject_t in, int n)
{
    int x = blockIdx.x * BLOCK + threadIdx.x;
    int y = blockIdx.y * BLOCK + threadIdx.y;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            add(&sum, weight[j * SIDE + i],
                tex2D<float4>(in, x + i - RADIUS + 0.5f,
                              y + j - RADIUS + 0.5f));
    out[y * n + x] = sum;
}

static bench start(const char *name, const conv2d *c)
{
    double pixels = (double)c->n * (double)c->n;
    CUDA(cudaMemcpyToSymbol(weight, c->weight, sizeof c->weight));
    return bench_start(name, 32.0 * pixels, 8.0 * SIDE * SIDE * pixels);
}

static void run_buf(void)
{
    conv2d c = conv2d_create();
    device_array<float4> in((const float4 *)c.in, c.n * c.n), out(c.n * c.n);
    bench b = start("conv2d_buf", &c);
    dim3 grid(c.n / BLOCK, c.n / BLOCK), block(BLOCK, BLOCK);
    while (bench_next(&b)) {
        conv2d_buf<<<grid, block>>>(out, in, (int)c.n);
        device_wait();
    }
    bench_end(&b, conv2d_check(&c, (const float *)out.get()));
}

static void run_image(void)
{
    conv2d c = conv2d_create();
    device_array<float4> out(c.n * c.n);
    device_texture<float4> in((const float4 *)c.in, c.n, c.n,
                              cudaFilterModePoint, cudaReadModeElementType);
    bench b = start("conv2d_image", &c);
    dim3 grid(c.n / BLOCK, c.n / BLOCK), block(BLOCK, BLOCK);
    while (bench_next(&b)) {
        conv2d_image<<<grid, block>>>(out, in.object, (int)c.n);
        device_wait();
    }
    bench_end(&b, conv2d_check(&c, (const float *)out.get()));
}

BENCH_MAIN({"conv2d_buf", run_buf}, {"conv2d_image", run_image})
