# SPDX-License-Identifier: Apache-2.0
# setup.sh - sourced by ./demo and ./test: installs what is missing on Debian and
# Ubuntu and builds the release in build/. `sh scripts/setup.sh --libraries`
# installs only, with the host's libraries that ours stand on (docs/libraries.md). Nothing is touched when
# nothing is missing. SW_JOBS limits the compile jobs (default: all cores);
# SW_WERROR=ON makes the compiler's warnings errors (default: OFF).

say() {
    printf '%s\n' "$*"
}

# Runs a command with all its output in a log; after two seconds, and every
# two from then on, says that it is still at it. The command's exit status.
quietly() { # title, log, command...
    title=$1 log=$2
    shift 2
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    (
        last=0
        while sleep 2 && kill -0 $pid; do
            last=$((last + 2))
            say "$title: $last s$(progress "$log")"
        done
    ) 2>/dev/null &
    ticker=$!
    wait $pid
    status=$?
    kill $ticker 2>/dev/null
    wait $ticker 2>/dev/null
    return $status
}

# What ninja says last, "[12/80] Building ...", as ", step 12/80".
progress() {
    tail -n 1 "$1" | sed -n 's/^\[\([0-9]*\/[0-9]*\)\].*/, step \1/p'
}

# The same for what must succeed.
or_stop() {
    quietly "$@" && return
    tail -n 100 "$2"
    say "$1: failed"
    exit 1
}

# ---- LLVM and clang ----

# The oldest or the newest version that we know: llvm_bound OLDEST.
llvm_bound() {
    sed -n "s/^#define SW_LLVM_$1 //p" src/base/llvm_versions.h
}

# Of versions, one a line, the one to take: the oldest that we know, with which
# most was tested, or the next one. Nothing if none will do.
choose_llvm() {
    sort -n | awk -v oldest="$(llvm_bound OLDEST)" '
        $1 >= oldest && !best { best = $1 }
        END { if (best) print best }'
}

# The version whose clang and LLVM are installed.
installed_llvm() {
    for path in /usr/lib/llvm-*/lib/cmake/llvm/LLVMConfig.cmake; do
        version=${path#/usr/lib/llvm-}
        version=${version%%/*}
        [ -x "/usr/lib/llvm-$version/bin/clang++" ] && echo "$version"
    done | choose_llvm
}

# The version whose packages there are.
offered_llvm() {
    apt-cache pkgnames llvm- | sed -n 's/^llvm-\([0-9]*\)-dev$/\1/p' |
        while read -r version; do
            apt-cache policy "llvm-$version-dev" "clang-$version" |
                grep -c 'Candidate: [0-9]' | grep -q 2 && echo "$version"
        done | choose_llvm
}

install_missing() {
    missing=
    while read -r file package; do
        # shellcheck disable=SC2086
        ls $file >/dev/null 2>&1 || missing="$missing $package"
    done <<LIST
/usr/bin/cmake cmake
/usr/bin/ninja ninja-build
/usr/bin/gcc gcc
/usr/include/stdio.h libc6-dev
/usr/include/c++/*/vector g++
/usr/include/zlib.h zlib1g-dev
/usr/include/zstd.h libzstd-dev
/usr/include/CL/cl_icd.h opencl-headers
/usr/include/lz4.h liblz4-dev
/usr/include/jansson.h libjansson-dev
/usr/include/sqlite3.h libsqlite3-dev
/usr/include/mpfr.h libmpfr-dev
/usr/share/javascript/chart.js/chart.min.js libjs-chart.js
/usr/bin/git git
/usr/lib/*/libopenblas.so.0 libopenblas0-pthread
LIST
    llvm=$(installed_llvm)
    [ -n "$missing" ] || [ -z "$llvm" ] || return 0
    names=$missing
    [ -n "$llvm" ] || names="$missing clang-N llvm-N-dev"
    if ! command -v apt-get >/dev/null; then
        say "missing:$names; install them (this script knows apt-get only)"
        exit 1
    fi
    sudo=
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "missing:$names; run as root, or install sudo"
            exit 1
        fi
        sudo=sudo
        $sudo -v || exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp)
    or_stop "package lists" "$log" $sudo apt-get update -q
    if [ -z "$llvm" ]; then
        llvm=$(offered_llvm)
        if [ -z "$llvm" ]; then
            say "missing: clang and LLVM $(llvm_bound OLDEST) or newer;" \
                "apt-get offers none"
            exit 1
        fi
        missing="$missing clang-$llvm llvm-$llvm-dev"
    fi
    say "installing:$missing"
    # shellcheck disable=SC2086
    or_stop "installing" "$log" $sudo apt-get install -q -y \
        --no-install-recommends $missing
    rm -f "$log"
}

build_release() {
    mkdir -p build
    or_stop "configuring" build/configure.log \
        cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_COMPILE_WARNING_AS_ERROR=${SW_WERROR:-OFF}
    # shellcheck disable=SC2086
    or_stop "building" build/build.log \
        cmake --build build ${SW_JOBS:+-j $SW_JOBS}
}

if [ "$(basename "$0") ${1:-}" = "setup.sh --libraries" ]; then
    install_missing
fi
