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
for option in -lineinfo --generate-line-info '-arch=sm_80' '-arch sm_80' \
    '--gpu-architecture=compute_80' '-gencode arch=compute_75,code=sm_75' \
    '-gencode=arch=compute_90a,code=[sm_90a,compute_90a]' '-arch=native' \
    '-std=c++14' '--std c++20' '-O3' '-O 2' '--optimize=1' '-g -G' -w -m64 \
    '-Xcompiler -Wall,-fno-strict-aliasing' '--compiler-options=-O1' \
    '-Xptxas -v' '-Xptxas=-O3' '--ptxas-options -dlcm=ca' \
    '-maxrregcount=32' '-maxrregcount 32' '-use_fast_math' '--use_fast_math' \
    '-ftz=true -prec-div=false -prec-sqrt=false -fmad=false' \
    '-rdc=true' '--relocatable-device-code=false' '-cudart shared' \
    '-cudart=static' '-deviceemu' '--expt-relaxed-constexpr' \
    '--extended-lambda' '-ccbin /usr/bin/g++' '--allow-unsupported-compiler' \
    '-diag-suppress 177' '--threads 0' '-Wno-deprecated-gpu-targets' \
    '-default-stream per-thread' '-Werror all-warnings' '-include stdint.h' \
    '-isystem inc' '-x cu'; do
    # shellcheck disable=SC2086
    compiles "$option" -c $flags $option a.cu -o a.o
done
for option in '-Xptxas -v' -deviceemu '-cudart static' '-ccbin g++'; do
    # shellcheck disable=SC2086
    compiles "-v $option" -v -dryrun -c $flags $option a.cu -o a.o
    check "$option is said to have no meaning" \
        grep -qF "note: '$option' is accepted; it has no meaning here" cc.out
done
rm a.o
compiles -dryrun -dryrun -c $flags a.cu -o a.o
check "-dryrun runs nothing" test ! -e a.o
check "-dryrun shows device, optimiser, back end, host" \
    count '^[^ ]*clang' cc.out 4
finish
