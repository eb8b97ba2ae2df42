/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - see fuzz.h: contexts and launches that may go wrong. */
#include <time.h>

#include "fuzz.h"

enum {
    WAIT_NS = 1000 * 1000, /* between two looks */
    RUNS_ON_SECONDS = 2,   /* of processor time: a kernel without an end */
    SLEEPS_SECONDS = 30    /* without any: it waits for what never comes */
};

/* Less than this in all the time is no work: looking takes some. */
#define WORK_SECONDS 0.5

static double
seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS)
        fuzz_fail("%s gives %d", what, (int)result);
}

void
fuzz_device_begin(fuzz *f)
{
    must(cuInit(0), "cuInit");
    must(cuDevicePrimaryCtxRetain(&f->context, 0), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(f->context), "cuCtxSetCurrent");
}

static CUresult
wait(void)
{
    const struct timespec pause = {0, WAIT_NS};
    double from = seconds_of(CLOCK_MONOTONIC);
    double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    CUresult result;
    while ((result = cuStreamQuery(CU_STREAM_LEGACY)) == CUDA_ERROR_NOT_READY) {
        nanosleep(&pause, NULL);
        double work = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - used;
        if (work > (double)RUNS_ON_SECONDS)
            fuzz_leave();
        if (seconds_of(CLOCK_MONOTONIC) - from > (double)SLEEPS_SECONDS)
            work < WORK_SECONDS ? fuzz_fail("a launch sleeps for ever")
                                : fuzz_leave();
    }
    return result;
}

void
fuzz_device_wait(fuzz *f)
{
    CUresult result = wait();
    f->record->steps++;
    fuzz_host_check();
    if (result == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS)
        return;
    f->record->faults++;
    must(cuDevicePrimaryCtxReset(0), "cuDevicePrimaryCtxReset");
    must(cuDevicePrimaryCtxRetain(&f->context, 0), "retaining after a fault");
    must(cuCtxSetCurrent(f->context), "cuCtxSetCurrent after a fault");
}

void
fuzz_device_launch(fuzz *f, CUfunction fn, const uint64_t *addresses,
                   unsigned count)
{
    enum { MOST_PARAMS = 64, MOST_BYTES = 4096 };
    static const unsigned blocks[] = {1, 1, 2, 3, 5};
    static const unsigned threads[] = {1, 32, 32, 33, 64, 96, 128, 7};
    static uint64_t values[MOST_BYTES / 8];
    void *params[MOST_PARAMS];
    size_t offset, bytes, used = 0;
    unsigned n = 0;
    while (n < MOST_PARAMS &&
           cuFuncGetParamInfo(fn, n, &offset, &bytes) == CUDA_SUCCESS) {
        size_t words = (bytes + 7) / 8;
        if (used + words > sizeof values / sizeof *values)
            return;
        for (size_t i = 0; i < words; i++)
            values[used + i] = bytes >= 8 ? addresses[fuzz_random(f, count)]
                                          : fuzz_random(f, 40);
        params[n++] = &values[used];
        used += words;
    }
    unsigned grid = blocks[fuzz_random(f, 5)];
    unsigned block = threads[fuzz_random(f, 8)];
    unsigned shared = fuzz_chance(f, 30) ? (unsigned)fuzz_random(f, 5000) : 0;
    f->record->launches++;
    if (fuzz_chance(f, 10))
        (void)cuLaunchCooperativeKernel(fn, grid, 1, 1, block, 1, 1, shared,
                                        NULL, params);
    else
        (void)cuLaunchKernel(fn, grid, 1, 1, block, 1, 1, shared, NULL, params,
                             NULL);
}
