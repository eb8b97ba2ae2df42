/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seeds.cu - measures what NVIDIA's tutorials of 2008 and 2009, a blog of 2014
 * and the OpenCL guide for the CUDA architecture state, as their programs did:
 * with events. bench/seeds runs it on the devices that they name, under the
 * device's clock, and compares.
 *
 *     seeds WHAT...    transpose ratios offsets strides lines pinned pageable
 *                      latency hide rates fd3d
 *
 * Prints "name value" lines. Bandwidths count what is read and written.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TRY(call)                                                              \
    do {                                                                       \
        cudaError_t error_ = (call);                                           \
        if (error_ != cudaSuccess) {                                           \
            fprintf(stderr, "seeds:%d: %s\n", __LINE__,                        \
                    cudaGetErrorString(error_));                               \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

static cudaEvent_t before, after;
static int sms;
static double ghz;

template <typename F>
static double
seconds(F work)
{
    float ms;
    TRY(cudaEventRecord(before));
    work();
    TRY(cudaGetLastError());
    TRY(cudaEventRecord(after));
    TRY(cudaEventSynchronize(after));
    TRY(cudaEventElapsedTime(&ms, before, after));
    return ms * 1e-3;
}

static void
say(const char *name, double value)
{
    printf("%s %.4g\n", name, value);
}

static float *
buffer(size_t bytes)
{
    float *p;
    TRY(cudaMalloc(&p, bytes));
    TRY(cudaMemset(p, 0, bytes));
    return p;
}

/* ---- the transposes ---- */

enum { SIDE = 2048, TILE = 32, ROWS = 8, REPEATS = 10 };

__global__ void
copy(float *out, const float *in, int repeats)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int r = 0; r < repeats; r++)
        for (int i = 0; i < TILE; i += ROWS)
            out[(y + i) * SIDE + x] = in[(y + i) * SIDE + x];
}

__global__ void
copy_shared(float *out, const float *in, int repeats)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int r = 0; r < repeats; r++) {
        for (int i = 0; i < TILE; i += ROWS)
            tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * SIDE + x];
        __syncthreads();
        for (int i = 0; i < TILE; i += ROWS)
            out[(y + i) * SIDE + x] = tile[threadIdx.y + i][threadIdx.x];
    }
}

__global__ void
transpose_naive(float *out, const float *in, int repeats)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int r = 0; r < repeats; r++)
        for (int i = 0; i < TILE; i += ROWS)
            out[x * SIDE + y + i] = in[(y + i) * SIDE + x];
}

/* PAD: columns more, against bank conflicts. DIAGONAL: blocks go along
 * diagonals, against partition camping. */
template <int PAD, bool DIAGONAL>
__global__ void
transpose(float *out, const float *in, int repeats)
{
    __shared__ float tile[TILE][TILE + PAD];
    int block_x = blockIdx.x, block_y = blockIdx.y;
    if (DIAGONAL) {
        block_y = blockIdx.x;
        block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    }
    int x = block_x * TILE + threadIdx.x, y = block_y * TILE + threadIdx.y;
    int to_x = block_y * TILE + threadIdx.x, to_y = block_x * TILE + threadIdx.y;
    for (int r = 0; r < repeats; r++) {
        for (int i = 0; i < TILE; i += ROWS)
            tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * SIDE + x];
        __syncthreads();
        for (int i = 0; i < TILE; i += ROWS)
            out[(to_y + i) * SIDE + to_x] = tile[threadIdx.x][threadIdx.y + i];
    }
}

static void
transposes()
{
    typedef void kernel(float *, const float *, int);
    static const struct {
        const char *name;
        kernel *run;
    } steps[] = {{"copy", copy},
                 {"copy_shared", copy_shared},
                 {"naive", transpose_naive},
                 {"coalesced", transpose<0, false>},
                 {"padded", transpose<1, false>},
                 {"diagonal", transpose<1, true>}};
    const size_t bytes = sizeof(float) * SIDE * SIDE;
    const double all = 2.0 * REPEATS * (double)bytes / (1 << 30);
    dim3 grid(SIDE / TILE, SIDE / TILE), block(TILE, ROWS);
    float *out = buffer(bytes), *in = buffer(bytes);
    for (auto &s : steps) {
        char name[64];
        double t = seconds([&] {
            for (int i = 0; i < REPEATS; i++)
                s.run<<<grid, block>>>(out, in, 1);
        });
        snprintf(name, sizeof name, "%s_launches", s.name);
        say(name, all / t);
        t = seconds([&] { s.run<<<grid, block>>>(out, in, REPEATS); });
        snprintf(name, sizeof name, "%s_inside", s.name);
        say(name, all / t);
    }
    TRY(cudaFree(out));
    TRY(cudaFree(in));
}

