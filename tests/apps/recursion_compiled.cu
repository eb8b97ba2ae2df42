/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0 SOFTWARP_LOG=debug
// cc: -O2
// expect: EXACT fibonacci: 0 wrong
// expect: EXACT queens: 0 wrong
// expect: EXACT in turn: 0 wrong
// expect: EXACT structures: 0 wrong
// expect: EXACT arrays of their own: 0 wrong
// expect: EXACT sorted: 0 wrong
// expect: EXACT a lock within: 0 wrong
// expect: EXACT allocated: 0 wrong
// expect: EXACT deep: 0 wrong
// expect: EXACT depth 3
// expect: EXACT out of bounds: an illegal memory access was encountered
// expect: EXACT without end: an illegal memory access was encountered
// expect: ERROR compiled .*fibonacci.* for 32 lanes
// expect: ERROR compiled .*queens.* for 32 lanes
// expect: ERROR compiled .*is_even.* for 32 lanes
// expect: ERROR compiled .*is_odd.* for 32 lanes
// expect: ERROR compiled .*halve.* for 32 lanes
// expect: ERROR compiled .*permute.* for 32 lanes
// expect: ERROR compiled .*sort.* for 32 lanes
// expect: ERROR compiled .*take_lock.* for 32 lanes
// expect: ERROR compiled .*down.* for 32 lanes
// expect: ERROR recursion_compiled.cu:172, in function .*store_far
// expect: ERROR stack overflow: calling '.*endless.*'
/* Functions that call themselves, by compiled code: lanes that part, each to
 * another depth, structures and arrays, what the runtime does for them; and
 * ways from there to the interpreter. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BOTH __host__ __device__

enum { N = 256, LENGTH = 24, PLACES = 5 };

BOTH __noinline__ int
fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

BOTH __noinline__ int
queens(int n, unsigned columns, unsigned left, unsigned right)
{
    unsigned all = (1u << n) - 1, places = all & ~(columns | left | right);
    int count = columns == all;
    while (places) {
        unsigned place = places & -places;
        places ^= place;
        count += queens(n, columns | place, (left | place) << 1,
                        (right | place) >> 1);
    }
    return count;
}

BOTH __noinline__ bool is_odd(unsigned n, unsigned char *steps);
BOTH __noinline__ bool
is_even(unsigned n, unsigned char *steps)
{
    ++*steps;
    if (n == 0)
        return true;
    return n % 7 == 3 ? !is_even(n - 1, steps) : is_odd(n - 1, steps);
}
BOTH __noinline__ bool
is_odd(unsigned n, unsigned char *steps)
{
    *steps += 3;
    return n == 0 ? false : is_even(n - 1, steps);
}

struct interval {
    double from, to;
    short depth;
    float sum;
};

BOTH __noinline__ interval
halve(interval x, float y)
{
    if (x.depth == 0 || x.to - x.from < 0.01 * y)
        return {x.from, x.to, (short)(x.depth + 1), (float)x.from + y};
    double middle = (x.from + x.to) / 2;
    interval a = halve({x.from, middle, (short)(x.depth - 1), 0}, y);
    interval b = halve({middle, x.to, (short)(x.depth - 1), a.sum}, y + 1);
    return {a.from, b.to, (short)(a.depth + b.depth), a.sum - b.sum};
}

/* Sums up what all orders make of it. */
BOTH __noinline__ unsigned
permute(const unsigned char *taken, int at, int seed)
{
    unsigned char mine[PLACES];
    unsigned sum = 0;
    if (at == PLACES)
        return taken[0] * 3 + taken[2] * 7 + taken[4];
    for (int i = 0; i < PLACES; i++)
        mine[i] = taken[i];
    for (int i = at; i < PLACES; i++) {
        unsigned char was = mine[i];
        mine[i] = mine[at];
        mine[at] = (unsigned char)(was + seed % 3);
        sum = sum * 5 + permute(mine, at + 1, seed / 2);
        mine[at] = mine[i];
        mine[i] = was;
    }
    return sum;
}

BOTH __noinline__ void
sort(int *a, int low, int high)
{
    int i = low, j = high, middle = a[(low + high) / 2];
    while (i <= j) {
        while (a[i] < middle)
            i++;
        while (a[j] > middle)
            j--;
        if (i <= j) {
            int x = a[i];
            a[i++] = a[j];
            a[j--] = x;
        }
    }
    if (low < j)
        sort(a, low, j);
    if (i < high)
        sort(a, i, high);
}

