#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# packages_inside.sh FOLDER - installs the packages of FOLDER one after the other
# on this machine, uses them as a reader of docs/ci.md would, removes them, and
# looks for what is left. Only for machines that are thrown away: packages.sh.
set -u
packages=$1
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
passed=0 failed=0
export DEBIAN_FRONTEND=noninteractive
check() { # what, command...
    what=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not true: $what"
        tail -n 15 "$work/out"
    fi
}
prints() { # regular expression, command...
    wanted=$1
    shift
    "$@" >"$work/said" 2>&1
    cat "$work/said"
    grep -Eq -- "$wanted" "$work/said"
}
fails() { ! "$@"; }
megabytes() { du -sm "$1" | cut -f1; }

# What any command of the package must be able to do.
use_command() { # softwarp
    check "$1 says its version" prints '^softwarp [0-9.]+' "$1" --version
    check "$1 compiles" env -C "$work" "$1" cc "$source/examples/increment.cu" \
        -o increment
    check "what it made runs" prints ': verified' "$1" run "$work/increment"
    check "and is checked" "$1" check "$work/increment" --quick
    check "and is profiled" prints increment "$1" prof "$work/increment" --quick
    check "and is predicted" prints H200 "$1" predict --devices H200 \
        "$work/increment" --quick
}

cat >"$work/wild.cu" <<'CU'
#include <cuda_runtime.h>
__global__ void store(int *p) { p[threadIdx.x] = 1; }
int main()
{
    int x;
    store<<<1, 32>>>(&x);
    cudaDeviceSynchronize();
    return 0;
}
CU
mkdir "$work/project"
cp "$work/wild.cu" "$source"/examples/increment.cu "$source"/examples/example.h \
    "$work/project"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(user LANGUAGES CXX CUDA)
enable_testing()
find_package(Softwarp REQUIRED)
add_executable(increment increment.cu)
add_executable(wild wild.cu)
softwarp_add_test(NAME good COMMAND increment --quick)
softwarp_add_test(NAME checked COMMAND increment --quick CHECK all)
softwarp_add_test(NAME wild COMMAND wild DEVICE A100)
CMAKE
cat >"$work/host.c" <<'C'
#include <cuda_runtime_api.h>
int main(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) != cudaSuccess || n != 1;
}
C
cat >"$work/test_wild.py" <<'PY'
import subprocess

def test_good():
    assert True

def test_wild():
    subprocess.run(["./wild"])
PY

# ---- the Debian packages ----
check "softwarp is installed" apt-get install -y "$packages"/softwarp_*.deb
echo "installed: $(dpkg-query -Wf '${Installed-Size}' softwarp) KiB"
check "no LLVM library is needed to run" fails sh -c \
    'dpkg-query -Wf "\${Depends}" softwarp | grep -i llvm'
use_command softwarp
check "it has a manual" test -r /usr/share/man/man1/softwarp.1
check "and a licence" test -r /usr/share/doc/softwarp/LICENSE
check "tools of the tests" apt-get install -y cmake make pkg-config
check "pkg-config serves a compiler of C" sh -c "cc $work/host.c -o $work/host \
    \$(pkg-config --cflags --libs softwarp) && $work/host"
check "the CMake package is found" cmake -S "$work/project" -B "$work/made" \
    -DCMAKE_CUDA_COMPILER="$(pkg-config --variable=toolkit softwarp)/bin/nvcc"
check "its tests are built" cmake --build "$work/made"
check "a good test passes" ctest --test-dir "$work/made" -R 'good|checked' \
    --no-tests=error
check "a kernel that fails is a test that fails" fails ctest \
    --test-dir "$work/made" -R wild --no-tests=error
check "the OpenCL package is installed" apt-get install -y clinfo \
    "$packages"/softwarp-opencl_*.deb
check "loaders of OpenCL find it" prints 'NVIDIA H200' clinfo -l
check "the pages are installed" apt-get install -y "$packages"/softwarp-doc_*.deb
check "they are there" test -r /usr/share/doc/softwarp/examples/increment.cu
check "all go again" apt-get purge -y softwarp softwarp-opencl softwarp-doc
check "without a trace" fails sh -c \
    "find /usr /etc /var/lib /opt -iname '*softwarp*' -not -path '*/dpkg/*' |
        grep ."

# ---- the wheel ----
export PYTHONDONTWRITEBYTECODE=1 # pytest's own copies are no trace of ours
check "Python is there" apt-get install -y python3-venv python3-pytest
check "the compiler is there" sh -c 'apt-get install -y g++ &&
    { apt-get install -y clang-19 || apt-get install -y clang-20; }'
python3 -m venv --system-site-packages "$work/venv" # with Debian's pytest
check "the wheel is installed" "$work/venv/bin/pip" install -q --no-index \
    "$packages"/softwarp-*.whl
echo "installed: $(megabytes "$work"/venv/lib/python3*/site-packages/softwarp) MiB"
use_command "$work/venv/bin/softwarp"
check "so does python -m" prints '^softwarp [0-9.]+' "$work/venv/bin/python" \
    -m softwarp --version
check "a program with a fault" env -C "$work" "$work/venv/bin/softwarp" cc \
    wild.cu -o wild
check "pytest names the fault's line" prints \
    'at: [^ ]*wild.cu:2$' env -C "$work" \
    COLUMNS=200 "$work/venv/bin/python" -m pytest --softwarp test_wild.py
check "and passes what is good" grep -q '1 failed, 1 passed' "$work/said"
check "without the option nothing is failed" env -C "$work" \
    "$work/venv/bin/python" -m pytest -k good test_wild.py
check "the wheel goes" "$work/venv/bin/pip" uninstall -q -y softwarp
check "without a trace" fails sh -c \
    "find $work/venv -ipath '*softwarp*' -not -type d | grep ."
echo "packages: $passed passed, $failed failed"
[ $failed = 0 ]
