/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune_expr.c - the expressions of restrictions: whole numbers, names of
 * parameters, C's operators from || down to unary ones, in C's order.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tune.h"

enum { DEPTH = 64 };

typedef struct {
    const tune_space *space;
    const tune_variant *variant;
    const char *at; /* what is left */
    bool is_bad;
    int depth;
} reader;

typedef enum {
    OR,
    AND,
    EQ,
    NE,
    LE,
    GE,
    LT,
    GT,
    ADD,
    SUB,
    MUL,
    DIV,
    MOD
} operation;

/* Longer spellings before those that they begin with. */
static const struct {
    const char *text;
    int level; /* 0 binds least */
    operation op;
} operators[] = {
    {"||", 0, OR}, {"or ", 0, OR}, {"&&", 1, AND}, {"and ", 1, AND},
    {"==", 2, EQ}, {"!=", 2, NE},  {"<=", 3, LE},  {">=", 3, GE},
    {"<", 3, LT},  {">", 3, GT},   {"+", 4, ADD},  {"-", 4, SUB},
    {"*", 5, MUL}, {"//", 5, DIV}, {"/", 5, DIV},  {"%", 5, MOD},
};
enum { LEVELS = 6 };

static int64_t read_level(reader *r, int level);

static void
skip_spaces(reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/* If the next thing is this, it is taken. */
static bool
take(reader *r, const char *text)
{
    skip_spaces(r);
    size_t n = strlen(text);
    if (strncmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static int64_t
read_name(reader *r)
{
    size_t n = 0;
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
        n++;
    sw_str name = {r->at, n};
    for (uint32_t i = 0; i < r->space->count; i++) {
        if (!sw_str_is(name, r->space->params[i].name))
            continue;
        r->at += n;
        return json_integer_value(
            json_array_get(r->space->params[i].values, r->variant->at[i]));
    }
    bool is_true = sw_str_is(name, "True");
    if (is_true || sw_str_is(name, "False"))
        r->at += n;
    else
        r->is_bad = true;
    return is_true;
}

static int64_t
read_one(reader *r)
{
    int64_t value = 0;
    skip_spaces(r);
    if (++r->depth > DEPTH)
        r->is_bad = true;
    if (r->is_bad) {
        value = 0;
    } else if (take(r, "(")) {
        value = read_level(r, 0);
        r->is_bad |= !take(r, ")");
    } else if (take(r, "not ") || (*r->at == '!' && take(r, "!"))) {
        value = !read_one(r);
    } else if (take(r, "-")) {
        value = (int64_t)(0 - (uint64_t)read_one(r));
    } else if (isdigit((unsigned char)*r->at)) {
        char *end;
        value = strtoll(r->at, &end, 0);
        r->at = end;
    } else {
        value = read_name(r);
    }
    r->depth--;
    return value;
}

/* Sums wrap around; what is divided by 0 is 0. */
static int64_t
compute(operation op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    bool can_divide = b != 0 && !(a == INT64_MIN && b == -1);
    switch (op) {
    case OR:
        return a || b;
    case AND:
        return a && b;
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case LE:
        return a <= b;
    case GE:
        return a >= b;
    case LT:
        return a < b;
    case GT:
        return a > b;
    case ADD:
        return (int64_t)(x + y);
    case SUB:
        return (int64_t)(x - y);
    case MUL:
        return (int64_t)(x * y);
    case DIV:
        return can_divide ? a / b : 0;
    case MOD:
        return can_divide ? a % b : 0;
    }
    return 0;
}

static int64_t
read_level(reader *r, int level)
{
    if (level == LEVELS)
        return read_one(r);
    int64_t value = read_level(r, level + 1);
    for (size_t i = 0; i < sizeof operators / sizeof *operators;) {
        if (!r->is_bad && operators[i].level == level &&
            take(r, operators[i].text)) {
            value = compute(operators[i].op, value, read_level(r, level + 1));
            i = 0;
        } else {
            i++;
        }
    }
    return value;
}

bool
tune_evaluate(const tune_space *space, const tune_variant *v, const char *text,
              int64_t *value, const char **error)
{
    reader r = {.space = space, .variant = v, .at = text};
    *value = read_level(&r, 0);
    skip_spaces(&r);
    *error = r.at;
    return !r.is_bad && !*r.at;
}
