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

cat >"$work/two.ptx" <<'PTX'
// run: first block=8
// arg: out u32 8
// run: second block=1
// arg: last 0
// expect: MATCH ^arg0: 1 12 12 12 12 12 12 12$
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
run() {
    SOFTWARP_DUMP_IR=$passes "$SW_BUILD/bin/softwarp" run \
        "$SW_BUILD/tests/ptx_driver" "$work/two.ptx"
}

# shows LINE...: one line of the last output each; hides: none
shows() {
    for line; do
        if grep -Eq -- "$line" "$work/out"; then
            passed=$((passed + 1))
        else
            echo "SOFTWARP_DUMP_IR=$passes: no line $line"
            failed=$((failed + 1))
        fi
    done
}
hides() {
    for line; do
        if grep -Eq -- "$line" "$work/out"; then
            echo "SOFTWARP_DUMP_IR=$passes: a line $line"
            failed=$((failed + 1))
        else
            passed=$((passed + 1))
        fi
    done
}

passes=
expect 0 ': 1 passed, 0 failed$'
hides '^# after'
passes=jump_threading:first
expect 0 '^# after jump_threading$'
shows '^function "first"' ' bra ' ': 1 passed, 0 failed$'
hides ' selp' second '^# after if_conversion'
passes=if_conversion
expect 0 '^# after if_conversion$'
shows '^function "first"' '^function "second"' ' selp'
passes=contraction:second
expect 0 '^# after contraction$'
shows '^function "second"'
hides '^function "first"' '^module'
passes=all
expect 0 '^# after contraction$'
shows '^# after frame$' '^module' '^function "first"' '^function "second"'
passes=ifs
expect 0 'SOFTWARP_DUMP_IR: there is no pass "ifs"; there are contraction .*, and all$'
shows ': 1 passed, 0 failed$'
echo "tools/passes: $passed passed, $failed failed"
[ $failed = 0 ]
