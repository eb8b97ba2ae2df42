/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_op.c - pure instructions of random kernels: rows of ops.def with
 * operands, guards now and then, registers in pairs and chains of carries.
 */
#include <string.h>

#include "private.h"

typedef struct {
    unsigned weight;
    const char *mnemonic, *results, *sources;
} row;

static const row rows[] = {
#define OP(weight, mnemonic, results, sources)                                 \
    {weight, mnemonic, results, sources},
#include "ops.def"
#undef OP
};

static const struct {
    const char *name;
    char letter, twice;
} types[] = {{"u8", 'r', 0},    {"s8", 'r', 0},     {"u16", 'h', 'r'},
             {"s16", 'h', 'r'}, {"b16", 'h', 0},    {"u32", 'r', 'd'},
             {"s32", 'r', 'd'}, {"b32", 'r', 0},    {"u64", 'd', 0},
             {"s64", 'd', 0},   {"b64", 'd', 0},    {"f16", 'e', 0},
             {"bf16", 'e', 0},  {"f32", 'f', 0},    {"f64", 'g', 0},
             {"f16x2", 'x', 0}, {"bf16x2", 'x', 0}, {"pred", 'p', 0}};

typedef struct {
    sw_buf text;
    char first, last, twice;
} mnemonic;

/* One of the alternatives of "a,b}..."; moves to behind the brace. */
static const char *
choose(gen *g, const char *p, sw_buf *out)
{
    const char *end = strchr(p, '}');
    uint32_t n = 1;
    for (const char *c = p; c < end; c++)
        n += *c == ',';
    uint32_t which = random_below(g, n);
    while (which--)
        p = strchr(p, ',') + 1;
    size_t length = strcspn(p, ",}");
    sw_buf_add(out, p, length);
    return end + 1;
}

static void
find_types(mnemonic *m)
{
    for (const char *p = strchr(m->text.p, '.'); p; p = strchr(p + 1, '.')) {
        size_t n = strcspn(p + 1, ".");
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            if (strlen(types[i].name) != n ||
                strncmp(types[i].name, p + 1, n) != 0)
                continue;
            if (!m->first)
                m->first = types[i].letter;
            m->last = types[i].letter;
            m->twice = types[i].twice;
        }
    }
}

static void
expand(gen *g, const char *p, mnemonic *m)
{
    *m = (mnemonic){0};
    sw_buf_init(&m->text);
    while (*p) {
        if (*p == '{')
            p = choose(g, p + 1, &m->text);
        else
            sw_buf_add(&m->text, p++, 1);
    }
    find_types(m);
}

static char
letter_of(const mnemonic *m, char c)
{
    return c == '<' ? m->first : c == '>' ? m->last : c == '+' ? m->twice : c;
}

/* In plain kernels rows of no less weight than this: they compile fast. */
enum { PLAIN = 25 };

static unsigned
weight_of(const gen *g, const row *r)
{
    return g->is_plain && r->weight < PLAIN ? 0 : r->weight;
}

static const row *
pick_row(gen *g)
{
    const size_t count = sizeof rows / sizeof *rows;
    unsigned sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += weight_of(g, &rows[i]);
    unsigned n = random_below(g, sum);
    size_t i = 0;
    while (n >= weight_of(g, &rows[i]))
        n -= weight_of(g, &rows[i++]);
    return &rows[i];
}

static bool
has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* What may run while the processor flushes (sw_jit_alu_may_flush), as far as
 * the name tells. */
static bool
bears_flushing(const char *name)
{
    static const char *const moves[] = {"mov.",    "selp.",     "neg.f32",
                                        "abs.f32", "copysign.", "testp."};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (!strncmp(name, moves[i], strlen(moves[i])))
            return true;
    if (has(name, ".f64") || has(name, ".bf16") || has(name, ".tf32") ||
        has(name, "e4m3") || has(name, "e5m2"))
        return false;
    bool f32 = has(name, ".f32"), f16 = has(name, ".f16");
    bool is_directed = has(name, ".rz") || has(name, ".rm") || has(name, ".rp");
    if (f32 && !strncmp(name, "cvt.", 4) && !f16 && !has(name, ".f32.f32") &&
        !has(strstr(name, ".f32"), ".f32.f"))
        return strstr(name, ".f32")[4] != 0 || has(name, ".ftz");
    return (!f32 || has(name, ".ftz")) && !(is_directed && (f16 || f32));
}

/* A guard as text; its level. */
static level
add_guard(gen *g, sw_buf *out)
{
    value p = pick_value(g, P, 'p', LANE);
    sw_buf_printf(out, "@%s%%p%u ", random_chance(g, 50) ? "!" : "", p.number);
    return p.same;
}

