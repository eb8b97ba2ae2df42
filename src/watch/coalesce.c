/* SPDX-License-Identifier: Apache-2.0 */
/* coalesce.c - transactions of global memory; see access.h. */
#include <string.h>

#include "watch/access.h"

enum { HALF = 16, SECTOR = 5, LINE = 7 };

/* Values addr >> shift of the lanes, one that repeats itself at once left out;
 * *rises: they do not fall. */
static uint32_t
take_values(const uint64_t addr[32], uint32_t mask, unsigned shift,
            uint64_t out[32], bool *rises)
{
    uint64_t last = addr[__builtin_ctz(mask)] >> shift;
    uint32_t n = 0, falls = 0;
    out[0] = last;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t v = addr[i] >> shift;
        bool on = mask >> i & 1;
        v = on ? v : last;
        n += v != last;
        falls |= v < last;
        out[n] = v;
        last = v;
    }
    *rises = !falls;
    return n + 1;
}

/* Values that have been there, by their hash; of a set of at most 32. */
typedef struct {
    uint8_t at[256]; /* 1 + its number; 0: none */
    uint64_t value[32];
    uint32_t count;
} seen_values;

static void
forget(seen_values *s)
{
    memset(s->at, 0, sizeof s->at);
    s->count = 0;
}

/* The number of v, which is new if it is what `count` was. */
static uint32_t
number_of(seen_values *s, uint64_t v)
{
    uint8_t h = (uint8_t)(v * 0x9e3779b97f4a7c15u >> 56);
    while (s->at[h] && s->value[s->at[h] - 1] != v)
        h++;
    if (s->at[h])
        return s->at[h] - 1u;
    s->value[s->count] = v;
    s->at[h] = (uint8_t)++s->count;
    return s->count - 1;
}

/* Different values of addr >> shift over the lanes; returns their number. */
static uint32_t
distinct(const uint64_t addr[32], uint32_t mask, unsigned shift,
         uint64_t out[32])
{
    bool rises;
    uint64_t value[32];
    if (!mask)
        return 0;
    uint32_t n = take_values(addr, mask, shift, value, &rises);
    if (rises) {
        memcpy(out, value, sizeof value);
        return n;
    }
    seen_values s;
    forget(&s);
    for (uint32_t i = 0; i < n; i++)
        number_of(&s, value[i]);
    memcpy(out, s.value, sizeof s.value);
    return s.count;
}

/* All lanes active, one element beside the other. */
static bool
is_run(const uint64_t addr[32], uint32_t mask, uint32_t bytes)
{
    uint64_t wrong = 0;
    if (mask != UINT32_MAX)
        return false;
    for (uint64_t i = 0; i < 32; i++)
        wrong |= addr[i] ^ (addr[0] + i * bytes);
    return wrong == 0;
}

static void
find_sectors(const uint64_t addr[32], uint32_t mask, uint32_t bytes,
             sw_coalesced *out)
{
    if (is_run(addr, mask, bytes)) {
        uint64_t first = addr[0] >> SECTOR;
        uint64_t last = (addr[31] + bytes - 1) >> SECTOR;
        for (uint64_t s = first; s <= last; s++)
            out->sector[out->sectors++] = s;
        out->lines =
            (uint32_t)((last >> (LINE - SECTOR)) - (first >> (LINE - SECTOR))) +
            1;
        return;
    }
    bool rises;
    uint64_t value[32];
    uint32_t n = take_values(addr, mask, SECTOR, value, &rises);
    if (rises) {
        memcpy(out->sector, value, sizeof value);
        out->sectors = n;
        out->lines = 1;
        for (uint32_t i = 1; i < n; i++)
            out->lines += (value[i] ^ value[i - 1]) >> (LINE - SECTOR) != 0;
        return;
    }
    seen_values lines;
    forget(&lines);
    uint8_t there[32] = {0}; /* sectors of each */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = number_of(&lines, value[i] >> (LINE - SECTOR));
        uint32_t bit = 1u << (value[i] & 3);
        out->sector[out->sectors] = value[i];
        out->sectors += !(there[k] & bit);
        there[k] |= (uint8_t)bit;
    }
    out->lines = lines.count;
}

