#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The counting itself: tests/sum.awk on outputs of ctest with a crash, a time
# limit, a silent pass and expected failures in them, and tests/check.h on cases
# that must fail.
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # what, got, want
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: got '$2', not '$3'"
    fi
}

cat >"$work/log" <<'LOG'
1: unit/good: 5 passed, 0 failed
1/8 Test #1: unit/good ........................   Passed    0.01 sec
2: something odd
2: unit/bad: 3 passed, 2 failed, 1 skipped
2/8 Test #2: unit/bad .........................***Failed    0.01 sec
3: half way through
3/8 Test #3: unit/crash .......................***Exception: SegFault  0.01 sec
4/8 Test #4: unit/slow ........................***Timeout  60.00 sec
5: nothing said
5/8 Test #5: unit/silent ......................   Passed    0.01 sec
6: skip: no reason to run
6/8 Test #6: unit/skip ........................***Skipped   0.01 sec
7: unit/known: 1 passed, 2 failed
7/8 Test #7: unit/known .......................***Failed    0.01 sec
8: unit/liar: 4 passed, 0 failed
8/8 Test #8: unit/liar ........................***Exception: SegFault  0.01 sec
LOG
echo "unit/known because" >"$work/expected"
sum=$(awk -f tests/sum.awk "$work/expected" "$work/log")
check "status of failures" $? 1
check "closing line" "$(echo "$sum" | tail -n 1)" \
    "tests: 13 passed, 6 failed, 4 skipped"
check "output of what failed" "$(echo "$sum" | grep -c 'something odd')" 1
check "reason of a skip" \
    "$(echo "$sum" | grep -c 'unit/skip: skipped: no reason to run')" 1

head -n 2 "$work/log" >"$work/good"
: >"$work/none"
check "all good" "$(awk -f tests/sum.awk "$work/none" "$work/good")" \
    "tests: 5 passed, 0 failed, 0 skipped"
echo "unit/good because" >"$work/expected"
check "passes unexpectedly" \
    "$(awk -f tests/sum.awk "$work/expected" "$work/good" | tail -n 1)" \
    "tests: 5 passed, 1 failed, 0 skipped"
echo "unit/gone because" >"$work/expected"
check "expected, but no test" \
    "$(awk -f tests/sum.awk "$work/expected" "$work/good" | tail -n 1)" \
    "tests: 5 passed, 1 failed, 0 skipped"
awk -f tests/sum.awk "$work/none" /dev/null >"$work/out"
check "nothing ran" $? 1

cat >"$work/t.c" <<'C'
#define SW_TEST_NAME "t"
#include "check.h"
CASE(good) { CHECK(1); CHECK_EQ(-1, -1); CHECK_STR("a", "a"); }
CASE(no_checks) {}
CASE(wrong_then_right) { CHECK_EQ(2, 3); CHECK(1); }
CASE(null_is_not_empty) { CHECK_STR(NULL, ""); }
CASE(null_is_null) { CHECK_STR(NULL, NULL); }
C
${CC:-cc} -D_GNU_SOURCE -Itests -o "$work/t" "$work/t.c"
check "compiles" $? 0
"$work/t" >"$work/out"
check "status of a failure" $? 1
check "counts of check.h" "$(tail -n 1 "$work/out")" "t: 2 passed, 3 failed"
check "says both" "$(grep -c 't.c:5: 2 is 2 (0x2), not 3 (3)' "$work/out")" 1
"$work/t" good >"$work/out"
check "status of one case" $? 0
check "one case" "$(cat "$work/out")" "t: 1 passed, 0 failed"
echo 'CASE(f) { CHECK_EQ(0.5, 0.7); }' >>"$work/t.c"
${CC:-cc} -D_GNU_SOURCE -Itests -o "$work/t" "$work/t.c" 2>"$work/out"
check "floating point in CHECK_EQ" "$([ $? = 0 ] && echo compiles)" ""
echo "tree/harness: $passed passed, $failed failed"
[ $failed = 0 ]
