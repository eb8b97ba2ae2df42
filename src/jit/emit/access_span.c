/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_span.c - what groups of lanes (emit/access_affine.c) load, and store
 * where their elements do not follow each other without a gap: every second
 * one, rows of a tile, one for several lanes. If they do not lie far apart, all
 * from the first to the last are moved, and permuted; else by the machine's
 * gathers and scatters, or one by one.
 */
#include "jit/emit/access_ways.h"
#include "jit/tune.h"

#define B e->ll.builder

/* Elements of a group from its lowest lane's on: n, in one vector, or in two of
 * `each` elements that overlap if n is no power of two: odd vectors make bad
 * machine code. */
typedef struct {
    unsigned n, each, vectors;
} span;

static span
span_of(uint64_t n)
{
    span s = {.n = (unsigned)n, .each = 1};
    while (2 * s.each <= s.n)
        s.each *= 2;
    s.vectors = s.each < s.n ? 2 : 1;
    return s;
}

/* The first element of a vector. */
static unsigned
first_of(const span *s, unsigned vector)
{
    return vector ? s->n - s->each : 0;
}

/* The place of an element in both vectors, one behind the other. */
static int
place_of(const span *s, unsigned element)
{
    return (int)(element < s->each ? element : element + 2 * s->each - s->n);
}

static LLVMValueRef
vector_pointer(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
               const span *s, unsigned vector)
{
    return sw_jit_at(e, g->pointer,
                     sw_jit_i64(e, (uint64_t)first_of(s, vector) * a->elem));
}

static uint64_t
elements_of(const sw_jit_access *a, const sw_jit_group *g)
{
    return ((uint64_t)g->span / a->unit + 1) * a->vec;
}

static bool
is_close(const sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    uint64_t n = elements_of(a, g),
             most = (uint64_t)sw_jit_tune.span_load * e->lanes * a->vec;
    return n <= SW_JIT_ELEMENTS && n * a->elem <= SW_JIT_BYTES && n <= most;
}

static void
mark(const sw_jit_access *a, LLVMValueRef access_, unsigned align)
{
    sw_jit_set_align(access_, align);
    if (a->is_volatile)
        LLVMSetVolatile(access_, 1);
}

LLVMValueRef
sw_jit_constant_mask(sw_jit_emit *e, const sw_jit_lane_set *lanes)
{
    LLVMValueRef c[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        c[i] = LLVMConstInt(e->t.i1, sw_jit_has_lane(lanes, i), 0);
    return LLVMConstVector(c, e->lanes);
}

LLVMValueRef
sw_jit_group_pointers(sw_jit_emit *e, const sw_jit_access *a,
                      const sw_jit_group *g, unsigned k, unsigned turn)
{
    int64_t at[SW_LANES_MAX];
    for (unsigned t = 0; t < e->lanes; t++) {
        unsigned i = t ^ turn;
        at[t] = (sw_jit_has_lane(&g->lanes, i) ? g->at[i] : 0) + k * a->elem;
    }
    return sw_jit_at(e, g->pointer, sw_jit_const_lanes(e->t.i32, at, e->lanes));
}

/* ---- loads ---- */

static LLVMValueRef
load_each(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
          unsigned k)
{
    LLVMTypeRef type = sw_jit_elem_type(e, a);
    LLVMValueRef x = LLVMGetPoison(LLVMVectorType(type, e->lanes));
    for (unsigned i = 0; i < e->lanes; i++) {
        if (!sw_jit_has_lane(&g->lanes, i))
            continue;
        uint64_t at = (uint64_t)(g->at[i] + k * a->elem);
        LLVMValueRef one = LLVMBuildLoad2(
            B, type, sw_jit_at(e, g->pointer, sw_jit_i64(e, at)), "");
        mark(a, one, a->elem);
        x = LLVMBuildInsertElement(B, x, one, sw_jit_i32(e, i), "");
    }
    return x;
}

static LLVMValueRef
gather(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
       unsigned k)
{
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), e->lanes);
    LLVMValueRef p = sw_jit_group_pointers(e, a, g, k, 0);
    LLVMTypeRef types[2] = {type, LLVMTypeOf(p)};
    LLVMValueRef args[4] = {p, sw_jit_i32(e, a->elem),
                            sw_jit_constant_mask(e, &g->lanes),
                            LLVMConstNull(type)};
    return sw_jit_intrinsic(e, "llvm.masked.gather", types, 2, args, 4);
}

