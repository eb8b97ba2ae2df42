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

/* A texture or surface has been accessed: one event for each texel of the
 * filter's footprint that the lanes read, so that each lane has one address.
 * Lanes outside the texture have none. */
typedef struct {
    uint32_t bytes;       /* of a texel */
    bool is_first;        /* the first event of this instruction */
    const uint64_t *addr; /* [32] flat */
} sw_ev_tex;

typedef struct {
    uint32_t taken; /* of the mask, lanes that go to targets[0] */
} sw_ev_branch;

typedef struct {
    uint32_t barrier;
    bool is_arrival; /* else release */
} sw_ev_barrier;

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
} sw_observer;

#endif
