/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headers.c - what clang makes of our headers, kept for the next source.
 *
 * Every .cu begins with cuda_runtime.h, and reading that takes most of the time
 * that a small one takes. So it is compiled alone, once for each set of
 * options, and lies in the folder of compiled code (jit/tier/cache.h). The
 * entry's key is the compiler and the options; its notes tell
 *
 *  - each file that was read, with size and times: one that changed makes the
 *    entry worthless;
 *  - each name that these files include from elsewhere: where a folder of the
 *    user's has such a file, everything is read as it stands;
 *  - each word in these files: a macro of the user's changes what they say only
 *    if it is one of them, and then it belongs to the key.
 *
 * Whatever goes wrong, the source is compiled without; so are those with
 * errors, whose messages are then those of a plain compilation.
 */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cc/cc_private.h"
#include "cc/session.h"
#include "jit/tier/cache.h"

enum {
    FORMAT = 1,               /* of the notes */
    USUAL_BYTES = 8000000,    /* an entry's size, about */
    MAX_WORD = 128,           /* longer ones are no macro's name */
    MAX_NOTES_LINE = PATH_MAX /* of any path in the notes */
};

static const char NO_SOURCE[] = "/dev/null";

/* The parts of a command; texts are the command's. */
typedef struct {
    sw_arena *arena;
    const char *include_dir;
    sw_vec fixed;   /* char *: program and options for both */
    sw_vec macros;  /* char *: the user's, -D or -U in one word with the name */
    sw_vec folders; /* char *: the user's */
    sw_vec rest;    /* char *: the user's -include, then the command's tail */
} command_parts;

/* ---- notes ---- */

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static uint32_t
word_hash(const char *word, size_t n)
{
    return (uint32_t)sw_hash_bytes(word, n, 0);
}

/* One file's state, in a line: "F size mtime ctime path". */
static bool
print_file(sw_buf *out, const char *path, struct stat *st)
{
    if (stat(path, st))
        return false;
    sw_buf_printf(out, "F%lld %lld.%09ld %lld.%09ld %s\n",
                  (long long)st->st_size, (long long)st->st_mtim.tv_sec,
                  st->st_mtim.tv_nsec, (long long)st->st_ctim.tv_sec,
                  st->st_ctim.tv_nsec, path);
    return true;
}

static bool
is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where `path`'s last component begins. */
static size_t
folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

/*
 * A name after #include or __has_include( that starts at `p`; appended to
 * `names` unless it is one of ours, or lies beside the file that includes it.
 */
static void
note_name(const command_parts *parts, const char *file, const char *p,
          sw_vec *names)
{
    while (*p == ' ' || *p == '\t' || *p == '(')
        p++;
    if (*p != '<' && *p != '"')
        return;
    size_t n = strcspn(p + 1, *p == '<' ? ">\n" : "\"\n");
    if (n == 0 || p[1 + n] == '\n' || !p[1 + n])
        return;
    char *name = sw_arena_printf(parts->arena, "%.*s", (int)n, p + 1);
    if (*p == '"' &&
        !access(sw_arena_printf(parts->arena, "%.*s%s",
                                (int)folder_length(file), file, name),
                F_OK))
        return;
    if (access(sw_arena_printf(parts->arena, "%s/%s", parts->include_dir, name),
               F_OK))
        *(char **)sw_vec_push(names) = name;
}

/* All words of a file's text, and what it includes. */
static void
note_text(const command_parts *parts, const char *file, const char *text,
          sw_vec *words, sw_vec *names)
{
    const char *p = text;

    while (*p) {
        if (!is_word_byte(*p)) {
            p++;
            continue;
        }
        size_t n = 1;
        while (is_word_byte(p[n]))
            n++;
        if (!isdigit((unsigned char)*p) && n <= MAX_WORD)
            *(uint32_t *)sw_vec_push(words) = word_hash(p, n);
        sw_str word = {p, n};
        p += n;
        if (sw_str_eq(word, sw_str_of("include")) ||
            sw_str_eq(word, sw_str_of("include_next")) ||
            sw_str_eq(word, sw_str_of("__has_include")) ||
            sw_str_eq(word, sw_str_of("__has_include_next")))
            note_name(parts, file, p, names);
    }
}

/* Paths of a rule that clang wrote, in the arena; its target is not among
 * them, nor what stands for a source. */
