/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow.h - where a warp goes on in a plan: partitions, reconvergence points,
 * and the ways between them. Queries only, for emitters too.
 */
#ifndef SW_JIT_PLAN_FLOW_H
#define SW_JIT_PLAN_FLOW_H
#include "jit/plan/plan.h"

/* ---- partition.c ---- */
/* Instructions that can be reached; whether they will be several partitions. */
uint32_t sw_jit_count_ins(const sw_jit_plan *plan);
bool sw_jit_will_be_cut(const sw_jit_plan *plan);
uint32_t sw_jit_partition_count(const sw_jit_plan *plan);
/* A warp may come in elsewhere than at the beginning of the kernel. */
bool sw_jit_is_cut(const sw_jit_plan *plan);
/* The pieces of the kernel, in the order of positions. */
const sw_jit_range *sw_jit_ranges(const sw_jit_plan *plan, uint32_t *count);
/* Partition of the place, which is not in every one. */
uint32_t sw_jit_partition_of(const sw_jit_plan *plan, sw_jit_place place);
/* Whether blocks of the loop are in several partitions. */
bool sw_jit_is_spread(const sw_jit_plan *plan, uint32_t loop);

/* ---- reconverge.c ---- */
/* How many blocks have a reconvergence point. */
uint32_t sw_jit_count_points(const sw_jit_plan *plan);
/* Lanes diverge at its end, or not all lanes run it. */
bool sw_jit_is_masked(const sw_jit_plan *plan, uint32_t block);
/* The loop whose back edge it is; 0: none. */
uint32_t sw_jit_back_edge_loop(const sw_jit_plan *plan, uint32_t from,
                               uint32_t to);
/* An edge along which lanes go by a reconvergence point. */
bool sw_jit_goes_by_point(const sw_jit_plan *plan, uint32_t from, uint32_t to);
/* All lanes run the block, or its twin, and none waits anywhere. */
bool sw_jit_is_converged(const sw_jit_plan *plan, uint32_t block, bool is_twin);
/* Whenever a warp comes to the point, all lanes wait there. */
bool sw_jit_all_meet(const sw_jit_plan *plan, sw_jit_place place);
/* Lanes may wait at that point or latch. */
bool sw_jit_has_point(const sw_jit_plan *plan, sw_jit_place place);
/* The next point after a position. */
sw_jit_place sw_jit_next_point(const sw_jit_plan *plan, uint32_t position);
/* Where the warp goes on after a block that only some lanes may have run. */
sw_jit_place sw_jit_next_after(const sw_jit_plan *plan, uint32_t block);
/* Where all lanes of a block, or its twin, go on if they go to `to`. */
sw_jit_place sw_jit_place_of_edge(const sw_jit_plan *plan, uint32_t block,
                                  bool is_twin, uint32_t to);

#endif
