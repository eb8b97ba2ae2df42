/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texel.c - tex in place, of what programs fetch most: texels of one, two
 * or four words that are not filtered, by their numbers or by coordinates in
 * texels that are clamped. Compiled code looks at the site's plan, once for all
 * fetches of a block by the same handle, and finds the places itself: LLVM sees
 * which of them fetches share, and texels that lie in rows are loaded into
 * registers. What is anything else goes through the plan's function
 * (emit/texture.c).
 *
 * Places are as `nearest` of interp/texture_places.h finds them. All lanes have
 * one that is there, also those that do not run.
 */
#include "interp/texture.h"
#include "jit/emit/access_ways.h"
#include "jit/emit/instruction.h"
#include "jit/emit/texture.h"
#include "jit/tune.h"

#define B e->ll.builder

enum {
    AXES = 3,
    FIELDS = 3 + 2 * AXES + 2,
    IN_ROW = 8,  /* lanes that are looked at together */
    AT_ONCE = 16 /* lanes whose channels are sorted at once */
};

/* What is known of a texture: the fields of a plan, all 0 if it is none that is
 * fetched in place. */
typedef struct {
    const sw_ins *ins; /* by which */
    uint32_t at;       /* its index */
    uint32_t site;
    unsigned channels;
    LLVMValueRef ok;         /* i1 */
    LLVMValueRef base;       /* i64 */
    LLVMValueRef size[AXES]; /* i32, texels; */
    LLVMValueRef step[AXES]; /* i32, bytes; NULL: no such axis */
    LLVMValueRef layers, slice;
} known_texture;

/* Numbers of texels along an axis, or of layers: of each lane, or of all. */
typedef struct {
    LLVMValueRef n; /* vector of i32; is_one: i32 */
    LLVMValueRef step;
    bool is_one;
} axis;

typedef struct {
    const known_texture *t;
    axis axis[AXES + 1]; /* the first one is x */
    unsigned count;
    LLVMValueRef ok;     /* i1: they are there, and `t` is fetched in place */
    LLVMValueRef offset; /* i32, bytes: of each lane, or of all */
} places;

/* ---- which fetches ---- */

LLVMValueRef
sw_jit_has_plan(sw_jit_emit *e, uint32_t site, LLVMValueRef texture,
                LLVMValueRef *plan)
{
    *plan = sw_jit_window_part(e, site, offsetof(sw_jit_window, limit));
    LLVMValueRef known =
        sw_jit_window_part(e, site, offsetof(sw_jit_window, lo));
    return LLVMBuildAnd(
        B, LLVMBuildICmp(B, LLVMIntEQ, known, texture, ""),
        LLVMBuildICmp(B, LLVMIntNE, *plan, sw_jit_i64(e, 0), ""), "");
}

/* Cuts what a register holds to 16 bits or less. */
static bool
cuts(const sw_ins *ins, const sw_opnd *reg)
{
    enum { SMALL = 0xffff };
    bool reads = false, is_small = ins->op == SW_OP_CVT &&
                                   sw_type_bits((sw_type)ins->type) <= 16;
    for (unsigned i = 0; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        reads |= o->kind == SW_OPND_REG && o->reg == reg->reg;
        is_small |=
            ins->op == SW_OP_AND && o->kind == SW_OPND_IMM && o->imm <= SMALL;
    }
    return reads && is_small;
}

/* Texels are used as small integers, so that is what they will be. */
static bool
are_small(const sw_block *block, const sw_ins *tex)
{
    bool is_int = sw_type_kind((sw_type)tex->type) != SW_KIND_FLOAT;
    for (uint32_t i = 0; is_int && i < block->count; i++)
        for (unsigned k = 0; k < tex->ndst; k++)
            if (tex->opnd[k].kind == SW_OPND_REG &&
                cuts(block->ins[i], &tex->opnd[k]))
                return true;
    return false;
}

