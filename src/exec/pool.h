/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - inside exec: grids in progress and the blocks that worker threads
 * run for them. Nobody outside src/exec includes it.
 */
#ifndef SW_POOL_H
#define SW_POOL_H
#include <pthread.h>
#include <stdatomic.h>

#include "exec/engine.h"
#include "exec/progress.h"

/* A block that stands aside. */
typedef struct {
    sw_blk *blk;
    uint64_t index;
} sw_suspended;

struct sw_grid {
    sw_launch launch;
    sw_grid *next;   /* in the pool's list; under the pool's lock */
    uint64_t params; /* a copy in the arena, or 0 */
    uint64_t workspace;
    uint32_t cluster;    /* blocks of one */
    uint64_t total;      /* units of work: clusters, mostly of one block */
    uint64_t chunk;      /* units a worker takes at a time */
    atomic_bool stopped; /* faulted */
    atomic_uint aside;   /* suspended.count, to look at unlocked */
    char apart[SW_CACHE_LINE]; /* what follows is written all the time */
    atomic_uint_fast64_t next_block;
    char apart_too[SW_CACHE_LINE];
    atomic_uint_fast64_t ended; /* units finished or given up, of workers that
                                   have left */
    atomic_uint users;          /* workers inside the grid */
    pthread_mutex_t lock;       /* of what follows */
    sw_vec suspended;           /* sw_suspended, first in first out */
    uint32_t hints;             /* how often not the oldest of these is next */
    sw_fault fault;
    uint64_t lane_ins;
    uint64_t start_ns;
    atomic_bool warned;      /* that it may be stuck */
    bool is_closed;          /* no more blocks to start; off the pool's list */
    atomic_bool is_short;    /* done sooner than a worker would be woken */
    uint64_t workers_wanted; /* workers that are called when it begins */
    atomic_bool has_all;     /* or all of them, later */
    sw_contention contention;
};

/* ---- coarsening.c ---- */

/* Makes a launch with blocks of few threads one of a program that runs several
 * as one. Returns how many blocks it had in a row, what the program has as its
 * last parameter; 0: it was not changed. */
uint32_t sw_exec_coarsen_launch(sw_launch *launch, unsigned workers);

/* ---- chunks.c ---- */

bool sw_grid_is_expected_short(const sw_grid *grid);
/* How many workers it is worth, each of which takes its time to come. */
uint64_t sw_grid_find_workers(const sw_grid *grid, unsigned threads);
/* Blocks that a worker takes at a time: few enough for all threads to end at
 * about the same time, enough for them not to wait for each other where they
 * take the next ones. */
uint64_t sw_grid_find_chunk(const sw_grid *grid, unsigned threads);

/* How running a block ended. */
typedef enum {
    SW_BLK_DONE,
    SW_BLK_YIELD, /* it can go on */
    SW_BLK_SPIN,  /* it can go on, but repeats itself */
    SW_BLK_FAULT
} sw_blk_end;

/* A block context for blocks (with clusters: that of rank 0, with the others in
 * its `cluster`) of one of this grid's programs and its shape; NULL
 * without memory. Owned by caller, sw_blk_destroy. */
sw_blk *sw_blk_create(sw_grid *grid, const sw_program *program, uint32_t slot);
void sw_blk_destroy(sw_blk *blk);
/* True if the context fits blocks of the grid that run this program. */
bool sw_blk_fits(const sw_blk *blk, const sw_grid *grid,
                 const sw_program *program);
/* Makes the context one for blocks of this grid, which it fits. */
void sw_blk_bind(sw_blk *blk, sw_grid *grid, const sw_program *program);
/* Until it ends or others should have a turn; of a cluster all blocks. */
sw_blk_end sw_blk_run(sw_blk *blk);
/* Cluster number `index` of the grid is about to run, in a context of several
 * blocks that is bound. */
void sw_cluster_begin(sw_blk *blk, uint64_t index);
/* What of a cluster's barrier block.c tells: a block, which is one of its own,
 * begins; lanes have ended; a block has ended without that being told of each
 * of its lanes. */
void sw_cluster_begin_alone(sw_blk *blk);
void sw_cluster_lanes_end(sw_warp *warp, uint32_t mask);
void sw_cluster_block_ended(sw_blk *blk);
sw_blk_end sw_cluster_run(sw_cluster *cluster);
/* One turn of every warp that can run. *ran: one could. Sets blk->has_yielded
 * and went_on if a warp does. */
sw_blk_end sw_blk_run_round(sw_blk *blk, bool *ran);
typedef enum {
    SW_BLK_STUCK_BARRIER, /* all that is left waits at barriers */
    SW_BLK_STUCK_SPIN,    /* it repeats itself, and nobody else does anything */
    SW_BLK_MAYBE_STUCK    /* the same, but the host sees the device's memory */
} sw_blk_stuck;

/* Reports a block that does not go on: a fault, or for MAYBE a warning. */
void sw_blk_report_stuck(sw_blk *blk, sw_blk_stuck how, double seconds);

/* A fault as sw_engine_fault records them, of an assertion whose place the
 * program says: "file:line". */
void sw_engine_fail_assertion(sw_warp *warp, uint32_t lane,
                              const char *expression, const char *function,
                              const char *place);

#endif
