/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warp.h - the compiling back end's part of a warp, for run/runtime.c (one warp
 * at a time, and what its code calls) and run/blocks.c (whole blocks). Of the
 * thread that runs the block.
 */
#ifndef SW_JIT_WARP_H
#define SW_JIT_WARP_H
#include <string.h>

#include "jit/jit.h"
#include "jit/run/fiber.h"
#include "jit/run/sync.h"
#include "jit/tier/variant.h"

/* What a warp has of a function that its kernel's code calls. */
typedef struct {
    sw_jit_ctx ctx; /* is_called */
    sw_run run;
    sw_frame frame; /* of the activation that calls the runtime */
    const sw_variant *variant;
    uint32_t site_count;
    uint8_t *rows; /* where they were allocated */
} sw_jit_called;

/* A path of a warp that is leaving, in a function. */
typedef struct {
    sw_frame *frame;
    uint32_t ins, position, mask;
} sw_jit_left;

/* Behind the interpreter's part of sw_warp.state. */
typedef struct {
    sw_jit_ctx ctx;
    sw_run run;
    sw_fiber *fiber;
    sw_variant *variant;
    sw_variant *base;       /* warp 0's: that or one whose wide variant it is */
    sw_jit_entry_fn *entry; /* of its phase */
    sw_stop stop;
    bool is_set_up;
    bool is_native;       /* this block's code is compiled */
    bool has_left;        /* ... but the warp goes on in the interpreter */
    bool has_run;         /* in a barrier ring: `stop` is still to be told */
    bool is_waiting;      /* at barrier `barrier` */
    bool awaits;          /* ... outside of which `generation` is to pass */
    bool was_interpreted; /* since the interpreter's warp_start */
    uint32_t barrier, generation;
    uint32_t spin_at, spins; /* the loop in which it rests, how often */
    uint32_t spin_epoch;     /* the block's then: not since a barrier */
    uint32_t spin_lanes;     /* how many went around then */
    uint32_t osr_count;   /* times it came in during this block (run/osr.c), */
    uint32_t osr_refused; /* ... times it could not */
    uint32_t asked;       /* how often, since it had its turn, by a loop
                             whose turns may be long: since when */
    uint64_t asked_ns;
    uint64_t stack_grid, stack_block; /* in which alloca was last asked for */
    /* Warp 0's: of all of the block. */
    sw_jit_blk block;
    sw_fiber *plain;           /* on which warps run that meet at no barrier */
    bool is_clean;             /* all warps are as set_up leaves them */
    uint64_t first, end, done; /* blocks that are being run */
    uint64_t work;    /* lane-instructions of the block that were interpreted */
    bool lanes_ended; /* the engine knows of some */
    /* sw_mem_generation, and what textures there were, when the windows were
     * empty. */
    uint64_t memory, textures;
    uint32_t site_count;
    sw_jit_window *windows;
    sw_tex_plan **plans;
    struct sw_jit_recorder *recorder; /* record.c's, or NULL */
    sw_jit_barrier_ring ring;
    bool has_joined; /* the warps became a ring at a barrier, and are one */
    /* Of what the kernel calls (run/called.c): [called_count] or NULL, and
     * their contexts; then, as the warp leaves, what has returned so far: its
     * paths, and the outermost frame, whose caller is still to come. */
    sw_jit_called **called;
    sw_jit_ctx **called_ctxs;
    uint32_t called_count;
    sw_jit_left left[SW_WARP_LANES];
    uint32_t left_count;
    sw_frame *orphan;
} sw_jit_warp;

static inline sw_jit_warp *
sw_jit_of(const sw_warp *warp)
{
    enum { AT = (sizeof(sw_iwarp) + 3 * SW_WARP_LANES * 4 + 63) / 64 * 64 };
    return (sw_jit_warp *)(void *)((uint8_t *)warp->state + AT);
}

static inline sw_warp *
sw_jit_warp_of(const sw_jit_ctx *ctx)
{
    return ctx->warp;
}

static inline unsigned
sw_jit_fused_warps_of(const sw_jit_warp *jw)
{
    return jw->variant->fused;
}

/* The variant, and the interpreter's state, of what a context runs: a kernel,
 * by fused warps, or a function. */
static inline const sw_variant *
sw_jit_variant_of(const sw_jit_ctx *ctx)
{
    return ctx->is_called ? ((const sw_jit_called *)ctx)->variant
                          : sw_jit_of(sw_jit_warp_of(ctx))->variant;
}

static inline sw_run *
sw_jit_run_of(sw_jit_ctx *ctx, unsigned warp)
{
    return ctx->is_called ? &((sw_jit_called *)ctx)->run
                          : &sw_jit_of(sw_jit_warp_of(ctx) + warp)->run;
}

/* All lanes that exist have not ended. */
static inline void
sw_jit_all_live(sw_jit_ctx *ctx)
{
    memcpy(ctx->live, ctx->lanes, sizeof ctx->live);
}

/* ---- run/runtime.c ---- */

/* For warp 0: the compiled variant, which is looked for if it is not known;
 * whether the block may run it. */
