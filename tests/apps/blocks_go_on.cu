/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_JIT_OSR=1 SOFTWARP_CACHE=0 SOFTWARP_TURNS=0
// env: SOFTWARP_LOG=debug
// cc: -O2
// expect: EXACT barriers: 0 wrong
// expect: EXACT planes: 0 wrong
// expect: EXACT one thread: 0 wrong
// expect: EXACT arrays of their own: 0 wrong
// expect: EXACT lanes that have ended: 0 wrong
// expect: EXACT lanes that part: 0 wrong
// expect: EXACT the grid meets: 0 wrong
// expect: EXACT a warp that has left: 0 wrong
// expect: EXACT out of bounds: an illegal memory access was encountered
// expect: ERROR barriers.* goes on in compiled code
// expect: ERROR planes.* goes on in compiled code
// expect: ERROR one_thread.* goes on in compiled code
// expect: ERROR arrays.* goes on in compiled code
// expect: ERROR ended.* goes on in compiled code
// expect: ERROR parting.* goes on in compiled code
// expect: ERROR meeting.* goes on in compiled code
// expect: ERROR too_far.* goes on in compiled code
// expect: ABSENT meeting.*goes on in the interpreter
// expect: ERROR at: .*blocks_go_on.cu:148
/* Blocks that begin interpreted and go on in compiled code, at loops of all
 * kinds: what the registers of a warp hold there, who of its lanes is left, and
 * how its warps meet. Each is compared with the host's computation. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

enum { THREADS = 256, ROUNDS = 40, N = 1024 };

__global__ void
barriers(unsigned *a, int rounds)
{
    __shared__ unsigned s[THREADS];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        unsigned x = s[(t + 1) % THREADS];
        __syncthreads();
        s[t] = x * 3 + t;
        __syncthreads();
    }
    if (__syncthreads_count(s[t] & 1) > 0)
        a[t] = s[t];
}

/* Addresses that follow from three coordinates. */
__global__ void
planes(unsigned *a, int nx, int ny)
{
    int x = threadIdx.x, y = threadIdx.y;
    for (int z = 0; z < ROUNDS; z++)
        a[(z * ny + y) * nx + x] += y * 100 + x - z;
}

__global__ void
one_thread(unsigned *a)
{
    unsigned h = 1;
    for (unsigned i = 0; i < N; i++)
        h = (h ^ a[i]) * 16777619u;
    a[0] = h;
}

__global__ void
arrays(unsigned *a, int n)
{
    unsigned own[16];
    for (int i = 0; i < 16; i++)
        own[i] = threadIdx.x * i;
    for (int r = 0; r < n; r++)
        own[(r * 7 + threadIdx.x) % 16] += own[r % 16] + r;
    for (int i = 0; i < 16; i++)
        a[threadIdx.x] += own[i];
}

__global__ void
ended(unsigned *a, unsigned n)
{
    unsigned t = threadIdx.x, x = t;
    if (t >= n)
        return;
    for (int r = 0; r < ROUNDS; r++)
        x = x * 5 + a[(x + r) % N];
    a[N + t] = x;
}

/* They come out of the loop one after the other, and meet behind it. */
__global__ void
parting(unsigned *a)
{
    unsigned t = threadIdx.x, x = t * 2654435761u, n = 0;
    while (x % 64 != 1) {
        x = x * 1664525 + 1013904223;
        n += x >> 30 ? 1 : 2;
    }
    a[t] = n + __shfl_xor_sync(~0u, n, 1);
}

__global__ void
meeting(unsigned *a)
{
    cg::grid_group grid = cg::this_grid();
    unsigned t = (unsigned)grid.thread_rank(), n = (unsigned)grid.size();
    for (int r = 0; r < ROUNDS; r++) {
        unsigned x = a[r % 2 * N + (t + 1) % n];
        a[(r + 1) % 2 * N + t] = x * 3 + r;
        grid.sync();
    }
}

/* The first warp's lanes wait for each other, which is the interpreter's, and
 * end there; the others meet without it. */
__global__ void
leaving(unsigned *a, volatile unsigned *turn, int rounds)
{
    __shared__ unsigned s[96];
    unsigned t = threadIdx.x;
    if (t < 32) {
        while (*turn != t)
            ;
        a[t] = t * a[t + 1];
        __threadfence();
        *turn = t + 1;
        return;
    }
    t -= 32;
    s[t] = a[N + t];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        unsigned x = s[(t + 1) % 96];
        __syncthreads();
        s[t] = x * 3 + t;
        __syncthreads();
    }
    a[N + t] = s[t];
}

