/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_80
// expect: EXACT 0 failed
/* mma.h's namespace experimental: numbers of 4 bits and single bits, against
 * sums on the host. */
#include <cstdio>
#include <mma.h>

using namespace nvcuda;
namespace small = wmma::experimental;

template <class T, int k>
__global__ void
multiply(const unsigned *a, const unsigned *b, const int *c, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, k, int> fc;
    static_assert(fa.num_elements == k / 4 && sizeof fa.x[0] == 4, "");
    wmma::load_matrix_sync(fa, a, k);
    wmma::load_matrix_sync(fb, b, k);
    wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

template <small::bmmaBitOp op>
__global__ void
count(const unsigned *a, const unsigned *b, const int *c, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, 128, small::precision::b1,
                   wmma::row_major>
        fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, small::precision::b1,
                   wmma::col_major>
        fb;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc;
    wmma::load_matrix_sync(fa, a, 128);
    wmma::load_matrix_sync(fb, b, 128);
    wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
    wmma::bmma_sync(fc, fa, fb, fc, op);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

static unsigned *a, *b;
static int *c, *d, failures;

/* The product of row i of a and row j of b, of 4 words each. */
template <class F>
static void
check(const char *name, F product)
{
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s: %s\n", name, cudaGetErrorString(e)), failures++;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int sum = c[i * 8 + j];
            for (int w = 0; w < 4; w++)
                sum += product(a[i * 4 + w], b[j * 4 + w]);
            if (d[i * 8 + j] != sum)
                printf("%s: %d %d: %d, not %d\n", name, i, j, d[i * 8 + j],
                       sum),
                    failures++;
        }
}

template <bool is_signed>
static int
products(unsigned x, unsigned y)
{
    int sum = 0;
    for (int at = 0; at < 32; at += 4) {
        int u = (int)(x >> at & 15), v = (int)(y >> at & 15);
        if (is_signed)
            u -= u > 7 ? 16 : 0, v -= v > 7 ? 16 : 0;
        sum += u * v;
    }
    return sum;
}

int
main()
{
    cudaMallocManaged(&a, 128);
    cudaMallocManaged(&b, 128);
    cudaMallocManaged(&c, 256);
    cudaMallocManaged(&d, 256);
    for (unsigned i = 0; i < 32; i++)
        a[i] = i * 2654435761u, b[i] = ~i * 2246822519u;
    for (int i = 0; i < 64; i++)
        c[i] = i * i - 1000;
    multiply<small::precision::s4, 32><<<1, 32>>>(a, b, c, d);
    check("s4", products<true>);
    multiply<small::precision::u4, 32><<<1, 32>>>(a, b, c, d);
    check("u4", products<false>);
    count<small::bmmaBitOpXOR><<<1, 32>>>(a, b, c, d);
    check("xor",
          [](unsigned x, unsigned y) { return __builtin_popcount(x ^ y); });
    count<small::bmmaBitOpAND><<<1, 32>>>(a, b, c, d);
    check("and",
          [](unsigned x, unsigned y) { return __builtin_popcount(x & y); });
    printf("%d failed\n", failures);
}
