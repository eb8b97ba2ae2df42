/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT e4m3 72aa19fb, the host agrees
// expect: EXACT e5m2 e2659053, the host agrees
// expect: EXACT e8m0 2ee15967, the host agrees
// expect: EXACT e2m3 b6c78ba1, the host agrees
// expect: EXACT e3m2 ad191ccf, the host agrees
// expect: EXACT e2m1 ebe176d5, the host agrees
// expect: EXACT e4m3 x4: 1 2.25 -3 448, e5m2 x2: 0.3125 7
// expect: EXACT e2m1 x4: 0.5 1.5 -6 3 as 5f31, e3m2 x4 as 10022c1f
// expect: EXACT scale 2^(128-127) down, 2^(128-127) and 2^(129-127) up
// expect: EXACT raw halves 1.5 -2 2.5
// expect: EXACT volatile half 2.5
/* The formats of 4, 6 and 8 bits: every exponent of a float with several
 * mantissas, there and back; the digests are those of the vendor's headers. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <vector>

template <typename T>
__global__ void
there_and_back(const float *in, unsigned *bits, float *back, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T t(in[i]);
    bits[i] = t.__x;
    back[i] = (float)t;
}

template <typename T>
static void
digest(const char *name, const std::vector<float> &v)
{
    int n = (int)v.size();
    float *in, *back;
    unsigned *bits;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&back, n * sizeof(float));
    cudaMallocManaged(&bits, n * sizeof(unsigned));
    memcpy(in, v.data(), n * sizeof(float));
    there_and_back<T><<<(n + 127) / 128, 128>>>(in, bits, back, n);
    cudaDeviceSynchronize();
    unsigned sum = 0;
    bool same = true;
    for (int i = 0; i < n; i++) {
        T t(in[i]);
        float f = (float)t;
        unsigned word;
        memcpy(&word, back + i, 4);
        same = same && t.__x == bits[i] && memcmp(&f, back + i, 4) == 0;
        sum = (sum * 31 + bits[i]) * 31 + word;
    }
    printf("%s %08x, the host %s\n", name, sum, same ? "agrees" : "differs");
}

__global__ void
vectors(void)
{
    float4 a = (float4)__nv_fp8x4_e4m3(make_float4(1, 2.2f, -3, 500));
    __half2 b = (__half2)__nv_fp8x2_e5m2(make_float2(0.3f, 7));
    printf("e4m3 x4: %g %g %g %g, e5m2 x2: %g %g\n", a.x, a.y, a.z, a.w,
           __low2float(b), __high2float(b));
    __nv_fp4x4_e2m1 c(make_float4(0.5f, 1.6f, -9, 3));
    __nv_fp6x4_e3m2 d(make_float4(30, -1, 0.1f, 2));
    float4 e = (float4)c;
    printf("e2m1 x4: %g %g %g %g as %x, e3m2 x4 as %x\n", e.x, e.y, e.z, e.w,
           c.__x, d.__x);
    __nv_fp8x2_e8m0 up(make_float2(2, 3));
    printf("scale 2^(%d-127) down, 2^(%d-127) and 2^(%d-127) up\n",
           __nv_cvt_float_to_e8m0(3, __NV_SATFINITE, cudaRoundZero),
           up.__x & 255, up.__x >> 8);
    __half2_raw raw = {0x3e00, 0xc000};
    float2 wide = __internal_halfraw2_to_float2(raw);
    printf("raw halves %g %g %g\n", wide.x, wide.y,
           __internal_halfraw_to_float({0x4100}));
    volatile __half v = __half(2.5f);
    __half w = v;
    printf("volatile half %g\n", (float)w);
}

int
main()
{
    std::vector<float> v;
    for (int e = -140; e < 129; e++)
        for (int m = 0; m < 8; m++) {
            v.push_back(ldexpf(1 + m / 8.f, e));
            v.push_back(-ldexpf(1 + m / 8.f + 1e-6f, e));
        }
    for (int i = -600; i < 600; i++)
        v.push_back(i * 0.0625f);
    for (float f : {NAN, -NAN, INFINITY, -INFINITY, 0.f, -0.f})
        v.push_back(f);
    digest<__nv_fp8_e4m3>("e4m3", v);
    digest<__nv_fp8_e5m2>("e5m2", v);
    digest<__nv_fp8_e8m0>("e8m0", v);
    digest<__nv_fp6_e2m3>("e2m3", v);
    digest<__nv_fp6_e3m2>("e3m2", v);
    digest<__nv_fp4_e2m1>("e2m1", v);
    vectors<<<1, 1>>>();
    cudaDeviceSynchronize();
    return 0;
}
