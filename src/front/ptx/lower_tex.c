/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower_tex.c - textures and surfaces.
 *
 * Coordinates come as vectors that may be longer than the geometry needs; the
 * layer or the sample stands first. A handle is a register, an opaque
 * variable, or an opaque parameter, which is loaded first.
 */
#include "front/ptx/parse.h"

enum { TEXELS = 4, MAX_SOURCES = 16, MAX_VALUES = 4 };

#define GEOM(name, text, coords, layered) {coords, layered},
static const struct {
    uint8_t coords, layered;
} geoms[] = {
#include "ir/enums.def"
};

/* Sources as they are collected. */
typedef struct {
    sw_opnd o[MAX_SOURCES];
    unsigned n;
} source_list;

static void
add_source(source_list *list, sw_opnd o)
{
    if (list->n < MAX_SOURCES)
        list->o[list->n++] = o;
}

static bool
is_multisample(int geom)
{
    return geom == SW_GEOM_2DMS || geom == SW_GEOM_A2DMS;
}

/* A handle: the register, the variable, or what the parameter holds. */
static sw_opnd
handle(ptx_parser *p, const ptx_opnd *o)
{
    if (o->kind != OPND_SYM)
        return ptx_source(p, o, SW_T_B64);
    sw_opnd sym = {.kind = SW_OPND_SYM, .sym = o->sym};
    if (o->sym->space != SW_SPACE_PARAM)
        return sym;
    sw_ins *ld = ptx_emit(p, SW_OP_LD, SW_T_B64, 1, 1);
    ld->space = p->body.fn->is_entry ? SW_SPACE_PARAM : SW_SPACE_LOCAL;
    ld->vec = 1;
    ld->offset = o->add;
    ld->opnd[0] = ptx_reg_opnd(ptx_reg_new(p, SW_T_B64, NULL));
    ld->opnd[1] = sym;
    return ld->opnd[0];
}

/* `n` values of `type` from the front of a vector or a scalar. */
static bool
add_values(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o, unsigned first,
           unsigned n, sw_type type, source_list *list)
{
    const ptx_opnd *elems;
    if (ptx_vector(in, o, &elems) < first + n) {
        ptx_error_at(p, in->line, in->column, "expected %u values in %.*s",
                     first + n, (int)in->text.n, in->text.p);
        return false;
    }
    for (unsigned i = 0; i < n; i++)
        add_source(list, ptx_source(p, &elems[first + i], type));
    return true;
}

static bool
add_coordinates(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o, int geom,
                sw_type type, source_list *list)
{
    unsigned lead = geoms[geom].layered + (is_multisample(geom) ? 1u : 0);
    return add_values(p, in, o, 0, lead, SW_T_U32, list) &&
           add_values(p, in, o, lead, geoms[geom].coords, type, list);
}

/* [handle, coordinates] or [handle, sampler, coordinates] */
static bool
add_access(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o, int geom,
           sw_type type, source_list *list, bool *sampler)
{
    const ptx_opnd *elems = &in->elems[o->first];
    if (o->kind != OPND_MEMORY || o->count < 2 || o->count > 3) {
        ptx_error_at(p, in->line, in->column,
                     "expected [handle, coordinates] in %.*s", (int)in->text.n,
                     in->text.p);
        return false;
    }
    *sampler = o->count == 3;
    for (unsigned i = 0; i + 1 < o->count; i++)
        add_source(list, handle(p, &elems[i]));
    return add_coordinates(p, in, &elems[o->count - 1], geom, type, list);
}

