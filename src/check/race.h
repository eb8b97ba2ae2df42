/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race.h - the structs of the race tool, shared by its files:
 *
 *     race.c         launches and blocks; events to clocks
 *     race_access.c  accesses to cells, and what is said of a race
 *     race_sync.c    sync variables: words by which threads order each other
 *     race_async.c   groups of cp.async
 *     race_bulk.c    cp.async.bulk, of tensors too
 *     race_look.c    loads that a compare-and-swap checks
 *     race_copy.c    copies, fills and computations beside launches
 */
#ifndef SW_CHECK_RACE_H
#define SW_CHECK_RACE_H
#include <pthread.h>
#include <stdatomic.h>

#include "check/check.h"
#include "check/order.h"
#include "check/queued.h"
#include "check/shadow.h"

/* An instruction of a kernel, as reports name it. */
typedef struct {
    const sw_fn *fn; /* NULL: not met yet */
    const sw_ins *ins;
    atomic_uchar look; /* what race_is_first_look has found out */
} race_ins;

/* What a sync variable's readers learn. */
typedef struct {
    uint64_t addr;
    uint64_t block; /* that wrote it last */
    sw_view *near;  /* for that block */
    sw_view *far;   /* for others */
} race_var;

typedef struct {
    race_var *slots; /* [capacity], a power of two; addr 0: free */
    uint32_t capacity, count;
} race_vars;

/* What a copy, a fill or a library's computation reads or writes. */
typedef struct {
    uint64_t op;
    uint64_t addr, bytes;
    bool is_write;
    const char *name;  /* of the computation; NULL: a copy or fill */
    sw_stack_id stack; /* of the call */
} race_range;

typedef struct {
    sw_check *check;
    sw_order_graph *order;
    sw_shadow *global;
    pthread_mutex_t lock;
    sw_vec ranges; /* race_range: the last ones */
    sw_queued *queued;
    sw_vec launches; /* race_launch *, all: cells may name each */
} race_tool;

/* Lives as long as the tool: cells of global memory name it. */
typedef struct {
    race_tool *tool;
    uint64_t id, op;    /* grid_id; operation */
    const char *kernel; /* a copy */
    sw_stack_id stack;  /* of the host, where it was launched */
    sw_access_layout layout;
    uint32_t block_shape[3], grid_shape[3];
    uint32_t threads; /* of a block */
    uint32_t agents;  /* the number of a block's first one, clocks.h */
    atomic_bool has_proxy_fence; /* some thread has executed one */
    bool in_lockstep, has_clusters;
    race_ins *ins;         /* [ins_count]; places only once `places` is there */
    sw_find_place *places; /* [ins_count] after the launch; NULL: it runs */
    uint32_t ins_count;
    const sw_watch_launch *launch; /* NULL: it has ended */
    sw_observer observer;
    sw_vec ranges;             /* race_range: not ordered with it */
    pthread_mutex_t lock;      /* of vars, blocks */
    race_vars vars;            /* in global memory */
    struct race_block *blocks; /* that run now */
} race_launch;

enum { RACE_MBARS = 16 };

/* Strong reads of global memory that a warp has begun: what they learn is what
 * is published when they are done, at the warp's next event. */
typedef struct {
    uint32_t lanes;
    bool is_acquire, is_wide;
    uint64_t addr[32];
} race_wait;

/* Groups of cp.async of a thread, numbered from 1. */
enum { RACE_WAITS = 4 };
typedef struct {
    sw_clock current; /* the group that copies of now belong to */
    struct {
        sw_clock before, clock; /* groups before this have ended at this clock
                                   of the thread; 0: no such wait */
    } waits[RACE_WAITS];        /* the last ones, the last one first */
    sw_clock committed[RACE_WAITS]; /* its clock then, of the last groups, by
                                       their number's remainder */
} race_groups;

/* Who makes the bulk copies that complete at one mbarrier, or the reads or the
 * writes of a thread's bulk groups. Its clock counts the mbarrier's phases, or
 * the groups. */
