/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes.c - for whom a kernel is compiled: a warp, the largest team that
 * is faster, or each phase or team of a block by itself; and the shapes of its
 * registers, which follow from that.
 */
#include "jit/emit/emit.h"

/* Whether small kernels have a function for each phase of their warps. */
static uint32_t
count_phases(const sw_jit_emit *e)
{
    enum { PHASES_MOST = 16, INS_MOST = 1000 };
    uint32_t n = e->rq->phases;
    bool pays = n > 1 && n <= PHASES_MOST && !e->rq->tallies &&
                n * sw_jit_count_ins(e) <= INS_MOST;
    return pays && !sw_jit_will_be_cut(e) ? n : 1;
}

void
sw_jit_look_at_shapes(sw_jit_emit *e)
{
    sw_jit_find_twins(e);
    sw_jit_find_rests(e);
    sw_jit_find_known(e);
    sw_jit_find_versions(e);
}

static void
find_phases(sw_jit_emit *e)
{
    e->phase_shapes = sw_alloc(e->phases * sizeof(sw_shapes *));
    for (uint32_t i = 0; i < e->phases; i++) {
        sw_lane_map map;
        sw_lane_map_init_phase(&map, e->rq->ntid, i);
        map.is_large_grid = e->rq->map.is_large_grid;
        e->phase_shapes[i] = sw_shapes_create(e->fn, e->cfg, e->live, &map);
    }
    e->shapes = e->phase_shapes[0];
    sw_jit_look_at_shapes(e);
}

/* Something is known of some of its lanes: levels of a tree. */
static bool
knows_lanes(const sw_jit_emit *e)
{
    bool knows = e->versions.count;
    for (uint32_t b = 0; b < e->cfg->count && !knows; b++)
        knows = e->shapes->leader[b] == b && sw_jit_known_lanes(e, b);
    return knows;
}

/* Small kernels whose teams meet at barriers, and of whose lanes much is known
 * if it is known which team they are, have a function for each of them. */
static bool
find_teams(sw_jit_emit *e, const sw_lane_map *map)
{
    enum { TEAMS_MOST = 4, INS_MOST = 600 };
    uint32_t n = map->lanes ? sw_lane_map_teams(e->rq->ntid, map->lanes) : 0;
    if (n < 2 || n > TEAMS_MOST || e->rq->tallies ||
        n * sw_jit_count_ins(e) > INS_MOST || sw_jit_will_be_cut(e) ||
        !sw_jit_can_team(e, map))
        return false;
    e->phases = n;
    e->phase_shapes = sw_alloc(n * sizeof(sw_shapes *));
    for (uint32_t i = 0; i < n; i++) {
        sw_lane_map own;
        sw_lane_map_init_team(&own, e->rq->ntid, map->lanes, i);
        own.is_large_grid = map->is_large_grid;
        e->phase_shapes[i] = sw_shapes_create(e->fn, e->cfg, e->live, &own);
    }
    e->shapes = e->phase_shapes[0];
    sw_jit_look_at_shapes(e);
    if (sw_jit_meets_at_barriers(e) && sw_jit_suits_team(e) && knows_lanes(e))
        return true;
    for (uint32_t i = 0; i < n; i++)
        sw_shapes_destroy(e->phase_shapes[i]);
    sw_free(e->phase_shapes);
    e->phase_shapes = NULL;
    e->phases = 1;
    return false;
}

void
sw_jit_find_shapes(sw_jit_emit *e)
{
    e->phases = count_phases(e);
    if (e->phases > 1) {
        find_phases(e);
        return;
    }
    for (unsigned i = SW_JIT_TEAM_SIZES; i-- > 0;) {
        const sw_lane_map *map = &e->rq->team_maps[i];
        if (i == SW_JIT_TEAM_SIZES - 1 && find_teams(e, map))
            return;
        if (!map->lanes || !sw_jit_can_team(e, map))
            continue;
        e->shapes = sw_shapes_create(e->fn, e->cfg, e->live, map);
        sw_jit_look_at_shapes(e);
        if (sw_jit_suits_team(e))
            return;
        e->has_wide = !sw_jit_adds_floats(e);
        sw_shapes_destroy(e->shapes);
    }
    e->shapes = sw_shapes_create(e->fn, e->cfg, e->live, &e->rq->map);
    sw_jit_look_at_shapes(e);
}
