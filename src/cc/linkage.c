/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linkage.c - functions of a whole program's device code in LLVM's text.
 *
 * Without separate compilation nobody else calls them, only kernels are found
 * by name. So
 *
 *     define linkonce_odr dso_local void @f(...) comdat {
 *
 * becomes "define internal void @f": what is called at one place is inlined
 * there whatever its size, as nvcc does, which keeps its caller's variables,
 * such as those that a lambda sees, in registers; what is called nowhere goes.
 */
#include <string.h>

#include "cc/cc_private.h"

static const char *
find(sw_str line, const char *word)
{
    return memmem(line.p, line.n, word, strlen(word));
}

sw_str
cc_ir_name_at(const char *p, const char *end)
{
    const char *stop = p + 1;
    if (stop < end && *stop == '"')
        for (stop++; stop < end && *stop != '"';)
            stop++;
    while (stop < end && !strchr(" ,()", *stop))
        stop++;
    return (sw_str){p, (size_t)(stop - p)};
}

/* !9 = !{ptr @kernel, !"kernel", i32 1} */
static void
add_kernel(sw_str line, sw_vec *kernels)
{
    static const char before[] = "!{ptr ";
    const char *p = find(line, before);
    if (!p || line.p[0] != '!' || !find(line, ", !\"kernel\", i32 1}"))
        return;
    p += sizeof before - 1;
    if (*p == '@')
        *(sw_str *)sw_vec_push(kernels) = cc_ir_name_at(p, line.p + line.n);
}

static bool
is_kernel(const sw_vec *kernels, sw_str name)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (sw_str_eq(*(const sw_str *)sw_vec_at(kernels, i), name))
            return true;
    return false;
}

static void
add_line(sw_str line, const sw_vec *kernels, sw_buf *out)
{
    sw_str rest = line;
    const char *at = memchr(line.p, '@', line.n);
    /* Up to the name: LLVM 21 and later mark kernels there, others in a table.
     */
    sw_str head = {line.p, at ? (size_t)(at - line.p) : 0};
    if (cc_take(&rest, "define ") && at && !find(head, " ptx_kernel ") &&
        !find(head, " spir_kernel ") &&
        !is_kernel(kernels, cc_ir_name_at(at, line.p + line.n))) {
        bool is_own =
            cc_take(&rest, "linkonce_odr ") || cc_take(&rest, "weak_odr ");
        bool is_plain = cc_take(&rest, "dso_local ");
        if (is_own || is_plain) {
            if (!cc_take(&rest, "hidden "))
                cc_take(&rest, "protected ");
            line = rest;
            sw_buf_printf(out, "define internal ");
        }
    }
    sw_buf_add(out, line.p, line.n);
}

void
cc_own_functions(const char *text, size_t bytes, sw_buf *out)
{
    sw_vec kernels;
    const char *end = text + bytes;
    sw_vec_init(&kernels, sizeof(sw_str));
    for (int pass = 0; pass < 2; pass++)
        for (const char *p = text, *next; p < end; p = next) {
            const char *newline = memchr(p, '\n', (size_t)(end - p));
            next = newline ? newline + 1 : end;
            sw_str line = {p, (size_t)(next - p)};
            if (pass == 0)
                add_kernel(line, &kernels);
            else
                add_line(line, &kernels, out);
        }
    sw_vec_finish(&kernels);
}
