/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_lanes.c - see access_lanes.h; compiled once for each vector extension
 * (SW_VARIANT). Neighbouring lanes mostly want neighbouring things, in order:
 * then what is new differs from what is before it. Else every lane is compared
 * with all before it, 32 lanes in each step.
 */
#include <string.h>

#include "watch/access_lanes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define LANES       for (int i = 0; i < 32; i++)

enum { BANKS = 32, BANK_BITS = 5, SECTOR = 5, LINE = 7 };

#if !defined(__AVX512CD__)

/* ---- of an array: at[32] on are the values of 32 lanes, each below 2^31;
 * before them the first one once more, and what is no value ---- */

static void
close_array(uint32_t at[64])
{
    uint32_t first = at[32];
    LANES at[i] = UINT32_MAX;
    at[31] = first;
}

/* Bit i: a value before the i-th is the same, without the last `less` bits. */
static uint32_t
repeated_in(const uint32_t at[64], unsigned less)
{
    uint32_t found[32] = {0}, same = 0;
    for (int k = 1; k < 32; k++)
        LANES found[i] |=
            (at[32 + i] ^ at[32 + i - k]) >> less ? 0 : UINT32_MAX;
    LANES same |= found[i] & 1u << i;
    return same;
}

/* Bit i: no value before the i-th is the same, without the last `less` bits. */
static uint32_t
firsts_in(const uint32_t at[64], unsigned less)
{
    uint32_t falls = 0, same = 0;
    LANES
    {
        uint32_t v = at[32 + i] >> less, before = at[31 + i] >> less;
        falls |= v < before;
        same |= v == before ? 1u << i : 0;
    }
    return ~(falls ? repeated_in(at, less) : same) | 1;
}

/* Of these words, those in the bank that has most: a word adds a row that has
 * one 1 to the counts of all banks. */
static uint32_t
most_of(const uint32_t words[32], uint32_t which)
{
    static const uint8_t one[2 * BANKS] = {[BANKS] = 1};
    typedef uint8_t banks __attribute__((vector_size(BANKS)));
    typedef uint8_t unaligned __attribute__((vector_size(BANKS), aligned(1)));
    const uint8_t *from = one + BANKS;
    banks sum = {0};
    uint8_t in[BANKS], most = 0;
    if (which == UINT32_MAX) {
        for (uint32_t i = 0; i < 32; i++)
            sum += *(const unaligned *)(from - words[i] % BANKS);
    } else {
        for (uint32_t m = which; m; m &= m - 1)
            sum += *(const unaligned *)(from - words[__builtin_ctz(m)] % BANKS);
    }
    memcpy(in, &sum, sizeof in);
    LANES most = in[i] > most ? in[i] : most;
    return most;
}

#endif

#if defined(__AVX2__)

/* Of words in the order of banks, a bit each where another word and where
 * another bank begins: the most words that a bank has. */
static uint32_t
longest(uint32_t words, uint32_t banks)
{
    uint32_t more = _pext_u32(~banks, words), most = 1;
    for (; more; more &= more >> 1)
        most++;
    return most;
}

#endif

#if defined(__AVX512CD__)

/* Values of the lanes that are on, below 2^31, packed within each half; the
 * last one again in what is left. */
typedef struct {
    __m512i low, high;
    uint32_t which; /* a bit for each lane that is on */
} row;

/* The first `count`, and the last of them in what is left. */
static __m512i
repeat_last(__m512i v, int count)
{
    const __m512i index =
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutexvar_epi32(
        _mm512_min_epi32(index, _mm512_set1_epi32(count - 1)), v);
}

static inline void
pack(row *r, uint32_t mask)
{
    int low = __builtin_popcount(mask & 0xffff);
    int high = __builtin_popcount(mask >> 16);
    __m512i a = _mm512_maskz_compress_epi32((__mmask16)mask, r->low);
    __m512i b = _mm512_maskz_compress_epi32((__mmask16)(mask >> 16), r->high);
    if (low + high <= 16) {
        a = _mm512_mask_expand_epi32(a, (__mmask16)(0xffffu << low), b);
        r->low = repeat_last(a, low + high);
        r->high = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), r->low);
        r->which = (1u << (low + high)) - 1;
    } else {
        r->low = repeat_last(a, low);
        r->high = repeat_last(b, high);
        r->which = ((1u << low) - 1) | ((1u << high) - 1) << 16;
    }
}

