/* SPDX-License-Identifier: Apache-2.0 */
// device: GeForce GTX 280
// expect: EXACT a * b + c: truncated
// expect: EXACT 20 functions, 0 failed
/* With the floating point of a GTX 280: products of sums are truncated, and the
 * math library keeps the bounds that the OpenCL guide for CUDA 2.3 gives for
 * 1.x, table C-1. What fma is needed for has to be told from what is not. */
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 4096 };

/* FUNCTION(name, exact, bound in ulp, lo, hi): of x from lo to hi. */
#define FUNCTIONS(FUNCTION)                                                    \
    FUNCTION(sinf, sinl(x), 2, -200, 200)                                      \
    FUNCTION(cosf, cosl(x), 2, -200, 200)                                      \
    FUNCTION(tanf, tanl(x), 4, -200, 200)                                      \
    FUNCTION(asinf, asinl(x), 4, -1, 1)                                        \
    FUNCTION(acosf, acosl(x), 3, -1, 1)                                        \
    FUNCTION(atanf, atanl(x), 2, -50, 50)                                      \
    FUNCTION(sinhf, sinhl(x), 3, -50, 50)                                      \
    FUNCTION(coshf, coshl(x), 2, -50, 50)                                      \
    FUNCTION(tanhf, tanhl(x), 2, -5, 5)                                        \
    FUNCTION(expf, expl(x), 2, -80, 80)                                        \
    FUNCTION(exp10f, powl(10, x), 2, -30, 30)                                  \
    FUNCTION(logf, logl(x), 1, 1e-3, 1e3)                                      \
    FUNCTION(log2f, log2l(x), 3, 1e-3, 1e3)                                    \
    FUNCTION(cbrtf, cbrtl(x), 1, -100, 100)                                    \
    FUNCTION(erff, erfl(x), 3, -3, 3)                                          \
    FUNCTION(erfcf, erfcl(x), 8, -3, 8)                                        \
    FUNCTION(lgammaf, lgammal(x), 6, 3, 100)                                   \
    FUNCTION(tgammaf, tgammal(x), 11, 0.5, 30)                                 \
    FUNCTION(powf, powl(x, y), 8, 0.1, 10)                                     \
    FUNCTION(fmodf, fmodl(x, y), 0, -1e6, 1e6)

__device__ float
call(float (*f)(float), float x, float y)
{
    (void)y;
    return f(x);
}

__device__ float
call(float (*f)(float, float), float x, float y)
{
    return f(x, y);
}

#define APPLY(name, exact, bound, lo, hi)                                      \
    __global__ void k_##name(const float *x, const float *y, float *r)         \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
        r[i] = call(name, x[i], y[i]);                                         \
    }
FUNCTIONS(APPLY)

__global__ void
product_and_sum(float *r, float a, float b, float c)
{
    *r = a * b + c;
}

/* By how many last digits `got` is off. */
static double
ulps(float got, long double want)
{
    float near = (float)want, up = nextafterf(fabsf(near), INFINITY);
    if (fabsf(near) < 0x1p-126f) /* is flushed */
        return fabsf(got) < 0x1p-126f ? 0 : INFINITY;
    return std::isinf(near)
               ? (got == near ? 0 : INFINITY)
               : (double)fabsl((long double)(got - near) / (up - fabsf(near)));
}

static float xs[N], ys[N], rs[N];
static int functions, failed;

static void
fill(double lo, double hi)
{
    for (int i = 0; i < N; i++) {
        xs[i] = (float)(lo + (hi - lo) * (i + 0.5) / N);
        ys[i] = (float)((i * 37 % N - N / 2 + 0.5) * 40 / N);
    }
}

static void
say(const char *name, double worst, double bound)
{
    functions++;
    failed += worst > bound;
    if (worst > bound)
        printf("%s: %g ulp, may be %g\n", name, worst, bound);
}

int
main()
{
    float *x, *y, *r;
    if (cudaMalloc(&x, sizeof xs) || cudaMalloc(&y, sizeof ys) ||
        cudaMalloc(&r, sizeof rs))
        return 1;
    product_and_sum<<<1, 1>>>(r, 1 + 0x1p-12f, 1 + 3 * 0x1p-12f, -1 - 0x1p-10f);
    cudaMemcpy(rs, r, sizeof *rs, cudaMemcpyDeviceToHost);
    printf("a * b + c: %s\n", rs[0] == 0x1p-23f       ? "truncated"
                              : rs[0] == 3 * 0x1p-24f ? "fused"
                                                      : "wrong");
#define CHECK(name, exact, bound, lo, hi)                                      \
    {                                                                          \
        double worst = 0;                                                      \
        fill(lo, hi);                                                          \
        cudaMemcpy(x, xs, sizeof xs, cudaMemcpyHostToDevice);                  \
        cudaMemcpy(y, ys, sizeof ys, cudaMemcpyHostToDevice);                  \
        k_##name<<<N / 128, 128>>>(x, y, r);                                   \
        cudaMemcpy(rs, r, sizeof rs, cudaMemcpyDeviceToHost);                  \
        for (int i = 0; i < N; i++) {                                          \
            long double x = xs[i], y = ys[i];                                  \
            (void)y;                                                           \
            worst = fmax(worst, ulps(rs[i], exact));                           \
        }                                                                      \
        say(#name, worst, bound);                                              \
    }
    FUNCTIONS(CHECK)
    printf("%d functions, %d failed\n", functions, failed);
    return failed != 0;
}
