/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - what an observer of a launch sees: the interface between engines
 * (exec, interp, jit) and consumers (watch: checkers, counters, traces).
 * memory_event.h is the other half: the life of memory and the order of work.
 *
 * An observer says in `events` what it wants. Each callback may be NULL. Calls
 * for one block come from one thread at a time, in the order in which the block
 * executes; calls for different blocks come from different threads at the same
 * time. Blocks of one cluster run on one thread, in turns. Pointers in an event
 * are valid during the call. An observer must not touch the memory of the
 * guest, and may call nothing of rt or of the API.
 *
 * Arrays of 32 are by lane; what they hold for lanes outside of the mask is
 * unspecified. An access that is a device fault is no event.
 *
 * When an event comes. The interpreter tells it before its instruction has an
 * effect, unless its comment says otherwise. Compiled code keeps events of its
 * block in a buffer and tells them later, in the same order, at the latest when
 * the block ends, gives its turn away, or has something done by the
 * interpreter. Who needs an order between blocks asks for SW_EV_ORDER. Then:
 *
 *   - a *strong* access is an atomic, or one whose order is not WEAK, to memory
 *     that other blocks can reach (all but .shared, .local, .const by name). It
 *     and a fence come before they take effect, and after all events of the
 *     block before them. So a release has been told before any other block can
 *     see what it has written.
 *   - an acquire may be told before another block's release whose value it will
 *     read: that release may be told, and take effect, between the acquire's
 *     event and the acquire itself. It has been told by the time of the warp's
 *     next event. An observer takes what was acquired into account there.
 *   - two strong accesses of different blocks may take effect in the other
 *     order than they are told, if both had been told before either took
 * effect.
 */
#ifndef SW_EVENT_H
#define SW_EVENT_H
#include "ir/ir.h"

enum {
    SW_EV_BLOCK = 1 << 0,   /* block_begin, block_end */
    SW_EV_INS = 1 << 1,     /* ins: every instruction a warp executes */
    SW_EV_MEM = 1 << 2,     /* mem: loads, stores, atomics of all spaces but
                               parameters */
    SW_EV_BRANCH = 1 << 3,  /* branch */
    SW_EV_BARRIER = 1 << 4, /* barrier: of blocks and clusters */
    SW_EV_OFF = 1 << 5,     /* with INS: ins also for instructions whose guard
                               holds back every lane (mask 0) */
    SW_EV_TEX = 1 << 6,     /* tex: fetches of textures, surfaces */
    SW_EV_WARP = 1 << 7,    /* warp: operations of the lanes of a warp */
    SW_EV_ASYNC = 1 << 8,   /* async: cp.async, cp.async.bulk and their waits */
    SW_EV_MBAR = 1 << 9,    /* mbar: mbarrier operations */
    SW_EV_FENCE = 1 << 10,  /* fence */
    SW_EV_HEAP = 1 << 11,   /* heap: malloc and free in kernels */
    SW_EV_EXIT = 1 << 12,   /* exited: lanes end */
    SW_EV_VALUES = 1 << 13, /* with MEM: sw_ev_mem.before and .after */
    SW_EV_FAULT = 1 << 14,  /* fault */
    SW_EV_ORDER = 1 << 15,  /* what blocks can see of each other is told in
                               order: see above */
    SW_EV_ALL = (1 << 16) - 1,
    SW_EV_QUIET = 1 << 16 /* with MEM: sw_observer.quiet; no event */
};

/* Which warp of which block. */
typedef struct {
    uint32_t block[3];
    uint64_t block_index; /* x + gx * (y + gy * z) */
    uint32_t warp;        /* in the block; lane i is thread 32 * warp + i */
    void *state;          /* what block_begin returned; NULL without it */
    const sw_fn *fn;
    const sw_ins *ins;
    uint32_t index;  /* of ins: dense over all that the kernel can reach,
                        below sw_program_info.ins_count */
    uint32_t mask;   /* lanes that execute it */
    uint32_t active; /* ... and those of the same path whose guard is false;
                        tex: those that execute it, outside or not; but for
                        ins, branch and tex: as mask */
    /* With SW_EV_INS and SW_EV_VALUES (which compiled code does not tell
     * together), of ins, mem and warp: what a lane's operand holds
     * before the instruction (destinations are counted first; a predicate is 0
     * or 1, negated or not as it stands); else NULL. Give it `engine`. */
    uint64_t (*value)(const void *engine, unsigned operand, unsigned lane);
    const void *engine;
} sw_ev_where;

