/* SPDX-License-Identifier: Apache-2.0 */
/* report_ci.c - findings for build servers: JUnit, annotations of GitHub, and
 * compute-sanitizer's XML; see report.h. */
#include <inttypes.h>
#include <string.h>

#include "check/report.h"

void
sw_check_xml_text(const char *text, sw_buf *out)
{
    for (const char *p = text; *p; p++) {
        unsigned char c = (unsigned char)*p;
        switch (c) {
        case '&':
            sw_buf_puts(out, "&amp;");
            break;
        case '<':
            sw_buf_puts(out, "&lt;");
            break;
        case '>':
            sw_buf_puts(out, "&gt;");
            break;
        case '"':
            sw_buf_puts(out, "&quot;");
            break;
        default:
            /* XML 1.0 has no other control characters. */
            sw_buf_put(out, c < ' ' && !strchr("\t\n\r", c) ? '?' : (char)c);
        }
    }
}

/* ---- JUnit ---- */

static void
put_case(const sw_finding *f, sw_arena *arena, sw_buf *out)
{
    const sw_find_kind_info *kind = sw_find_kind_get(f->kind);
    bool fails = sw_finding_is_failure(f);
    const char *element = fails ? "failure" : "system-out";
    sw_buf threads;
    sw_buf_init(&threads);
    sw_check_threads(f, &threads);
    sw_buf_puts(out, "  <testcase classname=\"softwarp.check\" name=\"");
    sw_check_xml_text(kind->name, out);
    sw_buf_put(out, ' ');
    sw_check_xml_text(f->at.file, out);
    sw_buf_printf(out, ":%u\" file=\"", f->at.line);
    sw_check_xml_text(f->at.file, out);
    sw_buf_printf(out, "\" line=\"%u\">\n    <%s", f->at.line, element);
    sw_buf_puts(out, fails ? " message=\"" : ">");
    sw_check_xml_text(kind->title, out);
    sw_buf_puts(out, fails ? "\">" : ": ");
    sw_check_xml_text(f->message, out);
    if (*f->other.file) {
        sw_buf_puts(out, "\nand: ");
        sw_check_xml_text(f->other.file, out);
        sw_buf_printf(out, ":%u", f->other.line);
    }
    if (*f->kernel) {
        sw_buf_puts(out, "\nkernel: ");
        sw_check_xml_text(sw_check_kernel(arena, f), out);
    }
    if (threads.n) {
        sw_buf_puts(out, "\nthreads: ");
        sw_check_xml_text(threads.p, out);
    }
    sw_buf_printf(out, "</%s>\n  </testcase>\n", element);
    sw_buf_finish(&threads);
}

void
sw_check_junit(const sw_findings *set, const sw_check_report *report,
               sw_buf *out)
{
    sw_arena *arena = sw_arena_create();
    size_t shown = 0;
    for (size_t i = 0; i < sw_findings_count(set); i++)
        shown += !sw_check_is_hidden(report, i);
    sw_buf_printf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuite name=\"softwarp check\" tests=\"%zu\" "
                  "failures=\"%zu\">\n",
                  shown ? shown : 1, sw_check_failures(set, report));
    for (size_t i = 0; i < sw_findings_count(set); i++)
        if (!sw_check_is_hidden(report, i))
            put_case(sw_findings_at(set, i), arena, out);
    if (!shown)
        sw_buf_puts(out, "  <testcase classname=\"softwarp.check\" "
                         "name=\"no findings\"/>\n");
    sw_buf_puts(out, "</testsuite>\n");
    sw_arena_destroy(arena);
}

/* ---- GitHub ---- */

/* Text of a workflow command; `in_property`: of file=, title=. */
static void
put_escaped(const char *text, bool in_property, sw_buf *out)
{
    for (const char *p = text; *p; p++)
        if (*p == '%' || *p == '\n' || *p == '\r' ||
            (in_property && (*p == ':' || *p == ',')))
            sw_buf_printf(out, "%%%02X", (unsigned char)*p);
        else
            sw_buf_put(out, *p);
}

void
sw_check_github(const sw_findings *set, const sw_check_report *report,
                sw_buf *out)
{
    for (size_t i = 0; i < sw_findings_count(set); i++) {
        const sw_finding *f = sw_findings_at(set, i);
        const sw_find_kind_info *kind = sw_find_kind_get(f->kind);
        if (sw_check_is_hidden(report, i))
            continue;
        bool fails = sw_finding_is_failure(f);
        sw_buf_printf(out, "::%s ", fails ? "error" : "notice");
        if (*f->at.file) {
            sw_buf_puts(out, "file=");
            put_escaped(f->at.file, true, out);
            sw_buf_printf(out, ",line=%u,", f->at.line);
        }
        sw_buf_puts(out, "title=");
        put_escaped(kind->name, true, out);
        sw_buf_puts(out, "::");
        put_escaped(kind->title, false, out);
        sw_buf_puts(out, ": ");
        put_escaped(f->message, false, out);
        sw_buf_put(out, '\n');
    }
}

/* ---- compute-sanitizer's XML ---- */

static void
put_element(const char *indent, const char *name, const char *text, sw_buf *out)
{
    sw_buf_printf(out, "%s<%s>", indent, name);
    sw_check_xml_text(text, out);
    sw_buf_printf(out, "</%s>\n", name);
}

void
sw_check_xml(const sw_findings *set, const sw_check_report *report, sw_buf *out)
{
    sw_arena *arena = sw_arena_create();
    sw_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<ComputeSanitizerOutput>\n");
    for (size_t i = 0; i < sw_findings_count(set); i++) {
        const sw_finding *f = sw_findings_at(set, i);
        const sw_find_kind_info *kind = sw_find_kind_get(f->kind);
        if (sw_check_is_hidden(report, i))
            continue;
        sw_buf_puts(out, "  <record>\n");
        put_element("    ", "kind", kind->sanitizer, out);
        put_element("    ", "level",
                    kind->level == SW_FIND_ERROR ? "Error" : "Info", out);
        put_element("    ", "what", kind->title, out);
        put_element("    ", "text", f->message, out);
        if (*f->kernel)
            put_element("    ", "kernel", sw_check_kernel(arena, f), out);
        sw_buf_puts(out, "    <where>\n");
        put_element("      ", "file", f->at.file, out);
        sw_buf_printf(out,
                      "      <line>%u</line>\n    </where>\n"
                      "    <count>%" PRIu64 "</count>\n  </record>\n",
                      f->at.line, f->count);
    }
    sw_buf_puts(out, "</ComputeSanitizerOutput>\n");
    sw_arena_destroy(arena);
}
