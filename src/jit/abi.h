/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abi.h - between compiled code, the runtime that runs it (libcuda) and the
 * compiler that makes it (libsoftwarp-jit, loaded when first needed: it
 * has LLVM in it).
 *
 * A compiled kernel is a relocatable ELF object for x86-64 with one function
 * SW_JIT_ENTRY, void (sw_jit_ctx *), which runs one warp, or *fused*: two,
 * four or eight neighbours as one warp of 64 to 256 lanes, from the first
 * instruction to the end on the warp's fiber. Fused warps have the context of
 * the first warp. A large kernel is several such objects, its *partitions*,
 * whose functions jump to each other. A function that kernels call is such an
 * object too: u32 (sw_jit_ctx *, u32 mask), by lanes of a warp, in a context of
 * its own, by SW_JIT_CALLED. The objects have no relocation against a symbol of
 * ours: everything outside is reached through the context, other partitions
 * too, so that they can be kept on disk and loaded by any process.
 */
#ifndef SW_JIT_ABI_H
#define SW_JIT_ABI_H
#include "opt/shape.h"
#include "watch/inline_counter.h"

#define SW_JIT_ENTRY "softwarp_kernel"

/* Of MXCSR: subnormal operands are taken for zeros (DAZ), and zeros made of
 * subnormal results (FTZ). Intel's manual, volume 1, 10.2.3. */
enum { SW_JIT_FLUSHES = 0x8040 };

/* Bytes of stack that it may take; a fiber has more, for what it calls. */
#define SW_JIT_FRAME_MAX 524288

/* The same of a called function's. A fiber's stack begins at a multiple of its
 * size, so that a function knows how much is left of it: it calls another one
 * if it is so much at least. */
#define SW_JIT_CALLED_FRAME_MAX 65536
enum {
    SW_JIT_STACK_BYTES = 1 << 21,
    SW_JIT_STACK_LEAST = 2 * SW_JIT_CALLED_FRAME_MAX + (256 << 10)
};

/* Accessible addresses around those that one memory instruction used last: an
 * access whose lowest address is a lies inside if a - lo <= limit. */
typedef struct {
    uint64_t lo, limit; /* of a fetch: the texture's handle, its plan */
} sw_jit_window;

/* No address that a program can have. */
#define SW_JIT_NO_WINDOW ((sw_jit_window){0x8000000000000001u, 0})

/* What a window is for: `extent` bytes from an address on. */
typedef struct {
    uint32_t extent;
} sw_jit_site;

/* Lanes that wait at a loop's latch are, for the interpreter, before the first
 * instruction of its header. */
typedef struct {
    uint32_t ins, position;
} sw_jit_latch;

/* A reconvergence point, where lanes may wait while others come in: as the
 * interpreter has it, and which of the masks `pending` is theirs. */
typedef struct {
    uint32_t ins, position, mask;
} sw_jit_reconv_point;

/* How a register lies in its frame slot when the warp leaves, if not as 32
 * lanes: its base at 0, the other parts of its shape (see opt/shape.h) at these
 * offsets. */
enum { SW_JIT_LOCATION_S = 16, SW_JIT_LOCATION_NARROW = 24 };
typedef struct {
    uint32_t frame_slot;
    uint8_t bytes;  /* of a lane; 0: a predicate, of a sw_jit_osr_entry */
    uint8_t kind;   /* sw_shape_kind; VARYING: 32 lanes, but raw */
    uint8_t raw;    /* sw_type of lanes whose NaNs are of any kind, or 0 */
    bool is_signed; /* and these, of the shape: */
    int64_t scale;
    uint32_t c, v, d; /* where in the table `lanes` those of lane 0 are */
} sw_jit_location;

/* Where a warp that is interpreted may come into compiled code (on-stack
 * replacement): some lanes at the first instruction of a loop that lies in no
 * other one, all others that have not ended at some of the reconvergence points
 * behind it. Their registers are in the frame, which has to be brought to the
 * locations that the stack map names first: of the lanes that come in up to
 * `living`, of those that wait from `waiting` on. */
typedef struct {
    uint32_t ins;
    uint32_t partition,
        entrance;             /* of sw_jit_ctx.partitions; for its entrance */
    uint32_t first, count;    /* of the stack map */
    uint32_t living, waiting; /* counted from the first */
    uint32_t first_point, points; /* of the table */
    bool needs_all; /* no lane may have ended: the code is for all of them
                       somewhere from there on */
} sw_jit_osr_entry;

/* What the frame holds where the interpreter takes over, for good or for one
 * instruction. */
typedef struct {
    uint32_t ins; /* where it goes on */
    uint32_t first,
        count; /* of the stack map: where registers lie in the frame */
} sw_jit_side_exit;

