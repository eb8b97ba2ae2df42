#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# packages.sh [SUITE] - builds the packages in a pristine Debian or Ubuntu
# (fresh.sh), installs each in a second one, uses and removes it there
# (packages_inside.sh). As root; some fifteen minutes of two cores and 8 GB.
#
#     SUITE         bookworm (the default), trixie, noble, ...
#     SW_SCRATCH    a folder to keep both systems in
#
# Exit status: 0, or 1 if something failed, or 77 if there can be no such system.
set -eu
cd "$(dirname "$0")/.."
suite=${1:-bookworm}
scratch=${SW_SCRATCH:-}
if [ -z "$scratch" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf --one-file-system "$scratch"' EXIT
fi
mkdir -p "$scratch/maker" "$scratch/user"

SW_SCRATCH=$scratch/maker sh tests/fresh.sh "$suite" \
    'rm -rf /packages && sh packaging/deb.sh /packages' \
    'apt-get install -y -q python3-setuptools python3-wheel binutils >/dev/null &&
        sh packaging/wheel/make.sh build/deb /packages'
SW_SCRATCH=$scratch/user sh tests/fresh.sh "$suite" true
rm -rf "$scratch/user/$suite/packages"
cp -r "$scratch/maker/$suite/packages" "$scratch/user/$suite"
SW_SCRATCH=$scratch/user sh tests/fresh.sh "$suite" \
    'sh tests/packages_inside.sh /packages'
