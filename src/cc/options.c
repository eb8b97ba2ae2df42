/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the options of `softwarp cc`: nvcc's spellings, long and
 * short, "-opt value", "-opt=value" and for one-letter ones "-Xvalue".
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc/cc_private.h"
#include "cc/session.h"

typedef enum {
    OPT_IGNORE,        /* accepted, no meaning here */
    OPT_NOTHING_TO_DO, /* what it asks for is so already */
    OPT_OUTPUT,
    OPT_STAGE,
    OPT_PREPROCESS,
    OPT_INPUT, /* -l and -L keep their place among the inputs */
    OPT_OPTIMIZE,
    OPT_STANDARD,
    OPT_LANGUAGE,
    OPT_ARCH,
    OPT_GENCODE,
    OPT_HOST,
    OPT_LINKER,
    OPT_ASSEMBLER,
    OPT_MAXREGS,
    OPT_CUDART,
    OPT_BOOL,  /* a field to set; =false clears it */
    OPT_BOOL0, /* a field to clear; =false sets it */
    OPT_DEVICE_DEFINE,
    OPT_DEFINE, /* a macro that the option implies */
    OPT_RDC,
    OPT_FAST_MATH,
    OPT_WERROR,
    OPT_DEPENDENCIES,
    OPT_DEPS_FILE,
    OPT_DEPS_TARGET,
    OPT_KEEP_DIR,
    OPT_DEFAULT_STREAM,
    OPT_FILE, /* of more options */
    OPT_REFUSED,
    OPT_CUDA, /* whose headers and runtime */
    OPT_LIST, /* of architectures, with this in front */
    OPT_RUN_ARGS,
    OPT_ARCHIVER,
    OPT_OUTPUT_DIR,
    OPT_HOST_FLAG, /* clang's, in the host pass */
    OPT_BOTH_FLAG, /* clang's, which the value follows */
} option_kind;

/* What follows the name. */
typedef enum { ARG_NONE, ARG_VALUE, ARG_OPTIONAL } option_arg;

typedef struct {
    const char *name;
    const char *other; /* the second spelling or NULL */
    option_arg arg;
    option_kind kind;
    size_t where;        /* of the field, where the kind sets one */
    const char *text;    /* what the kind needs */
    const char *meaning; /* for --help; NULL: none here */
} option_row;

#define FIELD(name) offsetof(cc_options, name)

