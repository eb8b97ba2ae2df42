/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 0 failed
/* Intrinsics with one right answer: bits, conversions, votes, shuffles,
 * matches, atomics. */
#include <cstdio>
#include <cuda_runtime.h>

__device__ int failures;

#define SAME(got, want)                                                        \
    do {                                                                       \
        auto g = (got);                                                        \
        decltype(g) w = (want);                                                \
        if (!(g == w)) {                                                       \
            atomicAdd(&failures, 1);                                           \
            printf("thread %d, line %d: %s\n", (int)threadIdx.x, __LINE__,     \
                   #got);                                                      \
        }                                                                      \
    } while (0)

/* Keeps the compiler from working it out itself. */
template <typename T>
__device__ T
opaque(T v)
{
    volatile T t = v;
    return t;
}
#define O(v) opaque(v)

__global__ void
bits()
{
    SAME(__clz(O(1)), 31);
    SAME(__clz(O(0)), 32);
    SAME(__clzll(O(1ll)), 63);
    SAME(__ffs(O(0x50)), 5);
    SAME(__ffs(O(0)), 0);
    SAME(__ffsll(O(1ll << 40)), 41);
    SAME(__popc(O(0xf0f0u)), 8);
    SAME(__popcll(O(~0ull)), 64);
    SAME(__brev(O(1u)), 0x80000000u);
    SAME(__brevll(O(1ull)), 1ull << 63);
    SAME(__byte_perm(O(0x33221100u), O(0x77665544u), 0x7531), 0x77553311u);
    SAME(__funnelshift_l(O(0x80000000u), O(1u), 33), 3u);
    SAME(__funnelshift_rc(O(0u), O(5u), 40), 5u);
    SAME(__mul24(O(-3), O(5)), -15);
    SAME(__umul24(O(0xff000002u), O(3u)), 6u);
    SAME(__mulhi(O(-1), O(1)), -1);
    SAME(__umulhi(O(0x80000000u), O(4u)), 2u);
    SAME(__umul64hi(O(1ull << 63), O(6ull)), 3ull);
    SAME(__mul64hi(O(-1ll), O(3ll)), -1ll);
    SAME(__sad(O(-3), O(4), 10u), 17u);
    SAME(__usad(O(3u), O(4u), 10u), 11u);
    SAME(__hadd(O(-3), O(-4)), -4);
    SAME(__rhadd(O(-3), O(-4)), -3);
    SAME(__uhadd(O(~0u), O(~0u)), ~0u);
    SAME(__vadd2(O(0xffff0001u), O(0x00010001u)), 0x00000002u);
    SAME(__vaddss2(O(0x7fff8000u), O(0x0001ffffu)), 0x7fff8000u);
    SAME(__vsads4(O(0x80ff017fu), O(0x7f000280u)), 255u + 1 + 1 + 255);
    SAME(__vcmpgtu4(O(0x01ff0203u), O(0x00ff0302u)), 0xff0000ffu);
    SAME(__vabsdiffu4(O(0x01ff0203u), O(0x00ff0302u)), 0x01000101u);
    SAME(__vavgs2(O(0xffff0003u), O(0x00000004u)), 0xffff0004u);
}

__global__ void
conversions()
{
    SAME(__float2int_rn(O(2.5f)), 2);
    SAME(__float2int_rz(O(-2.5f)), -2);
    SAME(__float2int_ru(O(2.1f)), 3);
    SAME(__float2int_rd(O(-2.1f)), -3);
    SAME(__float2int_rn(O(1e20f)), 2147483647);
    SAME(__float2uint_rz(O(-5.0f)), 0u);
    SAME(__double2ll_rn(O(3.5)), 4ll);
    SAME(__double2ull_rz(O(1e19)), 10000000000000000000ull);
    SAME(__int2float_rz(O(16777217)), 16777216.0f);
    SAME(__int2float_ru(O(16777217)), 16777218.0f);
    SAME(__int2float_rz(O(33554431)), 33554430.0f);
    SAME(__uint2float_rz(O(~0u)), 4294967040.0f);
    SAME(__ll2float_rz(O(1 - (1ll << 62))), -0x1.fffffep61f);
    SAME(__ull2float_rz(O(~0ull)), 0x1.fffffep63f);
    SAME(__ll2double_rz(O((1ll << 62) - 1)), 0x1.fffffffffffffp61);
    SAME(__ull2double_rz(O(~0ull)), 0x1.fffffffffffffp63);
    /* of constants out of range */
    SAME(__float2int_rz(1e20f), 2147483647);
    SAME(__float2uint_rz(1e20f), ~0u);
    SAME(__float2ll_rz(-1e30f), (long long)(1ull << 63));
    SAME(__float2ull_rz(1e30f), ~0ull);
    SAME(__double2int_rz(-3e10), (int)0x80000000);
    SAME(__double2uint_rz(-5.0), 0u);
    SAME(__double2ll_rz(1e30), (long long)(~0ull >> 1));
    SAME(__double2ull_rz(1e30), ~0ull);
    SAME(__ll2double_rd(O((1ll << 53) + 1)), 9007199254740992.0);
    SAME(__double2float_ru(O(1.0 + 1e-12)), 1.0f + 0x1p-23f);
    SAME(__float_as_int(O(1.0f)), 0x3f800000);
    SAME(__hiloint2double(O(0x3ff00000), O(0)), 1.0);
    SAME(__double2hiint(O(-2.0)), (int)0xc0000000);
    SAME(__fadd_rz(O(1.0f), O(0x1.fffffep-24f)), 1.0f);
    SAME(__fadd_ru(O(1.0f), O(0x1p-60f)), 1.0f + 0x1p-23f);
    SAME(__fmul_rd(O(1.0f / 3), O(3.0f)), 1.0f);
    SAME(__fdiv_rn(O(1.0f), O(3.0f)), 1.0f / 3);
    SAME(__fmaf_rn(O(0x1.000002p0f), O(0x1.000002p0f), O(-1.0f)),
         0x1.000001p-22f);
    SAME(__drcp_rn(O(4.0)), 0.25);
    SAME(__dsqrt_rn(O(9.0)), 3.0);
    SAME(__frsqrt_rn(O(4.0f)), 0.5f);
    SAME(__saturatef(O(1.5f)), 1.0f);
    SAME(__saturatef(O(-1.5f)), 0.0f);
}

__global__ void
warp()
{
    int lane = threadIdx.x;
    unsigned all = 0xffffffffu;
    SAME(__shfl_sync(all, lane, 5), 5);
    SAME(__shfl_sync(all, lane, 3, 8), (lane & 24) + 3);
    SAME(__shfl_up_sync(all, lane, 1), lane ? lane - 1 : 0);
    SAME(__shfl_down_sync(all, lane, 2), lane < 30 ? lane + 2 : lane);
    SAME(__shfl_xor_sync(all, lane * 1.5, 1), (lane ^ 1) * 1.5);
    SAME(__shfl_xor_sync(all, lane * 0x100000001ll, 4),
         (lane ^ 4) * 0x100000001ll);
    SAME(__shfl_xor_sync(all, (float)lane, 2), (float)(lane ^ 2));
    SAME(__shfl(lane, 7), 7);
    SAME(__ballot_sync(all, lane & 1), 0xaaaaaaaau);
    SAME(__ballot(lane < 4), 0xfu);
    SAME(__any_sync(all, lane == 9), 1);
    SAME(__all_sync(all, lane == 9), 0);
    SAME(__all(lane < 32), 1);
    if (lane & 1) {
        SAME(__activemask(), 0xaaaaaaaau);
        SAME(__ballot_sync(0xaaaaaaaau, lane > 16), 0xaaaa0000u);
    }
    __syncwarp();
#if __CUDA_ARCH__ >= 700
    int all_same;
    SAME(__match_any_sync(all, lane / 8), 0xffu << (lane & 24));
    SAME(__match_all_sync(all, 5, &all_same), all);
    SAME(all_same, 1);
#endif
#if __CUDA_ARCH__ >= 800
    SAME(__reduce_add_sync(all, lane), 496);
    SAME(__reduce_max_sync(all, -lane), 0);
    SAME(__reduce_or_sync(all, 1u << lane), all);
#endif
    SAME(__syncthreads_count(lane < 10), 10);
    SAME(__syncthreads_and(lane < 10), 0);
    SAME(__syncthreads_or(lane < 10) != 0, true);
}

__device__ int counter = 7;
__device__ unsigned wrap = 2;
__device__ float sum_f;
__device__ double sum_d;
__device__ unsigned long long wide;
__device__ int low = 100, high = -100, mask_or, mask_and = -1, mask_xor;

__global__ void
atomics()
{
    int i = threadIdx.x;
    atomicAdd(&counter, 1);
    atomicSub(&counter, 2);
    atomicInc(&wrap, 9);
    atomicAdd(&sum_f, 0.5f);
    atomicAdd(&sum_d, 0.25);
    atomicAdd(&wide, 1ull << 33);
    atomicMin(&low, i - 3);
    atomicMax(&high, i);
    atomicOr(&mask_or, 1 << (i & 31));
    atomicAnd(&mask_and, ~(1 << (i & 15)));
    atomicXor(&mask_xor, i);
    __syncthreads();
    if (i == 0) {
        SAME(counter, 7 - 64);
        SAME(wrap, (2u + 64) % 10);
        SAME(sum_f, 32.0f);
        SAME(sum_d, 16.0);
        SAME(wide, 64ull << 33);
        SAME(low, -3);
        SAME(high, 63);
        SAME(mask_or, -1);
        SAME(mask_and, (int)0xffff0000);
        SAME(mask_xor, 0);
        SAME(atomicExch(&counter, 5), 7 - 64);
        SAME(atomicCAS(&counter, 5, 6), 5);
        SAME(atomicCAS(&counter, 5, 7), 6);
        SAME(counter, 6);
    }
}

int
main()
{
    int n = -1;
    bits<<<1, 1>>>();
    conversions<<<1, 1>>>();
    warp<<<1, 32>>>();
    atomics<<<1, 64>>>();
    if (cudaDeviceSynchronize() || cudaMemcpyFromSymbol(&n, failures, sizeof n))
        n = -1;
    printf("%d failed\n", n);
    return n != 0;
}