/* Lanes of a warp wait for each other, where they have come to. */
__device__ int lock_taken, lock_count;
__device__ __noinline__ int
take_lock(int depth, int i)
{
    int below = depth > 0 ? take_lock(depth - 1, i) % 100 + depth : i;
    for (bool done = false; !done;)
        if (atomicCAS(&lock_taken, 0, 1) == 0) {
            lock_count = lock_count + 1 + i;
            __threadfence();
            atomicExch(&lock_taken, 0);
            done = true;
        }
    return below;
}

__device__ __noinline__ int
list(int n)
{
    int *one = (int *)malloc(sizeof(int)), sum;
    *one = n;
    if (n == 3 && threadIdx.x == 33)
        printf("depth %d\n", *one);
    sum = n ? list(n - 1) : 0;
    sum += *one;
    free(one);
    return sum;
}

__device__ __noinline__ long long
down(int n)
{
    return n ? down(n - 1) * 3 % 1000003 + n : 1;
}

static __device__ __noinline__ void
store_far(int *p, int n)
{
    if (n == 0)
        p[1ll << 40] = 1;
    else
        store_far(p, n - 1);
    p[n] = n;
}

static __device__ __noinline__ int
endless(int *p, int n)
{
    return *p == 77 ? n : endless(p, n + 1) % 7 + *p;
}

BOTH static int
result(int what, int i)
{
    int a[LENGTH], sum = 0;
    unsigned char steps = 0, places[PLACES] = {1, 2, 3, 4, 5};
    interval x = {i * 0.5, i * 0.75 + 1, (short)(i % 5), 0};
    switch (what) {
    case 0:
        return fibonacci(i % 11);
    case 1:
        return queens(6, 1u << i % 6, 2u << i % 6, (1u << i % 6) >> 1);
    case 2:
        return is_even((unsigned)i % 19, &steps) * 1000 + steps;
    case 3:
        x = halve(x, (float)(i % 4));
        return (int)(x.from * 8) + (int)(x.to * 4) * 3 + x.depth * 5 +
               (int)x.sum;
    case 4:
        return (int)permute(places, i % 3, i);
    default:
        for (int k = 0; k < LENGTH; k++)
            a[k] = (k * 37 + i * 11) % 101;
        sort(a, 0, i % LENGTH);
        for (int k = 0; k < LENGTH; k++)
            sum = sum * 3 + a[k];
        return sum;
    }
}

static __global__ void
run(int what, int *out)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i % 13 != 5)
        out[i] = result(what, i);
}

static __global__ void
run_lock(int *out)
{
    out[threadIdx.x] = take_lock((int)threadIdx.x % 4, (int)threadIdx.x);
}
static __global__ void
run_list(int *out)
{
    out[threadIdx.x] = list((int)threadIdx.x % 9);
}
static __global__ void
run_down(int *out)
{
    out[threadIdx.x] = (int)down(1000 + (int)threadIdx.x * 9);
}
static __global__ void
run_far(int *out)
{
    store_far(out, (int)threadIdx.x % 5);
}
static __global__ void
run_endless(int *out)
{
    out[1] = endless(out, 0);
}

static int host[N], *out;

static void
compare(const char *name, int (*want)(int i))
{
    int wrong = 0;
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != want(i);
    printf("%s: %d wrong\n", name, wrong);
}

static int which;
static int
want_result(int i)
{
    return i % 13 == 5 ? -1 : result(which, i);
}
static int
want_lock(int i)
{
    int x = i;
    for (int depth = 1; depth <= i % 4; depth++)
        x = x % 100 + depth;
    return x;
}
static int
want_list(int i)
{
    return i % 9 * (i % 9 + 1) / 2;
}
static int
want_down(int i)
{
    long long x = 1;
    for (int n = 1; n <= 1000 + i * 9; n++)
        x = x * 3 % 1000003 + n;
    return (int)x;
}

int
main()
{
    static const char *const names[] = {
        "fibonacci",           "queens", "in turn", "structures",
        "arrays of their own", "sorted"};
    cudaMalloc(&out, sizeof host);
    cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    for (which = 0; which < 6; which++) {
        cudaMemset(out, -1, sizeof host);
        run<<<2, N / 2>>>(which, out);
        compare(names[which], want_result);
    }
    run_lock<<<1, N>>>(out);
    compare("a lock within", want_lock);
    run_list<<<1, N>>>(out);
    compare("allocated", want_list);
    cudaDeviceSetLimit(cudaLimitStackSize, 256 << 10);
    run_down<<<1, N>>>(out);
    compare("deep", want_down);
    run_far<<<1, N>>>(out);
    printf("out of bounds: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaDeviceReset();
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    run_endless<<<1, N>>>(out);
    printf("without end: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
// check: oob-global race-global (a fault is meant; a lock without an acquire fence)
