/* SPDX-License-Identifier: Apache-2.0 */
/*
 * play.h - inside the player: warps, multiprocessors, memory. Times are clocks
 * since the kernel's first block could start.
 */
#ifndef SW_MODEL_PLAY_H
#define SW_MODEL_PLAY_H
#include "model/code.h"
#include "model/model.h"

/* ---- streams: what a warp does, one visit of a block of code at a time ----
 */

/* A memory access of a visit. */
typedef struct {
    uint16_t at;   /* the instruction's place in its block */
    uint8_t copy;  /* of the visits that are played at once */
    uint8_t space; /* sw_space */
    uint8_t count; /* sectors, in `sectors` from `first` on */
    uint8_t lines;
    uint8_t tags;   /* lookups in L1 of a load */
    uint8_t passes; /* of shared memory, or L1's data; different words of
                       constants */
    uint8_t bytes;  /* a lane, at most 128 */
    uint32_t mask;
    uint32_t first;
} sw_play_access;

/* Where an instruction is. */
typedef struct {
    uint32_t block; /* of sw_code.blocks; UINT32_MAX: unknown */
    uint16_t at;
} sw_play_place;

typedef struct {
    sw_trace_reader reader;
    sw_trace_item item; /* read and not yet taken, if `has_item` */
    bool has_item, ended;
    uint32_t block;  /* of the visits below */
    uint32_t visits; /* 1 to SW_PLAY_UNROLL_MOST, read; 0: the warp has ended */
    uint32_t played; /* of these */
    uint32_t mask;   /* lanes that execute the first of them */
    sw_vec accesses; /* sw_play_access, by visit and place */
    sw_vec sectors;  /* sw_l2_access */
    sw_vec lanes;    /* uint8_t, of each sector: that access it */
} sw_play_stream;

struct sw_player;
void sw_play_open(sw_play_stream *s, const sw_trace_warp *trace);
void sw_play_close(sw_play_stream *s);
/* The next visit, or as many of them as the block has copies; false: the
 * warp ends. local: where the warp's local memory begins. */
bool sw_play_next(struct sw_player *p, sw_play_stream *s, uint64_t local);

/* ---- servers ---- */

/* Serves what comes within a window in any order: work that is left at the
 * window's start, and what has come since. */
typedef struct {
    double left, used; /* clocks of work */
    double busy;       /* all of it since the beginning */
} sw_server;

/* ---- warps, blocks, multiprocessors ---- */

typedef struct sw_play_block_state sw_play_resident;

typedef struct {
    sw_play_stream stream;
    sw_play_resident *block;
    const sw_play_list *list;
    uint32_t pc;           /* next operation */
    bool is_copies;        /* plays copies of a loop's body */
    uint8_t visit;         /* else which visit of the stream */
    double ready;          /* earliest issue of it */
    double since;          /* of the last issue */
    double stored;         /* when its stores have arrived */
    double copied;         /* when its copies have */
    uint32_t mask;         /* of its last visit */
    sw_l2_access held[32]; /* sectors of stores that the next may complete */
    uint32_t held_count;
    uint8_t why; /* it is not ready before: sw_stall */
    bool waits;  /* at a barrier */
    uint8_t barrier;
    uint8_t home; /* its scheduler */
    uint64_t local;
    double when[SW_PLAY_SLOTS]; /* results come */
    uint8_t reason[SW_PLAY_SLOTS];
} sw_play_warp;

enum { SW_PLAY_BARRIERS = 16, SW_PLAY_SCHEDULERS = 4, SW_PLAY_WARPS = 64 };

struct sw_play_block_state {
    const sw_trace_block *trace;
    uint32_t warps, live; /* of its warps */
    uint32_t arrived[SW_PLAY_BARRIERS], expected[SW_PLAY_BARRIERS];
    double bulk;    /* when its bulk copies have arrived */
    double drained; /* when its stores have */
    sw_play_warp *warp[32];
};

typedef struct {
    double free; /* of the issue slot */
    double pipe[SW_PIPE_COUNT], half;
    sw_play_warp *warp[SW_PLAY_WARPS];
    uint32_t count, last;
    double next; /* earliest issue of any of its warps */
    uint32_t candidate;
} sw_play_scheduler;

