#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh [REGEX] - would the tests see a wrong rule? Puts each of mutants.txt
# (REGEX: of those whose line matches) into a copy of the tree, builds it, and
# runs the tests that hold what it belongs to, until one fails: for sem the unit
# tests, built of it alone, and if they see nothing the whole engine's; for jit
# the compiler's. Prints a row of a table for each; exit status 1 if one is not
# seen, 2 if something cannot be built. MUTANTS_FOLDER=PATH keeps what was built
# for the next time.
#
# run.sh --check - only: does each still apply, and change something?
cd "$(dirname "$0")/../.." || exit 2
table=tests/mutants/mutants.txt
if [ -n "$MUTANTS_FOLDER" ]; then
    work=$MUTANTS_FOLDER
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

# mutate FILE OLD NEW: OLD, literally and once, becomes NEW (\n: a new line).
mutate() {
    old=$2 new=$3 awk '
    BEGIN { old = ENVIRON["old"]; new = ENVIRON["new"]
            gsub(/\\n/, "\n", old); gsub(/\\n/, "\n", new) }
    { text = text $0 "\n" }
    END {
        at = index(text, old)
        rest = substr(text, at + 1)
        if (!at || index(rest, old) || old == new) exit 1
        printf "%s%s%s", substr(text, 1, at - 1), new,
            substr(text, at + length(old))
    }' "$1"
}

rows() { grep ' @@ ' "$table" | grep -v '^#' | grep -E -- "$1"; }
field() { printf '%s\n' "$row" | awk -F ' @@ ' -v k="$1" '{ print $k }'; }

read_row() {
    kind=$(field 1) family=$(field 2) file=$(field 3)
    old=$(field 4) new=$(field 5)
}

if [ "$1" = --check ]; then
    passed=0 failed=0
    rows . >"$work/rows"
    while read -r row; do
        read_row
        if mutate "$file" "$old" "$new" >"$work/file"; then
            passed=$((passed + 1))
        else
            echo "$table: not once in $file, or the same: $old"
            failed=$((failed + 1))
        fi
    done <"$work/rows"
    echo "tree/mutants: $passed passed, $failed failed"
    exit $failed
fi

mkdir -p "$work/source" "$work/narrow" "$work/build"
tar --exclude=./build --exclude=./.git -cf - . | tar -C "$work/source" -xf -
src=$work/source/src
export CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1

# ---- the narrow way: tests of sem/ need little besides it

compile() { # shellcheck disable=SC2086
    (cd "$work/narrow" && ccache cc -std=c17 -w -D_GNU_SOURCE -ffp-contract=off \
        -I../source/src -I../source/tests -I../source/include "$@") >>"$work/log" 2>&1
}

objects() { # options, files
    options=$1
    shift
    for file in "$@"; do # shellcheck disable=SC2086
        compile $options -c "$file" \
            -o "$(basename "$(dirname "$file")")_$(basename "$file" .c).o" ||
            return 1
    done
}

# The instruction that sem_truth names first, or the first case that fails.
what_failed() {
    sed -n '1s/ (op .*)$//p; s/: failed$//p' "$work/log" | head -1
}

