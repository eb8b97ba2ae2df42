/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interp.h - inside the interpreter: decoded code, frames, paths, lane
 * functions. Nobody outside src/interp includes it.
 *
 * A function is decoded once into an array of sw_dins. A register is an array
 * of 32 lanes in the frame of an activation (predicates: one 32-bit mask); an
 * immediate is such an array among the function's constants. Most
 * instructions are a lane function: a loop over 32 lanes that the C compiler
 * turns into vector code (lanes.c, memory.c: built once for each vector
 * extension, the best chosen at start).
 *
 * The lanes of a warp that stand at the same place of the same activation are
 * a path. A warp with one path runs straight on; where paths part, the one at
 * the smallest position of sw_cfg runs first, so that they meet again at the
 * immediate post-dominator. Each path may wait, so lanes of one warp may wait
 * for each other.
 */
#ifndef SW_INTERP_H
#define SW_INTERP_H
#include <stdatomic.h>

#include "exec/engine.h"
#include "interp/texture.h"
#include "sem/matrix.h"

typedef struct sw_code sw_code;
typedef struct sw_frame sw_frame;
typedef struct sw_iwarp sw_iwarp;
typedef struct sw_dins sw_dins;
struct sw_cfg;

#define SW_NO_GUARD UINT32_MAX
enum { SW_OPND_INLINE = 6 };

/* Where an operand's lanes are: byte offset, bit 31 set: among the constants,
 * else in the frame. */
typedef uint32_t sw_oref;

/* What a lane function sees. */
typedef struct {
    uint8_t *base[2]; /* the frame's registers; the code's constants */
} sw_lane_ctx;

typedef void sw_lane_fn(const sw_lane_ctx *x, const sw_dins *d, uint32_t mask);

/* What a decoded instruction is to the main loop. */
typedef enum {
    SW_K_LANE, /* call fn; cannot fail */
    SW_K_EVAL, /* sw_sem_eval lane by lane */
    SW_K_LD,
    SW_K_ST,
    SW_K_LD_PARAM, /* entry parameters */
    SW_K_ATOM,
    SW_K_BRA,
    SW_K_BRX,
    SW_K_RET,
    SW_K_EXIT,
    SW_K_CALL,
    SW_K_TRAP,
    SW_K_BAR,
    SW_K_BAR_WARP,
    SW_K_BAR_CLUSTER,
    SW_K_LANES, /* shfl, vote, match, redux, elect, activemask */
    SW_K_SREG,
    SW_K_LOCAL_ADDR, /* address of a slot of the frame */
    SW_K_CVTA,
    SW_K_MAPA, /* getctarank too */
    SW_K_ISSPACEP,
    SW_K_TEX, /* tex, tld4, txq, suld, sust, sured */
    SW_K_MATRIX,
    SW_K_MBAR,
    SW_K_CP_ASYNC,
    SW_K_CP_BULK,
    SW_K_CP_TENSOR,
    SW_K_NOP,
    SW_K_FENCE,
    SW_K_SLEEP,
    SW_K_ALLOCA,
    SW_K_STACK
} sw_dkind;

struct sw_dins {
    sw_lane_fn *fn;
    uint8_t kind;
    uint8_t ndst, nsrc;
    uint8_t boolop;
    uint32_t guard;            /* offset of the predicate, or SW_NO_GUARD */
    uint32_t guard_flip;       /* ~0: !p */
    uint32_t mode;             /* sw_fmode */
    uint32_t flip;             /* setp, selp, ...: ~0 if the predicate source is
                                  negated */
    uint32_t target[2];        /* bra: index of the decoded instruction */
    uint32_t position[2];      /* bra: sw_cfg position of the target */
    bool is_back[2];           /* bra: the target is no later than the branch */
    sw_oref o[SW_OPND_INLINE]; /* destinations, then sources */
    const sw_oref *more;       /* all of them, if they are more than fit in o */
    uint8_t src_class;         /* ld, st: class of the address */
    uint8_t val_class;         /* ld, st, atom: class of the value registers */
    uint8_t mem_bytes;         /* ld, st, atom: of one element */
    bool mem_signed;
    uint32_t block; /* it belongs to */
    const sw_ins *ins;
    const void *aux; /* brx: sw_dtargets; call: sw_dcall; matrices:
                        sw_matrix_plan, or NULL */
};

