#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp info` on what nvcc made (tests/data/fatbin), whole and damaged.
: "${SW_BUILD:?run by ctest}"
cd "$(dirname "$0")/../.." || exit 1
data=tests/data/fatbin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# expect STATUS FILE REGEX...: each matches a line of the output
expect() {
    want=$1 file=$2 good=1
    shift 2
    "$SW_BUILD/bin/softwarp" info "$file" >"$work/out" 2>&1
    got=$?
    [ $got = "$want" ] || { echo "info $file: status $got"; good=0; }
    for regex; do
        grep -Eq -- "$regex" "$work/out" && continue
        echo "info $file: no line matches $regex"
        cat "$work/out"
        good=0
    done
    passed=$((passed + good)) failed=$((failed + 1 - good))
}

expect 0 $data/default.fatbin 'PTX for compute_75, version 9\.0.*zstd' \
    'machine code for sm_75' 'kernel scale' 'All of its device code carries PTX'
expect 0 $data/speed.fatbin 'PTX for compute_90.*LZ4'
expect 0 $data/sass.fatbin "can't run.*arch=compute_80,code=compute_80"
expect 0 $data/variants.fatbin compute_90a compute_100f
expect 0 $data/shared_program 'runtime: shared, libcudart.so.13'
expect 0 $data/rdc.o 'left to the linker' 'kernel apply'
expect 0 $data/kernels.ptx 'kernel _Z4fillPi'
head -c 300 $data/default.fatbin >"$work/cut"
expect 1 "$work/cut" 'cut off at byte 300'
expect 1 "$work/none" "can't read"
expect 0 "$(command -v ls)" 'no device code'
echo "tools/info: $passed passed, $failed failed"
[ $failed = 0 ]
