/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texels_in_place.cu - fetches that compiled code may do by itself: rows of
 * texels, one place, places anywhere, coordinates that are no numbers or far
 * away, for all lanes and for some, for several kinds of texels and textures;
 * and such as it may not. For several processors and numbers of fused warps, each in a
 * process of its own.
 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT this processor, warps: 0 wrong
// expect: EXACT this processor, fused: 0 wrong
// expect: EXACT AVX2, fused: 0 wrong
// expect: EXACT SSE2, warps: 0 wrong
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

enum { W = 61, H = 23, D = 5, LONG = 3072, PAGES = 8 << 20, RUN = 13 };
enum { KINDS = 8, BLOCK = 256, BLOCKS = 2 * KINDS, N = BLOCK * BLOCKS };
enum geometry { FETCH, LINE, PLANE, VOLUME, LINES, PLANES, NUMBERS };

typedef cudaTextureObject_t handle;

struct places {
    float *x, *y, *z;
    int *number, *layer;
    unsigned char *runs;
};

struct place {
    float x, y, z;
    int number, layer;
};

static __device__ void numbers(float4 *v, handle t, place p)
{
    asm("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=f"(v->x), "=f"(v->y), "=f"(v->z), "=f"(v->w)
        : "l"(t), "r"(p.number), "r"(p.layer));
}

template <class T, int G> __device__ T fetch(handle t, place p)
{
    if (G == FETCH)
        return tex1Dfetch<T>(t, p.number);
    if (G == LINE)
        return tex1D<T>(t, p.x);
    if (G == PLANE)
        return tex2D<T>(t, p.x, p.y);
    if (G == VOLUME)
        return tex3D<T>(t, p.x, p.y, p.z);
    if (G == LINES)
        return tex1DLayered<T>(t, p.x, p.layer);
    if (G == PLANES)
        return tex2DLayered<T>(t, p.x, p.y, p.layer);
    float4 v;
    numbers(&v, t, p);
    T r;
    memcpy(&r, &v, sizeof r);
    return r;
}

static __device__ place at(const places &p, int i)
{
    return {p.x[i], p.y[i], p.z[i], p.number[i], p.layer[i]};
}

/* Two textures, the first one at neighbours as well. */
template <class T, int G>
__global__ void by_lanes(handle t, handle u, places p, T *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    place a = at(p, i), b = a;
    b.x += 1;
    b.number += 1;
    T r[3] = {};
    if (p.runs[i]) {
        r[0] = fetch<T, G>(t, a);
        r[1] = fetch<T, G>(u, a);
        r[2] = fetch<T, G>(t, b);
    }
    for (int k = 0; k < 3; k++)
        out[k * N + i] = r[k];
}

/* One place of a block; only x its lanes' own; one site, two textures. */
template <class T, int G>
__global__ void by_blocks(handle t, handle u, places p, T *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    place one = at(p, blockIdx.x), some = one;
    some.x = p.x[i];
    some.number = p.number[i];
    out[i] = fetch<T, G>(t, one);
    out[N + i] = fetch<T, G>(t, some);
    T last = {};
    for (int k = 0; k < 3; k++)
        last = fetch<T, G>(k & 1 ? u : t, some);
    out[2 * N + i] = last;
}

/* Some channels only, not as many as texels have; one place for all. */
__global__ void of_channels(handle t, places p, float4 *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 a = tex2D<float4>(t, p.x[i], p.y[i]);
    float4 b = tex2D<float4>(t, p.x[i], p.y[i]);
    float4 c = tex2D<float4>(t, p.y[i], p.x[i]);
    float4 d = tex2D<float4>(t, 3.5f, 2.5f), e = tex2D<float4>(t, p.x[i], -1);
    out[i] = make_float4(a.x, b.y, c.z, d.w + 2 * e.w);
}

static texture<float4, 2> reference;

__global__ void by_reference(places p, float4 *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    out[i] = tex2D(reference, p.x[i], p.y[i]);
    out[N + i] = tex2D(reference, p.x[i] + 1, p.y[i]);
}

/* ---- what comes out ---- */

static unsigned seed = 1;

static unsigned any(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (unsigned)((unsigned long long)seed * below >> 32);
}

static int clamped(float x, int size)
{
    x = x > 0 ? x : 0;
    return (int)(x < (float)(size - 1) ? x : (float)(size - 1));
}

struct image {
    handle t;
    cudaArray_t array;
    std::vector<unsigned char> bytes;
    int w, h, d;
    bool is_border;
};

/* Bytes of the texel, or of zeros. */
template <int G> static const void *want(const image &m, place p, size_t bytes)
{
    static const unsigned char none[16] = {};
    int x = clamped(p.x, m.w), y = 0, z = 0;
    if (G == FETCH || G == NUMBERS) {
        x = p.number;
        y = G == NUMBERS ? p.layer : 0;
        if (x < 0 || x >= m.w || y < 0 || y >= m.h)
            return none;
    }
    if (G == PLANE || G == VOLUME || G == PLANES)
        y = clamped(p.y, m.h);
    if (G == VOLUME)
        z = clamped(p.z, m.d);
    if (G == LINES || G == PLANES)
        z = (unsigned)p.layer >= (unsigned)m.d ? m.d - 1 : p.layer;
    if (m.is_border && (G == PLANE || G == LINE) &&
        ((p.x == p.x && !(p.x >= 0 && p.x < (float)m.w)) ||
         (G == PLANE && p.y == p.y && !(p.y >= 0 && p.y < (float)m.h))))
        return none;
    return &m.bytes[((size_t)(z * m.h + y) * m.w + x) * bytes];
}

