/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_strided.c - groups of lanes (emit/access_affine.c) whose elements have
 * gaps between them or another order: every fourth one, a butterfly's. What
 * lies from the first to the last is moved in pieces, vectors of the machine,
 * and each vector of lanes is put together of the pieces that have some of its
 * lanes. Of one large permutation LLVM makes a gather in all but name.
 */
#include <string.h>

#include "jit/emit/access_ways.h"

#define B e->ll.builder

enum {
    WIDEST = 16, /* elements of a vector */
    PIECES = SW_JIT_ELEMENTS / 4,
    NOWHERE = -1
};

/* The elements of a group from its lowest lane's on, or from so many before it
 * that pieces begin at multiples of their size, if that is known; n of them, in
 * pieces of `width`. The last piece ends where they do, and may overlap the one
 * before. */
typedef struct {
    unsigned before, n, width, count, vectors; /* vectors: of lanes */
    int element[SW_LANES_MAX];   /* of a lane; NOWHERE: not its group's */
    LLVMValueRef loaded[PIECES]; /* or NULL */
} pieces;

/* Pieces that lanes of a vector have something of, or vectors that a piece has
 * something of, in ascending order. */
typedef struct {
    unsigned count, of[WIDEST];
} parts;

/* Of a group at a place that is known, so many that pieces begin at multiples
 * of their size; or, where its lanes follow each other, that each vector of
 * lanes is a piece, as far as there is room. */
static unsigned
elements_before(const sw_jit_emit *e, const sw_jit_access *a,
                const sw_jit_group *g, unsigned bytes)
{
    int lanes[SW_LANES_MAX];
    uint64_t place = (uint64_t)a->place / a->elem;
    unsigned width = bytes / a->elem, ahead = g->first % width;
    bool is_row = sw_jit_is_run(e, a, g, lanes) &&
                  lanes[g->count - 1] == (int)(g->first + g->count - 1);
    if (is_row && ahead <= place && !e->ll.has_avx512)
        return ahead;
    return (unsigned)(place % width);
}

static bool
open_pieces(const sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
            pieces *p)
{
    unsigned bytes = e->ll.has_avx512 ? 64 : e->k.has_avx2 ? 32 : 0;
    uint64_t n = (uint64_t)g->span / a->unit + 1;
    memset(p, 0, sizeof *p);
    p->width = bytes / a->elem;
    if (a->is_placed && bytes) {
        p->before = elements_before(e, a, g, bytes);
        uint64_t begin = (uint64_t)a->place - (uint64_t)p->before * a->elem;
        uint64_t room = ((uint64_t)a->room - begin) / a->elem;
        n = (p->before + n + p->width - 1) / p->width * p->width;
        n = n < room ? n : room;
    }
    if ((a->elem != 4 && a->elem != 8) || a->vec != 1 || a->is_part ||
        a->is_volatile || !bytes || n < p->width || n > SW_JIT_ELEMENTS ||
        p->width > e->lanes)
        return false;
    p->n = (unsigned)n;
    p->count = (p->n + p->width - 1) / p->width;
    p->vectors = e->lanes / p->width;
    for (unsigned i = 0; i < e->lanes; i++)
        p->element[i] = sw_jit_has_lane(&g->lanes, i)
                            ? (int)(g->at[i] / a->unit) + (int)p->before
                            : NOWHERE;
    return p->count <= PIECES;
}

/* The first element of a piece. */
static unsigned
begin_of(const pieces *p, unsigned piece)
{
    unsigned at = piece * p->width;
    return at + p->width > p->n ? p->n - p->width : at;
}

static unsigned
piece_of(const pieces *p, unsigned element)
{
    return element / p->width;
}

static void
note_part(parts *x, unsigned part)
{
    for (unsigned i = 0; i < x->count; i++)
        if (x->of[i] == part)
            return;
    x->of[x->count++] = part;
}

static parts
pieces_of_vector(const pieces *p, unsigned vector)
{
    parts x = {0};
    for (unsigned i = vector * p->width; i < (vector + 1) * p->width; i++)
        if (p->element[i] != NOWHERE)
            note_part(&x, piece_of(p, (unsigned)p->element[i]));
    return x;
}

