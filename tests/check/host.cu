/* SPDX-License-Identifier: Apache-2.0 */
/* host.cu - what the host does wrong with memory and objects; see cases.h. */
#include "cases.h"

#include <unistd.h>

__device__ int variable;

__global__ void
number(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        variable = 1;
}

/* ---- pointers ---- */

static void
host_reads()
{
    int *a = zeros<int>(32);
    number<<<1, 32>>>(a);
    finish();
    printf("%d\n", a[3]); // host_reads: device-pointer
    cudaFree(a);
}

static void
host_writes()
{
    int *a = zeros<int>(32);
    a[3] = 1; // host_writes: device-pointer
    cudaFree(a);
}

static void
host_copies()
{
    int *a = zeros<int>(32), to[32];
    number<<<1, 32>>>(a);
    memcpy(to, a, sizeof to); // host_copies: device-pointer
    printf("%d\n", to[2]);
    cudaFree(a);
}

static void
host_reads_symbol()
{
    void *p = nullptr;
    cudaGetSymbolAddress(&p, variable);
    printf("%d\n", *(int *)p); // host_reads_symbol: device-pointer
}

static void
host_reads_managed()
{
    int *a;
    cudaMallocManaged(&a, 128);
    number<<<1, 32>>>(a);
    finish();
    printf("%d\n", a[3]);
    cudaFree(a);
}

static void
host_reads_pinned()
{
    int *a;
    cudaMallocHost(&a, 128);
    number<<<1, 32>>>(a);
    finish();
    printf("%d\n", a[3]);
    cudaFreeHost(a);
}

static void
host_reads_copy()
{
    int *a = zeros<int>(32), to[32];
    number<<<1, 32>>>(a);
    cudaMemcpy(to, a, sizeof to, cudaMemcpyDeviceToHost);
    printf("%d\n", to[2]);
    cudaFree(a);
}

/* ---- calls ---- */

static void
unchecked()
{
    int *a;
    cudaMalloc(&a, (size_t)1 << 62); // unchecked: host-unchecked
}

static void
unchecked_launch()
{
    int *a = zeros<int>(32);
    number<<<1, 5000>>>(a); // unchecked_launch: host-unchecked
    finish();
    cudaFree(a);
}

static void
checked()
{
    int *a;
    if (cudaMalloc(&a, (size_t)1 << 62) != cudaSuccess)
        printf("as it should\n");
    cudaError_t e = cudaFree((void *)1234); // checked: bad-free
    if (e == cudaSuccess)
        exit(1);
}

static void
checked_later()
{
    int *a = zeros<int>(32);
    number<<<1, 5000>>>(a);
    if (cudaGetLastError() != cudaSuccess)
        printf("as it should\n");
    cudaFree(a);
}

static void
dead_stream()
{
    cudaStream_t s;
    int *a = zeros<int>(32);
    cudaStreamCreate(&s);
    cudaStreamDestroy(s);
    number<<<1, 32, 0, s>>>(a); // dead_stream: host-handle
    cudaDeviceSynchronize();
    cudaFree(a);
}

static void
dead_event()
{
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventDestroy(e);
    cudaEventRecord(e, 0); // dead_event: host-handle
}

static void
live_objects()
{
    cudaStream_t s;
    cudaEvent_t e;
    int *a = zeros<int>(32);
    for (int i = 0; i < 3; i++) {
        cudaStreamCreate(&s);
        cudaEventCreate(&e);
        number<<<1, 32, 0, s>>>(a);
        cudaEventRecord(e, s);
        cudaEventSynchronize(e);
        cudaStreamDestroy(s);
        cudaEventDestroy(e);
    }
    cudaFree(a);
}

/* ---- memory of both ---- */

static void
managed_too_early()
{
    int *a;
    cudaMallocManaged(&a, 128);
    number<<<1, 32>>>(a);
    printf("%d\n", a[3]); // managed_too_early: race-host
    finish();
    cudaFree(a);
}

__global__ void
read_all(const int *a, int *out)
{
    out[threadIdx.x] = a[threadIdx.x];
}

static void
pinned_too_early()
{
    int *a, *out = zeros<int>(32);
    cudaMallocHost(&a, 128);
    memset(a, 0, 128);
    read_all<<<1, 32>>>(a, out);
    a[3] = 1; // pinned_too_early: race-host
    finish();
    cudaFree(out);
    cudaFreeHost(a);
}

