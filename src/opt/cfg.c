/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfg.c - edges, reverse post-order, dominators; see cfg.h. Loops and the
 * executor's order are in loops.c.
 *
 * Dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
 * Algorithm"; the same code does post-dominators on the reversed graph.
 */
#include <string.h>

#include "opt/cfg.h"
#include "opt/cfg_private.h"

static uint32_t *
new_array(sw_arena *arena, size_t count)
{
    return sw_arena_alloc(arena, (count ? count : 1) * sizeof(uint32_t));
}

uint32_t *
sw_cfg_new_filled(sw_arena *arena, size_t count, uint32_t value)
{
    uint32_t *a = new_array(arena, count);
    for (size_t i = 0; i < count; i++)
        a[i] = value;
    return a;
}

static void
find_successors(sw_cfg *cfg, const sw_fn *fn, sw_arena *scratch)
{
    uint32_t n = cfg->count;
    size_t most = 0;
    for (uint32_t b = 0; b < n; b++)
        most += fn->blocks[b]->target_count;
    uint32_t *succ = new_array(cfg->arena, most);
    uint32_t *at = new_array(cfg->arena, (size_t)n + 1);
    uint32_t *seen = sw_cfg_new_filled(scratch, n, SW_CFG_NONE);
    uint32_t used = 0;
    for (uint32_t b = 0; b < n; b++) {
        const sw_block *block = fn->blocks[b];
        at[b] = used;
        for (uint32_t i = 0; i < block->target_count; i++) {
            uint32_t to = block->targets[i];
            SW_ASSERT(to < n);
            if (seen[to] != b)
                succ[used++] = to;
            seen[to] = b;
        }
    }
    at[n] = used;
    cfg->succ = succ;
    cfg->succ_at = at;
}

/* Numbers the nodes of a graph that `root` reaches in reverse post-order;
 * number[] is SW_CFG_NONE elsewhere before and after. Returns how many. */
static uint32_t
number_nodes(const sw_graph *g, uint32_t root, uint32_t *number,
             uint32_t *order, sw_arena *scratch)
{
    uint32_t *stack = new_array(scratch, g->count);
    uint32_t *next = new_array(scratch, g->count);
    uint32_t *done = new_array(scratch, g->count); /* in post-order */
    uint32_t depth = 0, found = 0;
    enum { OPEN = 0 };
    number[root] = OPEN;
    stack[depth++] = root;
    while (depth) {
        uint32_t node = stack[depth - 1];
        uint32_t i = g->succ_at[node] + next[node]++;
        if (i == g->succ_at[node + 1]) {
            done[found++] = node;
            depth--;
        } else if (number[g->succ[i]] == SW_CFG_NONE) {
            number[g->succ[i]] = OPEN;
            stack[depth++] = g->succ[i];
        }
    }
    for (uint32_t i = 0; i < found; i++) {
        order[i] = done[found - 1 - i];
        number[order[i]] = i;
    }
    return found;
}

static void
find_order(sw_cfg *cfg, sw_arena *scratch)
{
    uint32_t n = cfg->count;
    uint32_t *rpo = sw_cfg_new_filled(cfg->arena, n, SW_CFG_NONE);
    uint32_t *order = new_array(cfg->arena, n);
    const sw_graph g = {n, cfg->succ, cfg->succ_at};
    uint32_t found = number_nodes(&g, 0, rpo, order, scratch);
    cfg->reachable = found;
    for (uint32_t b = 0; b < n; b++)
        if (rpo[b] == SW_CFG_NONE) {
            rpo[b] = found;
            order[found++] = b;
        }
    cfg->rpo = rpo;
    cfg->order = order;
}

/* Edges the other way round; each node's list has the nodes in the reverse of
 * `order`, so that the dominator walk starts at the nearest. */
static sw_graph
reverse_graph(const sw_graph *g, const uint32_t *order, uint32_t ordered,
              sw_arena *arena)
{
    uint32_t n = g->count;
    uint32_t *at = new_array(arena, (size_t)n + 2);
    uint32_t *pred = new_array(arena, g->succ_at[n]);
    for (uint32_t i = 0; i < g->succ_at[n]; i++)
        at[g->succ[i] + 2]++;
    for (uint32_t i = 2; i <= n; i++)
        at[i] += at[i - 1];
    /* at[b + 1] is where the next entry of b goes, in the end its end */
    for (uint32_t k = ordered; k-- > 0;) {
        uint32_t b = order[k];
        for (uint32_t i = g->succ_at[b]; i < g->succ_at[b + 1]; i++)
            pred[at[g->succ[i] + 1]++] = b;
    }
    return (sw_graph){n, pred, at};
}

/* Nearest common ancestor, in numbers. */
static uint32_t
intersect(const uint32_t *up, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a > b)
            a = up[a];
        while (b > a)
            b = up[b];
    }
    return a;
}

/* up[i]: number of the immediate dominator of the node of number i; up[0] is
 * 0. `preds` are of nodes, number/order the reverse post-order. */
static void
find_dominators(const sw_graph *preds, const uint32_t *number,
                const uint32_t *order, uint32_t count, uint32_t *up)
{
    for (uint32_t i = 1; i < count; i++)
        up[i] = SW_CFG_NONE;
    up[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < count; i++) {
            uint32_t b = order[i], best = SW_CFG_NONE;
            for (uint32_t k = preds->succ_at[b]; k < preds->succ_at[b + 1];
                 k++) {
                uint32_t p = number[preds->succ[k]];
                if (p >= count || up[p] == SW_CFG_NONE)
                    continue;
                best = best == SW_CFG_NONE ? p : intersect(up, best, p);
            }
            changed |= up[i] != best;
            up[i] = best;
        }
    }
}

