/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_l2.c - L2 and the traffic to device memory; see cache.h.
 *
 * How it works was read off the counters of an H200; where a figure is fitted
 * the kernel that shows it is named:
 * - L2 has two halves. A sector has a home in one of them; a multiprocessor
 *   asks the half beside it, which asks the home and keeps a copy. Both count
 *   (a copy of 2^24 floats looks up 1.5 times its sectors, reading and
 *   writing).
 * - Memory and the other half are asked for 64 bytes at a time (a stride of 16
 *   floats reads twice what it needs, and looks up twice its sectors).
 * - A written sector is kept until it must go. What was written only in part is
 *   then read from memory first (strides of 2 and more read and write the
 *   destination), which counts as a write of L2.
 * - Not all of a set may wait to be written: about 7 of 16 lines (adding one to
 *   2^24 floats leaves 27 of 60 MB), 2 of 16 with sectors written in part
 *   (strides).
 * - It is not quite empty at first: 38 of 64 sets have a line that waits to be
 *   written (sums of 2^24 floats write 2.1 to 2.4 MB, scattered reads of sparse
 *   matrices 2.3 MB, all of them more than they store; kernels that leave room
 *   in the sets do not).
 */
#include <string.h>

#include "watch/cache.h"

enum { WAYS = 16, LINE_BYTES = 128, MOST_DIRTY = 7, MOST_PARTIAL = 2 };

/* Sets that are made together, when the first of them is asked for: a small
 * launch touches few of the 15 MB that an H200's take. */
enum { CHUNK_SETS = 64 };

/* Of 64 sets, those that begin with a line of somebody else's. */
enum { LEFT_SETS = 38 };

/* A set; way i is the i-th of each. */
typedef struct {
    uint64_t tag[WAYS];        /* address / 128, + 1; 0: empty */
    uint32_t used[WAYS];       /* when */
    uint8_t valid[WAYS];       /* sectors that are whole */
    uint8_t dirty[WAYS];       /* sectors that memory does not have */
    uint32_t written[WAYS][4]; /* bytes since it came or was cleaned */
} set;

/* One line of a set. */
typedef struct {
    set *s;
    int way; /* -1: none */
} line;

struct sw_l2 {
    uint32_t halves; /* 0: there is none */
    uint32_t sets;   /* of a half */
    uint32_t clock;
    bool pairs;     /* memory is asked for 64 bytes */
    set **chunk[2]; /* [sets / CHUNK_SETS, rounded up][CHUNK_SETS], or NULL */
    sw_l2_counts n;
};

static size_t
chunk_count(const sw_l2 *l2)
{
    return (l2->sets + CHUNK_SETS - 1) / CHUNK_SETS;
}

sw_l2 *
sw_l2_create(const sw_device_info *device)
{
    sw_l2 *l2 = sw_alloc(sizeof *l2);
    if (device->cc >= 20 && device->l2_bytes) {
        /* A100, H100, H200. */
        l2->halves = device->cc == 80 || device->cc == 90 ? 2 : 1;
        l2->sets =
            (uint32_t)(device->l2_bytes / l2->halves / LINE_BYTES / WAYS);
        l2->pairs = device->cc >= 80;
    }
    if (!l2->sets)
        l2->halves = 0;
    for (uint32_t i = 0; i < l2->halves; i++)
        l2->chunk[i] = sw_alloc(chunk_count(l2) * sizeof(set *));
    return l2;
}

void
sw_l2_destroy(sw_l2 *l2)
{
    if (!l2)
        return;
    for (uint32_t i = 0; i < l2->halves; i++) {
        for (size_t k = 0; k < chunk_count(l2); k++)
            sw_free(l2->chunk[i][k]);
        sw_free(l2->chunk[i]);
    }
    sw_free(l2);
}

const sw_l2_counts *
sw_l2_get_counts(const sw_l2 *l2)
{
    return &l2->n;
}

static uint64_t
mix(uint64_t v)
{
    v *= 0x9e3779b97f4a7c15u;
    return v ^ v >> 29;
}

/* Which half a sector belongs to: not published; here by pages of 4 KiB. */
static uint32_t
home_of(const sw_l2 *l2, uint64_t sector)
{
    return l2->halves == 2 ? (uint32_t)(mix(sector >> 7) >> 17 & 1) : 0;
}

/* The number of its set in a half. */
static uint32_t
index_of(const sw_l2 *l2, uint64_t sector)
{
    uint64_t at = mix(sector >> 2) >> 32;
    return (uint32_t)(at * l2->sets >> 32);
}