void sw_jit_find_variant(const sw_blk *blk, sw_jit_warp *first);
/* Before a block begins: another variant of the same; all begins anew. */
void sw_jit_change_variant(const sw_blk *blk, sw_variant *variant);
bool sw_jit_is_ready(const sw_blk *blk, const sw_variant *n);
/* What does not change from block to block; its end: all is zero. */
void sw_jit_set_up(sw_warp *warp, sw_jit_warp *jw);
void sw_jit_close(sw_jit_warp *jw);
/* What changes from block to block, of windows what is out of date. */
void sw_jit_set_up_block(const sw_blk *blk);
void sw_jit_check_windows(const sw_blk *blk, sw_jit_warp *first);
/* False: no memory. */
bool sw_jit_get_fiber(sw_jit_warp *jw);
void sw_jit_put_fiber(sw_jit_warp *jw);
/* Back to the block; returns when it is this warp's turn again. arg:
 * sw_jit_warp. */
void sw_jit_wait_turn(void *arg, sw_stop stop);
/* All lanes that are left end with the kernel's code. Blocks that run from
 * beginning to end need not be told. */
void sw_jit_end_warp(sw_jit_warp *jw);
/* The same of a warp that ran with others, who go on one by one. */
void sw_jit_end_alone(sw_jit_warp *jw);
/* What a fiber of a ring comes to if its code returns. arg: sw_jit_warp. */
void sw_jit_come_back(void *arg);
void sw_jit_take_count(sw_warp *warp, sw_jit_warp *jw);

/* For who wants to know why a kernel is slow, the first times. */
void sw_jit_tell_of_side_exit(sw_jit_ctx *ctx, const sw_jit_side_exit *x);

/* ---- run/observe.c: SW_JIT_ACCESS, SW_JIT_ACCESS_AT, SW_JIT_ACCESS_FUSED ----
 */
void sw_jit_help_access(sw_jit_ctx *ctx, uint32_t ins, uint32_t mask,
                        const uint64_t addr[SW_WARP_LANES], uint32_t bytes,
                        uint32_t table, uint32_t warp);
void sw_jit_help_access_at(sw_jit_ctx *ctx, uint32_t table, uint32_t mask,
                           uint64_t start, uint32_t warp);
void sw_jit_help_access_fused(sw_jit_ctx *ctx, uint32_t ins,
                              const uint32_t masks[],
                              const uint64_t addr[][SW_WARP_LANES],
                              uint64_t start, uint32_t bytes, uint32_t tables);

/* ---- run/called.c ---- */

/* After the context of the kernel's: those of what it calls, and their end. */
void sw_jit_called_open(sw_warp *warp, sw_jit_warp *jw,
                        void (*const *helpers)(void));
void sw_jit_called_close(sw_jit_warp *jw);
/* An activation calls the runtime. */
void sw_jit_called_enter(sw_jit_ctx *ctx);
/* SW_JIT_SIDE_EXIT of a function. */
void sw_jit_called_side_exit(sw_jit_ctx *ctx, uint32_t side_exit,
                             const uint32_t *mask);
/* The kernel leaves as well, where it called: the interpreter's paths. */
void sw_jit_called_end(sw_warp *warp, uint32_t ins);
/* Its windows are out of date. */
void sw_jit_called_forget(sw_jit_warp *jw);

/* ---- run/osr.c ---- */

/* The interpreted block goes on in compiled code, if there is some for it: its
 * warps are as those that have left. */
bool sw_jit_osr_begin(sw_blk *blk);
/* Whether the warp, which has left, is where it can come in, and has done so:
 * it is to run on its fiber. */
bool sw_jit_osr_enter(sw_warp *warp);
/* It is not to do so any more in this block. */
void sw_jit_osr_end(const sw_warp *warp);

/* ---- run/blocks.c ---- */

/* Where the block's code counts, if somebody observes. */
void sw_jit_open_counters(const sw_blk *blk, sw_jit_warp *first);
/* A warp on the plain fiber waits: the block goes on warp by warp. */
void sw_jit_break_plain(const sw_blk *blk, sw_jit_warp *first,
                        sw_jit_warp *running);
/* All threads of the block are at its barrier; the warp that came last asks:
 * they go on as a barrier ring if all can. */
void sw_jit_enter_ring(sw_jit_ctx *ctx);
/* The fiber of that warp has come back; if the ring is still there, it is at
 * its end, and so are all warps. */
void sw_jit_end_ring(const sw_blk *blk);
/* sw_backend.run_blocks */
uint64_t sw_jit_run_blocks(sw_blk *blk, uint64_t begin, uint64_t count);

/* run/spin.c: whether a warp in a loop that asks often (SW_JIT_SOON) goes on
 * before others have a turn: as many turns as other loops take, or as long as
 * these take about. */
bool sw_jit_may_go_on(sw_jit_warp *jw);
/* The lanes of so many masks. */
uint32_t sw_jit_count_lanes(const uint32_t *mask, unsigned warps);

#endif
