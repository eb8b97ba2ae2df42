/* SPDX-License-Identifier: Apache-2.0 */
/* l2_test.c - the order in which blocks come to L2, and what lies there when a
 * launch begins; how much of its memory L1 is left. */
#include "check.h"
#include "watch/wave.h"

static sw_l2_access
read_of(uint64_t sector, uint64_t *misses)
{
    return (sw_l2_access){
        .sector = sector, .kind = SW_L2_READ, .last = 1, .misses = misses};
}

/* Misses of two blocks that read two lines, in opposite orders. */
static void
run_two(uint32_t at_a_time, uint64_t misses[2])
{
    const sw_device_info *device = sw_device_find("H200 SXM 141 GB");
    sw_l2 *l2 = sw_l2_create(device);
    sw_wave *wave = sw_wave_create(l2, at_a_time, 1);
    misses[0] = misses[1] = 0;
    for (uint64_t b = 0; b < 2; b++) {
        sw_l2_access list[2] = {read_of(b ? 4096 : 0, &misses[b]),
                                read_of(b ? 0 : 4096, &misses[b])};
        sw_wave_add(wave, b, list, 1, false);
        sw_wave_add(wave, b, list + 1, 1, true);
    }
    sw_wave_finish(wave);
    CHECK_EQ(sw_l2_get_counts(l2)->dram_read, 4); /* 64 bytes of each line */
    sw_wave_destroy(wave);
    sw_l2_destroy(l2);
}

CASE(blocks_of_a_wave_take_turns)
{
    uint64_t misses[2];
    run_two(2, misses);
    CHECK_EQ(misses[0], 1);
    CHECK_EQ(misses[1], 1);
    run_two(1, misses);
    CHECK_EQ(misses[0], 2);
    CHECK_EQ(misses[1], 0);
}

CASE(what_lay_there_is_written_when_the_cache_is_full)
{
    const sw_device_info *device = sw_device_find("H200 SXM 141 GB");
    sw_l2 *l2 = sw_l2_create(device);
    uint64_t sectors = device->l2_bytes / 32;
    for (uint64_t s = 0; s < sectors / 8; s += 4) {
        sw_l2_access a = read_of(s, NULL);
        sw_l2_run(l2, 0, &a, 1);
    }
    CHECK_EQ(sw_l2_get_counts(l2)->dram_write, 0);
    for (uint64_t s = 0; s < 4 * sectors; s += 4) {
        sw_l2_access a = read_of(s, NULL);
        sw_l2_run(l2, (uint32_t)(s >> 2 & 1), &a, 1);
    }
    uint64_t bytes = 32 * sw_l2_get_counts(l2)->dram_write;
    CHECK(bytes > 2100000 && bytes < 2500000); /* once, and no more */
    sw_l2_destroy(l2);
}

/* As an H200 was configured for kernels with so many blocks of so much shared
 * memory (launch__occupancy_limit_shared_mem of ncu says how many fit). */
CASE(shared_memory_is_configured_for_twice_the_blocks)
{
    const sw_device_info *device = sw_device_find("H200 SXM 141 GB");
    const struct {
        uint32_t blocks, bytes, kib;
    } seen[] = {
        {8, 0, 32},      {32, 0, 32},     {8, 32, 32},     {8, 1024, 32},
        {8, 1296, 64},   {8, 2112, 64},   {32, 1024, 64},  {8, 4224, 100},
        {16, 2048, 100}, {32, 2560, 132}, {12, 6144, 132}, {16, 5184, 132},
        {8, 8192, 132},  {32, 4096, 164}, {2, 0, 8},       {3, 0, 16},
        {4, 0, 16},      {2, 4096, 16},   {2, 8192, 32},   {4, 2048, 32}};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        CHECK_EQ(sw_unified_shared_bytes(device, seen[i].blocks, seen[i].bytes),
                 seen[i].kib * 1024);
}
