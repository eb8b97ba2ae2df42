#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# compare.sh - plays the sequences of API calls that an H200 was asked, and
# compares each answer (README.md). differs.txt names those that are known to
# differ.
set -eu
here=$SW_SOURCE/tests/sequences
answers=$(mktemp)
trap 'rm -f "$answers"' EXIT
gzip -dc "$here/h200.gz" >"$answers"
SOFTWARP_LOG=error "$SW_BUILD/tests/sequences" --compare "$answers" \
    --known "$here/differs.txt" --count 100000 2>/dev/null
