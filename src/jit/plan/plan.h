/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - inside the compiler: all that is decided of a kernel before any code
 * of it is made. For how many lanes it is compiled, which shape each register
 * has, where lanes part and meet, which loops have versions, where it is cut.
 * The emitters read a plan and never change it.
 *
 * It knows no LLVM: what arithmetic the emitters can make is asked by
 * sw_jit_machine. One thread makes a plan; any thread may read it.
 *
 * A kernel whose warps, or fused warps of a block, each have a function of
 * their own (its phases) has a plan for each; they share what does not depend
 * on shapes.
 */
#ifndef SW_JIT_PLAN_H
#define SW_JIT_PLAN_H
#include "jit/abi.h"
#include "opt/shape.h"

typedef struct sw_jit_plan sw_jit_plan;
typedef struct sw_jit_known sw_jit_known;
typedef struct sw_jit_facts sw_jit_facts;
typedef struct sw_jit_partitions sw_jit_partitions;
typedef struct sw_jit_points sw_jit_points;

/* Groups of lanes of which each is tested by itself, at most. */
enum { SW_JIT_GROUPS = SW_LANES_MAX / 8 };

/* Some lanes. */
typedef struct {
    uint64_t words[SW_LANES_MAX / 64];
} sw_jit_lane_set;

static inline bool
sw_jit_has_lane(const sw_jit_lane_set *set, unsigned lane)
{
    return set->words[lane / 64] >> (lane % 64) & 1;
}

static inline void
sw_jit_add_lane(sw_jit_lane_set *set, unsigned lane)
{
    set->words[lane / 64] |= UINT64_C(1) << (lane % 64);
}

/* The lowest one; there is one. */
static inline unsigned
sw_jit_first_lane(const sw_jit_lane_set *set)
{
    unsigned w = 0;
    while (!set->words[w])
        w++;
    return w * 64 + (unsigned)__builtin_ctzll(set->words[w]);
}

/* The processor, and what the emitters can make for it. */
typedef struct {
    bool has_avx2;   /* masked stores of 32 and 64 bits */
    bool has_avx512; /* F, BW, DQ and VL */
    const void *arg; /* for these */
    bool (*supports)(const void *arg, const sw_fn *fn, const sw_ins *ins);
    bool (*may_flush)(const void *arg, const sw_ins *ins);
    bool (*is_raw)(const sw_fn *fn, const sw_ins *ins);
} sw_jit_machine;

/* A loop whose index, which all lanes share, is halved or doubled in each
 * iteration, as it is in one of them (versions.c). */
typedef struct {
    uint32_t loop;
    sw_reg index;
    uint32_t block, at;  /* the instruction that writes it */
    uint64_t now, next;  /* before that, after */
    sw_jit_facts *facts; /* what is known in it */
} sw_jit_version;

/* Instructions [first, end) of a block, emitted in one partition. */
typedef struct {
    uint32_t block, first, end, partition;
} sw_jit_range;

/* Where a warp goes on. */
typedef enum {
    SW_JIT_AT_BODY,
    SW_JIT_AT_TWIN,
    SW_JIT_AT_POINT,
    SW_JIT_AT_LATCH,
    SW_JIT_AT_MIDDLE, /* of a block: `of` is the range's number */
    SW_JIT_AT_AGAIN,  /* these two in every part */
    SW_JIT_AT_END
} sw_jit_place_kind;

typedef struct {
    sw_jit_place_kind kind;
    uint32_t of; /* a block; a loop: of a LATCH */
} sw_jit_place;

struct sw_jit_plan {
    const sw_jit_request *rq;
    const sw_fn *fn;
    sw_jit_machine machine;

    /* Of the kernel. */
    sw_cfg *cfg;
    sw_liveness *live;
    uint32_t *first_ins;   /* [block_count] index of its first */
    uint8_t *waits;        /* [loop_count] sw_jit_loop_wait (wait.c) */
    bool calls_wait;       /* what is called may wait for somebody */
    bool shares_plainly;   /* see sw_jit_is_ordered */
    bool has_local_rows;   /* see local.c */
    bool has_wide;         /* see sw_jit_result */
    bool has_ftz, flushes; /* some .ftz; the processor does it (ftz.c) */
    bool hides_loads;      /* ... but memory may hold what LLVM knows */
    uint8_t *raw;          /* [reg_count] sw_type of raw values, or 0 */
    bool *never_subnormal; /* [reg_count] an f32 that is not subnormal */
    bool *is_unknown;      /* [reg_count] LLVM cannot know it; if code flushes,
                              else NULL */
    bool *is_data_dependent; /* [reg_count] see data_dependent.c */
    bool *is_kept;           /* [reg_count] see frame_slots.c; NULL: none is */
    bool has_many_scattered, has_many_functions; /* see outline.c */
    sw_jit_block_loop block_loop;                /* see block_loop.c */
    uint32_t phases;                             /* more than one: of_phase */
    sw_jit_plan **of_phase;                      /* [phases] or NULL */

