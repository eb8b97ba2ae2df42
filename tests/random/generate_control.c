/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_control.c - statements of random kernels: which comes next, and
 * those of control flow, structured or not. All of them end.
 */
#include <stdio.h>
#include <string.h>

#include "private.h"

enum { DEPTH = 4 };

/* What a scope takes back at its end. */
typedef struct {
    size_t values, places;
    level control;
    char members[16];
} scope;

static scope
enter(gen *g, level control, const char *members)
{
    scope s = {.values = g->values.count,
               .places = g->places.count,
               .control = g->control};
    memcpy(s.members, g->members, sizeof s.members);
    if (control < g->control)
        g->control = control;
    if (members)
        snprintf(g->members, sizeof g->members, "%s", members);
    g->depth++;
    return s;
}

/* A value that would be lost goes into a variable. */
static void
save_one(gen *g, size_t first)
{
    for (size_t i = g->values.count; i-- > first;) {
        value v = *(value *)sw_vec_at(&g->values, i), to;
        if (!pick_variable(g, v.cls, least_level(v.same, g->control), &to))
            continue;
        add_line(g, "xor.%s %%%c%u, %%%c%u, %%%c%u;", class_type[v.cls],
                 class_letter[v.cls], to.number, class_letter[v.cls], to.number,
                 class_letter[v.cls], v.number);
        if (random_chance(g, 60))
            return;
    }
}

static void
leave(gen *g, const scope *s)
{
    save_one(g, s->values);
    while (g->values.count > s->values)
        sw_vec_remove(&g->values, g->values.count - 1);
    while (g->places.count > s->places)
        sw_vec_remove(&g->places, g->places.count - 1);
    g->control = s->control;
    memcpy(g->members, s->members, sizeof g->members);
    g->depth--;
}

static level
random_level(gen *g)
{
    uint32_t n = random_below(g, 100);
    return n < 30 ? BLOCK : n < 40 ? WARP : LANE;
}

/* A test of bounds, which all lanes of most warps pass or none does. */
static value
compare_place(gen *g)
{
    static const char *const tests[] = {"lt.u32", "ge.s32", "lt.s32", "gt.u32"};
    const char *test = tests[random_below(g, 4)];
    uint32_t bound = random_below(g, 4) * g->threads + random_below(g, 3) * 16 +
                     random_below(g, 2);
    value p = fresh_value(g, P, 'p', LANE);
    sw_buf instead;
    sw_buf_init(&instead);
    add_constant(&instead, &p);
    uint32_t t = g->next[R]++, q = g->next[P]++;
    if (random_chance(g, 60))
        add_definition(g, instead.p, "setp.%s %%p%u, %%r%u, %u;", test,
                       p.number, R_GID, bound);
    else if (random_chance(g, 50))
        add_definition(g, instead.p,
                       "max.s32 %%r%u, %%r%u, %%r%u; setp.%s %%p%u, %%r%u, %u;",
                       t, R_LIN, R_GID, test, p.number, t, bound);
    else
        add_definition(g, instead.p,
                       "setp.gt.u32 %%p%u, %%r%u, %u; "
                       "setp.lt.or.s32 %%p%u, %%r%u, %u, %%p%u;",
                       q, R_GID, random_below(g, 2 * bound + 1), p.number,
                       R_LIN, bound / 2, q);
    sw_buf_finish(&instead);
    publish_value(g, &p);
    return p;
}

