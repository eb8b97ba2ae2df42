#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# index.sh NM OUTPUT FILE.bc...: which file has which function, for
# src/cc/opencl_builtins.c. A line "needs FILE FILE..." for each file, itself
# first, in the order of the arguments; then a line "FUNCTION FILE" for each.
nm=$1 output=$2
shift 2
for file in "$@"; do
    name=$(basename "$file" .bc)
    "$nm" "$file" | sed "s/^/$name /" || exit 1
done | awk '
    { name = $NF; kind = $(NF - 1); file = $1 }
    !(file in seen) { seen[file] = 1; order[++files] = file }
    kind == "U" { wants[++uses] = name; who[uses] = file; next }
    kind ~ /[TDVBRW]/ { has[name] = file }
    END {
        for (i = 1; i <= uses; i++)
            if (wants[i] in has && has[wants[i]] != who[i] &&
                !((who[i], has[wants[i]]) in told)) {
                told[who[i], has[wants[i]]] = 1
                needs[who[i]] = needs[who[i]] " " has[wants[i]]
            }
        for (i = 1; i <= files; i++)
            print "needs " order[i] needs[order[i]]
        for (name in has)
            print name " " has[name]
    }' >"$output"
