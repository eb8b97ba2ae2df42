/* SPDX-License-Identifier: Apache-2.0 */
/* report_json.c - findings as JSON and as SARIF 2.1.0, see report.h. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "check/report.h"
#include "report/report.h"

static void
put_member(const char *name, const char *text, sw_buf *out)
{
    sw_buf_printf(out, "\"%s\": ", name);
    sw_buf_put_json(out, text);
}

static void
put_place(const char *before, sw_find_place place, sw_buf *out)
{
    sw_buf_puts(out, before);
    put_member("file", place.file, out);
    sw_buf_printf(out, ", \"line\": %u", place.line);
}

/* ---- JSON ---- */

static void
put_threads(const sw_finding *f, sw_buf *out)
{
    const sw_find_threads *t = &f->first;
    if (!f->has_threads)
        return;
    sw_buf_printf(out,
                  ",\n      \"first\": {\"block\": [%u, %u, %u], \"thread\": "
                  "[%u, %u, %u]}, \"blocks\": %u, \"lanes\": %u",
                  t->block[0], t->block[1], t->block[2], t->thread[0],
                  t->thread[1], t->thread[2], f->blocks, f->lanes);
}

static void
put_details(const sw_finding *f, sw_buf *out)
{
    sw_buf_puts(out, ",\n      \"details\": [");
    for (size_t i = 0; i < f->details.count; i++) {
        const sw_find_detail *d = sw_vec_at(&f->details, i);
        sw_buf_puts(out, i ? ", {" : "{");
        put_member("label", d->label, out);
        sw_buf_puts(out, ", ");
        put_member("text", d->text, out);
        sw_buf_puts(out, "}");
    }
    sw_buf_puts(out, "]");
}

static void
put_finding(const sw_finding *f, sw_arena *arena, sw_buf *out)
{
    const sw_find_kind_info *kind = sw_find_kind_get(f->kind);
    sw_buf_puts(out, "    {");
    put_member("kind", kind->name, out);
    put_place(", ", f->at, out);
    sw_buf_puts(out, ", \"other\": ");
    if (*f->other.file) {
        put_place("{", f->other, out);
        sw_buf_puts(out, "}");
    } else {
        sw_buf_puts(out, "null");
    }
    sw_buf_puts(out, ",\n      ");
    put_member("kernel", sw_check_kernel(arena, f), out);
    sw_buf_puts(out, ", ");
    put_member("symbol", f->kernel, out);
    sw_buf_puts(out, ", ");
    put_member("space", f->space, out);
    sw_buf_printf(out,
                  ",\n      \"count\": %" PRIu64 ", \"benign\": %s, "
                  "\"level\": \"%s\", \"launch\": %" PRIu64 ", \"pid\": %u",
                  f->count, f->is_benign ? "true" : "false",
                  kind->level == SW_FIND_ERROR ? "error" : "note", f->launch,
                  f->pid);
    put_threads(f, out);
    sw_buf_puts(out, ",\n      ");
    put_member("title", kind->title, out);
    sw_buf_puts(out, ",\n      ");
    put_member("message", f->message, out);
    sw_buf_puts(out, ",\n      ");
    put_member("advice", kind->advice, out);
    put_details(f, out);
    sw_buf_puts(out, "}");
}

void
sw_check_json(const sw_findings *set, const sw_check_report *report,
              sw_buf *out)
{
    sw_arena *arena = sw_arena_create();
    bool is_first = true;
    sw_buf_puts(out, "{\n  ");
    put_member("command", report->command ? report->command : "", out);
    sw_buf_puts(out, ",\n  \"findings\": [");
    for (size_t i = 0; i < sw_findings_count(set); i++) {
        if (sw_check_is_hidden(report, i))
            continue;
        sw_buf_puts(out, is_first ? "\n" : ",\n");
        put_finding(sw_findings_at(set, i), arena, out);
        is_first = false;
    }
    sw_buf_puts(out, is_first ? "]\n}\n" : "\n  ]\n}\n");
    sw_arena_destroy(arena);
}