/* A predicate, or a new one by comparing. */
static value
condition(gen *g, level same)
{
    if (same == LANE && !g->for_device && !g->in_function &&
        random_chance(g, 25))
        return compare_place(g);
    value p = pick_value(g, P, 'p', same);
    if (random_chance(g, 35))
        return p;
    static const char *const tests[] = {"lt.u32", "gt.s32", "eq.s32", "ne.u32"};
    value r = pick_value(g, R, 'r', same);
    p = fresh_value(g, P, 'p', least_level(r.same, g->control));
    uint32_t mask = random_chance(g, 50) ? 31 : 7;
    uint32_t t = g->next[R]++;
    sw_buf instead;
    sw_buf_init(&instead);
    add_constant(&instead, &p);
    add_definition(g, instead.p,
                   "and.b32 %%r%u, %%r%u, %u; setp.%s %%p%u, %%r%u, %u;", t,
                   r.number, mask, tests[random_below(g, 4)], p.number, t,
                   random_below(g, mask + 1));
    sw_buf_finish(&instead);
    publish_value(g, &p);
    return p;
}

static const char *
maybe_not(gen *g)
{
    return random_chance(g, 50) ? "!" : "";
}

/* ---- if ---- */

static void
generate_if(gen *g)
{
    uint32_t other = g->labels++, end = g->labels++;
    value p = condition(g, random_level(g));
    uint32_t group = open_group(g);
    level control = least_level(g->control, p.same);
    bool negated = random_chance(g, 50), has_else = random_chance(g, 50);
    char then[16] = "", otherwise[16] = "";
    if (p.same > LANE) {
        strcpy(then, g->members);
        strcpy(otherwise, g->members);
    } else if (g->members[0] && random_chance(g, 50)) {
        uint32_t m = g->next[R]++, n = g->next[R]++;
        add_fixed(g,
                  "vote.sync.ballot.b32 %%r%u, %%p%u, %s; "
                  "vote.sync.ballot.b32 %%r%u, !%%p%u, %s;",
                  m, p.number, g->members, n, p.number, g->members);
        snprintf(then, sizeof then, "%%r%u", negated ? n : m);
        snprintf(otherwise, sizeof otherwise, "%%r%u", negated ? m : n);
    }
    /* Lanes of both arms may meet in their midst. */
    const char *meeting = "";
    if (has_else && g->control == BLOCK && random_chance(g, 5))
        meeting = "bar.sync 0;";
    else if (has_else && strcmp(g->members, "0xffffffff") == 0 &&
             random_chance(g, 6))
        meeting = "bar.warp.sync 0xffffffff;";
    add_fixed(g, "@%s%%p%u bra L%u;", negated ? "" : "!", p.number,
              has_else ? other : end);
    scope s = enter(g, control, then);
    if (*meeting && random_chance(g, 50))
        generate_op(g);
    add_fixed(g, "%s", meeting);
    generate_statements(g, 1 + random_below(g, 5));
    leave(g, &s);
    if (has_else) {
        add_fixed(g, "bra%s L%u;", random_chance(g, 50) ? ".uni" : "", end);
        add_fixed(g, "L%u:", other);
        s = enter(g, control, otherwise);
        add_fixed(g, "%s", meeting);
        generate_statements(g, 1 + random_below(g, 4));
        leave(g, &s);
    }
    add_fixed(g, "L%u:", end);
    close_group(g, group);
}

/* ---- loops ---- */

typedef struct {
    uint32_t counter, limit, pred, head, end, next;
    level same;
} loop;

/* The lanes of a loop go around it together, as long as they do. */
static void
add_inductions(gen *g, const loop *l, sw_buf *step)
{
    value i = {R, l->counter, 'r', least_level(g->control, l->same), false};
    publish_value(g, &i);
    if (random_chance(g, 50)) { /* a thread's number, and so on in strides */
        value j = fresh_value(g, R, 'r', LANE);
        add_fixed(g, "mov.u32 %%r%u, %%r%u;", j.number, R_LANE);
        sw_buf_printf(step, "add.s32 %%r%u, %%r%u, %u; ", j.number, j.number,
                      32u << random_below(g, 2));
        publish_value(g, &j);
    }
    if (random_chance(g, 40) && !g->in_function) { /* a pointer */
        uint32_t a = g->next[D]++, scale = 4u << random_below(g, 2);
        add_fixed(g, "mad.wide.u32 %%d%u, %%r%u, %u, %%d%u;", a, R_GID, scale,
                  D_IN);
        sw_buf_printf(step, "add.s64 %%d%u, %%d%u, %u; ", a, a,
                      scale * random_below(g, 64));
        *(place *)sw_vec_push(&g->places) =
            (place){D, a, ".global", false, 0, 256, scale};
    }
    if (random_chance(g, 30)) { /* one that all lanes have, from memory size */
        value u = fresh_value(g, R, 'r', least_level(g->control, l->same));
        add_fixed(g, "mov.u32 %%r%u, %u;", u.number, random_below(g, 1000));
        sw_buf_printf(step, "mul.lo.u32 %%r%u, %%r%u, 3; ", u.number, u.number);
        publish_value(g, &u);
    }
}

