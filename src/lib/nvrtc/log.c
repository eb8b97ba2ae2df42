/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - what clang says, as NVRTC would say it: see nvrtc.h. */
#include <string.h>

#include "lib/nvrtc/nvrtc.h"

/* Of a line "FILE:LINE:COLUMN: KIND: TEXT". */
typedef struct {
    sw_str file, line, kind, text;
} message;

static bool
take_until(const char **p, const char *end, const char *stop, sw_str *out)
{
    const char *at = memmem(*p, (size_t)(end - *p), stop, strlen(stop));
    if (!at)
        return false;
    *out = (sw_str){*p, (size_t)(at - *p)};
    *p = at + strlen(stop);
    return true;
}

static bool
is_number(sw_str s)
{
    size_t digits = 0;
    while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
        digits++;
    return s.n && digits == s.n;
}

static bool
is_error(sw_str kind)
{
    return sw_str_eq(kind, sw_str_of("error")) ||
           sw_str_eq(kind, sw_str_of("fatal error"));
}

static bool
is_kind(sw_str s)
{
    return is_error(s) || sw_str_eq(s, sw_str_of("warning")) ||
           sw_str_eq(s, sw_str_of("note")) || sw_str_eq(s, sw_str_of("remark"));
}

/* A file's name may have colons. */
static bool
read_message(const char *line, const char *end, message *m)
{
    for (const char *colon = line;
         (colon = memchr(colon, ':', (size_t)(end - colon))); colon++) {
        const char *p = colon + 1;
        sw_str column;
        if (colon > line && take_until(&p, end, ":", &m->line) &&
            is_number(m->line) && take_until(&p, end, ": ", &column) &&
            is_number(column) && take_until(&p, end, ": ", &m->kind) &&
            is_kind(m->kind)) {
            m->file = (sw_str){line, (size_t)(colon - line)};
            m->text = (sw_str){p, (size_t)(end - p)};
            return true;
        }
    }
    return false;
}

/* "'x.h' file not found", as NVRTC says it, for programs that find the header
 * then and try again. */
static bool
add_missing(const message *m, sw_buf *out)
{
    static const char words[] = "' file not found";
    const char *at = memmem(m->text.p, m->text.n, words, sizeof words - 1);
    if (!at || m->text.p[0] != '\'')
        return false;
    sw_buf_printf(out,
                  "%.*s(%.*s): catastrophic error: cannot open source "
                  "file \"%.*s\"\n",
                  (int)m->file.n, m->file.p, (int)m->line.n, m->line.p,
                  (int)(at - m->text.p - 1), m->text.p + 1);
    return true;
}

/* clang's own count, which names the device. */
static bool
is_count(const char *line, const char *end)
{
    return line < end && *line >= '0' && *line <= '9' &&
           memmem(line, (size_t)(end - line), " generated when compiling",
                  sizeof " generated when compiling" - 1);
}

void
nvrtc_log_add(sw_str text, const char *name, sw_buf *out)
{
    const char *end = text.p + text.n;
    unsigned errors = 0;
    bool is_catastrophic = false;
    for (const char *line = text.p; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        message m;
        stop = stop ? stop : end;
        bool is_message = read_message(line, stop, &m);
        if (is_message && is_error(m.kind))
            errors++;
        bool is_missing = is_message && add_missing(&m, out);
        is_catastrophic |= is_missing;
        if (is_message && !is_missing)
            sw_buf_printf(out, "%.*s(%.*s): %.*s: %.*s\n", (int)m.file.n,
                          m.file.p, (int)m.line.n, m.line.p, (int)m.kind.n,
                          m.kind.p, (int)m.text.n, m.text.p);
        else if (!is_message && !is_count(line, stop))
            sw_buf_printf(out, "%.*s\n", (int)(stop - line), line);
        line = stop + 1;
    }
    if (errors)
        sw_buf_printf(out,
                      "\n%u %serror%s detected in the compilation of \"%s\"."
                      "\n",
                      errors,
                      is_catastrophic && errors == 1 ? "catastrophic " : "",
                      errors == 1 ? "" : "s", name);
}