static inline const sw_oref *
sw_dins_orefs(const sw_dins *d)
{
    return d->more ? d->more : d->o;
}

static inline void *
sw_lane_ptr(const sw_lane_ctx *x, sw_oref o)
{
    return x->base[o >> 31] + (o & 0x7fffffffu);
}

typedef struct {
    uint32_t count;
    struct {
        uint32_t target, position;
        bool is_back;
    } to[];
} sw_dtargets;

/* One side of a parameter's transfer. */
typedef struct {
    bool is_slot;
    uint32_t slot; /* offset in the frame */
    sw_oref ref;   /* a register or constant */
    uint32_t bytes;
} sw_dformal;

typedef struct {
    sw_code *code;           /* NULL: indirect */
    int builtin;             /* index in the table of call.c, or -1 */
    sw_dformal *args, *rets; /* of the caller */
    uint32_t arg_count, ret_count;
} sw_dcall;

/* A decoded function. */
struct sw_code {
    const sw_fn *fn;
    const sw_program *program;
    sw_dins *ins;
    uint32_t count;
    uint32_t first;            /* number of ins[0] among those of the program */
    uint32_t reg_bytes;        /* of a frame, a multiple of 64 */
    uint32_t junk;             /* bytes of it that are registers; behind them a
                                  place for results that nobody reads */
    uint8_t *consts;           /* 64-byte aligned, in the program's arena */
    const uint32_t *positions; /* by block, sw_cfg.sched */
    sw_dformal *params, *rets; /* as the callee sees them */
    uint32_t param_count, ret_count;
};

/* What sw_program.code points to. */
typedef struct {
    sw_code *codes; /* as program->fns */
    uint32_t count;
    atomic_bool lanes_wait; /* some seem to have for lanes that were ahead */
    atomic_uint_fast64_t held_at_ns; /* when some last had been for long; 0 */
} sw_interp_code;

/* One activation of a function by some lanes of a warp. */
struct sw_frame {
    sw_frame *up; /* the caller's */
    const sw_code *code;
    uint8_t *regs; /* 64-byte aligned, inside memory */
    void *memory;  /* NULL: neither it nor the frame is the interpreter's */
    uint32_t live; /* lanes that have not returned */
    uint32_t depth;
    uint32_t local; /* offset of its slots in the threads' local memory */
    uint32_t top;   /* end of its stack: slots and allocas */
    uint32_t return_pc;
    const sw_dcall *call; /* by which it was entered */
    sw_frame *next;       /* in the warp's list of free frames */
};

typedef enum {
    SW_PATH_RUN,
    SW_PATH_BARRIER, /* waits for bars[barrier] to leave `generation` */
    SW_PATH_CLUSTER, /* waits for the cluster's barrier */
    SW_PATH_LANES    /* waits for the lanes `wanted` to come to its pc, or to
                        other instructions that do the same */
} sw_path_state;

typedef struct {
    sw_frame *frame;
    uint32_t pc;       /* index of the instruction to run next */
    uint32_t position; /* sw_cfg position; orders the paths */
    uint32_t mask;
    uint8_t state;
    uint8_t barrier;
    bool has_yielded; /* has run long while others waited */
    bool meets; /* the lanes it waited for are there, at other instructions */
    uint32_t generation;
    uint32_t wanted;
    uint32_t back_edges; /* since it last gave way */
    uint32_t check_at;   /* back_edges at which to look for a spin */
    uint32_t check_pc;
    uint32_t check_until;
    uint64_t check_hash;
    bool is_spin; /* why it has yielded: since its last turn all is the same */
    bool yields_next;         /* has slept: yields at the next back edge */
    bool has_snapshot;        /* check_hash is of before its last rest */
    bool has_atomics;         /* since its last rest it has executed some, */
    bool had_atomics;         /* ... or when it rested it had */
    bool has_tried;           /* ... some by which locks are taken */
    uint32_t tries, tries_at; /* back edges in a row to one place, and where */
    uint32_t long_runs;       /* yields after which it had not come to an end */
} sw_path;