static __m512i
narrow(__m512i a, __m512i b, unsigned shift)
{
    __m128i by = _mm_cvtsi32_si128((int)shift);
    __m512i v =
        _mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srl_epi64(a, by)));
    v = _mm512_inserti64x4(v, _mm512_cvtepi64_epi32(_mm512_srl_epi64(b, by)),
                           1);
    return _mm512_and_si512(v, _mm512_set1_epi32(INT32_MAX));
}

/* Not packed: lanes that are off are as the first one that is on. False: not
 * all have the same higher bits. */
static inline bool
fill_lanes(row *r, const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    __m512i one = _mm512_set1_epi64((int64_t)addr[__builtin_ctz(mask)]);
    __m512i a[4], far = _mm512_setzero_si512();
    for (int i = 0; i < 4; i++) {
        a[i] = _mm512_mask_loadu_epi64(one, (__mmask8)(mask >> 8 * i),
                                       addr + 8 * i);
        far = _mm512_or_si512(far, _mm512_xor_si512(a[i], one));
    }
    r->low = narrow(a[0], a[1], shift);
    r->high = narrow(a[2], a[3], shift);
    r->which = mask;
    far = _mm512_srl_epi64(far, _mm_cvtsi32_si128((int)shift + 31));
    return !_mm512_test_epi64_mask(far, far);
}

static inline bool
fill_row(row *r, const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    bool near = fill_lanes(r, addr, mask, shift);
    if (mask != UINT32_MAX)
        pack(r, mask);
    return near;
}

/* The smaller of v and `other` in each lane, in those of `upper` the larger. */
static __m512i
order(__m512i v, __m512i other, __mmask16 upper)
{
    return _mm512_mask_max_epu32(_mm512_min_epu32(v, other), upper, v, other);
}

/* Each with the one `apart` lanes from it: 1, 2, 4 or 8. */
static __m512i
order_apart(__m512i v, int apart)
{
    switch (apart) {
    case 1:
        return order(v, _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xb1), 0xaaaa);
    case 2:
        return order(v, _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e), 0xcccc);
    case 4:
        return order(v, _mm512_shuffle_i32x4(v, v, 0xb1), 0xf0f0);
    default:
        return order(v, _mm512_shuffle_i32x4(v, v, 0x4e), 0xff00);
    }
}

static __m512i
reverse(__m512i v)
{
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
        v);
}

/* A bitonic network: runs of 2, 4, 8, 16 lanes, each from two of half the
 * length, of which one is reversed. */
static __m512i
sort_16(__m512i v)
{
    const __m512i in_eights =
        _mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    v = order_apart(v, 1);
    v = order(v, _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x1b), 0xcccc);
    v = order_apart(v, 1);
    v = order(v, _mm512_permutexvar_epi32(in_eights, v), 0xf0f0);
    v = order_apart(order_apart(v, 2), 1);
    v = order(v, reverse(v), 0xff00);
    return order_apart(order_apart(order_apart(v, 4), 2), 1);
}

static __m512i
merge_16(__m512i v)
{
    v = order_apart(order_apart(v, 8), 4);
    return order_apart(order_apart(v, 2), 1);
}

/* Those of the lanes before. */
static void
shift_row(const row *r, __m512i *low, __m512i *high)
{
    *low = _mm512_alignr_epi32(
        r->low, _mm512_broadcastd_epi32(_mm512_castsi512_si128(r->low)), 15);
    *high = _mm512_alignr_epi32(r->high, r->low, 15);
}

/* Brings equal ones together. */
static inline void
settle(row *r)
{
    __m512i before_low, before_high;
    shift_row(r, &before_low, &before_high);
    if (!(_mm512_cmplt_epu32_mask(r->low, before_low) |
          _mm512_cmplt_epu32_mask(r->high, before_high)))
        return;
    __m512i low = sort_16(r->low);
    if (!(r->which >> 16)) { /* the other half has nothing else */
        r->low = low;
        r->high = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), low);
        return;
    }
    __m512i high = reverse(sort_16(r->high));
    r->low = merge_16(_mm512_min_epu32(low, high));
    r->high = merge_16(_mm512_max_epu32(low, high));
}

/* Of a settled row: bit i: no value before the i-th is the same, without the
 * last `less` bits. */
