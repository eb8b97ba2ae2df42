/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - the model of time: how long a launch would take on a device, and
 * why.
 *
 * The player (play.c) takes the traces of sampled blocks (watch/trace.h), gives
 * the blocks to multiprocessors as the device's dispatcher would, and issues
 * the operations that an assembler makes of the kernel (code.h) in the order of
 * time: schedulers, pipes, scoreboards, caches, memory. Each resource is a
 * server with a rate; a warp waits for the operands of its next operation.
 *
 * Sampled blocks are those of whole multiprocessors; the machine that is played
 * is that part of the device, with that part of the bandwidths. What is too
 * long to be played goes on at the rate of what was played last.
 *
 * Deterministic: the same traces give the same times. One launch at a time and
 * thread; reads the IR, which outlives the call.
 */
#ifndef SW_MODEL_MODEL_H
#define SW_MODEL_MODEL_H
#include "model/machine.h"
#include "watch/cache.h"
#include "watch/trace.h"

/* Why a warp does not issue, by the names of Nsight Compute. */
#define SW_STALLS(X)                                                           \
    X(SELECTED, "selected", "issues")                                          \
    X(WAIT, "wait", "waits for an operand that takes a fixed time")            \
    X(LONG, "long_scoreboard", "waits for global or local memory")             \
    X(SHORT, "short_scoreboard",                                               \
      "waits for shared memory or special functions")                          \
    X(TEXTURE, "tex_throttle", "waits for textures")                           \
    X(CONSTANT, "imc_miss", "waits for constants")                             \
    X(BARRIER, "barrier", "waits at a barrier")                                \
    X(MEMBAR, "membar", "waits for its stores at a fence")                     \
    X(PIPE, "math_pipe_throttle", "waits for a pipe that is busy")             \
    X(LG, "lg_throttle", "waits for room among loads and stores")              \
    X(MIO, "mio_throttle", "waits for room at shared memory")                  \
    X(BRANCH, "branch_resolving", "waits for a branch")                        \
    X(FETCH, "no_instruction", "waits for code")                               \
    X(NOT_SELECTED, "not_selected", "could issue, but another warp does")

#define SW_ROW(name, text, meaning) SW_STALL_##name,
typedef enum { SW_STALLS(SW_ROW) SW_STALL_COUNT } sw_stall;
#undef SW_ROW
const char *sw_stall_text(sw_stall stall);

/* What was seen of a launch. */
typedef struct {
    const sw_fn *fn;
    uint32_t grid[3], block[3];
    uint64_t blocks;                  /* of the grid */
    uint32_t shared_bytes, registers; /* of a block, a thread */
    uint32_t sample;                  /* one of so many blocks was traced */
    const sw_ins *const *ins;         /* [ins_count] by number; NULL: unseen */
    uint32_t ins_count;
    const sw_trace_block *traces; /* [trace_count], by block_index */
    size_t trace_count;
    /* Executed by warps of these blocks, with what did not fit into traces. */
    uint64_t executed;
} sw_seen;

#define SW_LIMITERS(X)                                                         \
    X(LAUNCH, "launch overhead")                                               \
    X(LATENCY, "latency")                                                      \
    X(ISSUE, "issue slots")                                                    \
    X(PIPE, "a pipe")                                                          \
    X(SHARED, "shared memory and L1")                                          \
    X(L2, "L2 bandwidth")                                                      \
    X(DRAM, "memory bandwidth")                                                \
    X(DISPATCH, "dispatch of blocks")                                          \
    X(BARRIER, "barriers")                                                     \
    X(ATOMIC, "atomics and partial stores in L2")

#define SW_ROW(name, text) SW_LIMIT_##name,
typedef enum { SW_LIMITERS(SW_ROW) SW_LIMIT_COUNT } sw_limiter;
#undef SW_ROW
const char *sw_limiter_text(sw_limiter limiter);

/* Warps' time at a line of the source, where its file tells lines. */
typedef struct {
    const char *file; /* of the module, with which it lives */
    uint32_t line;
    double share;                  /* of the time of all warps, 0 to 1 */
    sw_stall stall;                /* most of it */
    double stalls[SW_STALL_COUNT]; /* shares of that time, of all warps; their
                                      sum is `share` */
} sw_line_time;

enum { SW_LINES_MOST = 64 };

typedef struct sw_times {
    sw_status status; /* SW_E_NOT_SUPPORTED: nothing was traced; the block does
                         not fit on the device */
    double ns, low_ns, high_ns; /* of the kernel alone */
    double clocks;              /* the same, without the launch's overhead */
    sw_limiter limiter;
    sw_pipe pipe;                  /* if that is PIPE */
    double used[SW_LIMIT_COUNT];   /* of each resource's peak, 0 to 1 */
    double stalls[SW_STALL_COUNT]; /* shares of the warps' time; sum 1 */
    double occupancy;              /* resident warps of the most, 0 to 1 */
    double fills; /* of the room for its blocks in use, 0 to 1 */
    /* Of the whole grid, as far as the sample tells: */
    double instructions; /* of warps */
    double l1_sectors, l1_hits, l2_sectors, l2_hits, dram_bytes;
    double played;                     /* instructions that were played */
    sw_line_time lines[SW_LINES_MOST]; /* the largest first */
    uint32_t line_count;
} sw_times;

typedef struct {
    uint64_t budget; /* instructions that are played at most; 0: all */
    sw_l2 *l2;       /* what earlier launches left there; NULL: empty */
} sw_play_options;

sw_times sw_model_play(const sw_seen *seen, const sw_machine *machine,
                       const sw_play_options *options);

/* ---- as texts: text.c ---- */

/* Each appends to `out`; nothing where there is nothing to tell. */

/* "wait=0.250 barrier=0.500", largest first: shares of the warps' time. */
void sw_model_put_stalls(const double stalls[SW_STALL_COUNT], sw_buf *out);
/* "memory bandwidth=0.851|issue slots=0.310", largest first: of each peak. */
void sw_model_put_used(const sw_times *times, sw_buf *out);
/* "memory bandwidth", "a pipe: fp32". */
void sw_model_put_limiter(const sw_times *times, sw_buf *out);

/* Instructions that are traced of a launch and played of it, if nothing else is
 * asked for: what takes a second or less. */
enum { SW_MODEL_TRACED = 2000000, SW_MODEL_PLAYED = 4000000 };

/* So many blocks one of which is to be traced, if the grid has that many and
 * each warp executes about `warp_instructions`, and some `budget` of
 * instructions are to be traced; an odd number, lest the blocks traced all use
 * the same partitions of a memory. */
uint32_t sw_model_sample(const sw_device_info *device, uint64_t blocks,
                         uint32_t warps_block, double warp_instructions,
                         double budget);

#endif
