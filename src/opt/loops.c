/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loops.c - the loop nest of a control-flow graph and the executor's order
 * that follows from it; see cfg.h.
 *
 * Loops: Havlak, "Nesting of Reducible and Irreducible Loops". The order: the
 * blocks of a loop and the loops right inside it, each of those taken as one
 * node, are a graph without cycles but for the edges to the header; sort it,
 * then put the inner loops' orders in place of their nodes.
 */
#include "opt/cfg_private.h"

/* A depth-first tree over the reachable blocks. All but node are by number. */
typedef struct {
    uint32_t *number; /* by block: preorder; SW_CFG_NONE: unreachable */
    uint32_t *node;   /* the block of a number */
    uint32_t *last;   /* the greatest number in the subtree */
} tree;

static tree
build_tree(const sw_cfg *cfg, sw_arena *scratch)
{
    uint32_t n = cfg->count, depth = 0, found = 0;
    tree t = {sw_cfg_new_filled(scratch, n, SW_CFG_NONE),
              sw_cfg_new_filled(scratch, n, 0),
              sw_cfg_new_filled(scratch, n, 0)};
    uint32_t *stack = sw_cfg_new_filled(scratch, n, 0);
    uint32_t *next = sw_cfg_new_filled(scratch, n, 0);
    t.number[0] = found++;
    stack[depth++] = 0;
    while (depth) {
        uint32_t b = stack[depth - 1];
        uint32_t i = cfg->succ_at[b] + next[b]++;
        if (i == cfg->succ_at[b + 1]) {
            t.last[t.number[b]] = found - 1;
            depth--;
        } else if (t.number[cfg->succ[i]] == SW_CFG_NONE) {
            b = cfg->succ[i];
            t.node[found] = b;
            t.number[b] = found++;
            stack[depth++] = b;
        }
    }
    return t;
}

static bool
is_ancestor(const tree *t, uint32_t a, uint32_t b)
{
    return a <= b && b <= t->last[a];
}

static uint32_t
find_root(uint32_t *root, uint32_t x)
{
    uint32_t top = x;
    while (root[top] != top)
        top = root[top];
    while (root[x] != top) {
        uint32_t up = root[x];
        root[x] = top;
        x = up;
    }
    return top;
}

/* An entry of an irreducible loop beside its header, for the loops around. */
typedef struct extra {
    uint32_t from;
    struct extra *next;
} extra;

typedef struct {
    const sw_cfg *cfg;
    tree t;
    uint32_t *root;   /* by number: union-find, the outermost header so far */
    uint32_t *header; /* by number: of the loop right around; NONE */
    uint32_t *mark;   /* by number: the header whose body it was put into */
    bool *is_header, *is_irreducible;
    extra **extras; /* by number */
    uint32_t *body; /* of the loop at hand */
    uint32_t body_count;
    sw_arena *scratch;
} nest;

static void
add_to_body(nest *s, uint32_t w, uint32_t y)
{
    y = find_root(s->root, y);
    if (y != w && s->mark[y] != w) {
        s->mark[y] = w;
        s->body[s->body_count++] = y;
    }
}

/* y -> x is an edge that is not one back to x; x is in the loop of w. */
static void
add_entry(nest *s, uint32_t w, uint32_t y)
{
    y = find_root(s->root, y);
    if (is_ancestor(&s->t, w, y)) {
        add_to_body(s, w, y);
        return;
    }
    s->is_irreducible[w] = true;
    extra *e = sw_arena_alloc(s->scratch, sizeof *e);
    *e = (extra){y, s->extras[w]};
    s->extras[w] = e;
}

