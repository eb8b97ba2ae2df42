#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/run: every native peer is right in its small size, the table has a row
# for each kernel with the numbers it should have, and what is wrong or missing
# shows in the exit status.
: "${SW_BUILD:?run by ctest}"
export SW_BUILD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
result() { # 0 or not, what
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "bench/table: $2"
        cat "$work/out"
    fi
}
fails() { ! "$@" >"$work/out" 2>&1; }

echo 'int main(void) { return 0; }' >"$work/omp.c"
if cc -fopenmp "$work/omp.c" -o "$work/omp" 2>/dev/null; then
    bench/run small rounds=1 reps=1 engines=native >"$work/out" 2>&1
    result $? "native peers fail"
    want=$(grep -c '^[a-z]' bench/cases.txt)
    got=$(grep -c '^| [a-z].*| small |' "$work/out")
    [ "$want" = "$got" ]
    result $? "$got rows, not $want"
    bench/run small rounds=2 reps=2 engines=ours,native saxpy >"$work/out" 2>&1
    result $? "saxpy fails"
    number='[0-9.e+-]*[0-9][0-9.e+-]*'
    grep -qx "| saxpy | small | 256 | $number | - | $number | - | - | $number |.*" \
        "$work/out"
    result $? "saxpy has not its numbers"
else
    echo "bench/table: no OpenMP here, native peers left out"
fi

# What the programs print, to the table by hand.
line='ours bench saxpy median_ms 2 min_ms 2 first_ms 2 reps 1 bytes 8 flops 2'
roof='roofline fma32 - 1
roofline copy 8 1'
table() { # text; engines
    printf '%s\n' "$roof" >"$work/roof"
    printf '%s\n' "$1" >"$work/raw"
    echo saxpy | awk -v engines=",$2," -v small=small -v rounds=1 \
        -f bench/table.awk bench/cases.txt "$work/roof" "$work/raw" -
}
table "$line" ours >"$work/out"
result $? "a right line fails"
fails table "$line
ours saxpy: WRONG" ours
result $? "a wrong result passes"
fails table "" ours
result $? "a missing result passes"
echo "bench/table: $passed passed, $failed failed"
[ $failed = 0 ]
