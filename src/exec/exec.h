/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - running kernels: programs (a kernel with all it can reach, made
 * ready by a back end), grids, and the worker threads that run their blocks.
 * This is what the runtime calls; engine.h is what back ends see.
 *
 * A process has one pool of worker threads, one a core. Grids of any stream
 * are submitted to it and run side by side; blocks of one grid start in order
 * of their index. Functions may be called from any thread unless stated.
 * Does NOT know streams, contexts or API objects.
 */
#ifndef SW_EXEC_H
#define SW_EXEC_H
#include "exec/event.h"
#include "exec/instrument.h"
#include "ir/ir.h"
#include "mem/mem.h"

typedef struct sw_backend sw_backend;
typedef struct sw_program sw_program;
typedef struct sw_grid sw_grid;
typedef struct sw_texture sw_texture; /* sem/texture.h */

/* The reference interpreter (src/interp). */
extern const sw_backend sw_backend_interp;

/* ---- programs ---- */

/* Facts of a kernel that do not depend on a launch. */
typedef struct {
    uint32_t static_shared_bytes;
    uint32_t frame_bytes; /* .local and parameter slots of the kernel and
                             its deepest chain of calls, a thread; recursion
                             counts once */
    uint32_t param_bytes;
    uint32_t const_bytes;  /* .const variables of its module */
    uint32_t since;        /* lowest compute capability, times ten, of all
                              instructions it can reach */
    const sw_fn *since_fn; /* ... and where that one is */
    const sw_ins *since_ins;
    uint32_t ins_count;     /* instructions of all it can reach */
    uint32_t max_live_regs; /* 32-bit registers live at once, an estimate */
    bool is_recursive, has_indirect_calls, has_alloca;
    bool uses_barrier, uses_grid_sync; /* grid sync: reads %envreg1/2 */
    bool uses_cluster_barrier;
    bool uses_reserved_shared; /* asks where that is */
    bool calls_runtime;        /* launches from the kernel, and the like */
} sw_program_info;

/*
 * Makes a kernel of a linked module ready to run. `events` (SW_EV_ bits) is
 * what observers of its launches will be able to see; 0 costs nothing.
 * SW_E_NOT_FOUND if it reaches an unresolved function (named in diag). Owned
 * by caller, sw_program_destroy after the last grid that uses it is done.
 */
sw_status sw_program_create(const sw_backend *backend, const sw_fn *kernel,
                            uint32_t events, sw_diag *diag, sw_program **out);
/* The same for nobody's events, with code that observers put into it. */
sw_status sw_program_create_instrumented(const sw_backend *backend,
                                         const sw_fn *kernel,
                                         const sw_instruments *by,
                                         sw_diag *diag, sw_program **out);
void sw_program_destroy(sw_program *program);
/* It is being compiled: sw_program_destroy would wait. */
bool sw_program_is_busy(const sw_program *program);
const sw_program_info *sw_program_get_info(const sw_program *program);

/* ---- faults ---- */

typedef struct {
    sw_status status; /* SW_OK: none */
    char text[4096];  /* the whole report, several lines */
    char kernel[256];
    char place[512]; /* "file.cu:12" */
    uint32_t block[3], thread[3];
    uint64_t address; /* if it is about an address */
} sw_fault;

/* ---- grids ---- */

/* What a finished grid did. */
typedef struct {
    uint64_t lane_ins;         /* instructions executed, summed over lanes */
    uint64_t start_ns, end_ns; /* sw_time_ns */
} sw_grid_stats;

enum { SW_DEVICE_WORDS = 5 }; /* at most, that a call writes */

/* A call of the device runtime by one thread that the engine leaves to its
 * user: launches, copies, attributes. */
typedef struct {
    int call; /* SW_DEVICE_... of ir.h */
    uint64_t block;
    uint32_t thread; /* in the block */
    uint64_t args[8];
    uint32_t dims[2][3]; /* of its arguments that are three numbers */
} sw_device_call;

/* What a grid runs against; shared by all launches of a context. Functions
 * may be called on any worker thread. */
