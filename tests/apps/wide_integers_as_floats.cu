/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O2
// expect: EXACT as double: 0 wrong
// expect: EXACT as float: 0 wrong
// expect: EXACT and back: 0 wrong
/* Integers of 128 bits become the nearest floating-point numbers, for which
 * hosts have functions in a library and devices have none. */
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

typedef __int128 wide;
typedef unsigned __int128 uwide;

struct result {
    double d[2];
    float f[2];
    wide back;
    uwide uback;
};

__host__ __device__ result
convert(wide a, uwide b)
{
    result r = {{(double)a, (double)b}, {(float)a, (float)b}, 0, 0};
    r.back = (wide)(r.d[0] / 4); /* a number that fits */
    r.uback = (uwide)(r.d[1] / 4);
    return r;
}

__global__ void
convert_all(const wide *a, const uwide *b, result *r, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        r[i] = convert(a[i], b[i]);
}

template <typename T>
static T *
copy(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof v[0]);
    cudaMemcpy(p, v.data(), v.size() * sizeof v[0], cudaMemcpyHostToDevice);
    return p;
}

/* Of all lengths, some near the middle of two results. */
static uwide
draw(unsigned i)
{
    static unsigned long long s = 88172645463325252ull;
    uwide x = 0;
    for (int k = 0; k < 2; k++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        x = x << 64 | s;
    }
    x >>= s % 128;
    if (i % 3 == 0)
        x = (x >> 60 << 60) + i % 5 - 2;
    return i == 0 ? ~(uwide)0 : x;
}

int
main()
{
    const int n = 4000;
    std::vector<wide> a(n);
    std::vector<uwide> b(n);
    std::vector<result> got(n);
    for (int i = 0; i < n; i++) {
        b[i] = draw(i);
        a[i] = (wide)(i % 2 ? b[i] >> 1 : 0 - (b[i] >> 1));
    }
    a[0] = (wide)((uwide)1 << 127);
    result *r = copy(got);
    convert_all<<<(n + 127) / 128, 128>>>(copy(a), copy(b), r, n);
    cudaMemcpy(got.data(), r, n * sizeof *r, cudaMemcpyDeviceToHost);
    int wrong[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        result want = convert(a[i], b[i]);
        for (int k = 0; k < 2; k++) {
            wrong[0] += got[i].d[k] != want.d[k];
            wrong[1] += got[i].f[k] != want.f[k];
        }
        wrong[2] += got[i].back != want.back || got[i].uback != want.uback;
    }
    printf("as double: %d wrong\nas float: %d wrong\nand back: %d wrong\n",
           wrong[0], wrong[1], wrong[2]);
    return 0;
}
