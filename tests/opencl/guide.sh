#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guide.sh - what the vendor's OpenCL programming guide 2.3 says of its devices: the
# table and the limits of its appendix A, and how many transactions and conflicts
# the accesses of its chapter 3 have (examples/opencl/coalescing.c and banks.c).
cd "$(dirname "$0")/../.." || exit 1
SW_BUILD=${SW_BUILD:-build}
. tests/expect.sh
[ -e "$SW_BUILD/lib/libsoftwarp-opencl.so" ] || {
    echo "skip: built without OpenCL"
    exit 77
}
library="-L$SW_BUILD/lib -l:libsoftwarp-opencl.so"
# shellcheck disable=SC2086
cc -std=c11 -Wall tests/opencl/limits.c -o "$work/limits" $library || exit 1

# A group is of 512 work-items at most, 512 x 512 x 64; 1.2 and later have twice
# the registers. 1.1 has atomics in global memory, 1.2 in local memory, 1.3 doubles.
while IFS=';' read -r name units capability; do
    case $name in '#'*) continue ;; esac
    registers=8192
    case $capability in
    1.0) has= ;;
    1.1) has=g ;;
    1.2) has=gl registers=16384 ;;
    1.3) has=gld registers=16384 ;;
    esac
    want="$units;$capability;512 512 512 64;32;$registers;16384;65536;$has"
    got=$(LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" run \
        --device "$name" "$work/limits" 2>/dev/null)
    if [ "${got#*;}" = "$want" ]; then
        passed=$((passed + 1))
    else
        echo "$name: $want, not $got"
        failed=$((failed + 1))
    fi
done <tests/opencl/guide_devices.txt

# counts DEVICE PROGRAM EVENTS: in $work/out, of each launch the kernel and the
# figures.
counts() {
    LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" prof --csv \
        --log-file "$work/csv" --print-gpu-trace --device "$1" --events "$3" \
        "$work/$2" >"$work/said" 2>&1 || cat "$work/said"
    awk -F, -v events="$3" '
        /^"Start"/ {
            n = split(events, want, ",")
            for (i = 1; i <= NF; i++) {
                gsub(/"/, "", $i)
                at[$i] = i
            }
            next
        }
        at["Name"] && NF >= at[want[1]] && $at[want[1]] != "" {
            gsub(/"/, "", $at["Name"])
            line = $at["Name"]
            for (i = 1; i <= n; i++) line = line " " $at[want[i]]
            print line
        }
        /^"Device","Kernel"/ { exit }' "$work/csv" >"$work/out"
}
# same TITLE: $work/out is what standard input has.
same() {
    cat >"$work/want"
    if diff "$work/want" "$work/out"; then
        passed=$((passed + 1))
    else
        echo "$1: < is what the guide says"
        failed=$((failed + 1))
    fi
}
for program in coalescing banks; do
    # shellcheck disable=SC2086
    cc -std=c11 -Wall examples/opencl/$program.c -o "$work/$program" $library ||
        exit 1
done

# 1.0 and 1.1: one transaction, or one for each work-item (3.1.2.1); reads of 16
# bytes take two.
counts "GeForce 8800 GTX" coalescing gld_coherent,gld_incoherent
same "coalescing on 1.0" <<END
in_order 1 0
divergent 1 0
permuted 0 16
misaligned 0 16
across 0 16
strided 0 16
same 0 16
structures 0 48
aligned_structures 2 0
END
# 1.2 and 1.3: the smallest that hold the words, one for each segment.
counts "GeForce GTX 280" coalescing gld_32b,gld_64b,gld_128b
same "coalescing on 1.3" <<END
in_order 0 1 0
divergent 0 1 0
permuted 0 1 0
misaligned 0 0 1
across 2 0 0
strided 0 0 2
same 1 0 0
structures 0 3 3
aligned_structures 0 0 2
END
# 3.1.2.5: which reads conflict. A structure of two words is two reads that do.
counts "GeForce GTX 280" banks warp_serialize
same "conflicts on 1.3" <<END
strided 0
strided 1
strided 0
strided 1
permuted 0
same 0
partly_same 0
bytes 1
bytes 0
whole 1
halves 0
threes 0
twos 2
END
echo "opencl/guide: $passed passed, $failed failed"
[ $failed = 0 ]
