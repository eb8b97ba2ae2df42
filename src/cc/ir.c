/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ir.c - copies of 16-byte vectors in LLVM's text, and tables of virtual
 * functions.
 *
 * A float4 assigned from memory to memory reaches the back end as a copy of
 * 16 bytes, which it makes of two 8-byte accesses. A device, and nvcc, use one
 * access of 16 bytes, and the traffic that a program is shown depends on it.
 * So
 *
 *     call void @llvm.memcpy.p0.p0.i64(ptr align 16 %d, ptr align 16 %s,
 *                                      i64 16, i1 false), !dbg !1
 *
 * becomes a load and a store of <4 x i32>, several for 32, 48 and 64 bytes.
 * Whatever does not look exactly like this is left as it is. In the table of
 * an abstract class, a function that is not there is null, as with nvcc, not
 * one of the C++ runtime that devices have not.
 */
#include <stdlib.h>
#include <string.h>

#include "cc/cc_private.h"

enum { VECTOR_BYTES = 16, LONGEST_COPY = 64 };

/* One pointer argument: "ptr", "ptr addrspace(3)"; "%5", "@x", ... */
typedef struct {
    sw_str type, value;
    unsigned long align;
} pointer_arg;

static sw_str
slice(const char *from, const char *to)
{
    return (sw_str){from, (size_t)(to - from)};
}

static sw_str
trim(sw_str s)
{
    while (s.n && s.p[0] == ' ') {
        s.p++;
        s.n--;
    }
    while (s.n && s.p[s.n - 1] == ' ')
        s.n--;
    return s;
}

bool
cc_take(sw_str *s, const char *word)
{
    size_t n = strlen(word);

    if (!sw_str_has_prefix(*s, word))
        return false;
    s->p += n;
    s->n -= n;
    *s = trim(*s);
    return true;
}

static unsigned long
take_number(sw_str *s)
{
    unsigned long value = 0;

    while (s->n && s->p[0] >= '0' && s->p[0] <= '9') {
        value = value * 10 + (unsigned long)(s->p[0] - '0');
        s->p++;
        s->n--;
    }
    return value;
}

static bool
read_pointer(sw_str arg, pointer_arg *out)
{
    const char *start = arg.p;

    *out = (pointer_arg){.align = 1};
    if (!cc_take(&arg, "ptr"))
        return false;
    out->type = slice(start, start + 3);
    if (sw_str_has_prefix(arg, "addrspace(")) {
        const char *close = memchr(arg.p, ')', arg.n);
        if (!close)
            return false;
        out->type = slice(start, close + 1);
        arg = trim(slice(close + 1, arg.p + arg.n));
    }
    for (;;) {
        if (cc_take(&arg, "align ")) {
            out->align = take_number(&arg);
        } else if (cc_take(&arg, "dereferenceable(") ||
                   cc_take(&arg, "dereferenceable_or_null(")) {
            take_number(&arg);
            if (!cc_take(&arg, ")"))
                return false;
        } else if (!cc_take(&arg, "noundef ") && !cc_take(&arg, "nonnull ") &&
                   !cc_take(&arg, "noalias ") && !cc_take(&arg, "nocapture ") &&
                   !cc_take(&arg, "readonly ") &&
                   !cc_take(&arg, "writeonly ")) {
            break;
        }
        arg = trim(arg);
    }
    out->value = arg;
    return arg.n > 0 && (arg.p[0] == '%' || arg.p[0] == '@' ||
                         sw_str_has_prefix(arg, "addrspacecast ") ||
                         sw_str_has_prefix(arg, "getelementptr "));
}

/* Up to the comma or parenthesis that ends the argument at *p. */
static sw_str
next_arg(const char **p, const char *end)
{
    const char *start = *p;
    int depth = 0;

    for (; *p < end; ++*p) {
        if (**p == '(' || **p == '{' || **p == '[')
            depth++;
        if ((**p == ')' || **p == ',') && depth == 0)
            break;
        if (**p == ')' || **p == '}' || **p == ']')
            depth--;
    }
    return trim(slice(start, *p));
}

/* The pointer `offset` bytes on; "" for the value itself. */
static void
add_offset(sw_buf *out, const pointer_arg *arg, size_t offset, size_t serial,
           char side)
{
    if (offset)
        sw_buf_printf(out,
                      "  %%swcopy.%zu.%zu.%c = getelementptr i8, %.*s "
                      "%.*s, i64 %zu\n",
                      serial, offset, side, (int)arg->type.n, arg->type.p,
                      (int)arg->value.n, arg->value.p, offset);
}

