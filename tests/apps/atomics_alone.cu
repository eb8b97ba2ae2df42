/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomics_alone.cu - atomic operations whose results nobody reads need none of
 * the host's while one thread alone runs blocks: they are the same, also when
 * other grids begin and end all the time, or other processes use the memory.
 * Lanes in a row do theirs all at once.
 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_THREADS=3
// expect: EXACT one grid: right
// expect: EXACT in rows: 0 wrong
// expect: EXACT grids side by side: 4915200 of 4915200
// expect: EXACT two processes: 33554432 of 33554432
#include "check.h"

#include <cmath>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

enum { BINS = 61 };

struct results {
    unsigned add[BINS], most[BINS], least[BINS], some[BINS], all[BINS],
        odd[BINS], turns[BINS], down[BINS];
    unsigned count[BINS], ranks[BINS];
    unsigned long long wide[BINS];
    float real[BINS];
    double exact[BINS];
};

/* The bin of a value: lanes of a warp share some. */
__host__ __device__ unsigned
bin_of(unsigned i)
{
    return (i * 2654435761u >> 9) % BINS;
}

__global__ void
change(results *r, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned b = bin_of(i);
    atomicAdd(&r->add[b], i);
    atomicMax(&r->most[b], i);
    atomicMin(&r->least[b], i);
    atomicOr(&r->some[b], 1u << i % 32);
    atomicAnd(&r->all[b], ~(1u << i / 64 % 32));
    atomicXor(&r->odd[b], i);
    atomicInc(&r->turns[b], 6);
    atomicDec(&r->down[b], 9);
    atomicAdd(&r->wide[b], 1ull << i % 40);
    atomicAdd(&r->real[b], (float)(i % 8));
    atomicAdd(&r->exact[b], i * 0.5);
    unsigned rank = atomicAdd(&r->count[b], 1);
    atomicAdd(&r->ranks[b], rank * rank);
}

static results
expected(unsigned n)
{
    results r = {};
    for (int b = 0; b < BINS; b++)
        r.least[b] = r.all[b] = ~0u;
    for (unsigned i = 0; i < n; i++) {
        unsigned b = bin_of(i);
        r.add[b] += i;
        r.most[b] = i > r.most[b] ? i : r.most[b];
        r.least[b] = i < r.least[b] ? i : r.least[b];
        r.some[b] |= 1u << i % 32;
        r.all[b] &= ~(1u << i / 64 % 32);
        r.odd[b] ^= i;
        r.turns[b] = r.turns[b] >= 6 ? 0 : r.turns[b] + 1;
        r.down[b] = !r.down[b] || r.down[b] > 9 ? 9 : r.down[b] - 1;
        r.wide[b] += 1ull << i % 40;
        r.real[b] += (float)(i % 8);
        r.exact[b] += i * 0.5;
        r.ranks[b] += r.count[b] * r.count[b];
        r.count[b]++;
    }
    return r;
}

static void
one_grid(void)
{
    const unsigned n = 12345;
    results want = expected(n), got = expected(0), *r;
    CK(cudaMalloc(&r, sizeof *r));
    CK(cudaMemcpy(r, &got, sizeof got, cudaMemcpyHostToDevice));
    change<<<(n + 127) / 128, 128>>>(r, n);
    CK(cudaMemcpy(&got, r, sizeof got, cudaMemcpyDeviceToHost));
    CK(cudaFree(r));
    printf("one grid: %s\n",
           memcmp(&want, &got, sizeof got) ? "different" : "right");
}

/* Rows of different lengths, in which each lane has its own. */
struct rows {
    float *real;
    double *exact;
    unsigned *count, *most, *was, *swapped, *compared, *least, *sum;
    unsigned long long *wide;
};

__global__ void
change_rows(rows r, const float *more, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || (blockIdx.x == 2 && i % 7 == 3))
        return;
    atomicAdd(&r.real[i + 1], more[i]);
    atomicAdd(&r.exact[i], (double)more[i]);
    atomicMax(&r.most[i], (unsigned)i * 77 % 100);
    atomicAdd(&r.wide[i + 3], 1ull << i % 50);
    r.was[i] = atomicAdd(&r.count[i], 3);
    unsigned old = atomicExch(&r.swapped[i], (unsigned)i % 9);
    old += 100 * atomicCAS(&r.compared[i], 17, (unsigned)i);
    old += 10000 * atomicMin(&r.least[i], (unsigned)i % 31);
    r.sum[i] = old + 1000000 * atomicAdd(&r.least[i], r.count[0] * 0);
}

/* A sum in global memory. */
static float
flushed(float x)
{
    return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}

