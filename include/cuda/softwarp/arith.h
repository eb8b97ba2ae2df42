/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/arith.h - integer intrinsics, reinterpretations, conversions and
 * arithmetic with a named rounding, and the fast approximate functions.
 */
#ifndef SOFTWARP_ARITH_H
#define SOFTWARP_ARITH_H
#include "common.h"
#pragma GCC system_header

/* ---- integers ---- */
__SW_DEV__ int
__clz(int x)
{
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
__SW_DEV__ int
__clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
__SW_DEV__ int
__popc(unsigned x)
{
    return __builtin_popcount(x);
}
__SW_DEV__ int
__popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
__SW_DEV__ unsigned
__brev(unsigned x)
{
    return __builtin_bitreverse32(x);
}
__SW_DEV__ unsigned long long
__brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
__SW_DEV__ int
__ffs(int x)
{
    return 32 - __clz((int)((unsigned)x & (0u - (unsigned)x)));
}
__SW_DEV__ int
__ffsll(long long x)
{
    return 64 - __clzll((long long)((__sw_u64)x & (0ull - (__sw_u64)x)));
}
__SW_DEV__ unsigned
__byte_perm(unsigned a, unsigned b, unsigned selector)
{
    return (unsigned)__nvvm_prmt((int)a, (int)b, (int)(selector & 0x7777));
}
#define __SW_FUNNEL(name, ptx)                                                 \
    __SW_DEV__ unsigned name(unsigned lo, unsigned hi, unsigned n)             \
    {                                                                          \
        unsigned r;                                                            \
        __asm__(ptx ".b32 %0, %1, %2, %3;"                                     \
                : "=r"(r)                                                      \
                : "r"(lo), "r"(hi), "r"(n));                                   \
        return r;                                                              \
    }
__SW_FUNNEL(__funnelshift_l, "shf.l.wrap")
__SW_FUNNEL(__funnelshift_lc, "shf.l.clamp")
__SW_FUNNEL(__funnelshift_r, "shf.r.wrap")
__SW_FUNNEL(__funnelshift_rc, "shf.r.clamp")
#undef __SW_FUNNEL
__SW_DEV__ int
__mul24(int a, int b)
{
    return __nvvm_mul24_i(a, b);
}
__SW_DEV__ unsigned
__umul24(unsigned a, unsigned b)
{
    return __nvvm_mul24_ui(a, b);
}
__SW_DEV__ int
__mulhi(int a, int b)
{
    return (int)(((long long)a * b) >> 32);
}
__SW_DEV__ unsigned
__umulhi(unsigned a, unsigned b)
{
    return (unsigned)(((__sw_u64)a * b) >> 32);
}
__SW_DEV__ long long
__mul64hi(long long a, long long b)
{
    return (long long)(((__int128)a * b) >> 64);
}
__SW_DEV__ unsigned long long
__umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
__SW_DEV__ unsigned
__sad(int a, int b, unsigned c)
{
    return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
__SW_DEV__ unsigned
__usad(unsigned a, unsigned b, unsigned c)
{
    return c + (a < b ? b - a : a - b);
}
__SW_DEV__ int
__hadd(int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
__SW_DEV__ int
__rhadd(int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
__SW_DEV__ unsigned
__uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((__sw_u64)a + b) >> 1);
}
__SW_DEV__ unsigned
__urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((__sw_u64)a + b + 1) >> 1);
}
/* Old names. A program that has functions of such names means its own, which are
 * no templates. */
