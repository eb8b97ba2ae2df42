/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* control.cu - branches, loops and straight code; see problems/control.h. */
#include "device.h"
#include "problems/control.h"

template <uint32_t (*WORK)(uint32_t)>
__global__ void control_kernel(uint32_t *out, const uint32_t *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = WORK(in[i]);
}

template <uint32_t (*WORK)(uint32_t)>
static void run(const char *name, size_t full, size_t small, double ops)
{
    control c = control_create(full, small);
    device_array<uint32_t> in(control_input(&c), c.n), out(c.n);
    bench b = bench_start(name, 8.0 * c.n, ops * c.n);
    while (bench_next(&b)) {
        control_kernel<WORK><<<c.n / CONTROL_BLOCK, CONTROL_BLOCK>>>(out, in);
        device_wait();
    }
    bench_end(&b, control_check(&c, WORK, out.get()));
}

BENCH_MAIN({"branches",
            [] { run<control_branches>("branches", 1 << 20, 1 << 13, 0); }},
           {"divergent_loops",
            [] { run<control_loops>("divergent_loops", 1 << 20, 1 << 13, 0); }},
           {"straight_5000", [] {
                run<control_straight>("straight_5000", 1 << 18, 1 << 12,
                                      CONTROL_STEPS * CONTROL_STEP_OPS);
            }})
