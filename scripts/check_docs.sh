#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the pages name is there: files in backquotes, by their whole path or its
# end; where a table has a column of functions and one of files, the function is
# in the file. Not looked at: names with a part in capitals (NAME), and
# test_*.py, which are other projects'.
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pages="README.md HACKING.md tests/README.md $(ls docs/*.md)"
git ls-files 2>/dev/null | sed 's,^,/,' >"$work/files"
[ -s "$work/files" ] || find . -name .git -prune -o -type f -print |
    sed 's,^\.,,' >"$work/files"
names=0 wrong=0
for page in $pages; do
    grep -oE '`[A-Za-z_0-9./-]+\.(c|h|def|sh|cu|ptx|py|txt|csv|cl|map|md)`' \
        "$page" | tr -d '`' | grep -vE '(^|/)[A-Z_]+[./]|(^|/)test_[a-z_]*\.py' |
        sort -u >"$work/named"
    while read -r file; do
        names=$((names + 1))
        grep -qF "/$file" "$work/files" && continue
        echo "$page: there is no file $file"
        wrong=$((wrong + 1))
    done <"$work/named"
done
# Rows "| `function` | `file` |".
sed -n 's,^| `\([a-z_A-Z0-9]*\)` | `\(src/[a-z/_A-Z0-9.]*\.[ch]\)` |.*,\1 \2,p' $pages \
    >"$work/rows"
while read -r function file; do
    names=$((names + 1))
    grep -qw "$function" "$file" 2>/dev/null && continue
    echo "there is no $function in $file"
    wrong=$((wrong + 1))
done <"$work/rows"
echo "tree/docs: $((names - wrong)) passed, $wrong failed"
[ "$wrong" = 0 ]
