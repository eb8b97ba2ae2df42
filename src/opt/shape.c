/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.c - shapes of registers: an optimistic data flow over the function,
 * together with the divergence of its blocks (divergence.c); see shape.h.
 */
#include <string.h>

#include "opt/invariants.h"
#include "opt/reaching_definitions.h"
#include "opt/shape_private.h"

/* Lane constants beyond this are not worth to be known. */
enum { MAX_CONSTANT = 1 << 24, NO_MAX_BITS = 31 };
#define NO_MAX UINT32_MAX

void
sw_lane_map_init(sw_lane_map *map, const uint32_t ntid[3], uint32_t lanes)
{
    memset(map, 0, sizeof *map);
    uint32_t nx = ntid[0], ny = ntid[1], nxy = nx * ny;
    map->lanes = (uint16_t)lanes;
    map->is_line = ny == 1 && ntid[2] == 1;
    map->is_full = (uint64_t)nxy * ntid[2] % lanes == 0;
    /* A warp lies in one row, in one plane; the lanes that it has. */
    bool is_row = map->is_line && nx > 1;
    bool rows = nx % lanes == 0 || is_row;
    bool planes = nxy % lanes == 0 || is_row;
    bool alone = (uint64_t)nxy * ntid[2] <= lanes;
    map->is_block = alone;
    for (int k = 0; map->is_block && k < 3; k++)
        map->ntid[k] = (uint16_t)ntid[k];
    map->is_regular[0] = rows || lanes % nx == 0 || alone;
    map->is_regular[1] =
        rows || (lanes % nx == 0 && (planes || lanes % nxy == 0)) || alone;
    map->is_regular[2] = planes || lanes % nxy == 0 || alone;
    for (uint32_t i = 0; i < lanes; i++) {
        map->lane[0][i] = (uint8_t)(rows ? i : i % nx);
        map->lane[1][i] = (uint8_t)(rows ? 0 : planes ? i / nx : i / nx % ny);
        map->lane[2][i] = (uint8_t)(planes ? 0 : i / nxy);
    }
    /* Lane 0 of each warp: */
    map->align[0] = nx == lanes          ? NO_MAX_BITS
                    : rows               ? (uint8_t)__builtin_ctz(lanes)
                    : map->is_regular[0] ? NO_MAX_BITS
                                         : 0;
    if (map->is_regular[0])
        map->ntid_align = (uint8_t)__builtin_ctz(nx | lanes);
    if (map->is_regular[1] && !rows)
        map->align[1] = planes && nx < lanes
                            ? (uint8_t)__builtin_ctz(lanes / nx)
                            : NO_MAX_BITS; /* always 0 */
    if (map->is_regular[2] && !planes && nxy < lanes && lanes % nxy == 0)
        map->align[2] = (uint8_t)__builtin_ctz(lanes / nxy);
    for (int k = 0; map->is_block && k < 3; k++)
        if (map->is_regular[k])
            map->align[k] = NO_MAX_BITS; /* lane 0 is at 0 */
}

uint32_t
sw_lane_map_fused_count(const uint32_t ntid[3], uint32_t lanes)
{
    uint32_t threads = ntid[0] * ntid[1];
    return ntid[2] == 1 && threads > lanes && threads % lanes == 0
               ? threads / lanes
               : 0;
}

void
sw_lane_map_init_fused(sw_lane_map *map, const uint32_t ntid[3], uint32_t lanes,
                       uint32_t number)
{
    uint32_t at = lanes * number;
    sw_lane_map_init(map, ntid, lanes);
    map->is_placed = true;
    for (int k = 0; k < 3; k++) {
        map->ntid[k] = (uint16_t)ntid[k];
        map->first[k] = (uint16_t)(at % ntid[k]);
        at /= ntid[k];
    }
}

enum { WARP = 32 };

uint32_t
sw_lane_map_phases(const uint32_t ntid[3])
{
    uint32_t nx = ntid[0], count = nx;
    if (ntid[1] == 1 || ntid[2] != 1 || nx % WARP == 0 || WARP % nx == 0 ||
        nx * ntid[1] <= WARP)
        return 1;
    for (uint32_t n = WARP; n > 1 && count % 2 == 0; n /= 2)
        count /= 2;
    uint32_t warps = (nx * ntid[1] + WARP - 1) / WARP;
    return count < warps ? count : warps;
}

void
sw_lane_map_init_phase(sw_lane_map *map, const uint32_t ntid[3], uint32_t phase)
{
    uint32_t nx = ntid[0], first = WARP * phase % nx;
    sw_lane_map_init(map, ntid, WARP);
    for (uint32_t i = 0; i < WARP; i++) {
        map->lane[0][i] = (uint8_t)((first + i) % nx);
        map->lane[1][i] = (uint8_t)((first + i) / nx);
        map->lane[2][i] = 0;
    }
    map->is_regular[0] = map->is_regular[1] = map->is_regular[2] = true;
    map->align[0] = map->align[2] = NO_MAX_BITS;
    map->align[1] = 0;
    map->ntid_align = (uint8_t)__builtin_ctz(nx);
}

