/* SPDX-License-Identifier: Apache-2.0 */
// cc: -std=c++17
// expect: EXACT right
/*
 * What is fetched at the edges of faces, of layers, of borders and between
 * levels, by sums of all bits that are fetched; the numbers are an H100's.
 */
#include "check.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

enum { POINTS = 4096 };

static const cudaTextureAddressMode modes[] = {
    cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
    cudaAddressModeBorder};

/* From -1 to 2, and some far away. */
__device__ float
spread(int i, float step)
{
    float a = i * step;
    if (i % 97 == 5)
        return i % 2 ? 3e38f : -1e30f;
    return (a - floorf(a)) * 3 - 1;
}

/* Faces with what lies on their edges: multiples of 1/64 texel. */
__global__ void
cubes(cudaTextureObject_t t, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float u = (i * 37 % 513) / 256.f - 1, v = (i * 101 % 513) / 256.f - 1;
    if (i & 1)
        u = copysignf(1 - (i * 7 % 65) / 256.f, u);
    if (i & 2)
        v = copysignf(1 - (i * 11 % 65) / 256.f, v);
    float3 d[6] = {{1, -v, -u}, {-1, -v, u}, {u, 1, v},
                   {u, -1, -v}, {u, -v, 1},  {-u, -v, -1}};
    float3 p = d[i % 6];
    out[i] = texCubemap<float>(t, p.x, p.y, p.z);
}

__global__ void
layers(cudaTextureObject_t t, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2DLayered<float>(t, spread(i, .618034f), spread(i, .414214f),
                                 i % 11 - 4);
}

__global__ void
fractions(cudaTextureObject_t t, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(t, spread(i, .618034f), spread(i, .414214f));
}

__global__ void
levels(cudaTextureObject_t t, float *out, bool given)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = spread(i, .618034f), y = spread(i, .414214f);
    out[i] = given ? tex2DLod<float>(t, x, y, (i % 1025) / 128.f - 1)
                   : tex2D<float>(t, x, y);
}

static std::vector<float>
texels(size_t n)
{
    std::vector<float> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = (float)(i * i % 97 + 1);
    return v;
}

static void
fill(cudaArray_t array, int w, int h, int d)
{
    std::vector<float> v = texels((size_t)w * h * d);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(v.data(), w * sizeof v[0], w, h);
    p.dstArray = array;
    p.extent = make_cudaExtent(w, h, d);
    p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
}

static float *out;
static int wrong;

static void
compare(const char *what, uint32_t expected)
{
    std::vector<uint32_t> v(POINTS);
    CK(cudaMemcpy(v.data(), out, POINTS * sizeof v[0], cudaMemcpyDeviceToHost));
    uint32_t sum = 0;
    for (uint32_t x : v)
        sum = (sum ^ x) * 16777619u, sum ^= sum >> 15;
    if (sum != expected) {
        printf("%s: %#x, not %#x\n", what, sum, expected);
        wrong++;
    }
}

static cudaTextureObject_t
make(const cudaResourceDesc &r, int mode, int linear, cudaTextureDesc t = {})
{
    cudaTextureObject_t object;
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = modes[(mode + (mode > 1 ? 0 : i)) % 4];
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.normalizedCoords = 1;
    CK(cudaCreateTextureObject(&object, &r, &t, NULL));
    return object;
}

#define RUN(kernel, ...) kernel<<<POINTS / 128, 128>>>(__VA_ARGS__)

static void
all_cubes()
{
    static const uint32_t expected[2][4][2] = {{{0x910feb45, 0x12938e2c},
                                                {0x9694399e, 0x13c84f5e},
                                                {0x9694399e, 0x13c84f5e},
                                                {0x1d7f3c, 0x28b013b3}},
                                               {{0x9694399e, 0x1e7d13db},
                                                {0x9694399e, 0x1e7d13db},
                                                {0x9694399e, 0x1e7d13db},
                                                {0x9694399e, 0x1e7d13db}}};
    cudaResourceDesc r = {};
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    r.resType = cudaResourceTypeArray;
    CK(cudaMalloc3DArray(&r.res.array.array, &f, make_cudaExtent(5, 5, 6),
                         cudaArrayCubemap));
    fill(r.res.array.array, 5, 5, 6);
    for (int seamless = 0; seamless < 2; seamless++)
        for (int mode = 0; mode < 4; mode++)
            for (int linear = 0; linear < 2; linear++) {
                cudaTextureDesc t = {};
                t.seamlessCubemap = seamless;
                RUN(cubes, make(r, mode, linear, t), out);
                compare("cubes", expected[seamless][mode][linear]);
            }
}

