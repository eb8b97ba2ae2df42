/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy_test.c - sw_occupancy against the vendor's own answers in
 * tests/data/occupancy_vectors.csv: the spreadsheet of 2010 (method OCC30) and
 * the runtime's calculation of CUDA 13 (OH13).
 */
#include "device/occupancy.h"

#include <stdlib.h>

#include "check.h"

enum { COLUMNS = 14 };

/* Splits a line in place; false if it does not have COLUMNS cells. */
static bool
split(char *line, char *cells[COLUMNS])
{
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    while (line && n < COLUMNS) {
        cells[n++] = line;
        line = strchr(line, ',');
        if (line)
            *line++ = 0;
    }
    return n == COLUMNS && !line;
}

static uint32_t
number(const char *cell)
{
    return *cell ? (uint32_t)strtoul(cell, NULL, 10) : UINT32_MAX;
}

static uint32_t
least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The capability "9.0" as 90. */
static int
capability(const char *cell)
{
    const char *dot = strchr(cell, '.');
    return atoi(cell) * 10 + (dot ? atoi(dot + 1) : 0);
}

CASE(every_vector_is_met)
{
    FILE *f = fopen("tests/data/occupancy_vectors.csv", "r");
    char line[512];
    char *cells[COLUMNS];
    unsigned rows = 0, good = 0;
    CHECK(f != NULL);
    if (!f)
        return;
    CHECK(fgets(line, sizeof line, f) != NULL); /* the heading */
    while (fgets(line, sizeof line, f)) {
        if (!split(line, cells))
            continue; /* the count below tells */
        rows++;
        const sw_cc_limits *limits = sw_device_limits(capability(cells[0]));
        sw_occ_kernel kernel = {
            .threads = number(cells[2]),
            .regs = number(cells[3]),
            .dynamic_smem = number(cells[4]),
            .method = strcmp(cells[1], "OCC30") == 0 ? SW_OCC_SPREADSHEET
                                                     : SW_OCC_RUNTIME,
        };
        sw_occ occ = {0};
        CHECK_EQ(sw_occupancy(limits, &kernel, &occ), SW_OK);
        double percent = strtod(cells[8], NULL);
        bool same =
            (int)limits->cc == capability(cells[0]) &&
            occ.blocks == number(cells[5]) && occ.warps == number(cells[6]) &&
            occ.max_warps == number(cells[7]) &&
            occ.percent > percent - 0.006 && occ.percent < percent + 0.006 &&
            least(occ.room[SW_OCC_WARPS], occ.room[SW_OCC_BLOCKS]) ==
                number(cells[9]) &&
            /* The spreadsheet says "all block slots" for "not limited". */
            (occ.room[SW_OCC_REGS] == number(cells[10]) ||
             (occ.room[SW_OCC_REGS] == UINT32_MAX &&
              number(cells[10]) == limits->max_blocks_sm)) &&
            (occ.room[SW_OCC_SMEM] == number(cells[11]) ||
             (occ.room[SW_OCC_SMEM] == UINT32_MAX &&
              number(cells[11]) == limits->max_blocks_sm)) &&
            occ.smem_block == number(cells[12]) &&
            occ.regs_block == number(cells[13]);
        good += same;
        if (!same && rows - good <= 20)
            printf("cc %s %s threads %s regs %s smem %s: blocks %u (%s) warps "
                   "%u (%s) warps/blocks %u (%s) regs %u (%s) smem %u (%s) "
                   "smem_block %u (%s) regs_block %u (%s)\n",
                   cells[0], cells[1], cells[2], cells[3], cells[4], occ.blocks,
                   cells[5], occ.warps, cells[6],
                   least(occ.room[SW_OCC_WARPS], occ.room[SW_OCC_BLOCKS]),
                   cells[9], occ.room[SW_OCC_REGS], cells[10],
                   occ.room[SW_OCC_SMEM], cells[11], occ.smem_block, cells[12],
                   occ.regs_block, cells[13]);
    }
    fclose(f);
    CHECK_EQ(rows, 1753);
    CHECK_EQ(good, rows);
}