void
sw_jit_textures_open(sw_jit_emit *e)
{
    sw_vec_init(&e->b.textures, sizeof(known_texture));
    for (uint32_t b = 0; b < e->plan->fn->block_count; b++) {
        const sw_block *block = e->plan->fn->blocks[b];
        for (uint32_t i = 0; i < block->count; i++) {
            if (block->ins[i]->op != SW_OP_TEX)
                continue;
            e->k.fetches++;
            e->k.has_small_texels |= are_small(block, block->ins[i]);
        }
    }
}

static bool
is_read(const sw_jit_emit *e, unsigned k)
{
    const sw_opnd *o = &e->at.ins->opnd[k];
    if (o->kind != SW_OPND_REG)
        return false;
    for (size_t i = e->b.deaths.count; i-- > 0;) {
        const sw_jit_death *d = sw_vec_at(&e->b.deaths, i);
        if (d->ins != e->at.index)
            break;
        if (d->is_result && d->reg == o->reg)
            return false;
    }
    return true;
}

/* As many as the texels will have: those that are read, at least. */
static unsigned
guess_channels(const sw_jit_emit *e)
{
    unsigned n = 1;
    for (unsigned k = 0; k < e->at.ins->ndst; k++)
        if (is_read(e, k))
            n = k + 1;
    return n == 3 ? 4 : n;
}

static bool
is_word(const sw_jit_emit *e, unsigned opnd)
{
    const sw_opnd *o = &e->at.ins->opnd[opnd];
    return (opnd < e->at.ins->ndst && o->kind != SW_OPND_REG) ||
           sw_ins_class(e->plan->fn, e->at.ins, opnd) == SW_CLASS_B32;
}

static unsigned
axis_count(const sw_ins *ins)
{
    return ins->geom == SW_GEOM_3D                               ? 3
           : ins->geom == SW_GEOM_2D || ins->geom == SW_GEOM_A2D ? 2
                                                                 : 1;
}

static bool
has_layer(const sw_ins *ins)
{
    return ins->geom == SW_GEOM_A1D || ins->geom == SW_GEOM_A2D;
}

static bool
is_int(const sw_ins *ins)
{
    return ins->stype != SW_T_F32;
}

static bool
suits(const sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    unsigned end = ins->ndst + 1u + has_layer(ins) + axis_count(ins);
    bool is_float = sw_type_kind((sw_type)ins->type) == SW_KIND_FLOAT;
    if (e->k.counters || e->at.fail || e->at.is_outlined || sw_jit_is_rare(e) ||
        e->k.fetches >= sw_jit_tune.texel_calls ||
        (e->k.has_small_texels && !is_float))
        return false;
    for (unsigned i = 0; i < end; i++)
        if (i != ins->ndst && !is_word(e, i))
            return false;
    return ins->ndst <= 4;
}

/* ---- textures ---- */

/* What a fetch before in the block has found out; NULL: nothing. */
static const known_texture *
find_texture(const sw_jit_emit *e, unsigned channels)
{
    const sw_block *block = e->plan->fn->blocks[e->b.block];
    for (size_t i = e->b.textures.count; i-- > 0;) {
        const known_texture *t = sw_vec_at(&e->b.textures, i);
        if (t->channels != channels || t->ins->geom != e->at.ins->geom ||
            is_int(t->ins) != is_int(e->at.ins) ||
            !sw_opnd_is_same(sw_ins_src(t->ins, 0), sw_ins_src(e->at.ins, 0)))
            continue;
        const sw_opnd *handle = sw_ins_src(t->ins, 0);
        for (uint32_t k = t->at; k < e->at.index; k++)
            if (handle->kind == SW_OPND_REG &&
                sw_ins_writes(block->ins[k - e->plan->first_ins[e->b.block]],
                              handle->reg))
                return NULL;
        return t;
    }
    return NULL;
}

static LLVMValueRef
field(sw_jit_emit *e, LLVMValueRef plan, size_t offset, LLVMTypeRef type)
{
    return LLVMBuildLoad2(B, type, sw_jit_at(e, plan, sw_jit_i64(e, offset)),
                          "");
}

