/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate_memory.c - loads and stores of random kernels: places around
 * addresses of all shapes, shared memory between barriers, atomics.
 */
#include <stdio.h>
#include <string.h>

#include "private.h"

/* ---- places ---- */

/* `from` plus something of each thread's own or of nobody: the address of
 * thread number `index` (a register) times scale. Different ways that compute
 * the same. */
static void
add_scaled(gen *g, uint32_t to, uint32_t index, uint32_t scale, uint32_t from)
{
    uint32_t t = g->next[D]++, u = g->next[R]++;
    switch (random_below(g, 6)) {
    case 0:
        add_fixed(g,
                  "mul.wide.u32 %%d%u, %%r%u, %u; "
                  "add.s64 %%d%u, %%d%u, %%d%u;",
                  t, index, scale, to, from, t);
        return;
    case 1:
        add_fixed(g, "mad.wide.s32 %%d%u, %%r%u, %u, %%d%u;", to, index, scale,
                  from);
        return;
    case 2:
        add_fixed(g,
                  "cvt.u64.u32 %%d%u, %%r%u; "
                  "mad.lo.s64 %%d%u, %%d%u, %u, %%d%u;",
                  t, index, to, t, scale, from);
        return;
    case 3:
        add_fixed(g,
                  "mul.lo.s32 %%r%u, %%r%u, %u; cvt.s64.s32 %%d%u, %%r%u; "
                  "add.s64 %%d%u, %%d%u, %%d%u;",
                  u, index, scale, t, u, to, t, from);
        return;
    case 4:
        add_fixed(g,
                  "cvt.s64.s32 %%d%u, %%r%u; mul.lo.s64 %%d%u, %%d%u, %u; "
                  "add.u64 %%d%u, %%d%u, %%d%u;",
                  t, index, t, t, scale, to, from, t);
        return;
    default:
        add_fixed(g,
                  "mad.lo.u32 %%r%u, %%r%u, %u, 0; cvt.u64.u32 %%d%u, %%r%u; "
                  "add.u64 %%d%u, %%d%u, %%d%u;",
                  u, index, scale, t, u, to, t, from);
    }
}

/* A register like `index`, of which nobody can tell that it is. */
static uint32_t
disguise(gen *g, uint32_t index)
{
    value v = pick_value(g, R, 'r', LANE);
    uint32_t t = g->next[R]++;
    /* v stays what it is between the two, for they are one line */
    add_fixed(g, "xor.b32 %%r%u, %%r%u, %%r%u; xor.b32 %%r%u, %%r%u, %%r%u;", t,
              index, v.number, t, t, v.number);
    return t;
}

static place
read_only_place(gen *g)
{
    uint32_t a = g->next[D]++, t = g->next[R]++;
    uint32_t scale = 1u << random_below(g, 6);
    place p = {D, a, ".global", false, 0, 256, scale > 16 ? 16 : scale};
    value v;
    switch (random_below(g, 7)) {
    case 0: /* one address for all */
        v = pick_value(g, R, 'r', BLOCK);
        add_fixed(g, "and.b32 %%r%u, %%r%u, 1023;", t, v.number);
        break;
    case 1: /* anything */
        v = pick_value(g, R, 'r', LANE);
        add_fixed(g, "and.b32 %%r%u, %%r%u, 1023;", t, v.number);
        break;
    case 2: /* a number that may be negative */
        v = (value){.number = random_chance(g, 50) ? R_LIN : R_LANE};
        add_fixed(g, "sub.s32 %%r%u, %%r%u, %u;", t, v.number,
                  random_below(g, 40));
        uint32_t base = g->next[D]++;
        add_fixed(g, "add.s64 %%d%u, %%d%u, 2048;", base, D_IN);
        add_fixed(g, "mad.wide.s32 %%d%u, %%r%u, %u, %%d%u;", a, t, scale,
                  base);
        return p;
    case 6: /* backwards from the end */
        t = g->next[D]++;
        add_fixed(g,
                  "add.s64 %%d%u, %%d%u, %u; "
                  "mad.wide.s32 %%d%u, %%r%u, -%u, %%d%u;",
                  t, D_IN, RANDOM_IN_BYTES - 256, a, R_LIN, scale, t);
        return p;
    case 3: /* rows and columns */
        v = pick_value(g, R, 'r', BLOCK);
        add_fixed(g,
                  "and.b32 %%r%u, %%r%u, 7; mad.lo.s32 %%r%u, %%r%u, 128, "
                  "%%r%u;",
                  t, v.number, t, t, R_LANE);
        break;
    case 4:
        add_fixed(g, "mov.u32 %%r%u, %%r%u;", t, R_LIN);
        break;
    default:
        add_fixed(g, "mov.u32 %%r%u, %%r%u;", t, R_GID);
    }
    add_scaled(g, a, t, scale, D_IN);
    return p;
}

