#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# softwarp check --schedules: a fence that only some orders of blocks miss is
# found, and the seed that was printed finds it again.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # what, command...
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$what"
        cat "$work/log"
    fi
}
cat >"$work/a.cu" <<'CU'
#include <cstdio>
struct tile {
    int aggregate, prefix;
    unsigned state; /* 1: the aggregate is there, 2: the prefix */
};
template <bool has_fence> __global__ void lookback(tile *tiles)
{
    int mine = blockIdx.x, before = 0;
    if (threadIdx.x)
        return;
    tiles[mine].aggregate = mine;
    if (has_fence)
        __threadfence();
    atomicExch(&tiles[mine].state, 1u);
    for (int t = mine - 1; t >= 0; t--) {
        unsigned s;
        while ((s = atomicAdd(&tiles[t].state, 0u)) == 0)
            ;
        __threadfence();
        if (s == 2) {
            before += tiles[t].prefix;
            break;
        }
        before += tiles[t].aggregate;
    }
    tiles[mine].prefix = before + mine;
    __threadfence();
    atomicExch(&tiles[mine].state, 2u);
}
int main(int argc, char **)
{
    tile *t;
    cudaMalloc(&t, 8 * sizeof *t);
    cudaMemset(t, 0, 8 * sizeof *t);
    if (argc > 1)
        lookback<true><<<8, 32>>>(t);
    else
        lookback<false><<<8, 32>>>(t);
    int e = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(t);
    return e;
}
CU
"$softwarp" cc -O2 -lineinfo "$work/a.cu" -o "$work/a" || exit 1
"$softwarp" check --tool race --schedules 40 "$work/a" 2>"$work/log"
check "it is found" [ $? = 1 ]
check "as what it is" grep -q 'race-global' "$work/log"
seed=$(sed -n 's/.*--seed \([0-9]*\) repeats it/\1/p' "$work/log")
check "its seed is printed" [ -n "$seed" ]
"$softwarp" check --tool race --seed "$seed" "$work/a" 2>"$work/log"
check "and repeats it" [ $? = 1 ]
"$softwarp" check --tool race --schedules 10 "$work/a" fenced 2>"$work/log"
check "with the fence nothing is found" [ $? = 0 ]
echo "tools/check_schedules: $passed passed, $failed failed"
[ $failed = 0 ]
