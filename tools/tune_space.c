/* SPDX-License-Identifier: Apache-2.0 */
/* tune_space.c - what may vary: the description of a tuning, and variants. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tune.h"

static bool
refuse(const tune_space *s, const char *what, const char *value)
{
    fprintf(stderr, "softwarp tune: error: %s: %s%s%s%s\n", s->path, what,
            *value ? " '" : "", value, *value ? "'" : "");
    return false;
}

static const char *
text_of(const json_t *row, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(row, key));
    return text ? text : otherwise;
}

static bool
is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return n && !text[n] && (*text < '0' || *text > '9');
}

static bool
read_params(tune_space *s)
{
    json_t *all = json_object_get(s->root, "tune_params"), *values;
    const char *name;
    s->variants = 1;
    json_object_foreach(all, name, values)
    {
        size_t n = json_array_size(values);
        if (s->count == TUNE_PARAMS)
            return refuse(s, "there are more than 16 parameters", "");
        if (!is_name(name))
            return refuse(s, "no name of a macro", name);
        if (!n || n > TUNE_VALUES)
            return refuse(s, "a list of 1 to 256 values belongs to", name);
        for (size_t i = 0; i < n; i++) {
            const json_t *v = json_array_get(values, i);
            if (!json_is_integer(v) && !json_is_string(v))
                return refuse(s, "values are whole numbers or strings in",
                              name);
        }
        s->params[s->count++] =
            (tune_param){.name = name, .values = values, .count = (uint32_t)n};
        s->variants = sw_product(s->variants, n);
    }
    if (!s->count)
        return refuse(s, "there is nothing in tune_params", "");
    if (s->variants > INT64_MAX)
        return refuse(s, "there are more than 2^63 variants", "");
    return true;
}

/* Each is an expression, whatever its value is. */
static bool
check_restrictions(const tune_space *s)
{
    tune_variant first = {{0}};
    int64_t value;
    const char *error;
    for (size_t i = 0; i < json_array_size(s->restrictions); i++) {
        const char *text =
            json_string_value(json_array_get(s->restrictions, i));
        if (!text)
            return refuse(s, "a restriction is a string", "");
        if (!tune_evaluate(s, &first, text, &value, &error)) {
            fprintf(stderr,
                    "softwarp tune: error: %s: restriction '%s' is no "
                    "expression from '%s' on\n",
                    s->path, text, error);
            return false;
        }
    }
    return true;
}

bool
tune_space_set_objective(tune_space *s, const char *text)
{
    s->objective = !strcmp(text, "time")        ? TUNE_TIME
                   : !strcmp(text, "host time") ? TUNE_HOST
                                                : TUNE_COUNTER;
    s->metric = text;
    return *text != 0;
}

bool
tune_space_read(tune_space *s, const char *path)
{
    json_error_t error;
    *s = (tune_space){.path = path};
    s->root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!s->root) {
        fprintf(stderr, "softwarp tune: error: %s:%d: %s\n", path, error.line,
                error.text);
        return false;
    }
    const char *slash = strrchr(path, '/');
    s->folder = sw_strdup(slash ? path : ".");
    if (slash)
        s->folder[slash - path] = 0;
    s->source = text_of(s->root, "source", "");
    s->kernel = text_of(s->root, "kernel", "");
    s->strategy = text_of(s->root, "strategy", "brute_force");
    s->options = json_object_get(s->root, "options");
    s->arguments = json_object_get(s->root, "arguments");
    s->devices = json_object_get(s->root, "devices");
    s->restrictions = json_object_get(s->root, "restrictions");
    s->is_greater_better =
        json_is_true(json_object_get(s->root, "objective_higher_is_better"));
    if (!*s->source)
        return refuse(s, "it names no source", "");
    if (!tune_has_strategy(s->strategy))
        return refuse(s,
                      "strategies are brute_force, random_sample and mls, "
                      "not",
                      s->strategy);
    if (!tune_space_set_objective(s, text_of(s->root, "objective", "time")))
        return refuse(s, "the objective is empty", "");
    return read_params(s) && check_restrictions(s);
}

void
tune_space_finish(tune_space *s)
{
    sw_free(s->folder);
    json_decref(s->root);
}

/* ---- variants ---- */

tune_variant
tune_variant_of(const tune_space *s, uint64_t number)
{
    tune_variant v = {{0}};
    for (uint32_t i = s->count; i-- > 0;) {
        v.at[i] = (uint32_t)(number % s->params[i].count);
        number /= s->params[i].count;
    }
    return v;
}

uint64_t
tune_number_of(const tune_space *s, const tune_variant *v)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < s->count; i++)
        number = number * s->params[i].count + v->at[i];
    return number;
}

bool
tune_is_allowed(const tune_space *s, const tune_variant *v)
{
    for (size_t i = 0; i < json_array_size(s->restrictions); i++) {
        const char *text =
            json_string_value(json_array_get(s->restrictions, i));
        int64_t value;
        const char *error;
        if (!tune_evaluate(s, v, text, &value, &error) || !value)
            return false;
    }
    return true;
}

void
tune_put_value(const tune_space *s, const tune_variant *v, uint32_t param,
               sw_buf *out)
{
    const json_t *value = json_array_get(s->params[param].values, v->at[param]);
    if (json_is_string(value))
        sw_buf_puts(out, json_string_value(value));
    else
        sw_buf_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

void
tune_put_text(const tune_space *s, const tune_variant *v, const char *text,
              sw_buf *out)
{
    sw_buf_puts(out, "");
    while (*text) {
        size_t n = strcspn(text, "}");
        uint32_t i = s->count;
        for (; *text == '{' && text[n] && i > 0; i--) {
            const char *name = s->params[i - 1].name;
            if (strlen(name) == n - 1 && !strncmp(name, text + 1, n - 1))
                break;
        }
        if (*text == '{' && text[n] && i > 0) {
            tune_put_value(s, v, i - 1, out);
            text += n + 1;
        } else {
            sw_buf_put(out, *text++);
        }
    }
}

void
tune_put_variant(const tune_space *s, const tune_variant *v, sw_buf *out)
{
    for (uint32_t i = 0; i < s->count; i++) {
        sw_buf_printf(out, "%s%s=", i ? " " : "", s->params[i].name);
        tune_put_value(s, v, i, out);
    }
}

const char *
tune_state_name(tune_state state)
{
    static const char *const names[] = {
#define STATE(name, text) text,
        TUNE_STATES(STATE)
#undef STATE
    };
    return names[state];
}
