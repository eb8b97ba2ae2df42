/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.c - the report as one page: page.html, page.css and page.js of this
 * folder, Chart.js if the build found it, and the profile as JSON. In the
 * softwarp command only, so that the libraries don't carry them.
 */
#include <string.h>

#include "base/json.h"
#include "report/lines.h"
#include "report/report.h"

/* A file, as text that ends in a zero. */
#define FILE_TEXT(name, path)                                                  \
    __asm__(".section .rodata\n"                                               \
            ".globl sw_page_" #name "\n"                                       \
            ".hidden sw_page_" #name "\n"                                      \
            "sw_page_" #name ":\n"                                             \
            ".incbin \"" path "\"\n"                                           \
            ".byte 0\n"                                                        \
            ".text\n");                                                        \
    extern const char sw_page_##name[] __attribute__((visibility("hidden")))

FILE_TEXT(html, SW_PAGE_FOLDER "/page.html");
FILE_TEXT(css, SW_PAGE_FOLDER "/page.css");
FILE_TEXT(js, SW_PAGE_FOLDER "/page.js");
#ifdef SW_PAGE_CHARTS
FILE_TEXT(charts, SW_PAGE_CHARTS);
#else
static const char sw_page_charts[] = "";
#endif

static void
put_file(const sw_profile *p, uint32_t process, const char *name, sw_buf *out)
{
    const sw_report_text *text = sw_report_read_text(p, process, name);
    if (!text)
        return;
    sw_buf_put_json(out, name);
    sw_buf_puts(out, ":[");
    for (size_t i = 0; i < text->count; i++) {
        if (i)
            sw_buf_puts(out, ",");
        sw_buf_put_json(out, text->lines[i] ? text->lines[i] : "");
    }
    sw_buf_puts(out, "],\n");
}

/* The sources that instructions were counted for, each once. */
static void
put_files(const sw_profile *p, sw_buf *out)
{
    sw_map *seen = sw_map_create();
    sw_buf_puts(out, "\"files\":{\n");
    SW_PROFILE_EACH (const sw_profile_group, g, &p->groups)
        SW_PROFILE_EACH (const sw_record_row, r, &g->rows) {
            if (!r->source_line || sw_map_get(seen, sw_str_of(r->source)))
                continue;
            sw_map_set(seen, sw_str_of(r->source), seen);
            put_file(p, sw_profile_first(p, g)->process, r->source, out);
        }
    sw_map_destroy(seen);
    if (out->p[out->n - 2] == ',')
        out->n -= 2;
    sw_buf_puts(out, "},\n");
}

void
sw_report_html(const sw_profile *p, sw_buf *out)
{
    sw_buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head>\n"
                     "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                     "content=\"width=device-width\">\n"
                     "<title>softwarp profile</title>\n<style>\n");
    sw_buf_puts(out, sw_page_css);
    sw_buf_puts(out, "</style></head>\n<body>\n");
    sw_buf_puts(out, sw_page_html);
    sw_buf_puts(out, "<script id=\"data\" type=\"application/json\">\n");
    sw_buf json;
    sw_buf_init(&json);
    sw_report_json(p, NULL, &json);
    /* The sources stand in front of the profile's own members. */
    sw_buf_puts(out, "{\n");
    put_files(p, out);
    sw_buf_puts(out, json.p + 1);
    sw_buf_finish(&json);
    sw_buf_puts(out, "</script>\n<script>\n");
    sw_buf_puts(out, sw_page_charts);
    sw_buf_puts(out, "\n</script>\n<script>\n");
    sw_buf_puts(out, sw_page_js);
    sw_buf_puts(out, "</script>\n</body></html>\n");
}