/* ---- interned lane constants ---- */

static bool
is_zero(const sw_shapes *s, const int32_t *c)
{
    for (int i = 0; i < s->map.lanes; i++)
        if (c[i])
            return false;
    return true;
}

/* NULL if a constant is too large. */
static const int32_t *
intern(sw_shapes *s, const int64_t c[SW_LANES_MAX])
{
    int32_t small[SW_LANES_MAX] = {0};
    for (int i = 0; i < s->map.lanes; i++) {
        if (c[i] > MAX_CONSTANT || c[i] < -MAX_CONSTANT)
            return NULL;
        small[i] = (int32_t)c[i];
    }
    for (size_t k = 0; k < s->lanes.count; k++) {
        const int32_t *known = *(const int32_t **)sw_vec_at(&s->lanes, k);
        if (memcmp(known, small, sizeof small) == 0)
            return known;
    }
    int32_t *fresh = sw_arena_alloc(s->arena, sizeof small);
    memcpy(fresh, small, sizeof small);
    *(const int32_t **)sw_vec_push(&s->lanes) = fresh;
    return fresh;
}

/* ---- making shapes ---- */

static sw_shape
varying(void)
{
    return (sw_shape){.kind = SW_SHAPE_VARYING, .max = NO_MAX};
}

static sw_shape
uniform(void)
{
    return (sw_shape){.kind = SW_SHAPE_UNIFORM, .max = NO_MAX};
}

static sw_shape
affine(sw_shapes *s, const int64_t c[SW_LANES_MAX], const int32_t *v)
{
    sw_shape r = {.kind = SW_SHAPE_AFFINE, .max = NO_MAX, .v = v};
    r.c = intern(s, c);
    if (!r.c)
        return varying();
    if (!v && is_zero(s, r.c)) {
        r = uniform();
    }
    return r;
}

static sw_shape
number(uint64_t n)
{
    sw_shape r = uniform();
    r.align = n ? (uint8_t)__builtin_ctzll(n) : NO_MAX_BITS;
    if (n < (uint64_t)1 << NO_MAX_BITS)
        r.max = (uint32_t)n;
    return r;
}

static bool
is_simple(const sw_shape *a)
{
    return a->kind == SW_SHAPE_UNIFORM || a->kind == SW_SHAPE_AFFINE;
}

static int64_t
constant_of(const sw_shape *a, int i)
{
    return a->c ? a->c[i] : 0;
}

/* Low bits that are zero in base and all lane constants. */
static unsigned
zero_bits(const sw_shapes *s, const sw_shape *a)
{
    if (!is_simple(a) || a->v)
        return 0;
    uint32_t all = 0;
    for (int i = 0; a->c && i < s->map.lanes; i++)
        all |= (uint32_t)a->c[i];
    unsigned low = all ? (unsigned)__builtin_ctz(all) : NO_MAX_BITS;
    return low < a->align ? low : a->align;
}

static uint32_t
bound(uint64_t max)
{
    return max < (uint64_t)1 << NO_MAX_BITS ? (uint32_t)max : NO_MAX;
}

static uint8_t
least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static bool
same_rule(const sw_shape *a, const sw_shape *b)
{
    return a->kind == b->kind && a->c == b->c && a->v == b->v && a->d == b->d &&
           a->scale == b->scale && a->is_signed == b->is_signed;
}

/* ---- sources ---- */

static sw_shape
source_of_reg(sw_shapes *s, const sw_ins *ins, sw_reg reg)
{
    sw_shape shape = s->regs[reg];
    if (!is_simple(&shape) || shape.max != NO_MAX || s->is_looking)
        return shape.kind ? shape : uniform();
    const sw_ins *def = sw_reaching_of(&s->reach, ins, reg);
    if (!def)
        return shape;
    sw_rule_use use;
    sw_shape written = varying();
    s->is_looking = true;
    if (def->op == SW_OP_SREG)
        written = sw_shapes_sreg(s, def);
    else if (sw_op_get_info((sw_op)def->op)->effects == SW_FX_PURE)
        written = sw_shapes_result(s, def, &use);
    s->is_looking = false;
    if (same_rule(&written, &shape)) {
        shape.max = written.max;
        shape.align = written.align > shape.align ? written.align : shape.align;
    }
    return shape;
}

int64_t
sw_shape_step(const sw_shape *shape)
{
    int64_t step = 0;
    if (shape->kind != SW_SHAPE_AFFINE && shape->kind != SW_SHAPE_EXTENDED)
        return 0;
    if (shape->c)
        step = (shape->c[1] - (int64_t)shape->c[0]) *
               (shape->kind == SW_SHAPE_EXTENDED ? shape->scale : 1);
    if (shape->d)
        step += shape->d[1] - (int64_t)shape->d[0];
    return step;
}

