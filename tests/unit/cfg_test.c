/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfg_test.c - orders, dominators and loops of hand-made and random graphs,
 * against definitions written the slow way; and that lanes run by smallest
 * position meet where a reconvergence stack would make them meet.
 */
#include <time.h>

#include "check.h"
#include "ir/build.h"
#include "opt/cfg.h"

enum { MAX_BLOCKS = 64 };

typedef struct {
    sw_module *module;
    sw_build b;
    sw_cfg *cfg;
} graph;

/* "1 2;3;3;" : targets of each block in turn. */
static void
make(graph *g, const char *text)
{
    g->module = sw_module_create("test");
    sw_build_begin(&g->b, sw_build_fn(g->module, "f", true));
    uint32_t targets[MAX_BLOCKS], n = 0;
    bool open = false;
    sw_build_block(&g->b, NULL);
    for (const char *p = text; *p; p++) {
        if (*p >= '0' && *p <= '9') {
            targets[n] = (open ? targets[n] * 10 : 0) + (uint32_t)(*p - '0');
            open = true;
            continue;
        }
        n += open;
        open = false;
        if (*p == ';') {
            sw_build_targets(&g->b, n, targets);
            sw_build_ins(&g->b, n == 0 ? SW_OP_RET : SW_OP_BRA, SW_T_NONE, 0,
                         0);
            n = 0;
            if (p[1])
                sw_build_block(&g->b, NULL);
        }
    }
    g->cfg = sw_cfg_create(g->b.fn);
}

static void
finish(graph *g)
{
    sw_cfg_destroy(g->cfg);
    sw_module_destroy(g->module);
}

/* Which blocks can be reached from `from` without entering `without`. */
static void
reach(const sw_cfg *cfg, uint32_t from, uint32_t without, bool *seen)
{
    memset(seen, 0, cfg->count);
    if (from == without)
        return;
    uint32_t stack[MAX_BLOCKS], n = 0;
    stack[n++] = from;
    seen[from] = true;
    while (n) {
        uint32_t b = stack[--n];
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++)
            if (cfg->succ[i] != without && !seen[cfg->succ[i]]) {
                seen[cfg->succ[i]] = true;
                stack[n++] = cfg->succ[i];
            }
    }
}

/* Some path from `from` avoids `without` to the end. */
static bool
ends(const sw_cfg *cfg, uint32_t from, uint32_t without)
{
    bool seen[MAX_BLOCKS];
    reach(cfg, from, without, seen);
    for (uint32_t b = 0; b < cfg->count; b++)
        if (seen[b] && cfg->succ_at[b] == cfg->succ_at[b + 1])
            return true;
    return false;
}

/* No path from `from` leads into an endless loop. */
static bool
always_ends(const sw_cfg *cfg, uint32_t from)
{
    bool seen[MAX_BLOCKS];
    reach(cfg, from, SW_CFG_NONE, seen);
    for (uint32_t b = 0; b < cfg->count; b++)
        if (seen[b] && !ends(cfg, b, SW_CFG_NONE))
            return false;
    return true;
}

