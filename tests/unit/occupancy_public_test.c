/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy_public_test.c - include/softwarp/occupancy.h as a program that
 * embeds us sees it.
 */
#include "softwarp/occupancy.h"

#include "check.h"

/* The worked example of the guides of the first devices: a matrix product on
 * a G80, 192 threads of 20 registers, 68 bytes of shared memory. */
static const sw_occupancy_launch example = {
    .threads = 192, .registers = 20, .static_smem = 68};

CASE(worked_example)
{
    sw_occupancy_result r = {0};
    CHECK_EQ(sw_occupancy_of_device("8800 GTX", &example, &r), SW_OCCUPANCY_OK);
    CHECK_EQ(r.cc, 10);
    CHECK_EQ(r.blocks, 2);
    CHECK_EQ(r.warps, 12);
    CHECK_EQ(r.max_warps, 24);
    CHECK(r.percent == 50.0);
    CHECK_EQ(r.limiter, SW_OCCUPANCY_REGISTERS);
    CHECK_STR(sw_occupancy_resource_name(r.limiter), "registers");
    CHECK_EQ(r.registers_per_block, 3840);
    CHECK_EQ(r.smem_per_block, 512);
    /* Three blocks share 8192: 2730 each, of which units of 256 leave 2560. */
    CHECK_EQ(r.next_blocks, 3);
    CHECK_EQ(r.next_registers, 13);
    CHECK_EQ(r.next_smem, UINT32_MAX);
    sw_occupancy_launch next = example;
    next.registers = r.next_registers;
    CHECK_EQ(sw_occupancy_of_capability(10, &next, &r), SW_OCCUPANCY_OK);
    CHECK_EQ(r.blocks, 3);
    next.registers++;
    CHECK_EQ(sw_occupancy_of_capability(10, &next, &r), SW_OCCUPANCY_OK);
    CHECK_EQ(r.blocks, 2);
}

/* What the advice says holds, and one more register or byte breaks it. */
CASE(advice_holds_everywhere)
{
    static const int ccs[] = {10, 13, 20, 30, 52, 70, 86, 90, 100, 120};
    unsigned advised = 0;
    for (size_t c = 0; c < sizeof ccs / sizeof *ccs; c++)
        for (uint32_t threads = 32; threads <= 512; threads += 96)
            for (uint32_t registers = 8; registers <= 120; registers += 28)
                for (uint32_t smem = 0; smem <= 16000; smem += 3200) {
                    sw_occupancy_launch l = {.threads = threads,
                                             .registers = registers,
                                             .static_smem = smem};
                    sw_occupancy_result r, s;
                    CHECK_EQ(sw_occupancy_of_capability(ccs[c], &l, &r), 0);
                    if (!r.next_blocks)
                        continue;
                    advised++;
                    CHECK(r.next_blocks > r.blocks);
                    if (r.next_registers)
                        l.registers = r.next_registers;
                    if (r.next_smem != UINT32_MAX)
                        l.static_smem = r.next_smem;
                    CHECK_EQ(sw_occupancy_of_capability(ccs[c], &l, &s), 0);
                    CHECK_EQ(s.blocks, r.next_blocks);
                    if (r.next_smem != UINT32_MAX) {
                        l.static_smem++;
                        CHECK_EQ(sw_occupancy_of_capability(ccs[c], &l, &s), 0);
                        CHECK(s.blocks <= r.blocks);
                    }
                }
    CHECK(advised > 200);
}

CASE(a_better_block_size_is_named)
{
    sw_occupancy_launch l = {.threads = 1024, .registers = 40};
    sw_occupancy_result r;
    CHECK_EQ(sw_occupancy_of_capability(90, &l, &r), 0);
    CHECK_EQ(r.warps, 32);
    CHECK(r.best_warps > 32);
    l.threads = r.best_threads;
    uint32_t warps = r.best_warps;
    CHECK_EQ(sw_occupancy_of_capability(90, &l, &r), 0);
    CHECK_EQ(r.warps, warps);
    CHECK_EQ(r.best_threads, 0);
}

CASE(bad_questions)
{
    sw_occupancy_result r = {.blocks = 7};
    sw_occupancy_launch l = {.threads = 0};
    CHECK_EQ(sw_occupancy_of_capability(90, &l, &r), SW_OCCUPANCY_INVALID);
    CHECK_EQ(sw_occupancy_of_device("Tesla", &example, &r),
             SW_OCCUPANCY_NO_DEVICE);
    CHECK_EQ(sw_occupancy_of_device(NULL, &example, &r),
             SW_OCCUPANCY_NO_DEVICE);
    l = (sw_occupancy_launch){.threads = 32, .carveout = 101};
    CHECK_EQ(sw_occupancy_of_capability(90, &l, &r), SW_OCCUPANCY_INVALID);
    l.carveout = -2;
    CHECK_EQ(sw_occupancy_of_capability(90, &l, &r), SW_OCCUPANCY_INVALID);
    CHECK_EQ(r.blocks, 7);
    CHECK_STR(sw_occupancy_resource_name((sw_occupancy_resource)9), "?");
}

/* Every point of a curve is what the launch of that x has. */
CASE(curves_are_their_launches)
{
    sw_occupancy_point p[600] = {{0, 0}};
    sw_occupancy_result r;
    for (int axis = 0; axis < 3; axis++) {
        size_t n =
            sw_occupancy_curve(10, &example, (sw_occupancy_axis)axis, NULL, 0);
        CHECK_EQ(n, axis == 0 ? 16 : axis == 1 ? 124 : 33);
        CHECK_EQ(
            sw_occupancy_curve(10, &example, (sw_occupancy_axis)axis, p, 600),
            n);
        for (size_t i = 0; i < n; i++) {
            sw_occupancy_launch l = example;
            if (axis == SW_OCCUPANCY_OVER_THREADS)
                l.threads = p[i].x;
            else if (axis == SW_OCCUPANCY_OVER_REGISTERS)
                l.registers = p[i].x;
            else
                l.static_smem = p[i].x;
            CHECK_EQ(sw_occupancy_of_capability(10, &l, &r), 0);
            CHECK_EQ(p[i].warps, r.warps);
        }
    }
    CHECK_EQ(p[32].x, 16384);
    p[5].x = 77;
    CHECK_EQ(sw_occupancy_curve(10, &example, SW_OCCUPANCY_OVER_THREADS, p, 5),
             16);
    CHECK_EQ(p[5].x, 77);
    CHECK_EQ(p[4].x, 160);
}
