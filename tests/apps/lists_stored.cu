/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT chunks: 0 wrong
// expect: EXACT chunks of doubles: 0 wrong
// expect: EXACT chunks of bytes: 0 wrong
// expect: EXACT chunks in place: 0 wrong
// expect: EXACT chunks whose last element is the next one's first: 0 wrong
// expect: EXACT onto what others read: 0 wrong
// expect: EXACT rows of any length: 0 wrong
// expect: EXACT rows from the last lane on: 0 wrong
// expect: EXACT rows one in another: 0 wrong
// expect: EXACT several lists: 0 wrong
// expect: EXACT sums in memory: 0 wrong
// expect: EXACT where loops end: 0 wrong
// expect: EXACT bad index: an illegal memory access was encountered
// expect: EXACT beyond the end: an illegal memory access was encountered
// expect: ERROR thread: \(9,0,0\)
// expect: ERROR thread: \(17,0,0\)
/* Loops in which each lane stores what lies side by side, apart from what other
 * lanes store, or not: then what one lane does is seen by the others of its
 * warp as if all took each step together. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { LANES = 32, LONGEST = 70, ROOM = 1 << 16 };

static int wrong;

static void
report(const char *what)
{
    printf("%s: %d wrong\n", what, wrong);
    wrong = 0;
}

template <class T>
static T *
to_device(const T *from, size_t n)
{
    T *to;
    cudaMalloc(&to, n * sizeof *to);
    cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyHostToDevice);
    return to;
}

template <class T>
static void
compare(const T *want, const T *device, size_t n)
{
    T *got = (T *)malloc(n * sizeof *got);
    cudaMemcpy(got, device, n * sizeof *got, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i++)
        wrong += memcmp(&got[i], &want[i], sizeof *got) != 0;
    free(got);
}

/* What lane i does in turn j of the loops, on the host: all lanes of a warp
 * read before one of them writes. */
template <class T, class Read, class Write>
static void
in_step(int threads, int turns, T *out, Read read, Write write)
{
    for (int warp = 0; warp < threads; warp += LANES)
        for (int j = 0; j < turns; j++) {
            T x[LANES];
            int n = threads - warp < LANES ? threads - warp : LANES;
            for (int i = 0; i < n; i++)
                x[i] = read(warp + i, j);
            for (int i = 0; i < n; i++)
                out[write(warp + i, j)] = x[i];
        }
}

template <class T>
__global__ void
chunks(const T *in, T *out, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
#pragma unroll 1
    for (int j = 0; j < k; j++)
        out[i * k + j] = in[i * k + j] * 3;
}

template <class T>
static void
check_chunks(const char *what)
{
    static T in[ROOM], out[ROOM];
    for (int i = 0; i < ROOM; i++)
        in[i] = (T)(i * 5);
    for (int k = 1; k < LONGEST; k = k * 2 + 1)
        for (int n : {32, 50, 96, 300}) {
            memset(out, 0, sizeof out);
            T *d = to_device(in, ROOM), *e = to_device(out, ROOM);
            chunks<<<(n + 95) / 96, 96>>>(d, e, k, n);
            for (int i = 0; i < n * k; i++)
                out[i] = in[i] * 3;
            compare(out, e, ROOM);
            chunks<<<(n + 95) / 96, 96>>>(d, d, k, n);
            for (int i = n * k; i < ROOM; i++)
                out[i] = in[i];
            compare(out, d, ROOM);
            cudaFree(d);
            cudaFree(e);
        }
    report(what);
}

__global__ void
in_place(float *a, int k)
{
    float *p = a + threadIdx.x * k, s = 0;
#pragma unroll 1
    for (int j = 0; j < k; j++) {
        s = s * 0.5f + p[j];
        p[j] = s;
    }
}

/* from: how far from what is written that is which is read */
__global__ void
shifted(int *a, int k, int from)
{
    int i = threadIdx.x * k;
#pragma unroll 1
    for (int j = 0; j < k; j++)
        a[i + j] = a[i + j + from] + 1;
}

