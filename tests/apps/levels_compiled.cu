/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT sums of trees: 0 wrong
// expect: EXACT sums of planes: 0 wrong
// expect: EXACT sums of beginnings: 0 wrong
// expect: EXACT butterflies: 0 wrong
// expect: EXACT sorted: 0 wrong
// expect: EXACT any number: 0 wrong
// expect: EXACT reversed: 0 wrong
// expect: EXACT exchanged: 0 wrong
// expect: EXACT changed in places: 0 wrong
/* Loops whose index is halved or doubled, over the levels of trees and the
 * distances of butterflies, by blocks of many sizes; and what is known of lanes
 * without one; and stores to where was loaded from. */
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

static int wrong;

template <class T> struct array {
    T *p;
    explicit array(const std::vector<T> &from)
    {
        cudaMalloc(&p, from.size() * sizeof(T));
        cudaMemcpy(p, from.data(), from.size() * sizeof(T),
                   cudaMemcpyHostToDevice);
    }
    ~array() { cudaFree(p); }
    std::vector<T> get(size_t n) const
    {
        std::vector<T> to(n);
        cudaMemcpy(to.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
        return to;
    }
};

static std::vector<unsigned>
numbers(size_t n)
{
    std::vector<unsigned> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = (unsigned)(i * 2654435761u) >> 7;
    return v;
}

/* Both ways of going through a tree. */
template <class T>
__global__ void
tree_sums(const T *in, T *out)
{
    __shared__ T near_[1024];
    extern __shared__ char more[];
    T *far_ = (T *)more;
    unsigned t = threadIdx.x, n = blockDim.x;
    near_[t] = far_[t] = in[blockIdx.x * n + t];
#pragma unroll 1
    for (unsigned s = n / 2; s > 0; s /= 2) {
        __syncthreads();
        if (t < s)
            near_[t] += near_[t + s];
    }
#pragma unroll 1
    for (int s = 1; s < (int)n; s *= 2) {
        __syncthreads();
        if (t % (2 * s) == 0 && t + s < n)
            far_[t] += far_[t + s];
    }
    __syncthreads();
    if (t == 0) {
        out[2 * blockIdx.x] = near_[0];
        out[2 * blockIdx.x + 1] = far_[0];
    }
}

template <class T>
static void
check_trees(unsigned n)
{
    enum { BLOCKS = 3 };
    std::vector<T> in(BLOCKS * n);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (T)(i % 97);
    array<T> a(in), b(std::vector<T>(2 * BLOCKS));
    tree_sums<T><<<BLOCKS, n, n * sizeof(T)>>>(a.p, b.p);
    std::vector<T> out = b.get(2 * BLOCKS);
    bool halves = (n & (n - 1)) == 0; /* else some are left out */
    for (unsigned k = 0; k < BLOCKS; k++) {
        T sum = 0;
        for (unsigned i = 0; i < n; i++)
            sum += in[k * n + i];
        wrong += (halves && out[2 * k] != sum) + (out[2 * k + 1] != sum);
    }
}

/* Threads of a plane, by rows and by columns, in shared memory that the launch
 * gives. */
__global__ void
plane_sums(const unsigned *in, unsigned *out)
{
    extern __shared__ unsigned part[];
    unsigned n = blockDim.x * blockDim.y;
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned u = threadIdx.x * blockDim.y + threadIdx.y;
    part[t] = in[blockIdx.x * n + t];
    __syncthreads();
    unsigned mine = part[u];
    __syncthreads();
    part[u] = mine + threadIdx.y;
    for (unsigned s = n / 2; s > 0; s >>= 1) {
        __syncthreads();
        if (t < s)
            part[t] += part[t + s];
    }
    __syncthreads();
    if (threadIdx.x == 3 && threadIdx.y == blockDim.y - 1)
        out[blockIdx.x] = part[0];
}

static void
check_planes(unsigned nx, unsigned ny)
{
    enum { BLOCKS = 3 };
    unsigned n = nx * ny;
    std::vector<unsigned> in = numbers(BLOCKS * n);
    array<unsigned> a(in), b(in);
    plane_sums<<<BLOCKS, dim3(nx, ny), n * 4>>>(a.p, b.p);
    std::vector<unsigned> out = b.get(BLOCKS);
    for (unsigned k = 0; k < BLOCKS; k++) {
        unsigned sum = nx * (ny * (ny - 1) / 2);
        for (unsigned i = 0; i < n; i++)
            sum += in[k * n + i];
        wrong += out[k] != sum;
    }
}

/* Blelloch, with an offset that is doubled and halved. */
__global__ void
beginnings(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tree[512];
    unsigned t = threadIdx.x, n = 2 * blockDim.x, first = blockIdx.x * n;
    tree[2 * t] = in[first + 2 * t];
    tree[2 * t + 1] = in[first + 2 * t + 1];
    unsigned offset = 1;
#pragma unroll 1
    for (unsigned d = n / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0)
        tree[n - 1] = 0;
#pragma unroll 1
    for (unsigned d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            unsigned *low = &tree[offset * (2 * t + 1) - 1];
            unsigned *high = &tree[offset * (2 * t + 2) - 1], old = *low;
            *low = *high;
            *high += old;
        }
    }
    __syncthreads();
    out[first + 2 * t] = tree[2 * t];
    out[first + 2 * t + 1] = tree[2 * t + 1];
}

