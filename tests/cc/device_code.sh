#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is in the PTX and in the fat binary.
. "$(dirname "$0")/checks.inc"
cat >a.cu <<'END'
__device__ float divide(float a, float b) { return a / b; }
__global__ void kernel(float *p, float a, float b)
{
    *p = divide(a, b) +
         a * b + sqrtf(a);
}
#if __CUDA_ARCH__ == 130
__global__ void is_130() {}
#endif
#if __CUDA_ARCH__ == 1200
__global__ void is_1200() {}
#endif
END
compiles -ptx -ptx a.cu
check "a.ptx by default" test -s a.ptx
check "IEEE division" grep -q 'div.rn.f32' a.ptx
check "IEEE root" grep -q 'sqrt.rn.f32' a.ptx
check "fused" grep -q 'fma.rn.f32' a.ptx
check "for sm_75" grep -q '^.target sm_75' a.ptx
check "line of the kernel" grep -qE '\.loc	1 5 ' a.ptx
check "no line of a header" count '^	\.file' a.ptx 1
compiles -fmad=false -ptx -fmad=false a.cu
check "not fused" count 'fma.rn.f32' a.ptx 0
compiles -use_fast_math -ptx -use_fast_math a.cu
check "fast division" grep -q 'div.approx.ftz.f32' a.ptx
check "fast root" grep -q 'sqrt.approx.ftz.f32' a.ptx
compiles "sm_13" -ptx -arch=sm_13 a.cu
check "__CUDA_ARCH__ is 130" grep -q '^.visible .entry .*is_130' a.ptx
compiles "sm_120" -ptx -arch=sm_120 a.cu
check "__CUDA_ARCH__ is 1200" grep -q '^.visible .entry .*is_1200' a.ptx
compiles -G -ptx -G a.cu
check "not inlined" grep -q 'call.uni' a.ptx
check "not fused either" count 'fma.rn.f32' a.ptx 0

cat >sums.cu <<'END'
__global__ void sums(float *p, float a, float b, float c, float d)
{
    float ab = a * b;
    p[0] = ab + c;
    p[1] = c - ab;
    p[2] = b * d + a * c;
}
END
compiles "sums" -ptx sums.cu
check "only a product that all goes into a sum is fused" count 'fma.rn.f32' sums.ptx 1
check "a difference stays open" count '^	(mul|add|sub).f32' sums.ptx 4
compiles "sums, -fmad=false" -ptx -fmad=false sums.cu
check "none left open" count '^	(mul|add|sub).f32' sums.ptx 0

cat >own.cu <<'END'
#define FOUR(a) a a a a
#define MIX x = (x ^ sums[N] >> 7) * 0x9e3779b1u; sums[1] += x; sums[2] ^= x * sums[3];
__device__ unsigned unused(unsigned x) { return x + 1; }
__device__ __noinline__ unsigned called(unsigned x) { return x * x + 1; }
template <int N> __global__ void kernel(unsigned *p, unsigned n)
{
    unsigned sums[4] = {1, 2, 3, n};
    auto mix = [&](unsigned x) {
        FOUR(FOUR(FOUR(FOUR(MIX))))
        return x;
    };
    for (unsigned i = 0; i < n; i++)
        p[i] = mix(called(i)) + sums[0];
    p[n] = sums[1] + sums[2];
}
void launch(unsigned *p) { kernel<0><<<1, 1>>>(p, 3); }
END
compiles "own" -ptx own.cu
check "functions of a whole program are nobody else's" count '^.visible .func' own.ptx 0
check "but kernels" count '^.visible .entry' own.ptx 1
check "what is not called is not there" count unused own.ptx 0
check "what is not to be inlined is called" grep -q "^	_Z6calledj" own.ptx
check "a large lambda's variables are registers" count 'local_depot' own.ptx 0
compiles "own, -rdc" -ptx -rdc=true own.cu
check "relocatable: anybody's" count '^.visible .func' own.ptx 2

cat >copies.cu <<'END'
struct two { float4 a, b; };
struct apart { double a, b; };
__global__ void vectors(float4 *to, const float4 *from) { *to = *from; }
__global__ void pairs(two *to, const two *from) { *to = *from; }
__global__ void unaligned(apart *to, const apart *from) { *to = *from; }
__global__ void strings(int i, const char **to)
{
    const char *names[] = {"x", "y", "z"};
    *to = names[i];
}
END
compiles "copies" -ptx copies.cu
kernel() { sed -n "/\.entry _Z[0-9]*$1/,/^}/p" copies.ptx >kernel.ptx; }
kernel vectors
check "one load of 16 bytes" count 'ld.global.v4.u32' kernel.ptx 1
check "one store of 16 bytes" count 'st.global.v4.u32' kernel.ptx 1
kernel pairs
check "two of each for 32 bytes" count '(ld|st).global.v4.u32' kernel.ptx 4
kernel unaligned
check "as aligned for 8" count '(ld|st).global.u64' kernel.ptx 4
check "a table of strings" grep -q 'generic(_\$_str' copies.ptx

compiles -fatbin -fatbin -maxrregcount=24 \
    -gencode arch=compute_70,code=sm_70 -gencode arch=compute_90,code=sm_90 \
    -gencode arch=compute_70,code=compute_70 a.cu
bytes() { od -An -tx1 -j "$1" -N "$2" a.fatbin | tr -d ' \n'; }
check "magic and header" test "$(bytes 0 8)" = 50ed55ba01001000
check "PTX" test "$(bytes 16 4)" = 01000101
check "8.5" test "$(bytes 40 4)" = 05000800
check "for 70" test "$(bytes 44 4)" = 46000000
check "size" test $(($(od -An -tu8 -j 8 -N 8 a.fatbin) + 16)) = \
    "$(wc -c <a.fatbin)"
check "the option travels, in each" count '-maxrregcount=24' a.fatbin 2
check "two images" count '^.target sm_[79]0' a.fatbin 2
finish
