/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutants.c - PTX files of a folder with a few tokens changed, which are
 * loaded, and each of whose kernels is launched: see fuzz.h.
 *
 * A token is mostly replaced by another of its class (an instruction, a
 * modifier, a register, a number, a punctuation mark), of any of the files, so
 * that many mutants are still accepted. SOFTWARP_ENGINE says by which engine
 * they run.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum {
    MOST_FILES = 1024,
    MOST_TOKENS = 1 << 20,
    MOST_OF_A_FILE = 20000, /* larger ones take too long */
    TEXT_BYTES = 1 << 20,
    MOST_KERNELS = 16,
    BUFFER_BYTES = 65536
};

typedef enum {
    HEAD,     /* the first word of a statement */
    WORD,     /* another */
    SUFFIX,   /* .u32 */
    REGISTER, /* %r1 */
    NUMBER,
    MARK,  /* a punctuation mark */
    SPACE, /* and comments */
    CLASSES
} token_class;

/* Lives as long as the process. */
typedef struct {
    const char *text;
    unsigned bytes;
    token_class class;
} token;

typedef struct {
    token *tokens;
    unsigned count;
} source;

static source files[MOST_FILES];
static unsigned file_count;
static const token *by_class[CLASSES][MOST_TOKENS];
static unsigned class_counts[CLASSES];

/* ---- reading ---- */

static size_t
space_bytes(const char *p)
{
    const char *from = p;
    for (;;) {
        const char *end = NULL;
        if (isspace((unsigned char)*p))
            end = p + 1;
        else if (p[0] == '/' && p[1] == '/')
            end = strchrnul(p, '\n');
        else if (p[0] == '/' && p[1] == '*')
            end = (end = strstr(p, "*/")) ? end + 2 : p + strlen(p);
        if (!end)
            return (size_t)(p - from);
        p = end;
    }
}

static size_t
word_bytes(const char *p)
{
    size_t n = 1;
    while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '$')
        n++;
    return n;
}

/* The token at p, which is no NUL; begins_statement: what stood before. */
static token
next_token(const char *p, bool begins_statement)
{
    size_t n = space_bytes(p);
    token_class class = SPACE;
    if (!n && *p == '.' && isalpha((unsigned char)p[1])) {
        n = word_bytes(p);
        class = SUFFIX;
    } else if (!n && *p == '%') {
        n = word_bytes(p);
        class = REGISTER;
    } else if (!n && isdigit((unsigned char)*p)) {
        n = word_bytes(p);
        class = NUMBER;
    } else if (!n && (isalpha((unsigned char)*p) || *p == '_' || *p == '$')) {
        n = word_bytes(p);
        class = begins_statement ? HEAD : WORD;
    } else if (!n && *p == '"') {
        const char *end = strchr(p + 1, '"');
        n = end ? (size_t)(end - p) + 1 : 1;
        class = WORD;
    } else if (!n) {
        n = 1;
        class = MARK;
    }
    return (token){p, (unsigned)n, class};
}

static bool
ends_statement(const token *t)
{
    return t->class == MARK && strchr(";{}:", *t->text);
}

static void
cut(source *to, const char *text)
{
    bool begins = true, after_guard = false;
    to->tokens = malloc(sizeof(token) * (strlen(text) + 1));
    while (to->tokens && *text) {
        token t = next_token(text, begins);
        to->tokens[to->count++] = t;
        text += t.bytes;
        if (class_counts[t.class] < MOST_TOKENS)
            by_class[t.class][class_counts[t.class]++] =
                &to->tokens[to->count - 1];
        if (t.class == SPACE)
            continue;
        /* `@%p0 add`: the guard is no statement's end, nor its head */
        after_guard = t.class == MARK && *t.text == '@';
        begins = ends_statement(&t) || after_guard ||
                 (begins && (t.class == REGISTER || *t.text == '!'));
    }
}

static int
is_ptx(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && !strcmp(end, ".ptx");
}

static char *
read_file(const char *folder, const char *name)
{
    char path[4096], *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file || getdelim(&text, &room, 0, file) < 0)
        text = NULL;
    if (file)
        fclose(file);
    return text;
}

static void
begin(fuzz *f)
{
    struct dirent **entries;
    int n = scandir(f->corpus, &entries, is_ptx, alphasort);
    for (int i = 0; i < n && file_count < MOST_FILES; i++) {
        char *text = read_file(f->corpus, entries[i]->d_name);
        if (text && strlen(text) <= MOST_OF_A_FILE)
            cut(&files[file_count++], text);
    }
    if (!file_count)
        fuzz_fail("no PTX files in %s", f->corpus);
    fuzz_device_begin(f);
}

/* ---- changing ---- */

/* The text being made; what does not fit is left out. */
typedef struct {
    size_t used;
    char text[TEXT_BYTES + 1];
} output;

static void
put(output *to, const char *text, size_t bytes)
{
    if (to->used + bytes <= TEXT_BYTES) {
        memcpy(to->text + to->used, text, bytes);
        to->used += bytes;
    }
}