static void
find_body(nest *s, uint32_t w)
{
    const sw_cfg *cfg = s->cfg;
    uint32_t b = s->t.node[w];
    s->body_count = 0;
    for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++) {
        uint32_t v = s->t.number[cfg->pred[i]];
        if (v == SW_CFG_NONE || !is_ancestor(&s->t, w, v))
            continue;
        s->is_header[w] = true;
        add_to_body(s, w, v);
    }
    for (uint32_t k = 0; k < s->body_count; k++) {
        uint32_t x = s->body[k];
        b = s->t.node[x];
        for (uint32_t i = cfg->pred_at[b]; i < cfg->pred_at[b + 1]; i++) {
            uint32_t y = s->t.number[cfg->pred[i]];
            if (y != SW_CFG_NONE && !is_ancestor(&s->t, x, y))
                add_entry(s, w, y);
        }
        for (const extra *e = s->extras[x]; e; e = e->next)
            add_entry(s, w, e->from);
    }
    for (uint32_t k = 0; k < s->body_count; k++) {
        s->root[s->body[k]] = w;
        s->header[s->body[k]] = w;
    }
}

static void
find_nest(sw_cfg *cfg, nest *s)
{
    uint32_t n = cfg->count;
    for (uint32_t w = cfg->reachable; w-- > 0;)
        find_body(s, w);

    /* Headers in preorder: an outer one has the smaller number. */
    uint32_t *loop = sw_cfg_new_filled(cfg->arena, n, 0);
    uint32_t count = 1;
    for (uint32_t w = 0; w < cfg->reachable; w++)
        count += s->is_header[w];
    sw_loop *loops = sw_arena_alloc(cfg->arena, count * sizeof *loops);
    count = 1;
    for (uint32_t w = 0; w < cfg->reachable; w++) {
        uint32_t outer =
            s->header[w] == SW_CFG_NONE ? 0 : loop[s->t.node[s->header[w]]];
        loop[s->t.node[w]] = outer;
        if (!s->is_header[w])
            continue;
        loops[count] = (sw_loop){.header = s->t.node[w],
                                 .parent = outer,
                                 .depth = loops[outer].depth + 1,
                                 .irreducible = s->is_irreducible[w]};
        cfg->irreducible |= s->is_irreducible[w];
        loop[s->t.node[w]] = count++;
    }
    cfg->loop = loop;
    cfg->loops = loops;
    cfg->loop_count = count;
}

/*
 * The graphs to sort, all in one. Nodes: block b is b, loop l is count + l;
 * count + 0 is the function. Every edge of the control-flow graph becomes one
 * between two nodes of the same parent.
 */
typedef struct {
    const sw_cfg *cfg;
    uint32_t *succ, *succ_at;
    uint32_t *first, *next; /* sorted children of a node */
} forest;

static uint32_t
parent_of(const sw_cfg *cfg, uint32_t node)
{
    return cfg->count + (node < cfg->count
                             ? cfg->loop[node]
                             : cfg->loops[node - cfg->count].parent);
}

static uint32_t
depth_of(const sw_cfg *cfg, uint32_t node)
{
    return node < cfg->count ? cfg->loops[cfg->loop[node]].depth + 1
                             : cfg->loops[node - cfg->count].depth;
}

/* Lifts both ends of an edge to siblings. */
static void
lift_edge(const sw_cfg *cfg, uint32_t *from, uint32_t *to)
{
    uint32_t a = *from, b = *to;
    while (depth_of(cfg, a) > depth_of(cfg, b))
        a = parent_of(cfg, a);
    while (depth_of(cfg, b) > depth_of(cfg, a))
        b = parent_of(cfg, b);
    while (parent_of(cfg, a) != parent_of(cfg, b)) {
        a = parent_of(cfg, a);
        b = parent_of(cfg, b);
    }
    *from = a;
    *to = b;
}

