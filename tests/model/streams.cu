/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams.cu - six kernels that stream arrays of doubles, with two resident
 * blocks of 64, 256 or 1024 threads on each multiprocessor: those of which
 * gpu-benches (te42kyfo, gpu-stream) publishes bandwidths on many devices.
 * bench/model compares (tests/data/model/streams.csv).
 *
 * Prints a line for each launch, in order: kernel, block, bytes that it moves.
 */
#include <cstdio>
#include <cstdlib>

enum { N = 1 << 23, EDGE = 2, SMALLEST = 1024 };

#define AT (EDGE + threadIdx.x + (size_t)blockDim.x * blockIdx.x)

__global__ void
init(double *a, const double *, const double *, const double *)
{
    a[AT] = 1.5;
}

__global__ void
read(double *a, const double *b, const double *, const double *)
{
    double v = b[AT];
    if (v == 123.0)
        a[AT] = v;
}

__global__ void
scale(double *a, const double *b, const double *, const double *)
{
    a[AT] = b[AT] * 1.5;
}

__global__ void
triad(double *a, const double *b, const double *c, const double *d)
{
    a[AT] = b[AT] * d[AT] + c[AT];
}

__global__ void
points3(double *a, const double *b, const double *, const double *)
{
    a[AT] = 0.5 * b[AT - 1] - b[AT] + 0.5 * b[AT + 1];
}

__global__ void
points5(double *a, const double *b, const double *, const double *)
{
    a[AT] = 0.25 * b[AT - 2] + 0.25 * b[AT - 1] - b[AT] + 0.5 * b[AT + 1] +
            0.5 * b[AT + 2];
}

static void
check(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "streams: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

int
main()
{
    static const struct {
        const char *name;
        void (*run)(double *, const double *, const double *, const double *);
        int streams;
    } kernels[] = {{"init", init, 1},     {"read", read, 1},
                   {"scale", scale, 2},   {"triad", triad, 4},
                   {"3pt", points3, 2},   {"5pt", points5, 2}};
    double *p[4];
    int shared;
    check(cudaDeviceGetAttribute(
        &shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    for (auto &a : p)
        check(cudaMalloc(&a, (N + 2 * EDGE) * sizeof *a));
    for (int block : {64, 256, 1024})
        for (auto &k : kernels) {
            int bytes = shared / 2 - SMALLEST;
            check(cudaFuncSetAttribute(
                k.run, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
            k.run<<<N / block, block, bytes>>>(p[0], p[1], p[2], p[3]);
            check(cudaGetLastError());
            check(cudaDeviceSynchronize());
            printf("%s,%d,%zu\n", k.name, block,
                   k.streams * N * sizeof(double));
        }
}
