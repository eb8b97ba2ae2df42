#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp occupancy` of numbers and of kernels in files; curves and drawings.
cd "$(dirname "$0")/../.." || exit 1
. tests/expect.sh
data=tests/data/fatbin

run() {
    "$SW_BUILD/bin/softwarp" occupancy "$@"
}

# The worked example of the first devices' guides: 2 blocks, 50 %.
g80="--cc 1.0 --threads 192 --regs 20 --smem 68"
expect 0 '2 blocks, 12 of 24 warps: occupancy 50\.00%' $g80
expect 0 'limited by registers' $g80
expect 0 'with 13 registers a thread instead of 20 .* would be 3 blocks' $g80
expect 0 '"next": \{"blocks": 3, "registers": 13\}' $g80 --json
expect 0 '^   12 \| +#+ +#+O +#+ *$' $g80 --curves
expect 0 '"curves": \{"threads": \[\[32, 6\], \[64, ' $g80 --json --curves
expect 0 'limited by registers' $g80 --svg "$work/curves.svg"
marks=$(grep -c '<circle' "$work/curves.svg")
lines=$(grep -c 'class="line"' "$work/curves.svg")
if [ "$marks $lines" = '3 3' ]; then
    passed=$((passed + 1))
else
    echo "the drawing has $marks marks on $lines lines"
    failed=$((failed + 1))
fi
expect 1 "can't be written" $g80 --svg "$work/no/such.svg"

# Kernels of files: bounds, registers and where they are from.
cat >"$work/k.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry one(.param .u64 p) .maxntid 192, 1, 1
{
    .shared .align 4 .b8 s[6000];
    .reg .b64 %d<3>; .reg .b32 %r<2>;
    ld.param.u64 %d1, [p];
    mov.u64 %d2, s;
    ld.shared.u32 %r1, [%d2];
    st.global.u32 [%d1], %r1;
    ret;
}
.visible .entry other() { ret; }
PTX
expect 0 '192 threads a block \(its launch bounds\)' --kernel one "$work/k.ptx"
expect 0 'registers a thread \(an estimate' --kernel one "$work/k.ptx"
expect 0 '^  60[0-9]+ bytes of static shared memory' --kernel one "$work/k.ptx"
expect 0 '40 registers a thread \(given\)' --kernel one "$work/k.ptx" --regs 40
expect 2 'other has no launch bounds' --kernel other "$work/k.ptx"
expect 0 '^ +64 +4~ .* other$' --kernel "$work/k.ptx" --threads 64
expect 1 'no kernel is called "third"; there are one other' \
    --kernel third "$work/k.ptx"
expect 1 "can't be read" --kernel "$work/none.ptx"
expect 2 'needs a file' --kernel
expect 0 'of its machine code for sm_80' \
    --cc 8.6 --kernel fill $data/sm80.cubin --threads 128
expect 0 'registers a thread are not known' \
    --cc 9.0 --kernel fill $data/sm80.cubin --threads 128
expect 0 'of its machine code for sm_75' \
    --cc 7.5 --kernel scale $data/default.fatbin --threads 128
expect 0 'an estimate from its PTX' \
    --cc 9.0 --kernel scale $data/default.fatbin --threads 128
expect 0 ' apply$' --kernel $data/rdc.o

# A bound on registers, and what is spilled then.
big=tests/data/registers/truth.ptx
expect 0 'spilled: [1-9][0-9]* bytes of stores, [1-9][0-9]* bytes of loads' \
    --cc 9.0 --kernel fd3dPf $big --threads 256 --maxrregcount 24
expect 0 '^  24 registers a thread \(an estimate' \
    --cc 9.0 --kernel fd3dPf $big --threads 256 --maxrregcount 24
# From 7.0 on 24 is the least.
expect 0 '^  24 registers a thread' \
    --cc 7.0 --kernel fd3dPf $big --threads 256 --maxrregcount 16
expect 0 '^  16 registers a thread' \
    --cc 6.1 --kernel fd3dPf $big --threads 256 --maxrregcount 16
expect 0 'nothing is spilled' \
    --cc 9.0 --kernel saxpy $big --threads 256 --maxrregcount 24
expect 0 '"spill_stores": [1-9]' \
    --cc 9.0 --kernel fd3dPf $big --threads 256 --maxrregcount 24 --json
expect 2 'maxrregcount needs a number' --kernel $big --maxrregcount many

# What an assembler wrote.
cat >"$work/log" <<'LOG'
nvcc -Xptxas -v app.cu
ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function '_Z4workPf' for 'sm_80'
ptxas info    : Function properties for _Z4workPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 1056 bytes smem, 368 bytes cmem[0]
ptxas info    : Compiling entry function '_Z4workPf' for 'sm_75'
ptxas info    : Used 52 registers, 1024 bytes smem, 368 bytes cmem[0]
ptxas info    : Compiling entry function '_Z5otherv' for 'sm_75'
ptxas info    : Used 4 registers
LOG
expect 0 '^  40 registers a thread \(of its assembler output for sm_80\)' \
    --cc 8.6 --kernel work "$work/log" --threads 128
expect 0 '^  1056 bytes of static shared memory' \
    --cc 8.6 --kernel work "$work/log" --threads 128
expect 0 '^  52 registers' --cc 7.5 --kernel work "$work/log" --threads 128
expect 0 'registers a thread are not known' \
    --cc 9.0 --kernel work "$work/log" --threads 128
expect 0 '"registers_from": "assembler output"' \
    --cc 7.5 --kernel "$work/log" --json
echo "tools/occupancy: $passed passed, $failed failed"
[ $failed = 0 ]
