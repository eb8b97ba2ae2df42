#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kernel.sh FILE.cl: kernels of OpenCL C and what they compute, without a host
# API. Comments as in tests/ptx (tests/README.md) are given to ptx_engine with
# the PTX that `softwarp clc` makes. `// options: ...` are those of the build. Each
# file is run by the interpreter and compiled.
file=$1
name=opencl/$(basename "$file" .cl)
if [ ! -f "$SW_BUILD/lib/opencl/index" ]; then
    echo "skip: clang is not installed"
    exit 77
fi
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
options=$(sed -n 's|^// options: ||p' "$file")
# shellcheck disable=SC2086
if ! "$SW_BUILD/bin/softwarp" clc $options "$file" -o "$temporary/out.ptx"; then
    echo "$name: 0 passed, 1 failed"
    exit 1
fi
passed=0 failed=0
for engine in interp jit; do
    ptx=$temporary/$(basename "$file" .cl).ptx
    {
        grep '^// \(run\|arg\|expect\|env\|device\):' "$file"
        cat "$temporary/out.ptx"
    } >"$ptx"
    if SOFTWARP_ENGINE=$engine "$SW_BUILD/tests/ptx_engine" "$ptx" \
        >"$temporary/log" 2>&1; then
        passed=$((passed + 1))
    else
        echo "with SOFTWARP_ENGINE=$engine:"
        cat "$temporary/log"
        failed=$((failed + 1))
    fi
done
echo "$name: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
