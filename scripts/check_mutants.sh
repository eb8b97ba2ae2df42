#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every row of tests/mutants/mutants.txt still applies; that it is seen by a
# test is tests/mutants/run.sh's to find out.
exec sh "$(dirname "$0")/../tests/mutants/run.sh" --check