enum { SW_JIT_FUSED_MAX = SW_LANES_MAX / 32, SW_JIT_FUSED_SIZES = 3 };

/* Functions of the runtime that compiled code calls; see run/runtime.c. A mask
 * is u32 *: one for each of the fused warps. */
typedef enum {
    SW_JIT_STEP, /* void (ctx, side exit, mask): the interpreter's function for
                    that instruction. Which lanes go on stands in the mask
                    then */
    SW_JIT_RARE_STEP, /* the same where that is rare: keeps all registers */
    SW_JIT_WINDOW, /* u32 (ctx, site, u64 address): brings a window up to date;
                      0: not all of its extent is accessible from there; keeps
                      all registers */
    SW_JIT_SYNC, /* preserve_none ctx (ctx, ins): barrier 0, all threads of the
                    block; all live lanes of the warp are here */
    SW_JIT_BARRIER, /* u32 (ctx, ins, barrier, expected, ones): bar of any kind
                       by all live lanes of the warp; a reduction's result */
    SW_JIT_SPIN,    /* u32 (ctx, ins, mask, sw_jit_why): others' turn. 1: leave
                       for the interpreter */
    SW_JIT_END,     /* void (ctx, mask): lanes have ended */
    SW_JIT_DONE,    /* void (ctx): so have all; jumped to at the end of a kernel
                       that has calls of SW_JIT_SYNC */
    SW_JIT_SIDE_EXIT, /* void (ctx, side exit, mask): goes on in the interpreter
                     by that way; does not return, but see SW_JIT_BY_WARPS */
    SW_JIT_ACCESS,    /* void (ctx, ins, u32 mask, const u64 addr[32], bytes,
                         table, warp): an access of one of the fused warps for the
                         observer, by offsets if it is of .shared; table: the
                         number of the sw_counter_access that was to count it, or
                         SW_JIT_NONE */
    SW_JIT_ACCESS_FUSED, /* void (ctx, ins, const u32 masks[], const u64
                           addr[][32] or NULL, u64 start, bytes, tables): of
                           all fused warps whose mask is not 0, each by
                           the table that follows the one before's; NULL: by
                           the only group of those tables, of which there is
                           first one for all warps, from `start` */
    SW_JIT_ACCESS_AT, /* void (ctx, table, u32 mask, u64 start, warp): the same
                         of some lanes, by the only group of that table */
    SW_JIT_FETCH,     /* u32 (ctx, u64 site << 32 | ins, u64 texture, u64
                         sampler, mask, u32 rows[SW_JIT_FETCH_ROWS][lanes]):
                         tex, suld or sust by handles that all lanes share;
                         rows: the results, or what is stored, coordinates, the
                         layer. 0: nothing was done. Then the site's window may
                         hold the texture and a plan, by which compiled code
                         calls what does it: u32 (plan, rows, lanes, mask; for
                         tex NULL), whose address the plan begins with, or reads
                         texels itself (emit/texel.c) */
    SW_JIT_BY_PLAN,   /* u32 (ctx, plan, rows, lanes, mask): what the plan's
                         function does, for code that flushes */
    SW_JIT_DRAIN,     /* void (ctx): tells what is in the block's buffer */
    SW_JIT_VALUES,    /* void (ctx, ins, u32 mask, const u64 addr[32], bytes,
                         const void *stored): tells an access with its values,
                         by flat addresses. stored: [32] of the first element,
                         [32] of the next, ...; NULL: it loads */
    SW_JIT_HELPER_COUNT
} sw_jit_helper;

/* Why a warp gives a turn away. */
typedef enum {
    SW_JIT_RUNS_LONG, /* a loop */
    SW_JIT_MAY_WAIT,  /* a loop that has run long, for somebody */
    SW_JIT_TRIES,     /* ... a loop that tries to take something, and does more:
                         its lowest lane may be the one that cannot use it */
    SW_JIT_LOCKS,     /* a loop that has tried for long to take something, which
                         lanes may hold that have left it */
    SW_JIT_SLEEPS,    /* its lanes do */
    SW_JIT_FRESH = 8, /* a bit: for the first time since it has entered a loop
                         in which it waits, so it waits for something new */
    SW_JIT_FOR_OTHERS = 16, /* a bit: not for lanes of its own warp */
    SW_JIT_SOON = 32 /* a bit: after few turns, which may have taken long */
} sw_jit_why;

enum {
    SW_JIT_FETCH_RESULTS = 4, /* the coordinates follow */
    SW_JIT_FETCH_LAYER = 7,
    SW_JIT_FETCH_ROWS
};

#define SW_JIT_NONE UINT32_MAX

/* The slot of the inline counters in which the runtime counts blocks. */
enum { SW_JIT_SLOT_BLOCKS };

enum { SW_JIT_REDS = 3 };