static LLVMValueRef
pointer_of(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
           const pieces *p, unsigned piece)
{
    int64_t element = (int64_t)begin_of(p, piece) - p->before;
    return sw_jit_at(e, g->pointer,
                     sw_jit_i64(e, (uint64_t)(element * a->elem)));
}

static LLVMValueRef
load_piece(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
           pieces *p, unsigned piece)
{
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), p->width);
    if (!p->loaded[piece]) {
        p->loaded[piece] =
            LLVMBuildLoad2(B, type, pointer_of(e, a, g, p, piece), "");
        sw_jit_set_align(p->loaded[piece], a->elem);
    }
    return p->loaded[piece];
}

/* ---- loads ---- */

/* Whether it takes fewer instructions than an element after the other. */
static bool
pays_to_load(const pieces *p, const sw_jit_group *g)
{
    unsigned cost = 0;
    for (unsigned v = 0; v < p->vectors; v++) {
        parts x = pieces_of_vector(p, v);
        cost += x.count > 1 ? 2 * x.count : x.count;
    }
    return cost <= g->count;
}

/* The lanes of a vector that are in one or two pieces, each at its place. */
static LLVMValueRef
lanes_of_two(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
             pieces *p, unsigned vector, const unsigned *two, unsigned count)
{
    int from[WIDEST];
    LLVMValueRef x = load_piece(e, a, g, p, two[0]);
    LLVMValueRef y = count > 1 ? load_piece(e, a, g, p, two[1]) : NULL;
    for (unsigned i = 0; i < p->width; i++) {
        int at = p->element[vector * p->width + i];
        from[i] = NOWHERE;
        for (unsigned k = 0; at != NOWHERE && k < count; k++)
            if (piece_of(p, (unsigned)at) == two[k])
                from[i] = at - (int)begin_of(p, two[k]) + (int)(k * p->width);
    }
    return sw_jit_shuffle_two(e, x, y, from, p->width);
}

static bool
is_among(const unsigned *some, unsigned count, unsigned one)
{
    for (unsigned i = 0; i < count; i++)
        if (some[i] == one)
            return true;
    return false;
}

static LLVMValueRef
load_vector(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
            pieces *p, unsigned vector)
{
    parts x = pieces_of_vector(p, vector);
    LLVMValueRef all = NULL;
    for (unsigned k = 0; k < x.count; k += 2) {
        unsigned n = x.count - k > 1 ? 2 : 1;
        LLVMValueRef two = lanes_of_two(e, a, g, p, vector, x.of + k, n);
        int from[WIDEST];
        for (unsigned i = 0; i < p->width; i++) {
            int at = p->element[vector * p->width + i];
            bool is_in = at != NOWHERE &&
                         is_among(x.of + k, n, piece_of(p, (unsigned)at));
            from[i] = (int)(is_in ? p->width + i : i);
        }
        all = all ? sw_jit_shuffle_two(e, all, two, from, p->width) : two;
    }
    return all ? all
               : LLVMConstNull(
                     LLVMVectorType(sw_jit_elem_type(e, a), p->width));
}

bool
sw_jit_load_pieces(sw_jit_emit *e, const sw_jit_access *a,
                   const sw_jit_group *g, LLVMValueRef *x)
{
    pieces p;
    LLVMValueRef all[SW_LANES_MAX];
    if (!open_pieces(e, a, g, &p) || !pays_to_load(&p, g))
        return false;
    for (unsigned v = 0; v < p.vectors; v++)
        all[v] = load_vector(e, a, g, &p, v);
    *x = sw_jit_concatenate_all(e, all, p.vectors, p.width);
    return true;
}

/* ---- stores ---- */

/* The lane of an element; NOWHERE. False: several lanes have it. */
static bool
find_owners(const sw_jit_emit *e, const pieces *p, int *owner)
{
    for (unsigned j = 0; j < p->n; j++)
        owner[j] = NOWHERE;
    for (unsigned i = 0; i < e->lanes; i++) {
        if (p->element[i] == NOWHERE)
            continue;
        if (owner[p->element[i]] != NOWHERE)
            return false;
        owner[p->element[i]] = (int)i;
    }
    return true;
}