sw_shape
sw_shapes_source(sw_shapes *s, const sw_ins *ins, unsigned i)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    if (o->kind == SW_OPND_REG)
        return source_of_reg(s, ins, o->reg);
    if (o->kind == SW_OPND_IMM)
        return number(o->imm);
    return uniform();
}

static bool
immediate(const sw_ins *ins, unsigned i, int64_t *out)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    if (o->kind != SW_OPND_IMM)
        return false;
    unsigned bits = sw_type_bits((sw_type)ins->type);
    *out = bits == 64   ? (int64_t)o->imm
           : bits == 32 ? (int64_t)(int32_t)o->imm
                        : (int64_t)(int16_t)o->imm;
    return true;
}

/* ---- rules ---- */

/* Outside of the extension. */
static sw_shape
add_to_wide(sw_shapes *s, const sw_shape *wide, const sw_shape *b, int sign)
{
    int64_t d[SW_LANES_MAX];
    if (b->kind == SW_SHAPE_UNIFORM)
        return *wide;
    if (b->kind != SW_SHAPE_AFFINE || b->v)
        return varying();
    for (int i = 0; i < s->map.lanes; i++)
        d[i] = (wide->d ? wide->d[i] : 0) + sign * constant_of(b, i);
    sw_shape r = *wide;
    r.d = intern(s, d);
    return r.d ? r : varying();
}

static sw_shape
scale_wide(sw_shapes *s, const sw_shape *wide, int64_t by)
{
    int64_t d[SW_LANES_MAX];
    sw_shape r = *wide;
    r.max = NO_MAX;
    r.align = 0;
    r.scale = (int64_t)((uint64_t)r.scale * (uint64_t)by);
    if (!wide->d)
        return r;
    for (int i = 0; i < s->map.lanes; i++)
        if (__builtin_mul_overflow((int64_t)wide->d[i], by, &d[i]))
            return varying();
    r.d = intern(s, d);
    return r.d ? r : varying();
}

static sw_shape
add_shapes(sw_shapes *s, const sw_shape *a, const sw_shape *b, int sign)
{
    if (a->kind == SW_SHAPE_EXTENDED)
        return add_to_wide(s, a, b, sign);
    if (sign > 0 && b->kind == SW_SHAPE_EXTENDED)
        return add_to_wide(s, b, a, 1);
    if (!is_simple(a) || !is_simple(b) || (a->v && b->v && a->v != b->v))
        return varying();
    int64_t c[SW_LANES_MAX];
    for (int i = 0; i < s->map.lanes; i++)
        c[i] = constant_of(a, i) + sign * constant_of(b, i);
    sw_shape r = affine(s, c, a->v ? a->v : b->v);
    if (!is_simple(&r))
        return r;
    r.align = least(a->align, b->align);
    if (sign > 0 && a->max != NO_MAX && b->max != NO_MAX)
        r.max = bound((uint64_t)a->max + b->max);
    return r;
}

/* a times the uniform source `use->factor`. `wide`: of 32-bit values into 64
 * bits. */
static sw_shape
multiply(sw_shapes *s, const sw_ins *ins, sw_rule_use *use, bool wide)
{
    sw_shape x = sw_shapes_source(s, ins, 0), y = sw_shapes_source(s, ins, 1);
    use->factor = 1;
    if (x.kind == SW_SHAPE_UNIFORM && y.kind != SW_SHAPE_UNIFORM) {
        sw_shape t = x;
        x = y;
        y = t;
        use->factor = 0;
    }
    use->is_constant = immediate(ins, use->factor, &use->number);
    use->widens = wide;
    use->is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    if (use->is_constant && wide && !use->is_signed)
        use->number = (int64_t)(uint32_t)use->number;
    if (y.kind != SW_SHAPE_UNIFORM || !is_simple(&x))
        return x.kind == SW_SHAPE_EXTENDED && use->is_constant && !wide
                   ? scale_wide(s, &x, use->number)
                   : varying();
    if (x.kind == SW_SHAPE_UNIFORM) {
        sw_shape r = uniform();
        r.align = (uint8_t)(x.align + y.align < NO_MAX_BITS ? x.align + y.align
                                                            : NO_MAX_BITS);
        if (x.max != NO_MAX && y.max != NO_MAX)
            r.max = bound((uint64_t)x.max * y.max);
        return r;
    }
    bool bounded = x.max != NO_MAX;
    if (wide && !bounded) {
        if (!use->is_constant)
            return varying();
        return (sw_shape){.kind = SW_SHAPE_EXTENDED,
                          .is_signed = use->is_signed,
                          .max = NO_MAX,
                          .scale = use->number,
                          .c = x.c,
                          .v = x.v};
    }
    int64_t c[SW_LANES_MAX] = {0};
    if (use->is_constant) {
        for (int i = 0; i < s->map.lanes; i++)
            if (__builtin_mul_overflow((int64_t)x.c[i], use->number, &c[i]))
                return varying();
        sw_shape r = affine(s, c, x.v);
        if (!is_simple(&r))
            return r;
        r.align = (uint8_t)(x.align + y.align < NO_MAX_BITS ? x.align + y.align
                                                            : NO_MAX_BITS);
        if (bounded && y.max != NO_MAX)
            r.max = bound((uint64_t)x.max * y.max);
        return r;
    }
    if (x.v)
        return varying();
    sw_shape r = affine(s, c, x.c);
    if (is_simple(&r) && bounded && y.max != NO_MAX)
        r.max = bound((uint64_t)x.max * y.max);
    return r;
}

