/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - between exec and its back ends (interp, jit): programs, blocks,
 * warps, barriers, and the services a back end calls. Nobody else includes it.
 *
 * A block is a set of warps that take turns on one worker thread; exec decides
 * which warp runs, the back end runs it until it must wait. Everything below
 * sw_grid is touched by one thread at a time.
 */
#ifndef SW_ENGINE_H
#define SW_ENGINE_H
#include <stdatomic.h>

#include "exec/contention.h"
#include "exec/exec.h"
#include "exec/turns.h"
#include "opt/coarsening.h"

/* A block's barriers: those that PTX names, and one for each warpgroup. */
enum { SW_WARP_LANES = 32, SW_NAMED_BARRIERS = 16, SW_BARRIERS = 24 };

typedef struct sw_blk sw_blk;
typedef struct sw_cluster sw_cluster;
typedef struct sw_warp sw_warp;

/* Why a warp stopped running. */
typedef enum {
    SW_STOP_DONE,  /* all lanes have ended */
    SW_STOP_WAIT,  /* nothing can run until a barrier completes */
    SW_STOP_YIELD, /* it could go on; others' turn */
    SW_STOP_SPIN,  /* as yield, and it repeats itself without effect */
    SW_STOP_TURN,  /* sw_turns_give has given its turn away */
    SW_STOP_FAULT  /* sw_engine_fault was called, or the grid has faulted */
} sw_stop;

/* Lanes of a warp that stand at one place, for reports. */
typedef struct {
    const sw_fn *fn;
    const sw_ins *ins;
    uint32_t mask;
    bool is_waiting;
    uint32_t barrier; /* if waiting; SW_BARRIERS: for lanes of its warp,
                         SW_PLACE_CLUSTER: at the cluster's */
} sw_place;
enum { SW_PLACE_CLUSTER = SW_BARRIERS + 1 };

struct sw_backend {
    const char *name;
    /* Fills program->code. On any thread, once. */
    sw_status (*compile)(sw_program *program, sw_diag *diag);
    void (*release)(sw_program *program);
    bool (*is_busy)(const sw_program *program); /* NULL: never */
    /* Bytes of warp->state, a multiple of 64; the block zeroes it once. */
    size_t (*warp_bytes)(const sw_program *program);
    /* Puts the warp at the kernel's first instruction. The state may hold what
     * an earlier block of the same program left in it. */
    void (*warp_start)(sw_warp *warp);
    sw_stop (*warp_run)(sw_warp *warp);
    /* Frees what the state owns. The warp may stand anywhere; the program may
     * no longer exist. */
    void (*warp_finish)(sw_warp *warp);
    /* Runs blocks [first, first + count) of the context's grid one after
     * another, and returns how many have ended. If that is fewer, the next one
     * has begun and is to be gone on with by warp_run. If they are observed,
     * only by one that takes inline counters, or with program->tells_blocks.
     * May be NULL. */
    uint64_t (*run_blocks)(sw_blk *blk, uint64_t first, uint64_t count);
    /* Up to `room` groups of lanes that have not ended. */
    size_t (*warp_places)(const sw_warp *warp, sw_place *out, size_t room);
};

struct sw_program {
    const sw_backend *backend;
    const sw_fn *kernel;
    uint32_t events;
    uint64_t serial; /* never reused */
    sw_program_info info;
    const sw_fn **fns; /* [fn_count] all it can reach; 0 is the kernel */
    uint32_t fn_count;
    sw_arena *arena;
    sw_map *shared;       /* key: address of sw_sym; value: offset + 1 */
    void *code;           /* the back end's */
    bool is_instrumented; /* has code with addresses of this process */
    bool tells_blocks;    /* run_blocks tells all events of each block */
    uint32_t local_bytes; /* of the kernel's chain of calls, a thread */
    /* What a block of the last grid took, at least 1; 0: there was none. */
    atomic_uint_fast64_t *block_ns;
    sw_contention_memory *contention; /* NULL: no atomic operations of blocks
                                         on the same memory */
    sw_turns *turns;
    /* .blocks 0: it runs blocks as they are launched; else it is one of another
     * program's `coarsened`. */
    sw_coarsening coarsening;
    /* Owned: the same kernel for blocks of few threads (coarsening.c), the
     * first of a list by next_coarsened. */
    _Atomic(sw_program *) coarsened;
    sw_program *next_coarsened;
    atomic_uchar coarsening_facts; /* what is known of it: coarsening.c */
};

/* Shared memory that devices of 8.0 and later keep back in each block, and what
 * of it is for the compilers' libraries. */
enum { SW_RESERVED_SHARED = 1024, SW_RESERVED_SHARED_USED = 288 };

/* Offset of a .shared variable in the block's shared memory. */
uint32_t sw_program_shared_offset(const sw_program *program, sw_sym *sym);
/* A program that has little yet but a number of its own. Owned by caller,
 * sw_program_destroy. */
