/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support_names.c - names of CUDA C++ that `softwarp support` knows: what our
 * headers declare, found by letting the compiler read them all; headers; and
 * libraries.
 */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "tools.h"

/* Of a name. */
typedef struct {
    const char *name;
    const char *header; /* that a program includes; "" if a system's */
} named;

struct support_names {
    sw_arena *arena;
    sw_map *names; /* named */
    char *root;    /* folder of our headers */
};

/* ---- where headers and libraries are ---- */

char *
support_header_folder(sw_arena *arena)
{
    char *path =
        sw_arena_printf(arena, "%s/include/softwarp/cuda", sw_tool_base());
    return access(path, R_OK) == 0
               ? path
               : sw_arena_printf(arena, "%s/include/cuda", SW_SOURCE_DIR);
}

static bool
has_library(sw_arena *arena, const char *name)
{
    const char *base = sw_tool_base();
    return access(sw_arena_printf(arena, "%s/lib/%s", base, name), R_OK) == 0 ||
           access(sw_arena_printf(arena, "%s/lib/softwarp/%s", base, name),
                  R_OK) == 0;
}

static bool
has_header(sw_arena *arena, const char *name)
{
    const char *root = support_header_folder(arena);
    return access(sw_arena_printf(arena, "%s/%s", root, name), R_OK) == 0 ||
           access(sw_arena_printf(arena, "%s/libcu/%s", root, name), R_OK) ==
               0 ||
           access(sw_arena_printf(arena, "%s/libstd/%s", root, name), R_OK) ==
               0;
}

/* ---- what the headers declare ---- */

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A header that programs include by name; the others are parts of these. */
static bool
is_public(const char *name)
{
    size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, ".h") == 0 &&
           strncmp(name, "softwarp", 8) != 0;
}

/* A program that includes all our headers. */
static bool
write_source(const support_names *s, const char *path)
{
    /* Others are parts of these: their names are known by them. */
    static const char *const first[] = {
        "cuda_runtime.h",       "cuda_fp16.h",     "cuda_bf16.h",
        "cooperative_groups.h", "curand_kernel.h", "mma.h"};
    static const char *const more[] = {"cooperative_groups/reduce.h",
                                       "cooperative_groups/scan.h",
                                       "cooperative_groups/memcpy_async.h",
                                       "cuda/atomic",
                                       "cuda/barrier",
                                       "cuda/pipeline",
                                       "cuda/latch",
                                       "cuda/semaphore",
                                       "cuda/functional",
                                       "cuda/annotated_ptr"};
    FILE *f = fopen(path, "w");
    DIR *folder = opendir(s->root);
    if (f && folder) {
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            fprintf(f, "#include <%s>\n", first[i]);
        for (struct dirent *d; (d = readdir(folder));)
            if (is_public(d->d_name))
                fprintf(f, "#include <%s>\n", d->d_name);
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            fprintf(f, "#include <%s>\n", more[i]);
    }
    if (folder)
        closedir(folder);
    return f && fclose(f) == 0 && folder;
}

static void
add_name(support_names *s, const char *p, size_t n, const char *header)
{
    sw_str word = {p, n};
    named *old = sw_map_get(s->names, word);
    if (old) {
        if (!*old->header)
            old->header = header;
        return;
    }
    named *e = sw_arena_alloc(s->arena, sizeof *e);
    e->name = sw_arena_str(s->arena, word);
    e->header = header;
    sw_map_set(s->names, word, e);
}

static bool
is_introduced(const char *line, const char *p)
{
    static const char *const words[] = {"struct",  "class",   "union",
                                        "enum",    "using",   "namespace",
                                        "#define", "concept", "typename"};
    while (p > line && p[-1] == ' ')
        p--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(p - line) >= n && strncmp(p - n, words[i], n) == 0)
            return true;
    }
    return false;
}

/* Words that are declared in a line, as far as their neighbours tell: what a
 * bracket follows, types, macros, variables, enumerators of the APIs. */
