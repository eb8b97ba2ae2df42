/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.c - for whom a kernel is compiled: a warp, as many fused warps as
 * is faster, or each phase or group of fused warps of a block by itself; and
 * the shapes of its registers, which follow from that.
 */
#include "jit/plan/decide.h"
#include "jit/plan/flow.h"
#include "jit/tune.h"

/* Whether small kernels have a function for each phase of their warps. */
static uint32_t
count_phases(const sw_jit_plan *plan)
{
    uint32_t n = plan->rq->phases;
    bool pays = n > 1 && n <= sw_jit_tune.phases && !plan->rq->counts_inline &&
                n * sw_jit_count_ins(plan) <= sw_jit_tune.phases_size;
    return pays && !sw_jit_will_be_cut(plan) ? n : 1;
}

void
sw_jit_look_at_shapes(sw_jit_plan *plan)
{
    sw_jit_find_twins(plan);
    sw_jit_find_remainders(plan);
    sw_jit_find_known(plan);
    sw_jit_find_versions(plan);
}

/* Room for the plans of all phases, which plan.c makes. */
static void
open_phases(sw_jit_plan *plan, uint32_t count)
{
    plan->phases = count;
    plan->of_phase = sw_alloc(count * sizeof *plan->of_phase);
    for (uint32_t i = 0; i < count; i++)
        plan->of_phase[i] = sw_alloc(sizeof(sw_jit_plan));
}

static void
add_shapes(sw_jit_plan *plan, uint32_t phase, sw_lane_map *map,
           bool is_large_grid)
{
    map->is_large_grid = is_large_grid;
    plan->of_phase[phase]->shapes =
        sw_shapes_create(plan->fn, plan->cfg, plan->live, map);
}

static void
find_phases(sw_jit_plan *plan)
{
    open_phases(plan, plan->phases);
    for (uint32_t i = 0; i < plan->phases; i++) {
        sw_lane_map map;
        sw_lane_map_init_phase(&map, plan->rq->ntid, i);
        add_shapes(plan, i, &map, plan->rq->map.is_large_grid);
    }
    plan->shapes = plan->of_phase[0]->shapes;
    sw_jit_look_at_shapes(plan);
}

/* Something is known of some of its lanes: levels of a tree. */
static bool
knows_lanes(const sw_jit_plan *plan)
{
    bool knows = plan->versions.count;
    for (uint32_t b = 0; b < plan->cfg->count && !knows; b++)
        knows = plan->shapes->head[b] == b && sw_jit_known_lanes(plan, NULL, b);
    return knows;
}

/* Small kernels whose fused warps meet at barriers, and of whose lanes much is
 * known if it is known which of the groups they are, have a function for each
 * of them. */
static bool
find_fused(sw_jit_plan *plan, const sw_lane_map *map)
{
    uint32_t n =
        map->lanes ? sw_lane_map_fused_count(plan->rq->ntid, map->lanes) : 0;
    if (n < 2 || n > sw_jit_tune.groups || plan->rq->counts_inline ||
        n * sw_jit_count_ins(plan) > sw_jit_tune.groups_size ||
        sw_jit_will_be_cut(plan) || !sw_jit_can_fuse(plan, map))
        return false;
    open_phases(plan, n);
    for (uint32_t i = 0; i < n; i++) {
        sw_lane_map own;
        sw_lane_map_init_fused(&own, plan->rq->ntid, map->lanes, i);
        add_shapes(plan, i, &own, map->is_large_grid);
    }
    plan->shapes = plan->of_phase[0]->shapes;
    sw_jit_look_at_shapes(plan);
    if (sw_jit_meets_at_barriers(plan) && sw_jit_suits_fusion(plan) &&
        knows_lanes(plan))
        return true;
    for (uint32_t i = 0; i < n; i++) {
        sw_shapes_destroy(plan->of_phase[i]->shapes);
        sw_free(plan->of_phase[i]);
    }
    sw_free(plan->of_phase);
    plan->of_phase = NULL;
    plan->phases = 1;
    return false;
}

void
sw_jit_find_shapes(sw_jit_plan *plan)
{
    plan->phases = count_phases(plan);
    if (plan->phases > 1) {
        find_phases(plan);
        return;
    }
    for (unsigned i = SW_JIT_FUSED_SIZES; i-- > 0;) {
        const sw_lane_map *map = &plan->rq->fused_maps[i];
        if (i == SW_JIT_FUSED_SIZES - 1 && find_fused(plan, map))
            return;
        if (!map->lanes || !sw_jit_can_fuse(plan, map))
            continue;
        plan->shapes = sw_shapes_create(plan->fn, plan->cfg, plan->live, map);
        sw_jit_look_at_shapes(plan);
        if (sw_jit_suits_fusion(plan))
            return;
        plan->has_wide = !sw_jit_adds_floats(plan);
        sw_shapes_destroy(plan->shapes);
    }
    plan->shapes =
        sw_shapes_create(plan->fn, plan->cfg, plan->live, &plan->rq->map);
    sw_jit_look_at_shapes(plan);
}
