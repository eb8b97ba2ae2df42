#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# app.sh FILE.cu [argument...] - compiles the program with `softwarp cc`, runs it
# with `softwarp run` and holds what it does against the comments in the file:
#
#     // cc: OPTIONS           for the compiler
#     // env: NAME=VALUE...    what is in its environment
#     // run: OPTIONS          for `softwarp run`, before the program
#     // device: NAME          what to pretend to be
#     // args: ARGUMENTS       for the program
#     // status: N             its exit status (default 0)
#     // expect: EXACT LINE    a line it prints
#     // expect: MATCH REGEX   an extended regular expression one line matches
#     // expect: ERROR REGEX   the same for standard error
#     // expect: ABSENT REGEX  no line of standard error matches
#
# $SW_CC_FLAGS are more options for the compiler. Without an expectation (the
# examples) each line `NAME: verified` is a case.
file=$1
shift
: "${SW_BUILD:?run by ctest}"
name=$(basename "$(dirname "$file")")/$(basename "$file" .cu)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lines=$(tr -d '\r' <"$file" | sed -n 's/^\/\/ \([a-z]*\): /\1 /p')
of() { printf '%s\n' "$lines" | sed -n "s/^$1 //p"; }

# shellcheck disable=SC2046
"$SW_BUILD/bin/softwarp" cc $(of cc) ${SW_CC_FLAGS:-} "$file" -o "$work/app" >"$work/cc" 2>&1 || {
    cat "$work/cc"
    echo "$name: does not compile"
    echo "$name: 0 passed, 1 failed"
    exit 1
}
device=$(of device)
# shellcheck disable=SC2046
env LD_PRELOAD="$SW_PRELOAD" $(of env) \
    "$SW_BUILD/bin/softwarp" run $(of run) ${device:+--device "$device"} "$work/app" $(of args) "$@" \
    >"$work/out" 2>"$work/err" </dev/null
status=$?
passed=0 failed=0
result() { # 0 or not, what
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: $2"
    fi
}
want=$(of status)
[ "$status" = "${want:-0}" ]
result $? "exit status $status, not ${want:-0}"
of expect >"$work/expect"
while read -r how what; do
    case $how in
    EXACT) grep -qxF -e "$what" "$work/out" ;;
    MATCH) grep -qE -e "$what" "$work/out" ;;
    ERROR) grep -qE -e "$what" "$work/err" ;;
    ABSENT) ! grep -qE -e "$what" "$work/err" ;;
    *) false ;;
    esac
    result $? "expected $how $what"
done <"$work/expect"
if [ ! -s "$work/expect" ]; then
    good=$(grep -c ': verified$' "$work/out")
    bad=$(grep -c ': WRONG' "$work/out")
    [ "$good" -gt 0 ]
    result $? "nothing verified"
    passed=$((passed + good)) failed=$((failed + bad))
fi
if [ $failed != 0 ]; then
    cat "$work/cc"
    sed 's/^/out| /' "$work/out"
    sed 's/^/err| /' "$work/err"
fi
echo "$name: $passed passed, $failed failed"
[ $failed = 0 ]
