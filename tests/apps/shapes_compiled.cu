/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT places: same
// expect: EXACT planes: same
// expect: EXACT products: same
// expect: EXACT shared memory: same
// expect: EXACT lanes: same
// expect: EXACT some lanes: same
// expect: EXACT local arrays: same
/* Blocks of many shapes, most of them no multiple of a warp: where each thread
 * is, what it finds in memory, in shared memory and in its warp's other lanes.
 */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { W = 75, H = 61, MOST = W * H, SHAPES = 12 };

static const dim3 shapes[SHAPES] = {dim3(1),     dim3(7),      dim3(33),
                                    dim3(100),   dim3(1000),   dim3(10, 10),
                                    dim3(17, 9), dim3(24, 24), dim3(6, 31),
                                    dim3(48, 4), dim3(31, 33), dim3(11, 5, 3)};

__global__ void
places(unsigned *out, int n)
{
    unsigned t =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned i = b * blockDim.x * blockDim.y * blockDim.z + t;
    if (i < (unsigned)n)
        out[i] = threadIdx.x + 1000 * threadIdx.y + 100000 * threadIdx.z +
                 10000000 * (blockIdx.x % 7 + blockIdx.y % 5);
}

/* Each thread has a place in a plane, and what is around it. */
__global__ void
planes(int *out, const int *in)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H || threadIdx.z)
        return;
    int s = in[y * W + x] * 5;
    if (x > 0)
        s += in[y * W + x - 1];
    if (x < W - 1)
        s -= in[y * W + x + 1];
    if (y > 0 && y < H - 1)
        s ^= in[(y - 1) * W + x] + in[(y + 1) * W + x];
    out[y * W + x] = s;
}

__global__ void
products(int *c, const int *a, const int *b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= W || threadIdx.z)
        return;
    int s = 0;
    for (int k = 0; k < W; k++)
        s += a[(y % H) * W + k] * b[k % H * W + x];
    if (y < H)
        c[y * W + x] = s;
}

/* The block's threads in the opposite order, and a sum over all. */
__global__ void
through_shared(int *out, const int *in)
{
    __shared__ int tile[1024], sum[1024];
    int n = blockDim.x * blockDim.y * blockDim.z;
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    tile[t] = in[(blockIdx.x * 37 + threadIdx.x * 3 + threadIdx.y) % MOST];
    sum[t] = tile[t];
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        int more = t + step < n ? sum[t + step] : 0;
        __syncthreads();
        sum[t] += more;
        __syncthreads();
    }
    out[blockIdx.x * n + t] = tile[n - 1 - t] + sum[0] * 3;
}

__global__ void
lanes(int *out, const int *in)
{
    int n = blockDim.x * blockDim.y * blockDim.z;
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned here = __activemask();
    int v = in[(threadIdx.x * 5 + threadIdx.y * 7) % MOST];
    int next = __shfl_down_sync(here, v, 1);
    unsigned odd = __ballot_sync(here, v & 1);
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[blockIdx.x * n + t] = lane + 100 * (next & 0xff) +
                              (int)(odd * 2654435761u >> 8) +
                              (lane == t % 32 ? 0 : 1 << 30);
}

/* Atomics with results, and lanes that end early. */
__global__ void
some(unsigned *out, unsigned *count, const int *in)
{
    int n = blockDim.x * blockDim.y * blockDim.z;
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if ((threadIdx.x + 3 * threadIdx.y) % 4 == 1)
        return;
    unsigned s = 0;
    for (int i = 0; i < (int)(threadIdx.x % 5 + threadIdx.y % 3); i++)
        s = s * 3 + (unsigned)in[(i * 11 + threadIdx.y) % MOST];
    atomicAdd(&count[threadIdx.y % 8], s + 1);
    out[blockIdx.x * n + t] = s;
}

__global__ void
local_arrays(int *out, const int *in)
{
    int n = blockDim.x * blockDim.y * blockDim.z;
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int a[8];
    for (int i = 0; i < 8; i++)
        a[(i * 3 + threadIdx.x) % 8] = in[(t + i * 13) % MOST];
    int s = 0;
    for (int i = 0; i < 8; i++)
        s = s * 7 + a[(i + threadIdx.y) % 8];
    out[blockIdx.x * n + t] = s;
}

static int in[MOST], host[1 << 16];

static int
at(int i)
{
    return in[i % MOST];
}

static bool ok[7];
static int *d_in, *d_out;

static void
fetch(size_t n)
{
    cudaMemcpy(host, d_out, n * sizeof *host, cudaMemcpyDeviceToHost);
    cudaMemset(d_out, 0, sizeof host);
}