static loop
start_loop(gen *g)
{
    loop l = {.counter = g->next[R]++,
              .limit = g->next[R]++,
              .pred = g->next[P]++,
              .head = g->labels++,
              .end = g->labels++,
              .next = g->labels++};
    value n = pick_value(g, R, 'r', random_level(g));
    l.same = n.same;
    if (random_chance(g, 35)) {
        add_fixed(g, "mov.u32 %%r%u, %u;", l.limit, 1 + random_below(g, 6));
        l.same = BLOCK;
    } else {
        add_fixed(g, "and.b32 %%r%u, %%r%u, %u;", l.limit, n.number,
                  g->depth > 1 ? 3 : 7);
    }
    add_fixed(g, "mov.u32 %%r%u, 0;", l.counter);
    return l;
}

static void
generate_loop(gen *g)
{
    bool tests_first = random_chance(g, 50);
    loop l = start_loop(g);
    uint32_t group = open_group(g);
    level control = least_level(g->control, l.same);
    char members[16] = "";
    if (control > LANE) /* else lanes may leave one by one */
        strcpy(members, g->members);
    sw_buf step;
    sw_buf_init(&step);
    scope s = enter(g, control, members);
    g->control = s.control;
    add_inductions(g, &l, &step);
    g->control = control;
    gen outer = *g;
    g->in_loop = true;
    g->break_label = l.end;
    g->continue_label = l.next;
    g->loop_control = control;
    add_fixed(g, "L%u:", l.head);
    if (tests_first)
        add_fixed(g, "setp.ge.u32 %%p%u, %%r%u, %%r%u; @%%p%u bra L%u;", l.pred,
                  l.counter, l.limit, l.pred, l.end);
    size_t values = g->values.count, places = g->places.count;
    generate_statements(g, 1 + random_below(g, 6));
    save_one(g, values);
    while (g->values.count > values)
        sw_vec_remove(&g->values, g->values.count - 1);
    while (g->places.count > places)
        sw_vec_remove(&g->places, g->places.count - 1);
    add_fixed(g, "L%u:", l.next);
    add_fixed(g, "add.s32 %%r%u, %%r%u, 1; %s", l.counter, l.counter,
              step.n ? step.p : "");
    if (tests_first)
        add_fixed(g, "bra L%u;", l.head);
    else
        add_fixed(g, "setp.lt.u32 %%p%u, %%r%u, %%r%u; @%%p%u bra L%u;", l.pred,
                  l.counter, l.limit, l.pred, l.head);
    add_fixed(g, "L%u:", l.end);
    g->in_loop = outer.in_loop;
    g->break_label = outer.break_label;
    g->continue_label = outer.continue_label;
    g->loop_control = outer.loop_control;
    while (g->values.count > s.values) /* behind, a counter is LANE's */
        sw_vec_remove(&g->values, g->values.count - 1);
    leave(g, &s);
    if (random_chance(g, 50)) {
        value i = {R, l.counter, 'r', control, false};
        publish_value(g, &i);
    }
    close_group(g, group);
    sw_buf_finish(&step);
}

