// SPDX-License-Identifier: Apache-2.0
// Vectors of elements of 8 and 16 bits: comparisons of what is in memory,
// loads that are aligned as an element is, arguments of two bytes.
// options: -cl-std=CL3.0
// run: compare
// arg: in s16 1 -2 3 4
// arg: in s16 1 2 -3 4
// arg: out s16 8
// expect: EXACT arg2: 0 -1 0 0 -1 0 0 -1
// run: load block=2
// arg: in u8 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19
// arg: out u8 32
// expect: EXACT arg1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18
// run: pair
// arg: s8 -1
// arg: u32 7
// arg: out s16 2
// arg: out u32 1
// expect: EXACT arg2: -1 -1
// expect: EXACT arg3: 7

kernel void
compare(global short2 *a, global short2 *b, global short2 *out)
{
    for (int i = 0; i < 2; i++) {
        out[i] = a[i] < b[i];
        out[2 + i] = convert_short2(as_ushort2(a[i]) == as_ushort2(b[i]));
    }
}

kernel void
load(global const uchar *in, global uchar16 *out)
{
    size_t i = get_local_id(0);
    out[i] = vload16(0, in + 1 + 2 * i);
}

kernel void
pair(char2 v, uint n, global short2 *out, global uint *more)
{
    out[0] = convert_short2(v.xx);
    more[0] = n;
}
