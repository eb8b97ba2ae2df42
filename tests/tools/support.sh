#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp support`: answers for one name; docs/support.md is what it writes;
# and of what real programs use (tests/data/census) exactly what missing.txt
# says is not supported. With --write it writes these two.
cd "$(dirname "$0")/../.." || exit 1
SW_BUILD=${SW_BUILD:-build}
softwarp=$SW_BUILD/bin/softwarp
census=tests/data/census
. tests/expect.sh

run() {
    "$softwarp" support "$@"
}

# same FILE NEW: they are equal
same() {
    if cmp -s "$1" "$2"; then
        passed=$((passed + 1))
    else
        echo "$1 is not current: run sh tests/tools/support.sh --write"
        diff "$1" "$2" | head -n 20
        failed=$((failed + 1))
    fi
}

"$softwarp" support --markdown >"$work/support.md" || exit 1
{
    echo '# What programs use (ptx.txt, runtime.txt, driver.txt) and is not'
    echo '# supported, or partly. Written by tests/tools/support.sh --write.'
    for list in ptx runtime driver; do
        "$softwarp" support - <$census/$list.txt | grep -v ': done$'
    done
} >"$work/missing.txt"
if [ "$1" = --write ]; then
    cp "$work/support.md" docs/support.md
    cp "$work/missing.txt" $census/missing.txt
fi
same docs/support.md "$work/support.md"
same $census/missing.txt "$work/missing.txt"
sed -n '3,$p' "$work/missing.txt"
for list in ptx runtime driver; do
    echo "$list: $("$softwarp" support - <$census/$list.txt |
        grep -c ': done$') of $(grep -c . $census/$list.txt) done"
done

# the command's own tables: each example is taken, each missing one is not
if "$softwarp" support --check; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi
expect 0 '^atom\.global\.add\.f32: done$' atom.global.add.f32
expect 0 '^  types: .*\.f64 .*\.f16x2' add
expect 0 '^  modifiers: .*\.xorsign' min
expect 1 '^atom\.global\.mul\.f32: not supported' atom.global.mul.f32
expect 1 '^  instead: mma\.sync' tcgen05.wait::ld.sync.aligned
expect 1 '^  instead: im2col' cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes
expect 0 ': done' cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
expect 1 '^frobnicate\.u32: unknown' frobnicate.u32
expect 1 'add\.u7: not supported' add.u7
expect 0 '^%envreg2: done$' %envreg2
expect 1 '^%tid\.q: not supported' %tid.q
expect 0 '^cudaMalloc: done$' cudaMalloc
expect 0 '^cuMemAlloc: done$' cuMemAlloc
expect 0 '^cuTexObjectCreate: partial: ' cuTexObjectCreate
expect 0 '^cuLaunchKernelEx: done$' cuLaunchKernelEx
expect 0 '^cudaIpcGetMemHandle: done$' cudaIpcGetMemHandle
expect 1 '^  instead: copies through host' cuGraphicsMapResources
expect 1 '^cudaNonsense: unknown' cudaNonsense
expect 1 '^cudaMallocc: unknown: .*did you mean cudaMalloc' cudaMallocc

# Instructions in part.
for name in mbarrier.try_wait red.async suld.b sust.p mma.sp \
    cp.reduce.async.bulk atom.global.add ld.global cvt.rni; do
    expect 0 "^$name: done: for example $name" $name
done
expect 0 '^cp\.async\.bulk: partial: done is .*, not supported for example cp\.async\.bulk\.tensor' \
    cp.async.bulk
expect 0 '^cvt\.rn: partial: ' cvt.rn
expect 1 '^tcgen05: not supported' tcgen05
expect 1 '^add\.u7: not supported' add.u7

# Names of CUDA C++, headers, libraries, built-ins.
if command -v clang-19 >/dev/null || command -v clang >/dev/null; then
    for name in printf tex2D __shfl_sync __shfl threadIdx atomicAdd \
        __syncthreads assert __half2 __ldg float4 __launch_bounds__; do
        expect 0 "^$name: done: #include <" $name
    done
    expect 0 '^curand_init: done: #include <curand_kernel\.h>$' curand_init
    expect 0 '^cooperative_groups::this_grid: done: #include <coop' \
        cooperative_groups::this_grid
    expect 0 'a built-in of the compiler$' __builtin_rotateleft8
    expect 1 '^fopen: not supported in kernels: a function of the host' fopen
    expect 1 '^foo: unknown' foo
    expect 1 '^printd: unknown: .*did you mean .*printf' printd
fi
expect 0 '^cooperative_groups: done' cooperative_groups
expect 0 '^cuda_fp16\.h: done: #include <cuda_fp16\.h>$' cuda_fp16.h
for name in cudart libcudart.so.12 libcuda.so.1; do
    expect 0 "^$name: done" $name
done
for name in cublas cublas_v2.h libcublas.so.12 cublasSgemm thrust \
    thrust/sort.h; do
    run $name >"$work/a"
    # Whether it is here or not, it is no secret, and if not, what to do.
    if grep -Eq "^$name: (done|partial|not there)" "$work/a" &&
        { grep -q ': done' "$work/a" || grep -q '^  instead: ' "$work/a"; }; then
        passed=$((passed + 1))
    else
        cat "$work/a"
        failed=$((failed + 1))
    fi
done
expect 0 '^cublasSgemm: done: a function of cuBLAS$' cublasSgemm
expect 1 '^cublasXtSspmm: not supported: it returns an error' cublasXtSspmm
expect 0 '^__cudaRegisterFatBinary: done$' --runtime
expect 0 '^usage:' --help
expect 2 'not understood' --nonsense

echo "tools/support: $passed passed, $failed failed"
[ $failed = 0 ]