/* Lanes may only leave a loop that need not stay together. */
static void
generate_jump(gen *g)
{
    if (!g->in_loop || g->control < g->loop_control)
        return;
    value p = condition(g, g->loop_control);
    uint32_t group = open_group(g);
    add_fixed(g, "@%s%%p%u bra L%u;", maybe_not(g), p.number,
              random_chance(g, 60) ? g->break_label : g->continue_label);
    close_group(g, group);
}

/* So many rounds that others get their turn in between. */
static void
generate_long_loop(gen *g)
{
    uint32_t group = open_group(g), i = g->next[R]++, n = g->next[R]++;
    uint32_t p = g->next[P]++, l = g->labels++, a = g->next[D]++;
    uint32_t t = g->next[R]++;
    value v = pick_value(g, R, 'r', random_level(g)), to;
    add_fixed(g, "and.b32 %%r%u, %%r%u, 255; add.u32 %%r%u, %%r%u, 900;", n,
              v.number, n, n);
    add_fixed(g, "mov.u32 %%r%u, 0; mad.wide.u32 %%d%u, %%r%u, %u, %%d%u;", i,
              a, R_GID, RANDOM_OWN_BYTES, D_OWN);
    add_fixed(g, "L%u:", l);
    scope s = enter(g, LANE, "");
    add_fixed(g, "atom.global.add.u32 %%r%u, [%%d%u+%u], %%r%u;", t, a,
              4 * random_below(g, 32), i);
    if (pick_variable(g, R, LANE, &to))
        add_fixed(g, "mad.lo.u32 %%r%u, %%r%u, 5, %%r%u;", to.number, to.number,
                  t);
    leave(g, &s);
    add_fixed(g,
              "add.u32 %%r%u, %%r%u, 1; setp.lt.u32 %%p%u, %%r%u, %%r%u; "
              "@%%p%u bra L%u;",
              i, i, p, i, n, p, l);
    close_group(g, group);
}

/* ---- switch ---- */

static void
generate_switch(gen *g)
{
    uint32_t group = open_group(g);
    uint32_t n = 2 + random_below(g, 4), end = g->labels++, first = g->labels;
    uint32_t x = g->next[R]++;
    g->labels += n + 1;
    value v = pick_value(g, R, 'r', random_level(g));
    add_fixed(g, "rem.u32 %%r%u, %%r%u, %u;", x, v.number, n);
    sw_buf list;
    sw_buf_init(&list);
    for (uint32_t i = 0; i < n; i++)
        sw_buf_printf(&list, "%sL%u", i ? ", " : "", first + i);
    add_fixed(g, "L%u: .branchtargets %s;", first + n, list.p);
    sw_buf_finish(&list);
    add_fixed(g, "brx.idx %%r%u, L%u;", x, first + n);
    for (uint32_t i = 0; i < n; i++) {
        add_fixed(g, "L%u:", first + i);
        scope s = enter(g, v.same, v.same > LANE ? NULL : "");
        generate_statements(g, 1 + random_below(g, 3));
        leave(g, &s);
        if (i + 1 < n && random_chance(g, 70))
            add_fixed(g, "bra L%u;", end);
    }
    add_fixed(g, "L%u:", end);
    close_group(g, group);
}

/* ---- gotos ---- */

/* Blocks in a row that jump among each other: forward at will, back as long
 * as there is fuel. */
