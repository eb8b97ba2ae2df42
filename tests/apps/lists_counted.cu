/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT up, below: same
// expect: EXACT up, below or at: same
// expect: EXACT up, unsigned: same
// expect: EXACT up, until: same
// expect: EXACT down, above: same
// expect: EXACT down, above or at: same
// expect: EXACT down, unsigned: same
// expect: EXACT down, until: same
// expect: EXACT in fours: same
// expect: EXACT as long as not: same
// expect: EXACT bound first: same
// expect: EXACT tested before: same
// expect: EXACT wide, below: same
// expect: EXACT wide, until: same
// expect: EXACT wide, above or at: same
// expect: EXACT backwards: same
// expect: EXACT pairs: same
// expect: EXACT lies askew: misaligned address
// expect: EXACT ends outside: an illegal memory access was encountered
// expect: EXACT never met: an illegal memory access was encountered
// expect: EXACT never above: an illegal memory access was encountered
/* Loops that go through a list and count: up, down, in steps, by every
 * comparison, to bounds at which numbers wrap; and lists that are not all
 * there. Each form is run by lanes with counts of their own, once with a bound
 * that lanes share, and compared with the same on the host. */
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { LANES = 96, LIST = 64, MOST = 50 };

static unsigned seed = 7;

static unsigned
any(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

template <class T>
static T *
to_device(const T *from, size_t n)
{
    T *to;
    cudaMalloc(&to, n * sizeof *to);
    cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyHostToDevice);
    return to;
}

/* What a loop did: all it saw, and where its counter was. */
struct seen {
    uint32_t sum;
    int64_t counter;
};

template <class T> struct lane {
    T first, bound;
};

/* A loop of one block. `r` is the constraint of T; `turn` sees counter %2,
 * bound %3, pointer %1 and sum %0. */
#define LOOP(name, T, r, turn)                                                 \
    __global__ void name(const uint32_t *list, const lane<T> *lanes,           \
                         const int *spread, T shared, bool is_shared,          \
                         seen *out)                                            \
    {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
        const uint32_t *p = list + spread[i];                                  \
        uint32_t sum = 1;                                                      \
        T counter = lanes[i].first;                                            \
        T bound = is_shared ? shared : lanes[i].bound;                         \
        asm volatile("{\n\t.reg .pred q;\n\t.reg .b32 v, w;\nAGAIN:\n\t" turn  \
                     "\n\t@q bra AGAIN;\n\t}"                                  \
                     : "+r"(sum), "+l"(p), "+" r(counter)                      \
                     : r(bound)                                                \
                     : "memory");                                              \
        out[i] = {sum, (int64_t)counter};                                      \
    }

#define SEE "ld.global.u32 v, [%1];\n\tmad.lo.u32 %0, %0, 31, v;\n\t"
#define ON  "add.s64 %1, %1, 4;\n\t"

LOOP(up_below, int32_t, "r",
     SEE ON "add.s32 %2, %2, 1;\n\tsetp.lt.s32 q, %2, %3;")
LOOP(up_at, int32_t, "r", SEE ON "add.s32 %2, %2, 1;\n\tsetp.le.s32 q, %2, %3;")
LOOP(up_unsigned, int32_t, "r",
     SEE ON "add.s32 %2, %2, 1;\n\tsetp.lo.u32 q, %2, %3;")
LOOP(up_until, int32_t, "r",
     SEE ON "add.s32 %2, %2, 1;\n\tsetp.ne.s32 q, %2, %3;")
LOOP(down_above, int32_t, "r",
     SEE ON "add.s32 %2, %2, -1;\n\tsetp.gt.s32 q, %2, %3;")
LOOP(down_at, int32_t, "r",
     SEE ON "add.s32 %2, %2, -1;\n\tsetp.ge.s32 q, %2, %3;")
LOOP(down_unsigned, int32_t, "r",
     SEE ON "add.s32 %2, %2, -1;\n\tsetp.hi.u32 q, %2, %3;")
