/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - NVRTC's options: "--name=value", "-name=value", "-Xvalue" for
 * those of one letter, and the value as the next one.
 */
#include <ctype.h>
#include <string.h>

#include "lib/nvrtc/nvrtc.h"

typedef enum {
    OPT_IGNORE,   /* has no meaning here */
    OPT_PASS,     /* another's */
    OPT_ATTACHED, /* the value follows */
    OPT_JOINED,   /* the same */
    OPT_PAIR,     /* as the next one */
    OPT_BOOL,     /* the value is true or false */
    OPT_MAYBE,    /* if it is false */
    OPT_STANDARD, /* a standard of C++ */
    OPT_ARCH,
    OPT_DEBUG,
    OPT_LTO,
    OPT_PCH,
    OPT_REGISTERS,
    OPT_NO_FOLDER, /* of the source is searched */
    OPT_REFUSED,
} option_kind;

typedef enum { ARG_NONE, ARG_VALUE, ARG_OPTIONAL } option_arg;

typedef struct {
    const char *name, *other; /* NULL: there is none */
    option_arg arg;
    option_kind kind;
    const char *text;
} option_row;

/* clang-format off */
#define OPTION(name, other, arg, kind, text) \
    {name, other, ARG_##arg, OPT_##kind, text},
static const option_row rows[] = {
#include "lib/nvrtc/options.def"
};
#undef OPTION
/* clang-format on */

enum { ROWS = sizeof rows / sizeof *rows };

/* ---- architectures ---- */

static const int archs_11[] = {35, 37, 50, 52, 53, 60, 61, 62,
                               70, 72, 75, 80, 86, 87, 89, 90};
static const int archs_12[] = {50, 52, 53, 60, 61,  62,  70,  72,  75, 80,
                               86, 87, 89, 90, 100, 101, 103, 120, 121};
static const int archs_13[] = {75, 80,  86,  87,  88,  89,
                               90, 100, 103, 110, 120, 121};

size_t
nvrtc_archs(int cuda, const int **out)
{
    static const struct {
        const int *list;
        size_t count;
    } all[] = {
        {archs_11, sizeof archs_11 / sizeof *archs_11},
        {archs_12, sizeof archs_12 / sizeof *archs_12},
        {archs_13, sizeof archs_13 / sizeof *archs_13},
    };
    *out = all[cuda - 11].list;
    return all[cuda - 11].count;
}

static bool
is_arch(uint64_t number, int cuda)
{
    const int *list;
    for (size_t i = 0, n = nvrtc_archs(cuda, &list); i < n; i++)
        if ((uint64_t)list[i] == number)
            return true;
    return false;
}

static bool
take_arch(nvrtc_options *o, const char *value)
{
    static const struct {
        const char *prefix;
        bool is_real, is_lto;
    } kinds[] = {{"compute_", false, false},
                 {"sm_", true, false},
                 {"lto_", false, true}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].prefix);
        if (strncmp(value, kinds[i].prefix, n) != 0)
            continue;
        size_t digits = strspn(value + n, "0123456789");
        const char *rest = value + n + digits;
        uint64_t number;
        if (!sw_str_to_u64((sw_str){value + n, digits}, 10, &number) ||
            !is_arch(number, o->cuda) ||
            (*rest && (!strchr("af", *rest) || rest[1])))
            return false;
        o->arch = (uint32_t)number;
        o->variant = *rest;
        o->is_real = kinds[i].is_real;
        o->wants_lto |= kinds[i].is_lto;
        return true;
    }
    return false;
}

/* ---- one option ---- */

static void
push(nvrtc_options *o, const char *arg)
{
    *(const char **)sw_vec_push(&o->args) = arg;
}

static bool
is_one_of(const char *value, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(*list, value))
            return true;
    return false;
}