sw_program *sw_program_begin(const sw_backend *backend);
/* Makes its code, when all else is there. */
sw_status sw_program_compile(sw_program *program, sw_diag *diag);
/* Index in fns of the function with that code address, or UINT32_MAX. */
uint32_t sw_program_find_fn(const sw_program *program, uint64_t address);

/* One named barrier of a block. */
typedef struct {
    uint32_t threads;    /* arrived since the last completion */
    uint32_t slots;      /* same, whole warps counting as 32 */
    uint32_t expected;   /* slots that complete it; 0: all live threads */
    uint32_t generation; /* completions so far */
    uint32_t ones;       /* arrivals whose predicate was true */
    uint32_t result_ones, result_threads; /* of the last completion */
} sw_bar;

struct sw_warp {
    sw_blk *blk;
    uint32_t index; /* in the block */
    uint32_t lanes; /* mask of lanes that exist */
    uint32_t ended; /* mask of lanes that have ended */
    sw_stop stop;
    uint32_t epoch; /* of the block when it last stopped waiting */
    struct {
        uint32_t generation, mask; /* lanes that arrived in it */
    } arrived[SW_BARRIERS];
    struct {
        uint32_t generation, mask;
    } at_cluster;      /* the same of the cluster's barrier */
    uint64_t lane_ins; /* lane-instructions executed, ever */
    uint8_t *local;    /* lane 0's local memory; lanes follow at local_stride */
    uint8_t *margins;  /* see sw_engine_local_margin; NULL until used */
    void *state;       /* the back end's, 64-byte aligned */
};

struct sw_blk {
    sw_grid *grid;
    const sw_program *program; /* may be gone once the block has ended */
    const sw_backend *backend; /* the program's, */
    uint64_t program_serial;   /* and its serial: outlive it */
    sw_env *env;
    const sw_observer *observer; /* or NULL */
    void *observer_state;        /* what its block_begin returned */
    const sw_mem_view *mem;
    uint32_t ntid[3], nctaid[3], ctaid[3];
    bool is_large_grid; /* an extent of it exceeds SW_GRID_SMALL */
    uint64_t index;     /* linear */
    uint64_t grid_id;
    uint32_t slot;         /* of the worker thread: %smid */
    uint8_t *shared;       /* in the arena; zeroed? no: unspecified content */
    uint32_t shared_bytes; /* all of it; with the reserved ones behind, if the
                              program asks where these are */
    uint32_t own_shared_bytes, dynamic_shared_bytes; /* own: static, dynamic */
    uint32_t local_stride;             /* bytes of local memory a thread */
    uint32_t local_before;             /* accessible before it, */
    uint32_t local_behind;             /* and behind it */
    const uint8_t *params;             /* in the arena; program's param_bytes */
    uint64_t workspace;                /* cooperative launches, else 0 */
    const sw_environment *environment; /* of the launch */
    sw_cluster *cluster; /* NULL: alone, and the program has no cluster's
                            barrier */
    uint32_t rank;       /* in its cluster */
    uint32_t cluster_dims[3];
    bool is_explicit_cluster;  /* the launch or the kernel said these */
    bool has_begun, has_ended; /* in a cluster of several blocks */
    uint32_t threads, live_threads;
    uint32_t warp_count;
    sw_warp *warps;  /* [warp_count] */
    void *states;    /* owns what warps[].state point into */
    void *tex_plans; /* the back end's; sw_free'd with the block */
    uint32_t epoch;  /* barrier completions, of any barrier */
    bool turn_over;  /* other blocks come first; see sw_engine_gives_turn */
    uint32_t turns_given; /* so, since the block began */
    sw_turns_look *look;  /* turns.h; NULL: nobody looks */
    bool in_turn;         /* a warp gives its turn away when it has accessed
                             memory, */
    bool gave_turn;       /* ... and one has since this was cleared; */
    uint32_t turns_taken; /* so often since the block began */
    bool has_yielded;     /* a warp that could go on, since this was cleared */
    bool went_on;         /* ... and it waits for something new; may be unset */
    bool stepped;      /* in this turn of the block that has been so, or a warp
                          does what takes long */
    bool has_arrivals; /* bars and the warps' `arrived` are not all zero */
    sw_bar bars[SW_BARRIERS];
    uint32_t idle_moves; /* for the pool: when it was last seen to wait */
};

/* The blocks of a cluster run on one thread, in turns. */
struct sw_cluster {
    uint32_t count; /* blocks */
    sw_blk **blks;  /* [count] by rank */
    uint64_t index; /* of the cluster in its grid, linear */
    /* Its barrier: completions, and threads that have not arrived since the
     * last one; those that have ended count as arrived. */
    uint32_t generation;
    uint32_t missing, live; /* threads */
};

/* Where addresses of .shared::cluster memory name the block: bits 24 and above
 * are its rank plus one; 0 is the block that uses the address, so that each
 * address of its own shared memory is one of these. */
enum { SW_CLUSTER_SHIFT = 24 };

/* What an %envreg holds: 1 and 2 the halves of a cooperative launch's
 * workspace, 3 and on the launch's environment; the rest 0. */
uint32_t sw_engine_envreg(const sw_blk *blk, uint64_t index);