template <class T, int G> static image make(bool is_border = false)
{
    image m = {0, nullptr, {}, G == FETCH ? LONG : W, 1, 1, is_border};
    if (G == PLANE || G == VOLUME || G == PLANES || G == NUMBERS)
        m.h = H;
    if (G == VOLUME || G == LINES || G == PLANES)
        m.d = D;
    m.bytes.resize((size_t)m.w * m.h * m.d * sizeof(T));
    for (unsigned char &b : m.bytes)
        b = (unsigned char)any(256);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    for (cudaTextureAddressMode &mode : d.addressMode)
        mode = is_border ? cudaAddressModeBorder : cudaAddressModeClamp;
    if (G == FETCH) {
        r.resType = cudaResourceTypeLinear;
        r.res.linear.desc = format;
        r.res.linear.sizeInBytes = m.bytes.size();
        char *pages; /* behind which nothing is */
        cudaMalloc(&pages, PAGES);
        r.res.linear.devPtr = pages + PAGES - m.bytes.size();
        cudaMemcpy(r.res.linear.devPtr, m.bytes.data(), m.bytes.size(),
                   cudaMemcpyHostToDevice);
    } else {
        bool layered = G == LINES || G == PLANES;
        int h = G == LINE || G == LINES ? 0 : m.h;
        int depth = G == VOLUME || layered ? m.d : 0;
        r.resType = cudaResourceTypeArray;
        cudaMalloc3DArray(&r.res.array.array, &format,
                          make_cudaExtent(m.w, h, depth),
                          layered ? cudaArrayLayered : 0);
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(m.bytes.data(), m.w * sizeof(T), m.w,
                                          m.h);
        copy.dstArray = r.res.array.array;
        copy.extent = make_cudaExtent(m.w, m.h, m.d);
        copy.kind = cudaMemcpyHostToDevice;
        cudaMemcpy3D(&copy);
    }
    m.array = G == FETCH ? nullptr : r.res.array.array;
    if (cudaCreateTextureObject(&m.t, &r, &d, nullptr))
        printf("no texture\n");
    return m;
}

static int differ(const void *got, const void *want, size_t bytes)
{
    return memcmp(got, want, bytes) != 0;
}

/* ---- where ---- */

static float odd()
{
    static const float some[] = {NAN,   -NAN,      INFINITY, -INFINITY,
                                 -0.0f, 3e38f,     -3e38f,   2147483648.0f,
                                 -1e9f, 0.999999f, W,        W - 0.0001f};
    return some[any(sizeof some / sizeof *some)];
}

/* A kind for each block: rows, rows of eight or of sixteen, one place, all
 * over, odd ones, two lanes at a place, rows of four; the second half of blocks
 * have lanes that do not run. */
static void put(const places &p, bool is_fetch)
{
    int span = is_fetch ? LONG : W;
    for (int b = 0; b < BLOCKS; b++) {
        int x = (int)any(20) - 4, y = (int)any(H), z = (int)any(D), l = z;
        for (int i = 0; i < BLOCK; i++) {
            int n = b * BLOCK + i, kind = b % KINDS;
            float *to[3] = {p.x + n, p.y + n, p.z + n};
            int sides[3] = {kind == 0 ? i % 32 : kind == 1 ? i % 8 : i % 16,
                            kind == 0 ? 0 : kind == 1 ? i / 8 : i / 16, 0};
            if (kind == 3)
                sides[0] = sides[1] = 0;
            if (kind == 6)
                sides[0] = i % 16 / 2;
            if (kind == 7) {
                sides[0] = i % 4;
                sides[1] = i % 16 / 4;
            }
            if (kind == 4 || kind == 5) {
                x = (int)any((unsigned)span + 20) - 10;
                y = (int)any(H + 10) - 5;
                z = (int)any(D + 4) - 2;
                l = z;
            }
            *to[0] = (float)(x + sides[0]) + 0.5f;
            *to[1] = (float)(y + sides[1]) + 0.25f;
            *to[2] = (float)z;
            p.number[n] = x + sides[0] + (is_fetch && kind < 3 ? i / 8 * 50 : 0);
            if (is_fetch && b == KINDS) /* those that run, up to the end */
                p.number[n] = LONG - RUN + i % 32;
            p.layer[n] = l;
            if (kind == 5)
                *to[any(3)] = odd();
            if (kind == 5 && any(3) == 0)
                p.number[n] = (int)(any(2) ? 0x80000000u + any(9) : ~any(9));
            p.runs[n] = b < BLOCKS / 2 || (b & 1 ? any(3) != 0 : i % 32 < RUN);
        }
    }
}

