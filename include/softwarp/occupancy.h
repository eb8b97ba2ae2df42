/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy.h - how much of a GPU's multiprocessor a kernel can fill: what a
 * vendor's occupancy calculator answers, for every device since 2006, without
 * a device. Link with -lsoftwarp.
 *
 * Pure arithmetic on structs that the caller owns: no state, no allocation,
 * safe from any thread. Does NOT read kernels (`softwarp occupancy --kernel`
 * does) and does not know clusters.
 */
#ifndef SOFTWARP_OCCUPANCY_H
#define SOFTWARP_OCCUPANCY_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SW_OCCUPANCY_API __attribute__((visibility("default")))

/* What functions return; nothing is written but with 0. */
enum {
    SW_OCCUPANCY_OK = 0,
    SW_OCCUPANCY_INVALID = 1,  /* no threads; a number outside its range */
    SW_OCCUPANCY_NO_DEVICE = 2 /* no device, or several, of that name */
};

/* What can run out first; of several that do at once, the first is named. */
typedef enum {
    SW_OCCUPANCY_WARPS,
    SW_OCCUPANCY_BLOCKS, /* block slots */
    SW_OCCUPANCY_REGISTERS,
    SW_OCCUPANCY_SHARED_MEMORY,
    SW_OCCUPANCY_BARRIERS,
    SW_OCCUPANCY_RESOURCES /* how many there are */
} sw_occupancy_resource;

/* A kernel and how it is launched. Only `threads` must be set. */
typedef struct {
    uint32_t threads;      /* per block */
    uint32_t registers;    /* per thread, 32-bit; 0: don't count them */
    uint32_t static_smem;  /* bytes per block */
    uint32_t dynamic_smem; /* bytes per block */
    uint32_t barriers;     /* named barriers of a block; 0 counts as 1 */
    /* Shared memory preferred over L1, percent of the most there is; 0: as
     * much as is needed; -1: as little as possible. */
    int32_t carveout;
} sw_occupancy_launch;

typedef struct {
    uint32_t cc;        /* the capability counted with, times ten */
    uint32_t blocks;    /* resident on a multiprocessor; 0: one is too big */
    uint32_t warps;     /* resident on a multiprocessor */
    uint32_t max_warps; /* what 100 percent is */
    double percent;
    sw_occupancy_resource limiter; /* what stopped the next block */
    /* Blocks that each resource has room for; UINT32_MAX: no limit. */
    uint32_t room[SW_OCCUPANCY_RESOURCES];
    uint32_t registers_per_block; /* as allocated, rounding included */
    uint32_t smem_per_block;      /* bytes, likewise */
    uint32_t smem_per_sm;         /* bytes, the configuration counted with */

    /*
     * What would let at least one block more in: if next_blocks is not 0,
     * that many blocks fit with at most `next_registers` registers a thread
     * (0: they are not in the way) and at most `next_smem` bytes of shared
     * memory a block, static and dynamic (UINT32_MAX: not in the way).
     * next_blocks is 0 if no such change is enough.
     */
    uint32_t next_blocks;
    uint32_t next_registers;
    uint32_t next_smem;
    /* The block size with the most warps, everything else kept, and these
     * warps; 0 if no size has more than this one. */
    uint32_t best_threads;
    uint32_t best_warps;
} sw_occupancy_result;

/* Of a compute capability times ten (13, 90); one that is not known counts as
 * the nearest lower one, see result->cc. SW_OCCUPANCY_INVALID. */
SW_OCCUPANCY_API int
sw_occupancy_of_capability(int cc_times_10, const sw_occupancy_launch *launch,
                           sw_occupancy_result *result);

/* Of a device by its name or a part that only one has ("8800 GTX", "H200");
 * `softwarp devices` lists them. SW_OCCUPANCY_INVALID, _NO_DEVICE. */
SW_OCCUPANCY_API int sw_occupancy_of_device(const char *name,
                                            const sw_occupancy_launch *launch,
                                            sw_occupancy_result *result);

/* "registers"; "?" for no resource. A constant. */
SW_OCCUPANCY_API const char *
sw_occupancy_resource_name(sw_occupancy_resource resource);

/* What a curve runs over; all else stays as the launch has it. */
typedef enum {
    SW_OCCUPANCY_OVER_THREADS,   /* block size, in steps of a warp */
    SW_OCCUPANCY_OVER_REGISTERS, /* per thread, from 1 in steps of 1 */
    SW_OCCUPANCY_OVER_SMEM       /* per block, from 0 in steps of 512 bytes;
                                    the launch's static size counts as dynamic */
} sw_occupancy_axis;

typedef struct {
    uint32_t x; /* threads, registers or bytes */
    uint32_t warps;
} sw_occupancy_point;

/*
 * Writes the first `room` points of a curve and returns how many it has (call
 * with room 0 to ask); 0 if the launch is invalid.
 */
SW_OCCUPANCY_API size_t sw_occupancy_curve(int cc_times_10,
                                           const sw_occupancy_launch *launch,
                                           sw_occupancy_axis axis,
                                           sw_occupancy_point *points,
                                           size_t room);

#ifdef __cplusplus
}
#endif
#endif
