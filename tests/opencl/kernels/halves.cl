// SPDX-License-Identifier: Apache-2.0
// Comparisons of vectors of half whose operands come from memory.
// options: -cl-std=CL3.0
// run: compare
// arg: in u16 0x3c00 0x4000 0x7e00 0x8000 0x3c00 0x4000 0x7e00 0x8000
// arg: in u16 0x3c00 0x3c00 0x7e00 0x0000 0x4000 0x3c00 0x3c00 0x0001
// arg: out s16 16
// arg: out s16 8
// expect: EXACT arg2: -1 0 0 -1 0 0 0 0 0 0 0 0 -1 0 0 -1
// expect: EXACT arg3: 0 -1 -1 0 -1 -1 -1 -1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void
compare(global half8 *a, global half8 *b, global short8 *out,
        global short2 *pairs)
{
    global half2 *a2 = (global half2 *)a, *b2 = (global half2 *)b;
    out[0] = isequal(a[0], b[0]);
    out[1] = a[0] < b[0];
    for (int i = 0; i < 4; i++)
        pairs[i] = a2[i] != b2[i];
}