static place
own_place(gen *g)
{
    uint32_t a = g->next[D]++, index = R_GID;
    if (random_chance(g, 30))
        index = disguise(g, index);
    add_scaled(g, a, index, RANDOM_OWN_BYTES, D_OWN);
    return (place){D, a, ".global", true, 0, RANDOM_OWN_BYTES, 16};
}

static place
local_place(gen *g)
{
    uint32_t a = g->next[D]++, t = g->next[D]++, u = g->next[R]++;
    value v = pick_value(g, R, 'r', random_chance(g, 50) ? BLOCK : LANE);
    add_fixed(g, "mov.u64 %%d%u, loc;", a);
    place p = {D, a, ".local", true, 0, 128, 16};
    if (random_chance(g, 60)) {
        add_fixed(g,
                  "and.b32 %%r%u, %%r%u, 7; mul.wide.u32 %%d%u, %%r%u, 16; "
                  "add.s64 %%d%u, %%d%u, %%d%u;",
                  u, v.number, t, u, a, a, t);
        p.end = 16;
    }
    return p;
}

static place
shared_place(gen *g)
{
    uint32_t index = random_chance(g, 30) ? disguise(g, R_LIN) : R_LIN;
    place p = {R, g->next[R]++, ".shared", true, 0, 16, 16};
    if (random_chance(g, 60)) {
        uint32_t t = g->next[R]++;
        add_fixed(g,
                  "mov.u32 %%r%u, mine; shl.b32 %%r%u, %%r%u, 4; "
                  "add.u32 %%r%u, %%r%u, %%r%u;",
                  t, p.number, index, p.number, p.number, t);
    } else {
        p.cls = D;
        p.number = g->next[D]++;
        add_fixed(g,
                  "mov.u64 %%d%u, mine; mad.wide.u32 %%d%u, %%r%u, 16, %%d%u;",
                  p.number, p.number, index, p.number);
    }
    return p;
}

/* The same by a generic address. */
static void
make_generic(gen *g, place *p)
{
    if (p->cls != D || !random_chance(g, 25))
        return;
    if (strcmp(p->space, ".global") != 0)
        add_fixed(g, "cvta%s.u64 %%d%u, %%d%u;", p->space, p->number,
                  p->number);
    p->space = "";
}

void
generate_place(gen *g)
{
    uint32_t n = random_below(g, 100);
    place p = n >= 70 && n < 85 && g->has_local ? local_place(g)
              : n >= 85 && g->has_mine          ? shared_place(g)
              : n % 2                           ? read_only_place(g)
                                                : own_place(g);
    make_generic(g, &p);
    *(place *)sw_vec_push(&g->places) = p;
}

/* ---- accesses ---- */

static const struct {
    const char *name;
    char letter;
    unsigned bytes;
} types[] = {{"u32", 'r', 4}, {"f32", 'f', 4}, {"b32", 'r', 4}, {"u8", 'r', 1},
             {"s8", 'r', 1},  {"u16", 'h', 2}, {"s16", 'h', 2}, {"u16", 'r', 2},
             {"b64", 'd', 8}, {"f64", 'g', 8}, {"s32", 'd', 4}, {"u8", 'h', 1},
             {"u32", 'r', 4}, {"f32", 'f', 4}, {"b16", 'e', 2}, {"s8", 'd', 1}};

/* A place's [address + offset] for that many bytes; -1 if it has none. */
static bool
add_address(gen *g, const place *p, unsigned bytes, sw_buf *out)
{
    if (p->align < bytes || p->end - p->first < (int32_t)bytes)
        return false;
    uint32_t n = (uint32_t)(p->end - p->first) / bytes;
    sw_buf_printf(out, "[%%%c%u+%u]", class_letter[p->cls], p->number,
                  bytes * random_below(g, n));
    return true;
}

