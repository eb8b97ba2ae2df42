#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries export what the tables of src/api list, no more and no less; our
# headers know it all; and the runtime's table agrees with the driver's.
cd "$(dirname "$0")/.." || exit 1
lib=${SW_BUILD:-build}/lib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
passed=0 failed=0

# Fields of the rows of a table of ENTRY macros: two of them, by blanks.
rows() { # file, field, field
    sed -n 's/^ENTRY(\(.*\))$/\1/p' "$1" |
        awk -F ', *' -v a="$2" -v b="$3" '{ gsub(/ /, "", $b); print $a, $b }'
}

exports() { # library
    nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }'
}

# compare LIBRARY TABLE: $work/listed is what the table says
compare() {
    if [ ! -f "$lib/$1" ]; then
        echo "$1 is not built"
        failed=$((failed + 1))
        return
    fi
    exports "$lib/$1" | sort -u >"$work/exported"
    sort -u "$work/listed" >"$work/sorted"
    comm -23 "$work/exported" "$work/sorted" >"$work/more"
    comm -13 "$work/exported" "$work/sorted" >"$work/less"
    sed "s|.*|$1 exports &: add its row to $2|" "$work/more"
    sed "s|.*|$2 lists &, but $1 does not export it|" "$work/less"
    if [ -s "$work/exported" ] && [ ! -s "$work/more" ] &&
        [ ! -s "$work/less" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

rows src/api/cuda/entries.def 2 2 | cut -d ' ' -f 1 >"$work/listed"
compare libcuda.so.1 src/api/cuda/entries.def
for version in 11.0 12 13; do
    rows src/api/cudart/entries.def 1 2 |
        awk -v bit="L${version%%.*}" '$2 == "ALL" || index($2, bit) {
            print $1 }' >"$work/listed"
    compare libcudart.so.$version src/api/cudart/entries.def
done

# Programs look up what they may never call, and give up where it is not found:
# all that a real library has is there (tests/data/exports), supported or not.
for list in tests/data/exports/*.txt; do
    library=$(basename "$list" .txt)
    exports "$lib/$library" | sort -u >"$work/exported"
    grep -v '^#' "$list" | sort -u >"$work/real"
    comm -23 "$work/real" "$work/exported" >"$work/less"
    sed "s|.*|$library does not export &: add a row, NONE if need be|" \
        "$work/less"
    if [ -s "$work/real" ] && [ ! -s "$work/less" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done

# Every row that is supported is of a symbol that a header of ours names, or that
# compilers ask for (__cuda...), or a twin for the other default stream.
cat include/cuda/*.h | tr -cs 'A-Za-z0-9_' '\n' | sort -u >"$work/words"
{
    rows src/api/cuda/entries.def 2 5
    rows src/api/cudart/entries.def 1 3
} | sed '/ NONE$/d' | cut -d ' ' -f 1 | grep -v '^__' | sort -u | comm -23 - "$work/words" |
    while read -r symbol; do
        grep -qx "${symbol%_pt??}" "$work/words" || echo "$symbol"
    done >"$work/unknown"
sed 's/$/ is in no header of include\/cuda/' "$work/unknown"
if [ -s "$work/unknown" ]; then
    failed=$((failed + 1))
else
    passed=$((passed + 1))
fi

# A function of the runtime can do no more than the driver's of the same name.
{
    sed -n 's/^ENTRY(\(cu[A-Za-z0-9_]*\), \([^,]*\),[^,]*,[^,]*, \([A-Z]*\),.*/\1 \3\n\2 \3/p' \
        src/api/cuda/entries.def
    echo --
    rows src/api/cudart/entries.def 1 3
} | awk '
    $1 == "--" { runtime = 1; next }
    !runtime { state[$1] = $2; next }
    {
        name = $1
        sub(/^cuda/, "cu", name)
        sub(/_pt[sd][sz]$/, "", name)
        if ($2 == "DONE" && name in state && state[name] != "DONE")
            print $1 " is DONE, but " name " is " state[name]
    }' >"$work/unlike"
cat "$work/unlike"
if [ -s "$work/unlike" ]; then
    failed=$((failed + 1))
else
    passed=$((passed + 1))
fi
echo "tree/exports: $passed passed, $failed failed"
[ $failed = 0 ]
