/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clocks.h - happens-before among the threads of a launch, by vector clocks
 * that are as small as the program allows.
 *
 * Each thread has a *clock*, which starts at 1 and grows when the thread
 * releases something. An access is marked with its thread and that thread's
 * clock. It happens before what thread t does now if t *knows* that clock of
 * that thread, or a later one: by a barrier, a warp's synchronisation, or an
 * atomic operation that reads what another thread released (FastTrack's rule,
 * Flanagan and Freund 2009).
 *
 * What is known is kept in two shapes. The lanes of a warp share one clock and
 * one knowledge as long as they synchronise together; a warp whose lanes learn
 * different things is *split* until the next barrier of its whole block. Of
 * other warps and blocks a thread knows a *snapshot*: immutable, counted, and
 * shared by all who know the same.
 *
 * Asynchronous copies are made by *agents*: threads of the block, numbered
 * behind its own, that only copies make go on. Whoever waits for a copy learns
 * its agent's clock.
 *
 * A block's clocks belong to the thread that runs the block. Snapshots and
 * views may be shared among threads.
 */
#ifndef SW_CHECK_CLOCKS_H
#define SW_CHECK_CLOCKS_H
#include "base/base.h"

typedef uint32_t sw_clock;

/* What is known of the threads of one block: the clock of each warp's lanes, or
 * of each thread (by_lane). Immutable once it is shared. */
typedef struct sw_snap sw_snap;
/* What is known of blocks: a snapshot for some. Immutable once shared. */
typedef struct sw_view sw_view;

/* NULL is "nothing known" everywhere. ref returns its argument. */
sw_snap *sw_snap_ref(sw_snap *snap);
void sw_snap_unref(sw_snap *snap);
/* The clock that is known of a thread (its number in the block). */
sw_clock sw_snap_get(const sw_snap *snap, uint32_t thread);
/* Both, borrowed; the value is the caller's. */
sw_snap *sw_snap_join(sw_snap *a, sw_snap *b);

sw_view *sw_view_ref(sw_view *view);
void sw_view_unref(sw_view *view);
sw_view *sw_view_join(sw_view *a, sw_view *b); /* as sw_snap_join */
/* Borrowed; NULL: nothing is known of that block. */
sw_snap *sw_view_get(const sw_view *view, uint64_t block);

/* ---- the threads of a block ---- */

typedef struct sw_clocks sw_clocks;

/* Owned by caller. threads: of the block, at least 1. in_lockstep: lanes of a
 * warp run together by the rules of the device (before 7.0). */
sw_clocks *sw_clocks_create(uint64_t block, uint32_t threads, bool in_lockstep);
void sw_clocks_destroy(sw_clocks *c);

enum { SW_CLOCK_AGENTS = 32 };
/* The number of a block's agent 0: its threads, to whole warps. */
static inline uint32_t
sw_clock_first_agent(uint32_t threads)
{
    return (threads + 31) / 32 * 32;
}

/* The clock of a thread now; never 0. */
sw_clock sw_clocks_now(const sw_clocks *c, uint32_t thread);
/* Does what `other` of the block did at its clock `at` happen before what
 * `thread` does now? */
bool sw_clocks_knows(const sw_clocks *c, uint32_t thread, uint32_t other,
                     sw_clock at);
/* The same of a thread of another block. */
bool sw_clocks_knows_foreign(const sw_clocks *c, uint32_t thread,
                             uint64_t block, uint32_t other, sw_clock at);

/* ---- what orders them ---- */

/* Lanes of a warp have synchronised with each other (bar.warp.sync): all of
 * `arrived`, which is told once for all. */
void sw_clocks_sync_warp(sw_clocks *c, uint32_t warp, uint32_t arrived);

/* Barriers: those who arrive add what they know, those who go on take what all
 * added. `barrier` is 0 to 15; generation: how often it had been completed when
 * they arrived; is_full: all threads of the block that live. */
void sw_clocks_arrive(sw_clocks *c, uint32_t warp, uint32_t lanes,
                      uint32_t barrier, uint32_t generation);
void sw_clocks_leave(sw_clocks *c, uint32_t warp, uint32_t lanes,
                     uint32_t barrier, uint32_t generation, bool is_full);

/* A fence of the scope of a block, or wider. What its lanes did before it is
 * what they publish later; what they have read and not yet learnt they learn.
 */
void sw_clocks_fence(sw_clocks *c, uint32_t warp, uint32_t lanes, bool is_wide);

/* fence.proxy.async of the lanes; before sw_clocks_fence. */
void sw_clocks_fence_proxy(sw_clocks *c, uint32_t warp, uint32_t lanes);
/* What `other` did at its clock `at`, which `thread` knows: does such a fence,
 * of whatever thread, lie between that and what `thread` does now? */
bool sw_clocks_has_proxy_fence(const sw_clocks *c, uint32_t thread,
                               uint32_t other, sw_clock at);

/* What those know who have waited for an agent (0 to 31) until its clock; owned
 * by caller. */
sw_view *sw_clocks_of_agent(const sw_clocks *c, uint32_t agent, sw_clock clock);

/*
 * What a lane publishes by a strong write, owned by caller: all that it knows
 * (is_release), or what it knew at its last fence (wide enough if is_wide).
 * NULL: nothing.
 */
sw_view *sw_clocks_publish(sw_clocks *c, uint32_t warp, uint32_t lane,
                           bool is_release, bool is_wide);
/* A lane has read what was published (borrowed). It knows it now (is_acquire),
 * or from its next fence or barrier on. */
void sw_clocks_learn(sw_clocks *c, uint32_t warp, uint32_t lane, sw_view *what,
                     bool is_acquire);

#endif
