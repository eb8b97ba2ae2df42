/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_ir.c - what is changed in LLVM's text of OpenCL programs on its way to
 * PTX: calls of printf, calls of kernels, vectors of small elements.
 */
#include <stdlib.h>
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
cl_ir_keep_inline(sw_str text, sw_buf *out)
{
    static const char external[] = "define available_externally ";
    sw_str line;
    while (next_line(&text, &line)) {
        bool is = sw_str_has_prefix(line, external);
        size_t skip = is ? sizeof external - 1 : 0;
        sw_buf_puts(out, is ? "define linkonce_odr " : "");
        sw_buf_add(out, line.p + skip, line.n - skip);
    }
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

/* ---- vectors of small elements ---- */

/*
 * What clang 19 makes wrong PTX of, or none: comparisons of vectors of 16-bit
 * elements, loads of sixteen bytes that are not aligned as a whole, and
 * kernels' arguments of two bytes. The first two become one instruction an
 * element, and such an argument becomes a number of 16 bits.
 */

bool
cl_ir_has_small_vectors(sw_str text)
{
    return find(text, " x half>") || find(text, " x i16>") ||
           find(text, " x i8>");
}

/* A vector type: "<8 x i16>". */
typedef struct {
    sw_str type, element;
    unsigned width;
} vector;

/* At the front of *s, which then goes on behind it. */
static bool
take_vector(sw_str *s, vector *v)
{
    if (!s->n || *s->p != '<')
        return false;
    const char *end = memchr(s->p, '>', s->n);
    if (!end)
        return false;
    v->type = (sw_str){s->p, (size_t)(end - s->p) + 1};
    const char *x = find(v->type, " x ");
    v->width = (unsigned)strtoul(s->p + 1, NULL, 10);
    if (!x || !v->width)
        return false;
    v->element = (sw_str){x + 3, (size_t)(end - x) - 3};
    s->p = end + 1;
    s->n -= v->type.n;
    cc_take(s, ""); /* spaces */
    return true;
}

/* The operand at the front of *s, up to a comma or the end of the line; *s goes
 * on behind the comma. */
static sw_str
take_operand(sw_str *s)
{
    size_t n = 0;
    int depth = 0;
    for (; n < s->n && s->p[n] != '\n'; n++) {
        char c = s->p[n];
        if (c == ',' && !depth)
            break;
        depth += (c == '<' || c == '(') - (c == '>' || c == ')');
    }
    sw_str operand = {s->p, n};
    n += n < s->n && s->p[n] == ',';
    *s = (sw_str){s->p + n, s->n - n};
    cc_take(s, "");
    return operand;
}

/* "  %c = " at the front of *line is taken off; its name. */
static bool
take_result(sw_str *line, sw_str *name)
{
    if (!sw_str_has_prefix(*line, "  %"))
        return false;
    const char *end = line->p + line->n;
    *name = cc_ir_name_at(line->p + 2, end);
    line->p = name->p + name->n;
    line->n = (size_t)(end - line->p);
    cc_take(line, "");
    return cc_take(line, "= ");
}

/* Element `i` of what becomes `result`, with the elements before it: the name
 * of this step. */
static void
add_insert(vector v, const char *element, sw_str result, unsigned serial,
           unsigned i, sw_buf *out)
{
    bool is_last = i + 1 == v.width;
    sw_buf_puts(out, "  ");
    if (is_last)
        sw_buf_add(out, result.p, result.n);
    else
        sw_buf_printf(out, "%%softwarp.%u.%u", serial, i);
    sw_buf_printf(out, " = insertelement <%u x %s> ", v.width, element);
    if (i)
        sw_buf_printf(out, "%%softwarp.%u.%u", serial, i - 1);
    else
        sw_buf_puts(out, "poison");
    sw_buf_printf(out, ", %s %%softwarp.%u.%u.e, i64 %u\n", element, serial, i,
                  i);
}

/* "%c = icmp slt <2 x i16> %a, %b" */
static bool
add_comparison(sw_str line, unsigned serial, sw_buf *out)
{
    vector v;
    sw_str result, rest = line;
    if (!take_result(&rest, &result) || (!sw_str_has_prefix(rest, "icmp ") &&
                                         !sw_str_has_prefix(rest, "fcmp ")))
        return false;
    const char *type = memchr(rest.p, '<', rest.n);
    if (!type)
        return false;
    sw_str operation = {rest.p, (size_t)(type - rest.p)};
    rest = (sw_str){type, rest.n - operation.n};
    if (!take_vector(&rest, &v) ||
        (!sw_str_is(v.element, "i16") && !sw_str_is(v.element, "half")))
        return false;
    sw_str a = take_operand(&rest), b = take_operand(&rest);
    for (unsigned i = 0; i < v.width; i++) {
        const sw_str operands[2] = {a, b};
        for (int k = 0; k < 2; k++)
            sw_buf_printf(
                out,
                "  %%softwarp.%u.%u.%c = extractelement %.*s %.*s, i64 %u\n",
                serial, i, "ab"[k], (int)v.type.n, v.type.p, (int)operands[k].n,
                operands[k].p, i);
        sw_buf_printf(out,
                      "  %%softwarp.%u.%u.e = %.*s%.*s %%softwarp.%u.%u.a, "
                      "%%softwarp.%u.%u.b\n",
                      serial, i, (int)operation.n, operation.p,
                      (int)v.element.n, v.element.p, serial, i, serial, i);
        add_insert(v, "i1", result, serial, i, out);
    }
    return true;
}

/* "%x = load <16 x i8>, ptr addrspace(1) %p, align 1" */
static bool
add_load(sw_str line, unsigned serial, sw_buf *out)
{
    vector v;
    sw_str result, rest = line;
    if (!take_result(&rest, &result) || !cc_take(&rest, "load "))
        return false;
    const char *volatile_word = cc_take(&rest, "volatile ") ? "volatile " : "";
    if (!take_vector(&rest, &v) || !sw_str_is(v.element, "i8") || v.width != 16)
        return false;
    take_operand(&rest); /* the comma behind the type */
    sw_str pointer = take_operand(&rest), alignment = take_operand(&rest);
    if (!cc_take(&alignment, "align ") || sw_str_is(alignment, "16"))
        return false;
    for (unsigned i = 0; i < v.width; i++) {
        sw_buf_printf(out,
                      "  %%softwarp.%u.%u.p = getelementptr i8, %.*s, i64 %u\n",
                      serial, i, (int)pointer.n, pointer.p, i);
        sw_str type = pointer;
        const char *space = find(pointer, ") ");
        type.n = sw_str_has_prefix(pointer, "ptr addrspace(") && space
                     ? (size_t)(space - pointer.p) + 1
                     : 3;
        sw_buf_printf(out,
                      "  %%softwarp.%u.%u.e = load %si8, %.*s "
                      "%%softwarp.%u.%u.p, align 1\n",
                      serial, i, volatile_word, (int)type.n, type.p, serial, i);
        add_insert(v, "i8", result, serial, i, out);
    }
    return true;
}

/* ---- arguments of two bytes ---- */

static const char pair[] = "<2 x i8> ";

/* A kernel's first line; the arguments that change, sw_str. */
static void
add_kernel_line(sw_str line, sw_vec *pairs, sw_buf *out)
{
    const char *end = line.p + line.n, *done = line.p, *at;
    const char *body = memchr(line.p, '(', line.n);
    while (body &&
           (at = memmem(done, (size_t)(end - done), pair, sizeof pair - 1))) {
        add_between(done, at, out);
        sw_buf_puts(out, "i16 ");
        done = at + sizeof pair - 1;
        const char *name = memchr(done, '%', (size_t)(end - done));
        if (name)
            *(sw_str *)sw_vec_push(pairs) = cc_ir_name_at(name, end);
    }
    add_between(done, end, out);
}

/* A line of such a kernel: what stands for its arguments has other names. */
static void
add_kernel_body(sw_str line, const sw_vec *pairs, sw_buf *out)
{
    const char *end = line.p + line.n;
    for (const char *p = line.p; p < end;) {
        const char *at = memchr(p, '%', (size_t)(end - p));
        add_between(p, at ? at : end, out);
        if (!at)
            return;
        sw_str name = cc_ir_name_at(at, end);
        while (name.n && strchr("\n])}>", name.p[name.n - 1]))
            name.n--;
        bool is_pair = false;
        for (size_t i = 0; i < pairs->count; i++)
            is_pair |= sw_str_eq(*(sw_str *)sw_vec_at(pairs, i), name);
        sw_buf_puts(out, is_pair ? "%softwarp.pair." : "%");
        sw_buf_add(out, name.p + 1, name.n - 1);
        p = name.p + name.n;
    }
}

static void
add_pairs(const sw_vec *pairs, sw_buf *out)
{
    for (size_t i = 0; i < pairs->count; i++) {
        sw_str name = *(sw_str *)sw_vec_at(pairs, i);
        sw_buf_printf(out,
                      "  %%softwarp.pair.%.*s = bitcast i16 %.*s to <2 x i8>\n",
                      (int)name.n - 1, name.p + 1, (int)name.n, name.p);
    }
}

/* The whole text, in which no kernel has arguments of two bytes. */
static void
expand_pairs(sw_str text, sw_buf *out)
{
    sw_str line;
    sw_vec pairs;
    sw_vec_init(&pairs, sizeof(sw_str));
    bool is_first = false;
    while (next_line(&text, &line)) {
        bool is_label = line.n > 1 && *line.p != ' ' && *line.p != '}';
        if (is_first && !is_label) {
            add_pairs(&pairs, out);
            is_first = false;
        }
        if (sw_str_has_prefix(line, "define ") && find(line, " spir_kernel ") &&
            find(line, pair)) {
            add_kernel_line(line, &pairs, out);
            is_first = true;
        } else if (pairs.count) {
            add_kernel_body(line, &pairs, out);
        } else {
            sw_buf_add(out, line.p, line.n);
        }
        if (*line.p == '}')
            pairs.count = 0;
    }
    sw_vec_finish(&pairs);
}

void
cl_ir_expand_vectors(sw_str text, sw_buf *out)
{
    sw_str line, rest;
    sw_buf expanded;
    unsigned serial = 0;
    sw_buf_init(&expanded);
    expand_pairs(text, &expanded);
    rest = (sw_str){expanded.p, expanded.n};
    while (next_line(&rest, &line)) {
        if (add_comparison(line, serial, out) || add_load(line, serial, out))
            serial++;
        else
            sw_buf_add(out, line.p, line.n);
    }
    sw_buf_finish(&expanded);
}