static void
read_rule(const command_parts *parts, const char *rule, sw_vec *paths)
{
    const char *p = strstr(rule, ": ");
    sw_buf path;

    sw_buf_init(&path);
    for (p = p ? p + 1 : ""; *p;) {
        if (*p == '\\' && p[1] == '\n') {
            p += 2;
        } else if (isspace((unsigned char)*p)) {
            p++;
        } else {
            path.n = 0;
            for (; *p && !isspace((unsigned char)*p); p++) {
                if ((*p == '\\' && (p[1] == ' ' || p[1] == '#')) ||
                    (*p == '$' && p[1] == '$'))
                    p++;
                sw_buf_add(&path, p, 1);
            }
            if (strcmp(path.p, NO_SOURCE) != 0)
                *(char **)sw_vec_push(paths) =
                    sw_arena_str(parts->arena, sw_str_of(path.p));
        }
    }
    sw_buf_finish(&path);
}

/*
 * The notes of headers that were read from `start` on, with the files of
 * `rule`. False: a file is not to be had, or may have changed meanwhile.
 */
static bool
make_notes(const command_parts *parts, const char *rule,
           const struct timespec *start, sw_buf *notes)
{
    sw_vec paths, words, names;
    bool ok = true;

    sw_vec_init(&paths, sizeof(char *));
    sw_vec_init(&words, sizeof(uint32_t));
    sw_vec_init(&names, sizeof(char *));
    read_rule(parts, rule, &paths);
    for (size_t i = 0; ok && i < paths.count; i++) {
        const char *path = *(char **)sw_vec_at(&paths, i);
        char *text;
        size_t bytes;
        struct stat st;
        ok = print_file(notes, path, &st) &&
             st.st_ctim.tv_sec < start->tv_sec &&
             !sw_file_read(path, &text, &bytes);
        if (ok) {
            note_text(parts, path, text, &words, &names);
            sw_free(text);
        }
    }
    qsort(names.data, names.count, names.elem_bytes, by_text);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = *(char **)sw_vec_at(&names, i);
        if (i == 0 || strcmp(name, *(char **)sw_vec_at(&names, i - 1)) != 0)
            sw_buf_printf(notes, "N%s\n", name);
    }
    sw_buf_add(notes, "", 1);
    qsort(words.data, words.count, words.elem_bytes, by_number);
    for (size_t i = 0; i < words.count; i++) {
        const uint32_t *word = sw_vec_at(&words, i);
        if (i == 0 || *word != word[-1])
            sw_buf_add(notes, (const char *)word, sizeof *word);
    }
    ok = ok && paths.count > 0;
    sw_vec_finish(&names);
    sw_vec_finish(&words);
    sw_vec_finish(&paths);
    return ok;
}

/* Whether the files are still as they were. */
static bool
are_unchanged(const char *notes)
{
    bool ok = true;
    sw_buf line;

    sw_buf_init(&line);
    for (const char *p = notes; ok && *p == 'F';) {
        size_t n = strcspn(p, "\n") + 1;
        const char *path = p;
        char name[MAX_NOTES_LINE];
        struct stat st;
        for (int i = 0; i < 3; i++)
            path += strcspn(path, " ") + 1;
        snprintf(name, sizeof name, "%.*s", (int)(p + n - 1 - path), path);
        line.n = 0;
        ok = print_file(&line, name, &st) && line.n == n &&
             !memcmp(line.p, p, n);
        p += n;
    }
    sw_buf_finish(&line);
    return ok;
}

/* Whether a folder of the user's has one of the files that ours include. */
static bool
are_hidden(const char *notes, const char *folder)
{
    char path[MAX_NOTES_LINE];
    char absent[MAX_NOTES_LINE] = "/"; /* a part of a path that is not there */
    size_t root = (size_t)snprintf(path, sizeof path, "%s/", folder);

    if (root >= sizeof path || access(path, F_OK))
        return root >= sizeof path;
    for (const char *p = notes; *p; p += strcspn(p, "\n") + 1) {
        if (*p != 'N')
            continue;
        size_t n = strcspn(p + 1, "\n");
        if (root + n >= sizeof path)
            return true;
        memcpy(path + root, p + 1, n);
        path[root + n] = 0;
        if (!strncmp(path + root, absent, strlen(absent)))
            continue;
        if (!access(path, F_OK))
            return true;
        char *slash = strchr(path + root, '/');
        if (slash) {
            slash[1] = 0;
            if (access(path, F_OK))
                strcpy(absent, path + root);
        }
    }
    return false;
}

