/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower_tensor.c - copies of tensors and their maps (PTX ISA 9.7.9.27,
 * cp.async.bulk.tensor, and 9.7.9.28, tensormap.replace).
 *
 * A map is memory whose layout ir/tensor_map.h knows: tensormap.replace is a
 * store of one field.
 */
#include <stddef.h>
#include <string.h>

#include "front/ptx/parse.h"
#include "ir/tensor_map.h"

enum { MAX_SOURCES = 12 };

/* What the modifiers say of a copy. */
typedef struct {
    unsigned rank;
    int to, from; /* sw_space; -1 */
    int atom;     /* -1: a plain copy */
    bool prefetch, pixels, many, policy;
} tensor_form;

static unsigned
take_rank(ptx_ins *in)
{
    static const ptx_mod mods[] = {M_1D, M_2D, M_3D, M_4D, M_5D};
    for (unsigned i = 0; i < sizeof mods / sizeof *mods; i++)
        if (ptx_take(in, mods[i]))
            return i + 1;
    return 0;
}

static bool
is_shared(int space)
{
    return space == SW_SPACE_SHARED || space == SW_SPACE_SHARED_CLUSTER;
}

/* .dim.to.from[.op][.mode].completion[.multicast][.cache_hint] */
static bool
take_form(ptx_ins *in, bool reduces, tensor_form *f)
{
    f->prefetch = !reduces && ptx_take(in, M_PREFETCH);
    f->rank = take_rank(in);
    f->policy = ptx_take_hints(in);
    f->to = ptx_take_of(in, ptx_mod_space, -1);
    f->from = f->prefetch ? f->to : ptx_take_of(in, ptx_mod_space, -1);
    f->atom = reduces ? ptx_take_of(in, ptx_mod_atom, -1) : -1;
    bool inward = is_shared(f->to) && f->from == SW_SPACE_GLOBAL;
    bool outward = f->to == SW_SPACE_GLOBAL && f->from == SW_SPACE_SHARED;
    bool tile = ptx_take(in, M_TILE);
    f->pixels = !tile && ptx_take(in, outward ? M_IM2COL_NO_OFFS : M_IM2COL);
    if (!f->rank || (f->pixels && f->rank < 3) || (reduces && f->atom < 0))
        return false;
    if (f->prefetch)
        return f->to == SW_SPACE_GLOBAL;
    if (outward)
        return ptx_take(in, M_BULK_GROUP);
    f->many =
        inward && ptx_take(in, M_COMPLETE_TX) && ptx_take(in, M_MULTICAST);
    return inward && !reduces;
}

/* [map, {coordinates}]: the map's address, then the coordinates. False after an
 * error. */
static bool
take_place(ptx_parser *p, const ptx_ins *in, const ptx_opnd *o,
           const tensor_form *f, sw_opnd *map, sw_opnd *at)
{
    const ptx_opnd *list;
    const ptx_opnd *parts = &in->elems[o->first];
    if (o->kind != OPND_MEMORY || o->count != 2 ||
        ptx_vector(in, &parts[1], &list) != f->rank) {
        ptx_error_at(p, in->line, in->column,
                     "expected [map, {%u coordinate%s}]", f->rank,
                     f->rank == 1 ? "" : "s");
        return false;
    }
    ptx_opnd address = {.kind = OPND_MEMORY,
                        .first = o->first,
                        .count = 1,
                        .line = o->line,
                        .column = o->column};
    *map = ptx_whole_address(p, in, &address, SW_SPACE_GENERIC);
    for (unsigned i = 0; i < f->rank; i++)
        at[i] = ptx_source(p, &list[i], SW_T_B32);
    return true;
}

static void
emit_copy(ptx_parser *p, const tensor_form *f, const sw_opnd *src,
          unsigned count)
{
    sw_ins *ins = ptx_emit(p, SW_OP_CP_TENSOR, SW_T_NONE, 0, count);
    bool outward = f->to == SW_SPACE_GLOBAL;
    ins->sub = outward ? SW_BULK_TO_GLOBAL : SW_BULK_FROM_GLOBAL;
    ins->space = (uint8_t)(outward ? f->from : f->to);
    ins->imm = f->rank | (f->pixels ? SW_TENSOR_PIXELS : 0) |
               (f->many ? SW_TENSOR_MANY : 0);
    if (f->atom >= 0)
        ins->imm |= SW_TENSOR_REDUCES | (uint64_t)f->atom
                                            << SW_TENSOR_ATOM_SHIFT;
    for (unsigned i = 0; i < count; i++)
        ins->opnd[i] = src[i];
}