/* Of the elements of a piece that no piece before it has. */
static parts
vectors_of_piece(const pieces *p, const int *owner, unsigned piece)
{
    parts x = {0};
    unsigned begin = begin_of(p, piece);
    for (unsigned j = piece * p->width; j < begin + p->width; j++)
        if (owner[j] != NOWHERE)
            note_part(&x, (unsigned)owner[j] / p->width);
    return x;
}

static bool
pays_to_store(const pieces *p, const int *owner, const sw_jit_group *g)
{
    unsigned cost = 0;
    for (unsigned k = 0; k < p->count; k++) {
        parts x = vectors_of_piece(p, owner, k);
        cost += x.count ? x.count + 2 : 0;
    }
    return cost <= 2 * g->count;
}

/* The elements of a piece that lanes have, put over `old`; *lane: whose each
 * is, or NOWHERE. */
static LLVMValueRef
put_over(sw_jit_emit *e, const pieces *p, const int *owner, unsigned piece,
         const LLVMValueRef *lanes, LLVMValueRef old, int *lane)
{
    parts x = vectors_of_piece(p, owner, piece);
    unsigned begin = begin_of(p, piece);
    for (unsigned j = 0; j < p->width; j++)
        lane[j] = begin + j < piece * p->width ? NOWHERE : owner[begin + j];
    for (unsigned k = 0; k < x.count; k++) {
        int from[WIDEST];
        for (unsigned j = 0; j < p->width; j++)
            from[j] =
                lane[j] != NOWHERE && (unsigned)lane[j] / p->width == x.of[k]
                    ? (int)p->width + lane[j] % (int)p->width
                    : (int)j;
        old = sw_jit_shuffle_two(e, old, lanes[x.of[k]], from, p->width);
    }
    return old;
}

static void
store_piece(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
            pieces *p, const int *owner, unsigned piece,
            const LLVMValueRef *lanes)
{
    int lane[WIDEST];
    LLVMValueRef c[WIDEST];
    if (!vectors_of_piece(p, owner, piece).count)
        return;
    /* of shared memory what lies between is written as it was, as no other
     * thread of the host sees it */
    p->loaded[piece] = NULL;
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), p->width);
    LLVMValueRef old =
        a->is_shared ? load_piece(e, a, g, p, piece) : LLVMGetPoison(type);
    LLVMValueRef x = put_over(e, p, owner, piece, lanes, old, lane);
    LLVMValueRef pointer = pointer_of(e, a, g, p, piece);
    for (unsigned j = 0; j < p->width; j++)
        c[j] = LLVMConstInt(e->t.i1, lane[j] != NOWHERE, 0);
    if (a->is_shared)
        sw_jit_set_align(LLVMBuildStore(B, x, pointer), a->elem);
    else
        sw_jit_store_by_mask(e, x, pointer, a->elem,
                             LLVMConstVector(c, p->width));
}

/* Lanes of x one after the other; those that do not run get what is there. To
 * permute masks takes far longer. */
static void
find_lanes(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
           pieces *p, LLVMValueRef x, LLVMValueRef *lanes)
{
    for (unsigned v = 0; v < p->vectors; v++) {
        unsigned first = v * p->width;
        lanes[v] = sw_jit_elements(e, x, first, p->width);
        if (!sw_jit_groups_run(e))
            lanes[v] = LLVMBuildSelect(
                B, sw_jit_elements(e, e->mask.lanes, first, p->width), lanes[v],
                load_vector(e, a, g, p, v), "");
    }
}

bool
sw_jit_store_pieces(sw_jit_emit *e, const sw_jit_access *a,
                    const sw_jit_group *g, LLVMValueRef x)
{
    pieces p;
    int owner[SW_JIT_ELEMENTS];
    LLVMValueRef lanes[SW_LANES_MAX];
    if ((!a->is_shared && !sw_jit_groups_run(e)) || !open_pieces(e, a, g, &p) ||
        !find_owners(e, &p, owner) || !pays_to_store(&p, owner, g))
        return false;
    find_lanes(e, a, g, &p, x, lanes);
    for (unsigned k = 0; k < p.count; k++)
        store_piece(e, a, g, &p, owner, k, lanes);
    return true;
}
