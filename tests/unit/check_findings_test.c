/* SPDX-License-Identifier: Apache-2.0 */
/* check_findings_test.c - findings of `softwarp check`: one entry a defect, the
 * file between two processes, suppressions and reports: src/check. */
#include "check.h"
#include "check/report.h"

static const sw_find_threads some = {
    .block = {1, 0, 0}, .block_index = 1, .thread = {4, 0, 0}, .lanes = 0xf0};

static sw_findings *
make(void)
{
    sw_findings *set = sw_findings_create();
    sw_find_report race = {.kind = SW_FIND_RACE_SHARED,
                           .kernel = "add",
                           .space = "shared",
                           .message = "a < b & \"c\"\nnext",
                           .at = {"a file.cu", 12},
                           .other = {"a file.cu", 10},
                           .threads = &some};
    sw_find_report leak = {.kind = SW_FIND_LEAK, .message = "m", .key = "1"};
    sw_finding *f = sw_findings_begin(set, &race);
    CHECK(f != NULL);
    sw_findings_detail(set, f, "allocation", "%d\\bytes\nof %s", 7, "it");
    sw_findings_end(set);
    sw_findings_add(set, &race);
    sw_findings_add(set, &leak);
    leak.key = "2";
    sw_findings_add(set, &leak);
    return set;
}

CASE(the_same_defect_is_one_entry)
{
    sw_findings *set = make();
    CHECK_EQ(sw_findings_count(set), 3);
    const sw_finding *f = sw_findings_at(set, 0);
    CHECK_EQ(f->count, 8);
    CHECK_EQ(f->blocks, 1);
    CHECK_EQ(f->lanes, 0xf0);
    sw_findings_destroy(set);
}

CASE(what_is_written_is_read_again)
{
    sw_findings *set = make(), *read = sw_findings_create();
    sw_buf text, again;
    sw_buf_init(&text);
    sw_buf_init(&again);
    sw_findings_write(set, &text);
    CHECK(sw_findings_read(read, (sw_str){text.p, text.n}));
    sw_findings_write(read, &again);
    CHECK_EQ(text.n, again.n);
    CHECK(text.n == again.n && memcmp(text.p, again.p, text.n) == 0);
    const sw_find_detail *d = sw_vec_at(&sw_findings_at(read, 0)->details, 0);
    CHECK(strcmp(d->text, "7\\bytes\nof it") == 0);
    /* Of two processes: counted together. */
    CHECK(sw_findings_read(read, (sw_str){text.p, text.n}));
    CHECK_EQ(sw_findings_count(read), 3);
    CHECK_EQ(sw_findings_at(read, 0)->count, 16);
    sw_buf_finish(&text);
    sw_buf_finish(&again);
    sw_findings_destroy(set);
    sw_findings_destroy(read);
}

CASE(broken_files_are_refused)
{
    static const char *const texts[] = {
        "",
        "findings",
        "softwarp findings 1\nfinding nothing\n",
        "softwarp findings 1\ncount 3\n",
        "softwarp findings 1\nfinding leak\ncount x\n",
        "softwarp findings 1\nfinding leak\nword\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sw_findings *set = sw_findings_create();
        CHECK(!sw_findings_read(set, sw_str_of(texts[i])));
        sw_findings_destroy(set);
    }
}

static bool
has(const sw_buf *text, const char *part)
{
    return text->p && strstr(text->p, part) != NULL;
}

CASE(reports_escape_what_their_format_must)
{
    sw_findings *set = make();
    sw_check_report report = {.command = "./a"};
    struct {
        void (*make)(const sw_findings *, const sw_check_report *, sw_buf *);
        const char *part;
    } rows[] = {
        {sw_check_json, "a \\u003c b & \\\"c\\\"\\u000anext"},
        {sw_check_json, "\"other\": {\"file\": \"a file.cu\", \"line\": 10}"},
        {sw_check_sarif, "\"uri\": \"a%20file.cu\""},
        {sw_check_sarif, "\"startLine\": 12"},
        {sw_check_junit, "a &lt; b &amp; &quot;c&quot;"},
        {sw_check_junit, "failures=\"3\""},
        {sw_check_github, "::error file=a file.cu,line=12,title=race-shared::"},
        {sw_check_github, "%0Anext"},
        {sw_check_xml, "<kind>RaceHazard</kind>"},
        {sw_check_text, "softwarp check: 3 findings\n"},
        {sw_check_text, "lanes 4 to 7 of 1 block: block (1,0,0), thread (4,0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sw_buf text;
        sw_buf_init(&text);
        rows[i].make(set, &report, &text);
        if (!has(&text, rows[i].part))
            printf("row %zu: %s\n", i, text.p);
        CHECK(has(&text, rows[i].part));
        sw_buf_finish(&text);
    }
    sw_findings_destroy(set);
}

CASE(suppressions_hide_what_they_name)
{
    struct {
        const char *text;
        bool good;
        size_t hidden;
    } rows[] = {
        {"", true, 0},
        {"# nothing\n\n", true, 0},
        {"leak\n", true, 2},
        {"race-* kernel=a* file=*.cu line=12\n", true, 1},
        {"race-shared line=13\nleak # all\n", true, 2},
        {"race-shared lines=13\nleak\n", false, 2},
        {"* line=x\n", false, 0},
        {"kernel=add\n", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sw_findings *set = make();
        bool hidden[3] = {false};
        sw_diag diag;
        sw_diag_init(&diag);
        CHECK_EQ(sw_check_suppress(set, sw_str_of(rows[i].text), "known",
                                   hidden, &diag),
                 rows[i].good);
        CHECK_EQ(hidden[0] + hidden[1] + hidden[2], rows[i].hidden);
        CHECK_EQ(diag.errors, !rows[i].good);
        sw_diag_finish(&diag);
        sw_findings_destroy(set);
    }
}

CASE(generated_suppressions_hide_everything)
{
    sw_findings *set = make();
    sw_check_report report = {0};
    bool hidden[3] = {false};
    sw_buf text;
    sw_buf_init(&text);
    sw_check_suppressions(set, &report, &text);
    CHECK(sw_check_suppress(set, (sw_str){text.p, text.n}, "known", hidden,
                            NULL));
    CHECK_EQ(hidden[0] + hidden[1] + hidden[2], 3);
    report.hidden = hidden;
    CHECK_EQ(sw_check_failures(set, &report), 0);
    sw_buf_finish(&text);
    sw_findings_destroy(set);
}

CASE(a_host_finding_has_the_place_of_its_first_known_frame)
{
    sw_findings *set = make();
    sw_find_report leak = {.kind = SW_FIND_LEAK, .key = "3"};
    sw_finding *f = sw_findings_begin(set, &leak);
    sw_findings_detail(set, f, "made at", "@x+0x1 main");
    sw_findings_end(set);
    sw_findings_resolved(set, 3, 0, "malloc (libc.so.6)\nmain (m.cu:7)\n");
    CHECK(strcmp(sw_findings_at(set, 3)->at.file, "m.cu") == 0);
    CHECK_EQ(sw_findings_at(set, 3)->at.line, 7);
    sw_findings_destroy(set);
}