/* False: the value is none that it takes. */
static bool
apply(nvrtc_options *o, const option_row *row, const char *value)
{
    static const char *const standards[] = {"c++03", "c++11", "c++14",
                                            "c++17", "c++20", NULL};
    static const char *const bools[] = {"true", "false", NULL};
    uint64_t n;
    switch (row->kind) {
    case OPT_IGNORE:
        return true;
    case OPT_NO_FOLDER:
        o->leaves_folder = true;
        return true;
    case OPT_DEBUG:
        o->is_debug = true;
        push(o, row->text);
        return true;
    case OPT_PASS:
        push(o, row->text);
        return true;
    case OPT_PAIR:
        push(o, row->text);
        push(o, sw_arena_str(o->arena, sw_str_of(value)));
        return true;
    case OPT_STANDARD:
    case OPT_BOOL:
        if (!is_one_of(value, row->kind == OPT_BOOL ? bools : standards))
            return false;
        push(o, sw_arena_printf(o->arena, "%s%s", row->text, value));
        return true;
    case OPT_ATTACHED:
        if (*value) /* as NVRTC: "-I" alone says nothing */
            push(o, sw_arena_printf(o->arena, "%s%s", row->text, value));
        return true;
    case OPT_JOINED:
        push(o, sw_arena_printf(o->arena, "%s%s", row->text, value));
        return true;
    case OPT_MAYBE:
        if (!strcmp(value, "false"))
            push(o, row->text);
        return is_one_of(value, bools);
    case OPT_ARCH:
        return take_arch(o, value);
    case OPT_LTO:
        o->wants_lto = true;
        return true;
    case OPT_PCH:
        o->creates_pch = true;
        return true;
    case OPT_REGISTERS:
        o->max_registers = sw_arena_str(o->arena, sw_str_of(value));
        return sw_str_to_u64(sw_str_of(value), 10, &n);
    case OPT_REFUSED:
        return false;
    }
    return false;
}

static const option_row *
find(const char *name, size_t n)
{
    for (size_t i = 0; i < ROWS; i++) {
        const option_row *row = &rows[i];
        if ((strlen(row->name) == n && !strncmp(row->name, name, n)) ||
            (row->other && strlen(row->other) == n &&
             !strncmp(row->other, name, n)))
            return row;
    }
    return NULL;
}

/* The option in `text`, and its value if that is in the text, too. */
static const option_row *
find_option(const char *text, const char **value)
{
    const char *name =
        text + (text[0] == '-') + (text[0] == '-' && text[1] == '-');
    size_t n = strcspn(name, "= ");
    const option_row *row = text[0] == '-' ? find(name, n) : NULL;
    *value = NULL;
    if (row && name[n]) {
        *value = name + n + 1;
        *value += strspn(*value, " ");
    } else if (!row && text[0] == '-' && strchr("IDU", text[1])) {
        row = find(text + 1, 1);
        *value = text + 2;
    }
    return row;
}

/* "--gpu-architecture (-arch)", as NVRTC names options. */
static void
add_name(sw_buf *log, const option_row *row)
{
    sw_buf_printf(log, "--%s", row->name);
    if (row->other)
        sw_buf_printf(log, " (-%s)", row->other);
}

/* The next of them, which may be two; false after saying what is wrong. */
static bool
read_one(nvrtc_options *o, int count, const char *const *options, int *i,
         sw_buf *log)
{
    const char *text = options[*i], *value;
    text += strspn(text, " ");
    const option_row *row = find_option(text, &value);
    if (!row) {
        sw_buf_printf(log, "nvrtc: error: unrecognized option %s found\n",
                      text);
        return false;
    }
    if (!value && row->arg == ARG_VALUE && *i + 1 < count)
        value = options[++*i];
    if (row->kind == OPT_REFUSED) {
        sw_buf_printf(log, "nvrtc: error: %s asks for %s\n", text, row->text);
        return false;
    }
    if (apply(o, row, value ? value : ""))
        return true;
    const char *expected = row->kind == OPT_BOOL || row->kind == OPT_MAYBE
                               ? "true or false"
                           : row->kind == OPT_REGISTERS ? "an integer value"
                                                        : NULL;
    sw_buf_puts(log, expected ? "nvrtc: error: "
                              : "nvrtc: error: invalid value for ");
    add_name(log, row);
    if (expected)
        sw_buf_printf(log, " expects %s", expected);
    sw_buf_printf(log, "; it is '%s'\n", value ? value : "");
    return false;
}

nvrtcResult
nvrtc_options_read(nvrtc_options *o, int count, const char *const *options,
                   int cuda, sw_buf *log)
{
    static const uint32_t defaults[] = {52, 52, 75};
    o->cuda = cuda;
    o->arch = defaults[cuda - 11];
    push(o, "--rtc");
    push(o, sw_arena_printf(o->arena, "--cuda=%d", cuda));
    for (int i = 0; i < count; i++)
        if (!options[i] || !read_one(o, count, options, &i, log))
            return NVRTC_ERROR_INVALID_OPTION;
    push(o, sw_arena_printf(o->arena, "-arch=compute_%u%.1s", o->arch,
                            &o->variant));
    if (o->wants_lto)
        push(o, "-rdc=true");
    return NVRTC_SUCCESS;
}
