/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT counted 2016 63 1 9, float 32, bytes 16 16 16 16
// expect: EXACT the flag came: 42
// expect: EXACT 8 rounds of a barrier: right
// expect: EXACT dropped: 3 phases
// expect: EXACT a pipeline of 3 stages: right
// expect: EXACT producers and consumers: right
// expect: EXACT a pipeline of each thread: right
// expect: EXACT at most 2 of 64 at a time, then all: right
// expect: EXACT std: 10 2.5 6 4 5 6 3000
// expect: EXACT on the host: 12
/* The headers named cuda/...: atomics, barriers in shared memory, pipelines of
 * blocks and of roles, a latch, a semaphore. For sm_75, as is the default. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/numeric>
#include <cuda/std/tuple>
#include <new>

namespace cg = cooperative_groups;
constexpr auto block_scope = cuda::thread_scope_block;
constexpr auto device_scope = cuda::thread_scope_device;

__global__ void
count(float *sum, unsigned char *bytes)
{
    __shared__ cuda::atomic<int, block_scope> added;
    __shared__ cuda::atomic<unsigned, block_scope> most;
    if (threadIdx.x == 0) {
        new (&added) cuda::atomic<int, block_scope>(0);
        most.store(0);
    }
    __syncthreads();
    added.fetch_add((int)threadIdx.x, cuda::memory_order_relaxed);
    most.fetch_max(threadIdx.x);
    cuda::atomic_ref<float, device_scope>(*sum) += 0.5f;
    cuda::atomic_ref<unsigned char, device_scope>(bytes[threadIdx.x % 4])++;
    __syncthreads();
    if (threadIdx.x == 0) {
        int expected = 2016;
        bool done = added.compare_exchange_strong(expected, 9);
        printf("counted %d %u %d %d, float %g, bytes %d %d %d %d\n", expected,
               most.load(), (int)done, (int)added, *sum, bytes[0], bytes[1],
               bytes[2], bytes[3]);
    }
}

/* The second block waits for what the first one writes. */
__global__ void
hand_over(int *flag)
{
    cuda::atomic_ref<int, device_scope> shared(*flag);
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        shared.store(42, cuda::memory_order_release);
        shared.notify_all();
    } else {
        shared.wait(0);
        printf("the flag came: %d\n", shared.load());
    }
}

/* Rows of 64 come in by copies that the barrier waits for. */
__global__ void
rounds(const int *in, int *out)
{
    __shared__ cuda::barrier<block_scope> bar;
    __shared__ __align__(16) int row[64];
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    block.sync();
    for (int i = 0; i < 8; i++) {
        cuda::memcpy_async(block, row, in + i * 64,
                           cuda::aligned_size_t<16>(256), bar);
        bar.arrive_and_wait();
        out[i * 64 + threadIdx.x] = row[63 - threadIdx.x];
        auto token = bar.arrive();
        bar.wait(cuda::std::move(token));
    }
}

/* Every phase one thread fewer. */
__global__ void
drop()
{
    __shared__ cuda::barrier<block_scope> bar;
    __shared__ int phases;
    if (threadIdx.x == 0) {
        init(&bar, 3);
        phases = 0;
    }
    __syncthreads();
    for (unsigned i = 0; i < threadIdx.x; i++) {
        bar.arrive_and_wait();
        if (threadIdx.x == 2)
            phases++;
    }
    if (threadIdx.x < 2)
        bar.arrive_and_drop();
    else {
        bar.arrive_and_wait();
        printf("dropped: %d phases\n", phases + 1);
    }
}

template <int Stages>
__global__ void
stages(const int4 *in, int4 *out, int n)
{
    __shared__ int4 rows[Stages][64];
    __shared__ cuda::pipeline_shared_state<block_scope, Stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0, ahead = 0; i < n; i++) {
        for (; ahead < n && ahead < i + Stages; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, rows[ahead % Stages], in + ahead * 64,
                               sizeof(int4) * 64, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[i * 64 + threadIdx.x] = rows[i % Stages][63 - threadIdx.x];
        pipe.consumer_release();
    }
}

