/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 90 9 2 1 32 64
// expect: EXACT 4 4 12 8 8 5 6 64 32
/* cuda/functional, cuda/cmath and nvtx3.hpp: on both sides, and at compile
 * time. */
#include <cstdio>
#include <cuda/cmath>
#include <cuda/functional>
#include <nvtx3/nvtx3.hpp>
#include <utility>
#ifndef NVTX3_CPP_DEFINITIONS_V1_0
#error libraries that ask for it find no namespace v1
#endif

struct my_domain {
    static constexpr const char *name = "mine";
};

template <typename F>
__global__ void
sum_of(F f, int n, int *out)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i);
    out[0] = sum;
    out[1] = cuda::maximum<>()(n - 1, 4);
    out[2] = cuda::minimum<int>()(n, 2);
    out[3] = cuda::is_power_of_two(64);
    out[4] = cuda::round_up(n + 20, 8);
    out[5] = cuda::next_power_of_two(n + 30);
}

int
main()
{
    NVTX3_FUNC_RANGE_IN(my_domain);
    nvtx3::scoped_range all{"all", nvtx3::rgb{1, 2, 3}, nvtx3::payload{7}};
    nvtx3::mark_in<my_domain>("here");
    static const nvtx3::v1::registered_string_in<my_domain> name{"scope"};
    static const nvtx3::v1::event_attributes attributes{name};
    nvtx3::v1::scoped_range_in<my_domain> scope{attributes};
    auto range = nvtx3::start_range("copy");
    auto twice =
        cuda::proclaim_return_type<int>([] __device__(int x) { return 2 * x; });
    static_assert(std::is_same<decltype(twice(1)), int>::value, "");
    static_assert(cuda::ceil_div(7, 2) == 4, "");
    int *out, got[6];
    cudaMalloc(&out, sizeof got);
    sum_of<<<1, 1>>>(twice, 10, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    nvtx3::end_range(range);
    printf("%d %d %d %d %d %d\n", got[0], got[1], got[2], got[3], got[4],
           got[5]);
    printf("%d %d %d %d %d %d %d %d %d\n", cuda::ceil_div(13, 4),
           cuda::ceil_div(16, 4), cuda::round_up(9, 4), cuda::round_down(9, 4),
           cuda::maximum<long>()(3, 8) == 8 ? 8 : 0, cuda::ilog2(63),
           cuda::ceil_ilog2(33), cuda::next_power_of_two(33),
           cuda::prev_power_of_two(63));
    return 0;
}
