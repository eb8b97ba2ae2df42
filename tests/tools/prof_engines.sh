#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a profile counts of the programs of tests/apps, interpreted and compiled:
# the same, launch by launch and instruction by instruction. Left out are those
# that launch nothing, fault, wait in loops, pretend to be a device of 1.x, or
# write where the order of their blocks says.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

count() { # engine
    env LD_PRELOAD="$SW_PRELOAD" SOFTWARP_ENGINE="$1" \
        SOFTWARP_PROFILE="$work/$1" SOFTWARP_PROFILE_COUNT=1 \
        "$SW_BUILD/bin/softwarp" run "$work/app" >"$work/out" 2>&1 </dev/null
    grep '^[NR]' "$work/$1" | LC_ALL=C sort >"$work/$1.counts"
}

for file in tests/apps/*.cu; do
    case $(basename "$file" .cu) in
    assertion_fails | barrier_not_reached | device_of_2006 | group_functions | \
        host_pointer | launch_is_refused | null_pointer | \
        loose_programs | scoped_atomics | texture_objects_tell | \
        textures_compiled) continue ;;
    esac
    cc=$(sed -n 's/^\/\/ cc: //p' "$file")
    # shellcheck disable=SC2086
    "$SW_BUILD/bin/softwarp" cc $cc "$file" -o "$work/app" >"$work/cc" 2>&1 ||
        cat "$work/cc"
    count interp
    count jit
    if [ -s "$work/jit.counts" ] &&
        cmp -s "$work/interp.counts" "$work/jit.counts"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$file: compiled code counts otherwise"
        diff "$work/interp.counts" "$work/jit.counts" | cut -c1-200 | head -4
    fi
    rm -f "$work/app" "$work/interp" "$work/jit"
done
echo "tools/prof_engines: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
