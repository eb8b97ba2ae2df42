/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - what an observer of a launch sees: the interface between engines
 * (exec, interp, jit) and consumers (watch: checkers, counters, traces).
 *
 * Each callback may be NULL and is called only if its bit was in the `events`
 * of the program. Calls for one block come from one thread at a time, in the
 * order of execution of that block; calls for different blocks come from
 * different threads at the same time. Pointers in an event are valid during
 * the call. An observer must not touch the memory of the guest.
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
    SW_EV_BARRIER = 1 << 4, /* barrier */
    SW_EV_OFF = 1 << 5,     /* with INS: ins also for instructions whose guard
                               holds back every lane (mask 0) */
    SW_EV_TEX = 1 << 6      /* tex: fetches of textures, surfaces */
};

/* Which warp of which block. */
typedef struct {
    uint32_t block[3];
    uint64_t block_index; /* x + gx * (y + gy * z) */
    uint32_t warp;        /* in the block */
    void *state;          /* what block_begin returned; NULL without it */
    const sw_fn *fn;
    const sw_ins *ins;
    uint32_t index;  /* of ins: dense over all that the kernel can reach,
                        below sw_program_info.ins_count */
    uint32_t mask;   /* lanes that execute it */
    uint32_t active; /* ... and those of the same path whose guard is false;
                        for mem: as mask */
} sw_ev_where;

typedef struct {
    sw_space space; /* resolved: generic addresses too */
    uint32_t bytes; /* a lane: whole vector */
    bool is_read, is_write, is_atomic;
    /* Flat addresses; SHARED: offsets in the block's shared memory, LOCAL:
     * offsets in the thread's local memory. Lanes outside mask unspecified. */
    const uint64_t *addr; /* [32] */
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

typedef struct {
    uint32_t barrier;
    bool is_arrival; /* else release */
} sw_ev_barrier;

/* An access that compiled code reports; as in sw_ev_where and sw_ev_mem. */
typedef struct {
    const sw_fn *fn;
    const sw_ins *ins;
    uint32_t index, mask;
    sw_space space;
    uint32_t bytes;
    bool is_row;          /* lane i is at addr[0] + i * bytes */
    const uint64_t *addr; /* [32] */
} sw_ev_access;

/* ---- tallies: what compiled code counts instead of reporting each event ----
 *
 * The engine adds to numbers of the block, its *slots*, and a table says what
 * each stands for. Instructions are those of the kernel, numbered as
 * sw_ev_where.index. */

typedef enum {
    SW_TALLY_WARPS,     /* a warp has executed them with all 32 lanes */
    SW_TALLY_RUNS,      /* a warp has executed them, */
    SW_TALLY_LANES,     /* ... with so many lanes */
    SW_TALLY_BACK_RUNS, /* so many of these have not been executed after all */
    SW_TALLY_BACK_LANES,
    SW_TALLY_ON,    /* of one with a guard: lanes for which it holds; the kinds
                       above count those for which it does not as well */
    SW_TALLY_OFF,   /* ... executions in which it holds for none */
    SW_TALLY_TAKEN, /* of one bra with a guard: executions in which lanes
                       take it, */
    SW_TALLY_DIVERGENT, /* ... and others do not */
    SW_TALLY_BLOCKS     /* blocks that began without block_begin */
} sw_tally_kind;

/* Of instructions [ins, ins + count). */
typedef struct {
    uint32_t slot, kind, ins, count;
} sw_tally_row;

/*
 * Accesses whose lanes lie at known distances: lane i is at[i] bytes from where
 * its group begins. Group 0 begins SW_TALLY_PERIOD * n + bytes * k, counted in
 * slot first + k if all lanes run; if those of mask m, below mask_count, in
 * slot first + (m + 1) * SW_TALLY_PERIOD / bytes + k. Mask m (0: no lanes, or
 * not known yet) is the 32-bit word mask_words * m + mask_word of those that
 * begin with the lower one of slot[masks]: of a warp alone every second, of one
 * of several that run together their masks in turn. Group g > 0 begins,
 * whenever one is counted here, slot[keys + g - 1] ^ SW_TALLY_KEY bytes after
 * group 0. `votes`: how sure the engine is of these keys, or what it knows of
 * the masks of warps together.
 */
enum {
    SW_TALLY_PERIOD = 256,
    SW_TALLY_GROUPS = 32,
    SW_TALLY_MASKS = 8,      /* mask_count of a warp alone */
    SW_TALLY_TEAM_MASKS = 16 /* ... of several together */
};
#define SW_TALLY_KEY 0x4000000000000000u
typedef struct {
    uint32_t ins, first, keys, masks, votes;
    uint8_t mask_count, mask_words, mask_word;
    uint8_t bytes;  /* a lane; a power of two up to 32 */
    uint8_t groups; /* 1 to SW_TALLY_GROUPS: then lane i is group i */
    uint8_t space;  /* sw_space: GLOBAL, CONST, SHARED */
    bool is_row;    /* lane i is i * bytes from lane 0 */
    uint8_t group[32];
    int64_t at[32];
} sw_tally_access;

typedef struct {
    const sw_fn *kernel;
    const sw_tally_row *rows;
    const sw_tally_access *accesses;
    uint32_t row_count, access_count, slot_count;
} sw_tally;

typedef struct {
    void *arg;
    /* What it returns is the `state` of all events of the block. */
    void *(*block_begin)(void *arg, const uint32_t block[3], uint64_t index);
    void (*block_end)(void *arg, void *state, const uint32_t block[3],
                      uint64_t index);
    void (*ins)(void *arg, const sw_ev_where *where);
    void (*mem)(void *arg, const sw_ev_where *where, const sw_ev_mem *mem);
    void (*branch)(void *arg, const sw_ev_where *where, const sw_ev_branch *b);
    void (*barrier)(void *arg, const sw_ev_where *where,
                    const sw_ev_barrier *b);
    void (*tex)(void *arg, const sw_ev_where *where, const sw_ev_tex *t);
    /*
     * NULL: it wants each event, and in order. Else, between block_begin and
     * block_end, the slots of the block, 0 before their first use, good until
     * block_end: what compiled code adds to these stands for calls of ins and
     * branch, and of mem where the table says so. Other accesses and all that
     * the interpreter executes are events. block_begin may then stand for a
     * row of blocks, of which the last is in block_end. The table is the same
     * for all blocks of a launch and outlives it. No barrier events.
     */
    uint64_t *(*tally)(void *arg, void *state, const sw_tally *table);
    /* With tally: NULL, or called instead of mem for loads, stores and atomics
     * of the kernel whose space is their own. */
    void (*access)(void *arg, void *state, const sw_ev_access *access);
} sw_observer;

#endif
