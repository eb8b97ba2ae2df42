/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.c - random kernels through libcuda, ours or a device's.
 *
 *     random_device [--seed N] [--count N] [--level N] [--parts]
 *     random_device [--every N] --check FILE
 *     random_device --dump SEED
 *
 * prints for each kernel its seed and a digest of all that it wrote; with
 * --parts also that of what threads wrote on their way, of each value at the
 * end, and of the cells of atomics. Kernels that may fault are left out, as a
 * fault ends a context. --level is the assembler's optimization level. --check
 * compares with such lines of a device, where a third column says why a digest
 * is known to be another; --dump writes what a kernel left behind to standard
 * output.
 */
#include <cuda.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

enum {
    OWN_BYTES = RANDOM_THREADS * RANDOM_OWN_BYTES,
    CELL_BYTES = RANDOM_CELLS * 8,
    WRITTEN_BYTES = OWN_BYTES +
                    RANDOM_THREADS * RANDOM_DUMP_BYTES * RANDOM_DUMPS +
                    CELL_BYTES
};

/* FNV-1a, 64 bits. */
static uint64_t
digest(const uint8_t *p, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3;
    return h;
}

static void
die(const char *what, CUresult status)
{
    const char *name = NULL;
    cuGetErrorName(status, &name);
    fprintf(stderr, "%s: %s\n", what, name ? name : "?");
    exit(2);
}

