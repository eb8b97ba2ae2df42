/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_affine.c - arithmetic of random kernels on what differs from lane
 * to lane by a constant, as indices and addresses do, and comparisons of it.
 */
#include "private.h"

/* Half of what compilers know of such values is the same for all lanes. */
static value
pick_affine(gen *g, reg_class cls)
{
    for (int tries = 0; tries < 24; tries++) {
        value v = pick_value(g, cls, 'a', LANE);
        if (v.taste == 'a')
            return v;
    }
    return pick_value(g, cls, 'a', BLOCK);
}

/* A register that all lanes have in common, or a number. */
static level
add_common_source(gen *g, reg_class cls, sw_buf *out)
{
    static const int32_t numbers[] = {
        0,  1,   -1,  2,  3,   4,  8,    16,   31,    32,        33,
        -8, -32, 100, 12, 256, 24, 1000, 4096, 65536, 0x40000000};
    if (random_chance(g, 60)) {
        sw_buf_printf(out, "%d", numbers[random_below(g, sizeof numbers / 4)]);
        return BLOCK;
    }
    value v = pick_value(g, cls, 'r', random_chance(g, 80) ? BLOCK : WARP);
    sw_buf_printf(out, "%%%c%u", class_letter[cls], v.number);
    return v.same;
}

/* ops: a the affine source, b a common one, A another affine one, m a mask, s
 * a shift. A result's class comes first. */
static const struct {
    const char *name;
    char result;
    const char *sources;
} ops[] = {{"add.s32", 'r', "ab"},       {"add.u32", 'r', "ba"},
           {"add.s32", 'r', "aA"},       {"sub.s32", 'r', "ab"},
           {"sub.u32", 'r', "ba"},       {"sub.s32", 'r', "aA"},
           {"mul.lo.s32", 'r', "ab"},    {"mul.lo.u32", 'r', "ba"},
           {"mad.lo.s32", 'r', "abA"},   {"mad.lo.u32", 'r', "abb"},
           {"mad.lo.s32", 'r', "bba"},   {"shl.b32", 'r', "as"},
           {"shr.u32", 'r', "as"},       {"shr.s32", 'r', "as"},
           {"and.b32", 'r', "am"},       {"or.b32", 'r', "ab"},
           {"or.b32", 'r', "aA"},        {"mov.b32", 'r', "a"},
           {"mul.wide.s32", 'd', "ab"},  {"mul.wide.u32", 'd', "ab"},
           {"mad.wide.s32", 'd', "abD"}, {"mad.wide.u32", 'd', "abB"},
           {"cvt.s64.s32", 'd', "a"},    {"cvt.u64.u32", 'd', "a"},
           {"add.s64", 'd', "dB"},       {"sub.s64", 'd', "dB"},
           {"add.s64", 'd', "dD"},       {"sub.u64", 'd', "Bd"},
           {"mul.lo.s64", 'd', "dB"},    {"shl.b64", 'd', "ds"},
           {"and.b64", 'd', "dm"},       {"shr.u64", 'd', "ds"},
           {"shr.s64", 'd', "ds"},       {"cvt.u32.u64", 'r', "d"},
           {"mov.b64", 'd', "d"},        {"mad.lo.s64", 'd', "dBD"},
           {"min.s32", 'r', "ab"},       {"selp.b32", 'r', "aAp"},
           {"selp.b64", 'd', "dDp"},     {"neg.s32", 'r', "a"},
           {"not.b32", 'r', "a"},        {"or.b64", 'd', "dB"}};

static level
add_one(gen *g, char kind, sw_buf *out)
{
    static const int32_t masks[] = {1,  3,   7,   15,  31,  63, 127,   255,
                                    -2, -4,  -8,  -16, -32, 28, 0xff0, 1023,
                                    24, 992, 768, 96,  -1,  12};
    value v;
    switch (kind) {
    case 'b':
        return add_common_source(g, R, out);
    case 'B':
        return add_common_source(g, D, out);
    case 'm':
        sw_buf_printf(out, "%d", masks[random_below(g, sizeof masks / 4)]);
        return BLOCK;
    case 's':
        sw_buf_printf(out, "%u",
                      random_below(g, random_chance(g, 80) ? 6 : 33));
        return BLOCK;
    case 'p':
        v = pick_value(g, P, 'p', random_chance(g, 50) ? BLOCK : LANE);
        break;
    default:
        v = pick_affine(g, kind == 'a' || kind == 'A' ? R : D);
    }
    sw_buf_printf(out, "%%%c%u", class_letter[v.cls], v.number);
    return v.same;
}

static void
add_comparison(gen *g)
{
    static const char *const tests[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const wide[] = {"s64", "u64"};
    static const char *const narrow[] = {"s32", "u32"};
    bool is_wide = random_chance(g, 25), swaps = random_chance(g, 30);
    sw_buf text, instead;
    sw_buf_init(&text);
    sw_buf_init(&instead);
    level same = g->control;
    const char *kinds = is_wide ? (swaps ? "Bd" : "dB") : swaps ? "ba" : "ab";
    if (random_chance(g, 15))
        kinds = is_wide ? "dD" : "aA";
    for (const char *k = kinds; *k; k++) {
        sw_buf_puts(&text, ", ");
        same = least_level(same, add_one(g, *k, &text));
    }
    value p = fresh_value(g, P, 'p', same);
    add_constant(&instead, &p);
    add_definition(
        g, instead.p, "setp.%s.%s %%p%u%s;", tests[random_below(g, 6)],
        (is_wide ? wide : narrow)[random_below(g, 2)], p.number, text.p);
    publish_value(g, &p);
    sw_buf_finish(&text);
    sw_buf_finish(&instead);
}

void
generate_affine(gen *g)
{
    if (random_chance(g, 25)) {
        add_comparison(g);
        return;
    }
    uint32_t k = random_below(g, sizeof ops / sizeof *ops);
    sw_buf text, before, instead;
    sw_buf_init(&text);
    sw_buf_init(&before);
    sw_buf_init(&instead);
    level same = g->control;
    for (const char *c = ops[k].sources; *c; c++) {
        sw_buf_puts(&text, ", ");
        same = least_level(same, add_one(g, *c, &text));
    }
    value v;
    if (random_chance(g, 10)) {
        v = make_result(g, ops[k].result, same, false, &before, &instead);
    } else {
        v = fresh_value(g, class_of_letter(ops[k].result), 'a', same);
        add_constant(&instead, &v);
    }
    add_definition(g, instead.p, "%s %%%c%u%s;", ops[k].name,
                   class_letter[v.cls], v.number, text.p);
    publish_value(g, &v);
    sw_buf_finish(&text);
    sw_buf_finish(&before);
    sw_buf_finish(&instead);
}