static void
put_number(fuzz *f, output *to)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "31",
                                          "32",
                                          "33",
                                          "64",
                                          "255",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775807",
                                          "0x8000000000000000",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "0f7F800000",
                                          "0d7FF8000000000001",
                                          "3.5"};
    const char *n = numbers[fuzz_random(f, sizeof numbers / sizeof *numbers)];
    put(to, n, strlen(n));
}

static void
put_like(fuzz *f, output *to, token_class class)
{
    if (class_counts[class]) {
        const token *t = by_class[class][fuzz_random(f, class_counts[class])];
        put(to, t->text, t->bytes);
    }
}

/* A statement of some file. */
static void
put_statement(fuzz *f, output *to)
{
    const source *s = &files[fuzz_random(f, file_count)];
    unsigned i = (unsigned)fuzz_random(f, s->count);
    while (i < s->count && s->tokens[i].class != HEAD)
        i++;
    for (; i < s->count; i++) {
        put(to, s->tokens[i].text, s->tokens[i].bytes);
        if (s->tokens[i].class == MARK && *s->tokens[i].text == ';')
            break;
    }
}

/* In place of t. */
static void
put_changed(fuzz *f, output *to, const source *s, const token *t)
{
    switch (fuzz_random(f, 10)) {
    case 0: /* nothing */
        break;
    case 1:
        put(to, t->text, t->bytes);
        put(to, t->text, t->bytes);
        break;
    case 2:
        put(to, t->text, t->bytes);
        put_statement(f, to);
        break;
    case 3: /* a register, a number and the like of the same file */
        t = &s->tokens[fuzz_random(f, s->count)];
        put(to, t->text, t->bytes);
        break;
    case 4:
        put_like(f, to, (token_class)fuzz_random(f, SPACE));
        break;
    case 5:
    case 6: /* another of the class, of the same file */
        for (unsigned i = 0; i < 100; i++) {
            const token *like = &s->tokens[fuzz_random(f, s->count)];
            if (like->class == t->class) {
                t = like;
                break;
            }
        }
        put(to, t->text, t->bytes);
        break;
    default:
        if (t->class == NUMBER && fuzz_chance(f, 70))
            put_number(f, to);
        else
            put_like(f, to, t->class);
    }
}

static void
change(fuzz *f, output *to)
{
    const source *s = &files[fuzz_random(f, file_count)];
    unsigned at[4],
        n = 1 + (unsigned)fuzz_random(f, fuzz_chance(f, 60) ? 1 : 4);
    for (unsigned i = 0; i < n; i++) {
        do
            at[i] = (unsigned)fuzz_random(f, s->count);
        while (s->tokens[at[i]].class == SPACE);
    }
    to->used = 0;
    for (unsigned i = 0; i < s->count; i++) {
        bool changes = false;
        for (unsigned k = 0; k < n; k++)
            changes |= at[k] == i;
        if (changes)
            put_changed(f, to, s, &s->tokens[i]);
        else
            put(to, s->tokens[i].text, s->tokens[i].bytes);
    }
    to->text[to->used] = 0;
}

/* ---- running ---- */

static void
launch_all(fuzz *f, CUmodule module, CUdeviceptr buffer)
{
    CUfunction functions[MOST_KERNELS];
    unsigned n = 0;
    const uint64_t addresses[] = {buffer,
                                  buffer + BUFFER_BYTES / 2,
                                  buffer + 1,
                                  buffer,
                                  (uint64_t)(uintptr_t)fuzz_canary,
                                  buffer + (UINT64_C(1) << 33),
                                  0,
                                  1};
    if (cuModuleGetFunctionCount(&n, module) != CUDA_SUCCESS)
        return;
    n = n < MOST_KERNELS ? n : MOST_KERNELS;
    if (!n || cuModuleEnumerateFunctions(functions, n, module) != CUDA_SUCCESS)
        return;
    for (unsigned i = 0; i < n; i++) {
        fuzz_note(f, "launching kernel %u of %u", i, n);
        /* mostly a buffer: what is read is what makes the way of a kernel */
        fuzz_device_launch(f, functions[i], addresses,
                           fuzz_chance(f, 70) ? 4 : 8);
    }
}

static void
play(fuzz *f)
{
    static output mutant;
    CUmodule module;
    CUdeviceptr buffer;
    change(f, &mutant);
    if (f->prints)
        printf("%s\n", mutant.text);
    fuzz_note(f, "loading");
    f->record->calls++;
    CUresult result = cuModuleLoadData(&module, mutant.text);
    f->record->steps++;
    if (result != CUDA_SUCCESS) {
        f->record->refused++;
        return;
    }
    if (cuMemAlloc(&buffer, BUFFER_BYTES) != CUDA_SUCCESS)
        fuzz_fail("no memory for a buffer");
    (void)cuMemsetD8(buffer, 0, BUFFER_BYTES);
    launch_all(f, module, buffer);
    fuzz_device_wait(f);
    (void)cuModuleUnload(module); /* neither is there after a fault */
    (void)cuMemFree(buffer);
}

const fuzz_kind fuzz_mutants = {"mutants", 100, begin, play};
