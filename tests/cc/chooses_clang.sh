#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SOFTWARP_CLANG names the compiler, by version or program; what it names wrongly
# is refused. The oldest and the newest clang that are installed give the same
# results.
. "$(dirname "$0")/checks.inc"
cat >program.cu <<'END'
#include <complex>
#include <cstdio>
__global__ void kernel(double *p, std::complex<float> *c)
{
    int i = threadIdx.x;
    p[i] = sin(i * 0.37) / (i + 1.5) + rsqrtf(i + 2.0f) * 3 - exp(-i * 0.1);
    c[i] = c[i] * c[(i + 1) % 32] / std::complex<float>(i + 1.0f, 0.25f);
    p[i] += __shfl_xor_sync(~0u, p[i], 3);
}
int main()
{
    double *p;
    std::complex<float> *c;
    cudaMallocManaged(&p, 32 * sizeof *p);
    cudaMallocManaged(&c, 32 * sizeof *c);
    for (int i = 0; i < 32; i++)
        c[i] = std::complex<float>(i, 1.0f / (i + 1));
    kernel<<<1, 32>>>(p, c);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < 32; i++)
        printf("%a %a %a\n", p[i], c[i].real(), c[i].imag());
}
END
# What the first line of -dryrun's device pass starts.
starts() { # REGEX
    $cc -dryrun program.cu 2>&1 | grep -m 1 ' -x cuda ' | grep -q -- "$1"
}
mkdir none
compiles "by the clang that is chosen" program.cu -o chosen
run ./chosen >chosen.out 2>&1
check "it runs" count 'no error' chosen.out 1
versions=$(ls -d /usr/lib/llvm-*/bin/clang++ 2>/dev/null |
    sed 's/.*llvm-\([0-9]*\).*/\1/' | sort -n | awk '$1 >= 19')
for version in $(echo "$versions" | sed -n '1p;$p' | uniq); do
    export SOFTWARP_CLANG="$version"
    check "clang $version is taken" starts "clang++-$version\|llvm-$version/"
    compiles "by clang $version" program.cu -o one
    run ./one >one.out 2>&1
    check "clang $version's results are the same" cmp chosen.out one.out
    SOFTWARP_CLANG=/usr/lib/llvm-$version/bin/clang++
    check "clang $version by its path" starts "^$SOFTWARP_CLANG "
done
SOFTWARP_CLANG=18
refuses "SOFTWARP_CLANG is .?18.?, " program.cu -o none/a
SOFTWARP_CLANG=/bin/true
refuses "SOFTWARP_CLANG is '/bin/true', which is neither" program.cu -o none/a
SOFTWARP_CLANG=clank
refuses "SOFTWARP_CLANG is 'clank', which is neither" program.cu -o none/a
check "nothing is made" test -z "$(ls none)"
finish
