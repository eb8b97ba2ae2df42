/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level1.c - vectors: sums, products, rotations. What returns a number does it
 * where the pointer mode says; if that is the host, when the stream has come so
 * far.
 */
#include "lib/cublas/blas.h"

#include <string.h>

/* ---- vectors into vectors ---- */

static cublasStatus_t
two(cublasHandle_t h, const char *name, sw_lib_type type, const char *routine,
    const char *format, int64_t n, const void *alpha, const void *x,
    int64_t incx, void *y, int64_t incy)
{
    TRY(blas_check(h));
    REQUIRE(blas_fits(n) && blas_fits(incx) && blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    if (!format[3])
        return blas_call(h, name, type, routine, format, n, x, n, incx, y, n,
                         incy);
    VALID(alpha);
    return blas_call(h, name, type, routine, format, n, alpha, x, n, incx, y, n,
                     incy);
}

#define COPY(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##copy_v2##suffix(                                 \
        cublasHandle_t h, N n, const T *x, N incx, T *y, N incy)               \
    {                                                                          \
        return two(h, "cublas" #L "copy", type, "copy", "ixy", n, NULL, x,     \
                   incx, y, incy);                                             \
    }
#define SWAP(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##swap_v2##suffix(cublasHandle_t h, N n, T *x,     \
                                              N incx, T *y, N incy)            \
    {                                                                          \
        return two(h, "cublas" #L "swap", type, "swap", "iyy", n, NULL, x,     \
                   incx, y, incy);                                             \
    }
#define AXPY(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##axpy_v2##suffix(cublasHandle_t h, N n,           \
                                              const T *alpha, const T *x,      \
                                              N incx, T *y, N incy)            \
    {                                                                          \
        return two(h, "cublas" #L "axpy", type, "axpy", "isxy", n, alpha, x,   \
                   incx, y, incy);                                             \
    }
FOR_ALL(COPY)
FOR_ALL(SWAP)
FOR_ALL(AXPY)

/* ---- scaling; by a real number where `prefixes` names such routines ---- */

static cublasStatus_t
scale(cublasHandle_t h, const char *name, sw_lib_type type, const char *routine,
      const char *format, int64_t n, const void *alpha, void *x, int64_t incx)
{
    TRY(blas_check(h));
    VALID(alpha);
    REQUIRE(blas_fits(n) && blas_fits(incx), CUBLAS_STATUS_NOT_SUPPORTED);
    if (n <= 0 || incx <= 0)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, name, type, routine, format, n, alpha, x, n, incx);
}

#define SCAL(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##scal_v2##suffix(cublasHandle_t h, N n,           \
                                              const T *alpha, T *x, N incx)    \
    {                                                                          \
        return scale(h, "cublas" #L "scal", type, "scal", "isy", n, alpha, x,  \
                     incx);                                                    \
    }
/* The routine is csscal or zdscal: the letter before its name is the type's. */
#define REAL_SCAL(L, T, type, N, suffix, r)                                    \
    cublasStatus_t cublas##L##r##scal_v2##suffix(                              \
        cublasHandle_t h, N n, const REAL_##L *alpha, T *x, N incx)            \
    {                                                                          \
        return scale(h, "cublas" #L#r "scal", type, #r "scal", "ity", n,       \
                     alpha, x, incx);                                          \
    }
FOR_ALL(SCAL)
REAL_SCAL(C, cuComplex, SW_LIB_C, int, , s)
REAL_SCAL(C, cuComplex, SW_LIB_C, int64_t, _64, s)
REAL_SCAL(Z, cuDoubleComplex, SW_LIB_Z, int, , d)
REAL_SCAL(Z, cuDoubleComplex, SW_LIB_Z, int64_t, _64, d)

/* ---- rotations ---- */

static cublasStatus_t
rotate(cublasHandle_t h, const char *name, sw_lib_type type,
       const char *routine, const char *format, int64_t n, void *x,
       int64_t incx, void *y, int64_t incy, const void *c, const void *s)
{
    TRY(blas_check(h));
    VALID(c && (s || strcmp(routine, "rotm") == 0));
    REQUIRE(blas_fits(n) && blas_fits(incx) && blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, name, type, routine, format, n, x, n, incx, y, n, incy,
                     c, s);
}

#define ROT_OF(name, T, type, C, S, N, suffix, routine, format)                \
    cublasStatus_t cublas##name##_v2##suffix(cublasHandle_t h, N n, T *x,      \
                                             N incx, T *y, N incy, const C *c, \
                                             const S *s)                       \
    {                                                                          \
        return rotate(h, "cublas" #name, type, routine, format, n, x, incx, y, \
                      incy, c, s);                                             \
    }
