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
#include <stdio.h>
#include <string.h>

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

#define OTHER(name, type)                                                      \
    static void name(void *arg, const sw_ev_where *where, const type *event)   \
    {                                                                          \
        (void)arg;                                                             \
        (void)where;                                                           \
        (void)event;                                                           \
    }
OTHER(warp, sw_ev_warp)
OTHER(async, sw_ev_async)
OTHER(mbar, sw_ev_mbar)
OTHER(fence, sw_ev_fence)
OTHER(heap, sw_ev_heap)
OTHER(exited, sw_ev_exit)

/* A device fault, which ends the grid. */
static void
fault(void *arg, const sw_ev_where *where, const sw_ev_fault *f)
{
    (void)arg;
    (void)where;
    (void)f;
}

sw_observer
sw_watch_none(void)
{
    return (sw_observer){.arg = NULL, /* what the callbacks get */
                         .events = SW_EV_ALL & ~(SW_EV_OFF | SW_EV_VALUES),
                         .block_begin = block_begin,
                         .block_end = block_end,
                         .ins = ins,
                         .mem = mem,
                         .branch = branch,
                         .barrier = barrier,
                         .tex = tex,
                         .warp = warp,
                         .async = async,
                         .mbar = mbar,
                         .fence = fence,
                         .heap = heap,
                         .exited = exited,
                         .fault = fault};
}

/* ---- as an observer of the process, by name ---- */

/* An observer that keeps something of a launch makes a struct here, with an
 * sw_observer in it, and frees it in launch_end. */
static void *
launch_begin(void *arg, const sw_watch_launch *launch,
             const sw_observer **observer, uint32_t *sample)
{
    (void)launch;
    (void)sample;
    *observer = arg;
    return NULL;
}

static void
launch_end(void *arg, void *state, const sw_watch_end *end)
{
    (void)arg;
    (void)state;
    (void)end;
}

/* Allocations, copies, order of work: memory_event.h. */
static void
memory(void *arg, const sw_memory_event *event)
{
    (void)arg;
    (void)event;
}

static void
finish(void *arg)
{
    (void)arg;
}

/* Compiled code's events as they lie in its buffer, instead of a call for each:
 * event_buffer.h. */
static void
buffer(void *arg, void *state, const struct sw_ev_buffer *words)
{
    (void)arg;
    (void)state;
    (void)words;
}

/* Beside SW_EV_ bits: takes words. */
#define WORDS (UINT32_C(1) << 31)

/* Options: the letters of the events that it asks for, so that their cost can
 * be measured: m memory and barriers, i instructions, b branches, v values, o
 * in order; none: all but values. w: takes them as words. */
static bool
read_events(const char *options, uint32_t *events)
{
    for (; *options; options++) {
        static const char letters[] = "mibvow";
        static const uint32_t bits[] = {SW_EV_MEM | SW_EV_BARRIER,
                                        SW_EV_INS,
                                        SW_EV_BRANCH,
                                        SW_EV_VALUES,
                                        SW_EV_ORDER,
                                        WORDS};
        const char *at = strchr(letters, *options);
        if (!at) {
            fprintf(stderr,
                    "softwarp: error: observer none has no events '%c'; it "
                    "takes letters of %s\n",
                    *options, letters);
            return false;
        }
        *events |= bits[at - letters];
    }
    return true;
}

bool
sw_watch_open_none(const char *options, sw_watcher *out)
{
    static sw_observer observer;
    uint32_t events = 0;
    if (!read_events(options, &events))
        return false;
    observer = sw_watch_none();
    if (events & WORDS)
        observer.buffer = buffer;
    if (events & ~WORDS)
        observer.events = events & ~WORDS;
    *out = (sw_watcher){.arg = &observer,
                        .memory_events = SW_MEV_ALL,
                        .launch_begin = launch_begin,
                        .launch_end = launch_end,
                        .memory = memory,
                        .finish = finish};
    return true;
}
