/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rdc.c - what clang makes of separate compilation, for a loader that links.
 *
 * Made relocatable, clang's host objects export the shadows of device
 * variables, as they must; but they also leave their registration to a
 * device linker. Here the linker is the loader, so in the assembly text
 *
 *     __cudaRegisterLinkedBinary_<module>   -> __softwarpRegisterLinked
 *     "name__static__<hash>"                -> "name__static__<id>"
 *     "name__intern__<hash>"                -> "name__intern__<id>"
 *
 * (softwarp_host_runtime.h defines the function). Clang's hash is not the same
 * on both sides where headers were compiled before, so the names in LLVM's text
 * of the device side become the same. Two more things are put right there: a
 * static variable that the host names is still used by its plain name, declared
 * external, by what was compiled before the host's use was seen; and the list
 * that keeps declarations alive, "__clang_gpu_used_external", would become a
 * variable of the module.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cc/cc_private.h"

enum {
    INFIX = 10,  /* bytes, of both */
    MIN_HASH = 8 /* digits: leading zeros are not there, but few are */
};
/* Registers a module; of softwarp_host_runtime.h. */
#define LINKED "__softwarpRegisterLinked"

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
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

static bool
starts(const char *p, const char *end, const char *prefix)
{
    size_t n = strlen(prefix);

    return (size_t)(end - p) >= n && memcmp(p, prefix, n) == 0;
}

/* Is at p what separates a name from clang's hash? */
static bool
is_infix(const char *p, const char *end)
{
    return starts(p, end, "__static__") || starts(p, end, "__intern__");
}

/* The end of the hash after an infix at p; NULL: there is none. */
static const char *
hash_end(const char *p, const char *end)
{
    const char *q = p + INFIX;

    while (q < end && (isxdigit((unsigned char)*q) || *q == '_'))
        q++;
    return q - p >= INFIX + MIN_HASH ? q : NULL;
}

/* The host's assembly text with its names as they shall be, appended to `out`.
 */
static void
rewrite(const char *text, size_t bytes, uint64_t id, sw_buf *out)
{
    const char *end = text + bytes, *done = text, *p = text;

    while ((p = memchr(p, '_', (size_t)(end - p)))) {
        const char *q = is_infix(p, end) ? hash_end(p, end) : NULL;
        if (starts(p, end, "__cudaRegisterLinkedBinary_")) {
            sw_buf_add(out, done, (size_t)(p - done));
            sw_buf_puts(out, LINKED);
            p += word_at(p, end).n;
            done = p;
        } else if (q && q < end && *q == '"') { /* a name in a string */
            sw_buf_add(out, done, (size_t)(p + INFIX - done));
            sw_buf_printf(out, "%016llx", (unsigned long long)id);
            done = p = q;
        } else {
            p++;
        }
    }
    sw_buf_add(out, done, (size_t)(end - done));
}

bool
cc_rdc_finish(const char *assembly, uint64_t id)
{
    char *text;
    size_t bytes;
    sw_buf out;
    if (!cc_read_file(assembly, &text, &bytes))
        return false;
    sw_buf_init(&out);
    rewrite(text, bytes, id, &out);
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

/* How much of a name stands before its infix and hash: all if it has none. */
static size_t
plain_length(sw_str name)
{
    const char *end = name.p + name.n;

    for (const char *p = name.p; p < end; p++)
        if (*p == '_' && is_infix(p, end) && hash_end(p, end) == end)
            return (size_t)(p - name.p);
    return name.n;
}

/* `line` to `stop` with all names as they shall be, appended to `out`.
 * `statics` are those with an infix, by what stands before it. */
static void
rename_line(const sw_map *statics, const char *line, const char *stop,
            uint64_t id, sw_buf *out)
{
    for (const char *p = line; p < stop;) {
        const char *at = p;
        while (at < stop && *at != '@' && *at != '$') /* $: of a comdat */
            at++;
        at += at < stop;
        sw_str name = word_at(at, stop);
        size_t plain = plain_length(name);
        const char *infix =
            plain < name.n ? name.p + plain : sw_map_get(statics, name);
        sw_buf_add(out, p, (size_t)(at - p));
        sw_buf_add(out, name.p, plain);
        if (infix)
            sw_buf_printf(out, "%.*s%016llx", INFIX, infix,
                          (unsigned long long)id);
        p = at + name.n;
    }
}

static const char *
line_end(const char *line, const char *end)
{
    const char *stop = memchr(line, '\n', (size_t)(end - line));

    return stop ? stop : end;
}

void
cc_rdc_rename(const char *text, size_t bytes, uint64_t id, sw_buf *out)
{
    static const char used[] = "@__clang_gpu_used_external = ";
    const char *end = text + bytes, *stop;
    sw_map *statics = sw_map_create();

    for (const char *line = text; line < end; line = stop + 1) {
        stop = line_end(line, end);
        sw_str name = word_at(line + 1, stop);
        size_t plain = plain_length(name);
        if (*line == '@' && plain < name.n)
            sw_map_set(statics, (sw_str){name.p, plain},
                       (char *)name.p + plain);
    }
    for (const char *line = text; line < end; line = stop + 1) {
        stop = line_end(line, end);
        if (*line == '@' && sw_map_get(statics, word_at(line + 1, stop)))
            continue; /* the external declaration */
        if (starts(line, stop, used)) {
            const char *list = memrchr(line, ']', (size_t)(stop - line));
            list = list ? list + 1 : stop;
            rename_line(statics, line, list, id, out);
            sw_buf_puts(out, ", section \"llvm.metadata\"");
            line = list;
        }
        rename_line(statics, line, stop, id, out);
        sw_buf_add(out, "\n", 1);
    }
    sw_map_destroy(statics);
}