static void
check_shifted(int from)
{
    static int a[ROOM];
    enum { N = 64 };
    for (int k = 1; k < LONGEST; k += 4) {
        for (int i = 0; i < ROOM; i++)
            a[i] = i * 7;
        int *d = to_device(a, ROOM);
        shifted<<<1, N>>>(d, k, from);
        in_step(
            N, k, a, [&](int i, int j) { return a[i * k + j + from] + 1; },
            [&](int i, int j) { return i * k + j; });
        compare(a, d, ROOM);
        cudaFree(d);
    }
}

/* Rows that begin anywhere. */
__global__ void
rows(const int *start, const int *count, const int *in, int *out)
{
    int i = threadIdx.x, n = count[i];
    const int *p = in + start[i];
    int *q = out + start[i];
#pragma unroll 1
    for (int j = 0; j < n; j++)
        q[j] = p[j] * 2 + i;
}

/* form 0: one behind the other, 1: the same from the last lane on, 2: each
 * begins within the one before. */
static void
check_rows(int form)
{
    enum { N = 96 };
    static int in[ROOM], out[ROOM];
    int start[N], count[N], n = form == 2 ? LANES : N;
    for (int seed = 0; seed < 10; seed++) {
        int at = 3;
        for (int k = 0; k < N; k++) {
            int i = form == 1 ? N - 1 - k : k;
            start[i] = at;
            count[i] = form == 2 ? 9 : (k * 37 + seed * 11) % 40;
            at += form == 2 ? 3 : count[i] + (k + seed) % 3;
        }
        for (int i = 0; i < ROOM; i++)
            in[i] = i * 11;
        memset(out, 0, sizeof out);
        int *d = to_device(out, ROOM);
        rows<<<1, n>>>(to_device(start, N), to_device(count, N),
                       to_device(in, ROOM), d);
        for (int warp = 0; warp < n; warp += LANES)
            for (int j = 0; j < LONGEST; j++)
                for (int i = warp; i < warp + LANES; i++)
                    if (j < count[i])
                        out[start[i] + j] = in[start[i] + j] * 2 + i;
        compare(out, d, ROOM);
    }
}

__global__ void
several(const float *x, const float *weight, float *sum, float *product, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int j = 0; j < k; j++) {
        float v = x[i * k + j], w = weight[j];
        sum[i * k + j] = v + w;
        product[i * k + j] = v * w;
    }
}

static void
check_several()
{
    enum { N = 128, K = 24 };
    static float x[N * K], weight[K], sum[N * K], product[N * K];
    for (int i = 0; i < N * K; i++) {
        x[i] = (float)(i % 97);
        weight[i % K] = (float)(i % K);
    }
    for (int i = 0; i < N * K; i++) {
        sum[i] = x[i] + weight[i % K];
        product[i] = x[i] * weight[i % K];
    }
    float *a, *b;
    cudaMalloc(&a, sizeof sum);
    cudaMalloc(&b, sizeof sum);
    several<<<2, 64>>>(to_device(x, N * K), to_device(weight, K), a, b, K);
    compare(sum, a, N * K);
    compare(product, b, N * K);
    /* Both to one place: the products stay. */
    several<<<2, 64>>>(to_device(x, N * K), to_device(weight, K), a, a, K);
    compare(product, a, N * K);
    report("several lists");
}

/* The sum stays in memory, as the compiler cannot know what else lies there. */
__global__ void
sums(const int *a, int *out, int k)
{
    int i = threadIdx.x;
    out[i * 8] = 0;
#pragma unroll 1
    for (int j = 0; j < k; j++)
        out[i * 8] += a[i * k + j];
}

static void
check_sums()
{
    enum { N = 64, K = 33 };
    static int a[N * K], out[N * 8];
    for (int i = 0; i < N * K; i++)
        out[i / K * 8] += a[i] = i % 1001;
    int *d, zero[N * 8] = {0};
    d = to_device(zero, N * 8);
    sums<<<1, N>>>(to_device(a, N * K), d, K);
    compare(out, d, N * 8);
    report("sums in memory");
}

