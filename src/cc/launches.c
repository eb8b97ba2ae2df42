/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launches.c - kernel<< <grid, block>> >(...), as some editors format it.
 * For nvcc that is a launch, for clang a shift and a syntax error: clang is
 * given copies of such files in which the brackets stand together, in place of
 * them (an overlay of its file system, so names and lines in messages stay).
 * Where kernels launch kernels each pass has copies of its own (nested.c).
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc_private.h"

enum { FILES_MOST = 500 };

/* ---- a text ---- */

const char *
cc_skip_inert(const char *p, const char *end)
{
    if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
        p = memchr(p, '\n', (size_t)(end - p));
        return p ? p : end;
    }
    if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
        p = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
        return p ? p + 2 : end;
    }
    if (*p != '"' && *p != '\'')
        return p;
    const char quote = *p;
    for (p++; p < end && *p != quote && *p != '\n'; p++)
        p += *p == '\\' && p + 1 < end;
    return p < end ? p + 1 : end;
}

/* Two brackets, then perhaps space, then the third: how long that is; 0: it is
 * something else. */
static size_t
brackets(const char *p, const char *end, char c)
{
    const char *q = p + 2;
    if (end - p < 3 || p[0] != c || p[1] != c)
        return 0;
    while (q < end && cc_is_space(*q))
        q++;
    return q < end && *q == c ? (size_t)(q + 1 - p) : 0;
}

/* Appends the brackets of n characters at p side by side, then the space. */
static void
put_together(sw_buf *out, const char *p, size_t n)
{
    sw_buf_add(out, p, 2);
    sw_buf_add(out, p, 1);
    sw_buf_add(out, p + 2, n - 3);
}

/* Is the word before p `operator`, whose brackets may stand apart? */
static bool
is_operator(const char *begin, const char *p)
{
    static const char word[] = "operator";
    const size_t n = sizeof word - 1;
    while (p > begin && cc_is_space(p[-1]))
        p--;
    return (size_t)(p - begin) >= n && !memcmp(p - n, word, n);
}

/* The text with the brackets of launches side by side; false: they were. */
static bool
join_brackets(const char *text, size_t bytes, sw_buf *out)
{
    const char *end = text + bytes;
    bool is_launch = false, any = false;
    int depth = 0;
    for (const char *p = text; p < end;) {
        const char *q = cc_skip_inert(p, end);
        /* A digit separator is no literal. */
        if (q != p && !(*p == '\'' && p > text && cc_is_letter(p[-1]))) {
            sw_buf_add(out, p, (size_t)(q - p));
            p = q;
            continue;
        }
        char c = is_launch ? '>' : '<';
        size_t n = *p == c && !depth ? brackets(p, end, c) : 0;
        if (n && (is_launch || !is_operator(text, p))) {
            put_together(out, p, n);
            any |= n > 3;
            p += n;
            is_launch = !is_launch;
            continue;
        }
        if (is_launch)
            depth += (strchr("([{", *p) != NULL) - (strchr(")]}", *p) != NULL);
        if (depth < 0 || *p == ';') { /* it was no launch */
            is_launch = false;
            depth = 0;
        }
        sw_buf_add(out, p++, 1);
    }
    return any;
}

/* ---- the files of a source ---- */

typedef struct {
    const cc_options *options;
    sw_map *seen; /* by path */
    sw_vec files; /* source: those with launches */
    bool is_nested;
    const char *(*temporary)(void *arg);
    void *arg;
} search;

typedef struct {
    const char *name; /* absolute */
    char *text;       /* brackets side by side; owned */
    size_t bytes;
    bool was_apart;
} source;

static void visit(search *s, const char *path);

/* What `#include "name"` means in a file of that folder. */
static void
visit_included(search *s, const char *folder, sw_str name)
{
    sw_arena *arena = s->options->arena;
    const sw_vec *options = &s->options->preprocess;
    const char *path =
        sw_arena_printf(arena, "%s/%.*s", folder, (int)name.n, name.p);
    for (size_t i = 0; access(path, R_OK) != 0; i += 2) {
        while (i < options->count &&
               strcmp(*(char **)sw_vec_at(options, i), "-I") != 0)
            i += 2;
        if (i + 1 >= options->count)
            return;
        path = sw_arena_printf(arena, "%s/%.*s",
                               *(char **)sw_vec_at(options, i + 1), (int)name.n,
                               name.p);
    }
    visit(s, path);
}

