/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divergence.c - divergence analysis: where the lanes of a warp diverge and
 * reconverge; see shape.h. A branch on a varying predicate makes all blocks
 * divergent that can be reached from it before its immediate post-dominator.
 *
 * Coutinho, Sampaio, Pereira and Meira, "Divergence Analysis and Optimizations"
 * (PACT 2011), find divergent variables so; Karrenberg and Hack,
 * "Whole-Function Vectorization" (CGO 2011), the blocks that need masks. Affine
 * values are those of Sampaio, Martins, Collange and Pereira, "Divergence
 * Analysis" (TOPLAS 35(4), 2013).
 */
#include <string.h>

#include "opt/shape_private.h"

static bool
terminator_parts(sw_shapes *s, uint32_t b)
{
    const sw_block *block = s->fn->blocks[b];
    const sw_ins *last = block->ins[block->count - 1];
    if (last->op == SW_OP_BRA)
        return last->guard && block->target_count > 1 &&
               block->targets[0] != block->targets[1] &&
               s->regs[last->guard].kind == SW_SHAPE_VARYING;
    if (last->op == SW_OP_BRX)
        return sw_shapes_source(s, last, 0).kind > SW_SHAPE_UNIFORM;
    return false;
}

static bool
is_inside(const sw_cfg *cfg, uint32_t block, uint32_t loop)
{
    for (uint32_t l = cfg->loop[block]; l; l = cfg->loops[l].parent)
        if (l == loop)
            return true;
    return loop == 0;
}

/* The loop of a back edge by which lanes come to wait, while others run on at
 * the branch's post-dominator, which is inside of it; or 0. */
static uint32_t
loop_around_meeting(const sw_cfg *cfg, uint32_t from, uint32_t b, uint32_t to)
{
    uint32_t meet = cfg->ipdom[from];
    for (uint32_t l = cfg->loop[b]; l && meet < cfg->count;
         l = cfg->loops[l].parent)
        if (cfg->loops[l].header == to)
            return is_inside(cfg, meet, l) ? l : 0;
    return 0;
}

/* Blocks between a parting branch and its post-dominator. Where lanes may have
 * gone around a loop that holds both, they do not meet there: all of the loop
 * is divergent. */
static void
spread(sw_shapes *s, uint32_t from, uint32_t *stack, bool *seen)
{
    const sw_cfg *cfg = s->cfg;
    size_t depth = 0;
    uint32_t around = 0;
    memset(seen, 0, cfg->count);
    stack[depth++] = from;
    while (depth) {
        uint32_t b = stack[--depth];
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++) {
            uint32_t to = cfg->succ[i];
            uint32_t l = loop_around_meeting(cfg, from, b, to);
            if (l && (!around || is_inside(cfg, cfg->loops[around].header, l)))
                around = l;
            if (to == cfg->ipdom[from] || seen[to])
                continue;
            seen[to] = true;
            s->is_divergent[to] = true;
            stack[depth++] = to;
        }
    }
    for (uint32_t b = 0; around && b < cfg->count; b++)
        if (is_inside(cfg, b, around))
            s->is_divergent[b] = true;
}

/* ---- who leads ---- */

#define NOT_YET (UINT32_MAX - 1)

static uint32_t
head_by_predecessors(const sw_shapes *s, uint32_t b)
{
    const sw_cfg *cfg = s->cfg;
    uint32_t all = NOT_YET;
    for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++) {
        uint32_t p = cfg->pred[i], one = s->head[p];
        if (cfg->rpo[p] >= cfg->reachable)
            continue;
        if (s->diverges[p] || one == SW_SHAPES_ROOT)
            return b;
        if (one == NOT_YET)
            continue;
        if (all != NOT_YET && all != one)
            return b;
        all = one;
    }
    return all;
}

static void
find_heads(sw_shapes *s)
{
    const sw_cfg *cfg = s->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        s->head[b] = cfg->irreducible     ? b
                     : s->is_divergent[b] ? NOT_YET
                                          : SW_SHAPES_ROOT;
    bool changed = !cfg->irreducible;
    while (changed) {
        changed = false;
        for (uint32_t n = 0; n < cfg->reachable; n++) {
            uint32_t b = cfg->order[n];
            if (s->head[b] == SW_SHAPES_ROOT || s->head[b] == b)
                continue;
            uint32_t l = head_by_predecessors(s, b);
            if (l != s->head[b]) {
                s->head[b] = l;
                changed = true;
            }
        }
    }
}

