/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* matmul.cu - the product of two matrices: straight, with a test of bounds as
 * programs for any size have it, also in blocks of 4 x 4 threads, through tiles
 * in shared memory, the latter in double precision, and by tensor cores from
 * halves and from bytes. */
#include <cuda_fp16.h>
#include <mma.h>

#include <vector>

#include "device.h"
#include "problems/matmul.h"

enum { TILE = MATMUL_TILE };

__global__ void
matmul_naive(float *c, const float *a, const float *b, int n)
{
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

__global__ void
matmul_checked(float *c, const float *a, const float *b, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

template <typename T>
__global__ void
matmul_tiled(T *c, const T *a, const T *b, int n)
{
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    T sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        as[ty][tx] = a[row * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

/* A warp for 16 x 16 elements. */
template <typename T, typename S>
__global__ void
matmul_wmma(S *c, const T *a, const T *b, int n)
{
    using namespace nvcuda::wmma;
    int col = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
    int row = blockIdx.y * 16;
    fragment<matrix_a, 16, 16, 16, T, row_major> left;
    fragment<matrix_b, 16, 16, 16, T, row_major> right;
    fragment<accumulator, 16, 16, 16, S> sum;
    fill_fragment(sum, S(0));
    for (int k = 0; k < n; k += 16) {
        load_matrix_sync(left, a + row * n + k, n);
        load_matrix_sync(right, b + k * n + col, n);
        mma_sync(sum, left, right, sum);
    }
    store_matrix_sync(c + row * n + col, sum, n, mem_row_major);
}

template <typename T, void (*K)(T *, const T *, const T *, int),
          unsigned SIDE = TILE>
static T *
run(bench *bench, const matmul *m, const T *host_a, const T *host_b)
{
    device_array<T> a(host_a, m->n * m->n), b(host_b, m->n * m->n);
    device_array<T> c(m->n * m->n);
    dim3 grid(m->n / SIDE, m->n / SIDE), block(SIDE, SIDE);
    while (bench_next(bench)) {
        K<<<grid, block>>>(c, a, b, (int)m->n);
        device_wait();
    }
    return c.get();
}

static void
run_naive(void)
{
    matmul m = matmul_create();
    bench b = bench_start("matmul_naive", 12.0 * m.n * m.n, m.flops);
    bench_end(&b, matmul_check(&m, run<float, matmul_naive>(&b, &m, m.a, m.b)));
}

static void
run_few(void)
{
    matmul m = matmul_create();
    bench b = bench_start("matmul_4x4", 12.0 * m.n * m.n, m.flops);
    float *c = run<float, matmul_checked, 4>(&b, &m, m.a, m.b);
    bench_end(&b, matmul_check(&m, c));
}

static void
run_checked(void)
{
    matmul m = matmul_create();
    bench b = bench_start("matmul_checked", 12.0 * m.n * m.n, m.flops);
    float *c = run<float, matmul_checked>(&b, &m, m.a, m.b);
    bench_end(&b, matmul_check(&m, c));
}

static void
run_tiled(void)
{
    matmul m = matmul_create();
    bench b = bench_start("matmul_tiled", 12.0 * m.n * m.n, m.flops);
    float *c = run<float, matmul_tiled<float>>(&b, &m, m.a, m.b);
    bench_end(&b, matmul_check(&m, c));
}

static void
run_double(void)
{
    matmul m = matmul_create();
    bench b = bench_start("matmul_double", 24.0 * m.n * m.n, m.flops);
    double *c = run<double, matmul_tiled<double>>(&b, &m, m.da, m.db);
    bench_end(&b, matmul_check_double(&m, c));
}

static void
run_wmma(void)
{
    matmul m = matmul_create();
    bench bench = bench_start("matmul_wmma", 8.0 * m.n * m.n, m.flops);
    std::vector<half> ha(m.a, m.a + m.n * m.n), hb(m.b, m.b + m.n * m.n);
    device_array<half> a(ha.data(), ha.size()), b(hb.data(), hb.size());
    device_array<float> c(m.n * m.n);
    dim3 grid(m.n / 64, m.n / 16), block(32, 4);
    while (bench_next(&bench)) {
        matmul_wmma<<<grid, block>>>((float *)c, (const half *)a,
                                     (const half *)b, (int)m.n);
        device_wait();
    }
    bench_end(&bench, matmul_check(&m, c.get()));
}

static void
run_int8(void)
{
    matmul m = matmul_create();
    bench bench = bench_start("matmul_int8", 6.0 * m.n * m.n, m.flops);
    device_array<int8_t> a(matmul_bytes(&m, m.a), m.n * m.n);
    device_array<int8_t> b(matmul_bytes(&m, m.b), m.n * m.n);
    device_array<int> c(m.n * m.n);
    dim3 grid(m.n / 64, m.n / 16), block(32, 4);
    while (bench_next(&bench)) {
        matmul_wmma<<<grid, block>>>((int *)c, (const int8_t *)a,
                                     (const int8_t *)b, (int)m.n);
        device_wait();
    }
    bench_end(&bench, matmul_check_integers(&m, c.get()));
}

BENCH_MAIN({"matmul_naive", run_naive}, {"matmul_checked", run_checked},
           {"matmul_4x4", run_few}, {"matmul_tiled", run_tiled},
           {"matmul_double", run_double}, {"matmul_wmma", run_wmma},
           {"matmul_int8", run_int8})