static uint32_t
changes(const row *r, unsigned less)
{
    __m128i by = _mm_cvtsi32_si128((int)less);
    __m512i low, high;
    shift_row(r, &low, &high);
    low = _mm512_srl_epi32(_mm512_xor_si512(low, r->low), by);
    high = _mm512_srl_epi32(_mm512_xor_si512(high, r->high), by);
    return (uint32_t)_mm512_test_epi32_mask(high, high) << 16 |
           _mm512_test_epi32_mask(low, low) | 1;
}

/* Bit i: a value before the i-th is the same. */
static uint32_t
repeated(__m512i low, __m512i high, bool has_high)
{
    __m512i in_low = _mm512_conflict_epi32(low);
    uint32_t found_low = _mm512_test_epi32_mask(in_low, in_low);
    if (!has_high)
        return found_low | 0xffff0000u;
    __m512i in_high = _mm512_conflict_epi32(high);
    __m512i apart = _mm512_set1_epi32(-1); /* 0: from none of low */
    int32_t one[16];
    _mm512_storeu_si512(one, low);
    __asm__("" : "+m"(one)); /* or gcc takes each from a register, slowly */
    for (int i = 0; i < 16; i++)
        apart = _mm512_min_epu32(
            apart, _mm512_xor_si512(high, _mm512_set1_epi32(one[i])));
    uint32_t found = _mm512_test_epi32_mask(in_high, in_high) |
                     _mm512_testn_epi32_mask(apart, apart);
    return found << 16 | found_low;
}

/* Bit i: no value before the i-th is the same, without the last `less` bits. */
static uint32_t
firsts(const row *r, unsigned less)
{
    __m128i by = _mm_cvtsi32_si128((int)less);
    __m512i low = _mm512_srl_epi32(r->low, by);
    __m512i high = _mm512_srl_epi32(r->high, by);
    __m512i before_low = _mm512_alignr_epi32(
        low, _mm512_broadcastd_epi32(_mm512_castsi512_si128(low)), 15);
    __m512i before_high = _mm512_alignr_epi32(high, low, 15);
    uint32_t falls = _mm512_cmplt_epu32_mask(low, before_low) |
                     _mm512_cmplt_epu32_mask(high, before_high);
    uint32_t same = (uint32_t)_mm512_cmpeq_epi32_mask(high, before_high) << 16 |
                    _mm512_cmpeq_epi32_mask(low, before_low);
    return ~(falls ? repeated(low, high, r->which >> 16) : same) | 1;
}

static void
get_values(const row *r, uint32_t out[32])
{
    _mm512_storeu_si512(out, r->low);
    _mm512_storeu_si512(out + 16, r->high);
}

/* A bit for the bank of each lane. */
static void
get_banks(const row *r, uint32_t which, __m512i *low, __m512i *high)
{
    const __m512i bank = _mm512_set1_epi32(BANKS - 1);
    const __m512i one = _mm512_set1_epi32(1);
    *low = _mm512_maskz_sllv_epi32((__mmask16)which, one,
                                   _mm512_and_si512(r->low, bank));
    *high = _mm512_maskz_sllv_epi32((__mmask16)(which >> 16), one,
                                    _mm512_and_si512(r->high, bank));
}

/* Several lanes want the same bank. */
static bool
is_crowded(const row *r)
{
    __m512i low, high;
    get_banks(r, r->which, &low, &high);
    uint32_t busy = (uint32_t)_mm512_reduce_or_epi32(low | high);
    return __builtin_popcount(busy) != __builtin_popcount(r->which);
}

/* Adds numbers, digit k of one in each bit of a[k] and of b[k]; the sums have
 * one digit more. */
#define ADD(type, digits, a, b, sum)                                           \
    do {                                                                       \
        type carry_ = (a)[0] & (b)[0];                                         \
        (sum)[0] = (a)[0] ^ (b)[0];                                            \
        for (int k_ = 1; k_ < (digits); k_++) {                                \
            type x_ = (a)[k_] ^ (b)[k_], y_ = (a)[k_] & (b)[k_];               \
            (sum)[k_] = x_ ^ carry_;                                           \
            carry_ = y_ | (x_ & carry_);                                       \
        }                                                                      \
        (sum)[digits] = carry_;                                                \
    } while (0)