static set *
set_of(sw_l2 *l2, uint32_t h, uint64_t sector)
{
    uint32_t at = index_of(l2, sector);
    set **chunk = &l2->chunk[h][at / CHUNK_SETS];
    if (!*chunk)
        *chunk = sw_alloc(CHUNK_SETS * sizeof **chunk);
    return *chunk + at % CHUNK_SETS;
}

/* Writes a line's dirty sectors to memory; what lacks bytes is read first. */
static void
clean(sw_l2 *l2, line at)
{
    uint8_t dirty = at.s->dirty[at.way];
    for (unsigned i = 0; i < 4; i++) {
        if (!(dirty >> i & 1))
            continue;
        l2->n.dram_write++;
        if (!(at.s->valid[at.way] >> i & 1)) {
            l2->n.dram_read++;
            l2->n.lookups[SW_L2_WRITE]++; /* no hit */
            at.s->valid[at.way] |= (uint8_t)(1 << i);
        }
        at.s->written[at.way][i] = 0;
    }
    at.s->dirty[at.way] = 0;
}

static line
find(sw_l2 *l2, uint32_t h, uint64_t sector)
{
    line at = {set_of(l2, h, sector), -1};
    uint64_t tag = (sector >> 2) + 1;
    for (int i = 0; i < WAYS; i++)
        if (at.s->tag[i] == tag)
            at.way = i;
    if (at.way >= 0)
        at.s->used[at.way] = ++l2->clock;
    return at;
}

/* The last way of the sector's set has a line from before the launch. */
static bool
has_left(const sw_l2 *l2, uint32_t h, uint64_t sector)
{
    uint64_t number = (uint64_t)index_of(l2, sector) * 2 + h;
    return (mix(number) >> 40 & 63) < LEFT_SETS;
}

static line
find_or_make(sw_l2 *l2, uint32_t h, uint64_t sector)
{
    line at = find(l2, h, sector);
    if (at.way >= 0)
        return at;
    at.way = 0; /* an empty line has never been used */
    for (int i = 1; i < WAYS; i++)
        if (at.s->used[i] < at.s->used[at.way])
            at.way = i;
    if (at.s->dirty[at.way])
        clean(l2, at);
    /* Empty lines are taken from the first way to the last. */
    if (at.way == WAYS - 1 && !at.s->tag[at.way] && has_left(l2, h, sector))
        l2->n.dram_write += 4;
    at.s->tag[at.way] = (sector >> 2) + 1;
    at.s->used[at.way] = ++l2->clock;
    at.s->valid[at.way] = 0;
    for (int i = 0; i < 4; i++)
        at.s->written[at.way][i] = 0;
    return at;
}

/* Keeps the number of lines that wait to be written within its limits. */
static void
limit_dirty(sw_l2 *l2, set *s)
{
    int dirty = 0, partial = 0;
    for (int i = 0; i < WAYS; i++) {
        dirty += s->dirty[i] != 0;
        partial += (s->dirty[i] & ~s->valid[i]) != 0;
    }
    if (partial <= MOST_PARTIAL && dirty <= MOST_DIRTY)
        return;
    line oldest = {s, -1};
    for (int i = 0; i < WAYS; i++) {
        uint8_t bits = partial > MOST_PARTIAL
                           ? (uint8_t)(s->dirty[i] & ~s->valid[i])
                           : s->dirty[i];
        if (bits && (oldest.way < 0 || s->used[i] < s->used[oldest.way]))
            oldest.way = i;
    }
    clean(l2, oldest);
}

/* The sectors that come when one is asked for. */
static uint8_t
pair_bits(const sw_l2 *l2, uint64_t sector)
{
    unsigned s = (unsigned)(sector & 3);
    return (uint8_t)(l2->pairs ? 3u << (s & 2) : 1u << s);
}

/* Brings a sector, with its neighbour, from memory to its home. */
static void
fetch(sw_l2 *l2, line at, uint64_t sector)
{
    uint8_t want = pair_bits(l2, sector) & (uint8_t)~at.s->valid[at.way];
    l2->n.dram_read += (unsigned)__builtin_popcount(want);
    at.s->valid[at.way] |= want;
}

/* Sectors of one line that a request reads (their mask); what misses counts
 * in *misses of each. */
