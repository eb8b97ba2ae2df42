/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_test.c - the rules of access.h: global memory against
 * tests/data/coalescing_vectors.csv, the banks of shared memory against
 * tests/data/h100_banks.csv (read off an H100 with ncu, CUDA 13.0, one warp a
 * launch; offsets of the lanes, a point for one that does nothing) and what the
 * programming guides say of each capability.
 */
#include "watch/access.h"
#include "watch/access_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { COLUMNS = 10 };

static void
fill(const char *access, int parameter, uint32_t bytes, uint64_t addr[32])
{
    for (int i = 0; i < 32; i++) {
        int at = 0; /* same address */
        if (strcmp(access, "offset") == 0)
            at = i + parameter;
        else if (strcmp(access, "stride") == 0)
            at = i * parameter;
        else if (strcmp(access, "reversed") == 0)
            at = 31 - i;
        addr[i] = 0x100000 + (uint64_t)at * bytes;
    }
}

CASE(every_vector_is_met)
{
    static const struct {
        const char *name;
        uint32_t cc;
        bool lines;
    } classes[] = {{"1.0/1.1", 10, false},
                   {"1.2/1.3", 13, false},
                   {"2.x/3.x L1 cached", 20, true},
                   {"2.x/3.x L2 only", 35, false},
                   {"5.x-12.x", 90, false}};
    FILE *f = fopen("tests/data/coalescing_vectors.csv", "r");
    char line[512];
    unsigned rows = 0;
    CHECK(f != NULL);
    if (!f)
        return;
    CHECK(fgets(line, sizeof line, f) != NULL); /* the heading */
    while (fgets(line, sizeof line, f)) {
        char *cells[COLUMNS], *at = line;
        for (int i = 0; i < COLUMNS; i++) {
            cells[i] = at;
            at += strcspn(at, ",\n");
            *at++ = 0;
        }
        uint32_t bytes = (uint32_t)atoi(cells[3]);
        uint64_t addr[32];
        fill(cells[1], atoi(cells[2]), bytes, addr);
        for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
            sw_coalesced c;
            if (strcmp(classes[k].name, cells[0]) != 0)
                continue;
            rows++;
            sw_coalesce(classes[k].cc, classes[k].lines, addr, UINT32_MAX,
                        bytes, &c, NULL);
            if (c.n32 != (uint32_t)atoi(cells[5]) ||
                c.n64 != (uint32_t)atoi(cells[6]) ||
                c.n128 != (uint32_t)atoi(cells[7]))
                printf("%s %s %s, %s bytes: %u of 32, %u of 64, %u of 128\n",
                       cells[0], cells[1], cells[2], cells[3], c.n32, c.n64,
                       c.n128);
            CHECK_EQ(c.n32, atoi(cells[5]));
            CHECK_EQ(c.n64, atoi(cells[6]));
            CHECK_EQ(c.n128, atoi(cells[7]));
        }
    }
    fclose(f);
    CHECK_EQ(rows, 825);
}

CASE(banks_are_those_of_an_h100)
{
    FILE *f = fopen("tests/data/h100_banks.csv", "r");
    char line[512];
    unsigned rows = 0;
    CHECK(f != NULL);
    if (!f)
        return;
    CHECK(fgets(line, sizeof line, f) != NULL); /* the heading */
    while (fgets(line, sizeof line, f)) {
        uint64_t addr[32] = {0};
        uint32_t mask = 0;
        char *at = strchr(line, ' ');
        uint32_t bytes = at ? (uint32_t)strtoul(at, &at, 10) : 0;
        uint32_t passes = at ? (uint32_t)strtoul(at + 1, &at, 10) : 0;
        uint32_t conflicts = at ? (uint32_t)strtoul(at + 1, &at, 10) : 0;
        for (int i = 0; at && i < 32; i++) {
            at++;
            if (*at == '.') {
                at++;
                continue;
            }
            addr[i] = strtoul(at, &at, 10);
            mask |= 1u << i;
        }
        sw_banked b;
        if (line[0] == 'l' || line[0] == 's')
            sw_bank(90, false, line[0] == 'l', addr, mask, bytes, &b);
        else
            sw_bank_atomic(line[0] == 'c', 4, addr, mask, &b);
        if (b.passes != passes || b.passes - b.ideal != conflicts)
            printf("%s", line);
        CHECK_EQ(b.passes, passes);
        CHECK_EQ(b.passes - b.ideal, conflicts);
        rows++;
    }
    fclose(f);
    CHECK_EQ(rows, 580);
}

/* Lanes whose value no lane before has. */
static uint32_t
different(const uint64_t addr[32], uint32_t mask, unsigned shift)
{
    uint32_t n = 0;
    for (int i = 0; i < 32; i++) {
        bool is_new = mask >> i & 1;
        for (int k = 0; k < i; k++)
            if ((mask >> k & 1) && addr[k] >> shift == addr[i] >> shift)
                is_new = false;
        n += is_new;
    }
    return n;
}

