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
# All tools see each of the runs, and no more than one of each.
"$softwarp" check --schedules 12 "$work/a" fenced >"$work/said" 2>"$work/log"
check "nor by all tools in many orders" [ $? = 0 ]
check "and nothing is wrong with them" sh -c "! grep -q 'bug:\|cannot write' '$work/log'"

# What is stored before a flag comes late if nothing orders the two.
cat >"$work/b.cu" <<'CU'
#include <cstdio>
#include <cstring>
enum { N = 64 };
template <int KIND> __global__ void pass(volatile int *data, volatile int *flag)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t + 1;
        if (KIND == 1)
            __threadfence();
        if (KIND == 2)
            __threadfence_block(); /* too narrow */
        __syncthreads();
        if (KIND == 3 && t == 0)
            __threadfence(); /* also of what the barrier has ordered */
        if (t == 0)
            *flag = 1;
    } else {
        if (t == 0)
            while (!*flag)
                ;
        __syncthreads();
        __threadfence();
        data[N + t] = data[t];
    }
}
__global__ void own(int *data) /* a thread sees what it has stored */
{
    int t = threadIdx.x;
    for (int i = 0; i < 20; i++)
        data[t] = data[t] + i;
    __syncthreads();
    atomicAdd(&data[N + (t + 1) % N], data[(t + 1) % N]);
}
int main(int, char **argv)
{
    int *d, host[2 * N], bad = 0;
    cudaMalloc(&d, sizeof host + 4);
    cudaMemset(d, 0, sizeof host + 4);
    switch (*argv[1]) {
    case '0': pass<0><<<2, N>>>(d, d + 2 * N); break;
    case '1': pass<1><<<2, N>>>(d, d + 2 * N); break;
    case '2': pass<2><<<2, N>>>(d, d + 2 * N); break;
    case '3': pass<3><<<2, N>>>(d, d + 2 * N); break;
    default: own<<<1, N>>>(d);
    }
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        bad += host[N + i] != (*argv[1] == 'o' ? 190 : i + 1);
    cudaFree(d);
    return bad ? 3 : 0;
}
CU
"$softwarp" cc -O2 -lineinfo "$work/b.cu" -o "$work/b" || exit 1
for kind in 0 2; do
    "$softwarp" check --tool leak --schedules 40 "$work/b" $kind 2>"$work/log"
    check "a late store is seen ($kind)" [ $? = 3 ]
    seed=$(sed -n 's/.*--seed \([0-9]*\) repeats it/\1/p' "$work/log")
    check "its seed is printed ($kind)" [ -n "$seed" ]
    "$softwarp" check --tool leak --seed "$seed" "$work/b" $kind 2>"$work/log"
    check "and repeats it ($kind)" [ $? = 3 ]
done
for kind in 1 3 own; do
    "$softwarp" check --tool leak --schedules 15 "$work/b" $kind 2>"$work/log"
    check "what is ordered is not late ($kind)" [ $? = 0 ]
done
echo "tools/check_schedules: $passed passed, $failed failed"
[ $failed = 0 ]
