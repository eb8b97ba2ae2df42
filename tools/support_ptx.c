/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support_ptx.c - what the PTX front end takes, found by asking it: an opcode
 * gets operands (support_forms.def), a small module around it, and is parsed.
 *
 * Types and modifiers of a mnemonic are those that may replace or join those of
 * its examples, one at a time.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "front/ptx/ptx.h"
#include "ir/ir.h"
#include "support.h"

enum {
    BATCH = 16, /* instructions a module; the parser stops at 20 errors */
    MAX_PARTS = 24,
    FIRST_LINE = 11 /* of the instructions in a module */
};

/* One line each, the first instruction on line FIRST_LINE. */
static const char head[] = ".version 9.0\n"
                           ".target sm_100\n"
                           ".address_size 64\n"
                           ".func function() { ret; }\n"
                           ".visible .entry k(.param .b8 prm[64]) {\n"
                           ".reg .pred %p, %o;\n"
                           ".reg .b16 %h;\n"
                           ".reg .b32 %r;\n"
                           ".reg .b64 %d; .reg .b128 %q;\n"
                           ".param .b8 arg[64];\n";
static const char tail[] = "label: ret;\n"
                           "list: .branchtargets label, label;\n"
                           "}\n";

typedef struct {
    const char *example, *operands;
} form_row;
static const form_row forms[] = {
#define FORM(example, operands) {example, operands},
#include "support_forms.def"
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

static const struct {
    const char *mnemonic;
    const char *words[2]; /* modifiers, types; between blanks */
} ptx_has[] = {
#define ONLY(mnemonic, types, modifiers) {#mnemonic, {modifiers, types}},
#include "support_forms.def"
};
enum { ONLY_COUNT = sizeof ptx_has / sizeof *ptx_has };

static const struct {
    const char *example;
    unsigned since;
    const char *instead;
} missing[] = {
#define MISSING(example, since, instead) {example, since, instead},
#include "support_forms.def"
};
enum { MISSING_COUNT = sizeof missing / sizeof *missing };

static const struct {
    const char *text;
    sw_op op;
} mnemonics[] = {
#define LOWER(name)
#define PTX(text, lower, op, allowed) {text, SW_OP_##op},
#include "front/ptx/mnemonics.def"
#undef PTX
#undef LOWER
    {"call", SW_OP_CALL},
};
enum { MNEMONIC_COUNT = sizeof mnemonics / sizeof *mnemonics };

static const char *const modifiers[] = {
#define MOD(name, text) text,
#include "front/ptx/modifiers.def"
#undef MOD
};
enum { MODIFIER_COUNT = sizeof modifiers / sizeof *modifiers };

static const struct {
    const char *text;
    unsigned since;
} ops[] = {
#define OP(name, text, srcs, types, effects, unit, since, meaning)             \
    {text, since},
#include "ir/ops.def"
#undef OP
};
enum { OP_ROWS = sizeof ops / sizeof *ops };
static_assert((int)OP_ROWS == (int)SW_OP_COUNT, "rows are numbers of sw_op");

/* ---- opcodes in parts ---- */

typedef struct {
    char text[256];
    const char *part[MAX_PARTS];
    unsigned n;
} opcode;

static sw_type
type_of(const char *part)
{
    for (int t = SW_T_NONE + 1; t < SW_T_COUNT; t++)
        if (strcmp(sw_type_text((sw_type)t), part) == 0)
            return (sw_type)t;
    return SW_T_NONE;
}

static bool
split(const char *text, opcode *out)
{
    char *p = out->text;
    out->n = 0;
    if (snprintf(out->text, sizeof out->text, "%s", text) >=
        (int)sizeof out->text)
        return false;
    while (p) {
        if (out->n == MAX_PARTS)
            return false;
        out->part[out->n++] = p;
        p = strchr(p, '.');
        if (p)
            *p++ = 0;
    }
    return true;
}

static void
join(const opcode *op, sw_buf *out)
{
    for (unsigned i = 0; i < op->n; i++)
        sw_buf_printf(out, "%s%s", i ? "." : "", op->part[i]);
}

/* ---- operands ---- */

static const char *
reg_of_bits(unsigned bits)
{
    return bits == 1     ? "%p"
           : bits <= 16  ? "%h"
           : bits == 32  ? "%r"
           : bits == 128 ? "%q"
                         : "%d";
}

/* The register for the n-th type, from 1. */
static const char *
reg_of_type(const opcode *op, unsigned n)
{
    sw_type type = SW_T_NONE;
    for (unsigned i = 1, seen = 0; i < op->n && seen < n; i++) {
        sw_type t = type_of(op->part[i]);
        if (t != SW_T_NONE) {
            type = t;
            seen++;
        }
    }
    /* .b1, .u4 and such are packed in words */
    if (type != SW_T_PRED && type != SW_T_NONE && sw_type_bits(type) < 8)
        return "%r";
    return type == SW_T_NONE ? "%r" : reg_of_bits(sw_type_bits(type));
}

static bool
has_part(const opcode *op, const char *part)
{
    for (unsigned i = 1; i < op->n; i++)
        if (strcmp(op->part[i], part) == 0)
            return true;
    return false;
}

static void
add_vector(sw_buf *out, const char *reg, unsigned count, bool braces)
{
    sw_buf_puts(out, braces ? "{" : "");
    for (unsigned i = 0; i < count; i++)
        sw_buf_printf(out, "%s%s", i ? ", " : "", reg);
    sw_buf_puts(out, braces ? "}" : "");
}

/* `sizes`: of each $x the logarithm in two bits, lowest first. */
static void
add_operands(sw_buf *out, const opcode *op, const char *p, unsigned sizes)
{
    for (; *p; p++) {
        if (*p != '$') {
            sw_buf_add(out, p, 1);
            continue;
        }
        const char *first = reg_of_type(op, 1);
        switch (*++p) {
        case 'v': {
            unsigned n = has_part(op, "v8")   ? 8
                         : has_part(op, "v4") ? 4
                         : has_part(op, "v2") ? 2
                                              : 1;
            add_vector(out, first, n, n > 1);
            break;
        }
        case 'x':
            add_vector(out, has_part(op, "f64") ? "%d" : "%r", 1u << sizes % 4,
                       true);
            sizes /= 4;
            break;
        case 'w':
            sw_buf_puts(out, strcmp(first, "%h") == 0   ? "%r"
                             : strcmp(first, "%r") == 0 ? "%d"
                                                        : "%q");
            break;
        default:
            sw_buf_puts(out, reg_of_type(op, (unsigned)(*p - '0')));
            break;
        }
    }
}

/* Is a type or modifier one that PTX knows with this mnemonic, as far as the
 * table says? */
static bool
is_word_of(const char *mnemonic, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < ONLY_COUNT; i++) {
        if (strcmp(ptx_has[i].mnemonic, mnemonic) != 0)
            continue;
        const char *list = ptx_has[i].words[type_of(word) != SW_T_NONE];
        if (!*list)
            return true;
        for (const char *p = list; *p; p += strspn(p, " ")) {
            size_t bytes = strcspn(p, " ");
            if (bytes == n && memcmp(p, word, n) == 0)
                return true;
            p += bytes;
        }
        return false;
    }
    return true;
}