/* ---- who goes together ---- */

/* All lanes that leave block d for b, which d dominates, come to b before they
 * are anywhere else: all ways lead there, and none around a loop that holds
 * both. */
static bool
meet_at(const sw_shapes *s, uint32_t d, uint32_t b, uint32_t *stack, bool *seen)
{
    const sw_cfg *cfg = s->cfg;
    uint32_t x = cfg->ipdom[d];
    size_t depth = 0;
    while (x != b && x < cfg->count)
        x = cfg->ipdom[x];
    if (x != b)
        return false;
    memset(seen, 0, cfg->count);
    stack[depth++] = d;
    while (depth) {
        uint32_t from = stack[--depth];
        for (uint32_t i = cfg->succ_at[from]; i < cfg->succ_at[from + 1]; i++) {
            uint32_t to = cfg->succ[i];
            if (to == b || seen[to])
                continue;
            if (to == d || !sw_cfg_dominates(cfg, d, to))
                return false;
            seen[to] = true;
            stack[depth++] = to;
        }
    }
    return true;
}

static bool
is_header(const sw_cfg *cfg, uint32_t b)
{
    for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++)
        if (sw_cfg_dominates(cfg, b, cfg->pred[i]))
            return true;
    return false;
}

/* Where lanes that have parted may be together again: NOT_YET if they are not.
 */
static uint32_t
parting_of(const sw_shapes *s, uint32_t b, uint32_t *stack, bool *seen)
{
    const sw_cfg *cfg = s->cfg;
    uint32_t d = cfg->idom[b];
    return d < cfg->count && d != b && !is_header(cfg, b) &&
                   meet_at(s, d, b, stack, seen)
               ? d
               : NOT_YET;
}

static uint32_t
party_by_predecessors(const sw_shapes *s, const uint32_t *party,
                      const uint32_t *parting, uint32_t b)
{
    const sw_cfg *cfg = s->cfg;
    uint32_t all = NOT_YET;
    for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++) {
        uint32_t p = cfg->pred[i], one = party[p];
        if (cfg->rpo[p] >= cfg->reachable ||
            (one == NOT_YET && !s->diverges[p]))
            continue;
        if (s->diverges[p] || (all != NOT_YET && all != one))
            return parting[b] < cfg->count ? party[parting[b]] : b;
        all = one;
    }
    return all;
}

/* party[b]: blocks of one party are run by the same lanes, all of them, whether
 * others wait elsewhere or not. */
static void
find_parties(const sw_shapes *s, uint32_t *party, uint32_t *stack, bool *seen)
{
    const sw_cfg *cfg = s->cfg;
    uint32_t *parting = sw_alloc(cfg->count * sizeof *parting);
    bool changed = !cfg->irreducible;
    for (uint32_t b = 0; b < cfg->count; b++) {
        party[b] = cfg->irreducible ? b : NOT_YET;
        parting[b] = parting_of(s, b, stack, seen);
    }
    for (uint32_t rounds = 0; changed; rounds++) {
        changed = false;
        for (uint32_t n = 0; n < cfg->reachable; n++) {
            uint32_t b = cfg->order[n];
            uint32_t now = n == 0 || rounds > cfg->count
                               ? b
                               : party_by_predecessors(s, party, parting, b);
            if (party[b] == now || party[b] == b)
                continue;
            party[b] = now;
            changed = true;
        }
    }
    sw_free(parting);
}

/* ---- who is parked where ---- */

/* Lanes that go from `from` to `to` wait there while blocks of these
 * positions run: [first, end). A block that is led runs right after its
 * head, wherever its own position is. True: they have left a loop, all of
 * which may run again meanwhile. */