static void
pinned_read_by_both()
{
    int *a, *out = zeros<int>(32);
    cudaMallocHost(&a, 128);
    memset(a, 0, 128);
    read_all<<<1, 32>>>(a, out);
    printf("%d\n", a[3]);
    finish();
    cudaFree(out);
    cudaFreeHost(a);
}

static void
copy_of_pinned_too_early()
{
    int *a, *to = zeros<int>(32);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&a, 128);
    memset(a, 0, 128);
    cudaMemcpyAsync(to, a, 128, cudaMemcpyHostToDevice, s);
    a[5] = 3; // copy_of_pinned_too_early: race-host
    cudaStreamSynchronize(s);
    cudaFreeHost(a);
    cudaFree(to);
    cudaStreamDestroy(s);
}

static void
pinned_in_order()
{
    int *a, *to = zeros<int>(32);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&a, 128);
    for (int i = 0; i < 3; i++) {
        a[5] = i;
        cudaMemcpyAsync(to, a, 128, cudaMemcpyHostToDevice, s);
        cudaStreamSynchronize(s);
    }
    cudaFreeHost(a);
    cudaFree(to);
    cudaStreamDestroy(s);
}

static void
pageable_changed()
{
    static int a[1000];
    int *to = zeros<int>(1000);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMemcpyAsync(to, a, 4000, cudaMemcpyDefault, s); // pageable_changed: host-pageable
    a[7] = 3;
    cudaStreamSynchronize(s);
    cudaFree(to);
    cudaStreamDestroy(s);
}

static void
pageable_kept()
{
    static int a[1000];
    int *to = zeros<int>(1000);
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMemcpyAsync(to, a, sizeof a, cudaMemcpyHostToDevice, s);
    cudaStreamSynchronize(s);
    a[7] = 3;
    cudaFree(to);
    cudaStreamDestroy(s);
}

static void
freed_in_use()
{
    int *a, *out = zeros<int>(32);
    cudaMallocHost(&a, 128);
    memset(a, 0, 128);
    read_all<<<1, 32>>>(a, out);
    cudaFreeHost(a); // freed_in_use: host-free-in-use
    finish();
    cudaFree(out);
}

static void
freed_by_other_stream(bool waits)
{
    cudaStream_t s, other;
    cudaEvent_t e;
    int *a, *out = zeros<int>(32);
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMallocAsync(&a, 128, s);
    cudaMemsetAsync(a, 0, 128, s);
    read_all<<<1, 32, 0, s>>>(a, out);
    cudaEventRecord(e, s);
    if (waits)
        cudaStreamWaitEvent(other, e, 0);
    cudaFreeAsync(a, other); // freed_elsewhere: host-free-in-use
    finish();
    cudaFree(out);
    cudaStreamDestroy(s);
    cudaStreamDestroy(other);
    cudaEventDestroy(e);
}

static void
freed_elsewhere()
{
    freed_by_other_stream(false);
}

static void
freed_in_order()
{
    freed_by_other_stream(true);
}

/* A kernel and the host that speak with each other by flags. */
__global__ void
answer(volatile int *flag, int *data)
{
    data[0] = 42;
    __threadfence_system();
    *flag = 1;
}

static void
flags()
{
    int *a;
    cudaMallocHost(&a, 128);
    memset(a, 0, 128);
    answer<<<1, 1>>>(a, a + 8);
    while (!*(volatile int *)a)
        ;
    printf("%d\n", a[8]);
    finish();
    cudaFreeHost(a);
}

#define CASES(X)                                                               \
    X(host_reads)                                                              \
    X(host_writes)                                                             \
    X(host_copies) X(host_reads_symbol) X(host_reads_managed)                  \
        X(host_reads_pinned) X(host_reads_copy) X(unchecked)                   \
            X(unchecked_launch) X(checked) X(checked_later) X(dead_stream)     \
                X(dead_event) X(live_objects) X(managed_too_early)             \
                    X(pinned_too_early) X(pinned_read_by_both)                 \
                        X(copy_of_pinned_too_early) X(pinned_in_order)         \
                            X(pageable_changed) X(pageable_kept)               \
                                X(freed_in_use) X(freed_elsewhere)             \
                                    X(freed_in_order) X(flags)
CASES_MAIN
