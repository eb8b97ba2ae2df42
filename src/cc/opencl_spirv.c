/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_spirv.c - SPIR-V as a program's text. Khronos's translator
 * (llvm-spirv) makes LLVM's code of it for the target "spir64". What that
 * differs in from clang's code for our devices is the numbers of address
 * spaces, also in the names of built-in functions, the calling convention of
 * functions, and how kernels are marked.
 */
#include <string.h>
#include <unistd.h>

#include "cc/opencl_private.h"
#include "cc/session.h"

/* The oldest whose code clang reads as it is. */
enum { OLDEST_TRANSLATOR = 14 };

bool
cl_is_spirv(const sw_cl_object *object)
{
    static const unsigned char magic[][4] = {{3, 2, 0x23, 7}, {7, 0x23, 2, 3}};
    return object->size >= 4 && (!memcmp(object->data, magic[0], 4) ||
                                 !memcmp(object->data, magic[1], 4));
}

const char *
cl_find_translator(sw_arena *arena, unsigned clang_version)
{
    const char *path = cc_path_variable();
    for (unsigned v = clang_version; v >= OLDEST_TRANSLATOR; v--) {
        const char *found = cc_find_program(
            arena, path, sw_arena_printf(arena, "llvm-spirv-%u", v));
        if (found)
            return found;
    }
    return cc_find_program(arena, path, "llvm-spirv");
}

/* ---- the text ---- */

static const char *
skip(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && !memcmp(p, word, n) ? p + n : NULL;
}

/* "addrspace(2)" at p, or " addrspace(4)", added as the device has it; what
 * follows it. NULL: it is something else. */
static const char *
add_space(const char *p, const char *end, sw_buf *out)
{
    const char *rest;
    if ((rest = skip(p, end, " addrspace(4)")))
        return rest; /* generic addresses are of space 0, which is not said */
    if ((rest = skip(p, end, "addrspace(2)")))
        sw_buf_puts(out, "addrspace(4)");
    return rest;
}

/* The name of a function: built-in ones have address spaces of what their
 * arguments point to in it. */
static void
add_name(sw_str name, sw_buf *out)
{
    bool is_llvm = sw_str_has_prefix(name, "@llvm.");
    bool is_mangled = sw_str_has_prefix(name, "@_Z");
    const char *end = name.p + name.n;
    for (const char *p = name.p, *rest; p < end;) {
        if (is_mangled && (rest = skip(p, end, "U3AS4"))) {
            p = rest;
        } else if (is_mangled && (rest = skip(p, end, "U3AS2"))) {
            sw_buf_puts(out, "U3AS4");
            p = rest;
        } else if (is_llvm && (rest = skip(p, end, ".p4"))) {
            sw_buf_puts(out, ".p0");
            p = rest;
        } else if (is_llvm && (rest = skip(p, end, ".p2"))) {
            sw_buf_puts(out, ".p4");
            p = rest;
        } else {
            sw_buf_put(out, *p++);
        }
    }
}

static const char *
after_quotes(const char *p, const char *end)
{
    const char *close = memchr(p + 1, '"', (size_t)(end - p) - 1);
    return close ? close + 1 : end;
}

static void
add_words(sw_str line, sw_buf *out)
{
    const char *end = line.p + line.n;
    for (const char *p = line.p, *rest; p < end; p = rest) {
        if (*p == '"') {
            rest = after_quotes(p, end);
            sw_buf_add(out, p, (size_t)(rest - p));
        } else if (*p == '@') {
            sw_str name = cc_ir_name_at(p, end);
            add_name(name, out);
            rest = name.p + name.n;
        } else if (!(rest = skip(p, end, "spir_func ")) &&
                   !(rest = add_space(p, end, out))) {
            sw_buf_put(out, *p);
            rest = p + 1;
        }
    }
}

/* ---- casts from one address space to another ---- */

/* The type at p, "ptr" or "ptr addrspace(3)"; empty: something else. */
static sw_str
pointer_type(const char *p, const char *end)
{
    const char *rest = skip(p, end, "ptr");
    const char *space = rest ? skip(rest, end, " addrspace(") : NULL;
    if (space)
        rest = skip(space + 1, end, ")");
    return rest ? (sw_str){p, (size_t)(rest - p)} : (sw_str){0};
}

/* " to " behind the value at p, which may have such in parentheses. */
static const char *
destination(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        const char *rest = depth ? NULL : skip(p, end, " to ");
        if (rest)
            return rest;
        depth += (*p == '(') - (*p == ')');
    }
    return end;
}

/* A line in which casts between spaces that have become one are no such casts
 * any more. */
static void
add_casts(sw_str line, sw_buf *out)
{
    static const char word[] = "addrspacecast ";
    const char *end = line.p + line.n, *done = line.p, *at;
    while ((at = memmem(done, (size_t)(end - done), word, sizeof word - 1))) {
        const char *operand = at + sizeof word - 1;
        sw_str from = pointer_type(operand + (*operand == '('), end);
        sw_str to = {0};
        if (from.n)
            to = pointer_type(destination(from.p + from.n, end), end);
        sw_buf_add(out, done, (size_t)(at - done));
        sw_buf_puts(out, from.n && sw_str_eq(from, to) ? "bitcast " : word);
        done = operand;
    }
    sw_buf_add(out, done, (size_t)(end - done));
}

