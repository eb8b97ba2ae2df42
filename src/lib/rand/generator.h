/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generator.h - inside rand: a generator, and how each kind of generator makes
 * the numbers of a call.
 *
 * A generator has tables and states in memory of the device, which kernels of
 * kernels.cu read and write in the generator's stream. One thread at a time may
 * use a generator.
 */
#ifndef SW_RAND_GENERATOR_H
#define SW_RAND_GENERATOR_H
#define SW_LIB_ENTRIES "lib/rand/entries.def"
#include "lib/common/entries.h"

#include "cuda/curand.h"
#include "lib/common/lib.h"

enum { SW_RAND_DIMENSIONS = 20000 };

/* What a call makes. */
typedef enum {
    SW_RAND_BITS,
    SW_RAND_LONG_BITS, /* 64 bits */
    SW_RAND_UNIFORM,
    SW_RAND_UNIFORM_DOUBLE,
    SW_RAND_NORMAL,
    SW_RAND_NORMAL_DOUBLE,
    SW_RAND_LOG_NORMAL,
    SW_RAND_LOG_NORMAL_DOUBLE,
    SW_RAND_POISSON
} sw_rand_kind;

typedef struct {
    const char *name; /* of the kernel, before the generator's */
    size_t bytes;     /* of a number */
    bool is_pair;     /* two numbers a unit, of generators with states */
} sw_rand_kind_row;

extern const sw_rand_kind_row sw_rand_kinds[]; /* by sw_rand_kind */

/* The numbers of one call, at least one; `out` is the device's. */
typedef struct {
    sw_rand_kind kind;
    size_t n;
    CUdeviceptr out;
    void *mean, *stddev; /* of the kernel's type */
} sw_rand_request;

typedef struct {
    curandRngType_t type;
    const char *name;   /* of its kernels */
    unsigned threads;   /* states that take turns */
    unsigned legacy;    /* the same, in legacy ordering */
    size_t state_bytes; /* of one that the kernel seed_NAME makes; 0: none */
    curandStatus_t (*make)(curandGenerator_t g, const sw_rand_request *r);
} sw_rand_row;

struct curandGenerator_st {
    struct curandGenerator_st *link; /* of all that there are */
    const sw_rand_row *row;
    unsigned threads, dimensions;
    unsigned long long seed, offset, next;
    unsigned long long made; /* MTGP32: rounds; MT19937: states */
    bool is_on_host;         /* results go to the host's memory */
    bool is_seeded;          /* the states are there */
    CUstream stream;
    CUmodule module;
    CUdeviceptr states, extra; /* 0: not yet */
};

#define NEEDS(condition, status) REQUIRE(condition, CURAND_STATUS_##status)

/* The kernel WHAT_NAME of x by y blocks of so many threads. */
curandStatus_t sw_rand_launch(curandGenerator_t g, const char *what, unsigned x,
                              unsigned y, unsigned block, void **args);
/* Unless *out is there. */
curandStatus_t sw_rand_allocate(CUdeviceptr *out, size_t bytes);

/* sw_rand_row.make of these. */
curandStatus_t sw_rand_make_mtgp32(curandGenerator_t g,
                                   const sw_rand_request *r);
curandStatus_t sw_rand_make_mt19937(curandGenerator_t g,
                                    const sw_rand_request *r);
curandStatus_t sw_rand_make_sobol(curandGenerator_t g,
                                  const sw_rand_request *r);

#endif