    /* Of the phase. */
    sw_shapes *shapes;
    unsigned lanes;          /* 32, or 64 to 256: of fused warps */
    bool *agrees, *has_twin; /* [block_count] its lanes hardly ever part; it is
                                run by all lanes together as well (uniform.c) */
    bool *is_remainder;      /* [block_count] see sw_jit_find_remainders */
    bool twins_are_full;     /* they are for warps that have all lanes */
    const sw_ins **writers;  /* those of each register, one register's */
    uint32_t *writers_at;    /* [reg_count + 1] from there on: uniform.c */
    sw_jit_lane_set *known;  /* [block_count] see sw_jit_known_lanes */
    sw_jit_known *values;    /* [reg_count]; NULL: nothing is known */
    sw_vec versions;         /* sw_jit_version, of a loop side by side */
    const sw_jit_version *version; /* the one looked at meanwhile, or NULL */
    bool *is_number; /* [reg_count] its lanes are known, where it is written in
                        a loop with versions in those */
    sw_jit_partitions *partitions;
    sw_jit_points *reconverge; /* the reconvergence points of all parts */
};

/* Of a kernel, for this request and machine, which outlive it. Owned by caller,
 * sw_jit_plan_destroy. */
const sw_jit_plan *sw_jit_plan_create(const sw_jit_request *rq,
                                      const sw_jit_machine *machine);
void sw_jit_plan_destroy(const sw_jit_plan *plan);

static inline bool
sw_jit_has_native(const sw_jit_plan *plan, const sw_ins *ins)
{
    return plan->machine.supports(plan->machine.arg, plan->fn, ins);
}

/* ---- instructions, shapes (predicates.c) ---- */
/* An access that has no native form. */
bool sw_jit_is_unusual(const sw_ins *ins);
/* Barrier 0, of all threads of the block; also a reduction. */
bool sw_jit_is_block_barrier(const sw_ins *ins);
/* The kernel may have addresses of other blocks' shared memory. */
bool sw_jit_uses_clusters(const sw_fn *fn);
/* Whether the lanes of a shape lie in few rows: lanes of one `v` each, enough
 * of them to be moved together. */
bool sw_jit_are_rows(const sw_shape *shape, unsigned lanes);
/* A NaN comes out of the instruction if one goes in, though maybe not the one
 * that a device prefers. */
bool sw_jit_passes_nans(const sw_ins *ins);
/* The compiled function that it calls, and its number; NULL: none. */
const sw_fn *sw_jit_callee_of(const sw_jit_plan *plan, const sw_ins *ins,
                              uint32_t *number);
/* Whether it may call functions that are compiled, or is one. */
bool sw_jit_calls_compiled(const sw_jit_plan *plan);

/* ---- facts of the kernel: each file has its own ---- */
void sw_jit_find_order(sw_jit_plan *plan); /* wait.c */
/* Whether a load or store is more than a weak one. Volatile ones of shared
 * memory are not, if no warp waits by them: warps of a block run on one thread,
 * and lanes move what they do in the order of the program. */
bool sw_jit_is_ordered(const sw_jit_plan *plan, const sw_ins *ins);
/* What a loop waits for. From ENDS_BY_OTHERS on it ends by what others do; from
 * ENDS_LONG on it is asked after few iterations. */