/* The fields that the fetch makes use of; returns how many. */
static unsigned
list_fields(known_texture *t, LLVMValueRef **to, size_t *offset)
{
    unsigned n = 0;
#define FIELD(part, name)                                                      \
    do {                                                                       \
        to[n] = &t->part;                                                      \
        offset[n++] = offsetof(sw_tex_plan, name);                             \
    } while (0)
    FIELD(ok, in_place);
    FIELD(base, base);
    for (unsigned k = 0; k < axis_count(t->ins); k++) {
        FIELD(size[k], axis[k].size);
        FIELD(step[k], axis[k].step);
    }
    if (has_layer(t->ins)) {
        FIELD(layers, layers);
        FIELD(slice, slice);
    }
#undef FIELD
    return n;
}

static void
look_up(sw_jit_emit *e, known_texture *t)
{
    LLVMValueRef *to[FIELDS], value[FIELDS] = {NULL};
    size_t offset[FIELDS];
    unsigned n = list_fields(t, to, offset);
    LLVMBasicBlockRef known = sw_jit_block(e, "known");
    LLVMBasicBlockRef join = sw_jit_block(e, "join"), from[2];
    LLVMValueRef plan;
    LLVMValueRef is_known =
        sw_jit_has_plan(e, t->site, sw_jit_read(e, e->at.ins, 0).base, &plan);
    from[0] = LLVMGetInsertBlock(B);
    sw_jit_likely(e, LLVMBuildCondBr(B, is_known, known, join), true);
    LLVMPositionBuilderAtEnd(B, known);
    plan = LLVMBuildIntToPtr(B, plan, e->t.ptr, "");
    for (unsigned i = 0; i < n; i++)
        value[i] = field(e, plan, offset[i],
                         i == 0   ? e->t.i8
                         : i == 1 ? e->t.i64
                                  : e->t.i32);
    value[0] = LLVMBuildICmp(B, LLVMIntEQ, value[0],
                             LLVMConstInt(e->t.i8, t->channels * 4, 0), "");
    from[1] = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, join);
    for (unsigned i = 0; i < n; i++) {
        LLVMTypeRef type = LLVMTypeOf(value[i]);
        LLVMValueRef either[2] = {LLVMConstNull(type), value[i]};
        *to[i] = LLVMBuildPhi(B, type, "");
        LLVMAddIncoming(*to[i], either, from, 2);
    }
}

static known_texture
texture_of(sw_jit_emit *e)
{
    unsigned channels = guess_channels(e);
    const known_texture *seen = find_texture(e, channels);
    if (seen)
        return *seen;
    known_texture t = {.ins = e->at.ins,
                       .at = e->at.index,
                       .site = sw_jit_new_site(e, 0),
                       .channels = channels};
    look_up(e, &t);
    if (!e->at.ins->guard)
        *(known_texture *)sw_vec_push(&e->b.textures) = t;
    return t;
}

/* ---- places ---- */

/* A number in all lanes of a vector like x, or as it is. */
static LLVMValueRef
like(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef n)
{
    bool is_vector = LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind;
    return is_vector ? sw_jit_splat(e, n, e->lanes) : n;
}

static LLVMValueRef
zero_like(LLVMValueRef x)
{
    return LLVMConstNull(LLVMTypeOf(x));
}

static LLVMValueRef
clamp_float(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef size)
{
    LLVMTypeRef f32 = LLVMFloatTypeInContext(e->ll.context);
    LLVMTypeRef ints = LLVMTypeOf(x);
    bool is_vector = LLVMGetTypeKind(ints) == LLVMVectorTypeKind;
    x = LLVMBuildBitCast(B, x, is_vector ? LLVMVectorType(f32, e->lanes) : f32,
                         "");
    LLVMValueRef last = LLVMBuildSub(B, size, sw_jit_i32(e, 1), "");
    LLVMValueRef end = like(e, x, LLVMBuildSIToFP(B, last, f32, ""));
    LLVMValueRef zero = zero_like(x);
    /* NaN is 0 */
    x = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOGT, x, zero, ""), x, zero,
                        "");
    x = LLVMBuildSelect(B, LLVMBuildFCmp(B, LLVMRealOLT, x, end, ""), x, end,
                        "");
    return LLVMBuildFPToSI(B, x, ints, "");
}