static sw_shape
rule_mul(sw_shapes *s, const sw_ins *ins, sw_rule_use *use, bool wide)
{
    sw_shape r = multiply(s, ins, use, wide);
    use->rule = SW_RULE_MUL;
    return r;
}

static sw_shape
rule_mad(sw_shapes *s, const sw_ins *ins, sw_rule_use *use, bool wide)
{
    use->product = multiply(s, ins, use, wide);
    use->rule = SW_RULE_MAD;
    sw_shape c = sw_shapes_source(s, ins, 2);
    return add_shapes(s, &use->product, &c, 1);
}

/* Bits in which lanes may differ, from the lowest one; -1: they may in all. */
static int64_t
bits_of_lanes(const sw_shapes *s, const sw_shape *a)
{
    int64_t all = 0;
    if (!is_simple(a) || a->v)
        return -1;
    for (int i = 0; i < s->map.lanes; i++) {
        int64_t x = constant_of(a, i);
        if (x < 0 || x >= (int64_t)1 << a->align)
            return -1; /* it carries */
        all |= x;
    }
    return all ? (INT64_C(2) << (63 - __builtin_clzll((uint64_t)all))) - 1 : 0;
}

static sw_shape
rule_and(sw_shapes *s, const sw_ins *ins, sw_rule_use *use)
{
    sw_shape a = sw_shapes_source(s, ins, 0);
    int64_t mask;
    if (!is_simple(&a) || a.v || !immediate(ins, 1, &mask))
        return varying();
    unsigned k = a.align > NO_MAX_BITS ? NO_MAX_BITS : a.align;
    int64_t c[SW_LANES_MAX], low = ((int64_t)1 << k) - 1;
    use->number = mask;
    if (mask >= 0 && mask <= low) { /* the base has none of these bits */
        for (int i = 0; i < s->map.lanes; i++)
            c[i] = constant_of(&a, i) & mask;
        sw_shape r = affine(s, c, NULL);
        use->rule = SW_RULE_MASK;
        r.align = NO_MAX_BITS;
        r.max = (uint32_t)mask;
        return r;
    }
    if (a.max != NO_MAX) /* what no lane has may stay as well */
        mask |= ~((INT64_C(2) << (63 - __builtin_clzll(a.max | 1))) - 1);
    if ((mask | low) == -1) { /* all of the base's bits stay */
        for (int i = 0; i < s->map.lanes; i++)
            c[i] = constant_of(&a, i) & mask;
        sw_shape r = affine(s, c, NULL);
        use->rule = SW_RULE_CLEAR;
        r.align = a.align;
        r.max = a.max;
        return r;
    }
    if (!(mask & bits_of_lanes(s, &a))) { /* of the base's bits alone */
        sw_shape r = uniform();
        use->rule = SW_RULE_BASES;
        r.align = a.align;
        r.max = a.max;
        return r;
    }
    return varying();
}

/* Lanes below the base's lowest bit do not carry into it, so that they agree
 * on what is above. */
static sw_shape
rule_shr(sw_shapes *s, const sw_ins *ins, sw_rule_use *use)
{
    sw_shape a = sw_shapes_source(s, ins, 0);
    int64_t by;
    const sw_opnd *o = sw_ins_src(ins, 1);
    if (o->kind != SW_OPND_IMM || !is_simple(&a))
        return varying();
    by = (int64_t)(uint32_t)o->imm;
    if (by < 64 && a.max != NO_MAX && (uint64_t)a.max >> by == 0) {
        use->rule = SW_RULE_MASK; /* the sign of what has none */
        return number(0);
    }
    if (a.v || by > NO_MAX_BITS)
        return varying();
    int64_t c[SW_LANES_MAX];
    for (int i = 0; i < s->map.lanes; i++) {
        int64_t x = constant_of(&a, i);
        if (x < 0 || x >= (int64_t)1 << a.align)
            return varying();
        c[i] = x >> by;
    }
    sw_shape r = affine(s, c, NULL);
    use->rule = SW_RULE_SHR;
    use->number = by;
    r.align = (uint8_t)(a.align > by ? a.align - by : 0);
    r.max = a.max == NO_MAX ? NO_MAX : a.max >> by;
    return r;
}

/* A field above all of the value's bits, or above those in which lanes differ.
 */
