/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit
// cc: -O3
// expect: EXACT products, 0: 6e19455000000000, 0 NaNs
// expect: EXACT polynomial, 0: d9228d864cd1cb21, 0 NaNs
// expect: EXACT some, 0: 9579c18800000000, 286 NaNs
// expect: EXACT least, 0: 6cef2c7000000000, 0 NaNs
// expect: EXACT tiles, 0: e2d9105800000000, 0 NaNs
// expect: EXACT products, 64: 4757ae342f841d71, 273 NaNs
// expect: EXACT polynomial, 64: f99b53641a5334eb, 9 NaNs
// expect: EXACT some, 64: ba0c8755f3b8f913, 295 NaNs
// expect: EXACT least, 64: 2bb751486d162ac9, 23 NaNs
// expect: EXACT tiles, 64: afd0479e77008028, 190 NaNs
// expect: EXACT products, 9: 681ff0740f5e7215, 512 NaNs
// expect: EXACT polynomial, 9: c4fcc42c7a013800, 512 NaNs
// expect: EXACT some, 9: 9a393990c3c38f26, 334 NaNs
// expect: EXACT least, 9: 46a70bfe78ae8174, 141 NaNs
// expect: EXACT tiles, 9: 890fb96f34c186ee, 904 NaNs
// expect: EXACT products, 3: 6ab8bead40799eac, 512 NaNs
// expect: EXACT polynomial, 3: c4fcc42c7a013800, 512 NaNs
// expect: EXACT some, 3: b78b6f4fce82ce7a, 408 NaNs
// expect: EXACT least, 3: 21a573a21587615c, 450 NaNs
// expect: EXACT tiles, 3: e659d2f3d90311cb, 2161 NaNs
/* Rows of f64 arithmetic in which NaNs of several kinds meet: which of them
 * comes out is the device's choice, and so are the sums of all bits, an H100's.
 */
#include <cstdint>
#include <cstring>

#include "check.h"

enum { N = 512, TURNS = 24, TILE = 16, SIDE = 64, BLOCK = 128 };

/* A number in most places; in others a NaN, loud or quiet, of either sign, or
 * the same one each time. */
static double
element(unsigned i, unsigned every, bool is_same)
{
    unsigned h = i * 2654435761u ^ i >> 3;
    uint64_t bits = UINT64_C(0x7ff0000000000000) | h % 4096 + 1;
    double x = (double)(int)(h >> 20 & 255) / 16 - 7;
    bits |= (uint64_t)(h >> 13 & 1) << 51 | (uint64_t)(h >> 14 & 1) << 63;
    bits = is_same ? UINT64_C(0x7ff8000000000123) : bits;
    if (every && (h >> 8 & 4095) % every == 0)
        memcpy(&x, &bits, sizeof x);
    return x;
}

__global__ void
products(const double *a, const double *b, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = a[i];
    for (int k = 0; k < TURNS; k++)
        sum += a[i + k * 7] * b[i + k];
    out[i] = sum;
}

__global__ void
tiles(const double *a, const double *b, double *out)
{
    __shared__ double s[TILE][TILE], t[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE;
    y += threadIdx.y;
    double sum = 0;
    for (int k = 0; k < SIDE; k += TILE) {
        s[threadIdx.y][threadIdx.x] = a[y * SIDE + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * SIDE + x];
        __syncthreads();
        for (int j = 0; j < TILE; j++)
            sum += s[threadIdx.y][j] * t[j][threadIdx.x];
        __syncthreads();
    }
    out[y * SIDE + x] = sum;
}

__global__ void
polynomial(const double *a, const double *c, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[i], r = c[0];
    for (int k = 1; k < TURNS; k++)
        r = r * x - c[k];
    out[i] = fabs(r) - x * -r;
}

/* What lanes hold that do not run is none of the others' business. */
__global__ void
some(const double *a, const double *b, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[i], y = b[i];
    if (x > 0) {
        for (int k = 0; k < TURNS; k++) {
            y = y * x + a[i + k];
            x = x - y / (b[i + k] * b[i + k] + 1);
        }
    } else if (i % 3) {
        y = (y + x) * (x - 2) * y - x;
    }
    out[i] = x + y;
}

/* A comparison ends the row of what came before. */
__global__ void
least(const double *a, const double *b, double *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double low = b[i], sum = a[i];
    for (int k = 0; k < TURNS; k++) {
        double d = a[i + k] - b[i + 2 * k];
        double e = d * d + sum;
        low = fmin(low, e);
        sum = sum + (e < 9 ? d : low) * 0.5;
    }
    out[i] = low;
    out[N + i] = sum;
}

static void
tell(const char *name, unsigned every, const double *out, int n)
{
    unsigned long long sum = 0, bits;
    int nans = 0;
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        memcpy(&bits, &out[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
        nans += out[i] != out[i];
    }
    printf("%s, %u: %016llx, %d NaNs\n", name, every, sum, nans);
}

int
main(void)
{
    enum { COUNT = SIDE * SIDE };
    double *a, *b, *out;
    CK(cudaMallocManaged(&a, COUNT * sizeof *a));
    CK(cudaMallocManaged(&b, COUNT * sizeof *b));
    CK(cudaMallocManaged(&out, COUNT * sizeof *out));
    const unsigned all[] = {0, 64, 9, 3};
    for (unsigned every : all) {
        for (unsigned i = 0; i < COUNT; i++) {
            a[i] = element(i, every, false);
            b[i] = element(i + 77777, every, false);
        }
        products<<<N / BLOCK, BLOCK>>>(a, b, out);
        tell("products", every, out, N);
        polynomial<<<N / BLOCK, BLOCK>>>(a, b, out);
        tell("polynomial", every, out, N);
        some<<<N / BLOCK, BLOCK>>>(a, b, out);
        tell("some", every, out, N);
        least<<<N / BLOCK, BLOCK>>>(a, b, out);
        tell("least", every, out, 2 * N);
        for (unsigned i = 0; i < COUNT; i++) {
            a[i] = element(i, every ? 64 * every : 0, true);
            b[i] = element(i + 77777, every ? 50 * every : 0, true);
        }
        tiles<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(a, b, out);
        tell("tiles", every, out, COUNT);
    }
}
