#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp dump --passes`, whose page is docs/passes.md (written with --write),
# and SOFTWARP_DUMP_IR: the IR after a pass, of all kernels or of one.
cd "$(dirname "$0")/../.." || exit 1
SW_BUILD=${SW_BUILD:-build}
. tests/expect.sh

"$SW_BUILD/bin/softwarp" dump --passes --markdown >"$work/passes.md" || exit 1
[ "$1" = --write ] && cp "$work/passes.md" docs/passes.md
if cmp -s "$work/passes.md" docs/passes.md; then
    passed=$((passed + 1))
else
    echo "docs/passes.md is not current: run sh tests/tools/passes.sh --write"
    diff docs/passes.md "$work/passes.md" | head -n 20
    failed=$((failed + 1))
fi

cat >"$work/kernels" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry first(.param .u64 out) {
    .reg .u64 %d, %a; .reg .u32 %t, %r; .reg .pred %p;
    ld.param.u64 %d, [out];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %a, %t, 4;
    add.u64 %d, %d, %a;
    mov.u32 %r, 7;
    setp.gt.u32 %p, %t, 99;
    @%p bra LARGE;
    add.u32 %r, %r, 5;
LARGE:
    st.global.u32 [%d], %r;
    ret;
}
.visible .entry second(.param .u64 out) {
    .reg .u64 %d;
    ld.param.u64 %d, [out];
    st.global.u32 [%d], 1;
    ret;
}
PTX

# after SETTING EXPECT...: both kernels run with SOFTWARP_DUMP_IR, and what is
# said besides is as expected (tests/README.md: REPORT, ABSENT)
after() {
    passes=$1
    shift
    {
        echo '// run: first block=8'
        echo '// arg: out u32 8'
        echo '// run: second block=1'
        echo '// arg: last 0'
        echo '// expect: MATCH ^arg0: 1 12 12 12 12 12 12 12$'
        for line; do
            echo "// expect: $line"
        done
        cat "$work/kernels"
    } >"$work/two.ptx"
    expect 0 ': [0-9]+ passed, 0 failed$'
}
run() {
    SOFTWARP_DUMP_IR=$passes "$SW_BUILD/bin/softwarp" run \
        "$SW_BUILD/tests/ptx_driver" "$work/two.ptx"
}

after '' 'ABSENT ^# after'
after jump_threading:first 'REPORT ^# after jump_threading$' \
    'REPORT ^function "?first"?' 'REPORT  bra ' 'ABSENT  selp' 'ABSENT second' \
    'ABSENT ^# after if_conversion'
after if_conversion 'REPORT ^# after if_conversion$' \
    'REPORT ^function "?first"?' 'REPORT ^function "?second"?' 'REPORT  selp'
after contraction:second 'REPORT ^# after contraction$' \
    'REPORT ^function "?second"?' 'ABSENT ^function "?first"?' 'ABSENT ^module'
after all 'REPORT ^# after contraction$' 'REPORT ^# after frame$' \
    'REPORT ^module' 'REPORT ^function "?first"?'
after ifs \
    'REPORT SOFTWARP_DUMP_IR: there is no pass "ifs"; there are contraction .*, and all$'
after all:third 'ABSENT ^# after' # it is said when the process ends
expect 0 'SOFTWARP_DUMP_IR: no kernel "third" went through a pass$'
echo "tools/passes: $passed passed, $failed failed"
[ $failed = 0 ]
