/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.h - an observer that counts what one launch does, as the profiler
 * hardware of its device would: raw integer counts, for the launch and for each
 * instruction. metrics.h makes of them the figures that profilers show.
 *
 * One sw_counters is one launch. Its observer is called on the workers'
 * threads; every other function only before the launch begins or after it has
 * ended, from one thread. Instructions are PTX's, after contraction: what a
 * device's assembler would make of them is not known here.
 *
 * Blocks that are observed are counted exactly. If only every n-th was (see
 * sw_count_launch.sample), counts are those of the observed blocks, and
 * sw_counters_scale says by how much to multiply.
 */
#ifndef SW_WATCH_COUNTERS_H
#define SW_WATCH_COUNTERS_H
#include "device/occupancy.h"
#include "watch/inline_counter.h"

/* ---- raw counts ---- */

/* What an instruction is; each is in exactly one class. */
#define SW_COUNT_CLASSES(X)                                                    \
    X(INTEGER, "integer arithmetic and comparison")                            \
    X(BIT, "logic, shifts, bit fields")                                        \
    X(FP32, "float arithmetic and comparison")                                 \
    X(FP64, "double arithmetic and comparison")                                \
    X(FP16, "half and bfloat16 arithmetic and comparison")                     \
    X(SPECIAL, "approximations: reciprocal, root, sine, logarithm ...")        \
    X(CONVERT, "conversions between types")                                    \
    X(MOVE, "moves, selections, special registers")                            \
    X(ADDRESS, "parameters and conversions of addresses, free on a device")    \
    X(LANES, "shuffles, votes, matches, reductions of a warp")                 \
    X(CONTROL, "branches, calls, returns, exits")                              \
    X(SYNC, "barriers and fences")                                             \
    X(MEMORY, "loads, stores, atomics")                                        \
    X(TEXTURE, "textures and surfaces")                                        \
    X(MATRIX, "matrix operations of a warp")                                   \
    X(MISC, "the rest")
#define SW_ROW(name, text) SW_COUNT_##name,
typedef enum { SW_COUNT_CLASSES(SW_ROW) SW_COUNT_CLASS_COUNT } sw_count_class;
#undef SW_ROW

/* Accesses, by the memory they reach (generic ones too) and what they do. */
#define SW_COUNT_ACCESSES(X)                                                   \
    X(GLOBAL_LD, "global loads")                                               \
    X(GLOBAL_ST, "global stores")                                              \
    X(GLOBAL_ATOM, "global atomics with a result")                             \
    X(GLOBAL_RED, "global atomics without a result")                           \
    X(LOCAL_LD, "local loads")                                                 \
    X(LOCAL_ST, "local stores")                                                \
    X(SHARED_LD, "shared loads")                                               \
    X(SHARED_ST, "shared stores")                                              \
    X(SHARED_ATOM, "shared atomics")                                           \
    X(SHARED_COPY, "asynchronous copies to shared memory")                     \
    X(CONST_LD, "constant loads")                                              \
    X(TEXTURE, "texture fetches")                                              \
    X(SURFACE_LD, "surface loads")                                             \
    X(SURFACE_ST, "surface stores")
#define SW_ROW(name, text) SW_ACCESS_##name,
typedef enum { SW_COUNT_ACCESSES(SW_ROW) SW_ACCESS_COUNT } sw_access;
#undef SW_ROW

/* One kind of access. Only integers, so that sums are exact. */
typedef struct {
    uint64_t inst;     /* warp instructions, all lanes held back or not; not
                          those that move matrices or copy asynchronously */
    uint64_t generic;  /* ... of which the address is generic */
    uint64_t requests; /* ... of which at least one lane executes */
    uint64_t threads;  /* lanes that execute, summed */
    uint64_t bytes;    /* they ask for */
    /* Global, local, texture and surface, by the rules of the device. */
    uint64_t transactions;   /* n32 + n64 + n128 */
    uint64_t n32, n64, n128; /* by size in bytes; 7.0 on: all are n32 */
    uint64_t coherent;       /* 1.0, 1.1: half-warps that coalesce */
    uint64_t incoherent;     /* 1.0, 1.1: transactions of those that do not */
    uint64_t sectors;        /* different 32-byte sectors, a request */
    uint64_t sectors_ideal;  /* ... if its bytes lay side by side */
    uint64_t lines;          /* different 128-byte lines, a request */
    /* Caches (if sw_count_launch.caches): L1, texture or constant cache, in
     * sectors (2.x to 3.x: lines; constants: passes). */
    uint64_t hits, misses;
    uint64_t l2_sectors; /* asked of L2 by this */
    uint64_t l2_misses;  /* ... that it did not have */
    /* Shared: passes through the banks; constant: different words. */
    uint64_t wavefronts;
    uint64_t wavefronts_ideal; /* without conflicts */
    uint64_t conflicts;        /* wavefronts above those */
    uint64_t serialized;       /* requests with conflicts */
} sw_count_mem;

enum { SW_COUNT_FP32_OPS, SW_COUNT_FP64_OPS, SW_COUNT_FP16_OPS };
enum { SW_COUNT_ADD, SW_COUNT_MUL, SW_COUNT_FMA };

