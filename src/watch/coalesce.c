/* SPDX-License-Identifier: Apache-2.0 */
/* coalesce.c - transactions of global memory; see access.h. */
#include <string.h>

#include "watch/access.h"
#include "watch/access_lanes.h"

enum { HALF = 16, SECTOR = 5, LINE = 7 };

const sw_access_lanes *
sw_access_lanes_get(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v4"))
        return &sw_access_lanes_v4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return &sw_access_lanes_v3;
    return &sw_access_lanes_v2;
#else
    return &sw_access_lanes_base;
#endif
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
        uint32_t part = mask & (uint32_t)(((uint64_t)1 << lanes) - 1) << i;
        if (part)
            *(lines ? &out->n128 : &out->n32) +=
                sw_access_lanes_get()->count(addr, part, lines ? LINE : SECTOR);
    }
}

void
sw_coalesce(uint32_t cc, bool lines, const uint64_t addr[32], uint32_t mask,
            uint32_t bytes, sw_coalesced *out, uint64_t sector[32])
{
    memset(out, 0, sizeof *out);
    if (!mask)
        return;
    out->sectors =
        sw_access_lanes_get()->sectors(addr, mask, &out->lines, sector);
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
sw_atomic_times(const uint64_t addr[32], uint32_t mask, const uint64_t *sector,
                uint32_t sectors, uint32_t out[32])
{
    for (uint32_t k = 0; k < sectors; k++) {
        uint64_t word[32];
        uint32_t times[32], n = 0, most = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint64_t a = addr[__builtin_ctz(m)];
            if (a >> SECTOR != sector[k])
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
