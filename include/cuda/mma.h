/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mma.h - products of small matrices by a warp: fragments, which hold a warp's
 * share of a matrix in no order that a program may rely on, and the functions
 * that load, store and multiply them. Each is one wmma instruction of PTX.
 * Numbers of 4 bits and single bits are in namespace experimental.
 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#pragma GCC system_header
#ifdef __CUDA__ /* device code only */

namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
} // namespace precision

namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* What a fragment of T is made of: words with `packed` elements each. */
template <class T> struct __sw_element {
    typedef T type, name;
    enum { packed = 1 };
};
template <> struct __sw_element<precision::tf32> {
    typedef float type, name;
    enum { packed = 1 };
};
#define __SW_PACKED(T, elements)                                               \
    template <> struct __sw_element<experimental::precision::T> {              \
        typedef unsigned type;                                                 \
        typedef experimental::precision::T name;                               \
        enum { packed = elements };                                            \
    };
__SW_PACKED(u4, 8)
__SW_PACKED(s4, 8)
__SW_PACKED(b1, 32)
#undef __SW_PACKED
/* How many of these words a lane has. */
template <class Use, int m, int n, int k, class T> struct __sw_count;
#define __SW_COUNT(Use, m, n, k, T, elements)                                  \
    template <> struct __sw_count<Use, m, n, k, T> {                           \
        enum { value = elements };                                             \
    };

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment
{
  public:
    typedef typename __sw_element<T>::name element_type;
    typedef typename __sw_element<T>::type storage_element_type;
    enum {
        num_storage_elements = __sw_count<Use, m, n, k, T>::value,
        num_elements = num_storage_elements * __sw_element<T>::packed
    };
    __align__(16) storage_element_type x[num_storage_elements];
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
static __device__ __forceinline__ void
fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const Value &v)
{
    for (int i = 0; i < f.num_storage_elements; i++)
        f.x[i] = (typename __sw_element<T>::type)v;
}

static __device__ __forceinline__ float
__float_to_tf32(float x)
{
    unsigned r = 0;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
#endif
    return __builtin_bit_cast(float, r);
}

/* ---- operands of 1 to 8 registers: as outputs, as inputs, their names ---- */

