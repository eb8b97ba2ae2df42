/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 101 functions, 0 failed
/* Every function of the math library in float and double against the host's
 * long double, within the bounds CUDA gives. */
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>

static const int N = 1024;
static int functions, failed;

/* Arguments spread over [lo, hi], every second one logarithmically. */
template <typename T>
static void
fill(T *x, double lo, double hi)
{
    for (int i = 0; i < N; i++) {
        double t = (i + 0.5) / N;
        x[i] = (T)(lo + (hi - lo) * t);
        if (i % 2 && lo >= 0)
            x[i] = (T)((lo > 1e-6 ? lo : 1e-6) *
                       pow(hi / (lo > 1e-6 ? lo : 1e-6), t));
    }
}

template <typename T>
static double
ulps(T got, long double want)
{
    if (got != got || want != want)
        return got != got && want != want ? 0 : 1e30;
    T near = (T)want;
    if (std::isinf(near) || std::isinf(got))
        return near == got ? 0 : 1e30;
    T up = std::nextafter(std::fabs(near), (T)INFINITY);
    long double ulp = (long double)up - std::fabs(near);
    return (double)(fabsl((long double)got - want) / ulp);
}

template <typename Op, typename T>
__global__ void
apply(const T *x, const T *y, T *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    r[i] = Op()(x[i], y[i]);
}

template <typename Op, typename T>
static void
check(const char *name, double bound, double lo, double hi, double lo2,
      double hi2)
{
    static T x[N], y[N], r[N];
    T *dx, *dy, *dr;
    fill(x, lo, hi);
    fill(y, lo2, hi2);
    for (int i = 0; i < N / 2; i++) {
        T t = y[i];
        int j = i * 37 % N;
        y[i] = y[j];
        y[j] = t;
    }
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof x);
    cudaMalloc(&dr, sizeof x);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof x, cudaMemcpyHostToDevice);
    apply<Op, T><<<N / 128, 128>>>(dx, dy, dr);
    cudaError_t e = cudaMemcpy(r, dr, sizeof x, cudaMemcpyDeviceToHost);
    double worst = 0;
    int at = 0;
    for (int i = 0; i < N; i++) {
        double u = ulps(r[i], Op::want(x[i], y[i]));
        if (u > worst) {
            worst = u;
            at = i;
        }
    }
    functions++;
    if (e != cudaSuccess || worst > bound + 0.5) {
        failed++;
        printf("%s: %g ulp at %.17g, %.17g: %.17g, want %.17Lg (%s)\n", name,
               worst, (double)x[at], (double)y[at], (double)r[at],
               Op::want(x[at], y[at]), cudaGetErrorName(e));
    }
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dr);
}

