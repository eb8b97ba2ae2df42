#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp devices` and `softwarp occupancy`: listing, names, user's devices,
# limiter and advice, and what they refuse.
. "$(dirname "$0")/../expect.sh"

run() {
    LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" "$@"
}

expect 0 '^GeForce GTX 280 +GT200 +1\.3 +30 +1296 +1024 +141\.7' devices
expect 0 'reported to programs as +NVIDIA H200' devices H200
expect 0 '"max_threads_per_block": 512' devices '8800 GTX' --json
expect 0 '"A100" is taken to be "A100 SXM4 40 GB"' devices A100
expect 1 'did you mean GeForce RTX 4090\?' devices 4091
expect 0 'reported to programs as +NVIDIA GB200' devices GB200
expect 0 '^Jetson AGX Thor$' devices --names
expect 0 'registers per SM +16384' devices --cc 1.3
expect 2 'not understood' devices --nonsense
expect 1 'capability 9\.9 is not known; there are 1\.0, .*, 12\.0$' devices --cc 9.9
expect 1 'capability 1\.4 is not known' devices --cc 1.4 --json
expect 0 'limits of 10\.3 are taken to be those of 10\.0' devices --cc 10.3
expect 2 'capability 9\.9 is not known' occupancy --cc 9.9 --threads 64
expect 2 '"zero" is no compute capability' occupancy --cc zero --threads 64
expect 0 'no launch: at most 1024 threads a block' occupancy --threads 1025
expect 0 'no launch: at most 255 registers a thread' \
    occupancy --threads 64 --regs 256
expect 0 'no launch: at most 232448 bytes of shared memory a block' \
    occupancy --threads 64 --smem 232449
expect 0 'partitions change every +256 bytes' devices '8800 GTX'
expect 0 'max_threads_per_block +512' devices '8800 GTX'
expect 0 'which may be +16, 32, 48 KiB' devices --cc 3.0
expect 0 '"smem_config_kb": \[16, 32, 48\]' devices --cc 3.0 --json

expect 0 '"cc": "1\.3", .*"shader_mhz": 1296, .*"mem_size_mb": 1024, ' \
    devices 'GTX 280' --json
expect 0 '"warp_size": 32, .*"max_block": \[512, 512, 64\], ' \
    devices 'GTX 280' --json

# Devices of the user's: by option, by the environment, from the usual place.
printf 'name = Mine\nlike = GTX 280\nsm_count = 2\n' >"$work/mine"
printf 'name = Next\nlike = Mine\nmem_size_mb = 64\n' >"$work/next"
printf 'name = Mine\nspeed = 2\n' >"$work/bad"
expect 0 'multiprocessors +2$' devices --device-file "$work/mine" mine
expect 0 '^Mine +GT200 +1\.3 +2 ' devices --device-file "$work/mine"
expect 1 'bad:2: error: unknown key "speed"' devices --device-file "$work/bad"
printf 'name = Mine\nsm_count = 2\ncc = 9.9\n' >"$work/unknown"
expect 1 'unknown:3: error: compute capability 9\.9 is not known; there are 1\.0, ' \
    devices --device-file "$work/unknown"
printf 'name = Mine\nsm_count = 2\ncc = 12.1\n' >"$work/variant"
expect 0 '^Mine +12\.1 +2 ' devices --device-file "$work/variant"
expect 1 'none: error: can.t read the file' devices --device-file "$work/none"
expect 0 '^Next, compute capability 1\.3' \
    occupancy --device next --threads 64 --device-file "$work/mine" \
    --device-file "$work/next"
expect 2 'no single device is called "Mine"' run --device Mine true
expect 0 '^$' run --device Mine --device-file "$work/mine" echo
expect 2 'bad:2: error' run --device-file "$work/bad" true
SOFTWARP_DEVICE_FILE="$work/mine:$work/next"
export SOFTWARP_DEVICE_FILE
expect 0 '^ +memory +64 MiB' devices Next
expect 0 '3 blocks, 24 of 32' \
    occupancy --device Next --threads 256 --regs 17 --smem 4160
