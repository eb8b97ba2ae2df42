/* SPDX-License-Identifier: Apache-2.0 */
/* banks.c - passes through the banks of shared memory, and the words of
 * constant memory; see access.h. */
#include <string.h>

#include "watch/access.h"
#include "watch/access_lanes.h"

enum { BANKS = 32, BANKS_1X = 16, HALF = 16 };

/* 3.x: the words that lanes want, by bank. Two words of one bank with the same
 * key are served together. */
typedef struct {
    uint32_t count[BANKS];
    uint32_t key[BANKS][BANKS];
    uint32_t degree; /* the most keys of a bank */
    uint32_t total;
} wanted;

static void
want(wanted *w, uint32_t bank, uint32_t key)
{
    uint32_t n = w->count[bank];
    for (uint32_t i = 0; i < n; i++)
        if (w->key[bank][i] == key)
            return;
    if (n == BANKS) /* 32 lanes, one word of each in a bank: not reached */
        return;
    w->key[bank][n++] = key;
    w->count[bank] = n;
    w->total++;
    if (n > w->degree)
        w->degree = n;
}

/* Different words in the bank that has most, of 32 banks of 4 bytes. Elements
 * are aligned, so two of them have all words in common or none, and those that
 * meet in a bank begin in one. */
static uint32_t
degree_of(const uint64_t addr[32], uint32_t mask)
{
    return sw_access_lanes_get()->degree(addr, mask);
}

/* 1.x: each step serves all lanes at one word, and one lane of each bank that
 * is left. Which word is not specified: here the one most lanes want. */
static uint32_t
steps_1x(const uint64_t addr[32], uint32_t mask, uint32_t add)
{
    uint32_t steps = 0;
    for (; mask; steps++) {
        uint64_t best = 0;
        int most = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint64_t word = (addr[__builtin_ctz(m)] + add) >> 2;
            int lanes = 0;
            for (uint32_t n = m; n; n &= n - 1)
                lanes += (addr[__builtin_ctz(n)] + add) >> 2 == word;
            if (lanes > most) {
                most = lanes;
                best = word;
            }
        }
        uint32_t busy = 1u << best % BANKS_1X;
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            uint64_t word = (addr[i] + add) >> 2;
            uint32_t bank = 1u << word % BANKS_1X;
            if (word == best) {
                mask &= ~(1u << i);
            } else if (!(busy & bank)) {
                mask &= ~(1u << i);
                busy |= bank;
            }
        }
    }
    return steps;
}

static void
bank_1x(const uint64_t addr[32], uint32_t mask, uint32_t bytes, sw_banked *out)
{
    for (int half = 0; half < 2; half++) {
        uint32_t part = mask & (half ? 0xffff0000u : 0xffffu);
        if (!part)
            continue;
        uint32_t words = (bytes + 3) / 4, steps = 0;
        for (uint32_t k = 0; k < words; k++)
            steps += steps_1x(addr, part, 4 * k);
        out->passes += steps;
        out->ideal += words;
        out->serialized |= steps > words;
    }
}

/* 2.x: elements of 8 bytes by half-warps; of 16 by quarters, each with one
 * pass more than its conflicts (guide 4.2, F.4.3.2). */
static void
bank_2x(const uint64_t addr[32], uint32_t mask, uint32_t bytes, sw_banked *out)
{
    unsigned lanes = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    for (unsigned i = 0; i < 32; i += lanes) {
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        if (!part)
            continue;
        uint32_t passes = degree_of(addr, part) + (bytes > 8);
        out->passes += passes;
        out->ideal++;
        out->serialized |= passes > 1;
    }
}

/* 3.x: banks of 8 bytes. In the 32-bit mode words 32 apart in an aligned
 * segment of 64 lie in one row of a bank. */
