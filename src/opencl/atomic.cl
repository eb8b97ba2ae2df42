/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic.cl - atomic functions, those of OpenCL C 1.x and those of C11's kind
 * (OpenCL C 3.0, 6.15.12). An operation itself is relaxed and known to the
 * whole device; fences around it give it its order and scope.
 */
#include "library.clh"
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

/* ---- fences ---- */

static INLINE void
fence(memory_scope scope)
{
    if (scope == memory_scope_all_svm_devices)
        __nvvm_membar_sys();
    else if (scope == memory_scope_device)
        __nvvm_membar_gl();
    else if (scope != memory_scope_work_item)
        __nvvm_membar_cta();
}

static INLINE void
before(memory_order order, memory_scope scope)
{
    if (order != memory_order_relaxed && order != memory_order_acquire)
        fence(scope);
}

static INLINE void
after(memory_order order, memory_scope scope)
{
    if (order != memory_order_relaxed && order != memory_order_release)
        fence(scope);
}

OVER void
atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order,
                       memory_scope scope)
{
    if (order != memory_order_relaxed)
        fence(scope);
}

/* ---- C11's kind, for generic pointers ---- */

#define RELAXED memory_order_relaxed, memory_scope_device
#define DEFAULT memory_order_seq_cst, memory_scope_device

/* A function f(arguments) in its three forms. */
#define FORMS(R, f, parameters, passed, operation)                             \
    OVER R f##_explicit(parameters, memory_order order, memory_scope scope)    \
    {                                                                          \
        before(order, scope);                                                  \
        R result = operation;                                                  \
        after(order, scope);                                                   \
        return result;                                                         \
    }                                                                          \
    OVER R f##_explicit(parameters, memory_order order)                        \
    {                                                                          \
        return f##_explicit(passed, order, memory_scope_device);               \
    }                                                                          \
    OVER R f(parameters)                                                       \
    {                                                                          \
        return f##_explicit(passed, DEFAULT);                                  \
    }
#define TWO(a, b) a, b

#define FETCH(T, V, what)                                                      \
    FORMS(T, atomic_fetch_##what, TWO(volatile __generic atomic_##T *p, V x),  \
          TWO(p, x), __opencl_atomic_fetch_##what(p, (T)x, RELAXED))

#define COMPARE(T, strength)                                                   \
    OVER bool atomic_compare_exchange_##strength##_explicit(                   \
        volatile __generic atomic_##T *p, __generic T *expected, T desired,    \
        memory_order good, memory_order bad, memory_scope scope)               \
    {                                                                          \
        before(good, scope);                                                   \
        T was = *expected;                                                     \
        bool done = __opencl_atomic_compare_exchange_strong(                   \
            p, &was, desired, memory_order_relaxed, memory_order_relaxed,      \
            memory_scope_device);                                              \
        after(done ? good : bad, scope);                                       \
        if (!done)                                                             \
            *expected = was;                                                   \
        return done;                                                           \
    }                                                                          \
    OVER bool atomic_compare_exchange_##strength##_explicit(                   \
        volatile __generic atomic_##T *p, __generic T *expected, T desired,    \
        memory_order good, memory_order bad)                                   \
    {                                                                          \
        return atomic_compare_exchange_##strength##_explicit(                  \
            p, expected, desired, good, bad, memory_scope_device);             \
    }                                                                          \
    OVER bool atomic_compare_exchange_##strength(                              \
        volatile __generic atomic_##T *p, __generic T *expected, T desired)    \
    {                                                                          \
        return atomic_compare_exchange_##strength##_explicit(                  \
            p, expected, desired, memory_order_seq_cst, memory_order_seq_cst,  \
            memory_scope_device);                                              \
    }