typedef struct {
    uint32_t clock_khz; /* shader clock, for %clock */
    uint32_t sm_count;
    int device;           /* ordinal, for allocations */
    uint32_t stack_bytes; /* a thread's stack limit (recursion, alloca) */
    uint64_t heap_bytes;  /* limit of malloc in kernels */
    uint64_t heap_used;   /* atomically updated by the engine */
    /* Warp functions fault where a lane is not among the members it names: on
     * devices from 7.0 on. */
    bool members_checked;
    /* A warp is at a barrier once one of its lanes is: on devices before 7.0
     * (PTX ISA, bar, of targets up to sm_6x). */
    bool barriers_take_warps;
    /* NULL if the handle is no live texture or surface. */
    const sw_texture *(*texture)(void *arg, uint64_t handle);
    /* Grows, from at least 1, when a handle comes to stand for something else
     * or for nothing. NULL: what they stand for is asked for each time. */
    const uint64_t *texture_changes;
    /* Output of printf: whole formatted text of one call of one lane. */
    void (*print)(void *arg, const char *text, size_t bytes);
    /* For grids that have an owner; the result of the call, `value` what it
     * writes through its first argument. May be NULL: not supported. */
    uint64_t (*device_call)(void *arg, void *owner, const sw_device_call *call,
                            uint64_t value[SW_DEVICE_WORDS]);
    void *arg;
} sw_env;

/*
 * What whoever launches tells the kernel by %envreg registers. The engine does
 * nothing with it.
 */
enum { SW_ENVIRONMENT_WORDS = 23 };
typedef struct {
    /* Where the numbers of its threads begin in x, y and z: %envreg3 to
     * %envreg5 are the low words, %envreg6 to %envreg8 the high ones. */
    uint64_t offset[3];
    uint32_t words[SW_ENVIRONMENT_WORDS]; /* %envreg9 to %envreg31 */
} sw_environment;

typedef struct {
    sw_program *program;
    uint32_t grid[3], block[3]; /* all at least 1; checked by the caller */
    /* Blocks of a cluster, of which `grid` is a multiple; all 0: no clusters,
     * each block is one of its own. */
    uint32_t cluster[3];
    bool is_explicit_cluster; /* %is_explicit_cluster */
    uint32_t dynamic_shared_bytes;
    const void *params; /* program's param_bytes; copied */
    bool cooperative;   /* all blocks resident together; %envreg1/2 point to
                           a workspace */
    sw_env *env;        /* outlives the grid */
    uint64_t grid_id;   /* %gridid */
    sw_environment environment;
    void *owner;                 /* for env->device_call */
    const sw_observer *observer; /* or NULL; sees what the program was created
                                    for */
    /* The observer sees only blocks whose index is a multiple of `sample`; the
     * others run `plain`, a program of the same kernel without events. NULL:
     * it sees all. Not with `cooperative` or clusters. */
    sw_program *plain;
    uint32_t sample;
    /* Called once, on a worker thread or one that helps, when the last block
     * has ended or the grid has faulted and all its blocks have stopped. Both
     * pointers are valid during the call; fault->status is SW_OK if there was
     * none. */
    void (*done)(void *arg, const sw_fault *fault, const sw_grid_stats *stats);
    void *arg;
} sw_launch;

/* Queues the grid and returns. SW_E_NOMEM. done() is called exactly once if
 * SW_OK is returned, and not at all otherwise. */
sw_status sw_exec_submit(const sw_launch *launch);
/*
 * For threads that wait: runs blocks of short grids that wants() agrees to, on
 * the calling thread, until there are none. True if it did some. Such grids
 * wake nobody up if a worker will look for work soon by itself, so most of them
 * begin here. wants() must not wait for anything; it is called with the lock of
 * the workers held. One thread helps at a time.
 */
bool sw_exec_help(bool (*wants)(void *arg, const sw_launch *launch), void *arg);
/* From now on other processes may have kernels that change the same memory. */
void sw_exec_share_memory(void);
/* Runs fn(arg) on a worker thread; for copies and other short work. */
void sw_exec_post(void (*fn)(void *arg), void *arg);
/* For threads that wait, too: runs the first posted job that no worker has
 * begun and to whose argument wants() agrees, or that is not asked (NULL). As
 * long as it takes to wake a worker a large copy is done. False: there is none.
 */
bool sw_exec_help_job(bool (*wants)(void *arg, const void *job_arg), void *arg);
/* Number of worker threads: SOFTWARP_THREADS or the cores this process may
 * use. */
unsigned sw_exec_thread_count(void);

#endif