/*
 * cp.async.bulk.tensor... [dst], [map, {..}], [bar][, {offsets}][, blocks]
 * cp.async.bulk.tensor..., cp.reduce... [map, {..}], [src]
 * cp.async.bulk.prefetch.tensor... [map, {..}][, {offsets}]
 */
void
ptx_lower_tensor_copy(ptx_parser *p, ptx_ins *in, bool reduces)
{
    tensor_form f = {0};
    if (!take_form(in, reduces, &f) || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    bool outward = !f.prefetch && f.to == SW_SPACE_GLOBAL;
    bool offsets = f.pixels && !outward;
    unsigned plain = f.prefetch ? 1 : outward ? 2 : 3;
    unsigned count = plain + offsets + f.many + f.policy;
    if (!ptx_need(p, in, count, count))
        return;
    sw_opnd src[MAX_SOURCES];
    unsigned n = 2, at = plain;
    const ptx_opnd *place = ptx_op(in, f.prefetch || outward ? 0 : 1);
    if (!take_place(p, in, place, &f, &src[1], &src[n]))
        return;
    n += f.rank;
    if (f.prefetch) {
        sw_ins *ins = ptx_emit(p, SW_OP_CP_ASYNC_WAIT, SW_T_NONE, 0, 0);
        ins->sub = SW_ASYNC_PREFETCH;
        return;
    }
    uint8_t space = (uint8_t)(outward ? f.from : f.to);
    src[0] = ptx_whole_address(p, in, ptx_op(in, outward ? 1 : 0), space);
    if (offsets) {
        const ptx_opnd *list;
        if (ptx_vector(in, ptx_op(in, at++), &list) != f.rank - 2) {
            ptx_error_at(p, in->line, in->column,
                         "expected %u offsets of im2col", f.rank - 2);
            return;
        }
        for (unsigned i = 0; i < f.rank - 2; i++)
            src[n++] = ptx_source(p, &list[i], SW_T_B16);
    }
    if (!outward)
        src[n++] = ptx_whole_address(p, in, ptx_op(in, 2), space);
    if (f.many)
        src[n++] = ptx_source(p, ptx_op(in, at), SW_T_B16);
    emit_copy(p, &f, src, n);
}

/* ---- maps ---- */

/* A field that tensormap.replace stores; count: how many there are of it. */
typedef struct {
    ptx_mod mod;
    uint16_t offset;
    uint8_t bytes, count;
} map_field;

#define AT(field) offsetof(sw_tensor_map, field)
static const map_field fields[] = {
    {M_GLOBAL_ADDRESS, AT(address), 8, 1},
    {M_RANK, AT(rank), 1, 1},
    {M_BOX_DIM, AT(box), 4, SW_TENSOR_RANKS},
    {M_GLOBAL_DIM, AT(dim), 4, SW_TENSOR_RANKS},
    {M_GLOBAL_STRIDE, AT(stride), 8, SW_TENSOR_RANKS - 1},
    {M_ELEMENT_STRIDE, AT(step), 4, SW_TENSOR_RANKS},
    {M_ELEMTYPE, AT(type), 1, 1},
    {M_INTERLEAVE_LAYOUT, AT(interleave), 1, 1},
    {M_SWIZZLE_MODE, AT(swizzle), 1, 1},
    {M_SWIZZLE_ATOMICITY, AT(atom), 1, 1},
    {M_FILL_MODE, AT(fill), 1, 1},
};

static const map_field *
take_field(ptx_ins *in)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (ptx_take(in, fields[i].mod))
            return &fields[i];
    return NULL;
}

