#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The gdb commands of tools/gdb/softwarp-gdb.py, where the second of four warps
# arrives at a barrier; a breakpoint by line in a compiled kernel.
: "${SW_BUILD:?run by ctest}"
cd "$(dirname "$0")/../.." || exit 1
command -v gdb >/dev/null || {
    echo "skip: gdb is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
# Warps run from barrier to barrier, one after the other.
export SOFTWARP_ENGINE=interp SOFTWARP_TURNS=0 ASAN_OPTIONS=detect_leaks=0

gdb -nx -batch -ex 'set startup-with-shell off' \
    -ex 'source tools/gdb/softwarp-gdb.py' \
    -ex 'break sw_engine_bar_arrive if warp->index == 1' -ex run \
    -ex 'softwarp blocks' -ex 'softwarp warp' -ex 'softwarp lanes' \
    -ex 'softwarp reg %r1 u32' -ex 'softwarp reg %r3 b32' \
    -ex 'softwarp warp 0' -ex 'softwarp reg %r1 s64' -ex 'softwarp warp 9' \
    -ex 'softwarp reg %rd9' -ex 'softwarp blocks 1' -ex softwarp -ex kill \
    -ex 'softwarp blocks' --args "$SW_BUILD/tests/ptx_engine" \
    tests/ptx/barrier_orders_shared_memory.ptx >"$work/out" 2>&1 </dev/null
if grep -Eq "ptrace: Operation not permitted|Python scripting is not" \
    "$work/out"; then
    echo "skip: gdb may not trace here, or has no Python"
    exit 77
fi

# expect NUMBER REGEX: so many lines match
expect() {
    got=$(grep -Ec -- "$2" "$work/out")
    if [ "$got" = "$1" ]; then
        passed=$((passed + 1))
    else
        echo "$got lines, wanted $1: $2"
        failed=$((failed + 1))
    fi
}

expect 1 '^\* 0  thread [0-9]+: \(0,0,0\) of reverse<<<\(1,1,1\),\(128,1,1\)>>>, 128 of 128 threads live, 4 warps$'
expect 2 '^[ *] warp 0: lanes 0xffffffff: waits at barrier 0: reverse, PTX line 19$'
expect 1 '^\* warp 1: lanes 0xffffffff: runs: reverse, PTX line 19$'
expect 2 '^  warp 3: lanes 0xffffffff: runs: reverse, PTX line 14$'
expect 1 '^ +0  thread \(32,0,0\) +runs: reverse, PTX line 19$'
expect 1 '^  31  thread \(63,0,0\) '
expect 1 '^%r1 \(u32\) of lanes 0xffffffff in reverse$'
expect 1 '^   0: 32 33 34 35 36 37 38 39$'
expect 1 '^  24: 0x000000e0 0x000000e4 .* 0x000000fc$'
expect 1 '^\* warp 0: '
expect 1 '^   8:  8  9 10 11 12 13 14 15$'
expect 1 'softwarp: there is no warp 9$'
expect 1 'softwarp: function reverse has no register %rd9$'
expect 1 'softwarp: there is no block 1$'
expect 1 'softwarp: one of: break PLACE, blocks, warp, lanes, reg NAME$'
expect 1 'softwarp: no program is running$'

# A compiled kernel: a breakpoint by line, the way there, its name; the 31st of
# its warps, which is the third of a block that compiled code has come to by
# itself. What shows that it went on is the program's result: gdb, as threads end
# at its exit, may fail to read their registers.
cat >"$work/line.cu" <<'CU'
#include <cstdio>
__global__ void scale(float *x, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] *= by;
}
int main(int, char **args)
{
    float *x, first = 2;
    cudaMalloc((void **)&x, 1000 * 128 * sizeof *x);
    cudaMemcpy(x, &first, sizeof first, cudaMemcpyDefault);
    scale<<<1000, 128>>>(x, 3.0f);
    cudaMemcpy(&first, x, sizeof first, cudaMemcpyDefault);
    FILE *to = fopen(args[1], "w");
    fprintf(to, "%g\n", first);
    return fclose(to);
}
CU
"$SW_BUILD/bin/softwarp" cc -lineinfo "$work/line.cu" -o "$work/line" ||
    failed=$((failed + 1))
SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0 SOFTWARP_THREADS=1 SOFTWARP_JIT_FUSE=1 \
    LD_LIBRARY_PATH=$SW_BUILD/lib gdb -nx -batch -ex 'set startup-with-shell off' \
    -ex 'source tools/gdb/softwarp-gdb.py' \
    ${SW_PRELOAD:+-ex "set environment LD_PRELOAD $SW_PRELOAD"} \
    -ex 'set breakpoint pending on' -ex 'break line.cu:4' -ex run -ex bt \
    -ex 'info symbol $pc' -ex 'ignore 1 30' -ex c -ex 'softwarp blocks' \
    -ex 'softwarp warp' -ex 'softwarp lanes' -ex delete -ex c --args "$work/line" \
    "$work/result" >>"$work/out" 2>&1 </dev/null
cat "$work/result" >>"$work/out"
expect 2 'hit Breakpoint 1, scale \(\) at .*/line\.cu:4$'
expect 1 '^#0 +scale \(\) at .*/line\.cu:4$'
expect 1 '^#[0-9]+ .*sw_fiber_first \(\)'
expect 1 '^\* 0  thread [0-9]+: \(7,0,0\) of scale\(float\*, float\)<<<\(1000,1,1\),\(128,1,1\)>>>, 64 of 128 threads live, 4 warps$'
expect 2 '^  warp [01]: has ended$'
expect 1 '^\* warp 2: lanes 0xffffffff: runs compiled code: scale\(float\*, float\), .*/line\.cu:4$'
expect 1 '^  warp 3: lanes 0xffffffff: has not begun: scale\(float\*, float\), .*/line\.cu:'
expect 1 '^warp 2 of block \(7,0,0\)$'
expect 1 '^   0  thread \(64,0,0\) +runs compiled code: scale\(float\*, float\), .*/line\.cu:4$'
expect 1 '^6$'
expect 0 'corrupt stack|outermost\?'

# `softwarp gdb`: a place of the source in both of a block's warps, by whichever
# engine; a kernel by its name, said while the program is stopped.
cat >"$work/stop.cu" <<'CU'
__global__ void first(int *x)
{
    int i = threadIdx.x;
    if (i >= 32)
        x[i] = i;
}
__global__ void second(int *x)
{
    x[threadIdx.x] += 1;
}
int main()
{
    int *x;
    cudaMalloc((void **)&x, 64 * sizeof *x);
    first<<<1, 64>>>(x);
    second<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
CU
"$SW_BUILD/bin/softwarp" cc -lineinfo "$work/stop.cu" -o "$work/stop" ||
    failed=$((failed + 1))
SOFTWARP_ENGINE=auto "$SW_BUILD/bin/softwarp" gdb -nx -batch \
    -ex 'set startup-with-shell off' -ex 'softwarp break stop.cu:5' -ex run \
    -ex 'softwarp break second' -ex 'softwarp warp' -ex c -ex c -ex c \
    --args "$work/stop" >"$work/out" 2>&1 </dev/null
expect 1 '^softwarp: warp 1 of block \(0,0,0\), lanes 0xffffffff, comes to stop\.cu:5 in first\(int\*\)$'
expect 1 '^\* warp 1: lanes 0xffffffff: runs: first\(int\*\), .*/stop\.cu:5 \(PTX line [0-9]+\)$'
expect 1 '^softwarp: warp 0 of block \(0,0,0\), lanes 0xffffffff, comes to second in second\(int\*\)$'
expect 1 'exited normally'
[ $failed = 0 ] || cat "$work/out"
echo "tools/gdb: $passed passed, $failed failed"
[ $failed = 0 ]
