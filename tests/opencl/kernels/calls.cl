// SPDX-License-Identifier: Apache-2.0
// A kernel that another kernel calls is a function like any other.
// run: twice block=4
// arg: out u32 4
// arg: in u32 1 2 3 4
// expect: EXACT arg0: 12 22 32 42

kernel void
add(global uint *out, global const uint *in, uint n)
{
    out[get_local_id(0)] += in[get_local_id(0)] * n;
}

kernel void
twice(global uint *out, global const uint *in)
{
    add(out, in, 4);
    add(out, in, 6);
    out[get_local_id(0)] += 2;
}