/* sw_warp.state. */
struct sw_iwarp {
    sw_path paths[SW_WARP_LANES];
    uint32_t path_count;
    uint32_t current; /* index of the path that came to a stop */
    sw_frame *free_frames;
    uint32_t held;    /* lanes ahead of lanes that rest: they wait for these */
    uint64_t held_ns; /* since when the last of them does */
    bool is_set_up;   /* tid and root are valid */
    sw_frame *root;
    uint32_t *tid[3]; /* lanes' thread indices; part of the state */
    /* Where warp_run returns if a path comes there by a back edge: places of
     * the kernel, [stop_count], of who has warp_run called. */
    const uint32_t *stops;
    uint32_t stop_count;
    uint32_t passes;  /* so often none does */
    bool has_stopped; /* one of them was come to, by the current path */
};

/* What lane-wise memory functions need. */
typedef struct sw_lane_set sw_lane_set;

typedef struct {
    sw_lane_ctx x;
    const sw_lane_set *lanes;
    sw_warp *warp;
    sw_iwarp *iw;
    sw_frame *frame;
    const sw_code *code;
    bool in_turn;   /* the block is, */
    bool gave_turn; /* ... and the warp has given its turn away */
    bool observe;
    sw_ev_where where; /* if observe: of the block, warp, function and, while
                          it is executed, the instruction */
} sw_run;

/* The lanes of an operand of 32 bits; NULL: it has another width. */
static inline uint32_t *
sw_interp_lanes_32(const sw_run *run, const sw_dins *d, unsigned opnd)
{
    if (sw_ins_class(run->code->fn, d->ins, opnd) != SW_CLASS_B32)
        return NULL;
    return sw_lane_ptr(&run->x, sw_dins_orefs(d)[opnd]);
}

/* The observer wants them. */
bool sw_interp_wants_texels(const sw_run *run);
/* Empties it; returns log. */
sw_texel_log *sw_interp_open_log(sw_texel_log *log);
/* Tells them, of the instruction that sw_interp_observe_at named; the log is
 * then used up. */
void sw_interp_observe_texels(sw_run *run, sw_texel_log *log);

/* The element of a matrix in lane 0 of a register: the first of its tile. */
typedef struct {
    uint8_t row, col;
} sw_matrix_tile;

/* Most that a product with a plan has of them: registers of a fragment, and of
 * those not repeated; tiles of eight columns, and along k; sums. */
enum {
    SW_MATRIX_REGS = 8,
    SW_MATRIX_TILES = 8,
    SW_MATRIX_COLUMNS = 2,
    SW_MATRIX_LENGTH = 4,
    SW_MATRIX_SUMS = 256
};

/* The matrices of a product in tiles: of eight rows, eight columns, and what
 * four registers' lanes have along k. at: the registers that hold them: a
 * [m][k], b [n][k], c and d [m][n]; of 32 bits and more the first of two, which
 * have the columns in turn. */
typedef struct {
    uint8_t m, n, k;
    uint8_t at[4][SW_MATRIX_TILES];
} sw_matrix_tiles;

/* A lane of the register of names, and the first of four bits of it. */
typedef struct {
    uint8_t lane, at;
} sw_matrix_names;

