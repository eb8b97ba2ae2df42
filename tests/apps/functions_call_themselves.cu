/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O2
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// expect: EXACT turns: 0 wrong
// expect: EXACT colours: 0 wrong
// expect: EXACT orders: 0 wrong
// expect: EXACT many kinds: 0 wrong
// expect: EXACT tree: 0 wrong
// expect: EXACT nodes: 0 wrong
// expect: EXACT deep: 0 wrong
// expect: EXACT list: 0 wrong
// expect: EXACT 3 is at the bottom
/* Lanes of a warp call functions that call themselves, each to a depth of its
 * own: what such a call still needs is there when it goes on, whatever it is,
 * and so are its variables, of which others have the address. The host does the
 * same. */
#include <cmath>
#include <vector>

#include "check.h"

#define BOTH __host__ __device__

enum { N = 320, THREADS = 96 };

/* Two that call each other, with a loop around the call. */
BOTH long long odd_turns(int n, long long sum);

BOTH __noinline__ long long
even_turns(int n, long long sum)
{
    if (n <= 0)
        return sum + 1;
    for (int i = 0; i < 2; i++)
        sum = 3 * odd_turns(n - 1 - i, sum ^ n) + i;
    return sum;
}

BOTH __noinline__ long long
odd_turns(int n, long long sum)
{
    if (n <= 0)
        return 2 * sum;
    long long before = even_turns(n - 1, sum - n);
    return n % 3 ? before + even_turns(n - 3, sum) : before;
}

BOTH long long
turns(int i)
{
    return even_turns(i % 9, i);
}

/* Structures go in and come out, and a variable's address goes along. */
struct colour {
    float r, g, b;
};

struct ray {
    double x, y;
    colour c;
    int bounces;
};

BOTH __noinline__ colour
trace(const ray &from, int depth, int *count)
{
    ++*count;
    if (depth == 0 || from.x * from.x + from.y * from.y > 9)
        return {float(from.x), float(from.y), 1};
    ray next = {from.y + 0.25, 0.5 - from.x, {0.5f, 0.25f, from.c.r},
                from.bounces + 1};
    int inner = 0;
    colour far = trace(next, depth - 1, &inner);
    *count += inner;
    if (from.bounces % 2) {
        next.x += far.r;
        colour more = trace(next, depth - 1, count);
        far.r += more.g * 0.5f;
    }
    return {far.r * next.c.r + from.c.r, far.b * next.c.g, far.g + next.c.b};
}

BOTH long long
colours(int i)
{
    int count = 0;
    colour c = trace({i % 7 * 0.5, i % 11 * 0.25, {1, 0.5f, 0.25f}, 0}, i % 6,
                     &count);
    return (long long)(c.r * 1024) + 31 * (long long)(c.g * 1024) +
           961 * (long long)(c.b * 1024) + 29791 * count;
}

/* An array of each call. */
BOTH __noinline__ int
orders_of(const unsigned char *left, int count, int hash)
{
    unsigned char rest[6] = {7};
    if (count == 0)
        return hash % 97;
    int sum = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0, to = 0; k < count; k++)
            if (k != i)
                rest[to++] = left[k];
        sum += orders_of(rest, count - 1, hash * 7 + left[i]);
    }
    return sum + rest[0];
}

BOTH long long
orders(int i)
{
    unsigned char all[6];
    for (int k = 0; k < 6; k++)
        all[k] = (unsigned char)(i * k + 3);
    return orders_of(all, 1 + i % 5, i);
}

/* Conditions and numbers of all widths are needed behind the call. */
BOTH __noinline__ double
many(unsigned short a, bool up, double d, unsigned long long big, int n)
{
    bool wide = big % 3 == 1;
    short twice = (short)(a * 2 + n);
    if (n <= 0)
        return d + a;
    double inner = many((unsigned short)(a + 7), !up, d * 0.5, big * 5 + 1,
                        n - 1 - (n & 1));
    if (up)
        inner += twice;
    if (wide)
        inner -= (double)(big % 1000);
    return up != wide ? inner : inner + many(a, wide, d, big >> 1, n - 2);
}

BOTH long long
many_kinds(int i)
{
    return (long long)many((unsigned short)(i * 300), i & 1, i * 0.5,
                           i * 1000003ull, i % 13);
}

struct node {
    int left, right, key;
};

BOTH __noinline__ int
sum_of(const node *all, int at, int low, int high)
{
    if (at < 0)
        return 0;
    int sum = all[at].key >= low && all[at].key <= high ? all[at].key : 0;
    if (all[at].key > low)
        sum += sum_of(all, all[at].left, low, high);
    if (all[at].key < high)
        sum += sum_of(all, all[at].right, low, high);
    return sum;
}

