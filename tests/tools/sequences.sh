#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sequences of API calls, often wrong ones: none ends its process, and each has
# the same answers when it is played again.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
export LD_PRELOAD="${SW_PRELOAD:-}" SOFTWARP_LOG=error
"$SW_BUILD/tests/sequences" --write "$work/answers" --seed 1 --count 150 \
    2>"$work/err"
if [ "$(wc -l <"$work/answers.0")" = 150 ] && ! grep '!' "$work/answers.0"; then
    passed=$((passed + 1))
else
    echo "a sequence has ended its process: the lines above"
    failed=$((failed + 1))
fi
if "$SW_BUILD/tests/sequences" --compare "$work/answers.0" >"$work/out" \
    --count 150 2>"$work/err"; then
    passed=$((passed + 1))
else
    cat "$work/out"
    failed=$((failed + 1))
fi
echo "tools/sequences: $passed passed, $failed failed"
[ $failed = 0 ]
