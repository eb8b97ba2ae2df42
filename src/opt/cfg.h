/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cfg.h - the control-flow graph of one function: edges, orders, dominators,
 * post-dominators and loops.
 *
 * A snapshot: built from a function with a body, read-only afterwards (any
 * thread), stale as soon as a block or a terminator changes. Iterative, and
 * linear in the size of the graph times its loop depth for the graphs that
 * compilers make. Does NOT change the function.
 */
#ifndef SW_CFG_H
#define SW_CFG_H
#include "ir/ir.h"

#define SW_CFG_NONE UINT32_MAX

typedef struct {
    uint32_t header;  /* the block by which the loop is entered */
    uint32_t parent;  /* the loop around it; 0: none */
    uint32_t depth;   /* 1: outermost */
    bool irreducible; /* has other entries than the header */
    /* Positions of its blocks: sched[] of each is in [first, latch). `latch`
     * itself is the position of the virtual block that all back edges pass. */
    uint32_t first, latch;
} sw_loop;

typedef struct sw_cfg {
    uint32_t count; /* blocks of the function; all arrays by block have it */
    uint32_t reachable;

    /* Successors of b without repetition, in the order of the targets:
     * succ[succ_at[b]] to succ[succ_at[b + 1] - 1]; predecessors alike. */
    const uint32_t *succ, *succ_at;
    const uint32_t *pred, *pred_at;

    /* Reverse post-order: rpo[b] is the number of block b, order[n] the block
     * of number n. Blocks that can't be reached come last, in their order. */
    const uint32_t *rpo, *order;

    /* Immediate dominator; SW_CFG_NONE for the entry and unreachable blocks. */
    const uint32_t *idom;
    /* Immediate post-dominator; SW_CFG_NONE: the function's end. Endless loops
     * count as if their last block could leave. */
    const uint32_t *ipdom;

    /* Innermost loop of each block, index into loops; 0: none. loops[0] is
     * unused; a loop comes after the one around it. */
    const uint32_t *loop;
    const sw_loop *loops;
    uint32_t loop_count; /* with the unused one */
    bool irreducible;    /* one of the loops is */

    /*
     * Positions for an executor that always runs the lanes at the smallest
     * position. Forward edges go up; all blocks of a loop are next to each
     * other, what follows the loop comes after them. Positions are unique,
     * less than position_count; those of latches are no block's.
     * A lane that takes a back edge waits at the latch (see sw_cfg_position)
     * until no lane is inside the body: so lanes that part at a branch meet at
     * its immediate post-dominator, `continue` included. (Loops that share
     * their header are one loop here; in such code lanes may meet later.)
     */
    const uint32_t *sched;
    uint32_t position_count;

    sw_arena *arena;
} sw_cfg;

/* `fn` has blocks. Owned by caller, sw_cfg_destroy. */
sw_cfg *sw_cfg_create(const sw_fn *fn);
void sw_cfg_destroy(sw_cfg *cfg);

/* A loop (not 0) and a block, of an inner loop too. */
bool sw_cfg_is_in_loop(const sw_cfg *cfg, uint32_t loop, uint32_t block);
/* The edge goes to the header of a loop from inside it. */
bool sw_cfg_is_back_edge(const sw_cfg *cfg, uint32_t from, uint32_t to);
/* Where a lane that goes from block `from` to block `to` waits for its turn:
 * sched[to], or for a back edge the latch of the loop. */
uint32_t sw_cfg_position(const sw_cfg *cfg, uint32_t from, uint32_t to);
/* Block a is on every path from the entry to b (a == b included). Walks up
 * the tree. */
bool sw_cfg_dominates(const sw_cfg *cfg, uint32_t a, uint32_t b);
/* Block a is on every path from b to the end (a == b included). */
bool sw_cfg_post_dominates(const sw_cfg *cfg, uint32_t a, uint32_t b);

#endif
