#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cost.sh [FILE.cu...]: what the tools of `softwarp check` cost. Runs programs of
# bench/ (all without a name) plainly, compiled, and under each tool, and prints
# a table: processor time in seconds, and each tool's as a multiple of the plain
# run; the last row has geometric means. Each way the program runs once before,
# which fills the cache of compiled kernels, and then SW_COST_RUNS times (3), of
# which the shortest counts. SOFTWARP_ENGINE=jit holds for all of them.
#     SW_BUILD=build tests/check/cost.sh bench/scan.cu
: "${SW_BUILD:?the folder of the build}"
softwarp=$SW_BUILD/bin/softwarp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- bench/*.cu
limit=${SW_COST_SECONDS:-120}
runs=${SW_COST_RUNS:-3}
arguments='small reps=200'
export SOFTWARP_ENGINE=jit

# seconds COMMAND...: of all its threads; nothing if it fails or takes too long
seconds() {
    local TIMEFORMAT='%U %S' run
    : >"$work/times"
    for ((run = 0; run <= runs; run++)); do
        { time timeout "$limit" "$@" >/dev/null 2>"$work/log" </dev/null; } \
            2>"$work/time"
        case $? in 0 | 1) ;; *) return ;; esac
        [ $run = 0 ] || cat "$work/time" >>"$work/times"
    done
    awk '{ s = $1 + $2 } NR == 1 || s < least { least = s }
        END { print least }' "$work/times"
}

echo '| program | plain, s | memory | race | init | all |'
echo '|---|---|---|---|---|---|'
# shellcheck disable=SC2086 # two words
for file; do
    "$softwarp" cc -lineinfo -DSMALL_KERNELS "$file" -o "$work/app" \
        >/dev/null 2>&1 || continue
    plain=$(seconds "$softwarp" run "$work/app" $arguments)
    [ -n "$plain" ] || continue # it takes other arguments
    row="$(basename "$file" .cu) $plain"
    for tool in memory race init all; do
        cost=$(seconds "$softwarp" check --tool $tool "$work/app" $arguments)
        row="$row ${cost:--}"
    done
    echo "$row" >>"$work/rows"
    echo "$row" | awk '{ printf "| %s | %.2f |", $1, $2
        for (i = 3; i <= 6; i++)
            printf " %s |", $i == "-" ? "-" : sprintf("%.1f", $i / $2)
        print "" }'
done
awk '{ for (i = 3; i <= 6; i++) if ($i != "-") { s[i] += log($i / $2); n[i]++ } }
    END { printf "| geometric mean | |"
        for (i = 3; i <= 6; i++) printf " %.1f |", n[i] ? exp(s[i] / n[i]) : 0
        print "" }' "$work/rows"
