/* SPDX-License-Identifier: Apache-2.0 */
/* settings_test.c - the environment's variables, and names that are near. */
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/settings.h"
#include "check.h"

CASE(every_row_is_whole)
{
    for (unsigned i = 0; i < SW_SETTING_COUNT; i++) {
        const sw_setting_row *row = sw_setting_row_of((sw_setting_id)i);
        bool is_ours = strncmp(row->name, "SOFTWARP_", 9) == 0;
        CHECK_EQ(is_ours, row->group != SW_SETTING_VENDOR);
        CHECK(*row->meaning && *row->otherwise);
        CHECK(row->least <= row->most);
        for (unsigned k = 0; k < i; k++)
            CHECK(strcmp(row->name,
                         sw_setting_row_of((sw_setting_id)k)->name) != 0);
        /* A default that is one of the words is one that is allowed. */
        if (row->kind == SW_SETTING_WORDS &&
            strchr(row->otherwise, ' ') == NULL)
            CHECK(sw_setting_allows((sw_setting_id)i, row->otherwise) ||
                  strcmp(row->otherwise, "nothing") == 0);
    }
}

CASE(values_are_read)
{
    unsetenv("SOFTWARP_ENGINE");
    CHECK(sw_setting_is(SW_SETTING_ENGINE, "auto"));
    setenv("SOFTWARP_ENGINE", "interp", 1);
    CHECK(sw_setting_is(SW_SETTING_ENGINE, "interp"));
    setenv("SOFTWARP_ENGINE", "", 1);
    CHECK(sw_setting(SW_SETTING_ENGINE) == NULL);
    CHECK(sw_setting_is_there(SW_SETTING_ENGINE));
    CHECK(sw_setting_is(SW_SETTING_ENGINE, "auto"));
    unsetenv("SOFTWARP_ENGINE");

    setenv("SOFTWARP_THREADS", "3", 1);
    CHECK_EQ(sw_setting_number(SW_SETTING_THREADS, 7), 3);
    setenv("SOFTWARP_THREADS", "3 ", 1);
    CHECK_EQ(sw_setting_number(SW_SETTING_THREADS, 7), 7);
    unsetenv("SOFTWARP_THREADS");
    CHECK_EQ(sw_setting_number(SW_SETTING_THREADS, 7), 7);

    setenv("SOFTWARP_SPIN_SECONDS", "0.25", 1);
    CHECK(sw_setting_seconds(SW_SETTING_SPIN_SECONDS, 10) == 0.25);
    setenv("SOFTWARP_SPIN_SECONDS", "soon", 1);
    CHECK(sw_setting_seconds(SW_SETTING_SPIN_SECONDS, 10) == 10);
    unsetenv("SOFTWARP_SPIN_SECONDS");
}

static void
check_wrong(const char *name, const char *value, const char *said)
{
    sw_buf text;
    sw_buf_init(&text);
    CHECK(sw_settings_check(&text));
    CHECK_STR(text.p, "");
    setenv(name, value, 1);
    CHECK(!sw_settings_check(&text));
    CHECK_STR(text.p, said);
    unsetenv(name);
    sw_buf_finish(&text);
}

CASE(wrong_values_are_named_with_what_is_allowed)
{
    for (unsigned i = 0; i < SW_SETTING_COUNT; i++)
        unsetenv(sw_setting_row_of((sw_setting_id)i)->name);
    check_wrong("SOFTWARP_ENGINE", "fast",
                "SOFTWARP_ENGINE is 'fast'; it may be auto, jit or interp\n");
    check_wrong(
        "SOFTWARP_THREADS", "0",
        "SOFTWARP_THREADS is '0'; it may be a number from 1 to 65536\n");
    check_wrong("SOFTWARP_CACHE_BYTES", "1M",
                "SOFTWARP_CACHE_BYTES is '1M'; it may be a number from 0 on\n");
    check_wrong("SOFTWARP_TRACE", "all",
                "SOFTWARP_TRACE is 'all'; it may be api or api:...\n");
    check_wrong("SOFTWARP_SPIN_SECONDS", "-1",
                "SOFTWARP_SPIN_SECONDS is '-1'; it may be a number of seconds "
                "above 0\n");
    CHECK(sw_setting_allows(SW_SETTING_TRACE, "api:file"));
    CHECK(!sw_setting_allows(SW_SETTING_TRACE, "apis"));
    CHECK(!sw_setting_allows(SW_SETTING_SPIN_SECONDS, "inf"));
}

CASE(unknown_variables_are_named_with_what_may_be_meant)
{
    sw_buf text;
    sw_buf_init(&text);
    setenv("SOFTWARP_THRAEDS", "2", 1);
    setenv("SOFTWARP_ENGINE", "jit", 1);
    sw_settings_unknown(&text);
    CHECK_STR(text.p, "SOFTWARP_THRAEDS is no setting; did you mean "
                      "SOFTWARP_THREADS?\n");
    unsetenv("SOFTWARP_THRAEDS");
    unsetenv("SOFTWARP_ENGINE");
    sw_buf_finish(&text);
}

CASE(edits_are_counted)
{
    CHECK_EQ(sw_edit_distance("", "abc"), 3);
    CHECK_EQ(sw_edit_distance("abc", "abc"), 0);
    CHECK_EQ(sw_edit_distance("ABC", "abc"), 0);
    CHECK_EQ(sw_edit_distance("abc", "acb"), 1);
    CHECK_EQ(sw_edit_distance("kitten", "sitting"), 3);
    CHECK_EQ(sw_edit_distance("abcdef", ""), 6);
}

CASE(near_names_come_best_first)
{
    sw_buf text;
    sw_near near;
    sw_buf_init(&text);
    sw_near_init(&near, "printd");
    sw_near_offer(&near, "sprintf");
    sw_near_offer(&near, "malloc");
    sw_near_offer(&near, "printf");
    sw_near_offer(&near, "printf");
    sw_near_say(&near, "like ", ".", &text);
    CHECK_STR(text.p, "like printf.");
    sw_near_init(&near, "xyzzy");
    sw_near_offer(&near, "printf");
    sw_near_say(&near, "like ", ".", &text);
    CHECK_STR(text.p, "like printf.");
    sw_buf_finish(&text);
}
