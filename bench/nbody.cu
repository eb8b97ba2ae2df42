/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* nbody.cu - accelerations among bodies, which a block reads through tiles in
 * shared memory. */
#include "device.h"
#include "problems/nbody.h"

__global__ void nbody_kernel(float4 *out, const float4 *bodies, int n)
{
    __shared__ float4 tile[NBODY_BLOCK];
    float4 me = bodies[blockIdx.x * NBODY_BLOCK + threadIdx.x];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += NBODY_BLOCK) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < NBODY_BLOCK; j++) {
            float4 p = tile[j];
            float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + NBODY_SOFTENING;
            float inverse = rsqrtf(r2);
            float s = p.w * inverse * inverse * inverse;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    out[blockIdx.x * NBODY_BLOCK + threadIdx.x] = make_float4(ax, ay, az, 0);
}

static void run(void)
{
    nbody n = nbody_create();
    device_array<float4> bodies((const float4 *)n.bodies, n.n), out(n.n);
    bench b = bench_start("nbody", 32.0 * n.n, n.flops);
    while (bench_next(&b)) {
        nbody_kernel<<<n.n / NBODY_BLOCK, NBODY_BLOCK>>>(out, bodies,
                                                         (int)n.n);
        device_wait();
    }
    bench_end(&b, nbody_check(&n, (const float *)out.get()));
}

BENCH_MAIN({"nbody", run})
