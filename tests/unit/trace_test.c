/* SPDX-License-Identifier: Apache-2.0 */
/* trace_test.c - traces of warps: what is written is read, in few bytes and not
 * in more than were asked for; what is broken is seen. */
#include "watch/trace.h"

#include "check.h"

static void
rows(uint64_t addr[32], uint64_t first, int64_t stride)
{
    for (int i = 0; i < 32; i++)
        addr[i] = first + (uint64_t)(i * stride);
}

CASE(what_is_written_is_read)
{
    sw_trace_block t;
    uint64_t row[32], turned[32], list[32];
    rows(row, 0x7000001000, 4);
    rows(turned, 0x100, -128);
    for (int i = 0; i < 32; i++)
        list[i] = (uint64_t)(i * i) * 8;
    sw_trace_init(&t, 7, 2, 0);
    sw_trace_warp *w = &t.warps[1];
    for (uint32_t i = 0; i < 5; i++)
        sw_trace_add(w, i, UINT32_MAX);
    sw_trace_add_access(w, SW_SPACE_GLOBAL, 4, UINT32_MAX, row);
    sw_trace_add(w, 5, UINT32_MAX);
    sw_trace_add_access(w, SW_SPACE_SHARED, 8, 0xf0, turned);
    sw_trace_add(w, 2, 0xff);
    sw_trace_add_access(w, SW_SPACE_LOCAL, 8, 0xff, list);
    sw_trace_end(w);
    sw_trace_end(&t.warps[0]);

    sw_buf file;
    sw_buf_init(&file);
    sw_trace_save(&t, &file);
    sw_trace_finish(&t);
    sw_str bytes = {file.p, file.n};
    CHECK_EQ(sw_trace_load(&bytes, &t), SW_OK);
    CHECK_EQ(bytes.n, 0);
    CHECK_EQ(t.block_index, 7);
    CHECK_EQ(t.warp_count, 2);
    sw_trace_item item;
    sw_trace_reader none = sw_trace_read(&t.warps[0]);
    CHECK(!sw_trace_next(&none, &item) && !none.is_broken);

    sw_trace_reader r = sw_trace_read(&t.warps[1]);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(sw_trace_next(&r, &item));
        CHECK(!item.is_access);
        CHECK_EQ(item.index, i);
        CHECK_EQ(item.mask, UINT32_MAX);
    }
    CHECK(sw_trace_next(&r, &item));
    CHECK(item.is_access);
    CHECK_EQ(item.index, 4);
    CHECK_EQ(item.space, SW_SPACE_GLOBAL);
    CHECK_EQ(item.lie, SW_TRACE_ROW);
    CHECK_EQ(sw_trace_address(&item, 31), row[31]);
    CHECK(sw_trace_next(&r, &item));
    CHECK_EQ(item.index, 5);
    CHECK(sw_trace_next(&r, &item));
    CHECK_EQ(item.lie, SW_TRACE_STRIDE);
    CHECK_EQ(item.mask, 0xf0);
    CHECK_EQ(item.bytes, 8);
    for (unsigned i = 4; i < 8; i++)
        CHECK_EQ(sw_trace_address(&item, i), turned[i]);
    CHECK(sw_trace_next(&r, &item));
    CHECK_EQ(item.index, 2);
    CHECK_EQ(item.mask, 0xff);
    CHECK(sw_trace_next(&r, &item));
    CHECK_EQ(item.lie, SW_TRACE_LIST);
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(sw_trace_address(&item, i), list[i]);
    CHECK(!sw_trace_next(&r, &item));
    CHECK(!r.is_broken);
    sw_trace_finish(&t);
    sw_buf_finish(&file);
}

CASE(straight_code_and_rows_take_few_bytes)
{
    sw_trace_block t;
    uint64_t row[32];
    sw_trace_init(&t, 0, 1, 0);
    for (int turn = 0; turn < 1000; turn++) {
        for (uint32_t i = 0; i < 20; i++)
            sw_trace_add(&t.warps[0], i, UINT32_MAX);
        rows(row, 0x7000000000 + (uint64_t)turn * 128, 4);
        sw_trace_add_access(&t.warps[0], SW_SPACE_GLOBAL, 4, UINT32_MAX, row);
    }
    sw_trace_end(&t.warps[0]);
    CHECK(t.warps[0].count < 1000 * 8);
    sw_trace_finish(&t);
}

CASE(a_stream_has_a_bound)
{
    sw_trace_block t;
    sw_trace_item item;
    sw_trace_init(&t, 0, 1, 4096);
    for (uint32_t i = 0; i < 100000; i++)
        sw_trace_add(&t.warps[0], i * 2, i);
    sw_trace_end(&t.warps[0]);
    CHECK(t.warps[0].is_cut);
    CHECK(t.warps[0].count <= 4096);
    sw_trace_reader r = sw_trace_read(&t.warps[0]);
    uint32_t n = 0;
    while (sw_trace_next(&r, &item)) {
        CHECK_EQ(item.index, n * 2);
        n++;
    }
    CHECK(n > 100);
    CHECK(!r.is_broken);
    sw_trace_finish(&t);
}

CASE(broken_files_are_seen)
{
    sw_trace_block t;
    sw_trace_item item;
    sw_buf file;
    uint64_t row[32];
    rows(row, 64, 4);
    sw_buf_init(&file);
    sw_trace_init(&t, 0, 1, 0);
    sw_trace_add(&t.warps[0], 3, 1);
    sw_trace_add_access(&t.warps[0], SW_SPACE_GLOBAL, 4, 1, row);
    sw_trace_end(&t.warps[0]);
    sw_trace_save(&t, &file);
    sw_trace_finish(&t);
    for (size_t n = 0; n < file.n; n++) {
        sw_str bytes = {file.p, n};
        CHECK_EQ(sw_trace_load(&bytes, &t), SW_E_INVAL);
    }
    for (size_t at = 24; at < file.n; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            file.p[at] ^= (char)(1u << bit);
            sw_str bytes = {file.p, file.n};
            CHECK_EQ(sw_trace_load(&bytes, &t), SW_OK);
            sw_trace_reader r = sw_trace_read(&t.warps[0]);
            unsigned items = 0;
            while (items < 1000 && sw_trace_next(&r, &item))
                items++;
            CHECK(items <= 1000);
            sw_trace_finish(&t);
            file.p[at] ^= (char)(1u << bit);
        }
    sw_buf_finish(&file);
}
