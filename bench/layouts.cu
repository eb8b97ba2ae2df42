/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* layouts.cu - arrays of structures, and runs of an array, one for each thread:
 * what tutorials warn of, as neighbours do not read side by side. */
#include "device.h"
#include "problems/layouts.h"

__global__ void particles(particle *all, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particle p = all[i];
    p.x += p.vx;
    p.y += p.vy;
    p.z += p.vz;
    all[i] = p;
}

__global__ void runs(const float *in, float *out, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < length; k++) {
        sum += in[i * length + k];
        out[i * length + k] = sum;
    }
}

static void run_particles(void)
{
    layouts l = layouts_create(true);
    device_array<particle> all((const particle *)l.v, l.n);
    bench b = bench_start("particles", 2.0 * sizeof(particle) * l.n, 3.0 * l.n);
    while (bench_next(&b)) {
        particles<<<l.n / LAYOUTS_BLOCK, LAYOUTS_BLOCK>>>(all, (int)l.n);
        device_wait();
    }
    bench_end(&b, layouts_check_particles(&l, all.get(), b.runs));
}

static void run_runs(void)
{
    layouts l = layouts_create(false);
    device_array<float> in(l.v, l.n), out(l.n);
    bench b = bench_start("runs", 8.0 * l.n, l.n);
    while (bench_next(&b)) {
        runs<<<l.n / LAYOUTS_RUN / LAYOUTS_BLOCK, LAYOUTS_BLOCK>>>(in, out,
                                                                   LAYOUTS_RUN);
        device_wait();
    }
    bench_end(&b, layouts_check_sums(&l, out.get()));
}

BENCH_MAIN({"particles", run_particles}, {"runs", run_runs})
