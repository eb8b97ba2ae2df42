#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp devices` and `softwarp occupancy`: listing, names, user's devices,
# limiter and advice, and what they refuse.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# expect STATUS REGEX argument...: a line of the output matches
expect() {
    want=$1 regex=$2
    shift 2
    "$SW_BUILD/bin/softwarp" "$@" >"$work/out" 2>&1
    got=$?
    if [ $got = "$want" ] && grep -Eq -- "$regex" "$work/out"; then
        passed=$((passed + 1))
    else
        echo "softwarp $*: status $got, wanted $want and a line $regex"
        cat "$work/out"
        failed=$((failed + 1))
    fi
}

expect 0 '^GeForce GTX 280 +GT200 +1\.3 +30 +1296 +1024 +141\.7' devices
expect 0 'reported to programs as +NVIDIA H200' devices H200
expect 0 '"max_threads_per_block": 512' devices '8800 GTX' --json
expect 1 'did you mean A100' devices A100
expect 0 'registers per SM +16384' devices --cc 1.3
expect 2 'not understood' devices --nonsense
printf 'name = Mine\nlike = GTX 280\nsm_count = 2\n' >"$work/mine"
expect 0 'multiprocessors +2$' devices --file "$work/mine" mine
printf 'name = Mine\nspeed = 2\n' >"$work/bad"
expect 1 'bad:2: error: unknown key "speed"' devices --file "$work/bad"
expect 0 '3 blocks, 24 of 32 warps: occupancy 75\.00%' \
    occupancy --cc 1.3 --threads 256 --regs 17 --smem 4160
expect 0 'with 16 registers a thread .* there would be 4 blocks' \
    occupancy --cc 1.3 --threads 256 --regs 17
expect 0 'limited by block slots' \
    occupancy --device 'GTX 680' --threads 96 --regs 40
expect 0 '"limiter": "shared memory"' occupancy --threads 32 --smem 90000 --json
expect 2 'missing or 0' occupancy --regs 3
echo "tools/devices: $passed passed, $failed failed"
[ $failed = 0 ]
