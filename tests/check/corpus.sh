#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs each case of a file of this folder under `softwarp check` and compares
# what was found with the lines that say so.
#     SW_BUILD=build tests/check/corpus.sh FILE.cu [CASE...]
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
here=$(cd "$(dirname "$0")" && pwd)
file=$here/$1
test=check/$(basename "$1" .cu)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=$(sed -n 's|^// cc: ||p' "$file")
# shellcheck disable=SC2086
"$softwarp" cc -O2 -g -lineinfo -rdc=true $options "$file" -o "$work/corpus" ||
    { echo "$test: 0 passed, 1 failed"; exit 1; }
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $("$work/corpus")

# "KIND[ benign]|LINE|OTHER LINE" of each finding of our own JSON.
found() {
    awk '/"kind": / {
        kind = $0
        sub(/.*"kind": "/, "", kind)
        sub(/".*/, "", kind)
        n = split($0, part, "\"line\": ")
        line = part[2] + 0
        other = n > 2 ? part[3] + 0 : line
    }
    /"benign": / {
        print kind (/"benign": true/ ? " benign" : "") "|" line "|" other
    }' "$1"
}

# Every finding has to be one of a wanted kind, and each wanted line to be one
# side of one.
compare() { # wanted, found
    awk -F '|' -v wanted="$1" '
    BEGIN {
        while ((getline row < wanted) > 0) {
            split(row, part, "|")
            line[part[1]] = part[2]
            missing[part[1]] = 1
        }
    }
    !($1 in line) { print "not wanted: " $0; wrong = 1; next }
    $2 == line[$1] || $3 == line[$1] { delete missing[$1] }
    END {
        for (kind in missing) {
            print "missing: " kind " at line " line[kind]
            wrong = 1
        }
        exit wrong
    }' "$2"
}

passed=0 failed=0
for name; do
    awk -v name="$name" '{
        n = split($0, part, "// " name ": ")
        for (i = 2; i <= n; i++) {
            sub(/ *(\/\/.*)?$/, "", part[i])
            print part[i] "|" FNR
        }
    }' "$file" >"$work/wanted"
    timeout 120 "$softwarp" check --json "$work/found.json" "$work/corpus" \
        "$name" >"$work/log" 2>&1
    status=$?
    found "$work/found.json" >"$work/found"
    [ -s "$work/wanted" ] && ! grep -qE 'benign|oob-texture' "$work/wanted" &&
        want=1 || want=0 # notes change no exit status
    if compare "$work/wanted" "$work/found" >"$work/why" &&
        [ $status = $want ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: exit status $status"
        sed 's/^/    /' "$work/why"
        cat "$work/log"
    fi
done
echo "$test: $passed passed, $failed failed"
[ $failed = 0 ]
