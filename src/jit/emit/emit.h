/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - inside the compiler: a kernel as one LLVM function that runs a
 * warp, or a team of two, four or eight warps as one of 64 to 256 lanes
 * (plan/fuse.c says when).
 * Nobody outside src/jit includes it.
 *
 * A register is a stack slot of its shape (LLVM makes values of the slots): a
 * scalar if uniform, base and coefficient if affine, else a vector of all
 * lanes. Writes blend only where lanes that are elsewhere need the old value.
 *
 * Control flow. Blocks that all lanes run together are plain code. Others are
 * laid out in the order of sw_cfg positions; each has a *gate* with a pending
 * mask: lanes that go there add themselves to the mask and the warp goes on to
 * the next gate; a gate without lanes is passed by. A loop's back edge waits
 * at a gate of its own, the latch. Blocks that the same lanes always run
 * together need one gate, that of the first of them, their *leader*. So lanes
 * meet where the interpreter's do.
 *
 * Parts. A large kernel is several LLVM functions, each in a module of its own,
 * which are compiled side by side: emit/partition.c.
 */
#ifndef SW_JIT_EMIT_H
#define SW_JIT_EMIT_H
#include "jit/alu/alu.h"
#include "jit/plan/flow.h"

typedef struct sw_jit_chunk sw_jit_chunk;
typedef struct sw_jit_struct sw_jit_struct; /* emit/access_soa.c */
typedef struct sw_jit_exits sw_jit_exits;
typedef struct sw_jit_lines sw_jit_lines;
typedef struct sw_jit_tally sw_jit_tally;

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

/* Where lanes go that have left a serial loop, and which: a mask. */
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

/* What there is of the LLVM function that is emitted, and of no other; all zero
 * when one begins. */
typedef struct {
    LLVMValueRef function, ctx_slot;
    LLVMBasicBlockRef top;     /* slots are made here; */
    LLVMBasicBlockRef entry;   /* a warp begins here */
    LLVMBasicBlockRef middle;  /* of a block, where the part begins; or NULL */
    LLVMBasicBlockRef finish;  /* all lanes have ended */
    LLVMBasicBlockRef again;   /* irreducible: behind the last gate; or NULL */
    LLVMValueRef root_mask;    /* all lanes that exist */
    LLVMValueRef pending_base; /* masks of gates are ctx->pending; NULL: they
                                  are on the stack */
    LLVMValueRef ctaid_x, params; /* in a series; else NULL */
    /* Of a function that is called, else NULL: homes of its registers; the
     * offset of its frame in a thread's local memory (i64); for ctx->pending.
     */
    LLVMValueRef homes, frame_at, own_pending;
    LLVMValueRef count_slot;   /* lane-instructions so far, or NULL */
    LLVMValueRef fetch_rows;   /* slot for SW_JIT_FETCH, or NULL */
    LLVMValueRef mask_slot;    /* of sw_jit_mask_memory, or NULL */
    LLVMValueRef serial_turns; /* slot: turns of serial loops left, or NULL */
} sw_jit_function;