static bool
parking_range(const sw_shapes *s, uint32_t from, uint32_t to, uint32_t *first,
              uint32_t *end)
{
    const sw_cfg *cfg = s->cfg;
    uint32_t head = s->head[from];
    *first = cfg->sched[from] + 1;
    if (head < cfg->count && cfg->sched[head] < cfg->sched[from])
        *first = cfg->sched[head] + 1;
    *end = sw_cfg_position(cfg, from, to);
    bool leaves = false;
    for (uint32_t l = cfg->loop[from]; l; l = cfg->loops[l].parent) {
        if (is_inside(cfg, to, l))
            continue;
        leaves = true;
        if (cfg->loops[l].first < *first)
            *first = cfg->loops[l].first;
    }
    return leaves;
}

static void
park(sw_shapes *s, uint32_t from, uint32_t to, const uint32_t *at,
     const uint32_t *party)
{
    const sw_liveness *live = s->live;
    uint32_t first, end;
    if (s->head[to] != SW_SHAPES_ROOT && s->head[to] != to)
        return; /* they go on at once, and nobody is left behind */
    bool leaves = parking_range(s, from, to, &first, &end);
    bool all_go = !s->diverges[from] && party[to] == party[from];
    const uint64_t *in = live->in + to * live->words;
    for (uint32_t p = first; p < end && p < s->cfg->position_count; p++) {
        uint32_t b = at[p];
        if (b == SW_CFG_NONE || !s->is_divergent[b])
            continue;
        if (!leaves && s->head[b] == s->head[from])
            continue; /* was run by the same lanes, before they came there */
        if (all_go && party[b] == party[from])
            continue; /* they run it, but are not there */
        uint64_t *set = s->parked + b * live->words;
        for (size_t w = 0; w < live->words; w++)
            set[w] |= in[w];
    }
}

/* Who waits while a head runs still waits in the blocks it leads. */
static void
park_beside_led(sw_shapes *s)
{
    const sw_cfg *cfg = s->cfg;
    size_t words = s->live->words;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t n = 0; n < cfg->reachable; n++) {
            uint32_t b = cfg->order[n];
            if (s->head[b] >= cfg->count || s->head[b] == b)
                continue;
            for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++)
                for (size_t w = 0; w < words; w++) {
                    uint64_t set = s->parked[cfg->pred[i] * words + w];
                    uint64_t *own = &s->parked[b * words + w];
                    changed |= (set & ~*own) != 0;
                    *own |= set;
                }
        }
    }
}

bool
sw_shapes_find_divergence(sw_shapes *s)
{
    const sw_cfg *cfg = s->cfg;
    bool changed = false;
    uint32_t *stack = sw_alloc(cfg->count * sizeof *stack);
    bool *seen = sw_alloc(cfg->count);
    for (uint32_t n = 0; n < cfg->reachable; n++) {
        uint32_t b = cfg->order[n];
        if (s->diverges[b] || !terminator_parts(s, b))
            continue;
        s->diverges[b] = true;
        changed = true;
        spread(s, b, stack, seen);
    }
    find_heads(s);
    if (changed) {
        uint32_t *at = sw_alloc(cfg->position_count * sizeof *at);
        uint32_t *party = sw_alloc(cfg->count * sizeof *party);
        find_parties(s, party, stack, seen);
        memset(at, 0xff, cfg->position_count * sizeof *at);
        for (uint32_t b = 0; b < cfg->count; b++)
            at[cfg->sched[b]] = b;
        for (uint32_t b = 0; b < cfg->count; b++)
            for (uint32_t i = cfg->succ_at[b];
                 (s->diverges[b] || s->is_divergent[b]) &&
                 i < cfg->succ_at[b + 1];
                 i++)
                park(s, b, cfg->succ[i], at, party);
        park_beside_led(s);
        sw_free(party);
        sw_free(at);
    }
    sw_free(seen);
    sw_free(stack);
    return changed;
}

void
sw_shapes_give_up(sw_shapes *s)
{
    const sw_liveness *live = s->live;
    for (uint32_t b = 0; b < s->cfg->count; b++) {
        s->is_divergent[b] = true;
        s->head[b] = b;
        for (uint32_t k = 0; k < s->cfg->count; k++)
            for (size_t w = 0; w < live->words; w++)
                s->parked[b * live->words + w] |= live->in[k * live->words + w];
    }
}
