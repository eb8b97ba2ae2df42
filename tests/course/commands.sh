#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# commands.sh PAGE: each command of a page of the book runs, in a folder that
# has a learner's. A check of a file with gaps ends with 1, and so does a program
# with gaps.
: "${SW_BUILD:?run by ctest}"
page=$1
PATH=$SW_BUILD/bin:$PATH
EXAMPLES=$SW_SOURCE/examples
COURSE=$SW_SOURCE/course
export EXAMPLES COURSE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0
softwarp course new learn >/dev/null || exit 1
sed -n 's/^   \$ //p' "$COURSE/book/$page.rst" >commands
while read -r command; do
    sh -c "$command" >log 2>&1 </dev/null
    if [ $? -le 1 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$command"
        cat log
    fi
done <commands
echo "course/commands_$page: $passed passed, $failed failed"
[ $failed = 0 ]