#define ROT(name, T, type, C, S, routine, format)                              \
    ROT_OF(name, T, type, C, S, int, , routine, format)                        \
    ROT_OF(name, T, type, C, S, int64_t, _64, routine, format)
ROT(Srot, float, SW_LIB_S, float, float, "rot", "iyytt")
ROT(Drot, double, SW_LIB_D, double, double, "rot", "iyytt")
ROT(Crot, cuComplex, SW_LIB_C, float, cuComplex, "rot", "iyyts")
ROT(Zrot, cuDoubleComplex, SW_LIB_Z, double, cuDoubleComplex, "rot", "iyyts")
ROT(Csrot, cuComplex, SW_LIB_C, float, float, "srot", "iyytt")
ROT(Zdrot, cuDoubleComplex, SW_LIB_Z, double, double, "drot", "iyytt")

/* The five numbers of a modified rotation, which are read when it runs if they
 * lie on the device. */
enum { ROTM_NUMBERS = 5 };
typedef struct {
    sw_lib_call call;
    const void *device;
    _Alignas(16) unsigned char numbers[ROTM_NUMBERS * sizeof(double)];
} rotm;

static bool
run_rotm(void *arg)
{
    rotm *r = arg;
    sw_lib_call call = r->call;
    call.arguments[call.count].kind = SW_LIB_ADDRESS;
    call.arguments[call.count++].address =
        r->device ? (void *)(uintptr_t)r->device : r->numbers;
    sw_lib_call_run(&call);
    return true;
}

static void
add(sw_lib_call *call, sw_lib_work *work, sw_lib_type type, const char *format,
    ...)
{
    va_list list;
    va_start(list, format);
    sw_lib_call_add(call, work, type, format, list);
    va_end(list);
}

static cublasStatus_t
do_rotm(cublasHandle_t h, const char *name, sw_lib_type type, int64_t n,
        void *x, int64_t incx, void *y, int64_t incy, const void *numbers)
{
    TRY(blas_check(h));
    VALID(numbers);
    REQUIRE(blas_fits(n) && blas_fits(incx) && blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    if (n <= 0)
        return CUBLAS_STATUS_SUCCESS;
    rotm r = {.call.fn = sw_lib_find_routine("rotm", type, NULL)};
    sw_lib_work work = {
        .name = name, .fn = run_rotm, .args = &r, .arg_bytes = sizeof r};
    size_t bytes = ROTM_NUMBERS * sw_lib_type_bytes(type);
    REQUIRE(r.call.fn, CUBLAS_STATUS_NOT_INITIALIZED);
    add(&r.call, &work, type, "iyy", n, x, n, incx, y, n, incy);
    if (blas_on_device(h)) {
        r.device = numbers;
        sw_lib_reads(&work, numbers, bytes, 0, 1);
    } else {
        memcpy(r.numbers, numbers, bytes);
    }
    return blas_submit(h, &work, false);
}

#define ROTM(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##rotm_v2##suffix(                                 \
        cublasHandle_t h, N n, T *x, N incx, T *y, N incy, const T *param)     \
    {                                                                          \
        return do_rotm(h, "cublas" #L "rotm", type, n, x, incx, y, incy,       \
                       param);                                                 \
    }
FOR_REAL(ROTM)

/* What makes a rotation: all arguments are numbers to be changed. */
static cublasStatus_t
make_rotation(cublasHandle_t h, const char *name, sw_lib_type type,
              const char *routine, void *a, void *b, void *c, void *d, void *e,
              int64_t last)
{
    TRY(blas_check(h));
    VALID(a && b && c && d && (e || !last));
    sw_lib_call call = {.fn = sw_lib_find_routine(routine, type, NULL)};
    sw_lib_work work = {.name = name,
                        .fn = sw_lib_call_execute,
                        .args = &call,
                        .arg_bytes = sizeof call};
    REQUIRE(call.fn, CUBLAS_STATUS_NOT_INITIALIZED);
    add(&call, &work, type, "bbbb", a, (int64_t)1, b, (int64_t)1, c, (int64_t)1,
        d, (int64_t)1);
    if (last)
        add(&call, &work, type, "b", e, last);
    return blas_submit(h, &work, true);
}

#define ROTG(L, T, C)                                                          \
    cublasStatus_t cublas##L##rotg_v2(cublasHandle_t h, T *a, T *b, C *c,      \
                                      T *s)                                    \
    {                                                                          \
        return make_rotation(h, "cublas" #L "rotg", SW_LIB_##L, "rotg", a, b,  \
                             c, s, NULL, 0);                                   \
    }
