/* SPDX-License-Identifier: Apache-2.0 */
/* first1.c - cuBLAS of 2008 (first.h): functions of vectors. */
#include "lib/cublas/first.h"

#define NRM2(L, T, R)                                                          \
    R cublas##L##nrm2(int n, const T *x, int incx)                             \
    {                                                                          \
        R result = 0;                                                          \
        keep(cublas##L##nrm2_v2(handle(), n, x, incx, &result));               \
        return result;                                                         \
    }
NRM2(S, float, float)
NRM2(D, double, double)
NRM2(Sc, cuComplex, float)
NRM2(Dz, cuDoubleComplex, double)

#define DOT(L, T, R)                                                           \
    T cublas##L##dot(int n, const T *x, int incx, const T *y, int incy)        \
    {                                                                          \
        T result = {0};                                                        \
        keep(cublas##L##dot_v2(handle(), n, x, incx, y, incy, &result));       \
        return result;                                                         \
    }
DOT(S, float, float)
DOT(D, double, double)

#define DOTU(L, T, R)                                                          \
    T cublas##L##dotu(int n, const T *x, int incx, const T *y, int incy)       \
    {                                                                          \
        T result = {0};                                                        \
        keep(cublas##L##dotu_v2(handle(), n, x, incx, y, incy, &result));      \
        return result;                                                         \
    }
DOTU(C, cuComplex, float)
DOTU(Z, cuDoubleComplex, double)

#define DOTC(L, T, R)                                                          \
    T cublas##L##dotc(int n, const T *x, int incx, const T *y, int incy)       \
    {                                                                          \
        T result = {0};                                                        \
        keep(cublas##L##dotc_v2(handle(), n, x, incx, y, incy, &result));      \
        return result;                                                         \
    }
DOTC(C, cuComplex, float)
DOTC(Z, cuDoubleComplex, double)

#define SCAL(L, T, R)                                                          \
    void cublas##L##scal(int n, T alpha, T *x, int incx)                       \
    {                                                                          \
        keep(cublas##L##scal_v2(handle(), n, &alpha, x, incx));                \
    }
SCAL(S, float, float)
SCAL(D, double, double)
SCAL(C, cuComplex, float)
SCAL(Z, cuDoubleComplex, double)

#define SCAL_OF(L, T, R)                                                       \
    void cublas##L##scal(int n, R alpha, T *x, int incx)                       \
    {                                                                          \
        keep(cublas##L##scal_v2(handle(), n, &alpha, x, incx));                \
    }
SCAL_OF(Cs, cuComplex, float)
SCAL_OF(Zd, cuDoubleComplex, double)

#define AXPY(L, T, R)                                                          \
    void cublas##L##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) \
    {                                                                          \
        keep(cublas##L##axpy_v2(handle(), n, &alpha, x, incx, y, incy));       \
    }
AXPY(S, float, float)
AXPY(D, double, double)
AXPY(C, cuComplex, float)
AXPY(Z, cuDoubleComplex, double)

#define COPY(L, T, R)                                                          \
    void cublas##L##copy(int n, const T *x, int incx, T *y, int incy)          \
    {                                                                          \
        keep(cublas##L##copy_v2(handle(), n, x, incx, y, incy));               \
    }
COPY(S, float, float)
COPY(D, double, double)
COPY(C, cuComplex, float)
COPY(Z, cuDoubleComplex, double)

#define SWAP(L, T, R)                                                          \
    void cublas##L##swap(int n, T *x, int incx, T *y, int incy)                \
    {                                                                          \
        keep(cublas##L##swap_v2(handle(), n, x, incx, y, incy));               \
    }
SWAP(S, float, float)
SWAP(D, double, double)
SWAP(C, cuComplex, float)
SWAP(Z, cuDoubleComplex, double)

#define IAMAX(L, T, R)                                                         \
    int cublasI##L##amax(int n, const T *x, int incx)                          \
    {                                                                          \
        int result = 0;                                                        \
        keep(cublasI##L##amax_v2(handle(), n, x, incx, &result));              \
        return result;                                                         \
    }
IAMAX(s, float, float)
IAMAX(d, double, double)
IAMAX(c, cuComplex, float)
IAMAX(z, cuDoubleComplex, double)

#define IAMIN(L, T, R)                                                         \
    int cublasI##L##amin(int n, const T *x, int incx)                          \
    {                                                                          \
        int result = 0;                                                        \
        keep(cublasI##L##amin_v2(handle(), n, x, incx, &result));              \
        return result;                                                         \
    }
IAMIN(s, float, float)
IAMIN(d, double, double)
IAMIN(c, cuComplex, float)
IAMIN(z, cuDoubleComplex, double)

#define ASUM(L, T, R)                                                          \
    R cublas##L##asum(int n, const T *x, int incx)                             \
    {                                                                          \
        R result = 0;                                                          \
        keep(cublas##L##asum_v2(handle(), n, x, incx, &result));               \
        return result;                                                         \
    }
ASUM(S, float, float)
ASUM(D, double, double)
ASUM(Sc, cuComplex, float)
ASUM(Dz, cuDoubleComplex, double)

#define ROT(L, T, R)                                                           \
    void cublas##L##rot(int n, T *x, int incx, T *y, int incy, T sc, T ss)     \
    {                                                                          \
        keep(cublas##L##rot_v2(handle(), n, x, incx, y, incy, &sc, &ss));      \
    }
ROT(S, float, float)
ROT(D, double, double)

#define ROT_OF(L, T, R)                                                        \
    void cublas##L##rot(int n, T *x, int incx, T *y, int incy, R c, T s)       \
    {                                                                          \
        keep(cublas##L##rot_v2(handle(), n, x, incx, y, incy, &c, &s));        \
    }
ROT_OF(C, cuComplex, float)

#define ROT_OF_OF(L, T, R)                                                     \
    void cublas##L##rot(int n, T *x, int incx, T *y, int incy, R sc, T cs)     \
    {                                                                          \
        keep(cublas##L##rot_v2(handle(), n, x, incx, y, incy, &sc, &cs));      \
    }
ROT_OF_OF(Z, cuDoubleComplex, double)

#define ROT_OF_OF_OF(L, T, R)                                                  \
    void cublas##L##rot(int n, T *x, int incx, T *y, int incy, R c, R s)       \
    {                                                                          \
        keep(cublas##L##rot_v2(handle(), n, x, incx, y, incy, &c, &s));        \
    }
ROT_OF_OF_OF(Cs, cuComplex, float)
ROT_OF_OF_OF(Zd, cuDoubleComplex, double)

#define ROTG(L, T, R)                                                          \
    void cublas##L##rotg(T *sa, T *sb, T *sc, T *ss)                           \
    {                                                                          \
        keep(cublas##L##rotg_v2(handle(), sa, sb, sc, ss));                    \
    }
ROTG(S, float, float)
ROTG(D, double, double)

#define ROTG_OF(L, T, R)                                                       \
    void cublas##L##rotg(T *ca, T cb, R *sc, T *cs)                            \
    {                                                                          \
        keep(cublas##L##rotg_v2(handle(), ca, &cb, sc, cs));                   \
    }
ROTG_OF(C, cuComplex, float)
ROTG_OF(Z, cuDoubleComplex, double)

#define ROTM(L, T, R)                                                          \
    void cublas##L##rotm(int n, T *x, int incx, T *y, int incy,                \
                         const T *sparam)                                      \
    {                                                                          \
        keep(cublas##L##rotm_v2(handle(), n, x, incx, y, incy, sparam));       \
    }
ROTM(S, float, float)
ROTM(D, double, double)

#define ROTMG(L, T, R)                                                         \
    void cublas##L##rotmg(T *sd1, T *sd2, T *sx1, const T *sy1, T *sparam)     \
    {                                                                          \
        keep(cublas##L##rotmg_v2(handle(), sd1, sd2, sx1, sy1, sparam));       \
    }
ROTMG(S, float, float)
ROTMG(D, double, double)