static void
all_layers()
{
    static const uint32_t expected[4][2] = {{0xa89c8f4e, 0xf8c44f26},
                                            {0xa9f190f6, 0xfb9235ec},
                                            {0xdeee8c4b, 0x26681d19},
                                            {0x809fe165, 0x925d6d39}};
    cudaResourceDesc r = {};
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    r.resType = cudaResourceTypeArray;
    CK(cudaMalloc3DArray(&r.res.array.array, &f, make_cudaExtent(13, 9, 6),
                         cudaArrayLayered));
    fill(r.res.array.array, 13, 9, 6);
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++) {
            RUN(layers, make(r, mode, linear), out);
            compare("layers", expected[mode][linear]);
        }
}

/* Among others borders of 0, which are +0. */
static void
all_fractions()
{
    static const uint32_t expected[4][2] = {{0xf1c8c294, 0xe31b29ea},
                                            {0x2469fea, 0x8102e12f},
                                            {0xb9ecaa57, 0x180af7d6},
                                            {0xa4a1e2d0, 0x3643747}};
    cudaResourceDesc r = {};
    cudaChannelFormatDesc f = cudaCreateChannelDesc<signed char>();
    r.resType = cudaResourceTypeArray;
    CK(cudaMallocArray(&r.res.array.array, &f, 13, 9));
    std::vector<float> v = texels(30);
    CK(cudaMemcpy2DToArray(r.res.array.array, 0, 0, v.data(), 13, 13, 9,
                           cudaMemcpyHostToDevice));
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++) {
            cudaTextureDesc t = {};
            t.readMode = cudaReadModeNormalizedFloat;
            t.borderColor[0] = mode == 2 ? -.001f : 0;
            RUN(fractions, make(r, mode, linear, t), out);
            compare("fractions", expected[mode][linear]);
        }
}

/* Of anisotropic textures the way between levels is shorter; there is no bias
 * where no level is given. */
static void
all_levels()
{
    static const uint32_t expected[6][2] = {
        {0x3bafffc9, 0x7a82dfda}, {0x3bafffc9, 0xbe1e506b},
        {0x197bc551, 0x4824930a}, {0x3bafffc9, 0x7a82dfda},
        {0x3bafffc9, 0x6b8ec8d9}, {0x3bafffc9, 0x3f7f6d65}};
    cudaResourceDesc r = {};
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    r.resType = cudaResourceTypeMipmappedArray;
    CK(cudaMallocMipmappedArray(&r.res.mipmap.mipmap, &f,
                                make_cudaExtent(32, 32, 0), 6));
    for (int i = 0; i < 6; i++) {
        cudaArray_t level;
        CK(cudaGetMipmappedArrayLevel(&level, r.res.mipmap.mipmap, i));
        fill(level, 32 >> i, 32 >> i, 1);
    }
    for (int i = 0; i < 6; i++)
        for (int given = 0; given < 2; given++) {
            cudaTextureDesc t = {};
            t.mipmapFilterMode = cudaFilterModeLinear;
            t.maxMipmapLevelClamp = 5;
            t.mipmapLevelBias = i == 1 ? 1.3f : 0;
            t.minMipmapLevelClamp = i == 2 ? 1.25f : 0;
            t.maxAnisotropy = i < 3 ? 0 : i == 3 ? 1 : i == 4 ? 2 : 16;
            RUN(levels, make(r, 1, 1, t), out, given);
            compare("levels", expected[i][given]);
            t.disableTrilinearOptimization = 1;
            if (i > 3) {
                RUN(levels, make(r, 1, 1, t), out, given);
                compare("levels, exact", expected[0][given]);
            }
        }
}

int
main()
{
    CK(cudaMalloc(&out, POINTS * sizeof *out));
    all_cubes();
    all_layers();
    all_fractions();
    all_levels();
    printf(wrong ? "wrong\n" : "right\n");
    return 0;
}
