#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Some of docs/seeds.md: programs that measure themselves print what the documents
# of 2008 to 2014 state of the devices that they name.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
here=$PWD
[ -f bench/stated/seeds.cu ] || here=$SW_SOURCE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
"$softwarp" cc -O3 "$here/bench/stated/seeds.cu" -o "$work/seeds" || {
    echo "tools/seeds: 0 passed, 1 failed"
    exit 1
}

check() { # device, what, name, least, most
    value=$("$softwarp" run --clock=device --device "$1" "$work/seeds" "$2" </dev/null |
        sed -n "s/^$3 //p")
    if awk -v v="$value" -v a="$4" -v b="$5" 'BEGIN { exit !(v != "" && v >= a && v <= b) }'; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: $3 is '$value', not $4 to $5"
    fi
}

check 'GTX 280' hide hiding_threads 192 192
check '8800 GTX' hide hiding_warps 6 6
check 'GTX 280' latency register_latency 23 25
check '8800 GTX' latency global_latency 400 600
check '8800 GTX' ratios ratio_4 7 13
check '8800 GTX' ratios ratio_8 3 5
check '8800 GTX' ratios ratio_16 1.5 2.5
check '8800 GTX' pinned pinned_rate 3.1 3.3
check 'GTX 280' pinned pinned_rate 5.1 5.3
check 'GTX 680' pageable pageable_up_us 680 750
check 'GTX 280' fd3d fd3d_mpoints 2000 4000
echo "tools/seeds: $passed passed, $failed failed"
[ "$failed" = 0 ]