/* Negative ones are large. */
static LLVMValueRef
clamp_layer(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef layers)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef last = LLVMBuildSub(B, layers, sw_jit_i32(e, 1), "");
    LLVMValueRef either[2] = {x, like(e, x, last)};
    return sw_jit_intrinsic(e, "llvm.umin", &type, 1, either, 2);
}

/* Numbers that are none of a texel are 0, and then *ok does not hold. */
static LLVMValueRef
check_number(sw_jit_emit *e, LLVMValueRef x, LLVMValueRef size, bool is_one,
             LLVMValueRef *ok)
{
    LLVMValueRef in = LLVMBuildICmp(B, LLVMIntULT, x, like(e, x, size), "");
    *ok = LLVMBuildAnd(B, *ok, is_one ? in : sw_jit_masked_all(e, in), "");
    if (!is_one && e->mask.is_full)
        return x; /* if one is not there, none is used */
    return LLVMBuildSelect(B, in, x, zero_like(x), "");
}

static axis
open_axis(sw_jit_emit *e, unsigned src)
{
    sw_jit_value v = sw_jit_read(e, e->at.ins, src);
    axis a = {.is_one = v.shape.kind == SW_SHAPE_UNIFORM};
    LLVMTypeRef type = a.is_one ? e->t.i32 : LLVMVectorType(e->t.i32, e->lanes);
    a.n =
        LLVMBuildBitCast(B, a.is_one ? v.base : sw_jit_lanes(e, &v), type, "");
    return a;
}

static places
find_places(sw_jit_emit *e, const known_texture *t)
{
    const sw_ins *ins = e->at.ins;
    unsigned layer = has_layer(ins);
    places p = {.t = t, .ok = t->ok, .count = axis_count(ins) + layer};
    for (unsigned k = 0; k < axis_count(ins); k++) {
        axis *a = &p.axis[k];
        *a = open_axis(e, 1 + layer + k);
        a->step = t->step[k];
        a->n = is_int(ins) ? check_number(e, a->n, t->size[k], a->is_one, &p.ok)
                           : clamp_float(e, a->n, t->size[k]);
    }
    if (layer) {
        axis *a = &p.axis[p.count - 1];
        *a = open_axis(e, 1);
        a->step = t->slice;
        a->n = clamp_layer(e, a->n, t->layers);
    }
    return p;
}

/* Bytes from the first texel; what fetches share by itself. */
static LLVMValueRef
find_offsets(sw_jit_emit *e, const places *p, bool is_one)
{
    LLVMValueRef sum = NULL;
    for (unsigned k = p->count; k-- > 0;) {
        const axis *a = &p->axis[k];
        LLVMValueRef step = k ? a->step : sw_jit_i32(e, 4 * p->t->channels);
        LLVMValueRef n = LLVMBuildMul(B, a->n, like(e, a->n, step), "");
        if (a->is_one && !is_one)
            n = sw_jit_splat(e, n, e->lanes);
        sum = sum ? LLVMBuildAdd(B, sum, n, "") : n;
    }
    return sum;
}

/* Where a lane's texel is, or that of all. */
static LLVMValueRef
pointer(sw_jit_emit *e, const places *p, unsigned lane)
{
    LLVMTypeRef type = LLVMTypeOf(p->offset);
    LLVMValueRef n = p->offset;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        n = LLVMBuildExtractElement(B, n, sw_jit_i32(e, lane), "");
    return sw_jit_at(e, LLVMBuildIntToPtr(B, p->t->base, e->t.ptr, ""),
                     LLVMBuildZExt(B, n, e->t.i64, ""));
}