/* Whether a macro of the user's ("-DNAME...", "-UNAME") is a word of theirs. */
static bool
has_word(const sw_jit_entry *entry, const char *macro)
{
    const char *name = macro + 2;
    size_t text = strlen((const char *)entry->notes) + 1;
    size_t n = 0;
    sw_vec words;

    while (is_word_byte(name[n]))
        n++;
    uint32_t hash = word_hash(name, n);
    sw_vec_init(&words, sizeof(uint32_t));
    for (size_t at = text; at + 4 <= entry->notes_bytes; at += 4)
        memcpy(sw_vec_push(&words), entry->notes + at, 4);
    bool found = bsearch(&hash, words.data, words.count, words.elem_bytes,
                         by_number) != NULL;
    sw_vec_finish(&words);
    return found;
}

/* ---- entries ---- */

static const char *
text_at(const sw_vec *vec, size_t i)
{
    return *(char **)sw_vec_at(vec, i);
}

static void
add_parts(cc_command *command, const command_parts *parts, const sw_vec *macros)
{
    cc_command_add_all(command, &parts->fixed);
    cc_command_add_all(command, macros);
}

static bool
key_of(const command_parts *parts, const sw_vec *macros, sw_jit_key *key)
{
    sw_jit_hash hash;
    sw_buf compiler;
    struct stat st;

    sw_buf_init(&compiler);
    sw_buf_printf(&compiler, "headers %d\n", FORMAT);
    bool ok = print_file(&compiler, text_at(&parts->fixed, 0), &st);
    sw_jit_hash_init(&hash);
    sw_jit_hash_add_text(&hash, compiler.p);
    for (size_t i = 0; i < parts->fixed.count; i++)
        sw_jit_hash_add_text(&hash, text_at(&parts->fixed, i));
    for (size_t i = 0; i < macros->count; i++)
        sw_jit_hash_add_text(&hash, text_at(macros, i));
    *key = sw_jit_hash_finish(&hash);
    sw_buf_finish(&compiler);
    return ok;
}

/* Compiles the headers to `path` and keeps them; what was kept in *out. */
static bool
make_entry(sw_jit_cache *cache, const command_parts *parts,
           const sw_vec *macros, const cc_options *o, const char *path,
           const sw_jit_key *key, sw_jit_entry *out)
{
    const char *rule_path = sw_arena_printf(parts->arena, "%s.d", path);
    char *rule = NULL, *object = NULL;
    size_t rule_bytes, object_bytes;
    struct timespec start;
    cc_command command;
    sw_buf said, notes;

    sw_buf_init(&said);
    sw_buf_init(&notes);
    clock_gettime(CLOCK_REALTIME, &start);
    cc_command_init(&command, parts->arena);
    add_parts(&command, parts, macros);
    cc_command_add(&command, "-include");
    cc_command_addf(&command, "%s/cuda_runtime.h", parts->include_dir);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-emit-pch");
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-fno-pch-timestamp"); /* the notes have them */
    cc_command_add(&command, "-S");
    cc_command_add(&command, "-MD");
    cc_command_add(&command, "-MF");
    cc_command_add(&command, rule_path);
    cc_command_add(&command, "-o");
    cc_command_add(&command, path);
    cc_command_add(&command, NO_SOURCE);
    bool ok = cc_command_run_quietly(&command, o, &said) == 0 &&
              !sw_file_read(rule_path, &rule, &rule_bytes) &&
              make_notes(parts, rule, &start, &notes) &&
              !sw_file_read(path, &object, &object_bytes);
    if (ok) {
        *out = (sw_jit_entry){.object = (uint8_t *)object,
                              .object_bytes = object_bytes,
                              .notes = (uint8_t *)notes.p,
                              .notes_bytes = notes.n};
        sw_jit_cache_put(cache, key, out);
        out->object = NULL;
        out->object_bytes = 0;
        out->memory = sw_buf_take(&notes);
        out->notes = out->memory;
    }
    unlink(rule_path);
    sw_free(object);
    sw_free(rule);
    cc_command_finish(&command);
    sw_buf_finish(&notes);
    sw_buf_finish(&said);
    return ok;
}

static bool
write_object(const char *path, const sw_jit_entry *entry)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && sw_file_write(fd, entry->object, entry->object_bytes);

    if (fd >= 0)
        ok &= !close(fd);
    return ok;
}

/* The compiled headers for these macros, in `path`; finish *out if true. */
static bool
find_entry(sw_jit_cache *cache, const command_parts *parts,
           const sw_vec *macros, const cc_options *o, const char *path,
           sw_jit_entry *out)
{
    sw_jit_key key;

    if (!key_of(parts, macros, &key))
        return false;
    if (sw_jit_cache_get(cache, &key, out)) {
        if (out->notes_bytes > 0 &&
            memchr(out->notes, 0, out->notes_bytes) != NULL &&
            are_unchanged((const char *)out->notes) && write_object(path, out))
            return true;
        sw_jit_entry_finish(out);
    }
    return make_entry(cache, parts, macros, o, path, &key, out);
}

