// SPDX-License-Identifier: Apache-2.0
// What printf makes of scalars, vectors and strings (OpenCL C 3.0, 6.15.14).
// options: -cl-std=CL3.0
// run: scalars
// expect: EXACT 7 -7 ff 0x1.8p+1 2.500 a 5%
// expect: EXACT [text] [  ab] 9223372036854775807
// expect: EXACT -1 255 -32768
// run: vectors
// expect: EXACT 1.000000,2.000000,3.000000,4.000000
// expect: EXACT 1.0,2.0,3.0|-1,-2,-3
// expect: EXACT 0,0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb,0xc,0xd,0xe,0xff
// expect: EXACT 1.5,-2.5
// expect: EXACT 0.5,65504.0,inf,-0.0
// expect: EXACT -5,5|65535,1
// expect: EXACT 1e+300,2e+00|7
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void
scalars(void)
{
    printf("%d %i %x %a %.3f %c %d%%\n", 7, -7, 255, 3.0f, 2.5f, 'a', 5);
    printf("[%s] [%4s] %ld\n", "text", "ab", LONG_MAX);
    char c = -1;
    uchar u = 255;
    short s = SHRT_MIN;
    printf("%hhd %hhu %hd\n", c, u, s);
}

kernel void
vectors(void)
{
    printf("%v4hlf\n", (float4)(1, 2, 3, 4));
    printf("%.1v3hlf|%v3hld\n", (float3)(1, 2, 3), (int3)(-1, -2, -3));
    uchar16 bytes = (uchar16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                              255);
    printf("%#v16hhx\n", bytes);
    printf("%.1v2lf\n", (double2)(1.5, -2.5));
    printf("%.1v4hf\n", (half4)(0.5h, 65504.0h, INFINITY, -0.0h));
    printf("%v2hhd|%v2hu\n", (char2)(-5, 5), (ushort2)(65535, 1));
    printf("%.0v2le|%d\n", (double2)(1e300, 2), 7);
}
