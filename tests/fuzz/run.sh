#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh [SECONDS [SEED [BUILD]]] - plays hostile programs of each kind for so
# long (an hour unless told), one after the other, and prints what failed. Files
# that calls write are in a folder that goes.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-3600} seed=${2:-1}
build=$(cd "${3:-$source/build}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
play() { # ENGINE KIND
    SOFTWARP_ENGINE=$1 "$build/tests/fuzzer" "$2" --seconds "$seconds" \
        --seed "$seed" --corpus "$source/tests/ptx" >out 2>&1 || failed=1
    sed "s/^fuzz\/$2/fuzz\/$2, $1/" out
    set -- "$(tail -n 1 out)"
    n=${1#*: } passed=$((passed + ${n%% passed*})) n=${n#*, }
    not=$((not + ${n%% failed*}))
}
failed=0 passed=0 not=0
for kind in mutants kernels; do
    play interp $kind
    play jit $kind
done
play auto calls
echo "fuzz: $passed passed, $not failed"
exit $failed