cat >"$work/query.c" <<'C'
#include <stdio.h>
#include "cuda.h"
int main(void)
{
    char name[64];
    int sms = 0;
    size_t bytes = 0;
    if (cuInit(0) || cuDeviceGetName(name, 64, 0) ||
        cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                             0) ||
        cuDeviceTotalMem(&bytes, 0))
        return 1;
    printf("%s %d %zu\n", name, sms, bytes >> 20);
    return 0;
}
C
cat >"$work/occupancy.c" <<'C'
#include <stdio.h>
#include "softwarp/occupancy.h"
int main(void)
{
    sw_occupancy_launch launch = {
        .threads = 256, .registers = 17, .dynamic_smem = 4160};
    sw_occupancy_result r;
    int status = sw_occupancy_of_device("next", &launch, &r);
    printf("%d: %u of %u\n", status, (unsigned)r.warps, (unsigned)r.max_warps);
    return 0;
}
C
if cc -I include "$work/occupancy.c" -o "$work/occupancy" \
    -L "$SW_BUILD/lib" -lsoftwarp 2>"$work/cc"; then
    expect 0 '^0: 24 of 32$' run "$work/occupancy"
elif [ -z "$SW_PRELOAD" ]; then
    cat "$work/cc"
    failed=$((failed + 1))
fi
if cc -I include/cuda "$work/query.c" -o "$work/query" -L "$SW_BUILD/lib" \
    -lcuda 2>"$work/cc"; then
    expect 0 '^Next 2 64$' run --device next "$work/query"
    SOFTWARP_DEVICE_FILE="$work/mine:$work/bad"
    expect 2 'bad:2: error: unknown key' run --device Mine "$work/query"
    SOFTWARP_DEVICE=Mine LD_LIBRARY_PATH="$SW_BUILD/lib" \
        LD_PRELOAD="${SW_PRELOAD:-}" \
        "$work/query" >"$work/out" 2>&1
    if grep -q '^Mine 2 1024$' "$work/out" &&
        grep -q 'bad:2: error: unknown key' "$work/out"; then
        passed=$((passed + 1))
    else
        cat "$work/out"
        failed=$((failed + 1))
    fi
elif [ -n "$SW_PRELOAD" ]; then
    echo "query.c: not linked to a library with a sanitizer"
else
    cat "$work/cc"
    failed=$((failed + 1))
fi
unset SOFTWARP_DEVICE_FILE
mkdir -p "$work/config/softwarp" "$work/home/.config/softwarp"
cp "$work/mine" "$work/config/softwarp/devices"
printf 'name = GeForce GTX 280\nlike = GTX 280\nsm_count = 3\n' \
    >"$work/home/.config/softwarp/devices"
HOME=$work/home
export HOME
unset XDG_CONFIG_HOME
expect 0 'multiprocessors +3$' devices 'gtx 280'
# It is in the list once, and if there are two, it is the last.
expect 0 '^GeForce GTX 280 .* 3 ' devices
if [ "$(grep -c '^GeForce GTX 280 ' "$work/out")" = 1 ]; then
    passed=$((passed + 1))
else
    cat "$work/out"
    failed=$((failed + 1))
fi
printf 'name = GeForce GTX 280\nlike = GTX 280\nsm_count = 4\n' >"$work/again"
expect 0 'multiprocessors +4$' devices 'gtx 280' \
    --device-file "$work/home/.config/softwarp/devices" \
    --device-file "$work/again"
XDG_CONFIG_HOME=$work/config
export XDG_CONFIG_HOME
expect 0 'multiprocessors +2$' devices mine
expect 0 'multiprocessors +30$' devices 'gtx 280'
SOFTWARP_DEVICE_FILE=
export SOFTWARP_DEVICE_FILE
expect 1 'no single device is called "mine"' devices mine

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
