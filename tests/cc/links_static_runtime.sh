#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that the host's compiler links to libcudart_static.a runs by its
# name; where the shared runtime is not found it says so, and calls answer as
# where the driver is too old.
: "${SW_BUILD:?run by ctest}"
cd "$(dirname "$0")/../.." || exit 1
build=$(cd "$SW_BUILD" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

check() { # WHAT, after a condition
    # shellcheck disable=SC2181 # of the command before
    if [ $? = 0 ]; then
        passed=$((passed + 1))
    else
        echo "not so: $1"
        failed=$((failed + 1))
    fi
}

cat >"$work/app.cu" <<'CU'
#include <cstdio>
__global__ void answer(int *p) { *p = 42; }
int main()
{
    int *p, v = 0;
    cudaError_t status = cudaMalloc(&p, sizeof v);
    answer<<<1, 1>>>(p);
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    printf("%d %d %s\n", (int)status, v, cudaGetErrorString(status));
}
CU
"$build/bin/softwarp" cc -c "$work/app.cu" -o "$work/app.o" || exit 1
c++ "$work/app.o" -o "$work/app" -L"$build/lib" -lcudart_static -ldl
check 'the archive is enough to link'
env -u LD_LIBRARY_PATH LD_PRELOAD="${SW_PRELOAD:-}" "$work/app" >"$work/out"
grep -q '^0 42 no error$' "$work/out"
check 'it runs without a search path'

# The same archive, built for a folder that has no library.
cc -fPIC -Isrc -DSW_LIBRARY_FOLDER='"/nowhere"' -DSW_LIBRARY_NAME='"libcudart.so.none"' \
    -c src/api/cudart_static/forward.c -o "$work/forward.o" &&
    c++ "$work/app.o" "$work/forward.o" -o "$work/lost" -ldl
check 'the archive can be built for another place'
"$work/lost" >"$work/out" 2>"$work/err"
grep -q '^35 0 CUDA driver version is insufficient' "$work/out"
check 'without the library calls return cudaErrorInsufficientDriver'
grep -q 'libcudart.so.none is neither in /nowhere nor .*softwarp run' "$work/err" &&
    [ "$(wc -l <"$work/err")" = 1 ]
check 'it is said once what to do'
echo "cc/links_static_runtime: $passed passed, $failed failed"
[ $failed = 0 ]