void
generate_op(gen *g)
{
    const row *r;
    mnemonic m;
    sw_buf guard, sources, before, instead, results;
    sw_buf *all[] = {&guard, &sources, &before, &instead, &results, &m.text};
    while (true) {
        r = pick_row(g);
        expand(g, r->mnemonic, &m);
        if (!g->flushes || bears_flushing(m.text.p))
            break;
        sw_buf_finish(&m.text);
    }
    for (size_t i = 0; i < 5; i++)
        sw_buf_init(all[i]);
    level same = g->control;
    /* Uniform kernels' parts want uniform operands, or there are none. */
    level want = random_chance(g, 20) ? BLOCK : LANE;
    bool guarded = random_chance(g, 12);
    if (g->for_device &&
        (r->mnemonic[0] == 't' || !strncmp(r->mnemonic, "set.", 4)))
        guarded = false; /* ptxas 13.0 executes testp always, and then some */
    if (guarded)
        same = least_level(same, add_guard(g, &guard));
    for (const char *c = r->sources; *c; c++) {
        sw_buf source;
        sw_buf_init(&source);
        same =
            least_level(same, add_source(g, letter_of(&m, *c), want, &source));
        if (g->for_device && *c == 's')
            take_as_bits(g, R, &before, &source);
        sw_buf_printf(&sources, ", %s", source.p);
        sw_buf_finish(&source);
    }
    value v[2];
    size_t n = strlen(r->results);
    for (size_t i = 0; i < n; i++) {
        v[i] = make_result(g, letter_of(&m, r->results[i]), same, guarded,
                           &before, &instead);
        if (i && v[0].number == v[1].number) { /* must differ */
            v[1] = fresh_value(g, P, 'p', LANE);
            add_constant(&before, &v[1]);
            add_constant(&instead, &v[1]);
        }
        sw_buf_printf(&results, "%s%%%c%u", i ? "|" : "",
                      class_letter[v[i].cls], v[i].number);
    }
    add_definition(g, instead.p, "%s%s%s %s%s;", before.n ? before.p : "",
                   guard.n ? guard.p : "", m.text.p, results.p, sources.p);
    for (size_t i = 0; i < n; i++)
        publish_value(g, &v[i]);
    for (size_t i = 0; i < 6; i++)
        sw_buf_finish(all[i]);
}

void
generate_pack(gen *g)
{
    sw_buf instead, before, a, b;
    sw_buf *all[] = {&instead, &before, &a, &b};
    for (size_t i = 0; i < 4; i++)
        sw_buf_init(all[i]);
    bool wide = random_chance(g, 60);
    char part = wide ? 'R' : 'H', whole = wide ? 'd' : 'r';
    if (random_chance(g, 50)) {
        level same = least_level(g->control, add_source(g, part, LANE, &a));
        same = least_level(same, add_source(g, part, LANE, &b));
        value v = make_result(g, whole, same, false, &before, &instead);
        add_definition(g, instead.p, "mov.%s %%%c%u, {%s, %s};",
                       class_type[v.cls], class_letter[v.cls], v.number, a.p,
                       b.p);
        publish_value(g, &v);
    } else {
        level same =
            least_level(g->control, add_source(g, wide ? 'D' : 'R', LANE, &a));
        reg_class cls = wide ? R : H;
        value v = fresh_value(g, cls, wide ? 'r' : 'h', same);
        value w = fresh_value(g, cls, wide ? 'f' : 'e', same);
        add_constant(&instead, &v);
        add_constant(&instead, &w);
        add_definition(g, instead.p, "mov.%s {%%%c%u, %%%c%u}, %s;",
                       wide ? "b64" : "b32", class_letter[cls], v.number,
                       class_letter[cls], w.number, a.p);
        publish_value(g, &v);
        publish_value(g, &w);
    }
    for (size_t i = 0; i < 4; i++)
        sw_buf_finish(all[i]);
}

void
generate_carry(gen *g)
{
    static const char *const heads[] = {"add.cc", "sub.cc", "mad.lo.cc"};
    static const char *const tails[] = {"addc", "subc", "madc.hi"};
    uint32_t kind = random_below(g, 3);
    level same = g->control;
    sw_buf text, instead;
    sw_buf_init(&text);
    sw_buf_init(&instead);
    value v[3];
    uint32_t n = 2 + random_below(g, 2);
    for (uint32_t i = 0; i < n; i++) {
        v[i] = fresh_value(g, R, 'r', LANE);
        sw_buf_printf(&text, "%s%s%s.u32 %%r%u", i ? " " : "",
                      i ? tails[kind] : heads[kind],
                      i && i + 1 < n ? ".cc" : "", v[i].number);
        for (int k = 0; k < 2 + (kind == 2); k++) {
            sw_buf_puts(&text, ", ");
            same = least_level(same, add_source(g, 'r', LANE, &text));
        }
        sw_buf_puts(&text, ";");
        add_constant(&instead, &v[i]);
    }
    add_definition(g, instead.p, "%s", text.p);
    for (uint32_t i = 0; i < n; i++) {
        v[i].same = same;
        publish_value(g, &v[i]);
    }
    sw_buf_finish(&text);
    sw_buf_finish(&instead);
}