typedef enum {
    SW_JIT_NEVER_WAITS,
    SW_JIT_READS_SHARED,    /* it may, as it reads what others can change */
    SW_JIT_ENDS_BY_OTHERS,  /* its end depends on what they do */
    SW_JIT_ENDS_LONG,       /* ... and an iteration may take long */
    SW_JIT_ONLY_LOCKS,      /* it only tries to take what somebody holds */
    SW_JIT_ONLY_WAITS,      /* it only looks at what others change, */
    SW_JIT_ONLY_WAITS_BLOCK /* ... warps of its own block */
} sw_jit_loop_wait;
void sw_jit_find_waits(sw_jit_plan *plan);
/* Back edges of the loop before it yields. */
uint32_t sw_jit_back_edges(const sw_jit_plan *plan, uint32_t loop);
/* Why a warp in the loop yields. */
sw_jit_why sw_jit_reason_of(const sw_jit_plan *plan, uint32_t loop);
/* From that block on there is, on each way, a barrier of all threads of the
 * block, or the end, before anything that others see. */
bool sw_jit_goes_to_barriers(const sw_jit_plan *plan, uint32_t from);
/* Nothing in the kernel depends on where local memory lies, nor does the
 * observer. */
bool sw_jit_can_have_local_rows(const sw_jit_plan *plan);
void sw_jit_find_raw(sw_jit_plan *plan);
/* The type of an instruction's raw result, or 0. */
uint8_t sw_jit_raw_result(const sw_jit_plan *plan, const sw_ins *ins);
bool sw_jit_is_mover(const sw_ins *ins); /* passes on what it gets */
/* Whether .ftz is done by the processor: there is some, and nothing else that
 * would see it; and what LLVM may know then. */
void sw_jit_find_flushing(sw_jit_plan *plan);
/* For sw_jit_llvm.may_be_known. */
bool sw_jit_may_be_known(const sw_jit_plan *plan, const sw_ins *ins);
/* marks[reg_count]: those of registers stay true for which `makes` is true of
 * all that writes them, given the marks. */
void sw_jit_keep_marks(sw_jit_plan *plan, bool *marks,
                       bool (*makes)(const sw_jit_plan *, const sw_ins *));
/* What need not be flushed, after that. */
void sw_jit_find_never_subnormal(sw_jit_plan *plan);
/* For sw_jit_llvm.normal. */
unsigned sw_jit_never_subnormal_sources(const sw_jit_plan *plan,
                                        const sw_ins *ins);
void sw_jit_find_data_dependent(sw_jit_plan *plan);
/* The operand is a register that is made of what lanes have loaded. */
bool sw_jit_is_data_dependent(const sw_jit_plan *plan, const sw_opnd *o);
void sw_jit_find_kept(sw_jit_plan *plan);
/* Whether [from, to) may be done again, with the registers of `to`: a side exit
 * leads back that far. */
bool sw_jit_may_go_back(const sw_block *block, uint32_t from, uint32_t to);
bool sw_jit_has_many_scattered(const sw_jit_plan *plan);
bool sw_jit_has_many_functions(const sw_jit_plan *plan);
/* What a device's special function unit does. */
bool sw_jit_is_of_unit(const sw_ins *ins);
/* Code adds up what it does (watch/inline_counter.h); it tells no events. */
static inline bool
sw_jit_counts(const sw_jit_plan *plan)
{
    return plan->rq->counts_inline && !plan->rq->events;
}
/* Whether warps meet there that are not all of a block. */
bool sw_jit_meets_at_barriers(const sw_jit_plan *plan);
sw_jit_block_loop sw_jit_find_block_loop(const sw_jit_plan *plan);
/* Whether the block is a loop that lanes had better run one by one; whether
 * there may be one that stores, known before there are parts. */
bool sw_jit_is_scalar_loop(const sw_jit_plan *plan, uint32_t b);
bool sw_jit_stores_lists(const sw_jit_plan *plan);

/* ---- lanes and shapes: made by decide.h, read here ---- */
/* Where the only instruction is that writes a register; false: not known. */
bool sw_jit_find_writer(const sw_jit_plan *plan, sw_reg reg, uint32_t *block,
                        uint32_t *at);
/* [lanes] numbers that a register surely holds where it is read in a version
 * (NULL: in none), zero above its width; NULL: they are not known. */
const uint64_t *sw_jit_known_values(const sw_jit_plan *plan,
                                    const sw_jit_version *version, sw_reg reg);
/* Those that run a block, whenever it is run by some; NULL: not known. */
const sw_jit_lane_set *sw_jit_known_lanes(const sw_jit_plan *plan,
                                          const sw_jit_version *version,
                                          uint32_t b);
/* Whether a block lies in a loop that has versions. */
bool sw_jit_has_versions(const sw_jit_plan *plan, uint32_t block);

#endif