static void
read_line(sw_l2 *l2, uint32_t side, const sw_l2_access *list, size_t count)
{
    uint64_t first = list[0].sector;
    uint32_t home = home_of(l2, first);
    line near = find_or_make(l2, side, first);
    uint8_t had = near.s->valid[near.way], lack = 0;
    uint8_t dirty = near.s->dirty[near.way];
    for (size_t i = 0; i < count; i++) {
        uint8_t bit = (uint8_t)(1 << (list[i].sector & 3));
        l2->n.lookups[SW_L2_READ]++;
        /* Bytes just written are there too. */
        bool hit = (had & bit) || ((dirty & bit) && home == side);
        l2->n.read_hits += hit;
        if (hit)
            continue;
        lack |= pair_bits(l2, list[i].sector);
        if (list[i].misses)
            ++*list[i].misses;
    }
    lack &= (uint8_t)~had;
    if (!lack)
        return;
    if (home == side) {
        for (unsigned s = 0; s < 4; s++)
            if (lack >> s & 1)
                fetch(l2, near, (first & ~(uint64_t)3) + s);
        return;
    }
    near.s->valid[near.way] |= lack;
    line at = find_or_make(l2, home, first);
    uint8_t had_home = at.s->valid[at.way] | at.s->dirty[at.way];
    for (unsigned s = 0; s < 4; s++) {
        if (!(lack >> s & 1))
            continue;
        l2->n.lookups[SW_L2_READ]++;
        l2->n.read_hits += had_home >> s & 1;
        fetch(l2, at, (first & ~(uint64_t)3) + s);
    }
}

static void
write_sector(sw_l2 *l2, uint32_t side, const sw_l2_access *a)
{
    uint32_t home = home_of(l2, a->sector);
    unsigned s = (unsigned)(a->sector & 3);
    uint8_t bit = (uint8_t)(1 << s);
    l2->n.lookups[SW_L2_WRITE]++;
    l2->n.write_hits++;
    if (home != side) { /* on its way, the copy here is renewed */
        line near = find_or_make(l2, side, a->sector);
        l2->n.lookups[SW_L2_WRITE]++;
        l2->n.write_hits++;
        if (a->what == UINT32_MAX)
            near.s->valid[near.way] |= bit;
    }
    line at = find_or_make(l2, home, a->sector);
    at.s->written[at.way][s] |= a->what;
    at.s->dirty[at.way] |= bit;
    if (at.s->written[at.way][s] == UINT32_MAX)
        at.s->valid[at.way] |= bit;
    limit_dirty(l2, at.s);
}

static void
change_sector(sw_l2 *l2, uint32_t side, const sw_l2_access *a)
{
    uint32_t home = home_of(l2, a->sector);
    uint8_t bit = (uint8_t)(1 << (a->sector & 3));
    uint64_t lookups = a->what * (home != side ? 2u : 1u);
    l2->n.lookups[a->kind] += lookups;
    l2->n.atomic_hits += lookups;
    if (home != side) {
        line near = find(l2, side, a->sector);
        if (near.way >= 0)
            near.s->valid[near.way] &= (uint8_t)~bit;
    }
    line at = find_or_make(l2, home, a->sector);
    if (!(at.s->valid[at.way] & bit)) {
        fetch(l2, at, a->sector);
        l2->n.atomic_hits--; /* the first of them */
        if (a->misses)
            ++*a->misses;
    }
    at.s->dirty[at.way] |= bit;
    at.s->written[at.way][a->sector & 3] = UINT32_MAX;
    limit_dirty(l2, at.s);
}

/* Without a cache. */
static void
run_memory(sw_l2 *l2, const sw_l2_access *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *(list[i].kind == SW_L2_WRITE ? &l2->n.dram_write : &l2->n.dram_read) +=
            1;
        if (list[i].kind > SW_L2_WRITE)
            l2->n.dram_write++;
        if (list[i].misses)
            ++*list[i].misses;
    }
}

void
sw_l2_run(sw_l2 *l2, uint32_t sm, const sw_l2_access *list, size_t count)
{
    uint32_t side = l2->halves == 2 ? sm & 1 : 0;
    if (!l2->halves) {
        run_memory(l2, list, count);
        return;
    }
    for (size_t i = 0; i < count;) {
        const sw_l2_access *a = &list[i];
        size_t n = 1;
        switch (a->kind) {
        case SW_L2_READ:
            while (i + n < count && !list[i + n - 1].last &&
                   list[i + n].kind == SW_L2_READ &&
                   list[i + n].sector >> 2 == a->sector >> 2)
                n++;
            read_line(l2, side, a, n);
            break;
        case SW_L2_WRITE:
            write_sector(l2, side, a);
            break;
        default:
            change_sector(l2, side, a);
            break;
        }
        i += n;
    }
}