#define BASICS(T)                                                              \
    OVER void atomic_init(volatile __generic atomic_##T *p, T x)               \
    {                                                                          \
        __opencl_atomic_store(p, x, RELAXED);                                  \
    }                                                                          \
    OVER void atomic_store_explicit(volatile __generic atomic_##T *p, T x,     \
                                    memory_order order, memory_scope scope)    \
    {                                                                          \
        before(order, scope);                                                  \
        __opencl_atomic_store(p, x, RELAXED);                                  \
        if (order == memory_order_seq_cst)                                     \
            fence(scope);                                                      \
    }                                                                          \
    OVER void atomic_store_explicit(volatile __generic atomic_##T *p, T x,     \
                                    memory_order order)                        \
    {                                                                          \
        atomic_store_explicit(p, x, order, memory_scope_device);               \
    }                                                                          \
    OVER void atomic_store(volatile __generic atomic_##T *p, T x)              \
    {                                                                          \
        atomic_store_explicit(p, x, DEFAULT);                                  \
    }                                                                          \
    OVER T atomic_load_explicit(volatile __generic atomic_##T *p,              \
                                memory_order order, memory_scope scope)        \
    {                                                                          \
        if (order == memory_order_seq_cst)                                     \
            fence(scope);                                                      \
        T x = __opencl_atomic_load(p, RELAXED);                                \
        after(order, scope);                                                   \
        return x;                                                              \
    }                                                                          \
    OVER T atomic_load_explicit(volatile __generic atomic_##T *p,              \
                                memory_order order)                            \
    {                                                                          \
        return atomic_load_explicit(p, order, memory_scope_device);            \
    }                                                                          \
    OVER T atomic_load(volatile __generic atomic_##T *p)                       \
    {                                                                          \
        return atomic_load_explicit(p, DEFAULT);                               \
    }                                                                          \
    FORMS(T, atomic_exchange, TWO(volatile __generic atomic_##T *p, T x),      \
          TWO(p, x), __opencl_atomic_exchange(p, x, RELAXED))                  \
    COMPARE(T, strong)                                                         \
    COMPARE(T, weak)
BASICS(int)
BASICS(uint)
BASICS(long)
BASICS(ulong)
BASICS(float)
BASICS(double)

#define FETCHES(T, V)                                                          \
    FETCH(T, V, add)                                                           \
    FETCH(T, V, sub)                                                           \
    FETCH(T, V, or)                                                            \
    FETCH(T, V, xor)                                                           \
    FETCH(T, V, and)                                                           \
    FETCH(T, V, min)                                                           \
    FETCH(T, V, max)
FETCHES(int, int)
FETCHES(uint, uint)
FETCHES(long, long)
FETCHES(ulong, ulong)
FETCHES(ulong, long) /* of uintptr_t, by ptrdiff_t and intptr_t */
FETCHES(long, ulong)

OVER bool
atomic_flag_test_and_set_explicit(volatile __generic atomic_flag *p,
                                  memory_order order, memory_scope scope)
{
    before(order, scope);
    bool was = __opencl_atomic_exchange(p, 1, RELAXED);
    after(order, scope);
    return was;
}
OVER bool
atomic_flag_test_and_set_explicit(volatile __generic atomic_flag *p,
                                  memory_order order)
{
    return atomic_flag_test_and_set_explicit(p, order, memory_scope_device);
}
OVER bool
atomic_flag_test_and_set(volatile __generic atomic_flag *p)
{
    return atomic_flag_test_and_set_explicit(p, DEFAULT);
}
OVER void
atomic_flag_clear_explicit(volatile __generic atomic_flag *p,
                           memory_order order, memory_scope scope)
{
    atomic_store_explicit(p, 0, order, scope);
}
OVER void
atomic_flag_clear_explicit(volatile __generic atomic_flag *p,
                           memory_order order)
{
    atomic_store_explicit(p, 0, order, memory_scope_device);
}
OVER void
atomic_flag_clear(volatile __generic atomic_flag *p)
{
    atomic_store_explicit(p, 0, DEFAULT);
}

/* ---- OpenCL C 1.x: atomic_ and atom_, relaxed ---- */

#define OLD(T, space, name, what, parameters, x)                               \
    OVER T name##what(volatile space T *p parameters)                          \
    {                                                                          \
        return OLD_##what((volatile space atomic_##T *)p, x);                  \
    }
#define OLD_add(p, x)  __opencl_atomic_fetch_add(p, x, RELAXED)
#define OLD_sub(p, x)  __opencl_atomic_fetch_sub(p, x, RELAXED)
#define OLD_inc(p, x)  __opencl_atomic_fetch_add(p, x, RELAXED)
#define OLD_dec(p, x)  __opencl_atomic_fetch_sub(p, x, RELAXED)
#define OLD_and(p, x)  __opencl_atomic_fetch_and(p, x, RELAXED)
#define OLD_or(p, x)   __opencl_atomic_fetch_or(p, x, RELAXED)
#define OLD_xor(p, x)  __opencl_atomic_fetch_xor(p, x, RELAXED)
#define OLD_min(p, x)  __opencl_atomic_fetch_min(p, x, RELAXED)
#define OLD_max(p, x)  __opencl_atomic_fetch_max(p, x, RELAXED)
#define OLD_xchg(p, x) __opencl_atomic_exchange(p, x, RELAXED)
#define AND_X(T)       , T x
#define OLDS(T, space, name)                                                   \
    OLD(T, space, name, add, AND_X(T), x)                                      \
    OLD(T, space, name, sub, AND_X(T), x)                                      \
    OLD(T, space, name, and, AND_X(T), x)                                      \
    OLD(T, space, name, or, AND_X(T), x)                                       \
    OLD(T, space, name, xor, AND_X(T), x)                                      \
    OLD(T, space, name, min, AND_X(T), x)                                      \
    OLD(T, space, name, max, AND_X(T), x)                                      \
    OLD(T, space, name, xchg, AND_X(T), x)                                     \
    OLD(T, space, name, inc, , 1)                                              \
    OLD(T, space, name, dec, , 1)                                              \
    OVER T name##cmpxchg(volatile space T *p, T expected, T desired)           \
    {                                                                          \
        __opencl_atomic_compare_exchange_strong(                               \
            (volatile space atomic_##T *)p, &expected, desired,                \
            memory_order_relaxed, memory_order_relaxed, memory_scope_device);  \
        return expected;                                                       \
    }
#define OLD_SPACES(T, name)                                                    \
    OLDS(T, __generic, name)                                                   \
    OLDS(T, global, name)                                                      \
    OLDS(T, local, name)
OLD_SPACES(int, atomic_)
OLD_SPACES(uint, atomic_)
OLD_SPACES(int, atom_)
OLD_SPACES(uint, atom_)
OLD_SPACES(long, atom_)
OLD_SPACES(ulong, atom_)
OLD(float, __generic, atomic_, xchg, AND_X(float), x)
OLD(float, global, atomic_, xchg, AND_X(float), x)
OLD(float, local, atomic_, xchg, AND_X(float), x)
