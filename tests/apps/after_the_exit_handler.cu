/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT handler of main's end: malloc 0
// expect: EXACT late object: free 0
// expect: EXACT handler of main's begin: malloc 4
// expect: EXACT early object: free 4, stream 4, event 4
/* The runtime ends with the exit handler that its first call registers: what
 * runs after that is told so (4, cudaErrorCudartUnloading). */
#include <cstdio>
#include <cstdlib>

struct holder {
    const char *name;
    int *p = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    explicit holder(const char *n) : name(n) {}
    ~holder()
    {
        printf("%s: free %d", name, (int)cudaFree(p));
        if (stream)
            printf(", stream %d", (int)cudaStreamDestroy(stream));
        if (event)
            printf(", event %d", (int)cudaEventDestroy(event));
        printf("\n");
        fflush(stdout);
    }
};

static holder early("early object");

static void
say(const char *who)
{
    int *p;
    printf("handler of main's %s: malloc %d\n", who, (int)cudaMalloc(&p, 4));
    fflush(stdout);
}

static void
at_begin()
{
    say("begin");
}

static void
at_end()
{
    say("end");
}

int
main()
{
    atexit(at_begin);
    cudaMalloc(&early.p, 16);
    cudaStreamCreate(&early.stream);
    cudaEventCreate(&early.event);
    static holder late("late object");
    cudaMalloc(&late.p, 16);
    atexit(at_end);
    return 0;
}