/*
 * A load, store or atomic. A generic access that reaches several spaces, or the
 * shared memory of several blocks, is one event for each, with the lanes
 * concerned in where->mask. cp.async is two: a load of global memory and a
 * store to shared memory, both with is_async. Matrices are moved by the
 * accesses that a device's assembler makes of that.
 */
typedef struct {
    sw_space space; /* resolved: generic addresses too */
    uint32_t bytes; /* a lane: whole vector */
    bool is_read, is_write, is_atomic;
    bool is_async;  /* may happen as late as the wait for it */
    sw_order order; /* WEAK, VOLATILE, or as written; of an atomic that says
                       none RELAXED */
    sw_scope scope; /* NONE for WEAK; of an atomic that says none GPU, VOLATILE
                       SYS */
    sw_atom op;     /* if is_atomic */
    sw_type type;   /* of an element */
    uint64_t owner; /* SHARED: index of the block whose memory it is */
    /* Flat addresses; SHARED: offsets in the block's shared memory, LOCAL:
     * offsets in the thread's local memory. */
    const uint64_t *addr; /* [32] */
    /* With SW_EV_VALUES, else NULL; lane i has `bytes` at i * bytes. before:
     * what is there now (another block may change it at the same time); after:
     * of stores and atomics what will be, other lanes of lower number first;
     * NULL for loads. */
    const uint8_t *before, *after;
} sw_ev_mem;

/* A texture or surface has been accessed: lane i has read (or written) texels
 * at addr[n][i] for each n below `count` whose mask[n] has it, none if it is
 * outside. Addresses are flat; those of arrays (`tiled`) are as if sixteen
 * bytes of a row lay beside the same of the next one, as on a device. */
typedef struct {
    uint32_t bytes; /* of a texel */
    uint32_t count; /* at least 1 */
    bool tiled;
    const uint32_t *mask;
    const uint64_t (*addr)[32];
} sw_ev_tex;

typedef struct {
    uint32_t taken; /* of the mask, lanes that go to targets[0] */
} sw_ev_branch;

/* Lanes of where->mask arrive at a barrier of the block or the cluster, or go
 * on from it. */
typedef struct {
    uint32_t barrier;  /* 0 to 15; of a cluster 0 */
    bool is_arrival;   /* else release */
    bool is_cluster;   /* barrier.cluster: arrive, and the release of wait */
    bool waits;        /* an arrival: the same instruction waits; false:
                          bar.arrive, barrier.cluster.arrive */
    bool is_aligned;   /* all lanes of the warp must come together */
    uint32_t expected; /* threads as the instruction says; 0: all of the block
                          that have not ended */
    uint32_t live;     /* threads of the block (cluster) that have not ended */
    uint32_t generation; /* how often the barrier has been completed: before an
                            arrival; including the one that ended a wait */
} sw_ev_barrier;

/* bar.warp.sync, vote, shfl, match, redux, elect, activemask: all lanes of
 * where->mask have come, those of `members` that have not ended among them or,
 * for bar.warp.sync, still to come: the event is of the lanes that arrive. */
typedef struct {
    uint32_t ended;          /* lanes of the warp that have ended */
    const uint32_t *members; /* [32] as each lane names them; the mask if the
                                form names none */
    /* shfl, else NULL: [32] the lane that each reads of, whether it is here or
     * not; its own where the source is out of range. */
    const uint8_t *from;
} sw_ev_warp;

/*
 * cp.async, cp.async.bulk, their commits and waits: kinds as in ir.h. WAIT: all
 * groups of the thread but `groups` have ended; BULK_READ: their sources have
 * been read. ARRIVE: `mbar` hears when all copies of the thread so far have
 * ended (with .noinc an mbar event says so). Copies are done here when they are
 * issued, on a device as late as the wait; the event of a bulk copy comes after
 * it. Offsets in shared memory as in sw_ev_mem. A multicast is one event for
 * each block that it goes to.
 */
typedef struct {
    sw_async kind;
    uint32_t groups;
    sw_space from_space, to_space; /* GLOBAL, SHARED */
    uint64_t from_owner, to_owner; /* of SHARED: the block's index */
    const uint64_t *from, *to;     /* [32]; NULL: no copy */
    const uint64_t *bytes;         /* [32] copied */
    uint32_t written;              /* COPY, and BULK of what lies outside of a
                                      tensor: bytes at `to`, those above
                                      `bytes` a constant */
    const uint64_t *mbar;          /* [32] offset in to_owner's; NULL: none */
} sw_ev_async;

