/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy.h - how many blocks of a kernel one SM can hold at a time.
 *
 * Pure arithmetic on structs the caller owns: allocates nothing, keeps no
 * state, safe from any thread. Clusters are
 * cluster.h's.
 */
#ifndef SW_DEVICE_OCCUPANCY_H
#define SW_DEVICE_OCCUPANCY_H
#include "device/device.h"

/* What can run out first. ORDER: on a tie the earlier row is reported. */
#define SW_OCC_LIMITS(X)                                                       \
    X(WARPS, "resident warps")                                                 \
    X(BLOCKS, "block slots")                                                   \
    X(REGS, "registers")                                                       \
    X(SMEM, "shared memory")                                                   \
    X(BARRIERS, "barriers")

#define SW_ROW(name, text) SW_OCC_##name,
typedef enum { SW_OCC_LIMITS(SW_ROW) SW_OCC_COUNT } sw_occ_limit;
#undef SW_ROW

/*
 * Two published ways to count, which differ at 3.0 in the rounding of
 * registers and in the slices of the register file. AUTO: the spreadsheet
 * below 3.0, the runtime's own from 3.0 on.
 */
typedef enum {
    SW_OCC_AUTO,
    SW_OCC_SPREADSHEET, /* the vendor's calculator of 2010, 1.0 to 3.0 */
    SW_OCC_RUNTIME      /* what cudaOccupancy... answers, 3.0 on */
} sw_occ_method;

/* A kernel and how it would be launched. Zeroed is a kernel that needs
 * nothing; only `threads` must be set. */
typedef struct {
    uint32_t threads;      /* per block */
    uint32_t regs;         /* per thread; 0: not limited by them */
    uint32_t static_smem;  /* bytes per block */
    uint32_t dynamic_smem; /* bytes per block */
    uint32_t barriers;     /* named barriers a block uses; 0 counts as 1 */
    /* Shared memory wanted of the L1 array, percent of the largest; 0: the
     * default, which chooses as much as is needed; -1: as little as fits. */
    int32_t carveout;
    /* What dynamic_smem may be, bytes, if it is bounded: the attribute of the
     * kernel, which by default is what a block has without asking for more. */
    bool is_bounded;
    uint32_t dynamic_bound;
    sw_occ_method method;
} sw_occ_kernel;

typedef struct {
    uint32_t blocks;    /* resident per SM; 0 if one block is too big */
    uint32_t warps;     /* resident per SM */
    uint32_t max_warps; /* what 100 percent is */
    double percent;
    sw_occ_limit limiter;        /* what stopped the next block */
    uint32_t room[SW_OCC_COUNT]; /* blocks by each; UINT32_MAX: no limit */
    uint32_t regs_block;         /* allocated */
    uint32_t smem_block;         /* allocated, the system's part included */
    uint32_t smem_sm;            /* the configuration that was counted with */
} sw_occ;

const char *sw_occ_limit_text(sw_occ_limit limit);

/* What a block of so much shared memory is given, the system's part included;
 * bytes. */
uint64_t sw_occ_shared_block(const sw_cc_limits *limits, uint64_t bytes);

/*
 * SW_E_INVAL, *out untouched, if threads is 0. Not fitting is an answer, not
 * an error: SW_OK with blocks == 0.
 */
sw_status sw_occupancy(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
                       sw_occ *out);

/*
 * The most dynamic shared memory per block, bytes, with which `blocks` blocks
 * of this kernel (its dynamic_smem is ignored) are still resident. SW_E_INVAL,
 * *bytes 0, if even without any they are not.
 */
sw_status sw_occupancy_dynamic_smem(const sw_cc_limits *limits,
                                    const sw_occ_kernel *kernel,
                                    uint32_t blocks, uint32_t *bytes);

/*
 * The same as cudaOccupancyAvailableDynamicSMemPerBlock answers: for one block
 * the bound, else of the memory as preferred and without regard to what the
 * system keeps of each block, as an H100 does with CUDA 13.
 */
sw_status sw_occupancy_available_smem(const sw_cc_limits *limits,
                                      const sw_occ_kernel *kernel,
                                      uint32_t blocks, uint32_t *bytes);

/*
 * Registers a thread may have if as many threads as a multiprocessor holds are
 * to be resident; and the most with which `blocks` blocks of `threads` threads
 * are (launch bounds; 0: no bound by these). In units that are handed out.
 */
uint32_t sw_occ_full_registers(const sw_cc_limits *limits);
uint32_t sw_occ_bound_registers(const sw_cc_limits *limits, uint32_t threads,
                                uint32_t blocks);

/* Threads of the largest block whose registers fit, in whole warps; 0: not even
 * a warp's do. `regs` a thread. */
uint32_t sw_occ_most_threads(const sw_cc_limits *limits, uint32_t regs);

/* Dynamic shared memory a block of `threads` would need. */
typedef uint32_t (*sw_occ_smem_fn)(uint32_t threads, void *user);

/*
 * The largest block size, a multiple of the warp, that has the most resident
 * warps; `limit` bounds it (0: none beyond the device's). smem_of may be NULL:
 * then kernel->dynamic_smem. *blocks: resident per SM (times SMs it is the
 * smallest grid that fills the device). SW_E_INVAL if no size fits.
 */
sw_status sw_occupancy_block_size(const sw_cc_limits *limits,
                                  const sw_occ_kernel *kernel,
                                  sw_occ_smem_fn smem_of, void *user,
                                  uint32_t limit, uint32_t *threads,
                                  uint32_t *blocks);

#endif
