/* SPDX-License-Identifier: Apache-2.0 */
/* forms.c - the rows of forms.def, with every combination of alternatives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"

enum { CHOICES = 12, TEXT = 2048 };

static const golden_type types[] = {
    {"pred", 'p', "P"},       {"b8", 'h', "I8"},
    {"b16", 'h', "I16"},      {"b32", 'r', "I32"},
    {"b64", 'd', "I64"},      {"u8", 'h', "I8"},
    {"s8", 'h', "I8"},        {"u16", 'h', "I16"},
    {"s16", 'h', "I16"},      {"u32", 'r', "I32"},
    {"s32", 'r', "I32"},      {"u64", 'd', "I64"},
    {"s64", 'd', "I64"},      {"f16", 'h', "F16W"},
    {"bf16", 'h', "BF16W"},   {"f32", 'r', "F32W"},
    {"tf32", 'r', "F32W"},    {"f64", 'd', "F64W"},
    {"f16x2", 'r', "F16X2W"}, {"bf16x2", 'r', "BF16X2W"},
    {"u16x2", 'r', "I32"},    {"s16x2", 'r', "I32"},
    {"e4m3x2", 'h', "I16"},   {"e5m2x2", 'h', "I16"},
};

typedef struct {
    const char *family, *name, *operands, *body;
} row;

static const row rows[] = {
#define FORM(family, name, operands, body) {family, name, operands, body},
#include "golden/forms.def"
#undef FORM
};

static golden_form *forms;
static size_t form_count, form_room;

static _Noreturn void
bad_row(const row *r, const char *what)
{
    fprintf(stderr, "forms.def: %s: %s\n", r->name, what);
    exit(2);
}

static const golden_type *
find_type(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == n && !memcmp(types[i].name, name, n))
            return &types[i];
    return NULL;
}

/* The n-th type among the parts of a name, from 1. */
static const golden_type *
type_in_name(const char *name, unsigned n)
{
    for (const char *at = name; *at && *at != '/';) {
        size_t length = strcspn(at, "./ ");
        const golden_type *t = find_type(at, length);
        if (t && !--n)
            return t;
        at += length;
        if (*at && *at != '/')
            at++;
    }
    return NULL;
}

static const golden_type *
twice_as_wide(const golden_type *t)
{
    char wide[8];
    snprintf(wide, sizeof wide, "%c%d", t->name[0], 2 * atoi(t->name + 1));
    return find_type(wide, strlen(wide));
}

/* One operand: TYPE[/KIND][*COUNT]. */
static unsigned
add_operand(const row *r, const char *name, char *text, unsigned group,
            golden_operand *out, unsigned used, unsigned most)
{
    char *star = strchr(text, '*'), *slash;
    unsigned count = star ? (unsigned)atoi(star + 1) : 1;
    if (star)
        *star = 0;
    slash = strchr(text, '/');
    if (slash)
        *slash++ = 0;
    bool wide = *text == 'w';
    const char *word = text + wide;
    const golden_type *t = *word >= '1' && *word <= '9'
                               ? type_in_name(name, (unsigned)atoi(word))
                               : find_type(word, strlen(word));
    if (t && wide)
        t = twice_as_wide(t);
    if (!t || used + count > most)
        bad_row(r, text);
    for (unsigned i = 0; i < count; i++) {
        golden_operand *o = &out[used + i];
        o->type = t;
        o->group = group;
        snprintf(o->kind, sizeof o->kind, "%s", slash ? slash : t->kind);
    }
    return used + count;
}

static unsigned
add_operands(const row *r, const char *name, char *text, golden_operand *out,
             unsigned most)
{
    unsigned used = 0, group = 0;
    char *rest = NULL;
    for (char *one = strtok_r(text, ",", &rest); one;
         one = strtok_r(NULL, ",", &rest))
        used = add_operand(r, name, one, group++, out, used, most);
    return used;
}

/* text with $1..$9 replaced by what was chosen. */
static void
put_choices(const row *r, const char *text, char choice[][64], char *out)
{
    size_t n = 0;
    for (; *text; text++) {
        const char *add = text;
        size_t length = 1;
        if (*text == '$' && text[1] >= '1' && text[1] <= '9') {
            add = choice[*++text - '1'];
            length = strlen(add);
        }
        if (n + length + 1 > TEXT)
            bad_row(r, "too long");
        memcpy(out + n, add, length);
        n += length;
    }
    out[n] = 0;
}