/* The user's macros that are words of the entry's files. */
static void
find_macros(const command_parts *parts, const sw_jit_entry *entry, sw_vec *out)
{
    out->count = 0;
    for (size_t i = 0; i < parts->macros.count; i++)
        if (has_word(entry, text_at(&parts->macros, i)))
            *(const char **)sw_vec_push(out) = text_at(&parts->macros, i);
}

/* The headers in `path` as this command would read them. */
static bool
find_headers(sw_jit_cache *cache, const command_parts *parts,
             const cc_options *o, const char *path)
{
    sw_jit_entry entry = {0};
    sw_vec none, macros, again;

    sw_vec_init(&none, sizeof(char *));
    sw_vec_init(&macros, sizeof(char *));
    sw_vec_init(&again, sizeof(char *));
    bool ok = find_entry(cache, parts, &none, o, path, &entry);
    if (ok)
        find_macros(parts, &entry, &macros);
    if (ok && macros.count > 0) {
        sw_jit_entry_finish(&entry);
        ok = find_entry(cache, parts, &macros, o, path, &entry);
        if (ok) /* a macro may have brought files with further words */
            find_macros(parts, &entry, &again);
        ok = ok && again.count == macros.count;
    }
    for (size_t i = 0; ok && i < parts->folders.count; i++)
        ok =
            !are_hidden((const char *)entry.notes, text_at(&parts->folders, i));
    sw_jit_entry_finish(&entry);
    sw_vec_finish(&again);
    sw_vec_finish(&macros);
    sw_vec_finish(&none);
    return ok;
}

/* ---- commands ---- */

/* A host's debug information has more of headers that are read. */
static bool
wants_debug(const char *arg)
{
    return !strncmp(arg, "-g", 2) && strcmp(arg, "-g0") != 0 &&
           strcmp(arg, "-gline-directives-only") != 0;
}

/* False: has something that decides what our headers say and is not understood
 * here, or is not to be had with them compiled. */
static bool
take_apart(const cc_command *command, command_parts *parts)
{
    size_t n = command->argv.count, user = command->headers + 2;

    for (size_t i = 0; i < n; i++) {
        const char *arg = text_at(&command->argv, i);
        bool is_options = i >= user && i < command->user_end;
        if (i >= command->headers && i < user)
            continue;
        if (is_options) { /* pairs */
            const char *value = text_at(&command->argv, ++i);
            if (!strcmp(arg, "-D") || !strcmp(arg, "-U")) {
                *(char **)sw_vec_push(&parts->macros) =
                    sw_arena_printf(parts->arena, "%s%s", arg, value);
            } else if (!strcmp(arg, "-I") || !strcmp(arg, "-isystem")) {
                *(const char **)sw_vec_push(&parts->folders) = value;
                *(const char **)sw_vec_push(&parts->rest) = arg;
                *(const char **)sw_vec_push(&parts->rest) = value;
            } else if (!strcmp(arg, "-include")) {
                *(const char **)sw_vec_push(&parts->rest) = arg;
                *(const char **)sw_vec_push(&parts->rest) = value;
            } else {
                return false;
            }
        } else if (i >= command->tail) {
            *(const char **)sw_vec_push(&parts->rest) = arg;
        } else if (i >= command->user_end && !strncmp(arg, "-I", 2)) {
            if (!arg[2])
                return false;
            *(const char **)sw_vec_push(&parts->folders) = arg + 2;
            *(const char **)sw_vec_push(&parts->rest) = arg;
        } else if (i >= command->user_end &&
                   (!strncmp(arg, "-i", 2) || !strncmp(arg, "--sysroot", 9) ||
                    !strncmp(arg, "-B", 2) || !strncmp(arg, "@", 1) ||
                    !strncmp(arg, "-nostd", 6) || !strncmp(arg, "-M", 2) ||
                    !strncmp(arg, "-E", 3) || !strncmp(arg, "-Wp,", 4) ||
                    !strncmp(arg, "-save-temps", 11) ||
                    !strncmp(arg, "-ftime", 6) || !strcmp(arg, "-x") ||
                    wants_debug(arg))) {
            return false;
        } else {
            *(const char **)sw_vec_push(&parts->fixed) = arg;
        }
    }
    return true;
}

