#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What gcc compiled, clang accepts with the same warnings as errors (checked
# without generating code; `cmake --preset clang` builds all with it).
: "${SW_BUILD:?run by ctest}"
clang=${SW_CLANG:-}
[ -n "$clang" ] || {
    echo "skip: no clang of the version of LLVM that this build has"
    exit 77
}
list=$SW_BUILD/compile_commands.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The output file goes, the rest of the command stays; some presets name
# warnings that only gcc has, and clang warns of what newer machines' native
# features are together.
sed -n 's/^  "command": "\(.*\)",$/\1/p' "$list" |
    sed -e 's/\\"/"/g' -e 's/\\\\/\\/g' \
        -e "s#^[^ ]* #$clang -fsyntax-only -Werror -Wno-unused-command-line-argument \
-Wno-unknown-warning-option #" \
        -e 's# -o [^ ]* -c # #' -e 's# -march=native # #' >"$work/commands"
total=$(wc -l <"$work/commands")
xargs -P "$(nproc)" -d '\n' -n 1 sh -c \
    'sh -c "$1" || echo "$1" >>"$0/failed"' "$work" <"$work/commands"
failed=0
[ -e "$work/failed" ] && failed=$(wc -l <"$work/failed")
echo "$total files, $failed with faults"
[ "$failed" = 0 ] && [ "$total" -gt 0 ] &&
    echo "tree/clang: 1 passed, 0 failed"
