#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How large the largest cycle of files is, where a file leads to another if it
# uses a symbol of it (as the object files of a build say; calls through pointers
# are not seen): in each folder of src/, then in all of src/. No folder may have
# a larger one than stands here, and 8 where none stands; 1 is no cycle.
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
    if (!($1 in seen)) file[++files] = $1
    seen[$1] = 1
    folder = folder_of($1)
    if ($3 ~ /^[TDBRC]$/) {
        home[folder, $2] = $1
        if (!($2 in any)) any[$2] = $1
        else if (any[$2] != $1) any[$2] = "" # of several libraries
    }
    if ($3 == "U") { uses++; user[uses] = $1; used[uses] = $2 }
}
function add(from, to) {
    if (to == "" || to == from || (from, to) in is_edge) return
    is_edge[from, to] = 1
    next_of[from, ++degree[from]] = to
}

# The largest component that each file can reach and that reaches it, of files
# of the folder, or of all (""): by paths from each file and back.
function visit(start, folder,    stack, depth, at, i, to) {
    split("", reached)
    stack[depth = 1] = start
    reached[start] = 1
    while (depth) {
        at = stack[depth--]
        for (i = 1; i <= degree[at]; i++) {
            to = next_of[at, i]
            if (to in reached || (folder != "" && folder_of(to) != folder)) continue
            reached[to] = 1
            stack[++depth] = to
        }
    }
}
function largest_of(folder,    i, k, n, count, size, best) {
    n = 0
    for (i = 1; i <= files; i++)
        if (folder == "" || folder_of(file[i]) == folder) list[++n] = file[i]
    for (i = 1; i <= n; i++) {
        visit(list[i], folder)
        for (k in reached) reaches[list[i], k] = 1
    }
    best = 0
    for (i = 1; i <= n; i++) {
        count = 0
        names = ""
        for (k = 1; k <= n; k++)
            if ((list[i], list[k]) in reaches && (list[k], list[i]) in reaches) {
                count++
                names = names " " list[k]
            }
        if (count > best) { best = count; largest_names = names }
    }
    split("", reaches)
    members = n
    return best
}
function check(folder, limit,    n) {
    n = largest_of(folder)
    checked++
    if (n > 1) print (folder == "" ? "all of src" : folder) ": " members " files, " n " in a cycle"
    if (n <= limit) return
    print (folder == "" ? "all of src" : folder) ": " limit " would be allowed:" largest_names
    failed++
}
END {
    for (i = 1; i <= uses; i++) {
        # The table of the library that it is compiled for: it has all of them.
        if (user[i] == "lib/common/entries.c") continue
        to = home[folder_of(user[i]), used[i]]
        add(user[i], to != "" ? to : any[used[i]])
    }
    for (i = 1; i <= files; i++) {
        folder = folder_of(file[i])
        if (folder in done) continue
        done[folder] = 1
        check(folder, folder in most ? most[folder] : 8)
    }
    check("", 8)
    print "tree/cycles: " checked - failed " passed, " failed + 0 " failed"
    exit failed > 0
}'
