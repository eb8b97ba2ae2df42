#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Advice of `softwarp prof`: programs that have one fault each get one finding,
# at the right line and with the right numbers; the one without gets none.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

cat >app.cu <<'CU'
#include <cstring>
#include <cuda_runtime.h>

/* N warps of work, so that no grid is too small for a device. */
enum { THREADS = 256, BLOCKS = 1056, N = THREADS * BLOCKS };

__global__ void good(float *out, const float *in, int n)
{
    __shared__ float tile[THREADS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n)
        out[i] = tile[threadIdx.x ^ 1] * 2;
}

__global__ void uncoalesced(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i * 32 + i / 8192) % N]; // LINE uncoalesced
}

__global__ void shifted(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1]; // LINE shifted
}

__global__ void conflicts(float *out, const float *in)
{
    __shared__ float tile[THREADS * 8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x * 8] = in[i]; // LINE conflicts
    __syncthreads();
    out[i] = tile[8 * 8];
}

__global__ void divergence(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (threadIdx.x % 2) // LINE divergence
        for (int k = 0; k < 20; k++)
            x = x * x + k;
    else
        for (int k = 0; k < 20; k++)
            x = x / (x + k);
    out[i] = x;
}

__global__ void occupancy(float *out, const float *in)
{
    extern __shared__ float tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = tile[threadIdx.x ^ 1];
}

__global__ void camping(float *out, const float *in)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[blockIdx.x * 2048 + threadIdx.x] = in[i]; // LINE camping
}

__global__ void lonely(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 1000; k++)
        x = x * x + k;
    out[i] = x;
}

int main(int, char **argv)
{
    static float host[N];
    float *in, *out;
    cudaMalloc(&in, (N + 1) * 4);
    cudaMalloc(&out, N * 4);
    cudaMemset(in, 0, N * 4);
    const char *what = argv[1];
    auto is = [&](const char *name) { return !strcmp(what, name); };
    if (is("good"))
        good<<<BLOCKS, THREADS>>>(out, in, N - 5);
    else if (is("uncoalesced"))
        uncoalesced<<<BLOCKS, THREADS>>>(out, in);
    else if (is("shifted"))
        shifted<<<BLOCKS, THREADS>>>(out, in);
    else if (is("conflicts"))
        conflicts<<<BLOCKS, THREADS>>>(out, in);
    else if (is("divergence"))
        divergence<<<BLOCKS, THREADS>>>(out, in);
    else if (is("occupancy"))
        occupancy<<<BLOCKS, 64, argv[2] ? 8000 : 40000>>>(out, in);
    else if (is("camping"))
        camping<<<N / 2048, 64>>>(out, in);
    else if (is("block"))
        good<<<BLOCKS * 2, 100>>>(out, in, 1 << 30);
    else if (is("grid"))
        lonely<<<8, THREADS>>>(out, in);
    for (int i = 0; is("small") && i < 20; i++)
        cudaMemcpy(in + i * 100, host, 400, cudaMemcpyHostToDevice);
    for (int i = 0; is("blocking") && i < 10; i++) {
        cudaMemcpy(in, host, N * 4, cudaMemcpyHostToDevice);
        good<<<BLOCKS, THREADS>>>(out, in, N);
        cudaMemcpy(host, out, N * 4, cudaMemcpyDeviceToHost);
    }
    return cudaDeviceSynchronize();
}
CU
"$SW_BUILD/bin/softwarp" cc -lineinfo app.cu -o app || exit 1

line() { grep -n "// LINE $1" app.cu | cut -d: -f1; }

# advice COUNT PROGRAM-ARGUMENTS DEVICE REGEX...
advice() {
    want=$1 args=$2 device=$3 good=1
    shift 3
    # shellcheck disable=SC2086
    env LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" prof --advice --device "$device" ./app $args \
        2>out || good=0
    sed -n '/^Advice/,$p' out | tr -s ' \n' ' ' >flat
    got=$(grep -cE '^  [0-9]+\. ' out)
    [ "$got" = "$want" ] || { echo "$args, $device: $got findings, not $want"; good=0; }
    for regex; do
        grep -Eq -- "$regex" flat && continue
        echo "$args, $device: nothing matches $regex"
        good=0
    done
    [ $good = 1 ] || sed -n '/^Advice/,$p' out
    passed=$((passed + good)) failed=$((failed + 1 - good))
}

for device in H200 'GTX 480' 'GTX 280' '8800 GTX'; do
    advice 0 good "$device" 'nothing to find fault with'
done
advice 1 uncoalesced H200 \
    "uncoalesced, app.cu:$(line uncoalesced): coalescing global loads move 8 times" \
    '32 sectors for each warp' 'Coalesced Access'
# sixteen threads, a transaction of 32 bytes each, in place of one of 64
advice 1 uncoalesced '8800 GTX' \
    "app.cu:$(line uncoalesced): .*move 8 times .* 32 transactions for each warp"
advice 1 shifted H200 "app.cu:$(line shifted): .*move 1.25 times .* 5 sectors"
# 1.0 asks for every thread by itself where the first is not aligned
advice 1 shifted '8800 GTX' "app.cu:$(line shifted): .*move 8 times"
advice 1 conflicts H200 \
    "app.cu:$(line conflicts): bank conflicts shared stores have 8-way" \
    'the 32 banks need 8 passes' 'M \+ 1'
advice 1 conflicts '8800 GTX' 'stores have 8-way .* the 16 banks'
advice 1 divergence H200 "app.cu:$(line divergence): divergence" \
    'part at 100% of' 'Branching and Divergence'
advice 1 occupancy H200 'occupancy <<<\(1056,1,1\),\(64,1,1\)>>>: occupancy' \
    '10 of 64 warps' 'shared memory stop' 'at most [0-9]+ bytes of shared memory a block \(now 40000\)'
advice 1 'occupancy less' '8800 GTX' '4 of 24 warps .* shared memory stop'
advice 1 camping 'GTX 280' "app.cu:$(line camping): partitions stores of blocks" \
    'few of the 8 partitions of memory: the busiest gets 8 times its share'
# It scatters addresses; but has more warps to fill.
advice 1 camping 'GTX 480' '16 of 48 warps'
advice 1 block H200 'blocks of 100 threads fill 100 of 128 lanes'
advice 1 grid H200 'lonely <<<\(8,1,1\),\(256,1,1\)>>>: grid size' \
    'a grid of 8 blocks leaves 124 of the 132 multiprocessors without work'
advice 1 small H200 'small copies 20 copies HtoD of 400 bytes .* 8000 bytes at once'
advice 1 blocking H200 'blocking copies 10 launches .* cudaMemcpyAsync'
echo "tools/advice: $passed passed, $failed failed"
[ $failed = 0 ]
