/* SPDX-License-Identifier: Apache-2.0 */
/*
 * textures_compiled.cu - tex in compiled kernels: rows of texels and scattered
 * ones, some lanes only, layers, handles that lanes do not share, memory that
 * is not there.
 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_JIT_FUSE=2
// expect: EXACT rows: 0 wrong
// expect: EXACT some lanes: 0 wrong
// expect: EXACT layers: 0 wrong
// expect: EXACT two textures: 0 wrong
// expect: EXACT in a loop: 0 wrong
// expect: EXACT no memory: illegal memory access
#include <cstdio>
#include <cstring>
#include <vector>

enum { W = 50, H = 30, LAYERS = 3, N = 64 };

static float texel(int x, int y, int layer, int channel)
{
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    return (float)(x + 100 * y + 10000 * layer + 100000 * channel);
}

__global__ void rows(cudaTextureObject_t t, float4 *out)
{
    out[blockIdx.x * N + threadIdx.x] =
        tex2D<float4>(t, threadIdx.x + 0.5f - 5, blockIdx.x + 0.5f - 2);
}

__global__ void some(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x, at = i * 7 % 64;
    float v = -1;
    if (i % 3 == 1)
        v = tex2D<float4>(t, at + 0.25f, i + 0.75f).z;
    out[i] = v;
}

__global__ void layers(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    out[i] = tex2DLayered<float>(t, i + 0.5f, 3.5f, i % 5 - 1);
}

__global__ void two(cudaTextureObject_t a, cudaTextureObject_t b, float *out)
{
    int i = threadIdx.x;
    cudaTextureObject_t t = i & 1 ? a : b;
    out[i] = tex2D<float4>(t, i, i / 4).x;
}

__global__ void loop(cudaTextureObject_t t, float *out)
{
    __shared__ float part[N];
    int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < i % 9; k++)
        sum += tex2D<float4>(t, i + k, k).y;
    part[i] = sum;
    __syncthreads();
    out[i] = part[N - 1 - i];
}

static void say(const char *what, const float *got, const std::vector<float> &want)
{
    int wrong = 0;
    for (size_t i = 0; i < want.size(); i++)
        wrong += got[i] != want[i];
    printf("%s: %d wrong\n", what, wrong);
}

static cudaTextureObject_t make(const cudaResourceDesc &r)
{
    cudaTextureDesc d = {};
    for (cudaTextureAddressMode &mode : d.addressMode)
        mode = cudaAddressModeClamp;
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    return t;
}

static cudaTextureObject_t flat(float sign)
{
    std::vector<float> host;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 4; c++)
                host.push_back(sign * texel(x, y, 0, c));
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    cudaMallocArray(&r.res.array.array, &format, W, H);
    cudaMemcpy2DToArray(r.res.array.array, 0, 0, host.data(), W * 16, W * 16, H,
                        cudaMemcpyHostToDevice);
    return make(r);
}

static cudaTextureObject_t layered()
{
    std::vector<float> host;
    for (int l = 0; l < LAYERS; l++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                host.push_back(texel(x, y, l, 0));
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    cudaMalloc3DArray(&r.res.array.array, &format,
                      make_cudaExtent(W, H, LAYERS), cudaArrayLayered);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), W * 4, W, H);
    copy.dstArray = r.res.array.array;
    copy.extent = make_cudaExtent(W, H, LAYERS);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    return make(r);
}

int main()
{
    cudaTextureObject_t t = flat(1), minus = flat(-1), l = layered();
    float4 *wide;
    float *out;
    cudaMallocManaged(&wide, H * N * sizeof *wide);
    cudaMallocManaged(&out, N * sizeof *out);

    std::vector<float> want;
    rows<<<H, N>>>(t, wide);
    cudaDeviceSynchronize();
    for (int i = 0; i < H * N; i++)
        for (int c = 0; c < 4; c++)
            want.push_back(texel(i % N - 5, i / N - 2, 0, c));
    say("rows", (const float *)wide, want);

    want.clear();
    some<<<1, N>>>(t, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        want.push_back(i % 3 == 1 ? texel(i * 7 % 64, i, 0, 2) : -1);
    say("some lanes", out, want);

    want.clear();
    layers<<<1, N>>>(l, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        int layer = i % 5 - 1;
        layer = layer < 0 || layer >= LAYERS ? LAYERS - 1 : layer;
        want.push_back(texel(i, 3, layer, 0));
    }
    say("layers", out, want);

    want.clear();
    two<<<1, N>>>(t, minus, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        want.push_back((i & 1 ? 1.0f : -1.0f) * texel(i, i / 4, 0, 0));
    say("two textures", out, want);

    want.assign(N, 0);
    loop<<<1, N>>>(t, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i % 9; k++)
            want[N - 1 - i] += texel(i + k, k, 0, 1);
    say("in a loop", out, want);

    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float4>();
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = 1024;
    cudaMalloc(&r.res.pitch2D.devPtr, 8 << 20); /* pages of its own */
    cudaTextureObject_t gone = make(r);
    cudaFree(r.res.pitch2D.devPtr);
    rows<<<1, N>>>(gone, wide);
    cudaError_t status = cudaDeviceSynchronize();
    printf("no memory: %s\n", status == cudaErrorIllegalAddress
                                  ? "illegal memory access"
                                  : cudaGetErrorString(status));
    return 0;
}
// check: use-after-free (memory that is not there)
