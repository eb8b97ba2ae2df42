/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_test.c - which rows a box of a tensor has; values told by hand. */
#include "base/base.h"
#include "check.h"
#include "sem/tensor.h"

/* 8 channels of bytes, 4 by 3 pixels, 2 images. */
static sw_tensor_map
images(void)
{
    return (sw_tensor_map){.address = 1024,
                           .stride = {16, 64, 192},
                           .dim = {8, 4, 3, 2},
                           .box = {16, 2, 1, 1},
                           .step = {1, 1, 1, 1},
                           .rank = 3,
                           .type = SW_TENSOR_U8,
                           .kind = SW_TENSOR_TILED,
                           .channels = 16,
                           .pixels = 8};
}

CASE(rows_of_a_tile_end_at_the_tensor)
{
    sw_tensor_map m = images();
    sw_sem_tensor t;
    sw_sem_tensor_row row;
    CHECK(!sw_sem_tensor_check(&m, 4, SW_TENSOR_TILED));
    sw_sem_tensor_begin(&t, &m, (int32_t[]){-3, 3, 2, 1}, NULL);
    CHECK_EQ(sw_sem_tensor_bytes(&t), 32);
    CHECK(sw_sem_tensor_next(&t, &row));
    CHECK_EQ(row.first, 3);
    CHECK_EQ(row.count, 8);
    CHECK_EQ(row.address, 1024 + 3 * 16 + 2 * 64 + 192);
    CHECK(sw_sem_tensor_next(&t, &row));
    CHECK_EQ(row.count, 0); /* W is 4 */
    CHECK_EQ(row.shared, 16);
    CHECK(!sw_sem_tensor_next(&t, &row));
}

CASE(steps_leave_elements_out)
{
    sw_tensor_map m = images();
    sw_sem_tensor t;
    sw_sem_tensor_row row;
    m.box[1] = 3;
    m.step[1] = 2;
    sw_sem_tensor_begin(&t, &m, (int32_t[]){0, 0, 0, 0}, NULL);
    CHECK_EQ(sw_sem_tensor_bytes(&t), 32);
    CHECK(sw_sem_tensor_next(&t, &row) && row.address == 1024);
    CHECK(sw_sem_tensor_next(&t, &row) && row.address == 1024 + 2 * 16);
    CHECK(!sw_sem_tensor_next(&t, &row));
}

/* A filter of 3 by 3 around each pixel: the box begins at -1, -1 and ends one
 * before the last; the offset is the place in the filter. */
CASE(pixels_go_on_in_the_next_row_and_image)
{
    sw_tensor_map m = images();
    sw_sem_tensor t;
    sw_sem_tensor_row row;
    m.kind = SW_TENSOR_IM2COL;
    m.lower[0] = m.lower[1] = -1;
    m.upper[0] = m.upper[1] = -1;
    CHECK(!sw_sem_tensor_check(&m, 4, SW_TENSOR_IM2COL));
    CHECK(sw_sem_tensor_check(&m, 4, SW_TENSOR_TILED));
    sw_sem_tensor_begin(&t, &m, (int32_t[]){0, 1, 1, 0}, (uint16_t[]){1, 0});
    CHECK_EQ(sw_sem_tensor_bytes(&t), 128);
    CHECK(sw_sem_tensor_next(&t, &row) && row.count == 8);
    CHECK_EQ(row.address, 1024 + 2 * 16 + 64); /* 1 + 1, 1 */
    CHECK(sw_sem_tensor_next(&t, &row) && row.count == 8);
    CHECK_EQ(row.address, 1024 + 3 * 16 + 64); /* 2 + 1, 1: the box's end */
    CHECK(sw_sem_tensor_next(&t, &row));
    CHECK_EQ(row.count, 0); /* the next image's -1 + 1, -1 */
    CHECK_EQ(t.at[1], 0);
    CHECK_EQ(t.at[2], -1);
    CHECK_EQ(t.at[3], 1);
}

CASE(swizzles_change_units_within_a_span)
{
    sw_tensor_map m = {.swizzle = SW_TENSOR_SWIZZLE_128};
    CHECK_EQ(sw_sem_tensor_swizzle(&m, 0x000), 0x000);
    CHECK_EQ(sw_sem_tensor_swizzle(&m, 0x080), 0x090);
    CHECK_EQ(sw_sem_tensor_swizzle(&m, 0x3f4), 0x384);
    m.swizzle = SW_TENSOR_SWIZZLE_64;
    CHECK_EQ(sw_sem_tensor_swizzle(&m, 0x0c0), 0x0d0);
    CHECK_EQ(sw_sem_tensor_swizzle(&m, 0x180), 0x1b0);
    m.swizzle = SW_TENSOR_SWIZZLE_32;
    CHECK_EQ(sw_sem_tensor_swizzle(&m, 0x0a0), 0x0b0);
    CHECK_EQ(sw_sem_tensor_swizzle(&m, 0x120), 0x120);
    m.swizzle = SW_TENSOR_SWIZZLE_NONE;
    CHECK_EQ(sw_sem_tensor_swizzle(&m, 0x3f4), 0x3f4);
}
