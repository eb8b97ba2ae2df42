/* SPDX-License-Identifier: Apache-2.0 */
/* base_text_test.c - slices, buffers, diagnostics, files, status names. */
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"

CASE(slices_compare)
{
    CHECK(sw_str_eq(sw_str_of("ab"), sw_str_of("ab")));
    CHECK(!sw_str_eq(sw_str_of("ab"), sw_str_of("ac")));
    CHECK(!sw_str_eq(sw_str_of("ab"), sw_str_of("abc")));
    CHECK(sw_str_eq((sw_str){NULL, 0}, sw_str_of("")));
    CHECK(sw_str_is((sw_str){"abc", 2}, "ab"));
    CHECK(sw_str_has_prefix(sw_str_of(".reg"), ".r"));
    CHECK(sw_str_has_prefix(sw_str_of(".reg"), ""));
    CHECK(!sw_str_has_prefix(sw_str_of(".r"), ".reg"));
}

CASE(numbers_are_written_in_full)
{
    static const uint64_t values[] = {0, 7, 10, 4294967296, UINT64_MAX};
    sw_buf b;
    sw_buf_init(&b);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        sw_buf_put_u64(&b, values[i]);
        sw_buf_puts(&b, " ");
    }
    CHECK(strcmp(b.p, "0 7 10 4294967296 18446744073709551615 ") == 0);
    sw_buf_finish(&b);
}

CASE(digits_become_a_number_that_fits)
{
    uint64_t v = 99;
    CHECK(sw_str_to_u64(sw_str_of("0"), 10, &v));
    CHECK_EQ(v, 0);
    CHECK(sw_str_to_u64(sw_str_of("18446744073709551615"), 10, &v));
    CHECK_EQ(v, UINT64_MAX);
    CHECK(sw_str_to_u64(sw_str_of("ffffffffffffffff"), 16, &v));
    CHECK_EQ(v, UINT64_MAX);
    CHECK(sw_str_to_u64(sw_str_of("DeadBeef"), 16, &v));
    CHECK_EQ(v, 0xdeadbeef);
    CHECK(sw_str_to_u64(sw_str_of("777"), 8, &v));
    CHECK_EQ(v, 511);
    v = 5;
    CHECK(!sw_str_to_u64(sw_str_of("18446744073709551616"), 10, &v));
    CHECK(!sw_str_to_u64(sw_str_of("10000000000000000"), 16, &v));
    CHECK(!sw_str_to_u64(sw_str_of(""), 10, &v));
    CHECK(!sw_str_to_u64(sw_str_of("-1"), 10, &v));
    CHECK(!sw_str_to_u64(sw_str_of("1 "), 10, &v));
    CHECK(!sw_str_to_u64(sw_str_of("8"), 8, &v));
    CHECK(!sw_str_to_u64(sw_str_of("1f"), 10, &v));
    CHECK_EQ(v, 5); /* untouched */
}

CASE(buf_grows_and_terminates)
{
    sw_buf buf;
    sw_buf_init(&buf);
    CHECK_STR(buf.p, "");
    for (int i = 0; i < 1000; i++)
        sw_buf_printf(&buf, "%03d,", i);
    CHECK_EQ(buf.n, 4000);
    CHECK_EQ(strlen(buf.p), 4000);
    CHECK(memcmp(buf.p + 3996, "999,", 5) == 0);
    sw_buf_finish(&buf);
}

/* Around every capacity: the NUL must have room too. */
CASE(buf_at_its_edges)
{
    for (size_t n = 0; n < 300; n++) {
        sw_buf buf;
        sw_buf_init(&buf);
        for (size_t i = 0; i < n; i++)
            sw_buf_add(&buf, "x", 1);
        sw_buf_printf(&buf, "%s", "yz");
        CHECK_EQ(strlen(buf.p), n + 2);
        sw_buf_finish(&buf);
    }
}

CASE(buf_take_hands_over)
{
    sw_buf buf;
    sw_buf_init(&buf);
    sw_buf_puts(&buf, "mine");
    char *text = sw_buf_take(&buf);
    sw_buf_puts(&buf, "yours");
    CHECK_STR(text, "mine");
    CHECK_STR(buf.p, "yours");
    sw_free(text);
    sw_buf_finish(&buf);
}

