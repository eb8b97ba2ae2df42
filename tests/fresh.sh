#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fresh.sh [SUITE] - proves ./demo and ./test on a pristine Debian: what is
# committed goes into a system made by debootstrap in a scratch folder, and runs
# there in a chroot. As root; by hand, before a release; some minutes and 3 GB.
#
#     SUITE         default bookworm
#     SW_SCRATCH    where to build it (default: a new folder in TMPDIR or /tmp,
#                   removed at the end; one that you name is kept)
#     SW_MIRROR     default http://deb.debian.org/debian
set -eu
cd "$(dirname "$0")/.."
suite=${1:-bookworm}
mirror=${SW_MIRROR:-http://deb.debian.org/debian}
[ "$(id -u)" = 0 ] || { echo "fresh.sh: needs root"; exit 1; }
command -v debootstrap >/dev/null || {
    echo "fresh.sh: needs debootstrap"
    exit 1
}
if [ -n "${SW_SCRATCH:-}" ]; then
    root=$SW_SCRATCH/$suite
    mkdir -p "$root"
    keep=1
else
    root=$(mktemp -d)/$suite
    mkdir "$root"
    keep=
fi
leave() {
    for point in proc dev/null dev/urandom dev/zero; do
        umount "$root/$point" 2>/dev/null || true
    done
    [ -n "$keep" ] || rm -rf --one-file-system "$(dirname "$root")"
}
trap leave EXIT

if [ ! -e "$root/bin/sh" ]; then
    echo "making a pristine $suite in $root"
    debootstrap --variant=minbase "$suite" "$root" "$mirror" \
        >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
fi
# Only what programs cannot do without.
mount -t proc proc "$root/proc" 2>/dev/null || echo "(no /proc in the chroot)"
for node in null urandom zero; do
    [ -c "$root/dev/$node" ] && continue
    : >"$root/dev/$node"
    mount --bind /dev/$node "$root/dev/$node"
done
# The network as here: names, proxy, certificates' package sources.
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"
[ -d /etc/apt/apt.conf.d ] && cp -n /etc/apt/apt.conf.d/*prox* \
    "$root/etc/apt/apt.conf.d/" 2>/dev/null || true

rm -rf "$root/softwarp"
mkdir "$root/softwarp"
git archive HEAD | tar -x -C "$root/softwarp"
inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root LC_ALL=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} \
        ${SW_JOBS:+SW_JOBS="$SW_JOBS"} "$@"
}
status=0
for command in ./demo ./test; do
    echo "== $command in a pristine $suite, $(git rev-parse --short HEAD)"
    inside sh -c "cd /softwarp && $command" || status=1
done
echo "fresh.sh: $suite: $([ $status = 0 ] && echo good || echo FAILED)"
exit $status