static void
find_idom(sw_cfg *cfg, sw_arena *scratch)
{
    uint32_t n = cfg->count;
    uint32_t *idom = sw_cfg_new_filled(cfg->arena, n, SW_CFG_NONE);
    uint32_t *up = new_array(scratch, cfg->reachable);
    const sw_graph preds = {n, cfg->pred, cfg->pred_at};
    find_dominators(&preds, cfg->rpo, cfg->order, cfg->reachable, up);
    for (uint32_t i = 1; i < cfg->reachable; i++)
        idom[cfg->order[i]] = cfg->order[up[i]];
    cfg->idom = idom;
}

/*
 * Marks the blocks with an edge to the virtual end: those without successors,
 * and of every endless loop the block that is last in reverse post-order.
 */
static void
find_leaves(const sw_cfg *cfg, bool *leaves, sw_arena *scratch)
{
    uint32_t n = cfg->count, used = 0;
    bool *seen = sw_arena_alloc(scratch, n);
    uint32_t *stack = new_array(scratch, n);
    for (uint32_t k = 2 * n; k-- > 0;) {
        uint32_t b = cfg->order[k % n];
        bool ends = cfg->succ_at[b] == cfg->succ_at[b + 1];
        if (seen[b] || (k >= n && !ends)) /* first round: real ends */
            continue;
        leaves[b] = seen[b] = true;
        stack[used++] = b;
        while (used) {
            b = stack[--used];
            for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++)
                if (!seen[cfg->pred[i]]) {
                    seen[cfg->pred[i]] = true;
                    stack[used++] = cfg->pred[i];
                }
        }
    }
}

static void
find_ipdom(sw_cfg *cfg, sw_arena *scratch)
{
    uint32_t n = cfg->count, end = n;
    bool *leaves = sw_arena_alloc(scratch, n);
    find_leaves(cfg, leaves, scratch);

    /* The reversed graph: node n is the end. */
    uint32_t *succ = new_array(scratch, (size_t)cfg->pred_at[n] + n);
    uint32_t *at = new_array(scratch, (size_t)n + 2);
    uint32_t used = 0;
    for (uint32_t b = 0; b < n; b++) {
        at[b] = used;
        for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++)
            succ[used++] = cfg->pred[i];
    }
    at[end] = used;
    for (uint32_t b = 0; b < n; b++)
        if (leaves[b])
            succ[used++] = b;
    at[end + 1] = used;

    const sw_graph reversed = {n + 1, succ, at};
    uint32_t *number = sw_cfg_new_filled(scratch, (size_t)n + 1, SW_CFG_NONE);
    uint32_t *order = new_array(scratch, (size_t)n + 1);
    uint32_t found = number_nodes(&reversed, end, number, order, scratch);
    sw_graph preds = reverse_graph(&reversed, order, found, scratch);
    uint32_t *up = new_array(scratch, found);
    find_dominators(&preds, number, order, found, up);

    uint32_t *ipdom = sw_cfg_new_filled(cfg->arena, n, SW_CFG_NONE);
    for (uint32_t i = 1; i < found; i++)
        if (order[up[i]] != end)
            ipdom[order[i]] = order[up[i]];
    cfg->ipdom = ipdom;
}

sw_cfg *
sw_cfg_create(const sw_fn *fn)
{
    SW_ASSERT(fn->block_count > 0);
    sw_arena *arena = sw_arena_create();
    sw_arena *scratch = sw_arena_create();
    sw_cfg *cfg = sw_arena_alloc(arena, sizeof *cfg);
    cfg->arena = arena;
    cfg->count = fn->block_count;
    find_successors(cfg, fn, scratch);
    find_order(cfg, scratch);
    const sw_graph g = {cfg->count, cfg->succ, cfg->succ_at};
    sw_graph preds = reverse_graph(&g, cfg->order, cfg->count, arena);
    cfg->pred = preds.succ;
    cfg->pred_at = preds.succ_at;
    find_idom(cfg, scratch);
    find_ipdom(cfg, scratch);
    sw_cfg_find_loops(cfg, scratch);
    sw_arena_destroy(scratch);
    return cfg;
}

void
sw_cfg_destroy(sw_cfg *cfg)
{
    if (cfg)
        sw_arena_destroy(cfg->arena);
}

bool
sw_cfg_is_in_loop(const sw_cfg *cfg, uint32_t loop, uint32_t block)
{
    const sw_loop *l = &cfg->loops[loop];
    return cfg->sched[block] >= l->first && cfg->sched[block] < l->latch;
}

bool
sw_cfg_is_back_edge(const sw_cfg *cfg, uint32_t from, uint32_t to)
{
    uint32_t loop = cfg->loop[to];
    return loop && cfg->loops[loop].header == to &&
           sw_cfg_is_in_loop(cfg, loop, from);
}

uint32_t
sw_cfg_position(const sw_cfg *cfg, uint32_t from, uint32_t to)
{
    return sw_cfg_is_back_edge(cfg, from, to) ? cfg->loops[cfg->loop[to]].latch
                                              : cfg->sched[to];
}

static bool
is_above(const uint32_t *up, uint32_t a, uint32_t b)
{
    while (b != a && b != SW_CFG_NONE)
        b = up[b];
    return b == a;
}

bool
sw_cfg_dominates(const sw_cfg *cfg, uint32_t a, uint32_t b)
{
    return is_above(cfg->idom, a, b);
}

bool
sw_cfg_post_dominates(const sw_cfg *cfg, uint32_t a, uint32_t b)
{
    return is_above(cfg->ipdom, a, b);
}
