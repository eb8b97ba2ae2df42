/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clusters.c - __cluster_dims__ in PTX.
 *
 * clang does not know the attribute. Our headers make of it an annotation,
 * which LLVM's text has in a table
 *
 *     @.str = ... c"softwarp.cluster_dims\00", section "llvm.metadata"
 *     @.args = ... { i32, i32, i32 } { i32 2, i32 1, i32 1 }, section ...
 *     @llvm.global.annotations = ... { ptr @kernel, ptr @.str, ptr @.str.1,
 *                                      i32 3, ptr @.args }, ...
 *
 * and PTX does not. So the directives are put into the PTX, before the body of
 * each kernel that the table names.
 */
#include <string.h>

#include "cc/cc_private.h"

static const char mark[] = "c\"softwarp.cluster_dims\\00\"";

/* The first place of `what` in s; NULL. */
static const char *
find(sw_str s, const char *what)
{
    return s.n ? memmem(s.p, s.n, what, strlen(what)) : NULL;
}

static sw_str
from(sw_str s, const char *p)
{
    return (sw_str){p, (size_t)(s.p + s.n - p)};
}

static sw_str
line_at(sw_str s, const char *p)
{
    const char *end = memchr(p, '\n', (size_t)(s.p + s.n - p));
    return (sw_str){p, (size_t)((end ? end : s.p + s.n) - p)};
}

/* The line that defines the symbol `name` ("@.str"); empty if there is none. */
static sw_str
definition(sw_str ir, sw_str name)
{
    for (const char *p = ir.p; p < ir.p + ir.n;) {
        sw_str line = line_at(ir, p);
        if (line.n > name.n + 2 && memcmp(line.p, name.p, name.n) == 0 &&
            memcmp(line.p + name.n, " = ", 3) == 0)
            return line;
        p = line.p + line.n + 1;
    }
    return (sw_str){NULL, 0};
}

/* Up to the comma or brace that ends the field at *p; goes behind it. */
static sw_str
next_field(const char **p, const char *end)
{
    while (*p < end && **p == ' ')
        ++*p;
    const char *start = *p;
    while (*p < end && **p != ',' && **p != '}')
        ++*p;
    sw_str field = {start, (size_t)(*p - start)};
    while (field.n && field.p[field.n - 1] == ' ')
        field.n--;
    if (*p < end)
        ++*p;
    return field;
}

static bool
strip(sw_str *s, const char *prefix)
{
    size_t n = strlen(prefix);
    if (!sw_str_has_prefix(*s, prefix))
        return false;
    s->p += n;
    s->n -= n;
    return true;
}

/* "{ i32 2, i32 1 }" behind the types. */
static void
add_dimensions(sw_str values, sw_buf *out)
{
    const char *p = find(values, "} {"), *end = values.p + values.n;
    const char *before = "\n.reqnctapercluster ";
    if (!p)
        return;
    p += 3;
    const char *close = memchr(p, '}', (size_t)(end - p));
    for (end = close ? close : end; p < end;) {
        sw_str field = next_field(&p, end);
        const char *space = memchr(field.p, ' ', field.n);
        if (!space)
            break;
        sw_buf_puts(out, before);
        sw_buf_add(out, space + 1, (size_t)(field.p + field.n - space - 1));
        before = ", ";
    }
}

/* The directives of a kernel, if the table has it. */
static void
add_directives(sw_str ir, sw_str kernel, sw_buf *out)
{
    sw_str table = definition(ir, sw_str_of("@llvm.global.annotations"));
    sw_str left = table;
    for (const char *p; (p = find(left, "{ ptr @"));) {
        const char *end = table.p + table.n;
        p += 2;
        sw_str name = next_field(&p, end), kind = next_field(&p, end);
        next_field(&p, end); /* file */
        next_field(&p, end); /* line */
        sw_str values = next_field(&p, end);
        left = from(table, p);
        if (!strip(&name, "ptr @") || name.n != kernel.n ||
            memcmp(name.p, kernel.p, name.n) != 0 || !strip(&kind, "ptr ") ||
            !find(definition(ir, kind), mark))
            continue;
        sw_buf_puts(out, ".explicitcluster");
        if (strip(&values, "ptr ") && values.n && values.p[0] == '@')
            add_dimensions(definition(ir, values), out);
        sw_buf_puts(out, "\n");
        return;
    }
}

bool
cc_has_clusters(const char *ir, size_t bytes)
{
    return find((sw_str){ir, bytes}, mark) != NULL;
}

void
cc_add_clusters(const char *ir, size_t ir_bytes, const char *ptx, size_t bytes,
                sw_buf *out)
{
    static const char entry[] = ".entry ";
    sw_str text = {ptx, bytes}, kernel = {NULL, 0};
    for (const char *p = ptx; p < ptx + bytes;) {
        sw_str line = line_at(text, p);
        const char *at = find(line, entry);
        if (at) {
            at += sizeof entry - 1;
            const char *open = memchr(at, '(', (size_t)(line.p + line.n - at));
            /* a declaration has its parenthesis on the next line */
            kernel = (sw_str){at, open ? (size_t)(open - at) : 0};
        } else if (kernel.n && line.n == 1 && line.p[0] == '{') {
            add_directives((sw_str){ir, ir_bytes}, kernel, out);
            kernel.n = 0;
        }
        p = line.p + line.n + (line.p + line.n < ptx + bytes);
        sw_buf_add(out, line.p, (size_t)(p - line.p));
    }
}

int
cc_add_clusters_to(const sw_buf *ir, const char *output)
{
    char *text;
    size_t bytes;
    sw_buf out;

    if (!cc_read_file(output, &text, &bytes))
        return 1;
    sw_buf_init(&out);
    cc_add_clusters(ir->p, ir->n, text, bytes, &out);
    int rc = !cc_write_file(output, out.p, out.n);
    sw_buf_finish(&out);
    sw_free(text);
    return rc;
}