/* ---- offsets, strides, sizes ---- */

template <typename T>
__global__ void
offset_copy(T *out, const T *in, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i];
}

template <typename T>
__global__ void
stride_copy(T *out, const T *in, int stride)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}

enum { COPIED = 1 << 20 }; /* threads */

/* GB/s (10^9). */
template <typename T>
static double
copied(void (*kernel)(T *, const T *, int), int by)
{
    size_t bytes = sizeof(T) * COPIED * 20;
    T *out = (T *)buffer(bytes), *in = (T *)buffer(bytes);
    double t = seconds([&] { kernel<<<COPIED / 256, 256>>>(out, in, by); });
    TRY(cudaFree(out));
    TRY(cudaFree(in));
    return 2e-9 * sizeof(T) * COPIED / t;
}

static void
ratios()
{
    say("ratio_4", copied(offset_copy<float>, 0) / copied(offset_copy<float>, 1));
    say("ratio_8", copied(offset_copy<float2>, 0) / copied(offset_copy<float2>, 1));
    say("ratio_16", copied(offset_copy<float4>, 0) / copied(offset_copy<float4>, 1));
}

static void
curve(const char *what, void (*kernel)(float *, const float *, int), int first,
      int last)
{
    for (int i = first; i <= last; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%d", what, i);
        say(name, copied(kernel, i));
    }
}

static void
lines()
{
    say("misaligned", 100 * copied(offset_copy<float>, 1) /
                          copied(offset_copy<float>, 0));
}

/* ---- the bus ---- */