LOOP(down_until, int32_t, "r",
     SEE ON "add.s32 %2, %2, -1;\n\tsetp.ne.u32 q, %2, %3;")
LOOP(in_fours, int32_t, "r",
     SEE ON "add.s32 %2, %2, 4;\n\tsetp.lt.s32 q, %2, %3;")
LOOP(as_not, int32_t, "r",
     SEE ON "add.s32 %2, %2, 2;\n\tsetp.ge.s32 q, %2, %3;\n\tnot.pred q, q;")
LOOP(bound_first, int32_t, "r",
     SEE ON "add.s32 %2, %2, 2;\n\tsetp.gt.s32 q, %3, %2;")
LOOP(before, int32_t, "r",
     SEE ON "setp.lt.s32 q, %2, %3;\n\tadd.s32 %2, %2, 1;")
LOOP(wide_below, int64_t, "l",
     SEE ON "add.s64 %2, %2, 2;\n\tsetp.lt.s64 q, %2, %3;")
LOOP(wide_until, int64_t, "l",
     SEE ON "add.s64 %2, %2, 8;\n\tsetp.ne.s64 q, %2, %3;")
LOOP(wide_at, int64_t, "l",
     SEE ON "add.s64 %2, %2, -2;\n\tsetp.ge.s64 q, %2, %3;")
LOOP(backwards, int32_t, "r",
     SEE "add.s64 %1, %1, -4;\n\tadd.s32 %2, %2, 1;\n\tsetp.lt.s32 q, %2, %3;")
LOOP(pairs, int32_t, "r",
     "ld.global.v2.u32 {v, w}, [%1+8];\n\tmad.lo.u32 %0, %0, 31, v;\n\t"
     "mad.lo.u32 %0, %0, 31, w;\n\tld.global.u32 w, [%1+4];\n\t"
     "mad.lo.u32 %0, %0, 31, w;\n\tadd.s64 %1, %1, 8;\n\t"
     "add.s32 %2, %2, 1;\n\tsetp.lt.s32 q, %2, %3;")

enum { PAIRS = 1, TEST_FIRST = 2 };

/* One lane of a form on the host; its turns, at most MOST + 1. */
template <class T, class U>
static int
follow(const uint32_t *p, T counter, T bound, T step, int move, int flags,
       bool (*stays)(U, U), seen *out)
{
    uint32_t sum = 1;
    for (int turns = 1; turns <= MOST; turns++, p += move) {
        if (flags & PAIRS)
            sum = ((sum * 31 + p[2]) * 31 + p[3]) * 31 + p[1];
        else
            sum = sum * 31 + *p;
        bool again = stays((U)counter, (U)bound);
        counter = (T)((uint64_t)counter + (uint64_t)step);
        if (!(flags & TEST_FIRST))
            again = stays((U)counter, (U)bound);
        if (!again) {
            *out = {sum, (int64_t)counter};
            return turns;
        }
    }
    return MOST + 1;
}

static uint32_t list[LANES * LIST];
static const uint32_t *device_list;

template <class T, class U, class K>
static void
check(const char *what, K kernel, T step, bool (*stays)(U, U), int move = 1,
      int flags = 0)
{
    const T least = sizeof(T) == 4 ? (T)INT32_MIN : (T)INT64_MIN;
    const T most = sizeof(T) == 4 ? (T)INT32_MAX : (T)INT64_MAX;
    const T middles[] = {0, least, most, (T)-1, 1000, (T)(most / 3)};
    bool ok = true;
    int tried = 0;
    for (int shared = 0; shared < 2; shared++) {
        T bound = middles[any(6)];
        lane<T> lanes[LANES];
        seen want[LANES], got[LANES], *out;
        int spread[LANES];
        for (int i = 0; i < LANES; i++) {
            int turns;
            do {
                T near = shared ? bound : middles[any(6)];
                lanes[i].bound =
                    shared ? bound : (T)((uint64_t)near + any(9) - 4);
                lanes[i].first = (T)((uint64_t)lanes[i].bound -
                                     (uint64_t)step * any(MOST) + any(5) - 2);
                if (++tried > 1000000) {
                    printf("%s: nothing to test\n", what);
                    return;
                }
                spread[i] = i * LIST + (move < 0 ? LIST - 1 : (int)any(3) * 2);
                turns = follow(list + spread[i], lanes[i].first, lanes[i].bound,
                               step, move, flags, stays, &want[i]);
            } while (turns > (flags & PAIRS ? LIST / 2 - 4 : MOST));
        }
        cudaMalloc(&out, sizeof got);
        kernel<<<2, LANES / 2>>>(device_list, to_device(lanes, LANES),
                                 to_device(spread, LANES), bound, shared, out);
        cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
        for (int i = 0; i < LANES; i++)
            ok = ok && got[i].sum == want[i].sum &&
                 got[i].counter == want[i].counter;
    }
    printf("%s: %s\n", what, ok ? "same" : "wrong");
}