/* Where the lanes' elements are in both vectors. */
static void
places_in_span(const sw_jit_emit *e, const sw_jit_access *a,
               const sw_jit_group *g, const span *s, unsigned k, int *from)
{
    for (unsigned i = 0; i < e->lanes; i++)
        from[i] = sw_jit_has_lane(&g->lanes, i)
                      ? place_of(s, (unsigned)g->at[i] / a->unit * a->vec + k)
                      : -1;
}

static void
load_vectors(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
             const span *s, LLVMValueRef all[2])
{
    LLVMTypeRef type = sw_jit_lanes_of(sw_jit_elem_type(e, a), s->each);
    all[0] = all[1] = NULL;
    for (unsigned i = 0; i < s->vectors; i++) {
        all[i] = LLVMBuildLoad2(B, type, vector_pointer(e, a, g, s, i), "");
        mark(a, all[i], s->vectors == 1 ? a->unit : a->elem);
    }
}

static bool
is_run(const sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    int lanes[SW_LANES_MAX];
    return sw_jit_is_run(e, a, g, lanes);
}

/* Units of all lanes, in their order. */
static bool
is_whole_run(const sw_jit_emit *e, const sw_jit_access *a,
             const sw_jit_group *g)
{
    return g->count == e->lanes && is_run(e, a, g);
}

/* Elements k of the lanes in x[k]. */
static void
load_span(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
          LLVMValueRef *x)
{
    span s = span_of(elements_of(a, g));
    LLVMValueRef all[2];
    int from[SW_LANES_MAX];
    load_vectors(e, a, g, &s, all);
    if (is_whole_run(e, a, g)) {
        sw_jit_units_to_lanes(e, all[0], e->lanes, a->vec, x);
        return;
    }
    for (unsigned k = 0; k < a->vec; k++) {
        places_in_span(e, a, g, &s, k, from);
        x[k] = s.each == 1
                   ? sw_jit_splat(e, all[0], e->lanes)
                   : sw_jit_shuffle_two(e, all[0], all[1], from, e->lanes);
    }
}

/* A run of which only what lanes have that run may be touched. */
static void
load_part(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
          LLVMValueRef *x)
{
    int lanes[SW_LANES_MAX];
    unsigned n = (unsigned)elements_of(a, g);
    LLVMTypeRef types[2] = {sw_jit_lanes_of(sw_jit_elem_type(e, a), n),
                            e->t.ptr};
    sw_jit_is_run(e, a, g, lanes);
    LLVMValueRef args[4] = {g->pointer, sw_jit_i32(e, a->unit),
                            sw_jit_mask_of_run(e, a, lanes, n),
                            LLVMConstNull(types[0])};
    LLVMValueRef all =
        sw_jit_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
    if (is_whole_run(e, a, g)) {
        sw_jit_units_to_lanes(e, all, e->lanes, a->vec, x);
        return;
    }
    for (unsigned k = 0; k < a->vec; k++) {
        int from[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++)
            from[i] = sw_jit_has_lane(&g->lanes, i)
                          ? (int)(g->at[i] / a->unit * a->vec + k)
                          : -1;
        x[k] = sw_jit_shuffle_two(e, all, NULL, from, e->lanes);
    }
}