typedef struct {
    sw_jit_llvm ll;
    const sw_jit_plan *kernel; /* all that is decided; */
    const sw_jit_plan *plan;   /* ... of the phase that is emitted */
    sw_shapes *shapes; /* the plan's, but for registers of a scalar loop while
                          that is emitted */
    bool has_avx2;     /* masked stores of 32 and 64 bits */
    bool has_slow_gathers;
    bool foresees_streams;      /* what is read in a row needs no prefetching */
    unsigned spelled_out;       /* lanes, so far; see sw_jit_spells_out */
    unsigned lanes;             /* 32, or 64 to 256: of a team */
    uint32_t number;            /* of the part or the phase, */
    bool is_one;                /* ... if it is the only one */
    uint32_t part;              /* of the plan, that is emitted */
    struct sw_jit_edges *edges; /* between parts (emit/partition.c) */

    sw_jit_function f;

    LLVMTypeRef i1, i8, i16, i32, i64, ptr, nothing;
    LLVMTypeRef bits;                 /* an integer of as many bits as lanes, */
    LLVMTypeRef mask_type;            /* <lanes x i1> */
    sw_jit_slot *slots;               /* [reg_count] */
    sw_jit_tested *tested;            /* [reg_count] */
    sw_jit_chunk *chunks;             /* of the block, the last one first */
    sw_jit_struct *structs;           /* the same */
    sw_jit_asked asked[SW_JIT_ASKED]; /* the last ones, in a ring */
    unsigned asked_count;
    sw_jit_asked asked_rows[SW_JIT_ASKED]; /* with gaps, likewise */
    unsigned asked_row_count;

    /* Of the part; NULL for what is in others. */
    LLVMBasicBlockRef *bodies;  /* [block_count] */
    LLVMBasicBlockRef *twins;   /* [block_count] or NULL (plan/uniform.c) */
    LLVMBasicBlockRef *gates;   /* [block_count] or NULL */
    LLVMValueRef *pending;      /* [block_count] slots of masks, or NULL */
    LLVMBasicBlockRef *latches; /* [loop_count] or NULL */
    LLVMValueRef *latch_pending;
    LLVMValueRef *leader_mask; /* [block_count] slots, of leaders; or NULL */
    LLVMBasicBlockRef *version_starts; /* [versions.count] */
    const sw_jit_version *version;     /* the one that is emitted, or NULL */
    LLVMValueRef *spin_slots; /* [loop_count] back edges left, or NULL */

    /* Where we are. */
    uint32_t block, begun, ended; /* the instructions of it that are emitted, a
                                     piece: [begun, ended) */
    const sw_ins *ins;
    uint32_t ins_index;
    LLVMValueRef mask;           /* lanes that run the instruction */
    bool is_full;                /* mask is all lanes */
    const sw_jit_lane_set *some; /* mask is these, a constant; or NULL */
    bool is_twin;                /* of the block, its twin is emitted */
    bool is_guarded;             /* by a varying predicate: writes blend */
    LLVMValueRef path_mask;      /* mask without the guard */
    LLVMBasicBlockRef fail; /* in a serial loop, where a lane goes for which a
                               test fails; else NULL */
    LLVMValueRef own_lane;  /* the lane, in such a loop with local memory (i32);
                               else NULL */
    LLVMBasicBlockRef redo; /* where instructions begin again for which a test
                               fails (emit/replay.c); else NULL */
    bool is_again;          /* they have */
    bool is_outlined;       /* in a function beside the kernel's: */
    LLVMValueRef window;    /* ... its access's */

    uint64_t *now;  /* bit set of registers that live before the instruction */
    uint64_t *scan; /* the same while a block is looked through */
    sw_vec deaths; /* sw_jit_death of the block, the last instruction's first */
    sw_jit_exits *exits;
    sw_jit_lines *lines; /* NULL: none are known */
    sw_jit_tally *tally; /* NULL: nobody observes */

    sw_vec seen_rows;      /* of this function, see emit/access_rows.c */
    sw_vec textures;       /* of the block, see emit/texel.c */
    uint32_t fetches;      /* of the kernel */
    bool has_small_texels; /* integers, of 16 bits or less */
    sw_vec sites;          /* sw_jit_site */
    sw_vec syms;           /* sw_sym * */
    sw_map *sym_index;
} sw_jit_emit;

/* ---- types and small code (emit/value.c) ---- */
LLVMTypeRef sw_jit_class_type(const sw_jit_emit *e, sw_class cls);
LLVMTypeRef sw_jit_lanes_of(LLVMTypeRef element, unsigned lanes);
LLVMValueRef sw_jit_i32(const sw_jit_emit *e, uint32_t n);
LLVMValueRef sw_jit_i64(const sw_jit_emit *e, uint64_t n);
LLVMValueRef sw_jit_splat(const sw_jit_emit *e, LLVMValueRef x, unsigned lanes);
/* [lanes] constants of an integer type */
LLVMValueRef sw_jit_const_lanes(LLVMTypeRef type, const int64_t *n,
                                unsigned lanes);
LLVMValueRef sw_jit_shuffle(const sw_jit_emit *e, LLVMValueRef x,
                            const int *from, unsigned lanes);
/* n elements of a vector, SW_LANES_MAX at most, from this one on. */
LLVMValueRef sw_jit_elements(const sw_jit_emit *e, LLVMValueRef x,
                             unsigned first, unsigned n);
