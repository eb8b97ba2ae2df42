/* SPDX-License-Identifier: Apache-2.0 */
/* banks.c - passes through the banks of shared memory, and the words of
 * constant memory; see access.h. */
#include <string.h>

#include "watch/access.h"

enum { BANKS = 32, BANKS_1X = 16, HALF = 16 };

/* The words that a group of lanes wants, by bank. Two words of one bank with
 * the same key are served together. */
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

/* Banks of 4 bytes: lanes of the group, all the words of each. */
static void
group(wanted *w, const uint64_t addr[32], uint32_t mask, uint32_t bytes)
{
    memset(w->count, 0, sizeof w->count);
    w->degree = w->total = 0;
    uint32_t words = (bytes + 3) / 4;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t at = (uint32_t)(addr[__builtin_ctz(m)] >> 2);
        for (uint32_t k = 0; k < words; k++)
            want(w, (at + k) % BANKS, at + k);
    }
}

static void
add_group(const wanted *w, sw_banked *out)
{
    uint32_t ideal = (w->total + BANKS - 1) / BANKS;
    out->passes += w->degree;
    out->ideal += ideal;
    out->serialized |= w->degree > ideal;
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
bank_2x(wanted *w, const uint64_t addr[32], uint32_t mask, uint32_t bytes,
        sw_banked *out)
{
    unsigned lanes = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    for (unsigned i = 0; i < 32; i += lanes) {
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        if (!part)
            continue;
        group(w, addr, part, bytes);
        if (bytes > 8)
            w->degree++;
        add_group(w, out);
    }
}

/* 3.x: banks of 8 bytes. In the 32-bit mode words 32 apart in an aligned
 * segment of 64 lie in one row of a bank. */
static void
bank_3x(wanted *w, bool wide, const uint64_t addr[32], uint32_t mask,
        uint32_t bytes, sw_banked *out)
{
    memset(w->count, 0, sizeof w->count);
    w->degree = w->total = 0;
    uint32_t words = (bytes + 3) / 4;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t at = (uint32_t)(addr[__builtin_ctz(m)] >> 2);
        for (uint32_t k = at; k < at + words; k++)
            want(w, (wide ? k / 2 : k) % BANKS, wide ? k / 2 : k / 64);
    }
    add_group(w, out);
}

/* 5.0 on: elements of 8 bytes are served by the warp as far as they fit, of
 * 16 by half-warps (seen on an H200: one address for all lanes takes two
 * passes of 16-byte loads, 32 addresses side by side four). */
static void
bank_5x(wanted *w, const uint64_t addr[32], uint32_t mask, uint32_t bytes,
        sw_banked *out)
{
    unsigned lanes = bytes <= 8 ? 32 : 16;
    for (unsigned i = 0; i < 32; i += lanes) {
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        if (!part)
            continue;
        group(w, addr, part, bytes);
        add_group(w, out);
    }
}

/* One word of 4 bytes for all lanes, or 32 side by side. */
static bool
is_easy(const uint64_t addr[32], uint32_t mask, uint32_t bytes)
{
    uint64_t apart = 0, beside = 0;
    if (mask != UINT32_MAX || bytes != 4)
        return false;
    for (uint64_t i = 0; i < 32; i++) {
        apart |= addr[i] ^ addr[0];
        beside |= addr[i] ^ (addr[0] + 4 * i);
    }
    return apart == 0 || beside == 0;
}

void
sw_bank(uint32_t cc, bool wide, const uint64_t addr[32], uint32_t mask,
        uint32_t bytes, sw_banked *out)
{
    memset(out, 0, sizeof *out);
    if (is_easy(addr, mask, bytes)) {
        out->passes = out->ideal = cc < 20 ? 2 : 1;
        return;
    }
    wanted w;
    if (cc < 20)
        bank_1x(addr, mask, bytes, out);
    else if (cc < 30)
        bank_2x(&w, addr, mask, bytes, out);
    else if (cc < 50)
        bank_3x(&w, wide, addr, mask, bytes, out);
    else
        bank_5x(&w, addr, mask, bytes, out);
}

void
sw_bank_atomic(uint32_t cc, const uint64_t addr[32], uint32_t mask,
               uint32_t bytes, sw_banked *out)
{
    uint32_t lanes[BANKS] = {0}, most = 0;
    (void)cc;
    memset(out, 0, sizeof *out);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t at = (uint32_t)(addr[__builtin_ctz(m)] >> 2);
        for (uint32_t k = at; k < at + (bytes + 3) / 4; k++)
            if (++lanes[k % BANKS] > most)
                most = lanes[k % BANKS];
    }
    out->passes = most;
    out->ideal = mask ? 1 : 0;
    out->serialized = most > 1;
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
