// SPDX-License-Identifier: Apache-2.0
// Functions that are `inline` and nothing else, and are not inlined.
// options: -cl-opt-disable
// run: first block=4
// arg: out s32 4
// arg: s32 5
// expect: EXACT arg0: 0 11 22 33
// run: second block=4
// arg: last 0
// arg: s32 1
// expect: EXACT arg0: 0 12 24 36

inline int
next(int x)
{
    return x + 1;
}
inline void
add(global int *p, int n)
{
    int i = get_local_id(0);
    p[i] += n * i;
    barrier(CLK_GLOBAL_MEM_FENCE);
}
kernel void
first(global int *p, int n)
{
    add(p, next(n));
    add(p, n);
}
kernel void
second(global int *p, int n)
{
    add(p, n);
}
