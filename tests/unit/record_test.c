/* SPDX-License-Identifier: Apache-2.0 */
/* record_test.c - lines of a profile: written and read back. */
#include "report/record.h"

#include <string.h>

#include "check.h"

/* The record's line, read back. */
static bool
again(sw_record_kind kind, const void *record, sw_arena *arena, sw_record *out)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_record_print(kind, record, &text);
    CHECK(text.n > 1 && text.p[text.n - 1] == '\n');
    CHECK(!memchr(text.p, '\n', text.n - 1));
    sw_record_kind got;
    bool good = sw_record_parse((sw_str){text.p, text.n - 1}, arena, &got, out);
    CHECK_EQ(got, kind);
    sw_buf_finish(&text);
    return good;
}

CASE(fields_come_back)
{
    sw_arena *arena = sw_arena_create();
    sw_record_launch l = {.correlation = UINT64_MAX,
                          .device = 3,
                          .begin_ns = 12345678901234567,
                          .grid_x = 7,
                          .block_z = 2,
                          .regs = UINT32_MAX,
                          .kernel = "_Z1kPf"};
    sw_record r;
    CHECK(again(SW_RECORD_KIND_LAUNCH, &l, arena, &r));
    CHECK_EQ(r.launch.correlation, UINT64_MAX);
    CHECK_EQ(r.launch.device, 3);
    CHECK_EQ(r.launch.begin_ns, 12345678901234567);
    CHECK_EQ(r.launch.grid_x, 7);
    CHECK_EQ(r.launch.block_z, 2);
    CHECK_EQ(r.launch.regs, UINT32_MAX);
    CHECK_STR(r.launch.kernel, "_Z1kPf");
    sw_arena_destroy(arena);
}

CASE(texts_may_hold_anything)
{
    sw_arena *arena = sw_arena_create();
    sw_record_process p = {.command = "a\tb\nc\\d \\t", .folder = NULL};
    sw_record r;
    CHECK(again(SW_RECORD_KIND_PROCESS, &p, arena, &r));
    CHECK_STR(r.process.command, "a\tb\nc\\d \\t");
    CHECK_STR(r.process.folder, "");
    sw_arena_destroy(arena);
}

CASE(counts_come_back)
{
    sw_arena *arena = sw_arena_create();
    sw_counts c = {.blocks = 1, .dram_write = UINT64_MAX};
    c.mem[SW_ACCESS_SHARED_LD].conflicts = 31;
    sw_record_counts n = {.launch = 2, .scale = 1.0 / 3, .counts = &c};
    sw_record r;
    CHECK(again(SW_RECORD_KIND_COUNTS, &n, arena, &r));
    CHECK(r.counts.scale == 1.0 / 3);
    CHECK(memcmp(r.counts.counts, &c, sizeof c) == 0);
    sw_arena_destroy(arena);
}

CASE(what_is_no_record_is_refused)
{
    static const char *const bad[] = {
        "",
        "Z\t1",
        "D",
        "D\t1",
        "D\tone\tname",
        "D\t1\tname\tmore",
        "D\t4294967296\tname",
        "N\t1\t1\t0\t1x\t",
        "N\t1\t1\t0\t1\t0:",
        "N\t1\t1\t0\t1\t99999:1",
    };
    sw_arena *arena = sw_arena_create();
    sw_record_kind kind;
    sw_record r;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!sw_record_parse(sw_str_of(bad[i]), arena, &kind, &r));
    CHECK(sw_record_parse(sw_str_of("D\t1\tname"), arena, &kind, &r));
    sw_arena_destroy(arena);
}
