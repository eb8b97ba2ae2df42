/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT sums: same
// expect: EXACT longest runs: same
// expect: EXACT last places: same
// expect: EXACT places between: same
// expect: EXACT some of all: same
// expect: EXACT doubles: same
// expect: EXACT strings: same
// expect: EXACT lists apart: same
// expect: EXACT chains: same
// expect: EXACT one long list: same
// expect: EXACT lists side by side: same
// expect: EXACT bad lane: an illegal memory access was encountered
// expect: ERROR block: \(1,0,0\), thread: \(12,0,0\)
/* Loops in which each lane goes through a list of its own: lists of no, few and
 * many elements beside each other, ends that are found while reading, lists in
 * allocations of their own, values that live on behind the loop. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { LISTS = 1000, BLOCK = 96, VALUES = 5000, LONG = (1 << 20) + 77 };

static unsigned seed = 1;

static unsigned
any(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

struct lists {
    int *start, *index; /* [LISTS + 1], [start[LISTS]] */
    float *x;           /* [VALUES] */
    double *d;
    char *text; /* start[i] + i: list i as a string */
};

#define FN static __host__ __device__

FN float
sum(const lists &l, int i)
{
    float s = 0;
    for (int k = l.start[i]; k < l.start[i + 1]; k++)
        s = s * 0.5f + l.x[l.index[k]];
    return s;
}

FN unsigned
longest(const lists &l, int i)
{
    unsigned most = 0, here = 0;
    for (int k = l.start[i]; k < l.start[i + 1]; k++) {
        here = l.x[l.index[k]] > 0 ? here + 1 : 0;
        most = here > most ? here : most;
    }
    return most * 1000 + here;
}

/* Where the loop stands when it ends, and what it saw there. */
FN unsigned
last(const lists &l, int i)
{
    int k = l.start[i], end = l.start[i + 1], seen = -1;
    while (k < end && l.index[k] != 17) {
        seen = l.index[k];
        k++;
    }
    return (unsigned)k * 7 + (unsigned)seen;
}

/* What stands elsewhere is asked for if the list says so. */
FN unsigned
between(const lists &l, int i)
{
    int k = l.start[i], end = l.start[i + 1];
    unsigned seen = 5;
    while (k < end && l.x[l.index[k]] > -50 &&
           ((l.index[k] & 3) != 1 || l.d[l.index[k]] < 4)) {
        seen = l.index[k] & 4 ? seen * 3 : seen + 1;
        k++;
    }
    return (unsigned)k * 7 + seen;
}

FN unsigned
some(const lists &l, int i)
{
    unsigned s = 0, last = 9;
    for (int k = l.start[i]; k < l.start[i + 1]; k++)
        if (l.index[k] & 1) {
            last = (unsigned char)l.text[k + i];
            s = s * 31 + last;
        }
    return s + last;
}

FN double
doubles(const lists &l, int i)
{
    double s = 1;
    for (int k = l.start[i]; k < l.start[i + 1]; k++)
        s = s * 0.75 + l.d[l.index[k]];
    return s;
}

FN unsigned
length(const lists &l, int i)
{
    const char *p = l.text + l.start[i] + i;
    unsigned n = 0;
    while (p[n])
        n++;
    return n;
}

template <class T, T (*F)(const lists &, int)>
__global__ void
run(lists l, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < LISTS)
        out[i] = F(l, i);
}

/* As run, but for lanes that come to the loop apart. */
template <class T, T (*F)(const lists &, int)>
__global__ void
run_apart(lists l, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= LISTS)
        return;
    T a = T(i % 3);
    if (i % 5 < 2)
        a += F(l, i);
    else if (i % 5 < 4)
        a -= F(l, LISTS - 1 - i);
    out[i] = a;
}

template <class T, T (*F)(const lists &, int)>
static void
check(const char *what, const lists &h, const lists &d)
{
    T *out, mine[2][LISTS];
    bool ok = true;
    cudaMalloc(&out, sizeof mine);
    run<T, F><<<(LISTS + BLOCK - 1) / BLOCK, BLOCK>>>(d, out);
    run_apart<T, F><<<(LISTS + BLOCK - 1) / BLOCK, BLOCK>>>(d, out + LISTS);
    cudaMemcpy(mine, out, sizeof mine, cudaMemcpyDeviceToHost);
    for (int i = 0; i < LISTS; i++) {
        T a = F(h, i), b = T(i % 3);
        if (i % 5 < 2)
            b += F(h, i);
        else if (i % 5 < 4)
            b -= F(h, LISTS - 1 - i);
        ok = ok && memcmp(&a, &mine[0][i], sizeof a) == 0 &&
             memcmp(&b, &mine[1][i], sizeof b) == 0;
    }
    printf("%s: %s\n", what, ok ? "same" : "wrong");
    cudaFree(out);
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

struct node {
    const unsigned *values;
    unsigned count, next;
};

__global__ void
lists_apart(const node *nodes, int n, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned *p = nodes[i].values, *end = p + nodes[i].count;
    unsigned s = 0;
    for (; p < end; p++)
        s = s * 31 + *p;
    out[i] = s;
}

__global__ void
chains(const node *nodes, int n, unsigned *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned at = i, steps = 0;
    while (nodes[at].next != at) {
        at = nodes[at].next;
        steps++;
    }
    out[i] = steps * 1000 + at;
}

static void
check_nodes()
{
    enum { N = 150, MOST = 300000 };
    static node nodes[N], copies[N];
    static unsigned values[MOST];
    unsigned out[2][N], *device;
    bool apart = true, chained = true;
    for (unsigned i = 0; i < MOST; i++)
        values[i] = any(1000);
    for (unsigned i = 0; i < N; i++) {
        /* Some so large that they have pages of their own. */
        size_t room = i % 40 == 7 ? MOST : 64;
        nodes[i].count = any(40);
        nodes[i].next = i % 7 == 0 ? i : i - 1 - any(i % 7);
        nodes[i].values = values + any(1000);
        copies[i] = nodes[i];
        copies[i].values =
            to_device(room == MOST ? values : nodes[i].values, room);
        if (room == MOST)
            nodes[i].values = values;
    }
    node *d = to_device(copies, N);
    cudaMalloc(&device, sizeof out);
    lists_apart<<<3, 50>>>(d, N, device);
    chains<<<3, 50>>>(d, N, device + N);
    cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < N; i++) {
        unsigned s = 0, at = i, steps = 0;
        for (unsigned k = 0; k < nodes[i].count; k++)
            s = s * 31 + nodes[i].values[k];
        for (; nodes[at].next != at; steps++)
            at = nodes[at].next;
        apart = apart && out[0][i] == s;
        chained = chained && out[1][i] == steps * 1000 + at;
    }
    printf("lists apart: %s\n", apart ? "same" : "wrong");
    printf("chains: %s\n", chained ? "same" : "wrong");
}