/* ---- asking ---- */

/* Instructions that wait for their answers. */
typedef struct {
    sw_buf text;
    unsigned n;
    support_state answer[BATCH];
} batch;

static void
batch_start(batch *b)
{
    sw_buf_init(&b->text);
    sw_buf_puts(&b->text, head);
    b->n = 0;
}

/* Answers those added since the start, which it is again. DONE: taken; NONE: a
 * trap; ABSENT: other operands are wanted. */
static void
batch_ask(batch *b)
{
    sw_diag diag;
    sw_diag_init(&diag);
    for (unsigned i = 0; i < b->n; i++)
        b->answer[i] = SUPPORT_DONE;
    sw_buf_puts(&b->text, tail);
    sw_module_destroy(sw_ptx_parse("ask", b->text.p, b->text.n, &diag));
    for (size_t i = 0; i < diag.entries.count; i++) {
        const sw_diag_entry *e = sw_vec_at(&diag.entries, i);
        if (e->line < FIRST_LINE || e->line >= FIRST_LINE + b->n)
            continue;
        b->answer[e->line - FIRST_LINE] =
            e->severity == SW_DIAG_ERROR ? SUPPORT_ABSENT : SUPPORT_NONE;
    }
    sw_diag_finish(&diag);
    sw_buf_finish(&b->text);
}