/* The block of that rank in the cluster; NULL: there is none. */
const sw_blk *sw_engine_cluster_blk(const sw_blk *blk, uint32_t rank);
/* The block that an address of .shared::cluster memory names, and the offset
 * there; NULL: there is none. */
const sw_blk *sw_engine_cluster_at(const sw_blk *blk, uint64_t address,
                                   uint64_t *offset);
/* A flat address for an offset in the shared memory of a block that there is
 * not: inaccessible, and known as such. 0 without memory. */
uint64_t sw_engine_nowhere(uint64_t offset);
bool sw_engine_is_nowhere(uint64_t address);
/* The block in whose shared memory a flat address lies; NULL: in that of no
 * block of the cluster. */
const sw_blk *sw_engine_shared_owner(const sw_blk *blk, uint64_t address);
/* `mask` lanes of the warp arrive at the cluster's barrier. */
void sw_engine_cluster_arrive(sw_warp *warp, uint32_t mask);
/* Whether those that have arrived need not wait any more. */
bool sw_engine_cluster_passed(const sw_warp *warp, uint32_t mask);

/* For run_blocks: block `index` of the same grid at its first instruction.
 * sw_engine_begin_block calls warp_start for each warp; sw_engine_next_block
 * does not, and the back end sees to its own state; lanes_ended: of the block
 * before, warps' `stop` and `ended` are not what they were at its beginning. */
void sw_engine_begin_block(sw_blk *blk, uint64_t index);
void sw_engine_next_block(sw_blk *blk, uint64_t index, bool lanes_ended);
/* The observer's block_begin and block_end, if it wants them.
 * sw_engine_begin_block has the first in it; the second is for blocks that
 * run_blocks has ended. */
void sw_engine_observe_begin(sw_blk *blk);
void sw_engine_observe_end(sw_blk *blk);

/* True once the grid has faulted: stop soon. */
bool sw_engine_is_stopped(const sw_blk *blk);
/* Nothing has moved on for a while: every block in progress only waits. */
bool sw_engine_all_wait(void);
/* For a second no block has ended, or has gone on in its turn. */
bool sw_engine_is_still(void);

/*
 * Records a device fault (the first of a grid counts) and stops the grid. lane
 * >= 32: no particular thread. fmt says what happened, in a sentence without
 * the place, which is added; with SW_FAULT_ADDRESS the address and its nearest
 * allocation are too.
 */
enum { SW_FAULT_PLAIN, SW_FAULT_ADDRESS };
void sw_engine_fault(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                     uint32_t lane, sw_status status, int about,
                     uint64_t address, const char *fmt, ...)
    __attribute__((format(printf, 8, 9)));

/*
 * `mask` lanes of the warp arrive at a barrier; expected 0: all live threads.
 * Returns the generation to wait for: the barrier is complete once its
 * generation differs from it.
 */
uint32_t sw_engine_bar_arrive(sw_warp *warp, uint32_t barrier, uint32_t mask,
                              uint32_t expected, uint32_t ones);
/* Lanes have ended; may complete barriers. */
void sw_engine_lanes_end(sw_warp *warp, uint32_t mask);

/* Services for calls of builtin functions; false: a fault was recorded.
 * vprintf with `is_opencl` is OpenCL C's printf: vectors, and 0 for success.
 * assertfail prints the line that the device's runtime prints, for each thread
 * that failed. */
bool sw_engine_vprintf(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                       uint32_t lane, uint64_t format, uint64_t args,
                       bool is_opencl, int32_t *result);
void sw_engine_assertfail(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                          uint32_t lane, uint64_t message, uint64_t file,
                          uint32_t line, uint64_t function);
uint64_t sw_engine_malloc(sw_warp *warp, uint64_t bytes); /* 0: none left */
void sw_engine_free(sw_warp *warp, uint64_t address);

/* The device runtime: `call` of ir.h, the places of its arguments (device.c).
 * False: a fault was recorded. */
bool sw_engine_device_call(sw_warp *warp, const sw_fn *fn, const sw_ins *ins,
                           uint32_t lane, int call, const void *const *args,
                           const uint32_t *arg_bytes, uint32_t arg_count,
                           uint64_t *result);

uint64_t sw_engine_clock(const sw_blk *blk); /* shader clocks */

/* Where a thread's access outside its local memory goes if a device would let
 * it pass: what is before a frame is left of the stack, and behind it is memory
 * of the driver's. `at`: counted from the start of local memory, modulo 2^64.
 * Called by the warp's own thread. NULL: a fault. Valid while the block is. */
uint8_t *sw_engine_local_margin(sw_warp *warp, unsigned lane, uint64_t at,
                                uint32_t bytes);

/* What a block's own shared memory takes; the reserved part begins there. */
static inline uint32_t
sw_engine_taken_shared(const sw_blk *blk)
{
    return (blk->own_shared_bytes + 127) & ~127u;
}

/* By a seed (schedule.h): the warp, which has just accessed memory that others
 * may look at, gives its turn away. False without a seed. */
bool sw_engine_gives_turn(sw_blk *blk);

#endif
