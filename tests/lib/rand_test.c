/* SPDX-License-Identifier: Apache-2.0 */
/* rand_test.c - cuRAND's host generators: the numbers of an H200, for kinds,
 * seeds, offsets, orderings and calls one after the other; wrong calls. */
#include <curand.h>

#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

enum { MOST = 21000, WORDS = 2 * MOST };

/* A row of data/h200_rand.csv. */
typedef struct {
    int type, ordering, call, status;
    unsigned dimensions; /* 0: it is not said */
    char kind[32];
    unsigned long long seed, offset, digest;
    size_t count;
} row;

static bool
read_row(const char *line, row *r)
{
    return sscanf(line, "%d,%31[^,],%llx,%llu,%d,%u,%d,%zu,%d,%llx", &r->type,
                  r->kind, &r->seed, &r->offset, &r->ordering, &r->dimensions,
                  &r->call, &r->count, &r->status, &r->digest) == 10;
}

static curandGenerator_t
create(const row *r)
{
    curandGenerator_t g = NULL;
    CHECK_EQ(curandCreateGenerator(&g, (curandRngType_t)r->type),
             CURAND_STATUS_SUCCESS);
    if (r->ordering)
        CHECK_EQ(curandSetGeneratorOrdering(g, (curandOrdering_t)r->ordering),
                 CURAND_STATUS_SUCCESS);
    if (r->seed)
        CHECK_EQ(curandSetPseudoRandomGeneratorSeed(g, r->seed),
                 CURAND_STATUS_SUCCESS);
    if (r->offset)
        CHECK_EQ(curandSetGeneratorOffset(g, r->offset), CURAND_STATUS_SUCCESS);
    if (r->dimensions)
        CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(g, r->dimensions),
                 CURAND_STATUS_SUCCESS);
    return g;
}

static curandStatus_t
generate(curandGenerator_t g, const char *kind, void *out, size_t n)
{
    if (!strcmp(kind, "bits"))
        return curandGenerate(g, out, n);
    if (!strcmp(kind, "long_bits"))
        return curandGenerateLongLong(g, out, n);
    if (!strncmp(kind, "poisson_", 8))
        return curandGeneratePoisson(g, out, n, atof(kind + 8));
    if (!strcmp(kind, "uniform"))
        return curandGenerateUniform(g, out, n);
    if (!strcmp(kind, "uniform_double"))
        return curandGenerateUniformDouble(g, out, n);
    if (!strcmp(kind, "normal"))
        return curandGenerateNormal(g, out, n, 1.5F, 2.0F);
    if (!strcmp(kind, "normal_double"))
        return curandGenerateNormalDouble(g, out, n, 1.5, 2.0);
    if (!strcmp(kind, "log_normal"))
        return curandGenerateLogNormal(g, out, n, 0.5F, 0.75F);
    if (!strcmp(kind, "log_normal_double"))
        return curandGenerateLogNormalDouble(g, out, n, 0.5, 0.75);
    CHECK(false);
    return CURAND_STATUS_INTERNAL_ERROR;
}

static unsigned long long
digest(const char *kind, CUdeviceptr from, size_t n)
{
    static uint32_t words[WORDS];
    size_t count = strstr(kind, "double") || strstr(kind, "long") ? 2 * n : n;
    unsigned long long h = 1469598103934665603u;
    CHECK_EQ(cuMemcpyDtoH(words, from, count * 4), CUDA_SUCCESS);
    for (size_t i = 0; i < count; i++)
        h = (h ^ words[i]) * 1099511628211u;
    return h;
}

/* Of one type; how many rows. */
static unsigned
hold(int type)
{
    curandGenerator_t g = NULL;
    CUdeviceptr out = 0;
    char line[256];
    unsigned rows = 0;
    FILE *f = fopen("tests/data/h200_rand.csv", "r");
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) {
        row r;
        if (!read_row(line, &r) || r.type != type)
            continue;
        rows++;
        if (r.call == 0) {
            if (g)
                curandDestroyGenerator(g);
            g = create(&r);
        }
        if (!out) /* the generator has made a context */
            CHECK_EQ(cuMemAlloc(&out, WORDS * 4), CUDA_SUCCESS);
        CHECK_EQ(generate(g, r.kind, (void *)(uintptr_t)out, r.count),
                 r.status);
        if (r.status == CURAND_STATUS_SUCCESS &&
            digest(r.kind, out, r.count) != r.digest) {
            printf("not the H200's: %s", line);
            CHECK(false);
        }
    }
    if (g)
        curandDestroyGenerator(g);
    cuMemFree(out);
    if (f)
        fclose(f);
    return rows;
}

CASE(xorwow_is_as_on_an_h200)
{
    CHECK(hold(CURAND_RNG_PSEUDO_XORWOW) > 100);
}

CASE(mrg32k3a_is_as_on_an_h200)
{
    CHECK(hold(CURAND_RNG_PSEUDO_MRG32K3A) > 100);
}

CASE(philox_is_as_on_an_h200)
{
    CHECK(hold(CURAND_RNG_PSEUDO_PHILOX4_32_10) > 100);
}

CASE(mtgp32_is_as_on_an_h200)
{
    CHECK(hold(CURAND_RNG_PSEUDO_MTGP32) > 80);
}

CASE(mt19937_is_as_on_an_h200)
{
    CHECK(hold(CURAND_RNG_PSEUDO_MT19937) > 50);
}

