/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cccl.c - CUB, Thrust and libcu++, which are not ours: whether a source wants
 * them, and where they are.
 *
 * A source wants them if it, or what it includes that is no header of the
 * system's, includes a header of theirs that we have not. All of them are taken
 * then, those too that we have, since they belong together.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "cc/pass.h"

enum { FILES_MOST = 4096 };

/* ---- what a source wants ---- */

typedef struct {
    sw_arena *arena;
    const sw_vec *preprocess; /* the user's: option, value, ... */
    const char *include_dir;  /* of our headers */
    sw_map *seen;             /* files, by path */
    cc_cccl *found;
} search;

static void visit(search *s, const char *path);

/* Whether the folder after this option has headers of the program's. */
static bool
is_folder_option(const char *option)
{
    return !strcmp(option, "-I") || !strcmp(option, "-isystem") ||
           !strcmp(option, "-idirafter");
}

static bool
has_file(search *s, const char *folder, const char *name)
{
    return cc_is_file(sw_arena_printf(s->arena, "%s/%s", folder, name));
}

/* Whether a header is one of theirs: thrust/..., cub/..., cuda/... */
static bool
is_theirs(const char *name)
{
    return sw_str_has_prefix(sw_str_of(name), "thrust/") ||
           sw_str_has_prefix(sw_str_of(name), "cub/") ||
           sw_str_has_prefix(sw_str_of(name), "cuda/");
}

/* A header of theirs is included. What the user names a folder for is there,
 * but that a toolkit's headers come after ours. */
static void
note_theirs(search *s, const char *name)
{
    if (has_file(s, sw_arena_printf(s->arena, "%s/libcu", s->include_dir),
                 name))
        return;
    for (size_t i = 0; i + 1 < s->preprocess->count; i += 2) {
        const char *option = *(char **)sw_vec_at(s->preprocess, i);
        const char *folder = *(char **)sw_vec_at(s->preprocess, i + 1);
        const char *inner = sw_arena_printf(s->arena, "%s/cccl", folder);
        if (!is_folder_option(option))
            continue;
        if (has_file(s, inner, name))
            s->found->folder = inner;
        else if (has_file(s, folder, name) && !strcmp(option, "-idirafter"))
            s->found->folder = folder;
        else if (!has_file(s, folder, name))
            continue;
        return;
    }
    s->found->is_wanted = true;
    if (!s->found->missing &&
        !has_file(s, sw_arena_printf(s->arena, "%s/libstd", s->include_dir),
                  name))
        s->found->missing = name;
}

/* What `#include "name"`, or <name> without a folder, means there. */
static void
visit_included(search *s, const char *folder, const char *name)
{
    if (folder && has_file(s, folder, name)) {
        visit(s, sw_arena_printf(s->arena, "%s/%s", folder, name));
        return;
    }
    if (is_theirs(name)) {
        note_theirs(s, name);
        return;
    }
    for (size_t i = 0; i + 1 < s->preprocess->count; i += 2) {
        const char *option = *(char **)sw_vec_at(s->preprocess, i);
        const char *value = *(char **)sw_vec_at(s->preprocess, i + 1);
        if (is_folder_option(option) && has_file(s, value, name)) {
            visit(s, sw_arena_printf(s->arena, "%s/%s", value, name));
            return;
        }
    }
}

static void
visit_includes(search *s, const char *path, const char *text, const char *end)
{
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash ? sw_arena_printf(s->arena, "%.*s", (int)(slash - path), path)
              : ".";
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        sw_str rest = {line, (size_t)(stop - line)};
        line = stop + 1;
        cc_take(&rest, "");
        if (!cc_take(&rest, "#") || !cc_take(&rest, "include") || rest.n < 2 ||
            (*rest.p != '<' && *rest.p != '"'))
            continue;
        bool is_quoted = *rest.p == '"';
        const char *name = rest.p + 1;
        const char *last = memchr(name, is_quoted ? '"' : '>', rest.n - 1);
        if (last)
            visit_included(
                s, is_quoted ? folder : NULL,
                sw_arena_printf(s->arena, "%.*s", (int)(last - name), name));
    }
}

