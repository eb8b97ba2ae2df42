/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generator.c - cuRAND's host generators: kernels of kernels.cu in the stream
 * of the generator, so that profiles, checkers and graphs see what they see of
 * a real one.
 *
 * Which state makes which number is what an H200 answered (tests/lib). Calls go
 * on where the last one ended: `next` is the number of units made (kernels.cu)
 * and, of all but XORWOW and MRG32k3a, of numbers.
 */
#include "lib/rand/generator.h"

#include <pthread.h>
#include <stdio.h>

#include "lib/rand/image.h"

enum { BLOCK = 256, MOST_BLOCKS = 1024, VERSION = 10400 };

const sw_rand_kind_row sw_rand_kinds[] = {
    [SW_RAND_BITS] = {"bits", 4, false},
    [SW_RAND_LONG_BITS] = {"bits", 8, false},
    [SW_RAND_UNIFORM] = {"uniform", 4, false},
    [SW_RAND_UNIFORM_DOUBLE] = {"uniform_double", 8, false},
    [SW_RAND_NORMAL] = {"normal", 4, true},
    [SW_RAND_NORMAL_DOUBLE] = {"normal_double", 8, true},
    [SW_RAND_LOG_NORMAL] = {"log_normal", 4, true},
    [SW_RAND_LOG_NORMAL_DOUBLE] = {"log_normal_double", 8, true},
    [SW_RAND_POISSON] = {"poisson", 4, false},
};

static curandStatus_t make_by_states(curandGenerator_t g,
                                     const sw_rand_request *r);
static curandStatus_t make_by_count(curandGenerator_t g,
                                    const sw_rand_request *r);

#define XORWOW  "xorwow", 4096, 4096, 48, make_by_states
#define SOBOL32 "sobol32", 0, 0, 0, sw_rand_make_sobol
#define SOBOL64 "sobol64", 0, 0, 0, sw_rand_make_sobol
static const sw_rand_row rows[] = {
    {CURAND_RNG_PSEUDO_DEFAULT, XORWOW},
    {CURAND_RNG_PSEUDO_XORWOW, XORWOW},
    {CURAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a", 81920, 4096, 48, make_by_states},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, "philox", 65536, 65536, 0, make_by_count},
    {CURAND_RNG_PSEUDO_MTGP32, "mtgp32", 192, 64, 0, sw_rand_make_mtgp32},
    {CURAND_RNG_PSEUDO_MT19937, "mt19937", 0, 0, 0, sw_rand_make_mt19937},
    {CURAND_RNG_QUASI_DEFAULT, SOBOL32},
    {CURAND_RNG_QUASI_SOBOL32, SOBOL32},
    {CURAND_RNG_QUASI_SOBOL64, SOBOL64},
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

#define REQUIRE_GENERATOR(g) NEEDS(is_generator(g), NOT_INITIALIZED)

/* ---- generators ---- */

static curandStatus_t
find_row(curandRngType_t type, const sw_rand_row **out)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == type) {
            *out = &rows[i];
            return CURAND_STATUS_SUCCESS;
        }
    if (type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
        type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
        sw_lib_say("curandCreateGenerator: scrambled Sobol generators are not "
                   "supported; CURAND_RNG_QUASI_SOBOL32 and _SOBOL64 are");
    return CURAND_STATUS_TYPE_ERROR;
}

static curandStatus_t
create(curandGenerator_t *generator, curandRngType_t type, bool is_on_host)
{
    const sw_rand_row *row;
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
                                     .dimensions = 1,
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
    CUdeviceptr *all[] = {&g->states, &g->extra};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (*all[i])
            cuMemFree(*all[i]);
        *all[i] = 0;
    }
    g->is_seeded = false;
    g->next = g->made = 0;
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

/* Of a quasirandom generator, whose numbers no seed changes. */
static bool
is_quasi(curandGenerator_t g)
{
    return g->row->type >= CURAND_RNG_QUASI_DEFAULT;
}

curandStatus_t
curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                   unsigned long long seed)
{
    REQUIRE_GENERATOR(generator);
    NEEDS(!is_quasi(generator), TYPE_ERROR);
    generator->seed = seed;
    generator->is_seeded = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    REQUIRE_GENERATOR(generator);
    NEEDS(generator->row->type != CURAND_RNG_PSEUDO_MTGP32 &&
              generator->row->type != CURAND_RNG_PSEUDO_MT19937,
          TYPE_ERROR);
    generator->offset = offset;
    generator->is_seeded = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                        unsigned int num_dimensions)
{
    REQUIRE_GENERATOR(generator);
    NEEDS(is_quasi(generator), TYPE_ERROR);
    NEEDS(num_dimensions >= 1 && num_dimensions <= SW_RAND_DIMENSIONS,
          OUT_OF_RANGE);
    NEEDS(sw_lib_enter() == CUDA_SUCCESS, PREEXISTING_FAILURE);
    sw_lib_wait(generator->stream);
    drop_states(generator);
    generator->dimensions = num_dimensions;
    return CURAND_STATUS_SUCCESS;
}