static sw_shape
rule_bfe(sw_shapes *s, const sw_ins *ins, sw_rule_use *use)
{
    sw_shape a = sw_shapes_source(s, ins, 0);
    const sw_opnd *from = sw_ins_src(ins, 1);
    if (!is_simple(&a) || from->kind != SW_OPND_IMM ||
        (from->imm & 0xff) > NO_MAX_BITS)
        return varying();
    if (a.max == NO_MAX || a.max >> (from->imm & 0xff)) {
        int64_t differ = bits_of_lanes(s, &a);
        if (differ < 0 || differ >> (from->imm & 0xff) ||
            sw_ins_src(ins, 2)->kind != SW_OPND_IMM)
            return varying();
        use->rule = SW_RULE_BASES;
        return uniform();
    }
    use->rule = SW_RULE_MASK;
    return number(0);
}

static sw_shape
rule_or(sw_shapes *s, const sw_ins *ins, sw_rule_use *use)
{
    sw_shape a = sw_shapes_source(s, ins, 0), b = sw_shapes_source(s, ins, 1);
    unsigned za = zero_bits(s, &a), zb = zero_bits(s, &b);
    bool disjoint = (b.max != NO_MAX && b.max >> za == 0) ||
                    (a.max != NO_MAX && a.max >> zb == 0);
    if (!is_simple(&a) || !is_simple(&b) || !disjoint)
        return varying();
    use->rule = SW_RULE_ADD;
    return add_shapes(s, &a, &b, 1);
}

static sw_shape
rule_cvt(sw_shapes *s, const sw_ins *ins, sw_rule_use *use)
{
    sw_shape a = sw_shapes_source(s, ins, 0);
    sw_type to = (sw_type)ins->type, from = (sw_type)ins->stype;
    sw_kind tk = sw_type_kind(to), fk = sw_type_kind(from);
    unsigned tb = sw_type_bits(to), fb = sw_type_bits(from);
    bool ints = (tk == SW_KIND_UINT || tk == SW_KIND_SINT) &&
                (fk == SW_KIND_UINT || fk == SW_KIND_SINT);
    if (!ints || ins->nsrc != 1 || (ins->flags & SW_F_SAT))
        return varying();
    if (tb == fb && tb >= 32) {
        use->rule = SW_RULE_COPY;
        return a;
    }
    if (a.kind == SW_SHAPE_UNIFORM && tb >= 32 && fb >= 32)
        return a; /* its low bits stay, and it if it has no sign */
    if (tb == 64 && fb == 32 && a.kind == SW_SHAPE_AFFINE) {
        use->rule = SW_RULE_WIDEN;
        use->is_signed = fk == SW_KIND_SINT;
        if (a.max != NO_MAX)
            return a;
        return (sw_shape){.kind = SW_SHAPE_EXTENDED,
                          .is_signed = use->is_signed,
                          .max = NO_MAX,
                          .scale = 1,
                          .c = a.c,
                          .v = a.v};
    }
    if (tb == 32 && fb == 64) {
        use->rule = SW_RULE_NARROW;
        if (a.kind == SW_SHAPE_AFFINE) {
            return a;
        }
        if (a.kind == SW_SHAPE_EXTENDED) {
            int64_t c[SW_LANES_MAX];
            if (a.scale > MAX_CONSTANT || a.scale < -MAX_CONSTANT)
                return varying();
            for (int i = 0; i < s->map.lanes; i++)
                c[i] = a.c[i] * a.scale + (a.d ? a.d[i] : 0);
            return affine(s, c, a.v);
        }
    }
    return varying();
}

/* Whether x < y, or x >= y, has one answer for all lanes of x, or with `above`
 * x > y: they lie between two multiples of a power of two, y is one. */
static bool
is_same_side(const sw_shapes *s, const sw_shape *x, const sw_shape *y,
             const sw_opnd *y_opnd, bool above)
{
    uint32_t all = 0;
    if (x->kind != SW_SHAPE_AFFINE || x->v || y->kind != SW_SHAPE_UNIFORM)
        return false;
    for (int i = 0; i < s->map.lanes; i++) {
        if (x->c[i] < 0)
            return false;
        all |= (uint32_t)x->c[i];
    }
    unsigned k = all ? 32 - (unsigned)__builtin_clz(all) : 0;
    if (k > x->align)
        return false;
    if (!above)
        return k <= y->align;
    return y_opnd->kind == SW_OPND_IMM &&
           ((y_opnd->imm + 1) & ((UINT64_C(1) << k) - 1)) == 0;
}

static bool
is_less_or_not(sw_cmp cmp)
{
    return cmp == SW_CMP_LT || cmp == SW_CMP_GE || cmp == SW_CMP_LO ||
           cmp == SW_CMP_HS;
}

static bool
is_more_or_not(sw_cmp cmp)
{
    return cmp == SW_CMP_GT || cmp == SW_CMP_LE || cmp == SW_CMP_HI ||
           cmp == SW_CMP_LS;
}

