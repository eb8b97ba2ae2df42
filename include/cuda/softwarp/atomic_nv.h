/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/atomic_nv.h - the __nv_atomic functions of CUDA 12.8, which nvcc has
 * built in: objects of 1 to 8 bytes, an order, a scope. They become atom
 * instructions, or a loop of compare and swap, between fences; every scope is
 * the widest one, and their numbers are our own. Objects of 16 bytes are
 * refused. C++ only.
 */
#ifndef SOFTWARP_ATOMIC_NV_H
#define SOFTWARP_ATOMIC_NV_H
#include "common.h"
#include "sync.h"
#pragma GCC system_header

#define __NV_ATOMIC_RELAXED       __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME       __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE       __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE       __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL       __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST       __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD  0
#define __NV_THREAD_SCOPE_BLOCK   1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE  3
#define __NV_THREAD_SCOPE_SYSTEM  4

/* Is a fence needed before, and after, an access of this order? */
__SW_DEV__ void
__sw_nv_before(int order)
{
    if (order >= __ATOMIC_RELEASE)
        __threadfence_system();
}
__SW_DEV__ void
__sw_nv_after(int order)
{
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
        __threadfence_system();
}
__SW_DEV__ void
__nv_atomic_thread_fence(int order, int = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order != __ATOMIC_RELAXED)
        __threadfence_system();
}

/* The type of a value beside a pointer to T: T itself, not deduced from it. */
template <typename T> struct __sw_nv_same {
    static_assert(sizeof(T) <= 8,
                  "softwarp: __nv_atomic functions take up to 8 bytes");
    typedef T type;
};
#define __SW_NV_VALUE(T) typename __sw_nv_same<T>::type
#define __SW_NV_SCOPE    int = __NV_THREAD_SCOPE_SYSTEM

template <typename T>
__SW_DEV__ __SW_NV_VALUE(T)
__nv_atomic_load_n(const volatile T *p, int order, __SW_NV_SCOPE)
{
    T v;
    if (order == __ATOMIC_SEQ_CST)
        __threadfence_system();
    __atomic_load(const_cast<T *>(p), &v, __ATOMIC_RELAXED);
    __sw_nv_after(order);
    return v;
}
template <typename T>
__SW_DEV__ void
__nv_atomic_load(const volatile T *p, T *value, int order, __SW_NV_SCOPE)
{
    *value = __nv_atomic_load_n(p, order);
}
template <typename T>
__SW_DEV__ void
__nv_atomic_store_n(volatile T *p, __SW_NV_VALUE(T) v, int order, __SW_NV_SCOPE)
{
    __sw_nv_before(order);
    __atomic_store(const_cast<T *>(p), &v, __ATOMIC_RELAXED);
    if (order == __ATOMIC_SEQ_CST)
        __threadfence_system();
}
template <typename T>
__SW_DEV__ void
__nv_atomic_store(volatile T *p, const T *value, int order, __SW_NV_SCOPE)
{
    __nv_atomic_store_n(p, *value, order);
}
template <typename T>
__SW_DEV__ T
__nv_atomic_exchange_n(volatile T *p, __SW_NV_VALUE(T) v, int order,
                       __SW_NV_SCOPE)
{
    T old;
    __sw_nv_before(order);
    __atomic_exchange(const_cast<T *>(p), &v, &old, __ATOMIC_RELAXED);
    __sw_nv_after(order);
    return old;
}
template <typename T>
__SW_DEV__ void
__nv_atomic_exchange(volatile T *p, const T *value, T *old, int order,
                     __SW_NV_SCOPE)
{
    *old = __nv_atomic_exchange_n(p, *value, order);
}
/* Never fails for no reason, so `weak` says nothing. */
template <typename T>
__SW_DEV__ bool
__nv_atomic_compare_exchange_n(volatile T *p, T *expected, __SW_NV_VALUE(T) v,
                               bool, int order, int failure, __SW_NV_SCOPE)
{
    __sw_nv_before(order);
    bool done =
        __atomic_compare_exchange(const_cast<T *>(p), expected, &v, false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    __sw_nv_after(done ? order : failure);
    return done;
}
template <typename T>
__SW_DEV__ bool
__nv_atomic_compare_exchange(volatile T *p, T *expected, const T *v, bool weak,
                             int order, int failure, __SW_NV_SCOPE)
{
    return __nv_atomic_compare_exchange_n(p, expected, *v, weak, order,
                                          failure);
}

/* name, what takes the place of x: where there is no one instruction */
#define __SW_NV_LOOP(name, expression)                                         \
    template <typename T>                                                      \
    __SW_DEV__ T __nv_atomic_fetch_##name(volatile T *p, __SW_NV_VALUE(T) v,   \
                                          int order, __SW_NV_SCOPE)            \
    {                                                                          \
        T x = __nv_atomic_load_n(p, __ATOMIC_RELAXED);                         \
        while (!__nv_atomic_compare_exchange_n(p, &x, (T)(expression), false,  \
                                               order, __ATOMIC_RELAXED))       \
            ;                                                                  \
        return x;                                                              \
    }                                                                          \
    __SW_NV_PLAIN(name)
