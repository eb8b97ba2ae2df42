/* SPDX-License-Identifier: Apache-2.0 */
/*
 * surfaces_compiled.cu - reads and writes of surfaces in compiled kernels:
 * elements of all sizes, some lanes only, layers, lanes that are outside,
 * handles that lanes do not share, and a surface that comes to be another.
 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_JIT_FUSE=2
// expect: EXACT bytes: 0 wrong
// expect: EXACT halves: 0 wrong
// expect: EXACT words: 0 wrong
// expect: EXACT four words: 0 wrong
// expect: EXACT long words: 0 wrong
// expect: EXACT some lanes: 0 wrong
// expect: EXACT outside: 0 wrong
// expect: EXACT layers: 0 wrong
// expect: EXACT two surfaces: 0 wrong
// expect: EXACT another one: 0 wrong
// expect: EXACT trapped: illegal memory access
#include <cstdio>
#include <cstring>
#include <vector>

enum { W = 128, H = 4, LAYERS = 3, N = 64 };

template <typename T> __global__ void turn(cudaSurfaceObject_t from,
                                           cudaSurfaceObject_t to)
{
    int x = blockIdx.x * N + threadIdx.x, y = blockIdx.y;
    T v;
    surf2Dread(&v, from, x * (int)sizeof(T), y);
    surf2Dwrite(v, to, (W - 1 - x) * (int)sizeof(T), H - 1 - y);
}

__global__ void some(cudaSurfaceObject_t s)
{
    int i = threadIdx.x;
    if (i % 5 < 2)
        surf2Dwrite(100 + i, s, i * 4, 1);
}

__global__ void outside(cudaSurfaceObject_t s, int *out)
{
    int i = threadIdx.x, v = -1;
    surf2Dread(&v, s, (i - 8) * 4, 0, cudaBoundaryModeZero);
    out[i] = v;
    surf2Dread(&v, s, (i + W - 32) * 4, i % 8 - 2, cudaBoundaryModeClamp);
    out[N + i] = v;
    __syncthreads();
    surf2Dwrite(7, s, (i + W - 32) * 4, 2, cudaBoundaryModeZero);
}

__global__ void layers(cudaSurfaceObject_t s, int *out)
{
    int i = threadIdx.x, v;
    surf2DLayeredread(&v, s, i * 4, 1, i % LAYERS);
    out[i] = v;
}

__global__ void two(cudaSurfaceObject_t a, cudaSurfaceObject_t b, int *out)
{
    int i = threadIdx.x, v;
    surf2Dread(&v, i & 1 ? a : b, i * 4, 0);
    out[i] = v;
}

__global__ void row(cudaSurfaceObject_t s, int *out)
{
    int v;
    surf2Dread(&v, s, threadIdx.x * 4, 0);
    out[threadIdx.x] = v;
}

__global__ void trap(cudaSurfaceObject_t s)
{
    surf2Dwrite(1, s, threadIdx.x * 4, threadIdx.x == 40 ? H : 0);
}

static cudaArray_t make(const cudaChannelFormatDesc &format,
                        const std::vector<unsigned char> &bytes, int depth)
{
    cudaArray_t a;
    size_t texel = bytes.size() / W / H / (depth ? depth : 1);
    cudaMalloc3DArray(&a, &format, make_cudaExtent(W, H, depth),
                      cudaArraySurfaceLoadStore |
                          (depth ? cudaArrayLayered : 0));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr =
        make_cudaPitchedPtr((void *)bytes.data(), W * texel, W, H);
    copy.dstArray = a;
    copy.extent = make_cudaExtent(W, H, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    return a;
}

static cudaSurfaceObject_t show(cudaArray_t a)
{
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s = 0;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaCreateSurfaceObject(&s, &r);
    return s;
}

static std::vector<unsigned char> numbers(size_t bytes)
{
    std::vector<unsigned char> v(bytes);
    for (size_t i = 0; i < bytes; i++)
        v[i] = (unsigned char)(i * 2654435761u >> 13);
    return v;
}

static void say(const char *what, const std::vector<int> &got,
                const std::vector<int> &want)
{
    int wrong = got.size() != want.size();
    for (size_t i = 0; i < got.size() && i < want.size(); i++)
        wrong += got[i] != want[i];
    printf("%s: %d wrong\n", what, wrong);
}

template <typename T> static void check_turn(const char *what)
{
    std::vector<unsigned char> in = numbers(W * H * sizeof(T)), out(in.size());
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t a = make(format, in, 0);
    cudaArray_t b = make(format, std::vector<unsigned char>(in.size()), 0);
    turn<T><<<dim3(W / N, H), N>>>(show(a), show(b));
    cudaMemcpy2DFromArray(out.data(), W * sizeof(T), b, 0, 0, W * sizeof(T), H,
                          cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < W * H; i++)
        wrong += memcmp(&out[i * sizeof(T)],
                        &in[(W * H - 1 - i) * sizeof(T)], sizeof(T)) != 0;
    printf("%s: %d wrong\n", what, wrong);
}

static std::vector<int> ints(const std::vector<unsigned char> &bytes)
{
    std::vector<int> v(bytes.size() / 4);
    memcpy(v.data(), bytes.data(), bytes.size());
    return v;
}

static int clamp(int i, int last)
{
    return i < 0 ? 0 : i > last ? last : i;
}

int main()
{
    check_turn<unsigned char>("bytes");
    check_turn<ushort2>("halves");
    check_turn<int>("words");
    check_turn<float4>("four words");
    check_turn<int2>("long words");

    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    std::vector<unsigned char> in = numbers(W * H * 4);
    std::vector<int> was = ints(in), now(W * H), want;
    cudaArray_t a = make(format, in, 0);
    cudaSurfaceObject_t s = show(a);
    int *out;
    cudaMallocManaged(&out, 2 * N * sizeof *out);

    some<<<1, N>>>(s);
    cudaMemcpy2DFromArray(now.data(), W * 4, a, 0, 0, W * 4, H,
                          cudaMemcpyDeviceToHost);
    want = was;
    for (int i = 0; i < N; i++)
        if (i % 5 < 2)
            want[W + i] = 100 + i;
    say("some lanes", now, want);

    was = want;
    want.clear();
    outside<<<1, N>>>(s, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        want.push_back(i < 8 ? 0 : was[i - 8]);
    for (int i = 0; i < N; i++)
        want.push_back(was[clamp(i % 8 - 2, H - 1) * W +
                           clamp(i + W - 32, W - 1)]);
    std::vector<int> got(out, out + 2 * N);
    cudaMemcpy2DFromArray(now.data(), W * 4, a, 0, 0, W * 4, H,
                          cudaMemcpyDeviceToHost);
    for (int i = 0; i < W; i++) {
        got.push_back(now[2 * W + i]);
        want.push_back(i < W - 32 ? was[2 * W + i] : 7);
        got.push_back(now[3 * W + i]);
        want.push_back(was[3 * W + i]);
    }
    say("outside", got, want);

    std::vector<unsigned char> deep = numbers(W * H * LAYERS * 4);
    cudaSurfaceObject_t l = show(make(format, deep, LAYERS));
    want.clear();
    layers<<<1, N>>>(l, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        want.push_back(ints(deep)[(i % LAYERS * H + 1) * W + i]);
    say("layers", std::vector<int>(out, out + N), want);

    std::vector<unsigned char> zeros(W * H * 4);
    cudaSurfaceObject_t z = show(make(format, zeros, 0));
    want.clear();
    two<<<1, N>>>(s, z, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        want.push_back(i & 1 ? now[i] : 0);
    say("two surfaces", std::vector<int>(out, out + N), want);

    /* The handle of one that was may be that of the next. */
    got.clear();
    want.clear();
    for (int i = 0; i < 3; i++) {
        cudaSurfaceObject_t one = show(i == 1 ? a : make(format, zeros, 0));
        row<<<1, N>>>(one, out);
        cudaDeviceSynchronize();
        cudaDestroySurfaceObject(one);
        for (int x = 0; x < N; x++) {
            got.push_back(out[x]);
            want.push_back(i == 1 ? now[x] : 0);
        }
    }
    say("another one", got, want);

    trap<<<1, N>>>(s);
    cudaError_t status = cudaDeviceSynchronize();
    printf("trapped: %s\n", status == cudaErrorIllegalAddress
                                ? "illegal memory access"
                                : cudaGetErrorString(status));
    return 0;
}
// check: oob-surface (writes outside are meant)