/* Of these words, those in the bank that has most: bit b of a lane stands for
 * bank b, and what the lanes have there is added up for all banks at once. */
static uint32_t
most_in_a_bank(const row *r, uint32_t which)
{
    __m512i low, high, by2[2];
    __m256i a4[2], b4[2], by4[3];
    __m128i a8[3], b8[3], by8[4];
    uint64_t a16[4], b16[4], by16[5];
    uint32_t a32[5], b32[5], sum[6], most = 0, all = UINT32_MAX;
    get_banks(r, which, &low, &high);
    ADD(__m512i, 1, &low, &high, by2);
    for (int k = 0; k < 2; k++) {
        a4[k] = _mm512_castsi512_si256(by2[k]);
        b4[k] = _mm512_extracti64x4_epi64(by2[k], 1);
    }
    ADD(__m256i, 2, a4, b4, by4);
    for (int k = 0; k < 3; k++) {
        a8[k] = _mm256_castsi256_si128(by4[k]);
        b8[k] = _mm256_extracti128_si256(by4[k], 1);
    }
    ADD(__m128i, 3, a8, b8, by8);
    for (int k = 0; k < 4; k++) {
        a16[k] = (uint64_t)_mm_cvtsi128_si64(by8[k]);
        b16[k] = (uint64_t)_mm_extract_epi64(by8[k], 1);
    }
    ADD(uint64_t, 4, a16, b16, by16);
    for (int k = 0; k < 5; k++) {
        a32[k] = (uint32_t)by16[k];
        b32[k] = (uint32_t)(by16[k] >> 32);
    }
    ADD(uint32_t, 5, a32, b32, sum);
    for (int k = 5; k >= 0; k--) { /* banks that have most so far */
        uint32_t has = sum[k] & all;
        all = has ? has : all;
        most = 2 * most + (has != 0);
    }
    return most;
}

/* Of the words that these lanes want, those in the bank that has most: in the
 * order of banks, the longest run of new words that are not in a new bank. */
static uint32_t
most_words_in_a_bank(row *r)
{
    r->low = _mm512_ror_epi32(r->low, BANK_BITS);
    r->high = _mm512_ror_epi32(r->high, BANK_BITS);
    if (r->which != UINT32_MAX)
        pack(r, r->which);
    settle(r);
    return longest(changes(r, 0), changes(r, 32 - BANK_BITS));
}

#elif defined(__AVX2__)

/* Values of the lanes, below 2^31; of lanes that are off as of the first one
 * that is on. */
typedef struct {
    __m256i v[4];
    uint32_t which; /* a bit for each lane that is on */
} row;

enum { EACH = 8 };

/* The lanes 8 * k to 8 * k + 7 of a mask, all bits each. */
static __m256i
lanes_of(uint32_t mask, int k)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i m = _mm256_set1_epi32((int)(mask >> EACH * k));
    return _mm256_cmpeq_epi32(_mm256_and_si256(m, bit), bit);
}

/* False: not all have the same higher bits. */
static inline bool
fill_row(row *r, const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    const __m256i one = _mm256_set1_epi64x((int64_t)addr[__builtin_ctz(mask)]);
    const __m128i by = _mm_cvtsi32_si128((int)shift);
    __m256i far = _mm256_setzero_si256();
    for (int k = 0; k < 4; k++) {
        const __m256i *from = (const __m256i *)(addr + EACH * k);
        __m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);
        if (mask != UINT32_MAX) {
            __m256i on = lanes_of(mask, k);
            a = _mm256_blendv_epi8(
                one, a, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(on)));
            b = _mm256_blendv_epi8(
                one, b, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(on, 1)));
        }
        far = _mm256_or_si256(far, _mm256_or_si256(_mm256_xor_si256(a, one),
                                                   _mm256_xor_si256(b, one)));
        __m256 low = _mm256_castsi256_ps(_mm256_srl_epi64(a, by));
        __m256 high = _mm256_castsi256_ps(_mm256_srl_epi64(b, by));
        __m256i v = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));
        v = _mm256_permute4x64_epi64(v, 0xd8);
        r->v[k] = _mm256_and_si256(v, _mm256_set1_epi32(INT32_MAX));
    }
    r->which = mask;
    far = _mm256_srl_epi64(far, _mm_cvtsi32_si128((int)shift + 31));
    return _mm256_testz_si256(far, far);
}

