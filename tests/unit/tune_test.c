/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune_test.c - what sets the numbers of heuristics, and that the code reads
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "front/ptx/ptx.h"
#include "opt/inlining.h"
#include "opt/tune.h"

static uint32_t weight, length;
static const sw_tune_row rows[] = {
    {"weight", &weight, 5, 1, 9, "kg", "", "A row of a test."},
    {"length", &length, 6, 0, UINT32_MAX, "m", "", "Another row."}};
static const sw_tune_table table = {"box", rows, 2};
static const sw_tune_table *const tables[] = {&table, &sw_opt_tune_table};

/* The first error of setting `text`; "": there is none. */
static const char *
set(const char *text, char kept[512])
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status = sw_tune_set(tables, 2, text, &diag);
    CHECK_EQ(status == SW_OK, diag.errors == 0);
    const sw_diag_entry *entry =
        diag.entries.count ? sw_vec_at(&diag.entries, 0) : NULL;
    snprintf(kept, 512, "%s", entry ? entry->text : "");
    sw_diag_finish(&diag);
    return kept;
}

CASE(values_are_set_by_name)
{
    char text[512];
    sw_tune_reset(tables, 2);
    CHECK_EQ(weight, 5);
    CHECK_STR(set("box.weight=7,box.length=0x10", text), "");
    CHECK_EQ(weight, 7);
    CHECK_EQ(length, 16);
    CHECK_STR(set(" box.weight = 9 ,, box.length=4294967295 ", text), "");
    CHECK_EQ(weight, 9);
    CHECK_EQ(length, UINT32_MAX);
    CHECK_STR(set("", text), "");
    sw_tune_reset(tables, 2);
    CHECK_EQ(weight, 5);
    CHECK_EQ(length, 6);
}

CASE(errors_say_what_is_allowed_and_change_nothing)
{
    static const char *const wrong[] = {
        "10", "0", "-1", "", "7kg", "0x", "1e3", "99999999999999999999"};
    char text[512];
    sw_tune_reset(tables, 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char setting[64];
        snprintf(setting, sizeof setting, "box.length=1,box.weight=%s",
                 wrong[i]);
        CHECK(strstr(set(setting, text),
                     "it is a whole number from 1 to 9 in kg"));
        CHECK_EQ(length, 6);
    }
    CHECK_STR(set("box.height=1", text),
              "there is no tuning value \"box.height\"; there are box.weight "
              "box.length");
    CHECK(strstr(set("weight=1", text), " box.length opt.inline_each "));
    CHECK(strstr(set("box", text), "\"box\"; there are box.weight"));
    CHECK(strstr(set("box.weightx=1", text), "no tuning value"));
}

CASE(what_was_changed_can_be_handed_on)
{
    char text[512];
    sw_buf out;
    sw_buf_init(&out);
    sw_tune_reset(tables, 2);
    uint64_t hash = sw_tune_hash(tables, 2);
    sw_tune_print_changed(tables, 2, &out);
    CHECK_EQ(out.n, 0);
    CHECK_STR(set("box.length=1,opt.inline_each=2", text), "");
    CHECK(sw_tune_hash(tables, 2) != hash);
    sw_tune_print_changed(tables, 2, &out);
    CHECK_STR(out.p, "box.length=1,opt.inline_each=2");
    sw_tune_reset(tables, 2);
    CHECK_EQ(sw_tune_hash(tables, 2), hash);
    sw_buf_finish(&out);
}

CASE(initial_values_are_in_their_ranges)
{
    CHECK_EQ(sw_opt_tune.inline_each, 400);
    for (size_t i = 0; i < sw_opt_tune_table.count; i++) {
        const sw_tune_row *row = &sw_opt_tune_table.rows[i];
        CHECK_EQ(*row->value, row->initial);
        CHECK(row->least <= row->initial && row->initial <= row->most);
        CHECK(strlen(row->why) > 20);
    }
}

CASE(passes_read_them)
{
    static const char ptx[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".func (.param .b32 r) twice(.param .b32 x) { .reg .u32 %a;\n"
        "ld.param.u32 %a, [x]; add.u32 %a, %a, %a; st.param.u32 [r], %a;\n"
        "ret; }\n"
        ".visible .entry k(.param .u64 out) { .reg .u64 %d; .reg .u32 %r;\n"
        ".param .b32 x; .param .b32 r;\n"
        "ld.param.u64 %d, [out]; mov.u32 %r, %tid.x; st.param.u32 [x], %r;\n"
        "call (r), twice, (x); ld.param.u32 %r, [r];\n"
        "st.global.u32 [%d], %r; ret; }\n";
    char text[512];
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = sw_ptx_parse("tune", ptx, sizeof ptx - 1, &diag);
    CHECK(m != NULL);
    if (m) {
        const sw_fn *kernel = m->fns[0]->is_entry ? m->fns[0] : m->fns[1];
        sw_arena *arena = sw_arena_create();
        CHECK(sw_opt_inline_calls(kernel, arena) != NULL);
        CHECK_STR(
            set("opt.inline_each=0,opt.inline_copy=0,opt.inline_large_copy=0",
                text),
            "");
        CHECK(sw_opt_inline_calls(kernel, arena) == NULL);
        sw_tune_reset(tables, 2);
        sw_arena_destroy(arena);
        sw_module_destroy(m);
    }
    sw_diag_finish(&diag);
}
