/* SPDX-License-Identifier: Apache-2.0 */
/* partitions_test.c - partition camping, from accesses made by hand. GT200 has
 * eight partitions of 256 bytes, G80 six. */
#include "watch/partitions.h"

#include <math.h>
#include <string.h>

#include "check.h"

typedef struct {
    unsigned mem, blocks;
} seen;

static void
on_mem(void *arg, const sw_ev_where *where, const sw_ev_mem *mem)
{
    (void)where;
    (void)mem;
    ((seen *)arg)->mem++;
}

static void *
on_block(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)block;
    (void)index;
    ((seen *)arg)->blocks++;
    return arg;
}

/* 64 blocks of one warp, each of which reads 32 words from block * stride, and
 * then again from elsewhere: what only the first access of each warp decides.
 */
static double
camping(const char *device, uint64_t stride)
{
    seen s = {0};
    const sw_observer next = {
        .arg = &s, .mem = on_mem, .block_begin = on_block};
    const sw_count_launch launch = {.device = sw_device_find(device),
                                    .ins_count = 4};
    sw_partitions *p = sw_partitions_create(&launch, 64, &next);
    if (!p)
        return -1;
    const sw_observer *o = sw_partitions_observer(p);
    CHECK(!o->ins && !o->tex);
    uint64_t addr[32];
    for (uint64_t block = 0; block < 64; block++) {
        sw_ev_where where = {.block_index = block, .index = 2, .mask = ~0u};
        sw_ev_mem mem = {.space = SW_SPACE_GLOBAL, .bytes = 4, .addr = addr};
        where.state = o->block_begin(o->arg, where.block, block);
        CHECK(where.state == &s);
        for (unsigned again = 0; again < 2; again++) {
            for (unsigned i = 0; i < 32; i++)
                addr[i] = 1 << 20 | (block * stride + 4 * i + 256 * again);
            o->mem(o->arg, &where, &mem);
        }
    }
    CHECK_EQ(s.mem, 128);
    CHECK_EQ(s.blocks, 64);
    CHECK(sw_partitions_camping(p, 0) == 0);
    CHECK(sw_partitions_camping(p, 99) == 0);
    double result = sw_partitions_camping(p, 2);
    sw_partitions_destroy(p);
    return result;
}

CASE(rows_a_power_of_two_apart_meet)
{
    CHECK(camping("GeForce GTX 280", 8192) == 8);
    CHECK(camping("GeForce GTX 280", 1024) == 4); /* two are used */
}

CASE(padded_rows_spread)
{
    CHECK(camping("GeForce GTX 280", 8192 + 256) == 1);
    CHECK(camping("GeForce GTX 280", 256) == 1);
}

CASE(six_partitions)
{
    /* 8192 bytes are 32 pieces, 2 more than a multiple of 6: three are used,
     * 22, 21 and 21 times. */
    CHECK(fabs(camping("GeForce 8800 GTX", 8192) - 6 * 22.0 / 64) < 1e-9);
}

CASE(later_devices_scatter)
{
    CHECK(camping("GeForce GTX 480", 8192) < 0);
}