#define __SW_OUT1(v, c) [v##0] "=" c(v[0])
#define __SW_OUT2(v, c) __SW_OUT1(v, c), [v##1] "=" c(v[1])
#define __SW_OUT4(v, c)                                                        \
    __SW_OUT2(v, c), [v##2] "=" c(v[2]), [v##3] "=" c(v[3])
#define __SW_OUT8(v, c)                                                        \
    __SW_OUT4(v, c), [v##4] "=" c(v[4]), [v##5] "=" c(v[5]),                   \
        [v##6] "=" c(v[6]), [v##7] "=" c(v[7])
#define __SW_IN1(v, c) [v##0] c(v[0])
#define __SW_IN2(v, c) __SW_IN1(v, c), [v##1] c(v[1])
#define __SW_IN4(v, c) __SW_IN2(v, c), [v##2] c(v[2]), [v##3] c(v[3])
#define __SW_IN8(v, c)                                                         \
    __SW_IN4(v, c), [v##4] c(v[4]), [v##5] c(v[5]), [v##6] c(v[6]),            \
        [v##7] c(v[7])
#define __SW_NAME(v, i) "%[" #v #i "]"
#define __SW_NAMES1(v)  __SW_NAME(v, 0)
#define __SW_NAMES2(v)  __SW_NAMES1(v) ", " __SW_NAME(v, 1)
#define __SW_NAMES4(v)                                                         \
    __SW_NAMES2(v) ", " __SW_NAME(v, 2) ", " __SW_NAME(v, 3)
#define __SW_NAMES8(v)                                                         \
    __SW_NAMES4(v)                                                             \
    ", " __SW_NAME(v, 4) ", " __SW_NAME(v, 5) ", " __SW_NAME(                  \
        v, 6) ", " __SW_NAME(v, 7)

/* ---- loading and storing ---- */

#define __SW_LOAD(Use, use, m, n, k, T, E, ptx, regs, raw, c, Layout, layout)  \
    static __device__ __forceinline__ void load_matrix_sync(                   \
        fragment<Use, m, n, k, T, Layout> &f, const E *p, unsigned stride)     \
    {                                                                          \
        raw *d = (raw *)f.x;                                                   \
        asm volatile("wmma.load." use ".sync.aligned." layout ".m" #m "n" #n   \
                     "k" #k "." ptx " {" __SW_NAMES##regs(                     \
                         d) "}, [%[p]], %[s];"                                 \
                     : __SW_OUT##regs(d, c)                                    \
                     : [p] "l"(p), [s] "r"(stride)                             \
                     : "memory");                                              \
    }
#define __SW_LOADS(Use, use, m, n, k, T, E, ptx, regs, raw, c)                 \
    __SW_LOAD(Use, use, m, n, k, T, E, ptx, regs, raw, c, row_major, "row")    \
    __SW_LOAD(Use, use, m, n, k, T, E, ptx, regs, raw, c, col_major, "col")
#define __SW_OPERANDS(m, n, k, T, E, ptx, a_count, a_regs, b_count, b_regs,    \
                      raw, c)                                                  \
    __SW_COUNT(matrix_a, m, n, k, T, a_count)                                  \
    __SW_COUNT(matrix_b, m, n, k, T, b_count)                                  \
    __SW_LOADS(matrix_a, "a", m, n, k, T, E, ptx, a_regs, raw, c)              \
    __SW_LOADS(matrix_b, "b", m, n, k, T, E, ptx, b_regs, raw, c)

#define __SW_STORE(m, n, k, ptx, regs, c, layout)                              \
    asm volatile("wmma.store.d.sync.aligned." layout ".m" #m "n" #n "k" #k     \
                 "." ptx " [%[p]], {" __SW_NAMES##regs(d) "}, %[s];"           \
                 :                                                             \
                 : __SW_IN##regs(d, c), [p] "l"(p), [s] "r"(stride)            \
                 : "memory")
#define __SW_LOAD_SUM(m, n, k, ptx, regs, c, layout)                           \
    asm volatile("wmma.load.c.sync.aligned." layout ".m" #m "n" #n "k" #k      \
                 "." ptx " {" __SW_NAMES##regs(d) "}, [%[p]], %[s];"           \
                 : __SW_OUT##regs(d, c)                                        \
                 : [p] "l"(p), [s] "r"(stride)                                 \
                 : "memory")
#define __SW_ACCUMULATOR(m, n, k, T, ptx, count, regs, raw, c)                 \
    __SW_COUNT(accumulator, m, n, k, T, count)                                 \
    static __device__ __forceinline__ void load_matrix_sync(                   \
        fragment<accumulator, m, n, k, T> &f, const T *p, unsigned stride,     \
        layout_t layout)                                                       \
    {                                                                          \
        raw *d = (raw *)f.x;                                                   \
        if (layout == mem_row_major)                                           \
            __SW_LOAD_SUM(m, n, k, ptx, regs, c, "row");                       \
        else                                                                   \
            __SW_LOAD_SUM(m, n, k, ptx, regs, c, "col");                       \
    }                                                                          \
    static __device__ __forceinline__ void store_matrix_sync(                  \
        T *p, const fragment<accumulator, m, n, k, T> &f, unsigned stride,     \
        layout_t layout)                                                       \
    {                                                                          \
        const raw *d = (const raw *)f.x;                                       \
        if (layout == mem_row_major)                                           \
            __SW_STORE(m, n, k, ptx, regs, c, "row");                  \
        else                                                                   \
            __SW_STORE(m, n, k, ptx, regs, c, "col");                  \
    }

/* ---- products ---- */

#define __SW_MMA(m, n, k, A, La, la, Lb, lb, a_regs, b_regs, ab_raw, ab_c, D,  \
                 d_regs, d_raw, d_c, C, c_regs, c_raw, c_c, types, sat)        \
    static __device__ __forceinline__ void mma_sync(                           \
        fragment<accumulator, m, n, k, D> &fd,                                 \
        const fragment<matrix_a, m, n, k, A, La> &fa,                          \
        const fragment<matrix_b, m, n, k, A, Lb> &fb,                          \
        const fragment<accumulator, m, n, k, C> &fc, bool satf = false)        \
    {                                                                          \
        d_raw *d = (d_raw *)fd.x;                                              \
        const ab_raw *a = (const ab_raw *)fa.x, *b = (const ab_raw *)fb.x;     \
        const c_raw *c = (const c_raw *)fc.x;                                  \
        if (satf)                                                              \
            asm volatile(                                                      \
                "wmma.mma.sync.aligned." la "." lb ".m" #m "n" #n "k" #k       \
                "." types sat " {" __SW_NAMES##d_regs(                         \
                    d) "}, {" __SW_NAMES##a_regs(a) "}, "                      \
                "{" __SW_NAMES##b_regs(b) "}, {" __SW_NAMES##c_regs(c) "};"    \
                : __SW_OUT##d_regs(d, d_c)                                     \
                : __SW_IN##a_regs(a, ab_c), __SW_IN##b_regs(b, ab_c),          \
                  __SW_IN##c_regs(c, c_c));                                    \
        else                                                                   \
            asm volatile(                                                      \
                "wmma.mma.sync.aligned." la "." lb ".m" #m "n" #n "k" #k       \
                "." types " {" __SW_NAMES##d_regs(                             \
                    d) "}, {" __SW_NAMES##a_regs(a) "}, "                      \
                "{" __SW_NAMES##b_regs(b) "}, {" __SW_NAMES##c_regs(c) "};"    \
                : __SW_OUT##d_regs(d, d_c)                                     \
                : __SW_IN##a_regs(a, ab_c), __SW_IN##b_regs(b, ab_c),          \
                  __SW_IN##c_regs(c, c_c));                                    \
    }
#define __SW_MMAS(m, n, k, A, ar, br, ab, abc, D, dr, draw, dc, C, cr, craw,   \
                  cc, types, sat)                                              \
    __SW_MMA(m, n, k, A, row_major, "row", row_major, "row", ar, br, ab, abc,  \
             D, dr, draw, dc, C, cr, craw, cc, types, sat)                     \
    __SW_MMA(m, n, k, A, row_major, "row", col_major, "col", ar, br, ab, abc,  \
             D, dr, draw, dc, C, cr, craw, cc, types, sat)                     \
    __SW_MMA(m, n, k, A, col_major, "col", row_major, "row", ar, br, ab, abc,  \
             D, dr, draw, dc, C, cr, craw, cc, types, sat)                     \
    __SW_MMA(m, n, k, A, col_major, "col", col_major, "col", ar, br, ab, abc,  \
             D, dr, draw, dc, C, cr, craw, cc, types, sat)

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define __SW_HALF(m, n)                                                        \
    __SW_OPERANDS(m, n, 16, __half, __half, "f16", 16, 8, 16, 8, unsigned,     \
                  "r")                                                         \
    __SW_ACCUMULATOR(m, n, 16, __half, "f16", 8, 4, unsigned, "r")             \
    __SW_ACCUMULATOR(m, n, 16, float, "f32", 8, 8, float, "f")                 \
    __SW_MMAS(m, n, 16, __half, 8, 8, unsigned, "r", float, 8, float, "f",     \
              float, 8, float, "f", "f32.f32", ".satfinite")                   \
    __SW_MMAS(m, n, 16, __half, 8, 8, unsigned, "r", __half, 4, unsigned, "r", \
              __half, 4, unsigned, "r", "f16.f16", ".satfinite")               \
    __SW_MMAS(m, n, 16, __half, 8, 8, unsigned, "r", float, 8, float, "f",     \
              __half, 4, unsigned, "r", "f32.f16", ".satfinite")               \
    __SW_MMAS(m, n, 16, __half, 8, 8, unsigned, "r", __half, 4, unsigned, "r", \
              float, 8, float, "f", "f16.f32", ".satfinite")
__SW_HALF(16, 16)
__SW_HALF(32, 8)
__SW_HALF(8, 32)
#undef __SW_HALF
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
#define __SW_BYTES(m, n, T, ptx, ac, ar, bc, br)                               \
    __SW_OPERANDS(m, n, 16, T, T, ptx, ac, ar, bc, br, unsigned, "r")          \
    __SW_MMAS(m, n, 16, T, ar, br, unsigned, "r", int, 8, int, "r", int, 8,    \
              int, "r", "s32." ptx "." ptx ".s32", ".satfinite")
__SW_ACCUMULATOR(16, 16, 16, int, "s32", 8, 8, int, "r")
__SW_ACCUMULATOR(32, 8, 16, int, "s32", 8, 8, int, "r")
__SW_ACCUMULATOR(8, 32, 16, int, "s32", 8, 8, int, "r")
__SW_BYTES(16, 16, signed char, "s8", 8, 2, 8, 2)
__SW_BYTES(32, 8, signed char, "s8", 16, 4, 4, 1)
__SW_BYTES(8, 32, signed char, "s8", 4, 1, 16, 4)
__SW_BYTES(16, 16, unsigned char, "u8", 8, 2, 8, 2)
__SW_BYTES(32, 8, unsigned char, "u8", 16, 4, 4, 1)
__SW_BYTES(8, 32, unsigned char, "u8", 4, 1, 16, 4)
#undef __SW_BYTES
#endif

/* Numbers of 4 bits, and bits: of rows by columns only. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
#define __SW_SMALL(k, T, ptx)                                                  \
    __SW_COUNT(matrix_a, 8, 8, k, experimental::precision::T, 1)               \
    __SW_COUNT(matrix_b, 8, 8, k, experimental::precision::T, 1)               \
    __SW_LOAD(matrix_a, "a", 8, 8, k, experimental::precision::T, void, ptx,   \
              1, unsigned, "r", row_major, "row")                              \
    __SW_LOAD(matrix_b, "b", 8, 8, k, experimental::precision::T, void, ptx,   \
              1, unsigned, "r", col_major, "col")
__SW_SMALL(32, u4, "u4")
__SW_SMALL(32, s4, "s4")
__SW_SMALL(128, b1, "b1")
#undef __SW_SMALL
__SW_ACCUMULATOR(8, 8, 32, int, "s32", 2, 2, int, "r")
__SW_ACCUMULATOR(8, 8, 128, int, "s32", 2, 2, int, "r")
#define __SW_FOUR(T, ptx)                                                      \
    __SW_MMA(8, 8, 32, experimental::precision::T, row_major, "row",           \
             col_major, "col", 1, 1, unsigned, "r", int, 2, int, "r", int, 2,  \
             int, "r", "s32." ptx "." ptx ".s32", ".satfinite")
__SW_FOUR(u4, "u4")
__SW_FOUR(s4, "s4")
#undef __SW_FOUR
#define __SW_BITS(op)                                                          \
    asm volatile("wmma.mma." op ".popc.sync.aligned.row.col.m8n8k128"          \
                 ".s32.b1.b1.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"              \
                 : "=r"(d.x[0]), "=r"(d.x[1])                                  \
                 : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]))
static __device__ __forceinline__ void
bmma_sync(
    fragment<accumulator, 8, 8, 128, int> &d,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>
        &a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>
        &b,
    const fragment<accumulator, 8, 8, 128, int> &c,
    experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if (op == experimental::bmmaBitOpAND) {
        __SW_BITS("and");
        return;
    }
#endif
    if (op == experimental::bmmaBitOpXOR)
        __SW_BITS("xor");
    else
        __builtin_trap();
}
#undef __SW_BITS
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __SW_BF16(m, n, ac, ar, bc, br)                                        \
    __SW_OPERANDS(m, n, 16, __nv_bfloat16, __nv_bfloat16, "bf16", ac, ar, bc,  \
                  br, unsigned, "r")                                           \
    __SW_MMAS(m, n, 16, __nv_bfloat16, ar, br, unsigned, "r", float, 8, float, \
              "f", float, 8, float, "f", "f32.bf16.bf16.f32", "")
__SW_BF16(16, 16, 8, 4, 8, 4)
__SW_BF16(32, 8, 16, 8, 4, 2)
__SW_BF16(8, 32, 4, 2, 16, 8)
#undef __SW_BF16
__SW_OPERANDS(16, 16, 8, precision::tf32, float, "tf32", 4, 4, 4, 4, unsigned,
              "r")
__SW_ACCUMULATOR(16, 16, 8, float, "f32", 8, 8, float, "f")
__SW_MMAS(16, 16, 8, precision::tf32, 4, 4, unsigned, "r", float, 8, float, "f",
          float, 8, float, "f", "f32.tf32.tf32.f32", "")
__SW_OPERANDS(8, 8, 4, double, double, "f64", 1, 1, 1, 1, double, "d")
__SW_ACCUMULATOR(8, 8, 4, double, "f64", 2, 2, double, "d")
__SW_MMAS(8, 8, 4, double, 1, 1, double, "d", double, 2, double, "d", double, 2,
          double, "d", "f64.f64.f64.f64", "")
#endif

} // namespace wmma
} // namespace nvcuda

#undef __SW_COUNT
#undef __SW_LOAD
#undef __SW_LOADS
#undef __SW_OPERANDS
#undef __SW_STORE
#undef __SW_LOAD_SUM
#undef __SW_ACCUMULATOR
#undef __SW_MMA
#undef __SW_MMAS
#endif
#endif
