/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib.h - what the libraries of src/lib share: the vendor's libraries, each a
 * thin layer over a library of the host.
 *
 * Device memory is host memory here, so nothing is copied. A call checks its
 * arguments, puts what it needs into a struct, and submits a computation: a
 * function that a worker of the engine runs when the stream's turn has come.
 * Scalars that lie on the device are read then, others are in the struct. In a
 * stream that is captured the computation becomes a node of the graph.
 *
 * A folder has entries.def, a row for each exported function:
 *
 *     ENTRY(symbol, versions, state, what is missing)
 *
 * versions: those of CUDA whose library has it, of L11, L12, L13; ALL of them.
 * state: DONE, PARTIAL, or NONE: the call returns the library's status for what
 * it does not support (refusal.h of the folder) and says so once. What is
 * exported, the rows of docs/support.md and the answers of `softwarp support`
 * are made of it. Functions of our own are defined under their public names, in
 * files that include api/entry.h's renaming first (entries.h of this folder).
 *
 * Any thread. Does NOT know any library's handles or statuses.
 */
#ifndef SW_LIB_H
#define SW_LIB_H
#include "base/base.h"
#include "cuda/cuda.h"
#include "rt/compute.h"

/* The CUDA version of the library that a program has loaded: 11, 12 or 13. */
extern const int sw_lib_cuda;
/* Its soname. */
extern const char *const sw_lib_soname;

/* ---- contexts and streams ---- */

/* Makes the primary context of the first device current if this thread has
 * none, as the runtime does. */
CUresult sw_lib_enter(void);
/* Returns when all that the stream has is done. */
CUresult sw_lib_wait(CUstream stream);
bool sw_lib_is_capturing(CUstream stream);

/* ---- computations ---- */

enum { SW_LIB_ACCESSES = 16 };

typedef struct {
    const char *name;         /* static: what profiles show */
    bool (*fn)(void *args);   /* as sw_rt_compute's */
    void (*drop)(void *args); /* or NULL: frees what the arguments own */
    const void *args;         /* copied */
    size_t arg_bytes;
    sw_rt_access accesses[SW_LIB_ACCESSES];
    size_t access_count;
} sw_lib_work;

/* `rows` runs of `width` bytes, `pitch` bytes apart. Nothing if a size is 0. */
void sw_lib_reads(sw_lib_work *work, const void *at, size_t width, size_t pitch,
                  size_t rows);
/* It may read them as well. */
void sw_lib_writes(sw_lib_work *work, const void *at, size_t width,
                   size_t pitch, size_t rows);
/* In stream order. Returns at once; errors are the context's or the stream's.
 * `drop` is called in any case. */
CUresult sw_lib_submit(CUstream stream, const sw_lib_work *work);

/* Whether a computation may access what an array on the device points to; the
 * host's own memory it may. */
bool sw_lib_is_there(const void *at, size_t width, size_t pitch, size_t rows);

/* A number that the program has on the device or on the host. */
typedef struct {
    const void *device; /* NULL: it is `value` */
    _Alignas(16) unsigned char value[16];
} sw_lib_scalar;

/* `bytes` up to 16. A scalar of the device is one that `work` reads. */
sw_lib_scalar sw_lib_scalar_of(const void *at, bool is_device, size_t bytes,
                               sw_lib_work *work);
/* While the computation runs. */
const void *sw_lib_scalar_get(const sw_lib_scalar *scalar);

/* ---- libraries of the host ---- */

/* One of host_libraries.def. */
typedef enum {
#define HOST_LIBRARY(name, file, package) SW_LIB_HOST_##name,
#include "lib/common/host_libraries.def"
#undef HOST_LIBRARY
    SW_LIB_HOST_COUNT
} sw_lib_host;

/* Loads it when it is first asked for. False if it is not installed, after
 * saying once which package has it. */
bool sw_lib_host_has(sw_lib_host library);
/* A function of it; NULL, and it has been said why. */
void *sw_lib_host_find(sw_lib_host library, const char *function);

/* ---- refusals ---- */

/* Says once for each name that the function is not supported. */
void sw_lib_say_refused(const char *function);
/* Says, once for each text, what a call cannot do: "cublasLtMatmul: ...". */
void sw_lib_say(const char *text);

/* ---- leaving a function of a library with its status; success is 0 ---- */

/* Returns `status` unless the condition holds. */
#define REQUIRE(condition, status)                                             \
    do {                                                                       \
        if (!(condition))                                                      \
            return status;                                                     \
    } while (0)
/* Returns what the expression of this type of status says, unless success. */
#define TRY_AS(type, expression)                                               \
    do {                                                                       \
        type tried_ = (expression);                                            \
        if (tried_)                                                            \
            return tried_;                                                     \
    } while (0)

#endif