static inline bool
fill_lanes(row *r, const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    return fill_row(r, addr, mask, shift);
}

static uint32_t
bits_of(__m256i lanes)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

/* Those of the lanes before; of the first one its own. */
static void
shift_row(const row *r, __m256i before[4])
{
    const __m256i down = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    __m256i turned[4];
    for (int k = 0; k < 4; k++)
        turned[k] = _mm256_permutevar8x32_epi32(r->v[k], down);
    for (int k = 3; k > 0; k--)
        before[k] = _mm256_blend_epi32(turned[k], turned[k - 1], 1);
    before[0] = _mm256_blend_epi32(turned[0], r->v[0], 1);
}

/* a becomes the smaller of each pair, b the larger. */
static inline void
order(__m256i *a, __m256i *b)
{
    __m256i low = _mm256_min_epu32(*a, *b);
    *b = _mm256_max_epu32(*a, *b);
    *a = low;
}

/* Runs of four lanes, rising and then falling or so, become rising. */
static inline __m256i
order_fours(__m256i v)
{
    __m256i x = _mm256_shuffle_epi32(v, 0x4e);
    v = _mm256_blend_epi32(_mm256_min_epu32(v, x), _mm256_max_epu32(v, x),
                           0xcc);
    x = _mm256_shuffle_epi32(v, 0xb1);
    return _mm256_blend_epi32(_mm256_min_epu32(v, x), _mm256_max_epu32(v, x),
                              0xaa);
}

/* The same of sixteen in each half of the four vectors. */
static inline void
order_halves(__m256i v[4])
{
    order(&v[0], &v[2]);
    order(&v[1], &v[3]);
    order(&v[0], &v[1]);
    order(&v[2], &v[3]);
    for (int k = 0; k < 4; k++)
        v[k] = order_fours(v[k]);
}

static inline __m256i
reverse_fours(__m256i v)
{
    return _mm256_shuffle_epi32(v, 0x1b);
}

/* Columns of four become rows: of eight in four halves of two. */
static inline void
turn(__m256i v[4])
{
    __m256i a = _mm256_unpacklo_epi32(v[0], v[1]);
    __m256i b = _mm256_unpackhi_epi32(v[0], v[1]);
    __m256i c = _mm256_unpacklo_epi32(v[2], v[3]);
    __m256i d = _mm256_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm256_unpacklo_epi64(a, c);
    v[1] = _mm256_unpackhi_epi64(a, c);
    v[2] = _mm256_unpacklo_epi64(b, d);
    v[3] = _mm256_unpackhi_epi64(b, d);
}

/* A bitonic network. Columns of four first; they become runs, two in each
 * vector, which grow to 8, 16 and 32. */
static void
sort_row(row *r)
{
    const __m256i back = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    __m256i *v = r->v, other[4];
    order(&v[0], &v[1]);
    order(&v[2], &v[3]);
    order(&v[0], &v[2]);
    order(&v[1], &v[3]);
    order(&v[1], &v[2]);
    turn(v);
    for (int k = 0; k < 4; k += 2) {
        v[k + 1] = reverse_fours(v[k + 1]);
        order(&v[k], &v[k + 1]);
        v[k] = order_fours(v[k]);
        v[k + 1] = order_fours(v[k + 1]);
    }
    other[2] = reverse_fours(v[3]);
    other[3] = reverse_fours(v[2]);
    v[2] = other[2];
    v[3] = other[3];
    order_halves(v);
    for (int k = 0; k < 4; k++)
        other[k] = _mm256_permutevar8x32_epi32(v[3 - k], back);
    for (int k = 0; k < 4; k++)
        v[k] = _mm256_blend_epi32(_mm256_min_epu32(v[k], other[k]),
                                  _mm256_max_epu32(v[k], other[k]), 0xf0);
    order_halves(v);
    memcpy(other, v, sizeof other);
    v[0] = _mm256_permute2x128_si256(other[0], other[1], 0x20);
    v[1] = _mm256_permute2x128_si256(other[2], other[3], 0x20);
    v[2] = _mm256_permute2x128_si256(other[0], other[1], 0x31);
    v[3] = _mm256_permute2x128_si256(other[2], other[3], 0x31);
}