static void
add_pointer(sw_buf *out, const pointer_arg *arg, size_t offset, size_t serial,
            char side)
{
    sw_buf_printf(out, "%.*s ", (int)arg->type.n, arg->type.p);
    if (offset)
        sw_buf_printf(out, "%%swcopy.%zu.%zu.%c", serial, offset, side);
    else
        sw_buf_printf(out, "%.*s", (int)arg->value.n, arg->value.p);
}

/* Writes the loads and stores for a line; false if it is no such copy. */
static bool
rewrite_line(const char *line, const char *end, size_t serial, sw_buf *out)
{
    sw_str text = trim(slice(line, end));
    pointer_arg to, from;
    const char *p;

    cc_take(&text, "tail ");
    if (!cc_take(&text, "call void @llvm.memcpy.p"))
        return false;
    p = memchr(text.p, '(', text.n);
    if (!p)
        return false;
    p++;
    sw_str arg[4];
    for (int i = 0; i < 4; i++) {
        arg[i] = next_arg(&p, end);
        if (p >= end || *p != (i < 3 ? ',' : ')'))
            return false;
        p++;
    }
    if (!read_pointer(arg[0], &to) || !read_pointer(arg[1], &from) ||
        to.align % VECTOR_BYTES || from.align % VECTOR_BYTES ||
        !cc_take(&arg[2], "i64 ") || !sw_str_is(arg[3], "i1 false"))
        return false;
    unsigned long bytes = take_number(&arg[2]);
    if (arg[2].n || bytes == 0 || bytes % VECTOR_BYTES || bytes > LONGEST_COPY)
        return false;

    /* Of what follows only the place in the source still holds. */
    sw_str place = {"", 0};
    for (; p + 6 < end; p++)
        if (memcmp(p, "!dbg !", 6) == 0) {
            const char *q = p + 6;
            while (q < end && *q >= '0' && *q <= '9')
                q++;
            place = slice(p, q);
            break;
        }
    for (size_t at = 0; at < bytes; at += VECTOR_BYTES) {
        add_offset(out, &from, at, serial, 's');
        add_offset(out, &to, at, serial, 'd');
        sw_buf_printf(out, "  %%swcopy.%zu.%zu = load <4 x i32>, ", serial, at);
        add_pointer(out, &from, at, serial, 's');
        sw_buf_printf(out, ", align 16%s%.*s\n", place.n ? ", " : "",
                      (int)place.n, place.p);
        sw_buf_printf(out, "  store <4 x i32> %%swcopy.%zu.%zu, ", serial, at);
        add_pointer(out, &to, at, serial, 'd');
        sw_buf_printf(out, ", align 16%s%.*s\n", place.n ? ", " : "",
                      (int)place.n, place.p);
    }
    return true;
}

void
cc_ir_add(const char *text, size_t bytes, sw_buf *out)
{
    static const char wrong[] = "ptr addrspace(1) bitcast (ptr ";
    static const char right[] = "ptr addrspace(1) addrspacecast (ptr ";
    const char *end = text + bytes, *at;

    while ((at = memmem(text, (size_t)(end - text), wrong, sizeof wrong - 1))) {
        sw_buf_add(out, text, (size_t)(at - text));
        sw_buf_puts(out, right);
        text = at + sizeof wrong - 1;
    }
    sw_buf_add(out, text, (size_t)(end - text));
}

/* A line that defines a variable; false: it refers to no such function. */
static bool
rewrite_table(const char *line, const char *stop, sw_buf *out)
{
    static const char *const names[] = {"@__cxa_pure_virtual",
                                        "@__cxa_deleted_virtual"};
    const char *done = line;

    if (*line != '@')
        return false;
    for (const char *p = line; p < stop; p++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t n = strlen(names[i]);
            if ((size_t)(stop - p) < n || memcmp(p, names[i], n) != 0)
                continue;
            sw_buf_add(out, done, (size_t)(p - done));
            sw_buf_puts(out, "null");
            done = p + n;
        }
    if (done == line)
        return false;
    sw_buf_add(out, done, (size_t)(stop - done));
    sw_buf_puts(out, "\n");
    return true;
}

void
cc_ir_rewrite(const char *text, size_t bytes, sw_buf *out)
{
    const char *line = text, *end = text + bytes;

    for (size_t serial = 0; line < end; serial++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        if (!rewrite_table(line, stop, out) &&
            !rewrite_line(line, stop, serial, out)) {
            cc_ir_add(line, (size_t)(stop - line), out);
            sw_buf_puts(out, "\n");
        }
        line = stop + 1;
    }
}