static int
letter_index(char c)
{
    static const char letters[] = "abcefgh";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

static size_t
put_register(char *out, char reg, char class, unsigned i)
{
    return (size_t)sprintf(out, "%%%c%c%u", reg, class, i);
}

/* All registers of an operand (group < 0: of all operands). */
static size_t
put_list(char *out, char reg, const golden_operand *list, unsigned count,
         int group)
{
    size_t n = 0;
    for (unsigned i = 0; i < count; i++) {
        if (group >= 0 && (int)list[i].group != group)
            continue;
        if (n)
            out[n++] = ',';
        n += put_register(out + n, reg, list[i].type->reg, i);
    }
    return n;
}

/* One $ of a body, at text[0]; what follows it is text[1]. */
static size_t
put_operand(const row *r, const golden_form *f, const char **text, char *out)
{
    const char *at = *text + 1;
    size_t n = 0;
    if (*at == 'o') {
        n = strcspn(f->name, "/");
        memcpy(out, f->name, n);
    } else if (*at == 'D') {
        n = put_list(out, 'd', f->result, f->result_count, -1);
    } else if (*at == 'S') {
        n = put_list(out, 's', f->source, f->source_count, *++at - '0');
    } else if (*at == 'd') {
        unsigned i = at[1] >= '0' && at[1] <= '9' ? (unsigned)(*++at - '0') : 0;
        if (i >= f->result_count)
            bad_row(r, "no such result");
        n = put_register(out, 'd', f->result[i].type->reg, i);
    } else {
        int i = letter_index(*at);
        if (i < 0 || i >= (int)f->source_count)
            bad_row(r, "no such source");
        n = put_register(out, 's', f->source[i].type->reg, (unsigned)i);
    }
    *text = at + 1;
    return n;
}

static char *
make_body(const row *r, const golden_form *f, const char *body)
{
    char out[2 * TEXT];
    size_t n = 0;
    if (!*body) {
        n = put_operand(r, f, &(const char *){"$o"}, out);
        out[n++] = ' ';
        n += put_list(out + n, 'd', f->result, f->result_count, -1);
        for (unsigned i = 0; i < f->source_count; i++) {
            out[n++] = ',';
            n += put_register(out + n, 's', f->source[i].type->reg, i);
        }
        out[n++] = ';';
    }
    while (*body) {
        if (n + 512 > sizeof out)
            bad_row(r, "too long");
        if (*body == '$')
            n += put_operand(r, f, &body, out + n);
        else
            out[n++] = *body++;
    }
    out[n] = 0;
    return strdup(out);
}

static void
add_form(const row *r, const char *name, char choice[][64])
{
    char operands[TEXT], body[TEXT];
    put_choices(r, r->operands, choice, operands);
    put_choices(r, r->body, choice, body);
    for (size_t i = 0; i < form_count; i++)
        if (!strcmp(forms[i].name, name))
            return;
    if (form_count == form_room) {
        form_room = form_room ? 2 * form_room : 1024;
        forms = realloc(forms, form_room * sizeof *forms);
        if (!forms)
            exit(2);
    }
    golden_form *f = &forms[form_count++];
    memset(f, 0, sizeof *f);
    f->family = r->family;
    f->name = strdup(name);
    char *sources = strchr(operands, '=');
    if (!sources)
        bad_row(r, "no =");
    *sources++ = 0;
    f->result_count =
        add_operands(r, name, operands, f->result, GOLDEN_RESULTS);
    f->source_count = add_operands(r, name, sources, f->source, GOLDEN_SOURCES);
    f->body = make_body(r, f, body);
}

/* Every combination of the alternatives in what is left of a name. */
static void
expand(const row *r, const char *left, char *name, size_t n, char choice[][64],
       unsigned chosen)
{
    for (; *left && *left != '{'; left++)
        name[n++] = *left;
    name[n] = 0;
    if (!*left) {
        add_form(r, name, choice);
        return;
    }
    const char *end = strchr(left, '}');
    if (!end || chosen == CHOICES)
        bad_row(r, "braces");
    for (const char *at = left; at < end;) {
        size_t length = strcspn(++at, ",}");
        if (length >= sizeof *choice || n + length + 1 > TEXT / 2)
            bad_row(r, "too long");
        memcpy(choice[chosen], at, length);
        choice[chosen][length] = 0;
        memcpy(name + n, at, length);
        expand(r, end + 1, name, n + length, choice, chosen + 1);
        at += length;
    }
}

golden_form *
golden_forms(size_t *count)
{
    if (!forms)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char name[TEXT], choice[CHOICES][64];
            memset(choice, 0, sizeof choice);
            expand(&rows[i], rows[i].name, name, 0, choice, 0);
        }
    *count = form_count;
    return forms;
}

bool
golden_same_sources(const golden_form *a, const golden_form *b)
{
    if (a->source_count != b->source_count)
        return false;
    for (unsigned i = 0; i < a->source_count; i++)
        if (a->source[i].type->reg != b->source[i].type->reg ||
            strcmp(a->source[i].kind, b->source[i].kind))
            return false;
    return true;
}
