/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lowered.c - see session.h: the names that expressions of the source have in
 * its PTX.
 *
 * A constant with the address of each is appended to the source. So cases of
 * templates are made as the language makes them, and the PTX has a line
 *
 *     .const .align 8 .u64 _ZL17__softwarp_name_0 = _Z1fIiEvPT_;
 *
 * (for variables `generic(NAME)`), which is read and dropped.
 */
#include <stdio.h>
#include <string.h>

#include "cc/session.h"

#define MARK "__softwarp_name_"

void
cc_add_expressions(const sw_cc_request *request, sw_buf *source)
{
    for (size_t i = 0; i < request->expression_count; i++) {
        const char *e = request->expressions[i];
        e += strspn(e, " \t\n&");
        sw_buf_printf(source,
                      "\n#line 1 \"name expression: %s\"\n"
                      "static __attribute__((device, used)) const void *const "
                      "" MARK "%zu = (const void *)&(%s);",
                      strpbrk(e, "\"\\\n") ? "" : e, i, e);
    }
}

/* The name in "NAME;" or "generic(NAME);". */
static sw_str
name_of(const char *p, const char *end)
{
    static const char generic[] = "generic(";
    size_t n = sizeof generic - 1;
    if ((size_t)(end - p) > n && !memcmp(p, generic, n))
        p += n;
    const char *stop = p;
    while (stop < end && !strchr(");, \t", *stop))
        stop++;
    return (sw_str){p, (size_t)(stop - p)};
}

/* If the line defines one of our constants, its number and its name. */
static bool
read_line(const char *line, const char *end, size_t *number, sw_str *name)
{
    const char *mark = memmem(line, (size_t)(end - line), MARK, strlen(MARK));
    const char *equals = mark ? memchr(mark, '=', (size_t)(end - mark)) : NULL;
    size_t digits = 0, n = 0;
    if (!equals || *line != '.')
        return false;
    for (const char *p = mark + strlen(MARK); *p >= '0' && *p <= '9'; p++) {
        n = n * 10 + (size_t)(*p - '0');
        digits++;
    }
    *number = n;
    *name = name_of(equals + 1 + strspn(equals + 1, " "), end);
    return digits && name->n;
}

bool
cc_take_lowered(const sw_cc_request *request, sw_buf *ptx, sw_cc_result *result)
{
    size_t count = request->expression_count, found = 0;
    if (!count)
        return true;
    char **names = sw_alloc(count * sizeof *names);
    sw_buf rest;
    sw_buf_init(&rest);
    const char *end = ptx->p + ptx->n;
    for (const char *line = ptx->p; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t number;
        sw_str name;
        stop = stop ? stop : end;
        if (!read_line(line, stop, &number, &name)) {
            sw_buf_add(&rest, line, (size_t)(stop - line));
            sw_buf_puts(&rest, "\n");
        } else if (number < count && !names[number]) {
            names[number] = sw_alloc(name.n + 1);
            memcpy(names[number], name.p, name.n);
            names[number][name.n] = 0;
            found++;
        }
        line = stop + 1;
    }
    result->lowered = names;
    result->lowered_count = count;
    if (found == count) {
        sw_buf_finish(ptx);
        *ptx = rest;
        return true;
    }
    sw_buf_finish(&rest);
    return false;
}