static void
add_access(gen *g, const place *p, bool loads)
{
    uint32_t k = random_below(g, sizeof types / sizeof *types), count = 1;
    while (count < 4 && types[k].bytes * count < 16 && random_chance(g, 20))
        count *= 2;
    sw_buf address, list, before, instead;
    sw_buf *all[] = {&address, &list, &before, &instead};
    for (size_t i = 0; i < 4; i++)
        sw_buf_init(all[i]);
    bool guarded = random_chance(g, 15);
    value v[4], guard = pick_value(g, P, 'p', LANE);
    char text[32] = "";
    if (guarded)
        snprintf(text, sizeof text, "@%s%%p%u ",
                 random_chance(g, 50) ? "!" : "", guard.number);
    if (!add_address(g, p, types[k].bytes * count, &address))
        goto out;
    for (uint32_t i = 0; i < count; i++) {
        sw_buf_puts(&list, i ? ", " : count > 1 ? "{" : "");
        if (!loads) {
            reg_class cls = class_of_letter(types[k].letter);
            sw_buf source;
            sw_buf_init(&source);
            add_source(g, (char)(types[k].letter & ~0x20), LANE, &source);
            if (g->for_device && types[k].bytes < 2u << cls)
                take_as_bits(g, cls, &before, &source);
            sw_buf_puts(&list, source.p);
            sw_buf_finish(&source);
            continue;
        }
        v[i] = fresh_value(g, class_of_letter(types[k].letter), types[k].letter,
                           LANE);
        if (guarded || random_chance(g, 30))
            add_constant(&before, &v[i]);
        add_constant(&instead, &v[i]);
        sw_buf_printf(&list, "%%%c%u", class_letter[v[i].cls], v[i].number);
    }
    sw_buf_puts(&list, count > 1 ? "}" : "");
    const char *vector = count == 4 ? ".v4" : count == 2 ? ".v2" : "";
    const char *how = "";
    if (loads && !p->is_written && p->space[0] && random_chance(g, 25))
        how = ".nc";
    else if (strcmp(p->space, ".local") != 0 && random_chance(g, 6))
        how = ".volatile";
    if (loads)
        add_definition(g, instead.p, "%s%sld%s%s%s%s.%s %s, %s;",
                       before.n ? before.p : "", text,
                       *how == '.' && how[1] == 'v' ? how : "", p->space,
                       *how == '.' && how[1] == 'n' ? how : "", vector,
                       types[k].name, list.p, address.p);
    else
        add_line(g, "%s%sst%s%s%s.%s %s, %s;", before.n ? before.p : "", text,
                 how, p->space, vector, types[k].name, address.p, list.p);
    for (uint32_t i = 0; loads && i < count; i++)
        publish_value(g, &v[i]);
out:
    for (size_t i = 0; i < 4; i++)
        sw_buf_finish(all[i]);
}

/* An index that wraps around, or memory that ends: only the lanes on one side
 * load; where the others would is nothing. */
static void
add_wrapping(gen *g)
{
    value u = pick_value(g, R, 'r', BLOCK);
    uint32_t i = g->next[R]++, p = g->next[P]++, a = g->next[D]++;
    uint32_t base = g->next[R]++, end = 2048, l = g->labels++;
    value v = fresh_value(g, R, 'r', LANE);
    const char *sign = random_chance(g, 50) ? "u32" : "s32";
    bool branches = random_chance(g, 50);
    sw_buf instead, start, guard, behind;
    sw_buf *all[] = {&instead, &start, &guard, &behind};
    for (size_t k = 0; k < 4; k++)
        sw_buf_init(all[k]);
    add_constant(&instead, &v);
    if (random_chance(g, 60)) {
        end = RANDOM_IN_BYTES / 4;
        sw_buf_printf(&start,
                      "and.b32 %%r%u, %%r%u, 63; sub.u32 %%r%u, %u, %%r%u;",
                      base, u.number, base, end, base);
    } else {
        sw_buf_printf(&start, "mov.u32 %%r%u, %%r%u;", base, u.number);
    }
    sw_buf_printf(&guard, branches ? "@!%%p%u bra L%u; " : "@%%p%u ", p, l);
    if (branches)
        sw_buf_printf(&behind, " L%u:", l);
    add_definition(g, instead.p,
                   "%s add.u32 %%r%u, %%r%u, %%r%u; mov.u32 %%r%u, 0; "
                   "setp.lt.u32 %%p%u, %%r%u, %u; "
                   "mad.wide.%s %%d%u, %%r%u, 4, %%d%u; "
                   "%sld.global.u32 %%r%u, [%%d%u];%s",
                   start.p, i, random_chance(g, 50) ? R_LANE : R_LIN, base,
                   v.number, p, i, end, sign, a, i, D_IN, guard.p, v.number, a,
                   branches ? behind.p : "");
    publish_value(g, &v);
    for (size_t k = 0; k < 4; k++)
        sw_buf_finish(all[k]);
}

