#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds the code that the compiler makes of every kernel of bench/ and tests/ptx,
# before LLVM's passes, against what another build makes: byte by byte, for a
# processor that is always the same. So a change that moves or renames is shown
# to change no code, and nothing needs to be measured.
#
#     scripts/llvm_text.sh list [BUILD] > LIST   # what a build makes (build/)
#     scripts/llvm_text.sh compare LIST [BUILD]  # the build makes the same
#     scripts/llvm_text.sh diff BUILD KERNEL.ptx [BUILD]  # two texts side by side
#
# A list's rows: settings, file, kernel, form, module, bytes, hash. Forms that an
# observer asks for are called `observed`; `compare --plain` leaves them out.
cd "$(dirname "$0")/.." || exit 1
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C SOFTWARP_JIT_CPU=x86-64-v3 TMPDIR="$work" SOFTWARP_LOG=error

# The programs of bench/ as PTX, kept as long as they are not changed.
kernels() { # build
    mkdir -p "$1/llvm_text"
    for file in bench/*.cu; do
        ptx=$1/llvm_text/$(basename "$file" .cu).ptx
        [ "$ptx" -nt "$file" ] ||
            "$1/bin/softwarp" cc -ptx -DSMALL_KERNELS "$file" -o "$ptx"
    done
}

# Two runs beside each other, as kernels are small and threads are not used.
list() { # build
    kernels build >&2
    "$1/tests/llvm_text" build/llvm_text/*.ptx tests/ptx/*.ptx >"$work/plain" &
    SOFTWARP_JIT_FUSE=8 "$1/tests/llvm_text" tests/ptx/*.ptx \
        build/llvm_text/*.ptx >"$work/fused"
    few=jit.outline_functions=1,jit.outline_accesses=1,jit.outline_accesses_avx512=1
    SOFTWARP_TUNE=jit.partition_size=60,jit.partition_whole=0,$few \
        "$1/tests/llvm_text" \
        build/llvm_text/*.ptx tests/ptx/*.ptx >"$work/parts"
    wait
    for settings in plain fused parts; do
        sed "s/^/$settings /" "$work/$settings"
    done | sort
}

case ${1:-} in
list)
    list "${2:-build}"
    ;;
compare)
    shift
    filter=
    if [ "$1" = --plain ]; then
        filter='/ observed /d'
        shift
    fi
    list "${2:-build}" >"$work/new"
    sed "$filter" "$1" >"$work/a"
    sed "$filter" "$work/new" >"$work/b"
    changed=$(comm -3 "$work/a" "$work/b" | awk '{ print $1, $2, $3, $4, $5 }' |
        sort -u | tee "$work/changed" | wc -l)
    sed 20q "$work/changed"
    echo "$(cut -d' ' -f2,3 "$work/b" | sort -u | wc -l) kernels," \
        "$(wc -l <"$work/b") modules, $changed of them differ"
    [ "$changed" = 0 ]
    ;;
diff)
    "$2/tests/llvm_text" --keep "$work/a" "$3" >/dev/null
    "${4:-build}/tests/llvm_text" --keep "$work/b" "$3" >/dev/null
    diff -ru "$work/a" "$work/b"
    ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed 1d
    exit 2
    ;;
esac