static char *
printed(const sw_diag *diag)
{
    sw_buf out;
    sw_buf_init(&out);
    sw_diag_print(diag, &out);
    char *text = out.p; /* the buf is not used again */
    return text;
}

CASE(diag_prints_places)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_diag_add(&diag, SW_DIAG_ERROR, "a.ptx", 3, 7, "expected %s", "';'");
    sw_diag_add(&diag, SW_DIAG_WARNING, "a.ptx", 4, 0, "no column");
    sw_diag_add(&diag, SW_DIAG_NOTE, NULL, 0, 0, "no place");
    char *text = printed(&diag);
    CHECK_STR(text, "a.ptx:3:7: error: expected ';'\n"
                    "a.ptx:4: warning: no column\n"
                    "note: no place\n");
    CHECK_EQ(diag.errors, 1);
    sw_free(text);
    sw_diag_finish(&diag);
}

CASE(diag_keeps_a_hundred_and_counts_on)
{
    sw_diag diag;
    sw_diag_init(&diag);
    for (int i = 0; i < 250; i++)
        sw_diag_add(&diag, SW_DIAG_ERROR, "f", 1, 1, "again");
    CHECK_EQ(diag.entries.count, 100);
    CHECK_EQ(diag.errors, 250);
    sw_diag_finish(&diag);
    sw_diag_add(NULL, SW_DIAG_ERROR, "f", 1, 1, "dropped");
}

CASE(files_are_read_whole)
{
    char path[] = "/tmp/softwarp-test-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    char *text = NULL;
    size_t bytes = 99;
    CHECK_EQ(sw_file_read(path, &text, &bytes), SW_OK);
    CHECK_EQ(bytes, 0);
    CHECK_STR(text, "");
    sw_free(text);

    CHECK_EQ(write(fd, "a\0b", 3), 3);
    CHECK_EQ(sw_file_read(path, &text, &bytes), SW_OK);
    CHECK_EQ(bytes, 3);
    CHECK(memcmp(text, "a\0b", 4) == 0);
    sw_free(text);
    close(fd);
    unlink(path);
    CHECK_EQ(sw_file_read(path, &text, &bytes), SW_E_FILE_NOT_FOUND);
    CHECK_EQ(sw_file_read("/tmp", &text, &bytes), SW_E_FILE_NOT_FOUND);
}

CASE(log_levels)
{
    unsetenv("SOFTWARP_LOG");
    CHECK(sw_log_is_on(SW_LOG_WARN));
    CHECK(!sw_log_is_on(SW_LOG_INFO));
    setenv("SOFTWARP_LOG", "debug", 1);
    CHECK(sw_log_is_on(SW_LOG_DEBUG));
    setenv("SOFTWARP_LOG", "error", 1);
    CHECK(sw_log_is_on(SW_LOG_ERROR));
    CHECK(!sw_log_is_on(SW_LOG_WARN));
    setenv("SOFTWARP_LOG", "nonsense", 1);
    CHECK(sw_log_is_on(SW_LOG_WARN));
    CHECK(!sw_log_is_on(SW_LOG_INFO));
    unsetenv("SOFTWARP_LOG");
}

CASE(statuses)
{
    CHECK_EQ(SW_OK, 0);
    CHECK(sw_status_is_known(0));
    CHECK(sw_status_is_known(1));
    CHECK(!sw_status_is_known(-1));
    CHECK(!sw_status_is_known(123456));
    CHECK_STR(sw_status_name((sw_status)123456), "UNKNOWN");
    CHECK_STR(sw_status_name(SW_E_FILE_NOT_FOUND), "FILE_NOT_FOUND");
    CHECK(strlen(sw_status_text(SW_E_FILE_NOT_FOUND)) > 0);
}

CASE(time_goes_forward)
{
    uint64_t a = sw_time_ns(), b = sw_time_ns();
    CHECK(b >= a);
    CHECK(a > 0);
}