static void
batch_add(batch *b, const opcode *op, const char *operands, unsigned sizes)
{
    join(op, &b->text);
    sw_buf_puts(&b->text, " ");
    add_operands(&b->text, op, operands, sizes);
    sw_buf_puts(&b->text, ";\n");
    b->n++;
}

static bool
is_mnemonic_of(const char *example, const char *mnemonic)
{
    size_t n = strlen(mnemonic);
    return strncmp(example, mnemonic, n) == 0 &&
           (!example[n] || example[n] == '.');
}

/* The better of what was found and the batch's answers. */
static support_state
best_of(batch *b, support_state best)
{
    batch_ask(b);
    for (unsigned i = 0; i < b->n; i++)
        if (b->answer[i] == SUPPORT_DONE ||
            (b->answer[i] == SUPPORT_NONE && best != SUPPORT_DONE))
            best = b->answer[i];
    batch_start(b);
    return best;
}

support_state
support_ptx_form(const char *text)
{
    opcode op;
    batch b;
    support_state best = SUPPORT_ABSENT;
    if (!split(text, &op))
        return SUPPORT_NONE;
    if (!support_ptx_is_mnemonic(op.part[0]))
        return SUPPORT_NONE;
    for (unsigned i = 1; i < op.n; i++)
        if (!is_word_of(op.part[0], op.part[i]))
            return SUPPORT_NONE;
    batch_start(&b);
    for (size_t i = 0; i < FORM_COUNT && best != SUPPORT_DONE; i++) {
        unsigned vectors = 0;
        if (!is_mnemonic_of(forms[i].example, op.part[0]))
            continue;
        for (const char *p = forms[i].operands; *p; p++)
            vectors += p[0] == '$' && p[1] == 'x';
        for (unsigned sizes = 0;
             sizes < 1u << 2 * vectors && best != SUPPORT_DONE; sizes++) {
            batch_add(&b, &op, forms[i].operands, sizes);
            if (b.n == BATCH)
                best = best_of(&b, best);
        }
    }
    if (b.n && best != SUPPORT_DONE)
        best = best_of(&b, best);
    sw_buf_finish(&b.text);
    return best;
}

bool
support_ptx_is_mnemonic(const char *name)
{
    for (size_t i = 0; i < MNEMONIC_COUNT; i++)
        if (strcmp(mnemonics[i].text, name) == 0)
            return true;
    return false;
}

/* Whether all parts of `a` are in `b`, in that order, the first first. */
static bool
is_part_of(const opcode *a, const opcode *b)
{
    unsigned k = 0;
    if (strcmp(a->part[0], b->part[0]) != 0)
        return false;
    for (unsigned i = 0; i < b->n && k < a->n; i++)
        k += strcmp(a->part[k], b->part[i]) == 0;
    return k == a->n;
}

/* The opcode with those parts of the example behind it that it lacks, from part
 * `from` on. False: too many. */
