#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# prof_textures.sh - requests and sectors of fetches are those that an H200
# counted (ncu 2025.3, CUDA 13.0): quads, tiles of arrays, filters.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
passed=0 failed=0

cat >app.cu <<'CU'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define AT                                                                     \
    int x = blockIdx.x * blockDim.x + threadIdx.x,                             \
        y = blockIdx.y * blockDim.y + threadIdx.y
#define OUT o[y * gridDim.x * blockDim.x + x]
#define FETCH(name, T, u, v, value)                                            \
    extern "C" __global__ void name(cudaTextureObject_t t, float *o, float f)  \
    {                                                                          \
        AT;                                                                    \
        T r = tex2D<T>(t, u + f, v + f);                                       \
        OUT = value;                                                           \
    }
FETCH(bytes, unsigned char, x, y, r)
FETCH(bytes_turned, unsigned char, y, x, r)
FETCH(floats, float, x, y, r)
FETCH(floats_turned, float, y, x, r)
FETCH(twos, float2, x, y, r.x)
FETCH(fours, float4, x, y, r.x)
FETCH(fours_turned, float4, y, x, r.x)
FETCH(floats_filtered, float, x, y, r)
FETCH(twos_filtered, float2, x, y, r.x)
FETCH(fours_filtered, float4, x, y, r.x)
FETCH(fours_halves, float4, x, y, r.x + r.w)
extern "C" __global__ void line(cudaTextureObject_t t, float *o, int s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    o[x] = tex1Dfetch<unsigned char>(t, x * s);
}
extern "C" __global__ void line_fours(cudaTextureObject_t t, float *o)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = tex1Dfetch<float4>(t, x);
    o[x] = v.x + v.w;
}
template <class T> static cudaTextureObject_t array(int n, bool filters)
{
    cudaChannelFormatDesc d = cudaCreateChannelDesc<T>();
    cudaResourceDesc r;
    cudaTextureDesc how;
    cudaTextureObject_t t = 0;
    memset(&r, 0, sizeof r);
    memset(&how, 0, sizeof how);
    r.resType = cudaResourceTypeArray;
    cudaMallocArray(&r.res.array.array, &d, n, n);
    how.filterMode = filters ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaCreateTextureObject(&t, &r, &how, nullptr);
    return t;
}
template <class T> static cudaTextureObject_t plain(void *at, size_t bytes)
{
    cudaResourceDesc r;
    cudaTextureDesc how;
    cudaTextureObject_t t = 0;
    memset(&r, 0, sizeof r);
    memset(&how, 0, sizeof how);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = at;
    r.res.linear.desc = cudaCreateChannelDesc<T>();
    r.res.linear.sizeInBytes = bytes;
    cudaCreateTextureObject(&t, &r, &how, nullptr);
    return t;
}
int main()
{
    float *o;
    void *memory;
    dim3 b(16, 16), g(4, 8), all(16, 16);
    cudaMalloc(&o, 1 << 20);
    cudaMalloc(&memory, 1 << 20);
    cudaTextureObject_t c = array<unsigned char>(128, false),
                        f = array<float>(128, false),
                        q = array<float4>(128, false);
    bytes<<<g, b>>>(c, o, .5f);
    bytes_turned<<<g, b>>>(c, o, .5f);
    floats<<<g, b>>>(f, o, .5f);
    floats_turned<<<g, b>>>(f, o, .5f);
    twos<<<g, b>>>(array<float2>(128, false), o, .5f);
    fours<<<g, b>>>(q, o, .5f);
    fours_turned<<<g, b>>>(q, o, .5f);
    floats_filtered<<<g, b>>>(array<float>(128, true), o, .3f);
    twos_filtered<<<g, b>>>(array<float2>(128, true), o, .3f);
    fours_filtered<<<g, b>>>(array<float4>(128, true), o, .3f);
    fours_halves<<<all, b>>>(array<float4>(256, true), o, .3f);
    line<<<64, 256>>>(plain<unsigned char>(memory, 1 << 20), o, 3);
    line_fours<<<64, 256>>>(plain<float4>(memory, 1 << 20), o);
    return cudaDeviceSynchronize() != cudaSuccess;
}
CU
if ! "$SW_BUILD/bin/softwarp" cc -std=c++17 -O2 app.cu -o app; then
    echo 'tools/prof_textures: 0 passed, 1 failed'
    exit 1
fi

# Kernel, requests, sectors.
for engine in interp jit; do
    SOFTWARP_ENGINE=$engine LD_PRELOAD="${SW_PRELOAD:-}" \
        "$SW_BUILD/bin/softwarp" prof --csv --log-file out -m \
        l1tex__t_requests_pipe_tex_mem_texture,l1tex__t_sectors_pipe_tex_mem_texture \
        ./app || failed=$((failed + 1))
    while read -r kernel requests sectors; do
        got=$(awk -F, -v k="\"$kernel\"" '$2 == k { printf "%s ", $NF }' out)
        if [ "$got" = "$requests $sectors " ]; then
            passed=$((passed + 1))
        else
            echo "$engine, $kernel: $got, not $requests $sectors"
            failed=$((failed + 1))
        fi
    done <<'EXPECTED'
bytes 2048 2048
bytes_turned 2048 4096
floats 2048 2048
floats_turned 2048 4096
twos 2048 4096
fours 2048 8192
fours_turned 2048 4096
floats_filtered 2048 5921
twos_filtered 2048 8977
fours_filtered 2048 18145
fours_halves 16384 293378
line 2048 3072
line_fours 4096 8192
EXPECTED
done
echo "tools/prof_textures: $passed passed, $failed failed"
[ $failed = 0 ]