/* Everything that must hold of any graph, by the definitions. */
static void
check_graph(const sw_cfg *cfg)
{
    uint32_t n = cfg->count;
    bool seen[MAX_BLOCKS], without[MAX_BLOCKS];
    bool used[2 * MAX_BLOCKS] = {0};
    reach(cfg, 0, SW_CFG_NONE, seen);
    for (uint32_t b = 0; b < n; b++) {
        CHECK_EQ(cfg->order[cfg->rpo[b]], b);
        CHECK_EQ(seen[b], cfg->rpo[b] < cfg->reachable);
        CHECK(cfg->sched[b] < cfg->position_count && !used[cfg->sched[b]]);
        used[cfg->sched[b]] = true;
    }
    for (uint32_t l = 1; l < cfg->loop_count; l++) {
        CHECK(cfg->loops[l].parent < l && !used[cfg->loops[l].latch]);
        used[cfg->loops[l].latch] = true;
        CHECK_EQ(cfg->sched[cfg->loops[l].header], cfg->loops[l].first);
        CHECK_EQ(cfg->loop[cfg->loops[l].header], l);
    }
    CHECK_EQ(cfg->position_count, n + cfg->loop_count - 1);
    for (uint32_t a = 0; a < n; a++) {
        reach(cfg, 0, a, without);
        for (uint32_t b = 0; b < n; b++) {
            if (seen[a] && seen[b])
                CHECK_EQ(sw_cfg_dominates(cfg, a, b), a == b || !without[b]);
            if (always_ends(cfg, b))
                CHECK_EQ(sw_cfg_post_dominates(cfg, a, b),
                         a == b || !ends(cfg, b, a));
        }
        /* Membership: a loop's blocks fill its range of positions. */
        for (uint32_t l = 1; seen[a] && l < cfg->loop_count; l++) {
            uint32_t m = cfg->loop[a];
            while (m && m != l)
                m = cfg->loops[m].parent;
            CHECK_EQ(m == l, cfg->sched[a] >= cfg->loops[l].first &&
                                 cfg->sched[a] < cfg->loops[l].latch);
        }
        for (uint32_t i = cfg->succ_at[a]; seen[a] && i < cfg->succ_at[a + 1];
             i++) {
            uint32_t to = cfg->succ[i];
            if (!cfg->irreducible) {
                CHECK(sw_cfg_position(cfg, a, to) > cfg->sched[a]);
                CHECK_EQ(sw_cfg_is_back_edge(cfg, a, to),
                         sw_cfg_dominates(cfg, to, a));
            }
        }
    }
}

/* ---- executors that only count how often they issue a block ---- */

enum { LANES = 8, LIMIT = 4000, MAX_PARTED = 512 };

/* Which way lane goes when it leaves block b for the k-th time. */
static uint32_t
choose(const sw_cfg *cfg, uint32_t seed, uint32_t b, uint32_t lane, uint32_t k)
{
    const uint32_t key[4] = {seed, b, lane, k};
    uint32_t ways = cfg->succ_at[b + 1] - cfg->succ_at[b];
    return cfg
        ->succ[cfg->succ_at[b] + sw_hash_bytes(key, sizeof key, 1) % ways];
}

/* Lanes that parted and have not met again. */
typedef struct {
    uint32_t join, lanes;
} parted;

/* Smallest position first. issues[b]: how often block b ran. Checks that
 * lanes that parted run the immediate post-dominator together, next time any
 * of them does. */
static uint32_t
run_by_position(const sw_cfg *cfg, uint32_t seed, uint32_t *issues)
{
    uint32_t at[LANES], position[LANES], steps = 0, parted_count = 0;
    uint32_t visits[MAX_BLOCKS][LANES] = {{0}};
    static parted open[MAX_PARTED];
    for (uint32_t l = 0; l < LANES; l++) {
        at[l] = 0;
        position[l] = cfg->sched[0];
    }
    for (; steps < LIMIT; steps++) {
        uint32_t least = SW_CFG_NONE, lanes = 0, ways = 0, first = 0;
        for (uint32_t l = 0; l < LANES; l++)
            if (position[l] < least)
                least = position[l];
        if (least == SW_CFG_NONE)
            break;
        for (uint32_t l = 0; l < LANES; l++)
            if (position[l] == least) {
                first = at[l];
                lanes |= 1u << l;
            }
        issues[first]++;
        for (uint32_t i = 0; i < parted_count; i++)
            if (open[i].join == first && (open[i].lanes & lanes)) {
                CHECK_EQ(open[i].lanes & ~lanes, 0);
                open[i--] = open[--parted_count];
            }
        uint32_t b = first, to = SW_CFG_NONE;
        for (uint32_t l = 0; l < LANES; l++) {
            if (!(lanes >> l & 1))
                continue;
            if (cfg->succ_at[b] == cfg->succ_at[b + 1]) {
                position[l] = SW_CFG_NONE;
                continue;
            }
            at[l] = choose(cfg, seed, b, l, visits[b][l]++);
            position[l] = sw_cfg_position(cfg, b, at[l]);
            ways += at[l] != to;
            to = at[l];
        }
        if (ways > 1 && cfg->ipdom[b] != SW_CFG_NONE &&
            parted_count < MAX_PARTED)
            open[parted_count++] = (parted){cfg->ipdom[b], lanes};
    }
    return steps;
}

