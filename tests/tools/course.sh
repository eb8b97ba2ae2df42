#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp course`: a learner's folder, trials in it, the results of a class as
# table, JSON and CSV, and what is wrong.
. "$SW_SOURCE/tests/expect.sh"
run() {
    "$SW_BUILD/bin/softwarp" course "$@"
}
check() { # what, command...
    what=$1
    shift
    if "$@" >/dev/null 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$what"
    fi
}
cd "$work" || exit 1
expect 0 '^anna has the files of [0-9]+ exercises' new anna --name 'Anna "A" B'
expect 0 '^otto has the files' new otto --name Otto
expect 0 '^reduction-1 ' list
check "all files are there" [ -f anna/reduction_1.cu ]
expect 1 'gaps are marked in lines 12, 13 of anna/reduction_1.cu' \
    check reduction-1 --dir anna
run solution reduction-1 >anna/reduction_1.cu
expect 0 '^reduction-1: right' check reduction-1 --dir anna
echo 'no C' >otto/reduction_1.cu
expect 1 'WRONG The file does not compile' check reduction-1 --dir otto
expect 0 'has the files' new otto/../otto --name Another
check "what is there stays" grep -q 'no C' otto/reduction_1.cu
expect 0 '^Anna "A" B +reduction-1 +right +2 ' results anna otto
expect 0 '^"Anna ""A"" B","reduction-1",right,2,' results --csv anna otto
expect 0 '^Otto +reduction-1 +wrong +1  The file does not compile' results otto
run results --json anna otto >json
check "JSON" python3 -c '
import json
rows = json.load(open("json"))
a = [r for r in rows if r["exercise"] == "reduction-1"]
assert [r["state"] for r in a] == ["right", "wrong"] and a[0]["tries"] == 2
assert a[0]["first_right"] and not a[1]["first_right"]
assert all(r["state"] == "not tried" for r in rows if r not in a)'
expect 2 "there is no exercise 'reduction-9'; did you mean reduction" \
    check reduction-9
expect 2 'there is no file ./reduction_1.cu; .softwarp course new' \
    check reduction-1
expect 2 'is no folder that .softwarp course' results .
expect 2 'no such command' solve
expect 2 'results does not take' results --xml
mkdir bad
echo '[{"name": "a", "title": "b", "lesson": "c", "file": "d", "rules": []}]' \
    >bad/exercises.json
expect 2 "exercise 'a' does not begin with a rule for its result" \
    --course bad list
echo '[' >bad/exercises.json
expect 2 'bad/exercises.json:[12]: ' --course bad list
echo "tools/course: $passed passed, $failed failed"
[ $failed = 0 ]