typedef enum {
    SW_MBAR_OP_INIT, /* count: arrivals that complete a phase */
    SW_MBAR_OP_INVAL,
    SW_MBAR_OP_ARRIVE,   /* count: arrivals; bytes: expected first */
    SW_MBAR_OP_EXPECT,   /* bytes: expected */
    SW_MBAR_OP_COMPLETE, /* bytes: have come */
    SW_MBAR_OP_TEST
} sw_mbar_op;

/* Comes after the operation. */
typedef struct {
    sw_mbar_op op;
    bool drops;            /* ARRIVE: the phases to come expect one less */
    bool is_async;         /* ARRIVE: by cp.async.mbarrier.arrive.noinc */
    uint64_t owner;        /* index of the block whose shared memory it is */
    const uint64_t *addr;  /* [32] offset there */
    const uint64_t *count; /* [32] */
    const uint64_t *bytes; /* [32] */
    const uint8_t *phase;  /* [32] parity of the current phase before */
    uint32_t completed;    /* lanes whose operation ended the phase; TEST: to
                              which it said that theirs has ended */
} sw_ev_mbar;

typedef struct {
    sw_order order; /* ACQ_REL, SC, ...; membar is SC */
    sw_scope scope;
} sw_ev_fence;

/* malloc: after it; free: before it. */
typedef struct {
    bool is_free;
    const uint64_t *addr;  /* [32] malloc: 0: none left; free: as given */
    const uint64_t *bytes; /* [32] as asked for; free: 0 */
} sw_ev_heap;

/* Lanes of where->mask have ended, by ret or exit of the kernel. After it. */
typedef struct {
    uint32_t live; /* threads of the block that have not */
} sw_ev_exit;

/* A device fault, which ends the grid: the first of a block is told, and
 * where->index is not known. where->mask is the lane's bit. */
typedef struct {
    sw_status status;
    uint32_t lane;    /* 32: no particular thread */
    sw_space space;   /* GLOBAL, or the window that the access names */
    uint64_t address; /* flat, or an offset in the window; 0: about none */
    bool is_host;     /* an address outside of the device's */
} sw_ev_fault;

/* Accesses of an instruction of which mem need not hear: those of lanes whose
 * address (as in sw_ev_mem; flat if the instruction names no space) is less
 * than `limit` above `first`. */
typedef struct {
    uint64_t first;
    _Atomic uint64_t limit; /* 0: it hears of all */
} sw_ev_quiet;

struct sw_inline_counter; /* watch/inline_counter.h */
struct sw_ev_buffer;      /* event_buffer.h */

typedef struct {
    void *arg;
    uint32_t events; /* SW_EV_ bits of the callbacks that it wants */
    /* What it returns is the `state` of all events of the block. */
    void *(*block_begin)(void *arg, const uint32_t block[3], uint64_t index);
    /* Not for blocks that a fault has stopped. */
    void (*block_end)(void *arg, void *state, const uint32_t block[3],
                      uint64_t index);
    void (*ins)(void *arg, const sw_ev_where *where);
    void (*mem)(void *arg, const sw_ev_where *where, const sw_ev_mem *mem);
    void (*branch)(void *arg, const sw_ev_where *where, const sw_ev_branch *b);
    void (*barrier)(void *arg, const sw_ev_where *where,
                    const sw_ev_barrier *b);
    void (*tex)(void *arg, const sw_ev_where *where, const sw_ev_tex *t);
    void (*warp)(void *arg, const sw_ev_where *where, const sw_ev_warp *w);
    void (*async)(void *arg, const sw_ev_where *where, const sw_ev_async *a);
    void (*mbar)(void *arg, const sw_ev_where *where, const sw_ev_mbar *m);
    void (*fence)(void *arg, const sw_ev_where *where, const sw_ev_fence *f);
    void (*heap)(void *arg, const sw_ev_where *where, const sw_ev_heap *h);
    void (*exited)(void *arg, const sw_ev_where *where, const sw_ev_exit *x);
    void (*fault)(void *arg, const sw_ev_where *where, const sw_ev_fault *f);
    /* NULL, or instead of ins, mem and branch where compiled code tells them:
     * many at once, as they lie in the block's buffer (event_buffer.h). */
    void (*buffer)(void *arg, void *state, const struct sw_ev_buffer *buffer);
    /* With SW_EV_QUIET: the table of the block with that state, by numbers of
     * instructions, until block_end. Calls for the block may change it at any
     * time; another thread may set a limit to 0. */
    sw_ev_quiet *(*quiet)(void *arg, void *state);
    /* NULL, or code that the compiler puts into kernels for it, instead of ins,
     * mem and branch. An observer that has it runs alone in a launch, or gets
     * events. */
    const struct sw_inline_counter *inline_counter;
} sw_observer;

#endif
