#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp run --observe`: the memory trace of a program whose accesses are
# known, several observers at once, and what is no observer.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

check() { # name, expected, got
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: '$3', not '$2'"
    fi
}

cat >app.cu <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void add(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += 1;
}
__global__ void turns(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int j = 0; j < n; j++)
        s += a[j & 1023] * i;
    a[1024 + i] = s;
}
int main(int argc, char **argv)
{
    int *a;
    cudaMalloc(&a, 1 << 16);
    cudaMemset(a, 0, 1 << 16);
    if (argc > 1)
        turns<<<8, 256>>>((float *)a, atoi(argv[1]));
    else
        add<<<2, 64>>>(a, 100);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a);
}
CU
"$softwarp" cc app.cu -o app || { echo "0 passed, 1 failed"; exit 1; }

"$softwarp" run --observe=memtrace:out --observe none ./app >said
check "the program runs as before" "no error" "$(cat said)"
check "a line for each load of a warp" 4 "$(grep -c ' ld global 4:' out)"
check "a line for each store of a warp" 4 "$(grep -c ' st global 4:' out)"
check "lanes beyond the end are not there" 1 \
    "$(grep -c ' 1 0000000f .* st global 4:\( [0-9a-f]*\)\{4\}$' out)"
check "the source is named" 8 "$(grep -c 'app.cu:7 ' out)"
check "memory comes and goes" "1 1" \
    "$(grep -c '^alloc .*: 65536$' out) $(grep -c '^free .*: 65536$' out)"

SOFTWARP_ENGINE=interp "$softwarp" run --observe memtrace:other ./app >said
check "both engines see the same" "$(grep -c '^.*<' out)" \
    "$(grep -c '^.*<' other)"

"$softwarp" run --observe=nothing ./app >said 2>error
check "what is no observer is an error" 2 "$?"
check "... that names those there are" 1 "$(grep -c '^  memtrace ' error)"

executed() { # engine
    SOFTWARP_CACHE=0 SOFTWARP_ENGINE=$1 "$softwarp" prof --device 'GTX 1080' \
        -m inst_executed ./app 300000 >said 2>error
    cat said error | awk '$2 == "inst_executed" { print $3 }'
}
executed auto >auto
check "counting a kernel that is entered in mid-run goes on" 0 \
    "$(grep -ci assert error)"
check "... and finds what the interpreter finds" "$(executed interp)" \
    "$(cat auto)"
check "... which is something" 1 "$([ "$(cat auto)" -gt 1000000 ] && echo 1)"

# Code that an observer puts into kernels: it counts what an observer of events
# counts, and the program works as before.
lines() { # engine, arguments
    engine=$1
    shift
    SOFTWARP_ENGINE=$engine "$softwarp" run --observe=lines:lines ./app "$@" \
        >said 2>error
    check "a program with code of an observer ($engine $*) runs as before" \
        "no error" "$(cat said error)"
}
sum_of() { # file
    awk '{ n += $1 } END { printf "%d", n }' "$1"
}
lines interp 2000
cp lines interp
lines jit 2000
check "compiled kernels count what interpreted ones do" "$(cat interp)" \
    "$(cat lines)"
lines jit 2000
check "... in another process as well" "$(cat interp)" "$(cat lines)"
check "the line that most is done in is the first" 1 \
    "$(sed -n 1p interp | grep -c 'app.cu:14$')"
check "the sum is that of the counters" "$(SOFTWARP_ENGINE=interp "$softwarp" \
    prof --device 'GTX 1080' -m thread_inst_executed ./app 2000 2>&1 |
    awk '$2 == "thread_inst_executed" { print $3 }')" "$(sum_of interp)"
lines jit
check "lanes that do not come to a line do not count" 0 \
    "$(awk '/app.cu:7$/ { print $1 % 100 }' lines)"
"$softwarp" run --observe=lines:lines --observe=none ./app >said 2>error
check "launches whose events are taken are named" 1 \
    "$(grep -c '^1 launches are not in it' lines)"

echo "tools/observe: $passed passed, $failed failed"
[ "$failed" = 0 ]
