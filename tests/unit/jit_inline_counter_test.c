/* SPDX-License-Identifier: Apache-2.0 */
/* jit_inline_counter_test.c - which accesses of compiled code are counted in
 * its tables: those whose lanes lie as the table says, and no others. */
#include "check.h"
#include "jit/inline_counter.h"

enum { MASKS = 0, VOTES = 8, KEYS = 9, FIRST = 10, SLOTS = 1024, ROOM = 64 };

/* Half-warps, each of words side by side. */
static sw_counter_access
half_warps(void)
{
    sw_counter_access a = {.first = FIRST,
                           .strides = KEYS,
                           .masks = MASKS,
                           .confidence = VOTES,
                           .bytes = 4,
                           .groups = 2,
                           .space = SW_SPACE_GLOBAL};
    for (unsigned i = 0; i < 32; i++) {
        a.group[i] = i >= 16;
        a.at[i] = 4 * (i % 16);
    }
    return a;
}

static void
place(uint64_t addr[32], uint64_t start, uint64_t apart)
{
    for (unsigned i = 0; i < 32; i++)
        addr[i] = start + (i >= 16 ? apart : 0) + 4 * (i % 16);
}

/* All that was counted. */
static uint64_t
counted(const uint64_t *slots)
{
    uint64_t sum = 0;
    for (unsigned i = FIRST; i < SLOTS; i++)
        sum += slots[i];
    return sum;
}

CASE(lanes_that_do_not_lie_as_known_are_left_to_others)
{
    static uint64_t slots[SLOTS];
    uint64_t addr[32];
    sw_counter_access a = half_warps();
    uint32_t most = 0x7fffffff;
    place(addr, 4096, 1 << 20);
    CHECK(!sw_jit_count_groups(slots, &a, most, addr)); /* not yet decided */
    for (unsigned i = 0; i < 100; i++)
        sw_jit_predict_strides(slots, &a, addr);
    CHECK(sw_jit_count_groups(slots, &a, most, addr));
    CHECK_EQ(slots[FIRST + ROOM], 1);
    place(addr, 8192 + 12, 1 << 20); /* elsewhere, as far apart */
    CHECK(sw_jit_count_groups(slots, &a, most, addr));
    CHECK_EQ(slots[FIRST + ROOM + 3], 1);
    place(addr, 4096, (1 << 20) + 4); /* another distance */
    CHECK(!sw_jit_count_groups(slots, &a, most, addr));
    CHECK(sw_jit_count_groups(slots, &a, 0xffff, addr)); /* of one group */
    place(addr, 4096, 1 << 20);
    addr[7] += 4; /* a lane by itself */
    CHECK(!sw_jit_count_groups(slots, &a, most, addr));
    CHECK(sw_jit_count_groups(slots, &a, most & ~(1u << 7), addr));
    /* The second group alone tells where the first would begin. */
    CHECK(sw_jit_count_groups(slots, &a, 0xffff0000, addr));
    CHECK_EQ(counted(slots), 5);
    /* No room for more than so many masks. */
    for (uint32_t m = 0; m < 2 * SW_COUNTER_MASKS; m++)
        sw_jit_count_groups(slots, &a, 1u << (16 + m % 16) | 1, addr);
    CHECK_EQ(counted(slots), 5 + SW_COUNTER_MASKS - 4);
}

CASE(distances_that_change_are_never_known)
{
    static uint64_t slots[SLOTS];
    uint64_t addr[32];
    sw_counter_access a = half_warps();
    for (unsigned i = 0; i < 1000; i++) {
        place(addr, 4096, (uint64_t)(1 + i % 7) << 12);
        sw_jit_predict_strides(slots, &a, addr);
        CHECK(!sw_jit_count_groups(slots, &a, 0x7fffffff, addr));
    }
    CHECK_EQ(counted(slots), 0);
}

CASE(warps_together_have_lots_of_masks)
{
    enum { WARPS = 2, LOTS = SW_COUNTER_FUSED_MASKS, OWN = 40 };
    static uint64_t slots[8192];
    sw_counter_access a[2 * WARPS];
    for (uint32_t w = 0; w < WARPS; w++) {
        a[w] = half_warps();
        a[w].confidence = 0;
        a[w].masks = SW_JIT_FUSED_LOTS + 1; /* behind lot 0 */
        a[w].mask_count = LOTS;
        a[w].mask_words = WARPS;
        a[w].mask_word = (uint8_t)w;
        a[w].first = 64;
        a[WARPS + w] = half_warps();
        a[WARPS + w].masks = OWN + 8 * w;
        a[WARPS + w].first = 64 + (1 + LOTS) * ROOM + w * 9 * ROOM;
    }
    CHECK(a[0].masks + LOTS <= OWN);
    for (int round = 0; round < 3; round++)
        for (uint32_t m = 1; m <= LOTS; m++) {
            uint32_t masks[WARPS] = {m % 2 ? 0 : UINT32_MAX, m};
            CHECK_EQ(sw_jit_count_fused(slots, a, WARPS, masks, 512 + 8), 0);
            /* As the table says it. */
            CHECK_EQ((uint32_t)(slots[a[0].masks + m - 1] >> 32), m);
            CHECK_EQ((uint32_t)slots[a[0].masks + m - 1], masks[0]);
            CHECK_EQ(slots[a[0].first + m * ROOM + 2], round + 1);
            /* What the code tries first. */
            CHECK_EQ(slots[0], m);
            CHECK_EQ(slots[SW_JIT_FUSED_NEXT + m - 1], m);
        }
    CHECK_EQ(slots[SW_JIT_FUSED_NEXT + LOTS], 1);
    /* No lot left: each by itself; then those that have no room either. */
    for (uint32_t m = 1; m <= SW_COUNTER_MASKS + 1; m++) {
        uint32_t masks[WARPS] = {0, m << 8};
        uint32_t left = sw_jit_count_fused(slots, a, WARPS, masks, 0);
        CHECK_EQ(left, m > SW_COUNTER_MASKS ? 2 : 0);
        if (!left)
            CHECK_EQ(slots[a[WARPS + 1].first + m * ROOM], 1);
    }
    CHECK_EQ(slots[0], LOTS);
}
