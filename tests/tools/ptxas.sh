#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp ptxas`, by that name and as programs find it: what it takes, says
# and refuses, and that its output is loaded like machine code.
: "${SW_BUILD:?run by ctest}"
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # what, command...
    what=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not true: $what"
        cat "$work/out"
    fi
}
says() { # status, text, command...
    want=$1 text=$2
    shift 2
    "$@" >"$work/said" 2>&1
    [ $? = "$want" ] && grep -Fq -- "$text" "$work/said" && return
    cat "$work/said"
    return 1
}
cat >"$work/k.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b64 %d;
    .shared .b32 s[4];
    ld.param.u64 %d, [out];
    st.shared.u32 [s], 1;
    st.global.u32 [%d], 7;
}
PTX
sed 's/st.global.u32/st.global.u32 %d,/' "$work/k.ptx" >"$work/wrong.ptx"
ptxas=$SW_BUILD/lib/toolkit/bin/ptxas
softwarp=$SW_BUILD/bin/softwarp
check "takes what programs pass" "$ptxas" -lineinfo -v --gpu-name=sm_90a \
    --regAllocOptLevel=2 --fmad=false -O3 -m64 --opt-level 2 "$work/k.ptx" \
    -o "$work/k.o"
check "leaves the text" says 0 "st.global.u32 [%d], 7;" cat "$work/k.o"
check "says what a kernel takes" says 0 "Used " "$ptxas" -v "$work/k.ptx" -o "$work/k.o"
check "... and its shared memory" grep -q "registers, 16 bytes smem" "$work/said"
check "... on that device" grep -q "'k' for 'sm_90'" "$work/said"
check "has a version" says 0 "release 12.9, V12.9.0" "$softwarp" ptxas --version
check "refuses what is no PTX" says 255 "wrong.ptx:10:" "$ptxas" "$work/wrong.ptx" -o "$work/none"
check "... and writes nothing" test ! -e "$work/none"
check "refuses no file" says 255 "which file" "$ptxas" -v
check "refuses what can't be read" says 255 "can't be read" "$ptxas" "$work/absent.ptx"
check "refuses two files" says 255 "one file" "$ptxas" "$work/k.ptx" "$work/k.ptx"
check "refuses an option without its value" says 255 "no value behind -o" "$ptxas" "$work/k.ptx" -o
check "refuses what is no device" says 255 "no such device: x" "$ptxas" -arch x "$work/k.ptx"
check "is what Triton is told" says 0 "$(cd "$SW_BUILD" && pwd)/lib/toolkit/bin/ptxas" \
    "$softwarp" run sh -c 'echo $TRITON_PTXAS_PATH $TRITON_PTXAS_BLACKWELL_PATH'
check "compiles a loader" "$softwarp" cc tests/load_image.cu -o "$work/load" -lcuda
check "its output is loaded" says 0 7 env LD_PRELOAD="$SW_PRELOAD" \
    "$softwarp" run "$work/load" "$work/k.o"
echo "tools/ptxas: $passed passed, $failed failed"
[ $failed = 0 ]
