/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* launches.cu - kernels that do nothing, or little, one after another: what a
 * launch costs, and a block. */
#include "device.h"
#include "problems/rows.h"

enum { QUEUED = 100 };

__global__ void
empty()
{
}

__global__ void
empty_too()
{
}

__global__ void
count(unsigned long long *threads)
{
    atomicAdd(threads, 1);
}

/* The same launches, counting: as many threads as there should be. */
static void
run(const char *name, int launches, unsigned blocks, unsigned block)
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

__global__ void
little(uint32_t *x)
{
    unsigned i = blockIdx.x * ROWS_BLOCK + threadIdx.x;
    x[i] = rows_step(x[i]);
}

static void
launch_rows(uint32_t *x, unsigned blocks)
{
    for (int i = 0; i < ROWS_LAUNCHES; i++)
        little<<<blocks, ROWS_BLOCK>>>(x);
    device_wait();
}

/* Two kernels in turn, of blocks of two sizes. */
static void
run_turns(const char *name)
{
    device_array<unsigned long long> threads(1);
    unsigned long long want = QUEUED / 2 * (64 + 128);
    bench b = bench_start(name, 0, 0);
    while (bench_next(&b)) {
        for (int i = 0; i < QUEUED; i += 2) {
            empty<<<1, 64>>>();
            empty_too<<<1, 128>>>();
        }
        device_wait();
    }
    threads.zero();
    for (int i = 0; i < QUEUED; i++)
        count<<<1, i % 2 ? 128 : 64>>>(threads);
    device_wait();
    bench_end(&b, bench_same(threads.get(), &want, 1, sizeof want));
}

static void
run_rows(const char *name, unsigned blocks)
{
    rows r = rows_create(blocks);
    device_array<uint32_t> x(r.first, r.n);
    bench b = bench_start(name, 0, 0);
    while (bench_next(&b))
        launch_rows(x, blocks);
    device_array<uint32_t> y(r.first, r.n);
    launch_rows(y, blocks);
    bench_end(&b, rows_check(&r, y.get()));
}

BENCH_MAIN({"empty", [] { run("empty", 1, 1, 64); }},
           {"launches_100", [] { run("launches_100", QUEUED, 1, 64); }},
           {"launches_turns", [] { run_turns("launches_turns"); }},
           {"blocks_million",
            [] { run("blocks_million", 1, bench_size(1000000, 100000), 32); }},
           {"rows_16", [] { run_rows("rows_16", 16); }},
           {"rows_256", [] { run_rows("rows_256", 256); }})
