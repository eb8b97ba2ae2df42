#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kernel<< <grid, block>> >(...), which editors make of launches and nvcc takes;
# not what only looks like it.
. "$(dirname "$0")/checks.inc"
mkdir sub
cat >sub/launch.h <<'CU'
#pragma once
template <class T> __global__ void add(T *p, T by) { *p += by; }
inline void from_header(int *p) { add<int> << < dim3{1, 1}, (2 >> 1) >> >
    (p, 3); }
CU
cat >main.cu <<'CU'
#include "sub/launch.h"
#include <cstdio>
#include <vector>
struct sum { int n; };
template <class T> sum &operator<< (sum &l, T v) { l.n += (int)v; return l; }
int main()
{
    int *p, v = 0;
    sum l = {1 << 2};
    cudaMalloc(&p, sizeof v);
    cudaMemset(p, 0, sizeof v);
    add << <1, 1 >> >(p, 1);
    add <<<1, 1, 0, 0 >> > (p, 10);
    add<< < 1, 1>>>(p, 100); // << <
    from_header(p);
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    operator<< <int>(l, 1'000);
    std::vector<std::vector<std::vector<int> > > deep(3);
    bool is = v >> 1 > 2;
    printf("%d %d %d %zu << <1>> >%c\n", v, l.n, is, deep.size(), '"');
    return 0;
}
CU
compiles "launches with parted brackets" main.cu -o app
check "what it prints" test "$(run ./app)" = '114 1004 1 3 << <1>> >"'
compiles "with dependencies" -MD -c main.cu -o main.o
check "that have the names of the sources" grep -q 'sub/launch.h' main.d
check "... and no others" sh -c '! grep -q launches main.d'
compiles "for the preprocessor" -E main.cu -o main.ii
check "... joined" grep -q 'add <<< 1, 1 >>> (p, 1)' main.ii
echo 'int wrong = undeclared;' >>sub/launch.h
refuses "^(\./)?sub/launch.h:5:13: error: .*undeclared" -c main.cu
check "no temporaries are left" test -z "$(ls -A tmp)"
finish