/* Counters and pointers live on. */
__global__ void
ends(const int *a, int *b, int k, int *shared_counter, long long *pointers)
{
    int i = threadIdx.x, j = 0;
    const int *p = a + i * k;
    int *q = b + i * k;
    asm volatile("{\n\t.reg .pred s;\n\t.reg .b32 v;\n"
                 "AGAIN:\n\t"
                 "ld.global.u32 v, [%1];\n\t"
                 "st.global.u32 [%2], v;\n\t"
                 "add.s64 %1, %1, 4;\n\t"
                 "add.s64 %2, %2, 4;\n\t"
                 "add.s32 %0, %0, 1;\n\t"
                 "setp.lt.s32 s, %0, %3;\n\t"
                 "@s bra AGAIN;\n\t}"
                 : "+r"(j), "+l"(p), "+l"(q)
                 : "r"(k)
                 : "memory");
    shared_counter[i] = j;
    pointers[2 * i] = p - a;
    pointers[2 * i + 1] = q - b;
}

static void
check_ends()
{
    enum { N = 64, K = 21 };
    static int a[N * K], b[N * K];
    int counter[N], *d;
    long long pointers[2 * N], *e;
    for (int i = 0; i < N * K; i++)
        a[i] = i * 3;
    int *out = to_device(b, N * K);
    cudaMalloc(&d, sizeof counter);
    cudaMalloc(&e, sizeof pointers);
    ends<<<1, N>>>(to_device(a, N * K), out, K, d, e);
    compare(a, out, N * K);
    for (int i = 0; i < N; i++) {
        counter[i] = K;
        pointers[2 * i] = pointers[2 * i + 1] = (i + 1) * K;
    }
    compare(counter, d, N);
    compare(pointers, e, 2 * N);
    report("where loops end");
}

__global__ void
permuted(const int *index, const float *x, float *out, int k)
{
    int i = threadIdx.x;
#pragma unroll 1
    for (int j = 0; j < k; j++)
        out[i * k + j] = x[index[i * k + j]];
}

static void
check_faults()
{
    enum { K = 30 };
    static int some[LANES * K], index[LANES * K];
    float *x;
    cudaMalloc(&x, 2 * sizeof some);
    index[17 * K + 9] = 1 << 28;
    permuted<<<1, LANES>>>(to_device(index, LANES * K), x, x + LANES * K, K);
    printf("bad index: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaDeviceReset();
    int start[LANES], count[LANES], *out = to_device(some, LANES * K);
    for (int i = 0; i < LANES; i++) {
        start[i] = i * K;
        count[i] = i == 9 ? 1 << 19 : K;
    }
    rows<<<1, LANES>>>(to_device(start, LANES), to_device(count, LANES),
                       to_device(some, LANES * K), out);
    printf("beyond the end: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

int
main()
{
    check_chunks<float>("chunks");
    check_chunks<double>("chunks of doubles");
    check_chunks<unsigned char>("chunks of bytes");
    static float a[ROOM];
    for (int k = 1; k < LONGEST; k += 3) {
        for (int i = 0; i < ROOM; i++)
            a[i] = (float)(i % 101);
        float *d = to_device(a, ROOM);
        in_place<<<1, 96>>>(d, k);
        for (int i = 0; i < 96; i++)
            for (int j = 1; j < k; j++)
                a[i * k + j] += a[i * k + j - 1] * 0.5f;
        compare(a, d, ROOM);
        cudaFree(d);
    }
    report("chunks in place");
    check_shifted(1);
    report("chunks whose last element is the next one's first");
    check_shifted(30);
    check_shifted(64);
    report("onto what others read");
    check_rows(0);
    report("rows of any length");
    check_rows(1);
    report("rows from the last lane on");
    check_rows(2);
    report("rows one in another");
    check_several();
    check_sums();
    check_ends();
    check_faults();
    return 0;
}
// check: oob-global race-global (rows that overlap; a fault is meant)