static void
build_forest(forest *f, sw_arena *scratch)
{
    const sw_cfg *cfg = f->cfg;
    uint32_t n = cfg->count, nodes = n + cfg->loop_count;
    uint32_t edges = cfg->succ_at[n];
    uint32_t *from = sw_cfg_new_filled(scratch, edges, 0);
    uint32_t *to = sw_cfg_new_filled(scratch, edges, 0);
    f->succ = sw_cfg_new_filled(scratch, edges, 0);
    f->succ_at = sw_cfg_new_filled(scratch, (size_t)nodes + 2, 0);
    f->first = sw_cfg_new_filled(scratch, nodes, SW_CFG_NONE);
    f->next = sw_cfg_new_filled(scratch, nodes, SW_CFG_NONE);
    uint32_t used = 0;
    for (uint32_t k = 0; k < cfg->reachable; k++) {
        uint32_t b = cfg->order[k];
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++) {
            from[used] = b;
            to[used] = cfg->succ[i];
            lift_edge(cfg, &from[used], &to[used]);
            f->succ_at[from[used++] + 2]++;
        }
    }
    for (uint32_t i = 2; i <= nodes; i++)
        f->succ_at[i] += f->succ_at[i - 1];
    for (uint32_t e = 0; e < used; e++)
        f->succ[f->succ_at[from[e] + 1]++] = to[e];
}

/* Sorts the children of one parent: depth first from its entry, each child
 * put before those that were finished earlier. */
static void
sort_children(forest *f, uint32_t entry, uint32_t *stack, uint32_t *visits)
{
    uint32_t parent = parent_of(f->cfg, entry), depth = 0;
    visits[entry] = 1;
    stack[depth++] = entry;
    while (depth) {
        uint32_t x = stack[depth - 1];
        uint32_t i = f->succ_at[x] + visits[x] - 1;
        visits[x]++;
        if (i == f->succ_at[x + 1]) {
            f->next[x] = f->first[parent];
            f->first[parent] = x;
            depth--;
        } else if (!visits[f->succ[i]]) {
            visits[f->succ[i]] = 1;
            stack[depth++] = f->succ[i];
        }
    }
}

static void
number_forest(sw_cfg *cfg, const forest *f, sw_loop *loops)
{
    uint32_t n = cfg->count, position = 0;
    uint32_t *sched = sw_cfg_new_filled(cfg->arena, n, 0);
    uint32_t node = f->first[n];
    while (node != n) {
        if (node < n) {
            sched[node] = position++;
        } else {
            loops[node - n].first = position;
            node = f->first[node];
            continue;
        }
        while (node != n && f->next[node] == SW_CFG_NONE) {
            node = parent_of(cfg, node);
            if (node != n)
                loops[node - n].latch = position++;
        }
        if (node != n)
            node = f->next[node];
    }
    for (uint32_t k = cfg->reachable; k < n; k++)
        sched[cfg->order[k]] = position++;
    cfg->sched = sched;
    cfg->position_count = position;
}

void
sw_cfg_find_loops(sw_cfg *cfg, sw_arena *scratch)
{
    uint32_t n = cfg->count;
    nest s = {.cfg = cfg,
              .t = build_tree(cfg, scratch),
              .root = sw_cfg_new_filled(scratch, n, 0),
              .header = sw_cfg_new_filled(scratch, n, SW_CFG_NONE),
              .mark = sw_cfg_new_filled(scratch, n, SW_CFG_NONE),
              .is_header = sw_arena_alloc(scratch, n),
              .is_irreducible = sw_arena_alloc(scratch, n),
              .extras = sw_arena_alloc(scratch, n * sizeof(extra *)),
              .body = sw_cfg_new_filled(scratch, n, 0),
              .scratch = scratch};
    for (uint32_t i = 0; i < n; i++)
        s.root[i] = i;
    find_nest(cfg, &s);

    forest f = {.cfg = cfg};
    build_forest(&f, scratch);
    uint32_t nodes = n + cfg->loop_count;
    uint32_t *stack = sw_cfg_new_filled(scratch, nodes, 0);
    uint32_t *visits = sw_cfg_new_filled(scratch, nodes, 0);
    uint32_t entry = 0;
    while (parent_of(cfg, entry) != n) /* block 0 may head loops */
        entry = parent_of(cfg, entry);
    sort_children(&f, entry, stack, visits);
    for (uint32_t l = 1; l < cfg->loop_count; l++)
        sort_children(&f, cfg->loops[l].header, stack, visits);
    number_forest(cfg, &f, (sw_loop *)cfg->loops);
}