typedef struct {
    uint64_t key; /* 0: nobody */
    sw_clock clock;
} race_agent;

typedef struct race_block {
    race_launch *launch;
    uint64_t index;
    sw_clocks *clocks;
    sw_chunk **shared; /* [shared_chunks] NULL: not accessed yet */
    uint32_t shared_chunks;
    race_vars vars;     /* in shared memory, mbarriers among them */
    uint32_t *arrived;  /* [warps] lanes waiting at bar.warp.sync */
    uint32_t *members;  /* [warps] ... for these */
    uint32_t *ended;    /* [warps] lanes that have */
    race_wait *waits;   /* [warps] */
    race_groups *async; /* [threads] NULL: no cp.async yet */
    race_agent agents[SW_CLOCK_AGENTS]; /* of copies; the last one stands for
                                           all that come later */
    struct race_block *next;
} race_block;

/* ---- race_access.c ---- */

/* The lanes of an access, one after another. */
void race_access(race_block *block, const sw_ev_where *where,
                 const sw_ev_mem *mem);
/* An access of one lane's copy, by an agent of a block of the cluster. */
void race_access_bulk(race_block *block, const sw_ev_where *where,
                      const sw_ev_mem *mem, sw_strength strength,
                      const race_block *of, uint32_t agent);
/* A block of a cluster ends: who else may still access its shared memory? */
void race_access_end(race_block *block);
sw_find_place race_place_of(const race_launch *l, uint32_t ins);

/* ---- race_async.c ---- */

/* The group that a copy of the thread belongs to. */
sw_clock race_async_group(race_block *block, uint32_t thread);
/* Has the thread waited for the group? *clock: its clock after that. */
bool race_async_waited(const race_block *block, uint32_t thread, sw_clock group,
                       sw_clock *clock);
/* Does `reader` know that the group was committed? */
bool race_async_knows(const race_block *block, uint32_t reader, uint32_t thread,
                      sw_clock group);
void race_async_event(race_block *block, const sw_ev_where *where,
                      const sw_ev_async *event);

/* ---- race_bulk.c ---- */

/* cp.async.bulk, its commits and waits. */
void race_bulk_event(race_block *block, const sw_ev_where *where,
                     const sw_ev_async *event);
/* A phase of an mbarrier of the block ends: what those learn who wait for it.
 * NULL: no copy has completed there. */
sw_view *race_bulk_phase(race_block *owner, uint64_t mbar);

/* ---- race_copy.c ---- */

/* A COPY, FILL or COMPUTE, or an OP_QUEUED. */
void race_copy_event(race_tool *tool, const sw_memory_event *event);
/* Other memory lies there now. */
void race_copy_forget(race_tool *tool, const sw_mev_range *range);
/* A launch begins: finds the copies that nothing orders with it. */
void race_copy_begin(race_launch *launch);
/* An access of the launch beside those copies. */
void race_copy_check(race_launch *launch, const sw_ev_where *where,
                     uint64_t addr, uint32_t bytes, bool is_write);

/* The block of the launch that runs now; NULL. */
race_block *race_find_block(race_launch *l, uint64_t index);

/* ---- race_look.c ---- */

/* A load (by its index) whose value a compare-and-swap checks. False for a
 * launch that has ended. */
bool race_is_first_look(race_launch *l, uint32_t ins);

/* ---- race_sync.c ---- */

/* A strong access of one lane: what it learns and publishes. vars: of the
 * space; lock: NULL or held during it. */
void race_sync_lane(race_block *block, const sw_ev_where *where,
                    const sw_ev_mem *mem, uint32_t lane);
/* The warp's reads are done. */
void race_sync_settle(race_block *block, uint32_t warp);
void race_sync_cluster(race_block *block, const sw_ev_where *where,
                       const sw_ev_barrier *barrier);
void race_sync_mbar(race_block *block, const sw_ev_where *where,
                    const sw_ev_mbar *mbar);
void race_vars_finish(race_vars *vars);

#endif
