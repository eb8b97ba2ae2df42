// SPDX-License-Identifier: Apache-2.0
// -cl-denorms-are-zero flushes subnormals of float, not those of half.
// options: -cl-std=CL3.0 -cl-denorms-are-zero
// run: sums
// arg: in u16 0x0040 0x0001 0x3c00
// arg: in u32 0x00000040 0x00800000 0x3f800000
// arg: out u16 3
// arg: out u32 3
// expect: EXACT arg2: 64 1 15360
// expect: EXACT arg3: 0 8388608 1065353216
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void
sums(global half *a, global float *b, global half *sum_a, global float *sum_b)
{
    for (int i = 0; i < 3; i++) {
        sum_a[i] = a[i] + (half)0;
        sum_b[i] = b[i] * 1.5f / 1.5f;
    }
}