/* name, of `atomicNAME`, for these types */
#define __SW_NV_ATOM(name, atom, T, raw, argument)                             \
    __SW_DEV__ T __nv_atomic_fetch_##name(volatile T *p, T v, int order,       \
                                          __SW_NV_SCOPE)                       \
    {                                                                          \
        __sw_nv_before(order);                                                 \
        T old = (T)atom((raw *)p, (raw)(argument));                            \
        __sw_nv_after(order);                                                  \
        return old;                                                            \
    }
#define __SW_NV_ATOMS(name, atom, argument)                                    \
    __SW_NV_ATOM(name, atom, int, int, argument)                               \
    __SW_NV_ATOM(name, atom, unsigned, unsigned, argument)                     \
    __SW_NV_ATOM(name, atom, unsigned long, unsigned long long, argument)      \
    __SW_NV_ATOM(name, atom, unsigned long long, unsigned long long, argument)
#define __SW_NV_PLAIN(name)                                                    \
    template <typename T>                                                      \
    __SW_DEV__ void __nv_atomic_##name(volatile T *p, __SW_NV_VALUE(T) v,      \
                                       int order, __SW_NV_SCOPE)               \
    {                                                                          \
        (void)__nv_atomic_fetch_##name(p, v, order);                           \
    }
__SW_NV_ATOMS(add, atomicAdd, v)
__SW_NV_ATOM(add, atomicAdd, long, unsigned long long, v)
__SW_NV_ATOM(add, atomicAdd, long long, unsigned long long, v)
__SW_NV_ATOM(add, atomicAdd, float, float, v)
__SW_NV_ATOMS(sub, atomicAdd, 0 - v)
__SW_NV_ATOM(sub, atomicAdd, float, float, -v)
__SW_NV_ATOMS(and, atomicAnd, v)
__SW_NV_ATOMS(or, atomicOr, v)
__SW_NV_ATOMS(xor, atomicXor, v)
__SW_NV_ATOMS(min, atomicMin, v)
__SW_NV_ATOM(min, atomicMin, long, long long, v)
__SW_NV_ATOM(min, atomicMin, long long, long long, v)
__SW_NV_ATOMS(max, atomicMax, v)
__SW_NV_ATOM(max, atomicMax, long, long long, v)
__SW_NV_ATOM(max, atomicMax, long long, long long, v)
__SW_NV_LOOP(add, x + v)
__SW_NV_LOOP(sub, x - v)
__SW_NV_LOOP(and, x &v)
__SW_NV_LOOP(or, x | v)
__SW_NV_LOOP(xor, x ^ v)
__SW_NV_LOOP(min, v < x ? v : x)
__SW_NV_LOOP(max, x < v ? v : x)

#undef __SW_NV_PLAIN
#undef __SW_NV_ATOMS
#undef __SW_NV_ATOM
#undef __SW_NV_LOOP
#undef __SW_NV_SCOPE
#undef __SW_NV_VALUE
#endif
