/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - see solver.h: handles, and calls of LAPACK. */
#include <string.h>

#include "lib/cusolver/solver.h"

cusolverStatus_t
solver_check(cusolverDnHandle_t handle)
{
    return handle && handle->magic == SOLVER_HANDLE
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_NOT_INITIALIZED;
}

cusolverStatus_t
solver_status(CUresult result)
{
    return result == CUDA_SUCCESS ? CUSOLVER_STATUS_SUCCESS
           : result == CUDA_ERROR_NOT_INITIALIZED
               ? CUSOLVER_STATUS_NOT_INITIALIZED
               : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t
cusolverDnCreate(cusolverDnHandle_t *handle)
{
    VALID(handle);
    TRY(solver_status(sw_lib_enter()));
    REQUIRE(sw_lib_host_has(SW_LIB_HOST_OPENBLAS),
            CUSOLVER_STATUS_NOT_INITIALIZED);
    *handle = sw_alloc(sizeof **handle);
    **handle = (struct cusolverDnContext){
        .magic = SOLVER_HANDLE, .determinism = CUSOLVER_DETERMINISTIC_RESULTS};
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnDestroy(cusolverDnHandle_t handle)
{
    TRY(solver_check(handle));
    handle->magic = 0;
    sw_free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
    TRY(solver_check(handle));
    handle->stream = (CUstream)stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *stream)
{
    TRY(solver_check(handle));
    VALID(stream);
    *stream = (cudaStream_t)handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnSetDeterministicMode(cusolverDnHandle_t handle,
                               cusolverDeterministicMode_t mode)
{
    TRY(solver_check(handle));
    handle->determinism = mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnGetDeterministicMode(cusolverDnHandle_t handle,
                               cusolverDeterministicMode_t *mode)
{
    TRY(solver_check(handle));
    VALID(mode);
    *mode = handle->determinism;
    return CUSOLVER_STATUS_SUCCESS;
}

/* One soname for CUDA 11 and 12: the newer. */
cusolverStatus_t
cusolverGetVersion(int *version)
{
    VALID(version);
    *version = sw_lib_cuda == 13 ? 12004 : 11705;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverGetProperty(libraryPropertyType type, int *value)
{
    int version;
    VALID(value && (unsigned)type <= PATCH_LEVEL);
    cusolverGetVersion(&version);
    *value = type == MAJOR_VERSION   ? version / 1000
             : type == MINOR_VERSION ? version / 100 % 10
                                     : version % 100;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- LAPACK ---- */

sw_lib_routine *
solver_find(const char *routine, sw_lib_type type)
{
    static const char *const names[][2] = {
        {"orgqr", "ungqr"}, {"ormqr", "unmqr"}, {"syevd", "heevd"},
        {"sygvd", "hegvd"}, {"sytrd", "hetrd"}, {"orgtr", "ungtr"},
        {"ormtr", "unmtr"}, {"orgbr", "ungbr"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sw_lib_type_is_complex(type) && strcmp(names[i][0], routine) == 0)
            routine = names[i][1];
    return sw_lib_find_routine(routine, type, NULL);
}

/* What a query has put into the first element. */
static int
size_of(sw_lib_type type, const void *first)
{
    double size = sw_lib_type_real_bytes(type) == sizeof(float)
                      ? (double)*(const float *)first
                      : *(const double *)first;
    return (int)size + 1;
}

void
solver_run(sw_lib_routine *fn, sw_lib_type type, solver_tail tail,
           int64_t reals, const void *const *addresses, size_t count, int *info)
{
    const void *p[SW_LIB_ARGUMENTS];
    bool is_complex = sw_lib_type_is_complex(type);
    size_t bytes = sw_lib_type_bytes(type);
    size_t real_bytes = sw_lib_type_real_bytes(type);
    _Alignas(16) unsigned char first[16] = {0}, first_real[8] = {0};
    int lwork = -1, lrwork = -1, liwork = -1, integers = 0, ignored;
    void *work = first, *rwork = first_real, *own_rwork = NULL;
    int *iwork = &integers;
    memcpy(p, addresses, count * sizeof *p);
    if (tail == SOLVER_WORK_REALS && is_complex)
        rwork = own_rwork = sw_alloc((size_t)(reals + 1) * real_bytes);
    for (int round = tail == SOLVER_NOTHING; round < 2; round++) {
        size_t n = count;
        if (tail != SOLVER_NOTHING) {
            p[n++] = work;
            p[n++] = &lwork;
        }
        if (tail >= SOLVER_WORK_REALS && is_complex)
            p[n++] = rwork;
        if (tail == SOLVER_WORK_INTEGERS && is_complex)
            p[n++] = &lrwork;
        if (tail == SOLVER_WORK_INTEGERS) {
            p[n++] = iwork;
            p[n++] = &liwork;
        }
        p[n++] = round ? info : &ignored;
        sw_lib_routine_call(fn, p, n);
        if (round)
            break;
        lwork = size_of(type, first);
        work = sw_alloc((size_t)lwork * bytes);
        if (tail == SOLVER_WORK_INTEGERS) {
            liwork = integers > 0 ? integers : 1;
            iwork = sw_alloc((size_t)liwork * sizeof *iwork);
            lrwork = size_of(type, first_real);
            rwork = own_rwork = sw_alloc((size_t)lrwork * real_bytes);
        }
    }
    if (work != first)
        sw_free(work);
    if (iwork != &integers)
        sw_free(iwork);
    sw_free(own_rwork);
}

typedef struct {
    sw_lib_call call;
    sw_lib_type type;
    solver_tail tail;
    int64_t reals;
    int *info;
} job;

static bool
run(void *arg)
{
    const job *j = arg;
    const void *p[SW_LIB_ARGUMENTS];
    int ignored;
    for (uint32_t i = 0; i < j->call.count; i++)
        p[i] = j->call.arguments[i].kind == SW_LIB_VALUE
                   ? (const void *)&j->call.arguments[i].value
                   : j->call.arguments[i].address;
    solver_run(j->call.fn, j->type, j->tail, j->reals, p, j->call.count,
               j->info ? j->info : &ignored);
    return true;
}

cusolverStatus_t
solver_call(cusolverDnHandle_t handle, const char *name, sw_lib_type type,
            const char *routine, solver_tail tail, int64_t reals, int *info,
            const char *format, ...)
{
    job j = {.type = type, .tail = tail, .reals = reals, .info = info};
    sw_lib_work work = {
        .name = name, .fn = run, .args = &j, .arg_bytes = sizeof j};
    va_list list;
    j.call.fn = solver_find(routine, type);
    REQUIRE(j.call.fn, CUSOLVER_STATUS_NOT_INITIALIZED);
    va_start(list, format);
    sw_lib_call_add(&j.call, &work, type, format, list);
    va_end(list);
    if (info)
        sw_lib_writes(&work, info, sizeof *info, 0, 1);
    return solver_status(sw_lib_submit(handle->stream, &work));
}
