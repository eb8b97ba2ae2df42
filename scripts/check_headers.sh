#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every header of the engine compiles alone, as C17; those of include/softwarp
# as C++ too. (The CUDA headers are compiled by the tests of `softwarp cc`.)
cd "$(dirname "$0")/.." || exit 1
one() {
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -Isrc \
        -Iinclude -Iinclude/cuda -Itests -fsyntax-only -x c \
        -include "$1" /dev/null || return 1
    case $1 in
    include/softwarp/*) c++ -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c++ \
        -include "$1" /dev/null ;;
    esac
}
passed=0 failed=0
for header in $(find src include/softwarp -name '*.h' | LC_ALL=C sort); do
    if one "$header"; then
        passed=$((passed + 1))
    else
        echo "$header does not compile alone"
        failed=$((failed + 1))
    fi
done
echo "$((passed + failed)) files, $failed with faults"
[ $failed = 0 ] && echo "tree/headers: 1 passed, 0 failed"
