#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Python packages that load libcuda.so.1 themselves, on ours: installs them into
# a virtual environment and runs a set of their own tests and examples.
#
#     sh tests/clients/run.sh FOLDER [numba] [cupy] [pycuda] [triton]
#
# FOLDER keeps the environments and the logs. SW_BUILD: the build tree, default
# build. A job of its own, not part of ./test: it needs the network and some
# tens of minutes. docs/clients.md has the outcome. Exit status 77 if the
# packages cannot be had, 1 if an example gives a wrong answer.
folder=${1:?usage: run.sh FOLDER [numba] [cupy] [pycuda] [triton]}
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${SW_BUILD:-$root/build}" && pwd) || exit 1
mkdir -p "$folder" && folder=$(cd "$folder" && pwd)
seconds=${CLIENTS_SECONDS:-300}
status=0

# nvJitLink makes machine code, which nothing here can run: without it these
# packages use the driver's linker. An empty file hides one that is installed.
mkdir -p "$folder/hide" "$folder/logs"
: >"$folder/hide/libnvJitLink.so.12"
: >"$folder/hide/libnvJitLink.so.13"
unset CUDA_HOME CUDA_PATH CUDA_ROOT
LD_LIBRARY_PATH=$folder/hide
SOFTWARP_LOG=${SOFTWARP_LOG:-error}
CLIENTS_LOGS=$folder/logs
NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS=0
export LD_LIBRARY_PATH SOFTWARP_LOG CLIENTS_LOGS NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS

# environment NAME PACKAGE...: makes it once
environment() {
    name=$1
    shift
    [ -e "$folder/$name/ready" ] && return
    if ! python3 -m venv "$folder/$name" ||
        ! "$folder/$name/bin/pip" install -q "$@" >"$folder/logs/pip-$name.txt" 2>&1
    then
        echo "skip: $name: pip cannot install $*"
        tail -n 2 "$folder/logs/pip-$name.txt"
        exit 77
    fi
    : >"$folder/$name/ready"
}

on_softwarp() {
    name=$1
    shift
    "$build/bin/softwarp" run "$folder/$name/bin/python" "$@"
}

# example NAME: tests/clients/NAME.py ends with "right"
example() {
    if on_softwarp "$1" "$here/$1_example.py" | tail -n 1 | grep -qx right; then
        echo "$1: the example is right"
    else
        echo "$1: the example fails"
        status=1
    fi
}

run_numba() {
    environment numba numba==0.68.1 numba-cuda==0.30.4 filecheck==1.0.6 \
        cffi psutil pytest ml_dtypes==0.5.3 \
        'cuda-toolkit[cccl,cudart,nvrtc,nvvm]==13.*'
    example numba
    # One of its tests touches half of the device's memory, 70 GB.
    on_softwarp numba "$here/modules.py" "$seconds" \
        numba.cuda.tests.doc_examples numba.cuda.tests.cudadrv \
        numba.cuda.tests.cudapy \
        -numba.cuda.tests.cudadrv.test_managed_alloc
}

run_cupy() {
    environment cupy cupy-cuda12x==14.2.0 nvidia-cuda-nvrtc-cu12 \
        nvidia-cuda-runtime-cu12
    example cupy
}

run_pycuda() {
    # Built against our headers and libraries.
    export CUDA_ROOT="$root/include/cuda" CPATH="$root/include/cuda"
    export LIBRARY_PATH="$build/lib"
    environment pycuda pycuda==2026.1 numpy==2.2.6
    PATH=/usr/bin:/bin example pycuda # where nvcc is mostly ours
}

# Five gigabytes, so only if it is named. An H200's matrix products are not
# provided.
run_triton() {
    environment triton torch==2.15.0 triton==3.9.0 numpy==2.4.6
    SOFTWARP_DEVICE='A100 SXM4 80 GB' TRITON_CACHE_DIR="$folder/triton-cache" \
        example triton
}

[ $# -gt 0 ] || set -- numba cupy pycuda
for client; do
    "run_$client"
done
exit $status