/* ---- SARIF ---- */

/* A path as a URI: SARIF wants "/" and no blanks. */
static void
put_uri(const char *path, sw_buf *out)
{
    sw_buf uri;
    sw_buf_init(&uri);
    if (*path == '/')
        sw_buf_puts(&uri, "file://");
    for (const char *p = path; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (strchr("/-._~+@=,", c) || (c >= '0' && c <= '9') ||
            (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
            sw_buf_put(&uri, (char)c);
        else
            sw_buf_printf(&uri, "%%%02X", c);
    }
    put_member("uri", uri.p ? uri.p : "", out);
    sw_buf_finish(&uri);
}

static void
put_location(sw_find_place place, sw_buf *out)
{
    sw_buf_puts(out, "{\"physicalLocation\": {\"artifactLocation\": {");
    put_uri(place.file, out);
    sw_buf_printf(out, "}, \"region\": {\"startLine\": %u}}}",
                  place.line ? place.line : 1);
}

static void
put_result(const sw_finding *f, sw_arena *arena, sw_buf *out)
{
    const sw_find_kind_info *kind = sw_find_kind_get(f->kind);
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text, "%s: %s.", kind->title, f->message);
    if (*f->kernel)
        sw_buf_printf(&text, " Kernel: %s.", sw_check_kernel(arena, f));
    sw_buf_puts(out, "      {");
    put_member("ruleId", kind->name, out);
    sw_buf_printf(out, ", \"ruleIndex\": %d, \"level\": \"%s\", \"message\": {",
                  (int)f->kind, sw_finding_is_failure(f) ? "error" : "note");
    put_member("text", text.p, out);
    sw_buf_puts(out, "},\n       \"locations\": [");
    if (*f->at.file)
        put_location(f->at, out);
    sw_buf_puts(out, "]");
    if (*f->other.file) {
        sw_buf_puts(out, ", \"relatedLocations\": [");
        put_location(f->other, out);
        sw_buf_puts(out, "]");
    }
    sw_buf_printf(out, ", \"occurrenceCount\": %" PRIu64 "}",
                  f->count ? f->count : 1);
    sw_buf_finish(&text);
}

static void
put_rules(sw_buf *out)
{
    for (int i = 0; i < SW_FIND_COUNT; i++) {
        const sw_find_kind_info *kind = sw_find_kind_get((sw_find_kind)i);
        sw_buf_puts(out, i ? ",\n        {" : "\n        {");
        put_member("id", kind->name, out);
        sw_buf_puts(out, ", \"shortDescription\": {");
        put_member("text", kind->title, out);
        sw_buf_puts(out, "}, \"help\": {");
        put_member("text", kind->advice, out);
        sw_buf_puts(out, "}}");
    }
}

void
sw_check_sarif(const sw_findings *set, const sw_check_report *report,
               sw_buf *out)
{
    sw_arena *arena = sw_arena_create();
    bool is_first = true;
    sw_buf_puts(out,
                "{\n  \"$schema\": "
                "\"https://json.schemastore.org/sarif-2.1.0.json\",\n"
                "  \"version\": \"2.1.0\",\n  \"runs\": [{\n"
                "    \"tool\": {\"driver\": {\"name\": \"softwarp check\", "
                "\"rules\": [");
    put_rules(out);
    sw_buf_puts(out, "]}},\n    \"results\": [\n");
    for (size_t i = 0; i < sw_findings_count(set); i++) {
        if (sw_check_is_hidden(report, i))
            continue;
        sw_buf_puts(out, is_first ? "" : ",\n");
        put_result(sw_findings_at(set, i), arena, out);
        is_first = false;
    }
    sw_buf_puts(out, "]\n  }]\n}\n");
    sw_arena_destroy(arena);
}
