/* SPDX-License-Identifier: Apache-2.0 */
/*
 * partition.h - the partitions of a kernel and the places at which a warp comes
 * into one: made by plan/partition.c, read by emit/partition.c only.
 */
#ifndef SW_JIT_PLAN_PARTITION_H
#define SW_JIT_PLAN_PARTITION_H
#include "jit/plan/flow.h"

enum { SW_JIT_ENTRANCE_KINDS = SW_JIT_AT_MIDDLE + 1 };

/* A place that a warp comes to from another partition. */
typedef struct {
    sw_jit_place place;
    uint32_t partition, index; /* which of the partition's entrances it is */
    const uint64_t *lives; /* there; NULL: what lives at the block's beginning;
                              of a MIDDLE the emitter finds it */
    bool is_osr;
} sw_jit_entrance;

struct sw_jit_partitions {
    uint32_t count;
    sw_vec ranges;             /* sw_jit_range, by position */
    uint32_t *first_partition; /* [block_count] of a block's first range */
    uint32_t *latch_partition; /* [loop_count] */
    bool *is_spread;           /* [loop_count] */
    sw_vec entrances;          /* sw_jit_entrance */
    uint32_t *numbers[SW_JIT_ENTRANCE_KINDS]; /* by what a place is of: its
                                                 entrance plus one */
    uint32_t *entered; /* [count] entrances of a partition */
    uint32_t *at; /* [position_count] the block there, or SW_CFG_NONE; NULL:
                     nobody comes in from the interpreter */
};

#endif
