/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - level 0 of the emitters: all that they know of the kernel and of
 * the place that they have come to.
 *
 * A register is a stack slot of its shape (LLVM makes values of the slots): a
 * scalar if uniform, base and coefficient if affine, else a vector of all
 * lanes. Writes blend only where lanes that are elsewhere need the old value.
 */
#ifndef SW_JIT_EMIT_STATE_H
#define SW_JIT_EMIT_STATE_H
#include "jit/alu/alu.h"
#include "jit/plan/flow.h"

typedef struct sw_jit_emit sw_jit_emit;
typedef struct sw_jit_chunk sw_jit_chunk;
typedef struct sw_jit_struct sw_jit_struct; /* emit/access_soa.c */
typedef struct sw_jit_exits sw_jit_exits;
typedef struct sw_jit_lines sw_jit_lines;
typedef struct sw_jit_counter sw_jit_counter;

/* A register that is not needed any more after an instruction of the block. */
typedef struct {
    uint32_t ins;
    sw_reg reg;
    bool is_result; /* nobody reads what it writes */
} sw_jit_death;

/* A value in its shape. */
typedef struct {
    sw_shape shape;
    sw_class cls;
    LLVMValueRef base;   /* UNIFORM, AFFINE, WIDE; VARYING: the vector */
    LLVMValueRef narrow; /* WIDE */
    LLVMValueRef s;      /* if shape.v */
} sw_jit_value;

/* Addresses that a block has tested: [first, end) from what a register holds,
 * in each of its groups of lanes. */
typedef struct {
    uint32_t block; /* ... this one, plus one; 0: none has */
    bool is_shared;
    int64_t first, end;
    unsigned unit;                       /* ... and aligned to it, */
    int64_t aligned;                     /* at this distance */
    LLVMValueRef pointer[SW_JIT_GROUPS]; /* of `first` in the lowest lane */
    LLVMValueRef ok; /* i1, it holds; NULL: who comes here knows */
} sw_jit_tested;

/* The slots of a register: pointers, NULL where the shape has no such part. */
typedef struct {
    LLVMValueRef base, narrow, s;
} sw_jit_slot;

/* Where lanes go that have left a scalar loop, and which: a mask. */
typedef struct {
    uint32_t block;
    LLVMValueRef lanes;
} sw_jit_exit;

/* Lines or rows for which an access has asked (emit/prefetch.c). */
enum { SW_JIT_ASKED = 8 };
typedef struct {
    bool is_used, to_write, is_twin;
    sw_reg reg;
    uint32_t block;
    int64_t from; /* where the register points: lines, of rows bytes */
} sw_jit_asked;

/* Of the compilation, from sw_jit_emit_open to sw_jit_emit_finish. */
typedef struct {
    const sw_jit_plan *plan; /* of the kernel: all that is decided */
    bool has_avx2;           /* masked stores of 32 and 64 bits */
    bool has_slow_gathers;
    bool foresees_streams;      /* what is read in a row needs no prefetching */
    unsigned inline_gathers;    /* lanes, so far; see sw_jit_gathers_inline */
    struct sw_jit_edges *edges; /* between partitions (emit/partition.c) */
    sw_jit_exits *exits;
    sw_jit_counter *counters; /* NULL: nobody observes */
    uint32_t fetches;         /* of textures */
    bool has_small_texels;    /* integers, of 16 bits or less */
    sw_vec sites;             /* sw_jit_site */
    sw_vec syms;              /* sw_sym * */
    sw_map *sym_index;
} sw_jit_kernel;

/* Types of the partition's LLVM context. */
typedef struct {
    LLVMTypeRef i1, i8, i16, i32, i64, ptr, nothing;
    LLVMTypeRef bits;      /* an integer of as many bits as lanes */
    LLVMTypeRef mask_type; /* <lanes x i1> */
} sw_jit_types;

/* Of a partition: one LLVM function. All zero when it begins; what it points to
 * lies in its arena. */