/* clang-format off */
#define OPTION(name, other, arg, kind, where, text, meaning)                  \
    {name, other, ARG_##arg, OPT_##kind, where, text, meaning},
static const option_row option_rows[] = {
#include "cc/options.def"
};
#undef OPTION
/* clang-format on */

enum { OPTION_COUNT = sizeof option_rows / sizeof option_rows[0] };

static bool
complain(const char *option, const char *sentence)
{
    cc_say("softwarp cc: error: '%s' %s\n", option, sentence);
    return false;
}

static void
push(sw_vec *vec, const char *text)
{
    *(const char **)sw_vec_push(vec) = text;
}

static bool
has_header(const cc_options *o, const char *folder, const char *name)
{
    return access(sw_arena_printf(o->arena, "%s/%s", folder, name), R_OK) == 0;
}

/* An option for the preprocessor and its value. Folders of headers: those of a
 * vendor's toolkit come after ours, and ours are there already. */
static void
push_preprocess(cc_options *o, const char *option, const char *value)
{
    bool is_folder = !strcmp(option, "-I") || !strcmp(option, "-isystem");
    if (is_folder && has_header(o, value, "softwarp_version.h"))
        return;
    if (is_folder && has_header(o, value, "cuda_runtime_api.h"))
        option = "-idirafter";
    push(&o->preprocess, option);
    push(&o->preprocess, value);
}

static bool read_file(cc_options *o, const char *path);

/* Pieces between some of the characters of `between`; quotes and backslashes
 * protect. */
static void
push_pieces(cc_options *o, sw_vec *vec, const char *text, const char *between)
{
    char quote = 0;
    sw_buf piece;

    sw_buf_init(&piece);
    for (const char *p = text;; p++) {
        bool ends = !*p || (!quote && strchr(between, *p));

        if (ends) {
            if (piece.n > 0)
                push(vec, sw_arena_str(o->arena, (sw_str){piece.p, piece.n}));
            sw_buf_finish(&piece);
            sw_buf_init(&piece);
            if (!*p)
                break;
        } else if (*p == '\\' && p[1]) {
            sw_buf_add(&piece, ++p, 1);
        } else if (*p == quote) {
            quote = 0;
        } else if (!quote && (*p == '"' || *p == '\'')) {
            quote = *p;
        } else {
            sw_buf_add(&piece, p, 1);
        }
    }
    sw_buf_finish(&piece);
}

/* "sm_75", "compute_90a"; false if it is neither. */
static bool
read_arch(const char *text, size_t n, cc_arch *out)
{
    size_t start = 0;
    cc_arch arch = {0, 0};

    if (n > 3 && strncmp(text, "sm_", 3) == 0)
        start = 3;
    else if (n > 8 && strncmp(text, "compute_", 8) == 0)
        start = 8;
    else if (n > 4 && strncmp(text, "lto_", 4) == 0)
        start = 4;
    if (start == 0)
        return false;
    while (start < n && isdigit((unsigned char)text[start]) &&
           arch.number < 1000)
        arch.number = arch.number * 10 + (uint32_t)(text[start++] - '0');
    if (start < n && (text[start] == 'a' || text[start] == 'f'))
        arch.suffix = text[start++];
    if (start != n || arch.number < 10)
        return false;
    *out = arch;
    return true;
}

cc_arch
cc_clang_arch(cc_arch asked)
{
    static const uint32_t known[] = {50, 52, 53, 60, 61, 62, 70,
                                     72, 75, 80, 86, 87, 89, 90};
    cc_arch arch = {known[0], 0};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] <= asked.number)
            arch.number = known[i];
    if (asked.number == 90 && asked.suffix == 'a')
        arch.suffix = 'a';
    return arch;
}

static void
add_arch(cc_options *o, cc_arch arch)
{
    for (size_t i = 0; i < o->archs.count; i++) {
        cc_arch *have = sw_vec_at(&o->archs, i);
        if (have->number == arch.number && have->suffix == arch.suffix)
            return;
    }
    *(cc_arch *)sw_vec_push(&o->archs) = arch;
}

static bool
take_arch(cc_options *o, const char *option, const char *value)
{
    cc_arch arch;

    if (strcmp(value, "native") == 0 || strcmp(value, "all") == 0 ||
        strcmp(value, "all-major") == 0)
        return true; /* PTX of the default architecture runs on all */
    if (!read_arch(value, strlen(value), &arch))
        return complain(sw_arena_printf(o->arena, "%s=%s", option, value),
                        "names no architecture (sm_NN or compute_NN)");
    add_arch(o, arch);
    return true;
}

/* "arch=compute_75,code=sm_75" and its quoted and bracketed forms. */
static bool
take_gencode(cc_options *o, const char *option, const char *value)
{
    const char *p = strstr(value, "arch=");
    cc_arch arch;

    if (p) {
        size_t n = strcspn(p + 5, ",\"' ");
        if (read_arch(p + 5, n, &arch)) {
            add_arch(o, arch);
            return true;
        }
    }
    return complain(sw_arena_printf(o->arena, "%s=%s", option, value),
                    "has no arch=compute_NN");
}

/* The versions that our headers and runtime libraries are (softwarp_version.h).
 */
static const cc_cuda cuda_versions[] = {
    {11, 8, 11080, "libcudart.so.11.0"},
    {12, 9, 12090, "libcudart.so.12"},
    {13, 0, 13000, "libcudart.so.13"},
};
enum { CUDA_VERSIONS = sizeof cuda_versions / sizeof *cuda_versions };

/* "12" or "12.4": the newest of that generation. */
static bool
take_version(cc_options *o, const char *option, const char *value)
{
    char *end;
    unsigned long major = strtoul(value, &end, 10);

    for (size_t i = 0; i < CUDA_VERSIONS; i++)
        if (cuda_versions[i].major == major && end > value &&
            (!*end || *end == '.')) {
            o->cuda = &cuda_versions[i];
            o->is_cuda_named = true;
            return true;
        }
    return complain(sw_arena_printf(o->arena, "%s=%s", option, value),
                    "is no version of CUDA that is here (11, 12, 13)");
}