void
generate_memory(gen *g)
{
    if (!g->in_function && random_chance(g, 9)) {
        add_wrapping(g);
        return;
    }
    if (!g->in_function && (!g->places.count || random_chance(g, 40)))
        generate_place(g);
    if (!g->places.count)
        return;
    place p = *(place *)sw_vec_at(
        &g->places, random_chance(g, 50)
                        ? g->places.count - 1
                        : random_below(g, (uint32_t)g->places.count));
    uint32_t n = 1 + random_below(g, 3);
    for (uint32_t i = 0; i < n; i++)
        add_access(g, &p, !p.is_written || random_chance(g, 45));
}

/* ---- shared memory ---- */

void
add_shared_declarations(gen *g)
{
    add_fixed(g, ".shared .align 16 .b8 mine[%u];", g->threads * 16);
    add_fixed(g, ".shared .align 16 .b8 all[%u];", g->threads * 8);
    add_fixed(g, ".shared .align 16 .b8 counts[1024];");
}

/* What kernels read there has been written first, and so has local memory. */
void
add_shared_start(gen *g)
{
    uint32_t a = g->next[R]++, b = g->next[R]++, p = g->next[P]++;
    if (g->has_mine)
        add_fixed(g,
                  "mov.u32 %%r%u, mine; mad.lo.u32 %%r%u, %%r%u, 16, %%r%u; "
                  "st.shared.v4.u32 [%%r%u], {%%r%u, %%r%u, %%r%u, %%r%u};",
                  b, a, R_LIN, b, a, R_LIN, R_ZERO, R_LANE, R_GID);
    if (g->has_all)
        add_fixed(g,
                  "mov.u32 %%r%u, all; mad.lo.u32 %%r%u, %%r%u, 8, %%r%u; "
                  "st.shared.v2.u32 [%%r%u], {%%r%u, %%r%u};",
                  b, a, R_LIN, b, a, R_LIN, R_ZERO);
    if (g->has_counts) {
        uint32_t l = g->labels++;
        add_fixed(g, "mov.u32 %%r%u, %%r%u; L%u: mov.u32 %%r%u, counts;", a,
                  R_LIN, l, b);
        add_fixed(g,
                  "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u; "
                  "st.shared.u32 [%%r%u], 0;",
                  b, a, b, b);
        add_fixed(g,
                  "add.u32 %%r%u, %%r%u, %u; setp.lt.u32 %%p%u, %%r%u, 256; "
                  "@%%p%u bra L%u;",
                  a, a, g->threads, p, a, p, l);
    }
    for (uint32_t i = 0; g->has_local && i < 8; i++)
        add_fixed(g, "st.local.v4.u32 [loc+%u], {%%r%u, %%r%u, %%r%u, %%r%u};",
                  i * 16, R_LIN, R_ZERO, R_GID, R_LANE);
    if (g->has_counts || g->has_all)
        add_fixed(g, "bar.sync 0;");
}

static void
add_barrier(gen *g)
{
    static const char *const reds[] = {"popc.u32", "and.pred", "or.pred"};
    uint32_t n = random_below(g, 100);
    if (n < 70) {
        add_fixed(g, "%s 0;",
                  random_chance(g, 70) ? "bar.sync" : "barrier.sync");
    } else if (n < 78) {
        add_fixed(g, "bar.sync %u;", 1 + random_below(g, 3));
    } else if (n < 86 && !g->has_exits && g->threads % 32 == 0) {
        add_fixed(g, "bar.sync %u, %u;", random_below(g, 3), g->threads);
    } else {
        uint32_t kind = random_below(g, 3);
        value p = pick_value(g, P, 'p', LANE);
        value v = fresh_value(g, kind ? P : R, kind ? 'p' : 'r', BLOCK);
        add_fixed(g, "bar.red.%s %%%c%u, %u, %s%%p%u;", reds[kind],
                  class_letter[v.cls], v.number, random_below(g, 2),
                  random_chance(g, 50) ? "!" : "", p.number);
        publish_value(g, &v);
    }
}

