/* SPDX-License-Identifier: Apache-2.0 */
// cc: -std=c++17 -arch=sm_90
// expect: EXACT right
/*
 * Functions of all halves and bfloats, conversions to small integers and of
 * what is no number, by sums of all bits; the numbers are an H100's with the
 * vendor's headers.
 */
#include "check.h"
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

#define FUNCTIONS(X)                                                           \
    X(hsqrt)                                                                   \
    X(hrsqrt) X(hrcp) X(hlog) X(hlog2) X(hlog10) X(hexp) X(hexp2) X(hexp10)    \
        X(hsin) X(hcos) X(htanh) X(htanh_approx) X(hrint) X(__hneg) X(__habs)  \
            X((unsigned char)) X((signed char)) X((short))

template <class T>
__device__ uint32_t
bits(T v)
{
    uint32_t u = 0;
    memcpy(&u, &v, sizeof v);
    return u;
}

template <class H>
__global__ void
all(uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    uint16_t u = (uint16_t)i;
    H h;
    memcpy(&h, &u, sizeof h);
#define ONE(f) out[k++ << 16 | i] = bits(f(h));
    FUNCTIONS(ONE)
    out[k++ << 16 | i] = bits(H(__longlong_as_double((long long)i << 48 | i)));
}

__global__ void
more(uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    float f = __uint_as_float(i << 16 | 0x1234);
    out[i] = bits(__float2half_rz(f)) + bits(__float2half_ru(f)) * 3 +
             bits(__float2half_rd(f)) * 5;
    uint64_t x = ~(uint64_t)0 << 40 | (uint64_t)i << 20 | 1;
    out[1 << 16 | i] = bits(__ull2bfloat16_rz(x)) +
                       bits(__ll2bfloat16_ru((int64_t)x)) * 3 +
                       bits(__ull2bfloat16_rd(x)) * 5;
    __half2 h = __half2(__half(1.f), __half(2.f));
    h++;
    --h;
    ++h;
    out[2 << 16 | i] = bits(h);
}

static std::vector<uint32_t>
sums(const uint32_t *device, int n)
{
    std::vector<uint32_t> v((size_t)n << 16), s;
    CK(cudaMemcpy(v.data(), device, v.size() * 4, cudaMemcpyDeviceToHost));
    for (int k = 0; k < n; k++) {
        uint32_t sum = 0;
        for (int i = 0; i < 1 << 16; i++)
            sum = (sum ^ v[(size_t)k << 16 | i]) * 16777619u, sum ^= sum >> 15;
        s.push_back(sum);
    }
    return s;
}

static int wrong;

static void
compare(const char *what, const std::vector<uint32_t> &got,
        const uint32_t *expected)
{
    for (size_t k = 0; k < got.size(); k++)
        if (got[k] != expected[k]) {
            printf("%s %d: %#x, not %#x\n", what, (int)k, got[k], expected[k]);
            wrong++;
        }
}

int
main()
{
    enum { N = 20 };
    static const uint32_t halves[N] = {0xb065971b, 0x68aaf316, 0x6e00dc24,
                                       0x69b41d7c, 0x60712f54, 0xad0537d4,
                                       0x64b746f4, 0x7d23bcad, 0x77fc8085,
                                       0xf305d827, 0xc9040107, 0x7b2cd01c,
                                       0x66247110, 0xc1dc6851, 0x2ffb91ba,
                                       0x5eb53afd, 0x844d87dd, 0x4144403b,
                                       0x90c3dd28, 0xd026196a},
                          bfloats[N] = {0xd9de8232, 0x19e40193, 0x48477bdf,
                                        0xb9c8211f, 0xa1ea6437, 0x3c2958f3,
                                        0xe02faecb, 0x2a974b16, 0xa5e9b072,
                                        0xfd17350f, 0xdf9f74b8, 0x326455fc,
                                        0x1350c2e1, 0x284efec1, 0xddbee625,
                                        0xac6600ce, 0x81e6af66, 0x8c6bb224,
                                        0xebb35cde, 0x1dfad243},
                          others[3] = {0xcecdfa83, 0x17447f97, 0x10c641d5};
    uint32_t *out;
    CK(cudaMalloc(&out, N * 4 << 16));
    all<__half><<<256, 256>>>(out);
    compare("half", sums(out, N), halves);
    all<__nv_bfloat16><<<256, 256>>>(out);
    compare("bfloat", sums(out, N), bfloats);
    more<<<256, 256>>>(out);
    compare("more", sums(out, 3), others);
    printf(wrong ? "wrong\n" : "right\n");
    return 0;
}