static bool
complete(const opcode *asked, const opcode *example, unsigned from, opcode *out)
{
    *out = *asked;
    for (unsigned i = from; i < example->n; i++) {
        if (out->n == MAX_PARTS)
            return false;
        if (!has_part(asked, example->part[i]))
            out->part[out->n++] = example->part[i];
    }
    return true;
}

static bool
is_taken(const opcode *op, sw_buf *whole)
{
    sw_buf text;
    sw_buf_init(&text);
    join(op, &text);
    bool taken = support_ptx_form(text.p) == SUPPORT_DONE;
    if (taken)
        sw_buf_puts(whole, text.p);
    sw_buf_finish(&text);
    return taken;
}

/* A way to complete it that the front end takes. */
static bool
find_whole(const opcode *asked, sw_buf *whole)
{
    opcode example, op;
    for (size_t i = 0; i < FORM_COUNT; i++)
        if (split(forms[i].example, &example) && is_part_of(asked, &example) &&
            is_taken(&example, whole))
            return true;
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (!split(forms[i].example, &example) ||
            strcmp(example.part[0], asked->part[0]) != 0)
            continue;
        for (unsigned from = example.n; from-- > 1;)
            if (complete(asked, &example, from, &op) && is_taken(&op, whole))
                return true;
    }
    return false;
}

support_state
support_ptx_partial(const char *text, sw_buf *whole, sw_buf *lacks)
{
    opcode asked, example;
    if (!split(text, &asked))
        return SUPPORT_UNKNOWN;
    bool is_known = support_ptx_is_mnemonic(asked.part[0]);
    bool is_taken_so = is_known && find_whole(&asked, whole);
    for (size_t i = 0; i < MISSING_COUNT && !lacks->n; i++)
        if (split(missing[i].example, &example) && is_part_of(&asked, &example))
            sw_buf_puts(lacks, missing[i].example);
    for (size_t i = 0; i < MISSING_COUNT && !is_known; i++)
        is_known = split(missing[i].example, &example) &&
                   strcmp(asked.part[0], example.part[0]) == 0;
    return !is_known     ? SUPPORT_UNKNOWN
           : is_taken_so ? lacks->n ? SUPPORT_PARTIAL : SUPPORT_DONE
                         : SUPPORT_NONE;
}

void
support_ptx_offer(sw_near *near)
{
    for (size_t i = 0; i < MNEMONIC_COUNT; i++)
        sw_near_offer(near, mnemonics[i].text);
    for (int i = 0; i < SW_SREG_COUNT; i++)
        sw_near_offer(near, sw_sreg_text((sw_sreg)i));
}

const char *
support_ptx_instead(const char *text)
{
    size_t best = MISSING_COUNT, best_same = 0;
    for (size_t i = 0; i < MISSING_COUNT; i++) {
        const char *a = missing[i].example;
        size_t same = 0, whole = 0;
        while (a[same] && a[same] == text[same]) {
            same++;
            if (!a[same] || a[same] == '.')
                whole = !text[same] || text[same] == '.' ? same : whole;
        }
        if (whole > best_same) {
            best = i;
            best_same = whole;
        }
    }
    /* A mnemonic that is known says too little. */
    opcode op;
    bool is_known = split(text, &op) && support_ptx_is_mnemonic(op.part[0]);
    if (best < MISSING_COUNT && (!is_known || best_same > strlen(op.part[0])))
        return missing[best].instead;
    return is_known ? "one of the forms that `softwarp support` lists for the "
                      "instruction"
                    : "PTX for a lower compute capability, which does without "
                      "it (-arch)";
}

/* ---- the table ---- */

/* Which of the texts may stand in place of part `at` of the example (or, with
 * insert, before it). */
