/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.cl - functions of work-groups and sub-groups (OpenCL C 3.0, 6.15.16 and
 * 6.15.19; cl_khr_subgroup_... extensions). A sub-group is a warp: 32
 * work-items, of which the last one may have less.
 */
#include "library.clh"

#define LANES 32u
#define ALL   0xffffffffu
#define CONVERGENT __attribute__((convergent))

/* cuda.cu: words in shared memory that a block has for these functions, one
 * for each warp and one more. */
void __sw_scratch_put(uint i, ulong x);
ulong __sw_scratch_get(uint i);

/* ---- which ---- */

static INLINE uint
lane(void)
{
    return __nvvm_read_ptx_sreg_laneid();
}
static INLINE uint
linear(void)
{
    return (__nvvm_read_ptx_sreg_tid_z() * __nvvm_read_ptx_sreg_ntid_y() +
            __nvvm_read_ptx_sreg_tid_y()) *
               __nvvm_read_ptx_sreg_ntid_x() +
           __nvvm_read_ptx_sreg_tid_x();
}
static INLINE uint
group_size(void)
{
    return __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() *
           __nvvm_read_ptx_sreg_ntid_z();
}

PURE uint
get_sub_group_id(void)
{
    return linear() / LANES;
}
PURE uint
get_sub_group_local_id(void)
{
    return lane();
}
PURE uint
get_num_sub_groups(void)
{
    return (group_size() + LANES - 1) / LANES;
}
PURE uint
get_enqueued_num_sub_groups(void)
{
    size_t n = get_enqueued_local_size(0) * get_enqueued_local_size(1) *
               get_enqueued_local_size(2);
    return (uint)((n + LANES - 1) / LANES);
}
PURE uint
get_sub_group_size(void)
{
    uint before = linear() / LANES * LANES, left = group_size() - before;
    return left < LANES ? left : LANES;
}
PURE uint
get_max_sub_group_size(void)
{
    return LANES;
}

/* The lanes that are here, in diverged code. */
static INLINE CONVERGENT uint
present(void)
{
    uint r;
    __asm__ volatile("activemask.b32 %0;" : "=r"(r));
    return r;
}

/* ---- shuffles of all types, by words ---- */

#define WORD_SHUFFLE(how, last)                                                \
    static INLINE CONVERGENT uint how##_word(uint members, uint x, uint by)    \
    {                                                                          \
        return (uint)__nvvm_shfl_sync_##how##_i32(members, (int)x, by, last);  \
    }                                                                          \
    static INLINE CONVERGENT ulong how##_long(uint members, ulong x, uint by)  \
    {                                                                          \
        uint low = how##_word(members, (uint)x, by);                           \
        uint high = how##_word(members, (uint)(x >> 32), by);                  \
        return (ulong)high << 32 | low;                                        \
    }
WORD_SHUFFLE(idx, 31)
WORD_SHUFFLE(up, 0)
WORD_SHUFFLE(down, 31)
WORD_SHUFFLE(bfly, 31)