/* A limit between warps: i < 64. */
static sw_shape
rule_setp(sw_shapes *s, const sw_ins *ins, sw_rule_use *use)
{
    sw_cmp cmp = (sw_cmp)ins->cmp;
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    unsigned bits = sw_type_bits((sw_type)ins->type);
    if (ins->nsrc != 2 || (bits != 32 && bits != 64) ||
        (kind != SW_KIND_SINT && kind != SW_KIND_UINT) ||
        !(is_less_or_not(cmp) || is_more_or_not(cmp)))
        return varying();
    sw_shape a = sw_shapes_source(s, ins, 0), b = sw_shapes_source(s, ins, 1);
    use->rule = SW_RULE_BASES;
    if (is_same_side(s, &a, &b, sw_ins_src(ins, 1), is_more_or_not(cmp)) ||
        is_same_side(s, &b, &a, sw_ins_src(ins, 0), is_less_or_not(cmp)))
        return uniform();
    return varying();
}

/* Results whose parts do not come from one of the rules. */
static sw_shape
plain_result(sw_shapes *s, const sw_ins *ins)
{
    for (unsigned i = 0; i < ins->nsrc; i++)
        if (sw_shapes_source(s, ins, i).kind > SW_SHAPE_UNIFORM)
            return varying();
    return uniform();
}

static sw_shape
try_rule(sw_shapes *s, const sw_ins *ins, sw_rule_use *use)
{
    sw_type type = (sw_type)ins->type;
    unsigned bits = type == SW_T_NONE ? 0 : sw_type_bits(type);
    sw_kind kind = type == SW_T_NONE ? SW_KIND_NONE : sw_type_kind(type);
    bool is_int = bits >= 32 && bits <= 64 &&
                  (kind == SW_KIND_UINT || kind == SW_KIND_SINT ||
                   kind == SW_KIND_BITS) &&
                  !(ins->flags & (SW_F_SAT | SW_F_RELU));
    sw_shape a, b;
    if (ins->op == SW_OP_CVT)
        return rule_cvt(s, ins, use);
    if (ins->op == SW_OP_SETP)
        return rule_setp(s, ins, use);
    if (ins->op == SW_OP_CVTA) {
        use->rule = SW_RULE_ADD;
        a = sw_shapes_source(s, ins, 0);
        if (ins->space == SW_SPACE_LOCAL ||
            ins->space == SW_SPACE_SHARED_CLUSTER || bits != 64)
            return varying();
        a.max = NO_MAX;
        a.align = 0;
        return a;
    }
    if (!is_int)
        return varying();
    switch (ins->op) {
    case SW_OP_MOV:
        use->rule = SW_RULE_COPY;
        return sw_shapes_source(s, ins, 0);
    case SW_OP_ADD:
    case SW_OP_SUB:
        use->rule = ins->op == SW_OP_ADD ? SW_RULE_ADD : SW_RULE_SUB;
        a = sw_shapes_source(s, ins, 0);
        b = sw_shapes_source(s, ins, 1);
        return add_shapes(s, &a, &b, ins->op == SW_OP_ADD ? 1 : -1);
    case SW_OP_SHL: {
        const sw_opnd *o = sw_ins_src(ins, 1);
        if (o->kind != SW_OPND_IMM || (uint32_t)o->imm >= 24)
            return varying();
        sw_opnd opnd[3] = {ins->opnd[0],
                           *sw_ins_src(ins, 0),
                           {.kind = SW_OPND_IMM, .imm = 1ull << o->imm}};
        sw_ins mul = *ins;
        mul.opnd = opnd;
        return rule_mul(s, &mul, use, false);
    }
    case SW_OP_MUL_LO:
        return rule_mul(s, ins, use, false);
    case SW_OP_MUL_WIDE:
        return bits == 32 ? rule_mul(s, ins, use, true) : varying();
    case SW_OP_MAD_LO:
        return rule_mad(s, ins, use, false);
    case SW_OP_MAD_WIDE:
        return bits == 32 ? rule_mad(s, ins, use, true) : varying();
    case SW_OP_AND:
        return rule_and(s, ins, use);
    case SW_OP_OR:
        return rule_or(s, ins, use);
    case SW_OP_SHR:
        return rule_shr(s, ins, use);
    case SW_OP_BFE:
        return rule_bfe(s, ins, use);
    default:
        return varying();
    }
}

/* One answer for all lanes, if they are told of as a whole. */
static bool
is_of_team(sw_shapes *s, const sw_ins *ins)
{
    return ins->op == SW_OP_SETP && ins->flags & SW_F_FUSED &&
           sw_shapes_source(s, ins, 0).kind < SW_SHAPE_VARYING &&
           sw_shapes_source(s, ins, 1).kind < SW_SHAPE_VARYING;
}

