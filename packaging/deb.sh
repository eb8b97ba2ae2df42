#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh [OUT]: builds Softwarp for /usr in build/deb and makes the Debian
# packages of it in OUT (build/deb/packages). Installs what the build needs, as
# ./demo does.
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh
install_missing
build=build/deb
generator=
command -v ninja >/dev/null && generator='-G Ninja'
mkdir -p $build
# CPack asks these for what a package depends on.
for command in file dpkg-shlibdeps; do
    command -v $command >/dev/null && continue
    or_stop "installing file and dpkg-dev" $build/log \
        apt-get install -y -q file dpkg-dev
done
# shellcheck disable=SC2086
or_stop "configuring" $build/log cmake -S . -B $build $generator \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr
or_stop "building" $build/log cmake --build $build -j "${SW_JOBS:-$(nproc)}"
or_stop "packing" $build/log cpack --config $build/CPackConfig.cmake
out=${1:-}
if [ -n "$out" ]; then
    mkdir -p "$out"
    cp $build/packages/*.deb "$out"
fi
ls -l "${out:-$build/packages}"/*.deb
