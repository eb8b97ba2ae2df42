#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# book.sh OUT: the course as pages of HTML in OUT, to be read without a network:
# open OUT/index.html. Needs sphinx (python3-sphinx) and gnuplot (gnuplot-nox).
set -eu
out=${1:?the folder for the pages}
here=$(cd "$(dirname "$0")" && pwd)
for need in sphinx-build gnuplot; do
    command -v $need >/dev/null || {
        echo "book.sh: $need is missing: apt-get install python3-sphinx" \
            "gnuplot-nox" >&2
        exit 1
    }
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here" "$here/../examples" "$work"
sh "$here/figures/make.sh" "$work/course/book/made"
sphinx-build -q -W -b html -d "$work/doctrees" "$work/course/book" "$out"
echo "open $out/index.html"