CASE(sobol_is_as_on_an_h200)
{
    CHECK(hold(CURAND_RNG_QUASI_SOBOL32) > 100);
    CHECK(hold(CURAND_RNG_QUASI_SOBOL64) > 100);
}

/* Of all 20,000 dimensions. */
CASE(direction_vectors_are_as_on_an_h200)
{
    curandDirectionVectors32_t *v = NULL;
    curandDirectionVectors64_t *w = NULL;
    unsigned long long h = 1469598103934665603u;
    CHECK_EQ(
        curandGetDirectionVectors32(&v, CURAND_DIRECTION_VECTORS_32_JOEKUO6),
        CURAND_STATUS_SUCCESS);
    for (size_t i = 0; i < 20000 * 32; i++)
        h = (h ^ v[i / 32][i % 32]) * 1099511628211u;
    CHECK_EQ(h, 0xfb0b5a25631d93bb);
    CHECK_EQ(
        curandGetDirectionVectors64(&w, CURAND_DIRECTION_VECTORS_64_JOEKUO6),
        CURAND_STATUS_SUCCESS);
    h = 1469598103934665603u;
    for (size_t i = 0; i < 20000 * 64; i++)
        h = (h ^ w[i / 64][i % 64]) * 1099511628211u;
    CHECK_EQ(h, 0x09a55577dcb80783);
    CHECK_EQ(curandGetDirectionVectors32(
                 &v, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6),
             CURAND_STATUS_OUT_OF_RANGE);
}

/* Means and variances of many numbers: both are lambda. */
CASE(poisson_has_its_mean_and_variance)
{
    enum { N = 2000 };
    const double n = N;
    static const curandRngType_t types[] = {
        CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
        CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MTGP32,
        CURAND_RNG_PSEUDO_MT19937};
    static const double lambdas[] = {0.5, 10, 64, 1000, 5000.5};
    static uint32_t words[N];
    for (size_t i = 0; i < 25; i++) {
        double lambda = lambdas[i % 5], sum = 0, squares = 0;
        curandGenerator_t g = NULL;
        CHECK_EQ(curandCreateGeneratorHost(&g, types[i / 5]),
                 CURAND_STATUS_SUCCESS);
        CHECK_EQ(curandGeneratePoisson(g, words, N, lambda),
                 CURAND_STATUS_SUCCESS);
        for (size_t k = 0; k < N; k++)
            sum += words[k];
        for (size_t k = 0; k < N; k++)
            squares += (words[k] - sum / n) * (words[k] - sum / n);
        /* Five standard errors of each. */
        CHECK(fabs(sum / n - lambda) < 5 * sqrt(lambda / n));
        CHECK(fabs(squares / n / lambda - 1) < 5 * sqrt((2 + 1 / lambda) / n));
        CHECK_EQ(curandGeneratePoisson(g, words, N, 0),
                 CURAND_STATUS_OUT_OF_RANGE);
        curandDestroyGenerator(g);
    }
}

/* First words, as the vendor's library makes them on a host. */
CASE(host_generators_write_to_the_host)
{
    static const struct {
        curandRngType_t type;
        uint32_t first, second;
    } all[] = {
        {CURAND_RNG_PSEUDO_XORWOW, 0xbd7f03b6, 0xebc63fb7},
        {CURAND_RNG_PSEUDO_MRG32K3A, 0x2083cd07, 0x14537e00},
        {CURAND_RNG_PSEUDO_PHILOX4_32_10, 0x6627e8d5, 0xe169c58d},
        {CURAND_RNG_PSEUDO_MTGP32, 0x1583a42b, 0x4794680a},
        {CURAND_RNG_PSEUDO_MT19937, 0x8c7f0aac, 0x94f424b4},
        {CURAND_RNG_QUASI_SOBOL32, 0, 0x80000000},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint32_t words[16];
        curandGenerator_t g;
        CHECK_EQ(curandCreateGeneratorHost(&g, all[i].type),
                 CURAND_STATUS_SUCCESS);
        CHECK_EQ(curandGenerate(g, words, 16), CURAND_STATUS_SUCCESS);
        CHECK_EQ(words[0], all[i].first);
        CHECK_EQ(words[1], all[i].second);
        CHECK_EQ(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
    }
}

CASE(wrong_calls_have_their_statuses)
{
    curandGenerator_t g = NULL, wild = (curandGenerator_t)(uintptr_t)0x123456;
    int value = 0;
    CHECK_EQ(curandCreateGenerator(&g, (curandRngType_t)102),
             CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandDestroyGenerator(wild), CURAND_STATUS_NOT_INITIALIZED);
    CHECK_EQ(curandGenerate(wild, NULL, 1), CURAND_STATUS_NOT_INITIALIZED);
    CHECK_EQ(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT),
             CURAND_STATUS_SUCCESS);
    CHECK_EQ(curandGenerateNormal(g, NULL, 11, 0, 1),
             CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    CHECK_EQ(curandGenerateNormal(g, NULL, 0, 0, 1), CURAND_STATUS_SUCCESS);
    CHECK_EQ(curandSetGeneratorOrdering(g, (curandOrdering_t)105),
             CURAND_STATUS_OUT_OF_RANGE);
    CHECK_EQ(curandSetQuasiRandomGeneratorDimensions(g, 1),
             CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandGenerateLongLong(g, NULL, 1), CURAND_STATUS_TYPE_ERROR);
    CHECK_EQ(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
    CHECK_EQ(curandGetVersion(&value), CURAND_STATUS_SUCCESS);
    CHECK_EQ(value, CURAND_VERSION);
}
