/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solver.h - what the files of this folder share: cuSOLVER for dense matrices
 * on the LAPACK that is in OpenBLAS.
 *
 * LAPACK's work spaces are allocated while a routine runs; those of the program
 * are not used, and one element is what is asked of it.
 */
#ifndef SW_CUSOLVER_SOLVER_H
#define SW_CUSOLVER_SOLVER_H
#define SW_LIB_ENTRIES "lib/cusolver/entries.def"
#include "lib/common/entries.h"

#include "cuda/cusolverDn.h"
#include "lib/common/fortran.h"
#include "lib/common/lib.h"

enum { SOLVER_HANDLE = 0x63755376 };

struct cusolverDnContext {
    uint32_t magic; /* SOLVER_HANDLE while it lives */
    CUstream stream;
    cusolverDeterministicMode_t determinism;
};

#define TRY(expression)  TRY_AS(cusolverStatus_t, expression)
#define VALID(condition) REQUIRE(condition, CUSOLVER_STATUS_INVALID_VALUE)

/* MACRO(letter, C type, type of the real part) for each type of elements. */
#define FOR_REAL(MACRO) MACRO(S, float, float) MACRO(D, double, double)
#define FOR_COMPLEX(MACRO)                                                     \
    MACRO(C, cuComplex, float) MACRO(Z, cuDoubleComplex, double)
#define FOR_ALL(MACRO) FOR_REAL(MACRO) FOR_COMPLEX(MACRO)

/* What a routine of LAPACK has behind its arguments, before info. */
typedef enum {
    SOLVER_NOTHING,
    SOLVER_WORK,          /* work, lwork */
    SOLVER_WORK_REALS,    /* the same, rwork; only if complex */
    SOLVER_WORK_INTEGERS, /* work, lwork, iwork, liwork; if complex rwork and
                             lrwork between */
} solver_tail;

cusolverStatus_t solver_check(cusolverDnHandle_t handle);
cusolverStatus_t solver_status(CUresult result);
/* Submits a routine: sw_lib_call_add's arguments. reals: elements of rwork.
 * info: of the device. */
cusolverStatus_t solver_call(cusolverDnHandle_t handle, const char *name,
                             sw_lib_type type, const char *routine,
                             solver_tail tail, int64_t reals, int *info,
                             const char *format, ...);
/* Runs a routine now, with addresses as its first arguments; what `info` says
 * is LAPACK's. */
void solver_run(sw_lib_routine *fn, sw_lib_type type, solver_tail tail,
                int64_t reals, const void *const *addresses, size_t count,
                int *info);
/* Its letters for complex elements may differ: orgqr, ungqr. NULL, and it has
 * been said why. */
sw_lib_routine *solver_find(const char *routine, sw_lib_type type);

static inline int64_t
solver_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
