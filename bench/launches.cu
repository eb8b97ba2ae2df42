/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* launches.cu - kernels that do nothing: what a launch costs, and a block. */
#include "device.h"

enum { QUEUED = 100 };

__global__ void empty()
{
}

__global__ void count(unsigned long long *threads)
{
    atomicAdd(threads, 1);
}

/* The same launches, counting: as many threads as there should be. */
static void run(const char *name, int launches, unsigned blocks, unsigned block)
{
    device_array<unsigned long long> threads(1);
    unsigned long long want = (unsigned long long)launches * blocks * block;
    bench b = bench_start(name, 0, 0);
    while (bench_next(&b)) {
        for (int i = 0; i < launches; i++)
            empty<<<blocks, block>>>();
        device_wait();
    }
    threads.zero();
    for (int i = 0; i < launches; i++)
        count<<<blocks, block>>>(threads);
    device_wait();
    bench_end(&b, bench_same(threads.get(), &want, 1, sizeof want));
}

BENCH_MAIN({"empty", [] { run("empty", 1, 1, 64); }},
           {"launches_100", [] { run("launches_100", QUEUED, 1, 64); }},
           {"blocks_million", [] {
                run("blocks_million", 1, bench_size(1000000, 100000), 32);
            }})
