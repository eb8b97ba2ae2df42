/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_counter.h - counters in compiled code: between the observer that
 * counts (counters.h) and the compiler (src/jit), which puts additions into a
 * kernel instead of telling each event.
 *
 * An observer that offers sw_inline_counter gets sums for what compiled code
 * does, and events for what the interpreter does. Callbacks are called as those
 * of event.h.
 */
#ifndef SW_WATCH_INLINE_COUNTER_H
#define SW_WATCH_INLINE_COUNTER_H
#include "exec/event.h"

/* Beside the SW_EV_ bits of a program: its compiled code counts, for observers
 * with an sw_inline_counter; it tells no events. */
enum { SW_EV_INLINE = 1 << 30 };

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

/* ---- the table: what compiled code counts instead of reporting each event
 * ----
 *
 * The engine adds to numbers of the block, its *slots*, and a table says what
 * each stands for. Instructions are those of the kernel, numbered as
 * sw_ev_where.index. */

typedef enum {
    SW_COUNTER_WARPS,     /* a warp has executed them with all 32 lanes */
    SW_COUNTER_RUNS,      /* a warp has executed them, */
    SW_COUNTER_LANES,     /* ... with so many lanes */
    SW_COUNTER_BACK_RUNS, /* so many of these have not been executed after all
                           */
    SW_COUNTER_BACK_LANES,
    SW_COUNTER_ON,  /* of one with a guard: lanes for which it holds; the kinds
                     above count those for which it does not as well */
    SW_COUNTER_OFF, /* ... executions in which it holds for none */
    SW_COUNTER_TAKEN,     /* of one bra with a guard: executions in which lanes
                           take it, */
    SW_COUNTER_DIVERGENT, /* ... and others do not */
    SW_COUNTER_BLOCKS     /* blocks that began without block_begin */
} sw_counter_kind;

/* Of instructions [ins, ins + count). */
typedef struct {
    uint32_t slot, kind, ins, count;
} sw_counter_row;

/*
 * Accesses whose lanes lie at known distances: lane i is at[i] bytes from where
 * its group begins. Group 0 begins SW_COUNTER_PERIOD * n + bytes * k, counted
 * in slot first + k if all lanes run; if those of mask m, below mask_count, in
 * slot first + (m + 1) * SW_COUNTER_PERIOD / bytes + k. Mask m (0: no lanes, or
 * not known yet) is the 32-bit word mask_words * m + mask_word of those that
 * begin with the lower one of slot[masks]: of a warp alone every second, of one
 * of several that run together their masks in turn. Group g > 0 begins,
 * whenever one is counted here, slot[strides + g - 1] ^ SW_COUNTER_STRIDE bytes
 * after group 0. `confidence`: how sure the engine is of these strides, or what
 * it knows of the masks of warps together.
 */
enum {
    SW_COUNTER_PERIOD = 256,
    SW_COUNTER_GROUPS = 32,
    SW_COUNTER_MASKS = 8,       /* mask_count of a warp alone */
    SW_COUNTER_FUSED_MASKS = 16 /* ... of several together */
};
#define SW_COUNTER_STRIDE 0x4000000000000000u
typedef struct {
    uint32_t ins, first, strides, masks, confidence;
    uint8_t mask_count, mask_words, mask_word;
    uint8_t bytes;   /* a lane; a power of two up to 32 */
    uint8_t space;   /* sw_space: GLOBAL, CONST, SHARED */
    bool is_row;     /* lane i is i * bytes from lane 0 */
    uint16_t groups; /* 1 to SW_COUNTER_GROUPS: then lane i is group i */
    uint8_t group[32];
    int64_t at[32];
} sw_counter_access;

typedef struct {
    const sw_fn *kernel;
    const sw_counter_row *rows;
    const sw_counter_access *accesses;
    uint32_t row_count, access_count, slot_count;
} sw_counter_table;

/* sw_observer.inline_counter: */
struct sw_inline_counter {
    /*
     * Between block_begin and block_end: the slots of the block, 0 before their
     * first use, good until block_end: what compiled code adds to these stands
     * for calls of ins and branch, and of mem where the table says so. Other
     * accesses and all that the interpreter executes are events. block_begin
     * may then stand for a row of blocks, of which the last is in block_end. A
     * launch may have several tables, each of which outlives it. No events of
     * another kind.
     */
    uint64_t *(*slots)(void *arg, void *state, const sw_counter_table *table);
    /* NULL, or called instead of mem for loads, stores and atomics of the
     * kernel whose space is their own. */
    void (*access)(void *arg, void *state, const sw_ev_access *access);
};

#endif