/* Two vectors of `each` elements as one. */
LLVMValueRef sw_jit_concatenate(const sw_jit_emit *e, LLVMValueRef x,
                                LLVMValueRef y, unsigned each);
/* The same of 1, 2, 4, ... vectors; `all` is overwritten. */
LLVMValueRef sw_jit_concatenate_all(const sw_jit_emit *e, LLVMValueRef *all,
                                    unsigned count, unsigned each);
LLVMValueRef sw_jit_first_behind_phis(LLVMBasicBlockRef block);
/* Where the instruction takes `from`, it takes `to`. */
void sw_jit_set_operands(LLVMValueRef user, LLVMValueRef from, LLVMValueRef to);
/* The intrinsic of that name, overloaded for these types. */
LLVMValueRef sw_jit_intrinsic(sw_jit_emit *e, const char *name,
                              LLVMTypeRef *types, unsigned type_count,
                              LLVMValueRef *args, unsigned arg_count);
LLVMValueRef sw_jit_mask_bits(const sw_jit_emit *e, LLVMValueRef mask);
/* A place in memory with these bits, as helpers take masks; good until the next
 * one. */
LLVMValueRef sw_jit_mask_memory(sw_jit_emit *e, LLVMValueRef bits);
/* Any number of lanes as bits of a mask: of lane 0 + i, bit i. */
LLVMValueRef sw_jit_const_bits(const sw_jit_emit *e,
                               const sw_jit_lane_set *set);
/* The lowest lane of some bits (i32); any lane if there is none. */
LLVMValueRef sw_jit_first_of(sw_jit_emit *e, LLVMValueRef bits);
LLVMValueRef sw_jit_any(const sw_jit_emit *e, LLVMValueRef mask);
LLVMValueRef sw_jit_all(const sw_jit_emit *e, LLVMValueRef mask);
LLVMValueRef sw_jit_slot_of(sw_jit_emit *e, LLVMTypeRef type);
/* The same, zero or a constant at first. */
LLVMValueRef sw_jit_zero_slot(sw_jit_emit *e, LLVMTypeRef type);
LLVMValueRef sw_jit_first_slot(sw_jit_emit *e, LLVMValueRef constant);
LLVMValueRef sw_jit_ctx_of(const sw_jit_emit *e);
/* A field of the context; `constant`: it never changes during the call. */
LLVMValueRef sw_jit_field(sw_jit_emit *e, size_t offset, LLVMTypeRef type,
                          bool constant);
/* What a load reads never changes. */
void sw_jit_mark_constant(const sw_jit_emit *e, LLVMValueRef load);
/* A field of its block. */
LLVMValueRef sw_jit_block_field(sw_jit_emit *e, size_t offset,
                                LLVMTypeRef type);
LLVMValueRef sw_jit_at(const sw_jit_emit *e, LLVMValueRef base,
                       LLVMValueRef offset);
void sw_jit_set_align(LLVMValueRef access, unsigned bytes);
LLVMValueRef sw_jit_call(sw_jit_emit *e, sw_jit_helper helper,
                         LLVMTypeRef result, LLVMValueRef *args,
                         unsigned count);
LLVMBasicBlockRef sw_jit_block(const sw_jit_emit *e, const char *name);
void sw_jit_likely(const sw_jit_emit *e, LLVMValueRef branch, bool likely);

/* ---- values (emit/value.c) ---- */
/* The register's, made when they are first asked for. */
const sw_jit_slot *sw_jit_reg_slot(sw_jit_emit *e, sw_reg reg);
sw_jit_value sw_jit_read(sw_jit_emit *e, const sw_ins *ins, unsigned src);
sw_jit_value sw_jit_read_exact(sw_jit_emit *e, const sw_ins *ins, unsigned src);
sw_jit_value sw_jit_read_reg(sw_jit_emit *e, sw_reg reg);
/* All lanes of it. */
LLVMValueRef sw_jit_lanes(sw_jit_emit *e, const sw_jit_value *value);
sw_jit_value sw_jit_uniform(sw_class cls, LLVMValueRef scalar);
sw_jit_value sw_jit_varying(sw_class cls, LLVMValueRef lanes);
/* Writes a result; raw_type 0 or the type of a raw value. */
void sw_jit_write(sw_jit_emit *e, sw_reg reg, const sw_jit_value *value,
                  unsigned raw_type);