static void
check_planes(dim3 d)
{
    dim3 grid((W + d.x - 1) / d.x, (H + d.y - 1) / d.y);
    planes<<<grid, d>>>(d_out, d_in);
    fetch(MOST);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int s = in[y * W + x] * 5;
            s += x > 0 ? in[y * W + x - 1] : 0;
            s -= x < W - 1 ? in[y * W + x + 1] : 0;
            if (y > 0 && y < H - 1)
                s ^= in[(y - 1) * W + x] + in[(y + 1) * W + x];
            ok[1] = ok[1] && host[y * W + x] == s;
        }
    products<<<dim3(grid.x, (W + d.y - 1) / d.y), d>>>(d_out, d_in, d_in);
    fetch(MOST);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int s = 0;
            for (int k = 0; k < W; k++)
                s += in[y * W + k] * in[k % H * W + x];
            ok[2] = ok[2] && host[y * W + x] == s;
        }
}

static void
check_places(dim3 d)
{
    int n = d.x * d.y * d.z;
    dim3 grid(5, 3, 2);
    int all = 30 * n;
    places<<<grid, d>>>((unsigned *)d_out, all - 3);
    fetch(all);
    for (int i = 0; i < all; i++) {
        unsigned b = i / n, t = i % n;
        unsigned v = t % d.x + 1000 * (t / d.x % d.y) +
                     100000 * (t / d.x / d.y) +
                     10000000 * (b % 5 % 7 + b / 5 % 3 % 5);
        ok[0] = ok[0] && (unsigned)host[i] == (i < all - 3 ? v : 0);
    }
}

static void
check_shared(dim3 d)
{
    int n = d.x * d.y * d.z;
    through_shared<<<3, d>>>(d_out, d_in);
    fetch(3 * n);
    for (int b = 0; b < 3; b++) {
        int sum = 0;
        for (int t = 0; t < n; t++)
            sum += at(b * 37 + t % d.x * 3 + t / d.x % d.y);
        for (int t = 0; t < n; t++) {
            int u = n - 1 - t;
            int v = at(b * 37 + u % d.x * 3 + u / d.x % d.y) + sum * 3;
            ok[3] = ok[3] && host[b * n + t] == v;
        }
    }
}

static void
check_lanes(dim3 d)
{
    int n = d.x * d.y * d.z;
    lanes<<<2, d>>>(d_out, d_in);
    fetch(2 * n);
    for (int i = 0; i < 2 * n; i++) {
        int t = i % n, first = t / 32 * 32;
        unsigned odd = 0;
        auto v = [&](int u) { return at(u % d.x * 5 + u / d.x % d.y * 7); };
        for (int u = first; u < n && u < first + 32; u++)
            odd |= (unsigned)(v(u) & 1) << (u - first);
        int next = t % 32 == 31 || t + 1 >= n ? v(t) : v(t + 1);
        int want = t % 32 + 100 * (next & 0xff) + (int)(odd * 2654435761u >> 8);
        /* What a lane that is not there holds is not said. */
        ok[4] = ok[4] && (host[i] == want || (t + 1 == n && n % 32));
    }
}

static void
check_some(dim3 d)
{
    int n = d.x * d.y * d.z;
    unsigned *count, mine[8], want[8] = {0};
    cudaMalloc(&count, sizeof mine);
    cudaMemset(count, 0, sizeof mine);
    some<<<2, d>>>((unsigned *)d_out, count, d_in);
    cudaMemcpy(mine, count, sizeof mine, cudaMemcpyDeviceToHost);
    fetch(2 * n);
    for (int i = 0; i < 2 * n; i++) {
        int x = i % n % d.x, y = i % n / d.x % d.y;
        unsigned s = 0;
        bool ends = (x + 3 * y) % 4 == 1;
        for (int k = 0; !ends && k < x % 5 + y % 3; k++)
            s = s * 3 + (unsigned)at(k * 11 + y);
        want[y % 8] += ends ? 0 : s + 1;
        ok[5] = ok[5] && (unsigned)host[i] == s;
    }
    ok[5] = ok[5] && memcmp(mine, want, sizeof mine) == 0;
    cudaFree(count);
}

static void
check_local(dim3 d)
{
    int n = d.x * d.y * d.z;
    local_arrays<<<2, d>>>(d_out, d_in);
    fetch(2 * n);
    for (int i = 0; i < 2 * n; i++) {
        int t = i % n, x = t % d.x, y = t / d.x % d.y, a[8], s = 0;
        for (int k = 0; k < 8; k++)
            a[(k * 3 + x) % 8] = at(t + k * 13);
        for (int k = 0; k < 8; k++)
            s = s * 7 + a[(k + y) % 8];
        ok[6] = ok[6] && host[i] == s;
    }
}

int
main()
{
    const char *names[] = {"places",        "planes", "products",
                           "shared memory", "lanes",  "some lanes",
                           "local arrays"};
    unsigned seed = 1;
    for (int i = 0; i < MOST; i++)
        in[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 12);
    memset(ok, 1, sizeof ok);
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof host);
    cudaMemset(d_out, 0, sizeof host);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    for (dim3 d : shapes) {
        check_places(d);
        check_planes(d);
        check_shared(d);
        check_lanes(d);
        check_some(d);
        check_local(d);
    }
    for (int i = 0; i < 7; i++)
        printf("%s: %s\n", names[i], ok[i] ? "same" : "wrong");
    return 0;
}
// check: sync-shuffle (lanes behind the last one are read)
