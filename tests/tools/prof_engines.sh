#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a profile counts of programs of tests/apps, interpreted and compiled: the
# same, launch by launch and instruction by instruction. Only programs serve
# whose lanes never wait for each other in a loop: how often such a loop runs is
# another matter each time.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

count() { # engine
    env LD_PRELOAD="$SW_PRELOAD" SOFTWARP_ENGINE="$1" \
        SOFTWARP_PROFILE="$work/$1" SOFTWARP_PROFILE_COUNT=1 \
        "$SW_BUILD/bin/softwarp" run "$work/app" >"$work/out" 2>&1 </dev/null
    grep '^[NR]' "$work/$1" | LC_ALL=C sort >"$work/$1.counts"
}

for name in common_divisor contraction half_arithmetic host_memory_compiled \
    language_features large_grid math_of_2008 block_loops_compiled \
    shuffle_overloads; do
    file=tests/apps/$name.cu
    cc=$(sed -n 's/^\/\/ cc: //p' "$file")
    # shellcheck disable=SC2086
    "$SW_BUILD/bin/softwarp" cc $cc "$file" -o "$work/app" >"$work/cc" 2>&1 ||
        cat "$work/cc"
    count interp
    count jit
    if [ -s "$work/jit.counts" ] &&
        cmp -s "$work/interp.counts" "$work/jit.counts"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$file: compiled code counts otherwise"
        diff "$work/interp.counts" "$work/jit.counts" | cut -c1-200 | head -4
    fi
    rm -f "$work/app" "$work/interp" "$work/jit"
done
echo "tools/prof_engines: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