ROTG(S, float, float)
ROTG(D, double, double)
ROTG(C, cuComplex, float)
ROTG(Z, cuDoubleComplex, double)
#define ROTMG(L, T)                                                            \
    cublasStatus_t cublas##L##rotmg_v2(cublasHandle_t h, T *d1, T *d2, T *x1,  \
                                       const T *y1, T *param)                  \
    {                                                                          \
        return make_rotation(h, "cublas" #L "rotmg", SW_LIB_##L, "rotmg", d1,  \
                             d2, x1, (T *)(uintptr_t)y1, param, ROTM_NUMBERS); \
    }
ROTMG(S, float)
ROTMG(D, double)

/* ---- numbers out of vectors ---- */

/* CBLAS: sizes by value, real results returned, complex ones by address. */
typedef enum {
    FLOAT,
    DOUBLE,
    INDEX,
    INDEX_64,
    DOT_FLOAT,
    DOT_DOUBLE,
    DOT_COMPLEX
} result_form;

typedef struct {
    sw_lib_routine *fn;
    result_form form;
    int n, incx, incy;
    const void *x, *y;
    void *result;
} reduction;

typedef float to_float(int, const void *, int);
typedef double to_double(int, const void *, int);
typedef size_t to_index(int, const void *, int);
typedef float dot_float(int, const void *, int, const void *, int);
typedef double dot_double(int, const void *, int, const void *, int);
typedef void dot_complex(int, const void *, int, const void *, int, void *);

/* The host's results need not be aligned. */
static bool
run_reduction(void *arg)
{
    const reduction *r = arg;
    float f;
    double d;
    int i;
    int64_t wide;
    switch (r->form) {
    case FLOAT:
        f = ((to_float *)r->fn)(r->n, r->x, r->incx);
        memcpy(r->result, &f, sizeof f);
        break;
    case DOUBLE:
        d = ((to_double *)r->fn)(r->n, r->x, r->incx);
        memcpy(r->result, &d, sizeof d);
        break;
    case INDEX:
        i = (int)((to_index *)r->fn)(r->n, r->x, r->incx) + 1;
        memcpy(r->result, &i, sizeof i);
        break;
    case INDEX_64:
        wide = (int64_t)((to_index *)r->fn)(r->n, r->x, r->incx) + 1;
        memcpy(r->result, &wide, sizeof wide);
        break;
    case DOT_FLOAT:
        f = ((dot_float *)r->fn)(r->n, r->x, r->incx, r->y, r->incy);
        memcpy(r->result, &f, sizeof f);
        break;
    case DOT_DOUBLE:
        d = ((dot_double *)r->fn)(r->n, r->x, r->incx, r->y, r->incy);
        memcpy(r->result, &d, sizeof d);
        break;
    case DOT_COMPLEX:
        ((dot_complex *)r->fn)(r->n, r->x, r->incx, r->y, r->incy, r->result);
        break;
    }
    return true;
}

/* Of no elements: zero bytes, which all results are then. */
typedef struct {
    void *at;
    size_t bytes;
} nothing;

static bool
run_nothing(void *arg)
{
    const nothing *z = arg;
    memset(z->at, 0, z->bytes);
    return true;
}

static void
add_vector(sw_lib_work *work, const void *x, int64_t n, int64_t step,
           size_t bytes)
{
    step = step < 0 ? -step : step;
    sw_lib_reads(work, x, (size_t)((n - 1) * step + 1) * bytes, 0, 1);
}

/* y NULL: of one vector, of which an increment that is not positive makes
 * nothing. */
static cublasStatus_t
reduce(cublasHandle_t h, const char *name, sw_lib_type type, const char *cblas,
       result_form form, size_t result_bytes, int64_t n, const void *x,
       int64_t incx, const void *y, int64_t incy, void *result)
{
    TRY(blas_check(h));
    VALID(result);
    REQUIRE(blas_fits(n) && blas_fits(incx) && blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    nothing zero = {result, result_bytes};
    reduction r = {.form = form,
                   .n = (int)n,
                   .incx = (int)incx,
                   .incy = (int)incy,
                   .x = x,
                   .y = y,
                   .result = result};
    bool is_empty = n <= 0 || (!y && incx <= 0);
    sw_lib_work work = {.name = name,
                        .fn = is_empty ? run_nothing : run_reduction,
                        .args = is_empty ? (const void *)&zero : &r,
                        .arg_bytes = is_empty ? sizeof zero : sizeof r};
    if (!is_empty) {
        void *found = sw_lib_host_find(SW_LIB_HOST_OPENBLAS, cblas);
        REQUIRE(found, CUBLAS_STATUS_NOT_INITIALIZED);
        memcpy(&r.fn, &found, sizeof found);
        size_t bytes = sw_lib_type_bytes(type);
        add_vector(&work, x, n, incx, bytes);
        if (y)
            add_vector(&work, y, n, incy, bytes);
    }
    sw_lib_writes(&work, result, result_bytes, 0, 1);
    return blas_submit(h, &work, true);
}

#define ONE_OF(name, T, type, R, N, suffix, cblas, form)                       \
    cublasStatus_t cublas##name##_v2##suffix(cublasHandle_t h, N n,            \
                                             const T *x, N incx, R *result)    \
    {                                                                          \
        return reduce(h, "cublas" #name, type, cblas, form, sizeof *result, n, \
                      x, incx, NULL, 0, result);                               \
    }
