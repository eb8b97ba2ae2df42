#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries export what the tables of src/api list, no more and no less; our
# headers know it all; the runtime's table agrees with the driver's; and the
# engine's library keeps to its two versions.
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

# The engine is in libsoftwarp.so.0 and nowhere else: API libraries have none of
# its functions, and it has no symbol without a version.
engine=$lib/libsoftwarp.so.0
for library in libcuda.so.1 libcudart.so.11.0 libcudart.so.12 libcudart.so.13; do
    nm "$lib/$library" 2>/dev/null |
        awk '$2 ~ /[TtDdBb]/ && $3 ~ /^sw_(rt|exec|mem|ir|jit|arena)_/ {
            print $3 }' >"$work/inside"
    sed "s|.*|$library has & of the engine inside|" "$work/inside"
    if [ ! -s "$work/inside" ] &&
        objdump -p "$lib/$library" | grep -q 'NEEDED *libsoftwarp.so.0$'; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
nm -D --defined-only "$engine" | awk '$2 != "A" { print $3 }' >"$work/names"
grep -vE '@@SOFTWARP_(0|PRIVATE_[0-9.]+_[0-9a-f]+)$' "$work/names" \
    >"$work/more"
sed 's|.*|libsoftwarp.so.0 exports & without its version|' "$work/more"
if [ -s "$work/names" ] && [ ! -s "$work/more" ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi

# A library that was built with another engine is refused by the loader, which
# says what does not fit.
mkdir "$work/other"
echo 'int sw_rt_init(void) { return 0; }' >"$work/other/engine.c"
echo 'SOFTWARP_PRIVATE_other { global: sw_rt_init; };' >"$work/other/map"
echo 'int sw_rt_init(void); int main(void) { return sw_rt_init(); }' \
    >"$work/other/program.c"
if ${CC:-cc} -shared -fPIC -Wl,-soname,libsoftwarp.so.0 \
    -Wl,--version-script="$work/other/map" "$work/other/engine.c" \
    -o "$work/other/libsoftwarp.so.0" &&
    ${CC:-cc} "$work/other/program.c" "$work/other/libsoftwarp.so.0" \
        -o "$work/other/program" &&
    ! LD_LIBRARY_PATH=$lib LD_PRELOAD=${SW_PRELOAD:-} "$work/other/program" \
        >"$work/said" 2>&1 &&
    grep -q "version .SOFTWARP_PRIVATE_other. not found" "$work/said"; then
    passed=$((passed + 1))
else
    echo "a library built with another engine is not refused, or not clearly"
    cat "$work/said"
    failed=$((failed + 1))
fi

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