/* Instructions that have been issued and wait for the data path; they leave in
 * order. Its length is such that a shuffle of each of 64 warps finds room, as
 * their equal progress on an H200 says (tests/model/kernels.cu, micro/shuffle);
 * several loads of each do not (bank_* of tests/truth: warps end one by one).
 */
enum { SW_PLAY_QUEUE = 64 };
typedef struct {
    double leave[SW_PLAY_QUEUE]; /* when the last ones do, by number */
    uint64_t count;              /* of all that there have been */
} sw_play_queue;

typedef struct {
    uint32_t number;
    sw_play_scheduler scheduler[SW_PLAY_SCHEDULERS];
    double pipe[SW_PIPE_COUNT]; /* of those that are the SM's */
    double data;                /* L1 and shared memory: free again */
    double port, writes;        /* from and to L2 */
    sw_play_queue near, far;    /* of shared memory and shuffles; of the rest */
    double constant;
    sw_l1 *l1, *texture;
    uint32_t resident, warps;
    uint64_t *pending;   /* [PENDING] sectors on their way ... */
    double *arrives;     /* ... and when they come */
    uint64_t *code;      /* a bit for each line that it has had */
    uint64_t *constants; /* tags of lines of constants */
    double warp_clocks;  /* of residence */
    double from;         /* clocks until which warps have been counted */
    bool rescans;        /* warps of other schedulers may go on */
} sw_play_sm;

/* What an instruction has read of memory: sectors between two, and how many of
 * them L2 did not have. */
typedef struct {
    uint64_t low, high;
    double misses, carry;
} sw_play_region;

typedef struct sw_player {
    const sw_seen *seen;
    const sw_machine *machine;
    const sw_code *code;
    sw_play_place *places; /* [ins_count] */
    sw_play_sm *sms;
    uint32_t sm_count, schedulers;
    uint32_t room;       /* blocks of an SM */
    double times_larger; /* than the part of the device is what is played */
    size_t next_trace, trace_limit; /* of the launch's traces */
    double executed; /* instructions of the launch's blocks up to the limit */
    double window, window_end;
    double dispatched; /* the dispatcher is free again */
    sw_server l2_server, dram_server;
    double load;        /* of memory, lately: 0 to 1 */
    sw_server *channel; /* [partitions], if memory is not hashed */
    sw_l2 *l2;
    double *slice_free; /* when slices of L2 can do another atomic */
    double slice_busy;  /* of the busiest */
    double *slice_clocks;
    sw_play_region *regions; /* [ins_count] of what loads read */
    sw_play_warp *spare;     /* chained by `block` */
    double end;              /* last block's end */
    double consumed;         /* instructions of traces */
    double issued, l1_sectors, l1_hits, l2_sectors, l2_hits, dram_sectors;
    double data_clocks, pipe_clocks[SW_PIPE_COUNT], issue_clocks;
    double stalls[SW_STALL_COUNT];
    double *region_stalls; /* [code->regions][SW_STALL_COUNT]: the same of each
                              instruction */
    uint64_t random;
} sw_player;

/* memory.c: an access that starts at `t`; returns when its result is there. */
double sw_play_global(sw_player *p, sw_play_sm *sm, sw_play_warp *w,
                      const sw_play_op *op, const sw_play_access *a, double t);
double sw_play_shared(sw_player *p, sw_play_sm *sm, const sw_play_op *op,
                      const sw_play_access *a, double t);
double sw_play_constant(sw_player *p, sw_play_sm *sm, sw_play_warp *w,
                        const sw_play_access *a, double t);
/* What its stores still hold goes to L2. */
void sw_play_flush(sw_player *p, sw_play_sm *sm, sw_play_warp *w, double t);
void sw_play_open_window(sw_player *p, double start);
double sw_play_serve(sw_player *p, sw_server *s, double t, double work);

/* lines.c: out->lines. */
void sw_play_find_lines(const sw_player *p, sw_times *out);
/* sm.c: lets all go on that wait at barriers, where nobody would come. */
void sw_play_force(sw_player *p, sw_play_sm *sm, double t);
/* Plays a multiprocessor until that time. */
void sw_play_run(sw_player *p, sw_play_sm *sm, double until);
/* When it could issue next; INFINITY: never. */
double sw_play_next_time(const sw_player *p, const sw_play_sm *sm);
/* Gives it the next block, if it has room. */
bool sw_play_dispatch(sw_player *p, sw_play_sm *sm, double t);

#endif
