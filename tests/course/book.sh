#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The book of the course: it is made without a warning, its pages need nothing
# from a network, its pictures are drawings. Without sphinx and gnuplot: a skip.
: "${SW_BUILD:?run by ctest}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v sphinx-build >/dev/null || ! command -v gnuplot >/dev/null; then
    echo "skip: sphinx or gnuplot is not installed"
    exit 77
fi
passed=0 failed=0
check() { # what, command...
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$what"
        cat "$work/log"
    fi
}
PATH=$SW_BUILD/bin:$PATH
check "it is made" sh "$SW_SOURCE/course/book.sh" "$work/book"
check "pages" [ -s "$work/book/index.html" ]
for picture in offset stride transpose occupancy; do
    check "$picture.svg" grep -q '</svg>' "$work/book/_images/$picture.svg"
done
grep -lE '<(script|link|img|iframe)[^>]*(src|href)="(https?:)?//' \
    "$work"/book/*.html >"$work/far"
check "nothing is loaded from elsewhere" [ ! -s "$work/far" ]
check "its width is the screen's" grep -q 'width=device-width' \
    "$work/book/index.html"
echo "course/book: $passed passed, $failed failed"
[ $failed = 0 ]
