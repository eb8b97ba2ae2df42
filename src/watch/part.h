/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part.h - inside the counters: what they keep while a launch runs; counters.c
 * says how.
 */
#ifndef SW_WATCH_PART_H
#define SW_WATCH_PART_H
#include <pthread.h>

#include "watch/cache.h"
#include "watch/counter_sums.h"
#include "watch/counters.h"
#include "watch/wave.h"

/* What lanes did with one kind of memory at one instruction. */
typedef struct cell {
    struct cell *next;
    sw_access access;
    sw_count_mem n;
} cell;

/* Ways to count an access that is a pure function of 32 addresses and fits into
 * few sums. */
typedef enum {
    SW_QUICK_UNKNOWN, /* not looked at */
    SW_QUICK_NONE,
    SW_QUICK_SECTORS, /* global memory, 5.0 on */
    SW_QUICK_BANKS,   /* shared memory, elements of up to 4 bytes, 5.0 on */
    SW_QUICK_LANES    /* the same, atomics whose lanes take turns */
} sw_quick_kind;

typedef struct {
    uint64_t requests, threads;
    uint64_t found; /* sectors, passes */
    uint64_t lines, ideal, serialized;
} sw_quick_sums;

/* One instruction. */
typedef struct {
    const sw_fn *fn;
    const sw_ins *ins;
    sw_counter_sums n;
    cell *cells;
    /* An atomic: 0 not yet looked at, 1 + is a reduction; its form. Of a
     * texture: how many halves are used, 0 not yet looked at. */
    uint8_t atomic, form;
    /* An access that compiled code reports, added up in a shorter way. */
    uint8_t quick; /* sw_quick_kind */
    uint8_t bytes; /* ... of so many a lane */
    sw_quick_sums sums;
} hot;

/* What one compiled form of the kernel has counted. */
typedef struct counted {
    struct counted *next;
    const sw_counter_table *table;
    uint64_t *slots;
} counted;

typedef struct part {
    struct part *next;      /* of all */
    struct part *next_free; /* of those that no block has */
    hot *ins;               /* [ins_count] */
    sw_arena *arena;        /* cells */
    uint64_t blocks;
    counted *counted; /* what compiled code counted here */
    /* With caches; of the block that has it. */
    uint64_t block;
    sw_l1 *l1, *texture; /* one and the same from 5.0 on */
    sw_vec *turns;       /* [warps_block] turn: requests of a warp */
    sw_vec asked;        /* their sectors */
    sw_vec queue;        /* sw_l2_access: for L2, at the block's end */
} part;

struct sw_counters {
    sw_count_launch launch;
    sw_observer observer;
    pthread_mutex_t lock; /* of the lists */
    part *parts, *free;
    uint32_t cc;
    uint32_t warps_block, threads_block;
    bool lines;     /* global loads fetch lines */
    bool l1_global; /* global loads look into L1 */
    uint64_t l1_bytes, texture_bytes;
    uint32_t resident; /* blocks on the device at a time */
    sw_l2 *l2;         /* NULL without caches */
    sw_wave *wave;
    sw_counts total;
    sw_vec rows; /* sw_count_row, after finish */
};

/* ---- counters.c ---- */

/* What the part has of that kind, first 0. */
cell *sw_part_find_cell(part *p, hot *h, sw_access access);
/* The event mem. */
void sw_part_on_mem(void *arg, const sw_ev_where *w, const sw_ev_mem *m);
/* Finds h->atomic and h->form. */
void sw_part_look_at_atomic(const sw_counters *c, hot *h, const sw_fn *fn,
                            const sw_ins *ins);

/* ---- compiled.c: the rest of the observer ---- */

uint64_t *sw_part_open_slots(void *arg, void *state,
                             const sw_counter_table *table);
extern const struct sw_inline_counter sw_part_inline_counter;
void sw_part_on_access(void *arg, void *state, const sw_ev_access *access);
/* After the launch: what compiled code has counted, added to the rest. */
void sw_part_close(sw_counters *c, part *p);

#endif