/* Lanes with a list each, of which lane 5's is not as it should be. */
template <class K>
static void
refuse(const char *what, K kernel, lane<int32_t> five, int bytes_off)
{
    lane<int32_t> lanes[LANES];
    int spread[LANES];
    uint32_t *values;
    seen *out;
    cudaMalloc(&values, LANES * sizeof *values);
    cudaMemset(values, 0, LANES * sizeof *values);
    cudaMalloc(&out, LANES * sizeof *out);
    for (int i = 0; i < LANES; i++) {
        lanes[i] = {0, (int)any(8) + 1};
        spread[i] = (int)any(60);
    }
    lanes[5] = five;
    kernel<<<1, 32>>>((const uint32_t *)((char *)values + bytes_off),
                      to_device(lanes, LANES), to_device(spread, LANES), 0,
                      false, out);
    printf("%s: %s\n", what, cudaGetErrorString(cudaDeviceSynchronize()));
    cudaDeviceReset();
}

template <class T>
static bool
lt(T a, T b)
{
    return a < b;
}
template <class T>
static bool
le(T a, T b)
{
    return a <= b;
}
template <class T>
static bool
gt(T a, T b)
{
    return a > b;
}
template <class T>
static bool
ge(T a, T b)
{
    return a >= b;
}
template <class T>
static bool
ne(T a, T b)
{
    return a != b;
}

int
main()
{
    typedef int32_t i;
    typedef int64_t w;
    for (unsigned k = 0; k < LANES * LIST; k++)
        list[k] = any(100000);
    device_list = to_device(list, LANES * LIST);
    check<i>("up, below", up_below, 1, lt<i>);
    check<i>("up, below or at", up_at, 1, le<i>);
    check<i>("up, unsigned", up_unsigned, 1, lt<uint32_t>);
    check<i>("up, until", up_until, 1, ne<i>);
    check<i>("down, above", down_above, -1, gt<i>);
    check<i>("down, above or at", down_at, -1, ge<i>);
    check<i>("down, unsigned", down_unsigned, -1, gt<uint32_t>);
    check<i>("down, until", down_until, -1, ne<i>);
    check<i>("in fours", in_fours, 4, lt<i>);
    check<i>("as long as not", as_not, 2, lt<i>);
    check<i>("bound first", bound_first, 2, lt<i>);
    check<i>("tested before", before, 1, lt<i>, 1, TEST_FIRST);
    check<w>("wide, below", wide_below, 2, lt<w>);
    check<w>("wide, until", wide_until, 8, ne<w>);
    check<w>("wide, above or at", wide_at, -2, ge<w>);
    check<i>("backwards", backwards, 1, lt<i>, -1);
    check<i>("pairs", pairs, 1, lt<i>, 2, PAIRS);
    refuse("lies askew", up_below, {0, 9}, 2);
    refuse("ends outside", up_below, {0, 600000}, 0);
    refuse("never met", up_until, {5, 1}, 0);
    refuse("never above", up_at, {INT32_MAX - 5, INT32_MAX}, 0);
    return 0;
}
// check: oob-global misaligned race-global (faults are meant; lists that run on into results)