/* A stack of (block, where to pop, lanes): the way of devices before Volta. */
static uint32_t
run_by_stack(const sw_cfg *cfg, uint32_t seed, uint32_t *issues)
{
    struct {
        uint32_t block, join, lanes;
    } stack[256];
    uint32_t top = 0, steps = 0, ended = 0;
    uint32_t visits[MAX_BLOCKS][LANES] = {{0}};
    stack[top].block = 0;
    stack[top].join = SW_CFG_NONE;
    stack[top++].lanes = (1u << LANES) - 1;
    while (top && steps < LIMIT) {
        uint32_t b = stack[top - 1].block;
        uint32_t lanes = stack[top - 1].lanes & ~ended;
        if (!lanes || b == stack[top - 1].join) {
            top--;
            continue;
        }
        steps++;
        issues[b]++;
        if (cfg->succ_at[b] == cfg->succ_at[b + 1]) {
            ended |= lanes;
            top--;
            continue;
        }
        uint32_t to[LANES], first = SW_CFG_NONE, join = cfg->ipdom[b];
        bool same = true;
        for (uint32_t l = 0; l < LANES; l++) {
            if (!(lanes >> l & 1))
                continue;
            to[l] = choose(cfg, seed, b, l, visits[b][l]++);
            same &= first == SW_CFG_NONE || first == to[l];
            first = to[l];
        }
        if (same) {
            stack[top - 1].block = first;
            continue;
        }
        if (join == SW_CFG_NONE)
            top--;
        else
            stack[top - 1].block = join;
        for (uint32_t i = cfg->succ_at[b]; i < cfg->succ_at[b + 1]; i++) {
            uint32_t part = 0;
            for (uint32_t l = 0; l < LANES; l++)
                if ((lanes >> l & 1) && to[l] == cfg->succ[i])
                    part |= 1u << l;
            stack[top].block = cfg->succ[i];
            stack[top].join = join;
            stack[top++].lanes = part;
        }
    }
    return steps;
}

/* Lanes meet as they must; `alike`: every block is issued as often as with
 * the stack (which meets later where code returns or breaks early). */
static void
check_reconvergence(const sw_cfg *cfg, bool alike)
{
    for (uint32_t seed = 0; seed < 30; seed++) {
        uint32_t by_position[MAX_BLOCKS] = {0}, by_stack[MAX_BLOCKS] = {0};
        if (run_by_position(cfg, seed, by_position) == LIMIT || !alike)
            continue; /* some lane goes round for too long */
        run_by_stack(cfg, seed, by_stack);
        for (uint32_t b = 0; b < cfg->count; b++)
            CHECK_EQ(by_position[b], by_stack[b]);
    }
}

CASE(if_else_chain)
{
    graph g;
    /* if (a) 1 else if (b) 3 else 4; 5 */
    make(&g, "1 2;5;3 4;5;5;;");
    check_graph(g.cfg);
    CHECK_EQ(g.cfg->ipdom[0], 5);
    CHECK_EQ(g.cfg->ipdom[2], 5);
    CHECK_EQ(g.cfg->ipdom[5], SW_CFG_NONE);
    CHECK_EQ(g.cfg->idom[5], 0);
    CHECK_EQ(g.cfg->loop_count, 1);
    check_reconvergence(g.cfg, true);
    finish(&g);
}

CASE(nested_loops_with_break_and_continue)
{
    graph g;
    /* 0; outer 1: inner 2: 3 continue to 2, 4 break to 6, 5 latch to 2;
     * 6 outer continue to 1; 7 latch to 1; 8 after */
    make(&g, "1;2 8;3 6;2 4;6 5;2;1 7;1;;");
    check_graph(g.cfg);
    CHECK_EQ(g.cfg->loop_count, 3);
    CHECK_EQ(g.cfg->loops[1].header, 1);
    CHECK_EQ(g.cfg->loops[2].header, 2);
    CHECK_EQ(g.cfg->loops[2].parent, 1);
    CHECK_EQ(g.cfg->loops[2].depth, 2);
    CHECK_EQ(g.cfg->loop[5], 2);
    CHECK_EQ(g.cfg->loop[7], 1);
    CHECK_EQ(g.cfg->loop[8], 0);
    CHECK(!g.cfg->irreducible);
    CHECK(sw_cfg_is_back_edge(g.cfg, 3, 2));
    CHECK(sw_cfg_is_back_edge(g.cfg, 6, 1));
    CHECK(!sw_cfg_is_back_edge(g.cfg, 1, 2));
    check_reconvergence(g.cfg, false);
    finish(&g);
}

