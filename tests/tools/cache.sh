#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp cache`: what it shows, what it removes and what it leaves.
. "$(dirname "$0")/../expect.sh"
unset SOFTWARP_CACHE SOFTWARP_CACHE_BYTES SOFTWARP_CACHE_DIR
export XDG_CACHE_HOME="$work" SOFTWARP_LOG=warn

run() {
    "$SW_BUILD/bin/softwarp" cache "$@"
}

# there NUMBER FILE...: so many of the files exist
there() {
    want=$1 got=0
    shift
    for file; do
        [ ! -e "$file" ] || got=$((got + 1))
    done
    if [ $got = "$want" ]; then
        passed=$((passed + 1))
    else
        echo "$got of $want files: $*"
        failed=$((failed + 1))
    fi
}

# says REGEX PROGRAM: its log has such a line; with "no" in front, has none
says() {
    none=
    [ "$1" != no ] || { none=1 && shift; }
    SOFTWARP_LOG=debug LD_LIBRARY_PATH=$SW_BUILD/lib \
        env LD_PRELOAD="${SW_PRELOAD:-}" "$2" >"$work/out" 2>&1
    if grep -Eq -- "$1" "$work/out"; then got=; else got=1; fi
    if [ "$got" = "$none" ]; then
        passed=$((passed + 1))
    else
        echo "$2: ${none:+no }line $1"
        cat "$work/out"
        failed=$((failed + 1))
    fi
}

folder=$work/softwarp
name=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.swo
expect 0 "^folder +$folder\$"
expect 0 '^entries +0$'
there 0 "$folder"
mkdir "$folder"
printf 1234567890 >"$folder/$name"
printf 12345 >"$folder/.unfinished-abcdef"
printf 1 >"$folder/mine.swo"
printf 1 >"$folder/x$name"
expect 0 '^entries +1$'
expect 0 '^bytes +10 '
expect 0 '^limit +536870912 \(512\.0 MiB\)$'
expect 0 '^unfinished +1$'
expect 0 "^\{\"folder\": \"$folder\", \"entries\": 1, \"bytes\": 10, \"limit_bytes\": 536870912, \"unfinished\": 1\}\$" --json
touch -d '2 hours ago' "$folder/.unfinished-abcdef"
expect 0 '"unfinished": 0' --json
there 1 "$folder/$name" "$folder/.unfinished-abcdef"
expect 0 '^removed +1 files$' --clear
there 2 "$folder/$name" "$folder/mine.swo" "$folder/x$name"
expect 0 '"removed": 0' --clear --json
expect 2 'is not understood' --nonsense
expect 0 '^usage' --help

# Work too little to be compiled for, but enough to see whether it once was.
cat >"$work/little.cu" <<'CU'
#include <unistd.h>
__global__ void little(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[threadIdx.x] += i;
}
int main()
{
    float *x;
    cudaMalloc((void **)&x, 1024);
    little<<<1, 256>>>(x, 3000);
    int status = cudaDeviceSynchronize();
    usleep(300000); /* what is begun beside the kernel is over then */
    return status;
}
CU
SOFTWARP_CACHE=0 "$SW_BUILD/bin/softwarp" cc "$work/little.cu" -o "$work/little" ||
    failed=$((failed + 1))
says no 'compiled' "$work/little"
SOFTWARP_ENGINE=jit
export SOFTWARP_ENGINE
says 'compiled .*little' "$work/little"
unset SOFTWARP_ENGINE
# A kernel without barriers is interpreted until it is known that its warps do
# not race; here that is not looked at.
SOFTWARP_TURNS=0
export SOFTWARP_TURNS
says 'little.* was compiled before' "$work/little"
expect 0 '^entries +1$'

# So little that it is not seen later: before the last block of a kernel with a
# loop, but of no other.
sed 's/little/least/g; s/3000/3/' "$work/little.cu" >"$work/least.cu"
sed 's/little/line/g; s/for .*/int i = n;/' "$work/little.cu" >"$work/line.cu"
for name in least line; do
    SOFTWARP_CACHE=0 "$SW_BUILD/bin/softwarp" cc "$work/$name.cu" \
        -o "$work/$name" || failed=$((failed + 1))
    SOFTWARP_ENGINE=jit
    export SOFTWARP_ENGINE
    says "compiled .*$name" "$work/$name"
    unset SOFTWARP_ENGINE
done
says 'least.* was compiled before' "$work/least"
says no 'line.* was compiled before' "$work/line"

SOFTWARP_CACHE_BYTES=1000000
export SOFTWARP_CACHE_BYTES
expect 0 '^limit +1000000 '
SOFTWARP_CACHE=0
export SOFTWARP_CACHE
expect 0 '^off: SOFTWARP_CACHE=0$'
expect 0 '"folder": null' --json
echo "tools/cache: $passed passed, $failed failed"
[ $failed = 0 ]
