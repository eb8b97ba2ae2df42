/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* nearest.cu - the nearest eight of a list, kept in order in each thread's own
 * memory. */
#include "device.h"
#include "problems/nearest.h"

__global__ void
nearest_8(const float *query, const float *item, float *out, int queries,
          int items)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    float best[NEAREST], x = query[q];
    for (int k = 0; k < NEAREST; k++)
        best[k] = INFINITY;
    for (int i = 0; i < items; i++) {
        float d = fabsf(item[i] - x);
        if (d >= best[NEAREST - 1])
            continue;
        int at = NEAREST - 1;
        for (; at > 0 && best[at - 1] > d; at--)
            best[at] = best[at - 1];
        best[at] = d;
    }
    for (int k = 0; k < NEAREST; k++)
        out[k * queries + q] = best[k];
}

static void
run(void)
{
    nearest x = nearest_create();
    device_array<float> query(x.query, x.queries), item(x.item, x.items);
    device_array<float> out(NEAREST * x.queries);
    bench b = bench_start("nearest_8", 0, 0);
    while (bench_next(&b)) {
        nearest_8<<<x.queries / NEAREST_BLOCK, NEAREST_BLOCK>>>(
            query, item, out, (int)x.queries, (int)x.items);
        device_wait();
    }
    bench_end(&b, nearest_check(&x, out.get()));
}

BENCH_MAIN({"nearest_8", run})