typedef struct {
    uint64_t blocks, warps, threads; /* launched; of rows: 0 */
    uint64_t inst;                   /* warp instructions */
    uint64_t inst_off;               /* ... with every lane held back */
    uint64_t thread_inst;            /* lanes at them, held back or not */
    uint64_t thread_on;              /* lanes that execute them */
    uint64_t inst_by[SW_COUNT_CLASS_COUNT];   /* inst */
    uint64_t thread_by[SW_COUNT_CLASS_COUNT]; /* thread_on */
    uint64_t flop[3][3];     /* thread_on of additions, products, fused ones;
                                packed ones count for each element */
    uint64_t branches;       /* warp instructions that may go elsewhere: bra,
                                brx; not call, ret, exit */
    uint64_t branches_taken; /* ... where at least one lane takes it */
    uint64_t divergent;      /* ... where lanes part */
    uint64_t branch_targets; /* different targets, summed */
    uint64_t exits;          /* ret and exit of the kernel, calls, returns */
    uint64_t barriers;       /* arrivals of warps at barriers of the block */
    uint64_t crossings; /* shuffles and readings of a thread's number, which
                           go through the banks as well */
    sw_count_mem mem[SW_ACCESS_COUNT];
    /* L2 and DRAM in sectors of 32 bytes (if caches); totals only. */
    uint64_t l2_read, l2_write, l2_atom, l2_red;
    uint64_t l2_read_hit, l2_write_hit, l2_atomic_hit;
    uint64_t dram_read, dram_write;
} sw_counts;

/* a += b, each count. */
void sw_counts_add(sw_counts *a, const sw_counts *b);

/* Sums that figures are made of. Warp instructions without those that take none
 * on a device: parameters are operands there, and addresses need no
 * conversion. */
uint64_t sw_counts_executed(const sw_counts *n);
/* Of the banks of shared memory. */
uint64_t sw_counts_conflicts(const sw_counts *n);
/* Floating-point operations, a fused one counting 2; SW_COUNT_FP32_OPS ... */
uint64_t sw_counts_flops(const sw_counts *n, int precision);
/* Bytes of transactions. */
uint64_t sw_count_moved(const sw_count_mem *n);

/* One instruction that was executed at least once. */
typedef struct {
    const sw_fn *fn;
    const sw_ins *ins; /* ->line: in the PTX text */
    uint32_t index;    /* as sw_ev_where.index */
    sw_count_class cls;
    const char *file; /* CUDA source, with line information; else NULL */
    uint32_t line;    /* ... 1 up; 0: none */
    sw_counts n;      /* of this instruction alone */
} sw_count_row;

/* ---- counting a launch ---- */

/* The SW_EV_ bits that the launch's program must have been created for. */
enum {
    SW_COUNTERS_EVENTS = SW_EV_BLOCK | SW_EV_INS | SW_EV_OFF | SW_EV_MEM |
                         SW_EV_BRANCH | SW_EV_TEX | SW_EV_INLINE
};

/* What is counted, and on what. Pointers are borrowed for the counters' life.
 */
typedef struct {
    const char *kernel; /* its name, for reports */
    const sw_device_info *device;
    uint32_t grid[3], block[3];
    uint32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t regs;      /* a thread, for occupancy; 0: not limited by them */
    uint32_t ins_count; /* sw_program_info.ins_count */
    uint32_t sample;    /* every n-th block is observed; 0, 1: all */
    bool caches;        /* simulate the caches; else their counts are 0 */
    bool cache_all;     /* 3.x: global loads use L1 (-Xptxas -dlcm=ca) */
    bool wide_banks;    /* 3.x: shared memory in its 64-bit mode */
} sw_count_launch;

/* As sw_occupancy, of that launch on its device. */
sw_status sw_count_occupancy(const sw_count_launch *launch, sw_occ *out);

typedef struct sw_counters sw_counters;

/* Never NULL. Owned by caller, sw_counters_destroy, after the launch's end. */
sw_counters *sw_counters_create(const sw_count_launch *launch);
void sw_counters_destroy(sw_counters *counters);
/* Borrowed; valid until destroy. */
const sw_observer *sw_counters_observer(sw_counters *counters);

/* Adds up what the workers counted; once, after the launch has ended. */
void sw_counters_finish(sw_counters *counters);

/* After finish. Borrowed until destroy. */
const sw_count_launch *sw_counters_launch(const sw_counters *counters);
const sw_counts *sw_counters_total(const sw_counters *counters);
/* By index, so those of a function are together and in the order of its
 * blocks. */
const sw_count_row *sw_counters_rows(const sw_counters *counters,
                                     size_t *count);
/* Blocks of the grid / blocks observed; 1 if all were. */
double sw_counters_scale(const sw_counters *counters);

/* The class and, for arithmetic, what it adds to `flop`: *elements of
 * flop[*precision][*kind] a lane, 0 for none. */
sw_count_class sw_count_classify(const sw_ins *ins, unsigned *precision,
                                 unsigned *kind, unsigned *elements);

#endif