CASE(the_limiter_is_named)
{
    const sw_cc_limits *h = sw_device_limits(90);
    sw_occ occ;
    CHECK_EQ(sw_occupancy(h, &(sw_occ_kernel){.threads = 256}, &occ), SW_OK);
    CHECK_EQ(occ.blocks, 8);
    CHECK_EQ(occ.limiter, SW_OCC_WARPS);
    sw_occupancy(h, &(sw_occ_kernel){.threads = 32}, &occ);
    CHECK_EQ(occ.limiter, SW_OCC_BLOCKS);
    sw_occupancy(h, &(sw_occ_kernel){.threads = 256, .regs = 255}, &occ);
    CHECK_EQ(occ.limiter, SW_OCC_REGS);
    CHECK_EQ(occ.blocks, 1);
    sw_occupancy(h, &(sw_occ_kernel){.threads = 32, .static_smem = 40000},
                 &occ);
    CHECK_EQ(occ.limiter, SW_OCC_SMEM);
    sw_occupancy(h, &(sw_occ_kernel){.threads = 32, .barriers = 16}, &occ);
    CHECK_EQ(occ.limiter, SW_OCC_BARRIERS);
    CHECK_EQ(occ.blocks, 4);
    CHECK_STR(sw_occ_limit_text(SW_OCC_SMEM), "shared memory");
}

CASE(what_does_not_fit_is_zero_blocks)
{
    sw_occ occ = {.blocks = 7};
    sw_occ_kernel none = {.threads = 0};
    CHECK_EQ(sw_occupancy(sw_device_limits(90), &none, &occ), SW_E_INVAL);
    CHECK_EQ(occ.blocks, 7);
    sw_occ_kernel many = {.threads = 4096};
    CHECK_EQ(sw_occupancy(sw_device_limits(90), &many, &occ), SW_OK);
    CHECK_EQ(occ.blocks, 0);
    sw_occ_kernel huge = {.threads = UINT32_MAX,
                          .regs = UINT32_MAX,
                          .static_smem = UINT32_MAX,
                          .dynamic_smem = UINT32_MAX,
                          .barriers = UINT32_MAX};
    for (size_t i = 0; i < sw_device_limits_count(); i++) {
        CHECK_EQ(sw_occupancy(sw_device_limits_at(i), &huge, &occ), SW_OK);
        CHECK_EQ(occ.blocks, 0);
    }
}

/* The answer is the most: it fits, and one byte more does not. */
CASE(dynamic_smem_is_the_most)
{
    for (size_t i = 0; i < sw_device_limits_count(); i++) {
        const sw_cc_limits *limits = sw_device_limits_at(i);
        for (uint32_t blocks = 1; blocks <= 12; blocks++) {
            sw_occ_kernel kernel = {.threads = 64, .static_smem = 1000};
            uint32_t bytes = 0;
            sw_occ occ = {0};
            sw_status status =
                sw_occupancy_dynamic_smem(limits, &kernel, blocks, &bytes);
            sw_occupancy(limits, &kernel, &occ);
            CHECK_EQ(status, occ.blocks >= blocks ? SW_OK : SW_E_INVAL);
            if (status)
                continue;
            kernel.dynamic_smem = bytes;
            sw_occupancy(limits, &kernel, &occ);
            CHECK(occ.blocks >= blocks);
            kernel.dynamic_smem = bytes + 1;
            sw_occupancy(limits, &kernel, &occ);
            CHECK(occ.blocks < blocks);
        }
    }
}

static uint32_t
four_bytes_a_thread(uint32_t threads, void *user)
{
    (void)user;
    return threads * 4;
}

