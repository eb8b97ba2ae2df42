/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc_rdc.c - separate compilation on the host side.
 *
 * Made relocatable, clang's host objects export the shadows of device
 * variables, as they must; but they also leave their registration to a
 * device linker. Here the linker is the loader, so in the assembly text
 *
 *     __cudaRegisterLinkedBinary_<module>   -> __softwarpRegisterLinked
 *     "name__static__<hash>"                -> "name__static__<id>"
 *     "name__intern__<hash>"                -> "name__intern__<id>"
 *
 * (softwarp_host_runtime.h defines the function). The device side, which clang
 * compiles whole and with plain names, is given the same names in LLVM's text.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cc.h"

enum { ID_DIGITS = 16 };
/* Registers a module; of softwarp_host_runtime.h. */
#define LINKED "__softwarpRegisterLinked"

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

static bool
starts(const char *p, const char *end, const char *prefix)
{
    size_t n = strlen(prefix);

    return (size_t)(end - p) >= n && memcmp(p, prefix, n) == 0;
}

/* In place: the text never grows. Returns the new length. */
static size_t
rewrite(char *assembly, size_t bytes, uint64_t id)
{
    char suffix[ID_DIGITS + 1];
    static const char linked[] = "__cudaRegisterLinkedBinary_";
    static const char ours[] = LINKED;
    const char *p = assembly, *end = assembly + bytes;
    char *out = assembly;

    snprintf(suffix, sizeof suffix, "%016llx", (unsigned long long)id);
    _Static_assert(sizeof ours <= sizeof linked, "the text must not grow");
    while (p < end) {
        if (starts(p, end, linked)) {
            memcpy(out, ours, sizeof ours - 1);
            out += sizeof ours - 1;
            while (p < end && is_word(*p))
                p++;
        } else if (starts(p, end, "__static__") ||
                   starts(p, end, "__intern__")) {
            const char *q = p + 10;
            while (q < end && (isxdigit((unsigned char)*q) || *q == '_'))
                q++;
            if (q < end && *q == '"' && q - p >= 10 + ID_DIGITS) {
                memcpy(out, p, 10); /* a name in a string */
                memcpy(out + 10, suffix, ID_DIGITS);
                out += 10 + ID_DIGITS;
                p = q;
            } else {
                *out++ = *p++;
            }
        } else {
            *out++ = *p++;
        }
    }
    return (size_t)(out - assembly);
}

bool
cc_rdc_finish(const char *assembly, uint64_t id)
{
    char *text;
    size_t bytes;
    sw_buf out;
    if (sw_file_read(assembly, &text, &bytes)) {
        fprintf(stderr, "softwarp cc: error: '%s' can't be read\n", assembly);
        return false;
    }
    sw_buf_init(&out);
    sw_buf_add(&out, text, rewrite(text, bytes, id));
    if (memmem(out.p, out.n, LINKED, sizeof LINKED - 1))
        sw_buf_printf(&out,
                      "\t.text\n\t.weak " CC_DEVICE_CODE
                      "%016llx\n" CC_DEVICE_CODE "%016llx:\n",
                      (unsigned long long)id, (unsigned long long)id);
    bool good = cc_write_file(assembly, out.p, out.n);
    sw_buf_finish(&out);
    sw_free(text);
    return good;
}

/* A mangled name of one translation unit only: static ("ZL" and a length, also
 * in the name of what it is an argument of), or in an unnamed namespace. */
static bool
is_private_name(sw_str name)
{
    static const char unnamed[] = "_GLOBAL__N_1";

    if (!sw_str_has_prefix(name, "_Z"))
        return false;
    for (size_t i = 1; i + 2 < name.n; i++)
        if (name.p[i] == 'Z' && name.p[i + 1] == 'L' &&
            isdigit((unsigned char)name.p[i + 2]) &&
            (name.p[i - 1] == '_' || isupper((unsigned char)name.p[i - 1])))
            return true;
    return memmem(name.p, name.n, unnamed, sizeof unnamed - 1) != NULL;
}

/* The identifier at p. */
static sw_str
word_at(const char *p, const char *end)
{
    const char *q = p;

    while (q < end && is_word(*q))
        q++;
    return (sw_str){p, (size_t)(q - p)};
}

/* Has the definition at `line` a linkage that keeps it in its module? */
static bool
is_internal(const char *line, const char *stop)
{
    return memmem(line, (size_t)(stop - line), " internal ", 10) ||
           memmem(line, (size_t)(stop - line), " private ", 9) ||
           memmem(line, (size_t)(stop - line), " external ", 10);
}

/* Notes the symbol that a line defines, if it is to be renamed. */
static void
note_definition(sw_map *names, const char *line, const char *stop)
{
    static char variable[] = "__static__", kernel[] = "__intern__";
    const char *at = line;
    char *infix = variable;

    if (starts(line, stop, "define ")) {
        infix = kernel;
        at = memchr(line, '@', (size_t)(stop - line));
    }
    if (!at || at >= stop || *at != '@')
        return;
    sw_str name = word_at(at + 1, stop);
    if (!is_private_name(name))
        return;
    /* Only what stands before the name or its type decides. */
    const char *upto = infix == kernel ? at : stop;
    if (!is_internal(line, upto))
        sw_map_set(names, name, infix);
}

void
cc_rdc_rename(const char *text, size_t bytes, uint64_t id, sw_buf *out)
{
    const char *end = text + bytes;
    sw_map *names = sw_map_create();

    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        note_definition(names, line, stop);
        line = stop + 1;
    }
    for (const char *p = text; p < end;) {
        const char *at = p;
        while (at < end && *at != '@' && *at != '$') /* $: of a comdat */
            at++;
        at += at < end;
        sw_str name = word_at(at, end);
        const char *infix = sw_map_get(names, name);
        sw_buf_add(out, p, (size_t)(at - p));
        sw_buf_add(out, name.p, name.n);
        if (infix)
            sw_buf_printf(out, "%s%016llx", infix, (unsigned long long)id);
        p = at + name.n;
    }
    sw_map_destroy(names);
}
