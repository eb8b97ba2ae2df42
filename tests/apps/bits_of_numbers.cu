/* SPDX-License-Identifier: Apache-2.0 */
// cc: -std=c++14
// expect: EXACT right
/* <cuda/std/bit>, which is there before C++20: in kernels, on the host, and at
 * compile time. */
#include <cuda/std/bit>

#include "check.h"

namespace cs = cuda::std;

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned long long u64;

enum { RESULTS = 24 };

template <typename T>
__host__ __device__ void
all(T t, u64 *out)
{
    *out++ = (u64)cs::popcount(t);
    *out++ = (u64)cs::countl_zero(t);
    *out++ = (u64)cs::countl_one(t);
    *out++ = (u64)cs::countr_zero(t);
    *out++ = (u64)cs::countr_one(t);
    *out++ = (u64)cs::bit_width(t);
    *out++ = cs::has_single_bit(t);
    *out++ = (u64)cs::bit_floor(t);
    *out++ = (u64)cs::bit_ceil((T)(t / 2));
    *out++ = (u64)cs::byteswap(t);
    for (int count = -3; count <= 3; count++) {
        *out++ = (u64)cs::rotl(t, count);
        *out++ = (u64)cs::rotr(t, (int)sizeof(T) * 8 + count);
    }
}

template <typename T>
__global__ void
on_device(T t, u64 *out)
{
    all(t, out);
}

__global__ void
casts(float f, u64 *out)
{
    struct pair {
        unsigned x, y;
    };
    out[0] = cs::bit_cast<unsigned>(f);
    out[1] = cs::bit_cast<u64>(pair{1, 2});
    out[2] = cs::endian::native == cs::endian::little;
}

/* What a loop over the bits tells. */
template <typename T>
static void
by_hand(T t, u64 *out)
{
    int n = (int)sizeof(T) * 8, ones = 0, first = -1, last = -1;
    int lowest_zero = n, highest_zero = -1;
    for (int i = 0; i < n; i++) {
        bool set = t >> i & 1;
        ones += set;
        if (set && first < 0)
            first = i;
        if (set)
            last = i;
        else
            highest_zero = i;
        if (!set && lowest_zero == n)
            lowest_zero = i;
    }
    *out++ = (u64)ones;
    *out++ = (u64)(n - 1 - last);
    *out++ = (u64)(n - 1 - highest_zero);
    *out++ = (u64)(first < 0 ? n : first);
    *out++ = (u64)lowest_zero;
    *out++ = (u64)(last + 1);
    *out++ = ones == 1;
    *out++ = t ? (u64)(T)((T)1 << last) : 0;
    u64 up = 1;
    while (up < (u64)(T)(t / 2))
        up *= 2;
    *out++ = up;
    u64 swapped = 0;
    for (int i = 0; i < n; i += 8)
        swapped = swapped << 8 | (t >> i & 255);
    *out++ = swapped;
    for (int count = -3; count <= 3; count++)
        for (int side = 0; side < 2; side++) {
            T r = t;
            for (int i = 0; i < (side ? n + count : n - count) % n; i++)
                r = (T)(r >> 1 | (T)(r << (n - 1)));
            *out++ = r;
        }
}

template <typename T>
static void
compare(T t, u64 *device)
{
    u64 host[RESULTS], want[RESULTS];
    all(t, host);
    by_hand(t, want);
    on_device<<<1, 1>>>(t, device);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < RESULTS; i++) {
        MUST(host[i] == want[i]);
        MUST(device[i] == want[i]);
    }
}

static_assert(cs::popcount(0xf0u) == 4 && cs::bit_width(u8(9)) == 4, "");
static_assert(cs::bit_ceil(u16(300)) == 512 && cs::rotr(u8(1), 1) == 128, "");
static_assert(cs::countl_zero((unsigned __int128)1) == 127, "");
static_assert(cs::countr_zero((unsigned __int128)1 << 100) == 100, "");
static_assert(cs::bit_cast<unsigned>(1.0f) == 0x3f800000, "");
static_assert(cs::byteswap((short)0x1280) == (short)0x8012, "");

int
main()
{
    u64 *out;
    CK(cudaMallocManaged(&out, RESULTS * sizeof *out));
    const u64 values[] = {0,
                          1,
                          2,
                          0x55,
                          0x80,
                          0xff,
                          0x7fff,
                          0x8000,
                          0xffff,
                          0x7fffffff,
                          0x80000000,
                          ~0ull,
                          1ull << 63,
                          ~0ull >> 1,
                          0x123456789abcdef0,
                          0xf000000000000001};
    for (u64 v : values) {
        compare((u8)v, out);
        compare((u16)v, out);
        compare((unsigned)v, out);
        compare((unsigned long)v, out);
        compare(v, out);
    }
    casts<<<1, 1>>>(-2.5f, out);
    CK(cudaDeviceSynchronize());
    MUST(out[0] == 0xc0200000);
    MUST(out[1] == 0x200000001);
    MUST(out[2] == 1);
    puts("right");
}