static uint32_t
other_thread(gen *g)
{
    uint32_t t = g->next[R]++;
    value v = pick_value(g, R, 'r', random_chance(g, 30) ? BLOCK : LANE);
    switch (random_below(g, 4)) {
    case 0:
        add_fixed(g, "rem.u32 %%r%u, %%r%u, %u;", t, v.number, g->threads);
        break;
    case 1:
        add_fixed(g, "sub.u32 %%r%u, %u, %%r%u;", t, g->threads - 1, R_LIN);
        break;
    case 2:
        add_fixed(g, "xor.b32 %%r%u, %%r%u, %u; min.u32 %%r%u, %%r%u, %u;", t,
                  R_LIN, 1u << random_below(g, 6), t, t, g->threads - 1);
        break;
    default:
        add_fixed(g, "add.u32 %%r%u, %%r%u, %u; rem.u32 %%r%u, %%r%u, %u;", t,
                  R_LIN, random_below(g, 40), t, t, g->threads);
    }
    return t;
}

void
generate_exchange(gen *g)
{
    uint32_t group = open_group(g), a = g->next[R]++, b = g->next[R]++;
    size_t values = g->values.count;
    bool wide = random_chance(g, 25);
    reg_class cls = wide ? D : R;
    value from = pick_value(g, cls, wide ? 'g' : 'f', LANE);
    value to = fresh_value(g, cls, from.taste, LANE), var;
    add_barrier(g);
    add_fixed(g, "mov.u32 %%r%u, all; mad.lo.u32 %%r%u, %%r%u, %u, %%r%u;", b,
              a, R_LIN, wide ? 8 : 4, b);
    add_fixed(g, "st.shared.%s [%%r%u], %%%c%u;", class_type[cls], a,
              class_letter[cls], from.number);
    add_barrier(g);
    uint32_t times = 1 + random_below(g, 2);
    for (uint32_t i = 0; i < times; i++) {
        uint32_t t = other_thread(g);
        add_fixed(g, "mad.lo.u32 %%r%u, %%r%u, %u, %%r%u;", a, t, wide ? 8 : 4,
                  b);
        add_fixed(g, "ld.shared.%s %%%c%u, [%%r%u];", class_type[cls],
                  class_letter[cls], to.number, a);
        if (pick_variable(g, cls, LANE, &var))
            add_fixed(g, "xor.%s %%%c%u, %%%c%u, %%%c%u;", class_type[cls],
                      class_letter[cls], var.number, class_letter[cls],
                      var.number, class_letter[cls], to.number);
    }
    while (g->values.count > values) /* the group goes as a whole */
        sw_vec_remove(&g->values, g->values.count - 1);
    close_group(g, group);
}

/* ---- atomics ---- */

static const struct {
    const char *name;
    bool wide;
} kinds[] = {{"add.u32", false}, {"min.s32", false}, {"max.u32", false},
             {"and.b32", false}, {"or.b32", false},  {"xor.b32", false},
             {"inc.u32", false}, {"dec.u32", false}, {"add.u64", true},
             {"min.s64", true},  {"max.u64", true},  {"and.b64", true},
             {"or.b64", true},   {"xor.b64", true}};

/* All threads may meet on a cell; what was there before is not asked for. */
static void
add_meeting(gen *g)
{
    bool is_shared = g->has_counts && random_chance(g, 60);
    uint32_t k = random_below(g, is_shared ? 8 : 14), t = g->next[R]++;
    uint32_t bytes = kinds[k].wide ? 8 : 4;
    value v = pick_value(g, R, 'r', random_chance(g, 30) ? BLOCK : LANE);
    sw_buf operand;
    sw_buf_init(&operand);
    add_source(g, kinds[k].wide ? 'D' : 'R', LANE, &operand);
    if (k == 6 || k == 7) { /* one bound for all */
        sw_buf_finish(&operand);
        sw_buf_init(&operand);
        sw_buf_puts(&operand, "1000");
    }
    const char *what = random_chance(g, 60) ? "red" : "atom";
    char result[32] = "";
    if (*what == 'a')
        snprintf(result, sizeof result, "%%%c%u, ", kinds[k].wide ? 'd' : 'r',
                 g->next[kinds[k].wide ? D : R]++);
    char guard[32] = "";
    if (random_chance(g, 25))
        snprintf(guard, sizeof guard, "@%%p%u ",
                 pick_value(g, P, 'p', LANE).number);
    if (is_shared) {
        uint32_t b = g->next[R]++;
        add_line(g,
                 "and.b32 %%r%u, %%r%u, 15; mov.u32 %%r%u, counts; "
                 "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u; "
                 "%s%s.shared.%s %s[%%r%u+%u], %s;",
                 t, v.number, b, t, t, b, guard, what, kinds[k].name, result, t,
                 k * 64, operand.p);
    } else {
        uint32_t a = g->next[D]++;
        add_line(g,
                 "and.b32 %%r%u, %%r%u, 15; "
                 "mad.wide.u32 %%d%u, %%r%u, %u, %%d%u; "
                 "%s%s.global.%s %s[%%d%u+%u], %s;",
                 t, v.number, a, t, bytes, D_CELLS, guard, what, kinds[k].name,
                 result, a, k * 128, operand.p);
    }
    sw_buf_finish(&operand);
}

