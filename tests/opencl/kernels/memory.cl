// SPDX-License-Identifier: Apache-2.0
// Vectors in memory of each kind at addresses that are aligned for elements
// only, and halves in each rounding. arg0: comparisons, and how many failed.
// options: -cl-std=CL3.0
// run: vectors shared=256
// arg: out u32 2
// arg: out u32 64
// arg: u64 0
// expect: EXACT arg0: 12 0
// run: halves
// arg: out u32 2
// arg: out u32 64
// expect: EXACT arg0: 13 0
// run: copies block=32 shared=256
// arg: out u32 2
// arg: out u32 64
// arg: u64 0
// expect: EXACT arg0: 96 0
// run: aligned block=32
// arg: out u32 2
// expect: EXACT arg0: 32 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define CHECK(a, b)                                                            \
    do {                                                                       \
        atomic_inc(&out[0]);                                                   \
        if ((a) != (b))                                                        \
            atomic_inc(&out[1]);                                               \
    } while (0)

constant float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
global int counter = 41;

// The widest vector of each work-item lies as its type asks for.
kernel void
aligned(global uint *out)
{
    struct { char first; long16 vector; } s;
    volatile ulong at = (ulong)&s.vector;
    CHECK(at % sizeof(long16), 0);
}

kernel void
vectors(global uint *out, global float *g, local float *l)
{
    float p[16];
    for (int i = 0; i < 16; i++)
        g[i] = l[i] = p[i] = i;
    CHECK(all(vload4(1, g + 1) == (float4)(5, 6, 7, 8)), 1);
    CHECK(all(vload3(2, l + 1) == (float3)(7, 8, 9)), 1);
    CHECK(all(vload2(3, p + 1) == (float2)(7, 8)), 1);
    CHECK(all(vload4(0, table + 3) == (float4)(4, 5, 6, 7)), 1);
    vstore3((float3)(50, 51, 52), 1, g + 1);
    CHECK(g[4] == 50 && g[6] == 52 && g[7] == 7, 1);
    vstore8((float8)(9), 0, l + 1);
    CHECK(l[0] == 0 && l[1] == 9 && l[8] == 9 && l[9] == 9, 1);
    vstore16((float16)(3), 0, p);
    CHECK(p[0] + p[15], 6.0f);
    global uchar *bytes = (global uchar *)(g + 20);
    vstore4((uchar4)(1, 2, 3, 4), 0, bytes + 1);
    CHECK(all(vload4(0, bytes + 1) == (uchar4)(1, 2, 3, 4)), 1);
    CHECK(bytes[1], 1);
    counter++;
    CHECK(counter, 42);
    int *any = (int *)l;
    CHECK(to_local(any) == (local int *)l && !to_global(any), 1);
    CHECK(get_fence(any) == CLK_LOCAL_MEM_FENCE, 1);
}

kernel void
halves(global uint *out, global half *h)
{
    global ushort *bits = (global ushort *)h;
    vstore_half(1.00048828125f, 0, h); /* between 1 and the next half */
    CHECK(bits[0], 0x3c00);
    vstore_half_rtp(1.00048828125f, 0, h);
    CHECK(bits[0], 0x3c01);
    vstore_half_rtn(-1.00048828125f, 0, h);
    CHECK(bits[0], 0xbc01);
    vstore_half_rtz(-1.00048828125f, 0, h);
    CHECK(bits[0], 0xbc00);
    /* once, not twice, rounded: above the middle by less than a float sees */
    vstore_half(1.0 + 0x1p-11 + 0x1p-40, 0, h);
    CHECK(bits[0], 0x3c01);
    vstore_half3((float3)(1, 2, 3), 1, h);
    CHECK(bits[3] == 0x3c00 && bits[4] == 0x4000 && bits[5] == 0x4200, 1);
    vstorea_half3((float3)(1, 2, 3), 1, h);
    CHECK(bits[4] == 0x3c00 && bits[5] == 0x4000 && bits[6] == 0x4200, 1);
    CHECK(all(vload_half3(1, h + 1) == (float3)(1, 2, 3)), 1);
    CHECK(all(vloada_half3(1, h) == (float3)(1, 2, 3)), 1);
    CHECK(vload_half(6, h), 3.0f);
    bits[9] = 0x7c00;
    CHECK(isinf(vload_half(9, h)), 1);
    bits[9] = 0x0001;
    CHECK(vload_half(9, h), 0x1p-24f);
    vstore_half8((double8)(65536.0), 1, h);
    CHECK(bits[8] == 0x7c00 && bits[15] == 0x7c00, 1);
}

kernel void
copies(global uint *out, global uint *g, local uint *l)
{
    uint i = (uint)get_local_id(0);
    g[i] = i * 3;
    barrier(CLK_GLOBAL_MEM_FENCE);
    event_t e = async_work_group_copy(l, g, 32, 0);
    wait_group_events(1, &e);
    CHECK(l[31 - i], (31 - i) * 3);
    e = async_work_group_strided_copy(l + 32, g, 16, 2, 0);
    wait_group_events(1, &e);
    CHECK(l[32 + i / 2], i / 2 * 6);
    e = async_work_group_strided_copy(g + 1, l, 16, 2, 0);
    wait_group_events(1, &e);
    CHECK(g[1 + i / 2 * 2], i / 2 * 3);
    prefetch(g, 32);
}
