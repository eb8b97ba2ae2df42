#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A CMake project with CUDA as a language, where no other nvcc is: detection,
# libraries of device code, several targets, the toolkit as a package.
. "$(dirname "$0")/checks.inc"
mkdir include
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(parts LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(device STATIC device.cu)
set_target_properties(device PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_include_directories(device PUBLIC include)
add_library(host SHARED host.cu)
add_executable(whole main.cpp use.cu)
set_target_properties(whole PROPERTIES CUDA_SEPARABLE_COMPILATION ON
  CUDA_ARCHITECTURES "70;80")
target_compile_options(whole PRIVATE
  $<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math -Xcompiler=-Wall>)
target_link_libraries(whole PRIVATE device host CUDA::cudart CUDA::cuda_driver)
add_executable(alone alone.cu)
set_target_properties(alone PROPERTIES CUDA_RUNTIME_LIBRARY Static)
CMAKE
cat >include/device.h <<'CU'
__device__ int twice(int);
void add_one(int *);
CU
cat >device.cu <<'CU'
#include "device.h"
__device__ int twice(int x) { return 2 * x; }
CU
cat >host.cu <<'CU'
__global__ void one_more(int *p) { *p += 1; }
void add_one(int *p) { one_more<<<1, 1>>>(p); }
CU
cat >use.cu <<'CU'
#include "device.h"
__global__ void k(int *p) { *p = twice(21); }
int use()
{
    int *p, v = 0;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
    add_one(p);
    cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);
    return v;
}
CU
cat >main.cpp <<'CU'
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
int use();
int main()
{
    int driver = 0;
    cuDriverGetVersion(&driver);
    printf("%d %d\n", driver > 0, use());
}
CU
sed 's/int use()/int main()/; s/twice(21)/42/; s/    add_one(p);//
    s/return v;/return v != 42;/; s/#include.*//' use.cu >alone.cu
PATH=/usr/bin:/bin
export PATH
unset CUDACXX CUDAHOSTCXX CUDA_PATH CUDA_HOME CUDAToolkit_ROOT
if command -v nvcc >/dev/null; then
    echo "skip: there is an nvcc in $PATH"
    exit 77
fi
for generator in Ninja 'Unix Makefiles'; do
    [ "$generator" = Ninja ] || command -v make >/dev/null || continue
    check "$generator: finds the compiler" run cmake -S . -B b -G "$generator"
    cp check.out configured
    check "... and the toolkit" grep -q 'Found CUDAToolkit.*13\.0' configured
    check "$generator: builds" run cmake --build b
    check "$generator: device code of a static library is called" \
        run sh -c 'test "$(b/whole)" = "1 43"'
    check "$generator: without libraries" run b/alone
    rm -rf b
done
# The same without CMake.
compiles "an object with device code" -rdc=true -Iinclude -c device.cu
check "an archive of it" ar rcs libdevice.a device.o
compiles "a program with the archive" -rdc=true -Iinclude use.cu host.cu \
    main.cpp -L. -ldevice -o whole
check "it runs" run sh -c 'test "$(./whole)" = "1 43"'
finish
