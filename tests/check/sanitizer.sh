#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sanitizer.sh [--table]: what NVIDIA's compute-sanitizer finds in the cases of
# this folder. On a machine with a GPU, nvcc and compute-sanitizer: builds them,
# runs its four tools on each, and writes tests/data/check_sanitizer.csv (or
# SW_DATA). --table, anywhere: makes docs/check.md's table of that file.
cd "$(dirname "$0")/../.." || exit 1
data=${SW_DATA:-tests/data/check_sanitizer.csv}

if [ "${1:-}" = --table ]; then
    echo '| fault | cases | compute-sanitizer reports something |'
    echo '|---|---|---|'
    awk -F, 'NR > 1 { n[$3]++; found[$3] += $4 != "nothing" }
        END { for (f in n) printf "| %s | %d | %d |\n", f, n[f], found[f] }' "$data" |
        sort
    exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work

# one PROGRAM CASE: a line of the table
one() {
    fault=$(sed -n "s|.*// $2: \([a-z-]*\).*|\1|p" "tests/check/$1.cu" | head -1)
    found=
    for tool in initcheck memcheck racecheck synccheck; do
        leak=
        [ $tool = memcheck ] && leak='--leak-check full'
        # shellcheck disable=SC2086 # none, or two words
        timeout -k 1 15 compute-sanitizer --tool $tool $leak --error-exitcode 77 \
            "$work/$1" "$2" >/dev/null 2>&1
        [ $? = 77 ] && found=${found:+$found+}$tool
    done
    echo "$1,$2,${fault:-clean},${found:-nothing}"
}
export -f one

# build FILE.cu: names its cases
build() {
    name=$(basename "$1" .cu)
    options=$(sed -n 's|^// cc: ||p' "$1")
    case $options in *-arch=*) ;; *) options="$options -arch=native" ;; esac
    # shellcheck disable=SC2086
    nvcc -O2 -g -lineinfo -rdc=true -std=c++17 $options "$1" -o "$work/$name" \
        >"$work/$name.log" 2>&1 || { tail -5 "$work/$name.log" >&2; return; }
    "$work/$name" | sed "s/^/$name /"
}
export -f build

# shellcheck disable=SC2016 # bash -c expands them
printf '%s\n' tests/check/*.cu | xargs -P "$(nproc)" -I {} bash -c \
    'build {} >"$work/$(basename {}).cases"'
cat "$work"/*.cases >"$work/cases"
{
    echo 'program,case,fault,found by'
    # shellcheck disable=SC2016 # bash -c expands them
    xargs -P "$(nproc)" -L 1 bash -c 'one $0 $1' <"$work/cases" | sort
} >"$data"
