/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "base/tune.h"

#include <stdlib.h>

#include "base/settings.h"

typedef struct {
    const sw_tune_table *const *tables;
    size_t count;
    sw_diag *diag;
    bool has_failed;
} reader;

static void
add_error(reader *r, const char *text)
{
    r->has_failed = true;
    sw_diag_add(r->diag, SW_DIAG_ERROR, "", 0, 0, "%s", text);
}

/* Whether `name` is LIBRARY.ROW. */
static bool
is_row(const sw_tune_table *table, const sw_tune_row *row, sw_str name)
{
    sw_str library = sw_str_of(table->library);
    return sw_str_has_prefix(name, table->library) && name.n > library.n &&
           name.p[library.n] == '.' &&
           sw_str_is((sw_str){name.p + library.n + 1, name.n - library.n - 1},
                     row->name);
}

static const sw_tune_row *
find(const reader *r, sw_str name)
{
    for (size_t t = 0; t < r->count; t++)
        for (size_t i = 0; i < r->tables[t]->count; i++)
            if (is_row(r->tables[t], &r->tables[t]->rows[i], name))
                return &r->tables[t]->rows[i];
    return NULL;
}

/* Those of the library that `name` begins with; all, if it begins with none. */
static void
say_unknown(reader *r, sw_str name)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text, "there is no tuning value \"%.*s\"; there are",
                  (int)name.n, name.p);
    bool any = false;
    for (size_t t = 0; t < r->count; t++) {
        const sw_tune_table *table = r->tables[t];
        size_t n = sw_str_of(table->library).n;
        any |= sw_str_has_prefix(name, table->library) && name.n > n &&
               name.p[n] == '.';
    }
    for (size_t t = 0; t < r->count; t++) {
        const sw_tune_table *table = r->tables[t];
        size_t n = sw_str_of(table->library).n;
        bool is_named = sw_str_has_prefix(name, table->library) && name.n > n &&
                        name.p[n] == '.';
        for (size_t i = 0; (!any || is_named) && i < table->count; i++)
            sw_buf_printf(&text, " %s.%s", table->library, table->rows[i].name);
    }
    add_error(r, text.p);
    sw_buf_finish(&text);
}

static void
say_wrong_value(reader *r, const sw_tune_row *row, sw_str name, sw_str value)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  "tuning value \"%.*s\" cannot be \"%.*s\"; it is a whole "
                  "number from %u to %u%s%s",
                  (int)name.n, name.p, (int)value.n, value.p,
                  (unsigned)row->least, (unsigned)row->most,
                  *row->unit ? " in " : "", row->unit);
    add_error(r, text.p);
    sw_buf_finish(&text);
}

static sw_str
trim(sw_str s)
{
    while (s.n && (*s.p == ' ' || *s.p == '\t'))
        s = (sw_str){s.p + 1, s.n - 1};
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

static bool
parse_number(sw_str s, uint64_t *out)
{
    if (sw_str_has_prefix(s, "0x") || sw_str_has_prefix(s, "0X"))
        return sw_str_to_u64((sw_str){s.p + 2, s.n - 2}, 16, out);
    return sw_str_to_u64(s, 10, out);
}

/* One "name=value"; sets it only if `sets`. */
static void
read_part(reader *r, sw_str part, bool sets)
{
    size_t at = 0;
    while (at < part.n && part.p[at] != '=')
        at++;
    sw_str name = trim((sw_str){part.p, at});
    sw_str value = {part.p + at, part.n - at};
    if (value.n)
        value = trim((sw_str){value.p + 1, value.n - 1});
    const sw_tune_row *row = find(r, name);
    uint64_t number;
    if (!row)
        say_unknown(r, name);
    else if (!parse_number(value, &number) || number < row->least ||
             number > row->most)
        say_wrong_value(r, row, name, value);
    else if (sets)
        *row->value = (uint32_t)number;
}

static void
read_all(reader *r, sw_str text, bool sets)
{
    while (text.n) {
        size_t n = 0;
        while (n < text.n && text.p[n] != ',')
            n++;
        sw_str part = trim((sw_str){text.p, n});
        if (part.n)
            read_part(r, part, sets);
        n += n < text.n;
        text = (sw_str){text.p + n, text.n - n};
    }
}

sw_status
sw_tune_set(const sw_tune_table *const *tables, size_t count, const char *text,
            sw_diag *diag)
{
    reader r = {.tables = tables, .count = count, .diag = diag};
    read_all(&r, sw_str_of(text), false);
    if (r.has_failed)
        return SW_E_INVAL;
    read_all(&r, sw_str_of(text), true);
    return SW_OK;
}

void
sw_tune_reset(const sw_tune_table *const *tables, size_t count)
{
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++)
            *tables[t]->rows[i].value = tables[t]->rows[i].initial;
}

void
sw_tune_read_environment(const sw_tune_table *const *tables, size_t count)
{
    const char *text = sw_setting(SW_SETTING_TUNE);
    if (!text)
        return;
    sw_diag diag;
    sw_diag_init(&diag);
    sw_tune_set(tables, count, text, &diag);
    for (size_t i = 0; i < diag.entries.count; i++) {
        const sw_diag_entry *entry = sw_vec_at(&diag.entries, i);
        sw_log(SW_LOG_ERROR, "SOFTWARP_TUNE: %s", entry->text);
    }
    sw_diag_finish(&diag);
}

void
sw_tune_print_changed(const sw_tune_table *const *tables, size_t count,
                      sw_buf *out)
{
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++) {
            const sw_tune_row *row = &tables[t]->rows[i];
            if (*row->value != row->initial)
                sw_buf_printf(out, "%s%s.%s=%u", out->n ? "," : "",
                              tables[t]->library, row->name,
                              (unsigned)*row->value);
        }
}

uint64_t
sw_tune_hash(const sw_tune_table *const *tables, size_t count)
{
    uint64_t hash = 0;
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t]->count; i++)
            hash = sw_hash_bytes(tables[t]->rows[i].value, sizeof(uint32_t),
                                 hash + 1);
    return hash;
}
