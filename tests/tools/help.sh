#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp help`: the same as --help; the environment; manual pages and
# completion that shells and man take; docs/settings.md is what it writes
# (--write). Wrong values of variables and options are errors.
cd "$(dirname "$0")/../.." || exit 1
SW_BUILD=${SW_BUILD:-build}
softwarp=$SW_BUILD/bin/softwarp
. tests/expect.sh
: "${SW_PRELOAD:=}"

run() {
    LD_PRELOAD="$SW_PRELOAD" "$softwarp" "$@"
}

# check NAME: what the last command said is right
check() {
    # shellcheck disable=SC2181 # of the command before
    if [ $? = 0 ]; then
        passed=$((passed + 1))
    else
        echo "not so: $1"
        failed=$((failed + 1))
    fi
}

run help --markdown >"$work/settings.md"
[ "$1" = --write ] && cp "$work/settings.md" docs/settings.md
cmp docs/settings.md "$work/settings.md"
check 'docs/settings.md is current: sh tests/tools/help.sh --write'

commands=$(run help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
    run help "$command" >"$work/a" && run "$command" --help >"$work/b" &&
        [ -s "$work/a" ] && cmp "$work/a" "$work/b"
    check "softwarp help $command is softwarp $command --help"
    grep -q "^usage: softwarp $command" "$work/a"
    check "softwarp help $command says how it is called"
done
expect 0 '^  SOFTWARP_ENGINE=auto, jit or interp$' help environment
expect 2 "'prfo' is no command; did you mean prof?" prfo
expect 2 "'devcies' is no command; did you mean devices?" help devcies

# No variable is read but through the table.
! grep -rnE 'getenv\("SOFTWARP_' src tools
check 'variables are read through src/base/settings.def'

# Wrong values.
expect_env() {
    SW_PRELOAD="$SW_PRELOAD" env "$1" "$softwarp" run true >"$work/out" 2>&1
    [ $? = 2 ] && grep -q "$2" "$work/out"
    check "$1: $2"
}
expect_env SOFTWARP_ENGINE=fast \
    "run: error: SOFTWARP_ENGINE is 'fast'; it may be auto, jit or interp"
expect_env SOFTWARP_LOG=loud 'may be error, warn, info or debug'
expect_env SOFTWARP_THREADS=0 'may be a number from 1 to 65536'
expect_env SOFTWARP_DEVICE=H2000 'did you mean H200'
expect 2 "error: --threads takes a number from 1 to 65536, not 'x'" \
    run --threads x true
expect 2 "error: --error-exitcode takes a number from 1 to 255, not '0'" \
    run --error-exitcode 0 true
SOFTWARP_THRAEDS=2 run run true 2>"$work/out" &&
    grep -q 'warning: SOFTWARP_THRAEDS is no setting; did you mean SOFTWARP_THREADS?' "$work/out"
check 'an unknown variable is warned of'

# Manual pages.
for page in softwarp softwarp-environment $(echo "$commands" | sed 's/^/softwarp-/'); do
    run help --man "$page" >"$work/page" && grep -q '^\.TH "SOFTWARP' "$work/page"
    check "page $page"
    if command -v groff >/dev/null; then
        groff -man -Tascii -ww "$work/page" >"$work/text" 2>"$work/err" &&
            [ ! -s "$work/err" ] && grep -q SYNOPSIS "$work/page" ||
            [ "$page" = softwarp-environment ]
        check "groff takes $page"
    fi
done
expect 2 "no page 'softwarp-none'" help --man softwarp-none

# Completion.
for shell in bash zsh fish; do
    run help --completion $shell >"$work/completion.$shell"
    check "completion for $shell"
    grep -q -e error-exitcode "$work/completion.$shell"
    check "completion for $shell knows the options"
    if command -v $shell >/dev/null; then
        $shell -n "$work/completion.$shell"
        check "$shell takes its completion"
    fi
done
cat >"$work/try.bash" <<'TRY'
softwarp() { "$SOFTWARP_COMMAND" "$@"; }
. "$1"
COMP_WORDS=(softwarp run --err) COMP_CWORD=2
_softwarp softwarp --err run
echo "${COMPREPLY[@]}"
COMP_WORDS=(softwarp de) COMP_CWORD=1
_softwarp softwarp de softwarp
echo "${COMPREPLY[@]}"
COMP_WORDS=(softwarp run --device 'a100 p') COMP_CWORD=3
_softwarp softwarp 'a100 p' --device
echo "${COMPREPLY[@]}"
TRY
env -u BASH_ENV "SOFTWARP_COMMAND=$softwarp" bash "$work/try.bash" \
    "$work/completion.bash" >"$work/out" 2>"$work/err"
printf '%s\n' --error-exitcode devices \
    'A100\ PCIe\ 40\ GB A100\ PCIe\ 80\ GB' | cmp - "$work/out"
check 'bash completes options, commands and devices'
expect 2 'takes bash, zsh or fish' help --completion tcsh

echo "tools/help: $passed passed, $failed failed"
[ $failed = 0 ]
