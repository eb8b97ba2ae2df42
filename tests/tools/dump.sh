#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp dump` on a small kernel and on every PTX file among the tests.
: "${SW_BUILD:?run by ctest}"
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# expect STATUS "ARGUMENTS" LINE...: each is part of a line of the output
expect() {
    want=$1 arguments=$2 good=1
    shift 2
    # shellcheck disable=SC2086
    "$SW_BUILD/bin/softwarp" dump $arguments >"$work/out" 2>&1
    got=$?
    [ $got = "$want" ] || { echo "dump $arguments: status $got"; good=0; }
    for line; do
        grep -Fq -- "$line" "$work/out" && continue
        echo "dump $arguments: no line has: $line"
        cat "$work/out"
        good=0
    done
    passed=$((passed + good)) failed=$((failed + 1 - good))
}

cat >"$work/loop.ptx" <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 out)
{
    .reg .pred %p<2>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
again:
    add.s32 %r1, %r1, 3;
    setp.lt.s32 %p1, %r1, 100;
    @%p1 bra again;
    st.global.u32 [%rd1], %r1;
    ret;
}
PTX
expect 0 "$work/loop.ptx" 'function "count" is_entry=1 param_bytes=8' \
    'ld u64 %rd1#1 = &out@0 [space=param' 'block 1 "again":' '[cmp=lt line=13]' \
    'bra [line=14] -> 1 2'
expect 0 "--cfg $work/loop.ptx" 'function count: 3 blocks, 3 reachable, 1 loops' \
    'loop 1  header 1  depth 1  inside 0  positions 1 to 2' \
    'block 2  position 3  loop 0  dominator 1  post-dominator -  from 1'
expect 0 "--live $work/loop.ptx" 'at most 3 32-bit registers live' \
    '1 predicates'
printf '.version 7.0\n.target sm_70\n.entry k()\n{\n    mov.u32 %%r, 1;\n}\n' \
    >"$work/bad.ptx"
expect 1 "$work/bad.ptx" "bad.ptx:5:"
expect 1 /does/not/exist.ptx "error: /does/not/exist.ptx can't be read"
expect 2 --cfgs "'--cfgs' is not understood" 'usage: softwarp dump'
for file in tests/ptx/*.ptx; do
    case $file in
    *error*) continue ;;
    esac
    expect 0 "--ir $file" 'module "'
    expect 0 "--live $file" 'at most'
done
echo "tools/dump: $passed passed, $failed failed"
[ $failed = 0 ]