sw_shape
sw_shapes_result(sw_shapes *s, const sw_ins *ins, sw_rule_use *use)
{
    *use = (sw_rule_use){.rule = SW_RULE_NONE};
    sw_shape plain = plain_result(s, ins);
    if (is_of_team(s, ins))
        return uniform();
    if (ins->ndst != 1)
        return plain;
    sw_shape r = try_rule(s, ins, use);
    if (r.kind == SW_SHAPE_VARYING ||
        (plain.kind == SW_SHAPE_UNIFORM && ins->op != SW_OP_CVTA)) {
        /* Uniform in, uniform out; the rule only tells more about it. */
        if (plain.kind == SW_SHAPE_UNIFORM && r.kind == SW_SHAPE_UNIFORM) {
            plain.align = r.align;
            plain.max = r.max;
        }
        use->rule = SW_RULE_NONE;
        return plain;
    }
    return r;
}

/* ---- results that are not pure ---- */

sw_shape
sw_shapes_sreg(sw_shapes *s, const sw_ins *ins)
{
    int64_t c[SW_LANES_MAX];
    unsigned k = (unsigned)ins->sub;
    if (k <= SW_SREG_TID_Z) {
        if (!s->map.is_regular[k])
            return varying();
        for (int i = 0; i < s->map.lanes; i++)
            c[i] = s->map.lane[k][i];
        sw_shape r = affine(s, c, NULL);
        r.align = s->map.align[k];
        r.max = 1023;
        return r;
    }
    if (k <= SW_SREG_NCTAID_Z) {
        sw_shape r = uniform();
        r.align = k == SW_SREG_NTID_X ? s->map.ntid_align : 0;
        r.max = k <= SW_SREG_NTID_Z    ? 1024
                : s->map.is_large_grid ? INT32_MAX
                : k <= SW_SREG_CTAID_Z ? SW_GRID_SMALL - 1
                                       : SW_GRID_SMALL;
        return r;
    }
    if (k == SW_SREG_LANEID) {
        for (int i = 0; i < s->map.lanes; i++)
            c[i] = i % 32;
        sw_shape r = affine(s, c, NULL);
        r.align = NO_MAX_BITS;
        r.max = 31;
        return r;
    }
    return k >= SW_SREG_LANEMASK_EQ && k <= SW_SREG_LANEMASK_GT ? varying()
                                                                : uniform();
}

/* All lanes read the same one, of all those of the warp. */
static bool
names_one_lane(sw_shapes *s, uint32_t block, const sw_ins *ins)
{
    const sw_opnd *control = sw_ins_src(ins, 2);
    bool has_one = ins->ndst == 1 || (ins->ndst == 2 && !ins->opnd[1].kind);
    return ins->sub == SW_SHFL_IDX && has_one && s->map.is_full &&
           !s->is_divergent[block] && !ins->guard &&
           control->kind == SW_OPND_IMM && control->imm == 31 &&
           sw_shapes_source(s, ins, 1).kind <= SW_SHAPE_UNIFORM;
}

static sw_shape
result_of(sw_shapes *s, uint32_t block, const sw_ins *ins)
{
    sw_rule_use use;
    switch (sw_op_get_info((sw_op)ins->op)->effects) {
    case SW_FX_PURE:
        if (ins->op == SW_OP_ADDR &&
            (sw_ins_src(ins, 0)->sym->space == SW_SPACE_LOCAL ||
             sw_ins_src(ins, 0)->sym->space == SW_SPACE_PARAM) &&
            (ins->flags & SW_F_GENERIC_ADDR))
            return varying();
        if (ins->op == SW_OP_ISSPACEP ||
            (ins->op == SW_OP_CVTA && (ins->space == SW_SPACE_LOCAL ||
                                       ins->space == SW_SPACE_SHARED_CLUSTER)))
            return varying();
        return sw_shapes_result(s, ins, &use);
    case SW_FX_READ:
        if ((ins->op != SW_OP_LD && ins->op != SW_OP_LDU) ||
            ins->space == SW_SPACE_LOCAL ||
            (ins->space == SW_SPACE_PARAM && !s->fn->is_entry))
            return varying();
        return sw_shapes_source(s, ins, 0).kind <= SW_SHAPE_UNIFORM ? uniform()
                                                                    : varying();
    case SW_FX_STATE:
        if (ins->op == SW_OP_MAPA || ins->op == SW_OP_CTARANK)
            return plain_result(s, ins); /* the same for all of a block */
        return ins->op == SW_OP_SREG ? sw_shapes_sreg(s, ins) : varying();
    case SW_FX_LANES:
        if (ins->op == SW_OP_VOTE && ins->flags & SW_F_FUSED)
            return uniform();
        if (s->map.lanes > 32) /* fused warps have one each */
            return varying();
        if (ins->op == SW_OP_ACTIVEMASK)
            return uniform();
        if (ins->op == SW_OP_VOTE && ins->nsrc > 1)
            return sw_shapes_source(s, ins, 1).kind <= SW_SHAPE_UNIFORM
                       ? uniform()
                       : varying();
        if (ins->op == SW_OP_VOTE)
            return uniform();
        if (ins->op == SW_OP_SHFL && names_one_lane(s, block, ins))
            return uniform();
        return varying();
    default:
        return varying();
    }
}

