/* SPDX-License-Identifier: Apache-2.0 */
// cc: -std=c++17 -arch=sm_90
// expect: EXACT right
/* What <cuda/...> has beyond synchronisation: spans, arrays of several
 * dimensions, variants, annotated pointers, bulk copies that a barrier counts;
 * and alignas in all places that nvcc takes it in. */
#include <cuda/annotated_ptr>
#include <cuda/barrier>
#include <cuda/std/mdspan>
#include <cuda/std/span>
#include <cuda/std/variant>
#include <new>

#include "check.h"

namespace cs = cuda::std;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

using view = cs::mdspan<float, cs::dextents<int, 2>>;
using tile = cs::mdspan<float, cs::extents<int, 3, 5>, cs::layout_left>;

__global__ void
views(cs::span<int> numbers, view rows, tile columns)
{
    unsigned i = threadIdx.x;
    if (i < numbers.size())
        numbers[i] += (int)i;
    __syncthreads();
    if (i == 0) {
        int sum = 0;
        for (int n : numbers.subspan(2, 3))
            sum += n;
        numbers.back() = sum;
    }
    if ((int)i < rows.extent(0))
        for (int j = 0; j < rows.extent(1); j++)
            columns(i, j) = 2 * rows(i, j);
}

struct circle {
    float radius;
};
struct box {
    float width, height;
};
using shape = cs::variant<circle, box, int>;
struct area {
    __host__ __device__ float operator()(const circle &c) const
    {
        return 3 * c.radius * c.radius;
    }
    __host__ __device__ float operator()(const box &b) const
    {
        return b.width * b.height;
    }
    __host__ __device__ float operator()(int n) const
    {
        return (float)n;
    }
};
struct sizes {
    template <typename A, typename B>
    __device__ float operator()(const A &, const B &) const
    {
        return sizeof(A) * 100 + sizeof(B);
    }
};

__global__ void
shapes(shape *s, float *out)
{
    unsigned i = threadIdx.x;
    float x = (float)i;
    if (i % 3 == 0)
        s[i] = circle{x};
    else if (i % 3 == 1)
        s[i].emplace<box>(box{x, 2});
    else
        s[i] = (int)i;
    out[i] = cs::visit(area(), s[i]);
    if (cs::holds_alternative<int>(s[i]))
        out[i] += (float)cs::get<int>(s[i]);
    if (const circle *c = cs::get_if<circle>(&s[i]))
        out[i] += c->radius;
    __syncthreads();
    if (i == 0)
        out[0] = cs::visit(sizes(), s[0], s[1]);
}

__device__ alignas(128) int apart[4];
template <typename... T> struct room {
    alignas(T...) unsigned char bytes[16];
};
static_assert(alignof(room<char, double, int>) == 8, "the largest");

__global__ void
bulk(cuda::annotated_ptr<int, cuda::access_property::streaming> data)
{
    namespace cde = cuda::device::experimental;
    __shared__ char odd;
    __shared__ alignas(128) int s[256];
    __shared__ block_barrier ready;
    if (threadIdx.x == 0) {
        odd = 1;
        init(&ready, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_global_to_shared(s, data.get(), sizeof s, ready);
        token = cuda::device::barrier_arrive_tx(ready, 1, sizeof s);
    } else {
        token = ready.arrive();
    }
    ready.wait(std::move(token));
    s[threadIdx.x] += odd + (int)((size_t)s % 128 + (size_t)apart % 128);
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_shared_to_global(data.get(), s, sizeof s);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

int
main()
{
    int *n;
    float *f;
    shape *s;
    CK(cudaMallocManaged(&n, 256 * sizeof *n));
    CK(cudaMallocManaged(&f, 32 * sizeof *f));
    CK(cudaMallocManaged(&s, 32 * sizeof *s));
    for (int i = 0; i < 256; i++)
        n[i] = i;
    for (int i = 0; i < 32; i++) {
        f[i] = (float)i;
        new (&s[i]) shape();
    }
    views<<<1, 32>>>(cs::span<int>(n, 10), view(f, 3, 5), tile(f + 15));
    CK(cudaDeviceSynchronize());
    MUST(n[5] == 10 && n[9] == 4 + 6 + 8);
    for (int i = 0; i < 15; i++)
        MUST(f[15 + i % 5 * 3 + i / 5] == 2.0f * (float)i);

    shapes<<<1, 32>>>(s, f);
    CK(cudaDeviceSynchronize());
    MUST(f[0] == 408 && f[3] == 30 && f[4] == 8 && f[5] == 10);
    MUST(s[5].index() == 2 && cs::visit(area(), s[4]) == 8);

    n[9] = 9;
    bulk<<<1, 256>>>(
        cuda::annotated_ptr<int, cuda::access_property::streaming>(n));
    CK(cudaDeviceSynchronize());
    MUST(n[9] == 10 && n[255] == 256);
    puts("right");
}