/* Of a matrix instruction, when it is decoded. */
typedef struct {
    const sw_matrix *mx;
    bool wmma;
    /* mma, wmma: of a, b, c, d. wmma.load, wmma.store: [0] the only one. */
    sw_sem_frag frag[4];
    /* mma, wmma. turned: mx, and all that is said here, is the product of the
     * transposes, b's by a's. has_dots: the processor adds products of four
     * bytes (AVX512_VNNI). */
    bool turned, has_dots;
    sw_matrix_tiles tiles;
    /* A sparse a, which tiles has as sw_interp_matrix_expand makes it: the
     * registers that there are, [m][k / 2], and for each four units of each
     * row, of 16 bits or 8, where the names are of the two that there are. */
    uint8_t stored[SW_MATRIX_TILES];
    const sw_matrix_names *names;
    /* Element i of a lane's fragment is number 32 * i + lane. mma, wmma of
     * floats: the number of each element of a [m][k], b [k][n] and c [m][n];
     * for each number of d the element, of [m][n]. wmma.load, wmma.store: for
     * each number 65536 * (row, or column where columns lie one after the
     * other) + its place in that. */
    const int32_t *place[4];
    /* wmma.load, wmma.store: where each register's tile begins, if eight rows
     * of what lies one after the other in memory are in registers that `lie`
     * so, lane by lane; else NULL. */
    const sw_matrix_tile *moves;
    enum { SW_TILE_ROWS, SW_TILE_COLUMNS, SW_TILE_PAIRS } lie;
} sw_matrix_plan;

/* Elements of a and b, as many as any product of floats with a plan has. */
typedef union {
    uint16_t halves[512];
    uint32_t words[512];
} sw_matrix_elements;

/* ---- lanes.c, memory.c, texture_*.c and matrix_*.c, one set for each vector
 * extension ---- */

struct sw_lane_set {
    const char *name;
    /* A lane function for a PURE instruction, or NULL. */
    sw_lane_fn *(*find)(const sw_ins *ins);
    /* false: a fault was recorded */
    bool (*load)(sw_run *run, const sw_dins *d, uint32_t mask);
    bool (*store)(sw_run *run, const sw_dins *d, uint32_t mask);
    /* Fetches of the texture by float or integer coordinates. False: they are
     * not known, and the plan is worth nothing. */
    bool (*plan)(sw_tex_plan *p, const struct sw_texture *t,
                 const struct sw_sampler *s, sw_geom geom, bool is_int);
    bool (*surface)(sw_tex_plan *p, const struct sw_texture *t, sw_geom geom,
                    const sw_tex_surface *how);
    /* mma, wmma with a plan: registers by number (after c's the one of names,
     * if a is sparse), the lanes of each: [32] of
     * 32 bits, of 64 for f64. False: nothing was done: not all numbers are
     * finite, or another rounding. */
    bool (*multiply)(const sw_matrix_plan *plan, const void *const a[],
                     const void *const b[], const void *const c[],
                     void *const d[]);
    /* wmma.load and wmma.store with a plan, of memory that is accessible:
     * rows (or columns) are `stride` elements apart. */
    void (*transfer)(const sw_matrix_plan *plan, uint8_t *base, uint64_t stride,
                     void *const regs[], bool to_memory);
};

extern const sw_lane_set sw_lanes_v2, sw_lanes_v3, sw_lanes_v4, sw_lanes_base;
const sw_lane_set *sw_interp_lanes(void); /* the best for this processor */

/* ---- run.c: for a back end that runs most by itself ---- */

/* Makes `run` good for sw_interp_step in the warp's root frame, after
 * warp_start. */
void sw_interp_open(sw_warp *warp, sw_run *run);
/* Executes the instruction at `pc` of run->code, in run->frame, no branch, for
 * `mask`; a call with all that it calls. While lanes in there wait, `wait` is
 * called. *left: lanes that have not ended. False: a fault was recorded. */
bool sw_interp_step(sw_run *run, uint32_t pc, uint32_t mask, uint32_t *left,
                    void (*wait)(void *arg, sw_stop stop), void *arg);
/* What bar.red gives its lanes; sub: SW_BAR_. */
static inline uint32_t
sw_interp_bar_result(const sw_bar *bar, unsigned sub)
{
    return sub == SW_BAR_RED_AND  ? bar->result_ones == bar->result_threads
           : sub == SW_BAR_RED_OR ? bar->result_ones != 0
                                  : bar->result_ones;
}
/* The warp goes on in the interpreter: first sw_interp_resume, then its paths,
 * each at an instruction of the kernel; position UINT32_MAX: its block's. */
