/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fd3d.h - what the programs of this folder share: a wave in three dimensions
 * on a regular grid, 25 points (order 8 in space), order 2 in time, and how the
 * grid is divided along z among devices.
 *
 * A volume has nx * ny * nz points, all with their neighbours: R more planes in
 * front and behind. A part of it is a slab of whole planes with R ghost planes
 * on either side, which are copies of the neighbour's outermost planes. After
 * each step they are exchanged.
 */
#ifndef FD3D_H
#define FD3D_H
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R = 4, TX = 32, TY = 8 }; /* reach of the stencil, a block */

#define CUDA(call) fd3d_call((call), #call, __LINE__)

static inline void fd3d_call(cudaError_t e, const char *call, int line)
{
    if (e != cudaSuccess) {
        printf("line %d: %s: %s (%s)\n", line, call, cudaGetErrorString(e),
               cudaGetErrorName(e));
        fflush(stdout);
        exit(1);
    }
}

__constant__ float fd3d_weight[R + 1];

static inline void fd3d_set_weights()
{
    /* Of the second derivative, order 8. */
    const float w[R + 1] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315,
                            -1.0f / 560};
    CUDA(cudaMemcpyToSymbol(fd3d_weight, w, sizeof w));
}

/* One step of planes first to last - 1 of a slab whose plane 0 is a ghost:
 * next = 2 now - before + c laplace(now); `next` may be `before`. The rim of R
 * points in x and y stays as it is. */
__global__ void fd3d_step(float *next, const float *before, const float *now,
                          int nx, int ny, int first, int last)
{
    int x = blockIdx.x * TX + threadIdx.x + R;
    int y = blockIdx.y * TY + threadIdx.y + R;
    if (x >= nx - R || y >= ny - R)
        return;
    size_t area = (size_t)nx * ny;
    size_t at = first * area + (size_t)y * nx + x;
    for (int z = first; z < last; z++, at += area) {
        float sum = 3 * fd3d_weight[0] * now[at];
        for (int i = 1; i <= R; i++)
            sum += fd3d_weight[i] * (now[at - i] + now[at + i] +
                                     now[at - i * nx] + now[at + i * nx] +
                                     now[at - i * area] + now[at + i * area]);
        next[at] = 2 * now[at] - before[at] + 0.1f * sum;
    }
}

static inline void fd3d_launch(float *next, const float *before,
                               const float *now, int nx, int ny, int first,
                               int last, cudaStream_t stream)
{
    if (first >= last)
        return;
    dim3 grid((nx - 2 * R + TX - 1) / TX, (ny - 2 * R + TY - 1) / TY);
    fd3d_step<<<grid, dim3(TX, TY), 0, stream>>>(next, before, now, nx, ny,
                                                 first, last);
    CUDA(cudaGetLastError());
}

/* What is to be computed. */
typedef struct {
    int nx, ny, nz, steps;
} fd3d_problem;

/* "[--quick] [NX NY NZ STEPS]", from argv[at] on. */
static inline fd3d_problem fd3d_arguments(int argc, char **argv, int at)
{
    fd3d_problem p = {72, 40, 96, 12};
    int *to[] = {&p.nx, &p.ny, &p.nz, &p.steps};
    if (at < argc && !strcmp(argv[at], "--quick")) {
        p = (fd3d_problem){40, 24, 40, 6};
        at++;
    }
    for (int i = 0; i < 4 && at < argc; i++, at++)
        *to[i] = atoi(argv[at]);
    if (p.nx < 2 * R + 1 || p.ny < 2 * R + 1 || p.nz < R || p.steps < 0) {
        printf("a volume is at least %d x %d x %d points\n", 2 * R + 1,
               2 * R + 1, R);
        exit(2);
    }
    return p;
}

/* The slab of part `i` of `parts`: planes begin to end - 1 of the volume. */
static inline void fd3d_slab(const fd3d_problem *p, int i, int parts,
                             int *begin, int *end)
{
    *begin = (int)((long)p->nz * i / parts);
    *end = (int)((long)p->nz * (i + 1) / parts);
}

/* The wave at its beginning: a bump in the middle, of planes begin - R to
 * end + R - 1; what lies outside of the volume is 0. */
static inline void fd3d_fill(const fd3d_problem *p, int begin, int end,
                             float *out)
{
    for (int z = begin - R; z < end + R; z++)
        for (int y = 0; y < p->ny; y++)
            for (int x = 0; x < p->nx; x++) {
                float dx = (float)(x - p->nx / 2), dy = (float)(y - p->ny / 2);
                float dz = (float)(z - p->nz / 2);
                float r = dx * dx + dy * dy + dz * dz;
                *out++ = z < 0 || z >= p->nz ? 0 : 1 / (1 + 0.02f * r);
            }
}

/* The whole volume on the current device, without ghosts of others: what each
 * division has to equal, bit for bit. `out` has nx * ny * nz points. */
static inline void fd3d_alone(const fd3d_problem *p, float *out)
{
    size_t area = (size_t)p->nx * p->ny;
    size_t bytes = area * (p->nz + 2 * R) * sizeof(float);
    float *wave = (float *)malloc(bytes), *now, *before;
    fd3d_fill(p, 0, p->nz, wave);
    fd3d_set_weights();
    CUDA(cudaMalloc(&now, bytes));
    CUDA(cudaMalloc(&before, bytes));
    CUDA(cudaMemcpy(now, wave, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(before, wave, bytes, cudaMemcpyHostToDevice));
    for (int i = 0; i < p->steps; i++) {
        fd3d_launch(before, before, now, p->nx, p->ny, R, R + p->nz, 0);
        float *swap = before;
        before = now;
        now = swap;
    }
    CUDA(cudaMemcpy(out, now + R * area, area * p->nz * sizeof(float),
                    cudaMemcpyDeviceToHost));
    CUDA(cudaFree(now));
    CUDA(cudaFree(before));
    free(wave);
}

/* 0 if all bits are the same; else 1 after saying where they differ. */
static inline int fd3d_compare(const fd3d_problem *p, const float *got,
                               const float *want, const char *name)
{
    size_t area = (size_t)p->nx * p->ny, n = area * p->nz;
    for (size_t i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0) {
            printf("%s: WRONG (plane %zu, point %zu: %.9g, not %.9g)\n", name,
                   i / area, i % area, got[i], want[i]);
            return 1;
        }
    printf("%s: verified\n", name);
    return 0;
}
#endif