static void
load_group(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
           LLVMValueRef *x)
{
    if (a->is_part) {
        load_part(e, a, g, x);
        return;
    }
    if ((e->mask.some || !is_run(e, a, g)) && sw_jit_load_pieces(e, a, g, x))
        return;
    bool is_few = e->mask.some && g->count <= sw_jit_tune.span_lanes;
    if (is_close(e, a, g) && !is_few) {
        load_span(e, a, g, x);
        return;
    }
    bool gathers =
        !is_few && sw_jit_has_gathers(e, a) && !sw_jit_gathers_inline(e);
    for (unsigned k = 0; k < a->vec; k++)
        x[k] = gathers ? gather(e, a, g, k) : load_each(e, a, g, k);
}

/* One place for all lanes. */
static void
load_uniform(sw_jit_emit *e, const sw_jit_access *a)
{
    LLVMTypeRef type = sw_jit_lanes_of(sw_jit_elem_type(e, a), a->vec);
    LLVMValueRef all = LLVMBuildLoad2(B, type, a->groups[0].pointer, "");
    mark(a, all, a->unit);
    for (unsigned k = 0; k < a->vec * a->pack; k++) {
        const sw_opnd *d = &a->ins->opnd[k];
        if (d->kind != SW_OPND_REG)
            continue;
        LLVMValueRef x = all;
        if (a->vec > 1)
            x = LLVMBuildExtractElement(B, x, sw_jit_i32(e, k / a->pack), "");
        if (a->pack > 1)
            x = sw_jit_unpack(e, x, k % a->pack * (a->elem / a->pack),
                              a->elem / a->pack, 1);
        sw_class cls = e->plan->fn->regs[d->reg].cls;
        sw_jit_value v = sw_jit_uniform(cls, sw_jit_extend(e, a, x, cls, 1));
        sw_jit_write(e, d->reg, &v, 0);
    }
}

/* Rows of neighbours: put one behind the other. */
static bool
load_rows(sw_jit_emit *e, const sw_jit_access *a)
{
    sw_jit_rows rows;
    LLVMValueRef x[SW_LANES_MAX / SW_JIT_ROW_LEAST];
    if (!sw_jit_find_rows(e, a, &rows))
        return false;
    LLVMTypeRef type = LLVMVectorType(sw_jit_elem_type(e, a), rows.lanes);
    for (unsigned i = 0; i < rows.count; i++) {
        x[i] = LLVMBuildLoad2(B, type, rows.first[i], "");
        sw_jit_set_align(x[i], a->unit);
    }
    sw_jit_write_loaded(e, a, 0,
                        sw_jit_concatenate_all(e, x, rows.count, rows.lanes));
    return true;
}

/* The group that all of the lanes [first, first + n) are of; NULL: there is no
 * such one. */
static const sw_jit_group *
group_of_row(const sw_jit_access *a, unsigned first, unsigned n)
{
    unsigned k = 0;
    while (k < a->group_count && !sw_jit_has_lane(&a->groups[k].lanes, first))
        k++;
    for (unsigned i = first; i < first + n; i++)
        if (k == a->group_count || !sw_jit_has_lane(&a->groups[k].lanes, i))
            return NULL;
    return &a->groups[k];
}

enum { ROW_LEAST = 8, ROWS_MOST = SW_LANES_MAX / ROW_LEAST };

/* The most lanes, a power of two, of which rows have one place each; 0: there
 * are none. Whose each row is. */
static unsigned
find_places(const sw_jit_emit *e, const sw_jit_access *a,
            const sw_jit_group **row)
{
    for (unsigned each = 32; each >= ROW_LEAST; each /= 2) {
        unsigned n = 0;
        while (n < e->lanes / each &&
               (row[n] = group_of_row(a, n * each, each)) && !row[n]->span)
            n++;
        if (n == e->lanes / each)
            return each;
    }
    return 0;
}

/* Of `s[threadIdx.y][k]`: a vector for each row, one behind the other. LLVM
 * takes long to choose between vectors of all lanes. */
