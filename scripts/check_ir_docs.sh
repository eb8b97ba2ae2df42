#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tables in docs/ir.md are those of src/ir/ops.def and src/ir/enums.def.
# With --write it writes them there.
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Rows of a table of macros: fields between commas outside of quotes, by |.
rows() { # macro, file
    awk -v macro="$1" '
    index($0, macro "(") == 1 {
        s = substr($0, length(macro) + 2)
        sub(/\)[ \t]*$/, "", s)
        out = ""
        quoted = 0
        for (i = 1; i <= length(s); i++) {
            c = substr(s, i, 1)
            if (c == "\"") { quoted = !quoted; continue }
            if (c == "," && !quoted) {
                out = out "\t"
                while (substr(s, i + 1, 1) == " ") i++
                continue
            }
            out = out c
        }
        print out
    }' "$2"
}

{
    sed -n '/^<!-- tables -->$/q;p' docs/ir.md
    echo '<!-- tables -->'
    echo '## Operations'
    echo
    echo '| operation | sources | types | effects | unit | since | meaning |'
    echo '|---|---|---|---|---|---|---|'
    rows OP src/ir/ops.def | awk -F '\t' '{
        gsub(/\|/, "\\|", $8)
        printf "| `%s` | %s | %s | %s | %s | %d.%d | %s |\n", $2, tolower($3),
            tolower($4), tolower($5), tolower($6), $7 / 10, $7 % 10, $8 }'
    echo
    echo '## Types'
    echo
    echo '| type | bits | class | kind |'
    echo '|---|---|---|---|'
    rows TYPE src/ir/enums.def | awk -F '\t' '$2 != "" {
        printf "| `%s` | %s | %s | %s |\n", $2, $3, tolower($4), tolower($5) }'
    echo
    echo '## Other sets'
    echo
    echo '| set | values |'
    echo '|---|---|'
    for set in space cmp rnd cache order scope atom geom sreg; do
        macro=$(echo $set | tr '[:lower:]' '[:upper:]')
        rows "$macro" src/ir/enums.def | awk -F '\t' -v set=$set '
            $2 != "" { list = list " `" $2 "`" }
            END { printf "| %s |%s |\n", set, list }'
    done
    echo '<!-- end -->'
} >"$work/ir.md"

if [ "$1" = --write ]; then
    cp "$work/ir.md" docs/ir.md
elif [ "$(grep -c '^| `add` |' "$work/ir.md")" = 1 ] &&
    cmp -s "$work/ir.md" docs/ir.md; then
    echo "tree/ir_docs: 1 passed, 0 failed"
else
    echo "docs/ir.md: run scripts/check_ir_docs.sh --write"
    diff docs/ir.md "$work/ir.md" | head -20
    echo "tree/ir_docs: 0 passed, 1 failed"
    exit 1
fi
