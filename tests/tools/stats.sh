#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What SOFTWARP_STATS says of launches, interpreted and compiled: the same. Of
# many blocks that a few threads run in rows, of warps that leave compiled code
# in the middle, of code in several parts.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
"$SW_BUILD/bin/softwarp" cc -O2 -arch=sm_90 tests/apps/block_loops_compiled.cu \
    -o "$work/app" || failed=1

# count SETTING...: the lines of all launches, without the time
count() {
    env LD_PRELOAD="$SW_PRELOAD" SOFTWARP_STATS=1 SOFTWARP_THREADS=2 "$@" \
        "$SW_BUILD/bin/softwarp" run "$work/app" 2>&1 </dev/null |
        sed -n 's/^softwarp: stats: \(.*\) time_ns .*/\1/p'
}

count SOFTWARP_ENGINE=interp >"$work/interp"
for setting in SOFTWARP_JIT_FUSE=1 SOFTWARP_JIT_FUSE=8 \
    SOFTWARP_TUNE=jit.partition_size=9,jit.partition_whole=0; do
    count SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0 $setting >"$work/jit"
    if [ -s "$work/jit" ] && cmp -s "$work/interp" "$work/jit"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$setting: compiled code counts otherwise"
        diff "$work/interp" "$work/jit" | head -4
    fi
done
echo "tools/stats: $passed passed, $failed failed"
[ "$failed" = 0 ]