/* Brings equal ones together. */
static inline void
settle(row *r)
{
    __m256i before[4], falls = _mm256_setzero_si256();
    shift_row(r, before);
    for (int k = 0; k < 4; k++)
        falls = _mm256_or_si256(falls, _mm256_cmpgt_epi32(before[k], r->v[k]));
    if (!_mm256_testz_si256(falls, falls))
        sort_row(r);
}

/* Of a settled row: bit i: no value before the i-th is the same, without the
 * last `less` bits. */
static uint32_t
changes(const row *r, unsigned less)
{
    const __m128i by = _mm_cvtsi32_si128((int)less);
    __m256i before[4];
    uint32_t same = 0;
    shift_row(r, before);
    for (int k = 0; k < 4; k++) {
        __m256i x = _mm256_srl_epi32(_mm256_xor_si256(before[k], r->v[k]), by);
        same |= bits_of(_mm256_cmpeq_epi32(x, _mm256_setzero_si256()))
                << EACH * k;
    }
    return ~same | 1;
}

static void
get_values(const row *r, uint32_t out[32])
{
    for (int k = 0; k < 4; k++)
        _mm256_storeu_si256((__m256i *)(out + EACH * k), r->v[k]);
}

static uint32_t
firsts(const row *r, unsigned less)
{
    uint32_t at[64];
    get_values(r, at + 32);
    close_array(at);
    return firsts_in(at, less);
}

/* Several lanes want the same bank. */
static bool
is_crowded(const row *r)
{
    __m256i busy = _mm256_setzero_si256();
    for (int k = 0; k < 4; k++) {
        __m256i bank = _mm256_and_si256(r->v[k], _mm256_set1_epi32(BANKS - 1));
        bank = _mm256_sllv_epi32(_mm256_set1_epi32(1), bank);
        busy = _mm256_or_si256(busy, bank); /* lanes off add nothing new */
    }
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(busy),
                                _mm256_extracti128_si256(busy, 1));
    uint64_t all = (uint64_t)_mm_cvtsi128_si64(half) |
                   (uint64_t)_mm_extract_epi64(half, 1);
    return __builtin_popcount((uint32_t)(all | all >> 32)) !=
           __builtin_popcount(r->which);
}

static uint32_t
most_in_a_bank(const row *r, uint32_t which)
{
    uint32_t words[32];
    get_values(r, words);
    return most_of(words, which);
}

static uint32_t
most_words_in_a_bank(row *r)
{
    for (int k = 0; k < 4; k++)
        r->v[k] = _mm256_or_si256(_mm256_srli_epi32(r->v[k], BANK_BITS),
                                  _mm256_slli_epi32(r->v[k], 32 - BANK_BITS));
    sort_row(r);
    return longest(changes(r, 0), changes(r, 32 - BANK_BITS));
}

#else

/* Values of the lanes that are on, below 2^31, packed; the last one again in
 * what is left. at: as arrays above. */
typedef struct {
    uint32_t at[64];
    uint32_t which; /* a bit for each lane that is on */
} row;

static void
close_row(row *r, uint32_t count)
{
    uint32_t last = r->at[31 + count];
    r->which = UINT32_MAX >> (32 - count);
    for (uint32_t i = count; i < 32; i++)
        r->at[32 + i] = last;
    close_array(r->at);
}

/* False: not all have the same higher bits. */
static bool
fill_row(row *r, const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    unsigned high = shift + 31;
    uint64_t far = 0, one = addr[__builtin_ctz(mask)];
    if (mask == UINT32_MAX) {
        LANES far |= addr[i] ^ one;
        LANES r->at[32 + i] = (uint32_t)(addr[i] >> shift) & INT32_MAX;
        close_row(r, 32);
        return !(far >> high);
    }
    uint32_t n = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[__builtin_ctz(m)];
        far |= a ^ one;
        r->at[32 + n++] = (uint32_t)(a >> shift) & INT32_MAX;
    }
    close_row(r, n);
    return !(far >> high);
}

static uint32_t
firsts(const row *r, unsigned less)
{
    return firsts_in(r->at, less);
}

static bool
fill_lanes(row *r, const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    return fill_row(r, addr, mask, shift);
}

static void
settle(const row *r)
{
    (void)r;
}

static uint32_t
changes(const row *r, unsigned less)
{
    return firsts(r, less);
}

