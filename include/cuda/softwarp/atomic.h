/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/atomic.h - the atomicXxx functions on 16, 32 and 64-bit numbers and
 * on what has 16 bytes, in device, block and system scope. Each becomes one
 * atom instruction; those on half and bfloat16 are in their own headers.
 */
#ifndef SOFTWARP_ATOMIC_H
#define SOFTWARP_ATOMIC_H
#include "common.h"
#pragma GCC system_header

/* name, type, builtin between its prefix and its type letters, raw type */
#define __SW_ATOM1(name, scope, type, builtin, raw)                            \
    __SW_DEV__ type name##scope(type *p, type v)                               \
    {                                                                          \
        return (type)builtin((raw *)p, (raw)v);                                \
    }
#define __SW_ATOMS(scope, pre)                                                 \
    __SW_ATOM1(atomicAdd, scope, int, pre##add_gen_i, int)                     \
    __SW_ATOM1(atomicAdd, scope, unsigned, pre##add_gen_i, int)                \
    __SW_ATOM1(atomicAdd, scope, unsigned long long, pre##add_gen_ll,          \
               long long)                                                      \
    __SW_ATOM1(atomicAdd, scope, float, pre##add_gen_f, float)                 \
    __SW_DEV__ int atomicSub##scope(int *p, int v)                             \
    {                                                                          \
        return pre##add_gen_i(p, (int)(0u - (unsigned)v));                     \
    }                                                                          \
    __SW_DEV__ unsigned atomicSub##scope(unsigned *p, unsigned v)              \
    {                                                                          \
        return (unsigned)pre##add_gen_i((int *)p, (int)(0u - v));              \
    }                                                                          \
    __SW_ATOM1(atomicExch, scope, int, pre##xchg_gen_i, int)                   \
    __SW_ATOM1(atomicExch, scope, unsigned, pre##xchg_gen_i, int)              \
    __SW_ATOM1(atomicExch, scope, unsigned long long, pre##xchg_gen_ll,        \
               long long)                                                      \
    __SW_DEV__ float atomicExch##scope(float *p, float v)                      \
    {                                                                          \
        return __builtin_bit_cast(                                             \
            float, pre##xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));     \
    }                                                                          \
    __SW_ATOM1(atomicMin, scope, int, pre##min_gen_i, int)                     \
    __SW_ATOM1(atomicMin, scope, unsigned, pre##min_gen_ui, unsigned)          \
    __SW_ATOM1(atomicMin, scope, long long, pre##min_gen_ll, long long)        \
    __SW_ATOM1(atomicMin, scope, unsigned long long, pre##min_gen_ull,         \
               unsigned long long)                                             \
    __SW_ATOM1(atomicMax, scope, int, pre##max_gen_i, int)                     \
    __SW_ATOM1(atomicMax, scope, unsigned, pre##max_gen_ui, unsigned)          \
    __SW_ATOM1(atomicMax, scope, long long, pre##max_gen_ll, long long)        \
    __SW_ATOM1(atomicMax, scope, unsigned long long, pre##max_gen_ull,         \
               unsigned long long)                                             \
    __SW_ATOM1(atomicInc, scope, unsigned, pre##inc_gen_ui, unsigned)          \
    __SW_ATOM1(atomicDec, scope, unsigned, pre##dec_gen_ui, unsigned)          \
    __SW_ATOM1(atomicAnd, scope, int, pre##and_gen_i, int)                     \
    __SW_ATOM1(atomicAnd, scope, unsigned, pre##and_gen_i, int)                \
    __SW_ATOM1(atomicAnd, scope, unsigned long long, pre##and_gen_ll,          \
               long long)                                                      \
    __SW_ATOM1(atomicOr, scope, int, pre##or_gen_i, int)                       \
    __SW_ATOM1(atomicOr, scope, unsigned, pre##or_gen_i, int)                  \
    __SW_ATOM1(atomicOr, scope, unsigned long long, pre##or_gen_ll, long long) \
    __SW_ATOM1(atomicXor, scope, int, pre##xor_gen_i, int)                     \
    __SW_ATOM1(atomicXor, scope, unsigned, pre##xor_gen_i, int)                \
    __SW_ATOM1(atomicXor, scope, unsigned long long, pre##xor_gen_ll,          \
               long long)                                                      \
    __SW_DEV__ int atomicCAS##scope(int *p, int compare, int v)                \
    {                                                                          \
        return pre##cas_gen_i(p, compare, v);                                  \
    }                                                                          \
    __SW_DEV__ unsigned atomicCAS##scope(unsigned *p, unsigned compare,        \
                                         unsigned v)                           \
    {                                                                          \
        return (unsigned)pre##cas_gen_i((int *)p, (int)compare, (int)v);       \
    }                                                                          \
    __SW_DEV__ unsigned long long atomicCAS##scope(unsigned long long *p,      \
                                                   unsigned long long compare, \
                                                   unsigned long long v)       \
    {                                                                          \
        return (unsigned long long)pre##cas_gen_ll(                            \
            (long long *)p, (long long)compare, (long long)v);                 \
    }

__SW_ATOMS(, __nvvm_atom_)

/* Programs for older devices bring their own double atomicAdd. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
__SW_ATOMS(_block, __nvvm_atom_cta_)
__SW_ATOMS(_system, __nvvm_atom_sys_)
__SW_ATOM1(atomicAdd, , double, __nvvm_atom_add_gen_d, double)
__SW_ATOM1(atomicAdd, _block, double, __nvvm_atom_cta_add_gen_d, double)
__SW_ATOM1(atomicAdd, _system, double, __nvvm_atom_sys_add_gen_d, double)
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
__SW_DEV__ unsigned short
atomicCAS(unsigned short *p, unsigned short compare, unsigned short v)
{
    unsigned short old;
    __asm__ volatile("atom.cas.b16 %0, [%1], %2, %3;"
                     : "=h"(old)
                     : "l"(p), "h"(compare), "h"(v)
                     : "memory");
    return old;
}
#endif

/* Values of 16 bytes that can be copied as bytes (PTX ISA, atom: .b128 from
 * sm_90 on). */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define __SW_OF_16_BYTES                                                       \
    template <typename T,                                                      \
              int = sizeof(char[sizeof(T) == 16 && alignof(T) >= 16 &&         \
                                        __is_trivially_copyable(T)             \
                                    ? 1                                        \
                                    : -1])>
#define __SW_ATOM_WIDE(scope, ptx)                                             \
    __SW_OF_16_BYTES                                                           \
    __SW_DEV__ T atomicCAS##scope(T *p, T compare, T v)                        \
    {                                                                          \
        unsigned long long c[2], n[2], old[2];                                 \
        __builtin_memcpy(c, &compare, 16);                                     \
        __builtin_memcpy(n, &v, 16);                                           \
        __asm__ volatile(                                                      \
            "{ .reg .b128 c, n, d; mov.b128 c, {%3, %4}; "                     \
            "mov.b128 n, {%5, %6}; atom" ptx ".cas.b128 d, [%2], c, n; "       \
            "mov.b128 {%0, %1}, d; }"                                          \
            : "=l"(old[0]), "=l"(old[1])                                       \
            : "l"(p), "l"(c[0]), "l"(c[1]), "l"(n[0]), "l"(n[1])               \
            : "memory");                                                       \
        __builtin_memcpy(&v, old, 16);                                         \
        return v;                                                              \
    }                                                                          \
    __SW_OF_16_BYTES                                                           \
    __SW_DEV__ T atomicExch##scope(T *p, T v)                                  \
    {                                                                          \
        unsigned long long n[2], old[2];                                       \
        __builtin_memcpy(n, &v, 16);                                           \
        __asm__ volatile("{ .reg .b128 n, d; mov.b128 n, {%3, %4}; "           \
                         "atom" ptx ".exch.b128 d, [%2], n; "                  \
                         "mov.b128 {%0, %1}, d; }"                             \
                         : "=l"(old[0]), "=l"(old[1])                          \
                         : "l"(p), "l"(n[0]), "l"(n[1])                        \
                         : "memory");                                          \
        __builtin_memcpy(&v, old, 16);                                         \
        return v;                                                              \
    }
__SW_ATOM_WIDE(, "")
__SW_ATOM_WIDE(_block, ".cta")
__SW_ATOM_WIDE(_system, ".sys")
#undef __SW_ATOM_WIDE
#undef __SW_OF_16_BYTES
#endif

#undef __SW_ATOMS
#undef __SW_ATOM1
#endif
