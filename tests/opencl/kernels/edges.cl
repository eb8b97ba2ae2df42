// SPDX-License-Identifier: Apache-2.0
// Math functions where CUDA's are not what OpenCL asks for: hypot near the
// largest number and of infinity beside any NaN, seven bits of remquo's quotient.
// run: edges
// arg: in f64 0x1.0000000000001p+64 0x1.fffffffffffffp+1023
// arg: out f64 1
// arg: out f32 4
// arg: out s32 4
// expect: EXACT arg1: 1.7976931348623157e+308
// expect: EXACT arg2: 0.25 -0.25 0 1
// expect: EXACT arg3: 101 -100 0 77
// run: infinite
// arg: in b64 0xfff0000000000000 0xfff0000000000001 0xffffffffffffffff 0x7ff8000000000000
// arg: out f64 6
// expect: EXACT arg1: inf inf inf inf inf inf

kernel void
edges(global double *in, global double *out, global float *rest,
      global int *quotient)
{
    out[0] = hypot(in[0], in[1]);
    rest[0] = remquo(101.25f, 1.0f, &quotient[0]);
    rest[1] = remquo(100.25f, -1.0f, &quotient[1]);
    rest[1] = -rest[1];
    rest[2] = remquo(128.0f, 1.0f, &quotient[2]);
    rest[3] = remquo(3.0f * (256 + 77) + 1.0f, 3.0f, &quotient[3]);
}

kernel void
infinite(global double *in, global double *out)
{
    for (int i = 1; i < 4; i++) {
        out[i - 1] = hypot(in[0], in[i]);
        out[i + 2] = hypot(in[i], in[0]);
    }
}