static void
check_beginnings(unsigned threads)
{
    enum { BLOCKS = 2 };
    unsigned n = 2 * threads;
    std::vector<unsigned> in = numbers(BLOCKS * n);
    array<unsigned> a(in), b(in);
    beginnings<<<BLOCKS, threads>>>(a.p, b.p);
    std::vector<unsigned> out = b.get(in.size());
    for (unsigned k = 0; k < BLOCKS; k++)
        for (unsigned i = 0, sum = 0; i < n; sum += in[k * n + i++])
            wrong += out[k * n + i] != sum;
}

/* Each distance by itself, with the element it meets: a transform whose result
 * shows every pair. */
template <class T>
__global__ void
butterfly(const T *in, T *out, int first)
{
    __shared__ T x[256];
    int t = threadIdx.x;
    x[t] = in[blockIdx.x * blockDim.x + t];
#pragma unroll 1
    for (int s = first; s > 0; s >>= 1) {
        __syncthreads();
        T mine = x[t], other = x[t ^ s];
        __syncthreads();
        x[t] = (t & s) ? other - mine : mine + other;
    }
    out[blockIdx.x * blockDim.x + t] = x[t];
}

template <class T>
static void
check_butterfly(unsigned n)
{
    enum { BLOCKS = 2 };
    std::vector<T> in(BLOCKS * n);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (T)(i * i % 61);
    array<T> a(in), b(in);
    butterfly<T><<<BLOCKS, n>>>(a.p, b.p, (int)n / 2);
    std::vector<T> out = b.get(in.size());
    for (unsigned k = 0; k < BLOCKS; k++) {
        std::vector<T> x(in.begin() + k * n, in.begin() + (k + 1) * n), y(n);
        for (unsigned s = n / 2; s > 0; s /= 2, x = y)
            for (unsigned t = 0; t < n; t++)
                y[t] = t & s ? x[t ^ s] - x[t] : x[t] + x[t ^ s];
        for (unsigned t = 0; t < n; t++)
            wrong += out[k * n + t] != x[t];
    }
}

/* Bitonic, exchanging where the elements say so. */
__global__ void
sort_pairs(unsigned *keys)
{
    __shared__ unsigned tile[512];
    unsigned t = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n;
    tile[t] = keys[base + t];
    tile[t + blockDim.x] = keys[base + t + blockDim.x];
    for (unsigned run = 2; run <= n; run *= 2)
        for (unsigned step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            unsigned i = t / step * 2 * step + t % step;
            bool up = (i & run) == 0;
            if ((tile[i] > tile[i + step]) == up) {
                unsigned x = tile[i];
                tile[i] = tile[i + step];
                tile[i + step] = x;
            }
        }
    __syncthreads();
    keys[base + t] = tile[t];
    keys[base + t + blockDim.x] = tile[t + blockDim.x];
}

