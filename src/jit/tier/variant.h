/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variant.h - compiled variants of a program: one for each way in which warps
 * lie in a block, made when the program has shown that it is worth it. Between
 * run/runtime.c, which runs them, and tier/variant.c, which gets them from the
 * compiler (libsoftwarp-jit) or from the cache.
 */
#ifndef SW_JIT_VARIANT_H
#define SW_JIT_VARIANT_H
#include <pthread.h>
#include <stdatomic.h>

#include "interp/interp.h"
#include "jit/abi.h"
#include "jit/tier/cache.h"
#include "jit/tier/object.h"

typedef void sw_jit_entry_fn(sw_jit_ctx *ctx);

typedef enum {
    SW_VARIANT_NEW,     /* the interpreter runs it */
    SW_VARIANT_WAITING, /* ... while it is looked for or compiled */
    SW_VARIANT_READY,
    SW_VARIANT_FAILED
} sw_variant_state;

/* What running blocks took. */
typedef struct {
    atomic_uint_fast64_t ns, blocks;
} sw_variant_run;

/* Of two variants for the same blocks: which is faster (tier/autotune.c). */
typedef struct {
    sw_variant_run runs[2]; /* as it is being tried: with this variant, with
                              the wide one */
    atomic_uint_fast64_t until_ns; /* it is tried again then, ... */
    atomic_uint_fast64_t lasts_ns; /* having been kept for so long */
    atomic_bool is_wide;           /* what was found; false: nothing yet */
    atomic_flag is_busy;           /* somebody decides */
} sw_variant_autotune;

/* One compiled variant. */
typedef struct sw_variant {
    struct sw_variant *next;
    const sw_program *program;
    bool is_wide; /* by more fused warps than seemed to pay: another's `wide` */
    bool is_osr;  /* for blocks that the interpreter began: its `osr` */
    uint32_t ntid[3]; /* of blocks whose warps have phases; else 0 */
    sw_lane_map map, fused_maps[SW_JIT_FUSED_SIZES];
    atomic_int state; /* sw_variant_state; the rest is written before READY */
    atomic_uint_fast64_t work;    /* lane-instructions interpreted so far, */
    atomic_uint_fast64_t blocks;  /* ... in so many blocks */
    atomic_uint_fast64_t grid_id; /* of one of the last */
    atomic_uint grids;            /* that have had such blocks */
    atomic_bool is_compiling;     /* WAITING for the compiler, not the cache */
    atomic_bool has_rest;         /* a worker rests until then, or has */
    bool is_looked_up;            /* in the cache, by `key` */
    sw_jit_key key;
    sw_jit_object *
        *objects; /* [partition_count], what a debugger knows of them, */
    struct sw_jit_debug **debugs;
    sw_jit_entry_fn **entries; /* ... where they begin */
    uint64_t *partition_bytes;
    uint32_t partition_count;
    sw_jit_entry_fn *entry; /* of the first */
    uint32_t fused;         /* warps that it runs at once: 1, 2, 4 or 8 */
    bool has_wide;          /* see sw_jit_result, */
    bool has_local_rows;    /* ... as well */
    bool flushes;
    _Atomic(struct sw_variant *)
        wide;                     /* the same blocks' other variant, or NULL */
    sw_variant_autotune autotune; /* of that */
    _Atomic(struct sw_variant *) osr; /* or NULL */
    atomic_bool has_looked; /* in the cache; not is_osr: for few blocks */
    sw_jit_block_loop block_loop;
    uint32_t phases;
    sw_jit_site *sites;
    uint32_t site_count;
    sw_jit_latch *latches;
    uint32_t latch_count;
    sw_jit_side_exit *side_exits;
    uint32_t side_exit_count;
    sw_jit_location *locations;
    uint32_t location_count;
    uint32_t *stack_map;
    uint32_t stack_map_count;
    sw_jit_osr_entry *osr_entries;
    uint32_t entry_count;
    uint32_t *stops; /* [entry_count] their instructions */
    sw_jit_reconv_point *points;
    uint32_t point_count;
    int32_t *lanes;
    uint32_t lane_count;
    uint64_t *syms; /* addresses */
    uint32_t sym_count;
    sw_counter_row *rows;
    uint32_t row_count;
    sw_counter_access *accesses;
    uint32_t access_count, slot_count;
    sw_counter_table counters;   /* of these */
    struct sw_ev_site *ev_sites; /* or [access_count] the same for record.h */
    atomic_uint leaves_told; /* messages that a warp left for the interpreter */
    atomic_uint comings;     /* is_osr: warps that came from there */
    /* What its code calls (run/called.c), by number in the program, NULL: not
     * compiled; `of` is its own, 0 the kernel. */
    struct sw_variant **called;
    uint32_t called_count, of;
} sw_variant;

