#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header of the engine compiles alone, as C17; those of include/softwarp
# as C++ too. Not so those named *_body.h, which are included once for each of
# several types, and the CUDA headers, which the tests of `softwarp cc` compile.
: "${SW_LLVM_INCLUDE:?run by ctest}"
cd "$(dirname "$0")/.." || exit 1
one() {
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -Isrc \
        -Iinclude -Iinclude/cuda -Itests -isystem "$SW_LLVM_INCLUDE" \
        -fsyntax-only -x c \
        -include "$1" /dev/null || return 1
    case $1 in
    include/softwarp/*) c++ -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c++ \
        -include "$1" /dev/null ;;
    esac
}
passed=0 failed=0
log=$(mktemp)
for header in $(find src include -name '*.h' ! -path 'include/cuda/*' \
    ! -name '*_body.h' |
    LC_ALL=C sort); do
    if one "$header" 2>"$log"; then
        passed=$((passed + 1))
    else
        grep error "$log" | head -n 3
        echo "$header does not compile alone"
        failed=$((failed + 1))
    fi
done
rm -f "$log"
echo "$((passed + failed)) files, $failed with faults"
[ $failed = 0 ] && echo "tree/headers: 1 passed, 0 failed"
