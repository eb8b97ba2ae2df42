#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp run` has an nvcc for builds and programs on machines without one;
# what -cubin makes is loaded like machine code.
. "$(dirname "$0")/checks.inc"
cat >k.cu <<'CU'
extern "C" __global__ void k(int *p) { *p = 7; }
CU
cat >build.sh <<'SH'
set -e
nvcc --version | grep -q "release 13\.0"
nvcc --cubin -arch=sm_80 k.cu -o k.cubin
nvcc -O2 "$SW_SOURCE/tests/load_image.cu" -o load -lcuda
SH
# Nothing but the system's tools, which may have an nvcc of their own.
PATH=/usr/bin:/bin
export PATH
if command -v nvcc >/dev/null; then
    echo "skip: there is an nvcc in $PATH"
    exit 77
fi
check "a build finds nvcc" run sh build.sh
check "the cubin is loaded" sh -c "test \"\$($SW_BUILD/bin/softwarp run ./load k.cubin)\" = 7"
mkdir other && ln -s /bin/true other/nvcc
check "another nvcc comes first" run env PATH="$work/other:$PATH" sh -c \
    'test "$(command -v nvcc)" = "$PWD/other/nvcc"'
compiles "to its own name" -cubin k.cu
check "... which is k.cubin" test -s k.cubin
finish