/* ---- rows ---- */

/* i1: in each group of lanes that of the first one, and what is `apart` further
 * on with each lane; of those that run. */
static LLVMValueRef
are_steady(sw_jit_emit *e, LLVMValueRef n, unsigned apart, LLVMValueRef size)
{
    int first[SW_LANES_MAX];
    int64_t more[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++) {
        first[i] = (int)(i - i % IN_ROW);
        more[i] = i % IN_ROW * apart;
    }
    LLVMValueRef row = sw_jit_shuffle(e, n, first, e->lanes);
    if (apart)
        row = LLVMBuildAdd(B, row, sw_jit_const_lanes(e->t.i32, more, e->lanes),
                           "");
    LLVMValueRef same =
        sw_jit_masked_all(e, LLVMBuildICmp(B, LLVMIntEQ, n, row, ""));
    if (e->mask.is_full || !apart)
        return same;
    LLVMValueRef in = LLVMBuildICmp(B, LLVMIntULT, row, like(e, row, size), "");
    return LLVMBuildAnd(B, same, sw_jit_all(e, in), "");
}

/* i1: texels lie in rows, all of which are there. */
static LLVMValueRef
are_rows(sw_jit_emit *e, const places *p)
{
    LLVMValueRef is = are_steady(e, p->axis[0].n, 1, p->t->size[0]);
    for (unsigned k = 1; k < p->count; k++)
        if (!p->axis[k].is_one)
            is = LLVMBuildAnd(B, is, are_steady(e, p->axis[k].n, 0, NULL), "");
    return is;
}

static void
write_channel(sw_jit_emit *e, unsigned k, LLVMValueRef x)
{
    if (k >= e->at.ins->ndst || e->at.ins->opnd[k].kind != SW_OPND_REG)
        return;
    sw_jit_value v = sw_jit_varying(SW_CLASS_B32, x);
    sw_jit_write(e, e->at.ins->opnd[k].reg, &v, 0);
}

/* What the texels do not have. */
static void
write_absent(sw_jit_emit *e, const places *p)
{
    LLVMTypeRef type = LLVMVectorType(e->t.i32, e->lanes);
    for (unsigned k = p->t->channels; k < 4; k++)
        write_channel(e, k, LLVMConstNull(type));
}

static void
load_rows(sw_jit_emit *e, const places *p)
{
    unsigned channels = p->t->channels;
    LLVMTypeRef type = LLVMVectorType(e->t.i32, IN_ROW * channels);
    LLVMValueRef part[4][SW_LANES_MAX / AT_ONCE], x[4];
    for (unsigned i = 0; i < e->lanes / AT_ONCE; i++) {
        LLVMValueRef row[AT_ONCE / IN_ROW];
        for (unsigned j = 0; j < AT_ONCE / IN_ROW; j++) {
            row[j] = LLVMBuildLoad2(
                B, type, pointer(e, p, i * AT_ONCE + j * IN_ROW), "");
            sw_jit_set_align(row[j], 1);
        }
        x[0] =
            sw_jit_concatenate_all(e, row, AT_ONCE / IN_ROW, IN_ROW * channels);
        if (channels > 1)
            sw_jit_units_to_lanes(e, x[0], AT_ONCE, channels, x);
        for (unsigned k = 0; k < channels; k++)
            part[k][i] = x[k];
    }
    for (unsigned k = 0; k < channels; k++)
        write_channel(
            e, k,
            sw_jit_concatenate_all(e, part[k], e->lanes / AT_ONCE, AT_ONCE));
    write_absent(e, p);
}

/* ---- others ---- */