BOTH __noinline__ int
deep(int n, int x)
{
    return n == 0 ? x : deep(n - 1, x * 5 + n) ^ n;
}

template <long long function(int)>
__global__ void
run(long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = function(i);
}

__global__ void
run_tree(const node *all, long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = sum_of(all, 0, i, i + 40);
}

BOTH long long
deeper(int i)
{
    return deep(i * 3, i);
}

/* A tree of objects, whose calls are by address. */
struct object {
    __device__ virtual int add(int x) const = 0;
};

struct leaf : object {
    int n;
    __device__ leaf(int n) : n(n)
    {
    }
    __device__ int add(int x) const override
    {
        return x * 3 + n;
    }
};

struct branch : object {
    object *a, *b;
    __device__ branch(object *a, object *b) : a(a), b(b)
    {
    }
    __device__ int add(int x) const override
    {
        int left = a->add(x + 1);
        return x % 4 ? left ^ b->add(x - 2) : left;
    }
};

enum { LEAVES = 32 };

static int
add_of(int at, int x) /* leaves are LEAVES to 2 * LEAVES - 1 */
{
    if (at >= LEAVES)
        return x * 3 + at;
    int left = add_of(2 * at, x + 1);
    return x % 4 ? left ^ add_of(2 * at + 1, x - 2) : left;
}

__global__ void
plant(object **all)
{
    for (int i = 2 * LEAVES - 1; i > 0; i--)
        all[i] = i >= LEAVES ? (object *)new leaf(i)
                             : new branch(all[2 * i], all[2 * i + 1]);
}

__global__ void
run_nodes(object *const *all, long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = all[1]->add(i);
}

/* What the interpreter does meanwhile finds its own memory. */
struct link {
    link *next;
    int n;
};

__device__ __noinline__ int
build(link *before, int n, int i)
{
    link *l = new link{before, n * i};
    if (n == 0) {
        if (i == 3)
            printf("%d is at the bottom\n", i);
        int sum = 0;
        for (const link *k = l; k; k = k->next)
            sum = sum * 3 + k->n;
        delete l;
        return sum;
    }
    int sum = build(l, n - 1, i) + n;
    delete l;
    return sum;
}

__global__ void
run_list(long long *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        out[i] = build(NULL, i % 7, i);
}

static int
list_of(int n, int i)
{
    int sum = 0;
    for (int k = 0; k <= n; k++)
        sum = sum * 3 + k * i;
    return sum + n * (n + 1) / 2;
}

template <typename F>
static void
compare(const char *name, const long long *out, F expected)
{
    std::vector<long long> got(N);
    int wrong = 0;
    CK(cudaGetLastError());
    CK(cudaMemcpy(got.data(), out, N * sizeof got[0], cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wrong += got[i] != expected(i);
    printf("%s: %d wrong\n", name, wrong);
}

int
main()
{
    const int blocks = (N + THREADS - 1) / THREADS;
    long long *out;
    node *tree;
    object **objects;
    std::vector<node> nodes;
    CK(cudaMalloc(&out, N * sizeof *out));
    CK(cudaMalloc(&objects, 2 * LEAVES * sizeof *objects));
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    run<turns><<<blocks, THREADS>>>(out);
    compare("turns", out, turns);
    run<colours><<<blocks, THREADS>>>(out);
    compare("colours", out, colours);
    run<orders><<<blocks, THREADS>>>(out);
    compare("orders", out, orders);
    run<many_kinds><<<blocks, THREADS>>>(out);
    compare("many kinds", out, many_kinds);
    for (int i = 0; i < 300; i++) {
        nodes.push_back({-1, -1, i * 7919 % 331});
        for (int at = 0; i && at != i;) {
            node &n = nodes[at];
            int &to = nodes[i].key < n.key ? n.left : n.right;
            to = to < 0 ? i : to;
            at = to;
        }
    }
    CK(cudaMalloc(&tree, nodes.size() * sizeof *tree));
    CK(cudaMemcpy(tree, nodes.data(), nodes.size() * sizeof *tree,
                  cudaMemcpyHostToDevice));
    run_tree<<<blocks, THREADS>>>(tree, out);
    compare("tree", out, [&](int i) {
        return (long long)sum_of(nodes.data(), 0, i, i + 40);
    });
    plant<<<1, 1>>>(objects);
    run_nodes<<<blocks, THREADS>>>(objects, out);
    compare("nodes", out, [](int i) { return (long long)add_of(1, i); });
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
    run<deeper><<<blocks, THREADS>>>(out);
    compare("deep", out, deeper);
    run_list<<<blocks, THREADS>>>(out);
    compare("list", out, [](int i) { return (long long)list_of(i % 7, i); });
    return 0;
}