/* The warps of a block at their barriers: each goes on with the next one of
 * the ring, and who comes last goes on itself. run/sync.c knows the places. */
typedef struct {
    uint32_t arrived; /* at the barrier that is not complete */
    uint32_t live;    /* warps that have not ended */
    void *root;       /* the fiber by which the block was entered */
    /* Of reductions: threads whose predicate holds, and all; see
     * emit/barrier.c. */
    uint32_t ones[SW_JIT_REDS], threads[SW_JIT_REDS];
} sw_jit_barrier_ring;

/* What compiled code sees of its block; the same as long as a warp runs, but
 * for what a block loop moves. */
typedef struct {
    const uint8_t *params;
    uint64_t *slots; /* of the inline counters; NULL: nobody observes */
    uint32_t ctaid[3], nctaid[3];
    uint64_t workspace;            /* %envreg1 and %envreg2 */
    uint32_t first_x, last_x;      /* ctaid[0] of the blocks of a block loop */
    struct sw_jit_ctx *lead, *now; /* of the first warp; of the one that runs */
    const void *environment;       /* sw_environment: %envreg3 and on */
    /* Of code that tells events: the next word (exec/event_buffer.h), and the
     * end of the room for them. */
    uint64_t *record, *record_end;
    const sw_ev_quiet *quiet; /* what need not be told; with SW_EV_QUIET */
} sw_jit_blk;

/* What a function does when the warp of its context has ended. Blocks beside
 * each other in x, from first_x to last_x, with the warps that `follow` each
 * other, are run by a block loop: ctaid[0] is moved as it goes. */
typedef enum {
    SW_JIT_NO_LOOP,   /* goes back */
    SW_JIT_BY_BLOCKS, /* goes on with the next warp, after a block's last one
                         with the next block */
    SW_JIT_BY_WARPS   /* goes on with the same warp of the next block, after the
                         last block with the next warp. No warp ever waits, and
                         SW_JIT_SIDE_EXIT comes back when the warp has ended */
} sw_jit_block_loop;

/* How a warp waits for a reduction. */
typedef enum {
    SW_JIT_NO_RED,
    SW_JIT_IN_RING,
    SW_JIT_IN_BLOCK /* the ring broke up meanwhile; the block's barrier has
                       its ones */
} sw_jit_wait;

/* What compiled code sees of its warp. The first fields have their places in
 * run/sync.c. */
typedef struct sw_jit_ctx {
    sw_jit_barrier_ring *ring;        /* NULL: not in one, or ended */
    struct sw_jit_ctx *next, *before; /* of the ring */
    void *fiber;
    uint32_t at; /* index of the instruction at which it waits */
    void (*const *helpers)(void);      /* [SW_JIT_HELPER_COUNT] */
    uint8_t *frames[SW_JIT_FUSED_MAX]; /* the fused warps' frame slots: the
                                         interpreter's frames */
    const sw_jit_blk *block;
    uint8_t *shared;
    uint64_t shared_bytes;
    uint8_t *local; /* of lane 0 */
    uint64_t local_stride;
    const uint64_t *syms;       /* addresses of the variables it names */
    struct sw_biased *biased;   /* the process's */
    const void *view;           /* sw_mem_view */
    sw_jit_window *windows;     /* [sites] */
    struct sw_tex_plan **plans; /* [sites] of fetches, or NULL; owned */
    const uint32_t *tid[3];     /* [32], for blocks of no regular shape */
    uint32_t tid0[3];           /* of lane 0 */
    uint32_t ntid[3];
    uint32_t lanes[SW_JIT_FUSED_MAX]; /* mask of lanes that exist */
    uint32_t live[SW_JIT_FUSED_MAX];  /* ... and have not ended */
    uint32_t red;  /* place in the ring of its next reduction */
    uint32_t ones; /* of the one that it waits for: its own */
    uint32_t wait; /* sw_jit_wait */
    uint64_t lane_ins;
    uint32_t *pending; /* for SW_JIT_SIDE_EXIT: a mask for each block, then one
                          for each loop's latch; [fused] each */
    void (*const *partitions)(struct sw_jit_ctx *); /* of the kernel */
    uint32_t entrance; /* where a partition is entered from another; else 0 */
    uint32_t turns;    /* left for back edges of loops in several partitions */
    uint32_t
        handed[SW_JIT_FUSED_MAX]; /* lanes that come from another partition */
    uint8_t sink[16]; /* where lanes store that do not run, rather than asking
                         each of them */
    /* Contexts of the functions that it may call, by their numbers in the
     * program; NULL: not compiled. The rest is of such a context. */
    struct sw_jit_ctx *const *called;
    bool is_called;
    uint32_t (*call)(struct sw_jit_ctx *, uint32_t mask); /* lanes that have not
                         returned, as the warp is leaving for the interpreter */
    uint8_t
        *rows; /* SW_JIT_ARGUMENT_BYTES bytes for the lanes of each argument,
                  then of each result; by who calls and who returns */
    uint64_t frame_at; /* of the activation, in a thread's local memory */
    uint32_t left;     /* after SW_JIT_SIDE_EXIT: what `call` is to return */
    void *warp;        /* sw_warp */
    struct sw_jit_ctx *follow; /* whom to run next in a block loop, or NULL */
    uint32_t index;            /* of the (first) warp in the block */
} sw_jit_ctx;

