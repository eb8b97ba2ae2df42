/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_lanes.c - see access_lanes.h; compiled once for each vector extension
 * (SW_VARIANT). Neighbouring lanes mostly want neighbouring things, in order:
 * then what is new differs from what is before it. Else every lane is compared
 * with all before it, 32 lanes in each step.
 */
#include <string.h>

#include "watch/access_lanes.h"

#if defined(__AVX512CD__)
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define LANES       for (int i = 0; i < 32; i++)

enum { BANKS = 32, SECTOR = 5, LINE = 7 };

/* Values of the lanes that are on, below 2^31, packed; the last one again in
 * what is left. In front of them the first one once more, and what is no value.
 */
typedef struct {
    uint32_t at[64];
    uint32_t count;
} row;

static void
close_row(row *r, uint32_t count)
{
    uint32_t last = r->at[31 + count], first = r->at[32];
    r->count = count;
    for (uint32_t i = count; i < 32; i++)
        r->at[32 + i] = last;
    LANES r->at[i] = UINT32_MAX;
    r->at[31] = first;
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

/* Bit i: a value before the i-th is the same, without the last `less` bits. */
#if defined(__AVX512CD__)
static uint32_t
repeated(const row *r, unsigned less)
{
    __m128i by = _mm_cvtsi32_si128((int)less);
    __m512i low = _mm512_srl_epi32(_mm512_loadu_si512(r->at + 32), by);
    __m512i high = _mm512_srl_epi32(_mm512_loadu_si512(r->at + 48), by);
    __m512i in_low = _mm512_conflict_epi32(low);
    __m512i in_high = _mm512_conflict_epi32(high);
    uint32_t mine = _mm512_test_epi32_mask(in_low, in_low);
    uint32_t other = _mm512_test_epi32_mask(in_high, in_high);
    for (int i = 0; i < 16; i++) {
        __m512i one = _mm512_set1_epi32((int)(r->at[32 + i] >> less));
        other |= _mm512_cmpeq_epi32_mask(high, one);
    }
    return mine | other << 16;
}
#else
static uint32_t
repeated(const row *r, unsigned less)
{
    uint32_t found[32] = {0}, same = 0;
    const uint32_t *at = r->at;
    for (int k = 1; k < 32; k++)
        LANES found[i] |=
            (at[32 + i] ^ at[32 + i - k]) >> less ? 0 : UINT32_MAX;
    LANES same |= found[i] & 1u << i;
    return same;
}
#endif

/* Bit i: no value before the i-th is the same, without the last `less` bits. */
static uint32_t
firsts(const row *r, unsigned less)
{
    const uint32_t *at = r->at;
    uint32_t falls = 0, same = 0;
    LANES
    {
        uint32_t v = at[32 + i] >> less, before = at[31 + i] >> less;
        falls |= v < before;
        same |= v == before ? 1u << i : 0;
    }
    return ~(falls ? repeated(r, less) : same) | 1;
}

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
    return bits_in(firsts(&r, 0));
}

static uint32_t
sectors(const uint64_t addr[32], uint32_t mask, uint32_t *lines,
        uint64_t list[32])
{
    row r;
    uint32_t first, n = 0;
    if (!fill_row(&r, addr, mask, SECTOR)) {
        first = firsts_of_any(addr, mask, SECTOR);
        *lines = bits_in(firsts_of_any(addr, mask, LINE));
        for (uint32_t m = first; list && m; m &= m - 1)
            list[n++] = addr[__builtin_ctz(m)] >> SECTOR;
        return bits_in(first);
    }
    uint64_t high = addr[__builtin_ctz(mask)] >> SECTOR & ~(uint64_t)INT32_MAX;
    first = firsts(&r, 0);
    *lines = bits_in(firsts(&r, LINE - SECTOR));
    for (uint32_t m = first; list && m; m &= m - 1)
        list[n++] = high | r.at[32 + __builtin_ctz(m)];
    return bits_in(first);
}

/* Of these words, those in the bank that has most: a word adds a row that has
 * one 1 to the counts of all banks. */
static uint32_t
most_in_a_bank(const row *r, uint32_t which)
{
    static const uint8_t one[2 * BANKS] = {[BANKS] = 1};
    typedef uint8_t banks __attribute__((vector_size(BANKS)));
    typedef uint8_t unaligned __attribute__((vector_size(BANKS), aligned(1)));
    const uint8_t *from = one + BANKS;
    const uint32_t *at = r->at + 32;
    banks sum = {0};
    uint8_t in[BANKS], most = 0;
    if (which == UINT32_MAX) {
        for (uint32_t i = 0; i < 32; i++)
            sum += *(const unaligned *)(from - at[i] % BANKS);
    } else {
        for (uint32_t m = which; m; m &= m - 1)
            sum += *(const unaligned *)(from - at[__builtin_ctz(m)] % BANKS);
    }
    memcpy(in, &sum, sizeof in);
    LANES most = in[i] > most ? in[i] : most;
    return most;
}

/* Every lane that is on begins in a bank of its own. */
static bool
is_easy(const uint64_t addr[32], uint32_t mask)
{
    uint32_t busy = 0;
    LANES busy |= (mask >> i & 1) << (addr[i] >> 2) % BANKS;
    return bits_in(busy) == bits_in(mask);
}

static uint32_t
degree(const uint64_t addr[32], uint32_t mask)
{
    row r;
    if (is_easy(addr, mask))
        return 1;
    fill_row(&r, addr, mask, 2);
    uint32_t first = firsts(&r, 0);
    return first == 1 ? 1 : most_in_a_bank(&r, first);
}

static uint32_t
lanes(const uint64_t addr[32], uint32_t mask)
{
    row r;
    if (is_easy(addr, mask))
        return 1;
    fill_row(&r, addr, mask, 2);
    return most_in_a_bank(&r, UINT32_MAX >> (32 - r.count));
}

const sw_access_lanes JOIN(sw_access_lanes_, SW_VARIANT) = {count, sectors,
                                                            degree, lanes};
