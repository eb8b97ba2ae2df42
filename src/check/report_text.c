/* SPDX-License-Identifier: Apache-2.0 */
/* report_text.c - findings for people, see report.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/report.h"
#include "report/profile.h"

size_t
sw_check_failures(const sw_findings *set, const sw_check_report *report)
{
    size_t n = 0;
    for (size_t i = 0; i < sw_findings_count(set); i++)
        n += !sw_check_is_hidden(report, i) &&
             sw_finding_is_failure(sw_findings_at(set, i));
    return n;
}

const char *
sw_check_kernel(sw_arena *arena, const sw_finding *f)
{
    return sw_profile_demangle(arena, f->kernel);
}

static void
put_grouped(uint64_t n, sw_buf *out)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (int i = 0; i < length; i++) {
        sw_buf_put(out, digits[i]);
        if (i + 1 < length && (length - i - 1) % 3 == 0)
            sw_buf_put(out, ',');
    }
}

static void
put_plural(uint64_t n, const char *word, sw_buf *out)
{
    put_grouped(n, out);
    sw_buf_printf(out, " %s%s", word, n == 1 ? "" : "s");
}

void
sw_check_threads(const sw_finding *f, sw_buf *out)
{
    const sw_find_threads *t = &f->first;
    if (!f->has_threads)
        return;
    if (f->count > 1) {
        sw_buf_puts(out, "first of ");
        put_grouped(f->count, out);
        sw_buf_puts(out, ", by ");
        int low = __builtin_ctz(f->lanes | 1u << 31);
        int high = 31 - __builtin_clz(f->lanes | 1);
        if (low == high)
            sw_buf_printf(out, "lane %d of ", low);
        else
            sw_buf_printf(out, "lanes %d to %d of ", low, high);
        if (f->blocks >= SW_FIND_BLOCKS)
            sw_buf_puts(out, "at least ");
        put_plural(f->blocks, "block", out);
        sw_buf_puts(out, ": ");
    }
    sw_buf_printf(out, "block (%u,%u,%u), thread (%u,%u,%u)", t->block[0],
                  t->block[1], t->block[2], t->thread[0], t->thread[1],
                  t->thread[2]);
}

/* ---- source lines ---- */

/* The line of a file without its indentation, "" if it cannot be read. */
static void
put_source(sw_find_place place, sw_buf *out)
{
    char *text;
    size_t bytes;
    if (!*place.file || sw_file_read(place.file, &text, &bytes) != SW_OK)
        return;
    const char *p = text, *end = text + bytes;
    for (uint32_t line = 1; p && line < place.line; line++) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    while (p && p < end && (*p == ' ' || *p == '\t'))
        p++;
    if (p && p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop : end) - p);
        sw_buf_puts(out, "    ");
        sw_buf_add(out, p, n < 120 ? n : 120);
    }
    sw_free(text);
}

static void
put_place(const char *label, sw_find_place place, sw_buf *out)
{
    if (!*place.file)
        return;
    sw_buf_printf(out, "    %-10s %s:%u", label, place.file, place.line);
    put_source(place, out);
    sw_buf_put(out, '\n');
}

static void
put_lines(const char *label, const char *text, sw_buf *out)
{
    bool is_first = true;
    while (*text) {
        size_t n = strcspn(text, "\n");
        sw_buf_printf(out, "    %-10s %.*s\n", is_first ? label : "", (int)n,
                      text);
        text += n + (text[n] == '\n');
        is_first = false;
    }
}

/* ---- an entry ---- */

static void
put_entry(const sw_finding *f, sw_arena *arena, bool has_colours, sw_buf *out)
{
    const sw_find_kind_info *kind = sw_find_kind_get(f->kind);
    const char *mark = !sw_finding_is_failure(f) ? "33" : "31";
    if (has_colours)
        sw_buf_printf(out, "\033[1;%sm", mark);
    sw_buf_printf(out, "%s: %s%s", kind->name, kind->title,
                  f->is_benign ? " (benign? both store the same value)" : "");
    if (has_colours)
        sw_buf_puts(out, "\033[0m");
    sw_buf_put(out, '\n');
    put_lines("", f->message, out);
    put_place("at", f->at, out);
    put_place("and", f->other, out);
    if (*f->kernel)
        put_lines("kernel", sw_check_kernel(arena, f), out);
    sw_buf threads;
    sw_buf_init(&threads);
    sw_check_threads(f, &threads);
    if (threads.n)
        put_lines("threads", threads.p, out);
    else if (f->count > 1) {
        sw_buf_puts(out, "    times      ");
        put_grouped(f->count, out);
        sw_buf_put(out, '\n');
    }
    sw_buf_finish(&threads);
    for (size_t i = 0; i < f->details.count; i++) {
        const sw_find_detail *d = sw_vec_at(&f->details, i);
        put_lines(d->label, d->text, out);
    }
    put_lines("to mend", kind->advice, out);
    sw_buf_put(out, '\n');
}

void
sw_check_text(const sw_findings *set, const sw_check_report *report,
              sw_buf *out)
{
    sw_arena *arena = sw_arena_create();
    size_t shown = 0, left = 0, hidden = 0;
    for (size_t i = 0; i < sw_findings_count(set); i++) {
        if (sw_check_is_hidden(report, i)) {
            hidden++;
        } else if (report->limit && shown >= report->limit) {
            left++;
        } else {
            put_entry(sw_findings_at(set, i), arena, report->has_colours, out);
            shown++;
        }
    }
    if (left) {
        put_plural(left, "more finding", out);
        sw_buf_puts(out, " not shown (--print-limit)\n");
    }
    size_t failures = sw_check_failures(set, report);
    sw_buf_puts(out, "softwarp check: ");
    put_plural(failures, "finding", out);
    if (shown + left > failures)
        sw_buf_printf(out, ", %zu to note", shown + left - failures);
    if (hidden)
        sw_buf_printf(out, ", %zu suppressed", hidden);
    sw_buf_put(out, '\n');
    sw_arena_destroy(arena);
}