# The first unit test of sem/ that fails. False: none; 2: it does not build.
seen_by_sem() {
    objects -O0 "$src"/sem/*.c || return 2
    for test in sem_truth sem_eval sem_float sem_lanes sem_matrix sem_texture \
        numerics sem_approx; do
        name=unit/$test
        compile -O0 -DSW_TEST_NAME="\"$name\"" "$work"/source/tests/${name}_test.c \
            "$work"/narrow/base_*.o "$work"/narrow/ir_*.o \
            "$work"/narrow/opt_*.o "$work"/narrow/ptx_*.o \
            "$work"/narrow/sem_*.o -lm -lpthread -o test || return 2
        if ! (cd "$work/source" && timeout 300 "$work/narrow/test") >"$work/log" 2>&1
        then
            echo "$name: $(what_failed)"
            return 0
        fi
    done
    return 1
}

# The first form that the compiler's arithmetic computes otherwise than sem, for
# AVX-512 or without. Optimised: it is held to every form.
seen_by_alu() {
    llvm=/usr/lib/llvm-$(. scripts/setup.sh && installed_llvm)
    name=unit/jit_alu
    objects "-O1 -isystem $llvm/include" "$src"/jit/alu*.c "$src"/sem/*.c &&
        compile -O1 -isystem $llvm/include -DSW_TEST_NAME="\"$name\"" \
            "$work/source/tests/${name}_test.c" "$work"/narrow/base_*.o \
            "$work"/narrow/ir_*.o "$work"/narrow/jit_*.o "$work"/narrow/sem_*.o \
            -L$llvm/lib -lLLVM -lm -o test || return 2
    for case in lanes lanes_v2; do
        "$work/narrow/test" $case >"$work/log" 2>&1 && continue
        echo "$name: $(sed -n 's/^differs: \(.*[^ ]\) * cmp .*/\1/p' "$work/log" |
            head -1)"
        return 0
    done
    return 1
}

# ---- the whole engine

binaries='ptx_engine random_test softwarp-jit test_unit_counters
    test_unit_jit_osr test_unit_jit_inline_counter test_unit_jit_fused_warps'

build() { # shellcheck disable=SC2086
    ninja -C "$work/build" $binaries >"$work/log" 2>&1
}

configure() {
    [ -f "$work/build/build.ninja" ] ||
        cmake -S "$work/source" -B "$work/build" -G Ninja \
            -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS='-O0 -w' \
            -DCMAKE_C_COMPILER_LAUNCHER=ccache >"$work/log" 2>&1
}

seen_by_engine() { # regex...
    configure && build || return 2
    for regex in "$@"; do
        SOFTWARP_CACHE=0 ctest --test-dir "$work/build" -R "$regex" \
            --stop-on-failure >"$work/log" 2>&1 && continue
        sed -n 's/^.* Test  *#[0-9]*: \([^ ]*\) .*Failed.*/\1/p' "$work/log" |
            head -1
        return 0
    done
    return 1
}

seen_by() {
    case $kind in
    sem) seen_by_sem ;;
    alu) seen_by_alu ;;
    esac
    status=$?
    case $kind in emit | osr | counters) status=1 ;; esac
    [ $status = 1 ] || return $status
    case $kind in
    sem) seen_by_engine '^ptx/' ;;
    counters) seen_by_engine '^unit/(counters|jit_inline_counter)$' '^random/(kept_(fused_)?)?counts$' ;;
    osr) seen_by_engine '^unit/jit_osr$' '^osr/' ;;
    *) seen_by_engine '^compiled/' '^fused/' '^unit/jit_fused_warps$' ;;
    esac
}

objects -O0 "$src"/base/*.c "$src"/ir/*.c "$src"/opt/*.c \
    "$src"/front/ptx/*.c || {
    cat "$work/log"
    exit 2
}
survivors=0
rows "${1:-.}" >"$work/rows"
echo '| where | rule | in its place | seen by |'
echo '|---|---|---|---|'
while read -r row <&3; do
    read_row
    mutate "$file" "$old" "$new" >"$work/source/$file" || exit 2
    by=$(seen_by)
    status=$?
    if [ $status = 2 ]; then
        cat "$work/log"
        echo "cannot be built: $row"
        exit 2
    elif [ $status = 1 ]; then
        by='**nothing**'
        survivors=$((survivors + 1))
    fi
    printf '| `%s` | %s | `%s` | %s |\n' "$file" "$family" \
        "$(printf '%s' "$new" | sed 's/\\n */ /g')" "$by"
    cp "$file" "$work/source/$file"
done 3<"$work/rows"
[ $survivors = 0 ]
