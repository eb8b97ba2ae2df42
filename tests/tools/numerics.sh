#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whose floating point a program gets: its device's, or that of --numerics and
# SOFTWARP_NUMERICS; compiled code of one is not taken for another's.
. "$(dirname "$0")/../expect.sh"

run() {
    env LD_PRELOAD="${SW_PRELOAD:-}" "$@"
}

cat >"$work/a.cu" <<'END'
#include <cstdio>
__global__ void k(float *r, float a, float b, float c) { *r = a * b + c; }
int main() {
    float *r, h = 0;
    cudaMalloc(&r, sizeof *r);
    k<<<1, 1>>>(r, 1 + 0x1p-12f, 1 + 3 * 0x1p-12f, -1 - 0x1p-10f);
    if (cudaMemcpy(&h, r, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    printf("%s\n", h == 0x1p-23f ? "truncated"
                                 : h == 3 * 0x1p-24f ? "fused" : "wrong");
    return 0;
}
END
cat >"$work/d.cu" <<'END'
#include <cstdio>
__global__ void k(double *r, double a) { *r = a + 0x1p-40; }
int main() {
    double *r, h = 0;
    cudaMalloc(&r, sizeof *r);
    k<<<1, 1>>>(r, 1);
    cudaError_t e = cudaMemcpy(&h, r, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s: %g\n", cudaGetErrorName(e), h - 1);
    return 0;
}
END
sw=$SW_BUILD/bin/softwarp
"$sw" cc "$work/a.cu" -o "$work/a" && "$sw" cc "$work/d.cu" -o "$work/d" || {
    echo "tools/numerics: 0 passed, 1 failed"
    exit 1
}

for engine in interp jit; do
    export SOFTWARP_ENGINE=$engine
    expect 0 '^fused$' "$sw" run "$work/a"
    expect 0 '^truncated$' "$sw" run --device 'GTX 280' "$work/a"
    expect 0 '^truncated$' "$sw" run --device '8800 GTX' "$work/a"
    expect 0 '^fused$' "$sw" run --device 'GTX 480' "$work/a"
    expect 0 '^fused$' "$sw" run --device 'GTX 280' --numerics=off "$work/a"
    expect 0 '^truncated$' "$sw" run --numerics gt200 "$work/a"
    expect 0 '^truncated$' "$sw" run --numerics=1.0 "$work/a"
    expect 0 '^fused$' "$sw" run --numerics=Kepler "$work/a"
    expect 0 '^truncated$' SOFTWARP_NUMERICS=g80 "$sw" run "$work/a"
    expect 0 '^cudaSuccess: 9\.09495e-13$' "$sw" run --device 'GTX 280' \
        "$work/d"
    expect 0 '^cudaSuccess: 0$' "$sw" run --device '8800 GTX' "$work/d"
    expect 0 'demoted to float, .*1 function, .*_Z1kPdd' \
        "$sw" run --device '8800 GTX' "$work/d"
done
expect 0 'needs compute capability 1\.3' \
    "$sw" run --device '8800 GTX' --numerics=off "$work/d"
expect 0 '^truncated$' "$sw" prof --numerics=gt200 "$work/a"
expect 2 "takes a compute capability or one of g80, .*, off, not 'gt20'" \
    "$sw" run --numerics=gt20 "$work/a"
expect 1 'there are no numerics "gt20"; there are g80, gt200, fermi, ' \
    SOFTWARP_NUMERICS=gt20 "$sw" run "$work/a"

echo "tools/numerics: $passed passed, $failed failed"
[ $failed = 0 ]
