/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - see record.h. */
#include "report/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    FIELD_u32,
    FIELD_u64,
    FIELD_f64,
    FIELD_str,
    FIELD_counts
} kind_of_field;

typedef struct {
    kind_of_field type;
    size_t offset;
} field;

typedef struct {
    char letter;
    const field *fields;
    size_t count;
} shape;

#define ENTRY(type, name) {FIELD_##type, offsetof(record, name)},
#define SW_ROW(upper, lower, letter)                                           \
    case SW_RECORD_KIND_##upper: {                                             \
        typedef sw_record_##lower record;                                      \
        static const field fields[] = {SW_RECORD_##upper(ENTRY)};              \
        return (shape){letter, fields, sizeof fields / sizeof *fields};        \
    }
static shape
shape_of(sw_record_kind kind)
{
    switch (kind) {
        SW_RECORDS(SW_ROW)
    default:
        return (shape){0, NULL, 0};
    }
}
#undef SW_ROW

#define SW_ROW(name, text, letter) text,
static const char *const place_texts[] = {SW_PLACES(SW_ROW)};
#undef SW_ROW
#define SW_ROW(name, text, letter) letter,
static const char *const place_letters[] = {SW_PLACES(SW_ROW)};
#undef SW_ROW

const char *
sw_place_text(uint32_t place)
{
    return place < SW_PLACE_COUNT ? place_texts[place] : "?";
}

const char *
sw_place_letter(uint32_t place)
{
    return place < SW_PLACE_COUNT ? place_letters[place] : "?";
}

/* ---- writing ---- */

static void
print_text(const char *text, sw_buf *out)
{
    for (; text && *text; text++) {
        size_t plain = strcspn(text, "\t\n\\");
        sw_buf_add(out, text, plain);
        text += plain;
        if (!*text)
            return;
        sw_buf_puts(out, *text == '\t'   ? "\\t"
                         : *text == '\n' ? "\\n"
                                         : "\\\\");
    }
}

/* All counts are of one size: those that are not 0, as NUMBER:VALUE. */
static void
print_counts(const sw_counts *counts, sw_buf *out)
{
    _Static_assert(sizeof(sw_counts) % sizeof(uint64_t) == 0,
                   "sw_counts is made of uint64_t");
    const char *p = (const char *)counts;
    bool has_one = false;
    for (size_t i = 0; counts && i < sizeof *counts / sizeof(uint64_t); i++) {
        uint64_t value;
        memcpy(&value, p + i * sizeof value, sizeof value);
        if (!value)
            continue;
        if (has_one)
            sw_buf_put(out, ' ');
        sw_buf_put_u64(out, i);
        sw_buf_put(out, ':');
        sw_buf_put_u64(out, value);
        has_one = true;
    }
}

/* Most are whole. */
static void
print_number(double x, sw_buf *out)
{
    if (x >= 1 && x <= 1e9 && x == (double)(uint64_t)x)
        sw_buf_put_u64(out, (uint64_t)x);
    else
        sw_buf_printf(out, "%.17g", x);
}

void
sw_record_print(sw_record_kind kind, const void *record, sw_buf *out)
{
    enum { OF_MOST_RECORDS = 400 };
    shape s = shape_of(kind);
    sw_buf_reserve(out, OF_MOST_RECORDS);
    sw_buf_put(out, s.letter);
    for (size_t i = 0; i < s.count; i++) {
        const void *p = (const char *)record + s.fields[i].offset;
        sw_buf_put(out, '\t');
        switch (s.fields[i].type) {
        case FIELD_u32:
            sw_buf_put_u64(out, *(const uint32_t *)p);
            break;
        case FIELD_u64:
            sw_buf_put_u64(out, *(const uint64_t *)p);
            break;
        case FIELD_f64:
            print_number(*(const double *)p, out);
            break;
        case FIELD_str:
            print_text(*(const char *const *)p, out);
            break;
        case FIELD_counts:
            print_counts(*(const sw_counts *const *)p, out);
            break;
        }
    }
    sw_buf_put(out, '\n');
}

/* ---- reading ---- */

static const char *
parse_text(sw_str s, sw_arena *arena)
{
    char *text = sw_arena_alloc(arena, s.n + 1), *to = text;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && i + 1 < s.n) {
            c = s.p[++i];
            c = c == 't' ? '\t' : c == 'n' ? '\n' : c;
        }
        *to++ = c;
    }
    return text;
}

/* The next part of *rest that ends in `end` or the end of all. */
static bool
next_part(sw_str *rest, char end, sw_str *part)
{
    if (!rest->p)
        return false;
    const char *at = memchr(rest->p, end, rest->n);
    size_t n = at ? (size_t)(at - rest->p) : rest->n;
    *part = (sw_str){rest->p, n};
    *rest = at ? (sw_str){at + 1, rest->n - n - 1} : (sw_str){NULL, 0};
    return true;
}

static bool
parse_counts(sw_str s, sw_arena *arena, const sw_counts **out)
{
    sw_counts *counts = sw_arena_alloc(arena, sizeof *counts);
    sw_str pair, number;
    while (s.n && next_part(&s, ' ', &pair)) {
        uint64_t i, value;
        if (!next_part(&pair, ':', &number) || !sw_str_to_u64(number, 10, &i) ||
            !sw_str_to_u64(pair, 10, &value) ||
            i >= sizeof *counts / sizeof value)
            return false;
        memcpy((char *)counts + i * sizeof value, &value, sizeof value);
    }
    *out = counts;
    return true;
}

static bool
parse_double(sw_str s, double *out)
{
    char text[64], *end;
    if (!s.n || s.n >= sizeof text)
        return false;
    memcpy(text, s.p, s.n);
    text[s.n] = 0;
    *out = strtod(text, &end);
    return !*end;
}

static bool
parse_field(kind_of_field type, sw_str part, sw_arena *arena, void *p)
{
    uint64_t value;
    switch (type) {
    case FIELD_u32:
        if (!sw_str_to_u64(part, 10, &value) || value > UINT32_MAX)
            return false;
        *(uint32_t *)p = (uint32_t)value;
        return true;
    case FIELD_u64:
        return sw_str_to_u64(part, 10, p);
    case FIELD_f64:
        return parse_double(part, p);
    case FIELD_str:
        *(const char **)p = parse_text(part, arena);
        return true;
    default:
        return parse_counts(part, arena, p);
    }
}

bool
sw_record_parse(sw_str line, sw_arena *arena, sw_record_kind *kind,
                sw_record *out)
{
    sw_str part;
    if (!next_part(&line, '\t', &part) || part.n != 1)
        return false;
    for (int k = 0; k < SW_RECORD_KIND_COUNT; k++) {
        shape s = shape_of((sw_record_kind)k);
        if (s.letter != *part.p)
            continue;
        memset(out, 0, sizeof *out);
        for (size_t i = 0; i < s.count; i++) {
            const field *f = &s.fields[i];
            if (!next_part(&line, '\t', &part) ||
                !parse_field(f->type, part, arena, (char *)out + f->offset))
                return false;
        }
        *kind = (sw_record_kind)k;
        return !line.p;
    }
    return false;
}
