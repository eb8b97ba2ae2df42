/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_soa.c - structures that lanes have side by side, of more than 16
 * bytes, so that the members of neighbours lie far apart: `p[i].x = ...`. With
 * the first load all members that follow are loaded, 16 bytes of a lane at a
 * time, and transposed into vectors in registers; stores wait for the last one,
 * and are transposed back. All lanes run, and nothing between the accesses can
 * fail or see the difference.
 */
#include "jit/emit/access_ways.h"
#include "jit/tune.h"

#define B e->ll.builder

enum {
    MOST = 16, /* elements of a structure */
    MOST_BYTES = 64,
    PIECE = 16, /* bytes */
    PIECES = 4  /* in what is transposed at once */
};

struct sw_jit_struct {
    sw_jit_struct *next;
    bool is_store;
    sw_reg reg;
    uint8_t space;
    uint32_t begin, last; /* indices of its first and last instruction */
    unsigned elem, count; /* bytes of an element; these, from `first` on */
    int64_t first, end;   /* offsets from the register */
    int64_t apart;        /* bytes between neighbours */
    uint32_t members;     /* bits: elements that instructions have */
    LLVMValueRef x[MOST]; /* lanes of each */
};

void
sw_jit_structs_clear(sw_jit_emit *e, const sw_jit_struct *until)
{
    while (e->b.structs != until) {
        sw_jit_struct *next = e->b.structs->next;
        sw_free(e->b.structs);
        e->b.structs = next;
    }
}

bool
sw_jit_stores_wait(const sw_jit_emit *e)
{
    for (const sw_jit_struct *t = e->b.structs; t; t = t->next)
        if (t->is_store && t->last >= e->at.index)
            return true;
    return false;
}

/* ---- which accesses ---- */

/* Bytes between neighbours, or 0: they do not lie at one distance. */
static int64_t
distance(const sw_jit_emit *e, const sw_jit_access *a)
{
    const sw_jit_group *g = &a->groups[0];
    if (a->group_count != 1 || g->count != e->lanes)
        return 0;
    int64_t d = g->at[1] - g->at[0];
    for (unsigned i = 2; i < e->lanes; i++)
        if (g->at[i] != i * d)
            return 0;
    return g->at[0] == 0 && d > 0 ? d : 0;
}

static bool
is_member(const sw_jit_struct *t, const sw_ins *ins, bool *fits)
{
    bool is_access = t->is_store ? ins->op == SW_OP_ST : ins->op == SW_OP_LD;
    if (!is_access || ins->guard || ins->order != 0 || ins->space != t->space ||
        sw_jit_is_unusual(ins) || sw_ins_src(ins, 0)->kind != SW_OPND_REG ||
        sw_ins_src(ins, 0)->reg != t->reg)
        return false;
    int64_t from = ins->offset, bytes = sw_type_bits((sw_type)ins->type) / 8;
    int64_t to = from + bytes * ins->vec;
    *fits = (bytes == t->elem || (bytes < 4 && t->elem == 4)) &&
            bytes * ins->vec % t->elem == 0 && (from - t->first) % t->elem == 0;
    from = from < t->first ? from : t->first;
    to = to > t->end ? to : t->end;
    *fits = *fits && to - from <= MOST_BYTES;
    return true;
}

/* Whether loads may be done before it; stores, after it: it cannot leave. */
static bool
is_harmless(const sw_jit_emit *e, const sw_jit_struct *t, const sw_ins *ins)
{
    int effects = sw_op_get_info((sw_op)ins->op)->effects;
    if (!t->is_store)
        return effects == SW_FX_PURE ||
               (effects == SW_FX_READ && ins->order == 0);
    return effects == SW_FX_PURE &&
           sw_jit_alu_supports(&e->ll, e->plan->fn, ins);
}

static void
add_member(sw_jit_struct *t, const sw_ins *ins, uint32_t index)
{
    int64_t from = ins->offset;
    int64_t to = from + sw_type_bits((sw_type)ins->type) / 8 * ins->vec;
    if (from < t->first) {
        t->members <<= (t->first - from) / t->elem;
        t->first = from;
    }
    t->end = to > t->end ? to : t->end;
    for (int64_t at = from; at < to; at += t->elem)
        t->members |= 1u << (at - t->first) / t->elem;
    t->last = index;
}

/* Those of the piece from this one on that go together; false: it stays alone.
 */
