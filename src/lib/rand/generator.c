/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generator.c - cuRAND's host generators: kernels of kernels.cu in the stream
 * of the generator, so that profiles, checkers and graphs see what they see of
 * a real one.
 *
 * Which state makes which number is what an H200 answered (tests/lib). Calls go
 * on where the last one ended: `next` is the number of units made (kernels.cu)
 * and, of Philox, of numbers.
 */
#define SW_LIB_ENTRIES "lib/rand/entries.def"
#include "lib/common/entries.h"

#include <pthread.h>
#include <stdio.h>

#include "cuda/curand.h"
#include "lib/common/lib.h"
#include "lib/rand/image.h"

enum { BLOCK = 256, MOST_BLOCKS = 1024, VERSION = 10400 };

/* What a call makes. */
typedef enum {
    BITS,
    UNIFORM,
    UNIFORM_DOUBLE,
    NORMAL,
    NORMAL_DOUBLE,
    LOG_NORMAL,
    LOG_NORMAL_DOUBLE,
    KINDS
} kind;

static const struct {
    const char *name; /* of the kernel, before the generator's */
    bool is_double;   /* 8 bytes a number */
    bool is_pair;     /* two numbers a unit */
} kinds[KINDS] = {
    {"bits", false, false},
    {"uniform", false, false},
    {"uniform_double", true, false},
    {"normal", false, true},
    {"normal_double", true, true},
    {"log_normal", false, true},
    {"log_normal_double", true, true},
};

typedef struct {
    curandRngType_t type;
    const char *name;   /* of its kernels */
    unsigned threads;   /* states that take turns */
    unsigned legacy;    /* the same, in legacy ordering */
    size_t state_bytes; /* 0: it has no states */
} generator_row;