#define SHUFFLE(T, word, to, from, how)                                        \
    static INLINE CONVERGENT OVER T how(uint members, T x, uint by)            \
    {                                                                          \
        return from(how##_##word(members, to(x), by));                         \
    }
#define SHUFFLES(T, word, to, from)                                            \
    SHUFFLE(T, word, to, from, idx)                                            \
    SHUFFLE(T, word, to, from, up)                                             \
    SHUFFLE(T, word, to, from, down)                                           \
    SHUFFLE(T, word, to, from, bfly)
SHUFFLES(char, word, (uint), (char))
SHUFFLES(uchar, word, (uint), (uchar))
SHUFFLES(short, word, (uint), (short))
SHUFFLES(ushort, word, (uint), (ushort))
SHUFFLES(int, word, (uint), (int))
SHUFFLES(uint, word, , )
SHUFFLES(long, long, (ulong), (long))
SHUFFLES(ulong, long, , )
#define HALF_TO(x)   (uint)as_ushort(x)
#define HALF_FROM(x) as_half((ushort)(x))
SHUFFLES(half, word, HALF_TO, HALF_FROM)
SHUFFLES(float, word, as_uint, as_float)
SHUFFLES(double, long, as_ulong, as_double)

/* ---- votes ---- */

SYNC int
sub_group_all(int x)
{
    return __nvvm_vote_all_sync(ALL, x != 0);
}
SYNC int
sub_group_any(int x)
{
    return __nvvm_vote_any_sync(ALL, x != 0);
}
SYNC int
sub_group_elect(void)
{
    return __builtin_ctz(present()) == lane();
}
SYNC int
sub_group_non_uniform_all(int x)
{
    return __nvvm_vote_all_sync(present(), x != 0);
}
SYNC int
sub_group_non_uniform_any(int x)
{
    return __nvvm_vote_any_sync(present(), x != 0);
}
SYNC int
work_group_all(int x)
{
    return __nvvm_bar0_and(x != 0) != 0;
}
SYNC int
work_group_any(int x)
{
    return __nvvm_bar0_or(x != 0) != 0;
}

/* ---- ballots: the first word of four ---- */

SYNC uint4
sub_group_ballot(int x)
{
    return (uint4)(__nvvm_vote_ballot_sync(present(), x != 0), 0, 0, 0);
}
SYNC int
sub_group_inverse_ballot(uint4 x)
{
    return x.s0 >> lane() & 1;
}
PURE int
sub_group_ballot_bit_extract(uint4 x, uint i)
{
    return x.s0 >> (i & 31) & 1;
}
PURE uint
sub_group_ballot_bit_count(uint4 x)
{
    return (uint)__builtin_popcount(x.s0);
}
OVER uint
sub_group_ballot_inclusive_scan(uint4 x)
{
    return (uint)__builtin_popcount(x.s0 & (2u << lane()) - 1);
}
OVER uint
sub_group_ballot_exclusive_scan(uint4 x)
{
    return (uint)__builtin_popcount(x.s0 & (1u << lane()) - 1);
}
OVER uint
sub_group_ballot_find_lsb(uint4 x)
{
    return (uint)__builtin_ctz(x.s0);
}
OVER uint
sub_group_ballot_find_msb(uint4 x)
{
    return 31 - (uint)__builtin_clz(x.s0);
}
#define LANE_MASKS(name, expression)                                           \
    OVER uint4 get_sub_group_##name##_mask(void)                               \
    {                                                                          \
        uint n = get_sub_group_size(), i = lane();                             \
        uint all = n == LANES ? ALL : (1u << n) - 1;                           \
        return (uint4)((expression) & all, 0, 0, 0);                           \
    }
LANE_MASKS(eq, 1u << i)
LANE_MASKS(ge, ~((1u << i) - 1))
LANE_MASKS(gt, ~((2u << i) - 1))
LANE_MASKS(le, (2u << i) - 1)
LANE_MASKS(lt, (1u << i) - 1)

/* ---- broadcasts and shuffles ---- */

#define BROADCASTS(T)                                                          \
    SYNC T sub_group_broadcast(T x, uint from)                                 \
    {                                                                          \
        return idx(ALL, x, from);                                              \
    }                                                                          \
    SYNC T sub_group_non_uniform_broadcast(T x, uint from)                     \
    {                                                                          \
        return idx(present(), x, from);                                        \
    }                                                                          \
    SYNC T sub_group_broadcast_first(T x)                                      \
    {                                                                          \
        uint members = present();                                              \
        return idx(members, x, (uint)__builtin_ctz(members));                  \
    }                                                                          \
    SYNC T sub_group_shuffle(T x, uint from)                                   \
    {                                                                          \
        return idx(present(), x, from);                                        \
    }                                                                          \
    SYNC T sub_group_shuffle_xor(T x, uint mask)                               \
    {                                                                          \
        return bfly(present(), x, mask);                                       \
    }                                                                          \
    SYNC T sub_group_shuffle_up(T x, uint by)                                  \
    {                                                                          \
        return up(present(), x, by);                                           \
    }                                                                          \
    SYNC T sub_group_shuffle_down(T x, uint by)                                \
    {                                                                          \
        return down(present(), x, by);                                         \
    }                                                                          \
    SYNC T sub_group_rotate(T x, int by)                                       \
    {                                                                          \
        uint n = get_sub_group_size();                                         \
        return idx(present(), x, (lane() + n + (uint)by % n) % n);             \
    }                                                                          \
    SYNC T sub_group_clustered_rotate(T x, int by, uint cluster)               \
    {                                                                          \
        uint i = lane(), first = i & ~(cluster - 1);                           \
        return idx(present(), x, first | ((i + (uint)by) & (cluster - 1)));    \
    }                                                                          \
    SYNC int sub_group_non_uniform_all_equal(T x)                              \
    {                                                                          \
        uint members = present();                                              \
        T y = idx(members, x, (uint)__builtin_ctz(members));                   \
        return __nvvm_vote_all_sync(members, x == y);                          \
    }                                                                          \
    WIDTHS(VECTOR_BROADCASTS, T)
#define VECTOR_BROADCASTS(n, T)                                                \
    SYNC T##n sub_group_broadcast(T##n x, uint from)                           \
    {                                                                          \
        return (T##n)(EACH_1_##n(FROM));                                       \
    }                                                                          \
    SYNC T##n sub_group_non_uniform_broadcast(T##n x, uint from)               \
    {                                                                          \
        return (T##n)(EACH_1_##n(PRESENT_FROM));                               \
    }                                                                          \
    SYNC T##n sub_group_broadcast_first(T##n x)                                \
    {                                                                          \
        return (T##n)(EACH_1_##n(sub_group_broadcast_first));                  \
    }
#define FROM(x)         sub_group_broadcast(x, from)
#define PRESENT_FROM(x) sub_group_non_uniform_broadcast(x, from)
BROADCASTS(char)
BROADCASTS(uchar)
BROADCASTS(short)
BROADCASTS(ushort)
BROADCASTS(int)
BROADCASTS(uint)
BROADCASTS(long)
BROADCASTS(ulong)
BROADCASTS(half)
BROADCASTS(float)
BROADCASTS(double)

/* ---- reductions and scans ---- */

/* Their arguments are variables: some are evaluated twice. */
#define OPERATE_add(a, b)         ((a) + (b))
#define OPERATE_mul(a, b)         ((a) * (b))
#define OPERATE_min(a, b)         ((b) < (a) ? (b) : (a))
#define OPERATE_max(a, b)         ((a) < (b) ? (b) : (a))
#define OPERATE_and(a, b)         ((a) & (b))
#define OPERATE_or(a, b)          ((a) | (b))
#define OPERATE_xor(a, b)         ((a) ^ (b))
#define OPERATE_logical_and(a, b) ((a) && (b))
#define OPERATE_logical_or(a, b)  ((a) || (b))
#define OPERATE_logical_xor(a, b) (!(a) != !(b))

/* Of the lanes up to this one: the same in each prefix. */
#define WARP_SCAN(T, what, none)                                               \
    static INLINE CONVERGENT OVER T scan_##what(T x)                           \
    {                                                                          \
        uint i = lane();                                                       \
        _Pragma("unroll") for (uint by = 1; by < LANES; by *= 2)               \
        {                                                                      \
            T y = up(ALL, x, by);                                              \
            x = i >= by ? (T)OPERATE_##what(y, x) : x;                         \
        }                                                                      \
        return x;                                                              \
    }                                                                          \
    SYNC T sub_group_reduce_##what(T x)                                        \
    {                                                                          \
        return idx(ALL, scan_##what(x), get_sub_group_size() - 1);             \
    }                                                                          \
    SYNC T sub_group_scan_inclusive_##what(T x)                                \
    {                                                                          \
        return scan_##what(x);                                                 \
    }                                                                          \
    SYNC T sub_group_scan_exclusive_##what(T x)                                \
    {                                                                          \
        T y = up(ALL, scan_##what(x), 1);                                      \
        return lane() ? y : (T)(none);                                         \
    }

/* What is put into scratch memory of a number. */
static INLINE OVER ulong
word_of(int x)
{
    return (ulong)x;
}
static INLINE OVER ulong
word_of(uint x)
{
    return x;
}
static INLINE OVER ulong
word_of(long x)
{
    return (ulong)x;
}
static INLINE OVER ulong
word_of(ulong x)
{
    return x;
}
static INLINE OVER ulong
word_of(half x)
{
    return as_ushort(x);
}
static INLINE OVER ulong
word_of(float x)
{
    return as_uint(x);
}
static INLINE OVER ulong
word_of(double x)
{
    return as_ulong(x);
}

/* Warps, too, count in order: this one's prefix, or all. */
#define BLOCK_SCAN(T, what, none)                                              \
    static INLINE CONVERGENT OVER T fold_##what(T x, uint warps, T *before)    \
    {                                                                          \
        uint warp = linear() / LANES;                                          \
        T own = scan_##what(x), sum = (T)(none);                               \
        if (lane() == get_sub_group_size() - 1)                                \
            __sw_scratch_put(warp, TO_WORD(own));                              \
        __nvvm_bar_sync(0);                                                    \
        for (uint i = 0; i < warps; i++) {                                     \
            T y = FROM_WORD(T, __sw_scratch_get(i));                           \
            if (i == warp)                                                     \
                *before = sum;                                                 \
            sum = (T)OPERATE_##what(sum, y);                                   \
        }                                                                      \
        __nvvm_bar_sync(0);                                                    \
        return sum;                                                            \
    }                                                                          \
    SYNC T work_group_reduce_##what(T x)                                       \
    {                                                                          \
        T before;                                                              \
        return fold_##what(x, get_num_sub_groups(), &before);                  \
    }                                                                          \
    SYNC T work_group_scan_inclusive_##what(T x)                               \
    {                                                                          \
        T before;                                                              \
        fold_##what(x, get_num_sub_groups(), &before);                         \
        T own = scan_##what(x);                                                \
        return (T)OPERATE_##what(before, own);                                 \
    }                                                                          \
    SYNC T work_group_scan_exclusive_##what(T x)                               \
    {                                                                          \
        T before;                                                              \
        fold_##what(x, get_num_sub_groups(), &before);                         \
        T own = sub_group_scan_exclusive_##what(x);                            \
        return (T)OPERATE_##what(before, own);                                 \
    }
#define TO_WORD(x) word_of(x)
#define FROM_WORD(T, x) WORD_AS_##T(x)
#define WORD_AS_int(x)    (int)(x)
#define WORD_AS_uint(x)   (uint)(x)
#define WORD_AS_long(x)   (long)(x)
#define WORD_AS_ulong(x)  (x)
#define WORD_AS_half(x)   as_half((ushort)(x))
#define WORD_AS_float(x)  as_float((uint)(x))
#define WORD_AS_double(x) as_double(x)

/* Of the lanes that are here, one after the other. */
#define PRESENT_SCAN(T, what, none)                                            \
    static INLINE CONVERGENT OVER T fold_present_##what(T x, uint counted)     \
    {                                                                          \
        T r = (T)(none);                                                       \
        uint members = present();                                              \
        for (uint rest = members; rest; rest &= rest - 1) {                    \
            uint i = (uint)__builtin_ctz(rest);                                \
            T y = idx(members, x, i);                                          \
            r = counted >> i & 1 ? (T)OPERATE_##what(r, y) : r;                \
        }                                                                      \
        return r;                                                              \
    }                                                                          \
    SYNC T sub_group_non_uniform_reduce_##what(T x)                            \
    {                                                                          \
        return fold_present_##what(x, ALL);                                    \
    }                                                                          \
    SYNC T sub_group_non_uniform_scan_inclusive_##what(T x)                    \
    {                                                                          \
        return fold_present_##what(x, (2u << lane()) - 1);                     \
    }                                                                          \
    SYNC T sub_group_non_uniform_scan_exclusive_##what(T x)                    \
    {                                                                          \
        return fold_present_##what(x, (1u << lane()) - 1);                     \
    }                                                                          \
    SYNC T sub_group_clustered_reduce_##what(T x, uint cluster)                \
    {                                                                          \
        uint ones = cluster >= LANES ? ALL : (1u << cluster) - 1;              \
        return fold_present_##what(x, ones << (lane() & ~(cluster - 1)));      \
    }

#define NUMBERS(M, T, least, most)                                             \
    M(T, add, 0)                                                               \
    M(T, min, most)                                                            \
    M(T, max, least)
#define PRESENT_NUMBERS(T, least, most)                                        \
    NUMBERS(PRESENT_SCAN, T, least, most)                                      \
    NUMBERS(WARP_SCAN, T, least, most)                                         \
    PRESENT_SCAN(T, mul, 1)
#define PRESENT_BITS(T)                                                        \
    PRESENT_SCAN(T, and, ~(T)0)                                                \
    PRESENT_SCAN(T, or, 0)                                                     \
    PRESENT_SCAN(T, xor, 0)
PRESENT_NUMBERS(char, CHAR_MIN, CHAR_MAX)
PRESENT_NUMBERS(uchar, 0, UCHAR_MAX)
PRESENT_NUMBERS(short, SHRT_MIN, SHRT_MAX)
PRESENT_NUMBERS(ushort, 0, USHRT_MAX)
PRESENT_NUMBERS(int, INT_MIN, INT_MAX)
PRESENT_NUMBERS(uint, 0, UINT_MAX)
PRESENT_NUMBERS(long, LONG_MIN, LONG_MAX)
PRESENT_NUMBERS(ulong, 0, ULONG_MAX)
PRESENT_NUMBERS(half, -INFINITY, INFINITY)
PRESENT_NUMBERS(float, -INFINITY, INFINITY)
PRESENT_NUMBERS(double, -INFINITY, INFINITY)
PRESENT_BITS(char)
PRESENT_BITS(uchar)
PRESENT_BITS(short)
PRESENT_BITS(ushort)
PRESENT_BITS(int)
PRESENT_BITS(uint)
PRESENT_BITS(long)
PRESENT_BITS(ulong)
PRESENT_SCAN(int, logical_and, 1)
PRESENT_SCAN(int, logical_or, 0)
PRESENT_SCAN(int, logical_xor, 0)

NUMBERS(BLOCK_SCAN, int, INT_MIN, INT_MAX)
NUMBERS(BLOCK_SCAN, uint, 0, UINT_MAX)
NUMBERS(BLOCK_SCAN, long, LONG_MIN, LONG_MAX)
NUMBERS(BLOCK_SCAN, ulong, 0, ULONG_MAX)
NUMBERS(BLOCK_SCAN, half, -INFINITY, INFINITY)
NUMBERS(BLOCK_SCAN, float, -INFINITY, INFINITY)
NUMBERS(BLOCK_SCAN, double, -INFINITY, INFINITY)

/* ---- broadcasts in a work-group ---- */

#define BLOCK_BROADCAST(T)                                                     \
    static INLINE CONVERGENT OVER T from_item(T x, size_t from)                \
    {                                                                          \
        if (linear() == from)                                                  \
            __sw_scratch_put(LANES, TO_WORD(x));                               \
        __nvvm_bar_sync(0);                                                    \
        x = FROM_WORD(T, __sw_scratch_get(LANES));                             \
        __nvvm_bar_sync(0);                                                    \
        return x;                                                              \
    }                                                                          \
    SYNC T work_group_broadcast(T a, size_t x)                                 \
    {                                                                          \
        return from_item(a, x);                                                \
    }                                                                          \
    SYNC T work_group_broadcast(T a, size_t x, size_t y)                       \
    {                                                                          \
        return from_item(a, y * get_local_size(0) + x);                        \
    }                                                                          \
    SYNC T work_group_broadcast(T a, size_t x, size_t y, size_t z)             \
    {                                                                          \
        return from_item(                                                      \
            a, (z * get_local_size(1) + y) * get_local_size(0) + x);           \
    }
BLOCK_BROADCAST(int)
BLOCK_BROADCAST(uint)
BLOCK_BROADCAST(long)
BLOCK_BROADCAST(ulong)
BLOCK_BROADCAST(half)
BLOCK_BROADCAST(float)
BLOCK_BROADCAST(double)