/* Of one lane that reads on when the others have long ended. */
static void
check_long(const lists &h)
{
    static int index[LONG + 31];
    int start[33] = {0};
    lists l = h;
    float out[33], *device;
    for (int i = 0; i < LONG + 31; i++)
        index[i] = (int)any(VALUES);
    for (int i = 1; i < 33; i++)
        start[i] = start[i - 1] + (i == 12 ? LONG : 1);
    l.start = to_device(start, 33);
    l.index = to_device(index, LONG + 31);
    l.x = to_device(h.x, VALUES);
    cudaMalloc(&device, sizeof out);
    run<float, sum><<<1, 32>>>(l, device);
    cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    bool ok = true;
    l.start = start;
    l.index = index;
    l.x = h.x;
    for (int i = 0; i < 32; i++)
        ok = ok && out[i] == sum(l, i);
    printf("one long list: %s\n", ok ? "same" : "wrong");
}

/* Lane i's k-th value follows lane i - 1's; or all have the same list. */
__global__ void
side_by_side(const unsigned *values, const int *first, const int *step,
             const int *count, unsigned *out)
{
    int i = threadIdx.x;
    const unsigned *p = values + first[i];
    int by = step[0];
    unsigned s = 0;
    for (int k = count[i]; k > 0; k--) {
        s = s * 31 + *p;
        p += by;
    }
    out[i] = s;
}

static void
check_side_by_side()
{
    enum { N = 64, MOST = 40 };
    static unsigned values[N * MOST + N];
    int first[N], step, count[N];
    unsigned out[N], *device;
    bool ok = true;
    cudaMalloc(&device, sizeof out);
    for (unsigned i = 0; i < N * MOST + N; i++)
        values[i] = any(1000);
    for (int form = 0; form < 3; form++) {
        step = form == 0 ? N : 1;
        for (int i = 0; i < N; i++) {
            first[i] = form == 0 ? i : form == 1 ? 5 : i == 9 ? 6 : 5;
            count[i] = form == 2 ? i % 32 == 9 : (int)any(MOST);
        }
        side_by_side<<<1, N>>>(to_device(values, N * MOST + N),
                               to_device(first, N), to_device(&step, 1),
                               to_device(count, N), device);
        cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
        for (int i = 0; i < N; i++) {
            unsigned s = 0;
            for (int k = 0; k < count[i]; k++)
                s = s * 31 + values[first[i] + k * step];
            ok = ok && out[i] == s;
        }
    }
    printf("lists side by side: %s\n", ok ? "same" : "wrong");
}

int
main()
{
    static int start[LISTS + 1], index[LISTS * 40];
    static float x[VALUES];
    static double d[VALUES];
    static char text[LISTS * 41];
    lists h = {start, index, x, d, text};
    for (int i = 0; i < LISTS; i++) {
        int count = (int)any(4) == 0 ? 0 : (int)any(i % 50 == 3 ? 40 : 9);
        start[i + 1] = start[i] + count;
        for (int k = start[i]; k < start[i + 1]; k++) {
            index[k] = any(12) == 0 ? 17 : (int)any(VALUES);
            text[k + i] = (char)('a' + any(26));
        }
    }
    for (int i = 0; i < VALUES; i++) {
        x[i] = (float)((int)any(2001) - 1000) / 16;
        d[i] = x[i] / 8;
    }
    lists g = {to_device(start, LISTS + 1), to_device(index, start[LISTS] + 1),
               to_device(x, VALUES), to_device(d, VALUES),
               to_device(text, start[LISTS] + LISTS + 1)};
    check<float, sum>("sums", h, g);
    check<unsigned, longest>("longest runs", h, g);
    check<unsigned, last>("last places", h, g);
    check<unsigned, between>("places between", h, g);
    check<unsigned, some>("some of all", h, g);
    check<double, doubles>("doubles", h, g);
    check<unsigned, length>("strings", h, g);
    check_nodes();
    check_long(h);
    check_side_by_side();
    int bad = 1 << 30; /* in a list of the second block */
    float *out;
    cudaMalloc(&out, LISTS * sizeof *out);
    cudaMemcpy(g.index + start[BLOCK + 12], &bad, sizeof bad,
               cudaMemcpyHostToDevice);
    run<float, sum><<<(LISTS + BLOCK - 1) / BLOCK, BLOCK>>>(g, out);
    printf("bad lane: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
// check: oob-global (an index outside is meant)
