/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_api.h - the float functions that --use_fast_math replaces by
 * their approximate forms (__SOFTWARP_USE_FAST_MATH__), and the few that are
 * the same in both.
 */
#ifndef SOFTWARP_MATH_API_H
#define SOFTWARP_MATH_API_H
#include "math_float.h"
#pragma GCC system_header

#ifdef __SOFTWARP_USE_FAST_MATH__
#define __SW_EITHER(fast, slow) fast
#else
#define __SW_EITHER(fast, slow) slow
#endif

__SW_DEV__ float
sinf(float x)
{
    return __SW_EITHER(__sinf, __sw_sinf)(x);
}
__SW_DEV__ float
cosf(float x)
{
    return __SW_EITHER(__cosf, __sw_cosf)(x);
}
__SW_DEV__ float
tanf(float x)
{
    return __SW_EITHER(__tanf, __sw_tanf)(x);
}
__SW_DEV__ void
sincosf(float x, float *s, float *c)
{
    __SW_EITHER(__sincosf, __sw_sincosf)(x, s, c);
}
__SW_DEV__ float
expf(float x)
{
    return __SW_EITHER(__expf, __sw_expf)(x);
}
__SW_DEV__ float
exp2f(float x)
{
    return __sw_ex2f(x);
}
__SW_DEV__ float
exp10f(float x)
{
    return __SW_EITHER(__exp10f, __sw_exp10f)(x);
}
__SW_DEV__ float
logf(float x)
{
    return __SW_EITHER(__logf, __sw_logf)(x);
}
__SW_DEV__ float
log2f(float x)
{
    return __SW_EITHER(__log2f, __sw_log2f)(x);
}
__SW_DEV__ float
log10f(float x)
{
    return __SW_EITHER(__log10f, __sw_log10f)(x);
}
__SW_DEV__ float
powf(float x, float y)
{
    return __SW_EITHER(__powf, __sw_powf)(x, y);
}
__SW_DEV__ float
fdividef(float x, float y)
{
#ifdef __SOFTWARP_USE_FAST_MATH__
    return __fdividef(x, y);
#else
    return x / y;
#endif
}
__SW_DEV__ float
tanhf(float x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
    return __SW_EITHER(__tanhf, __sw_tanhf)(x);
#else
    return __sw_tanhf(x);
#endif
}
#undef __SW_EITHER
#endif
