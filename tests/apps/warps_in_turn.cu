// SPDX-License-Identifier: Apache-2.0
// Programs whose warps race, without a barrier between them, but of which all
// warps of a device load before one stores.
// env: SOFTWARP_ENGINE=interp
// expect: EXACT sums: 0 wrong
// expect: EXACT reversed: 0 wrong
// expect: EXACT neighbours: 0 wrong
// expect: EXACT shared: 0 wrong
// expect: EXACT locked: 0 wrong
#include <cstdio>

enum { N = 1024, TERMS = 100 };

__global__ void add(int *x, const int *y, int terms) // threadIdx.y is ignored
{
    for (int j = 0; j < terms; j++)
        x[threadIdx.x] += y[j];
}

__global__ void reverse(int *a)
{
    int v = a[N - 1 - threadIdx.x];
    a[threadIdx.x] = v;
}

__global__ void add_neighbours(int *a)
{
    int i = threadIdx.x;
    int left = i ? a[i - 1] : 0, right = i < N - 1 ? a[i + 1] : 0;
    a[i] = left + right;
}

__global__ void reverse_shared(int *a)
{
    __shared__ int s[N];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[N - 1 - threadIdx.x];
}

__global__ void locked(int *lock, int *count) // no race
{
    if (threadIdx.x % 32)
        return;
    for (bool done = false; !done;)
        if (atomicCAS(lock, 0, 1) == 0) {
            ++*(volatile int *)count;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
}

static int *a;

template <class F> static void show(const char *name, int first, F want)
{
    cudaError_t e = cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = first; i < N - first; i++)
        wrong += a[i] != want(i);
    printf("%s: %d wrong\n", name, e ? -1 : wrong);
    for (int i = 0; i < N; i++)
        a[i] = i;
}

int main()
{
    int *y;
    cudaMallocManaged(&a, N * sizeof *a);
    cudaMallocManaged(&y, TERMS * sizeof *y);
    for (int i = 0; i < TERMS; i++)
        y[i] = 1;
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int k = 0; k < 3; k++)
        add<<<1, dim3(32, 32)>>>(a, y, TERMS);
    show("sums", 0, [](int i) { return i < 32 ? i + 3 * TERMS : i; });
    reverse<<<1, N>>>(a);
    show("reversed", 0, [](int i) { return N - 1 - i; });
    add_neighbours<<<1, N>>>(a);
    show("neighbours", 1, [](int i) { return 2 * i; });
    reverse_shared<<<1, N>>>(a);
    show("shared", 0, [](int i) { return N - 1 - i; });
    cudaMemset(y, 0, 2 * sizeof *y);
    locked<<<1, N>>>(y, y + 1);
    cudaDeviceSynchronize();
    printf("locked: %d wrong\n", y[1] != N / 32);
}
// check: race-global race-shared uninit (what it is about)
