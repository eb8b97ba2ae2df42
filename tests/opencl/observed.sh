#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# softwarp check and prof on a program of OpenCL (observed.c): nothing is found in
# the right one, what is wrong with the other by its line.
cd "$(dirname "$0")/../.." || exit 1
SW_BUILD=${SW_BUILD:-build}
. tests/expect.sh
[ -e "$SW_BUILD/lib/libsoftwarp-opencl.so" ] || {
    echo "skip: built without OpenCL"
    exit 77
}

run() {
    LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" "$@"
}

cc -std=c11 -Wall tests/opencl/observed.c -o "$work/app" \
    -L"$SW_BUILD/lib" -l:libsoftwarp-opencl.so || exit 1
expect 0 '^right$' run "$work/app"
for tool in memory race init sync host leak; do
    expect 0 '^right$' check --tool "$tool" "$work/app"
done
expect 0 '^softwarp check: 0 findings$' check "$work/app"
expect 1 'oob-global|outside' check --tool memory "$work/app" wrong
if grep -q ':7\b' "$work/out"; then
    passed=$((passed + 1))
else
    echo "no line of the kernel is named:"
    cat "$work/out"
    failed=$((failed + 1))
fi
expect 0 '\badd\b' prof "$work/app"
# The lines of a source that is in no file.
expect 0 ' 7  .*to\[i\] = a\[i % 64\]' prof --source "$work/app"
expect 0 '^kernel tiled' occupancy --device "GeForce GTX 280" --threads 256 \
    --kernel tiled examples/opencl/matmul.cl
echo "opencl/observed: $passed passed, $failed failed"
[ $failed = 0 ]
