#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is said of a kernel that went wrong, and with what status the program
# ends; calls that fail, in the log.
cd "$(dirname "$0")/../.." || exit 1
SW_BUILD=${SW_BUILD:-build}
. tests/expect.sh

run() {
    LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" run "$@"
}

# has REGEX: a line of what the last program said matches
has() {
    if grep -Eq -- "$1" "$work/out"; then
        passed=$((passed + 1))
    else
        echo "no line has $1:"
        cat "$work/out"
        failed=$((failed + 1))
    fi
}

cat >"$work/wild.cu" <<'CU'
#include <cassert>
#include <cstdlib>
#include <cuda_runtime.h>
__device__ int table[16];
__global__ void store(int *p) { p[threadIdx.x] = 1; }
__global__ void scale(int *p, int i) { p[i * 1000000] = 1; }
__global__ void expect_one(int v) { assert(v == 1); }
int main(int argc, char **argv)
{
    int kind = atoi(argv[1]), x, *p;
    cudaMalloc(&p, 1 << 22);
    if (kind == 1) store<<<1, 32>>>(&x);
    if (kind == 2) { cudaFree(p); store<<<1, 20>>>(p + 5); }
    if (kind == 3) scale<<<1, 1>>>(p, 3000);
    if (kind == 4) store<<<1, 8>>>(table);
    if (kind == 5) expect_one<<<1, 8>>>(0);
    if (kind == 6) store<<<1, 8>>>((int *)malloc(64));
    if (kind == 7) store<<<1, 1>>>(p + ((size_t)1 << 32));
    cudaDeviceSynchronize();
    cudaFree((void *)12345);
    return 0;
}
CU
"$SW_BUILD/bin/softwarp" cc "$work/wild.cu" -o "$work/wild" || exit 1
for engine in interp jit; do
    SOFTWARP_ENGINE=$engine
    export SOFTWARP_ENGINE
    expect 0 "by 32 of the warp's 32 threads" "$work/wild" 1
    has '^ +kernel: store\(int\*\)$'
    has '^ +at: [^ ]*/wild\.cu:5$'
    has "host memory: the program's stack"
    expect 0 'freed: byte 20 of 4194304 bytes of device memory' "$work/wild" 2
    has "by 20 of the warp's 20 threads"
    expect 0 'its index is -1294967296: a product of 32 bits that overflowed \(3000000000\)' \
        "$work/wild" 3
    expect 0 "host memory: the host's copy of the device variable table;" \
        "$work/wild" 4
    expect 0 'assertion `v == 1` failed, [^ ]*/wild\.cu:7, in ' "$work/wild" 5
    has '^ +at: [^ ]*/wild\.cu:7$'
    expect 0 'host memory: as of malloc or new' "$work/wild" 6
    expect 0 'an index of 32 bits overflowed\? The address is 2\^34 bytes behind byte 0 of 4194304 bytes' \
        "$work/wild" 7
    expect 9 'kernel: store' --error-exitcode 9 "$work/wild" 1
    expect 9 'kernel: store' --error-exitcode=9 "$work/wild" 2
    if run --error-exitcode 9 "$work/wild" 0; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
# For other programs: a line of JSON for each, at the end of a file that may have
# some already.
expect 0 'by 32 of the warp' --faults "$work/faults.json" "$work/wild" 1
expect 0 'freed: byte 20' --faults="$work/faults.json" "$work/wild" 2
run --faults "$work/faults.json" "$work/wild" 0 >"$work/out" 2>&1
cp "$work/faults.json" "$work/out"
has '^\{"message": "illegal address: st of 4 bytes .*", "kernel": "store\(int\*\)", "file": "[^"]*/wild\.cu", "line": 5, "block": \[0, 0, 0\], "thread": \[0, 0, 0\], "address": "0x[0-9a-f]+", "status": "an illegal memory access was encountered", "process": [0-9]+, "report": "[^"]*\\u000a    kernel: store'
has '^\{.*freed: byte 20 of 4194304 bytes.*\}$'
if [ "$(wc -l <"$work/faults.json")" = 2 ]; then
    passed=$((passed + 1))
else
    echo "not two faults:"
    cat "$work/faults.json"
    failed=$((failed + 1))
fi
expect 0 'SOFTWARP_FAULTS=/nowhere/faults .*: No such file or directory' \
    --faults /nowhere/faults "$work/wild" 1
# Where the program launched it: of several launches from one line the one that
# failed by its callers; lines where the program has them.
cat >"$work/twice.cu" <<'CU'
#include <cuda_runtime.h>
__global__ void store(int *p) { *p = 1; }
__attribute__((noinline)) void step(int *p) { store<<<1, 1>>>(p); }
__attribute__((noinline)) void good(int *p) { step(p); __asm__(""); }
__attribute__((noinline)) void bad(int *p) { step(p); __asm__(""); }
int main()
{
    int *p;
    cudaMalloc(&p, 4);
    for (int i = 0; i < 100; i++)
        good(p);
    bad((int *)8);
    return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
CU
if command -v addr2line >/dev/null; then
    "$SW_BUILD/bin/softwarp" cc -g "$work/twice.cu" -o "$work/twice" || exit 1
    expect 0 'launched at: step\(int\*\) \([^ ]*/twice\.cu:3\), called by bad\(int\*\) \([^ ]*/twice\.cu:5\), called by main \([^ ]*/twice\.cu:12\)$' \
        "$work/twice"
fi
SOFTWARP_LOG=info
export SOFTWARP_LOG
expect 0 '^softwarp: cudaFree\(devPtr=0x3039\) = cudaErrorInvalidValue$' \
    "$work/wild" 0
if grep -q cudaMalloc "$work/out"; then
    echo "a call that did not fail is in the log"
    failed=$((failed + 1))
fi
SOFTWARP_LOG=debug
expect 0 '^softwarp: cudaMalloc\(devPtr=&0x[0-9a-f]+, size=4194304\) = cudaSuccess$' \
    "$work/wild" 0
SOFTWARP_LOG=warn
run "$work/wild" 0 >"$work/out" 2>&1
if [ -s "$work/out" ]; then
    echo "calls are said where nobody asked:"
    cat "$work/out"
    failed=$((failed + 1))
else
    passed=$((passed + 1))
fi
echo "tools/faults: $passed passed, $failed failed"
[ $failed = 0 ]