CASE(block_size_search)
{
    uint32_t threads = 0, blocks = 0;
    sw_occ_kernel kernel = {.regs = 32};
    CHECK_EQ(sw_occupancy_block_size(sw_device_limits(90), &kernel, NULL, NULL,
                                     0, &threads, &blocks),
             SW_OK);
    CHECK_EQ(threads, 1024);
    CHECK_EQ(blocks, 2);
    CHECK_EQ(sw_occupancy_block_size(sw_device_limits(86), &kernel,
                                     four_bytes_a_thread, NULL, 0, &threads,
                                     &blocks),
             SW_OK);
    CHECK_EQ(threads, 768);
    CHECK_EQ(blocks, 2);
    CHECK_EQ(sw_occupancy_block_size(sw_device_limits(90), &kernel, NULL, NULL,
                                     100, &threads, &blocks),
             SW_OK);
    CHECK(threads <= 100);
    kernel.regs = 1000;
    CHECK_EQ(sw_occupancy_block_size(sw_device_limits(90), &kernel, NULL, NULL,
                                     0, &threads, &blocks),
             SW_E_INVAL);
}

CASE(less_shared_memory_by_carveout)
{
    sw_occ occ;
    sw_occ_kernel kernel = {
        .threads = 32, .dynamic_smem = 7168, .carveout = -1};
    sw_occupancy(sw_device_limits(90), &kernel, &occ);
    CHECK_EQ(occ.smem_sm, 8192);
    CHECK_EQ(occ.blocks, 1);
    kernel.carveout = 50;
    sw_occupancy(sw_device_limits(90), &kernel, &occ);
    CHECK_EQ(occ.smem_sm, 132 * 1024);
    CHECK_EQ(occ.blocks, 16);
}

CASE(available_memory_is_what_an_h100_answers)
{
    /* cudaOccupancyAvailableDynamicSMemPerBlock, CUDA 13, 64 threads. */
    static const struct {
        int32_t carveout;
        uint32_t static_smem, bound, blocks, bytes;
    } rows[] = {
        {0, 0, 49152, 1, 49152},     {0, 0, 49152, 5, 46592},
        {0, 0, 49152, 7, 33280},     {0, 0, 49152, 32, 7296},
        {0, 6000, 43152, 5, 40592},  {0, 6000, 43152, 32, 1296},
        {-1, 0, 49152, 2, 4096},     {-1, 0, 49152, 7, 1152},
        {10, 0, 49152, 3, 10880},    {50, 0, 49152, 5, 27008},
        {50, 6000, 43152, 16, 2448}, {0, 0, 110000, 2, 110000},
        {0, 6000, 110000, 3, 71824},
    };
    uint32_t bytes;
    sw_occ occ;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sw_occ_kernel kernel = {.threads = 64,
                                .regs = 10,
                                .static_smem = rows[i].static_smem,
                                .carveout = rows[i].carveout,
                                .is_bounded = true,
                                .dynamic_bound = rows[i].bound};
        CHECK_EQ(sw_occupancy_available_smem(sw_device_limits(90), &kernel,
                                             rows[i].blocks, &bytes),
                 SW_OK);
        CHECK_EQ(bytes, rows[i].bytes);
        CHECK_EQ(sw_occupancy_available_smem(sw_device_limits(90), &kernel, 33,
                                             &bytes),
                 SW_E_INVAL);
        kernel.dynamic_smem = rows[i].bound + 1;
        CHECK_EQ(sw_occupancy(sw_device_limits(90), &kernel, &occ), SW_OK);
        CHECK_EQ(occ.blocks, 0);
    }
}

CASE(the_largest_block_is_what_an_h100_launches)
{
    /* Registers a thread; threads of the largest launch that does not fail,
     * which cudaFuncGetAttributes tells beforehand; CUDA 13. */
    static const uint32_t rows[][2] = {
        {32, 1024}, {64, 1024}, {72, 896},  {80, 768},  {96, 640},  {126, 512},
        {128, 512}, {164, 384}, {166, 384}, {238, 256}, {254, 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_EQ(sw_occ_most_threads(sw_device_limits(90), rows[i][0]),
                 rows[i][1]);
    CHECK_EQ(sw_occ_most_threads(sw_device_limits(90), 256), 0);
}
