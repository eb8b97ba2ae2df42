/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - a device as the model of time sees it: how many clocks each of
 * its parts takes for what a warp asks of it.
 *
 * A generation (generations.def) has what its multiprocessors and caches have
 * in common; a device adds clocks, sizes and bandwidths from its row of
 * device/devices.def. Pure data and arithmetic; any thread.
 *
 * The clock is that of the multiprocessors (on 1.x and 2.x that of the shader
 * cores). Rates are a clock, of a multiprocessor if not said otherwise.
 */
#ifndef SW_MODEL_MACHINE_H
#define SW_MODEL_MACHINE_H
#include "device/device.h"

/* Where instructions are executed. SM: one for all schedulers of a
 * multiprocessor, else each scheduler has one. */
#define SW_PIPES(X)                                                            \
    X(FMA, "fp32", false)                                                      \
    X(ALU, "integer and logic", false)                                         \
    X(IMUL, "integer products", false)                                         \
    X(FP64, "fp64", false)                                                     \
    X(FP16, "fp16", false)                                                     \
    X(XU, "special functions and conversions", false)                          \
    X(TENSOR, "tensor", false)                                                 \
    X(BRANCH, "branches", false)                                               \
    X(LSU, "loads and stores", true)                                           \
    X(TEX, "textures", true)

#define SW_ROW(name, text, of_sm) SW_PIPE_##name,
typedef enum { SW_PIPES(SW_ROW) SW_PIPE_COUNT } sw_pipe;
#undef SW_ROW
const char *sw_pipe_text(sw_pipe pipe);

/* What warps of a generation meet. */
typedef struct {
    uint32_t cc; /* of this capability (times ten) and later, up to the next */
    /* Threads that each pipe takes a clock; TENSOR: multiplications and
     * additions of fp16. 0: those of ALU. */
    double lanes[SW_PIPE_COUNT];
    double issue;  /* clocks that a scheduler takes for an instruction */
    bool is_dual;  /* the device may issue two independent ones of a
                      warp at a time; the player issues one */
    bool is_fair;  /* of the warps that can go on, the one that could first
                      issues, not the oldest */
    bool is_split; /* FMA is two halves; an instruction takes the one that is
                      free first */

    /* Clocks from issue until what depends on a result can be issued. */
    double alu, fp64, xu, shared, l1, l2, dram, constant, texture, shuffle;
    double branch;  /* until a warp goes on behind one that is taken */
    double diverge; /* instructions where the lanes of a path change */
    double barrier; /* until it goes on behind the last arrival */
    double fetch;   /* until code comes that the SM has not had yet */
    double exit;    /* from the last instruction until a block's room is free */
    double block;   /* from a block's dispatch until its first instruction */
    double tensor;  /* until the result of a matrix operation */

    double pass;         /* clocks of a pass through shared memory */
    double tag;          /* clocks of L1 for each line that an access touches */
    double store_tag;    /* the same of stores */
    double atomic_tag;   /* clocks of L1 for each sector of an atomic */
    double atomic;       /* clocks of L2 for an atomic on a sector, */
    double atomic_word;  /* for each further word of it, */
    double atomic_again; /* and for each further lane at the same word */
    double atomic_compare; /* so many times longer is compare-and-swap */
    double part_written; /* clocks of L2 for a sector that is written in part */
    double slices;       /* of L2, which do these */
    double l1_bytes;     /* from L1 to the SM */
    double l2_bytes;     /* from L2 to the SM */
    double write_bytes;  /* from the SM to L2 */
    double l2_slice; /* sectors that one multiprocessor's share of L2 serves */
    double partial;  /* sectors that a sector written in part counts for, */
    double written;  /* and one written as a whole */
    double queue;    /* clocks of work that loads and stores may wait for */
    double constant_pass, constant_miss; /* of the cache for constants */

    double dram_share;  /* of the theoretical bandwidth that is reached */
    double dram_spread; /* clocks by which latencies differ, and ... */
    double dram_load;   /* so many times that more, at full load */
    double transaction; /* with linear memory takes so many sectors more */
    double camped;      /* on a partition of linear memory accesses take so
                           many times longer than spread over all */
    double dispatch;    /* clocks of the device between two blocks */
    double launch_ns;   /* of a kernel that does nothing */
} sw_generation;

/* The device, in clocks; what `--set` may change. */
typedef struct {
    const sw_device_info *device;
    const sw_cc_limits *limits;
    sw_generation g;
    double mhz;        /* of the clock */
    double sms;        /* that are played: a part of the device's, if sampled */
    double dram_bytes; /* a clock, all of those played, sustained */
    double l2_sectors; /* the same of L2 */
    uint64_t l2_size;  /* bytes */
    uint32_t partitions, interleave; /* of memory; interleave 0: hashed */
    /* Clocks for which a warp instruction takes a pipe. */
    double busy[SW_PIPE_COUNT];
} sw_machine;

/* Of a device; borrowed for ever. */
sw_machine sw_machine_of(const sw_device_info *device);
/* One n-th of it: of its multiprocessors, bandwidths, caches. */
void sw_machine_divide(sw_machine *machine, double n);
/* "l2=80MB", "clock=1500" (MHz), "bandwidth=2000" (GB/s), "sms=100", and each
 * number of sw_generation by its name. False: it is none; `diag` says why. */
bool sw_machine_set(sw_machine *machine, const char *setting, sw_diag *diag);
/* Takes over what has been set in clock, sms, and so on. */
void sw_machine_finish(sw_machine *machine);

#endif