#define TRY(call)                                                              \
    do {                                                                       \
        CUresult tried = (call);                                               \
        if (tried != CUDA_SUCCESS)                                             \
            die(#call, tried);                                                 \
    } while (0)

typedef struct {
    CUdeviceptr in, own;
    uint8_t *left; /* [WRITTEN_BYTES] by the last kernel */
} memory;

/* False if the assembler refuses it. level: of the assembler's optimization. */
static bool
run(const random_kernel *k, const memory *m, unsigned level)
{
    static uint8_t in[RANDOM_IN_BYTES], before[WRITTEN_BYTES];
    sw_buf text;
    CUmodule module;
    CUfunction f;
    CUjit_option option = CU_JIT_OPTIMIZATION_LEVEL;
    void *value = (void *)(uintptr_t)level;
    sw_buf_init(&text);
    random_kernel_print(k, &text);
    CUresult loaded = cuModuleLoadDataEx(&module, text.p, 1, &option, &value);
    sw_buf_finish(&text);
    if (loaded != CUDA_SUCCESS) {
        fprintf(stderr, "seed %" PRIu64 " is refused\n", k->seed);
        return false;
    }
    random_fill(k->seed, in, before, sizeof before);
    TRY(cuMemcpyHtoD(m->in, in, sizeof in));
    TRY(cuMemcpyHtoD(m->own, before, sizeof before));
    TRY(cuModuleGetFunction(&f, module, "k"));
    CUdeviceptr pointers[] = {m->in, m->own, m->own + OWN_BYTES,
                              m->own + WRITTEN_BYTES - CELL_BYTES};
    uint32_t numbers[RANDOM_NUMBERS];
    memcpy(numbers, k->numbers, sizeof numbers);
    void *params[4 + RANDOM_NUMBERS];
    for (int i = 0; i < 4; i++)
        params[i] = &pointers[i];
    for (int i = 0; i < RANDOM_NUMBERS; i++)
        params[4 + i] = &numbers[i];
    TRY(cuLaunchKernel(f, k->grid[0], k->grid[1], k->grid[2], k->block[0],
                       k->block[1], k->block[2], 0, NULL, params, NULL));
    TRY(cuMemcpyDtoH(m->left, m->own, WRITTEN_BYTES));
    TRY(cuModuleUnload(module));
    return true;
}

static void
print_parts(const random_kernel *k, const uint8_t *left)
{
    size_t value_bytes = (size_t)k->grid[0] * k->grid[1] * k->grid[2] *
                         k->block[0] * k->block[1] * k->block[2] *
                         RANDOM_DUMP_BYTES;
    printf(",%016" PRIx64, digest(left, OWN_BYTES));
    for (size_t i = 0; i < RANDOM_DUMPS; i++)
        printf(",%" PRIx64,
               digest(left + OWN_BYTES + i * value_bytes, value_bytes));
    printf(",%" PRIx64, digest(left + WRITTEN_BYTES - CELL_BYTES, CELL_BYTES));
}

typedef struct {
    uint64_t seed, count, every;
    unsigned level;
    bool parts, dumps;
    const char *check;
} options;

static void
print_digests(const options *o, const memory *m)
{
    for (uint64_t seed = o->seed; seed - o->seed < o->count; seed++) {
        random_kernel k;
        random_kernel_init(&k, seed, RANDOM_FOR_DEVICE);
        if (!k.may_fault && run(&k, m, o->level)) {
            if (o->dumps) {
                fwrite(m->left, 1, WRITTEN_BYTES, stdout);
            } else {
                printf("%" PRIu64 ",%016" PRIx64, seed,
                       digest(m->left, WRITTEN_BYTES));
                if (o->parts)
                    print_parts(&k, m->left);
                printf("\n");
            }
            fflush(stdout);
        }
        random_kernel_finish(&k);
    }
}

static int
check(const options *o, const memory *m)
{
    unsigned passed = 0, failed = 0, row = 0;
    uint64_t seed, expected;
    char line[256], why[64];
    FILE *f = fopen(o->check, "r");
    if (!f) {
        perror(o->check);
        return 2;
    }
    while (fgets(line, sizeof line, f)) {
        int columns = sscanf(line, "%" SCNu64 ",%" SCNx64 ",%63[^\n]", &seed,
                             &expected, why);
        if (columns < 2 || row++ % o->every)
            continue;
        random_kernel k;
        random_kernel_init(&k, seed, RANDOM_FOR_DEVICE);
        bool same =
            run(&k, m, o->level) && digest(m->left, WRITTEN_BYTES) == expected;
        random_kernel_finish(&k);
        if (same == (columns == 2)) {
            passed++;
            continue;
        }
        printf("seed %" PRIu64 ": %s\n", seed,
               same ? "is what the device left, and is said to differ"
                    : "not what the device left");
        failed++;
    }
    fclose(f);
    printf("random/device: %u passed, %u failed\n", passed, failed);
    return failed || !passed;
}

static bool
parse_options(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--parts") == 0) {
            o->parts = true;
            continue;
        }
        if (i + 1 == argc)
            return false;
        const char *name = argv[i++];
        uint64_t n = strtoull(argv[i], NULL, 0);
        if (strcmp(name, "--seed") == 0)
            o->seed = n;
        else if (strcmp(name, "--count") == 0)
            o->count = n;
        else if (strcmp(name, "--every") == 0 && n)
            o->every = n;
        else if (strcmp(name, "--level") == 0)
            o->level = (unsigned)n;
        else if (strcmp(name, "--check") == 0)
            o->check = argv[i];
        else if (strcmp(name, "--dump") == 0)
            *o = (options){.seed = n, .count = 1, .level = 4, .dumps = true};
        else
            return false;
    }
    return true;
}

int
main(int argc, char **argv)
{
    options o = {.seed = 1, .count = 1000, .level = 4, .every = 1};
    CUdevice device;
    CUcontext context;
    memory m = {.left = malloc(WRITTEN_BYTES)};
    if (!parse_options(argc, argv, &o) || !m.left) {
        fprintf(stderr, "usage: random_device [--seed N] [--count N] "
                        "[--level N] [--parts] | "
                        "[--every N] --check FILE | "
                        "--dump SEED\n");
        return 2;
    }
    TRY(cuInit(0));
    TRY(cuDeviceGet(&device, 0));
    TRY(cuDevicePrimaryCtxRetain(&context, device));
    TRY(cuCtxSetCurrent(context));
    TRY(cuMemAlloc(&m.in, RANDOM_IN_BYTES));
    TRY(cuMemAlloc(&m.own, WRITTEN_BYTES));
    int status = 0;
    if (o.check)
        status = check(&o, &m);
    else
        print_digests(&o, &m);
    free(m.left);
    return status;
}