static bool
plan(const sw_jit_emit *e, const sw_jit_access *a, bool is_store,
     sw_jit_struct *t)
{
    const sw_block *block = e->plan->fn->blocks[e->b.block];
    uint32_t at = e->at.index - e->plan->first_ins[e->b.block];
    int64_t apart = distance(e, a);
    bool fits;
    if (!e->mask.is_full || e->at.fail || a->is_placed ||
        apart <= sw_jit_tune.structure_close || a->is_volatile || a->is_part ||
        (a->elem != 4 && a->elem != 8) ||
        sw_ins_src(a->ins, 0)->kind != SW_OPND_REG)
        return false;
    *t = (sw_jit_struct){.is_store = is_store,
                         .reg = sw_ins_src(a->ins, 0)->reg,
                         .space = a->ins->space,
                         .begin = e->at.index,
                         .elem = a->elem,
                         .first = a->ins->offset,
                         .end = a->ins->offset,
                         .apart = apart};
    if (!is_member(t, a->ins, &fits) || !fits)
        return false;
    add_member(t, a->ins, e->at.index);
    while (++at < e->b.ended && at + 1 < block->count &&
           !sw_ins_writes(block->ins[at - 1], t->reg)) {
        const sw_ins *next = block->ins[at];
        if (is_member(t, next, &fits)) {
            if (!fits)
                break;
            add_member(t, next, e->plan->first_ins[e->b.block] + at);
        } else if (!is_harmless(e, t, next)) {
            break;
        }
    }
    t->count = (unsigned)(t->end - t->first) / t->elem;
    unsigned used = (unsigned)__builtin_popcount(t->members);
    if (t->end - t->first < PIECE && !e->ll.has_avx512)
        return false; /* masks are slow */
    return t->count > 1 && t->end - t->first <= apart && 2 * used > t->count &&
           (!is_store || used == t->count);
}

/* One that has begun and is not over, with this instruction's elements. */
static sw_jit_struct *
find(const sw_jit_emit *e, const sw_jit_access *a, bool is_store)
{
    sw_jit_struct *t = e->b.structs;
    while (t &&
           !(t->is_store == is_store && e->at.index >= t->begin &&
             e->at.index <= t->last && t->space == a->ins->space &&
             sw_ins_src(a->ins, 0)->kind == SW_OPND_REG &&
             t->reg == sw_ins_src(a->ins, 0)->reg && t->elem == a->elem &&
             a->ins->offset >= t->first && a->ins->offset + a->unit <= t->end))
        t = t->next;
    return t;
}

static sw_jit_struct *
keep(sw_jit_emit *e, const sw_jit_struct *t)
{
    sw_jit_struct *kept = sw_alloc(sizeof *kept);
    *kept = *t;
    kept->next = e->b.structs;
    e->b.structs = kept;
    return kept;
}

/* ---- moving ---- */

/* Of lane i, the piece that begins with element k; a: an access of t. */
static LLVMValueRef
piece_pointer(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_struct *t,
              unsigned lane, unsigned k)
{
    int64_t at = lane * t->apart + t->first - a->ins->offset + k * t->elem;
    return sw_jit_at(e, a->groups[0].pointer, sw_jit_i64(e, (uint64_t)at));
}

/* Vectors of PIECES pieces of n elements; all of element k come to be vector
 * k. It is its own inverse. */
static void
turn(sw_jit_emit *e, LLVMValueRef *y, unsigned n)
{
    LLVMValueRef x[4] = {y[0], y[1]};
    if (n == 2) {
        y[0] = sw_jit_weave(e, x[0], x[1], 2, 1, false);
        y[1] = sw_jit_weave(e, x[0], x[1], 2, 1, true);
        return;
    }
    x[2] = y[2];
    x[3] = y[3];
    sw_jit_transpose_lanes_of_16(e, x, y);
}

/* The last piece may overlap the one before; if there is only one it may be
 * smaller. */
static unsigned
piece_at(const sw_jit_struct *t, unsigned piece, unsigned n)
{
    unsigned k = piece * n;
    return k + n <= t->count || k == 0 ? k : t->count - n;
}

/* Of a piece that is smaller: the elements that are there. */
static LLVMValueRef
mask_of_piece(const sw_jit_emit *e, const sw_jit_struct *t, unsigned n)
{
    LLVMValueRef c[PIECE / 4];
    for (unsigned i = 0; i < n; i++)
        c[i] = LLVMConstInt(e->t.i1, i < t->count, 0);
    return LLVMConstVector(c, n);
}

