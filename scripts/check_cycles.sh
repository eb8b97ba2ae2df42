#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How large the largest cycle of files of a folder of src/ is, where a file leads
# to another if it uses a symbol of it (as the object files of a build say; calls
# through pointers are not seen). No folder may have a larger one than stands
# here, and 8 where none stands; 1 is no cycle.
cd "$(dirname "$0")/.." || exit 1
build=${SW_BUILD:-build}
[ -d "$build/src" ] || {
    echo "tree/cycles: 0 passed, 1 failed: no build in $build (SW_BUILD names it)"
    exit 1
}
find "$build/src" -name '*.c.o' | LC_ALL=C sort | xargs nm -A -f posix | awk '
BEGIN {
    most["front/ptx"] = 1 # levels: src/front/ptx/parse.h
    most["jit/emit"] = 1 # levels: src/jit/emit/emit.h
    most["rt"] = 1
}
function folder_of(file) {
    sub(/\/[^\/]*$/, "", file)
    return file
}

# .../src/jit/CMakeFiles/sw_jit.dir/run/osr.c.o: is jit/run/osr.c; objects of
# files that are no more may still lie there.
{
    object = $1
    sub(/^.*\/src\//, "", $1)
    sub(/CMakeFiles\/[^\/]*\.dir\//, "", $1)
    sub(/\.o:$/, "", $1)
    if (!(object in known)) {
        known[object] = (getline line < ("src/" $1)) > 0
        close("src/" $1)
    }
    if (!known[object]) next
    if (!($1 in seen)) order[++files] = $1
    seen[$1] = 1
    folder = folder_of($1)
    if ($3 ~ /^[TDBRC]$/) home[folder, $2] = $1
    if ($3 == "U") { uses++; user[uses] = $1; used[uses] = $2 }
}
END {
    for (i = 1; i <= uses; i++) {
        to = home[folder_of(user[i]), used[i]]
        if (to != "" && to != user[i]) reach[user[i], to] = 1
    }
    for (i = 1; i <= files; i++) {
        folder = folder_of(order[i])
        member[folder, ++size[folder]] = order[i]
    }
    for (folder in size) {
        n = size[folder]
        for (k = 1; k <= n; k++)
            for (i = 1; i <= n; i++) {
                if (!((member[folder, i], member[folder, k]) in reach)) continue
                for (j = 1; j <= n; j++)
                    if ((member[folder, k], member[folder, j]) in reach)
                        reach[member[folder, i], member[folder, j]] = 1
            }
        largest = 0
        for (i = 1; i <= n; i++) {
            count = 1
            for (j = 1; j <= n; j++)
                if (i != j && (member[folder, i], member[folder, j]) in reach &&
                    (member[folder, j], member[folder, i]) in reach)
                    count++
            if (count > largest) largest = count
        }
        limit = folder in most ? most[folder] : 8
        if (largest > 1) print folder ": " n " files, " largest " in a cycle" | "sort"
        if (largest > limit) {
            print folder ": " limit " would be allowed"
            failed++
        }
        checked++
    }
    close("sort")
    print "tree/cycles: " checked - failed " passed, " failed + 0 " failed"
    exit failed > 0
}'
