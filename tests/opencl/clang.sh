#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang.sh: that our build of clang (src/cc/clang) writes and says what the clang
# that is installed does: of right programs, of wrong ones, of wrong options.
cd "$(dirname "$0")/../.." || exit 1
SW_BUILD=${SW_BUILD:-build}
set -- "$SW_BUILD"/lib/softwarp-clang-*
[ -x "$1" ] || {
    echo "skip: it is not built; that needs libclang-N-dev"
    exit 77
}
version=${1##*-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

same() { # arguments of softwarp clc
    "$SW_BUILD/bin/softwarp" clc "$@" >"$work/ours" 2>&1
    echo "status $?" >>"$work/ours"
    SOFTWARP_CLANG=$version "$SW_BUILD/bin/softwarp" clc "$@" \
        >"$work/theirs" 2>&1
    echo "status $?" >>"$work/theirs"
    sed -i 's/softwarp-compile-[A-Za-z0-9]*/FOLDER/' "$work/ours" \
        "$work/theirs"
    if cmp -s "$work/ours" "$work/theirs"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "clc $*:"
        diff "$work/theirs" "$work/ours" | head -n 20
    fi
}

echo 'kernel void k(global int *p) { int unused; *p = nothing + 1; }' \
    >"$work/wrong.cl"
echo '#include "missing.h"' >"$work/include.cl"
echo 'int helper(int); kernel void k(global int *p) { *p = helper(1); }' \
    >"$work/undefined.cl"
same examples/opencl/matmul.cl
same -cl-fast-relaxed-math -cl-denorms-are-zero examples/opencl/matmul.cl
same -cl-opt-disable tests/opencl/kernels/calls.cl
same -cl-std=CL3.0 tests/opencl/kernels/calls.cl
same -c tests/opencl/kernels/inline.cl
same -w "$work/wrong.cl"
same -Werror "$work/wrong.cl"
same "$work/wrong.cl"
same "$work/include.cl"
same "$work/undefined.cl"
same -cl-std=CL9 "$work/undefined.cl"
same -D "$work/undefined.cl"
grep -q '^status 1$' "$work/ours" || failed=$((failed + 1))
echo "opencl/clang: $passed passed, $failed failed"
[ $failed = 0 ]
