#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exercise.sh EXERCISE: its solution is right, its file with gaps is wrong with
# the sentence that the table promises, and so is each of the table's mistakes.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
course=$SW_SOURCE/course
name=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# The solution, the gaps, and files with mistakes, with what is to be said: a
# line each in the list.
python3 - "$course" "$name" "$work" >"$work/list" <<'PY' || exit 1
import json, os, sys
course, name, work = sys.argv[1:]
e = next(e for e in json.load(open(course + "/exercises.json"))
         if e["name"] == name)
solution = open(course + "/solutions/" + e["file"]).read()
gaps = course + "/exercises/" + e["file"]
assert "GAP 1" in open(gaps).read() and "GAP" not in solution
print(course + "/solutions/" + e["file"], 0, e["name"] + ": right", sep="\t")
print(gaps, 1, e["gap_says"], sep="\t")
for i, m in enumerate(e.get("mistakes", [])):
    assert m["from"] in solution, m
    folder = "%s/%d" % (work, i)
    os.mkdir(folder)
    with open(folder + "/" + e["file"], "w") as f:
        f.write(solution.replace(m["from"], m["to"], 1))
    print(folder + "/" + e["file"], 1, m["says"], sep="\t")
PY
while IFS='	' read -r file want says; do
    "$softwarp" course check "$name" --file "$file" >"$work/out" 2>&1
    got=$?
    if [ "$got" = "$want" ] && grep -qF -- "$says" "$work/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$file: status $got, wanted $want and: $says"
        cat "$work/out"
    fi
done <"$work/list"
echo "course/$name: $passed passed, $failed failed"
[ $failed = 0 ]