static const generator_row rows[] = {
    {CURAND_RNG_PSEUDO_DEFAULT, "xorwow", 4096, 4096, 48},
    {CURAND_RNG_PSEUDO_XORWOW, "xorwow", 4096, 4096, 48},
    {CURAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a", 81920, 4096, 48},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, "philox", 65536, 65536, 0},
};

struct curandGenerator_st {
    struct curandGenerator_st *link; /* of all that there are */
    const generator_row *row;
    curandOrdering_t ordering;
    unsigned threads;
    unsigned long long seed, offset, next;
    bool is_on_host; /* results go to the host's memory */
    bool is_seeded;  /* the states are there */
    CUstream stream;
    CUmodule module;
    CUdeviceptr states; /* 0: not yet */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static curandGenerator_t generators;

static bool
is_generator(curandGenerator_t generator)
{
    pthread_mutex_lock(&lock);
    curandGenerator_t g = generators;
    while (g && g != generator)
        g = g->link;
    pthread_mutex_unlock(&lock);
    return g != NULL;
}

#define NEEDS(condition, status) REQUIRE(condition, CURAND_STATUS_##status)
#define REQUIRE_GENERATOR(g)     NEEDS(is_generator(g), NOT_INITIALIZED)

/* ---- generators ---- */

static curandStatus_t
find_row(curandRngType_t type, const generator_row **out)
{
    static const curandRngType_t known[] = {
        CURAND_RNG_PSEUDO_MTGP32,           CURAND_RNG_PSEUDO_MT19937,
        CURAND_RNG_QUASI_DEFAULT,           CURAND_RNG_QUASI_SOBOL32,
        CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64,
        CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type) {
            *out = &rows[i];
            return CURAND_STATUS_SUCCESS;
        }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == type)
            sw_lib_say("curandCreateGenerator: of the generators XORWOW, "
                       "MRG32k3a and Philox are supported");
    return CURAND_STATUS_TYPE_ERROR;
}

static curandStatus_t
create(curandGenerator_t *generator, curandRngType_t type, bool is_on_host)
{
    const generator_row *row;
    NEEDS(generator, NOT_INITIALIZED);
    curandStatus_t status = find_row(type, &row);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    if (!*rand_image) {
        sw_lib_say("curandCreateGenerator: Softwarp was built without clang, "
                   "which compiles the generators");
        return CURAND_STATUS_INITIALIZATION_FAILED;
    }
    NEEDS(sw_lib_enter() == CUDA_SUCCESS, INITIALIZATION_FAILED);
    CUmodule module;
    NEEDS(cuModuleLoadData(&module, rand_image) == CUDA_SUCCESS,
          INITIALIZATION_FAILED);
    curandGenerator_t g = sw_alloc(sizeof *g);
    *g = (struct curandGenerator_st){.row = row,
                                     .ordering = CURAND_ORDERING_PSEUDO_DEFAULT,
                                     .threads = row->threads,
                                     .is_on_host = is_on_host,
                                     .module = module};
    pthread_mutex_lock(&lock);
    g->link = generators;
    generators = g;
    pthread_mutex_unlock(&lock);
    *generator = g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandCreateGenerator(curandGenerator_t *generator, curandRngType_t rng_type)
{
    return create(generator, rng_type, false);
}

curandStatus_t
curandCreateGeneratorHost(curandGenerator_t *generator,
                          curandRngType_t rng_type)
{
    return create(generator, rng_type, true);
}

static void
drop_states(curandGenerator_t g)
{
    if (g->states)
        cuMemFree(g->states);
    g->states = 0;
    g->is_seeded = false;
    g->next = 0;
}

curandStatus_t
curandDestroyGenerator(curandGenerator_t generator)
{
    pthread_mutex_lock(&lock);
    curandGenerator_t *at = &generators;
    while (*at && *at != generator)
        at = &(*at)->link;
    bool found = *at != NULL;
    if (found)
        *at = generator->link;
    pthread_mutex_unlock(&lock);
    NEEDS(found, NOT_INITIALIZED);
    if (sw_lib_enter() == CUDA_SUCCESS) {
        sw_lib_wait(generator->stream);
        drop_states(generator);
        cuModuleUnload(generator->module);
    }
    sw_free(generator);
    return CURAND_STATUS_SUCCESS;
}

/* ---- what they are ---- */

curandStatus_t
curandGetVersion(int *version)
{
    NEEDS(version, OUT_OF_RANGE);
    *version = VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {VERSION / 1000, VERSION % 1000 / 100,
                                VERSION % 100};
    NEEDS(value && (unsigned)type < 3, OUT_OF_RANGE);
    *value = parts[type];
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    REQUIRE_GENERATOR(generator);
    generator->stream = (CUstream)stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                   unsigned long long seed)
{
    REQUIRE_GENERATOR(generator);
    generator->seed = seed;
    generator->is_seeded = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    REQUIRE_GENERATOR(generator);
    generator->offset = offset;
    generator->is_seeded = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    REQUIRE_GENERATOR(generator);
    NEEDS(order >= CURAND_ORDERING_PSEUDO_BEST &&
              order <= CURAND_ORDERING_PSEUDO_DYNAMIC,
          OUT_OF_RANGE);
    if (order == CURAND_ORDERING_PSEUDO_SEEDED ||
        order == CURAND_ORDERING_PSEUDO_DYNAMIC) {
        sw_lib_say("curandSetGeneratorOrdering: seeded and dynamic ordering "
                   "are not supported");
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    NEEDS(sw_lib_enter() == CUDA_SUCCESS, PREEXISTING_FAILURE);
    generator->ordering = order;
    sw_lib_wait(generator->stream);
    drop_states(generator);
    generator->threads = order == CURAND_ORDERING_PSEUDO_LEGACY
                             ? generator->row->legacy
                             : generator->row->threads;
    return CURAND_STATUS_SUCCESS;
}

/* ---- numbers ---- */

static curandStatus_t
launch(curandGenerator_t g, const char *what, uint64_t threads, void **args)
{
    char name[64];
    CUfunction f;
    uint64_t blocks = (threads + BLOCK - 1) / BLOCK;
    snprintf(name, sizeof name, "%s_%s", what, g->row->name);
    NEEDS(cuModuleGetFunction(&f, g->module, name) == CUDA_SUCCESS,
          INTERNAL_ERROR);
    NEEDS(cuLaunchKernel(f, (unsigned)blocks, 1, 1, BLOCK, 1, 1, 0, g->stream,
                         args, NULL) == CUDA_SUCCESS,
          LAUNCH_FAILURE);
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t
make_states(curandGenerator_t g)
{
    if (g->is_seeded)
        return CURAND_STATUS_SUCCESS;
    g->next = g->offset;
    if (g->row->state_bytes) {
        NEEDS(g->states ||
                  cuMemAlloc(&g->states, g->threads * g->row->state_bytes) ==
                      CUDA_SUCCESS,
              ALLOCATION_FAILED);
        void *args[] = {&g->states, &g->seed, &g->offset, &g->threads};
        curandStatus_t status = launch(g, "seed", g->threads, args);
        if (status != CURAND_STATUS_SUCCESS)
            return status;
    }
    g->is_seeded = true;
    return CURAND_STATUS_SUCCESS;
}

/* The numbers of one call; `out` is the device's. */
typedef struct {
    kind kind;
    size_t n;
    CUdeviceptr out;
    void *mean, *stddev; /* of the kernel's type */
} request;

static curandStatus_t
make_by_states(curandGenerator_t g, const request *r)
{
    unsigned long long units = kinds[r->kind].is_pair ? r->n / 2 : r->n;
    unsigned start = (unsigned)(g->next % g->threads);
    CUdeviceptr out = r->out;
    void *args[] = {&g->states, &g->threads, &start,   &out,
                    &units,     r->mean,     r->stddev};
    g->next += units;
    return launch(g, kinds[r->kind].name,
                  units < g->threads ? units : g->threads, args);
}

static curandStatus_t
make_by_count(curandGenerator_t g, const request *r)
{
    unsigned long long first = g->next, n = r->n;
    uint64_t fours = n / 4 + 2;
    CUdeviceptr out = r->out;
    void *args[] = {&g->seed, &g->threads, &first,   &out,
                    &n,       r->mean,     r->stddev};
    g->next += n;
    return launch(g, kinds[r->kind].name,
                  fours < BLOCK * MOST_BLOCKS ? fours : BLOCK * MOST_BLOCKS,
                  args);
}

static curandStatus_t
make(curandGenerator_t g, const request *r)
{
    curandStatus_t status = make_states(g);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    return g->row->state_bytes ? make_by_states(g, r) : make_by_count(g, r);
}

/* By way of memory of the device. */
static curandStatus_t
make_on_host(curandGenerator_t g, request *r, void *out)
{
    size_t bytes = r->n * (kinds[r->kind].is_double ? 8 : 4);
    NEEDS(cuMemAlloc(&r->out, bytes) == CUDA_SUCCESS, ALLOCATION_FAILED);
    curandStatus_t status = make(g, r);
    if (status == CURAND_STATUS_SUCCESS &&
        (sw_lib_wait(g->stream) != CUDA_SUCCESS ||
         cuMemcpyDtoH(out, r->out, bytes) != CUDA_SUCCESS))
        status = CURAND_STATUS_LAUNCH_FAILURE;
    cuMemFree(r->out);
    return status;
}

static curandStatus_t
generate(curandGenerator_t g, kind what, void *out, size_t n, double mean,
         double stddev)
{
    REQUIRE_GENERATOR(g);
    NEEDS(!kinds[what].is_pair || !g->row->state_bytes || n % 2 == 0,
          LENGTH_NOT_MULTIPLE);
    if (n == 0)
        return CURAND_STATUS_SUCCESS;
    NEEDS(sw_lib_enter() == CUDA_SUCCESS, PREEXISTING_FAILURE);
    float mean_f = (float)mean, stddev_f = (float)stddev;
    bool is_double = kinds[what].is_double;
    request r = {.kind = what,
                 .n = n,
                 .out = (CUdeviceptr)(uintptr_t)out,
                 .mean = is_double ? (void *)&mean : &mean_f,
                 .stddev = is_double ? (void *)&stddev : &stddev_f};
    return g->is_on_host ? make_on_host(g, &r, out) : make(g, &r);
}

curandStatus_t
curandGenerateSeeds(curandGenerator_t generator)
{
    REQUIRE_GENERATOR(generator);
    NEEDS(sw_lib_enter() == CUDA_SUCCESS, PREEXISTING_FAILURE);
    return make_states(generator);
}

curandStatus_t
curandGenerate(curandGenerator_t generator, unsigned int *outputPtr, size_t num)
{
    return generate(generator, BITS, outputPtr, num, 0, 1);
}

curandStatus_t
curandGenerateUniform(curandGenerator_t generator, float *outputPtr, size_t num)
{
    return generate(generator, UNIFORM, outputPtr, num, 0, 1);
}

curandStatus_t
curandGenerateUniformDouble(curandGenerator_t generator, double *outputPtr,
                            size_t num)
{
    return generate(generator, UNIFORM_DOUBLE, outputPtr, num, 0, 1);
}

curandStatus_t
curandGenerateNormal(curandGenerator_t generator, float *outputPtr, size_t n,
                     float mean, float stddev)
{
    return generate(generator, NORMAL, outputPtr, n, mean, stddev);
}

curandStatus_t
curandGenerateNormalDouble(curandGenerator_t generator, double *outputPtr,
                           size_t n, double mean, double stddev)
{
    return generate(generator, NORMAL_DOUBLE, outputPtr, n, mean, stddev);
}

curandStatus_t
curandGenerateLogNormal(curandGenerator_t generator, float *outputPtr, size_t n,
                        float mean, float stddev)
{
    return generate(generator, LOG_NORMAL, outputPtr, n, mean, stddev);
}

curandStatus_t
curandGenerateLogNormalDouble(curandGenerator_t generator, double *outputPtr,
                              size_t n, double mean, double stddev)
{
    return generate(generator, LOG_NORMAL_DOUBLE, outputPtr, n, mean, stddev);
}