static void
bus(const char *what, bool is_pinned, size_t bytes)
{
    char *host, *device = (char *)buffer(bytes), name[32];
    if (is_pinned)
        TRY(cudaMallocHost(&host, bytes));
    else
        host = (char *)calloc(1, bytes);
    double up = seconds([&] {
        TRY(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    });
    double down = seconds([&] {
        TRY(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    });
    snprintf(name, sizeof name, "%s_up_us", what);
    say(name, up * 1e6);
    snprintf(name, sizeof name, "%s_down_us", what);
    say(name, down * 1e6);
    snprintf(name, sizeof name, "%s_rate", what);
    say(name, 1e-9 * (double)bytes / up);
}

/* ---- latencies ---- */

__global__ void
chase(void **p, int n)
{
    void **at = p;
#pragma unroll 8
    for (int i = 0; i < n; i++)
        at = (void **)*at;
    p[1] = at;
}

/* One chain of sums. */
__global__ void
chain(float *p, int n)
{
    float v = p[0], a = p[1];
#pragma unroll 32
    for (int i = 0; i < n; i++)
        v += a;
    p[threadIdx.x] = v;
}

enum { LONG = 4096 };

/* Clocks of an instruction of each of so many warps of one block. */
static double
chain_clocks(int warps)
{
    float *p = buffer(1 << 16);
    double one = seconds([&] { chain<<<1, 32 * warps>>>(p, LONG); });
    double two = seconds([&] { chain<<<1, 32 * warps>>>(p, 2 * LONG); });
    TRY(cudaFree(p));
    return (two - one) * ghz * 1e9 / LONG;
}

static void
latency()
{
    const int lines = 1 << 15, words = 32; /* 8 MB */
    void **host = (void **)calloc(lines, words * sizeof(void *));
    void **p = (void **)buffer(lines * words * sizeof(void *));
    for (int i = 0; i < lines; i++)
        host[i * words] = p + (i * 7919 + 1) % lines * words;
    TRY(cudaMemcpy(p, host, lines * words * sizeof(void *),
                   cudaMemcpyHostToDevice));
    double one = seconds([&] { chase<<<1, 1>>>(p, 1000); });
    double two = seconds([&] { chase<<<1, 1>>>(p, 2000); });
    say("global_latency", (two - one) * ghz * 1e9 / 1000);
    say("register_latency", chain_clocks(1));
    free(host);
}

/* The fewest warps of which a multiprocessor's chains of sums reach nine tenths
 * of what twice as many reach. */
static void
hide()
{
    int n = 1;
    for (; n < 16; n++)
        if (n / chain_clocks(n) > 0.9 * 2 * n / chain_clocks(2 * n))
            break;
    say("hiding_warps", n);
    say("hiding_threads", 32 * n);
}

/* ---- rates ---- */

#define ASM1(text, kind)                                                       \
    asm volatile(text " %0, %0;" : "+" kind(v))
#define ASM2(text, kind)                                                       \
    asm volatile(text " %0, %0, %1;" : "+" kind(v) : kind(w))

struct mad { static __device__ void at(float &v, float w) { asm volatile("mad.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(w)); } };
struct sum { static __device__ void at(float &v, float w) { ASM2("add.f32", "f"); } };
struct quotient { static __device__ void at(float &v, float w) { ASM2("div.full.f32", "f"); } };
struct fdiv_fast { static __device__ void at(float &v, float w) { ASM2("div.approx.f32", "f"); } };
struct rcp { static __device__ void at(float &v, float) { ASM1("rcp.approx.f32", "f"); } };
struct rsqrt_fast { static __device__ void at(float &v, float) { ASM1("rsqrt.approx.f32", "f"); } };
struct sqrt_fast { static __device__ void at(float &v, float) { ASM1("sqrt.approx.f32", "f"); } };
struct lg2 { static __device__ void at(float &v, float) { ASM1("lg2.approx.f32", "f"); } };
struct sin_fast { static __device__ void at(float &v, float) { ASM1("sin.approx.f32", "f"); } };
struct iadd { static __device__ void at(int &v, int w) { ASM2("add.s32", "r"); } };
struct imul { static __device__ void at(int &v, int w) { ASM2("mul.lo.s32", "r"); } };
struct imul24 { static __device__ void at(int &v, int w) { ASM2("mul24.lo.s32", "r"); } };
struct imax { static __device__ void at(int &v, int w) { ASM2("max.s32", "r"); } };
struct bits { static __device__ void at(int &v, int w) { ASM2("xor.b32", "r"); } };
struct to_float { static __device__ void at(int &v, int) { asm volatile("{ .reg .f32 f; cvt.rn.f32.s32 f, %0; mov.b32 %0, f; }" : "+r"(v)); } };

template <typename T, typename OP>
__global__ void
rate(T *p, int n)
{
    T a = p[threadIdx.x], b = a, c = a, d = a, w = p[0];
#pragma unroll 8
    for (int i = 0; i < n; i++) {
        OP::at(a, w);
        OP::at(b, w);
        OP::at(c, w);
        OP::at(d, w);
    }
    p[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

/* Operations a clock and multiprocessor. */
template <typename T, typename OP>
static void
measure(const char *name)
{
    const int n = 512, threads = 256;
    int blocks = 2 * sms;
    T *p = (T *)buffer(sizeof(T) * threads * blocks);
    double one = seconds([&] { rate<T, OP><<<blocks, threads>>>(p, n); });
    double two = seconds([&] { rate<T, OP><<<blocks, threads>>>(p, 2 * n); });
    say(name, 4.0 * n * threads * 2 / ((two - one) * ghz * 1e9));
    TRY(cudaFree(p));
}

static void
rates()
{
    measure<float, mad>("mad");
    measure<float, sum>("fadd");
    measure<float, rcp>("reciprocal");
    measure<float, quotient>("division");
    measure<float, fdiv_fast>("native_divide");
    measure<float, rsqrt_fast>("rsqrt");
    measure<float, sqrt_fast>("sqrt");
    measure<float, lg2>("native_log");
    measure<float, sin_fast>("native_sin");
    measure<int, iadd>("int_add");
    measure<int, imul>("int_mul");
    measure<int, imul24>("mul24");
    measure<int, imax>("max");
    measure<int, bits>("bitwise");
    measure<int, to_float>("conversion");
}

/* ---- 3-D finite differences, 25 points ---- */

enum { HALO = 4, WIDE = 16, NX = 320, NY = 320, NZ = 64 };

__constant__ float weight[HALO + 1];

__global__ void
fd3d(float *out, const float *in)
{
    __shared__ float plane[WIDE + 2 * HALO][WIDE + 2 * HALO];
    const int pitch = NX + 2 * HALO, slice = pitch * (NY + 2 * HALO);
    int tx = threadIdx.x + HALO, ty = threadIdx.y + HALO;
    int at = (blockIdx.y * WIDE + ty) * pitch + blockIdx.x * WIDE + tx;
    float behind[HALO], ahead[HALO], here;
    for (int i = 0; i < HALO; i++)
        behind[i] = in[at + (HALO - 1 - i) * slice];
    here = in[at + HALO * slice];
    for (int i = 0; i < HALO; i++)
        ahead[i] = in[at + (HALO + 1 + i) * slice];
    for (int z = 0; z < NZ; z++) {
        int now = at + (z + HALO) * slice;
        __syncthreads();
        if (threadIdx.y < HALO) {
            plane[threadIdx.y][tx] = in[now - HALO * pitch];
            plane[threadIdx.y + WIDE + HALO][tx] = in[now + WIDE * pitch];
        }
        if (threadIdx.x < HALO) {
            plane[ty][threadIdx.x] = in[now - HALO];
            plane[ty][threadIdx.x + WIDE + HALO] = in[now + WIDE];
        }
        plane[ty][tx] = here;
        __syncthreads();
        float v = weight[0] * here;
#pragma unroll
        for (int i = 1; i <= HALO; i++)
            v += weight[i] * (ahead[i - 1] + behind[i - 1] + plane[ty - i][tx] +
                              plane[ty + i][tx] + plane[ty][tx - i] +
                              plane[ty][tx + i]);
        out[now] = 2 * here - out[now] + v;
#pragma unroll
        for (int i = HALO - 1; i > 0; i--)
            behind[i] = behind[i - 1];
        behind[0] = here;
        here = ahead[0];
#pragma unroll
        for (int i = 0; i < HALO - 1; i++)
            ahead[i] = ahead[i + 1];
        ahead[HALO - 1] = in[now + (HALO + 1) * slice];
    }
}

static void
differences()
{
    size_t bytes = sizeof(float) * (NX + 2 * HALO) * (NY + 2 * HALO) *
                   (NZ + 2 * HALO + 1);
    float *out = buffer(bytes), *in = buffer(bytes);
    double t = seconds([&] {
        fd3d<<<dim3(NX / WIDE, NY / WIDE), dim3(WIDE, WIDE)>>>(out, in);
    });
    say("fd3d_mpoints", 1e-6 * NX * NY * NZ / t);
}

int
main(int argc, char **argv)
{
    int khz;
    TRY(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    ghz = khz * 1e-6;
    TRY(cudaEventCreate(&before));
    TRY(cudaEventCreate(&after));
    for (int i = 1; i < argc; i++) {
        const char *what = argv[i];
        if (!strcmp(what, "transpose"))
            transposes();
        else if (!strcmp(what, "ratios"))
            ratios();
        else if (!strcmp(what, "offsets"))
            curve("offset", offset_copy<float>, 0, 16);
        else if (!strcmp(what, "strides"))
            curve("stride", stride_copy<float>, 1, 18);
        else if (!strcmp(what, "lines"))
            lines();
        else if (!strcmp(what, "pinned"))
            bus("pinned", true, 32 << 20);
        else if (!strcmp(what, "pageable"))
            bus("pageable", false, 4 << 20);
        else if (!strcmp(what, "latency"))
            latency();
        else if (!strcmp(what, "hide"))
            hide();
        else if (!strcmp(what, "rates"))
            rates();
        else if (!strcmp(what, "fd3d"))
            differences();
        else
            return fprintf(stderr, "seeds: no such thing: %s\n", what), 2;
    }
    return 0;
}