/* ---- arguments of printf ---- */

/* What C's rules make of an argument that has no parameter; NULL: it stays. */
static const char *
promoted(sw_str argument, const char **by)
{
    static const struct {
        const char *from, *by, *to;
    } rows[] = {{"half ", "fpext", "double"},
                {"float ", "fpext", "double"},
                {"i8 ", "zext", "i32"},
                {"i16 ", "zext", "i32"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sw_str_has_prefix(argument, rows[i].from)) {
            *by = rows[i].by;
            return rows[i].to;
        }
    return NULL;
}

/* Up to the comma that ends the argument at p, or the parenthesis that ends
 * all. */
static sw_str
argument_at(const char *p, const char *end)
{
    const char *from = p;
    for (int depth = 0; p < end && (depth || (*p != ',' && *p != ')')); p++)
        depth += (*p == '(' || *p == '<' || *p == '{') -
                 (*p == ')' || *p == '>' || *p == '}');
    return (sw_str){from, (size_t)(p - from)};
}

/* A call of printf with arguments as it takes them: those that are made of the
 * ones before are lines before it. SPIR-V passes all as they are. */
static void
add_printf_call(sw_str line, unsigned *serial, sw_buf *out)
{
    static const char word[] = " @printf(";
    const char *end = line.p + line.n;
    const char *at = sw_str_has_prefix(line, "declare ")
                         ? NULL
                         : memmem(line.p, line.n, word, sizeof word - 1);
    if (!at) {
        sw_buf_add(out, line.p, line.n);
        return;
    }
    sw_buf call;
    sw_buf_init(&call);
    const char *p = at + sizeof word - 1, *by;
    sw_buf_add(&call, line.p, (size_t)(p - line.p));
    while (p < end && *p != ')') {
        sw_str argument = argument_at(p, end);
        const char *to = promoted(argument, &by);
        if (to) {
            sw_buf_printf(out, "  %%softwarp.printf.%u = %s %.*s to %s\n",
                          *serial, by, (int)argument.n, argument.p, to);
            sw_buf_printf(&call, "%s %%softwarp.printf.%u", to, (*serial)++);
        } else {
            sw_buf_add(&call, argument.p, argument.n);
        }
        for (p += argument.n; p < end && (*p == ',' || *p == ' '); p++)
            sw_buf_put(&call, *p);
    }
    sw_buf_add(&call, p, (size_t)(end - p));
    sw_buf_add(out, call.p, call.n);
    sw_buf_finish(&call);
}

/* ---- marks ---- */

/* Functions may contain barriers. */
static void
add_attributes(sw_str line, sw_buf *out)
{
    const char *brace = memchr(line.p, '{', line.n);
    bool has = !brace || memmem(line.p, line.n, " convergent ", 12);
    size_t front = has ? line.n : (size_t)(brace - line.p) + 1;
    sw_buf_add(out, line.p, front);
    if (!has)
        sw_buf_puts(out, " convergent");
    sw_buf_add(out, line.p + front, line.n - front);
}

/* Metadata of numbers that nothing else has. */
enum { FIRST_NODE = 900000000 };

static void
add_marks(const sw_vec *kernels, sw_buf *out)
{
    if (!kernels->count)
        return;
    sw_buf_puts(out, "\n!nvvm.annotations = !{");
    for (size_t i = 0; i < kernels->count; i++)
        sw_buf_printf(out, "%s!%zu", i ? ", " : "", FIRST_NODE + i);
    sw_buf_puts(out, "}\n");
    for (size_t i = 0; i < kernels->count; i++) {
        const sw_str *name = sw_vec_at(kernels, i);
        sw_buf_printf(out, "!%zu = !{ptr %.*s, !\"kernel\", i32 1}\n",
                      FIRST_NODE + i, (int)name->n, name->p);
    }
}

static void
find_kernel(sw_str line, sw_vec *kernels)
{
    const char *end = line.p + line.n;
    const char *at = sw_str_has_prefix(line, "define ") &&
                             memmem(line.p, line.n, " spir_kernel ", 13)
                         ? memchr(line.p, '@', line.n)
                         : NULL;
    if (at)
        *(sw_str *)sw_vec_push(kernels) = cc_ir_name_at(at, end);
}

void
cl_spirv_adapt(sw_str text, sw_buf *out)
{
    sw_vec kernels;
    sw_buf words, cast;
    unsigned serial = 0;
    const char *end = text.p + text.n;
    sw_vec_init(&kernels, sizeof(sw_str));
    for (const char *p = text.p, *next; p < end; p = next) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        next = newline ? newline + 1 : end;
        sw_str line = {p, (size_t)(next - p)};
        if (sw_str_has_prefix(line, "attributes #")) {
            add_attributes(line, out);
        } else if (sw_str_has_prefix(line, "!")) {
            sw_buf_add(out, line.p, line.n);
        } else {
            find_kernel(line, &kernels);
            sw_buf_init(&words);
            sw_buf_init(&cast);
            add_words(line, &words);
            add_casts((sw_str){words.p, words.n}, &cast);
            add_printf_call((sw_str){cast.p, cast.n}, &serial, out);
            sw_buf_finish(&words);
            sw_buf_finish(&cast);
        }
    }
    add_marks(&kernels, out);
    sw_vec_finish(&kernels);
}