void sw_interp_resume(sw_warp *warp, uint32_t live);
void sw_interp_add_path(sw_warp *warp, uint32_t pc, uint32_t position,
                        uint32_t mask);
/* The same in the frame of a function. */
void sw_interp_add_path_in(sw_iwarp *iw, sw_frame *frame, uint32_t pc,
                           uint32_t position, uint32_t mask);
/* For it; the caller says what is in it. Goes when its lanes have returned. */
sw_frame *sw_interp_new_frame(sw_iwarp *iw, const sw_code *code);

/* ---- wait.c ---- */
/* Called at back edges: true if the registers are what they were at an earlier
 * back edge to the same place, so that without others nothing will change. That
 * edge may have been before a rest: has_snapshot. */
bool sw_interp_is_spinning(sw_path *p, uint32_t to);
/* What waits or sleeps is compared with itself when it goes on: at once what
 * waits, so that a look costs no more than one turn of its loop. */
void sw_interp_rest_path(sw_path *p, bool spins);
/* By their places: a before b. */
bool sw_interp_goes_first(const sw_path *a, const sw_path *b);
/* Lanes that take part in the warp-level operation at which a path is. */
uint32_t sw_interp_takers(const sw_path *p);
/* Two paths at such: the same operation, for the same members. */
bool sw_interp_do_the_same(const sw_path *p, const sw_path *q);
/* All lanes that p waits for wait for the others, or have ended. */
bool sw_interp_have_met(const sw_iwarp *iw, const sw_path *p, uint32_t ended);
/* Whether a path that does not rest may run, though others do that are to run
 * before it. */
bool sw_interp_may_pass(const sw_warp *warp, const sw_path *p);
/* The path has gone around a loop and is where somebody wants to have the warp
 * back: iw->stops, iw->passes. It is the current one then. */
bool sw_interp_is_stop(sw_iwarp *iw, const sw_path *p);
/* At the end of the warp's turn. False: none rested. */
bool sw_interp_resume_yielded(const sw_warp *warp, bool *all_spin);

/* ---- fault.c ---- */
void sw_interp_fault_trap(sw_run *run, const sw_dins *d, uint32_t mask);
/* A barrier's operands; false: a fault was recorded. */
bool sw_interp_check_barrier(sw_run *run, const sw_dins *d, uint32_t id,
                             uint32_t expected, unsigned lane);

/* ---- decode.c ---- */
sw_status sw_interp_compile(sw_program *program, sw_diag *diag);
void sw_interp_release(sw_program *program);

/* ---- registers.c ---- */

/* Gives every register its offset in a frame (offset[reg_count]); those that
 * live inside one block share places. Returns the bytes taken, a multiple of
 * 64. */
uint32_t sw_interp_place_registers(const sw_fn *fn, const struct sw_cfg *cfg,
                                   uint32_t *offset);

/* ---- address.c ---- */

/* Addresses of a memory instruction, whose source `src` is the base, in the
 * flat space; shared and local offsets are checked and translated. false: a
 * fault was recorded. `bytes`: of the whole access of a lane. */
bool sw_interp_addresses(sw_run *run, const sw_dins *d, unsigned src,
                         uint32_t mask, uint32_t bytes, uint32_t align,
                         uint64_t addr[SW_WARP_LANES]);
/* Where `bytes` at an address of .shared::cluster memory are, for a lane of the
 * warp; NULL, with a fault, if they lie outside of the shared memory of each
 * block. */
uint8_t *sw_interp_cluster_place(sw_run *run, const sw_dins *d, unsigned lane,
                                 uint64_t address, uint64_t bytes);
/* Checks flat addresses; false: a fault was recorded. */
bool sw_interp_check(sw_run *run, const sw_dins *d, uint32_t mask,
                     const uint64_t addr[SW_WARP_LANES], uint32_t bytes,
                     uint32_t align);
/* ---- observe.c: for the observer; but for the first two only where
 * run->observe is true ---- */

/* Sets run->observe, and what events say of the warp. */
void sw_interp_observe_warp(sw_run *run);
/* The instruction at `pc` of run->code, executed by `mask`, is what the next
 * events are about; for warps that were opened in an earlier block too. */
