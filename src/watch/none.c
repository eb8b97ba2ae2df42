/* SPDX-License-Identifier: Apache-2.0 */
/*
 * none.c - the empty observer: every callback is there and does nothing. Copy
 * it for a new one and take out what you do not need: a NULL callback and a bit
 * not asked for cost nothing.
 *
 * State that an observer keeps goes into a struct behind `arg`. Blocks run on
 * several threads at once, so give each block a part of its own in
 * block_begin and add the parts up in block_end, under a lock or atomically.
 */
#include "watch/watch.h"

/* Before the first instruction of a block. What it returns comes with every
 * event of the block. */
static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)arg;
    (void)block;
    (void)index;
    return NULL;
}

/* After its last. Not called for blocks that a fault stopped. */
static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    (void)arg;
    (void)state;
    (void)block;
    (void)index;
}

/* A warp is about to execute where->ins for the lanes of where->mask: those
 * whose guard holds, none only with SW_EV_OFF. For memory operations, branches
 * and barriers the more special callback follows. */
static void
ins(void *arg, const sw_ev_where *where)
{
    (void)arg;
    (void)where;
}

/* A load, store or atomic is about to take place; its addresses are valid. An
 * access by generic address that reaches several spaces is one event for
 * each, with the lanes concerned in where->mask. */
static void
mem(void *arg, const sw_ev_where *where, const sw_ev_mem *access)
{
    (void)arg;
    (void)where;
    (void)access;
}

/* A bra: lanes of branch->taken go to its first target, the rest of the mask
 * to the second. It diverges if taken is neither 0 nor the mask. */
static void
branch(void *arg, const sw_ev_where *where, const sw_ev_branch *b)
{
    (void)arg;
    (void)where;
    (void)b;
}

/* Lanes arrive at a barrier of the block, or leave it. */
static void
barrier(void *arg, const sw_ev_where *where, const sw_ev_barrier *b)
{
    (void)arg;
    (void)where;
    (void)b;
}

/* A fetch of a texture or surface, texel by texel. */
static void
tex(void *arg, const sw_ev_where *where, const sw_ev_tex *t)
{
    (void)arg;
    (void)where;
    (void)t;
}

sw_observer
sw_watch_none(void)
{
    return (sw_observer){.arg = NULL, /* what the callbacks get */
                         .block_begin = block_begin,
                         .block_end = block_end,
                         .ins = ins,
                         .mem = mem,
                         .branch = branch,
                         .barrier = barrier,
                         .tex = tex};
}