static void
visit(search *s, const char *path)
{
    char *text;
    size_t bytes;

    if (sw_map_count(s->seen) >= FILES_MOST ||
        sw_map_get(s->seen, sw_str_of(path)))
        return;
    sw_map_set(s->seen, sw_str_of(path), s);
    if (sw_file_read(path, &text, &bytes) != SW_OK)
        return;
    visit_includes(s, path, text, text + bytes);
    sw_free(text);
}

/* ---- where they are ---- */

/* A file of theirs, in each version. */
static const char VERSION[] = "thrust/version.h";

/* Roots under which they may be: patterns, "$NAME" for a variable's value; and
 * the folders there. */
static const char *const named_toolkits[] = {"$CUDA_HOME", "$CUDA_PATH", NULL};
static const char *const packages[] = {
    "$HOME/" CC_CCCL_TARGET,
    "$VIRTUAL_ENV/lib/python3*/site-packages",
    "$CONDA_PREFIX/lib/python3*/site-packages",
    "$HOME/.local/lib/python3*/site-packages",
    "/usr/local/lib/python3*/dist-packages",
    "/usr/local/lib/python3*/site-packages",
    "/usr/lib/python3/dist-packages",
    NULL,
};
static const char *const toolkits[] = {
    "$CONDA_PREFIX", "/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", NULL,
};
static const char *const toolkit_folders[] = {
    "include/cccl",
    "include",
    "targets/x86_64-linux/include/cccl",
    "targets/x86_64-linux/include",
    NULL,
};
static const char *const package_folders[] = {
    "nvidia/cu13/include/cccl",
    "cuda/cccl/headers/include",
    "nvidia/cuda_cccl/include",
    NULL,
};
static const struct {
    const char *const *roots;
    const char *const *folders;
} places[] = {
    {named_toolkits, toolkit_folders},
    {packages, package_folders},
    {toolkits, toolkit_folders},
};

/* "$NAME/rest" with the variable's value; NULL: it is not set. */
static const char *
with_variable(sw_arena *arena, const char *pattern)
{
    if (*pattern != '$')
        return pattern;
    size_t n = strcspn(pattern, "/");
    const char *value =
        getenv(sw_arena_printf(arena, "%.*s", (int)n - 1, pattern + 1));
    return value && *value ? sw_arena_printf(arena, "%s%s", value, pattern + n)
                           : NULL;
}

/* The last of the folders root/folder that has them; NULL: none. */
static const char *
look(sw_arena *arena, const char *root, const char *folder)
{
    const char *found = NULL;
    glob_t paths;

    root = with_variable(arena, root);
    if (!root)
        return NULL;
    const char *pattern =
        sw_arena_printf(arena, "%s/%s/%s", root, folder, VERSION);
    if (glob(pattern, 0, NULL, &paths))
        return NULL;
    if (paths.gl_pathc > 0) {
        const char *path = paths.gl_pathv[paths.gl_pathc - 1];
        found = sw_arena_printf(arena, "%.*s",
                                (int)(strlen(path) - sizeof VERSION), path);
    }
    globfree(&paths);
    return found;
}

static const char *
find_folder(sw_arena *arena)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (const char *const *root = places[i].roots; *root; root++)
            for (const char *const *f = places[i].folders; *f; f++) {
                const char *found = look(arena, *root, *f);
                if (found)
                    return found;
            }
    return NULL;
}

cc_cccl
cc_find_cccl(const cc_options *o, const char *include_dir, const char *input)
{
    cc_cccl cccl = {0};
    search s = {.arena = o->arena,
                .preprocess = &o->preprocess,
                .include_dir = include_dir,
                .seen = sw_map_create(),
                .found = &cccl};

    visit(&s, input);
    sw_map_destroy(s.seen);
    if (cccl.is_wanted && !cccl.folder)
        cccl.folder = find_folder(o->arena);
    /* Debian's package: clang looks there by itself. */
    if (cccl.folder || look(o->arena, "/usr/include", "."))
        cccl.missing = NULL;
    return cccl;
}
