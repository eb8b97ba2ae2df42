/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - the order in which a plan is made. Whatever an analysis needs has
 * been found by those above it.
 */
#include "jit/plan/plan.h"

#include "jit/plan/decide.h"
#include "jit/plan/flow.h"

/* What does not depend on for whom the kernel is compiled. */
static void
look_at_kernel(sw_jit_plan *plan)
{
    const sw_fn *fn = plan->fn;
    uint32_t at = 0;
    plan->cfg = sw_cfg_create(fn);
    plan->live = sw_liveness_create(fn, plan->cfg);
    plan->first_ins = sw_alloc(fn->block_count * sizeof *plan->first_ins);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        plan->first_ins[b] = at;
        at += fn->blocks[b]->count;
    }
    sw_jit_find_order(plan);
    plan->has_local_rows = sw_jit_can_have_local_rows(plan);
}

static void
open_phase(sw_jit_plan *plan)
{
    size_t n = plan->fn->block_count;
    plan->agrees = sw_alloc(n * sizeof *plan->agrees);
    plan->has_twin = sw_alloc(n * sizeof *plan->has_twin);
    plan->is_remainder = sw_alloc(n * sizeof *plan->is_remainder);
    sw_vec_init(&plan->versions, sizeof(sw_jit_version));
}

static void
cut(sw_jit_plan *plan)
{
    sw_jit_partitions_open(plan);
    sw_jit_points_open(plan);
    if (plan->rq->is_osr)
        sw_jit_osr_open(plan);
}

/* A plan for each phase, with the shapes that have been found for it. */
static void
plan_phases(sw_jit_plan *plan)
{
    for (uint32_t i = 0; i < plan->phases; i++) {
        sw_jit_plan *phase = plan->of_phase[i];
        sw_shapes *shapes = phase->shapes;
        *phase = *plan;
        phase->of_phase = NULL;
        phase->shapes = shapes;
        phase->twins_are_full = false;
        phase->writers = NULL;
        phase->writers_at = NULL;
        phase->known = NULL;
        phase->values = NULL;
        phase->is_number = NULL;
        open_phase(phase);
        sw_jit_look_at_shapes(phase);
        cut(phase);
    }
}

/* Warps of a block do not have one function: a block loop is one warp of many
 * blocks, or there is none. */
static sw_jit_block_loop
find_block_loop_of_phases(const sw_jit_plan *plan)
{
    for (uint32_t i = 0; i < plan->phases; i++)
        if (sw_jit_find_block_loop(plan->of_phase[i]) != SW_JIT_BY_WARPS)
            return SW_JIT_NO_LOOP;
    return SW_JIT_BY_WARPS;
}

const sw_jit_plan *
sw_jit_plan_create(const sw_jit_request *rq, const sw_jit_machine *machine)
{
    sw_jit_plan *plan = sw_alloc(sizeof *plan);
    plan->rq = rq;
    plan->fn = rq->kernel;
    plan->machine = *machine;
    look_at_kernel(plan);
    open_phase(plan);
    sw_jit_find_shapes(plan);
    sw_jit_find_data_dependent(plan);
    plan->lanes = plan->shapes->map.lanes;
    plan->has_many_scattered =
        plan->versions.count || sw_jit_has_many_scattered(plan);
    plan->has_many_functions = sw_jit_has_many_functions(plan);
    sw_jit_find_waits(plan);
    sw_jit_find_kept(plan);
    sw_jit_find_raw(plan);
    sw_jit_find_flushing(plan);
    sw_jit_find_never_subnormal(plan);
    cut(plan);
    if (plan->phases > 1)
        plan_phases(plan);
    plan->block_loop = plan->rq->events   ? SW_JIT_NO_LOOP
                       : plan->phases > 1 ? find_block_loop_of_phases(plan)
                                          : sw_jit_find_block_loop(plan);
    for (uint32_t i = 0; plan->of_phase && i < plan->phases; i++) {
        SW_ASSERT(sw_jit_partition_count(plan->of_phase[i]) == 1);
        plan->of_phase[i]->block_loop = plan->block_loop;
    }
    return plan;
}

/* All but the shapes. */
static void
close_phase(sw_jit_plan *plan)
{
    sw_jit_points_finish(plan);
    sw_jit_partitions_finish(plan);
    sw_jit_versions_finish(plan);
    sw_jit_known_finish(plan);
    sw_free(plan->agrees);
    sw_free(plan->has_twin);
    sw_free(plan->is_remainder);
    sw_free(plan->is_number);
}

void
sw_jit_plan_destroy(const sw_jit_plan *made)
{
    sw_jit_plan *plan = (sw_jit_plan *)(uintptr_t)made;
    close_phase(plan);
    if (!plan->of_phase)
        sw_shapes_destroy(plan->shapes);
    for (uint32_t i = 0; plan->of_phase && i < plan->phases; i++) {
        close_phase(plan->of_phase[i]);
        sw_shapes_destroy(plan->of_phase[i]->shapes);
        sw_free(plan->of_phase[i]);
    }
    sw_free(plan->of_phase);
    sw_free(plan->first_ins);
    sw_free(plan->waits);
    sw_free(plan->raw);
    sw_free(plan->never_subnormal);
    sw_free(plan->is_unknown);
    sw_free(plan->is_data_dependent);
    sw_free(plan->is_kept);
    sw_liveness_destroy(plan->live);
    sw_cfg_destroy(plan->cfg);
    sw_free(plan);
}
