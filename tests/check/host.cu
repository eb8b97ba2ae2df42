/* SPDX-License-Identifier: Apache-2.0 */
/* host.cu - what the host does wrong with memory and objects; see cases.h. */
#include "cases.h"

#include <unistd.h>

__device__ int variable;

__global__ void number(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        variable = 1;
}

/* ---- pointers ---- */

static void host_reads()
{
    int *a = zeros<int>(32);
    number<<<1, 32>>>(a);
    finish();
    printf("%d\n", a[3]); // host_reads: device-pointer
    cudaFree(a);
}

static void host_writes()
{
    int *a = zeros<int>(32);
    a[3] = 1; // host_writes: device-pointer
    cudaFree(a);
}

static void host_copies()
{
    int *a = zeros<int>(32), to[32];
    number<<<1, 32>>>(a);
    memcpy(to, a, sizeof to); // host_copies: device-pointer
    printf("%d\n", to[2]);
    cudaFree(a);
}

static void host_reads_symbol()
{
    void *p = nullptr;
    cudaGetSymbolAddress(&p, variable);
    printf("%d\n", *(int *)p); // host_reads_symbol: device-pointer
}

static void host_reads_managed()
{
    int *a;
    cudaMallocManaged(&a, 128);
    number<<<1, 32>>>(a);
    finish();
    printf("%d\n", a[3]);
    cudaFree(a);
}

static void host_reads_pinned()
{
    int *a;
    cudaMallocHost(&a, 128);
    number<<<1, 32>>>(a);
    finish();
    printf("%d\n", a[3]);
    cudaFreeHost(a);
}

static void host_reads_copy()
{
    int *a = zeros<int>(32), to[32];
    number<<<1, 32>>>(a);
    cudaMemcpy(to, a, sizeof to, cudaMemcpyDeviceToHost);
    printf("%d\n", to[2]);
    cudaFree(a);
}

#define CASES(X)                                                               \
    X(host_reads)                                                              \
    X(host_writes) X(host_copies) X(host_reads_symbol) X(host_reads_managed)   \
        X(host_reads_pinned) X(host_reads_copy)
CASES_MAIN