CASE(loop_exits_come_after_the_body)
{
    graph g;
    /* Exits 5 and 6 hang on two different blocks of the loop 1, 2, 3, 4. */
    make(&g, "1;2 3;5 4;6 4;1;7;7;;");
    check_graph(g.cfg);
    for (uint32_t b = 1; b <= 4; b++)
        for (uint32_t e = 5; e <= 7; e++)
            CHECK(g.cfg->sched[b] < g.cfg->sched[e]);
    check_reconvergence(g.cfg, false);
    finish(&g);
}

CASE(switch_with_fall_through)
{
    graph g;
    make(&g, "1 2 3 4;5;3;5;1 5;;");
    check_graph(g.cfg);
    CHECK_EQ(g.cfg->ipdom[0], 5);
    check_reconvergence(g.cfg, false);
    finish(&g);
}

CASE(early_returns)
{
    graph g;
    /* returns before, inside (4) and after a loop */
    make(&g, "1 2;;3;4 5;;6 3;;");
    check_graph(g.cfg);
    CHECK_EQ(g.cfg->ipdom[0], SW_CFG_NONE);
    CHECK_EQ(g.cfg->ipdom[5], SW_CFG_NONE);
    CHECK_EQ(g.cfg->ipdom[2], 3);
    CHECK_EQ(g.cfg->loop[4], 0);
    CHECK(g.cfg->sched[4] > g.cfg->sched[5]);
    check_reconvergence(g.cfg, false);
    finish(&g);
}

CASE(loop_at_the_entry_and_self_loops)
{
    graph g;
    make(&g, "0 1;1 2;0 3;;");
    check_graph(g.cfg);
    CHECK_EQ(g.cfg->loop_count, 3);
    CHECK_EQ(g.cfg->loops[1].header, 0);
    CHECK_EQ(g.cfg->loops[2].header, 1);
    finish(&g);
}

CASE(endless_loop_has_post_dominators)
{
    graph g;
    make(&g, "1 4;2 3;3;1;;");
    check_graph(g.cfg);
    CHECK_EQ(g.cfg->ipdom[1], 3);
    CHECK_EQ(g.cfg->ipdom[2], 3);
    CHECK_EQ(g.cfg->ipdom[0], SW_CFG_NONE);
    finish(&g);
}

CASE(irreducible_loops_are_flagged)
{
    graph g;
    make(&g, "1 2;2 3;1 3;;");
    check_graph(g.cfg);
    CHECK(g.cfg->irreducible);
    CHECK_EQ(g.cfg->loop_count, 2);
    CHECK(g.cfg->loops[1].irreducible);
    finish(&g);
}

CASE(unreachable_blocks_come_last)
{
    graph g;
    make(&g, "3;2;1;;3 1;");
    check_graph(g.cfg);
    CHECK_EQ(g.cfg->reachable, 2);
    CHECK_EQ(g.cfg->rpo[1], 2);
    CHECK_EQ(g.cfg->rpo[2], 3);
    CHECK_EQ(g.cfg->rpo[4], 4);
    CHECK_EQ(g.cfg->idom[1], SW_CFG_NONE);
    CHECK_EQ(g.cfg->idom[3], 0);
    finish(&g);
}

CASE(equal_targets_are_one_edge)
{
    graph g;
    make(&g, "1 1;;");
    CHECK_EQ(g.cfg->succ_at[1], 1);
    CHECK_EQ(g.cfg->pred_at[2], 1);
    finish(&g);
}

static uint32_t random_state = 12345;

static uint32_t
draw(uint32_t below)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % below;
}

CASE(random_graphs)
{
    for (int round = 0; round < 400; round++) {
        uint32_t n = 1 + draw(14);
        char text[512];
        size_t used = 0;
        for (uint32_t b = 0; b < n; b++) {
            for (uint32_t k = draw(4); k > 0 && n > 1; k--)
                used += (size_t)snprintf(text + used, sizeof text - used, "%u ",
                                         draw(n));
            used += (size_t)snprintf(text + used, sizeof text - used, ";");
        }
        graph g;
        make(&g, text);
        check_graph(g.cfg);
        finish(&g);
    }
}

/* Random structured code: emits blocks from `at`, returns the block that
 * execution goes on in. */