/* ---- the data flow ---- */

typedef struct {
    sw_shapes *s;
    const uint32_t *writes; /* [reg_count] how often it is written */
    uint32_t block;
    const sw_ins *ins;
    sw_shape shape;
    bool changed;
} flow;

static void
meet(void *data, sw_reg reg)
{
    flow *f = data;
    sw_shape *old = &f->s->regs[reg], fresh = f->shape;
    if (f->s->fn->regs[reg].cls == SW_CLASS_B128)
        fresh = varying();
    if (fresh.kind == SW_SHAPE_NONE) {
        fresh = uniform();
    }
    if (f->ins->guard && f->s->regs[f->ins->guard].kind == SW_SHAPE_VARYING)
        fresh = varying();
    if (sw_shapes_blends(f->s, f->block, reg, &fresh))
        fresh = varying();
    if (f->writes[reg] > 1 && !f->s->is_invariant[reg])
        fresh.max = NO_MAX;
    if (old->kind == SW_SHAPE_NONE) {
        *old = fresh;
        f->changed = true;
        return;
    }
    sw_shape now = *old;
    if (same_rule(old, &fresh)) {
        now.align = least(old->align, fresh.align);
        now.max = old->max == NO_MAX || fresh.max == NO_MAX ? NO_MAX
                  : old->max > fresh.max                    ? old->max
                                                            : fresh.max;
        if (now.max != old->max)
            now.max = NO_MAX;
    } else {
        now = varying();
    }
    if (memcmp(&now, old, sizeof now) != 0) {
        *old = now;
        f->changed = true;
    }
}

/* Who reads a register before it is written reads zero, in all lanes. */
static void
begin_with_zero(sw_shapes *s, sw_reg reg)
{
    if (s->regs[reg].kind == SW_SHAPE_NONE)
        s->regs[reg] =
            s->fn->regs[reg].cls == SW_CLASS_B128 ? varying() : number(0);
}

static void
count_write(void *data, sw_reg reg)
{
    ((uint32_t *)data)[reg]++;
}

static bool
run_flow(sw_shapes *s, const uint32_t *writes)
{
    flow f = {.s = s, .writes = writes};
    for (uint32_t n = 0; n < s->cfg->reachable; n++) {
        f.block = s->cfg->order[n];
        const sw_block *block = s->fn->blocks[f.block];
        for (uint32_t i = 0; i < block->count; i++) {
            f.ins = block->ins[i];
            f.shape = result_of(s, f.block, f.ins);
            sw_ins_visit_writes(f.ins, meet, &f);
        }
    }
    return f.changed;
}

sw_shapes *
sw_shapes_create(const sw_fn *fn, const sw_cfg *cfg, const sw_liveness *live,
                 const sw_lane_map *map)
{
    sw_arena *arena = sw_arena_create();
    sw_shapes *s = sw_arena_alloc(arena, sizeof *s);
    s->arena = arena;
    s->fn = fn;
    s->cfg = cfg;
    s->live = live;
    s->map = *map;
    s->regs = sw_arena_alloc(arena, fn->reg_count * sizeof *s->regs);
    s->is_divergent = sw_arena_alloc(arena, fn->block_count);
    s->diverges = sw_arena_alloc(arena, fn->block_count);
    s->head = sw_arena_alloc(arena, fn->block_count * sizeof *s->head);
    s->parked = sw_arena_alloc(arena, fn->block_count * live->words *
                                          sizeof *s->parked);
    s->is_invariant = sw_arena_alloc(arena, fn->reg_count + 1);
    sw_opt_find_invariants(fn, s->is_invariant);
    sw_vec_init(&s->lanes, sizeof(const int32_t *));
    if (cfg->irreducible)
        sw_shapes_give_up(s);
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            s->regs[fn->params[i].reg].kind = SW_SHAPE_VARYING;
    for (sw_reg reg = 1; reg < fn->reg_count; reg++)
        if (sw_liveness_in(live, 0, reg))
            begin_with_zero(s, reg);
    uint32_t *writes = sw_alloc(fn->reg_count * sizeof *writes);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            sw_ins_visit_writes(fn->blocks[b]->ins[i], count_write, writes);
    sw_reaching_find(&s->reach, fn, cfg, writes);
    bool changed = true;
    while (changed) {
        changed = run_flow(s, writes);
        if (sw_shapes_find_divergence(s))
            changed = true;
    }
    for (sw_reg reg = 1; reg < fn->reg_count; reg++)
        begin_with_zero(s, reg);
    sw_free(writes);
    return s;
}

void
sw_shapes_destroy(sw_shapes *shapes)
{
    if (!shapes)
        return;
    sw_vec_finish(&shapes->lanes);
    sw_vec_finish(&shapes->reach);
    sw_arena_destroy(shapes->arena);
}