static void
try_parts(const form_row *form, unsigned at, bool insert,
          const char *const *texts, unsigned count, bool *found)
{
    opcode op;
    batch b;
    unsigned asked[BATCH];
    if (!split(form->example, &op) || op.n == MAX_PARTS)
        return;
    if (insert) {
        for (unsigned i = op.n++; i > at; i--)
            op.part[i] = op.part[i - 1];
    }
    batch_start(&b);
    for (unsigned i = 0; i < count; i++) {
        if (!found[i]) {
            op.part[at] = texts[i];
            asked[b.n] = i;
            batch_add(&b, &op, form->operands, 0);
        }
        if (b.n == BATCH || (i + 1 == count && b.n)) {
            batch_ask(&b);
            for (unsigned k = 0; k < b.n; k++)
                found[asked[k]] |= b.answer[k] == SUPPORT_DONE;
            batch_start(&b);
        }
    }
    sw_buf_finish(&b.text);
}

/* Types that may stand in place of all that are as the first. */
static void
try_types(const form_row *form, const char *const *types, unsigned count,
          bool *found)
{
    opcode op;
    batch b;
    unsigned asked[BATCH];
    unsigned first = 0;
    bool same[MAX_PARTS] = {0};
    if (!split(form->example, &op))
        return;
    for (unsigned i = 1; i < op.n; i++) {
        if (type_of(op.part[i]) == SW_T_NONE)
            continue;
        if (!first)
            first = i;
        same[i] = strcmp(op.part[i], op.part[first]) == 0;
        try_parts(form, i, false, types, count, found);
    }
    if (!first)
        return;
    batch_start(&b);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 1; k < op.n; k++)
            op.part[k] = same[k] ? types[i] : op.part[k];
        asked[b.n] = i;
        batch_add(&b, &op, form->operands, 0);
        if (b.n == BATCH || i + 1 == count) {
            batch_ask(&b);
            for (unsigned k = 0; k < b.n; k++)
                found[asked[k]] |= b.answer[k] == SUPPORT_DONE;
            batch_start(&b);
        }
    }
    sw_buf_finish(&b.text);
}

static void
list_found(const char *const *texts, unsigned count, const bool *found,
           sw_buf *out)
{
    for (unsigned i = 0; i < count; i++)
        if (found[i])
            sw_buf_printf(out, "%s.%s", out->n ? " " : "", texts[i]);
    if (!out->n)
        sw_buf_puts(out, "-");
}

/* All of a mnemonic's types and modifiers, by asking. */
static void
explore(const char *mnemonic, sw_buf *type_list, sw_buf *mod_list)
{
    const char *types[SW_T_COUNT], *mods[MODIFIER_COUNT];
    unsigned type_count = 0, mod_count = 0;
    bool types_found[SW_T_COUNT] = {0}, mods_found[MODIFIER_COUNT] = {0};
    for (unsigned i = 0; i < MODIFIER_COUNT; i++) {
        if (!is_word_of(mnemonic, modifiers[i]))
            continue;
        if (type_of(modifiers[i]) != SW_T_NONE)
            types[type_count++] = modifiers[i];
        else
            mods[mod_count++] = modifiers[i];
    }
    for (size_t i = 0; i < FORM_COUNT; i++) {
        opcode op;
        unsigned type_at = 0;
        if (!is_mnemonic_of(forms[i].example, mnemonic) ||
            !split(forms[i].example, &op))
            continue;
        for (unsigned k = 1; k < op.n; k++) {
            if (type_of(op.part[k]) == SW_T_NONE)
                try_parts(&forms[i], k, false, mods, mod_count, mods_found);
            else if (!type_at)
                type_at = k;
        }
        try_parts(&forms[i], type_at ? type_at : op.n, true, mods, mod_count,
                  mods_found);
        try_types(&forms[i], types, type_count, types_found);
    }
    list_found(types, type_count, types_found, type_list);
    list_found(mods, mod_count, mods_found, mod_list);
}

/* The least of the operations that a mnemonic becomes, by their names; else of
 * the one that the front end's table names. */
