#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp run --clock=device`: events tell what a device would take, not this
# machine: copies at the rate of the bus, copies beside kernels, kernels one after
# the other, each as long as `softwarp predict` says.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

check() { # name, awk condition on the values of `times`
    if awk "{ v[\$1] = \$2 } END { exit !($2) }" times; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not true: $1 ($2)"
        cat times
    fi
}

cat >app.cu <<'CU'
#include <cstdio>
__global__ void work(float *o, int n)
{
    float v = threadIdx.x;
    for (int i = 0; i < n; i++)
        v = v * 1.01f + 0.5f;
    o[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void copy(float *o, const float *p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    o[i] = p[i];
}
static cudaEvent_t a, b;
static void begin(cudaStream_t s = 0) { cudaEventRecord(a, s); }
static void end(const char *what, cudaStream_t s = 0)
{
    float ms;
    cudaEventRecord(b, s);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    printf("%s %.3f\n", what, ms * 1000);
}
int main()
{
    const int bytes = 8 << 20, blocks = 2048;
    float *d, *e, *pinned;
    static float pageable[bytes / sizeof(float)];
    cudaStream_t s, t;
    cudaMalloc(&d, bytes);
    cudaMalloc(&e, bytes);
    cudaMallocHost(&pinned, bytes);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    begin(), end("nothing");
    begin(), copy<<<4 * blocks, 256>>>(d, e), end("cold");
    begin(), copy<<<4 * blocks, 256>>>(d, e), end("warm");
    begin(), work<<<blocks, 256>>>(d, 500), end("one");
    begin();
    for (int i = 0; i < 4; i++)
        work<<<blocks, 256>>>(d, 500);
    end("four");
    begin(), cudaMemcpy(d, pinned, bytes, cudaMemcpyDefault), end("pinned");
    begin(), cudaMemcpy(d, pageable, bytes, cudaMemcpyDefault), end("pageable");
    begin(), cudaMemcpy(e, d, bytes, cudaMemcpyDefault), end("inside");
    begin(), cudaMemset(d, 0, bytes), end("fill");
    cudaDeviceSynchronize();
    begin(s);
    cudaStreamWaitEvent(t, a);
    cudaMemcpyAsync(e, pinned, bytes, cudaMemcpyDefault, t);
    work<<<blocks, 256, 0, s>>>(d, 10000);
    cudaEvent_t copied;
    cudaEventCreate(&copied);
    cudaEventRecord(copied, t);
    cudaStreamWaitEvent(s, copied);
    end("both", s);
    begin(s), work<<<blocks, 256, 0, s>>>(d, 10000), end("long", s);
    begin(s), work<<<8, 256, 0, s>>>(d, 10000), end("small", s);
    begin(s);
    cudaStreamWaitEvent(t, a);
    work<<<8, 256, 0, s>>>(d, 10000);
    work<<<8, 256, 0, t>>>(d, 10000);
    cudaEventRecord(copied, t);
    cudaStreamWaitEvent(s, copied);
    end("beside", s);
    return cudaDeviceSynchronize() != cudaSuccess;
}
CU
"$softwarp" cc app.cu -o app || { echo "tools/clock: 0 passed, 1 failed"; exit 1; }

# What an H200 takes: tests/truth, shared figures of copies (8 MiB at 55 and 18
# GB/s); what a kernel takes is in tests/tools/predict.sh and tests/model.
"$softwarp" run --clock=device --device H200 ./app >times
check "a mark takes what it does between two events" 'v["nothing"] > 1 && v["nothing"] < 5'
check "four kernels take four times one" 'v["four"] - v["nothing"] > 3.9 * (v["one"] - v["nothing"]) && v["four"] - v["nothing"] < 4.1 * (v["one"] - v["nothing"])'
check "the first meets an empty L2" 'v["cold"] > v["warm"]'
check "pinned memory moves at the rate of PCIe 5.0" 'v["pinned"] > 150 && v["pinned"] < 175'
check "pageable memory at a third of it" 'v["pageable"] > 2.5 * v["pinned"] && v["pageable"] < 3.5 * v["pinned"]'
check "a copy inside takes less than one over the bus" 'v["inside"] < v["pinned"] / 5'
check "a fill less than a copy" 'v["fill"] < v["inside"]'
check "a copy beside a longer kernel hides" 'v["both"] < v["long"] + 6 && v["long"] > v["pinned"]'
check "small kernels of two streams run side by side" 'v["beside"] < 1.2 * v["small"]'
mv times h200
"$softwarp" run --clock=device --device H200 --threads 1 ./app >times
# Addresses differ from run to run, and with them places in L2.
awk 'NR == FNR { v[$1] = $2; next }
    { d = $2 / v[$1] - 1; if (d > 0.005 || d < -0.005) print }' times h200 >apart
if [ -s apart ]; then
    failed=$((failed + 1))
    echo "times differ from run to run"
    cat apart times
else
    passed=$((passed + 1))
fi

# A GTX 280 has one engine for copies, runs one kernel at a time, and PCIe 2.0.
"$softwarp" run --clock=device --device 'GTX 280' ./app >times
check "pinned memory moves at the rate of PCIe 2.0" 'v["pinned"] > 1550 && v["pinned"] < 1700'
mv times gtx280
"$softwarp" run --clock=host ./app >times
if awk 'NR == FNR { v[$1] = $2; next } $2 == v[$1] { same++ } END { exit same > 2 }' \
    h200 times; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "without it the times are the device's too"
    cat times
fi
"$softwarp" run --clock=sun ./app 2>times
check "another clock is refused" 'NR == 1'
grep -q "takes device or host, not 'sun'" times && passed=$((passed + 1)) ||
    { failed=$((failed + 1)); cat times; }
echo "tools/clock: $passed passed, $failed failed"
[ $failed = 0 ]
