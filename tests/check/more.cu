/* SPDX-License-Identifier: Apache-2.0 */
/* more.cu - rarer spaces, streams beside copies, barriers of grids; see
 * cases.h. */
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { N = 64 };

/* ---- textures, surfaces, the heap ---- */

__global__ void fetch(cudaTextureObject_t t, int *out, int by)
{
    out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x + by); // texels: oob-texture
}

static void run_fetch(int by)
{
    int *a = zeros<int>(N), *out = zeros<int>(N);
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = a;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    r.res.linear.sizeInBytes = N * sizeof(int);
    cudaCreateTextureObject(&t, &r, &d, NULL);
    fetch<<<1, N>>>(t, out, by);
    finish();
    cudaDestroyTextureObject(t);
    cudaFree(a);
    cudaFree(out);
}

static void texels()
{
    run_fetch(3);
}

static void texels_inside()
{
    run_fetch(0);
}

__global__ void draw(cudaSurfaceObject_t s, int by)
{
    surf2Dwrite(1, s, (threadIdx.x + by) * 4, 0); // pixels: oob-surface
}

static void run_draw(int by)
{
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    cudaMallocArray(&a, &f, N, 4, cudaArraySurfaceLoadStore);
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaCreateSurfaceObject(&s, &r);
    draw<<<1, N>>>(s, by);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    e = cudaDestroySurfaceObject(s);
    e = cudaFreeArray(a);
    printf("%s\n", cudaGetErrorString(e));
}

static void pixels()
{
    run_draw(1);
}

static void pixels_inside()
{
    run_draw(0);
}

__global__ void from_heap(int n)
{
    int *p = (int *)malloc(8 * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = i; // heap: oob-heap
    free(p);
}

static void heap()
{
    from_heap<<<1, 1>>>(9);
    finish();
}

static void heap_inside()
{
    from_heap<<<1, 1>>>(8);
    finish();
}

/* ---- streams and copies ---- */

__global__ void number(int *a)
{
    a[threadIdx.x] = (int)threadIdx.x;
}

static void beside_copy(bool waits)
{
    int *a = zeros<int>(N), *to;
    cudaStream_t s, other;
    cudaMallocHost(&to, N * sizeof *to);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    number<<<1, N, 0, s>>>(a);
    if (waits)
        cudaStreamSynchronize(s);
    cudaMemcpyAsync(to, a, 256, cudaMemcpyDefault, other); // copy_beside: race-global
    finish();
    cudaStreamDestroy(s);
    cudaStreamDestroy(other);
    cudaFreeHost(to);
    cudaFree(a);
}

static void copy_beside()
{
    beside_copy(false);
}

static void copy_behind()
{
    beside_copy(true);
}

static void fill_before(bool waits)
{
    int *a = zeros<int>(N);
    cudaStream_t s, other;
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    cudaMemsetAsync(a, 1, N * sizeof *a, s); // fill_unordered: race-global
    cudaEventRecord(e, s);
    if (waits)
        cudaStreamWaitEvent(other, e, 0);
    number<<<1, N, 0, other>>>(a);
    finish();
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(other);
    cudaFree(a);
}

static void fill_unordered()
{
    fill_before(false);
}

static void fill_ordered()
{
    fill_before(true);
}

/* ---- grids ---- */

__global__ void meet(int *a, bool all)
{
    if (all || blockIdx.x) cg::this_grid().sync(); // some_blocks: sync-grid
    a[blockIdx.x * N + threadIdx.x] = 1;
}

static void run_meet(bool all)
{
    int *a = zeros<int>(4 * N);
    void *args[] = {&a, &all};
    cudaError_t e = cudaLaunchCooperativeKernel((void *)meet, dim3(4), dim3(N),
                                                args, 0, 0);
    e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    e = cudaFree(a);
    printf("%s\n", cudaGetErrorString(e));
}

static void some_blocks()
{
    run_meet(false);
}

static void all_blocks()
{
    run_meet(true);
}

/* ---- a program that dies ---- */

__global__ void count(int *n)
{
    *n += 1; // aborted: race-global
}

static void aborted()
{
    int *n = zeros<int>(1);
    count<<<4, N>>>(n);
    finish();
    _Exit(1);
}

#define CASES(X)                                                               \
    X(texels)                                                                  \
    X(texels_inside) X(pixels) X(pixels_inside) X(heap) X(heap_inside)       \
        X(copy_beside) X(copy_behind) X(fill_unordered) X(fill_ordered)        \
            X(some_blocks) X(all_blocks) X(aborted)
CASES_MAIN