template <class T> static T *room()
{
    T *p;
    cudaMallocManaged(&p, 4 * N * sizeof *p);
    return p;
}

static places p;

template <class T, int G>
static int compare(const image &m, const image &other, bool by_lanes_only)
{
    static const T none = {};
    int wrong = 0;
    T *out = room<T>();
    put(p, G == FETCH);
    by_lanes<T, G><<<BLOCKS, BLOCK>>>(m.t, other.t, p, out);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < N; i++) {
        place a = {p.x[i], p.y[i], p.z[i], p.number[i], p.layer[i]}, b = a;
        b.x += 1;
        b.number += 1;
        bool runs = p.runs[i];
        const void *r[3] = {want<G>(m, a, sizeof(T)),
                            want<G>(other, a, sizeof(T)),
                            want<G>(m, b, sizeof(T))};
        for (int k = 0; k < 3; k++)
            wrong += differ(&out[k * N + i], runs ? r[k] : &none, sizeof(T));
    }
    if (by_lanes_only)
        return wrong;
    by_blocks<T, G><<<BLOCKS, BLOCK>>>(m.t, other.t, p, out);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < N; i++) {
        int f = i / BLOCK;
        place one = {p.x[f], p.y[f], p.z[f], p.number[f], p.layer[f]};
        place some = one;
        some.x = p.x[i];
        some.number = p.number[i];
        wrong += differ(&out[i], want<G>(m, one, sizeof(T)), sizeof(T));
        for (int k = 1; k < 3; k++)
            wrong +=
                differ(&out[k * N + i], want<G>(m, some, sizeof(T)), sizeof(T));
    }
    return wrong;
}

template <class T, int G> static int both()
{
    image a = make<T, G>(), b = make<T, G>();
    return compare<T, G>(a, b, false);
}

static int channels()
{
    int wrong = 0;
    image m = make<float4, PLANE>();
    float4 *out = room<float4>();
    put(p, false);
    of_channels<<<BLOCKS, BLOCK>>>(m.t, p, out);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < N; i++) {
        place a = {p.x[i], p.y[i]}, b = {p.y[i], p.x[i]};
        const char *x = (const char *)want<PLANE>(m, a, 16);
        const char *y = (const char *)want<PLANE>(m, b, 16);
        float d, e;
        memcpy(&d, &m.bytes[(2 * W + 3) * 16 + 12], 4);
        memcpy(&e, &m.bytes[clamped(p.x[i], W) * 16 + 12], 4);
        wrong += differ(&out[i].x, x, 4) + differ(&out[i].y, x + 4, 4) +
                 differ(&out[i].z, y + 8, 4);
        wrong += out[i].w != d + 2 * e && d == d && e == e;
    }
    return wrong;
}

static int references()
{
    int wrong = 0;
    image m = make<float4, PLANE>();
    float4 *out = room<float4>();
    reference.addressMode[0] = reference.addressMode[1] = cudaAddressModeClamp;
    cudaBindTextureToArray(reference, m.array, cudaCreateChannelDesc<float4>());
    put(p, false);
    by_reference<<<BLOCKS, BLOCK>>>(p, out);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < N; i++) {
        place a = {p.x[i], p.y[i]}, b = {p.x[i] + 1, p.y[i]};
        wrong += differ(&out[i], want<PLANE>(m, a, 16), 16) +
                 differ(&out[N + i], want<PLANE>(m, b, 16), 16);
    }
    return wrong;
}

static int all()
{
    int wrong = 0;
    p = {room<float>(), room<float>(), room<float>(),
         room<int>(),   room<int>(),   room<unsigned char>()};
    wrong += both<float, FETCH>() + both<int2, FETCH>() +
             both<uint4, FETCH>() + both<unsigned char, FETCH>();
    wrong += both<float, LINE>() + both<float, LINES>();
    wrong += both<float, PLANE>() + both<uint2, PLANE>() +
             both<float4, PLANE>() + both<uchar4, PLANE>();
    wrong += both<int, VOLUME>() + both<int4, PLANES>();
    wrong += both<float4, NUMBERS>();
    /* the same code, of a texture that it does not fetch from in place */
    image m = make<float, PLANE>(), border = make<float, PLANE>(true);
    wrong += compare<float, PLANE>(m, border, false);
    wrong += compare<float, PLANE>(border, m, true);
    return wrong + channels() + references();
}

static void run(const char *title, const char *cpu, const char *fused)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (cpu)
            setenv("SOFTWARP_JIT_CPU", cpu, 1);
        setenv("SOFTWARP_JIT_FUSE", fused, 1);
        printf("%s: %d wrong\n", title, all());
        fflush(stdout);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
}

int main()
{
    run("this processor, warps", nullptr, "1");
    run("this processor, fused", nullptr, "8");
    run("AVX2, fused", "x86-64-v3", "2");
    run("SSE2, warps", "x86-64", "1");
    return 0;
}
// check: oob-texture (places outside are meant)
