/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.h - the structs of the init tool, shared by its files:
 *
 *     init_tool.c    the process: memory, copies, launches
 *     init_values.c  a launch: undefined bits of registers and of memory
 *     init_use.c     origins, and what is said of a use
 *
 * Undefined bits arise where a kernel loads memory that nothing has written.
 * They go with the value from register to register and through memory, in
 * silence; what is reported is that they decide something: a branch, an
 * address, a divisor, an atomic operation, or that the host gets them.
 */
#ifndef SW_CHECK_INIT_H
#define SW_CHECK_INIT_H
#include <pthread.h>

#include "check/check.h"
#include "check/init_memory.h"
#include "check/memory.h"
#include "check/queued.h"

/* Where undefined bits were loaded first. The number of an origin is its place
 * in the tool's vec, plus 1; with INIT_COMPUTED the value is no mere copy. */
#define INIT_COMPUTED ((sw_init_origin)1 << 31)
typedef struct {
    const char *kernel; /* a copy */
    sw_find_place at;   /* the load; file is a copy */
    sw_space space;
    bool is_padding;  /* other bytes of the same load were defined */
    bool is_reported; /* once is enough: uses that follow are counted there */
    sw_find_place use;
    uint64_t launch;
    uint64_t serial; /* of the allocation; 0: none */
    sw_find_threads threads;
    sw_mev_range range; /* bytes 0: no allocation */
    sw_stack_id allocated, launched;
} init_origin;

typedef struct {
    sw_check *check;
    sw_allocations *allocations;
    sw_init_memory *memory;
    pthread_mutex_t lock; /* of what follows */
    sw_vec origins;       /* init_origin * */
    sw_queued *queued;
} init_tool;

typedef struct {
    init_tool *tool;
    const sw_watch_launch *launch;
    sw_stack_id stack;
    sw_observer observer;
    sw_init_origin *sites; /* [ins_count] the last origin made there */
    sw_vec locals;         /* const sw_sym *: of the kernel, in local memory */
    uint64_t local_end;    /* where the last of them ends */
    pthread_mutex_t lock;  /* of blocks */
    struct init_block *blocks;
} init_launch;

/* Of a register: lanes whose value has undefined bits. */
typedef struct {
    uint32_t lanes;
    uint64_t undefined[32];
    sw_init_origin origin[32];
} init_row;

/* ---- init_values.c ---- */

extern const sw_observer sw_init_callbacks;
void sw_init_find_locals(init_launch *launch);
/* Blocks that a fault has stopped. */
void sw_init_forget_blocks(init_launch *launch);

/* ---- init_use.c ---- */

typedef enum {
    INIT_USE_BRANCH,
    INIT_USE_ADDRESS,
    INIT_USE_DIVISOR,
    INIT_USE_ATOMIC,
    INIT_USE_HOST
} init_use;

/* A load of raw memory at `addr` (flat, or an offset in `space`). */
sw_init_origin sw_init_loaded(init_launch *l, const sw_ev_where *where,
                              uint32_t lane, sw_space space, uint64_t addr,
                              bool is_padding);
/* Lanes use values of that origin. */
void sw_init_used(init_launch *l, const sw_ev_where *where, uint32_t lanes,
                  sw_init_origin origin, init_use use);
/* A copy takes values of that origin to the host. */
void sw_init_copied_out(init_tool *t, sw_init_origin origin, sw_stack_id stack);
/* ... raw memory, all of it; or a library's computation reads that (`reader`,
 * else NULL). */
void sw_init_read_raw(init_tool *t, uint64_t addr, uint64_t bytes,
                      const char *reader, sw_stack_id stack);
/* The value may go to the host in silence: it is a copy of padding. */
bool sw_init_is_silent(init_tool *t, sw_init_origin origin);

#endif
