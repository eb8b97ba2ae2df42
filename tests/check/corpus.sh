#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# corpus.sh BUILD [CASE...] - runs each case of corpus.cu under `softwarp check`
# and compares what was found with the lines that say so. Ends with the counts.
set -u
here=$(dirname "$0")
build=$1
shift
softwarp=$build/bin/softwarp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$softwarp" cc -O2 -g -lineinfo -rdc=true "$here/corpus.cu" -o "$work/corpus" || {
    echo "check/corpus: 0 passed, 1 failed"
    exit 1
}
[ $# -gt 0 ] || set -- $("$work/corpus")
good=0 bad=0
for name; do
    # "KIND LINE" for each line of the source that is wrong.
    awk -v name="$name" '{
        n = split($0, part, "// " name ": ")
        if (n > 1) print part[2], FNR
    }' "$here/corpus.cu" | sort -u >"$work/wanted"
    timeout 120 "$softwarp" check --json "$work/found.json" \
        "$work/corpus" "$name" >"$work/log" 2>&1
    python3 - "$work/found.json" <<'PY' >"$work/found" 2>>"$work/log"
import json, sys
for f in json.load(open(sys.argv[1]))["findings"]:
    other = f["other"]["line"] if f["other"] else f["line"]
    print(f["kind"] + (" benign" if f["benign"] else ""), f["line"], other)
PY
    # The line may be either side of a race.
    if awk -v wanted="$work/wanted" '
        BEGIN {
            while ((getline line < wanted) > 0) {
                at = match(line, / [0-9]+$/)
                kind = substr(line, 1, at - 1)
                want[kind] = substr(line, at + 1)
                left[kind] = 1
                n++
            }
        }
        {
            kind = $1
            if ($2 == "benign") kind = $1 " benign"
            if (!(kind in want)) { print "not wanted: " $0; wrong = 1; next }
            if ($(NF - 1) == want[kind] || $NF == want[kind]) delete left[kind]
        }
        END {
            for (kind in left) { print "missing: " kind " at " want[kind]; wrong = 1 }
            exit wrong
        }' "$work/found" >"$work/why"; then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        echo "$name:"
        sed 's/^/    /' "$work/why"
        [ -z "${VERBOSE:-}" ] || cat "$work/log"
    fi
done
echo "check/corpus: $good passed, $bad failed"
[ $bad = 0 ]
