/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_warp.c - what lanes of random kernels tell each other, and calls.
 */
#include <stdio.h>
#include <string.h>

#include "private.h"

/* Half of the lanes, of those that are here. */
static bool
add_half(gen *g, char *members, size_t bytes, char *guard, size_t guard_bytes)
{
    if (strcmp(g->members, "0xffffffff") != 0 || !random_chance(g, 25))
        return false;
    value p = pick_value(g, P, 'p', LANE);
    uint32_t m = g->next[R]++;
    add_fixed(g, "vote.sync.ballot.b32 %%r%u, %%p%u, %s;", m, p.number,
              g->members);
    /* The predicate may be a variable, but nothing is between the two. */
    snprintf(members, bytes, "%%r%u", m);
    snprintf(guard, guard_bytes, "@%%p%u ", p.number);
    return true;
}

typedef struct {
    char members[16], guard[16];
} among;

static among
choose_members(gen *g)
{
    among a = {.guard = ""};
    if (!g->members[0]) {
        uint32_t m = g->next[R]++;
        add_fixed(g, "activemask.b32 %%r%u;", m);
        snprintf(a.members, sizeof a.members, "%%r%u", m);
        return a;
    }
    memcpy(a.members, g->members, sizeof a.members);
    if (!g->for_fused)
        add_half(g, a.members, sizeof a.members, a.guard, sizeof a.guard);
    return a;
}

/* A word from the lanes: result, or the constant it has without. */
static void
add_word(gen *g, const among *a, level same, const char *fmt_name,
         const char *operands)
{
    sw_buf instead;
    sw_buf_init(&instead);
    value v = fresh_value(g, R, 'r', a->guard[0] ? LANE : same);
    add_constant(&instead, &v);
    add_definition(g, instead.p, "%s%s%s %%r%u, %s, %s;", instead.p, a->guard,
                   fmt_name, v.number, operands, a->members);
    publish_value(g, &v);
    sw_buf_finish(&instead);
}

static void
add_shuffle(gen *g, const among *a)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const uint32_t segments[] = {0x1f,   0x1f,   0x1f,
                                        0x181f, 0x1c1f, 0x100f};
    uint32_t mode = random_below(g, 4);
    uint32_t c = segments[random_below(g, 6)];
    sw_buf text;
    sw_buf_init(&text);
    value from = pick_value(g, R, 'f', LANE);
    sw_buf_printf(&text, "%%r%u, ", from.number);
    if (random_chance(g, 65))
        sw_buf_printf(&text, "%u",
                      mode == 2 ? 1u << random_below(g, 5)
                                : random_below(g, 32));
    else
        add_source(g, 'R', LANE, &text);
    sw_buf_printf(&text, ", %u", mode ? c : c & 0x1f00);
    value v = fresh_value(g, R, from.taste, LANE), p = {.cls = P};
    sw_buf instead;
    sw_buf_init(&instead);
    add_constant(&instead, &v);
    char second[16] = "";
    if (random_chance(g, 40)) {
        p = fresh_value(g, P, 'p', LANE);
        add_constant(&instead, &p);
        snprintf(second, sizeof second, "|%%p%u", p.number);
    }
    add_definition(g, instead.p, "%s%sshfl.sync.%s.b32 %%r%u%s, %s, %s;",
                   instead.p, a->guard, modes[mode], v.number, second, text.p,
                   a->members);
    publish_value(g, &v);
    if (second[0])
        publish_value(g, &p);
    sw_buf_finish(&text);
    sw_buf_finish(&instead);
}

