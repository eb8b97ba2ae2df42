/* SPDX-License-Identifier: Apache-2.0 */
/* cache_l1.c - caches of a multiprocessor; see cache.h. */
#include <stdlib.h>
#include <string.h>

#include "device/occupancy.h"
#include "watch/cache.h"

enum { WAYS = 16, LINE_BYTES = 128 };

typedef struct {
    uint64_t tag; /* address / 128 */
    uint32_t used;
    uint8_t valid;  /* sectors */
    uint32_t epoch; /* of the cache when it was filled; else it is empty */
} line;

struct sw_l1 {
    uint32_t sets;
    uint32_t clock, epoch, random;
    line *lines; /* [sets * WAYS] */
};

sw_l1 *
sw_l1_create(uint64_t bytes)
{
    sw_l1 *l1 = sw_alloc(sizeof *l1);
    l1->sets = (uint32_t)(bytes / LINE_BYTES / WAYS);
    l1->epoch = 1;
    if (l1->sets)
        l1->lines = sw_alloc((size_t)l1->sets * WAYS * sizeof *l1->lines);
    return l1;
}

void
sw_l1_destroy(sw_l1 *l1)
{
    if (!l1)
        return;
    sw_free(l1->lines);
    sw_free(l1);
}

void
sw_l1_clear(sw_l1 *l1)
{
    l1->epoch++;
}

/* Lines side by side lie in different sets, and those a power of two apart do
 * too: each row of `sets` lines begins a set later than the one before. */
static line *
set_of(const sw_l1 *l1, uint64_t tag)
{
    return l1->lines + (tag + tag / l1->sets) % l1->sets * WAYS;
}

static line *
find(const sw_l1 *l1, uint64_t tag)
{
    line *set = set_of(l1, tag);
    for (int i = 0; i < WAYS; i++)
        if (set[i].tag == tag && set[i].epoch == l1->epoch)
            return &set[i];
    return NULL;
}

/* The line to give up: an empty one, else one of the four used least recently.
 * Fitted to an H100, whose loads of 220 to 300 KiB in a circle hit in part. */
static line *
victim(sw_l1 *l1, line *set)
{
    enum { OLDEST = 4 };
    line *old[OLDEST];
    int n = 0;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].epoch != l1->epoch)
            return &set[i];
        int at = n < OLDEST ? n++ : OLDEST;
        for (; at > 0 && set[i].used < old[at - 1]->used; at--)
            if (at < OLDEST)
                old[at] = old[at - 1];
        if (at < OLDEST)
            old[at] = &set[i];
    }
    l1->random = l1->random * 1664525u + 1013904223u;
    return old[l1->random >> 16 & (OLDEST - 1)];
}

bool
sw_l1_load(sw_l1 *l1, uint64_t sector, bool whole)
{
    uint64_t tag = sector >> 2;
    uint8_t bit = (uint8_t)(whole ? 15 : 1 << (sector & 3));
    if (!l1->sets)
        return false;
    line *at = find(l1, tag);
    if (!at) {
        at = victim(l1, set_of(l1, tag));
        *at = (line){.tag = tag, .epoch = l1->epoch};
    }
    bool hit = (at->valid & bit) == bit;
    at->valid |= bit;
    at->used = ++l1->clock;
    return hit;
}

void
sw_l1_drop(sw_l1 *l1, uint64_t sector)
{
    line *at = l1->sets ? find(l1, sector >> 2) : NULL;
    if (at)
        at->valid &= (uint8_t) ~(1 << (sector & 3));
}

/* The number that a text of the database begins with. */
static uint64_t
first_kib(const char *text)
{
    return strtoull(text, NULL, 10) * 1024;
}

/* Bytes that L1 and shared memory divide among themselves, 0 if they do not:
 * 7.0 on, from the programming guide's table of capabilities. */
static uint64_t
unified_bytes(const sw_device_info *device)
{
    switch (device->cc) {
    case 70:
    case 72:
        return 128 << 10;
    case 75:
        return 96 << 10;
    case 80:
    case 87:
        return 192 << 10;
    case 86:
    case 89:
        return 128 << 10;
    default:
        if (device->cc >= 120)
            return 128 << 10;
        return device->cc >= 90 ? 256 << 10 : 0;
    }
}

/* An H100 gives each resident block 4 KiB of shared memory, up to 32 KiB, where
 * less would do (eight blocks without any: their data begins to miss between
 * 216 and 224 KiB); and room for twice the blocks, if there are more than two
 * of them. */
enum { LEAST_BLOCK = 4 << 10, MOST_LEAST = 32 << 10, FEW_BLOCKS = 2 };

uint64_t
sw_unified_shared_bytes(const sw_device_info *device, uint32_t resident,
                        uint32_t shared_bytes)
{
    const sw_cc_limits *l = sw_device_limits((int)device->cc);
    uint64_t half = unified_bytes(device) / 2, shared = 0;
    uint64_t block = sw_occ_shared_block(l, shared_bytes);
    uint64_t need = resident * block;
    uint64_t twice =
        2 * resident < l->max_blocks_sm ? 2 * need : l->max_blocks_sm * block;
    twice = twice < half ? twice : half;
    uint64_t least = (uint64_t)resident * LEAST_BLOCK;
    least = least < MOST_LEAST ? least : MOST_LEAST;
    need = need < twice && resident > FEW_BLOCKS ? twice : need;
    need = need < least ? least : need;
    for (uint32_t i = 0; i < l->smem_configs; i++) {
        uint64_t config = (uint64_t)l->smem_config_kb[i] << 10;
        if (config >= need && (!shared || config < shared))
            shared = config;
    }
    return shared ? shared : l->smem_sm; /* else blocks take turns */
}

static uint64_t
unified_part(const sw_device_info *device, uint32_t resident,
             uint32_t shared_bytes)
{
    uint64_t all = unified_bytes(device);
    uint64_t shared = sw_unified_shared_bytes(device, resident, shared_bytes);
    return all > shared ? all - shared : 0;
}

uint64_t
sw_l1_bytes(const sw_device_info *device, uint32_t resident,
            uint32_t shared_bytes)
{
    if (device->cc >= 70)
        return unified_part(device, resident, shared_bytes);
    if (device->cc >= 50)
        return 24 << 10;  /* a half of the SM; 5.x and 6.x */
    if (device->cc >= 20) /* 64 KiB, 16 or 48 of them L1 */
        return (uint64_t)resident * shared_bytes > 16384 ? 16384 : 49152;
    return 0;
}

uint64_t
sw_texture_cache_bytes(const sw_device_info *device, uint32_t resident,
                       uint32_t shared_bytes)
{
    if (device->cc >= 50)
        return sw_l1_bytes(device, resident, shared_bytes);
    return first_kib(sw_device_limits((int)device->cc)->tex_cache_kb);
}