/* Goes to `join` and writes the lanes of the instruction's only result: `one`
 * for those who come there from block `from`, else `other`. */
void sw_jit_write_either(sw_jit_emit *e, LLVMBasicBlockRef join,
                         LLVMBasicBlockRef from, LLVMValueRef one,
                         LLVMValueRef other);
/* The parts of an affine or wide result. */
sw_jit_value sw_jit_apply_rule(sw_jit_emit *e, const sw_ins *ins,
                               const sw_rule_use *use, const sw_shape *shape);
LLVMValueRef sw_jit_sym_value(sw_jit_emit *e, const sw_opnd *opnd,
                              sw_class cls);
/* x in 64 bits, i64 as it is; NULL: NULL. */
LLVMValueRef sw_jit_widen(sw_jit_emit *e, LLVMValueRef x, bool is_signed);
/* A predicate as a mask, negated if told. */
LLVMValueRef sw_jit_mask_of(sw_jit_emit *e, sw_reg pred, bool negated);

/* ---- instructions ---- */
void sw_jit_emit_ins(sw_jit_emit *e, const sw_ins *ins);
/* Instructions [from, to) of the block, which begins or has come there; f64
 * arithmetic as in emit/replay.c. */
void sw_jit_emit_range(sw_jit_emit *e, const sw_block *block, uint32_t from,
                       uint32_t to);
/* The frame of a warp of the team; its part of a vector of all lanes (32
 * lanes), of a mask's bits (i32). */
LLVMValueRef sw_jit_frame_of(sw_jit_emit *e, unsigned warp);
/* The lanes that the register's homes hold, of all warps of the team. */
LLVMValueRef sw_jit_fetch_lanes(sw_jit_emit *e, sw_reg reg);
LLVMValueRef sw_jit_of_warp(const sw_jit_emit *e, LLVMValueRef lanes,
                            unsigned warp);
LLVMValueRef sw_jit_bits_of_warp(const sw_jit_emit *e, LLVMValueRef bits,
                                 unsigned warp);
/* Lanes may have ended in a call that lanes `bits` came to: those that are
 * `left` go on in the interpreter, with those that did not make it. */
void sw_jit_look_who_is_left(sw_jit_emit *e, LLVMValueRef left,
                             LLVMValueRef bits);
/* Through the interpreter's function. Pure ones run for all lanes. */
void sw_jit_emit_step(sw_jit_emit *e);
/* The same in a block that is rarely run. */
void sw_jit_emit_rare_step(sw_jit_emit *e);
void sw_jit_emit_load(sw_jit_emit *e);
void sw_jit_emit_store(sw_jit_emit *e);
/* Whether what is emitted hardly ever runs: a block that is, or what has a twin
 * for whole teams and is come to by what is left of others only. Its code had
 * better be small. */
static inline bool
sw_jit_is_rare(const sw_jit_emit *e)
{
    return e->is_again || e->plan->fn->blocks[e->block]->is_rare ||
           (e->plan->is_rest[e->block] && !e->is_twin);
}
/* A comparison of an affine value; false: it is none. */
bool sw_jit_emit_compare(sw_jit_emit *e);
/* One of SW_F_TEAM, of values that need no vectors; false: it is none. */
bool sw_jit_emit_team_compare(sw_jit_emit *e);
/* A quotient or remainder of lanes by one divisor; false: it is none. */
bool sw_jit_emit_divide(sw_jit_emit *e);
void sw_jit_emit_warp(sw_jit_emit *e); /* shfl, vote, ... */
/* `here`: bits of the members that all lanes name; NULL (redux): they may name
 * different ones, as for what is done by sets. False: no native form. */
void sw_jit_emit_match(sw_jit_emit *e, LLVMValueRef here);
void sw_jit_emit_elect(sw_jit_emit *e, LLVMValueRef here);
bool sw_jit_emit_redux(sw_jit_emit *e, LLVMValueRef here);
void sw_jit_emit_match_of_sets(sw_jit_emit *e);
void sw_jit_emit_vote_of_sets(sw_jit_emit *e);
bool sw_jit_emit_shuffle(sw_jit_emit *e, bool of_sets);
/* Lanes of the warp that have not ended, as bits. */
LLVMValueRef sw_jit_live_lanes(sw_jit_emit *e);
/* They are all here, or we leave. */
void sw_jit_need_all(sw_jit_emit *e);
/* A number that all lanes should agree on; that of the first lane. */
LLVMValueRef sw_jit_of_first_lane(sw_jit_emit *e, unsigned src);

