/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT words: 0 wrong
// expect: EXACT doubles: 0 wrong
// expect: EXACT vectors: 0 wrong
// expect: EXACT mixed: 0 wrong
// expect: EXACT some members: 0 wrong
// expect: EXACT read again: 0 wrong
// expect: EXACT with gaps, from the end: 0 wrong
// expect: EXACT by another name: 0 wrong
// expect: EXACT in shared memory: 0 wrong
// expect: EXACT fused: 0 wrong
// expect: EXACT last one outside: an illegal memory access was encountered
/* Arrays of structures, of which each thread has one: all members, some of
 * them, some twice. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { THREADS = 1000, BLOCK = 128 };

static int wrong;

static void
report(const char *what)
{
    printf("%s: %d wrong\n", what, wrong);
    wrong = 0;
}

#define FN __host__ __device__

template <class T, int N> struct many {
    T v[N];
};

struct two_vectors {
    float4 a, b;
};
struct mixture {
    double d;
    float f;
    short s[2];
    int i;
    unsigned char c[4];
    long long l;
};

template <class T, int N>
FN void
change(many<T, N> &s, int i)
{
#pragma unroll
    for (int k = 0; k < N; k++)
        s.v[k] = s.v[k] * 2 + s.v[(k + 1) % N] + i;
}

FN void
change(two_vectors &s, int i)
{
    s.a = make_float4(s.b.w + i, s.a.x, s.a.y, s.b.x);
    s.b.y += s.a.z;
}

FN void
change(mixture &s, int i)
{
    s.d += s.f;
    s.f = s.i;
    s.i += i + s.s[1];
    s.s[0] = (short)(s.c[3] - i);
    s.c[1] = (unsigned char)i;
    s.l -= s.s[0];
}

template <class S>
__global__ void
all_members(const S *in, S *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    S s = in[i];
    change(s, i);
    out[i] = s;
}

template <class S>
static void
fill(S *s, int n)
{
    for (int i = 0; i < n; i++) {
        memset(&s[i], 0, sizeof s[i]);
        change(s[i], i * 3 + 1);
    }
}

template <class S>
static void
check(int block = BLOCK)
{
    static S in[THREADS], got[THREADS];
    S *a, *b;
    fill(in, THREADS);
    cudaMalloc(&a, sizeof in);
    cudaMalloc(&b, sizeof in);
    cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, sizeof in);
    all_members<<<(THREADS + block - 1) / block, block>>>(a, b, THREADS);
    cudaMemcpy(got, b, sizeof in, cudaMemcpyDeviceToHost);
    for (int i = 0; i < THREADS; i++) {
        S want = in[i];
        change(want, i);
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
    }
    /* In place. */
    all_members<<<(THREADS + block - 1) / block, block>>>(a, a, THREADS);
    cudaMemcpy(got, a, sizeof in, cudaMemcpyDeviceToHost);
    for (int i = 0; i < THREADS; i++) {
        S want = in[i];
        change(want, i);
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
    }
    cudaFree(a);
    cudaFree(b);
}

typedef many<int, 9> nine;

/* Members 1, 2, 4, 5, 6 are read, 3 to 7 written, others stay. */
__global__ void
some_members(nine *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int *v = s[i].v;
    int a = v[1], b = v[2], c = v[4], d = v[5], e = v[6];
    v[3] = a + b;
    v[4] = b + c;
    v[5] = c + d;
    v[6] = d + e;
    v[7] = e + i;
}

/* What was written is read, and written once more. */
__global__ void
read_again(nine *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    volatile int *w = s[i].v;
    int *v = s[i].v;
    for (int k = 0; k < 9; k++)
        v[k] += i;
    int x = w[4];
    for (int k = 0; k < 9; k++)
        v[k] = v[k] * 2 + x;
    v[5] = v[4] + v[6];
}

/* Members 8, 6, 5, 3, 2 and 0 in this order; of these all but two written. */
__global__ void
with_gaps(const nine *in, nine *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const volatile int *w = in[i].v;
    int *v = out[i].v;
    int a = in[i].v[8], b = in[i].v[6], c = in[i].v[5], d = in[i].v[3];
    v[8] = b;
    v[6] = a + i;
    v[5] = d - c;
    v[2] = c;
    v[0] = a - w[1];
}

/* p and q are the same: what is loaded behind a store is what was stored. */
__global__ void
by_another_name(nine *p, nine *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int a = p[i].v[0], b = p[i].v[1], c = p[i].v[2];
    q[i].v[3] = a + b;
    q[i].v[4] = b + c;
    int d = p[i].v[3], e = p[i].v[4], f = p[i].v[5];
    q[i].v[5] = d;
    q[i].v[6] = e * 3;
    q[i].v[7] = p[i].v[6] + f;
    q[i].v[8] = p[i].v[5];
}

__global__ void
in_shared(const nine *in, nine *out)
{
    __shared__ nine s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t] = in[i];
    __syncthreads();
    nine mine = s[(t * 5 + 3) % BLOCK], other = s[BLOCK - 1 - t];
    for (int k = 0; k < 9; k++)
        mine.v[k] -= other.v[8 - k];
    out[i] = mine;
}

