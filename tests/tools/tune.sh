#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp info --tune`: it shows what SOFTWARP_TUNE sets and refuses what is
# wrong; docs/tuning.md is what it writes; the kernels that it names are those of
# bench/cases.txt. With --write it writes the page.
cd "$(dirname "$0")/../.." || exit 1
SW_BUILD=${SW_BUILD:-build}
. tests/expect.sh

run() {
    SOFTWARP_TUNE=$tune "$SW_BUILD/bin/softwarp" info "$@"
}

tune=
run --tune --markdown >"$work/tuning.md" || exit 1
[ "$1" = --write ] && cp "$work/tuning.md" docs/tuning.md
if cmp -s "$work/tuning.md" docs/tuning.md; then
    passed=$((passed + 1))
else
    echo "docs/tuning.md is not current: run sh tests/tools/tune.sh --write"
    diff docs/tuning.md "$work/tuning.md" | head -n 20
    failed=$((failed + 1))
fi

run --tune | sed -n 's/^  shown by: \([^(]\)/\1/p' | sort -u >"$work/cases"
[ -s "$work/cases" ] || failed=$((failed + 1))
rows=$(run --tune | grep -c '^[a-z]*\.')
shown=$(run --tune | grep -c '^  shown by: ')
if [ "$rows" = "$shown" ]; then
    passed=$((passed + 1))
else
    echo "$rows rows, $shown with a kernel or a reason why none shows it"
    failed=$((failed + 1))
fi
while read -r name; do
    if grep -q "^$name " bench/cases.txt; then
        passed=$((passed + 1))
    else
        echo "bench/cases.txt has no kernel $name"
        failed=$((failed + 1))
    fi
done <"$work/cases"

expect 0 '^opt\.inline_each = 400 instructions \(0 to 100000\)$' --tune
expect 2 '^usage: softwarp info' --tune wrong
tune='opt.inline_each=7, exec.chunk_ns=0x10'
expect 0 '^opt\.inline_each = 7 ' --tune
expect 0 '^exec\.chunk_ns = 16 ns' --tune
tune='opt.inline_each=7,opt.inline=1'
expect 0 '"opt\.inline"; there are opt\.inline_each .*opt\.coarsening_near$' --tune
expect 0 '^opt\.inline_each = 400 ' --tune
tune=exec.chunk_most=0
expect 0 'chunk_most" cannot be "0"; it is a whole number from 1 to 1000000 in blocks' --tune
echo "tools/tune: $passed passed, $failed failed"
[ $failed = 0 ]