/* ---- emit/called.c ---- */

/* A function that is called begins: before its first block its slots, then its
 * parameters. */
void sw_jit_called_begin(sw_jit_emit *e);
void sw_jit_called_take(sw_jit_emit *e);
/* ... and lanes return. */
void sw_jit_called_return(sw_jit_emit *e);
/* The call by compiled code, which goes on in the block that is returned; the
 * builder is left where that is not to be. NULL: it is none. */
LLVMBasicBlockRef sw_jit_emit_compiled_call(sw_jit_emit *e);

/* ---- emit/barrier.c ---- */

void sw_jit_emit_barrier(sw_jit_emit *e);
void sw_jit_emit_atomic(sw_jit_emit *e);
bool sw_jit_emit_mbar(sw_jit_emit *e); /* false: it is left to the step */
void sw_jit_emit_tex(sw_jit_emit *e);
void sw_jit_emit_surface(sw_jit_emit *e); /* suld, sust */
void sw_jit_textures_open(sw_jit_emit *e);

/* What the warp has executed here is added to its context's; of what its block
 * has counted, instruction `index` and what follows are not executed, as it
 * leaves. */
void sw_jit_flush_count(sw_jit_emit *e);
void sw_jit_count_back(sw_jit_emit *e, uint32_t index);

/* ---- functions beside the kernel's (emit/outline.c) ---- */

/* Emits a result of the arguments at the end of e->f.function; it may set
 * e->f.ctx_slot, window, mask and is_full. */
typedef LLVMValueRef
sw_jit_outline_body(sw_jit_emit *e, const LLVMValueRef *args, const void *data);
/* What `body` makes of the arguments, by a function of that name, made once in
 * the module: for what is large. is_pure: it touches no memory. */
LLVMValueRef sw_jit_outlined(sw_jit_emit *e, const char *name,
                             LLVMTypeRef result, LLVMValueRef *args,
                             unsigned count, bool is_pure,
                             sw_jit_outline_body *body, const void *data);
/* Such an instruction of all lanes by such functions; false: it is not to be.
 */
bool sw_jit_emit_function(sw_jit_emit *e, const sw_ins *ins,
                          const LLVMValueRef *src, LLVMValueRef *dst);

/* ---- parts (emit/partition.c) ---- */

/* Of the plan; before the first part, after the last. */
void sw_jit_edges_open(sw_jit_emit *e);
void sw_jit_edges_finish(sw_jit_emit *e);

void sw_jit_osr_take(const sw_jit_emit *e, sw_jit_result *result);
/* A block from which the warp goes on there, which is in another part. */
LLVMBasicBlockRef sw_jit_way_to(sw_jit_emit *e, sw_jit_place place);
/* At the end of e->f.entry: to `start` (NULL: not the first part), or where
 * another part said; place_of: the LLVM block of a place of this part. */
void sw_jit_come_in(sw_jit_emit *e, LLVMBasicBlockRef start,
                    LLVMBasicBlockRef (*block_of)(sw_jit_emit *e,
                                                  sw_jit_place place));
/* The slot of the mask of a leader. */
LLVMValueRef sw_jit_leader_slot(sw_jit_emit *e, uint32_t leader);

/* ---- warps one after another (emit/block_loop.c) ---- */

/* At the end of e->f.top, at the beginning of e->f.entry, at the end of
 * e->f.finish.
 */
void sw_jit_begin_series(sw_jit_emit *e);
void sw_jit_begin_in_series(sw_jit_emit *e);
void sw_jit_end_in_series(sw_jit_emit *e);

/* ---- lanes one after another (emit/scalar_loop.c) ---- */

/* i1: the lanes of e->mask had better now. */
LLVMValueRef sw_jit_suits_serial(sw_jit_emit *e, uint32_t b);
/* So run by lanes of e->mask: those that are still in it come out as a mask,
 * the others go to block *exit. NULL: it stores, and all go there. After that.
 */
