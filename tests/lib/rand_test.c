/* SPDX-License-Identifier: Apache-2.0 */
/* rand_test.c - cuRAND's host generators: the numbers of an H200, for kinds,
 * seeds, offsets, orderings and calls one after the other; wrong calls. */
#include <curand.h>

#include <cuda.h>
#include <stdint.h>

#include "check.h"

enum { MOST = 21000, WORDS = 2 * MOST };

/* A row of data/h200_rand.csv. */
typedef struct {
    int type, ordering, call, status;
    char kind[32];
    unsigned long long seed, offset, digest;
    size_t count;
} row;

static bool
read_row(const char *line, row *r)
{
    return sscanf(line, "%d,%31[^,],%llx,%llu,%d,%d,%zu,%d,%llx", &r->type,
                  r->kind, &r->seed, &r->offset, &r->ordering, &r->call,
                  &r->count, &r->status, &r->digest) == 9;
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
    return g;
}

static curandStatus_t
generate(curandGenerator_t g, const char *kind, void *out, size_t n)
{
    if (!strcmp(kind, "bits"))
        return curandGenerate(g, out, n);
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
    size_t count = strstr(kind, "double") ? 2 * n : n;
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
    CHECK_EQ(curandDestroyGenerator(g), CURAND_STATUS_SUCCESS);
    CHECK_EQ(curandGetVersion(&value), CURAND_STATUS_SUCCESS);
    CHECK_EQ(value, CURAND_VERSION);
}
