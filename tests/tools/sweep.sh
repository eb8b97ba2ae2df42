#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp sweep`: a row for each run, failures named, a sweep that is killed
# and goes on, shares by hand and by MPI, and what is no description.
. "$SW_SOURCE/tests/expect.sh"
run() {
    "$SW_BUILD/bin/softwarp" sweep "$@"
}
cd "$work" || exit 1
cat >a.json <<'J'
{"programs": [["sh", "-c", "sleep $3; echo $1 $2 >>log; test $1 != 3", "sh"]],
 "devices": ["GTX 280", "H200"],
 "params": {"N": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            "M": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]},
 "arguments": ["{N}", "{M}", "0"]}
J
sql() {
    python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row, sep="|")' "$@"
}
check() { # name, expected, got
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: '$3', not '$2'"
    fi
}

expect 0 'devices=H200 N=10 M=10$' a.json --list
check "runs" 200 "$(wc -l <out)"
# Killed in the middle, with all that it has started.
setsid "$SW_BUILD/bin/softwarp" sweep a.json --jobs 2 >/dev/null 2>&1 &
until [ "$(sql a.json.db 'select count(*) >= 20 from runs' 2>/dev/null)" = 1 ]
do
    sleep 0.1
done
kill -9 -$!
wait
before=$(sql a.json.db 'select count(*) from runs')
check "it was stopped early" 1 "$((before < 200))"
expect 1 '^200 of 200 runs are done, 20 of them failed' a.json --jobs 2
expect 1 '^failed: programs=.* devices=H200 N=3 M=10, status 1' a.json
check "none is done twice, but for those that were cut off" 1 \
    "$(($(wc -l <log) <= 202))"
check "a row each" '200|20' \
    "$(sql a.json.db "select count(*), sum(state = 'failed') from runs")"
check "with its place in the sweep" 'GeForce GTX 280' "$(
    sql a.json.db "select replace(device, 'GTX', 'GeForce GTX') from runs where
    params = 'N=7 M=2' order by number limit 1")"
rm log
expect 1 '^200 of 200 runs are done, 20 ' a.json --failed
check "only the failed ones again" 20 "$(wc -l <log)"

sed 's/"M": .*$/"M": [1]},/; s/"0"\]/"0.01"]/' a.json >b.json
expect 0 '^10 of 20 runs are done, 0 of them failed' b.json --share 1/2
expect 0 '^20 of 20 runs are done, 2 of them failed' b.json --share 0/2
sed 's/"M": .*$/"M": [1]},/; s/\[1, 2, .*10\],/[1],/; s/"0"\]/"9"]/' a.json >c.json
expect 1 '^late: .*N=1 M=1, status 137' c.json --timeout 1
if command -v mpirun >/dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    mpirun --oversubscribe -n 4 "$SW_BUILD/bin/softwarp" sweep b.json \
        --db mpi.db >/dev/null 2>&1
    check "ranks of MPI share the runs" '20|20' \
        "$(sql mpi.db 'select count(*), count(distinct number) from runs')"
fi
SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4 \
    "$SW_BUILD/bin/softwarp" sweep b.json --db slurm.db >/dev/null
check "so do tasks of a Slurm array" '1|5|9|13|17' \
    "$(sql slurm.db 'select group_concat(number, "|") from runs')"
echo '{}' >d.json
expect 2 "a list of values belongs to 'programs'" d.json
echo '[' >d.json
expect 2 'd.json:[12]: ' d.json
expect 2 "takes I/N with I below N, not '2/2'" a.json --share 2/2
expect 2 "no such option '--fast'" a.json --fast 1
expect 2 'unable to open' a.json --db no/such/folder.db
echo "tools/sweep: $passed passed, $failed failed"
[ $failed = 0 ]