LLVMValueRef sw_jit_emit_serial(sw_jit_emit *e, uint32_t b, sw_jit_exit *exits,
                                unsigned *count);

/* ---- where a warp goes on (plan/reconverge.c) ---- */

/* The slot of a gate or latch, of another part too; the lanes that wait there.
 */
LLVMValueRef sw_jit_pending_of(sw_jit_emit *e, sw_jit_place place);
LLVMValueRef sw_jit_load_pending(const sw_jit_emit *e, LLVMValueRef slot);
/* Of the masks of all gates and latches, as ctx->pending has them. */
uint64_t sw_jit_pending_bytes(const sw_jit_emit *e);

/* ---- rows that were seen (emit/access_rows.c) ---- */
void sw_jit_rows_open(sw_jit_emit *e);

/* All lanes run e->block, and none waits anywhere. */
static inline bool
sw_jit_is_alone(const sw_jit_emit *e)
{
    return sw_jit_is_converged(e->plan, e->block, e->is_twin);
}

/* It lies at its frame slot from each write on. */
static inline bool
sw_jit_is_kept(const sw_jit_emit *e, sw_reg reg)
{
    return e->plan->is_kept && e->plan->is_kept[reg];
}

/* ---- out to the interpreter (emit/deopt.c) ---- */
void sw_jit_exits_open(sw_jit_emit *e);
/* A new function: nothing of the last one's can be used any more. */
void sw_jit_exits_next(sw_jit_emit *e);
/* The last way out is not to be used again. */
void sw_jit_exits_forget(sw_jit_emit *e);
void sw_jit_exits_finish(sw_jit_emit *e);
/* A copy of its items; owned by caller, sw_free. */
void *sw_jit_table_of(const sw_vec *vec, size_t item_bytes);
/* The tables of them. */
void sw_jit_exits_take(const sw_jit_emit *e, sw_jit_result *result);
/* For SW_JIT_STEP: what this instruction reads, to the frame. Its number. */
uint32_t sw_jit_store_sources(sw_jit_emit *e);
/* Registers that live long lie at their homes, as they lie when the warp
 * leaves, from each write on. After sw_jit_write; and after SW_JIT_STEP, when
 * the runtime has made lanes of what the instruction reads. */
void sw_jit_keep_home(sw_jit_emit *e, sw_reg reg);
/* Its parts, or lanes, to its homes in the team's frames; from there. */
void sw_jit_put_home(sw_jit_emit *e, const LLVMValueRef *frames, sw_reg reg);
void sw_jit_take_home(sw_jit_emit *e, const LLVMValueRef *frames, sw_reg reg);
/* As what the warp brings along is to lie at the home of a register when it
 * comes from the interpreter: one more use. How many there are. */
void sw_jit_note_osr_form(sw_jit_emit *e, sw_reg reg);
uint32_t sw_jit_use_count(const sw_jit_emit *e);
void sw_jit_keep_sources(sw_jit_emit *e);
/* Goes on in the interpreter at instruction `index`, in e->block, with the
 * lanes of `bits`, a mask's. Ends the LLVM block. */
void sw_jit_emit_leave(sw_jit_emit *e, uint32_t index, LLVMValueRef bits);
/* In the interpreter at this instruction, by which these lanes are lost: only
 * what it reads is there. Ends the LLVM block. */
void sw_jit_emit_lost(sw_jit_emit *e, LLVMValueRef bits);
/* Registers have other shapes from now on. */
void sw_jit_exits_renew(sw_jit_emit *e);
/* Goes on behind if `stay` holds, else in the interpreter at this instruction,
 * of which nothing has been done yet. */
void sw_jit_leave_unless(sw_jit_emit *e, LLVMValueRef stay);

/* ---- for an observer (emit/counters.c); nothing if there is none ---- */
void sw_jit_tally_open(sw_jit_emit *e);
void sw_jit_tally_next(sw_jit_emit *e); /* a new function */
void sw_jit_tally_finish(sw_jit_emit *e);
/* The tables of it. */
void sw_jit_tally_take(const sw_jit_emit *e, sw_jit_result *result);
/* At the beginning of a block: its lanes will execute all of it. Before its
 * last instruction. */