template <int = 0> __SW_DEV__ int
mul24(int a, int b)
{
    return __mul24(a, b);
}
template <int = 0> __SW_DEV__ unsigned
umul24(unsigned a, unsigned b)
{
    return __umul24(a, b);
}
template <int = 0> __SW_DEV__ int
mulhi(int a, int b)
{
    return __mulhi(a, b);
}
template <int = 0> __SW_DEV__ unsigned
mulhi(unsigned a, unsigned b)
{
    return __umulhi(a, b);
}
template <int = 0> __SW_DEV__ unsigned
umulhi(unsigned a, unsigned b)
{
    return __umulhi(a, b);
}
template <int = 0> __SW_DEV__ long long
mul64hi(long long a, long long b)
{
    return __mul64hi(a, b);
}
template <int = 0> __SW_DEV__ unsigned long long
umul64hi(unsigned long long a, unsigned long long b)
{
    return __umul64hi(a, b);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
/* Dot products of four bytes, or of two shorts with two of four bytes. */
#define __SW_DP(name, ptx, R, A, B, ra, rb)                                    \
    __SW_DEV__ R name(A a, B b, R c)                                           \
    {                                                                          \
        R d;                                                                   \
        __asm__(ptx " %0, %1, %2, %3;"                                         \
                : "=r"(d)                                                      \
                : "r"(__builtin_bit_cast(ra, a)),                              \
                  "r"(__builtin_bit_cast(rb, b)), "r"(c));                     \
        return d;                                                              \
    }
__SW_DP(__dp4a, "dp4a.s32.s32", int, int, int, int, int)
__SW_DP(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned, unsigned,
        unsigned)
__SW_DP(__dp4a, "dp4a.s32.s32", int, char4, char4, int, int)
__SW_DP(__dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4, unsigned, unsigned)
__SW_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int, int, int)
__SW_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned, unsigned,
        unsigned)
__SW_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4, int, int)
__SW_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, ushort2, uchar4, unsigned,
        unsigned)
__SW_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int, int, int)
__SW_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned, unsigned,
        unsigned)
__SW_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4, int, int)
__SW_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, ushort2, uchar4, unsigned,
        unsigned)
#undef __SW_DP
#endif

/* ---- the same bits as another type ---- */
__SW_DEV__ int
__float_as_int(float x)
{
    return __builtin_bit_cast(int, x);
}
__SW_DEV__ unsigned
__float_as_uint(float x)
{
    return __builtin_bit_cast(unsigned, x);
}
__SW_DEV__ float
__int_as_float(int x)
{
    return __builtin_bit_cast(float, x);
}
__SW_DEV__ float
__uint_as_float(unsigned x)
{
    return __builtin_bit_cast(float, x);
}
__SW_DEV__ long long
__double_as_longlong(double x)
{
    return __builtin_bit_cast(long long, x);
}
__SW_DEV__ double
__longlong_as_double(long long x)
{
    return __builtin_bit_cast(double, x);
}
__SW_DEV__ int
__double2hiint(double x)
{
    return (int)(__builtin_bit_cast(long long, x) >> 32);
}
__SW_DEV__ int
__double2loint(double x)
{
    return (int)__builtin_bit_cast(long long, x);
}
__SW_DEV__ double
__hiloint2double(int hi, int lo)
{
    return __builtin_bit_cast(double,
                              (__sw_u64)(unsigned)hi << 32 | (unsigned)lo);
}

/* ---- conversions: CUDA's rn, rz, ru, rd are PTX's rn, rz, rp, rm ---- */
#define __SW_CVT(name, R, A, builtin)                                          \
    __SW_DEV__ R name(A x)                                                     \
    {                                                                          \
        return (R)builtin(x);                                                  \
    }