static LLVMValueRef
load_piece(sw_jit_emit *e, const sw_jit_struct *t, LLVMValueRef pointer)
{
    unsigned n = PIECE / t->elem;
    LLVMTypeRef type =
        LLVMVectorType(LLVMIntTypeInContext(e->ll.context, 8 * t->elem), n);
    if (t->count < n) {
        LLVMTypeRef types[2] = {type, e->t.ptr};
        LLVMValueRef args[4] = {pointer, sw_jit_i32(e, t->elem),
                                mask_of_piece(e, t, n), LLVMConstNull(type)};
        return sw_jit_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
    }
    LLVMValueRef x = LLVMBuildLoad2(B, type, pointer, "");
    sw_jit_set_align(x, t->elem);
    return x;
}

static void
store_piece(sw_jit_emit *e, const sw_jit_struct *t, LLVMValueRef x,
            LLVMValueRef pointer)
{
    unsigned n = PIECE / t->elem;
    if (t->count < n)
        sw_jit_store_by_mask(e, x, pointer, t->elem, mask_of_piece(e, t, n));
    else
        sw_jit_set_align(LLVMBuildStore(B, x, pointer), t->elem);
}

static void
load_pieces(sw_jit_emit *e, const sw_jit_access *a, sw_jit_struct *t)
{
    unsigned n = PIECE / t->elem, at_once = PIECES * n;
    for (unsigned p = 0; p * n < t->count; p++) {
        LLVMValueRef part[4][SW_LANES_MAX / 8];
        unsigned k = piece_at(t, p, n);
        for (unsigned i = 0; i < e->lanes / at_once; i++) {
            LLVMValueRef y[4], q[PIECES];
            for (unsigned j = 0; j < n; j++) {
                for (unsigned s = 0; s < PIECES; s++) {
                    unsigned lane = i * at_once + j + s * n;
                    q[s] = load_piece(e, t, piece_pointer(e, a, t, lane, k));
                }
                y[j] = sw_jit_concatenate_all(e, q, PIECES, n);
            }
            turn(e, y, n);
            for (unsigned j = 0; j < n; j++)
                part[j][i] = y[j];
        }
        for (unsigned j = 0; j < n; j++)
            t->x[k + j] =
                sw_jit_concatenate_all(e, part[j], e->lanes / at_once, at_once);
    }
}

static void
store_pieces(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_struct *t)
{
    unsigned n = PIECE / t->elem, at_once = PIECES * n;
    for (unsigned i = 0; i < e->lanes / at_once; i++)
        for (unsigned p = 0; p * n < t->count; p++) {
            unsigned k = piece_at(t, p, n);
            LLVMValueRef y[4];
            for (unsigned j = 0; j < n; j++) /* of a smaller one, any */
                y[j] = sw_jit_elements(e, t->x[k + j < t->count ? k + j : k],
                                       i * at_once, at_once);
            turn(e, y, n);
            for (unsigned j = 0; j < n; j++)
                for (unsigned s = 0; s < PIECES; s++) {
                    unsigned lane = i * at_once + j + s * n;
                    store_piece(e, t, sw_jit_elements(e, y[j], s * n, n),
                                piece_pointer(e, a, t, lane, k));
                }
        }
}

bool
sw_jit_load_struct(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_struct *t = find(e, a, false), planned;
    if (!t) {
        if (!plan(e, a, false, &planned))
            return false;
        t = keep(e, &planned);
        load_pieces(e, a, t);
    }
    unsigned k = (unsigned)(a->ins->offset - t->first) / t->elem;
    for (unsigned i = 0; i < a->vec; i++)
        sw_jit_write_loaded(e, a, i, t->x[k + i]);
    return true;
}

bool
sw_jit_store_struct(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_struct *t = find(e, a, true), planned;
    if (!t) {
        if (!plan(e, a, true, &planned))
            return false;
        t = keep(e, &planned);
    }
    unsigned k = (unsigned)(a->ins->offset - t->first) / t->elem;
    for (unsigned i = 0; i < a->vec; i++)
        t->x[k + i] = sw_jit_stored(e, a, i);
    if (e->at.index == t->last)
        store_pieces(e, a, t);
    return true;
}
