#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# softwarp check: compute-sanitizer's names of tools and options do what its
# users expect; --gdb stops at the finding.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/app.cu" <<'CU'
__global__ void race(int *a)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void decide(int *a, int *b) { if (*a) *b = 1; }
int main()
{
    int *a, *b;
    cudaMalloc(&a, 64 * sizeof *a);
    cudaMalloc(&b, 64 * sizeof *b);
    cudaMemset(a, 0, 64 * sizeof *a);
    race<<<1, 64>>>(a);
    decide<<<1, 1>>>(b, a);
    cudaDeviceSynchronize();
    cudaFree(a);
    return 5;
}
CU
"$softwarp" cc -g -lineinfo "$work/app.cu" -o "$work/app" || exit 1
passed=0 failed=0

# check STATUS KINDS OPTION...: the exit status and the kinds that are found
check() {
    status=$1 kinds=$2
    shift 2
    "$softwarp" check "$@" --json "$work/json" "$work/app" >"$work/log" 2>&1
    got=$?
    found=$(sed -n 's/.*"kind": "\([^"]*\)".*/\1/p' "$work/json" | sort -u |
        tr '\n' ' ')
    if [ $got = "$status" ] && [ "$found" = "${kinds:+$kinds }" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$*: status $got with '$found', not $status with '$kinds'"
    fi
}
# has FILE REGEX
has() {
    if grep -Eq -- "$2" "$work/$1"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1 has no '$2'"
        head -5 "$work/$1"
    fi
}

check 5 '' --tool memcheck
check 1 'race-shared' --tool racecheck
check 1 'uninit' --tool initcheck
check 5 '' --tool synccheck
check 1 'leak' --tool memcheck --leak-check full
check 5 '' --tool memcheck --leak-check no
check 1 'leak race-shared uninit'
check 9 'race-shared' --tool racecheck --error-exitcode 9
check 5 'race-shared' --tool racecheck --error-exitcode 0
check 1 'race-shared' --tool racecheck --kernel-name kernel_substring=rac
check 5 '' --tool racecheck --kernel-name decide
check 5 '' --tool racecheck --kernel-regex 'regex=^x'
check 5 '' --tool racecheck --launch-skip 1
check 1 'race-shared' --tool racecheck --launch-count 1
# What a launch that is left out writes counts as written.
check 5 '' --tool initcheck --launch-skip 1 --launch-count 1
check 1 'leak race-shared uninit' --print-limit 1
has log '3 findings'
check 1 'race-shared' --tool racecheck --xml
has log '<kind>|<record>'
check 1 'race-shared' --tool racecheck --save "$work/xml"
has xml '<kind>|<record>'
check 1 'race-shared' --tool racecheck --log-file "$work/report"
has report 'race-shared'
check 1 'race-shared' --tool racecheck --show-backtrace no --racecheck-report all --target-processes all
check 1 'race-shared' --tool racecheck --gen-suppressions "$work/known"
check 5 '' --tool racecheck --suppressions "$work/known"
"$softwarp" check --launch-skip many "$work/app" >"$work/log" 2>&1
has log "--launch-skip takes a number"
"$softwarp" check --tool nothing "$work/app" >"$work/log" 2>&1
has log "no tool 'nothing'"

skipped=0
if command -v gdb >/dev/null; then
    printf 'softwarp blocks\nkill\nquit\n' |
        timeout 100 "$softwarp" check --tool race --gdb "$work/app" \
            >"$work/gdb" 2>&1
    if grep -Eq 'ptrace: Operation not permitted|Python scripting is not' \
        "$work/gdb"; then
        skipped=1
    else
        has gdb 'softwarp: race-shared: .* at .*app.cu:[45] in race\(int\*\)'
        has gdb '\* 0 .*of race\(int\*\)<<<'
    fi
else
    skipped=1
fi
echo "tools/check_options: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
