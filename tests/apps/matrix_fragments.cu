/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_80 -Xcompiler -O0
// expect: EXACT 0 failed
/* mma.h: fragments of every shape and type, in all layouts, against sums on the
 * host. The numbers are small integers, so that no product is rounded. */
#include <cstdio>
#include <mma.h>

using namespace nvcuda;

static int failures;

template <class T> struct stored {
    typedef T type;
};
template <> struct stored<wmma::precision::tf32> {
    typedef float type;
};

/* Every element of a fragment belongs to one lane: doubled here, each once. */
template <int m, int n, int k, class A, class S, class La, class Lb>
__global__ void
multiply(const typename stored<A>::type *a, const typename stored<A>::type *b,
         const S *c, S *d, int a_stride, int b_stride, bool by_columns)
{
    wmma::fragment<wmma::matrix_a, m, n, k, A, La> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, A, Lb> fb;
    wmma::fragment<wmma::accumulator, m, n, k, S> fc, fd;
    wmma::layout_t layout =
        by_columns ? wmma::mem_col_major : wmma::mem_row_major;
    int stride = by_columns ? m : n;
    wmma::load_matrix_sync(fa, a, a_stride);
    wmma::load_matrix_sync(fb, b, b_stride);
    wmma::load_matrix_sync(fc, c, stride, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    for (int i = 0; i < fd.num_elements; i++)
        fd.x[i] = fd.x[i] + fd.x[i];
    wmma::store_matrix_sync(d, fd, stride, layout);
    wmma::fill_fragment(fc, 3);
    if (threadIdx.x == 0)
        d[m * n] = fc.x[0];
}

template <int m, int n, int k, class A, class S, class La, class Lb>
static void
check(const char *name, bool rows_a, bool rows_b, bool by_columns)
{
    typedef typename stored<A>::type T;
    T *a, *b;
    S *c, *d;
    cudaMallocManaged(&a, m * k * sizeof(T));
    cudaMallocManaged(&b, n * k * sizeof(T));
    cudaMallocManaged(&c, m * n * sizeof(S));
    cudaMallocManaged(&d, (m * n + 1) * sizeof(S));
    float x[m][k], y[k][n], z[m][n];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) {
            x[i][j] = (float)((i * 5 + j * 3) % 7);
            a[rows_a ? i * k + j : j * m + i] = (T)x[i][j];
        }
    for (int i = 0; i < k; i++)
        for (int j = 0; j < n; j++) {
            y[i][j] = (float)((i * 2 + j) % 5);
            b[rows_b ? i * n + j : j * k + i] = (T)y[i][j];
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            z[i][j] = (float)((i + j * 4) % 9);
            c[by_columns ? j * m + i : i * n + j] = (S)z[i][j];
        }
    multiply<m, n, k, A, S, La, Lb><<<1, 32>>>(a, b, c, d, rows_a ? k : m,
                                               rows_b ? n : k, by_columns);
    cudaError_t error = cudaDeviceSynchronize();
    int bad = error != cudaSuccess || (float)d[m * n] != 3;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = z[i][j];
            for (int l = 0; l < k; l++)
                sum += x[i][l] * y[l][j];
            bad += (float)d[by_columns ? j * m + i : i * n + j] != 2 * sum;
        }
    if (bad) {
        failures++;
        printf("%s m%dn%dk%d %d%d%d: %d wrong, %s\n", name, m, n, k, rows_a,
               rows_b, by_columns, bad, cudaGetErrorName(error));
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(d);
}

template <int m, int n, int k, class A, class S>
static void
layouts(const char *name)
{
    typedef wmma::row_major R;
    typedef wmma::col_major C;
    check<m, n, k, A, S, R, R>(name, true, true, false);
    check<m, n, k, A, S, R, C>(name, true, false, true);
    check<m, n, k, A, S, C, R>(name, false, true, false);
    check<m, n, k, A, S, C, C>(name, false, false, true);
}

template <class A, class S>
static void
shapes(const char *name)
{
    layouts<16, 16, 16, A, S>(name);
    layouts<32, 8, 16, A, S>(name);
    layouts<8, 32, 16, A, S>(name);
}

int
main()
{
    shapes<__half, float>("half to float");
    shapes<__half, __half>("half to half");
    shapes<__nv_bfloat16, float>("bfloat16");
    shapes<signed char, int>("signed char");
    shapes<unsigned char, int>("unsigned char");
    layouts<16, 16, 8, wmma::precision::tf32, float>("tf32");
    layouts<8, 8, 4, double, double>("double");
    printf("%d failed\n", failures);
    return failures != 0;
}
