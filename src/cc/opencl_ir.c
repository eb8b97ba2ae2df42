/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_ir.c - what is changed in LLVM's text of OpenCL programs on its way to
 * PTX: calls of printf, calls of kernels, comparisons of halves.
 */
#include <string.h>

#include "cc/opencl_private.h"

/* The line at the front of *rest, with its end; false: there is none. */
static bool
next_line(sw_str *rest, sw_str *line)
{
    if (!rest->n)
        return false;
    const char *newline = memchr(rest->p, '\n', rest->n);
    line->p = rest->p;
    line->n = newline ? (size_t)(newline - rest->p) + 1 : rest->n;
    rest->p += line->n;
    rest->n -= line->n;
    return true;
}

static const char *
find(sw_str in, const char *what)
{
    return memmem(in.p, in.n, what, strlen(what));
}

static void
add_between(const char *from, const char *to, sw_buf *out)
{
    sw_buf_add(out, from, (size_t)(to - from));
}

/* The end of the parentheses that open at p; NULL: they don't end. Names in
 * quotes may have any in them. */
static const char *
after_parentheses(const char *p, const char *end)
{
    int depth = 0;
    for (bool quoted = false; p < end; p++) {
        quoted ^= *p == '"';
        if (quoted)
            continue;
        depth += (*p == '(') - (*p == ')');
        if (!depth)
            return p + 1;
    }
    return NULL;
}

/*
 * A kernel that is called is a function like any other, but clang forbids that
 * kernels become part of their callers, and PTX has no calls of kernels. This
 * is the attribute of the call that says that it must become part.
 */
static bool
add_kernel_call(sw_str line, sw_buf *out)
{
    const char *end = line.p + line.n, *call = find(line, "call spir_kernel ");
    const char *name = call ? memchr(call, '@', (size_t)(end - call)) : NULL;
    if (!name)
        return false;
    sw_str callee = cc_ir_name_at(name, end);
    const char *behind = after_parentheses(callee.p + callee.n, end);
    if (!behind)
        return false;
    add_between(line.p, behind, out);
    sw_buf_puts(out, " alwaysinline");
    add_between(behind, end, out);
    return true;
}

/* printf is the engine's. */
static bool
add_printf(sw_str line, sw_buf *out)
{
    static const char name[] = "@printf(";
    const char *at = find(line, name);
    if (!at)
        return false;
    add_between(line.p, at, out);
    sw_buf_puts(out, "@__softwarp_cl_printf(");
    add_between(at + sizeof name - 1, line.p + line.n, out);
    return true;
}

void
cl_ir_prepare(sw_str text, sw_buf *out)
{
    sw_str line;
    while (next_line(&text, &line)) {
        bool is_code = sw_str_has_prefix(line, "  ") ||
                       sw_str_has_prefix(line, "declare ");
        if (!is_code || !(add_kernel_call(line, out) || add_printf(line, out)))
            sw_buf_add(out, line.p, line.n);
    }
}

/* ---- comparisons of halves ---- */

bool
cl_ir_has_halves(sw_str text)
{
    return find(text, " x half>");
}

/*
 *     %c = fcmp olt <2 x half> %a, %b
 *
 * becomes
 *
 *     %softwarp.half.0 = freeze <2 x half> %a
 *     %c = fcmp olt <2 x half> %softwarp.half.0, %b
 */
static bool
add_comparison(sw_str line, unsigned serial, sw_buf *out)
{
    const char *end = line.p + line.n;
    if (!sw_str_has_prefix(line, "  ") || !find(line, " = fcmp "))
        return false;
    const char *type = find(line, " x half> %");
    if (!type)
        return false;
    const char *operand = type + strlen(" x half> ");
    sw_str name = cc_ir_name_at(operand, end);
    while (type > line.p && *type != '<')
        type--;
    sw_buf_printf(out, "  %%softwarp.half.%u = freeze ", serial);
    add_between(type, name.p + name.n, out);
    sw_buf_puts(out, "\n");
    add_between(line.p, operand, out);
    sw_buf_printf(out, "%%softwarp.half.%u", serial);
    add_between(name.p + name.n, end, out);
    return true;
}

void
cl_ir_freeze_halves(sw_str text, sw_buf *out)
{
    sw_str line;
    unsigned serial = 0;
    while (next_line(&text, &line)) {
        if (add_comparison(line, serial, out))
            serial++;
        else
            sw_buf_add(out, line.p, line.n);
    }
}