static bool
load_places(sw_jit_emit *e, const sw_jit_access *a)
{
    LLVMValueRef x[ROWS_MOST], of_group[SW_JIT_GROUPS][4];
    const sw_jit_group *row[ROWS_MOST];
    LLVMTypeRef type = sw_jit_lanes_of(sw_jit_elem_type(e, a), a->vec);
    unsigned each = a->is_part || e->mask.some ? 0 : find_places(e, a, row);
    if (!each)
        return false;
    for (unsigned g = 0; g < a->group_count; g++) {
        LLVMValueRef all = LLVMBuildLoad2(B, type, a->groups[g].pointer, "");
        mark(a, all, a->unit);
        for (unsigned k = 0; k < a->vec; k++)
            of_group[g][k] = sw_jit_splat(
                e,
                a->vec == 1
                    ? all
                    : LLVMBuildExtractElement(B, all, sw_jit_i32(e, k), ""),
                each);
    }
    for (unsigned k = 0; k < a->vec; k++) {
        for (unsigned i = 0; i < e->lanes / each; i++)
            x[i] = of_group[row[i] - a->groups][k];
        sw_jit_write_loaded(
            e, a, k, sw_jit_concatenate_all(e, x, e->lanes / each, each));
    }
    return true;
}

void
sw_jit_load_groups(sw_jit_emit *e, const sw_jit_access *a)
{
    LLVMValueRef all[4];
    sw_jit_prefetch_groups(e, a, false);
    if (a->group_count == 1 && a->groups[0].span == 0 && !a->is_part) {
        load_uniform(e, a);
        return;
    }
    if (load_rows(e, a) || load_places(e, a) || sw_jit_load_columns(e, a) ||
        sw_jit_load_struct(e, a))
        return;
    for (unsigned g = 0; g < a->group_count; g++) {
        LLVMValueRef x[4];
        load_group(e, a, &a->groups[g], x);
        for (unsigned k = 0; k < a->vec; k++)
            all[k] =
                g || e->mask.some
                    ? LLVMBuildSelect(
                          B, sw_jit_constant_mask(e, &a->groups[g].lanes), x[k],
                          g ? all[k] : LLVMConstNull(LLVMTypeOf(x[k])), "")
                    : x[k];
    }
    for (unsigned k = 0; k < a->vec; k++)
        sw_jit_write_loaded(e, a, k, all[k]);
}

/* ---- stores ---- */

/* Which lane has an element; -1: none. False: more than one has. */
static bool
find_owners(const sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
            int *owner, unsigned n)
{
    for (unsigned j = 0; j < n; j++)
        owner[j] = -1;
    for (unsigned i = 0; i < e->lanes; i++) {
        if (!sw_jit_has_lane(&g->lanes, i))
            continue;
        int *o = &owner[g->at[i] / a->unit];
        if (*o >= 0)
            return false;
        *o = (int)i;
    }
    return true;
}

/* No other thread of the host sees what lies between: it is written as it was.
 */
static void
mix_in(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
       const span *s, const int *owner, LLVMValueRef x)
{
    LLVMValueRef old[2];
    load_vectors(e, a, g, s, old);
    if (!sw_jit_groups_run(e)) {
        int from[SW_LANES_MAX];
        places_in_span(e, a, g, s, 0, from);
        x = LLVMBuildSelect(
            B, e->mask.lanes, x,
            sw_jit_shuffle_two(e, old[0], old[1], from, e->lanes), "");
    }
    if (s->each > e->lanes) { /* shuffles want two vectors of one length */
        int from[SW_JIT_ELEMENTS];
        for (unsigned j = 0; j < s->each; j++)
            from[j] = j < e->lanes ? (int)j : -1;
        x = sw_jit_shuffle_two(e, x, NULL, from, s->each);
    }
    for (unsigned i = 0; i < s->vectors; i++) {
        const int *of = owner + first_of(s, i);
        int from[SW_JIT_ELEMENTS];
        LLVMValueRef y = old[i];
        if (s->each < e->lanes) {
            for (unsigned j = 0; j < e->lanes; j++)
                from[j] = j < s->each ? (int)j : -1;
            y = sw_jit_shuffle_two(e, y, NULL, from, e->lanes);
        }
        unsigned length = s->each < e->lanes ? e->lanes : s->each;
        for (unsigned j = 0; j < s->each; j++)
            from[j] = of[j] < 0 ? (int)j : (int)length + of[j];
        y = sw_jit_shuffle_two(e, y, x, from, s->each);
        sw_jit_set_align(LLVMBuildStore(B, y, vector_pointer(e, a, g, s, i)),
                         a->elem);
    }
}

