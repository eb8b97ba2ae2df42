/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_sums.c - loops of random kernels that keep sums in memory, in what
 * is the thread's own, and read lists, some of which lie there as well.
 */
#include "private.h"

enum { TURNS_MOST = 16, SUMS_MOST = 2, LISTS_MOST = 3 };

typedef struct {
    uint32_t own, counter; /* registers */
    unsigned step;         /* of the counter */
    bool is_sooner;        /* it has stepped before the lists are read */
} turns;

/* A list's address as it is before the first turn, or what it comes of. */
typedef struct {
    uint32_t at;    /* address, */
    uint32_t index; /* ... or what it is worked out from in each turn */
    int32_t step;
    enum { BY_ADDRESS, BY_INDEX, BY_COUNTER } how;
} list;

static void
begin_list(gen *g, const turns *t, list *l)
{
    static const int32_t steps[] = {4, 8, 16, 64, -4, -64, 256, 12};
    bool is_own = random_chance(g, 35);
    l->at = g->next[D]++;
    l->index = g->next[R]++;
    l->how = random_below(g, 3);
    l->step = is_own ? 4 : steps[random_below(g, sizeof steps / 4)];
    if (is_own)
        add_fixed(g, "add.s64 %%d%u, %%d%u, %u;", l->at, t->own,
                  4 * random_below(g, 15));
    else
        add_fixed(
            g,
            "mad.wide.u32 %%d%u, %%r%u, %u, %%d%u; add.s64 %%d%u, %%d%u, %u;",
            l->at, random_chance(g, 70) ? R_LIN : R_LANE,
            4u << random_below(g, 3), D_IN, l->at, l->at,
            (TURNS_MOST + 1) * 256);
    if (l->how == BY_INDEX)
        add_fixed(g, "mov.u32 %%r%u, %d;", l->index,
                  is_own ? 0 : (int)random_below(g, 8));
}

/* Reads an element into %rX, and goes on. */
static void
read_list(gen *g, const turns *t, const list *l, uint32_t to)
{
    uint32_t d = g->next[D]++;
    int32_t units = l->step / 4;
    switch (l->how) {
    case BY_ADDRESS:
        add_fixed(g, "ld.global.u32 %%r%u, [%%d%u]; add.s64 %%d%u, %%d%u, %d;",
                  to, l->at, l->at, l->at, l->step);
        break;
    case BY_INDEX:
        add_fixed(g,
                  "mul.wide.s32 %%d%u, %%r%u, 4; add.s64 %%d%u, %%d%u, "
                  "%%d%u; ld.global.u32 %%r%u, [%%d%u]; add.s32 %%r%u, "
                  "%%r%u, %d;",
                  d, l->index, d, l->at, d, to, d, l->index, l->index, units);
        break;
    default: /* the counter's steps are not the list's */
        add_fixed(g,
                  "mad.lo.s32 %%r%u, %%r%u, %d, %d; mad.wide.s32 %%d%u, "
                  "%%r%u, 4, %%d%u; ld.global.u32 %%r%u, [%%d%u];",
                  l->index, t->counter, units,
                  t->is_sooner ? -(int32_t)t->step * units : 0, d, l->index,
                  l->at, to, d);
    }
}

static void
step_counter(gen *g, const turns *t)
{
    add_fixed(g, "add.s32 %%r%u, %%r%u, %u;", t->counter, t->counter, t->step);
}

void
generate_sums(gen *g)
{
    static const char *const tests[] = {"ne", "lt"};
    uint32_t group = open_group(g), bound = g->next[R]++, p = g->next[P]++;
    uint32_t label = g->labels++, x = g->next[R]++;
    unsigned sums = 1 + random_below(g, SUMS_MOST);
    unsigned lists = sums + random_below(g, LISTS_MOST - sums + 1);
    unsigned places[SUMS_MOST];
    uint32_t held[SUMS_MOST];
    bool reads[SUMS_MOST];
    list all[LISTS_MOST];
    turns t = {g->next[D]++, g->next[R]++, 1u << random_below(g, 2),
               random_chance(g, 30)};
    value v = pick_value(g, R, 'r', random_chance(g, 70) ? BLOCK : LANE);
    unsigned most = TURNS_MOST / t.step; /* BY_COUNTER steps as well */
    add_fixed(g, "mad.wide.u32 %%d%u, %%r%u, %u, %%d%u;", t.own, R_GID,
              RANDOM_OWN_BYTES, D_OWN);
    add_fixed(g,
              "and.b32 %%r%u, %%r%u, %u; add.u32 %%r%u, %%r%u, %u; mul.lo.u32 "
              "%%r%u, %%r%u, %u; mov.u32 %%r%u, 0;",
              bound, v.number, most / 2 - 1, bound, bound, most / 2, bound,
              bound, t.step, t.counter);
    for (unsigned k = 0; k < sums; k++) {
        places[k] = 4 * random_below(g, 32);
        reads[k] = random_chance(g, 40);
        held[k] = g->next[R]++;
        add_fixed(g, "ld.global.u32 %%r%u, [%%d%u+%u];", held[k], t.own,
                  places[k]);
    }
    for (unsigned k = 0; k < lists; k++)
        begin_list(g, &t, &all[k]);
    add_fixed(g, "L%u:", label);
    if (t.is_sooner)
        step_counter(g, &t);
    for (unsigned k = 0; k < lists; k++) {
        unsigned s = k % sums;
        read_list(g, &t, &all[k], x);
        if (reads[s])
            add_fixed(g, "ld.global.u32 %%r%u, [%%d%u+%u];", held[s], t.own,
                      places[s]);
        add_fixed(g,
                  "mad.lo.u32 %%r%u, %%r%u, 3, %%r%u; st.global.u32 "
                  "[%%d%u+%u], %%r%u;",
                  held[s], held[s], x, t.own, places[s], held[s]);
        if (random_chance(g, 15)) /* it is not what was stored any more */
            add_fixed(g, "xor.b32 %%r%u, %%r%u, 5;", held[s], held[s]);
    }
    if (!t.is_sooner)
        step_counter(g, &t);
    add_fixed(g, "setp.%s.%s %%p%u, %%r%u, %%r%u; @%%p%u bra L%u;",
              tests[random_below(g, 2)], random_chance(g, 70) ? "s32" : "u32",
              p, t.counter, bound, p, label);
    close_group(g, group);
}