/* tensormap.replace.tile.field[.ss].b1024.type [map], [ordinal,] value */
static void
lower_replace(ptx_parser *p, ptx_ins *in)
{
    bool ok = ptx_take(in, M_TILE);
    const map_field *f = take_field(in);
    uint8_t space = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    ok = ok && f && ptx_take(in, M_B1024);
    sw_type type = ptx_take_type(in);
    if (!ok || ptx_left_over(in) ||
        type != (f->bytes == 8 ? SW_T_B64 : SW_T_B32)) {
        ptx_unsupported(p, in);
        return;
    }
    unsigned has_ordinal = f->count > 1;
    if (!ptx_need(p, in, 2 + has_ordinal, 2 + has_ordinal))
        return;
    uint64_t ordinal = 0;
    if (has_ordinal) {
        const ptx_opnd *o = ptx_op(in, 1);
        if (o->kind != OPND_INT || o->bits >= f->count) {
            ptx_error_at(p, in->line, in->column,
                         "expected 0 to %u as the number of the dimension",
                         f->count - 1u);
            return;
        }
        ordinal = o->bits;
    }
    sw_opnd addr;
    int64_t offset;
    ptx_address(p, in, ptx_op(in, 0), &addr, &offset, &space);
    sw_opnd value = ptx_source(p, ptx_op(in, 1 + has_ordinal), type);
    sw_ins *ins = ptx_emit(p, SW_OP_ST, f->bytes == 1 ? SW_T_B8 : type, 0, 2);
    ins->space = space;
    ins->vec = 1;
    ins->offset = offset + (int64_t)(f->offset + ordinal * f->bytes);
    ins->opnd[0] = addr;
    ins->opnd[1] = value;
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope
 * .sync.aligned [dst], [src], 128: one copy by the warp, and a fence. Each lane
 * copies, which is the same. */
static void
lower_cp_fence(ptx_parser *p, ptx_ins *in)
{
    uint8_t to = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    uint8_t from = (uint8_t)ptx_take_of(in, ptx_mod_space, SW_SPACE_GENERIC);
    bool ok = ptx_take(in, M_TENSORMAP_GENERIC) &&
              ptx_take_of(in, ptx_mod_order, -1) == SW_ORDER_RELEASE;
    int scope = ptx_take_of(in, ptx_mod_scope, SW_SCOPE_NONE);
    ok = ok && ptx_take(in, M_SYNC) && ptx_take(in, M_ALIGNED);
    if (!ok || to != SW_SPACE_GLOBAL || from != SW_SPACE_SHARED ||
        scope == SW_SCOPE_NONE || ptx_left_over(in)) {
        ptx_unsupported(p, in);
        return;
    }
    if (!ptx_need(p, in, 3, 3))
        return;
    sw_opnd dst = ptx_whole_address(p, in, ptx_op(in, 0), to);
    sw_opnd src = ptx_whole_address(p, in, ptx_op(in, 1), from);
    sw_opnd words[] = {ptx_reg_opnd(ptx_reg_new(p, SW_T_B64, NULL)),
                       ptx_reg_opnd(ptx_reg_new(p, SW_T_B64, NULL))};
    for (unsigned at = 0; at < SW_TENSOR_MAP_BYTES; at += 16) {
        sw_ins *ld = ptx_emit(p, SW_OP_LD, SW_T_B64, 2, 1);
        ld->space = from;
        ld->vec = 2;
        ld->offset = (int64_t)at;
        ld->opnd[0] = words[0];
        ld->opnd[1] = words[1];
        ld->opnd[2] = src;
        sw_ins *st = ptx_emit(p, SW_OP_ST, SW_T_B64, 0, 3);
        st->space = to;
        st->vec = 2;
        st->offset = (int64_t)at;
        st->opnd[0] = dst;
        st->opnd[1] = words[0];
        st->opnd[2] = words[1];
    }
    sw_ins *fence = ptx_emit(p, SW_OP_MEMBAR, SW_T_NONE, 0, 0);
    fence->order = SW_ORDER_RELEASE;
    fence->scope = (uint8_t)scope;
}

void
ptx_lower_tensormap(ptx_parser *p, ptx_ins *in)
{
    if (ptx_take(in, M_REPLACE))
        lower_replace(p, in);
    else if (ptx_take(in, M_CP_FENCEPROXY))
        lower_cp_fence(p, in);
    else
        ptx_unsupported(p, in);
}
