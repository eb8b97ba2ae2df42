// SPDX-License-Identifier: Apache-2.0
// Relational, common and geometric functions at ordinary numbers and at the
// edges. arg0: comparisons, and how many failed.
// options: -cl-std=CL3.0
// run: relations
// arg: out u32 2
// expect: EXACT arg0: 27 0
// run: common
// arg: out u32 2
// expect: EXACT arg0: 16 0
// run: geometry
// arg: out u32 2
// expect: EXACT arg0: 22 0
#define CHECK(a, b)                                                            \
    do {                                                                       \
        atomic_inc(&out[0]);                                                   \
        if ((a) != (b))                                                        \
            atomic_inc(&out[1]);                                               \
    } while (0)

kernel void
relations(global uint *out)
{
    float4 x = (float4)(1, NAN, -INFINITY, -0.0f), y = (float4)(1, 1, 2, 0);
    float f = NAN;
    double tiny = 0x1p-1060;
    CHECK(all(isequal(x, y) == (int4)(-1, 0, 0, -1)), 1);
    CHECK(all(isnotequal(x, y) == (int4)(0, -1, -1, 0)), 1);
    CHECK(all(isless(x, y) == (int4)(0, 0, -1, 0)), 1);
    CHECK(all(isgreaterequal(x, y) == (int4)(-1, 0, 0, -1)), 1);
    CHECK(all(islessgreater(x, y) == (int4)(0, 0, -1, 0)), 1);
    CHECK(all(isordered(x, y) == (int4)(-1, 0, -1, -1)), 1);
    CHECK(all(isunordered(x, y) == (int4)(0, -1, 0, 0)), 1);
    CHECK(all(isinf(x) == (int4)(0, 0, -1, 0)), 1);
    CHECK(all(isfinite(x) == (int4)(-1, 0, 0, -1)), 1);
    CHECK(all(isnormal(x) == (int4)(-1, 0, 0, 0)), 1);
    CHECK(all(signbit(x) == (int4)(0, 0, -1, -1)), 1);
    CHECK(isnan(f), 1);
    CHECK(isnan(1.0), 0);
    CHECK(isnormal(tiny), 0);
    CHECK(isnormal(0x1p-1022), 1);
    CHECK(signbit(-tiny), 1);
    CHECK(isequal(f, f), 0);
    CHECK(any((int2)(0, -5)), 1);
    CHECK(any((char3)(1, 2, 3)), 0);
    CHECK(all((long2)(-1, -2)), 1);
    CHECK(all((short4)(-1, -1, 1, -1)), 0);
    CHECK(select(3, 4, 1), 4);
    CHECK(all(select((int2)(1, 2), (int2)(3, 4), (int2)(1, -1)) ==
              (int2)(1, 4)), 1);
    CHECK(all(select((double2)(1, 2), (double2)(3, 4), (ulong2)(1ul << 63, 0))
              == (double2)(3, 2)), 1);
    CHECK(bitselect(0xff00, 0x00ff, 0x0f0f), 0xf00f);
    CHECK(as_uint(bitselect(1.0f, -1.0f, as_float(0x80000000))), 0xbf800000u);
    CHECK(all(bitselect((uchar2)(0xf0), (uchar2)(0x0f), (uchar2)(0xff, 0)) ==
              (uchar2)(0x0f, 0xf0)), 1);
}

kernel void
common(global uint *out)
{
    float n = NAN;
    CHECK(clamp(5.0f, 1.0f, 3.0f), 3.0f);
    CHECK(all(clamp((float2)(-5, 2), 0.0f, 1.5f) == (float2)(0, 1.5f)), 1);
    CHECK(mix(1.0f, 3.0f, 0.5f), 2.0f);
    CHECK(all(mix((double2)(1, 2), (double2)(3, 6), 0.25) ==
              (double2)(1.5, 3)), 1);
    CHECK(step(2.0f, 1.9f), 0.0f);
    CHECK(step(2.0f, 2.0f), 1.0f);
    CHECK(smoothstep(0.0f, 2.0f, 1.0f), 0.5f);
    CHECK(smoothstep(0.0f, 2.0f, 3.0f), 1.0f);
    CHECK(sign(-7.0f), -1.0f);
    CHECK(sign(n), 0.0f);
    CHECK(as_uint(sign(-0.0f)), 0x80000000u);
    CHECK(degrees(1.0f), 57.29578f);
    CHECK(radians(180.0), 3.14159265358979323846);
    CHECK(max(1.0, 2.0) + min(1.0, 2.0), 3.0);
    CHECK(all(max((float3)(1, 5, 3), 4.0f) == (float3)(4, 5, 4)), 1);
    CHECK(fmax(n, 2.0f), 2.0f);
}

kernel void
geometry(global uint *out)
{
    float4 big = (float4)(3e30f, 0, 4e30f, 0), small = big * 0x1p-100f;
    CHECK(dot((float4)(1, 2, 3, 4), (float4)(5, 6, 7, 8)), 70.0f);
    CHECK(dot(3.0, 4.0), 12.0);
    CHECK(length((float2)(3, 4)), 5.0f);
    CHECK(fabs(length(big) - 5e30f) < 1e24f, 1);
    CHECK(fabs(length(big * 0x1p-110f * 0x1p-110f) * 0x1p110f * 0x1p110f -
               5e30f) < 1e25f, 1);
    CHECK(length((float3)(3e-30f, 4e-30f, 0)) > 4.9e-30f, 1);
    CHECK(length((double2)(3e300, 4e300)) > 4.9e300, 1);
    CHECK(isinf(length((float2)(INFINITY, 1))), 1);
    CHECK(distance((float2)(1, 1), (float2)(4, 5)), 5.0f);
    CHECK(all(fabs(normalize((float4)(0, 3, 0, 4)) -
                   (float4)(0, 0.6f, 0, 0.8f)) < 1e-6f), 1);
    CHECK(all(fabs(normalize(big) - (float4)(0.6f, 0, 0.8f, 0)) < 1e-6f), 1);
    CHECK(all(fabs(normalize(small) - (float4)(0.6f, 0, 0.8f, 0)) < 1e-6f), 1);
    float3 apart = normalize((float3)(-0x1.904c92p+62f, 0x1.2c973ap+9f,
                                      0x1.ea892cp-71f));
    CHECK(abs_diff(as_int(apart.z), 0x139b5) <= 2, 1);
    CHECK(normalize(-0x1.557p-137f), -1.0f);
    CHECK(all(normalize((float2)(0)) == (float2)(0)), 1);
    CHECK(all(normalize((float2)(-INFINITY, 5)) == (float2)(-1, 0)), 1);
    CHECK(all(isnan(normalize((float2)(NAN, 5)))), 1);
    CHECK(all(cross((float3)(1, 0, 0), (float3)(0, 1, 0)) ==
              (float3)(0, 0, 1)), 1);
    CHECK(cross((double4)(2), (double4)(3)).w, 0.0);
    CHECK(fast_length((float2)(3, 4)), 5.0f);
    CHECK(fabs(fast_distance(1.0f, 4.0f) - 3.0f) < 1e-4f, 1);
    CHECK(fabs(fast_normalize((float2)(3, 4)).y - 0.8f) < 1e-4f, 1);
}