static void
check_sorted(unsigned threads)
{
    enum { BLOCKS = 3 };
    unsigned n = 2 * threads;
    std::vector<unsigned> in = numbers(BLOCKS * n);
    array<unsigned> a(in);
    sort_pairs<<<BLOCKS, threads>>>(a.p);
    std::vector<unsigned> out = a.get(in.size());
    for (unsigned k = 0; k < BLOCKS; k++) {
        std::sort(in.begin() + k * n, in.begin() + (k + 1) * n);
        for (unsigned i = 0; i < n; i++)
            wrong += out[k * n + i] != in[k * n + i];
    }
}

/* From an index that is no power of two, and with what an iteration before
 * has left. */
__global__ void
any_number(const unsigned *in, unsigned *out, unsigned first)
{
    __shared__ unsigned x[256];
    unsigned t = threadIdx.x, n = blockDim.x, twice = 5, sum = 0;
    x[t] = in[t];
#pragma unroll 1
    for (unsigned s = first; s > 0; s /= 2) {
        __syncthreads();
        if (t + s < n)
            sum = sum * 3 + x[t + s] + twice;
        if (t >= twice && t * s < n)
            sum ^= x[t * s] + x[t - twice];
        twice = 2 * s;
        __syncthreads();
        x[(t + s) % n] = sum;
    }
    out[t] = sum;
}

static void
check_any(unsigned n, unsigned first)
{
    std::vector<unsigned> in = numbers(n), x = in, sum(n, 0u);
    array<unsigned> a(in), b(in);
    any_number<<<1, n>>>(a.p, b.p, first);
    std::vector<unsigned> out = b.get(n);
    unsigned twice = 5;
    for (unsigned s = first; s > 0; s /= 2) {
        for (unsigned t = 0; t < n; t++) {
            if (t + s < n)
                sum[t] = sum[t] * 3 + x[t + s] + twice;
            if (t >= twice && t * s < n)
                sum[t] ^= x[t * s] + x[t - twice];
        }
        twice = 2 * s;
        for (unsigned t = 0; t < n; t++)
            x[(t + s) % n] = sum[t];
    }
    for (unsigned t = 0; t < n; t++)
        wrong += out[t] != sum[t];
}

/* Places that are no rule of an index: bits in another order, some threads. */
template <class T>
__global__ void
reversed(const T *in, T *out, int bits)
{
    __shared__ T x[256], y[256];
    unsigned t = threadIdx.x;
    unsigned r = __brev(t) >> 24;
    x[t] = in[t];
    y[t] = 0;
    __syncthreads();
    if (t % 3 == 1)
        y[r] = x[t ^ 5];
    else if ((t & (t - 1)) == 0)
        y[r] = x[255 - t];
    __syncthreads();
    out[t] = y[(t * 7 + 3) % 256];
    if (bits != 8)
        out[t] = x[r];
}

template <class T>
static void
check_reversed()
{
    std::vector<T> in(256), y(256);
    for (int i = 0; i < 256; i++)
        in[i] = (T)(i * 3 + 1);
    array<T> a(in), b(in);
    reversed<T><<<1, 256>>>(a.p, b.p, 8);
    std::vector<T> out = b.get(256);
    for (unsigned t = 0; t < 256; t++) {
        unsigned r = 0;
        for (int i = 0; i < 8; i++)
            r |= (t >> i & 1) << (7 - i);
        if (t % 3 == 1)
            y[r] = in[t ^ 5];
        else if ((t & (t - 1)) == 0)
            y[r] = in[255 - t];
    }
    for (unsigned t = 0; t < 256; t++)
        wrong += out[t] != y[(t * 7 + 3) % 256];
}

/* The same in global memory, where lanes lie in rows or not as a distance says,
 * and some store where they have loaded. */
__global__ void
exchange(unsigned *keys, unsigned n, unsigned run, unsigned step)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned i = t / step * 2 * step + t % step;
    if (i + step >= n)
        return;
    unsigned a = keys[i], b = keys[i + step];
    if ((a > b) == ((i & run) == 0)) {
        keys[i] = b;
        keys[i + step] = a;
    }
}