/* pairs: four halves in two registers. */
static void
emit_texels(ptx_parser *p, const ptx_ins *in, const sw_ins *want,
            const source_list *list, bool pairs)
{
    const ptx_opnd *to;
    unsigned count = pairs ? TEXELS / 2 : TEXELS;
    if (ptx_vector(in, ptx_op(in, 0), &to) != count) {
        ptx_error_at(p, in->line, in->column, "expected %u results of %.*s",
                     count, (int)in->text.n, in->text.p);
        return;
    }
    sw_ins *ins =
        ptx_emit(p, (sw_op)want->op, (sw_type)want->type, TEXELS, list->n);
    ins->stype = want->stype;
    ins->sub = want->sub;
    ins->geom = want->geom;
    ins->imm = want->imm;
    ins->vec = TEXELS;
    for (unsigned i = 0; i < list->n; i++)
        ins->opnd[TEXELS + i] = list->o[i];
    sw_opnd half[TEXELS];
    for (unsigned i = 0; i < TEXELS; i++)
        ins->opnd[i] = half[i] =
            pairs ? ptx_reg_opnd(ptx_reg_new(p, SW_T_F16, NULL))
                  : ptx_dest(p, &to[i], (sw_type)want->type);
    for (unsigned i = 0; pairs && i < count; i++) {
        sw_opnd dst = ptx_dest(p, &to[i], SW_T_B32);
        sw_ins *pack = ptx_emit(p, SW_OP_PACK, SW_T_B32, 1, 2);
        pack->opnd[0] = dst;
        pack->opnd[1] = half[2 * i];
        pack->opnd[2] = half[2 * i + 1];
    }
}

static bool
texel_types(sw_type type, sw_type ctype)
{
    return (type == SW_T_U32 || type == SW_T_S32 || type == SW_T_F32 ||
            type == SW_T_F16) &&
           (ctype == SW_T_F32 || ctype == SW_T_S32);
}

/* tex[.level|.grad].geom.v4.dtype.ctype d, [a, c][, lod | dPdx, dPdy];
 * v2.f16x2 */
void
ptx_lower_tex(ptx_parser *p, ptx_ins *in)
{
    sw_ins want = {.op = SW_OP_TEX};
    ptx_take(in, M_BASE);
    want.sub = ptx_take(in, M_LEVEL)  ? SW_TEX_LEVEL
               : ptx_take(in, M_GRAD) ? SW_TEX_GRAD
                                      : SW_TEX_BASE;
    int geom = ptx_take_of(in, ptx_mod_geom, -1);
    bool v4 = ptx_take(in, M_V4), v2 = !v4 && ptx_take(in, M_V2);
    sw_type type = ptx_take_type(in), ctype = ptx_take_type(in);
    bool pairs = v2 && type == SW_T_F16X2;
    type = pairs ? SW_T_F16 : type;
    unsigned count = want.sub == SW_TEX_GRAD    ? 4
                     : want.sub == SW_TEX_LEVEL ? 3
                                                : 2;
    if (geom < 0 || (!v4 && !pairs) || ptx_left_over(in) ||
        !texel_types(type, ctype) || in->pair || in->opnd_count > count) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, count, count))
        return;
    source_list list = {.n = 0};
    bool sampler;
    if (!add_access(p, in, ptx_op(in, 1), geom, ctype, &list, &sampler))
        return;
    if (want.sub == SW_TEX_LEVEL)
        add_source(&list, ptx_source(p, ptx_op(in, 2), ctype));
    for (unsigned i = 2; want.sub == SW_TEX_GRAD && i < 4; i++)
        if (!add_values(p, in, ptx_op(in, i), 0, geoms[geom].coords, SW_T_F32,
                        &list))
            return;
    want.type = (uint8_t)type;
    want.stype = (uint8_t)ctype;
    want.geom = (uint8_t)geom;
    want.imm = sampler;
    emit_texels(p, in, &want, &list, pairs);
}

/* tld4.comp.geom.v4.dtype.f32 d, [a, c] */
void
ptx_lower_tld4(ptx_parser *p, ptx_ins *in)
{
    static const ptx_mod comps[] = {M_R, M_G, M_B, M_A};
    sw_ins want = {.op = SW_OP_TLD4};
    int comp = -1;
    for (int i = 0; i < 4 && comp < 0; i++)
        if (ptx_take(in, comps[i]))
            comp = i;
    int geom = ptx_take_of(in, ptx_mod_geom, -1);
    bool v4 = ptx_take(in, M_V4);
    sw_type type = ptx_take_type(in), ctype = ptx_take_type(in);
    if (comp < 0 || geom < 0 || !v4 || ptx_left_over(in) ||
        !texel_types(type, ctype) || in->pair || in->opnd_count != 2) {
        ptx_unsupported(p, in);
        return;
    }
    source_list list = {.n = 0};
    bool sampler;
    if (!add_access(p, in, ptx_op(in, 1), geom, ctype, &list, &sampler))
        return;
    if (sampler) { /* imm is the component; no room for a sampler */
        ptx_unsupported(p, in);
        return;
    }
    want.type = (uint8_t)type;
    want.stype = (uint8_t)ctype;
    want.geom = (uint8_t)geom;
    want.imm = (uint64_t)comp;
    emit_texels(p, in, &want, &list, false);
}