void sw_interp_observe_at(sw_run *run, uint32_t pc, uint32_t mask);
/* The warp is about to execute `d` by `mask` of the lanes `active`: ins,
 * branch, and what sw_interp_observe_special tells. */
void sw_interp_observe_ins(sw_run *run, const sw_dins *d, uint32_t mask,
                           uint32_t active);
/* Of it, if it is one: arrival at a barrier, an operation of the warp's lanes,
 * a fence, a wait for copies. run->where is set. */
void sw_interp_observe_special(sw_run *run, const sw_dins *d, uint32_t mask);
/* Lanes arrive at the block's barrier, or go on at `pc` from a barrier that
 * was completed as `generation`. */
void sw_interp_observe_arrival(sw_run *run, const sw_ins *ins, uint32_t barrier,
                               uint32_t expected);
void sw_interp_observe_release(sw_run *run, const sw_code *code, uint32_t pc,
                               uint32_t mask, uint32_t barrier,
                               uint32_t generation);
/* An access; addresses are flat. */
void sw_interp_observe(sw_run *run, const sw_dins *d, uint32_t mask,
                       const uint64_t addr[SW_WARP_LANES], uint32_t bytes);
/* The same with values as in sw_ev_mem, or NULL. */
void sw_interp_observe_values(sw_run *run, const sw_dins *d, uint32_t mask,
                              const uint64_t addr[SW_WARP_LANES],
                              uint32_t bytes, const uint8_t *before,
                              const uint8_t *after);
/* The same, with the space known; addr as in sw_ev_mem. Only if the observer
 * wants accesses; without values. */
void sw_interp_observe_in(sw_run *run, const sw_ins *ins, uint32_t mask,
                          sw_space space, const uint64_t addr[SW_WARP_LANES],
                          uint32_t bytes);
/* The load or the store of an asynchronous copy; addr as there. */
void sw_interp_observe_as(sw_run *run, uint32_t mask, sw_space space,
                          bool is_write, const uint64_t addr[SW_WARP_LANES],
                          uint32_t bytes);
void sw_interp_observe_async(sw_run *run, uint32_t mask,
                             const sw_ev_async *async);
/* addr: flat; what mbar has of owner and addr does not count. */
void sw_interp_observe_mbar(sw_run *run, uint32_t mask,
                            const uint64_t addr[SW_WARP_LANES],
                            const sw_ev_mbar *mbar);
void sw_interp_observe_heap(sw_run *run, uint32_t mask, const sw_ev_heap *heap);
void sw_interp_observe_exit(sw_run *run, uint32_t mask);

/* Of wmma.load or wmma.store, only if observed: `which` as in
 * sw_sem_matrix_frag, `stride` in elements, base: where each lane's is. */
void sw_interp_observe_fragment(sw_run *run, const sw_dins *d, char which,
                                bool row_major, uint64_t stride,
                                const uint64_t base[SW_WARP_LANES]);

/* ---- one function a kind; false: a fault was recorded ---- */
bool sw_interp_atom(sw_run *run, const sw_dins *d, uint32_t mask);
/* For the observer of such an operation: what lanes will leave in memory, given
 * what is there (lane i at i times the bytes of its elements). */
void sw_interp_atom_after(const sw_run *run, const sw_dins *d, uint32_t mask,
                          const uint64_t addr[SW_WARP_LANES],
                          const uint8_t *before, uint8_t *after);
/* One atomic operation without a result; addr has been checked. */
void sw_interp_atom_one(sw_atom what, sw_type type, uint32_t mode,
                        unsigned bytes, uint64_t addr, uint64_t b);
bool sw_interp_cp_async(sw_run *run, const sw_dins *d, uint32_t mask);
bool sw_interp_cp_bulk(sw_run *run, const sw_dins *d, uint32_t mask);
bool sw_interp_cp_tensor(sw_run *run, const sw_dins *d, uint32_t mask);
bool sw_interp_mbar(sw_run *run, const sw_dins *d, uint32_t mask);
bool sw_interp_tex(sw_run *run, const sw_dins *d, uint32_t mask);
/* How lanes of the block that agree on their handles do a tex, suld or sust;
 * sampler: the texture's, or that of the texture of this handle. NULL: one by
 * one. Valid until the next call. */
