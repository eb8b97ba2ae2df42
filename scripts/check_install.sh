#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is installed works from where it is installed, and the libraries are what
# programs look for: sonames, versions, and no symbol more than promised.
: "${SW_BUILD:?run by ctest}"
cd "$(dirname "$0")/.." || exit 1
if [ ! -e "$SW_BUILD/lib/libcudart.so.13" ]; then
    echo "skip: the libraries are not built"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # what, command...
    what=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not true: $what"
        cat "$work/out"
    fi
}
soname_is() { objdump -p "$1" | grep -q "SONAME  *$2\$"; }
exports_only() { # library, regex of names with their versions
    nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' >"$work/names"
    [ -s "$work/names" ] && ! grep -vE "$2" "$work/names"
}
check "installs" cmake --install "$SW_BUILD" --prefix "$work/to"
lib=$work/to/lib/softwarp
check "soname of libcuda" soname_is "$lib/libcuda.so.1" libcuda.so.1
check "libcuda exports cu* only" exports_only "$lib/libcuda.so.1" '^cu[A-Z]'
check "soname of the engine" soname_is "$lib/libsoftwarp.so.0" libsoftwarp.so.0
check "the engine is where -lsoftwarp looks" test -r \
    "$work/to/lib/libsoftwarp.so"
check "libcuda finds the engine beside itself" env -u LD_LIBRARY_PATH \
    sh -c "ldd '$lib/libcuda.so.1' | grep -q '$lib/libsoftwarp.so.0'"
for version in 11.0 12 13; do
    name=libcudart.so.$version
    check "soname of $name" soname_is "$lib/$name" $name
    check "$name exports cuda* with its version only" \
        exports_only "$lib/$name" "^(cuda|__cuda)[A-Za-z0-9_]*@@$name\$"
done
for name in nvcc ptxas; do
    check "is called $name" "$lib/toolkit/bin/$name" --version
done
check "has headers where a toolkit does" test -r "$lib/toolkit/include/cuda.h"
check "and libraries" test -r "$lib/toolkit/lib64/libcudart.so"
for page in man1/softwarp.1 man1/softwarp-run.1 man7/softwarp-environment.7; do
    check "page $page" grep -q '^\.TH' "$work/to/share/man/$page"
done
check "completion" grep -q error-exitcode \
    "$work/to/share/bash-completion/completions/softwarp"
mkdir "$work/elsewhere"
check "compiles where it is installed" env -C "$work/elsewhere" \
    "$work/to/bin/softwarp" cc "$PWD/examples/increment.cu" -o increment
check "runs there" env -C "$work/elsewhere" LD_PRELOAD="$SW_PRELOAD" \
    "$work/to/bin/softwarp" run ./increment --quick
echo "tree/install: $passed passed, $failed failed"
[ $failed = 0 ]
