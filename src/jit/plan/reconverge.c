/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconverge.c - where a warp goes on: which edges lead by reconvergence
 * points, the list of all of these, and by which ways one partition of a kernel
 * leads to another. No code is made here.
 */
#include <stdlib.h>
#include <string.h>

#include "jit/plan/decide.h"
#include "jit/plan/flow.h"

/* A place in the list of reconvergence points: POINT or LATCH. */
typedef struct {
    uint32_t position;
    sw_jit_place place;
    bool is_certain; /* all lanes wait where a warp comes to it */
    uint64_t *lives; /* set of registers that live where a warp comes to it */
} point;

struct sw_jit_points {
    point *points; /* of all parts, sorted */
    size_t point_count;
    uint32_t block_count; /* blocks with a point */
    uint64_t *lives;      /* of all points; NULL: there is one partition only */
};

/* ---- who leads ---- */

bool
sw_jit_is_masked(const sw_jit_plan *plan, uint32_t block)
{
    return plan->shapes->diverges[block] || plan->shapes->is_divergent[block];
}

uint32_t
sw_jit_back_edge_loop(const sw_jit_plan *plan, uint32_t from, uint32_t to)
{
    for (uint32_t l = plan->cfg->loop[from]; l; l = plan->cfg->loops[l].parent)
        if (plan->cfg->loops[l].header == to)
            return l;
    return 0;
}

bool
sw_jit_goes_by_point(const sw_jit_plan *plan, uint32_t from, uint32_t to)
{
    if (plan->shapes->head[to] != SW_SHAPES_ROOT)
        return plan->shapes->head[to] == to;
    return sw_jit_is_masked(plan, from);
}

bool
sw_jit_is_converged(const sw_jit_plan *plan, uint32_t block, bool is_twin)
{
    return is_twin || plan->shapes->head[block] == SW_SHAPES_ROOT;
}

/* ---- the row ---- */

static int
by_position(const void *a, const void *b)
{
    uint32_t x = ((const point *)a)->position, y = ((const point *)b)->position;
    return x < y ? -1 : x > y;
}

static uint32_t
position_of(const sw_jit_plan *plan, sw_jit_place place)
{
    return place.kind == SW_JIT_AT_LATCH ? plan->cfg->loops[place.of].latch
                                         : plan->cfg->sched[place.of];
}

static void
add_point(const sw_jit_plan *plan, bool *is_there, sw_jit_place_kind kind,
          uint32_t of)
{
    sw_jit_points *r = plan->reconverge;
    sw_jit_place place = {kind, of};
    if (is_there[of])
        return;
    is_there[of] = true;
    r->points[r->point_count++] =
        (point){.position = position_of(plan, place), .place = place};
}

static void
make_row(const sw_jit_plan *plan)
{
    sw_jit_points *r = plan->reconverge;
    const sw_cfg *cfg = plan->cfg;
    bool *has_point = sw_alloc(cfg->count * sizeof *has_point);
    bool *has_latch = sw_alloc((cfg->loop_count + 1) * sizeof *has_latch);
    r->points =
        sw_alloc((cfg->count + cfg->loop_count + 1) * sizeof *r->points);
    for (uint32_t n = 0; n < cfg->reachable; n++) {
        uint32_t b = cfg->order[n];
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++) {
            uint32_t to = cfg->succ[i], l = sw_jit_back_edge_loop(plan, b, to);
            if (!sw_jit_goes_by_point(plan, b, to))
                continue;
            r->block_count += !has_point[to];
            add_point(plan, has_point, SW_JIT_AT_POINT, to);
            if (l)
                add_point(plan, has_latch, SW_JIT_AT_LATCH, l);
        }
    }
    qsort(r->points, r->point_count, sizeof *r->points, by_position);
    sw_free(has_point);
    sw_free(has_latch);
}

uint32_t
sw_jit_count_points(const sw_jit_plan *plan)
{
    return plan->reconverge->block_count;
}