/* 1.0, 1.1: a half-warp coalesces if lane k has word k of an aligned segment;
 * else every lane has a transaction of its own. */
static void
half_strict(const uint64_t addr[32], uint32_t mask, uint32_t bytes,
            sw_coalesced *out)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t base = addr[first] - (uint64_t)(first % HALF) * bytes;
    uint64_t segment = bytes == 4 ? 64 : 128;
    bool ok = (bytes == 4 || bytes == 8 || bytes == 16) && base % segment == 0;
    for (uint32_t m = mask; ok && m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        ok = addr[i] == base + (uint64_t)(i % HALF) * bytes;
    }
    if (!ok) {
        uint32_t n = (uint32_t)__builtin_popcount(mask);
        out->n32 += n;
        out->incoherent += n;
        return;
    }
    out->coherent++;
    if (bytes == 4)
        out->n64++;
    else
        out->n128 += bytes / 8;
}

/* 1.2, 1.3: segments, each as small as what lies in it allows. */
static void
half_segments(const uint64_t addr[32], uint32_t mask, uint32_t bytes,
              sw_coalesced *out)
{
    uint64_t widest = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
    while (mask) {
        uint64_t size = widest;
        uint64_t at = addr[__builtin_ctz(mask)] & ~(size - 1);
        uint64_t low = UINT64_MAX, high = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            if ((addr[i] & ~(size - 1)) != at)
                continue;
            uint64_t end = addr[i] + bytes - 1;
            low = addr[i] < low ? addr[i] : low;
            high = end > high ? end : high;
            mask &= ~(1u << i);
        }
        while (size > 32 && low / (size / 2) == high / (size / 2))
            size /= 2;
        out->n32 += size == 32;
        out->n64 += size == 64;
        out->n128 += size == 128;
    }
}

/* 2.x, 3.x: wide elements in two or four requests, each for lines or
 * sectors. */
static void
by_parts(bool lines, const uint64_t addr[32], uint32_t mask, uint32_t bytes,
         sw_coalesced *out)
{
    unsigned lanes = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    for (unsigned i = 0; i < 32; i += lanes) {
        uint64_t found[32];
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        uint32_t n = distinct(addr, part, lines ? LINE : SECTOR, found);
        *(lines ? &out->n128 : &out->n32) += n;
    }
}

void
sw_coalesce(uint32_t cc, bool lines, const uint64_t addr[32], uint32_t mask,
            uint32_t bytes, sw_coalesced *out)
{
    memset(out, 0, offsetof(sw_coalesced, sector));
    if (!mask)
        return;
    find_sectors(addr, mask, bytes, out);
    if (cc >= 50) {
        out->n32 = out->sectors;
        return;
    }
    if (cc >= 20) {
        by_parts(lines, addr, mask, bytes, out);
        return;
    }
    for (int half = 0; half < 2; half++) {
        uint32_t part = mask & (half ? 0xffff0000u : 0xffffu);
        if (!part)
            continue;
        if (cc >= 12)
            half_segments(addr, part, bytes, out);
        else
            half_strict(addr, part, bytes, out);
    }
}

void
sw_atomic_times(const uint64_t addr[32], uint32_t mask, const sw_coalesced *c,
                uint32_t out[64])
{
    for (uint32_t k = 0; k < c->sectors; k++) {
        uint64_t word[32];
        uint32_t times[32], n = 0, most = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint64_t a = addr[__builtin_ctz(m)];
            if (a >> SECTOR != c->sector[k])
                continue;
            uint32_t j = 0;
            while (j < n && word[j] != a)
                j++;
            if (j == n) {
                word[n] = a;
                times[n++] = 0;
            }
            if (++times[j] > most)
                most = times[j];
        }
        out[k] = most;
    }
}