/* sw_program.code of this back end. */
typedef struct {
    sw_interp_code interp; /* first: the interpreter finds its own there */
    pthread_mutex_t lock;  /* of the list */
    pthread_cond_t done;   /* a compilation has ended */
    sw_variant *variants;
    bool records; /* compiled code tells the program's events */
    struct {      /* what was asked for last; variant: NULL at first */
        uint32_t ntid[3];
        bool is_large_grid;
        sw_variant *variant;
    } last;
} sw_jit_program;

/* The variant for blocks of this shape in such grids, compiled or not. */
sw_variant *sw_variant_find(const sw_program *program, const uint32_t ntid[3],
                            bool is_large_grid);
/* The interpreter begins a block. While the variant is compiled it may wait for
 * that instead: not all workers interpret a grid that has much left to do. */
void sw_variant_begin_block(sw_variant *variant, const sw_blk *blk);
/* The interpreter has executed so much more of it; may start a compilation. */
void sw_variant_note_work(sw_variant *variant, const sw_blk *blk,
                          uint64_t lane_ins);
/* Compiles now, if SOFTWARP_ENGINE=jit asks for it. */
void sw_variant_prepare(sw_variant *variant);
/* One more variant, for the same blocks, of one that is ready; is compiled
 * meanwhile. No more than one is made. */
void sw_variant_tier_up(sw_variant *variant);
/* Nanoseconds of work, on all workers, after which that may pay; UINT64_MAX:
 * never. */
uint64_t sw_variant_tier_up_ns(const sw_variant *variant);
/* For a block that the interpreter has begun, and of which it has executed so
 * many lane-instructions: whether there is a variant by which it can go on
 * (run/osr.c), which may be looked for or compiled beside it. */
bool sw_variant_wants_osr(sw_variant *variant, const sw_blk *blk,
                          uint64_t work);
/* That variant; NULL: not yet. */
sw_variant *sw_variant_find_osr(const sw_variant *variant);
/* One of its variants is being compiled. */
bool sw_variant_is_busy(const sw_program *program);
/* Waits for what is being compiled. */
void sw_variant_destroy_all(sw_jit_program *code);

/* ---- tier/variant.c, for tier/policy.c ---- */

/* SOFTWARP_JIT_OSR: 0; not set; 1: no other variants, and these at once. */
typedef enum {
    SW_VARIANT_OSR_NEVER,
    SW_VARIANT_OSR_LATE,
    SW_VARIANT_OSR_ONLY
} sw_variant_osr_use;
sw_variant_osr_use sw_variant_uses_osr(void);
/* variant->osr, which is made if there is none. */
sw_variant *sw_variant_osr_of(sw_variant *variant);
/* From NEW to WAITING, for the compiler or for the cache; false: it is no
 * longer NEW. Then one of the others: for what is in the cache, to READY or
 * back to NEW, beside or now; for what is there or can be compiled, beside, to
 * READY or FAILED. */
bool sw_variant_claim(sw_variant *variant, bool compiles);
void sw_variant_look(sw_variant *variant);
void sw_variant_look_now(sw_variant *variant);
void sw_variant_compile(sw_variant *variant);

/* ---- tier/policy.c ---- */

/* Its instructions, or as many as a small one is taken for. */
uint64_t sw_variant_size(const sw_variant *variant);

/* ---- tier/callable.c ---- */

/* Which functions of the program may be compiled for being called
 * [fn_count], sw_free. */
bool *sw_variant_find_callable(const sw_program *program);
/* For sw_jit_request.called. */
const sw_fn *sw_variant_called_fn(const sw_program *program,
                                  const bool *callable, const sw_fn *caller,
                                  const sw_ins *call, uint32_t *number);

/* ---- tier/autotune.c ---- */

/* The variant by which a context that has used `now` is to run its next blocks:
 * `variant` or variant->wide. */
sw_variant *sw_variant_choose(sw_variant *variant, const sw_variant *now,
                              uint64_t now_ns);
/* So many blocks took so long by `used`, which is `variant` or its wide one, on
 * one worker. */
void sw_variant_note_run(sw_variant *variant, const sw_variant *used,
                         uint64_t blocks, uint64_t ns, uint64_t now_ns);
/* There is, or may be, something to choose from. */
bool sw_variant_is_autotuned(const sw_variant *variant);

#endif