__global__ void
too_far(unsigned *a, long step)
{
    for (long i = 0; i < 1000; i++)
        a[i * step + threadIdx.x] = 1;
}

static unsigned *a, before[2 * N], right[2 * N];

static void
begin()
{
    for (int i = 0; i < 2 * N; i++)
        right[i] = before[i] = a[i] = (unsigned)rand();
}

static void
tell(const char *what, int count)
{
    int wrong = cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < count; i++)
        wrong += a[i] != right[i];
    printf("%s: %d wrong\n", what, wrong);
}

static void
test_barriers()
{
    begin();
    barriers<<<1, THREADS>>>(a, ROUNDS);
    for (int r = 0; r < ROUNDS; r++) {
        unsigned next[THREADS];
        for (int t = 0; t < THREADS; t++)
            next[t] = right[(t + 1) % THREADS] * 3 + t;
        for (int t = 0; t < THREADS; t++)
            right[t] = next[t];
    }
    tell("barriers", 2 * N);
}

static void
test_planes()
{
    const int nx = 8, ny = 5;
    begin();
    planes<<<1, dim3(nx, ny)>>>(a, nx, ny);
    for (int z = 0; z < ROUNDS; z++)
        for (int i = 0; i < nx * ny; i++)
            right[z * nx * ny + i] += i / nx * 100 + i % nx - z;
    tell("planes", 2 * N);
}

static void
test_one_thread()
{
    begin();
    one_thread<<<1, 1>>>(a);
    unsigned h = 1;
    for (unsigned i = 0; i < N; i++)
        h = (h ^ before[i]) * 16777619u;
    right[0] = h;
    tell("one thread", 2 * N);
}

static void
test_arrays()
{
    begin();
    arrays<<<1, 100>>>(a, 1000);
    for (unsigned t = 0; t < 100; t++) {
        unsigned own[16];
        for (int i = 0; i < 16; i++)
            own[i] = t * i;
        for (int r = 0; r < 1000; r++)
            own[(r * 7 + t) % 16] += own[r % 16] + r;
        for (int i = 0; i < 16; i++)
            right[t] += own[i];
    }
    tell("arrays of their own", 2 * N);
}

static void
test_ended()
{
    const unsigned n = 77;
    begin();
    ended<<<1, 128>>>(a, n);
    for (unsigned t = 0; t < n; t++) {
        unsigned x = t;
        for (int r = 0; r < ROUNDS; r++)
            x = x * 5 + before[(x + r) % N];
        right[N + t] = x;
    }
    tell("lanes that have ended", 2 * N);
}

static void
test_parting()
{
    unsigned n[THREADS] = {0};
    begin();
    parting<<<1, THREADS>>>(a);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned x = t * 2654435761u; x % 64 != 1;) {
            x = x * 1664525 + 1013904223;
            n[t] += x >> 30 ? 1 : 2;
        }
    for (unsigned t = 0; t < THREADS; t++)
        right[t] = n[t] + n[t ^ 1];
    tell("lanes that part", 2 * N);
}

static void
test_meeting()
{
    const unsigned n = 4 * 96;
    void *args[] = {&a};
    begin();
    cudaLaunchCooperativeKernel((void *)meeting, 4, 96, args, 0, 0);
    for (int r = 0; r < ROUNDS; r++)
        for (unsigned t = 0; t < n; t++)
            right[(r + 1) % 2 * N + t] = right[r % 2 * N + (t + 1) % n] * 3 + r;
    tell("the grid meets", 2 * N);
}

static void
test_leaving()
{
    begin();
    a[2 * N - 1] = right[2 * N - 1] = 0;
    leaving<<<1, 128>>>(a, a + 2 * N - 1, 1000);
    for (unsigned t = 0; t < 32; t++)
        right[t] = t * right[t + 1];
    for (int r = 0; r < 1000; r++) {
        unsigned next[96];
        for (int t = 0; t < 96; t++)
            next[t] = right[N + (t + 1) % 96] * 3 + t;
        for (int t = 0; t < 96; t++)
            right[N + t] = next[t];
    }
    right[2 * N - 1] = 32;
    tell("a warp that has left", 2 * N);
}

int
main()
{
    cudaMallocManaged(&a, 2 * N * sizeof *a);
    test_barriers();
    test_planes();
    test_one_thread();
    test_arrays();
    test_ended();
    test_parting();
    test_meeting();
    test_leaving();
    too_far<<<1, 32>>>(a, 1024);
    printf("out of bounds: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
// check: race-global oob-global (turns without an acquire fence; a fault is meant)
