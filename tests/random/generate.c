/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.c - a random kernel as a whole: its shape, what it starts and ends
 * with; random numbers, lines, values.
 */
#include "generate.h"

#include <string.h>

#include "private.h"

const char class_letter[CLASSES] = {'h', 'r', 'd', 'p'};
const char *const class_type[CLASSES] = {"b16", "b32", "b64", "pred"};

/* ---- random numbers: splitmix64 ---- */

uint64_t
random_bits(gen *g)
{
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t
random_below(gen *g, uint32_t n)
{
    return (uint32_t)((random_bits(g) >> 32) * n >> 32);
}

bool
random_chance(gen *g, unsigned percent)
{
    return random_below(g, 100) < percent;
}

/* ---- lines ---- */

static void
push_line(gen *g, const char *instead, bool is_fixed, const char *fmt,
          va_list args)
{
    sw_buf text;
    random_line *l = sw_vec_push(&g->lines);
    sw_buf_init(&text);
    sw_buf_vprintf(&text, fmt, args);
    *l = (random_line){.text = sw_buf_take(&text),
                       .instead = instead ? sw_strdup(instead) : NULL,
                       .is_fixed = is_fixed};
    sw_buf_finish(&text);
}

void
add_fixed(gen *g, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    push_line(g, NULL, true, fmt, args);
    va_end(args);
}

void
add_line(gen *g, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    push_line(g, NULL, false, fmt, args);
    va_end(args);
}

void
add_definition(gen *g, const char *instead, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    push_line(g, instead, false, fmt, args);
    va_end(args);
}

uint32_t
open_group(gen *g)
{
    sw_vec_push(&g->lines);
    return (uint32_t)g->lines.count - 1;
}

void
close_group(gen *g, uint32_t group)
{
    ((random_line *)sw_vec_at(&g->lines, group))->end =
        (uint32_t)g->lines.count;
}

/* ---- values ---- */

level
least_level(level a, level b)
{
    return a < b ? a : b;
}

reg_class
class_of_letter(char letter)
{
    switch (letter) {
    case 'h':
    case 'e':
        return H;
    case 'd':
    case 'g':
        return D;
    case 'p':
        return P;
    default:
        return R;
    }
}

static const value *
value_at(const gen *g, size_t i)
{
    return sw_vec_at(&g->values, i);
}

value
pick_value(gen *g, reg_class cls, char taste, level same)
{
    /* Of up to four drawn, one of the right taste, else the last. Half of the
     * time from the latest dozen. */
    const value *found = NULL;
    for (int tries = 0; tries < 40; tries++) {
        size_t n = g->values.count, range = n;
        if (tries < 20 && n > 12 && random_chance(g, 60))
            range = 12;
        const value *v = value_at(g, n - 1 - random_below(g, (uint32_t)range));
        if (v->cls != cls || v->same < same)
            continue;
        found = v;
        if (v->taste == taste || random_chance(g, 25))
            return *v;
    }
    for (size_t i = g->values.count; !found && i-- > 0;)
        if (value_at(g, i)->cls == cls && value_at(g, i)->same >= same)
            found = value_at(g, i);
    SW_ASSERT(found);
    return *found;
}

bool
pick_variable(gen *g, reg_class cls, level same, value *out)
{
    for (int tries = 0; tries < 20; tries++) {
        const value *v =
            value_at(g, random_below(g, (uint32_t)g->values.count));
        if (!v->is_variable || v->cls != cls || v->same > same)
            continue;
        *out = *v;
        return true;
    }
    return false;
}

value
fresh_value(gen *g, reg_class cls, char taste, level same)
{
    return (value){cls, g->next[cls]++, taste, same, false};
}

void
publish_value(gen *g, const value *v)
{
    if (!v->is_variable)
        *(value *)sw_vec_push(&g->values) = *v;
}

void
add_constant(sw_buf *out, const value *v)
{
    if (v->cls == P)
        sw_buf_printf(out, "setp.eq.u32 %%p%u, %%r%u, 0; ", v->number, R_ZERO);
    else
        sw_buf_printf(out, "mov.%s %%%c%u, 1; ", class_type[v->cls],
                      class_letter[v->cls], v->number);
}

value
make_result(gen *g, char letter, level same, bool guarded, sw_buf *before,
            sw_buf *instead)
{
    reg_class cls = class_of_letter(letter);
    value v;
    if (random_chance(g, 25) && pick_variable(g, cls, same, &v))
        return v;
    v = fresh_value(g, cls, letter, same);
    if (guarded) {
        value old = pick_value(g, cls, letter, LANE);
        v.same = least_level(same, old.same);
        sw_buf_printf(before, "mov.%s %%%c%u, %%%c%u; ", class_type[cls],
                      class_letter[cls], v.number, class_letter[cls],
                      old.number);
    }
    add_constant(instead, &v);
    return v;
}

/* ---- immediates ---- */

static uint64_t
random_integer(gen *g)
{
    static const uint64_t edges[] = {
        0,          1,          2,         4,          8,
        15,         16,         31,        32,         0xff,
        0x7fff,     0x8000,     0xffff,    0x7fffffff, 0x80000000,
        0xffffffff, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX};
    switch (random_below(g, 4)) {
    case 0:
        return edges[random_below(g, sizeof edges / sizeof *edges)];
    case 1:
        return random_bits(g);
    default:
        return random_below(g, 64);
    }
}

static uint32_t
random_float(gen *g)
{
    static const uint32_t edges[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb,
        0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00000001,
        0x00800000, 0x007fffff, 0x7f7fffff, 0x4b800000, 0x4f000000, 0xcf000000};
    switch (random_below(g, 3)) {
    case 0:
        return edges[random_below(g, sizeof edges / sizeof *edges)];
    case 1:
        return (uint32_t)random_bits(g);
    default: /* around one */
        return 0x3c000000 + (uint32_t)(random_bits(g) % 0x08000000);
    }
}

static uint64_t
random_double(gen *g)
{
    uint32_t f = random_float(g);
    if (random_chance(g, 30))
        return random_bits(g);
    float x;
    memcpy(&x, &f, sizeof x);
    double d = (double)x;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static bool
add_immediate(gen *g, char letter, sw_buf *out)
{
    switch (letter) {
    case 'h':
        sw_buf_printf(out, "%u", (unsigned)(random_integer(g) & 0x7fff));
        return true;
    case 'r':
        if (random_chance(g, 20))
            sw_buf_printf(out, "-%u", 1 + random_below(g, 40));
        else
            sw_buf_printf(out, "%u", (uint32_t)random_integer(g));
        return true;
    case 'd':
        if (random_chance(g, 20))
            sw_buf_printf(out, "-%u", 1 + random_below(g, 40));
        else
            sw_buf_printf(out, "0x%llx", (unsigned long long)random_integer(g));
        return true;
    case 'f':
        sw_buf_printf(out, "0f%08x", random_float(g));
        return true;
    case 'g':
        sw_buf_printf(out, "0d%016llx", (unsigned long long)random_double(g));
        return true;
    default:
        return false;
    }
}

level
add_source(gen *g, char letter, level same, sw_buf *out)
{
    char taste = (char)(letter | 0x20); /* small */
    if (letter == 'l' || (letter == 's' && random_chance(g, 65))) {
        sw_buf_printf(out, "%u", random_below(g, letter == 'l' ? 256 : 34));
        return BLOCK;
    }
    if (letter == taste && random_chance(g, 22) &&
        add_immediate(g, letter, out))
        return BLOCK;
    value v = pick_value(g, class_of_letter(taste), taste, same);
    sw_buf_printf(out, "%%%c%u", class_letter[v.cls], v.number);
    return v.same;
}

void
take_as_bits(gen *g, reg_class cls, sw_buf *before, sw_buf *source)
{
    uint32_t t = g->next[cls]++;
    sw_buf_printf(before, "and.%s %%%c%u, %s, -1; ", class_type[cls],
                  class_letter[cls], t, source->p);
    source->n = 0;
    sw_buf_printf(source, "%%%c%u", class_letter[cls], t);
}

/* ---- how a kernel starts ---- */

static void
choose_blocks(gen *g)
{
    static const uint32_t shapes[][3] = {
        {32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {96, 1, 1},
        {1, 1, 1},  {7, 1, 1},  {33, 1, 1},  {100, 1, 1}, {16, 16, 1},
        {8, 8, 1},  {24, 5, 1}, {32, 4, 1},  {64, 2, 1},  {4, 4, 4},
        {8, 4, 2},  {5, 3, 3},  {2, 2, 2},   {16, 4, 2},  {3, 40, 1},
        {32, 1, 3}, {1, 64, 1}, {16, 2, 3},  {2, 3, 16}};
    static const uint32_t full[][3] = {{64, 1, 1},  {128, 1, 1}, {256, 1, 1},
                                       {512, 1, 1}, {32, 8, 1},  {16, 16, 1},
                                       {192, 1, 1}, {8, 32, 1},  {1024, 1, 1},
                                       {32, 16, 1}, {16, 64, 1}, {768, 1, 1}};
    static const uint32_t few[][3] = {
        {1, 1, 1}, {2, 2, 1}, {4, 4, 1},  {8, 1, 1}, {16, 1, 1}, {1, 16, 1},
        {2, 3, 2}, {4, 2, 2}, {1, 5, 3},  {8, 2, 1}, {4, 3, 1},  {4, 1, 1},
        {1, 1, 7}, {3, 2, 1}, {16, 2, 1}, {2, 1, 1}};
    random_kernel *k = g->kernel;
    uint32_t s = random_below(
        g, random_chance(g, 50) ? 4 : sizeof shapes / sizeof *shapes);
    if (g->for_fused)
        s = random_below(g, sizeof full / sizeof *full);
    if (g->for_packs)
        s = random_below(g, sizeof few / sizeof *few);
    memcpy(k->block,
           g->for_fused   ? full[s]
           : g->for_packs ? few[s]
                          : shapes[s],
           sizeof k->block);
    g->threads = k->block[0] * k->block[1] * k->block[2];
    k->grid[0] = 1 + random_below(g, 3);
    if (g->for_packs)
        k->grid[0] = 1 + random_below(g, RANDOM_THREADS / g->threads);
    k->grid[1] = 1 + (random_chance(g, 10) ? 1 : 0);
    k->grid[2] = 1;
    while (g->threads * k->grid[0] * k->grid[1] > RANDOM_THREADS)
        k->grid[k->grid[1] > 1] = 1;
    k->numbers[0] = random_below(g, 8);
    k->numbers[1] = (uint32_t)random_integer(g);
    k->numbers[2] = 0u - random_below(g, 64);
    k->numbers[3] = (uint32_t)random_bits(g);
}

static value
add_start(gen *g, reg_class cls, char taste, level same, const char *what)
{
    value v = fresh_value(g, cls, taste, same);
    add_fixed(g, what, v.number);
    publish_value(g, &v);
    return v;
}

static void
add_threads(gen *g)
{
    const uint32_t *b = g->kernel->block;
    level row = b[0] % 32 == 0 ? WARP : LANE;
    value x = add_start(g, R, 'a', LANE, "mov.u32 %%r%u, %%tid.x;");
    value y = add_start(g, R, 'a', row, "mov.u32 %%r%u, %%tid.y;");
    value z = add_start(g, R, 'r', row, "mov.u32 %%r%u, %%tid.z;");
    value cx = add_start(g, R, 'r', BLOCK, "mov.u32 %%r%u, %%ctaid.x;");
    value cy = add_start(g, R, 'r', BLOCK, "mov.u32 %%r%u, %%ctaid.y;");
    value nx = add_start(g, R, 'r', BLOCK, "mov.u32 %%r%u, %%ntid.x;");
    uint32_t t = g->next[R]++, u = g->next[R]++;
    add_fixed(g, "mov.u32 %%r%u, 0;", R_ZERO);
    add_fixed(g,
              g->for_packs ? "mov.u32 %%r%u, 5;" : "mov.u32 %%r%u, %%laneid;",
              R_LANE);
    if (b[1] * b[2] == 1)
        add_fixed(g, "mov.u32 %%r%u, %%r%u;", R_LIN, x.number);
    else
        add_fixed(g,
                  "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u; "
                  "mad.lo.s32 %%r%u, %%r%u, %%r%u, %%r%u;",
                  t, z.number, b[1], y.number, R_LIN, t, nx.number, x.number);
    add_fixed(g,
              "mad.lo.u32 %%r%u, %%r%u, %u, %%r%u; "
              "mad.lo.s32 %%r%u, %%r%u, %u, %%r%u;",
              u, cy.number, g->kernel->grid[0], cx.number, R_GID, u, g->threads,
              R_LIN);
    value known[] = {{R, R_LIN, 'a', LANE, false},
                     {R, R_GID, 'a', LANE, false},
                     {R, R_LANE, 'a', LANE, false}};
    for (size_t i = 0; i < 3; i++)
        publish_value(g, &known[i]);
    value warp = fresh_value(g, R, 'r', WARP);
    add_fixed(g, "shr.u32 %%r%u, %%r%u, 5;", warp.number, R_LIN);
    publish_value(g, &warp);
}

/* One block-wide value of each class, at least. */
static void
add_common(gen *g)
{
    value r = pick_value(g, R, 'r', BLOCK);
    value h = fresh_value(g, H, 'h', BLOCK), d = fresh_value(g, D, 'd', BLOCK);
    value p = fresh_value(g, P, 'p', BLOCK), q = fresh_value(g, P, 'p', LANE);
    value f = fresh_value(g, R, 'f', BLOCK), e = fresh_value(g, D, 'g', BLOCK);
    add_fixed(g, "cvt.u16.u32 %%h%u, %%r%u;", h.number, r.number);
    add_fixed(g, "cvt.s64.s32 %%d%u, %%r%u;", d.number, r.number);
    add_fixed(g, "setp.lt.s32 %%p%u, %%r%u, %u;", p.number, r.number,
              random_below(g, 8));
    add_fixed(g, "cvt.rn.f32.s32 %%r%u, %%r%u;", f.number, r.number);
    add_fixed(g, "cvt.rn.f64.u32 %%d%u, %%r%u;", e.number, r.number);
    value lane = pick_value(g, R, 'r', LANE);
    add_fixed(g, "setp.gt.u32 %%p%u, %%r%u, %u;", q.number, lane.number,
              random_below(g, 32));
    value all[] = {h, d, p, q, f, e};
    for (size_t i = 0; i < 6; i++)
        publish_value(g, &all[i]);
}

static void
add_variable(gen *g, reg_class cls, char taste, level same)
{
    value v = fresh_value(g, cls, taste, same);
    value from = pick_value(g, cls, taste, same);
    add_fixed(g, "mov.%s %%%c%u, %%%c%u;", class_type[cls], class_letter[cls],
              v.number, class_letter[cls], from.number);
    v.is_variable = true;
    *(value *)sw_vec_push(&g->values) = v;
}

static void
add_variables(gen *g)
{
    static const char tastes[] = "rrfffddghepprrx";
    for (const char *t = tastes; *t; t++)
        if (random_chance(g, 60))
            add_variable(g, class_of_letter(*t), *t, LANE);
    add_variable(g, R, 'r', BLOCK);
    if (random_chance(g, 40))
        add_variable(g, P, 'p', BLOCK);
    if (random_chance(g, 30))
        add_variable(g, R, 'f', BLOCK);
}

/* Numbers from memory, by affine addresses. */
static void
add_inputs(gen *g)
{
    static const struct {
        const char *type;
        char taste;
        unsigned bytes;
    } kinds[] = {{"u32", 'r', 4}, {"f32", 'f', 4}, {"f64", 'g', 8},
                 {"u64", 'd', 8}, {"u16", 'h', 2}, {"f32", 'f', 4}};
    for (size_t i = 0; i < 6; i++) {
        if (random_chance(g, 40))
            continue;
        uint32_t a = g->next[D]++;
        value v = fresh_value(g, class_of_letter(kinds[i].taste),
                              kinds[i].taste, LANE);
        add_fixed(g,
                  "mad.wide.u32 %%d%u, %%r%u, %u, %%d%u; "
                  "ld.global.%s %%%c%u, [%%d%u+%u];",
                  a, R_GID, kinds[i].bytes, D_IN, kinds[i].type,
                  class_letter[v.cls], v.number, a,
                  kinds[i].bytes * random_below(g, 512));
        publish_value(g, &v);
    }
}

static void
add_parameters(gen *g)
{
    static const char *const pointers[] = {"in", "own", "dump", "cells"};
    for (uint32_t i = 0; i < 4; i++) {
        add_fixed(g, "ld.param.u64 %%d%u, [%s];", D_IN + i, pointers[i]);
        if (random_chance(g, 50))
            add_fixed(g, "cvta.to.global.u64 %%d%u, %%d%u;", D_IN + i,
                      D_IN + i);
    }
    for (uint32_t i = 0; i < RANDOM_NUMBERS; i++) {
        value v = fresh_value(g, R, 'r', BLOCK);
        add_fixed(g, "ld.param.u32 %%r%u, [n%u];", v.number, i);
        publish_value(g, &v);
    }
}

/* ---- how it ends ---- */

static void
add_dumps(gen *g)
{
    uint32_t total = g->threads * g->kernel->grid[0] * g->kernel->grid[1];
    uint32_t a = g->next[D]++, n = 0, t = g->next[R]++;
    uint32_t u = g->next[R]++;
    add_fixed(g, "mad.wide.u32 %%d%u, %%r%u, %u, %%d%u;", a, R_GID,
              RANDOM_DUMP_BYTES, D_DUMP);
    if (g->has_counts)
        add_fixed(
            g,
            "bar.sync 0; mov.u32 %%r%u, counts; and.b32 %%r%u, %%r%u, 255; "
            "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u; ld.shared.u32 %%r%u, "
            "[%%r%u]; st.global.u32 [%%d%u], %%r%u;",
            t, u, R_LIN, t, u, t, t, t, a, t);
    n++;
    for (size_t i = g->values.count;
         i-- > 0 && n < (g->is_plain ? RANDOM_DUMPS / 2 : RANDOM_DUMPS);) {
        const value *v = value_at(g, i);
        if (!v->is_variable && n >= RANDOM_DUMPS / 3)
            continue;
        uint32_t at = n++ * total * RANDOM_DUMP_BYTES;
        if (v->cls == P)
            add_line(g,
                     "selp.u32 %%r%u, 1, 2, %%p%u; "
                     "st.global.u32 [%%d%u+%u], %%r%u;",
                     t, v->number, a, at, t);
        else
            add_line(g, "st.global.%s [%%d%u+%u], %%%c%u;", class_type[v->cls],
                     a, at, class_letter[v->cls], v->number);
    }
}

/* ---- functions ---- */

static void
add_registers(gen *g, uint32_t line)
{
    sw_buf text;
    sw_buf_init(&text);
    for (int c = 0; c < CLASSES; c++)
        sw_buf_printf(&text, ".reg .%s %%%c<%u>; ", class_type[c],
                      class_letter[c], g->next[c]);
    random_line *l = sw_vec_at(&g->lines, line);
    sw_free(l->text);
    l->text = sw_buf_take(&text);
    sw_buf_finish(&text);
}

static uint32_t
add_registers_place(gen *g)
{
    add_fixed(g, "%s", "");
    for (int c = 0; c < CLASSES; c++)
        g->next[c] = REG_FIRST;
    sw_vec_clear(&g->values);
    sw_vec_clear(&g->places);
    return (uint32_t)g->lines.count - 1;
}

/* A call of fN by itself, once less often than it was called; what it gives
 * changes a. */
static void
add_recursion(gen *g, value a, uint32_t n)
{
    value r = fresh_value(g, R, 'r', LANE);
    value from = pick_value(g, R, 'r', LANE);
    r.is_variable = false;
    add_fixed(g,
              "{ .param .b32 x; .param .b32 y; .param .b32 z; "
              "st.param.b32 [x], %%r%u; st.param.b32 [y], %%r%u; "
              "call (z), f%u, (x, y); ld.param.b32 %%r%u, [z]; } "
              "xor.b32 %%r%u, %%r%u, %%r%u;",
              from.number, n, g->functions, r.number, a.number, a.number,
              r.number);
}

/* fN of two words, which gives one; the last calls itself, as often as its
 * second argument says. */
static void
add_function(gen *g, bool calls_itself)
{
    uint32_t group = open_group(g);
    add_fixed(g, ".func (.param .b32 result) f%u(.param .b32 a, .param .b32 b)",
              g->functions);
    add_fixed(g, "{");
    uint32_t registers = add_registers_place(g);
    g->in_function = true;
    g->control = LANE;
    g->members[0] = 0;
    add_fixed(g,
              g->for_packs ? "mov.u32 %%r%u, 0; mov.u32 %%r%u, 5;"
                           : "mov.u32 %%r%u, 0; mov.u32 %%r%u, %%laneid;",
              R_ZERO, R_LANE);
    add_start(g, R, 'r', BLOCK, "mov.u32 %%r%u, %%ctaid.x;");
    value a = add_start(g, R, 'r', LANE, "ld.param.b32 %%r%u, [a];");
    value b = add_start(g, R, 'r', LANE, "ld.param.b32 %%r%u, [b];");
    add_common(g);
    add_variables(g);
    uint32_t n = 0, p = 0;
    if (calls_itself) {
        n = g->next[R]++;
        p = g->next[P]++;
        uint32_t l = g->labels++;
        add_fixed(g,
                  "and.b32 %%r%u, %%r%u, 7; setp.eq.u32 %%p%u, %%r%u, 0; "
                  "@%%p%u bra L%u; sub.u32 %%r%u, %%r%u, 1;",
                  n, b.number, p, n, p, l, n, n);
        add_recursion(g, a, n);
        add_fixed(g, "L%u:", l);
    }
    generate_statements(g, 2 + random_below(g, 5));
    if (calls_itself && g->for_calls) {
        uint32_t l = g->labels++;
        add_fixed(g, "@%%p%u bra L%u;", p, l);
        add_recursion(g, a, n);
        add_fixed(g, "L%u:", l);
        generate_statements(g, 2);
    }
    value r = pick_value(g, R, 'r', LANE);
    add_fixed(g, "st.param.b32 [result], %%r%u; ret;", r.number);
    add_fixed(g, "}");
    add_registers(g, registers);
    close_group(g, group);
    g->in_function = false;
    g->functions++;
}

static void
add_entry(gen *g)
{
    add_shared_declarations(g);
    add_fixed(g, ".visible .entry k(.param .u64 in, .param .u64 own, "
                 ".param .u64 dump, .param .u64 cells, .param .u32 n0, "
                 ".param .u32 n1, .param .u32 n2, .param .u32 n3)");
    add_fixed(g, "{");
    add_fixed(g, ".local .align 16 .b8 loc[128];");
    uint32_t registers = add_registers_place(g);
    g->control = BLOCK;
    strcpy(g->members, "0xffffffff");
    add_parameters(g);
    add_threads(g);
    add_common(g);
    add_inputs(g);
    add_variables(g);
    add_shared_start(g);
    uint32_t size = random_below(g, 10);
    g->budget = size < 6 ? 8 : size < 9 ? 20 : 60;
    while (g->budget > 0) {
        generate_statements(g, 6);
        if (g->kernel->may_fault)
            generate_fault(g);
    }
    add_dumps(g);
    add_fixed(g, "ret;");
    add_fixed(g, "}");
    add_registers(g, registers);
}

void
random_kernel_init(random_kernel *kernel, uint64_t seed, random_kind kind)
{
    *kernel = (random_kernel){.seed = seed};
    gen g = {.state = seed * UINT64_C(0xd1342543de82ef95) + 12345,
             .kernel = kernel,
             .for_fused = kind == RANDOM_FOR_FUSED,
             .for_device = kind == RANDOM_FOR_DEVICE,
             .for_packs = kind == RANDOM_FOR_PACKS,
             .flushes = kind == RANDOM_FLUSHING,
             .for_calls = kind == RANDOM_CALLS};
    sw_vec_init(&g.lines, sizeof(random_line));
    sw_vec_init(&g.values, sizeof(value));
    sw_vec_init(&g.places, sizeof(place));
    choose_blocks(&g);
    kernel->may_fault = random_chance(&g, 3);
    g.is_plain = random_chance(&g, 60);
    g.has_mine = random_chance(&g, 40);
    g.has_all = random_chance(&g, 50);
    g.has_counts = random_chance(&g, 30);
    g.has_local = random_chance(&g, 30);
    if (g.for_fused || g.for_packs)
        g.is_plain = true;
    if (g.for_packs)
        g.has_mine = g.has_all = g.has_counts = false;
    add_fixed(&g, ".version 8.0\n.target sm_90\n.address_size 64");
    g.labels = 1;
    if ((random_chance(&g, 25) || g.for_calls) && !g.for_fused) {
        uint32_t n = 1 + random_below(&g, 2);
        for (uint32_t i = 0; i < n; i++) {
            g.budget = 12;
            add_function(&g, random_chance(&g, 30) || g.for_calls);
        }
    }
    add_entry(&g);
    kernel->line_count = (uint32_t)g.lines.count;
    kernel->lines = sw_alloc(g.lines.count * sizeof *kernel->lines);
    memcpy(kernel->lines, sw_vec_at(&g.lines, 0),
           g.lines.count * sizeof *kernel->lines);
    sw_vec_finish(&g.lines);
    sw_vec_finish(&g.values);
    sw_vec_finish(&g.places);
}

void
random_kernel_finish(random_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->line_count; i++) {
        sw_free(kernel->lines[i].text);
        sw_free(kernel->lines[i].instead);
    }
    sw_free(kernel->lines);
}

void
random_kernel_print(const random_kernel *k, sw_buf *out)
{
    sw_buf_printf(out,
                  "// seed %llu grid %u,%u,%u block %u,%u,%u numbers 0x%x 0x%x "
                  "0x%x 0x%x\n",
                  (unsigned long long)k->seed, k->grid[0], k->grid[1],
                  k->grid[2], k->block[0], k->block[1], k->block[2],
                  k->numbers[0], k->numbers[1], k->numbers[2], k->numbers[3]);
    for (uint32_t i = 0; i < k->line_count; i++) {
        const random_line *l = &k->lines[i];
        if (l->is_out && l->end) {
            i = l->end - 1;
            continue;
        }
        const char *text = l->is_out ? l->instead : l->text;
        if (text && *text)
            sw_buf_printf(out, "%s\n", text);
    }
}

void
random_fill(uint64_t seed, void *in, uint8_t *before, size_t bytes)
{
    uint32_t *words = in, x = (uint32_t)seed | 1;
    for (uint32_t i = 0; i < RANDOM_IN_BYTES / 4; i++) {
        x = x * 1664525 + 1013904223;
        /* words, floats around one, small numbers */
        words[i] = i % 3 == 0   ? x
                   : i % 3 == 1 ? 0x3c000000 + (x >> 5)
                                : x >> 26;
    }
    for (size_t i = 0; i < bytes; i++)
        before[i] = (uint8_t)(i * 37 + i / 256);
}
