#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nvcc's spellings, long and short, with and without "="; what has no meaning
# here is accepted, and -v says so.
. "$(dirname "$0")/checks.inc"
mkdir inc
echo '#define FROM_HEADER 1' >inc/header.h
cat >a.cu <<'END'
#include "header.h"
#if A != 1 || B != 2 || defined(C)
#error macros
#endif
__global__ void kernel(float *p) { *p = FROM_HEADER; }
END
flags='-DA -D B=2 -DC -UC -Iinc'
# What goes together is compiled together; what does not, alone, to name it.
together() { # option...
    before=$failed
    # shellcheck disable=SC2068,SC2086
    compiles "$*" -c $flags $@ a.cu -o a.o
    [ "$failed" = "$before" ] && return
    for option; do
        # shellcheck disable=SC2086
        compiles "$option" -c $flags $option a.cu -o a.o
    done
}
together -lineinfo '-arch=sm_80' '-std=c++14' -O3 -w -m64 \
    '-Xcompiler -Wall,-fno-strict-aliasing' '-Xptxas -v' '-maxrregcount=32' \
    -use_fast_math '-rdc=true' '-cudart shared' --expt-relaxed-constexpr \
    '-ccbin /usr/bin/g++' '-diag-suppress 177' '--threads 0'
together --generate-line-info '-arch sm_80' '--std c++20' '-O 2' \
    '--compiler-options=-O1' '-Xptxas=-O3' '-maxrregcount 32' --use_fast_math \
    '--relocatable-device-code=false' '-cudart=static' --extended-lambda \
    --allow-unsupported-compiler -Wno-deprecated-gpu-targets \
    '-default-stream per-thread' '-Werror all-warnings'
together '--gpu-architecture=compute_80' '--optimize=1' '-g -G' \
    '--ptxas-options -dlcm=ca' -deviceemu '-include stdint.h' '-isystem inc' \
    '-ftz=true -prec-div=false -prec-sqrt=false -fmad=false' '-x cu'
together '-gencode arch=compute_75,code=sm_75' \
    '-gencode=arch=compute_90a,code=[sm_90a,compute_90a]'
together -arch=native -jtd=5 '-device-entity-has-hidden-visibility false' \
    '-frandom-seed=1'
# shellcheck disable=SC2086
compiles "options for the host's compiler" -c $flags -fno-rtti \
    --forward-unknown-to-host-compiler a.cu -o a.o
echo 'int main() { return sizeof(int) == 4 ? 0 : 1; }' >linked.cu
compiles "and for its linker" --forward-unknown-to-host-linker \
    -Wl,--defsym=forwarded=42 linked.cu -o linked
check "which had it" sh -c 'nm linked | grep -q " A forwarded"'
for option in '-Xptxas -dlcm=ca' -deviceemu '-cudart static' '-ccbin g++'; do
    # shellcheck disable=SC2086
    compiles "-v $option" -v -dryrun -c $flags $option a.cu -o a.o
    check "$option is said to have no meaning" \
        grep -qF "note: '$option' is accepted; it has no meaning here" cc.out
done
printf '%s\n' '__global__ void tile(int *p) {' '__shared__ int t[64];' \
    't[threadIdx.x] = p[threadIdx.x]; __syncthreads();' \
    'p[threadIdx.x] = t[63 - threadIdx.x]; }' >tile.cu
for option in '-Xptxas -v' --ptxas-options=-v,-O3 --resource-usage; do
    # shellcheck disable=SC2086
    compiles "$option" -arch=sm_80 $option -c tile.cu -o tile.o
    check "$option says what a kernel takes" \
        grep -q 'Used [0-9]* registers, 256 bytes smem' cc.out
    check "$option says for what" \
        grep -q "Compiling entry function '_Z4tilePi' for 'sm_80'" cc.out
done
# Of a vendor's toolkit only what is not ours is taken.
mkdir kit
for header in cuda_runtime_api.h cuda_runtime.h cuda_fp16.h; do
    echo '#error "not ours"' >kit/$header
done
echo 'enum { FROM_KIT = 3 };' >kit/of_the_kit.h
printf '%s\n' '#include <cuda_runtime.h>' '#include <cuda_fp16.h>' \
    '#include <of_the_kit.h>' '__global__ void k(int *p) { *p = FROM_KIT; }' >kit.cu
compiles "with a toolkit's headers" -c -Ikit kit.cu -o kit.o
compiles "with a toolkit's system headers" -c -isystem kit kit.cu -o kit.o
printf '%s\n' '-DWORDS="1, 2"' "-I 'kit'" '-c kit.cu' >options.txt
echo '-w' >more.txt
compiles "options from files" --options-file options.txt -optf=more.txt -o kit.o
rm a.o
compiles -dryrun -dryrun -c $flags a.cu -o a.o
check "-dryrun runs nothing" test ! -e a.o
check "-dryrun shows device, optimiser, back end, host" \
    count '^[^ ]*clang' cc.out 4
# Libraries, programs that run at once, lists, folders, what is only said.
cat >say.cu <<'END'
#include <cstdio>
__global__ void k() { printf("%s\n", "from a kernel"); }
int main(int argc, char **argv)
{
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
    printf("%d %s\n", argc, argv[argc - 1]);
    return argc;
}
END
if $cc -run -run-args one,two say.cu -o say >run.out 2>&1; then status=0; else status=$?; fi
check "-run says what the program says" grep -qx '3 two' run.out
check "... and ends as it does" test "$status" = 3
echo '__global__ void k2() {}' >k2.cu
compiles "-lib" -lib k2.cu say.cu -o libboth.a
check "... makes an archive" sh -c 'ar t libboth.a | grep -q say'
mkdir made
compiles "-odir" -odir made -c k2.cu
check "... names the folder" test -s made/k2.o
check "--list-gpu-arch" sh -c "$cc --list-gpu-arch | grep -qx compute_90"
check "--list-gpu-code" sh -c "$cc -code-ls | grep -qx sm_90"
together -ewp -nodlink -noeh '-ftemplate-depth 100' -nohdinitlist '-e k' -reloc-ptx
$cc --help >help
check "--help explains an option" grep -q -e '--device-debug, -G  *lines and var' help
check "... and what an option takes" grep -q -e '--maxrregcount VALUE  *registers' help
check "... says why one is not supported" grep -q -e '--m32  *asks for 32-bit' help
check "... and which have no effect" grep -qx -e '  --split-compile' help
rm -r say made a.o
finish