static bool
read_bool(const char *value, bool *out)
{
    if (!value || strcmp(value, "true") == 0 || strcmp(value, "1") == 0)
        *out = true;
    else if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
        *out = false;
    else
        return false;
    return true;
}

/* One option; value is NULL if it has none. */
static bool
apply(cc_options *o, const option_row *row, const char *spelt,
      const char *value)
{
    void *field = (char *)o + row->where;
    bool flag = true;

    switch (row->kind) {
    case OPT_IGNORE:
        push(&o->ignored,
             value ? sw_arena_printf(o->arena, "%s %s", spelt, value) : spelt);
        return true;
    case OPT_NOTHING_TO_DO:
        return true;
    case OPT_OUTPUT:
        o->output = value;
        return true;
    case OPT_STAGE:
        o->stage = (cc_stage)row->where;
        if (row->text)
            o->relocatable = true;
        return true;
    case OPT_PREPROCESS:
        push_preprocess(o, row->text, value);
        return true;
    case OPT_INPUT:
        push(&o->inputs, sw_arena_printf(o->arena, "%s%s", row->text, value));
        return true;
    case OPT_OPTIMIZE:
        o->optimize = value ? value : "1";
        return true;
    case OPT_STANDARD:
        o->standard = value;
        return true;
    case OPT_LANGUAGE:
        if (strcmp(value, "cu") && strcmp(value, "c") && strcmp(value, "c++"))
            return complain(value, "is no language of -x (cu, c, c++)");
        o->language = value;
        return true;
    case OPT_ARCH:
        return take_arch(o, spelt, value);
    case OPT_GENCODE:
        return take_gencode(o, spelt, value);
    case OPT_HOST:
        push_pieces(o, &o->host, value, ", ");
        return true;
    case OPT_LINKER: {
        sw_vec pieces;
        sw_vec_init(&pieces, sizeof(char *));
        push_pieces(o, &pieces, value, ", ");
        for (size_t i = 0; i < pieces.count; i++) {
            push(&o->link, "-Xlinker");
            push(&o->link, *(char **)sw_vec_at(&pieces, i));
        }
        sw_vec_finish(&pieces);
        return true;
    }
    case OPT_ASSEMBLER: {
        sw_vec pieces;
        sw_vec_init(&pieces, sizeof(char *));
        push_pieces(o, &pieces, value, ", ");
        for (size_t i = 0; i < pieces.count; i++) {
            const char *piece = *(char **)sw_vec_at(&pieces, i);
            if (!strcmp(piece, "-v") || !strcmp(piece, "--verbose"))
                o->say_kernels = true;
            else
                push(&o->ignored,
                     sw_arena_printf(o->arena, "%s %s", spelt, piece));
        }
        sw_vec_finish(&pieces);
        return true;
    }
    case OPT_MAXREGS: {
        uint64_t n;
        if (!sw_str_to_u64(sw_str_of(value), 10, &n) || n > 1024)
            return complain(value, "is no register count");
        o->max_regs = value;
        return true;
    }
    case OPT_CUDART:
        if (strcmp(value, "none") == 0)
            o->no_host_runtime = true;
        else if (strcmp(value, "static") == 0)
            push(&o->ignored, "-cudart static");
        else if (strcmp(value, "shared"))
            return complain(value,
                            "is no value of -cudart (shared, static, none)");
        return true;
    case OPT_BOOL:
    case OPT_BOOL0:
        if (!read_bool(value, &flag))
            return complain(spelt, "takes true or false");
        *(bool *)field = row->kind == OPT_BOOL ? flag : !flag;
        return true;
    case OPT_DEVICE_DEFINE:
        push(&o->device, row->text);
        return true;
    case OPT_DEFINE:
        push(&o->preprocess, "-D");
        push(&o->preprocess, row->text);
        return true;
    case OPT_RDC:
        if (!read_bool(value, &flag))
            return complain(spelt, "takes true or false");
        o->relocatable = flag;
        return true;
    case OPT_FAST_MATH:
        o->fast_math = o->ftz = o->approx_div = o->approx_sqrt = true;
        return true;
    case OPT_WERROR:
        if (strstr(value, "all-warnings"))
            o->warnings_are_errors = true;
        else
            push(&o->ignored, sw_arena_printf(o->arena, "-Werror %s", value));
        return true;
    case OPT_DEPENDENCIES:
        if (strcmp(row->text, "-M") == 0 || strcmp(row->text, "-MM") == 0) {
            o->depend_stage = row->text;
            o->stage = CC_DEPENDENCIES;
        } else {
            o->with_dependencies = true;
            o->user_dependencies = strcmp(row->text, "-MMD") == 0;
        }
        return true;
    case OPT_DEPS_FILE:
        o->deps_file = value;
        return true;
    case OPT_DEPS_TARGET:
        o->deps_target = value;
        return true;
    case OPT_KEEP_DIR:
        o->keep_dir = value;
        return true;
    case OPT_DEFAULT_STREAM:
        if (strcmp(value, "per-thread") == 0) {
            push(&o->preprocess, "-D");
            push(&o->preprocess, "CUDA_API_PER_THREAD_DEFAULT_STREAM=1");
        } else if (strcmp(value, "legacy") && strcmp(value, "null")) {
            return complain(value, "is no default stream");
        }
        return true;
    case OPT_FILE:
        return read_file(o, value);
    case OPT_REFUSED:
        return complain(spelt, row->text);
    case OPT_CUDA:
        if (!value)
            return complain(spelt, row->text);
        return take_version(o, spelt, value);
    case OPT_LIST:
        o->list = row->text;
        return true;
    case OPT_RUN_ARGS:
        push_pieces(o, &o->run_args, value, ", ");
        return true;
    case OPT_ARCHIVER:
        o->archiver = value;
        return true;
    case OPT_OUTPUT_DIR:
        o->output_dir = value;
        return true;
    case OPT_HOST_FLAG:
        push(&o->host, row->text);
        return true;
    case OPT_BOTH_FLAG: {
        const char *flag_text =
            sw_arena_printf(o->arena, "%s%s", row->text, value);
        push(&o->host, flag_text);
        push(&o->device, flag_text);
        return true;
    }
    }
    return false;
}