static void
scan_line(support_names *s, const char *line, const char *header)
{
    bool is_extern = strncmp(line, "extern ", 7) == 0;
    for (const char *p = line; *p;) {
        if (!is_word(*p) || isdigit((unsigned char)*p)) {
            do
                p++;
            while (isdigit((unsigned char)p[-1]) && is_word(*p));
            continue;
        }
        size_t n = 0;
        while (is_word(p[n]))
            n++;
        const char *next = p + n + strspn(p + n, " ");
        bool is_of_api = strncmp(p, "cuda", 4) == 0 ||
                         strncmp(p, "CU", 2) == 0 ||
                         strncmp(p, "curand", 6) == 0;
        if (*next == '(' || is_introduced(line, p) ||
            (*next == ';' &&
             (is_extern || *line == '}' || strncmp(line, "typedef", 7) == 0 ||
              strstr(line, "__attribute__((device))"))) ||
            (is_of_api && strchr("=,};", *next)))
            add_name(s, p, n, header);
        p += n;
    }
}

/* Output of the preprocessor, with its marks of which file a line is from. */
static void
scan(support_names *s, FILE *f)
{
    char *line = NULL;
    size_t room = 0, root_bytes = strlen(s->root);
    const char *outer = "", *header = "";
    unsigned depth = 0;
    while (getline(&line, &room, f) > 0) {
        char file[PATH_MAX];
        int flag = 0;
        if (sscanf(line, "# %*u \"%4095[^\"]\" %d", file, &flag) < 1) {
            line[strcspn(line, "\n")] = 0;
            scan_line(s, line, header);
            continue;
        }
        bool is_ours = strncmp(file, s->root, root_bytes) == 0;
        depth += flag == 1;
        depth -= flag == 2 && depth;
        if (flag == 1 && depth == 1)
            outer = sw_arena_str(
                s->arena, sw_str_of(is_ours ? file + root_bytes + 1 : file));
        /* What every program has comes before its first line. */
        bool is_always = !strchr(outer, '.') && *outer == '<';
        header = !is_ours ? "" : is_always ? "cuda_runtime.h" : outer;
    }
    free(line);
}

support_names *
support_names_create(void)
{
    support_names *s = sw_alloc(sizeof *s);
    char folder[] = "/tmp/softwarp-support-XXXXXX", path[64], line[256];
    s->arena = sw_arena_create();
    s->names = sw_map_create();
    s->root = support_header_folder(s->arena);
    if (!mkdtemp(folder))
        return s;
    snprintf(path, sizeof path, "%s/all.cu", folder);
    snprintf(line, sizeof line,
             "'/proc/%ld/exe' cc -E -Xcompiler -dD '%s' 2>/dev/null",
             (long)getpid(), path);
    FILE *f = write_source(s, path) ? popen(line, "r") : NULL;
    if (f) {
        scan(s, f);
        pclose(f);
    }
    unlink(path);
    rmdir(folder);
    return s;
}

void
support_names_destroy(support_names *s)
{
    if (!s)
        return;
    sw_map_destroy(s->names);
    sw_arena_destroy(s->arena);
    sw_free(s);
}

void
support_names_offer(const support_names *s, sw_near *near)
{
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(s->names, &it, &key, &value))
        if (*((const named *)value)->header)
            sw_near_offer(near, ((const named *)value)->name);
}

/* ---- answers ---- */