#define __SW_CVT_FTZ(name, R, A, builtin)                                      \
    __SW_DEV__ R name(A x)                                                     \
    {                                                                          \
        return (R)(__sw_ftz() ? builtin##_ftz(x) : builtin(x));                \
    }
#define __SW_ROUNDINGS(CVT, name, R, A, builtin)                               \
    CVT(name##_rn, R, A, builtin##_rn)                                         \
    CVT(name##_ru, R, A, builtin##_rp)                                         \
    CVT(name##_rd, R, A, builtin##_rm)
/* Not by builtins: LLVM takes those for C's conversions, which are undefined
 * out of range where these saturate, and round integers to nearest. */
#define __SW_CVT_RZ(name, R, to, A, from, ptx)                                 \
    __SW_DEV__ R name##_rz(A x)                                                \
    {                                                                          \
        R r;                                                                   \
        __asm__("cvt." ptx " %0, %1;" : to(r) : from(x));                      \
        return r;                                                              \
    }
#define __SW_CVT_RZ_FTZ(name, R, to, ptx)                                      \
    __SW_DEV__ R name##_rz(float x)                                            \
    {                                                                          \
        R r;                                                                   \
        if (__sw_ftz())                                                        \
            __asm__("cvt.rzi.ftz." ptx " %0, %1;" : to(r) : "f"(x));           \
        else                                                                   \
            __asm__("cvt.rzi." ptx " %0, %1;" : to(r) : "f"(x));               \
        return r;                                                              \
    }
__SW_CVT_RZ_FTZ(__float2int, int, "=r", "s32.f32")
__SW_CVT_RZ_FTZ(__float2uint, unsigned, "=r", "u32.f32")
__SW_CVT_RZ_FTZ(__float2ll, long long, "=l", "s64.f32")
__SW_CVT_RZ_FTZ(__float2ull, unsigned long long, "=l", "u64.f32")
__SW_CVT_RZ(__double2int, int, "=r", double, "d", "rzi.s32.f64")
__SW_CVT_RZ(__double2uint, unsigned, "=r", double, "d", "rzi.u32.f64")
__SW_CVT_RZ(__double2ll, long long, "=l", double, "d", "rzi.s64.f64")
__SW_CVT_RZ(__double2ull, unsigned long long, "=l", double, "d", "rzi.u64.f64")
__SW_CVT_RZ(__int2float, float, "=f", int, "r", "rz.f32.s32")
__SW_CVT_RZ(__uint2float, float, "=f", unsigned, "r", "rz.f32.u32")
__SW_CVT_RZ(__ll2float, float, "=f", long long, "l", "rz.f32.s64")
__SW_CVT_RZ(__ull2float, float, "=f", unsigned long long, "l", "rz.f32.u64")
__SW_CVT_RZ(__ll2double, double, "=d", long long, "l", "rz.f64.s64")
__SW_CVT_RZ(__ull2double, double, "=d", unsigned long long, "l", "rz.f64.u64")
__SW_ROUNDINGS(__SW_CVT_FTZ, __float2int, int, float, __nvvm_f2i)
__SW_ROUNDINGS(__SW_CVT_FTZ, __float2uint, unsigned, float, __nvvm_f2ui)
__SW_ROUNDINGS(__SW_CVT_FTZ, __float2ll, long long, float, __nvvm_f2ll)
__SW_ROUNDINGS(__SW_CVT_FTZ, __float2ull, unsigned long long, float,
               __nvvm_f2ull)
__SW_ROUNDINGS(__SW_CVT, __double2int, int, double, __nvvm_d2i)
__SW_ROUNDINGS(__SW_CVT, __double2uint, unsigned, double, __nvvm_d2ui)
__SW_ROUNDINGS(__SW_CVT, __double2ll, long long, double, __nvvm_d2ll)
__SW_ROUNDINGS(__SW_CVT, __double2ull, unsigned long long, double, __nvvm_d2ull)
__SW_ROUNDINGS(__SW_CVT, __int2float, float, int, __nvvm_i2f)
__SW_ROUNDINGS(__SW_CVT, __uint2float, float, unsigned, __nvvm_ui2f)
__SW_ROUNDINGS(__SW_CVT, __ll2float, float, long long, __nvvm_ll2f)
__SW_ROUNDINGS(__SW_CVT, __ull2float, float, unsigned long long, __nvvm_ull2f)
__SW_ROUNDINGS(__SW_CVT, __ll2double, double, long long, __nvvm_ll2d)
__SW_ROUNDINGS(__SW_CVT, __ull2double, double, unsigned long long, __nvvm_ull2d)
__SW_ROUNDINGS(__SW_CVT_FTZ, __double2float, float, double, __nvvm_d2f)
__SW_CVT_FTZ(__double2float_rz, float, double, __nvvm_d2f_rz)
__SW_CVT(__int2double_rn, double, int, __nvvm_i2d_rn)
__SW_CVT(__uint2double_rn, double, unsigned, __nvvm_ui2d_rn)
#undef __SW_CVT
#undef __SW_CVT_FTZ
#undef __SW_CVT_RZ
#undef __SW_CVT_RZ_FTZ

/* ---- arithmetic with a named rounding, never fused ---- */
#define __SW_F1(name, op, cuda, ptx)                                           \
    __SW_DEV__ float __f##name##_##cuda(float x)                               \
    {                                                                          \
        return __sw_ftz() ? __nvvm_##op##_##ptx##_ftz_f(x)                     \
                          : __nvvm_##op##_##ptx##_f(x);                        \
    }                                                                          \
    __SW_DEV__ double __d##name##_##cuda(double x)                             \
    {                                                                          \
        return __nvvm_##op##_##ptx##_d(x);                                     \
    }
#define __SW_F2(name, op, cuda, ptx)                                           \
    __SW_DEV__ float __f##name##_##cuda(float x, float y)                      \
    {                                                                          \
        return __sw_ftz() ? __nvvm_##op##_##ptx##_ftz_f(x, y)                  \
                          : __nvvm_##op##_##ptx##_f(x, y);                     \
    }                                                                          \
    __SW_DEV__ double __d##name##_##cuda(double x, double y)                   \
    {                                                                          \
        return __nvvm_##op##_##ptx##_d(x, y);                                  \
    }
#define __SW_OPS(cuda, ptx)                                                    \
    __SW_F2(add, add, cuda, ptx)                                               \
    __SW_F2(mul, mul, cuda, ptx)                                               \
    __SW_F2(div, div, cuda, ptx)                                               \
    __SW_F1(rcp, rcp, cuda, ptx)                                               \
    __SW_F1(sqrt, sqrt, cuda, ptx)                                             \
    __SW_DEV__ float __fsub_##cuda(float x, float y)                           \
    {                                                                          \
        return __fadd_##cuda(x, -y);                                           \
    }                                                                          \
    __SW_DEV__ double __dsub_##cuda(double x, double y)                        \
    {                                                                          \
        return __dadd_##cuda(x, -y);                                           \
    }                                                                          \
    __SW_DEV__ float __fmaf_##cuda(float x, float y, float z)                  \
    {                                                                          \
        return __sw_ftz() ? __nvvm_fma_##ptx##_ftz_f(x, y, z)                  \
                          : __nvvm_fma_##ptx##_f(x, y, z);                     \
    }                                                                          \
    __SW_DEV__ float __fmaf_ieee_##cuda(float x, float y, float z)             \
    {                                                                          \
        return __nvvm_fma_##ptx##_f(x, y, z);                                  \
    }                                                                          \
    __SW_DEV__ double __fma_##cuda(double x, double y, double z)               \
    {                                                                          \
        return __nvvm_fma_##ptx##_d(x, y, z);                                  \
    }
__SW_OPS(rn, rn)
__SW_OPS(rz, rz)
__SW_OPS(ru, rp)
__SW_OPS(rd, rm)
#undef __SW_OPS
#undef __SW_F1
#undef __SW_F2

/* ---- approximate functions: one or two instructions ---- */
#define __SW_APPROX(name, op)                                                  \
    __SW_DEV__ float name(float x)                                             \
    {                                                                          \
        return __sw_ftz() ? __nvvm_##op##_approx_ftz_f(x)                      \
                          : __nvvm_##op##_approx_f(x);                         \
    }
__SW_APPROX(__sinf, sin)
__SW_APPROX(__cosf, cos)
__SW_APPROX(__sw_ex2f, ex2)
__SW_APPROX(__log2f, lg2)
__SW_APPROX(__sw_rsqrtf, rsqrt)
#undef __SW_APPROX
__SW_DEV__ void
__sincosf(float x, float *s, float *c)
{
    *s = __sinf(x);
    *c = __cosf(x);
}
__SW_DEV__ float
__fdividef(float x, float y)
{
    return __sw_ftz() ? __nvvm_div_approx_ftz_f(x, y)
                      : __nvvm_div_approx_f(x, y);
}
__SW_DEV__ float
__tanf(float x)
{
    return __fdividef(__sinf(x), __cosf(x));
}
__SW_DEV__ float
__exp2f(float x)
{
    return __sw_ex2f(x);
}
__SW_DEV__ float
__expf(float x)
{
    return __sw_ex2f(__fmul_rn(x, 0x1.715476p+0f));
}
__SW_DEV__ float
__exp10f(float x)
{
    return __sw_ex2f(__fmul_rn(x, 0x1.a934f0p+1f));
}
__SW_DEV__ float
__logf(float x)
{
    return __log2f(x) * 0x1.62e430p-1f;
}
__SW_DEV__ float
__log10f(float x)
{
    return __log2f(x) * 0x1.344136p-2f;
}
__SW_DEV__ float
__powf(float x, float y)
{
    return __sw_ex2f(__fmul_rn(y, __log2f(x)));
}
__SW_DEV__ float
__saturatef(float x)
{
    return __sw_ftz() ? __nvvm_saturate_ftz_f(x) : __nvvm_saturate_f(x);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
__SW_DEV__ float
__tanhf(float x)
{
    float r;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
#endif

/* Used to say "this holds" to the compiler. */
#define __assume(x)            __builtin_assume(x)
#define __nv_assume(x)         __builtin_assume(x)
#define __builtin_nv_assume(x) __builtin_assume(x)

#endif
