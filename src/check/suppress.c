/* SPDX-License-Identifier: Apache-2.0 */
/* suppress.c - findings that a file says are known, see report.h. */
#include <fnmatch.h>
#include <string.h>

#include "check/report.h"

/* A line of the file; NULL: anything. */
typedef struct {
    const char *kind, *kernel, *file;
    uint64_t line; /* 0: any */
} rule;

static bool
fits(const char *pattern, const char *text)
{
    return !pattern || fnmatch(pattern, text, 0) == 0;
}

static bool
is_meant(const rule *r, const sw_finding *f, sw_arena *arena)
{
    return fits(r->kind, sw_find_kind_get(f->kind)->name) &&
           (fits(r->kernel, f->kernel) ||
            fits(r->kernel, sw_check_kernel(arena, f))) &&
           fits(r->file, f->at.file) && (!r->line || r->line == f->at.line);
}

/* One word of a line: "name=value" or the kind. False: neither. */
static bool
read_word(rule *r, char *word)
{
    char *value = strchr(word, '=');
    if (!value) {
        bool is_first = !r->kind;
        r->kind = word;
        return is_first;
    }
    *value++ = 0;
    if (strcmp(word, "kernel") == 0)
        r->kernel = value;
    else if (strcmp(word, "file") == 0)
        r->file = value;
    else if (strcmp(word, "line") == 0)
        return sw_str_to_u64(sw_str_of(value), 10, &r->line) && r->line;
    else
        return false;
    return true;
}

static bool
read_line(char *line, rule *r)
{
    char *at = NULL;
    line[strcspn(line, "#\r")] = 0;
    for (char *w = strtok_r(line, " \t", &at); w;
         w = strtok_r(NULL, " \t", &at))
        if (!read_word(r, w))
            return false;
    return r->kind || (!r->kernel && !r->file && !r->line);
}

bool
sw_check_suppress(const sw_findings *set, sw_str text, const char *name,
                  bool *hidden, sw_diag *diag)
{
    sw_arena *arena = sw_arena_create();
    char *all = sw_arena_str(arena, text), *at = all;
    bool good = true;
    for (uint32_t line = 1; at; line++) {
        char *next = strchr(at, '\n');
        if (next)
            *next++ = 0;
        rule r = {0};
        if (!read_line(at, &r)) {
            sw_diag_add(diag, SW_DIAG_ERROR, name, line, 0,
                        "no suppression: a line is KIND [kernel=PATTERN] "
                        "[file=PATTERN] [line=N]");
            good = false;
        } else if (r.kind) {
            for (size_t i = 0; i < sw_findings_count(set); i++)
                hidden[i] |= is_meant(&r, sw_findings_at(set, i), arena);
        }
        at = next;
    }
    sw_arena_destroy(arena);
    return good;
}

/* Characters that a pattern or a word cannot have are any character. */
static void
put_pattern(const char *text, sw_buf *out)
{
    for (const char *p = text; *p; p++)
        sw_buf_put(out, strchr("*?[]\\ \t#", *p) ? '?' : *p);
}

void
sw_check_suppressions(const sw_findings *set, const sw_check_report *report,
                      sw_buf *out)
{
    sw_buf_puts(out, "# softwarp check --suppressions FILE does not show "
                     "these.\n");
    for (size_t i = 0; i < sw_findings_count(set); i++) {
        const sw_finding *f = sw_findings_at(set, i);
        if (sw_check_is_hidden(report, i))
            continue;
        sw_buf_puts(out, sw_find_kind_get(f->kind)->name);
        if (*f->kernel) {
            sw_buf_puts(out, " kernel=");
            put_pattern(f->kernel, out);
        }
        if (*f->at.file) {
            sw_buf_puts(out, " file=");
            put_pattern(f->at.file, out);
            sw_buf_printf(out, " line=%u", f->at.line);
        }
        sw_buf_put(out, '\n');
    }
}
