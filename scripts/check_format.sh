#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# C files are as clang-format 14 writes them (other versions differ in places,
# so without that one this is skipped), and no line is over 80 columns.
# include/cuda is C++ of a different kind and left alone.
cd "$(dirname "$0")/.." || exit 1
if ! command -v clang-format-14 >/dev/null; then
    echo "skip: clang-format-14 is not installed"
    exit 77
fi
files=$(find src tools tests bench include/softwarp -name '*.[ch]' |
    LC_ALL=C sort)
# One process for many files: starting it takes longer than its work.
# shellcheck disable=SC2086
faults=$(clang-format-14 --dry-run $files 2>&1 | grep 'clang-format-violations' |
    cut -d: -f1 | sort -u)
for file in $faults; do
    echo "$file: run clang-format-14 -i $file"
done
set -- $files
echo "$# files, $(echo "$faults" | grep -c .) with faults"
[ -z "$faults" ] && echo "tree/format: 1 passed, 0 failed"