/* What clang reads beside its options, and we don't. */
static bool
is_plain_environment(void)
{
    static const char *const names[] = {
        "CPATH",           "C_INCLUDE_PATH",       "CPLUS_INCLUDE_PATH",
        "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS", "COMPILER_PATH"};

    if (cc_session_get())
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return false;
    }
    return true;
}

static bool
ended_by_user(int rc)
{
    return rc == 128 + SIGINT || rc == 128 + SIGTERM || rc == 128 + SIGHUP ||
           rc == 128 + SIGQUIT;
}

/* `name` as a word of `text` from `from` on; NULL if there is none. */
static char *
find_word(char *from, const char *text, const char *name)
{
    size_t n = strlen(name);

    for (char *p = from; (p = strstr(p, name)); p += n)
        if (p > text && p[-1] == ' ' && (p[n] == ' ' || p[n] == '\n'))
            return p;
    return NULL;
}

/*
 * clang lists the headers' files as if they were read now, but names what
 * they were compiled from as the source, and the source later. False: the
 * rule in the file `deps` is not understood.
 */
static bool
mend_rule(const char *deps, const char *input)
{
    char *text, *at = NULL, *again = NULL;
    size_t bytes;
    sw_buf out;

    while (!strncmp(input, "./", 2))
        for (input += 2; *input == '/';)
            input++;
    if (strpbrk(input, " \t#$\\") || sw_file_read(deps, &text, &bytes))
        return false;
    sw_buf_init(&out);
    at = find_word(text, text, NO_SOURCE);
    again = at ? find_word(at, text, input) : NULL;
    if (again) {
        char *end = again + strlen(input);
        while (strchr(" \n\\", again[-1]))
            again--;
        sw_buf_add(&out, text, (size_t)(at - text));
        sw_buf_puts(&out, input);
        at += sizeof NO_SOURCE - 1;
        sw_buf_add(&out, at, (size_t)(again - at));
        for (char *line = end; *line;) { /* -MP has a rule for each, too */
            size_t n = strcspn(line, "\n") + 1, name = strlen(input);
            if (strncmp(line, input, name) != 0 ||
                strncmp(line + name, ":\n", 2) != 0)
                sw_buf_add(&out, line, n);
            line += n;
        }
    }
    bool ok = again && cc_write_file(deps, out.p, out.n);
    sw_buf_finish(&out);
    sw_free(text);
    return ok;
}

/* Runs it with the headers in `path`. True: *rc is the compilation's. */
static bool
run_with(const command_parts *parts, const cc_options *o, const char *path,
         const char *deps, const char *input, int *rc)
{
    cc_command command;
    sw_buf said;

    sw_buf_init(&said);
    cc_command_init(&command, parts->arena);
    add_parts(&command, parts, &parts->macros);
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, "-include-pch");
    cc_command_add(&command, "-Xclang");
    cc_command_add(&command, path);
    cc_command_add(&command, "-fno-crash-diagnostics");
    if (!cc_session_get() && isatty(STDERR_FILENO))
        cc_command_add(&command, "-fcolor-diagnostics");
    cc_command_add_all(&command, &parts->rest);
    *rc = cc_command_run_quietly(&command, o, &said);
    bool done = *rc == 0 ? !deps || mend_rule(deps, input) : ended_by_user(*rc);
    if (done && said.n && cc_session_get())
        sw_buf_add(cc_session_get()->said, said.p, said.n);
    else if (done && said.n)
        sw_print_stderr(said.p, said.n);
    cc_command_finish(&command);
    sw_buf_finish(&said);
    return done;
}

bool
cc_headers_run(cc_command *command, const cc_options *o,
               const char *include_dir, const char *path, const char *deps,
               const char *input, int *rc)
{
    command_parts parts = {.arena = command->arena, .include_dir = include_dir};
    sw_jit_cache *cache;
    bool done = false;

    if (o->dry_run || o->keep || !is_plain_environment())
        return false;
    cache = sw_jit_cache_open();
    sw_vec_init(&parts.fixed, sizeof(char *));
    sw_vec_init(&parts.macros, sizeof(char *));
    sw_vec_init(&parts.folders, sizeof(char *));
    sw_vec_init(&parts.rest, sizeof(char *));
    if (sw_jit_cache_would_keep(cache, USUAL_BYTES) &&
        take_apart(command, &parts) && find_headers(cache, &parts, o, path))
        done = run_with(&parts, o, path, deps, input, rc);
    sw_vec_finish(&parts.rest);
    sw_vec_finish(&parts.folders);
    sw_vec_finish(&parts.macros);
    sw_vec_finish(&parts.fixed);
    sw_jit_cache_close(cache);
    return done;
}