enum { SW_JIT_ARGUMENT_BYTES = 256 };

/* What to compile. */
typedef struct {
    const sw_fn *kernel; /* or a function: parameters and results are registers,
                            it waits for nobody and ends no lane */
    sw_lane_map map;
    /* For 2, 4 and 8 fused warps; lanes 0: none are wanted. */
    sw_lane_map fused_maps[SW_JIT_FUSED_SIZES];
    bool prefers_fused;    /* wherever they can run it, not where it pays */
    bool is_wide;          /* as prefers_fused, unless it becomes too large */
    bool is_osr;           /* for warps that come in at sw_jit_osr_entry only;
                              then no fused warps or phases */
    uint32_t phases;       /* see sw_lane_map_phases; 1: it is as `map` says */
    uint32_t ntid[3];      /* ... of the block */
    uint32_t shared_bytes; /* of shared memory there are at least */
    /* The offset of register r's frame slot, by kernel's registers. */
    const uint32_t *frame_slots;
    /* Offset of a .shared variable in the block's shared memory. */
    uint32_t (*shared_offset)(void *arg, sw_sym *sym);
    /* The function of a call in a function, and its number in the program, if
     * there may be a context for it; else NULL. May itself be NULL. */
    const sw_fn *(*called)(void *arg, const sw_fn *caller, const sw_ins *call,
                           uint32_t *number);
    void *arg;
    bool count_ins;             /* keep ctx->lane_ins */
    bool counts_inline;         /* count for an observer: see
                             watch/inline_counter.h, */
    uint32_t events;            /* ... or, if not 0, tell these of SW_EV_ */
    unsigned threads;           /* to compile by; 0: one */
    const char *cpu, *features; /* LLVM's names; NULL: this machine's */
    /* Values of opt and jit that are not the initial ones, as sw_tune_set reads
     * them (base/tune.h); NULL: none. The library takes those of the first
     * request. */
    const char *tune;
} sw_jit_request;

/* What came of it. Owned by caller, sw_jit_free. */
typedef struct {
    uint8_t
        *object; /* ELF, the partitions one after the other; NULL: it failed */
    size_t object_bytes;
    uint64_t *partition_bytes; /* [partition_count] of each */
    uint32_t partition_count;
    uint32_t fused;      /* warps that it runs at once: 1, 2, 4 or 8 */
    bool has_wide;       /* a request for the same with is_wide fuses
                            more warps */
    bool has_local_rows; /* while it runs, word w of lane i of local memory is
                            word 32 * w + i from ctx->local */
    bool flushes;        /* it is to be run with SW_JIT_FLUSHES */
    sw_jit_block_loop block_loop;
    uint32_t phases;    /* more than one: the partitions are their functions */
    sw_jit_site *sites; /* [site_count] its windows */
    uint32_t site_count;
    sw_jit_latch *latches; /* [latch_count] by loop; 0 unused */
    uint32_t latch_count;
    sw_jit_side_exit *side_exits; /* [side_exit_count] */
    uint32_t side_exit_count;
    sw_jit_location *locations; /* [location_count] */
    uint32_t location_count;
    uint32_t *stack_map; /* [stack_map_count] numbers of locations */
    uint32_t stack_map_count;
    sw_jit_osr_entry *entries; /* [entry_count] if is_osr */
    uint32_t entry_count;
    sw_jit_reconv_point *points; /* [point_count] of these */
    uint32_t point_count;
    int32_t *lanes; /* [lane_count] lanes' parts, for locations */
    uint32_t lane_count;
    sw_sym **syms; /* [sym_count] for ctx->syms */
    uint32_t sym_count;
    sw_counter_row *rows; /* [row_count] of the inline counters */
    uint32_t row_count;
    sw_counter_access *accesses; /* [access_count] */
    uint32_t access_count, slot_count;
    char *message; /* why it failed */
} sw_jit_result;

/* The functions of libsoftwarp-jit. Any thread. */
typedef void sw_jit_compile_fn(const sw_jit_request *request,
                               sw_jit_result *result);
typedef void sw_jit_free_fn(sw_jit_result *result);
sw_jit_compile_fn sw_jit_compile;
sw_jit_free_fn sw_jit_free;

#endif