static void
store_between(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
              const span *s, const int *owner, LLVMValueRef x)
{
    for (unsigned i = 0; i < s->vectors; i++) {
        const int *from = owner + first_of(s, i);
        LLVMValueRef c[SW_JIT_ELEMENTS];
        int lane[SW_JIT_ELEMENTS];
        for (unsigned j = 0; j < s->each; j++) {
            c[j] = LLVMConstInt(e->t.i1, from[j] >= 0, 0);
            lane[j] = from[j] < 0 ? 0 : from[j];
        }
        LLVMValueRef mask = LLVMConstVector(c, s->each);
        if (!sw_jit_groups_run(e))
            mask = LLVMBuildAnd(
                B, mask, sw_jit_shuffle(e, e->mask.lanes, lane, s->each), "");
        sw_jit_store_by_mask(e, sw_jit_shuffle_two(e, x, NULL, from, s->each),
                             vector_pointer(e, a, g, s, i), a->elem, mask);
    }
}

bool
sw_jit_store_span(sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g,
                  LLVMValueRef x)
{
    int owner[SW_JIT_ELEMENTS];
    uint64_t n = elements_of(a, g);
    if (sw_jit_can_mask(e, a) && sw_jit_store_pieces(e, a, g, x))
        return true;
    if (e->mask.some && g->count <= sw_jit_tune.span_lanes)
        return false;
    if (a->vec > 1 || a->is_volatile || !is_close(e, a, g))
        return false;
    /* Without masks all between is read, mixed with theirs, and written. */
    if (!sw_jit_has_gathers(e, a) &&
        (!a->is_shared || n > (uint64_t)sw_jit_tune.span_store * e->lanes))
        return false;
    span s = span_of(n);
    if (s.each == 1 || !find_owners(e, a, g, owner, s.n))
        return false;
    if (a->is_shared)
        mix_in(e, a, g, &s, owner, x);
    else
        store_between(e, a, g, &s, owner, x);
    return true;
}

/* Two lanes of a group store to one place, or may. */
static bool
do_meet(const sw_jit_emit *e, const sw_jit_access *a, const sw_jit_group *g)
{
    int owner[SW_JIT_ELEMENTS];
    uint64_t n = elements_of(a, g);
    return n > SW_JIT_ELEMENTS || !find_owners(e, a, g, owner, (unsigned)n);
}

bool
sw_jit_scatter_group(sw_jit_emit *e, const sw_jit_access *a,
                     const sw_jit_group *g, unsigned k, LLVMValueRef x)
{
    if ((e->mask.some && g->count <= sw_jit_tune.span_lanes) ||
        !sw_jit_has_gathers(e, a) || sw_jit_gathers_inline(e))
        return false;
    unsigned turn = do_meet(e, a, g) ? a->turn : 0;
    LLVMValueRef p = sw_jit_group_pointers(e, a, g, k, turn);
    LLVMValueRef mask = sw_jit_constant_mask(e, &g->lanes);
    LLVMTypeRef types[2] = {LLVMTypeOf(x), LLVMTypeOf(p)};
    if (!e->mask.is_full)
        mask = LLVMBuildAnd(B, e->mask.lanes, mask, "");
    LLVMValueRef args[4] = {sw_jit_in_turn(e, x, turn), p,
                            sw_jit_i32(e, a->elem),
                            sw_jit_in_turn(e, mask, turn)};
    sw_jit_intrinsic(e, "llvm.masked.scatter", types, 2, args, 4);
    return true;
}