static void
visit_includes(search *s, const char *path, const char *text, size_t bytes)
{
    const char *end = text + bytes, *slash = strrchr(path, '/');
    const char *folder = sw_arena_printf(s->options->arena, "%.*s",
                                         (int)(slash ? slash - path : 0), path);
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        const char *p = line;
        while (p < stop && (cc_is_space(*p) || *p == '#'))
            p++;
        if (stop - p > 9 && p > line && !memcmp(p, "include", 7)) {
            const char *name = memchr(p, '"', (size_t)(stop - p));
            const char *last =
                name ? memchr(name + 1, '"', (size_t)(stop - name - 1)) : NULL;
            if (last)
                visit_included(s, folder,
                               (sw_str){name + 1, (size_t)(last - name - 1)});
        }
        line = stop + 1;
    }
}

static void
visit(search *s, const char *path)
{
    char *text, folder[PATH_MAX];
    size_t bytes;
    if (path[0] != '/') {
        if (!getcwd(folder, sizeof folder))
            return;
        path = sw_arena_printf(s->options->arena, "%s/%s", folder, path);
    }
    if (sw_map_count(s->seen) >= FILES_MOST ||
        sw_map_get(s->seen, sw_str_of(path)))
        return;
    sw_map_set(s->seen, sw_str_of(path), s);
    if (sw_file_read(path, &text, &bytes) != SW_OK)
        return;
    sw_buf joined;
    sw_buf_init(&joined);
    bool was_apart = join_brackets(text, bytes, &joined);
    if (joined.n && memmem(joined.p, joined.n, "<<<", 3)) {
        sw_buf unused;
        sw_buf_init(&unused);
        s->is_nested |= cc_nested_source(joined.p, joined.n, true, &unused);
        sw_buf_finish(&unused);
        size_t n = joined.n;
        *(source *)sw_vec_push(&s->files) =
            (source){path, sw_buf_take(&joined), n, was_apart};
    }
    sw_buf_finish(&joined);
    visit_includes(s, path, text, bytes);
    sw_free(text);
}

/* A string of YAML. */
static void
put_string(sw_buf *out, const char *text)
{
    sw_buf_puts(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            sw_buf_puts(out, "\\");
        sw_buf_add(out, text, 1);
    }
    sw_buf_puts(out, "\"");
}

typedef enum { BOTH, DEVICE, HOST } passes;

/* The file that the passes get in place of another; NULL: it could not be
 * written. */
static const char *
copy_of(const search *s, const source *of, passes who)
{
    const char *copy = s->temporary(s->arg);
    sw_buf text;
    sw_buf_init(&text);
    if (who == BOTH)
        sw_buf_add(&text, of->text, of->bytes);
    else
        cc_nested_source(of->text, of->bytes, who == DEVICE, &text);
    if (copy && !cc_write_file(copy, text.p, text.n))
        copy = NULL;
    sw_buf_finish(&text);
    return copy;
}

/* The overlay for these passes; NULL: there is none. */
static const char *
overlay_for(const search *s, passes who)
{
    sw_buf list;
    const char *overlay = NULL, *comma = "";
    bool good = true;
    sw_buf_init(&list);
    sw_buf_puts(&list, "{\"version\": 0, \"use-external-names\": false, "
                       "\"roots\": [");
    for (size_t i = 0; i < s->files.count && good; i++) {
        const source *of = sw_vec_at(&s->files, i);
        if (who == BOTH && !of->was_apart)
            continue;
        const char *copy = copy_of(s, of, who);
        good = copy != NULL;
        sw_buf_printf(&list, "%s{\"type\": \"file\", \"name\": ", comma);
        put_string(&list, of->name);
        sw_buf_puts(&list, ", \"external-contents\": ");
        put_string(&list, copy ? copy : "");
        sw_buf_puts(&list, "}");
        comma = ", ";
    }
    sw_buf_puts(&list, "]}\n");
    if (*comma && good)
        overlay = s->temporary(s->arg);
    if (overlay && !cc_write_file(overlay, list.p, list.n))
        overlay = NULL;
    sw_buf_finish(&list);
    return overlay;
}

void
cc_join_launches(cc_options *o, const char *input,
                 const char *(*temporary)(void *arg), void *arg)
{
    search s = {.options = o,
                .seen = sw_map_create(),
                .temporary = temporary,
                .arg = arg};
    sw_vec_init(&s.files, sizeof(source));
    visit(&s, input);
    o->device_overlay = o->host_overlay = NULL;
    const char *both = s.is_nested ? NULL : overlay_for(&s, BOTH);
    if (both) {
        *(const char **)sw_vec_push(&o->preprocess) = "-ivfsoverlay";
        *(const char **)sw_vec_push(&o->preprocess) = both;
    }
    if (s.is_nested) {
        o->device_overlay = overlay_for(&s, DEVICE);
        o->host_overlay = overlay_for(&s, HOST);
    }
    for (size_t i = 0; i < s.files.count; i++)
        sw_free(((source *)sw_vec_at(&s.files, i))->text);
    sw_vec_finish(&s.files);
    sw_map_destroy(s.seen);
}