__global__ void
roles(const int *in, int *out, int n)
{
    __shared__ __align__(16) int rows[2][32];
    __shared__ cuda::pipeline_shared_state<block_scope, 2> state;
    auto block = cg::this_thread_block();
    bool puts = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state,
                                    puts ? cuda::pipeline_role::producer
                                         : cuda::pipeline_role::consumer);
    for (int i = 0; i < n; i++) {
        int lane = (int)threadIdx.x % 32;
        if (puts) {
            pipe.producer_acquire();
            cuda::memcpy_async(&rows[i % 2][lane], in + i * 32 + lane,
                               sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[i * 32 + lane] = rows[i % 2][31 - lane];
            pipe.consumer_release();
        }
    }
    pipe.quit();
}

__global__ void
alone(const int *in, int *out)
{
    __shared__ __align__(16) int row[64];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&row[threadIdx.x], &in[threadIdx.x], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    out[threadIdx.x] = row[63 - threadIdx.x];
    pipe.consumer_release();
}

__global__ void
few(void)
{
    __shared__ cuda::counting_semaphore<block_scope, 4> places;
    __shared__ cuda::latch<block_scope> left;
    __shared__ int inside, most;
    if (threadIdx.x == 0) {
        new (&places) cuda::counting_semaphore<block_scope, 4>(2);
        new (&left) cuda::latch<block_scope>(blockDim.x);
        inside = most = 0;
    }
    __syncthreads();
    places.acquire();
    atomicMax(&most, atomicAdd(&inside, 1) + 1);
    atomicSub(&inside, 1);
    places.release();
    left.arrive_and_wait();
    if (threadIdx.x == 0)
        printf("at most 2 of %d at a time, then all: %s\n", blockDim.x,
               most >= 1 && most <= 2 && inside == 0 ? "right" : "wrong");
}

__global__ void
host_library(void)
{
    namespace cs = cuda::std;
    cs::array<int, 4> a{4, 2, 3, 1};
    auto t = cs::make_tuple(1, 2.5f);
    int b = 5;
    cs::swap(a[0], b);
    printf("std: %d %g %d %d %d %d %d\n", a[1] + a[2] + a[3] + b, cs::get<1>(t),
           cs::gcd(12, 18), b, a[0], a[1] * a[2],
           (int)cs::chrono::duration_cast<cs::chrono::milliseconds>(
               cs::chrono::seconds(3))
               .count());
}

/* Whether rows of `width` came out reversed. */
static const char *
reversed(const int *in, const int *out, int width, int rows, int step)
{
    for (int i = 0; i < rows * width; i++) {
        int from = i / width * width + width - 1 - i % width;
        if (out[i * step] != in[from * step])
            return "wrong";
    }
    return "right";
}

int
main()
{
    int *in, *out;
    cudaMallocManaged(&in, 4096 * sizeof(int));
    cudaMallocManaged(&out, 4096 * sizeof(int));
    count<<<1, 64>>>((float *)in, (unsigned char *)(in + 1));
    hand_over<<<2, 32>>>(in + 2);
    cudaDeviceSynchronize();
    for (int i = 0; i < 4096; i++)
        in[i] = i * 3;

    rounds<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("8 rounds of a barrier: %s\n", reversed(in, out, 64, 8, 1));
    drop<<<1, 3>>>();
    stages<3><<<1, 64>>>((int4 *)in, (int4 *)out, 9);
    cudaDeviceSynchronize();
    printf("a pipeline of 3 stages: %s\n", reversed(in, out, 64, 9, 4));
    roles<<<1, 64>>>(in, out, 10);
    cudaDeviceSynchronize();
    printf("producers and consumers: %s\n", reversed(in, out, 32, 10, 1));
    alone<<<1, 64>>>(in, out);
    cudaDeviceSynchronize();
    printf("a pipeline of each thread: %s\n", reversed(in, out, 64, 1, 1));
    few<<<1, 64>>>();
    host_library<<<1, 1>>>();
    cudaDeviceSynchronize();

    cuda::atomic<int> host(5);
    host += 7;
    printf("on the host: %d\n", host.load());
    return 0;
}