/* On a thread's own memory anything goes, and the result is known. */
static void
add_own_atomic(gen *g)
{
    static const struct {
        const char *name;
        char letter;
        int operands;
    } more[] = {{"exch.b32", 'r', 1}, {"cas.b32", 'r', 2}, {"add.f32", 'f', 1},
                {"add.f64", 'g', 1},  {"inc.u32", 'r', 1}, {"exch.b64", 'd', 1},
                {"cas.b64", 'd', 2},  {"max.s32", 'r', 1}, {"add.u64", 'd', 1},
                {"dec.u32", 'r', 1},  {"xor.b32", 'r', 1}};
    uint32_t k = random_below(g, sizeof more / sizeof *more);
    if (g->flushes && more[k].letter == 'g')
        k = 0;
    uint32_t a = g->next[D]++;
    value v =
        fresh_value(g, class_of_letter(more[k].letter), more[k].letter, LANE);
    sw_buf list, instead;
    sw_buf_init(&list);
    sw_buf_init(&instead);
    add_constant(&instead, &v);
    for (int i = 0; i < more[k].operands; i++) {
        sw_buf_puts(&list, ", ");
        add_source(g, (char)(more[k].letter & ~0x20), LANE, &list);
    }
    value p = pick_value(g, P, 'p', LANE);
    char guard[32] = "";
    if (random_chance(g, 25))
        snprintf(guard, sizeof guard, "@%%p%u ", p.number);
    add_definition(g, instead.p,
                   "%smad.wide.u32 %%d%u, %%r%u, %u, %%d%u; "
                   "%satom.global.%s %%%c%u, [%%d%u+%u]%s;",
                   instead.p, a, R_GID, RANDOM_OWN_BYTES, D_OWN, guard,
                   more[k].name, class_letter[v.cls], v.number, a,
                   8 * random_below(g, 16), list.p);
    publish_value(g, &v);
    sw_buf_finish(&list);
    sw_buf_finish(&instead);
}

void
generate_atomic(gen *g)
{
    if (random_chance(g, 60))
        add_meeting(g);
    else
        add_own_atomic(g);
}

/* ---- faults ---- */

/* The only one of its kernel; which thread comes to it first does not matter,
 * for all do the same wrong. */
void
generate_fault(gen *g)
{
    if (g->has_faulted)
        return;
    g->has_faulted = true;
    value p = pick_value(g, P, 'p', LANE), r = pick_value(g, R, 'r', LANE);
    uint32_t a = g->next[D]++, t = g->next[R]++;
    switch (random_below(g, 3)) {
    case 0:
        add_line(g, "@%%p%u trap;", p.number);
        return;
    case 1: /* misaligned */
        add_line(g,
                 "and.b32 %%r%u, %%r%u, 15; "
                 "mad.wide.u32 %%d%u, %%r%u, 2, %%d%u; "
                 "@%%p%u ld.global.u32 %%r%u, [%%d%u];",
                 t, r.number, a, t, D_IN, p.number, t, a);
        return;
    default: /* nothing is there */
        add_line(g,
                 "and.b32 %%r%u, %%r%u, 15; mul.wide.u32 %%d%u, %%r%u, 4; "
                 "@%%p%u st.global.u32 [%%d%u], %%r%u;",
                 t, r.number, a, t, p.number, a, t);
    }
}
