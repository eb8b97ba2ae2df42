/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_levels.c - loops of random kernels over the levels of a tree or the
 * distances of a butterfly: an index that all threads share is halved or
 * doubled, and from it and their own numbers follows whose element of shared
 * memory they read, which threads do, and where they write.
 */
#include "private.h"

typedef struct {
    uint32_t index, other, pred, at, all, sum, scale;
    const char *type;
    bool halves;
} levels;

/* No number comes twice among threads that differ. */
static void
add_other(gen *g, levels *l)
{
    l->other = g->next[R]++;
    uint32_t q = g->next[R]++, t = g->next[R]++, two = g->next[R]++;
    uint32_t u = g->next[R]++;
    switch (random_below(g, 6)) {
    case 0:
        add_fixed(g, "xor.b32 %%r%u, %%r%u, %%r%u;", l->other, R_LIN, l->index);
        return;
    case 1:
        add_fixed(g, "add.s32 %%r%u, %%r%u, %%r%u;", l->other, R_LIN, l->index);
        return;
    case 2:
        add_fixed(g, "sub.s32 %%r%u, %%r%u, %%r%u;", l->other, R_LIN, l->index);
        return;
    case 3:
        add_fixed(g, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %u;", l->other, R_LIN,
                  l->index, random_below(g, 3));
        return;
    case 4: /* the upper ends of pieces */
        add_fixed(g,
                  "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u; "
                  "sub.s32 %%r%u, %%r%u, 1;",
                  t, R_LIN, l->index, l->index, l->other, t);
        return;
    default: /* the lower halves of pieces */
        add_fixed(g,
                  "div.u32 %%r%u, %%r%u, %%r%u; "
                  "mul.lo.u32 %%r%u, %%r%u, %%r%u; "
                  "sub.u32 %%r%u, %%r%u, %%r%u;",
                  q, R_LIN, l->index, t, q, l->index, u, R_LIN, t);
        add_fixed(g,
                  "shl.b32 %%r%u, %%r%u, 1; mad.lo.u32 %%r%u, %%r%u, %%r%u, "
                  "%%r%u;",
                  two, l->index, l->other, two, q, u);
    }
}

/* And, maybe: it is one of the level's threads; something that lanes hold. */
static void
add_condition(gen *g, levels *l)
{
    uint32_t q = g->next[P]++, t = g->next[R]++, u = g->next[R]++;
    uint32_t w = g->next[R]++, exists = g->next[P]++;
    l->pred = exists;
    add_fixed(g, "setp.lt.u32 %%p%u, %%r%u, %u;", exists, l->other, g->threads);
    switch (random_below(g, 5)) {
    case 0:
        add_fixed(g, "setp.%s.u32 %%p%u, %%r%u, %%r%u;",
                  random_chance(g, 50) ? "lt" : "ge", q, R_LIN, l->index);
        break;
    case 1:
        add_fixed(g,
                  "shl.b32 %%r%u, %%r%u, 1; sub.u32 %%r%u, %%r%u, 1; "
                  "and.b32 %%r%u, %%r%u, %%r%u; setp.eq.u32 %%p%u, %%r%u, 0;",
                  t, l->index, u, t, w, u, R_LIN, q, w);
        break;
    case 2: {
        value p = pick_value(g, P, 'p', LANE);
        add_fixed(g, "mov.pred %%p%u, %%p%u;", q, p.number);
        break;
    }
    case 3:
        add_fixed(g, "setp.gt.u32 %%p%u, %%r%u, %%r%u;", q, l->sum, R_GID);
        break;
    default:
        return;
    }
    l->pred = g->next[P]++;
    add_fixed(g, "and.pred %%p%u, %%p%u, %%p%u;", l->pred, exists, q);
}

static void
add_address(gen *g, levels *l, uint32_t thread)
{
    l->at = g->next[R]++;
    add_fixed(g, "mad.lo.u32 %%r%u, %%r%u, %u, %%r%u;", l->at, thread, l->scale,
              l->all);
}

/* By a branch around it, or by a guard. */
static void
add_access(gen *g, const levels *l, const char *text)
{
    if (random_chance(g, 30)) {
        add_fixed(g, "@%%p%u %s", l->pred, text);
        return;
    }
    uint32_t end = g->labels++;
    add_fixed(g, "@!%%p%u bra L%u; %s L%u:", l->pred, end, text, end);
}

static void
add_level(gen *g, levels *l)
{
    uint32_t x = g->next[R]++;
    sw_buf text;
    sw_buf_init(&text);
    add_fixed(g, "bar.sync 0;");
    add_other(g, l);
    add_condition(g, l);
    add_address(g, l, l->other);
    add_fixed(g, "mov.u32 %%r%u, 7;", x);
    sw_buf_printf(&text, "ld.shared.%s %%r%u, [%%r%u];", l->type, x, l->at);
    add_access(g, l, text.p);
    add_fixed(g, "mad.lo.u32 %%r%u, %%r%u, 3, %%r%u; bar.sync 0;", l->sum,
              l->sum, x);
    if (random_chance(g, 50))
        add_address(g, l, R_LIN);
    if (random_chance(g, 50))
        add_condition(g, l);
    text.n = 0;
    sw_buf_printf(&text, "st.shared.%s [%%r%u], %%r%u;", l->type, l->at,
                  l->sum);
    add_access(g, l, text.p);
    sw_buf_finish(&text);
}

void
generate_levels(gen *g)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } types[] = {{"u32", 4}, {"u32", 4}, {"b32", 4}, {"u16", 2}, {"s8", 1}};
    uint32_t group = open_group(g), k = random_below(g, 5);
    uint32_t head = g->labels++, again = g->next[P]++;
    levels l = {.index = g->next[R]++,
                .all = g->next[R]++,
                .scale = types[k].bytes,
                .type = types[k].name,
                .halves = random_chance(g, 50)};
    value v = pick_value(g, R, 'r', LANE), b = pick_value(g, R, 'r', BLOCK);
    value sum = fresh_value(g, R, 'r', LANE);
    l.sum = sum.number;
    add_fixed(g, "mov.u32 %%r%u, %%r%u; mov.u32 %%r%u, all;", l.sum, v.number,
              l.all);
    if (random_chance(g, 60))
        add_fixed(g, "mov.u32 %%r%u, %u;", l.index,
                  l.halves ? 1u << random_below(g, 9) : 1);
    else
        add_fixed(g, "and.b32 %%r%u, %%r%u, 255; max.u32 %%r%u, %%r%u, 1;",
                  l.index, b.number, l.index, l.index);
    add_fixed(g, "L%u:", head);
    add_level(g, &l);
    add_fixed(g, "%s.b32 %%r%u, %%r%u, 1;", l.halves ? "shr" : "shl", l.index,
              l.index);
    add_fixed(g, "setp.%s.u32 %%p%u, %%r%u, %u; @%%p%u bra L%u;",
              l.halves ? "gt" : "lt", again, l.index,
              l.halves ? 0 : 2 * g->threads, again, head);
    add_fixed(g, "bar.sync 0;");
    close_group(g, group);
    publish_value(g, &sum);
}
