/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_options.c - the options of OpenCL programs; see opencl_private.h. */
#include <string.h>

#include "cc/opencl_private.h"
#include "cc/session.h"

typedef enum { NONE, AFTER, NEXT, EITHER } value_place;

typedef enum {
    CLANG,
    IGNORED,
    DEFINE,
    FOLDER,
    LANGUAGE,
    STANDARD,
    NOT_OPTIMIZED,
    CONTRACTED,
    FLUSHED,
    UNSAFE,
    FAST,
    LIBRARY,
    VERBOSE,
    REGISTERS,
    LEVEL,
    ARCH,
} meaning;

typedef struct {
    const char *spelling;
    value_place place;
    int steps;
    meaning means;
} option;

static const option table[] = {
#define COMPILE SW_CL_STEP_COMPILE
#define LINK    SW_CL_STEP_LINK
#define BUILD   SW_CL_STEP_BUILD
#define CL_OPTION(spelling, place, steps, means)                               \
    {spelling, place, steps, means},
#include "cc/opencl_options.def"
#undef CL_OPTION
#undef COMPILE
#undef LINK
#undef BUILD
};

static const char *const standards[] = {
    "CL1.0", "CL1.1", "CL1.2",    "CL2.0",
    "CL3.0", "CLC++", "CLC++1.0", "CLC++2021",
};

enum { MOST_REGISTERS = 255, MOST_LEVEL = 3 };

static bool
wrong(const char *word, const char *why)
{
    cc_fail(SW_E_INVAL, "error: option '%s': %s\n", word, why);
    return false;
}

/* The next word of the options, in the arena; NULL: there is none. Quotes of
 * both kinds and backslashes are as in a shell. */
static char *
next_word(const char **text, sw_arena *arena)
{
    const char *p = *text;
    sw_buf word;
    char quote = 0;

    while (cc_is_space(*p))
        p++;
    if (!*p)
        return NULL;
    sw_buf_init(&word);
    for (; *p && (quote || !cc_is_space(*p)); p++) {
        if (*p == quote)
            quote = 0;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (*p == '\\' && quote != '\'' && p[1] && strchr("\\\"' ", p[1]))
            sw_buf_put(&word, *++p);
        else
            sw_buf_put(&word, *p);
    }
    *text = p;
    char *copy = sw_arena_printf(arena, "%s", word.n ? word.p : "");
    sw_buf_finish(&word);
    return copy;
}

/* The longest row that the word begins with, if that can have a value there. */
static const option *
find_option(const char *word)
{
    const option *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const option *o = &table[i];
        size_t n = strlen(o->spelling);
        bool fits = !strncmp(word, o->spelling, n) &&
                    (!word[n] || o->place == EITHER ||
                     (o->place == AFTER && word[n] == '='));
        if (fits && n > longest) {
            best = o;
            longest = n;
        }
    }
    return best;
}

static void
push(cl_options *o, const char *arg)
{
    *(char **)sw_vec_push(&o->compile) = sw_arena_str(o->arena, sw_str_of(arg));
}

static bool
is_number(const char *text, uint64_t most)
{
    uint64_t n;
    return sw_str_to_u64(sw_str_of(text), 10, &n) && n <= most;
}

static bool
is_standard(const char *value)
{
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
        if (!strcmp(value, standards[i]))
            return true;
    return false;
}

static bool
is_macro(const char *value)
{
    return cc_is_letter(*value) && !(*value >= '0' && *value <= '9');
}

/* Of `row`, as the user wrote it, with its value ("" if it has none). */
static bool
apply(cl_options *o, const option *row, const char *value)
{
    const char *word = row->spelling;
    switch (row->means) {
    case CLANG:
        push(o, word);
        break;
    case IGNORED:
        break;
    case DEFINE:
        if (!is_macro(value))
            return wrong(word, "a macro's name must follow");
        push(o, sw_arena_printf(o->arena, "-D%s", value));
        break;
    case FOLDER:
        push(o, sw_arena_printf(o->arena, "-I%s", value));
        break;
    case LANGUAGE:
        if (strcmp(value, "spir") != 0)
            return wrong("-x", "only spir may follow");
        break;
    case STANDARD:
        if (!is_standard(value))
            return wrong(
                sw_arena_printf(o->arena, "%s=%s", word, value),
                "this version is none of CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, "
                "CLC++, CLC++1.0 and CLC++2021");
        o->standard = value;
        break;
    case NOT_OPTIMIZED:
        o->not_optimized = true;
        break;
    case CONTRACTED:
        o->contracted = true;
        break;
    case FLUSHED:
        o->flushed = true;
        break;
    case UNSAFE:
        o->contracted = true;
        push(o, word);
        break;
    case FAST:
        o->fast = o->contracted = true;
        push(o, word);
        break;
    case LIBRARY:
        o->is_library = true;
        break;
    case VERBOSE:
        o->verbose = true;
        break;
    case REGISTERS:
        if (!is_number(value, MOST_REGISTERS))
            return wrong(word, "a number of at most 255 must follow");
        o->registers = value;
        break;
    case LEVEL:
        if (!is_number(value, MOST_LEVEL))
            return wrong(word, "a number from 0 to 3 must follow");
        o->not_optimized |= *value == '0';
        break;
    case ARCH:
        if (strncmp(value, "sm_", 3) != 0)
            return wrong(word, "an architecture such as sm_90 must follow");
        break;
    }
    return true;
}

/* One option, whose value may be the next word. */
static bool
read_option(cl_options *o, const char *word, const char **rest, int steps)
{
    const option *row = find_option(word);
    if (!row)
        return wrong(word, "there is no such option");
    if (!(row->steps & steps))
        return wrong(word, steps == SW_CL_STEP_LINK
                               ? "it is none of linking"
                               : "it is none of compiling");
    const char *value = word + strlen(row->spelling);
    if (*value == '=' && *row->spelling && row->spelling[2])
        value++;
    bool takes = row->place == NEXT || row->place == EITHER;
    if (takes && !*value) {
        value = next_word(rest, o->arena);
        if (!value)
            return wrong(word, "it needs a value, and none follows");
    }
    if (row->place == AFTER && !*value)
        return wrong(word, "it needs a value behind '='");
    return apply(o, row, value);
}

bool
cl_options_read(cl_options *options, sw_arena *arena, const char *text,
                int steps)
{
    *options = (cl_options){.arena = arena};
    sw_vec_init(&options->compile, sizeof(char *));
    text = text ? text : "";
    for (char *word; (word = next_word(&text, arena));)
        if (!read_option(options, word, &text, steps))
            return false;
    return true;
}

void
cl_options_finish(cl_options *options)
{
    sw_vec_finish(&options->compile);
}