/* Which orderings a device's library takes. Seeded and dynamic ordering are of
 * other numbers, which are not known here. */
static curandStatus_t
check_ordering(curandGenerator_t g, curandOrdering_t order)
{
    if (is_quasi(g)) {
        NEEDS(order == CURAND_ORDERING_QUASI_DEFAULT, OUT_OF_RANGE);
        return CURAND_STATUS_SUCCESS;
    }
    if (order == CURAND_ORDERING_PSEUDO_SEEDED ||
        order == CURAND_ORDERING_PSEUDO_DYNAMIC) {
        sw_lib_say("curandSetGeneratorOrdering: seeded and dynamic ordering "
                   "are not supported");
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    NEEDS(order >= CURAND_ORDERING_PSEUDO_BEST &&
              order <= CURAND_ORDERING_PSEUDO_LEGACY,
          OUT_OF_RANGE);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    REQUIRE_GENERATOR(generator);
    TRY_AS(curandStatus_t, check_ordering(generator, order));
    NEEDS(sw_lib_enter() == CUDA_SUCCESS, PREEXISTING_FAILURE);
    sw_lib_wait(generator->stream);
    drop_states(generator);
    generator->threads = order == CURAND_ORDERING_PSEUDO_LEGACY
                             ? generator->row->legacy
                             : generator->row->threads;
    return CURAND_STATUS_SUCCESS;
}

/* ---- numbers ---- */

curandStatus_t
sw_rand_launch(curandGenerator_t g, const char *what, unsigned x, unsigned y,
               unsigned block, void **args)
{
    char name[64];
    CUfunction f;
    snprintf(name, sizeof name, "%s_%s", what, g->row->name);
    NEEDS(cuModuleGetFunction(&f, g->module, name) == CUDA_SUCCESS,
          INTERNAL_ERROR);
    NEEDS(cuLaunchKernel(f, x, y, 1, block, 1, 1, 0, g->stream, args, NULL) ==
              CUDA_SUCCESS,
          LAUNCH_FAILURE);
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t
launch(curandGenerator_t g, const char *what, uint64_t threads, void **args)
{
    return sw_rand_launch(g, what, (unsigned)((threads + BLOCK - 1) / BLOCK), 1,
                          BLOCK, args);
}

curandStatus_t
sw_rand_allocate(CUdeviceptr *out, size_t bytes)
{
    NEEDS(*out || cuMemAlloc(out, bytes) == CUDA_SUCCESS, ALLOCATION_FAILED);
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t
make_states(curandGenerator_t g)
{
    if (g->is_seeded)
        return CURAND_STATUS_SUCCESS;
    g->next = g->offset;
    g->made = 0;
    if (g->row->state_bytes) {
        TRY_AS(curandStatus_t,
               sw_rand_allocate(&g->states, g->threads * g->row->state_bytes));
        void *args[] = {&g->states, &g->seed, &g->offset, &g->threads};
        curandStatus_t status = launch(g, "seed", g->threads, args);
        if (status != CURAND_STATUS_SUCCESS)
            return status;
    }
    g->is_seeded = true;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t
make_by_states(curandGenerator_t g, const sw_rand_request *r)
{
    unsigned long long units = sw_rand_kinds[r->kind].is_pair ? r->n / 2 : r->n;
    unsigned start = (unsigned)(g->next % g->threads);
    CUdeviceptr out = r->out;
    void *args[] = {&g->states, &g->threads, &start,   &out,
                    &units,     r->mean,     r->stddev};
    g->next += units;
    return launch(g, sw_rand_kinds[r->kind].name,
                  units < g->threads ? units : g->threads, args);
}

static curandStatus_t
make_by_count(curandGenerator_t g, const sw_rand_request *r)
{
    unsigned long long first = g->next, n = r->n;
    uint64_t fours = n / 4 + 2;
    CUdeviceptr out = r->out;
    void *args[] = {&g->seed, &g->threads, &first,   &out,
                    &n,       r->mean,     r->stddev};
    g->next += n;
    return launch(g, sw_rand_kinds[r->kind].name,
                  fours < BLOCK * MOST_BLOCKS ? fours : BLOCK * MOST_BLOCKS,
                  args);
}

static curandStatus_t
make(curandGenerator_t g, const sw_rand_request *r)
{
    curandStatus_t status = make_states(g);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    return g->row->make(g, r);
}

/* By way of memory of the device. */
static curandStatus_t
make_on_host(curandGenerator_t g, sw_rand_request *r, void *out)
{
    size_t bytes = r->n * sw_rand_kinds[r->kind].bytes;
    NEEDS(cuMemAlloc(&r->out, bytes) == CUDA_SUCCESS, ALLOCATION_FAILED);
    curandStatus_t status = make(g, r);
    if (status == CURAND_STATUS_SUCCESS &&
        (sw_lib_wait(g->stream) != CUDA_SUCCESS ||
         cuMemcpyDtoH(out, r->out, bytes) != CUDA_SUCCESS))
        status = CURAND_STATUS_LAUNCH_FAILURE;
    cuMemFree(r->out);
    return status;
}

/* Whether the generator makes such numbers, and so many. */
static curandStatus_t
check(curandGenerator_t g, sw_rand_kind what, size_t n)
{
    bool is_long = g->row->type == CURAND_RNG_QUASI_SOBOL64;
    NEEDS(what != (is_long ? SW_RAND_BITS : SW_RAND_LONG_BITS), TYPE_ERROR);
    NEEDS(!sw_rand_kinds[what].is_pair || !g->row->state_bytes || n % 2 == 0,
          LENGTH_NOT_MULTIPLE);
    NEEDS(n % g->dimensions == 0, LENGTH_NOT_MULTIPLE);
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t
generate(curandGenerator_t g, sw_rand_kind what, void *out, size_t n,
         double mean, double stddev)
{
    REQUIRE_GENERATOR(g);
    TRY_AS(curandStatus_t, check(g, what, n));
    if (n == 0)
        return CURAND_STATUS_SUCCESS;
    NEEDS(sw_lib_enter() == CUDA_SUCCESS, PREEXISTING_FAILURE);
    float mean_f = (float)mean, stddev_f = (float)stddev;
    bool is_double =
        what == SW_RAND_POISSON || sw_rand_kinds[what].bytes == sizeof(double);
    sw_rand_request r = {.kind = what,
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
    return generate(generator, SW_RAND_BITS, outputPtr, num, 0, 1);
}

curandStatus_t
curandGenerateLongLong(curandGenerator_t generator,
                       unsigned long long *outputPtr, size_t num)
{
    return generate(generator, SW_RAND_LONG_BITS, outputPtr, num, 0, 1);
}

curandStatus_t
curandGenerateUniform(curandGenerator_t generator, float *outputPtr, size_t num)
{
    return generate(generator, SW_RAND_UNIFORM, outputPtr, num, 0, 1);
}

curandStatus_t
curandGenerateUniformDouble(curandGenerator_t generator, double *outputPtr,
                            size_t num)
{
    return generate(generator, SW_RAND_UNIFORM_DOUBLE, outputPtr, num, 0, 1);
}

curandStatus_t
curandGenerateNormal(curandGenerator_t generator, float *outputPtr, size_t n,
                     float mean, float stddev)
{
    return generate(generator, SW_RAND_NORMAL, outputPtr, n, mean, stddev);
}

curandStatus_t
curandGenerateNormalDouble(curandGenerator_t generator, double *outputPtr,
                           size_t n, double mean, double stddev)
{
    return generate(generator, SW_RAND_NORMAL_DOUBLE, outputPtr, n, mean,
                    stddev);
}

curandStatus_t
curandGenerateLogNormal(curandGenerator_t generator, float *outputPtr, size_t n,
                        float mean, float stddev)
{
    return generate(generator, SW_RAND_LOG_NORMAL, outputPtr, n, mean, stddev);
}

curandStatus_t
curandGenerateLogNormalDouble(curandGenerator_t generator, double *outputPtr,
                              size_t n, double mean, double stddev)
{
    return generate(generator, SW_RAND_LOG_NORMAL_DOUBLE, outputPtr, n, mean,
                    stddev);
}

curandStatus_t
curandGeneratePoisson(curandGenerator_t generator, unsigned int *outputPtr,
                      size_t n, double lambda)
{
    const double MOST = 400000;
    REQUIRE_GENERATOR(generator);
    NEEDS(lambda > 0 && lambda <= MOST, OUT_OF_RANGE);
    return generate(generator, SW_RAND_POISSON, outputPtr, n, lambda, 0);
}
