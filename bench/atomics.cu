/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* atomics.cu - an atomic addition a thread, with four patterns of conflict. */
#include "device.h"
#include "problems/atomics.h"

__global__ void add_only(unsigned *counters, unsigned *, int shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counters[i >> shift], 1);
}

__global__ void add_and_read(unsigned *counters, unsigned *old, int shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    old[i] = atomicAdd(&counters[i >> shift], 1);
}

/* shared: threads a counter, 0 for all. */
template <bool READ> static void run(const char *name, size_t shared)
{
    atomics a = atomics_create(shared);
    device_array<unsigned> counters(a.n / a.shared), old(a.n);
    bench b = bench_start(name, 8.0 * counters.n + (READ ? 4.0 * a.n : 0), 0);
    int shift = __builtin_ctzll(a.shared);
    counters.zero();
    while (bench_next(&b)) {
        (READ ? add_and_read
              : add_only)<<<a.n / ATOMICS_BLOCK, ATOMICS_BLOCK>>>(counters, old,
                                                                  shift);
        device_wait();
    }
    bench_end(&b, atomics_check(&a, counters.get(), READ ? old.get() : NULL,
                                b.runs));
}

BENCH_MAIN({"atomic_none", [] { run<false>("atomic_none", 1); }},
           {"atomic_same", [] { run<false>("atomic_same", 0); }},
           {"atomic_warp", [] { run<false>("atomic_warp", ATOMICS_WARP); }},
           {"atomic_block", [] { run<false>("atomic_block", ATOMICS_BLOCK); }},
           {"atomic_none_read", [] { run<true>("atomic_none_read", 1); }},
           {"atomic_same_read", [] { run<true>("atomic_same_read", 0); }},
           {"atomic_warp_read",
            [] { run<true>("atomic_warp_read", ATOMICS_WARP); }},
           {"atomic_block_read",
            [] { run<true>("atomic_block_read", ATOMICS_BLOCK); }})