/* Words that differ, in the bank that has most. */
static uint32_t
degree(const uint64_t addr[32], uint32_t mask)
{
    uint32_t most = 0;
    for (uint64_t bank = 0; bank < 32; bank++) {
        uint32_t there = 0;
        for (int i = 0; i < 32; i++)
            there |= (uint32_t)((mask >> i & 1) && addr[i] / 4 % 32 == bank)
                     << i;
        uint32_t n = there ? different(addr, there, 2) : 0;
        most = n > most ? n : most;
    }
    return most;
}

CASE(any_addresses_cost_what_pairs_of_lanes_say)
{
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        uint64_t addr[32], sector[32];
        uint64_t range = UINT64_C(1) << (4 + round % 20);
        uint32_t mask;
        for (int i = 0; i < 33; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            if (i < 32)
                addr[i] = round % 3 ? (x >> 20) % range * 4
                                    : (uint64_t)i * (range % 1021) * 4;
        }
        mask = round % 2 ? UINT32_MAX : (uint32_t)(x >> 9) | 1;
        sw_coalesced c;
        sw_banked b;
        sw_coalesce(90, false, addr, mask, 4, &c, sector);
        CHECK_EQ(c.sectors, different(addr, mask, 5));
        CHECK_EQ(c.lines, different(addr, mask, 7));
        CHECK_EQ(different(sector, UINT32_MAX >> (32 - c.sectors), 0),
                 c.sectors);
        sw_bank(90, false, true, addr, mask, 4, &b);
        CHECK_EQ(b.passes, degree(addr, mask));
    }
}

/* Lanes in the bank that has most. */
static uint32_t
lanes_in_a_bank(const uint64_t addr[32], uint32_t mask)
{
    uint32_t most = 0, count[32] = {0};
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1 && ++count[addr[i] / 4 % 32] > most)
            most = count[addr[i] / 4 % 32];
    return most;
}

static uint32_t
grouped(const uint64_t addr[32], uint32_t mask, unsigned group)
{
    uint32_t n = 0, first = UINT32_MAX >> (32 - group);
    for (unsigned i = 0; i < 32; i += group)
        n += different(addr, mask & first << i, 5);
    return n;
}

static void
check_lanes(const sw_access_lanes *f, const uint64_t addr[32], uint32_t mask)
{
    uint64_t list[32], want[32];
    uint32_t lines, n = 0;
    CHECK_EQ(f->count(addr, mask, 5), different(addr, mask, 5));
    CHECK_EQ(f->count(addr, mask, 2), different(addr, mask, 2));
    CHECK_EQ(f->degree(addr, mask), degree(addr, mask));
    CHECK_EQ(f->lanes(addr, mask), lanes_in_a_bank(addr, mask));
    for (unsigned group = 2; group <= 8; group *= 2)
        CHECK_EQ(f->grouped(addr, mask, group), grouped(addr, mask, group));
    CHECK_EQ(f->sectors(addr, mask, &lines, NULL), different(addr, mask, 5));
    CHECK_EQ(lines, different(addr, mask, 7));
    for (int i = 0; i < 32; i++) {
        uint32_t to_here = mask & UINT32_MAX >> (31 - i);
        if (mask >> i & 1 && different(addr, to_here, 5) == n + 1)
            want[n++] = addr[i] >> 5;
    }
    CHECK_EQ(f->sectors(addr, mask, &lines, list), n);
    CHECK_EQ(memcmp(list, want, n * sizeof *list), 0);
}

CASE(each_vector_extension_says_what_pairs_of_lanes_say)
{
    const sw_access_lanes *all[3];
    int count = 0;
#if defined(__x86_64__)
    all[count++] = &sw_access_lanes_v2;
    if (__builtin_cpu_supports("x86-64-v3"))
        all[count++] = &sw_access_lanes_v3;
    if (__builtin_cpu_supports("x86-64-v4"))
        all[count++] = &sw_access_lanes_v4;
#else
    all[count++] = &sw_access_lanes_base;
#endif
    uint64_t x = 1181783497276652981u;
    for (int round = 0; round < 5000; round++) {
        uint64_t addr[32], range = UINT64_C(1) << (3 + round % 21);
        uint64_t where = round % 4 == 0 ? 0 : (x >> 40) * 4;
        for (uint64_t i = 0; i < 33; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            if (i < 32 && round % 5)
                addr[i] = where + (x >> 20) % range * 4;
            else if (i < 32)
                addr[i] = where + i * (range % 1021) * 4;
        }
        uint32_t mask = (uint32_t)(x >> 9) & (uint32_t)(x >> (round % 31));
        mask = round % 3 == 0 ? UINT32_MAX : mask ? mask : 1u << round % 32;
        for (int k = 0; k < count; k++)
            check_lanes(all[k], addr, mask);
    }
}