static nine in[THREADS], got[THREADS], want[THREADS];

static void
compare(const nine *device)
{
    cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < THREADS; i++)
        wrong += memcmp(&want[i], &got[i], sizeof want[i]) != 0;
}

static void
check_nine()
{
    enum { BLOCKS = (THREADS + BLOCK - 1) / BLOCK, WHOLE = THREADS / BLOCK };
    nine *a, *b;
    fill(in, THREADS);
    cudaMalloc(&a, sizeof in);
    cudaMalloc(&b, sizeof in);
    cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
    some_members<<<BLOCKS, BLOCK>>>(a, THREADS);
    for (int i = 0; i < THREADS; i++) {
        const int *v = in[i].v;
        int w[9] = {v[0],        v[1],        v[2],
                    v[1] + v[2], v[2] + v[4], v[4] + v[5],
                    v[5] + v[6], v[6] + i,    v[8]};
        memcpy(want[i].v, w, sizeof w);
    }
    compare(a);
    report("some members");
    read_again<<<BLOCKS, BLOCK>>>(a, THREADS);
    for (int i = 0; i < THREADS; i++) {
        int *v = want[i].v;
        for (int k = 0; k < 9; k++)
            v[k] += i;
        int x = v[4];
        for (int k = 0; k < 9; k++)
            v[k] = v[k] * 2 + x;
        v[5] = v[4] + v[6];
    }
    compare(a);
    report("read again");
    cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemcpy(b, in, sizeof in, cudaMemcpyHostToDevice);
    with_gaps<<<BLOCKS, BLOCK>>>(a, b, THREADS);
    for (int i = 0; i < THREADS; i++) {
        const int *v = in[i].v;
        int w[9] = {v[8] - v[1], v[1],     v[5], v[3], v[4],
                    v[3] - v[5], v[8] + i, v[7], v[6]};
        memcpy(want[i].v, w, sizeof w);
    }
    compare(b);
    report("with gaps, from the end");
    by_another_name<<<BLOCKS, BLOCK>>>(a, a, THREADS);
    for (int i = 0; i < THREADS; i++) {
        const int *v = in[i].v;
        int d = v[0] + v[1], e = v[1] + v[2];
        int w[9] = {v[0], v[1], v[2], d, e, d, e * 3, e * 3 + v[5], d};
        memcpy(want[i].v, w, sizeof w);
    }
    compare(a);
    report("by another name");
    cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemcpy(b, in, sizeof in, cudaMemcpyHostToDevice);
    in_shared<<<WHOLE, BLOCK>>>(a, b);
    memcpy(want, in, sizeof in);
    for (int i = 0; i < WHOLE * BLOCK; i++)
        for (int k = 0; k < 9; k++) {
            const nine *s = in + i / BLOCK * BLOCK;
            int t = i % BLOCK;
            want[i].v[k] =
                s[(t * 5 + 3) % BLOCK].v[k] - s[BLOCK - 1 - t].v[8 - k];
        }
    compare(b);
    report("in shared memory");
}

/* Barriers, so that warps may run together. */
__global__ void
with_barrier(many<float, 6> *s)
{
    __shared__ float sum[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    many<float, 6> mine = s[i];
    sum[t] = mine.v[0] + mine.v[5];
    __syncthreads();
    for (int k = 0; k < 6; k++)
        mine.v[k] += sum[63 - t];
    s[i] = mine;
}

static void
check_fused()
{
    static many<float, 6> a[256], b[256];
    many<float, 6> *d;
    for (int i = 0; i < 256 * 6; i++)
        a[i / 6].v[i % 6] = (float)(i % 119);
    cudaMalloc(&d, sizeof a);
    cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice);
    with_barrier<<<4, 64>>>(d);
    cudaMemcpy(b, d, sizeof a, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) {
        const many<float, 6> &o = a[i / 64 * 64 + 63 - i % 64];
        for (int k = 0; k < 6; k++)
            wrong += b[i].v[k] != a[i].v[k] + (o.v[0] + o.v[5]);
    }
    report("fused");
}

int
main()
{
    check<many<int, 4>>();
    check<many<int, 5>>();
    check<many<float, 6>>();
    check<many<int, 7>>();
    check<many<int, 8>>(100);
    check<many<int, 11>>();
    check<many<unsigned, 16>>();
    check<many<int, 19>>();
    report("words");
    check<many<double, 3>>();
    check<many<long long, 4>>();
    check<many<double, 5>>(96);
    check<many<double, 9>>();
    report("doubles");
    check<two_vectors>();
    check<many<short, 10>>();
    check<many<unsigned char, 20>>();
    report("vectors");
    check<mixture>();
    report("mixed");
    check_nine();
    check_fused();
    many<int, 5> *p;
    size_t bytes = 64 << 20;
    cudaMalloc(&p, bytes);
    int last = (int)(bytes / sizeof *p) + 1 - 32; /* half of it is there */
    all_members<<<1, 32>>>(p + last, p, 32);
    printf("last one outside: %s\n",
           cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
// check: oob-global (a fault is meant)