static void
generate_gotos(gen *g)
{
    uint32_t group = open_group(g);
    uint32_t n = 3 + random_below(g, 4), first = g->labels;
    uint32_t fuel = g->next[R]++, q = g->next[P]++;
    g->labels += n + 1;
    value v = pick_value(g, R, 'r', random_level(g));
    add_fixed(g, "and.b32 %%r%u, %%r%u, 7;", fuel, v.number);
    if (random_chance(g, 60)) {
        value p = pick_value(g, P, 'p', random_level(g));
        add_fixed(g, "@%%p%u bra L%u;", p.number,
                  first + 1 + random_below(g, n));
    }
    for (uint32_t i = 0; i < n; i++) {
        add_fixed(g, "L%u:", first + i);
        scope s = enter(g, LANE, "");
        bool in_loop = g->in_loop;
        g->in_loop = false;
        g->depth = DEPTH; /* nothing inside */
        generate_statements(g, 1 + random_below(g, 3));
        g->depth = 0;
        value p = condition(g, random_level(g));
        save_one(g, s.values);
        if (random_chance(g, 60))
            add_fixed(g, "@%s%%p%u bra L%u;", maybe_not(g), p.number,
                      first + i + 1 + random_below(g, n - i));
        if (random_chance(g, 60)) {
            p = pick_value(g, P, 'p', random_level(g));
            add_fixed(g,
                      "sub.s32 %%r%u, %%r%u, 1; setp.gt.s32 %%p%u, %%r%u, 0; "
                      "and.pred %%p%u, %%p%u, %%p%u; @%%p%u bra L%u;",
                      fuel, fuel, q, fuel, q, q,
                      random_chance(g, 50) ? q : p.number, q,
                      first + random_below(g, i + 1));
        }
        g->in_loop = in_loop;
        leave(g, &s);
    }
    add_fixed(g, "L%u:", first + n);
    close_group(g, group);
}

/* ---- the end of some threads ---- */

static void
generate_exit(gen *g)
{
    value p = condition(g, random_level(g));
    uint32_t group = open_group(g);
    if (g->in_function || random_chance(g, 50)) {
        add_fixed(g, "@%s%%p%u exit;", maybe_not(g), p.number);
    } else {
        uint32_t l = g->labels++;
        add_fixed(g, "@%s%%p%u bra L%u;", maybe_not(g), p.number, l);
        scope s = enter(g, least_level(g->control, p.same), "");
        generate_statements(g, random_below(g, 3));
        leave(g, &s);
        add_fixed(g, "ret;");
        add_fixed(g, "L%u:", l);
    }
    g->has_exits = true;
    close_group(g, group);
}

/* ---- what comes next ---- */

void
generate_control(gen *g)
{
    unsigned depth = g->depth;
    uint32_t n = random_below(g, 100);
    if (n < 8 && g->in_loop)
        generate_jump(g);
    else if (n < 42)
        generate_if(g);
    else if (n < 72)
        generate_loop(g);
    else if (n < 74 && !g->in_loop && !g->in_function)
        generate_long_loop(g);
    else if (n < 82)
        generate_switch(g);
    else if (n < 94)
        generate_gotos(g);
    else if (n < 98 && (!g->in_function || n == 97))
        generate_exit(g);
    else
        generate_if(g);
    g->depth = depth;
}

static void
generate_statement(gen *g)
{
    uint32_t n = random_below(g, 100);
    g->budget--;
    if (n < 36)
        g->for_device || random_chance(g, 92) || g->in_function || g->flushes
            ? generate_op(g)
            : generate_doubles(g);
    else if (n < 50)
        generate_affine(g);
    else if (n < 53)
        generate_pack(g);
    else if (n < 55)
        generate_carry(g);
    else if (n < 68)
        generate_memory(g);
    else if (n < 71 && g->control == BLOCK && g->has_all && !g->in_function)
        g->for_device || random_chance(g, 60) ? generate_exchange(g)
                                              : generate_levels(g);
    else if (n < 74 && !g->in_function)
        g->for_device || random_chance(g, 70) ? generate_atomic(g)
                                              : generate_sums(g);
    else if (n < 81)
        generate_warp(g);
    else if ((n < 83 || (g->for_calls && !g->in_function && n < 87)) &&
             g->functions)
        generate_call(g);
    else if (n < 97 && g->depth < DEPTH && g->budget > 0)
        generate_control(g);
    else if (n == 99 && g->kernel->may_fault && !g->in_function)
        generate_fault(g);
    else
        generate_op(g);
}

void
generate_statements(gen *g, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        generate_statement(g);
        if (g->budget < -20)
            return;
    }
}
