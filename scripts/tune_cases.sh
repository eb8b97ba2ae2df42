#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For which kernels of bench/ a tuning value makes a difference: those of which
# the compiler makes other code, before LLVM's passes, when the value is the
# least or the greatest of its range. A row's column `shown by` is one of them.
#
#     scripts/tune_cases.sh [NAME]... > LIST   # default: opt. jit., whole tables
#
# A row of the list: the value's name, which end of its range, kernels. Values
# that change no kernel's code are those of LLVM's passes and of running it.
cd "$(dirname "$0")/.." || exit 1
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TMPDIR="$work" SOFTWARP_LOG=error
export SOFTWARP_JIT_CPU="${SOFTWARP_JIT_CPU:-x86-64-v3}" # or x86-64-v4
[ "$#" -gt 0 ] || set -- opt. jit.
texts() { # SOFTWARP_TUNE
    SOFTWARP_TUNE=$1 build/tests/llvm_text build/llvm_text/*.ptx 2>/dev/null |
        sort
}
texts "" >"$work/plain"
for name in "$@"; do
    case $name in *.) name="$name[^ ]*" ;; esac
    build/bin/softwarp info --tune |
        sed -n "s/^\($name\) = .*(\([0-9]*\) to \([0-9]*\))\$/\1 \2 \3/p"
done | while read -r name least most; do
    for end in $least $most; do
        texts "$name=$end" >"$work/new"
        echo "$name $end" "$(comm -3 "$work/plain" "$work/new" |
            awk '{ print $2 }' | sort -u | tr '\n' ' ')"
    done
done
