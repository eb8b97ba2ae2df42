#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How these files were made, in this folder and with nvcc 13.0 in PATH:
# `sh make.sh FOLDER_WITH_OLD_PTXAS >registers.csv`. truth.ptx is of a program of
# its own, compiled for sm_90 by the same nvcc; the other .ptx are the examples
# and benchmarks of this project (of two of one name, the benchmark).
# registers.csv:
# what `ptxas -v` says of each kernel; 7.5 and up by ptxas 13.0, below by ptxas
# 12.4 (13.0 has nothing below 7.5), of the same PTX with its .version and
# .target lowered; 0: it refuses.
old=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in ../../../examples/*.cu ../../../bench/*.cu; do
    name=$(basename "$source" .cu)
    nvcc -ptx -arch=compute_75 -std=c++17 -I ../../../examples \
        -I ../../../bench -o "$name.ptx" "$source" 2>/dev/null || continue
    sed -i -e '/^[ \t]*\/\//d' -e '/^$/d' "$name.ptx"
done
# registers FILE ARCH PTXAS: lines "kernel registers"
registers() {
    "$3" -v -arch="sm_$2" -o /dev/null "$1" 2>&1 | awk '
        match($0, /entry function .[^ ]*/) {
            k = substr($0, RSTART + 16, RLENGTH - 17) }
        / Used / { print k, $5 }'
}
echo file,kernel,sm_50,sm_61,sm_70,sm_75,sm_80,sm_90
for file in *.ptx; do
    sed -e 's/^\.version .*/.version 7.5/' -e 's/^\.target .*/.target sm_50/' \
        "$file" >"$work/low.ptx"
    sed -e 's/^\.target .*/.target sm_75/' "$file" >"$work/high.ptx"
    for arch in 50 61 70; do
        registers "$work/low.ptx" $arch "$old/ptxas" >"$work/$arch"
    done
    for arch in 75 80 90; do
        registers "$work/high.ptx" $arch ptxas >"$work/$arch"
    done
    while read -r kernel _; do
        [ "$kernel" = _Z6digestPyPKjj ] && continue # only checks the others
        row="${file%.ptx},$kernel"
        for arch in 50 61 70 75 80 90; do
            n=$(awk -v k="$kernel" '$1 == k { print $2 }' "$work/$arch")
            row="$row,${n:-0}"
        done
        echo "$row"
    done <"$work/90"
done
# spills.csv: what does not fit into so many registers on sm_90, in bytes.
{
    echo file,kernel,most,stores,loads,stack
    for most in 24 32; do
        for file in *.ptx; do
            ptxas -v -arch=sm_90 -maxrregcount=$most -o /dev/null "$file" 2>&1 |
                awk -v file="${file%.ptx}" -v most=$most '
                    match($0, /entry function .[^ ]*/) {
                        k = substr($0, RSTART + 16, RLENGTH - 17) }
                    /spill stores/ { stack = $1; stores = $5; loads = $9 }
                    / Used / && k !~ /6digest/ {
                        print file "," k "," most "," stores "," loads "," stack
                    }'
        done
    done | LC_ALL=C sort
} >spills.csv