typedef struct {
    sw_arena *arena;
    uint32_t number;    /* of the partition or the phase, */
    bool is_one;        /* ... if it is the only one */
    uint32_t partition; /* of the plan */
    LLVMValueRef function, ctx_slot;
    LLVMBasicBlockRef top;   /* slots are made here; */
    LLVMBasicBlockRef entry; /* a warp begins here */
    LLVMBasicBlockRef
        middle; /* of a block, where the partition begins; or NULL */
    LLVMBasicBlockRef finish;  /* all lanes have ended */
    LLVMBasicBlockRef again;   /* irreducible: behind the last point; or NULL */
    LLVMValueRef root_mask;    /* all lanes that exist */
    LLVMValueRef pending_base; /* points' masks are ctx->pending; NULL: they
                                  are on the stack */
    LLVMValueRef ctaid_x, params; /* in a block loop; else NULL */
    /* Of a function that is called, else NULL: frame slots of its registers;
     * the offset of its frame in a thread's local memory (i64); for
     * ctx->pending. */
    LLVMValueRef frame_slots, frame_at, own_pending;
    LLVMValueRef count_slot;   /* lane-instructions so far, or NULL */
    LLVMValueRef fetch_rows;   /* slot for SW_JIT_FETCH, or NULL */
    LLVMValueRef mask_slot;    /* of sw_jit_mask_memory, or NULL */
    LLVMValueRef scalar_turns; /* slot: turns of scalar loops left, or NULL */
    /* NULL for what is in other partitions. */
    LLVMBasicBlockRef *bodies;  /* [block_count] */
    LLVMBasicBlockRef *twins;   /* [block_count] or NULL (plan/uniform.c) */
    LLVMBasicBlockRef *points;  /* [block_count] or NULL */
    LLVMValueRef *pending;      /* [block_count] slots of masks, or NULL */
    LLVMBasicBlockRef *latches; /* [loop_count] or NULL */
    LLVMValueRef *latch_pending;
    LLVMValueRef *head_mask; /* [block_count] slots, of heads; or NULL */
    LLVMBasicBlockRef *version_starts; /* [versions.count] */
    const sw_jit_version *version;     /* the one that is emitted, or NULL */
    LLVMValueRef *spin_slots; /* [loop_count + 1] back edges left, or NULL */
    sw_jit_slot *slots;       /* [reg_count] */
    sw_jit_tested *tested;    /* [reg_count] */
    sw_jit_asked asked[SW_JIT_ASKED]; /* the last ones, in a ring */
    unsigned asked_count;
    sw_jit_asked asked_rows[SW_JIT_ASKED]; /* with gaps, likewise */
    unsigned asked_row_count;
    struct sw_jit_seen *seen; /* the rows of loads (emit/access_rows.c) */
    sw_jit_lines *lines;      /* NULL: none are known */
    uint64_t *now;  /* bit set of registers that live before the instruction */
    uint64_t *scan; /* the same while a block is looked through */
} sw_jit_function;

/* Of a block, or a piece of it; all zero when it begins. */
typedef struct {
    uint32_t block, begun, ended; /* the instructions of it that are emitted, a
                                     piece: [begun, ended) */
    bool is_twin;                 /* its twin is emitted */
    sw_jit_chunk *chunks;         /* loads by lanes, the last one first */
    sw_jit_struct *structs;       /* members of structures, likewise */
    sw_vec textures;              /* see emit/texel.c */
    sw_vec deaths; /* sw_jit_death, the last instruction's first */
} sw_jit_block_state;

/* The lanes that run: see emit/mask.c, which alone changes it. */
typedef struct {
    LLVMValueRef lanes;          /* <lanes x i1> */
    bool is_full;                /* all there are */
    const sw_jit_lane_set *some; /* they are these, a constant; or NULL */
    bool is_guarded;             /* by a varying predicate: writes blend */
    LLVMValueRef path;           /* without that of the guard */
} sw_jit_mask;

/* Of an instruction, and how it is emitted. */
typedef struct {
    const sw_ins *ins;
    uint32_t index;         /* in the function */
    LLVMBasicBlockRef fail; /* in a scalar loop, where a lane goes for which a
                               test fails; else NULL */
    LLVMValueRef own_lane;  /* the lane, in such a loop with local memory (i32);
                               else NULL */
    LLVMBasicBlockRef replay; /* where instructions begin again for which a test
                               fails (emit/replay.c); else NULL */
    bool is_replay;           /* they have */
    bool is_outlined;         /* in a function beside the kernel's: */
    LLVMValueRef window;      /* ... its access's */
} sw_jit_instruction;

struct sw_jit_emit {
    sw_jit_llvm ll;
    sw_jit_kernel k;
    const sw_jit_plan *plan; /* of the phase that is emitted */
    sw_shapes *shapes; /* the plan's, but for registers of a scalar loop while
                          that is emitted */
    unsigned lanes;    /* 32, or 64 to 256: of fused warps */
    sw_jit_types t;
    sw_jit_function f;
    sw_jit_block_state b;
    sw_jit_mask mask;
    sw_jit_instruction at;
};

/* Warps that run together. */
static inline unsigned
sw_jit_warps_of(const sw_jit_emit *e)
{
    return e->lanes / 32;
}

/* Whether what is emitted hardly ever runs: a block that is, or what has a twin
 * for all fused warps and is come to by what is left of others only. Its code
 * had better be small. */
static inline bool
sw_jit_is_rare(const sw_jit_emit *e)
{
    return e->at.is_replay || e->plan->fn->blocks[e->b.block]->is_rare ||
           (e->plan->is_remainder[e->b.block] && !e->b.is_twin);
}

/* All lanes run e->b.block, and none waits anywhere. */
static inline bool
sw_jit_block_is_converged(const sw_jit_emit *e)
{
    return sw_jit_is_converged(e->plan, e->b.block, e->b.is_twin);
}

/* It lies at its frame slot from each write on. */
static inline bool
sw_jit_is_kept(const sw_jit_emit *e, sw_reg reg)
{
    return e->plan->is_kept && e->plan->is_kept[reg];
}

/* All lanes of an access's groups run. */
static inline bool
sw_jit_groups_run(const sw_jit_emit *e)
{
    return e->mask.is_full || e->mask.some;
}

#endif