static const option_row *
find(const char *name, size_t n)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option_row *row = &option_rows[i];
        if ((strlen(row->name) == n && strncmp(row->name, name, n) == 0) ||
            (row->other && strlen(row->other) == n &&
             strncmp(row->other, name, n) == 0))
            return row;
    }
    return NULL;
}

/* One-letter options whose value may follow without a space. */
static bool
is_attached(char letter)
{
    return strchr("IlLDUOox", letter) != NULL;
}

/* argv[i]; advances *i past a value taken from the next argument. */
static bool
read_one(cc_options *o, int argc, char **argv, int *i)
{
    const char *spelt = argv[*i];
    const char *name = spelt + 1;
    const char *value = NULL;
    const option_row *row;

    if (*name == '-')
        name++;
    size_t n = strcspn(name, "=");
    row = find(name, n);
    if (row) {
        if (name[n] == '=') {
            value = name + n + 1;
            spelt = sw_arena_str(o->arena,
                                 (sw_str){spelt, (size_t)(name - spelt) + n});
        }
    } else if (name == spelt + 1 && name[0] && is_attached(name[0])) {
        row = find(name, 1);
        value = name + 1;
    }
    if (!row && (o->forward_compiler || o->forward_linker)) {
        push(o->forward_compiler ? &o->host : &o->link, spelt);
        return true;
    }
    if (!row)
        return complain(spelt, "is not an option that softwarp cc knows");
    if (row->arg == ARG_VALUE && !value) {
        if (*i + 1 >= argc)
            return complain(spelt, "needs a value");
        value = argv[++*i];
    }
    if (row->arg == ARG_NONE && value)
        return complain(spelt, "takes no value");
    return apply(o, row, spelt, value);
}