const sw_tex_plan *sw_interp_tex_plan(const sw_run *run, const sw_ins *ins,
                                      uint64_t texture, uint64_t sampler);
/* A fetch by lanes of a warp, logged if log is not NULL; rows as in
 * sw_tex_fetch. False: nothing was done, but perhaps to the channels. */
bool sw_interp_fetch(const sw_run *run, const sw_tex_plan *plan,
                     uint32_t rows[SW_TEX_ROWS][SW_WARP_LANES], uint32_t mask,
                     sw_texel_log *log);
bool sw_interp_matrix(sw_run *run, const sw_dins *d, uint32_t mask);
/* A sparse a with zeros: registers [m][k], by tiles. False: two elements have
 * the same name. */
bool sw_interp_matrix_expand(const sw_matrix_plan *plan, const void *const a[],
                             const uint32_t *names,
                             uint32_t (*out)[SW_WARP_LANES]);
/* NULL: an instruction that needs none, or is not common enough. In the
 * arena. */
const sw_matrix_plan *sw_interp_matrix_plan(sw_arena *arena, const sw_fn *fn,
                                            const sw_ins *ins);
/* wgmma: the product of 16 rows and 8 columns that a warp's is made of. False:
 * only sem/matrix.h has it. */
bool sw_interp_group_tile(const sw_matrix *group, sw_matrix *tile);
/* wgmma by a whole warp; d->aux: the plan of such a product, or NULL. */
bool sw_interp_group_multiply(sw_run *run, const sw_dins *d);
bool sw_interp_eval(sw_run *run, const sw_dins *d, uint32_t mask);
bool sw_interp_lanes_op(sw_run *run, const sw_dins *d, uint32_t mask);
/* What paths that meet do, as one. */
bool sw_interp_lanes_meet(const sw_run *run, sw_path *const *paths,
                          uint32_t count);
/* Which source of a warp function names its members; nsrc: none does. */
unsigned sw_interp_members_source(const sw_ins *ins);
/* Each lane is among the members it names; false after a fault, on devices that
 * look. */
bool sw_interp_check_members(sw_run *run, const sw_dins *d, uint32_t mask);
void sw_interp_sreg(sw_run *run, const sw_dins *d, uint32_t mask);
/* Calls of builtin functions (call.c). */
bool sw_interp_builtin(sw_run *run, const sw_dins *d, uint32_t mask);
int sw_interp_builtin_index(const char *name); /* -1: none */
void sw_interp_pass(sw_run *run, uint32_t mask, const sw_dformal *from,
                    const sw_lane_ctx *from_x, uint32_t from_local,
                    const sw_dformal *to, const sw_lane_ctx *to_x,
                    uint32_t to_local);

/* ---- space.c; those that return bool: false, a fault was recorded ---- */
void sw_interp_load_param(const sw_run *run, const sw_dins *d, uint32_t mask);
void sw_interp_local_address(const sw_run *run, const sw_dins *d,
                             uint32_t mask);
void sw_interp_convert_address(const sw_run *run, const sw_dins *d,
                               uint32_t mask);
void sw_interp_map_block(const sw_run *run, const sw_dins *d, uint32_t mask);
void sw_interp_test_space(const sw_run *run, const sw_dins *d, uint32_t mask);
bool sw_interp_grow_stack(sw_run *run, const sw_dins *d, uint32_t mask);
void sw_interp_move_stack(const sw_run *run, const sw_dins *d, uint32_t mask);

/* ---- lane values as 64 bits, for what is not worth a vector loop ---- */
uint64_t sw_interp_get(const sw_lane_ctx *x, sw_oref o, sw_class cls,
                       unsigned lane);
void sw_interp_put(const sw_lane_ctx *x, sw_oref o, sw_class cls, unsigned lane,
                   uint64_t value);

#endif
