#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What softwarp cc does not know or cannot do, it names.
. "$(dirname "$0")/checks.inc"
echo 'int main() { return 0; }' >a.cu
cp a.cu b.cu
refuses "^softwarp cc: error: no input file$"
refuses "'-frobnicate' is not an option" -frobnicate a.cu
refuses "'--frobnicate=3' is not an option" --frobnicate=3 a.cu
refuses "'-o' needs a value" a.cu -o
refuses "'-shared' takes no value" -shared=yes a.cu
refuses "'-arch=turing' names no architecture" -arch=turing a.cu
refuses "'-gencode=code=sm_75' has no arch=compute_NN" -gencode code=sm_75 a.cu
refuses "'-rdc' takes true or false" -rdc=maybe a.cu
refuses "'f90' is no language" -x f90 a.cu
refuses "'many' is no register count" -maxrregcount=many a.cu
refuses "'-optix-ir' asks for OptiX's own code" -optix-ir a.cu
refuses "'-cuda' makes C.. for nvcc's host compiler" -cuda a.cu
refuses "'--cuda=9' is no version of CUDA" --cuda=9 a.cu
echo '-optf again.txt' >again.txt
refuses "'again.txt' is a file of options that names itself" -optf again.txt
refuses "'absent.txt' can't be read" -optf absent.txt
refuses "'missing.cu' can't be read: No such file" missing.cu
refuses "-o names one file" -c -o c.o a.cu b.cu
echo 'int x;' >a.c
refuses "'a.c' has no device code" -ptx a.c
check "nothing was written" test ! -e c.o -a ! -e a.out -a ! -e a.ptx
finish