static void
bank_3x(bool wide, const uint64_t addr[32], uint32_t mask, uint32_t bytes,
        sw_banked *out)
{
    wanted w;
    memset(w.count, 0, sizeof w.count);
    w.degree = w.total = 0;
    uint32_t words = (bytes + 3) / 4;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t at = (uint32_t)(addr[__builtin_ctz(m)] >> 2);
        for (uint32_t k = at; k < at + words; k++)
            want(&w, (wide ? k / 2 : k) % BANKS, wide ? k / 2 : k / 64);
    }
    out->passes = w.degree;
    out->ideal = (w.total + BANKS - 1) / BANKS;
    out->serialized = w.degree > out->ideal;
}

/* Each active lane wants what its neighbour wants: the next one, or the one
 * after that. */
static bool
is_paired(const uint64_t addr[32], uint32_t mask)
{
    for (unsigned apart = 1; apart <= 2; apart++) {
        bool is = true;
        for (uint32_t m = mask; is && m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m), k = i ^ apart;
            is = !(mask >> k & 1) || addr[i] == addr[k];
        }
        if (is)
            return true;
    }
    return false;
}

/* 5.0 on. Elements of 8 bytes are served by half-warps, of 16 by quarters;
 * loads by twice as many lanes if all of them are paired. Found with the
 * counters of an H100, on patterns of all kinds. */
static void
bank_5x(const uint64_t addr[32], uint32_t mask, uint32_t bytes, bool is_load,
        sw_banked *out)
{
    unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
    if (lanes < 32 && is_load && is_paired(addr, mask))
        lanes *= 2;
    for (unsigned i = 0; i < 32; i += lanes) {
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        if (!part)
            continue;
        uint32_t degree = degree_of(addr, part);
        out->passes += degree;
        out->ideal++;
        out->serialized |= degree > 1;
    }
}

void
sw_bank(uint32_t cc, bool wide, bool is_load, const uint64_t addr[32],
        uint32_t mask, uint32_t bytes, sw_banked *out)
{
    memset(out, 0, sizeof *out);
    if (!mask)
        return;
    if (cc < 20)
        bank_1x(addr, mask, bytes, out);
    else if (cc < 30)
        bank_2x(addr, mask, bytes, out);
    else if (cc < 50)
        bank_3x(wide, addr, mask, bytes, out);
    else
        bank_5x(addr, mask, bytes, is_load, out);
}

void
sw_bank_atomic(bool is_cas, uint32_t bytes, const uint64_t addr[32],
               uint32_t mask, sw_banked *out)
{
    unsigned lanes = bytes <= 4 ? 32 : HALF;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < 32; i += lanes) {
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        if (!part)
            continue;
        uint32_t most = sw_access_lanes_get()->lanes(addr, part);
        out->passes += is_cas ? 2 * most : most;
        out->ideal += 1 + (is_cas ? most : 0);
        out->serialized |= most > 1;
    }
}

void
sw_bank_swap(uint32_t bytes, const uint64_t addr[32], uint32_t mask,
             sw_banked *out)
{
    unsigned lanes = bytes <= 4 ? 32 : HALF;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < 32; i += lanes) {
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        if (!part)
            continue;
        uint32_t degree = degree_of(addr, part);
        out->passes += 2 * degree;
        out->ideal += 1 + degree;
        out->serialized |= degree > 1;
    }
}

void
sw_constant(uint32_t cc, const uint64_t addr[32], uint32_t mask, uint32_t bytes,
            sw_banked *out)
{
    memset(out, 0, sizeof *out);
    unsigned lanes = cc < 20 ? HALF : 32;
    for (unsigned i = 0; i < 32; i += lanes) {
        uint64_t word[32];
        uint32_t n = 0;
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        for (uint32_t m = part; m; m &= m - 1) {
            uint64_t v = addr[__builtin_ctz(m)] / (bytes < 4 ? 4 : bytes);
            uint32_t k = 0;
            while (k < n && word[k] != v)
                k++;
            if (k == n)
                word[n++] = v;
        }
        out->passes += n;
        out->ideal += part != 0;
        out->serialized |= n > 1;
    }
}