typedef struct {
    const char *name, *other, *prefix, *header, *shared, *instead;
} library;
static const library libraries[] = {
#define LIBRARY(name, other, prefix, header, shared, instead)                  \
    {name, other, prefix, header, shared, instead},
#include "support_libraries.def"
#undef LIBRARY
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static support_state
tell_library(const support_names *s, const library *l, const char *name,
             const char *what, sw_buf *out)
{
    bool header = has_header(s->arena, l->header);
    bool shared = !*l->shared || has_library(s->arena, l->shared);
    support_state state = header && shared ? SUPPORT_DONE
                          : header         ? SUPPORT_PARTIAL
                                           : SUPPORT_ABSENT;
    sw_buf_printf(out, "%s: %s: %s %s", name, support_state_text(state), what,
                  l->other);
    if (state == SUPPORT_DONE)
        sw_buf_printf(out, ", #include <%s>", l->header);
    else if (state == SUPPORT_PARTIAL)
        sw_buf_printf(out, ": its header is here, its library %s is not",
                      l->shared);
    if (state != SUPPORT_DONE && *l->instead)
        sw_buf_printf(out, "\n  instead: %s", l->instead);
    sw_buf_puts(out, "\n");
    return state;
}

/* lib, .so and what follows left out: "libcublas.so.12" asks for cublas. */
static bool
is_library(const library *l, const char *name)
{
    size_t n = strcspn(name, ".");
    if (strncmp(name, "lib", 3) == 0 && (name[n] == '.' || !name[n]) &&
        strcasecmp(l->name, name) != 0) {
        name += 3;
        n -= 3;
    }
    bool is_name = strlen(l->name) == n && !strncasecmp(l->name, name, n);
    return (is_name && (!name[n] || strncmp(name + n, ".so", 3) == 0 ||
                        strncmp(name + n, ".a", 2) == 0)) ||
           strcasecmp(l->other, name) == 0 || strcasecmp(l->name, name) == 0;
}

static bool
is_header(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strchr(name, '/') ||
           (dot && (!strcmp(dot, ".h") || !strcmp(dot, ".hpp") ||
                    !strcmp(dot, ".cuh")));
}

static support_state
tell_header(const support_names *s, const char *name, sw_buf *out)
{
    if (has_header(s->arena, name)) {
        sw_buf_printf(out, "%s: done: #include <%s>\n", name, name);
        return SUPPORT_DONE;
    }
    for (size_t i = 0; i < LIBRARIES; i++) {
        size_t n = strcspn(libraries[i].header, "/.");
        if (strcmp(libraries[i].header, name) == 0 ||
            (!*libraries[i].shared &&
             strncmp(libraries[i].header, name, n) == 0 && name[n] == '/'))
            return tell_library(s, &libraries[i], name, "a header of", out);
    }
    return SUPPORT_UNKNOWN;
}

static support_state
tell_builtin(const char *name, sw_buf *out)
{
    char line[512];
    if (strncmp(name, "__builtin_", 10) != 0 &&
        strncmp(name, "__nvvm_", 7) != 0 && strncmp(name, "__nv_", 5) != 0)
        return SUPPORT_UNKNOWN;
    for (const char *p = name; *p; p++)
        if (!is_word(*p))
            return SUPPORT_UNKNOWN;
    snprintf(line, sizeof line,
             "t=$(mktemp -d) && printf '#if __has_builtin(%%s)\\nfound_it\\n"
             "#endif\\n' '%s' >$t/a.cu && '/proc/%ld/exe' cc -E $t/a.cu "
             "2>/dev/null | grep -q '^found_it'; r=$?; rm -r $t; exit $r",
             name, (long)getpid());
    if (system(line) != 0)
        return SUPPORT_UNKNOWN;
    sw_buf_printf(out, "%s: done: a built-in of the compiler\n", name);
    return SUPPORT_DONE;
}

support_state
support_names_tell(const support_names *s, const char *name, sw_buf *out)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        if (is_library(&libraries[i], name))
            return tell_library(s, &libraries[i], name, "the library", out);
    if (is_header(name))
        return tell_header(s, name, out);
    const char *last = strrchr(name, ':');
    last = last && last > name && last[-1] == ':' ? last + 1 : name;
    /* A macro of the C library, of whose header programs choose a name. */
    if (strcmp(last, "assert") == 0)
        last = "__assert_fail";
    const named *e = sw_map_get(s->names, sw_str_of(last));
    if (e && *e->header) {
        sw_buf_printf(out, "%s: done: #include <%s>\n", name, e->header);
        return SUPPORT_DONE;
    }
    support_state state = tell_builtin(name, out);
    if (state != SUPPORT_UNKNOWN)
        return state;
    const library *of = NULL;
    for (size_t i = 0; i < LIBRARIES; i++) {
        size_t n = strlen(libraries[i].prefix);
        if (n && strncmp(name, libraries[i].prefix, n) == 0 &&
            (isupper((unsigned char)name[n]) || name[n] == '_') &&
            (!of || n > strlen(of->prefix)))
            of = &libraries[i];
    }
    if (of && !has_header(s->arena, of->header))
        return tell_library(s, of, name, "by its name of", out);
    if (e) {
        sw_buf_printf(out,
                      "%s: not supported in kernels: a function of the host's "
                      "C or C++ library\n",
                      name);
        return SUPPORT_NONE;
    }
    return SUPPORT_UNKNOWN;
}
