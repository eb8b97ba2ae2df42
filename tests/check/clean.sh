#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs programs of the tree, which are right, under `softwarp check`: each finding
# is a false alarm, but for kinds that a comment at the program's end allows:
#
#     // check: KIND... (why)
#
# Leaks are not looked at: test programs end without freeing. Notes and races
# that may be benign count as findings here.
#     SW_BUILD=build tests/check/clean.sh [all | FILE.cu...]
# Without a name: some quick ones; "all": examples, bench and tests/apps, in about
# half an hour.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source" || exit 1
# shellcheck disable=SC2046
case ${1:-} in
'') set -- $(cat tests/check/clean.txt) ;;
all) set -- examples/*.cu bench/*.cu tests/apps/*.cu ;;
esac

# "KIND LINE" of each finding of our own JSON.
found() {
    awk '/"kind": / {
        kind = $0
        sub(/.*"kind": "/, "", kind)
        sub(/".*/, "", kind)
        n = split($0, part, "\"line\": ")
        print kind, part[2] + 0
    }' "$1"
}

passed=0 failed=0
for file; do
    of() { tr -d '\r' <"$file" | sed -n "s/^\/\/ $1: //p"; }
    case $file in
    *examples/*) flags='' args=--quick ;;
    *bench/*) flags=-DSMALL_KERNELS args='small reps=1' ;;
    *) flags='' args=$(of args) ;;
    esac
    # shellcheck disable=SC2046,SC2086
    "$softwarp" cc -g -lineinfo $(of cc) $flags "$file" -o "$work/app" \
        >"$work/log" 2>&1 || {
        cat "$work/log"
        failed=$((failed + 1))
        continue
    }
    device=$(of device)
    rm -f "$work/found.json"
    # shellcheck disable=SC2046,SC2086
    env $(of env) timeout "${SW_CLEAN_SECONDS:-300}" "$softwarp" check \
        --tool memory,race,init,sync,host --json "$work/found.json" \
        --log-file "$work/log" ${device:+--device "$device"} "$work/app" $args \
        >"$work/out" 2>&1 </dev/null
    status=$?
    if [ $status = 124 ] || [ ! -s "$work/found.json" ]; then
        echo "$file: no report (exit status $status)"
        tail -3 "$work/out"
        failed=$((failed + 1))
        continue
    fi
    allowed=" $(of check | tr '\n' ' ') "
    found "$work/found.json" | while read -r kind line; do
        case $allowed in *" $kind "*) ;; *) echo "$kind at line $line" ;; esac
    done >"$work/wrong"
    if [ -s "$work/wrong" ]; then
        failed=$((failed + 1))
        sed "s|^|$file: |" "$work/wrong"
        [ -z "${SW_CLEAN_REPORTS:-}" ] || cat "$work/log"
    else
        passed=$((passed + 1))
    fi
done
echo "check/clean: $passed passed, $failed failed"
[ $failed = 0 ]