/* txq[.level].query.b32 d, [a][, lod]; suq.query.b32 d, [a] */
void
ptx_lower_txq(ptx_parser *p, ptx_ins *in)
{
    static const ptx_mod queries[] = {
        [SW_TXQ_WIDTH] = M_WIDTH,
        [SW_TXQ_HEIGHT] = M_HEIGHT,
        [SW_TXQ_DEPTH] = M_DEPTH,
        [SW_TXQ_CHANNEL_DATA_TYPE] = M_CHANNEL_DATA_TYPE,
        [SW_TXQ_CHANNEL_ORDER] = M_CHANNEL_ORDER,
        [SW_TXQ_NORMALIZED_COORDS] = M_NORMALIZED_COORDS,
        [SW_TXQ_FORCE_UNNORMALIZED_COORDS] = M_FORCE_UNNORMALIZED_COORDS,
        [SW_TXQ_FILTER_MODE] = M_FILTER_MODE,
        [SW_TXQ_ADDR_MODE_0] = M_ADDR_MODE_0,
        [SW_TXQ_ADDR_MODE_1] = M_ADDR_MODE_1,
        [SW_TXQ_ADDR_MODE_2] = M_ADDR_MODE_2,
        [SW_TXQ_ARRAY_SIZE] = M_ARRAY_SIZE,
        [SW_TXQ_NUM_MIPMAP_LEVELS] = M_NUM_MIPMAP_LEVELS,
        [SW_TXQ_NUM_SAMPLES] = M_NUM_SAMPLES,
        [SW_TXQ_MEMORY_LAYOUT] = M_MEMORY_LAYOUT};
    int sub = -1;
    bool level = ptx_take(in, M_LEVEL);
    for (unsigned i = 0; i < sizeof queries / sizeof *queries && sub < 0; i++)
        if (ptx_take(in, queries[i]))
            sub = (int)i;
    if (sub < 0 || ptx_take_type(in) != SW_T_B32 || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2u + level, 2u + level))
        return;
    const ptx_opnd *at = ptx_op(in, 1);
    if (at->kind != OPND_MEMORY || at->count != 1) {
        ptx_error_at(p, in->line, in->column, "expected [handle]");
        return;
    }
    sw_opnd dst = ptx_dest(p, ptx_op(in, 0), SW_T_B32), lod = {0};
    sw_opnd src = handle(p, &in->elems[at->first]);
    if (level)
        lod = ptx_source(p, ptx_op(in, 2), SW_T_B32);
    sw_ins *ins = ptx_emit(p, SW_OP_TXQ, SW_T_B32, 1, 1u + level);
    ins->sub = (uint8_t)sub;
    ins->opnd[0] = dst;
    ins->opnd[1] = src;
    if (level)
        ins->opnd[2] = lod;
}

/* ---- surfaces ---- */

typedef struct {
    int geom;
    sw_type type;
    uint8_t sub;
    unsigned vec;
    bool formatted;
} surface;

static bool
take_surface(ptx_ins *in, surface *s)
{
    s->formatted = ptx_take(in, M_P);
    if (!s->formatted && !ptx_take(in, M_B))
        return false;
    s->geom = ptx_take_of(in, ptx_mod_geom, -1);
    ptx_take_of(in, ptx_mod_cache, 0);
    s->vec = ptx_take(in, M_V2) ? 2 : ptx_take(in, M_V4) ? 4 : 1;
    s->sub = ptx_take(in, M_CLAMP)  ? SW_SURF_CLAMP
             : ptx_take(in, M_ZERO) ? SW_SURF_ZERO
                                    : SW_SURF_TRAP;
    ptx_take(in, M_TRAP);
    s->type = ptx_take_type(in);
    return s->geom >= 0 && !ptx_left_over(in) &&
           ptx_type_in(s->type, SW_TS_MEM) && sw_type_bits(s->type) <= 64;
}