template <typename T>
static T *
filled(std::vector<T> &v, int n, T (*value)(int))
{
    T *p;
    for (int i = 0; i < n; i++)
        v.push_back(value(i));
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <typename T>
static int
differing(const T *device, const std::vector<T> &want)
{
    std::vector<T> got(want.size());
    int wrong = 0;
    CK(cudaMemcpy(got.data(), device, got.size() * sizeof(T),
                  cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++)
        wrong += memcmp(&got[i], &want[i], sizeof(T)) != 0;
    return wrong;
}

static float
some_float(int i)
{
    static const float special[] = {0x1p-140f, -0x1p-126f, 0.0f,
                                    -0.0f,     INFINITY,   0x1p-126f};
    return i % 11 == 0 ? special[i / 11 % 6] : (i % 200 - 90) * 0.375f;
}

static void
in_rows(void)
{
    const int n = 1000, room = n + 8;
    std::vector<float> real, more;
    std::vector<double> exact;
    std::vector<unsigned> counts, most, was, swapped, compared, least, sum;
    std::vector<unsigned long long> wide;
    auto number = [](int i) { return (unsigned)i % 50; };
    rows r;
    r.real = filled<float>(real, room, some_float);
    r.exact = filled<double>(exact, room, [](int i) { return i * 0.25; });
    r.count = filled<unsigned>(counts, room, number);
    r.most = filled<unsigned>(most, room, number);
    r.was = filled<unsigned>(was, room, number);
    r.swapped = filled<unsigned>(swapped, room, number);
    r.compared = filled<unsigned>(compared, room, number);
    r.least = filled<unsigned>(least, room, number);
    r.sum = filled<unsigned>(sum, room, number);
    r.wide = filled<unsigned long long>(
        wide, room, [](int i) { return (unsigned long long)i << 33; });
    const float *add =
        filled<float>(more, n, [](int i) { return some_float(i + 5); });
    change_rows<<<(n + 127) / 128, 128>>>(r, add, n);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        if (i / 128 == 2 && i % 7 == 3)
            continue;
        real[i + 1] = flushed(flushed(real[i + 1]) + flushed(more[i]));
        exact[i] += more[i];
        most[i] = most[i] > i * 77u % 100 ? most[i] : i * 77u % 100;
        wide[i + 3] += 1ull << i % 50;
        was[i] = counts[i];
        counts[i] += 3;
        sum[i] = swapped[i] + 100 * compared[i] + 10000 * least[i];
        swapped[i] = i % 9u;
        compared[i] = compared[i] == 17 ? i : compared[i];
        least[i] = least[i] < i % 31u ? least[i] : i % 31u;
        sum[i] += 1000000 * least[i];
    }
    printf("in rows: %d wrong\n",
           differing(r.real, real) + differing(r.exact, exact) +
               differing(r.count, counts) + differing(r.most, most) +
               differing(r.was, was) + differing(r.wide, wide) +
               differing(r.swapped, swapped) + differing(r.least, least) +
               differing(r.compared, compared) + differing(r.sum, sum));
}

__global__ void
count(unsigned *bins, unsigned turns)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned most = 0;
    for (unsigned k = 0; k < turns; k += 2) {
        atomicAdd(&bins[bin_of(i + k * 32)], 1);
        unsigned n = atomicAdd(&bins[bin_of(i + k * 32 + 32)], 1);
        most = n > most ? n : most;
    }
    if (most == ~0u)
        bins[0] = 0;
}

static unsigned long long
sum_of(const unsigned *bins)
{
    unsigned host[BINS];
    unsigned long long sum = 0;
    CK(cudaMemcpy(host, bins, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned b : host)
        sum += b;
    return sum;
}

/* Streams whose grids change the same memory. */
static void
side_by_side(void)
{
    enum { STREAMS = 4, LAUNCHES = 300 };
    unsigned *bins;
    unsigned long long want = 0;
    cudaStream_t stream[STREAMS];
    CK(cudaMalloc(&bins, BINS * sizeof *bins));
    CK(cudaMemset(bins, 0, BINS * sizeof *bins));
    CK(cudaDeviceSynchronize());
    for (auto &s : stream)
        CK(cudaStreamCreate(&s));
    for (int i = 0; i < LAUNCHES; i++) {
        for (int s = 0; s < STREAMS; s++) {
            int blocks = 1 + (i + s) % 3 / 2;
            count<<<blocks, 128, 0, stream[s]>>>(bins, 24);
            want += blocks * 128ull * 24;
        }
        if (i % 7 == 0)
            CK(cudaStreamSynchronize(stream[i % STREAMS]));
    }
    CK(cudaDeviceSynchronize());
    printf("grids side by side: %llu of %llu\n", sum_of(bins), want);
    CK(cudaFree(bins));
}

static void
add_much(unsigned *bins)
{
    count<<<64, 256>>>(bins, 1024);
    CK(cudaDeviceSynchronize());
}

/* A child that was forked before this process used the device. */
static void
in_child(int from_parent, int to_parent)
{
    cudaIpcMemHandle_t handle;
    unsigned *bins;
    char c = 0;
    if (read(from_parent, &handle, sizeof handle) != sizeof handle)
        _exit(1);
    CK(cudaIpcOpenMemHandle((void **)&bins, handle,
                            cudaIpcMemLazyEnablePeerAccess));
    MUST(write(to_parent, &c, 1) == 1);
    add_much(bins);
    CK(cudaIpcCloseMemHandle(bins));
    _exit(0);
}

static void
two_processes(pid_t child, int to_child, int from_child)
{
    cudaIpcMemHandle_t handle;
    unsigned *bins;
    char c;
    int status;
    CK(cudaMalloc(&bins, BINS * sizeof *bins));
    CK(cudaMemset(bins, 0, BINS * sizeof *bins));
    CK(cudaIpcGetMemHandle(&handle, bins));
    MUST(write(to_child, &handle, sizeof handle) == sizeof handle);
    MUST(read(from_child, &c, 1) == 1);
    add_much(bins);
    MUST(waitpid(child, &status, 0) == child && status == 0);
    printf("two processes: %llu of %llu\n", sum_of(bins),
           2ull * 64 * 256 * 1024);
}

int
main(void)
{
    int down[2], up[2];
    MUST(pipe(down) == 0 && pipe(up) == 0);
    pid_t child = fork();
    if (child == 0)
        in_child(down[0], up[1]);
    one_grid();
    in_rows();
    side_by_side();
    two_processes(child, down[1], up[0]);
    return 0;
}
