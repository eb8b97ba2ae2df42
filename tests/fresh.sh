#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fresh.sh [SUITE [command...]] - proves ./demo and ./test, or the commands named
# instead, on a pristine Debian or Ubuntu: what is committed goes into a system
# made by debootstrap in a scratch folder, and runs there in a chroot. As root;
# some minutes and 4 GB.
#
#     SUITE         bookworm (the default), trixie, testing, sid, noble, ...
#     SW_SCRATCH    where to build it (default: a new folder in TMPDIR or /tmp,
#                   removed at the end; one that you name is kept)
#     SW_MIRROR     default: the project's own, of Debian or of Ubuntu
#
# Exit status: 0, or 1 if a command failed, or 77 if there can be no such system
# here; the last line says which.
set -eu
cd "$(dirname "$0")/.."
suite=${1:-bookworm}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- ./demo ./test

cannot() {
    echo "fresh.sh: $suite can't be made: $*"
    exit 77
}

# The archive and parts of it in which the packages are.
case $suite in
noble | oracular | plucky | questing | resolute)
    mirror=http://archive.ubuntu.com/ubuntu components=main,universe ;;
*)
    mirror=http://deb.debian.org/debian components=main ;;
esac
mirror=${SW_MIRROR:-$mirror}
[ "$(id -u)" = 0 ] || cannot "needs root"
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
# Newer suites are made as older ones are.
script=
[ -e "/usr/share/debootstrap/scripts/$suite" ] ||
    case $mirror in
    *ubuntu*) script=/usr/share/debootstrap/scripts/gutsy ;;
    *) script=/usr/share/debootstrap/scripts/sid ;;
    esac

keep=
if [ -n "${SW_SCRATCH:-}" ]; then
    root=$SW_SCRATCH/$suite
    mkdir -p "$root"
    keep=1
else
    root=$(mktemp -d)/$suite
    mkdir "$root"
fi
leave() {
    for point in proc dev/null dev/urandom dev/zero; do
        umount "$root/$point" 2>/dev/null || true
    done
    [ -n "$keep" ] || rm -rf --one-file-system "$(dirname "$root")"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

# Quietly; what it says is shown only if it fails.
try() {
    "$@" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log"
        return 1
    }
}
if [ ! -e "$root/etc/fresh" ]; then
    echo "making a pristine $suite in $root"
    # shellcheck disable=SC2086
    try debootstrap --variant=minbase --components=$components "$suite" "$root" \
        "$mirror" $script || cannot "debootstrap fails"
    : >"$root/etc/fresh"
fi
# Only what programs cannot do without.
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc" ||
    cannot "/proc can't be mounted"
for node in null urandom zero; do
    [ -c "$root/dev/$node" ] && continue
    : >"$root/dev/$node"
    mount --bind /dev/$node "$root/dev/$node" ||
        cannot "/dev/$node can't be mounted"
done
# The network as here: names, proxy, certificates' package sources.
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"
[ -d /etc/apt/apt.conf.d ] && cp -n /etc/apt/apt.conf.d/*prox* \
    "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
# Ubuntu's systems have its updates too, and newer compilers there.
case $mirror in
*ubuntu*)
    echo "deb $mirror $suite-updates main universe" \
        >"$root/etc/apt/sources.list.d/updates.list"
    ;;
esac
# A mirror may be some weeks behind.
echo 'Acquire::Check-Valid-Until "false";' \
    >"$root/etc/apt/apt.conf.d/fresh-old-mirror"

inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/root LC_ALL=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} \
        ${SW_JOBS:+SW_JOBS="$SW_JOBS"} "$@"
}
try inside apt-get update -q || cannot "its package lists can't be had"

rm -rf "$root/softwarp"
mkdir "$root/softwarp"
git archive HEAD | tar -x -C "$root/softwarp"
status=0
for command; do
    echo "== $command in a pristine $suite, $(git rev-parse --short HEAD)"
    inside sh -c "cd /softwarp && $command" || status=1
done
echo "fresh.sh: $suite: $([ $status = 0 ] && echo good || echo FAILED)"
exit $status