/* The texel of a lane, for all. */
static void
load_one(sw_jit_emit *e, const places *p)
{
    LLVMValueRef at = pointer(e, p, 0);
    for (unsigned k = 0; k < p->t->channels; k++) {
        LLVMValueRef x = LLVMBuildLoad2(
            B, e->t.i32, sw_jit_at(e, at, sw_jit_i64(e, 4 * k)), "");
        sw_jit_set_align(x, 1);
        write_channel(e, k, sw_jit_splat(e, x, e->lanes));
    }
    write_absent(e, p);
}

static void
load_each(sw_jit_emit *e, const places *p)
{
    sw_jit_access a = {.ins = e->at.ins,
                       .elem = 4,
                       .vec = 1,
                       .pack = 1,
                       .unit = 4 * p->t->channels,
                       .align = 1,
                       .lane_offset = p->offset,
                       .scale = 1,
                       .base = LLVMBuildIntToPtr(B, p->t->base, e->t.ptr, "")};
    for (unsigned k = 0; k < p->t->channels; k++)
        write_channel(e, k, sw_jit_gather(e, &a, k));
    write_absent(e, p);
}

/* What lanes have in common, and how they may be fetched. */
typedef struct {
    bool is_one, may_be_rows, may_scatter;
} way;

static bool
is_shared(const sw_jit_emit *e, unsigned src)
{
    const sw_opnd *o = sw_ins_src(e->at.ins, src);
    return o->kind != SW_OPND_REG ||
           e->shapes->regs[o->reg].kind == SW_SHAPE_UNIFORM;
}

static way
find_way(const sw_jit_emit *e, unsigned channels)
{
    unsigned layer = has_layer(e->at.ins),
             end = 1 + layer + axis_count(e->at.ins);
    way w = {.is_one = true, .may_be_rows = !is_shared(e, 1 + layer)};
    for (unsigned i = 1; i < end; i++)
        w.is_one &= is_shared(e, i);
    bool gathers = e->ll.has_avx512 && !e->k.has_slow_gathers;
    w.may_scatter =
        !w.is_one &&
        (channels < 4 ? e->k.fetches <= sw_jit_tune.texel_rows
                      : gathers && e->k.fetches <= sw_jit_tune.texel_rows / 2);
    return w;
}

/* Where all are there. is_row: NULL if no lanes may lie in rows. */
static void
load_texels(sw_jit_emit *e, const places *p, const way *w, LLVMValueRef is_row,
            LLVMBasicBlockRef done)
{
    if (w->is_one) {
        load_one(e, p);
        return;
    }
    if (w->may_scatter && is_row) {
        LLVMBasicBlockRef rows = sw_jit_block(e, "rows");
        LLVMBasicBlockRef apart = sw_jit_block(e, "apart");
        LLVMBuildCondBr(B, is_row, rows, apart);
        LLVMPositionBuilderAtEnd(B, apart);
        load_each(e, p);
        LLVMBuildBr(B, done);
        LLVMPositionBuilderAtEnd(B, rows);
    }
    if (is_row)
        load_rows(e, p);
    else
        load_each(e, p);
}

bool
sw_jit_fetch_in_place(sw_jit_emit *e, uint32_t *site, LLVMBasicBlockRef done)
{
    way w = find_way(e, guess_channels(e));
    if (!suits(e) || !(w.is_one || w.may_be_rows || w.may_scatter))
        return false;
    known_texture t = texture_of(e);
    places p = find_places(e, &t);
    p.offset = find_offsets(e, &p, w.is_one);
    LLVMBasicBlockRef here = sw_jit_block(e, "texels");
    LLVMBasicBlockRef on = sw_jit_block(e, "called");
    LLVMValueRef is_row = w.may_be_rows ? are_rows(e, &p) : NULL;
    LLVMValueRef ok = p.ok;
    if (!w.is_one && !w.may_scatter)
        ok = LLVMBuildAnd(B, ok, is_row, "");
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, here, on), true);
    LLVMPositionBuilderAtEnd(B, here);
    load_texels(e, &p, &w, is_row, done);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, on);
    *site = t.site;
    return true;
}