static void
check_exchanged(unsigned n)
{
    std::vector<unsigned> in = numbers(n);
    array<unsigned> a(in);
    for (unsigned step : {1u, 3u, 8u, 16u, 17u, 32u, 64u, 100u, 256u}) {
        exchange<<<n / 128 + 1, 128>>>(a.p, n, 2 * step, step);
        for (unsigned t = 0; t < n; t++) {
            unsigned i = t / step * 2 * step + t % step;
            if (i + step < n &&
                (in[i] > in[i + step]) == ((i & (2 * step)) == 0))
                std::swap(in[i], in[i + step]);
        }
    }
    std::vector<unsigned> out = a.get(n);
    for (unsigned i = 0; i < n; i++)
        wrong += out[i] != in[i];
}

/* In a loop, at places from memory: rows in one round, none in the next. */
__global__ void
change(int *v, const int *where, int n, int rounds)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int i = where[r * n + t], x = v[i];
        if ((x + r) % 3 == 0)
            continue;
        if (x % 5 == r % 5)
            v[i] = x * 3 + 1;
        else if (x & 8)
            v[i] = x - r;
        if (x == 1000003)
            break;
    }
}

static void
check_changed(int n)
{
    enum { ROUNDS = 12 };
    std::vector<int> v(ROUNDS * n), where(ROUNDS * n);
    for (int r = 0; r < ROUNDS; r++)
        for (int t = 0; t < n; t++) {
            int k = r % 4 == 0   ? t
                    : r % 4 == 1 ? n - 1 - t
                    : r % 4 == 2 ? (t % 32 == 5    ? t + 1
                                    : t % 32 == 6 ? t - 1
                                                  : t)
                                 : (int)((unsigned)t * 7u % (unsigned)n);
            where[r * n + t] = r * n + k;
            v[r * n + t] = r * 31 + t * 17 % 1009;
        }
    array<int> a(v), b(where);
    change<<<n / 64, 64>>>(a.p, b.p, n, ROUNDS);
    std::vector<int> out = a.get(v.size());
    for (int t = 0; t < n; t++)
        for (int r = 0; r < ROUNDS; r++) {
            int &x = v[where[r * n + t]], old = x;
            if ((old + r) % 3 == 0)
                continue;
            x = old % 5 == r % 5 ? old * 3 + 1 : old & 8 ? old - r : old;
        }
    for (size_t i = 0; i < v.size(); i++)
        wrong += out[i] != v[i];
}

static void
report(const char *what)
{
    printf("%s: %d wrong\n", what, wrong);
    wrong = cudaDeviceSynchronize() != cudaSuccess;
}

int
main()
{
    for (unsigned n : {32u, 64u, 96u, 100u, 128u, 256u, 512u, 768u, 1024u}) {
        check_trees<int>(n);
        check_trees<float>(n);
        check_trees<double>(n);
        check_trees<short>(n);
    }
    report("sums of trees");
    for (unsigned ny : {1u, 2u, 8u, 16u, 32u})
        for (unsigned nx : {8u, 16u, 32u})
            check_planes(nx, ny);
    check_planes(64, 16);
    check_planes(128, 4);
    check_planes(16, 64);
    report("sums of planes");
    for (unsigned n : {16u, 32u, 64u, 128u, 256u})
        check_beginnings(n);
    report("sums of beginnings");
    for (unsigned n : {32u, 64u, 128u, 256u}) {
        check_butterfly<int>(n);
        check_butterfly<long long>(n);
        check_butterfly<double>(n);
        check_butterfly<unsigned char>(n);
    }
    report("butterflies");
    for (unsigned n : {16u, 32u, 64u, 128u, 256u})
        check_sorted(n);
    report("sorted");
    for (unsigned n : {32u, 64u, 128u, 160u, 256u})
        for (unsigned first : {1u, 3u, 8u, 16u, 31u, 64u, 100u, 128u, 255u, 256u})
            check_any(n, first);
    report("any number");
    check_reversed<int>();
    check_reversed<double>();
    check_reversed<short>();
    report("reversed");
    for (unsigned n : {32u, 100u, 1024u, 1000u})
        check_exchanged(n);
    report("exchanged");
    for (int n : {64, 128, 1024})
        check_changed(n);
    report("changed in places");
    return wrong;
}