static bool
add_surface_access(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o,
                   const surface *s, source_list *list)
{
    bool sampler;
    if (o->kind == OPND_MEMORY && o->count != 2) {
        ptx_error_at(p, in->line, in->column,
                     "expected [surface, coordinates]");
        return false;
    }
    return add_access(p, in, o, s->geom, SW_T_S32, list, &sampler);
}

static bool
is_wider(const ptx_parser *p, const ptx_opnd *o, sw_type type)
{
    return o->kind == OPND_REG && !o->not_ && !o->minus && !o->select.n &&
           ptx_reg_class(p, o->reg) > sw_type_class(type);
}

static void
finish_surface(sw_ins *ins, const surface *s, const source_list *list)
{
    ins->sub = s->sub;
    ins->geom = (uint8_t)s->geom;
    ins->vec = (uint8_t)s->vec;
    ins->flags = s->formatted ? SW_F_FORMATTED : 0;
    for (unsigned i = 0; i < list->n; i++)
        ins->opnd[ins->ndst + i] = list->o[i];
}

static bool
wrong_count(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o, unsigned vec,
            const ptx_opnd **elems)
{
    if (ptx_vector(in, o, elems) == vec)
        return false;
    ptx_error_at(p, in->line, in->column, "expected %u value%s in %.*s", vec,
                 vec == 1 ? "" : "s", (int)in->text.n, in->text.p);
    return true;
}

/* A vector of one is written with or without braces. */
void
ptx_lower_suld(ptx_parser *p, ptx_ins *in)
{
    surface s;
    source_list list = {.n = 0};
    const ptx_opnd *to;
    if (!take_surface(in, &s)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2) ||
        wrong_count(p, in, ptx_op(in, 0), s.vec, &to) ||
        !add_surface_access(p, in, ptx_op(in, 1), &s, &list))
        return;
    sw_ins *ins = ptx_emit(p, SW_OP_SULD, s.type, s.vec, list.n);
    for (unsigned i = 0; i < s.vec; i++)
        ins->opnd[i] = is_wider(p, &to[i], s.type)
                           ? ptx_reg_opnd(to[i].reg)
                           : ptx_dest(p, &to[i], s.type);
    finish_surface(ins, &s, &list);
}

void
ptx_lower_sust(ptx_parser *p, ptx_ins *in)
{
    surface s;
    source_list list = {.n = 0};
    const ptx_opnd *from;
    if (!take_surface(in, &s)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2) ||
        wrong_count(p, in, ptx_op(in, 1), s.vec, &from) ||
        !add_surface_access(p, in, ptx_op(in, 0), &s, &list))
        return;
    for (unsigned i = 0; i < s.vec; i++)
        add_source(&list, is_wider(p, &from[i], s.type)
                              ? ptx_reg_opnd(from[i].reg)
                              : ptx_source(p, &from[i], s.type));
    sw_ins *ins = ptx_emit(p, SW_OP_SUST, s.type, 0, list.n);
    finish_surface(ins, &s, &list);
}

/* sured.b.op.geom.type.mode [a, c], b */
void
ptx_lower_sured(ptx_parser *p, ptx_ins *in)
{
    surface s;
    source_list list = {.n = 0};
    int atom = ptx_take_of(in, ptx_mod_atom, -1);
    if (!take_surface(in, &s) || s.vec != 1 || atom < 0) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 2, 2) ||
        !add_surface_access(p, in, ptx_op(in, 0), &s, &list))
        return;
    add_source(&list, ptx_source(p, ptx_op(in, 1), s.type));
    sw_ins *ins = ptx_emit(p, SW_OP_SURED, s.type, 0, list.n);
    ins->imm = (uint64_t)atom;
    finish_surface(ins, &s, &list);
}