void sw_jit_tally_block(sw_jit_emit *e);
void sw_jit_tally_block_end(sw_jit_emit *e);
/* Before a part of a block in another function. */
void sw_jit_tally_piece(sw_jit_emit *e);
/* Compiled code tells some of these events itself (exec/event_buffer.h). */
bool sw_jit_tells(const sw_jit_emit *e, uint32_t events);
/* Before a fence or a wait for copies, by the lanes that run. */
void sw_jit_tell_fence(sw_jit_emit *e);
/* Way out: they do not execute instruction `index` and what follows. */
void sw_jit_tally_back(sw_jit_emit *e, uint32_t index);
/* An instruction with a guard is or was executed by the lanes of `mask`; by all
 * of the path if `holds` (i1), else by none. */
void sw_jit_tally_guarded(sw_jit_emit *e, LLVMValueRef mask);
void sw_jit_tally_guarded_all(sw_jit_emit *e, LLVMValueRef holds);
void sw_jit_tally_branch(sw_jit_emit *e);
/* If there is one: an atomic of the lanes that run, of so many bytes each, at
 * one pointer or at addresses (i64). */
void sw_jit_tally_atomic(sw_jit_emit *e, LLVMValueRef one,
                         LLVMValueRef addresses, unsigned bytes);

/* ---- lines of the program (emit/debug_lines.c) ---- */
void sw_jit_lines_open(sw_jit_emit *e); /* if it has any */
/* What is made from now on is this instruction's. */
void sw_jit_lines_at(sw_jit_emit *e, const sw_ins *ins);
void sw_jit_lines_close(sw_jit_emit *e);

/* At the beginning of a block and the end of the function: nothing has been
 * loaded before (emit/access_combine.c); or only what had been when `until` was
 * the last one. */
void sw_jit_chunks_clear(sw_jit_emit *e, const sw_jit_chunk *until);
void sw_jit_structs_clear(sw_jit_emit *e, const sw_jit_struct *until);
/* Stores that come later are to move what has been stored so far. */
bool sw_jit_stores_wait(const sw_jit_emit *e);

/* ---- which registers live (emit/deaths.c) ---- */
/* Finds, from its end, where each register of a block is needed last. */
void sw_jit_find_deaths(sw_jit_emit *e, uint32_t b);
/* `now` becomes what lives after the instruction; what it reads for the last
 * time it may write as well. */
void sw_jit_step_over(sw_jit_emit *e, const sw_ins *ins);

/* ---- loops that take long (emit/yield.c) ---- */
/* Where the back edges are counted that a loop has left: twice their number,
 * plus 1 if it has given no turn away since it was entered. */
LLVMValueRef sw_jit_spin_slot(sw_jit_emit *e, uint32_t loop);
/* Lanes of `mask` go around a loop once more; nothing if it is none (0). */
void sw_jit_count_back_edge(sw_jit_emit *e, uint32_t loop, LLVMValueRef mask);
/* At the end of a block: loops that it leads into, and that may be waiting for
 * somebody, begin. */
void sw_jit_enter_loops(sw_jit_emit *e, const sw_block *block);
/* i32: why lanes that sleep give a turn away (SW_JIT_SLEEPS). */
LLVMValueRef sw_jit_sleep_reason(sw_jit_emit *e);

/* ---- control (emit/control.c) ---- */
/* All but the code, of the request, which outlives it; e->ll has what there is
 * of the target, and a context. Returns how many parts there are. */
uint32_t sw_jit_emit_open(sw_jit_emit *e, const sw_jit_request *rq);
/* One after the other, each into the empty module of e->ll, whose context is
 * its own. */
void sw_jit_emit_part(sw_jit_emit *e, uint32_t part);
/* After the passes: of all functions of e->ll's module (llvm/masks.c). */
void sw_jit_spell_masks(sw_jit_emit *e);
void sw_jit_cut_chains(const sw_jit_emit *e); /* (llvm/chains.c) */
void sw_jit_sink_rare(const sw_jit_emit *e);  /* (llvm/sink.c) */

/* All lanes of an access's groups run. */
static inline bool
sw_jit_groups_run(const sw_jit_emit *e)
{
    return e->is_full || e->some;
}

/* ---- when warps run together (plan/fuse.c) ---- */
void sw_jit_emit_finish(sw_jit_emit *e);

#endif