static void
add_vote(gen *g, const among *a)
{
    static const char *const kinds[] = {"all", "any", "uni"};
    value p = pick_value(g, P, 'p', LANE);
    char operand[16];
    snprintf(operand, sizeof operand, "%s%%p%u",
             random_chance(g, 30) ? "!" : "", p.number);
    level same = least_level(g->control, WARP);
    if (random_chance(g, 50)) {
        add_word(g, a, same, "vote.sync.ballot.b32", operand);
        return;
    }
    value v = fresh_value(g, P, 'p', a->guard[0] ? LANE : same);
    sw_buf instead;
    sw_buf_init(&instead);
    add_constant(&instead, &v);
    add_definition(g, instead.p, "%s%svote.sync.%s.pred %%p%u, %s, %s;",
                   instead.p, a->guard, kinds[random_below(g, 3)], v.number,
                   operand, a->members);
    publish_value(g, &v);
    sw_buf_finish(&instead);
}

static void
add_match(gen *g, const among *a)
{
    static const char *const reds[] = {
        "redux.sync.add.u32", "redux.sync.add.s32", "redux.sync.min.u32",
        "redux.sync.max.s32", "redux.sync.min.s32", "redux.sync.max.u32",
        "redux.sync.and.b32", "redux.sync.or.b32",  "redux.sync.xor.b32"};
    sw_buf text;
    sw_buf_init(&text);
    if (random_chance(g, 60)) {
        add_source(g, 'R', LANE, &text);
        add_word(g, a, least_level(g->control, WARP), reds[random_below(g, 9)],
                 text.p);
    } else {
        bool wide = random_chance(g, 30), all = random_chance(g, 30);
        add_source(g, wide ? 'D' : 'R', LANE, &text);
        char name[40];
        snprintf(name, sizeof name, "match.%s.sync.%s", all ? "all" : "any",
                 wide ? "b64" : "b32");
        add_word(g, a, LANE, name, text.p);
    }
    sw_buf_finish(&text);
}

void
generate_warp(gen *g)
{
    if (g->for_packs || (g->in_function && random_chance(g, 80)) ||
        (g->for_fused && strncmp(g->members, "0x", 2) != 0) ||
        (g->for_device && !g->members[0])) {
        generate_op(g);
        return;
    }
    among a = choose_members(g);
    uint32_t n = random_below(g, 100);
    if (n < 50)
        add_shuffle(g, &a);
    else if (n < 75)
        add_vote(g, &a);
    else if (n < 92 && !g->for_fused)
        add_match(g, &a);
    else
        add_line(g, "%sbar.warp.sync %s;", a.guard, a.members);
}

/* ---- calls ---- */

void
generate_call(gen *g)
{
    uint32_t f = random_below(g, g->functions);
    value a = pick_value(g, R, 'r', LANE), b = pick_value(g, R, 'r', LANE);
    value v = fresh_value(g, R, 'r', LANE);
    sw_buf instead, text;
    sw_buf_init(&instead);
    sw_buf_init(&text);
    add_constant(&instead, &v);
    sw_buf_printf(&text,
                  "%s{ .param .b32 x; .param .b32 y; .param .b32 z; "
                  "st.param.b32 [x], %%r%u; st.param.b32 [y], %%r%u; ",
                  instead.p, a.number, b.number);
    value p = pick_value(g, P, 'p', LANE);
    if (g->functions > 1 && random_chance(g, 40)) {
        uint32_t d = g->next[D]++, e = g->next[D]++, l = g->labels++;
        sw_buf_printf(&text,
                      "mov.u64 %%d%u, f0; mov.u64 %%d%u, f1; "
                      "selp.b64 %%d%u, %%d%u, %%d%u, %%p%u; "
                      "L%u: .callprototype (.param .b32 _) _ (.param .b32 _, "
                      ".param .b32 _); call (z), %%d%u, (x, y), L%u; ",
                      d, e, d, d, e, p.number, l, d, l);
    } else {
        sw_buf_printf(&text, "call (z), f%u, (x, y); ", f);
    }
    sw_buf_printf(&text, "ld.param.b32 %%r%u, [z]; }", v.number);
    add_definition(g, instead.p, "%s", text.p);
    publish_value(g, &v);
    sw_buf_finish(&instead);
    sw_buf_finish(&text);
}