#define ONE(name, T, type, R, cblas, form)                                     \
    ONE_OF(name, T, type, R, int, , cblas, form)                               \
    ONE_OF(name, T, type, R, int64_t, _64, cblas, form)
ONE(Snrm2, float, SW_LIB_S, float, "cblas_snrm2", FLOAT)
ONE(Dnrm2, double, SW_LIB_D, double, "cblas_dnrm2", DOUBLE)
ONE(Scnrm2, cuComplex, SW_LIB_C, float, "cblas_scnrm2", FLOAT)
ONE(Dznrm2, cuDoubleComplex, SW_LIB_Z, double, "cblas_dznrm2", DOUBLE)
ONE(Sasum, float, SW_LIB_S, float, "cblas_sasum", FLOAT)
ONE(Dasum, double, SW_LIB_D, double, "cblas_dasum", DOUBLE)
ONE(Scasum, cuComplex, SW_LIB_C, float, "cblas_scasum", FLOAT)
ONE(Dzasum, cuDoubleComplex, SW_LIB_Z, double, "cblas_dzasum", DOUBLE)

/* Positions, from one. */
#define POSITION_OF(l, T, type, which, N, suffix, form)                        \
    cublasStatus_t cublasI##l##which##_v2##suffix(                             \
        cublasHandle_t h, N n, const T *x, N incx, N *result)                  \
    {                                                                          \
        return reduce(h, "cublasI" #l #which, type, "cblas_i" #l #which, form, \
                      sizeof *result, n, x, incx, NULL, 0, result);            \
    }
#define POSITION(L, l, T, type, which)                                         \
    POSITION_OF(l, T, type, which, int, , INDEX)                               \
    POSITION_OF(l, T, type, which, int64_t, _64, INDEX_64)
POSITION(S, s, float, SW_LIB_S, amax)
POSITION(D, d, double, SW_LIB_D, amax)
POSITION(C, c, cuComplex, SW_LIB_C, amax)
POSITION(Z, z, cuDoubleComplex, SW_LIB_Z, amax)
POSITION(S, s, float, SW_LIB_S, amin)
POSITION(D, d, double, SW_LIB_D, amin)
POSITION(C, c, cuComplex, SW_LIB_C, amin)
POSITION(Z, z, cuDoubleComplex, SW_LIB_Z, amin)

#define DOT_OF(name, T, type, N, suffix, cblas, form)                          \
    cublasStatus_t cublas##name##_v2##suffix(cublasHandle_t h, N n,            \
                                             const T *x, N incx, const T *y,   \
                                             N incy, T *result)                \
    {                                                                          \
        return reduce(h, "cublas" #name, type, cblas, form, sizeof *result, n, \
                      x, incx, y, incy, result);                               \
    }
#define DOT(name, T, type, cblas, form)                                        \
    DOT_OF(name, T, type, int, , cblas, form)                                  \
    DOT_OF(name, T, type, int64_t, _64, cblas, form)
DOT(Sdot, float, SW_LIB_S, "cblas_sdot", DOT_FLOAT)
DOT(Ddot, double, SW_LIB_D, "cblas_ddot", DOT_DOUBLE)
DOT(Cdotu, cuComplex, SW_LIB_C, "cblas_cdotu_sub", DOT_COMPLEX)
DOT(Cdotc, cuComplex, SW_LIB_C, "cblas_cdotc_sub", DOT_COMPLEX)
DOT(Zdotu, cuDoubleComplex, SW_LIB_Z, "cblas_zdotu_sub", DOT_COMPLEX)
DOT(Zdotc, cuDoubleComplex, SW_LIB_Z, "cblas_zdotc_sub", DOT_COMPLEX)
