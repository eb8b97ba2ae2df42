/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_doubles.c - rows of f64 arithmetic in random kernels, in and out of
 * loops, where some lanes have NaNs of their own.
 */
#include "private.h"

enum { SUMS_MOST = 3, NUMBERS_MOST = 4, ROW_MOST = 8, TURNS_MOST = 5 };

typedef struct {
    unsigned sums, numbers;
    uint32_t sum[SUMS_MOST], number[NUMBERS_MOST]; /* registers */
    uint32_t from, own; /* addresses: what is read, what the thread may write */
} row;

/* A number, its bits a NaN's in lanes that are odd, or in some of them. */
static void
make_nan(gen *g, uint32_t to)
{
    static const char *const bits[] = {"0x7ff0000000000001",
                                       "0x7ff8000000000000"};
    uint32_t d = g->next[D]++, n = g->next[R]++, p = g->next[P]++;
    add_fixed(g,
              "and.b32 %%r%u, %%r%u, %u; setp.ne.u32 %%p%u, %%r%u, 0; or.b64 "
              "%%d%u, %%d%u, %s; selp.b64 %%d%u, %%d%u, %%d%u, %%p%u;",
              n, random_chance(g, 70) ? R_GID : R_LIN, 1u << random_below(g, 6),
              p, n, d, to, bits[random_below(g, 2)], to, d, to, p);
}

static void
begin_row(gen *g, row *r)
{
    r->sums = 1 + random_below(g, SUMS_MOST);
    r->numbers = 1 + random_below(g, NUMBERS_MOST);
    r->from = g->next[D]++;
    r->own = g->next[D]++;
    bool has_nans = random_chance(g, 40);
    add_fixed(g, "mad.wide.u32 %%d%u, %%r%u, 8, %%d%u;", r->from,
              random_chance(g, 60)   ? R_LIN
              : random_chance(g, 50) ? R_LANE
                                     : R_ZERO,
              D_IN);
    add_fixed(g, "mad.wide.u32 %%d%u, %%r%u, %u, %%d%u;", r->own, R_GID,
              RANDOM_OWN_BYTES, D_OWN);
    for (unsigned i = 0; i < r->numbers + r->sums; i++) {
        uint32_t to = g->next[D]++;
        value v = pick_value(g, D, 'g', random_chance(g, 20) ? BLOCK : LANE);
        add_fixed(g, "mov.b64 %%d%u, %%d%u;", to, v.number);
        if (has_nans && random_chance(g, 30))
            make_nan(g, to);
        *(i < r->numbers ? &r->number[i] : &r->sum[i - r->numbers]) = to;
    }
}

static uint32_t
one_of(gen *g, const row *r)
{
    return random_chance(g, 60) ? r->number[random_below(g, r->numbers)]
                                : r->sum[random_below(g, r->sums)];
}

static void
add_step(gen *g, const row *r)
{
    static const char *const two[] = {"add.f64",    "sub.f64",    "mul.f64",
                                      "add.rz.f64", "div.rn.f64", "min.f64",
                                      "max.f64",    "mul.rm.f64"};
    static const char *const one[] = {"neg.f64", "abs.f64", "sqrt.rn.f64",
                                      "mov.f64"};
    uint32_t to = r->sum[random_below(g, r->sums)], a = one_of(g, r);
    uint32_t b = one_of(g, r), n = random_below(g, 100), p = g->next[P]++;
    if (n < 40)
        add_fixed(g, "fma.rn.f64 %%d%u, %%d%u, %%d%u, %%d%u;", to, a, b, to);
    else if (n < 70)
        add_fixed(g, "%s %%d%u, %%d%u, %%d%u;",
                  two[random_below(g, n < 60 ? 3 : 8)], to, to, a);
    else if (n < 80)
        add_fixed(g, "%s %%d%u, %%d%u;", one[random_below(g, 4)], to, a);
    else if (n < 92)
        add_fixed(g, "ld.global.f64 %%d%u, [%%d%u+%u];",
                  r->number[random_below(g, r->numbers)], r->from,
                  8 * random_below(g, 16));
    else if (n < 95)
        add_fixed(g,
                  "setp.lt.f64 %%p%u, %%d%u, %%d%u; selp.f64 %%d%u, %%d%u, "
                  "%%d%u, %%p%u;",
                  p, a, to, to, a, b, p);
    else if (n < 97)
        add_fixed(g,
                  "setp.lt.f64 %%p%u, %%d%u, %%d%u; @%%p%u add.f64 %%d%u, "
                  "%%d%u, %%d%u;",
                  p, a, b, p, to, to, a);
    else
        add_fixed(g, "st.global.f64 [%%d%u+%u], %%d%u;", r->own,
                  8 * random_below(g, RANDOM_OWN_BYTES / 8), to);
}

void
generate_doubles(gen *g)
{
    row r;
    uint32_t group = open_group(g), label = g->labels++;
    uint32_t turn = g->next[R]++, bound = g->next[R]++, p = g->next[P]++;
    bool has_loop = random_chance(g, 60);
    begin_row(g, &r);
    if (has_loop) {
        value v = pick_value(g, R, 'r', random_chance(g, 70) ? BLOCK : LANE);
        add_fixed(g, "rem.u32 %%r%u, %%r%u, %u; mov.u32 %%r%u, 0; L%u:", bound,
                  v.number, TURNS_MOST, turn, label);
    }
    for (unsigned n = 2 + random_below(g, ROW_MOST); n--;)
        add_step(g, &r);
    if (has_loop)
        add_fixed(g,
                  "add.u32 %%r%u, %%r%u, 1; setp.lt.u32 %%p%u, %%r%u, %%r%u; "
                  "@%%p%u bra L%u;",
                  turn, turn, p, turn, bound, p, label);
    for (unsigned i = 0; i < r.sums; i++)
        add_fixed(g, "st.global.f64 [%%d%u+%u], %%d%u;", r.own,
                  8 * random_below(g, RANDOM_OWN_BYTES / 8), r.sum[i]);
    close_group(g, group);
}
