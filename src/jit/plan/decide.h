/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decide.h - inside plan: the analyses that fill in a plan, in the order in
 * which plan.c calls them. Nobody outside src/jit/plan includes it.
 */
#ifndef SW_JIT_PLAN_DECIDE_H
#define SW_JIT_PLAN_DECIDE_H
#include "jit/plan/plan.h"

/* Sets plan->shapes, or those of all phases and the first one's (shapes.c). */
void sw_jit_find_shapes(sw_jit_plan *plan);
/* What follows from plan->shapes. */
void sw_jit_look_at_shapes(sw_jit_plan *plan);

/* Sets plan->agrees and plan->has_twin for plan->shapes (uniform.c). */
void sw_jit_find_twins(sw_jit_plan *plan);
/* After that: plan->is_remainder, of blocks with twins: lanes that are not
 * emitted as a whole come there only from a bound at which they parted. */
void sw_jit_find_remainders(sw_jit_plan *plan);

/* Sets plan->known and plan->values; plan->version is NULL
 * (lane_constants.c). */
void sw_jit_find_known(sw_jit_plan *plan);
void sw_jit_known_finish(sw_jit_plan *plan);
/* What is known in a version, for sw_jit_ask_values and plan->known; NULL: in
 * none, after one. */
void sw_jit_set_version(sw_jit_plan *plan, const sw_jit_version *version);
/* As sw_jit_known_values, in plan->version. */
const uint64_t *sw_jit_ask_values(sw_jit_plan *plan, sw_reg reg);
/* In plan->version the number that this instruction, which writes the index,
 * makes of it; false: it is not known. */
bool sw_jit_step_version(sw_jit_plan *plan, const sw_ins *writer,
                         uint64_t *next);
/* All that is known in plan->version; sw_jit_facts_destroy. */
sw_jit_facts *sw_jit_facts_create(sw_jit_plan *plan);
void sw_jit_facts_destroy(const sw_jit_plan *plan, sw_jit_facts *facts);

/* Sets plan->versions, when all else is known (versions.c). */
void sw_jit_find_versions(sw_jit_plan *plan);
void sw_jit_versions_finish(sw_jit_plan *plan);
/* In plan->version the index as instruction `at` of a block reads it; false: it
 * is not known. */
bool sw_jit_index_at(const sw_jit_plan *plan, uint32_t block, uint32_t at,
                     uint64_t *out);

/* Whether fused warps of this map can run the kernel; plan->shapes is not there
 * yet (fuse.c). */
bool sw_jit_can_fuse(const sw_jit_plan *plan, const sw_lane_map *map);
/* By atomic operations: their order shows. */
bool sw_jit_adds_floats(const sw_jit_plan *plan);
/* Whether they run it faster; plan->shapes are those of fused warps. */
bool sw_jit_suits_fusion(const sw_jit_plan *plan);

/* Cuts the kernel, when the shapes are known (partition.c). */
void sw_jit_partitions_open(sw_jit_plan *plan);
void sw_jit_partitions_finish(sw_jit_plan *plan);
/* Somewhere in partition `from` a warp may go to the place. lives: the set of
 * registers that live there, which stays; NULL: those of the block, or what
 * lives where the way begins, if it is a MIDDLE. */
void sw_jit_note_way(sw_jit_plan *plan, uint32_t from, sw_jit_place place,
                     const uint64_t *lives);
/* ... where warps come in from the interpreter. */
void sw_jit_osr_open(sw_jit_plan *plan);

/* Makes the list of reconvergence points and notes the ways between partitions,
 * after that (reconverge.c). */
void sw_jit_points_open(sw_jit_plan *plan);
void sw_jit_points_finish(sw_jit_plan *plan);

#endif