static bool
read_all(cc_options *o, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) { /* they count wherever they stand */
        const char *name = argv[i] + strspn(argv[i], "-");
        int at = i;
        if (strncmp(name, "forward-unknown-", 16) == 0 && name > argv[i] &&
            !read_one(o, argc, argv, &at))
            return false;
    }
    for (int i = 0; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1])
            push(&o->inputs, argv[i]);
        else if (!read_one(o, argc, argv, &i))
            return false;
    }
    return true;
}

/* -optf: the options that a file has. */
static bool
read_file(cc_options *o, const char *path)
{
    enum { DEPTH = 16 };
    char *text;
    size_t bytes;
    sw_vec words;
    if (sw_file_read(path, &text, &bytes))
        return complain(path, "can't be read: a file of options");
    if (++o->file_depth > DEPTH) {
        sw_free(text);
        return complain(path, "is a file of options that names itself");
    }
    sw_vec_init(&words, sizeof(char *));
    push_pieces(o, &words, text, " \t\r\n");
    bool good = read_all(o, (int)words.count, words.data);
    o->file_depth--;
    sw_vec_finish(&words);
    sw_free(text);
    return good;
}

bool
cc_options_read(cc_options *o, int argc, char **argv)
{
    *o = (cc_options){.arena = sw_arena_create(),
                      .cuda = &cuda_versions[CUDA_VERSIONS - 1]};
    sw_vec_init(&o->run_args, sizeof(char *));
    sw_vec_init(&o->inputs, sizeof(char *));
    sw_vec_init(&o->preprocess, sizeof(char *));
    sw_vec_init(&o->host, sizeof(char *));
    sw_vec_init(&o->device, sizeof(char *));
    sw_vec_init(&o->link, sizeof(char *));
    sw_vec_init(&o->ignored, sizeof(char *));
    sw_vec_init(&o->archs, sizeof(cc_arch));

    if (!read_all(o, argc - 1, argv + 1))
        return false;
    if (o->archs.count == 0)
        add_arch(o, (cc_arch){75, 0});
    return true;
}

void
cc_options_finish(cc_options *o)
{
    sw_vec_finish(&o->run_args);
    sw_vec_finish(&o->inputs);
    sw_vec_finish(&o->preprocess);
    sw_vec_finish(&o->host);
    sw_vec_finish(&o->device);
    sw_vec_finish(&o->link);
    sw_vec_finish(&o->ignored);
    sw_vec_finish(&o->archs);
    sw_arena_destroy(o->arena);
}

void
cc_options_list(const char *prefix, FILE *out)
{
    static const unsigned known[] = {75, 80,  86,  87,  88,  89,
                                     90, 100, 103, 110, 120, 121};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        fprintf(out, "%s%u\n", prefix, known[i]);
}

/* All spellings of an option, and what follows it. */
static void
put_spellings(const option_row *row, sw_buf *out)
{
    static const char *const values[] = {"", " VALUE", "[=VALUE]"};
    sw_buf_printf(out, "%s%s", row->name[1] ? "--" : "-", row->name);
    if (row->other)
        sw_buf_printf(out, ", -%s", row->other);
    sw_buf_puts(out, values[row->arg]);
}

static void
put_help(const option_row *row, const char *text, FILE *out)
{
    enum { TEXT_AT = 34 };
    sw_buf name;
    sw_buf_init(&name);
    put_spellings(row, &name);
    if (name.n > TEXT_AT - 4)
        fprintf(out, "  %s\n  %*s%s\n", name.p, TEXT_AT - 2, "", text);
    else
        fprintf(out, "  %-*s%s\n", TEXT_AT - 2, name.p, text);
    sw_buf_finish(&name);
}

void
cc_options_help(FILE *out)
{
    fputs(
        "usage: softwarp cc [option...] file...\n"
        "Compiles .cu, .cpp and .c files and links them with .o and .a files\n"
        "into a program that runs without a GPU. Options are nvcc's:\n\n",
        out);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].meaning)
            put_help(&option_rows[i], option_rows[i].meaning, out);
    fputs("\nNot supported:\n", out);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].kind == OPT_REFUSED)
            put_help(&option_rows[i], option_rows[i].text, out);
    fputs("\nAccepted without meaning here (-v says so):\n", out);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].kind == OPT_IGNORE)
            fprintf(out, "  --%s\n", option_rows[i].name);
}
