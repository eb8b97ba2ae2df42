#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SOFTWARP_TRACE=api: each call of the program a line, with names for what has
# them; the calls inside our own functions are not the program's.
. "$(dirname "$0")/checks.inc"
[ "$(uname -m)" = x86_64 ] || {
    echo "skip: calls are observed on x86-64 only"
    exit 77
}
cat >app.cu <<'END'
#include <cuda.h>
__device__ int sums[8];
__global__ void fill(float *p, int n) { p[threadIdx.x] = n; }
int main()
{
    float *p, host[32];
    int value;
    char name[32];
    CUdevice device;
    cudaMalloc(&p, sizeof host);
    fill<<<dim3(1, 2), 32, 8>>>(p, 7);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
    cudaMemset3D(make_cudaPitchedPtr(p, 128, 128, 1), 3, make_cudaExtent(4, 1, 1));
    cudaMemcpyToSymbol(sums, host, 8);
    cudaMemcpyToSymbol(sums, host, 8, 4, cudaMemcpyDefault);
    cudaStreamUpdateCaptureDependencies(cudaStreamPerThread, NULL, 3, 1);
    cudaMemLocation place = {cudaMemLocationTypeDevice, 2};
    cudaMemAdvise_v2(p, 4, cudaMemAdviseSetReadMostly, place);
    cudaSetDevice(-5);
    cudaGetLastError();
    cudaFree((void *)8);
    cudaGetErrorString(cudaErrorInvalidValue);
    cuDeviceGet(&device, 0);
    cuDeviceGetName(name, sizeof name, device);
    cuDeviceGetName((char *)0, -1, device);
    cuModuleLoad((CUmodule *)0, "no\nfile");
    cudaStreamQuery(cudaStreamPerThread);
    return 0;
}
END
has() { # regex
    check "a line $1" grep -qE -e "^[0-9]+ [0-9]+ $1\$" "${2:-trace}"
}
compiles "the program" --cuda=12 app.cu -lcuda -o app
SOFTWARP_TRACE=api:trace run ./app
has 'cudaMalloc\(devPtr=&0x[0-9a-f]+, size=128\) = cudaSuccess'
has 'cudaLaunchKernel\(func=0x[0-9a-f]+ <_Z4fillPfi>, gridDim=\{1,2,1\}, blockDim=\{32,1,1\}, args=0x[0-9a-f]+, sharedMem=8, stream=NULL\) = cudaSuccess'
has 'cudaMemcpy\(dst=0x[0-9a-f]+, src=0x[0-9a-f]+, count=128, kind=cudaMemcpyDeviceToHost\) = cudaSuccess'
has 'cudaDeviceGetAttribute\(value=&32, attr=cudaDevAttrWarpSize, device=0\) = cudaSuccess'
has 'cudaMemset3D\(pitchedDevPtr=\{0x[0-9a-f]+,128,128,1\}, value=3, extent=\{4,1,1\}\) = cudaSuccess'
has 'cudaMemcpyToSymbol\(symbol=0x[0-9a-f]+, src=0x[0-9a-f]+, count=8, offset=0, kind=cudaMemcpyHostToDevice\) = cudaSuccess'
has 'cudaMemcpyToSymbol\(symbol=0x[0-9a-f]+, src=0x[0-9a-f]+, count=8, offset=4, kind=cudaMemcpyDefault\) = cudaSuccess'
has 'cudaStreamUpdateCaptureDependencies\(stream=0x2, dependencies=NULL, numDependencies=3, flags=1\) = .*'
has 'cudaMemAdvise_v2\(devPtr=0x[0-9a-f]+, count=4, advice=cudaMemAdviseSetReadMostly, location=\{1,2\}\) = .*'
has 'cudaSetDevice\(device=-5\) = cudaErrorInvalidDevice'
has 'cudaGetLastError\(\) = cudaErrorInvalidDevice'
has 'cudaFree\(devPtr=0x8\) = cudaErrorInvalidValue'
has 'cudaGetErrorString\(error=cudaErrorInvalidValue\) = "invalid argument"'
has 'cuDeviceGet\(device=&0, ordinal=0\) = CUDA_SUCCESS'
has 'cuDeviceGetName\(name="NVIDIA H200", len=32, dev=0\) = CUDA_SUCCESS'
has 'cuDeviceGetName\(name=NULL, len=-1, dev=0\) = CUDA_ERROR_INVALID_VALUE'
has 'cuModuleLoad\(module=NULL, fname="no\\nfile"\) = CUDA_ERROR_INVALID_VALUE'
has 'cudaStreamQuery\(stream=0x2\) = cudaSuccess'
has '__cudaRegisterFunction\(.*, device_name="_Z4fillPfi", .*\)'
check "no calls inside calls" sh -c '! grep -E " cu(MemAlloc|LaunchKernel|GetExport)" trace'
check "all lines are whole" sh -c '! grep -vE "^[0-9]+ [0-9]+ [_a-zA-Z0-9]+\(.*\)( = .*)?$" trace'

cat >other.c <<'END'
#include <stdlib.h>
int main(void) { return system("./app") != 0; }
END
rm trace
if shell_runs; then
    check "two processes" sh -c 'cc other.c -o other'
    SOFTWARP_TRACE=api:of.%p run sh -c './app; ./other'
    check "a file for each" sh -c '[ "$(ls of.* | wc -l)" = 2 ]'
fi
SOFTWARP_TRACE=api run ./app 2>err
check "on standard error" grep -qE '^softwarp: [0-9]+ [0-9]+ cudaMalloc\(' err
SOFTWARP_TRACE=all run ./app 2>err
check "another word" grep -q "SOFTWARP_TRACE is 'all'; it may be api or api:" err
SOFTWARP_TRACE=api:/no/such/file run ./app 2>err
check "no such file" grep -q "SOFTWARP_TRACE: can't write /no/such/file: No such" err
run ./app 2>err
check "silence otherwise" test ! -s err
finish
