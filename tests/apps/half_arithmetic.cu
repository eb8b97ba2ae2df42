/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT half: 0 wrong
// expect: EXACT bfloat16: 0 wrong
/* Sums, products, fused products and conversions of half and bfloat16 numbers,
 * against doubles rounded once on the host. */
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static const int N = 4096;

template <typename H, typename H2>
__global__ void
work(const H *x, const H *y, H *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    H a = x[i], b = y[i];
    H *out = r + 8 * i;
    out[0] = a + b;
    out[1] = a * b;
    out[2] = __hfma(a, b, a);
    out[3] = a / b;
    out[4] = __hmax(a, b);
    out[5] = a < b ? a : b;
    H2 p = __hadd2(H2(a, b), H2(b, b));
    out[6] = p.x;
    out[7] = __hfma2(H2(a, b), H2(b, a), H2(b, b)).y;
}

template <typename H>
static bool
same(H got, H want)
{
    unsigned short g = got.__x, w = want.__x;
    return g == w || (__hisnan(got) && __hisnan(want));
}

template <typename H, typename H2>
static int
count_wrong()
{
    static H x[N], y[N], r[8 * N];
    unsigned s = 12345;
    for (int i = 0; i < N; i++) {
        s = s * 1664525u + 1013904223u;
        x[i].__x = (unsigned short)(s >> 16);
        s = s * 1664525u + 1013904223u;
        /* about every second near the first */
        y[i].__x = (unsigned short)(i & 1 ? s >> 16 : x[i].__x ^ (s >> 20));
    }
    H *dx, *dy, *dr;
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof y);
    cudaMalloc(&dr, sizeof r);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    work<H, H2><<<N / 64, 64>>>(dx, dy, dr);
    if (cudaMemcpy(r, dr, sizeof r, cudaMemcpyDeviceToHost))
        return -1;
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        double a = (float)x[i], b = (float)y[i];
        H *got = r + 8 * i;
        bool ok = same(got[0], H(a + b)) && same(got[1], H(a * b)) &&
                  same(got[3], H(a / b)) && same(got[4], __hmax(x[i], y[i])) &&
                  same(got[5], a < b ? x[i] : y[i]) &&
                  same(got[6], H(a + b));
        /* a * b is exact in double; its sum may round twice, so be lenient
         * by one where the double is not exact */
        double f = __builtin_fma(a, b, a), g = __builtin_fma(a, b, b);
        ok = ok && (same(got[2], H(f)) ||
                    __builtin_fabs((float)got[2] - f) <=
                        __builtin_fabs((float)H(f) - f));
        ok = ok && (same(got[7], H(g)) ||
                    __builtin_fabs((float)got[7] - g) <=
                        __builtin_fabs((float)H(g) - g));
        if (!ok && wrong++ < 5)
            printf("%04x %04x: %04x %04x %04x %04x\n", x[i].__x, y[i].__x,
                   got[0].__x, got[1].__x, got[2].__x, got[3].__x);
    }
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dr);
    return wrong;
}

int
main()
{
    int h = count_wrong<__half, __half2>();
    printf("half: %d wrong\n", h);
    int b = count_wrong<__nv_bfloat16, __nv_bfloat162>();
    printf("bfloat16: %d wrong\n", b);
    return h != 0 || b != 0;
}