typedef struct {
    uint32_t targets[MAX_BLOCKS][2], count[MAX_BLOCKS], blocks;
    bool plain;                      /* no continue, break, return */
    uint32_t head[8], out[8], loops; /* where continue and break go */
} program;

static uint32_t
new_block(program *p)
{
    return p->blocks++;
}

static void
edge(program *p, uint32_t from, uint32_t to)
{
    p->targets[from][p->count[from]++] = to;
}

static uint32_t
emit(program *p, uint32_t at, uint32_t depth)
{
    for (uint32_t k = 1 + draw(2); k > 0; k--) {
        uint32_t kind = draw(p->plain ? 3 : 5);
        if (depth == 0 || p->blocks > MAX_BLOCKS - 16)
            return at;
        if (kind == 0) { /* if, else */
            uint32_t t = new_block(p), e = new_block(p), j;
            edge(p, at, t);
            edge(p, at, e);
            t = emit(p, t, depth - 1);
            e = emit(p, e, depth - 1);
            j = new_block(p);
            edge(p, t, j);
            edge(p, e, j);
            at = j;
        } else if (kind <= 2) { /* while */
            uint32_t h = new_block(p), body = new_block(p);
            uint32_t out = new_block(p);
            edge(p, at, h);
            edge(p, h, body);
            edge(p, h, out);
            p->head[p->loops] = h;
            p->out[p->loops++] = out;
            body = emit(p, body, depth - 1);
            p->loops--;
            edge(p, body, h);
            at = out;
        } else if (p->loops) { /* if (...) continue, break */
            uint32_t rest = new_block(p), l = p->loops - 1 - draw(p->loops);
            edge(p, at, kind == 3 ? p->head[l] : p->out[l]);
            edge(p, at, rest);
            at = rest;
        } else { /* if (...) return */
            uint32_t rest = new_block(p), r = new_block(p);
            edge(p, at, r);
            edge(p, at, rest);
            at = rest;
        }
    }
    return at;
}

CASE(random_structured_programs_reconverge)
{
    for (int round = 0; round < 300; round++) {
        program p = {.blocks = 1, .plain = round % 2};
        emit(&p, 0, 4);
        char text[1024];
        size_t used = 0;
        for (uint32_t b = 0; b < p.blocks; b++) {
            for (uint32_t k = 0; k < p.count[b]; k++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%u ",
                                         p.targets[b][k]);
            used += (size_t)snprintf(text + used, sizeof text - used, ";");
        }
        graph g;
        make(&g, text);
        check_graph(g.cfg);
        CHECK(!g.cfg->irreducible);
        check_reconvergence(g.cfg, p.plain);
        finish(&g);
    }
}

/* Sizes at which recursion or quadratic work would show. */
static void
check_large(uint32_t n, void (*shape)(sw_build *, uint32_t, uint32_t))
{
    graph g = {.module = sw_module_create("large")};
    sw_build_begin(&g.b, sw_build_fn(g.module, "f", true));
    for (uint32_t b = 0; b < n; b++) {
        sw_build_block(&g.b, NULL);
        shape(&g.b, b, n);
    }
    clock_t start = clock(); /* of the process: others may run too */
    g.cfg = sw_cfg_create(g.b.fn);
    CHECK(clock() - start < 2 * CLOCKS_PER_SEC);
    CHECK_EQ(g.cfg->reachable, n);
    finish(&g);
}

static void
chain(sw_build *b, uint32_t i, uint32_t n)
{
    if (i + 1 < n)
        sw_build_bra(b, i + 1);
}

static void
common_exit(sw_build *b, uint32_t i, uint32_t n)
{
    if (i + 1 < n)
        sw_build_bra_if(b, 1, false, n - 1, i + 1);
}

static void
ladder(sw_build *b, uint32_t i, uint32_t n)
{
    if (i + 1 < n)
        sw_build_bra_if(b, 1, false, i + 2 < n ? i + 2 : i + 1, i + 1);
}

static void
loops_in_a_row(sw_build *b, uint32_t i, uint32_t n)
{
    if (i + 1 < n)
        sw_build_bra_if(b, 1, false, i, i + 1);
}

CASE(large_functions)
{
    check_large(50000, chain);
    check_large(50000, common_exit);
    check_large(50000, ladder);
    check_large(50000, loops_in_a_row);
}
