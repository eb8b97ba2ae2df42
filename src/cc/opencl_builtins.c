/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_builtins.c - which files of the built-in library a program needs. Each
 * file costs clang time by the number of its functions, even if none is taken,
 * so a program is linked with those only that have a function it calls, and
 * those that these call. `index` in their folder (src/opencl/index.sh) says
 * which functions and which files.
 */
#include <string.h>

#include "cc/opencl_private.h"
#include "cc/session.h"

enum { MOST_FILES = 32 };

/* The files, in the order in which they are linked; bits of masks. */
typedef struct {
    sw_str names[MOST_FILES];
    uint32_t needs[MOST_FILES]; /* and itself */
    unsigned count;
} file_list;

static sw_str
take_word(sw_str *s)
{
    size_t n = 0;
    while (n < s->n && s->p[n] != ' ' && s->p[n] != '\n')
        n++;
    sw_str word = {s->p, n};
    n += n < s->n && s->p[n] == ' ';
    *s = (sw_str){s->p + n, s->n - n};
    return word;
}

/* The file's bit; 0: there is none of that name. */
static uint32_t
bit_of(const file_list *files, sw_str name)
{
    for (unsigned i = 0; i < files->count; i++)
        if (sw_str_eq(files->names[i], name))
            return 1u << i;
    return 0;
}

/* Its first lines: "needs FILE FILE...". */
static void
read_files(sw_str index, file_list *files)
{
    *files = (file_list){.count = 0};
    for (int pass = 0; pass < 2; pass++) {
        sw_str rest = index;
        for (unsigned i = 0; i < MOST_FILES && cc_take(&rest, "needs "); i++) {
            sw_str name = take_word(&rest);
            if (pass == 0)
                files->names[files->count++] = name;
            else
                files->needs[i] = bit_of(files, name);
            while (rest.n && *rest.p != '\n') {
                name = take_word(&rest);
                if (pass == 1)
                    files->needs[i] |= bit_of(files, name);
            }
            cc_take(&rest, "\n");
        }
    }
}

/* The file that has the function. */
static uint32_t
file_of(const file_list *files, sw_str index, sw_str function)
{
    sw_buf line;
    sw_buf_init(&line);
    sw_buf_printf(&line, "\n%.*s ", (int)function.n, function.p);
    const char *at = memmem(index.p, index.n, line.p, line.n);
    uint32_t bit = 0;
    if (at) {
        sw_str rest = {at + line.n, (size_t)(index.p + index.n - at) - line.n};
        bit = bit_of(files, take_word(&rest));
    }
    sw_buf_finish(&line);
    return bit;
}

/* Of all functions that the program declares. */
static uint32_t
files_of(const file_list *files, sw_str index, sw_str program)
{
    static const char word[] = "\ndeclare ";
    const char *end = program.p + program.n;
    uint32_t mask = 0;
    for (const char *p = program.p;
         (p = memmem(p, (size_t)(end - p), word, sizeof word - 1));) {
        p += sizeof word - 1;
        const char *at = memchr(p, '@', (size_t)(end - p));
        if (!at)
            break;
        sw_str name = cc_ir_name_at(at, end);
        mask |= file_of(files, index, (sw_str){name.p + 1, name.n - 1});
    }
    return mask;
}

bool
cl_find_builtins(sw_arena *arena, const char *folder, sw_str program,
                 sw_vec *paths)
{
    char *text;
    size_t bytes;
    file_list files;
    if (!cc_read_file(sw_arena_printf(arena, "%s/index", folder), &text,
                      &bytes))
        return false;
    sw_str index = {text, bytes};
    read_files(index, &files);
    uint32_t mask = files_of(&files, index, program);
    /* What a file needs follows it. */
    for (unsigned i = 0; i < files.count; i++)
        if (mask >> i & 1)
            mask |= files.needs[i];
    for (unsigned i = 0; i < files.count; i++)
        if (mask >> i & 1)
            *(char **)sw_vec_push(paths) =
                sw_arena_printf(arena, "%s/%.*s.bc", folder,
                                (int)files.names[i].n, files.names[i].p);
    sw_free(text);
    return true;
}
