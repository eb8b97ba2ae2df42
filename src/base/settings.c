/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - see settings.h. The only reader of SOFTWARP_ variables. */
#include "base/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"

#define WORDS(words)     SW_SETTING_WORDS, words, 0, 0
#define PREFIX(words)    SW_SETTING_PREFIX, words, 0, 0
#define NUMBER(low, top) SW_SETTING_NUMBER, "", low, top
#define SECONDS          SW_SETTING_SECONDS, "", 0, 0
#define TEXT(what)       SW_SETTING_TEXT, what, 0, 0
#define CHECKED(what)    SW_SETTING_CHECKED, what, 0, 0
#define SETTING(id, name, group, kind, otherwise, meaning)                     \
    {name, SW_SETTING_##group, kind, otherwise, meaning},
static const sw_setting_row rows[] = {
#include "base/settings.def"
};
#undef SETTING

const sw_setting_row *
sw_setting_row_of(sw_setting_id id)
{
    SW_ASSERT(id < SW_SETTING_COUNT);
    return &rows[id];
}

const char *
sw_setting(sw_setting_id id)
{
    const char *value = secure_getenv(sw_setting_row_of(id)->name);
    return value && *value ? value : NULL;
}

bool
sw_setting_is_there(sw_setting_id id)
{
    return secure_getenv(sw_setting_row_of(id)->name) != NULL;
}

bool
sw_setting_is(sw_setting_id id, const char *word)
{
    const char *value = sw_setting(id);
    if (!value || !sw_setting_allows(id, value))
        value = sw_setting_row_of(id)->otherwise;
    return strcmp(value, word) == 0;
}

uint64_t
sw_setting_number(sw_setting_id id, uint64_t otherwise)
{
    const char *value = sw_setting(id);
    uint64_t n = otherwise;
    if (value && sw_setting_allows(id, value))
        sw_str_to_u64(sw_str_of(value), 10, &n);
    return n;
}

double
sw_setting_seconds(sw_setting_id id, double otherwise)
{
    const char *value = sw_setting(id);
    return value && sw_setting_allows(id, value) ? strtod(value, NULL)
                                                 : otherwise;
}

/* ---- what is allowed ---- */

/* The next of the words with | between; its length, 0 at the end. */
static size_t
next_word(const char **words, const char **word)
{
    *word = *words;
    size_t n = strcspn(*words, "|");
    *words += n + ((*words)[n] == '|');
    return n;
}

static bool
is_one_of(const char *words, const char *value, bool with_prefixes)
{
    const char *word;
    size_t n, length = strlen(value);
    while ((n = next_word(&words, &word)) > 0) {
        bool begins = length >= n && strncmp(value, word, n) == 0;
        if (begins && (length == n || (with_prefixes && word[n - 1] == ':')))
            return true;
    }
    return false;
}

bool
sw_setting_allows(sw_setting_id id, const char *value)
{
    const sw_setting_row *row = sw_setting_row_of(id);
    uint64_t n;
    char *end;
    switch (row->kind) {
    case SW_SETTING_WORDS:
    case SW_SETTING_PREFIX:
        return is_one_of(row->allowed, value, row->kind == SW_SETTING_PREFIX);
    case SW_SETTING_NUMBER:
        return sw_str_to_u64(sw_str_of(value), 10, &n) && n >= row->least &&
               n <= row->most;
    case SW_SETTING_SECONDS: {
        double seconds = strtod(value, &end);
        return end != value && !*end && isfinite(seconds) && seconds > 0;
    }
    case SW_SETTING_TEXT:
    case SW_SETTING_CHECKED:
        break;
    }
    return true;
}

void
sw_setting_add_allowed(sw_setting_id id, sw_buf *out)
{
    const sw_setting_row *row = sw_setting_row_of(id);
    if (row->kind == SW_SETTING_NUMBER) {
        sw_buf_printf(out, "a number from %llu on",
                      (unsigned long long)row->least);
        if (row->most < UINT32_MAX) {
            out->n -= strlen(" on");
            sw_buf_printf(out, " to %llu", (unsigned long long)row->most);
        }
    } else if (row->kind == SW_SETTING_SECONDS) {
        sw_buf_puts(out, "a number of seconds above 0");
    } else if (row->kind == SW_SETTING_WORDS ||
               row->kind == SW_SETTING_PREFIX) {
        const char *rest = row->allowed, *word;
        size_t n;
        for (const char *between = ""; (n = next_word(&rest, &word)) > 0;
             between = strchr(rest, '|') ? ", " : " or ")
            sw_buf_printf(out, "%s%.*s%s", between, (int)n, word,
                          word[n - 1] == ':' ? "..." : "");
    } else {
        sw_buf_puts(out, row->allowed);
    }
}

bool
sw_settings_check(sw_buf *out)
{
    bool good = true;
    for (unsigned i = 0; i < SW_SETTING_COUNT; i++) {
        sw_setting_id id = (sw_setting_id)i;
        const char *value = sw_setting(id);
        if (!value || sw_setting_allows(id, value))
            continue;
        good = false;
        sw_buf_printf(out, "%s is '%s'; it may be ", rows[i].name, value);
        sw_setting_add_allowed(id, out);
        sw_buf_puts(out, "\n");
    }
    return good;
}

void
sw_settings_unknown(sw_buf *out)
{
    static const char prefix[] = "SOFTWARP_";
    for (char **e = environ; e && *e; e++) {
        size_t n = strcspn(*e, "=");
        bool is_known = strncmp(*e, prefix, sizeof prefix - 1) != 0;
        for (unsigned i = 0; i < SW_SETTING_COUNT && !is_known; i++)
            is_known = sw_str_is((sw_str){*e, n}, rows[i].name);
        if (is_known)
            continue;
        sw_near near;
        char name[SW_NEAR_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)n, *e);
        sw_near_init(&near, name);
        for (unsigned i = 0; i < SW_SETTING_COUNT; i++)
            sw_near_offer(&near, rows[i].name);
        sw_buf_printf(out, "%s is no setting", name);
        sw_near_say(&near, "; did you mean ", "?", out);
        sw_buf_puts(out, "\n");
    }
}