/* Several lanes want the same bank. */
static bool
is_crowded(const row *r)
{
    uint32_t busy = 0, count = (uint32_t)__builtin_popcount(r->which);
    for (uint32_t i = 0; i < count; i++)
        busy |= 1u << r->at[32 + i] % BANKS;
    return (uint32_t)__builtin_popcount(busy) != count;
}

static void
get_values(const row *r, uint32_t out[32])
{
    memcpy(out, r->at + 32, 32 * sizeof *out);
}

static uint32_t
most_in_a_bank(const row *r, uint32_t which)
{
    return most_of(r->at + 32, which);
}

static uint32_t
most_words_in_a_bank(const row *r)
{
    uint32_t first = firsts(r, 0);
    return first == 1 ? 1 : most_in_a_bank(r, first);
}

#endif

/* Lanes that are first with their addr >> shift, wherever they lie. */
static uint32_t
firsts_of_any(const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    uint32_t first = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        bool is_new = true;
        for (uint32_t n = first; is_new && n; n &= n - 1)
            is_new = (addr[i] ^ addr[__builtin_ctz(n)]) >> shift;
        first |= is_new ? 1u << i : 0;
    }
    return first;
}

static uint32_t
bits_in(uint32_t x)
{
    return (uint32_t)__builtin_popcount(x);
}

static uint32_t
count(const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    row r;
    if (!fill_row(&r, addr, mask, shift))
        return bits_in(firsts_of_any(addr, mask, shift));
    settle(&r);
    return bits_in(changes(&r, 0));
}

/* Sectors without a list. */
static uint32_t
count_sectors(const uint64_t addr[32], uint32_t mask, uint32_t *lines)
{
    row r;
    if (!fill_row(&r, addr, mask, SECTOR)) {
        *lines = bits_in(firsts_of_any(addr, mask, LINE));
        return bits_in(firsts_of_any(addr, mask, SECTOR));
    }
    settle(&r);
    *lines = bits_in(changes(&r, LINE - SECTOR));
    return bits_in(changes(&r, 0));
}

static uint32_t
sectors(const uint64_t addr[32], uint32_t mask, uint32_t *lines,
        uint64_t list[32])
{
    row r;
    uint32_t first, n = 0;
    if (!list)
        return count_sectors(addr, mask, lines);
    if (!fill_row(&r, addr, mask, SECTOR)) {
        first = firsts_of_any(addr, mask, SECTOR);
        *lines = bits_in(firsts_of_any(addr, mask, LINE));
        for (uint32_t m = first; m; m &= m - 1)
            list[n++] = addr[__builtin_ctz(m)] >> SECTOR;
        return bits_in(first);
    }
    uint64_t high = addr[__builtin_ctz(mask)] >> SECTOR & ~(uint64_t)INT32_MAX;
    first = firsts(&r, 0);
    *lines = bits_in(firsts(&r, LINE - SECTOR));
    uint32_t value[32];
    get_values(&r, value);
    for (uint32_t m = first; m; m &= m - 1)
        list[n++] = high | value[__builtin_ctz(m)];
    return bits_in(first);
}

static uint32_t
degree(const uint64_t addr[32], uint32_t mask)
{
    row r;
    fill_lanes(&r, addr, mask, 2);
    return is_crowded(&r) ? most_words_in_a_bank(&r) : 1;
}

static uint32_t
lanes(const uint64_t addr[32], uint32_t mask)
{
    row r;
    fill_lanes(&r, addr, mask, 2);
    return is_crowded(&r) ? most_in_a_bank(&r, r.which) : 1;
}

static uint32_t
grouped(const uint64_t addr[32], uint32_t mask, unsigned group)
{
    enum { MOST = 8 };
    uint64_t all[MOST + 32] = {0}, *at = all + MOST, again[32] = {0};
    uint32_t n = bits_in(mask);
    LANES at[i] = mask >> i & 1 ? addr[i] >> SECTOR : UINT64_MAX - (uint64_t)i;
    for (unsigned k = 1; k < group; k++)
        LANES again[i] |=
            (at[i] == at[i - (int)k]) & (((unsigned)i & (group - 1)) >= k);
    LANES n -= (uint32_t)again[i];
    return n;
}

const sw_access_lanes JOIN(sw_access_lanes_, SW_VARIANT) = {
    count, sectors, degree, lanes, grouped};
