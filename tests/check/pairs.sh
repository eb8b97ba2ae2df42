#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs pairs of kernels (generate.sh) under `softwarp check`: each wrong one has
# to be found with its kind and line, and nothing may be said of a right one.
#     SW_BUILD=build tests/check/pairs.sh [all]
# "all" takes every type and size, more than 2,000 pairs in some minutes; else a
# few of each pattern.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
types="int double" sizes="64" grids="2"
[ "${1:-}" = all ] && sizes="32 64 128 256" grids="2 5" &&
    types="char short int unsigned float double long_long unsigned_char unsigned_short"

# "KERNEL KIND LINE OTHER" of each finding of our own JSON.
found() {
    awk '/"kind": / {
        kind = $0
        sub(/.*"kind": "/, "", kind)
        sub(/".*/, "", kind)
        n = split($0, part, "\"line\": ")
        line = part[2] + 0
        other = n > 2 ? part[3] + 0 : line
    }
    /"kernel": / {
        kernel = $0
        sub(/.*"kernel": "/, "", kernel)
        sub(/[("].*/, "", kernel)
    }
    /"benign": / { print kernel, kind, line, other }' "$1"
}

passed=0 failed=0 pairs=0
for file in "$here"/patterns/*.txt; do
    sh "$here/generate.sh" "$file" "$types" "$sizes" "$grids" >"$work/pairs.cu"
    "$softwarp" cc -O1 -g -lineinfo "$work/pairs.cu" -o "$work/pairs" ||
        { failed=$((failed + 1)); continue; }
    "$softwarp" check --json "$work/found.json" --log-file "$work/log" \
        "$work/pairs" >"$work/out" 2>&1
    found "$work/found.json" >"$work/found"
    grep -o '^extern "C" __global__ void [a-z_]*_wrong_[0-9]*' \
        "$work/pairs.cu" | sed 's/.* //' >"$work/wrong"
    awk '/^pattern / { name = $2 } /\/\/= / { print name, $NF, FNR }' \
        "$file" >"$work/wanted"
    awk -v wanted="$work/wanted" -v found="$work/found" '
    BEGIN {
        while ((getline < wanted) > 0) { kind[$1] = $2; line[$1] = $3 }
        while ((getline < found) > 0) {
            name = $1
            if (name ~ /_right_/) said[name] = said[name] " " $2 ":" $3
            sub(/_wrong_[0-9]*$/, "", name)
            if ($2 == kind[name] && ($3 == line[name] || $4 == line[name]))
                met[$1] = 1
        }
    }
    {
        right = $1
        sub(/_wrong_/, "_right_", right)
        if (!($1 in met)) { print "missed: " $1; bad++ } else good++
        if (right in said) { print right " is right, but:" said[right]; bad++ } else good++
    }
    END { print good + 0, bad + 0 > "/dev/stderr" }' "$work/wrong" \
        >"$work/why" 2>"$work/sums"
    read -r good bad <"$work/sums"
    passed=$((passed + good)) failed=$((failed + bad))
    pairs=$((pairs + $(wc -l <"$work/wrong")))
    [ "$bad" = 0 ] || head -20 "$work/why"
done
echo "$pairs pairs"
echo "check/pairs: $passed passed, $failed failed"
[ $failed = 0 ]