#define OP(T, suffix, name, call, reference, bound, lo, hi, lo2, hi2)          \
    {                                                                          \
        struct op {                                                            \
            __device__ T                                                       \
            operator()(T x, T y)                                               \
            {                                                                  \
                (void)y;                                                       \
                return call;                                                   \
            }                                                                  \
            static long double                                                 \
            want(long double x, long double y)                                 \
            {                                                                  \
                (void)y;                                                       \
                return reference;                                              \
            }                                                                  \
        };                                                                     \
        check<op, T>(#name suffix, bound, lo, hi, lo2, hi2);                   \
    }
/* name, reference, bounds in float and double, range */
#define F1(name, reference, bf, bd, lo, hi)                                    \
    OP(float, "f", name, name##f(x), reference, bf, lo, hi, 0, 1)              \
    OP(double, "", name, name(x), reference, bd, lo, hi, 0, 1)
#define F2(name, reference, bf, bd, lo, hi, lo2, hi2)                          \
    OP(float, "f", name, name##f(x, y), reference, bf, lo, hi, lo2, hi2)       \
    OP(double, "", name, name(x, y), reference, bd, lo, hi, lo2, hi2)

static const long double PI = 3.14159265358979323846264338327950288L;

int
main()
{
    F1(sin, sinl(x), 2, 2, -100, 100)
    F1(sin, sinl(x), 2, 2, 1e5, 1e15)
    F1(cos, cosl(x), 2, 2, -100, 100)
    F1(cos, cosl(x), 2, 2, 1e5, 1e15)
    F1(tan, tanl(x), 4, 2, -100, 100)
    F1(sinpi, sinl(remainderl(x, 2) * PI), 1, 2, -0.9, 0.9)
    F1(cospi, cosl(remainderl(x, 2) * PI), 1, 2, -0.4, 0.4)
    F1(asin, asinl(x), 2, 2, -1, 1)
    F1(acos, acosl(x), 2, 2, -1, 1)
    F1(atan, atanl(x), 2, 2, -20, 20)
    F2(atan2, atan2l(x, y), 3, 2, -10, 10, -10, 10)
    F1(sinh, sinhl(x), 3, 2, -20, 20)
    F1(cosh, coshl(x), 2, 1, -20, 20)
    F1(tanh, tanhl(x), 2, 1, -5, 5)
    F1(asinh, asinhl(x), 3, 3, -50, 50)
    F1(acosh, acoshl(x), 4, 3, 1, 50)
    F1(atanh, atanhl(x), 3, 2, -0.99, 0.99)
    F1(exp, expl(x), 2, 1, -80, 80)
    F1(exp2, exp2l(x), 2, 1, -120, 120)
    F1(exp10, exp10l(x), 2, 1, -35, 35)
    F1(expm1, expm1l(x), 1, 1, -5, 5)
    F1(log, logl(x), 1, 1, 0, 1e6)
    F1(log2, log2l(x), 1, 1, 0, 1e6)
    F1(log10, log10l(x), 2, 1, 0, 1e6)
    F1(log1p, log1pl(x), 1, 1, -0.9, 10)
    F2(pow, powl(x, y), 4, 2, 0, 30, -20, 20)
    F1(sqrt, sqrtl(x), 0, 0, 0, 1e10)
    F1(rsqrt, 1 / sqrtl(x), 2, 1, 0, 1e10)
    F1(cbrt, cbrtl(x), 1, 1, -1e5, 1e5)
    F1(rcbrt, 1 / cbrtl(x), 1, 1, 0, 1e5)
    F2(hypot, hypotl(x, y), 3, 2, -1e3, 1e3, -1e3, 1e3)
    F2(rhypot, 1 / hypotl(x, y), 2, 1, -1e3, 1e3, -1e3, 1e3)
    F1(erf, erfl(x), 2, 2, -4, 4)
    F1(erfc, erfcl(x), 4, 5, -4, 9)
    F1(normcdf, erfcl(-x / sqrtl(2)) / 2, 5, 5, -8, 8)
    F1(lgamma, lgammal(x), 6, 4, 0, 40)
    F1(tgamma, tgammal(x), 5, 10, 0, 30)
    F1(tgamma, tgammal(x), 5, 10, -6.3, -5.7)
    F1(j0, j0l(x), 9, 7, 0, 2)
    F1(j1, j1l(x), 9, 7, 0, 3)
    F1(y0, y0l(x), 9, 7, 1.5, 3)
    F1(y1, y1l(x), 9, 7, 0.1, 2)
    F2(fmod, fmodl(x, y), 0, 0, -1e6, 1e6, 0, 3)
    F2(remainder, remainderl(x, y), 0, 0, -1e6, 1e6, 0, 3)
    F2(fdim, fdiml(x, y), 0, 0, -10, 10, -10, 10)
    F2(fmax, fmaxl(x, y), 0, 0, -10, 10, -10, 10)
    F1(round, roundl(x), 0, 0, -10, 10)
    F1(rint, rintl(x), 0, 0, -10, 10)
    F1(trunc, truncl(x), 0, 0, -10, 10)
    F1(floor, floorl(x), 0, 0, -10, 10)
    OP(float, "f", fdivide, x / y, x / y, 0, -10, 10, 1, 7)
    printf("%d functions, %d failed\n", functions, failed);
    return failed != 0;
}