/* The number of the first point after a position, or point_count. */
static size_t
point_after(const sw_jit_points *r, uint32_t position)
{
    size_t low = 0, high = r->point_count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (r->points[mid].position <= position)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

sw_jit_place
sw_jit_next_point(const sw_jit_plan *plan, uint32_t position)
{
    size_t next = point_after(plan->reconverge, position);
    return next < plan->reconverge->point_count
               ? plan->reconverge->points[next].place
           : plan->cfg->irreducible ? (sw_jit_place){SW_JIT_AT_AGAIN, 0}
                                    : (sw_jit_place){SW_JIT_AT_END, 0};
}

sw_jit_place
sw_jit_next_after(const sw_jit_plan *plan, uint32_t block)
{
    uint32_t head = plan->shapes->head[block];
    uint32_t from = head == SW_SHAPES_ROOT ? block : head;
    return sw_jit_next_point(plan, plan->cfg->sched[from]);
}

sw_jit_place
sw_jit_place_of_edge(const sw_jit_plan *plan, uint32_t block, bool is_twin,
                     uint32_t to)
{
    bool is_converged = sw_jit_is_converged(plan, block, is_twin);
    bool has_twin = plan->has_twin[to] && (is_twin || !plan->twins_are_full);
    bool is_free =
        is_converged && (plan->shapes->head[to] == SW_SHAPES_ROOT || has_twin);
    if (is_free && has_twin)
        return (sw_jit_place){SW_JIT_AT_TWIN, to};
    if (is_free || !sw_jit_goes_by_point(plan, block, to))
        return (sw_jit_place){SW_JIT_AT_BODY, to};
    return is_converged ? (sw_jit_place){SW_JIT_AT_POINT, to}
                        : sw_jit_next_after(plan, block);
}

/* What those who wait at it will run. */
static uint32_t
block_behind(const sw_jit_plan *plan, const point *g)
{
    return g->place.kind == SW_JIT_AT_LATCH
               ? plan->cfg->loops[g->place.of].header
               : g->place.of;
}

static point *
point_of(const sw_jit_plan *plan, sw_jit_place place)
{
    if (place.kind != SW_JIT_AT_POINT && place.kind != SW_JIT_AT_LATCH)
        return NULL;
    size_t after = point_after(plan->reconverge, position_of(plan, place));
    return &plan->reconverge->points[after - 1];
}

bool
sw_jit_has_point(const sw_jit_plan *plan, sw_jit_place place)
{
    uint32_t position = position_of(plan, place);
    size_t after = point_after(plan->reconverge, position);
    const point *g = after ? &plan->reconverge->points[after - 1] : NULL;
    return g && g->position == position && g->place.kind == place.kind &&
           g->place.of == place.of;
}

/* ---- points where all meet ---- */

/* Where lanes are that leave a block in which nobody waited: blocks that only
 * some of them run, from position `low` on, until all wait at one point. */
typedef struct {
    uint32_t low, high; /* positions; of the blocks */
    uint32_t meet;      /* ... of that point; UINT32_MAX: there is none */
    bool has_met, is_apart;
    uint32_t depth, *stack;
    bool *seen; /* [block_count] */
} walk;

static void
note_position(walk *w, uint32_t position)
{
    w->low = position < w->low ? position : w->low;
    w->high = position > w->high ? position : w->high;
}

static void
walk_block(const sw_jit_plan *plan, walk *w, uint32_t b)
{
    uint32_t head = plan->shapes->head[b];
    note_position(w, plan->cfg->sched[b]);
    if (head < plan->cfg->count)
        note_position(w, plan->cfg->sched[head]);
    w->is_apart |= plan->cfg->succ_at[b] == plan->cfg->succ_at[b + 1];
}

static void
walk_edge(const sw_jit_plan *plan, walk *w, uint32_t from, uint32_t to)
{
    if (plan->shapes->head[to] != SW_SHAPES_ROOT) {
        if (!w->seen[to])
            w->stack[w->depth++] = to;
        w->seen[to] = true;
        return;
    }
    uint32_t at = sw_cfg_position(plan->cfg, from, to);
    w->is_apart |= w->has_met && w->meet != at;
    w->has_met = true;
    w->meet = at;
}

/* From block x on, which all lanes run, along its edges `first` to `last`. */
static void
walk_from(const sw_jit_plan *plan, walk *w, uint32_t x, uint32_t first,
          uint32_t last)
{
    const sw_cfg *cfg = plan->cfg;
    memset(w->seen, 0, cfg->count * sizeof *w->seen);
    w->low = UINT32_MAX;
    w->high = w->depth = 0;
    w->has_met = w->is_apart = false;
    walk_block(plan, w, x);
    for (uint32_t i = first; i < last; i++)
        walk_edge(plan, w, x, cfg->succ[i]);
    while (w->depth) {
        uint32_t b = w->stack[--w->depth];
        walk_block(plan, w, b);
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
            walk_edge(plan, w, b, cfg->succ[i]);
    }
    if (w->is_apart || !w->has_met || w->meet < w->high)
        w->meet = UINT32_MAX;
}

/* Points that such a warp passes by are not where all meet. */
static void
pass_by(const sw_jit_plan *plan, const walk *w)
{
    for (size_t i = 0; i < plan->reconverge->point_count; i++) {
        point *g = &plan->reconverge->points[i];
        if (g->position > w->low && g->position < w->meet)
            g->is_certain = false;
    }
}

/* A warp goes from point to point, and passes by those where nobody waits.
 * Where it can be told that all do whenever it comes there, it need not ask. Of
 * what is one block then LLVM makes worse code with masks that are vectors of
 * bytes.
 */
static void
find_certain(const sw_jit_plan *plan)
{
    const sw_cfg *cfg = plan->cfg;
    walk w = {.stack = sw_alloc((cfg->count + 1) * sizeof *w.stack),
              .seen = sw_alloc((cfg->count + 1) * sizeof *w.seen)};
    bool has_masks = plan->machine.has_avx512 || plan->shapes->map.is_block;
    for (size_t i = 0; i < plan->reconverge->point_count; i++) {
        point *g = &plan->reconverge->points[i];
        g->is_certain =
            has_masks && !cfg->irreducible &&
            plan->shapes->head[block_behind(plan, g)] == SW_SHAPES_ROOT;
    }
    for (uint32_t n = 0; n < cfg->reachable; n++) {
        uint32_t b = cfg->order[n], end = cfg->succ_at[b + 1];
        if (plan->shapes->head[b] != SW_SHAPES_ROOT && !plan->has_twin[b])
            continue;
        uint32_t each = plan->shapes->diverges[b] ? end - cfg->succ_at[b] : 1;
        for (uint32_t i = cfg->succ_at[b]; i < end; i += each) {
            walk_from(plan, &w, b, i, i + each);
            if (plan->shapes->diverges[b] ||
                plan->shapes->head[cfg->succ[i]] != SW_SHAPES_ROOT)
                pass_by(plan, &w);
        }
    }
    sw_free(w.stack);
    sw_free(w.seen);
}

bool
sw_jit_all_meet(const sw_jit_plan *plan, sw_jit_place place)
{
    return point_of(plan, place)->is_certain;
}

/* ---- ways ---- */

/* A range at whose end a warp leaves a block, or its twin. */
typedef struct {
    uint32_t block, partition;
    bool is_twin;
} source;

typedef void visit_way(sw_jit_plan *plan, const source *from,
                       sw_jit_place place);

/* All that the terminator of a block, or of its twin, may make. */
static void
visit_ways_of(sw_jit_plan *plan, const source *from, visit_way *visit)
{
    const sw_cfg *cfg = plan->cfg;
    uint32_t b = from->block;
    for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
        visit(plan, from,
              sw_jit_place_of_edge(plan, b, from->is_twin, cfg->succ[i]));
    if (!sw_jit_is_converged(plan, b, from->is_twin) ||
        plan->shapes->diverges[b])
        visit(plan, from, sw_jit_next_after(plan, b));
}

static void
visit_ways(sw_jit_plan *plan, visit_way *visit)
{
    uint32_t count;
    const sw_jit_range *ranges = sw_jit_ranges(plan, &count);
    for (uint32_t i = 0; i < count; i++) {
        source from = {ranges[i].block, ranges[i].partition, false};
        if (ranges[i].end < plan->fn->blocks[from.block]->count)
            continue;
        visit_ways_of(plan, &from, visit);
        from.is_twin = true;
        if (plan->has_twin[from.block])
            visit_ways_of(plan, &from, visit);
    }
}

static void
unite(const sw_jit_plan *plan, uint64_t *set, const uint64_t *with)
{
    for (size_t i = 0; i < plan->live->words; i++)
        set[i] |= with[i];
}

static void
note_lives(sw_jit_plan *plan, const source *from, sw_jit_place place)
{
    const point *g = point_of(plan, place);
    size_t at = from->block * plan->live->words;
    if (!g)
        return;
    unite(plan, g->lives, plan->live->out + at);
    unite(plan, g->lives, plan->shapes->parked + at);
}

/* At a point lives what did where the warp comes from, if it is needed by lanes
 * that may wait there or further on. What is parked at the point's block is
 * less: the block runs only if somebody waits for it, a point is passed all the
 * same.
 */
static void
find_lives(sw_jit_plan *plan)
{
    sw_jit_points *r = plan->reconverge;
    size_t words = plan->live->words;
    uint64_t *needed = sw_alloc((words + 1) * sizeof *needed);
    r->lives = sw_alloc((r->point_count * words + 1) * sizeof *r->lives);
    for (size_t i = 0; i < r->point_count; i++)
        r->points[i].lives = r->lives + i * words;
    visit_ways(plan, note_lives);
    for (size_t i = 1; i < r->point_count; i++)
        unite(plan, r->points[i].lives, r->points[i - 1].lives);
    for (size_t i = r->point_count; i-- > 0;) {
        const point *g = &r->points[i];
        uint32_t b = block_behind(plan, g);
        unite(plan, needed, plan->live->in + b * words);
        unite(plan, needed, plan->shapes->parked + b * words);
        for (size_t k = 0; k < words; k++)
            g->lives[k] &= needed[k];
    }
    sw_free(needed);
}

static void
note_way(sw_jit_plan *plan, uint32_t partition, sw_jit_place place)
{
    const point *g = point_of(plan, place);
    sw_jit_note_way(plan, partition, place, g ? g->lives : NULL);
}

static void
note_way_from(sw_jit_plan *plan, const source *from, sw_jit_place place)
{
    note_way(plan, from->partition, place);
}

static void
note_ways(sw_jit_plan *plan)
{
    const sw_jit_points *r = plan->reconverge;
    uint32_t count;
    const sw_jit_range *ranges = sw_jit_ranges(plan, &count);
    for (uint32_t i = 0; i < count; i++)
        if (ranges[i].first)
            note_way(plan, ranges[i].partition - 1,
                     (sw_jit_place){SW_JIT_AT_MIDDLE, i});
    visit_ways(plan, note_way_from);
    for (size_t i = 0; i < r->point_count; i++) {
        const point *g = &r->points[i];
        uint32_t partition = sw_jit_partition_of(plan, g->place),
                 of = g->place.of;
        note_way(plan, partition, sw_jit_next_point(plan, g->position));
        if (g->place.kind == SW_JIT_AT_LATCH)
            note_way(
                plan, partition,
                (sw_jit_place){SW_JIT_AT_BODY, plan->cfg->loops[of].header});
    }
}

void
sw_jit_points_open(sw_jit_plan *plan)
{
    plan->reconverge = sw_alloc(sizeof *plan->reconverge);
    make_row(plan);
    find_certain(plan);
    if (sw_jit_partition_count(plan) > 1) {
        find_lives(plan);
        note_ways(plan);
    }
}

void
sw_jit_points_finish(sw_jit_plan *plan)
{
    sw_free(plan->reconverge->points);
    sw_free(plan->reconverge->lives);
    sw_free(plan->reconverge);
}