static unsigned
since_of(size_t mnemonic)
{
    unsigned since = 0;
    for (size_t i = 0; i < OP_ROWS; i++)
        if (is_mnemonic_of(ops[i].text, mnemonics[mnemonic].text) &&
            (!since || ops[i].since < since))
            since = ops[i].since;
    return since ? since : ops[mnemonics[mnemonic].op].since;
}

void
support_ptx_table(sw_buf *out, bool markdown, const char *only)
{
    if (markdown)
        sw_buf_puts(out, "| instruction | types | modifiers | since |\n"
                         "|---|---|---|---|\n");
    for (size_t i = 0; i < MNEMONIC_COUNT; i++) {
        sw_buf types, mods;
        const char *text = mnemonics[i].text;
        unsigned since = since_of(i);
        if (only && strcmp(only, text) != 0)
            continue;
        sw_buf_init(&types);
        sw_buf_init(&mods);
        explore(text, &types, &mods);
        if (markdown)
            sw_buf_printf(out, "| `%s` | %s | %s | %u.%u |\n", text, types.p,
                          mods.p, since / 10, since % 10);
        else
            sw_buf_printf(out,
                          "%s (compute capability %u.%u)\n  types: %s\n"
                          "  modifiers: %s\n",
                          text, since / 10, since % 10, types.p, mods.p);
        sw_buf_finish(&types);
        sw_buf_finish(&mods);
    }
}

void
support_ptx_missing(sw_buf *out, bool markdown)
{
    if (markdown)
        sw_buf_puts(out, "| for example | since | what to do instead |\n"
                         "|---|---|---|\n");
    for (size_t i = 0; i < MISSING_COUNT; i++)
        sw_buf_printf(out,
                      markdown ? "| `%s` | %u.%u | %s |\n" : "%s (%u.%u): %s\n",
                      missing[i].example, missing[i].since / 10,
                      missing[i].since % 10, missing[i].instead);
}

void
support_ptx_sregs(sw_buf *out, bool markdown)
{
    for (int i = 0; i < SW_SREG_COUNT; i++) {
        const char *tick = markdown ? "`" : "";
        const char *digit = i == SW_SREG_PM       ? "0..7"
                            : i == SW_SREG_ENVREG ? "0..31"
                                                  : "";
        sw_buf_printf(out, "%s%s%s%s%s", i ? ", " : "", tick,
                      sw_sreg_text((sw_sreg)i), digit, tick);
    }
    sw_buf_puts(out, "\n");
}

bool
support_ptx_is_sreg(const char *name)
{
    for (int i = 0; i < SW_SREG_COUNT; i++) {
        const char *text = sw_sreg_text((sw_sreg)i);
        size_t n = strlen(text);
        bool numbered = i == SW_SREG_PM || i == SW_SREG_ENVREG;
        if (strncmp(name, text, n) == 0 &&
            (!name[n] ||
             (numbered && strspn(name + n, "0123456789") == strlen(name + n))))
            return true;
    }
    return false;
}

/* ---- is the table right? ---- */

size_t
support_ptx_check(sw_buf *out)
{
    size_t faults = 0;
    for (size_t i = 0; i < MNEMONIC_COUNT; i++) {
        bool found = false;
        for (size_t k = 0; k < FORM_COUNT; k++)
            found |= is_mnemonic_of(forms[k].example, mnemonics[i].text);
        if (!found) {
            sw_buf_printf(out, "support_forms.def: no row for %s\n",
                          mnemonics[i].text);
            faults++;
        }
    }
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (support_ptx_form(forms[i].example) == SUPPORT_DONE)
            continue;
        sw_buf_printf(out, "support_forms.def: %s is not taken\n",
                      forms[i].example);
        faults++;
    }
    for (size_t i = 0; i < MISSING_COUNT; i++) {
        if (support_ptx_form(missing[i].example) == SUPPORT_NONE)
            continue;
        sw_buf_printf(out, "support_forms.def: %s is not missing\n",
                      missing[i].example);
        faults++;
    }
    return faults;
}
