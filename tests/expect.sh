# SPDX-License-Identifier: Apache-2.0
# expect.sh - sourced by tests of commands: $work, a folder of the test's own,
# what `expect` does, and the counts that it keeps. Who sources it defines
# `run`: the command, with the arguments it is given.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# expect STATUS REGEX argument...: run ends with the status, and a line of its
# output, which then is in $work/out, matches
expect() {
    want=$1 regex=$2
    shift 2
    run "$@" >"$work/out" 2>&1
    got=$?
    if [ $got = "$want" ] && grep -Eq -- "$regex" "$work/out"; then
        passed=$((passed + 1))
    else
        echo "$*: status $got, wanted $want and a line $regex"
        cat "$work/out"
        failed=$((failed + 1))
    fi
}