CASE(inactive_lanes_ask_for_nothing)
{
    uint64_t addr[32];
    sw_coalesced c;
    fill("offset", 0, 4, addr);
    for (int i = 0; i < 32; i += 2)
        addr[i] = 0xdead0000u + (uint64_t)i * 4096;
    sw_coalesce(90, false, addr, 0xaaaaaaaa, 4, &c, NULL);
    CHECK_EQ(c.sectors, 4);
    CHECK_EQ(c.lines, 1);
    sw_coalesce(10, false, addr, 0xaaaaaaaa, 4, &c, NULL);
    CHECK_EQ(c.n64, 2); /* divergence does not break coalescing */
    CHECK_EQ(c.coherent, 2);
    CHECK_EQ(c.incoherent, 0);
    sw_coalesce(90, false, addr, 0, 4, &c, NULL);
    CHECK_EQ(c.sectors + c.n32, 0);
}

CASE(the_guides_segments_of_1_2)
{
    /* CUDA C Programming Guide 4.2, figure F-1: floats at 132 to 259. */
    uint64_t addr[32];
    sw_coalesced c;
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = 132 + 4 * i;
    sw_coalesce(13, false, addr, UINT32_MAX, 4, &c, NULL);
    CHECK_EQ(c.n128, 1);
    CHECK_EQ(c.n64, 1);
    CHECK_EQ(c.n32, 1);
    sw_coalesce(10, false, addr, UINT32_MAX, 4, &c, NULL);
    CHECK_EQ(c.n32, 32);
    CHECK_EQ(c.incoherent, 32);
}

CASE(many_different_sectors_are_all_found)
{
    uint64_t addr[32];
    sw_coalesced c;
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = 0x10000 + (i % 8) * 64 * 32 * 64 + (i / 8) * 4;
    sw_coalesce(90, false, addr, UINT32_MAX, 4, &c, NULL);
    CHECK_EQ(c.sectors, 8);
    CHECK_EQ(c.lines, 8);
}

static uint32_t
passes(uint32_t cc, uint32_t stride, uint32_t bytes)
{
    uint64_t addr[32];
    sw_banked b;
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = i * stride;
    sw_bank(cc, false, true, addr, UINT32_MAX, bytes, &b);
    return b.passes;
}

CASE(strides_conflict_by_their_common_divisor)
{
    for (uint32_t cc = 20; cc <= 90; cc += 70)
        for (uint32_t s = 1; s <= 33; s++) {
            uint32_t want = s & (~s + 1);
            CHECK_EQ(passes(cc, 4 * s, 4), want > 32 ? 32 : want);
        }
    /* 1.x: half-warps, 16 banks. */
    CHECK_EQ(passes(13, 4, 4), 2);
    CHECK_EQ(passes(13, 8, 4), 4);
    CHECK_EQ(passes(13, 64, 4), 32);
    CHECK_EQ(passes(13, 68, 4), 2);
    CHECK_EQ(passes(13, 0, 4), 2); /* broadcast */
    /* 3.x: banks of 8 bytes serve two words of an aligned segment. */
    CHECK_EQ(passes(35, 8, 4), 1);
    CHECK_EQ(passes(35, 16, 4), 2);
    CHECK_EQ(passes(35, 8, 8), 1);
}

CASE(wide_elements_take_more_passes)
{
    CHECK_EQ(passes(90, 8, 8), 2);
    CHECK_EQ(passes(90, 16, 16), 4);
    CHECK_EQ(passes(90, 0, 16), 2); /* seen on an H200 */
    CHECK_EQ(passes(20, 8, 8), 2);
    CHECK_EQ(passes(20, 16, 16), 8); /* guide 4.2: two ways a quarter */
    CHECK_EQ(passes(13, 8, 8), 8);   /* guide 4.2: two ways a word */
}

CASE(conflicts_are_counted_above_what_must_be)
{
    uint64_t addr[32];
    sw_banked b;
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = 16 * i;
    sw_bank(90, false, true, addr, UINT32_MAX, 16, &b);
    CHECK_EQ(b.passes - b.ideal, 0);
    CHECK_EQ(b.serialized, 0);
    sw_bank(90, false, true, addr, UINT32_MAX, 4, &b);
    CHECK_EQ(b.passes, 4);
    CHECK_EQ(b.ideal, 1);
    CHECK_EQ(b.serialized, 1);
}

CASE(constants_take_a_pass_a_word)
{
    uint64_t addr[32];
    sw_banked b;
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = i / 4 * 4;
    sw_constant(90, addr, UINT32_MAX, 4, &b);
    CHECK_EQ(b.passes, 8);
    sw_constant(13, addr, UINT32_MAX, 4, &b);
    CHECK_EQ(b.passes, 8);
    for (uint64_t i = 0; i < 32; i++)
        addr[i] = 64;
    sw_constant(13, addr, UINT32_MAX, 4, &b);
    CHECK_EQ(b.passes, 2); /* a half-warp each */
    CHECK_EQ(b.serialized, 0);
}
